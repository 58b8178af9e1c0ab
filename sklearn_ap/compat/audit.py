"""Finding out which definition a function computes, and where it differs from that."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import isnan, nan
from textwrap import fill
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from .._enter.entry import public
from .._enter.metric import Metric, check_no_function, plain_name
from .._infer.requests import seed_of
from .._show.results import Printed, Result, Value, paragraph
from .._words.inputs import OF_DATA
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

Ranking = tuple[Array, Array]  # labels and prediction scores

_MOST_TIED, _MOST_UNTIED = 5, 6  # samples, of which all rankings are tried
_N_RANDOM = 250
_LARGE = (2_000, 20_000)  # samples
_GRID = 2**20  # random scores are multiples of 1/_GRID, so that float32 is exact
_SECONDS = 30.0
_MOST_CALLS = 1300

ASPECTS = (
    *("values", "ties", "order of rows", "no positives", "all positives", "one sample"),
    *("constant scores", "negative scores", "shifted", "scaled", "integers", "float32"),
    *("beyond [0, 1]", "many samples", "bool labels", "arguments changed", "repeated calls"),
)
# The same ranking in another form, which has the same value
_OTHER_FORMS: dict[str, Callable[[Array, Array], Ranking]] = {
    "negative scores": lambda labels, scores: (labels, scores - 1),
    "shifted": lambda labels, scores: (labels, scores + 1e6),
    "scaled": lambda labels, scores: (labels, scores * 2.0**-40),
    "integers": lambda labels, scores: (labels, (scores * _GRID).astype(np.int64)),
    "float32": lambda labels, scores: (labels, scores.astype(np.float32)),
    "beyond [0, 1]": lambda labels, scores: (labels, 200 * scores - 100),
    "bool labels": lambda labels, scores: (labels.astype(bool), scores),
}
# What a function may do wrong whatever it computes
_OWN = ("arguments changed", "repeated calls")
_ORDERS = {
    Order.BY_ROW: "in the order of the rows",
    Order.LAST_ROW_FIRST: "the last row first",
    Order.EXPECTED: "as the mean over all orders",
    Order.BEST: "positives first",
    Order.WORST: "negatives first",
    Order.OPEN: "one by one, in no fixed order",
}
# The orders of a function that may be those of a tool, which leaves its order open
_MAY_BE = {
    Order.OPEN: (Order.BY_ROW, Order.LAST_ROW_FIRST, Order.OPEN),
    Order.BY_ID: (Order.LAST_ROW_FIRST, Order.OPEN),
}


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
        if self.definition is None:
            return (
                "None of the definitions that are known here: step average precision, for "
                f"instance, is equal on {self.n_equal:,} of {self.n_rankings:,} rankings."
            )
        name = self.definition + " average precision" * (self.definition == "step")
        counts = f"{self.n_equal:,} of {self.n_rankings:,} rankings"
        if self.agrees:
            return f"{name[0].upper()}{name[1:]}, always: {counts}."
        if self.n_equal == self.n_rankings:
            return f"Like {name} on {counts}, but not in every respect."
        return f"Like {name}, but not always the same: {counts}."

    def __str__(self) -> str:
        """Show only what differs, and name the other aspects."""
        differ = [(row.aspect, row.finding) for row in self.rows if not row.agrees]
        width = 2 + max((len(aspect) for aspect, _ in differ), default=0)
        lines = [
            fill(f"  {aspect:{width}}{finding}", 100, subsequent_indent=" " * (width + 2))
            for aspect, finding in differ
        ]
        return "\n".join([paragraph(self.title), *lines, *map(paragraph, self._below())])

    def _below(self) -> Iterator[str]:
        n_agree = sum(row.agrees for row in self.rows)
        if self.definition is not None and not self.agrees:
            yield f"In the other {n_agree} aspects nothing differs: see `rows`."
        if self.tools:
            yield f"As {few_tools(self.tools)}."
        yield from self.notes

    def _printed(self) -> Printed:
        rows = [(row.aspect, row.finding) for row in self.rows]
        return Printed(("aspect", "finding"), [("", "", rows)], self.title, [*self._below()])

    def _as_dict(self) -> dict[str, Any]:
        of_all: dict[str, Any] = super()._as_dict()
        return of_all | {"rows": self._rows()}

    def _rows(self) -> list[dict[str, Any]]:
        return [row._as_dict() for row in self.rows]


# --- the function --------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What the function did with one ranking."""

    value: float  # nan if it isn't a number
    problem: str = ""  # why it isn't one
    changed: str = ""  # the arguments that it has changed

    @property
    def said(self) -> str:
        return self.problem or _shown(self.value)


