"""Intervals and comparisons where nothing varies, or where only the scale differs."""

from dataclasses import replace
from functools import partial
from statistics import stdev

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

import sklearn_ap as ap
from sklearn_ap._infer.variation import vary_value
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._read.validation import read_rankings
from sklearn_ap.core.resampling import compute_heights, resample_means
from sklearn_ap.core.rules import Step
from sklearn_ap.core.spread import Spread
from sklearn_ap.core.units import SamplingUnits
from sklearn_ap.displays.base import make_unit_band
from sklearn_ap.inference import compare, confidence_interval

from .by_page import compare_means

MOST = 300
# Values that are equal but for rounding, for some numbers of queries and for each of them.
each_numbers = pytest.mark.parametrize("numbers", [
    pytest.param([*range(2, 9), 13, 16, 17, 22, 32, 100, MOST], id="some"),
    pytest.param(range(2, MOST + 1), id="each", marks=pytest.mark.slow),
])  # fmt: skip
each_sizes = pytest.mark.parametrize("sizes", [
    pytest.param([20, 45, 120, 199], id="some"),
    pytest.param(range(20, 200), id="each", marks=pytest.mark.slow),
])  # fmt: skip
METHODS = ["influence", "bootstrap"]
each_method = pytest.mark.parametrize("method", METHODS)
each_mean = pytest.mark.parametrize("average", ["macro", "weighted", "samples"])


def one_positive(places, n_queries, size):
    """Return the scores of queries in which the only positive has these ranks."""
    scores = np.empty((n_queries, size))
    places = np.resize(places, n_queries)
    scores[:, 0] = -places
    others = np.arange(1, size)
    scores[:, 1:] = -(others + (others >= places[:, np.newaxis]))
    return scores


def labels(n_queries, size):
    return np.tile(np.arange(size) == 0, (n_queries, 1)).astype(int)


def given(n_queries, average, y, *scores):
    """Return arguments for this many rows, as rows or as groups."""
    y, *scores = (array[:n_queries] for array in (y, *scores))
    if average == "samples":
        return [y, *scores], {"average": average}
    groups = np.repeat(np.arange(n_queries), y.shape[1])
    return [array.ravel() for array in (y, *scores)], {"groups": groups, "average": average}


# --- the same difference in every query --------------------------------------------------------
# Where a and b rank the only positive: 1 - 1/2, or 1/3 - 1/4 and 1/4 - 1/6, equal but for rounding.
@pytest.mark.parametrize(
    ("of_a", "of_b", "difference"), [([1], [2], 1 / 2), ([3, 4], [4, 6], 1 / 12)]
)
@each_method
@each_mean
@each_numbers
def test_one_difference_in_every_query_is_as_sure_as_if_one_more_showed_none(
    numbers, of_a, of_b, difference, method, average
):
    y, a, b = labels(MOST, 6), one_positive(of_a, MOST, 6), one_positive(of_b, MOST, 6)
    for n_queries in numbers if average == "macro" else numbers[::7]:
        arrays, options = given(n_queries, average, y, a, b)
        found = compare(*arrays, **options, method=method, n_resamples=99, random_state=0)
        assert found.difference == pytest.approx(difference, rel=1e-12)
        assert found.standard_error == pytest.approx(difference / n_queries, rel=1e-9)
        low, high, pvalue = compare_means(np.full(n_queries, difference))
        assert found.pvalue == pytest.approx(pvalue, rel=1e-9)
        assert [found.low, found.high] == pytest.approx([max(low, -1), min(high, 1)], rel=1e-9)


