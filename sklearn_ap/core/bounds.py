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

So both ends are reached, or with masses come as near as one likes.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .cutoff import as_float
from .definitions import DEFAULT_K, Area, find_rule
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


def is_exact(tally: Tally) -> bool:
    """Whether no bin with positives holds more than one score."""
    return not (tally.mixed & (tally.positives > 0)).any()


def bounds(
    tally: Tally, definition: str, n_positives: float | None = None, **options: Any
) -> Array:
    """The least and the most that the score may be; nan for 0/0.

    `options` are those of the area rule, but tied samples have to be "grouped", and the denominator
    must not depend on how many positives are found.
    """
    rule = find_rule(definition)
    tied, best = tally.points(), best_case(tally)
    if n_positives is not None:
        tied, best = tied.out_of(n_positives), best.out_of(n_positives)
    if is_exact(tally):
        return rule(tied, **options).value().repeat(2)
    if definition in ("step", "at-k"):
        mixed = tally.mixed[::-1][np.flatnonzero(tally.positives[::-1])]
        k = None if definition == "step" else options.get("k", DEFAULT_K)
        lowest = _one_by_one(rule(tied, **options), tied, mixed, k)
    elif definition == "envelope":
        lowest = rule(tied)
    else:  # whether a recall reaches a level must not hang on rounding
        lowest, best = rule(_stretch(tied, 1 - _ROUNDING)), _stretch(best, 1 + _ROUNDING)
    highest = rule(best, **options).value()
    return np.concatenate([np.minimum(lowest.value(), highest), highest])


def best_case(tally: Tally) -> OperatingPoints:
    """Every mixed bin with its positives tied ahead of its negatives."""
    positives, negatives = tally.positives[::-1], tally.negatives[::-1]
    mixed = tally.mixed[::-1]
    return from_counts(
        np.stack([positives, np.zeros_like(positives)], axis=1).ravel(),
        np.stack([negatives * ~mixed, negatives * mixed], axis=1).ravel(),
    )


def _one_by_one(area: Area, points: OperatingPoints, mixed: Array, k: int | None) -> Area:
    """The area where in mixed bins the positives come one by one behind the negatives."""
    above = points.above + (points.total - points.positives)
    reached = points.positives
    if k is not None:
        reached = np.clip(as_float(k) - above, 0, reached).astype(reached.dtype)
    return area._replace(
        width=np.where(mixed, reached, area.width),
        height=np.where(mixed, worst_precision(reached, points.found_above, above), area.height),
    )


def _stretch(points: OperatingPoints, factor: float) -> OperatingPoints:
    if points.cum_positives.dtype.kind in "iu":
        return points
    return replace(points, cum_positives=points.cum_positives * factor)