class _Calls:
    """The calls of a function, their warnings, and how long they take."""

    def __init__(self, function: Callable[[Array, Array], Any]) -> None:
        self.function = function
        self.n = 0
        self.began = perf_counter()
        self.largest, self.seconds = 1, 0.0  # of the largest ranking so far
        self.warnings: Counter[str] = Counter()

    def has_time(self, size: int, until: float) -> bool:
        """Whether a call will end in time, if times grow at most like the square of the size."""
        growth = max(size / self.largest, 1) ** 2
        return perf_counter() - self.began + self.seconds * growth <= until

    def __call__(self, labels: Array, scores: Array) -> Outcome:
        passed = {"y_true": labels.copy(), "y_score": scores.copy()}
        self.n += 1
        start = perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                outcome = _read(self.function(*passed.values()))
            except Exception as error:
                outcome = Outcome(nan, _one_line(f"{type(error).__name__}: {error}".rstrip(": ")))
        if labels.size >= self.largest:
            self.largest, self.seconds = labels.size, perf_counter() - start
        self.warnings.update({f"{each.category.__name__}: {each.message}" for each in caught})
        kept = {"y_true": labels, "y_score": scores}
        changed = [name for name in kept if not np.array_equal(passed[name], kept[name])]
        return outcome._replace(changed=" and ".join(changed))


def _read(returned: Any) -> Outcome:
    """Return the value of what the function returned, or say what it is instead."""
    if isinstance(returned, np.ndarray):
        if returned.size != 1:
            return Outcome(nan, f"an array of shape {returned.shape}")
        returned = returned.item()
    try:
        return Outcome(float(returned))
    except (TypeError, ValueError, OverflowError):
        kind = type(returned).__name__
        return Outcome(nan, "None" if returned is None else f"a value of type {kind}")


def _one_line(text: str, most: int = 90) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _shown(value: float) -> str:
    return repr(float(f"{value:.6g}"))


# --- the rankings --------------------------------------------------------------------------------


def _small_rankings() -> Iterator[Ranking]:
    """Yield all labels with all patterns of ties, from the highest score down."""
    for size in range(1, _MOST_UNTIED + 1):
        steps = (1, 0) if size <= _MOST_TIED else (1,)
        for labels in product((0, 1), repeat=size):
            for is_lower in product(steps, repeat=size - 1):
                yield np.array(labels), (7 - np.cumsum((0, *is_lower))) / 8


def _random_rankings(rng: np.random.Generator) -> Iterator[Ranking]:
    """Yield rankings of 10 to 200 samples, of which every other one has ties."""
    for number in range(_N_RANDOM):
        size = int(rng.integers(10, 201))
        yield _random_ranking(
            size, rng, n_scores=int(rng.integers(3, size)) if number % 2 else size
        )


def _random_ranking(size: int, rng: np.random.Generator, n_scores: int) -> Ranking:
    """Return a ranking with both labels, from the highest score down."""
    labels = (rng.random(size) < rng.choice([0.02, 0.1, 0.3, 0.7])).astype(np.int64)
    labels[rng.choice(size, 2, replace=False)] = 0, 1
    scores = rng.choice(_GRID, n_scores, replace=False)
    if n_scores < size:
        scores = rng.choice(scores, size)
    return labels, np.sort(scores)[::-1] / _GRID


def _aspect_of(labels: Array, scores: Array) -> str:
    """Return the aspect that a ranking is about."""
    if not labels.any():
        return "no positives"
    if labels.size == 1:
        return "one sample"
    if labels.all():
        return "all positives"
    n_scores = np.unique(scores).size
    if n_scores == 1:
        return "constant scores"
    return "values" if n_scores == labels.size else "ties"


