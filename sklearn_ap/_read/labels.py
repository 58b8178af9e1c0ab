"""Validation of targets, which become boolean labels, with one column per class if needed."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from math import ceil, nan
from numbers import Real
from typing import Any, NamedTuple, NoReturn

import numpy as np
import sklearn

from .._arrays.conversion import Codes, as_numbers, convert_decimals, make_exact_array, with_nulls
from .._arrays.conversion import encode_column as codes_of
from .._arrays.host import has
from .._inputs.records import PositiveClass
from .._words.messages import ONLY_LABEL, make_no_samples_error, warn
from .._words.parameters import format_list, format_value
from .._words.refusals import JUDGE_REMEDY, ONE_CLASS_REMEDY, Refusal, Rows, attribute_errors
from ..core.numbering import Name
from ..core.ragged import Array
from .checks_in_turn import check_array, column_or_1d, type_of_target
from .class_columns import check_known, match_classes
from .columns import (
    check_one_column,
    is_missing,
    locate_error,
    locate_missing,
    locate_rows,
    read_column,
)

Labels = tuple[Array, Sequence[Name] | None]  # True where positive, and the names of the columns

UNJUDGED = "In search, documents that nobody judged count as not relevant: give them grade 0."

# scikit-learn 1.9 changed "one of [0, 1]" to "one of [0 1]", which its own tests compare.
_PRINTS_LABELS_AS_ARRAY = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)

_NUMBER = Real | np.bool_
_MAX_INTEGER_CODE = 1000  # smaller integers are used as codes


class Target(NamedTuple):
    """A column of labels with the distinct ones, sorted."""

    column: Array
    values: list[Name]

    def present(self) -> list[Name]:
        return self.values

    def equal(self, label: Name) -> Array:
        return np.asarray(self.column == label, dtype=bool)

    def equal_each(self, labels: Sequence[Name]) -> Array:
        return np.array([self.equal(label) for label in labels]).T


def read_labels(
    y_true: Any,
    positive: PositiveClass,
    classes: Any,
    y_score: Any,
    score_names: Sequence[Name] | None,
) -> Labels:
    """Read a target with one column of labels, or one for each class.

    `score_names` are the names of the columns of y_score, which may tell the classes. They are None
    if it has no columns with names, or if `classes` has the class of each column.
    """
    if positive.min_grade is not None:
        return _read_grades(y_true, positive), [str(positive)]
    is_flags = type(y_true) is np.ndarray and y_true.ndim == 1 and y_true.dtype == bool
    if classes is None and is_flags and positive.label == 1 and y_true.any():
        return y_true, [str(positive)]
    with attribute_errors("y_true"):
        return _read_classes_of_labels(y_true, positive, classes, y_score, score_names)


def _read_classes_of_labels(
    y_true: Any,
    positive: PositiveClass,
    classes: Any,
    y_score: Any,
    score_names: Sequence[Name] | None,
) -> Labels:
    column, kind, target, present = _read_target(y_true, can_be_mixed=classes is not None)
    is_one_column = kind in ("binary", "multiclass")
    if classes is not None and not is_one_column:
        raise ValueError(f"classes is only for multiclass y_true; {kind} format is not supported")
    if kind == "multilabel-indicator":
        check_pos_label_is_one(positive.label, kind)
        return np.asarray(check_array(column) == 1), None
    if not is_one_column:
        refuse_target(kind, y_score)
    if score_names is not None and len(score_names) > 2:
        classes = match_classes(score_names, present)
    if classes is None and kind == "binary":
        if positive.label not in present:
            # Check this first, because it is the cause if classes are missing.
            check_one_column(y_score, positive, score_names)
        name = name_positives(present, positive)
        warn_of_only_label(present, positive)
        return target.equal(positive.label), [name]
    check_pos_label_is_one(positive.label, "multiclass")
    if 2 * len(present) >= len(column):
        find_target_kind(column)  # scikit-learn warns of so many classes
    names = present if classes is None else classes.tolist()
    has_plain_labels = isinstance(target, Codes) or target.column.dtype.kind in "biuf"
    if has_plain_labels and {*present} <= {*names}:
        return target.equal_each(names), names
    if classes is None:
        classes = np.unique(column_or_1d(column))
    return check_known(column, classes), names


@attribute_errors("y_true")
def read_one_target(y_true: Any, positive: PositiveClass, y_score: Any) -> tuple[Array, str]:
    """Read labels of a target that must be binary, as `read_binary_labels` does. Return them and
    the name of the ranking.
    """
    if not np.size(y_true):
        raise make_no_samples_error()
    labels, distinct = read_binary_labels(y_true, positive, y_score)
    present = check_at_most_two(distinct, positive)
    warn_of_only_label(present, positive)
    return labels, name_positives(present, positive)


@attribute_errors("y_true")
def check_at_most_two(labels: Collection[Name], positive: PositiveClass) -> list[Name]:
    """Check that distinct labels are those of a binary target, and sort them, text last."""
    present = sorted(labels, key=lambda label: (isinstance(label, str), label))
    if present and isinstance(present[-1], str) and not isinstance(present[0], str):
        raise ValueError(f"Mix of label input types (string and number) in y_true: {present}.")
    if len(present) > 2:
        raise ValueError(
            f"y_true contains more than two labels, [{format_list(present)}], but it must be "
            "binary here. Evaluate one class at a time, as y_true == label with its column of "
            "y_score. For grades, pass min_grade, the lowest one that counts as positive."
        )
    name_positives(present, positive)
    return present


@attribute_errors("y_true")
def read_binary_labels(
    y_true: Any, positive: PositiveClass, y_score: Any
) -> tuple[Array, set[Name]]:
    """Read labels of a binary target. Return them as booleans, and their distinct values, which are
    none for grades, and more than two if the target isn't binary.

    There is at least one label. y_score is only needed to say whether it was swapped with them.
    """
    if positive.min_grade is not None:
        return _read_grades(y_true, positive), set()
    _, kind, target, present = _read_target(y_true)
    if kind not in ("binary", "multiclass"):
        refuse_target(kind, y_score)
    return target.equal(positive.label), set(present)


def _read_target(y_true: Any, can_be_mixed: bool = False) -> tuple[Any, str, Any, list[Name]]:
    """Return the labels, and what scikit-learn calls this kind of target. If it is one column, also
    return a `Target` or `Codes`, and the distinct labels. Common kinds take few steps. Unless text
    and numbers `can_be_mixed`, both are refused.
    """
    labels = with_nulls(as_numbers(y_true))
    target = _read_pair(labels) or _encode_integers(labels) or codes_of(labels)
    if target is not None:
        present = target.present()
        return labels, "binary" if len(present) <= 2 else "multiclass", target, present
    labels = _convert_objects(labels)
    if not can_be_mixed:
        _check_not_mixed(labels)
    kind = find_target_kind(labels)
    if kind not in ("binary", "multiclass"):
        return labels, kind, None, []
    column = column_or_1d(labels)
    # NumPy's strings would lose null characters at the end.
    target = codes_of(labels) or Target(column, np.unique(column).tolist())
    return labels, kind, target, target.present()


def _read_pair(y_true: Any) -> Target | None:
    """Read an array with one or two distinct integers. Return None for all other input."""
    if type(y_true) is not np.ndarray or y_true.ndim != 1 or y_true.dtype.kind not in "biuf":
        return None
    if not y_true.size:
        return None
    low, high = y_true.min().item(), y_true.max().item()
    if low != low // 1 or high != high // 1:
        return None  # nan, inf or not integers
    may_be_between = high - low > 1 or y_true.dtype.kind == "f"
    if may_be_between and not np.all((y_true == low) | (y_true == high)):
        return None
    return Target(y_true, [low] if low == high else [low, high])


def make_empty_labels(y_true: Any, positive: PositiveClass, classes: Array | None) -> Labels:
    """Return empty labels, for input without samples."""
    if classes is not None:
        return np.zeros((0, len(classes)), dtype=bool), classes.tolist()
    if np.ndim(y_true) == 2:
        return np.zeros(np.shape(y_true), dtype=bool), None
    return np.zeros(0, dtype=bool), [str(positive)]


@attribute_errors("y_true")
def check_one_ranking(labels: Array) -> None:
    """Refuse labels of several columns where there are groups."""
    if labels.ndim == 2:
        wrong = (
            "With groups, y_true must be binary; multilabel-indicator and multiclass formats are "
            "not supported. For grades, pass min_grade, the lowest grade that counts as positive. "
            "For classes, evaluate one at a time, as in y_true == label. If each row is a query, "
            "use average='samples' without groups."
        )
        raise ValueError(Refusal(wrong, remedy=ONE_CLASS_REMEDY))


def name_positives(present: Sequence[Name], positive: PositiveClass) -> str:
    """Name the ranking for messages, after checking that pos_label can be one of the labels.

    `present` are the distinct labels, sorted: none for grades, and one if y_true has no other.
    """
    name = str(positive)
    if not present or positive.label in present:
        return name
    if len(present) == 1:
        return f"{name}, and y_true contains only {present[0]!r}"
    # There can be three, because scikit-learn takes labels that differ in a null for one.
    first, second = present[:2]
    printed = np.asarray(present) if _PRINTS_LABELS_AS_ARRAY else present
    one, other = f"pos_label={first!r}", f"pos_label={second!r}"
    advice = f"Pass the positive one, as {one} or {other}."
    if not isinstance(first, str | Real | np.bool_):  # such as a date
        advice = "Convert y_true to numbers, strings or booleans."
    raise ValueError(f"{name} is not a valid label. It should be one of {printed}. {advice}")


def warn_of_only_label(present: Sequence[Name], positive: PositiveClass) -> None:
    """Warn if the only label is text and pos_label a number, so any other label would be refused.

    A number could be the negative class, in a fold or a group without positives.
    """
    if len(present) == 1 and isinstance(present[0], str) and not isinstance(positive.label, str):
        (label,) = present
        warn(
            f"y_true contains only {label!r}, and pos_label is "
            f"{positive.label!r}, so no sample is positive. If {label!r} is the positive class, "
            f"pass pos_label={label!r}. If not, pass the label of the positive class.",
            ONLY_LABEL,
        )


def check_pos_label_is_one(pos_label: Name, kind: str) -> None:
    """Refuse another pos_label for a target of several classes, of this kind."""
    if pos_label != 1:
        wrong = (
            f"Parameter pos_label is fixed to 1 for {kind} y_true. "
            "Do not set pos_label or set pos_label to 1."
        )
        raise ValueError(Refusal(wrong, remedy=ONE_CLASS_REMEDY))


def refuse_target(kind: str, y_score: Any) -> NoReturn:
    """Raise an error for an unsupported kind of target."""
    several = ": pass one column of y_true with its column of y_score"
    advice = several if kind == "multilabel-indicator" else advise_if_swapped(kind, y_score)
    if kind == "continuous" and not advice:
        advice = ". For grades, pass min_grade, the lowest one that counts as positive"
    raise ValueError(f"{kind} format is not supported{advice}")


def advise_if_swapped(kind: str, y_score: Any) -> str:
    """Return advice to append to an error, if labels and prediction scores seem to be swapped.

    `kind` is what scikit-learn calls the target that was passed as y_true.
    """
    values = np.asarray(y_score)
    if values.dtype.kind in "biuf":
        are_labels = any(np.isin(values, pair).all() for pair in ((0, 1), (-1, 1)))
    else:
        are_labels = all(isinstance(value, str) for value in values.flat)
    if are_labels and kind.startswith("continuous"):
        return ". y_true and y_score look swapped. Pass the labels first, then the scores."
    return ""


def find_target_kind(y_true: Any) -> str:
    """Return what scikit-learn calls this kind of target, after refusing one with missing labels
    or without samples.
    """
    y_true = _convert_objects(y_true)
    shape = getattr(y_true, "shape", None)
    size = len(y_true) if shape is None else shape[:1]
    if size in (0, (0,)):
        raise make_no_samples_error()
    if isinstance(y_true, list | tuple) and any(label is np.ma.masked for label in y_true):
        raise ValueError("y_true contains numpy.ma.masked. Leave these samples out.")
    if _are_flags_in_columns(y_true):
        return "multilabel-indicator"
    try:
        with np.errstate(invalid="ignore"):  # nan is cast to an integer before it is rejected
            kind = str(type_of_target(y_true, input_name="y_true"))
    except (TypeError, ValueError) as error:
        if isinstance(error, TypeError):  # missing values cannot be compared
            _refuse_missing_labels(y_true)
        raise locate_error(error, y_true, "Input y_true") from None
    # An array of strings would contain nan as the label 'nan'.
    if kind == "unknown" or isinstance(y_true, list | tuple):
        _refuse_missing_labels(y_true)
    return kind


def _are_flags_in_columns(y_true: Any) -> bool:
    """Whether it's plainly a matrix of 0 and 1, for which scikit-learn would sort all labels."""
    if type(y_true) is not np.ndarray or y_true.ndim != 2 or y_true.shape[1] < 2:
        return False
    return y_true.dtype.kind in "biuf" and bool(((y_true == 0) | (y_true == 1)).all())


