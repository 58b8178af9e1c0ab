"""Cells of samples: all samples in one cell have the same effect on every value.

Each point has three cells, in this order: the negatives between it and the previous point, its
positives, and its negatives. Each ranking ends with one more cell, the negatives below all of its
positives.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .keys import is_positive, pack, rank
from .operating_points import (
    OperatingPoints,
    first_of_equals,
    from_keys,
    gather,
    have_integers,
    last_of_each,
)
from .rankings import Rankings
from .segments import Array, previous, running_sum, spread, sums
from .tallies import from_counts


@dataclass(frozen=True, slots=True)
class Cells:
    """Contents of the cells of concatenated rankings. `offsets` are those of the points."""

    offsets: Array
    mass: Array  # one row for each resample of the rankings
    rows: Array | None = None  # numbers of samples; None if each of them weighs 1
    whole: Array | None = None  # rankings with integer weights; None if the dtype tells

    @property
    def n_queries(self) -> int:
        return self.offsets.size - 1

    @property
    def size(self) -> int:
        return int(3 * self.offsets[-1] + self.n_queries)

    def spread(self, positive: Array | float, tied: Array | float, between: Array | float) -> Array:
        """Spread the values of points over their cells, with 0 below all positives."""
        out, first = np.zeros(self.size), _first(self.offsets)
        for place, values in enumerate((between, positive, tied)):
            out[first + place] = values
        return out

    def points(self, by_rows: bool = False) -> OperatingPoints:
        """Return the points with positives, or if a rule counts rows, all points with samples.

        The rankings of all resamples are concatenated.
        """
        times, first, end = len(self.mass), _first(self.offsets), _last(self.offsets)
        offsets = np.concatenate(([0], np.cumsum(np.tile(np.diff(self.offsets), times))))
        if by_rows and self.rows is not None:  # all scores are points, with nothing in between
            at = (self.rows[:, first + 1] + self.rows[:, first + 2]).ravel()
            held = np.flatnonzero(at)
            positives, tied = (self.mass[:, first + place].ravel()[held] for place in (1, 2))
            return from_counts(positives, tied, np.searchsorted(held, offsets), rows=at[held])
        between, positives, tied = (self.mass[:, first + place].ravel() for place in range(3))
        cum_positives = running_sum(positives, offsets)
        others = between + tied
        cum_others = running_sum(others, offsets)
        n_positives = sums(positives, offsets)
        every = OperatingPoints(
            positives=positives,
            total=positives + tied,
            above=previous(cum_positives, offsets) + previous(cum_others, offsets) + between,
            cum_positives=cum_positives,
            cum_total=cum_positives + cum_others,
            offsets=offsets,
            n_positives=n_positives,
            n_samples=n_positives + sums(others, offsets) + self.mass[:, end].ravel(),
            whole=None if self.whole is None else np.tile(self.whole, times),
        )
        return every.where_positive()


class InOrder(NamedTuple):
    """All labels, ranking by ranking, highest score first."""

    order: Array
    key: Array
    offsets: Array

    def points(self, weight: Array, by_rows: bool) -> OperatingPoints:
        """Return the points of one ranking, summed in the same order as by the metric."""
        return from_keys(self.key.copy(), weight[self.order], self.offsets, by_rows)


def _first(offsets: Array) -> Array:
    """Return the index of the first cell of each point."""
    n_points = np.diff(offsets)
    return 3 * np.arange(offsets[-1]) + np.repeat(np.arange(n_points.size), n_points)


def _last(offsets: Array) -> Array:
    """Return the index of the last cell of each ranking."""
    return 3 * offsets[1:] + np.arange(offsets.size - 1)


def of_points(points: OperatingPoints) -> Cells:
    """Make the cells of points with positives."""
    offsets, first = points.offsets, _first(points.offsets)
    between = points.above - previous(points.cum_total, offsets)
    mass = np.zeros(3 * between.size + points.n_queries, dtype=points.total.dtype)
    for place, held in enumerate((between, points.positives, points.total - points.positives)):
        mass[first + place] = held
    mass[_last(offsets)] = points.n_samples - last_of_each(points.cum_total, offsets)
    return Cells(offsets, mass[np.newaxis])


def of_samples(rankings: Rankings, every: bool = False) -> tuple[Cells, Array, InOrder]:
    """Make the cells of all rankings.

    Also return the cell of each label, in the shape of the labels, and the labels in ranked order.

    With `every`, all distinct scores are points, which rules need that count rows of weighted
    samples.
    """
    order, key, offsets = in_order = _sort(rankings)
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
    n_cells = 3 * point_offsets[-1] + offsets.size - 1
    rows = np.bincount(cell.ravel(), minlength=n_cells)[np.newaxis]
    weight = rankings.weight
    if weight is None:
        return Cells(point_offsets, rows), cell, in_order
    weight = np.broadcast_to(weight if cell.ndim == 1 else weight[:, np.newaxis], cell.shape)
    mass = np.bincount(cell.ravel(), weight.ravel(), n_cells).astype(weight.dtype)
    whole = None
    if rankings.group is not None and weight.dtype.kind == "f":
        whole = have_integers(weight[order], offsets)
    return Cells(point_offsets, mass[np.newaxis], rows, whole), cell, in_order


def rank_alike(one: Rankings, other: Rankings) -> bool:
    """Whether two models rank the samples of each ranking in the same order, with the same ties.

    The scores themselves may differ: probabilities rank like the logits that they come from.
    """
    return np.array_equal(_place(one), _place(other))


def _place(rankings: Rankings) -> Array:
    """Number the distinct pairs of score and label in each ranking, for each sample."""
    if rankings.average == "samples":  # rows are rankings
        labels, scores = rankings.labels.T, rankings.scores.T
        rankings = replace(rankings, labels=labels, scores=scores, average="macro")
    return of_samples(replace(rankings, weight=None), every=True)[1]


def _sort(rankings: Rankings) -> InOrder:
    if rankings.group is not None and rankings.names is not None:
        key = pack(rankings.labels, rankings.scores).values
        best_first = np.argsort(key)
        order, offsets = gather(best_first, rankings.group[best_first], len(rankings.names))
        return InOrder(order, key[order], offsets)
    if rankings.scores.ndim == 1 or rankings.average == "micro":
        labels, scores = rankings.labels.ravel(), rankings.scores.ravel()
        key, order = rank(labels, scores, np.arange(labels.size))
        return InOrder(order, key, np.array([0, key.size]))
    n_classes, size = rankings.scores.T.shape
    key = pack(rankings.labels.T, rankings.scores.T).values
    offsets = size * np.arange(n_classes + 1)
    order = np.argsort(key.reshape(n_classes, size), axis=1) + offsets[:-1, np.newaxis]
    return InOrder(order.ravel(), key[order.ravel()], offsets)
