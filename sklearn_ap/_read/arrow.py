"""What isn't in memory becomes one table of Arrow, which has only the columns that are named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import date
from os import fspath
from os.path import exists, isdir, realpath
from typing import Any, NoReturn
from urllib.parse import unquote
from weakref import WeakSet

import pyarrow as pa
from pyarrow import dataset

from .._inputs.records import Named
from .._words.parameters import format_list
from . import tables
from .tables import Columns, pick_columns, read_memory

Types = dict[str, pa.DataType]  # of columns, by their names

# Readers that were read. A reader that was read to its end would look like an empty table.
_CONSUMED_READERS = WeakSet[pa.RecordBatchReader]()


def read_arrow(data: Any, named: Named) -> Columns:
    """Read a table, files, a dataset or a reader of Arrow."""
    if tables.are_paths(data):
        data = _open_parquet(data, named)
    if hasattr(data, "read_next_batch"):
        _check_not_read(data)
    if not hasattr(data, "get_fragments"):
        return read_memory(data, named)
    wanted = tables.check_named_columns(data.schema.names, named)
    _check_casts(data, wanted)
    return _convert_table(_read_table(data, wanted), named)


def _read_table(data: dataset.Dataset, wanted: list[str]) -> pa.Table:
    try:
        # PyArrow's threads would read ahead, and accumulate much of a file in memory.
        table = data.to_table(columns=wanted, use_threads=False, batch_readahead=1)
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"data cannot be read: {error}. If some files have a column as numbers of another "
            "type, write it with one type."
        ) from None
    return _with_category_order(table)


def _convert_table(table: pa.Table, named: Named) -> Columns:
    """Return the columns by their roles. Chunks of numbers are joined here, one column after the
    other, because each of them would otherwise be copied beside the table.
    """
    columns: dict[str, Any] = {}
    for name in table.column_names:
        column = table.column(name)
        table = table.drop_columns([name])
        columns[name] = _as_array(column, is_label=name == named.get("y_true"))
        del column
    pa.default_memory_pool().release_unused()
    return pick_columns([*columns], named, columns.__getitem__)


def _as_array(column: pa.ChunkedArray, is_label: bool) -> Any:
    """Return a column of numbers as one array, with labels in one byte if they fit; any other
    column as it is.
    """
    is_integer = pa.types.is_integer(column.type)
    if column.null_count or not (is_integer or pa.types.is_floating(column.type)):
        return column
    if is_label and is_integer:
        with suppress(pa.ArrowInvalid):
            column = column.cast(pa.int8())
    return column.to_numpy()


def _check_not_read(reader: pa.RecordBatchReader) -> None:
    if reader in _CONSUMED_READERS:
        raise ValueError(
            "data can be read only once, and an earlier call has read it, or a metric with columns "
            "of its own would read it again. Create it again, so that no rows are missing, or pass "
            "data=reader.read_all()."
        )
    _CONSUMED_READERS.add(reader)


def _check_casts(data: dataset.Dataset, wanted: Sequence[str]) -> None:
    """Refuse files of a dataset whose values would be rounded to the type that the dataset has."""
    for fragment in data.get_fragments():
        in_file = fragment.physical_schema
        for name in {*wanted} & {*in_file.names}:
            types = data.schema.field(name).type, in_file.field(name).type
            if _find_common_type(types) != types[0]:
                _refuse_types(name, types)


def _with_category_order(table: pa.Table) -> pa.Table:
    """Return the table with the order of pandas' categories, which counts even if it says nothing,
    as Arrow has it for Enums of polars.
    """
    described = json.loads((table.schema.metadata or {}).get(b"pandas", "{}")).get("columns", [])
    of_pandas = {column["name"] for column in described}
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if name in of_pandas and pa.types.is_dictionary(column.type):
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary, ordered=True)
                for chunk in column.chunks
            ]
            table = table.set_column(place, name, pa.chunked_array(chunks))
    return table


# --- Parquet files --------------------------------------------------------------------------------


def _open_parquet(data: Any, named: Named) -> dataset.Dataset:
    """Open Parquet files, or a folder that contains them, as a dataset whose types have all values
    of the columns that are named.

    PyArrow would cast all files to the types of the first one.
    """
    paths = _list_paths(data)
    files = _find_files(paths)
    of_folders = _find_folder_types(files)
    schemas = [_read_schema(file, of_folders) for file in files]
    _check_columns_in_files(paths, files, schemas, named)
    fields = []
    for name in tables.list_distinct_names(named):
        types = [schema.field(name).type for schema in schemas]
        fields.append((name, _find_common_type(types) or _refuse_types(name, types)))
    schema = pa.schema(fields, metadata=schemas[0].metadata)
    in_folders = [field for field in schema if field.name in of_folders]
    return dataset.dataset(
        [file.path for file in files],
        schema,
        files[0].format,
        files[0].filesystem,
        partitioning=dataset.partitioning(pa.schema(in_folders), flavor="hive"),
    )


def _list_paths(data: Any) -> list[str]:
    return [fspath(path) for path in (data if isinstance(data, list | tuple) else [data])]


def _find_files(paths: Sequence[str]) -> list[dataset.ParquetFileFragment]:
    """Open files, of which empty ones are left out, because they may lack columns, or the types of
    columns.
    """
    _check_exist(paths)
    # Pre-buffering whole row groups would need twice the memory, and is slower on local disks.
    options = dataset.ParquetFragmentScanOptions(pre_buffer=False)
    parquet = dataset.ParquetFileFormat(default_fragment_scan_options=options)
    source = paths if len(paths) > 1 else paths[0]
    try:
        files = [*dataset.dataset(source, pa.schema([]), parquet).get_fragments()]
        with_rows = [file for file in files if file.metadata.num_rows]
    except IsADirectoryError:
        words = "A list of paths must contain files only. To read a folder, pass its path alone."
        raise ValueError(words) from None
    except ValueError as error:  # Arrow's errors are ValueErrors, and name the file
        raise ValueError(
            "data must be Parquet files, or one folder that contains them, but "
            f"{format_list(paths, limit=3)} cannot be read as such: {error} Read files of other "
            "formats first, as by pandas.read_csv."
        ) from None
    if not files:
        raise ValueError(
            f"data must be Parquet files, but there are none in {paths[0]!r}. Files whose names "
            "start with '.' or '_' are left out."
        )
    return with_rows or files[:1]


def _check_exist(paths: Sequence[str]) -> None:
    """Check that all paths exist, and that none of them was passed twice."""
    path, n_times = Counter(map(realpath, paths)).most_common(1)[0]
    if n_times > 1:
        raise ValueError(f"data has the path {path!r} twice, so its rows would count twice.")
    if missing := [path for path in paths if not exists(path)]:
        matching = tables.format_glob(missing[0])
        raise FileNotFoundError(
            f"No such file or folder: {', '.join(map(repr, missing))}."
            f"{f' For all files that match, pass {matching}.' if matching else ''}"
        )


def _find_folder_types(files: Sequence[dataset.ParquetFileFragment]) -> Types:
    """Return the columns in the names of folders, as in day=2026-06-01/country=FR (Hive's style).

    Values become integers, decimals or dates if all are written as Python writes them. Others are
    ids such as 007, which stay strings. As in Polars, DuckDB and Spark, these columns take the
    place of columns of that name in the files.
    """
    texts: dict[str, set[str]] = {}
    for file in files:
        for folder in file.path.split("/")[:-1]:
            name, equals, value = folder.partition("=")
            if equals:
                texts.setdefault(unquote(name), set()).add(unquote(value))
    return {name: _find_folder_type(values - {_HIVE_NULL}) for name, values in texts.items()}


def _find_folder_type(texts: set[str]) -> pa.DataType:
    """Return the first type of `_HIVE_TYPES` whose values are all written like these texts."""
    for kind, read in _HIVE_TYPES.items():
        with suppress(ValueError):  # such as the 31st of June, or an integer of 65 bits
            if texts and all(str(read(text)) == text and text[-1].isdigit() for text in texts):
                pa.array([*texts]).cast(kind)
                return kind
    return pa.string()


_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_HIVE_TYPES: dict[pa.DataType, Callable[[str], object]] = {
    pa.int64(): int,
    pa.float64(): float,
    pa.date32(): date.fromisoformat,
}


def _read_schema(file: dataset.ParquetFileFragment, of_folders: Types) -> pa.Schema:
    """Return the columns of a file, two of which can have the same name, and of its folders."""
    schema = file.physical_schema
    folders = file.path.split("/")[:-1]
    named = [unquote(folder.partition("=")[0]) for folder in folders if "=" in folder]
    fields = [field for field in schema if field.name not in named]
    for name in dict.fromkeys(named):
        fields.append(pa.field(name, of_folders[name]))
    return pa.schema(fields, metadata=schema.metadata)


def _check_columns_in_files(
    paths: Sequence[str],
    files: Sequence[dataset.ParquetFileFragment],
    schemas: Sequence[pa.Schema],
    named: Named,
) -> None:
    """Check that each file, with the names of its folders, has all named columns."""
    for file, schema in zip(files, schemas, strict=True):
        try:
            tables.check_named_columns(schema.names, named)
        except ValueError as error:
            where = f"the file {file.path!r}"
            if isdir(paths[0]) and all(other.names == schema.names for other in schemas):
                where = f"the folder {paths[0]!r}"
            raise ValueError(f"{error} This is {where}.") from None


def _find_common_type(types: Collection[pa.DataType]) -> pa.DataType | None:
    """Return a type that has all values of these types, or in which Arrow refuses the others."""
    distinct = {*types} - {pa.null()}
    are_decimal = {pa.types.is_decimal(kind) for kind in distinct}
    if len(are_decimal) > 1:  # which would be rounded
        return None
    schemas = [pa.schema([("", kind)]) for kind in (*distinct, pa.null())]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowTypeError:
        return None


def _refuse_types(name: str, types: Collection[pa.DataType]) -> NoReturn:
    raise TypeError(
        f"The column {name!r} has incompatible types in these files: "
        f"{', '.join(sorted({*map(str, types)} - {'null'}))}. Cast it to one type, as DuckDB does "
        "in data=duckdb.read_parquet(pyarrow.dataset.dataset(data).files, union_by_name=True, "
        "hive_partitioning=True)."
    )


def list_columns_in_files(data: Any) -> list[str]:
    """Return the names of the columns of Parquet files, and of those in the names of folders."""
    files = _find_files(_list_paths(data))
    return [field.name for field in _read_schema(files[0], _find_folder_types(files))]


# --- queries -------------------------------------------------------------------------------------


def read_polars(data: Any, named: Named) -> Columns:
    """Run the query of a LazyFrame."""
    import polars

    names = data.collect_schema().names()
    wanted = tables.check_named_columns(names, named)
    # By their places, because polars expands names such as "*" and "^score.*$" to several columns.
    return read_memory(data.select(polars.nth(*map(names.index, wanted))).collect(), named)


def read_duckdb(data: Any, named: Named) -> Columns:
    """Run the query of a relation."""
    names = tables.check_named_columns(data.columns, named)
    # By their places, because DuckDB's names are not case-sensitive.
    places = [data.columns.index(name) + 1 for name in names]
    table = data.project(", ".join(f"#{place} AS c{place}" for place in places)).to_arrow_table()
    return _convert_table(table.rename_columns(names), named)


def read_ibis(data: Any, named: Named) -> Columns:
    """Run the query of a table."""
    names = tables.check_named_columns(data.columns, named)
    return _convert_table(data.select(names).to_pyarrow(), named)


def read_hugging_face(data: Any, named: Named) -> Columns:
    """Read a Dataset of Hugging Face, whose rows can be a selection of those of its table."""
    if not hasattr(data, "num_rows"):
        tables.refuse_data(data)
    wanted = tables.check_named_columns(data.column_names, named)
    return read_memory(data.select_columns(wanted).with_format("arrow")[:], named)
