"""prevalence= gives what weights by hand give, everywhere."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap.compat import explain
from sklearn_ap.dask import lazy_score
from sklearn_ap.streaming import MetricAccumulator

from .errors import AP

P = 0.01
rng = np.random.default_rng(0)
Y = (rng.random(300) < 0.3).astype(int)
DATA = pd.DataFrame({
    "y": Y,
    "a": np.round(rng.normal(Y), 1),
    "b": np.round(rng.normal(0.7 * Y), 1),
    "w": rng.integers(0, 4, Y.size),
    "g": rng.integers(0, 6, Y.size),
})  # fmt: skip
PLAIN = {name: DATA[name].to_numpy() for name in DATA}


def by_hand(weight=None, exist=None):
    """Weights with which the positives make up P of everything."""
    weight = np.ones(Y.size) if weight is None else weight
    positives = weight[Y == 1].sum() if exist is None else exist
    factor = positives * (1 - P) / (P * weight[Y == 0].sum())
    return np.where(Y == 1, weight, factor * weight)


def test_an_example_by_hand():
    """Each of the three negatives weighs 6, so that the two positives are 2 of 20."""
    value = AP([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5], prevalence=0.1)
    assert value == pytest.approx((1 + 2 / 8) / 2, abs=1e-15)


def test_labels_and_grades_and_columns_of_one():
    expected = AP(Y, PLAIN["a"], prevalence=P)
    assert AP(np.where(Y, "bad", "good"), PLAIN["a"], pos_label="bad", prevalence=P) == expected
    assert AP(Y * 3, PLAIN["a"], min_grade=2, prevalence=P) == expected
    expected = AP(Y, PLAIN["a"], sample_weight=PLAIN["w"], prevalence=P)
    weight = PLAIN["w"].reshape(-1, 1)
    assert AP(DATA[["y"]], DATA["a"], sample_weight=weight, prevalence=P) == expected


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("exist", [None, 402.0])
@pytest.mark.parametrize(
    "name", ["AP", "11-point", "P@5%", "EF@5%", "precision_at_recall_0.8", "P@10"]
)
def test_metrics(name, weighted, grouped, exist):
    given = {"groups": PLAIN["g"]} if grouped else {}
    given |= {"k_counts": "samples"} if name == "P@10" else {}
    if exist:
        given["n_positives"] = dict.fromkeys(range(6), exist / 6) if grouped else exist
    metric = partial(ap.metric(name), PLAIN["y"], PLAIN["a"], **given)
    by_weight = {"k_counts": "weight"} if name.endswith("%") else {}
    weight = by_hand(PLAIN["w"] if weighted else None, exist)
    expected = metric(sample_weight=weight, **by_weight)
    own = {"sample_weight": PLAIN["w"]} if weighted else {}
    assert metric(prevalence=P, **own) == pytest.approx(expected, abs=1e-12)


CALLS = {
    "curve": lambda y, a, b, **o: np.concatenate(ap.interpolated_precision_recall_curve(y, a, **o)),
    "hits": lambda y, a, b, **o: np.concatenate(ap.hit_curve(y, a, **o)),
    "threshold": lambda y, a, b, **o: ap.operating_point(y, a, min_recall=0.8, **o).precision,
    "bounds": lambda y, a, b, **o: ap.metric_bounds(y, a, n_bins=20, **o).low,
    "interval": lambda y, a, b, **o: ap.confidence_interval(y, a, **o).high,
    "comparison": lambda y, a, b, **o: ap.compare(y, a, b, **o).pvalue,
    "influence": lambda y, a, b, **o: ap.influence(y, a, **o),
    "report": lambda y, a, b, **o: ap.report(y, {"a": a, "b": b}, metrics="AP", **o).rows[0].low,
    "display": lambda y, a, b, **o: ap.AveragePrecisionDisplay.from_predictions(y, a, **o).value,
    "hit display": lambda y, a, b, **o: ap.HitCurveDisplay.from_predictions(y, a, **o).value,
    "explanation": lambda y, a, b, **o: [row.value for row in explain(y, a, **o).rows],
}


@pytest.mark.filterwarnings("ignore:A few negatives")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_other_functions(call):
    columns = PLAIN["y"], PLAIN["a"], PLAIN["b"]
    expected = call(*columns, sample_weight=by_hand(PLAIN["w"]))
    value = call(*columns, sample_weight=PLAIN["w"], prevalence=P)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("y", [[1, 1], [0, 0]])
def test_without_positives_or_negatives_nothing_is_weighted(y):
    value = partial(AP, y, [1, 2], zero_division=0.0)
    assert value(prevalence=P) == value()


def test_bounds_and_groups_of_a_stream():
    found = MetricAccumulator(n_bins=20).update(Y, PLAIN["a"]).bounds(prevalence=P)
    assert found.low <= AP(Y, PLAIN["a"], prevalence=P) <= found.high
    options = {"k": 3, "k_counts": "samples", "prevalence": P}
    given = {"sample_weight": np.ones(Y.size), "groups": PLAIN["g"]}
    stream = MetricAccumulator().update(Y, PLAIN["a"], **given)
    expected = ap.precision_at_k_score(Y, PLAIN["a"], groups=PLAIN["g"], **options)
    assert stream.result("precision_at_k", **options) == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:A few negatives")
def test_a_metric_with_a_prevalence():
    """It has the meaning that it has as an argument, wherever a metric can be passed."""
    metric, models = ap.metric("P@5%", prevalence=P), {"a": PLAIN["a"], "b": PLAIN["b"]}
    value = ap.precision_at_k_score(Y, PLAIN["a"], k=0.05, prevalence=P)
    assert ap.confidence_interval(Y, PLAIN["a"], metric=metric, n_resamples=9).value == value
    drawn = ap.metric("AP@5%", prevalence=P)
    display = ap.AveragePrecisionDisplay.from_predictions(Y, PLAIN["a"], metric=drawn)
    assert display.value == drawn(Y, PLAIN["a"])
    rows = ap.report(Y, models, metrics=[metric, "P@5%"], n_resamples=9).rows
    assert rows[0].value == value > 0
    assert rows[2].value == ap.precision_at_k_score(Y, PLAIN["a"], k=0.05)


def test_lazy_values_of_dask():
    dask = pytest.importorskip("dask.array")
    y, s = dask.from_array(Y, chunks=100), dask.from_array(PLAIN["a"], chunks=100)
    value = lazy_score(ap.precision_at_k_score, y, s, k=0.05, prevalence=P).compute()
    assert value == pytest.approx(ap.precision_at_k_score(Y, PLAIN["a"], k=0.05, prevalence=P))


def test_numbers_of_positives_are_added_up_as_floats():
    value = partial(AP, Y, PLAIN["a"], groups=np.repeat(["a", "b"], Y.size // 2), prevalence=P)
    one, other = (value(n_positives=dict.fromkeys("ab", make(200))) for make in (int, np.uint8))
    assert one == other


@pytest.mark.parametrize("exist", [[300], np.array([1, 2]), {"a": "x"}, -1, {"a": np.nan}])
def test_wrong_numbers_of_positives_are_refused_as_without_a_prevalence(exist):
    groups = ["a"] * Y.size if isinstance(exist, dict) else None
    words = []
    for prevalence in (None, P):
        with pytest.raises((TypeError, ValueError)) as error:
            AP(Y, PLAIN["a"], groups=groups, n_positives=exist, prevalence=prevalence)
        words.append(str(error.value))
    assert words[0] == words[1]


@pytest.mark.filterwarnings("ignore:A few negatives")
def test_values_of_groups_in_a_report():
    given = {"groups": PLAIN["g"], "prevalence": P}
    report = ap.report(Y, PLAIN["a"], metrics="P@10%", n_resamples=9, **given)
    expected = ap.precision_at_k_score(Y, PLAIN["a"], k=0.1, average=None, **given)
    assert report.per_group().iloc[:, 0].tolist() == expected.tolist()
