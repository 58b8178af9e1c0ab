"""Which thresholds keep a recall or a precision on new data, with a given confidence.

A threshold keeps a fraction, such as a precision of 0.7, if the binomial test rejects that the
population has less. With weights or clusters, masses are converted to as many sampling units of
their typical size, and the target to the same fraction of units.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log, sqrt
from typing import NamedTuple, Self

import numpy as np
from scipy.special import betainc, betaincinv

from .keys import rank
from .operating_points import OperatingPoints, by_group
from .rankings import Rankings
from .within import Array, blocks, repeated

_TIES = 1 + 1e-9  # equal numbers can be rounded to floats that differ by this factor
_CHANCE = 2  # standard errors that a difference may have by chance
_STARTS = 6  # a few negatives at the very top stop only the first of them


class SquaredMasses(NamedTuple):
    """Samples with weights, or clusters, which are ranked and squared only as far as necessary.

    The positives and the negatives of a cluster are two units.
    """

    samples: Rankings
    cluster: Array | None
    in_rows: OperatingPoints  # with each sample counted once
    thresholds: Array  # the score of each point
    heavier: float
    scale: float

    @classmethod
    def of(
        cls, samples: Rankings, cluster: Array | None, in_rows: OperatingPoints, thresholds: Array
    ) -> Self:
        weight, heavier, scale = samples.weight, 1.0, 1.0
        if weight is not None:
            scale = float(weight.max())  # squares of large weights would overflow
            mass = weight / scale
            heavier = heavier_class(samples.labels, mass, mass * mass)
        return cls(samples, cluster, in_rows, thresholds, heavier, scale)

    def of_recall(self, places: Array) -> tuple[Array, Array, Array | None]:
        """Return the sums of squares over positives with at least the scores of these points, and
        over those with lower scores, and the masses of the clusters if any has several positives.
        `places` has all points with positives.
        """
        units, above = self._ranked(self.samples.labels), self.in_rows.cum_positives[places]
        clusters = np.bincount(units[1], units[0]) if len(units) > 1 else None
        if clusters is not None:
            clusters = clusters[clusters > 0]
            clusters = None if clusters.size == units[0].size else clusters
        units = units[: 1 if clusters is None else 2]
        upwards = running_squares(*(column[::-1] for column in units))
        return running_squares(*units)[above], upwards[above[-1] - above], clusters

    def of_precision(self, stop: int) -> tuple[Array, Array]:
        """Return the sums over positives and over negatives, for each of the first points."""
        labels, above = self.samples.labels, self.in_rows.cum_positives[:stop]
        kept = self.samples.scores >= self.thresholds[stop - 1]
        found, wrong = (running_squares(*self._ranked(kept & of)) for of in (labels, ~labels))
        return found[above], wrong[self.in_rows.cum_total[:stop] - above]

    def heavier_below(self) -> float:
        """Return how many times as much as those of the upper half the positives, or clusters of
        positives, in the lower half of the ranking weigh on average; 1 if that may be by chance.
        """
        mass, *cluster = self._ranked(self.samples.labels)
        if cluster:
            size, whole = np.bincount(cluster[0]), np.bincount(cluster[0], mass)
            place = np.bincount(cluster[0], np.arange(mass.size))
            some = np.flatnonzero(size)
            mass = whole[some][np.argsort(place[some] / size[some], kind="stable")]
            until = np.arange(mass.size + 1)
        else:
            until = np.append(0, self.in_rows.cum_positives).astype(np.int64)
        columns = mass, *powers_of_log(mass)
        return heavier_half(until, [np.append(0.0, np.cumsum(each))[until] for each in columns])

    def _ranked(self, kept: Array) -> list[Array]:
        """Return the masses of these samples, and their clusters, highest score first."""
        samples = self.samples.take(np.flatnonzero(kept))
        size, weight = samples.labels.size, samples.weight
        mass = np.ones(size) if weight is None else weight / self.scale
        columns = [mass] if self.cluster is None else [mass, self.cluster[kept]]
        return rank(samples.labels, samples.scores, *columns)[1:]


class SquaredCounts(NamedTuple):
    """What `SquaredMasses` tells, from sums over the samples at each point, without clusters."""

    positives: Array  # squares of the masses of positives
    negatives: Array
    of_halves: Array  # the masses of positives, their logarithms and the squares of these
    numbers: Array  # how many positives there are
    heavier: float
    scale: float = 1.0
    cluster: None = None

    def of_recall(self, places: Array) -> tuple[Array, Array, None]:
        missed = np.append(np.cumsum(self.positives[:0:-1])[::-1], 0.0)
        return np.cumsum(self.positives)[places], missed[places], None

    def of_precision(self, stop: int) -> tuple[Array, Array]:
        return np.cumsum(self.positives[:stop]), np.cumsum(self.negatives[:stop])

    def heavier_below(self) -> float:
        until = np.append(0, np.cumsum(self.numbers))
        return heavier_half(until, [np.append(0.0, np.cumsum(each)) for each in self.of_halves])


Squares = SquaredMasses | SquaredCounts


def powers_of_log(mass: Array) -> tuple[Array, Array]:
    logs = np.log(mass)
    return logs, logs * logs


def heavier_half(until: Array, sums: Sequence[Array]) -> float:
    """Return how many times as much the lower half of the positives weighs; 1 if that may be by
    chance.

    `until` are numbers of positives, from 0 to all, and `sums` those of their masses, of the
    logarithms and of the squares of these. Tied positives are divided in proportion.
    """
    half = int(until[-1]) // 2
    if half < 2:
        return 1.0
    ends = [half, until[-1] - half, until[-1]]
    above, below, whole = np.transpose([np.interp(ends, until, each) for each in sums])
    upper, lower = above, whole - below
    means = [logs / half for _, logs, _ in (upper, lower)]
    spread = sum(
        max(squares - half * mean**2, 0.0) / (half - 1)
        for (_, _, squares), mean in zip((upper, lower), means, strict=True)
    )
    is_more = means[1] - means[0] > _CHANCE * sqrt(spread / half)
    return float(lower[0] / upper[0]) if is_more else 1.0


def running_squares(mass: Array, cluster: Array | None = None) -> Array:
    """Add up the squared masses of the units that the first samples have, from 0 samples on."""
    added = mass * mass
    if cluster is not None:
        order, offsets = by_group(np.arange(mass.size), cluster, int(cluster.max(initial=0)) + 1)
        until = np.append(0.0, np.cumsum(mass[order]))
        above = np.empty(mass.size)  # the mass of the cluster that comes before the sample
        above[order] = until[:-1] - repeated(until[offsets[:-1]], offsets)
        added += 2 * above * mass
    return np.append(0.0, np.cumsum(added))


def heavier_class(labels: Array, mass: Array, squared: Array) -> float:
    """Return how many times as much as a positive a negative weighs, from sums of masses and of
    their squares.
    """
    squares, wrong = float(squared[labels].sum()), float(mass[~labels].sum())
    of_wrong, whole = float(squared[~labels].sum()), float(mass[labels].sum())
    return of_wrong * whole / (squares * wrong) if squares and wrong else 1.0


class Trials(NamedTuple):
    """What the samples at each threshold say about a fraction, highest threshold first."""

    found: Array  # the mass in the numerator
    other: Array  # the other mass in the denominator
    found_size: Array | float = 1.0  # the mass of a sampling unit in the numerator
    other_size: Array | float = 1.0

    @classmethod
    def of_recall(cls, points: OperatingPoints, units: Squares | None) -> Self:
        """Return what the samples say about the recall at each point with positives.

        Unseen positives are as heavy as others.
        """
        places = np.flatnonzero(points.positives)
        found = points.cum_positives[places]
        missed = np.maximum(points.n_positives.item() - found, 0)
        if units is None:
            return cls(found, missed)
        found, missed = found / units.scale, missed / units.scale
        squares, of_missed, clusters = units.of_recall(places)
        unseen = missed[-1] * (squares[-1] / found[-1])
        if clusters is not None:
            return cls._of_clusters(found, missed, squares, of_missed + unseen, clusters)
        return cls._of_squares(found, missed, squares, of_missed + unseen)

    @classmethod
    def of_precision(cls, points: OperatingPoints, units: Squares | None, stop: int) -> Self:
        """Return what the samples say about the precision at each of the first points."""
        found = points.cum_positives[:stop]
        wrong = np.maximum(points.cum_total[:stop] - found, 0)
        if units is None:
            return cls(found, wrong)
        found, wrong = found / units.scale, wrong / units.scale
        return cls._of_squares(found, wrong, *units.of_precision(stop), units.heavier)

    @classmethod
    def _of_clusters(
        cls, found: Array, missed: Array, of_found: Array, of_missed: Array, clusters: Array
    ) -> Self:
        """Return evidence in as many units as samples that don't depend on each other would say as
        much about the recall as these clusters do (Rao and Scott 1992).

        The variance between clusters says how much their positives depend on each other. It is an
        estimate that is too low if the sample happens to lack large clusters that are missed. So
        all positives of a cluster are taken to be alike in part, and the more, the larger the
        largest cluster is. They are also taken to be at least as alike as those missed seem to be.
        """
        whole, of_all = found[-1] + missed[-1], clusters @ clusters + of_missed[-1]
        share = found / whole
        together = np.maximum(of_all - of_found - of_missed, 0) / 2  # found times missed
        between = (
            (1 - share) ** 2 * of_found - 2 * share * (1 - share) * together + share**2 * of_missed
        )
        least = np.minimum(1.0, whole / of_all)
        with np.errstate(invalid="ignore", divide="ignore"):
            unbiased = np.divide(clusters.size, clusters.size - 1)  # infinite for one cluster
            alike = between / (share * (1 - share) * of_all) * unbiased
            if_missed = of_missed / missed * (found / of_found)
        alike = np.where(np.isfinite(alike), alike, 1.0)
        guard = np.sqrt(clusters.max() / whole)
        alike = np.maximum(guard + (1 - guard) * alike, np.nan_to_num(if_missed))
        size = of_all / whole * np.clip(alike, least, 1.0)
        return cls(found, missed, size, size)

    @classmethod
    def _of_squares(
        cls, found: Array, other: Array, of_found: Array, of_other: Array, heavier: float = 1.0
    ) -> Self:
        """Return evidence in units of their typical sizes, from the sums of the squared masses.

        Squares of the other kind aren't smaller than those in the numerator, so that a single one
        that happens to be small isn't taken for typical.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            # Squares that underflow leave no evidence.
            found_size = np.where(of_found > 0, of_found / found, np.maximum(found, 1.0))
            other_size = np.where(other > 0, of_other / other, 0.0)
        return cls(found, other, found_size, np.maximum(other_size, found_size * heavier))

    def at(self, places: slice | list[int]) -> Self:
        taken = (each if np.ndim(each) == 0 else each[places] for each in self)  # type: ignore[index]
        return type(self)(*taken)  # type: ignore[arg-type]

    @property
    def units(self) -> tuple[Array, Array]:
        return np.asarray(self.found / self.found_size), np.asarray(self.other / self.other_size)

    def holds(self, target: float, error: float) -> Array:
        """Whether the fraction is at least the target, unless an event of this probability."""
        found, other = self.units
        ratio = self.other_size / self.found_size
        share = target if np.all(ratio == 1) else target * ratio / (target * ratio + 1 - target)
        excess = found * (1 - share) - other * share
        # Chernoff's bound, with (p - q)^2 / (2 p (1 - q)) for the divergence of p from q, which is
        # at least as large, decides most thresholds much faster than the distribution itself.
        holds = (excess > 0) & (excess**2 >= -2 * log(error) * found * (1 - share))
        rest = np.flatnonzero((excess > 0) & ~holds)
        share = np.broadcast_to(share, found.shape)[rest]
        holds[rest] = betainc(found[rest], other[rest] + 1, share) <= error * _TIES
        return holds

    def until_failure(self, target: float, error: float) -> int:
        """Count the first places at which the fraction holds."""
        for some in blocks(self.found.size):
            holds = self.at(some).holds(target, error)
            if not holds.all():
                return int(some.start + np.argmin(holds))
        return self.found.size

    def limits(self, error: float) -> tuple[Array, Array]:
        """Compute the ends of the exact binomial interval, each exceeded with this probability."""
        found, other = self.units
        ratio = np.asarray(self.found_size / self.other_size)
        with np.errstate(invalid="ignore"):
            low = np.where(found > 0, betaincinv(found, other + 1, error), 0.0)
            high = np.where(other > 0, betaincinv(found + 1, other, 1 - error), 1.0)
        return low * ratio / (low * ratio + 1 - low), high * ratio / (high * ratio + 1 - high)


