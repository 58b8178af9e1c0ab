"""Reader for PyArrow's tables, datasets and readers, and for paths to Parquet files."""

import re
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from os import fspath
from os.path import exists
from typing import Any
from weakref import WeakSet

from .._inputs import Engine
from .._validation.tables import (
    are_paths,
    check_named_columns,
    glob_of,
    import_pyarrow,
    names_in,
    read_lazy_columns,
    unique,
)
from . import read_memory
from .batches import BATCH, Batches

_CODE = 2  # bytes per row of a column whose strings are few and repeated

# Readers that were read, perhaps not to the end. Closing them is not enough, because those that
# have their batches from Python would still return the rest.
_begun = WeakSet[Any]()


def read_arrow(data: Any, named: Mapping[str, Any]) -> Mapping[str, Any] | Engine:
    if are_paths(data):
        return _of_datasets(_open_parquet(data, named), named)
    if hasattr(data, "get_fragments"):
        return _of_datasets([data], named)
    if not hasattr(data, "read_next_batch"):
        return read_memory(data, named)
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
            yield from data.to_batches(columns=wanted, use_threads=False, **options)

    return Batches(columns, scan)


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
        files = list(found.get_fragments())
        # Empty files are left out, because they may lack columns, or the types of columns.
        return found, [file for file in files if file.metadata.num_rows] or files[:1]

    if missing := [path for path in paths if not exists(path)]:
        matching = glob_of(missing[0])
        raise FileNotFoundError(
            f"No such file or folder: {', '.join(map(repr, missing))}."
            f"{f' For all files that match, pass {matching}.' if matching else ''}"
        )
    try:
        found, files = open_files()
        if coded := _of_few_strings(files, named):
            reading = dataset.ParquetReadOptions(dictionary_columns=coded)
            found, files = open_files(read_options=reading)
    except IsADirectoryError:
        words = "A list of paths must contain files only. To read a folder, pass its path alone."
        raise ValueError(words) from None
    except ValueError as error:  # Arrow's errors are ValueErrors, and name the file
        raise ValueError(
            "data must be Parquet files, or one folder that contains them, but "
            f"{', '.join(map(repr, paths[:3]))} cannot be read as such: {error}"
        ) from None
    if not files:
        raise ValueError(
            f"data must be Parquet files, but there are none in {paths[0]!r}. Files whose names "
            "start with '.' or '_' are left out."
        )
    schemas = _schemas(files, named)
    return [
        type(found)([file for file, _ in same], schema, found.format, found.filesystem)
        for schema, same in groupby(zip(files, schemas, strict=True), key=itemgetter(1))
    ]


def _of_few_strings(files: Sequence[Any], named: Mapping[str, Any]) -> list[str]:
    """Return the columns of labels and groups that are few strings, by the size of the first file.

    They are read as codes. Arrow would otherwise decode a whole row group of strings at once, which
    takes hundreds of times the memory of the file if they are long, and up to ten times as long.
    """
    roles = ("y_true", "groups", "clusters")
    names = {name for role in roles for name in names_in(named.get(role, []))}
    if not files or not files[0].metadata.num_rows:
        return []
    first = files[0].metadata
    columns = [
        (first.schema.column(i), first.row_group(0).column(i)) for i in range(first.num_columns)
    ]
    return [
        column.name
        for column, stored in columns
        if column.path in names
        and column.logical_type.type == "STRING"
        and stored.total_uncompressed_size < _CODE * stored.num_values
    ]


def _schemas(files: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """Return the schema of the named columns in each file, with times in a common unit."""
    for file in files:
        try:
            check_named_columns(file.physical_schema.names, named)
        except ValueError as error:
            raise ValueError(f"{error} This is the file {file.path!r}.") from None
    pyarrow, names = import_module("pyarrow"), unique(named)
    each = [pyarrow.schema(map(file.physical_schema.field, names)) for file in files]
    common = {name: _common(name, {schema.field(name).type for schema in each}) for name in names}
    return [
        pyarrow.schema([(field.name, common[field.name] or field.type) for field in schema])
        for schema in each
    ]


# Types that are read as they are in each file, and those that need a common scale.
_AS_THEY_ARE = (
    r"bool|u?int\d+|(?:half)?float|double",
    r"(dictionary<values=)?(large_)?string(_view)?(,.*>)?",
)
_EXACT = r"u?int\d+|decimal\d*\(.*\)"


def _common(name: str, types: Collection[Any]) -> Any:
    """Return the type to read a column with from all files, or None for as it is in each."""
    if any(all(re.fullmatch(kind, str(each)) for each in types) for kind in _AS_THEY_ARE):
        return None
    pyarrow = import_module("pyarrow")
    if len(types) > 1 and all(re.fullmatch(_EXACT, str(each)) for each in types):
        return pyarrow.decimal256(76, max(getattr(each, "scale", 0) for each in types))
    schemas = [pyarrow.schema([(name, type_)]) for type_ in types]
    with suppress(TypeError, ValueError):
        found = pyarrow.unify_schemas(schemas, promote_options="permissive").field(name).type
        if not pyarrow.types.is_floating(found):  # as of decimals and floats, which Arrow rounds
            return found
    listed = ", ".join(sorted(map(str, types)))
    raise TypeError(f"The column {name!r} has incompatible types in these files: {listed}.")
