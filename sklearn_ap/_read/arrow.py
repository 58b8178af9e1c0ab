"""Engine for batches of Arrow columns that this process reads one after another, and the readers of
what yields them: PyArrow's tables, datasets and readers, Parquet files, and queries of Polars,
DuckDB and Ibis, which run once for each pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from operator import itemgetter
from os import fspath
from os.path import exists, isdir
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from weakref import WeakSet

import numpy as np
import pyarrow as pa
from pyarrow import compute

from .._words.arrays import Codes
from .._words.engine import (
    Chunk,
    Engine,
    Join,
    Named,
    Part,
    ScatteredError,
    in_chunk,
    join_in_tree,
)
from .._words.messages import noting_model
from .._words.parameters import text_of
from ..core.numbering import Name
from ..core.within import Array
from . import tables
from .engines import Columns, pick, read_memory
from .group_names import check_no_nanoseconds, combine, read_names

if TYPE_CHECKING:
    from pyarrow import dataset

ROWS = 2**20  # rows that are counted at once
BATCH = 2**18  # rows that are requested at once
_TEXTS = ("string", "string_view")
_FIRST = 2**14  # rows that are counted first if groups may be consecutive
_SHORT = 16  # strings of up to this many characters become NumPy's
_CODE = 2  # bytes per row of a column whose strings are few and repeated

# Readers that were read, perhaps not to the end. Closing them is not enough, because those that
# have their batches from Python would still return the rest.
_begun = WeakSet[pa.RecordBatchReader]()


@dataclass(frozen=True)
class Batches(Engine):
    """Engine that reads chunks in order, in bounded memory."""

    columns: Named
    scan: Callable[[], Generator[pa.RecordBatch]]  # yields the batches, starting at the first one
    reads_again: bool = True
    whole_groups: bool = False  # whether chunks contain whole groups, of a table sorted by these

    def by_group(self) -> Engine:
        return replace(self, whole_groups=True)

    def over_chunks(self, make: Callable[[Chunk], Part], join: Join[Part]) -> Part:
        # Close the scan in any case. The traceback of an error would keep it open otherwise, which
        # blocks DuckDB's connection, and the end of a process that uses polars before 1.38.
        with closing(self.scan()) as batches:
            rows = in_batches(batches, ROWS)
            if self.whole_groups:
                rows = _in_whole_groups(rows, tables.names_in(self.columns["groups"]))
            joined = join_in_tree(self._make_of_each(rows, make), join)
        return make(nothing(self.columns)) if joined is None else joined

    def collected(self) -> Columns:
        """Read the columns. A piece of one is an array of numbers, or a column of Arrow."""
        pieces: dict[str, list[Array | pa.ChunkedArray]] = {
            name: [] for name in tables.unique(self.columns)
        }
        with closing(self.scan()) as batches:
            for table in in_batches(batches, ROWS):
                for name, held in pieces.items():
                    column = table.column(name)
                    if name == self.columns.get("y_true"):
                        column = _narrowed(column)  # an eighth of the memory
                    _append_rows(held, column)
        pa.default_memory_pool().release_unused()
        columns = {name: _joined_rows(name, held) for name, held in pieces.items()}
        return pick(list(columns), self.columns, columns.__getitem__)

    def _make_of_each(
        self, chunks: Iterable[pa.Table], make: Callable[[Chunk], Part]
    ) -> Iterator[Part]:
        row = 0  # the first of the chunk among all rows, for errors
        for table in chunks:
            with tables.counting_rows_from(row):
                made = make(to_chunk(table, self.columns))
            yield made
            row += table.num_rows


def _narrowed(labels: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert labels to integers of one byte, if they are small integers."""
    if pa.types.is_signed_integer(labels.type):
        with suppress(pa.ArrowInvalid):
            return labels.cast(pa.int8())
    return labels


def _append_rows(held: list[Array | pa.ChunkedArray], column: pa.ChunkedArray) -> None:
    """Append the rows of a column to what is held of it, which this changes.

    Numbers are appended to one array, which grows without being copied if it is large.
    """
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if not is_number or column.null_count:
        held.append(column)
        return
    added = column.to_numpy()
    if not (held and type(held[-1]) is np.ndarray and held[-1].dtype == added.dtype):
        held.append(np.zeros(0, added.dtype))
    size = held[-1].size
    held[-1].resize(size + added.size, refcheck=False)
    held[-1][size:] = added