def rows_at_starts(target: float, error: float, heavier: float = 1.0) -> list[int]:
    """Return how many rows are flagged at least where the tests of a precision start."""
    if not 0 < target < 1:
        return []
    odds = target * heavier / (1 - target)
    if not np.isfinite(odds):
        return []
    first = ceil(log(error / _STARTS) / -np.log1p(1 / odds) - 1e-9)
    return [first * 2**i for i in range(_STARTS)]


def keeps_precision(
    points: OperatingPoints,
    units: Squares | None,
    cum_rows: Array,
    target: float,
    error: float,
) -> Array:
    """Return which thresholds keep this precision.

    They are tested from a start downwards until the first one fails. The starts are fixed in
    advance, and share the error. Where the tests reach the next start, they hand their part of the
    error on to it (Wiens 2003). The lowest start can't pass where the precision is below the
    target.
    """
    if not target:
        return np.ones(cum_rows.size, dtype=bool)
    heavier = 1.0 if units is None else units.heavier
    starts = np.searchsorted(cum_rows, rows_at_starts(target, error, heavier))
    error /= _STARTS
    starts, n_parts = np.unique(starts[starts < cum_rows.size], return_counts=True)
    kept = np.zeros(cum_rows.size, dtype=bool)
    if not starts.size:
        return kept
    fails = np.append(points.precision[starts[-1] :] < target / _TIES, True)
    stop = int(starts[-1] + np.argmax(fails))
    evidence = Trials.of_precision(points, units, stop)
    handed_on = 0.0
    for (start, end), parts in zip(pairwise([*starts.tolist(), stop]), n_parts, strict=True):
        own = error * parts + handed_on
        passed = evidence.at(slice(start, end)).until_failure(target, own)
        kept[start : start + passed] = True
        handed_on = own if passed == end - start else 0.0
    return kept
