"""Validation of Dask collections and of chunks, without importing Dask."""

from collections.abc import Sequence
from math import isclose
from typing import Any

import numpy as np

from ..core.segments import Array
from .parameters import is_dask_collection


def check_delayed(name: str, collection: Any) -> list[Any]:
    """Return the delayed chunks of a collection."""
    if isinstance(collection, list | tuple):
        chunks = list(collection)
    elif hasattr(type(collection), "to_delayed"):
        if getattr(collection, "ndim", 1) != 1:
            raise ValueError(
                f"{name} should be 1d, but has {collection.ndim} dimensions. Pass one column, as "
                f"{name}{'[column]' if hasattr(collection, 'columns') else '[:, 1]'}."
            )
        # Without optimization, so that tasks that several collections share are computed only once.
        chunks = list(np.ravel(collection.to_delayed(optimize_graph=False)))
    else:
        chunks = []
    if not chunks or not all(map(is_dask_collection, chunks)):
        raise TypeError(
            f"{name} must be a Dask array, a Dask series or a list of delayed chunks, like y_true. "
            f"Got {type(collection).__name__} instead."
        )
    return chunks


def check_as_many_chunks(numbers: dict[str, int]) -> int:
    if len(set(numbers.values())) > 1:
        raise ValueError(
            f"Found inconsistent numbers of chunks: {numbers}. Rechunk all of them in the same way."
        )
    return numbers["y_true"]


def check_few_enough(distinct: int, most: int | None, instead: str) -> None:
    if most is not None and distinct > most:
        raise ValueError(
            f"The positives have more than {most:,} distinct prediction scores, which are too many "
            f"to send to every worker. Use {instead}."
        )


def check_same_data(strange: Array) -> None:
    if strange.any():
        raise RuntimeError(
            "The chunks contained different prediction scores when they were read a second time. "
            "Persist them, or use a fixed seed where they are created."
        )


def check_same_rows(rows: tuple[int, int], masses: Sequence[tuple[float, float]]) -> None:
    """Check that two passes saw as many rows, and the same masses but for rounding."""
    first, second = rows
    same = all(isclose(before, after, rel_tol=1e-9) for before, after in masses)
    if first != second or not same:
        what = f"{second:,} rows instead of {first:,}" if first != second else "other rows"
        raise RuntimeError(
            f"The chunks contained {what} when they were read a second time. Persist them, use a "
            "fixed seed where they are created, or make sure that nothing else changes them or "
            "uses their connection meanwhile."
        )


def check_reads_again(reads_again: bool, what_needs: str, besides: str = "") -> None:
    if not reads_again:
        raise ValueError(
            f"{what_needs} two passes, but data can be read only once. Pass data that can be read "
            f"again, such as a pyarrow.dataset.Dataset or a pathlib.Path{besides}."
        )


def check_ended(ended: bool) -> None:
    if not ended:
        raise RuntimeError(
            "The query for data ended before its last row, probably because another thread used "
            "the same DuckDB connection. Give each thread its own, as connection.cursor()."
        )


def check_not_begun(begun: bool) -> None:
    if begun:
        raise ValueError(
            "data can be read only once, and some of it has been read: by a call that raised an "
            "error, or by one that is still running. Create it again, so that no rows are missing."
        )


def check_sorted_by_group(reads_again: bool, name: Any) -> None:
    if not reads_again:
        raise ValueError(
            f"The rows of group {name!r} are not consecutive, and data can be read only once. Sort "
            "it by groups, or pass data that can be read again, such as a pyarrow.dataset.Dataset "
            "or a pathlib.Path."
        )


def check_whole_groups(names: list[Any]) -> None:
    """Check that no group came from two partitions after Spark brought its rows together."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise RuntimeError(
                f"The rows of group {name!r} came from several partitions, probably because there "
                "are equal groups that Spark distinguishes. Cast the column of groups to a plain "
                "string or integer."
            )
        seen.add(name)
