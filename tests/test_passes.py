"""The passes of large data, run by an engine of a few lines: lists of chunks in memory."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import _passes as passes
from sklearn_ap.core.rules import AtK, Envelope, NPoint, PrecisionAtK, RecallAtK, Step

from .strategies import INTEGERS, any_weight_of_k, rankings
from .test_streaming import chunked, pieces


@dataclass
class Lists:
    """All that an engine has to be."""

    chunks: list
    weighted: bool
    one_pass: str = "one chunk a group"

    def over_chunks(self, make, join, *args):
        return passes.join_in_tree((make(chunk, *args) for chunk in self.chunks), join)

    over_partitions = over_chunks

    def in_order(self, make, join, *args):
        return join([make(chunk, *args) for chunk in self.chunks])

    def call(self, function, *parts):
        return function(*parts)

    def settle(self, part):
        return part

    def give(self, finish, part):
        return finish(part)


RULES = [
    (Step("grouped"), sklearn_ap.average_precision_score, {}),
    (Envelope(), sklearn_ap.interpolated_average_precision_score, {}),
    (NPoint(11), sklearn_ap.eleven_point_average_precision_score, {}),
    (AtK(3), sklearn_ap.average_precision_at_k_score, {"k": 3}),
    (AtK(0.3), sklearn_ap.average_precision_at_k_score, {"k": 0.3}),
    (
        PrecisionAtK(2, k_counts="samples"),
        sklearn_ap.precision_at_k_score,
        {"k": 2, "k_counts": "samples"},
    ),
    (RecallAtK(0.2), sklearn_ap.recall_at_k_score, {"k": 0.2}),
]
GIVEN = {"pos_label": 1, "zero_division": 0.0}


def engine_of(ranking, cuts, groups=None):
    rows = list(zip(*pieces(ranking, cuts), strict=True))
    labels, scores, weights = ([None] * (len(cuts) - 1) if row[0] is None else row for row in rows)
    names = [None if groups is None else list(groups[a:b]) for a, b in pairwise(cuts)]
    chunks = [list(chunk) for chunk in zip(labels, scores, weights, names, strict=True)]
    return Lists(chunks, ranking[2] is not None)


@any_weight_of_k
@given(chunked(st.one_of(rankings(), rankings(weights=INTEGERS))))
def test_one_ranking(data):
    (labels, scores, weights), _ = data
    for rule, function, options in RULES:
        found = passes.score(engine_of(*data), rule, **GIVEN, n_positives=None)
        expected = function(labels, scores, sample_weight=weights, zero_division=0.0, **options)
        assert found == pytest.approx(expected, abs=1e-15)


@st.composite
def partitioned(draw):
    """A ranking whose groups lie in one chunk each, and how many positives exist in each group."""
    ranking, cuts = draw(chunked(st.one_of(rankings(), rankings(weights=INTEGERS))))
    groups = [
        f"{draw(st.sampled_from('ba'))}{chunk}"
        for chunk, (start, stop) in enumerate(pairwise(cuts))
        for _ in range(start, stop)
    ]
    missed = st.integers(0, 2)
    weights = np.ones(len(groups)) if ranking.weights is None else ranking.weights
    exist = {"never": draw(missed)}
    for name, label, weight in zip(groups, ranking.labels, weights, strict=True):
        exist.setdefault(name, draw(missed))
        exist[name] += int(weight) * int(label == 1)
    return ranking, cuts, groups, draw(st.sampled_from([None, exist]))


@any_weight_of_k
@given(partitioned(), st.sampled_from(["macro", "weighted", None]))
def test_groups_that_lie_in_one_chunk_each(data, average):
    (labels, scores, weights), cuts, groups, exist = data
    given_ = {"average": average, "n_positives": exist}
    for rule, function, options in RULES:
        expected = function(
            labels, scores, sample_weight=weights, groups=groups, zero_division=0.0, **given_,
            **options,
        )  # fmt: skip
        for score in (passes.score_groups, passes.score_partitioned_groups):
            found = score(
                engine_of((labels, scores, weights), cuts, groups), rule, **GIVEN, **given_
            )
            assert found == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[D]"])
def test_a_chunk_of_times_without_any_weight(dtype):
    """What is left is a positive, a negative and a positive, from the highest score down."""
    times = np.array([9, 8, 3, 2, 1]).astype(dtype)
    labels, weights = [1, 0, 1, 0, 1], [0, 0, 1, 1, 1]
    chunks = [
        [labels[:2], times[:2], weights[:2], None],
        [labels[2:], times[2:], weights[2:], None],
    ]
    for some in (chunks, chunks[::-1]):
        engine = Lists(some, weighted=True)
        found = passes.score(engine, Step("grouped"), **GIVEN, n_positives=None)
        assert found == pytest.approx(5 / 6, abs=1e-15)
        found = passes.bounds(engine, Step("grouped"), 10, **GIVEN, n_positives=None)
        assert (found.lower, found.upper) == pytest.approx((5 / 6, 5 / 6), abs=1e-15)
    with pytest.raises(ValueError, match="at least one non-zero number"):
        passes.score(Lists(chunks[:1], True), Step("grouped"), **GIVEN, n_positives=None)


def test_groups_in_two_chunks_are_not_partitioned():
    chunks = [[[1, 0], [2, 1], None, ["a", "b"]], [[1], [3], None, ["a"]]]
    with pytest.raises(ValueError, match="group 'a' lie in more than one partition"):
        passes.score_partitioned_groups(
            Lists(chunks, False), Step("grouped"), **GIVEN, average="macro", n_positives=None
        )


def test_more_positives_than_exist():
    chunks = [[[1, 1], [2, 1], None, ["a", "a"]]]
    with pytest.raises(ValueError, match=r"n_positives=1.* y_true already holds 2"):
        passes.score_partitioned_groups(
            Lists(chunks, False), Step("grouped"), **GIVEN, average=None, n_positives={"a": 1}
        )


@given(st.lists(st.integers(), max_size=70))
def test_parts_are_joined_in_a_tree(parts):
    """Each part counts once, in order, and travels through a logarithmic number of joins."""
    joins = []

    def join(few):
        joins.append(len(few))
        return [x for some, _ in few for x in some], 1 + max(depth for _, depth in few)

    joined = passes.join_in_tree([([part], 0) for part in parts], join)
    if not parts:
        assert joined is None
    else:
        assert joined[0] == parts
        assert joined[1] <= 4
        assert max(joins, default=2) <= 2 * 4


def test_only_a_few_parts_are_held():
    held, most = set(), 0

    def make(number):
        nonlocal most
        held.add(number)
        most = max(most, len(held))
        return [number]

    def join(few):
        held.difference_update(*few[1:])
        return few[0]

    passes.join_in_tree(map(make, range(1000)), join)
    assert most <= 16
