"""Sampling units: rows, clusters of rows, or groups; and how many equal ones say as much.

Samples belong to units, and to rankings. In formulas, R is the mass of the positives of a ranking,
m the mass of the positives of a unit, and u the effective number of units.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np

from .._core import (
    PerRanking,
    PerSample,
    PointRule,
    Rankings,
    Rule,
    SortedSamples,
    average_values,
    choose_ranking_weights,
    encode_groups,
    fill_undefined,
    is_missing,
    set_existing,
)
from ..exceptions import NoIntervalError


@dataclass(frozen=True)
class SamplingUnits:
    """The sampling units, which are rows, or clusters of rows."""

    n_rows: int
    cluster_codes: PerSample | None = None  # the cluster of each row, numbered from 0
    cluster_names: Sequence[Any] = ()  # of all clusters, also those without rows here
    cluster_word: str = "cluster"
    group_words: tuple[str, ...] = ("group",)  # of each column that groups are made of
    group_column: int | None = None  # the column of groups that has the clusters, if one has

    @property
    def n_units(self) -> int:
        return self.n_rows if self.cluster_codes is None else len(self.cluster_names)

    @property
    def group_word(self) -> str:
        return self.group_words[0] if len(self.group_words) == 1 else "group"

    def name_groups(self) -> str:
        """Name what a mean is over, such as "classes and overlaps"."""
        return " and ".join(map(make_plural, self.group_words))

    def count_groups(self, names: Sequence[Any]) -> str:
        """Say how many groups there are, such as "3 classes, 10 overlaps" if these are crossed, and
        how many are missing, which changes the weights of classes in the mean.
        """
        if len(self.group_words) > 1:
            counts = [len({*column}) for column in zip(*names, strict=True)]
            of_each = ", ".join(map(write_count, counts, self.group_words))
            n_missing = prod(counts) - len(names)
            if n_missing < len(names):  # Otherwise, they are rather nested than crossed.
                if n_missing:
                    of_each += f", {n_missing:,} of {prod(counts):,} missing"
                return of_each
        return write_count(len(names), self.group_word)

    def take(self, rows: PerSample) -> Self:
        """Return the units of some rows."""
        codes, names = self.cluster_codes, self.cluster_names
        if codes is not None:
            codes, places = encode_groups(codes[rows])
            names = [names[code] for code in places]
        return replace(self, n_rows=len(rows), cluster_codes=codes, cluster_names=names)

    def find_clusters_of_groups(self, rankings: Rankings) -> PerRanking | None:
        """Return the cluster of each group or ranked row, which is its own without clusters; None
        if clusters aren't made of whole groups.
        """
        groups = np.arange(rankings.n_rankings)
        if self.cluster_codes is None:
            return groups
        if self.group_column is not None and rankings.names is not None:
            # Groups without rows have names, too.
            column = self.group_column
            names = [name[column] if isinstance(name, tuple) else name for name in rankings.names]
            return encode_groups(np.array(names, dtype=object))[0]
        # A group without rows is a cluster of its own.
        of_group = self.n_units + groups
        clusters, codes, _ = self.find_units(rankings)
        of_group[codes] = clusters
        return of_group if (of_group[codes] == clusters).all() else None

    def find_units(self, rankings: Rankings) -> tuple[PerSample, PerSample, PerSample]:
        """Return the number of the unit and the ranking of each sample, and then of each positive
        without a score, if these are rows; and whether it's positive.
        """
        of_rows = np.arange(self.n_rows) if self.cluster_codes is None else self.cluster_codes
        unit, ranking = of_rows[rankings.scored_rows], rankings.code_of_samples
        is_positive, missed = rankings.labels > 0, rankings.missed
        times = ranking.size // max(unit.size, 1)
        if times > 1:  # Entries of a row belong together.
            unit = np.tile(unit, times) if rankings.kind == "classes" else np.repeat(unit, times)
        if missed is not None:
            unit, ranking = np.append(unit, of_rows[missed.rows]), np.append(ranking, missed.codes)
            is_positive = np.append(is_positive, np.ones(missed.rows.size, dtype=bool))
        return unit, ranking, is_positive


class SampledModel(NamedTuple):
    """What a model ranks, and from which units that was sampled."""

    rule: Rule
    rankings: Rankings  # flat
    units: SamplingUnits
    zero_division: float | str
    warns: bool = True  # whether it warns of rankings whose value is 0/0

    def average(
        self, values: PerRanking, n_positives: PerRanking
    ) -> tuple[float, PerRanking, PerRanking]:
        """Return the mean over rankings, their values without any 0/0, and how much each counts."""
        rule, rankings, zero_division = self.rule, self.rankings, self.zero_division
        value = average_values(rule, values, n_positives, rankings, zero_division, self.warns)
        values = fill_undefined(rule, values, zero_division)
        return value, values, choose_ranking_weights(rankings, values, n_positives)


def say_what_k_counts(rule: Rule) -> Rule:
    """Return a rule that says what k counts, as it does if weights leave that open. Only a rule
    that doesn't say it warns.
    """
    is_open = "k_counts" in rule.list_options() and rule.k_counts is None
    return replace(rule, k_counts="weight") if is_open else rule


# --- numbers of units -----------------------------------------------------------------------------


def make_word(column: Any, otherwise: str) -> str:
    """Return what the values of a column are called, such as "account", if it has a name."""
    return column.removesuffix("_id").replace("_", " ") if isinstance(column, str) else otherwise


def make_plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}{'es' if word.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def write_count(n: int, word: str) -> str:
    """Write a number and what it counts, such as "3,522 accounts"."""
    return f"1 {word}" if n == 1 else f"{n:,} {make_plural(word)}"


def count_once(rankings: Rankings, units: SamplingUnits) -> tuple[int, float]:
    """Count samples and positives, or once those that several groups rank, as seeds the rows of a
    test set, or overlaps the objects in images.

    Units show that: each has as many samples, and as many positives, in all groups that rank it, or
    in all that differ in one column, such as the seed. If missed positives are rows, it need not
    have as many samples, since a box that is ignored at one overlap may be counted at another one.
    """
    counts = units.n_rows, float(rankings.count_positives().sum())
    has_counts_alone = rankings.n_positives is not None and rankings.missed is None
    if rankings.kind != "groups" or has_counts_alone or units.cluster_codes is None:
        return counts
    unit, group, is_positive = units.find_units(rankings)
    pairs, pair = np.unique(group * units.n_units + unit, return_inverse=True)
    numbers = np.stack([np.bincount(pair), np.bincount(pair, is_positive)])
    group, unit = np.divmod(pairs, units.n_units)
    names = rankings.names or []
    # Number groups as if all were one, and then by what they are called without one column.
    places = range(len(names[0]) if isinstance(names[0], tuple) else 0)
    for place in [None, *reversed(places)]:
        kind = np.zeros(len(names), np.int64)
        if place is not None:
            kind, _ = encode_groups([name[:place] + name[place + 1 :] for name in names])
        _, key = np.unique(kind[group] * units.n_units + unit, return_inverse=True)
        of_key = np.zeros((2, key.max() + 1))
        of_key[:, key] = numbers
        n_samples, n_positives = of_key.sum(axis=1).tolist()
        samples_agree, positives_agree = (of_key[:, key] == numbers).all(axis=1)
        if positives_agree and (samples_agree or rankings.missed is not None):
            return int(n_samples) if samples_agree else units.n_rows, n_positives
    return counts


def check_units(n_units: int) -> None:
    if n_units < 2:
        raise NoIntervalError("An interval needs at least two sampling units.", "a single unit")


def check_positives(n_positives: PerRanking, model: SampledModel) -> None:
    """Refuse a ranking without positives, unless it is a group, or doesn't count in the mean."""
    rankings = model.rankings
    is_left_out = rankings.average == "weighted" or is_missing(model.zero_division)
    may_lack_some = rankings.kind == "groups" or is_left_out
    if not (n_positives.any() if may_lack_some else (n_positives > 0).all()):
        lacking = int(np.argmin(n_positives))
        where = "" if rankings.names is None else f" in {rankings.names[lacking]!r}"
        raise NoIntervalError(f"y_true has no positives{where}.", "no positives")


