"""What displays get: the arguments of their methods, estimators and folds."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from inspect import signature
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from .._catalogue import read_name
from .._data import reading
from .._inputs import Inputs
from .._named import Metric
from .._validation.errors import naming_model
from .._validation.grades import positive_class
from .._validation.models import are_names, read_models
from .._validation.parameters import InvalidParameterError, check_definition, shown
from .._validation.pictures import check_binary_classifier, check_cv_results, check_drawable
from ..core.rankings import Rankings
from ..core.rules import AreaRule, Rule


def accepted_by(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the given arguments that the function accepts too."""
    return {name: given[name] for name in signature(function).parameters if name in given}


def models_to_draw(caller: str, inputs: Inputs, name: str | None) -> dict[Any, Inputs]:
    """Map the names of several models to what is known about each. A single one has no name here.

    A list of column names, or a mapping from names, contains several models.
    """
    y_score = inputs.y_score
    if not isinstance(y_score, Mapping) and not (are_names(y_score) and y_score):
        return {None: inputs}
    if name is not None:
        raise ValueError(
            f"name={name!r} is the name of a single model, but y_score contains several by name. "
            "Leave out name."
        )
    models = read_models(caller, "y_score", y_score, inputs.data is not None)
    return {model: inputs._replace(y_score=scores) for model, scores in models.items()}


def rankings_of_models(
    user: Callable[..., Any], models: Mapping[Any, Inputs]
) -> Iterator[tuple[Any, tuple[Rankings, Any, str]]]:
    """Yield the rankings of each model, with the positive label and what groups are called."""
    for model, inputs in models.items():
        with naming_model(model, models) if len(models) > 1 else nullcontext():
            found = reading(user, inputs, check_drawable)
        yield model, found


def response(
    estimator: Any, X: Any, y: Any, method: str, pos_label: Any, min_grade: float | None = None
) -> Any:
    """Return the prediction scores of a binary classifier.

    If its classes are grades, the larger one is positive.
    """
    if min_grade is not None and positive_class(pos_label, min_grade):
        classes = np.asarray(getattr(estimator, "classes_", ()))
        if classes.ndim == 1 and classes.size == 2 and classes.dtype.kind in "biuf":
            pos_label = classes.max().item()
    check_binary_classifier(estimator, pos_label)
    methods = ("predict_proba", "decision_function") if method == "auto" else method
    # A scorer is scikit-learn's public way to compute them. The metric of this one returns them.
    scorer = make_scorer(_scores, response_method=methods, pos_label=pos_label)
    return scorer(estimator, X, y)


def _scores(y_true: Any, y_score: Any, *, pos_label: Any) -> Any:
    return y_score


def rankings_of_folds(
    cv_results: Mapping[str, Any],
    X: Any,
    inputs: Inputs,
    method: str,
    confidence_level: float | None,
) -> tuple[list[Rankings], Any, str]:
    """Rank the samples of each fold by its estimator, which was not fitted on them."""
    rankings = []
    by_row = {name: getattr(inputs, name) for name in ("y_true", "sample_weight", "groups")}
    tests = check_cv_results(cv_results, X, by_row, confidence_level)
    label, words = inputs.pos_label, "groups"
    for estimator, test in zip(cv_results["estimator"], tests, strict=True):
        own = {name: _rows(rows, test) for name, rows in by_row.items() if rows is not None}
        y_score = response(
            estimator, _rows(X, test), own["y_true"], method, inputs.pos_label, inputs.min_grade
        )
        fold = inputs._replace(y_score=y_score, **own)
        ranking, label, words = check_drawable(fold)
        rankings.append(ranking)
    return rankings, label, words


def _rows(data: Any, places: Any) -> Any:
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    if hasattr(data, "tocsr"):  # not all sparse formats support indexing by row
        return data.tocsr()[places]
    return data.iloc[places] if hasattr(data, "iloc") else data[places]


def rules_to_draw(
    caller: str, metric: Any, options: Mapping[str, Any]
) -> tuple[list[AreaRule], dict[str, Any]]:
    """Return the rules of metrics, each with the options that it takes, and those about the data.

    A metric is a name, or a `Metric` with options of its own.
    """
    metrics = [metric] if isinstance(metric, str | Metric) else metric
    if not isinstance(metrics, list | tuple) or not metrics:
        raise InvalidParameterError(
            f"The 'metric' parameter of {caller} must be a metric, or a list of different ones. "
            f"Got {shown(metric)} instead."
        )
    rules: list[AreaRule] = []
    about_data: dict[str, Any] = {}
    for one in metrics:
        rule = one.rule if isinstance(one, Metric) else _rule_of(caller, one, options)
        if not (isinstance(rule, AreaRule) and rule.drawn):
            raise ValueError(
                f"metric={one!r} cannot be drawn, because it is not an area under a curve."
            )
        if rule in rules:
            raise InvalidParameterError(
                f"metric={metric!r} names {rule.label} twice, as {metrics[rules.index(rule)]!r} "
                f"and {one!r}: leave one of them out."
            )
        rules.append(rule)
        about_data |= one.of_data if isinstance(one, Metric) else {}
    if about_data and len(rules) > 1:
        raise ValueError(
            f"{', '.join(about_data)} can't be an option of one of several metrics, because they "
            f"share their data. Pass it to {caller}."
        )
    return rules, about_data


def _rule_of(caller: str, name: Any, options: Mapping[str, Any]) -> Rule:
    try:
        named = read_name(name)
    except (KeyError, TypeError, AttributeError):
        return check_definition(caller, name, {})  # which raises the error for an unknown name
    known = set(signature(named.make).parameters) - set(named.options)
    return check_definition(
        caller, name, {option: options[option] for option in known if option in options}
    )
