"""Call this package and an earlier commit of it with the same random data, and list differences.

    python -m tests.first_edition metric curve --calls 2000 --seed 1
    python -m tests.first_edition --commit HEAD~1

The commit is read from this repository's history. By default it's d0676885, an independent
implementation. Each runs in a process of its own, with this interpreter, because both need the same
libraries. Values, refusals and categories of warnings are compared. Differences on purpose are in
KNOWN; all others are printed.
"""

import argparse
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from .random_calls import FIELDS, Draw

ROOT = Path(__file__).parents[1]
KINDS = ["metric", "curve", "inference", "threshold", "scorer", "name", "explanation"]

KNOWN = {  # a regular expression that finds the line of a difference -> why it is on purpose
    "warned of UserWarning: not": "advice on scores, labels and cutoffs is left out",
    "they refuse.*(ple_weight|single sample, the first|whole ranks)": "equal weights do nothing",
    "we refuse.*denominator='hits' is only": "the mean over orders of ties isn't worth its lines",
    "we refuse.*n_positives is not available": "no counts by row",
    "we refuse.*average=None has a value for each": "classes are no rows of a report",
    "(MAP|MRR|nDCG@10).* we refuse.* needs groups=": "means over groups have groups, not rows",
    "report.*n_positives: ": "n_positives of weighted rows is their weight",
    "we refuse.*(k counts samples|clusters change only)": "what has no effect is refused",
    "we refuse.*A (precision|recall) is promised only": "a promise needs equal weights",
    "they refuse.*is a threshold to be measured": "a measured threshold has intervals, too",
    "operating_point.*other threshold": "a threshold is one of the scores, not between two",
    "operating_point of clusters other": "clusters count by the mass of their positives alone",
    "get_scorer (nDCG|ndcg).* (other|warned)": "weights of rows don't reach nDCG in a search",
    "(ndcg|nDCG).*refuse.*(reads grades|'pos_label')": "1 and True are no labels of grades",
    "they refuse.*'linear' is not available": "a scorer of this area isn't refused",
    r"(P@10|11-point).* other.* (low|high|pvalue|verdict|units|\w+_(error|low|high))": "resamples",
    " difference: nan": "a baseline has no difference from itself",
    " chance: ": "chance is a closed form or nan, never a mean of shuffled scores",
    "we refuse: NoIntervalError": "nothing is known of one unit, or without positives",
    "report.*(value: nan|verdict: no positives)": "a segment without positives has no value",
    r"report.* difference_high: 1.0 ": "differences end at 1, not at what the segment's rows allow",
    "they refuse.*average='samples', the rows are": "rows of a matrix may be in clusters",
    "grid='float'.* is not defined with sample weights": "no weights on the float grid",
    "explain (rows that one|warned of Undefined)": "other tools and words; rows say what is 0/0",
    r"explain other \S+ float": "sums of weights are rounded in another order",
}


def run_in(folder, calls):
    """Make the calls with the package in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", "from tests.random_calls import serve; serve()"],
        cwd=folder, env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        input=pickle.dumps(calls), stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    file, results = pickle.loads(done.stdout)
    assert Path(file).is_relative_to(folder), file
    return results


def list_differences(ours, theirs, path=""):
    """Yield what differs between two results."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in ours.keys() & theirs.keys():
            yield from list_differences(ours[name], theirs[name], f"{path} {name}")
        names = sorted(ours.keys() ^ theirs.keys())
        if names and not path and {*names}.isdisjoint(FIELDS.split()):
            yield f"rows that one of both has: {names}"
    elif isinstance(ours, str) or isinstance(theirs, str):
        if ours != theirs:
            yield f"other{path}: {ours} | {theirs}"
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for place, both in enumerate(zip(ours, theirs, strict=True)):
            yield from list_differences(*both, f"{path} {place}")
    elif np.shape(ours) != np.shape(theirs) or not np.allclose(
        ours, theirs, rtol=1e-9, atol=1e-9, equal_nan=True
    ):
        yield f"other{path}: {ours} | {theirs}"


def compare(ours, theirs):
    """Yield what differs between two calls: refusals, values, warnings."""
    (ours, warned), (theirs, they_warned) = ours, theirs
    if isinstance(ours, str) or isinstance(theirs, str):
        if not isinstance(theirs, str):
            yield f"we refuse: {ours}"
        elif not isinstance(ours, str):
            yield f"they refuse: {theirs}"
        return
    yield from list_differences(ours, theirs)
    for category in sorted(warned.keys() ^ they_warned.keys()):
        text = warned.get(category) or f"not {they_warned[category]}"
        yield f"warned of {category}: {text}"


def describe(name, args, options):
    with np.printoptions(threshold=12, edgeitems=1, linewidth=10**6):
        given = [*map(repr, args), *(f"{option}={value!r}" for option, value in options.items())]
        return re.sub(r"\s+", " ", f"{name}({', '.join(given)})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--commit", default="d0676885")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = Draw(given.seed)
    calls = [getattr(draw, kind)() for kind in given.kinds for _ in range(given.calls)]
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", given.commit, "sklearn_ap"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        theirs = run_in(folder, calls)
    ours, counts, known, unknown = run_in(str(ROOT), calls), Counter(), Counter(), Counter()
    for number, (call, our, their) in enumerate(zip(calls, ours, theirs, strict=True)):
        both_refuse = isinstance(our[0], str) and isinstance(their[0], str)
        name, args, options = call
        name += " of clusters" if "clusters" in options else ""
        named = args[0] if name in ("get_scorer", "metric") else options.get("metric", "")
        name = f"{name} {options.get('metrics', named)}".strip()
        differences = [f"{name} {each}" for each in compare(our, their)]
        counts["different" if differences else "both refuse" if both_refuse else "equal"] += 1
        for each in differences:
            reason = next((why for form, why in KNOWN.items() if re.search(form, each)), None)
            known[reason] += reason is not None
            if reason is None:
                unknown[each.split(":")[0]] += 1
                print(f"{number}. {each}", describe(*call)[:1500], sep="\n    ")
    print(dict(counts), *(f"{n:6} {why}" for why, n in known.items() if n), sep="\n")
    print("not known:", dict(unknown.most_common()))
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
