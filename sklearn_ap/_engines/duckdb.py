"""Reader for DuckDB, whose query runs once for each pass and streams its rows."""

from collections.abc import Iterable, Mapping
from typing import Any

from .._engine import Engine
from .._validation.tables import check_lazy_columns
from .batches import BATCH, Batches, unique


def read(data: Any, named: Mapping[str, Any]) -> Engine:
    columns = check_lazy_columns(data, data.columns, named)
    quoted = ['"' + name.replace('"', '""') + '"' for name in unique(columns)]

    def scan() -> Iterable[Any]:
        chosen = data.project(", ".join(quoted))
        # Older versions only have the second of these methods.
        stream = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
        batches: Iterable[Any] = stream(BATCH)
        return batches

    return Batches(columns, scan)
