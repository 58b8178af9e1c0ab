"""Thresholds: chosen, promised and measured."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import count
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import betainc, betaincinv, logit
from scipy.stats import binom, binomtest

import sklearn_ap as ap
from sklearn_ap._uncertainty import rates, sum_tops
from sklearn_ap.exceptions import InvalidParameterError, NotReachableError

SURE = {"confidence_level": 0.9}
TARGETS = ["min_recall", "min_precision", "min_specificity"]


def draw(seed, size=200, kind=float, rate=0.3):
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < rate).astype(int)
    y[0] = 1
    scores = rng.normal(size=size) + y
    if np.dtype(kind).kind == "i":
        return y, np.round(3 * scores).astype(kind)
    return y, np.round(scores, 2).astype(kind)


# --- chosen ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int64])
def test_threshold_is_the_best_of_all(seed, kind):
    y, scores = draw(seed, kind=kind)
    goal = np.random.default_rng(seed).integers(1, 100) / 100
    points = [(t, y[scores >= t].mean(), y[scores >= t].sum() / y.sum()) for t in np.unique(scores)]
    point = ap.operating_point(y, scores, min_recall=goal)
    assert point.precision == max(p for _, p, recall in points if recall >= goal)
    assert point.recall == max(r for _, p, r in points if p == point.precision)
    assert point.precision == ap.precision_at_recall_score(y, scores, min_recall=goal)
    flags = scores >= point.threshold
    assert np.asarray(point.threshold).dtype == scores.dtype
    assert point.n_flagged == flags.sum()
    assert point.true_positives == y[flags].sum()
    assert point.recall == pytest.approx(y[flags].sum() / y.sum())
    able = [(recall, precision) for _, precision, recall in points if precision >= goal]
    if able and max(able)[0] > 0:
        point = ap.operating_point(y, scores, min_precision=goal)
        assert (point.recall, point.precision) == max(able)
    else:
        with pytest.raises(NotReachableError) as caught:
            ap.operating_point(y, scores, min_precision=goal)
        ap.operating_point(y, scores, min_precision=caught.value.reachable)
        assert 0 <= max(p for _, p, _ in points) - caught.value.reachable <= 1e-4
    k = 1 + seed
    point = ap.operating_point(y, scores, k=k)
    assert point.threshold == np.sort(scores)[-k]
    assert point.n_flagged >= k > (scores > point.threshold).sum()
    assert ap.operating_point(y, scores, k=k / y.size).threshold == point.threshold


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_a_specificity_leaves_the_best_recall(seed, kind):
    y, scores = draw(seed, kind=kind)
    goal = np.random.default_rng(seed).integers(50, 100) / 100
    able = [t for t in np.unique(scores[y == 1]) if (scores[y == 0] < t).mean() >= goal]
    if not able:  # The highest threshold has no recall.
        able = [scores.max()]
    point = ap.operating_point(y, scores, min_specificity=goal)
    assert point.threshold == min(able)
    assert point.specificity == (scores[y == 0] < point.threshold).mean()
    thrice = ap.operating_point(y, scores, min_specificity=goal, sample_weight=np.full(200, 3))
    assert thrice.threshold == point.threshold
    needed = int(binom.isf(0.1, (y == 0).sum(), goal)) + 1  # negatives below the threshold
    able = [t for t in np.unique(scores[y == 1]) if (scores[y == 0] < t).sum() >= needed]
    if able:
        promised = ap.operating_point(y, scores, min_specificity=goal, **SURE)
        assert promised.threshold == min(able)
        again = np.repeat(y, 3), np.repeat(scores, 3)  # which tell nothing new
        clusters = {"clusters": np.repeat(range(y.size), 3), "min_specificity": goal}
        repeated = ap.operating_point(*again, **clusters, **SURE)  # by t, it's a little stricter
        assert promised.threshold <= repeated.threshold <= promised.threshold + 0.2
    else:
        with pytest.raises(NotReachableError):
            ap.operating_point(y, scores, min_specificity=goal, **SURE)


def test_the_highest_specificity_is_that_of_the_highest_score():
    y, scores = [0, 0, 0, 1], [4, 3, 2, 1]
    point = ap.operating_point(y, scores, min_specificity=0.5)
    assert (point.threshold, point.recall, point.specificity) == (4, 0, 2 / 3)
    for options in ({}, SURE):
        with pytest.raises(NotReachableError) as caught:
            ap.operating_point(y, scores, min_specificity=0.99, **options)
        reachable = caught.value.reachable
        expected = binom_low(2, 3) if options else 2 / 3
        assert 0 <= expected - reachable <= 1e-4
        again = ap.operating_point(y, scores, min_specificity=reachable, **options)
        assert again.threshold == 4


def binom_low(n_hits, n):
    return binomtest(n_hits, n).proportion_ci(0.8).low


def test_rates_are_known_if_all_samples_are():
    y, scores = [1, 0, 1, 0], [4, 3, 2, 1]
    point = ap.operating_point(y, scores, threshold=2, n_positives=4)
    assert np.isnan([point.specificity, point.negative_predictive_value]).all()
    assert "specificity" not in str(point)
    point = ap.operating_point(y, scores, threshold=2, n_positives=2)
    assert (point.specificity, point.negative_predictive_value) == (0.5, 1)
    with pytest.raises(InvalidParameterError, match="leave out n_positives"):
        ap.operating_point(y, scores, min_specificity=0.5, n_positives=4)
    nothing = ap.operating_point([1, 1], [1, 2], threshold=0)
    assert np.isnan(nothing.specificity)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_the_threshold_is_printed_with_the_digits_that_it_needs(kind):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        scores = (10.0 ** rng.integers(-6, 4) * rng.normal(1, 0.3, 200)).astype(kind)
        y = rng.random(200) < 0.3
        point = ap.operating_point(y, scores, k=int(rng.integers(1, 200)))
        written = str(point).removeprefix("Flag scores of at least ").partition(":")[0]
        assert np.array_equal(scores >= kind(written), scores >= point.threshold)
        digits = np.format_float_positional(point.threshold, trim="0")
        assert len(written) <= len(digits)
    near = 0.123456789012 + np.arange(3) * 1e-12
    assert "0.123456789013:" in str(ap.operating_point([0, 1, 0], near, k=2))
    far = [0.1, 0.123456789012, 0.2]
    assert "at least 0.123:" in str(ap.operating_point([0, 1, 0], far, k=2))
    given = ap.operating_point([0, 1, 0], far, threshold=far[1])
    assert "at least 0.123:" in str(given)
    assert given.threshold == far[1]
    assert "at least 0.05:" in str(ap.operating_point([0, 1, 0], far, threshold=0.05))
    assert "at least 0.123:" in str(ap.operating_point([0, 1, 0], far, k=2).measure([0, 1], [1, 2]))
    for whole in (123456789, True):
        assert f"at least {whole}:" in str(ap.operating_point([0, 1], [type(whole)(0), whole], k=1))


@pytest.mark.parametrize(
    ("scores", "threshold"),
    [
        ([2**62 + 1, 2**62, 2**62 - 1, 5], 2**62 + 1),
        ([2**70 + 1, 2**70, 2**70 - 1, 5], 2**70 + 1),
        ([True, False, False, False], True),
        ([-1, -2, -3, -4], -1),
        ([np.uint64(2**64 - 1), np.uint64(2**64 - 2), np.uint64(1), np.uint64(0)], 2**64 - 1),
    ],
)
def test_threshold_is_a_score_of_the_data(scores, threshold):
    point = ap.operating_point([1, 0, 1, 0], scores, min_recall=0.5)
    assert point.threshold == threshold
    assert point.n_flagged == 1
    assert point.measure([1, 0, 1, 0], scores).n_flagged == 1


def test_weights_that_repeat_rows():
    y, scores = draw(1)
    n = np.random.default_rng(1).integers(0, 4, y.size)
    for goal in ({"min_recall": 0.7}, {"min_precision": 0.7}, {"threshold": 1.0}):
        weighted = ap.operating_point(y, scores, sample_weight=n, **goal)
        repeated = ap.operating_point(np.repeat(y, n), np.repeat(scores, n), **goal)
        for name in ("threshold", "precision", "recall"):
            assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))
        flags = (scores >= weighted.threshold) & (n > 0)  # of which rows are counted
        assert (weighted.n_flagged, weighted.true_positives) == (flags.sum(), y[flags].sum())
        assert (weighted.n_samples, weighted.n_positives) == ((n > 0).sum(), y[n > 0].sum())


def test_positives_that_were_not_scored():
    y, scores = [1, 0, 1, 0], [4, 3, 2, 1]
    assert ap.operating_point(y, scores, threshold=2, n_positives=4).recall == 0.5
    point = ap.operating_point(y, scores, min_recall=0.25, n_positives=4)
    assert (point.threshold, point.recall, point.n_positives) == (4, 0.25, 4)
    assert ap.operating_point(y, scores, threshold=2, n_positives=2).recall == 1
    with pytest.raises(NotReachableError, match=r"the highest recall is 0\.5") as caught:
        ap.operating_point(y, scores, min_recall=0.6, n_positives=4)
    assert caught.value.reachable == 0.5
    with pytest.raises(ValueError, match="n_positives"):
        ap.operating_point(y, scores, threshold=2, n_positives=1)


# --- promised -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_promised_recall_is_an_order_statistic(seed, level):
    y, scores = draw(seed, 300)
    options = {"min_recall": 0.7, "confidence_level": level}
    point = ap.operating_point(y, scores, **options)
    needed = int(binom.isf(round(1 - level, 9), y.sum(), 0.7)) + 1
    assert point.threshold == np.sort(scores[y == 1])[-needed]
    weight = np.where(y == 1, 2.5, 10.0)  # only positives have to weigh the same
    weighted = ap.operating_point(y, scores, sample_weight=weight, **options)
    assert weighted.threshold == point.threshold
    again = np.repeat(y, 3), np.repeat(scores, 3)  # which tell nothing new
    in_clusters = ap.operating_point(*again, clusters=np.repeat(range(y.size), 3), **options)
    assert point.threshold - 0.2 <= in_clusters.threshold <= point.threshold  # by t


def count_rows(f, m, alpha, n_rows):
    """Return how many independent rows say as much as units of m rows with f hits."""
    n = m.sum()
    r, n_units, u = f.sum() / n, np.count_nonzero(m), n**2 / np.sum(m**2)
    quotient = stats.t.ppf(1 - alpha, u - 1) / stats.norm.ppf(1 - alpha)
    variance = n_units / (n_units - 1) * np.sum((f - r * m) ** 2) / n**2
    n_equal = n_rows if r in (0, 1) else min(r * (1 - r) / variance, n_rows)
    return n_equal / quotient**2


@pytest.mark.parametrize("seed", range(5))
def test_clusters_count_by_their_design_effect(seed):
    rng = np.random.default_rng(seed)
    y, scores = np.ones(60, dtype=int), np.arange(60)
    cluster = np.sort(rng.integers(0, 12, 60)) if seed % 2 else rng.integers(0, 12, 60)
    point = ap.operating_point(y, scores, min_recall=0.5, clusters=cluster, **SURE)
    size = np.bincount(cluster)
    unit = 60 / count_rows(np.bincount(cluster[30:], minlength=size.size), size, 0.1, 60)
    assert (unit > 2) == (seed % 2 == 1)  # as like rows stay together
    kept = [betainc(n / unit, (60 - n) / unit + 1, 0.5) <= 0.1 for n in range(1, 61)]
    assert point.n_flagged == kept.index(True) + 1
    measured = point.measure(y, scores, clusters=cluster)
    found = np.bincount(cluster[scores >= point.threshold], minlength=size.size)
    unit, n = 60 / count_rows(found, size, 0.025, 60), point.n_flagged
    low = betaincinv(n / unit, (60 - n) / unit + 1, 0.025)
    assert measured.recall_low == pytest.approx(low)
    everything = ap.operating_point(y, scores, threshold=0, clusters=cluster, **SURE)
    n = count_rows(size, size, 0.05, 60)
    assert everything.recall_low == pytest.approx(0.05 ** (1 / n))


def test_one_cluster_tells_nothing():
    y, scores = draw(0)
    point = ap.operating_point(y, scores, threshold=0, clusters=0 * y, confidence_level=0.95)
    ends = point.recall_low, point.recall_high, point.precision_low, point.precision_high
    assert ends == pytest.approx((0, 1, 0, 1), abs=1e-4)


@pytest.mark.parametrize("rate", [0.9, 0.97])
def test_few_clusters_without_an_effect_say_what_their_rows_do(rate):
    """Twelve hospitals can have a promise, and intervals aren't much wider than those of rows."""
    widths, rng = [], np.random.default_rng(0)
    for _ in range(20):
        y = np.ones(240, dtype=int)
        scores = (rng.random(240) < rate) + 0.1 * rng.random(240)
        cluster = np.arange(240) % 12
        point = ap.operating_point(y, scores, threshold=1, confidence_level=0.95)
        wide = point.measure(y, scores, clusters=cluster)
        widths.append((wide.recall_high - wide.recall_low) / (point.recall_high - point.recall_low))
        ap.operating_point(y, scores, min_recall=0.8, confidence_level=0.95, clusters=cluster)
    assert 1 <= np.mean(widths) < 1.25


