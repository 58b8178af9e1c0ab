"""Large, tiny and odd input: values are exact, or the input is refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

from . import oracle
from .oracle import near
from .strategies import Ranking, rankings

STEP = ap.average_precision_score
ENVELOPE = ap.interpolated_average_precision_score
BIG = 2**53


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
    assert STEP(labels, scores) == expected


def test_numbers_of_numpy_among_objects_are_not_rounded():
    larger = Fraction(1, 10)
    pairs = (np.float64(BIG), BIG + 1), (np.float32(1), 10**400), (np.float16(0.1), larger)
    for one, other in pairs:
        assert STEP([0, 1], np.array([one, other], dtype=object)) == 1


def test_equal_scores_of_several_kinds_are_tied():
    for one, other in ((0.0, -0.0), (1, 1.0), (np.float32(0.5), 0.5), (np.uint8(3), 3), (True, 1)):
        assert STEP([1, 0], np.array([one, other], dtype=object)) == 0.5


def test_zeros_of_both_signs_are_tied_below_large_scores():
    assert STEP([1, 0, 0, 0, 0], [0.0, 1e300, 1e301, -0.0, 1.1e301]) == 0.2


def test_scores_beyond_the_floats():
    scores = np.array([1, 2, 10**400, 1, -(10**400)], dtype=object)
    assert STEP([0, 1, 0, 1, 0], scores) == 1 / 2 * (1 / 2 + 2 / 4)


def test_whole_weights_beyond_64_bits_do_not_overflow():
    weights = np.repeat(2**50, 4 * 2**14)
    scores = np.tile([4, 3, 2, 1], 2**14)
    found = STEP(np.tile([1, 0, 1, 0], 2**14), scores, sample_weight=weights)
    assert found == pytest.approx((1 + 2 / 3) / 2)


def test_positives_that_were_all_scored_are_not_too_many_in_any_order():
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels, scores, weights = rng.random(50) < 0.5, rng.random(50), rng.random(50)
        value = STEP(labels, scores, sample_weight=weights)
        for mass in (weights[labels].sum(), (weights * labels).sum()):
            found = STEP(labels, scores, sample_weight=weights, n_positives=mass)
            assert found == pytest.approx(value, abs=1e-12)


WEIGHTED = {
    "step": ("average_precision", {}),
    "envelope": ("interpolated_average_precision", {}),
    "at-k": ("average_precision_at_k", {"k": 3}),
    "precision-at-k": ("precision_at_k", {"k": 3}),
    "recall-at-k": ("recall_at_k", {"k": 0.1}),
    "r-precision": ("r_precision", {}),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("few", [(1e-200, 1e200), (1e-200, 0.5, 1.0, 1e200, 1e-300, 1e300)])
@pytest.mark.parametrize("rule", WEIGHTED)
def test_weights_hundreds_of_orders_of_magnitude_apart(rule, few):
    name, options = WEIGHTED[rule]
    given = {"k_counts": "weight"} if options else {}
    metric = ap.metric(name, **options, **given)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels, scores = np.append([1, 0], rng.integers(0, 2, 30)), rng.integers(0, 12, 32) / 7
        mass = rng.choice(few, labels.size)
        expected = float(oracle.RULES[rule](labels, scores, mass, **options))
        assert metric(labels, scores, sample_weight=mass) == pytest.approx(expected, abs=1e-12)


def test_no_positives_are_said_in_the_words_of_scikit_learn():
    words = r"recall is set to one for all thresholds\. The value \(pos_label=1, and .* only 0\) is"
    with pytest.warns(UndefinedMetricWarning, match=words):
        assert STEP([0, 0], [0.2, 0.1]) == 0


def test_the_warning_where_there_is_no_module():
    with pytest.warns(UndefinedMetricWarning):
        exec("ap.average_precision_score([0, 0], [1, 2])", {"ap": ap})


def test_rows_are_numbered_as_they_came():
    labels, scores = [[1, 0], [0, 0], [0, 1]], [[1, 2], [3, 4], [5, 6]]
    with pytest.warns(UndefinedMetricWarning, match=r"for 1 of 2 rows \(1\)"):
        STEP(labels, scores, average="samples", sample_weight=[0, 1, 1])


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
    for name, option in (
        ("precision_at_recall", "min_recall"),
        ("recall_at_precision", "min_precision"),
    ):
        asked = {option: target, **given}
        exact = oracle.RULES[name.replace("_", "-")](labels, scores, **asked)
        assert getattr(ap, f"{name}_score")(labels, scores, **asked) == near(exact)
        assert ap.metric(f"{name}_{Decimal(repr(target)):f}")(labels, scores, **given) == near(
            exact
        )
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
