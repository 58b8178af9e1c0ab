"""Influences against finite differences, intervals against their parts, and tests against SciPy."""

import dataclasses
import re
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap._enter.metric import read_rule
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._read.validation import read_rankings
from sklearn_ap.core import resampling
from sklearn_ap.core.units import SamplingUnits
from sklearn_ap.inference import compare, confidence_interval

from . import oracle
from .by_page import lacked, weigh
from .registry import RULES
from .strategies import DYADIC, rankings
from .units import contributions, contributions_by_name
from .values import compare_values

SMOOTH = {"step": oracle.step, "envelope": oracle.envelope, "linear": oracle.linear}
FUNCTIONS = {
    "step": ap.average_precision_score,
    "envelope": ap.interpolated_average_precision_score,
    "linear": ap.compat.trapezoidal_average_precision_score,
}
OPTIONS = {
    "n-point": ("5-point", {}),
    "float-grid": ("5-point float", {}),
    "at-k": ("at-k", {"k": 4}),
    "hit-rate-at-k": ("hit-rate-at-k", {"k": 10}),
    "precision-at-k": ("precision-at-k", {"k": 4}),
    "recall-at-k": ("recall-at-k", {"k": 4}),
    "enrichment-factor": ("enrichment-factor", {"k": 4}),
    "reciprocal-rank-at-k": ("RR@4", {}),
    "precision-at-recall": ("precision-at-recall", {"min_recall": 0.5}),
    "recall-at-precision": ("recall-at-precision", {"min_precision": 0.5}),
}
each_smooth = pytest.mark.parametrize("metric", SMOOTH)
each_rule = pytest.mark.parametrize(
    ("metric", "options"), [OPTIONS.get(name, (name, {})) for name in RULES]
)


def data(n=200, share=0.3, seed=0, better=1.0, ties=False):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    score = rng.standard_normal(n) + better * y
    return y, score.round(1) if ties else score


def table(n=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, n_classes)) < 0.4).astype(int)
    y[:2] = [[0] * n_classes, [1] * n_classes]
    return y, (rng.standard_normal((n, n_classes)) + y).round(1)


def some_weights(n):
    """With these weights, no two points of an envelope have the same height."""
    return np.random.default_rng(1).random(n) + 0.5


def by_differences(score, weights, step=Fraction(1, 10**15)):
    """Return each weight times the derivative with respect to it, in numbers of the step's type."""
    out = []
    weights = [type(step)(float(weight)) for weight in weights]
    for place, weight in enumerate(weights):
        low, high = (
            score([*weights[:place], weight + change, *weights[place + 1 :]])
            for change in (-step, step)
        )
        out.append(float(weight * (high - low) / (2 * step)))
    return out


# --- influence ---------------------------------------------------------------------------------
def influence(y, score, n_missed=0, groups=None, **given):
    """The derivative of the value with respect to the weight of each row, times that weight."""
    if groups is not None:  # whose rows are the sampling units
        given |= {"groups": groups, "clusters": np.arange(len(y))}
    interval = confidence_interval(y, score, **given)
    by_row = contributions_by_name(interval)
    n_units = len(by_row) + n_missed
    found = np.zeros(len(y))
    found[[*by_row]] = np.sqrt((n_units - 1) / n_units) * np.array([*by_row.values()])
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")  # of data that looks odd
@each_smooth
@given(ranking=rankings(positives=True, max_size=12, weights=DYADIC))
def test_influence_is_the_derivative_of_the_oracle(metric, ranking):
    """Unless a negative weighs more than positives do; see the next tests."""
    labels, scores, weights = ranking
    assume(np.count_nonzero(weights) > 1)  # a single sample has no interval
    weights = np.where(labels, np.max(weights), weights)
    found = influence(labels, scores, metric=metric, sample_weight=weights)
    curve = [T / N for r, _, T, N in oracle.points(labels, scores, weights) if r]
    peaks = (curve[i:].count(max(curve[i:])) for i in range(len(curve)))
    if metric == "envelope" and max(peaks, default=1) > 1:
        return  # there the derivatives to either side differ
    expected = by_differences(lambda w: SMOOTH[metric](labels, scores, w), weights)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert abs(found.sum()) < 1e-12


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", ["step", "linear"])
@given(ranking=rankings(positives=True, max_size=12), weight=st.integers(2, 30))
def test_the_influence_of_a_heavy_negative_is_what_leaving_out_its_excess_changes(
    metric, ranking, weight
):
    """For each unit of its weight, in fractions."""
    labels, scores = (np.asarray(column) for column in ranking[:2])
    assume(labels.size > 1)
    assume(not labels.all())
    weights = np.where(labels, 1, weight)
    found = influence(labels, scores, metric=metric, sample_weight=weights)
    value = SMOOTH[metric](labels, scores, [*map(Fraction, weights.tolist())])
    for place in np.flatnonzero(labels == 0):
        without = [*map(Fraction, weights.tolist())]
        without[place] = Fraction(1)
        gained = SMOOTH[metric](labels, scores, without) - value
        assert -found[place] == pytest.approx(float(gained * weight / (weight - 1)), abs=1e-12)