@dataclass
class _Part:
    """The rankings of one aspect, and what the function did with each of them."""

    rankings: list[Ranking] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    # Where rankings are others in another form: the part and the place of each of these
    originals: list[tuple[_Part, int]] = field(default_factory=list)
    n_skipped: int = 0

    def call(self, calls: _Calls, ranking: Ranking, until: float) -> bool:
        """Call the function, unless that would take too long."""
        if not calls.has_time(ranking[0].size, until):
            self.n_skipped += 1
            return False
        self.rankings.append(ranking)
        self.outcomes.append(calls(*ranking))
        return True

    def call_again(self, calls: _Calls, part: _Part, place: int, ranking: Ranking) -> None:
        """Call the function with a ranking of another part in another form."""
        if self.call(calls, ranking, _SECONDS):
            self.originals.append((part, place))

    @cached_property
    def sample(self) -> DataSet:
        """The rankings as groups of one data set, so that a rule evaluates all of them at once."""
        sizes = [labels.size for labels, _ in self.rankings]
        return DataSet(
            Rankings(
                labels=np.concatenate([labels for labels, _ in self.rankings]).astype(bool),
                scores=np.concatenate([scores for _, scores in self.rankings]).astype(float),
                weight=None,
                average="macro",
                group=np.repeat(np.arange(len(sizes)), sizes),
                names=range(len(sizes)),
            ),
            every_row=None,
        )

    @cached_property
    def values(self) -> Array:
        return np.array([outcome.value for outcome in self.outcomes])

    @cached_property
    def before(self) -> Array:
        """The values of the rankings in their original form."""
        return np.array([part.values[place] for part, place in self.originals])

    def expected(self, variant: Variant) -> Array:
        if not self.rankings:
            return np.zeros(0)
        if self.originals:
            values = {id(part): part.expected(variant) for part, _ in self.originals}
            return np.array([values[id(part)][place] for part, place in self.originals])
        expected: Array = variant.values(self.sample)[0][0]
        return expected


Parts = Mapping[str, _Part]


def _evaluated(
    calls: _Calls, rng: np.random.Generator, given: Iterable[Ranking] | None = None
) -> Parts:
    """Call the function with all rankings, or only with those that are given."""
    parts = {aspect: _Part() for aspect in ASPECTS}
    small = _small_rankings() if given is None else given
    random = _random_rankings(rng) if given is None else ()
    # Slow functions get to rankings of each kind.
    for rankings, until in ((small, _SECONDS / 3), (random, _SECONDS * 2 / 3)):
        for ranking in rankings:
            parts[_aspect_of(*ranking)].call(calls, ranking, until)
    if given is not None:
        return parts
    for part, place in _some(parts, rng, n_small=48, n_large=60):
        labels, scores = part.rankings[place]
        order = rng.permutation(labels.size)
        if labels.size <= 3:
            order = np.arange(labels.size)[::-1]
        parts["order of rows"].call_again(calls, part, place, (labels[order], scores[order]))
    for part, place in _some(parts, rng, n_small=4, n_large=8):
        for aspect, changed in _OTHER_FORMS.items():
            parts[aspect].call_again(calls, part, place, changed(*part.rankings[place]))
    for part, place in _some(parts, rng, n_small=4, n_large=6):
        parts["repeated calls"].call_again(calls, part, place, part.rankings[place])
    for size in _LARGE:
        ranking = _random_ranking(size, rng, n_scores=size)
        parts["many samples"].call(calls, ranking, _SECONDS)
    return parts


def _some(
    parts: Parts, rng: np.random.Generator, n_small: int, n_large: int
) -> Iterator[tuple[_Part, int]]:
    """Yield the smallest rankings with both labels, and some large ones, with and without ties."""
    places = [
        (part, place)
        for part in (parts["constant scores"], parts["values"], parts["ties"])
        for place in range(len(part.rankings))
    ]
    sizes = np.array([part.rankings[place][0].size for part, place in places], dtype=int)
    small, large = np.flatnonzero(sizes <= _MOST_UNTIED), np.flatnonzero(sizes > _MOST_UNTIED)
    yield from (places[i] for i in small[np.argsort(sizes[small], kind="stable")][:n_small])
    yield from (places[i] for i in rng.permutation(large)[:n_large])


# --- the definition ------------------------------------------------------------------------------


def _same(values: Array, expected: Array | float, tolerance: float) -> Array:
    with np.errstate(invalid="ignore"):  # of infinities
        is_near: Array = np.abs(values - expected) <= tolerance
    return is_near | (np.isnan(values) & np.isnan(expected))


def _most_alike(part: _Part, tolerance: float) -> Variant | None:
    """Return the definition that equals most of these rankings, and the least rare of several.

    Return None if it equals fewer than half of them.
    """
    best, most = None, (0, 0)
    cuts = [Cut(k) for k in GUESSED_KS]
    every = candidates(part.sample, cuts) if part.rankings else {}
    for variant, (rarity, _) in every.items():
        if variant.slip is Slip.POOLED or variant.average == "weighted":
            continue  # each group is a ranking of its own
        n_equal = int(np.count_nonzero(_same(part.values, part.expected(variant), tolerance)))
        if (n_equal, -rarity) > most:
            best, most = variant, (n_equal, -rarity)
    return best if 2 * most[0] >= len(part.rankings) else None


