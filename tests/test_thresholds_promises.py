"""Thresholds that keep their promise, and their check on new data."""

import pickle
import re
import warnings
from bisect import bisect_left
from fractions import Fraction
from functools import partial
from math import ceil, comb, log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap as ap
from benchmarks.promises import Accounts, Amounts, Patients, Population, Rounded, Truth, outcomes
from sklearn_ap.core.operating_points import sort_samples
from sklearn_ap.core.rankings import Rankings
from sklearn_ap.thresholds.promises import (
    BinomialEvidence,
    SquaredMasses,
    compare_halves,
    find_precise_points,
)

SURE = {"confidence_level": 0.95}


def payments(seed=0, size=12_000, share=0.015, apart=2.5):
    rng = np.random.default_rng(seed)
    fraud = rng.random(size) < share
    return fraud, (rng.standard_normal(size) + apart * fraud).round(3)


# Recall
def test_twenty_positives_may_lose_one():
    """P(Bin(20, 0.8) >= 19) = 0.069 and P(Bin(20, 0.8) >= 20) = 0.012, so none may be lost at 95%,
    and one at 90%.
    """
    y, s = [1] * 20 + [0] * 5, range(25, 0, -1)
    assert ap.operating_point(y, s, min_recall=0.8, confidence_level=0.95).threshold == 6
    assert ap.operating_point(y, s, min_recall=0.8, confidence_level=0.9).threshold == 7


def beta_at(x, size):
    """Return P(Beta(j, size - j + 1) <= x) for j = 1, ..., size, which is P(Bin(size, x) >= j)."""
    parts, whole = x.numerator, x.denominator
    terms = [comb(size, j) * parts**j * (whole - parts) ** (size - j) for j in range(size + 1)]
    return [Fraction(sum(terms[j:]), whole**size) for j in range(1, size + 1)]


@pytest.mark.parametrize("n_rankings", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_recall_is_an_order_statistic(n_rankings):
    rng, promised = np.random.default_rng(1), 0
    for _ in range(n_rankings):
        size, missed = int(rng.integers(5, 120)), int(rng.choice([0, 0, 1, 3]))
        y = rng.random(size) < rng.choice([0.2, 0.5, 0.8])
        s = rng.integers(0, rng.choice([5, 30, 10**6]), size) / 8 + y
        if not y.any():
            continue
        level, recall = rng.choice([0.5, 0.8, 0.95, 0.99]), rng.choice([0.3, 0.5, 0.8, 0.9])
        positives = np.append(np.full(missed, -np.inf), np.sort(s[y]))
        below = beta_at(1 - Fraction(str(recall)), positives.size)
        holds = sum(each >= Fraction(str(level)) for each in below)
        given = {"min_recall": float(recall), "confidence_level": float(level)}
        given["n_positives"] = positives.size if missed else None
        if holds > missed:
            assert ap.operating_point(y, s, **given).n_flagged == (s >= positives[holds - 1]).sum()
            promised += 1
        else:
            with pytest.raises(ValueError, match="can't be promised"):
                ap.operating_point(y, s, **given)
    assert promised > n_rankings / 2


@pytest.mark.parametrize("y", [[1] * 13 + [0] * 3, [0] * 3 + [1] * 13])
def test_error_names_the_positives_that_a_recall_takes(y):
    assert ceil(log(0.05) / log(0.8)) == 14
    s = range(16, 0, -1)
    words = "that takes at least 14 positives, and y_true has 13. Pass min_recall=0.7941 or less"
    with pytest.raises(ValueError, match=words):
        ap.operating_point(y, s, min_recall=0.8, **SURE)
    assert ap.operating_point(y, s, min_recall=0.7941, **SURE).recall == 1
    assert ap.operating_point([1, *y], [17, *s], min_recall=0.8, **SURE).recall == 1


# Precision
def reached(y, precision, error):
    """Test all cuts in order, each with its own part of the error and, if the one before has
    passed, with the error of that one, too. Only the six starts have a part of their own.
    """
    hits, n = np.cumsum(y), np.arange(1, len(y) + 1)
    pvalues = binom.sf(hits - 1, n, precision)
    first = ceil(log(error / 6) / log(precision) - 1e-9)
    starts = {first * 2**i - 1 for i in range(6)}
    found, level = set(), 0.0
    for cut, pvalue in enumerate(pvalues):
        level += error / 6 * (cut in starts)
        if 0 < level and pvalue <= level:
            found.add(cut)
        else:
            level = 0.0
    return found


@pytest.mark.parametrize("precision", [0.02, 0.3, 0.7, 0.95])
@pytest.mark.parametrize("seed", range(5))
def test_precision_is_tested_from_six_starts(seed, precision):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(100, 5000))
    y = rng.random(size) < np.linspace(min(1.3 * precision, 1), 0, size)
    y[: int(rng.integers(0, 4))] = False
    points, _ = sort_samples(y, -np.arange(size)).find_all_points()
    kept = find_precise_points(points, None, points.cum_total, precision, 0.05)
    assert set(np.flatnonzero(kept)) == reached(y, precision, 0.05)


