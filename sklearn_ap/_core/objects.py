"""Metrics as objects: a rule, whether it's a mean over groups, and options about the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import InvalidParameterError, UnknownMetricError
from . import rules
from .checks import check
from .columns import is_missing, read_column
from .data import DATA_PARAMETERS, NOT_SAID
from .evaluation import evaluate
from .names import parse_name, write_name
from .points import Array
from .suggestions import Asked, check_calls, suggest_parameter

Column = ArrayLike | str | None  # values, or the name of a column of `data`
Scores = ArrayLike | str | list[str] | None
Score = Any  # a float, or an array with average=None

_UNLIMITED = -float("inf"), float("inf")


class MetricFunction(Protocol[Asked]):
    """A metric as type checkers see it: the value is a float, or an array with ``average=None``."""

    @overload
    def __call__(self, *args: Any, average: None, **kwargs: Any) -> Array: ...
    @overload
    def __call__(self, *args: Asked.args, **kwargs: Asked.kwargs) -> float: ...


def check_metric_calls(function: Callable[Asked, Score]) -> MetricFunction[Asked]:
    """Do the same as `check_calls` for a metric."""
    return cast(MetricFunction[Asked], check_calls(function))


def check_groups(groups: Any) -> None:
    if groups is None:
        raise ValueError("A mean over groups needs groups=, such as the query of each sample.")


@dataclass(frozen=True)
class Metric:
    """A metric with its options, made by :func:`metric`.

    Call it like the function of the metric.

    Attributes
    ----------
    name : str
        The name, such as "average_precision_at_10".
    """

    _rule: rules.Rule
    _is_mean: bool = False
    # options about the data
    _data_options: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        return write_name(self._rule, self._is_mean)

    @property
    def __name__(self) -> str:
        return self.name  # scikit-learn's make_scorer prints it.

    def __repr__(self) -> str:
        definition, keywords = self._list_arguments()
        return write_call("metric", repr(definition), keywords)

    def _list_arguments(self) -> tuple[Any, dict[str, Any]]:
        """Return what `metric` makes this of: a name or a function, and keywords."""
        name, keywords = self._rule.split_name()
        definition: Any = f"mean_{name}" if self._is_mean else name
        if self._rule.is_function:
            keywords = self._rule.list_unusual()
            definition = keywords.pop("function")
        return definition, keywords | self._data_options

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Metric):
            return NotImplemented
        # k=1 is one sample, and k=1.0 are all of them.
        kinds = [
            (one._rule, one._is_mean, isinstance(one._rule.k, Integral)) for one in (self, other)
        ]
        options, others = self._data_options, other._data_options
        if kinds[0] != kinds[1] or options.keys() != others.keys():
            return False
        # Some may be arrays, or nan.
        pairs = [(value, others[name]) for name, value in options.items()]
        return all(np.array_equal(a, b) or (is_missing(a) and is_missing(b)) for a, b in pairs)

    def __getstate__(self) -> dict[str, Any]:
        """Return what `metric` makes this of, so that a saved metric names nothing private."""
        definition, keywords = self._list_arguments()
        return {"definition": definition} | keywords

    def __setstate__(self, arguments: dict[str, Any]) -> None:
        self.__dict__.update(metric(**arguments).__dict__)

    def _reads_grades(self, pos_label: Any) -> bool:
        """Whether it reads grades instead of classes, if this label is named."""
        return self._rule.keeps_grades(pos_label) or self._data_options.get("min_grade") is not None

    def _split_label(self, pos_label: Any) -> tuple[Metric, Any]:
        """Return the metric without its label, and this label, or else that of the metric. A scorer
        and early stopping need a single value.
        """
        if self._data_options.get("average", "macro") is None:
            raise ValueError("average=None gives several values. Pass a mean, such as 'macro'.")
        data_options = dict(self._data_options)
        of_metric = data_options.pop("pos_label", None)
        label = of_metric if pos_label is None else pos_label
        return replace(self, _data_options=data_options), label

    def _choose_data_options(self, **of_call: Any) -> dict[str, Any]:
        """Return what a call says about the data, else what this says, else what is usual.

        None in a call replaces what this says, but for `data`.
        """
        options = {name: value for name, value in of_call.items() if value is not NOT_SAID}
        if options.get("data") is None:
            options.pop("data", None)
        usual = DATA_PARAMETERS | {"pos_label": self._rule.usual_label}
        return usual | self._data_options | options

    @check_calls
    def __call__(
        self,
        y_true: Column = None,
        y_score: Scores = None,
        *,
        average: str | None = NOT_SAID,
        pos_label: float | bool | str = NOT_SAID,
        sample_weight: Column = NOT_SAID,
        zero_division: float | str = NOT_SAID,
        classes: ArrayLike | None = NOT_SAID,
        n_positives: Any = NOT_SAID,
        groups: Column = NOT_SAID,
        min_grade: float | None = NOT_SAID,
        data: Any = None,
    ) -> Score:
        """Compute the value.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
            Binary labels, multilabel indicators, multiclass labels or grades.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Prediction scores, higher for the positive class.
        average, pos_label, sample_weight, zero_division, classes, n_positives, groups, min_grade, \
                data
            As in the functions of metrics, such as :func:`average_precision_score`. Those that
            you pass replace the options of the metric.

        Returns
        -------
        score : float or ndarray of shape (n_rankings,)
            The value, or with ``average=None`` the value of each class or group.
        """
        data_options = self._choose_data_options(
            average=average,
            pos_label=pos_label,
            sample_weight=sample_weight,
            zero_division=zero_division,
            classes=classes,
            n_positives=n_positives,
            groups=groups,
            min_grade=min_grade,
            data=data,
        )
        if self._is_mean:
            check_groups(data_options["groups"])
        return evaluate(self._rule, y_true, y_score, **data_options)


def write_call(function: str, first: str, keywords: Mapping[str, Any]) -> str:
    """Write a call, so that Python reads it."""
    texts = [first] if first else []
    for name, value in keywords.items():
        if isinstance(value, np.generic):
            value = value.item()
        is_nan = isinstance(value, float) and np.isnan(value)
        texts.append(f"{name}=float('nan')" if is_nan else f"{name}={value!r}")
    return f"{function}({', '.join(texts)})"


Metric.__module__ = "sklearn_ap"  # where users find it, and what they saved does


def write_title(metric: Metric, groups: str = "") -> str:
    """Write the name of a metric as a title, which `metric` reads, too: its options stand behind
    it, and then over which groups its mean is taken. If they are seeds or days, "mean average
    precision" would be read as the mean over classes or queries.
    """
    title = metric._rule.title
    if metric._is_mean and not groups:
        title = f"mean {title}"
    if not metric._rule.is_function:  # Functions keep the names that users gave them.
        title = capitalize(title)
    for option, value in metric._rule.split_name()[1].items():
        title += f", {option}={value}"
    return f"{title}, mean over {groups}" if groups else title


def capitalize(text: str) -> str:
    """Begin with a capital letter, unless the second one is one, as in "nDCG"."""
    text = text if text[1:2].isupper() else text[:1].upper() + text[1:]
    return text.replace("Ndcg", "nDCG").replace("ndcg", "nDCG")


def metric(
    definition: str | Metric | Callable[..., float],
    *,
    name: str | None = None,
    greater_is_better: bool | None = None,
    limits: tuple[float, float] = _UNLIMITED,
    **options: Any,
) -> Metric:
    """Combine a metric and its options in one named object that you can call like a function.

    Read more in :doc:`Metrics and formulas </definitions>`.

    Parameters
    ----------
    definition : str, Metric or callable
        A name such as ``"AP@20"`` or ``"P@1%"``, or a function ``function(y_true, y_score)``,
        whose values are averaged over ``groups=`` if there are any. It gets the labels as numbers,
        or ``y_true == pos_label`` if you name `pos_label`, and `sample_weight` if it has such a
        parameter.
    name : str, default=None
        The name of the function.
    greater_is_better : bool, default=None
        Whether higher values of the function are better. None means True, and refuses functions
        whose names end in ``_loss`` or ``_error``, as scikit-learn calls those to be minimized.
    limits : tuple of two floats, default=(-inf, inf)
        The lowest and highest values of the function.
    **options
        Parameters of the metric, such as `k` or `min_grade`.

    Returns
    -------
    metric : Metric
        Metrics with the same definition and options are equal. ``metric(name)`` has the same
        definition, without options of the data such as `min_grade`.

    See Also
    --------
    make_ap_scorer : A metric as a scorer.
    get_scorer_names : The names of all metrics.

    Examples
    --------
    >>> from sklearn_ap import metric
    >>> precision = metric("precision_at_k", k=2)
    >>> precision([1, 0, 1], [0.9, 0.8, 0.7])
    0.5
    >>> precision.name
    'precision_at_2'
    >>> metric("11-point") == metric("interpolated_average_precision", n_points=11)
    True
    """
    data_options = {each: options.pop(each) for each in DATA_PARAMETERS if each in options}
    checked = {"average", "pos_label", "zero_division", "min_grade"} & {*data_options}
    check(**{each: data_options[each] for each in checked})
    if data_options.get("classes") is not None:  # A list, so that metrics can be compared.
        data_options["classes"] = read_column(data_options["classes"], "classes").tolist()
    check(name=name, limits=limits)
    if greater_is_better is not None:
        check(greater_is_better=greater_is_better)
    describes_function = (name, greater_is_better, limits) != (None, None, _UNLIMITED)
    if isinstance(definition, str | Metric) and describes_function:
        raise TypeError("name, greater_is_better and limits describe a function of your own.")
    if isinstance(definition, Metric):
        rule = definition._rule
        _refuse_unknown(options, rule)
        if options:
            rule = type(rule)(**(rule.options | options))
        return Metric(rule, definition._is_mean, definition._data_options | data_options)
    if isinstance(definition, str):
        meaning = parse_name(definition)
        if twice := {*options} & {*meaning.options}:
            raise TypeError(f"The name {definition!r} already says {min(twice)}.")
        rule_type = meaning.rule_type
        if meaning.is_mean:
            rule_type, options = rules.choose_definition_of_mean(rule_type, options)
        _refuse_unknown(options, rule_type)
        options |= meaning.options
        number = rule_type.number_option
        if number and number not in options and rule_type.needs_number():
            raise UnknownMetricError(
                f"{definition!r} doesn't say {number}: write it in the name, or pass {number}=."
            )
        return Metric(rule_type(**options), meaning.is_mean, data_options)
    if not callable(definition):
        advice = " For several, call report." if isinstance(definition, list | tuple) else ""
        raise TypeError(f"A metric is a name or a function. Got {definition!r}.{advice}")
    if str(getattr(definition, "__module__", "")).startswith("sklearn_ap."):
        raise TypeError(f"Pass a metric of this package by name. Got {definition!r}.")
    own_name = str(getattr(definition, "__name__", "<lambda>"))
    if greater_is_better is None and own_name.endswith(("_loss", "_error")):
        raise ValueError(
            f"Are lower values of {own_name} better? Then pass it as "
            f"metric({own_name}, greater_is_better=False)."
        )
    name = name or own_name
    if name == "<lambda>":
        raise ValueError("This function has no name: pass one, as in metric(function, name='ERR').")
    is_better = greater_is_better is not False
    function = rules.UserFunction(definition, name, is_better, (limits[0], limits[1]))
    _refuse_unknown(options, function)
    return Metric(function, _data_options=data_options)


# Parameters of functions that pass options on to a metric
_PARAMETERS = ["baseline", "clusters", "confidence_level", "margin", "metric", "response_method"]


def _refuse_unknown(options: dict[str, Any], rule: rules.Rule | type[rules.Rule]) -> None:
    """Refuse options that a rule doesn't have."""
    allowed = [*rule.list_options(), *DATA_PARAMETERS]
    if unknown := {*options} - {*allowed}:
        name = "A function" if rule.is_function else rule.names[0].replace("#", "k")
        hint = suggest_parameter(min(unknown), allowed + _PARAMETERS)
        hint = hint or f" It has {', '.join(allowed)}."
        raise InvalidParameterError(f"{name} has no option {min(unknown)!r}.{hint}")
