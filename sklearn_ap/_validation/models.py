"""Which models are evaluated or compared, and what they are called."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from .._intake import to_host
from .errors import about
from .parameters import shown


def read_models(caller: str, parameter: str, y_score: Any, has_data: bool) -> dict[str, Any]:
    """Return the prediction scores of each model, or the names of their columns.

    A single model that has no name is called "".
    """
    if isinstance(y_score, Mapping | list | tuple) and not y_score:
        raise ValueError(f"{caller} needs at least one model, but {parameter} is empty.")
    if isinstance(y_score, Mapping):
        return dict(y_score)
    if has_data and isinstance(y_score, str):
        return {column_name(y_score) or "": y_score}
    if are_names(y_score):
        return _columns(parameter, y_score, has_data)
    return {name_of(y_score) or "": y_score}


def read_models_of_tables(y_score: Any, tables: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the names of the columns of models, each of which has a table of its own."""
    models = y_score if isinstance(y_score, Mapping) else dict.fromkeys(tables, y_score)
    are_columns = all(isinstance(each, str | list) for each in models.values())
    if models.keys() != tables.keys() or not are_columns:
        raise ValueError(
            f"data is a mapping from models to tables, so y_score must be the name of a column in "
            f"all of them, or a mapping from {list(tables)} to names. Got {shown(y_score)} instead."
        )
    return {model: models[model] for model in tables}


def read_compared(
    y_true: Any, y_score_a: Any, y_score_b: Any, baseline: Any, columns: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the prediction scores of the models that are compared, by their names."""
    is_many = isinstance(y_score_a, Mapping)
    if is_many and y_score_b is not None:
        raise TypeError("With a mapping of models, y_score_b must be left out.")
    if not is_many and y_score_b is None:
        raise TypeError(
            "compare needs the prediction scores of a second model, a mapping from names to "
            "prediction scores, as compare(y_true, {'A': a, 'B': b}), or with data, a list of "
            "columns."
        )
    if not is_many and baseline is not None:
        raise TypeError("baseline needs a mapping of models, as compare(y_true, {'A': a, 'B': b}).")
    if is_many:
        models = read_models("compare", "y_score_a", y_score_a, has_data=False)
    else:
        scores = {"y_score_a": y_score_a, "y_score_b": y_score_b}
        own = [
            name if isinstance(name := columns.get(role), str) else name_of(each)
            for role, each in scores.items()
        ]
        models = dict(zip(name_two(own, [*scores]), scores.values(), strict=True))
    if len(models) < 2:
        raise ValueError(f"compare needs at least two models. Got {list(models)} instead.")
    check_baseline(models, baseline)
    _check_order(y_true, y_score_b)
    one, *others = dict.fromkeys(np.shape(to_host(y_score)) for y_score in models.values())
    if others:
        with about("y_score_a", "y_score_b"):
            raise ValueError(
                "y_score_a and y_score_b must be prediction scores of the same samples, in the "
                f"same order. Their shapes are {one} and {others[0]}."
            )
    return models


def name_two(own: Sequence[Any], roles: Sequence[str]) -> Sequence[Any]:
    """Return two different names: their own, or the letters A and B.

    A letter must not stand for the wrong one of two models that are called like letters.
    """
    are_letters = {"a", "b"} & {str(name).lower() for name in own}
    short = roles if are_letters else ("A", "B")
    if own[0] == own[1]:
        return short
    return [s if o is None else o for o, s in zip(own, short, strict=True)]


@about("y_true")
def _check_order(y_true: Any, y_score_b: Any) -> None:
    """Check that the labels come first if three columns are passed."""
    labels, scores = np.asarray(to_host(y_true)), np.asarray(to_host(y_score_b))
    if labels.dtype.kind == "f" and labels.ndim == 1 and labels.size == scores.size:
        is_continuous = bool((labels % 1 != 0).any())
        if is_continuous and (scores.dtype.kind in "bOUS" or np.unique(scores).size <= 2):
            raise ValueError(
                "y_true contains continuous values, and y_score_b looks like labels. Pass the "
                "labels first, as compare(y_true, y_score_a, y_score_b)."
            )


def check_baseline(models: Any, baseline: Any) -> None:
    if baseline is not None and baseline not in models:
        by_text = {str(model): model for model in models}
        near = get_close_matches(str(baseline), by_text, 1)
        meant = f" Did you mean {by_text[near[0]]!r}?" if near else ""
        raise ValueError(f"baseline={baseline!r} is not one of the models {list(models)}.{meant}")


def are_names(y_score: Any) -> bool:
    """Whether this is a list of names of columns."""
    is_list = isinstance(y_score, list | tuple)
    return is_list and all(isinstance(name, str) for name in y_score)


def are_models(y_score: Any, has_data: bool) -> bool:
    """Whether this is a mapping of models, or with data, a list of their columns."""
    return isinstance(y_score, Mapping) or (has_data and are_names(y_score))


def _columns(parameter: str, names: Any, has_data: bool) -> dict[str, Any]:
    if not has_data:
        raise TypeError(
            f"{parameter}={shown(names)} names columns. Pass their table as data, or to use "
            "arrays, pass a mapping from names of models to prediction scores."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"{parameter}={shown(names)} names a column twice. Pass each column once.")
    return {name: name for name in names}


class OwnColumn(str):
    """The column of prediction scores of a table that knows it, so that it doesn't name a model."""

    __slots__ = ()


def column_name(column: Any) -> str | None:
    """Return the name of a column that the caller named, which names the model."""
    return column if isinstance(column, str) and not isinstance(column, OwnColumn) else None


def name_of(y_score: Any) -> str | None:
    name = getattr(y_score, "name", None)
    return name if isinstance(name, str) and name else None
