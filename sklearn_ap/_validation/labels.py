"""Validation of targets, which become boolean labels, with one column per class if needed."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
import sklearn
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import type_of_target

from .._intake import Codes, codes, exact_codes, numbers
from ..core.segments import Array
from .errors import NO_SAMPLES, about, missing
from .grades import AtLeast, check_grades, name_of
from .samples import check_column, check_one_column, is_missing, places_of_missing

Labels = tuple[Array, Sequence[Any] | None]  # True where positive, and the names of the columns

# scikit-learn 1.9 changed "one of [0, 1]" to "one of [0 1]" in its message.
_LABELS_PRINTED_AS_ARRAY = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)

_LARGEST_CLASS = 1000  # smaller integers are used as codes


def check_labels(y_true: Any, pos_label: Any, classes: Any, y_score: Any) -> Labels:
    if isinstance(pos_label, AtLeast):
        return check_grades(y_true, pos_label, y_score), [name_of(pos_label)]
    column = y_true
    if type(y_true) is not np.ndarray or y_true.ndim != 1:
        column = numbers(y_true)
    if classes is None and _is_array(column):
        # For arrays without positives, messages don't mention the only label. For everything else
        # they do.
        labels = _plain_binary_labels(column, pos_label, may_lack_it=column is y_true)
        if labels is not None:
            return labels, [f"pos_label={pos_label!r}"]
    plain = _plain_labels(column, pos_label, classes)
    return _read_labels(column, pos_label, classes, y_score) if plain is None else plain


@about("y_true")
def _read_labels(y_true: Any, pos_label: Any, classes: Any, y_score: Any) -> Labels:
    y_true = _without_decimals(y_true)
    kind = kind_of(y_true)
    _check_strings(y_true, kind, pos_label)
    if kind == "multiclass" or classes is not None:
        return _class_labels(y_true, kind, pos_label, classes)
    if kind == "multilabel-indicator":
        check_pos_label_is_one(pos_label, kind)
        return np.asarray(check_array(y_true) == 1), None
    if kind == "binary":
        # Check this first, because it is the cause if classes are missing.
        check_one_column(y_score, y_true, pos_label)
        return _binary_labels(y_true, pos_label)
    refuse(kind, y_score)


def no_labels(y_true: Any, pos_label: Any, classes: Any) -> Labels:
    """Return empty labels, for input without samples."""
    if classes is not None:
        return np.zeros((0, len(classes)), dtype=bool), classes.tolist()
    if np.ndim(y_true) == 2:
        return np.zeros(np.shape(y_true), dtype=bool), None
    return np.zeros(0, dtype=bool), [name_of(pos_label)]


@about("y_true")
def check_one_ranking(labels: Array) -> None:
    if labels.ndim == 2:
        raise ValueError(
            "With groups, y_true must be binary; multilabel-indicator and multiclass formats are "
            "not supported. For grades, pass min_grade, the lowest grade that counts as positive. "
            "For classes, evaluate one at a time, as in y_true == label. If each row is a query, "
            "use average='samples' without groups."
        )


@about("y_true")
def check_explained(labels: Array) -> None:
    if labels.ndim == 2:
        raise ValueError(
            "y_true must be binary. Pass one column of y_true with its column of y_score. With "
            "groups, each group is a ranking."
        )


def _binary_labels(y_true: Any, pos_label: Any) -> Labels:
    column = exact_codes(y_true)
    present = np.unique(column_or_1d(y_true)).tolist() if column is None else column.present()
    return _equal(y_true, pos_label), [name_positives(present, pos_label)]


def _equal(y_true: Any, pos_label: Any) -> Array:
    column = exact_codes(y_true)  # NumPy's strings would lose null characters at the end
    if column is not None:
        return column.equal(pos_label)
    return np.asarray(column_or_1d(y_true) == pos_label, dtype=bool)


def name_positives(present: Sequence[Any], pos_label: Any) -> str:
    """Name the ranking for messages, after checking that pos_label can be one of the labels."""
    name = f"pos_label={pos_label!r}"
    if pos_label not in present:
        if len(present) == 2:
            one, other = present
            printed = np.asarray(present) if _LABELS_PRINTED_AS_ARRAY else present
            raise ValueError(
                f"{name} is not a valid label. It should be one of {printed}. Pass the positive "
                f"one, as pos_label={one!r} or pos_label={other!r}."
            )
        name += f", and y_true contains only {present[0]!r}"
    return name


@about("y_true")
def check_chunk_labels(y_true: Any, pos_label: Any, y_score: Any) -> tuple[Array, set[Any]]:
    """Check the labels of a chunk. Return them and the distinct values, which are
    none for grades.
    """
    if isinstance(pos_label, AtLeast):
        return check_grades(y_true, pos_label, y_score), set()
    present = _plain_pair(y_true)
    if present is None:
        column = exact_codes(y_true)
        if column is not None:
            return column.equal(pos_label), set(column.present())
        y_true = _without_decimals(y_true)
        kind = kind_of(y_true)
        if kind not in ("binary", "multiclass"):
            refuse(kind, y_score)
        y_true = column_or_1d(y_true)
        present = set(np.unique(y_true).tolist())
    return np.asarray(y_true == pos_label, dtype=bool), present


def _class_labels(y_true: Any, kind: str, pos_label: Any, classes: Any) -> Labels:
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"classes is only for multiclass y_true; {kind} format is not supported")
    check_pos_label_is_one(pos_label, "multiclass")
    y_true = column_or_1d(y_true)
    if classes is None:
        classes = np.unique(y_true)
    return check_known(y_true, classes), classes.tolist()


def check_classes(classes: Any) -> Array:
    labels = check_column(classes, "classes")
    if len(set(labels.tolist())) != labels.size or labels.size < 2:
        raise ValueError(
            f"classes must contain at least two labels, without duplicates. Got {labels} instead."
        )
    return labels


@about("y_true")
def check_two_classes(y_true: Any, classes: Array) -> None:
    """Check that there are no other classes than these two, which share one column of scores."""
    column = codes(y_true)
    if column is None or not set(column.present()) <= set(classes.tolist()):
        check_known(column_or_1d(numbers(y_true)), classes)


def check_known(y_true: Array, classes: Array) -> Array:
    """Return one column of labels per class, after checking that every sample has one of them."""
    labels = np.asarray(y_true[:, np.newaxis] == classes)
    known = labels.any(axis=1)
    if not known.all():
        unknown = list(dict.fromkeys(y_true[~known].tolist()))
        raise ValueError(
            f"y_true contains labels {unknown} that are not in classes {classes}. Pass all labels "
            "as classes=."
        )
    return labels


def check_pos_label_is_one(pos_label: Any, kind: str) -> None:
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. "
            "Do not set pos_label or set pos_label to 1."
        )


def refuse(kind: str, y_score: Any) -> NoReturn:
    """Raise an error for an unsupported kind of target."""
    several = ": pass one column of y_true with its column of y_score"
    advice = several if kind == "multilabel-indicator" else if_swapped(kind, y_score)
    raise ValueError(f"{kind} format is not supported{advice}")


def if_swapped(kind: str, y_score: Any) -> str:
    """Return advice to append to an error, if labels and prediction scores seem to be swapped."""
    if kind.startswith("continuous") and _look_like_labels(y_score):
        return ". y_true and y_score look swapped. Pass the labels first, then the scores."
    return ""


def _look_like_labels(y_score: Any) -> bool:
    values = np.asarray(y_score)
    if values.dtype.kind not in "biuf":
        return all(isinstance(value, str) for value in values.flat)
    return any(bool(np.isin(values, pair).all()) for pair in ((0, 1), (-1, 1)))


def kind_of(y_true: Any) -> str:
    shape = getattr(y_true, "shape", None)
    if (len(y_true) == 0) if shape is None else (shape[:1] == (0,)):
        raise ValueError(NO_SAMPLES)
    if isinstance(y_true, list | tuple) and any(label is np.ma.masked for label in y_true):
        raise ValueError("y_true contains numpy.ma.masked. Leave these samples out.")
    try:
        with np.errstate(invalid="ignore"):  # nan is cast to an integer before it is rejected
            kind = str(type_of_target(y_true, input_name="y_true"))
    except TypeError:  # missing values cannot be compared
        _refuse_missing(y_true)
        raise
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise missing(f"{error}{places_of_missing(np.asarray(y_true))}") from None
    # An array of strings would contain nan as the label 'nan'.
    if kind == "unknown" or isinstance(y_true, list | tuple):
        _refuse_missing(y_true)
    return kind


def _without_decimals(y_true: Any) -> Any:
    """Convert a column of decimals, which scikit-learn doesn't take for numbers, to floats."""
    is_column = isinstance(y_true, list | tuple) or len(getattr(y_true, "shape", ())) == 1
    is_column &= hasattr(y_true, "__iter__")
    if not is_column or not all(isinstance(label, Decimal) for label in y_true):
        return y_true
    return np.array([float(label) for label in y_true])