@pytest.mark.parametrize(("n_flagged", "tolerance"), [((300, 150), 0.03), ((60, 6), 0.25)])
def test_a_known_prevalence_has_the_intervals_of_mercaldo_lau_and_zhou(n_flagged, tolerance):
    """They vary by sensitivity and specificity alone, on the logit scale."""
    y = np.repeat([1, 0], [400, 600])
    scores = np.r_[np.arange(400) < n_flagged[0], np.arange(600) < n_flagged[1]].astype(float)
    weight = np.where(y == 1, 0.02 / 400, 0.98 / 600)
    point = ap.operating_point(y, scores, threshold=1, confidence_level=0.95, sample_weight=weight)
    sensitivity, fall_out = n_flagged[0] / 400, n_flagged[1] / 600
    odds = (
        0.02 * sensitivity / (0.98 * fall_out),
        0.98 * (1 - fall_out) / (0.02 * (1 - sensitivity)),
    )
    of_sensitivity = np.array([(1 - sensitivity) / sensitivity, sensitivity / (1 - sensitivity)])
    of_fall_out = np.array([(1 - fall_out) / fall_out, fall_out / (1 - fall_out)])
    errors = np.sqrt(of_sensitivity / 400 + of_fall_out / 600)
    names = "precision", "negative_predictive_value"
    for name, ratio, error in zip(names, odds, errors, strict=True):
        expected = np.log(ratio) + 1.96 * error * np.array([-1, 0, 1])
        ends = [getattr(point, f"{name}{end}") for end in ("_low", "", "_high")]
        assert logit(ends) == pytest.approx(expected, abs=tolerance)
    assert "Rates are weighted, samples are counted." in str(point)


