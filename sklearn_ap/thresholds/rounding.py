"""How prediction scores round in narrower types and as text, and thresholds that allow for it."""

from decimal import ROUND_FLOOR, Context, Decimal
from math import inf, isfinite
from typing import Any, NamedTuple, Self

import numpy as np

from .._words.messages import count_of
from ..core.within import Array, blocks

_FAR = 10  # steps of float32 that a threshold is at most below its score
_MISREAD = 4  # steps of float64 by which pandas before 3 may misread text
_WHOLE = 2**24  # whole numbers below are the same in all types but float16
_WHOLE_IN_FLOAT64 = 2**53  # integers below are the same in float64
_MOST_DIGITS = 17
_MOST_DECIMALS = 15
_FIRST_SCORES = 100  # to read first, because most of them show that scores have more decimals
_LEAST_ZEROS = 2  # decimals that are 0 in all scores, which are more than chance


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


def decimals_of(scores: Array) -> int | None:
    """Return the fewest decimals that all scores have, as their type prints them; None if they have
    more than 15.

    Floats of a wider type that a narrower one has, too, may have been printed by that.
    """
    if scores.dtype.kind in "biuO":  # objects are integers that no other type has
        return 0
    largest = np.abs(scores).max(initial=0).astype(float)
    misread = _MISREAD * float(np.spacing(largest))
    types = np.float64, np.float32, np.float16
    decimals = [_decimals_in(kind, scores, misread) for kind in types]
    return min((number for number in decimals if number is not None), default=None)


def _decimals_in(kind: type[np.floating[Any]], scores: Array, misread: float) -> int | None:
    """Return the fewest decimals of scores that this type prints; None if it lacks some of them, or
    they have more than 15.

    Scores of float64 may be off by `misread`.
    """
    decimals = 0
    for block in [slice(0, _FIRST_SCORES), *blocks(scores.size)]:
        values = scores[block].astype(float)
        with np.errstate(over="ignore"):
            if (values.astype(kind) != values).any():
                return None
        while not _have_decimals(values, decimals, kind, misread):
            decimals += 1
            if decimals > _MOST_DECIMALS:
                return None
    return decimals


def _have_decimals(
    values: Array, decimals: int, kind: type[np.floating[Any]], misread: float
) -> bool:
    """Whether floats of a type, of shape (n_values,), are the nearest ones to so many decimals."""
    scale = 10.0**decimals
    with np.errstate(over="ignore"):
        whole = np.rint(values * scale)
    if np.abs(whole).max(initial=0) >= 2.0 ** (np.finfo(kind).nmant + 1):
        return False  # neighbors of the type are further apart than such decimals
    nearest = (whole / scale).astype(kind)
    if (nearest == values).all():
        return True
    if kind is not np.float64:
        return False
    # Floats that happen to be close to decimals aren't taken for misread ones.
    return bool((np.abs(nearest - values) <= min(misread, 0.001 / scale)).all())


def kind_near(scores: Array, threshold: Any) -> str:
    """Say how the scores next to a threshold may have been rounded, in one or several words.

    It's empty if no score is next to it.
    """
    value = _as_float(threshold)
    if scores.dtype == np.float16:
        return "float16"
    if scores.dtype.kind in "biuO" and not abs(value) < _WHOLE_IN_FLOAT64:
        return "integer"
    distance = _distances(scores, threshold)
    with np.errstate(all="ignore"):
        is_near = distance <= _step_at(value, np.float32)
        misreading = _MISREAD * np.spacing(np.abs(value))
        near = np.unique(scores[is_near].astype(float))
        copies = np.array([_copies(score) for score in near]).reshape(near.size, 2)
    if not near.size:
        return ""
    are_narrow, are_printed = (copies == near[:, np.newaxis]).all(axis=0)
    kinds = [kind for kind, are in (("float32", are_narrow), ("text", are_printed)) if are]
    kinds = kinds or ["float64"]
    if ((distance > 0) & (distance <= misreading)).any():
        kinds.append("misread")
    return " ".join(kinds)


class Form(NamedTuple):
    """How scores are rounded, as far as a threshold has to know."""

    kind: str = ""  # of the scores next to the threshold; see `kind_near`
    decimals: int | None = None  # of all scores; see `decimals_of`

    @classmethod
    def of(cls, scores: Array, threshold: Any) -> Self:
        return cls(kind_near(scores, threshold), decimals_of(scores))

    def is_of_same_type(self, other: Self) -> bool:
        """Whether the scores next to the threshold are of the same type, or may be."""
        kinds, other_kinds = {*self.kind.split()}, {*other.kind.split()}
        if (kinds | other_kinds) & {"integer", "float16"}:
            return kinds == other_kinds
        if not kinds or not other_kinds:
            return True
        same = kinds & other_kinds
        return bool(same - {"misread"}) and same >= (kinds | other_kinds) & {"misread"}


