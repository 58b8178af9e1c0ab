"""Every number that goes by the name of average precision, made from the same counts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from .. import _validation as check
from .._catalogue import DEFINITIONS
from .._finish import finish
from ..core.cutoff import DENOMINATORS, reached
from ..core.operating_points import OperatingPoints
from ..core.rankings import Queries, Rankings
from ..core.rules import AtK, NPoint, Rule, Step
from ..core.ties import TIES
from .legacy import sklearn_average_precision_score
from .naive import FloatGrid, MeanOfPrecisions, WithArtificialPoint


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
        rankings = check.check_rankings(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, groups=groups
        )
        if rankings.labels.ndim == 2:
            raise ValueError(
                "One ranking is explained at a time, or one a group: pass a column of y_true with "
                "its column of y_score."
            )
        points = rankings.points(None)
        check.fill_with_zero(Step().values(points), rankings.names)  # for its warning
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

    def value(self, rule: Rule, points: OperatingPoints | None = None) -> float:
        """The number that a rule gives, without a word about what is 0/0."""
        points = self.points if points is None else points
        return float(finish(rule, points, Queries("macro"), self.empty))


@dataclass(frozen=True)
class Number:
    """A row of the table: its name, and its value on a sample."""

    name: str
    value: Callable[[Sample], float]
    rule: Rule | None = None  # None for what no rule gives

    @property
    def k(self) -> int | None:
        return None if self.rule is None or self.rule.depth is None else int(self.rule.depth.k)

    @property
    def row(self) -> str:
        """The name as it stands in PEERS, where k has no value and ties are a column."""
        name = self.name.partition(", ties")[0]
        return name if self.k is None else name.replace(f"@{self.k}", "@k")


def numbers(sample: Sample, ks: tuple[int, ...] = (), ties_at_k: bool = False) -> Iterator[Number]:
    """The numbers that have a meaning for this sample; those with a cut-off for each k."""
    for ties in ("grouped",) if sample.is_weighted else TIES:
        yield _of_rule("step" + _suffix(ties), Step(ties))
    for name in ("envelope", "11-point", "101-point", "linear"):
        yield _of_rule(name, DEFINITIONS[name].rule())
    for n_points in (11, 101):
        yield _of_rule(f"{n_points}-point, float grid", FloatGrid(n_points))
    yield _of_rule("11-point, with (0, 1)", WithArtificialPoint(NPoint(11)))
    yield _of_rule("11-point, float grid, with (0, 1)", WithArtificialPoint(FloatGrid(11)))
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
            rule = AtK(k=k, denominator=denominator, ties=ties)
            yield _of_rule(f"AP@{k} / {denominator}{_suffix(ties)}", rule)
    if k <= 100:
        yield _of_rule(f"mean of P@1 to P@{k}", MeanOfPrecisions(k))


def _suffix(ties: str) -> str:
    return "" if ties == "grouped" else f", ties {ties}"


def _of_rule(name: str, rule: Rule) -> Number:
    return Number(name, partial(_value, rule), rule)


def _value(rule: Rule, sample: Sample) -> float:
    depth = rule.depth
    return sample.value(rule, sample.points if depth is None else reached(sample.points, depth))


def _ungrouped(sample: Sample) -> float:
    rankings = sample.rankings
    one = Rankings(rankings.labels, rankings.scores, rankings.weight, "binary")
    return sample.value(Step(), one.points(None))


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
