"""Compare what a function did with a definition, in each aspect: the results of audits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from enum import Enum, auto
from functools import cached_property
from itertools import chain, compress, permutations
from math import nan
from typing import Any

import numpy as np

from .._infer.sentences import list_names
from .._show.results import LazyValue, Printed, Result, Value
from ..core.ragged import Array
from ..core.rules import Area, AreaRule, Envelope, Graded, Linear, Step
from .audited_scorers import Change
from .call_log import (
    ASPECTS,
    EDGE_ASPECTS,
    FORMS,
    MAX_CALLS,
    MAX_UNTIED_SAMPLES,
    REFUSABLE_ASPECTS,
    SCORE_ASPECTS,
    SOUNDNESS_ASPECTS,
    TWO_CLASS_ASPECTS,
    Call,
    find_aspect,
)
from .call_values import ORDERS_OF_ROWS, CallValues, are_equal
from .feature_limits import FeatureLimit, find_limit
from .mistakes import (
    IGNORED_WEIGHTS,
    SINGLE_USES_OF_WEIGHTS,
    WEIGHT_MISTAKES,
    Mistake,
    WeightMistake,
)
from .peers import (
    MAX_NAMED_TOOLS,
    CreditedFunction,
    Peer,
    credit_tools,
    find_value_of_one_class,
)
from .readings import Reading
from .recognition import KNOWN_ORDERS, ConstantValue, PermanentFailure, Recognition
from .tie_orders import Order
from .variants import Variant

_MAX_EXCEPTIONS_IN_TITLE = 4
_TIE_ASPECTS = ("ties", "order of rows", "constant scores", "repeated calls")
# What matters most, first; the other aspects follow, and rankings of one class come last
_SERIOUS_ASPECTS = (
    *("repeated calls", "values", "many samples", "ties", "order of rows", "constant scores"),
    *("arguments changed", "weights"),
)
# The rankings among which those that differ in an aspect may be told by a feature
_COMPARED_ASPECTS = {
    "values": ("values", "many samples"),
    "ties": ("ties", "constant scores"),
    "many samples": ("values", "many samples"),
}
_ASPECTS_OF_NO_TOOL = {*SOUNDNESS_ASPECTS, *REFUSABLE_ASPECTS, "many samples", "weights"}
NO_TOOLS: LazyValue[tuple[CreditedFunction, ...]] = LazyValue(value=())


class AspectOutcome(Enum):
    """What a function does in an aspect."""

    EQUAL = auto()  # to the definition, wherever tried
    DIFFERENT = auto()
    REFUSED = auto()  # what a function may refuse
    ARRAYS_NEEDED = auto()  # and not a pandas Series
    CHANGING = auto()  # from call to call, so nothing can be compared
    NOT_TRIED = auto()
    NO_WEIGHTS = auto()  # are taken
    UNDEFINED = auto()  # by the definition, as weighted values are


class Conclusion(Enum):
    """What the title of an audit says."""

    FAILS = auto()
    CONSTANT = auto()
    UNKNOWN = auto()  # no definition is alike
    ALIKE = auto()  # but not always
    EXCEPTIONS = auto()  # in some aspects, which are named
    MISTAKEN = auto()  # in a way that has words
    WHEREVER_TRIED = auto()
    ALWAYS = auto()
    # Of scorers
    LABELS_RANKED = auto()
    OTHER_METRIC = auto()  # of scikit-learn
    ROC_AREA = auto()


@dataclass(frozen=True)
class Finding:
    """What a function did in an aspect, with the smallest ranking on which it differs."""

    aspect: str
    outcome: AspectOutcome
    n_tried: int = 0
    n_differing: int = 0
    n_skipped: int = 0  # for want of time, of those that don't differ so far
    n_too_large: int = 0  # for the memory
    call: Call | None = None
    expected: float = nan  # the value of the definition
    limit: FeatureLimit | None = None  # that tells exactly the rankings that differ
    has_ties_only: bool = False  # whether all rankings that differ have ties
    misreading: Mistake | None = None  # of scores, that explains what differs
    weight_mistake: WeightMistake | None = None
    warning: str = ""  # of the function, which only calls that differ have

    @property
    def is_different(self) -> bool:
        return self.outcome is AspectOutcome.DIFFERENT

    @property
    def is_unknown(self) -> bool:
        """Whether nothing differs so far, but time ended the audit before all was tried."""
        return self.n_skipped > 0

    @property
    def is_incomplete(self) -> bool:
        """Whether something that could differ wasn't tried."""
        if self.outcome is AspectOutcome.EQUAL:
            return bool(self.n_skipped or self.n_too_large or not self.n_tried)
        return self.outcome is AspectOutcome.UNDEFINED


