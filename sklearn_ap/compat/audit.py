"""Finding out which definition a function computes, and where it differs from that."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product
from math import isnan, nan
from textwrap import fill, shorten
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from .._enter.entry import public
from .._enter.metric import Metric, check_no_function, plain_name, read_name
from .._infer.requests import seed_of
from .._show.results import WIDTH, Printed, Result, Value, paragraph
from .._words.inputs import OF_DATA
from .._words.messages import count_of
from .._words.names import written
from ..core.cutoff import Cut
from ..core.rankings import Rankings
from ..core.rules import AtK, Step
from ..core.within import Array
from ..metrics import metric as make_metric
from .explanation import PEERS, Peer, at_cut, credit, few_tools, reports_on, value_without
from .identify import GUESSED_KS, candidates
from .rules import ASSUMED, Order
from .sample import DataSet, Reading, Slip, Variant

_MOST_TIED, _MOST_UNTIED = 5, 6  # samples, of which all rankings are tried
_N_RANDOM = 250
_LARGE = (2_000, 20_000)  # samples
_GRID = 2**20  # random scores are multiples of 1/_GRID, which are exact as float32
_SECONDS = 30.0
_MOST_CALLS = 1300
_N_FORMS, _N_REPEATED = 24, 10  # rankings in other forms, and those that are called again
_MOST_TEXT = 90  # characters of errors and warnings

# The same ranking in another form, which has the same value
_FORMS: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "order of rows": lambda labels, scores: (_interleaved(labels), _interleaved(scores)),
    "negative scores": lambda labels, scores: (labels, scores - 1),
    "shifted": lambda labels, scores: (labels, scores + 1e6),
    "scaled": lambda labels, scores: (labels, scores * 2.0**-40),
    "integers": lambda labels, scores: (labels, (scores * _GRID).astype(np.int64)),
    "float32": lambda labels, scores: (labels, scores.astype(np.float32)),
    "beyond [0, 1]": lambda labels, scores: (labels, 200 * scores - 100),
    "bool labels": lambda labels, scores: (labels.astype(bool), scores),
}
_OF_VALUES = [form for form in _FORMS if form not in ("integers", "float32", "bool labels")]
_WITH_BOTH = ("values", "ties", "constant scores")  # labels
_EDGES = ("no positives", "all positives", "one sample")
_SOUND = ("arguments changed", "repeated calls")  # whatever the function computes
ASPECTS = (
    *("values", "ties", "order of rows", *_EDGES, "constant scores", "negative scores", "shifted"),
    *("scaled", "integers", "float32", "beyond [0, 1]", "many samples", "bool labels", *_SOUND),
)
_ORDERS = {
    Order.BY_ROW: "in the order of the rows",
    Order.LAST_ROW_FIRST: "the last row first",
    Order.EXPECTED: "as the mean over all orders",
    Order.BEST: "positives first",
    Order.WORST: "negatives first",
    Order.OPEN: "one by one, in no fixed order",
}
_OF_GROUPS = (Slip.POOLED, Slip.HIGHEST_OF_GROUP, Slip.MEAN_OF_GROUP)  # each is a ranking here
_ONE_BY_ONE = (Order.BY_ROW, Order.LAST_ROW_FIRST, Order.OPEN)


@dataclass(frozen=True, eq=False)
class Aspect(Value):
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect : str
        What was looked at, such as "ties".
    finding : str
        What the function does.
    agrees : bool
        Whether that is what the definition does.
    y_true, y_score : list or None
        The smallest ranking that shows the difference; None if there is none.
    value, expected : float or None
        The value of the function, nan if it has none, and that of the definition.

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
        On how many of them the function has the value of the definition.
    tools : tuple of str
        The tools of `PEERS` that do the same in every aspect.
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
        """Which definition it is, and whether always."""
        counts = f"{self.n_equal:,} of {self.n_rankings:,} rankings"
        if self.definition is None:
            return f"None of the definitions that are known here. It equals step on {counts}."
        name = self.definition + " average precision" * (self.definition == "step")
        if self.agrees:
            return f"{name[0].upper()}{name[1:]}, always: {counts}."
        return f"Like {name}, but not always the same: {counts}."

    def __str__(self) -> str:
        """Show what differs."""
        differing = [row for row in self.rows if not row.agrees]
        width = 4 + max((len(row.aspect) for row in differing), default=0)
        lines = [
            fill(f"  {row.aspect:{width - 2}}{row.finding}", WIDTH, subsequent_indent=" " * width)
            for row in differing
        ]
        return "\n".join([paragraph(self.title), *lines, *map(paragraph, self._below())])

    def _below(self) -> Iterator[str]:
        n_agree = sum(row.agrees for row in self.rows)
        if self.definition is not None and not self.agrees:
            yield f"In the other {n_agree} aspects nothing differs: see `rows`."
        if self.tools:
            yield f"As {few_tools(self.tools, 'tools')}."
        yield from self.notes

    def _printed(self) -> Printed:
        rows = [(row.aspect, row.finding) for row in self.rows]
        return Printed(("aspect", "finding"), [("", "", rows)], self.title, [*self._below()])

    def _as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]


# --- the rankings --------------------------------------------------------------------------------


def _small_rankings() -> Iterator[tuple[Array, Array]]:
    """Yield all labels with all patterns of ties, from the highest score down."""
    for size in range(1, _MOST_UNTIED + 1):
        steps = (1, 0) if size <= _MOST_TIED else (1,)
        for labels in product((0, 1), repeat=size):
            for is_lower in product(steps, repeat=size - 1):
                yield np.array(labels), (7 - np.cumsum((0, *is_lower))) / 8


def _random_ranking(size: int, is_tied: bool, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return a ranking with both labels, from the highest score down."""
    labels = (rng.random(size) < rng.choice([0.02, 0.1, 0.3, 0.7])).astype(np.int64)
    labels[rng.choice(size, 2, replace=False)] = 0, 1
    scores = rng.choice(_GRID, size, replace=False)
    if is_tied:
        scores = rng.choice(scores[: rng.integers(3, size)], size)
    return labels, np.sort(scores)[::-1] / _GRID


