"""Validation of the models and metrics of a report."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.rankings import Rankings
from .errors import about
from .parameters import InvalidParameterError, is_mapping, shown


def read_models(caller: str, parameter: str, y_score: Any, has_data: bool) -> dict[str, Any]:
    """Return the prediction scores of each model, or the names of their columns."""
    if isinstance(y_score, Mapping):
        if not y_score:
            raise ValueError(
                f"{caller} needs at least one model, but {parameter} is an empty mapping."
            )
        return dict(y_score)
    if has_data and isinstance(y_score, str):
        return {y_score: y_score}
    if are_names(y_score):
        return _columns(caller, parameter, y_score, has_data)
    name = None if is_mapping(y_score) and not hasattr(y_score, "iloc") else _name_of(y_score)
    return {name or "model": y_score}


def read_two_models(y_score_a: Any, y_score_b: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prediction scores of two models by the names of their columns or Series."""
    scores = {"a": y_score_a, "b": y_score_b}
    own = [
        name if isinstance(name := columns.get(f"y_score_{letter}"), str) else _name_of(each)
        for letter, each in scores.items()
    ]
    # A letter must not stand for the wrong one of two models that are called like letters.
    short = scores if not set(own) & {*scores} else [f"y_score_{letter}" for letter in scores]
    names = short if own[0] == own[1] else [o or s for o, s in zip(own, short, strict=True)]
    return dict(zip(names, scores.values(), strict=True))


def are_names(y_score: Any) -> bool:
    """Whether this is a list of names of columns."""
    is_list = isinstance(y_score, list | tuple)
    return is_list and all(isinstance(name, str) for name in y_score)


def are_models(y_score: Any, has_data: bool) -> bool:
    """Whether this is a mapping of models, or with data, a list of their columns."""
    return isinstance(y_score, Mapping) or (has_data and are_names(y_score))


def _columns(caller: str, parameter: str, names: Any, has_data: bool) -> dict[str, Any]:
    if not names:
        raise ValueError(f"{caller} needs at least one model, but {parameter} is empty.")
    if not has_data:
        raise TypeError(
            f"{parameter}={shown(names)} names columns. Pass their table as data, or to use "
            "arrays, pass a mapping from names of models to prediction scores."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"{parameter}={shown(names)} names a column twice. Pass each column once.")
    return {name: name for name in names}


def _name_of(y_score: Any) -> str | None:
    name = getattr(y_score, "name", None)
    return name if isinstance(name, str) else None


def check_are_metrics(metrics: Any) -> None:
    if not isinstance(metrics, Mapping | list | tuple) or not metrics:
        raise InvalidParameterError(
            "The 'metrics' parameter of report must be a metric, a list of them, or a mapping from "
            f"names to them. Got {shown(metrics)} instead."
        )


def check_names_differ(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"Two metrics are called {name!r}. Leave one out, or pass metrics as a mapping "
                "from names that you choose to metrics."
            )


def check_any_groups(columns: Any) -> None:
    """Check that some metric has values of groups, which are the columns of a table."""
    if not columns:
        raise ValueError("per_group needs groups. Pass groups= to report.")


@about("y_true")
def check_class_found(name: Any, rankings: Rankings) -> None:
    """Check that a class with a row of its own has positives."""
    exist = rankings.labels if rankings.n_positives is None else rankings.n_positives
    if not np.any(exist):
        raise ValueError(
            f"No positive class found in y_true for the class {name}, so its value is undefined "
            "(0/0) and has no interval. Leave out its column, or for multiclass labels, pass the "
            "other classes as classes=."
        )


def refuse_groups_one_by_one() -> None:
    raise ValueError(
        "average=None gives one row for each class. With groups, leave average out and call "
        "per_group() on the result, which has one row for each group."
    )
