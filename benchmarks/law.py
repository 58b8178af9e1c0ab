"""Measure intervals and tests where few sampling units have positives, and where models fail in
rows that a sample may lack.

Run it with python -m benchmarks.law alarms (or power, differences, rare, losses, copies, screening,
values, groups, metrics). All cells were written before they were run. Each rate is printed with its
standard error. What was counted is in law.csv, and a run goes on from there, so delete the rows of
a cell to count it anew. With PYTHONPATH and --version, it measures another version of the package.
"""

import argparse
import csv
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.optimize import brentq
from scipy.stats import t as student

from sklearn_ap import average_precision_score, compare, confidence_interval, metric

LARGE = 400_000  # rows that stand for the population
RESULTS = Path(__file__).with_name("law.csv")
ROUND = 100  # data sets after which the counts are saved


@dataclass(frozen=True)
class Cell:
    what: str
    draw: Callable  # of a generator; returns labels, scores of models, and options
    margin: float | None = None


# --- models that are equally good -----------------------------------------------------------------


def clustered(rng, n_holding, n_positives=10, n_healthy=80, effects="all", gain=0.0):
    """Clusters with so many positives each, and single negatives.

    A model finds all positives of a cluster or none, or their effects are normal.
    """
    cluster = np.r_[np.repeat(np.arange(n_holding), n_positives), n_holding + np.arange(n_healthy)]
    y = np.arange(cluster.size) < n_holding * n_positives

    def model(shift):
        found = 3 * (rng.random(n_holding + n_healthy) < 0.5)
        if effects == "smooth":
            found = 1.5 + rng.standard_normal(n_holding + n_healthy)
        of_cluster = 0.7 * rng.standard_normal(n_holding + n_healthy)
        scores = np.where(y, (found + shift)[cluster], 0.0) + of_cluster[cluster]
        return scores + 0.5 * rng.standard_normal(y.size)

    return y, (model(gain), model(0.0)), {"clusters": cluster}


def ill(rng, n_clusters, n_each=5, rate=0.1, gain=0.0):
    """Patients of whom a random fraction is ill: all of their rows are then positive."""
    is_ill = rng.random(n_clusters) < rate
    is_ill[0] = True
    cluster = np.repeat(np.arange(n_clusters), n_each)
    y = is_ill[cluster]
    noise = np.sqrt(0.5) * rng.standard_normal((2, n_clusters))[:, cluster]
    first, second = noise + np.sqrt(0.5) * rng.standard_normal((2, y.size)) + 1.5 * y
    return y, (first + gain * y, second), {"clusters": cluster}


def bursts(rng, n_clusters, rate=0.03, size=20):
    """Single rows, of which a fifth is positive, and clusters of similar negatives."""
    is_burst = rng.random(n_clusters) < rate
    cluster = np.repeat(np.arange(n_clusters), np.where(is_burst, size, 1))
    y = (~is_burst & (rng.random(n_clusters) < 0.2))[cluster]
    shared, own = rng.standard_normal((2, n_clusters))[:, cluster], rng.standard_normal((2, y.size))
    return y, np.sqrt(0.9) * shared + np.sqrt(0.1) * own + 2 * y, {"clusters": cluster}


def heavy(rng, n_positives, n_rows, weight, rate=1.0, apart=2.0, gain=0.0):
    """Negatives of which some weigh more, as if others were dropped."""
    y, models, _ = rows(rng, n_positives, n_rows, 0.0, gain, apart)
    weights = np.where(~y & (rng.random(n_rows) < rate), weight, 1.0)
    return y, models, {"sample_weight": weights}


def unequal(rng, n_clusters, sigma=1.2, gain=0.0):
    """Clusters of lognormal sizes that share half of their noise."""
    sizes = np.ceil(rng.lognormal(1.5, sigma, n_clusters)).astype(int)
    cluster = np.repeat(np.arange(n_clusters), sizes)
    y = rng.random(cluster.size) < 0.2
    y[:1] = True
    noise = rng.standard_normal((2, n_clusters))[:, cluster]
    own = rng.standard_normal((2, cluster.size))
    first, second = np.sqrt(0.5) * (noise + own) + 1.5 * y
    return y, (first + gain * y, second), {"clusters": cluster}


def rows(rng, n_positives, n_rows, correlation=0.0, gain=0.0, apart=1.5):
    y = np.arange(n_rows) < n_positives
    shared = rng.standard_normal(n_rows) * np.sqrt(correlation)
    first, second = shared + np.sqrt(1 - correlation) * rng.standard_normal((2, n_rows))
    return y, (first + (apart + gain) * y, second + apart * y), {}


