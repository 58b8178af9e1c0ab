"""Metrics by name, for scorers and the like that get names and options before any data."""

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import metrics
from ._catalogue import MAP, METRICS, write_name
from ._validation.scorers import warn_if_beyond


def score_of(metric: str) -> Callable[..., Any]:
    score: Callable[..., Any] = getattr(metrics, f"{metric}_score")
    return score


def default_k(score: Callable[..., Any]) -> float | None:
    parameter = signature(score).parameters.get("k")
    return None if parameter is None else parameter.default


def full_name(metric: str, options: Mapping[str, Any]) -> str:
    """Write the name of a metric with its options, as in "average_precision_at_5_ties=best".

    Options with their default values are omitted, and of arrays and mappings only the option is
    named.
    """
    parameters = signature(score_of(metric)).parameters
    in_name = "k" if metric == MAP else METRICS[metric].number
    others = [
        _in_name(option, value)
        for option, value in sorted(options.items())
        if option != in_name and not _is_default(value, parameters[option].default)
    ]
    defaults = {"k": default_k(score_of(metric))}
    return "_".join([write_name(metric, defaults | dict(options)), *others])


def _is_default(value: Any, default: Any) -> bool:
    return np.ndim(value) == 0 and bool(value == default)


def _in_name(option: str, value: Any) -> str:
    """Write an option as one word, because logs of metrics are split at spaces and colons."""
    return f"{option}={re.sub(r'[^!-9;-~]+', '_', str(value))}" if np.isscalar(value) else option


def score_by_name(
    metric: str,
    y_true: Any,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Any:
    """Evaluate the metric of that name, and warn if k exceeds the number of samples."""
    score = score_of(metric)
    value = score(y_true, y_score, sample_weight=sample_weight, **options)
    if "groups" not in options and (
        np.ndim(y_true) == 1 or options.get("average") not in ("samples", "micro")
    ):
        weight = None if options.get("k_counts") == "samples" else sample_weight
        warn_if_beyond(options.get("k", default_k(score)), len(y_true), weight)
    return value
