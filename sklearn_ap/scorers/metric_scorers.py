"""Metrics that are passed as `scoring=`, evaluated as the scorers of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NoReturn

import numpy as np
import sklearn
from sklearn.utils import metadata_routing

from .. import metrics
from .._enter.metric import Metric
from .._inputs.metric_names import MAP
from .metadata_requests import pop_requests
from .ranking_scorer import RankingScorer, make_ap_scorer


def score_estimator(metric: Any, estimator: Any, X: Any, y_true: Any, **options: Any) -> Any:
    """Evaluate a metric function or a `Metric` as the scorer of it, for `scoring=`.

    What scikit-learn passes to scorers, weights and groups, belongs to the call. All other options
    are those of the scorer, and come from `functools.partial`.
    """
    metadata = pop_requests(options)
    for name, column in metadata.items():
        if np.shape(column)[:1] != np.shape(y_true)[:1]:  # bound to it by `functools.partial`
            _refuse_bound(metric, options, name)
    scorer = make_scorer_of_metric(metric, **options)
    return scorer(estimator, X, y_true, **metadata)


def make_scorer_of_metric(metric: Any, **options: Any) -> RankingScorer:
    """Make the scorer of a metric function, with its own defaults, or of a `Metric`."""
    if isinstance(metric, Metric):
        for name in ("groups", "sample_weight"):
            if not isinstance(metric.of_data.get(name), bool | str | None):
                _refuse_bound(metric, options, name)
        is_mean = metric.is_mean
        definition: str | Metric = metric
    else:
        definition = metric.__name__.removesuffix("_score")
        is_mean = definition == MAP
        options = _add_default_k(metric, options)
    if is_mean and not sklearn.get_config()["enable_metadata_routing"]:
        _refuse_without_routing(metric, options)
    return make_ap_scorer(definition, **options)


def _add_default_k(metric: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    k = signature(metric).parameters.get("k")
    if k is None or k.default is None:
        return dict(options)
    return {"k": k.default, **options}


def _refuse_without_routing(metric: Any, options: Mapping[str, Any]) -> NoReturn:
    raise RuntimeError(
        f"{metric.__name__} as scoring= needs the groups of the samples, which reach a scorer by "
        "metadata routing only: first call sklearn.set_config(enable_metadata_routing=True). Then "
        f"pass scoring={_write_call(metric, options)}, and groups to fit, or params= of "
        "cross_validate."
    )


def _refuse_bound(metric: Any, options: Mapping[str, Any], name: str) -> NoReturn:
    """Refuse values of all samples, of which a fold has only some."""
    call = _write_call(metric, {**options, name: True})
    raise TypeError(
        f"{name} cannot be an option of scoring=, because each fold has its own. Pass scoring="
        f"{call}, and {name} by metadata routing, as in search.fit(X, y, {name}=...)."
    )


def _write_call(metric: Any, options: Mapping[str, Any]) -> str:
    """Write the call that makes the scorer of a metric with these options instead of its own."""
    if isinstance(metric, Metric):
        definition, options = metric.definition, {**metric.options, **options}
    else:
        definition = metric.__name__.removesuffix("_score")
        options = _add_default_k(metric, options)
    with sklearn.config_context(enable_metadata_routing=True):
        return make_ap_scorer(definition, **options).write_call()


def find_metric_requests(metric: Any) -> metadata_routing.MetadataRequest:
    """Return the metadata requests of the scorer of a metric."""
    return metadata_routing.get_routing_for_object(make_scorer_of_metric(metric))


def is_metric_function(scoring: Any) -> bool:
    """Whether this is the function of one of our metrics."""
    name = getattr(scoring, "__name__", "")
    return getattr(metrics, name, None) is scoring and name.endswith("_score")
