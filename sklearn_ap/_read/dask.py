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
        delayed_chunks = {
            role: _read_delayed(role, column) for role, column in _align(columns).items()
        }
        numbers = {role: len(chunks) for role, chunks in delayed_chunks.items()}
        if len(set(numbers.values())) > 1:
            raise ValueError(
                f"Found inconsistent numbers of chunks: {numbers}. Rechunk them in the same way."
            )
        nothing = [None] * numbers["y_true"]
        filled = dict.fromkeys(IN_CHUNKS, nothing) | delayed_chunks
        rows = zip(*in_chunk(filled), strict=True)
        return cls(columns, [delayed(list)(list(row)) for row in rows])

    def over_chunks(self, make: Callable[[Chunk], Part], join: Join[Part]) -> Part:
        """Run a pass. Its result is fetched, so that no worker can lose it.

        Dask learns of the second pass only after the first one is complete. If it knew earlier, it
        would keep every chunk in memory until then.
        """
        task = delayed(make, traverse=False)  # with its arguments, of which each worker gets one
        results = (delayed(call)(task, chunk) for chunk in self.chunks)
        joined: Any = join_in_tree(results, delayed(join))
        computed_result: Part = joined.compute()
        return computed_result

    def over_partitions(
        self,
        split: Callable[[Chunk], list[list[Rows]]],
        make: Callable[[list[Rows]], Part],
        join: Join[Part],
    ) -> Part:
        """Run a pass over partitions.

        Each of them needs rows of every chunk, so rows are put together first. Otherwise, there
        would be as many pieces as pairs of a chunk and a partition.
        """
        task = delayed(make, traverse=False)
        rows = [delayed(split)(chunk) for chunk in self.chunks]
        # Each node has the rows of all partitions in some chunks.
        nodes = [
            delayed(rows_of_partitions)(rows[chunks])
            for chunks in cut_evenly(len(rows), N_PARTITIONS)
        ]
        results = (
            delayed(_part_of_rows)(task, [node[partitions] for node in nodes])
            for partitions in cut_evenly(N_PARTITIONS, len(rows))
        )
        joined: Any = join_in_tree(results, delayed(partial(_join_found, join)))
        computed_result: Part = joined.compute()
        return computed_result


def _part_of_rows(make: Callable[..., Part], nodes: list[list[list[Any]]]) -> Part | None:
    """Make something of the rows of some partitions, which each node has as one list per partition.
    Return None if there are none.
    """
    rows = [row for node in nodes for partition in node for row in partition]
    return make(rows) if rows else None


def _join_found(join: Join[Part], results: list[Part | None]) -> Part | None:
    """Join the results of the partitions that have rows."""
    with_rows = [result for result in results if result is not None]
    return join(with_rows) if with_rows else None


def computed(columns: Columns) -> dict[str, Any]:
    """Return columns in memory. Some of them are collections, or mappings of models to these."""
    (in_memory,) = compute(dict(columns))  # type: ignore[no-untyped-call]
    return {role: _concatenated(column, in_memory[role]) for role, column in columns.items()}


def _concatenated(collection: Any, in_memory: Any) -> Any:
    """Concatenate the chunks of a collection after they were computed, if it is a list of them."""
    if isinstance(collection, Mapping):
        return {
            model: _concatenated(of_model, in_memory[model])
            for model, of_model in collection.items()
        }
    is_list = isinstance(collection, list) and is_collection(collection)  # of delayed chunks
    return np.concatenate(in_memory) if is_list else in_memory


def _align(columns: Columns) -> Columns:
    """Rechunk arrays with known chunks like y_true."""
    like = _chunks_of(columns.get("y_true"))
    return {role: _rechunked(column, like) for role, column in columns.items()}


def _chunks_of(collection: Any) -> Any:
    return collection.chunks if hasattr(type(collection), "chunks") else ()


def _rechunked(collection: Any, like: Any) -> Any:
    """Rechunk a column, that of each model, or each of several, if its sizes add up to those of
    `like`, which are the chunks of y_true.
    """
    if isinstance(collection, Mapping):
        return {model: _rechunked(of_model, like) for model, of_model in collection.items()}
    if isinstance(collection, tuple):
        return tuple(_rechunked(column, like) for column in collection)
    chunks = _chunks_of(collection)
    # If the sizes are unknown, their sums are nan, and differ.
    if chunks and chunks != like and [*map(sum, chunks)] == [*map(sum, like)]:
        return collection.rechunk(like)
    return collection


def _read_delayed(role: str, collection: Any) -> list[Any]:
    """Return the delayed chunks of a collection, or of several models.

    A chunk of several models is a dict, and one of several columns that name groups is a tuple.
    """
    if isinstance(collection, Mapping):
        return _delayed_of_models(role, collection)
    are_columns = isinstance(collection, tuple) and hasattr(type(collection[0]), "to_delayed")
    if role in COMBINED and are_columns:
        columns = [_read_delayed(role, column) for column in collection]
        chunks = [delayed(tuple)(list(cells)) for cells in zip(*columns, strict=True)]
    elif isinstance(collection, list | tuple):
        chunks = list(collection)
    elif hasattr(type(collection), "to_delayed"):
        is_frame = hasattr(collection, "columns")
        if getattr(collection, "ndim", 1) != 1 and not (role in COMBINED and is_frame):
            raise ValueError(
                f"{role} should be 1d, but has {collection.ndim} dimensions. Pass one column, as "
                f"{role}{'[column]' if is_frame else '[:, 1]'}."
            )
        # Without optimization, so that tasks that several collections share are computed only once.
        chunks = list(np.ravel(collection.to_delayed(optimize_graph=False)))
    else:
        chunks = []
    if not chunks or not all(map(is_collection, chunks)):
        raise TypeError(
            f"{role} must be a Dask array, a Dask series or a list of delayed chunks, like y_true. "
            f"Got {type(collection).__name__} instead."
        )
    return chunks


def _delayed_of_models(role: str, models: Mapping[Any, Any]) -> list[Any]:
    """Return delayed chunks, each of which maps the models to their scores."""
    of_models = [_read_delayed(role, collection) for collection in models.values()]
    sizes = [len(chunks) for chunks in of_models]
    if len(set(sizes)) > 1:
        numbers = dict(zip(models, sizes, strict=True))
        raise ValueError(
            f"Found inconsistent numbers of chunks: {numbers}. Rechunk them in the same way."
        )
    return [
        delayed(dict)([[model, scores] for model, scores in zip(models, chunk, strict=True)])
        for chunk in zip(*of_models, strict=True)
    ]
