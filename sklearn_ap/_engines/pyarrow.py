"""Reader for PyArrow's tables, datasets and readers, and for paths to Parquet files."""

from collections.abc import Container, Generator, Mapping
from typing import Any
from weakref import WeakSet

from .._engine import Engine
from .._intake import Decimals
from .._validation.collections import check_not_begun
from .._validation.tables import are_paths, check_lazy_columns, open_parquet
from .batches import BATCH, Batches, unique
from .eager import pick
from .eager import read as read_stream

# Readers that were not read to the end. Closing them is not enough, because those that have their
# batches from Python would still return the rest.
_begun = WeakSet[Any]()


def read(data: Any, named: Mapping[str, Any]) -> Mapping[str, Any] | Engine:
    if are_paths(data):
        return _of_datasets(open_parquet(data, named), named)
    if hasattr(data, "column_names"):  # a Table or a RecordBatch
        return pick(data.schema.names, named, data.column)
    if hasattr(data, "get_fragments"):
        return _of_datasets([data], named)
    if not hasattr(data, "read_next_batch"):
        return read_stream(data, named)
    columns = check_lazy_columns(data, data.schema.names, named)
    wanted = unique(columns)

    def scan() -> Generator[Any]:
        check_not_begun(data in _begun)
        _begun.add(data)
        try:
            yield from (batch.select(wanted) for batch in data)
        except BaseException:
            data.close()
            raise
        _begun.remove(data)

    return Batches(columns, scan, reads_again=False)


def _of_datasets(datasets: list[Any], named: Mapping[str, Any]) -> Engine:
    columns = check_lazy_columns(datasets[0], datasets[0].schema.names, named)
    # Read one batch at a time, because PyArrow's threads would read ahead while a batch is counted,
    # and accumulate much of a file in memory.
    options = {"batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 0}
    wanted = unique(columns)

    def scan() -> Generator[Any]:
        for data in datasets:
            batches = data.to_batches(columns=wanted, use_threads=False, **options)
            yield from (_with_floats(batch, mixed) for batch in batches) if mixed else batches

    # If all files have decimals or integers, open_parquet has brought them to a common type.
    kinds = {name: {data.schema.field(name).type for data in datasets} for name in wanted}
    mixed = {name for name, each in kinds.items() if len(each) > 1}
    return Batches(columns, scan)


def _with_floats(batch: Any, names: Container[str]) -> Any:
    """Replace decimals by the nearest floats in columns that have floats in other files."""
    import pyarrow as pa

    columns = [
        pa.array(Decimals.of_arrow(column).to_floats())
        if name in names and pa.types.is_decimal(column.type) and not column.null_count
        else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
