"""Short names and small data that many tests share."""

import numpy as np

import sklearn_ap as ap

from .registry import PLAIN

NAN, INF = float("nan"), float("inf")
Y, S = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
TEXT = ["ham", "spam", "ham", "spam"]
GROUPS = ["a", "a", "b", "b"]
LABELS = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0]])  # three rows of three classes
SCORES = np.arange(9.0).reshape(3, 3)

AP, P, MAP = ap.average_precision_score, ap.precision_at_k_score, ap.mean_average_precision_score


def grouped(y_true, y_score, **options):
    groups = np.arange(4 if y_true is None else len(y_true)) // 2
    return MAP(y_true, y_score, groups=groups, **options)


CURVES = [ap.interpolated_precision_recall_curve, ap.hit_curve]
EVERY = [*PLAIN, grouped, *CURVES]
