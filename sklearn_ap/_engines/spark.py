"""Engine for Spark DataFrames, whose rows stay where they are: only summaries are collected.

Each pass reads the DataFrame once. Rows reach Python as Arrow columns, and the executors add up the
counts of their partitions. With groups, Spark first brings the rows of each group together, and
only the values of the groups are collected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from itertools import chain
from pickle import dumps, loads
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.ml.functions import vector_to_array
from pyspark.sql import functions

from .._inputs import MOST_DISTINCT, Chunk, Engine, join_in_tree
from .._validation.errors import about, arguments_of, missing
from .._validation.labels import AtLeast
from .._validation.parameters import is_mapping
from .._validation.tables import names_in, read_lazy_columns, unique
from .batches import ROWS, gather, nothing, to_chunk
from .eager import pick

DataFrame = Any  # a PySpark DataFrame, classic or of Spark Connect

_PIECE = 2**15  # bytes of a part per row; Spark's batches have 10,000 rows, and at most 2 GB
_PIECES = "part int, place int, number int, piece binary"


def read(data: DataFrame, named: Mapping[str, Any]) -> Engine:
    return Partitions(named, data, _read_types(data, named))


@dataclass(frozen=True)
class Partitions(Engine):
    """Engine that runs passes over the partitions of a DataFrame."""

    columns: Mapping[str, Any]
    df: DataFrame
    types: Mapping[str, str]
    entry: int | None = None
    whole_groups: bool = False  # whether to bring the rows of each group together

    most = MOST_DISTINCT

    def asked(self, pos_label: Any, n_positives: Any) -> tuple[Engine, Any]:
        entry = _read_entry(self.columns, self.types, pos_label)
        named = _name_instants(n_positives, self.types.get("groups"))
        return replace(self, entry=entry), named

    def collected(self) -> Mapping[str, Any]:
        for role, type_ in self.types.items():
            if _is_vector(type_):
                raise ValueError(
                    f"{role} must be a column of numbers here, but it is of type {type_}. "
                    f"{_own_column(str(self.columns[role]), type_)}"
                )
        names = unique(self.columns)
        places = [self.df.columns.index(name) for name in names]
        chosen = self._numbered.select(*map(str, places))
        whole = chosen.toArrow() if hasattr(chosen, "toArrow") else chosen.toPandas()
        table = whole if isinstance(whole, pa.Table) else pa.Table.from_pandas(whole)
        return pick(names, self.columns, lambda name: table.column(names.index(name)))

    def by_group(self) -> Engine:
        return replace(self, whole_groups=True)

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        """Turn all partitions into parts and join these.

        The executors join as many parts as their sizes require. The driver fetches the result piece
        by piece, so it has only a few parts in memory at once.
        """
        df = self._numbered.select(*(self._as_scalar(role).alias(role) for role in self.columns))
        df, n_rows = (df.repartition("groups"), None) if self.whole_groups else (df, ROWS)
        make_parts = partial(_make_parts, make, join, args, n_rows, dict(self.types))
        join_parts = partial(_join_parts, join)
        parts = df.mapInArrow(make_parts, _PIECES)
        joined = parts.repartition("part").mapInArrow(join_parts, _PIECES)
        found = join_in_tree(_unpack(joined.toLocalIterator()), join)
        return make(nothing(self.columns), *args) if found is None else found

    @property
    def _numbered(self) -> DataFrame:
        """The rows with the places of columns as names, because Spark's aren't case-sensitive."""
        return self.df.toDF(*map(str, range(len(self.df.columns))))

    def _as_scalar(self, role: str) -> Any:
        place, type_ = self.df.columns.index(self.columns[role]), self.types[role]
        column = functions.col(f"`{place}`")
        if _is_vector(type_):
            array = vector_to_array(column) if type_ == "vector" else column
            entry = functions.get(array, functions.lit(self.entry))
            return functions.when(functions.size(array) == 2, entry)
        if role == "groups" and type_ in ("float", "double"):
            return column + functions.lit(0).cast(type_)  # -0.0 and 0.0 are the same group
        return column


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
    of_vectors = _is_vector(types["y_score"])
    if of_vectors:
        _check_entries(table.column("y_score").null_count)
    chunk = to_chunk(table, {role: role for role in types})
    if of_vectors:
        _check_labels_of_vectors(chunk[0])
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
        if arguments_of(error) is None and not _is_refusal(error):
            raise
        part = error
    if part is None:
        return
    # Compressed to about a tenth, because Spark would take longer to send the counts otherwise.
    packed = pa.compress(dumps(part, protocol=5), codec="zstd", asbytes=True)
    starts = range(0, len(packed), _PIECE)
    yield pa.RecordBatch.from_pydict(
        {
            "part": pa.array([TaskContext.get().partitionId()] * len(starts), pa.int32()),
            "place": pa.array(range(len(starts)), pa.int32()),
            "number": pa.array([len(starts)] * len(starts), pa.int32()),
            "piece": pa.array([packed[start : start + _PIECE] for start in starts], pa.binary()),
        }
    )


def _is_refusal(error: BaseException) -> bool:
    """Whether this package raised the error itself, so that the caller should get its words."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    name = "" if place is None else place.tb_frame.f_globals.get("__name__", "")
    return str(name).partition(".")[0] == __name__.partition(".")[0]


