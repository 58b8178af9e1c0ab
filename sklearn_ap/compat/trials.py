"""Call a function with rankings of many kinds, and note what it does."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from inspect import signature
from itertools import product
from math import ceil, nan
from textwrap import shorten
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np

from .._infer.requests import seed_of
from .._words.messages import count_of
from ..core.within import Array

_MOST_TIED, MOST_UNTIED = 5, 6  # samples, of which all rankings are tried
# Of the random rankings: few different ones, because some functions compile for each
_SIZES = np.repeat((10, 20, 50, 100, 200), 50).tolist()
_LARGE = (2_000, 20_000)  # samples
_GRID = 2**20  # random scores are multiples of 1/_GRID, which are exact as float32
_N_FORMS = 12  # rankings in other forms
_N_REPEATS = 3
_SECONDS = 30.0
_SECONDS_OF_REST = 2.5  # which calls with all but the first rankings may take
_EVERY = 9  # of the first rankings, one of so many; it's odd, as ties alternate
_SECONDS_OF_COMPILING = 2.0  # a call which takes longer may import or compile something
_MOST_COMPILED = 5  # of these calls don't count: of each type of labels and scores
MOST_CALLS = 1500
_MOST_TEXT = 90  # characters of errors and warnings

# The same ranking in another form, or again, which has the same value
FORMS: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
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
# Those of other scores
OF_SCORES = ("negative scores", "shifted", "scaled", "integers", "float32", "beyond [0, 1]")
WITH_BOTH = ("values", "ties", "constant scores")  # labels
EDGES = ("no positives", "all positives", "one sample")
SOUND = ("arguments changed", "repeated calls")  # whatever the function computes
ASPECTS = (
    *("values", "ties", "order of rows", *EDGES, "constant scores", "negative scores", "shifted"),
    *("scaled", "integers", "float32", "beyond [0, 1]", "many samples", "bool labels", *SOUND),
    "weights",
)


# --- the rankings --------------------------------------------------------------------------------


def small_rankings() -> Iterator[tuple[Array, Array]]:
    """Yield all labels with all patterns of ties, from the highest score down.

    The scores are multiples of 1/8, which are exact, from 7/8.
    """
    for size in range(1, MOST_UNTIED + 1):
        falls = (1, 0) if size <= _MOST_TIED else (1,)  # by 1/8, or 0 for a tie
        for labels in product((0, 1), repeat=size):
            for falls_of_scores in product(falls, repeat=size - 1):
                yield np.array(labels), (7 - np.cumsum((0, *falls_of_scores))) / 8


def random_ranking(size: int, is_tied: bool, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return a ranking with both labels, from the highest score down."""
    labels = (rng.random(size) < rng.choice([0.02, 0.1, 0.3, 0.7])).astype(np.int64)
    labels[rng.choice(size, 2, replace=False)] = 0, 1  # so that both are there
    scores = rng.choice(_GRID, size, replace=False)
    if is_tied:
        n_distinct = rng.integers(3, rng.choice([4, size]))  # at most, and often 3
        scores = rng.choice(scores[:n_distinct], size)
    return labels, np.sort(scores)[::-1] / _GRID


def _order_of_rows(size: int, rng: np.random.Generator) -> Array:
    """Return an order of rows which, from three on, isn't its own inverse.

    So a function that ranks by the inverse has another value, and rows are neither sorted nor in
    reverse order.
    """
    if size < 3:
        return np.arange(size)[::-1]
    while True:
        order: Array = rng.permutation(size)
        if not np.array_equal(order[order], np.arange(size)):
            return order


def _interleaved(rows: Array) -> Array:
    """Move every second row to the front."""
    return np.concatenate((rows[1::2], rows[::2]))


def aspect_of(labels: Array, scores: Array) -> str:
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


