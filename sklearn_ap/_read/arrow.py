"""Readers of what yields batches of Arrow: its tables, datasets and readers, Parquet files, and
queries of Polars, DuckDB and Ibis.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from itertools import groupby
from operator import itemgetter
from os import fspath
from os.path import exists, isdir
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from weakref import WeakSet

import pyarrow as pa

from .._inputs.records import Named
from . import tables
from .collecting import collected
from .engines import Columns, read_memory

if TYPE_CHECKING:
    from pyarrow import dataset

BATCH = 2**18  # rows that are requested at once
_CODE = 2  # bytes per row of a column whose strings are few and repeated

# Readers that were read, perhaps not to the end. Closing them is not enough, because those that
# have their batches from Python would still return the rest.
_begun = WeakSet[pa.RecordBatchReader]()


# --- PyArrow -------------------------------------------------------------------------------------


def read_arrow(data: Any, named: Named) -> Columns:
    """Read a table, files, a dataset or a reader of Arrow."""
    if tables.are_paths(data):
        return _of_datasets(_open_parquet(data, named), named)
    if hasattr(data, "get_fragments"):
        return _of_datasets([(data, {})], named)
    if not hasattr(data, "read_next_batch"):
        return read_memory(data, named)
    wanted = tables.check_named_columns(data.schema.names, named)

    def scan() -> Generator[pa.RecordBatch]:
        if data in _begun:
            raise ValueError(
                "data can be read only once, and an earlier call has read it, or is still reading "
                "it, or a metric with columns of its own would read it again. Create it again, so "
                "that no rows are missing, or pass data=reader.read_all()."
            )
        _begun.add(data)
        try:
            yield from (batch.select(wanted) for batch in data)
        except BaseException:
            data.close()
            raise

    return collected(scan(), named)


def _of_datasets(datasets: list[tuple[dataset.Dataset, Constants]], named: Named) -> Columns:
    """Read datasets one after another, each with the columns that its rows share."""
    first, constants = datasets[0]
    wanted = tables.check_named_columns([*first.schema.names, *constants], named)
    # Read one batch at a time, because PyArrow's threads would read ahead while a batch is counted,
    # and accumulate much of a file in memory.
    options = {"batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 0}

    def scan() -> Generator[pa.RecordBatch]:
        for data, constants in datasets:
            in_files = [name for name in wanted if name not in constants]
            categories = _categories_in(data.schema, in_files)
            for batch in data.to_batches(columns=in_files, use_threads=False, **options):
                batch = _with_category_order(batch, categories) if categories else batch
                yield _beside(constants, batch, wanted) if constants else batch

    return collected(scan(), named)


def _categories_in(schema: pa.Schema, names: list[str]) -> list[str]:
    """Return the columns of pandas' categories, whose order counts even if it says nothing."""
    described = json.loads((schema.metadata or {}).get(b"pandas", "{}")).get("columns", [])
    of_pandas = {column["name"] for column in described if column["pandas_type"] == "categorical"}
    types = {name: schema.field(name).type for name in names if name in of_pandas}
    return [name for name, kind in types.items() if pa.types.is_dictionary(kind)]


def _with_category_order(batch: pa.RecordBatch, categories: list[str]) -> pa.RecordBatch:
    """Return the batch with the order of these categories, as Arrow has it for Enums of polars."""
    for name in categories:
        column = batch.column(name)
        ordered = pa.DictionaryArray.from_arrays(column.indices, column.dictionary, ordered=True)
        batch = batch.set_column(batch.schema.get_field_index(name), name, ordered)
    return batch


def read_hugging_face(data: Any, named: Named) -> Columns:
    """Read a Dataset of Hugging Face, whose rows can be a selection of those of its table."""
    if not hasattr(data, "num_rows"):
        tables.refuse_data(data)
    wanted = tables.check_named_columns(data.column_names, named)
    return read_memory(data.select_columns(wanted).with_format("arrow")[:], named)


# --- Parquet files --------------------------------------------------------------------------------

Constants = dict[str, pa.Scalar]  # the columns that all rows of a file share, as Arrow scalars


