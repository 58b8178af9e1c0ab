"""How a value varies in resamples, each an integer weight for each cell of the sorted samples."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Any, Self

import numpy as np
from scipy.sparse import coo_array

from .cutoff import Cut, needs_every_point
from .operating_points import OperatingPoints, last_of_each
from .rankings import Rankings, kth_best
from .rules import Area, Rule
from .units import Cells, SamplingUnits, over_cells, ranked
from .within import (
    Array,
    blocks,
    ratio,
    repeated,
    running_sum,
    sums,
)

_AT_ONCE = 2**19  # entries that are processed together
_FEW = 8  # samples of a cell that are drawn one by one
_OF_A_KIND = 8  # units, on average, to be drawn faster together


# --- what can be in the top k of a resample ------------------------------------------------------
#
# If k counts rows, a metric at k depends on each of the rows near the top, and on the sum of the
# positives. For all other units, which are rows or clusters of them, it depends only on how many
# rows they have with which labels, so a resample draws those with the same numbers together, as
# copies of a single unit.


def shortlist(cut: Cut | None, *models: Rankings, cluster: Array | None = None) -> Array | None:
    """Select the units that a resample has to tell apart, for models with the same rows.

    Their rows contain the top k of almost all resamples.

    Return None if a shortlist would not be faster.
    """
    one = models[0]
    if cut is None or one.average not in ("binary", "macro", "weighted"):
        return None
    if one.weight is not None and not cut.by_rows:
        return None
    # Positives have to be told apart by their weights.
    listed: Array = one.labels if one.weight is not None else np.zeros_like(one.labels)
    together = 1.0  # rows that are drawn together, as those of clusters are
    if cluster is not None:
        rows = np.bincount(cluster)
        together = (rows @ rows) / rows.sum()
    for model in models:
        if model.group is not None:
            listed = listed | _among_best(model, cut, together)
            continue
        k = _rows_drawn(cut.of(np.array([len(model.scores)])).item(), together)
        if k >= len(model.scores):
            return None
        listed = listed | (model.scores >= kth_best(model.scores, k))
    if listed.ndim == 2:
        listed = np.asarray(listed.any(axis=1))
    if cluster is not None:
        listed = np.bincount(cluster, listed) > 0
        if one.group is not None:  # clusters across groups may all be of a kind of their own
            kinds = np.bincount(_kinds(one.labels, cluster, one.group)[~listed])
            if _OF_A_KIND * np.count_nonzero(kinds) > listed.size:
                return None
    return None if listed.all() else listed


def _among_best(rankings: Rankings, cut: Cut, together: float) -> Array:
    """Select the rows that are within reach of the top k of their group."""
    in_order, group = ranked(rankings), rankings.group
    sizes = np.diff(in_order.offsets)
    k = np.minimum(cut.of(sizes), sizes).astype(np.int64).tolist()
    reach = np.minimum([_rows_drawn(each, together) for each in k], sizes)
    last = in_order.order[in_order.offsets[:-1] + reach - 1]  # of any row, if the group is empty
    return np.asarray(rankings.scores >= rankings.scores[last][group])


def _rows_drawn(k: int, together: float = 1.0) -> int:
    """Return how many of the top rows almost always yield at least k draws.

    They get about as many draws as there are rows, give or take the square root of that.
    """
    return k + ceil(6 * sqrt(k * together) + 16 * together)


def near_points(cells: Cells, cut: Cut | None) -> Array:
    """Count the points of each ranking that contain the top k of almost all resamples.

    Without a cutoff, these are all points.
    """
    n_points = np.diff(cells.offsets)
    if cut is None:
        return n_points
    until = running_sum(cells.mass[0], cells.ends)
    k = cut.of(last_of_each(until, cells.ends)).tolist()
    reach = repeated(np.array([_rows_drawn(each) for each in k]), cells.offsets)
    before = until[over_cells(cells.offsets, 0, 1, 0, bool)] < reach
    return np.asarray(np.minimum(sums(before.astype(np.int64), cells.offsets) + 1, n_points))


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
    def of(cls, cut: Cut, listed: Array, units: SamplingUnits) -> Self:
        """Make the shortlist of one model. `units` are its units if all of them are told apart."""
        rankings, cluster, scores = units.rankings, units.cluster, units.rankings.scores
        rest = ~listed if cluster is None else ~listed[cluster]
        rest = rest if scores.ndim == 1 else rest[:, np.newaxis]
        if rankings.group is None:
            bound = scores.max(axis=0, where=rest, initial=scores.min())
        else:
            best = np.full(units.unscored.size, scores.min(), scores.dtype)
            np.maximum.at(best, rankings.group[rest], scores[rest])
            bound = best[rankings.group]
        kind = _kinds(rankings.labels, cluster, rankings.group)
        kinds, first, n_alike = _not_listed(kind, listed)
        apart = np.append(first, np.flatnonzero(listed))
        rows, own, sizes = apart, None, None
        if cluster is not None:
            place = np.full(listed.size, -1)
            place[apart] = np.arange(apart.size)
            rows = np.flatnonzero(place[cluster] >= 0)
            own = place[cluster[rows]]
            sizes = np.bincount(own)
        few = rankings.take(rows)
        bound = bound if few.group is None else bound[rows]
        near = few.scores > bound
        # The order of the other rows among each other does not matter.
        few = replace(few, scores=np.where(near, few.scores, bound))
        every = few.weight is not None
        few_units = replace(SamplingUnits.of(few, own, every), unscored=units.unscored)
        if few.group is not None:
            places = few.group, np.arange(apart.size) if own is None else own
            shape = units.unscored.size, apart.size
            by_group = [
                coo_array((each, places), shape).tocsr()
                for each in (np.ones(near.size, np.int64), near.astype(np.int64))
            ]
            return cls(cut, listed, kind, kinds, n_alike, few_units, *by_group)
        above = np.atleast_2d(near.T)
        if own is not None:
            above = np.stack([np.bincount(own, each, apart.size) for each in above])
        return cls(cut, listed, kind, kinds, n_alike, few_units, sizes, above.astype(np.int64))

    def draw(self, times: int, rng: np.random.Generator) -> Array:
        """Count how often each unit is drawn, with one row per unit and one column per resample."""
        n_alike, n_apart = self.kinds.size, self.units.n_scored - self.kinds.size
        apart, together = _drawn_apart(
            n_apart, [*self.sizes.tolist(), *self.units.together], times, rng
        )
        return np.concatenate([together[:n_alike], apart, together[n_alike:]])

    def holds_first(self, drawn: Array) -> bool:
        """Whether the top k rows of each resample are all listed."""
        scored = drawn[: self.units.n_scored]
        total = scored.sum(axis=0) if self.rows is None else self.rows @ scored
        near = self.near @ scored
        return bool(((near >= self.cut.of(total)) | (near == total)).all())

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


def _kinds(labels: Array, cluster: Array | None, group: Array | None = None) -> Array:
    """Number the units by their labels, or by how many rows and positives of each class they have.

    With groups, number them by the groups and labels of their rows. Labels in one column number
    themselves.
    """
    if group is not None:
        labels = 2 * group + labels
    if cluster is None:
        contents = labels
    elif group is not None:
        sizes, n_labels = np.bincount(cluster), 2 * int(group.max()) + 2
        sorted_labels = np.sort(cluster * n_labels + labels) % n_labels
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


def _not_listed(kind: Array, listed: Array) -> tuple[Array, Array, Array]:
    """Return the kinds of the units that are not listed, the first unit of each, and their counts.

    There may be millions of these units, so this takes a block of them at a time.
    """
    sizes, first = np.zeros((2, int(kind.max()) + 1), dtype=np.int64)
    for some in reversed(blocks(kind.size, 32)):
        rest = np.flatnonzero(~listed[some])
        of_rest = kind[some][rest].astype(np.intp)
        sizes += np.bincount(of_rest, minlength=sizes.size)
        first[of_rest[::-1]] = rest[::-1] + some.start  # the first one is assigned last
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
    if all(units.has_rows_of(first) for units in models):
        listed = shortlist(cut, *(units.rankings for units in models), cluster=first.cluster)
    if cut is None or listed is None:
        fills = [_filling(rule, units) for units in models]
        for drawn in _draw_in_batches(
            first.n_scored, first.cells.n_queries, times, rng, first.together
        ):
            yield from enumerate(fill(drawn) for fill in fills)
        return
    lists = [Shortlist.of(cut, listed, units) for units in models]
    fills = [_filling(rule, short.units) for short in lists]
    for some in _batches(3 * lists[0].units.n_scored * first.cells.n_queries, times):
        drawn, seed = lists[0].draw(some, rng), int(rng.integers(2**63))
        # The seed is always drawn, so that a model gets the same draws beside any other.
        for place, (short, fill) in enumerate(zip(lists, fills, strict=True)):
            if short.holds_first(drawn):
                yield place, fill(drawn)
                continue
            fill, own = _filling(rule, models[place]), np.random.default_rng(seed)
            for one in drawn.T:
                yield place, fill(short.unfold(one, own)[:, np.newaxis])


def _filling(rule: Rule, units: SamplingUnits) -> Callable[[Array], OperatingPoints]:
    """Return a function from counts of draws (one row per unit, one column per
    resample) to points.
    """
    by_rows = needs_every_point(rule.depth, units.rankings.weight is not None)
    mass_of, rows_of, missing_of = units.matrices()

    def fill(drawn: Array) -> OperatingPoints:
        rows = (rows_of @ drawn).T if by_rows else None
        points = replace(units.cells, mass=(mass_of @ drawn).T, rows=rows).points(by_rows)
        if units.lacks:
            points = points.out_of(points.n_positives + (missing_of @ drawn).T.ravel())
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
    mass, n_queries, n_near = cells.mass[0], cells.n_queries, near_points(cells, cut)
    near = Cells(np.append(0, np.cumsum(n_near)), cells.mass)
    apart = np.delete(np.arange(near.size), near.ends[1:] - 1)  # all but the last of each ranking
    first_far, query = (
        cells.ends[:-1] + 3 * n_near,
        np.arange(n_queries).repeat(np.diff(cells.ends)),
    )
    is_near = np.arange(mass.size) < first_far[query]
    positive = cells.fill(1, 0, 0) > 0
    kinds = [(~is_near & ~positive).nonzero()[0], (~is_near & positive).nonzero()[0]]
    far = [np.bincount(query[kind], mass[kind], n_queries).astype(np.int64) for kind in kinds]
    counts = np.concatenate([mass[is_near], *far, unscored])
    for some in _batches(counts.size, times):
        drawn = _draw_counts(counts, some, rng)
        others = drawn[:, apart.size :].copy().reshape(some, 3, n_queries)
        n_misses, n_hits, absent = others.swapaxes(0, 1)
        rest = n_misses + n_hits
        short = drawn[:, : near.size]  # which for one ranking only lacks the rest
        if n_queries > 1:
            short = np.empty((some, near.size), dtype=np.int64)
            short[:, apart] = drawn[:, : apart.size]
        short[:, near.ends[1:] - 1] = rest
        if cut is not None:
            total = np.add.reduceat(short, near.ends[:-1], axis=1)
        if cut is None or ((total - rest >= cut.of(total)) | (rest == 0)).all():
            points = replace(near, mass=short).points()
            found = points.n_positives + n_hits.ravel()
        else:
            whole = np.zeros((some, mass.size), dtype=np.int64)
            whole[:, is_near] = drawn[:, : apart.size]
            for each in range(n_queries):
                for kind, number in zip(kinds[::-1], (n_hits, n_misses), strict=True):
                    own = kind[query[kind] == each]
                    if size := mass[own].sum():
                        whole[:, own] = rng.multinomial(number[:, each], mass[own] / size)
            points = replace(cells, mass=whole).points()
            found = points.n_positives
        yield 0, points.out_of(found + absent.ravel())


def values_of(rule: Rule, draws: OperatingPoints, n_queries: int) -> Array:
    """Compute the values of resamples, nan without positives, and count their positives.

    The result has the shape (n_resamples, 2, n_queries).
    """
    found = np.stack([rule.values(draws), draws.n_positives]).reshape(2, -1, n_queries)
    return found.swapaxes(0, 1)


def heights(area: Area, x: Array) -> Array:
    """Compute the height of each ranking's area at these fractions of its width; 0 beyond its end.

    The result has one row per ranking, which is nan if the area is undefined.
    """
    out = np.full((area.whole.size, x.size), np.nan)
    width = running_sum(area.width, area.offsets)
    for query, whole in enumerate(area.whole.tolist()):
        if whole:
            held = slice(area.offsets[query], area.offsets[query + 1])
            place = np.searchsorted(width[held], x * whole * (1 - 1e-9))
            out[query] = np.append(area.height[held], 0.0)[place]
    return out


def hits(points: OperatingPoints, x: Array) -> Array:
    """Count the positives in the top of these fractions of all samples.

    This is the mean over all orders of tied samples. The result has one row per ranking.
    """
    corners = np.stack([points.above, points.cum_total], axis=1)
    found = np.stack([points.found_above, points.cum_positives], axis=1)
    out = np.zeros((points.n_queries, x.size))
    for query, size in enumerate(points.n_samples.tolist()):
        held = slice(points.offsets[query], points.offsets[query + 1])
        if held.start < held.stop:
            out[query] = np.interp(x * size, corners[held].ravel(), found[held].ravel())
    return out


def resample_means(values: Array, weight: Array, times: int, rng: np.random.Generator) -> Array:
    """Compute weighted means of values that are drawn with replacement."""
    means = []
    for drawn in _draw_in_batches(values.size, 1, times, rng):
        means.append(ratio((values * weight) @ drawn, weight @ drawn))
    return np.concatenate(means)


def _draw_in_batches(
    size: int, n_queries: int, times: int, rng: np.random.Generator, together: Sequence[int] = ()
) -> Iterator[Array]:
    """Count how often each unit is drawn, with one row per unit and one column per resample.

    They are followed by units that are drawn `together`, with one row for each of these numbers.
    """
    for some in _batches(size * n_queries, times):
        if together:
            yield np.concatenate(_drawn_apart(size, together, some, rng))
            continue
        place = rng.integers(0, size, (size, some))
        place *= some
        place += np.arange(some)
        yield np.bincount(place.ravel(), minlength=size * some).reshape(size, some)


def _drawn_apart(
    n_apart: int, together: Sequence[int], times: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw units one by one, and others `together`, whose numbers can be larger than memory.

    Return how often each unit is drawn, and how many of those in each of the numbers. Both results
    have one column per resample.
    """
    others = np.array(together)
    size = n_apart + others.sum()
    count = rng.binomial(size, n_apart / size, times)
    place = rng.integers(0, n_apart, count.sum())
    place *= times
    place += np.repeat(np.arange(times), count)
    drawn = np.bincount(place, minlength=n_apart * times).reshape(n_apart, times)
    return drawn, rng.multinomial(size - count, others / others.sum()).T


