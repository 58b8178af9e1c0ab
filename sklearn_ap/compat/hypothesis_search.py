"""Search for the definition, and the mistake, with which a function has its values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, compress, permutations, product
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from ..core.cutoff import Cut
from ..core.ragged import Array
from ..core.rules import FirstPositive, PrecisionAtK
from .call_log import (
    EDGE_ASPECTS,
    FORMS,
    N_RANKED_SAMPLES,
    SCORE_ASPECTS,
    THRESHOLDS,
    TWO_CLASS_ASPECTS,
    Call,
    CallLog,
    draw_ranking,
)
from .call_values import ALL_ROWS, COMMON_SHARES, CUTS, CallValues, are_equal
from .candidates import GUESSED_KS
from .hypotheses import ChangedCalls, Hypothesis
from .level_rules import WITH_OTHER_LEVELS
from .miscounted_rules import INSTEAD_OF_STEP, list_miscounted
from .mistakes import (
    BOTH_CLASSES,
    DROPPED_TIES,
    MISTAKES,
    NO_MISTAKE,
    OF_OTHER_CLASS,
    READINGS,
    ROWS_BACKWARDS,
    ROWS_IN_ORDER,
    SAME_VALUE,
    Mistake,
    ValueChange,
    list_ends,
    list_highest,
    list_left_out,
    list_turned_tops,
    list_value_changes,
    make_deviation,
    make_multiple,
    make_swapped,
)
from .recognition import KNOWN_ORDERS, ConstantValue, PermanentFailure, Recognition, SizeLimit
from .tie_orders import Order, knows_orders
from .variant_rules import (
    MeanOfPrecisions,
    OfPredictedLabels,
    RocArea,
    is_mistaken,
)
from .variants import Variant

N_SAMPLED_CALLS = 40  # rankings on which what fits the small ones is tried next
_N_SMALL_CALLS, _MAX_SMALL_SAMPLES = 3, 12  # rankings on which everything is tried first
_N_NEW_RANKINGS, _MAX_NEW_SAMPLES = 50, 400  # drawn to prove a mistake
_LEAST_OF_MANY = 110  # samples of the rankings that tell what isn't so for fewer
_RARITY_OF_MISCOUNTED = 4
# Metrics that don't depend on how many positives exist
_RULES_OF_TOP_ALONE = (PrecisionAtK, MeanOfPrecisions, FirstPositive)
_MAX_SAMPLES_IN_ALL_ORDERS = 5  # samples, of which all orders of ties are tried
_MAX_DEVIATION = 0.005  # of values that are still said to be those of a definition
_MIN_CHANGE_BY_FACTOR = 1e-4  # relative, of values that are multiples
_VALUE_DECIMALS = 9  # to which values that are summed in another order agree
_OUTCOMES_OF_NO_POSITIVES = (0.0, ""), (None, "")  # what a function returns if it finds none


def _get_ranks(cuts: Iterable[Cut]) -> list[int]:
    """Return the cutoffs that are numbers of samples."""
    return [int(cut.k) for cut in cuts if not cut.is_share]


def _list_distinct(values: Iterable[float]) -> Array:
    """Return values that differ by more than rounding, each once."""
    return np.unique(np.round([*values], _VALUE_DECIMALS))


class _Place(NamedTuple):
    """How many samples are above the tied samples among which one is, and down to them."""

    above: int
    down_to: int


def _locate_odd_sample(call: Call) -> _Place:
    """Return the place of the only positive, or of the only negative."""
    is_positive_odd = np.count_nonzero(call.labels) == 1
    score = call.scores[call.labels == is_positive_odd].max()
    above, down_to = call.scores > score, call.scores >= score
    return _Place(int(np.count_nonzero(above)), int(np.count_nonzero(down_to)))


def _list_cuts_at(place: _Place, size: int) -> Iterator[Cut]:
    """Yield the cutoffs that a function may have if samples count down to a place."""
    k = place.down_to
    yield from (Cut(guess) for guess in GUESSED_KS if place.above < guess < k)  # among tied samples
    yield Cut(k)
    yield from COMMON_SHARES
    if 100 * k % size == 0:
        yield Cut(k / size)


def _list_orders(call: Call) -> Iterator[Call]:
    """Yield a call in each order of its tied samples."""
    scores = np.unique(call.scores)[::-1]
    orders = ({*permutations(call.labels[call.scores == each].tolist())} for each in scores)
    for ordered in product(*orders):
        labels = np.concatenate(ordered)
        yield call._replace(labels=labels, scores=-np.arange(labels.size))


def _is_tried_with_mistakes(variant: Variant, cut: Cut | None) -> bool:
    """Whether it has a cutoff, and doesn't rank labels, of which some mistakes are made."""
    return variant.rule.cut == cut and not isinstance(variant.rule, OfPredictedLabels)


