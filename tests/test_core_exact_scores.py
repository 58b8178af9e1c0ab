"""Scores of different dtypes: joined and compared without rounding."""

from fractions import Fraction

import numpy as np
import pytest

from sklearn_ap.core.exact_scores import are_flagged, concatenate_exactly

BIG = 2**53
PARTS = [
    [np.array([BIG, BIG + 1])],
    [np.array([BIG]), np.array([BIG + 1])],
    [np.array([BIG], dtype=np.uint64), np.array([BIG + 1])],
    [np.array([BIG + 2**63], dtype=np.uint64), np.array([-1])],
    [np.array([float(BIG)]), np.array([BIG + 1])],
    [np.array([BIG + 1]), np.array([0.5]), np.array([BIG])],
    [np.array([BIG], dtype=object), np.array([Fraction(2 * BIG + 1, 2)], dtype=object)],
    [np.array([0.1], dtype=np.float32), np.array([0.1])],
]


@pytest.mark.parametrize("parts", PARTS)
def test_no_score_is_rounded(parts):
    scores = [score for part in parts for score in part.tolist()]
    assert concatenate_exactly(parts).tolist() == scores
    for part in parts:
        for threshold in parts:
            flagged = [score >= threshold.tolist()[0] for score in part.tolist()]
            assert are_flagged(part, threshold[:1]).tolist() == flagged


def test_joined_scores_take_no_more_memory_than_they_need():
    narrow = np.zeros(2, dtype=np.float32)
    assert concatenate_exactly([narrow, narrow]).dtype == np.float32
    assert concatenate_exactly([narrow, np.array([3], dtype=np.int16)]).dtype == np.float32
    assert concatenate_exactly([np.array([0.5]), np.array([BIG])]).dtype == np.float64
    assert concatenate_exactly([np.array([0.5]), np.array([BIG + 1])]).dtype == object
