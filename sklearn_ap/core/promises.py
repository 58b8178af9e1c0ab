"""Which thresholds keep a recall or a precision on new data, with a given confidence.

A threshold keeps a fraction, such as a precision of 0.7, if the binomial test rejects that the
population has less. With weights or clusters, masses are converted to as many sampling units of
their typical size, and the target to the same fraction of units.
"""

from math import ceil, log
from typing import NamedTuple, Self

import numpy as np
from scipy.special import betainc, betaincinv, xlogy

from .keys import is_positive, rank
from .operating_points import OperatingPoints, gather
from .segments import Array, spread

_TIES = 1 + 1e-9  # p-values that equal the level can be rounded to a larger float
_STARTS = 6  # a few negatives at the very top stop only the first of them
_AT_ONCE = 2**14
_BLOCK = 2**6


class Squares(NamedTuple):
    """Squared masses of the sampling units at each point, from which their size follows.

    The positives and the negatives of a cluster are two units.
    """

    found: Array  # of positives with at least this score
    wrong: Array  # of negatives with at least this score
    missed: Array  # of positives with lower scores
    heavier: float  # how many times as much as a positive a negative weighs
    scale: float = 1.0  # the weight that counts as 1 here

    @classmethod
    def of_points(cls, points: OperatingPoints, squares: OperatingPoints) -> Self:
        """Make the squares of single samples from points whose masses are squared weights."""
        found, whole = squares.cum_positives, points.cum_positives[-1].item()
        wrong = squares.cum_total - found
        sums = found[-1].item(), whole, wrong[-1].item(), points.cum_total[-1].item() - whole
        return cls(found, wrong, found[-1] - found, heavier_of(*sums))

    @classmethod
    def of_units(
        cls,
        labels: Array,
        scores: Array,
        weight: Array | None,
        cluster: Array | None,
        cum_rows: Array,
    ) -> Self:
        """Make the squares of samples or clusters. `cum_rows` tells how many each point flags."""
        mass = np.ones(labels.size) if weight is None else weight.astype(float)
        scale = float(mass.max())
        mass /= scale  # squares of large weights would overflow
        heavier = heavier_class(labels, mass)
        columns = [mass] if cluster is None else [mass, cluster]
        key, mass, *clusters = rank(labels, scores, *columns)
        labels, ends = is_positive(key), cum_rows - 1
        down = up = mass**2
        for cluster in clusters:
            down, up = squares_in_clusters(cluster, labels, mass)
        cum_missed = np.cumsum(np.where(labels, up, 0.0))
        return cls(
            found=np.cumsum(np.where(labels, down, 0.0))[ends],
            wrong=np.cumsum(np.where(labels, 0.0, down))[ends],
            missed=cum_missed[-1] - cum_missed[ends],
            heavier=heavier,
            scale=scale,
        )


def squares_in_clusters(cluster: Array, labels: Array, mass: Array) -> tuple[Array, Array]:
    """Return what each sample adds to the squared masses of the clusters, in this order.

    Each class has masses of its own, and their squares are added up over the clusters. The second
    result is for the opposite order.
    """
    own = 2 * cluster + labels
    order, offsets = gather(np.arange(own.size), own, 2 * int(cluster.max()) + 2)
    until = np.append(0.0, np.cumsum(mass[order]))
    above = np.empty(own.size)
    above[order] = until[:-1] - spread(until[offsets[:-1]], offsets)
    whole = np.bincount(own, mass)[own]
    return mass * (2 * above + mass), mass * (2 * (whole - above) - mass)


def heavier_class(labels: Array, mass: Array) -> float:
    """Return how many times as much as a positive a negative weighs."""
    return heavier_of(*((mass[of] ** power).sum() for of in (labels, ~labels) for power in (2, 1)))


def heavier_of(squares: float, mass: float, of_wrong: float, wrong: float) -> float:
    """Do the same from sums of the squared weights and of the weights of each class."""
    return of_wrong * mass / (squares * wrong) if squares and wrong else 1.0


