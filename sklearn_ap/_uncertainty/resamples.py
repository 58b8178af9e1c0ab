"""Resamples of sampling units, for values that don't follow from influences of samples.

Units are ordered by what their rows hold, so that neither the order of rows nor the names of
clusters decide which units a resample has. Two models that are compared have the same resamples.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from .._core import Array, Points, Rankings, Rule, SortedSamples, make_points_from_counts
from ..exceptions import NoIntervalError
from .units import SampledModel, SampledRankings, check_units

N_RESAMPLES = 499
_MAX_BLOCKS = 1024  # More units than these are put into random blocks, which are drawn.
_MAX_POINTS = 512  # More points than these are merged.
_MERGED_WIDTH = 0.03  # a merged point, as a fraction of the points down to there
_MAX_SUMMED = 8192  # No more samples than these are added up one by one in resamples.
_SUM_COST = 12  # A sum costs as much as 12 products in a product of matrices.
_FEW_CELLS = 8
_N_RANDOM = 2**16
_MAX_FLOAT32 = 2**23  # half of the integers that float32 has, since some resamples have more

Masses = Sequence[Array | None]  # one or more masses of each sample; None if all are 1


def compute_deviations_of_resamples(values: Array) -> Array:
    """Return (v - mean) / sqrt(n - 1) of n resamples, whose squares add up to their variance."""
    defined = values[~np.isnan(values)]
    if defined.size < 2:
        raise NoIntervalError("Fewer than two resamples have positives.")
    deviations = np.nan_to_num(values - defined.mean())
    return np.asarray(deviations / np.sqrt(defined.size - 1))


# --- which units are drawn ------------------------------------------------------------------------


class Content(NamedTuple):
    """What the samples hold, in the order in which a model ranks them."""

    order: Array  # the index of each sample
    labels: Array
    is_new: Array  # whether a sample has another label or score than the one before
    ends: Array  # the first sample of each ranking, and the end of all

    @classmethod
    def from_samples(cls, samples: SortedSamples) -> Self:
        is_new = samples.is_first[:-1].copy()
        is_new[1:] |= samples.is_hit[1:] != samples.is_hit[:-1]
        return cls(samples.order, samples.is_hit, is_new, samples.offsets)

    @classmethod
    def from_rankings(cls, rankings: Rankings) -> Self:
        """Sort samples whose labels may be grades, and whose scores may be more than an order, in
        whatever ranking they are.
        """
        order = np.lexsort((rankings.labels, rankings.scores))[::-1]
        labels, scores = rankings.labels[order], rankings.scores[order]
        is_new = np.ones(order.size, dtype=bool)
        is_new[1:] = (labels[1:] != labels[:-1]) | (scores[1:] != scores[:-1])
        return cls(order, labels, is_new, np.array([0, order.size]))

    @property
    def places(self) -> Array:
        """The place of each sample in its ranking, the same for samples that hold the same. It
        also depends on the label, because other rankings may not have that label there.
        """
        in_order = np.cumsum(self.is_new)
        in_order -= np.repeat(np.append(in_order, 0)[self.ends[:-1]], np.diff(self.ends))
        labels, label = np.unique(self.labels, return_inverse=True)
        in_order = in_order * labels.size + label
        place = np.empty_like(in_order)
        place[self.order] = in_order
        return place

    def list_rankings(self) -> list[tuple[bytes, bytes]]:
        """Return the labels and ties of each ranking, in an order that no name decides."""
        parts = [slice(*ends) for ends in pairwise(self.ends)]
        return sorted((self.labels[part].tobytes(), self.is_new[part].tobytes()) for part in parts)


def order_units(
    models: Sequence[Content], unit: Array, weight: Array | None, ranking: Array | None
) -> Array:
    """Return the numbers of the sampling units in the order in which their first rows are ranked.

    The order is that of one of the models, whichever of them comes first in the call. Rows that
    hold the same there are put in order by the other model, by weights, and by the rest of their
    ranking and of their unit.
    """
    first, *others = sort_models(models, weight)
    n, n_units = unit.size, int(unit.max()) + 1
    order = first.order
    wholes = [] if ranking is None else [ranking]
    if n > n_units:
        wholes.append(unit)
    is_decided = first.is_new.all() and first.ends.size == 2  # one ranking without ties
    if not is_decided and (others or weight is not None or wholes):
        keys = [other.places for other in others]
        if weight is not None:
            keys.append(np.unique(weight, return_inverse=True)[1])
        order = order_alike(first.places, keys, wholes)
    ordered = unit[order]
    if n == n_units:
        return ordered
    first_place = np.empty(n_units, np.int64)
    first_place[ordered[::-1]] = np.arange(n)[::-1]  # The last assignment to a unit counts.
    return ordered[np.sort(first_place)]


def order_shared_units(models: Sequence[SampledModel], contents: Sequence[Content]) -> Array:
    """Return the numbers of the sampling units of models that rank other rows of them, in an order
    that depends on nothing but what these hold, whichever of the models comes first in the call.
    """
    # Units that hold the same have the same sum of random integers.
    random = np.random.default_rng(0).integers(2**31, size=_N_RANDOM)
    n_units = models[0].units.n_units
    sums = np.zeros(n_units)
    for (_, rankings, units, *_), content in zip(models, contents, strict=True):
        ranking, place = rankings.code_of_samples, content.places
        of_ranking = np.bincount(ranking, random[place % _N_RANDOM], rankings.n_rankings)
        of_ranking = of_ranking.astype(np.int64)
        place = place + of_ranking[ranking]
        missed_unit, missed_ranking = units.number_missed(rankings)
        missed_place = of_ranking[missed_ranking] - 1  # above all scores
        sums += np.bincount(units.number_samples(rankings), random[place % _N_RANDOM], n_units)
        sums += np.bincount(missed_unit, random[missed_place % _N_RANDOM], n_units)
    return np.argsort(sums, kind="stable")


def order_alike(place: Array, keys: Sequence[Array], wholes: Sequence[Array]) -> Array:
    """Return the order of samples by place, then by keys, and then by what the wholes hold of which
    they are parts: rankings and units.
    """
    for key in keys:
        place, order = refine_places(place, key)
    # Wholes that hold the same have the same sum of random integers.
    random = np.random.default_rng(0).integers(2**31, size=max(place.size, int(place.max())) + 1)
    for _ in wholes:  # Of two kinds, each knows more of the other the second time.
        for whole in wholes:
            sums = np.bincount(whole, random[place])
            place, order = refine_places(place, np.unique(sums, return_inverse=True)[1][whole])
    return order


def sort_models(models: Sequence[Content], weight: Array | None) -> list[Content]:
    """Sort one or two models by what their samples hold, whatever the call names first."""
    if len(models) == 1:
        return [*models]
    first, second = models[0].list_rankings(), models[1].list_rankings()
    if first != second:
        return [*models] if first < second else [*models[::-1]]
    a, b = models[0].places, models[1].places
    n = max(a.max(), b.max()) + 1
    pairs = [a * n + b, b * n + a]
    keys = [np.sort(pair).tobytes() for pair in pairs]
    if keys[0] == keys[1] and weight is not None:
        keys = [weight[np.lexsort((weight, pair))].tobytes() for pair in pairs]
    return [*models] if keys[0] <= keys[1] else [*models[::-1]]


def refine_places(place: Array, key: Array) -> tuple[Array, Array]:
    """Return the place of each sample by its place and then by a key, and the order."""
    both = place * (key.max() + 1) + key
    order = np.argsort(both)
    again = np.empty_like(place)
    again[order] = np.cumsum(np.diff(both[order], prepend=-1) != 0)
    return again, order


@lru_cache(maxsize=1)
def draw_blocks(n_units: int) -> tuple[Array, Array]:
    """Return the blocks of units in order, and how often each block is in each resample, of shape
    (n_resamples, n_blocks): the same ones for all models of a call.
    """
    rng = np.random.default_rng(0)
    n_blocks = min(n_units, _MAX_BLOCKS)
    block = rng.integers(0, n_blocks, n_units) if n_units > n_blocks else np.arange(n_units)
    block = block.astype(np.int16)  # It is kept in memory.
    drawn = rng.integers(0, n_blocks, (N_RESAMPLES, n_blocks))
    drawn += n_blocks * np.arange(N_RESAMPLES)[:, np.newaxis]
    times = np.bincount(drawn.ravel(), minlength=drawn.size)
    return block, times.reshape(drawn.shape).astype(np.float32)


def find_blocks(ordered: Array, unit: Array) -> tuple[Array, Array]:
    """Return the block of each sample, and how often each block is in each resample."""
    block_in_order, times = draw_blocks(ordered.size)
    block = np.empty_like(block_in_order)
    block[ordered] = block_in_order
    return block[unit], times


# --- values of resamples --------------------------------------------------------------------------


class Resampling:
    """Resamples of the sampling units of rankings.

    Many units are drawn in random blocks, which leaves the variance of sums as it is. Samples are
    sorted once. Then only their counts change. `ordered` is what `order_units` returns.
    """

    def __init__(self, sampled: SampledRankings, ordered: Array) -> None:
        self.sampled = sampled
        check_units(sampled.n_units + int(sampled.n_unscored_units.sum()))
        self.block, self.times = find_blocks(ordered, sampled.unit)
        self.n_blocks = self.times.shape[1]
        rng = np.random.default_rng(1)
        unscored = rng.poisson(sampled.n_unscored, (N_RESAMPLES, sampled.n_rankings))
        self.unscored_mass = (unscored * sampled.unscored_weight).ravel()
        if sampled.missed_unit.size:
            missed_block, _ = find_blocks(ordered, sampled.missed_unit)
            (self.unscored_mass,) = self._sum_cells(
                missed_block, sampled.missed_ranking, sampled.n_rankings, [None]
            )

    def evaluate_resamples(self) -> Array:
        """Return the mean value of each resample, nan of a single ranking without positives."""
        sampled, n = self.sampled, self.sampled.n_rankings
        points = self._make_resampled_points()
        n_positives = points.n_positives + self.unscored_mass
        values = sampled.rule.values(points._replace(n_positives=n_positives))
        # The value of a class or group without positives is a convention, so it doesn't vary.
        fixed = np.full(1, np.nan) if n == 1 else sampled.values
        values = np.where(n_positives > 0, values, np.tile(fixed, N_RESAMPLES))
        values, R = values.reshape(N_RESAMPLES, n), n_positives.reshape(N_RESAMPLES, n)
        if sampled.rankings.average != "weighted":
            return np.asarray(values @ sampled.fractions)
        return np.asarray(np.sum(values * R, axis=1) / np.maximum(R.sum(axis=1), 1e-300))

    def _make_resampled_points(self) -> Points:
        """Return the points of all resamples, whose rankings are held end to end."""
        rule, samples = self.sampled.rule, self.sampled.samples
        of_all = None
        if rule.k is not None:
            of_all = self._count_rankings()
            samples = self._take_reachable(of_all)
        points = self._count_cells(samples.order, samples.is_hit, *number_cells(samples, rule))
        kept = np.flatnonzero(points.tied if rule.needs_every_point else points.hits)
        points = points.take(kept)
        if of_all is None:
            return points
        # R and N also count the samples that no cutoff reaches.
        n_positives, mass, n_rows = of_all.n_positives, of_all.mass, of_all.n_rows
        return points._replace(n_positives=n_positives, mass=mass, n_rows=n_rows)

    def _count_rankings(self) -> Points:
        """Return one point for each ranking of all resamples, with all of its samples."""
        sampled = self.sampled
        offsets = np.arange(sampled.n_rankings + 1)
        return self._count_cells(slice(None), sampled.is_positive, sampled.ranking, offsets)

    def _take_reachable(self, of_all: Points) -> SortedSamples:
        """Return the samples that a cutoff reaches in any resample, or all if it may be most of
        them.
        """
        rule, samples = self.sampled.rule, self.sampled.samples
        cutoffs, counts_rows = rule.compute_cutoffs(of_all), rule.k_counts == "samples"
        sizes, n_rankings = np.diff(samples.offsets), self.sampled.n_rankings
        share = cutoffs / np.maximum(of_all.n_rows if counts_rows else of_all.mass, 1e-300)
        n_top = 100 + 1.25 * sizes * share.reshape(-1, n_rankings).max(axis=0)
        while (n_top < sizes / 2).all():
            top = samples.take_top(n_top.astype(np.int64))
            ranking = np.repeat(np.arange(n_rankings), np.diff(top.offsets))
            counted = self._count_cells(top.order, top.is_hit, ranking, np.arange(n_rankings + 1))
            is_short = (counted.n_rows if counts_rows else counted.mass) < cutoffs
            if not is_short.any():
                return top
            n_top *= 1 + is_short.reshape(-1, n_rankings).any(axis=0)
        return samples

    def _count_cells(
        self, rows: Array | slice, is_hit: Array, cell: Array, offsets: Array
    ) -> Points:
        """Return a point for each cell of these rows, in all resamples."""
        n_cells, block = int(offsets[-1]), self.block[rows]
        masses, is_whole = [is_hit, None], True
        if self.sampled.weight is not None:
            weight = self.sampled.weight[rows]
            masses, is_whole = [weight * is_hit, weight, None], weight.dtype.kind == "i"
        hits, total, *counts = self._sum_cells(block, cell, n_cells, masses)
        n_rows = counts[0] if counts else None
        offsets = offsets[:-1] + n_cells * np.arange(N_RESAMPLES)[:, np.newaxis]
        offsets = np.append(offsets, n_cells * N_RESAMPLES)
        return make_points_from_counts(hits, total, n_rows, is_whole, offsets)

    def _sum_cells(self, block: Array, cell: Array, n_cells: int, masses: Masses) -> list[Array]:
        """Sum up each mass in each cell of all resamples, flat from (n_resamples, n_cells)."""
        size = self.n_blocks * n_cells
        if _SUM_COST * block.size < size and block.size <= _MAX_SUMMED:
            starts = np.searchsorted(cell, np.arange(n_cells))
            is_sorted = (cell[1:] >= cell[:-1]).all()
            if is_sorted and (np.diff(starts, append=block.size) > 0).all():  # none is empty
                return self._sum_runs(block, starts, masses)
        # The threads of BLAS cost more than they save with a few cells.
        multiply = np.matmul if n_cells > _FEW_CELLS else partial(np.einsum, "ij,jk->ik")
        key, sums = np.multiply(block, n_cells, dtype=np.int64) + cell, []
        for mass in masses:
            of_blocks = np.bincount(key, mass, size).reshape(self.n_blocks, n_cells)
            is_whole = mass is None or mass.dtype.kind != "f"
            is_small = (block.size if mass is None else mass.sum()) < _MAX_FLOAT32
            of_blocks = of_blocks.astype(np.float32 if is_whole and is_small else np.float64)
            drawn = multiply(self.times, of_blocks).ravel()
            sums.append(drawn.astype(np.int64) if is_whole else drawn)
        return sums

    def _sum_runs(self, block: Array, starts: Array, masses: Masses) -> list[Array]:
        """Sum up each mass from the start of each cell to the next, faster for few samples."""
        times, sums = self.times[:, block], []  # times: (n_resamples, n_samples)
        for mass in masses:
            of_samples = times if mass is None else times * mass
            is_whole = mass is None or mass.dtype.kind != "f"
            drawn = np.add.reduceat(of_samples, starts, axis=1).ravel()
            sums.append(drawn.astype(np.int64) if is_whole else drawn)
        return sums


def number_cells(samples: SortedSamples, rule: Rule) -> tuple[Array, Array]:
    """Return the cell of each sample in order, and where the cells of each ranking begin.

    Each point with positives is a cell, as are the samples between two of them. If there are many,
    they are merged, the more the lower they are, which hardly changes how much a value varies.
    """
    has_hits = np.zeros(samples.score_starts.size, np.int64)
    has_hits[samples.scores_with_hits] = 1
    point = np.cumsum(has_hits)  # the last point with positives at each distinct score or above
    n_rankings, n_points = samples.offsets.size - 1, int(has_hits.sum())
    n_scores = np.diff(samples.score_offsets)
    # Points are counted anew in each ranking.
    point -= np.repeat(np.append(0, point)[samples.score_offsets[:-1]], n_scores)
    # 2i - 1 for the point i with positives, and 2i for the scores below it
    cell = 2 * point - has_hits
    if n_points > max(_MAX_POINTS, 64 * n_rankings) and rule.ties == "grouped":
        n_fine = int(1 / _MERGED_WIDTH)
        # A merged cell ends with positives, so that its precision is that of a point.
        below = np.log(np.maximum(point - has_hits, n_fine) / n_fine) / np.log1p(_MERGED_WIDTH)
        cell = np.where(point <= n_fine, cell, 2 * n_fine + 1 + below.astype(np.int64))
    # A ranking ends with samples below all its positives, which aren't those above the next ones.
    n_numbers = int(cell.max(initial=0)) + 1
    cell += n_numbers * np.repeat(np.arange(n_rankings), n_scores)
    is_new = np.diff(cell, prepend=-1) != 0
    offsets = np.searchsorted(cell[is_new], n_numbers * np.arange(n_rankings + 1))
    return np.repeat(np.cumsum(is_new) - 1, samples.n_tied), offsets
