"""The rankings that an audit calls a function with, and what the function did with each."""

import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
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
# How many rankings of an aspect a function is called with, however slow it is
_N_FIRST = dict.fromkeys(ASPECTS, 1) | {"values": 7, "ties": 4, "many samples": 0}
# The seconds that these may take, if there are to be more. That is decided once, so that an audit
# says the same on a busy machine. Waiting counts an eighth of work.
_QUICK, _QUICK_ENOUGH_FOR_MANY_SAMPLES = 0.4, 0.05
_WAITING = 1 / 8
_MAX_SECONDS_OF_FIRST = 60.0

_GRID = 2**20  # random scores are multiples of 1/_GRID, which float32 has exactly
_SIZES = (21, 34, 12, 230, 60, 15, 8, 110, 5, 150) * 4  # drawn twice, the second with ties
_N_MANY = 2_000
WEIGHTS = ("sample_weight", "weights", "weight", "w")  # names of a function's parameter
_MAX_WRITTEN_SCORES = 4
_MAX_WRITTEN_LABELS = 24
_MAX_ERROR_WIDTH = 300

Form = Callable[[Array, Array], tuple[Any, Any]]


class Call(NamedTuple):
    """A ranking, and what the function did with it."""

    aspect: str
    labels: Array
    scores: Array
    place: int = 0  # among the rankings of its aspect
    form: Form = lambda y, s: (y, s)
    weight: Array | None = None
    plain: tuple[str, int] | None = None  # the aspect and place of the same ranking as it is
    value: float = nan  # nan, too, if it isn't a number
    error: str = ""  # what happened instead of a number, in words

    @property
    def arguments(self) -> tuple[Any, Any]:
        """Copies of the ranking as the function gets it."""
        return self.form(self.labels.copy(), self.scores.copy())

    @property
    def rankings(self) -> Rankings:
        scores = np.asarray(self.arguments[1], dtype=float)
        return Rankings(np.asarray(self.arguments[0]) == 1, scores, self.weight)

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
        if is_short:
            text = f"{labels.tolist()} with scores {', '.join(map(repr, scores.tolist()))}"
        elif self.aspect == "values" and labels.size <= _MAX_WRITTEN_LABELS:
            ranked = labels[np.argsort(-scores)]
            text = f"{''.join(map(str, ranked))} from the highest score down"
        else:
            text = f"a ranking of {labels.size:,} samples"
        if self.weight is not None and is_short:
            text += f" and weights {', '.join(map(str, self.weight.tolist()))}"
        if scores.dtype == np.float32:
            text += " as float32"
        return text


# --- the rankings ---------------------------------------------------------------------------------

# The same ranking in other forms, which have the same value
_FORMS: dict[str, tuple[Form, ...]] = {
    "repeated calls": (lambda y, s: (y, s),) * 3,
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
}
_FORMS_OF_PROBABILITIES = ("order of rows", "close scores", "repeated calls")


@cache
def plan_calls() -> dict[str, tuple[Call, ...]]:
    """Return the rankings of each aspect, those that tell most first."""
    rng = np.random.default_rng(0)
    plan: dict[str, list[Call]] = {
        aspect: [] for aspect in ("values", "ties", "no positives", "no negatives")
    }
    for labels, scores in draw_rankings(rng):
        order = _draw_order(rng, labels.size)
        aspect = name_aspect(labels, scores)
        plan[aspect].append(Call(aspect, labels[order], scores[order]))
    plan["many samples"] = []
    for n_distinct in (_GRID, 4096):
        labels = (rng.random(_N_MANY) < 0.4).astype(np.int64)
        scores = np.floor(rng.permutation(_N_MANY) / _GRID * n_distinct) / n_distinct
        plan["many samples"].append(Call("many samples", labels, scores))
    # Three random rankings and a small one
    places = {kind: (0, 1, 4, len(plan[kind]) - 1) for kind in ("values", "ties")}
    for aspect, forms in _FORMS.items():
        # Repeated calls show that ties are ranked in a random order. Another order of rows doesn't.
        kinds = {"repeated calls": ["ties"], "order of rows": ["values"]}.get(aspect, [*places])
        plan[aspect] = [
            plan[kind][place]._replace(aspect=aspect, form=form, plain=(kind, place))
            for kind in kinds
            for place in places[kind]
            for form in forms
        ]
    plan["weights"] = []
    for kind in places:
        for place in places[kind]:
            call = plan[kind][place]
            weight = rng.integers(1, 5, call.labels.size)
            plan["weights"].append(call._replace(aspect="weights", weight=weight))
    return {
        aspect: tuple(call._replace(place=place) for place, call in enumerate(calls))
        for aspect, calls in plan.items()
    }


def name_aspect(labels: Array, scores: Array) -> str:
    """Return the aspect that a ranking is about."""
    if not labels.any():
        return "no positives"
    if labels.all():
        return "no negatives"
    return "values" if np.unique(scores).size == labels.size else "ties"


