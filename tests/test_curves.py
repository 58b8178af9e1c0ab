"""Curves, beside scikit-learn's and by hand."""

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

from .cases import calls

ENVELOPE, HITS = ap.interpolated_precision_recall_curve, ap.hit_curve
Y, S = [0, 1, 0, 1, 1], [5, 4, 3, 2, 2]
GROUPS = np.array(["a", "b", "a", "b", "b"])


def assert_same(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weights", [None, "whole", "dyadic"])
def test_the_envelope_of_the_curve_of_scikit_learn(weights):
    @given(calls(weights, names=["average_precision"]))
    def check(call):
        assume((call.labels if weights is None else call.labels * call.weight).any())
        data, weight = (call.labels, call.scores), {"sample_weight": call.weight}
        if weights is not None:  # scikit-learn keeps the scores of samples of weight 0
            rows = call.weight > 0
            data, weight = [each[rows] for each in data], {"sample_weight": call.weight[rows]}
        precision, *theirs = metrics.precision_recall_curve(*data, **weight)
        best = np.append(np.maximum.accumulate(precision[:-1]), 1.0)
        assert_same(ENVELOPE(call.labels, call.scores, sample_weight=call.weight), (best, *theirs))
        area = ap.interpolated_average_precision_score(*data, **weight)
        assert np.sum(-np.diff(theirs[0]) * best[:-1]) == pytest.approx(area)

    check()


@pytest.mark.parametrize(
    ("options", "hits"),
    [
        ({}, [0, 0, 1 / 3, 1 / 3, 1]),
        ({"n_positives": 6}, [0, 0, 1 / 6, 1 / 6, 1 / 2]),
        ({"pos_label": 0}, [0, 1 / 2, 1 / 2, 1, 1]),
        ({"min_grade": 0}, [0, 0.2, 0.4, 0.6, 1]),
    ],
)
def test_hits(options, hits):
    assert_same(HITS(Y, S, **options), ([0, 0.2, 0.4, 0.6, 1], hits, [np.inf, 5, 4, 3, 2]))


def test_weights():
    flagged, hits, thresholds = HITS(Y, S, sample_weight=[1, 2, 0, 1, 4])
    assert_same((flagged, hits), ([0, 1 / 8, 3 / 8, 1], [0, 0, 2 / 7, 1]))
    assert thresholds.tolist() == [np.inf, 5, 4, 2]


def test_without_positives():
    words = "^No positive class found in y_true, recall is set to one for all thresholds.$"
    for curve in (ENVELOPE, HITS):
        with pytest.warns(UndefinedMetricWarning, match=words) as caught:
            found = curve([0, 0], [0.1, 0.2])
        assert caught[0].filename == __file__
        assert found[1].tolist() == ([1, 1, 0] if curve is ENVELOPE else [0, 1, 1])
    assert_same(HITS([], [], n_positives=2), ([0], [0], [np.inf]))  # of nothing


def test_thresholds_keep_integers_and_dtypes():
    large = np.array([2**53 + 1, 2**53])
    assert HITS([0, 1], large)[2].tolist() == [np.inf, 2**53 + 1, 2**53]
    assert HITS([0, 1], large.astype("u8"))[2].tolist() == [np.inf, 2**53 + 1, 2**53]
    assert HITS([0, 1], -large)[2].tolist() == [np.inf, -(2**53), -(2**53) - 1]
    assert ENVELOPE([0, 1], large)[2].tolist() == [2**53, 2**53 + 1]
    assert ENVELOPE([0, 1], np.array([1, 2], np.float32))[2].dtype == np.float32


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"average": "macro"}, TypeError, "'average'"),
        ({"y_true": [[1, 0]] * 5, "y_score": [[1, 0]] * 5}, ValueError, "needs binary labels"),
    ],
)
def test_what_a_curve_has_not(given, error, words):
    with pytest.raises(error, match=words):
        HITS(**{"y_true": Y, "y_score": S, **given})
