"""Find out which definition a function computes, and where it differs from that definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from math import isnan, nan
from textwrap import fill
from typing import Any

import numpy as np

from .._enter.entry import public
from .._enter.metric import Metric, check_no_function, plain_name
from .._show.results import WIDTH, Printed, Result, Value, as_paragraphs, paragraph
from .._words.inputs import OF_DATA
from .._words.messages import count_of
from ..core.cutoff import DENOMINATORS, Cut
from ..core.rankings import Rankings
from ..core.rules import AreaRule, AtK, Envelope, Linear, NPoint, PrecisionAtK, Step
from ..core.within import Array
from ..metrics import metric_of
from .explanation import (
    TERMS,
    Peer,
    credit,
    few_tools,
    reports_on,
    tools_at_cut,
    value_without,
)
from .identify import GUESSED_KS, candidates
from .mistakes import IN_BLOCKS, MISTAKES, READINGS, OtherCall, roundings
from .replayed import are_values, calls_of
from .sample import DataSet, Reading, Slip, Variant
from .scoring import (
    Change,
    Scorer,
    Setting,
    changes,
    is_of_sklearn,
    scorers_of,
    settings_for,
)
from .trials import (
    ASPECTS,
    EDGES,
    FORMS,
    MOST_CALLS,
    MOST_UNTIED,
    OF_SCORES,
    SOUND,
    WITH_BOTH,
    Call,
    CallLog,
    aspect_of,
    random_ranking,
    six_digits,
)
from .variants import ASSUMED, DavisGoadrich, Order, RocArea

_MOST_ROWS = 7  # that are printed
_N_FOR_MISTAKES = 40  # rankings on which each mistake is tried first
_ALL_ROWS = 0.999999  # of at most a million, as a share; 1.0 would equal a single row
_KS = (*map(Cut, GUESSED_KS), *map(Cut, (0.01, 0.05, 0.1, _ALL_ROWS)))
_OFF = 0.005
_ONE_BY_ONE = (Order.BY_ROW, Order.LAST_ROW_FIRST)
_ORDERS = (Order.GROUPED, *_ONE_BY_ONE, Order.EXPECTED, Order.BEST, Order.WORST, Order.OPEN)
_ORDERS_OF_CALLERS = ("the caller's order", "the model's order")
_OF_GROUPS = (Slip.POOLED, Slip.HIGHEST_OF_GROUP, Slip.MEAN_OF_GROUP)  # each is a ranking here
_AREAS = (Step(), Linear(), Envelope(), NPoint(11), NPoint(101))
_OF_FIRST = [AtK(1, denominator=denominator) for denominator in DENOMINATORS]  # rather P@1
_NOT_OF_PROBABILITIES = ("negative scores", "shifted", "integers", "beyond [0, 1]")
_OF_LABELS = f"step{Slip.PREDICTED.value.partition(' instead')[0]}"
_NO_AVERAGE = "This isn't average precision"
_FAILS = "Every call fails"
_GIVEN = "A scorer gets an array as X, and labels 0 and 1 unless its error asks for others."
_SAY_ALL = (_NO_AVERAGE, "Ranks by predict", _FAILS, "Not a metric")  # titles
_OF_WEIGHTS: dict[str, Callable[[Array, Any], Any]] = {
    "they are ignored, ": lambda labels, weights: np.ones(labels.size),
    "they are squared, ": lambda labels, weights: weights**2,
    "those of negatives are ignored, ": lambda labels, weights: np.where(labels, weights, 1),
    "those of positives are ignored, ": lambda labels, weights: np.where(labels, 1, weights),
}
_OF_TIES = ("ties", "order of rows", "constant scores", "repeated calls")
_EDGES_IN_WORDS = {
    "no positives": "without positives",
    "all positives": "without negatives",
    "one sample": "with one sample",
}
_SWAPPED = "{name}, but the function takes its arguments in the other order: y_score, y_true"


@dataclass(frozen=True, eq=False)
class Aspect(Value):
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect : str
        What was examined, such as "ties".
    finding : str
        What the function does.
    agrees : bool
        Whether the definition does the same.
    y_true, y_score : list or None
        The smallest ranking that shows the difference; None if there is none.
    value, expected : float or None
        The values of the function, nan if it has none, and of the definition.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
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
    agrees: bool
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
    title : str
        The first line: what the function computes, and where it doesn't.
    ranks_by : str or None
        For scorers, the method whose values they rank by, and the positive class.
    n_rankings : int
        How many rankings were evaluated.
    n_equal : int
        The number of rankings for which the function returns the value of the definition.
    tools : tuple of str
        The tools of `PEERS` that are known to agree with the function in every aspect.
    rows : tuple of Aspect
        One row for each aspect, with `aspect`, `finding` and `agrees`. Where the function differs,
        `y_true`, `y_score`, `value` and `expected` are the smallest ranking that shows it.
    notes : tuple of str
        The warnings of the function, and what was not tried.

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
    title: str
    ranks_by: str | None
    n_rankings: int
    n_equal: int
    tools: tuple[str, ...]
    rows: tuple[Aspect, ...]
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the function is that definition in every aspect."""
        return self.definition is not None and all(row.agrees for row in self.rows)

    def __str__(self) -> str:
        """Show what differs, first whatever makes all else unclear."""
        rows = sorted(self.rows, key=lambda row: row.aspect not in SOUND)
        differing = [(row.finding, f"  {row.aspect}") for row in rows if not row.agrees]
        lines = [paragraph(self.title)]
        in_title = EDGES if ", except " in self.title else ()
        if not self.title.startswith(_SAY_ALL) and any(
            not row.agrees and row.aspect not in in_title for row in rows
        ):
            lines.append(as_paragraphs(("aspect", "finding"), differing[:_MOST_ROWS]))
            below = f"Nothing differs in {count_of(len(rows) - len(differing), 'aspects')}"
            if len(differing) > _MOST_ROWS:
                below += f", and something does in {len(differing) - _MOST_ROWS} more"
            lines.append(f"{below}: see `rows`.")
        return "\n".join([*lines, *map(paragraph, self._below())])

    def _below(self) -> list[str]:
        tools = [f"Tools that do the same: {few_tools(self.tools, 'tools')}."] if self.tools else []
        return [*tools, *self.notes]

    def _printed(self) -> Printed:
        rows = [(row.aspect, row.finding) for row in self.rows]
        return Printed(("aspect", "finding"), [("", "", rows)], self.title, self._below())

    def _as_dict(self) -> dict[str, Any]:
        return {"definition": self.definition, "agrees": self.agrees} | asdict(self)

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]


