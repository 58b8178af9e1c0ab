"""Reader for DuckDB, whose query runs once for each pass and streams its rows."""

from collections.abc import Generator, Mapping
from typing import Any

from .._engine import Engine
from .._validation.tables import check_lazy_columns
from .batches import BATCH, Batches, name_of_end, unique, until_end


def read(data: Any, named: Mapping[str, Any]) -> Engine:
    columns = check_lazy_columns(data, data.columns, named)
    names = unique(columns)
    end = name_of_end(names)
    rows = ", ".join([*map(_quoted, names), f"false AS {_quoted(end)}"])
    nulls = [f"any_value({_quoted(name)}) AS {_quoted(name)}" for name in names]
    last = ", ".join([*nulls, f"true AS {_quoted(end)}"])

    def scan() -> Generator[Any]:
        chosen = data.project(rows).union(data.limit(0).aggregate(last))
        # Older versions only have the second of these methods.
        stream = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
        with stream(BATCH) as reader:
            yield from until_end(reader, end)

    return Batches(columns, scan)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
