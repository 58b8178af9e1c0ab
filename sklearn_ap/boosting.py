"""Metrics for LightGBM and XGBoost, so that boosting stops early on the metric you care about.

This module doesn't import either library; the libraries call the metrics.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._enter.entry import public
from ._enter.metric import Metric, write_full_name
from ._inputs.records import Label, PositiveClass
from ._read.class_columns import read_classes
from ._read.labels import check_pos_label_is_one, name_positives
from ._words.messages import PREDICTED, suppress_warning
from ._words.parameters import check_unmasked
from .core.ragged import Array
from .core.rankings import average_defined
from .scorers.binding import bind_metric, evaluate_in_tool

__all__ = ["lightgbm_metric", "xgboost_metric"]

EvalMetric = Callable[..., Any]

# XGBoost maximizes metrics whose names begin like these, and minimizes all others.
_MAXIMIZED_PREFIXES = ("auc", "map", "ndcg", "pre")
_MAXIMIZED_PREFIX = "pre"  # which names of ours get


@public(metric="metric")
def lightgbm_metric(
    metric: str | Metric = "average_precision",
    *,
    pos_label: Label = 1,
    classes: ArrayLike | None = None,
    name: str | None = None,
    **options: Any,
) -> EvalMetric:
    """Make a metric for LightGBM's estimators (`eval_metric`) or `lightgbm.train` (`feval`).

    Turn off LightGBM's own metric with `metric="None"`, because with several metrics, LightGBM
    stops as soon as one of them stops improving.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric, as for :func:`sklearn_ap.make_ap_scorer`. It can contain a number, as
        in "average_precision_at_100" and "precision_at_1%". "mean_average_precision" is the mean
        over the queries of a ranker. If the rows have groups, every metric is averaged over the
        groups.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. With more than two classes, the metric is the mean over
        classes, where each class is the positive class in turn.
    classes : array-like of labels, default=None
        All labels in sorted order, as in `np.unique(y)`. You can omit them only if the labels are 0
        and 1, because `LGBMClassifier` passes 0 for the first class and 1 for the second instead of
        your labels. Without `classes`, `pos_label` is one of these numbers.
    name : str, default=None
        The name of the metric in the log. If None, it is made from the metric and its options, as
        in "precision_at_1_percent" and "average_precision_at_20_ties_best".
    **options
        Other parameters of the metric, such as `k`, `ties`, `denominator`, `average` or
        `zero_division`. For a model that predicts grades, `min_grade` is the lowest grade that
        counts as positive.

    Returns
    -------
    metric : callable
        A function of labels and predictions, or of predictions and a `lightgbm.Dataset`. It returns
        the name, the value, and True, which means that higher is better.

    See Also
    --------
    xgboost_metric : Make a metric for XGBoost.
    sklearn_ap.make_ap_scorer : Make a scorer for scikit-learn's `scoring=`.

    Examples
    --------
    >>> from sklearn_ap.boosting import lightgbm_metric
    >>> metric = lightgbm_metric(
    ...     "average_precision_at_2",
    ...     pos_label="fraud",
    ...     classes=["fraud", "legit"],
    ... )
    >>> metric
    lightgbm_metric('average_precision_at_2', pos_label='fraud',
    classes=['fraud', 'legit'])

    `LGBMClassifier(metric="None").fit(X, y, eval_metric=metric, ...)` calls the metric in each
    round with the probabilities of class 1, which is "legit". In this example, the fraud has the
    lowest probability of being legit, so it ranks first:

    >>> import numpy as np
    >>> metric(np.array([0.0, 1.0, 1.0]), np.array([0.2, 0.7, 0.9]))
    ('average_precision_at_2', 1.0, True)
    """
    return _LightGBMMetric(metric, pos_label, classes, name, options)


@public(metric="metric")
def xgboost_metric(
    metric: str | Metric = "average_precision",
    *,
    pos_label: Label = 1,
    classes: ArrayLike | None = None,
    name: str | None = None,
    **options: Any,
) -> EvalMetric:
    """Make a metric for XGBoost's estimators (`eval_metric`) or `xgboost.train` (`custom_metric`).

    XGBoost minimizes a metric unless its name has one of a few prefixes, so names that don't begin
    with `"pre"` get the prefix `"pre_"` in the log. XGBoost reads values back from this log with
    six decimals. If two rounds differ only in later decimals, XGBoost takes the first one as the
    best.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric, as for :func:`lightgbm_metric`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    classes : array-like of labels, default=None
        The labels that the numbers 0, 1 and so on stand for, in this order. XGBoost accepts only
        such numbers as labels. Without `classes`, `pos_label` is one of these numbers.
    name : str, default=None
        The name of the metric in the log, as for :func:`lightgbm_metric`. If it doesn't begin with
        `"pre"`, it gets the prefix `"pre_"`, too.
    **options
        Other parameters of the metric, such as `k`, `ties`, `denominator`, `average` or
        `zero_division`.

    Returns
    -------
    metric : callable
        A function that returns the value if it's called with labels and predictions, and the name
        and the value if it's called with predictions and an `xgboost.DMatrix`.

    See Also
    --------
    lightgbm_metric : Make a metric for LightGBM.
    sklearn_ap.make_ap_scorer : Make a scorer for scikit-learn's `scoring=`.

    Notes
    -----
    `XGBRanker` passes one query at a time and computes the mean itself. It weights queries by their
    number of rows, and counts a query with a single row as 1.0, so the metric raises an error if
    `XGBRanker` has several queries. `xgboost.train` passes all queries together with their weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap.boosting import xgboost_metric
    >>> metric = xgboost_metric("average_precision_at_k", k=2)
    >>> metric.__name__
    'pre_average_precision_at_2'

    `XGBClassifier(eval_metric=metric, early_stopping_rounds=20)` calls the metric in each round:

    >>> metric(np.array([0.0, 1.0, 1.0]), np.array([0.2, 0.7, 0.9]))
    1.0
    """
    return _XGBoostMetric(metric, pos_label, classes, name, options)


class _BoostingMetric:
    """A metric with its options, for labels that may be numbers of classes."""

    maker_name = ""

    def __init__(
        self,
        metric: Any,
        pos_label: Label,
        classes: ArrayLike | None,
        name: str | None,
        options: dict[str, Any],
    ) -> None:
        self.metric = bind_metric(metric, options, pos_label, self.maker_name)
        positive = PositiveClass.of(pos_label, self.metric.options.get("min_grade"))
        self.classes = None if classes is None else read_classes(classes, positive).copy()
        # What libraries pass for the positive class: the number of two classes, or a label.
        self.positive = _read_positive(pos_label, self.classes)
        if name is not None and not (isinstance(name, str) and re.fullmatch(r"[^\s:]+", name)):
            raise ValueError(
                f"name={name!r} must be a str without spaces and colons, at which boosting "
                "libraries split their logs. Use underscores."
            )
        self.__name__ = write_full_name(self.metric) if name is None else name
        class_labels = None if self.classes is None else self.classes.tolist()
        keywords = {"pos_label": pos_label, "classes": class_labels, "name": name}
        keywords = {option: value for option, value in keywords.items() if value not in (1, None)}
        keywords |= options
        self._arguments = [repr(metric), *(f"{o}={value!r}" for o, value in keywords.items())]

    def __repr__(self) -> str:
        return f"{self.maker_name}({', '.join(self._arguments)})"

    def compute_value(
        self, y_true: Any, y_score: Any, weight: Array | None, group_sizes: Array | None
    ) -> float:
        """Evaluate what a library passes. The weights are those of rows or of groups."""
        check_unmasked("y_true", y_true)
        check_unmasked("y_score", y_score)
        y_true, y_score = np.asarray(y_true), np.asarray(y_score)
        if y_score.ndim == 2 and y_true.shape == (y_score.size,) and y_score.shape[1] > 1:
            y_true = y_true.reshape(y_score.shape)  # several labels per row, before XGBoost 3.2
        y_score, arguments = self._read(y_true, y_score)
        if group_sizes is not None:
            arguments["groups"] = np.repeat(np.arange(len(group_sizes)), group_sizes)
        elif self.metric.is_mean:
            raise ValueError(
                f"{self.__name__} needs the groups of the rows, but got none. Pass them to the "
                "library, as group= and eval_group=, or use the metric without 'mean_'."
            )
        if weight is None or len(weight) == len(y_true):
            arguments["sample_weight"] = weight
            with suppress_warning(PREDICTED):  # scores are all equal before the first split
                return float(evaluate_in_tool(self.metric, y_true, y_score, **arguments))
        if self.metric.options.get("average") == "weighted":
            raise ValueError(
                "average='weighted' weights queries by their positives, but these queries already "
                "have the weights of the DMatrix. Use average='macro'."
            )
        with suppress_warning(PREDICTED):
            values = self.metric.by_name(y_true, y_score, **arguments)
        return average_defined(np.array([*values.values()]), weight)

    def _read(self, y_true: Array, y_score: Array) -> tuple[Array, dict[str, Any]]:
        """Return prediction scores that are high for the positives, and options for the labels.

        `y_true` has the labels of the library: the numbers of classes, or `self.classes`.
        """
        if self.metric.is_graded:
            return y_score, {}
        class_labels = None
        if self.classes is not None:
            class_labels = _match_classes_to_labels(y_true, self.classes)
        if y_true.ndim == 2:
            return y_score, {"pos_label": self.positive}
        n_columns = y_score.shape[1] if y_score.ndim == 2 else 1
        if n_columns > 2 or (class_labels is not None and class_labels.size > 2):
            classes = np.arange(y_score.shape[1]) if class_labels is None else class_labels
            return y_score, {"pos_label": self.positive, "classes": classes}
        positive = self.positive if class_labels is None else class_labels.tolist()[self.positive]
        _check_pos_label_exists(y_true, positive)
        if y_score.ndim == 2:
            y_score = y_score[:, 1]
        if y_true.max() > positive:
            y_score = -y_score  # predictions are high for the larger label
        return y_score, {"pos_label": positive}


class _LightGBMMetric(_BoostingMetric):
    """Metric for LightGBM, which checks that it has four parameters."""

    maker_name = "lightgbm_metric"

    def __call__(
        self, y_true: Any, y_score: Any, weight: Array | None = None, group: Array | None = None
    ) -> tuple[str, float, bool]:
        if hasattr(y_score, "get_label"):  # predictions and a Dataset
            data, y_score = y_score, y_true
            y_true, weight, group = data.get_label(), data.get_weight(), data.get_group()
        else:
            _check_sorted(self.classes)
            if self.classes is None and self.positive == 1 and not self.metric.is_graded:
                _check_second_class_is_1(_find_labels_in_fit())
        value = self.compute_value(y_true, y_score, weight, group)
        return self.__name__, value, self.metric.greater_is_better


class _XGBoostMetric(_BoostingMetric):
    """Metric for XGBoost."""

    maker_name = "xgboost_metric"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        if self.metric.greater_is_better and not self.__name__.startswith(_MAXIMIZED_PREFIX):
            self.__name__ = f"{_MAXIMIZED_PREFIX}_{self.__name__}"
        elif not self.metric.greater_is_better and self.__name__.startswith(_MAXIMIZED_PREFIXES):
            self.__name__ = f"lower_{self.__name__}"

    def __call__(
        self, y_true: Any, y_score: Any, sample_weight: Array | None = None
    ) -> float | tuple[str, float]:
        is_in_train = hasattr(y_score, "get_label")
        group_sizes = None
        if is_in_train:  # which passes predictions and a DMatrix, with empty arrays for none
            predictions, data = y_true, y_score
            y_true, y_score = data.get_label(), predictions
            sample_weight = data.get_weight() if len(data.get_weight()) else None
            group_sizes = data.get_group() if len(data.get_group()) else None
        elif _is_query_slice(y_true) and _is_query_slice(y_score):  # one query, of XGBRanker
            _check_single_query(y_true, y_true.base)
            group_sizes = np.array([len(y_true)])
        # Models of grades can predict whole numbers.
        are_columns = np.ndim(y_score) == np.ndim(y_true) == 1
        if not self.metric.is_graded and group_sizes is None and are_columns:
            n_classes = 0 if self.classes is None else self.classes.size
            _check_no_classes_predicted(np.asarray(y_true), np.asarray(y_score), n_classes)
        value = self.compute_value(y_true, y_score, sample_weight, group_sizes)
        return (self.__name__, value) if is_in_train else value


def _is_query_slice(values: Any) -> bool:
    """Whether this is a part of another array made by XGBoost, which uses 32-bit floats."""
    return isinstance(getattr(values, "base", None), np.ndarray) and values.dtype == np.float32


# --- checks ---------------------------------------------------------------------------------------


def _read_positive(pos_label: Any, classes: Array | None) -> Any:
    """Return the number of the positive class, if labels are the numbers of classes."""
    if classes is None:
        if pos_label not in (-1, 0, 1):
            raise ValueError(
                f"pos_label={pos_label!r} needs classes=, all labels in sorted order, as in "
                "classes=np.unique(y). Boosting libraries pass 0 for the first class and 1 for the "
                "second, so it is not known which number is the positive class."
            )
        return pos_label
    if classes.size > 2:
        check_pos_label_is_one(pos_label, "multiclass")
        return pos_label
    name_positives(classes.tolist(), PositiveClass(pos_label))
    return classes.tolist().index(pos_label)


def _check_sorted(classes: Array | None) -> None:
    """Check that classes are in the order in which LightGBM's classifier numbers them."""
    if classes is not None and classes.tolist() != sorted(classes.tolist()):
        raise ValueError(
            f"LGBMClassifier numbers the classes in sorted order, {sorted(classes.tolist())}, but "
            f"classes={classes.tolist()} is in another order. Sort it. If y already contains the "
            "numbers 0 and 1, pass one of them as pos_label=, without classes=."
        )


