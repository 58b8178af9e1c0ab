"""Metrics combined with their options, as objects with names that can be passed as `scoring=`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, wraps
from types import MappingProxyType
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np

from .._inputs import metric_names
from .._inputs.metric_names import NamedRule, write_rule
from .._inputs.records import DATA_OPTIONS, Inputs
from .._package import load
from .._read.tables import add_known_arguments, check_tables_are_data
from .._read.validation import check_for_function
from .._show.results import are_same, to_hashable
from .._words import parameters
from .._words.parameters import format_value
from .._words.refusals import TextErrors
from ..core.rankings import BY_NAME
from ..core.rules import Graded, GroupFunction, Rule
from ..exceptions import InvalidParameterError

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
    def call_or_score(*args: P.args, **kwargs: P.kwargs) -> T:
        if is_call_of_scorer(args):
            value: T = load("scorers.metric_scorers").score_estimator(
                call_or_score, *args, **kwargs
            )
            return value
        return metric(*args, **kwargs)

    # scikit-learn asks for the requests of whatever is passed as `scoring=`, and
    # TunedThresholdClassifierCV for the function that it calls with predicted labels.
    as_scorer: Any = call_or_score
    as_scorer.get_metadata_routing = partial(find_requests, call_or_score)
    as_scorer._score_func = refuse_tuning
    as_scorer._sign = 1
    as_scorer._kwargs = {}
    return call_or_score


def refuse_tuning(y_true: Any, y_pred: Any, **options: Any) -> NoReturn:
    """Refuse predicted labels."""
    raise ValueError(load("scorers.score_functions").ADVICE_ON_TUNING)


def find_requests(metric: Any) -> Any:
    """Return the metadata requests of the scorer of a metric."""
    return load("scorers.metric_scorers").find_metric_requests(metric)


class Metric:
    """Result of :func:`~sklearn_ap.metric`: a metric and its options.

    Call it with labels and prediction scores to evaluate the metric. `by_name` returns the value of
    each group or class.

    Attributes
    ----------
    name : str
        The name that tables show, such as "Recall at 1%, by amount".
    definition : str
        The name that you passed to `metric`.
    options : dict
        The options that you passed to `metric`.
    greater_is_better : bool
        Whether higher values are better, which only a function can deny.

    See Also
    --------
    metric

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> def best(metric: ap.Metric, models: dict[str, list[float]]) -> str:
    ...     values = {name: metric([1, 0], s) for name, s in models.items()}
    ...     return max(values, key=values.get)
    >>> best(ap.metric("AP"), {"a": [0.1, 0.2], "b": [0.2, 0.1]})
    'b'
    """

    def __init__(
        self,
        definition: Any,
        options: dict[str, Any],
        rule: Rule,
        named: NamedRule,
        score: Callable[..., Any] | None,
    ) -> None:
        self.definition = definition
        self.options = options
        # Those that describe the data rather than the definition
        self.of_data = {name: options[name] for name in DATA_OPTIONS if name in options}
        self.rule = rule
        self.function = named.metric  # its name without "_score"
        self.is_mean = named.is_mean  # whether its name says that it is a mean over groups
        self.is_graded = isinstance(rule, Graded) or options.get("min_grade") is not None
        self.title = write_rule(rule)
        if self.is_mean:
            self.title = metric_names.write_mean_title(rule, options.get("average"))
        self.greater_is_better = rule.greater_is_better
        self.all_options = named.options | options  # with those in the name
        if score is not None:
            self.__wrapped__ = score  # where `inspect.signature` finds the parameters

    @TextErrors()
    def __call__(self, *args: Any, **options: Any) -> Any:
        """Evaluate the metric, with the arguments of its function.

        Parameters
        ----------
        *args
            `y_true` and `y_score`, or with `data`, the names of their columns.
        **options
            What describes the data, such as `sample_weight`, `groups` or `data`.

        Returns
        -------
        score : float or array
            The value, or with average=None, the values.
        """
        if is_call_of_scorer(args):
            return load("scorers.metric_scorers").score_estimator(self, *args, **options)
        score, all_options = self._bind_options(args, options)
        return score(*args, **all_options)

    @TextErrors()
    def by_name(self, *args: Any, **options: Any) -> dict[Any, float]:
        """Evaluate the metric for each group or class, and return the values by name.

        The metric itself returns these values with average=None, as an array without names.

        Parameters
        ----------
        *args
            `y_true` and `y_score`, or with `data`, the names of their columns.
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
        if "average" in options:
            raise TypeError(
                "by_name returns each value, so it takes no average. Call the metric itself to "
                "average values."
            )
        score, all_options = self._bind_options(args, options)
        values: dict[Any, float] = score(*args, **all_options | {"average": BY_NAME})
        return values

    _score_func = staticmethod(refuse_tuning)
    _sign = 1
    _kwargs: Mapping[str, Any] = MappingProxyType({})

    def get_metadata_routing(self) -> Any:
        """Return the metadata requests of the metric as a scorer, for scikit-learn."""
        return find_requests(self)

    def _bind_options(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Return the function of the metric, and all of its options.

        `options` are those of a call, and must not be among those of the metric.
        """
        check_tables_are_data(repr(self), dict(zip(("y_true", "y_score"), args, strict=False)))
        check_given_once(self, self.all_options, options)
        all_options = self.all_options | options
        from_table = None
        if all_options.get("data") is not None:
            from_table = add_known_arguments(all_options | {"metric": self}, {"groups": None})
        groups = (from_table or all_options).get("groups")
        check_mean_has_groups(self.definition, self.is_mean, groups is not None)
        check_for_function(self.rule, all_options)
        return self.__wrapped__, all_options

    @property
    def name(self) -> str:
        of_data = dict(self.of_data)
        name = self.title
        if of_data.get("groups") is not None:
            groups = of_data.pop("groups")
            name += f" per {groups}" if isinstance(groups, str) else " per group"
        if of_data.get("sample_weight") is not None:
            weight = of_data.pop("sample_weight")
            name += f", by {weight}" if isinstance(weight, str) else ", weighted"
        besides = []
        for option, value in of_data.items():
            has_one_value = value is None or np.isscalar(value)  # rather than an array
            besides.append(f"{option}={value!s}" if has_one_value else option)
        return f"{name} ({', '.join(besides)})" if besides else name

    @property
    def __name__(self) -> str:  # which tools that take functions as metrics ask for
        return write_full_name(self)

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.rule, self.title, *self.of_data.items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and are_same(self._key, other._key)

    def __hash__(self) -> int:
        return hash(to_hashable(self._key))

    def __repr__(self) -> str:
        options, definition = dict(self.options), repr(self.definition)
        if isinstance(rule := self.rule, GroupFunction):
            function = getattr(rule.function, "__name__", None)
            definition = function or format_value(rule.function)
            options = {"name": rule.called, **options}
        texts = [f"{name}={format_value(value)}" for name, value in options.items()]
        return f"metric({', '.join([definition, *texts])})"


def write_plain_name(metric: Metric) -> str:
    """Write the name of a metric with the options of its definition."""
    name = write_rule(metric.rule, "name")
    return f"mean_{name}" if metric.is_mean else name


def write_full_name(metric: Metric, **options: Any) -> str:
    """Write the name of a metric with all options, as in "recall_at_5_ties_best_average_micro".

    Options with their default values are omitted, and of arrays and mappings only the option is
    named.
    """
    words = [write_plain_name(metric)]
    for option, value in sorted({**metric.of_data, **options}.items()):
        if np.ndim(value) or value != Inputs._field_defaults.get(option, "auto"):
            words.append(f"{option}_{value!s}" if np.isscalar(value) else option)
    return write_log_name("_".join(words))


def write_log_name(name: str) -> str:
    """Write a name in the characters that every log takes, as in "precision_at_1_percent".

    MLflow refuses "%", "=" and "@" in the name of a metric, and XGBoost splits names at spaces.
    """
    return re.sub(r"[^\w./-]+", "_", name.replace("%", "_percent"), flags=re.ASCII)


def unpack_metric(arguments: dict[str, Any], parameter: str) -> dict[str, Any]:
    """Replace a `Metric` among the arguments by the name of the metric and its options."""
    metric: Metric = arguments[parameter]
    besides = {name: value for name, value in arguments.items() if name != parameter}
    check_given_once(metric, metric.options, besides)
    return {parameter: metric.definition, **metric.options, **besides}


def check_given_once(where: Any, in_it: Collection[str], options: Collection[str]) -> None:
    """Check that no option is also in the name of a metric, or in a `Metric`, which `where` is."""
    twice = {*in_it} & {*options}
    if twice:
        where = f"the name {where!r}" if isinstance(where, str) else repr(where)
        repeated = ", ".join(sorted(twice))
        raise TypeError(f"{repeated} is already given in {where}. Pass it only once.")


def check_mean_has_groups(name: str, is_mean: bool, has_groups: bool) -> None:
    """Check that a metric whose name says that it is a mean has groups."""
    if is_mean and not has_groups:
        raise ValueError(f"{name!r} is a mean over groups: pass groups=, the group of each sample.")


def read_rule(
    caller: str,
    name: Any,
    options: Mapping[str, Any],
    grouped: bool = False,
    takes_functions: bool = False,
) -> Rule:
    """Return the rule with this name and options, which are those of the public function.

    Names of means over groups are only allowed if samples are `grouped`.
    """
    named = read_name(caller, name)
    check_mean_has_groups(name, named.is_mean, grouped)
    rule = make_named_rule(caller, name, named, options)
    if not takes_functions:
        check_no_function(caller, rule)
    return parameters.check_rule(rule)


def make_named_rule(
    caller: str,
    name: Any,
    named: NamedRule,
    options: Mapping[str, Any],
    besides: Collection[str] = (),
) -> Rule:
    """Return the rule with this name, which means `named`, and with these options.

    `besides` are options that the caller takes and rules don't depend on.
    """
    check_given_once(name, named.options, options)
    if named.metric.endswith("_at_k") and "k" not in {**named.options, **options}:
        with_number = write_rule(named.make(k=10), "name")
        if named.is_mean:
            with_number = f"mean_{with_number}"
        raise InvalidParameterError(
            f"{name!r} doesn't say the number k: write it, as in {with_number!r}, or pass "
            f"metric({name!r}, k=10)."
        )
    accepted = {
        option: of_rule
        for option, of_rule in metric_names.find_parameters(named.make).items()
        if option not in named.options
    }
    unknown = {*options} - {*accepted}
    if unknown:
        why, has = parameters.explain_missing_parameters(caller, unknown), {*accepted, *besides}
        meant = "".join(parameters.suggest_option(option, has) for option in sorted(unknown))
        alternatives = ""
        if not meant and not why:
            alternatives = f"; it has {_format_options(has) if has else 'none'}"
        raise TypeError(
            f"{name!r} has no option {_format_options(unknown)}{alternatives}.{meant}{why}"
        )
    needed, nullable = set(), set()
    for option, parameter_of_rule in accepted.items():
        if parameter_of_rule.default is parameter_of_rule.empty and option not in options:
            needed.add(option)
        if parameter_of_rule.default is None:
            nullable.add(option)
    if needed:
        raise TypeError(
            f"{name!r} needs the option {', '.join(sorted(needed))}, as in '{named.metric}_0.9'."
        )
    all_options = named.options | dict(options)
    parameters.check_allowed(caller, nullable, all_options)
    return named.make(**all_options)


def check_no_function(caller: str, metric: Any) -> None:
    """Refuse what reads all rows of a group where a metric is computed from counts."""
    rule = metric.rule if isinstance(metric, Metric) else metric
    if isinstance(rule, Graded):
        what = "a function" if isinstance(rule, GroupFunction) else "it"
        raise ValueError(
            f"{write_rule(rule)!r} is not available in {caller}, which counts positives at each "
            f"prediction score, because {what} needs all rows of a group together. Call the "
            "metric itself, or pass it to report, confidence_interval, compare or make_ap_scorer."
        )


def _format_options(options: Collection[str]) -> str:
    return f"{{{', '.join(map(repr, sorted(options)))}}}"


def read_name(caller: str, name: Any, parameter: str = "metric") -> NamedRule:
    """Look up the meaning of a name."""
    named = metric_names.find_meaning(name)
    if named is None:
        refuse_name(f"The {parameter!r} parameter of {caller}", name)
    return named


def refuse_name(what: str, name: Any, instead: str = "") -> NoReturn:
    """Refuse what isn't the name of a metric, say what to do, and list the short names."""
    if (meaning := metric_names.describe_meaning(name)).startswith("Pass "):
        raise InvalidParameterError(meaning)
    short = ", ".join(map(repr, metric_names.short_names()))
    raise InvalidParameterError(
        f"{what} must be the name of a metric. Got {format_value(name)} instead."
        f"{instead or advise_on_name(name)} Names are {short}, with any numbers."
    )


def advise_on_name(name: Any) -> str:
    """Say what to write instead of an unknown name; empty if nothing is close."""
    function = getattr(name, "__name__", "")
    if callable(name) and metric_names.find_meaning(function):
        return f" Pass its name instead, {function.removesuffix('_score')!r}, with its options."
    if means := metric_names.describe_meaning(name):
        return f" {means}"
    near = metric_names.suggest_name(name)
    return f" Did you mean {near!r}?" if near else ""


def check_about_data(options: Mapping[str, Any]) -> None:
    """Check options that concern the data. Some can be names of columns."""
    checked = {}
    for name in DATA_OPTIONS:
        is_column_name = name in ("groups", "sample_weight") and isinstance(options.get(name), str)
        if name in options and not is_column_name:
            checked[name] = options[name]
    parameters.check_allowed("metric", {*parameters.NULLABLE, "average"}, checked)
