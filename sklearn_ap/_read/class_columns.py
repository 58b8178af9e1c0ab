"""Which column of prediction scores is that of which class, or of which column of labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arrays.conversion import as_matrix, find_header, list_column_names
from .._arrays.host import to_host
from .._inputs.records import Inputs, PositiveClass
from .._words.parameters import format_list
from .._words.refusals import attribute_errors
from ..core.numbering import Name
from ..core.ragged import Array
from ..core.rankings import Rankings
from .columns import check_counts_are_named, list_spellings
from .group_names import convert_names


def match_columns(inputs: Inputs) -> tuple[Any, Any, Array | None, Sequence[Name] | None]:
    """Return y_true, y_score, the classes of the columns of y_score, and the names of these.

    If the columns of labels have the same names, those of y_score are put in their order. The
    classes are None if they weren't passed, or if y_score is one column for two classes.
    """
    y_true, y_score, classes = inputs.y_true, inputs.y_score, inputs.classes
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray:
        y_true, y_score = to_host(y_true), to_host(y_score)
    score_names = _find_score_names(inputs, y_score)
    if score_names is not None and np.ndim(y_true) == 2:
        y_score = _sort_score_columns(y_true, y_score, score_names)
    if classes is None:
        return y_true, y_score, None, score_names
    classes = _read_column_classes(classes, y_true, y_score, inputs.positive)
    if classes is not None and score_names is not None:
        _check_names_agree(score_names, classes)
    return y_true, y_score, classes, score_names


def _find_score_names(inputs: Inputs, y_score: Any) -> Sequence[Name] | None:
    """Return the names of the columns of y_score, if it is a table or was read from several."""
    names = inputs.column_names.get("y_score")
    if isinstance(names, list | tuple):
        return list(names)
    return None if type(y_score) is np.ndarray else find_header(y_score)


def _sort_score_columns(y_true: Any, y_score: Any, score_names: Sequence[Name]) -> Any:
    """Return columns of scores in the order of the columns of labels, if these have the same
    names.

    `score_names` has the name of each column of y_score. Both have two dimensions.
    """
    label_names = list_column_names(y_true)
    if label_names is None or label_names == score_names:
        return y_score
    if {*label_names} == {*score_names}:
        order = [score_names.index(name) for name in label_names]
        return np.asarray(as_matrix(y_score))[:, order]
    shared = [name for name in label_names if name in score_names]
    if shared and find_header(y_true) is not None:
        with attribute_errors("y_score"):
            raise ValueError(
                f"The columns of y_score are called {score_names}, and those of y_true "
                f"{label_names}. They share [{format_list(shared)}], but not all names. "
                "Pass the same columns in both, or arrays to pair them by position."
            )
    return y_score


def _read_column_classes(
    classes: Any, y_true: Any, y_score: Any, positive: PositiveClass
) -> Array | None:
    """Return the classes of the columns of y_score; None if it is one column for two classes."""
    labels = read_classes(classes, positive)
    if labels.size == 2 and np.ndim(y_score) == 1:
        check_known(y_true, labels)
        return None
    return labels


def read_classes(classes: Any, positive: PositiveClass) -> Array:
    """Return the distinct classes of the columns, in this order. There are at least two."""
    if positive.min_grade is not None:
        raise ValueError(f"{positive} is for grades, and classes is for labels: pass only one.")
    labels = convert_names(classes, "classes")
    if len(set(labels.tolist())) != labels.size or labels.size < 2:
        raise ValueError(
            f"classes must contain at least two labels, without duplicates. Got "
            f"{labels.tolist()} instead."
        )
    return labels


@attribute_errors("y_true")
def check_known(y_true: Any, classes: Array) -> Array:
    """Return one column of labels per class, after checking that every sample has one of them.

    The result has the shape (n_samples, n_classes).
    """
    y_true = convert_names(y_true, "y_true")
    labels = np.asarray(y_true[:, np.newaxis] == classes)
    has_class = labels.any(axis=1)
    if not has_class.all():
        unknown = list(dict.fromkeys(y_true[~has_class].tolist()))
        raise ValueError(
            f"y_true contains labels {unknown} that are not in classes {classes.tolist()}. Pass "
            "all labels as classes=."
        )
    return labels


def match_classes(score_names: Sequence[Name], labels: Sequence[Name]) -> Array | None:
    """Return the classes of columns of y_score that are called like the labels in y_true.

    Return None if none is. Numbers can be written as text, in the labels as well as in the names.
    """
    classes = _match_labels(score_names, labels)
    lacking = [label for label in labels if label not in classes]
    if len(lacking) == len(labels):
        return None
    if lacking or len({*classes}) < len(classes):
        why = f"none like [{format_list(lacking)}]" if lacking else "two are called the same"
        with attribute_errors("y_score"):
            raise ValueError(
                f"The columns of y_score are called {score_names}, like labels in y_true, but "
                f"{why}. Pass one column for each class. If the names have another meaning, pass "
                "classes=, the class of each column."
            )
    return convert_names(classes, "classes")


def _match_labels(score_names: Sequence[Name], labels: Sequence[Name]) -> list[Name]:
    """Return the label that each column is called like, or its name if there is none."""
    label_of = {text: label for label in labels for text in list_spellings(label)}
    classes = []
    for name in score_names:
        texts = [text for text in list_spellings(name) if text in label_of]
        classes.append(label_of[min(texts)] if texts else name)
    return classes


def _check_names_agree(score_names: Sequence[Name], classes: Array) -> None:
    """Check that columns called like the classes are in their order."""
    passed = classes.tolist()
    by_name = _match_labels(score_names, passed)
    if {*by_name} == {*passed} and by_name != passed:
        advice = "Leave out classes: each column is then the class that it is named after."
        if len(score_names) == 2:
            advice = f"Pass classes={by_name}, or only the column of the positive class."
        with attribute_errors("y_score", "classes"):
            raise ValueError(
                f"The columns of y_score are called {score_names}, but classes={passed} names them "
                f"in another order. {advice}"
            )


def arrange_columns(y_score: Any, classes: Array, otherwise: Sequence[int] | None = None) -> Any:
    """Return an array of scores with a column for each class, in this order, if they are called
    like the classes. Their places are `otherwise` these, or if that is None, as they are.
    """
    header = find_header(y_score)
    places = otherwise
    if header is not None:
        of_columns = match_classes(header, classes.tolist())
        if of_columns is not None:
            places = [of_columns.tolist().index(name) for name in classes.tolist()]
    scores = y_score if list_column_names(y_score) is None else np.asarray(as_matrix(y_score))
    return scores if places is None else np.asarray(scores)[:, places]


def sort_by_class(
    rankings: Rankings, classes: Sequence[Name], n_positives: Any, score_names: Sequence[Name]
) -> Rankings:
    """Sort the columns by their classes, so that models with other orders can be compared.

    `classes` has the class of each column. Counts of positives must then be named.
    """
    order = _sort_classes(classes)
    if order == sorted(order):
        return rankings
    check_counts_are_named(n_positives, classes, score_names)
    return rankings.select_columns(order)


def _sort_classes(classes: Sequence[Name]) -> list[int]:
    """Return the places of classes in sorted order, with text last."""
    return sorted(range(len(classes)), key=lambda i: (isinstance(classes[i], str), classes[i]))
