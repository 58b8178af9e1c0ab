"""The rankings that an audit calls a function with, and what the function did with each."""

import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from inspect import Parameter, signature
from itertools import product
from math import isfinite, nan
from time import perf_counter, process_time
from typing import Any, NamedTuple
from warnings import catch_warnings

import numpy as np

from ..._core import Array
from ..wording import shorten_text, write_value

# What is examined, the most serious first, and how a sentence says where a function differs
ASPECTS = {
    "failures": "on some rankings",
    "values": "without ties",
    "ties": "with ties",
    "order of rows": "in another order of rows",
    "no positives": "without positives",
    "no negatives": "without negatives",
    "many samples": "with many samples",
    "other scores": "with scores beyond [0, 1]",
    "close scores": "with scores that differ by less than 1e-9",
}
# How many rankings of an aspect a function is called with, however slow it is
_N_FIRST = dict.fromkeys(ASPECTS, 1) | {"values": 7, "ties": 4, "many samples": 0}
# The seconds that these may take, if there are to be more. That is decided once, so that an audit
# says the same on a busy machine. Waiting counts an eighth of work.
_QUICK, _QUICK_ENOUGH_FOR_MANY_SAMPLES = 0.4, 0.05
_WAITING = 1 / 8

_GRID = 2**20  # random scores are multiples of 1/_GRID, which float32 has exactly
# Drawn twice, the second time with ties. 1, 5 and 10% of these are rounded up or down.
_SIZES = (21, 34, 12, 227, 57, 15, 8, 113, 5, 164) * 4
_N_MANY = 1_970  # of which 1% are no whole samples
_MAX_ERROR_WIDTH = 300


class Call(NamedTuple):
    """A ranking, and what the function did with it."""

    aspect: str
    labels: Array
    scores: Array
    place: int  # among the rankings of its aspect
    plain: int | None = None  # the place of the same ranking among those without ties
    value: float = nan  # nan, too, if it isn't a number
    error: str = ""  # what happened instead of a number, in words

    @property
    def result(self) -> str:
        return self.error or write_value(self.value)

    @property
    def is_number(self) -> bool:
        return not self.error and isfinite(self.value)


# --- the rankings ---------------------------------------------------------------------------------

