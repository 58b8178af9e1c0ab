"""Scores by their names, for what is told the name and the options before it sees any data."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import metrics
from ._validation import warn_if_beyond


def score_of(metric: str) -> Callable[..., Any]:
    score: Callable[..., Any] = getattr(metrics, f"{metric}_score")
    return score


def default_k(score: Callable[..., Any]) -> int | None:
    parameter = signature(score).parameters.get("k")
    return None if parameter is None else parameter.default


def score_by_name(
    metric: str,
    y_true: Any,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Any:
    """The score of that name; it warns where k is more than there is."""
    score = score_of(metric)
    value = score(y_true, y_score, sample_weight=sample_weight, **options)
    if "groups" not in options and (
        np.ndim(y_true) == 1 or options.get("average") not in ("samples", "micro")
    ):
        weight = None if options.get("k_counts") == "samples" else sample_weight
        warn_if_beyond(options.get("k", default_k(score)), len(y_true), weight)
    return value
