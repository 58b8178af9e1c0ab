"""Large, tiny and odd numbers: values are exact."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

import sklearn_ap as ap

from . import oracle
from .cases import EXACT as DEFINITIONS
from .oracle import near

AP, ENVELOPE = ap.average_precision_score, ap.interpolated_average_precision_score
BIG = 2**53

EXACT = {
    "large integers": BIG + np.arange(5),
    "the largest integers": np.array([2**64 - 5 + i for i in range(5)], dtype=np.uint64),
    "the smallest integers": np.array([-(2**63) + i for i in range(5)]),
    "neighbors far away": np.array([0, 2**58, 2**59, 2**60 + 1, 2**60 + 2]),
    "beyond int64": np.array([2**70 + i for i in range(5)], dtype=object),
    "beyond floats": np.array([10**400 + i for i in range(5)], dtype=object),
    "small integers": np.arange(5, dtype=np.uint8),
    "big-endian": np.arange(5, dtype=">f8") / 5 - 0.3,
    "big-endian float32": (np.arange(5) / 5 - 0.3).astype(">f4"),
    "big-endian integers": np.arange(5, dtype=">i2"),
    "half precision": np.arange(5, dtype=np.float16),
    "long double": np.longdouble(1) + np.arange(5) * np.finfo(np.longdouble).eps,
    "neighbors": 1 + np.arange(5) * np.finfo(float).eps,
    "neighbors of 3": 3 + np.arange(5) * 2 * np.finfo(float).eps,
    "tiny": np.arange(5) * 5e-324,
    "tiny beside large": np.array([-1e300, -5e-324, 0, 5e-324, 1e300]),
    "around 2": np.array([-4, np.nextafter(2, 0), 2, np.nextafter(2, 3), 4]),
    "on both sides of 2": np.array([-3, 0.5, np.nextafter(2, 0), 2, 3]),
    "booleans": np.array([False, True]),
    "sums beyond floats": np.linspace(1e308, 1.7e308, 5),
}


@pytest.mark.parametrize("groups", [None, [0, 0, 0, 0, 0]])
@pytest.mark.parametrize("scores", EXACT.values(), ids=EXACT)
def test_scores_keep_their_order(scores, groups):
    top = len(scores) - 1
    order = [top - 1, top, 0, top // 2, top // 2]
    labels, scores = np.array([0, 1, 1, 0, 1]), scores[order]
    ranks = np.unique(order, return_inverse=True)[1]
    for name in ("average_precision", "interpolated_average_precision", "average_precision_at_3"):
        metric = ap.metric(name)
        assert metric(labels, scores, groups=groups) == metric(labels, ranks)


def test_the_lowest_score_stays_lowest_if_its_distance_to_the_highest_needs_one_more_bit():
    scores, weight = np.array([2**60 - 1, 0, -(2**60)]), [1, 2, 1]
    assert AP([1, 0, 0], scores, sample_weight=weight) == 1
    assert AP([0, 0, 1], scores, sample_weight=weight) == 1 / 4


@pytest.mark.parametrize("scores", EXACT.values(), ids=EXACT)
def test_thresholds_pick_the_samples_that_they_stand_for(scores):
    labels, scores = np.array([0, 1, 1, 0, 1]), np.resize(scores, 5)
    flagged, hits, thresholds = ap.hit_curve(labels, scores)
    assert [np.mean(scores >= threshold) for threshold in thresholds[1:]] == flagged[1:].tolist()
    recalls = [np.sum(labels * (scores >= threshold)) / 3 for threshold in thresholds[1:]]
    assert recalls == hits[1:].tolist()


LARGE = [0, 2**60, 2**60 + 1]
HELD = {
    "a list with a fraction": [0.5, *LARGE[1:]],
    "the first that a float rounds": [0.5, BIG, BIG + 1],
    "negative integers": [-(2.0**61), -(2**60) - 1, -(2**60)],
    "a column": [[0.5], [2**60], [2**60 + 1]],
    "a tuple with a fraction": (0.5, *LARGE[1:]),
    "objects": np.array([0.5, *LARGE[1:]], dtype=object),
    "floats of NumPy": np.array([np.float64(0.5), *LARGE[1:]], dtype=object),
    **{dtype: pd.Series(LARGE, dtype=dtype) for dtype in ("Int64", "UInt64", "int64[pyarrow]")},
}


@pytest.mark.parametrize("scores", HELD.values(), ids=HELD)
def test_integers_that_floats_would_round(scores):
    assert AP([0, 0, 1], scores) == 1
    assert AP([0, 1, 0], scores) == 0.5
    assert AP([0, 1, 0], scores, groups=[1, 1, 1]) == 0.5
    labels, columns = np.eye(2, dtype=int), 2**70 + np.eye(2, dtype=object)
    assert AP(labels, columns, average=None).tolist() == [1, 1]
    if isinstance(scores, pd.Series):
        table = pd.DataFrame({"label": [0, 0, 1], "score": scores})
        assert AP("label", "score", data=table) == 1


@pytest.mark.parametrize(
    "weight",
    [[2**62, 2**62, 2**62, 3], [2**62] * 4, np.array([2**63, 5, 2**63, 1], dtype=np.uint64)],
)
def test_sums_of_weights_beyond_64_bits(weight):
    labels, scores = [1, 0, 1, 0], [0.1, 0.4, 0.3, 0.2]
    expected = average_precision_score(labels, scores, sample_weight=np.asarray(weight, float))
    assert AP(labels, scores, sample_weight=weight) == pytest.approx(expected)


@pytest.mark.parametrize("n_points", [np.uint8(11), np.int8(11), np.int64(11), np.uint64(11)])
def test_numbers_of_levels_of_any_type(n_points):
    assert ENVELOPE([1, 0, 1], [3, 2, 1], n_points=n_points) == ENVELOPE(
        [1, 0, 1], [3, 2, 1], n_points=11
    )


@pytest.mark.parametrize("weight", [None, [1, 2, 0.5]])
def test_the_largest_number_of_levels(weight):
    options = {"sample_weight": weight}
    value = ENVELOPE([1, 0, 1], [3, 2, 1], n_points=2**62, **options)
    assert value == pytest.approx(ENVELOPE([1, 0, 1], [3, 2, 1], **options))


@pytest.mark.parametrize("target", [0.8, np.float32(0.8), np.float16(0.8), Fraction(4, 5)])
def test_targets_of_any_type(target):
    labels, scores = [1, 0, 1, 1, 1, 0, 0, 0, 1], np.arange(9)[::-1]
    assert ap.precision_at_recall_score(labels, scores, min_recall=target) == 0.8
    assert ap.recall_at_precision_score(labels, scores, min_precision=target) == 0.8


def test_zeros_of_both_signs_are_tied():
    assert AP([1, 0], [0.0, -0.0]) == 0.5
    assert AP([1, 0, 0, 0, 0], [0.0, 1e300, 1e301, -0.0, 1.1e301]) == 0.2
    for scores in ([-0.0, 0.0, -1.0], [0.0, -0.0, -1.0]):
        assert ap.interpolated_precision_recall_curve([1, 0, 1], scores)[2].tolist() == [-1, 0]


# --- counts and levels of recall ------------------------------------------------------------------


@pytest.mark.parametrize("n_positives", [10_007, 10_007.0])
def test_levels_of_recall_are_compared_in_integers(n_positives):
    """Recalls of 7016/10007 are within a few units in the last place of a level."""
    labels, n_points = np.repeat([1, 0, 1], [3016, 20, 6991]), 2**20
    at_one = 3016 * (n_points - 1) // 10_007 + 1
    expected = (at_one + (n_points - at_one) * Fraction(10_007, labels.size)) / n_points
    options = {"n_points": n_points, "n_positives": n_positives}
    assert ENVELOPE(labels, -np.arange(labels.size), **options) == near(expected)
    options["n_positives"] = 2**60 + 1  # as Python's integers
    assert ENVELOPE(labels, -np.arange(labels.size), **options) == near(Fraction(1, n_points))


def test_the_levels_of_pycocotools():
    """Of np.linspace(0, 1, 11), three are above the decimals that they stand for."""
    labels, scores = [1] * 3 + [0] + [1] * 7, range(11, 0, -1)
    assert ap.eleven_point_average_precision_score(labels, scores) == near(Fraction(114, 121))
    value = ap.eleven_point_average_precision_score(labels, scores, grid="float")
    assert value == near(oracle.float_grid(labels, scores, n_points=11))
    assert value < 114 / 121 - 0.004


SHARES = (0.1, 0.3, 0.7, 1 / 3, 1 / 7000, 5e-324, 0.1 + 0.2, 1 - 2**-53, 1.0, 0)


@pytest.mark.parametrize("least", SHARES)
@pytest.mark.parametrize("n_positives", [3, 10, 7000, 10**5, BIG])
def test_targets_with_any_number_of_digits(least, n_positives):
    labels, scores = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]
    for name, option in (
        ("precision_at_recall", "min_recall"),
        ("recall_at_precision", "min_precision"),
    ):
        options = {option: least, "n_positives": n_positives}
        exact = DEFINITIONS[name](labels, scores, **options)
        assert getattr(ap, f"{name}_score")(labels, scores, **options) == near(exact)


def test_hits_that_reach_a_decimal_exactly():
    """3/10 is below 0.3 + eps, and 0.1 * 3 above it."""
    labels = np.arange(10) < 3
    assert ap.recall_at_precision_score(labels, -np.arange(10), min_precision=0.3) == 1
    assert ap.precision_at_recall_score(labels, -np.arange(10) % 7, min_recall=1 / 3) > 0


# --- weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize("few", [(1e-200, 1e200), (1e-200, 0.5, 1.0, 1e200, 1e-300, 1e300)])
@pytest.mark.parametrize("name", ["average_precision", "precision_at_3", "recall_at_10%"])
def test_weights_hundreds_of_orders_of_magnitude_apart(name, few):
    metric, rng = (
        ap.metric(name, **({"k_counts": "weight"} if "at" in name else {})),
        np.random.default_rng(0),
    )
    rule = DEFINITIONS[name.split("_at_")[0] + ("_at_k" if "_at_" in name else "")]
    options = {"k": metric._rule.k} if metric._rule.k else {}
    for _ in range(20):
        labels, scores = np.append([1, 0], rng.integers(0, 2, 30)), rng.integers(0, 12, 32)
        weight = rng.choice(few, 32)
        expected = float(rule(labels, scores, weight, **options))
        assert metric(labels, scores, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


def test_whole_weights_of_many_rows_do_not_overflow():
    weight, scores = np.repeat(2**50, 4 * 2**10), np.tile([4, 3, 2, 1], 2**10)
    value = AP(np.tile([1, 0, 1, 0], 2**10), scores, sample_weight=weight)
    assert value == pytest.approx((1 + 2 / 3) / 2)


def test_whole_weights_beyond_64_bits():
    labels, scores, weight = [1, 0, 1, 0], [4, 3, 2, 1], [1e20, 2e20, 3e20, 4.0]
    expected = near(oracle.step(labels, scores, weight))
    assert AP(labels, scores, sample_weight=weight) == expected


def test_rounding_of_weights_misses_no_level():
    """Ten weights of 0.1 sum to less than 1."""
    labels, scores, weight = np.arange(20) % 2 == 0, -np.arange(20), np.full(20, 0.1)
    weight[-1] = 0.3
    values = [
        ap.precision_at_recall_score(labels, scores, sample_weight=weight, min_recall=least / 10)
        for least in range(1, 11)
    ]
    assert values == pytest.approx([1, *(n / (2 * n - 1) for n in range(2, 11))])


def test_a_million_samples():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(10**6) < 0.01, rng.random(10**6).astype(np.float32)
    assert AP(labels, scores) == pytest.approx(average_precision_score(labels, scores), abs=1e-12)


@pytest.mark.parametrize("decimals", [2, 9])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_more_rows_than_are_sorted_at_once(decimals, dtype):
    rng = np.random.default_rng(0)
    n = 100_001
    labels, groups = rng.integers(0, 2, n), rng.integers(0, 9, n)
    scores = rng.normal(size=n).round(decimals).astype(dtype)
    of_rows = average_precision_score(labels, scores)
    assert AP(labels, scores) == pytest.approx(of_rows)
    for weight in (rng.integers(0, 4, n), rng.random(n)):
        weighted = average_precision_score(labels, scores, sample_weight=weight)
        assert AP(labels, scores, sample_weight=weight) == pytest.approx(weighted)
    each = [average_precision_score(labels[groups == g], scores[groups == g]) for g in range(9)]
    assert AP(labels, scores, groups=groups, average=None) == pytest.approx(each)
    matrix = np.column_stack([labels, 1 - labels]), np.column_stack([scores, scores])
    assert AP(*matrix, average=None)[0] == pytest.approx(of_rows)
    top = ap.precision_at_k_score(labels, scores, k=50_000, ties="best")
    order = np.lexsort([-labels, -scores])
    assert top == pytest.approx(labels[order[:50_000]].mean())


@pytest.mark.parametrize("function", [AP, ENVELOPE])
def test_groups_of_many_rows(function):
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2, 3], [300, 3, 1, 200])
    labels, scores, weight = rng.integers(0, 2, 504), rng.random(504), rng.random(504)
    labels[[300, 303]] = 1
    for options in ({}, {"sample_weight": weight}):
        each = [
            function(labels[rows], scores[rows], **{name: of[rows] for name, of in options.items()})
            for rows in (group == number for number in range(4))
        ]
        value = function(labels, scores, groups=group, average=None, **options)
        assert value == pytest.approx(each)


@pytest.mark.parametrize("exponent", [-1010, -520, 520, 1010])  # 0.25 * 2**-1010 is 2e-305
@pytest.mark.parametrize("name", ["AP", "envelope AP", "11-point", "linear", "R-precision"])
def test_extreme_weights_are_like_their_multiples(name, exponent):
    rng = np.random.default_rng(0)
    labels, scores, weight = rng.integers(0, 2, 60), rng.random(60), rng.random(60) + 0.25
    metric, far = ap.metric(name), np.ldexp(weight, exponent)
    assert metric(labels, scores, sample_weight=far) == metric(labels, scores, sample_weight=weight)
    for function in (ap.hit_curve, ap.interpolated_precision_recall_curve):
        value = function(labels, scores, sample_weight=far)
        expected = function(labels, scores, sample_weight=weight)
        for ours, theirs in zip(value, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("name", ["AP", "envelope AP", "linear", "R-precision", "R@50%", "EF@50%"])
def test_the_smallest_weights_are_like_their_multiples(name):
    rng = np.random.default_rng(0)
    labels, scores, weight = rng.integers(0, 2, 60), rng.random(60), rng.integers(1, 5, 60)
    metric = ap.metric(name)
    if metric._rule.k is not None:  # With whole weights, a fraction is rounded up to rows.
        metric = ap.metric(metric, k_counts="samples")
    tiny = metric(labels, scores, sample_weight=weight * 5e-324)
    assert tiny == pytest.approx(metric(labels, scores, sample_weight=weight))
