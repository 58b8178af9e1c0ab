"""Reader for tables in memory, whose columns are returned unchanged."""

from collections.abc import Callable, Mapping
from typing import Any

from .._intake import numbers, side_by_side
from .._validation.tables import (
    check_named_columns,
    import_pyarrow,
    refuse_data,
    unique,
)

Columns = dict[str, Any]


def read(data: Any, named: Mapping[str, Any]) -> Columns:
    """Return the columns of a DataFrame, a mapping, or an object with Arrow's stream protocol."""
    if isinstance(data, Mapping):
        return pick(list(data), named, data.__getitem__)
    if hasattr(data, "iloc"):
        return pick(list(data.columns), named, data.__getitem__)
    if not hasattr(data, "__arrow_c_stream__"):
        refuse_data(data)
    pyarrow = import_pyarrow(data)
    with pyarrow.RecordBatchReader.from_stream(data) as reader:
        check_named_columns(reader.schema.names, named)
        wanted = unique(named)
        schema = pyarrow.schema([reader.schema.field(name) for name in wanted])
        table = pyarrow.Table.from_batches([batch.select(wanted) for batch in reader], schema)
    return pick(wanted, named, table.column)


def pick(names: list[Any], named: Mapping[str, Any], column: Callable[[str], Any]) -> Columns:
    """Return the columns by their roles. Several columns become a matrix."""
    check_named_columns(names, named)
    return {role: _pick_one(name, column) for role, name in named.items()}


def _pick_one(name: Any, column: Callable[[str], Any]) -> Any:
    if isinstance(name, str):
        return column(name)
    if isinstance(name, Mapping):
        return {model: _pick_one(each, column) for model, each in name.items()}
    return side_by_side([numbers(column(each)) for each in name])
