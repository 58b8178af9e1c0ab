"""Sample weights of every size: values are exact, and a constant weight changes nothing."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap.core.operating_points import from_groups, join

from . import oracle
from .oracle import near
from .registry import DEFINITIONS, RULE_OF, value_of
from .units import contributions_by_name

STEP = ap.average_precision_score
ENVELOPE = ap.interpolated_average_precision_score
EACH = STEP, ENVELOPE, ap.eleven_point_average_precision_score
FULL_WEIGHTED = [
    name
    for name, rule in RULE_OF.items()
    if DEFINITIONS[name].score and rule.cut is None and rule.takes_weights
]


@pytest.mark.parametrize(
    ("weight", "n_points"),
    [
        ([1e6, 1e6, 1e-4], 2),
        ([10**12, 10**12, 1], 2),
        ([2**50, 2**50, 3], 11),
        ([3 * 10**14 - 1, 10**14, 7 * 10**14 + 1], 11),
        pytest.param([3 * 10**14, 10**14, 7 * 10**14], 2**20, marks=pytest.mark.slow),
    ],
)
def test_recall_levels_with_weights_of_all_sizes(weight, n_points):
    actual = ENVELOPE([1, 0, 1], [3, 2, 1], n_points=n_points, sample_weight=weight)
    assert actual == near(oracle.n_point([1, 0, 1], [3, 2, 1], weight, n_points=n_points))


def test_heavy_weights_over_many_columns():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (8, 256)), rng.random((8, 256))
    labels[0] = 1
    for average in ("micro", "macro"):
        options = {"average": average, "n_points": 2**20}
        for weight in (2**36, 2**50):
            weighted = ENVELOPE(labels, scores, sample_weight=np.full(8, weight), **options)
            assert weighted == near(ENVELOPE(labels, scores, **options))


@pytest.mark.parametrize("weight", [5e-324, 1e-310, 1e-200, 1e200, 1e306])
@pytest.mark.parametrize("score", EACH)
def test_constant_weights_of_any_size_change_nothing(score, weight):
    labels, scores = [1, 0, 0, 1, 1, 0, 1, 0], [8, 7, 6, 5, 5, 4, 3, 3]
    weights = np.full(8, weight)
    assert score(labels, scores, sample_weight=weights) == near(score(labels, scores))
    columns = np.column_stack([labels, scores > np.float64(5)]), np.column_stack([scores, labels])
    for average in ("macro", "weighted", "micro"):
        weighted = score(*columns, average=average, sample_weight=weights)
        assert weighted == near(score(*columns, average=average))


@pytest.mark.parametrize(
    ("heavy", "light"), [(1e300, 1e-300), (1e20, 1e-300), (1e300, 1e-20), (1, 5e-324)]
)
def test_queries_whose_weights_are_worlds_apart(heavy, light):
    labels, scores = [1, 0, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1]
    options = {"average": None, "sample_weight": [heavy] * 3 + [light] * 3}
    each = ap.mean_average_precision_score(labels, scores, groups=[0, 0, 0, 1, 1, 1], **options)
    assert each == pytest.approx([5 / 6] * 2, abs=1e-12)
    columns = np.array([[1, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 1]])
    for score in EACH:
        assert score(columns, 2 * columns, **options) == pytest.approx([1, 1], abs=1e-12)


@pytest.mark.parametrize("heavy", [1.5, 1e8, 1e12, 1e17])
@pytest.mark.parametrize("n_columns", [None, 2])
def test_a_light_sample_above_a_heavy_one(heavy, n_columns):
    one = [0, 1], [2, 1], [0.3, heavy]
    tied = [1, 0, 1, 0], [4, 3, 3, 2], [heavy, 0.25, 0.5, heavy]
    for (*ranking, weight), k in [(one, 1), (tied, int(heavy) + 1)]:
        hits = oracle.precision_at_k(*ranking, weight, k=k)
        area = oracle.at_k(*ranking, weight, k=k, denominator="k")
        if n_columns:
            ranking = [np.column_stack([column] * n_columns) for column in ranking]
        options = {"k": k, "sample_weight": weight}
        assert ap.precision_at_k_score(*ranking, **options) == pytest.approx(float(hits), rel=1e-12)
        found = ap.average_precision_at_k_score(*ranking, denominator="k", **options)
        assert found == pytest.approx(float(area), rel=1e-12)


@pytest.mark.parametrize("average", [None, "micro", "weighted"])
@given(st.integers(0, 2**32), st.integers(2, 12))
def test_no_score_leaves_the_unit_interval(average, seed, n):
    """With tiny negative weights and large ones, rounded sums must not lift a precision above 1."""
    rng = np.random.default_rng(seed)
    labels, scores = rng.random((n, 3)) < 0.8, rng.integers(0, 5, (n, 3))
    labels[0] = True
    weight = rng.random(n) * 10.0 ** rng.integers(-17, 3, n)
    for score in (STEP, ENVELOPE, ap.average_precision_at_k_score):
        value = score(labels, scores, average=average, sample_weight=weight)
        assert 0 <= np.min(value) <= np.max(value) <= 1


@pytest.mark.parametrize(
    ("score", "options", "expected"),
    [
        *(
            (STEP, {"n_positives": four}, 5 / 12)
            for four in (np.float16(4), np.int8(4), Fraction(4))
        ),
        # Of the 11 levels, 5 are reached with precision 1, 4 with 2/3, and 2 are not.
        (EACH[2], {"sample_weight": [1, 1, 1], "n_positives": 2.5}, (5 + 4 * 2 / 3) / 11),
    ],
)
def test_odd_weights_and_counts(score, options, expected):
    assert score([1, 0, 1], [3, 2, 1], **options) == near(expected)


@pytest.mark.parametrize("name", FULL_WEIGHTED)
@given(st.sampled_from([1, 2, 3, 10, 1000]), st.integers(0, 2**32))
def test_perfect_ranking_with_float_weights_is_one(name, size, seed):
    """Full recall is reached even if a cumulative sum of floats ends in another bit."""
    weights = np.random.default_rng(seed).lognormal(sigma=3, size=2 * size)
    labels, scores = np.repeat([1, 0], size), np.arange(2 * size, 0, -1)
    assert value_of(name, labels, scores, weights) == pytest.approx(1, abs=1e-12)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("weight", [0.1, 1 / 3, 0.7])
@pytest.mark.parametrize("scale", [1, 100_000])
@pytest.mark.parametrize(
    ("name", "sizes", "options"),
    [
        ("11-point", [3, 2, 7], {}),
        ("101-point", [3, 2, 7], {}),
        ("precision-at-recall", [3, 7, 7], {"min_recall": 0.3}),
        ("recall-at-precision", [0, 7, 3], {"min_precision": 0.3}),
    ],
)
def test_a_constant_weight_loses_no_level(name, sizes, options, scale, weight):
    """A sum of a million terms of 0.1, added one by one, is off by one part in 10^11."""
    labels = np.repeat([1, 0, 1], scale * np.array(sizes))
    scores, weights = np.arange(labels.size)[::-1], np.full(labels.size, weight)
    plain = value_of(name, labels, scores, **options)
    assert not options or plain == 1
    assert value_of(name, labels, scores, weights, **options) == pytest.approx(plain, abs=1e-9)


def test_a_weight_that_float64_rounds_to_0_leaves_its_sample_out():
    """The row belongs to no sample, so neither its cluster nor its influence counts."""
    y_true, y_score, cluster = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5], ["a", "b", "a", "b", "c"]
    weight = [Decimal(1)] * 4 + [Decimal("1e-400")]
    each, kept = (
        ap.confidence_interval(y_true[:n], y_score[:n], sample_weight=weight[:n]) for n in (5, 4)
    )
    assert contributions_by_name(each) == contributions_by_name(kept)
    interval = ap.confidence_interval(y_true, y_score, sample_weight=weight, clusters=cluster)
    assert list(contributions_by_name(interval)) == ["a", "b"]


GROUP, SCORES = np.arange(80) // 10, np.arange(80) * 7 % 5
COUNTS, FRACTIONS = 1 + np.arange(80) % 3, 0.3 + np.arange(80) % 5
BOTH = np.where(GROUP % 2, COUNTS, FRACTIONS)  # counts in some groups


@pytest.mark.parametrize("every_point", [False, True])
@pytest.mark.parametrize("first", [None, COUNTS, FRACTIONS], ids=["none", "counts", "fractions"])
@pytest.mark.parametrize("second", [COUNTS, FRACTIONS, BOTH], ids=["counts", "fractions", "both"])
def test_groups_that_are_joined_are_those_that_are_read_together(first, second, every_point):
    def read(groups, weight):
        rows = slice(10 * groups[0], 10 * groups[-1] + 10)
        columns = SCORES[rows] > 2, SCORES[rows], GROUP[rows] - groups[0]
        weight = None if weight is None else weight[rows]
        return from_groups(*columns, len(groups), weight, every_point)

    joined = join([read(range(3), first), read(range(3, 8), second)])
    weight = np.where(GROUP < 3, 1 if first is None else first, second)
    np.testing.assert_equal(joined._asdict(), read(range(8), weight)._asdict())
