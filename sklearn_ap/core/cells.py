"""Samples in cells: those in one cell do the same to every number that weights can change.

Each point has three cells, in this order: the negatives above it and below the point before, its
positives, and its negatives. A query ends in one more, the negatives below all its positives.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .keys import is_positive, pack
from .operating_points import OperatingPoints, first_of_equals, gather
from .rankings import Rankings
from .segments import Array, previous, spread
from .tallies import from_counts


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of queries laid end to end; `offsets` are those of the points."""

    offsets: Array
    mass: Array
    rows: Array | None = None  # how many samples; None while each of them weighs 1

    @property
    def n_queries(self) -> int:
        return self.offsets.size - 1

    @property
    def _points(self) -> Array:
        """The first cell of each point."""
        n_points = np.diff(self.offsets)
        return 3 * np.arange(self.offsets[-1]) + np.repeat(np.arange(n_points.size), n_points)

    @property
    def _last(self) -> Array:
        """The last cell of each query."""
        return 3 * self.offsets[1:] + np.arange(self.n_queries)

    @property
    def size(self) -> int:
        return int(3 * self.offsets[-1] + self.n_queries)

    def spread(self, positive: Array | float, tied: Array | float, between: Array | float) -> Array:
        """The values of the points cell by cell; 0 below all positives."""
        out = np.zeros(self.size)
        for place, values in enumerate((between, positive, tied)):
            out[self._points + place] = values
        return out

    def with_mass(self, mass: Array, rows: Array | None = None) -> Self:
        """Many times the same cells, one row of masses each."""
        times, n_points = len(mass), np.diff(self.offsets)
        offsets = np.concatenate(([0], np.cumsum(np.tile(n_points, times))))
        return type(self)(offsets, mass.ravel(), None if rows is None else rows.ravel())

    def points(self, by_rows: bool = False) -> OperatingPoints:
        """The points that hold positives, or all of them where a rule counts rows."""
        points, last = self._points, self._last
        n_bins = 2 * points.size + last.size
        above = 2 * np.arange(points.size) + spread(np.arange(self.n_queries), self.offsets)
        ends = 2 * self.offsets[1:] + np.arange(self.n_queries)
        positives, others = np.zeros((2, n_bins), dtype=self.mass.dtype)
        positives[above + 1] = self.mass[points + 1]
        others[above], others[above + 1] = self.mass[points], self.mass[points + 2]
        others[ends] = self.mass[last]
        offsets = np.append(0, ends + 1)
        if not by_rows or self.rows is None:
            return from_counts(positives, others, offsets)
        rows = np.zeros(n_bins, dtype=np.int64)
        rows[above], rows[ends] = self.rows[points], self.rows[last]
        rows[above + 1] = self.rows[points + 1] + self.rows[points + 2]
        every = from_counts(positives, others, offsets, rows)
        return every.take(np.flatnonzero(rows))


def of_points(points: OperatingPoints) -> Cells:
    """The cells of points that hold positives."""
    between = points.above - previous(points.cum_total, points.offsets)
    counts = between, points.positives, points.total - points.positives
    cells = Cells(points.offsets, np.zeros(0))
    mass = np.zeros(3 * between.size + points.n_queries, dtype=points.total.dtype)
    for place, values in enumerate(counts):
        mass[cells._points + place] = values
    ends = points.offsets[1:]
    last = np.where(points.offsets[:-1] < ends, points.cum_total.take(ends - 1, mode="clip"), 0)
    mass[cells._last] = points.n_samples - last
    return replace(cells, mass=mass)


def of_samples(rankings: Rankings, every: bool = False) -> tuple[Cells, Array]:
    """The cells of all queries, and the cell of each label, of the shape of the labels.

    With `every` all distinct scores are points, as rules need that count rows with weights.
    """
    order, key, offsets = _sort(rankings)
    positive = is_positive(key)
    first = first_of_equals(key >> 1, offsets)
    leads = first if every else positive & first
    at_point = positive
    if every:
        at_point = np.ones_like(positive)
    elif (first[1:] < (positive[:-1] & ~positive[1:])).any():  # negatives tied with positives
        at_point = leads[np.flatnonzero(first)][np.cumsum(first) - 1]
    number = np.cumsum(leads, dtype=np.int64)
    point_offsets = np.append(0, number)[offsets]
    number *= 3
    number -= positive
    number -= at_point
    number += spread(np.arange(offsets.size - 1), offsets)
    cell = np.empty_like(number)
    cell[order] = number
    by_column = rankings.scores.ndim == 2 and rankings.average != "micro"
    shape = rankings.scores.shape
    cell = cell.reshape(shape[::-1]).T if by_column else cell.reshape(shape)
    cells = Cells(point_offsets, np.zeros(0, dtype=np.int64))
    rows = np.bincount(cell.ravel(), minlength=cells.size)
    weight = rankings.weight
    if weight is None:
        return replace(cells, mass=rows), cell
    weight = np.broadcast_to(weight if cell.ndim == 1 else weight[:, np.newaxis], cell.shape)
    mass = np.bincount(cell.ravel(), weight.ravel(), cells.size).astype(weight.dtype)
    return replace(cells, mass=mass, rows=rows), cell


def _sort(rankings: Rankings) -> tuple[Array, Array, Array]:
    """The order of the labels query by query, best first, their keys and where queries start."""
    if rankings.group is not None and rankings.names is not None:
        key = pack(rankings.labels, rankings.scores)
        best_first = np.argsort(key)
        order, offsets = gather(best_first, rankings.group[best_first], len(rankings.names))
        return order, key[order], offsets
    if rankings.scores.ndim == 1 or rankings.average == "micro":
        key = pack(rankings.labels, rankings.scores)
        order = np.argsort(key)
        return order, key[order], np.array([0, key.size])
    n_classes, size = rankings.scores.T.shape
    key = pack(rankings.labels.T, rankings.scores.T)
    offsets = size * np.arange(n_classes + 1)
    order = np.argsort(key.reshape(n_classes, size), axis=1) + offsets[:-1, np.newaxis]
    return order.ravel(), key[order.ravel()], offsets