def _lies_between(part: _Part, report: Variant, tolerance: float) -> Array:
    """Whether each value is that of the report, or between its values over all orders of ties."""
    expected = report.values(part.sample)[0]
    if len(expected) == 1:
        return _same(part.values, expected[0], tolerance)
    low, high = expected[1:]
    is_between: Array = (low - tolerance <= part.values) & (part.values <= high + tolerance)
    return is_between


def _order_of_ties(definition: Variant, parts: Parts, tolerance: float) -> Order | None:
    """Return how the function ranks tied samples; None if no order has its values."""
    tied = [parts[aspect] for aspect in ("ties", "order of rows") if parts[aspect].rankings]
    for order in (Order.GROUPED, *_ORDERS):
        if order is Order.EXPECTED and not isinstance(definition.rule, Step | AtK):
            continue
        ranked = replace(definition, order=order)
        if all(_lies_between(part, ranked, tolerance).all() for part in tied):
            return order
    return None


def _tools(
    definition: Variant, order: Order | None, parts: Parts, tolerance: float
) -> tuple[str, ...]:
    """Name the tools that do the same as the function in every aspect."""
    tools: list[Peer] = [*PEERS]
    differs_there: dict[Peer, bool] = {}  # in forms of which it isn't known what the tool returns
    for aspect in ("values", "constant scores", "ties", "order of rows", *_OTHER_FORMS):
        part = parts[aspect]
        if not part.rankings:
            continue
        is_same = _are_same(tools, definition.rule.depth, order, part, tolerance)
        if part.originals:
            differs = not _same(part.values, part.before, tolerance).all()
            for peer in tools:
                if peer not in is_same:
                    differs_there[peer] = differs_there.get(peer, False) or differs
        tools = [peer for peer in tools if is_same.get(peer, bool(part.originals))]
    tools = [peer for peer in tools if differs_there.get(peer, True)]
    for aspect in ("no positives", "all positives", "one sample"):
        values = parts[aspect].values
        tools = [
            peer
            for peer in tools
            if _same(values, value_without(peer, aspect == "no positives"), tolerance).all()
        ]
    return tuple(filter(None, credit(definition, tools).split("; ")))


def _are_same(
    tools: Iterable[Peer], cut: Cut | None, order: Order | None, part: _Part, tolerance: float
) -> dict[Peer, bool]:
    """Tell for each tool whether it returns these values, if that is known on these rankings."""
    is_same: dict[Peer, bool] = {}
    for report, peers in at_cut(reports_on(part.sample), cut, part.sample).items():
        peers = [peer for peer in peers if peer in tools]
        if not peers or report.slip is Slip.POOLED:  # each group is a ranking of its own
            continue
        if report.order in ASSUMED and order in _MAY_BE[report.order]:
            report = replace(report, order=order)
        is_known = report.order not in ASSUMED or report.order is order
        if (
            part.originals and report.reading is Reading.SINGLE
        ):  # some of these scores are tied as float32
            is_known = is_known and not _same(part.values, part.before, tolerance).all()
        same = is_known and bool(_lies_between(part, report, tolerance).all())
        is_same |= dict.fromkeys(peers, same)
    return is_same


# --- what differs --------------------------------------------------------------------------------


class _Compared(NamedTuple):
    """What the function did, and the definition that it is compared with."""

    calls: _Calls
    parts: Parts
    definition: Variant
    name: str  # of the definition
    order: Order | None  # how the function ranks tied samples
    tolerance: float

    def differing(self, aspect: str) -> list[tuple[_Part, int]]:
        """Return the rankings with another value than that of the definition."""
        part = self.parts[aspect]
        same = _same(part.values, part.expected(self.definition), self.tolerance)
        return [(part, int(place)) for place in np.flatnonzero(~same)]

    def n_equal(self, aspect: str) -> int:
        return len(self.parts[aspect].rankings) - len(self.differing(aspect))

    def row(self, aspect: str, finding: str, part: _Part, place: int) -> Aspect:
        """Return what was found, with the ranking that shows it."""
        labels, scores = part.rankings[place]
        value, expected = part.values[place], part.expected(self.definition)[place]
        shown = labels.tolist(), scores.tolist(), float(value), float(expected)
        return Aspect(aspect, finding, False, *shown)


