"""Bootstrap resamples of sorted samples, in which drawn units are integer weights of cells."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from .cells import Cells
from .cutoff import Cut, needs_every_point
from .operating_points import OperatingPoints
from .rules import Area, Rule
from .segments import Array, running_sum
from .shortlist import Shortlist, near_cells
from .units import Units

_AT_ONCE = 2**19  # entries that are processed together
_FEW = 8  # samples of a cell that are drawn one by one

Draws = Iterator[OperatingPoints]  # each of many resamples, concatenated


def draw_units(rule: Rule, units: Units, times: int, rng: np.random.Generator) -> Draws:
    """Draw resamples of sampling units, with the points that a rule needs.

    The draws depend only on the numbers of units and rankings, so models that are compared get the
    same draws.
    """
    fill = _filling(rule, units)
    for drawn in _drawn(units.size, units.cells.n_queries, times, rng):
        yield fill(drawn)


def draw_short(
    rule: Rule,
    models: Sequence[tuple[Shortlist, Units]],
    times: int,
    rng: np.random.Generator,
) -> Iterator[list[Draws]]:
    """Draw resamples for models with the same shortlist, whose other rows only count.

    Yield some of the resamples of each model at a time.
    """
    short, units = models[0]
    fills = [_filling(rule, few.units) for few, _ in models]
    for some in _batches(3 * short.units.size * units.cells.n_queries, times):
        drawn, seed = short.draw(some, rng), int(rng.integers(2**63))
        # The seed is always drawn, so that a model gets the same draws beside any other.
        yield [
            iter([fill(drawn)])
            if few.holds_first(drawn)
            else _unfolded(rule, few, every, drawn, seed)
            for fill, (few, every) in zip(fills, models, strict=True)
        ]


def _unfolded(rule: Rule, short: Shortlist, units: Units, drawn: Array, seed: int) -> Draws:
    fill, rng = _filling(rule, units), np.random.default_rng(seed)
    for one in drawn.T:
        yield fill(short.unfold(one, rng)[:, np.newaxis])


def _filling(rule: Rule, units: Units) -> Callable[[Array], OperatingPoints]:
    """Return a function from counts of draws (one row per unit, one column per
    resample) to points.
    """
    by_rows = needs_every_point(rule.depth, units.weight is not None)
    mass_of, rows_of, missing_of = units.matrices()

    def fill(drawn: Array) -> OperatingPoints:
        rows = (rows_of @ drawn).T if by_rows else None
        points = replace(units.cells, mass=(mass_of @ drawn).T, rows=rows).points(by_rows)
        if units.lacks:
            points = points.out_of(points.n_positives + (missing_of @ drawn).T.ravel())
        return points

    return fill


def draw_counts(
    cells: Cells, missing: int, times: int, rng: np.random.Generator, cut: Cut | None = None
) -> Draws:
    """Draw resamples of one ranking whose samples are the sampling units, from counts alone.

    With a cut-off, only the cells near the top are told apart. The positives and the negatives of
    all others are each drawn together.
    """
    n_near = near_cells(cells, cut)
    far, near_points = cells.mass[0, n_near:], np.array([0, n_near // 3])
    positive = np.arange(far.size) % 3 == 1
    others = [far[~positive].sum(), far[positive].sum(), missing]
    counts = np.append(cells.mass[0, :n_near], others)
    for some in _batches(counts.size, times):
        drawn = _draw_counts(counts, some, rng)
        near, (misses, hits, absent) = drawn[:, :n_near], drawn[:, n_near:].T
        k = 0 if cut is None else cut.of(drawn[:, :-1].sum(axis=1))
        if far.size == 1 or (near.sum(axis=1) >= k).all():
            points = Cells(near_points, np.column_stack([near, misses + hits])).points()
            found = points.n_positives + hits
        else:
            apart = np.empty((some, far.size), dtype=np.int64)
            for kind, number in ((positive, hits), (~positive, misses)):
                apart[:, kind] = rng.multinomial(number, far[kind] / far[kind].sum())
            points = replace(cells, mass=np.hstack([near, apart])).points()
            found = points.n_positives
        yield points.out_of(found + absent)


def values_of(rule: Rule, draws: Draws, n_queries: int) -> tuple[Array, Array]:
    """Compute the values of resamples, nan without positives, and count their positives.

    The result has one row per resample and one column per ranking.
    """
    each = [(rule.values(points), points.n_positives) for points in draws]
    values, positives = map(np.concatenate, zip(*each, strict=True))
    return values.reshape(-1, n_queries), positives.reshape(-1, n_queries)


def heights(area: Area, x: Array) -> Array:
    """Compute the height of each ranking's area at these shares of its width; 0 beyond its end.

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
    """Count the positives in the top of these shares of all samples.

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
    for drawn in _drawn(values.size, 1, times, rng):
        with np.errstate(invalid="ignore"):
            means.append((values * weight) @ drawn / (weight @ drawn))
    return np.concatenate(means)


def _drawn(size: int, n_queries: int, times: int, rng: np.random.Generator) -> Iterator[Array]:
    """Count how often each unit is drawn, with one row per unit and one column per resample."""
    for some in _batches(size * n_queries, times):
        place = rng.integers(0, size, (size, some))
        place *= some
        place += np.arange(some)
        yield np.bincount(place.ravel(), minlength=size * some).reshape(size, some)


def _draw_counts(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, and return their counts, with one row per resample."""
    # One draw per sample is faster than one binomial per cell, if the cell has few samples.
    few = np.flatnonzero(counts <= _FEW)
    cell = np.repeat(few, counts[few])
    many = np.flatnonzero(counts > _FEW)
    kinds = np.append(cell.size, counts[many])
    of_kinds = rng.multinomial(counts.sum(), kinds / counts.sum(), times)
    drawn = np.zeros((times, counts.size), dtype=np.int64)
    if cell.size:
        number = of_kinds[:, 0]
        place = cell[rng.integers(0, cell.size, number.sum())]
        place += counts.size * np.repeat(np.arange(times), number)
        drawn = np.bincount(place, minlength=drawn.size).reshape(drawn.shape)
    drawn[:, many] = of_kinds[:, 1:]
    return drawn


def _batches(cost: int, times: int) -> list[int]:
    at_once = max(_AT_ONCE // max(cost, 1), 1)
    return [min(at_once, times - start) for start in range(0, times, at_once)]
