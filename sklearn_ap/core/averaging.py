"""From many queries to one number: which rankings are the queries, and how they are averaged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .operating_points import (
    OperatingPoints,
    every_point,
    from_groups,
    from_rows,
    from_scores,
)
from .segments import Array

Names = Sequence[Any] | Array


@dataclass(frozen=True, slots=True)
class Rankings:
    """Checked input: one ranking, a column a class, or groups of samples.

    `average` is "binary" for one ranking, else what scikit-learn's keyword of that name says.
    """

    labels: Array  # bool, of the shape of scores
    scores: Array
    weight: Array | None
    average: str | None
    n_positives: float | None = None
    group: Array | None = None  # the number of each sample's group
    names: Names | None = None  # of the queries

    def take(self, samples: Array) -> Self:
        return replace(
            self,
            labels=self.labels[samples],
            scores=self.scores[samples],
            weight=None if self.weight is None else self.weight[samples],
            group=None if self.group is None else self.group[samples],
            names=np.asarray(self.names)[samples] if self.average == "samples" else self.names,
        )

    def points(self, k: int | None = None) -> OperatingPoints:
        """The points of all queries; of one ranking those within k may suffice."""
        if self.group is not None and self.names is not None:
            return from_groups(self.labels, self.scores, self.group, len(self.names), self.weight)
        if self.average == "samples":
            return from_rows(self.labels, self.scores)
        if self.average == "micro":
            n_classes = self.scores.shape[1]
            weight = None if self.weight is None else np.repeat(self.weight, n_classes)
            return from_scores(self.labels.ravel(), self.scores.ravel(), weight)
        if self.average != "binary":
            return from_rows(self.labels.T, self.scores.T, self.weight)
        ranking, n_positives = self, self.n_positives
        if k is not None and self.weight is None and k < self.scores.size:
            ranking = self.take(np.flatnonzero(self.scores >= _kth_best(self.scores, k)))
            n_positives = int(self.labels.sum()) if n_positives is None else n_positives
        points = from_scores(ranking.labels, ranking.scores, ranking.weight)
        return points if n_positives is None else points.out_of(n_positives)

    def curve(self) -> tuple[OperatingPoints, Array]:
        return every_point(self.labels, self.scores, self.weight)

    def mean(self, values: Array, points: OperatingPoints) -> float:
        """The mean over queries; nan leaves a query out, and is the answer if none is left."""
        if self.average == "weighted":
            return mean(values, points.n_positives)
        return mean(values, self.weight if self.average == "samples" else None)


def mean(values: Array, weight: Array | None = None) -> float:
    """The mean of those that are not nan; nan if all are."""
    if values.size == 1:
        return float(values[0])
    counted = np.flatnonzero(~np.isnan(values))
    if not counted.size:
        return np.nan
    weight = np.ones(counted.size) if weight is None else weight[counted]
    heaviest = weight.max()
    # Relative weights: products of tiny ones would vanish.
    weight = weight / heaviest if heaviest else np.ones(counted.size)
    return float(np.average(values[counted], weights=weight))


def _kth_best(scores: Array, k: int) -> Any:
    place = scores.size - k
    return np.partition(scores, place)[place]
