"""Names of groups become numbers."""

from typing import Any

import numpy as np

from .segments import Array


def number_groups(groups: Array) -> tuple[Array, Array]:
    """The distinct groups, sorted, and the place of each sample's group among them.

    As np.unique, without its sort where integers lie close together, and for any hashable objects.
    """
    if groups.dtype.kind == "O":
        return _number_objects(groups)
    if groups.dtype.kind in "iu":
        low, high = groups.min().item(), groups.max().item()
        if high - low <= 4 * groups.size:
            return _number_close_integers(groups, low)
    names, group = np.unique(groups, return_inverse=True)
    return names, group


def _number_close_integers(groups: Array, low: int) -> tuple[Array, Array]:
    wide = groups.astype(np.uint64 if groups.dtype.kind == "u" else np.int64)
    group = (wide - wide.dtype.type(low)).astype(np.intp)
    present = np.bincount(group) > 0
    names = np.flatnonzero(present).astype(wide.dtype) + wide.dtype.type(low)
    return names.astype(groups.dtype), (np.cumsum(present) - 1)[group]


def _number_objects(groups: Array) -> tuple[Array, Array]:
    seen: dict[Any, int] = {}
    group = np.array([seen.setdefault(name, len(seen)) for name in groups])
    names = np.fromiter(seen, dtype=object, count=len(seen))
    order = _sorting(names)
    place = np.empty(order.size, dtype=np.intp)
    place[order] = np.arange(order.size)
    return names[order], place[group]


def _sorting(names: Array) -> Array:
    try:
        return np.array(sorted(range(names.size), key=names.__getitem__))
    except TypeError:  # several types in one array: by type, then as they print
        printed = [(type(name).__name__, repr(name)) for name in names]
        return np.array(sorted(range(names.size), key=printed.__getitem__))
