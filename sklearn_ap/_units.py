"""What is drawn: rows, clusters of rows, or groups; and rows that are sorted once for all of it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ._data import Rankings
from ._evaluate import add_existing, check_weights
from ._points import Array, Points, find_offsets, make_points, pack, sort_with_order
from ._rules import PointRule


class NoIntervalError(ValueError):
    """Nothing is known about how much a value varies; `reason` says why, in a table."""

    def __init__(self, message: str, reason: str = "no interval") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Units:
    """What is drawn: clusters of rows, or rows."""

    n_rows: int
    cluster: Array | None = None  # of each row, numbered from 0
    cluster_word: str = "cluster"
    group_word: str = "group"

    def find_clusters_of_groups(self, rankings: Rankings) -> Array | None:
        """Return the cluster of each group, None if clusters aren't made of whole groups."""
        n = rankings.n_rankings
        if self.cluster is None:
            return np.arange(n)
        if rankings.kind == "rows":  # each row of a matrix is a ranking
            return self.cluster
        of_group = self.cluster.max() + 1 + np.arange(n)  # for groups without rows
        of_group[rankings.group] = self.cluster
        are_whole = (of_group[rankings.group] == self.cluster).all()
        return of_group if are_whole else None

    def number_samples(self, rankings: Rankings) -> Array:
        """Return the number of the unit of each sample: entries of a row belong together."""
        unit = np.arange(self.n_rows) if self.cluster is None else self.cluster
        times = rankings.scores.size // self.n_rows
        if times == 1:
            return unit
        return np.repeat(unit, times) if rankings.group is None else np.tile(unit, times)


def count(number: int, what: str) -> str:
    """Write a number and what it counts, such as "3,522 accounts"."""
    if number == 1:
        return f"1 {what}"
    if what.endswith("y") and what[-2:-1] not in "aeiou":
        return f"{number:,} {what[:-1]}ies"
    return f"{number:,} {what}{'es' if what.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def count_positive_rows(rankings: Rankings) -> float:
    """Count positive samples, or as many as the caller says that exist."""
    if rankings.n_positives is not None:
        return float(rankings.n_positives.sum())
    return float(np.count_nonzero(rankings.labels > 0))


def check_units(number: int) -> None:
    if number < 2:
        raise NoIntervalError("An interval needs at least two sampling units.")


def check_positives(exist: Array, rankings: Rankings, zero_division: float | str = "warn") -> None:
    """Refuse a ranking without positives, unless it is a group, or doesn't count in the mean."""
    are_groups = rankings.kind == "groups"
    is_left_out = rankings.average == "weighted" or zero_division != zero_division
    if (exist > 0).all() or ((are_groups or is_left_out) and exist.any()):
        return
    where = ""
    if rankings.names is not None:
        where = f" in {rankings.names[int(np.argmin(exist))]!r}"
    raise NoIntervalError(f"y_true has no positives{where}.", "no positives")


# --- samples in order -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ranked:
    """Samples in the order of their scores, apart in each ranking, whatever they weigh."""

    order: Array
    is_hit: Array  # of samples in order
    is_first: Array  # whether a sample has another score than the one before; and the end of all
    ends: Array  # where rankings begin among the samples, and the end of all

    @classmethod
    def sort(cls, rankings: Rankings) -> Self:
        keys = pack(rankings.labels, rankings.scores)
        ends = find_offsets(rankings.scores.shape, rankings.group, rankings.n_rankings)
        order, is_hit, is_first = sort_with_order(keys, ends, rankings.group)
        return cls(order, is_hit, is_first, ends)

    def take_top(self, most: Array) -> Self:
        """Return so many samples from the top of each ranking."""
        sizes = np.diff(self.ends)
        start = np.repeat(self.ends[:-1] + most, sizes)
        near = np.flatnonzero(np.arange(self.order.size) < start)
        sizes = np.minimum(sizes, most)
        return type(self)(
            self.order[near],
            self.is_hit[near],
            np.append(self.is_first[near], True),
            np.append(0, np.cumsum(sizes)),
        )

    @cached_property
    def first(self) -> Array:
        """Where samples of another score begin."""
        return np.flatnonzero(self.is_first[:-1])

    @cached_property
    def offsets(self) -> Array:
        """Where rankings begin among the distinct scores, and the end of all."""
        return np.searchsorted(self.first, self.ends)

    @cached_property
    def counts(self) -> Array:
        """How many samples have each score."""
        return np.diff(self.first, append=self.order.size)

    @property
    def has_ties(self) -> bool:
        return self.first.size < self.order.size

    @cached_property
    def with_hits(self) -> Array:
        """Which of the distinct scores positives have."""
        if not self.has_ties:
            return np.flatnonzero(self.is_hit)
        return np.flatnonzero(np.logical_or.reduceat(self.is_hit, self.first))

    def count_points(self, weight: Array | None, every_point: bool) -> Points:
        """Return the points that have positives, or all points."""
        in_order = None if weight is None else weight[self.order]
        return make_points(self.is_hit, self.is_first, self.ends, None, in_order, every_point)