@pytest.mark.parametrize("seed", range(5))
def test_a_promised_precision_of_a_known_prevalence_is_one_of_its_counts(seed):
    """A precision p has the odds p / (1 - p), which the ratio of weights multiplies."""
    y, scores = draw(seed, 300, rate=0.5)
    weight = np.where(y == 1, 0.5, 20.0)
    point = ap.operating_point(y, scores, min_precision=0.5, **SURE)
    odds = 1 / 40
    options = {"sample_weight": weight, "min_precision": odds / (1 + odds)} | SURE
    weighted = ap.operating_point(y, scores, **options)
    assert weighted.threshold == point.threshold
    assert weighted.precision == pytest.approx(1 / (1 + 40 * (1 / point.precision - 1)))
    single = ap.operating_point(y, scores, clusters=np.arange(300), **options)
    assert single.threshold == point.threshold


def promise_precision(y, scores, goal, error):
    """Return how many the promised threshold flags, by loops over all points and six starts."""
    flags = [scores >= each for each in sorted({*scores}, reverse=True)]
    points = [(flagged.sum(), y[flagged].sum()) for flagged in flags]
    first = next(n for n in count(1) if goal**n <= error / 6)
    starts = [sum(n < first * 2**i for n, _ in points) for i in range(6)]
    kept, part = None, 0
    for place, (n, hits) in enumerate(points):
        part += error / 6 * starts.count(place)
        if part and binom.sf(hits - 1, n, goal) <= part:
            kept = n
        else:
            part = 0
    return kept


