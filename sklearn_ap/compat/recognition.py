"""Find the definition, and the mistake, with which a function has the values that it returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, compress, permutations, product
from math import nan
from typing import Any

import numpy as np

from .._words.messages import format_count
from ..core.rankings import Array, Rankings
from ..core.rules import (
    DENOMINATORS,
    AveragePrecisionAtK,
    Cut,
    EnrichmentFactor,
    PrecisionAtK,
    Step,
)
from . import definitions
from .aspects import EDGE_ASPECTS, FORMS, SCORE_ASPECTS, TWO_CLASS_ASPECTS
from .audit_results import FAILS
from .call_log import N_MILLESIMAL_SCORES, THRESHOLDS, Call, CallLog, format_call_value
from .data_sets import DataSet, Reading, Slip
from .identification import GUESSED_KS, list_candidates
from .mistakes import (
    FIRST_ROWS,
    IN_BLOCKS,
    MISTAKES,
    READINGS,
    TIE_MISTAKES,
    OtherCall,
    describe_reading,
    leave_out_scores,
    list_roundings,
)
from .peers import Peer, group_peers_by_variant, list_reports
from .variant_rules import (
    ASSUMED,
    AUDITED_SLIPS,
    TIED_SLIPS,
    DavisGoadrich,
    Order,
    RocArea,
    SlippedStep,
)
from .variants import Variant

_MAX_SAMPLES_IN_ALL_ORDERS = 5  # samples, of which all orders of ties are tried
N_SAMPLED_CALLS = 40  # rankings on which each mistake is tried first
ALL_ROWS = 0.999999  # of at most a million, as a share; 1.0 would equal a single row
_SHARES = (*map(Cut, (0.01, 0.05, 0.1)),)
CUTS = (*map(Cut, GUESSED_KS), *_SHARES, Cut(ALL_ROWS))
_MAX_DEVIATION, _MAX_EFFECT_OF_SMALL_NUMBER = 0.005, 1e-5
_MAX_POSITIVES_OF_SMALL_NUMBER = 10
ORDERS_OF_ROWS = (Order.BY_ROW, Order.LAST_ROW_FIRST)
KNOWN_ORDERS = (Order.GROUPED, *ORDERS_OF_ROWS, Order.EXPECTED, Order.BEST, Order.WORST)
IN_SINGLE = "in single precision"
_OPEN_ORDERS = ("the caller's order", "the model's order")
_SLIPS_OF_GROUPS = (
    Slip.POOLED,
    Slip.HIGHEST_OF_GROUP,
    Slip.MEAN_OF_GROUP,
)  # each is a ranking here
_RULES_OF_FIRST_SAMPLE = [
    AveragePrecisionAtK(1, denominator=denominator) for denominator in DENOMINATORS
]  # rather P@1
_MAX_SCORE = 1e300  # above all other scores
_RARITY_OF_OTHER_METRICS = 3
_HINT_AT_LABELS = (
    ". Perhaps it finds no positives among the labels 0 and 1: does it expect other labels?"
)
_SWAPPED_WORDS = "{name}, but the function takes its arguments in the other order: y_score, y_true"


# --- the definition ------------------------------------------------------------------------------


class CallValues:
    """What the function returned for some rankings, which are the groups of one data set."""

    def __init__(self, calls: Sequence[Call], tolerance: float | Array) -> None:
        scores = np.concatenate([call.scores for call in calls]).astype(float)
        weights = [call.weights for call in calls if call.weights is not None]
        rankings = Rankings(
            labels=np.concatenate([call.labels for call in calls]).astype(bool),
            scores=np.clip(scores, -_MAX_SCORE, _MAX_SCORE),  # without infinities, as tables have
            weight=np.concatenate(weights).astype(float) if weights else None,
            average="macro",
            group=np.repeat(np.arange(len(calls)), [call.labels.size for call in calls]),
            names=range(len(calls)),
        )
        if rankings.weight is not None:  # rows of weight 0 are left out, as a reader does
            rankings = rankings.take(np.flatnonzero(rankings.weight))
        self.data_set = DataSet(rankings, every_row=None)
        self.values = np.array([call.value for call in calls])
        self.has_both = np.array([call.has_both_classes for call in calls])
        self.tolerance = tolerance

    def compute_values(self, definition: Variant) -> Array:
        """Return the value of a definition for each ranking."""
        return np.asarray(definition.values(self.data_set)[0][0])

    def is_equal_to(self, variant: Variant) -> Array:
        """Whether each value is that of a variant, or between its values over orders of ties."""
        values, _ = variant.values(self.data_set)
        if len(values) == 1:
            return are_equal(self.values, values[0], self.tolerance)
        _, low, high = values
        is_high_enough = low - self.tolerance <= self.values
        return np.asarray(is_high_enough & (self.values <= high + self.tolerance))

    def find_rarities(self, cuts: Sequence[Cut]) -> dict[Variant, int]:
        """Return what a function of one ranking may compute, with how rare that is."""
        lifts = (EnrichmentFactor(cut.k) for cut in cuts)
        slips = map(SlippedStep, AUDITED_SLIPS)
        others = map(Variant, (*definitions.TARGET_RULES, DavisGoadrich(), *lifts, *slips))
        return dict.fromkeys(others, _RARITY_OF_OTHER_METRICS) | {
            variant: candidate.rarity + 2 * (variant.rule in _RULES_OF_FIRST_SAMPLE)
            for variant, candidate in list_candidates(self.data_set, cuts).items()
            if variant.slip not in _SLIPS_OF_GROUPS and variant.average != "weighted"
        }

    def find_most_alike(
        self, all_values: CallValues, cuts: Sequence[Cut] = CUTS, ranked: CallValues | None = None
    ) -> Variant | None:
        """Return the definition that equals most of these values, and of several that of all.

        All values are compared in the order of ties that suits a definition best. Of those that
        equal as many, it's the least rare. Return None if it equals fewer than half.
        The area under the ROC curve is no likeness: it equals all values, or is another metric.
        Neither is a target or a threshold. A cutoff equals all values of the `ranked` calls, which
        have the same ranks with other scores and in other sizes.
        """
        rarities = self.find_rarities(cuts)
        n_equal = {
            variant: int(np.count_nonzero(self.is_equal_to(variant)))
            for variant in rarities
            if not isinstance(variant.rule, RocArea)
            or all_values.is_equal_to(variant)[all_values.has_both].all()
        }
        for variant in [*n_equal]:
            if variant.rule.depth is not None:
                proof = self if ranked is None else ranked
                is_proven = bool(proof.is_equal_to(variant).all())
            else:
                is_proven = not variant.has_threshold or n_equal[variant] == self.values.size
            if not is_proven:
                del n_equal[variant]
        most = max(n_equal.values())
        if 2 * most < self.values.size:
            return None
        best = [variant for variant in n_equal if n_equal[variant] == most]

        def n_equal_of_all(variant: Variant) -> int:
            ordered = (replace(variant, order=each) for each in (Order.GROUPED, *ORDERS_OF_ROWS))
            return max(int(np.count_nonzero(all_values.is_equal_to(each))) for each in ordered)

        return min(best, key=lambda variant: (-n_equal_of_all(variant), rarities[variant]))

    def find_tools(self, cut: Cut | None, order: Order | None) -> list[Peer]:
        """Return the tools that are known to return these values."""
        tools: list[Peer] = []
        for report, peers in group_peers_by_variant(
            list_reports(self.data_set), cut, self.data_set
        ).items():
            known: Order | None = report.order
            if known is Order.BY_ID:
                known = ASSUMED[Order.BY_ID]
            if known is Order.OPEN:  # which a caller decides, but nobody else knows
                peers = [peer for peer in peers if peer.ties in _OPEN_ORDERS]
                known = order if order in ORDERS_OF_ROWS else None
            if report.slip in _SLIPS_OF_GROUPS or known is None or not peers:
                continue
            if self.is_equal_to(replace(report, order=known)).all():
                tools += peers
        return tools


def are_equal(values: Array | float, expected: Array | float, tolerance: float | Array) -> Array:
    with np.errstate(invalid="ignore"):  # of infinities
        is_near = np.abs(values - expected) <= tolerance
    are_both_nan = np.isnan(values) & np.isnan(expected)
    return np.asarray(is_near | (values == expected) | are_both_nan)


def _cast_to_single(call: Call) -> Call:
    return call._replace(scores=call.scores.astype(np.float32))


def _compare_scores(is_kept: Callable[[Array, float], Any], t: float, call: Call) -> Array:
    return np.asarray(is_kept(call.scores, t))


def _multiply_value(factor: float, call: Call) -> Call:
    return call._replace(value=factor * call.value)


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
    words: str = "{name}"
    change: OtherCall = lambda call: call
    tolerance: float = 0.0  # in addition to that of the audit
    fewest: int = 0  # samples with which the mistake is made
    other_class: OtherCall | None = None  # if it's the mean over both classes

    def is_true_of(self, calls: Sequence[Call], tolerance: float) -> Array:
        """Whether each value is the one that a function which does this returns."""
        if not calls:
            return np.zeros(0, dtype=bool)
        changed = [self.change(call) if call.labels.size >= self.fewest else call for call in calls]
        has_mistake = np.array([call.labels.size >= self.fewest for call in calls])
        allowed = tolerance + self.tolerance * has_mistake
        values = CallValues(changed, allowed)
        if self.other_class is None:
            return values.is_equal_to(self.variant)
        of_other = CallValues([*map(self.other_class, changed)], allowed).compute_values(
            self.variant
        )
        return are_equal(
            values.values, (values.compute_values(self.variant) + of_other) / 2, allowed
        )

    def with_order(self, order: Order) -> Hypothesis:
        return replace(self, variant=replace(self.variant, order=order))

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
        text = self.words.format(name=self.name)
        return f"{text[0].upper()}{text[1:]}"


def _list_orders(call: Call) -> Iterator[Call]:
    """Yield a call in each order of its tied samples."""
    scores = np.unique(call.scores)[::-1]
    orders = ({*permutations(call.labels[call.scores == each].tolist())} for each in scores)
    for ordered in product(*orders):
        labels = np.concatenate(ordered)
        yield call._replace(labels=labels, scores=-np.arange(labels.size))


class Recognition:
    """The model that fits what a function did, or that nothing was ranked, in a sentence."""

    def __init__(
        self,
        log: CallLog,
        tolerance: float,
        is_other: bool = False,
        expected: Variant | None = None,
    ) -> None:
        """`is_other` tells that nobody takes it for average precision; `expected` is what it should
        compute.
        """
        self.log, self.tolerance = log, tolerance
        values = [call for call in log.calls if call.aspect == "values"]
        self.untied_calls = [call for call in values if not call.rank]
        self.ranked_calls = [call for call in values if call.rank]
        many = [call for call in self.select_calls("many samples") if call.has_no_ties]
        self.decisive_calls = [*many, *self.untied_calls, *self.ranked_calls]
        self.model: Hypothesis | None = None
        self.order: Order | None = Order.GROUPED  # of ties; None if it isn't known
        self.is_between = False  # of the values of the best and the worst order
        self.reading = ""  # how scores of other forms are read; empty if as they are
        self.sentence = ""
        if expected is not None:
            self.model = self._find_reading(self._find_order(Hypothesis(expected)))
            return
        sentence = self._describe_failure()
        if sentence and not is_other:
            self.model = self._find_fitting(self._list_swapped())
            self.sentence = "" if self.model else sentence
        if sentence or not self.untied_calls:
            return
        plain = many + self.select_calls(*TWO_CLASS_ASPECTS, *EDGE_ASPECTS)
        ranked = self.make_values(self.ranked_calls) if self.ranked_calls else None
        definition = self.make_values(self.untied_calls).find_most_alike(
            self.make_values(plain), self.cuts, ranked
        )
        if definition is not None:
            self.model = Hypothesis(definition)
        if self.model is None or not self.is_true_of_all(self.model, self.decisive_calls):
            self.model = (
                None if is_other else self._find_fitting(self._list_mistakes()) or self.model
            )
        if self.model is not None:
            self.model = self._find_reading(self._find_order(self.model))

    @property
    def computed_variant(self) -> Variant:
        """What the function computes, or else step."""
        return Variant(Step()) if self.model is None else self.model.variant

    @property
    def assumed_order(self) -> Order:
        return self.order if self.order in KNOWN_ORDERS and self.order else Order.GROUPED

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
                cuts += [Cut(max(ks)), *_SHARES]
                if 100 * max(ks) % size == 0:
                    cuts.append(Cut(max(ks) / size))
        return cuts

    def _describe_failure(self) -> str:
        """Say that the function always fails, or always returns one value."""
        calls = [call for call in self.log.calls if call.aspect != "Series"]
        if calls and all(call.returned == "an error" for call in calls):
            [(error, _)] = Counter(call.error for call in calls).most_common(1)
            return f"{FAILS}{error.rstrip('.')}{'' if error.endswith('?') else '.'}"
        returned = {call.returned for call in self.untied_calls}
        if len(returned) != 1 or len(self.untied_calls) == 1:
            return ""
        untied_calls = [call for call in calls if not call.is_refused and call.has_no_ties]
        if {call.returned for call in untied_calls if call.has_both_classes} != returned:
            return ""
        which = "every ranking without ties"
        if len({call.returned for call in untied_calls}) > 1:
            which += " and with both classes"
        hint = _HINT_AT_LABELS if {call.returned for call in calls} <= {"0.0", "nan"} else "."
        return f"Not a metric: {which} gives {returned.pop()}{hint}"

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

    def _list_mistakes(self) -> Iterator[Hypothesis]:
        """Yield what the function may do instead of a definition, the most likely first."""
        if self.model is not None:
            yield from self._list_mistakes_of_many(self.model)
        yield from self._list_roundings()
        yield from self._list_swapped()
        for words, change in MISTAKES.items():
            yield from self._fit_definitions(Hypothesis(Variant(Step()), words, change))
        yield from self._list_left_out()
        yield from self._list_multiples()
        mean = "The mean of {name} over both classes"
        for rule in definitions.AREA_RULES:
            yield Hypothesis(Variant(rule), mean, other_class=_swap_classes)
            yield Hypothesis(
                Variant(rule), f"{mean}, both by the same scores", other_class=_swap_labels
            )
        yield from self._list_deviations()

    def _fit_definitions(self, model: Hypothesis) -> Iterator[Hypothesis]:
        """Yield the model with each definition with which it fits a few rankings."""
        values = CallValues(
            [*map(model.change, self.sampled_calls)], self.tolerance + model.tolerance
        )
        alike = (variant for variant in self.variants if values.is_equal_to(variant).all())
        return (replace(model, variant=variant) for variant in alike)

    def _list_roundings(self) -> Iterator[Hypothesis]:
        """Yield that values are rounded, if that changes some."""
        values = np.array([call.value for call in self.decisive_calls])
        for words, tolerance in list_roundings(values):
            for model in self._fit_definitions(
                Hypothesis(Variant(Step()), words, tolerance=tolerance)
            ):
                if not self.is_true_of_all(
                    replace(model, tolerance=tolerance / 10), self.decisive_calls
                ):
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
            if not max(left_out) <= t <= min(kept):
                continue
            is_kept, where = (
                (np.greater, "up to") if t == max(left_out) else (np.greater_equal, "below")
            )
            chooses = partial(_compare_scores, is_kept, t)
            words = f"{{name}}, but the function leaves out rows with scores {where} {t:g}"
            for counts_all in (False, True):
                also = ", whose positives count" if counts_all else ""
                change = partial(leave_out_scores, chooses, counts_all)
                yield from self._fit_definitions(
                    Hypothesis(Variant(Step()), f"{words}{also}", change)
                )

    def _list_multiples(self) -> Iterator[Hypothesis]:
        """Yield that values are those of a definition times a constant."""
        values = self.make_values(self.sampled_calls)
        for variant in self.variants:
            expected = values.compute_values(variant)
            is_positive = (expected > 0) & np.isfinite(values.values)
            factors = values.values[is_positive] / expected[is_positive]
            if factors.size and factors[0] > 0 and np.ptp(factors) < 1e-6 * factors[0]:
                factor = float(np.median(factors))
                words = f"{{name}} times {format_call_value(factor)}"
                yield Hypothesis(variant, words, partial(_multiply_value, 1 / factor))

    def _list_mistakes_of_many(self, model: Hypothesis) -> Iterator[Hypothesis]:
        """Yield what changes with the number of rows, if there is a definition for few of them."""
        for words, each in IN_BLOCKS.items():
            yield replace(model, words=words, change=each)
        is_fit = model.is_true_of(self.decisive_calls, self.tolerance)
        sizes = np.array([call.labels.size for call in self.decisive_calls])
        if is_fit.any() and sizes[is_fit].max() < sizes[~is_fit].min():
            fewest = int(sizes[~is_fit].min())
            where = f"of the rankings tried, in those with {fewest:,} samples or more"
            for words, each in MISTAKES.items():
                yield Hypothesis(model.variant, f"{words}, {where}", each, fewest=fewest)
            for words, each in FIRST_ROWS.items():
                yield replace(model, words=words, change=each)

    def _list_swapped(self) -> Iterator[Hypothesis]:
        """Yield that the function takes the scores first."""
        values: dict[int, float] = {}

        def swap_arguments(call: Call) -> Call:
            if id(call) not in values:
                other = Call("values", call.scores, call.labels)
                has_time = self.log.has_time(call.labels.size)
                values[id(call)] = self.log.call(other).value if has_time else nan
            return call._replace(value=values[id(call)])

        if (
            self.log.gets_series
            or len({swap_arguments(call).value for call in self.sampled_calls}) < 2
        ):
            return
        yield from self._fit_definitions(
            Hypothesis(Variant(Step()), _SWAPPED_WORDS, swap_arguments)
        )

    def _list_deviations(self) -> Iterator[Hypothesis]:
        """Yield by how much the values are off, if it's little: the most that was measured."""
        values = self.make_values(self.decisive_calls)
        off = {each: np.abs(values.values - values.compute_values(each)) for each in self.variants}
        near = [variant for variant in off if off[variant].max() < _MAX_DEVIATION]  # and not nan
        if not near:
            return
        nearest = min(near, key=lambda variant: off[variant].max())
        least, is_off = float(off[nearest].max()), off[nearest] > self.tolerance
        words = f"{{name}}, but values are off by up to {format_call_value(least)}"
        # A small number in a denominator matters most where there are few positives.
        most_off = self.decisive_calls[int(np.argmax(off[nearest]))]
        has_few = np.count_nonzero(most_off.labels) <= _MAX_POSITIVES_OF_SMALL_NUMBER
        if least < _MAX_EFFECT_OF_SMALL_NUMBER and has_few:
            words += " (as by a small number in a denominator)"
        sizes = [call.labels.size for call in compress(self.decisive_calls, is_off)]
        span = f"{max(sizes):,}"
        if min(sizes) < max(sizes):
            span = f"{min(sizes):,} to {span}"
        where = describe_feature(self.decisive_calls, is_off) or f"with {span} samples"
        words += f", of the rankings tried, in those {where}"
        yield Hypothesis(nearest, words, tolerance=least, fewest=min(sizes))

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
        if model.words != "{name}" or model.variant.slip is not Slip.NONE:
            return
        if isinstance(model.variant.rule, Step):
            for slip in TIED_SLIPS:
                yield replace(model, variant=replace(model.variant, rule=SlippedStep(slip)))
        for words, change in TIE_MISTAKES.items():
            yield replace(model, words=words, change=change)

    def _is_some_order(self, model: Hypothesis, calls: Sequence[Call]) -> bool:
        """Whether each value of a few samples is that of one of the orders of tied samples."""
        sampled_calls = [
            call
            for call in map(model.change, calls)
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
        if not (is_plain and is_steady and model.words == "{name}" and self.order in KNOWN_ORDERS):
            return model
        calls = [call for call in self.select_calls(*SCORE_ASPECTS) if not call.error]
        if self.is_true_of_all(model, calls):
            return model
        calls += self.select_calls("values", "many samples")
        for how, change in {IN_SINGLE: _cast_to_single, **READINGS}.items():
            words = "{name}, scores as float32" if how == IN_SINGLE else describe_reading(how)
            read = replace(model, words=words, change=change)
            if self.is_true_of_all(read, calls):
                self.reading = how
                return read
        return model


# What rankings have that may make a difference
_FEATURES: dict[str, Callable[[Call], int]] = {
    "samples": lambda call: call.labels.size,
    "positives": lambda call: int(call.labels.sum()),
    "negatives": lambda call: int((1 - call.labels).sum()),
    "samples with one score": lambda call: int(np.unique(call.scores, return_counts=True)[1].max()),
    "negatives for each positive": lambda call: int((1 - call.labels).sum() // call.labels.sum()),
}


def describe_feature(calls: Sequence[Call], differs: Array) -> str:
    """Say which rankings differ, if one of their features tells exactly these from all others."""
    if not differs.any() or differs.all() or not all(call.labels.any() for call in calls):
        return ""
    for words, feature in _FEATURES.items():
        amounts = np.array([feature(call) for call in calls])
        of_these, of_others = amounts[differs], amounts[~differs]
        if of_these.min() > of_others.max():
            return f"with {of_these.min():,} {words} or more"
        if of_these.max() < of_others.min():
            return f"with at most {format_count(int(of_these.max()), words)}"
    return ""
