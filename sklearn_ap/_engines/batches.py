"""Engine for batches of Arrow columns that this process reads one after another."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._inputs import IN_CHUNKS, Chunk, Engine, join_in_tree
from .._intake import Codes, Decimals
from .._validation.samples import check_no_nanoseconds
from .._validation.tables import check_no_nulls, counting_rows_from, unique
from .eager import pick

ROWS = 2**20  # rows that are counted at once
BATCH = 2**18  # rows that are requested at once
_TEXTS = ("string", "string_view")
_FIRST = 2**14  # rows that are counted first if groups may be consecutive
_SHORT = 16  # strings of up to this many characters become NumPy's


@dataclass(frozen=True)
class Batches(Engine):
    """Engine that reads chunks in order, in bounded memory."""

    columns: Mapping[str, Any]
    scan: Callable[[], Generator[Any]]  # yields the batches, starting at the first one
    reads_again: bool = True
    n_first: int | None = None  # rows that are counted first

    def in_order(self) -> Engine:
        # If groups are not consecutive, that is usually seen in the first few rows.
        return replace(self, n_first=min(_FIRST, ROWS))

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        # Close the scan in any case. The traceback of an error would keep it open otherwise, which
        # blocks DuckDB's connection, and the end of a process that uses polars before 1.38.
        with closing(self.scan()) as batches:
            tables = _apart(gather(batches, ROWS, self.n_first), self.n_first)
            found = join_in_tree(self._made(tables, make, args), join)
        return make(nothing(self.columns), *args) if found is None else found

    def collected(self) -> Mapping[str, Any]:
        import pyarrow as pa

        parts: dict[str, list[Any]] = {name: [] for name in unique(self.columns)}
        with closing(self.scan()) as batches:
            for table in gather(batches, ROWS):
                for name, held in parts.items():
                    column = table.column(name)
                    if name == self.columns.get("y_true"):
                        column = _narrowed(column)
                    _append(held, column)
        pa.default_memory_pool().release_unused()
        found = {name: _joined(name, held) for name, held in parts.items()}
        return pick(list(found), self.columns, found.__getitem__)

    def _made(self, tables: Iterable[Any], make: Callable[..., Any], args: Any) -> Iterator[Any]:
        row = 0
        for table in tables:
            with counting_rows_from(row):
                part = make(to_chunk(table, self.columns), *args)
            yield part
            row += table.num_rows


def _narrowed(labels: Any) -> Any:
    """Convert labels to integers of one byte, if they are small integers."""
    import pyarrow as pa

    if pa.types.is_signed_integer(labels.type):
        with suppress(pa.ArrowInvalid):
            return labels.cast(pa.int8())
    return labels


def _append(parts: list[Any], column: Any) -> None:
    """Append the rows of a column.

    Numbers are appended to one array, which grows without being copied if it is large.
    """
    import pyarrow as pa

    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if not is_number or column.null_count:
        parts.append(column)
        return
    added = column.to_numpy()
    if not (parts and type(parts[-1]) is np.ndarray and parts[-1].dtype == added.dtype):
        parts.append(np.zeros(0, added.dtype))
    size = parts[-1].size
    parts[-1].resize(size + added.size, refcheck=False)
    parts[-1][size:] = added


def _joined(name: str, parts: list[Any]) -> Any:
    """Return the parts as one Arrow column."""
    import pyarrow as pa

    tables = [pa.table({name: part}) for part in parts or [np.zeros(0)]]
    return pa.concat_tables(tables, promote_options="permissive").column(0)


def gather(batches: Iterable[Any], n_rows: int | None, n_first: int | None = None) -> Iterator[Any]:
    """Join batches of the same types to tables of about n_rows rows, or to a single table.

    The first table may be smaller, of about n_first rows.
    """
    import pyarrow as pa

    held: list[Any] = []
    n_held, wanted = 0, n_first or n_rows
    for batch in batches:
        if held and batch.schema != held[0].schema:
            yield pa.Table.from_batches(held)
            held, n_held = [], 0
        held.append(batch)
        n_held += batch.num_rows
        if wanted is not None and n_held >= wanted:
            yield pa.Table.from_batches(held)
            held, n_held, wanted = [], 0, n_rows
    if held:
        yield pa.Table.from_batches(held)


def _apart(tables: Iterable[Any], n_first: int | None) -> Iterator[Any]:
    """Yield tables, and the first rows by themselves."""
    for table in tables:
        if n_first is not None:
            yield table.slice(0, n_first)
            table, n_first = table.slice(n_first), None
        yield table


def name_of_end(names: Iterable[str]) -> str:
    """Return the name of a column for `until_end`. It is longer than all other names."""
    return f"{'_'.join(names)}_end"


def until_end(stream: Callable[[], Any], end: str) -> Generator[Any]:
    """Yield batches of DuckDB without the row whose column `end` is true, and check that it came.

    Before version 2, a query ends early if another thread uses its connection, often without an
    error, so this row is added to the end of each query. Later versions refuse the other query.
    """
    from pyarrow.compute import invert

    ended = False
    with explaining_busy_connections(), stream() as batches:
        for batch in batches:
            marks = batch.column(end)
            ended |= marks.true_count > 0
            yield batch.filter(invert(marks)) if marks.true_count else batch
    if not ended:
        raise RuntimeError(_BUSY.format("ended before its last row"))


@contextmanager
def explaining_busy_connections() -> Iterator[None]:
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


def to_chunk(table: Any, columns: Mapping[str, str]) -> Chunk:
    """Return the columns with these roles as arrays."""
    given = {}
    for role, name in columns.items():
        column = _decoded(table.column(name))
        check_no_nulls(role, column)
        if role == "groups":
            check_no_nanoseconds(column, role)
        given[role] = _to_numpy(column, role)
    return [given.get(role) for role in IN_CHUNKS]


def nothing(columns: Iterable[str]) -> Chunk:
    """Return a chunk without rows."""
    return [np.zeros(0) if role in columns else None for role in IN_CHUNKS]


def _decoded(column: Any) -> Any:
    """Decode a dictionary column, unless its values are strings."""
    import pyarrow as pa

    kind, types = column.type, pa.types
    is_coded = types.is_dictionary(kind) and not str(kind.value_type).endswith(_TEXTS)
    return column.cast(kind.value_type) if is_coded else column


def _to_numpy(column: Any, role: str) -> Any:
    import pyarrow as pa

    kind, types = column.type, pa.types
    if types.is_decimal(kind) and role != "groups":
        found = Decimals.of_arrow(column)
        return found if role == "y_score" else found.to_floats()
    if types.is_decimal(kind) and kind.bit_width < 128:
        column = column.cast(pa.decimal128(kind.precision, kind.scale))
    if str(kind) == "string_view":
        column = column.cast(pa.large_string())
    if types.is_dictionary(kind):
        coded = column.unify_dictionaries().combine_chunks()
    elif types.is_decimal(column.type):
        coded = column.combine_chunks().dictionary_encode()
    elif types.is_string(column.type) or types.is_large_string(column.type):
        coded = column.dictionary_encode().combine_chunks()  # a few strings are repeated many times
    else:
        return column.to_numpy()
    distinct = coded.dictionary.to_numpy(zero_copy_only=False)
    are_codes = role == "groups" and coded.type != column.type  # those of strings
    are_names = role in ("y_true", "groups")
    if are_names and _fit_in_rows(distinct, len(distinct) if are_codes else len(column)):
        distinct = distinct.astype(str)
    code = coded.indices.to_numpy()
    return Codes(code, distinct) if are_codes else distinct[code]


def _fit_in_rows(distinct: Any, n_rows: int) -> bool:
    """Whether these strings may become NumPy's, which are faster, but all as long as the longest.

    They may if all are short, or if n_rows of them don't need much more memory than the distinct
    ones. NumPy's strings would also lose a null character at the end.
    """
    values = distinct.tolist()
    if set(map(type, values)) != {str}:
        return False
    joined, longest = "".join(values), max(map(len, values))
    return "\0" not in joined and longest * n_rows <= max(_SHORT * n_rows, 4 * len(joined))