@pytest.mark.parametrize("place", range(2, 6))
@pytest.mark.parametrize("first_passes", [False, True])
def test_a_start_gets_no_error_from_one_that_failed(first_passes, place):
    """At the start, the p-value is above a sixth of the error, and below two sixths. Before it, all
    starts have failed, or the first one has handed its part on to one that failed.
    """
    error, precision, n_tried = 0.05, 0.7, 0
    first = ceil(log(error / 6) / log(precision))
    size, n_on_top = first * 2**place, 2 * first if first_passes else 0
    for n_positives in range(size):
        if error / 6 < binom.sf(n_positives - 1, size, precision) < 2 * error / 6:
            y = np.repeat(
                [True, False, True], [n_on_top, size - n_positives, n_positives - n_on_top]
            )
            points, _ = sort_samples(y, -np.arange(size)).find_all_points()
            kept = find_precise_points(points, None, points.cum_total, precision, error)
            assert (kept[2 * first - 1], kept[-1]) == (first_passes, False)
            n_tried += 1
    assert n_tried


def test_error_names_a_precision_that_can_be_promised():
    y, s = payments()
    with pytest.raises(ValueError, match=r"Pass min_precision=0\.741, or collect more") as info:
        ap.operating_point(y, s, min_precision=0.9, **SURE)
    assert "with 95% confidence by any threshold" in str(info.value)
    assert ap.operating_point(y, s, min_precision=0.741, **SURE).precision > 0.741


def test_a_target_that_an_error_names_is_chosen_and_so_not_promised():
    y, s = payments()
    words = "A target that was chosen on these samples isn't promised with 95% confidence"
    with pytest.raises(ap.exceptions.NotReachableError) as info:
        ap.operating_point(y, s, min_precision=0.9, **SURE)
    assert str(info.value).endswith(f"{words}, so check it on others.")
    with pytest.raises(ap.exceptions.NotReachableError) as info:
        ap.operating_point([0] * 99 + [1], range(100, 0, -1), min_precision=0.9, **SURE)
    assert str(info.value).endswith("by any threshold. Collect more data.")


THINNED = "Precision above a score c doesn't depend on the rows below c"


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_were_not_thinned_promise_a_precision_alone(seed):
    """As all rows do before the negatives that score low are thinned."""
    y, s = payments(seed)
    is_whole = s >= 1.5
    kept = y | is_whole | (np.random.default_rng(seed).random(y.size) < 1 / 50)
    weight = np.where(y | is_whole, 1, 50)[kept]
    target = {"min_precision": 0.3, **SURE}
    with pytest.raises(ap.exceptions.NotReachableError) as info:
        ap.operating_point(y[kept], s[kept], sample_weight=weight, **target)
    assert str(info.value).endswith(
        f"{THINNED}, so if only those were thinned, pass the others alone."
    )
    alone = ap.operating_point(y[is_whole], s[is_whole], **target)
    assert alone.threshold > 1.5
    assert alone.threshold == ap.operating_point(y, s, **target).threshold


