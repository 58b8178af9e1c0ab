"""Collections of chunks that Dask holds, told without importing Dask."""

from collections.abc import Iterator
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
            f"{name} must be a dask array, a dask series or a list of delayed chunks, got "
            f"{type(collection).__name__}. For data in memory use the functions of sklearn_ap."
        )
    return chunks


def check_as_many_chunks(numbers: dict[str, int]) -> int:
    if len(set(numbers.values())) > 1:
        raise ValueError(
            f"Found inconsistent numbers of chunks: {numbers}. Give all of them the same chunks."
        )
    return numbers["y_true"]


def check_few_enough(distinct: int, most: int, instead: str) -> None:
    if distinct > most:
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


def check_each_once(names: list[Any]) -> None:
    for name in _repeated(names):
        raise ValueError(
            f"sorted_by_group=True, but the samples of group {name!r} do not follow one another. "
            "Sort them, or use sorted_by_group=False."
        )


def check_in_one_partition(names: list[Any]) -> None:
    for name in _repeated(names):
        raise ValueError(
            f"partitioned_by_group=True, but the samples of group {name!r} lie in more than one "
            "partition. Repartition by the column of groups, or use partitioned_by_group=False."
        )


def _repeated(names: list[Any]) -> Iterator[Any]:
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)
