"""Engine for Spark DataFrames, whose rows stay where they are: only summaries are collected.

Each pass reads the DataFrame once. Rows reach Python as Arrow columns, and the executors add up the
counts of their partitions. With groups, Spark first brings the rows of each group together, and
only the values of the groups are collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pickle import dumps, loads
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.ml.functions import vector_to_array
from pyspark.sql import functions

from .._engine import MOST_DISTINCT, Chunk, Engine, join_in_tree
from .._validation.spark import (
    check_entries,
    check_entry,
    check_labels_of_vectors,
    check_spark_columns,
    is_vector,
    name_instants,
)
from .._validation.tables import is_refusal
from .batches import ROWS, gather, nothing, to_chunk

DataFrame = Any  # a PySpark DataFrame, classic or of Spark Connect

_PIECE = 2**15  # bytes of a part per row; Spark's batches have 10,000 rows, and at most 2 GB
_PIECES = "part int, place int, number int, piece binary"


def read(data: DataFrame, named: Mapping[str, Any]) -> Engine:
    return Partitions(named, data, check_spark_columns(data, named))


@dataclass(frozen=True)
class Partitions(Engine):
    """Engine that runs passes over the partitions of a DataFrame."""

    columns: Mapping[str, str]
    df: DataFrame
    types: Mapping[str, str]
    entry: int | None = None

    gathers = True
    most = MOST_DISTINCT

    def asked(self, pos_label: Any, n_positives: Any) -> tuple[Engine, Any]:
        entry = check_entry(self.columns, self.types, pos_label)
        named = name_instants(n_positives, self.types.get("groups"))
        return replace(self, entry=entry), named

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        return self._over(self._chosen, ROWS, make, join, args)

    def over_whole_groups(
        self, make: Callable[..., Any], join: Callable[..., Any], *args: Any
    ) -> Any:
        return self._over(self._chosen.repartition("groups"), None, make, join, args)

    @property
    def _chosen(self) -> DataFrame:
        """The columns as scalars, named by their roles."""
        # By their places, because Spark's names are not case-sensitive.
        numbered = self.df.toDF(*map(str, range(len(self.df.columns))))
        return numbered.select(*(self._as_scalar(role).alias(role) for role in self.columns))

    def _as_scalar(self, role: str) -> Any:
        place, type_ = self.df.columns.index(self.columns[role]), self.types[role]
        column = functions.col(f"`{place}`")
        if is_vector(type_):
            array = vector_to_array(column) if type_ == "vector" else column
            entry = functions.get(array, functions.lit(self.entry))
            return functions.when(functions.size(array) == 2, entry)
        if role == "groups" and type_ in ("float", "double"):
            return column + functions.lit(0).cast(type_)  # -0.0 and 0.0 are the same group
        return column

    def _over(
        self,
        df: DataFrame,
        n_rows: int | None,
        make: Callable[..., Any],
        join: Callable[..., Any],
        args: Any,
    ) -> Any:
        """Turn all partitions into parts and join these.

        The executors join as many parts as their sizes require. The driver fetches the result piece
        by piece, so it has only a few parts in memory at once.
        """
        make_parts = partial(_make_parts, make, join, args, n_rows, dict(self.types))
        join_parts = partial(_join_parts, join)
        parts = df.mapInArrow(make_parts, _PIECES)
        joined = parts.repartition("part").mapInArrow(join_parts, _PIECES)
        found = join_in_tree(_unpack(joined.toLocalIterator()), join)
        return make(nothing(self.columns), *args) if found is None else found


# --- functions that run on executors -------------------------------------------------------------


def _make_parts(
    make: Callable[..., Any],
    join: Callable[..., Any],
    args: Any,
    n_rows: int | None,
    types: dict[str, str],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    chunks = (_chunk(table, types) for table in gather(batches, n_rows))
    return _pack((make(chunk, *args) for chunk in chunks), join)


def _chunk(table: pa.Table, types: dict[str, str]) -> Chunk:
    of_vectors = is_vector(types["y_score"])
    if of_vectors:
        check_entries(table.column("y_score").null_count)
    chunk = to_chunk(table, {role: role for role in types})
    if of_vectors:
        check_labels_of_vectors(chunk[0])
    return chunk


def _join_parts(
    join: Callable[..., Any], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    columns = (batch.to_pydict().values() for batch in batches)
    return _pack(_unpack(chain.from_iterable(zip(*some, strict=True) for some in columns)), join)


# A part is sent in pieces, as numbered rows, because columns of bytes are limited in size.


def _pack(parts: Iterable[Any], join: Callable[..., Any]) -> Iterator[pa.RecordBatch]:
    """Yield the pieces of all parts joined, or of the validation error that they raise."""
    try:
        part = join_in_tree(parts, join)
    except Exception as error:
        if not is_refusal(error):
            raise
        part = error
    if part is None:
        return
    packed = _compress(dumps(part, protocol=5))
    starts = range(0, len(packed), _PIECE)
    yield pa.RecordBatch.from_pydict(
        {
            "part": pa.array([TaskContext.get().partitionId()] * len(starts), pa.int32()),
            "place": pa.array(range(len(starts)), pa.int32()),
            "number": pa.array([len(starts)] * len(starts), pa.int32()),
            "piece": pa.array([packed[start : start + _PIECE] for start in starts], pa.binary()),
        }
    )


def _unpack(rows: Iterable[Any]) -> Iterator[Any]:
    """Yield the parts whose pieces are in rows. Raise the first error among them."""
    held: dict[int, dict[int, bytes]] = {}
    for name, place, number, piece in rows:
        pieces = held.setdefault(name, {})
        pieces[place] = piece
        if len(pieces) == number:
            part = loads(_expand(b"".join(pieces.pop(place) for place in range(number))))
            if isinstance(part, Exception):
                raise part
            yield part


def _compress(data: bytes) -> bytes:
    """Compress counts to about a tenth, because Spark would take longer to send them
    uncompressed.
    """
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return len(data).to_bytes(8) + packed


def _expand(data: bytes) -> Any:
    size = int.from_bytes(data[:8])
    return pa.decompress(data[8:], decompressed_size=size, codec="zstd")
