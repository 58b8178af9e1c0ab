"""Four texts on average precision: the values of their examples, and what they claim."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

import sklearn_ap as ap
from sklearn_ap.compat import trapezoidal_average_precision_score as linear

step = ap.average_precision_score
TEN_RANKS = np.arange(10, 0, -1)
ONE_IN_TEN = np.arange(100) < 10
ONE_FOUND = np.r_[0.8, np.full(98, 0.5), 0.8]


def labels_of(digits):
    return np.array(list(digits), dtype=int)


# Sancho McCann: "It's a bird... it's a plane... it... depends on your classifier's threshold"
GEESE = labels_of("1101010001")
# The page on precision, recall, AP and AP@k
TRUTHS = labels_of("11001100")
SCORES_A = np.array([0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04])
SCORES_B = np.array([0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32])


@pytest.mark.parametrize(
    ("metric", "labels", "scores", "expected"),
    [
        (step, GEESE, TEN_RANKS, 0.783333),
        # Nick Dingwall's post on average precision interpolation
        (linear, ONE_IN_TEN, np.full(100, 0.5), 0.55),
        (linear, ONE_IN_TEN, ONE_FOUND, 0.345),
        (step, ONE_IN_TEN, np.full(100, 0.5), 0.1),
        (step, ONE_IN_TEN, ONE_FOUND, 0.14),
        # M. Zhu, "Recall, precision and average precision", University of Waterloo, 2004, table 1
        (step, labels_of("1101000000"), TEN_RANKS, 0.916667),
        (step, labels_of("1001000100"), TEN_RANKS, 0.625),
        (step, TRUTHS, SCORES_A, 0.816667),
        (step, TRUTHS, SCORES_B, 0.440476),
    ],
)
def test_values(metric, labels, scores, expected):
    assert metric(labels, scores) == pytest.approx(expected, abs=5e-7)


def test_table_of_cutoffs():
    """In whole percent, truncated, as in McCann's article."""
    precision, recall = (
        [int(100 * metric(GEESE, TEN_RANKS, k=k) + 1e-9) for k in range(1, 11)]
        for metric in (ap.precision_at_k_score, ap.recall_at_k_score)
    )
    assert precision == [100, 100, 66, 75, 60, 66, 57, 50, 44, 50]
    assert recall == [20, 40, 40, 60, 60, 80, 80, 80, 80, 100]


def test_a_model_and_its_scores_rounded_to_tenths():
    """Dingwall: interpolation rewards ties."""
    X, y = make_classification(
        5000, n_features=50, weights=[0.95], class_sep=0.2, flip_y=0, random_state=0
    )
    model = LogisticRegression(max_iter=1000)
    scores = cross_val_predict(model, X, y, method="predict_proba")[:, 1]
    assert y.mean() == 0.05
    assert 0.55 < roc_auc_score(y, scores) < 0.8
    assert linear(y, scores) < linear(y, scores.round(1))
    assert step(y, scores) > step(y, scores.round(1))


@pytest.mark.parametrize(("n", "expected"), [(10, 0.292897), (100, 0.138067), (10_000, 0.100791)])
def test_steps_are_random_tie_breaking_in_the_limit(n, expected):
    y_true, same = np.arange(n) < n // 10, np.zeros(n)
    assert step(y_true, same) == pytest.approx(0.1)
    assert step(y_true, same, ties="expected") == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("digits", ["1101000000", "1001000100"])
def test_from_the_hit_curve(digits):
    """Zhu: precision and recall are read from the hit curve."""
    y_true = labels_of(digits)
    detected, hits, _ = ap.hit_curve(y_true, TEN_RANKS, fraction_of="samples")
    np.testing.assert_allclose(hits, np.r_[0, np.cumsum(y_true) / 10], rtol=0, atol=1e-15)
    precision, gain = hits[1:] / detected[1:], np.diff(hits) / hits[-1]
    assert np.sum(precision * gain) == pytest.approx(step(y_true, TEN_RANKS), abs=1e-12)


def test_the_average_of_precision_at_k_is_another_number():
    """And one threshold can't tell the two models of that page apart."""
    assert np.array_equal(SCORES_A >= 0.5, SCORES_B >= 0.5)
    assert round(ap.average_precision_at_k_score(TRUTHS, SCORES_A, k=3), 2) == 0.67
    each = [ap.precision_at_k_score(TRUTHS, SCORES_A, k=k) for k in (1, 2, 3)]
    assert np.mean(each) == pytest.approx(0.888889, abs=5e-7)