@pytest.mark.parametrize(
    "given",
    [{"min_recall": 0.1}, {"k": 0.1, "k_counts": "samples"}, {"sample_weight": np.full(12_000, 2)}],
)
def test_rows_are_not_left_out_if_that_changes_what_is_asked(given):
    """Recall and a fraction of all rows depend on rows below, and equal weights are no thinning."""
    y, s = payments()
    weight = np.where(y | (s >= 1.5), 1, 50)
    with pytest.raises(ap.exceptions.NotReachableError) as info:
        ap.operating_point(y, s, **{"sample_weight": weight, "min_precision": 0.9} | given | SURE)
    assert THINNED not in str(info.value)


# Both, weights, clusters and tables
def test_error_advises_nothing_that_no_data_keeps():
    given = {"min_recall": 0.02, "min_precision": 0.1}
    with pytest.raises(ValueError, match=r"also keeps the precision\. Collect more data\."):
        ap.operating_point([0] * 99 + [1], range(100, 0, -1), **given, **SURE)


def test_both_promises_share_the_error():
    y, s = payments()
    both = ap.operating_point(y, s, min_recall=0.6, min_precision=0.2, **SURE)
    recall = ap.operating_point(y, s, min_recall=0.6, confidence_level=0.975)
    precision = ap.operating_point(y, s, min_precision=0.2, confidence_level=0.975)
    assert both.threshold == recall.threshold >= precision.threshold
    assert " ".join(str(both).split()).startswith(
        f"Flag scores of at least {both.shown}, recall at least 0.6 and precision at least 0.2 "
        "with 95% confidence "
    )
    given = {"min_recall": 0.6, "min_precision": 0.7}
    with pytest.raises(ValueError, match="can't both be promised with 95% confidence") as info:
        ap.operating_point(y, s, **given, **SURE)
    for name in given:
        advised = float(str(info.value).rpartition(f"{name}=")[2].partition(" ")[0])
        if name == "min_precision" or advised:
            ap.operating_point(y, s, **given | {name: advised}, **SURE)


each_target = pytest.mark.parametrize("target", [{"min_recall": 0.6}, {"min_precision": 0.2}])


def test_tables_say_what_is_promised():
    y, s = payments()
    points = ap.operating_point(y, {"old": s, "new": s + y}, min_recall=0.6, **SURE)
    assert str(points).startswith("Recall at least 0.6 with 95% confidence\nmodel")
    assert "Recall at least 0.6" in points.to_markdown()


@each_target
def test_equal_weights_and_single_clusters_change_nothing(target):
    y, s = payments()
    plain = ap.operating_point(y, s, **target, **SURE)
    for weight in (1, 2, 0.3):
        weighted = ap.operating_point(y, s, sample_weight=np.full(y.size, weight), **target, **SURE)
        assert weighted.threshold == plain.threshold
    for cluster in (range(y.size), pd.Series(range(y.size)).map("card {}".format)):
        assert ap.operating_point(y, s, clusters=cluster, **target, **SURE) == plain


@each_target
def test_copies_in_clusters_are_worth_one_sample(target):
    y, s = payments()
    plain = ap.operating_point(y, s, **target, **SURE)
    copies, cluster = (np.repeat(y, 4), np.repeat(s, 4)), np.repeat(np.arange(y.size), 4)
    together = ap.operating_point(*copies, clusters=cluster, **target, **SURE)
    assert together.threshold == pytest.approx(plain.threshold, abs=0.05)
    alone = ap.operating_point(*copies, **target, **SURE)
    assert (alone.threshold > plain.threshold) == ("min_recall" in target)


def test_clusters_with_one_positive_each_are_samples():
    y, s = payments()
    plain = ap.operating_point(y, s, min_recall=0.6, **SURE)
    rng = np.random.default_rng(0)
    cluster = np.where(y, np.arange(y.size), rng.integers(0, 50, y.size))
    assert ap.operating_point(y, s, clusters=cluster, min_recall=0.6, **SURE) == plain