def _convert_objects(y_true: Any) -> Any:
    """Convert decimals to floats, and numbers and booleans that are objects to what they are.

    scikit-learn doesn't take them for numbers.
    """
    is_frame = not hasattr(y_true, "dtype") and has(type(y_true), "iloc")
    if is_frame or str(getattr(y_true, "dtype", "")) == "object":
        values = np.asarray(y_true)
        # A frame whose columns are all numbers makes an array of numbers, which stays a frame.
        labels = values.ravel().tolist() if values.dtype.kind == "O" else ["of one type"]
        if all(isinstance(label, _NUMBER) and label == label for label in labels):
            numbers = make_exact_array(labels)
            if numbers.dtype.kind == "O":
                raise ValueError(
                    "y_true contains integers beyond 2**53 beside other numbers, which no type "
                    "holds exactly. Convert all labels to one type, such as strings."
                )
            return numbers.reshape(values.shape)
    as_decimals = convert_decimals(y_true)
    return as_decimals.floats if as_decimals else y_true


def _check_not_mixed(y_true: Any) -> None:
    """Refuse text beside numbers, which an array of both would contain as text."""
    if not isinstance(y_true, list | tuple) and str(getattr(y_true, "dtype", "")) != "object":
        return
    labels = np.asarray(y_true, dtype=object).ravel()
    kinds = {*map(type, labels)}
    has_text = any(issubclass(kind, str) for kind in kinds)
    if has_text and any(issubclass(kind, _NUMBER) for kind in kinds):
        _refuse_missing_labels(y_true)
        text = next(label for label in labels if isinstance(label, str))
        number = next(label for label in labels if isinstance(label, _NUMBER))
        raise ValueError(
            f"Mix of label input types (string and number): y_true contains {format_value(text)} "
            f"and {format_value(number)}. Convert all labels to one type."
        )


