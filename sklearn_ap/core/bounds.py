"""Bounds of values if only the masses in bins are known.

Let a bin contain p positives and n negatives, with A positives and F negatives in higher bins.

- The precision at its positives is highest if they are tied ahead of its negatives. It is then (A +
  p) / (A + p + F) for each, and no order of the bin has any recall at a higher precision. This is
  possible in all bins at once, so every value is highest there.
- The envelope is lowest if the bin is one score, because the last point of the bin is there in any
  order, with the precision (A + p) / (A + p + F + n).
- The j-th positive has at least a precision of (A + j) / (A + j + F + n), which it has if the
  positives come one by one after the negatives. Masses can be split into ever smaller parts, which
  turns the sum into an integral.
- The top k contains the fewest positives if each bin has its negatives tied ahead of its positives.

Both bounds are therefore reached, or approached arbitrarily closely with masses. Each rule defines
which of these cases are its bounds.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .cutoff import Cut, needs_every_point
from .operating_points import OperatingPoints
from .segments import Array
from .tallies import Tally, from_counts
from .ties import worst_precision

# The largest relative error of sums of fractional masses.
_ROUNDING = 1e-9


class Bounds(NamedTuple):
    """Guaranteed bounds of a value, which is between `low` and `high`."""

    low: float
    high: float
    estimate: float  # the midpoint, which is off by at most half the width
    exact: bool  # whether both bounds are equal

    def __repr__(self) -> str:
        low, high, estimate = (float(f"{value:.6g}") for value in self[:3])
        return f"Bounds(low={low}, high={high}, estimate={estimate}, exact={self.exact})"


def is_exact(tally: Tally, depth: Cut | None) -> bool:
    """Whether a rule with this cut-off has an exact value, because bins with positives are single
    scores.

    The order of negatives among each other matters only if k counts rows of different weights.
    """
    every = needs_every_point(depth, tally.rows is not None)
    return not (tally.mixed & ((tally.positives > 0) | every)).any()


@dataclass(frozen=True, slots=True)
class Cases:
    """Extreme orders of the samples within their bins."""

    tied: OperatingPoints  # every bin is one score
    best: OperatingPoints  # in every mixed bin, the positives are tied ahead of the negatives
    worst: OperatingPoints  # in every mixed bin, the positives are tied after the negatives
    mixed: Array  # which points of `tied` represent several scores

    def stretched(self) -> "Cases":
        """Widen the cases, so that rounding cannot decide whether a recall is reached."""
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
    """Evaluate points whose positives come one by one after their negatives.

    Return how many of the positives are among the top samples, and their mean precision.

    `first` is the part of the points that counts, which is all of them, or what is within the top
    k.
    """
    negatives = points.total - points.positives
    positives = np.clip(first.total - negatives, 0, points.positives)
    positives = positives.astype(points.positives.dtype)
    return positives, worst_precision(positives, points.found_above, points.above + negatives)


def _stretch(points: OperatingPoints, factor: float) -> OperatingPoints:
    if points.cum_positives.dtype.kind in "iu":
        return points
    return replace(points, cum_positives=points.cum_positives * factor)
