"""Large, tiny and odd input: values are exact, or the input is refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap.streaming import MetricAccumulator

from . import oracle
from .oracle import near
from .strategies import Ranking, rankings

STEP = ap.average_precision_score
ENVELOPE = ap.interpolated_average_precision_score
EACH = STEP, ENVELOPE, ap.eleven_point_average_precision_score


@pytest.mark.parametrize("n_positives", [10_007, 10_007.0, Fraction(10_007)])
def test_recall_levels_are_compared_in_integers(n_positives):
    """Recalls of 7016/10007 are within a few units in the last place of a level."""
    labels = np.repeat([1, 0, 1], [3016, 20, 6991])
    scores = np.arange(labels.size)[::-1]
    n_points = 2**20
    precision_after = Fraction(3016 + 6991, labels.size)
    at_one = 3016 * (n_points - 1) // 10_007 + 1
    expected = (at_one + (n_points - at_one) * precision_after) / n_points
    actual = ENVELOPE(labels, scores, n_points=n_points, n_positives=n_positives)
    assert actual == near(expected)


@pytest.mark.parametrize(
    ("weight", "n_points"),
    [
        *(([1e6, 1e6, 1e-4], 2), ([10**12, 10**12, 1], 2), ([2**50, 2**50, 3], 11)),
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


@pytest.mark.parametrize("dtype", [None, "String", "Categorical"])
@pytest.mark.parametrize("as_frame", [False, True])
def test_strings_that_differ_in_a_trailing_nul_are_two_groups(dtype, as_frame):
    groups = ["a", "a\0", "a\0", "b"]
    if dtype:
        pl = pytest.importorskip("polars")
        groups = pl.Series("query", groups, dtype=getattr(pl, dtype))
        groups = groups.to_frame() if as_frame else groups
    data, options = ([1, 0, 1, 1], [1, 2, 3, 4]), {"groups": groups}
    assert ap.mean_average_precision_score(*data, average=None, **options).tolist() == [1, 1, 1]
    assert ap.confidence_interval(*data, **options).basis.startswith("3 groups")


EXACT = {
    "large integers": 2**53 + np.arange(5),
    "the largest integers": np.array([2**64 - 5 + i for i in range(5)], dtype=np.uint64),
    "the smallest integers": np.array([-(2**63) + i for i in range(5)]),
    "beyond int64": np.array([2**70 + i for i in range(5)], dtype=object),
    "small integers": np.arange(5, dtype=np.uint8),
    "half precision": np.arange(5, dtype=np.float16),
}


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "int64[pyarrow]"])
def test_large_nullable_integers_of_pandas(dtype):
    pd = pytest.importorskip("pandas")
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    labels, scores = np.array([0, 1, 0, 1]), pd.Series(EXACT["large integers"][:4], dtype=dtype)
    assert STEP(labels, scores) == pytest.approx(5 / 6)  # 1, and 2/3
    frame = pd.DataFrame({"one": scores, "two": scores})
    assert STEP(labels, frame[["one"]]) == pytest.approx(5 / 6)
    both = STEP(np.column_stack([labels, 1 - labels]), frame, average=None)
    assert both.tolist() == pytest.approx([5 / 6, 1 / 2])
    assert scores.dtype == dtype
    booleans = pd.Series([True, False, True, False], dtype="boolean")
    assert STEP(booleans, scores) == pytest.approx(1 / 2)


@pytest.mark.parametrize("scores", EXACT.values(), ids=EXACT)
def test_thresholds_pick_the_samples_that_they_stand_for(scores):
    """The first is infinite, as in roc_curve."""
    labels, scores = np.array([0, 1, 1, 0, 1]), scores[[3, 4, 0, 2, 2]]
    detected, hits, thresholds = ap.hit_curve(labels, scores, fraction_of="samples")
    assert detected.tolist() == [0, 0.2, 0.4, 0.8, 1]
    assert hits.tolist() == [0, 0.2, 0.2, 0.4, 0.6]
    assert [np.mean(scores >= threshold) for threshold in thresholds] == detected.tolist()
    assert thresholds[0] == np.inf
    precision, recall, thresholds = ap.interpolated_precision_recall_curve(labels, scores)
    assert precision.tolist() == [0.6, 0.6, 0.6, 1, 1]
    assert recall.tolist() == [1, 2 / 3, 1 / 3, 1 / 3, 0]
    found = [labels[scores >= threshold].sum() / 3 for threshold in thresholds]
    assert found == recall[:-1].tolist()


ODD = [
    *(([0, 1], scores, 1) for scores in ([Decimal(1), Decimal(2)], [1, 2])),
    ([Decimal("0.00"), Decimal("1.00")], [1, 2], 1),
    *(([0, 1], [large, Fraction(1, 4)], 0.5) for large in (Fraction(1, 3), Fraction(10**400))),
]


@pytest.mark.parametrize(("labels", "scores", "expected"), ODD)
def test_odd_numbers(labels, scores, expected):
    assert STEP(labels, scores) == MetricAccumulator().update(labels, scores).result() == expected


FOUR = np.float16(4), np.int8(4), Fraction(4)


@pytest.mark.parametrize(
    ("score", "options", "expected"),
    [
        *((STEP, {"n_positives": four}, 5 / 12) for four in FOUR),
        # Of the 11 levels, 5 are reached with precision 1, 4 with 2/3, and 2 are not.
        (EACH[2], {"sample_weight": [1, 1, 1], "n_positives": 2.5}, (5 + 4 * 2 / 3) / 11),
    ],
)
def test_odd_weights_and_counts(score, options, expected):
    assert score([1, 0, 1], [3, 2, 1], **options) == near(expected)


def test_the_warning_where_there_is_no_module():
    with pytest.warns(UndefinedMetricWarning):
        exec("ap.average_precision_score([0, 0], [1, 2])", {"ap": ap})


def test_rows_are_numbered_as_they_came():
    labels, scores = [[1, 0], [0, 0], [0, 1]], [[1, 2], [3, 4], [5, 6]]
    with pytest.warns(UndefinedMetricWarning, match=r"for 1 of 2 rows \(1\)"):
        STEP(labels, scores, average="samples", sample_weight=[0, 1, 1])


def test_weights_and_scores_600_orders_of_magnitude_apart():
    ranking = [0, 1, 1], [1e-320, 1, 2], [1e-300, 1e300, 1]
    assert STEP(*ranking[:2], sample_weight=ranking[2]) == near(oracle.step(*ranking))


# --- targets -------------------------------------------------------------------------------------

any_target = st.one_of(
    st.fractions(0, 1, max_denominator=10**6).filter(bool).map(float),
    st.floats(0, 1, exclude_min=True),
    st.sampled_from([1 / 7000, 1e-5, 1e-300, 5e-324, 0.1 + 0.2, 1 - 2**-53, 1.0]),
)
any_count = st.one_of(st.none(), st.integers(30, 10**4), st.sampled_from([7000, 10**5, 2**53]))


@given(rankings(positives=True), any_target, any_count)
@example(Ranking(np.array([1, 0, 1]), np.array([0.9, 0.8, 0.7])), 1 / 7000, 7000)
@example(Ranking(np.array([1, 0, 1]), np.array([0.9, 0.8, 0.7])), 1e-5, 10**5)
@example(Ranking(np.array([1, 0, 1]), np.array([0.9, 0.8, 0.7])), 2e-5, 10**5)
def test_targets_with_any_number_of_digits(ranking, target, exist):
    labels, scores, _ = ranking
    given = {} if exist is None else {"n_positives": exist}
    stream = MetricAccumulator().update(labels, scores)
    for name, option in (
        ("precision_at_recall", "min_recall"),
        ("recall_at_precision", "min_precision"),
    ):
        asked = {option: target, **given}
        exact = oracle.RULES[name.replace("_", "-")](labels, scores, **asked)
        assert getattr(ap, f"{name}_score")(labels, scores, **asked) == near(exact)
        assert stream.result(name, **asked) == near(exact)
        assert ap.metric(f"{name}_{Decimal(repr(target)):f}")(labels, scores, **given) == near(
            exact
        )
        low, high, *_ = ap.metric_bounds(labels, scores, metric=name, n_bins=2, **asked)
        assert low - 1e-12 <= exact <= high + 1e-12
        if exact:
            point = ap.operating_point(labels, scores, **asked)
            found = point.precision if option == "min_recall" else point.recall
            assert found == near(exact)
            assert point.check(labels, scores).kept.keys() == {option}
        else:
            with pytest.raises(ValueError, match=rf"^No threshold reaches {option}="):
                ap.operating_point(labels, scores, **asked)


@pytest.mark.parametrize("target", [1 / 7000, 1e-300, 5e-324])
@pytest.mark.parametrize("option", ["min_recall", "min_precision"])
def test_tiny_targets_in_intervals_promises_and_reports(option, target):
    """Every threshold reaches them, as it does a target that is tiny but has one digit."""
    labels, scores = [1, 0, 1, 1] * 20, [9, 8, 7, 6, 5, 4, 3, 2] * 10
    name = "precision_at_recall" if option == "min_recall" else "recall_at_precision"
    tiny, plain = (ap.metric(name, **{option: each}) for each in (target, 1e-3))
    options = {"n_resamples": 9, "random_state": 0}
    one, other = (
        ap.confidence_interval(labels, scores, metric=metric, **options) for metric in (tiny, plain)
    )
    (row,) = ap.report(labels, scores, metrics=tiny, **options).rows
    assert (one.low, one.high) == (other.low, other.high) == (row.low, row.high)
    both = (
        ap.operating_point(labels, scores, confidence_level=0.9, **{option: each})
        for each in (target, 1e-3)
    )
    assert len({point.threshold for point in both}) == 1
