"""Reader for Polars: the columns of a DataFrame, or a LazyFrame, which is streamed."""

from collections.abc import Generator, Mapping
from typing import Any

from .._inputs import Engine
from .._validation.tables import check_named_columns, read_lazy_columns, unique
from .batches import BATCH, Batches
from .eager import pick


def read(data: Any, named: Mapping[str, Any]) -> Mapping[str, Any] | Engine:
    if hasattr(data, "get_column"):
        return pick(data.columns, named, data.get_column)
    import polars

    schema = data.collect_schema()
    names = schema.names()
    check_named_columns(names, named)
    # By their places, because polars expands names such as "*" and "^score.*$" to several columns.
    chosen = data.select(polars.nth([names.index(name) for name in unique(named)]))
    # Arrow has no integers of 128 bits, but decimals of 38 digits.
    large = [name for name in unique(named) if str(schema[name]) in ("Int128", "UInt128")]
    chosen = chosen.cast(dict.fromkeys(large, polars.Decimal(38, 0))) if large else chosen
    if not hasattr(data, "collect_batches"):  # Polars before 1.34
        return read(chosen.collect(), named)
    columns = read_lazy_columns(data, names, named)

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
