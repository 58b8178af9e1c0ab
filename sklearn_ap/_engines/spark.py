"""Spark DataFrames: the rows stay where they are, and only counts are collected.

Each pass reads the DataFrame once. Rows reach Python as Arrow columns, and the executors add up the
counts of their partitions. With groups, Spark first brings the rows of each group together, and
then only the values of the groups travel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pickle import dumps, loads
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.ml.functions import vector_to_array
from pyspark.sql import functions

from .. import _validation as check
from .._passes import MOST_DISTINCT, Chunk, Engine, join_in_tree
from .batches import ROWS, gather, nothing, to_chunk

DataFrame = Any  # of PySpark: the classic one, or that of Spark Connect

_PIECE = 2**15  # bytes of a part in one row: Spark puts 10,000 rows, and at most 2 GB, in a batch
_PIECES = "part int, place int, number int, piece binary"


def read(data: DataFrame, named: Mapping[str, Any]) -> Engine:
    types = check.check_spark_columns(data, named)
    columns = [_as_scalar(role, named[role], types[role]).alias(role) for role in named]
    return Partitions(named, data.select(*columns), types)


@dataclass(frozen=True)
class Partitions(Engine):
    """Passes over a DataFrame, whose columns are named after their roles."""

    columns: Mapping[str, str]
    df: DataFrame
    types: Mapping[str, str]

    gathers = True
    most = MOST_DISTINCT

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        return self._over(self.df, ROWS, make, join, args)

    def over_whole_groups(
        self, make: Callable[..., Any], join: Callable[..., Any], *args: Any
    ) -> Any:
        return self._over(self.df.repartition("groups"), None, make, join, args)

    def _over(
        self,
        df: DataFrame,
        n_rows: int | None,
        make: Callable[..., Any],
        join: Callable[..., Any],
        args: Any,
    ) -> Any:
        """All partitions become parts, and executors join these: as many of them as the sizes of
        the parts ask for. What they have joined comes here piece by piece, so that the driver does
        not hold more than a few parts at once.
        """
        make_parts = partial(_make_parts, make, join, args, n_rows, self.types)
        join_parts = partial(_join_parts, join)
        parts = df.mapInArrow(make_parts, _PIECES)
        joined = parts.repartition("part").mapInArrow(join_parts, _PIECES)
        found = join_in_tree(_unpack(joined.toLocalIterator()), join)
        return make(nothing(self.columns), *args) if found is None else found


def _as_scalar(role: str, name: str, type_: str) -> Any:
    """A column of plain values: of vectors their second entries."""
    column = functions.col("`" + name.replace("`", "``") + "`")
    if check.is_vector(type_):
        array = vector_to_array(column) if type_ == "vector" else column
        return functions.get(array, 1)
    if role == "groups" and type_ in ("float", "double"):
        return column + functions.lit(0).cast(type_)  # -0.0 and 0.0 are one group
    return column


# --- what runs on executors ----------------------------------------------------------------------


def _make_parts(
    make: Callable[..., Any],
    join: Callable[..., Any],
    args: Any,
    n_rows: int | None,
    types: Mapping[str, str],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    tables = gather(batches, n_rows)
    return _pack((make(_chunk(table, types), *args) for table in tables), join)


def _chunk(table: pa.Table, types: Mapping[str, str]) -> Chunk:
    for role, type_ in types.items():
        if check.is_vector(type_):
            missing = "vectors of fewer than two entries, or nulls"
            check.check_no_nulls(role, table.column(role).null_count, missing)
    return to_chunk(table, {role: role for role in types})


def _join_parts(
    join: Callable[..., Any], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    columns = (batch.to_pydict().values() for batch in batches)
    return _pack(_unpack(chain.from_iterable(zip(*some, strict=True) for some in columns)), join)


# A part travels in pieces, as rows that say where they belong: a column of bytes is limited.


def _pack(parts: Iterable[Any], join: Callable[..., Any]) -> Iterator[pa.RecordBatch]:
    """The pieces of all parts joined, or of the error that says why the data are refused."""
    try:
        part = join_in_tree(parts, join)
    except Exception as error:
        if not check.is_refusal(error):
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
    """The parts whose pieces stand in rows; the first error is raised."""
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
    """To a tenth, where it is counts; Spark would take longer to carry them as they are."""
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return len(data).to_bytes(8) + packed


def _expand(data: bytes) -> Any:
    size = int.from_bytes(data[:8])
    return pa.decompress(data[8:], decompressed_size=size, codec="zstd")