# --- the definition ------------------------------------------------------------------------------


class _Values:
    """What the function returned for some rankings, which are the groups of one data set."""

    def __init__(self, calls: Sequence[Call], tolerance: float) -> None:
        sizes = [call.labels.size for call in calls]
        weights = [call.weights for call in calls if call.weights is not None]
        rankings = Rankings(
            labels=np.concatenate([call.labels for call in calls]).astype(bool),
            scores=np.concatenate([call.scores for call in calls]).astype(float),
            weight=np.concatenate(weights).astype(float) if weights else None,
            average="macro",
            group=np.repeat(np.arange(len(calls)), sizes),
            names=range(len(calls)),
        )
        self.sample = DataSet(rankings, every_row=None)
        self.values = np.array([call.value for call in calls])
        self.tolerance = tolerance

    def expected(self, definition: Variant) -> Array:
        """Return the value of a definition for each ranking."""
        values, _ = definition.values(self.sample)
        expected: Array = values[0]
        return expected

    def are(self, variant: Variant) -> Array:
        """Whether each value is that of a variant, or between its values over orders of ties."""
        values, _ = variant.values(self.sample)
        if len(values) == 1:
            return _are_equal(self.values, values[0], self.tolerance)
        _, low, high = values
        is_high_enough = low - self.tolerance <= self.values
        return np.asarray(is_high_enough & (self.values <= high + self.tolerance))

    def rarities(self) -> dict[Variant, int]:
        """Return what a function of one ranking may compute, with how rare that is."""
        tied = Variant(DavisGoadrich())  # which is linear without ties
        return {tied: tied.rarity} | {
            variant: candidate.rarity + 2 * (variant.rule in _OF_FIRST)
            for variant, candidate in candidates(self.sample, _KS).items()
            if variant.slip not in _OF_GROUPS and variant.average != "weighted"
        }

    def most_alike(self, all_values: _Values) -> Variant | None:
        """Return the definition that equals most of these values, and of several that of all.

        Of those that equal as many, it's the least rare. Return None if it equals fewer than half.
        """
        rarities = self.rarities()
        n_equal = {variant: int(np.count_nonzero(self.are(variant))) for variant in rarities}
        most = max(n_equal.values())
        if 2 * most < self.values.size:
            return None
        best = [variant for variant in rarities if n_equal[variant] == most]
        if len(best) > 1:
            n_equal = {each: int(np.count_nonzero(all_values.are(each))) for each in best}
        return min(best, key=lambda variant: (-n_equal[variant], rarities[variant]))

    def order_of_ties(self, definition: Variant) -> Order | None:
        """Return how the function ranks tied samples; None if no order has its values."""
        for order in _ORDERS:
            if order is Order.EXPECTED and not isinstance(definition.rule, Step | AtK):
                continue
            with suppress(NotImplementedError):  # a few rules have no range over all orders
                if self.are(replace(definition, order=order)).all():
                    return order
        return None

    def tools(self, cut: Cut | None, order: Order | None) -> list[Peer]:
        """Return the tools that are known to return these values."""
        tools: list[Peer] = []
        for report, peers in tools_at_cut(reports_on(self.sample), cut, self.sample).items():
            if report.slip in _OF_GROUPS:
                continue
            if report.order is Order.BY_ID:
                report = replace(report, order=ASSUMED[report.order])
            elif report.order is Order.OPEN:  # which a caller decides, but nobody else knows
                peers = [peer for peer in peers if peer.ties in _ORDERS_OF_CALLERS]
                if order not in _ONE_BY_ONE:
                    continue
                report = replace(report, order=order)
            if peers and self.are(report).all():
                tools += peers
        return tools


