"""The report: python -m benchmarks --help."""

import argparse
import json
import os
import time
from dataclasses import replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import sklearn_ap as ap

from . import data, measure, others, report
from .races import races, step

PACKAGES = (
    *("sklearn_ap", "numpy", "scipy", "scikit-learn"),
    *("torch", "torchmetrics", "torcheval", "ranx", "pytrec-eval-terrier"),
)
SHARES = (0.01, 0.5)


def main(arguments=None):
    options = parser().parse_args(arguments)
    started = time.perf_counter()
    if options.only:
        for _ in run_races(options):
            continue
        return
    results = {
        "date": date.today().isoformat(),
        "versions": versions(),
        "machine": measure.machine() | {"cores": os.cpu_count()},
        "scale": options.scale,
        "races": list(run_races(options)),
        "memory": [memory(options.scale, share) for share in SHARES],
        "import": measure.import_seconds(),
        "scaling": {f"{share:.0%}": scaling(options, share) for share in SHARES},
        "threads": others.threads(),
    }
    for part in (report.setting, report.table, report.resources, report.growth):
        print(f"\n{part(results)}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        report.draw(results, options.plot)
    if options.page:
        page = report.fill(options.page.read_text(encoding="utf-8"), results)
        options.page.write_text(page, encoding="utf-8")
    print(f"\n{time.perf_counter() - started:.0f} s in all")


def parser():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="only races with this in their name")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each side of a race")
    parser.add_argument("--scale", type=float, default=1.0, help="0.001 for a try with small data")
    parser.add_argument("--largest", type=float, default=1e8, help="most samples in the last table")
    parser.add_argument("--json", type=Path, help="file for all results")
    parser.add_argument("--plot", type=Path, help="file for the picture; needs matplotlib")
    parser.add_argument("--page", type=Path, help="Markdown page whose tables are made anew")
    return parser


def versions():
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def run_races(options):
    for race in races(options.scale):
        if options.only in race.name:
            result = measure.run(race, options.seconds)
            print(report.table({"races": [result]}).partition("---|\n")[2], flush=True)
            yield result


def memory(scale, share):
    n_samples = round(10**7 * scale)
    y_true, y_score = data.ranking(n_samples, share)
    theirs = others.scikit_learn(y_true, y_score)
    return {
        "name": f"{n_samples:,} samples, {share:.0%} positives",
        "sklearn_ap": measure.peak_bytes(lambda: ap.average_precision_score(y_true, y_score)),
        "scikit-learn": measure.peak_bytes(theirs),
    }


def scaling(options, share):
    """The medians of all sides for ever more samples; of other libraries up to ten million."""
    samples, medians = [], {}
    for n_samples in (10**e for e in range(3, 9) if 10**e <= options.largest):
        race = step(n_samples, share, ())
        if n_samples > 10**7:
            race = replace(race, others={})
        samples.append(n_samples)
        for name, seconds in measure.run(race, options.seconds / 2)["seconds"].items():
            medians.setdefault(name, []).append(seconds["median"])
    return {"samples": samples, "seconds": medians}


if __name__ == "__main__":
    main()
