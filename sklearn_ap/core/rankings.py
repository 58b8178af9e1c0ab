"""Checked input, the rankings that it consists of, and their operating points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from math import isqrt
from typing import Any, NamedTuple, Self

import numpy as np

from .cutoff import Cut, needs_every_point
from .memo import Memo
from .operating_points import (
    OperatingPoints,
    SortedSamples,
    from_groups,
    from_rows,
    from_scores,
    sort_samples,
)
from .ragged import Array
from .tolerances import SUM_TOLERANCE

Names = Sequence[Any] | Array

# Groups are evaluated in up to so many parts, which have at least so many rows on average. More
# parts take less memory, but each of them takes a pass over all rows.
_MAX_PARTS = 5
_MIN_ROWS_PER_PART = 2**17


_MIN_SCORES_PER_K = 1000  # up to one of so many samples is a small part


class _NamedAverage(str):
    """An `average` that keeps the values apart, with their names, which no caller can pass."""


BY_NAME = _NamedAverage("by name")


@dataclass(frozen=True, slots=True)
class Averaging:
    """How the values of rankings are averaged, with their names and weights.

    `average` is "binary" for a single ranking, and has scikit-learn's values otherwise.
    """

    average: str | None = "binary"
    names: Names | None = None
    weight: Array | None = None  # of each ranking
    sample_weight: Array | None = None  # of each sample, or only of the lightest and the heaviest
    kind: str = "groups"  # what each ranking is: "groups", "rows", "columns" or "classes"


class Judged(NamedTuple):
    """How many documents of each grade were judged, retrieved or not."""

    grades: Array  # the distinct ones, from the highest down
    counts: Array  # of shape (n_groups, n_grades)
    has_all: bool  # whether it also counts the documents of grade 0


class UnscoredPositives(NamedTuple):
    """Positives that were not scored, counted by ranking and cluster."""

    ranking: Array
    cluster: Array
    number: Array


@dataclass(frozen=True, slots=True)
class Clusters:
    """Samples that are drawn together. A cluster can have no samples."""

    numbers: Array  # the cluster number of each sample
    size: int
    unscored: UnscoredPositives | None = None


def _round_nearly_whole(numbers: Array) -> Array:
    """Return quotients of weights, where those that miss a whole number by rounding become it."""
    whole = np.rint(numbers)
    return np.where(np.isclose(numbers, whole, SUM_TOLERANCE, SUM_TOLERANCE), whole, numbers)


@dataclass(frozen=True, slots=True)
class Rankings:
    """Checked input: one ranking, one column per class, or groups of samples.

    `average` is "binary" for a single ranking, and has scikit-learn's values otherwise.
    """

    labels: Array  # bool, of the shape of scores
    scores: Array
    weight: Array | None
    average: str | None
    n_positives: Array | None = None  # existing ones, one number per ranking; None if all are here
    group: Array | None = None  # the number of each sample's group
    names: Names | None = None  # of the rankings
    is_kept: Array | None = None  # which of the rows that were read are samples; None if all are
    y_true: Array | None = None  # the labels as they were passed, for what reads grades
    judged: Judged | None = None  # None if all judged documents are here
    weight_left_out: float = 1.0  # what each sample weighed, if equal weights were left out
    # What functions returned for the groups, because calls can take long, and the points of the
    # groups, which all metrics of a report need.
    memo: Memo = field(default_factory=Memo, init=False, compare=False)

    @property
    def averaging(self) -> Averaging:
        if self.average == "samples":
            return Averaging(self.average, self.names, self.weight, kind="rows")
        kind = "columns" if self.names is None else "classes" if self.group is None else "groups"
        return Averaging(self.average, self.names, sample_weight=self.weight, kind=kind)

    @property
    def is_grouped(self) -> bool:
        return self.group is not None

    @property
    def group_of_rows(self) -> Array:
        """The number of the group of each row, which is 0 without groups."""
        return np.zeros(self.n_rows, np.int64) if self.group is None else self.group

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @property
    def n_rows_read(self) -> int:
        """The number of rows, with those of weight 0, which were left out."""
        return self.n_rows if self.is_kept is None else self.is_kept.size

    @property
    def has_equal_weights(self) -> bool:
        weight = self.weight
        return weight is None or not weight.size or bool(weight.min() == weight.max())

    @property
    def n_scores(self) -> int:
        return self.scores.size

    @property
    def few_scores(self) -> Array:
        """The scores, sorted, if at most two are distinct; otherwise any three."""
        scores = self.scores.ravel()
        n_distinct = len(set(scores[:10].tolist()))  # which is enough for usual models
        return np.unique(scores) if n_distinct < 3 else scores[:3]

    def has_tied_top(self, cut: Cut) -> bool:
        """Whether k cuts off less than half of the first tied samples, wherever it cuts."""
        scores = self.scores
        n_first = np.count_nonzero(scores == scores.max())
        if self.weight is not None or n_first <= 2 * cut.compute_k(np.array([scores.size])).item():
            return False
        # If all samples were positive, so that all scores are points
        points = replace(self, labels=np.ones_like(self.labels), n_positives=None).points(cut)
        k = cut.compute_k(points.n_samples)
        cuts = np.flatnonzero(points.n_samples > k)  # rankings
        return bool(cuts.size and (points.total[points.offsets[cuts]] > 2 * k[cuts]).all())

    @property
    def sizes(self) -> Array:
        """The number of rows of each group, or of all rows without groups."""
        if self.group is None or self.names is None:
            return np.array([self.n_rows])
        return np.bincount(self.group, minlength=len(self.names))

    @property
    def n_empty(self) -> int:
        """The number of groups without rows, which only `n_positives` names."""
        return int(np.count_nonzero(self.sizes == 0)) if self.is_grouped else 0

    @property
    def positive_rows(self) -> Array:
        """The number of positives among the rows, of each group or row if these are rankings."""
        if self.average == "samples":
            return np.asarray(self.labels.sum(axis=1))
        if self.group is not None and self.names is not None:
            return np.bincount(self.group[self.labels], minlength=len(self.names))
        return np.array([np.count_nonzero(self.labels)])

    @property
    def is_columnwise(self) -> bool:
        """Whether each column is a ranking."""
        return self.scores.ndim == 2 and self.average not in ("micro", "samples")

    def take(self, samples: Array | slice) -> Self:
        by_row = self.average == "samples"
        return replace(
            self,
            labels=self.labels[samples],
            scores=self.scores[samples],
            y_true=None if self.y_true is None else self.y_true[samples],
            weight=None if self.weight is None else self.weight[samples],
            group=None if self.group is None else self.group[samples],
            names=np.asarray(self.names)[samples] if by_row else self.names,
            n_positives=self.n_positives[samples]
            if by_row and self.n_positives is not None
            else self.n_positives,
            is_kept=None,
        )

    def with_mass(self) -> Self:
        """Leave out samples of weight 0."""
        if self.weight is None or self.weight.all():
            return self
        is_kept = self.weight != 0
        return replace(self.take(np.flatnonzero(is_kept)), is_kept=is_kept)

    def select_columns(self, places: int | Sequence[int] | Array) -> Self:
        """Return the rankings of the columns at these places, or the one of a single column."""
        names = range(self.labels.shape[1]) if self.names is None else self.names
        exist = self.n_positives
        return replace(
            self,
            labels=self.labels[:, places],
            scores=self.scores[:, places],
            names=[names[place] for place in np.atleast_1d(places).tolist()],
            n_positives=None if exist is None else np.atleast_1d(exist[places]),
        )

    def with_scaled_weights(self) -> Self:
        """Scale up tiny weights so that dividing by them is safe."""
        if self.weight is None or self.weight.max(initial=0) > 1e-200:
            return self
        exist = None if self.n_positives is None else np.ldexp(self.n_positives, 800)
        return replace(self, weight=np.ldexp(self.weight, 800), n_positives=exist)

    def without_equal_weights(self) -> Self:
        """Leave out equal weights, which are the unit in which positives were counted.

        With average="samples", weights are those of rankings, and stay.
        """
        if self.weight is None or self.average == "samples":
            return self
        weight = float(self.weight[0]) if self.weight.size else 1.0
        exist = None if self.n_positives is None else _round_nearly_whole(self.n_positives / weight)
        return replace(self, weight=None, n_positives=exist, weight_left_out=weight)

    @property
    def weight_of_positives(self) -> Array:
        """What a positive weighs on average, one number per ranking.

        It's the average of all rankings for one that found none, or that of all samples if none
        has any.
        """
        found = self.positive_mass
        if self.weight is None or not self.weight.size or self.average == "samples":
            return np.ones(found.size)
        n_found = self.n_found
        usual = found.sum() / n_found.sum() if n_found.any() else self.weight.mean()
        return np.where(n_found > 0, found / np.maximum(n_found, 1), usual)

    @property
    def n_found(self) -> Array:
        """The number of positives among the samples, one number per ranking."""
        return replace(self, weight=None).positive_mass

    def count_existing(self, besides: Array | float = 0.0) -> Array:
        """Return how many positives exist in each ranking, if those that were not scored weigh what
        the others do on average. The result can have fractions, as sums of weights can.

        `besides` is the mass of positives that aren't counted.
        """
        if self.n_positives is None:
            return self.n_found
        return _round_nearly_whole((self.n_positives - besides) / self.weight_of_positives)

    @property
    def positive_mass(self) -> Array:
        """The positives among the samples, or their weight, one number per ranking."""
        labels, weight = self.labels, self.weight
        if self.average == "samples":
            return np.asarray(labels.sum(axis=1))
        if self.group is not None and self.names is not None:
            mass = None if weight is None else weight[labels]
            by_group = np.bincount(self.group[labels], mass, len(self.names))
            return by_group if weight is None else by_group.astype(weight.dtype)
        if weight is None and not self.is_columnwise:
            return np.array([np.count_nonzero(labels)])
        by_class = labels.sum(axis=0) if weight is None else np.asarray(weight @ labels)
        return by_class if self.is_columnwise else np.array([by_class.sum()])

    def find_graded_rows(self) -> tuple[Array, Array, Array, int]:
        """Return the score, the grade and the group of each row, and the number of groups.

        Rows of a matrix are groups, and so is a single ranking.
        """
        scores, grades, group = self.scores, self.y_true, self.group
        assert grades is not None
        if group is not None and self.names is not None:
            return scores, grades, group, len(self.names)
        n_groups = len(scores) if self.average == "samples" else 1
        group = np.repeat(np.arange(n_groups), scores.size // max(n_groups, 1))
        return scores.ravel(), grades.ravel(), group, n_groups

    def points(self, cut: Cut | None) -> OperatingPoints:
        """Return those points of all rankings that a rule with this cutoff needs.

        They are out of all existing positives, found or not.
        """
        if self.group is None or self.weight is not None:
            return self._make_points(cut)
        # Those of groups are the same for any cutoff.
        return self.memo.once("points", (), partial(self._make_points, cut))

    def _make_points(self, cut: Cut | None) -> OperatingPoints:
        return self.add_unscored_positives(self._compute_points(cut))

    def add_unscored_positives(self, points: OperatingPoints) -> OperatingPoints:
        """Return points of these rankings, however they were made, out of all existing positives.

        Reading has checked that there are at least as many as were found.
        """
        return points if self.n_positives is None else points.with_n_positives(self.n_positives)

    def split_groups(self) -> Iterator[Self]:
        """Yield rankings of the first groups, of the next ones, and so on.

        Evaluated one after the other, they take less memory than all groups at once.
        """
        assert self.names is not None
        n_groups = len(self.names)
        # A part has several groups, as a single ranking's weights are summed in another order.
        n_parts = min(self.n_rows // _MIN_ROWS_PER_PART, _MAX_PARTS, n_groups // 2)
        if n_parts < 2:
            yield self
            return
        stops = [n_groups * part // n_parts for part in range(n_parts + 1)]
        for start, stop in pairwise(stops):
            yield self._select_groups(start, stop)

    def _select_groups(self, start: int, stop: int) -> Self:
        """Return the rankings of the groups with the numbers from `start` to `stop`."""
        group, names, n_positives = self.group, self.names, self.n_positives
        assert group is not None
        assert names is not None
        rows = ((group >= start) & (group < stop)).nonzero()[0]
        return replace(
            self.take(rows),
            group=group[rows] - start,
            names=names[start:stop],
            n_positives=None if n_positives is None else n_positives[start:stop],
        )

    def _compute_points(self, cut: Cut | None) -> OperatingPoints:
        every_point = needs_every_point(cut, weighted=self.weight is not None)
        if self.group is not None and self.names is not None:
            samples = self.labels, self.scores, self.group
            return from_groups(*samples, len(self.names), self.weight, every_point)
        if self.average == "samples":
            return from_rows(self.labels, self.scores)
        if self.average == "micro":
            n_classes = self.scores.shape[1]
            weight = None if self.weight is None else np.repeat(self.weight, n_classes)
            return from_scores(self.labels.ravel(), self.scores.ravel(), weight, every_point)
        if self.scores.ndim == 2:
            return from_rows(self.labels.T, self.scores.T, self.weight, every_point)
        if cut is None or self.weight is not None:
            return from_scores(self.labels, self.scores, self.weight, every_point)
        return self._select_first_points(cut)

    def _select_first_points(self, cut: Cut) -> OperatingPoints:
        """Return the points that the top k samples of one ranking without weights reach."""
        size = np.array([self.scores.size])
        k = cut.compute_k(size).item()
        if k >= self.scores.size:
            return from_scores(self.labels, self.scores)
        first = np.flatnonzero(self.scores >= find_kth_best(self.scores, int(k)))
        points = from_scores(self.labels[first], self.scores[first])
        n_positives = np.array([np.count_nonzero(self.labels)])
        return points._replace(n_positives=n_positives, n_samples=size)

    def sort(self) -> SortedSamples:
        """Sort the samples, in each group if there are any."""
        n_groups = 1 if self.names is None else len(self.names)
        return sort_samples(self.labels, self.scores, self.weight, self.group, n_groups)


def average_defined(values: Array, weight: Array | None = None) -> float:
    """Average the values that are not nan; nan if all of them are."""
    if values.size == 1:
        return float(values[0])
    counted = np.flatnonzero(~np.isnan(values))
    if not counted.size:
        return np.nan
    weight = np.ones(counted.size) if weight is None else weight[counted]
    heaviest = weight.max()
    # Use relative weights, because products of tiny weights would underflow.
    weight = weight / heaviest if heaviest else np.ones(counted.size)
    return float(np.average(values[counted], weights=weight))


def find_kth_best(scores: Array, k: int) -> Any:
    """Return the k-th highest score, or that of each column.

    If k is small, the k-th highest of some scores leaves few that can be higher, in any order of
    the scores. So neither a copy of all scores nor a partition of it is needed.
    """
    if scores.ndim == 1 and _MIN_SCORES_PER_K * k < scores.size:
        least = find_kth_best(scores[:: isqrt(scores.size // k)].copy(), k)
        scores = scores[scores > least]
        if scores.size < k:
            return least
    place = len(scores) - k
    return np.partition(scores, place, axis=0)[place]
