"""Metrics for scorers and the like, which get names and options before any data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import metrics
from .._arrays.host import to_host
from .._enter.metric import Metric
from .._inputs.metric_names import MAP, write_rule
from .._inputs.records import PositiveClass, find_missing_parameters
from .._words.messages import warn
from .._words.parameters import check_allowed, check_group_average
from ..core.cutoff import Cut
from ..core.rules import Graded

# What belongs to the data, so no scorer can contain it.
UNBOUND_PARAMETERS = ("sample_weight", "groups", "data")


def check_has_parameter(metric: Metric, parameter: str) -> None:
    """Refuse what describes labels if the metric reads grades."""
    if why := find_missing_parameters(f"{metric.function}_score").get(parameter):
        raise ValueError(f"{parameter} is not available for {write_rule(metric.rule)!r}. {why}")


def bind_metric(name: Any, options: Mapping[str, Any], pos_label: Any, caller: str) -> Metric:
    """Combine a metric with the options that a scorer or the like binds to it.

    The metric would reject other options later, in every fold or round.
    """
    for option in ("classes", *UNBOUND_PARAMETERS):
        if option in options:
            raise TypeError(
                f"{option} cannot be an option of {caller}, because it belongs to the data."
            )
    metric = metrics.make_metric(name, dict(options), caller, "metric")
    if not metric.function:
        raise ValueError(
            f"{name!r} is not available in {caller}, because this area is too optimistic to choose "
            "models by: use 'AP'. To compute it all the same, pass make_scorer(sklearn_ap.compat."
            "trapezoidal_average_precision_score, response_method=('decision_function', "
            "'predict_proba'))."
        )
    average = options.get("average", "macro")
    if average is None:
        raise ValueError(
            f"{caller} must return a single value, but average=None gives one for each class. "
            "Choose another average."
        )
    if metric.function == MAP:
        check_group_average(average)
    check_allowed(caller, {"pos_label"}, {"pos_label": pos_label})
    if pos_label not in (None, 1):  # the defaults
        check_has_parameter(metric, "pos_label")
    PositiveClass.of(pos_label, options.get("min_grade"))  # checks that only one was passed
    return metric


def evaluate_in_tool(metric: Metric, y_true: Any, y_score: Any, **of_data: Any) -> Any:
    """Evaluate a metric on what a tool passes, and warn if k exceeds the number of samples."""
    if isinstance(metric.rule, Graded):
        of_data.pop("pos_label", None)
    value = metric(y_true, y_score, **of_data)
    each_row_or_all = metric.options.get("average") in ("samples", "micro")
    if metric.rule.cut is not None and "groups" not in of_data and not each_row_or_all:
        weight = of_data.get("sample_weight")
        _warn_if_k_exceeds_samples(metric.rule.cut, np.shape(y_true)[0], weight)
    return value


def _warn_if_k_exceeds_samples(cut: Cut, n_samples: int, sample_weight: Any) -> None:
    """Warn if an integer k exceeds the number of samples or their total weight."""
    if cut.is_share:
        return
    total, description = n_samples, f"the {n_samples:,} samples that are evaluated"
    if sample_weight is not None and not cut.counts_rows:
        total = np.asarray(to_host(sample_weight)).sum(dtype=float)
        description = f"the sum of sample_weight, {total:g}"
    if cut.k > total:
        warn(
            f"k={cut.k} exceeds {description}, so all samples count. Precision and the enrichment "
            "factor at k count the missing ranks as negatives."
        )