@pytest.mark.sweep(9)
@each_smooth
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("given", "missed"), [
    *(({"average": average}, 0) for average in ("macro", "weighted", "micro", "samples")),
    *(({"average": average, "groups": np.arange(40) % 5}, 0) for average in ("macro", "weighted")),
    ({}, 5),
], ids=str)  # fmt: skip
def test_influences_add_up(metric, weighted, given, missed):
    """To 0, but for what the positives would add that were not scored."""
    in_classes = "average" in given and "groups" not in given
    y, score = table(40) if in_classes else data(40, 0.5, ties=True)
    weights = some_weights(40) if weighted or metric == "envelope" else np.ones(40)

    def options(w):
        return given | {"zero_division": 0.0} | ({"n_positives": w @ y + missed} if missed else {})

    def value(w):
        return FUNCTIONS[metric](y, score, sample_weight=w, **options(np.array(w)))

    n_missed = 0
    if missed:  # units that weigh what the positives with a score do on average
        n_missed = np.ceil(missed / weights[y == 1].mean() - 1e-9)
    found = influence(y, score, n_missed, metric=metric, sample_weight=weights, **options(weights))
    np.testing.assert_allclose(found, by_differences(value, weights, step=1e-6), atol=1e-9)
    rest = missed * value(weights) / (weights @ y + missed)
    assert found.sum() == pytest.approx(np.max(rest), abs=1e-12)


@pytest.mark.parametrize("clusters", [None, np.arange(60) % 20])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "of one with missed positives"])
def test_weights_of_1_change_no_interval(average, clusters):
    y, score = table()
    given = {"average": average, "clusters": clusters}
    if average.startswith("of one"):
        y, score, given = y[:, 0], score[:, 0], {"n_positives": y[:, 0].sum() + 7}
    plain, weighted = (
        confidence_interval(y, score, sample_weight=weight, **given)
        for weight in (None, [1.0] * 60)
    )
    np.testing.assert_allclose([*plain], [*weighted], rtol=1e-12)


@pytest.mark.parametrize("groups", [None, np.arange(40) % 4])
def test_the_influence_of_a_cluster_is_the_sum_over_its_samples(groups):
    """Unless negatives of a cluster rank together, which then weigh more than a positive."""
    y, score = data(40)
    clusters = np.arange(40) // 5
    each = contributions(confidence_interval(y, score, groups=groups, clusters=clusters))
    sums = np.sqrt(8 / 7) * np.bincount(clusters, influence(y, score, groups=groups))  # of 8
    if groups is None:
        sums = np.sqrt(8 / 7) * weigh(y, score, cluster=clusters).influences
    np.testing.assert_allclose(sums, each, atol=1e-12)


# --- standard errors ---------------------------------------------------------------------------
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("options", [
    *({"metric": metric} for metric in SMOOTH),
    *({"average": average} for average in ("macro", "weighted", "micro")),
])  # fmt: skip
def test_standard_error_is_the_root_of_squared_influences(options, ties):
    y, score = table() if "average" in options else data(ties=ties)
    n = len(y)
    interval = confidence_interval(y, score, **options)
    expected = np.sqrt(np.sum(influence(y, score, **options) ** 2) * n / (n - 1))
    assert interval.method == "influence"
    assert interval.standard_error == pytest.approx(expected, rel=1e-12)
    assert interval.low < interval.value < interval.high


@pytest.mark.parametrize("n_missed", [5, 60])
def test_positives_that_were_not_scored_are_units(n_missed):
    y, score = data(100)
    total, n_units = int(y.sum()) + n_missed, 100 + n_missed
    found = influence(y, score, n_missed, n_positives=total)
    value = ap.average_precision_score(y, score, n_positives=total)
    squares = np.sum(found**2) + n_missed * (value / total) ** 2
    expected = np.sqrt(squares * n_units / (n_units - 1))
    for weight in (None, np.ones(100)):
        given = {"n_positives": total, "sample_weight": weight, "random_state": 0}
        interval = confidence_interval(y, score, **given)
        assert (interval.value, interval.standard_error) == pytest.approx((value, expected))
        drawn = confidence_interval(y, score, method="bootstrap", **given)
        assert drawn.standard_error == pytest.approx(expected, rel=0.15)


def test_groups_without_positives_count_or_are_left_out():
    y, score, groups = np.array([1, 0, 0, 1, 0, 0]), np.arange(6.0), [0, 0, 1, 1, 2, 2]
    with pytest.warns(UndefinedMetricWarning):
        assert confidence_interval(y, score, groups=groups).basis == "3 groups, 2 with positives"
    left_out = {"groups": groups, "zero_division": float("nan")}
    assert confidence_interval(y, score, **left_out).basis == "2 groups"
    found = influence(y, score, **left_out)
    assert not found[4:].any()
    kept = influence(y[:4], score[:4], groups=groups[:4])
    np.testing.assert_allclose(found[:4], kept, atol=1e-15)
    alone = influence(y, score, groups=[0, 0, 0, 1, 2, 2], zero_division=float("nan"))
    np.testing.assert_allclose(alone[:3], influence(y[:3], score[:3]) / 2)


def test_classes_without_positives_are_left_out_with_their_counts_if_told():
    y, score = table()
    y[:, 1] = 0
    with pytest.raises(ValueError, match=r"1 of 3 classes \(1\).*zero_division=nan"):
        confidence_interval(y, score)
    kept = [0, 2]
    for exist, rest in ((None, None), ([40, 0, 100], [40, 100])):
        found = confidence_interval(y, score, n_positives=exist, zero_division=np.nan)
        assert found == confidence_interval(y[:, kept], score[:, kept], n_positives=rest)