def _beside(constants: Constants, batch: pa.RecordBatch, wanted: list[str]) -> pa.RecordBatch:
    """Put the columns of a batch and those that its rows share in order."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for name, value in constants.items():
        columns[name] = pa.repeat(value, batch.num_rows)
        if pa.types.is_string(value.type) and value.is_valid:
            columns[name] = columns[name].dictionary_encode()
    return pa.RecordBatch.from_arrays([columns[name] for name in wanted], names=wanted)


def _open_parquet(data: Any, named: Named) -> list[tuple[dataset.Dataset, Constants]]:
    """Open Parquet files, or a folder that contains them, as datasets.

    The files of one dataset have the same types, and the same columns in the names of their
    folders. PyArrow would cast all files to the types of the first one.
    """
    paths = [fspath(path) for path in (data if isinstance(data, list | tuple) else [data])]
    _check_exist(paths)
    try:
        all_files, files = _files_in(paths, [])
        if coded := _of_few_strings(files, named):
            all_files, files = _files_in(paths, coded)
    except IsADirectoryError:
        words = "A list of paths must contain files only. To read a folder, pass its path alone."
        raise ValueError(words) from None
    except ValueError as error:  # Arrow's errors are ValueErrors, and name the file
        raise ValueError(
            "data must be Parquet files, or one folder that contains them, but "
            f"{', '.join(map(repr, paths[:3]))} cannot be read as such: {error} Read files of "
            "other formats first, as by pandas.read_csv."
        ) from None
    if not files:
        raise ValueError(
            f"data must be Parquet files, but there are none in {paths[0]!r}. Files whose names "
            "start with '.' or '_' are left out."
        )
    datasets = []
    by_types = groupby(_typed(paths, files, named), key=itemgetter(1))
    for (schema, constants), typed in by_types:
        fragments = [file for file, _ in typed]
        same = type(all_files)(fragments, schema, all_files.format, all_files.filesystem)
        datasets.append((same, constants))
    return datasets


def _files_in(
    paths: Sequence[str], coded: list[str]
) -> tuple[dataset.Dataset, list[dataset.Fragment]]:
    """Open files, of which some columns are read as codes of strings."""
    from pyarrow import dataset

    # Pre-buffering whole row groups would need twice the memory, and is slower on local disks.
    options = dataset.ParquetFragmentScanOptions(pre_buffer=False)
    reading = dataset.ParquetReadOptions(dictionary_columns=coded)
    parquet = dataset.ParquetFileFormat(reading, default_fragment_scan_options=options)
    source = paths if len(paths) > 1 else paths[0]
    all_files = dataset.dataset(source, pa.schema([]), format=parquet)
    files = list(all_files.get_fragments())
    # Empty files are left out, because they may lack columns, or the types of columns.
    return all_files, [file for file in files if file.metadata.num_rows] or files[:1]


def _check_exist(paths: Sequence[str]) -> None:
    """Check that all paths exist."""
    if missing := [path for path in paths if not exists(path)]:
        matching = tables.glob_of(missing[0])
        raise FileNotFoundError(
            f"No such file or folder: {', '.join(map(repr, missing))}."
            f"{f' For all files that match, pass {matching}.' if matching else ''}"
        )


def _typed(
    paths: Sequence[str], files: Sequence[dataset.Fragment], named: Named
) -> Iterator[tuple[dataset.Fragment, tuple[pa.Schema, Constants]]]:
    """Yield each file with its schema, and the named columns in the names of its folders."""
    constants, wanted = _constants(files), {*tables.unique(named)}
    schemas = _schemas(paths, files, constants, named)
    for file, schema, of_file in zip(files, schemas, constants, strict=True):
        yield file, (schema, {name: of_file[name] for name in of_file if name in wanted})


def _constants(files: Sequence[dataset.Fragment]) -> list[Constants]:
    """Return the columns in the names of folders, as in day=2026-06-01/country=FR (Hive's style).

    There is a mapping for each file. Values become integers, decimals or dates if all are written
    as Python writes them. Others are ids such as 007, which stay strings. As in Polars, DuckDB and
    Spark, these columns take the place of columns of that name in the files.
    """
    texts: list[dict[str, str | None]] = []
    for file in files:
        of_file: dict[str, str | None] = {}
        for folder in file.path.split("/")[:-1]:
            name, equals, value = folder.partition("=")
            if equals:
                text = unquote(value)
                of_file[unquote(name)] = None if text == _HIVE_NULL else text
        texts.append(of_file)
    types = {}
    for name in dict.fromkeys(name for of_file in texts for name in of_file):
        values = {of_file.get(name) for of_file in texts} - {None}
        types[name] = _hive_type(sorted(map(str, values)))
    return [
        {name: pa.scalar(text, pa.string()).cast(types[name]) for name, text in of_file.items()}
        for of_file in texts
    ]


def _hive_type(texts: list[str]) -> pa.DataType:
    """Return the first type of `_HIVE_TYPES` whose values are all written like these texts."""
    for kind, read in _HIVE_TYPES.items():
        with suppress(ValueError):  # such as the 31st of June, or an integer of 65 bits
            if texts and all(str(read(text)) == text and text[-1].isdigit() for text in texts):
                pa.array(texts).cast(kind)
                return kind
    return pa.string()


_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_HIVE_TYPES: dict[pa.DataType, Callable[[str], object]] = {
    pa.int64(): int,
    pa.float64(): float,
    pa.date32(): date.fromisoformat,
}


def types_of(data: Any) -> dict[str, pa.DataType]:
    """Return the types of the columns of Parquet files, and of those in the names of folders."""
    datasets = [files for files, _ in _open_parquet(data, {})]
    files = [file for opened in datasets for file in opened.get_fragments()]
    schema, constants = files[0].physical_schema, _constants(files)[0]
    types = dict(zip(schema.names, schema.types, strict=True))
    return types | {name: value.type for name, value in constants.items()}


def _of_few_strings(files: Sequence[dataset.Fragment], named: Named) -> list[str]:
    """Return the columns of labels and groups that are few strings, by the size of the first file.

    They are read as codes. Arrow would otherwise decode a whole row group of strings at once, which
    takes hundreds of times the memory of the file if they are long, and up to ten times as long.
    """
    roles = ("y_true", "groups", "clusters")
    names = {name for role in roles for name in tables.names_in(named.get(role, []))}
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


def _schemas(
    paths: Sequence[str],
    files: Sequence[dataset.Fragment],
    constants: Sequence[Constants],
    named: Named,
) -> list[pa.Schema]:
    """Return the schema of the named columns in each file, whose types may differ if all are
    numbers, strings or decimals, or if some have only nulls. PyArrow would round or cast others.

    Columns that are among the constants of a file, of which `constants` has a mapping for each, are
    left out.
    """
    names, schemas = tables.unique(named), [file.physical_schema for file in files]
    _check_columns_in_files(paths, files, constants, named)
    type_of_nulls: dict[str, pa.DataType] = {}  # for files in which a column has only nulls
    for name in names:
        types = {
            of_file[name].type if name in of_file else schema.field(name).type
            for schema, of_file in zip(schemas, constants, strict=True)
        }
        with_values = sorted(types - {pa.null()}, key=str)
        are_kin = any(
            all(re.fullmatch(kind, str(type_)) for type_ in with_values) for kind in _AS_THEY_ARE
        )
        if not are_kin:
            _check_one_type(name, with_values)
        type_of_nulls[name] = with_values[0] if with_values else pa.null()
    typed = []
    for schema, of_file in zip(schemas, constants, strict=True):
        types_here = {name: schema.field(name).type for name in names if name not in of_file}
        fields = [
            (name, type_of_nulls[name] if type_ == pa.null() else type_)
            for name, type_ in types_here.items()
        ]
        typed.append(pa.schema(fields, metadata=schema.metadata))
    return typed


def _check_columns_in_files(
    paths: Sequence[str],
    files: Sequence[dataset.Fragment],
    constants: Sequence[Constants],
    named: Named,
) -> None:
    """Check that each file, with the names of its folders, has all named columns."""
    columns = []
    for file, of_file in zip(files, constants, strict=True):
        names = file.physical_schema.names
        columns.append([*names, *(name for name in of_file if name not in names)])
    for file, names in zip(files, columns, strict=True):
        try:
            tables.check_named_columns(names, named)
        except ValueError as error:
            where = f"the file {file.path!r}"
            if len(paths) == 1 and isdir(paths[0]) and columns.count(names) == len(columns):
                where = f"the folder {paths[0]!r}"
            raise ValueError(f"{error} This is {where}.") from None


def _check_one_type(name: str, types: Sequence[pa.DataType]) -> None:
    """Check that a column, whose types in the files these are, has only one."""
    if len(types) > 1:
        raise TypeError(
            f"The column {name!r} has incompatible types in these files: "
            f"{', '.join(map(str, types))}. Cast it to one type, as DuckDB does in "
            "data=duckdb.read_parquet(pyarrow.dataset.dataset(data).files, union_by_name=True, "
            "hive_partitioning=True)."
        )


# Types that are read as they are in each file
_AS_THEY_ARE = (
    r"bool|u?int\d+|(?:half)?float|double",
    r"(dictionary<values=)?(large_)?string(_view)?(,.*>)?",
    r"decimal\d+\(.*\)",
)


# --- queries -------------------------------------------------------------------------------------


def read_polars(data: Any, named: Named) -> Columns:
    """Read a LazyFrame, in batches if its columns have types of Arrow."""
    import polars

    schema = data.collect_schema()
    names = schema.names()
    wanted = tables.check_named_columns(names, named)
    # By their places, because polars expands names such as "*" and "^score.*$" to several columns.
    chosen = data.select(polars.nth([names.index(name) for name in wanted]))
    # Arrow has no integers of 128 bits, which floats would round.
    are_large = any(str(schema[name]) in ("Int128", "UInt128") for name in wanted)
    if are_large or not hasattr(data, "collect_batches"):  # Polars before 1.34
        return read_memory(chosen.collect(), named)

    def scan() -> Generator[pa.RecordBatch]:
        frames = chosen.collect_batches(chunk_size=BATCH, maintain_order=True)
        for frame in frames:
            yield from frame.to_arrow().to_batches()
        # Until version 1.36, the batches just end if the query fails, so ask for its error.
        query = getattr(frames, "_fut", None)
        if query is not None:
            frames._fut = None  # or it would also be printed
            query.result()

    return collected(scan(), named)


def read_duckdb(data: Any, named: Named) -> Columns:
    """Run the query of a relation."""
    with _explaining_busy_connections():
        names = tables.check_named_columns(data.columns, named)
        # By their places, because DuckDB's names are not case-sensitive.
        places = [data.columns.index(name) + 1 for name in names]
        chosen = data.project(", ".join(f"#{place} AS c{place}" for place in places))

    def stream() -> pa.RecordBatchReader:
        # The last row, of nulls, marks the end for `_until_end`.
        last = chosen.limit(0).aggregate("any_value(COLUMNS(*)), true")
        marked = chosen.project("*, false AS ended").union(last)
        # Older versions only have the second of these methods.
        open_reader = getattr(marked, "to_arrow_reader", None) or marked.fetch_arrow_reader
        return open_reader(BATCH)

    return collected(_until_end(stream, names), named)


def read_ibis(data: Any, named: Named) -> Columns:
    """Run the query of a table."""
    names = tables.check_named_columns(data.columns, named)
    chosen = data.select(names)

    def stream(table: Any) -> pa.RecordBatchReader:
        return table.to_pyarrow_batches(chunk_size=BATCH)

    def scan() -> Generator[pa.RecordBatch]:
        with stream(chosen) as reader:
            yield from reader

    if data.get_backend().name != "duckdb":
        return collected(scan(), named)
    # The last row, of nulls, marks the end for `_until_end`.
    no_rows, ended = chosen.limit(0), "_".join([*names, "ended"])  # longer than all other names
    nulls = no_rows.aggregate([no_rows[name].arbitrary().name(name) for name in names])
    last = nulls.cast(chosen.schema()).mutate(**{ended: True})
    marked = chosen.mutate(**{ended: False}).union(last)
    return collected(_until_end(lambda: stream(marked), names), named)


# --- DuckDB's connections ------------------------------------------------------------------------


def _until_end(
    stream: Callable[[], pa.RecordBatchReader], names: list[str]
) -> Generator[pa.RecordBatch]:
    """Yield batches of columns with these names from DuckDB, and check that all rows came.

    Before version 2, a query ends early if another thread uses its connection, often without an
    error. So each query has one more column, which is true only in a row that is added at the end.
    Later versions refuse the other query.
    """
    import pyarrow as pa
    from pyarrow.compute import invert

    ended = False
    with _explaining_busy_connections(), stream() as batches:
        for batch in batches:
            *columns, marks = batch.columns
            rows = pa.RecordBatch.from_arrays(columns, names=names)
            ended |= marks.true_count > 0
            yield rows.filter(invert(marks)) if marks.true_count else rows
    if not ended:
        raise RuntimeError(_BUSY.format("ended before its last row"))


@contextmanager
def _explaining_busy_connections() -> Iterator[None]:
    """Say what to do if DuckDB refuses a query because of another one on its connection."""
    try:
        yield
    except Exception as error:
        if not re.search(_REFUSED, str(error)):
            raise
        raise RuntimeError(_BUSY.format("was refused")) from error


_REFUSED = "connection is busy|connection has an open|closed pending query|Stream is closed"
_BUSY = (
    "The query for data {}, probably because another thread used the same DuckDB connection. Give "
    "each thread its own, as connection.cursor()."
)