def _finding(compared: _Compared, aspect: str) -> Aspect:
    part = compared.parts[aspect]
    if aspect == "arguments changed":
        return _changed(compared)
    if part.n_skipped and (aspect == "many samples" or not part.rankings):
        seconds = f"{compared.calls.largest:,} samples take {compared.calls.seconds:.2g} s"
        return Aspect(aspect, f"not tried with more samples, because {seconds}", False)
    if not part.rankings:
        return Aspect(aspect, "not tried", True)
    return _in_other_form(compared, aspect) if part.originals else _as_given(compared, aspect)


def _as_given(compared: _Compared, aspect: str) -> Aspect:
    differing = compared.differing(aspect)
    if not differing:
        return Aspect(aspect, f"as {compared.name}", True)
    n_all = len(compared.parts[aspect].rankings)
    counted = f" ({len(differing):,} of {n_all:,} rankings)" * (n_all > 1)
    if aspect == "ties":
        differing += compared.differing("constant scores")  # which are tied, too
    part, place = min(differing, key=_size)
    if _size((part, place)) > _MOST_UNTIED:
        part, place = _shrunk(compared, *part.rankings[place]), 0
    said, ranking = part.outcomes[place].said, _described(*part.rankings[place])
    expected = _shown(part.expected(compared.definition)[place])
    finding = f"{said} for {ranking}, where {compared.name} gives {expected}{counted}"
    if aspect == "ties" and compared.order in _ORDERS:
        finding = f"{_ORDERS[compared.order]}: {_of_two(compared) or finding}"
    return compared.row(aspect, finding, part, place)


def _size(ranking: tuple[_Part, int]) -> int:
    part, place = ranking
    return int(part.rankings[place][0].size)


def _of_two(compared: _Compared) -> str:
    """Show both orders of a positive and a negative that are tied."""
    part = compared.parts["constant scores"]
    labels = [tuple(labels.tolist()) for labels, _ in part.rankings]
    if not compared.differing("constant scores") or not {(0, 1), (1, 0)} <= {*labels}:
        return ""
    one, other = labels.index((0, 1)), labels.index((1, 0))
    return (
        f"[0, 1] with equal scores gives {part.outcomes[one].said}, [1, 0] gives "
        f"{part.outcomes[other].said}; {compared.name} gives "
        f"{_shown(part.expected(compared.definition)[one])}"
    )


def _shrunk(compared: _Compared, labels: Array, scores: Array) -> _Part:
    """Leave out samples as long as the function still differs, in the same aspect."""
    aspect, shown = _aspect_of(labels, scores), _Part()
    shown.call(compared.calls, (labels, scores), np.inf)
    size = labels.size // 2
    while size:
        start = 0
        while start < labels.size and compared.calls.n < _MOST_CALLS:
            left_out = np.s_[start : start + size]
            fewer = _Part()
            ranking = np.delete(labels, left_out), np.delete(scores, left_out)
            start += size
            if not ranking[0].size or _aspect_of(*ranking) != aspect:
                continue
            if not fewer.call(compared.calls, ranking, _SECONDS):
                continue
            expected = fewer.expected(compared.definition)
            if not _same(fewer.values, expected, compared.tolerance).all():
                (labels, scores), shown = ranking, fewer
                start -= size
        size //= 2
    return shown


def _described(labels: Array, scores: Array) -> str:
    if labels.size > 10:
        return f"a ranking of {labels.size:,} samples"
    if labels.size == 1:
        return str(labels.tolist())
    if np.unique(scores).size == 1:
        return f"{labels.tolist()} with equal scores"
    if (np.diff(scores) < 0).all():
        return f"{labels.tolist()} from the highest score down"
    return f"{labels.tolist()} with the scores {scores.tolist()}"


