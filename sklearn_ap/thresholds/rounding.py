"""How prediction scores round in narrower types and as text, and thresholds that allow for it."""

from collections.abc import Collection, Iterator
from decimal import ROUND_FLOOR, Context, Decimal
from math import inf, isfinite
from typing import Any, NamedTuple, Self

import numpy as np

from .._words.messages import warn
from ..core.exact_scores import are_flagged
from ..core.ragged import Array
from ..core.tolerances import MAX_EXACT_INTEGER

_MAX_STEPS_BELOW_SCORE = 10  # steps of float32 that a threshold is at most below its score
_EXACT_IN_FLOAT32 = 2**24  # whole numbers below are the same in all types but float16
_MAX_FLOAT_DIGITS = 17


def shorten_threshold(threshold: Any, below: Array) -> str:
    """Shorten a threshold to the fewest digits that flag the same samples.

    `below` has the next lower prediction score, if there is one, in the dtype of the scores.
    """
    if below.dtype.kind != "f":
        return str(threshold)
    score = float(threshold) + 0.0  # -0.0 is 0.0
    lower = float(below[0]) if below.size else -inf
    with np.errstate(over="ignore"):
        for digits in range(3, _MAX_FLOAT_DIGITS):
            # Digits are cut off rather than rounded, because that may exceed the score itself.
            short = float(Context(digits, ROUND_FLOOR).create_decimal(repr(score)))
            # Arrays of narrow floats convert a Python float to their own type before they compare.
            if lower < min(short, float(below.dtype.type(short))):
                return repr(short)
    return repr(score)


def find_lasting_threshold(score: Any, below: Array) -> Any:
    """Return a threshold that flags the same samples if scores become float32, or text of that or
    of their own type.

    The scores move then, and the threshold stays. So it is above all copies of the next lower
    score, which is `below` (an array, empty for the lowest score), and not above any copy of the
    `score`: a short decimal a little below the score, or if there is none, the lowest copy of the
    score. If copies of both scores overlap, it is None.
    """
    kind = below.dtype.type if below.dtype.kind == "f" else np.float64
    with np.errstate(all="ignore"):
        lowest = min(_list_copies(score, kind))
        highest_below = max(_list_copies(below.tolist()[0], kind)) if below.size else -inf
        if not highest_below < lowest:
            return None
        printed = min(score, _print_in(kind, score))
        if _is_same_in_all_types(printed):
            return printed
        number = int if isinstance(score, int) else float
        for threshold in _list_numbers_below(_to_float(printed), lowest, number):
            # Arrays of narrow floats round the threshold before they compare.
            rounded = float(np.float32(threshold)), float(kind(threshold))
            if highest_below < min(threshold, *rounded):
                return threshold
    return int(lowest) if number is int else lowest


def _is_same_in_all_types(number: Any) -> bool:
    value = _to_float(number)
    return not isfinite(value) or (value.is_integer() and abs(value) < _EXACT_IN_FLOAT32)


def _list_numbers_below(score: float, lowest: float, number: type[Any]) -> Iterator[Any]:
    """Yield the largest number of one digit, of two digits and so on that is at least half a step
    of float32 below a score, and not above its `lowest` copy. Those too far below are left out.
    """
    step = _compute_step(score, np.float32)
    most, least = min(score - step / 2, lowest), score - _MAX_STEPS_BELOW_SCORE * step
    if not isfinite(least):
        return
    for digits in range(1, _MAX_FLOAT_DIGITS + 1):
        short = number(Context(digits, ROUND_FLOOR).create_decimal(Decimal(most)))
        if short >= least:
            yield short


def _to_float(score: Any) -> float:
    try:
        return float(score)
    except OverflowError:  # of an integer that no float comes near
        return inf if score > 0 else -inf


def _list_copies(score: Any, kind: type[np.floating[Any]]) -> list[Any]:
    """Return what a score of this type may become, as it is, as text, and in float32."""
    printed = _print_in(kind, score)
    return [score, _to_float(score), printed, *_copy_in_float32(score), *_copy_in_float32(printed)]


def _print_in(kind: type[np.floating[Any]], score: Any) -> Any:
    """Return a score as float16 prints it, or the score itself, as wider types print all digits."""
    return float(str(kind(score))) if kind is np.float16 else score