def draw_rankings(rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield random rankings, all of up to 3 samples, and those of 4 without ties."""
    for place, size in enumerate(_SIZES):
        yield _draw_ranking(rng, size, place)
    for place, size in enumerate(_SIZES[len(_SIZES) // 4 :]):
        labels, scores = _draw_ranking(rng, size, place)
        distinct = rng.choice(scores, rng.integers(3, max(size // 2, 4)), replace=False)
        yield labels, np.sort(rng.choice(distinct, size))[::-1]
    small_scores = np.array([0.9, 0.7, 0.4, 0.2])
    for size in (3, 1, 2, 4):
        falls = (1, 0) if size < 4 else (1,)
        for of_samples in product((0, 1), repeat=size):
            for fall in product(falls, repeat=size - 1):
                yield np.array(of_samples), small_scores[np.cumsum((0, *fall))]


def _draw_ranking(rng: np.random.Generator, size: int, place: int) -> tuple[Array, Array]:
    """Return labels of both classes, and falling scores. Some are ranked well, some so badly
    that the top has no positives.
    """
    n_positives = max(int(size * rng.choice([0.05, 0.2, 0.4, 0.7])), 1)
    if n_positives > 10:  # Multiples of 10 make recalls that are levels but for rounding.
        n_positives -= n_positives % 10
    labels = (np.arange(size) < n_positives).astype(np.int64)
    kind = (place + place // 10) % 5
    if kind < 2:
        labels = rng.permutation(labels)
    elif kind == 4:
        labels = labels[::-1]
    else:
        swapped = rng.choice(size, size // 4 * 2 if kind == 2 else 4, replace=False)
        labels[swapped] = labels[swapped[::-1]]
    return labels, np.sort(rng.choice(_GRID, size, replace=False) / _GRID)[::-1]


def _draw_order(rng: np.random.Generator, size: int) -> Array:
    """Return an order of rows that isn't its own inverse, which a function may take for it."""
    order = np.arange(size)[::-1]
    while size > 2 and np.array_equal(order[order], np.arange(size)):
        order = rng.permutation(size)
    return order


# --- the calls ------------------------------------------------------------------------------------


class CallLog:
    """What a function did with each ranking."""

    def __init__(
        self,
        function: Callable[..., Any],
        needs_probabilities: bool = False,
        cutoffs: tuple[float, ...] | None = None,
    ) -> None:
        self.function = function
        self.cutoffs = find_cutoffs(function) if cutoffs is None else cutoffs
        parameters = read_parameters(function)
        self.weights_as = next((name for name in WEIGHTS if name in parameters), None)
        left_out = {*_FORMS} - {*_FORMS_OF_PROBABILITIES} if needs_probabilities else set()
        if self.weights_as is None:
            left_out.add("weights")
        plan = {aspect: calls for aspect, calls in plan_calls().items() if aspect not in left_out}
        self.calls: dict[str, list[Call]] = {aspect: [] for aspect in plan}

        self.seconds = 0.0
        self.call(plan["values"][0])  # It may import or compile, so its time isn't counted.
        self.seconds = 0.0
        self._continue(plan, _N_FIRST, _MAX_SECONDS_OF_FIRST)
        self.has_tried_first = self.seconds < _MAX_SECONDS_OF_FIRST
        self.is_quick = self.seconds < _QUICK
        if self.is_quick:
            n_many = 2 if self.seconds < _QUICK_ENOUGH_FOR_MANY_SAMPLES else 0
            sizes = {aspect: len(calls) for aspect, calls in plan.items()}
            self._continue(plan, sizes | {"many samples": n_many})
        # The aspects of which some rankings weren't tried
        self.skipped = {each for each in plan if len(self.calls[each]) < len(plan[each])}

    def _continue(
        self,
        plan: dict[str, tuple[Call, ...]],
        sizes: dict[str, int],
        max_seconds: float = np.inf,
    ) -> None:
        """Make so many calls of each aspect, those in other forms if the function ever works."""
        for aspect, planned in plan.items():
            if aspect in (*_FORMS, "weights") and not any(map(self.select, ("values", "ties"))):
                continue
            for call in planned[len(self.calls[aspect]) : sizes[aspect]]:
                if self.seconds < max_seconds:
                    self.calls[aspect].append(self.call(call))

    def select(self, *aspects: str) -> list[Call]:
        """Return the calls of some aspects that gave a number."""
        made = [call for aspect in aspects for call in self.calls.get(aspect, ())]
        return [call for call in made if call.is_number]

    def get_plain(self, call: Call) -> Call:
        """Return the call with the same ranking as it is."""
        assert call.plain is not None
        aspect, place = call.plain
        return self.calls[aspect][place]

    def write_failure(self) -> str:
        """Write what most rankings of both classes give instead of a number."""
        both = self.calls["values"] + self.calls["ties"]
        results = [call.result for call in both if not call.is_number]
        return max(results, key=results.count)

    def call(self, planned: Call, function: Callable[..., Any] | None = None) -> Call:
        """Call the function, or another one in its place, with a copy of a ranking."""
        arguments, weights = planned.arguments, {}
        if planned.weight is not None and self.weights_as is not None:
            weights[self.weights_as] = planned.weight.copy()
        start, start_of_work = perf_counter(), process_time()
        returned = call_silently(function or self.function, *arguments, **weights)
        waited, work = perf_counter() - start, process_time() - start_of_work
        self.seconds += max(work, waited * _WAITING)
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
    numbers = [default for default in defaults if type(default) in (int, float)]
    shares = [k for k in numbers if 0 < k < 1]
    return *shares, *(int(k) for k in numbers if 1 < k <= 2**53 and k % 1 == 0)
