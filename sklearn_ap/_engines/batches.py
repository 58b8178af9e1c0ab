"""Engine for batches of Arrow columns that this process reads one after another."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._inputs import IN_CHUNKS, Chunk, Engine, join_in_tree
from .._intake import Codes, Decimals
from .._validation.samples import check_no_nanoseconds
from .._validation.tables import check_no_nulls, counting_rows_from, unique
from . import pick

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
        return replace(self, n_first=_FIRST)

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        # Close the scan in any case. The traceback of an error would keep it open otherwise, which
        # blocks DuckDB's connection, and the end of a process that uses polars before 1.38.
        with closing(self.scan()) as batches:
            found = join_in_tree(self._made(gather(batches, ROWS), make, args), join)
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
        row, first = 0, self.n_first
        for table in tables:
            for some in [table] if first is None else [table.slice(0, first), table.slice(first)]:
                with counting_rows_from(row):
                    part = make(to_chunk(some, self.columns), *args)
                yield part
                row += some.num_rows
            first = None


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


def gather(batches: Iterable[Any], n_rows: float) -> Iterator[Any]:
    """Join batches of the same types to tables of about n_rows rows."""
    import pyarrow as pa

    held: list[Any] = []
    n_held = 0
    for batch in batches:
        if held and (n_held >= n_rows or batch.schema != held[0].schema):
            yield pa.Table.from_batches(held)
            held, n_held = [], 0
        held.append(batch)
        n_held += batch.num_rows
    if held:
        yield pa.Table.from_batches(held)


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
    if str(kind) == "string_view":
        column = column.cast(pa.large_string())
    if types.is_dictionary(kind):
        coded = column.unify_dictionaries().combine_chunks()
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
