"""How prediction scores round in narrower types and as text, and thresholds that allow for it."""

from decimal import ROUND_FLOOR, Context, Decimal
from math import inf, isfinite
from typing import Any, NamedTuple, Self

import numpy as np

from .._words.messages import format_count, warn
from ..core.exact_scores import are_flagged
from ..core.ragged import Array, split_into_blocks

_MAX_STEPS_BELOW_SCORE = 10  # steps of float32 that a threshold is at most below its score
_MISREAD_STEPS = 4  # steps of float64 by which pandas before 3 may misread text
_EXACT_IN_FLOAT32 = 2**24  # whole numbers below are the same in all types but float16
_EXACT_IN_FLOAT64 = 2**53  # integers below are the same in float64
_MAX_FLOAT_DIGITS = 17
_MAX_GRID_DECIMALS = 15
_N_FIRST_SCORES = 20  # to read first, because most of them show that scores have more decimals
_MAX_CHANCE_OF_ZEROS = 0.0101  # of two scores whose last decimal is 0, with rounding errors
_NO_PLACES = np.empty(0, dtype=np.int64)


def shorten_threshold(threshold: Any, below: Array) -> str:
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

    What moves then is the scores, so it has to be above all copies of the next lower one, which is
    `below`, an array without an entry for the lowest score, and not above any copy of the `score`.
    It is the shortest decimal a little below the score, and the largest of equally short ones. If
    there is none, it is the lowest copy of the score, or None if that isn't above the lower copies.
    """
    kind = below.dtype.type if below.dtype.kind == "f" else np.float64
    with np.errstate(all="ignore"):
        highest = min(_list_copies(score, kind))
        lower = -inf
        if below.size:
            lower = max(_list_copies(below.tolist()[0], kind))
        if not lower < highest:
            return None
        printed = min(score, _print_in(kind, score))
        value = _to_float(printed)
        is_small = abs(value) < _EXACT_IN_FLOAT32
        if not isfinite(value) or (is_small and value.is_integer()):  # the same in all types
            return printed
        step = _compute_step(value, np.float32)
        most, least = min(value - step / 2, highest), value - _MAX_STEPS_BELOW_SCORE * step
        if isfinite(least):
            for digits in range(1, _MAX_FLOAT_DIGITS + 1):
                decimal = Context(digits, ROUND_FLOOR).create_decimal(Decimal(most))
                short = int(decimal) if isinstance(score, int) else float(decimal)
                # Arrays of narrow floats round the threshold before they compare.
                rounded = np.float32(short), kind(short)
                if short >= least and lower < min(short, *map(float, rounded)):
                    return short
    return int(highest) if isinstance(score, int) else highest


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


def count_decimals(scores: Array) -> int | None:
    """Return the fewest decimals that all scores have, as their type prints them; None if they have
    more than 15.

    Floats of a wider type that a narrower one has, too, may have been printed by that.
    """
    if scores.dtype.kind in "biuO":  # objects are integers that no other type has
        return 0
    if not scores.size:
        return None
    largest = max(abs(float(scores.max())), abs(float(scores.min())))
    types = np.float64, np.float32, np.float16
    decimals = [_count_decimals_of_type(kind, scores, largest) for kind in types]
    return min((number for number in decimals if number is not None), default=None)


def _count_decimals_of_type(
    kind: type[np.floating[Any]], scores: Array, largest: float
) -> int | None:
    """Return the fewest decimals of scores that this type prints; None if it lacks some of them, or
    they have more than 15. `largest` is the largest absolute value.
    """
    decimals = 0
    for block in [slice(0, _N_FIRST_SCORES), *split_into_blocks(scores.size)]:
        values = scores[block].astype(float, copy=False)
        with np.errstate(over="ignore"):
            if kind is not np.float64 and (values.astype(kind) != values).any():
                return None
        candidates = np.array([decimals])
        are_enough = _test_decimals(values, candidates, kind, largest)
        if not are_enough.any():
            candidates = np.arange(decimals + 1, _MAX_GRID_DECIMALS + 1)
            are_enough = _test_decimals(values, candidates, kind, largest)
        if not are_enough.any():
            return None
        decimals = int(candidates[np.argmax(are_enough)])
    return decimals


def _test_decimals(
    values: Array, decimals: Array, kind: type[np.floating[Any]], largest: float
) -> Array:
    """Return for each number of decimals whether floats of a type, of shape (n_values,), are the
    nearest ones to such decimals.
    """
    scale = 10.0 ** decimals[:, np.newaxis]
    with np.errstate(over="ignore", invalid="ignore"):
        # Neighbors of the type must not be further apart than such decimals.
        are_apart = np.rint(largest * scale[:, 0]) < 2.0 ** (np.finfo(kind).nmant + 1)
        nearest = values * scale  # of shape (n_decimals, n_values)
        np.rint(nearest, out=nearest)
        nearest /= scale
        are_nearest = (nearest.astype(kind, copy=False) == values).all(axis=1)
        if kind is not np.float64 or are_nearest.all():
            return np.asarray(are_apart & are_nearest)
        # Text may be misread, but floats that happen to be close to decimals aren't taken for it.
        misread = np.minimum(_MISREAD_STEPS * np.spacing(largest), 0.001 / scale)
        are_misread = np.abs(nearest - values) <= misread
    return np.asarray(are_apart & are_misread.all(axis=1))


def _find_scores_near(scores: Array, threshold: float, reach: float) -> tuple[Array, Array]:
    """Return the places of the scores within this reach of a threshold, and their distances."""
    if scores.dtype == object:
        scores = np.array([*map(_to_float, scores)])
    with np.errstate(all="ignore"):
        least, most = np.float64(threshold - reach), np.float64(threshold + reach)
        places = np.flatnonzero((scores >= least) & (scores <= most))
        return places, np.abs(scores[places].astype(float) - threshold)


def _find_kind_near(scores: Array, threshold: float) -> str:
    """Say how the scores next to a threshold may have been rounded, in one or several words.

    It's empty if no score is next to it.
    """
    if scores.dtype == np.float16:
        return "float16"
    if scores.dtype.kind in "biuO" and not abs(threshold) < _EXACT_IN_FLOAT64:
        return "integer"
    places, distances = _find_scores_near(scores, threshold, _compute_step(threshold, np.float32))
    if not places.size:
        return ""
    near = np.unique(scores[places].astype(float))
    copies = np.array([_copy_in_float32(score) for score in near])  # of shape (n_distinct, 2)
    are_narrow, are_printed = (copies == near[:, np.newaxis]).all(axis=0)
    kinds = [kind for kind, are in (("float32", are_narrow), ("text", are_printed)) if are]
    kinds = kinds or ["float64"]
    if ((distances > 0) & (distances <= _MISREAD_STEPS * np.spacing(abs(threshold)))).any():
        kinds.append("misread")
    return " ".join(kinds)


class Form(NamedTuple):
    """How scores are rounded, as far as a threshold has to know."""

    kind: str = ""  # of the scores next to the threshold; see `_find_kind_near`
    decimals: int | None = None  # of all scores; see `count_decimals`

    @classmethod
    def of(cls, scores: Array, threshold: Any) -> Self:
        with np.errstate(all="ignore"):
            return cls(_find_kind_near(scores, _to_float(threshold)), count_decimals(scores))

    def is_of_same_type(self, other: Self) -> bool:
        """Whether the scores next to the threshold are of the same type, or may be."""
        kinds, other_kinds = {*self.kind.split()}, {*other.kind.split()}
        if (kinds | other_kinds) & {"integer", "float16"}:
            return kinds == other_kinds
        if not kinds or not other_kinds:
            return True
        if ("misread" in kinds) != ("misread" in other_kinds):
            return False
        return bool((kinds & other_kinds) - {"misread"})


class Doubt(NamedTuple):
    """New scores that may have been on the other side of a threshold where it was chosen."""

    places: Array
    reach: str  # how near they are, and what may have moved them

    @classmethod
    def of(cls, scores: Array, threshold: Any, chosen: Form, is_lasting: bool) -> Self:
        """Compare the form of new scores with that of those by which the threshold was chosen.

        A lasting threshold flags the same samples if scores become float32, or its text.
        """
        here, value = Form.of(scores, threshold), _to_float(threshold)
        with np.errstate(all="ignore"):
            by_type = cls._find_by_type(scores, value, chosen, here, is_lasting)
            by_decimals = cls._find_by_decimals(scores, value, chosen, here)
        reach = max(by_type, by_decimals, key=lambda doubt: doubt.places.size).reach
        return cls(np.union1d(by_type.places, by_decimals.places), reach)

    @classmethod
    def _find_by_type(
        cls, scores: Array, threshold: float, chosen: Form, here: Form, is_lasting: bool
    ) -> Self:
        if here.is_of_same_type(chosen):
            return cls(_NO_PLACES, "")
        narrow = np.float16 if "float16" in (chosen.kind, here.kind) else np.float32
        places, _ = _find_scores_near(scores, threshold, _compute_step(threshold, narrow))
        if is_lasting and narrow is np.float32:
            # Narrowing the scores of the choice changes nothing, but they may be narrowed ones.
            rounded_by = 0.0
            if here.kind == "float64":
                rounded_by = float(_compute_half_step(_count_known_decimals(here.decimals)))
            near = [_to_float(score) for score in scores[places].tolist()]
            moved = {score: _is_moved(score, rounded_by, threshold) for score in {*near}}
            places = places[np.array([moved[score] for score in near], dtype=bool)]
        return cls(
            places,
            f"within one step of {narrow.__name__} from the threshold, and the scores are rounded "
            "in another way than where the threshold was chosen",
        )

    @classmethod
    def _find_by_decimals(cls, scores: Array, threshold: float, chosen: Form, here: Form) -> Self:
        before, now = _count_known_decimals(chosen.decimals), _count_known_decimals(here.decimals)
        # A few new scores may end with zeros by chance.
        if now == before or (now < before and not _have_fewer_decimals(scores, before, now)):
            return cls(_NO_PLACES, "")
        decimals = min(before, now)
        half, step = _compute_half_step(decimals), _compute_step(threshold, np.float32)
        reach = float(half) + _MISREAD_STEPS * float(np.spacing(abs(threshold)))
        if float(half) > step / 8:  # decimals may have been those of float32
            reach += step
        words = format_count(decimals, "decimals")
        differ = f"the scores have {words} here, but more where the threshold was chosen"
        if before < now:
            differ = f"the scores have more than the {words} where the threshold was chosen"
        places, _ = _find_scores_near(scores, threshold, reach)
        return cls(places, f"within {half:f} of the threshold, and {differ}")


def _have_fewer_decimals(scores: Array, before: int, now: int) -> bool:
    """Whether it's more than chance that scores have so many decimals `now`, and more `before`.

    The chance of each distinct score is that its last decimals are zeros, or if neighbors of its
    type are further apart, how many of these decimals there are for each of them.
    """
    if scores.size < 2:
        return False
    distinct = np.unique(scores[:: max(scores.size // _N_FIRST_SCORES, 1)]).astype(float)
    types = np.float16, np.float32, np.float64
    kind = next(each for each in types if (distinct.astype(each) == distinct).all())
    steps = np.spacing(np.abs(distinct.astype(kind))).astype(float)
    chances = np.maximum(steps * 10.0**now, 10.0 ** (now - before))
    return bool(np.minimum(chances, 1).prod() <= _MAX_CHANCE_OF_ZEROS)


def _is_moved(score: float, rounded_by: float, threshold: float) -> bool:
    """Whether a score may be on the other side of a threshold as float32, or as that prints it, if
    it was rounded by so much at most.
    """
    least, most = score - rounded_by, score + rounded_by
    copies = score, *_copy_in_float32(least), *_copy_in_float32(most)
    return len({copy >= threshold for copy in copies}) == 2


def _compute_half_step(decimals: int) -> Decimal:
    """Return by how much a score changes at most if it's rounded to so many decimals."""
    return Decimal(5).scaleb(-decimals - 1)


def _count_known_decimals(decimals: int | None) -> int:
    return _MAX_GRID_DECIMALS + 1 if decimals is None else decimals


def warn_if_narrow(scores: Array, numbers: Array, threshold: Array) -> None:
    """Warn if arrays of narrow floats flag other samples, because they round the threshold.

    `numbers` has how many samples have each of the scores. `threshold` is an array of one.
    """
    is_narrow = scores.dtype.kind == "f" and scores.dtype.itemsize < 8
    if not is_narrow or threshold.dtype != np.float64:
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