# --- intervals ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("metric", "least"), [("AP", 0.9), ("interpolated AP", 0.8)])
def test_the_mean_over_many_classes_is_as_much_too_high_as_each(metric, least):
    """The scores of positives have the mean 1, and those of negatives 0; one in ten is positive."""
    grid = np.linspace(-8, 9, 20_001)
    found, missed = 0.1 * stats.norm.sf(grid - 1), 0.9 * stats.norm.sf(grid)
    truth = trapezoid(found / (found + missed) * stats.norm.pdf(grid - 1), grid)
    contain = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.permuted(np.repeat(np.arange(200) < 20, 10).reshape(-1, 10), axis=0).astype(int)
        interval = confidence_interval(y, rng.standard_normal(y.shape) + y, metric=metric)
        contain += interval.low < truth < interval.high
    assert contain > least * 60  # without the allowance, 7 in 10 do, or 6 in 10


@each_rule
def test_every_rule_has_an_interval(metric, options):
    y, score = data(80, ties=True)
    rule = read_rule("test", metric, options)
    if not rule.takes_weights and not rule.takes_equal_weights:
        with pytest.raises(ValueError, match="a single ranking doesn't tell"):
            confidence_interval(y, score, metric=metric, **options)
        return
    interval = confidence_interval(y, score, metric=metric, random_state=0, **options)
    assert interval.method == ("influence" if rule.is_smooth else "bootstrap")
    most = 80 / 4 if metric == "enrichment-factor" else 1
    assert 0 <= interval.low <= interval.value <= interval.high <= most
    assert interval.low < interval.high
    if not rule.is_smooth:
        with pytest.raises(ValueError, match="no influence in closed form"):
            confidence_interval(y, score, metric=metric, method="influence", **options)


# --- what one more negative at the top would do ------------------------------------------------
def strong(n=200, seed=0):
    """A ranking with a single negative above a single positive."""
    y, score = data(n, 0.5, seed, better=0)
    score = np.abs(score) * np.where(y, 1, -1)
    score[np.flatnonzero(y == 0)[0]] = np.sort(score[y == 1])[:2].mean()
    return y, score


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("is_nearly_perfect", [False, True])
def test_the_lower_end_allows_for_a_negative_at_the_top(level, is_nearly_perfect):
    """Also that of a ranking in which no negative shows what one may cost."""
    y, score = strong() if is_nearly_perfect else data(200)
    found = confidence_interval(y, score, confidence_level=level)
    cost = found.value - ap.average_precision_score(np.append(y, 0), np.append(score, 99))
    reach = stats.t.ppf((1 + level) / 2, y.sum() - 1) * found.standard_error
    by_t = expit(logit(found.value) - reach / (found.value * (1 - found.value)))
    moved = found.value - np.hypot(found.value - by_t, cost)
    assert found.low == pytest.approx(moved, rel=1e-9)
    given = {"confidence_level": level, "sample_weight": np.full(200, 3.0)}
    same = confidence_interval(y, score, **given)
    assert same.low == pytest.approx(found.low, rel=1e-9)


@pytest.mark.filterwarnings("ignore:A few negatives")
def test_a_perfect_ranking_with_heavy_negatives_proves_little():
    """Each of 20 negatives stands for 100, of which others may rank at the top."""
    y, score = np.repeat([1, 0], 20), -np.arange(40.0)
    weights = np.full(40, 7.0), np.where(y, 1.0, 100.0)
    plain, heavy = (confidence_interval(y, score, sample_weight=weight) for weight in weights)
    positives = np.arange(1, 21)
    assert plain.low == pytest.approx(min(np.mean(positives / (positives + 1)), 0.025 ** (1 / 20)))
    assert heavy.low == pytest.approx(np.mean(positives / (positives + 100)))


def ranked(labels, total):
    """Return these labels, followed by negatives, and scores in this order."""
    return np.append(labels, np.zeros(total - len(labels), int)), -np.arange(total)


def test_precision_at_k_varies_with_the_positives_if_all_are_found():
    """All 22 positives are in the top 30, but 300 other samples may well have 30 of them."""
    given = {"metric": "precision_at_30", "n_resamples": 1999, "random_state": 0}
    found = confidence_interval(*ranked([1] * 22, 300), **given)
    assert stats.binom(300, 22 / 300).ppf([0.025, 0.975]).tolist() == [14, 31]
    assert tuple(found) == pytest.approx((22 / 30, 14 / 30, 1), abs=1.01 / 30)


def test_the_last_positive_may_be_lower_than_it_is():
    """Precision at a recall of 1 is 10/11 here, but may be as low as 10/100."""
    metric = "11_point_average_precision"
    found = confidence_interval(*ranked([1] * 9 + [0, 1], 100), metric=metric, random_state=0)
    assert found.value == pytest.approx((10 + 10 / 11) / 11)
    lost = (10 / 11 - 10 / 100) / 11
    assert found.low <= found.value - stats.norm.ppf(0.975) * lost / 2 + 1e-12


def test_a_negative_at_the_top_may_be_all_of_the_top():
    """With 8 rows, k=0.1 counts one row, which then is no positive."""
    given = {"sample_weight": [2.0, 2, 2, 1, 2, 2, 1, 1], "k_counts": "samples", "random_state": 0}
    found = confidence_interval([1, 1, 0, 1, 0, 0, 0, 0], range(8, 0, -1), metric="P@10%", **given)
    assert tuple(found) == pytest.approx((1, 0.025, 1))  # that of one positive


