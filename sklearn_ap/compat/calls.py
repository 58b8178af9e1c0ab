"""The calls of an audit: which rankings a function gets, and what it did with each."""

import io
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from inspect import Parameter, signature
from itertools import product
from math import isfinite, nan
from textwrap import shorten
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from .._core import Array

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
_MAX_SECONDS = 8.0  # of the calls, and of those that look for smaller rankings, too
_MAX_SECONDS_WITH_RETRIES = 10.0
_MAX_SECONDS_OF_FIRST = 60.0  # of the calls that are made however slow the function is
_MAX_WRITTEN_SCORES = 4
_MAX_WRITTEN_LABELS = 24
_MAX_ERROR_WIDTH = 300

_GRID = 2**20  # random scores are multiples of 1/_GRID, which float32 has exactly
_RANDOM_SIZES = (12, 21, 15, 34, 5, 8, 60, 110, 150, 230) * 6  # without ties, and again with ties
_FIRST = (0, 60, 1, 61, 2, 63, 3, 6)  # places of rankings that tell most, every second one tied
_LARGE_SIZES = (2_000, 10_000)
_WEIGHTS = ("sample_weight", "weights", "weight", "w")  # names of a function's parameter

Form = Callable[[Array, Array], tuple[Any, Any]]


def _make_read_only(labels: Array, scores: Array) -> tuple[Array, Array]:
    labels.flags.writeable = scores.flags.writeable = False
    return labels, scores


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
        _make_read_only,
    ),
    "repeated calls": (lambda y, s: (y, s),) * 3,
}
_FORMS_OF_PROBABILITIES = ("order of rows", "close scores", "repeated calls")
_FORMS_OF_TIES = ("repeated calls",)  # which show that ties are ranked in a random order


class Call(NamedTuple):
    """A ranking, and what the function did with it."""

    aspect: str
    labels: Array
    scores: Array
    form: Form | None = None
    original: int | None = None  # the place of the call that had this ranking in its plain form
    weight: Array | None = None
    value: float = nan  # also if it isn't a number
    error: str = ""  # what happened instead of a number, in words

    @property
    def passed(self) -> tuple[Any, Any]:
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
        labels, scores = self.passed
        return np.asarray(labels).tolist(), np.asarray(scores).tolist()

    @property
    def ranking(self) -> str:
        """The ranking in words, without its scores if these are many and tell nothing more."""
        labels, scores = map(np.asarray, self.passed)
        is_short = labels.size <= _MAX_WRITTEN_LABELS
        if labels.size <= _MAX_WRITTEN_SCORES:
            text = f"{labels.tolist()} with scores {', '.join(map(repr, scores.tolist()))}"
        elif self.form is None and name_aspect(labels, scores) == "values" and is_short:
            ranked = labels[np.argsort(-scores.astype(float))].astype(int)
            text = f"{''.join(map(str, ranked))} from the highest score down"
        else:
            text = f"a ranking of {labels.size:,} samples"
        if self.weight is not None and labels.size <= _MAX_WRITTEN_SCORES:
            text += f" and weights {', '.join(map(str, self.weight.tolist()))}"
        if scores.dtype == np.float32:
            text += " as float32"
        return text


def write_value(value: float) -> str:
    return str(round(float(value), 4) + 0.0)  # which is 0.0 for -0.0


def name_aspect(labels: Array, scores: Array) -> str:
    """Return the aspect that a ranking is about."""
    if not labels.any():
        return "no positives"
    if labels.all():
        return "no negatives"
    return "values" if np.unique(scores).size == labels.size else "ties"


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
    first += [(np.full(3, label), np.arange(3, 0, -1) / 8) for label in (0, 1)]
    others = [each for place, each in enumerate(drawn) if place not in _FIRST]
    for labels, scores in (*first, *_list_small(), *others):
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


