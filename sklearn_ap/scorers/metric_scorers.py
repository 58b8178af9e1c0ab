"""Metrics that are passed as `scoring=`, evaluated as the scorers of them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import sklearn
import sklearn.metrics
from sklearn.utils import metadata_routing

from .. import metrics
from .._enter.metric import Metric
from .._words.names import MAP
from .metadata_requests import pop_requests
from .ranking_scorer import RankingScorer, make_ap_scorer
from .scorer_types import format_as_code


def score_estimator(metric: Any, estimator: Any, X: Any, y_true: Any, **options: Any) -> Any:
    """Evaluate a metric function or a `Metric` as the scorer of it, for `scoring=`.

    What scikit-learn passes to scorers, weights and groups, belongs to the call. All other options
    are those of the scorer, and come from `functools.partial`.
    """
    metadata = pop_requests(options)
    scorer = make_scorer_of_metric(metric, **options)
    return scorer(estimator, X, y_true, **metadata)


def make_scorer_of_metric(metric: Any, **options: Any) -> RankingScorer:
    """Make the scorer of a metric function, with its own defaults, or of a `Metric`."""
    if isinstance(metric, Metric):
        return make_ap_scorer(metric, **options)
    name = metric.__name__.removesuffix("_score")
    k = signature(metric).parameters.get("k")
    if k is not None and k.default is not None:
        options = {"k": k.default} | options
    if name == MAP and not sklearn.get_config()["enable_metadata_routing"]:
        raise RuntimeError(
            f"{metric.__name__} as scoring= needs the groups of the samples, which reach a scorer "
            "by metadata routing only: first call sklearn.set_config(enable_metadata_routing=True)."
            f" Then pass scoring={_format_call(name, options)}, and groups to fit, or params= of "
            "cross_validate."
        )
    return make_ap_scorer(name, **options)


def _format_call(name: str, options: Mapping[str, Any]) -> str:
    texts = [repr(name)]
    for option, value in options.items():
        texts.append(f"{option}={format_as_code(value)}")
    return f"make_ap_scorer({', '.join(texts)})"


def find_metric_requests(metric: Any) -> metadata_routing.MetadataRequest:
    """Return the metadata requests of the scorer of a metric."""
    return metadata_routing.get_routing_for_object(make_scorer_of_metric(metric))


def is_metric_function(scoring: Any) -> bool:
    """Whether this is the function of one of our metrics."""
    name = getattr(scoring, "__name__", "")
    return callable(scoring) and getattr(metrics, name, None) is scoring and name.endswith("_score")
