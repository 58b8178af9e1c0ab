"""Reader of Spark DataFrames, whose columns are read into the memory of the driver."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, functions

from .._arrays.conversion import as_numbers
from .._inputs.records import Named, PositiveClass
from .._words.refusals import Refusal, attribute_errors
from .tables import (
    Columns,
    check_named_columns,
    list_distinct_names,
    list_role_columns,
    pick_columns,
)

_NUMBER_TYPES = r"tinyint|smallint|int|bigint|float|double|decimal\(.*\)"
_VECTOR_TYPES = rf"vector|array<(?:{_NUMBER_TYPES})>"
_ADVICE_ON_VECTORS = (
    "Make the entry of the positive class a column of its own, as in df.withColumn('score', "
    "vector_to_array(column)[i]), or column[i] of arrays, where i is the number of the class in "
    "the model."
)


def read_spark(data: Any, named: Named, positive: PositiveClass) -> Columns:
    """Read a DataFrame, classic or of Spark Connect."""
    check_named_columns(data.columns, named)
    table, read = select_columns(data, named, positive)
    return read(_collect_batches(table))


def select_columns(
    data: Any, named: Named, positive: PositiveClass
) -> tuple[Any, Callable[[Iterable[pa.RecordBatch]], Columns]]:
    """Select the columns that are named, and return what reads batches of them, on any machine.

    They are called 0, 1, and so on. Vectors of scores become those of `positive`: Spark's models
    number their classes, so entry i of a vector belongs to the label i.
    """
    names, types = list_distinct_names(named), dict(data.dtypes)
    scores = list_role_columns(named.get("y_score", ()))
    vectors = {name for name in scores if re.fullmatch(_VECTOR_TYPES, types[name])}
    if vectors and positive.label not in (0, 1):
        raise ValueError(
            f"It is not known which entry of the vectors in {named['y_score']!r} belongs to "
            f"{positive}, but only to the labels 0 and 1 of a model. {_ADVICE_ON_VECTORS} "
            "Or use the column of labels that the model was trained on."
        )
    # The places of columns are their names, because Spark's aren't case-sensitive.
    numbered = data.toDF(*map(str, range(len(data.columns))))
    chosen = []
    for number, name in enumerate(names):
        column = functions.col(f"`{data.columns.index(name)}`")
        if name in vectors:
            column = _select_entry(column, types[name], int(positive.label))
        chosen.append(column.alias(str(number)))
    return numbered.select(*chosen), partial(_read_batches, named, bool(vectors))


def _read_batches(named: Named, has_vectors: bool, batches: Iterable[pa.RecordBatch]) -> Columns:
    names = list_distinct_names(named)
    renamed = [pa.RecordBatch.from_arrays(batch.columns, names=names) for batch in batches]
    empty = pa.schema([(name, pa.float64()) for name in names])  # Spark sends no batch of no rows
    table = pa.Table.from_batches(renamed, None if renamed else empty)
    columns = pick_columns(names, named, table.column)
    if has_vectors:
        _check_vectors(columns, named["y_score"])
    return columns


def _select_entry(column: Column, type_: str, place: int) -> Column:
    """Return the entry at this place of vectors that have two, and nulls for others."""
    array = vector_to_array(column) if type_ == "vector" else column
    return functions.when(functions.size(array) == 2, functions.get(array, functions.lit(place)))


def _collect_batches(chosen: Any) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a DataFrame. Each comes as a row of bytes, which any version sends."""

    def serialized(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.RecordBatch.from_pydict({"rows": [sink.getvalue().to_pybytes()]})

    rows = chosen.mapInArrow(serialized, "rows binary").collect()
    for place in range(len(rows)):
        with pa.ipc.open_stream(bytes(rows[place]["rows"])) as stream:
            yield from stream
        rows[place] = None


def _check_vectors(columns: Columns, name: Any) -> None:
    """Check that vectors have two entries each, and labels are those of a model of two classes."""
    scores = columns["y_score"]
    of_models = [*scores.values()] if isinstance(scores, dict) else [scores]
    if any(getattr(column, "null_count", 0) for column in of_models):
        with attribute_errors("y_score"):
            raise ValueError(
                Refusal(
                    "y_score contains nulls, or vectors that do not have two entries. Filter or "
                    f"fill rows with nulls. If vectors are longer: {_ADVICE_ON_VECTORS} "
                    f"(y_score is the column {name!r})",
                    missing="nulls",
                )
            )
    labels = np.asarray(as_numbers(columns["y_true"]))
    not_binary = labels[(labels != 0) & (labels != 1)]
    if not_binary.size:
        with attribute_errors("y_true", "y_score"):
            raise ValueError(
                f"y_true contains the label {not_binary[0]}, but y_score contains vectors, whose "
                f"entries are only known for the labels 0 and 1. {_ADVICE_ON_VECTORS}"
            )
