"""Reader for PyArrow's tables, datasets and readers, and for paths to Parquet files."""

import re
from collections.abc import Collection, Container, Generator, Mapping, Sequence
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from os import fspath
from os.path import exists
from typing import Any, NoReturn
from weakref import WeakSet

from .._inputs import Engine
from .._intake import Decimals
from .._validation.tables import (
    are_paths,
    check_named_columns,
    glob_of,
    import_pyarrow,
    names_in,
    read_lazy_columns,
    unique,
)
from .batches import BATCH, Batches
from .eager import pick
from .eager import read as read_stream

_CODE = 2  # bytes per row of a column whose strings are few and repeated

# Readers that were read, perhaps not to the end. Closing them is not enough, because those that
# have their batches from Python would still return the rest.
_begun = WeakSet[Any]()


def read(data: Any, named: Mapping[str, Any]) -> Mapping[str, Any] | Engine:
    if are_paths(data):
        return _of_datasets(_open_parquet(data, named), named)
    if hasattr(data, "column_names"):  # a Table or a RecordBatch
        return pick(data.schema.names, named, data.column)
    if hasattr(data, "get_fragments"):
        return _of_datasets([data], named)
    if not hasattr(data, "read_next_batch"):
        return read_stream(data, named)
    columns = read_lazy_columns(data, data.schema.names, named)
    wanted = unique(columns)

    def scan() -> Generator[Any]:
        if data in _begun:
            raise ValueError(
                "data can be read only once, and an earlier call has read it, or is still reading "
                "it. Create it again, so that no rows are missing."
            )
        _begun.add(data)
        try:
            yield from (batch.select(wanted) for batch in data)
        except BaseException:
            data.close()
            raise

    return Batches(columns, scan, reads_again=False)