class Doubt(NamedTuple):
    """New scores that may have been on the other side of a threshold where it was chosen."""

    are_near: Array  # which scores, of shape (n_samples,)
    reach: str  # how near they are, and what may have moved them

    @classmethod
    def of(cls, scores: Array, threshold: Any, chosen: Form, is_lasting: bool) -> Self:
        """Compare the form of new scores with that of those by which the threshold was chosen.

        A lasting threshold flags the same samples if scores become float32, or its text.
        """
        here = Form.of(scores, threshold)
        by_type = cls._of_type(scores, threshold, chosen, here, is_lasting)
        by_decimals = cls._of_decimals(scores, threshold, chosen, here)
        are_near = by_type.are_near | by_decimals.are_near
        widest = max(by_type, by_decimals, key=lambda doubt: np.count_nonzero(doubt.are_near))
        return cls(are_near, widest.reach)

    @classmethod
    def _of_type(
        cls, scores: Array, threshold: Any, chosen: Form, here: Form, is_lasting: bool
    ) -> Self:
        narrow = np.float16 if "float16" in (chosen.kind, here.kind) else np.float32
        reach = (
            f"within one step of {narrow.__name__} from the threshold, and the scores are rounded "
            "in another way than where the threshold was chosen"
        )
        value, distance = _as_float(threshold), _distances(scores, threshold)
        with np.errstate(all="ignore"):
            are_near = distance <= _step_at(value, narrow)
        if here.is_of_same_type(chosen):
            are_near = np.zeros(scores.size, dtype=bool)
        elif is_lasting and narrow is np.float32:
            # Narrowing the scores of the choice changes nothing, but they may be narrowed ones.
            of_distinct, place = np.unique(scores[are_near], return_inverse=True)
            rounded_by = 0.0
            if here.kind == "float64":
                rounded_by = float(_half_step(_number_of(here.decimals)))
            are_moved = np.array(
                [_is_moved(score, rounded_by, value) for score in of_distinct], dtype=bool
            )
            are_near[are_near] = are_moved[place]
        return cls(are_near, reach)

    @classmethod
    def _of_decimals(cls, scores: Array, threshold: Any, chosen: Form, here: Form) -> Self:
        if not _has_other_decimals(scores, chosen, here):
            return cls(np.zeros(scores.size, dtype=bool), "")
        before, now = _number_of(chosen.decimals), _number_of(here.decimals)
        decimals = min(before, now)
        half = _half_step(decimals)
        words = count_of(decimals, "decimals")
        differ = f"the scores have {words} here, but more where the threshold was chosen"
        if before < now:
            differ = f"the scores have more than the {words} where the threshold was chosen"
        distance = _distances(scores, threshold)
        with np.errstate(all="ignore"):
            value = _as_float(threshold)
            step = _step_at(value, np.float32)
            reach = float(half) + _MISREAD * np.spacing(np.abs(value))
            if float(half) > step / 8:  # decimals may have been those of float32
                reach += step
            are_near = distance <= reach
        return cls(are_near, f"within {half:f} of the threshold, and {differ}")


def _is_moved(score: Any, rounded_by: float, threshold: float) -> bool:
    """Whether a score may be on the other side of a threshold as float32, or as that prints it, if
    it was rounded by so much at most.
    """
    value = _as_float(score)
    least, most = value - rounded_by, value + rounded_by
    are_flagged = [copy >= threshold for copy in (value, *_copies(least), *_copies(most))]
    return any(are_flagged) and not all(are_flagged)


def _half_step(decimals: int) -> Decimal:
    """Return by how much a score changes at most if it's rounded to so many decimals."""
    return Decimal(5).scaleb(-decimals - 1)


def _has_other_decimals(scores: Array, chosen: Form, here: Form) -> bool:
    """Whether new scores have more or fewer decimals than those by which a threshold was chosen.

    A few of these may end with zeros by chance.
    """
    n_missing = _number_of(chosen.decimals) - _number_of(here.decimals)
    if n_missing <= 0:
        return n_missing < 0
    return scores.size > 1 and n_missing * np.unique(scores).size >= _LEAST_ZEROS


def _number_of(decimals: int | None) -> int:
    return _MOST_DECIMALS + 1 if decimals is None else decimals


def _distances(scores: Array, threshold: Any) -> Array:
    """Return how far scores of any type are from a threshold."""
    if scores.dtype == object:
        scores = np.array([*map(_as_float, scores)])
    with np.errstate(all="ignore"):
        return np.abs(scores.astype(float, copy=False) - _as_float(threshold))
