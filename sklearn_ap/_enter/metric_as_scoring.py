"""Metrics that are passed as `scoring=`, which scikit-learn calls with an estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from .._package.registry import load

P = ParamSpec("P")
T = TypeVar("T")


def is_call_of_scorer(args: Sequence[Any]) -> bool:
    """Whether these are an estimator, X and y, as scorers get them, and not labels and scores."""
    return len(args) == 3 and hasattr(args[0], "fit")


def accept_estimators(metric: Callable[P, T]) -> Callable[P, T]:
    """Decorate the function of a metric: called with an estimator, X and y, it is a scorer.

    scikit-learn refuses its own metrics as `scoring=`, because it knows their module. Without this,
    a search would make nan of our errors, and choose by that.
    """

    @wraps(metric)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if is_call_of_scorer(args):
            value: T = load("scorers.metric_scorers").score_estimator(call, *args, **kwargs)
            return value
        return metric(*args, **kwargs)

    # scikit-learn asks for the requests of whatever is passed as `scoring=`, and
    # TunedThresholdClassifierCV for the function that it calls with predicted labels.
    as_scorer: Any = call
    as_scorer.get_metadata_routing = partial(find_requests, call)
    as_scorer._score_func = refuse_tuning
    as_scorer._sign = 1
    as_scorer._kwargs = {}
    return call


def refuse_tuning(y_true: Any, y_pred: Any, **options: Any) -> NoReturn:
    """Refuse predicted labels."""
    raise ValueError(load("scorers.score_functions").ADVICE_ON_TUNING)


def find_requests(metric: Any) -> Any:
    """Return the metadata requests of the scorer of a metric."""
    return load("scorers.metric_scorers").find_metric_requests(metric)
