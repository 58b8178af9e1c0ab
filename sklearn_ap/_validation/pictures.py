"""Validation for displays: matplotlib, a binary target, a binary classifier, its folds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from .._arrays import to_host
from .._inputs import Inputs
from ..core.rankings import Rankings
from ..core.segments import Array
from .grades import AtLeast, positive_class
from .labels import if_swapped, kind_of
from .rankings import check_rankings
from .samples import check_one_column, name_units
from .warned import warn_of_other_order


def check_matplotlib(caller: str) -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{caller} needs matplotlib, which is not installed: pip install matplotlib"
        ) from error


_CELLS = {
    "multilabel-indicator": "np.ravel(y_true), np.ravel(y_score), groups=np.tile(classes, len("
    "y_true))",
    "multiclass": "np.ravel(np.equal.outer(y_true, classes)), np.ravel(y_score), groups=np.tile("
    "classes, len(y_true))",
}


def check_drawable(inputs: Inputs) -> tuple[Rankings, Any, str]:
    """Check a binary target. Return its rankings, the label, and what groups are called."""
    y_true, y_score = to_host(inputs.y_true), to_host(inputs.y_score)
    pos_label = positive_class(inputs.pos_label, inputs.min_grade)
    if not isinstance(pos_label, AtLeast):
        _check_binary(y_true, y_score, pos_label)
    inputs = inputs._replace(y_true=y_true, y_score=y_score, pos_label=pos_label, min_grade=None)
    words = name_units(inputs.groups, "groups", inputs.column_names)
    return check_rankings(inputs), pos_label, words


def _check_binary(y_true: Any, y_score: Any, pos_label: Any) -> None:
    kind = kind_of(y_true)
    if kind.startswith("continuous"):
        raise ValueError(
            f"The target y is not binary. Got {kind} type of target{if_swapped(kind, y_score)}"
        )
    if kind != "binary":
        one = "y_true[:, column]" if kind == "multilabel-indicator" else "y_true == label"
        instead = ""
        if kind in _CELLS:
            call = f"from_predictions({_CELLS[kind]})"
            instead = f" To draw one curve per class, pass the classes as groups: {call}."
        raise ValueError(
            f"The target y is not binary. Got {kind} type of target. Draw one class at a time, as "
            f"in from_predictions({one}, y_score[:, column]).{instead}"
        )
    check_one_column(y_score, y_true, pos_label, "")


def check_plain_in_groups(
    groups: Any,
    confidence_level: float | None,
    operating_points: Any,
    n_rules: int = 1,
    n_models: int = 1,
) -> None:
    """Check that options for a single ranking are not combined with groups or several models."""
    if n_models > 1 and operating_points is not None:
        raise ValueError(
            "operating_points belong to one model, but y_score contains "
            f"{n_models}. Draw each of them in a display of its own, which can share the axes."
        )
    if groups is None:
        return
    if n_models > 1:
        raise ValueError(
            "groups draws one curve for each group, so y_score must be that of a single model, "
            f"but it contains {n_models}. Draw each of them in axes of its own."
        )
    if n_rules > 1:
        raise ValueError(
            "groups draws one curve for each group, so metric must be a single one, but "
            f"{n_rules} were passed. Draw each of them in axes of its own."
        )
    if confidence_level is not None:
        raise ValueError(
            "confidence_level is not drawn with groups: sklearn_ap.confidence_interval(..., "
            "groups=...) computes the interval of the mean over groups."
        )
    if operating_points is not None:
        raise ValueError(
            "operating_points is not drawn with groups: draw the group that they belong to in a "
            "display of its own."
        )


def check_markable(points: Any, curves: Sequence[Any], shares: Iterable[str] = ()) -> list[Any]:
    """Return the operating points to mark, which requires a single curve against recall."""
    n_models = len({curve.model for curve in curves})
    check_plain_in_groups(curves[0].group, None, points, n_models=n_models)
    if points is None:
        return []
    for share in shares:
        if share != "Recall":
            raise ValueError(
                "operating_points are marked at their recall, but the x axis is "
                f"{share.lower()!r}. Leave them out, or draw metric='step'."
            )
    return list(points) if isinstance(points, list | tuple) else [points]


def check_binary_classifier(estimator: Any, pos_label: Any) -> None:
    """Check that an estimator is a binary classifier with this positive label."""
    expected = "Expected 'estimator' to be a binary classifier."
    check_is_fitted(estimator)
    if not is_classifier(estimator):
        raise ValueError(
            f"{expected} Got {type(estimator).__name__} instead. To draw other models, pass their "
            "prediction scores to from_predictions."
        )
    if any(np.ndim(label) for label in estimator.classes_):
        raise ValueError(
            f"{expected} Got several outputs instead. Draw one output at a time, by passing its "
            "prediction scores to from_predictions."
        )
    classes = np.asarray(estimator.classes_).tolist()
    if len(classes) != 2:
        got = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
        raise ValueError(f"{expected} Got {got} instead.")
    if pos_label not in classes:
        one, other = classes
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label: It should be one of {classes}, the "
            f"classes of {type(estimator).__name__}. Pass the positive one, as pos_label={one!r} "
            f"or pos_label={other!r}."
        )


def check_cv_results(
    cv_results: Any, X: Any, by_row: Mapping[str, Any], confidence_level: float | None
) -> list[Array]:
    """Return the indices of each fold's samples, which splitters can give as masks or slices."""
    check_consistent_length(X, *by_row.values())
    warn_of_other_order([(role.replace("y_true", "y"), rows) for role, rows in by_row.items()])
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results lacks the key 'estimator' or 'indices'. Call cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    tests = cv_results["indices"]["test"]
    if confidence_level is not None:
        check_enough_folds(len(tests))
    rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    try:
        return [rows[test if isinstance(test, slice) else np.asarray(test)] for test in tests]
    except IndexError as error:
        raise ValueError(
            f"X has {rows.size} samples, but the folds were made from other data ({error}). Pass "
            "the X and y that you passed to cross_validate."
        ) from None


def check_enough_folds(n_folds: int) -> None:
    if n_folds < 2:
        raise ValueError(
            "confidence_level needs at least two folds, because the folds are the sampling units."
        )


def check_curves(curves: Sequence[Any]) -> None:
    if not curves:
        raise ValueError(
            "There are no curves to draw. Create the display with from_estimator, from_predictions "
            "or from_cv_results."
        )


def check_one_each(curve_kwargs: Any, count: int) -> list[Any]:
    """Return a dict for each curve, from a single dict or a list of them."""
    is_one = isinstance(curve_kwargs, Mapping | None)
    styles = [curve_kwargs] * count if is_one else list(curve_kwargs)
    if len(styles) != count:
        raise ValueError(
            "curve_kwargs must be None, a dict or a list with one dict for each of the "
            f"{count} curves. Got: {curve_kwargs!r}."
        )
    return styles


def check_prevalence(prevalence: float | None, display: str) -> float:
    if prevalence is None:
        raise ValueError(
            f"{display} was created without prevalence_pos_label, which is the chance level. Pass "
            "it, or use from_estimator or from_predictions, which compute it."
        )
    return prevalence
