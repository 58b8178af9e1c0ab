"""Measure intervals and tests of models that are almost the same: retrained, rounded and patched.

Run it with python -m benchmarks.copies equal (or five, power, noise, float16, faults, ordinary,
folds, values, populations). All cells were written before they were run. Each rate is printed with
its standard error.
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from sklearn_ap import average_precision_score, compare, confidence_interval

from .coverage import Population
from .differences import DATA, FITTED, NearCopy, fitted

LARGE = 300_000  # rows that stand for the population


@dataclass(frozen=True)
class Cell:
    what: str
    draw: Callable[[np.random.Generator], Any]  # labels, and the scores of models
    margin: float = 0.02
    given: Callable[[int], dict] = lambda _: {}  # options by the number of rows
    true: float = 0.0


def copies(rng, n_positives, n_rows, noise, apart=2.0, n_models=2, n_in_cluster=1, tails=0.0):
    """Draw one model, and copies of it with some noise."""
    y = np.arange(n_rows) < n_positives
    base = rng.standard_t(tails, n_rows) if tails else rng.standard_normal(n_rows)
    if n_in_cluster > 1:
        y = rng.permutation(y)
        shared = rng.standard_normal(n_rows // n_in_cluster).repeat(n_in_cluster)
        base = np.sqrt(0.5) * (base + shared)
    base = base + apart * y
    return y, *(base + noise * rng.standard_normal((n_models, n_rows)))


def moons(rng, n_positives, n_rows):
    """A linear model, and the same one fitted on 90% of its rows."""
    X, label = make_moons((4 * n_rows, 4 * n_rows), noise=0.3, random_state=rng.integers(2**31))
    kept = np.r_[
        rng.choice(np.flatnonzero(label == 1), 2 * n_positives, replace=False),
        rng.choice(np.flatnonzero(label == 0), 2 * (n_rows - n_positives), replace=False),
    ]
    fit, test = np.split(rng.permutation(kept), 2)
    while not 1 < label[test].sum() < n_rows:
        fit, test = np.split(rng.permutation(kept), 2)
    some = fit[: round(0.9 * fit.size)]
    return label[test] == 1, *(
        LogisticRegression().fit(X[rows], label[rows]).decision_function(X[test])
        for rows in (fit, some)
    )


EQUAL = [
    Cell("noise 0.02, 30 of 300", partial(copies, n_positives=30, n_rows=300, noise=0.02)),
    Cell("noise 0.01, 30 of 300", partial(copies, n_positives=30, n_rows=300, noise=0.01)),
    Cell("noise 0.05, 50 of 100", partial(copies, n_positives=50, n_rows=100, noise=0.05)),
    Cell("noise 0.02, 60 clusters",
         partial(copies, n_positives=30, n_rows=300, noise=0.02, n_in_cluster=5),
         given=lambda size: {"clusters": np.arange(size) // 5}),
    Cell("noise 0.02, linear", partial(copies, n_positives=30, n_rows=300, noise=0.02),
         given=lambda _: {"metric": "linear"}),
    Cell("moons, 27 of 300", partial(moons, n_positives=27, n_rows=300)),
    Cell("moons, 109 of 1,200", partial(moons, n_positives=109, n_rows=1200)),
    Cell("noise 0.2, 30 of 300", partial(copies, n_positives=30, n_rows=300, noise=0.2)),
    Cell("noise 0.2, 50 of 100", partial(copies, n_positives=50, n_rows=100, noise=0.2)),
    Cell("noise 0.2, 100 of 1,000", partial(copies, n_positives=100, n_rows=1000, noise=0.2)),
]  # fmt: skip


def false_alarms(cell, rng):
    y, *models = cell.draw(rng)
    p = compare(y, *models, **cell.given(y.size)).pvalue
    return p < 0.05, p < 0.01


five = partial(copies, n_models=5)
FIVE = [
    Cell("noise 0.02, 30 of 300", partial(five, n_positives=30, n_rows=300, noise=0.02)),
    Cell("noise 0.05, 50 of 100", partial(five, n_positives=50, n_rows=100, noise=0.05)),
]


def of_five(cell, rng):
    """Return whether any p is below 0.05."""
    y, *models = cell.draw(rng)
    found = compare(y, dict(zip("abcde", models, strict=True)))
    return (np.nanmin([row.pvalue for row in found.rows]) < 0.05,)


# --- power -------------------------------------------------------------------------------------


def better(rng, n_positives, n_rows, apart, gain, correlation):
    """Draw a model, and one whose positives are higher by a gain."""
    y = np.arange(n_rows) < n_positives
    shared = np.sqrt(correlation) * rng.standard_normal(n_rows) + apart * y
    own = np.sqrt(1 - correlation) * rng.standard_normal((2, n_rows))
    return y, shared + own[0] + gain * y, shared + own[1]


@cache
def forest():
    X, y = make_moons(6000, noise=0.35, random_state=0)
    model = RandomForestClassifier(100, min_samples_leaf=5, random_state=0).fit(X[:500], y[:500])
    return y[500:], model.predict_proba(X[500:])[:, 1]


def rounded_forest(rng, n_rows=400):
    y, score = forest()
    rows = rng.integers(y.size, size=n_rows)
    return y[rows], score[rows], np.round(2 * score[rows], 1)


POWER = [
    Cell("strong, 50 of 100", partial(better, n_positives=50, n_rows=100, apart=2.5, gain=0.5,
                                      correlation=0.8)),
    Cell("30 of 300, a gain of 0.4", partial(better, n_positives=30, n_rows=300, apart=1.5,
                                             gain=0.4, correlation=0.8)),
    Cell("copies, 100 of 1,000, a gain of 0.03",
         partial(better, n_positives=100, n_rows=1000, apart=2.0, gain=0.03, correlation=0.998)),
    Cell("forest, and its scores rounded", rounded_forest),
]  # fmt: skip


def power(cell, rng):
    y, *models = cell.draw(rng)
    p = compare(y, *models).pvalue
    return p < 0.05, p < 0.01, 9 * p < 0.05


# --- equivalent models -------------------------------------------------------------------------


def swapped(rng):
    """The two lowest negatives change places."""
    y = np.arange(400) < 40
    a = rng.standard_normal(400) + 2 * y
    b, lowest = a.copy(), np.argsort(a)[:2]
    b[lowest] = b[lowest][::-1]
    return y, b, a


NOISE = [
    *(Cell(copy.what, copy.draw, true=copy.true) for copy in (
        NearCopy(200, 0.1, 0.96, 0.02), NearCopy(200, 0.1, 0.96, 0.05),
        NearCopy(400, 0.1, 0.98, 0.05), NearCopy(400, 0.1, 0.67, 0.05))),
    Cell("the two lowest negatives change places", swapped),
    *(Cell(f"{size:,} rows, noise 0.02", partial(copies, n_positives=300, n_rows=size, noise=0.02))
      for size in (60_000, 65_000, 66_000, 100_000)),
]  # fmt: skip


def equivalent(cell, rng):
    """Return whether models are equivalent, the interval covers the truth, and its width."""
    y, *models = cell.draw(rng)
    one = compare(y, *models, margin=cell.margin)
    return one.verdict == "equivalent", one.low <= cell.true <= one.high, one.high - one.low


@cache
def boosted(name):
    """Return the labels, the scores of boosted trees, and the scores as float16 of a pool."""
    if name == "digit 8":
        data = load_digits()
        X, y = data.data, data.target == 8
    elif name == "digit 1":
        data = load_digits()
        X, y = data.data, data.target == 1
    elif name == "malignant tumors":
        data = load_breast_cancer()
        X, y = data.data, data.target == 0
    elif name.startswith("moons"):
        X, y = make_moons((9000, 1000), noise=0.3 if name == "moons" else 0.5, random_state=0)
    else:
        share, apart = map(float, name.split())
        X, y = make_classification(10_000, 20, n_informative=5, weights=[1 - share],
                                   class_sep=apart, random_state=3)  # fmt: skip
    order = np.random.default_rng(0).permutation(y.size)
    fit, test = np.split(order, [min(y.size // 3, 2000)])
    model = HistGradientBoostingClassifier(max_iter=60, random_state=0).fit(X[fit], y[fit])
    score = model.predict_proba(X[test])[:, 1]
    return y[test].astype(bool), score, score.astype(np.float16)


def halved(rng, name, n_positives):
    """Draw 300 rows of a pool, of which so many are positive."""
    y, score, half = boosted(name)
    rows = [rng.choice(np.flatnonzero(y), n_positives)]
    rows = np.append(rows, rng.choice(np.flatnonzero(~y), 300 - n_positives))
    return y[rows], half[rows].astype(float), score[rows]


FLOAT16 = [
    Cell(f"{name}, {n_positives} of 300", partial(halved, name=name, n_positives=n_positives))
    for name, n_positives in (
        ("digit 8", 30), ("digit 1", 30), ("malignant tumors", 70), ("moons", 30),
        ("moons, more noise", 30), ("0.03 1", 9), ("0.05 1", 15), ("0.1 0.7", 30),
        ("0.15 1", 43), ("0.25 0.7", 70),
    )
]  # fmt: skip

# --- faults ------------------------------------------------------------------------------------


def faulty(rng, kind, n_positives, n_rows, apart=2.5, size=None):
    """Draw a copy that fails on a few rows, and the model."""
    n_rows, n_positives = (n_rows, n_positives) if size is None else (
        size, round(size * n_positives / n_rows))  # fmt: skip
    y = np.arange(n_rows) < n_positives
    model = rng.standard_normal(n_rows) + apart * y
    copy, chance = model.copy(), rng.random(n_rows)
    if kind == "0.2% of negatives on top":
        copy[~y & (chance < 0.002)] += 1e3
    elif kind == "2% of positives at the bottom":
        copy[y & (chance < 0.02)] -= 1e3
    else:
        is_segment = chance < 0.02
        copy[is_segment] = rng.standard_normal(np.count_nonzero(is_segment))
    return y, copy, model


FAULTS = [
    Cell(f"{kind}, {n_positives} of {n_rows:,}",
         partial(faulty, kind=kind, n_positives=n_positives, n_rows=n_rows))
    for kind in ("0.2% of negatives on top", "2% of positives at the bottom", "2% of rows anew")
    for n_positives, n_rows in ((50, 500), (200, 2000), (100, 200))
]  # fmt: skip


@cache
def true_loss(draw):
    y, copy, model = draw(np.random.default_rng(1), size=LARGE)
    return average_precision_score(y, model) - average_precision_score(y, copy)


def hidden(cell, rng):
    """Return whether a verdict with the true loss as the margin is wrong, and whether it is
    "equivalent".
    """
    loss = true_loss(cell.draw)
    one = compare(*cell.draw(rng), margin=min(loss, 0.9))
    return one.verdict in ("equivalent", "no worse"), one.verdict == "equivalent"


ORDINARY = [
    Cell(f"{n_positives} of {n_rows:,}, apart {apart:g}, {tails:g} df, correlation {correlation:g}",
         partial(better, n_positives=n_positives, n_rows=n_rows, apart=apart, gain=0.0,
                 correlation=correlation) if not tails else
         partial(copies, n_positives=n_positives, n_rows=n_rows, apart=apart, tails=tails,
                 noise=np.sqrt((1 - correlation) / correlation)), margin=0.05)
    for correlation in (0.5, 0.9, 0.99)
    for n_positives, n_rows, apart, tails in (
        (10, 500, 2, 0), (30, 300, 2, 0), (50, 100, 2, 0), (50, 100, 3, 0), (100, 1000, 2, 0),
        (30, 300, 3, 3), (50, 100, 3, 3))
]  # fmt: skip


def within_the_margin(cell, rng):
    one = compare(*cell.draw(rng), margin=cell.margin)
    return "unseen_faults" in [note.code for note in one.notes], one.verdict == "equivalent"


# --- repeated folds ----------------------------------------------------------------------------


def folds(rng, n_rows, apart, n_repeats, n_folds=5):
    """Draw folds in which each row comes back, with scores of models that are alike."""
    y = np.arange(n_rows) < n_rows // 5
    base, tables = rng.standard_normal(n_rows) + apart * y, []
    for repeat in range(n_repeats):
        arrange_by_label = np.r_[
            rng.permutation(n_rows // 5), rng.permutation(np.arange(n_rows // 5, n_rows))
        ]
        fold = np.empty(n_rows, int)
        fold[arrange_by_label] = repeat * n_folds + np.arange(n_rows) % n_folds
        tables.append((y, base + 0.3 * rng.standard_normal(n_rows), fold, np.arange(n_rows)))
    return map(np.concatenate, zip(*tables, strict=True))


FOLDS = [
    Cell(f"{n_rows} rows, apart {apart:g}, {n_repeats} repeats",
         partial(folds, n_rows=n_rows, apart=apart, n_repeats=n_repeats))
    for n_rows, apart in ((500, 1.7), (200, 1.2), (200, 2.8))
    for n_repeats in (1, 5, 10)
]  # fmt: skip


@cache
def true_of_folds(n_rows, apart):
    """Return the mean over test folds of this size."""
    rng, n_rows = np.random.default_rng(1), n_rows // 5
    y = np.arange(n_rows) < n_rows // 5
    score = np.hypot(1, 0.3) * rng.standard_normal((20_000, n_rows)) + apart * y
    return np.mean([average_precision_score(y, each) for each in score])


def in_folds(cell, rng):
    """Return whether the interval covers, and the arms in standard errors."""
    y, score, fold, row = cell.draw(rng)
    one = confidence_interval(y, score, groups=fold, clusters=row)
    true = true_of_folds(cell.draw.keywords["n_rows"], cell.draw.keywords["apart"])
    below, above = one.value - one.low, one.high - one.value
    return one.low <= true <= one.high, below / one.standard_error, above / one.standard_error


# --- values ------------------------------------------------------------------------------------


def drawn_rows(rng, data, model, n_rows):
    y, scores = fitted(data, 0)
    while True:
        rows = rng.integers(y.size, size=n_rows)
        if 1 < y[rows].sum() < n_rows:
            return y[rows], scores[model][rows]


VALUES = [
    Cell(f"{data}: {model}", partial(drawn_rows, data=data, model=model, n_rows=200))
    for data in DATA for model in FITTED
]  # fmt: skip


def value(cell, rng):
    given = cell.draw.keywords
    y, scores = fitted(given["data"], 0)
    true = average_precision_score(y, scores[given["model"]])
    low, high = [*confidence_interval(*cell.draw(rng))][1:]
    return low <= true <= high, high - low


def of(n_positives, share, apart, **given):
    return Population("", n_positives, share, apart, **given)


POPULATIONS = [
    Cell(what, population.draw, true=population.truth) for what, population in {
        "20 of 200": of(20, 0.1, 1.5), "50 of 100": of(50, 0.5, 1.0),
        "50 of 2,500": of(50, 0.02, 2.0),
        "100 of 1,000, strong": of(100, 0.1, 3.5), "20 of 40, strong": of(20, 0.5, 3.0),
        "random, 30 of 300": of(30, 0.1, 0.0),
        "t with 2 df, 50 of 100": of(50, 0.5, 3.0, heavy_tails=2),
        "t with 3 df, 20 of 200": of(20, 0.1, 4.0, heavy_tails=3),
        "t with 3 df, 50 of 100": of(50, 0.5, 3.0, heavy_tails=3),
        "t with 5 df, 100 of 1,000": of(100, 0.1, 3.0, heavy_tails=5),
        "Cauchy, 30 of 60": of(30, 0.5, 5.0, heavy_tails=1),
        "5% of negatives look positive": of(60, 0.2, 3.0, look_positive=0.05),
        "5% of positives mislabeled": of(60, 0.2, 3.0, mislabeled=0.05),
        "weights, sigma 1, 50 of 500": of(50, 0.1, 2.0, sigma=1.0),
    }.items()
]  # fmt: skip


def value_of_population(cell, rng):
    low, high = [*confidence_interval(**cell.draw(rng))][1:]
    return low <= cell.true <= high, high - low


# --- the run -----------------------------------------------------------------------------------

TABLES = {
    "equal": (false_alarms, EQUAL, ["p < 0.05", "p < 0.01"], 800),
    "five": (of_five, FIVE, ["any p < 0.05"], 400),
    "power": (power, POWER, ["p < 0.05", "p < 0.01", "family of nine"], 400),
    "noise": (equivalent, NOISE, ["equivalent", "covered", "width"], 100),
    "float16": (equivalent, FLOAT16, ["equivalent", "covered", "width"], 200),
    "faults": (hidden, FAULTS, ["wrong", "equivalent"], 200),
    "ordinary": (within_the_margin, ORDINARY, ["unseen_faults", "equivalent"], 200),
    "folds": (in_folds, FOLDS, ["covered", "lower arm", "upper arm"], 300),
    "values": (value, VALUES, ["covered", "width"], 300),
    "populations": (value_of_population, POPULATIONS, ["covered", "width"], 400),
}


def rates(table, cell, repeats):
    """Return the means over data sets that only depend on the cell and their place, and their
    standard errors.
    """
    function, rows = TABLES[table][0], []
    for place in range(repeats):
        rng = np.random.default_rng([crc32(f"{table}: {cell.what}".encode()), place])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append(function(cell, rng))
    rows = np.array(rows, dtype=float)
    return rows.mean(axis=0), rows.std(axis=0) / np.sqrt(repeats)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.copies", description=__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--repeats", type=int, help="data sets per row")
    options = parser.parse_args(arguments)
    _, cells, names, usual = TABLES[options.table]
    print("|", " | ".join(["cell", *names]), "|")
    for cell in cells:
        means, errors = rates(options.table, cell, options.repeats or usual)
        found = (f"{mean:.4f} ({error:.4f})" for mean, error in zip(means, errors, strict=True))
        print(f"| {cell.what} | {' | '.join(found)} |", flush=True)


if __name__ == "__main__":
    main()