class Log:
    """What a function did with each ranking.

    The first call of all isn't counted, since it may import or compile. However slow the function
    is, it gets the first rankings, ties among them, and one in each other form. The others are
    tried as long as there is time.
    """

    def __init__(self, function: Callable[..., Any], needs_probabilities: bool = False) -> None:
        self.function, self.rng = function, np.random.default_rng(0)
        parameters = read_parameters(function)
        self.weights_as = next((name for name in _WEIGHTS if name in parameters), None)
        self.calls: list[Call] = []
        self.skipped: set[str] = set()  # the aspects of which some rankings weren't tried
        self.seconds = 0.0
        # The size of the largest ranking, and the seconds of work that it took, without any waiting
        self._largest, self._longest = 1, 0.0
        rankings = [Call(name_aspect(*each), *each) for each in draw_rankings(self.rng)]
        self.call(rankings[0])
        self.seconds = self._longest = 0.0
        forms = _FORMS_OF_PROBABILITIES if needs_probabilities else [*_FORMS]
        n_first = len(_FIRST) + 2
        for trial in rankings[:n_first]:
            self.add(trial, is_first=True)
        if not all(call.error for call in self.calls):
            self._add_first_forms(forms)
        self.lacks_first = bool(self.skipped)
        for trial in rankings[n_first:]:
            self.add(trial)
        if not all(call.error for call in self.calls):
            self._add_forms(forms)
            self._add_weights()
            self._add_many_samples()

    @property
    def can_retry(self) -> bool:
        return self.seconds < _MAX_SECONDS_WITH_RETRIES

    def _add_first_forms(self, forms: Iterable[str]) -> None:
        """Try one form of each aspect, the first ranking's or of ties the second one's."""
        untied = self.calls[0]
        for aspect in forms:
            place = int(aspect in _FORMS_OF_TIES)
            call, form = self.calls[place], _FORMS[aspect][0]
            self.add(Call(aspect, call.labels, call.scores, form, place), is_first=True)
        if self.weights_as is not None:
            weight = self.rng.integers(1, 5, untied.labels.size)
            self.add(Call("weights", untied.labels, untied.scores, None, 0, weight), is_first=True)

    def _add_forms(self, forms: Iterable[str]) -> None:
        for aspect in forms:
            places = self._choose("ties" if aspect in _FORMS_OF_TIES else "values", 8)
            if aspect not in (*_FORMS_OF_TIES, "order of rows"):
                places += self._choose("ties", 4)
            for place, form in product(places, _FORMS[aspect]):
                call = self.calls[place]
                self.add(Call(aspect, call.labels, call.scores, form, place))

    def _add_weights(self) -> None:
        if self.weights_as is None:
            return
        for place in self._choose("values", 8) + self._choose("ties", 4):
            call = self.calls[place]
            weight = self.rng.integers(1, 5, call.labels.size)
            self.add(Call("weights", call.labels, call.scores, None, place, weight))

    def _add_many_samples(self) -> None:
        for size, n_distinct in product(_LARGE_SIZES, (_GRID, 4096)):
            labels = (self.rng.random(size) < 0.4).astype(np.int64)
            scores = self.rng.permutation(size) / _GRID
            self.add(Call("many samples", labels, np.floor(scores * n_distinct) / n_distinct))

    def _choose(self, aspect: str, n: int) -> list[int]:
        """Return the places of some calls of an aspect: the two smallest, and others."""
        places = [place for place, call in enumerate(self.calls) if call.aspect == aspect]
        places.sort(key=lambda place: self.calls[place].labels.size)
        return places[:2] + places[2 :: max(len(places) // (n - 2), 1)]

    def add(self, trial: Call, is_first: bool = False) -> None:
        """Call the function, if there is time even for n**2 steps, and if it has ever worked."""
        growth = max(trial.labels.size / self._largest, 1) ** 2
        limit = _MAX_SECONDS_OF_FIRST if is_first else _MAX_SECONDS
        is_slow = self.seconds + self._longest * growth > limit
        if is_slow or (len(self.calls) > 50 and all(call.error for call in self.calls[:50])):
            self.skipped.add(trial.aspect)
        else:
            self.calls.append(self.call(trial))

    def call(self, trial: Call) -> Call:
        """Call the function with a copy of a ranking."""
        passed, weights = trial.passed, {}
        if trial.weight is not None and self.weights_as is not None:
            weights[self.weights_as] = trial.weight.copy()
        value, error, printed = nan, "", io.StringIO()
        start, start_of_work = perf_counter(), process_time()
        with (
            warnings.catch_warnings(),
            redirect_stdout(printed),
            redirect_stderr(printed),
        ):
            warnings.simplefilter("ignore")
            try:
                value, error = read_value(self.function(*passed, **weights))
            except (Exception, SystemExit) as raised:  # an exit would end a test without a word
                error = shorten_text(f"{type(raised).__name__}: {raised}", _MAX_ERROR_WIDTH)
        self.seconds += perf_counter() - start
        if trial.labels.size > self._largest:
            self._largest, self._longest = trial.labels.size, 0.0
        if trial.labels.size == self._largest:
            self._longest = max(self._longest, process_time() - start_of_work)
        return trial._replace(value=value, error=error)


def shorten_text(text: str, width: int) -> str:
    return shorten(text.rstrip(": "), width, placeholder=" ...")


def read_value(returned: Any) -> tuple[float, str]:
    """Return a number, or else nan and what was returned, in words."""
    is_array = getattr(returned, "ndim", 0) > 0  # NumPy may still make a number of an array of one
    if not is_array and not isinstance(returned, bool | np.bool_ | str | bytes | complex):
        with suppress(TypeError, ValueError):
            return float(returned), ""
    return nan, f"{shorten_text(repr(returned), 60)}, not a number"


def read_parameters(function: Any) -> dict[str, Parameter]:
    with suppress(TypeError, ValueError):
        return dict(signature(function).parameters)
    return {}