def _joined_rows(name: str, held: list[Array | pa.ChunkedArray]) -> pa.ChunkedArray | Array:
    """Return what is held of a column, which is all numbers or all strings, as one column."""
    columns = [pa.table({name: rows}).column(0) for rows in held or [np.zeros(0)]]
    if any(column.type != columns[0].type for column in columns):
        are_coded = any(pa.types.is_dictionary(column.type) for column in columns)
        convert = _coded if are_coded else _appendable
        columns = [convert(column) for column in columns]
    try:
        return pa.concat_tables(
            [pa.table({name: column}) for column in columns], promote_options="permissive"
        ).column(0)
    except pa.ArrowInvalid:  # integers that floats would round
        values = [value for column in columns for value in column.to_pylist()]
        return np.array(values, dtype=object)


def _appendable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert a column to a type that Arrow joins with others: booleans are 0 and 1."""
    is_boolean = pa.types.is_boolean(column.type)
    return column.cast(pa.int8()) if is_boolean else _without_views(column)


def _coded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert strings to codes of one type."""
    if not pa.types.is_dictionary(column.type):
        return column.cast(pa.large_string()).dictionary_encode()
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices.cast(pa.int32()), chunk.dictionary.cast(pa.large_string())
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.large_string()))


def in_batches(batches: Iterable[pa.RecordBatch], n_rows: float) -> Iterator[pa.Table]:
    """Join batches of the same types to tables of about n_rows rows, or of all rows for inf."""
    held: list[pa.RecordBatch] = []
    n_held = 0  # rows
    for batch in batches:
        if held and (n_held >= n_rows or batch.schema != held[0].schema):
            yield pa.Table.from_batches(held)
            held, n_held = [], 0
        held.append(batch)
        n_held += batch.num_rows
    if held:
        yield pa.Table.from_batches(held)


def _in_whole_groups(chunks: Iterable[pa.Table], names: list[str]) -> Iterator[pa.Table]:
    """Cut tables where groups end, which the columns with these names define.

    The rows of a group have to be consecutive. If they aren't, that is usually seen in the first
    few rows, so these are looked at first.
    """
    seen: set[Name] = set()  # all groups so far
    latest: Name = None
    held: list[pa.Table] = []  # the rows of the latest group, which may continue
    for table in _small_first(chunks):
        if any(_has_missing(table.column(name)) for name in names):
            yield from [*held, table]  # which is refused
            return
        starts, groups = _runs(table, names)
        if held and groups[0] == latest:
            end = starts[1] if len(starts) > 1 else table.num_rows
            held.append(table.slice(0, end))
            del starts[0], groups[0]
        if not groups:
            continue
        if held:
            yield _whole(held)
        for start, group in zip(starts, groups, strict=True):
            if group in seen:
                raise ScatteredError(_group_at(table, start, names))
            seen.add(group)
        # All groups that start here have ended, except the last one.
        first, last = starts[0], starts[-1]
        if first < last:
            yield table.slice(first, last - first)
        held, latest = [table.slice(last)], groups[-1]
    if held:
        yield _whole(held)


def _group_at(table: pa.Table, row: int, names: list[str]) -> str:
    """Write the name of a row's group, which these columns define."""
    cells = [_to_array(table.column(name).slice(row, 1), "groups") for name in names]
    (group,), _ = read_names(cells[0] if len(cells) == 1 else combine(cells)).numbered()
    return text_of(group, repr)


