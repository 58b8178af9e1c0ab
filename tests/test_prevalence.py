"""prevalence= gives what weights by hand give, everywhere."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap.compat import explain, identify

from .examples import AP

P = 0.01
rng = np.random.default_rng(0)
Y = (rng.random(300) < 0.3).astype(int)
DATA = pd.DataFrame(
    {
        "y": Y,
        "a": np.round(rng.normal(Y), 1),
        "b": np.round(rng.normal(0.7 * Y), 1),
        "w": rng.integers(0, 4, Y.size),
        "g": rng.integers(0, 6, Y.size),
    }
)
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


@pytest.mark.parametrize("y", [[1, 1], [0, 0]])
def test_without_positives_or_negatives_nothing_is_weighted(y):
    value = partial(AP, y, [1, 2], zero_division=0.0)
    assert value(prevalence=P) == value()


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


# --- weights that happen to be whole: a fraction k is never rounded up ----------------------------

# 10 positives and 30 negatives, so that a negative weighs 1, 3 or 9. Group "a" has only positives.
WHOLE = pd.DataFrame(
    {
        "y": [1, 1, 1, 0, 1, 0, 1, 1, 0, 0] + [0, 1, 0, 0, 1] * 2 + [0] * 20,
        "s": [9.0, 8, 7, 7, 6, 6, 6, 5, 5, 4] + [3, 3, 2, 2, 1] * 2 + [4, 3, 2, 1, 0] * 4,
        "g": ["a"] * 3 + ["b", "c"] * 16 + ["a", "b", "c", "c", "b"],
    }
)
WHOLE.loc[(WHOLE["g"] == "a") & (WHOLE["y"] == 0), "g"] = "b"
SHARES = {
    "P": ap.precision_at_k_score,
    "R": ap.recall_at_k_score,
    "EF": ap.enrichment_factor_score,
    "AP": ap.average_precision_at_k_score,
}


def exactly(metric, k, prevalence, **given):
    """The value by hand: weights on a scale on which none of them is whole."""
    y = WHOLE["y"].to_numpy()
    weight = np.pi * np.where(y == 1, 1, y.sum() * (1 - prevalence) / (prevalence * sum(1 - y)))
    columns = y, WHOLE["s"], {"sample_weight": weight, "k": k, "k_counts": "weight", **given}
    return pytest.approx(metric(*columns[:2], **columns[2]), abs=1e-12)


@pytest.mark.sweep(12)
@pytest.mark.filterwarnings("ignore:A few negatives of weight")
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("prevalence", [0.25, 0.1, 1 / 28, 0.2])
def test_a_fraction_of_whole_weights(prevalence, name, grouped):
    groups = {"groups": WHOLE["g"]} if grouped else {}
    for k in (0.3, 0.01, 0.07, 0.25, 1.0):
        metric, one = SHARES[name], ap.metric(f"{name}@{100 * k:g}%")
        expected = exactly(metric, k, prevalence, **groups)
        given = {"prevalence": prevalence, **groups}
        assert metric(WHOLE["y"], WHOLE["s"], k=k, **given) == expected
        assert (
            metric(list(WHOLE["y"]), list(WHOLE["s"]), k=k, k_counts="weight", **given) == expected
        )
        assert one(WHOLE["y"], WHOLE["s"], **given) == expected
        for method in ("auto", "bootstrap"):
            options = {"metric": one.definition, "method": method, "n_resamples": 9, **given}
            assert ap.confidence_interval(WHOLE["y"], WHOLE["s"], **options).value == expected
        own = ap.metric(one.definition, prevalence=prevalence)
        for metrics, besides in ((one, given), (own, groups)):
            rows = ap.report(WHOLE["y"], WHOLE["s"], metrics=metrics, n_resamples=9, **besides).rows
            assert rows[0].value == expected


def test_resamples_of_whole_weights():
    """Intervals, displays, thresholds and explanations also cut at the exact fraction."""
    y, weight = WHOLE["y"].to_numpy(), np.where(WHOLE["y"] == 1, np.pi, 3 * np.pi)
    for given in ({}, {"groups": WHOLE["g"]}):
        scaled = {"sample_weight": weight, **given}
        ours = {"prevalence": 0.1, **given}
        for name in ("P@7%", "R@7%", "EF@7%", "AP@7%"):
            one, other = (
                ap.confidence_interval(
                    y,
                    WHOLE["s"],
                    metric=ap.metric(name, k_counts="weight"),
                    n_resamples=19,
                    random_state=0,
                    method="bootstrap",
                    **options,
                )
                for options in (scaled, ours)
            )
            assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-9)
    point = ap.operating_point(y, WHOLE["s"], k=0.025, prevalence=0.1)
    expected = ap.operating_point(y, WHOLE["s"], k=0.025, k_counts="weight", sample_weight=weight)
    assert (point.threshold, point.n_flagged) == (expected.threshold, expected.n_flagged) == (7, 4)
    draw = ap.AveragePrecisionDisplay.from_predictions
    value = exactly(ap.average_precision_at_k_score, 0.073, 0.1)
    plain, own = ap.metric("AP@7.3%"), ap.metric("AP@7.3%", prevalence=0.1)
    for metric, given in (
        (plain, {"prevalence": 0.1}),
        ("AP@7.3%", {"prevalence": 0.1}),
        (own, {}),
    ):
        assert draw(y, WHOLE["s"], metric=metric, **given).value == value
    found = explain(y, WHOLE["s"], k=0.073, prevalence=0.1).to_dict()["AP@7.3% / min"]
    assert found["value"] == value
    known = identify(f"{found['value']:.9f}", y, WHOLE["s"], k=0.073, prevalence=0.1)
    assert "AP@7.3% / min" in known.names


def test_a_fraction_that_ends_at_a_sample():
    """0.07 * 100 is 7.000000000000001 as a float, but the first seven samples are enough."""
    y, s = np.repeat([1, 0], [10, 30]), np.arange(40, 0, -1)
    point = ap.operating_point(y, s, k=0.07, prevalence=0.1)
    assert (point.threshold, point.n_flagged) == (34, 7)


def test_whole_weights_of_a_caller_are_repeated_rows():
    """3/10 of 4 rows, or of weights that stand for them, are 2 rows."""
    value = partial(ap.precision_at_k_score, [1, 0, 0, 0], [3, 2, 1, 0], k=0.3)
    assert value() == value(sample_weight=[1, 1, 1, 1]) == 0.5
    assert value(prevalence=0.25) == pytest.approx(1 / 1.2, abs=1e-12)


def test_a_count_with_a_prevalence_counts_rows():
    metric = ap.metric("AP@3", prevalence=P)
    draw = ap.AveragePrecisionDisplay.from_predictions
    for call in (
        partial(ap.average_precision_at_k_score, k=3, prevalence=P),
        partial(ap.operating_point, k=3, prevalence=P),
        partial(explain, k=3, prevalence=P),
        partial(ap.report, metrics=metric),
        partial(draw, metric=metric),
        metric,
    ):
        with pytest.raises(ValueError, match=r"k=3 can't be a total weight with prevalence"):
            call(Y, PLAIN["a"])