@pytest.mark.parametrize("seed", range(20))
def test_promised_precision_by_loops(seed):
    y, scores = draw(seed, 300, float if seed % 2 else int, rate=0.5)
    goal = np.random.default_rng(seed).integers(40, 90) / 100
    expected = promise_precision(y, scores, goal, 0.1)
    given = SURE | ({"sample_weight": np.full(300, 0.5)} if seed % 3 else {})
    try:
        found = ap.operating_point(y, scores, min_precision=goal, **given).n_flagged
    except NotReachableError:
        found = None
    assert found == expected


def test_promised_precision_of_more_points_than_a_block():
    rng = np.random.default_rng(0)
    y = (rng.random(6000) < 0.6).astype(int)
    scores = rng.normal(size=6000) + y
    point = ap.operating_point(y, scores, min_precision=0.64, **SURE)
    assert rates._N_TESTED < point.n_flagged < 6000
    assert point.n_flagged == promise_precision(y, scores, 0.64, 0.1)


@pytest.mark.parametrize("seed", range(5))
def test_promised_precision_with_clusters(seed):
    """Clusters of one row, or of equal rows, are rows. Others count by their design effect."""
    y, scores = draw(seed, 300, float if seed % 2 else int, rate=0.5)
    options = {"min_precision": 0.6, **SURE}
    point = ap.operating_point(y, scores, **options)
    of_rows = ap.operating_point(y, scores, clusters=np.arange(300), **options)
    assert of_rows.notes == ("Sampling units: 300 clusters.",)
    # In dicts, nan is None, which equals itself.
    assert replace(of_rows, notes=point.notes).to_dict() == point.to_dict()
    again = np.repeat(y, 3), np.repeat(scores, 3)
    options["clusters"] = np.repeat(range(300), 3)
    assert ap.operating_point(*again, **options | {"min_precision": 0.58}).n_flagged > 0
    cluster = np.random.default_rng(seed).integers(0, 40, 300)
    flags = [scores >= each for each in sorted({*scores}, reverse=True)]
    n_flagged = np.array([flag.sum() for flag in flags])
    samples = SimpleNamespace(scores=scores, labels=y == 1, group_codes=cluster, weight=None)
    effects = sum_tops(samples, n_flagged, None)[0].compute_design_effect(0.05)
    for flag, effect in zip(flags, effects, strict=True):
        n, size = flag.sum(), np.bincount(cluster[flag])
        n_hits = np.bincount(cluster[flag], y[flag], size.size)
        expected = 0 if np.count_nonzero(size) == 1 else count_rows(n_hits, size, 0.05, n)
        assert n / effect == pytest.approx(expected, abs=1e-9)