def _of_datasets(datasets: list[Any], named: Mapping[str, Any]) -> Engine:
    columns = read_lazy_columns(datasets[0], datasets[0].schema.names, named)
    # Read one batch at a time, because PyArrow's threads would read ahead while a batch is counted,
    # and accumulate much of a file in memory.
    options = {"batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 0}
    wanted = unique(columns)

    def scan() -> Generator[Any]:
        for data in datasets:
            batches = data.to_batches(columns=wanted, use_threads=False, **options)
            yield from (_with_floats(batch, mixed) for batch in batches) if mixed else batches

    # If all files have decimals or integers, _open_parquet has brought them to a common type.
    kinds = {name: {data.schema.field(name).type for data in datasets} for name in wanted}
    mixed = {name for name, each in kinds.items() if len(each) > 1}
    return Batches(columns, scan)


def _with_floats(batch: Any, names: Container[str]) -> Any:
    """Replace decimals by the nearest floats in columns that have floats in other files."""
    import pyarrow as pa

    columns = [
        pa.array(Decimals.of_arrow(column).to_floats())
        if name in names and pa.types.is_decimal(column.type) and not column.null_count
        else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


# --- Parquet files --------------------------------------------------------------------------------


def _open_parquet(data: Any, named: Mapping[str, Any]) -> list[Any]:
    """Open Parquet files, or a folder that contains them, as datasets.

    The files of one dataset have the same types. PyArrow would cast all files to the types of the
    first one.
    """
    dataset = import_pyarrow(data, "pyarrow.dataset")
    paths = [fspath(path) for path in (data if isinstance(data, list | tuple) else [data])]
    # Pre-buffering whole row groups would need twice the memory, and is slower on local disks.
    options = dataset.ParquetFragmentScanOptions(pre_buffer=False)

    def open_files(**given: Any) -> tuple[Any, list[Any]]:
        parquet = dataset.ParquetFileFormat(default_fragment_scan_options=options, **given)
        source = paths if len(paths) > 1 else paths[0]
        found = dataset.dataset(source, import_pyarrow(data).schema([]), format=parquet)
        return found, list(found.get_fragments())

    try:
        found, files = open_files()
        if coded := _of_few_strings(files, named):
            reading = dataset.ParquetReadOptions(dictionary_columns=coded)
            found, files = open_files(read_options=reading)
        # Empty files are left out, because they may lack columns, or the types of columns.
        files = [file for file in files if file.metadata.num_rows] or files[:1]
        schemas = [file.physical_schema for file in files]
    except FileNotFoundError:
        _refuse_paths([path for path in paths if not exists(path)] or paths)
    except IsADirectoryError:
        raise ValueError(
            "A list of paths must contain files only. To read a folder, pass its path alone."
        ) from None
    except ValueError as error:  # Arrow's errors are ValueErrors
        raise ValueError(
            f"data must be Parquet files, but {paths[0]!r} cannot be read as one: {error}"
        ) from None
    if not files:
        raise ValueError(
            f"data must be Parquet files, but there are none in {paths[0]!r}. Files whose names "
            "start with '.' or '_' are left out."
        )
    chosen = _choose(
        named, {file.path: schema for file, schema in zip(files, schemas, strict=True)}
    )
    return [
        type(found)([file for file, _ in same], schema, found.format, found.filesystem)
        for schema, same in groupby(zip(files, chosen, strict=True), key=itemgetter(1))
    ]


def _refuse_paths(missing: Sequence[str]) -> NoReturn:
    matching = glob_of(missing[0])
    raise FileNotFoundError(
        f"No such file or folder: {', '.join(map(repr, missing))}."
        f"{f' For all files that match, pass {matching}.' if matching else ''}"
    ) from None


def _of_few_strings(files: Sequence[Any], named: Mapping[str, Any]) -> list[str]:
    """Return the columns of labels and groups that are few strings, by the size of the first file.

    They are read as codes. Arrow would otherwise decode a whole row group of strings at once, which
    takes hundreds of times the memory of the file if they are long, and up to ten times as long.
    """
    roles = ("y_true", "groups", "clusters")
    names = {name for role in roles if role in named for name in names_in(named[role])}
    first = next((file.metadata for file in files if file.metadata.num_rows), None)
    if first is None:
        return []
    places = range(first.num_columns)
    columns = zip(
        map(first.schema.column, places), map(first.row_group(0).column, places), strict=True
    )
    return [
        column.name
        for column, stored in columns
        if column.path in names
        and column.logical_type.type == "STRING"
        and stored.total_uncompressed_size < _CODE * stored.num_values
    ]


_NUMBER = r"bool|u?int\d+|(?:half)?float|double|decimal\d*\(.*\)"
_TEXT = r"(dictionary<values=)?(large_)?string(_view)?(,.*>)?"
_EXACT = r"u?int\d+|decimal\d*\(.*\)"


def _choose(named: Mapping[str, Any], schemas: Mapping[str, Any]) -> list[Any]:
    """Return the schema of the named columns in each file, with times in a common unit."""
    pyarrow = import_module("pyarrow")
    for path, schema in schemas.items():
        try:
            check_named_columns(schema.names, named)
        except ValueError as error:
            raise ValueError(f"{error} This is the file {path!r}.") from None
    wanted = dict.fromkeys(name for names in named.values() for name in names_in(names))
    common = {
        name: _common(name, {s.field(name).type for s in schemas.values()}) for name in wanted
    }
    return [
        pyarrow.schema([(name, common[name] or schema.field(name).type) for name in wanted])
        for schema in schemas.values()
    ]


def _common(name: str, types: Collection[Any]) -> Any:
    """Return the type to read a column with from all files. It is None for numbers or strings of
    several types, which are read as they are, but for decimals, whose scales have to be the same.
    """
    scales = [each.scale for each in types if hasattr(each, "scale")]
    if scales and len(types) > 1 and all(re.fullmatch(_EXACT, str(each)) for each in types):
        return import_module("pyarrow").decimal256(76, max(0, *scales))
    for pattern in (_NUMBER, _TEXT):
        if len(types) > 1 and all(re.fullmatch(pattern, str(each)) for each in types):
            return None
    pyarrow = import_module("pyarrow")
    schemas = [pyarrow.schema([(name, type_)]) for type_ in types]
    try:
        return pyarrow.unify_schemas(schemas, promote_options="permissive").field(name).type
    except (TypeError, ValueError):
        coded = r"dictionary<values=(\w+),.*"
        listed = ", ".join(sorted(re.sub(coded, r"\1", str(each)) for each in types))
        raise TypeError(
            f"The column {name!r} has incompatible types in these files: {listed}."
        ) from None
