"""Comparisons of models with different rows, of several models, and over fixed classes."""

import pickle
import tracemalloc
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats
from scipy.special import expit, logit

import sklearn_ap as ap
from sklearn_ap.core.spread import (
    PairedDifference,
    Spread,
    compute_value_limits,
    have_same_weight,
)
from sklearn_ap.inference import compare, confidence_interval
from sklearn_ap.readers import Retrieved

from . import oracle
from .by_page import compare_means
from .tables import ROWS
from .units import contributions, contributions_by_name

each_metric = pytest.mark.parametrize("metric", [*map(ap.metric, ["AP", "P@3", "11-point"])])

_TARGETS = ["precision_at_recall_0.8", "recall_at_precision_0.5"]


def drawn_rows(*size):
    """Draw as many labels, of which four in ten are positive, and the scores of two models."""
    rng = np.random.default_rng(0)
    y = rng.random(size) < 0.4
    a, b = rng.standard_normal((2, *size)) + y
    return rng, y, a, b


# Search: different documents for the same queries
def retrieved(seed, quality, n_queries=20, exist=6):
    """Return what a search engine retrieves: labels, scores and queries, in any order."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(n_queries):
        n = rng.integers(4, 12)
        relevant = np.arange(n) < rng.integers(1, min(n, exist))
        scores = (rng.standard_normal(n) + quality * relevant).round(1)
        rows += zip(relevant.astype(int), scores, [f"q{query}"] * n, strict=True)
    order = rng.permutation(len(rows))
    return tuple(np.array(column)[order] for column in zip(*rows, strict=True))


EXIST = {f"q{query}": 6 for query in range(20)}


@each_metric
def test_queries_with_other_documents_equal_the_test_of_differences(metric):
    tables, values = {}, []
    for model, seed, quality in (("a", 1, 1.0), ("b", 2, 2.0)):
        y, score, query = retrieved(seed, quality)
        roles = {"y_true": "y", "y_score": "score", "groups": "query"}
        tables[model] = Retrieved({"y": y, "score": score, "query": query}, roles, EXIST)
        values.append(metric(y, score, average=None, groups=query, n_positives=EXIST))
    by_table = partial(compare, metric=metric, baseline="b")
    found = by_table(data=tables).rows[0]
    each = [confidence_interval(data=one, metric=metric) for one in tables.values()]
    low, high, pvalue = compare_means(values[0] - values[1])
    assert found.pvalue == pytest.approx(pvalue, abs=1e-9)
    assert found.difference == pytest.approx(np.mean(values[0] - values[1]), abs=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.value == each[0].value
    row = by_table(data=tables | {"c": tables["a"]}).rows[2]
    low, high, _ = compare_means(values[0] - values[1], level=0.975)  # of two comparisons
    assert (row.difference, row.low, row.high) == pytest.approx((found.difference, low, high))
    assert row.pvalue == pytest.approx(min(2 * found.pvalue, 1))
    alone = by_table(data=tables | {"c": tables["a"]}, joint=False).rows[2]
    for name in ("difference", "low", "high", "pvalue"):
        assert getattr(alone, name) == getattr(found, name)
    assert list(contributions_by_name(each[0])) == sorted(EXIST)
    error = np.linalg.norm(contributions(each[0]))
    assert error == pytest.approx(each[0].standard_error)


Y8, SCORE8 = np.array([1, 0, 1, 0, 1, 1, 0, 0]), np.arange(8)[::-1]


def test_intervals_carry_the_names_of_their_models():
    unnamed, named = (confidence_interval(Y8, SCORE8, name=name) for name in (None, "tuned"))
    assert (unnamed.name, named.name, named.to_dict()["name"]) == (None, "tuned", "tuned")
    assert str(named).startswith(f"Average precision of tuned: {named.value:.3f}, 95% interval ")


# Detection: classes are fixed, images are drawn
def boxes(rng, n_images, better=0.0, objects=None):
    """Return boxes with their images and classes, and how many objects exist in each."""
    easy = rng.standard_normal(n_images)
    if objects is None:
        objects = rng.poisson(1.5, (n_images, 3))
    rows = []
    for (image, kind), n in np.ndenumerate(objects):
        chance = 1 / (1 + np.exp(-(1 + better + easy[image])))
        for found in rng.random(n) < chance:
            if found:
                rows.append((1, rng.standard_normal() + 1.5 + better, kind, image))
        rows += [(0, rng.standard_normal(), kind, image) for _ in range(rng.poisson(1.0))]
    exist = {(kind, image): int(n) for (image, kind), n in np.ndenumerate(objects)}
    return tuple(np.array(column) for column in zip(*rows, strict=True)), exist, objects


COLUMNS = ["label", "score", "kind", "image"]
OF_IMAGES = dict(zip(("y_true", "y_score", "groups", "clusters"), COLUMNS, strict=True))


def table_of(found):
    return pd.DataFrame(dict(zip(COLUMNS, found, strict=True)))


def interval_of(found, exist, **options):
    return confidence_interval(**OF_IMAGES, n_positives=exist, data=table_of(found), **options)


def without(found, exist, image):
    keep = found[3] != image
    rest = {key: n for key, n in exist.items() if key[1] != image}
    return tuple(column[keep] for column in found), rest


def mean_over_classes(found, exist):
    label, score, kind, _ = found
    totals = dict.fromkeys(range(3), 0)
    for (group, _), n in exist.items():
        totals[group] += n
    return ap.average_precision_score(label, score, groups=kind, n_positives=totals)


def test_standard_error_over_images_equals_the_jackknife():
    rng = np.random.default_rng(0)
    found, exist, objects = boxes(rng, 60)
    other, _, _ = boxes(rng, 60, better=0.5, objects=objects)
    one, two = interval_of(found, exist), interval_of(other, exist)
    assert one.value == pytest.approx(mean_over_classes(found, exist), rel=1e-14)
    assert list(contributions_by_name(one)) == list(range(60))
    assert one.basis == "3 groups (kind), 60 images"
    left_out = np.array([
        [mean_over_classes(*without(each, exist, image)) for image in range(60)]
        for each in (found, other)
    ])  # fmt: skip
    centered = left_out - left_out.mean(axis=1, keepdims=True)
    errors = np.sqrt(59 / 60 * np.square([*centered, centered[0] - centered[1]]).sum(axis=1))
    totals = objects.sum(axis=0)
    tables = {
        model: Retrieved(
            dict(zip(COLUMNS, each, strict=True)), OF_IMAGES, dict(enumerate(totals)), exist
        )
        for model, each in (("one", found), ("two", other))
    }
    several = compare(data=tables, baseline="two")
    difference = several.rows[0]
    found_errors = [each.standard_error for each in (one, two)]
    assert found_errors == pytest.approx(errors[:2], rel=0.1)
    # The interval of the difference is that of a t-test, or wider.
    assert difference.high - difference.low > 2 * 1.9 * errors[2]
    assert difference.difference == pytest.approx(one.value - two.value)
    drawn = interval_of(found, exist, method="bootstrap", random_state=0)
    assert drawn.standard_error == pytest.approx(one.standard_error, rel=0.1)


def three_classes(seed):
    """Return 200 rows with 40, 3 and 3 positives of three classes, and the scores of a model."""
    r = np.random.default_rng(seed)
    y, score = np.zeros((200, 3), int), np.zeros((200, 3))
    for j, (d, k) in enumerate(((1.5, 40), (6, 3), (6, 3))):
        y[r.choice(200, k, replace=False), j] = 1
        score[:, j] = r.standard_normal(200) + d * y[:, j]
    return y, score


def in_groups(table):
    """Return a table class by class, with the class as the group and the row as the cluster."""
    groups, clusters = np.indices(table.T.shape)
    return table.T.ravel(), {"groups": groups.ravel(), "clusters": clusters.ravel()}


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_groups_whose_clusters_are_rows_are_classes(average):
    y, a = three_classes(0)
    b = a + np.random.default_rng(1).standard_normal(a.shape)
    (label, units), one, other = in_groups(y), in_groups(a)[0], in_groups(b)[0]
    found = confidence_interval(label, one, average=average, **units)
    assert tuple(found) == pytest.approx(tuple(confidence_interval(y, a, average=average)))
    if average == "macro":  # two of the classes have only three positives
        excess = np.mean([oracle.excess(*each) for each in zip(y.T, a.T, strict=True)])
        reach = found.standard_error / (found.value * (1 - found.value))
        freedom = (logit(found.high) - logit(found.value)) / reach
        assert stats.t.ppf(0.975, 100) < freedom < stats.t.ppf(0.975, 10)  # that of the mean
        assert found.low + excess < expit(logit(found.value) - freedom * reach)
    found = compare(label, one, other, average=average, **units)
    expected = compare(y, a, b, average=average)
    assert (*found, found.pvalue) == pytest.approx((*expected, expected.pvalue))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("seed", range(5))
def test_names_and_order_of_groups_and_clusters_change_nothing(seed, average):
    rng = np.random.default_rng(seed)
    group, cluster = rng.integers(0, 6, 120), rng.integers(0, 20, 120)
    y, a = rng.random(120) < 0.3 * (group > 0), rng.standard_normal(120).round(1)
    given = {"average": average, "zero_division": 0.0}
    found = compare(y, a, -a, groups=group, clusters=cluster, **given)
    order, names, others = rng.permutation(120), rng.permutation(6), rng.permutation(20)
    y, a, group, cluster = y[order], a[order], names[group][order], others[cluster][order]
    again = compare(y, a, -a, groups=group, clusters=cluster, **given)
    assert (*again, again.pvalue) == pytest.approx((*found, found.pvalue))


def test_many_groups_with_a_single_positive_can_be_compared():
    rng = np.random.default_rng(0)
    group, cluster = np.repeat(np.arange(60), 20), rng.integers(0, 50, 1200)
    y = np.arange(1200) % 20 == 0
    a, b = rng.standard_normal((2, 1200)) + 2 * y
    assert compare(y, a + y, b, groups=group, clusters=cluster).pvalue < 0.01


# Several models
@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    shared = rng.standard_normal(400)
    scores = {
        name: (shared + rng.standard_normal(400) + better * y).round(1)
        for name, better in (("A", 1.0), ("B", 1.6), ("C", 0.4), ("D", 1.1))
    }
    return y, scores | {"same": scores["A"] * 2 - 1}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("groups", [None, np.arange(400) // 20])
@pytest.mark.parametrize("baseline", ["A", "C", None])
def test_each_model_beside_the_baseline(models, baseline, groups, joint):
    y, scores = models
    found = compare(y, scores, baseline=baseline, groups=groups, joint=joint)
    rows = found.to_dict()
    assert [row["model"] for row in rows] == list(scores)
    assert found.baseline == (baseline or "B")
    others = [name for name in scores if name != found.baseline]
    n_tests = (4 if baseline else 10) if joint else 1
    base = scores[found.baseline]
    given = {"groups": groups}
    for row in found:
        assert row.value == confidence_interval(y, scores[row.model], **given).value
        if row.model not in others:
            continue
        alone = compare(y, scores[row.model], base, **given)
        widest = compare(y, scores[row.model], base, **given, confidence_level=1 - 0.05 / n_tests)
        assert row.difference == alone.difference
        assert widest.low - 1e-9 <= row.low <= alone.low + 1e-9
        assert widest.high + 1e-9 >= row.high >= alone.high - 1e-9
        assert alone.pvalue - 1e-9 <= row.pvalue <= n_tests * alone.pvalue + 1e-9
        assert (row.pvalue < 0.05) == (row.low > 0 or row.high < 0) == (row.verdict != "unclear")
    frame = found.to_frame().reset_index()
    assert [*frame] == [name for name in rows[0] if name not in ("notes", "conditions")]
    for name in frame:
        cells = [None if pd.isna(cell) else cell for cell in frame[name]]
        assert cells == [row[name] for row in rows]


# Names
OLD, NEW = [9, 8, 2, 6, 5, 4, 3, 7], [9, 8, 7, 6, 5, 4, 3, 2]
LABELS = [1, 0, 1, 1, 0, 1, 0, 0]


def test_models_are_a_table():
    models = {"old\nmodel": OLD, "new_1": NEW, "a|b & c": OLD, 4: 2 * np.array(OLD)}
    assert str(compare(LABELS, models, baseline="old\nmodel")).splitlines()[:8] == [
        "Average precision: 4 positives",
        "model      value    diff     95% interval      p  verdict at 95%",
        "old model  0.625                                  baseline",
        "new_1      0.771  +0.146  -0.461 to 0.753  0.982  unclear",
        "a|b & c    0.625   0.000   0.000 to 0.000  1.000  unclear",
        "4          0.625   0.000   0.000 to 0.000  1.000  unclear",
        "diff, p and verdict: against the baseline old model.",
        "Intervals and p are adjusted for 3 comparisons with the baseline (Bonferroni).",
    ]


def test_models_are_columns_of_a_table(models):
    y, scores = models
    frame = pd.DataFrame({"label": y, "day": np.arange(400) // 20, **scores})
    given = {"baseline": "A", "groups": "day", "data": frame}
    found = compare("label", ["A", "C"], **given)
    expected = {name: scores[name] for name in "AC"}
    assert found == compare(y, expected, baseline="A", groups=frame["day"])
    assert found == compare("label", {"A": "A", "C": "C"}, **given)
    assert found == compare("label", {"A": "A", "C": scores["C"]}, **given)  # or arrays
    assert found.basis == "20 groups (day)"


@pytest.mark.parametrize(("one", "other", "names"), [
    ("array", "array", ("A", "B")),
    ("new", "old", ("new", "old")),
    ("b", "a", ("b", "a")),
    ("new", "array", ("new", "B")),
    ("b", "array", ("b", "y_score_b")),
    ("new", "new", ("A", "B")),
    ("b", "b", ("y_score_a", "y_score_b")),
])  # fmt: skip
def test_two_models_are_called_like_their_columns_or_series(one, other, names):
    frame = pd.DataFrame(dict.fromkeys(["new", "old", "a", "b"], np.arange(8)), copy=True)
    found = compare(Y8, *(frame.get(name, np.arange(8)) for name in (one, other)))
    assert found.models == names
    assert f"diff, p and verdict: {names[0]} against {names[1]}." in str(found)
    if "array" not in (one, other):
        table = frame.assign(label=Y8)
        for data in (table, {name: table[name].to_numpy() for name in table}):
            assert compare("label", one, other, data=data).models == names


# Words
def test_units_are_called_what_their_column_is_called():
    rows = np.arange(60)
    columns = {"label": rows % 7 < 3, "score": rows % 11, "query": rows % 6, "patient": rows % 20}
    frame = pd.DataFrame(columns)
    named = {"y_true": "label", "y_score": "score", "data": frame}
    arrays = {"y_true": frame["label"], "y_score": frame["score"]}
    for given, basis in (
        (named | {"groups": "query"}, "6 groups (query)"),
        (named | {"clusters": "patient"},
         "20 patients, 15 with positives, effectively 13"),
        (named | {"groups": "query", "clusters": "patient"},
         "6 groups (query), 20 patients"),
        (arrays | {"groups": frame["query"]}, "6 groups (query)"),
        (arrays | {"groups": frame["query"].to_numpy()}, "6 groups"),
    ):  # fmt: skip
        assert confidence_interval(**given).basis.endswith(basis)


def test_times_name_clusters_as_they_name_groups():
    y, score, day = [1, 0, 1, 0, 1, 1], [6, 5, 4, 3, 2, 1], np.arange(6) // 2
    times = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(day, "D"))
    by_time = dict.fromkeys(times, 3)
    found = confidence_interval(y, score, clusters=times, n_positives=by_time)
    assert found == confidence_interval(y, score, clusters=day, n_positives={0: 3, 1: 3, 2: 3})
    pairs = {("a", time): 3 for time in times}
    found = confidence_interval(y, score, groups=["a"] * 6, clusters=times, n_positives=pairs)
    assert list(contributions_by_name(found)) == list(times.to_numpy()[::2])


def test_one_positive_in_a_million_is_another_weight():
    assert not have_same_weight(np.array([10**6, 1]), np.array([10**6 + 1, 1]))


@pytest.mark.parametrize(("groups", "method"), [
    (None, "influence"), (None, "bootstrap"), (7, "influence"),
])  # fmt: skip
@pytest.mark.parametrize("factor", [0.1, 1 / 3])
def test_rounding_of_weights_does_not_decide_how_models_are_paired(groups, method, factor):
    """Both models have the same weights, but add them up in another order."""
    rng, y, a, b = drawn_rows(600) if groups else drawn_rows(600, 3)
    weight = rng.integers(1, 30, 600)
    options = {"average": "weighted", "method": method, "random_state": 0, "n_resamples": 199}
    options |= {"groups": np.arange(600) % groups} if groups else {}
    found = [compare(y, a, b, sample_weight=each, **options) for each in (weight, factor * weight)]
    whole, scaled = ([*each, each.pvalue] for each in found)
    assert scaled == pytest.approx(whole, rel=1e-9)


# Folds
def test_labels_that_are_text():
    y, a, b = easy_and_hard(np.random.default_rng(0), 100, share=0.3)
    text = np.where(y, "yes", "no")
    assert compare(text, a, b, pos_label="yes") == compare(y, a, b)


@pytest.mark.parametrize(("factor", "most"), [(1, 1), (2, np.inf)])
def test_fractions_on_folds_differ_by_at_most_1(factor, most):
    a, b = factor * np.array([[0.1, 0.9], [0.5, 0.2]])
    found = ap.compare_folds(a, b, n_train=1, n_test=1)
    # The two differences vary by 1.1 around their mean, .15, and t is 12.7.
    reach = factor * stats.t.ppf(0.975, 1) * np.sqrt((1 / 2 + 1) * 1.1**2 / 2)
    middle = 0.15 * factor
    ends = max(middle - reach, -most), min(middle + reach, most)
    assert (found.low, found.high) == pytest.approx(ends)


def cross_validated(scores, test_size=2):
    """Return what cross_validate returns for folds of 10 samples, without its times."""
    test = [np.arange(start, start + test_size) for start in range(len(scores))]
    train = [np.setdiff1d(np.arange(10), some) for some in test]
    return {"test_score": np.array(scores), "indices": {"train": train, "test": test}}


def test_folds_are_compared_by_the_corrected_resampled_t_test():
    """The variance of five differences is multiplied by 1/5 + 2/8, not by 1/5 as in a t-test."""
    a, b = np.array([0.62, 0.71, 0.66, 0.70, 0.64]), np.array([0.58, 0.69, 0.65, 0.64, 0.61])
    found = ap.compare_folds(cross_validated(a), cross_validated(b))
    error = np.sqrt(np.var(a - b, ddof=1) * (1 / 5 + 2 / 8))
    reach = stats.t(4).ppf(0.975) * error
    assert tuple(found) == pytest.approx((0.032, 0.032 - reach, 0.032 + reach))
    assert found.pvalue == pytest.approx(2 * stats.t(4).sf(0.032 / error))
    assert (found.method, found.basis) == ("corrected t-test", "5 folds")
    by_size = partial(ap.compare_folds, n_train=8, n_test=2)
    assert by_size(a, b) == found
    assert by_size(pd.Series(a, name="new"), pd.Series(b, name="old")).models == ("new", "old")
    assert by_size(a, b, metric=ap.metric("P@10%")).metric == "Precision at 10%"
    # If nothing varies, the standard error is as if one more fold showed no difference.
    assert [by_size(a, other).pvalue for other in (a, a - 0.1)] == [
        1,
        pytest.approx(2 * stats.t(4).sf(5)),
    ]
    several = {"test_ap": b, "test_auc": a, "indices": cross_validated(a)["indices"]}
    by_name = ap.compare_folds(several, several | {"test_ap": a}, metric="ap")
    assert (by_name.difference, by_name.metric) == (-found.difference, "ap")
    several |= {"test_precision_at_recall": a, "test_P@10%": a}
    for metric in ("P@10%", "precision_at_10%", ap.metric("precision_at_k", k=0.1)):
        by_name = ap.compare_folds(several, several | {"test_P@10%": b}, metric=metric)
        assert (by_name.difference, by_name.metric) == (found.difference, "P@10%")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:A few negatives of weight")
@pytest.mark.parametrize(
    ("apart", "correlation", "weight", "most"),
    [(1.5, 0.5, 100, 0.12), (3.0, 0.9, 1, 0.07)],
    ids=["heavy negatives", "strong models"],
)
def test_levels_of_hard_comparisons(apart, correlation, weight, most):
    """Heavy negatives give more false alarms than 5%, as docs/confidence_intervals.md says, and
    strong models don't.
    """
    rng, y, found = np.random.default_rng(0), np.repeat([1, 0], 50), []
    shared = np.sqrt(correlation)
    for _ in range(600):
        noise = np.sqrt(1 - correlation) * rng.standard_normal((2, 100))
        a, b = shared * rng.standard_normal(100) + noise + apart * y
        found.append(compare(y, a, b, sample_weight=np.where(y, 1, weight)).pvalue < 0.05)
    assert np.mean(found) <= most


def easy_and_hard(rng, n, gains=(3.5, 4.0), share=0.1):
    """Draw labels and two models that find the same positives hard."""
    y = rng.random(n) < share
    shared, *own = rng.standard_normal((3, n))
    return y, *(2 * shared + one + gain * y for one, gain in zip(own, gains, strict=True))


def spread_of(n_units):
    """A mean of 0.1 with a standard error of 0.045, of equal units."""
    deviations = 0.045 * np.resize([-1.0, 1.0], (1, n_units)) / np.sqrt(n_units)
    one = np.ones(1)
    return Spread(0.1 * one, one, n_units * one, mean=0.1, deviations=deviations)


def test_the_end_near_0_has_the_level_of_its_p_value():
    rng, y = np.random.default_rng(5), np.arange(80) < 12
    a, b = (rng.normal(size=80) + apart * y for apart in (2.5, 1.2))
    p = compare(y, a, b).pvalue
    around = [compare(y, a, b, confidence_level=1 - p * (1 + each)).low for each in (-1e-6, 1e-6)]
    assert around[1] == pytest.approx(0, abs=1e-6)
    assert around[0] <= 0 < around[1]
    clear = compare(y, a, b, confidence_level=1 - 1.5 * p)
    assert clear.low > clear.difference / 100


def test_a_difference_rests_on_the_fewer_units_and_may_be_as_large_as_either_value():
    other = replace(
        spread_of(50), values=np.zeros(1), mean=0.0, maximum=0.8, equal_units_of_mean=5.0
    )
    found = replace(spread_of(50), maximum=0.5).subtract(other)
    assert (found.equal_units_of_mean, found.equal_units, found.maximum) == (5, 50, 0.8)


@pytest.mark.parametrize("units", [1.5, 2.0, 9.0])
def test_without_variance_a_standard_error_is_that_of_one_more_unit_without_a_difference(units):
    one, equal_units = np.ones(1), np.full(1, units)
    still = PairedDifference(0.1 * one, one, equal_units, 0.1, deviations=np.zeros((1, 9)))
    assert still.error_of_difference == pytest.approx(0.1 / units)


def test_an_interval_contains_its_value_and_is_as_wide_below_if_values_tend_to_be_high():
    one = replace(spread_of(50), is_optimistic=True, resampled=np.full((9, 1), 0.7))
    one = replace(one, values=np.full(1, 0.5), mean=0.5)
    assert one.compute_limits(0.95) == pytest.approx((0.3, 0.7))
    sure = replace(
        spread_of(50), values=np.ones(1), deviations=np.zeros((1, 50)), ranking_values=np.ones(2)
    )
    assert replace(sure, maximum=1.0).compute_limits(0.95)[1] == 1


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("number", [9, 21, np.inf])
def test_ends_of_drawn_values_by_hand(level, number):
    """Of n draws that are 1/(n + 1), 2/(n + 1), ..., each quantile is its probability. The fraction
    `by_chance` of the units was drawn, and all others may be perfect.
    """
    drawn = np.random.default_rng(0).permutation(np.arange(1, 10_000))[:, np.newaxis] / 10_000
    below = stats.norm.cdf(stats.t.ppf((1 - level) / 2, number - 1))  # as far as Student's t
    by_chance = ((1 - level) / 2) ** (1 / number)
    value, error, units = np.array([0.5]), np.array([0.29]), np.array([number])
    low, high = compute_value_limits(value, error, units, level, drawn)
    least_high = 1 - 0.5 * by_chance
    assert (low, high) == pytest.approx((below, max(1 - below, least_high)), abs=1e-9)
    near = 0.5 + (drawn - 0.5) / 1000  # all of them lower than the value
    high = compute_value_limits(np.full(1, 0.9), error, units, level, near)[1]
    assert high == pytest.approx(1 - 0.1 * by_chance)
    assert compute_value_limits(np.full(1, 0.1), error, units, level, near)[0] <= 0.1
    # Without a success, it is at least as wide as after only failures.
    ends = [
        compute_value_limits(0 * value, error, units, level, each)[1] for each in (0 * drawn, drawn)
    ]
    assert ends == pytest.approx([1 - by_chance, max(1 - by_chance, 1 - below)])


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_an_interval_of_high_values_ends_at_a_quantile_of_the_draws(level):
    drawn = np.arange(10_001)[:, np.newaxis] / 10_000
    one = replace(spread_of(50), is_optimistic=True, resampled=drawn, values=np.full(1, 0.5))
    assert one.compute_limits(level)[1] == pytest.approx((1 + level) / 2)


# Many rows
MANY = {
    "rows": {},
    "exist": {"n_positives": 100},
    "weights": {"sample_weight": 1 + np.arange(1000) % 3},
    "groups": {"groups": np.arange(1000) % 7, "clusters": np.arange(1000) // 2},
    "classes": {"average": "macro"},
}


@pytest.mark.parametrize("digits", [9, 1])
@pytest.mark.parametrize("kind", MANY)
def test_rows_that_are_looked_up_in_blocks_give_the_same(digits, kind, monkeypatch):
    """And rows of other kinds, however many, aren't."""
    y, *scores = easy_and_hard(np.random.default_rng(0), 1000, share=0.03)
    a, b = np.round(scores, digits)
    if kind == "classes":
        y, a, b = (np.column_stack([each, each[::-1]]) for each in (y, a, b))

    def found():
        one = compare(y, a, b, **MANY[kind])
        interval = confidence_interval(y, a, **MANY[kind])
        return [*one, one.standard_error, one.pvalue, *contributions(interval)]

    expected = found()
    monkeypatch.setattr("sklearn_ap.core.units._MAX_UNITS_IN_MEMORY", 0)
    monkeypatch.setattr("sklearn_ap.core.ragged.ENTRIES_PER_BLOCK", 7)
    assert found() == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "share", "most"),  # with arrays of all rows, 130, 57 and 240
    [("AP", 0.03, 45), ("P@0.1%", 0.03, 45), ("AP", 0.0005, 75)],
)
def test_comparisons_of_many_rows_need_few_bytes_per_row(metric, share, most, monkeypatch):
    monkeypatch.setattr("sklearn_ap.core.units._MAX_UNITS_IN_MEMORY", 2**16)
    monkeypatch.setattr("sklearn_ap.core.ragged.ENTRIES_PER_BLOCK", 2**11)
    y, a, b = easy_and_hard(np.random.default_rng(0), 70_000, share=share)
    tracemalloc.start()
    compare(y, a, b, metric=metric, n_resamples=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most * y.size


def test_labels_that_are_none_are_named():
    with pytest.raises(TypeError, match="'y_true' parameter of compare must be an array-like"):
        ap.compare(None, [1, 2], [2, 1])


@pytest.mark.sweep(3)
@pytest.mark.parametrize("metric", ["P@10", "R@10%", "EF@5%", "R-precision", *_TARGETS])
def test_an_interval_of_drawn_differences_ends_at_0_at_the_level_of_its_p_value(metric):
    rng, y, a, b = drawn_rows(80)
    for rows in (slice(None), slice(None, None, -1), rng.integers(0, 80, 80)):
        given = {"metric": metric, "random_state": 0, "clusters": np.arange(80) // 2}
        for a_better in (a + y[rows], a):
            pair = y[rows], a_better, b
            found = compare(*pair, **given)
            if found.pvalue in (0, 1):
                continue
            levels = 1 - found.pvalue + np.array([-1e-6, 1e-6])
            inner, outer = (compare(*pair, confidence_level=each, **given) for each in levels)
            assert outer.low < 0 < outer.high or outer.low * outer.high == 0
            assert 0 < inner.low or inner.high < 0
            near = min(abs(inner.low), abs(inner.high))
            assert near < 1e-4


def test_the_p_value_of_drawn_differences_by_hand():
    """It's that of a t-test with the standard deviation of the drawn differences."""
    known = {
        "fractions": np.ones(1),
        "equal_units_of_values": np.array([20.0]),
        "has_bend": True,
    }
    drawn = np.random.default_rng(0).normal([0.3, 0.1], 0.1, (40, 2))
    one, other = (
        Spread(np.array([mean]), mean=mean, **known).with_resamples(each[:, np.newaxis])
        for mean, each in zip((0.3, 0.1), drawn.T, strict=True)
    )
    low, high, pvalue = one.subtract(other).compute_t_test(0.9)
    error = np.std(drawn[:, 0] - drawn[:, 1], ddof=1)
    assert pvalue == pytest.approx(2 * stats.t.sf(0.2 / error, 19), rel=1e-9)
    reach = stats.t.ppf(0.95, 19) * error
    assert (low, high) == pytest.approx((0.2 - reach, 0.2 + reach), rel=1e-9)


ATTRIBUTES_OF_A_PAIR = (
    *("values", "models", "difference", "low", "high", "standard_error", "pvalue", "verdict"),
    *("wins", "ties", "losses"),
)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"margin": 0.05},
        {"method": "bootstrap", "n_resamples": 19, "random_state": 0},
        {"groups": "query", "zero_division": 0.0},
        {"groups": "query", "metric": "P@3", "confidence_level": 0.8},
        {"clusters": "query", "metric": "11-point", "random_state": 0},
    ],
)
def test_two_models_have_the_attributes_of_a_pair_however_they_come(options, joint):
    pair = ap.compare("label", "other", "score", data=ROWS, **options)
    for names in ({"other": "other", "score": "score"}, ["score", "other"]):
        table = ap.compare("label", names, data=ROWS, baseline="score", joint=joint, **options)
        for name in ATTRIBUTES_OF_A_PAIR:
            assert getattr(table, name) == getattr(pair, name), name
        (row,) = (row for row in table.rows if row.model != "score")
        assert (row.model, row.difference, row.low) == ("other", table.difference, table.low)
        assert pickle.loads(pickle.dumps(table)).high == pair.high


