"""Which prediction scores are tied, and which are higher, for every type of number.

Packed keys preserve the order of the scores, and only that.
"""

from fractions import Fraction
from functools import partial
from itertools import chain, pairwise
from math import fsum
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sklearn_ap import average_precision_at_k_score
from sklearn_ap.core import keys, ragged
from sklearn_ap.core.keys import is_positive, mark_keys, pack, rank
from sklearn_ap.core.operating_points import from_groups, from_scores
from sklearn_ap.core.ragged import sort_rankings

from .examples import LABELS, SCORES

TINY, HUGE = 5e-324, np.finfo(float).max
FLOATS = [0.0, -0.0, TINY, -TINY, 2.3e-308, 0.5, 1.0, np.nextafter(2.0, 0), 2.0, 3.0, -2.0, -2.5]
FLOATS += [np.nextafter(2.0, 3), np.nextafter(-2.0, -3), 1e16, 1e300, HUGE, -HUGE, 1.5, -1.5]
# Which keys are looked up in full: all, as they are few; those that need it, unless these are many;
# those that need it, however many.
LOOKUPS = (
    {"_MAX_CACHED_LOOKUPS": 10**9},
    {"_MAX_CACHED_LOOKUPS": 0},
    {"_MAX_CACHED_LOOKUPS": 0, "_MIN_SAMPLES_PER_TWIN": 0},
)
WIDE = [2**53, 2**53 + 1, -(2**53) - 1, 2**61 - 1, 2**61, -(2**61), -(2**61) + 1, 2**62, 0, -1, 1]


def assert_ranks(scores, exact=None):
    """Check the rank and the neighbors of each score, once as a positive and once as a negative."""
    exact = scores.tolist() if exact is None else exact
    labels = np.array([True] * scores.size + [False] * scores.size)
    key, scores_of = pack(labels, np.concatenate([scores, scores]))
    assert key.dtype in (np.int32, np.int64)
    assert is_positive(key).tolist() == labels.tolist()
    back = scores_of(key.copy())
    assert back.dtype == scores.dtype
    assert np.array_equal(back, np.concatenate([scores, scores]))
    order = sorted(range(key.size), key=lambda i: (-exact[i % scores.size], not labels[i]))
    ranked = key[order]
    assert (ranked[:-1] <= ranked[1:]).all()
    equal = [exact[i % scores.size] == exact[j % scores.size] for i, j in pairwise(order)]
    assert ((ranked[:-1] >> 1) == (ranked[1:] >> 1)).tolist() == equal
    assert mark_keys(ranked)[1].tolist() == [True, *(not tied for tied in equal), True]
    for lookups in LOOKUPS:
        with patch.multiple(keys, **lookups):
            found, best_first = rank(labels, np.concatenate([scores, scores]), np.arange(key.size))
        assert_same_order(found, ranked)
        assert best_first.tolist() == np.argsort(key, kind="stable").tolist()


def assert_same_order(key, other):
    """Both distinguish the same labels and scores, and are sorted."""
    assert (key[..., :-1] <= key[..., 1:]).all()
    assert np.array_equal(is_positive(key), is_positive(other))
    same, as_there = (k[..., :-1] >> 1 == k[..., 1:] >> 1 for k in (key, other))
    assert np.array_equal(same, as_there)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(FLOATS), min_size=1)
)
def test_floats(scores):
    assert_ranks(np.array(scores))


@given(st.lists(st.floats(0, 1, width=32) | st.sampled_from([0.0, 2**-149, 1.0]), min_size=1))
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_floats_of_other_widths(dtype, scores):
    assert_ranks(np.array(scores, dtype=dtype))


def test_floats_of_32_bits_and_integers_that_fit_take_32_bits():
    labels = np.array([True, False, True])
    tiny = np.array([1e-45, 3e38, 0], dtype=np.float32)  # scaled to below 2 it would be 0
    for scores, dtype in (
        (np.array([0.1, 0.9, 1.9], dtype=np.float32), np.int32),
        (np.array([-5.0, 3e38, 0.0], dtype=np.float32), np.int32),
        (np.array([2**30 - 1, 1 - 2**30, 0]), np.int32),
        (np.array([2**30, 0, 0]), np.int64),
        (tiny, np.int64),
    ):
        assert pack(labels, scores).values.dtype == dtype
    assert_ranks(tiny)


@pytest.mark.parametrize(
    "scores",
    [
        np.array([2**100, 2**100 + 1, -(2**100)], dtype=object),
        np.array([Fraction(1, 3), 1 / 3, 0], dtype=object),
    ],
)
def test_objects(scores):
    assert_ranks(scores)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("lookups", LOOKUPS)
