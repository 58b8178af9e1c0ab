"""Plan the rankings that an audit calls a function with, and keep what it did with each."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from inspect import Parameter, signature
from itertools import product
from math import isfinite, nan
from time import perf_counter, process_time
from typing import Any, NamedTuple
from warnings import catch_warnings

import numpy as np

from ..._core import Array, Rankings
from ..wording import shorten_text, write_value

# What is examined, the most serious first, and how a sentence says where a function differs
ASPECTS = {
    "repeated calls": "from call to call",
    "failures": "on some rankings",
    "values": "without ties",
    "ties": "with ties",
    "order of rows": "in another order of rows",
    "no positives": "without positives",
    "no negatives": "without negatives",
    "many samples": "with many samples",
    "weights": "with weights",
    "other scores": "with scores beyond [0, 1]",
    "close scores": "with scores that differ by less than 1e-9",
    "other types": "with labels or scores of other types",
}
# Seconds of work, which don't depend on what else runs. Waiting counts an eighth.
_MAX_SECONDS = 8.0  # all calls but those that look for shapes and smaller rankings
_MAX_SECONDS_OF_FIRST = 60.0  # the first calls, which are made however slow the function is
_MAX_SECONDS_WITH_RETRIES = 10.0
_WAITING = 1 / 8
_MAX_WRITTEN_SCORES = 4
_MAX_WRITTEN_LABELS = 24
_MAX_ERROR_WIDTH = 300

_GRID = 2**20  # random scores are multiples of 1/_GRID, which float32 has exactly
_RANDOM_SIZES = (12, 21, 15, 34, 5, 8, 60, 110, 150, 230) * 6  # drawn twice, the second with ties
_FIRST = (0, 60, 1, 61, 2, 63, 3, 6)  # places of rankings that tell most, every second one tied
_N_FIRST = len(_FIRST) + 2  # two more of a single class
_LARGE_SIZES = (2_000, 10_000)
WEIGHTS = ("sample_weight", "weights", "weight", "w")  # names of a function's parameter

Form = Callable[[Array, Array], tuple[Any, Any]]


# The same ranking in other forms, the most telling of each aspect first, which have the same value
_FORMS: dict[str, tuple[Form, ...]] = {
    "order of rows": (
        lambda y, s: (y[::-1].copy(), s[::-1].copy()),
        lambda y, s: (np.append(y[1::2], y[::2]), np.append(s[1::2], s[::2])),
    ),
    "other scores": (
        lambda y, s: (y, 200 * s - 100),
        lambda y, s: (y, s - 1),
        lambda y, s: (y, s + 1e6),
        lambda y, s: (y, s * 2.0**-40),
    ),
    # Probabilities that are 1 in single precision, and differ by 1e-15 or more
    "close scores": (lambda y, s: (y, 1 - (1 - s) * 1e-9),),
    "other types": (
        lambda y, s: (y, (s * _GRID).astype(np.int64)),
        lambda y, s: (y, s.astype(np.float32)),
        lambda y, s: (y == 1, s),
        lambda y, s: (y.astype(float), s),
    ),
    "repeated calls": (lambda y, s: (y, s),) * 3,
}
_FORMS_OF_PROBABILITIES = ("order of rows", "close scores", "repeated calls")


class Call(NamedTuple):
    """A ranking, and what the function did with it."""

    aspect: str
    labels: Array
    scores: Array
    place: int = 0  # the place of the ranking, which its other forms share
    form: Form | None = None
    weight: Array | None = None
    value: float = nan  # nan, too, if it isn't a number
    error: str = ""  # what happened instead of a number, in words

    @property
    def is_plain(self) -> bool:
        return self.form is None and self.weight is None

    @property
    def rankings(self) -> Rankings:
        scores = np.asarray(self.arguments[1], dtype=float)
        return Rankings(self.labels == 1, scores, self.weight)

    @property
    def arguments(self) -> tuple[Any, Any]:
        """Copies of the ranking as the function gets it."""
        copies = self.labels.copy(), self.scores.copy()
        return copies if self.form is None else self.form(*copies)

    @property
    def result(self) -> str:
        return self.error or write_value(self.value)

    @property
    def is_number(self) -> bool:
        return not self.error and isfinite(self.value)

    @property
    def lists(self) -> tuple[list[Any], list[Any]]:
        labels, scores = self.arguments
        return np.asarray(labels).tolist(), np.asarray(scores).tolist()

    def write_ranking(self) -> str:
        """Write the ranking in words, and its scores if these are few."""
        labels, scores = map(np.asarray, self.arguments)
        is_short = labels.size <= _MAX_WRITTEN_SCORES
        is_untied = self.form is None and name_aspect(labels, scores) == "values"
        if is_short:
            text = f"{labels.tolist()} with scores {', '.join(map(repr, scores.tolist()))}"
        elif is_untied and labels.size <= _MAX_WRITTEN_LABELS:
            ranked = labels[np.argsort(-scores.astype(float))].astype(int)
            text = f"{''.join(map(str, ranked))} from the highest score down"
        else:
            text = f"a ranking of {labels.size:,} samples"
        if self.weight is not None and is_short:
            text += f" and weights {', '.join(map(str, self.weight.tolist()))}"
        if scores.dtype == np.float32:
            text += " as float32"
        return text


def name_aspect(labels: Array, scores: Array) -> str:
    """Return the aspect that a ranking is about."""
    if not labels.any():
        return "no positives"
    if labels.all():
        return "no negatives"
    return "values" if np.unique(scores).size == labels.size else "ties"


# --- which calls are made -------------------------------------------------------------------------


def plan_calls(rng: np.random.Generator, aspects: Sequence[str]) -> tuple[list[Call], list[Call]]:
    """Return the calls that are made however slow the function is, and those made in time.

    The first ones have rankings with and without ties, and one about each other aspect.
    """
    plain = [
        Call(name_aspect(*ranking), *ranking, place)
        for place, ranking in enumerate(draw_rankings(rng))
    ]

    def vary(call: Call, aspect: str) -> list[Call]:
        if aspect == "weights":
            return [call._replace(aspect=aspect, weight=rng.integers(1, 5, call.labels.size))]
        return [call._replace(aspect=aspect, form=form) for form in _FORMS[aspect]]

    first, others = plain[:_N_FIRST], plain[_N_FIRST:]
    for aspect in aspects:
        # Repeated calls show that ties are ranked in a random order.
        call = plain[1] if aspect == "repeated calls" else plain[0]
        first += vary(call, aspect)[:1]
    untied, tied = _choose_rankings(plain, "values", 8), _choose_rankings(plain, "ties", 4)
    for aspect in aspects:
        rankings = untied + tied
        if aspect == "repeated calls":
            rankings = _choose_rankings(plain, "ties", 8)
        elif aspect == "order of rows":
            rankings = untied
        for call in rankings:
            others += vary(call, aspect)
    for size, n_distinct in product(_LARGE_SIZES, (_GRID, 4096)):
        labels = (rng.random(size) < 0.4).astype(np.int64)
        scores = np.floor(rng.permutation(size) / _GRID * n_distinct) / n_distinct
        others.append(Call("many samples", labels, scores, len(plain)))
    return first, others


def _choose_rankings(calls: Sequence[Call], aspect: str, n: int) -> list[Call]:
    """Return some calls of an aspect: the two with the smallest rankings, and others."""
    of_aspect = [call for call in calls if call.aspect == aspect]
    of_aspect.sort(key=lambda call: call.labels.size)
    return of_aspect[:2] + of_aspect[2 :: max(len(of_aspect) // (n - 2), 1)]


def draw_rankings(rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield rankings: random ones, all of up to 3 samples, and those of 4 without ties.

    Rows are in any order. Those of `_FIRST` come first, and one without positives or negatives.
    """
    drawn = [_draw_ranking(rng, size, place) for place, size in enumerate(_RANDOM_SIZES)]
    for place, size in enumerate(_RANDOM_SIZES):
        labels, scores = _draw_ranking(rng, size, place)
        distinct = rng.choice(scores, rng.integers(3, max(size // 2, 4)), replace=False)
        drawn.append((labels, np.sort(rng.choice(distinct, size))[::-1]))
    first = [drawn[place] for place in _FIRST]
    of_one_class = [(np.full(3, label), np.arange(3, 0, -1) / 8) for label in (0, 1)]
    others = [ranking for place, ranking in enumerate(drawn) if place not in _FIRST]
    for labels, scores in (*first, *of_one_class, *_list_small(), *others):
        order = _draw_order(rng, labels.size)
        yield labels[order], scores[order]


def _list_small() -> Iterator[tuple[Array, Array]]:
    for size in (1, 2, 3, 4):
        falls = (1, 0) if size < 4 else (1,)
        for labels in product((0, 1), repeat=size):
            for fall in product(falls, repeat=size - 1):
                yield np.array(labels), (7 - np.cumsum((0, *fall))) / 8


def _draw_ranking(rng: np.random.Generator, size: int, place: int) -> tuple[Array, Array]:
    """Return labels of both classes, half of them ranked well or very well, and falling scores."""
    labels = (rng.random(size) < rng.choice([0.05, 0.2, 0.4, 0.7])).astype(np.int64)
    labels[:2] = 0, 1
    labels = rng.permutation(labels)
    if place % 4 > 1:
        labels = np.sort(labels)[::-1]
        n_swapped = size // 4 * 2 if place % 4 == 2 else 4
        swapped = rng.choice(size, n_swapped, replace=False)
        labels[swapped] = labels[swapped[::-1]]
    return labels, np.sort(rng.choice(_GRID, size, replace=False) / _GRID)[::-1]


def _draw_order(rng: np.random.Generator, size: int) -> Array:
    """Return an order of rows that isn't its own inverse, which a function may take for it."""
    order = np.arange(size)[::-1]
    while size > 2 and np.array_equal(order[order], np.arange(size)):
        order = rng.permutation(size)
    return order


class CallLog:
    """What a function did with each ranking."""

    def __init__(
        self,
        function: Callable[..., Any],
        needs_probabilities: bool = False,
        cutoffs: tuple[float, ...] | None = None,
    ) -> None:
        self.function, self.rng = function, np.random.default_rng(0)
        self.cutoffs = find_cutoffs(function) if cutoffs is None else cutoffs
        parameters = read_parameters(function)
        self.weights_as = next((name for name in WEIGHTS if name in parameters), None)
        self.calls: list[Call] = []
        self.plain: dict[int, Call] = {}  # those in their plain form, by the place of the ranking
        self.skipped: set[str] = set()  # the aspects of which some rankings weren't tried
        self.seconds = 0.0
        # The size of the largest ranking, and the seconds of work that it took, without any waiting
        self._largest, self._longest = 1, 0.0
        aspects = [*(_FORMS_OF_PROBABILITIES if needs_probabilities else _FORMS)]
        if self.weights_as is not None:
            aspects.append("weights")
        first, others = plan_calls(self.rng, aspects)
        self.call(first[0])  # It may import or compile, so its time isn't counted.
        self.seconds = self._longest = 0.0
        for planned in first:
            self._add(planned, _MAX_SECONDS_OF_FIRST)
        self.has_tried_first = not self.skipped
        for planned in others:
            self._add(planned, _MAX_SECONDS)

    @property
    def can_retry(self) -> bool:
        return self.seconds < _MAX_SECONDS_WITH_RETRIES

    @property
    def n_untied(self) -> int:
        return sum(call.aspect == "values" for call in self.calls)

    def write_failure(self) -> str:
        """Write what most rankings of both classes give instead of a number."""
        both = [call for call in self.calls if call.aspect in ("values", "ties")]
        results = [call.result for call in both if not call.is_number]
        return max(results, key=results.count)

    def _add(self, planned: Call, max_seconds: float) -> None:
        """Call the function, if it has ever worked, and if there is time even for n**2 steps."""
        has_worked = any(not call.error for call in self.calls)
        if not has_worked and not planned.is_plain:
            return
        growth = max(planned.labels.size / self._largest, 1) ** 2
        is_slow = self.seconds + self._longest * growth > max_seconds
        if is_slow or not (planned.is_plain or planned.place in self.plain):
            self.skipped.add(planned.aspect)
            return
        called = self.call(planned)
        self.calls.append(called)
        if called.is_plain:
            self.plain[called.place] = called

    def call(self, planned: Call, function: Callable[..., Any] | None = None) -> Call:
        """Call the function, or another one in its place, with a copy of a ranking."""
        arguments, weights = planned.arguments, {}
        if planned.weight is not None and self.weights_as is not None:
            weights[self.weights_as] = planned.weight.copy()
        start, start_of_work = perf_counter(), process_time()
        returned = call_silently(function or self.function, *arguments, **weights)
        waited, work = perf_counter() - start, process_time() - start_of_work
        self.seconds += max(work, waited * _WAITING)
        if planned.labels.size > self._largest:
            self._largest, self._longest = planned.labels.size, 0.0
        if planned.labels.size == self._largest:
            self._longest = max(self._longest, work)
        value, error = read_value(returned)
        return planned._replace(value=value, error=error)


def call_silently(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return what a function returns, or the exception that it raises."""
    printed = io.StringIO()
    with catch_warnings(action="ignore"), redirect_stdout(printed), redirect_stderr(printed):
        try:
            return function(*arguments, **options)
        except (Exception, SystemExit) as raised:  # An exit would end a test without a word.
            return raised


def read_value(returned: Any) -> tuple[float, str]:
    """Return a number, or else nan and what was returned or raised, in words."""
    if isinstance(returned, Exception | SystemExit):
        return nan, shorten_text(f"{type(returned).__name__}: {returned}", _MAX_ERROR_WIDTH)
    is_array = getattr(returned, "ndim", 0) > 0  # NumPy may still make a number of an array of one.
    if not is_array and not isinstance(returned, bool | np.bool_ | str | bytes | complex):
        with suppress(TypeError, ValueError):
            return float(returned), ""
    return nan, f"{shorten_text(repr(returned), 60)}, not a number"


def read_parameters(function: Any) -> dict[str, Parameter]:
    with suppress(TypeError, ValueError):
        return dict(signature(function).parameters)
    return {}


def find_cutoffs(function: Any) -> tuple[float, ...]:
    """Return the numbers among defaults of parameters that may be cutoffs."""
    defaults = [parameter.default for parameter in read_parameters(function).values()]
    numbers = [each for each in defaults if type(each) in (int, float)]
    return tuple(each for each in numbers if 0 < each < 1 or (each > 1 and each == int(each)))