def _check_strings(y_true: Any, kind: str, pos_label: Any) -> None:
    """Check that NumPy's strings tell the labels apart, unless they are not used.

    If there are more than two classes, objects are compared with each other, which loses nothing.
    """
    column = exact_codes(y_true)
    if column is None or (kind == "multiclass" and column_or_1d(y_true).dtype.kind == "O"):
        return
    check_told_apart(column.present(), pos_label)


def check_told_apart(present: Sequence[Any], pos_label: Any) -> None:
    """Reject strings that differ only in null characters at the end, which NumPy's strings lose."""
    seen: dict[str, str] = {}
    for label in [*present, pos_label]:
        if isinstance(label, str):
            twins = {label, seen.setdefault(label.rstrip("\0"), label)}
            if len(twins) > 1:
                raise ValueError(
                    f"The labels {' and '.join(map(repr, sorted(twins)))} differ only in null "
                    "characters at the end, which NumPy's strings lose. Use other labels in y_true "
                    "and pos_label."
                )


def _refuse_missing(y_true: Any) -> None:
    try:
        labels = np.asarray(y_true, dtype=object)
    except ValueError:  # rows of different lengths
        return
    if any(map(is_missing, labels.flat)):
        raise missing(
            "Input y_true contains NaN, None or another missing value. Leave out the samples "
            f"without a label, or assign one.{places_of_missing(labels)}"
        )