def _refuse_missing_labels(y_true: Any) -> None:
    """Raise an error if labels are missing."""
    labels = np.asarray(y_true, dtype=object)
    if where := locate_missing(labels):
        raise _make_missing_error("label", where)


def _make_missing_error(kind: str, where: Rows, advice: str = "", remedy: str = "") -> ValueError:
    wrong = f" Leave out the samples without a {kind}, or assign one."
    subject, found = "Input y_true", "NaN, None or another missing value"
    refusal = Refusal(wrong, advice, subject, found, missing="NaN", remedy=remedy, where=where)
    return ValueError(refusal)


def _encode_integers(y_true: Any) -> Codes | None:
    """Return codes for an array of small integers; None for all else. A code is its integer, less
    the lowest one if that is negative.
    """
    is_array = type(y_true) is np.ndarray and y_true.ndim == 1 and y_true.dtype.kind in "iu"
    if not is_array or not y_true.size:
        return None
    low, high = y_true.min().item(), y_true.max().item()
    if max(-low, high) >= _MAX_INTEGER_CODE:
        return None
    code = y_true if low >= 0 else y_true.astype(np.intp) - low
    return Codes(code, range(min(low, 0), high + 1))


# --- grades, of which the highest are positive ----------------------------------------------------


@attribute_errors("y_true")
def read_original_labels(y_true: Any) -> Array:
    """Read a column of labels or grades as they are, but True and False as 1 and 0."""
    labels = read_column(y_true, "y_true")
    if not labels.size:
        raise make_no_samples_error()
    if labels.dtype.kind == "f":
        may_be_missing = bool(np.isnan(labels).any())
    else:
        may_be_missing = labels.dtype.kind in "OmM"
    if may_be_missing and (where := locate_missing(labels)):
        raise _make_missing_error("label", where)
    return labels.astype(np.int64) if labels.dtype == bool else labels


