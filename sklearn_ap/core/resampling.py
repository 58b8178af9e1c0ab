"""How a value varies in resamples, each an integer weight for each cell of the sorted samples."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Any, Self

import numpy as np
from scipy.sparse import coo_array

from .cutoff import Cut, needs_every_point
from .operating_points import OperatingPoints, take_last
from .ragged import (
    Array,
    compute_running_sum,
    divide_safely,
    repeat_values,
    split_into_blocks,
    sum_rankings,
)
from .rankings import Rankings, find_kth_best
from .rules import Area, Rule
from .tolerances import SUM_TOLERANCE
from .units import Cells, SamplingUnits, fill_cells, rank_labels

_ENTRIES_PER_BATCH = 2**19  # entries that are processed together
_MAX_SINGLY_DRAWN = 8  # samples of a cell that are drawn one by one
_MIN_UNITS_PER_KIND = 8  # units, on average, to be drawn faster together


# --- what can be in the top k of a resample ------------------------------------------------------
#
# If k counts rows, a metric at k depends on each of the rows near the top, and on the sum of the
# positives. For all other units, which are rows or clusters of them, it depends only on how many
# rows they have with which labels, so a resample draws those with the same numbers together, as
# copies of a single unit.


def select_shortlist(
    cut: Cut | None, *models: Rankings, cluster: Array | None = None
) -> Array | None:
    """Select the units that a resample has to tell apart, for models with the same rows.

    Their rows contain the top k of almost all resamples.

    Return None if a shortlist would not be faster.
    """
    first = models[0]
    if cut is None or first.average not in ("binary", "macro", "weighted"):
        return None
    if first.weight is not None and not cut.counts_rows:
        return None
    # Positives have to be told apart by their weights.
    listed: Array = first.labels if first.weight is not None else np.zeros_like(first.labels)
    together = 1.0  # rows that are drawn together, as those of clusters are
    if cluster is not None:
        rows = np.bincount(cluster)
        together = (rows @ rows) / rows.sum()
    for model in models:
        if model.group is not None:
            listed = listed | _select_reachable(model, cut, together)
            continue
        k = _count_rows_to_draw(cut.compute_k(np.array([len(model.scores)])).item(), together)
        if k >= len(model.scores):
            return None
        listed = listed | (model.scores >= find_kth_best(model.scores, k))
    if listed.ndim == 2:
        listed = np.asarray(listed.any(axis=1))
    if cluster is not None:
        listed = np.bincount(cluster, listed) > 0
        if first.group is not None:  # clusters across groups may all be of a kind of their own
            kinds = np.bincount(_number_kinds(first.labels, cluster, first.group)[~listed])
            if _MIN_UNITS_PER_KIND * np.count_nonzero(kinds) > listed.size:
                return None
    return None if listed.all() else listed


def _select_reachable(rankings: Rankings, cut: Cut, together: float) -> Array:
    """Select the rows that are within reach of the top k of their group."""
    in_order, group = rank_labels(rankings), rankings.group
    sizes = np.diff(in_order.offsets)
    k = np.minimum(cut.compute_k(sizes), sizes).astype(np.int64).tolist()
    reach = np.minimum([_count_rows_to_draw(k_of_group, together) for k_of_group in k], sizes)
    last = in_order.order[in_order.offsets[:-1] + reach - 1]  # of any row, if the group is empty
    return np.asarray(rankings.scores >= rankings.scores[last][group])


def _count_rows_to_draw(k: int, together: float = 1.0) -> int:
    """Return how many of the top rows almost always yield at least k draws.

    They get about as many draws as there are rows, give or take the square root of that.
    """
    return k + ceil(6 * sqrt(k * together) + 16 * together)


def count_near_points(cells: Cells, cut: Cut | None) -> Array:
    """Count the points of each ranking that contain the top k of almost all resamples.

    Without a cutoff, these are all points.
    """
    n_points = np.diff(cells.offsets)
    if cut is None:
        return n_points
    until = compute_running_sum(cells.mass[0], cells.ends)
    k = cut.compute_k(take_last(until, cells.ends)).tolist()
    n_rows = np.array([_count_rows_to_draw(k_of_ranking) for k_of_ranking in k])
    reach = repeat_values(n_rows, cells.offsets)
    before = until[fill_cells(cells.offsets, 0, 1, 0, bool)] < reach
    n_before = sum_rankings(before.astype(np.int64), cells.offsets)
    return np.asarray(np.minimum(n_before + 1, n_points))


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The units that a resample tells apart.

    Each of the first ones represents the units that are not listed and have the same labels. They
    are followed by the listed units, and by the positives of each ranking that were not scored.
    """

    cut: Cut
    listed: Array  # mask of all scored units
    kind: Array  # of all scored units; those of a kind have the same labels
    kinds: Array  # of the units that are not listed
    sizes: Array  # how many units of each of these kinds are not listed
    units: SamplingUnits
    rows: Any  # of each unit that is told apart, or of each ranking in it; None for one
    near: Any  # how many of these rank above all units that are not listed, one row per ranking

    @classmethod
    def from_units(cls, cut: Cut, listed: Array, units: SamplingUnits) -> Self:
        """Make the shortlist of one model. `units` are its units if all of them are told apart."""
        rankings, cluster, scores = units.rankings, units.cluster, units.rankings.scores
        # The highest score of the rows that aren't listed, in each ranking
        is_far = ~listed if cluster is None else ~listed[cluster]
        is_far = is_far if scores.ndim == 1 else is_far[:, np.newaxis]
        if rankings.group is None:
            bound = scores.max(axis=0, where=is_far, initial=scores.min())
        else:
            best = np.full(units.unscored.size, scores.min(), scores.dtype)
            np.maximum.at(best, rankings.group[is_far], scores[is_far])
            bound = best[rankings.group]
        kind = _number_kinds(rankings.labels, cluster, rankings.group)
        kinds, first, n_alike = _count_unlisted(kind, listed)
        apart = np.append(first, np.flatnonzero(listed))  # the units that are told apart
        rows, unit, sizes = apart, None, None
        if cluster is not None:
            place = np.full(listed.size, -1)
            place[apart] = np.arange(apart.size)
            rows = np.flatnonzero(place[cluster] >= 0)
            unit = place[cluster[rows]]  # of each of these rows
            sizes = np.bincount(unit)
        few = rankings.take(rows)
        bound = bound if few.group is None else bound[rows]
        is_near = few.scores > bound
        # The order of the other rows among each other does not matter.
        few = replace(few, scores=np.where(is_near, few.scores, bound))
        few_units = SamplingUnits.from_rankings(few, unit, every_point=few.weight is not None)
        few_units = replace(
            few_units, unscored=units.unscored, unscored_weight=units.unscored_weight
        )
        if few.group is not None:
            places = few.group, np.arange(apart.size) if unit is None else unit
            shape = units.unscored.size, apart.size
            n_rows = coo_array((np.ones(is_near.size, np.int64), places), shape).tocsr()
            n_near_rows = coo_array((is_near.astype(np.int64), places), shape).tocsr()
            return cls(cut, listed, kind, kinds, n_alike, few_units, n_rows, n_near_rows)
        n_near = np.atleast_2d(is_near.T)
        if unit is not None:
            n_near = np.stack([np.bincount(unit, of_column, apart.size) for of_column in n_near])
        return cls(cut, listed, kind, kinds, n_alike, few_units, sizes, n_near.astype(np.int64))

    def draw(self, times: int, rng: np.random.Generator) -> Array:
        """Count how often each unit is drawn, with one row per unit and one column per resample."""
        n_alike, n_apart = self.kinds.size, self.units.n_scored - self.kinds.size
        sizes = [*self.sizes.tolist(), *self.units.together]
        apart, together = _draw_apart(n_apart, sizes, times, rng)
        return np.concatenate([together[:n_alike], apart, together[n_alike:]])

    def has_top(self, drawn: Array) -> bool:
        """Whether the top k rows of each resample are all listed."""
        scored = drawn[: self.units.n_scored]
        total = scored.sum(axis=0) if self.rows is None else self.rows @ scored
        near = self.near @ scored
        return bool(((near >= self.cut.compute_k(total)) | (near == total)).all())

    def unfold(self, drawn: Array, rng: np.random.Generator) -> Array:
        """Convert one resample to one with all units told apart."""
        n_alike, n_scored = self.kinds.size, self.units.n_scored
        times = np.empty(self.listed.size, dtype=np.int64)
        times[self.listed] = drawn[n_alike:n_scored]
        for number, count in zip(self.kinds, drawn, strict=False):
            same = np.flatnonzero((self.kind == number) & ~self.listed)
            place = rng.integers(0, same.size, count)
            times[same] = np.bincount(place, minlength=same.size)
        return np.append(times, drawn[n_scored:])


