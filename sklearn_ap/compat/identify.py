"""Which definition made a reported number?"""

from collections import defaultdict
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Label
from .._validation import validated
from . import table
from .explain import reported_by
from .numbers import Number, Sample, numbers

_SMALL_KS = (*range(1, 11), 15, 20, 25, 30, 32, 50, 100)
_MOST_DECIMALS = 12  # of a float that was printed in full: the last digits depend on the tool
_FLOAT32_DECIMALS = 6
_N_CLOSEST = 5
_EMPTY = {0.0: "", 1.0: ", groups without positives 1", nan: ", groups without positives left out"}
_HEADER = ("value", "distance", "number, and who reports it")


@dataclass(frozen=True)
class Match:
    """A number and how far it is from the reported one."""

    number: str
    value: float
    distance: float
    reported_by: str


@dataclass(frozen=True)
class Identification:
    """What `identify` gives: print it, or take its matches."""

    reported: float
    decimals: int
    matches: tuple[Match, ...]  # nearest first; empty if none gives the reported number
    closest: tuple[Match, ...]  # the nearest of all, where none matches

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers that match."""
        return tuple(match.number for match in self.matches)

    @property
    def indistinguishable(self) -> tuple[tuple[str, ...], ...]:
        """Matching numbers that are one and the same on this data."""
        names = (tuple(match.number for match in same) for same in _by_value(self.matches))
        return tuple(same for same in names if len(same) > 1)

    def __str__(self) -> str:
        reported = f"{self.reported:.{self.decimals}f}"
        if not self.matches:
            title = f"No definition gives {reported} here. The closest:"
            return f"{title}\n\n{_table(self.closest)}"
        text = f"{reported} is, to {self.decimals} decimals:\n\n{_table(self.matches)}"
        if self.indistinguishable:
            text += "\n\nNumbers in one row cannot be told apart on this data."
        return text

    def __repr__(self) -> str:
        return str(self)


def _by_value(matches: tuple[Match, ...]) -> list[list[Match]]:
    same = defaultdict(list)
    for match in matches:
        same[round(match.value, _MOST_DECIMALS)].append(match)
    return list(same.values())


def _table(matches: tuple[Match, ...]) -> str:
    rows = []
    for same in _by_value(matches):
        names = (m.number + (f" ({m.reported_by})" if m.reported_by else "") for m in same)
        rows.append((f"{same[0].value:.6f}", f"{same[0].distance:.2g}", "; ".join(names)))
    return table.aligned(_HEADER, rows)


@validated
def identify(
    value: float | str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    decimals: int | None = None,
    k: int | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Identification:
    r"""Identify the definitions that give a reported number on this data.

    Tried are all definitions, with every denominator and tie policy, recall levels as floats, and
    old releases of scikit-learn. A number :math:`v` matches if it rounds to the reported one,
    :math:`|v - \mathrm{value}| \le \frac{1}{2} 10^{-\mathrm{decimals}}`.

    Parameters
    ----------
    value : float or str
        The reported number. A str keeps the zeros that it ends in, "0.780", and may be a
        percentage, "78.0%".
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    decimals : int, default=None
        How many decimals of the value are known; by default those that it has, and six of a
        number in single precision.
    k : int, default=None
        The cut-off, if it is known; None tries small and usual ones.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, for means over groups.

    Returns
    -------
    identification : Identification
        With `matches`, nearest first, their `names`, those that are `indistinguishable` on this
        data, and, if there are no matches, the `closest`. It prints as a table.

    See Also
    --------
    explain : All the numbers, and why they differ.

    Examples
    --------
    >>> from sklearn_ap.compat import identify
    >>> y_true, y_score = [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> identify("0.41", y_true, y_score).names
    ('linear', 'scikit-learn 0.15 to 0.17')
    >>> identify(0.99, y_true, y_score).names
    ()
    """
    reported, places = _read(value, decimals)
    sample = Sample.of(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, groups=groups
    )
    found = []
    for empty, suffix in _EMPTY.items() if sample.is_grouped and sample.has_empty else [(0.0, "")]:
        counted = replace(sample, empty=empty)
        for number in numbers(counted, _SMALL_KS if k is None else (k,), ties_at_k=True):
            if k is None and not _cuts(number, sample):
                continue
            actual = number.value(counted)
            if actual == actual:
                name, by = number.name + suffix, reported_by(number, counted)
                found.append(Match(name, actual, abs(actual - reported), by))
    found.sort(key=lambda match: match.distance)
    half = 0.5 * 10.0**-places * (1 + 1e-9) + 1e-15
    matches = tuple(match for match in found if match.distance <= half)
    return Identification(reported, places, matches, () if matches else tuple(found[:_N_CLOSEST]))


def _cuts(number: Number, sample: Sample) -> bool:
    """Whether a k that was not asked for could make a number of its own."""
    return number.k is None or number.k <= sample.longest or number.row == "AP@k / k"


def _read(value: Any, decimals: int | None) -> tuple[float, int]:
    try:
        text = value.strip() if isinstance(value, str) else repr(float(value))
        number = text.removesuffix("%")
        exact = Decimal(number)
        places = -int(exact.as_tuple().exponent)
    except (InvalidOperation, TypeError, ValueError):
        raise ValueError(f"value must be a number or a str of one, got {value!r}.") from None
    if number != text:
        exact, places = exact / 100, places + 2
    if not 0 <= exact <= 1:
        raise ValueError(f"value must lie between 0 and 1, or be a percentage, got {value!r}.")
    if not isinstance(value, str) and float(np.float32(value)) == value and places > 8:
        places = _FLOAT32_DECIMALS  # no float64 comes out so by chance
    if decimals is not None:
        places = decimals
    return float(exact), min(max(places, 0), _MOST_DECIMALS)
