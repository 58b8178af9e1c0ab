"""Compare what a function did with a definition, in each aspect, and say what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from ..core.rankings import Array
from ..core.rules import AreaRule, Graded
from .aspects import (
    ASPECTS,
    EDGE_ASPECTS,
    FORMS,
    REFUSABLE_ASPECTS,
    SCORE_ASPECTS,
    SOUNDNESS_ASPECTS,
    TWO_CLASS_ASPECTS,
    find_aspect,
)
from .audit_results import Aspect
from .call_log import MAX_CALLS, MAX_SAMPLES_IN_CODE, MAX_UNTIED_SAMPLES, Call, format_call_value
from .data_sets import Reading
from .definitions import TERMS
from .peers import find_value_of_one_class, format_tools
from .recognition import (
    IN_SINGLE,
    KNOWN_ORDERS,
    ORDERS_OF_ROWS,
    CallValues,
    Hypothesis,
    Recognition,
    are_equal,
    describe_feature,
)
from .variant_rules import Order
from .variants import Variant

_MAX_EXCEPTIONS_IN_TITLE = 4  # in a title
_IGNORED_WEIGHTS = "they are ignored, so "
_WEIGHT_MISTAKES: dict[str, Callable[[Call, Any], Any]] = {
    _IGNORED_WEIGHTS: lambda call, weights: np.ones(weights.size),
    "they are squared, so ": lambda call, weights: weights**2,
    "they are cut to whole numbers, so ": lambda call, weights: np.trunc(weights),
    "they are rounded to whole numbers, so ": lambda call, weights: np.round(weights),
    "those below 1 count as 0, so ": lambda call, weights: np.where(weights < 1, 0, weights),
    "those of 0 count as 1, so ": lambda call, weights: np.where(weights == 0, 1, weights),
    "they only tell which samples count, so ": lambda call, weights: (weights > 0).astype(float),
    "they aren't sorted with the scores, so ": lambda call, weights: weights[
        np.argsort(np.argsort(-call.scores, kind="stable"))
    ],
    "those of negatives are ignored, so ": lambda call, weights: np.where(call.labels, weights, 1),
    "those of positives are ignored, so ": lambda call, weights: np.where(call.labels, 1, weights),
}
_TIE_ASPECTS = ("ties", "order of rows", "constant scores", "repeated calls")
# The rankings among which those that differ in an aspect may be told by a feature
_COMPARED_ASPECTS = {
    "values": ("values",),
    "ties": ("ties", "constant scores"),
    "many samples": ("values", "many samples"),
}
_ASPECTS_OF_NO_TOOL = {*SOUNDNESS_ASPECTS, *REFUSABLE_ASPECTS, "many samples", "weights"}


class Findings:
    """What a function did, compared with a definition, and which model explains it."""

    def __init__(self, recognition: Recognition, definition: Variant, raises: bool = False) -> None:
        """`raises` tells that it should raise an error without positives."""
        self.recognition, self.definition, self.raises = recognition, definition, raises
        self.log = recognition.log
        self.calls = recognition.log.calls
        self.tolerance = recognition.tolerance
        # All arrays have one entry for each call.
        self.values = np.array([call.value for call in self.calls])
        self.original = np.array([call.original for call in self.calls], dtype=int)
        # Forms of a ranking that have another value by this definition
        self.is_changing = self._is_about(*self._find_changing_forms())
        self.expected = self._compute_expected()
        self.is_equal = self._find_equal()
        self.fits = np.zeros(self.original.size, dtype=bool)
        if recognition.model is not None:
            self.fits = recognition.model.is_true_of(self.calls, self.tolerance)
        self.is_compared = self._find_compared()
        self.is_right = self._find_right()
        is_refused = np.array([call.is_refused for call in self.calls], dtype=bool)
        self.is_refused = self._is_about(*REFUSABLE_ASPECTS) & is_refused
        # A function may want arrays.
        is_trap = self._is_about("Series") & (not self.log.gets_series)
        self.is_trap = is_trap & bool((is_trap & ~self.is_right & ~self.is_refused).any())
        self.is_steady = bool(self.is_right[self._is_about("repeated calls")].all())
        self.values_by_aspect: dict[str, str] = {}  # what is returned, by the aspect that differs
        self.code_by_aspect: dict[str, str] = {}  # the smallest ranking, by the aspect that differs
        self.untried_aspects: list[str] = []
        self.notes: list[str] = []
        self.rows = tuple(map(self._make_row, ASPECTS))

    @property
    def _is_original(self) -> Array:
        """Which calls aren't forms of another one."""
        is_original: Array = self.original == np.arange(self.original.size)
        return is_original

    def _compute_expected(self) -> Array:
        """Return the values by the definition; those of forms are their original's."""
        expected = np.full(self.original.size, nan)
        places = np.flatnonzero(self._is_original)
        expected[places] = self._make_values(places).compute_values(self.definition)
        expected = np.take(expected, self.original)
        many = self._find_places("many samples")
        if self.recognition.order in KNOWN_ORDERS and many:  # ties are another aspect
            ordered = replace(self.definition, order=self.recognition.assumed_order)
            expected[many] = self._make_values(many).compute_values(ordered)
        places = np.flatnonzero(self.is_changing)
        if places.size:
            expected[places] = self._make_values(places).compute_values(self.definition)
        return expected

    def _find_equal(self) -> Array:
        """Return which values are those of the definition, or errors where it should raise."""
        is_equal = are_equal(self.values, self.expected, self.tolerance)
        if self.definition.order is Order.OPEN:  # any order will do
            is_own = self._is_original | self.is_changing
            places = np.flatnonzero(is_own & ~self._is_about("many samples"))
            is_equal[places] = self._make_values(places).is_equal_to(self.definition)
        if self.raises:
            places = np.array(self._find_places("no positives"), dtype=int)
            is_equal[places] = [bool(self.calls[i].error) for i in places]
        return is_equal

    def _find_compared(self) -> Array:
        """Return which values can be compared: nothing is known of many ties in unknown order."""
        if self.recognition.order in KNOWN_ORDERS:
            return np.ones(self.original.size, dtype=bool)
        has_ties = np.array([not call.has_no_ties for call in self.calls], dtype=bool)
        return ~np.asarray(self._is_about("many samples") & has_ties)

    def _find_right(self) -> Array:
        """Return which values are no findings: forms have the value of their original."""
        is_as_before = are_equal(self.values, self.values[self.original], self.tolerance)
        is_form = self._is_about(*FORMS) & ~self.is_changing
        is_right = np.where(is_form, is_as_before, self.is_equal)
        if self.recognition.reading == IN_SINGLE:  # it can't tell all shifted scores apart
            is_right |= self._is_about("shifted") & self.fits
        return np.where(self.is_compared, is_right, True)

    def _find_changing_forms(self) -> set[str]:
        """Return the forms in which a ranking may have another value by the definition."""
        forms = set()
        if self.definition.order in ORDERS_OF_ROWS:
            forms.add("order of rows")
        if self.definition.order is Order.OPEN:
            forms |= {*FORMS} - {"repeated calls"}
        if self.definition.reading is not Reading.EXACT:
            forms |= {*SCORE_ASPECTS}
        return forms

    def _is_about(self, *aspects: str) -> Array:
        return np.array([call.aspect in aspects for call in self.calls], dtype=bool)

    def _find_places(self, *aspects: str) -> list[int]:
        """Return the numbers of the calls about some aspects."""
        return [i for i, call in enumerate(self.calls) if call.aspect in aspects]

    def _make_values(self, places: Iterable[int]) -> CallValues:
        return CallValues([self.calls[i] for i in places], self.tolerance)

    @property
    def differences(self) -> list[Aspect]:
        return [row for row in self.rows if row.agrees is False]

    def count_rankings(self, has: Array) -> tuple[int, int]:
        """Return the number of rankings, and of those that have something."""
        is_ranking = ~self._is_about("repeated calls") & ~self.is_refused & ~self.is_trap
        return int(is_ranking.sum()), int(np.count_nonzero(has & is_ranking))

    def describe_count(self, has: Array) -> str:
        n_rankings, n_having = self.count_rankings(has)
        return f"{n_having:,} of {n_rankings:,} rankings"

    def _make_row(self, aspect: str) -> Aspect:
        """Say what differs in an aspect, with the smallest ranking that shows it."""
        if aspect == "weights":
            return self._compare_weights()
        if aspect in self.log.left_out:
            return Aspect(aspect, "not tried", True)
        tried, differing = self._find_differing(aspect)
        if not differing:
            return self._make_equal_row(aspect, len(tried))
        counts = self._describe_counts(aspect, len(differing), len(tried))
        texts = {self._describe_values(self.calls[i], self.expected[i]) for i in differing}
        is_uniform = len(texts) == 1 and len(differing) == len(tried)
        if aspect == "ties":  # constant scores are tied, too
            differing += [i for i in self._find_places("constant scores") if not self.is_equal[i]]
        smallest = min(differing, key=lambda i: (self.is_equal[i], self.calls[i].labels.size))
        call, expected = self._shrink_ranking(smallest)
        instead = self._describe_values(call, expected)
        finding = f"{call.ranking} gives {instead}"
        if self.is_refused[smallest] or self.is_trap[smallest]:
            return self._make_harmless_row(aspect, call, finding, counts)
        self.values_by_aspect[aspect] = instead if is_uniform else f"{finding}{counts}"
        if aspect == "arguments changed":
            finding = f"{call.changed} of {call.ranking}"
        elif aspect == "order of rows":
            with_ties = " with ties only" if self._are_tied(differing) else ""
            finding = f"matters{with_ties}: {finding}"
        elif aspect == "ties" and self._tied_order:
            finding = f"{self._tied_order}: {finding}"
        elif aspect in SCORE_ASPECTS and self._is_explained(aspect) and self.recognition.reading:
            finding += f", as if scores were read {self.recognition.reading}"
        return self._make_differing_row(aspect, f"{finding}{counts}", call, expected)

    def _find_differing(self, aspect: str) -> tuple[list[int], list[int]]:
        """Return the calls about an aspect, and those that differ; refused ones if all do."""
        tried = self._find_places(aspect)
        if aspect == "arguments changed":
            tried = [*range(len(self.calls))]
            return tried, [i for i in tried if self.calls[i].changed]
        tried = [i for i in tried if self.is_compared[i]]
        wrong = [i for i in tried if not self.is_right[i]]
        differing = [i for i in wrong if not self.is_refused[i]] or wrong
        if aspect == "values" and not differing:
            differing = [i for i in tried if self.calls[i].is_text]
        return tried, differing

    def _describe_counts(self, aspect: str, n_differing: int, n_tried: int) -> str:
        """Say how many rankings differ in an aspect, and which ones if a feature tells them."""
        if n_tried == 1:
            return ""
        among = [
            i for i in self._find_places(*_COMPARED_ASPECTS.get(aspect, ())) if self.is_compared[i]
        ]
        where = describe_feature([self.calls[i] for i in among], ~self.is_right[among])
        those = f", those {where}" if where else ""
        return f" (it differs in {n_differing:,} of {n_tried:,} rankings{those})"

    def _describe_values(self, call: Call, expected: float) -> str:
        """Say what a call returned, and what it should have returned."""
        if call.is_text and are_equal(call.value, expected, self.tolerance):
            return f"the text {call.returned!r} instead of a number"
        other = format_call_value(float(expected))
        if call.aspect in FORMS and call.aspect not in self._find_changing_forms():
            before = self.calls[call.original]
            if are_equal(before.value, expected, self.tolerance):
                other = before.returned
            else:  # the function's own value, which isn't that of the definition
                other = f"{before.returned}, as before it's changed"
        if self.raises and call.aspect == "no positives":
            other = "an error"
        return f"{call.returned} instead of {other}{call.error}"

    def _make_harmless_row(self, aspect: str, call: Call, finding: str, counts: str) -> Aspect:
        """Return the row of an aspect that a function may refuse, or may need arrays for."""
        if call.is_refused:
            if aspect in ("float labels", "read-only arrays"):
                self.notes.append(f"It refuses {aspect}{call.error.rstrip('.')}.")
            return Aspect(aspect, f"refused{call.error or ': nan'}", True)
        if not self.is_steady:
            return Aspect(aspect, "not compared: values change from call to call", True)
        self.notes.append(f"It needs arrays: as a pandas Series, {finding}.")
        return Aspect(aspect, f"needs arrays: {finding}{counts}", True)

    def _are_tied(self, places: list[int]) -> bool:
        return all(self.calls[self.calls[i].original].aspect != "values" for i in places)

    def _is_explained(self, aspect: str) -> bool:
        """Whether the model has all values of an aspect that differ, and all without ties."""
        places = self._find_places(aspect)
        has = self.fits if aspect == "values" else self.fits | self.is_right
        return bool(places) and bool(has[places].all())

    def _make_equal_row(self, aspect: str, n_tried: int) -> Aspect:
        """Return the row of an aspect in which no ranking differs."""
        n_skipped = self.log.skipped[aspect]
        if n_skipped or not n_tried:
            self.untried_aspects.append(aspect)
        words = "nothing differs" if n_tried else "not tried"
        if aspect == "many samples" and self.log.n_too_large:
            most = max(self.log.memory)
            self.untried_aspects.append(f"more than {most:,} samples")
            words += f" up to {most:,} samples, as more would take over 1 GB"
        if n_skipped and n_tried and aspect != "many samples":
            words += f" in {n_tried:,} of {n_tried + n_skipped:,} rankings"
        elif self.log.has_given_up:
            words = "not tried"
        elif n_skipped:
            most = max(self.log.seconds, default=0)
            seconds = self.log.seconds.get(most, nan)
            words = f"not tried with more than {most:,} samples, which take {seconds:.2g} s"
        elif aspect == "shifted" and self.recognition.reading == IN_SINGLE:
            words += " but scores that are equal as float32"
        return Aspect(aspect, words, None if n_skipped else True)

    def _compare_weights(self) -> Aspect:
        """Compare weighted values with those of the definition, by the order of its ties."""
        if not (self.log.weights_as or self.log.gets_series):
            return Aspect("weights", "it takes none", True)
        rule = self.definition.rule
        if isinstance(rule, Graded) or rule.takes_equal_weights:  # which define no others
            return Aspect("weights", "not tried", True)
        is_known = self.recognition.order in KNOWN_ORDERS
        calls = [call for call in self.log.weighted if is_known or call.has_no_ties]
        if calls and all(call.error for call in calls):
            return Aspect("weights", f"refused{calls[0].error}", True)
        weighted = replace(self.definition, order=self.recognition.assumed_order)
        expected = (
            CallValues(calls, self.tolerance).compute_values(weighted) if calls else np.zeros(0)
        )
        values = np.array([call.value for call in calls])
        wrong = np.flatnonzero(~are_equal(values, expected, self.tolerance)).tolist()
        if not wrong:
            return self._make_equal_row("weights", len(calls))
        words = ""
        for meaning, change in _WEIGHT_MISTAKES.items():
            others = [call._replace(weights=change(call, call.weights)) for call in calls]
            if CallValues(others, self.tolerance).is_equal_to(weighted).all():
                words = meaning
        if not isinstance(weighted.rule, AreaRule) and words != _IGNORED_WEIGHTS:
            self.untried_aspects.append("weights")
            return Aspect("weights", "not compared: nobody agrees on a weighted value", True)
        smallest = min(wrong, key=lambda i: calls[i].labels.size)
        call, of_definition = calls[smallest], float(expected[smallest])
        weights = ", ".join(map(str, np.asarray(call.weights).tolist()[:10]))
        instead = self._describe_values(call, of_definition)
        finding = f"{words}{call.ranking} and weights {weights} gives {instead}"
        if len(wrong) < len(calls):
            finding += f" (it differs in {len(wrong):,} of {len(calls):,} rankings)"
        self.values_by_aspect["weights"] = finding
        return self._make_differing_row("weights", finding, call, of_definition)

    def _make_differing_row(self, aspect: str, finding: str, call: Call, expected: float) -> Aspect:
        self.code_by_aspect[aspect] = call.format_code(self.log.weights_as, self.log.seed)
        ranking = call.labels.tolist(), call.scores.tolist()
        return Aspect(aspect, finding, False, *ranking, call.value, expected)

    def _shrink_ranking(self, place: int) -> tuple[Call, float]:
        """Leave out samples of a large ranking as long as the function still differs, in the same
        aspect.

        Return the last call, and the value that is expected for it.
        """
        call, expected = self.calls[place], float(self.expected[place])
        # How far values are off is said of the sizes that were tried.
        has_sizes = self.recognition.model is not None and self.recognition.model.tolerance > 0
        is_large = call.original == place and call.labels.size > MAX_UNTIED_SAMPLES
        if not is_large or call.changed or has_sizes:
            return call, expected
        aspect, definition = find_aspect(call.labels, call.scores), self.definition
        if call.aspect == "many samples":
            definition = replace(definition, order=self.recognition.assumed_order)
        n_left_out = call.labels.size // 2  # samples at a time, from each start
        while n_left_out:
            start = 0
            while start < call.labels.size and self.log.n_called < MAX_CALLS:
                left_out = np.s_[start : start + n_left_out]
                labels, scores = np.delete(call.labels, left_out), np.delete(call.scores, left_out)
                if not labels.size or find_aspect(labels, scores) != aspect:
                    start += n_left_out
                    continue
                if not self.log.has_time(labels.size):
                    return call, expected
                smaller_call = self.log.call(call._replace(labels=labels, scores=scores))
                values = CallValues([smaller_call], self.tolerance)
                if values.is_equal_to(definition).all():
                    start += n_left_out
                else:  # the next samples are at the same place now
                    call, expected = smaller_call, float(values.compute_values(definition)[0])
            n_left_out //= 2
        if call.labels.size > MAX_SAMPLES_IN_CODE:  # too many to print, unlike the plan's number
            return self.calls[place], float(self.expected[place])
        return call, expected

    def find_tools(self) -> tuple[str, ...]:
        """Name the tools that are known to do the same as the function in every aspect."""
        model = self.recognition.model
        if model is None or (model.words != "{name}" and self.recognition.reading != IN_SINGLE):
            return ()
        with_both = self._find_places(*TWO_CLASS_ASPECTS, "many samples")
        forms = [i for i in self._find_places(*FORMS) if not (self.is_refused | self.is_trap)[i]]
        calls = [self.calls[i] for i in with_both + forms]
        is_odd = any(call.returned == "an error" or call.is_text for call in calls)
        if is_odd or {row.aspect for row in self.differences} & _ASPECTS_OF_NO_TOOL:
            return ()
        tools = CallValues(calls, self.tolerance).find_tools(
            model.variant.rule.depth, self.recognition.order
        )
        if self.log.weighted and not all(call.error for call in self.log.weighted):
            tools = [peer for peer in tools if peer.weights]
        for aspect in EDGE_ASPECTS:
            places = self._find_places(aspect)
            expected = (
                self._make_values(places).compute_values(model.variant) if places else np.zeros(0)
            )
            values = self.values[places]
            errors = [self.calls[i].returned == "an error" for i in places]
            tools = [
                peer
                for peer in tools
                if are_equal(
                    values, find_value_of_one_class(peer, aspect, expected), self.tolerance
                ).all()
                and ((peer.no_positives.startswith("an error") and all(errors)) or not any(errors))
            ]
        return tuple(filter(None, format_tools(model.variant, tools).split("; ")))

    # --- what may be said of it ------------------------------------------------------------------

    def write_title(self) -> str:
        """Say what the function computes, and whether it always does.

        Each aspect that differs has words here, or the title only says what the function is like.
        """
        model = self.recognition.model
        if self.recognition.sentence:
            return self.recognition.sentence
        if model is None:
            counts = self.describe_count(self.is_equal)
            return f"None of the definitions that are known here. It equals step on {counts}."
        exceptions = [*self._list_exceptions()]
        of_values = [row for row in self.differences if row.aspect in ("values", "many samples")]
        off = [abs((row.value or 0.0) - (row.expected or 0.0)) for row in of_values]
        most = model.tolerance + self.tolerance
        is_off_by_more = model.tolerance > 0 and any(each > most for each in off)
        is_alike = is_off_by_more or not self._is_explained("values")
        if is_alike or len(exceptions) > _MAX_EXCEPTIONS_IN_TITLE:
            return self._describe_likeness(model)
        if exceptions:
            return f"{model.sentence}, except {', and '.join(exceptions)}."
        if model.words != "{name}":
            return f"{model.sentence}."
        counts = f"the same in {self.describe_count(self.fits)}"
        if self.untried_aspects:
            untried_aspects = ", ".join(self.untried_aspects)
            return f"{model.sentence}, wherever tried: {counts}. Not tried: {untried_aspects}."
        if self.is_trap.any():
            counts += " as arrays"
        return f"{model.sentence}, always: {counts}."

    def _describe_likeness(self, model: Hypothesis) -> str:
        """Say how often the function returns the value of a definition, and where it doesn't."""
        name = f'"{model.name}"' if "," in model.name else model.name
        plain = Hypothesis(replace(model.variant, order=Order.GROUPED))
        counts = self.describe_count(plain.is_true_of(self.calls, self.tolerance))
        where = describe_feature(
            self.recognition.decisive_calls,
            ~plain.is_true_of(self.recognition.decisive_calls, self.tolerance),
        )
        also = f" Of the rankings tried without ties, those {where} differ." if where else ""
        return f"Like {name}, but not always: the same in {counts}.{also}"

    def _list_exceptions(self) -> Iterator[str]:
        """Yield words for each aspect that differs, but for what the model explains."""
        aspects = [row.aspect for row in self.differences]
        said: set[str] = set()
        if self._tied_order and "ties" in aspects:
            is_between = self.recognition.is_between
            said = {each for each in _TIE_ASPECTS if is_between or self._is_explained(each)}
        elif "repeated calls" in aspects:
            wrong = [i for i in self._find_places("order of rows") if not self.is_right[i]]
            said = {*_TIE_ASPECTS} if self._are_tied(wrong) else said
        for aspect in sorted(aspects, key=[*EDGE_ASPECTS, *ASPECTS].index):
            if aspect == "ties" and "ties" in said and self._tied_order:
                yield f"with ties: {self._tied_order}"
            elif aspect == "repeated calls":
                yield "that it changes from call to call"
            elif aspect == "arguments changed":
                yield "that it changes its arguments"
            elif aspect == "values" and all(self.is_right[i] for i in self._find_places("values")):
                yield "that it returns text instead of a number"
            elif aspect not in said and not self._is_explained(aspect):
                yield f"{ASPECTS[aspect]}: {self.values_by_aspect[aspect]}"

    @property
    def _tied_order(self) -> str:
        """How the function ranks tied samples, in words, without what that means for a row."""
        if self.recognition.is_between:
            return "the value is between those of the best and the worst order"
        if self.recognition.order in (None, Order.GROUPED):
            return ""
        return TERMS[self.recognition.order.value.removeprefix(", ")].partition(", so")[0]
