"""Rankings in which ties are the rule rather than the exception."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

# A k that weighs less than any sample is a question of its own.
any_weight_of_k = pytest.mark.filterwarnings("ignore:k=.* counts weight:UserWarning")

moderate = settings(max_examples=100, deadline=None)

# Few values, so that they collide: two zeros that are equal, and neighbours that are not.
FEW_SCORES = (-1.5, -0.0, 0.0, 0.3, 0.30000000000000004, 2.0)

# Sums of these are exact in floating point, so that no recall level is missed by rounding alone.
DYADIC = st.integers(0, 640).map(lambda i: i / 64)
INTEGERS = st.integers(0, 4)
FLOATS = st.one_of(st.just(0.0), st.floats(0.01, 10))


class Ranking(NamedTuple):
    labels: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None = None


def labels_of(size, positives):
    """Both classes most of the time, sometimes only one; with positives=True never only zeros."""
    mixed = st.lists(st.integers(0, 1), min_size=size, max_size=size)
    ones = st.just([1] * size)
    if positives:
        return st.one_of(mixed.filter(any), ones)
    return st.one_of(mixed, mixed, ones, st.just([0] * size))


@st.composite
def rankings(draw, *, positives=False, max_size=30, weights=None, untied=False):
    """A ranking; `weights` is a strategy for a single weight. At least one weight is positive."""
    size = draw(st.integers(1, max_size))
    labels = draw(labels_of(size, positives))
    if untied:
        scores = np.array(draw(st.permutations(range(size)))) - size / 2
    else:
        distinct = draw(st.lists(st.sampled_from(FEW_SCORES), min_size=1, max_size=5))
        score = st.sampled_from(distinct)
        scores = np.array(draw(st.lists(score, min_size=size, max_size=size)))
    if weights is None:
        return Ranking(np.array(labels), scores)
    masses = np.array(draw(st.lists(weights, min_size=size, max_size=size)))
    if positives and not any(masses * labels):
        masses[labels.index(1)] = 1
    if not masses.any():
        masses[0] = 1
    return Ranking(np.array(labels), scores, masses)


def untied_rankings(**options):
    return rankings(untied=True, **options)


def repeated(ranking):
    """Repeat each sample as many times as its integer weight says."""
    times = ranking.weights
    return Ranking(np.repeat(ranking.labels, times), np.repeat(ranking.scores, times))


@st.composite
def with_order(draw, base):
    """A ranking and another order of its rows."""
    ranking = draw(base)
    return ranking, np.array(draw(st.permutations(range(len(ranking.labels)))))
