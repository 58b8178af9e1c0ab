"""Validation for metrics of boosting libraries: their classes, predictions and queries."""

import re
from typing import Any, NoReturn

import numpy as np

from ..core.segments import Array
from .labels import check_pos_label_is_one, name_positives


def check_positive(pos_label: Any, classes: Array | None) -> Any:
    """Return the number of the positive class, if labels are the numbers of classes."""
    if classes is None:
        if isinstance(pos_label, str) or pos_label not in (-1, 0, 1):
            raise ValueError(
                f"pos_label={pos_label!r} needs classes=, all labels in sorted order, as in "
                "classes=np.unique(y). Boosting libraries pass 0 for the first class and 1 for the "
                "second, so it is not known which number is the positive class."
            )
        return pos_label
    if classes.size > 2:
        check_pos_label_is_one(pos_label, "multiclass")
        return pos_label
    name_positives(classes.tolist(), pos_label)
    return classes.tolist().index(pos_label)


def check_log_name(name: Any) -> str:
    """Check a name for logs, which libraries split at spaces and colons."""
    if not isinstance(name, str) or not name or re.search(r"[\s:]", name):
        raise ValueError(
            f"name={name!r} must be a str without spaces and colons, at which boosting libraries "
            "split their logs. Use underscores."
        )
    return name


def check_sorted(classes: Array | None) -> None:
    """Check that classes are in the order in which LightGBM's classifier numbers them."""
    if classes is not None and classes.tolist() != sorted(classes.tolist()):
        raise ValueError(
            f"LGBMClassifier numbers the classes in sorted order, {sorted(classes.tolist())}, but "
            f"classes={classes.tolist()} is in another order. Sort it. If y already contains the "
            "numbers 0 and 1, pass one of them as pos_label=, without classes=."
        )


def check_labels_of(y_true: Array, classes: Array) -> Array:
    """Return the classes in the form of these labels: as numbers, or unchanged."""
    numbers = np.arange(classes.size)
    for names in (numbers, classes):
        if names.dtype.kind in "biufO" and np.isin(y_true, names).all():
            return names
    raise ValueError(
        f"The labels {np.unique(y_true).tolist()} are neither the classes {classes.tolist()} nor "
        f"their numbers, 0 to {classes.size - 1}. Pass all labels as classes=, in sorted order."
    )


def check_pos_label_is_there(y_true: Array, positive: Any) -> None:
    """Check that the positive class is one of two labels."""
    if not (y_true == positive).any():
        present = np.unique(y_true).tolist()
        if len(present) == 2:
            raise ValueError(
                f"pos_label={positive!r} is not a valid label. It should be one of {present}, "
                "which are the labels that the library passes. If it has numbered the classes, "
                "pass all labels in sorted order, as in classes=np.unique(y)."
            )


def check_are_no_classes(y_true: Array, y_pred: Array, n_classes: int) -> None:
    """Check that predictions are not classes. All zeros, or perfect predictions, may be scores."""
    if y_true.dtype.kind not in "biuf" or not y_true.size:
        return
    classes = np.arange(max(n_classes, int(y_true.max()) + 1))
    if not np.isin(y_pred[:1], classes).all():
        return  # the usual case, and a quick answer
    predicted, several = np.unique(y_pred), classes.size > 2
    may_be_scores = not several and (not predicted.any() or np.array_equal(y_pred, y_true))
    if may_be_scores or not np.isin(predicted, classes).all():
        return
    use = "'multi:softprob'" if several else "'binary:logistic' or 'multi:softprob'"
    raise ValueError(
        f"The predictions are the classes {predicted.tolist()}, which do not rank the samples. The "
        f"objectives 'multi:softmax' and 'binary:hinge' predict classes, so use {use}, which "
        "predicts probabilities."
    )


def refuse_without_groups(name: str) -> NoReturn:
    raise ValueError(
        f"{name} needs the groups of the rows, but got none. Pass them to the library, as group= "
        "and eval_group=, or use the metric without 'mean_'."
    )


def check_equal_queries(query: Array, all_queries: Array) -> None:
    """Check that all queries can have as many rows as this one, which is a part of the array."""
    before = np.lib.array_utils.byte_bounds(query)[0]
    before -= np.lib.array_utils.byte_bounds(all_queries)[0]
    if all_queries.size % query.size or (before // query.itemsize) % query.size:
        raise ValueError(
            "XGBRanker weights queries by their number of rows, and counts a query with one row as "
            "1.0, so if queries have different lengths, its mean is not the mean of the metric. "
            "Pass the metric to xgboost.train, as custom_metric=, which passes all queries "
            "together."
        )


def check_unweighted_mean(average: str) -> None:
    if average == "weighted":
        raise ValueError(
            "average='weighted' weights queries by their positives, but these queries already have "
            "the weights of the DMatrix. Use average='macro'."
        )
