"""Metrics combined with their options, as objects that have a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ._catalogue import Named, mean_title_of, title_of
from ._inputs import OF_DATA
from ._results import are_same, hashable
from ._validation.parameters import check_mean_has_groups, shown
from ._validation.scorers import check_given_once, check_has_function, check_no_average
from .core.rules import Rule

P = ParamSpec("P")
T = TypeVar("T")


class Metric:
    """Result of :func:`~sklearn_ap.metric`: a metric and its options.

    Call it with labels and prediction scores to evaluate the metric. `by_name` returns the value of
    each group or class.

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
        self,
        definition: str,
        options: dict[str, Any],
        rule: Rule,
        named: Named,
        score: Callable[..., Any] | None,
    ) -> None:
        self.definition = definition
        self.options = options
        self.rule = rule
        self.grouped = named.grouped  # whether its name says that it is a mean over groups
        average = options.get("average")
        self.title = mean_title_of(rule, average) if self.grouped else title_of(rule)
        self._in_name = named.options
        if score is not None:
            self.__wrapped__ = score  # where `inspect.signature` finds the parameters

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Evaluate the metric, with the arguments of its function.

        Parameters
        ----------
        *args
            `y_true` and `y_score`: the labels and the prediction scores, or with `data`, the names
            of their columns.
        **options
            What describes the data, such as `sample_weight`, `groups` or `data`.

        Returns
        -------
        score : float or array
            The value, or with average=None, the values.
        """
        score, given = self._with(options)
        return score(*args, **given)

    def by_name(self, *args: Any, **options: Any) -> dict[Any, float]:
        """Evaluate the metric for each group or class, and return the values by name.

        It works with every kind of table, also if the table isn't in memory. The metric itself
        returns the same values with average=None, in the same order, but as an array without names.

        Parameters
        ----------
        *args
            `y_true` and `y_score`: the labels and the prediction scores, or with `data`, the names
            of their columns.
        **options
            What describes the data, such as `groups`, `classes` or `data`, but not `average`.

        Returns
        -------
        values : dict
            The value of each group, or without `groups`, of each class. The classes of multilabel
            indicators are called like their columns, or numbered.

        Examples
        --------
        >>> import sklearn_ap as ap
        >>> shop = {
        ...     "day": ["mon", "mon", "tue", "tue"],
        ...     "fraud": [1, 0, 1, 0],
        ...     "score": [0.9, 0.2, 0.3, 0.4],
        ... }
        >>> ap.metric("AP").by_name("fraud", "score", data=shop, groups="day")
        {'mon': 1.0, 'tue': 0.5}
        """
        check_no_average(options)
        score, given = self._with(options)
        values: dict[Any, float] = score.by_name(*args, **given | {"average": None})
        return values

    def _with(self, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the function of the metric, and all of its options."""
        given = check_given_once(self, self._in_name | self.options, options)
        check_mean_has_groups(self.definition, self.grouped, given.get("groups") is not None)
        return check_has_function(self.definition, getattr(self, "__wrapped__", None)), given

    @property
    def name(self) -> str:
        besides = [_in_words(name, value) for name, value in self.of_data.items()]
        counts = getattr(self.rule, "k_counts", "")
        besides += ["k_counts=samples"] * (counts == "samples")
        return f"{self.title} ({', '.join(besides)})" if besides else self.title

    @property
    def __name__(self) -> str:  # which tools that take functions as metrics ask for
        return self.name

    @property
    def of_data(self) -> dict[str, Any]:
        """The options that describe the data rather than the definition."""
        return {name: self.options[name] for name in OF_DATA if name in self.options}

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