class ChosenHypothesis(NamedTuple):
    """The hypothesis that is chosen of those that fit."""

    hypothesis: Hypothesis
    is_like: bool = False  # whether it is only the nearest definition
    alternatives: tuple[str, ...] = ()  # to it, which nothing tried tells apart


class OrderedHypothesis(NamedTuple):
    """A hypothesis with the order in which it ranks ties, if that is known."""

    hypothesis: Hypothesis
    order: Order | None
    is_between: bool = False  # of the values of the best and the worst order


def recognize_expected(log: CallLog, tolerance: float, variant: Variant) -> Recognition:
    """Find out how a function that should compute a variant ranks ties and reads scores."""
    search = HypothesisSearch(log, tolerance)
    return search.make_recognition(ChosenHypothesis(Hypothesis(variant)))


def recognize(log: CallLog, tolerance: float, is_other: bool = False) -> Recognition:
    """Find out what a function computes.

    `is_other` tells that nobody takes it for average precision.
    """
    search = HypothesisSearch(log, tolerance)
    nothing = Recognition(log, tolerance, search.size_limit)
    failure = search.find_failure()
    if failure is None and search.tells_definitions:
        choice = search.choose_hypothesis(is_other)
        return nothing if choice is None else search.make_recognition(choice)
    if is_other:
        return nothing
    swapped = search.find_swapped()
    if swapped is None:
        return replace(nothing, failure=failure)
    return replace(nothing, hypothesis=swapped)


