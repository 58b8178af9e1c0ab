"""The best point that meets a target: precision at a recall, and recall at a precision."""

from dataclasses import dataclass

import numpy as np

from ..points import PerPoint, PerRanking, Points
from .rule import PointRule, divide, read_decimal, use_all


def has_reached(points: Points, part: PerPoint, whole: PerPoint, share: float) -> PerPoint:
    """Whether part/whole is at least a share, which is taken as the decimal that was written."""
    exact = read_decimal(share)
    share = float(exact)  # The 0.8 of float32 is larger than that.
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = part / whole
    if part.dtype.kind == "f" or whole.dtype.kind == "f":
        return quotient * points.rounding_factors >= share
    # Quotients are rounded once, so only those that round to the share are undecided.
    reached = quotient > share
    open_ = np.flatnonzero(quotient == share)
    part, whole = part[open_].astype(object), whole[open_].astype(object)
    reached[open_] = part * exact.denominator >= whole * exact.numerator
    return reached


@dataclass(frozen=True)
class PrecisionAtRecall(PointRule):
    """max p_j over the points with T_j/R >= min_recall"""

    min_recall: float
    names = ("precision_at_recall_#", "precision_at_recall", "P@R #", "precision@recall #")
    listed_names = ("precision_at_recall_0.9",)
    number_option = "min_recall"
    varies_by = "points"

    def values(self, points: Points) -> PerRanking:
        n_positives = points.repeat(points.n_positives)
        reached = has_reached(points, points.cum_hits, n_positives, self.min_recall)
        best = points.maximum(np.where(reached, points.precision, 0.0))
        return np.where(points.n_positives > 0, best, np.nan)

    def compute_used_fraction(self, points: Points) -> PerRanking:
        return np.full(points.n_rankings, self.min_recall)


@dataclass(frozen=True)
class RecallAtPrecision(PointRule):
    """max T_j/R over the points with p_j >= min_precision, 0 if there are none"""

    min_precision: float
    names = ("recall_at_precision_#", "recall_at_precision", "R@P #", "recall@precision #")
    listed_names = ("recall_at_precision_0.9",)
    number_option = "min_precision"
    varies_by = "points"
    compute_used_fraction = use_all

    def values(self, points: Points) -> PerRanking:
        end = points.above + points.tied
        reached = has_reached(points, points.cum_hits, end, self.min_precision)
        recall = divide(points.cum_hits, points.repeat(points.n_positives))
        best = points.maximum(np.where(reached, recall, 0.0))
        return np.where(points.n_positives > 0, best, np.nan)
