"""Metrics for LightGBM and XGBoost, so that boosting stops early on the metric you care about.

Neither library is imported here; they call the metrics.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._core import Array, Metric, check
from ._core import metric as make_metric

__all__ = ["lightgbm_metric", "xgboost_metric"]

# XGBoost maximizes metrics whose names begin like these, and minimizes all others.
_MAXIMIZED = ("auc", "map", "ndcg", "pre")


def lightgbm_metric(
    metric: str | Metric = "average_precision",
    *,
    pos_label: float | bool | str | None = None,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
    **options: Any,
) -> LightGBMMetric:
    """Make a metric for LightGBM's estimators (`eval_metric`) or `lightgbm.train` (`feval`).

    Turn off LightGBM's own metric with `metric="None"`, because with several metrics, LightGBM
    stops as soon as one of them stops improving. For a ranker, the value is the mean over its
    groups.

    Read more in :doc:`Early stopping </boosting>`.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric, such as "P@1%", or what :func:`sklearn_ap.metric` returns.
    pos_label : int, float, bool or str, default=None
        The label of the positive class; with several classes, it's ranked against all others. None
        means 1, or the mean over more than two classes.
    classes : list of labels, default=None
        The labels that the numbers 0, 1 and so on stand for, if you have numbered them yourself. In
        the `fit` of `LGBMClassifier`, the metric finds the labels itself.
    name : str, default=None
        The name of the metric in the log.
    **options
        Other parameters of the metric, such as `k`, `average` or `min_grade`.

    Returns
    -------
    metric : callable
        A function of labels, predictions, weights and sizes of groups, or of predictions and a
        `lightgbm.Dataset`. It returns the name, the value, and whether higher is better.

    See Also
    --------
    sklearn_ap.boosting.xgboost_metric : The same for XGBoost.

    Examples
    --------
    >>> from sklearn_ap.boosting import lightgbm_metric
    >>> metric = lightgbm_metric("AP@2", pos_label="fraud", classes=["fraud", "legit"])

    LightGBM passes numbers of classes, and the probabilities of the second class, "legit":

    >>> metric([0, 1, 1], [0.2, 0.7, 0.9])
    ('average_precision_at_2', 1.0, True)
    """
    metric, pos_label, classes = _take_labels(make_metric(metric, **options), pos_label, classes)
    return LightGBMMetric(metric, pos_label, classes, _write_log_name(metric, name))


def xgboost_metric(
    metric: str | Metric = "average_precision",
    *,
    pos_label: float | bool | str | None = None,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
    **options: Any,
) -> XGBoostMetric:
    """Make a metric for XGBoost's estimators (`eval_metric`) or `xgboost.train` (`custom_metric`).

    XGBoost minimizes metrics unless their names have one of a few prefixes, so a name in the log
    begins with "pre". For rankings, use `xgboost.train`: `XGBRanker` passes one query at a time,
    weights the values by rows, and counts a query with one row as 1.

    Read more in :doc:`Early stopping </boosting>`.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric, such as "P@1%", or what :func:`sklearn_ap.metric` returns.
    pos_label : int, float, bool or str, default=None
        The label of the positive class; with several classes, it's ranked against all others. None
        means 1, or the mean over more than two classes.
    classes : list of labels, default=None
        The labels that the numbers 0, 1 and so on stand for; XGBoost takes only numbers.
    name : str, default=None
        The name of the metric in the log, after the prefix.
    **options
        Other parameters of the metric, such as `k`, `average` or `min_grade`.

    Returns
    -------
    metric : callable
        A function of labels, predictions and weights, which returns the value; or of predictions
        and an `xgboost.DMatrix`, which returns the name, too.

    See Also
    --------
    sklearn_ap.boosting.lightgbm_metric : The same for LightGBM.

    Examples
    --------
    >>> from sklearn_ap.boosting import xgboost_metric
    >>> metric = xgboost_metric("AP@2")
    >>> metric.__name__
    'pre_average_precision_at_2'
    >>> metric([0, 1, 1], [0.2, 0.7, 0.9])
    1.0
    """
    metric, pos_label, classes = _take_labels(make_metric(metric, **options), pos_label, classes)
    log_name = _write_log_name(metric, name)
    is_maximized = metric._rule.greater_is_better
    if is_maximized and not log_name.startswith(_MAXIMIZED):
        log_name = f"pre_{log_name}"
    elif not is_maximized and log_name.startswith(_MAXIMIZED):
        log_name = f"lower_{log_name}"
    return XGBoostMetric(metric, pos_label, classes, log_name)


def _take_labels(
    metric: Metric, pos_label: Any, classes: Sequence[Any] | None
) -> tuple[Metric, Any, Sequence[Any] | None]:
    """Take the label and the classes out of a metric, whose labels will be numbers."""
    metric, pos_label = metric._split_label(pos_label)
    options = dict(metric._data_options)
    of_metric = options.pop("classes", None)
    classes = of_metric if classes is None else classes
    return replace(metric, _data_options=options), pos_label, classes


def _write_log_name(metric: Metric, name: str | None) -> str:
    """Write a name without spaces and colons, at which libraries split their logs."""
    check(name=name)
    return re.sub(r"[\s:]+", "_", (name or metric.name).replace("%", "_percent"))


# LightGBM hashes the metrics of a list, so two metrics are only equal if they are the same object.
@dataclass(eq=False)
class _BoostingMetric:
    """A metric of what a library passes: labels that may be numbers of classes, and predictions."""

    metric: Metric
    pos_label: Any
    classes: Sequence[Any] | None
    __name__: str

    def evaluate(
        self,
        y_true: Any,
        y_score: Any,
        weight: Any = None,
        group_sizes: Any = None,
        classes: Sequence[Any] | None = None,
    ) -> float:
        """Evaluate predictions, of groups of these sizes if there are any."""
        y_true, y_score = np.asarray(y_true), np.asarray(y_score)
        options = _describe_rows(weight, group_sizes)
        n_columns = y_score.shape[1] if y_score.ndim == 2 else 1
        if self.metric._reads_grades(self.pos_label) or y_true.ndim == 2:
            return float(self.metric(y_true, y_score, **options))
        if n_columns > 2 and self.pos_label is None:
            return float(self.metric(y_true, y_score, classes=np.arange(n_columns), **options))
        positive = self._find_positive(classes)
        if n_columns > 2:
            if positive not in range(n_columns):
                raise ValueError(
                    f"pos_label={self.pos_label!r} is none of the {n_columns} classes, which are "
                    "numbered from 0."
                )
            y_true, y_score = y_true == positive, y_score[:, int(positive)]
            positive = True
        elif n_columns == 2:
            y_score = y_score[:, 1]
        y_score = self._rank_first(positive, y_true, y_score)
        return float(self.metric(y_true, y_score, pos_label=positive, **options))

    def _rank_first(self, positive: Any, y_true: Array, y_score: Array) -> Array:
        """Return scores that are high for a label. Libraries' are high for the larger of two."""
        if y_true.max() <= positive:
            return y_score
        if self.metric._rule.is_function:
            raise ValueError(
                f"{self.metric.name} gets the scores of the largest label, which "
                f"pos_label={self.pos_label!r} isn't: let the function turn them round."
            )
        return -y_score

    def _find_positive(self, classes: Sequence[Any] | None) -> Any:
        """Return the label of the positive class, as a number if the library numbers the classes.

        A label that is none of the classes is asked for, because the other class may be meant.
        """
        label = 1 if self.pos_label is None else self.pos_label
        classes = self.classes if classes is None else classes
        if classes is not None:
            names = np.asarray(classes).tolist()
            if label in names:
                return names.index(label)
            raise ValueError(
                f"Pass pos_label=, one of the classes {names}. Got {self.pos_label!r}."
            )
        if isinstance(label, str):
            raise ValueError(
                f"pos_label={label!r} needs classes=, the labels that the numbers 0, 1 and so on "
                "stand for: boosting libraries know only these numbers."
            )
        return label


