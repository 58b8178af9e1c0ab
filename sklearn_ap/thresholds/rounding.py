"""How prediction scores round in narrower types and as text, and thresholds that allow for it."""

from decimal import ROUND_FLOOR, Context, Decimal
from math import inf, isfinite
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.within import Array

_FAR = 10  # steps of float32 that a threshold is at most below its score
_MISREAD = 4  # steps of float64 by which pandas before 3 may misread text
_WHOLE = 2**24  # whole numbers below are the same in all types but float16
_MOST_DIGITS = 17


def shortest_threshold(threshold: Any, below: Array) -> str:
    """Shorten a threshold to the fewest digits that flag the same samples.

    `below` has the next lower prediction score, if there is one, in the dtype of the scores.
    """
    if below.dtype.kind != "f":
        return str(threshold)
    score = float(threshold) + 0.0  # -0.0 is 0.0
    lower = float(below[0]) if below.size else -inf
    if not isfinite(score):
        return repr(score)
    with np.errstate(over="ignore"):
        for digits in range(3, _MOST_DIGITS):
            # Digits are cut off rather than rounded, because that may exceed the score itself.
            short = float(Context(digits, ROUND_FLOOR).create_decimal(repr(score)))
            # Arrays of narrow floats convert a Python float to their own type before they compare.
            if lower < min(short, float(below.dtype.type(short))):
                return repr(short)
    return repr(score)


def lasting_threshold(score: Any, below: Array) -> Any:
    """Return a threshold that flags the same samples if scores become float32 or its text.

    What moves then is the scores, so it has to be below the `score`, and above all copies of the
    next lower one, which is `below`, an array without an entry for the lowest score. It is the
    shortest decimal there, and the largest of equally short ones; None if there is none.
    """
    with np.errstate(all="ignore"):
        lower = max([*below.tolist(), *_copies(below[0])]) if below.size else -inf
        value = _as_float(score)
        if _is_whole(value):
            return score if lower < score else None
        step = _step_at(value, np.float32)
        most, least = value - step / 2, value - _FAR * step
        if not isfinite(least):
            return None
        for digits in range(1, _MOST_DIGITS + 1):
            decimal = Context(digits, ROUND_FLOOR).create_decimal(Decimal(most))
            short = int(decimal) if isinstance(score, int) else float(decimal)
            if short >= least and lower < min(short, float(np.float32(short))):
                return short
    return None


def _is_whole(value: float) -> bool:
    return not isfinite(value) or (value.is_integer() and abs(value) < _WHOLE)


def _as_float(score: Any) -> float:
    try:
        return float(score)
    except OverflowError:  # of an integer that no float comes near
        return inf if score > 0 else -inf


def _copies(score: Any) -> tuple[float, float]:
    """Return a score as float32, and as float32 prints it."""
    narrow = np.float32(_as_float(score))
    return float(narrow), float(str(narrow))


def _step_at(threshold: float, kind: type[np.floating[Any]]) -> float:
    """Return the distance of floats of a type at a threshold."""
    return float(np.spacing(np.abs(kind(threshold))))


class Nearby(NamedTuple):
    """Scores that may be on the other side of a threshold in another type."""

    kind: str  # the type of the scores, and whether those of float64 that are nearby are of float32
    n_in_float32: int  # how many are within a step of float32 from the threshold
    n_in_float16: int
    n_beside: int  # how many in float32 if the threshold is whole, except those equal to it

    @classmethod
    def of(cls, scores: Array, threshold: Any) -> Self:
        with np.errstate(all="ignore"):
            value = _as_float(threshold)
            kind = "integer" if scores.dtype.kind in "biu" else scores.dtype.name
            if scores.dtype == object:
                scores = np.array([*map(_as_float, scores)])
            step, wide_step = _step_at(value, np.float32), _step_at(value, np.float16)
            reach = 2 * np.fmax(step, wide_step)  # so that few scores are converted
            scores = scores[(scores >= value - reach) & (scores <= value + reach)].astype(float)
            distance = np.abs(scores - value)
            near = scores[distance <= step]
            if kind == "float64" and near.size:
                are_copies = all(score in _copies(score) for score in np.unique(near))
                apart = distance[distance > 0] / np.spacing(np.abs(value))
                kind = "float64 misread" if (apart <= _MISREAD).any() else "float64 exact"
                if are_copies:
                    kind = "float64 rounded"
            n_in_float16 = np.count_nonzero(distance <= wide_step)
        n_beside = np.count_nonzero(near != value) if _is_whole(value) else 0
        return cls(kind, int(near.size), int(n_in_float16), int(n_beside))

    def is_like(self, kind: str) -> bool:
        """Whether scores of this kind are of the same type, or may be."""
        (dtype, *detail), (other_dtype, *other_detail) = self.kind.split(), kind.split()
        return dtype == other_dtype and not (detail and other_detail and detail != other_detail)