def in_units(mass, cluster, found):
    """The recall's evidence by the formula of Rao and Scott, cluster by cluster."""
    whole, of_found = (np.bincount(cluster, mass * kept) for kept in (found >= 0, found))
    total, recall = whole.sum(), of_found.sum() / whole.sum()
    residuals = of_found - recall * whole
    variance = len(whole) / (len(whole) - 1) * (residuals @ residuals) / total**2
    if_alike = total**2 / (whole @ whole)  # as many clusters of equal size
    alike = variance / (recall * (1 - recall) / if_alike) if recall < 1 else 1.0
    guard = np.sqrt(whole.max() / total)
    alike = guard + (1 - guard) * alike
    if recall < 1:
        missed = whole - of_found
        sizes = [each @ each / each.sum() for each in (of_found, missed)]
        alike = max(alike, sizes[1] / sizes[0])
    size = total / if_alike * min(max(alike, if_alike / total), 1)
    return of_found.sum() / size, (total - of_found.sum()) / size


@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_are_worth_as_many_samples_as_their_variance_says(weighted):
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(12), rng.integers(1, 9, 12))
    scores = rng.permutation(cluster.size) + 3.0 * (cluster % 5)
    weight = rng.integers(1, 4, cluster.size) if weighted else None
    samples = Rankings(np.ones(cluster.size, bool), scores, weight, "binary")
    in_order = samples.sort()
    points, thresholds = in_order.find_all_points()
    in_rows = in_order._replace(weight=None).make_points(every_point=True)
    units = SquaredMasses.of(samples, cluster, in_rows, thresholds)
    found, missed = BinomialEvidence.from_recall(points, units).units
    mass = np.ones(cluster.size) if weight is None else weight / weight.max()
    for place, threshold in enumerate(thresholds):
        by_hand = in_units(mass, cluster, scores >= threshold)
        assert (found[place], missed[place]) == pytest.approx(by_hand)


@pytest.mark.parametrize("weight", [None, [0.1, 0.2, 0.7, 1, 1]])
def test_all_positives_of_a_single_cluster_are_one_unit(weight):
    """One unit is above the threshold with 95% confidence if it holds at most 1/20 of the time."""
    y, s = [1, 1, 1, 0, 0], [5.0, 4.0, 3.0, 2.0, 1.0]
    given = {"clusters": list("aaabc"), "sample_weight": weight, **SURE}
    with pytest.raises(ap.exceptions.NotReachableError, match=r"Pass min_recall=0\.05 or less"):
        ap.operating_point(y, s, min_recall=0.06, **given)
    assert ap.operating_point(y, s, min_recall=0.05, **given).threshold == 3