class Call(NamedTuple):
    """A ranking, and what the function did with it."""

    aspect: str
    labels: Array
    scores: Array
    original: int  # the number of the call with this ranking in its original form; its own if this
    value: float  # nan if it isn't a number
    returned: str  # what the function returned, in words
    error: str  # in words, after a colon; empty if there was none
    changed: str  # the arguments that the function has changed; empty if it hasn't
    weights: Array | None = None

    @property
    def n_open(self) -> float:
        """How much the order of ties matters: the samples of a score, and how mixed they are."""
        return float(self.labels.size / np.unique(self.scores).size * np.var(self.labels))

    @property
    def ranking(self) -> str:
        if self.labels.size > MOST_UNTIED:
            return f"a ranking of {self.labels.size:,} samples"
        if np.unique(self.scores).size == 1 < self.labels.size:
            return f"{self.labels.tolist()} with equal scores"
        if self.labels.size == 1:
            return f"{self.labels.tolist()}"
        scores = ", ".join(f"{score:.9g}" for score in self.scores.tolist())
        return f"{self.labels.tolist()} with scores {scores}"


class NotTried(BaseException):  # which isn't an error of the function
    """Raised in place of a value for a ranking that a file can't have."""


class CallLog:
    """A function with the calls of it, and with the warnings and the time that they took."""

    def __init__(
        self, function: Callable[..., Any], random_state: Any, left_out: Collection[str] = ()
    ) -> None:
        self.function = function
        self.left_out = left_out  # aspects
        self.calls: list[Call] = []
        self.weighted: list[Call] = []
        self.n_called = 0
        self.n_compiled = 0
        self.skipped: Counter[str] = Counter()  # rankings, by their aspect
        self.warnings: Counter[str] = Counter()
        self.began, self.until = perf_counter(), _SECONDS  # `until` counts from `began`
        self.seconds: dict[int, float] = {}  # that the fastest call of each size took
        self.rng = np.random.default_rng(seed_of(random_state))
        self.orders: dict[int, Array] = {}  # of rows, for each size

    def try_all(self) -> Self:
        """Call the function with the rankings of all aspects, first with some of each."""
        rankings = self.rankings()
        is_first = [y.size <= 3 or i % _EVERY == 0 for i, (y, _) in enumerate(rankings)]
        first = [ranking for ranking, comes in zip(rankings, is_first, strict=True) if comes]
        rest = [ranking for ranking, comes in zip(rankings, is_first, strict=True) if not comes]
        self.try_rankings(first, _SECONDS / 2)
        for size in _LARGE:
            ranking = self.shuffled(*random_ranking(size, False, self.rng))
            self.add("many samples", *ranking)
        self.try_forms()
        self.try_weights()
        # Slow functions get every second, third, ... of the others.
        seconds = sum(self.seconds.get(labels.size, 0.0) for labels, _ in rest)
        one_of = max(ceil(seconds / _SECONDS_OF_REST), 1)
        self.try_rankings(rest[::one_of])
        self.skipped["values"] += len(rest) - len(rest[::one_of])
        return self

    def rankings(self) -> list[tuple[Array, Array]]:
        """Return the small rankings and random ones."""
        random = (random_ranking(size, i % 2 == 1, self.rng) for i, size in enumerate(_SIZES))
        return [self.shuffled(*ranking) for ranking in (*small_rankings(), *random)]

    def shuffled(self, labels: Array, scores: Array) -> tuple[Array, Array]:
        """Put the rows of a ranking in the order for its size."""
        if labels.size not in self.orders:
            self.orders[labels.size] = _order_of_rows(labels.size, self.rng)
        order = self.orders[labels.size]
        return labels[order], scores[order]

    def try_rankings(
        self, rankings: Iterable[tuple[Array, Array]], until: float = _SECONDS
    ) -> None:
        """Call the function with rankings as long as it ends in time."""
        self.until = until
        for labels, scores in rankings:
            self.add(aspect_of(labels, scores), labels, scores)
        self.until = _SECONDS

    def try_forms(self) -> None:
        """Call the function with other forms of some rankings, and again with some tied ones."""
        plain = self.some(*WITH_BOTH)
        tied = [i for i, call in enumerate(self.calls) if call.aspect == "ties"]
        tied.sort(key=lambda i: self.calls[i].n_open, reverse=True)
        for place in range(_N_FORMS):  # so that slow functions get to each form
            for aspect, change in FORMS.items():
                is_repeated = aspect == "repeated calls"
                originals = tied if is_repeated else plain
                if aspect in self.left_out or place >= len(originals):
                    continue
                call = self.calls[originals[place]]
                labels, scores = change(call.labels, call.scores)
                for _ in range(_N_REPEATS if is_repeated else 1):
                    self.add(aspect, labels, scores, originals[place])

    def try_weights(self) -> None:
        """Call a function that takes weights with whole ones."""
        with suppress(TypeError, ValueError):  # not all functions have a signature
            if "sample_weight" in signature(self.function).parameters:
                for original in self.some("values"):
                    call = self.calls[original]
                    weights = self.rng.integers(1, 4, call.labels.size)
                    weighed = self.call("weights", call.labels, call.scores, original, weights)
                    self.weighted.append(weighed)

    def some(self, *aspects: str) -> list[int]:
        """Return the numbers of a few calls about some aspects: small ones, and of all sizes."""
        places = [i for i, call in enumerate(self.calls) if call.aspect in aspects]
        places.sort(key=lambda i: self.calls[i].labels.size)
        n_small = _N_FORMS // 3
        step = max((len(places) - n_small) // (_N_FORMS - n_small), 1)
        return places[:n_small] + places[n_small:][::-step][: _N_FORMS - n_small]

    def has_time(self, size: int) -> bool:
        """Whether a call ends in time, if its time grows at most like the square of the size."""
        longest = [seconds * max(size / tried, 1) ** 2 for tried, seconds in self.seconds.items()]
        return perf_counter() - self.began + min(longest, default=0.0) <= self.until

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
        with suppress(NotTried):
            self.calls.append(self.call(aspect, labels, scores, original))

    def call(
        self,
        aspect: str,
        labels: Array,
        scores: Array,
        original: int = 0,
        weights: Array | None = None,
    ) -> Call:
        """Call the function with copies, and note how long it took and what it warned of."""
        self.n_called += 1
        y_true, y_score = labels.copy(), scores.copy()
        options = {} if weights is None else {"sample_weight": weights.copy()}
        error = ""
        start = perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value, returned = _value_returned(self.function(y_true, y_score, **options))
            except (Exception, SystemExit) as raised:  # which would end a test without a word
                value, returned = nan, "an error"
                error = shorten(f": {type(raised).__name__}: {raised}", _MOST_TEXT).rstrip(": ")
        seconds = perf_counter() - start
        may_compile = self.n_called == 1 or seconds > _SECONDS_OF_COMPILING
        if may_compile and self.n_compiled < _MOST_COMPILED:
            self.n_compiled += 1
            self.began += seconds
        else:
            self.seconds[labels.size] = min(self.seconds.get(labels.size, seconds), seconds)
        # Each warning counts once for a call.
        self.warnings.update({f"{each.category.__name__}: {each.message}" for each in caught})
        pairs = {"y_true": (y_true, labels), "y_score": (y_score, scores)}
        changed = " and ".join(name for name, pair in pairs.items() if not np.array_equal(*pair))
        return Call(aspect, labels, scores, original, value, returned, error, changed, weights)

    def notes(self) -> Iterator[str]:
        if self.warnings:
            text, n_calls = self.warnings.most_common(1)[0]
            n_more = len(self.warnings) - 1
            more = f", and {count_of(n_more, 'others')}" if n_more else ""
            yield f'In {n_calls:,} calls, the function warned "{shorten(text, _MOST_TEXT)}"{more}.'
        n_skipped = self.skipped.total()
        if n_skipped:
            rankings = "1 ranking was" if n_skipped == 1 else f"{n_skipped:,} rankings were"
            yield f"{rankings} not tried, because the function is slow."


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
    return value, six_digits(value)


def six_digits(value: float) -> str:
    return repr(float(f"{value:.6g}"))
