"""Every number that goes by the name of average precision, made from the same counts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from .. import _validation as check
from ..core import definitions
from ..core.averaging import Rankings
from ..core.cutoff import DENOMINATORS
from ..core.definitions import Area
from ..core.operating_points import OperatingPoints
from ..core.segments import Array
from ..core.ties import TIES
from .legacy import sklearn_average_precision_score
from .naive import float_grid, with_artificial_point


@dataclass(frozen=True)
class Sample:
    """A data set, counted once."""

    rankings: Rankings
    points: OperatingPoints
    empty: float = 0.0  # what a group without positives counts; nan leaves it out

    @classmethod
    def of(
        cls, y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any, groups: Any
    ) -> Self:
        given = {"pos_label": pos_label, "sample_weight": sample_weight}
        if groups is None:
            rankings = check.check_rankings(y_true, y_score, **given)
        else:
            rankings = check.check_grouped_rankings(
                y_true, y_score, groups=groups, average="macro", ties="grouped", **given
            )
        if rankings.labels.ndim == 2:
            raise ValueError(
                "One ranking is explained at a time, or one a group: pass a column of y_true with "
                "its column of y_score."
            )
        points = rankings.points()
        check.fill_with_zero(definitions.step(points).value(), rankings.names)  # for its warning
        return cls(rankings, points)

    @property
    def is_weighted(self) -> bool:
        return self.rankings.weight is not None

    @property
    def is_grouped(self) -> bool:
        return self.rankings.group is not None

    @property
    def has_ties(self) -> bool:
        """Whether an order of tied samples could matter, and weights leave them one."""
        return bool((self.points.total > 1).any()) and not self.is_weighted

    @property
    def has_empty(self) -> bool:
        return not self.points.n_positives.all()

    @property
    def longest(self) -> int:
        """Samples in the longest ranking: a k beyond it cuts nothing."""
        group = self.rankings.group
        return int(self.rankings.labels.size if group is None else np.bincount(group).max())

    def mean(self, values: Array) -> float:
        """One number of one a query."""
        values = np.where(np.isnan(values), self.empty, values)
        counted = values[~np.isnan(values)]
        return float(counted.mean()) if counted.size else np.nan


@dataclass(frozen=True)
class Number:
    """A row of the table: its name, and its value on a sample."""

    name: str
    value: Callable[[Sample], float]
    k: int | None = None

    @property
    def row(self) -> str:
        """The name as it stands in PEERS, where k has no value and ties are a column."""
        name = self.name.partition(", ties")[0]
        return name if self.k is None else name.replace(f"@{self.k}", "@k")


def numbers(sample: Sample, ks: tuple[int, ...] = (), ties_at_k: bool = False) -> Iterator[Number]:
    """The numbers that have a meaning for this sample; those with a cut-off for each k."""
    for ties in ("grouped",) if sample.is_weighted else TIES:
        yield _of_area("step" + _suffix(ties), partial(definitions.step, ties=ties))
    for row in definitions.DEFINITIONS.values():
        if row.name not in ("step", "at-k"):
            yield _of_area(row.name, row.area)
    for n_points in (11, 101):
        yield _of_area(f"{n_points}-point, float grid", partial(float_grid, n_points=n_points))
    for name, rule in (("11-point", definitions.n_point), ("11-point, float grid", float_grid)):
        yield Number(f"{name}, with (0, 1)", partial(_with_artificial_point, rule))
    if sample.is_grouped:
        yield Number("step, all rows as one ranking", _ungrouped)
    else:
        yield Number("scikit-learn 0.15 to 0.17", partial(_legacy, version="0.17"))
    for k in ks:
        yield from _numbers_at(k, TIES if ties_at_k and sample.has_ties else ("grouped",))


def _numbers_at(k: int, policies: tuple[str, ...]) -> Iterator[Number]:
    for denominator in DENOMINATORS:
        for ties in policies:
            if denominator == "hits" and ties == "expected":
                continue
            rule = partial(definitions.at_k, k=k, denominator=denominator, ties=ties)
            yield _of_area(f"AP@{k} / {denominator}{_suffix(ties)}", rule, k)
    if k <= 100:
        yield Number(f"mean of P@1 to P@{k}", partial(_mean_of_precisions, k=k), k)


def _suffix(ties: str) -> str:
    return "" if ties == "grouped" else f", ties {ties}"


def _of_area(name: str, rule: Callable[[OperatingPoints], Area], k: int | None = None) -> Number:
    return Number(name, partial(_area_value, rule, k), k)


def _area_value(rule: Callable[[OperatingPoints], Area], k: int | None, sample: Sample) -> float:
    points = sample.points if k is None else sample.points.within(k)
    return sample.mean(rule(points).value())


def _with_artificial_point(rule: Callable[..., Area], sample: Sample) -> float:
    return sample.mean(with_artificial_point(rule(sample.points, n_points=11), 11))


def _mean_of_precisions(sample: Sample, k: int) -> float:
    points = sample.points.within(k)
    each = [definitions.precision_at_k(points, i) for i in range(1, k + 1)]
    # Without positives it is 0, and counted as the other numbers are.
    return sample.mean(np.where(points.n_positives > 0, np.mean(each, axis=0), np.nan))


def _ungrouped(sample: Sample) -> float:
    rankings = sample.rankings
    one = Rankings(rankings.labels, rankings.scores, rankings.weight, "binary")
    return sample.mean(definitions.step(one.points()).value())


def _legacy(sample: Sample, version: str) -> float:
    rankings = sample.rankings
    try:
        return float(
            sklearn_average_precision_score(
                rankings.labels.astype(int),
                rankings.scores,
                version=version,
                sample_weight=rankings.weight,
            )
        )
    except ValueError:  # what that release refused it has no number for
        return float("nan")
