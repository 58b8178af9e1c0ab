"""Find the definition, and the mistake, with which a function has the values that it returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, compress, permutations, product
from math import nan

import numpy as np

from ..core.cutoff import Cut
from ..core.ragged import Array
from ..core.rules import AveragePrecisionAtK, PrecisionAtK, Step
from .aspects import EDGE_ASPECTS, FORMS, SCORE_ASPECTS, TWO_CLASS_ASPECTS
from .call_log import N_MILLESIMAL_SCORES, THRESHOLDS, Call, CallLog, format_call_value
from .call_values import ALL_ROWS, COMMON_SHARES, CUTS, ORDERS_OF_ROWS, CallValues, are_equal
from .data_sets import Reading, Slip
from .definitions import AREA_RULES
from .mistakes import (
    FIRST_ROWS,
    IN_BLOCKS,
    MEAN_OF_CLASSES,
    MEAN_OF_CLASSES_BY_SAME_SCORES,
    MISTAKES,
    NO_MISTAKE,
    READINGS,
    SINGLE_PRECISION,
    SWAPPED_ARGUMENTS,
    TIE_MISTAKES,
    Mistake,
    OtherCall,
    limit_to_large,
    list_left_out,
    list_roundings,
    make_deviation,
    make_multiple,
)
from .ranking_features import describe_sizes, find_limit
from .variant_rules import TIED_SLIPS, Order, SlippedStep
from .variants import Variant

N_SAMPLED_CALLS = 40  # rankings on which each mistake is tried first
KNOWN_ORDERS = (Order.GROUPED, *ORDERS_OF_ROWS, Order.EXPECTED, Order.BEST, Order.WORST)
_MAX_SAMPLES_IN_ALL_ORDERS = 5  # samples, of which all orders of ties are tried
_MAX_DEVIATION = 0.005  # of values that are still said to be those of a definition
# What a function returns if it finds no positives
_VALUES_OF_NO_POSITIVES = {*map(format_call_value, (0.0, nan))}


@dataclass(frozen=True)
class PermanentFailure:
    """Nothing is known of a function but its error."""

    error: str  # the most frequent one, after a colon


@dataclass(frozen=True)
class ConstantValue:
    """A function returns one value for every ranking without ties."""

    returned: str
    needs_both_classes: bool  # because rankings of one class have other values
    has_no_positives: bool  # perhaps: no ranking has another value than 0 or nan


def _swap_labels(call: Call) -> Call:
    return call._replace(labels=1 - call.labels)


def _swap_classes(call: Call) -> Call:
    return call._replace(labels=1 - call.labels, scores=-call.scores)


@dataclass(frozen=True)
class Hypothesis:
    """What a function may compute: a definition, of rankings that a mistake has changed.

    Everything that is said of a function is a model, and `is_true_of` says which calls bear it out.
    """

    variant: Variant
    mistake: Mistake = NO_MISTAKE
    tolerance: float = 0.0  # in addition to that of the audit
    fewest: int = 0  # samples with which the mistake is made
    other_class: OtherCall | None = None  # if it's the mean over both classes

    def is_true_of(self, calls: Sequence[Call], tolerance: float) -> Array:
        """Whether each value is the one that a function which does this returns."""
        if not calls:
            return np.zeros(0, dtype=bool)
        is_affected = np.array([call.labels.size >= self.fewest for call in calls])
        changed = [
            self.mistake.change(call) if is_changed else call
            for call, is_changed in zip(calls, is_affected, strict=True)
        ]
        allowed = tolerance + self.tolerance * is_affected
        values = CallValues(changed, allowed)
        if self.other_class is None:
            return values.is_equal_to(self.variant)
        of_class = values.compute_values(self.variant)
        of_other = CallValues([*map(self.other_class, changed)], allowed).compute_values(
            self.variant
        )
        return are_equal(values.values, (of_class + of_other) / 2, allowed)

    def with_order(self, order: Order) -> Hypothesis:
        return replace(self, variant=replace(self.variant, order=order))

    @property
    def has_mistake(self) -> bool:
        return self.mistake is not NO_MISTAKE

    @property
    def definition(self) -> str:
        """The definition without the order of ties, which has words of its own."""
        name = replace(self.variant, order=Order.GROUPED).name
        return name.replace(f"@{100 * ALL_ROWS:g}%", "@n")

    @property
    def name(self) -> str:
        return "step average precision" if self.definition == "step" else self.definition

    @property
    def sentence(self) -> str:
        text = self.mistake.words.format(name=self.name)
        return f"{text[0].upper()}{text[1:]}"


def _list_orders(call: Call) -> Iterator[Call]:
    """Yield a call in each order of its tied samples."""
    scores = np.unique(call.scores)[::-1]
    orders = ({*permutations(call.labels[call.scores == each].tolist())} for each in scores)
    for ordered in product(*orders):
        labels = np.concatenate(ordered)
        yield call._replace(labels=labels, scores=-np.arange(labels.size))


class Recognition:
    """The model that fits what a function did, or why nothing was ranked."""

    def __init__(self, log: CallLog, tolerance: float) -> None:
        self.log, self.tolerance = log, tolerance
        values = self.select_calls("values")
        self.untied_calls = [call for call in values if not call.rank]
        self.ranked_calls = [call for call in values if call.rank]
        self.large_calls = [call for call in self.select_calls("many samples") if call.has_no_ties]
        self.decisive_calls = [*self.large_calls, *self.untied_calls, *self.ranked_calls]
        self.model: Hypothesis | None = None
        self.order: Order | None = Order.GROUPED  # of ties; None if it isn't known
        self.is_between = False  # of the values of the best and the worst order
        self.misreading: Mistake | None = None  # of scores of other forms; None if as they are
        self.failure: PermanentFailure | ConstantValue | None = None

    @classmethod
    def from_expected(cls, log: CallLog, tolerance: float, variant: Variant) -> Recognition:
        """Find out in which order a function ranks ties, and how it reads scores."""
        found = cls(log, tolerance)
        found._set_model(Hypothesis(variant))
        return found

    @classmethod
    def from_calls(cls, log: CallLog, tolerance: float, is_other: bool = False) -> Recognition:
        """Find out what a function computes.

        `is_other` tells that nobody takes it for average precision.
        """
        found = cls(log, tolerance)
        failure = found._find_failure()
        if failure is None and found.untied_calls:
            model = found._find_model(is_other)
            if model is not None:
                found._set_model(model)
        elif failure is not None and not is_other:
            found.model = found._find_fitting(found._list_swapped())
            found.failure = failure if found.model is None else None
        return found

    def _set_model(self, model: Hypothesis) -> None:
        self.model = self._find_reading(self._find_order(model))

    def _find_model(self, is_other: bool) -> Hypothesis | None:
        """Return the definition that is most alike, or a mistake if one fits better."""
        definition = self._find_definition()
        model = None if definition is None else Hypothesis(definition)
        if model is not None and self.is_true_of_all(model, self.decisive_calls):
            return model
        if is_other:
            return None
        return self._find_fitting(self._list_mistakes(model)) or model

    def _find_definition(self) -> Variant | None:
        plain = [*self.large_calls, *self.select_calls(*TWO_CLASS_ASPECTS, *EDGE_ASPECTS)]
        ranked = self.make_values(self.ranked_calls) if self.ranked_calls else None
        untied = self.make_values(self.untied_calls)
        return untied.find_most_alike(self.make_values(plain), self.cuts, ranked)

    @property
    def computed_variant(self) -> Variant:
        """What the function computes, or else step."""
        return Variant(Step()) if self.model is None else self.model.variant

    @property
    def assumed_order(self) -> Order:
        return self.order if self.order in KNOWN_ORDERS and self.order else Order.GROUPED

    @property
    def has_tied_order(self) -> bool:
        """Whether something is known of tied samples, which aren't counted as one point."""
        return self.is_between or self.order not in (None, Order.GROUPED)

    @property
    def is_single(self) -> bool:
        """Whether scores are read in single precision."""
        return self.misreading is SINGLE_PRECISION

    def make_values(self, calls: Sequence[Call]) -> CallValues:
        return CallValues(calls, self.tolerance)

    def is_true_of_all(self, model: Hypothesis, calls: Sequence[Call]) -> bool:
        with suppress(NotImplementedError):  # a few rules have no range over all orders
            return bool(model.is_true_of(calls, self.tolerance).all())
        return False

    def select_calls(self, *aspects: str) -> list[Call]:
        return [call for call in self.log.calls if call.aspect in aspects]

    @property
    def cuts(self) -> Sequence[Cut]:
        """The cutoffs that the function may have: the last ranks whose labels change the value."""
        if not self.ranked_calls or np.isnan([call.value for call in self.ranked_calls]).any():
            return CUTS
        cuts = [Cut(ALL_ROWS)]
        for size in {call.labels.size for call in self.ranked_calls}:
            values = {
                call.rank: call.value for call in self.ranked_calls if call.labels.size == size
            }
            last = max(values)
            ks = [rank for rank in values if abs(values[rank] - values[last]) > 1e-9]
            is_far = size > len(self.ranked_calls)  # only a few ranks are tried
            if ks and (max(ks) < last - 1 or is_far):
                cuts += [Cut(max(ks)), *COMMON_SHARES]
                if 100 * max(ks) % size == 0:
                    cuts.append(Cut(max(ks) / size))
        return cuts

    def _find_failure(self) -> PermanentFailure | ConstantValue | None:
        """Return that the function always fails, or always returns one value."""
        calls = [call for call in self.log.calls if call.aspect != "Series"]
        if calls and all(call.error for call in calls):
            [(error, _)] = Counter(call.error for call in calls).most_common(1)
            return PermanentFailure(error)
        returned = {call.returned for call in self.untied_calls}
        if len(returned) != 1 or len(self.untied_calls) == 1:
            return None
        without_ties = [call for call in calls if not call.is_refused and call.has_no_ties]
        if {call.returned for call in without_ties if call.has_both_classes} != returned:
            return None
        return ConstantValue(
            returned.pop(),
            needs_both_classes=len({call.returned for call in without_ties}) > 1,
            has_no_positives={call.returned for call in calls} <= _VALUES_OF_NO_POSITIVES,
        )

    @cached_property
    def sampled_calls(self) -> list[Call]:
        return self.untied_calls[:: -(-len(self.untied_calls) // N_SAMPLED_CALLS)]

    @cached_property
    def variants(self) -> list[Variant]:
        """What a mistake may be made with, the least rare first."""
        rarities = self.make_values(self.sampled_calls).find_rarities(self.cuts)
        return [
            variant
            for variant in sorted(rarities, key=lambda variant: rarities[variant])
            if variant.is_average_precision or isinstance(variant.rule, PrecisionAtK)
            if variant.slip is Slip.NONE and variant.reading is Reading.EXACT
        ]

    def _find_fitting(self, models: Iterator[Hypothesis]) -> Hypothesis | None:
        """Return the first model that has the values of all rankings without ties."""
        return next(
            (model for model in models if self.is_true_of_all(model, self.decisive_calls)), None
        )

    def _list_mistakes(self, model: Hypothesis | None) -> Iterator[Hypothesis]:
        """Yield what the function may do instead of a definition, the most likely first.

        The model is the definition that is most alike.
        """
        if model is not None:
            yield from self._list_mistakes_of_many(model)
        yield from self._list_roundings()
        yield from self._list_swapped()
        for mistake in MISTAKES:
            yield from self._fit_definitions(mistake)
        yield from self._list_left_out()
        yield from self._list_multiples()
        for rule in AREA_RULES:
            variant = Variant(rule)
            yield Hypothesis(variant, MEAN_OF_CLASSES, other_class=_swap_classes)
            yield Hypothesis(variant, MEAN_OF_CLASSES_BY_SAME_SCORES, other_class=_swap_labels)
        yield from self._list_deviations()

    def _fit_definitions(self, mistake: Mistake, tolerance: float = 0.0) -> Iterator[Hypothesis]:
        """Yield a mistake with each definition with which it fits a few rankings."""
        changed = [*map(mistake.change, self.sampled_calls)]
        values = CallValues(changed, self.tolerance + tolerance)
        for variant in self.variants:
            if values.is_equal_to(variant).all():
                yield Hypothesis(variant, mistake, tolerance)

    def _list_roundings(self) -> Iterator[Hypothesis]:
        """Yield that values are rounded, if that changes some."""
        values = np.array([call.value for call in self.decisive_calls])
        for mistake, tolerance in list_roundings(values):
            for model in self._fit_definitions(mistake, tolerance):
                nearer = replace(model, tolerance=tolerance / 10)
                if not self.is_true_of_all(nearer, self.decisive_calls):
                    yield model

    def _list_left_out(self) -> Iterator[Hypothesis]:
        """Yield that rows below a threshold are left out, if single positives tell which one."""
        calls = [call for call in self.ranked_calls if call.labels.size == N_MILLESIMAL_SCORES]
        if not calls:
            return
        by_score = {float(call.scores[call.labels > 0].max()): call.value for call in calls}
        lowest = by_score[min(by_score)]
        left_out = [score for score, value in by_score.items() if value == lowest]
        kept = [score for score, value in by_score.items() if value != lowest]
        if not kept or max(left_out) > min(kept):
            return
        for t in THRESHOLDS:
            if max(left_out) <= t <= min(kept):
                for mistake in list_left_out(t, is_kept_at_t=t != max(left_out)):
                    yield from self._fit_definitions(mistake)

    def _list_multiples(self) -> Iterator[Hypothesis]:
        """Yield that values are those of a definition times a constant."""
        values = self.make_values(self.sampled_calls)
        for variant in self.variants:
            expected = values.compute_values(variant)
            is_positive = (expected > 0) & np.isfinite(values.values)
            factors = values.values[is_positive] / expected[is_positive]
            if factors.size and factors[0] > 0 and np.ptp(factors) < 1e-6 * factors[0]:
                yield Hypothesis(variant, make_multiple(float(np.median(factors))))

    def _list_mistakes_of_many(self, model: Hypothesis) -> Iterator[Hypothesis]:
        """Yield what changes with the number of rows, if there is a definition for few of them."""
        for mistake in IN_BLOCKS:
            yield replace(model, mistake=mistake)
        is_fit = model.is_true_of(self.decisive_calls, self.tolerance)
        sizes = np.array([call.labels.size for call in self.decisive_calls])
        if is_fit.any() and sizes[is_fit].max() < sizes[~is_fit].min():
            fewest = int(sizes[~is_fit].min())
            for mistake in MISTAKES:
                yield replace(model, mistake=limit_to_large(mistake, fewest), fewest=fewest)
            for mistake in FIRST_ROWS:
                yield replace(model, mistake=mistake)

    def _list_swapped(self) -> Iterator[Hypothesis]:
        """Yield that the function takes the scores first."""
        if self.log.gets_series:
            return
        values: dict[int, float] = {}

        def swap_arguments(call: Call) -> Call:
            if id(call) not in values:
                other = Call("values", call.scores, call.labels)
                has_time = self.log.has_time(call.labels.size)
                values[id(call)] = self.log.call(other).value if has_time else nan
            return call._replace(value=values[id(call)])

        if len({swap_arguments(call).value for call in self.sampled_calls}) > 1:
            yield from self._fit_definitions(Mistake(SWAPPED_ARGUMENTS, swap_arguments))

    def _list_deviations(self) -> Iterator[Hypothesis]:
        """Yield by how much the values are off, if it's little: the most that was measured."""
        values = self.make_values(self.decisive_calls)
        off = {each: np.abs(values.values - values.compute_values(each)) for each in self.variants}
        near = [variant for variant in off if off[variant].max() < _MAX_DEVIATION]  # and not nan
        if not near:
            return
        nearest = min(near, key=lambda variant: off[variant].max())
        largest, is_off = float(off[nearest].max()), off[nearest] > self.tolerance
        sizes = [call.labels.size for call in compress(self.decisive_calls, is_off)]
        where = find_limit(self.decisive_calls, is_off) or describe_sizes(sizes)
        most_off = self.decisive_calls[int(np.argmax(off[nearest]))]
        mistake = make_deviation(largest, most_off, str(where))
        yield Hypothesis(nearest, mistake, largest, fewest=min(sizes))

    def _find_order(self, model: Hypothesis) -> Hypothesis:
        """Return the model with the order in which it ranks ties, if that is known."""
        all_tied = self.select_calls("ties", "order of rows", "constant scores")
        tied = [call for call in all_tied if np.ptp(call.scores) > 0]
        self.order = None if tied else Order.GROUPED
        knows_mean = isinstance(model.variant.rule, Step | AveragePrecisionAtK)
        known = [order for order in KNOWN_ORDERS if knows_mean or order is not Order.EXPECTED]
        for order, calls in product(known, (all_tied, tied) if tied else ()):
            if self.is_true_of_all(model.with_order(order), calls):
                self.order = order
                return model.with_order(order)
        for mistake in self._list_tie_mistakes(model) if tied else ():
            if self.is_true_of_all(mistake, all_tied):
                self.order = Order.GROUPED
                return mistake
        for calls in (all_tied, tied) if tied else ():
            if not self.is_true_of_all(model.with_order(Order.OPEN), calls):
                continue
            self.is_between = not self._is_some_order(model, calls)
            self.order = None if self.is_between else Order.OPEN
            return model if self.is_between else model.with_order(Order.OPEN)
        return model

    def _list_tie_mistakes(self, model: Hypothesis) -> Iterator[Hypothesis]:
        """Yield what the function may do to tied samples instead of ranking them in some order."""
        if model.has_mistake or model.variant.slip is not Slip.NONE:
            return
        if isinstance(model.variant.rule, Step):
            for slip in TIED_SLIPS:
                yield replace(model, variant=replace(model.variant, rule=SlippedStep(slip)))
        for mistake in TIE_MISTAKES:
            yield replace(model, mistake=mistake)

    def _is_some_order(self, model: Hypothesis, calls: Sequence[Call]) -> bool:
        """Whether each value of a few samples is that of one of the orders of tied samples."""
        sampled_calls = [
            call
            for call in map(model.mistake.change, calls)
            if call.labels.size <= _MAX_SAMPLES_IN_ALL_ORDERS
        ]
        orders = [[*_list_orders(call)] for call in sampled_calls]
        is_equal = self.make_values([*chain.from_iterable(orders)]).is_equal_to(model.variant)
        starts = np.cumsum([0, *map(len, orders)])[:-1]
        return bool(np.logical_or.reduceat(is_equal, starts).all())

    def _find_reading(self, model: Hypothesis) -> Hypothesis:
        """Return the model with how the function reads scores of other forms, if that is known."""
        is_plain = model.variant.reading is Reading.EXACT and model.variant.slip is Slip.NONE
        again = self.select_calls("repeated calls")
        n_values = len({(call.original, call.returned) for call in again})
        is_steady = n_values * len(FORMS["repeated calls"]) <= len(again)
        if not (is_plain and is_steady and self.order in KNOWN_ORDERS) or model.has_mistake:
            return model
        calls = [call for call in self.select_calls(*SCORE_ASPECTS) if not call.error]
        if self.is_true_of_all(model, calls):
            return model
        calls += self.select_calls("values", "many samples")
        for reading in READINGS:
            read = replace(model, mistake=reading)
            if self.is_true_of_all(read, calls):
                self.misreading = reading
                return read
        return model
