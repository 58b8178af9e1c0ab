"""Metrics combined with their options, as objects that have a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ._catalogue import mean_title_of, read_name, title_of
from ._inputs import OF_DATA
from ._results import are_same, hashable
from ._validation.parameters import check_about_data, check_definition, shown
from ._validation.scorers import check_given_once
from .core.rules import Rule

P = ParamSpec("P")
T = TypeVar("T")


class Metric:
    """Result of :func:`~sklearn_ap.metric`: a metric and its options.

    Attributes
    ----------
    name : str
        The name that tables show, such as "Recall at 1% (sample_weight=amount)".
    definition : str
        The name that you passed to `metric`.
    options : dict
        The options that you passed to `metric`.
    """

    def __init__(
        self, definition: str, options: dict[str, Any], rule: Rule, title: str, grouped: bool
    ) -> None:
        self.definition = definition
        self.options = options
        self.rule = rule
        self.title = title
        self.grouped = grouped  # whether its name says that it is a mean over groups

    @property
    def name(self) -> str:
        besides = [_in_words(name, value) for name, value in self.of_data.items()]
        counts = getattr(self.rule, "k_counts", "")
        besides += ["k_counts=samples"] * (counts == "samples")
        return f"{self.title} ({', '.join(besides)})" if besides else self.title

    @property
    def of_data(self) -> dict[str, Any]:
        """The options that describe the data rather than the definition."""
        return {name: self.options[name] for name in OF_DATA if name in self.options}

    @property
    def of_definition(self) -> dict[str, Any]:
        """The options that describe the definition rather than the data."""
        return {name: self.options[name] for name in self.options if name not in OF_DATA}

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.rule, self.title, *self.of_data.items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and are_same(self._key, other._key)

    def __hash__(self) -> int:
        return hash(hashable(self._key))

    def __repr__(self) -> str:
        options = [f"{name}={shown(value)}" for name, value in self.options.items()]
        return f"metric({', '.join([repr(self.definition), *options])})"


def metric(name: str, **options: Any) -> Metric:
    """Combine a metric with its options in one object that has a name.

    Pass the object wherever you would name a metric: to :func:`report`,
    :func:`confidence_interval`, :func:`compare`, :func:`make_ap_scorer`, and the methods of
    streams.

    Parameters
    ----------
    name : str
        The name of a metric, such as "average_precision", "precision_at_1%" or "AP@20".
    **options
        Parameters of that metric, such as `k`, `ties`, `denominator`, `sample_weight`, `k_counts`
        or `min_grade`. If you pass a table as `data` later, `sample_weight` and `groups` can be
        names of its columns.

    Returns
    -------
    metric : Metric
        It has a `name`, and the `definition` and the `options` that you passed.

    See Also
    --------
    report : Evaluate models by several metrics in one table.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> ap.metric("AP@20", ties="best").name
    'Average precision at 20 with best ties'
    >>> by_amount = ap.metric(
    ...     "recall_at_1%", sample_weight="amount", k_counts="samples"
    ... )
    >>> by_amount.name
    'Recall at 1% (sample_weight=amount, k_counts=samples)'
    """
    own = {option: value for option, value in options.items() if option not in OF_DATA}
    rule = check_definition("metric", name, own, "name", grouped=True, besides=OF_DATA)
    check_about_data(options)
    is_mean = read_name(name).grouped
    title = mean_title_of(rule, options.get("average")) if is_mean else title_of(rule)
    return Metric(name, options, rule, title, is_mean)


def unpacked(given: dict[str, Any], parameter: str) -> dict[str, Any]:
    """Replace a `Metric` among the arguments by the name of the metric and its options."""
    one: Metric = given[parameter]
    others = {name: value for name, value in given.items() if name != parameter}
    return {parameter: one.definition, **check_given_once(one, one.options, others)}


def takes_metric(parameter: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function take a `Metric` instead of the name of a metric and its options."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        names = list(signature(function).parameters)

        @wraps(function)
        def taking(*args: P.args, **kwargs: P.kwargs) -> T:
            given = dict(zip(names, args, strict=False), **kwargs)
            if isinstance(given.get(parameter), Metric):
                return function(**unpacked(given, parameter))  # type: ignore[call-arg]
            return function(*args, **kwargs)

        return taking

    return decorate


def _is_plain(value: Any) -> bool:
    return value is None or bool(np.isscalar(value))


def _in_words(name: str, value: Any) -> str:
    return f"{name}={value}" if _is_plain(value) else name
