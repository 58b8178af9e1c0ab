"""Collect the columns of batches of Arrow, which are read once, in little memory for each row."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, suppress
from typing import Any

import numpy as np
import pyarrow as pa

from .._inputs.records import Named
from . import tables
from .engines import Columns, pick

_DISTINCT = 2**18  # strings that batches may repeat before they are joined

Piece = Any  # an array of numbers, or a column of Arrow


def collected(batches: Generator[pa.RecordBatch], named: Named) -> Columns:
    """Read the columns that are named, and return them by their roles."""
    held = {name: _Held() for name in tables.unique(named)}
    n_rows = 0
    # Close the scan in any case. The traceback of an error would keep it open otherwise, which
    # blocks DuckDB's connection, and the end of a process that uses polars before 1.38.
    try:
        with closing(batches):
            for batch in batches:
                for name, column in held.items():
                    rows = batch.column(name)
                    if name == named.get("y_true"):
                        rows = _narrowed(rows)  # an eighth of the memory
                    column.append(pa.chunked_array([rows]))
                n_rows += batch.num_rows
        pa.default_memory_pool().release_unused()
        columns = {name: held.pop(name).joined(name) for name in list(held)}
    except MemoryError as error:
        raise MemoryError(
            f"data doesn't fit into memory, which was full after {n_rows:,} rows. Store scores as "
            "float32, or pass a random sample of the rows, or of whole groups if there are any."
        ) from error
    return pick(list(columns), named, columns.__getitem__)


def _narrowed(labels: pa.Array) -> pa.Array:
    """Convert labels to integers of one byte, if they are small integers."""
    if pa.types.is_signed_integer(labels.type):
        with suppress(pa.ArrowInvalid):
            return labels.cast(pa.int8())
    return labels


class _Held:
    """What is held of a column: numbers as one array, strings as codes, and others as they are."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._n_distinct = 0  # strings of the last piece that are new since they were joined

    def append(self, rows: pa.ChunkedArray) -> None:
        types = pa.types
        if str(rows.type) in _STRINGS:
            self._append_strings(rows.cast(pa.large_string()).dictionary_encode())
            return
        is_number = types.is_integer(rows.type) or types.is_floating(rows.type)
        if not is_number or rows.null_count:
            self._pieces.append(rows)
            return
        # An array grows without being copied if it is large.
        added = rows.to_numpy()
        latest = self._pieces[-1] if self._pieces else None
        if not isinstance(latest, np.ndarray) or latest.dtype != added.dtype:
            self._pieces.append(added.copy())
            return
        size = latest.size
        latest.resize(size + added.size, refcheck=False)
        latest[size:] = added

    def _append_strings(self, coded: pa.ChunkedArray) -> None:
        """Append codes, and join them as soon as their dictionaries would need more memory."""
        self._n_distinct += sum(len(chunk.dictionary) for chunk in coded.chunks)
        latest = self._pieces[-1] if self._pieces else None
        if isinstance(latest, pa.ChunkedArray) and latest.type == coded.type:
            self._pieces[-1] = joined = pa.chunked_array(
                [*latest.chunks, *coded.chunks], coded.type
            )
            if joined.chunks and self._n_distinct > max(_DISTINCT, len(joined.chunk(0).dictionary)):
                self._pieces[-1] = _of_one_dictionary(joined)
                self._n_distinct = 0
        else:
            self._pieces.append(coded)

    def joined(self, name: str) -> Piece:
        """Return the column, whose batches must be all numbers, all strings or all of one type."""
        pieces, self._pieces = self._pieces, []
        if len(pieces) == 1 and isinstance(pieces[0], np.ndarray):
            return pieces[0]
        columns = [pa.table({name: piece}).column(0) for piece in pieces or [np.zeros(0)]]
        if any(column.type != columns[0].type for column in columns):
            are_coded = any(pa.types.is_dictionary(column.type) for column in columns)
            convert = _coded if are_coded else _appendable
            columns = [convert(column) for column in columns]
        tables_of_pieces = [pa.table({name: column}) for column in columns]
        try:
            column = pa.concat_tables(tables_of_pieces, promote_options="permissive").column(0)
        except pa.ArrowTypeError:
            kinds = dict.fromkeys(str(column.type) for column in columns)
            raise TypeError(
                f"The column {name!r} has batches of the types {' and '.join(kinds)}, which can't "
                "be joined. Cast it to one type."
            ) from None
        except pa.ArrowInvalid:  # integers that floats would round
            values = [value for column in columns for value in column.to_pylist()]
            return np.array(values, dtype=object)
        is_coded = pa.types.is_dictionary(column.type) and column.num_chunks > 1
        return _of_one_dictionary(column) if is_coded and not column.type.ordered else column


_STRINGS = ("string", "large_string", "string_view")


def _of_one_dictionary(coded: pa.ChunkedArray) -> pa.ChunkedArray:
    """Join the chunks of a column of codes."""
    combined = coded.unify_dictionaries().combine_chunks()
    return pa.chunked_array([combined]) if isinstance(combined, pa.Array) else combined


def _appendable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert a column to a type that Arrow joins with others: booleans are 0 and 1."""
    return column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column


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
