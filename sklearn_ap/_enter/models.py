"""The models that are evaluated or compared: their names, and their rows or samples."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from difflib import get_close_matches
from typing import Any

import numpy as np

from .._arrays.host import to_host
from .._inputs.records import Inputs
from .._read.model_rows import ModelRows, pair_tables, read_model_rows
from .._read.tables import (
    ReaderColumns,
    are_names,
    are_tables,
    get_column_name,
    get_series_name,
    refuse_tables,
)
from .._words.parameters import check_read_columns, format_value
from .._words.refusals import ErrorContext, Refusal, attribute_errors, name_model_in_errors
from ..core.memo import Memo
from ..core.rules import Rule
from .entry import name_inputs_in_errors, read_inputs, read_rows


def read_models(caller: str, parameter: str, y_score: Any, data: Any) -> dict[Any, Any]:
    """Return the prediction scores of each model, or the names of their columns.

    A single model that has no name is called "". Each model can have a table of a reader.
    """
    if are_tables(data):
        return _read_models_of_tables(y_score, data)
    has_data = data is not None
    if isinstance(y_score, Mapping | list | tuple) and not y_score:
        raise ValueError(f"{caller} needs at least one model, but {parameter} is empty.")
    if isinstance(y_score, Mapping):
        return dict(y_score)
    if has_data and isinstance(y_score, str):
        return {get_column_name(y_score) or "": y_score}
    if are_names(y_score):
        return _pair_models_with_columns(parameter, y_score, has_data)
    return {get_series_name(y_score) or "": y_score}


def _read_models_of_tables(y_score: Any, tables: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the name of the column of scores in the table of each model."""
    if not all(isinstance(table, ReaderColumns) for table in tables.values()):
        refuse_tables()
    models = y_score if isinstance(y_score, Mapping) else dict.fromkeys(tables, y_score)
    if models.keys() != tables.keys() or not all(isinstance(name, str) for name in models.values()):
        raise ValueError(
            f"The tables name their scores. Leave out y_score={format_value(y_score)}."
        )
    return {model: models[model] for model in tables}


def read_compared(
    y_score_a: Any, y_score_b: Any, baseline: Any, data: Any
) -> tuple[dict[Any, Any], bool]:
    """Return the models that are compared by their names, and whether a table is to show them.

    y_score_b is None, and the result is a table, if y_score_a or `data` has all models. A baseline
    needs such a table, too.
    """
    is_list = are_names(y_score_a) and y_score_b is None
    is_many = is_list or isinstance(y_score_a, Mapping) or are_tables(data)
    if is_many and y_score_b is not None:
        raise TypeError("With a mapping of models or tables, y_score_b must be left out.")
    if not is_many and y_score_b is None:
        raise TypeError(
            "compare needs the prediction scores of a second model, a mapping from names to "
            "prediction scores, as compare(y_true, {'A': a, 'B': b}), or with data, a list of "
            "columns."
        )
    if not is_many and baseline is not None:
        raise TypeError("baseline needs a mapping of models, as compare(y_true, {'A': a, 'B': b}).")
    if is_many:
        models = read_models("compare", "y_score_a", y_score_a, data)
    else:
        pair = [y_score_a, y_score_b]
        names = [scores if isinstance(scores, str) else get_series_name(scores) for scores in pair]
        models = dict(zip(name_pair(names, ["y_score_a", "y_score_b"]), pair, strict=True))
    if len(models) < 2:
        raise ValueError(f"compare needs at least two models. Got {list(models)} instead.")
    check_baseline(models, baseline)
    return models, is_many


def name_compared_in_errors(y_score_a: Any, y_score_b: Any) -> ErrorContext:
    """Call the columns of models in errors by the parameters of compare."""

    def tell(refusal: Refusal) -> None:
        for role, scores in (("y_score_a", y_score_a), ("y_score_b", y_score_b)):
            columns = scores.values() if isinstance(scores, Mapping) else [scores]
            for name in scores if are_names(scores) else columns:
                if isinstance(name, str) and refusal.subject == f"y_score={name!r}":
                    refusal.subject = f"{role}={name!r}"

    return ErrorContext(tell)


def name_pair(names: Sequence[Any], roles: Sequence[str]) -> Sequence[Any]:
    """Return two different names: their own, or the letters A and B where they are None or equal.

    A letter must not stand for the wrong one of two models that are called like letters, so `roles`
    then take their place.
    """
    are_letters = {"a", "b"} & {str(name).lower() for name in names}
    letters = roles if are_letters else ("A", "B")
    if names[0] == names[1]:
        return letters
    return [letters[place] if name is None else name for place, name in enumerate(names)]