def useless(rng, n_positives, n_rows=500, rate=0.03):
    """One model has a feature in a few rows that raises positives, and negatives just as much as
    leaves average precision the same.
    """
    y = np.arange(n_rows) < n_positives
    base = rng.standard_normal(n_rows) + 1.5 * y
    has_feature = rng.random(n_rows) < rate
    raised = np.where(y, 1.5, _raise_of_negatives(n_positives / n_rows, rate)) * has_feature
    return y, (base + raised, base + 0.0), {}


@cache
def _raise_of_negatives(share, rate):
    rng = np.random.default_rng(1)
    y = np.arange(LARGE) < share * LARGE
    base, has_feature = rng.standard_normal(LARGE) + 1.5 * y, rng.random(LARGE) < rate
    goal = average_precision_score(y, base)

    def gain(size):
        raised = base + np.where(y, 1.5, size) * has_feature
        return average_precision_score(y, raised) - goal

    return brentq(gain, 0, 3, xtol=1e-3)


def weighted(rng, n_positives, n_rows, most=200.0):
    y, models, _ = rows(rng, n_positives, n_rows, 0.5)
    return y, models, {"sample_weight": most ** rng.random(n_rows)}


def queries(rng, n_queries, gain=0.0):
    group = np.repeat(np.arange(n_queries), 20)
    y = np.tile(np.arange(20) < 4, n_queries)
    hard = rng.standard_normal(n_queries)[group]
    first, second = rng.standard_normal((2, y.size)) + (1 + 0.7 * hard) * y
    return y, (first + gain * y, second), {"groups": group}


def classes(rng, n_classes=10, n_positives=20, n_rows=400):
    y = np.zeros((n_rows, n_classes), bool)
    for column in y.T:
        column[rng.choice(n_rows, n_positives, replace=False)] = True
    return y, rng.standard_normal((2, *y.shape)) + 2 * y, {"average": "macro"}


def shaped(rng, n_positives, n_rows, shape, correlation=0.0):
    """Equal average precision by scores of another shape."""
    y = np.arange(n_rows) < n_positives
    shared = rng.standard_normal(n_rows) * np.sqrt(correlation)
    first, second = shared + np.sqrt(1 - correlation) * rng.standard_normal((2, n_rows))
    apart = _apart_of_shape(n_positives / n_rows, shape)
    other_apart = _apart_of_shape(n_positives / n_rows, "normal" if shape != "both" else "both")
    other = second if shape != "both" else _in_shape(second, y, "both", rng)
    return y, (_in_shape(first, y, shape, rng) + apart * y, other + other_apart * y), {}


def _in_shape(noise, y, shape, rng):
    if shape == "narrow":
        return noise * np.where(y, 0.6, 1.0)
    if shape in ("heavy", "both"):
        divisor = np.sqrt(rng.chisquare(2.2, y.size) / 2.2)
        return np.where(y, noise, noise / divisor)
    return noise


@cache
def _apart_of_shape(share, shape, goal=0.6):
    rng = np.random.default_rng(1)
    y = np.arange(LARGE) < share * LARGE
    noise = _in_shape(rng.standard_normal(LARGE), y, shape, rng)
    return brentq(lambda apart: average_precision_score(y, noise + apart * y) - goal, 0, 12)


def near_copies(rng, n_positives, n_rows, noise=0.1, gain=0.0):
    y = np.arange(n_rows) < n_positives
    base = rng.standard_normal(n_rows) + 2 * y
    own = noise * rng.standard_normal((2, n_rows))
    return y, (base + own[0] + gain * y, base + own[1]), {}


def failing_rarely(rng, n_positives, n_rows, rate):
    """One model puts a few negatives on top, and a copy loses as much by noise on all rows."""
    y = np.arange(n_rows) < n_positives
    good = rng.standard_normal(n_rows) + 2.0 * y
    on_top = np.where((rng.random(n_rows) < rate) & ~y, good + 20, good)
    noise = _noise_that_costs(n_positives / n_rows, rate)
    return y, (on_top, good + noise * rng.standard_normal(n_rows)), {}


def failing_rarely_or_steadily(rng, n_positives, n_rows, rate):
    """One model puts a few negatives on top, and a copy loses as much by lower positives."""
    y = np.arange(n_rows) < n_positives
    good = rng.standard_normal(n_rows) + 2.0 * y
    on_top = np.where((rng.random(n_rows) < rate) & ~y, good + 20, good)
    return y, (on_top, good - _shift_that_costs(n_positives / n_rows, rate) * y), {}


@cache
def _noise_that_costs(share, rate):
    """Return the noise that costs as much average precision as negatives on top."""
    return _size_that_costs(share, rate, lambda rng, y: rng.standard_normal(y.size))


@cache
def _shift_that_costs(share, rate):
    """Return by how much lower positives cost as much average precision as negatives on top."""
    return _size_that_costs(share, rate, lambda rng, y: -1.0 * y)


