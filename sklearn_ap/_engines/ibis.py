"""Reader for Ibis, whose backend runs the query once for each pass."""

from collections.abc import Generator, Mapping
from typing import Any

from .._inputs import Engine
from .._validation.tables import read_lazy_columns, unique
from .batches import BATCH, Batches, name_of_end, until_end


def read(data: Any, named: Mapping[str, Any]) -> Engine:
    columns = read_lazy_columns(data, list(data.columns), named)
    names = unique(columns)
    chosen = data.select(names)
    if data.get_backend().name != "duckdb":
        return Batches(columns, lambda: _batches(chosen))
    end, nothing = name_of_end(names), chosen.limit(0)
    nulls = nothing.aggregate([nothing[name].arbitrary().name(name) for name in names])
    last = nulls.cast(chosen.schema()).mutate(**{end: True})
    whole = chosen.mutate(**{end: False}).union(last)
    return Batches(columns, lambda: until_end(lambda: _stream(whole), end))


def _stream(table: Any) -> Any:
    return table.to_pyarrow_batches(chunk_size=BATCH)


def _batches(table: Any) -> Generator[Any]:
    with _stream(table) as reader:
        yield from reader
