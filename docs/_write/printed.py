"""Print one result of each kind, to see how they look before and after a change.

::

    PYTHONPATH=. python docs/_write/printed.py                   # all of them
    PYTHONPATH=. python docs/_write/printed.py report check      # those whose titles contain a word
    PYTHONPATH=. python docs/_write/printed.py --against FILE    # and how many lines there were

Print into a file with the version before the change, and pass that as `--against`.
"""

import argparse
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from io import StringIO
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import auc, average_precision_score, make_scorer, precision_recall_curve
from sklearn.model_selection import GridSearchCV, RepeatedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap.__main__ import main

TITLE = "=== "  # begins the line above a result
RANDOM_STATE = 0
BOTH = ["model_a", "model_b"]

payments = cache(ap.datasets.load_payments)
few = {
    "y_true": [1, 0, 1, 1, 0, 1, 0, 0],
    "old": [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7],
    "new": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2],
}


def make_queries():
    """Return labels, the scores of two engines, and the query of each of 600 documents."""
    rng = np.random.default_rng(0)
    labels = rng.random(600) < 0.1
    labels[::20] = True
    return labels, labels + rng.normal(size=600), labels + 2 * rng.normal(size=600), QUERIES


QUERIES = np.repeat([f"q{number}" for number in range(30)], 20)