def _size_that_costs(share, rate, change):
    rng = np.random.default_rng(0)
    y = np.arange(LARGE) < share * LARGE
    good = rng.standard_normal(LARGE) + 2.0 * y
    changed = change(rng, y)
    on_top = np.where((rng.random(LARGE) < rate) & ~y, good + 20, good)
    goal = average_precision_score(y, on_top)

    def lack(size):
        return average_precision_score(y, good + size * changed) - goal

    return brentq(lack, 0.0, 5.0, xtol=1e-4)


def groups_that_fail(rng, n_groups, rate, spread):
    """One model fails in a few groups of 20 rows, and the other loses as much in each group.

    The labels of a group are its value, which a metric returns.
    """
    value = 0.6 + spread * rng.standard_normal(n_groups)
    fails = rng.random(n_groups) < rate
    other = value - 0.6 * rate + 0.02 * rng.standard_normal(n_groups)
    scores = np.where(fails, value - 0.6, value), other
    return np.ones(n_groups), scores, {"groups": np.arange(n_groups), "metric": OF_GROUP}


OF_GROUP = metric(lambda _, y_score: float(y_score[0]), name="value of a group")

RARE = [
    *(Cell(f"{rate:.2%} of negatives on top or noise, {n_positives} of {n_rows:,}",
           partial(failing_rarely, n_positives=n_positives, n_rows=n_rows, rate=rate))
      for n_positives, n_rows, rate in (
          (50, 500, 0.002), (50, 500, 0.01), (200, 2000, 0.0005), (200, 2000, 0.002),
          (20, 200, 0.005), (500, 5000, 0.0002))),
    *(Cell(f"{rate:.2%} of negatives on top or lower positives, {n_positives} of {n_rows:,}",
           partial(failing_rarely_or_steadily, n_positives=n_positives, n_rows=n_rows, rate=rate))
      for n_positives, n_rows, rate in (
          (20, 200, 0.005), (50, 500, 0.002), (200, 2000, 0.0005), (200, 2000, 0.0003))),
    *(Cell(f"{rate:.0%} of {number} groups fail, spread {spread:g}",
           partial(groups_that_fail, n_groups=number, rate=rate, spread=spread))
      for number, rate, spread in ((30, 0.1, 0.1), (50, 0.03, 0.1), (100, 0.03, 0.1))),
]  # fmt: skip


ALARMS = [
    *(Cell(f"found or not, {number} clusters with positives", partial(clustered, n_holding=number))
      for number in (2, 3, 4, 5, 6, 10)),
    Cell("found or not, 3 clusters with 30 positives each, 1,000 negatives",
         partial(clustered, n_holding=3, n_positives=30, n_healthy=1000)),
    *(Cell(f"smooth effects, {number} clusters with positives",
           partial(clustered, n_holding=number, effects="smooth")) for number in (3, 5, 10, 20)),
    *(Cell(f"unequal clusters, {number}", partial(unequal, n_clusters=number))
      for number in (30, 100)),
    *(Cell(f"independent rows, {number} of {10 * number}",
           partial(rows, n_positives=number, n_rows=10 * number)) for number in (10, 15, 50)),
    *(Cell(f"correlated rows, {number} of {10 * number}",
           partial(rows, n_positives=number, n_rows=10 * number, correlation=0.8))
      for number in (15, 50)),
    *(Cell(f"near copies, {number} of {10 * number}",
           partial(near_copies, n_positives=number, n_rows=10 * number)) for number in (15, 50)),
    Cell("useless feature, 50 of 500", partial(useless, n_positives=50)),
    Cell("useless feature, 200 of 2,000", partial(useless, n_positives=200, n_rows=2000)),
    *(Cell(f"weights to 200, {number} of {10 * number}",
           partial(weighted, n_positives=number, n_rows=10 * number)) for number in (20, 60)),
    *(Cell(f"{number} queries", partial(queries, n_queries=number)) for number in (8, 30, 200)),
    Cell("ten classes of 20 positives", classes),
    Cell("ten classes of 2 positives", partial(classes, n_positives=2, n_rows=100)),
    *(Cell(f"{shape}, {n_positives} of {n_rows}, correlation {correlation:g}",
           partial(shaped, n_positives=n_positives, n_rows=n_rows, shape=shape,
                   correlation=correlation))
      for shape, n_positives, n_rows, correlation in (
          ("narrow", 50, 500, 0.0), ("heavy", 50, 500, 0.0), ("both", 50, 500, 0.0),
          ("narrow", 50, 100, 0.0), ("heavy", 50, 100, 0.0), ("narrow", 50, 100, 0.9),
          ("heavy", 50, 100, 0.9))),
    Cell("precision at 20, 50 of 500",
         lambda rng: _with(rows(rng, 50, 500, 0.5), metric="P@20")),
    *(Cell(f"negatives weigh {weight:g}, {n_positives} of {n_rows:,}",
           partial(heavy, n_positives=n_positives, n_rows=n_rows, weight=weight))
      for weight, n_positives, n_rows in (
          (20, 50, 150), (20, 20, 200), (10, 100, 2000), (5, 50, 150), (5, 50, 500),
          (20, 661, 2000))),
    Cell("10% of negatives weigh 50, 50 of 500",
         partial(heavy, n_positives=50, n_rows=500, weight=50, rate=0.1)),
    *(Cell(f"bursts in {number:,} clusters", partial(bursts, n_clusters=number))
      for number in (300, 1000, 3000)),
    *(Cell(f"about {number // 10} of {number} clusters ill", partial(ill, n_clusters=number))
      for number in (100, 200)),
    Cell("very unequal clusters, 50", partial(unequal, n_clusters=50, sigma=2.0)),
    Cell("both heavy, 50 of 500, correlation 0.9",
         partial(shaped, n_positives=50, n_rows=500, shape="both", correlation=0.9)),
]  # fmt: skip


