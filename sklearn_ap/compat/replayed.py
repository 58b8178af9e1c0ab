"""The rankings that an audit tries, for programs in any language, and the values they return."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import nan
from numbers import Integral, Real
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np

from .._enter.entry import public
from .._infer.requests import seed_of
from ..core.within import Array
from .trials import CallLog, NotTried

VERSION = 1  # add 1 where audits try other rankings than in the last release
_NUMBERS = 10_000  # of rankings in each version
_MOST_ROWS, _MOST_OF_LARGEST = 2_000, 20_000  # so that a file has less than 5 MB
_NANS = ("", "na", "null")  # besides what float() reads


class TriedRanking(NamedTuple):
    """A ranking, as a program gets it."""

    n: int
    y_true: Array
    y_score: Array
    sample_weight: Array | None = None

    @property
    def line(self) -> str:
        """The ranking as a line of JSON."""
        fields = {name: value for name, value in self._asdict().items() if value is not None}
        return json.dumps(fields, default=methodcaller("tolist"))


class _Log(CallLog):
    """The calls with rankings that a file has, however long they take."""

    has_ended = False

    def has_time(self, size: int) -> bool:
        return not self.has_ended


def _logged(answer: Callable[..., float], weights: bool, random_state: int) -> CallLog:
    """Try all rankings that a file has with a function of labels, scores and weights."""
    n_large = 0

    def with_weights(y_true: Any, y_score: Any, sample_weight: Any = None) -> float:
        nonlocal n_large
        columns = [y_true, y_score] if sample_weight is None else [y_true, y_score, sample_weight]
        are_plain = (
            all(type(column) is np.ndarray and column.flags.writeable for column in columns)
            and (y_true.dtype, y_score.dtype) == (np.int64, np.float64)
            and all(np.isfinite(column).all() for column in columns)
        )
        is_large = are_plain and y_true.size > _MOST_ROWS
        if not are_plain or (is_large and (n_large or y_true.size > _MOST_OF_LARGEST)):
            raise NotTried
        n_large += is_large
        return answer(y_true, y_score, sample_weight)

    def without_weights(y_true: Any, y_score: Any) -> float:
        return with_weights(y_true, y_score)

    function = with_weights if weights else without_weights
    log = _Log(function, random_state, left_out=("arguments changed",))
    log.try_all()
    log.has_ended = True
    return log


@public()
def rankings(*, weights: bool = False, random_state: Any = 0) -> list[TriedRanking]:
    """Return the rankings that an audit tries, to evaluate them in another program or language.

    Pass the values that the program returns to :func:`audit` or :func:`check_metric`. On the
    command line, ``python -m sklearn_ap audit --write rankings.jsonl`` writes the rankings, and
    ``--read values.txt`` audits the values.

    Parameters
    ----------
    weights : bool, default=False
        Whether to add rankings with weights, for programs that take these.
    random_state : int, Generator or RandomState instance, default=0
        The seed of the random rankings. Pass the same int with the values.

    Returns
    -------
    rankings : list
        Each has the number `n`, and the arrays `y_true`, `y_score` and `sample_weight`, which is
        None for those without weights. They aren't all that an audit tries: types of arrays, scores
        that aren't finite, and the largest rankings are left out.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> from sklearn_ap.compat import audit, rankings
    >>> values = {
    ...     each.n: average_precision_score(
    ...         each.y_true, each.y_score, zero_division=0
    ...     )
    ...     for each in rankings()
    ... }
    >>> audit(values).definition
    'step'
    """
    kept: list[tuple[Array, ...]] = []

    def keep(*ranking: Array) -> float:
        kept.append(ranking)
        return 0.5

    _logged(keep, weights, seed_of(random_state))
    kept.sort(key=lambda ranking: ranking[2] is not None)
    first = _NUMBERS * VERSION + 1
    return [TriedRanking(n, *ranking) for n, ranking in enumerate(kept, first)]


# --- values --------------------------------------------------------------------------------------


def read_returned(text: str) -> list[float] | dict[int, float]:
    """Read what a program printed: values in the order of the rankings, or after their numbers."""
    rows = [line.strip().removeprefix("[1]").split() for line in text.splitlines()]
    is_numbered = any(len(row) == 2 for row in rows)
    values: dict[int, float] = {}
    for line, row in enumerate(rows, 1):
        if is_numbered and not row:
            continue
        number = row[0] if is_numbered else f"{line}"
        value = " ".join(row[is_numbered:])
        try:
            n, number_read = int(number), nan if value.lower() in _NANS else float(value)
        except ValueError:
            raise ValueError(
                f"Line {line} is no value: {' '.join(row)!r}. Write one line for each ranking: "
                "its n, a space and the value, or only the value, and NaN if there is none."
            ) from None
        if n in values:
            raise ValueError(f"Line {line} has the number {n} again. Write each of them once.")
        values[n] = number_read
    if not values:
        raise ValueError("There is no value at all. Has the program written another file?")
    return values if is_numbered else [*values.values()]


def are_values(given: Any) -> bool:
    """Whether these are values for the rankings: in order, or by the numbers of the rankings."""
    if isinstance(given, Mapping):
        return all(isinstance(n, Integral) for n in given)
    if isinstance(given, list | tuple):
        return all(value is None or isinstance(value, Real) for value in given)
    return hasattr(given, "__array__") and not callable(given)


def calls_of(function: Any, random_state: Any) -> CallLog:
    """Call a function with all rankings, or give them the values that a program returned."""
    if not are_values(function):
        return CallLog(function, random_state).try_all()
    seed, is_numbered = seed_of(random_state), isinstance(function, Mapping)
    for n in function if is_numbered else ():
        if (n - 1) // _NUMBERS != VERSION:
            raise ValueError(
                f"The number {n} is of no ranking here, where numbers begin with "
                f"{_NUMBERS * VERSION + 1}. If another release has written the rankings, write "
                "them again: python -m sklearn_ap audit --write rankings.jsonl"
            )
    plain, weighed = (
        [each.n for each in rankings(weights=weights, random_state=seed)]
        for weights in (False, True)
    )
    numbers = plain if len(function) <= len(plain) else weighed
    values = function if is_numbered else dict(zip(numbers, function, strict=False))
    missing = [n for n in numbers if n not in values]
    if missing or len(function) != len(numbers):
        is_known = is_numbered and missing
        first = f" The first one without a value has the number {missing[0]}." if is_known else ""
        raise ValueError(
            f"There are {len(function):,} values for {len(plain):,} rankings, or for "
            f"{len(weighed):,} with weights.{first} Pass one for each of them, nan if it has none."
        )
    in_order = [nan if values[n] is None else float(values[n]) for n in numbers]
    of_plain, of_weighed = iter(in_order[: len(plain)]), iter(in_order[len(plain) :])

    def answer(y_true: Array, y_score: Array, sample_weight: Array | None) -> float:
        return next(of_plain if sample_weight is None else of_weighed)

    return _logged(answer, len(numbers) > len(plain), seed)
