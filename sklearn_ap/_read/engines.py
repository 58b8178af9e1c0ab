"""Readers of tables: the columns of those in memory, and engines for all others.

The columns of a table in memory are handled like any other arrays. Any other table becomes an
engine, which reads the data in chunks and knows nothing about metrics. CONTRIBUTING.md
explains how to add one.
"""

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any

from .._words.arrays import as_numbers, has, native, side_by_side
from .._words.engine import Engine, Named
from .._words.inputs import COMBINED
from .._words.parameters import is_collection
from . import tables

# The module and the function that read a table, by the library of its class.
_READERS = {
    "_duckdb": ("arrow", "read_duckdb"),
    "dask": ("dask", "read_dask"),
    "dask_expr": ("dask", "read_dask"),
    "datasets": ("arrow", "read_hugging_face"),
    "duckdb": ("arrow", "read_duckdb"),
    "ibis": ("arrow", "read_ibis"),
    "pathlib": ("arrow", "read_arrow"),
    "polars": ("arrow", "read_polars"),
    "pyarrow": ("arrow", "read_arrow"),
    "pyspark": ("spark_engine", "read_spark"),
}

Columns = Mapping[str, Any]  # of any library, by their roles


def read(data: Any, named: Named, whole: bool = False) -> Columns | Engine:
    """Return the columns of a table in memory by their roles, or an engine for any other data.

    With `whole`, the columns of any other data are read into memory.
    """
    data = native(data)
    tables.check_is_table(data)
    if whole and is_collection(data):
        tables.check_named_columns(list(data.columns), named)
        data = data[tables.unique(named)].compute()
    reader = _reader_of(data)
    if reader is None:
        return read_memory(data, named)
    module, function = reader
    if module == "arrow":
        tables.import_pyarrow(data)
    read_table = getattr(import_module(f"{__package__}.{module}"), function)
    source: Columns | Engine = read_table(data, named)
    return source.collected() if whole and isinstance(source, Engine) else source


def reads_again(data: Any) -> bool:
    """Whether a table is not in memory, and can be read as often as is needed."""
    data = native(data)
    is_once = any(has(type(data), name) for name in ("num_rows", "read_next_batch"))
    return not is_once and _reader_of(data) is not None


def _reader_of(data: Any) -> tuple[str, str] | None:
    """Return the module and the function that read a table; None for most that are in memory."""
    if hasattr(data, "get_column"):
        return None
    first = data[0] if isinstance(data, list | tuple) else data
    libraries = [kind.__module__.partition(".")[0] for kind in type(first).__mro__]
    return next((_READERS[library] for library in libraries if library in _READERS), None)


def read_memory(data: Any, named: Named) -> Columns:
    """Return the columns of a DataFrame, a mapping, or an object with Arrow's stream protocol."""
    if isinstance(data, Mapping):
        return pick(list(data), named, data.__getitem__)
    if hasattr(data, "iloc"):
        return pick(list(data.columns), named, data.__getitem__, tables.names_of_index(data))
    if hasattr(data, "get_column"):
        return pick(data.columns, named, data.get_column)
    if not hasattr(data, "__arrow_c_stream__"):
        tables.refuse_data(data)
    pyarrow = tables.import_pyarrow(data)
    with pyarrow.RecordBatchReader.from_stream(data) as reader:
        tables.check_named_columns(reader.schema.names, named)
        wanted = tables.unique(named)
        schema = pyarrow.schema([reader.schema.field(name) for name in wanted])
        table = pyarrow.Table.from_batches([batch.select(wanted) for batch in reader], schema)
    return pick(wanted, named, table.column)


def pick(
    names: list[Any],
    named: Named,
    column: Callable[[str], Any],
    index: Collection[Any] = (),
) -> Columns:
    """Return the columns by their roles. Several become a matrix, or a tuple of what they name.

    `names` are all columns of the table, of which `column` returns the one with a name, and `index`
    has the names of its index.
    """
    tables.check_named_columns(names, named, index)
    return {role: _pick_one(role, name, column) for role, name in named.items()}


def _pick_one(role: str, name: Any, column: Callable[[str], Any]) -> Any:
    """Return the column, or the columns, with one role."""
    if isinstance(name, str):
        return column(name)
    if isinstance(name, Mapping):
        return {model: _pick_one(role, of_model, column) for model, of_model in name.items()}
    if role in COMBINED:
        return tuple(map(column, name))
    return side_by_side([as_numbers(column(item)) for item in name])
