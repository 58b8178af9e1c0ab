"""`rank` and its points, beside the points of the oracle; and sums and maxima of rankings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._core.points import (
    Points,
    find_distinct,
    pack,
    rank,
    reduce_rankings,
    sort_with_order,
)
from sklearn_ap._core.ranking import count_integers, rank_rare, set_existing

from . import oracle
from .cases import calls


def triples(points, ranking=0):
    """Return (r_i, n_i, T_i, N_i) of the points of a ranking that have positives."""
    own = slice(*points.offsets[ranking : ranking + 2])
    end = points.cum_samples
    columns = points.hits, points.samples, points.cum_hits, end
    rows = zip(*(column[own].tolist() for column in columns), strict=True)
    return [row for row in rows if row[0]]


def exact(call, rows=slice(None)):
    weight = None if call.weight is None else call.weight[rows]
    curve = oracle.points(call.labels[rows], call.scores[rows], weight)
    return [tuple(map(float, row)) for row in curve if row[0]]


def positive_weights(call):
    return call if call.weight is None else call.but(weight=np.maximum(call.weight, 1))


any_call = st.one_of(calls(), calls("whole"), calls("dyadic")).map(positive_weights)


@given(any_call, st.booleans())
def test_one_ranking(call, every_point):
    labels = call.labels.astype(bool)
    points = rank(labels, call.scores, call.weight, every_point=every_point)
    assert triples(points) == exact(call)
    assert points.n_positives == oracle.positive_mass(
        oracle.points(call.labels, call.scores, call.weight)
    )
    assert points.mass == (len(labels) if call.weight is None else call.weight.sum())
    assert points.n_rows == len(labels)
    if every_point:
        assert points.samples.size == len({*call.scores.tolist()})


@given(any_call, st.integers(0, 2**32 - 1))
def test_groups(call, seed):
    group = np.random.default_rng(seed).integers(0, 4, len(call.labels))
    points = rank(call.labels.astype(bool), call.scores, call.weight, group, 5)
    for number in range(5):
        assert triples(points, number) == exact(call, group == number)
    assert points.n_rows.tolist() == np.bincount(group, minlength=5).tolist()


@given(any_call)
def test_rows_of_a_matrix(call):
    both = [np.stack([column, column[::-1]]) for column in (call.labels.astype(bool), call.scores)]
    points = rank(*both, call.weight)
    assert triples(points, 0) == exact(call)
    assert triples(points, 1) == exact(call.but(labels=call.labels[::-1], scores=call.scores[::-1]))


SCORES = {
    "floats": np.random.default_rng(0).normal(size=99) * np.logspace(-300, 300, 99),
    "float32": np.random.default_rng(0).normal(size=99).astype(np.float32),
    "below 2": np.random.default_rng(0).uniform(-2, 2, 99),
    "integers": np.random.default_rng(0).integers(-(2**40), 2**40, 99),
    "large integers": np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 99),
    "uint64": np.random.default_rng(0).integers(0, 2**64, 99, dtype=np.uint64),
    "booleans": np.arange(99) % 3 == 0,
    "objects": np.array([10**30 - each for each in range(99)], dtype=object),
}


@pytest.mark.parametrize("kind", SCORES)
def test_keys_have_the_order_of_the_scores_and_tell_the_positives(kind):
    scores, positive = SCORES[kind], np.arange(99) % 2 == 0
    before, keys = scores.copy(), pack(positive, scores)
    assert keys.dtype in (np.int32, np.int64)
    assert (keys & 1).tolist() == (~positive).tolist()  # positives come first in ties
    ranks = np.unique(scores, return_inverse=True)[1]
    assert np.unique(-(keys >> 1), return_inverse=True)[1].tolist() == ranks.tolist()
    assert (scores == before).all()  # and the caller's array isn't changed


OFFSETS = np.array([0, 2, 2, 5])


def make_points(n):
    ones = np.ones(n, dtype=int)
    return Points(ones, ones, ones, ones, OFFSETS, ones[:3], ones[:3], ones[:3])


def test_reductions_of_rankings_without_points_are_0():
    values, points = np.array([1.0, 5, 2, 4, 3]), make_points(5)
    assert points.sum(values).tolist() == [6, 0, 9]
    assert points.maximum(values).tolist() == [5, 0, 4]
    assert points.repeat(np.array([7, 8, 9])).tolist() == [7, 7, 9, 9, 9]
    assert reduce_rankings(np.add, values[:0], np.zeros(3, int)).tolist() == [0, 0]


def test_maxima_from_here_stay_within_the_ranking():
    values = np.array([1.0, 5, 2, 4, 3])
    assert make_points(5).accumulate_from_here(np.maximum, values).tolist() == [5, 5, 4, 4, 3]
    assert values.tolist() == [1, 5, 2, 4, 3]
    alone = make_points(5)._replace(offsets=np.array([0, 5]))
    assert alone.accumulate_from_here(np.maximum, values).tolist() == [5, 5, 4, 4, 3]


RNG = np.random.default_rng(0)
LONG = {  # scores whose last bits don't fit in beside codes of groups
    "neighbors": 1 + RNG.integers(0, 4, 70_000) * 2.0**-52,
    "floats": RNG.normal(size=70_000),
    "tied floats": RNG.normal(size=70_000).round(2),
    "floats of any size": RNG.normal(size=70_000) * 10.0 ** RNG.integers(-300, 300, 70_000),
    "integers": RNG.integers(-(2**60), 2**60, 70_000),
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("n_groups", [2, 10**5])
def test_scores_that_differ_in_their_last_bits_are_told_apart(kind, n_groups):
    rng = np.random.default_rng(0)
    scores, labels, last = LONG[kind], rng.random(70_000) < 0.5, rng.random(70_000) < 0.5
    group = np.where(last, n_groups - 1, 0)
    ranked = rank(labels, scores, None, group, n_groups)
    for number, rows in ((0, ~last), (n_groups - 1, last)):
        assert triples(ranked, number) == triples(rank(labels[rows], scores[rows]))
    sizes = np.bincount(group, minlength=n_groups)
    offsets = np.append(0, np.cumsum(sizes))
    order, is_hit, _ = sort_with_order(pack(labels, scores), offsets, group)
    expected = np.lexsort((np.arange(70_000), ~labels, -scores, group))
    np.testing.assert_array_equal(order, expected)
    np.testing.assert_array_equal(is_hit, labels[expected])


NORMAL = np.random.default_rng(0).normal(size=40_000)
IS_RARE = np.random.default_rng(1).random(40_000) < 0.01
RARE = {
    "higher": NORMAL + IS_RARE,
    "the lowest": NORMAL - 9 * IS_RARE,
    "rare events": 1 / (1 + np.exp(7 - 2 * NORMAL - 2 * IS_RARE)),
    "tied": (NORMAL + 2 * IS_RARE).round(3),
    "sorted": np.sort(NORMAL),
    "far from 0": 1e15 + (1e5 * NORMAL).round(),
    "with outliers": np.where(NORMAL < -3, -1e9, NORMAL),
    "beyond floats": np.where(np.arange(40_000) % 4 < 2, 1e308, -1e308) * (1 + NORMAL / 100),
    "zeros": np.where(NORMAL > 2.5, NORMAL, np.where(NORMAL > 0, 0.0, -0.0)),
    "tiny": np.where(NORMAL > 2.5, 5e-324, np.where(NORMAL > 0, 0.0, -0.0)),
}


@pytest.mark.parametrize("kind", RARE)
def test_rare_positives_have_the_points_of_a_sort(kind):
    scores = RARE[kind]
    for positive in (IS_RARE, np.arange(40_000) == 7, scores == scores.max()):
        points = rank_rare(positive, scores)
        if points is None:
            assert kind in ("zeros", "tiny")  # one bin has most samples, and positives
            continue
        for of_bins, expected in zip(points, rank(positive, scores), strict=True):
            np.testing.assert_array_equal(of_bins, expected)


def test_all_samples_are_sorted_unless_positives_are_rare_and_apart():
    assert rank_rare(IS_RARE, NORMAL) is not None
    assert rank_rare(IS_RARE, NORMAL.round(1)) is None
    assert rank_rare(IS_RARE, np.zeros(40_000)) is None
    assert rank_rare(NORMAL > 1, NORMAL) is None
    assert rank_rare(NORMAL > 9, NORMAL) is None
    assert rank_rare(IS_RARE[:1000], NORMAL[:1000]) is None
    assert rank_rare(IS_RARE, NORMAL.astype(np.float32)) is None


INTEGERS = {
    "ratings": np.arange(1, 6),
    "int8": np.arange(-128, 128).astype(np.int8),
    "uint8": np.arange(256).astype(np.uint8),
    "bool": np.array([False, True]),
    "odd": np.arange(-300, 300, 3),
    "large": np.arange(100) + 2**60,
    "int64": np.arange(100) + np.iinfo(np.int64).min,
    "uint64": np.arange(100).astype(np.uint64) + np.uint64(2**64 - 101),
}


@pytest.mark.parametrize("every_point", [False, True])
@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_that_are_close_together_are_counted(kind, every_point):
    rng = np.random.default_rng(0)
    places = rng.integers(0, INTEGERS[kind].size, 2000)
    labels, scores = rng.random(2000) < places / places.max(), INTEGERS[kind][places]
    points = count_integers(labels, scores, every_point)
    expected = rank(labels, places.astype(float), every_point=every_point)
    for of_counts, of_sort in zip(points, expected, strict=True):
        np.testing.assert_array_equal(of_counts, of_sort, strict=True)
    np.testing.assert_array_equal(find_distinct(scores), np.unique(scores), strict=True)
    np.testing.assert_array_equal(
        rank(labels, scores, every_point=every_point).samples_above, points.samples_above
    )


def test_integers_that_are_far_apart_are_sorted():
    scores = np.array([0, 3000])
    assert count_integers(scores > 0, scores, True) is None
    assert find_distinct(scores).tolist() == [0, 3000]
    assert find_distinct(scores[:0]).size == rank(scores[:0] > 0, scores[:0]).samples.size == 0


def test_counted_positives_are_no_fewer_than_the_sum_of_their_weights():
    # 0.1 + 0.2 + 0.3 is a little more than 0.6, which would make a recall of more than 1.
    points = rank(np.ones(3, bool), np.arange(3.0), np.array([0.3, 0.2, 0.1]))
    assert points.n_positives[0] > 0.6
    assert set_existing(points, np.array([0.6]), None).n_positives[0] == points.n_positives[0]
    assert set_existing(points, np.array([0.7]), None).n_positives[0] == 0.7