def test_a_promise_by_weight_warns_if_positives_of_low_scores_are_heavier():
    y, s = payments()
    rng = np.random.default_rng(0)
    heavier = np.exp(rng.standard_normal(y.size) - s)
    with pytest.warns(UserWarning, match=r"^Positives with low .* min_recall=0\.6 may fail"):
        ap.operating_point(y, s, min_recall=0.6, sample_weight=heavier, **SURE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        point = ap.operating_point(y, s, min_recall=0.6, sample_weight=1 / heavier, **SURE)
        ap.operating_point(y, s, min_precision=0.2, sample_weight=heavier, **SURE)
    flagged = s >= point.threshold
    assert point.precision == pytest.approx(np.average(y[flagged], weights=1 / heavier[flagged]))
    cluster = np.arange(y.size)
    low = np.flatnonzero(y & (s < np.median(s[y == 1])))
    cluster[low] = low[0] + np.arange(low.size) // 5
    with pytest.warns(UserWarning, match="^Clusters of positives with low prediction scores"):
        ap.operating_point(y, s, min_recall=0.6, clusters=cluster, **SURE)


def test_missed_positives_are_as_heavy_as_others():
    """Positives weigh 1 and 3, typically (1 + 9) / 4 = 2.5, and others of weight 6 are missed."""
    labels, weight = np.array([True, True, False]), np.array([1, 3, 1])
    samples = Rankings(labels, np.array([3, 2, 1]), weight, "binary")
    in_order = samples.sort()
    points, thresholds = in_order.find_all_points()
    in_rows = in_order._replace(weight=None).make_points(every_point=True)
    units = SquaredMasses.of(samples, None, in_rows, thresholds)
    of_recall = BinomialEvidence.from_recall(points.with_n_positives(10), units)
    assert of_recall.other_size[0] * 3 == pytest.approx((9 + 6 * 2.5) / 9)


def test_check_takes_false_alarms_for_as_clustered_as_hits():
    """40 hits in clusters of 4 and a single false alarm are worth 10 and 1/4 units."""
    clusters = [*np.repeat(range(10), 4), 10, 11]
    point = ap.operating_point([1, 0], [1.0, 0.0], k=1)
    found = point.check([1] * 40 + [0, 0], [1.0] * 41 + [0.0], clusters=clusters).precision
    expected = beta.ppf(0.025, 10, 1 + 0.25), beta.ppf(0.975, 11, 0.25)
    assert (found.low, found.high) == pytest.approx(expected)


def test_check_of_samples_whose_positives_are_all_missed():
    """The most of 5 positives that can be found, if none is with a probability of 2.5%."""
    point = ap.operating_point([1, 0], [1.0, 0.0], k=1)
    recall = point.check([0, 0], [1.0, 0.0], n_positives=5).recall
    assert recall == (0, 0, pytest.approx(1 - 0.025 ** (1 / 5)))


# Simulation
@pytest.mark.parametrize(
    "population",
    [
        Population("normal scores", 50, 0.1, 2.0),
        Population("2% of the negatives on top", 50, 0.5, 3.0, on_top=0.02),
        Rounded("many ties", 50, 0.1, 2.0),
        Amounts("amounts", 50, 0.1, 2.0),
        Accounts("accounts", 50, 0.05, 2.5),
        Patients("patients", 50, 0.1, 2.0),
    ],
    ids=lambda population: population.what,
)
@pytest.mark.slow
def test_promises_are_kept(population):
    """Of 400 data sets, 8.5% are more than 5% by chance."""
    truth = Truth(population)
    cells = [outcomes(np.random.default_rng(seed), population, truth) for seed in range(400)]
    naive, broken = np.reshape(cells, (400, 2, 2, 4))[..., 1].mean(axis=0).T
    assert (broken < 0.085).all()
    assert population.what == "many ties" or (naive > 0.15).all()


# The result
def texts(check):
    return [note.text for note in check.notes]


def test_check_on_new_data():
    y, s = payments()
    point = ap.operating_point(y, s, min_recall=0.7, **SURE)
    assert str(point).startswith("Flag scores of at least 1.819, recall at least 0.7 with 95% conf")
    check = point.check(*payments(1))
    found, exist = check.true_positives, payments(1)[0].sum()
    low, high = beta.ppf([0.025, 0.975], [found, found + 1], [exist - found + 1, exist - found])
    assert check.recall == pytest.approx((found / exist, low, high))
    assert check.kept == {"min_recall": None}
    assert texts(check) == []
    title = f"{check.n_flagged} of 12,000 new samples flagged, {found} of them positive\n"
    assert str(check).startswith(title)
    assert check.to_dict()["recall_low"] == check.recall.low
    assert check.to_dict()["min_recall_kept"] is None


def test_check_tells_kept_and_broken_promises_and_other_populations():
    y, s = payments()
    point = ap.operating_point(y, s, min_recall=0.7, **SURE)
    assert point.check(*payments(1, apart=3.5)).kept == {"min_recall": True}
    broken = point.check(*payments(1, apart=1.5))
    assert broken.kept == {"min_recall": False}
    assert re.search("  at least 0.7  not met$", str(broken), re.M)
    (words,) = texts(point.check(*payments(1, share=0.03)))[:1]
    share = 100 * payments(1, share=0.03)[0].mean(), 100 * y.mean()
    assert words == (
        f"{share[0]:.3g}% are positive, compared with {share[1]:.3g}% where the threshold was "
        "chosen, so these samples seem to come from a different population."
    )
    assert point.check([0, 0, 0], [1.0, 2.0, 3.0]).kept == {"min_recall": None}


def test_fewer_positives_may_be_late_labels():
    """Half of the positives wait for their label, and count as negatives until then."""
    y, s = payments()
    point = ap.operating_point(y, s, min_recall=0.7)
    is_labeled = np.random.default_rng(1).random(y.size) < 0.5
    (text,) = texts(point.check(y & is_labeled, s))
    before, now = 100 * y.mean(), 100 * (y & is_labeled).mean()
    assert text == (
        f"{now:.3g}% are positive, compared with {before:.3g}% where the threshold was chosen, so "
        "these samples seem to come from a different population, or labels come late: check only "
        "rows that are older than the delay."
    )


def test_check_tells_that_positives_are_found_less_often():
    """Their share is the same, and that of the flagged samples nearly so."""
    y, s = np.repeat([1, 0], [100, 900]), np.r_[np.full(100, 2.0), np.zeros(900)]
    point = ap.operating_point(y, s, min_recall=0.8)
    s[:50], s[100:150] = 0.0, 2.0
    assert texts(point.check(y, s)) == [
        "50% of the positives are missed, compared with 0% where the threshold was chosen, so "
        "these samples seem to come from a different population."
    ]


def test_repeated_checks_call_a_kept_target_broken_more_often_than_one_does():
    """Over all courses of a year with 25 checks, each of all positives so far, 16 more each time.
    Each positive is found with a probability of 80%, which is the target.
    """
    point = ap.operating_point([1, 1, 1, 1, 0, 1], [2, 2, 2, 2, 1, 0], min_recall=0.8)
    assert point.threshold == 2

    def is_not_broken(size, found):
        check = point.check(np.ones(size), np.repeat([2, 1], [found, size - found]))
        return check.kept["min_recall"] is not False

    never, more = np.ones(1), binom.pmf(range(17), 16, 0.8)  # probabilities by the number found
    for size in range(16, 401, 16):
        never = np.convolve(never, more)
        first = bisect_left(range(size + 1), True, key=partial(is_not_broken, size))
        never[:first] = 0
    assert 1 - never.sum() == pytest.approx(0.104, abs=5e-4)
    assert binom.cdf(first - 1, 400, 0.8) == pytest.approx(0.021, abs=5e-4)


def test_check_tells_how_many_groups_stay_within_a_budget():
    y, s, day = [1, 0, 1, 0], [4, 3, 2, 1], ["Mon", "Mon", "Tue", "Tue"]
    point = ap.operating_point(y, s, k=1, groups=day)
    assert point.threshold == 3
    check = point.check(y, [4, 3, 3, 1], groups=day)
    assert (check.flagged_per_group, check.n_within) == ({"Mon": 2, "Tue": 1}, 1)
    assert re.search(
        r"\nflagged per group +1\.50 +0\.00 to 10\.48  at most 1  unclear\n", str(check)
    )
    assert point.check(y, s).n_within is None


def test_check_takes_clusters_weights_groups_and_labels():
    y, s = payments(size=2000, share=0.1)
    words = np.where(y, "fraud", "ok")
    point = ap.operating_point(words, s, min_recall=0.7, pos_label="fraud", **SURE)
    day, weight = np.arange(2000) % 4, np.arange(2000) % 3
    check = point.check(words, s, groups=day, sample_weight=weight)
    flagged = (s >= point.threshold) & (weight > 0)
    assert check.flagged_per_group == {d: (flagged & (day == d)).sum() for d in range(4)}
    assert check.found_mass.value == pytest.approx(weight[flagged & y].sum())
    assert check.flagged_mass.value == pytest.approx(weight[flagged].sum())
    assert check.flagged_mass.high == pytest.approx(check.flagged_share.high * weight.sum())
    assert check.recall.value == pytest.approx(weight[flagged & y].sum() / weight[y].sum())
    wide = point.check(words, s, clusters=np.arange(2000) // 20).recall
    narrow = point.check(words, s).recall
    assert wide.high - wide.low > narrow.high - narrow.low
    missed = point.check(words, s, n_positives=2 * y.sum())
    assert missed.recall.value == pytest.approx(narrow.value / 2)


@pytest.mark.parametrize("unit", [1e-200, 1, 200])
def test_missed_positives_count_in_the_unit_of_the_weights(unit):
    """30 of 100 are flagged, and the interval is that of the unit 1."""
    data, light = ([1, 1, 0, 1], [0.9, 0.5, 0.8, 0.2]), np.array([10, 20, 40, 20])
    point = ap.operating_point(*data, k=3)
    check = point.check(*data, sample_weight=light * unit, n_positives=100 * unit)
    assert check.recall.value == pytest.approx(0.3)
    assert check.found_mass.value == pytest.approx(30 * unit)
    expected = point.check(*data, sample_weight=light, n_positives=100)
    assert check.recall == pytest.approx(expected.recall)


def test_check_by_other_weights_says_so():
    y, s = payments(share=0.1)
    amount = np.random.default_rng(2).lognormal(sigma=0.5, size=y.size)
    point = ap.operating_point(y, s, min_precision=0.2, sample_weight=amount)
    (words,) = texts(point.check(*payments(1, share=0.1)))
    assert words.startswith("The threshold was chosen with weights, but is checked without them")
    assert texts(point.check(y, s, sample_weight=amount)) == []
    plain = ap.operating_point(y, s, min_precision=0.2)
    (words,) = texts(plain.check(y, s, sample_weight=amount))
    assert words.startswith("The threshold was chosen without weights, but is checked with them")


def test_a_threshold_of_subsampled_data_can_be_checked_on_all():
    """Weights let few negatives stand for all: 1% of these payments are frauds."""
    y, s = payments(size=50_000, share=0.01)
    kept = y | (np.arange(y.size) % 20 == 0)
    y, s = y[kept], s[kept]
    by_fraction = (1 / 0.01 - 1) * np.count_nonzero(y) / np.count_nonzero(~y)
    for heavy in (20, by_fraction):
        weighting = {"sample_weight": np.where(y, 1, heavy)}
        point = ap.operating_point(y, s, min_precision=0.2, **weighting)
        assert texts(point.check(*payments(1, size=50_000, share=0.01))) == []
        assert texts(point.check(y, s, **weighting)) == []
        (words,) = texts(point.check(y, s))  # which are subsampled
        part, there = 100 * y.mean(), 100 * np.average(y, weights=np.where(y, 1, heavy))
        assert words.startswith(f"{part:.3g}% are positive, compared with {there:.3g}% where")
        lost = s - y * (np.arange(y.size) % 2)
        assert "of the positives are missed" in texts(point.check(y, lost, **weighting))[0]
        plain = ap.operating_point(*payments(1, size=50_000, share=0.01), min_recall=0.7)
        assert texts(plain.check(y, s, **weighting)) == []


def test_check_tells_that_the_scores_are_those_of_another_model():
    y, s = payments(size=2000, share=0.1)
    data = {"y": y, "a": s, "b": s}
    point = ap.operating_point("y", ["a", "b"], min_recall=0.7, data=data)["a"]
    words = "The threshold was chosen on the scores of 'a', but is checked on those of 'b'."
    for again in (point, pickle.loads(pickle.dumps(point))):
        assert texts(again.check("y", "b", data=data)) == [words]
        assert texts(again.check(y, pd.Series(s, name="b"))) == [words]
        assert texts(again.check("y", "a", data=data)) == texts(again.check(y, s)) == []


@pytest.mark.parametrize("weight", [1e200, 1e-200])
def test_squares_of_extreme_weights_do_not_overflow(weight):
    y, s = payments(size=2000, share=0.1)
    weights = np.full(y.size, weight)
    plain, weighted = (
        ap.operating_point(y, s, min_recall=0.6, sample_weight=each, **SURE)
        for each in (None, weights)
    )
    assert weighted.threshold == plain.threshold
    checks = plain.check(y, s), plain.check(y, s, sample_weight=weights)
    assert checks[0].recall == pytest.approx(checks[1].recall)
    assert ap.operating_point(y, s, min_precision=0, **SURE).n_flagged == y.size


# scikit-learn
def test_a_classifier_of_scikit_learn_has_the_threshold():
    """As the page says, it flags scores that are at least the threshold."""
    frozen = pytest.importorskip("sklearn.frozen")
    X, y = make_classification(600, weights=[0.8], random_state=0)
    y = np.where(y == 1, "fraud", "ok")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:300], y[:300])
    X, y = X[300:], y[300:]
    scores = model.predict_proba(X)[:, 0]
    point = ap.operating_point(y, scores, min_recall=0.8, pos_label="fraud", **SURE)
    exact = ap.operating_point(y, scores, threshold=scores.max(), pos_label="fraud")
    assert exact.n_flagged == 1
    for each in (point, exact):
        classifier = FixedThresholdClassifier(
            frozen.FrozenEstimator(model),
            threshold=each.threshold,
            pos_label="fraud",
            response_method="predict_proba",
        )
        assert ((classifier.predict(X) == "fraud") == (scores >= each.threshold)).all()
        assert (classifier.predict(X) == "fraud").sum() == each.n_flagged