def _copy_in_float32(score: Any) -> tuple[float, float]:
    """Return a score as float32, and as float32 prints it."""
    narrow = np.float32(_to_float(score))
    return float(narrow), float(str(narrow))


def _compute_step(threshold: float, kind: type[np.floating[Any]]) -> float:
    """Return the distance of floats of a type at a threshold."""
    return float(np.spacing(np.abs(kind(threshold))))


def find_types_near(scores: Array, threshold: Any) -> list[str]:
    """Return the types in which the scores next to a threshold may have been, "text" if float32
    printed them.

    It's empty if no score is next to it.
    """
    value = _to_float(threshold)
    if scores.dtype == np.float16:
        return ["float16"]
    if scores.dtype.kind in "biuO" and not abs(value) < MAX_EXACT_INTEGER:
        return ["integer"]
    near = np.unique(_to_floats(scores[_find_near(scores, value, np.float32)]))
    if not near.size:
        return []
    with np.errstate(over="ignore"):
        copies = np.array([_copy_in_float32(score) for score in near])  # of shape (n_distinct, 2)
    are_narrow, are_printed = (copies == near[:, np.newaxis]).all(axis=0)
    types = [name for name, are in (("float32", are_narrow), ("text", are_printed)) if are]
    return types or ["float64"]


def _are_alike(types: Collection[str], others: Collection[str]) -> bool:
    """Whether scores of these types may be of the same one."""
    if {*types, *others} & {"integer", "float16"}:
        return {*types} == {*others}
    return not types or not others or bool({*types} & {*others})


class Doubt(NamedTuple):
    """New scores that may have been on the other side of a threshold where it was chosen."""

    places: Array
    step: str  # the type of whose steps they are within one from the threshold

    @classmethod
    def of(cls, scores: Array, threshold: Any, chosen: Collection[str], is_lasting: bool) -> Self:
        """Compare the types of new scores with those by which the threshold was chosen.

        A lasting threshold flags the same samples if scores become float32, or its text, so only
        scores are in doubt that it flags in one of these types.
        """
        here, value = find_types_near(scores, threshold), _to_float(threshold)
        kind = np.float16 if "float16" in (*chosen, *here) else np.float32
        if _are_alike(chosen, here):
            return cls(np.empty(0, dtype=np.int64), kind.__name__)
        places = _find_near(scores, value, kind)
        if is_lasting and kind is np.float32:
            near, numbers = np.unique(_to_floats(scores[places]), return_inverse=True)
            are_moved = np.array([_is_moved(score, value) for score in near], dtype=bool)
            places = places[are_moved[numbers]]
        return cls(places, kind.__name__)


def _find_near(scores: Array, threshold: float, kind: type[np.floating[Any]]) -> Array:
    """Return the places of the scores within one step of a type from a threshold."""
    with np.errstate(all="ignore"):
        step = _compute_step(threshold, kind)
        least, most = np.float64(threshold - step), np.float64(threshold + step)
        return np.flatnonzero((scores >= least) & (scores <= most))


def _to_floats(scores: Array) -> Array:
    if scores.dtype == object:
        return np.array([*map(_to_float, scores)], dtype=float)
    return scores.astype(float)


def _is_moved(score: float, threshold: float) -> bool:
    """Whether a threshold flags a score in one of the types but not in all."""
    with np.errstate(over="ignore"):
        copies = score, *_copy_in_float32(score)
    flags = [copy >= threshold for copy in copies]
    return any(flags) and not all(flags)


def warn_if_narrow(scores: Array, numbers: Array, threshold: Array) -> None:
    """Warn if arrays of narrow floats flag other samples, because they round the threshold.

    `numbers` has how many samples have each of the scores. `threshold` is an array of one.
    """
    if scores.dtype.kind != "f" or threshold.dtype != np.float64:
        return
    with np.errstate(over="ignore"):
        rounded = threshold.astype(scores.dtype)
    n_exact = int(numbers[are_flagged(scores, threshold)].sum())
    n_rounded = int(numbers[scores >= rounded].sum())
    if n_exact != n_rounded:
        value = repr(threshold[0].item())
        warn(
            f"threshold={value} flags {n_exact:,} samples if it is compared exactly, as here, "
            f"but {n_rounded:,} if an array of {scores.dtype} compares, which rounds it first. To "
            f"flag the same samples everywhere, pass np.{scores.dtype}({value})."
        )
