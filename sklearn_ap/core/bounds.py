"""Between which numbers a score lies when only the masses in bins are known.

Let a bin hold p positives and n negatives, with A positives and F negatives in better bins.

- The precision at its positives is highest when they are tied ahead of its negatives: then it is
  (A + p) / (A + p + F) for each, and no order of the bin has any recall at a higher precision. This
  holds in all bins at once, so every score is highest there.
- The envelope is lowest when the bin is one score: its last point is there in any order, with the
  precision (A + p) / (A + p + F + n).
- The j-th positive has a precision of (A + j) / (A + j + F + n) at least, and has it when the
  positives come one by one behind the negatives. Masses can come in ever smaller parts, which makes
  the sum an integral.
- Fewest positives are within k when each bin has its negatives tied ahead of its positives.

So both ends are reached, or with masses come as near as one likes. Which of these cases are the
ends of a rule, the rule says.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .cutoff import Cut
from .operating_points import OperatingPoints
from .segments import Array
from .tallies import Tally, from_counts
from .ties import worst_precision

# How far sums of fractional masses may be off, relative to themselves.
_ROUNDING = 1e-9


class Bounds(NamedTuple):
    """What is known of a score: it lies between `lower` and `upper`."""

    lower: float
    upper: float
    estimate: float  # the middle: off by half the width at most
    exact: bool  # whether the ends are one


def is_exact(tally: Tally, depth: Cut | None) -> bool:
    """Whether no bin that a rule of this depth cannot take as one score holds more than one.

    The order of negatives alone matters only where k counts rows of several weights.
    """
    by_rows = depth is not None and depth.by_rows and tally.rows is not None
    return not (tally.mixed & ((tally.positives > 0) | by_rows)).any()


@dataclass(frozen=True, slots=True)
class Cases:
    """Orders of the samples within their bins that scores may have."""

    tied: OperatingPoints  # every bin is one score
    best: OperatingPoints  # in every mixed bin the positives are tied ahead of the negatives
    worst: OperatingPoints  # in every mixed bin they are tied behind them
    mixed: Array  # which points of `tied` stand for several scores

    def stretched(self) -> "Cases":
        """The same where whether a recall is reached does not hang on rounding."""
        return replace(
            self, tied=_stretch(self.tied, 1 - _ROUNDING), best=_stretch(self.best, 1 + _ROUNDING)
        )


def cases(tally: Tally, n_positives: Array | None = None) -> Cases:
    positives, negatives = tally.positives[::-1], tally.negatives[::-1]
    mixed = tally.mixed[::-1]
    none = np.zeros_like(positives)
    tied = tally.points()
    ahead = from_counts(
        np.stack([positives, none], axis=1).ravel(),
        np.stack([negatives * ~mixed, negatives * mixed], axis=1).ravel(),
    )
    behind = from_counts(
        np.stack([none, positives], axis=1).ravel(),
        np.stack([negatives * mixed, negatives * ~mixed], axis=1).ravel(),
    )
    if n_positives is not None:
        tied, ahead, behind = (each.out_of(n_positives) for each in (tied, ahead, behind))
    return Cases(tied, ahead, behind, mixed[np.flatnonzero(positives)])


def one_by_one(points: OperatingPoints, first: OperatingPoints) -> tuple[Array, Array]:
    """Where the positives of a point come one by one behind its negatives: how many of them are
    among the first, and their mean precision.

    `first` is what is counted of the points: all of them, or what k leaves.
    """
    negatives = points.total - points.positives
    positives = np.clip(first.total - negatives, 0, points.positives)
    positives = positives.astype(points.positives.dtype)
    return positives, worst_precision(positives, points.found_above, points.above + negatives)


def _stretch(points: OperatingPoints, factor: float) -> OperatingPoints:
    if points.cum_positives.dtype.kind in "iu":
        return points
    return replace(points, cum_positives=points.cum_positives * factor)
