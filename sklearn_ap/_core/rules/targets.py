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
        best = points.maximum(self._find_candidates(points))
        return np.where(points.n_positives > 0, best, np.nan)

    def _find_candidates(self, points: Points) -> PerPoint:
        """Return the precision of the points that reach the recall, 0 of others."""
        n_positives = points.repeat(points.n_positives)
        reached = has_reached(points, points.cum_hits, n_positives, self.min_recall)
        return np.where(reached, points.precision, 0.0)

    def find_deciding(self, points: Points) -> PerPoint:
        """The first point that reaches the recall decides, or the best one."""
        precision = self._find_candidates(points)
        n_positives = points.repeat(points.n_positives)
        is_later = has_reached(points, points.hits_above, n_positives, self.min_recall)
        is_best = precision >= points.repeat(points.maximum(precision))
        return (precision > 0) & (is_best | ~is_later)

    def compute_used_fraction(self, points: Points) -> PerRanking:
        return np.full(points.n_rankings, self.min_recall)


@dataclass(frozen=True)
class RecallAtPrecision(PointRule):
    """max T_j/R over the points with p_j >= min_precision, 0 if there are none"""

    min_precision: float
    names = ("recall_at_precision_#", "recall_at_precision", "R@P #", "recall@precision #")
    listed_names = ("recall_at_precision_0.9",)
    number_option = "min_precision"
    needs_precision = True
    varies_by = "points"
    compute_used_fraction = use_all

    def values(self, points: Points) -> PerRanking:
        best = divide(self._find_most_hits(points), points.n_positives)
        return np.where(points.n_positives > 0, best, np.nan)

    def _find_most_hits(self, points: Points) -> PerRanking:
        """Return T_j of the last point that has the precision, 0 if none has."""
        end = points.cum_samples
        reached = has_reached(points, points.cum_hits, end, self.min_precision)
        return points.maximum(np.where(reached, points.cum_hits, 0))

    def find_deciding(self, points: Points) -> PerPoint:
        """The last point that has the precision decides, and the next one, in which it's lost."""
        most_hits = points.repeat(self._find_most_hits(points))
        decides: PerPoint = (points.cum_hits == most_hits) | (points.hits_above == most_hits)
        return decides
