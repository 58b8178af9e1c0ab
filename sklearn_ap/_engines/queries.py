"""Readers of queries, which run once for each pass and stream their rows: those of Polars' lazy
frames, of DuckDB's relations and of Ibis' tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._inputs import Engine
from .._validation.tables import read_lazy_columns, unique
from . import pick
from .batches import BATCH, Batches


def read_polars(data: Any, named: Mapping[str, Any]) -> Mapping[str, Any] | Engine:
    """Return the columns of a DataFrame, or stream a LazyFrame."""
    if hasattr(data, "get_column"):
        return pick(data.columns, named, data.get_column)
    import polars

    schema = data.collect_schema()
    names = schema.names()
    columns = read_lazy_columns(data, names, named)
    # By their places, because polars expands names such as "*" and "^score.*$" to several columns.
    chosen = data.select(polars.nth([names.index(name) for name in unique(named)]))
    # Arrow has no integers of 128 bits, but decimals of 38 digits.
    large = [name for name in unique(named) if str(schema[name]) in ("Int128", "UInt128")]
    chosen = chosen.cast(dict.fromkeys(large, polars.Decimal(38, 0))) if large else chosen
    if not hasattr(data, "collect_batches"):  # Polars before 1.34
        return read_polars(chosen.collect(), named)

    def scan() -> Generator[Any]:
        frames = chosen.collect_batches(chunk_size=BATCH, maintain_order=True)
        for some in frames:
            yield from some.to_arrow().to_batches()
        # Until version 1.36, the batches just end if the query fails, so ask for its error.
        query = getattr(frames, "_fut", None)
        if query is not None:
            frames._fut = None  # or it would also be printed
            query.result()

    return Batches(columns, scan)


def read_duckdb(data: Any, named: Mapping[str, Any]) -> Engine:
    with _explaining_busy_connections():
        columns = read_lazy_columns(data, data.columns, named)
        names = unique(columns)
        # By their places, because DuckDB's names are not case-sensitive.
        places = [data.columns.index(name) + 1 for name in names]
        chosen = data.project(", ".join(f"#{place} AS c{place}" for place in places))

    def stream() -> Any:
        last = chosen.limit(0).aggregate("any_value(COLUMNS(*)), true")
        whole = chosen.project("*, false AS ended").union(last)
        # Older versions only have the second of these methods.
        open_reader = getattr(whole, "to_arrow_reader", None) or whole.fetch_arrow_reader
        return open_reader(BATCH)

    return Batches(columns, lambda: _until_end(stream, names))


def read_ibis(data: Any, named: Mapping[str, Any]) -> Engine:
    columns = read_lazy_columns(data, list(data.columns), named)
    names = unique(columns)
    chosen = data.select(names)

    def stream(table: Any) -> Any:
        return table.to_pyarrow_batches(chunk_size=BATCH)

    def scan() -> Generator[Any]:
        with stream(chosen) as reader:
            yield from reader

    if data.get_backend().name != "duckdb":
        return Batches(columns, scan)
    nothing, ended = chosen.limit(0), "_".join([*names, "ended"])  # longer than all other names
    nulls = nothing.aggregate([nothing[name].arbitrary().name(name) for name in names])
    last = nulls.cast(chosen.schema()).mutate(**{ended: True})
    whole = chosen.mutate(**{ended: False}).union(last)
    return Batches(columns, lambda: _until_end(lambda: stream(whole), names))


# --- DuckDB's connections ------------------------------------------------------------------------


def _until_end(stream: Callable[[], Any], names: list[str]) -> Generator[Any]:
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