def _number_kinds(labels: Array, cluster: Array | None, group: Array | None) -> Array:
    """Number the units by their labels, or by how many rows and positives of each class they have.

    With groups, number them by the groups and labels of their rows. Labels in one column number
    themselves.
    """
    if group is not None:
        labels = 2 * group.astype(np.int64) + labels
    if cluster is None:
        contents = labels
    elif group is not None:
        sizes, n_labels = np.bincount(cluster), 2 * int(group.max()) + 2
        sorted_labels = np.sort(cluster.astype(np.int64) * n_labels + labels) % n_labels
        start, kind, n_kinds = np.cumsum(sizes) - sizes, np.zeros(sizes.size, np.int64), 0
        for size in np.unique(sizes).tolist():
            same = np.flatnonzero(sizes == size)
            rows = sorted_labels[start[same, np.newaxis] + np.arange(size)]
            if size != 1:
                rows = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1, 1)
            kind[same] = n_kinds + rows[:, 0]
            n_kinds += int(rows.max()) + 1
        return kind
    else:
        columns = np.atleast_2d(labels.T)
        counts = np.bincount(cluster), *(np.bincount(cluster, column) for column in columns)
        contents = np.column_stack(counts)
    if contents.ndim == 1:
        return contents
    return np.asarray(np.unique(contents, axis=0, return_inverse=True)[1].reshape(-1))


