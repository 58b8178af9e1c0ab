"""Labels: which samples are positive, or which grades they have."""

from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target

from .checks import check
from .columns import find_missing, read_column, read_column_or_matrix, read_numbers
from .points import Array, PerSample, find_distinct


def check_what_is_positive(
    pos_label: Any, min_grade: Any, keep_grades: bool, may_lack_scores: bool
) -> None:
    """Refuse a label or a grade that isn't one, and what doesn't go together."""
    if pos_label is not None or not keep_grades:
        check(pos_label=pos_label)
    names_label = pos_label not in (None, 1)
    if names_label and min_grade is not None:
        raise ValueError(
            f"pos_label={pos_label!r} and min_grade={min_grade!r} both say which samples are "
            "positive. Pass one of them."
        )
    if keep_grades and (names_label or min_grade is not None or may_lack_scores):
        raise ValueError(
            "A metric that reads grades as they are has no pos_label, no min_grade and no "
            "n_positives='rows': leave them out."
        )


def list_classes(y_true: Any) -> Array | None:
    """Return the classes of all labels, also of samples of weight 0, or None if these are two."""
    labels = read_column_or_matrix(y_true, "y_true")
    labels = labels[~find_missing(labels)]
    return np.unique(labels) if _find_kind(labels) == "multiclass" else None


def find_positive(
    labels: PerSample,
    scores: PerSample,
    pos_label: Any,
    min_grade: float | None,
    keep_grades: bool,
    classes: Any,
    every_label: Any,
) -> tuple[PerSample, list[Any] | None]:
    """Return which labels are positive, or grades, and the names of classes if each has a column
    of scores. `every_label` has the labels of all samples, if some of these don't exist.
    """
    is_multiclass = labels.ndim == 1 and scores.ndim == 2 and not keep_grades
    if classes is not None and not is_multiclass:
        raise ValueError("classes= needs one column of labels, and one of scores for each class.")
    if is_multiclass:
        if min_grade is not None:
            raise ValueError(f"min_grade={min_grade!r} needs one score for each grade in y_true.")
        if classes is None and every_label is not None:
            classes = list_classes(every_label)
        return _read_classes(labels, scores, classes, pos_label)
    if labels.shape != scores.shape:
        raise ValueError(f"y_true has shape {labels.shape}, but y_score {scores.shape}.")

    if keep_grades or min_grade is not None:
        if pos_label is None and labels.size and isinstance(labels.flat[0], str):
            raise ValueError(f"Pass pos_label=, one of the labels {np.unique(labels).tolist()}.")
        grades = read_numbers(labels, "y_true")
        if min_grade is None:
            return grades, None
        assert_all_finite(grades, input_name="y_true")
        return np.asarray(grades >= min_grade), None

    if labels.ndim == 2:
        _check_objects(labels, "y_true")
        # type_of_target takes longer than the sort, and isn't needed for integers 0 and 1.
        are_integers = labels.dtype.kind in "biu"
        if not (are_integers and labels.min(initial=0) >= 0 and labels.max(initial=0) <= 1):
            kind = _find_kind(labels)
            if kind != "multilabel-indicator":
                raise ValueError(f"{kind} format is not supported")
        _refuse_pos_label(pos_label, "multilabel-indicator")
        return np.asarray(labels == 1), None
    return read_positive(labels, pos_label), None


def _find_kind(labels: PerSample) -> str:
    """Return what scikit-learn calls such labels, as "binary" or "multiclass"."""
    if labels.dtype == object:
        labels = np.array(labels.tolist())
    if labels.ndim == 1:
        # Distinct labels have the same kind. A warning would come if none is twice.
        labels = np.repeat(find_distinct(labels), 2)
    with np.errstate(invalid="ignore"):  # It casts nan before it refuses it.
        return str(type_of_target(labels, input_name="y_true"))


def read_positive(labels: PerSample, pos_label: Any) -> PerSample:
    """Return which of binary labels are positive."""
    if labels.dtype == bool and pos_label == 1:
        return labels
    _check_objects(labels, "y_true")
    if not labels.size:
        return np.zeros(0, dtype=bool)

    positive = np.asarray(labels == pos_label, dtype=bool)
    n_others = labels.size - np.count_nonzero(positive)
    # Labels are binary if all others are equal, which is faster to find out than their kind.
    two = labels[[positive.argmin(), positive.argmax()]]
    are_binary = n_others in (0, np.count_nonzero(labels == two[0]))
    are_whole = all(each.is_integer() for each in two if isinstance(each, float | np.floating))
    if are_binary and are_whole and n_others < labels.size:
        return positive

    kind = _find_kind(labels)
    if kind not in ("binary", "multiclass"):
        advice = " Pass labels as y_true, and scores as y_score." if kind == "continuous" else ""
        raise ValueError(f"{kind} format is not supported.{advice}")
    present = np.unique(labels)
    if kind == "multiclass":
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes: {present.tolist()}. For grades, pass min_grade=."
        )
    if present.size == 2:
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label. It should be one of {present}. Pass "
            "the positive one as pos_label=."
        )
    return positive


def _check_objects(labels: PerSample, name: str) -> None:
    """Refuse objects that are no labels, or of several types."""
    if labels.dtype != object:
        return
    values = labels.ravel().tolist()
    kinds = {*map(type, values)}
    for kind in kinds:
        if not issubclass(kind, Number | np.generic | str):
            value = next(each for each in values if type(each) is kind)
            raise ValueError(f"{name} must be numbers, booleans or text. Got {value!r}.")
    if len(kinds) > 1:
        raise ValueError(f"{name} mixes {' and '.join(sorted(each.__name__ for each in kinds))}.")


def _refuse_pos_label(pos_label: Any, kind: str) -> None:
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set "
            "pos_label to 1."
        )


def _read_classes(
    labels: PerSample, scores: PerSample, classes: Any, pos_label: Any
) -> tuple[PerSample, list[Any]]:
    """Return which class each sample belongs to, as a column for each class, and their names."""
    _check_objects(labels, "y_true")
    present = find_distinct(labels)
    if classes is None and _find_kind(present) != "multiclass":
        message = (
            f"y_score must be one column for binary labels. Got an array of shape {scores.shape}."
            " To compare models, call compare or report."
        )
        if scores.shape[1] > 2:
            message += " If y_true lacks a class, pass classes=."
        elif present.size == 2:  # predict_proba has its columns in this order.
            names = present.tolist()
            column = names.index(pos_label) if pos_label in names else 1
            message += f" Of probabilities, pass y_score[:, {column}] for class {names[column]!r}."
        raise ValueError(message)
    _refuse_pos_label(pos_label, "multiclass")
    columns = present if classes is None else read_column(classes, "classes")
    _check_objects(columns, "classes")
    names = columns.tolist()
    if len({*names}) != len(names) or len(names) < 2:
        raise ValueError(f"classes must be at least two different labels. Got {names}.")
    if unknown := {*present.tolist()} - {*names}:
        raise ValueError(f"classes={names} lacks {unknown}, which y_true contains.")
    if scores.shape != (labels.size, len(names)):
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={scores.shape}` for classes {names}."
        )
    return (columns[:, np.newaxis] == labels).T, names