class Findings:
    """What a function did, compared with a definition, aspect by aspect.

    All arrays have one entry for each call.
    """

    def __init__(self, recognition: Recognition, definition: Variant, raises: bool = False) -> None:
        """`raises` tells that it should raise an error without positives."""
        self.recognition, self.definition, self.raises = recognition, definition, raises
        self.log = recognition.log
        self.calls = recognition.log.calls
        self.tolerance = recognition.tolerance
        self.values = np.array([call.value for call in self.calls])
        self.original = np.array([call.original for call in self.calls], dtype=int)
        # Which calls aren't forms of another one
        self.is_original = np.asarray(self.original == np.arange(self.original.size))
        # Which calls have more samples than the function takes
        self.size_limit = recognition.size_limit
        most = np.inf if self.size_limit is None else self.size_limit.most
        self.is_too_large = np.array([call.labels.size > most for call in self.calls], dtype=bool)
        self.by_aspect = {aspect: self._examine(aspect) for aspect in ASPECTS}

    @cached_property
    def differences(self) -> list[Finding]:
        """The aspects that differ, the most serious one first."""
        serious = [*_SERIOUS_ASPECTS, *(each for each in ASPECTS if each not in EDGE_ASPECTS)]
        serious += EDGE_ASPECTS
        return sorted(
            (finding for finding in self.by_aspect.values() if finding.is_different),
            key=lambda finding: serious.index(finding.aspect),
        )

    @property
    def has_no_difference(self) -> bool:
        """Whether nothing differs, and time ended no aspect."""
        is_unknown = any(finding.is_unknown for finding in self.by_aspect.values())
        return not self.differences and not is_unknown

    @cached_property
    def facts(self) -> list[Finding]:
        """The differences, without those that only say again that ties make one."""
        return [finding for finding in self.differences if not self._repeats_ties(finding)]

    def _repeats_ties(self, finding: Finding) -> bool:
        if finding.aspect not in ("order of rows", "constant scores") or not finding.has_ties_only:
            return False
        is_as_ties = self._is_explained(finding.aspect) == self._is_explained("ties")
        return self.by_aspect["ties"].is_different and is_as_ties

    @cached_property
    def is_nearest_only(self) -> bool:
        """Whether fewer than half of the rankings without ties have the value of the hypothesis."""
        places = [i for i in self._find_places("values") if not self.calls[i].rank]
        return bool(2 * np.count_nonzero(self.is_equal[places]) < len(places))

    # --- what is expected of each call -----------------------------------------------------------

    @cached_property
    def changing_forms(self) -> set[str]:
        """The forms in which a ranking may have another value by the definition."""
        forms = set()
        if self.definition.order in ORDERS_OF_ROWS:
            forms.add("order of rows")
        if self.definition.order is Order.OPEN:
            forms |= {*FORMS} - {"repeated calls"}
        if self.definition.reading is not Reading.EXACT:
            forms |= {*SCORE_ASPECTS}
        return forms

    @cached_property
    def is_changing(self) -> Array:
        """Which calls are about these forms."""
        return self._is_about(*self.changing_forms)

    @cached_property
    def expected(self) -> Array:
        """The values by the definition; those of forms are their original's."""
        expected = np.full(self.original.size, nan)
        places = np.flatnonzero(self.is_original)
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

    @cached_property
    def is_equal(self) -> Array:
        """Which values are those of the definition, or errors where it should raise."""
        is_equal = are_equal(self.values, self.expected, self.tolerance)
        if self.definition.order is Order.OPEN:  # any order will do
            is_own = self.is_original | self.is_changing
            places = np.flatnonzero(is_own & ~self._is_about("many samples"))
            is_equal[places] = self._make_values(places).is_equal_to(self.definition)
        if self.raises:
            places = np.array(self._find_places("no positives"), dtype=int)
            is_equal[places] = [bool(self.calls[i].error) for i in places]
        return is_equal

    @cached_property
    def fits(self) -> Array:
        """Which values are those of the hypothesis that was recognized."""
        if self.recognition.hypothesis is None:
            return np.zeros(self.original.size, dtype=bool)
        return self.recognition.hypothesis.is_true_of(self.calls, self.tolerance)

    @cached_property
    def is_compared(self) -> Array:
        """Which values can be compared: nothing is known of many ties in unknown order."""
        if self.recognition.order in KNOWN_ORDERS:
            return np.ones(self.original.size, dtype=bool)
        has_ties = np.array([not call.has_no_ties for call in self.calls], dtype=bool)
        return ~np.asarray(self._is_about("many samples") & has_ties)

    @cached_property
    def is_right(self) -> Array:
        """Which values are no findings: forms have the value of their original."""
        is_as_before = are_equal(self.values, self.values[self.original], self.tolerance)
        is_form = self._is_about(*FORMS) & ~self.is_changing
        is_right = np.where(is_form, is_as_before, self.is_equal)
        if self.recognition.is_single:  # it can't tell all shifted scores apart
            is_right |= self._is_about("shifted") & self.fits
        return np.where(self.is_compared, is_right, True)

    @cached_property
    def is_refused(self) -> Array:
        """Which calls have an error that a function may raise."""
        is_refused = np.array([call.is_refused for call in self.calls], dtype=bool)
        return np.asarray(self._is_about(*REFUSABLE_ASPECTS) & is_refused)

    @cached_property
    def is_trap(self) -> Array:
        """Which calls are about a Series, if the function needs arrays."""
        is_trap = self._is_about("Series") & (not self.log.gets_series)
        needs_arrays = bool((is_trap & ~self.is_right & ~self.is_refused).any())
        return np.asarray(is_trap & needs_arrays)

    def _is_about(self, *aspects: str) -> Array:
        return np.array([call.aspect in aspects for call in self.calls], dtype=bool)

    def _find_places(self, *aspects: str) -> list[int]:
        """Return the numbers of the calls about some aspects."""
        return [i for i, call in enumerate(self.calls) if call.aspect in aspects]

    def _make_values(self, places: Iterable[int]) -> CallValues:
        return CallValues([self.calls[i] for i in places], self.tolerance)

    def get_original(self, call: Call) -> Call:
        """Return the call with the same ranking in its original form."""
        assert call.original is not None
        return self.calls[call.original]

    def count_rankings(self, has: Array) -> tuple[int, int]:
        """Return the number of rankings, and of those that have something."""
        is_ranking = ~self._is_about("repeated calls") & ~self.is_refused & ~self.is_trap
        return int(is_ranking.sum()), int(np.count_nonzero(has & is_ranking))

    # --- aspects ---------------------------------------------------------------------------------

    def _examine(self, aspect: str) -> Finding:
        """Find out whether the function differs in an aspect."""
        if aspect == "weights":
            return self._examine_weights()
        if aspect in self.log.left_out:
            return Finding(aspect, AspectOutcome.NOT_TRIED)
        tried, differing = self.find_differing(aspect)
        if differing:
            return self._make_difference(aspect, tried, differing)
        n_too_large = self.log.n_too_large if aspect == "many samples" else 0
        return self._make_equal(aspect, len(tried), n_too_large)

    def _make_equal(self, aspect: str, n_tried: int, n_too_large: int = 0) -> Finding:
        n_skipped = self.log.skipped[aspect]
        return Finding(
            aspect, AspectOutcome.EQUAL, n_tried, n_skipped=n_skipped, n_too_large=n_too_large
        )

    def find_differing(self, aspect: str) -> tuple[list[int], list[int]]:
        """Return the calls about an aspect, and those that differ; refused ones if all do."""
        tried = self._find_places(aspect)
        if aspect == "arguments changed":
            tried = [*range(len(self.calls))]
            return tried, [i for i in tried if self.calls[i].changed]
        tried = [i for i in tried if self.is_compared[i] and not self.is_too_large[i]]
        wrong = [i for i in tried if not self.is_right[i]]
        if aspect == "many samples":
            too_large = np.flatnonzero(self.is_too_large & self.is_original).tolist()
            tried, wrong = tried + too_large, wrong + too_large
        return tried, [i for i in wrong if not self.is_refused[i]] or wrong

    def _make_difference(self, aspect: str, tried: list[int], differing: list[int]) -> Finding:
        """Return what differs, with the smallest ranking that shows it."""
        shown = differing
        if aspect == "ties":  # constant scores are tied, too
            tied = self._find_places("constant scores")
            shown = differing + [i for i in tied if not self.is_equal[i]]
        is_like = self.recognition.is_like  # so that what the hypothesis explains shows nothing
        smallest = min(
            shown,
            key=lambda i: (self.is_equal[i], is_like and self.fits[i], self.calls[i].labels.size),
        )
        call, expected = self._shrink_ranking(smallest)
        shrunk = [call] if call is not self.calls[smallest] else []
        is_explained = aspect in SCORE_ASPECTS and self._is_explained(aspect)
        return Finding(
            aspect,
            self._find_outcome(smallest),
            len(tried),
            len(differing),
            call=call,
            expected=expected,
            limit=self._find_limit(aspect, shrunk),
            has_ties_only=self._are_tied(differing),
            misreading=self.recognition.misreading if is_explained else None,
            warning=self._find_telling_warning(call),
        )

    def _find_telling_warning(self, call: Call) -> str:
        """Return a warning of a call that no right call has; empty if there is none."""
        right = compress(self.calls, self.is_right)
        of_right = {*chain.from_iterable(each.warnings for each in right)}
        return next((each for each in call.warnings if each not in of_right), "")

    def _find_outcome(self, place: int) -> AspectOutcome:
        """Return what a call that differs shows, which a function may refuse."""
        if not (self.is_refused[place] or self.is_trap[place]):
            return AspectOutcome.DIFFERENT
        if self.calls[place].is_refused:
            return AspectOutcome.REFUSED
        is_steady = self._is_right_about("repeated calls")
        return AspectOutcome.ARRAYS_NEEDED if is_steady else AspectOutcome.CHANGING

    def _find_limit(self, aspect: str, shrunk: list[Call]) -> FeatureLimit | None:
        """Return what tells the rankings that differ, and those that they were shrunk to."""
        if aspect == "many samples" and self.size_limit is not None:  # which says more
            return None
        places = self._find_places(*_COMPARED_ASPECTS.get(aspect, ()))
        among = [i for i in places if self.is_compared[i] and not self.is_too_large[i]]
        calls = [*(self.calls[i] for i in among), *shrunk]
        differs = np.append(~self.is_right[among], np.ones(len(shrunk), dtype=bool))
        return find_limit(calls, differs)

    def _are_tied(self, places: list[int]) -> bool:
        return all(self.get_original(self.calls[i]).aspect != "values" for i in places)

    def _is_right_about(self, aspect: str) -> bool:
        return bool((self.is_right | self.is_too_large)[self._is_about(aspect)].all())

    def _is_explained(self, aspect: str) -> bool:
        """Whether the hypothesis has all values of an aspect that differ, and all without ties."""
        places = self._find_places(aspect)
        has = self.fits if aspect == "values" else self.fits | self.is_right
        has = has | self.is_too_large
        return bool(places) and bool(has[places].all())

    def _examine_weights(self) -> Finding:
        """Compare weighted values with those of the definition, by the order of its ties."""
        if not (self.log.weights_as or self.log.gets_series):
            return Finding("weights", AspectOutcome.NO_WEIGHTS)
        rule = self.definition.rule
        if isinstance(rule, Graded) or rule.takes_equal_weights:  # which define no others
            return Finding("weights", AspectOutcome.NOT_TRIED)
        is_known = self.recognition.order in KNOWN_ORDERS
        most = np.inf if self.size_limit is None else self.size_limit.most
        calls = [
            call
            for call in self.log.weighted
            if (is_known or call.has_no_ties) and call.labels.size <= most
        ]
        if not calls:
            return self._make_equal("weights", 0)
        if all(call.error for call in calls):
            return Finding("weights", AspectOutcome.REFUSED, call=calls[0])
        weighted = replace(self.definition, order=self.recognition.assumed_order)
        values = CallValues(calls, self.tolerance)
        expected = values.compute_values(weighted)
        wrong = np.flatnonzero(~are_equal(values.values, expected, self.tolerance)).tolist()
        if not wrong:
            return self._make_equal("weights", len(calls))
        mistake = self._find_weight_mistake(calls, weighted)
        if not isinstance(rule, AreaRule) and mistake is not IGNORED_WEIGHTS:
            return Finding("weights", AspectOutcome.UNDEFINED)
        smallest = min(wrong, key=lambda i: calls[i].labels.size)
        call, of_definition = calls[smallest], float(expected[smallest])
        return Finding(
            "weights",
            AspectOutcome.DIFFERENT,
            len(calls),
            len(wrong),
            call=call,
            expected=of_definition,
            weight_mistake=mistake,
        )

    def _find_weight_mistake(self, calls: list[Call], weighted: Variant) -> WeightMistake | None:
        """Return what the function does to weights; of several mistakes, the last one."""
        for mistake in WEIGHT_MISTAKES[::-1]:
            changed = [*map(mistake.apply, calls)]
            if CallValues(changed, self.tolerance).is_equal_to(weighted).all():
                return mistake
        return self._find_single_use_of_weights(calls, weighted)

    def _find_single_use_of_weights(
        self, calls: list[Call], weighted: Variant
    ) -> WeightMistake | None:
        """Return that weights count only in recall, or only in precision."""
        if not isinstance(weighted.rule, Step | Envelope | Linear):
            return None
        # Without weights of 0, whose precision may be 0/0
        calls = [call for call in calls if call.weights is not None and call.weights.all()]
        areas: list[Area] = []
        for each in (calls, [IGNORED_WEIGHTS.apply(call) for call in calls]):
            ranked = weighted.rank(CallValues(each, self.tolerance).data_set)
            rule, points = ranked.order_ties(weighted.rule, weighted.order)
            assert isinstance(rule, AreaRule)
            areas.append(rule.area(points))
        returned = np.array([call.value for call in calls])
        for mistake, (of_recall, of_precision) in zip(
            SINGLE_USES_OF_WEIGHTS, permutations(areas), strict=True
        ):
            value = of_recall._replace(height=of_precision.height).value()
            if are_equal(returned, value, self.tolerance).all():
                return mistake
        return None

    def _shrink_ranking(self, place: int) -> tuple[Call, float]:
        """Leave out samples of a large ranking as long as the function still differs, in the same
        aspect.

        Return the last call, and the value that is expected for it.
        """
        call, expected = self.calls[place], float(self.expected[place])
        # How far values are off is said of the rankings that were tried.
        is_off = (
            self.recognition.hypothesis is not None and self.recognition.hypothesis.tolerance > 0
        )
        is_large = call.original == place and call.labels.size > MAX_UNTIED_SAMPLES
        if not is_large or call.changed or is_off:
            return call, expected
        aspect, definition = find_aspect(call.labels, call.scores), self.definition
        if call.aspect == "many samples":
            definition = replace(definition, order=self.recognition.assumed_order)
        n_left_out = call.labels.size // 2  # samples at a time, from each start
        while n_left_out:
            start, is_smaller = 0, False
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
                    is_smaller = True
                    call, expected = smaller_call, float(values.compute_values(definition)[0])
            # Single rows are left out again as long as any of them can be.
            if n_left_out > 1 or not is_smaller:
                n_left_out //= 2
        return call, expected

    # --- tools -----------------------------------------------------------------------------------

    def find_tools(self) -> tuple[CreditedFunction, ...]:
        """Name the tools that are known to do the same as the function in every aspect."""
        hypothesis = self.recognition.hypothesis
        if hypothesis is None or self.size_limit is not None:
            return ()
        if hypothesis.has_mistake and not self.recognition.is_single:
            return ()
        if any(finding.aspect in _ASPECTS_OF_NO_TOOL for finding in self.differences):
            return ()
        calls = self._list_calls_of_tools()
        if any(call.no_number for call in calls):  # which no tool returns
            return ()
        values = CallValues(calls, self.tolerance)
        tools = values.find_tools(hypothesis.variant.rule.cut, self.recognition.order)
        takes_weights = not all(call.error for call in self.log.weighted)
        if takes_weights:
            tools = [peer for peer in tools if peer.weights]
        for aspect in EDGE_ASPECTS:
            places = self._find_places(aspect)
            if places:
                expected = self._make_values(places).compute_values(hypothesis.variant)
                tools = [peer for peer in tools if self._is_like(peer, aspect, places, expected)]
        return credit_tools(hypothesis.variant, tools)

    def _list_calls_of_tools(self) -> list[Call]:
        """Return the rankings of both classes for which a tool has a value, in all their forms."""
        originals = self._find_places(*TWO_CLASS_ASPECTS, "many samples")
        is_excused = self.is_refused | self.is_trap
        forms = [i for i in self._find_places(*FORMS) if not is_excused[i]]
        return [self.calls[i] for i in (*originals, *forms)]

    def _is_like(self, peer: Peer, aspect: str, places: list[int], expected: Array) -> bool:
        """Whether a tool returns the same for rankings with one class."""
        values = find_value_of_one_class(peer, aspect, expected)
        if not are_equal(self.values[places], values, self.tolerance).all():
            return False
        calls = [self.calls[i] for i in places]
        if any(call.no_number and not call.error for call in calls):
            return False
        errors = [bool(call.error) for call in calls]
        return not any(errors) or (peer.raises_without_positives and all(errors))

    # --- what may be said of it ------------------------------------------------------------------

    @property
    def conclusion(self) -> Conclusion:
        """Whether the function always computes what it was recognized as."""
        hypothesis = self.recognition.hypothesis
        if isinstance(self.recognition.failure, PermanentFailure):
            return Conclusion.FAILS
        if isinstance(self.recognition.failure, ConstantValue):
            return Conclusion.CONSTANT
        if hypothesis is None:
            return Conclusion.UNKNOWN
        if not self._is_explained("values"):
            return Conclusion.ALIKE
        if len(self.exceptions) > _MAX_EXCEPTIONS_IN_TITLE:
            return Conclusion.ALIKE
        if self.exceptions or self.size_limit is not None:
            return Conclusion.EXCEPTIONS
        if hypothesis.has_mistake:
            return Conclusion.MISTAKEN
        if self.differences:
            return Conclusion.ALIKE
        if any(finding.is_incomplete for finding in self.by_aspect.values()):
            return Conclusion.WHEREVER_TRIED
        return Conclusion.ALWAYS

    @cached_property
    def exceptions(self) -> list[Finding]:
        """What differs, but for what the hypothesis explains."""
        return [*filter(self._is_exception, self.facts)]

    def _is_exception(self, finding: Finding) -> bool:
        is_missing_error = self.raises and finding.aspect == "no positives"
        if finding.aspect in SOUNDNESS_ASPECTS or is_missing_error:
            return True
        if (
            finding.aspect == "many samples"
            and self.size_limit
            and self._is_right_about("many samples")
        ):
            return False  # but for its failures, of which the title has words of their own
        if finding.aspect == "ties" and self.are_ties_explained:
            return True
        return finding.aspect not in self._tie_findings and not self._is_explained(finding.aspect)

    @cached_property
    def are_ties_explained(self) -> bool:
        """Whether ties make a difference, and the order in which they are ranked says which."""
        is_told = self.recognition.is_between or self._is_explained("ties")
        return self.by_aspect["ties"].is_different and self.recognition.has_tied_order and is_told

    @cached_property
    def _tie_findings(self) -> set[str]:
        """The aspects that differ because of ties, whose order one of them names."""
        if self.recognition.has_tied_order and self.by_aspect["ties"].is_different:
            is_between = self.recognition.is_between
            return {each for each in _TIE_ASPECTS if is_between or self._is_explained(each)}
        if self.by_aspect["repeated calls"].is_different:
            wrong = [i for i in self._find_places("order of rows") if not self.is_right[i]]
            return {*_TIE_ASPECTS} if self._are_tied(wrong) else set()
        return set()


