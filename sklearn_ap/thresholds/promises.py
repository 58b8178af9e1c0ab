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

from ..core.keys import rank
from ..core.operating_points import OperatingPoints, sort_by_group
from ..core.ragged import Array, repeat_values, split_into_blocks
from ..core.rankings import Rankings
from ..core.spread import compute_unit_mass
from ..core.tolerances import SUM_TOLERANCE

_MIN_STANDARD_ERRORS = 2  # standard errors that a difference may have by chance
_N_STARTS = 6  # a few negatives at the very top stop only the first of them


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
            heavier = compare_classes(samples.labels, mass, mass * mass)
        return cls(samples, cluster, in_rows, thresholds, heavier, scale)

    def sum_for_recall(self, places: Array) -> tuple[Array, Array, Array | None]:
        """Return the sums of squares over positives with at least the scores of these points, and
        over those with lower scores, and the masses of the clusters if any has several positives.
        `places` has all points with positives.
        """
        mass, *cluster = self._rank_masses(self.samples.labels)
        clusters = None
        if cluster:
            clusters = np.bincount(cluster[0], mass)
            clusters = clusters[clusters > 0]
            if clusters.size == mass.size:  # each has a single positive
                clusters, cluster = None, []
        n_above = self.in_rows.cum_positives[places]
        downwards = sum_squares(mass, *cluster)
        upwards = sum_squares(mass[::-1], *(numbers[::-1] for numbers in cluster))
        return downwards[n_above], upwards[n_above[-1] - n_above], clusters

    def sum_for_precision(self, stop: int) -> tuple[Array, Array]:
        """Return the sums over positives and over negatives, for each of the first points."""
        labels, n_hits = self.samples.labels, self.in_rows.cum_positives[:stop]
        n_wrong = self.in_rows.cum_total[:stop] - n_hits
        is_flagged = self.samples.scores >= self.thresholds[stop - 1]
        of_positives = sum_squares(*self._rank_masses(is_flagged & labels))
        of_negatives = sum_squares(*self._rank_masses(is_flagged & ~labels))
        return of_positives[n_hits], of_negatives[n_wrong]

    def compare_lower_half(self) -> float:
        """Return how many times as much as those of the upper half the positives, or clusters of
        positives, in the lower half of the ranking weigh on average; 1 if that may be by chance.
        """
        mass, *cluster = self._rank_masses(self.samples.labels)
        if cluster:  # which ranks by the mean rank of its positives
            size, mass_of_cluster = np.bincount(cluster[0]), np.bincount(cluster[0], mass)
            sum_of_ranks = np.bincount(cluster[0], np.arange(mass.size))
            with_positives = np.flatnonzero(size)
            mean_rank = sum_of_ranks[with_positives] / size[with_positives]
            mass = mass_of_cluster[with_positives][np.argsort(mean_rank, kind="stable")]
            until = np.arange(mass.size + 1)
        else:
            until = np.append(0, self.in_rows.cum_positives).astype(np.int64)
        columns = mass, np.log(mass), np.square(np.log(mass))
        sums = [np.append(0.0, np.cumsum(column))[until] for column in columns]
        return compare_halves(until, sums)

    def _rank_masses(self, is_kept: Array) -> list[Array]:
        """Return the masses of these samples, and the clusters if there are any, highest score
        first.
        """
        samples = self.samples.take(np.flatnonzero(is_kept))
        size, weight = samples.labels.size, samples.weight
        mass = np.ones(size) if weight is None else weight / self.scale
        columns = [mass] if self.cluster is None else [mass, self.cluster[is_kept]]
        return rank(samples.labels, samples.scores, *columns)[1:]


def compare_halves(until: Array, sums: Sequence[Array]) -> float:
    """Return how many times as much the lower half of the positives weighs; 1 if that may be by
    chance.

    `until` are numbers of positives, from 0 to all, and `sums` those of their masses, of the
    logarithms and of the squares of these. Tied positives are divided in proportion.
    """
    half = int(until[-1]) // 2
    if half < 2:
        return 1.0
    # Each half is the sums of masses, logarithms and squares of logarithms.
    ends = [half, until[-1] - half, until[-1]]
    upper, without_lower, total = np.transpose([np.interp(ends, until, column) for column in sums])
    masses, logs, squares = np.transpose([upper, total - without_lower])
    means = logs / half
    variances = np.maximum(squares - half * means**2, 0.0) / (half - 1)
    error = sqrt(variances.sum() / half)
    is_more = means[1] - means[0] > _MIN_STANDARD_ERRORS * error
    return float(masses[1] / masses[0]) if is_more else 1.0