def _count_unlisted(kind: Array, listed: Array) -> tuple[Array, Array, Array]:
    """Return the kinds of the units that are not listed, the first unit of each, and their counts.

    There may be millions of these units, so this takes a block of them at a time.
    """
    sizes, first = np.zeros((2, int(kind.max()) + 1), dtype=np.int64)
    for block in reversed(split_into_blocks(kind.size, 32)):
        not_listed = np.flatnonzero(~listed[block])
        kind_of_units = kind[block][not_listed].astype(np.intp)
        sizes += np.bincount(kind_of_units, minlength=sizes.size)
        # The first one of a kind is assigned last, as the blocks are reversed, too.
        first[kind_of_units[::-1]] = not_listed[::-1] + block.start
    kinds = np.flatnonzero(sizes)
    return kinds, first[kinds], sizes[kinds]


# --- resamples -----------------------------------------------------------------------------------


def draw_units(
    rule: Rule,
    models: Sequence[SamplingUnits],
    times: int,
    rng: np.random.Generator,
    cut: Cut | None = None,
) -> Iterator[tuple[int, OperatingPoints]]:
    """Draw resamples of sampling units for several models, with the points that a rule needs.

    Yield the number of a model and some of its resamples, concatenated. Each model gets the draws
    that it would get alone, because they depend only on the numbers of units and rankings, which
    are the same for all models. With a cutoff, the rows below it are drawn together if that is
    faster.
    """
    first, listed = models[0], None
    if all(units.has_same_rows(first) for units in models):
        listed = select_shortlist(cut, *(units.rankings for units in models), cluster=first.cluster)
    if cut is None or listed is None:
        fills = [_make_filler(rule, units) for units in models]
        size, n_rankings = first.n_scored, first.cells.n_rankings
        for drawn in _draw_in_batches(size, n_rankings, times, rng, first.together):
            yield from enumerate(fill(drawn) for fill in fills)
        return
    lists = [Shortlist.from_units(cut, listed, units) for units in models]
    fills = [_make_filler(rule, short.units) for short in lists]
    for n_drawn in _split_batches(3 * lists[0].units.n_scored * first.cells.n_rankings, times):
        drawn = lists[0].draw(n_drawn, rng)
        # The seed is always drawn, so that a model gets the same draws beside any other.
        seed = int(rng.integers(2**63))
        for model, (short, fill) in enumerate(zip(lists, fills, strict=True)):
            if short.has_top(drawn):
                yield model, fill(drawn)
                continue
            fill_all, rng_of_model = _make_filler(rule, models[model]), np.random.default_rng(seed)
            for resample in drawn.T:
                yield model, fill_all(short.unfold(resample, rng_of_model)[:, np.newaxis])


def _make_filler(rule: Rule, units: SamplingUnits) -> Callable[[Array], OperatingPoints]:
    """Return a function from counts of draws (one row per unit, one column per
    resample) to points.
    """
    every_point = needs_every_point(rule.cut, units.rankings.weight is not None)
    mass_of, rows_of, unscored_of = units.make_matrices(every_point)

    def fill(drawn: Array) -> OperatingPoints:
        rows = None if rows_of is None else (rows_of @ drawn).T
        points = replace(units.cells, mass=(mass_of @ drawn).T, rows=rows).points(every_point)
        if unscored_of is not None:
            points = points.with_n_positives(points.n_positives + (unscored_of @ drawn).T.ravel())
        return points

    return fill