def test_the_negative_at_the_top_has_the_usual_weight():
    """The sum of squared weights of negatives, divided by that of their weights."""
    y, score = strong()
    weight = np.where(y, 1.0, 0.1)
    weight[(y == 0) & (score > 0)] = 2.0
    found = confidence_interval(y, score, sample_weight=weight)
    usual = (weight[y == 0] ** 2).sum() / weight[y == 0].sum()
    order = np.argsort(-score)
    hits, mass = np.cumsum((y * weight)[order]), np.cumsum(weight[order])
    cost = found.value - np.sum((y * weight)[order] * hits / (mass + usual)) / y.sum()
    scale = found.value * (1 - found.value)
    by_t = expit(
        logit(found.value) - stats.t.ppf(0.975, y.sum() - 1) * found.standard_error / scale
    )
    moved = found.value - np.hypot(found.value - by_t, cost)
    assert found.low == pytest.approx(moved, rel=1e-9)


# --- dead data ---------------------------------------------------------------------------------
LIVELY = np.arange(40) % 7 + np.arange(40) / 100
FEW = {"groups": np.arange(40) // 4}
TOP = {"metric": "P@5", "random_state": 0}
ZERO = {"zero_division": 0.0}


@pytest.mark.parametrize(("score", "given", "words"), [
    (np.zeros(40), {}, "All prediction scores of the model 'new' are 0.0, .* right column"),
    (np.zeros(40), FEW, "All prediction scores of the model 'new' are 0.0"),
    (LIVELY > 3, {}, "'new' has only the prediction scores False and True. .* not predict"),
    (LIVELY.clip(None, 4), TOP, "'new' has more than twice .* the top 5, .* or clipped"),
    (LIVELY.clip(None, 1), FEW | TOP | {"metric": "P@1"}, "'new' has more than .* into the top 1,"),
    (LIVELY, {"y_true": np.ones(40)}, "All rows of the model 'new' are positive, .* negatives"),
])  # fmt: skip
def test_a_model_that_hardly_ranks_anything_is_warned_of(score, given, words):
    """Intervals, comparisons and reports warn once, and name the model."""
    given = {"y_true": np.arange(40) % 4 == 0} | given
    models, metric = {"new": score, "old": LIVELY}, given.pop("metric", "AP")
    metrics = [metric, metric.replace("P@", "R@").replace("AP", "envelope")]
    for call in (
        lambda: confidence_interval(y_score=score, name="new", metric=metric, **given),
        lambda: compare(y_score_a=models, metric=metric, **given),
        lambda: ap.report(y_score=models, metrics=metrics, **given),
    ):
        with pytest.warns(UserWarning, match=words) as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("k", "n_tied"), [(k, 2 * k + more) for k in (1, 10, 50) for more in (0, 1)]
)
def test_more_than_twice_as_many_ties_as_the_top_holds_are_warned_of(k, n_tied):
    """As the page says; the value still depends on the ranking with fewer."""
    y, score = np.arange(400) % 3 == 0, -np.maximum(np.arange(400.0), n_tied - 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        confidence_interval(y, score, metric=f"P@{k}", random_state=0)
    words = f"more than twice as many ties at the top as fit into the top {k}, so"
    assert [words in str(each.message) for each in caught] == [True] * (n_tied > 2 * k)


def test_lists_that_k_does_not_cut_have_no_ties_to_warn_of():
    """The first places of 25 lists have the same score, but none of them shares its list."""
    group, score = np.repeat(np.arange(25), 12), np.tile(-np.arange(12), 25)
    given = {"groups": group, "n_positives": dict.fromkeys(range(25), 20)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confidence_interval(group % 3 == np.arange(300) % 3, score, metric="MAP@12", **given)


def test_an_engine_that_returned_nothing_is_warned_of():
    nothing = {"y_true": [], "y_score": [], "groups": [], "n_positives": dict.fromkeys("abc", 2)}
    with pytest.warns(UserWarning, match=r"^The model has no rows, .* is 0\. Did a filter"):
        confidence_interval(**nothing)
    exist = {"groups": np.arange(40) // 4, "n_positives": dict.fromkeys(range(12), 4)}
    words = "twice as many ties at the top as fit into the top 1"
    with pytest.warns(UserWarning, match=words):  # but for two groups
        confidence_interval(LIVELY > 5, LIVELY.clip(None, 1), metric="P@1", **exist)


# --- heavy negatives ---------------------------------------------------------------------------
def thinned(n=20_000, below=np.inf):
    """Return all positives, but only one in a hundred negatives with a score below this."""
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.01
    score = rng.standard_normal(n) + 2.5 * y
    thin = ~y & (score < below)
    kept = ~thin | (rng.random(n) < 0.01)
    return y[kept], score[kept], np.where(thin, 100.0, 1.0)[kept]


def test_a_few_heavy_negatives_are_warned_of_once():
    y, score, weight = thinned()
    kept = np.where(weight == 100, score.min() - 1, score)  # puts them where they do no harm
    for function, *scores in (
        (confidence_interval, score),
        (compare, score, -score),
        (compare, kept, score),
    ):
        words = "negatives of weight 100 largely determine this value"
        with pytest.warns(UserWarning, match=words) as caught:
            function(y, *scores, sample_weight=weight)
        assert [warning.filename for warning in caught] == [__file__]


RARE, CHANCE = np.arange(400) < 20, np.random.default_rng(0).standard_normal(400)


@pytest.mark.parametrize(("y", "score", "given"), [
    (LIVELY > 5, LIVELY, TOP),
    (LIVELY > 5, LIVELY.round(), TOP),  # with ties
    (LIVELY > 5, -(np.arange(40) % 2), {"groups": np.arange(40) // 2} | ZERO),  # only two ranks
    (LIVELY > 5, np.zeros(40), {"groups": np.arange(40)} | ZERO),  # only one rank
    (LIVELY > 5, LIVELY.clip(None, 5), {"groups": np.arange(40) // 8, "metric": "P@1"}),
    ([1, 0, 1, 0], [2, 2, 1, 1], {}),
    ([1, 1], [2, 1], {}),
    *((RARE, CHANCE, {"sample_weight": weight}) for weight in (
        np.full(400, 100.0), np.where(RARE, 100.0, 1.0), np.where(RARE, 1.0, 4.0),
        np.random.default_rng(0).exponential(1, 400))),
    *((y, score, {"sample_weight": weight})  # more than 100 heavy ones, or low ones
      for y, score, weight in (thinned(n=600_000), thinned(below=1.5))),
])  # fmt: skip
def test_usual_models_and_weights_are_not_warned_of(y, score, given, recwarn):
    confidence_interval(y, score, **given)
    assert not recwarn.list


def by_day(keep=0.05, n_days=15, below=np.inf):
    """Return days whose negatives with a score below this were thinned, with their weights."""
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(n_days), 1000)
    y = rng.random(day.size) < 0.02
    score = (rng.standard_normal(day.size) + 1.5 * y).round(1)
    thin = ~y & (score < below)
    kept = ~thin | (rng.random(day.size) < keep)
    columns = {"y": y, "a": score, "b": -score, "day": day, "w": np.where(thin, 1 / keep, 1.0)}
    return {name: column[kept] for name, column in columns.items()}


TOP_5 = ap.metric("AP@5%", k_counts="weight")


@pytest.mark.parametrize("function", [
    lambda given: confidence_interval("y", "a", **given),
    lambda given: confidence_interval("y", "a", metric="11-point", **given),
    lambda given: confidence_interval("y", "a", metric=TOP_5, **given),
    lambda given: confidence_interval("y", "a", average="weighted", method="bootstrap", **given),
    lambda given: compare("y", "a", "b", **given),
    lambda given: ap.report("y", ["a"], metrics=["AP"], **given),
])  # fmt: skip
def test_heavy_negatives_of_groups_are_warned_of_once(function):
    """The mean over days was 0.08 higher than with all negatives, far outside of the interval."""
    words = "A few negatives of weight 20 largely determine the value of each group"
    with pytest.warns(UserWarning, match=words) as caught:
        function({"sample_weight": "w", "groups": "day", "data": by_day()})
    assert len(caught) == 1


@pytest.mark.parametrize("table", [
    by_day(keep=0.5),
    by_day(keep=0.05, below=0.3),  # where hardly any positives are
    by_day() | {"w": np.random.default_rng(1).lognormal(0, 1.5, by_day()["y"].size)},  # amounts
    by_day() | {"w": np.where(by_day()["y"], 20.0, 1.0)},
], ids=["half", "only low ones", "amounts", "heavy positives"])  # fmt: skip
def test_usual_weights_in_groups_are_not_warned_of(table, recwarn):
    confidence_interval("y", "a", groups="day", sample_weight="w", data=table)
    assert not recwarn.list


def test_many_groups_are_warned_of_where_few_are_not():
    """The bias is that of each group, but the interval becomes narrower."""
    given = {"groups": "day", "sample_weight": "w"}
    for keep, n_days in ((0.5, 1500), (0.2, 100)):
        confidence_interval("y", "a", **given, data=by_day(keep, n_days // 20))
        with pytest.warns(UserWarning, match="more groups don't remove the bias"):
            confidence_interval("y", "a", **given, data=by_day(keep, n_days))


def test_a_few_clusters_of_negatives_are_warned_of_as_clusters():
    y = np.repeat([1, 0, 1, 0], [3, 40, 2, 60])
    image = np.repeat([0, 1, 2, 5, 3, 4, 6], [1, 1, 1, 40, 1, 1, 60])
    given = {"y_true": y, "y_score": -np.arange(y.size), "clusters": image}
    words = r"A few clusters, each with about 40 negatives .* Evaluate more clusters"
    named = {name: name for name in given} | {"data": given}
    for options, expected in (
        (given, words),
        (given | {"sample_weight": np.full(y.size, 2)}, words),
        (given | {"sample_weight": np.where(y, 1, 2)}, r"negatives of weight 8\d* largely"),
        (named, r"A few clusters, each with about 40"),
    ):
        with pytest.warns(UserWarning, match=expected):
            confidence_interval(**options)


def test_a_weighted_mean_has_the_freedom_of_as_many_equal_groups():
    """Weights of 3, 1, 1 and 1 say as much as three equal ones."""
    y, score = [1, 0, 1, 1, 0, 1, 0, 1, 0, 1], [5, 4, 3, 2, 2, 1, 1, 2, 2, 1]
    groups = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3]
    value, low, high = found = confidence_interval(y, score, groups=groups, average="weighted")
    each = ap.average_precision_score(y, score, groups=groups, average=None)
    deviations = np.array([3, 1, 1, 1]) / 6 * (each - value)
    error = np.sqrt(np.square(deviations).sum() * 4 / 3)
    assert found.standard_error == pytest.approx(error)
    reach = stats.t.ppf(0.975, 3 - 1) * error / (value * (1 - value))
    best_missed = value + lacked(3) * (np.max(each) - value)
    assert low == pytest.approx(expit(logit(value) - reach))
    assert high == pytest.approx(max(expit(logit(value) + reach), best_missed))


@pytest.mark.parametrize(
    ("positives", "trials"), [([3, 1, 1, 1], 3), ([2, 2, 2], 3), ([0, 1, 1, 0], 2), ([4, 2], 1.8)]
)
@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_a_few_clusters_with_most_positives_say_less(positives, trials, weight):
    """A perfect ranking says as much as so many equal clusters, or weighted positives."""
    n = len(positives)
    cluster = np.r_[np.repeat(np.arange(n), positives), np.arange(n)]
    in_clusters = {"y_true": np.arange(cluster.size) < sum(positives), "clusters": cluster}
    for own, masses in (
        (in_clusters, np.ones(cluster.size)),
        ({"y_true": np.arange(9) < n}, np.append(positives, np.ones(9 - n))),
    ):
        own = own | {"y_score": -np.arange(masses.size), "sample_weight": weight * masses}
        found = confidence_interval(**own)
        assert found.low == pytest.approx(0.025 ** (1 / trials), rel=1e-12)


def test_headers_say_how_many_equal_clusters_or_positives_would_say_as_much():
    """One of eight patients has 20 of 27 positives: all say as much as 27**2 / 407 equal ones."""
    patient = pd.Series(np.r_[np.arange(8), np.zeros(19, int), np.arange(8)], name="patient")
    y, score = np.arange(35) < 27, np.random.default_rng(0).random(35)
    found = compare(y, score, -score, clusters=patient)
    assert found.basis == "8 patients, effectively 1.8"
    (note,) = found.notes
    least = f"{found.least_margin:.2g}"
    units = "effectively 1.8 patients with positives"
    assert (
        note.text
        == f"With {units}, the smallest margin within which equivalence can be shown is {least}."
    )
    found = confidence_interval(y[19:], score[19:], sample_weight=[20, *[1] * 15])
    assert found.basis == "8 positives, effectively 1.8"


@pytest.mark.parametrize(("positives", "missed"), [([4], 1), ([3, 1], 1), ([9, 1, 1], 2)])
def test_headers_count_a_missed_positive_as_a_cluster_of_its_own(positives, missed):
    cluster = np.r_[np.repeat(np.arange(len(positives)), positives), np.arange(8)]
    y, score = (
        np.arange(cluster.size) < sum(positives),
        np.random.default_rng(0).random(cluster.size),
    )
    found = confidence_interval(y, score, clusters=cluster, n_positives=sum(positives) + missed)
    n_equal = (sum(positives) + missed) ** 2 / (sum(np.square(positives)) + missed)
    assert found.basis == (
        f"8 clusters, {len(positives) + missed} with positives, effectively {n_equal:.1f}"
    )


@pytest.mark.parametrize("factor", [1, 10, 1_000])
def test_precision_at_k_says_as_much_whatever_the_rows_far_below_weigh(factor):
    """A single positive with nearly all of the weight would say nothing."""
    rng = np.random.default_rng(0)
    y, score, weight = rng.random(200) < 0.4, rng.permutation(200), rng.lognormal(0, 0.3, 200)
    weight[score < 80] *= factor
    at_k = ap.metric("precision_at_k", k=20, k_counts="samples")
    found = confidence_interval(y, score, metric=at_k, sample_weight=weight, random_state=0)
    assert found.notes == ()
    assert 0.1 < found.low < found.high < 0.75


# --- bootstrap ---------------------------------------------------------------------------------
def check_resamples(rule, units, value):
    """Compare resamples with `value`, a function of how often each unit was drawn."""
    n_rankings = units.cells.n_rankings
    draws = resampling.draw_units(rule, [units], 30, np.random.default_rng(0))
    each = np.concatenate(
        [resampling.evaluate_draws(rule, points, n_rankings) for _, points in draws]
    )
    drawn = resampling._draw_in_batches(units.size, n_rankings, 30, np.random.default_rng(0))
    for times, found in zip(np.hstack(list(drawn)).T, each, strict=True):
        value(times, *found)


@pytest.mark.sweep(5)
@each_rule
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k_counts", ["weight", "samples"])
def test_resamples_are_scores_of_repeated_samples(metric, options, weighted, k_counts):
    y, score = data(40, ties=True)
    weights = np.random.default_rng(1).integers(1, 4, 40) if weighted else None
    counts_rows = k_counts == "samples" and "k" in options and metric != "hit-rate-at-k"
    rule = read_rule("test", metric, options | ({"k_counts": k_counts} if counts_rows else {}))

    def of(kept):
        weight = None if weights is None else weights[kept]
        return read_rankings(Inputs(y[kept], score[kept], sample_weight=weight))

    def same(times, found, _):
        again = of(np.repeat(np.arange(40), times))
        expected = rule.values(again.points(rule.cut)).item()
        assert found.item() == pytest.approx(expected, nan_ok=True)

    check_resamples(
        rule,
        SamplingUnits.from_rankings(of(np.arange(40)), every_point=weighted and counts_rows),
        same,
    )


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "binary"])
def test_resamples_of_classes_and_clusters(average):
    y, score = data(60) if average == "binary" else table()
    cluster = np.arange(60) % (8 if average == "binary" else 60)
    units = SamplingUnits.from_rankings(read_rankings(Inputs(y, score, average=average)), cluster)

    def same(times, values, found):
        mean = np.average(values, weights=found if average == "weighted" else None)
        options = {} if average == "binary" else {"average": average}
        expected = ap.average_precision_score(y, score, sample_weight=times[cluster], **options)
        assert mean == pytest.approx(expected)

    check_resamples(read_rule("test", "step", {}), units, same)


@pytest.mark.parametrize(("sample", "options"), [
    (data(4000, 0.02), {}),
    (data(4000), {"clusters": np.arange(4000)}),
    (data(600, 0.6), {"groups": np.arange(600) % 60}),
    (table(2000), {"average": "weighted"}),
    (table(2000), {"average": "weighted",
                   "n_positives": np.add(table(2000)[0].sum(0), [99, 200, 0])}),
])  # fmt: skip
def test_bootstrap_agrees_with_influence(sample, options):
    closed, drawn = (
        confidence_interval(*sample, method=method, random_state=0, **options)
        for method in ("influence", "bootstrap")
    )
    assert drawn.method == "bootstrap"
    assert drawn.standard_error == pytest.approx(closed.standard_error, rel=0.1)


# --- comparisons -------------------------------------------------------------------------------


@pytest.mark.sweep(4)
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("n_points", [11, 101])
def test_upper_ends_reach_as_far_as_the_middle_of_resamples(n_points, level):
    """Two-sided, although the value tends to be too high."""
    rng, score = np.random.default_rng(1), ap.metric("envelope", n_points=n_points)
    y, s = rng.random(60) < 0.5, rng.normal(size=60)
    drawn = [score(y[rows], s[rows]) for rows in rng.integers(0, 60, (1500, 60))]
    asked = {"confidence_level": level, "n_resamples": 1500, "random_state": 0}
    found = confidence_interval(y, s, metric=score, method="bootstrap", **asked)
    assert found.high > np.quantile(drawn, (1 + level) / 2) - 0.2 * np.std(drawn)


def test_draws_of_many_counts_are_multinomial():
    """All samples of a resample have to be somewhere, so its counts depend on each other."""
    counts = np.arange(9, 209)
    size, few = counts.sum(), counts[:100].sum()
    drawn = resampling._draw_counts(counts, 4000, np.random.default_rng(0))
    assert (drawn.sum(axis=1) == size).all()
    assert drawn.mean(axis=0) == pytest.approx(counts, rel=0.03)
    assert drawn.var(axis=0) == pytest.approx(counts * (1 - counts / size), rel=0.12)
    assert drawn[:, :100].sum(axis=1).var() == pytest.approx(few * (1 - few / size), rel=0.1)


def test_499_resamples_are_drawn_by_default():
    y, a = data(90, 0.7)
    found = confidence_interval(y, a, metric="P@10", random_state=0)
    assert found == confidence_interval(y, a, metric="P@10", random_state=0, n_resamples=499)


@pytest.mark.filterwarnings("ignore:A few negatives of weight")
def test_only_weights_in_the_top_matter_for_precision_at_k():
    """A few positives of the tail weigh most, which precision at 1% of the rows can't notice."""
    rng = np.random.default_rng(0)
    y = rng.random(6000) < 0.2
    score = rng.standard_normal(6000) + 2 * y
    weight = np.where((score <= 3) & (rng.random(6000) < 0.01), 1000.0, 1.0)
    given = {"sample_weight": weight, "k_counts": "samples", "random_state": 0}
    value, low, high = confidence_interval(y, score, metric="P@1%", **given)
    plain = confidence_interval(y, score, metric="P@1%", random_state=0)
    assert value == plain.value
    assert (low, high) == pytest.approx((plain.low, plain.high), abs=0.02)


# --- results -----------------------------------------------------------------------------------


def cells_of(result, model):
    """Return the printed cells of a model."""
    (line,) = [line for line in str(result).splitlines() if line.startswith(f"{model}  ")]
    return re.split("  +", line)


@pytest.mark.parametrize("order", [1, -1])
def test_a_difference_whose_interval_contains_0_could_be_chance(order):
    models = [[8, 7, 6, 5, 4, 3, 2, 1], [8, 7, 1, 5, 4, 3, 2, 6]][::order]
    found = compare([1, 0, 1, 1, 0, 1, 0, 0], *models)
    assert found.low < 0 < found.high
    assert found.difference * order > 0
    limits = f"{found.low:.3f} to {found.high:.3f}"
    cells = [f"{0.146 * order:+.3f}", limits, f"{found.pvalue:.3f}", "unclear"]
    assert cells_of(found, "A")[2:] == cells
    same = compare([1, 0, 1, 0], [4, 3, 2, 1], [4, 3, 2, 1])
    limits = f"{same.low:.3f} to {same.high:.3f}"
    assert cells_of(same, "A")[2:] == ["0.000", limits, "1.000", "unclear"]


@pytest.mark.parametrize("order", [1, -1])
def test_a_small_difference_is_called_better_if_it_is(order):
    """Also if it rounds to 0."""
    rng = np.random.default_rng(0)
    a = rng.random(400)
    values = {"A": a + rng.normal(4e-4, 2e-3, 400), "B": a}
    found = compare_values(values["AB"[order < 0]], values["AB"[order > 0]])
    assert abs(found.difference) < 5e-4
    assert found.pvalue < 0.001
    limits, verdict = ">0.000 to 0.001", "better"
    if order < 0:
        limits, verdict = "-0.001 to <0.000", "worse"
    assert cells_of(found, "A")[2:] == ["0.000", limits, "<0.001", verdict]


def test_a_comparison_says_that_a_model_is_better_only_if_the_interval_excludes_0():
    y, a = data(100)
    found = compare(y, a, -a, confidence_level=0.9)
    heading, header, *_ = str(found).splitlines()
    assert heading == f"Average precision: {int(y.sum())} positives"
    assert header.endswith("  p  verdict at 90%")
    (value, other), (difference, low, high) = found.values, found
    limits = f"{low:.3f} to {high:.3f}"
    assert cells_of(found, "A")[1:] == [
        f"{value:.3f}", f"{difference:+.3f}", limits, "<0.001", "better"
    ]  # fmt: skip
    assert cells_of(found, "B")[1:] == [f"{other:.3f}", "baseline"]
    mirrored = compare(y, -a, a, confidence_level=0.9)
    limits = f"{-high:.3f} to {-low:.3f}"
    assert cells_of(mirrored, "A")[2:] == [f"{-difference:+.3f}", limits, "<0.001", "worse"]
    fields = {field.name for field in dataclasses.fields(found) if field.repr}
    assert set(found.to_dict()) == fields | {"version", "conditions"}


GROUPS = np.arange(60) % 5
NAMES = [
    (data(60), {}, "Average precision", "17 positives"),
    (data(60), {"groups": GROUPS}, "Mean average precision", "5 groups"),
    (data(60), {"clusters": GROUPS}, "Average precision",
     "5 clusters, effectively 3.9"),
    (data(60), {"clusters": range(60)}, "Average precision", "60 clusters, 17 with positives"),
    (data(60), {"metric": "AP@10", "denominator": "hits"},
     "Average precision at 10 divided by hits", "17 positives"),
    (data(60), {"metric": "step", "ties": "expected"},
     "Average precision with expected ties", "17 positives"),
    (table(), {"average": "weighted"}, "Average precision (weighted)", "3 classes, 60 samples"),
    (([1, 0, 0], [3, 2, 1]), {}, "Average precision", "1 positive"),
    (([1, 0, 0, 0], [4, 3, 2, 1]), {"clusters": [*"aabb"]},
     "Average precision", "2 clusters, 1 with positives"),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "options", "metric", "basis"), NAMES)
def test_results_say_what_they_are_of(sample, options, metric, basis):
    found = confidence_interval(*sample, n_resamples=9, random_state=0, **options)
    assert (found.metric, found.basis) == (metric, basis)
    named = "" if found.method == "influence" else f"{found.method}, "
    assert f"\n{named}{found.basis}" in str(found)


@pytest.mark.parametrize("scale", [1e-315, 1e-300, 1e300])
@pytest.mark.parametrize(
    "function", [confidence_interval, influence, partial(influence, groups=np.arange(50) % 2)]
)
def test_the_scale_of_weights_does_not_matter(function, scale):
    weights = some_weights(50)
    found, expected = (function(*data(50), sample_weight=w) for w in (weights * scale, weights))
    assert tuple(found) == pytest.approx(tuple(expected), rel=1e-6, abs=1e-9)


# Enrichment factors, which may be more than 1
@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("share", "better"), [(0.02, 1.5), (0.02, 9), (0.02, -9), (0.05, 2), (0.3, 1), (0.3, 9)]
)
@pytest.mark.parametrize("ties", [False, True])
def test_an_enrichment_factor_varies_as_recall_does(share, better, ties):
    """The share that is tested is the same in every resample."""
    y, a = data(600, share, better=better, ties=ties)
    b = a - y + np.random.default_rng(2).standard_normal(600)
    for function, arrays in ((confidence_interval, (y, a)), (compare, (y, a, b))):
        factor, recall = (
            function(*arrays, metric=metric, k=0.05, random_state=0)
            for metric in ("enrichment_factor", "recall_at_k")
        )
        alike = partial(pytest.approx, rel=1e-9, nan_ok=True)  # nan if neither model has a hit
        assert list(factor) == alike([20 * value for value in recall])
        assert factor.standard_error == alike(recall.standard_error * 20)
    assert factor.pvalue == alike(recall.pvalue)


@pytest.mark.slow
@pytest.mark.parametrize(("better", "share"), [(2.5, 0.006), (2.5, 0.02), (4, 0.02)])
def test_intervals_of_enrichment_factors_cover(better, share):
    """With about 30 actives, of which the first percent may contain all or not."""
    rng, n, k = np.random.default_rng(26), round(30 / share), 0.01
    tested = brentq(lambda x: share * ndtr(better - x) + (1 - share) * ndtr(-x) - k, -9, 9)
    true, missed = ndtr(better - tested) / k, 0
    for _ in range(400):
        y = rng.random(n) < share
        score = rng.standard_normal(n) + better * y
        found = confidence_interval(
            y, score, metric="enrichment_factor", k=k, random_state=0, n_resamples=399
        )
        missed += not found.low <= true <= found.high
    assert missed <= 31  # of 20 expected, 2.5 standard errors more


@pytest.mark.parametrize("n_repeats", [1, 4])
def test_repeated_folds_are_clusters_of_rows(n_repeats):
    """A mean allows for one unseen negative in all, whether folds are repeated or not."""
    rng = np.random.default_rng(0)
    y, fold = np.arange(300) % 5 == 0, []
    score = rng.normal(size=300) + 2 * y
    for repeat in range(n_repeats):
        fold.append(rng.permutation(np.arange(300) // 60) + 5 * repeat)
    stacked = np.tile(y, n_repeats), np.tile(score, n_repeats)
    rows = np.tile(np.arange(300), n_repeats)
    found = confidence_interval(*stacked, groups=np.concatenate(fold), clusters=rows)
    assert found.value - found.low < 3.5 * found.standard_error
    assert found.standard_error == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(
    ("metric", "rows"),
    [
        ("P@1%", "3 rows in the top 1%"),
        ("EF@1%", "3 rows in the top 1%"),
        ("P@3", "The top 3 rows"),
    ],
)
def test_few_rows_in_the_top_are_called_rows(metric, rows):
    """The heading counts positives, which are more."""
    labels = np.arange(300) < 9
    found = ap.confidence_interval(labels, np.arange(300) % 50, metric=metric)
    assert found.basis == "9 positives"
    assert [note.text for note in found.notes if note.code == "few_groups"] == [
        f"{rows} are few: with fewer than 6, intervals are very wide."
    ]