class Evidence(NamedTuple):
    """What the samples at each threshold say about a fraction, highest threshold first."""

    found: Array  # the mass in the numerator
    other: Array  # the other mass in the denominator
    found_size: Array | float = 1.0  # the mass of a sampling unit in the numerator
    other_size: Array | float = 1.0
    heavier: float = 1.0  # how many times as much the others weigh, because of their weights

    @classmethod
    def of_recall(cls, points: OperatingPoints, squares: Squares | None) -> Self:
        """Return what the samples say about the recall. Unseen positives are as heavy as others."""
        found = points.cum_positives
        missed = np.maximum(points.n_positives.item() - found, 0)
        if squares is None:
            return cls(found, missed)
        found, missed = found / squares.scale, missed / squares.scale
        unseen = missed[-1] * (squares.found[-1] / found[-1])
        sizes = _sizes(found, missed, squares.found, squares.missed + unseen)
        return cls.of_sizes(found, missed, *sizes)

    @classmethod
    def of_precision(cls, points: OperatingPoints, squares: Squares | None) -> Self:
        found = points.cum_positives
        wrong = np.maximum(points.cum_total - found, 0)
        if squares is None:
            return cls(found, wrong)
        found, wrong = found / squares.scale, wrong / squares.scale
        sizes = _sizes(found, wrong, squares.found, squares.wrong)
        return cls.of_sizes(found, wrong, *sizes, squares.heavier)

    @classmethod
    def of_sizes(
        cls,
        found: Array,
        other: Array,
        found_size: Array | float,
        other_size: Array | float,
        heavier: float = 1.0,
    ) -> Self:
        """Return evidence from the typical sizes of units.

        Units of the other kind aren't smaller than those in the numerator, so that a single one
        that happens to be small isn't taken for typical.
        """
        return cls(found, other, found_size, np.maximum(other_size, found_size * heavier), heavier)

    def at(self, places: Array | slice | list[int]) -> Self:
        taken = (each if np.ndim(each) == 0 else each[places] for each in self)  # type: ignore[index]
        return type(self)(*taken)  # type: ignore[arg-type]

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

    def _worst(self) -> Self:
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


def _sizes(found: Array, other: Array, of_found: Array, of_other: Array) -> tuple[Array, Array]:
    """Return the typical sizes of units from their masses and the sums of the squared masses."""
    with np.errstate(invalid="ignore", divide="ignore"):
        # Squares that underflow leave no evidence.
        found_size = np.where(of_found > 0, of_found / found, np.maximum(found, 1.0))
        return found_size, np.where(other > 0, of_other / other, 0.0)


def keeps_recall(evidence: Evidence, target: float, error: float, has_positives: Array) -> Array:
    """Return which thresholds keep this recall.

    From the lowest threshold up, the first one that fails is the end, so there is only one error.
    Without weights, the highest one that keeps it is an order statistic of the positives' scores.
    """
    kept = np.zeros(has_positives.size, dtype=bool)
    places = np.flatnonzero(has_positives)[::-1]
    passed = evidence.until_failure(target, error, places)
    kept[places[passed - 1] if passed else kept.size :] = True
    return kept


def keeps_precision(evidence: Evidence, target: float, error: float, cum_rows: Array) -> Array:
    """Return which thresholds keep this precision.

    They are tested from a start downwards until the first one fails. The starts are fixed in
    advance, and share the error.
    """
    if not target:
        return np.ones(cum_rows.size, dtype=bool)
    error /= _STARTS
    odds = target * evidence.heavier / (1 - target) if target < 1 else np.inf
    first = ceil(log(error) / -np.log1p(1 / odds) - 1e-9) if np.isfinite(odds) else cum_rows[-1] + 1
    starts = np.searchsorted(cum_rows, [first * 2**i for i in range(_STARTS)])
    kept, end = np.zeros(cum_rows.size, dtype=bool), cum_rows.size
    for start in np.unique(starts[starts < end])[::-1].tolist():
        passed = evidence.until_failure(target, error, np.arange(start, end))
        kept[start : start + passed] = True
        end = start
    return kept
