"""Weights have no unit: nothing changes if all of them and `n_positives` are multiplied by the
same number.

That holds for values, intervals, headers and counts of all metrics except those that are cut at a
k of weight, whose unit is that of the weights.
"""

import numpy as np
import pytest

import sklearn_ap as ap

from .registry import SOME, definition_of, has_function

UNITS = (1e-3, 0.1, 0.5, 2, 7 / 3, 10, 1e6)
CLASSES = ("cat", "dog", "eel")
KINDS = ("one ranking", "micro", "columns", "named columns", "groups")

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("few_random_orders"),
]


def is_cut_by_weight(rule):
    return rule.cut is not None and not rule.cut.counts_rows


METRICS = [
    ap.metric(name, **options)
    for rule in filter(has_function, SOME)
    if rule.takes_weights and rule.ties == "grouped" and not is_cut_by_weight(rule)
    for name, options in [definition_of(rule)]
]
METRICS += [
    ap.metric("interpolated_average_precision", n_points=n_points, grid=grid)
    for n_points in (11, 101)
    for grid in ("exact", "float")
]
METRICS += [ap.metric(name) for name in ("VOC07", "linear")]


def draw_call(rng, kinds=KINDS):
    """Draw a metric, the labels and scores of one kind of rankings, weights, and arguments.

    Some positives have no row, and those that have one are counted by weight.
    """
    metric, kind = rng.choice(METRICS), rng.choice(kinds)
    n_rows = int(rng.integers(4, 40))
    has_columns = kind in ("micro", "columns", "named columns")
    shape = (n_rows, len(CLASSES)) if has_columns else (n_rows,)
    labels = (rng.random(shape) < rng.choice([0.2, 0.5, 0.8])).astype(int)
    labels[0], labels[1] = 1, 0
    scores = np.round(rng.random(shape), rng.choice([1, 3]))
    weights = np.ones(n_rows)
    if metric.rule.takes_weights and rng.random() < 0.5:
        weights = rng.choice([1, 2, 5.5], n_rows)
    missing, given = rng.integers(0, 4, len(CLASSES)), {}
    if kind == "groups":
        groups = rng.integers(0, 2, n_rows)  # and a third one without rows
        counts = np.bincount(groups, weights * labels, len(CLASSES)) + missing
        given = {"groups": groups, "n_positives": dict(enumerate(counts.tolist()))}
    elif kind == "one ranking":
        given = {"n_positives": float(weights @ labels + missing[0])}
    elif kind == "micro":
        given = {"average": "micro", "n_positives": float((weights @ labels + missing).sum())}
    else:
        counts = weights @ labels + missing
        given = {"average": None, "n_positives": counts}
        if kind == "named columns":
            pd = pytest.importorskip("pandas")
            labels, scores = (pd.DataFrame(each, columns=CLASSES) for each in (labels, scores))
            given["n_positives"] = dict(zip(CLASSES, counts.tolist(), strict=True))
    return metric, labels, scores, weights, given


def in_unit(unit, weights, given):
    """Return arguments whose weights and n_positives are multiplied by a number."""
    counts = given["n_positives"]
    if isinstance(counts, dict):
        counts = {name: number * unit for name, number in counts.items()}
    else:
        counts = counts * unit
    return given | {"sample_weight": weights * unit, "n_positives": counts}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("seed", range(10))
def test_no_value_depends_on_the_unit_of_weights(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        metric, labels, scores, weights, given = draw_call(rng)
        unit = float(rng.choice(UNITS))
        expected = metric(labels, scores, **in_unit(1, weights, given))
        value = metric(labels, scores, **in_unit(unit, weights, given))
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12), (metric, unit, given)


def near(value):
    if isinstance(value, dict):
        return {name: near(each) for name, each in value.items()}
    if isinstance(value, list):
        return [near(each) for each in value]
    return pytest.approx(value, rel=1e-8, abs=1e-11, nan_ok=True) if type(value) is float else value


def count_in_clusters(clusters, groups, labels, weights):
    """Count the positives of each cluster, or of each pair of group and cluster, and one more."""
    counts = {}
    for row, cluster in enumerate(clusters.tolist()):
        key = cluster if groups is None else (int(groups[row]), cluster)
        counts[key] = counts.get(key, 1.0) + float(labels[row] * weights[row])
    return counts


def compute_results(metric, labels, scores, other, given):
    given = given | {"n_resamples": 30, "random_state": 0}
    return [
        ap.confidence_interval(labels, scores, metric=metric, **given),
        ap.compare(labels, scores, other, metric=metric, **given),
        ap.report(labels, {"a": scores, "b": other}, metrics=metric, **given),
    ]


@pytest.mark.sweep(6)
@pytest.mark.parametrize("counted", ["all", "clusters"])
@pytest.mark.parametrize("seed", range(12))
def test_no_result_depends_on_the_unit_of_weights(seed, counted):
    """Neither does what a result prints, or how many rows and positives it counts."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        metric, labels, scores, weights, given = draw_call(rng, ("one ranking", "groups"))
        if counted == "clusters":
            clusters = rng.integers(0, 6, len(labels))
            counts = count_in_clusters(clusters, given.get("groups"), labels, weights)
            given |= {"clusters": clusters, "n_positives": counts}
        other = np.round(rng.random(len(labels)), 2)
        unit = float(rng.choice(UNITS))
        of_rows = metric, labels, scores, other
        results = [compute_results(*of_rows, in_unit(n, weights, given)) for n in (1, unit)]
        for before, after in zip(*results, strict=True):
            assert str(after) == str(before), (metric, unit)
            assert after.to_dict() == near(before.to_dict()), (metric, unit)


@pytest.mark.parametrize("unit", UNITS)
def test_a_report_counts_rows(unit):
    """A missing positive counts as one that weighs what those with a row do on average."""
    labels, scores = np.array([1, 1, 0, 0]), np.array([0.9, 0.2, 0.8, 0.1])
    for weights, missing in (([1, 1, 1, 1], 5), ([1, 3, 1, 1], 10)):
        weights = unit * np.array(weights)
        given = {"sample_weight": weights, "n_positives": weights[:2].sum() + missing * unit}
        for metric in ("AP", "11-point"):
            (row,) = ap.report(labels, scores, metrics=metric, n_resamples=9, **given)
            assert row.n_positives == 7
            assert "7 positives" in row.basis
