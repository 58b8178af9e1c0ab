"""Four texts on average precision: the values of their examples, and what they claim."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_ap.compat import trapezoidal_average_precision_score

TEN_RANKS = np.arange(10, 0, -1)


def labels_of(digits):
    return np.array(list(digits), dtype=int)


def six_decimals(expected):
    return pytest.approx(expected, abs=5e-7)


class TestGeeseAndAirplanes:
    """Sancho McCann: "It's a bird... it's a plane... it... depends on your classifier's
    threshold".
    """

    y_true = labels_of("1101010001")

    def test_average_precision(self):
        assert average_precision_score(self.y_true, TEN_RANKS) == six_decimals(0.783333)

    def test_table_of_cutoffs(self):
        """In whole percent, truncated, as in the article."""
        percent = [
            (
                int(100 * precision_at_k_score(self.y_true, TEN_RANKS, k=k) + 1e-9),
                int(100 * recall_at_k_score(self.y_true, TEN_RANKS, k=k) + 1e-9),
            )
            for k in range(1, 11)
        ]
        precision, recall = map(list, zip(*percent, strict=True))
        assert precision == [100, 100, 66, 75, 60, 66, 57, 50, 44, 50]
        assert recall == [20, 40, 40, 60, 60, 80, 80, 80, 80, 100]

    def test_interpolated(self):
        envelope = interpolated_average_precision_score(self.y_true, TEN_RANKS)
        assert envelope == six_decimals(0.783333)
        assert eleven_point_average_precision_score(self.y_true, TEN_RANKS) == six_decimals(0.80303)


class TestInterpolation:
    """Nick Dingwall's post on average precision interpolation."""

    y_true = np.arange(100) < 10
    nothing = np.full(100, 0.5)
    one_found = np.r_[0.8, np.full(98, 0.5), 0.8]

    def test_the_values(self):
        linear, step = trapezoidal_average_precision_score, average_precision_score
        assert linear(self.y_true, self.nothing) == six_decimals(0.55)
        assert linear(self.y_true, self.one_found) == six_decimals(0.345)
        assert step(self.y_true, self.nothing) == six_decimals(0.1)
        assert step(self.y_true, self.one_found) == six_decimals(0.14)

    @pytest.mark.parametrize("random_state", [0, 1, 2])
    def test_a_model_and_its_scores_rounded_to_tenths(self, random_state):
        X, y = make_classification(
            n_samples=5000,
            n_features=50,
            weights=[0.95],
            class_sep=0.2,
            flip_y=0,
            random_state=random_state,
        )
        model = LogisticRegression(max_iter=1000)
        scores = cross_val_predict(model, X, y, method="predict_proba")[:, 1]
        rounded = scores.round(1)
        assert y.mean() == 0.05
        assert 0.55 < roc_auc_score(y, scores) < 0.8
        linear, step = trapezoidal_average_precision_score, average_precision_score
        assert linear(y, scores) < linear(y, rounded)
        assert step(y, scores) > step(y, rounded)

    @pytest.mark.parametrize(
        ("n", "expected"), [(10, 0.292897), (100, 0.138067), (10_000, 0.100791)]
    )
    def test_steps_are_random_tie_breaking_in_the_limit(self, n, expected):
        y_true, same = np.arange(n) < n // 10, np.zeros(n)
        assert average_precision_score(y_true, same) == six_decimals(0.1)
        mean = average_precision_score(y_true, same, ties="expected")
        assert mean == six_decimals(expected)


class TestRecallPrecisionAndAveragePrecision:
    """M. Zhu, working paper 2004-09, University of Waterloo."""

    @pytest.mark.parametrize(
        ("digits", "exact", "golden"),
        [
            ("1101000000", (1 + 1 + 3 / 4) / 3, 0.916667),
            ("1001000100", (1 + 2 / 4 + 3 / 8) / 3, 0.625),
        ],
    )
    def test_table_1(self, digits, exact, golden):
        value = average_precision_score(labels_of(digits), TEN_RANKS)
        assert value == pytest.approx(exact, abs=1e-15)
        assert value == six_decimals(golden)

    @pytest.mark.parametrize("digits", ["1101000000", "1001000100"])
    def test_from_the_hit_curve(self, digits):
        y_true = labels_of(digits)
        detected, hits, _ = hit_curve(y_true, TEN_RANKS, fraction_of="samples")
        np.testing.assert_allclose(hits, np.r_[0, np.cumsum(y_true) / 10], rtol=0, atol=1e-15)
        precision, gain = hits[1:] / detected[1:], np.diff(hits) / hits[-1]
        value = average_precision_score(y_true, TEN_RANKS)
        assert np.sum(precision * gain) == pytest.approx(value, abs=1e-12)


class TestAveragePrecisionAtK:
    """The page on precision, recall, AP and AP@k."""

    truths = labels_of("11001100").astype(bool)
    scores_a = (0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04)
    scores_b = (0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32)

    def test_one_threshold_cannot_tell_the_models_apart(self):
        assert np.array_equal(np.array(self.scores_a) >= 0.5, np.array(self.scores_b) >= 0.5)
        a = average_precision_score(self.truths, self.scores_a)
        b = average_precision_score(self.truths, self.scores_b)
        assert a == six_decimals(0.816667)
        assert b == six_decimals(0.440476)
        assert a > b

    def test_the_average_of_precision_at_k_is_another_number(self):
        value = average_precision_at_k_score(self.truths, self.scores_a, k=3)
        other = np.mean([precision_at_k_score(self.truths, self.scores_a, k=k) for k in (1, 2, 3)])
        assert round(value, 2) == 0.67
        assert other == six_decimals(0.888889)
        assert value < other
