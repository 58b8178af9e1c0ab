"""What a report is asked for: models and metrics, each under a name of its own."""

from collections.abc import Mapping
from typing import Any

from .parameters import InvalidParameterError, is_mapping, shown


def check_reported_models(y_score: Any, has_data: bool) -> dict[str, Any]:
    """The prediction scores of each model, or the names of their columns."""
    if isinstance(y_score, Mapping):
        if not y_score:
            raise ValueError("report needs at least one model, but y_score is an empty mapping.")
        return dict(y_score)
    if has_data and isinstance(y_score, str):
        return {y_score: y_score}
    if isinstance(y_score, list | tuple) and all(isinstance(name, str) for name in y_score):
        return _columns(y_score, has_data)
    name = None if is_mapping(y_score) and not hasattr(y_score, "iloc") else _name_of(y_score)
    return {name or "model": y_score}


def _columns(names: Any, has_data: bool) -> dict[str, Any]:
    if not names:
        raise ValueError("report needs at least one model, but y_score is empty.")
    if not has_data:
        raise TypeError(
            f"y_score={shown(names)} names columns: pass their table as data. To pass arrays, use "
            "a mapping from names of models to prediction scores."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"y_score={shown(names)} names a column twice.")
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
                "from names of your own to metrics."
            )


def check_has_groups(group: Any) -> None:
    if group is None:
        raise ValueError("per_group needs groups: pass groups= to report.")


def refuse_groups_one_by_one() -> None:
    raise ValueError(
        "average=None gives one row for each class. With groups, leave average out and call "
        "per_group() on the result: it has one row for each group."
    )