@attribute_errors("y_true")
def _read_grades(y_true: Any, positive: PositiveClass) -> Array:
    """Return True where a grade is at least the lowest one that counts, `positive.min_grade`."""
    column = with_nulls(as_numbers(y_true))
    if np.ndim(column) != 1:
        raise ValueError(
            f"{positive} needs one column of grades, but y_true has shape {np.shape(column)}. "
            "Evaluate one column at a time, with its column of y_score."
        )
    grades = np.asarray(column)
    if not grades.size:
        raise make_no_samples_error()
    if grades.dtype.kind not in "biuf":
        grades = np.array([_convert_grade(grade, positive) for grade in grades.tolist()])
    if grades.dtype.kind != "f":
        return np.asarray(grades >= ceil(positive.min_grade))  # exact for integers of any size
    if not np.isfinite(grades).all():
        if where := locate_rows(np.isnan(grades)):
            raise _make_missing_error("grade", where, f" {UNJUDGED}", JUDGE_REMEDY)
        wrong = "Input y_true contains infinity. Grades must be finite."
        raise ValueError(Refusal(wrong, where=locate_rows(np.isinf(grades))))
    with np.errstate(over="ignore"):  # grades out of range for float16 exceed all others
        return np.asarray(grades >= positive.min_grade)


def _convert_grade(grade: Any, positive: PositiveClass) -> float:
    """Return a number that NumPy compares exactly, or nan for a missing value."""
    if is_missing(grade):
        return nan
    if not isinstance(grade, Real | Decimal | np.bool_):
        raise ValueError(
            f"{positive} compares numbers, but y_true contains {grade!r}. Convert the "
            "grades to numbers, or pass the positive class as pos_label."
        )
    return grade if isinstance(grade, int) else float(grade)
