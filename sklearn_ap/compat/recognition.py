"""Find the definition, and the mistake, that give what a function returned for many rankings.

What the function may compute is a hypothesis. All rankings are evaluated as one, so that thousands
of hypotheses take a second.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import nan

import numpy as np

from .._core import Array, Points, Rankings, rules
from .._core.steps import DENOMINATORS
from . import definitions, mistakes
from .calls import Call, Log, draw_rankings, name_aspect, write_value
from .changes import BEST, OF_RANKINGS, OF_TIES, ORDERS, READINGS, UNKNOWN_ORDER, WORST, Change
from .definitions import AVERAGE_PRECISION, DEFINITIONS, OF_LABELS, AnyRule, Definition
from .mistakes import VALUE_CHANGES, ValueChange
from .peers import read_peers

CUTOFFS = (*range(1, 121), 150, 200, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
_COMMON_CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 0.01, 0.05, 0.1)  # which are tried with mistakes, too
_CUTOFFS_OF_CHANGES = (5, 10, 100)
_TOLERANCE = 1.4e-6  # enough for sums in single precision, as of 200 thresholds in Keras
_MAX_SIZE_OF_ALL = 4  # samples, of which the function gets all rankings without ties
_MIN_RANKINGS = 5  # on fewer ones, nothing is recognized
_SAYS_NOTHING = "fraction of positives"  # whatever is ranked


@dataclass(frozen=True)
class Hypothesis:
    """What a function may compute: a definition, and what is done to it."""

    definition: Definition  # perhaps with a mistake in what is counted
    change: Change | None = None  # a mistake in what is ranked
    value_change: ValueChange | None = None  # a mistake in what is returned
    order: Change | None = None  # of tied samples; None at one threshold
    ties_are_averaged: bool = False  # over all orders
    empty: float | None = None  # the value without positives; None if the definition says it

    @property
    def term(self) -> str:
        return self.definition.term

    @property
    def is_average_precision(self) -> bool:
        return self.definition.family == AVERAGE_PRECISION

    @property
    def without_positives(self) -> float:
        if self.empty is not None:
            return self.empty
        is_of_both_classes = self.term == "area under the ROC curve"
        return nan if is_of_both_classes or self.definition.family == OF_LABELS else 0.0

    @property
    def mistakes(self) -> list[str]:
        made = [each for each in (self.change, self.value_change) if each is not None]
        words = [self.definition.mistake, *(each.words for each in made)]
        return [each for each in words if each]

    @property
    def name(self) -> str:
        """The definition in words."""
        top, _, rest = self.term.partition(" / ")
        if top.startswith("AP@") and rest:
            denominator, mark, more = rest.partition(",")
            return f"{top} divided by {DENOMINATORS[denominator]}{mark}{more}"
        is_adjective = " " not in self.term.removesuffix(" float") and "@" not in self.term
        if self.is_average_precision and self.term in DEFINITIONS and is_adjective:
            return f"{self.term} average precision"
        return self.term

    @property
    def phrase(self) -> str:
        parts = [self.name, *self.mistakes]
        if self.order is not None:
            parts.append(self.order.words)
        if self.ties_are_averaged:
            parts.append("ties expected")
        return ", ".join(parts)

    @property
    def meant(self) -> "Hypothesis":
        """The definition alone."""
        known = {each.term: each for each in suppose(CUTOFFS)}
        return known.get(self.term, Hypothesis(self.definition, empty=self.empty))


@cache
def suppose(cutoffs: tuple[float, ...]) -> tuple[Hypothesis, ...]:
    """Return all definitions, the best known first."""
    known = DEFINITIONS.copy()
    for k in cutoffs:
        of_top = definitions.list_at_k(k)
        if k == 1:  # AP@1 is better known as P@1
            known["precision@1"] = of_top["precision@1"]
        known |= of_top
    return tuple(map(Hypothesis, known.values()))


@cache
def suppose_mistakes(cutoffs: tuple[float, ...]) -> tuple[Hypothesis, ...]:
    """Return each definition with each mistake in what it counts."""
    miscounted = [*mistakes.MISTAKES_IN_COUNTS.values()]
    for k in cutoffs:
        if isinstance(k, int):
            miscounted += mistakes.list_mistakes_at_k(k).values()
        else:
            miscounted += mistakes.list_mistakes_at_fraction(k).values()
    miscounted += mistakes.list_epsilons()
    return tuple(map(Hypothesis, miscounted))


class Batch:
    """What the function returned for some calls, whose rankings are evaluated as one."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls
        self.returned = np.array([call.value for call in calls])
        self.has_failed = np.array([bool(call.error) for call in calls])
        self._ranked: dict[tuple[Change, ...], tuple[Rankings, Points, Array]] = {}

    def rank(self, *changes: Change | None) -> tuple[Rankings, Points, Array]:
        """Rank what changes make of each ranking, and return of which call each ranking is."""
        made = tuple(change for change in changes if change is not None)
        if made not in self._ranked:
            self._ranked[made] = self._rank(made)
        return self._ranked[made]

    def _rank(self, changes: Sequence[Change]) -> tuple[Rankings, Points, Array]:
        parts = []
        for call in self.calls:
            scores = np.asarray(call.passed[1], dtype=float)
            part = Rankings(call.labels == 1, scores, call.weight)
            for change in changes:
                part = change.apply(part) or part  # where it has no effect
            parts.append(part)
        counts = np.array([part.n_rankings for part in parts])
        starts = np.cumsum(counts) - counts
        groups, weights, n_positives = [], [], []
        for start, part in zip(starts, parts, strict=True):
            group = (
                np.zeros(part.scores.size, int) if part.group_codes is None else part.group_codes
            )
            groups.append(start + group)
            weights.append(np.ones(group.size) if part.weight is None else part.weight)
            n_found = np.bincount(group, part.labels * weights[-1], part.n_rankings)
            n_positives.append(n_found if part.n_positives is None else part.n_positives)
        has_weights = any(part.weight is not None for part in parts)
        is_cut = any(part.n_positives is not None for part in parts)
        rankings = Rankings(
            labels=np.concatenate([part.labels for part in parts]).astype(bool),
            scores=np.concatenate([part.scores for part in parts]).astype(float),
            weight=np.concatenate(weights) if has_weights else None,
            group_codes=np.concatenate(groups),
            n_rankings=int(counts.sum()),
            n_positives=np.concatenate(n_positives) if is_cut else None,
        )
        points = definitions.rank_every_point(rankings)
        return rankings, points, np.repeat(np.arange(counts.size), counts)

    def gets_ties(self, change: Change) -> bool:
        _, points, _ = self.rank(change)
        return bool(points.n_rows.sum() > points.tied.size)

    def compute(self, hypothesis: Hypothesis) -> Array:
        """Return the value of each ranking; nan where it has none, or where nobody knows it."""
        rankings, points, of_call = self.rank(hypothesis.change, hypothesis.order)
        graded = replace(rankings, labels=rankings.labels.astype(float))
        values = definitions.compute_values(hypothesis.definition.rule, graded, points)
        is_undefined = np.isnan(values) | (points.n_positives == 0)
        values = np.where(is_undefined, hypothesis.without_positives, values)
        means = np.bincount(of_call, values) / np.bincount(of_call)
        returned = hypothesis.value_change
        return means if returned is None else returned.apply(means)

    def fits(self, hypothesis: Hypothesis) -> Array:
        """Whether each returned value is that of a hypothesis."""
        if hypothesis.order == UNKNOWN_ORDER:
            return self._fits_any_order(hypothesis)
        values = self.compute(hypothesis)
        is_undefined = np.isnan(values) & (self.has_failed | np.isfinite(self.returned))
        return np.asarray(self.equals(values) & ~self.has_failed | is_undefined)

    def equals(self, expected: Array) -> Array:
        """Whether each returned value is an expected one."""
        with np.errstate(invalid="ignore"):  # of infinities
            is_near = np.abs(self.returned - expected) <= _TOLERANCE
        are_undefined = np.isnan(self.returned) & np.isnan(expected)
        return np.asarray(is_near | (self.returned == expected) | are_undefined)

    def _fits_any_order(self, hypothesis: Hypothesis) -> Array:
        """Whether each value is between those with the positives first and last among ties."""
        ends = [self.compute(replace(hypothesis, order=order)) for order in (BEST, WORST)]
        is_above = self.returned >= np.minimum(*ends) - _TOLERANCE
        return np.asarray(is_above & (self.returned <= np.maximum(*ends) + _TOLERANCE))