def test_promises_of_few_samples():
    """Four positives of four confirm a recall of a half, because 0.5**4 <= 0.1."""
    point = ap.operating_point([1] * 4, range(4), min_recall=0.5, **SURE)
    assert (point.threshold, point.confidence_level) == (0, 0.9)
    assert "Promised: recall of at least 0.5, with 90% confidence." in str(point)
    for exist in (3, 5):
        with pytest.raises(NotReachableError, match="at least 4 positives, and y_true has 3") as no:
            ap.operating_point([1] * 3, range(3), min_recall=0.5, n_positives=exist, **SURE)
        reachable = binomtest(3, exist).proportion_ci(0.8).low
        assert 0 <= reachable - no.value.reachable <= 1e-4
    with pytest.raises(NotReachableError, match=r"90% confidence\. Collect more data") as caught:
        ap.operating_point([1] + [0] * 99, range(100), min_precision=0.5, **SURE)
    assert caught.value.reachable is None
    assert ap.operating_point([1, 0], [2, 1], min_precision=0, **SURE).n_flagged == 2


def test_promises_that_cannot_be_kept_are_refused():
    y, scores = draw(0)
    for options in (
        *({target: 1.0} for target in TARGETS), {"min_recall": 0.9, "n_positives": 10_000},
        {"min_precision": 0.999}, {"min_specificity": 0.999},  # which take more rows
        *({target: 0.9, "clusters": np.ones(y.size)} for target in TARGETS),
    ):  # fmt: skip
        with pytest.raises(NotReachableError):
            ap.operating_point(y, scores, **options, **SURE)
    with pytest.raises(NotReachableError, match="no positives"):
        ap.operating_point([0, 0], [1, 2], min_recall=0.5)
    with pytest.raises(NotReachableError, match="no negatives"):
        ap.operating_point([1, 1], [1, 2], min_specificity=0.5)
    with pytest.raises(NotReachableError, match="at least 22 negatives, and y_true has 10"):
        ap.operating_point([1] + 10 * [0], range(11, 0, -1), min_specificity=0.9, **SURE)


def test_a_refusal_says_what_to_collect():
    """More rows of the same clusters don't help if the clusters differ much."""
    rng, cluster = np.random.default_rng(0), np.repeat(range(12), 20)
    y = np.ones(240, dtype=int)
    different = rng.normal(size=240) + 3 * (cluster % 4 > 0)
    reachable = []
    for times in (1, 10):
        columns = (np.repeat(column, times) for column in (y, different, cluster))
        labels, scores, clusters = columns
        with pytest.raises(NotReachableError, match="or collect more clusters with pos") as caught:
            ap.operating_point(
                labels, scores, min_recall=0.9, clusters=clusters, confidence_level=0.99
            )
        reachable.append(caught.value.reachable)
    assert reachable[0] == pytest.approx(reachable[1], abs=0.02)
    with pytest.raises(NotReachableError, match="Collect more clusters"):
        ap.operating_point(
            np.arange(240) % 4 > 0, different, min_precision=0.9, clusters=cluster, **SURE
        )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("target", ["min_recall", "min_specificity"])
def test_what_a_refusal_calls_reachable_can_be_promised(seed, target):
    """Units may vary in another way where the target is lower."""
    rng, (y, scores) = np.random.default_rng(seed), draw(seed, 60)
    for options in (
        {"clusters": rng.integers(0, 8, 60)},
        {"sample_weight": rng.lognormal(size=60)},
    ):
        options |= SURE
        with pytest.raises(NotReachableError) as caught:
            ap.operating_point(y, scores, **{target: 0.97}, **options)
        if caught.value.reachable:
            ap.operating_point(y, scores, **{target: caught.value.reachable}, **options)


@pytest.mark.parametrize("seed", range(20))
def test_a_perfect_model_can_promise_as_much_as_any_other(seed):
    rng, cluster = np.random.default_rng(seed), np.repeat(range(12), 50)
    y = np.ones(600, dtype=int)
    is_missed = rng.random(600) < rng.choice([0.002, 0.01, 0.05])
    reachable = []
    for scores in (np.ones(600), 1.0 - is_missed):
        with pytest.raises(NotReachableError) as caught:
            ap.operating_point(y, scores, min_recall=0.9999, clusters=cluster, **SURE)
        reachable.append(caught.value.reachable)
    assert reachable[0] >= reachable[1]


# --- measured -------------------------------------------------------------------------------------


