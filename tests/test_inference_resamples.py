"""Resamples that distinguish only some rows, against those that distinguish all of them."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement
from math import isqrt

import numpy as np
import pytest
from scipy import stats

import sklearn_ap as ap
from sklearn_ap._enter.metric import read_rule
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._read.validation import read_rankings
from sklearn_ap.core import resampling
from sklearn_ap.core.cutoff import Cut
from sklearn_ap.core.influence import count_unscored
from sklearn_ap.core.rankings import find_kth_best
from sklearn_ap.core.resampling import Shortlist, count_near_points, select_shortlist
from sklearn_ap.core.units import SamplingUnits, make_point_cells
from sklearn_ap.inference import compare, confidence_interval

METRICS = [
    ("precision-at-k", {"k": 5}),
    ("recall-at-k", {"k": 0.04}),
    *(("at-k", {"k": 6, "denominator": name}) for name in ("min", "relevant", "k", "hits")),
]
WEIGHTED = {"k_counts": "samples"}


def data(n=150, share=0.1, seed=0, columns=None):
    rng = np.random.default_rng(seed)
    shape = n if columns is None else (n, columns)
    y = (rng.random(shape) < share).astype(int)
    y[:3] = 1
    return y, (rng.standard_normal(shape) + 1.5 * y).round(1), rng.gamma(2, 50, n)


def ranked(y, score, weight=None, **given):
    """Read rankings, where several columns are classes."""
    average = "macro" if np.ndim(score) == 2 or "groups" in given else "binary"
    return read_rankings(Inputs(y, score, sample_weight=weight, average=average, **given))


def test_units_know_which_groups_have_counts_as_weights():
    y, score, weight = data()
    group = np.arange(150) % 5
    rankings = ranked(y, score, np.where(group < 2, 3, weight), groups=group)
    for points in (rankings.points(None), SamplingUnits.from_rankings(rankings).cells.points()):
        assert points.are_integers.tolist() == [True, True, False, False, False]


def drawn_short(rule, rankings, cluster=None):
    """Return a shortlist, which rows it lists, its resamples, and the same for all rows.

    The values of its resamples have to be those of all rows.
    """
    listed = select_shortlist(rule.cut, rankings, cluster=cluster)
    every = rankings.weight is not None
    units = SamplingUnits.from_rankings(rankings, cluster, every)
    found = count_unscored(units.cells.points(every).with_n_positives(rankings.n_positives or 0))
    units = replace(units, unscored=found)
    short = Shortlist.from_units(rule.cut, listed, units)
    rng = np.random.default_rng(0)
    drawn = short.draw(40, rng)
    whole = np.stack([short.unfold(one, rng) for one in drawn.T], axis=1)
    assert short.sizes.sum() + listed.sum() == listed.size == units.n_scored
    assert short.near[:, : short.kinds.size].sum() == 0  # of units that aren't listed
    assert (whole.sum(axis=0) == units.size).all()
    return short, units, listed, drawn, whole


def check_values(rule, short, units, drawn, whole):
    few = resampling._make_filler(rule, short.units)(drawn)
    every = resampling._make_filler(rule, units)(whole)
    assert rule.values(few) == pytest.approx(rule.values(every), rel=1e-12, nan_ok=True)
    assert few.n_positives == pytest.approx(every.n_positives, rel=1e-12)


@pytest.fixture
def slow(monkeypatch):
    """Turn shortlists off."""

    def every_row():
        monkeypatch.setattr(resampling, "select_shortlist", lambda *args, **given: None)
        monkeypatch.setattr(
            resampling, "count_near_points", lambda cells, cut: np.diff(cells.offsets)
        )

    return every_row


# --- the same values ---------------------------------------------------------------------------
@pytest.mark.sweep(4)
@pytest.mark.parametrize(("metric", "options"), METRICS, ids=str)
@pytest.mark.parametrize("columns", [None, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("exist", [None, 60])
@pytest.mark.parametrize("clustered", [False, True])
def test_rows_that_only_count_change_no_value(metric, options, columns, weighted, exist, clustered):
    y, score, weight = data(columns=columns, share=0.05)
    rule = read_rule("test", metric, options | WEIGHTED)
    if exist and weighted:
        exist *= 20  # the positives weigh about 1,000
    given = {"n_positives": exist} if columns is None else {}
    rankings = ranked(y, score, weight if weighted else None, **given)
    # Clusters of one or two rows, which are not side by side.
    cluster = np.arange(150) % 110 if clustered else None
    short, units, listed, drawn, whole = drawn_short(rule, rankings, cluster)
    assert listed.sum() < 0.9 * listed.size
    assert short.has_top(drawn)
    check_values(rule, short, units, drawn, whole)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("metric", "options"), METRICS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clusters", [None, "rows", "pairs"])
def test_rows_of_groups_that_only_count_change_no_value(metric, options, weighted, clusters):
    """The clusters are rows in another order, or of one or two rows, often of several groups."""
    y, score, weight = data(400, share=0.05)
    rule, rng = read_rule("test", metric, options | WEIGHTED), np.random.default_rng(3)
    groups = rng.choice(3, 400, p=[0.6, 0.38, 0.02])  # the last one has few rows
    cluster = {None: None, "rows": rng.permutation(400), "pairs": np.arange(400) % 310}[clusters]
    rankings = ranked(y, score, weight if weighted else None, groups=groups)
    short, units, listed, drawn, whole = drawn_short(rule, rankings, cluster)
    assert listed.sum() < 0.7 * listed.size
    assert short.has_top(drawn)
    check_values(rule, short, units, drawn, whole)
    kinds = {}
    for number, kind in enumerate(short.kind):
        rows = [number] if cluster is None else np.flatnonzero(cluster == number)
        kinds.setdefault(int(kind), set()).add(tuple(sorted((groups[row], y[row]) for row in rows)))
    assert {len(contents) for contents in kinds.values()} == {1}


def test_clusters_of_groups_that_all_differ_are_told_apart():
    y, score, _ = data(600)
    groups, cluster = np.arange(600) % 6, np.arange(600) // 20
    groups = np.random.default_rng(0).permutation(groups)
    rankings = ranked(y, score, groups=groups)
    cut = read_rule("test", "precision_at_1", {}).cut
    assert select_shortlist(cut, rankings) is not None
    assert select_shortlist(cut, rankings, cluster=cluster) is None


@pytest.mark.parametrize("clustered", [False, True])
def test_missed_positives_have_their_mean_weight(clustered):
    """Weights that add up to 2.5 are three units, each of which weighs 2.5 / 3."""
    y, weight = np.array([1, 0, 1, 0]), np.array([0.5, 1, 2, 1])
    rankings = ranked(y, np.arange(4), weight)
    units = SamplingUnits.from_rankings(rankings, np.array([0, 1, 1, 0]) if clustered else None)
    units = replace(units, unscored=np.array([2.5]))
    rule, rng = read_rule("test", "11-point", {}), np.random.default_rng(0)
    found = [points.n_positives for _, points in resampling.draw_units(rule, [units], 4000, rng)]
    found = np.concatenate(found)
    n_units = (2 if clustered else 4) + 3
    each = np.array([0.5, 2] + [2.5 / 3] * 3 + [0] * (n_units - 5))
    assert found.mean() == pytest.approx(5, abs=5 * each.std() * (n_units / 4000) ** 0.5)
    assert found.std() == pytest.approx(each.std() * n_units**0.5, rel=0.05)


@pytest.mark.parametrize("ties", ["best", "worst", "expected"])
@pytest.mark.parametrize("metric", ["precision-at-k", "recall-at-k", "at-k"])
def test_ties_without_weights(metric, ties):
    y, score, _ = data()
    rule = read_rule("test", metric, {"k": 7, "ties": ties})
    short, units, _, drawn, whole = drawn_short(rule, read_rankings(Inputs(y, score.round()), ties))
    check_values(rule, short, units, drawn, whole)


@pytest.mark.parametrize("columns", [None, 2])
def test_a_list_that_is_too_short_is_noticed(monkeypatch, columns):
    """Lists are so short that about half of all resamples also need other rows."""
    monkeypatch.setattr(resampling, "_count_rows_to_draw", lambda k, together=1.0: k)
    y, score, weight = data(columns=columns, share=0.02)
    rule = read_rule("test", "precision-at-k", {"k": 9} | WEIGHTED)
    short, _, listed, drawn, whole = drawn_short(rule, ranked(y, score, weight))
    wide = score.reshape(150, -1)
    # What ranks above all rows that only count is drawn row by row.
    above = wide > wide[~listed].max(axis=0)
    for one, counts in zip(drawn.T, whole.T, strict=True):
        assert short.has_top(one[:, np.newaxis]) == (counts @ above >= 9).all()


HEAVY = np.array([3, 1, 2, 7, 11])


# --- the same distribution ---------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(
    ("weight", "far"),
    [
        (None, False),
        (HEAVY, True),
        pytest.param(None, True, marks=pytest.mark.slow),
        pytest.param(HEAVY, False, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "metric",
    [
        pytest.param("precision_at_2", marks=pytest.mark.slow),
        pytest.param("recall_at_2", marks=pytest.mark.slow),
        "average_precision_at_2",
    ],
)
def test_values_are_as_frequent_as_in_all_resamples(monkeypatch, metric, far, weight):
    monkeypatch.setattr(resampling, "_count_rows_to_draw", lambda k, together=1: 3 if far else k)
    y, ranking = np.array([0, 1, 0, 0, 1]), np.array([5, 4, 3, 2, 1])
    chance, score = stats.multinomial(5, [1 / 5] * 5), ap.metric(metric, **WEIGHTED)
    expected = Counter()
    for rows in combinations_with_replacement(range(5), 5):
        kept, times = np.array(rows), np.bincount(rows, minlength=5)
        if y[kept].any():
            given = {} if weight is None else {"sample_weight": weight[kept]}
            value = score(y[kept], ranking[kept], **given)
            expected[round(float(value), 9)] += chance.pmf(times)
    rule = read_rule("test", metric, WEIGHTED)
    rankings = ranked(y, ranking, weight)
    assert 0 < np.count_nonzero(~select_shortlist(rule.cut, rankings)) < 4
    units = SamplingUnits.from_rankings(rankings, every_point=weight is not None)
    monkeypatch.setattr(resampling, "_ENTRIES_PER_BATCH", 1000)  # some resamples at a time
    rng = np.random.default_rng(0)
    check_frequencies(expected, rule, resampling.draw_units(rule, [units], 2000, rng, rule.cut))
    if weight is None:
        cells = make_point_cells(rankings.points(None))
        check_frequencies(
            expected, rule, resampling.draw_counts(cells, np.array([0]), 2000, rng, rule.cut)
        )


@pytest.mark.slow
@pytest.mark.parametrize("cut", [None, Cut(2)], ids=["all cells", "near cells"])
def test_counts_are_as_frequent_as_in_all_resamples_with_missed_positives(monkeypatch, cut):
    """Two positives were not scored, and the top 2 usually need more than the only near row."""
    monkeypatch.setattr(resampling, "_count_rows_to_draw", lambda k, together=1: 1)
    monkeypatch.setattr(
        resampling, "_ENTRIES_PER_BATCH", 1
    )  # so that some resamples need no other rows
    y, n_missed, size = np.array([1, 0, 1, 1]), 2, 6
    chance, expected = stats.multinomial(size, [1 / size] * size), Counter()
    for drawn in combinations_with_replacement(range(size), size):
        first = [y[row] for row in drawn if row < y.size][:2]
        exist = sum(row >= y.size or y[row] for row in drawn)
        if exist:
            expected[round(sum(first) / exist, 9)] += chance.pmf(np.bincount(drawn, minlength=size))
    cells = make_point_cells(read_rankings(Inputs(y, -np.arange(4))).points(None))
    draws = resampling.draw_counts(cells, np.array([n_missed]), 3000, np.random.default_rng(0), cut)
    check_frequencies(expected, read_rule("test", "recall_at_2", {}), draws)


def test_counts_do_not_depend_on_what_memory_held(monkeypatch):
    """Two groups have no positives, so that some of their counts are 0 in each resample."""
    empty, found = np.empty, []
    given = {"metric": "P@10%", "groups": [0, 0, 1, 2, 3], "clusters": range(5), "random_state": 0}
    for before in (0, 10**6):

        def filled(shape, dtype=float, before=before):
            return np.full(shape, before, dtype) if dtype == np.int64 else empty(shape, dtype)

        with monkeypatch.context() as patched:
            patched.setattr(resampling.np, "empty", filled)
            found.append(
                confidence_interval([0, 0, 1, 0, 1], [3, 2, 1, 2, 1], zero_division=0.0, **given)
            )
    assert found[0] == found[1]


@cache
def every_resample_of_groups():
    """Return how probable each pair of recalls at 1 is, of the data of the next test."""
    y, size = np.array([1, 0, 1, 1, 0]), 6
    chance, expected = stats.multinomial(size, [1 / size] * size), Counter()
    for drawn in combinations_with_replacement(range(size), size):
        found = []
        for ranking, missed in (([0, 1, 2], []), ([4, 3], [5])):
            first = [row for row in ranking if row in drawn][:1]
            exist = sum(row in missed or y[row] for row in drawn if row in ranking + missed)
            found += [sum(y[row] for row in first) / exist if exist else -1]
        expected[tuple(np.round(found, 9))] += chance.pmf(np.bincount(drawn, minlength=size))
    return expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(None, id="all cells", marks=pytest.mark.slow),
        pytest.param(Cut(1), id="near cells"),
    ],
)
@pytest.mark.parametrize("rows", ["units", "counts", "clusters"])
def test_groups_are_drawn_together_as_often_as_all_resamples_say(monkeypatch, cut, rows):
    """Of five rows in two groups, a resample may have none of a group. A positive was missed."""
    monkeypatch.setattr(resampling, "_count_rows_to_draw", lambda k, together=1: 1)
    monkeypatch.setattr(
        resampling, "_ENTRIES_PER_BATCH", 1
    )  # so that some resamples need no other rows
    y, groups = np.array([1, 0, 1, 1, 0]), np.array([0, 0, 0, 1, 1])
    rankings = ranked(y, np.array([5, 4, 3, 1, 2]), groups=groups, n_positives={0: 2, 1: 2})
    rule = read_rule("test", "recall_at_1", {})
    cluster = np.array([2, 0, 3, 1, 4]) if rows == "clusters" else None
    units = replace(SamplingUnits.from_rankings(rankings, cluster), unscored=np.array([0, 1]))
    given = 2000, np.random.default_rng(0), cut
    if rows == "counts":
        draws = resampling.draw_counts(units.cells, units.unscored, *given)
    else:
        draws = resampling.draw_units(rule, [units], *given)
    check_frequencies(every_resample_of_groups(), rule, draws, n_rankings=2)


def check_frequencies(expected, rule, draws, n_rankings=1):
    each = np.concatenate(
        [resampling.evaluate_draws(rule, points, n_rankings) for _, points in draws]
    )
    values, positives = each.swapaxes(0, 1)
    if n_rankings == 1:
        values = values[positives > 0].round(9).tolist()
    else:
        values = map(tuple, np.where(positives > 0, values, -1).round(9).tolist())
    found = Counter(values)
    assert set(found) <= set(expected)
    share = np.array(list(expected.values())) / expected.total()
    counts = np.array([found[value] for value in expected])
    # The rare values together make one more cell of the test.
    rare = share * counts.sum() < 10
    if rare.any():
        counts, share = (np.append(part[~rare], part[rare].sum()) for part in (counts, share))
    assert stats.chisquare(counts, share * counts.sum()).pvalue > 1e-3


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "metric",
    [
        "average_precision_at_5%",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("P@5%", "R@5%", "EF@5%")),
    ],
)
@pytest.mark.parametrize(
    ("weighted", "columns", "clustered"), [(True, None, True), (True, 2, False), (False, 2, True)]
)
def test_standard_errors_are_those_of_whole_resamples(slow, metric, weighted, columns, clustered):
    y, a, weight = data(600, columns=columns)
    b = a + np.random.default_rng(1).standard_normal(a.shape).round(1)
    given = {"metric": metric, "n_resamples": 4000, "random_state": 0} | WEIGHTED
    if clustered:
        given["clusters"] = np.random.default_rng(2).zipf(2.5, 600).cumsum() % 300
    if weighted:
        given["sample_weight"] = weight

    def errors():
        found = confidence_interval(y, a, **given), compare(y, a, b, **given)
        return [each.standard_error for each in found]

    short = errors()
    slow()
    assert short == pytest.approx(errors(), rel=0.06)


# --- the same rows for two models --------------------------------------------------------------
@pytest.mark.sweep(4)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("columns", [None, 2])
@pytest.mark.parametrize("reach", [None, lambda k, together: k])
def test_models_with_the_same_top_never_differ(monkeypatch, weighted, columns, reach):
    if reach is not None:
        monkeypatch.setattr(resampling, "_count_rows_to_draw", reach)
    y, a, weight = data(300, columns=columns)
    b = np.where(a < -0.5, -9 - a, a)  # the other way round at the bottom
    given = {"metric": "recall_at_3%", "random_state": 0, "n_resamples": 99} | WEIGHTED
    if weighted:
        given["sample_weight"] = weight
    found = compare(y, a, b, **given)
    assert found.standard_error == 0
    assert found.low == found.high == 0 < found.margin_high  # they rank other rows differently
    same = compare(y, a, np.exp(a), **given)
    assert (same.difference, same.standard_error, same.pvalue) == (0, 0, 1)
    assert same.margin_low < 0 < same.margin_high  # by what the sample may lack


# --- how much is saved -------------------------------------------------------------------------
def test_few_rows_are_told_apart():
    y, score, weight = data(20_000, share=0.01)
    score = score + np.random.default_rng(1).random(20_000)
    cut = read_rule("test", "recall_at_1%", WEIGHTED).cut
    one, other = (ranked(y, sign * score, weight) for sign in (1, -1))
    assert select_shortlist(cut, one).sum() < y.sum() + 200 + 110
    assert select_shortlist(cut, one, other).sum() < y.sum() + 2 * 310
    assert select_shortlist(cut, ranked(y, score), ranked(y, -score)).sum() < 2 * 310


@pytest.mark.parametrize("labels", [(), (4,)], ids=["binary", "multiclass"])
def test_other_rows_are_one_unit_for_each_set_of_labels(labels):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 2000)
    one = ranked(y if labels else y % 2, rng.random((2000, *labels)))
    rule = read_rule("test", "precision_at_10", {})
    listed = select_shortlist(rule.cut, one)
    short = Shortlist.from_units(rule.cut, listed, SamplingUnits.from_rankings(one))
    assert short.units.size == listed.sum() + (4 if labels else 2)
    for number, size in zip(short.kinds, short.sizes, strict=True):
        same = one.labels[(short.kind == number) & ~listed]
        assert len(same) == size
        assert (same == same[0]).all()


@pytest.mark.parametrize("k", [1, 3, 5, 40])
@pytest.mark.parametrize("order", ["random", "ascending", "descending", "periodic", "tied"])
def test_the_kth_best_is_that_of_sorted_scores(k, order):
    """The highest scores may be all of those that are looked at first, or none of them."""
    scores = np.random.default_rng(0).integers(0, 10**6, 50_000)
    scores = {
        "random": scores,
        "ascending": np.sort(scores),
        "descending": np.sort(scores)[::-1],
        "periodic": np.arange(50_000) % isqrt(50_000 // k),
        "tied": scores < 3,
    }[order]
    assert find_kth_best(scores, k) == np.sort(scores)[-k]
    assert find_kth_best(-scores.astype(float), k) == np.sort(-scores.astype(float))[-k]


def test_few_cells_are_told_apart():
    y, score, _ = data(20_000, share=0.5)
    score = score + np.random.default_rng(1).random(20_000)
    cells = make_point_cells(read_rankings(Inputs(y, score)).points(None))
    assert count_near_points(cells, Cut(200)) <= 310 < cells.size / 90
    assert (
        count_near_points(cells, Cut(0.9999)) == count_near_points(cells, None) == cells.offsets[1]
    )


def test_what_needs_all_rows():
    rankings = ranked(*data())
    for metric, options in (
        ("recall_at_5", {}),  # k counts weight
        ("average_precision", {}),
        ("precision_at_90%", WEIGHTED),
    ):
        assert select_shortlist(read_rule("test", metric, options).cut, rankings) is None


@pytest.mark.parametrize(("size", "dtype"), [(100, np.int8), (50_000, np.int32)])
def test_kinds_of_units_are_the_same_for_narrow_numbers(size, dtype):
    """Numbers of groups and clusters are as narrow as these allow, but not their products."""
    labels, group = np.arange(size) % 3 == 0, np.arange(size)
    cluster = group // 2
    kinds = resampling._number_kinds(labels, cluster, group).tolist()
    assert (
        resampling._number_kinds(labels, cluster.astype(dtype), group.astype(dtype)).tolist()
        == kinds
    )
