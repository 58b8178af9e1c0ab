"""Conversion of names of groups to numbers."""

from collections import defaultdict
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from .segments import Array
from .words import number_rows, of_integers, of_strings, renumber

_FEW = 3000  # sorting up to this many is equally fast


def number_groups(groups: Array, in_order: bool = True) -> tuple[Array, Array]:
    """Return the distinct groups, sorted if in_order, and the index of each sample's group.

    This is like np.unique, but faster for integers in a small range and for strings, and it accepts
    any hashable objects. If `<` doesn't define an order of these, because there are several types
    or sets, numbers come first, followed by the others in the order of their types and reprs.
    """
    if groups.dtype.kind == "O":
        return _number_objects(groups, in_order)
    if groups.dtype.kind in "iu":
        low, high = groups.min().item(), groups.max().item()
        if high - low <= 4 * groups.size:
            return _number_close_integers(groups, low)
    found = _number_words(groups)
    if found is None:
        names, group = np.unique(groups, return_inverse=True)
        return names, group
    rows, group = found
    if not in_order:
        return groups[rows], group
    names, number = np.unique(groups[rows], return_inverse=True)
    return names, renumber(group, number)


def _number_words(groups: Array) -> tuple[Array, Array] | None:
    kind = groups.dtype.kind
    if groups.size <= _FEW or kind not in "iuUS" or not (groups.dtype.isnative and groups.itemsize):
        return None
    return number_rows(of_strings(groups) if kind in "US" else of_integers(groups), groups.size)


def _number_close_integers(groups: Array, low: int) -> tuple[Array, Array]:
    wide = groups.astype(np.uint64 if groups.dtype.kind == "u" else np.int64)
    lowest = wide.dtype.type(low)
    group = (wide - lowest).astype(np.intp)
    present = np.bincount(group) > 0
    names = np.flatnonzero(present).astype(wide.dtype) + lowest
    return names, (np.cumsum(present) - 1)[group]


def _number_objects(groups: Array, in_order: bool) -> tuple[Array, Array]:
    # If the same objects occur many times, it is enough to look at each of them once.
    same = None
    if groups.size > _FEW:
        addresses = np.frombuffer(groups.tobytes(), dtype=np.uintp)
        same = number_rows(of_integers(addresses), groups.size, most=0.25)
    if same is None:
        return _number_each_object(groups, in_order)
    rows, group = same
    first = np.empty(rows.size, dtype=np.intp)
    first[group[::-1]] = np.arange(group.size)[::-1]
    order = np.argsort(first)  # the first one of equal objects is the name
    number = np.empty(order.size, dtype=np.intp)
    names, number[order] = _number_each_object(groups[first[order]], in_order)
    return names, renumber(group, number)


def _number_each_object(groups: Array, in_order: bool) -> tuple[Array, Array]:
    seen: defaultdict[Any, int] = defaultdict()
    seen.default_factory = seen.__len__
    numbers = map(seen.__getitem__, groups.tolist())
    group = np.fromiter(numbers, dtype=np.intp, count=groups.size)
    names = np.fromiter(seen, dtype=object, count=len(seen))
    if not in_order:
        return names, group
    order = _sorting(names)
    place = np.empty(order.size, dtype=np.intp)
    place[order] = np.arange(order.size)
    return names[order], place[group]


def _sorting(names: Array) -> Array:
    try:
        order = sorted(range(names.size), key=names.__getitem__)
        in_order = set(map(type, names)) == {str} or all(
            names[one] < names[next_] for one, next_ in pairwise(order)
        )
    except TypeError:  # there are several types in the array
        in_order = False
    if not in_order:
        keys = [_key(name) for name in names]
        order = sorted(range(names.size), key=keys.__getitem__)
    return np.array(order, dtype=np.intp)


def _key(name: Any) -> tuple[str, Any]:
    """Return a key to sort names of any types, which is equal for equal names."""
    if isinstance(name, Real | Decimal | np.bool_):
        return "", name
    if isinstance(name, str):
        return "str", str(name)
    if isinstance(name, tuple):
        return "tuple", [_key(part) for part in name]
    if isinstance(name, frozenset):
        return "frozenset", sorted(_key(part) for part in name)
    return type(name).__name__, repr(name)
