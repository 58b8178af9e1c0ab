"""The function of labels and prediction scores that a scorer calls."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NoReturn

import numpy as np
from sklearn import get_config

from .._arrays.host import namespace_on_device, to_host
from .._enter.metric import Metric
from .._inputs.records import PositiveClass
from .._read.class_columns import arrange_columns
from .._read.columns import read_scores
from .._read.labels import read_binary_labels
from .._words.messages import PREDICTED, suppress_warning, warn
from .._words.parameters import format_list
from .binding import evaluate_in_tool

ADVICE_ON_TUNING = (
    "TunedThresholdClassifierCV can't tune a ranking, which has the same value at every threshold: "
    "choose the threshold by sklearn_ap.operating_point, for example with min_recall=0.8, and pass "
    "it to FixedThresholdClassifier."
)


def _check_not_predicted(y_true: Any, y_score: Any) -> None:
    """Check that prediction scores aren't predicted labels.

    Floats may be either, if the labels are floats: a decision tree predicts probabilities of 0.0
    and 1.0. So they only cause a warning.
    """
    if _is_column_on_device(y_score):
        first = to_host(y_score[: min(y_score.shape[0], 1000)])
        if np.unique(np.asarray(first)).size > 2:
            return
    scores, labels = np.asarray(to_host(y_score)), np.asarray(to_host(y_true))
    are_floats = scores.dtype.kind == "f"
    if scores.ndim != 1 or scores.dtype.kind not in "biufUO":
        return
    if (are_floats and labels.dtype.kind != "f") or len(set(scores[:1000].tolist())) > 2:
        return
    known = set(np.unique(labels).tolist())
    if len(known) > 2 or not known.issuperset(scores.tolist()):
        return
    if not are_floats:
        raise ValueError(
            "The scorer got predicted labels, but ranks samples by what predict_proba or "
            "decision_function returns. If these are prediction scores, convert them to float. "
            f"{ADVICE_ON_TUNING}"
        )
    warn(
        f"The prediction scores are only {' and '.join(map(str, sorted(known)))}, as the labels "
        "are. Are these predicted classes? The scorer needs what predict_proba or "
        "decision_function returns. If the model itself gives only two scores, as a decision tree "
        f"can, ignore this. {ADVICE_ON_TUNING}"
    )


def _is_column_on_device(y_score: Any) -> bool:
    """Whether scores are one column on a device, where most metrics can be computed."""
    return namespace_on_device(y_score) is not None and y_score.ndim == 1


class ScoreFunction:
    """A metric as a function of what estimators predict.

    Other tools distinguish scorers by the name of the function that they call, and some reject two
    scorers of the same name. scikit-learn prints a function without asking for its name.
    """

    def __init__(self, metric: Metric, name: str, takes_labels: bool, is_for_detector: bool):
        self.metric = metric
        self.__name__ = name
        self._can_take_labels = takes_labels
        self._is_for_detector = is_for_detector  # of outliers, whose scores are high for inliers

    def __repr__(self) -> str:
        return self.__name__

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = 1,
        one_class: tuple[Any, list[Any] | None] | None = None,
        classes: Any = None,
        columns: Any = None,
        sample_weight: Any = None,
        **metadata: Any,
    ) -> Any:
        """Evaluate the metric.

        `one_class` is the label of one class, which is looked up among the classes of the columns
        if there are more than two columns. `columns` are the columns of several `classes`. A tool
        that calls this function itself doesn't pass them. They are then in the order of the sorted
        classes, as in scikit-learn's estimators.
        """
        if not self._can_take_labels:
            _check_not_predicted(y_true, y_score)
        with suppress_warning(PREDICTED):
            if self._is_for_detector:
                pos_label, y_score = rank_outliers(
                    y_true, y_score, pos_label, self.metric.is_graded
                )
            if not _is_column_on_device(y_score):
                y_true, y_score = to_host(y_true), to_host(y_score)
            if self.metric.is_mean and metadata.get("groups") is None:
                _refuse_without_groups()
            label = 1 if pos_label is None else pos_label
            if one_class is not None and np.ndim(y_true) == 1 and _count_score_columns(y_score) > 2:
                y_true, y_score = _select_class(y_true, y_score, *one_class)
                label = 1
            if np.size(classes) > 2:
                if columns is None:
                    columns = np.unique(classes, return_inverse=True)[1]
                if np.shape(y_score) == (len(y_true), len(columns)):  # others are refused later
                    y_score = arrange_columns(y_score, np.asarray(classes), columns)
            elif np.ndim(y_true) == 1 or np.shape(y_true)[1] == 1:
                y_score = _select_positive_column(y_true, y_score, label, np.size(classes) == 2)
            options = {"pos_label": label, "sample_weight": sample_weight, **metadata}
            if classes is not None:
                options["classes"] = classes
            return evaluate_in_tool(self.metric, y_true, y_score, **options)


def _refuse_without_groups() -> NoReturn:
    first = "Call sklearn.set_config(enable_metadata_routing=True)."
    if get_config()["enable_metadata_routing"]:
        first = (
            "If it doesn't request them, call its set_score_request(groups=True); a partial can't: "
            "pass sklearn_ap.metric with the same options instead."
        )
    raise ValueError(
        "A scorer of a mean over groups needs the groups of the samples, which reach a scorer by "
        f"metadata routing only. {first} Then pass groups to the fit of a search, as "
        "params={'groups': ...} to cross_validate, or as groups=... to the scorer itself."
    )


def _count_score_columns(y_score: Any) -> int:
    """Return the number of columns of a matrix, which is 0 for anything else."""
    return np.shape(y_score)[1] if np.ndim(y_score) == 2 else 0


def _select_class(
    y_true: Any, y_score: Any, label: Any, classes: list[Any] | None
) -> tuple[Any, Any]:
    """Return where the labels are that of a class, and the column of its scores."""
    n_columns = _count_score_columns(y_score)
    if classes is None:
        raise ValueError(
            f"The scorer got {n_columns} columns of scores from an estimator without classes_, so "
            f"it can't tell which of them is that of pos_label={label!r}. Pass classes= to "
            "make_ap_scorer, and give the estimator an attribute classes_."
        )
    if n_columns != len(classes):
        raise ValueError(f"The scorer got {n_columns} columns of scores for the classes {classes}.")
    scores = np.asarray(arrange_columns(y_score, np.asarray(classes)))
    are_positive, _ = read_binary_labels(y_true, PositiveClass(label), y_score)
    return are_positive, scores[:, classes.index(label)]


def _select_positive_column(y_true: Any, y_score: Any, pos_label: Any, has_classes: bool) -> Any:
    """Return one column of scores, after checking that it is that of the positive class."""
    n_columns = _count_score_columns(y_score)
    if n_columns == 1:
        first, *others = np.unique(np.asarray(y_true)).tolist()
        if not others or first != pos_label:
            return np.asarray(y_score)[:, 0]
    elif n_columns != 2:
        return y_score
    content = "scores of both classes"
    if n_columns == 1:
        content = "scores of the second class only"
    advice = (
        "If the estimator has classes_, pass the two classes= to make_ap_scorer, which then looks "
        "up the column there. Otherwise, derive"
    )
    if has_classes:
        advice = "To look up classes=, it needs an estimator with classes_. Derive"
    raise ValueError(
        f"The scorer got the prediction {content}, because scikit-learn doesn't take the estimator "
        f"for a classifier, and so doesn't select the column of the positive class. {advice} the "
        "estimator's class from sklearn.base.ClassifierMixin, before its other base classes, and "
        "let fit set classes_, in the order of the columns."
    )


def rank_outliers(y_true: Any, y_score: Any, pos_label: Any, is_graded: bool) -> tuple[Any, Any]:
    """Return the positive label, and scores that are high for it, from a detector's, which are high
    for inliers. Grades have no positive label: the higher, the more outlying.
    """
    label, is_outlier = None, True
    if not is_graded:
        label, is_outlier = _find_positive_label(to_host(y_true), pos_label)
    scores, _ = read_scores(to_host(y_score), PositiveClass(label))
    if is_outlier and scores.dtype.kind == "f":
        scores = -scores
    elif is_outlier:  # Minus an integer could overflow. Ranks do not.
        scores = -np.unique(scores, return_inverse=True)[1]
    return label, scores


def _find_positive_label(y_true: Any, pos_label: Any) -> tuple[Any, bool]:
    """Return the positive label of a detector, and whether it is that of the outliers.

    Outliers are -1 beside 1, as in scikit-learn, or 1 beside 0, as in PyOD. The labels of a fold
    may be of one class only, so `pos_label` helps to tell which of both codings they have.
    """
    labels = {*np.ravel(np.asarray(y_true)).tolist()}
    known = labels if pos_label is None else labels | {pos_label}
    has_booleans = any(isinstance(label, bool) for label in known)
    if known <= {-1, 1} and not has_booleans:
        if known == {1} and pos_label is None:
            raise ValueError(
                "y_true contains only 1, which means inliers beside -1 and outliers beside 0. Pass "
                "pos_label=-1 or pos_label=1 to the maker of the scorer."
            )
        outlier = -1
    elif known <= {0, 1}:
        outlier = 1
    else:
        _refuse_labels_of_outliers(labels, pos_label)
    label = outlier if pos_label is None else pos_label
    return label, bool(label == outlier)


def _refuse_labels_of_outliers(labels: Collection[Any], pos_label: Any) -> NoReturn:
    """Refuse labels that don't tell which of them the detector calls an outlier."""
    in_order = sorted(labels, key=str)
    listed = format_list(in_order)
    if pos_label is not None:
        listed += f" and pos_label={pos_label!r}"
    example = pos_label if pos_label in labels else in_order[0]
    raise ValueError(
        "Labels of an outlier detector must be -1 for outliers and 1, or 1 for outliers and 0. Got "
        f"{listed}, which don't tell what the detector calls an outlier. Recode them: if "
        f"{example!r} are the outliers, np.where(y == {example!r}, -1, 1). Then pos_label=-1 ranks "
        "outliers first, and pos_label=1 inliers."
    )
