"""Reader of Dask collections, whose graph is computed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from dask.base import compute

from .._words.inputs import Named
from .._words.parameters import is_collection
from ..core.tallies import in_one_dtype
from ..core.within import Array
from .engines import Columns, pick
from .tables import check_named_columns, unique


def read_dask(data: Any, named: Named) -> Columns:
    """Return the columns of a Dask DataFrame."""
    check_named_columns(list(data.columns), named, [data.index.name])
    frame = data[unique(named)].compute()
    return pick(list(frame.columns), named, frame.__getitem__)


def computed(columns: Columns) -> dict[str, Any]:
    """Return columns in memory. Some of them are collections, or mappings of models to these."""
    in_memory: dict[str, Any] = {}
    for are_frames in (True, False):  # because Dask warns if it computes both at once
        some = {role: each for role, each in columns.items() if _is_frame(each) == are_frames}
        in_memory |= compute(some)[0]  # type: ignore[no-untyped-call]
    return {role: _concatenated(column, in_memory[role]) for role, column in columns.items()}


def _is_frame(collection: Any) -> bool:
    """Whether this is a DataFrame or a Series, or consists of these."""
    parts = collection.values() if isinstance(collection, Mapping) else collection
    if isinstance(parts, list | tuple) or isinstance(collection, Mapping):
        return all(map(_is_frame, parts))
    return hasattr(type(collection), "dask") and hasattr(collection, "expr")


def _concatenated(collection: Any, in_memory: Any) -> Any:
    """Concatenate the chunks of a collection after they were computed, if it is a list of them."""
    if isinstance(collection, Mapping):
        return {
            model: _concatenated(of_model, in_memory[model])
            for model, of_model in collection.items()
        }
    is_list = isinstance(collection, list) and is_collection(collection)  # of delayed chunks
    return _joined_chunks([*map(np.asarray, in_memory)]) if is_list else in_memory


def _joined_chunks(chunks: list[Array]) -> Array:
    """Concatenate chunks of any types, none of whose values changes."""
    kinds = {chunk.dtype.kind for chunk in chunks}
    if kinds <= {*"biuf"} or len(kinds) == 1:
        return in_one_dtype(chunks) if kinds <= {*"biuf"} else np.concatenate(chunks)
    return np.concatenate([chunk.astype(object) for chunk in chunks])