@dataclass(frozen=True, eq=False)
class Aspect(Value):
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect : str
        What was examined, such as "ties".
    finding : str
        What the function does.
    agrees : bool or None
        Whether the definition does the same; None if time ended the audit before all was tried.
    y_true, y_score : list or None
        The smallest ranking that shows the difference; None if there is none.
    value, expected : float or None
        The values of the function, nan if it has none, and of the definition.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap.compat import audit
    >>> def in_order(y_true, y_score):
    ...     hits = y_true[(-y_score).argsort(kind="stable")].cumsum()
    ...     found = y_true[(-y_score).argsort(kind="stable")] == 1
    ...     return (hits / (1 + np.arange(hits.size)))[found].sum() / max(
    ...         hits[-1], 1
    ...     )
    >>> ties = audit(in_order).rows[1]
    >>> ties.y_true, ties.y_score, ties.value, ties.expected
    ([1, 0], [0.875, 0.875], 1.0, 0.5)
    """

    aspect: str
    finding: str
    agrees: bool | None
    y_true: list[Any] | None = None
    y_score: list[Any] | None = None
    value: float | None = None
    expected: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """Result of :func:`~sklearn_ap.compat.audit`: print it, or use its `rows`.

    Attributes
    ----------
    definition : str or None
        The definition that equals the function on most rankings without ties, in the words of
        :func:`identify`; None if none equals it on half of them.
    mistake : str or None
        What the function does to that definition, such as "of negated scores"; None if it does
        nothing to it that is known here.
    title : str
        The first line: what the function computes, and where it doesn't.
    ranks_by : str or None
        For scorers, the method whose values they rank by, and the positive class, unless it could
        be either.
    n_rankings : int
        How many rankings were evaluated.
    n_equal : int
        The number of rankings for which the function returns the value of the metric, or without
        one, that of the definition or the nearest one.
    tools : tuple of str
        The tools of `PEERS` that are known to agree with the function in every aspect, weights
        included. They are looked for when they are first read.
    rows : tuple of Aspect
        One row for each aspect, with `aspect`, `finding` and `agrees`. Where the function differs,
        `y_true`, `y_score`, `value` and `expected` are the smallest ranking that shows it.
    notes : tuple of str
        What else it may compute, what was not tried, and what to call next.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compat import audit
    >>> result = audit(average_precision_score)
    >>> result.definition, result.agrees
    ('step', True)
    """

    _index = "aspect"

    definition: str | None
    mistake: str | None
    title: str
    ranks_by: str | None
    n_rankings: int
    n_equal: int
    rows: tuple[Aspect, ...]
    notes: tuple[str, ...] = ()
    _tools: LazyValue[tuple[CreditedFunction, ...]] = field(
        default=NO_TOOLS, repr=False, compare=False
    )
    _cutoff: str = field(default="", repr=False, compare=False)
    _cells: tuple[tuple[str, str], ...] = field(default=(), repr=False, compare=False)
    _is_meant: bool = field(default=True, repr=False, compare=False)
    _is_other_metric: bool = field(default=False, repr=False, compare=False)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of `PEERS` that are known to agree with the function in every aspect, weights
        included. They are looked for when they are first read.
        """
        return tuple(map(str, self._tools.get()))

    @property
    def agrees(self) -> bool | None:
        """Whether the function is the metric in every aspect, or without one, whether it's an
        average precision without a mistake; None if time ended the audit.
        """
        return self._rows_agree if self._is_meant else False

    @property
    def _rows_agree(self) -> bool | None:
        return _combine_verdicts(row.agrees for row in self.rows)

    def _printed(self) -> Printed:
        said = []
        names = [*dict.fromkeys(each.name for each in self._tools.get())]
        if names:
            # Some have no cutoff, and get the top k.
            top = f" with the top {self._cutoff}" if self._cutoff else ""
            said.append(f"Tools that do the same{top}: {list_names(names, MAX_NAMED_TOOLS)}.")
        block = "", "", self._cells
        return Printed(("aspect", "finding"), [block], self.title, said, self.notes)

    def _as_dict(self) -> dict[str, Any]:
        values = {"definition": self.definition, "agrees": self.agrees}
        values |= {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        return values | {"tools": self.tools, "rows": self._rows()}

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]


