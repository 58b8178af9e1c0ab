"""Find the definition, and the mistake, that give what a function returned for many rankings.

All rankings are evaluated as one, so that thousands of hypotheses take a second.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ..._core import Array, Points, Rankings
from .. import definitions, transforms
from ..definitions import Definition, find_definition
from ..formulas import compute_values, rank_every_point
from ..peers import read_peers
from ..transforms import Transform, ValueTransform
from ..wording import write_value
from .calls import Call, CallLog, draw_rankings, name_aspect

# Enough for sums in single precision, as of 200 thresholds in Keras, and for 1e-6 in denominators
TOLERANCE = 2.5e-6
IGNORES_RANKING = "fraction of positives"  # It has the same value whatever is ranked.
_CUTOFFS = (*range(1, 101), 150, 200, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
_COMMON_CUTOFFS = (1, 3, 5, 10, 12, 20, 50, 100, 0.01, 0.05, 0.1)  # tried with mistakes, too
_CUTOFFS_OF_SHAPES = _COMMON_CUTOFFS[1:]  # AP@1 has few values, which are easily those of others.
_CUTOFFS_OF_TRANSFORMS = (5, 10, 100)
_MIN_RANKINGS = 5  # Nothing is recognized on fewer ones.
_LARGEST_SMALL = 10  # samples, up to which AP@10 and step are the same
_MIN_RANGE = 1e-4  # of values; smaller ones are those of any definition that is mostly 0
_PROBE_SIZE = 12


# --- what a function may compute ------------------------------------------------------------------


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
    # The last start is the end.
    groups = [start + part.code_of_samples for start, part in zip(starts, parts, strict=False)]
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


# --- which of them it computes --------------------------------------------------------------------


@cache
def suppose(cutoffs: tuple[float, ...]) -> tuple[Hypothesis, ...]:
    """Return all definitions, the best known first."""
    every = definitions.DEFINITIONS.copy()
    for k in cutoffs:
        of_top = definitions.list_at_k(k)
        if k == 1:  # AP@1 is better known as P@1.
            every["precision@1"] = of_top["precision@1"]
        every |= of_top
    return tuple(map(Hypothesis, every.values()))


@cache
def suppose_mistakes(cutoffs: tuple[float, ...]) -> tuple[Hypothesis, ...]:
    """Return each definition with each mistake in what it counts."""
    wrong = [*definitions.MISTAKES.values()]
    for k in cutoffs:
        wrong += definitions.list_mistakes_at_k(k).values()
    return tuple(map(Hypothesis, wrong))


@cache
def compute_probe() -> tuple[tuple[Call, ...], Array, list[Hypothesis]]:
    """Return some rankings without ties, a row of their values for each definition or mistake, and
    these.

    Where a function takes another shape, its values are compared with these.
    """
    drawn = draw_rankings(np.random.default_rng(0))
    untied = [each for each in drawn if name_aspect(*each) == "values" and each[0].size > 4]
    largest_first = sorted(untied[:_PROBE_SIZE], key=lambda each: -each[0].size)
    calls = tuple(Call("values", *each) for each in largest_first)
    every = suppose(_CUTOFFS_OF_SHAPES) + suppose_mistakes(_CUTOFFS_OF_SHAPES)
    compared = [each for each in every if is_about_order(each.definition)]
    batch = Batch(calls)
    return calls, np.array([batch.compute(each) for each in compared]), compared


def is_about_order(definition: Definition) -> bool:
    return not definition.needs_threshold and definition.term != IGNORES_RANKING


def list_hypotheses(probe: Batch) -> Iterator[Sequence[Hypothesis]]:
    """Yield what a function may compute: what it should, then mistakes, each with the most common
    definitions. Some are left out that don't fit a few calls, the probe.
    """
    yield suppose(_CUTOFFS)
    yield suppose_mistakes(_COMMON_CUTOFFS)
    yield list_transformed_values(probe)
    of_tools = {peer.definition for peer in read_peers()}
    common = [
        each
        for each in suppose(_CUTOFFS_OF_TRANSFORMS)
        if each.definition.rarity <= 1 or each.definition.name_of_any_k in of_tools
    ]
    for transform in transforms.OF_RANKINGS:
        orders = (None, *transforms.TIE_ORDERS) if probe.gets_ties(transform) else (None,)
        for order in orders:
            yield [replace(each, transform=transform, tie_order=order) for each in common]


def list_transformed_values(probe: Batch) -> list[Hypothesis]:
    """Return definitions and mistakes that fit the probe if their values are transformed."""
    fitting = []
    for each in suppose(_COMMON_CUTOFFS) + suppose_mistakes(_COMMON_CUTOFFS):
        values = probe.compute(each)
        for transform in transforms.VALUE_TRANSFORMS:
            if probe.equals(transform.apply(values)).all():
                fitting.append(replace(each, value_transform=transform))
    return fitting


class Search:
    """The search for what a function computes."""

    def __init__(self, log: CallLog) -> None:
        self.log = log
        self.untied = self.collect("values")

    def collect(self, *aspects: str) -> Batch:
        """Return the calls of some aspects that gave a number."""
        calls = [call for call in self.log.calls if call.aspect in aspects and call.is_number]
        return Batch(calls)

    def recognize(self) -> Recognition:
        failure = self.find_failure()
        if failure:
            return Recognition(failure=failure)
        hypothesis = self.find_hypothesis()
        return self.find_nearest() if hypothesis is None else Recognition(hypothesis)

    def find_failure(self) -> str:
        """Say why there are no values that tell anything, if so."""
        values = self.untied.returned
        if not values.size:
            results = [call.result for call in self.log.calls if call.aspect in ("values", "ties")]
            return f"Every call with both classes gives {max(results, key=results.count)}."
        largest = max(call.labels.size for call in self.untied.calls)
        if values.size < _MIN_RANKINGS or largest <= _LARGEST_SMALL:
            n_tried = sum(call.aspect == "values" for call in self.log.calls)
            return f"It returned a number for {values.size} of {n_tried} rankings: too few to tell."
        if np.ptp(values) < _MIN_RANGE:
            return f"Not a metric: every ranking without ties gives {write_value(values[0])}."
        return ""

    def find_hypothesis(self) -> Hypothesis | None:
        """Find what gives all values without ties, and then what is done with ties."""
        telling = sorted(self.untied.calls, key=lambda call: abs(call.labels.size - 20))
        probe = Batch([*telling[:4], *self.untied.calls[-2:]])
        for hypotheses in list_hypotheses(probe):
            near = [each for each in hypotheses if probe.fits(each).all()]
            fits = [each for each in near if self.untied.fits(each).all()]
            if fits:
                return self.find_tie_order(self.choose(fits))
        return None

    def choose(self, fits: list[Hypothesis]) -> Hypothesis:
        """Return the one that has most other values in any order of ties, or the first of these."""
        others = self.collect("ties", "no positives", "no negatives", "many samples")
        if len(fits) == 1 or not others.calls:
            return fits[0]

        def count(each: Hypothesis) -> int:
            orders = (None, *transforms.TIE_ORDERS) if each.tie_order is None else (each.tie_order,)
            return max(int(others.fits(replace(each, tie_order=order)).sum()) for order in orders)

        return max(fits, key=count)

    def find_tie_order(self, hypothesis: Hypothesis) -> Hypothesis:
        """Find out how the function ranks tied samples."""
        tied = self.collect("ties")
        if hypothesis.tie_order is not None or not tied.calls:  # A transform's order is known.
            return hypothesis
        fits = (each for each in self.list_tie_orders(hypothesis) if tied.fits(each).all())
        return next(fits, hypothesis)

    def list_tie_orders(self, hypothesis: Hypothesis) -> Iterator[Hypothesis]:
        """Yield what may be done with ties, the most common first."""
        for order in (None, *transforms.TIE_ORDERS):
            yield replace(hypothesis, tie_order=order)
        if not hypothesis.mistakes:
            term = hypothesis.definition.term
            for each in suppose_mistakes(()):
                if each.definition.term == term and self.untied.fits(each).all():
                    yield each
        yield replace(hypothesis, tie_order=transforms.UNKNOWN_ORDER)

    def find_nearest(self) -> Recognition:
        """Find the definition that has most of the values without ties, if it has half of them."""
        candidates = suppose(_COMMON_CUTOFFS)
        counts = [int(self.untied.fits(each).sum()) for each in candidates]
        if 2 * max(counts) < len(self.untied.calls):
            return Recognition(is_nearest=True)
        nearest = candidates[counts.index(max(counts))]
        return Recognition(self.find_tie_order(nearest), is_nearest=True)
