"""What is known of rankings whose rows stay where they are, beside those in memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from .cutoff import Cut, reached
from .operating_points import OperatingPoints
from .rankings import Names, Queries, Rankings
from .within import Array


class Valued(NamedTuple):
    """The values of rankings by one metric, and what an interval around their mean also needs."""

    values: Array  # nan for 0/0
    n_positives: Array  # how many exist, found or not
    most: Array  # what the values can be at most, and are if the ranking is perfect
    perfect: Array


class NotReadError(LookupError):
    """Rows are asked for that stay where they are, so nothing is computed from empty arrays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuedGroups:
    """Groups that were evaluated where their rows are, so only their values are known."""

    average: str | None
    names: Names
    n_positives: Array | None  # existing ones; None if all are here
    weights: Array | None  # only the lightest and the heaviest
    by_rule: Mapping[Any, Valued]
    sizes: Array  # the number of rows of each group
    positive_rows: Array
    few_scores: Array  # if at most two are distinct
    tied_at: frozenset[Cut]  # cutoffs in the first tied samples of all groups
    order: Any  # equal for models that rank all groups alike
    is_grouped: ClassVar[bool] = True
    has_rows: ClassVar[bool] = False

    @property
    def queries(self) -> Queries:
        return Queries(self.average, self.names, sample_weight=self.weights)

    @property
    def n_rows(self) -> int:
        return int(self.sizes.sum())

    @property
    def n_empty(self) -> int:
        return int(np.count_nonzero(self.sizes == 0))

    @property
    def rows(self) -> NoReturn:
        raise NotReadError

    @property
    def n_scores(self) -> int:
        return self.n_rows

    def are_tied_at(self, cut: Cut) -> bool:
        return cut in self.tied_at

    def points(self, depth: Cut | None) -> NoReturn:
        raise NotReadError


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedRows:
    """One ranking without weights, whose rows were counted where they are."""

    name: Any
    n_positives: Array | None  # existing ones; None if all are here
    counted: OperatingPoints  # at the scores of positives
    few_scores: Array  # if at most two are distinct
    n_at_top: int  # samples with the highest score; 0 if that isn't known
    average: str = "binary"
    is_grouped: ClassVar[bool] = False
    has_rows: ClassVar[bool] = False
    weights: ClassVar[None] = None
    n_empty: ClassVar[int] = 0
    by_rule: ClassVar[Mapping[Any, Valued]] = {}
    order: ClassVar[Any] = None

    @property
    def names(self) -> Names:
        return [self.name]

    @property
    def queries(self) -> Queries:
        return Queries(self.average, self.names, kind="classes")

    @property
    def n_rows(self) -> int:
        return int(self.counted.n_samples.item())

    @property
    def sizes(self) -> Array:
        return self.counted.n_samples

    @property
    def positive_rows(self) -> Array:
        return self.counted.n_positives

    @property
    def rows(self) -> NoReturn:
        raise NotReadError

    @property
    def n_scores(self) -> int:
        return self.n_rows

    def are_tied_at(self, cut: Cut) -> bool:
        k = cut.of(np.array([self.n_rows])).item()
        return bool(self.n_rows > k and self.n_at_top > 2 * k)

    def points(self, depth: Cut | None) -> OperatingPoints:
        # Zeros of points below the cutoff can change the last bit of a sum.
        points = self.counted if depth is None else reached(self.counted, depth)
        return points if self.n_positives is None else points.out_of(self.n_positives)


Evidence = Rankings | ValuedGroups | CountedRows
