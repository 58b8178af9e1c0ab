"""Sampling units: rows, clusters of rows, or groups; and how many equal ones say as much.

Samples belong to units, and to rankings. In formulas, R is the mass of the positives of a ranking,
m the mass of the positives of a unit, and u the number of equal units that say as much.
"""

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np

from .._core import Array, PointRule, Rankings, add_existing
from .._core.steps import SortedSamples, average_values
from ..exceptions import NoIntervalError


@dataclass(frozen=True)
class SamplingUnits:
    """The sampling units, which are rows, or clusters of rows."""

    n_rows: int
    cluster: Array | None = None  # of each row, numbered from 0
    cluster_word: str = "cluster"
    group_word: str = "group"
    of_groups: Array | None = None  # the cluster of each group, if the names of groups tell it
    are_crossed: bool = False  # with units of another kind, so that all seeds rank the same rows

    def find_clusters_of_groups(self, rankings: Rankings) -> Array | None:
        """Return the cluster of each group, None if clusters aren't made of whole groups."""
        groups = np.arange(rankings.n_rankings)
        if self.cluster is None:
            return groups
        if self.of_groups is not None:
            return self.of_groups
        if rankings.source == "rows":  # each row of a matrix is a ranking
            return self.cluster
        of_group = self.cluster.max(initial=-1) + 1 + groups  # for groups without rows
        of_group[rankings.group_codes] = self.cluster
        are_whole = (of_group[rankings.group_codes] == self.cluster).all()
        return of_group if are_whole else None

    def number_samples(self, rankings: Rankings) -> Array:
        """Return the number of the unit of each sample: entries of a row belong together."""
        unit = np.arange(self.n_rows) if self.cluster is None else self.cluster
        times = rankings.scores.size // max(self.n_rows, 1)
        if times == 1:
            return unit
        return np.repeat(unit, times) if rankings.group_codes is None else np.tile(unit, times)


def write_count(number: int, what: str) -> str:
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


def count_once(rankings: Rankings, units: SamplingUnits) -> tuple[int, float]:
    """Count samples and positives, or once those that all groups rank, as seeds the rows of a test
    set.

    Units show that: each has as many samples, and as many positives, in all groups that rank it.
    An image has other objects in each class.
    """
    n_positives = count_positive_rows(rankings)
    are_groups = rankings.source == "groups" and rankings.n_positives is None
    if not are_groups or rankings.group_codes is None or units.cluster is None:
        return units.n_rows, n_positives
    n_units = int(units.cluster.max(initial=-1)) + 1
    pairs, pair = np.unique(rankings.group_codes * n_units + units.cluster, return_inverse=True)
    n_once = []
    for n_each in (np.bincount(pair), np.bincount(pair, rankings.labels > 0)):
        of_unit = np.zeros(n_units)
        of_unit[pairs % n_units] = n_each
        if (of_unit[pairs % n_units] != n_each).any():
            return units.n_rows, n_positives
        n_once.append(of_unit.sum())
    return int(n_once[0]), float(n_once[1])


def check_units(number: int) -> None:
    if number < 2:
        raise NoIntervalError("An interval needs at least two sampling units.")


def check_positives(n_positives: Array, rankings: Rankings, zero_division: float | str) -> None:
    """Refuse a ranking without positives, unless it is a group, or doesn't count in the mean."""
    are_groups = rankings.source == "groups"
    is_left_out = rankings.average == "weighted" or zero_division != zero_division
    if (n_positives > 0).all() or ((are_groups or is_left_out) and n_positives.any()):
        return
    where = ""
    if rankings.names is not None:
        where = f" in {rankings.names[int(np.argmin(n_positives))]!r}"
    raise NoIntervalError(f"y_true has no positives{where}.", "no positives")


def sort_samples(rankings: Rankings) -> SortedSamples:
    """Sort the samples of rankings, apart in each of them."""
    positive, scores = rankings.labels, rankings.scores
    return SortedSamples.sort(positive, scores, rankings.group_codes, rankings.n_rankings)