def _draw_counts(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, and return their counts, with one row per resample."""
    # One draw per sample is faster than one binomial per cell, if the cell has few samples.
    few = np.flatnonzero(counts <= _FEW)
    cell = np.repeat(few, counts[few])
    many = np.flatnonzero(counts > _FEW)
    kinds = np.append(cell.size, counts[many])
    of_kinds = _multinomial(kinds, times, rng)
    drawn = np.zeros((times, counts.size), dtype=np.int64)
    if cell.size:
        number = of_kinds[:, 0]
        place = cell[rng.integers(0, cell.size, number.sum())]
        place += counts.size * np.repeat(np.arange(times), number)
        drawn = np.bincount(place, minlength=drawn.size).reshape(drawn.shape)
    drawn[:, many] = of_kinds[:, 1:]
    return drawn


def _multinomial(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, which is faster than NumPy for many counts.

    If independent Poisson variables have a given sum, they are multinomial. So nearly all samples
    are drawn as Poisson variables, and the others one by one.
    """
    n = int(counts.sum())
    if counts.size < 100 or n > _AT_ONCE:
        return rng.multinomial(n, counts / n, times)
    rate = 1 - 6 / sqrt(n)  # more than n are drawn in one of a billion cases
    drawn = rng.poisson(rate * counts, (times, counts.size))
    while (lacking := n - drawn.sum(axis=1)).min() < 0:
        drawn = rng.poisson(rate * counts, drawn.shape)
    cell = np.repeat(np.arange(counts.size), counts)[rng.integers(0, n, lacking.sum())]
    cell += counts.size * np.repeat(np.arange(times), lacking)
    drawn += np.bincount(cell, minlength=drawn.size).reshape(drawn.shape)
    return drawn


def _batches(cost: int, times: int) -> list[int]:
    at_once = max(_AT_ONCE // max(cost, 1), 1)
    return [min(at_once, times - start) for start in range(0, times, at_once)]
