"""Find out which definition a function computes, and where it differs from that definition."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import isnan, nan
from textwrap import shorten
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np

from .._enter.entry import public
from .._enter.metric import Metric, check_no_function, plain_name
from .._infer.requests import seed_of
from .._show.results import Printed, Result, Value, as_paragraphs, paragraph
from .._words.inputs import OF_DATA
from .._words.messages import count_of
from ..core.cutoff import Cut
from ..core.rankings import Rankings
from ..core.rules import AtK, Step
from ..core.within import Array
from ..metrics import metric_of
from .explanation import (
    PEERS,
    TERMS,
    Peer,
    credit,
    few_tools,
    reports_on,
    tools_at_cut,
    value_without,
)
from .identify import GUESSED_KS, candidates
from .sample import DataSet, Slip, Variant
from .variants import ASSUMED, Order

_MOST_TIED, _MOST_UNTIED = 5, 6  # samples, of which all rankings are tried
_N_RANDOM = 250
_LARGE = (2_000, 20_000)  # samples
_GRID = 2**20  # random scores are multiples of 1/_GRID, which are exact as float32
_SECONDS = 30.0
_MOST_CALLS = 1300
_N_FORMS = 20  # rankings in other forms, of which every second is also called again
_MOST_TEXT = 90  # characters of errors and warnings
_MOST_ROWS = 7  # that are printed

# The same ranking in another form, or again, which has the same value
_FORMS: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "order of rows": lambda labels, scores: (_interleaved(labels), _interleaved(scores)),
    "negative scores": lambda labels, scores: (labels, scores - 1),
    "shifted": lambda labels, scores: (labels, scores + 1e6),
    "scaled": lambda labels, scores: (labels, scores * 2.0**-40),
    "integers": lambda labels, scores: (labels, (scores * _GRID).astype(np.int64)),
    "float32": lambda labels, scores: (labels, scores.astype(np.float32)),
    "beyond [0, 1]": lambda labels, scores: (labels, 200 * scores - 100),
    "bool labels": lambda labels, scores: (labels.astype(bool), scores),
    "repeated calls": lambda labels, scores: (labels, scores),
}
_WITH_BOTH = ("values", "ties", "constant scores")  # labels
_EDGES = ("no positives", "all positives", "one sample")
_SOUND = ("arguments changed", "repeated calls")  # whatever the function computes
ASPECTS = (
    *("values", "ties", "order of rows", *_EDGES, "constant scores", "negative scores", "shifted"),
    *("scaled", "integers", "float32", "beyond [0, 1]", "many samples", "bool labels", *_SOUND),
)
_ONE_BY_ONE = (Order.BY_ROW, Order.LAST_ROW_FIRST, Order.OPEN)
_ORDERS = (Order.GROUPED, *_ONE_BY_ONE[:2], Order.EXPECTED, Order.BEST, Order.WORST, Order.OPEN)
_OF_GROUPS = (Slip.POOLED, Slip.HIGHEST_OF_GROUP, Slip.MEAN_OF_GROUP)  # each is a ranking here


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
    agrees : bool
        Whether the function is that definition in every aspect.
    n_rankings : int
        How many rankings were evaluated.
    n_equal : int
        The number of rankings for which the function returns the value of the definition.
    tools : tuple of str
        The tools of `PEERS` that agree with the function in every aspect.
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
    agrees: bool
    n_rankings: int
    n_equal: int
    tools: tuple[str, ...]
    rows: tuple[Aspect, ...]
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Which definition the function computes, and whether it always does."""
        counts = f"{self.n_equal:,} of {self.n_rankings:,} rankings"
        if self.definition is None:
            return f"None of the definitions that are known here. It equals step on {counts}."
        name = f'"{self.definition}"' if "," in self.definition else self.definition
        if name == "step":
            name = "step average precision"
        if self.n_equal < self.n_rankings:
            return f"Like {name}, but not always the same: {counts}."
        name = name[0].upper() + name[1:]
        if self.agrees:
            return f"{name}, always: {counts}."
        return f"{name} on all {self.n_rankings:,} rankings, but not in every aspect."

    def __str__(self) -> str:
        """Show what differs, first whatever makes all else unclear."""
        rows = sorted(self.rows, key=lambda row: row.aspect not in _SOUND)
        differing = [(row.finding, f"  {row.aspect}") for row in rows if not row.agrees]
        lines = [paragraph(self.title)]
        if differing:
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
        return asdict(self)

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]


# --- the rankings --------------------------------------------------------------------------------