def _are_equal(values: Array, expected: Array | float, tolerance: float) -> Array:
    with np.errstate(invalid="ignore"):  # of infinities
        is_near: Array = np.abs(values - expected) <= tolerance
    is_near |= values == expected
    return is_near | (np.isnan(values) & np.isnan(expected))


def _variant_name(variant: Variant) -> str:
    return variant.name.replace(f"@{100 * _ALL_ROWS:g}%", "@n")


def _title_of(variant: Variant) -> str:
    return "step average precision" if variant.name == "step" else _variant_name(variant)


class _Recognized:
    """The definition that a function computes, and what it does instead, in a sentence."""

    def __init__(self, trials: CallLog, tolerance: float) -> None:
        self.trials, self.tolerance = trials, tolerance
        self.untied = [call for call in trials.calls if call.aspect == "values"]
        self.decisive = [call for call in trials.calls if call.aspect == "many samples"]
        self.decisive += self.untied
        self.definition: Variant | None = None  # None if there is none
        self.sentence = self._nothing_ranked()  # empty if it computes the definition, or another
        if self.sentence or not self.untied:
            return
        plain = [call for call in trials.calls if call.aspect in (*WITH_BOTH, *EDGES)]
        self.definition = self.of(self.untied).most_alike(self.of(plain))
        if self.definition is not None and self.of(self.decisive).are(self.definition).all():
            return
        for words, variant in self._mistakes():
            self.sentence = _sentence_for(words, variant)
            if self.definition is not None:
                self.definition = variant
            return

    def of(self, calls: Sequence[Call], tolerance: float = 0.0) -> _Values:
        return _Values(calls, tolerance or self.tolerance)

    def _nothing_ranked(self) -> str:
        """Say that the function always fails, or always returns one value."""
        calls = self.trials.calls
        sentence = ""
        returned = {call.returned for call in self.untied}
        if calls and all(call.returned == "an error" for call in calls):
            [(error, _)] = Counter(call.error for call in calls).most_common(1)
            sentence = f"{_FAILS}{error}"
        elif len(returned) == 1 and len(self.untied) > 1:
            sentence = f"Not a metric: every ranking without ties gives {returned.pop()}"
        if sentence:
            for words, variant in self._swapped():
                return _sentence_for(words, variant)
        return sentence

    @cached_property
    def few(self) -> list[Call]:
        return self.untied[:: -(-len(self.untied) // _N_FOR_MISTAKES)]

    @cached_property
    def variants(self) -> list[Variant]:
        """What a mistake may be made with, the least rare first."""
        rarities = self.of(self.few).rarities()
        return [
            variant
            for variant in sorted(rarities, key=lambda variant: rarities[variant])
            if variant.is_average_precision or isinstance(variant.rule, PrecisionAtK)
            if variant.slip is Slip.NONE and variant.reading is Reading.EXACT
        ]

    def _mistakes(self) -> Iterator[tuple[str, Variant]]:
        """Yield mistakes with which all rankings without ties have the value of a definition."""
        yield from self._mistakes_of_many()
        values = np.array([call.value for call in self.decisive])
        for words, tolerance in roundings(values):
            yield from self._if_all(words, lambda call: call, tolerance)
        yield from self._swapped()
        for words, change in MISTAKES.items():
            yield from self._if_all(words, change)
        others = [
            call._replace(labels=1 - call.labels, scores=-call.scores) for call in self.decisive
        ]
        one, other = self.of(self.decisive), self.of(others)
        for variant in map(Variant, _AREAS):
            mean = (one.expected(variant) + other.expected(variant)) / 2
            if _are_equal(one.values, mean, self.tolerance).all():
                yield "The mean of {name} over both classes", variant
        yield from self._if_all(
            f"{{name}}, but values are off by up to {_OFF}", lambda call: call, _OFF
        )

    def _if_all(
        self, words: str, change: OtherCall, tolerance: float = 0.0
    ) -> Iterator[tuple[str, Variant]]:
        """Yield the definitions that equal all rankings after a change."""
        changed = self.of([*map(change, self.few)], tolerance)
        alike = [variant for variant in self.variants if changed.are(variant).all()]
        if alike:
            changed = self.of([*map(change, self.decisive)], tolerance)
            yield from ((words, variant) for variant in alike if changed.are(variant).all())

    def _mistakes_of_many(self) -> Iterator[tuple[str, Variant]]:
        """Yield what changes with the number of rows, if there is a definition for few of them."""
        if self.definition is None:
            return
        for words, change in IN_BLOCKS.items():
            if self.of([*map(change, self.decisive)]).are(self.definition).all():
                yield words, self.definition
        many = [call for call in self.decisive if call.aspect == "many samples"]
        if many and self.of(self.untied).are(self.definition).all():
            for words, change in MISTAKES.items():
                if self.of([*map(change, many)]).are(self.definition).all():
                    yield f"{words}, with 2,000 samples or more", self.definition

    def _swapped(self) -> Iterator[tuple[str, Variant]]:
        """Yield that the function takes the scores first."""
        swapped = []
        for call in self.few:
            if not self.trials.has_time(call.labels.size):
                return
            value = self.trials.call(call.aspect, call.scores, call.labels).value
            swapped.append(call._replace(value=value))
        values = self.of(swapped)
        if np.unique(values.values).size > 1:
            yield from ((_SWAPPED, each) for each in self.variants if values.are(each).all())


def _sentence_for(words: str, variant: Variant) -> str:
    """Put the name of a definition into the words of a mistake."""
    text = words.format(name=_title_of(variant))
    return f"{text[0].upper()}{text[1:]}"


# --- what differs --------------------------------------------------------------------------------


class _Findings:
    """What a function did, compared with a definition."""

    def __init__(self, trials: CallLog, definition: Variant, tolerance: float) -> None:
        self.trials, self.calls = trials, trials.calls
        self.definition, self.tolerance = definition, tolerance
        # All arrays have one entry for each call.
        self.values = np.array([call.value for call in self.calls])
        original = np.array([call.original for call in self.calls], dtype=int)
        is_original = original == np.arange(original.size)
        expected = np.full(original.size, nan)
        expected[is_original] = self.of(np.flatnonzero(is_original)).expected(definition)
        self.expected = expected[original]
        self.is_equal = _are_equal(self.values, self.expected, tolerance)
        self.is_as_before = _are_equal(self.values, self.values[original], tolerance)
        tied = self.about("ties", "order of rows")
        self.order = self.of(tied).order_of_ties(definition) if tied else Order.GROUPED
        self.is_single = self._leave_out_what_single_precision_ties()
        self.reading = self._reading()
        self.instead: dict[str, str] = {}  # what is returned, by the aspect that differs
        self.rows = tuple(map(self._row, ASPECTS))

    def about(self, *aspects: str) -> list[int]:
        """Return the numbers of the calls about some aspects."""
        return [i for i, call in enumerate(self.calls) if call.aspect in aspects]

    def of(self, places: Iterable[int]) -> _Values:
        return _Values([self.calls[i] for i in places], self.tolerance)

    @property
    def differing(self) -> list[Aspect]:
        return [row for row in self.rows if not row.agrees]

    @property
    def counts(self) -> tuple[int, int]:
        """The number of rankings, and of those with the value of the definition."""
        is_ranking = np.array([call.aspect != "repeated calls" for call in self.calls], dtype=bool)
        return int(is_ranking.sum()), int(np.count_nonzero(self.is_equal & is_ranking))

    def _row(self, aspect: str) -> Aspect:
        """Say what differs in an aspect, with the smallest ranking that shows it."""
        if aspect == "weights":
            return self._row_of_weights()
        if aspect in self.trials.left_out:
            return Aspect(aspect, "not tried", True)
        tried = self.about(aspect)
        is_right = self.is_as_before if aspect in FORMS else self.is_equal
        differing = [i for i in tried if not is_right[i]]
        if aspect == "arguments changed":
            tried = [*range(len(self.calls))]
            differing = [i for i in tried if self.calls[i].changed]
        if not differing:
            return self._row_if_alike(aspect, len(tried))
        counts = f" ({len(differing):,} of {len(tried):,} rankings)" if len(tried) > 1 else ""
        only_with_ties = all(
            self.calls[self.calls[i].original].aspect != "values" for i in differing
        )
        if aspect == "ties":  # constant scores are tied, too
            differing += [i for i in self.about("constant scores") if not self.is_equal[i]]

        smallest = min(differing, key=lambda i: (self.is_equal[i], self.calls[i].labels.size))
        call, expected = self.calls[smallest], float(self.expected[smallest])
        instead_of = six_digits(expected)
        if aspect in FORMS:
            instead_of = self.calls[call.original].returned
        if call.original == smallest and call.labels.size > MOST_UNTIED and not call.changed:
            call, expected = self._shrunk(call, expected)
            instead_of = six_digits(expected)
        self.instead[aspect] = f"{call.returned} instead of {instead_of}{call.error}"
        finding = f"{call.ranking} gives {self.instead[aspect]}"
        if aspect == "arguments changed":
            finding = f"{call.changed} of {call.ranking}"
        elif aspect == "order of rows":
            finding = f"matters{' with ties only' if only_with_ties else ''}: {finding}"
        elif aspect == "ties" and self.order in _ORDERS[1:]:
            finding = f"{self._of_ties}: {finding}"
        y_true, y_score = call.labels.tolist(), call.scores.tolist()
        if self.reading and aspect in OF_SCORES:
            finding += f", as if scores were read {self.reading}"
        finding += counts
        return Aspect(aspect, finding, False, y_true, y_score, call.value, expected)

    @property
    def _ordered(self) -> Variant:
        """The definition with the order in which the function ranks ties, if that is known."""
        return replace(self.definition, order=self.order or Order.GROUPED)

    def _leave_out_what_single_precision_ties(self) -> bool:
        """Whether the function reads scores as float32, which can't tell all shifted ones apart."""
        differing = [i for i in self.about("shifted") if not self.is_as_before[i]]
        is_plain = self.definition.reading is Reading.EXACT and self.definition.slip is Slip.NONE
        if not is_plain or self.order in (None, Order.OPEN):
            return False
        single = replace(self._ordered, reading=Reading.SINGLE)
        if not differing or not self.of(differing).are(single).all():
            return False
        self.is_as_before[differing] = self.is_equal[differing] = True
        return True

    def _reading(self) -> str:
        """Say how the function seems to read scores of other forms; empty if that isn't known."""
        if not self.is_as_before[self.about("repeated calls")].all():
            return ""  # what differs in another form may differ in the same one, too
        places = self.about(*OF_SCORES, "values", "many samples")
        calls = [self.calls[i] for i in places]
        if self.definition.reading is not Reading.EXACT or self.definition.slip is not Slip.NONE:
            return ""
        for words, reading in READINGS.items() if not self.is_as_before[places].all() else ():
            read = [reading(call) for call in calls]
            with suppress(NotImplementedError):  # as in order_of_ties
                if _Values(read, self.tolerance).are(self._ordered).all():
                    return words
        return ""

    def _row_if_alike(self, aspect: str, n_tried: int) -> Aspect:
        """Return the row of an aspect in which no ranking differs."""
        if self.trials.skipped[aspect] and (aspect == "many samples" or not n_tried):
            most = max(self.trials.seconds)
            seconds = self.trials.seconds[most]
            words = f"not tried with more than {most:,} samples, which take {seconds:.2g} s"
            return Aspect(aspect, words, True)
        words = "nothing differs" if n_tried else "not tried"
        if aspect == "shifted" and self.is_single:
            words = f"{words} but scores that are equal as float32"
        return Aspect(aspect, words, True)

    def _row_of_weights(self) -> Aspect:
        """Compare weighted values with those of a definition that is an area."""
        calls = self.trials.weighted
        if not calls or not isinstance(self.definition.rule, AreaRule):
            return Aspect("weights", "not tried", True)
        if all(call.error for call in calls):
            return Aspect("weights", f"refused{calls[0].error}", True)
        values = _Values(calls, self.tolerance)
        expected = values.expected(self.definition)
        is_right = _are_equal(values.values, expected, self.tolerance)
        if is_right.all():
            return Aspect("weights", "nothing differs", True)
        words = ""
        for meaning, change in _OF_WEIGHTS.items():
            others = [call._replace(weights=change(call.labels, call.weights)) for call in calls]
            if _Values(others, self.tolerance).are(self.definition).all():
                words = meaning
        smallest = int(np.argmin(is_right))  # which are from the smallest to the largest
        call, of_definition = calls[smallest], float(expected[smallest])
        weights = ", ".join(map(str, np.asarray(call.weights).tolist()[:10]))
        self.instead["weights"] = (
            f"{words}{call.returned} instead of {six_digits(of_definition)}{call.error}"
        )
        finding = f"{call.ranking} with weights {weights} gives {self.instead['weights']}"
        y_true, y_score = call.labels.tolist(), call.scores.tolist()
        return Aspect("weights", finding, False, y_true, y_score, call.value, of_definition)

    def _shrunk(self, call: Call, expected: float) -> tuple[Call, float]:
        """Leave out samples as long as the function still differs, in the same aspect.

        Return the last call, and the value that is expected for it.
        """
        aspect = aspect_of(call.labels, call.scores)
        n_left_out = call.labels.size // 2  # samples at a time, from each start
        while n_left_out:
            start = 0
            while start < call.labels.size and self.trials.n_called < MOST_CALLS:
                left_out = np.s_[start : start + n_left_out]
                labels, scores = np.delete(call.labels, left_out), np.delete(call.scores, left_out)
                if not labels.size or aspect_of(labels, scores) != aspect:
                    start += n_left_out
                    continue
                if not self.trials.has_time(labels.size):
                    return call, expected
                smaller_call = self.trials.call(call.aspect, labels, scores)
                values = _Values([smaller_call], self.tolerance)
                if values.are(self.definition).all():
                    start += n_left_out
                else:  # the next samples are at the same place now
                    call, expected = smaller_call, float(values.expected(self.definition)[0])
            n_left_out //= 2
        return call, expected

    def tools(self) -> tuple[str, ...]:
        """Name the tools that are known to do the same as the function in every aspect."""
        with_both, forms = self.about(*WITH_BOTH), self.about(*FORMS)
        aspects = {row.aspect for row in self.differing}
        has_errors = any(self.calls[i].returned == "an error" for i in with_both + forms)
        if aspects & {"many samples", *SOUND} or has_errors:
            return ()
        tools = self.of(with_both + forms).tools(self.definition.rule.depth, self.order)
        for aspect in EDGES:
            calls = self.about(aspect)
            values, expected = self.values[calls], self.expected[calls]
            n_errors = sum(self.calls[i].returned == "an error" for i in calls)
            tools = [
                peer
                for peer in tools
                if _are_equal(values, value_without(peer, aspect, expected), self.tolerance).all()
                and n_errors in (0, len(calls))
                and (not n_errors or peer.no_positives.startswith("an error"))
            ]
        return tuple(filter(None, credit(self.definition, tools).split("; ")))

    def title(self, recognized: _Recognized) -> str:
        """Say what the function computes, and whether it always does."""
        n_rankings, n_equal = self.counts
        counts = f"{n_equal:,} of {n_rankings:,} rankings"
        if recognized.sentence:
            return f"{recognized.sentence.rstrip('.')}."
        if recognized.definition is None:
            return f"None of the definitions that are known here. It equals step on {counts}."
        name = _title_of(recognized.definition)
        if self.is_single:
            name += Reading.SINGLE.value
        start = f"{name[0].upper()}{name[1:]}"
        aspects = {row.aspect for row in self.differing}
        if self.reading and aspects <= {*OF_SCORES}:
            return f"{start}, but the function reads scores {self.reading}."
        exceptions = [
            f"{words}: {self.instead[aspect]}"
            for aspect, words in _EDGES_IN_WORDS.items()
            if aspect in aspects
        ]
        if "values" not in aspects and "repeated calls" in aspects:
            exceptions.append("that it changes from call to call")
        elif "ties" in aspects and self.order in _ORDERS[1:]:
            exceptions.append(f"with ties: {self._of_ties}")
        if "weights" in aspects:
            exceptions.append(f"with weights: {self.instead['weights']}")
        if "arguments changed" in aspects:
            exceptions.append("that it changes its arguments")
        if exceptions and aspects <= {*EDGES, *_OF_TIES, "weights", "arguments changed"}:
            return f"{start}, except {', and '.join(exceptions)}."
        if n_equal < n_rankings:
            name = f'"{name}"' if "," in name else name
            return f"Like {name}, but not always the same: {counts}."
        if not aspects:
            return f"{start}, always: {counts}."
        return f"{start} on all {n_rankings:,} rankings, but not in every aspect."

    @property
    def _of_ties(self) -> str:
        """How the function ranks tied samples, in words, without what that means for a row."""
        assert self.order is not None
        return TERMS[self.order.value.removeprefix(", ")].partition(", so")[0]


def _audited(trials: CallLog, tolerance: float) -> Audit:
    """Compare what the function did with the definition that is most alike, or else with step.

    A function that ranks by anything but its scores, as the title says, doesn't compute what it
    should, so its rows say where it differs from the definition for the scores.
    """
    recognized = _Recognized(trials, tolerance)
    definition = recognized.definition
    findings = _Findings(trials, definition or Variant(Step()), tolerance)
    title = findings.title(recognized)
    tools = () if definition is None else findings.tools()
    if definition is not None and definition.meant != definition:
        findings = _Findings(trials, definition.meant, tolerance)
    n_rankings, n_equal = findings.counts
    return Audit(
        definition=None if definition is None else _variant_name(definition),
        title=title,
        ranks_by=None,
        n_rankings=n_rankings,
        n_equal=n_equal,
        tools=tools,
        rows=findings.rows,
        notes=tuple(trials.notes()),
    )


# --- scorers -------------------------------------------------------------------------------------


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
    'decision_function, for the class 1'
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
    def agrees(self) -> bool:
        """Whether there is nothing to mend."""
        return not self.changes and all(
            each.agrees or each.title.startswith(_NO_AVERAGE) for each in self.audits.values()
        )

    def __str__(self) -> str:
        width = max(map(len, self.audits)) + 1
        lines = [f"{f'{name}:':<{width}} {each.title}" for name, each in self.audits.items()]
        texts = [*lines, *map(str, self.changes)]
        return "\n".join(fill(text, WIDTH, subsequent_indent="    ") for text in texts)

    def _printed(self) -> Printed:
        rows = [(name, each.title) for name, each in self.audits.items()]
        return Printed(("scorer", "finding"), [("", "", rows)], "", [*map(str, self.changes)])

    def _as_dict(self) -> dict[str, Any]:
        audits = {name: each._as_dict() for name, each in self.audits.items()}
        in_company = [change._asdict() for change in self.changes]
        return {"agrees": self.agrees, "audits": audits, "changes": in_company}

    def _rows(self) -> list[dict[str, Any]]:
        fields = ("title", "definition", "agrees", "ranks_by")
        return [
            {"scorer": name} | {field: getattr(each, field) for field in fields}
            for name, each in self.audits.items()
        ]


def _trials_of(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[CallLog, Setting, list[str]]:
    """Call a scorer, in the setting whose positive class it ranks by.

    Return the setting and the methods that the scorer calls, too.
    """

    def rarity(setting: Setting) -> int:
        trials = CallLog(partial(setting.call, scorer), random_state)
        random = (random_ranking(20, False, trials.rng) for _ in range(_N_FOR_MISTAKES))
        trials.try_rankings(trials.shuffled(*ranking) for ranking in random)
        values = _Values(trials.calls, tolerance)
        definition = values.most_alike(values)
        return 9 if definition is None else definition.rarity

    last = Setting(max(setting), min(setting))  # the class that scikit-learn takes by default
    setting = min(last, last.turned, key=rarity)
    _, methods, _ = setting.try_once(scorer)
    left_out = _NOT_OF_PROBABILITIES if "predict_proba" in methods else ()
    if setting.try_once(scorer, np.arange(4))[0] is None:  # it refuses labels as scores
        left_out = (*left_out, "integers")
    trials = CallLog(partial(setting.call, scorer), random_state, left_out)
    return trials.try_all(), setting, methods


def _title_of_scorer(scorer: Scorer, audited: Audit, methods: list[str], ranks_by: str) -> str:
    definition, values = audited.definition or "", audited.rows[0]
    is_error = audited.title.startswith(_FAILS)
    if methods == ["predict"] and (is_error or definition.startswith(_OF_LABELS)):
        found = values.finding.rpartition(" (")[0] or values.finding  # without counts
        if is_error:
            found = f"every call fails{audited.title.removeprefix(_FAILS).rstrip('.')}"
        return (
            f"Ranks by predict, so by labels instead of scores: {found}. Pass "
            'response_method=("decision_function", "predict_proba").'
        )
    if audited.definition is None and is_of_sklearn(scorer) and not is_error:
        return f"{_NO_AVERAGE}; it ranks by {ranks_by}."
    if definition.startswith(RocArea.term):
        return f"ROC AUC isn't average precision; it ranks by {ranks_by}."
    if is_error:
        return f"{audited.title} {_GIVEN}"
    if definition.endswith("scores negated") and methods == ["predict_proba"]:
        column = f"the column of {ranks_by.replace(',', '')}"
        return f"{audited.title} Take {column}, not the other one."
    name, is_always, _ = audited.title.partition(", always: ")
    return f"{name}, by {ranks_by}." if is_always else f"{audited.title} It ranks by {ranks_by}."


def _audited_scoring(
    scorers: dict[str, Scorer], tolerance: float, random_state: Any
) -> Audit | ScoringAudit:
    settings = settings_for(scorers)
    audits, positives = {}, {}
    for name, scorer in scorers.items():
        trials, setting, methods = _trials_of(scorer, settings[0], tolerance, random_state)
        audited = _audited(trials, tolerance)
        ranks_by = f"{' and '.join(methods)}, for the class {setting.positive!r}"
        title = _title_of_scorer(scorer, audited, methods, ranks_by)
        known = ranks_by if methods else None
        audits[name] = replace(audited, title=title, ranks_by=known, tools=())
        positives[name] = setting.positive
    if [*audits] == [""]:
        return audits[""]
    return ScoringAudit(
        (*audits,), (*audits.values(),), tuple(changes(scorers, settings, positives))
    )


# --- public functions ----------------------------------------------------------------------------


@public()
def audit(function: Any, *, tolerance: float = 1e-6, random_state: Any = 0) -> Audit | ScoringAudit:
    """Find out which definition of average precision a function computes, and where they differ.

    The function is called as ``function(y_true, y_score)`` with about 1,100 rankings: all labels
    and ties of up to five samples, and random ones of up to 20,000, with their rows in an order
    that is far from sorted. Its values are compared with the values of each definition, and with
    each other, for example after shuffling the rows. Each difference is shown on the smallest
    ranking that has it.

    Scorers are called with an estimator that ranks by these scores, to find out by which of its
    methods, and for which class, they rank. Several are also called together, as scikit-learn does,
    to find out which values that changes.

    Parameters
    ----------
    function : callable, str, list, dict or array
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda. Or pass what you pass as
        `scoring` in scikit-learn: a scorer, its name, or a list or dict of these. Or pass the
        values that a program returned for :func:`rankings`: in order, or a dict by their numbers.
    tolerance : float, default=1e-6
        How far apart equal values can be. The default is enough for sums in single precision.
    random_state : int, Generator or RandomState instance, default=0
        The seed of the random rankings.

    Returns
    -------
    audit : Audit or ScoringAudit
        It prints as text. `definition` is the definition that the function computes, `agrees` says
        whether it always does, and `rows` has what was found about each aspect. `ranks_by` says
        what a scorer ranks by. Of several scorers, `audits` has the audit of each, and `changes`
        what changes in company.

    See Also
    --------
    check_metric : Test that a function computes a metric.
    rankings : Let a program in another language compute the values.
    identify : Find the definition behind a reported value.

    Examples
    --------
    This is a common implementation. It is wrong if samples are tied:

    >>> import numpy as np
    >>> from sklearn_ap.compat import audit
    >>> def mean_precision(y_true, y_score):
    ...     hits = y_true[np.argsort(-y_score, kind="stable")] == 1
    ...     precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    ...     return precision[hits].mean() if hits.any() else 0.0
    >>> result = audit(mean_precision)
    >>> result.definition, result.agrees
    ('step', False)
    >>> [row.aspect for row in result.rows if not row.agrees]
    ['ties', 'order of rows', 'constant scores']
    >>> print(result.rows[1].finding.partition(": ")[2])
    [1, 0] with equal scores gives 1.0 instead of 0.5 (432 of 641 rankings)

    Pass a function with a cutoff, or with groups, as a lambda:

    >>> from sklearn_ap import (
    ...     average_precision_at_k_score,
    ...     mean_average_precision_score,
    ... )
    >>> audit(lambda y, s: average_precision_at_k_score(y, s, k=5)).definition
    'AP@5 / min'
    >>> audit(
    ...     lambda y, s: mean_average_precision_score(y, s, groups=0 * y)
    ... ).definition
    'step'

    This scorer ranks by hard labels, for want of `response_method`:

    >>> from sklearn.metrics import average_precision_score, make_scorer
    >>> audit(make_scorer(average_precision_score)).ranks_by
    'predict, for the class 1'
    """
    scorers = scorers_of(function)
    if scorers is None:
        return _audited(calls_of(function, random_state), tolerance)
    return _audited_scoring(scorers, tolerance, random_state)


@public()
def check_metric(
    function: Any,
    metric: str | Metric = "average_precision",
    *,
    tolerance: float = 1e-6,
    random_state: Any = 0,
) -> None:
    """Raise an AssertionError unless a function computes a metric, for your project's tests.

    It calls the function with the rankings of :func:`audit`.

    Parameters
    ----------
    function : callable, str, list, dict or array
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda. Or a scorer, or its name in
        scikit-learn, or the values that a program returned for :func:`rankings`.
    metric : str or Metric, default='average_precision'
        The metric that the function should compute: a name, or an object made by
        :func:`sklearn_ap.metric`, such as ``ap.metric("AP", zero_division=nan)`` if the function
        should raise an error or return nan without positives.
    tolerance : float, default=1e-6
        How far apart equal values can be. The default is enough for sums in single precision.
    random_state : int, Generator or RandomState instance, default=0
        The seed of the random rankings.

    Returns
    -------
    None
        If nothing differs.

    Raises
    ------
    AssertionError
        With the smallest ranking on which the function differs, and what :func:`audit` says.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compat import check_metric
    >>> check_metric(average_precision_score)
    """
    __tracebackhide__ = True  # so that pytest's traceback begins and ends in the caller's test
    if not isinstance(metric, Metric):
        metric = metric_of(metric, {}, "check_metric", "metric")
    check_no_function("check_metric", metric)
    options = {*metric.all_options} & {*OF_DATA} - {"zero_division"}
    if metric.grouped or options:
        what = " and ".join(sorted(options)) or "groups"
        raise ValueError(
            f"check_metric calls the function with one ranking of labels 0 and 1, and {metric!r} "
            f"is a metric with {what}. Pass the metric of one such ranking, such as 'AP' for 'MAP'."
        )
    empty = metric.options.get("zero_division", "warn")
    if empty == "warn":
        empty = 0.0
    elif isnan(empty):
        empty = None  # as variants call it
    scorers = scorers_of(function)
    if scorers is None:
        trials = calls_of(function, random_state)
    elif len(scorers) == 1:
        [scorer] = scorers.values()
        trials, *_ = _trials_of(scorer, settings_for(scorers)[0], tolerance, random_state)
    else:
        raise ValueError(
            f"function has {len(scorers)} scorers, and check_metric takes one. Write: assert "
            "sklearn_ap.compat.audit(scoring).agrees"
        )
    findings = _Findings(trials, Variant(metric.rule, empty=empty), tolerance)
    differing = [row for row in findings.differing if row.y_true is not None]
    if not differing:
        return
    row = min(differing, key=lambda row: len(row.y_true or ()))
    y_true, y_score = _list_in_words(row.y_true), _list_in_words(row.y_score)
    n_rankings, n_equal = findings.counts
    audited = _audited(trials, tolerance)
    compared = replace(
        audited,
        rows=findings.rows,
        tools=(),
        title=f"It equals {plain_name(metric)} on {n_equal:,} of {n_rankings:,} rankings.",
    )
    name = "It" if are_values(function) else getattr(function, "__name__", function)
    raise AssertionError(
        f"{name} isn't {plain_name(metric)}:\n\n"
        f"y_true = {y_true}\ny_score = {y_score}\nvalue: {row.value}\nexpected: {row.expected}\n"
        f"{row.aspect}: {row.finding}\n\n{compared}\n\n"
        + paragraph(f"What it computes: {audited.title}")
    )


def _list_in_words(values: Any) -> str:
    return repr(values) if len(values) <= 200 else f"{values[:20]!r}..."