def rescale(weight: Array | None) -> Array | None:
    """Divide weights by a power of two, if their squares are more or less than a float can hold."""
    exponent = 0 if weight is None else int(np.frexp(weight.max())[1])
    if weight is None or abs(exponent) < 500:
        return weight
    return np.maximum(np.ldexp(weight, -exponent), np.finfo(float).smallest_subnormal)


# --- units of rows --------------------------------------------------------------------------------


class SampledRankings:
    """The values of rankings whose sampling units are rows or clusters of rows.

    There is one ranking, or several whose mean is taken, such as classes. Positives that weren't
    scored are units of their own, which weigh what the other positives of their ranking do.
    """

    def __init__(
        self, rule: PointRule, rankings: Rankings, units: SamplingUnits, zero_division: float | str
    ) -> None:
        self.rule, self.rankings, self.units = rule, rankings, units
        self.n_rankings = rankings.n_rankings
        self.is_positive = rankings.labels
        self.positives = np.flatnonzero(self.is_positive)
        # The unit, the ranking and the weight of each sample, which as mass is 1 without weights
        self.unit = units.number_samples(rankings)
        n = self.unit.size
        self.group = np.broadcast_to(0, n) if rankings.group_codes is None else rankings.group_codes
        has_counts = rankings.n_positives is not None
        self.weight = rule.choose_weights(rankings.weight, has_counts)
        is_mass = isinstance(rule.k, Integral) and rule.k_counts != "samples"
        if not has_counts and not is_mass:  # these would have to be rescaled, too
            self.weight = rescale(self.weight)
        self.mass = np.broadcast_to(1.0, n) if self.weight is None else self.weight.astype(float)
        self.n_units = units.n_rows if units.cluster is None else int(units.cluster.max()) + 1
        # A micro average ranks all entries of a matrix together, so that a row has several samples.
        self.is_micro = self.n_rankings == 1 and n > units.n_rows
        self.units_are_samples = units.cluster is None and not self.is_micro  # in each ranking

        self.samples = sort_samples(rankings)
        points = self.samples.make_points(self.weight, rule.needs_every_point)
        self.points = add_existing(points, rankings.n_positives, rankings.names)
        self.n_positives = self.points.n_positives  # R of each ranking
        check_positives(self.n_positives, rankings, zero_division)
        # Unscored positives of each ranking. With weights, their number may have a fraction.
        self.unscored_weight = self._weigh_unscored(points.n_positives)
        self.n_unscored = (self.n_positives - points.n_positives) / self.unscored_weight
        self.n_unscored_units = np.ceil(self.n_unscored * (1 - 1e-9)).astype(np.int64)
        unscored = self.n_unscored * self.unscored_weight
        self.unscored_squares = unscored**2 / np.maximum(self.n_unscored_units, 1)  # sum m^2
        n_found = np.count_nonzero(np.bincount(self.unit[self.positives]))
        self.n_with_positives = int(n_found + self.n_unscored_units.sum())  # units in any ranking

        values = rule.values(self.points)
        self.value = average_values(rule, values, self.n_positives, rankings, zero_division)
        self.values = np.nan_to_num(values)
        counted = self.n_positives if rankings.average == "weighted" else np.ones(self.n_rankings)
        if zero_division != zero_division:  # nan leaves out rankings without positives
            counted = np.where(self.n_positives == 0, 0, counted)
        self.fractions = counted / counted.sum()  # the mean is the sum of fraction * value
        self.has_several = bool(np.count_nonzero(counted) > self.n_shared)

    def _weigh_unscored(self, found: Array) -> Array:
        """Compute the mean weight of the positives that were scored in each ranking, or for a
        ranking without any, in all rankings.
        """
        if self.weight is None or (found == self.n_positives).all():
            return np.ones_like(self.n_positives)  # Whole numbers stay integers.
        n_found = np.bincount(self.group, self.is_positive, self.n_rankings)
        of_all = found.sum() / n_found.sum() if n_found.any() else self.mass.mean()
        return np.where(n_found > 0, found / np.maximum(n_found, 1), of_all)

    @cached_property
    def n_shared(self) -> float:
        """In how many groups a unit is ranked on average: a test row in those of all seeds."""
        return self.pairs[0].size / self.n_units if self.units.are_crossed else 1.0

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """The ranking of each pair of a ranking and a unit in it, and the pair of each sample."""
        if self.n_rankings == 1:
            return np.zeros(self.n_units, np.int64), self.unit
        keys, pair = np.unique(self.group * self.n_units + self.unit, return_inverse=True)
        return keys // self.n_units, pair

    @cached_property
    def positive_masses(self) -> tuple[Array, Array]:
        """The ranking and m of each pair of a ranking and a unit in it, without unscored units."""
        weight = self.mass[self.positives]
        if self.units_are_samples:
            return self.group[self.positives], weight
        ranking, pair = self.pairs
        return ranking, np.bincount(pair[self.positives], weight, ranking.size)

    def count_positive_mass(self) -> Array:
        """Return the mass of the positives of each unit, without unscored ones."""
        unit, mass = self.unit[self.positives], self.mass[self.positives]
        return np.asarray(np.bincount(unit, mass, self.n_units))

    def count_units_in_each(self) -> Array:
        """Count the units with positives in each ranking."""
        ranking, m = self.positive_masses
        return np.asarray(np.bincount(ranking, m > 0, self.n_rankings) + self.n_unscored_units)

    def count_equal_in_each(self) -> Array:
        """Count the equal units that say as much about each ranking: u = R^2 / sum m^2."""
        ranking, m = self.positive_masses
        squares = np.bincount(ranking, m**2, self.n_rankings) + self.unscored_squares
        return np.asarray(self.n_positives**2 / np.where(squares > 0, squares, np.inf))

    def count_equal_in_mean(self) -> float:
        """Count the equal units that say as much about the mean: u = 1 / sum m^2.

        Here, m is the sum of fraction * weight / R over a unit's positives, so that sum m = 1.
        """
        R = np.where(self.n_positives > 0, self.n_positives, 1)
        terms = self.mass[self.positives] * (self.fractions / R)[self.group[self.positives]]
        is_one = self.units_are_samples and self.n_rankings == 1
        m = terms if is_one else np.bincount(self.unit[self.positives], terms)
        unscored = np.sum(self.fractions**2 * self.unscored_squares / R**2)
        n_equal, most = 1 / (np.sum(m**2) + unscored), self.n_with_positives
        return float(most if n_equal > most * (1 - 1e-9) else n_equal)  # by rounding

    def find_lone(self, n_equal: Array) -> Array:
        """Return the parts of a mean that rest on fewer than two equal units, and 0 for others."""
        return np.where(self.has_several & (n_equal < 2), self.fractions * self.values, 0.0)

    def describe_basis(self, n_equal: float) -> str:
        """Say what the value rests on, such as "3,522 accounts, 200 with positives"."""
        basis = write_count(int(self.count_units_in_each().sum()), "positive")
        if self.units.cluster is not None:
            clusters = write_count(self.n_units, self.units.cluster_word)
            n_unscored = int(self.n_unscored_units.sum())
            basis = f"{clusters}, {self.n_with_positives - n_unscored:,} with positives"
            if n_unscored:
                basis += f", {write_count(n_unscored, 'positive')} without a score"
        if self.n_rankings > 1:
            word = self.units.group_word if self.rankings.source == "groups" else "class"
            basis = f"{write_count(self.n_rankings, word)}, {basis}"
        if n_equal < 30 and n_equal < 0.95 * self.n_with_positives:
            basis += f", worth {n_equal:.0f} equal ones"
        return basis