def sum_squares(mass: Array, cluster: Array | None = None) -> Array:
    """Add up the squared masses of the units that the first samples have, from 0 samples on."""
    added = mass * mass
    if cluster is not None:
        n_clusters = int(cluster.max(initial=0)) + 1
        order, offsets = sort_by_group(np.arange(mass.size), cluster, n_clusters)
        until = np.append(0.0, np.cumsum(mass[order]))
        above = np.empty(mass.size)  # the mass of the cluster that comes before the sample
        above[order] = until[:-1] - repeat_values(until[offsets[:-1]], offsets)
        added += 2 * above * mass
    return np.append(0.0, np.cumsum(added))


def compare_classes(labels: Array, mass: Array, squared: Array) -> float:
    """Return how many times as much as a positive a negative weighs, from sums of masses and of
    their squares.
    """
    of_positives = compute_unit_mass(mass[labels].sum(), squared[labels].sum())
    of_negatives = compute_unit_mass(mass[~labels].sum(), squared[~labels].sum())
    return (of_negatives / of_positives).item() if of_positives and of_negatives else 1.0


class BinomialEvidence(NamedTuple):
    """What the samples at each threshold say about a fraction, highest threshold first."""

    found: Array  # the mass in the numerator
    other: Array  # the other mass in the denominator
    found_size: Array | float = 1.0  # the mass of a sampling unit in the numerator
    other_size: Array | float = 1.0

    @classmethod
    def from_recall(cls, points: OperatingPoints, units: SquaredMasses | None) -> Self:
        """Return what the samples say about the recall at each point with positives.

        Unscored positives are as heavy as others.
        """
        places = np.flatnonzero(points.positives)
        found = points.cum_positives[places]
        missed = np.maximum(points.n_positives.item() - found, 0)
        if units is None:
            return cls(found, missed)
        found, missed = found / units.scale, missed / units.scale
        squares, of_missed, clusters = units.sum_for_recall(places)
        unscored = missed[-1] * (squares[-1] / found[-1])
        if clusters is not None:
            return cls._from_clusters(found, missed, squares, of_missed + unscored, clusters)
        return cls._from_squares(found, missed, squares, of_missed + unscored)

    @classmethod
    def from_precision(
        cls, points: OperatingPoints, units: SquaredMasses | None, stop: int
    ) -> Self:
        """Return what the samples say about the precision at each of the first points."""
        found = points.cum_positives[:stop]
        wrong = np.maximum(points.cum_total[:stop] - found, 0)
        if units is None:
            return cls(found, wrong)
        found, wrong = found / units.scale, wrong / units.scale
        return cls._from_squares(found, wrong, *units.sum_for_precision(stop), units.heavier)

    @classmethod
    def _from_clusters(
        cls, found: Array, missed: Array, of_found: Array, of_missed: Array, clusters: Array
    ) -> Self:
        """Return evidence in as many units as samples that don't depend on each other would say as
        much about the recall as these clusters do (Rao and Scott 1992).

        The variance between clusters says how much their positives depend on each other. It is an
        estimate that is too low if the sample happens to lack large clusters that are missed. So
        all positives of a cluster are taken to be alike in part, and the more, the larger the
        largest cluster is. They are also taken to be at least as alike as those missed seem to be.
        """
        total, of_all = found[-1] + missed[-1], clusters @ clusters + of_missed[-1]
        share = found / total
        together = np.maximum(of_all - of_found - of_missed, 0) / 2  # found times missed
        between = (
            (1 - share) ** 2 * of_found - 2 * share * (1 - share) * together + share**2 * of_missed
        )
        least = np.minimum(1.0, total / of_all)
        with np.errstate(invalid="ignore", divide="ignore"):
            unbiased = np.divide(clusters.size, clusters.size - 1)  # infinite for one cluster
            alike = between / (share * (1 - share) * of_all) * unbiased
            if_missed = of_missed / missed * (found / of_found)
        alike = np.where(np.isfinite(alike), alike, 1.0)
        guard = np.sqrt(clusters.max() / total)
        alike = np.maximum(guard + (1 - guard) * alike, np.nan_to_num(if_missed))
        size = of_all / total * np.clip(alike, least, 1.0)
        return cls(found, missed, size, size)

    @classmethod
    def _from_squares(
        cls, found: Array, other: Array, of_found: Array, of_other: Array, heavier: float = 1.0
    ) -> Self:
        """Return evidence in units of their typical sizes, from the sums of the squared masses.

        Squares of the other kind aren't smaller than those in the numerator, so that a single one
        that happens to be small isn't taken for typical.
        """
        # Squares that underflow leave no evidence.
        found_size = np.where(
            of_found > 0, compute_unit_mass(found, of_found), np.maximum(found, 1.0)
        )
        other_size = compute_unit_mass(other, of_other)
        return cls(found, other, found_size, np.maximum(other_size, found_size * heavier))

    def select(self, places: slice | list[int]) -> Self:
        """Return what the samples at these thresholds say. Sizes may be the same at all of them."""
        taken = (column if np.ndim(column) == 0 else column[places] for column in self)  # type: ignore[index]
        return type(self)(*taken)  # type: ignore[arg-type]

    @property
    def units(self) -> tuple[Array, Array]:
        """The numbers of sampling units in the numerator, and of all others in the denominator."""
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
        undecided = np.flatnonzero((excess > 0) & ~holds)
        share = np.broadcast_to(share, found.shape)[undecided]
        probability = betainc(found[undecided], other[undecided] + 1, share)
        holds[undecided] = probability <= error * (1 + SUM_TOLERANCE)
        return holds

    def count_until_failure(self, target: float, error: float) -> int:
        """Count the first places at which the fraction holds."""
        for block in split_into_blocks(self.found.size):
            holds = self.select(block).holds(target, error)
            if not holds.all():
                return int(block.start + np.argmin(holds))
        return self.found.size

    def limits(self, error: float) -> tuple[Array, Array]:
        """Compute the ends of the exact binomial interval, each exceeded with this probability."""
        found, other = self.units
        ratio = np.asarray(self.found_size / self.other_size)
        with np.errstate(invalid="ignore"):
            low = np.where(found > 0, betaincinv(found, other + 1, error), 0.0)
            high = np.where(other > 0, betaincinv(found + 1, other, 1 - error), 1.0)
        return low * ratio / (low * ratio + 1 - low), high * ratio / (high * ratio + 1 - high)


