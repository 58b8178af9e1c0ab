"""Engine for Spark DataFrames, whose rows stay where they are: only summaries are collected.

Each pass reads the DataFrame once. Rows reach Python as Arrow columns, and the executors add up the
counts of their partitions. With groups, Spark first brings the rows of each group together, and
only the values of the groups are collected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from pickle import dumps, loads
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame, functions

from .._words.arrays import as_numbers
from .._words.engine import MOST_DISTINCT, Chunk, Engine, Join, Named, Part, join_in_tree
from .._words.inputs import PositiveClass
from .._words.messages import about, missing_value_error
from .._words.parameters import is_mapping
from .arrow import ROWS, in_batches, nothing, to_chunk
from .engines import Columns, pick
from .tables import check_named_columns, names_in, unique

_PIECE = 2**15  # bytes of a part per row; Spark's batches have 10,000 rows, and at most 2 GB
_PIECES = "part long, number long, place long, piece binary"


def read_spark(data: DataFrame, named: Named) -> Engine:
    """Return an engine for a DataFrame."""
    check_named_columns(data.columns, named)
    return Partitions(named, data, dict(data.dtypes))


@dataclass(frozen=True)
class Partitions(Engine):
    """Engine that runs passes over the partitions of a DataFrame."""

    columns: Named
    df: DataFrame
    types: Mapping[str, str]  # by the names of columns
    entry: int | None = None
    whole_groups: bool = False  # whether to bring the rows of each group together

    most = MOST_DISTINCT

    def for_request(self, positive: PositiveClass, n_positives: Any) -> Engine:
        entry = _read_entry(self.columns, self.types, positive)
        of_groups = {self.types[name] for name in names_in(self.columns.get("groups", ()))}
        if "timestamp" in of_groups and is_mapping(n_positives):
            raise ValueError(
                "The keys of n_positives can't be compared with Spark's timestamps, which are "
                "instants. Cast the column of groups to string, or to timestamp_ntz."
            )
        return replace(self, entry=entry)

    def collected(self) -> Columns:
        """Read the columns into the driver. Vectors are refused, as no column says their entry."""
        for role, named in self.columns.items():
            if any(_is_vector(self.types[name]) for name in names_in(named)):
                raise ValueError(f"{role} must be a column of numbers here, not of vectors. {_OWN}")
        names = unique(self.columns)
        chosen = self._numbered.select(*(str(self.df.columns.index(name)) for name in names))
        has_arrow = hasattr(chosen, "toArrow")
        table = chosen.toArrow() if has_arrow else pa.Table.from_pandas(chosen.toPandas())
        return pick(names, self.columns, lambda name: table.column(names.index(name)))

    def by_group(self) -> Engine:
        return replace(self, whole_groups=True)

    def over_chunks(self, make: Callable[[Chunk], Part], join: Join[Part]) -> Part:
        """Turn all partitions into parts and join these.

        The executors join as many parts as their sizes require. The driver fetches the result piece
        by piece, so it has only a few parts in memory at once.
        """
        df = self._numbered.select(*(self._selected(role).alias(role) for role in self.columns))
        n_rows: float = ROWS  # of a chunk
        if self.whole_groups:
            df, n_rows = df.repartition("groups"), inf
        columns = {role: _aliases(role, name) for role, name in self.columns.items()}
        of_vectors = _have_vectors(self.columns, self.types)

        def make_parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            chunks = (_chunk(table, columns, of_vectors) for table in in_batches(batches, n_rows))
            return _pack_parts(map(make, chunks), join)

        def join_parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            rows = (row for batch in batches for row in batch.to_pylist())
            return _pack_parts(_unpack(rows), join)

        pieces = df.mapInArrow(make_parts, _PIECES)
        # The pieces of one part have its number, and get to the same executor.
        fewer = pieces.repartition("part").mapInArrow(join_parts, _PIECES)
        joined = join_in_tree(_unpack(fewer.toLocalIterator()), join)
        return make(nothing(self.columns)) if joined is None else joined

    @property
    def _numbered(self) -> DataFrame:
        """The rows with the places of columns as names, because Spark's aren't case-sensitive."""
        return self.df.toDF(*map(str, range(len(self.df.columns))))

    def _selected(self, role: str) -> Column:
        """The column with this role, or a struct of several."""
        name = self.columns[role]
        if isinstance(name, str):
            return self._as_scalar(role, name)
        scalars = [self._as_scalar(role, of_model) for of_model in names_in(name)]
        return functions.struct(*(scalar.alias(str(i)) for i, scalar in enumerate(scalars)))

    def _as_scalar(self, role: str, name: str) -> Column:
        """The column with this name as numbers: of vectors, the entry of the positive class."""
        place, type_ = self.df.columns.index(name), self.types[name]
        column = functions.col(f"`{place}`")
        if role == "y_score" and _is_vector(type_):
            array = vector_to_array(column) if type_ == "vector" else column
            entry = functions.get(array, functions.lit(self.entry))
            return functions.when(functions.size(array) == 2, entry)
        if role == "groups" and type_ in ("float", "double"):
            return column + functions.lit(0).cast(type_)  # -0.0 and 0.0 are the same group
        return column


# --- what runs on executors ----------------------------------------------------------------------


def _aliases(role: str, name: Any) -> Any:
    """Name the column with this role in a flattened table, or the fields of a struct."""
    if isinstance(name, str):
        return role
    fields = [f"{role}.{i}" for i in range(len(name))]
    return dict(zip(name, fields, strict=True)) if isinstance(name, Mapping) else fields


def _chunk(table: pa.Table, columns: Named, of_vectors: bool) -> Chunk:
    """Return a chunk of the columns that `_aliases` names, whose scores come from vectors if it is
    `of_vectors`.
    """
    if any(not isinstance(name, str) for name in columns.values()):
        table = table.flatten()
    if of_vectors and any(table.column(n).null_count for n in names_in(columns["y_score"])):
        with about("y_score"):
            raise missing_value_error(
                "y_score contains nulls, or vectors that do not have two entries. Filter or fill "
                f"rows with nulls. If vectors are longer: {_OWN}",
                are_null=True,
            )
    chunk = to_chunk(table, columns)
    labels = np.asarray(as_numbers(chunk[0])) if of_vectors else np.zeros(0)
    not_binary = labels[(labels != 0) & (labels != 1)]
    if not_binary.size:
        with about("y_true", "y_score"):
            raise ValueError(
                f"y_true contains the label {not_binary[0]}, but y_score contains vectors, whose "
                f"entries are only known for the labels 0 and 1. {_OWN}"
            )
    return chunk


# A part is sent in pieces, as numbered rows, because columns of bytes are limited in size.


def _pack_parts(results: Iterable[Part], join: Join[Part]) -> Iterator[pa.RecordBatch]:
    """Yield the pieces of all parts joined, or of the validation error that they raise.

    A row has the number of the part, how many pieces the part has, where in it the piece starts,
    and the bytes of the piece.
    """
    try:
        joined: Part | Exception | None = join_in_tree(results, join)
    except (RuntimeError, TypeError, ValueError) as error:  # in Spark's words otherwise
        joined = error
    if joined is None:
        return
    # Compressed to about a tenth, because Spark would take longer to send the counts otherwise.
    packed = pa.compress(dumps(joined, protocol=5), codec="zstd", asbytes=True)
    starts = range(0, len(packed), _PIECE)
    shared = {"part": TaskContext.get().partitionId(), "number": len(starts)}
    pieces = [{"place": start, "piece": packed[start : start + _PIECE]} for start in starts]
    yield pa.RecordBatch.from_pylist([shared | piece for piece in pieces])


def _unpack(rows: Iterable[Any]) -> Iterator[Any]:
    """Yield the parts whose pieces are in rows. Raise the first error among them."""
    held: dict[int, dict[int, bytes]] = {}  # pieces by part and place
    for row in rows:
        pieces = held.setdefault(row["part"], {})
        pieces[row["place"]] = row["piece"]
        if len(pieces) == row["number"]:
            del held[row["part"]]
            packed = pa.py_buffer(b"".join(pieces[place] for place in sorted(pieces)))
            result = loads(pa.CompressedInputStream(packed, "zstd").read())
            if isinstance(result, Exception):
                raise result
            yield result


# --- types of columns, and entries of vectors --------------------------------------------------

_NUMBER = r"tinyint|smallint|int|bigint|float|double|decimal\(.*\)"
_VECTOR = rf"vector|array<(?:{_NUMBER})>"


def _is_vector(type_: str) -> bool:
    return re.fullmatch(_VECTOR, type_) is not None


def _have_vectors(names: Named, types: Mapping[str, str]) -> bool:
    """Whether any column of scores has vectors."""
    return any(_is_vector(types[name]) for name in names_in(names["y_score"]))


_OWN = (
    "Make the entry of the positive class a column of its own, as in df.withColumn('score', "
    "vector_to_array(column)[i]), or column[i] of arrays, where i is the number of the class in "
    "the model."
)


def _read_entry(names: Named, types: Mapping[str, str], positive: PositiveClass) -> int | None:
    """Return the index of the positive class in vectors of scores; None if there are no vectors.

    Spark's models number their classes, so entry i belongs to the label i.
    """
    if not _have_vectors(names, types):
        return None
    if positive.label not in (0, 1):
        raise ValueError(
            f"It is not known which entry of the vectors in {names['y_score']!r} belongs to "
            f"{positive}, but only to the labels 0 and 1 of a model. {_OWN} Or use the "
            "column of labels that the model was trained on."
        )
    return int(positive.label)