def _small_rankings() -> Iterator[tuple[Array, Array]]:
    """Yield all labels with all patterns of ties, from the highest score down.

    The scores are multiples of 1/8, which are exact, from 7/8.
    """
    for size in range(1, _MOST_UNTIED + 1):
        falls = (1, 0) if size <= _MOST_TIED else (1,)  # by 1/8, or 0 for a tie
        for labels in product((0, 1), repeat=size):
            for falls_of_scores in product(falls, repeat=size - 1):
                yield np.array(labels), (7 - np.cumsum((0, *falls_of_scores))) / 8


def _random_ranking(size: int, is_tied: bool, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return a ranking with both labels, from the highest score down."""
    labels = (rng.random(size) < rng.choice([0.02, 0.1, 0.3, 0.7])).astype(np.int64)
    labels[rng.choice(size, 2, replace=False)] = 0, 1  # so that both are there
    scores = rng.choice(_GRID, size, replace=False)
    if is_tied:
        scores = rng.choice(scores[: rng.integers(3, size)], size)
    return labels, np.sort(scores)[::-1] / _GRID


def _interleaved(rows: Array) -> Array:
    """Move every second row to the front."""
    return np.concatenate((rows[1::2], rows[::2]))


def _aspect_of(labels: Array, scores: Array) -> str:
    """Return the aspect that a ranking is about."""
    n_scores = np.unique(scores).size
    if not labels.any():
        return "no positives"
    if labels.all():
        return "all positives" if labels.size > 1 else "one sample"
    if n_scores == 1:
        return "constant scores"
    return "values" if n_scores == labels.size else "ties"


# --- the function --------------------------------------------------------------------------------


class _Call(NamedTuple):
    """A ranking, and what the function did with it."""

    aspect: str
    labels: Array
    scores: Array
    original: int  # the number of the call with this ranking in its original form; its own if this
    value: float  # nan if it isn't a number
    returned: str  # what the function returned, in words
    error: str  # in words, after a colon; empty if there was none
    changed: str  # the arguments that the function has changed; empty if it hasn't

    @property
    def ranking(self) -> str:
        if self.labels.size > 10:
            return f"a ranking of {self.labels.size:,} samples"
        is_constant = np.unique(self.scores).size == 1 < self.labels.size
        return f"{self.labels.tolist()}{' with equal scores' if is_constant else ''}"


class _Tester:
    """A function with the calls of it, and with the warnings and the time that they took."""

    def __init__(self, function: Callable[[Array, Array], Any], random_state: Any) -> None:
        self.function = function
        self.calls: list[_Call] = []
        self.n_called = 0
        self.skipped: Counter[str] = Counter()  # rankings, by their aspect
        self.warnings: Counter[str] = Counter()
        self.began, self.until = perf_counter(), _SECONDS  # `until` counts from `began`
        self.largest, self.seconds = 1, 0.0  # samples of the largest ranking so far, and its time
        self.rng = np.random.default_rng(seed_of(random_state))

    def try_all(self) -> Self:
        """Call the function with the rankings of all aspects."""
        sizes = self.rng.integers(10, 201, _N_RANDOM).tolist()
        random = (_random_ranking(size, i % 2 == 1, self.rng) for i, size in enumerate(sizes))
        # Slow functions get to rankings of each kind.
        self.try_rankings(_small_rankings(), _SECONDS / 3)
        self.try_rankings(random, _SECONDS * 2 / 3)

        # The smallest rankings, and as many of the random ones, evenly from the largest one down
        with_both = [i for i, call in enumerate(self.calls) if call.aspect in _WITH_BOTH]
        by_size = sorted(with_both, key=lambda i: self.calls[i].labels.size)
        originals = by_size[: _N_FORMS // 2] + by_size[: -_N_RANDOM // 2 : -13]
        for aspect, change in _FORMS.items():
            every_second = 2 if aspect == "repeated calls" else 1
            for original in originals[::every_second]:
                call = self.calls[original]
                labels, scores = change(call.labels, call.scores)
                self.add(aspect, labels, scores, original)
        for size in _LARGE:
            labels, scores = _random_ranking(size, False, self.rng)
            self.add("many samples", labels, scores)
        return self

    def try_rankings(
        self, rankings: Iterable[tuple[Array, Array]], until: float = _SECONDS
    ) -> None:
        """Call the function with rankings as long as it ends in time."""
        self.until = until
        for labels, scores in rankings:
            self.add(_aspect_of(labels, scores), labels, scores)
        self.until = _SECONDS

    def has_time(self, size: int) -> bool:
        """Whether a call ends in time, if its time grows at most like the square of the size."""
        growth = max(size / self.largest, 1) ** 2
        return perf_counter() - self.began + self.seconds * growth <= self.until

    def add(self, aspect: str, labels: Array, scores: Array, original: int | None = None) -> None:
        """Call the function, unless that may take too long.

        `original` is the number of the call with this ranking in its original form; None if this is
        that form.
        """
        if not self.has_time(labels.size):
            self.skipped[aspect] += 1
            return
        if original is None:
            original = len(self.calls)
        self.calls.append(self.call(aspect, labels, scores, original))

    def call(self, aspect: str, labels: Array, scores: Array, original: int = 0) -> _Call:
        """Call the function with copies, and note how long it took and what it warned of."""
        self.n_called += 1
        y_true, y_score = labels.copy(), scores.copy()
        error = ""
        start = perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value, returned = _value_returned(self.function(y_true, y_score))
            except (Exception, SystemExit) as raised:  # which would end a test without a word
                value, returned = nan, "an error"
                error = shorten(f": {type(raised).__name__}: {raised}", _MOST_TEXT).rstrip(": ")
        if self.n_called == 1:  # which may import or compile something
            self.began = perf_counter()
        elif labels.size >= self.largest:
            self.largest, self.seconds = labels.size, perf_counter() - start
        # Each warning counts once for a call.
        self.warnings.update({f"{each.category.__name__}: {each.message}" for each in caught})
        pairs = {"y_true": (y_true, labels), "y_score": (y_score, scores)}
        changed = [name for name, pair in pairs.items() if not np.array_equal(*pair)]
        return _Call(
            aspect, labels, scores, original, value, returned, error, " and ".join(changed)
        )

    def notes(self) -> Iterator[str]:
        if self.warnings:
            text, n_calls = self.warnings.most_common(1)[0]
            n_more = len(self.warnings) - 1
            more = f", and {count_of(n_more, 'others')}" if n_more else ""
            yield f'In {n_calls:,} calls, the function warned "{shorten(text, _MOST_TEXT)}"{more}.'
        if self.skipped:
            n_skipped = self.skipped.total()
            rankings = "1 ranking was" if n_skipped == 1 else f"{n_skipped:,} rankings were"
            yield f"{rankings} not tried, to end within {_SECONDS:.0f} seconds."


def _value_returned(returned: Any) -> tuple[float, str]:
    """Return the value of what the function returned, and what that is in words."""
    if isinstance(returned, np.ndarray):
        if returned.size != 1:
            return nan, f"an array of shape {returned.shape}"
        returned = returned.reshape(())  # float() of it reads a masked value as nan
    try:
        value = float(returned)
    except (TypeError, ValueError):
        kind = type(returned).__name__
        return nan, "None" if returned is None else f"a value of type {kind}"
    return value, _six_digits(value)


def _six_digits(value: float) -> str:
    return repr(float(f"{value:.6g}"))


# --- the definition ------------------------------------------------------------------------------


class _Values:
    """What the function returned for some rankings, which are the groups of one data set."""

    def __init__(self, calls: Sequence[_Call], tolerance: float) -> None:
        sizes = [call.labels.size for call in calls]
        rankings = Rankings(
            labels=np.concatenate([call.labels for call in calls]).astype(bool),
            scores=np.concatenate([call.scores for call in calls]).astype(float),
            weight=None,
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

    def most_alike(self) -> Variant | None:
        """Return the definition that equals most values, the least rare one of several.

        Return None if it equals fewer than half of them.
        """
        best, most_equal, least_rarity = None, 0, 0
        cuts = [Cut(k) for k in GUESSED_KS]
        for variant, (rarity, _) in candidates(self.sample, cuts).items():
            if variant.slip in _OF_GROUPS or variant.average == "weighted":
                continue  # each group is a ranking of its own
            n_equal = int(np.count_nonzero(self.are(variant)))
            if n_equal > most_equal or (n_equal == most_equal > 0 and rarity < least_rarity):
                best, most_equal, least_rarity = variant, n_equal, rarity
        return best if 2 * most_equal >= self.values.size else None

    def order_of_ties(self, definition: Variant) -> Order | None:
        """Return how the function ranks tied samples; None if no order has its values."""
        for order in _ORDERS:
            if order is Order.EXPECTED and not isinstance(definition.rule, Step | AtK):
                continue
            with suppress(NotImplementedError):  # a few rules have no range over all orders
                if self.are(replace(definition, order=order)).all():
                    return order
        return None

    def tools(self, cut: Cut | None, order: Order | None) -> dict[Peer, bool]:
        """Tell for each tool whether it returns these values, if that is known."""
        is_same: dict[Peer, bool] = {}
        for report, peers in tools_at_cut(reports_on(self.sample), cut, self.sample).items():
            if report.order in ASSUMED:  # which any order of single samples may be
                assumed = order if order in _ONE_BY_ONE else ASSUMED[report.order]
                report = replace(report, order=assumed)
            if report.slip not in _OF_GROUPS:
                is_same |= dict.fromkeys(peers, bool(self.are(report).all()))
        return is_same


def _are_equal(values: Array, expected: Array | float, tolerance: float) -> Array:
    with np.errstate(invalid="ignore"):  # of infinities
        is_near: Array = np.abs(values - expected) <= tolerance
    is_near |= values == expected
    return is_near | (np.isnan(values) & np.isnan(expected))


# --- what differs --------------------------------------------------------------------------------


class _Findings:
    """What a function did, compared with a definition."""

    def __init__(self, tester: _Tester, definition: Variant, tolerance: float) -> None:
        self.tester, self.calls = tester, tester.calls
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
        self.rows = tuple(map(self._row, ASPECTS))

    def about(self, *aspects: str) -> list[int]:
        """Return the numbers of the calls about some aspects."""
        return [i for i, call in enumerate(self.calls) if call.aspect in aspects]

    def of(self, places: Iterable[int]) -> _Values:
        return _Values([self.calls[i] for i in places], self.tolerance)

    def _row(self, aspect: str) -> Aspect:
        """Say what differs in an aspect, with the smallest ranking that shows it."""
        tried = self.about(aspect)
        is_right = self.is_as_before if aspect in _FORMS else self.is_equal
        differing = [i for i in tried if not is_right[i]]
        if aspect == "arguments changed":
            differing = [i for i, call in enumerate(self.calls) if call.changed]
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
        instead_of = _six_digits(expected)
        if aspect in _FORMS:
            instead_of = self.calls[call.original].returned
        if call.original == smallest and call.labels.size > _MOST_UNTIED and not call.changed:
            call, expected = self._shrunk(call, expected)
            instead_of = _six_digits(expected)
        finding = f"{call.ranking} gives {call.returned} instead of {instead_of}{call.error}"
        if aspect == "arguments changed":
            finding = f"{call.changed} of {call.ranking}"
        elif aspect == "order of rows":
            finding = f"matters{' with ties only' if only_with_ties else ''}: {finding}"
        elif aspect == "ties" and self.order in _ORDERS[1:]:
            words = TERMS[self.order.value.removeprefix(", ")]  # and what that means for a row
            finding = f"{words.partition(', so')[0]}: {finding}"
        y_true, y_score = call.labels.tolist(), call.scores.tolist()
        return Aspect(aspect, finding + counts, False, y_true, y_score, call.value, expected)

    def _row_if_alike(self, aspect: str, n_tried: int) -> Aspect:
        """Return the row of an aspect in which no ranking differs."""
        if self.tester.skipped[aspect] and (aspect == "many samples" or not n_tried):
            words = (
                f"not tried with more than {self.tester.largest:,} samples, which take "
                f"{self.tester.seconds:.2g} s"
            )
            return Aspect(aspect, words, False)
        return Aspect(aspect, "nothing differs" if n_tried else "not tried", True)

    def _shrunk(self, call: _Call, expected: float) -> tuple[_Call, float]:
        """Leave out samples as long as the function still differs, in the same aspect.

        Return the last call, and the value that is expected for it.
        """
        aspect = _aspect_of(call.labels, call.scores)
        n_left_out = call.labels.size // 2  # samples at a time, from each start
        while n_left_out:
            start = 0
            while start < call.labels.size and self.tester.n_called < _MOST_CALLS:
                left_out = np.s_[start : start + n_left_out]
                labels, scores = np.delete(call.labels, left_out), np.delete(call.scores, left_out)
                if not labels.size or _aspect_of(labels, scores) != aspect:
                    start += n_left_out
                    continue
                if not self.tester.has_time(labels.size):
                    return call, expected
                smaller_call = self.tester.call(call.aspect, labels, scores)
                values = _Values([smaller_call], self.tolerance)
                if values.are(self.definition).all():
                    start += n_left_out
                else:  # the next samples are at the same place now
                    call, expected = smaller_call, float(values.expected(self.definition)[0])
            n_left_out //= 2
        return call, expected

    def tools(self) -> tuple[str, ...]:
        """Name the tools that do the same as the function in every aspect."""
        are_sound = all(
            row.agrees or row.y_true is None
            for row in self.rows
            if row.aspect in ("many samples", *_SOUND)
        )
        with_both, forms = self.about(*_WITH_BOTH), self.about(*_FORMS)
        has_errors = any(self.calls[i].returned == "an error" for i in with_both + forms)
        if not are_sound or has_errors:
            return ()
        tools: list[Peer] = [*PEERS]
        may_be_unknown = False
        for calls in (with_both, *map(self.about, _FORMS)):
            if calls:
                is_same = self.of(calls).tools(self.definition.rule.depth, self.order)
                tools = [peer for peer in tools if is_same.get(peer, may_be_unknown)]
            # Where it isn't known what a tool returns for other forms, it returns something else.
            may_be_unknown = not self.is_as_before[forms].all()
        for aspect in _EDGES:
            calls = self.about(aspect)
            values, expected = self.values[calls], self.expected[calls]
            tools = [
                peer
                for peer in tools
                if _are_equal(values, value_without(peer, aspect, expected), self.tolerance).all()
            ]
        return tuple(filter(None, credit(self.definition, tools).split("; ")))


def _audited(tester: _Tester, tolerance: float) -> Audit:
    """Compare what the function did with the definition that is most alike, or else with step."""
    untied = [call for call in tester.calls if call.aspect == "values"]
    definition = _Values(untied, tolerance).most_alike() if untied else None
    findings = _Findings(tester, definition or Variant(Step()), tolerance)
    is_ranking = [call.aspect != "repeated calls" for call in tester.calls]
    rows = findings.rows
    return Audit(
        definition=None if definition is None else definition.name,
        agrees=definition is not None and all(row.agrees for row in rows),
        n_rankings=sum(is_ranking),
        n_equal=int(np.count_nonzero(findings.is_equal & is_ranking)),
        tools=() if definition is None else findings.tools(),
        rows=rows,
        notes=tuple(tester.notes()),
    )


# --- public functions ----------------------------------------------------------------------------


@public()
def audit(
    function: Callable[[Array, Array], float], *, tolerance: float = 1e-6, random_state: Any = 0
) -> Audit:
    """Find out which definition of average precision a function computes, and where they differ.

    The function is called as ``function(y_true, y_score)`` with about 1,200 rankings: all labels
    and ties of up to five samples, and random ones of up to 20,000. Its values are compared with
    the values of each definition, and with each other, for example after shuffling the rows. Each
    difference is shown on the smallest ranking that has it.

    Parameters
    ----------
    function : callable
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda.
    tolerance : float, default=1e-6
        How far apart equal values can be. The default is enough for sums in single precision.
    random_state : int, Generator or RandomState instance, default=0
        The seed of the random rankings.

    Returns
    -------
    audit : Audit
        It prints as text. `definition` is the definition that the function computes, `agrees` says
        whether it always does, `rows` has what was found about each aspect, and `tools` names the
        tools that agree with the function in every aspect.

    See Also
    --------
    check_metric : Test that a function computes a metric.
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
    [1, 0] with equal scores gives 1.0 instead of 0.5 (439 of 641 rankings)

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
    """
    return _audited(_Tester(function, random_state).try_all(), tolerance)


@public()
def check_metric(
    function: Callable[[Array, Array], float],
    metric: str | Metric = "average_precision",
    *,
    tolerance: float = 1e-6,
    random_state: Any = 0,
) -> None:
    """Raise an AssertionError unless a function computes a metric, for your project's tests.

    It calls the function with the rankings of :func:`audit`.

    Parameters
    ----------
    function : callable
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda.
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
    tester = _Tester(function, random_state).try_all()
    rows = _Findings(tester, Variant(metric.rule, empty=empty), tolerance).rows
    differing = [row for row in rows if row.y_true is not None]
    if not differing:
        return
    row = min(differing, key=lambda row: len(row.y_true or ()))
    y_true, y_score = _list_in_words(row.y_true), _list_in_words(row.y_score)
    raise AssertionError(
        f"{getattr(function, '__name__', function)} isn't {plain_name(metric)}:\n\n"
        f"y_true = {y_true}\ny_score = {y_score}\nvalue: {row.value}\nexpected: {row.expected}\n"
        f"{row.aspect}: {row.finding}\n\n{_audited(tester, tolerance)}"
    )


def _list_in_words(values: Any) -> str:
    return repr(values) if len(values) <= 200 else f"{values[:20]!r}..."