def count_rows_at_starts(target: float, error: float, heavier: float) -> list[int]:
    """Return how many rows are flagged at least where the tests of a precision start."""
    if not 0 < target < 1:
        return []
    odds = target * heavier / (1 - target)
    if not np.isfinite(odds):
        return []
    first = ceil(log(error / _N_STARTS) / -np.log1p(1 / odds) - 1e-9)
    return [first * 2**i for i in range(_N_STARTS)]


def find_precise_points(
    points: OperatingPoints,
    units: SquaredMasses | None,
    cum_rows: Array,
    target: float,
    error: float,
) -> Array:
    """Return which thresholds keep this precision, all of shape (n_thresholds,).

    They are tested from a start downwards until the first one fails. The starts are fixed in
    advance, and share the error. Where the tests reach the next start, they hand their part of the
    error on to it (Wiens 2003). The lowest start can't pass where the precision is below the
    target.
    """
    if not target:
        return np.ones(cum_rows.size, dtype=bool)
    heavier = 1.0 if units is None else units.heavier
    starts = np.searchsorted(cum_rows, count_rows_at_starts(target, error, heavier))
    # Several starts may be at the same threshold, which then has their part of the error.
    starts, n_starts = np.unique(starts[starts < cum_rows.size], return_counts=True)
    is_kept = np.zeros(cum_rows.size, dtype=bool)
    if not starts.size:
        return is_kept
    fails = np.append(points.precision[starts[-1] :] < target / (1 + SUM_TOLERANCE), True)
    stop = int(starts[-1] + np.argmax(fails))
    evidence = BinomialEvidence.from_precision(points, units, stop)
    error /= _N_STARTS
    handed_on = 0.0
    for (start, end), n_at_start in zip(pairwise([*starts.tolist(), stop]), n_starts, strict=True):
        error_from_start = error * n_at_start + handed_on
        n_passed = evidence.select(slice(start, end)).count_until_failure(target, error_from_start)
        is_kept[start : start + n_passed] = True
        handed_on = error_from_start if n_passed == end - start else 0.0
    return is_kept
