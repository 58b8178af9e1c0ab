"""Resamples of sampling units, for values that don't follow from influences of samples.

Units are numbered as their rows are ranked, so that the order of rows only decides among those that
hold the same. Two models that are compared have the same resamples.
"""

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np

from .._core import Array, PerSample, Points, Rule, SortedSamples, make_points_from_counts
from ..exceptions import NoIntervalError
from .textbook import PerResample, PerUnit
from .units import SampledModel, SampledRankings, check_units, place_rankings

N_RESAMPLES = 499
_MAX_BLOCKS = 1024  # More units than these are put into random blocks, which are drawn.
_MAX_POINTS = 512  # More points than these are merged.
_MERGED_WIDTH = 0.03  # a merged point, as a fraction of the points down to there
_MAX_DIVISIONS = 2  # of merged points that decide a value
_FINE = 128  # points in a cell that needn't be divided again
_FEW_CELLS = 8
_N_AT_ONCE = 50  # rankings that are evaluated together, so that memory suffices
_MAX_FLOAT32 = 2**23  # half of the integers that float32 has, since some resamples have more

Masses = Sequence[PerSample | None]  # one or more masses of each sample; None if all are 1


def compute_deviations_of_resamples(values: PerResample) -> PerResample:
    """Return (v - mean) / sqrt(n - 1) of n resamples, whose squares add up to their variance."""
    defined = values[~np.isnan(values)]
    if defined.size < 2:
        raise NoIntervalError("Fewer than two resamples have positives.")
    deviations = np.nan_to_num(values - defined.mean())
    return np.asarray(deviations / np.sqrt(defined.size - 1))


# --- which units are drawn ------------------------------------------------------------------------


def order_units(
    models: Sequence[SampledModel], sorted_samples: Sequence[SortedSamples] = ()
) -> PerUnit:
    """Return the numbers of the sampling units in the order in which their rows are ranked by one
    of the models, and then by the other. What the models rank decides which one is the first.

    Samples that were sorted before are used if they can only be in one order.
    """
    orders = [each.order for each in sorted_samples]
    if not orders or any(each.has_ties or each.offsets.size > 2 for each in sorted_samples):
        orders = [sort_rows(each, models) for each in models]
    contents = []
    for (_, rankings, units, *_), order in zip(models, orders, strict=True):
        columns = rankings.labels, rankings.weight
        content = [column[order].tobytes() for column in columns if column is not None]
        contents.append((content, units.find_units(rankings)[order]))
    unit_orders = [unit for _, unit in sorted(contents, key=lambda pair: pair[0])]
    n_units = models[0].units.n_units
    if unit_orders[0].size == n_units and models[0].units.cluster_codes is None:
        return unit_orders[0]
    unit_orders += map(sort_missed, models)
    in_order = np.concatenate(unit_orders)
    first_place = np.full(n_units, in_order.size)
    first_place[in_order[::-1]] = np.arange(in_order.size)[::-1]  # The last assignment counts.
    return np.argsort(first_place, kind="stable")


def sort_rows(model: SampledModel, models: Sequence[SampledModel]) -> PerSample:
    """Sort the samples of a model by its scores, in whatever ranking they are. Equal scores are put
    in order by labels, weights and the scores of the other model, those of clusters, and of rows
    with several, then by what else these hold, and at last as they are passed.
    """
    rankings = model.rankings
    others = [each.rankings for each in models if each is not model]
    keys = [each.scores for each in others if each.scores.shape == rankings.scores.shape]
    if rankings.weight is not None:
        keys.append(rankings.weight)
    if rankings.n_rankings > 1:
        keys.append(place_rankings(rankings)[rankings.code_of_samples])
    keys += [rankings.labels, rankings.scores]
    order = np.lexsort(keys)
    if order.size == model.units.n_units:  # Each unit is a sample.
        return order[::-1]
    columns = [key[order] for key in keys]
    is_new = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    place = np.zeros(order.size)
    place[order[1:]] = np.cumsum(is_new)  # Samples that hold the same have the same place.
    cluster = model.units.find_units(rankings)
    contents = [np.bincount(cluster, of_each)[cluster] for of_each in (None, place, place**2)]
    return np.lexsort([*contents, place])[::-1]


def sort_missed(model: SampledModel) -> PerUnit:
    """Sort the units of positives without a score by how many each has, and in which rankings."""
    unit, ranking = model.units.find_missed_units(model.rankings)
    place = place_rankings(model.rankings)[ranking]
    contents = [np.bincount(unit, of_each)[unit] for of_each in (None, place, place**2)]
    return unit[np.lexsort(contents)]