# The same ranking in other forms, which have the same value
_FORMS: dict[str, tuple[Callable[[Array, Array], tuple[Array, Array]], ...]] = {
    "order of rows": (
        lambda y, s: (y[::-1], s[::-1]),
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
}


@cache
def plan_calls() -> dict[str, list[Call]]:
    """Return the rankings of each aspect, those that tell most first."""
    rng = np.random.default_rng(26)  # With this seed, they tell the most definitions apart.
    plan: dict[str, list[Call]] = {aspect: [] for aspect in ASPECTS if aspect != "failures"}

    def add(labels: Array, scores: Array) -> None:
        """Add a ranking, in an order of rows that isn't its own inverse.

        A function may take one for the other.
        """
        order = np.arange(labels.size)[::-1]
        while labels.size > 2 and np.array_equal(order[order], np.arange(labels.size)):
            order = rng.permutation(labels.size)
        aspect = "values" if np.unique(scores).size == labels.size else "ties"
        if labels.all():
            aspect = "no negatives"
        elif not labels.any():
            aspect = "no positives"
        plan[aspect].append(Call(aspect, labels[order], scores[order], len(plan[aspect])))

    for place, size in enumerate(_SIZES):
        add(*_draw_ranking(rng, size, place))
    for place, size in enumerate(_SIZES[len(_SIZES) // 4 :]):
        labels, scores = _draw_ranking(rng, size, place)
        distinct = rng.choice(scores, rng.integers(3, max(size // 2, 4)), replace=False)
        add(labels, np.sort(rng.choice(distinct, size))[::-1])
    # All rankings of up to 3 samples, and those of 4 without ties
    small_scores = np.array([0.9, 0.7, 0.4, 0.2])
    for size in (3, 1, 2, 4):
        falls = (1, 0) if size < 4 else (1,)
        for of_samples in product((0, 1), repeat=size):
            for fall in product(falls, repeat=size - 1):
                add(np.array(of_samples), small_scores[np.cumsum((0, *fall))])
    for place, n_distinct in enumerate((_GRID, 4096)):
        labels = (rng.random(_N_MANY) < 0.4).astype(np.int64)
        scores = np.floor(rng.permutation(_N_MANY) / _GRID * n_distinct) / n_distinct
        plan["many samples"].append(Call("many samples", labels, scores, place))
    # Three random rankings and a small one
    for aspect, forms in _FORMS.items():
        for plain in (0, 1, 4, len(plan["values"]) - 1):
            for form in forms:
                labels, scores = form(plan["values"][plain].labels, plan["values"][plain].scores)
                plan[aspect].append(Call(aspect, labels, scores, len(plan[aspect]), plain))
    return plan


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
        if cutoffs is None:  # the numbers among defaults of parameters that may be cutoffs
            defaults = [parameter.default for parameter in read_parameters(function).values()]
            numbers = [default for default in defaults if type(default) in (int, float)]
            shares = [k for k in numbers if 0 < k < 1]
            cutoffs = *shares, *(int(k) for k in numbers if 1 < k <= 2**53 and k % 1 == 0)
        self.cutoffs = cutoffs
        plan = plan_calls() | ({"other scores": []} if needs_probabilities else {})
        self.calls: dict[str, list[Call]] = {aspect: [] for aspect in plan}

        self.seconds = 0.0
        self.call(plan["values"][0])  # It may import or compile, so its time isn't counted.
        self.seconds = 0.0
        for aspect, planned in plan.items():
            self.calls[aspect] += map(self.call, planned[: _N_FIRST[aspect]])
        self.is_quick = self.seconds < _QUICK
        has_time_for_many = self.seconds < _QUICK_ENOUGH_FOR_MANY_SAMPLES
        if self.is_quick:
            for aspect, planned in plan.items():
                if aspect != "many samples" or has_time_for_many:
                    self.calls[aspect] += map(self.call, planned[_N_FIRST[aspect] :])
        self.n_made = sum(map(len, self.calls.values()))
        self.n_planned = sum(map(len, plan.values()))

    def select(self, *aspects: str) -> list[Call]:
        """Return the calls of some aspects that gave a number."""
        return [call for aspect in aspects for call in self.calls[aspect] if call.is_number]

    def get_plain_values(self, calls: list[Call]) -> Array:
        """Return the values of the same rankings as they are."""
        return np.array([self.calls["values"][call.plain or 0].value for call in calls])

    def call(self, planned: Call, function: Callable[..., Any] | None = None) -> Call:
        """Call the function, or another one in its place, with a copy of a ranking."""
        labels, scores = planned.labels.copy(), planned.scores.copy()
        start, start_of_work = perf_counter(), process_time()
        returned = call_silently(function or self.function, labels, scores)
        waited, work = perf_counter() - start, process_time() - start_of_work
        self.seconds += max(work, waited * _WAITING)
        if isinstance(returned, Exception | SystemExit):
            error = shorten_text(f"{type(returned).__name__}: {returned}", _MAX_ERROR_WIDTH)
            return planned._replace(error=error)
        # NumPy may still make a number of an array of one.
        is_array = getattr(returned, "ndim", 0) > 0
        if not is_array and not isinstance(returned, bool | np.bool_ | str | bytes | complex):
            with suppress(TypeError, ValueError):
                return planned._replace(value=float(returned))
        return planned._replace(error=f"{shorten_text(repr(returned), 60)}, not a number")


def call_silently(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns, or the exception that it raises."""
    printed = io.StringIO()
    with catch_warnings(action="ignore"), redirect_stdout(printed), redirect_stderr(printed):
        try:
            return function(*arguments)
        except (Exception, SystemExit) as raised:  # An exit would end a test without a word.
            return raised


def read_parameters(function: Any) -> dict[str, Parameter]:
    with suppress(TypeError, ValueError):
        return dict(signature(function).parameters)
    return {}