def _describe_rows(weight: Any, group_sizes: Any) -> dict[str, Any]:
    """Return weights and groups as options of a metric. Libraries pass empty arrays for none."""
    options: dict[str, Any] = {}
    if weight is not None and len(weight):
        options["sample_weight"] = weight
    if group_sizes is not None and len(group_sizes):
        options["groups"] = np.repeat(np.arange(len(group_sizes)), group_sizes)
    return options


class LightGBMMetric(_BoostingMetric):
    """LightGBM checks that a metric has four parameters."""

    def __call__(
        self, y_true: Any, y_score: Any, weight: Any = None, group_sizes: Any = None
    ) -> tuple[str, float, bool]:
        if hasattr(y_score, "get_label"):  # lightgbm.train passes predictions and a Dataset.
            dataset, y_score = y_score, y_true
            weight, group_sizes = dataset.get_weight(), dataset.get_group()
            value = self.evaluate(dataset.get_label(), y_score, weight, group_sizes)
        else:
            value = self.evaluate(y_true, y_score, weight, group_sizes, _find_classes_in_fit())
        return self.__name__, value, self.metric._rule.greater_is_better


def _find_classes_in_fit() -> Sequence[Any] | None:
    """Return the labels of the LGBMClassifier that is being fitted, which passes their numbers to
    metrics, and nothing that tells the labels. So look for it among the callers.
    """
    frame = sys._getframe().f_back
    while frame is not None:
        if frame.f_globals.get("__name__") == "lightgbm.sklearn":
            # The public classes_ raises an error until the classifier is fitted.
            classes: Sequence[Any] | None = getattr(frame.f_locals.get("self"), "_classes", None)
            if classes is not None:
                return classes
        frame = frame.f_back
    return None