def test_measure_has_exact_intervals():
    y, scores = draw(3)
    point = ap.operating_point(y, scores, min_recall=0.8)
    new = draw(4)
    measured = point.measure(*new, confidence_level=0.9)
    flags = new[1] >= point.threshold
    hits, rejected = int(new[0][flags].sum()), int((new[0][~flags] == 0).sum())
    parts = {
        "recall": (hits, new[0].sum()),
        "precision": (hits, flags.sum()),
        "specificity": (rejected, (new[0] == 0).sum()),
        "negative_predictive_value": (rejected, (~flags).sum()),
    }
    for name, (part, whole) in parts.items():
        ends = binomtest(part, int(whole)).proportion_ci(0.9)
        low, high = getattr(measured, f"{name}_low"), getattr(measured, f"{name}_high")
        assert (low, high) == pytest.approx((ends.low, ends.high))
        assert getattr(measured, name) == part / whole
        assert f"{part} of {whole}" in str(measured)
    assert (measured.min_recall, measured.confidence_level) == (0.8, 0.9)
    assert len(measured.to_frame()) == 1
    assert np.isnan(point.measure(*new, confidence_level=None).recall_low)


@pytest.mark.parametrize("name", ["recall", "precision", "specificity"])
@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.5, 0.6, "Met the target"), (0.4, 0.5, "Target"), (0.3, 0.49, "Missed the target")],
)
def test_verdicts(name, low, high, verdict):
    other = {"recall": "precision"}.get(name, "recall")
    point = ap.operating_point([1, 0], [2, 1], threshold=1)
    ends = {f"{name}_low": low, f"{name}_high": high, f"{other}_low": 0.1, f"{other}_high": 1.0}
    point = replace(point, is_measured=True, confidence_level=0.9, **{f"min_{name}": 0.5}, **ends)
    assert str(point).endswith(f"\n{verdict}: {name} of at least 0.5.")
    assert f"{low:.3f} to {high:.3f}" in str(replace(point, **{f"{other}_low": np.nan}))


