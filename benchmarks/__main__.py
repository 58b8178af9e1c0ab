"""Time sklearn_ap against other libraries, and report the results."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sklearn.metrics import average_precision_score

import sklearn_ap as ap

from . import atlas, data, measure, others, report
from . import versions as versions_in_turn
from .races import CALLED, OF_VERSIONS, SECTIONS, SKLEARN
from .sides import OURS

PACKAGES = (
    *("sklearn_ap", "numpy", "scipy", "scikit-learn", "pandas", "polars", "polars_ds"),
    *("duckdb", "torch", "torchmetrics", "torcheval", "ranx", "pytrec-eval-terrier"),
)
SHARES = (0.01, 0.5)
ROOT = Path(__file__).parents[1]
RESULTS, PICTURE = ROOT / "docs" / "speed.json", ROOT / "docs" / "speed.svg"
PAGES = (ROOT / "docs" / "speed.md", ROOT / "benchmarks" / "results.md")


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["atlas"]:
        atlas.main(arguments[1:])
        return
    options = parser().parse_args(arguments)
    if options.rewrite:
        write(json.loads(RESULTS.read_text(encoding="utf-8")))
        return
    if options.against:
        run_against(options)
        return
    if options.docs:
        results = of_each_kind(options)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        write(results)
        return
    started = time.perf_counter()
    timed = list(run_races(options))
    if not options.only:
        results = {
            "date": date.today().isoformat(),
            "versions": versions(),
            "machine": measure.machine() | {"cores": os.cpu_count()},
            "scale": options.scale,
            "races": timed,
            "memory": [memory(options.scale, share) for share in SHARES],
            "import": measure.import_seconds(),
            "calls": {name: measure.calls(function) for name, (function, _) in CALLED.items()},
            "threads": others.threads(),
        }
        results["took"] = time.perf_counter() - started
        for part in (
            *(report.summary, report.slower, report.goals),
            *(report.resources, report.limits, report.setting),
        ):
            print(f"\n{part(results)}")
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"\n{time.perf_counter() - started:.0f} s in all")


def parser():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", default="", help="run only races with this text in their name or section"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="seconds to spend on each side of a race"
    )
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        help="factor for the data sizes, such as 0.001 for a quick try",
    )
    parser.add_argument(
        "--largest", type=float, default=1e8, help="skip races with more samples than this"
    )
    parser.add_argument(
        "--against", metavar="REF", help="compare with the package at another commit"
    )
    parser.add_argument(
        "--lead",
        action="store_true",
        help="time only scikit-learn and what the first table of results.md names",
    )
    parser.add_argument("--json", type=Path, help="write all results to this file")
    parser.add_argument("--docs", action="store_true", help="rewrite docs/speed.* and results.md")
    parser.add_argument(
        "--rewrite",
        action="store_true",
        help="do the same from docs/speed.json, without timing anything",
    )
    return parser


def write(results):
    """Write the picture and the pages."""
    report.draw(results, PICTURE)
    for page in PAGES:
        page.write_text(report.fill(page.read_text(encoding="utf-8"), results), encoding="utf-8")


def of_each_kind(options):
    """Time everything with AVX2, and the most important tasks as on other machines."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, disabled in measure.kinds().items():
            file = Path(folder) / f"{kind}.json"
            asked = ["--seconds", str(options.seconds), "--scale", str(options.scale)]
            lead = [] if kind == report.LAPTOP else ["--lead"]
            print(f"\nNumPy sorts with {kind}\n")
            subprocess.run(
                [sys.executable, "-m", "benchmarks", "--json", str(file), *asked, *lead],
                env=os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(disabled)},
                check=True,
            )
            found[kind] = json.loads(file.read_text(encoding="utf-8"))
    kinds = {kind: results["races"] for kind, results in found.items()} | {report.LAPTOP: None}
    return found[report.LAPTOP] | {"kinds": kinds}


def versions():
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def run_races(options):
    for section, races in SECTIONS.items():
        chosen = [race for race in races if options.only in f"{section}: {race.work}"]
        if options.lead:
            chosen = [race for race in map(only_lead, chosen) if race.against]
        for race in chosen:
            had = []
            for size in race.sizes:
                if size <= options.largest:
                    n_samples = max(round(size * options.scale), 100)
                    had.append(measure.run(race, size, n_samples, options.seconds))
            print(report.race_table(race, {"races": had}), end="\n\n", flush=True)
            yield from had


def only_lead(race):
    """Keep only scikit-learn, and the side that the first table of results.md names."""
    named = {SKLEARN, race.lead_rival}
    return replace(race, against={name: race.against[name] for name in named & set(race.against)})


def run_against(options):
    """Time this checkout and another commit in turn, and print ratios: below 1 is faster."""
    chosen = [
        (section, place, race, size)
        for section, races in (SECTIONS | OF_VERSIONS).items()
        for place, race in enumerate(races)
        for size in race.sizes
        if size <= options.largest and options.only in f"{section}: {race.work}"
    ]
    sizes = [max(round(size * options.scale), 100) for *_, size in chosen]
    asked = [
        (section, place, size, n_samples)
        for (section, place, _, size), n_samples in zip(chosen, sizes, strict=True)
    ]
    found = versions_in_turn.compare(options.against, asked, options.seconds)
    print(f"{'now / ' + options.against:>16}{'ms before':>12}{'ms now':>12}  race")
    for (_, _, race, _), (size, times, failed) in zip(chosen, found, strict=True):
        name = f"{race.work}, {size:,} samples"
        if times is None:
            why = "; ".join(f"not in {version} ({error})" for version, error in failed.items())
            print(f"{'':40}  {name}: {why}", flush=True)
            continue
        before, now, ratio = times
        print(f"{ratio:16.2f}{1000 * before:12.3f}{1000 * now:12.3f}  {name}", flush=True)


def memory(scale, share):
    n_samples = round(10**7 * scale)
    y_true, y_score = data.ranking(n_samples, share)
    return {
        "name": f"{n_samples:,} samples, {share:.0%} positives",
        OURS: measure.peak_bytes(lambda: ap.average_precision_score(y_true, y_score)),
        "scikit-learn": measure.peak_bytes(lambda: average_precision_score(y_true, y_score)),
    }


if __name__ == "__main__":
    main()
