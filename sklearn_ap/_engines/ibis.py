"""Reader for Ibis, whose backend runs the query once for each pass."""

from collections.abc import Mapping
from typing import Any

from .._engine import Engine
from .._validation.tables import check_lazy_columns
from .batches import BATCH, Batches, unique


def read(data: Any, named: Mapping[str, Any]) -> Engine:
    columns = check_lazy_columns(data, list(data.columns), named)
    chosen = data.select(unique(columns))
    return Batches(columns, lambda: chosen.to_pyarrow_batches(chunk_size=BATCH))
