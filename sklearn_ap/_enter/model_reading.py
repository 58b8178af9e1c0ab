"""Rows and samples of one model, or of several."""

from collections.abc import Iterator, Mapping
from typing import Any

from .._inputs.records import Inputs
from .._read.models import are_models, read_models
from .._read.samples import Sample, pair_tables, read_sample
from .._read.table_kinds import are_tables
from .._words.refusals import name_model_in_errors
from ..core.rules import Rule
from .entry import ModelReading, make_reading, read_inputs, read_rows


def read_rows_of_models(unread: Inputs) -> Iterator[ModelReading]:
    """Read the data of one model, or of several in a mapping, as `read_rows` does, for a block for
    each model, which is the `model` of its inputs.

    All models of a table are read at once, and those of several tables one after another.
    """
    if not isinstance(unread.y_score, Mapping):
        return iter([read_rows(unread)])
    if are_tables(unread.data):
        return _rows_of_tables(unread)
    return _rows_of_one_table(unread, unread.y_score)


def _rows_of_tables(unread: Inputs) -> Iterator[ModelReading]:
    models = unread.y_score
    for model, y_score in models.items():
        own = unread._replace(y_score=y_score, model=model, data=unread.data[model])
        naming = name_model_in_errors(model, models, has_table=True)
        with naming:
            inputs = read_inputs(own)
        yield make_reading(inputs, naming)


def _rows_of_one_table(unread: Inputs, names: Mapping[Any, Any]) -> Iterator[ModelReading]:
    """Read the columns of all models, whose `names` errors use. What they share, such as labels,
    is read for the first model only, see `Inputs.of_first`.
    """
    inputs = read_inputs(unread)._replace(of_first={})
    for model, y_score in inputs.y_score.items():
        naming = name_model_in_errors(model, names)
        yield make_reading(inputs.select_model(model, y_score), naming)


def with_models(unread: Inputs) -> Inputs:
    """Put a mapping of models in the place of prediction scores, if the caller passed one, or with
    data, a list of their columns.
    """
    if not are_models(unread.y_score, unread.data is not None):
        return unread
    models = read_models(unread.caller, "y_score", unread.y_score, unread.data)
    return unread._replace(y_score=models)


def read_samples(rule: Rule, unread: Inputs) -> dict[Any, Sample]:
    """Return the samples of all models, whose rows are read for this metric."""
    samples: dict[Any, Sample] = {}
    for reading in read_rows_of_models(unread):
        with reading as inputs:
            samples[inputs.model] = read_sample(rule, inputs)._replace(model=inputs.model)
    if are_tables(unread.data):
        samples = pair_tables(samples)
    return samples
