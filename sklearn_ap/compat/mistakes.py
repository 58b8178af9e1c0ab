"""What a function may do instead of a definition: to the rows, to the scores, or to the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ..core.ragged import Array
from .call_log import THRESHOLDS, Call, format_call_value

OtherCall = Callable[[Call], Call]

_BLOCK_SIZES = sorted({*(2**i for i in range(5, 14)), 50, 100, 250, 500, 1000, 2000, 5000, 10_000})
_MAX_ROUNDED_DECIMALS = 6
_CUTS = (0, *THRESHOLDS)
_N_QUANTILES = (10, 11, 20, 21, 50, 51, 100, 101)
_FIRST_POSITIVES = (2, 3, 5, 10, 20, 50, 100)
# What changes values by so little is likely a small number that is added to a denominator. It
# matters most where there are few positives.
_MAX_EFFECT_OF_SMALL_NUMBER = 1e-5
_MAX_POSITIVES_OF_SMALL_NUMBER = 10


@dataclass(frozen=True)
class Mistake:
    """What a function does instead of a definition, whose name stands for {name} in the words.

    After the change of a call, its value is that of the definition.
    """

    words: str
    change: OtherCall = lambda call: call
    reading: str = ""  # how scores are read, such as "clipped to [0, 1]"


NO_MISTAKE = Mistake("{name}")


def _replace_scores(of: Callable[[Array], Array], call: Call) -> Call:
    """Rank by other scores, which are a function of the scores."""
    return call._replace(scores=of(call.scores))


def _reorder_rows(of: Callable[[Array], Array], call: Call) -> Call:
    """Rank the rows one by one, in an order which is a function of the scores."""
    return call._replace(labels=call.labels[of(call.scores)], scores=-np.arange(call.labels.size))


def _replace_value(of: Callable[[float], float], call: Call) -> Call:
    return call._replace(value=of(call.value))


def _drop_row(row_of: Callable[[Array], Any], call: Call) -> Call:
    if call.labels.size < 2:
        return call
    row = row_of(call.scores)
    return call._replace(labels=np.delete(call.labels, row), scores=np.delete(call.scores, row))


def _sort_in_blocks(size: int, scores: Array) -> Array:
    return np.lexsort((-scores, np.arange(scores.size) // size))


def _stack_classes(call: Call) -> Call:
    labels = np.concatenate((call.labels, 1 - call.labels))
    return call._replace(labels=labels, scores=np.concatenate((call.scores, 1 - call.scores)))


def _rank_rows(scores: Array) -> Array:
    """Return the ranks of the rows, from 0 for the highest score."""
    return np.argsort(np.argsort(-scores, kind="stable"))


def _round_scores(n_decimals: int, scores: Array) -> Array:
    return np.asarray(np.round(scores, n_decimals))


def _cast_to_half(scores: Array) -> Array:
    with np.errstate(over="ignore"):
        return scores.astype(np.float16).astype(float)


def _flag_scores(is_above: Callable[[Array, float], Any], t: float, scores: Array) -> Array:
    return np.asarray(is_above(scores, t), dtype=float)


def _cast_to_single(scores: Array) -> Array:
    return scores.astype(np.float32)


def _rank_text(scores: Array) -> Array:
    return np.unique(scores.astype(str), return_inverse=True)[1]


def _bin_by_quantiles(n_quantiles: int, scores: Array) -> Array:
    """Return the number of quantiles up to each score."""
    with np.errstate(invalid="ignore"):  # of infinities
        quantiles = np.quantile(scores, np.linspace(0, 1, n_quantiles))
    return np.searchsorted(quantiles, scores, side="right")


def _keep_rows(chooses: Callable[[Call], Array], call: Call) -> Call:
    """Leave out all rows but some; one negative row stands for none."""
    rows = chooses(call)
    if not rows.any():
        return call._replace(labels=np.zeros(1, dtype=np.int64), scores=np.ones(1))
    return call._replace(labels=call.labels[rows], scores=call.scores[rows])


def _leave_out_scores(chooses: Callable[[Call], Array], counts_all: bool, call: Call) -> Call:
    """Leave out rows by their scores. `counts_all` tells that their positives count in recall."""
    kept = _keep_rows(chooses, call)
    n_positives, n_kept = int(call.labels.sum()), int(kept.labels.sum())
    if not counts_all or not n_kept:
        return kept
    return kept._replace(value=call.value * n_positives / n_kept)


def _compare_scores(is_kept: Callable[[Array, float], Any], t: float, call: Call) -> Array:
    return np.asarray(is_kept(call.scores, t))


def _is_in_first_rows(n_rows: int, call: Call) -> Array:
    return np.arange(call.labels.size) < n_rows


def _is_first_of_score(call: Call) -> Array:
    is_first = np.zeros(call.scores.size, dtype=bool)
    is_first[np.unique(call.scores, return_index=True)[1]] = True
    return is_first


def _is_last_of_score(call: Call) -> Array:
    backwards = call._replace(scores=call.scores[::-1])
    return _is_first_of_score(backwards)[::-1]


def _drop_later_positives(k: int, call: Call) -> Call:
    """Make all positives but the first k of the ranking negatives."""
    order = np.argsort(-call.scores, kind="stable")
    labels = np.zeros_like(call.labels)
    labels[order[np.flatnonzero(call.labels[order])[:k]]] = 1
    return call._replace(labels=labels)


# --- how scores are read -------------------------------------------------------------------------


def _make_misreading(reading: str, change: OtherCall) -> Mistake:
    return Mistake(f"{{name}}, but the function reads scores {reading}", change, reading)


_SCORE_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "clipped to [0, 1]": lambda scores: np.clip(scores, 0, 1),
    "through a sigmoid": expit,
    "through a sigmoid in single precision": lambda scores: expit(scores.astype(np.float32)),
    "cut to whole numbers": np.trunc,
    **{f"rounded to {n} decimals": partial(_round_scores, n) for n in range(1, 5)},
    "without their signs": np.abs,
    "with 0 for negative ones": lambda scores: np.maximum(scores, 0),
    **{f"as at least {t:g} or less": partial(_flag_scores, np.greater_equal, t) for t in _CUTS},
    **{f"as more than {t:g} or not": partial(_flag_scores, np.greater, t) for t in _CUTS},
    "in half precision": _cast_to_half,
    "as text, from which it sorts": _rank_text,
    **{
        f"only by how many of {n} quantiles they reach": partial(_bin_by_quantiles, n)
        for n in _N_QUANTILES
    },
}
_READINGS = (
    *(
        _make_misreading(reading, partial(_replace_scores, function))
        for reading, function in _SCORE_FUNCTIONS.items()
    ),
    _make_misreading(
        "without positives at 0 or below",
        lambda call: call._replace(labels=np.where(call.scores > 0, call.labels, 0)),
    ),
)
SINGLE_PRECISION = Mistake(
    "{name}, scores as float32", partial(_replace_scores, _cast_to_single), "in single precision"
)
# Most of these only matter to scores that are not from 0 to 1.
READINGS = (SINGLE_PRECISION, *_READINGS)

# --- what is tried with all definitions ----------------------------------------------------------

_IGNORES_SCORES = "{name}, but the function ignores y_score: it ranks by the order of rows"
_RANKS_BY_INVERSE = (
    "{name}, but the function ranks by the inverse permutation, as argsort(argsort(y_score))"
)
_ROW_ORDERS: dict[str, Callable[[Array], Array]] = {
    _IGNORES_SCORES: lambda scores: np.arange(scores.size),
    f"{_IGNORES_SCORES}, the last one first": lambda scores: np.arange(scores.size)[::-1],
    _RANKS_BY_INVERSE: _rank_rows,
    f"{_RANKS_BY_INVERSE}, lowest first": lambda scores: _rank_rows(-scores),
    f"{_RANKS_BY_INVERSE}, backwards": lambda scores: _rank_rows(scores)[::-1],
    f"{_RANKS_BY_INVERSE}, lowest first, backwards": lambda scores: _rank_rows(-scores)[::-1],
}
_VALUE_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "{name} in percent, so 100 times the value": lambda value: value / 100,
    "1 minus {name}": lambda value: 1 - value,
    "Half of {name}": lambda value: 2 * value,
    "{name} times -1": lambda value: -value,
    "The square of {name}": lambda value: value**0.5 if value >= 0 else value,
    "The square root of {name}": lambda value: value**2,
}
_DROPPED_ROWS: dict[str, Callable[[Array], Any]] = {
    "{name} without the last row": lambda scores: scores.size - 1,
    "{name} without the first row": lambda scores: 0,
    "{name} without the row that has the highest score": np.argmax,
    "{name} without the row that has the lowest score": np.argmin,
}
MISTAKES = (
    *(Mistake(words, partial(_reorder_rows, order)) for words, order in _ROW_ORDERS.items()),
    *(Mistake(words, partial(_replace_value, of)) for words, of in _VALUE_FUNCTIONS.items()),
    *(Mistake(words, partial(_drop_row, row_of)) for words, row_of in _DROPPED_ROWS.items()),
    Mistake(
        "{name} of both classes in one ranking, with the negatives ranked by 1 minus their scores",
        _stack_classes,
    ),
    *(
        Mistake(f"{{name}} of the first {k} positives", partial(_drop_later_positives, k))
        for k in _FIRST_POSITIVES
    ),
    *_READINGS,
)

# --- what is tried with the definition that equals the most rankings ------------------------------

IN_BLOCKS = tuple(
    Mistake(
        f"{{name}}, but the function sorts only within blocks of {size:,} rows",
        partial(_reorder_rows, partial(_sort_in_blocks, size)),
    )
    for size in _BLOCK_SIZES
)
FIRST_ROWS = tuple(
    Mistake(
        f"{{name}} of the first {size:,} rows",
        partial(_keep_rows, partial(_is_in_first_rows, size)),
    )
    for size in _BLOCK_SIZES
)
# What happens to tied samples
TIE_MISTAKES = (
    Mistake(
        "{name}, but of tied samples only the first row counts",
        partial(_keep_rows, _is_first_of_score),
    ),
    Mistake(
        "{name}, but of tied samples only the last row counts",
        partial(_keep_rows, _is_last_of_score),
    ),
)

# --- what depends on the values ------------------------------------------------------------------

SWAPPED_ARGUMENTS = (
    "{name}, but the function takes its arguments in the other order: y_score, y_true"
)
MEAN_OF_CLASSES = Mistake("The mean of {name} over both classes")
MEAN_OF_CLASSES_BY_SAME_SCORES = Mistake(f"{MEAN_OF_CLASSES.words}, both by the same scores")


def list_roundings(values: Array) -> Iterator[tuple[Mistake, float]]:
    """Yield how values may be rounded, and how far they are then from the exact ones."""
    for n_decimals in range(1, _MAX_ROUNDED_DECIMALS + 1):
        if np.allclose(values, np.round(values, n_decimals), rtol=0, atol=1e-12, equal_nan=True):
            half_unit = 0.5 * 10.0**-n_decimals + 1e-12
            yield Mistake(f"{{name}}, rounded to {n_decimals} decimals"), half_unit
            yield Mistake(f"{{name}}, cut to {n_decimals} decimals"), 10.0**-n_decimals
            return


def list_left_out(t: float, is_kept_at_t: bool) -> Iterator[Mistake]:
    """Yield that rows below a threshold of scores are left out, with and without positives."""
    is_kept, where = (np.greater_equal, "below") if is_kept_at_t else (np.greater, "up to")
    chooses = partial(_compare_scores, is_kept, t)
    words = f"{{name}}, but the function leaves out rows with scores {where} {t:g}"
    yield Mistake(words, partial(_leave_out_scores, chooses, False))
    yield Mistake(f"{words}, whose positives count", partial(_leave_out_scores, chooses, True))


def make_multiple(factor: float) -> Mistake:
    """Return that values are multiplied."""
    change = partial(_replace_value, lambda value: 1 / factor * value)
    return Mistake(f"{{name}} times {format_call_value(factor)}", change)


def limit_to_large(mistake: Mistake, fewest: int) -> Mistake:
    """Return a mistake that is made with so many samples or more."""
    where = f"of the rankings tried, in those with {fewest:,} samples or more"
    return replace(mistake, words=f"{mistake.words}, {where}")


def make_deviation(largest: float, call: Call, where: str) -> Mistake:
    """Return that values of some rankings are off by a little, and most for this call."""
    words = f"{{name}}, but values are off by up to {format_call_value(largest)}"
    has_few_positives = np.count_nonzero(call.labels) <= _MAX_POSITIVES_OF_SMALL_NUMBER
    if largest < _MAX_EFFECT_OF_SMALL_NUMBER and has_few_positives:
        words += " (as by a small number in a denominator)"
    return Mistake(f"{words}, of the rankings tried, in those {where}")


# --- weights -------------------------------------------------------------------------------------


class WeightMistake(NamedTuple):
    """What a function does to weights."""

    words: str
    change: Callable[[Call, Any], Any]


IGNORED_WEIGHTS = WeightMistake("they are ignored", lambda call, weights: np.ones(weights.size))
_WEIGHT_FUNCTIONS: dict[str, Callable[[Call, Any], Any]] = {
    "they are squared": lambda call, weights: weights**2,
    "they are cut to whole numbers": lambda call, weights: np.trunc(weights),
    "they are rounded to whole numbers": lambda call, weights: np.round(weights),
    "those below 1 count as 0": lambda call, weights: np.where(weights < 1, 0, weights),
    "those of 0 count as 1": lambda call, weights: np.where(weights == 0, 1, weights),
    "they only tell which samples count": lambda call, weights: (weights > 0).astype(float),
    "they aren't sorted with the scores": lambda call, weights: weights[_rank_rows(call.scores)],
    "those of negatives are ignored": lambda call, weights: np.where(call.labels, weights, 1),
    "those of positives are ignored": lambda call, weights: np.where(call.labels, 1, weights),
}
WEIGHT_MISTAKES = (IGNORED_WEIGHTS, *starmap(WeightMistake, _WEIGHT_FUNCTIONS.items()))