def _find_labels_in_fit() -> list[Any]:
    """Return the labels of the LGBMClassifier that is being fitted, none without such a classifier.

    LightGBM passes only their numbers to metrics, so look for the classifier among the callers.
    """
    frame = sys._getframe()
    while frame.f_back:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == "lightgbm.sklearn":
            # The public classes_ raises an AttributeError until the classifier is fitted.
            class_labels = getattr(frame.f_locals.get("self"), "_classes", None)
            if class_labels is not None:
                return list(np.asarray(class_labels).tolist())
    return []


def _check_second_class_is_1(class_labels: list[Any]) -> None:
    """Check that the number 1, which LightGBM passes for the second of two labels, isn't taken for
    the default pos_label=1.
    """
    if len(class_labels) == 2 and class_labels[1] != 1:
        first, second = class_labels
        raise ValueError(
            f"LGBMClassifier passes 0 and 1 for the labels {class_labels}, so pos_label=1 would "
            f"mean {second!r}. Pass the label of the positive class, and all labels in sorted "
            f"order, as in pos_label={first!r}, classes={class_labels}."
        )


def _match_classes_to_labels(y_true: Array, classes: Array) -> Array:
    """Return the classes in the form of these labels: as numbers, or unchanged."""
    numbers = np.arange(classes.size)
    for names in (numbers, classes):
        if names.dtype.kind in "biufO" and np.isin(y_true, names).all():
            return names
    raise ValueError(
        f"The labels {np.unique(y_true).tolist()} are neither the classes {classes.tolist()} nor "
        f"their numbers, 0 to {classes.size - 1}. Pass all labels as classes=, in sorted order."
    )