def _interleaved(rows: Array) -> Array:
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
    original: int  # the number of the call with the same ranking in its original form
    value: float  # nan if it isn't a number
    problem: str  # why it isn't one
    changed: str  # the arguments that the function has changed

    @property
    def said(self) -> str:
        return self.problem or _shown(self.value)

    @property
    def ranking(self) -> str:
        if self.labels.size > 10:
            return f"a ranking of {self.labels.size:,} samples"
        is_constant = np.unique(self.scores).size == 1 < self.labels.size
        return f"{self.labels.tolist()}{' with equal scores' * is_constant}"


class _Tester:
    """A function with the calls of it, and with the warnings and the time that they took."""

    def __init__(self, function: Callable[[Array, Array], Any]) -> None:
        self.function = function
        self.calls: list[_Call] = []
        self.n_called = 0
        self.skipped: Counter[str] = Counter()  # rankings, by their aspect
        self.warnings: Counter[str] = Counter()
        self.began = perf_counter()
        self.largest, self.seconds = 1, 0.0  # of the largest ranking so far
        self.until = _SECONDS

    def try_all(self, rng: np.random.Generator) -> None:
        """Call the function with the rankings of all aspects."""
        sizes = rng.integers(10, 201, _N_RANDOM).tolist()
        random = (_random_ranking(size, i % 2 == 1, rng) for i, size in enumerate(sizes))
        # Slow functions get to rankings of each kind.
        self.try_given(_small_rankings(), _SECONDS / 3)
        self.try_given(random, _SECONDS * 2 / 3)
        with_both = [i for i, call in enumerate(self.calls) if call.aspect in _WITH_BOTH]
        by_size = sorted(with_both, key=lambda i: self.calls[i].labels.size)
        chosen = [*by_size[: _N_FORMS // 2], *by_size[::-1][: _N_RANDOM // 2 : 11]]
        for aspect, change in _FORMS.items():
            for original in chosen:
                _, labels, scores, *_ = self.calls[original]
                self.add(aspect, *change(labels, scores), original)
        for original in chosen[::2][:_N_REPEATED]:
            _, labels, scores, *_ = self.calls[original]
            self.add("repeated calls", labels, scores, original)
        for size in _LARGE:
            self.add("many samples", *_random_ranking(size, False, rng))

    def try_given(self, rankings: Iterable[tuple[Array, Array]], until: float = _SECONDS) -> None:
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
        """Call the function, unless that may take too long."""
        if not self.has_time(labels.size):
            self.skipped[aspect] += 1
            return
        place = len(self.calls) if original is None else original
        self.calls.append(self.call(aspect, labels, scores, place))

    def call(self, aspect: str, labels: Array, scores: Array, original: int = 0) -> _Call:
        self.n_called += 1
        passed = {"y_true": labels.copy(), "y_score": scores.copy()}
        value, problem = nan, ""
        start = perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value, problem = _read(self.function(*passed.values()))
            except Exception as error:
                problem = shorten(f"{type(error).__name__}: {error}", _MOST_TEXT).rstrip(": ")
        if self.n_called == 1:  # which may import or compile something
            self.began = perf_counter()
        elif labels.size >= self.largest:
            self.largest, self.seconds = labels.size, perf_counter() - start
        self.warnings.update({f"{each.category.__name__}: {each.message}" for each in caught})
        kept = {"y_true": labels, "y_score": scores}
        changed = [name for name in kept if not np.array_equal(passed[name], kept[name])]
        return _Call(aspect, labels, scores, original, value, problem, " and ".join(changed))

    def notes(self) -> Iterator[str]:
        if self.warnings:
            (text, n_calls), *others = self.warnings.most_common()
            more = f", and {count_of(len(others), 'others')}" if others else ""
            yield f'In {n_calls:,} calls, the function warned "{shorten(text, _MOST_TEXT)}"{more}.'
        if self.skipped:
            n_skipped = self.skipped.total()
            yield f"{n_skipped:,} rankings were not tried, to end within {_SECONDS:.0f} seconds."


def _read(returned: Any) -> tuple[float, str]:
    """Return the value of what the function returned, or say what it is instead."""
    if isinstance(returned, np.ndarray):
        if returned.size != 1:
            return nan, f"an array of shape {returned.shape}"
        returned = returned.item()
    try:
        return float(returned), ""
    except (TypeError, ValueError, OverflowError):
        return nan, "None" if returned is None else f"a value of type {type(returned).__name__}"


def _shown(value: float) -> str:
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

    def expected(self, variant: Variant) -> Array:
        values: Array = variant.values(self.sample)[0]
        return values

    def are(self, variant: Variant) -> Array:
        """Whether each value is that of a variant, or between its values over orders of ties."""
        at, *ends = self.expected(variant)
        if not ends:
            return _same(self.values, at, self.tolerance)
        low, high = ends
        return np.asarray(
            (low - self.tolerance <= self.values) & (self.values <= high + self.tolerance)
        )

    def most_alike(self) -> Variant | None:
        """Return the definition that equals most values, the least rare one of several.

        Return None if it equals fewer than half of them.
        """
        best, most = None, (0, 0)
        cuts = [Cut(k) for k in GUESSED_KS]
        for variant, (rarity, _) in candidates(self.sample, cuts).items():
            if variant.slip in _OF_GROUPS or variant.average == "weighted":
                continue  # each group is a ranking of its own
            n_equal = int(np.count_nonzero(self.are(variant)))
            if (n_equal, -rarity) > most:
                best, most = variant, (n_equal, -rarity)
        return best if 2 * most[0] >= self.values.size else None

    def order_of_ties(self, definition: Variant) -> Order | None:
        """Return how the function ranks tied samples; None if no order has its values."""
        for order in (Order.GROUPED, *_ORDERS):
            if order is Order.EXPECTED and not isinstance(definition.rule, Step | AtK):
                continue
            with suppress(NotImplementedError):  # a few rules have no range over all orders
                if self.are(replace(definition, order=order)).all():
                    return order
        return None

    def tools(self, cut: Cut | None, order: Order | None, differs: bool) -> dict[Peer, bool]:
        """Tell for each tool whether it returns these values, if that is known.

        The function `differs` or not from what it returned for these rankings in another form.
        """
        is_same: dict[Peer, bool] = {}
        for report, peers in at_cut(reports_on(self.sample), cut, self.sample).items():
            if report.slip in _OF_GROUPS:
                continue
            may_be = differs or report.reading is not Reading.SINGLE
            if report.order in ASSUMED:  # which any order of single samples may be
                assumed = order if order in _ONE_BY_ONE else ASSUMED[report.order]
                report = replace(report, order=assumed)
            is_same |= dict.fromkeys(peers, may_be and bool(self.are(report).all()))
        return is_same


def _same(values: Array, expected: Array | float, tolerance: float) -> Array:
    with np.errstate(invalid="ignore"):  # of infinities
        is_near: Array = np.abs(values - expected) <= tolerance
    return is_near | (np.isnan(values) & np.isnan(expected))


# --- what differs --------------------------------------------------------------------------------


class _Comparison:
    """What a function did, compared with a definition."""

    def __init__(
        self, tester: _Tester, definition: Variant, tolerance: float, name: str = ""
    ) -> None:
        self.tester, self.calls = tester, tester.calls
        self.definition, self.tolerance = definition, tolerance
        self.name = name or definition.name
        self.values = np.array([call.value for call in self.calls])
        original = np.array([call.original for call in self.calls], dtype=int)
        own = np.flatnonzero(original == np.arange(original.size))
        self.expected = np.full(original.size, nan)
        self.expected[own] = self.of([self.calls[i] for i in own]).expected(definition)[0]
        self.expected = self.expected[original]
        self.is_equal = _same(self.values, self.expected, tolerance)
        self.is_as_before = _same(self.values, self.values[original], tolerance)
        tied = self.about("ties", "order of rows")
        self.order = Order.GROUPED if not tied else self.of(tied).order_of_ties(definition)

    def about(self, *aspects: str) -> list[_Call]:
        return [call for call in self.calls if call.aspect in aspects]

    def of(self, calls: Sequence[_Call]) -> _Values:
        return _Values(calls, self.tolerance)

    @cached_property
    def rows(self) -> tuple[Aspect, ...]:
        return tuple(map(self._row, ASPECTS))

    def _row(self, aspect: str) -> Aspect:
        places = [i for i, call in enumerate(self.calls) if call.aspect == aspect]
        skipped = self.tester.skipped[aspect]
        if aspect == "arguments changed":
            shown = [i for i, call in enumerate(self.calls) if call.changed]
        elif aspect in _FORMS or aspect == "repeated calls":
            shown = [i for i in places if not self.is_as_before[i]]
        else:
            shown = [i for i in places if not self.is_equal[i]]
        if not shown and skipped and (aspect == "many samples" or not places):
            seconds = f"{self.tester.largest:,} samples take {self.tester.seconds:.2g} s"
            return Aspect(aspect, f"not tried with more samples, because {seconds}", False)
        if not shown:
            return Aspect(aspect, "nothing differs" if places else "not tried", True)
        counted = f" ({len(shown):,} of {len(places):,} rankings)" * (len(places) > 1)
        is_untied = any(self.calls[self.calls[i].original].aspect == "values" for i in shown)
        if aspect == "ties":  # constant scores are tied, too
            calls = enumerate(self.calls)
            shown += [i for i, c in calls if c.aspect == "constant scores" and not self.is_equal[i]]
        place = min(shown, key=lambda i: (self.is_equal[i], self.calls[i].labels.size))
        call, expected = self.calls[place], float(self.expected[place])
        if call.original == place and call.labels.size > _MOST_UNTIED and not call.changed:
            call, expected = self._shrunk(call, expected)
        finding = self._finding(aspect, call, expected) + counted
        if aspect == "order of rows":
            finding = f"matters{' with ties only' * (not is_untied)}: {finding}"
        shown_as = call.labels.tolist(), call.scores.tolist(), call.value, expected
        return Aspect(aspect, finding, False, *shown_as)

    def _finding(self, aspect: str, call: _Call, expected: float) -> str:
        if aspect == "arguments changed":
            return f"{call.changed} of {call.ranking}"
        if aspect in _FORMS or aspect == "repeated calls":
            before = self.calls[call.original].said
            return f"{call.said} for {call.ranking}, and before that {before}"
        text = f"{call.said} for {call.ranking}, where {self.name} gives {_shown(expected)}"
        if aspect == "ties" and self.order in _ORDERS:
            text = f"{_ORDERS[self.order]}: {text}"
        return text

    def _shrunk(self, call: _Call, expected: float) -> tuple[_Call, float]:
        """Leave out samples as long as the function still differs, in the same aspect."""
        aspect = _aspect_of(call.labels, call.scores)
        size = call.labels.size // 2
        while size:
            start = 0
            while start < call.labels.size and self.tester.n_called < _MOST_CALLS:
                left_out = np.s_[start : start + size]
                labels, scores = np.delete(call.labels, left_out), np.delete(call.scores, left_out)
                start += size
                if not labels.size or _aspect_of(labels, scores) != aspect:
                    continue
                if not self.tester.has_time(labels.size):
                    return call, expected
                fewer = self.tester.call(call.aspect, labels, scores)
                value = self.of([fewer]).expected(self.definition)[0]
                if not _same(np.array([fewer.value]), value, self.tolerance)[0]:
                    call, expected = fewer, float(value[0])
                    start -= size
            size //= 2
        return call, expected

    def tools(self) -> tuple[str, ...]:
        """Name the tools that do the same as the function in every aspect."""
        if not all(row.agrees for row in self.rows if row.aspect in _SOUND):
            return ()
        cut = self.definition.rule.depth
        is_same = self.of(self.about(*_WITH_BOTH)).tools(cut, self.order, differs=True)
        tools = [peer for peer in PEERS if is_same.get(peer, False)]
        if forms := self.about(*_OF_VALUES):
            places = [i for i, call in enumerate(self.calls) if call.aspect in _OF_VALUES]
            differs = not self.is_as_before[places].all()
            # Where it isn't known what a tool returns, it returns something else.
            is_same = self.of(forms).tools(cut, self.order, differs)
            tools = [peer for peer in tools if is_same.get(peer, differs)]
        for aspect in _EDGES:
            places = [i for i, call in enumerate(self.calls) if call.aspect == aspect]
            values, expected = self.values[places], self.expected[places]
            tools = [
                peer
                for peer in tools
                if _same(values, value_without(peer, aspect, expected), self.tolerance).all()
            ]
        return tuple(filter(None, credit(self.definition, tools).split("; ")))


def _audited(tester: _Tester, tolerance: float) -> Audit:
    """Compare what the function did with the definition that is most alike, or else with step."""
    untied = [call for call in tester.calls if call.aspect == "values"]
    definition = _Values(untied, tolerance).most_alike() if untied else None
    comparison = _Comparison(tester, definition or Variant(Step()), tolerance)
    is_ranking = [call.aspect != "repeated calls" for call in tester.calls]
    rows = comparison.rows
    return Audit(
        definition=None if definition is None else definition.name,
        agrees=definition is not None and all(row.agrees for row in rows),
        n_rankings=sum(is_ranking),
        n_equal=int(np.count_nonzero(comparison.is_equal & is_ranking)),
        tools=() if definition is None else comparison.tools(),
        rows=rows,
        notes=tuple(tester.notes()),
    )


# --- public functions ----------------------------------------------------------------------------


@public()
def audit(
    function: Callable[[Array, Array], float], *, tolerance: float = 1e-6, random_state: Any = 0
) -> Audit:
    """Find out which average precision a function computes, and where it doesn't.

    The function is called as ``function(y_true, y_score)`` with about 1,200 rankings: all labels
    and ties of up to five samples, and random ones of up to 20,000. Its values are compared with
    those of each definition, and with each other, such as after shuffling the rows. Whatever
    differs is shown on the smallest ranking on which it does.

    Parameters
    ----------
    function : callable
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda.
    tolerance : float, default=1e-6
        How far equal values can be apart, which is enough for sums in single precision.
    random_state : int, Generator, RandomState instance or None, default=0
        The seed of the random rankings.

    Returns
    -------
    audit : Audit
        It prints as text. `definition` is the definition that the function computes, `agrees` says
        whether it always does, `rows` has what was found about each aspect, and `tools` the tools
        that do the same.

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
    >>> print(result.rows[1].finding.partition(", where")[0])
    in the order of the rows: 1.0 for [1, 0] with equal scores

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
    tester = _Tester(function)
    tester.try_all(np.random.default_rng(seed_of(random_state)))
    return _audited(tester, tolerance)


@public()
def check_metric(
    function: Callable[[Array, Array], float],
    metric: str | Metric = "average_precision",
    *,
    tolerance: float = 1e-6,
    random_state: Any = 0,
) -> None:
    """Raise an AssertionError unless a function computes a metric, for a test of your project.

    It calls the function with the rankings of :func:`audit`.

    Parameters
    ----------
    function : callable
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda.
    metric : str or Metric, default='average_precision'
        What it should compute: the name of a metric, or an object made by
        :func:`sklearn_ap.metric`, such as ``ap.metric("AP", zero_division=nan)`` if it's right that
        the function raises an error or returns nan without positives.
    tolerance : float, default=1e-6
        How far equal values can be apart, which is enough for sums in single precision.
    random_state : int, Generator, RandomState instance or None, default=0
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
    definition, name = _definition_of(metric)
    tester = _Tester(function)
    tester.try_all(np.random.default_rng(seed_of(random_state)))
    rows = _Comparison(tester, definition, tolerance, name).rows
    shown = [row for row in rows if row.y_true is not None]
    if not shown:
        return
    row = min(shown, key=lambda row: len(row.y_true or ()))
    raise AssertionError(
        f"{getattr(function, '__name__', function)} isn't {plain_name(make_metric(metric))}:\n\n"
        f"y_true = {_listed(row.y_true)}\ny_score = {_listed(row.y_score)}\n"
        f"value: {row.value}\nexpected: {row.expected}\n{row.aspect}: {row.finding}\n\n"
        f"{_audited(tester, tolerance)}"
    )


def _listed(values: list[Any] | None) -> str:
    return repr(values) if values is None or len(values) <= 200 else f"{values[:20]!r}..."


def _definition_of(metric: str | Metric) -> tuple[Variant, str]:
    """Return what is computed from one ranking, and its name."""
    if isinstance(metric, str):
        read_name("check_metric", metric)
    one = make_metric(metric)
    check_no_function("check_metric", one)
    options = {*one.all_options} & {*OF_DATA} - {"zero_division"}
    if one.grouped or options:
        what = ", ".join(sorted(options)) or "groups"
        raise ValueError(
            f"check_metric calls the function with one ranking, and {one!r} needs {what}. Pass the "
            "metric without that, and check the value of one group."
        )
    empty = one.options.get("zero_division", 0.0)
    is_left_out = isinstance(empty, float) and isnan(empty)
    variant = Variant(one.rule, empty=None if is_left_out else 0.0 if empty == "warn" else empty)
    return variant, written(one.rule, "term") or one.title
