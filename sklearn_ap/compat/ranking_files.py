"""The rankings that an audit tries, for programs in any language, and the values they return."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import nan
from numbers import Integral, Real
from operator import methodcaller
from typing import Any, NamedTuple

from .._enter.entry import public
from .._infer.settings import make_seed
from .._words.parameters import format_value
from ..core.ragged import Array
from .call_log import Call, CallLog

VERSION = 1  # add 1 where audits try other rankings than in the last release
_NUMBERS_PER_VERSION = 10_000  # of rankings in each version
_FIRST_NUMBER = _NUMBERS_PER_VERSION * VERSION + 1
# Aspects of other types, and of what isn't finite
_ASPECTS_WITHOUT_FILE = (
    *("integers", "float32", "bool labels", "float labels", "infinite scores", "read-only arrays"),
    "Series",
)
_MAX_SAMPLES_IN_FILE = 20_000  # of a ranking, so that a file has less than 5 MB
_NAN_WORDS = ("", "na", "null")  # besides what float() reads


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


class _FileLog(CallLog):
    """The calls with the rankings of a file, whose values are known, in the order of the file."""

    def __init__(self, weights: bool, random_state: Any) -> None:
        left_out = ("arguments changed",)
        super().__init__(lambda *_, **weights: next(self.values), random_state, left_out)
        self.values: Iterator[float] = iter(())
        self.weights_as = "sample_weight" if weights else ""
        self.trials = self.plan(weights)

    def plan(self, has_weights: bool, is_brief: bool = False) -> list[Call]:
        """Return the rankings that a file has, those with weights last."""
        trials = [
            trial
            for trial in super().plan(has_weights)
            if trial.aspect not in _ASPECTS_WITHOUT_FILE
            if trial.labels.size <= _MAX_SAMPLES_IN_FILE
        ]
        return sorted(trials, key=lambda trial: trial.weights is not None)

    def has_time(self, size: int) -> bool:
        """Whether there is a value that isn't read yet, as nothing else can be called."""
        return self.n_called < len(self.trials)


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
    trials = _FileLog(weights, make_seed(random_state)).trials
    return [
        TriedRanking(n, trial.labels, trial.scores, trial.weights)
        for n, trial in enumerate(trials, _FIRST_NUMBER)
    ]


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
            if "_" in number + value or not (number + value).isascii():  # 1_0, which Python reads
                raise ValueError
            n, number_read = int(number), nan if value.lower() in _NAN_WORDS else float(value)
        except ValueError:
            raise ValueError(
                f"Line {line} is no value: {format_value(' '.join(row))}. Write one "
                "line for each ranking: its n, a space and the value, or only the value, and NaN "
                "if there is none."
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


def call_or_replay(function: Any, random_state: Any) -> CallLog:
    """Call a function with all rankings, or give them the values that a program returned."""
    if not are_values(function):
        return CallLog(function, random_state).try_all()
    seed, is_numbered = make_seed(random_state), isinstance(function, Mapping)
    for n in function if is_numbered else ():
        if (n - 1) // _NUMBERS_PER_VERSION != VERSION:
            raise ValueError(
                f"The number {n} is of no ranking here, where numbers begin with "
                f"{_FIRST_NUMBER}. If another release has written the rankings, write "
                "them again: python -m sklearn_ap audit --write rankings.jsonl"
            )
    plain = _FileLog(False, seed)
    weighed = _FileLog(True, seed)
    log = plain if len(function) <= len(plain.trials) else weighed
    numbers = range(_FIRST_NUMBER, _FIRST_NUMBER + len(log.trials))
    values = function if is_numbered else dict(zip(numbers, function, strict=False))
    missing = [n for n in numbers if n not in values]
    if missing or len(function) != len(numbers):
        is_known = is_numbered and missing
        first = f" The first one without a value has the number {missing[0]}." if is_known else ""
        raise ValueError(
            f"There are {len(function):,} values for {len(plain.trials):,} rankings, or for "
            f"{len(weighed.trials):,} with weights.{first} Pass one for each of them, nan if it "
            "has none."
        )
    log.values = (nan if values[n] is None else float(values[n]) for n in numbers)
    return log.try_each(log.trials)