def _check_pos_label_exists(y_true: Array, positive: Any) -> None:
    """Check that the positive class is one of two labels."""
    if not (y_true == positive).any():
        present = np.unique(y_true).tolist()
        if len(present) == 2:
            raise ValueError(
                f"pos_label={positive!r} is not a valid label. It should be one of {present}, "
                "which are the labels that the library passes. If it has numbered the classes, "
                "pass all labels in sorted order, as in classes=np.unique(y)."
            )


def _check_no_classes_predicted(y_true: Array, y_pred: Array, n_classes: int) -> None:
    """Check that predictions are not classes. All zeros, or perfect predictions, may be scores."""
    if y_true.dtype.kind not in "biuf" or not y_true.size:
        return
    classes = np.arange(max(n_classes, int(y_true.max()) + 1))
    if not np.isin(y_pred[:1], classes).all():
        return  # the usual case, and a quick answer
    predicted = np.unique(y_pred)
    has_several = classes.size > 2
    can_be_scores = not has_several and (not predicted.any() or np.array_equal(y_pred, y_true))
    if can_be_scores or not np.isin(predicted, classes).all():
        return
    use = "'multi:softprob'" if has_several else "'binary:logistic' or 'multi:softprob'"
    raise ValueError(
        f"The predictions are the classes {predicted.tolist()}, which do not rank the samples. The "
        f"objectives 'multi:softmax' and 'binary:hinge' predict classes, so use {use}, which "
        "predicts probabilities."
    )


def _check_single_query(query: Array, all_queries: Array) -> None:
    """Check that a part of an array that XGBRanker made is the whole array."""
    if query.size != all_queries.size:
        raise ValueError(
            "XGBRanker weights queries by their number of rows, and counts a query with one row as "
            "1.0, so its mean is not the mean of the metric. Pass the metric to xgboost.train, as "
            "custom_metric=, which passes all queries together."
        )
