"""What is asked about a metric, the samples that answer it, and the evidence that they give."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from ..core.intervals import Spread
from ..core.operating_points import OperatingPoints
from ..core.rankings import Names, Rankings, mean
from ..core.rules import Rule
from ..core.segments import Array
from ..core.units import Clusters

ZeroDivision = float | str
NOTHING = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Question:
    """What to compute from the samples, and by which method."""

    rule: Rule
    method: str
    n_resamples: int
    seed: int
    zero_division: ZeroDivision = "warn"

    @property
    def generator(self) -> np.random.Generator:
        """A new generator, so that the draws are the same for each model that is compared."""
        return np.random.default_rng(self.seed)

    @property
    def quietly(self) -> ZeroDivision:
        """What replaces 0/0 if a warning was given before."""
        return 0.0 if self.zero_division == "warn" else self.zero_division

    def again(self) -> Self:
        """Return the same question, without a second warning."""
        return replace(self, zero_division=self.quietly)


class QueryValues(NamedTuple):
    """The values of queries, nan for one that is left out, with their weights and limits."""

    values: Array
    weight: Array
    most: Array  # the largest possible value of each
    perfect: Array  # the value of a perfect ranking of each

    @classmethod
    def of(cls, rule: Rule, points: OperatingPoints, values: Array, weight: Array | None) -> Self:
        weight = np.ones(values.size) if weight is None else weight
        return cls(values, weight, rule.most(points), rule.perfect(points))

    def mean(self, trials: Array) -> Spread:
        """Return the weighted mean, before it is known how much it varies."""
        number = mean(self.values, self.weight)
        most, perfect = (
            np.array([mean(np.maximum(each, self.values), self.weight)])
            for each in (self.most, self.perfect)
        )
        values, one = np.array([number]), np.ones(1)
        return Spread(values, one, NOTHING, trials, number, most=most, perfect=perfect)


class Evidence(NamedTuple):
    """How much a value varies, and the data that it is based on."""

    spread: Spread
    basis: str  # such as "40 positives"
    weight: Array = NOTHING  # the weight of each group in a mean over groups
    left_out: Array = NOTHING  # the indices of groups that are not in the mean
    heavy: float = 0.0  # the weight of negatives, if a single one can change the value a lot


@dataclass(frozen=True, slots=True)
class Sample:
    """Checked input, with its sampling units."""

    rankings: Rankings
    clusters: Clusters | None = None
    names: Names = ()  # the names of the units
    kind: str = "rows"  # the kind of the units: "rows", "groups" or "clusters"
    group_words: str = "groups"  # such as "groups (query)"
    cluster_words: str = "clusters"

    @property
    def classes(self) -> Names:
        """The names of the columns."""
        names = self.rankings.names
        return range(self.rankings.scores.shape[1]) if names is None else names

    def of_class(self, place: int) -> Self:
        """Return the ranking of a single column."""
        rankings, exist = self.rankings, self.rankings.n_positives
        one = replace(
            rankings,
            labels=rankings.labels[:, place],
            scores=rankings.scores[:, place],
            average="binary",
            n_positives=None if exist is None else exist[place : place + 1],
            names=[self.classes[place]],
        )
        return replace(self, rankings=one)


def has_queries(rankings: Rankings) -> bool:
    """Whether each group or row is ranked separately."""
    return rankings.group is not None or rankings.average == "samples"


def in_words(number: float, what: str) -> str:
    """Format a count with its noun: 1 positive, 2 positives, 1 cluster with positives."""
    things, *besides = what.split(" ")
    return " ".join([f"{number:,}", things.removesuffix("s") if number == 1 else things, *besides])
