"""nDCG, by plain loops over the ranks, and beside scikit-learn's."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

from .cases import calls

NDCG = ap.ndcg_score
GAINS = {
    "linear": lambda grade: grade,
    "exponential": lambda grade: 2**grade - 1,
}


def dcg(gains, k):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))


def by_loops(grades, scores, judged=None, k=None, gains="linear"):
    """Documents with equal scores have the mean of their gains."""
    gain = {grade: GAINS[gains](grade) if grade > 0 else 0 for grade in (0, 1, 2, 3)}
    ranked = []
    for score in sorted({*scores}, reverse=True):
        tied = [gain[grade] for grade, each in zip(grades, scores, strict=True) if each == score]
        ranked += [sum(tied) / len(tied)] * len(tied)
    best = sorted((gain[grade] for grade in (grades if judged is None else judged)), reverse=True)
    ideal = dcg(best, k)
    return dcg(ranked, k) / ideal if ideal else np.nan


def grade(call, seed):
    """Return grades from 0 to 3 for the samples of a random call."""
    return call.labels * np.random.default_rng(seed).integers(0, 4, len(call.labels))


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("gains", GAINS)
@pytest.mark.parametrize("k", [None, 1, 3, 100, 0.3, 0.07])
def test_by_loops(k, gains):
    @given(calls(), SEEDS)
    def check(call, seed):
        grades = grade(call, seed)
        cut = k if not isinstance(k, float) else max(1, -(-int(k * 100) * len(grades) // 100))
        expected = by_loops(grades.tolist(), call.scores.tolist(), k=cut, gains=gains)
        options = {"k": k, "gains": gains}
        found = NDCG(grades, call.scores, zero_division=np.nan, **options)
        assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)

    check()


@given(calls(), SEEDS)
def test_judged_documents_that_were_not_retrieved(call, seed):
    grades, rng = grade(call, seed).tolist(), np.random.default_rng(seed)
    exist = {g: grades.count(g) + int(rng.integers(0, 3)) for g in (1, 2, 3)}
    judged = [g for g, count in exist.items() for _ in range(count)]
    given = {"groups": [7] * len(grades), "n_positives": {7: exist}, "zero_division": np.nan}
    for k in (None, 2):
        expected = by_loops(grades, call.scores.tolist(), judged, k)
        found = NDCG(grades, call.scores, k=k, **given)
        assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("k", [None, 1, 3])
def test_as_scikit_learn(k):
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 4, (30, 8)), rng.integers(0, 5, (30, 8))
    weight = rng.random(30)
    grades[:, 0] = 1  # without gains, theirs is 0, and ours undefined
    theirs = metrics.ndcg_score(grades, scores, k=k, sample_weight=weight)
    assert NDCG(grades, scores, k=k, sample_weight=weight) == pytest.approx(theirs)
    groups = np.repeat(np.arange(30), 8)
    theirs = metrics.ndcg_score(grades, scores, k=k)
    assert NDCG(grades, scores, k=k, average="samples") == pytest.approx(theirs)
    assert NDCG(grades.ravel(), scores.ravel(), k=k, groups=groups) == pytest.approx(theirs)


def test_documents_without_a_grade_gain_nothing():
    grades = [2, np.nan, 1, 0]
    assert NDCG(grades, [1, 2, 3, 4]) == NDCG([2, 0, 1, 0], [1, 2, 3, 4])


def test_a_weighted_mean_counts_the_documents_that_have_a_grade():
    groups = {"groups": [0, 0, 0, 1, 1], "average": "weighted"}
    expected = (1 * 1 / log2(4) + 2 * 1) / 3  # the only one of group 0 is the last of three
    assert NDCG([2, 0, 0, 1, 1], [1, 2, 3, 4, 5], **groups) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("args", "given", "error", "words"),
    [
        (([1, -1], [1, 2]), {}, ValueError, "Grades must not be negative"),
        (([1, 2], [1, 2]), {"sample_weight": [1, 2]}, ValueError, "not defined with sample"),
        (([1, 2], [1, 2]), {"n_positives": 3}, ValueError, "must be one number, unless"),
        (([[1, 2]], [[1, 2]]), {"average": "micro"}, ValueError, "not available for grades"),
        (([3, 2], [1, 2]), {"groups": [0, 0], "n_positives": {0: {3: 1, 2: 0}}}, ValueError,
         "fewer documents of grade 2.* for the group 0"),
        *((([1, 2], [1, 2]), {"groups": [0, 0], "n_positives": {0: {1: n}}}, ValueError, "numbers")
          for n in (1.5, -1, "1")),
        (([1, 2], [1, 2]), {"gains": "log"}, ValueError, "one of 'linear', 'exponential'"),
        (([1, 2], [1, 2]), {"gains": {1: "x"}}, ValueError, "gains must be"),
        ((["a", "b"], [1, 2]), {}, ValueError, "y_true must be real numbers"),
    ],
)  # fmt: skip
def test_refused(args, given, error, words):
    with pytest.raises(error, match=words):
        NDCG(*args, **given)


def test_a_group_that_lacks_a_grade_of_others():
    exist = {"a": {2: 1, 1: 2}, "b": {1: 1}, "c": {2: 1}}
    found = ap.ndcg_score([2, 1], [1, 2], groups=["a", "b"], n_positives=exist, average=None)
    best = 2 + 1 / np.log2(3) + 1 / 2
    assert found == pytest.approx([2 / best, 1, 0])
    found = ap.ndcg_score([1, 0], [2, 1], groups=["a", "a"], n_positives={"a": 3})  # of grade 1
    assert found == pytest.approx(1 / (1 + 1 / np.log2(3) + 1 / 2))


def test_queries_without_relevant_documents():
    exist = {"a": {}, "b": {0: 3}}
    given = {"groups": ["a", "b", "b"], "n_positives": exist, "average": None}
    assert NDCG([0, 0, 0], [1, 2, 3], zero_division=0, **given).tolist() == [0, 0]
    with pytest.warns(UndefinedMetricWarning, match="2 of 2 groups"):
        NDCG([0, 0, 0], [1, 2, 3], **given)
