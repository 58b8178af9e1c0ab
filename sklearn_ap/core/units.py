"""Cells of samples, and sampling units, which are drawn independently.

All samples in one cell have the same effect on every value. Each point has three cells, in this
order: the negatives between it and the previous point, its positives, and its negatives. Each
ranking ends with one more cell, the negatives below all of its positives.

A sampling unit is a sample or a cluster of samples.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array, hstack

from .keys import is_positive, rank
from .operating_points import (
    OperatingPoints,
    from_counts,
    from_keys,
    have_integers,
    sort_by_group,
    take_last,
)
from .ragged import (
    Array,
    compute_running_sum,
    divide_safely,
    get_previous,
    has_any,
    is_first,
    repeat_values,
    split_into_blocks,
    sum_rankings,
)
from .rankings import Rankings, UnscoredPositives
from .spread import TabulatedDeviations, compute_unit_mass, count_equal_parts

_MAX_UNITS_IN_MEMORY = 2**20  # units, arrays of which need much memory
_MAX_UNITS_WITH_ORDER = 2**17  # units whose order is kept, so that nothing is sorted twice
_MIN_SAMPLES_PER_POSITIVE = 16  # one positive out of this many samples


@dataclass(frozen=True, slots=True)
class Cells:
    """Contents of the cells of concatenated rankings. `offsets` are those of the points."""

    offsets: Array
    mass: Array  # one row for each resample of the rankings
    rows: Array | None = None  # numbers of samples; None if each of them weighs 1
    are_integers: Array | None = None  # whether a ranking's weights are; None if the dtype tells

    @property
    def n_rankings(self) -> int:
        return self.offsets.size - 1

    @property
    def size(self) -> int:
        return int(3 * self.offsets[-1] + self.n_rankings)

    @property
    def ends(self) -> Array:
        """Offsets of the cells of each ranking."""
        return 3 * self.offsets + np.arange(self.offsets.size)

    def fill(self, positive: Array | float, tied: Array | float, between: Array | float) -> Array:
        """Spread the values of points over their cells, with 0 below all positives."""
        return fill_cells(self.offsets, positive, tied, between)

    def points(self, every_point: bool = False) -> OperatingPoints:
        """Return the points with positives, or if a rule counts rows, all points with samples.

        The rankings of all resamples are concatenated.
        """
        rows = self.rows if every_point else None
        times, end = len(self.mass), _locate_last_cells(self.offsets)
        of_points = [_locate_cells(self.offsets, place) for place in range(3)]
        offsets = np.concatenate(([0], np.cumsum(np.tile(np.diff(self.offsets), times))))
        if rows is not None:  # all scores are points, with nothing in between
            n_rows = (rows[:, of_points[1]] + rows[:, of_points[2]]).ravel()
            with_rows = np.flatnonzero(n_rows)
            positives = self.mass[:, of_points[1]].ravel()[with_rows]
            tied = self.mass[:, of_points[2]].ravel()[with_rows]
            offsets = np.searchsorted(with_rows, offsets)
            return from_counts(positives, tied, offsets, rows=n_rows[with_rows])
        between, positives, tied = [self.mass[:, cells].ravel() for cells in of_points]
        cum_positives = compute_running_sum(positives, offsets)
        negatives = between + tied
        cum_negatives = compute_running_sum(negatives, offsets)
        n_positives = sum_rankings(positives, offsets)
        points = OperatingPoints(
            positives=positives,
            total=positives + tied,
            above=get_previous(cum_positives, offsets)
            + get_previous(cum_negatives, offsets)
            + between,
            cum_positives=cum_positives,
            cum_total=cum_positives + cum_negatives,
            offsets=offsets,
            n_positives=n_positives,
            n_samples=n_positives + sum_rankings(negatives, offsets) + self.mass[:, end].ravel(),
            are_integers=None if self.are_integers is None else np.tile(self.are_integers, times),
        )
        return points.keep_positive()


class SortedLabels(NamedTuple):
    """All labels, ranking by ranking, highest score first."""

    order: Array
    key: Array
    offsets: Array
    first: Array  # whether each score differs from the previous one in its ranking

    def with_narrow_order(self) -> Self:
        """Return the order of so few labels that 32 bits number them, without keys, which only
        points and cells need.
        """
        return self._replace(order=self.order.astype(np.int32), key=np.empty(0, self.key.dtype))

    def points(self, weight: Array | None = None, every_point: bool = False) -> OperatingPoints:
        """Return the points of one ranking, summed in the same order as by the metric."""
        weight = None if weight is None else weight[self.order]
        return from_keys(self.key, weight, self.offsets, every_point)

    def cells(self, every_point: bool = False) -> tuple[Array, Array]:
        """Return the cell of each label, in ranked order, and the offsets of the points.

        With `every_point`, all distinct scores are points, which rules need that count rows of
        weighted samples.
        """
        positive, first = is_positive(self.key), self.first
        leads = first if every_point else positive & first
        at_point = positive
        if every_point or has_any(positive[:-1] & ~(positive | first)[1:]):  # also tied negatives
            at_point = leads[first][first.cumsum() - 1]
        until = np.zeros(leads.size + 1, dtype=np.int64)
        number = leads.cumsum(out=until[1:])
        offsets = until[self.offsets]
        # Each point has three cells: the negatives between the previous point and this one, its
        # positives, and the negatives tied with these. After n points, they have the numbers 3n for
        # what is between, 3n - 2 for the positives of the last point, and 3n - 1 for what is tied.
        number *= 3
        number -= positive
        number -= at_point
        if offsets.size > 2:
            number += repeat_values(np.arange(offsets.size - 1), self.offsets)
        return number, offsets

    def arrange_by_label(self, values: Array, rankings: Rankings | None = None) -> Array:
        """Return values in ranked order in the order of the labels, and in their shape."""
        out = np.empty_like(values)
        out[self.order] = values
        if rankings is None:
            return out
        shape = rankings.scores.shape
        return out.reshape(shape[::-1]).T if rankings.is_columnwise else out.reshape(shape)


def _locate_cells(offsets: Array, place: int) -> slice | Array:
    """Return where the cells of points are that have this place among the three of each point."""
    if offsets.size == 2:
        return slice(place, 3 * int(offsets[1]), 3)
    first = 3 * np.arange(offsets[-1]) + repeat_values(np.arange(offsets.size - 1), offsets)
    return np.asarray(first + place)


def _locate_last_cells(offsets: Array) -> Array:
    """Return the index of the last cell of each ranking."""
    return np.asarray(3 * offsets[1:] + np.arange(offsets.size - 1))


def fill_cells(
    offsets: Array,
    positive: Array | float,
    tied: Array | float,
    between: Array | float,
    dtype: Any = float,
) -> Array:
    """Spread the values of points over cells, with 0 below all positives."""
    out = np.zeros(3 * int(offsets[-1]) + offsets.size - 1, dtype)
    for place, values in enumerate((between, positive, tied)):
        out[_locate_cells(offsets, place)] = values
    return out


def count_contents(points: OperatingPoints) -> tuple[Array, Array, Array]:
    """Count the positives at each point, the negatives tied with them, and the negatives between
    the previous point and this one.
    """
    above = points.above - get_previous(points.cum_total, points.offsets)
    return points.positives, points.total - points.positives, above


def make_point_cells(points: OperatingPoints) -> Cells:
    """Make the cells of points with positives."""
    offsets = points.offsets
    mass = fill_cells(offsets, *count_contents(points), points.total.dtype)
    mass[_locate_last_cells(offsets)] = points.n_samples - take_last(points.cum_total, offsets)
    return Cells(offsets, mass[np.newaxis])


def make_sample_cells(
    rankings: Rankings, every_point: bool
) -> tuple[Cells, Array, SortedLabels | None]:
    """Make the cells of all rankings.

    Also return the cell of each label, in the shape of the labels, and the labels in ranked order
    if there are weights or few samples.
    """
    if not every_point and is_large_ranking(rankings) and (found := _make_large_cells(rankings)):
        return *found, None
    in_order = rank_labels(rankings)
    number, point_offsets = in_order.cells(every_point)
    cell = in_order.arrange_by_label(number, rankings)
    n_cells = 3 * point_offsets[-1] + point_offsets.size - 1
    rows = np.bincount(cell.ravel(), minlength=n_cells)[np.newaxis]
    weight = rankings.weight
    if weight is None:
        return Cells(point_offsets, rows), cell, in_order if can_keep_order(rankings) else None
    weight = np.broadcast_to(weight if cell.ndim == 1 else weight[:, np.newaxis], cell.shape)
    mass = np.bincount(cell.ravel(), weight.ravel(), n_cells).astype(weight.dtype)
    are_integers = None
    if rankings.group is not None and weight.dtype.kind == "f":
        are_integers = have_integers(weight[in_order.order], in_order.offsets)
    return Cells(point_offsets, mass[np.newaxis], rows, are_integers), cell, in_order


def is_large_ranking(rankings: Rankings) -> bool:
    """Whether this is one ranking of so many samples without weights that memory matters."""
    is_one = rankings.labels.ndim == 1 and rankings.group is None and rankings.weight is None
    return is_one and rankings.labels.size > _MAX_UNITS_IN_MEMORY


def can_keep_order(rankings: Rankings) -> bool:
    """Whether these are so few samples that their order is kept."""
    return rankings.labels.size <= _MAX_UNITS_WITH_ORDER


def _make_large_cells(rankings: Rankings) -> tuple[Cells, Array] | None:
    """Make the cells of one ranking block by block, which needs little memory.

    Return None if there are no positives, or so many that sorting all samples takes less time.
    """
    labels, scores = rankings.labels, rankings.scores
    distinct = np.unique(scores[labels])
    n_points = distinct.size
    if not 0 < _MIN_SAMPLES_PER_POSITIVE * n_points <= labels.size:
        return None
    cell = np.empty(labels.size, dtype=np.int32)
    mass = np.zeros(3 * n_points + 1, dtype=np.int64)
    for block in split_into_blocks(labels.size, 16):
        order = scores[block].argsort()
        sorted_scores = scores[block].take(order)
        ends = sorted_scores.searchsorted(distinct, side="right")
        n_below = np.bincount(ends, minlength=order.size)[: order.size].cumsum()  # points
        is_tied = distinct.take(n_below, mode="clip") == sorted_scores  # with a positive
        # The cells of a point are those of negatives above it, of its positives, and of negatives
        # tied with them, from the highest score down.
        of_block = 3 * (n_points - n_below) - is_tied
        of_block -= is_tied & labels[block].take(order)
        cell[block][order] = of_block
        mass += np.bincount(of_block, minlength=mass.size)
    return Cells(np.array([0, n_points]), mass[np.newaxis]), cell


def rank_labels(rankings: Rankings) -> SortedLabels:
    """Sort the labels of each ranking, highest score first.

    Scores are compared exactly, in the type that they have. As float64, different integers could
    become ties.
    """
    labels, scores = rankings.labels, rankings.scores
    if rankings.is_columnwise:
        key, order = rank(labels.T, scores.T)
        offsets = len(scores) * np.arange(len(key) + 1)
        return _as_ranked_labels((order + offsets[:-1, np.newaxis]).ravel(), key.ravel(), offsets)
    key, order = rank(labels.ravel(), scores.ravel())
    if rankings.group is None or rankings.names is None:
        return _as_ranked_labels(order, key, np.array([0, key.size]))
    place, offsets = sort_by_group(np.arange(key.size), rankings.group[order], len(rankings.names))
    return _as_ranked_labels(order[place], key[place], offsets)


def _as_ranked_labels(order: Array, key: Array, offsets: Array) -> SortedLabels:
    return SortedLabels(order, key, offsets, is_first(key >> 1, offsets))


# --- sampling units ------------------------------------------------------------------------------


class PositiveUnits(NamedTuple):
    """How many units contain positives.

    If a few units contain most of them, a value depends on fewer units, namely on as many as would
    make the fractions of equal units add up to the same sum of squares.
    """

    n_units: Array  # that contain positives in each ranking, at least 1
    equal_units: Array  # equal units that would say as much about each ranking
    equal_units_of_mean: float  # equal units that would say as much about the mean
    mass: Array | None = None  # of positives in each cluster, of shape (n_rankings, n_clusters)

    @classmethod
    def equal(cls, n_units: Array) -> Self:
        """Return the numbers of a single ranking whose units are equal."""
        return cls(n_units, n_units, n_units.item())


def append_diagonal(rows: Any, diagonal: Array) -> Any:
    """Add one column to each row of a matrix, which contains nothing else."""
    columns = diags_array(diagonal)
    if isinstance(rows, np.ndarray | TabulatedDeviations):
        return np.hstack([np.asarray(rows), columns.toarray()])
    return hstack([rows, columns]).tocsr()


@dataclass(frozen=True, slots=True)
class SamplingUnits:
    """Samples in the cells of one ranking, or of one per column or group, and their sampling units.

    A positive that exists but was never scored is a unit too. `unscored` is how many of these each
    ranking has, which sums of weights can make a fraction, and `unscored_weight` what each of them
    weighs. Those of clusters are `unscored_in_clusters`.
    """

    rankings: Rankings
    cells: Cells
    cell: Array  # of each label
    in_order: SortedLabels | None  # None if there are many without weights
    cluster: Array | None  # of each sample; None if each sample is a unit
    n_scored: int  # units
    unscored: Array
    unscored_weight: Array
    unscored_in_clusters: UnscoredPositives | None = None

    @classmethod
    def from_rankings(
        cls, rankings: Rankings, cluster: Array | None = None, every_point: bool = False
    ) -> Self:
        """Make the units of checked input, before positives that were not scored are added."""
        cells, cell, in_order = make_sample_cells(rankings, every_point)
        n_scored = len(cell) if cluster is None else int(cluster.max(initial=-1)) + 1
        nothing = np.zeros(cells.n_rankings, dtype=np.int64)
        weight = np.ones(cells.n_rankings, dtype=np.int64)
        return cls(rankings, cells, cell, in_order, cluster, n_scored, nothing, weight)

    def with_unscored(self, in_clusters: UnscoredPositives | None) -> Self:
        """Add the positives that were not scored. Those `in_clusters` belong to clusters."""
        rankings, placed = self.rankings, np.zeros_like(self.unscored)
        if in_clusters is not None:
            placed = np.bincount(in_clusters.ranking, in_clusters.number, placed.size)
        return replace(
            self,
            unscored=np.maximum(rankings.count_existing(besides=placed) - rankings.n_found, 0),
            unscored_weight=rankings.weight_of_positives,
            unscored_in_clusters=in_clusters,
        )

    @property
    def n_unscored(self) -> list[int]:
        """Numbers of units that were not scored, one per ranking."""
        return [ceil(number) for number in self.unscored.tolist()]

    @property
    def together(self) -> list[int]:
        """Numbers of units that are drawn together, because there may be more than fit in memory:
        those that were not scored, for each ranking that has some.
        """
        return [number for number in self.n_unscored if number]

    @property
    def are_rows(self) -> bool:
        """Whether each unit is one row of equal weight, in one ranking, so that counts are enough
        to draw it.
        """
        rankings, n_rows = self.rankings, len(self.rankings.labels)
        are_apart = self.cluster is None or (
            n_rows == self.n_scored and np.bincount(self.cluster, minlength=1).max() == 1
        )
        is_in_one = (
            rankings.labels.ndim == 1
            and rankings.weight is None
            and self.unscored_in_clusters is None
        )
        return is_in_one and are_apart

    @property
    def size(self) -> int:
        return self.n_scored + sum(self.n_unscored)

    @property
    def has_unscored(self) -> bool:
        """Whether there are positives that were not scored."""
        return self.unscored_in_clusters is not None or bool(self.unscored.any())

    def has_same_rows(self, other: Self) -> bool:
        """Whether two models scored the same rows, so that their units consist of the same labels.

        Detectors share images, for example, but each of them finds boxes of its own.
        """
        pairs: Any = (
            (self.rankings.labels, other.rankings.labels),
            (self.rankings.group, other.rankings.group),
            (self.cluster, other.cluster),
        )
        return all(left is right or np.array_equal(left, right) for left, right in pairs)

    def count_positive_units(self, fractions: Array) -> PositiveUnits:
        """Count the units with positives in each ranking, and in the mean with these fractions."""
        if self.are_rows:
            positive = self.cells.mass[0] * self.cells.fill(1, 0, 0)
            exist = sum_rankings(positive, self.cells.ends).astype(np.int64) + self.n_unscored
            n_units, squares = np.maximum(exist, 1), divide_safely(np.square(fractions), exist, 0.0)
            of_mean = count_equal_parts(squares.sum(), exist[fractions > 0].sum())
            return PositiveUnits(n_units, n_units, of_mean.item())
        # The mass of positives in each unit, of shape (n_rankings, n_scored)
        mass_of_units = self.sum_by_unit(
            self.cells.fill(1.0, 0.0, 0.0), np.ones(self.unscored.size)
        )
        n_unscored = np.array(self.n_unscored)
        n_units = np.maximum((mass_of_units > 0).sum(axis=1) + n_unscored, 1)
        unscored_mass = self.unscored * self.unscored_weight
        mass = np.maximum(mass_of_units.sum(axis=1) + unscored_mass, np.finfo(float).tiny)
        squares_of_unscored = np.square(unscored_mass / mass) / np.maximum(n_unscored, 1)
        relative = mass_of_units / mass[:, np.newaxis]
        squares = (relative * relative).sum(axis=1) + squares_of_unscored
        equal_units = count_equal_parts(squares, n_units)
        in_mean = (fractions / mass) @ mass_of_units  # how much each unit counts
        squares = np.square(in_mean).sum() + np.square(fractions) @ squares_of_unscored
        n_in_mean = np.count_nonzero(in_mean) + n_unscored[fractions > 0].sum()
        of_mean = count_equal_parts(squares, n_in_mean)
        mass = None
        if self.cluster is not None and self.rankings.group is None:
            mass = mass_of_units
        return PositiveUnits(n_units, equal_units, of_mean.item(), mass)

    def compute_usual_weights(self) -> tuple[Array, Array]:
        """Compute the usual weights of negatives and of positives in each ranking, or that of all
        samples if there are none.
        """
        ends, are_positive = self.cells.ends, self.cells.fill(1.0, 0.0, 0.0)
        weights, squares = self.cells.mass[0] / self._heaviest, self._squares_in_cells()

        def compute_usual(are_counted: Array | float, otherwise: Array | float) -> Array:
            total = sum_rankings(weights * are_counted, ends)
            usual = compute_unit_mass(total, sum_rankings(squares * are_counted, ends), 1.0)
            return np.where(total == 0, otherwise, usual)

        of_all = compute_usual(1.0, 1.0)
        negative = compute_usual(1 - are_positive, of_all)
        positive = compute_usual(are_positive, of_all)
        return self._heaviest * negative, self._heaviest * positive

    @property
    def _heaviest(self) -> float:
        weight = self.rankings.weight
        return 1.0 if weight is None else float(weight.max(initial=0)) or 1.0

    def _squares_in_cells(self) -> Array:
        """Sum the squared weights of the labels in each cell, relative to the heaviest one."""
        weight = self.rankings.weight
        if weight is None:
            return np.asarray(self.cells.mass[0])
        squares = np.square(weight / self._heaviest)
        if self.cell.ndim == 2:
            squares = np.broadcast_to(squares[:, np.newaxis], self.cell.shape)
        return np.asarray(np.bincount(self.cell.ravel(), squares.ravel(), self.cells.size))

    def count_together(self, tied: Array, between: Array, usual: Array) -> Array:
        """Return how many negatives of the `usual` weight rank together in a unit, on average, in
        each ranking.

        The units are weighted by their squared influence, and the negatives at one score count
        together. If no negative is above a positive, all negatives of a unit do.
        """
        slope, ends = self.cells.fill(0.0, tied, between) * self._heaviest, self.cells.ends
        totals = self.sum_by_unit(slope / self._heaviest)
        together = (totals * totals).sum(axis=1)
        apart = sum_rankings(self._squares_in_cells() * slope * slope, ends)
        if (apart > 0).all():
            return np.asarray(together / apart)
        of_units = self.sum_by_unit((self.cells.fill(1.0, 0.0, 0.0) == 0).astype(float))
        n_units = np.maximum((of_units > 0).sum(axis=1), 1)
        of_each = of_units.sum(axis=1) / n_units / usual
        return np.asarray(np.divide(together, apart, out=of_each, where=apart > 0))

    def compute_weight_above(self, tied: Array, between: Array, usual: Array) -> Array:
        """Return the mean weight of the units of negatives in each ranking, weighted by their
        squared influence: that of those that are above positives, or the `usual` one if none is.
        """
        slope, ends = self.cells.fill(0.0, tied, between), self.cells.ends
        totals = self.sum_by_unit(slope)
        together = (totals * totals).sum(axis=1)
        apart = sum_rankings(self.cells.mass[0] * slope * slope, ends)
        return np.asarray(np.divide(together, apart, out=usual.copy(), where=apart > 0))

    def sum_by_unit(self, of_cells: Array, of_unscored: Array | None = None) -> Any:
        """Sum the values of cells over scored units, with one row per ranking and one column per
        unit.

        Unscored positives of clusters have the values `of_unscored`, one per ranking.
        With groups, the result is sparse. With millions of samples in one ranking, it is looked up.
        """
        weight, group = self.rankings.weight, self.rankings.group
        if self.cluster is None and is_large_ranking(self.rankings):
            return TabulatedDeviations([of_cells], [self.cell])
        values = of_cells[self.cell]
        if weight is not None:
            values *= weight if values.ndim == 1 else weight[:, np.newaxis]
        if group is not None:
            return self._sum_by_group(values, group, of_unscored)
        values = self._arrange_by_ranking(values)
        if self.cluster is None:
            return values
        return np.stack([np.bincount(self.cluster, row, self.n_scored) for row in values])

    def _sum_by_group(self, values: Array, group: Array, of_unscored: Array | None) -> csr_array:
        unit = np.arange(values.size) if self.cluster is None else self.cluster
        places = group, unit
        if self.unscored_in_clusters is not None and of_unscored is not None:
            ranking, cluster, number = self.unscored_in_clusters
            values = np.concatenate([values, of_unscored[ranking] * number])
            places = np.concatenate([group, ranking]), np.concatenate([unit, cluster])
        return coo_array((values, places), shape=(self.unscored.size, self.n_scored)).tocsr()

    def make_matrices(
        self, every_point: bool
    ) -> tuple[csr_array, csr_array | None, csr_array | None]:
        """Return mass by cell, samples by cell, and unscored positives by ranking, for all units.

        The shapes are (n_cells, n_units), the same, and (n_rankings, n_units). Those of a ranking
        that belong to no cluster are `together` in one column, after all scored units. Without
        `every_point`, samples are None, and so are unscored positives if there are none.
        """
        unit = np.arange(len(self.cell)) if self.cluster is None else self.cluster
        mass = self.rankings.weight
        if mass is None:
            mass = np.ones(unit.size, dtype=np.int64)
        if self.cell.ndim == 2:  # each sample has a cell in each column
            n_columns = self.cell.shape[1]
            unit = np.repeat(unit, n_columns)
            mass = np.repeat(mass, n_columns)

        cells, n_units = self.cell.ravel(), self.n_scored + int(np.count_nonzero(self.unscored))
        shape = self.cells.size, n_units
        mass_of = coo_array((mass, (cells, unit)), shape=shape).tocsr()
        samples_of = unscored_of = None
        if every_point:
            samples = np.ones(unit.size, dtype=np.int64)
            samples_of = coo_array((samples, (cells, unit)), shape=shape).tocsr()
        if self.has_unscored:
            unscored_of = self._make_unscored_matrix(n_units)
        return mass_of, samples_of, unscored_of

    def _make_unscored_matrix(self, n_units: int) -> csr_array:
        """Return unscored positives by ranking and unit, of shape (n_rankings, n_units)."""
        # A column counts as many times as it is `together`, so its mass is divided by that number.
        ranking = self.unscored.nonzero()[0]
        mass = (self.unscored * self.unscored_weight)[ranking] / self.together
        if not has_any(mass % 1):  # so that totals of integers stay such
            mass = mass.astype(np.int64)
        unit = self.n_scored + np.arange(ranking.size)
        if self.unscored_in_clusters is not None:  # as parts of clusters, which are scored units
            ranking = np.concatenate([ranking, self.unscored_in_clusters.ranking])
            mass = np.concatenate([mass, self.unscored_in_clusters.number])
            unit = np.concatenate([unit, self.unscored_in_clusters.cluster])
        return coo_array((mass, (ranking, unit)), shape=(self.unscored.size, n_units)).tocsr()

    def _arrange_by_ranking(self, of_labels: Array) -> Array:
        """Arrange values in one row per ranking, summed over columns that are one ranking."""
        if of_labels.ndim == 1:
            return of_labels[np.newaxis]
        if self.rankings.average == "micro":
            return np.asarray(of_labels.sum(axis=1)[np.newaxis])
        return of_labels.T