def draw_counts(
    cells: Cells, unscored: Array, times: int, rng: np.random.Generator, cut: Cut | None = None
) -> Iterator[tuple[int, OperatingPoints]]:
    """Draw resamples from counts alone, if the sampling units are samples, each in one ranking.

    Yield what `draw_units` yields for a single model. `unscored` counts the positives of each
    ranking that were not scored.

    With a cutoff, only the cells near the top are told apart. In each ranking, the positives of
    all other cells are drawn together, and so are their negatives.
    """
    mass, n_rankings, n_near = cells.mass[0], cells.n_rankings, count_near_points(cells, cut)
    near = Cells(np.append(0, np.cumsum(n_near)), cells.mass)
    apart = np.delete(np.arange(near.size), near.ends[1:] - 1)  # all but the last of each ranking
    ranking = np.arange(n_rankings).repeat(np.diff(cells.ends))  # of each cell
    first_far = cells.ends[:-1] + 3 * n_near  # in each ranking; a point has three cells
    is_near = np.arange(mass.size) < first_far[ranking]
    is_positive = cells.fill(1, 0, 0) > 0
    far_negatives = (~is_near & ~is_positive).nonzero()[0]
    far_positives = (~is_near & is_positive).nonzero()[0]
    n_far = [
        np.bincount(ranking[far], mass[far], n_rankings).astype(np.int64)
        for far in (far_negatives, far_positives)
    ]
    counts = np.concatenate([mass[is_near], *n_far, unscored])
    for n_drawn in _split_batches(counts.size, times):
        drawn = _draw_counts(counts, n_drawn, rng)
        far = drawn[:, apart.size :].reshape(n_drawn, 3, n_rankings)
        n_misses, n_hits, n_unscored = far.swapaxes(0, 1)  # each of shape (n_drawn, n_rankings)
        n_far_drawn = n_misses + n_hits
        short = np.empty((n_drawn, near.size), dtype=np.int64)
        short[:, apart] = drawn[:, : apart.size]
        short[:, near.ends[1:] - 1] = n_far_drawn
        if cut is None or _are_near(cut, np.add.reduceat(short, near.ends[:-1], 1), n_far_drawn):
            points = replace(near, mass=short).points()
            n_found = points.n_positives + n_hits.ravel()
        else:  # the top k of some resample reaches beyond the near cells
            all_cells = np.zeros((n_drawn, mass.size), dtype=np.int64)
            all_cells[:, is_near] = drawn[:, : apart.size]
            for number in range(n_rankings):
                for far_cells, n_of_cells in ((far_positives, n_hits), (far_negatives, n_misses)):
                    of_ranking = far_cells[ranking[far_cells] == number]
                    if size := mass[of_ranking].sum():
                        fractions = mass[of_ranking] / size
                        all_cells[:, of_ranking] = rng.multinomial(n_of_cells[:, number], fractions)
            points = replace(cells, mass=all_cells).points()
            n_found = points.n_positives
        yield 0, points.with_n_positives(n_found + n_unscored.ravel())


def _are_near(cut: Cut, total: Array, n_far: Array) -> bool:
    """Whether the top k of all resamples are in the near cells, of how many are drawn in all, and
    of these from the other cells, of shape (n_resamples, n_rankings).
    """
    return bool(((total - n_far >= cut.compute_k(total)) | (n_far == 0)).all())


def evaluate_draws(rule: Rule, draws: OperatingPoints, n_rankings: int) -> Array:
    """Compute the values of resamples, nan without positives, and count their positives.

    The result has the shape (n_resamples, 2, n_rankings).
    """
    values_and_counts = np.stack([rule.values(draws), draws.n_positives])
    return values_and_counts.reshape(2, -1, n_rankings).swapaxes(0, 1)


def compute_heights(area: Area, x: Array) -> Array:
    """Compute the height of each ranking's area at these fractions of its width; 0 beyond its end.

    The result has one row per ranking, which is nan if the area is undefined.
    """
    out = np.full((area.whole.size, x.size), np.nan)
    width = compute_running_sum(area.width, area.offsets)
    for ranking, divisor in enumerate(area.whole.tolist()):
        if divisor:
            its_points = slice(area.offsets[ranking], area.offsets[ranking + 1])
            # Rounding must not put x beyond the point that it is at.
            place = np.searchsorted(width[its_points], x * divisor * (1 - SUM_TOLERANCE))
            out[ranking] = np.append(area.height[its_points], 0.0)[place]
    return out