@attribute_errors("y_true")
def check_argument_order(y_true: Any, y_score_b: Any) -> None:
    """Check that the labels come first if three columns are passed."""
    labels = np.asarray(to_host(y_true))
    if labels.dtype.kind != "f" or labels.ndim != 1:
        return
    scores = np.asarray(to_host(y_score_b))
    if labels.size == scores.size:
        is_continuous = bool((labels % 1 != 0).any())
        if is_continuous and (scores.dtype.kind in "bOUS" or np.unique(scores).size <= 2):
            raise ValueError(
                "y_true contains continuous values, and y_score_b looks like labels. Pass the "
                "labels first, as compare(y_true, y_score_a, y_score_b)."
            )


def check_baseline(models: Any, baseline: Any) -> None:
    """Check that a baseline is one of the models."""
    if baseline is not None and baseline not in models:
        by_text = {str(model): model for model in models}
        near = get_close_matches(str(baseline), by_text, 1)
        meant = f" Did you mean {by_text[near[0]]!r}?" if near else ""
        raise ValueError(f"baseline={baseline!r} is not one of the models {list(models)}.{meant}")


def are_models(y_score: Any, has_data: bool) -> bool:
    """Whether this is a mapping of models, or with data, a list of their columns."""
    return isinstance(y_score, Mapping) or (has_data and are_names(y_score))


def _pair_models_with_columns(parameter: str, names: Any, has_data: bool) -> dict[str, Any]:
    """Return the column of each model, which is called like it."""
    if not has_data:
        raise TypeError(
            f"{parameter}={format_value(names)} names columns. Pass their table as data, or to use "
            "arrays, pass a mapping from names of models to prediction scores."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"{parameter}={names} names a column twice. Pass each column once.")
    return dict(zip(names, names, strict=True))


def read_rows_of_models(unread: Inputs) -> Iterator[AbstractContextManager[Inputs]]:
    """Read the data of one model, or of several in a mapping, as `read_rows` does, for a block for
    each model, which is the `model` of its inputs.

    All models of a table are read at once, and those of several tables one after another.
    """
    if not isinstance(unread.y_score, Mapping):
        return iter([read_rows(unread)])
    if are_tables(unread.data):
        return _rows_of_tables(unread)
    return _rows_of_one_table(unread, unread.y_score)


def _rows_of_tables(unread: Inputs) -> Iterator[AbstractContextManager[Inputs]]:
    models = unread.y_score
    for model, y_score in models.items():
        own = unread._replace(y_score=y_score, model=model, data=unread.data[model])
        naming = name_model_in_errors(model, models, has_table=True)
        with naming:
            inputs = read_inputs(own)
            check_read_columns(inputs)
        yield name_inputs_in_errors(inputs, naming)


def _rows_of_one_table(
    unread: Inputs, names: Mapping[Any, Any]
) -> Iterator[AbstractContextManager[Inputs]]:
    """Read the columns of all models, whose `names` errors use. What they share, such as labels,
    is read for the first model only.
    """
    inputs = read_inputs(unread)
    inputs = inputs._replace(memo=inputs.memo or Memo())
    for model, y_score in inputs.y_score.items():
        naming = name_model_in_errors(model, names)
        of_model = inputs.select_model(model, y_score)
        with naming:
            check_read_columns(of_model)
        yield name_inputs_in_errors(of_model, naming)


def with_models(unread: Inputs) -> Inputs:
    """Put a mapping of models in the place of prediction scores, if the caller passed one, or with
    data, a list of their columns.
    """
    if not are_models(unread.y_score, unread.data is not None):
        return unread
    models = read_models(unread.caller, "y_score", unread.y_score, unread.data)
    return unread._replace(y_score=models)


def read_rows_by_model(rule: Rule, unread: Inputs) -> dict[Any, ModelRows]:
    """Return the rows of all models, as they are read for this metric."""
    rows_by_model: dict[Any, ModelRows] = {}
    for reading in read_rows_of_models(unread):
        with reading as inputs:
            rows_by_model[inputs.model] = read_model_rows(rule, inputs)._replace(model=inputs.model)
    if are_tables(unread.data):
        rows_by_model = pair_tables(rows_by_model)
    return rows_by_model
