"""Names of groups become numbers."""

from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from .segments import Array


def number_groups(groups: Array) -> tuple[Array, Array]:
    """The distinct groups, sorted, and the place of each sample's group among them.

    As np.unique, without its sort where integers lie close together, and for any hashable objects.
    Where `<` does not put these in one order, as with several types or with sets, numbers come
    first, and then the others by type and by how they print.
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
    group = np.array([seen.setdefault(name, len(seen)) for name in groups], dtype=np.intp)
    names = np.fromiter(seen, dtype=object, count=len(seen))
    order = _sorting(names)
    place = np.empty(order.size, dtype=np.intp)
    place[order] = np.arange(order.size)
    return names[order], place[group]


def _sorting(names: Array) -> Array:
    try:
        order = sorted(range(names.size), key=names.__getitem__)
        in_order = all(names[one] < names[next_] for one, next_ in pairwise(order))
    except TypeError:  # several types in one array
        in_order = False
    if not in_order:
        keys = [_key(name) for name in names]
        order = sorted(range(names.size), key=keys.__getitem__)
    return np.array(order, dtype=np.intp)


def _key(name: Any) -> tuple[str, Any]:
    """What puts names of any types in one order; the same for names that are equal."""
    if isinstance(name, Real | Decimal | np.bool_):
        return "", name
    if isinstance(name, str):
        return "str", str(name)
    if isinstance(name, tuple):
        return "tuple", [_key(part) for part in name]
    if isinstance(name, frozenset):
        return "frozenset", sorted(_key(part) for part in name)
    return type(name).__name__, repr(name)