def _unpack(rows: Iterable[Any]) -> Iterator[Any]:
    """Yield the parts whose pieces are in rows. Raise the first error among them."""
    held: dict[int, dict[int, bytes]] = {}
    for name, place, number, piece in rows:
        pieces = held.setdefault(name, {})
        pieces[place] = piece
        if len(pieces) == number:
            packed = pa.py_buffer(b"".join(pieces.pop(place) for place in range(number)))
            part = loads(pa.CompressedInputStream(packed, "zstd").read())
            if isinstance(part, Exception):
                raise part
            yield part


# --- types of columns, and entries of vectors --------------------------------------------------

_NUMBER = r"tinyint|smallint|int|bigint|float|double|decimal\(.*\)"
_TIME = r"date|timestamp|timestamp_ntz"
_VECTOR = rf"vector|array<(?:{_NUMBER})>"
_TEXT = r"string|char\(.*\)|varchar\(.*\)"

# The types that columns can have, as Spark writes them.
_TYPES = {
    "y_true": (rf"boolean|{_NUMBER}|{_TEXT}", "numbers, booleans or strings"),
    "y_score": (rf"boolean|{_NUMBER}|{_TIME}|{_VECTOR}", "numbers, or vectors of them"),
    "sample_weight": (_NUMBER, "numbers"),
    "groups": (
        rf"boolean|binary|{_NUMBER}|{_TIME}|{_TEXT}",
        "strings, numbers or times",
    ),
}


def _read_types(df: Any, named: Mapping[str, Any]) -> dict[str, str]:
    """Check the columns of a Spark DataFrame, and return their types."""
    if not hasattr(type(df), "mapInArrow"):
        raise TypeError(f"data must be a Spark DataFrame. Got {type(df).__name__} instead.")
    columns = read_lazy_columns(df, df.columns, named)
    types = dict(df.dtypes)
    return {
        role: _check_type(role, name, types[name])
        for role, wanted in columns.items()
        for name in names_in(wanted)
    }


def _check_type(role: str, column: str, type_: str) -> str:
    pattern, words = _TYPES[_LIKE.get(role, role)]
    if not re.fullmatch(pattern, type_):
        raise ValueError(
            f"{role} must be a column of {words}, but the column {column!r} is of type {type_}."
        )
    return type_


_LIKE = {"y_score_a": "y_score", "y_score_b": "y_score", "clusters": "groups", "ids": "groups"}


def _is_vector(type_: str) -> bool:
    return re.fullmatch(_VECTOR, type_) is not None


def _read_entry(names: Mapping[str, str], types: Mapping[str, str], pos_label: Any) -> int | None:
    """Return the index of the positive class in vectors of scores; None if there are no vectors.

    Spark's models number their classes, so entry i belongs to the label i.
    """
    type_ = types["y_score"]
    if not _is_vector(type_):
        return None
    if isinstance(pos_label, AtLeast):
        raise ValueError(
            f"With {pos_label}, y_score must be a column of numbers, but {names['y_score']!r} is "
            f"of type {type_}, and it is not known which entry of its vectors ranks by grade. "
            f"{_own_column(names['y_score'], type_)}"
        )
    is_text = re.fullmatch(_TEXT, types["y_true"]) is not None
    if is_text or pos_label not in (0, 1):
        why = "the labels are strings" if is_text else "it is not one of the labels 0 and 1"
        raise ValueError(
            f"It is not known which entry of the vectors in {names['y_score']!r} belongs to "
            f"pos_label={pos_label!r}, because {why}. {_own_column(names['y_score'], type_)} Or "
            "use the column of labels 0 and 1 that the model was trained on."
        )
    return int(pos_label)


@about("y_score")
def _check_entries(n_nulls: int) -> None:
    """Check that every row has a vector of two entries."""
    if n_nulls:
        raise missing(
            "y_score contains nulls, or vectors that do not have two entries. Filter or fill rows "
            "with nulls. If vectors are longer, make the entry of the positive class a column of "
            "its own, with vector_to_array(column)[i].",
            are_null=True,
        )


@about("y_true", "y_score")
def _check_labels_of_vectors(labels: Any) -> None:
    """Check that the labels are 0 and 1, which tell the entries of vectors apart."""
    others = labels[(labels != 0) & (labels != 1)]
    if others.size:
        raise ValueError(
            f"y_true contains the label {others[0]}, but y_score contains vectors, whose entries "
            "are only known for the labels 0 and 1. Make the entry of the positive class a column "
            "of its own, with vector_to_array(column)[i]."
        )


def _name_instants(n_positives: Any, type_: str | None) -> Any:
    """Convert the keys of n_positives to times in UTC, in which executors read timestamps."""
    if type_ != "timestamp" or not is_mapping(n_positives):
        return n_positives
    named = {}
    for key, number in n_positives.items():
        if getattr(key, "tzinfo", None) is None:
            raise ValueError(
                f"n_positives has the key {key!r}, a time without a time zone, but Spark's "
                "timestamps are instants. Add a time zone to the keys. If they come from "
                "toPandas(), it is that of the session: "
                "n_positives.tz_localize(spark.conf.get('spark.sql.session.timeZone'))."
            )
        named[np.datetime64(key.astimezone(UTC).replace(tzinfo=None))] = number
    if len(named) < len(n_positives):
        raise ValueError("n_positives names a group twice. Pass one number for each group.")
    return named


def _own_column(name: str, type_: str) -> str:
    entry = f"vector_to_array({name!r})[i]" if type_ == "vector" else f"df[{name!r}][i]"
    return (
        f"Make that entry a column of its own, df.withColumn('score', {entry}), where i is the "
        "number of the class in the model."
    )