class Rows:
    """Rows or clusters that are drawn. They are in one ranking, or in several whose mean is taken,
    such as classes.
    """

    def __init__(self, rule: PointRule, rankings: Rankings, units: Units) -> None:
        self.rule, self.rankings, self.units = rule, rankings, units
        self.n_rankings = rankings.n_rankings
        self.weight = check_weights(rule, rankings)
        self.unit = units.number_samples(rankings)  # of each sample
        self.n_units = units.n_rows if units.cluster is None else int(units.cluster.max()) + 1
        self.ranked = Ranked.sort(rankings)
        points = self.ranked.count_points(self.weight, rule.needs_every_point)
        found = points.n_positives
        points = add_existing(points, rankings.n_positives, rankings.names)
        self.points, self.exist = points, points.n_positives
        # How many positives of each ranking weren't scored, and what each of these weighs
        self.missing, self.missing_weight = self._count_missing(self.exist - found, found)
        self.n_missing = np.ceil(self.missing * (1 - 1e-9)).astype(np.int64)
        self.values = np.nan_to_num(rule.values(points))

    def _count_missing(self, mass: Array, found: Array) -> tuple[Array, Array]:
        """Positives that weren't scored weigh what the others of their ranking do on average."""
        if self.weight is None or not mass.any():
            return mass, np.ones_like(mass)
        n_found = np.bincount(self.group, self.rankings.labels, self.n_rankings)
        of_all = found.sum() / n_found.sum() if n_found.any() else self.mass.mean()
        usual = np.divide(found, n_found, out=np.full(mass.size, of_all), where=n_found > 0)
        return mass / usual, usual

    @property
    def group(self) -> Array:
        group = self.rankings.group
        return np.zeros(self.unit.size, np.int64) if group is None else group

    @property
    def mass(self) -> Array:
        return np.ones(self.unit.size) if self.weight is None else self.weight.astype(float)

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """The ranking of each pair of a ranking and a unit in it, and the pair of each sample."""
        if self.n_rankings == 1:
            return np.zeros(self.n_units, np.int64), self.unit
        pairs, of_sample = np.unique(self.group * self.n_units + self.unit, return_inverse=True)
        return pairs // self.n_units, of_sample

    @property
    def are_rows(self) -> bool:
        """Whether each sample is a unit of its own, but for those of other classes."""
        is_micro = self.rankings.group is None and self.unit.size > self.n_units
        return self.units.cluster is None and not is_micro

    def count_units(self, fractions: Array) -> tuple[float, Array, Array, str]:
        """Count how many equal units with positives say as much about the mean, and about each
        ranking, and how many units each has. Positives that weren't scored are units of their own.
        """
        is_positive, missing, exist = self.rankings.labels, self.missing, self.exist
        group, unit, mass = self.group[is_positive], self.unit[is_positive], self.mass[is_positive]
        ranking, of_pairs = group, mass  # of each unit in each ranking
        if not self.are_rows:
            ranking, pair = self.pairs
            of_pairs = np.bincount(pair[is_positive], mass, ranking.size)
        n_missing = self.n_missing
        of_missing = (missing * self.missing_weight) ** 2 / np.maximum(n_missing, 1)
        squares = np.bincount(ranking, of_pairs**2, exist.size) + of_missing
        of_each = np.divide(exist**2, squares, out=np.zeros(exist.size), where=squares > 0)
        in_mean = np.bincount(unit, mass * (fractions / np.maximum(exist, 1e-300))[group])
        lacking = np.sum(fractions**2 * of_missing / np.where(exist > 0, exist, 1) ** 2)
        in_each = np.bincount(ranking, of_pairs > 0, exist.size) + n_missing
        n_units = np.count_nonzero(in_mean) + int(n_missing.sum())
        equal = 1 / (np.sum(in_mean**2) + lacking)
        equal = float(n_units if equal > n_units * (1 - 1e-9) else equal)

        basis = count(int(np.count_nonzero(of_pairs) + n_missing.sum()), "positive")
        if self.units.cluster is not None:
            n_clusters = int(np.count_nonzero(np.bincount(self.units.cluster)))
            basis = f"{count(n_clusters, self.units.cluster_word)}, {n_units:,} with positives"
        if exist.size > 1:
            word = self.units.group_word if self.rankings.kind == "groups" else "class"
            basis = f"{count(exist.size, word)}, {basis}"
        if equal < 30 and equal < 0.95 * n_units:
            basis += f", worth {equal:.0f} equal ones"
        return equal, of_each, in_each, basis
