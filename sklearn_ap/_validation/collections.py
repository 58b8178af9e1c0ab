"""Collections of chunks that Dask holds, told without importing Dask."""

from typing import Any

import numpy as np

from ..core.segments import Array
from .parameters import is_dask_collection


def check_delayed(name: str, collection: Any) -> list[Any]:
    """The chunks of a collection, delayed."""
    if isinstance(collection, list | tuple):
        chunks = list(collection)
    elif hasattr(type(collection), "to_delayed"):
        if getattr(collection, "ndim", 1) != 1:
            raise ValueError(
                f"{name} should be 1d, but has {collection.ndim} dimensions: pass one column, as "
                f"{name}{'[column]' if hasattr(collection, 'columns') else '[:, 1]'}."
            )
        # As it is, so that what several collections share is made once.
        chunks = list(np.ravel(collection.to_delayed(optimize_graph=False)))
    else:
        chunks = []
    if not chunks or not all(map(is_dask_collection, chunks)):
        raise TypeError(
            f"{name} must be a dask array, a dask series or a list of delayed chunks, like y_true, "
            f"but got {type(collection).__name__}."
        )
    return chunks


def check_as_many_chunks(numbers: dict[str, int]) -> int:
    if len(set(numbers.values())) > 1:
        raise ValueError(
            f"Found inconsistent numbers of chunks: {numbers}. Give all of them the same chunks."
        )
    return numbers["y_true"]


def check_few_enough(distinct: int, most: int | None, instead: str) -> None:
    if most is not None and distinct > most:
        raise ValueError(
            f"The positives have more than {most:,} distinct scores, too many to be sent to every "
            f"worker. Use {instead}."
        )


def check_same_data(strange: Array) -> None:
    if strange.any():
        raise RuntimeError(
            "The chunks gave different scores when they were read a second time. Persist them, or "
            "use a fixed seed where they are made."
        )


def check_reads_again(reads_again: bool) -> None:
    if not reads_again:
        raise ValueError(
            "Bounds take two passes, but data can be read only once. Pass what can be read again, "
            "such as a pyarrow.dataset.Dataset or a pathlib.Path, or update an "
            "AveragePrecisionAccumulator(max_bins=...) with its batches."
        )


def check_sorted_by_group(reads_again: bool, name: Any) -> None:
    if not reads_again:
        raise ValueError(
            f"The rows of group {name!r} do not follow one another, and data can be read only "
            "once. Sort it by groups, or pass what can be read again, such as a "
            "pyarrow.dataset.Dataset or a pathlib.Path."
        )


def check_whole_groups(names: list[Any]) -> None:
    """That no group came from two partitions, after its rows were brought together."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise RuntimeError(
                f"The rows of group {name!r} came from several partitions. Are there equal groups "
                "that Spark tells apart? Cast the column of groups to a plain string or integer."
            )
        seen.add(name)