@pytest.mark.parametrize("labels", [(0, 1), ("ok", "fraud"), (False, True)])
def test_rankings_are_not_tuned(labels):
    X, y = make_classification(100, random_state=0)
    y = np.array(labels)[y]
    for make in (ap.make_ap_scorer, partial(ap.make_multi_scorer, ["AP", "P@5"])):
        scorer = make(pos_label=labels[1])
        search = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, thresholds=3)
        with pytest.raises((TypeError, ValueError), match=r"by sklearn_ap\.operating_point"):
            search.fit(X, y)


class Rule(ClassifierMixin, BaseEstimator):
    """Classifier whose prediction scores are the integers 0 and 1."""

    classes_ = np.array([0, 1])

    def decision_function(self, X):
        return X[:, 0]


def test_scores_that_look_like_labels_can_be_ranked():
    X, y = np.array([[1], [1], [0], [0]]), [1, 0, 0, 0]
    with pytest.raises(ValueError, match="convert them to float"):
        ap.make_ap_scorer()(Rule(), X, y)
    assert ap.make_ap_scorer(rank=True)(Rule(), X, y) == 0.5
    assert ap.make_multi_scorer(["AP"], rank=True)(Rule(), X, y) == {"AP": 0.5}
    assert ap.make_ap_scorer(rank=True, pos_label=0)(Rule(), X, y) == 11 / 12


