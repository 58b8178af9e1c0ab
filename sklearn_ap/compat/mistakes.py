"""What a function may do instead of a definition: to the rows, to the scores, or to the value.

Each mistake is a change of a call, after which the value is that of the definition, and words with
the name of the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from ..core.rankings import Array
from .call_log import THRESHOLDS, Call

OtherCall = Callable[[Call], Call]

_BLOCK_SIZES = sorted({*(2**i for i in range(5, 14)), 50, 100, 250, 500, 1000, 2000, 5000, 10_000})
_MAX_ROUNDED_DECIMALS = 6
_CUTS = (0, *THRESHOLDS)
_N_QUANTILES = (10, 11, 20, 21, 50, 51, 100, 101)
_FIRST_POSITIVES = (2, 3, 5, 10, 20, 50, 100)


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


def leave_out_scores(chooses: Callable[[Call], Array], counts_all: bool, call: Call) -> Call:
    """Leave out rows by their scores. `counts_all` tells that their positives count in recall."""
    kept = _keep_rows(chooses, call)
    n_positives, n_kept = int(call.labels.sum()), int(kept.labels.sum())
    if not counts_all or not n_kept:
        return kept
    return kept._replace(value=call.value * n_positives / n_kept)


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


_IGNORES_SCORES = "{name}, but the function ignores y_score: it ranks by the order of rows"
_RANKS_BY_INVERSE = (
    "{name}, but the function ranks by the inverse permutation, as argsort(argsort(y_score))"
)

_SCORE_READINGS: dict[str, Callable[[Array], Array]] = {
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
# How the scores are read. Most of these only matter to scores that are not from 0 to 1.
READINGS: dict[str, OtherCall] = {
    **{how: partial(_replace_scores, reading) for how, reading in _SCORE_READINGS.items()},
    "without positives at 0 or below": lambda call: call._replace(
        labels=np.where(call.scores > 0, call.labels, 0)
    ),
}


def describe_reading(how: str) -> str:
    """Say how a function reads scores, with the name of the definition."""
    return f"{{name}}, but the function reads scores {how}"


_ROW_ORDERS: dict[str, Callable[[Array], Array]] = {
    _IGNORES_SCORES: lambda scores: np.arange(scores.size),
    f"{_IGNORES_SCORES}, the last one first": lambda scores: np.arange(scores.size)[::-1],
    _RANKS_BY_INVERSE: _rank_rows,
    f"{_RANKS_BY_INVERSE}, lowest first": lambda scores: _rank_rows(-scores),
    f"{_RANKS_BY_INVERSE}, backwards": lambda scores: _rank_rows(scores)[::-1],
    f"{_RANKS_BY_INVERSE}, lowest first, backwards": lambda scores: _rank_rows(-scores)[::-1],
}
MISTAKES: dict[str, OtherCall] = {
    **{words: partial(_reorder_rows, order) for words, order in _ROW_ORDERS.items()},
    "{name} in percent, so 100 times the value": partial(_replace_value, lambda value: value / 100),
    "1 minus {name}": partial(_replace_value, lambda value: 1 - value),
    "Half of {name}": partial(_replace_value, lambda value: 2 * value),
    "{name} times -1": partial(_replace_value, lambda value: -value),
    "The square of {name}": partial(
        _replace_value, lambda value: value**0.5 if value >= 0 else value
    ),
    "The square root of {name}": partial(_replace_value, lambda value: value**2),
    "{name} without the last row": partial(_drop_row, lambda scores: scores.size - 1),
    "{name} without the first row": partial(_drop_row, lambda scores: 0),
    "{name} without the row that has the highest score": partial(_drop_row, np.argmax),
    "{name} without the row that has the lowest score": partial(_drop_row, np.argmin),
    "{name} of both classes in one ranking, with the negatives ranked by 1 minus their scores": (
        _stack_classes
    ),
    **{
        f"{{name}} of the first {k} positives": partial(_drop_later_positives, k)
        for k in _FIRST_POSITIVES
    },
    **{describe_reading(how): reading for how, reading in READINGS.items()},
}
# The rest are tried with the definition that equals the most rankings.
IN_BLOCKS: dict[str, OtherCall] = {
    f"{{name}}, but the function sorts only within blocks of {size:,} rows": partial(
        _reorder_rows, partial(_sort_in_blocks, size)
    )
    for size in _BLOCK_SIZES
}

FIRST_ROWS: dict[str, OtherCall] = {
    f"{{name}} of the first {size:,} rows": partial(_keep_rows, partial(_is_in_first_rows, size))
    for size in _BLOCK_SIZES
}
# What happens to tied samples
TIE_MISTAKES: dict[str, OtherCall] = {
    "{name}, but of tied samples only the first row counts": partial(
        _keep_rows, _is_first_of_score
    ),
    "{name}, but of tied samples only the last row counts": partial(_keep_rows, _is_last_of_score),
}


def list_roundings(values: Array) -> Iterator[tuple[str, float]]:
    """Yield how values may be rounded, and how far they are then from the exact ones."""
    for n_decimals in range(1, _MAX_ROUNDED_DECIMALS + 1):
        if np.allclose(values, np.round(values, n_decimals), rtol=0, atol=1e-12, equal_nan=True):
            yield f"{{name}}, rounded to {n_decimals} decimals", 0.5 * 10.0**-n_decimals + 1e-12
            yield f"{{name}}, cut to {n_decimals} decimals", 10.0**-n_decimals
            return