@dataclass(frozen=True, eq=False, repr=False)
class ScoringAudit(Result):
    """Result of :func:`~sklearn_ap.compat.audit` for several scorers.

    Attributes
    ----------
    names : tuple of str
        The names of the scorers.
    alone : tuple of Audit
        What each of them computes alone.
    audits : dict of Audit
        The same by name.
    changes : tuple
        The scorers whose value changes in company, with the attributes `scorer`, `beside`, `value`,
        `alone` and `why`.
    agrees : bool
        Whether no value changes, and each scorer always computes a definition, or is one of
        scikit-learn's other scorers.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import audit
    >>> result = audit(["roc_auc", "average_precision"])
    >>> result.agrees
    True
    >>> result.audits["roc_auc"].ranks_by
    'decision_function'
    """

    _index = "scorer"

    names: tuple[str, ...]
    alone: tuple[Audit, ...]
    changes: tuple[Change, ...]

    @property
    def audits(self) -> dict[str, Audit]:
        """The audits of the scorers by their names."""
        return dict(zip(self.names, self.alone, strict=True))

    @property
    def agrees(self) -> bool | None:
        """Whether there is nothing to mend; None if time ended an audit."""
        agree = [each._is_other_metric or each._rows_agree for each in self.alone]
        return _combine_verdicts([*agree, not self.changes])

    def _printed(self) -> Printed:
        rows = [(name, each.title) for name, each in self.audits.items()]
        return Printed(("scorer", "finding"), [("", "", rows)], "", [*map(str, self.changes)])

    def _as_dict(self) -> dict[str, Any]:
        audits = {name: each._as_dict() for name, each in self.audits.items()}
        in_company = [change._asdict() for change in self.changes]
        return {"agrees": self.agrees, "audits": audits, "changes": in_company}

    def _rows(self) -> list[dict[str, Any]]:
        columns = ("title", "definition", "agrees", "ranks_by")
        return [
            {"scorer": name} | {column: getattr(each, column) for column in columns}
            for name, each in self.audits.items()
        ]


def _combine_verdicts(agree: Iterable[bool | None]) -> bool | None:
    """Return False if any is False, or else None if any is None."""
    verdicts = {*agree}
    if False in verdicts:
        return False
    return None if None in verdicts else True


for _result in (Audit, ScoringAudit):
    _result.__module__ = "sklearn_ap.compat"  # where users find it