@lru_cache(maxsize=1)
def draw_blocks(n_units: int) -> tuple[PerUnit, Array]:
    """Return the blocks of units in order, and how often each block is in each resample, of shape
    (n_resamples, n_blocks): the same ones for all models of a call.
    """
    rng = np.random.default_rng(0)
    n_blocks = min(n_units, _MAX_BLOCKS)
    block = rng.integers(0, n_blocks, n_units) if n_units > n_blocks else np.arange(n_units)
    block = block.astype(np.int16)  # It is kept in memory.
    draws = rng.integers(0, n_blocks, (N_RESAMPLES, n_blocks))
    draws += n_blocks * np.arange(N_RESAMPLES)[:, np.newaxis]
    times = np.bincount(draws.ravel(), minlength=draws.size)
    return block, times.reshape(draws.shape).astype(np.float32)


def find_blocks(ordered: PerUnit, unit: PerSample) -> tuple[PerSample, Array]:
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

    def __init__(self, sampled: SampledRankings, ordered: PerUnit) -> None:
        self.sampled = sampled
        check_units(sampled.n_units)
        # Positives that are units of their own come last.
        ordered = np.append(ordered, np.arange(ordered.size, sampled.n_units))
        self.block, self.times = find_blocks(ordered, sampled.unit)
        self.n_blocks = self.times.shape[1]
        missed_block, _ = find_blocks(ordered, sampled.missed_unit)
        masses = [None if sampled.weight is None else sampled.missed_mass]
        (self.missed_mass,) = self._sum_cells(
            missed_block, sampled.missed_ranking, sampled.n_rankings, masses
        )

    def evaluate_resamples(self) -> PerResample:
        """Return the mean value of each resample, nan of a single ranking without positives."""
        sampled = self.sampled
        starts = range(0, sampled.n_rankings, _N_AT_ONCE)
        parts = [self._evaluate_rankings(slice(start, start + _N_AT_ONCE)) for start in starts]
        values, R = (np.hstack(each) for each in zip(*parts, strict=True))
        # The value of a class or group without positives is a convention, so it doesn't vary.
        fixed = np.full(1, np.nan) if sampled.n_rankings == 1 else sampled.values
        values = np.where(R > 0, values, fixed)
        if sampled.rankings.average != "weighted":
            return np.asarray(values @ sampled.fractions)
        return np.asarray(np.sum(values * R, axis=1) / np.maximum(R.sum(axis=1), 1e-300))

    def _evaluate_rankings(self, rankings: slice) -> tuple[Array, Array]:
        """Return the values and R of some rankings, of shape (n_resamples, n_rankings)."""
        points = self._make_resampled_points(self.sampled.samples.take_rankings(rankings))
        missed = self.missed_mass.reshape(N_RESAMPLES, -1)[:, rankings]
        points = points._replace(n_positives=points.n_positives + missed.ravel())
        values = self.sampled.rule.values(points)
        return values.reshape(missed.shape), points.n_positives.reshape(missed.shape)

    def _make_resampled_points(self, samples: SortedSamples) -> Points:
        """Return the points of samples in all resamples, whose rankings are held end to end."""
        rule, of_all = self.sampled.rule, None
        if rule.k is not None:
            of_all = self._count_rankings(samples)
            samples = self._take_reachable(samples, of_all)
        points = self._count_points(samples)
        index = np.flatnonzero(points.tied if rule.needs_every_point else points.hits)
        points = points.take(index)
        if of_all is None:
            return points
        # R and N also count the samples that no cutoff reaches.
        n_positives, mass, n_rows = of_all.n_positives, of_all.mass, of_all.n_rows
        return points._replace(n_positives=n_positives, mass=mass, n_rows=n_rows)

    def _count_points(self, samples: SortedSamples) -> Points:
        """Return the points of samples in all resamples, the merged ones as fine as they have to be
        where they decide the value of a resample.
        """
        rule, cells = self.sampled.rule, Cells(samples, self.sampled.rule)
        points = self._count_cells(samples.order, samples.is_hit, *cells.number_samples())
        if rule.varies_by != "points":  # A cutoff takes its share of a merged point.
            return points
        for _ in range(_MAX_DIVISIONS * cells.are_merged):
            index, is_deciding = np.flatnonzero(points.hits), np.zeros(points.hits.size, dtype=bool)
            is_deciding[index] = rule.find_deciding(points.take(index))
            decides_in_any = np.any(is_deciding.reshape(N_RESAMPLES, -1), axis=0)
            n_together = cells.divide(np.asarray(decides_in_any))
            points = self._count_cells(samples.order, samples.is_hit, *cells.number_samples())
            if n_together <= _FINE:
                break
        return points

    def _count_rankings(self, samples: SortedSamples) -> Points:
        """Return one point for each ranking of all resamples, with all of these samples."""
        n_rankings = samples.offsets.size - 1
        ranking = np.repeat(np.arange(n_rankings), np.diff(samples.offsets))
        offsets = np.arange(n_rankings + 1)
        return self._count_cells(samples.order, samples.is_hit, ranking, offsets)

    def _take_reachable(self, samples: SortedSamples, of_all: Points) -> SortedSamples:
        """Return the samples that a cutoff reaches in any resample, or all if it may be most of
        them.
        """
        rule = self.sampled.rule
        cutoffs, counts_rows = rule.compute_cutoffs(of_all), rule.k_counts == "samples"
        sizes, n_rankings = np.diff(samples.offsets), samples.offsets.size - 1
        share = cutoffs / np.maximum(of_all.n_rows if counts_rows else of_all.mass, 1e-300)
        n_top = 100 + 1.25 * sizes * share.reshape(-1, n_rankings).max(axis=0)
        while (n_top < sizes / 2).all():
            top = samples.take_top(n_top.astype(np.int64))
            of_top = self._count_rankings(top)
            is_short = (of_top.n_rows if counts_rows else of_top.mass) < cutoffs
            if not is_short.any():
                return top
            n_top *= 1 + is_short.reshape(-1, n_rankings).any(axis=0)
        return samples

    def _count_cells(
        self, rows: PerSample, is_hit: PerSample, cell: PerSample, offsets: Array
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

    def _sum_cells(
        self, block: PerSample, cell: PerSample, n_cells: int, masses: Masses
    ) -> list[Array]:
        """Sum up each mass in each cell of all resamples, flat from (n_resamples, n_cells)."""
        size = self.n_blocks * n_cells
        # The threads of BLAS cost more than they save with a few cells.
        multiply = np.matmul if n_cells > _FEW_CELLS else partial(np.einsum, "ij,jk->ik")
        key, sums = np.multiply(block, n_cells, dtype=np.int64) + cell, []
        for mass in masses:
            of_blocks = np.bincount(key, mass, size).reshape(self.n_blocks, n_cells)
            is_whole = mass is None or mass.dtype.kind != "f"
            is_small = (block.size if mass is None else mass.sum()) < _MAX_FLOAT32
            of_blocks = of_blocks.astype(np.float32 if is_whole and is_small else np.float64)
            totals = multiply(self.times, of_blocks).ravel()
            sums.append(totals.astype(np.int64) if is_whole else totals)
        return sums


class Cells:
    """Runs of samples in order that are counted together, and that never reach into two rankings.

    Each point with positives is a cell, as are the samples between two of them. If there are many,
    they are merged, the more the lower they are. This hardly changes how much a value varies that
    is a sum over points, but one that jumps from point to point needs `divide`.
    """

    def __init__(self, samples: SortedSamples, rule: Rule) -> None:
        self.samples = samples
        has_hits = np.zeros(samples.score_starts.size, np.int64)
        has_hits[samples.scores_with_hits] = 1
        point = np.cumsum(has_hits)  # the last point with positives at each score or above
        n_rankings, self.n_points = samples.offsets.size - 1, int(has_hits.sum())
        n_scores = np.diff(samples.score_offsets)
        # Points are counted anew in each ranking.
        point -= np.repeat(np.append(0, point)[samples.score_offsets[:-1]], n_scores)
        self.n_above = point - has_hits  # points above each score
        # 2i - 1 for the point i with positives, and 2i for the scores below it
        cell = 2 * point - has_hits
        self.most = max(_MAX_POINTS, 64 * n_rankings)
        self.are_merged = self.n_points > self.most and rule.ties == "grouped"
        if self.are_merged:
            n_fine = int(1 / _MERGED_WIDTH)
            # A merged cell ends with positives, so that its precision is that of a point.
            below = np.log(np.maximum(self.n_above, n_fine) / n_fine) / np.log1p(_MERGED_WIDTH)
            cell = np.where(point <= n_fine, cell, 2 * n_fine + 1 + below.astype(np.int64))
        # whether a cell begins at each score, as at the first one of each ranking
        self.is_first = np.diff(cell, prepend=-1) != 0
        self.is_first[samples.score_offsets[:-1][n_scores > 0]] = True

    def number_samples(self) -> tuple[PerSample, Array]:
        """Return the cell of each sample in order, and where the cells of each ranking begin."""
        n_cells = np.cumsum(self.is_first)
        offsets = np.append(0, n_cells)[self.samples.score_offsets]
        return np.repeat(n_cells - 1, self.samples.n_tied), offsets

    def divide(self, is_deciding: Array) -> int:
        """Divide the cells that decide a value, and merge those between them. Return how many
        points are still together in one that decides.
        """
        cell = np.cumsum(self.is_first) - 1
        scores = np.flatnonzero(is_deciding[cell])
        n_above = self.n_above[scores]
        n_together = 1 + int(np.count_nonzero(np.diff(n_above))) // (self.most // 2)
        starts = self.samples.score_offsets[:-1]
        is_kept = is_deciding | np.append(True, is_deciding[:-1])
        is_kept[cell[starts[starts < cell.size]]] = True
        self.is_first &= is_kept[cell]
        part = n_above // n_together
        self.is_first[scores[1:]] |= part[1:] != part[:-1]
        return n_together