def split_payments():
    """Return the first two thirds of the payments, and the last third."""
    data = payments()
    days = np.sort(np.unique(data["day"]))
    is_later = np.isin(data["day"], days[len(days) * 2 // 3 :])
    return data[~is_later], data[is_later]


def search(grid, **options):
    X, y = make_classification(400, n_informative=5, weights=[0.8], random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    return GridSearchCV(tree, grid, scoring=ap.get_scorer("AP"), **options).fit(X, y)


def cross_validate_depth(depth):
    X, y = make_classification(400, n_informative=5, weights=[0.8], random_state=0)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    scorer = ap.get_scorer("AP")
    cv = RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)
    return cross_validate(tree, X, y, scoring=scorer, cv=cv, return_indices=True)


def without_fraud_in_portugal():
    data = payments().copy()
    data.loc[data["country"] == "PT", "fraud"] = 0
    return data


def with_many_shops():
    data = payments().copy()
    data["shop"] = [f"shop {number % 120}" for number in range(len(data))]
    return data


def mean_loss(y_true, y_score):
    return float(np.mean((np.asarray(y_true) - np.asarray(y_score)) ** 2))


def make_classes():
    rng = np.random.default_rng(0)
    labels = np.eye(3, dtype=int)[rng.integers(3, size=300)]
    return labels, labels + rng.normal(size=labels.shape)


def compare_losses():
    labels, a, b, groups = make_queries()
    loss = ap.metric(mean_loss, name="loss", greater_is_better=False)
    return ap.compare(labels, {"a": a, "b": b}, metric=loss, groups=groups, baseline="a")


def check_budget():
    valid, later = split_payments()
    point = ap.operating_point("fraud", "model_b", k=8, groups="day", data=valid)
    return point.check(data=later)


def choose(**options):
    valid, later = split_payments()
    point = ap.operating_point(
        "fraud", "model_b", min_recall=0.8, clusters="account", data=valid, **options
    )
    return point, later


def linear(y_true, y_score):
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    return auc(recall, precision)


def run_command(*arguments: str) -> str:
    """Return what a command prints, in a folder with the files that commands read."""
    folder, out = Path.cwd(), StringIO()
    with tempfile.TemporaryDirectory() as files:
        os.chdir(files)
        try:
            write_files()
            with redirect_stdout(out), redirect_stderr(out):
                code = main(arguments)
        finally:
            os.chdir(folder)
    return f"$ sklearn_ap {' '.join(arguments)}\n{out.getvalue()}[exit {code}]"


def write_files():
    valid, later = split_payments()
    payments().to_csv("pay.csv", index=False)
    later.to_csv("later.csv", index=False)
    point = ap.operating_point("fraud", "model_b", min_recall=0.8, clusters="account", data=valid)
    Path("t.json").write_text(json.dumps(point.to_dict()))
    rng = np.random.default_rng(0)
    relevant = rng.random((50, 100)) < 0.1
    judged = [f"q{q} 0 d{d} {int(relevant[q, d])}" for q in range(50) for d in range(100)]
    Path("qrels.txt").write_text("\n".join(judged))
    for name, noise, n_queries in (("bm25", 1.2, 50), ("dense", 0.8, 49)):
        scores = relevant + noise * rng.normal(size=relevant.shape)
        run = [f"q{q} Q0 d{d} 0 {scores[q, d]} x" for q in range(n_queries) for d in range(100)]
        Path(f"{name}.run").write_text("\n".join(run))


def list_results() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the title of each result, and a function that makes it."""
    p = payments()
    value = partial(ap.confidence_interval, "fraud", "model_b", data=p)
    labels, a, b, groups = make_queries()
    yield "value", value
    yield "value, clusters", partial(value, clusters="account")
    yield "value, groups", partial(ap.confidence_interval, labels, a, groups=groups)
    yield "value, classes", partial(ap.confidence_interval, *make_classes())
    yield "value, P@100", partial(value, metric="P@100", random_state=RANDOM_STATE)
    yield "value, few positives", partial(ap.confidence_interval, few["y_true"], few["old"])
    yield "value, weights", partial(value, sample_weight="amount")

    compare = partial(ap.compare, "fraud", data=p)
    models = {"old": few["old"], "new": few["new"]}
    yield "compare", partial(compare, "model_b", "model_a", clusters="account")
    yield "compare, several", partial(compare, ["model_a", "model_b"], baseline="model_a")
    yield "compare, chosen", partial(compare, ["model_a", "model_b"])
    yield "compare, groups", partial(ap.compare, labels, b, a, groups=groups)
    yield "compare, margin", partial(compare, "model_b", "model_a", margin=0.02)
    yield "compare, lower is better", compare_losses
    yield "compare_folds", lambda: ap.compare_folds(*map(cross_validate_depth, (3, 7)))
    grid = {"max_depth": [3, 7], "class_weight": [None, "balanced"], "min_samples_leaf": [1, 20]}
    yield "search", lambda: ap.compare_folds(search(grid))
    yield "search, one parameter", lambda: ap.compare_folds(search({"max_depth": [1, 3]}))

    report = partial(ap.report, "fraud", data=p, random_state=RANDOM_STATE)
    yield "report, one model", partial(report, "model_b")
    yield "report, metrics", partial(report, "model_b", metrics=["AP", "P@100", "R@1%"])
    several = partial(report, BOTH, metrics=["AP", "P@100"])
    yield "report, two models and metrics", partial(several, clusters="account")
    yield "report, few positives", partial(ap.report, few["y_true"], models)
    yield "report, margin", partial(several, baseline="model_a", margin={"AP": 0.02, "P@100": 0.1})
    yield "report, segments", partial(report, BOTH, by="country", baseline="model_a")
    lacking = partial(report, BOTH, by="country", data=without_fraud_in_portugal())
    yield "report, no positives in PT", partial(lacking, baseline="model_a")
    yield "report, segments of one model", partial(report, "model_b", by="country")
    yield "report, 120 segments", partial(report, "model_b", by="shop", data=with_many_shops())
    yield "report, classes", lambda: ap.report(*make_classes(), average=None)

    point, later = choose(confidence_level=0.95)
    yield "operating_point", lambda: point
    yield (
        "operating_point, two models",
        partial(ap.operating_point, "fraud", BOTH, min_recall=0.8, data=p),
    )
    yield "check", partial(choose()[0].check, data=later)
    yield "check, budget", check_budget

    y, s = p["fraud"], p["model_a"]
    yield "identify, found", partial(compat.identify, "0.4314", y, s)
    yield "identify, nothing found", partial(compat.identify, "0.4888", y, s)
    yield "explain", partial(compat.explain, y, s)
    yield "audit, right", partial(compat.audit, average_precision_score)
    yield "audit, linear", partial(compat.audit, linear)
    yield "audit, labels", partial(compat.audit, make_scorer(average_precision_score))
    yield "audit, swapped", partial(compat.audit, lambda s, y: average_precision_score(y, s))
    scorers = {"ap": ap.get_scorer("AP"), "mine": make_scorer(average_precision_score)}
    yield "audit, scorers", partial(compat.audit, scorers)
    yield "differences", lambda: compat.DIFFERENCES

    of_pay = "pay.csv", "--y-true", "fraud", "--y-score", "model_a", "--y-score", "model_b"
    gate = "--baseline", "model_a", "--fail-if-worse"
    yield "command report", partial(run_command, "report", *of_pay, *gate)
    runs = "qrels.txt", "bm25.run", "dense.run"
    yield "command trec", partial(run_command, "trec", *runs, "--metrics", "AP,nDCG@10")
    yield "command check", partial(run_command, "check", "t.json", "later.csv")
    function = "sklearn.metrics:roc_auc_score"
    yield "command audit", partial(run_command, "audit", function, "--metric", "AP")
    yield "command --help", show_help


def show_help():
    out = StringIO()
    try:
        with redirect_stdout(out):
            main(["report", "--help"])
    except SystemExit:
        pass
    return out.getvalue()


def count_lines(text: str) -> dict[str, int]:
    """Return how many lines each result has in what this script has printed."""
    blocks = text.split(TITLE)[1:]
    return {title: body.count("\n") for title, _, body in (x.partition("\n") for x in blocks)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="print results whose titles contain one")
    parser.add_argument("--against", help="what another version has printed")
    passed = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["COLUMNS"] = "80"
    texts = []
    for title, make in list_results():
        if not passed.words or any(word in title for word in passed.words):
            texts.append(f"{TITLE}{title}\n{str(make()).rstrip()}\n")
            print(texts[-1], end="", flush=True)
    if passed.against:
        before = count_lines(Path(passed.against).read_text(encoding="utf-8"))
        after = count_lines("".join(texts))
        counts = [before.get(title, 0) for title in after]
        print(
            f"{len(after)} results: {sum(counts)} lines, now {sum(after.values())}", file=sys.stderr
        )
