"""What metrics of boosting refuse: classes that cannot be told, queries that are mixed."""

from typing import Any, NoReturn

import numpy as np

from ..core.segments import Array
from .labels import check_pos_label_is_one, name_positives


def check_positive(pos_label: Any, classes: Array | None) -> Any:
    """The number of the positive class, where labels are the numbers of classes."""
    if classes is None:
        if isinstance(pos_label, str) or pos_label not in (-1, 0, 1):
            raise ValueError(
                f"pos_label={pos_label!r} needs classes=, all labels in sorted order, as in "
                "classes=np.unique(y): boosting libraries hand over numbers, 0 for the first class "
                "and 1 for the second, and which of them is the positive one could not be told."
            )
        return pos_label
    if classes.size > 2:
        check_pos_label_is_one(pos_label, "multiclass")
        return pos_label
    name_positives(classes.tolist(), pos_label)
    return classes.tolist().index(pos_label)


def check_sorted(classes: Array | None) -> None:
    """That classes are in the order in which LightGBM's classifier numbers them."""
    if classes is not None and classes.tolist() != sorted(classes.tolist()):
        raise ValueError(
            f"LGBMClassifier numbers the classes in sorted order, {sorted(classes.tolist())}, and "
            f"classes={classes.tolist()} is in another order: sort it. If y holds numbers that you "
            "gave to the classes, 0 and 1, then pos_label= is one of them, and classes= is not "
            "needed."
        )


def check_labels_of(y_true: Array, classes: Array) -> Array:
    """The classes as these labels name them: by number, or as they are."""
    numbers = np.arange(classes.size)
    for names in (numbers, classes):
        if names.dtype.kind in "biufO" and np.isin(y_true, names).all():
            return names
    raise ValueError(
        f"The labels {np.unique(y_true).tolist()} are neither the classes {classes.tolist()} nor "
        f"their numbers, 0 to {classes.size - 1}."
    )


def check_pos_label_is_there(y_true: Array, positive: Any) -> None:
    """That the positive class is one of two labels."""
    if not (y_true == positive).any():
        present = np.unique(y_true).tolist()
        if len(present) == 2:
            raise ValueError(
                f"pos_label={positive!r} is not a valid label. It should be one of {present}, "
                "which are what the library hands over. If it has numbered the classes, pass "
                "classes=, all labels in sorted order, as in classes=np.unique(y)."
            )


def refuse_without_groups(name: str) -> NoReturn:
    raise ValueError(
        f"{name} needs the groups of the rows, and there are none: pass them to the library, as "
        "group= and eval_group=, or take the metric without 'mean_'."
    )


def check_equal_queries(query: Array, all_queries: Array) -> None:
    """That one query, a part of all of them, can be as long as every other one."""
    before = np.lib.array_utils.byte_bounds(query)[0]
    before -= np.lib.array_utils.byte_bounds(all_queries)[0]
    if all_queries.size % query.size or (before // query.itemsize) % query.size:
        raise ValueError(
            "XGBRanker weighs queries by how many rows they have, and counts a query of one row as "
            "1.0: over queries of different lengths its mean is not the mean of the metric. Pass "
            "the metric to xgboost.train, as custom_metric=: there it sees all queries."
        )


def check_unweighted_mean(average: str) -> None:
    if average == "weighted":
        raise ValueError(
            "average='weighted' weighs queries by their positives, and here they have weights of "
            "their own, those of the DMatrix: use average='macro'."
        )
