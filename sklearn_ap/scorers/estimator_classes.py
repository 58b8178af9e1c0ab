"""Check that classes and prediction scores of an estimator can be ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._evaluate.predictors import list_classes, unwrap_estimator
from ..core.numbering import Name


def find_class_columns(classes: Sequence[Name], estimator: Any) -> list[int]:
    """Return the column of each class in the prediction scores of an estimator.

    Check that these are the classes of the estimator.
    """
    columns = list_classes(estimator)
    if columns is None:
        raise ValueError(
            "A scorer with classes= looks up their columns in the estimator's classes_, but "
            f"{estimator!r} has none. Fit the estimator. If it is fitted, set its classes_ to the "
            "classes in the order of the columns of its prediction scores."
        )
    if {*classes} != {*columns}:
        raise ValueError(
            f"classes={[*classes]} must be the classes that the estimator was fitted on, in any "
            f"order, which are {columns}. Pass those, or fit it on samples of all classes, as in "
            "folds of StratifiedKFold."
        )
    return [columns.index(label) for label in classes]


def check_pos_label_in_classes(classes: Sequence[Name], pos_label: Any) -> None:
    """Check that classes contain the positive one, which must be named if there are two."""
    if pos_label is not None and pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not one of the classes {[*classes]}.")
    if pos_label is None and len(classes) == 2 and 1 not in classes:
        first, second = classes
        raise ValueError(
            f"Neither of the classes {[*classes]} is 1, so the scorer can't tell which one is "
            f"positive. Pass pos_label={first!r} or pos_label={second!r}."
        )


def check_columns_rank_classes(estimator: Any, methods: Sequence[str]) -> None:
    """Refuse the margins of a support vector machine that has one for each pair of classes."""
    method = next((method for method in methods if hasattr(estimator, method)), None)
    classifier = unwrap_estimator(estimator)
    is_of_pairs = getattr(classifier, "decision_function_shape", None) == "ovo"
    if is_of_pairs and method == "decision_function":
        raise ValueError(
            f"{type(classifier).__name__} has decision_function_shape='ovo', so its "
            "columns are pairs of classes, which rank no class. Use 'ovr'."
        )