@pytest.mark.parametrize(("models", "baseline"), [(3, "score"), (3, None), (2, None)])
def test_no_pair_is_read_off_a_table_where_it_could_be_another_one(models, baseline):
    """Of several models there are more pairs, and without a name, the data choose the sign."""
    names = ["score", "other", "third"][:models]
    table = ap.compare("label", names, data=ROWS, baseline=baseline)
    for name in ATTRIBUTES_OF_A_PAIR:
        with pytest.raises(AttributeError, match=f"'{name}' compares one model .* `rows`"):
            getattr(table, name)


def test_pictures_of_two_models_and_of_several():
    pytest.importorskip("matplotlib").use("agg")
    _, y, a, b = drawn_rows(100)
    pair, several = ap.compare(y, a, b), ap.compare(y, {"a": a, "b": b, "c": a + b}, baseline="b")
    for found, names in ((pair, ["A", "B (baseline)"]), (several, ["a", "b (baseline)", "c"])):
        display = found.plot()
        assert display.result is found
        values, differences = display.ax_.ravel()
        assert [text.get_text() for text in values.get_yticklabels()] == names
        assert values.get_xlabel() == "value"
        assert values.get_title("left").startswith(f"Average precision: {y.sum()} positives")
        assert differences.get_xlabel() == "difference from the baseline\n95% interval"
    points, _, (lines,) = pair.plot(Figure().subplots()).errorbar_[0].lines
    assert points.get_xdata()[0] == pair.difference
    assert lines.get_segments()[0][:, 0] == pytest.approx((pair.low, pair.high))