@dataclass(frozen=True)
class Recognition:
    """What the calls show that a function computes."""

    found: Hypothesis | None = None  # or the nearest one
    is_nearest: bool = False
    failure: str = ""  # why there is nothing to recognize, as a sentence
    smallest: int = 0  # ranking that was looked at, if smaller ones have one value


class Search:
    """The search for what a function computes."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.smallest = 0  # ranking that is looked at
        self.untied = self.collect("values")

    def collect(self, *aspects: str) -> Batch:
        """Return the calls of some aspects that gave a number."""
        calls = [call for call in self.log.calls if call.aspect in aspects and call.is_number]
        return Batch([call for call in calls if call.labels.size >= self.smallest])

    def recognize(self) -> Recognition:
        failure = self.find_failure()
        if failure:
            return self.find_swapped() or Recognition(failure=failure)
        found = self.find_hypothesis()
        if found is None:
            found = self.find_in_large()
        if found is not None:
            return Recognition(found, smallest=self.smallest)
        return self.find_swapped() or self.find_nearest()

    def find_in_large(self) -> Hypothesis | None:
        """Leave out small rankings for which the function always returns the same."""
        by_size = sorted(self.untied.calls, key=lambda call: call.labels.size)
        others = [call for call in by_size if call.value != by_size[0].value]
        if others[0].labels.size <= _MAX_SIZE_OF_ALL:
            return None
        self.smallest = others[0].labels.size
        every, self.untied = self.untied, self.collect("values")
        found = None
        if len(self.untied.calls) >= _MIN_RANKINGS:
            found = self.find_hypothesis()
        if found is None:
            self.smallest, self.untied = 0, every
        return found

    def find_hypothesis(self) -> Hypothesis | None:
        """Find what gives all values without ties, and then what is done with ties."""
        telling = sorted(self.untied.calls, key=lambda call: abs(call.labels.size - 20))
        self.probe = Batch([*telling[:4], *self.untied.calls[-2:]])
        for hypotheses in self.list_hypotheses():
            fits = [each for each in hypotheses if self.probe.fits(each).all()]
            fits = [each for each in fits if self.untied.fits(each).all()]
            if fits:
                return self.find_reading(self.find_order(self.choose(fits)))
        return None

    def list_hypotheses(self) -> Iterator[Sequence[Hypothesis]]:
        """Yield what the function may compute: what it should, then mistakes, each with the most
        common definitions.
        """
        yield suppose(CUTOFFS)
        yield suppose_mistakes(_COMMON_CUTOFFS)
        yield self.find_changed_values()
        computed = {peer.definition for peer in read_peers()}
        common = [
            each
            for each in suppose(_CUTOFFS_OF_CHANGES)
            if each.definition.rarity <= 1 or each.definition.name_of_any_k in computed
        ]
        for change in OF_RANKINGS:
            for order in (None, *ORDERS) if self.probe.gets_ties(change) else (None,):
                yield [replace(each, change=change, order=order) for each in common]

    def find_changed_values(self) -> list[Hypothesis]:
        """Return definitions and mistakes that fit the probe after a change of their values."""
        found = []
        for each in suppose(_COMMON_CUTOFFS) + suppose_mistakes(_COMMON_CUTOFFS):
            values = self.probe.compute(each)
            for change in VALUE_CHANGES:
                if self.probe.equals(change.apply(values)).all():
                    found.append(replace(each, value_change=change))
        return found

    def find_failure(self) -> str:
        n_tried = sum(call.aspect == "values" for call in self.log.calls)
        values = self.untied.returned
        if not values.size:
            results = [call.result for call in self.log.calls if call.aspect in ("values", "ties")]
            return f"Every call with both classes gives {max(results, key=results.count)}."
        if values.size < _MIN_RANKINGS:
            return f"It returned a number for {values.size} of {n_tried} rankings: too few to tell."
        if np.ptp(values) < 1e-9:
            return f"Not a metric: every ranking without ties gives {write_value(values[0])}."
        return ""

    def choose(self, fits: list[Hypothesis]) -> Hypothesis:
        """Return the one that has most other values in any order of ties, or the first of these."""
        others = self.collect("ties", "no positives", "no negatives", "many samples")
        if len(fits) == 1 or not others.calls:
            return fits[0]

        def count(each: Hypothesis) -> int:
            orders = (None, *ORDERS) if each.order is None else (each.order,)
            return max(int(others.fits(replace(each, order=order)).sum()) for order in orders)

        return max(fits, key=count)  # of equal ones, the first

    def find_order(self, found: Hypothesis) -> Hypothesis:
        """Find out how the function ranks tied samples, or whether it drops some."""
        tied = self.collect("ties")
        if found.order is not None or not tied.calls:  # of what a change has tied
            return found
        tried = [replace(found, order=order) for order in (None, *ORDERS)]
        rule = found.definition.rule
        has_mean = not isinstance(rule, rules.Interpolated)
        has_mean = has_mean and rule.options.get("denominator") != "hits"
        if "ties" in rule.list_options() and has_mean:
            averaged: AnyRule = replace(rule, ties="expected")  # type: ignore[type-var]
            definition = replace(found.definition, rule=averaged)
            tried.append(replace(found, definition=definition, ties_are_averaged=True))
        if not found.mistakes:
            tried += [replace(found, change=change) for change in OF_TIES]
            tried += [
                each
                for each in suppose_mistakes(())
                if each.term == found.term and self.untied.fits(each).all()
            ]
        tried.append(replace(found, order=UNKNOWN_ORDER))
        return next((each for each in tried if tied.fits(each).all()), found)

    def find_reading(self, found: Hypothesis) -> Hypothesis:
        """Find out what the function does to scores beyond [0, 1], or very close ones."""
        others = self.collect("other scores", "close scores")
        if found.change or not others.calls or others.fits(found).all():
            return found
        for reading in READINGS:
            read = replace(found, change=reading)
            if others.fits(read).all() and self.untied.fits(read).all():
                return read
        return found

    def find_swapped(self) -> Recognition | None:
        """Find the definition that fits if the function takes the scores first."""
        calls: list[Call] = []
        for labels, scores in draw_rankings(self.log.rng):
            is_untied = name_aspect(labels, scores) == "values" and labels.size > 3
            if is_untied and len(calls) < 12 and self.log.can_retry:
                swapped = self.log.call(Call("values", scores, labels))
                calls.append(Call("values", labels, scores, value=swapped.value))
        batch = Batch(calls)
        if np.unique(np.round(batch.returned, 9)).size < 3:
            return None
        for found in suppose(_COMMON_CUTOFFS):
            says_nothing = found.definition.family == OF_LABELS or found.term == _SAYS_NOTHING
            if not says_nothing and batch.fits(found).all():
                name = start_sentence(found.phrase)
                sentence = f"{name}, but it takes the scores first: pass lambda y, s: f(s, y)."
                return Recognition(found, failure=sentence)
        return None

    def find_nearest(self) -> Recognition:
        """Find the definition that has most of the values without ties, if it has half of them."""
        candidates = suppose(_COMMON_CUTOFFS)
        counts = [int(self.untied.fits(each).sum()) for each in candidates]
        if 2 * max(counts) < len(self.untied.calls):
            return Recognition(is_nearest=True)
        nearest = candidates[counts.index(max(counts))]
        return Recognition(self.find_order(nearest), is_nearest=True)


def start_sentence(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].upper() + text[1:]
