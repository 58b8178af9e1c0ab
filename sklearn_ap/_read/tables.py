"""Tables: their columns by their roles, and what other packages ask of tables, columns and models.

The columns of a table in memory are handled like any other arrays. Any other table is read once, as
one table of Arrow. CONTRIBUTING.md explains how to add a kind of table.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from .._arrays.conversion import as_numbers, make_matrix_of_columns
from .._arrays.host import unwrap_native
from .._inputs.records import COMBINABLE_ROLES, Named, PositiveClass
from .._package.registry import load
from . import column_names, table_kinds

# The module and the function that read a table, by the library of its class.
_READERS = {
    "_duckdb": ("arrow", "read_duckdb"),
    "datasets": ("arrow", "read_hugging_face"),
    "duckdb": ("arrow", "read_duckdb"),
    "ibis": ("arrow", "read_ibis"),
    "pathlib": ("arrow", "read_arrow"),
    "polars": ("arrow", "read_polars"),
    "pyarrow": ("arrow", "read_arrow"),
    "pyspark": ("from_spark", "read_spark"),
}

Columns = Mapping[str, Any]  # of any library, by their roles


def read(data: Any, named: Named, positive: PositiveClass) -> Columns:
    """Read the columns of a table, and return them by their roles.

    `positive` tells which entry of vectors has the scores of Spark's models.
    """
    data = unwrap_native(data)
    table_kinds.check_is_table(data, column_names.list_distinct_names(named))
    reader = _find_reader(data)
    if reader is None:
        return read_memory(data, named)
    module, function = reader
    if module == "arrow":
        table_kinds.import_pyarrow(data)
    read_table = getattr(load(f"_read.{module}"), function)
    besides = (positive,) if module == "from_spark" else ()
    try:
        columns: Columns = read_table(data, named, *besides)
    except MemoryError as error:
        raise MemoryError(
            "data doesn't fit into memory. Store scores as float32, or pass a random sample of the "
            "rows, or of whole groups if there are any."
        ) from error
    return columns


def is_in_memory(data: Any) -> bool:
    data = unwrap_native(data)
    return _find_reader(data) is None or hasattr(type(data), "num_rows")


def _find_reader(data: Any) -> tuple[str, str] | None:
    """Return the module and the function that read a table; None for most that are in memory."""
    if hasattr(type(data), "get_column"):  # of polars; DataFrames of Spark have any attribute
        return None
    first = data[0] if isinstance(data, list | tuple) else data
    for kind in type(first).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in _READERS:
            return _READERS[library]
    return None


def read_memory(data: Any, named: Named) -> Columns:
    """Return the columns of a DataFrame, a mapping, or an object with Arrow's stream protocol."""
    if isinstance(data, Mapping):
        return pick_columns(list(data), named, data.__getitem__)
    if hasattr(data, "iloc"):
        index = column_names.list_index_names(data)
        return pick_columns(list(data.columns), named, data.__getitem__, index)
    if hasattr(data, "get_column"):
        return pick_columns(data.columns, named, data.get_column)
    if not hasattr(data, "__arrow_c_stream__"):
        table_kinds.refuse_data(data)
    pyarrow = table_kinds.import_pyarrow(data)
    with pyarrow.RecordBatchReader.from_stream(data) as reader:
        wanted = column_names.check_named_columns(reader.schema.names, named)
        schema = pyarrow.schema([reader.schema.field(name) for name in wanted])
        table = pyarrow.Table.from_batches([batch.select(wanted) for batch in reader], schema)
    return pick_columns(wanted, named, table.column)


def pick_columns(
    names: list[Any], named: Named, column: Callable[[str], Any], index: Collection[Any] = ()
) -> dict[str, Any]:
    """Return the columns by their roles. Several become a matrix, or a tuple of what they name.

    `names` are all columns of the table, of which `column` returns the one with a name, and `index`
    has the names of its index.
    """
    column_names.check_named_columns(names, named, index)
    return {role: _pick_by_role(role, name, column) for role, name in named.items()}


def _pick_by_role(role: str, name: Any, column: Callable[[str], Any]) -> Any:
    """Return the column with a role, or several: those of models, or a list of them."""
    if isinstance(name, str):
        return column(name)
    if isinstance(name, Mapping):
        return {model: _pick_by_role(role, own, column) for model, own in name.items()}
    if role in COMBINABLE_ROLES:
        return tuple(map(column, name))
    return make_matrix_of_columns([as_numbers(column(item)) for item in name])
