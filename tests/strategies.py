"""Rankings in which ties are the rule rather than the exception."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

# A k that weighs less than any sample is a question of its own.
any_weight_of_k = pytest.mark.filterwarnings("ignore:k=.* counts weight:UserWarning")

# Few values, so that they collide: two zeros that are equal, and neighbors that are not.
FEW_SCORES = (-1.5, -0.0, 0.0, 0.3, 0.30000000000000004, 2.0)

MANY = range(2**15)  # sorting so many different values gives any order

# What a weight may be. Sums of the dyadic ones are exact in floating point, so that no recall
# level is missed by rounding alone.
DYADIC = np.arange(641) / 64
INTEGERS = np.arange(5)
FLOATS = np.append(np.zeros(500), np.random.default_rng(0).uniform(0.01, 10, 500))


class Ranking(NamedTuple):
    labels: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None = None


@st.composite
def picks(draw, size, *choices):
    """Arrays of `size` elements: each element of the first is one of the first choices, and so on.

    All of them are drawn as one string of bytes, because a draw costs more than most tests do.
    """
    length = 2 * size * len(choices)
    drawn = np.frombuffer(draw(st.binary(min_size=length, max_size=length)), dtype=np.uint16)
    each = drawn.reshape(len(choices), size)
    return [np.asarray(few)[row % len(few)] for few, row in zip(choices, each, strict=True)]


@st.composite
def rankings(draw, *, positives=False, max_size=30, weights=None, untied=False):
    """A ranking whose weights are some of `weights`. At least one weight is positive.

    Both classes appear most of the time, sometimes only one; with positives=True never only zeros.
    """
    size = draw(st.integers(1, max_size))
    classes = draw(st.sampled_from([(0, 1), (1,)] if positives else [(0, 1), (0, 1), (1,), (0,)]))
    if untied:
        scores = MANY
    else:
        (scores,) = draw(picks(draw(st.integers(1, 5)), FEW_SCORES))
    labels, scores, masses = draw(picks(size, classes, scores, [1] if weights is None else weights))
    if untied:
        scores = np.argsort(scores, kind="stable") - size / 2
    if positives and not labels.any():
        labels[0] = 1
    if weights is None:
        return Ranking(labels, scores)
    if positives and not any(masses * labels):
        masses[labels.argmax()] = 1
    if not masses.any():
        masses[0] = 1
    return Ranking(labels, scores, masses)
