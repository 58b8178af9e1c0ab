"""Engine for Dask collections: passes become graphs, and the data stays on the workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import call
from typing import Any, Self

import numpy as np
from dask.base import compute
from dask.delayed import delayed

from .._words.engine import (
    IN_CHUNKS,
    MOST_DISTINCT,
    N_PARTITIONS,
    Chunk,
    Engine,
    Join,
    Named,
    Part,
    Rows,
    cut_evenly,
    in_chunk,
    join_in_tree,
    rows_of_partitions,
)
from .._words.inputs import COMBINED
from .._words.parameters import is_collection
from .engines import Columns, pick
from .tables import check_single_columns


def read_dask(data: Any, named: Named) -> Columns:
    """Return the columns of a Dask DataFrame, which are collections themselves."""
    check_single_columns(data, named, named)
    return pick(list(data.columns), named, data.__getitem__, [data.index.name])


@dataclass(frozen=True)
class Graph(Engine):
    """Engine that runs passes as Dask graphs."""

    columns: Columns
    chunks: list[Any]

    most = MOST_DISTINCT

    @classmethod
    def of(cls, columns: Columns) -> Self:
        """Make the chunks of collections, each of which is a delayed list of the columns."""
        given = {role: _read_delayed(role, value) for role, value in _align(columns).items()}
        numbers = {role: len(each) for role, each in given.items()}
        if len(set(numbers.values())) > 1:
            raise ValueError(
                f"Found inconsistent numbers of chunks: {numbers}. Rechunk them in the same way."
            )
        nothing = [None] * numbers["y_true"]
        filled = dict.fromkeys(IN_CHUNKS, nothing) | given
        rows = zip(*in_chunk(filled), strict=True)
        return cls(columns, [delayed(list)(list(row)) for row in rows])

    def over_chunks(self, make: Callable[[Chunk], Part], join: Join[Part]) -> Part:
        """Run a pass. Its result is fetched, so that no worker can lose it.

        Dask learns of the second pass only after the first one is complete. If it knew earlier, it
        would keep every chunk in memory until then.
        """
        made = delayed(make, traverse=False)  # with its arguments, of which each worker gets one
        parts = (delayed(call)(made, chunk) for chunk in self.chunks)
        joined: Any = join_in_tree(parts, delayed(join))
        found: Part = joined.compute()
        return found

    def over_partitions(
        self,
        split: Callable[[Chunk], list[list[Rows]]],
        make: Callable[[list[Rows]], Part],
        join: Join[Part],
    ) -> Part:
        """Run a pass over partitions. All of them need rows of every chunk, so these are put
        together first, lest there are as many pieces as pairs of a chunk and a partition.
        """
        made = delayed(make, traverse=False)
        rows = [delayed(split)(chunk) for chunk in self.chunks]
        nodes = [
            delayed(rows_of_partitions)(rows[some]) for some in cut_evenly(len(rows), N_PARTITIONS)
        ]
        parts = (
            delayed(_part_of_rows)(made, [node[some] for node in nodes])
            for some in cut_evenly(N_PARTITIONS, len(rows))
        )
        joined: Any = join_in_tree(parts, delayed(partial(_join_found, join)))
        found: Part = joined.compute()
        return found


def _part_of_rows(make: Callable[..., Part], nodes: list[list[list[Any]]]) -> Part | None:
    rows = [each for node in nodes for some in node for each in some]
    return make(rows) if rows else None


def _join_found(join: Join[Part], parts: list[Part | None]) -> Part | None:
    found = [part for part in parts if part is not None]
    return join(found) if found else None


def computed(columns: Columns) -> dict[str, Any]:
    """Return columns in memory. Some of them are collections, or mappings of models to these."""
    (found,) = compute(dict(columns))  # type: ignore[no-untyped-call]
    return {role: _concatenated(each, found[role]) for role, each in columns.items()}


def _concatenated(collection: Any, found: Any) -> Any:
    if isinstance(collection, Mapping):
        return {name: _concatenated(each, found[name]) for name, each in collection.items()}
    is_list = isinstance(collection, list) and is_collection(collection)  # of delayed chunks
    return np.concatenate(found) if is_list else found


def _align(columns: Columns) -> Columns:
    """Rechunk arrays with known chunks like y_true."""
    like = _chunks_of(columns.get("y_true"))
    return {name: _rechunked(each, like) for name, each in columns.items()}


def _chunks_of(collection: Any) -> Any:
    return collection.chunks if hasattr(type(collection), "chunks") else ()


def _rechunked(collection: Any, like: Any) -> Any:
    if isinstance(collection, Mapping):
        return {model: _rechunked(each, like) for model, each in collection.items()}
    if isinstance(collection, tuple):
        return tuple(_rechunked(each, like) for each in collection)
    chunks = _chunks_of(collection)
    # If the sizes are unknown, their sums are nan, and differ.
    if chunks and chunks != like and [*map(sum, chunks)] == [*map(sum, like)]:
        return collection.rechunk(like)
    return collection


def _read_delayed(name: str, collection: Any) -> list[Any]:
    """Return the delayed chunks of a collection, or of several models."""
    if isinstance(collection, Mapping):
        of_models = [_read_delayed(name, each) for each in collection.values()]
        if len({*map(len, of_models)}) > 1:
            numbers = dict(zip(collection, map(len, of_models), strict=True))
            raise ValueError(
                f"Found inconsistent numbers of chunks: {numbers}. Rechunk them in the same way."
            )
        pairs = ([*zip(collection, each, strict=True)] for each in zip(*of_models, strict=True))
        return [delayed(dict)(list(map(list, each))) for each in pairs]
    are_parts = isinstance(collection, tuple) and hasattr(type(collection[0]), "to_delayed")
    if name in COMBINED and are_parts:
        each = zip(*(_read_delayed(name, part) for part in collection), strict=True)
        chunks = [delayed(tuple)(list(parts)) for parts in each]
    elif isinstance(collection, list | tuple):
        chunks = list(collection)
    elif hasattr(type(collection), "to_delayed"):
        is_frame = hasattr(collection, "columns")
        if getattr(collection, "ndim", 1) != 1 and not (name in COMBINED and is_frame):
            raise ValueError(
                f"{name} should be 1d, but has {collection.ndim} dimensions. Pass one column, as "
                f"{name}{'[column]' if is_frame else '[:, 1]'}."
            )
        # Without optimization, so that tasks that several collections share are computed only once.
        chunks = list(np.ravel(collection.to_delayed(optimize_graph=False)))
    else:
        chunks = []
    if not chunks or not all(map(is_collection, chunks)):
        raise TypeError(
            f"{name} must be a Dask array, a Dask series or a list of delayed chunks, like y_true. "
            f"Got {type(collection).__name__} instead."
        )
    return chunks
