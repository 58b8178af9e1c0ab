"""Whether points reach a share, which is taken as the decimal that was written."""

import numpy as np

from .cutoff import as_fraction
from .operating_points import OperatingPoints
from .segments import Array, spread


def levels_reached(points: OperatingPoints, n_points: int) -> Array:
    """Count how many of the recalls 0, 1/(n_points-1), ..., 1 are reached at each point."""
    found, n_positives = points.cum_positives, spread(points.n_positives, points.offsets)
    if found.dtype.kind in "iu" and n_positives.dtype.kind in "iu":
        if points.n_positives.max(initial=0) >= 2**62 // n_points:
            found = found.astype(object)  # Python's integers do not overflow
        levels = found * (n_points - 1)
        levels //= n_positives
    else:
        recall = np.minimum(found / n_positives * lost(points), 1.0)
        levels = np.floor(recall * (n_points - 1))
    levels = levels.astype(np.int64, copy=False)
    levels += 1
    return np.asarray(levels)


def at_least(part: Array, whole: Array, share: float, points: OperatingPoints) -> Array:
    """Whether part/whole is at least a share, which is taken as the decimal that was written."""
    least, whole = as_fraction(share), np.broadcast_to(whole, part.shape)
    with np.errstate(invalid="ignore"):  # recall is 0/0 without positives
        quotient = part / whole
    if "f" in (part.dtype.kind, whole.dtype.kind):
        return np.asarray(quotient * lost(points) >= float(least))
    reached = np.asarray(quotient > float(least))
    # Quotients of integers are rounded once, so only those that round to the share are undecided.
    open_ = np.flatnonzero(quotient == float(least))
    part, whole = part[open_], whole[open_]
    if least.denominator * int(whole.max(initial=0)) >= 2**62:
        part, whole = part.astype(object), whole.astype(object)
    reached[open_] = part * least.denominator >= whole * least.numerator
    return reached


def lost(points: OperatingPoints) -> Array:
    """Return factors that make up for rounding errors in sums of fractional weights."""
    n_terms = spread(np.diff(points.offsets), points.offsets) + 8
    return np.asarray(1 + 2 * np.finfo(float).eps * n_terms)
