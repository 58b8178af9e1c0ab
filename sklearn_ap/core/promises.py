"""Which thresholds keep a recall or a precision on new data, with a given confidence.

A threshold keeps a fraction, such as a precision of 0.7, if the binomial test rejects that the
population has less. With weights or clusters, masses are converted to as many sampling units of
their typical size, and the target to the same fraction of units.
"""

from math import ceil, log
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv, xlogy

from .segments import Array

_TIES = 1 + 1e-9  # p-values that equal the level can be rounded to a larger float
_STARTS = 6  # a few negatives at the very top stop only the first of them
_AT_ONCE = 2**14
_BLOCK = 2**6


class Evidence(NamedTuple):
    """What the samples at each threshold say about a fraction, highest threshold first."""

    found: Array  # the mass in the numerator
    other: Array  # the other mass in the denominator
    found_size: Array | float = 1.0  # the mass of a sampling unit in the numerator
    other_size: Array | float = 1.0

    def at(self, places: Array | slice | list[int]) -> "Evidence":
        return Evidence(*(each if np.ndim(each) == 0 else each[places] for each in self))  # type: ignore[arg-type, index]

    @property
    def units(self) -> tuple[Array, Array]:
        return np.asarray(self.found / self.found_size), np.asarray(self.other / self.other_size)

    def holds(self, target: float, error: float) -> Array:
        """Whether the fraction is at least the target, unless an event of this probability."""
        (found, other), share = self.units, self._of_units(target)
        # Chernoff's bound decides most thresholds much faster than the distribution itself.
        n = found + other
        bound = xlogy(n, n) - xlogy(found, found) - xlogy(other, other)
        bound += xlogy(found, share) + xlogy(other, 1 - share)
        is_more = found * (1 - share) > other * share
        holds = np.asarray(is_more & (bound <= log(error)))
        rest = np.flatnonzero(is_more & ~holds)
        share = np.broadcast_to(share, found.shape)[rest]
        holds[rest] = betainc(found[rest], other[rest] + 1, share) <= error * _TIES
        return holds

    def _of_units(self, target: Array | float) -> Array | float:
        ratio = self.other_size / self.found_size
        return target if np.all(ratio == 1) else target * ratio / (target * ratio + 1 - target)

    def until_failure(self, target: float, error: float, places: Array) -> int:
        """Count the first of these places, which are in order, at which the fraction holds."""
        for start in range(0, places.size, _AT_ONCE):
            some = self.at(places[start : start + _AT_ONCE])
            if not some._worst().holds(target, error).all():
                holds = some.holds(target, error)
                if not holds.all():
                    return start + int(np.argmin(holds))
        return places.size

    def _worst(self) -> "Evidence":
        """Return evidence that is weaker than that of all these places, if units have one size."""
        if np.ndim(self.found_size) or np.ndim(self.other_size):
            return self
        blocks = -(-self.found.size // _BLOCK) * _BLOCK
        found, other = (np.resize(each, blocks) for each in (self.found, self.other))
        found[self.found.size :], other[self.other.size :] = self.found[-1], self.other[-1]
        least = found.reshape(-1, _BLOCK).min(axis=1)
        return self._replace(found=least, other=other.reshape(-1, _BLOCK).max(axis=1))

    def limits(self, error: float) -> tuple[Array, Array]:
        """Compute the ends of the exact binomial interval, each exceeded with this probability."""
        found, other = self.units
        ratio = np.asarray(self.found_size / self.other_size)
        with np.errstate(invalid="ignore"):
            low = np.where(found > 0, betaincinv(found, other + 1, error), 0.0)
            high = np.where(other > 0, betaincinv(found + 1, other, 1 - error), 1.0)
        return low * ratio / (low * ratio + 1 - low), high * ratio / (high * ratio + 1 - high)


def sized(
    found: Array, other: Array, of_found: Array, of_other: Array, heavier: float = 1.0
) -> Evidence:
    """Return evidence with the sizes of sampling units, from the sums of their squared masses.

    Units of the other kind aren't smaller than those in the numerator, so that a single one that
    happens to be small isn't taken for typical. They may be `heavier` because of their weights.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        # Squares that underflow leave no evidence.
        found_size = np.where(of_found > 0, of_found / found, np.maximum(found, 1.0))
        other_size = np.where(other > 0, of_other / other, 0.0)
    return Evidence(found, other, found_size, np.maximum(other_size, found_size * heavier))


def keeps_recall(evidence: Evidence, target: float, error: float, has_positives: Array) -> int:
    """Return the highest place that keeps this recall; -1 if there is none.

    From the lowest threshold up, the first one that fails is the end, so there is only one error.
    Without weights, this is an order statistic of the positives' scores.
    """
    places = np.flatnonzero(has_positives)[::-1]
    passed = evidence.until_failure(target, error, places)
    return int(places[passed - 1]) if passed else -1


def keeps_precision(
    evidence: Evidence, target: float, error: float, cum_rows: Array, heavier: float = 1.0
) -> list[tuple[int, int]]:
    """Return the first and the last place of the ranges that keep this precision.

    Thresholds are tested from a start downwards until the first one fails. The starts are fixed in
    advance, and share the error.
    """
    if not target:
        return [(0, cum_rows.size - 1)]
    error /= _STARTS
    odds = target * heavier / (1 - target) if target < 1 else np.inf
    first = ceil(log(error) / -np.log1p(1 / odds) - 1e-9) if np.isfinite(odds) else cum_rows[-1] + 1
    starts = np.searchsorted(cum_rows, [first * 2**i for i in range(_STARTS)])
    ranges: list[tuple[int, int]] = []
    end = cum_rows.size
    for start in np.unique(starts[starts < end])[::-1].tolist():
        last = start - 1 + evidence.until_failure(target, error, np.arange(start, end))
        if ranges and last + 1 == ranges[-1][0]:
            last = ranges[-1][1]
        if last >= start:
            ranges.append((start, last))
        end = start
    return ranges


def squares_in_clusters(cluster: Array, labels: Array, mass: Array) -> tuple[Array, Array]:
    """Return what each sample adds to the squared masses of the clusters, in this order.

    Each class has masses of its own, and their squares are added up over the clusters. The second
    result is for the opposite order.
    """
    own = 2 * cluster + labels
    order = np.argsort(own, kind="stable")
    first = np.flatnonzero(np.diff(own[order], prepend=-1))
    sizes = np.diff(np.append(first, own.size))
    until = np.cumsum(mass[order])
    above = np.empty(own.size)
    above[order] = until - mass[order] - np.repeat((until - mass[order])[first], sizes)
    whole = np.bincount(own, mass)[own]
    return mass * (2 * above + mass), mass * (2 * (whole - above) - mass)
