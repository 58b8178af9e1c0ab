"""Metrics for LightGBM and XGBoost, so that boosting stops early on the metric you care about.

Neither library is imported here; they call the metrics.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._core import Metric, check
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
        The labels that the numbers 0, 1 and so on stand for. By default, the labels of the
        `LGBMClassifier` that is being fitted, which has numbered them, or else the numbers.
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
    metric, pos_label, classes = _split_labels(metric, pos_label, classes, options)
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
    metric, pos_label, classes = _split_labels(metric, pos_label, classes, options)
    log_name = _write_log_name(metric, name)
    is_maximized = metric._rule.greater_is_better
    if log_name.startswith(_MAXIMIZED) != is_maximized:
        log_name = f"{'pre' if is_maximized else 'lower'}_{log_name}"
    return XGBoostMetric(metric, pos_label, classes, log_name)


def _split_labels(
    metric: str | Metric, pos_label: Any, classes: Any, options: dict[str, Any]
) -> tuple[Metric, Any, list[Any] | None]:
    """Make a metric without its label and classes, and return these beside it: libraries number
    the classes.
    """
    labels = {"pos_label": pos_label, "classes": classes}
    options = options | {name: value for name, value in labels.items() if value is not None}
    metric, pos_label = make_metric(metric, **options)._split_label(None)
    data_options = dict(metric._data_options)
    classes = data_options.pop("classes", None)
    return replace(metric, _data_options=data_options), pos_label, classes


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
    classes: list[Any] | None
    __name__: str

    def evaluate(
        self,
        y_true: Any,
        y_score: Any,
        weight: Any = None,
        group_sizes: Any = None,
        classes: Any = None,
    ) -> float:
        """Evaluate predictions, of groups of these sizes if there are any."""
        y_true, y_score = np.asarray(y_true), np.asarray(y_score)
        options: dict[str, Any] = {}
        if weight is not None and len(weight):  # Libraries pass empty arrays for none.
            options["sample_weight"] = weight
        if group_sizes is not None and len(group_sizes):
            options["groups"] = np.repeat(np.arange(len(group_sizes)), group_sizes)

        n_columns = y_score.shape[1] if y_score.ndim == 2 else 1
        if self.metric._reads_grades(self.pos_label) or y_true.ndim == 2:
            return float(self.metric(y_true, y_score, **options))
        if n_columns > 2 and self.pos_label is None:
            return float(self.metric(y_true, y_score, classes=np.arange(n_columns), **options))

        positive = self._find_positive(classes, n_columns)
        if n_columns > 2:
            y_true, y_score, positive = y_true == positive, y_score[:, positive], True
        elif n_columns == 2:
            y_score = y_score[:, 1]
        # The scores of two classes are high for the larger one.
        if y_true.max() > positive:
            if self.metric._rule.is_function:
                raise ValueError(
                    f"{self.metric.name} gets the scores of the largest label, which "
                    f"pos_label={self.pos_label!r} isn't: let the function turn them round."
                )
            y_score = -y_score
        return float(self.metric(y_true, y_score, pos_label=positive, **options))

    def _find_positive(self, classes: Any, n_columns: int) -> Any:
        """Return the label of the positive class, or its number if the library numbers the classes.

        A label that is none of the classes is asked for, because the other class may be meant.
        """
        label = 1 if self.pos_label is None else self.pos_label
        classes = classes if self.classes is None else self.classes
        if classes is None and isinstance(label, str):
            raise ValueError(
                f"pos_label={label!r} needs classes=, the labels that the numbers 0, 1 and so on "
                "stand for: boosting libraries know only these numbers."
            )
        if classes is None and n_columns <= 2:
            return label
        names = [*range(n_columns)] if classes is None else np.asarray(classes).tolist()
        if label not in names:
            raise ValueError(
                f"Pass pos_label=, one of the classes {names}. Got {self.pos_label!r}."
            )
        return names.index(label)


class LightGBMMetric(_BoostingMetric):
    """LightGBM checks that a metric has four parameters."""

    def __call__(
        self, y_true: Any, y_score: Any, weight: Any = None, group_sizes: Any = None
    ) -> tuple[str, float, bool]:
        classes = None
        if hasattr(y_score, "get_label"):  # lightgbm.train passes predictions and a Dataset.
            dataset, y_score = y_score, y_true
            y_true, weight = dataset.get_label(), dataset.get_weight()
            group_sizes = dataset.get_group()
        elif self.classes is None:
            classes = _find_classes_in_fit()
        value = self.evaluate(y_true, y_score, weight, group_sizes, classes)
        return self.__name__, value, self.metric._rule.greater_is_better


def _find_classes_in_fit() -> Any:
    """Return the labels of the LGBMClassifier that is being fitted, which is among the callers.

    It passes numbers of classes to a metric, and nothing else tells that 1 isn't the label 1: of
    the labels 1 and 2, it would be 2. The public `classes_` raises an error until it is fitted.
    """
    for frame, _ in traceback.walk_stack(sys._getframe()):
        if frame.f_globals.get("__name__") == "lightgbm.sklearn":
            classes = getattr(frame.f_locals.get("self"), "_classes", None)
            if classes is not None:
                return classes
    return None


class XGBoostMetric(_BoostingMetric):
    def __call__(self, y_true: Any, y_score: Any, sample_weight: Any = None) -> Any:
        if hasattr(y_score, "get_label"):  # xgboost.train passes predictions and a DMatrix.
            matrix, y_score = y_score, y_true
            group_sizes = np.diff(matrix.get_uint_info("group_ptr"))
            value = self.evaluate(matrix.get_label(), y_score, matrix.get_weight(), group_sizes)
            return self.__name__, value
        caller = sys._getframe(1)
        if (
            caller.f_globals.get("__name__") == "xgboost.sklearn"
            and caller.f_code.co_name == "task"
        ):
            raise ValueError(
                "XGBRanker passes one query at a time, weights the values by rows, and counts a "
                "query with one row as 1, so its mean isn't that of the metric. Pass the metric to "
                "xgboost.train as custom_metric=."
            )
        return self.evaluate(y_true, y_score, sample_weight)