class HypothesisSearch:
    """The rankings that a function was called with, and the search for what it computes."""

    def __init__(self, log: CallLog, tolerance: float) -> None:
        self.log, self.tolerance = log, tolerance
        self.size_limit = self._find_size_limit()
        values = self.select_calls("values")
        self.untied_calls = [call for call in values if not call.rank]
        self.ranked_calls = [call for call in values if call.rank]
        self.large_calls = [call for call in self.select_calls("many samples") if call.has_no_ties]
        self.decisive_calls = [*self.large_calls, *self.untied_calls, *self.ranked_calls]

    @property
    def tells_definitions(self) -> bool:
        """Whether values differ, or there is a single ranking, so that they may be a metric's."""
        outcomes = {call.outcome for call in self.untied_calls if not isnan(call.value)}
        return len(outcomes) > 1 or len(self.untied_calls) == len(outcomes) == 1

    def make_recognition(self, choice: ChosenHypothesis) -> Recognition:
        """Find out in which order the chosen hypothesis ranks ties, and how it reads scores."""
        hypothesis, order, is_between = self._find_order(choice.hypothesis)
        misreading = self._find_misreading(hypothesis, order)
        if misreading is not None:
            hypothesis = replace(hypothesis, mistake=misreading)
        return Recognition(
            self.log,
            self.tolerance,
            self.size_limit,
            hypothesis,
            order,
            is_between,
            misreading,
            is_like=choice.is_like,
            alternatives=choice.alternatives,
        )

    def choose_hypothesis(self, is_other: bool) -> ChosenHypothesis | None:
        """Return the definition that fits, or a mistake if one does, or what is most alike."""
        definition = self._find_exact_definition()
        if definition is not None:
            return ChosenHypothesis(definition)
        if is_other:
            return None
        proven = [each for each in self._list_product() if self._holds_on_new_rankings(each)]
        if proven:
            return self._choose_likeliest(proven)
        mistaken = self._find_proven(self._list_mistaken())
        if mistaken is not None:
            return ChosenHypothesis(mistaken)
        likeness = self._find_likeness()
        of_sizes = self._find_proven(self._list_of_sizes(likeness))
        if of_sizes is not None:
            return ChosenHypothesis(of_sizes)
        return None if likeness is None else ChosenHypothesis(likeness, is_like=True)

    def find_swapped(self) -> Hypothesis | None:
        """Return the definition that fits if the function takes the scores first."""
        swapped = self._make_swapped() if self.untied_calls else None
        if swapped is None:
            return None
        survivors = self._list_survivors([*self.variants], [swapped], [SAME_VALUE])
        return next(iter(self._keep_true(survivors)), None)

    def _find_likeness(self) -> Hypothesis | None:
        """Return the definition that is most alike, perhaps times a constant."""
        plain = [*self.large_calls, *self.select_calls(*TWO_CLASS_ASPECTS, *EDGE_ASPECTS)]
        ranked = self.make_values(self.ranked_calls or self.untied_calls)
        most_alike = self.make_values(self.untied_calls).find_most_alike(
            self.variants, self.make_values(plain), ranked
        )
        if most_alike is None:
            return None
        variant, factor = most_alike
        value_change = SAME_VALUE if factor == 1 else make_multiple(factor)
        return Hypothesis(variant, value_change=value_change)

    def _choose_likeliest(self, proven: Sequence[Hypothesis]) -> ChosenHypothesis:
        """Return what has the fewest mistakes, and explains most of the scores of other forms."""
        fewest = [each for each in proven if len(each.mistakes) == len(proven[0].mistakes)]
        calls = self.select_calls(*SCORE_ASPECTS)
        counts = [np.count_nonzero(each.is_true_of(calls, self.tolerance)) for each in fewest]
        alike = [*compress(fewest, np.equal(counts, max(counts)))]
        sentences = [*dict.fromkeys(each.sentence for each in alike)]
        return ChosenHypothesis(alike[0], alternatives=tuple(sentences[1:]))

    def find_likeliest(self, mistakes: Sequence[Mistake]) -> Hypothesis | None:
        """Return the least rare definition that fits all calls with one of these mistakes."""
        survivors = self._list_survivors([*self.variants], mistakes, [SAME_VALUE])
        survivors.sort(key=lambda each: (each.has_mistake, self.variants[each.variant]))
        return next(iter(self._keep_true(survivors)), None)

    def _find_exact_definition(self) -> Hypothesis | None:
        """Return the definition that has the values of all rankings without ties."""
        fitting = self._keep_true(
            self._list_survivors([*self.variants], [NO_MISTAKE], [SAME_VALUE])
        )
        calls = [*self.large_calls, *self.select_calls(*TWO_CLASS_ASPECTS, *EDGE_ASPECTS)]
        variants = {each.variant: self.variants[each.variant] for each in fitting}
        roc = [variant for variant in variants if isinstance(variant.rule, RocArea)]
        if roc:  # it equals all values, or is another metric
            of_both = [call for call in calls if call.has_both_classes]
            for variant in roc:
                if not self.is_true_of_all(Hypothesis(variant), of_both):
                    del variants[variant]
        if not variants:
            return None
        return Hypothesis(self.make_values(calls).find_most_equal(variants))

    def make_values(self, calls: Sequence[Call]) -> CallValues:
        return CallValues(calls, self.tolerance)

    def is_true_of_all(self, hypothesis: Hypothesis, calls: Sequence[Call]) -> bool:
        with suppress(NotImplementedError):  # a few rules have no range over all orders
            return bool(hypothesis.is_true_of(calls, self.tolerance).all())
        return False

    def _is_true_of(self, hypothesis: Hypothesis, call: Call) -> bool:
        return self.is_true_of_all(hypothesis, [call])

    def select_calls(self, *aspects: str) -> list[Call]:
        most = np.inf if self.size_limit is None else self.size_limit.most
        return [
            call for call in self.log.calls if call.aspect in aspects and call.labels.size <= most
        ]

    @cached_property
    def cut_calls(self) -> list[Call]:
        """Rankings of a single positive that may tell k, as those beyond it have one value."""
        calls: list[Call] = []
        for size in sorted({call.labels.size for call in self.ranked_calls}):
            of_size = [call for call in self.ranked_calls if call.labels.size == size]
            values = _list_distinct(call.value for call in of_size)
            # Also if a single rank is beyond it
            if values.size < len(of_size) or 0 in values:
                calls += of_size
        return calls

    def _read_cuts(self, mistake: Mistake) -> list[Cut]:
        """Return the cutoffs that the function may have: the last ranks whose labels change the
        value. The ranks are those of the rankings that a mistake has changed.
        """
        by_size: dict[int, dict[_Place, float]] = defaultdict(dict)
        for call in self.cut_calls:
            changed = mistake.change(call)
            if changed.has_both_classes:
                by_size[call.labels.size][_locate_odd_sample(changed)] = call.value
        cuts: list[Cut] = []
        for size, values in by_size.items():
            place = self._find_last_telling(size, values)
            if place is not None:
                cuts += _list_cuts_at(place, size)
        return [*dict.fromkeys(cuts)]

    def _find_last_telling(self, size: int, values: dict[_Place, float]) -> _Place | None:
        """Return the last place of an odd sample that changes the value; None if no cutoff may be
        there.
        """
        last = max(values)
        telling = [place for place in values if not are_equal(values[place], values[last], 1e-9)]
        if not telling:
            return None
        tries_few_ranks = size > len(self.ranked_calls)
        if max(telling).down_to >= last.down_to - 1 and not tries_few_ranks:
            return None
        n_between = sum(min(telling) <= place <= max(telling) for place in values)
        has_gaps = len(telling) < n_between
        if size == N_RANKED_SAMPLES and has_gaps:
            return None  # a cutoff leaves none
        return max(telling)

    @cached_property
    def cuts(self) -> list[Cut]:
        """The cutoffs that the function may have, if it makes no mistake."""
        values = [call.value for call in self.ranked_calls]
        if not values or np.isnan(values).all() or np.ptp(values) < 1e-9:
            longest = max((call.labels.size for call in self.untied_calls), default=0)
            return [cut for cut in CUTS if cut.is_share or cut.k < longest]  # which nothing tells
        return [Cut(ALL_ROWS), *self._read_cuts(NO_MISTAKE)]

    def find_failure(self) -> PermanentFailure | ConstantValue | None:
        """Return that the function always fails, or always returns one value."""
        calls = [call for call in self.log.calls if call.aspect != "Series"]
        of_both = [call for call in calls if call.has_both_classes]
        kinds = {
            "call": calls,
            "call with a positive": [call for call in calls if call.labels.any()],
            "call with both classes": of_both,
        }
        for which, tried in kinds.items():
            if tried and all(call.error for call in tried):
                [(error, _)] = Counter(call.error for call in tried).most_common(1)
                return PermanentFailure(error, which)
        outcomes = {call.outcome for call in self.untied_calls}
        if len(outcomes) != 1 or len(self.untied_calls) == 1:
            return None
        without_ties = [call for call in calls if not call.is_refused and call.has_no_ties]
        if {call.outcome for call in without_ties if call.has_both_classes} != outcomes:
            return None
        return ConstantValue(
            self.untied_calls[0].returned,
            needs_both_classes=len({call.outcome for call in without_ties}) > 1,
            has_no_positives=all(call.outcome in _OUTCOMES_OF_NO_POSITIVES for call in calls),
        )

    def _find_size_limit(self) -> SizeLimit | None:
        """Return up to how many samples there is a value, if there is none for more."""
        calls = [call for call in self.log.calls if call.has_both_classes and not call.is_form]
        fine = [call.labels.size for call in calls if not isnan(call.value)]
        failing = [call for call in calls if isnan(call.value)]
        if not fine or not failing:
            return None
        first = min(failing, key=lambda call: call.labels.size)
        if max(fine) >= first.labels.size:
            return None
        most, least = self.log.halve_sizes(
            max(fine), first.labels.size, lambda call: isnan(call.value)
        )
        return SizeLimit(most, first.returned, first.error, least == most + 1)

    @cached_property
    def sampled_calls(self) -> list[Call]:
        return self.untied_calls[:: -(-len(self.untied_calls) // N_SAMPLED_CALLS)]

    @cached_property
    def variants(self) -> dict[Variant, int]:
        """The definitions that the function may compute, with how rare they are."""
        return self.make_values(self.sampled_calls).find_rarities(self.cuts)

    @cached_property
    def small_calls(self) -> list[Call]:
        """Three small rankings, on which everything is tried first: those that tell most."""
        calls = [
            call for call in self.untied_calls if 2 <= call.labels.sum() <= call.labels.size - 2
        ]
        small = [call for call in calls if call.labels.size <= _MAX_SMALL_SAMPLES]
        small.sort(key=lambda call: (call.value in (0.0, 1.0), -call.labels.size))
        return [*small, *calls, *self.untied_calls][:_N_SMALL_CALLS]

    def _list_survivors(
        self,
        variants: Sequence[Variant],
        mistakes: Sequence[Mistake],
        value_changes: Sequence[ValueChange],
        calls: Sequence[Call] = (),
    ) -> list[Hypothesis]:
        """Return what has the values of a few rankings, among all combinations."""
        if not mistakes:
            return []
        calls = calls or self.small_calls
        shape = len(mistakes), len(calls)
        of_all = [mistake.change(call) for mistake, call in product(mistakes, calls)]
        changed = CallValues(of_all, self.tolerance)
        returned = changed.values.reshape(shape)
        targets = [
            (each, each.undo(returned), self.tolerance + each.tolerance) for each in value_changes
        ]
        survivors = []
        for variant in variants:
            expected = changed.compute_values(variant).reshape(shape)
            for value_change, values, tolerance in targets:
                is_equal = are_equal(values, expected, tolerance).all(axis=1)
                for place in np.flatnonzero(is_equal).tolist():
                    survivors.append(Hypothesis(variant, mistakes[place], value_change))
        return survivors

    def _keep_true(self, hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
        """Return the hypotheses that are true of all rankings without ties, in their order."""
        kept = [*hypotheses]
        for calls in ([*self.sampled_calls, *self.ranked_calls[::10]], self.decisive_calls):
            true = set()
            for mistake in {each.mistake for each in kept}:
                changed = ChangedCalls(calls, mistake)
                for each in kept:
                    if each.mistake is mistake and each.is_equal_to(changed, self.tolerance).all():
                        true.add(each)
            kept = [each for each in kept if each in true]
        return kept

    def _find_proven(self, hypotheses: Iterable[Hypothesis]) -> Hypothesis | None:
        """Return the first one that also holds on rankings that are drawn after it was chosen."""
        return next((each for each in hypotheses if self._holds_on_new_rankings(each)), None)

    def _holds_on_new_rankings(self, hypothesis: Hypothesis) -> bool:
        rng = np.random.default_rng([self.log.seed, 1])
        most = _MAX_NEW_SAMPLES if self.size_limit is None else self.size_limit.most
        for number in range(_N_NEW_RANKINGS):
            size = int(rng.integers(2, most + 1))
            if not self.log.has_time(size):
                break
            ranking = draw_ranking(size, False, rng, is_good=number % 2 == 0)
            call = self.log.call(Call("values", *self.log.shuffle(*ranking)))
            if not self.is_true_of_all(hypothesis, [call]):
                return False
        return True

    def _list_product(self) -> Iterator[Hypothesis]:
        """Yield definitions with a mistake that have all values, those with the fewest first."""
        values = np.array([call.value for call in self.decisive_calls])
        value_changes = [*list_value_changes(values)]
        mistakes_at = self._list_mistakes()
        variants = self.make_values(self.sampled_calls).find_rarities([*filter(None, mistakes_at)])
        counted = self._list_miscounted()
        plain = [*self.variants, *counted]
        survivors = self._list_survivors(plain, [NO_MISTAKE], value_changes)
        survivors += self._list_multiples(plain)
        for cut, mistakes in mistakes_at.items():
            of_cut = [variant for variant in variants if _is_tried_with_mistakes(variant, cut)]
            # What matters of rows that are left out is the number of their positives.
            counting = [each for each in of_cut if not isinstance(each.rule, _RULES_OF_TOP_ALONE)]
            of_rows = [mistake for mistake in mistakes if not mistake.counts_all]
            of_counts = [mistake for mistake in mistakes if mistake.counts_all]
            survivors += self._list_survivors(of_cut, of_rows, value_changes)
            survivors += self._list_survivors(counting, of_counts, value_changes)
        rarities = dict.fromkeys(counted, _RARITY_OF_MISCOUNTED) | variants | self.variants
        survivors.sort(key=lambda each: (len(each.mistakes), rarities[each.variant]))
        yield from self._drop_idle_roundings(self._keep_true(survivors))

    def _list_miscounted(self) -> list[Variant]:
        """Return what is counted in another way, with each cutoff and without one."""
        rules = list_miscounted(None)
        for cut in self.cuts:
            if cut != Cut(ALL_ROWS):
                rules += list_miscounted(cut)
        rules += (*WITH_OTHER_LEVELS, *INSTEAD_OF_STEP)
        return [Variant(rule) for rule in dict.fromkeys(rules) if is_mistaken(rule)]

    def _list_mistakes(self) -> dict[Cut | None, list[Mistake]]:
        """Return the mistakes that are tried with definitions of each cutoff, and of none.

        Single positives tell the cutoffs, and which rows are left out.
        """
        left_out = [*self._list_left_out()]
        mistakes_at = {None: [*MISTAKES, *left_out]} | {cut: [*left_out] for cut in self.cuts}
        for mistake in MISTAKES:
            for cut in (Cut(ALL_ROWS), *self._read_cuts(mistake)):
                mistakes_at.setdefault(cut, []).append(mistake)
        for k in _get_ranks(self._read_cuts(NO_MISTAKE)):
            mistakes_at[None] += list_highest(k)
            mistakes_at[Cut(k)] += list_turned_tops(k)
        for mistake in (ROWS_IN_ORDER, ROWS_BACKWARDS):
            for n_rows in _get_ranks(self._read_cuts(mistake)):
                mistakes_at[None] += list_ends(n_rows)
        return mistakes_at

    def _list_mistaken(self) -> Iterator[Hypothesis]:
        """Yield what else has all values: of swapped arguments, and of both classes."""
        value_changes = [
            *list_value_changes(np.array([call.value for call in self.decisive_calls]))
        ]
        swapped = self._make_swapped()
        if swapped is not None:
            survivors = self._list_survivors([*self.variants], [swapped], value_changes)
            yield from self._keep_true(survivors)
        for variant in self.variants:
            hypothesis = Hypothesis(variant, BOTH_CLASSES, other_class=OF_OTHER_CLASS)
            stages = (self.small_calls, self.decisive_calls)
            if all(self.is_true_of_all(hypothesis, calls) for calls in stages):
                yield hypothesis

    def _drop_idle_roundings(self, survivors: Sequence[Hypothesis]) -> Iterator[Hypothesis]:
        """Yield what survived, but for roundings of values that never have more decimals."""
        for hypothesis in survivors:
            n_decimals = hypothesis.value_change.n_decimals
            if n_decimals:
                changed = ChangedCalls(self.decisive_calls, hypothesis.mistake)
                values = changed.values.compute_values(hypothesis.variant)
                if are_equal(values, np.round(values, n_decimals), 1e-9).all():
                    continue
            yield hypothesis

    def _list_left_out(self) -> Iterator[Mistake]:
        """Yield that rows below a threshold are left out, if it may be one.

        All rankings whose positives are below it have one value.
        """
        by_score: dict[float, list[float]] = defaultdict(list)
        for call in self.decisive_calls:
            by_score[float(call.scores[call.labels > 0].max())].append(call.value)
        values: list[float] = []
        for score in sorted(by_score):
            values += by_score[score]
            if _list_distinct(values).size > 1:
                for t in [t for t in THRESHOLDS if t <= score][-1:]:
                    yield from list_left_out(t)
                return

    def _list_multiples(self, variants: Iterable[Variant]) -> Iterator[Hypothesis]:
        """Yield that values are those of a definition times a constant."""
        values = self.make_values(self.small_calls)
        for variant in variants:
            expected = values.compute_values(variant)
            is_positive = (expected > 0) & np.isfinite(values.values)
            factors = values.values[is_positive] / expected[is_positive]
            is_constant = factors.size > 1 and np.ptp(factors) < 1e-6 * factors[0]
            if not is_constant:
                continue
            factor = float(np.median(factors))
            # A factor nearer to 1 is a small number in a denominator, and percent have their words.
            if abs(factor - 1) > _MIN_CHANGE_BY_FACTOR and not np.isclose(factor, 100):
                yield Hypothesis(variant, value_change=make_multiple(factor))

    def _make_swapped(self) -> Mistake | None:
        """Return that the function takes the scores first; None if it doesn't."""
        if self.log.gets_series:
            return None
        values: dict[int, float] = {}

        def swap_arguments(call: Call) -> Call:
            if id(call) not in values:
                other = Call("values", call.scores, call.labels)
                has_time = self.log.has_time(call.labels.size)
                values[id(call)] = self.log.call(other).value if has_time else nan
            return call._replace(value=values[id(call)])

        is_constant = len({swap_arguments(call).value for call in self.small_calls}) == 1
        return None if is_constant else make_swapped(swap_arguments)

    def _list_of_sizes(self, hypothesis: Hypothesis | None) -> Iterator[Hypothesis]:
        """Yield definitions for few samples, or for many, and values that are off by a little."""
        yield from self._list_definitions_of_many()
        if hypothesis is None:
            return
        limit = self._find_size_limit_of(hypothesis)
        if limit is not None:
            most, is_exact = limit
            where = "with" if is_exact else "in the rankings tried with"
            words = f"except {where} more than {most:,} samples"
            parts = [*list_highest(most), *list_ends(most)] if is_exact else []
            limited = [replace(hypothesis, mistake=mistake) for mistake in parts]
            limited.append(replace(hypothesis, mistake=Mistake(words), most=most))
            yield from (each for each in limited if self.is_true_of_all(each, self.decisive_calls))
        yield from self._list_deviations()

    def _find_size_limit_of(self, hypothesis: Hypothesis) -> tuple[int, bool] | None:
        """Return up to how many samples a hypothesis is true, and whether that is exact; None if
        sizes don't tell. Above, it may still be true of single positives.
        """
        calls = [*self.large_calls, *self.untied_calls]
        is_fit = hypothesis.is_true_of(calls, self.tolerance)
        sizes = np.array([call.labels.size for call in calls])
        if is_fit.all() or not is_fit.any() or sizes[is_fit].max() >= sizes[~is_fit].min():
            return None
        most, fewest = self.log.halve_sizes(
            int(sizes[is_fit].max()),
            int(sizes[~is_fit].min()),
            lambda call: not self._is_true_of(hypothesis, call),
        )
        return most, fewest == most + 1

    def _list_definitions_of_many(self) -> Iterator[Hypothesis]:
        """Yield definitions that fit all rankings of so many samples or more, and no smaller one.

        A precision at k may be the precision of all samples if there are fewer.
        """
        large = [call for call in self.untied_calls if call.labels.size > _LEAST_OF_MANY]
        if len(large) < _N_SMALL_CALLS:
            return
        for hypothesis in self._list_survivors(
            [*self.variants], [NO_MISTAKE], [SAME_VALUE], large[-_N_SMALL_CALLS:]
        ):
            sizes = np.array([call.labels.size for call in self.decisive_calls])
            is_fit = hypothesis.is_true_of(self.decisive_calls, self.tolerance)
            most_wrong = int(sizes[~is_fit].max(initial=0))
            if not most_wrong or most_wrong > _LEAST_OF_MANY:
                continue
            # From above: the first size that is wrong, as sizes fall
            wrong, least = self.log.halve_sizes(
                most_wrong,
                int(sizes[sizes > most_wrong].min()),
                partial(self._is_true_of, hypothesis),
            )
            if least == wrong + 1:
                words = f"except for fewer than {least:,} samples"
            else:
                words = f"except in the rankings tried with up to {wrong:,} samples"
            yield replace(hypothesis, mistake=Mistake(words), least=least)

    def _list_deviations(self) -> Iterator[Hypothesis]:
        """Yield by how much the values are off, if it's little: the most that was measured."""
        values = self.make_values(self.decisive_calls)
        off = {
            each: np.abs(values.values - values.compute_values(each))
            for each in self.variants
            if each.is_average_precision or isinstance(each.rule, PrecisionAtK)
        }
        near = [variant for variant in off if off[variant].max() < _MAX_DEVIATION]  # and not nan
        if not near:
            return
        nearest = min(near, key=lambda variant: off[variant].max())
        largest = float(off[nearest].max())
        yield Hypothesis(Variant(nearest.rule), make_deviation(largest), tolerance=largest)

    def _find_order(self, hypothesis: Hypothesis) -> OrderedHypothesis:
        """Find out in which order the function ranks ties."""
        all_tied = self.select_calls("ties", "order of rows", "constant scores")
        tied = [call for call in all_tied if np.ptp(call.scores) > 0]
        if not tied:
            return OrderedHypothesis(self._drop_ties(hypothesis, all_tied), Order.GROUPED)
        for order, calls in product(self._list_orders_of(hypothesis), (all_tied, tied)):
            if self.is_true_of_all(hypothesis.with_order(order), calls):
                return OrderedHypothesis(hypothesis.with_order(order), order)
        dropped = self._drop_ties(hypothesis, all_tied)
        if dropped is not hypothesis:
            return OrderedHypothesis(dropped, Order.GROUPED)  # of what remains
        in_any_order = hypothesis.with_order(Order.OPEN)
        for calls in (all_tied, tied):
            if self.is_true_of_all(in_any_order, calls):
                if self._is_some_order(hypothesis, calls):
                    return OrderedHypothesis(in_any_order, Order.OPEN)
                return OrderedHypothesis(hypothesis, None, is_between=True)
        return OrderedHypothesis(hypothesis, None)

    def _list_orders_of(self, hypothesis: Hypothesis) -> list[Order]:
        """Return the orders of ties in which the values of a definition are known."""
        rule = hypothesis.variant.rule
        if knows_orders(rule) and getattr(rule, "denominator", "") != "hits":
            return [*KNOWN_ORDERS]
        return [order for order in KNOWN_ORDERS if order is not Order.EXPECTED]

    def _drop_ties(self, hypothesis: Hypothesis, tied: Sequence[Call]) -> Hypothesis:
        """Return it with only one row of each score, if that is true of tied samples."""
        if tied and hypothesis.mistake is NO_MISTAKE:
            for mistake in DROPPED_TIES:
                dropped = replace(hypothesis, mistake=mistake)
                if self.is_true_of_all(dropped, tied):
                    return dropped
        return hypothesis

    def _is_some_order(self, hypothesis: Hypothesis, calls: Sequence[Call]) -> bool:
        """Whether each value of a few samples is that of one of the orders of tied samples."""
        sampled_calls = [
            call
            for call in map(hypothesis.mistake.change, calls)
            if call.labels.size <= _MAX_SAMPLES_IN_ALL_ORDERS
        ]
        orders = [[*_list_orders(call)] for call in sampled_calls]
        is_equal = self.make_values([*chain.from_iterable(orders)]).is_equal_to(hypothesis.variant)
        starts = np.cumsum([0, *map(len, orders)])[:-1]
        return bool(np.logical_or.reduceat(is_equal, starts).all())

    def _find_misreading(self, hypothesis: Hypothesis, order: Order | None) -> Mistake | None:
        """Return how the function reads scores of other forms, if it isn't as they are."""
        again = self.select_calls("repeated calls")
        n_outcomes = len({(call.original, call.outcome) for call in again})
        is_steady = n_outcomes * len(FORMS["repeated calls"]) <= len(again)
        if not is_steady or order not in KNOWN_ORDERS or hypothesis.has_mistake:
            return None
        calls = [call for call in self.select_calls(*SCORE_ASPECTS) if not call.error]
        if self.is_true_of_all(hypothesis, calls):
            return None
        calls += self.select_calls("values", "many samples")
        for reading in READINGS:
            if self.is_true_of_all(replace(hypothesis, mistake=reading), calls):
                return reading
        return None