# --- fast paths for common input ----------------------------------------------------------------


def _plain_labels(y_true: Any, pos_label: Any, classes: Any) -> Labels | None:
    """Return the labels of a column of numbers, strings or categories.

    Return None for all other input, and for input that raises an error or a warning.
    """
    column = _codes(y_true)
    if column is None:
        return None
    present = column.present()
    if classes is None and len(present) <= 2:
        known = pos_label in present
        return (column.equal(pos_label), [f"pos_label={pos_label!r}"]) if known else None
    if pos_label != 1 or _are_many(present, column):
        return None
    names = present if classes is None else classes.tolist()
    return (column.equal_each(names), names) if set(present) <= set(names) else None


def _codes(y_true: Any) -> Codes | None:
    return _codes_of_integers(y_true) if _is_array(y_true) else codes(y_true)


def _are_many(present: list[Any], column: Codes) -> bool:
    """Whether scikit-learn would warn about the number of classes."""
    return 2 * len(present) >= column.code.size


def _is_array(y_true: Any) -> bool:
    return type(y_true) is np.ndarray and y_true.ndim == 1 and y_true.dtype.kind in "biuf"


def _plain_binary_labels(y_true: Array, pos_label: Any, may_lack_it: bool) -> Array | None:
    if isinstance(pos_label, str):
        return None
    if y_true.dtype == bool and y_true.size and may_lack_it:
        return y_true if pos_label == 1 else None
    present = _plain_pair(y_true)
    if present is None or (pos_label not in present and (len(present) == 2 or not may_lack_it)):
        return None
    return y_true if y_true.dtype == bool and pos_label == 1 else np.asarray(y_true == pos_label)


def _plain_pair(y_true: Any) -> set[float] | None:
    """Return the one or two distinct integers in an array; None for all other input."""
    if not _is_array(y_true) or y_true.size == 0:
        return None
    low, high = y_true.min().item(), y_true.max().item()
    if low != low // 1 or high != high // 1:
        return None  # nan, inf or not integers
    apart = high - low > 1 or y_true.dtype.kind == "f"
    if apart and not np.all((y_true == low) | (y_true == high)):
        return None
    return {low, high}


def _codes_of_integers(y_true: Array) -> Codes | None:
    """Return codes for small integers."""
    if y_true.dtype.kind not in "iu" or not y_true.size:
        return None
    low, high = y_true.min().item(), y_true.max().item()
    if max(-low, high) >= _LARGEST_CLASS:
        return None
    code = y_true if low >= 0 else y_true.astype(np.intp) - low
    return Codes(code, range(min(low, 0), high + 1))
