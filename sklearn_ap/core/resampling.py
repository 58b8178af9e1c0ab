"""The bootstrap on the sorted state: units drawn with replacement are whole weights of cells."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .cells import Cells
from .operating_points import OperatingPoints
from .rules import Area, Rule
from .segments import Array, running_sum
from .units import Units

_AT_ONCE = 2**19  # numbers that are worked on together


Draws = Iterator[OperatingPoints]  # of many resamples at a time, laid end to end


def draw_units(rule: Rule, units: Units, times: int, rng: np.random.Generator) -> Draws:
    """Resamples of units, with the points that a rule needs.

    The draws depend on the number of units and of queries alone: models that are compared get the
    same.
    """
    by_rows = rule.depth is not None and rule.depth.by_rows and units.weight is not None
    mass_of, rows_of, missing_of = units.matrices()
    for drawn in _drawn(units.size, units.cells.n_queries, times, rng):
        rows = (rows_of @ drawn).T if by_rows else None
        points = replace(units.cells, mass=(mass_of @ drawn).T, rows=rows).points(by_rows)
        if units.lacks:
            points = points.out_of(points.n_positives + (missing_of @ drawn).T.ravel())
        yield points


def draw_counts(cells: Cells, missing: int, times: int, rng: np.random.Generator) -> Draws:
    """Resamples of one query whose samples are the units, from counts alone."""
    counts = np.append(cells.mass, missing)
    for some in _batches(counts.size, times):
        mass = _draw_counts(counts, some, rng)
        points = replace(cells, mass=mass[:, :-1]).points()
        yield points.out_of(points.n_positives + mass[:, -1])


def values_of(rule: Rule, draws: Draws, n_queries: int) -> tuple[Array, Array]:
    """The values of resamples, nan where one has no positives, and their positives.

    One row a resample, one column a query.
    """
    each = [(rule.values(points), points.n_positives) for points in draws]
    values, positives = map(np.concatenate, zip(*each, strict=True))
    return values.reshape(-1, n_queries), positives.reshape(-1, n_queries)


def heights(area: Area, x: Array) -> Array:
    """How high each query's area is at these shares of its width; 0 beyond its end.

    One row a query; nan where the area is undefined.
    """
    out = np.full((area.whole.size, x.size), np.nan)
    width = running_sum(area.width, area.offsets)
    for query, whole in enumerate(area.whole.tolist()):
        if whole:
            held = slice(area.offsets[query], area.offsets[query + 1])
            place = np.searchsorted(width[held], x * whole * (1 - 1e-9))
            out[query] = np.append(area.height[held], 0.0)[place]
    return out


def resample_means(values: Array, weight: Array, times: int, rng: np.random.Generator) -> Array:
    """The weighted means of values drawn with replacement."""
    means = []
    for drawn in _drawn(values.size, 1, times, rng):
        with np.errstate(invalid="ignore"):
            means.append((values * weight) @ drawn / (weight @ drawn))
    return np.concatenate(means)


def _drawn(size: int, n_queries: int, times: int, rng: np.random.Generator) -> Iterator[Array]:
    """How often each unit is drawn: one row a unit, one column a resample."""
    for some in _batches(size * n_queries, times):
        place = rng.integers(0, size, (size, some))
        place *= some
        place += np.arange(some)
        yield np.bincount(place.ravel(), minlength=size * some).reshape(size, some)


def _draw_counts(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Counts in as many draws as there are, one row a resample."""
    size = int(counts.sum())
    if size > 8 * counts.size:  # a binomial a cell costs less than a draw a sample
        return rng.multinomial(size, counts / size, times)
    cell = np.repeat(np.arange(counts.size), counts)
    place = cell[rng.integers(0, size, (times, size))]
    place += counts.size * np.arange(times)[:, np.newaxis]
    drawn = np.bincount(place.ravel(), minlength=counts.size * times)
    return drawn.reshape(times, counts.size)


def _batches(cost: int, times: int) -> list[int]:
    at_once = max(_AT_ONCE // max(cost, 1), 1)
    return [min(at_once, times - start) for start in range(0, times, at_once)]