@each_method
def test_a_difference_in_rounding_is_none(method):
    """(1/6 + 2/7 + 3/9)/3 and (1/5 + 2/7 + 3/10)/3 are the same number, but not the same float."""
    y, down = np.array([1] * 3 + [0] * 7), np.arange(10, 0, -1)
    a, b = (np.append(down[ranks], np.delete(down, ranks)) for ranks in ([5, 6, 8], [4, 6, 9]))
    one, other = (ap.average_precision_score(y, scores) for scores in (a, b))
    assert abs(one - other) == 2.0**-54
    groups = np.repeat(np.arange(6), 10)
    given = {"groups": groups, "method": method, "n_resamples": 99, "random_state": 0}
    found = compare(*(np.tile(each, 6) for each in (y, a, b)), **given)
    reach = stats.binomtest(0, 6).proportion_ci().high
    assert (*found, found.pvalue) == (0, 0, 0, 1)
    assert (found.margin_low, found.margin_high) == pytest.approx((-reach, reach))


def test_one_query_that_weighs_anything_is_no_evidence():
    options = {"groups": [0, 0, 1, 1], "average": "weighted", "zero_division": 0.0}
    found = compare([1, 0, 0, 0], [2, 1, 1, 1], [1, 2, 1, 1], **options)
    assert found.difference == 0.5
    assert np.isnan([found.low, found.high, found.pvalue]).all()


