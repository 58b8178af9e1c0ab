"""Reader for tables in memory, whose columns are returned unchanged."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from .._intake import decimals, library_of, numbers, side_by_side
from .._validation.tables import (
    check_named_columns,
    check_no_strings,
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
    return {role: _pick_one(role, name, column) for role, name in named.items()}


def _pick_one(role: str, name: Any, column: Callable[[str], Any]) -> Any:
    if isinstance(name, str):
        return _column(role, name, column(name))
    if isinstance(name, Mapping):
        return {model: _pick_one(role, each, column) for model, each in name.items()}
    return side_by_side([numbers(column(each)) for each in name])


def _column(role: str, name: str, column: Any) -> Any:
    """Return a column. Decimal labels become floats, because decimals are not
    accepted as labels.
    """
    dtype = str(getattr(column, "type", None) or getattr(column, "dtype", "")).lower()
    check_no_strings(role, name, dtype)
    if role != "y_true" or not (dtype.startswith("decimal") or _are_decimals(column, dtype)):
        return column
    if hasattr(column, "map_partitions"):  # a series of Dask
        return column.map_partitions(_nearest_floats, meta=(column.name, np.float64))
    return _nearest_floats(column)


def _are_decimals(column: Any, dtype: str) -> bool:
    """Whether this is a column of Python's decimals, as pandas stores them."""
    if dtype != "object" or library_of(column) != "pandas" or not len(column):
        return False
    return type(column.iloc[0]) is Decimal and {Decimal} == set(map(type, column))


def _nearest_floats(column: Any) -> Any:
    found = decimals(column)
    return found.to_floats() if found else np.asarray(column).astype(float)
