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
    names: Sequence[Any] | None = None  # of the queries, where they have names

    def take(self, samples: Array) -> Self:
        return replace(
            self,
            labels=self.labels[samples],
            scores=self.scores[samples],
            weight=None if self.weight is None else self.weight[samples],
            group=None if self.group is None else self.group[samples],
        )

    def points(self) -> OperatingPoints:
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
        points = from_scores(self.labels, self.scores, self.weight)
        return points if self.n_positives is None else points.out_of(self.n_positives)

    def curve(self) -> OperatingPoints:
        return every_point(self.labels, self.scores, self.weight)

    def mean(self, values: Array, points: OperatingPoints) -> float:
        """The mean over queries; nan leaves a query out, and is the answer if none is left."""
        weight = np.ones(values.size)
        if self.average == "weighted":
            weight = points.n_positives
        elif self.average == "samples" and self.weight is not None:
            weight = self.weight
        counted = np.flatnonzero(~np.isnan(values))
        if not counted.size:
            return np.nan
        weight = weight[counted]
        if not weight.any():
            weight = np.ones(counted.size)
        return float(np.average(values[counted], weights=weight))