# --- the same value in every query -------------------------------------------------------------
@pytest.mark.sweep(6)
@pytest.mark.parametrize("method", ["influence", "bootstrap"])
@each_mean
@pytest.mark.parametrize(
    ("place", "metric"),
    [(1, "average_precision"), (1, "precision_at_1"), (2, "precision_at_1"), (3, "step")],
)
@each_numbers
def test_all_queries_alike(numbers, place, metric, average, method):
    """They say as much as so many successes or failures: others may be perfect, or useless."""
    y, score = labels(MOST, 3), one_positive([place], MOST, 3)
    options = {"metric": metric, "method": method, "n_resamples": 9, "random_state": 0}
    for n_queries in numbers:
        arrays, mean = given(n_queries, average, y, score)
        found, by_chance = confidence_interval(*arrays, **mean, **options), 0.025 ** (1 / n_queries)
        value = {1: 1, 2: 0, 3: 1 / 3}[place]
        expected = value, value * by_chance, 1 - (1 - value) * by_chance
        assert tuple(found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("place", [1, 3])
def test_all_folds_alike(place):
    y, scores = labels(1, 3)[0] > 0, one_positive([place], 1, 3)[0]
    fold = Step().area(read_rankings(Inputs(y, scores)).points(None))
    x, value = np.array([0.5, 1.0]), 1 / place
    for n_folds in range(2, 100):
        curves = np.concatenate([compute_heights(fold, x)] * n_folds)
        found = make_unit_band("Step AP", np.full(n_folds, value), x, curves, 0.95)
        by_chance = 0.025 ** (1 / n_folds)
        expected = value * by_chance, 1 - (1 - value) * by_chance
        assert found.interval == pytest.approx(expected)
        assert (*found.low, *found.high) == pytest.approx(np.repeat(expected, 2))


# --- the value of the metric, to the last bit --------------------------------------------------
METRICS = ["AP", "interpolated AP", "11-point", "AP@25", "R@25", "precision_at_recall_0.5"]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k_counts", ["weight", "samples"])
@each_sizes
def test_the_score_of_one_ranking_is_that_of_the_metric(sizes, name, weighted, k_counts):
    metric = ap.metric(name, **({"k_counts": k_counts} if "@" in name else {}))
    rng = np.random.default_rng(0)
    for size in sizes:
        y = (rng.random(size) < 0.4).astype(int)
        y[:9] = 1
        a, b = (rng.standard_normal((2, size)) + y).round(1)
        given = {"sample_weight": rng.random(size) + 0.1 if weighted else None}
        expected = tuple(metric(y, score, **given) for score in (a, b))
        given |= {"metric": metric, "n_resamples": 9, "random_state": 0}
        assert compare(y, a, b, **given).values == expected
        for clusters in (None, np.arange(size) // 2):
            assert confidence_interval(y, a, clusters=clusters, **given).value == expected[0]


def top(n, n_positive):
    """A ranking of n samples, of which the first are positive."""
    return np.arange(n) < n_positive, -np.arange(n)


GROUPS = {"groups": np.repeat([0, 1], [8, 32]), "clusters": np.arange(40) % 4}


TRIALS = [  # the data, the options, and how many of how many trials succeed
    *((top(50 + n, n), {}, n, n) for n in (3, 5)),
    (top(1050, 1000), {"metric": "precision_at_10"}, 10, 10),  # whatever is below the top 10
    (top(200, 98), {"metric": "precision_at_2"}, 2, 2),  # as floats, 2/98 of 98 is less than 2
    (top(15, 10), {"metric": "precision_at_recall_0.3"}, 3, 3),
    (top(15, 10), {"metric": "precision_at_recall_0.5"}, 5, 5),
    (top(15, 10), {"metric": "precision_at_recall_1"}, 10, 10),
    ((np.arange(54) < 4, np.arange(54)), {"metric": "precision_at_10"}, 0, 4),
    ((np.zeros(3), [3, 2, 1]), {"n_positives": 3}, 0, 3),
    ((np.zeros(3), [3, 2, 1]), {"n_positives": 3, "sample_weight": [1, 2, 1]}, 0, 3),
    # Two of four clusters are in the top 2, which is about two of four trials.
    (top(4, 2), {"metric": "precision_at_2", "clusters": [*"abab"],
                 "n_positives": dict.fromkeys("abcd", 1)}, 2, 2),
    # The top 4 hold all positives of one group, one of each cluster.
    ((np.r_[np.arange(8) < 4, np.arange(32) < 16], -np.arange(40)),
     GROUPS | {"metric": "precision_at_4"}, 4, 4),
    # A group without positives doesn't hide that the rest is perfect.
    ((np.r_[np.tile([1, 0, 0], 8), np.zeros(3)], np.tile([3, 2, 1], 9)),
     {"groups": np.arange(27) // 3, "average": "weighted", "zero_division": 0.0}, 8, 8),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "options", "hits", "n"), TRIALS)
def test_it_says_as_much_as_so_many_trials(sample, options, hits, n):
    """If all or none of them succeed, the interval is that of Clopper and Pearson."""
    found = confidence_interval(*sample, **options, n_resamples=99, random_state=0)
    exact = stats.binomtest(hits, n).proportion_ci(method="exact")
    assert tuple(found) == pytest.approx((hits / n, exact.low, exact.high), rel=1e-12)


def test_recall_of_a_perfect_ranking_that_finds_only_some():
    """The top 5 hold 5 of 200 positives, which is as uncertain as five trials that all succeed."""
    options = {"metric": "recall_at_5", "n_resamples": 199, "random_state": 0}
    found = confidence_interval(*top(2000, 200), **options)
    assert found.value == 5 / 200
    assert found.low <= 5 / 200 * stats.binomtest(5, 5).proportion_ci().low + 1e-12


@pytest.mark.sweep(3)
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_score_of_columns_is_that_of_the_metric(average, weighted):
    rng = np.random.default_rng(0)
    for n_classes in range(2, 14):
        y = (rng.random((40, n_classes)) < 0.4).astype(int)
        y[:2] = [[0] * n_classes, [1] * n_classes]
        if average == "weighted":
            y[:, 1:3] = 0
        if average == "weighted" and n_classes == 2:
            y[:, 1] = 1 - y[:, 0]
        score = (rng.standard_normal(y.shape) + y).round(1)
        weight = rng.random(40) + 0.1 if weighted else None
        options = {"average": average, "sample_weight": weight, "zero_division": 0.0}
        expected = ap.average_precision_score(y, score, **options)
        assert confidence_interval(y, score, **options).value == expected
        assert compare(y, score, -score, **options).values[0] == expected


# --- rankings that are the same ----------------------------------------------------------------
INCREASING = {
    "sigmoid": expit,
    "float32": lambda score: score.astype(np.float32),
    "shift": lambda score: 3 * score - 7,
    "rank": lambda score: np.unique(score, return_inverse=True)[1].reshape(score.shape),
    "objects": lambda score: (score * 8).astype(int).astype(object) * 10**30,
}


def ranked(*shape):
    rng = np.random.default_rng(0)
    y = (rng.random(shape) < 0.5).astype(int)
    y[:2] = np.arange(2).reshape(-1, *[1] * (len(shape) - 1))
    if len(shape) == 2:
        y[:, 0] = 1
        y[0, :2] = [0, 1]
    return y, (rng.standard_normal(shape) * 8).round() / 8


HEAVY = {"sample_weight": np.random.default_rng(1).random(60)}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("method", ["influence", "bootstrap"])
@pytest.mark.parametrize("options", [
    *({"metric": name, "method": "bootstrap"} for name in ("P@5", "11-point", "envelope")),
    {}, HEAVY, {"clusters": np.arange(60) % 13},
    *({"groups": np.arange(60) % 6} | more
      for more in ({}, {"average": "weighted"})),
    {"average": "macro"}, {"average": "weighted"} | HEAVY,
    *({"average": average} | more for average in ("micro", "samples") for more in ({}, HEAVY)),
], ids=str)  # fmt: skip
def test_a_model_does_not_differ_from_itself_on_another_scale(method, options):
    y, score = ranked(60, 4) if "average" in options and "groups" not in options else ranked(60)
    options = {"method": method, "n_resamples": 19, "random_state": 0, **options}
    same = compare(y, score, score, **options)
    assert (same.difference, same.pvalue, same.verdict) == (0, 1, "unclear")
    assert same.low == same.high == 0
    assert same.margin_low == -same.margin_high < 0  # other rows may tell them apart
    for name, increasing in INCREASING.items():
        assert compare(y, score, increasing(score), **options) == same, name


@pytest.mark.parametrize("kind", ["groups", "macro", "weighted", "samples"])
def test_each_ranking_may_have_a_scale_of_its_own(kind):
    rows = np.arange(60)
    y, score = ranked(60) if kind == "groups" else ranked(60, 4)
    options, together = {"average": kind}, {"average": "micro"}
    shift = 100 * (rows[:, np.newaxis] if kind == "samples" else np.arange(4))
    if kind == "groups":
        options, together, shift = {"groups": rows % 6}, {}, 10 * (rows % 6)
    same = compare(y, score, score, **options)
    assert compare(y, score, score + shift, **options) == same
    assert compare(y, score, score + shift, **together).standard_error > 0  # another model


def test_other_ties_are_another_ranking():
    """Both models are perfect, but one ties all positives, or ranks other negatives first."""
    y, score = np.repeat([1, 0], [4, 20]), -np.arange(24)
    for other in (np.minimum(score, -3), np.append(score[:4], -np.arange(30, 10, -1))):
        found = compare(y, score, other)
        assert (*found, found.pvalue) == (0, 0, 0, 1)
        assert found.margin_high == -found.margin_low > 1 - 0.025 ** (1 / 4)


@pytest.mark.parametrize("metric", ["step", "envelope", "linear"])
@each_sizes
def test_two_perfect_models_with_weights_may_still_differ(sizes, metric):
    rng = np.random.default_rng(0)
    for size in sizes:
        y, weight = np.repeat([1, 0], [5, size - 5]), rng.random(size) + 0.1
        models = y + np.arange(size) % 3 / 9, y + 0.1 * rng.random(size)
        found = compare(y, *models, metric=metric, sample_weight=weight)
        assert (*found, found.pvalue) == (0, 0, 0, 1)
        alike = weight[:5].sum() ** 2 / (weight[:5] ** 2).sum()
        assert found.margin_high == -found.margin_low > 1 - 0.025 ** (1 / alike)


@pytest.mark.parametrize("seed", range(5))
def test_a_curve_ends_at_a_recall_of_1_despite_rounding(seed):
    """The running sum of these weights is not always their sum."""
    weight = np.random.default_rng(seed).random(1000)
    rankings = read_rankings(Inputs(np.ones(1000), -np.arange(1000), sample_weight=weight))
    area = Step().area(rankings.points(None))
    assert compute_heights(area, np.array([0.5, 1, 1.1])).tolist() == [[1, 1, 0]]


def test_the_interval_of_a_difference_ends_at_the_largest_one():
    """Two groups leave one degree of freedom, so that of SciPy extends beyond 1."""
    a, b = one_positive([1, 1], 2, 10), one_positive([2, 10], 2, 10)
    arrays, options = given(2, "macro", labels(2, 10), a, b)
    found = compare(*arrays, **options)
    low, high = stats.ttest_rel([1, 1], [1 / 2, 1 / 10]).confidence_interval()
    assert low < -1 < 1 < high
    assert (found.low, found.high) == (-1, 1)


def test_tiny_weights_and_missing_positives_have_the_same_scale():
    y, score, weight = np.arange(30) % 3 == 0, np.arange(30) % 7, np.arange(30) % 4 + 1.0
    exist = weight[y].sum() + 3
    found, expected = (
        tuple(confidence_interval(y, score, sample_weight=one * weight, n_positives=one * exist))
        for one in (2.0**-800, 1)
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_weighted_means_of_resamples_are_those_of_what_is_drawn():
    """Two draws from values 0 and 1 of weights 1 and 3: twice one of them, or both."""
    means = resample_means(np.array([0, 1]), np.array([1, 3]), 50, np.random.default_rng(0))
    assert set(means.tolist()) == {0, 3 / 4, 1}
    means = resample_means(np.array([0, 1]), np.array([0, 3]), 50, np.random.default_rng(0))
    assert set(means[~np.isnan(means)].tolist()) == {1}  # undefined if only the first is drawn


def test_all_positives_of_a_cluster_were_found_but_for_rounding():
    """0.1 + 0.1 + 0.1 is more than 0.3."""
    y, score, weight = [1, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1], [0.1, 0.1, 0.3, 0.1, 0.3, 0.1]
    options = {"clusters": [*"aababb"], "sample_weight": weight}
    found = confidence_interval(y, score, n_positives={"a": 0.3, "b": 0.3}, **options)
    assert tuple(found) == pytest.approx(tuple(confidence_interval(y, score, **options)), rel=1e-9)


def test_resamples_without_positives_are_left_out():
    """The standard error is the standard deviation of the others, if there are two."""
    still = Spread(np.array([0.3]), np.ones(1), np.array([9.0]), 0.3)
    found = still.with_resamples(np.array([[0.1], [0.5], [np.nan], [0.4]]))
    assert found.standard_error == pytest.approx(stdev([0.1, 0.5, 0.4]), rel=1e-12)
    with pytest.raises(ValueError, match="Fewer than two resamples have positives"):
        still.with_resamples(np.array([[0.5], [np.nan], [np.nan]]))


def test_a_mean_without_any_variation_has_no_drift_either():
    """Two values vary, but their shares vary so that the mean doesn't."""
    up, down = np.array([[0.1, -0.1]] * 2), np.array([-0.1, 0.1])
    half = np.full(2, 0.5)
    units = np.array([9.0, 9.0])
    still = Spread(half, half, units, 0.5, deviations=up, fraction_deviations=down)
    still = still.clear_rounding(still.largest)
    assert (still.standard_error, still.fraction_deviations) == (0, 0)


def test_a_group_without_positives_that_is_left_out_is_in_no_resample():
    rng = np.random.default_rng(0)
    columns = {"clusters": np.arange(400) % 40, "groups": np.arange(400) // 100}
    columns["y_true"] = (rng.random(400) < 0.3) & (columns["groups"] < 3)
    columns["y_score"] = rng.normal(size=400) + columns["y_true"]
    given = {"method": "bootstrap", "random_state": 0, "zero_division": np.nan}
    found, expected = (
        tuple(confidence_interval(**{role: c[:size] for role, c in columns.items()}, **given))
        for size in (400, 300)
    )
    assert found == pytest.approx(expected)


def test_it_is_not_advised_to_leave_out_samples_without_a_cluster():
    table = pd.DataFrame({"y": [1, 0, 1], "s": [3, 2, 1], "c": ["a", "b", None]})
    with pytest.raises(ValueError, match="or to one of its own") as caught:
        confidence_interval("y", "s", clusters="c", data=table)
    assert "leave these rows out" not in str(caught.value)
    with pytest.raises(ValueError, match="Leave these rows out"):
        confidence_interval("y", "s", groups="c", data=table)


@pytest.mark.filterwarnings("ignore:A few negatives")
@pytest.mark.parametrize("given", [
    {},
    {"sample_weight": np.arange(1, 41)},
    {"clusters": np.arange(40) // 2},
    {"groups": np.arange(40) % 2, "clusters": np.arange(40)},
    {"groups": np.arange(40) % 2, "clusters": np.arange(40) // 3},
], ids=" and ".join)  # fmt: skip
@pytest.mark.parametrize("metric", ["11-point", "precision_at_5"])
def test_positives_that_were_missed_are_drawn_in_no_time_however_many_they_are(metric, given):
    """The values of so many are nearly 0, and so are their differences, but not exactly."""
    rng, exist = np.random.default_rng(0), 2**49
    y, a, b = rng.random(40) < 0.3, rng.random(40), rng.random(40)
    counts = {0: exist, 1: exist} if "groups" in given else exist
    given = given | {"metric": metric, "n_positives": counts, "method": "bootstrap"}
    given |= {"k_counts": "samples"} if metric == "precision_at_5" else {}
    found = compare(y, a, b, n_resamples=99, random_state=0, **given)
    assert found.low <= found.difference <= found.high
    interval = confidence_interval(y, a, n_resamples=99, random_state=0, **given)
    assert interval.low <= interval.value <= interval.high


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("missed", [False, True])
def test_clusters_of_one_row_are_like_rows_that_weigh_1(average, missed):
    """Weights of 1 take the general path. Only rounding errors of sums may differ."""
    rng = np.random.default_rng(0)
    groups, rows = rng.integers(0, 3, 90), rng.permutation(90)
    y = (rng.random(90) < 0.3).astype(int)
    given = {"groups": groups, "clusters": rows, "average": average}
    if missed:
        given["n_positives"] = {0: 20, 1: np.count_nonzero(y[groups == 1]), 2: 30, 3: 2}
    models = [rng.random(90).round(1) + y / 3 for _ in range(2)]
    for call in (partial(confidence_interval, y, models[0]), partial(compare, y, *models)):
        one, other = call(**given), call(**given, sample_weight=np.ones(90))
        assert [*one, one.standard_error] == pytest.approx(
            [*other, other.standard_error], rel=1e-12
        )


def slope(value, *arrays, at):
    """Return the derivative of a value by each entry of the array that has this number."""
    step, found = 1e-5, []
    for place in range(arrays[at].size):
        ends = []
        for sign in (1, -1):
            moved = [array.astype(float) for array in arrays]
            moved[at].flat[place] += sign * step
            ends.append(value(*moved))
        found.append((ends[0] - ends[1]) / (2 * step))
    return np.array(found)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("grouped", [False, True])
def test_missed_positives_move_a_mean_as_far_as_its_derivatives_say(average, grouped):
    """One more positive that was missed makes its ranking worse, and weigh more in the mean."""
    rng, n = np.random.default_rng(0), 12
    y, score = rng.random((n, 2)) < 0.5, rng.random((n, 2))
    groups, missed, given = np.arange(n) % 2, np.array([2, 5]), {"average": average}
    if grouped:
        y, score, given = y[:, 0], score[:, 0], given | {"groups": groups}
    found = y.T @ np.ones(n) if not grouped else np.bincount(groups, y)

    def counts(exist):
        return dict(enumerate(exist)) if grouped else exist

    def value(weight, missed):
        mass = np.bincount(groups, y * weight) if grouped else y.T @ weight
        own = {"sample_weight": weight, "n_positives": counts(mass + missed)}
        return ap.average_precision_score(y, score, **given, **own)

    weight, size = np.ones(n), n + missed.sum()
    squares = np.square(slope(value, weight, missed, at=0)).sum()
    squares += missed @ np.square(slope(value, weight, missed, at=1))
    given |= {"clusters": rng.permutation(n)} if grouped else {}
    one = confidence_interval(y, score, **given, n_positives=counts((found + missed).astype(int)))
    expected = (size / (size - 1) * squares) ** 0.5
    assert one.standard_error == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("average", "labels", "given", "of_mean"), [
    # Row 0 is positive in both classes: 5/12 of the mean. Row 1 is 1/4, and two missed ones 1/6.
    ("macro", [[1, 1], [1, 0], [0, 0]], {}, 24 / 7),
    # Two positives of the first group are 1/4 each, and one of the second and two missed ones 1/6.
    ("macro", [1, 1, 0, 1, 0], {"groups": [0, 0, 0, 1, 1]}, 24 / 5),
    ("binary", [1, 0, 1, 1], {}, 5),
], ids=["classes", "groups", "one ranking"])  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_missed_positives_are_units_with_positives(average, labels, given, of_mean, weighted):
    labels, scores = np.array(labels), np.arange(np.size(labels)).reshape(np.shape(labels))
    weight = np.ones(len(labels)) if weighted else None
    given = given | {"average": average, "sample_weight": weight}
    units = SamplingUnits.from_rankings(read_rankings(Inputs(labels, scores, **given)))
    missed = np.array([2] if average == "binary" else [0, 2])
    n_rankings = missed.size
    holding = replace(units, unscored=missed).count_positive_units(
        np.full(n_rankings, 1 / n_rankings)
    )
    found = [5] if average == "binary" else [2, 3]
    assert (holding.n_units.tolist(), holding.equal_units.tolist()) == (found, pytest.approx(found))
    assert holding.equal_units_of_mean == pytest.approx(of_mean)


@pytest.mark.parametrize("k", [1, 10])
def test_an_enrichment_factor_is_at_most_what_the_fraction_of_positives_allows(k):
    """The first 40 of 100 samples are positive."""
    y = np.repeat([1, 0], [40, 60])
    fewer = np.exp(stats.norm.ppf(0.975) * np.sqrt(0.6 / 40))
    for metric, value in ((f"EF@{k}%", 100 / 40), (f"R@{k}", k / 40)):
        found = ap.confidence_interval(y, -np.arange(100), metric=metric, random_state=0)
        assert found.value == pytest.approx(value)
        assert value < found.high <= value * fewer * (1 + 1e-9)
        assert found.low == pytest.approx(value * 0.025 ** (1 / k))
        if k == 1:
            assert found.high == pytest.approx(value * fewer)


def test_nothing_in_the_first_samples_says_as_much_about_recall_as_about_precision():
    y = np.repeat([0, 1, 0], [10, 40, 50])
    given = {"random_state": 0, "metric": "P@10"}
    precision = ap.confidence_interval(y, -np.arange(100), **given)
    fewer = np.exp(stats.norm.ppf(0.975) * np.sqrt(0.6 / 40))
    for metric, perfect in (("R@10", 10 / 40), ("EF@10%", 100 / 40)):
        found = ap.confidence_interval(y, -np.arange(100), random_state=0, metric=metric)
        assert 0 < found.high <= precision.high * perfect * fewer * (1 + 1e-9)


@pytest.mark.parametrize(("metric", "least"), [
    ("precision_at_recall_0.8", 40 / (40 + 98 / 3)), ("P@1%", 0.025 ** (1 / 20))
])  # fmt: skip
def test_heavy_negatives_may_be_missing_from_the_top_of_what_has_no_k(metric, least):
    """All of 40 positives rank above 60 negatives of weight 98/3, of which another one may be on
    top. The top 1% of the weight are 20 positives, and may be fewer.
    """
    y, score = np.repeat([1, 0], [40, 60]), -np.arange(100.0)
    given = {"metric": metric, "random_state": 0, "sample_weight": np.where(y, 1, 98 / 3)}
    with pytest.warns(UserWarning, match="A few negatives of weight"):
        found = ap.confidence_interval(y, score, **given)
    assert (found.value, found.low) == pytest.approx((1, least), rel=1e-9)


def spread_of(interval):
    return vary_value(*interval.source.data.get("spread", "")).spread


def test_a_group_without_positives_loses_nothing_to_one_more_negative():
    """Its value is that of `zero_division`, whatever its ranking is."""
    y, score, group, cluster = (
        [1, 0, 1, 0, 1, 0, 0, 0],
        range(8, 0, -1),
        [0, 0, 0, 0, 0, 0, 1, 1],
        [0, 1] * 4,
    )
    given = {"groups": group, "clusters": cluster}
    spreads = [
        spread_of(confidence_interval(y, score, zero_division=value, **given))
        for value in (0.0, 1.0)
    ]
    losses = [spread.compute_losses_at_top() for spread in spreads]
    np.testing.assert_array_equal(*losses)
    assert losses[0][0] > losses[0][1] == 0
    alone = confidence_interval(y, score, zero_division=np.nan, **given).standard_error
    assert spreads[0].standard_error == pytest.approx(alone / 2)  # of two groups


# One of these intervals ended lower at 90% than at 50%.
@pytest.mark.sweep(6)
@pytest.mark.parametrize("seed", [31, 41, 55, 92, 137, 2702])
def test_intervals_of_usual_levels_are_nested(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    groups, clusters = rng.integers(0, 7, n), rng.integers(0, 5, n)
    y, score = rng.random(n) < 0.4, rng.standard_normal(n).round(1)
    levels = [0.5, 0.8, 0.87, 0.9, 0.93, 0.95, 0.99, 0.999]
    for average in ("macro", "weighted"):
        for metric in ("AP", "11-point", "P@3"):
            given = {"groups": groups, "clusters": clusters, "average": average, "metric": metric}
            found = confidence_interval(y, score, zero_division=0.0, random_state=0, **given)
            lows, highs = zip(
                *(spread_of(found).compute_limits(level) for level in levels), strict=True
            )
            assert [*lows] == sorted(lows, reverse=True), (average, metric)
            assert [*highs] == sorted(highs), (average, metric)


@pytest.mark.filterwarnings("ignore:A few negatives")
@pytest.mark.parametrize(
    "weight", [[1e-200, 1e-200, 1e-200, 1], [1e-300, 1e308, 1, 1], [1e-310, 1e307, 1, 1]], ids=str
)
def test_weights_far_apart_have_an_interval(weight):
    """The arithmetic neither overflows with a warning nor becomes undefined."""
    found = confidence_interval([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], sample_weight=weight)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_nothing_is_known_of_models_without_a_hit_but_where_groups_have_values():
    y, score = np.tile([1, 0, 0, 0], 12), np.tile(np.arange(4), 12) + 4 * np.arange(48)
    given = {"metric": "P@2", "random_state": 0}
    found = ap.compare(y, score, score + y / 2, **given)
    assert (found.reason, str(found.pvalue)) == ("no hit in the top 2", "nan")
    found = ap.compare(y, score, score + y / 2, groups=np.arange(48) // 4, **given)
    assert (found.reason, found.pvalue) == ("", 1)
    given["metric"] = ap.metric("recall_at_precision_score", min_precision=0.9)
    found = ap.compare(y, score, score + y / 2, **given)
    assert (found.reason, found.pvalue) == ("", 1)


def test_a_class_without_positives_counts_in_a_micro_average():
    labels, scores = np.eye(8, 3) * [1, 1, 0], np.arange(24).reshape(8, 3) * 7 % 24
    value = confidence_interval(labels, scores, average="micro").value
    assert value == ap.average_precision_score(labels, scores, average="micro")