def test_labels_that_are_floats_may_be_tuned_but_not_silently():
    """A decision tree returns the same values, as probabilities."""
    X, y = make_classification(100, random_state=0)
    scorer = ap.make_ap_scorer()
    search = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, thresholds=3)
    with pytest.warns(UserWarning, match=r"only 0\.0 and 1\.0, .* by sklearn_ap\.operating_point"):
        search.fit(X, y.astype(float))
    tree = DecisionTreeClassifier().fit(X, y)
    assert scorer(tree, X, y) == 1.0


def test_the_order_of_tied_rows_does_not_decide_whether_to_warn():
    """All positives are tied, so that none of them is in the lower half more than the others."""
    labels, scores = np.repeat([1, 0], 30), np.repeat([2.0, 1.0], 30)
    for weight in (np.arange(1.0, 31), np.arange(30.0, 0, -1)):
        weights = np.append(weight, np.ones(30))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ap.operating_point(
                labels, scores, sample_weight=weights, min_recall=0.5, confidence_level=0.8
            )


def test_an_odd_number_of_positives_has_two_halves_without_the_middle():
    labels, weights = np.repeat([1, 0], [41, 20]), np.repeat([1.0, 7, 3, 1], [20, 1, 20, 20])
    given = {"sample_weight": weights, "min_recall": 0.5, "confidence_level": 0.8}
    with pytest.warns(UserWarning, match="the lower half weigh 3 times as much as"):
        ap.operating_point(labels, np.arange(61.0)[::-1], **given)


def test_the_lower_half_is_heavier_only_beyond_chance():
    rng, until = np.random.default_rng(2), np.arange(201)

    def ratio(mass):
        columns = mass, np.log(mass), np.square(np.log(mass))
        return compare_halves(until, [np.append(0.0, np.cumsum(each)) for each in columns])

    upper, lower = np.sort(rng.lognormal(0, 1, (2, 100)))
    if np.log(upper).mean() > np.log(lower).mean():
        upper, lower = lower, upper
    assert ratio(np.append(upper, lower)) == 1.0  # by chance
    assert ratio(np.append(upper, 5 * lower)) == pytest.approx(5 * lower.sum() / upper.sum())