# --- units of rows --------------------------------------------------------------------------------


def sort_samples(rankings: Rankings) -> SortedSamples:
    """Sort the samples of rankings, apart in each of them."""
    codes, n_rankings = rankings.group_codes, rankings.n_rankings
    return SortedSamples.sort(rankings.labels > 0, rankings.scores, codes, n_rankings)


class Positives(NamedTuple):
    """All positives, or those without a score."""

    unit: PerSample
    ranking: PerSample
    mass: PerSample
    usual_mass: PerSample  # of the positives of its ranking, if it has no score


class SampledRankings:
    """The values of rankings whose sampling units are rows or clusters of rows.

    There is one ranking, or several whose mean is taken, such as classes.
    """

    def __init__(self, model: SampledModel) -> None:
        # Points, and their values.
        rule, rankings, units = model.rule, model.rankings, model.units
        assert isinstance(rule, PointRule)
        self.model, self.rule, self.rankings, self.units = model, rule, rankings, units
        self.weight = rule.check_weights(rankings.weight, rankings.n_positives is not None)
        if self.weight is not None and not 1e-150 < self.weight.max() < 1e150:
            weight = f"{self.weight.max():g}"  # whose square is more or less than a float can hold
            raise ValueError(f"An interval needs weights between 1e-150 and 1e150. Got {weight}.")
        self.samples = sort_samples(rankings)
        points = self.samples.build_points(self.weight, rule.needs_every_point)
        n_scored = points.n_positives
        self.points = set_existing(points, rankings.n_positives, rankings.names)
        self.n_rankings, self.n_positives = rankings.n_rankings, self.points.n_positives  # R
        check_positives(self.n_positives, model)
        values = rule.values(self.points)
        self.value, _, counts = model.average(values, self.n_positives)
        self.values = np.nan_to_num(values)  # 0 for 0/0
        self.fractions = counts / counts.sum()  # The value is the sum of fraction * value.

        # The unit, the ranking and the mass of each sample, which is its weight, or 1.
        n = rankings.scores.size
        unit, ranking, _ = units.find_units(rankings)
        self.unit, self.ranking, self.is_positive = unit[:n], ranking[:n], rankings.labels
        self.mass = np.broadcast_to(1.0, n) if self.weight is None else self.weight.astype(float)
        # Whether entries of a matrix are ranked together, so that a row has several samples; and
        # whether each sample of a ranking is a unit of its own, and all units are such samples.
        self.is_micro = self.n_rankings == 1 and n > units.n_rows
        has_row_units = units.cluster_codes is None and rankings.missed is None
        self.units_are_samples = has_row_units and not self.is_micro

        # Positives without a score, and all positives.
        ones = np.ones(unit.size - n, np.int64)  # Whole numbers stay integers.
        self.missed, self.n_units = Positives(unit[n:], ranking[n:], ones, ones), units.n_units
        if rankings.missed is None and (n_scored != self.n_positives).any():
            self.missed = self._find_missed(n_scored)
            self.n_units += self.missed.unit.size
        at = np.flatnonzero(rankings.labels)
        scored = unit[at], ranking[at], self.mass[at], self.mass[at]
        self.positives = Positives(*map(np.append, scored, self.missed))
        # The ranking and m of each pair of a ranking and a unit with positives in it.
        self.positive_masses = self.positives.ranking, self.positives.mass
        if not self.units_are_samples:
            keys = self.positives.ranking * self.n_units + self.positives.unit
            pairs, pair = np.unique(keys, return_inverse=True)
            self.positive_masses = pairs // self.n_units, np.bincount(pair, self.positives.mass)

        # How many groups rank the same samples, as seeds a test row, or overlaps a box; and whether
        # it's a mean over rankings of different samples, which those of seeds aren't.
        self.n_samples, self.n_positives_once = count_once(rankings, units)
        self.n_shared = float(rankings.count_positives().sum()) / self.n_positives_once
        self.has_several = bool(np.count_nonzero(self.fractions) > self.n_shared)

    def _find_missed(self, n_scored: PerRanking) -> Positives:
        """Find the positives beside those that are scored, both of which are counted by weight.

        It isn't known where they are, so they are units of their own, which weigh what scored
        positives do on average in their ranking, or if it has none, in all.
        """
        n_hits, missing = self.samples.n_hits, self.n_positives - n_scored
        mean = 1.0 if self.rankings.weight is None else self.rankings.weight.mean()
        if n_hits.any():
            mean = n_scored.sum() / n_hits.sum()
        usual_mass = np.where(n_hits > 0, n_scored / np.maximum(n_hits, 1), mean)
        # With weights, their number may have a fraction, and is rounded up.
        number = np.ceil(missing / usual_mass * (1 - 1e-9))
        if number.sum() > 1e7:  # As units of their own, they would take more than a gigabyte.
            lacking = f"{number.sum():.3g} of n_positives"
            raise ValueError(f"y_true lacks {lacking}. An interval allows for at most 10,000,000.")
        ranking = np.repeat(np.arange(number.size), number.astype(np.int64))
        mass = missing / np.maximum(number, 1)
        unit = self.units.n_units + np.arange(ranking.size)
        return Positives(unit, ranking, mass[ranking], usual_mass[ranking])

    def count_units(self) -> tuple[float, str]:
        """Count the equal units that say as much about the mean, u = 1 / sum m^2, and say what it
        rests on, such as "3,522 accounts, 200 with positives".

        Here, m is the sum of fraction * weight / R over a unit's positives, so that sum m = 1, or
        less if rankings without positives count in the mean.
        """
        unit, ranking, mass, _ = self.positives
        m = np.bincount(
            unit, mass * (self.fractions / np.maximum(self.n_positives, 1e-300))[ranking]
        )
        u, n_with_positives = 1 / float(np.sum(m**2)), int(np.count_nonzero(np.bincount(unit)))
        if u > n_with_positives * (1 - 1e-9):  # Equal ones may be fewer by rounding only.
            u = float(n_with_positives)

        basis = write_count(self.positive_masses[0].size, "positive")
        if self.units.cluster_codes is not None:
            clusters = write_count(self.units.n_units, self.units.cluster_word)
            n_unscored = self.n_units - self.units.n_units
            basis = f"{clusters}, {n_with_positives - n_unscored:,} with positives"
            if n_unscored:
                basis += f", {write_count(n_unscored, 'unscored positive')}"
        if self.rankings.kind == "groups" and self.n_rankings > 1:
            basis = f"{self.units.count_groups(self.rankings.names or [])}, {basis}"
        elif self.n_rankings > 1:
            basis = f"{write_count(self.n_rankings, 'class')}, {basis}"
        if round(u, 9) < min(30, 0.95 * n_with_positives):
            basis += f", worth {u:.3g} equal ones"
        return u, basis