def _with(drawn, **options):
    y, models, given = drawn
    return y, models, given | options


def false_alarms(cell, rng):
    y, models, given = cell.draw(rng)
    p = compare(y, *models, **given).pvalue
    return p < 0.05, p < 0.01, p < 0.001


# --- power ----------------------------------------------------------------------------------------

POWER = [
    Cell("independent rows, 50 of 500", partial(rows, n_positives=50, n_rows=500, gain=0.7)),
    Cell("correlated rows, 50 of 500",
         partial(rows, n_positives=50, n_rows=500, correlation=0.8, gain=0.3)),
    Cell("strong models, 50 of 100",
         partial(rows, n_positives=50, n_rows=100, correlation=0.9, apart=3.0, gain=0.8)),
    *(Cell(f"near copies, {number} of {10 * number}",
           partial(near_copies, n_positives=number, n_rows=10 * number, gain=0.08))
      for number in (15, 50, 200)),
    *(Cell(f"{number} clusters with positives",
           partial(clustered, n_holding=number, effects="smooth", gain=1.2))
      for number in (5, 10, 20)),
    *(Cell(f"{number} queries", partial(queries, n_queries=number, gain=gain))
      for number, gain in ((8, 1.0), (30, 0.5), (200, 0.2))),
    *(Cell(f"about {number // 10} of {number} clusters ill",
           partial(ill, n_clusters=number, gain=0.7)) for number in (100, 200)),
    Cell("unequal clusters, 30", partial(unequal, n_clusters=30, gain=0.7)),
    *(Cell(f"negatives weigh {weight:g}, {n_positives} of {n_rows:,}",
           partial(heavy, n_positives=n_positives, n_rows=n_rows, weight=weight, gain=0.7))
      for weight, n_positives, n_rows in ((20, 50, 150), (20, 661, 2000), (5, 50, 150))),
]  # fmt: skip


# --- real differences -----------------------------------------------------------------------------


