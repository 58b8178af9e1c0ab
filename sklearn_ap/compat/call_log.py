"""Call a function with rankings of many kinds, and note what it does in each aspect."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, signature
from itertools import pairwise, product
from math import isnan, nan
from textwrap import shorten
from time import perf_counter, process_time
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit

from .._infer.settings import make_seed
from .._package import read_toml
from .._words.heard_warnings import hear_warnings
from .._words.messages import format_small_fraction
from ..core.ragged import Array

GRID = 2**20  # random scores are multiples of 1/GRID, which are exact as float32

Form = Callable[[Array, Array], tuple[Array, Array]]


# The same ranking in other forms, or again, which has the same value
FORMS: dict[str, tuple[Form, ...]] = {
    "order of rows": (lambda labels, scores: (_interleave_rows(labels), _interleave_rows(scores)),),
    "negative scores": (
        lambda labels, scores: (labels, scores - 1),
        lambda labels, scores: (labels, _center_scores(scores)),
        lambda labels, scores: (labels, _negate_zeros(_center_scores(scores))),
    ),
    "shifted": (lambda labels, scores: (labels, scores + 1e6),),
    "scaled": (lambda labels, scores: (labels, scores * 2.0**-40),),
    "integers": (lambda labels, scores: (labels, (scores * GRID).astype(np.int64)),),
    "float32": (lambda labels, scores: (labels, scores.astype(np.float32)),),
    "beyond [0, 1]": (
        lambda labels, scores: (labels, 200 * scores - 100),
        lambda labels, scores: (labels, scores * 2.0**30),
    ),
    "bool labels": (lambda labels, scores: (labels.astype(bool), scores),),
    "repeated calls": (lambda labels, scores: (labels, scores),) * 3,
    "infinite scores": (lambda labels, scores: (labels, _replace_ends(scores)),),
    "float labels": (lambda labels, scores: (labels.astype(float), scores),),
    **dict.fromkeys(("read-only arrays", "Series"), (lambda labels, scores: (labels, scores),)),
    # Probabilities that are 1 in single precision, and differ by 1e-15 or more
    "close scores": (lambda labels, scores: (labels, 1 - (1 - scores) * 1e-9),),
}
# Those of other scores
SCORE_ASPECTS = (
    *("negative scores", "shifted", "scaled", "integers", "float32", "beyond [0, 1]"),
    *("infinite scores", "close scores"),
)
TWO_CLASS_ASPECTS = ("values", "ties", "constant scores")  # labels
EDGE_ASPECTS = ("no positives", "all positives", "one sample")
SOUNDNESS_ASPECTS = ("arguments changed", "repeated calls")  # whatever the function computes
REFUSABLE_ASPECTS = ("infinite scores", "float labels", "read-only arrays", "Series")  # by an error
ASPECTS: dict[str, str] = read_toml("compat/peers.toml")["aspects"]  # with words for titles


def find_aspect(labels: Array, scores: Array) -> str:
    """Return the aspect that a ranking is about."""
    n_scores = np.unique(scores).size
    if not labels.any():
        return "no positives"
    if labels.all():
        return "all positives" if labels.size > 1 else "one sample"
    if n_scores == 1:
        return "constant scores"
    return "values" if n_scores == labels.size else "ties"


# --- other forms ---------------------------------------------------------------------------------


def _interleave_rows(rows: Array) -> Array:
    """Move every second row to the front."""
    return np.concatenate((rows[1::2], rows[::2]))


def _center_scores(scores: Array) -> Array:
    """Shift the most frequent score to 0."""
    distinct, counts = np.unique(scores, return_counts=True)
    shifted: Array = scores - distinct[np.argmax(counts)]
    return shifted


def _negate_zeros(scores: Array) -> Array:
    """Replace every second 0 by -0.0, which equals it."""
    scores[np.flatnonzero(scores == 0)[1::2]] = -0.0
    return scores


def _replace_ends(scores: Array) -> Array:
    """Replace the highest score by inf, and the lowest by -inf, unless it is tied.

    Differences of infinities are nan, so many functions take tied ones apart, without any harm.
    """
    ends = scores.copy()
    for end, infinite in ((scores.max(), np.inf), (scores.min(), -np.inf)):
        if np.count_nonzero(scores == end) == 1:
            ends[scores == end] = infinite
    return ends


try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

_MAX_TIED_SAMPLES, MAX_UNTIED_SAMPLES = 5, 6  # samples, of which all rankings are tried
# Of the random rankings: few different ones, because some functions compile for each
_RANDOM_SIZES = np.repeat((10, 21, 50, 97, 200), 50).tolist()
_LARGE_SIZES = (2_000, 20_000)  # samples without ties
_N_CONSTANT_SCORES = 50  # samples with one score
_N_DRAWN_SIZES = 8  # of rankings with and without ties
_DRAWN_SIZE_RANGE = (201, 5_000)
# Rankings with one positive tell k. It's at each rank in turn, or of more samples at a few.
N_RANKED_SAMPLES = 300
_FAR_RANKS = (1_200, (499, 500, 501, 999, 1_000, 1_001))
# Others have the scores 0.999, 0.998, ..., and tell a threshold of scores from k.
THRESHOLDS = (
    *(0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5),
    *(0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99),
)
N_MILLESIMAL_SCORES = 999
_MILLESIMAL_RANKS = sorted(
    {1_000 - round(1_000 * t) + step for t in THRESHOLDS for step in (-1, 0, 1)} - {1_000}
    | {1, 2, 3, 5, 6, 20, 21}
)
_N_RANKINGS_IN_FORMS = 12  # rankings in other forms
MAX_SECONDS = 40.0  # of the CPU, or of the wall, whichever is less
_MAX_SECONDS_OF_WALL = 600.0
_MAX_BYTES_OF_CALL = 2**30  # bytes of a call
_MIN_SAMPLES_FOR_MEMORY = 1_000  # samples of a call whose memory tells that of larger ones
_RANKINGS_PER_FIRST_ONE = 9  # of the first rankings, one of so many; it's odd, as ties alternate
_SECONDS_OF_LONG_CALL = 1.0  # which waits until shorter ones have been made
_MUCH_LONGER = 10  # times as long as a call that isn't
_MAX_POWER_OF_SIZE = 3  # with which the time of a call grows
_MIN_SECONDS_OF_COMPILING = 2.0  # a call which takes longer may import or compile something
_MAX_COMPILING_CALLS = 5  # of these calls don't count: of each type of labels and scores
MAX_CALLS = 2_000
MAX_FAILED_CALLS = 50  # if all calls fail; the rest aren't made
_MAX_DENOMINATOR = 12  # of a fraction that is printed as one
MAX_ERROR_LENGTH = 90  # characters of errors and warnings
MAX_SAMPLES_IN_TEXT = 10  # samples of a ranking that a finding prints
_WEIGHTS_OPTIONS = ("sample_weight", "weights", "weight", "w")

# --- the rankings --------------------------------------------------------------------------------


def list_small_rankings() -> Iterator[tuple[Array, Array]]:
    """Yield all labels with all patterns of ties, from the highest score down.

    The scores are multiples of 1/8, which are exact, from 7/8.
    """
    for size in range(1, MAX_UNTIED_SAMPLES + 1):
        falls = (1, 0) if size <= _MAX_TIED_SAMPLES else (1,)  # by 1/8, or 0 for a tie
        for labels in product((0, 1), repeat=size):
            for falls_of_scores in product(falls, repeat=size - 1):
                yield np.array(labels), (7 - np.cumsum((0, *falls_of_scores))) / 8


def draw_ranking(
    size: int, is_tied: bool, rng: np.random.Generator, is_good: bool = False
) -> tuple[Array, Array]:
    """Return a ranking with both labels, from the highest score down. A good one has more positives
    among high scores.
    """
    rate = rng.choice([0.02, 0.1, 0.3, 0.7])
    chances = expit(20 * (rate - np.linspace(0, 1, size))) if is_good else rate
    labels = (rng.random(size) < chances).astype(np.int64)
    labels[rng.choice(size, 2, replace=False)] = 0, 1  # so that both are there
    scores = rng.choice(GRID, size, replace=False)
    if is_tied:
        n_distinct = rng.integers(3, rng.choice([4, size]))  # at most, and often 3
        scores = rng.choice(scores[:n_distinct], size)
    return labels, np.sort(scores)[::-1] / GRID


def _draw_order(size: int, rng: np.random.Generator) -> Array:
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


def _draw_large_rankings(rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield rankings of many samples, from the highest score down.

    One has ties and a long run of one score, one has 0.05% positives, and one has so many of both
    labels that their product exceeds an integer of 32 bits.
    """
    yield from (draw_ranking(size, False, rng, is_good=True) for size in _LARGE_SIZES)
    size = _LARGE_SIZES[-1]
    levels = np.minimum(rng.integers(0, 1024, size), 900)  # an eighth has the highest score
    yield (rng.random(size) < 0.2).astype(np.int64), np.sort(levels)[::-1] / 1024
    for n_samples, n_positives in ((size, size // 2_000), (5 * size, 5 * size // 2)):
        labels = np.zeros(n_samples, dtype=np.int64)
        labels[rng.choice(n_samples, n_positives, replace=False)] = 1
        yield labels, np.arange(n_samples, 0, -1) / 1e6


def _make_ranking_of_one(size: int, rank: int) -> tuple[Array, Array]:
    ranks = np.arange(1, size + 1)
    unit = 1e3 if size == N_MILLESIMAL_SCORES else 1e4
    return (ranks == rank).astype(np.int64), ranks[::-1] / unit


def _draw_sizes(rng: np.random.Generator) -> list[int]:
    """Draw sizes, one from each of as many intervals that grow by the same factor."""
    ends = np.geomspace(*_DRAWN_SIZE_RANGE, _N_DRAWN_SIZES + 1).round().astype(int)
    return [int(rng.integers(low, high)) for low, high in pairwise(ends)]


# --- the function --------------------------------------------------------------------------------


class Call(NamedTuple):
    """A ranking that is tried, and what the function did with it."""

    aspect: str
    labels: Array
    scores: Array
    # The number of the call with this ranking in its original form, which may be this one; None as
    # long as that isn't called
    original: int | None = None
    weights: Array | None = None
    value: float = nan  # also if it isn't a number
    no_number: str = ""  # what the function returned instead of a number, in words
    error: str = ""  # in words, after a colon; empty if there was none
    warnings: tuple[str, ...] = ()  # in words, each once
    changed: tuple[str, ...] = ()  # the arguments that the function has changed
    row_labels: tuple[int, ...] = ()  # the index of a Series; empty for arrays
    n_positives: int | None = None  # existing ones, if a mistake has left out some

    @property
    def outcome(self) -> tuple[float | None, str]:
        """What the function returned, to six digits; None for nan, so that it equals itself."""
        return None if isnan(self.value) else float(f"{self.value:.6g}"), self.no_number

    @property
    def returned(self) -> str:
        """What the function returned, in words."""
        return self.no_number or format_call_value(self.value)

    @property
    def is_refused(self) -> bool:
        return bool(self.error) or (self.aspect == "infinite scores" and isnan(self.value))

    @property
    def is_form(self) -> bool:
        """Whether it's another form of a ranking."""
        return self.aspect in FORMS

    @property
    def has_no_ties(self) -> bool:
        return np.unique(self.scores).size == self.scores.size

    @property
    def has_both_classes(self) -> bool:
        return bool(0 < np.count_nonzero(self.labels) < self.labels.size)

    @property
    def rank(self) -> int:
        """The rank of the only positive, if this is a ranking that tells k; otherwise 0."""
        sizes = (N_RANKED_SAMPLES, _FAR_RANKS[0], N_MILLESIMAL_SCORES)
        if self.aspect != "values" or self.labels.size not in sizes:
            return 0
        return 1 + int(np.count_nonzero(self.scores > self.scores[self.labels > 0].max()))

    @property
    def ranking(self) -> str:
        if self.labels.size > MAX_SAMPLES_IN_TEXT:
            return f"a ranking of {self.labels.size:,} samples"
        are_scores_plain = self.aspect not in SCORE_ASPECTS and not self.row_labels
        if are_scores_plain and self.labels.size == 1:
            return f"{self.labels.tolist()}"
        if are_scores_plain and np.unique(self.scores).size == 1:
            return f"{self.labels.tolist()} with equal scores"
        text = f"{self.labels.tolist()} with scores {', '.join(map(repr, self.scores.tolist()))}"
        if self.scores.dtype == np.float32:
            text += " as float32"
        if self.row_labels:
            text += f" and index {', '.join(map(str, self.row_labels))}"
        return text


class CallLog:
    """A function with the calls of it, and with the time that they took."""

    def __init__(
        self,
        function: Callable[..., Any],
        random_state: Any,
        left_out: Collection[str] = (),
        gets_series: bool = False,
    ) -> None:
        self.function = function
        self.left_out = {*left_out} if find_spec("pandas") else {*left_out, "Series"}  # aspects
        self.gets_series = gets_series  # in scikit-learn, as scorers do
        self.weights_as = _find_weights_option(function)
        self.unused = [] if gets_series else _list_unused_options(function, self.weights_as)
        self.calls: list[Call] = []
        self.weighted: list[Call] = []
        self.n_called = 0
        self.n_failed = 0
        self.has_given_up = False  # because all calls fail
        self.n_compiled = 0
        self.n_too_large = 0  # rankings that would take too much memory
        self.skipped: Counter[str] = Counter()  # rankings, by their aspect
        self.most_skipped = 0  # samples of these
        self.began = _read_clocks()
        self.memory: dict[int, int] = {}  # by which calls of a size have raised the peak
        self.seconds: dict[int, float] = {}  # that the fastest call of each size took
        self.seed = make_seed(random_state)
        self.rng = np.random.default_rng(self.seed)
        self.orders: dict[int, Array] = {}  # of rows, for each size

    def try_all(self, is_brief: bool = False) -> Self:
        """Call the function with the rankings of all aspects, or only with some of each."""
        return self.try_each(self.plan(bool(self.weights_as), is_brief))

    def try_each(self, trials: Iterable[Call]) -> Self:
        """Call the function with rankings, unless that may take too long.

        Those of which a call is much longer than others come last, the smaller ones first.
        """
        places: dict[int, int] = {}  # of the calls, by the number of their trial
        late: list[tuple[int, Call]] = []
        for number, trial in enumerate(trials):
            if self._is_long(trial.labels.size):
                late.append((number, trial))
            else:
                self._try(number, trial, places)
        for number, trial in sorted(late, key=lambda each: each[1].labels.size):
            self._try(number, trial, places)
        return self

    def _try(self, number: int, trial: Call, places: dict[int, int]) -> None:
        """Call the function with a ranking, if there are time and memory for it."""
        original = number if trial.original is None else trial.original
        if trial.aspect in self.left_out:
            return
        if self.n_failed == self.n_called == MAX_FAILED_CALLS:
            self.has_given_up = not self._takes_scores_first(trial)
        is_known = original in {*places, number}
        if self.has_given_up or not is_known or not self.has_time(trial.labels.size):
            self.skipped[trial.aspect] += 1
            self.most_skipped = max(self.most_skipped, trial.labels.size)
            return
        if not self.has_memory(trial.labels.size):
            self.n_too_large += 1
            return
        calls = self.calls if trial.weights is None else self.weighted
        if trial.weights is None:
            places[number] = len(calls)
        calls.append(self.call(trial._replace(original=places[original])))

    def plan(self, has_weights: bool, is_brief: bool = False) -> list[Call]:
        """Return the rankings of all aspects, first some of each. They don't depend on values."""
        rankings = self.rankings()
        is_first = [
            y.size <= 3 or i % _RANKINGS_PER_FIRST_ONE == 0 for i, (y, _) in enumerate(rankings)
        ]
        trials: list[Call] = []
        rest: list[Call] = []
        for ranking, comes in zip(rankings, is_first, strict=True):
            (trials if comes else rest).append(Call(find_aspect(*ranking), *ranking))
        constant, _ = draw_ranking(_N_CONSTANT_SCORES, False, self.rng)
        large = [self.shuffle(*ranking) for ranking in _draw_large_rankings(self.rng)]
        sizes = [(size, is_tied) for size in _draw_sizes(self.rng) for is_tied in (False, True)]
        drawn = [self.shuffle(*draw_ranking(*each, self.rng, is_good=True)) for each in sizes]
        forms = [*self._list_forms(trials)]
        weighed = [*self._list_weighted(trials)] if has_weights else []
        trials += (Call("many samples", *ranking) for ranking in (*drawn, *large))
        trials.append(Call("constant scores", constant, np.full(_N_CONSTANT_SCORES, 0.5)))
        ranked = [(N_RANKED_SAMPLES, rank) for rank in range(1, N_RANKED_SAMPLES + 1)]
        ranked += [(_FAR_RANKS[0], rank) for rank in _FAR_RANKS[1]]
        ranked += [(N_MILLESIMAL_SCORES, rank) for rank in _MILLESIMAL_RANKS]
        of_ranks = (self.shuffle(*_make_ranking_of_one(*each)) for each in ranked)
        trials += [*forms, *weighed]
        if not is_brief:
            trials += [*(Call("values", *each) for each in of_ranks), *rest]
        return trials

    def rankings(self) -> list[tuple[Array, Array]]:
        """Return the small rankings and random ones."""
        random = (
            draw_ranking(size, i % 2 == 1, self.rng, is_good=i % 4 > 1)
            for i, size in enumerate(_RANDOM_SIZES)
        )
        return [self.shuffle(*ranking) for ranking in (*list_small_rankings(), *random)]

    def shuffle(self, labels: Array, scores: Array) -> tuple[Array, Array]:
        """Put the rows of a ranking in the order for its size."""
        if labels.size not in self.orders:
            self.orders[labels.size] = _draw_order(labels.size, self.rng)
        order = self.orders[labels.size]
        return labels[order], scores[order]

    def halve_sizes(
        self, fine: int, wrong: int, is_wrong: Callable[[Call], bool]
    ) -> tuple[int, int]:
        """Return two sizes between which a function begins to go wrong.

        They are neighbors, unless there is no time to try the sizes between them.
        """
        rng = np.random.default_rng(self.seed)
        while wrong - fine > 1:
            size = (fine + wrong) // 2
            if not self.has_time(size):
                break
            rankings = [draw_ranking(size, False, rng, is_good=True) for _ in range(3)]
            rankings += [(labels[::-1], scores) for labels, scores in rankings]
            calls = [self.call(Call("values", *self.shuffle(*ranking))) for ranking in rankings]
            if any(map(is_wrong, calls)):
                wrong = size
            else:
                fine = size
        return fine, wrong

    def _list_forms(self, trials: list[Call]) -> Iterator[Call]:
        """Yield other forms of some rankings, and again some tied ones."""
        plain = _select_trials(trials, *TWO_CLASS_ASPECTS)
        tied = [i for i, trial in enumerate(trials) if trial.aspect == "ties"]
        tied.sort(key=lambda i: measure_openness(trials[i]), reverse=True)
        for place in range(_N_RANKINGS_IN_FORMS):  # so that slow functions get to each form
            for aspect, changes in FORMS.items():
                originals = tied if aspect == "repeated calls" else plain
                for change in changes if place < len(originals) else ():
                    _, labels, scores, *_ = trials[originals[place]]
                    yield Call(aspect, *change(labels, scores), originals[place])

    def _list_weighted(self, trials: list[Call]) -> Iterator[Call]:
        """Yield whole weights, also with ties, small and large ones, and 0 for the best sample."""
        originals = [*_select_trials(trials, "values"), *_select_trials(trials, "ties")]
        for place, original in enumerate(originals):
            _, labels, scores, *_ = trials[original]
            whole, power = self.rng.integers((1, -4), (4, 11), (labels.size, 2)).T
            without_best = np.where(scores < scores.max(), whole, 0)
            for weights in (whole, 1.25 * 2.0**power, without_best) if place % 2 else (whole,):
                if np.unique(labels[weights > 0]).size == 2:
                    yield Call("weights", labels, scores, original, weights)

    def has_time(self, size: int) -> bool:
        """Whether a call is expected to end in time."""
        wall, cpu = _read_clocks() - self.began + self._predict_seconds(size)
        return bool(min(wall, cpu) <= MAX_SECONDS and wall <= _MAX_SECONDS_OF_WALL)

    def _predict_seconds(self, size: int) -> float:
        """Return how long a call should take: at most as long as a larger one, or else as long as
        the time has grown with the size, from half of the largest size on.
        """
        if size in self.seconds:
            return self.seconds[size]
        larger = [seconds for tried, seconds in self.seconds.items() if tried >= size]
        if larger:
            return min(larger)
        largest = max(self.seconds, default=0)
        half = max((tried for tried in self.seconds if 2 * tried <= largest), default=0)
        longest, shorter = self.seconds.get(largest, 0.0), self.seconds.get(half, 0.0)
        if not longest or not shorter:
            return longest
        power = np.log(longest / shorter) / np.log(largest / half)
        return float(longest * (size / largest) ** np.clip(power, 1, _MAX_POWER_OF_SIZE))

    def _is_long(self, size: int) -> bool:
        seconds = self._predict_seconds(size)
        shortest = min(self.seconds.values(), default=0.0)
        return seconds > max(_SECONDS_OF_LONG_CALL, _MUCH_LONGER * shortest)

    @property
    def skips_sizes(self) -> bool:
        """Whether larger rankings than those that were tried were skipped."""
        return self.most_skipped > max(self.seconds, default=0)

    def _takes_scores_first(self, trial: Call) -> bool:
        """Whether a function that always fails returns something for swapped arguments."""
        if self.gets_series:
            return False
        return not self.call(trial._replace(labels=trial.scores, scores=trial.labels)).error

    def has_memory(self, size: int) -> bool:
        """Whether a call takes at most 1 GB, if its memory grows like the square of the size."""
        largest = max(self.memory, default=0)
        if not largest:
            return True
        return self.memory[largest] * max(size / largest, 1) ** 2 <= _MAX_BYTES_OF_CALL

    def call(self, trial: Call) -> Call:
        """Call the function with copies, and note how long it took and what it warned of."""
        self.n_called += 1
        y_true, y_score = self._copy_arguments(trial)
        options = {} if trial.weights is None else {self.weights_as: trial.weights.copy()}
        value, no_number, error = nan, "an error", ""
        with hear_warnings() as heard:
            start, peak = _read_clocks(), _read_peak_memory()
            try:
                value, no_number = _read_value(self.function(y_true, y_score, **options))
            except (Exception, SystemExit) as raised:  # which would end a test without a word
                self.n_failed += 1
                error = shorten(f": {type(raised).__name__}: {raised}", MAX_ERROR_LENGTH)
                error = error.rstrip(": ")
        self._note_time(trial.labels.size, float((_read_clocks() - start).min()))
        if trial.labels.size >= _MIN_SAMPLES_FOR_MEMORY:
            before = self.memory.get(trial.labels.size, 0)
            self.memory[trial.labels.size] = max(before, _read_peak_memory() - peak)
        # The last warning of a call counts.
        texts = [f"{heard.category.__name__}: {heard.text}"] if heard.category else []
        pairs = {"y_true": (y_true, trial.labels), "y_score": (y_score, trial.scores)}
        changed = tuple(name for name, pair in pairs.items() if not np.array_equal(*pair))
        return trial._replace(
            value=value,
            no_number=no_number,
            error=error,
            warnings=tuple(dict.fromkeys(shorten(text, MAX_ERROR_LENGTH) for text in texts)),
            changed=changed,
            row_labels=tuple(y_score.index.tolist()) if trial.aspect == "Series" else (),
        )

    def _note_time(self, size: int, seconds: float) -> None:
        may_compile = self.n_called == 1 or (
            seconds > _MIN_SECONDS_OF_COMPILING
            and seconds > _MUCH_LONGER * self._predict_seconds(size)
        )
        if may_compile and self.n_compiled < _MAX_COMPILING_CALLS:
            self.n_compiled += 1
            self.began += seconds
        else:
            self.seconds[size] = min(self.seconds.get(size, seconds), seconds)

    def _copy_arguments(self, trial: Call) -> tuple[Any, Any]:
        """Return copies, in a form that isn't an ordinary array in two of the aspects."""
        given: tuple[Any, Any] = trial.labels.copy(), trial.scores.copy()
        if trial.aspect == "read-only arrays":
            for each in given:
                each.flags.writeable = False
        if trial.aspect == "Series":  # with the index of a shuffled table
            size = trial.labels.size
            index = self.orders.get(size, np.arange(size)[::-1])
            series = partial(import_module("pandas").Series, index=index)
            given = series(given[0]), series(given[1])
        return given


def _read_clocks() -> Array:
    """Return the seconds of the wall and of the CPU."""
    return np.array([perf_counter(), process_time()])


def _read_peak_memory() -> int:
    """Return the most bytes that were resident; 0 where the system doesn't tell."""
    if resource is None:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def read_parameters(function: Any) -> dict[str, Parameter]:
    """Return the parameters of a function by their names; none if it has no signature."""
    with suppress(TypeError, ValueError):
        return dict(signature(function).parameters)
    return {}


def _find_weights_option(function: Any) -> str:
    """Return the name under which a function takes weights; empty if it takes none."""
    parameters = read_parameters(function)
    for name in _WEIGHTS_OPTIONS:
        if name in parameters and (name == "sample_weight" or parameters[name].default is None):
            return name
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    return "sample_weight" if takes_all else ""


def _list_unused_options(function: Any, weights_as: str) -> list[str]:
    """Return the names of a function's parameters beside labels, scores and weights."""
    others = [*read_parameters(function).values()][2:]
    kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return [each.name for each in others if each.kind in kinds and each.name != weights_as]


def _select_trials(trials: list[Call], *aspects: str) -> list[int]:
    """Return the numbers of a few trials about some aspects: small ones, and of all sizes."""
    places = [i for i, trial in enumerate(trials) if trial.aspect in aspects]
    places.sort(key=lambda i: trials[i].labels.size)
    n_small = _N_RANKINGS_IN_FORMS // 3
    step = max((len(places) - n_small) // (_N_RANKINGS_IN_FORMS - n_small), 1)
    return places[:n_small] + places[n_small:][::-step][: _N_RANKINGS_IN_FORMS - n_small]


def measure_openness(trial: Call) -> float:
    """Return how much the order of ties matters: the samples of a score, and how mixed they are."""
    n_scores = np.unique(trial.scores).size
    return float(trial.labels.size / n_scores * np.var(trial.labels))


def _read_value(returned: Any) -> tuple[float, str]:
    """Return the value of what the function returned, and what that is if it's no number."""
    if isinstance(returned, np.ndarray):
        if returned.size != 1:
            return nan, f"an array of shape {returned.shape}"
        returned = returned.reshape(())  # float() of it reads a masked value as nan
        if returned.dtype.kind in "OSU":
            returned = returned.item()
    if isinstance(returned, str | bytes | bytearray):  # which float() reads
        return nan, "text"
    try:
        value = float(returned)
    except (TypeError, ValueError):
        kind = type(returned).__name__
        return nan, "None" if returned is None else f"a value of type {kind}"
    return value, ""


def format_call_value(value: float) -> str:
    """Write a value with six digits, or as the fraction that it is, which says more."""
    return format_small_fraction(value, _MAX_DENOMINATOR) or repr(float(f"{value:.6g}"))
