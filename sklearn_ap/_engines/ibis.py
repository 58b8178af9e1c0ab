"""Reader for Ibis, whose backend runs the query once for each pass."""

from collections.abc import Mapping
from typing import Any

from .. import _validation as check
from .._passes import Engine
from .batches import BATCH, Batches, unique


def read(data: Any, named: Mapping[str, Any]) -> Engine:
    columns = check.check_lazy_columns(data, list(data.columns), named)
    chosen = data.select(unique(columns))
    return Batches(columns, lambda: chosen.to_pyarrow_batches(chunk_size=BATCH))