def folds(rng, n_folds, gain=0.2, n_each=200):
    """Folds that are ranked apart, as groups."""
    group = np.repeat(np.arange(n_folds), n_each)
    y = np.tile(np.arange(n_each) < n_each // 10, n_folds)
    y, (first, second), _ = _as_rows(rng, y, 0.8, gain)
    return y, (first, second), {"groups": group}


def _as_rows(rng, y, correlation, gain):
    shared = rng.standard_normal(y.size) * np.sqrt(correlation)
    first, second = shared + np.sqrt(1 - correlation) * rng.standard_normal((2, y.size))
    return y, (first + (1.5 + gain) * y, second + 1.5 * y), {}


def targets(rng, n_queries, rate=1.0, metric=None):
    """Targets with 5 of 100 positives, of which a few are easy, so that values are skewed.

    A fraction `rate` of them isn't at random. The second model is random.
    """
    group = np.repeat(np.arange(n_queries), 100)
    y = np.tile(np.arange(100) < 5, n_queries)
    apart = np.where(rng.random(n_queries) < rate, rng.exponential(1.0, n_queries), 0.0)
    if rate < 1:
        apart = 5 * (apart > 0)
    first, second = rng.standard_normal((2, y.size)) + np.outer([1, 0], apart[group] * y)
    given = {"groups": group} | ({} if metric is None else {"metric": metric})
    return y, (first, second), given


_SIZES = {  # the parameters that say how large a sample is
    clustered: ("n_holding", "n_healthy"), ill: ("n_clusters",), unequal: ("n_clusters",),
    queries: ("n_queries",), folds: ("n_folds",), targets: ("n_queries",),
    rows: ("n_positives", "n_rows"), near_copies: ("n_positives", "n_rows"),
    heavy: ("n_positives", "n_rows"),
}  # fmt: skip


@cache
def _true_values(draw):
    """Return the values of both models in a large sample."""
    given = {"n_healthy": 80} if draw.func is clustered else {}
    given |= draw.keywords
    sizes = _SIZES[draw.func]
    scale = LARGE // (100 * given[sizes[-1]] if draw.func is not rows else given["n_rows"])
    given |= {size: max(scale, 20) * given[size] for size in sizes}
    values = []
    for seed in range(4):
        y, models, options = draw.func(np.random.default_rng(seed), **given)
        options.pop("clusters", None)
        score = metric(options.pop("metric", "AP"))
        values.append([score(y, model, **options) for model in models])
    return np.mean(values, axis=0)


DIFFERENCES = [
    Cell("independent rows, 50 of 500, large",
         partial(rows, n_positives=50, n_rows=500, gain=0.9)),
    Cell("independent rows, 20 of 200, large",
         partial(rows, n_positives=20, n_rows=200, gain=1.5)),
    *(Cell(f"near copies, {number} of {10 * number:,}",
           partial(near_copies, n_positives=number, n_rows=10 * number, gain=0.08))
      for number in (50, 200)),
    *(Cell(f"{number} queries", partial(queries, n_queries=number, gain=gain))
      for number, gain in ((10, 1.0), (30, 0.5))),
    *(Cell(f"{number} folds", partial(folds, n_folds=number)) for number in (5, 10)),
    Cell("about 20 of 200 clusters ill", partial(ill, n_clusters=200, gain=0.7)),
    Cell("20 clusters with positives",
         partial(clustered, n_holding=20, effects="smooth", gain=1.2)),
    *(Cell(f"{number} skewed targets", partial(targets, n_queries=number))
      for number in (12, 30)),
    Cell("negatives weigh 20, 50 of 150",
         partial(heavy, n_positives=50, n_rows=150, weight=20, gain=0.7)),
]  # fmt: skip


def real_differences(cell, rng):
    true = np.subtract(*_true_values(cell.draw))
    y, models, given = cell.draw(rng)
    one = compare(y, *models, **given)
    is_covered, is_significant = one.low <= true <= one.high, one.pvalue < 0.05
    width = one.high - one.low
    return is_covered, is_significant, is_significant and is_covered, width, is_significant * width


# --- losses in rows that a sample may lack --------------------------------------------------------


def failing(rng, n_positives, n_rows, kind, rate, size=0.0, apart=2.0):
    """A copy fails in few rows: they get the lowest score, or negatives rise by `size`."""
    y = np.arange(n_rows) < n_positives
    good = rng.standard_normal(n_rows) + apart * y
    is_hit = rng.random(n_rows) < rate
    bad = np.where(is_hit, good - 20, good) if kind == "rows" else good + size * (is_hit & ~y)
    return y, (bad, good), {}


@cache
def _true_loss(draw):
    """Return what the first model loses in a large sample of the same fraction of positives."""
    given = dict(draw.keywords)
    scale = LARGE // given["n_rows"]
    given = given | {
        "n_positives": scale * given["n_positives"], "n_rows": scale * given["n_rows"]
    }  # fmt: skip
    losses = []
    for seed in range(4):
        y, (bad, good), _ = draw.func(np.random.default_rng(seed), **given)
        losses.append(average_precision_score(y, good) - average_precision_score(y, bad))
    return float(np.mean(losses))


LOSSES = [
    Cell(f"{what}, {n_positives} of {10 * n_positives:,}",
         partial(failing, n_positives=n_positives, n_rows=10 * n_positives, **given))
    for what, numbers, given in (
        ("1% of rows fail", (50, 200), {"kind": "rows", "rate": 0.01}),
        ("5% of rows fail", (20,), {"kind": "rows", "rate": 0.05}),
        ("1% of negatives +1.5", (50, 200), {"kind": "negatives", "rate": 0.01, "size": 1.5}),
        ("0.3% of negatives +4", (50, 200), {"kind": "negatives", "rate": 0.003, "size": 4.0}),
        ("0.5% of negatives on top", (50, 200), {"kind": "negatives", "rate": 0.005, "size": 20.0}),
        ("0.1% of negatives on top", (200,), {"kind": "negatives", "rate": 0.001, "size": 20.0}),
        ("0.08% of negatives on top", (200,), {"kind": "negatives", "rate": 8e-4, "size": 20.0}),
        ("0.03% of negatives on top", (500,), {"kind": "negatives", "rate": 3e-4, "size": 20.0}),
        ("weak model, 5% of rows fail", (50,), {"kind": "rows", "rate": 0.05, "apart": 0.8}),
    )
    for n_positives in numbers
]  # fmt: skip


def wrong_claims(cell, rng):
    """Return whether a verdict with the true loss as the margin is wrong, and whether the interval
    covers, the ends for the margin do, or a note tells that few rows decide.
    """
    loss = _true_loss(cell.draw)
    y, models, given = cell.draw(rng)
    one = compare(y, *models, margin=loss, **given)
    is_wrong = one.verdict in ("equivalent", "no worse")
    is_covered = one.low <= -loss <= one.high
    by_margin_ends = one.margin_low <= -loss <= one.margin_high
    is_told = any(note.code == "few_deciding" for note in one.notes)
    return is_wrong, is_covered, by_margin_ends, is_covered or is_told, one.pvalue < 0.05


COPIES = [
    Cell(f"copies, {n_positives} of {5 * n_positives:,}, margin {margin:g}",
         partial(near_copies, n_positives=n_positives, n_rows=5 * n_positives, noise=0.02), margin)
    for n_positives, margin in (
        (1, 0.1), (2, 0.1), (3, 0.1), (50, 0.05), (200, 0.05), (200, 0.02), (1000, 0.02))
]  # fmt: skip


def equivalent(cell, rng):
    y, models, given = cell.draw(rng)
    one = compare(y, *models, margin=cell.margin, **given)
    return one.verdict == "equivalent", one.verdict == "no worse", one.high - one.low


# --- values ---------------------------------------------------------------------------------------


def of_normal(rng, n_positives, n_rows, apart, spread=1.0, tails=0.0, share_of_odd=0.0):
    y = np.arange(n_rows) < n_positives
    noise = rng.standard_t(tails, n_rows) if tails else rng.standard_normal(n_rows)
    is_high = y | (rng.random(n_rows) < share_of_odd)
    return y, (noise * np.where(y, spread, 1.0) + apart * is_high,), {}


def of_weights(rng, n_positives, n_rows, rate, apart=2.0, weight=100.0):
    """Negatives of which a fraction weighs a lot, or all up to `weight`."""
    y = np.arange(n_rows) < n_positives
    if rate:
        weights = np.where(~y & (rng.random(n_rows) < rate), weight, 1.0)
    else:
        weights = np.where(y, 1.0, weight ** rng.random(n_rows))
    return y, (rng.standard_normal(n_rows) + apart * y,), {"sample_weight": weights}


def of_clusters(rng, n_positives, n_rows, apart=1.5):
    """Clusters of five rows of which the first is positive; `n_positives` have one."""
    cluster = np.arange(n_rows) // 5
    y = (np.arange(n_rows) % 5 == 0) & (cluster < n_positives)
    shared = rng.standard_normal(cluster[-1] + 1)[cluster]
    noise = np.sqrt(0.5) * (shared + rng.standard_normal(n_rows))
    return y, (noise + apart * y,), {"clusters": cluster}


def of_lesions(rng, n_positives, n_rows):
    """Clusters of ten positives, which are found or not, and as many negatives as in `clustered`
    for each.
    """
    n_holding = max(n_positives // 10, 1)
    y, models, given = clustered(rng, n_holding, n_healthy=10 * n_holding)
    return y, models[:1], given


def of_queries(rng, n_positives, n_rows):
    y, models, given = queries(rng, n_rows // 20)
    return y, models[1:], given


def of_classes(rng, n_positives, n_rows):
    y, models, given = classes(rng, 10, n_positives, n_rows)
    return y, tuple(models[:1]), given


def screening(rng, n_positives, n_rows, found):
    """A model finds a fraction of the positives at the top, and ranks all else at random."""
    y = np.arange(n_rows) < n_positives
    score = rng.standard_normal(n_rows)
    return y, np.where(y & (rng.random(n_rows) < found), 5 + score, score)


def of_screening(rng, n_positives, n_rows, found):
    y, score = screening(rng, n_positives, n_rows, found)
    return y, (score,), {}


def two_screenings(rng, n_positives, n_rows, found):
    y, better = screening(rng, n_positives, n_rows, found)
    return y, (better, screening(rng, n_positives, n_rows, 0.0)[1]), {}


def equivalent_at_tenth(cell, rng):
    """Return whether models that differ by more than 0.1 are called equivalent or no better."""
    y, models, _ = cell.draw(rng)
    verdict = compare(y, *models, margin=0.1).verdict
    return verdict == "equivalent", verdict in ("equivalent", "no better")


SCREENING = [
    Cell(f"finds {found:.0%} or none, {n_positives} of {n_rows:,}",
         partial(two_screenings, n_positives=n_positives, n_rows=n_rows, found=found))
    for n_positives, n_rows, found in (
        (3, 1000, 0.15), (5, 1000, 0.15), (10, 1000, 0.15), (20, 2000, 0.12), (20, 2000, 0.2))
]  # fmt: skip

VALUES = [
    *(Cell(f"{found:.0%} found at the top, {n_positives} of {n_rows:,}",
           partial(of_screening, n_positives=n_positives, n_rows=n_rows, found=found))
      for n_positives, n_rows, found in (
          (3, 1000, 0.1), (5, 1000, 0.11), (5, 1000, 0.3), (10, 1000, 0.11), (20, 2000, 0.11))),
    *(Cell(f"weak, {number} of {20 * number:,}",
           partial(of_normal, n_positives=number, n_rows=20 * number, apart=0.8))
      for number in (10, 20, 50, 200)),
    Cell("weak, 10 of 1,000", partial(of_normal, n_positives=10, n_rows=1000, apart=1.5)),
    *(Cell(f"fair, {number} of {10 * number:,}",
           partial(of_normal, n_positives=number, n_rows=10 * number, apart=1.8))
      for number in (5, 20, 50, 200)),
    *(Cell(f"strong, {number} of {10 * number:,}",
           partial(of_normal, n_positives=number, n_rows=10 * number, apart=3.5))
      for number in (20, 50)),
    Cell("random, 30 of 300", partial(of_normal, n_positives=30, n_rows=300, apart=0.0)),
    Cell("half positive, 50 of 100", partial(of_normal, n_positives=50, n_rows=100, apart=1.0)),
    Cell("narrow positives, 50 of 500",
         partial(of_normal, n_positives=50, n_rows=500, apart=1.8, spread=0.6)),
    Cell("t with 3 df, 50 of 100",
         partial(of_normal, n_positives=50, n_rows=100, apart=3.0, tails=3.0)),
    Cell("t with 5 df, 100 of 1,000",
         partial(of_normal, n_positives=100, n_rows=1000, apart=3.0, tails=5.0)),
    Cell("5% of negatives look positive, 60 of 300",
         partial(of_normal, n_positives=60, n_rows=300, apart=3.0, share_of_odd=0.05)),
    Cell("negatives to weight 100, 50 of 500", partial(of_weights, n_positives=50, n_rows=500,
                                                       rate=0.0)),
    *(Cell(f"{rate:.0%} of rows with weight 100, {number} of {10 * number}",
           partial(of_weights, n_positives=number, n_rows=10 * number, rate=rate))
      for rate, number in ((0.02, 20), (0.02, 50), (0.1, 20), (0.3, 10))),
    *(Cell(f"{number} clusters with a positive of {4 * number}",
           partial(of_clusters, n_positives=number, n_rows=20 * number)) for number in (10, 40)),
    *(Cell(f"found or not, {number} clusters with positives",
           partial(of_lesions, n_positives=10 * number, n_rows=20 * number))
      for number in (3, 6, 20)),
    *(Cell(f"MAP of {number} queries",
           partial(of_queries, n_positives=4 * number, n_rows=20 * number))
      for number in (8, 30, 200)),
    Cell("ten classes of 20", partial(of_classes, n_positives=20, n_rows=400)),
]  # fmt: skip
GROUPS = [
    *(Cell(f"{number} skewed targets", partial(targets, n_queries=number))
      for number in (8, 12, 30)),
    *(Cell(f"{number} targets, of which 12% aren't random",
           partial(targets, n_queries=number, rate=0.12)) for number in (12, 30)),
    Cell("EF@5%, 12 skewed targets", partial(targets, n_queries=12, metric="EF@5%")),
    *(Cell(f"{number} queries", partial(queries, n_queries=number)) for number in (8, 12, 30)),
]  # fmt: skip


def covered_over_groups(cell, rng):
    """Return also how wide the interval is compared with that of the t-test of the values."""
    true = _true_values(cell.draw)[0]
    y, (score, _), given = cell.draw(rng)
    one = confidence_interval(y, score, **given)
    n_groups = np.unique(given["groups"]).size
    by_t = 2 * student.ppf(0.975, n_groups - 1) * one.standard_error
    width = one.high - one.low
    return (
        one.low <= true <= one.high,
        one.low > true,
        abs(one.value - true) < by_t / 2,
        width / by_t,
    )


METRICS = [
    Cell(f"{metric}, {n_positives} of {10 * n_positives}",
         partial(of_normal, n_positives=n_positives, n_rows=10 * n_positives, apart=1.8), metric)
    for metric in ("P@20", "R@50", "linear", "11-point")
    for n_positives in (20, 100)
]  # fmt: skip


@cache
def _truth(draw):
    """Return the value in the population: of a large sample, or the mean of many if there are
    several rankings.
    """
    given = dict(draw.keywords)
    if draw.func in (of_queries, of_classes):
        values = []
        for seed in range(10 if draw.func is of_queries else 1):
            many = {"n_positives": 8000, "n_rows": 160_000 if draw.func is of_classes else 40_000}
            y, (score,), options = draw.func(np.random.default_rng(seed), **many)
            values.append(average_precision_score(y, score, **options))
        return float(np.mean(values))
    scale = LARGE // given["n_rows"]
    given = given | {
        "n_positives": scale * given["n_positives"], "n_rows": scale * given["n_rows"]
    }  # fmt: skip
    values = []
    for seed in range(4):
        y, (score,), options = draw.func(np.random.default_rng(seed), **given)
        options.pop("clusters", None)
        values.append(average_precision_score(y, score, **options))
    return float(np.mean(values))


def covered(cell, rng):
    y, (score,), given = cell.draw(rng)
    one, true = confidence_interval(y, score, **given), _truth(cell.draw)
    return one.low <= true <= one.high, one.low > true, one.high - one.low


@cache
def _expectation(cell):
    """Return the mean over samples of this size, which these metrics estimate."""
    rng, values = np.random.default_rng(1), []
    for _ in range(1000):
        y, (score,), _ = cell.draw(rng)
        values.append(metric(cell.margin)(y, score))
    return float(np.mean(values))


def covered_by_metric(cell, rng):
    y, (score,), _ = cell.draw(rng)
    options = {"metric": cell.margin, "random_state": int(rng.integers(2**31))}
    one, true = confidence_interval(y, score, **options), _expectation(cell)
    return one.low <= true <= one.high, one.low > true, one.high - one.low


# --- the run --------------------------------------------------------------------------------------

TABLES = {
    "alarms": (false_alarms, ALARMS, ["p < 0.05", "p < 0.01", "p < 0.001"], 800),
    "power": (false_alarms, POWER, ["p < 0.05", "p < 0.01", "p < 0.001"], 400),
    "differences": (real_differences, DIFFERENCES,
                    ["covered", "p < 0.05", "both", "width", "width if p < 0.05, else 0"], 400),
    "rare": (false_alarms, RARE, ["p < 0.05", "p < 0.01", "p < 0.001"], 800),
    "losses": (wrong_claims, LOSSES,
               ["wrong", "covered", "by margin ends", "or told", "p < 0.05"], 800),
    "copies": (equivalent, COPIES, ["equivalent", "no worse", "width"], 400),
    "screening": (equivalent_at_tenth, SCREENING, ["equivalent", "or no better"], 800),
    "values": (covered, VALUES, ["covered", "too high", "width"], 800),
    "groups": (covered_over_groups, GROUPS,
               ["covered", "too high", "covered by t", "width by t"], 400),
    "metrics": (covered_by_metric, METRICS, ["covered", "too high", "width"], 200),
}  # fmt: skip


def count(table, cell, places):
    """Return how many data sets these are, and the sums and the sums of squares of what is counted.

    The data sets only depend on the cell and their places.
    """
    found = []
    for place in places:
        rng = np.random.default_rng([crc32(f"{table}: {cell.what}".encode()), place])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(TABLES[table][0](cell, rng))
    found = np.array(found, dtype=float)
    return np.array([len(found), *found.sum(axis=0), *(found**2).sum(axis=0)])


def read_counts(file):
    """Return the counts by version, table and cell, as `count` returns them."""
    if not file.exists():
        return {}
    with file.open(newline="") as lines:
        return {tuple(row[:3]): np.array(row[3:], dtype=float) for row in csv.reader(lines)}


def write_counts(file, counts):
    with file.open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        for key, sums in counts.items():
            writer.writerow([*key, *(f"{number:.10g}" for number in sums)])


def describe(sums):
    """Return each mean with its standard error."""
    n_sets, (totals, squares) = sums[0], np.split(sums[1:], 2)
    means = totals / n_sets
    errors = np.sqrt(np.maximum(squares / n_sets - means**2, 0) / n_sets)
    return [f"{mean:.3f} ({error:.3f})" for mean, error in zip(means, errors, strict=True)]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.law", description=__doc__)
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--sets", type=int, help="data sets per cell")
    parser.add_argument("--cell", default="", help="only cells with these words in their names")
    parser.add_argument("--version", default="now", help="what law.csv calls the package")
    parser.add_argument("--file", type=Path, default=RESULTS, help="the counts, law.csv")
    options = parser.parse_args(arguments)
    for table in options.tables or TABLES:
        _, cells, names, usual = TABLES[table]
        print("|", " | ".join([table, "data sets", *names]), "|", flush=True)
        for cell in cells:
            if options.cell not in cell.what:
                continue
            key, n_wanted = (options.version, table, cell.what), options.sets or usual
            sums = read_counts(options.file).get(key, np.zeros(1 + 2 * len(names)))
            while sums[0] < n_wanted:
                n_done = int(sums[0])
                sums = sums + count(table, cell, range(n_done, min(n_done + ROUND, n_wanted)))
                write_counts(options.file, read_counts(options.file) | {key: sums})
            print("|", " | ".join([cell.what, f"{sums[0]:.0f}", *describe(sums)]), "|", flush=True)


if __name__ == "__main__":
    main()