class XGBoostMetric(_BoostingMetric):
    def __call__(self, y_true: Any, y_score: Any, sample_weight: Any = None) -> Any:
        if hasattr(y_score, "get_label"):  # xgboost.train passes predictions and a DMatrix.
            matrix, y_score = y_score, y_true
            y_true = matrix.get_label()
            _check_scores(y_true, y_score)
            group_sizes = np.diff(matrix.get_uint_info("group_ptr"))
            value = self.evaluate(y_true, y_score, matrix.get_weight(), group_sizes)
            return self.__name__, value
        caller = sys._getframe(1).f_globals.get("__name__")
        if caller == "xgboost.sklearn" and _is_part(y_true) and _is_part(y_score):
            raise ValueError(
                "XGBRanker passes one query at a time, weights the values by rows, and counts a "
                "query with one row as 1, so its mean isn't that of the metric. Pass the metric to "
                "xgboost.train as custom_metric=."
            )
        _check_scores(y_true, y_score)
        return self.evaluate(y_true, y_score, sample_weight)


def _is_part(values: Any) -> bool:
    """Whether this is a part of a larger array of XGBoost, which uses 32-bit floats."""
    whole = getattr(values, "base", None)
    return isinstance(whole, np.ndarray) and values.dtype == np.float32 and whole.size > values.size


def _check_scores(y_true: Any, y_score: Any) -> None:
    """Refuse predicted classes, which rank nothing. Before the first split, all are equal."""
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    if y_score.ndim != 1 or y_true.ndim != 1:
        return
    if (y_score % 1 != 0).any():  # This is faster than what follows.
        return
    predicted = np.unique(y_score)
    if predicted.size > 1 and np.isin(predicted, y_true).all():
        raise ValueError(
            f"The predictions are the classes {predicted.tolist()[:5]}, which don't rank the "
            "samples, as those of 'multi:softmax' and 'binary:hinge'. Use the objective "
            "'multi:softprob' or 'binary:logistic'."
        )