def _in_other_form(compared: _Compared, aspect: str) -> Aspect:
    """Compare rankings with what the function returned for them in their original form."""
    part = compared.parts[aspect]
    differs = np.flatnonzero(~_same(part.values, part.before, compared.tolerance)).tolist()
    if not differs:
        return Aspect(aspect, "no difference", True)
    are_wrong = {place for _, place in compared.differing(aspect)}
    place = min(differs, key=lambda place: (place not in are_wrong, _size((part, place))))
    original, source = part.originals[place]
    before, after = original.outcomes[source].said, part.outcomes[place].said
    ranking = _described(*part.rankings[place])
    finding = f"{after} instead of {before} for {ranking}"
    if aspect == "repeated calls":
        finding = f"{before}, and later {after} for {ranking}"
    elif aspect == "order of rows":
        has_ties = [np.unique(part.rankings[i][1]).size < _size((part, i)) for i in differs]
        finding = f"matters{' with ties only' * all(has_ties)}: {finding}"
    else:
        exact = replace(compared.definition, order=compared.order or Order.GROUPED)
        single = replace(exact, reading=Reading.SINGLE)
        as_exact, as_single = (
            _lies_between(part, each, compared.tolerance).all() for each in (exact, single)
        )
        if as_single and not as_exact:
            finding = f"scores are read as float32, so that close ones are tied: {finding}"
    finding += f" ({len(differs):,} of {len(part.rankings):,} rankings)"
    return compared.row(aspect, finding, part, place)


def _changed(compared: _Compared) -> Aspect:
    places = [
        (part, place)
        for part in compared.parts.values()
        for place, outcome in enumerate(part.outcomes)
        if outcome.changed
    ]
    if not places:
        return Aspect("arguments changed", "no", True)
    part, place = min(places, key=_size)
    changed, ranking = part.outcomes[place].changed, _described(*part.rankings[place])
    return compared.row("arguments changed", f"{changed}, as of {ranking}", part, place)


def _compared_with(
    definition: Variant, name: str, calls: _Calls, parts: Parts, tolerance: float
) -> tuple[_Compared, tuple[Aspect, ...]]:
    order = _order_of_ties(definition, parts, tolerance)
    compared = _Compared(calls, parts, definition, name, order, tolerance)
    return compared, tuple(_finding(compared, aspect) for aspect in ASPECTS)


def _audited(calls: _Calls, parts: Parts, tolerance: float) -> Audit:
    """Compare what the function did with the definition that is most alike, or else with step."""
    definition = _most_alike(parts["values"], tolerance)
    reference = definition or Variant(Step())
    compared, rows = _compared_with(reference, reference.name, calls, parts, tolerance)
    tools: tuple[str, ...] = ()
    if definition and all(row.agrees for row in rows if row.aspect in _OWN):
        tools = _tools(definition, compared.order, parts, tolerance)
    tried = [aspect for aspect in ASPECTS if aspect != "repeated calls"]
    return Audit(
        definition=None if definition is None else definition.name,
        agrees=definition is not None and all(row.agrees for row in rows),
        n_rankings=sum(len(parts[aspect].rankings) for aspect in tried),
        n_equal=sum(map(compared.n_equal, tried)),
        tools=tools,
        rows=rows,
        notes=tuple(_notes(calls, parts)),
    )


def _notes(calls: _Calls, parts: Parts) -> Iterator[str]:
    if calls.warnings:
        (text, times), *others = calls.warnings.most_common()
        more = f", and {len(others)} other warnings" * bool(others)
        yield f'In {times:,} calls, the function warned "{_one_line(text)}"{more}.'
    n_skipped = sum(part.n_skipped for part in parts.values())
    if n_skipped:
        yield f"{n_skipped:,} rankings were not tried, to end within {_SECONDS:.0f} seconds."


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
    >>> print(result.rows[1].finding)
    in the order of the rows: [0, 1] with equal scores gives 0.5, [1, 0] gives 1.0; step gives 0.5

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
    calls = _Calls(function)
    parts = _evaluated(calls, np.random.default_rng(seed_of(random_state)))
    return _audited(calls, parts, tolerance)


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
    calls = _Calls(function)
    parts = _evaluated(calls, np.random.default_rng(seed_of(random_state)))
    _, rows = _compared_with(definition, name, calls, parts, tolerance)
    shown = [row for row in rows if row.y_true is not None]
    if not shown:
        return
    row = min(shown, key=lambda row: len(row.y_true or ()))
    raise AssertionError(
        f"{getattr(function, '__name__', function)} isn't {plain_name(make_metric(metric))}:\n\n"
        f"y_true = {_listed(row.y_true)}\ny_score = {_listed(row.y_score)}\n"
        f"value: {row.value}\nexpected: {row.expected}\n{row.aspect}: {row.finding}\n\n"
        f"{_audited(calls, parts, tolerance)}"
    )


def _listed(values: list[Any] | None) -> str:
    return repr(values) if values is None or len(values) <= 200 else f"{values[:20]!r}..."


def _definition_of(metric: str | Metric) -> tuple[Variant, str]:
    """Return what is computed from one ranking, and its name."""
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
