"""Validation of grades, such as relevances from 0 to 4, of which the highest are positive."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from .._intake import numbers
from ..core.segments import Array
from .errors import NO_SAMPLES, about
from .errors import missing as lacking
from .samples import is_finite, is_missing, places_where

UNJUDGED = "In search, documents that nobody judged count as not relevant: give them grade 0."


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Grades of at least this one are positive. Used in place of a pos_label."""

    grade: Any

    def __str__(self) -> str:
        return f"min_grade={self.grade!r}"


def positive_class(pos_label: Any, min_grade: Any) -> Any:
    """Return what makes samples positive: their label, or at least this grade.

    None and 1 are the defaults of pos_label, so they may not have been passed.
    """
    if min_grade is None:
        return pos_label
    if pos_label is not None and pos_label != 1:
        raise ValueError(
            f"pos_label={pos_label!r} and min_grade={min_grade!r} both define which samples are "
            "positive. Pass pos_label for labels, or min_grade for grades, and leave out the other."
        )
    return AtLeast(min_grade.item() if isinstance(min_grade, np.generic) else min_grade)


def name_of(pos_label: Any) -> str:
    """Return the name of the positives for messages."""
    return str(pos_label) if isinstance(pos_label, AtLeast) else f"pos_label={pos_label!r}"


def check_no_classes(pos_label: Any) -> None:
    if isinstance(pos_label, AtLeast):
        raise ValueError(
            f"{pos_label} is for grades, and classes is for labels. Pass one of the two and leave "
            "out the other."
        )


@about("y_true")
def check_grades(y_true: Any, lowest: AtLeast, y_score: Any) -> Array:
    """Return True where a grade is at least the lowest one that counts."""
    grades = _check_numbers(y_true, lowest)
    _check_one_score(y_score, lowest)
    if grades.dtype.kind == "f":
        if not np.isfinite(grades).all():
            _refuse_missing(np.isnan(grades), np.isinf(grades))
        with np.errstate(over="ignore"):  # grades out of range for float16 exceed all others
            return np.asarray(grades >= lowest.grade)
    return np.asarray(grades >= ceil(lowest.grade))  # exact for integers of any size


def _check_one_score(y_score: Any, lowest: AtLeast) -> None:
    shape = np.shape(y_score)
    if len(shape) == 2 and shape[1] > 1:
        with about("y_score", "models"):
            raise ValueError(
                f"With {lowest}, y_score needs one score for each sample, but its shape is "
                f"{shape}. If these are the probabilities of a classifier, add up those of the "
                f"grades that count, as proba[:, model.classes_ >= {lowest.grade!r}].sum(axis=1)."
            )


def _check_numbers(y_true: Any, lowest: AtLeast) -> Array:
    """Check that grades are one column of real numbers without missing values."""
    column = numbers(y_true)
    if np.ndim(column) != 1:
        raise ValueError(
            f"{lowest} needs one column of grades, but y_true has shape {np.shape(column)}. "
            "Evaluate one column at a time, with its column of y_score."
        )
    column = np.asarray(column)
    if not column.size:
        raise ValueError(NO_SAMPLES)
    if column.dtype.kind in "biuf":
        return column
    for grade in column.tolist() if column.dtype.kind == "O" else column[:1].tolist():
        _check_number(grade, lowest)
    missing = np.array([is_missing(grade) for grade in column])
    infinite = np.array([not (is_missing(grade) or is_finite(grade)) for grade in column])
    if (missing | infinite).any():
        _refuse_missing(missing, infinite)
    return np.array([grade if isinstance(grade, int) else float(grade) for grade in column])


def _check_number(grade: Any, lowest: AtLeast) -> None:
    if not isinstance(grade, Real | Decimal | np.bool_) and not is_missing(grade):
        raise ValueError(
            f"{lowest} compares numbers, but y_true contains {grade!r}. Convert the grades to "
            "numbers, or pass the positive class as pos_label."
        )


def _refuse_missing(missing: Array, infinite: Array) -> NoReturn:
    if not missing.any():
        raise ValueError(
            f"Input y_true contains infinity. Grades must be finite.{places_where(infinite)}"
        )
    raise lacking(
        "Input y_true contains NaN, None or another missing value. Leave out the samples without a "
        f"grade, or assign one.{places_where(missing)} {UNJUDGED}"
    )
