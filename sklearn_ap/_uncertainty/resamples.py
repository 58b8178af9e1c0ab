"""Resamples of sampling units, for values that don't follow from influences of samples.

Units are numbered as their best rows are ranked, so that the order of rows only decides among units
that hold the same. Two models that are compared have the same resamples.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._core import Array, PerSample, Points, Rule, SortedSamples, make_points_from_counts
from ..exceptions import NoIntervalError
from .textbook import PerResample, PerUnit
from .units import SampledRankings, check_units

N_RESAMPLES = 499
_MAX_BLOCKS = 1024  # More units than these are put into random blocks, which are drawn.
_MAX_POINTS = 512  # More points than these are merged.
_MERGED_WIDTH = 0.03  # a merged point, as a fraction of the points down to there
_MAX_DIVISIONS = 2  # of merged points that decide a value
_N_TRIED = 64  # resamples that show which ones these are
_FINE = 128  # points in a cell that needn't be divided again
_N_AT_ONCE = 50  # rankings that are evaluated together, so that memory suffices
_MAX_FLOAT32 = 2**23  # half of the integers that float32 has, since some resamples have more


def compute_deviations_of_resamples(values: PerResample) -> PerResample:
    """Return (v - mean) / sqrt(n - 1) of n resamples, whose squares add up to their variance."""
    defined = values[~np.isnan(values)]
    if defined.size < 2:
        raise NoIntervalError("Fewer than two resamples have positives.")
    deviations = np.nan_to_num(values - defined.mean())
    return np.asarray(deviations / np.sqrt(defined.size - 1))


# --- which units are drawn ------------------------------------------------------------------------


class Contents(NamedTuple):
    """What the sampling units of a model hold: samples, and then positives without a score."""

    n_units: int
    samples: SortedSamples
    labels: PerSample
    weight: PerSample | None
    unit: PerSample
    ranking: PerSample
    n_rankings: int


def read_contents(sampled: SampledRankings) -> Contents:
    unit = np.append(sampled.unit, sampled.missed.unit)
    ranking = np.append(sampled.ranking, sampled.missed.ranking)
    columns = sampled.is_positive, sampled.weight, unit, ranking
    return Contents(sampled.n_units, sampled.samples, *columns, sampled.n_rankings)


def order_units(models: Sequence[Contents]) -> PerUnit:
    """Return the numbers of the sampling units in the order in which one of the models ranks the
    best sample of each.

    The order depends on what units hold, and not on the order of rows, models and classes, or on
    names. So the first model is the one whose ranking of labels comes first. Where this or the
    places of best samples are equal, hashes of all that units hold decide.
    """
    places = []
    for model in models:
        place = place_samples(model.samples)
        # the place of the best sample of each unit, behind all if none has a score
        places.append(np.full(model.n_units, place.size))
        np.minimum.at(places[-1], model.unit[: place.size], place)
    labels = [b"" if each.n_rankings > 1 else each.samples.is_hit.tobytes() for each in models]
    first = labels.index(min(labels))
    place = places[first]
    unit_at = np.full(place.max() + 1, -1)
    unit_at[place] = np.arange(place.size)
    ordered: PerUnit = unit_at[unit_at >= 0]
    if ordered.size == place.size and labels.count(labels[first]) == 1:
        return ordered
    hashes = np.array([hash_units(model) for model in models])
    hashes = mix(hashes + mix(hashes.sum(axis=0)))  # of what each model and all models rank
    first = min(range(len(models)), key=lambda number: (labels[number], hashes[number].sum()))
    return np.lexsort([hashes[first], places[first]])


def place_samples(samples: SortedSamples) -> PerSample:
    """Return the place of each sample in its ranking, which samples with equal scores and labels
    have in common.
    """
    is_new = samples.is_first[:-1] | np.diff(samples.is_hit, prepend=False)
    in_order = np.cumsum(is_new)
    starts = np.append(in_order, 0)[samples.offsets[:-1]]
    place = np.empty_like(in_order)
    place[samples.order] = in_order - np.repeat(starts, np.diff(samples.offsets))
    return place


def hash_units(model: Contents) -> PerUnit:
    """Return a hash of the samples that each unit has in each ranking, which has a hash itself."""
    place = place_samples(model.samples)
    sample = mix(place.astype(np.uint64) + 1)
    for column in (model.labels, model.weight):
        if column is not None:  # Ranks don't depend on the unit of weights.
            sample = mix(sample + np.unique(column, return_inverse=True)[1].astype(np.uint64))
    n_missed = model.unit.size - place.size
    sample = np.append(sample, np.ones(n_missed, np.uint64))
    of_unit = add_up(sample, model.unit, model.n_units)
    if model.n_rankings == 1:
        return of_unit
    of_ranking = add_up(mix(sample + of_unit[model.unit]), model.ranking, model.n_rankings)
    return add_up(mix(sample + of_ranking[model.ranking]), model.unit, model.n_units)


def mix(numbers: Array) -> Array:
    """Return a hash of each 64-bit number (the last step of splitmix64)."""
    numbers = (numbers ^ (numbers >> 30)) * 0xBF58476D1CE4E5B9
    numbers = (numbers ^ (numbers >> 27)) * 0x94D049BB133111EB
    mixed: Array = numbers ^ (numbers >> 31)
    return mixed


def add_up(hashes: PerSample, part: PerSample, n_parts: int) -> Array:
    """Add up the hashes in each part, modulo 2^64, which no order of samples changes."""
    sums = np.zeros(n_parts, np.uint64)
    np.add.at(sums, part, hashes)
    return sums


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


def find_blocks(ordered: PerUnit) -> tuple[PerUnit, Array]:
    """Return the block of each unit, and how often each block is in each resample."""
    block_in_order, times = draw_blocks(ordered.size)
    block = np.empty_like(block_in_order)
    block[ordered] = block_in_order
    return block, times


# --- values of resamples --------------------------------------------------------------------------


class Resampling:
    """Resamples of the sampling units of rankings.

    Many units are drawn in random blocks, which leaves the variance of sums as it is. Samples are
    sorted once. Then only their counts change. `ordered` is what `order_units` returns.
    """

    def __init__(self, sampled: SampledRankings, ordered: PerUnit) -> None:
        self.sampled = sampled
        check_units(sampled.n_units)
        block, self.times = find_blocks(ordered)
        self.block, missed = block[sampled.unit], sampled.missed
        masses = [None if sampled.weight is None else missed.mass]
        (self.missed_mass,) = sum_cells(
            self.times, block[missed.unit], missed.ranking, sampled.n_rankings, masses
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
        rule, samples = self.sampled.rule, self.sampled.samples.take_rankings(rankings)
        missed = self.missed_mass.reshape(N_RESAMPLES, -1)[:, rankings]
        of_all = None
        if rule.k is not None:
            of_all = self._count_rankings(samples)
            samples = self._take_reachable(samples, of_all)
        cells = Cells(samples, rule)
        if cells.are_merged and rule.varies_by == "points":
            self._divide_cells(cells, missed)
        points = self._count_cells(samples, *cells.number_samples(), self.times)
        of_kept = points.samples if rule.needs_every_point else points.hits
        points = points.take(np.flatnonzero(of_kept))
        if of_all is not None:  # R and N also count the samples that no cutoff reaches.
            n_positives, mass, n_rows = of_all.n_positives, of_all.mass, of_all.n_rows
            points = points._replace(n_positives=n_positives, mass=mass, n_rows=n_rows)
        R = points.n_positives + missed.ravel()
        values = rule.values(points._replace(n_positives=R))
        return values.reshape(missed.shape), R.reshape(missed.shape)

    def _divide_cells(self, cells: "Cells", missed: Array) -> None:
        """Divide the merged points that decide a value in the first resamples, and those beside
        them, which may decide it in others.
        """
        tried = self.times[:_N_TRIED]
        for _ in range(_MAX_DIVISIONS):
            points = self._count_cells(cells.samples, *cells.number_samples(), tried)
            is_deciding, has_hits = points.hits > 0, np.flatnonzero(points.hits)
            R = points.n_positives + missed[:_N_TRIED].ravel()
            points = points.take(has_hits)._replace(n_positives=R)
            is_deciding[has_hits] = self.sampled.rule.find_deciding(points)
            decides = np.asarray(is_deciding.reshape(_N_TRIED, -1).any(axis=0))
            decides[:-1] |= decides[1:]
            decides[1:] |= decides[:-1]
            if cells.divide(decides) <= _FINE:
                break

    def _count_rankings(self, samples: SortedSamples) -> Points:
        """Return one point for each ranking of all resamples, with all of these samples."""
        n_rankings = samples.offsets.size - 1
        ranking = np.repeat(np.arange(n_rankings), np.diff(samples.offsets))
        offsets = np.arange(n_rankings + 1)
        return self._count_cells(samples, ranking, offsets, self.times)

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
        self, samples: SortedSamples, cell: PerSample, offsets: Array, times: Array
    ) -> Points:
        """Return a point for each cell of these samples, in these resamples, whose rankings are
        held end to end.
        """
        rows, is_hit, n_resamples = samples.order, samples.is_hit, len(times)
        n_cells, block = int(offsets[-1]), self.block[rows]
        masses, is_whole = [is_hit, None], True
        if self.sampled.weight is not None:
            weight = self.sampled.weight[rows]
            masses, is_whole = [weight * is_hit, weight, None], weight.dtype.kind == "i"
        hits, total, *counts = sum_cells(times, block, cell, n_cells, masses)
        n_rows = counts[0] if counts else None
        offsets = offsets[:-1] + n_cells * np.arange(n_resamples)[:, np.newaxis]
        offsets = np.append(offsets, n_cells * n_resamples)
        return make_points_from_counts(hits, total, n_rows, is_whole, offsets)


def sum_cells(
    times: Array, block: PerSample, cell: PerSample, n_cells: int, masses: Sequence[Array | None]
) -> list[Array]:
    """Sum up each mass in each cell of all resamples, flat from (n_resamples, n_cells). A mass that
    is None is 1 for each sample.
    """
    if block.size < times.shape[1]:  # Most blocks have none of these samples.
        used, block = np.unique(block, return_inverse=True)
        times = times.take(used, axis=1)
    n_blocks = times.shape[1]
    key, sums = np.multiply(block, n_cells, dtype=np.int64) + cell, []
    for mass in masses:
        of_blocks = np.bincount(key, mass, n_blocks * n_cells).reshape(n_blocks, n_cells)
        is_whole = mass is None or mass.dtype.kind != "f"
        is_small = (block.size if mass is None else mass.sum()) < _MAX_FLOAT32
        of_blocks = of_blocks.astype(np.float32 if is_whole and is_small else np.float64)
        totals = (times @ of_blocks).ravel()
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
        n_together = 1 + int(np.count_nonzero(np.diff(n_above))) // (self.most // 4)
        starts = self.samples.score_offsets[:-1]
        is_kept = is_deciding | np.append(True, is_deciding[:-1])
        is_kept[cell[starts[starts < cell.size]]] = True
        self.is_first &= is_kept[cell]
        part = n_above // n_together
        self.is_first[scores[1:]] |= part[1:] != part[:-1]
        return n_together