def test_what_measure_takes():
    y, scores = draw(4)
    table = pd.DataFrame({"y": y, "s": scores})
    point = ap.operating_point(y, scores, min_precision=0.5)
    assert point.min_precision == 0.5
    for options in (
        {"n_positives": 150}, {"sample_weight": np.full(200, 2.5)}, {"confidence_level": 0.8},
        {"clusters": np.arange(200) // 3},
    ):  # fmt: skip
        measured = point.measure(y, scores, **options)
        of_table = point.measure("y", "s", data=table, **options)
        assert of_table.to_dict() == measured.to_dict()
        given = {"threshold": point.threshold, "confidence_level": 0.95} | options
        again = ap.operating_point(y, scores, **given)
        kept = {"min_precision": 0.5, "next_lower": point.next_lower}
        assert measured.to_dict() == replace(again, is_measured=True, **kept).to_dict()


def test_intervals_with_weights_and_clusters():
    y, scores = draw(3)
    point = ap.operating_point(y, scores, min_recall=0.8)
    rows = point.measure(y, scores)
    sampled = point.measure(y, scores, sample_weight=np.where(y == 1, 1.0, 10.0))
    assert (sampled.recall_low, sampled.recall_high) == (rows.recall_low, rows.recall_high)
    assert sampled.precision < rows.precision
    assert sampled.precision_low < sampled.precision < sampled.precision_high
    assert "Rates are weighted, samples are counted." in str(sampled)
    assert "are weighted" not in str(point.measure(y, scores, sample_weight=np.full(y.size, 3)))
    assert (sampled.specificity_low, sampled.specificity_high) == (
        rows.specificity_low,
        rows.specificity_high,
    )
    weight = np.linspace(1, 2, y.size)
    amounts = point.measure(y, scores, sample_weight=weight)
    m = weight[y == 1]
    n_equal = m.sum() ** 2 / np.sum(m**2)
    n = count_rows(m * (scores[y == 1] >= point.threshold), m, 0.025, n_equal)
    low = betaincinv(amounts.recall * n, (1 - amounts.recall) * n + 1, 0.025)
    assert amounts.recall_low == pytest.approx(low)
    assert "with 95% confidence" not in str(amounts)  # which is a promise
    clusters = point.measure(y, scores, clusters=np.arange(y.size) // 2)
    assert clusters.recall_low < rows.recall_low < rows.recall_high < clusters.recall_high
    given = {"clusters": np.repeat(range(y.size), 3), "sample_weight": np.full(3 * y.size, 2.5)}
    again = point.measure(np.repeat(y, 3), np.repeat(scores, 3), **given)  # tell nothing new
    single = point.measure(y, scores, clusters=np.where(y, np.arange(y.size), 0))
    ends = rows.recall_low, rows.recall_high  # of positives
    assert (single.recall_low, single.recall_high) == pytest.approx(ends)
    assert (again.recall_low, again.recall_high) == pytest.approx(ends, abs=0.01)  # by t


def test_the_positive_class_is_remembered():
    y, scores = draw(3)
    point = ap.operating_point(1 - y, scores, min_recall=0.8, pos_label=0)
    assert point.measure(1 - y, scores).recall == point.recall
    graded = ap.operating_point(2 * y, scores, min_recall=0.8, min_grade=2)
    assert graded.measure(3 * y - 1, scores).recall == graded.recall


def test_a_saved_threshold_flags_the_same_rows():
    for kind in (np.float64, np.float32, np.float16, np.int64):
        y, scores = draw(5, kind=kind)
        point = ap.operating_point(y, scores, k=20)
        saved = json.loads(json.dumps(point.to_dict()))
        assert (scores >= saved["threshold"]).sum() == saved["n_flagged"] == point.n_flagged


def test_nothing_is_flagged():
    point = ap.operating_point([1, 0], [0.2, 0.1], threshold=0.5, confidence_level=0.95)
    assert (point.n_flagged, point.recall, point.recall_low) == (0, 0.0, 0.0)
    assert np.isnan([point.precision, point.precision_low]).all()


@pytest.mark.parametrize(
    "options",
    [
        {}, {"k": 3, "min_recall": 0.5}, {"k": 0}, {"k": 3, "sample_weight": [1] * 200},
        {"min_recall": 1.5}, {"min_precision": "0.5"},
        *({"min_recall": 0.5, "confidence_level": level} for level in (0.05, 0.49, 1, 95, "95%")),
        {"min_recall": 0.5, "clusters": [1] * 200}, {"threshold": np.nan}, {"threshold": "0.5"},
        {"min_recall": 0.5, "clusters": np.ones((200, 2)), "confidence_level": 0.9},
        *({"threshold": 0.5, "n_positives": each} for each in (np.nan, np.inf, {"a": 300})),
        {"threshold": 0.5, "clusters": ["a", "b"], "confidence_level": 0.9, "data": pd.DataFrame()},
    ],
)  # fmt: skip
def test_parameters_that_are_refused(options):
    with pytest.raises(InvalidParameterError, match=r"Got|k counts|works only with"):
        ap.operating_point(*draw(0), **options)


def test_the_top_k_have_the_intervals_of_their_threshold():
    y, scores = draw(0)
    for options in (SURE, SURE | {"clusters": np.arange(200) // 4}):
        point = ap.operating_point(y, scores, k=30, **options)
        assert replace(point) == ap.operating_point(y, scores, threshold=point.threshold, **options)
        assert point.precision_low < point.precision < point.precision_high
    assert "Promised" not in str(point)


def test_several_models_are_refused():
    y, scores = draw(0)
    table = pd.DataFrame({"y": y, "a": scores, "b": scores})
    with pytest.raises(ValueError, match="y_score must be one column"):
        ap.operating_point("y", ["a", "b"], k=3, data=table)
    with pytest.raises(ValueError, match="y_score is a dict"):
        ap.operating_point(y, {"a": scores, "b": scores}, k=3)
    assert ap.operating_point("y", ["a"], k=3, data=table).n_flagged == 3


def test_data_that_are_refused():
    y, scores = draw(0)
    with pytest.raises(ValueError, match="one column"):
        ap.operating_point(np.eye(3, dtype=int), np.eye(3), threshold=0.5)
    with pytest.raises(ValueError, match="pos_label"):
        ap.operating_point(np.where(y, "a", "b"), scores, k=3)
    with pytest.raises(ValueError, match="clusters has rows of different lengths"):
        ap.operating_point(y, scores, min_recall=0.5, clusters=[[1, 2], [3]], **SURE)
    for k in (y.size, 500):
        assert ap.operating_point(y, scores, k=k).n_flagged == y.size
    assert ap.operating_point(y, scores, min_recall=0.5, confidence_level=0.5).recall > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("size", "rate", "digits", "weight"),
    [(1000, 0.3, 6, None), (1000, 0.3, 0, None), (300, 0.07, 1, None), (1000, 0.3, 1, 2.5)],
    ids=["rows", "ties", "few positives", "weights"],
)
def test_promises_are_kept(target, size, rate, digits, weight):
    rng = np.random.default_rng(0)
    y_all = (rng.random(200_000) < rate).astype(int)
    scores_all = np.round(rng.normal(size=y_all.size) + 2 * y_all, digits)
    n_kept = n_made = 0
    for _ in range(200):
        rows = rng.integers(0, y_all.size, size)
        weights = None if weight is None else np.full(size, weight)
        options = {target: 0.5, "sample_weight": weights, "confidence_level": 0.9}
        try:
            point = ap.operating_point(y_all[rows], scores_all[rows], **options)
        except NotReachableError:
            continue
        flags = scores_all >= point.threshold
        kept = {
            "min_recall": y_all[flags].sum() / y_all.sum(),
            "min_precision": y_all[flags].sum() / flags.sum(),
            "min_specificity": (y_all[~flags] == 0).sum() / (y_all == 0).sum(),
        }
        n_kept += kept[target] >= 0.5
        n_made += 1
    assert n_made > 50
    # 0.9 of them, less 3 standard errors
    assert n_kept >= 0.9 * n_made - 3 * np.sqrt(0.09 * n_made)


@pytest.mark.parametrize("heavy", [1, 1e3, 1e6])
def test_ends_of_weighted_rates_stay_between_0_and_1(heavy):
    y, s = [1, 1, 1, 0, 0], [2, 2, 1, 1, 0]
    weight = [heavy] * 3 + [1 / heavy] * 2
    rates = ap.operating_point(y, s, threshold=1).measure(y, s, sample_weight=weight)
    assert rates.negative_predictive_value == rates.negative_predictive_value_high == 1
    weight = [1 / heavy] * 3 + [heavy] * 2
    rates = ap.operating_point(y, s, threshold=2).measure(y, s, sample_weight=weight)
    assert rates.precision == rates.precision_high == 1


def test_rates_name_their_sampling_units_and_say_if_clusters_are_few():
    y, scores = draw(0)
    table = pd.DataFrame({"y": y, "s": scores, "hospital": np.arange(200) % 12})
    given = {"min_recall": 0.5, "confidence_level": 0.8, "data": table}
    for hospital in ("hospital", ["hospital"], ("hospital",)):
        point = ap.operating_point("y", "s", clusters=hospital, **given)
        assert point.notes == ("Sampling units: 12 hospitals.",)
    assert point.measure("y", "s", data=table).notes == ("Sampling units: 200 rows.",)
    assert not ap.operating_point("y", "s", min_recall=0.5, data=table).notes
    table["hospital"] %= 4
    basis, few = ap.operating_point("y", "s", clusters="hospital", **given).notes
    assert basis == "Sampling units: 4 hospitals."
    interval = ap.confidence_interval(
        "y", "s", clusters="hospital", confidence_level=0.8, data=table
    )
    assert few in interval.notes  # the same words
    assert "1.3 times as wide" in few


def test_one_cluster_a_row_is_rows_where_weights_correct_a_prevalence():
    y = [*(1, 1, 1), *[0] * 7] * 4
    scores = [9, 8, 3, 7, 2, 1, 1, 0, 0, 0] * 4
    options = {"threshold": 5, "confidence_level": 0.95, "sample_weight": np.where(y, 1, 7)}
    of_rows = ap.operating_point(y, scores, **options)
    of_clusters = ap.operating_point(y, scores, clusters=np.arange(40), **options)
    in_pairs = ap.operating_point(y, scores, clusters=np.arange(40) // 2, **options)
    for rate in ("precision", "negative_predictive_value"):
        ends = [getattr(each, f"{rate}_low") for each in (of_rows, of_clusters, in_pairs)]
        assert ends[0] == ends[1] > ends[2]


def test_errors_name_what_was_passed():
    y, s = [1, 0, 1], [3, 2, 1]
    point = ap.operating_point(y, s, threshold=2)
    with pytest.raises(ValueError, match=r"\[3, 3, 2\] in y_true, y_score, groups"):
        point.measure(y, s, clusters=[1, 2])
    with pytest.raises(ValueError, match="clusters has missing values"):
        point.measure(y, s, clusters=[1, None, 2])
    with pytest.raises(ValueError, match="threshold must be a number"):
        ap.operating_point(y, s, threshold=np.timedelta64(1, "D"))
    by_fraction = point.measure(y, s, confidence_level=Fraction(19, 20))
    assert by_fraction == point.measure(y, s, confidence_level=0.95)


@pytest.mark.parametrize("threshold", [3.2e-5, 1.234567e-6, 1e-12, 0.5])
def test_small_thresholds_are_printed_without_exponents(threshold):
    point = ap.operating_point([1, 0], [threshold, threshold / 2], min_recall=1)
    text = str(point).splitlines()[0].removeprefix("Flag scores of at least ").partition(":")[0]
    assert float(text) <= threshold < 1.01 * float(text)
    assert ("e" in text) == (threshold < 1e-9)


def test_rates_of_positives_without_scores():
    """On a day on which nothing that was scored is positive, recall is 0 of 3."""
    point = ap.operating_point(
        [0, 0, 0], [0.1, 0.2, 0.3], threshold=0.2, n_positives=3, confidence_level=0.9
    )
    assert point.recall == 0
    measured = ap.operating_point([0, 1, 0, 1], [0.1, 0.4, 0.2, 0.9], min_recall=0.5).measure(
        [0, 0], [0.1, 0.9], n_positives=2
    )
    assert measured.recall == 0
