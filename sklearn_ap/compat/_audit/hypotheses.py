"""Say what a function may compute, and compare it with what it returned.

All rankings are evaluated as one, so that thousands of hypotheses take a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._core import Array, Points, Rankings
from .. import transforms
from ..definitions import Definition, find_definition
from ..formulas import compute_values, rank_every_point
from ..transforms import Transform, ValueTransform
from .calls import Call

# Enough for sums in single precision, as of 200 thresholds in Keras, and for 1e-6 in denominators
TOLERANCE = 2.5e-6
IGNORES_RANKING = "fraction of positives"  # It has the same value whatever is ranked.


@dataclass(frozen=True)
class Hypothesis:
    """What a function may compute: a definition, and what is done to it."""

    definition: Definition  # perhaps with a mistake in what is counted
    transform: Transform | None = None  # a mistake in what is ranked
    value_transform: ValueTransform | None = None  # a mistake in what is returned
    tie_order: Transform | None = None  # the order of tied samples; None at one threshold
    zero_division: float | None = None  # the value without positives; None if it's the usual one

    @property
    def value_without_positives(self) -> float:
        if self.zero_division is None:
            return self.definition.value_without_positives
        return self.zero_division

    @property
    def mistakes(self) -> list[str]:
        transforms_of_it = [self.transform, self.value_transform]
        names = [transform.name for transform in transforms_of_it if transform is not None]
        return [self.definition.mistake, *names] if self.definition.mistake else names

    @property
    def phrase(self) -> str:
        """The definition with what is done to it, in words."""
        order = [] if self.tie_order is None else [self.tie_order.name]
        return ", ".join([self.definition.title, *self.mistakes, *order])

    def without_mistakes(self) -> "Hypothesis":
        definition = find_definition(self.definition.term, self.definition.rule.k)
        assert definition is not None
        return Hypothesis(definition)


@dataclass(frozen=True)
class Recognition:
    """What the calls show that a function computes."""

    hypothesis: Hypothesis | None = None  # what it computes, or the nearest hypothesis
    is_nearest: bool = False
    failure: str = ""  # the reason why there is nothing to recognize, as a sentence

    @property
    def is_certain(self) -> bool:
        """Whether this is a definition, and not only a function of the fraction of positives."""
        if self.hypothesis is None or self.is_nearest:
            return False
        return self.hypothesis.definition.term != IGNORES_RANKING or not self.hypothesis.mistakes


def join_rankings(parts: Sequence[Rankings]) -> Rankings:
    """Put rankings end to end, either all or none of which have weights."""
    starts = np.cumsum([0, *(part.n_rankings for part in parts)])
    groups = []
    for start, part in zip(starts, parts, strict=False):  # The last start is the end.
        groups.append(start + part.code_of_samples)
    weights = [part.weight for part in parts if part.weight is not None]
    return Rankings(
        labels=np.concatenate([part.labels for part in parts]).astype(bool),
        scores=np.concatenate([part.scores for part in parts]).astype(float),
        weight=np.concatenate(weights) if weights else None,
        group_codes=np.concatenate(groups),
        n_rankings=int(starts[-1]),
    )


class Batch:
    """What the function returned for some calls, whose rankings are evaluated as one."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls
        self.returned = np.array([call.value for call in calls])
        self._ranked: dict[tuple[Transform | None, ...], tuple[Rankings, Points, Array]] = {}

    def rank(self, *applied: Transform | None) -> tuple[Rankings, Points, Array]:
        """Rank what transforms make of each ranking, and return of which call each ranking is."""
        if applied not in self._ranked:
            parts = [_apply(applied, call) for call in self.calls]
            rankings = join_rankings(parts)
            of_call = np.repeat(np.arange(len(parts)), [part.n_rankings for part in parts])
            self._ranked[applied] = rankings, rank_every_point(rankings), of_call
        return self._ranked[applied]

    def gets_ties(self, transform: Transform) -> bool:
        _, points, _ = self.rank(transform)
        return bool(points.n_rows.sum() > points.tied.size)

    def compute(self, hypothesis: Hypothesis) -> Array:
        """Return the value of each ranking; nan where it has none, or where nobody knows it."""
        rankings, points, of_call = self.rank(hypothesis.transform, hypothesis.tie_order)
        values = compute_values(hypothesis.definition.rule, rankings, points)
        is_undefined = np.isnan(values) | (points.n_positives == 0)
        values = np.where(is_undefined, hypothesis.value_without_positives, values)
        means = np.bincount(of_call, values) / np.bincount(of_call)
        returned = hypothesis.value_transform
        return means if returned is None else returned.apply(means)

    def fits(self, hypothesis: Hypothesis) -> Array:
        """Whether each returned value is that of a hypothesis."""
        if hypothesis.tie_order == transforms.UNKNOWN_ORDER:
            return self._fits_any_order(hypothesis)
        values = self.compute(hypothesis)
        # Where nobody knows the value, any but an infinite one fits.
        is_unknown = np.isnan(values) & ~np.isinf(self.returned)
        return np.asarray(self.equals(values) | is_unknown)

    def equals(self, expected: Array) -> Array:
        """Whether each returned value is an expected one."""
        with np.errstate(invalid="ignore"):  # Infinities have no difference.
            is_near = np.abs(self.returned - expected) <= TOLERANCE
        are_undefined = np.isnan(self.returned) & np.isnan(expected)
        return np.asarray(is_near | (self.returned == expected) | are_undefined)

    def _fits_any_order(self, hypothesis: Hypothesis) -> Array:
        """Whether each value is between those with the positives first and last among ties."""
        ends = [
            self.compute(replace(hypothesis, tie_order=order))
            for order in (transforms.BEST, transforms.WORST)
        ]
        is_above = self.returned >= np.minimum(*ends) - TOLERANCE
        return np.asarray(is_above & (self.returned <= np.maximum(*ends) + TOLERANCE))


def _apply(applied: Sequence[Transform | None], call: Call) -> Rankings:
    """Return what is ranked after the transforms that have an effect."""
    rankings = Rankings(call.labels == 1, np.asarray(call.arguments[1], dtype=float), call.weight)
    for transform in applied:
        if transform is not None:
            rankings = transform.apply(rankings) or rankings
    return rankings