def _has_missing(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_floating(column.type):
        return bool(column.null_count)
    return bool(compute.any(column.is_null(nan_is_null=True)).as_py())


def _small_first(chunks: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Cut the first few rows off the first table, and leave out tables without rows."""
    for place, table in enumerate(chunks):
        cut = [table] if place else [table.slice(0, _FIRST), table.slice(_FIRST)]
        yield from (rows for rows in cut if rows.num_rows)


def _whole(held: list[pa.Table]) -> pa.Table:
    """Join the rows of one group."""
    if any(table.schema != held[0].schema for table in held):
        raise ScatteredError  # because Arrow might round numbers of two types
    return pa.concat_tables(held)


def _runs(table: pa.Table, names: list[str]) -> tuple[list[int], list[Name]]:
    """Return where runs of equal rows of these columns start, and the value of each run.

    The table has rows, and no missing values in these columns. With several, a value is a tuple.
    """
    is_first = np.zeros(table.num_rows, dtype=bool)
    is_first[0] = True
    columns = []
    for name in names:
        column = _without_views(table.column(name))
        if pa.types.is_dictionary(column.type):
            column = column.unify_dictionaries()
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0)
        cells = column.indices if pa.types.is_dictionary(column.type) else column
        try:
            differs = compute.not_equal(cells.slice(1), cells.slice(0, len(cells) - 1))
        except pa.ArrowNotImplementedError:  # of values with a structure
            raise ScatteredError from None
        is_first[1:] |= differs.to_numpy(zero_copy_only=False)
        columns.append(column)
    starts = np.flatnonzero(is_first)
    values = [_hashable_values(column.take(pa.array(starts))) for column in columns]
    return starts.tolist(), values[0] if len(values) == 1 else list(zip(*values, strict=True))


def _hashable_values(column: pa.Array) -> list[Name]:
    """Return values that are equal exactly if the groups are; Python's times lack nanoseconds."""
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
    values: list[Name] = column.to_pylist()
    return values


def to_chunk(table: pa.Table, columns: Named) -> Chunk:
    """Return the columns with these roles as arrays. Several columns are combined, except those of
    models.
    """
    arrays: dict[str, Any] = {}
    for role, name in columns.items():
        if role == "by":  # whose values can be missing
            arrays |= pick(table.column_names, {role: name}, table.column)
        elif isinstance(name, str):
            arrays[role] = _to_array(table.column(name), role)
        elif isinstance(name, Mapping):
            arrays[role] = {}
            for model, model_column in name.items():
                with noting_model(model):
                    arrays[role][model] = _to_array(table.column(model_column), role)
        else:
            arrays[role] = combine([_to_array(table.column(item), role) for item in name], role)
    return in_chunk(arrays)


def _to_array(column: pa.ChunkedArray, role: str) -> Array | Codes | pa.ChunkedArray:
    """Check a column with this role, which must have no nulls, and convert it."""
    column = _decoded(column)
    tables.check_no_nulls(role, column)
    if role in ("groups", "clusters"):
        check_no_nanoseconds(column, role)
    return _to_numpy(column, role)


def nothing(columns: Named) -> Chunk:
    """Return a chunk without rows."""
    arrays: dict[str, Any] = {}
    for role, name in columns.items():
        are_models = isinstance(name, Mapping)
        arrays[role] = dict.fromkeys(name, np.zeros(0)) if are_models else np.zeros(0)
    return in_chunk(arrays)


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decode a dictionary column, unless its values are strings."""
    kind, types = column.type, pa.types
    is_coded = types.is_dictionary(kind) and not str(kind.value_type).endswith(_TEXTS)
    return column.cast(kind.value_type) if is_coded else column


def _to_numpy(column: pa.ChunkedArray, role: str) -> Array | Codes | pa.ChunkedArray:
    """Convert a column without missing values, whose dictionary, if it has one, is of strings.

    Groups and clusters that come as strings become codes. Decimals stay as they are, unless they
    are names, because they are converted when they are checked.
    """
    types = pa.types
    are_units = role in ("groups", "clusters")
    if types.is_decimal(column.type) and not are_units:
        return column
    column = _without_views(column)
    has_dictionary = types.is_dictionary(column.type)
    if has_dictionary:
        coded = column.unify_dictionaries().combine_chunks()
    elif types.is_string(column.type) or types.is_large_string(column.type):
        coded = column.dictionary_encode().combine_chunks()  # a few strings are repeated many times
    else:
        return column.to_numpy()
    code, distinct = coded.indices.to_numpy(), coded.dictionary.to_numpy(zero_copy_only=False)
    # A dictionary that came with the data can have values twice, which `Codes` can't.
    are_codes = are_units and not has_dictionary
    are_names = are_units or role == "y_true"
    if are_names and _fit_in_rows(distinct, len(distinct) if are_codes else len(column)):
        distinct = distinct.astype(str)
    return Codes(code, distinct) if are_codes else distinct[code]


def _without_views(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cast views of strings, which many functions of PyArrow don't take."""
    return column.cast(pa.large_string()) if str(column.type) == "string_view" else column


def _fit_in_rows(distinct: Array, n_rows: int) -> bool:
    """Whether these strings may become NumPy's, which are faster, but all as long as the longest.

    They may if all are short, or if n_rows of them don't need much more memory than the distinct
    ones. NumPy's strings would also lose a null character at the end.
    """
    values = distinct.tolist()
    if set(map(type, values)) != {str}:
        return False
    joined, longest = "".join(values), max(map(len, values))
    return "\0" not in joined and longest * n_rows <= max(_SHORT * n_rows, 4 * len(joined))


# --- PyArrow -------------------------------------------------------------------------------------


def read_arrow(data: Any, named: Named) -> Columns | Engine:
    """Return the columns of a table of Arrow, or an engine of files, a dataset or a reader."""
    if tables.are_paths(data):
        return _of_datasets(_open_parquet(data, named), named)
    if hasattr(data, "get_fragments"):
        return _of_datasets([(data, {})], named)
    if not hasattr(data, "read_next_batch"):
        return read_memory(data, named)
    tables.check_named_columns(data.schema.names, named)
    wanted = tables.unique(named)

    def scan() -> Generator[pa.RecordBatch]:
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

    return Batches(named, scan, reads_again=False)


def _of_datasets(datasets: list[tuple[dataset.Dataset, Constants]], named: Named) -> Engine:
    """Read datasets one after another, each with the columns that its rows share."""
    first, constants = datasets[0]
    tables.check_named_columns([*first.schema.names, *constants], named)
    # Read one batch at a time, because PyArrow's threads would read ahead while a batch is counted,
    # and accumulate much of a file in memory.
    options = {"batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 0}
    wanted = tables.unique(named)

    def scan() -> Generator[pa.RecordBatch]:
        for data, constants in datasets:
            in_files = [name for name in wanted if name not in constants]
            categories = _categories_in(data.schema, in_files)
            for batch in data.to_batches(columns=in_files, use_threads=False, **options):
                batch = _with_category_order(batch, categories) if categories else batch
                yield _beside(constants, batch, wanted) if constants else batch

    return Batches(named, scan)


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
    tables.check_named_columns(data.column_names, named)
    return read_memory(data.select_columns(tables.unique(named)).with_format("arrow")[:], named)


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
    from pyarrow import dataset

    paths = [fspath(path) for path in (data if isinstance(data, list | tuple) else [data])]
    _check_exist(paths)
    # Pre-buffering whole row groups would need twice the memory, and is slower on local disks.
    options = dataset.ParquetFragmentScanOptions(pre_buffer=False)

    def open_files(**format_options: Any) -> tuple[dataset.Dataset, list[dataset.Fragment]]:
        parquet = dataset.ParquetFileFormat(default_fragment_scan_options=options, **format_options)
        source = paths if len(paths) > 1 else paths[0]
        all_files = dataset.dataset(source, pa.schema([]), format=parquet)
        files = list(all_files.get_fragments())
        # Empty files are left out, because they may lack columns, or the types of columns.
        return all_files, [file for file in files if file.metadata.num_rows] or files[:1]

    try:
        all_files, files = open_files()
        if coded := _of_few_strings(files, named):
            reading = dataset.ParquetReadOptions(dictionary_columns=coded)
            all_files, files = open_files(read_options=reading)
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
    datasets = []
    by_types = groupby(_typed(paths, files, named), key=itemgetter(1))
    for (schema, constants), typed in by_types:
        fragments = [file for file, _ in typed]
        same = type(all_files)(fragments, schema, all_files.format, all_files.filesystem)
        datasets.append((same, constants))
    return datasets


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


def read_polars(data: Any, named: Named) -> Columns | Engine:
    """Return the engine of a LazyFrame, or its columns where it can't be read in batches."""
    import polars

    schema = data.collect_schema()
    names = schema.names()
    tables.check_named_columns(names, named)
    # By their places, because polars expands names such as "*" and "^score.*$" to several columns.
    chosen = data.select(polars.nth([names.index(name) for name in tables.unique(named)]))
    # Arrow has no integers of 128 bits, which floats would round.
    are_large = any(str(schema[name]) in ("Int128", "UInt128") for name in tables.unique(named))
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

    return Batches(named, scan)


def read_duckdb(data: Any, named: Named) -> Engine:
    """Return an engine that runs the query of a relation for each pass."""
    with _explaining_busy_connections():
        tables.check_named_columns(data.columns, named)
        names = tables.unique(named)
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

    return Batches(named, lambda: _until_end(stream, names))


def read_ibis(data: Any, named: Named) -> Engine:
    """Return an engine that runs the query of a table for each pass."""
    tables.check_named_columns(data.columns, named)
    names = tables.unique(named)
    chosen = data.select(names)

    def stream(table: Any) -> pa.RecordBatchReader:
        return table.to_pyarrow_batches(chunk_size=BATCH)

    def scan() -> Generator[pa.RecordBatch]:
        with stream(chosen) as reader:
            yield from reader

    if data.get_backend().name != "duckdb":
        return Batches(named, scan)
    # The last row, of nulls, marks the end for `_until_end`.
    no_rows, ended = chosen.limit(0), "_".join([*names, "ended"])  # longer than all other names
    nulls = no_rows.aggregate([no_rows[name].arbitrary().name(name) for name in names])
    last = nulls.cast(chosen.schema()).mutate(**{ended: True})
    marked = chosen.mutate(**{ended: False}).union(last)
    return Batches(named, lambda: _until_end(lambda: stream(marked), names))


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