def count_hits(points: OperatingPoints, x: Array) -> Array:
    """Count the positives in the top of these fractions of all samples.

    This is the mean over all orders of tied samples. The result has one row per ranking.
    """
    # Above and below each point; between points without positives, the line is flat.
    n_samples = np.stack([points.above, points.cum_total], axis=1)
    n_hits = np.stack([points.positives_above, points.cum_positives], axis=1)
    out = np.zeros((points.n_rankings, x.size))
    for ranking, size in enumerate(points.n_samples.tolist()):
        its_points = slice(points.offsets[ranking], points.offsets[ranking + 1])
        if its_points.start < its_points.stop:
            corners = n_samples[its_points].ravel(), n_hits[its_points].ravel()
            out[ranking] = np.interp(x * size, *corners)
    return out


def resample_means(values: Array, weight: Array, times: int, rng: np.random.Generator) -> Array:
    """Compute weighted means of values that are drawn with replacement."""
    batches = _draw_in_batches(values.size, 1, times, rng)
    means = [divide_safely((values * weight) @ drawn, weight @ drawn) for drawn in batches]
    return np.concatenate(means)


def _draw_in_batches(
    size: int, n_rankings: int, times: int, rng: np.random.Generator, together: Sequence[int] = ()
) -> Iterator[Array]:
    """Count how often each unit is drawn, with one row per unit and one column per resample.

    They are followed by units that are drawn `together`, with one row for each of these numbers.
    """
    for n_drawn in _split_batches(size * n_rankings, times):
        if together:
            yield np.concatenate(_draw_apart(size, together, n_drawn, rng))
            continue
        place = rng.integers(0, size, (size, n_drawn))  # a unit, and then its place in the result
        place *= n_drawn
        place += np.arange(n_drawn)
        yield np.bincount(place.ravel(), minlength=size * n_drawn).reshape(size, n_drawn)


def _draw_apart(
    n_apart: int, together: Sequence[int], times: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw units one by one, and others `together`, whose numbers can be larger than memory.

    Return how often each unit is drawn, and how many of those in each of the numbers. Both results
    have one column per resample.
    """
    n_together = np.array(together)
    size = n_apart + n_together.sum()
    count = rng.binomial(size, n_apart / size, times)  # how many are drawn one by one
    place = rng.integers(0, n_apart, count.sum())
    place *= times
    place += np.repeat(np.arange(times), count)
    drawn = np.bincount(place, minlength=n_apart * times).reshape(n_apart, times)
    return drawn, rng.multinomial(size - count, n_together / n_together.sum()).T


def _draw_counts(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, and return their counts, with one row per resample."""
    # One draw per sample is faster than one binomial per cell, if the cell has few samples.
    few = np.flatnonzero(counts <= _MAX_SINGLY_DRAWN)
    cell = np.repeat(few, counts[few])
    many = np.flatnonzero(counts > _MAX_SINGLY_DRAWN)
    kinds = np.append(cell.size, counts[many])
    of_kinds = _draw_multinomial(kinds, times, rng)
    drawn = np.zeros((times, counts.size), dtype=np.int64)
    if cell.size:
        number = of_kinds[:, 0]
        place = cell[rng.integers(0, cell.size, number.sum())]
        place += counts.size * np.repeat(np.arange(times), number)
        drawn = np.bincount(place, minlength=drawn.size).reshape(drawn.shape)
    drawn[:, many] = of_kinds[:, 1:]
    return drawn


def _draw_multinomial(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, which is faster than NumPy for many counts.

    If independent Poisson variables have a given sum, they are multinomial. So nearly all samples
    are drawn as Poisson variables, and the others one by one.
    """
    n = int(counts.sum())
    if counts.size < 100 or n > _ENTRIES_PER_BATCH:
        return rng.multinomial(n, counts / n, times)
    rate = 1 - 6 / sqrt(n)  # more than n are drawn in one of a billion cases
    drawn = rng.poisson(rate * counts, (times, counts.size))
    while (lacking := n - drawn.sum(axis=1)).min() < 0:
        drawn = rng.poisson(rate * counts, drawn.shape)
    cell = np.repeat(np.arange(counts.size), counts)[rng.integers(0, n, lacking.sum())]
    cell += counts.size * np.repeat(np.arange(times), lacking)
    drawn += np.bincount(cell, minlength=drawn.size).reshape(drawn.shape)
    return drawn


def _split_batches(cost: int, times: int) -> list[int]:
    """Split a number of resamples, each of which takes `cost` numbers in memory."""
    at_once = max(_ENTRIES_PER_BATCH // max(cost, 1), 1)
    return [min(at_once, times - start) for start in range(0, times, at_once)]