@pytest.mark.parametrize("shape", [(1000,), (1, 1000), (3, 1000)])
@pytest.mark.parametrize("one", [1.0, -1.0, 2.0, -2.0, 0.0])
@pytest.mark.parametrize("block", [7, ragged.ENTRIES_PER_BLOCK])
def test_order_that_hangs_on_the_lowest_bits(monkeypatch, one, shape, lookups, block):
    """Scores so close that their keys differ only in the bits of the index, or not at all.

    Two of them may be in different blocks.
    """
    monkeypatch.setattr(ragged, "ENTRIES_PER_BLOCK", block)
    for name, value in lookups.items():
        monkeypatch.setattr(keys, name, value)
    rng = np.random.default_rng(0)
    scores = one - np.sign(one) * np.finfo(float).eps * rng.integers(0, 3000, size=shape)
    scores[..., ::3] = rng.random(scores[..., ::3].shape)
    labels = rng.random(shape) < 0.5
    labels.flags.writeable = scores.flags.writeable = False  # nothing is written to what came in
    key = pack(labels, scores).values.reshape(shape)
    found, best_first = rank(labels, scores, np.arange(1000))
    assert np.array_equal(best_first, np.argsort(key, axis=-1, kind="stable"))
    assert_same_order(found, np.sort(key, axis=-1))


@pytest.mark.parametrize("dtype", [bool, "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_integers(dtype):
    limits = [0, 1] if dtype is bool else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    for pool in (limits, [limits[0], 0, 1], [0, 1, limits[-1]], WIDE):
        held = [value for value in pool if limits[0] <= value <= limits[-1]]
        assert_ranks(np.array(held, dtype=dtype), held)


def test_more_scores_than_are_packed_at_once():
    rng = np.random.default_rng(0)
    scores = rng.permutation(np.repeat(rng.normal(size=20_000), 2))
    scores[::7] *= 1e6
    assert_ranks(scores)


@pytest.mark.parametrize("share", [0.9, 0.1])
def test_ties_across_the_seam_of_two_blocks(share):
    labels = np.random.default_rng(0).random(400_000) < share
    distinct = np.sort(pack(labels, np.arange(400_000.0)).values)
    place = np.flatnonzero(is_positive(distinct))
    assert mark_keys(distinct)[1].all()
    first = place[32_767]
    for key in (distinct[first], distinct[first] + 1):  # a positive or a miss is tied with it
        tied = distinct.copy()
        tied[first + 1 : place[32_768] + 1] = key
        positive, starts = mark_keys(tied)
        assert np.array_equal(positive, [*is_positive(tied), True])
        assert np.array_equal(starts, np.r_[True, np.diff(tied >> 1) != 0, True])


@example([[3, 1, 2], [*range(10_000, 0, -1)], [], [7, 5], [*range(5000, 0, -1)]])  # a long one
@example([[3, 1, 2], [2, 9, 0]])  # of one size
@given(st.lists(st.lists(st.integers(-5, 5), max_size=20)))
def test_sort_within_queries(queries):
    offsets = np.cumsum([0, *map(len, queries)])
    values = np.array([*chain.from_iterable(queries)], dtype=np.int64)
    sort_rankings(values, offsets)
    assert values.tolist() == [*chain.from_iterable(map(sorted, queries))]


def counted(labels, scores):
    """Return hits and samples at each score with positives, samples above it, and hits up to it."""
    at = [scores == score for score in sorted(set(scores[labels].tolist()), reverse=True)]
    above = [scores > scores[each].max() for each in at]
    return [
        (np.sum(labels & same), np.sum(same), np.sum(more), np.sum(labels & (same | more)))
        for same, more in zip(at, above, strict=True)
    ]


def listed(points):
    columns = points.positives, points.total, points.above, points.cum_positives
    return list(zip(*map(np.ndarray.tolist, columns), strict=True))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("n_distinct", [1, 2, 5, 40])
def test_points_where_blocks_meet(monkeypatch, n_distinct, size):
    """Samples with equal scores may be in several blocks, and equal scores in several queries."""
    monkeypatch.setattr(ragged, "ENTRIES_PER_BLOCK", size)
    rng = np.random.default_rng(size)
    labels, scores = rng.random(60) < 0.5, rng.integers(n_distinct, size=60)
    assert listed(from_scores(labels, scores)) == counted(labels, scores)
    assert listed(from_scores(np.ones(2, dtype=bool), np.ones(2))) == [(2, 2, 0, 2)]
    for n_groups in (4, 30):
        group = rng.integers(n_groups, size=60)
        each = [counted(labels[group == one], scores[group == one]) for one in range(n_groups)]
        found = listed(from_groups(labels, scores, group, n_groups, None, False))
        assert found == list(chain.from_iterable(each))


@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
def test_weights_of_rows_go_with_all_ties(ties):
    score = partial(average_precision_at_k_score, LABELS, SCORES, average="samples", ties=ties)
    assert score(sample_weight=[2, 2, 2]) == score()


@pytest.mark.parametrize("above", [0, 2, 63, 64, 65, 1_000, 20_000])
@pytest.mark.parametrize(("tied", "positives"), [(2, 1), (2, 2), (40, 3), (5_000, 70)])
def test_expected_precision_is_the_sum_over_the_ranks_of_ties(above, tied, positives):
    """Also far down the ranking, where a difference of digammas would cancel."""
    found = above // 3
    labels = np.r_[np.arange(above) < found, np.arange(tied) < positives]
    scores = np.r_[np.arange(above, 0, -1), np.zeros(tied)]
    value = average_precision_at_k_score(labels, scores, k=labels.size, ties="expected")
    place = np.arange(tied)
    hits = found + 1 + place * (positives - 1) / (tied - 1)
    expected = found + positives / tied * fsum(hits / (above + 1 + place))
    assert value == pytest.approx(expected / (found + positives), rel=1e-13)
