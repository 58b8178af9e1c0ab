"""Names of groups become numbers."""

from collections import defaultdict
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from .segments import Array

_MOST_TABLES = 8
_BLOCK = 2**12  # values that are compared at once: what fits a core's own cache


def number_groups(groups: Array) -> tuple[Array, Array]:
    """The distinct groups, sorted, and the place of each sample's group among them.

    As np.unique, without its sort where integers lie close together or strings are of one width,
    and for any hashable objects. Where `<` does not put these in one order, as with several types
    or with sets, numbers come first, and then the others by type and by how they print.
    """
    if groups.dtype.kind == "O":
        return _number_objects(groups)
    if groups.dtype.kind in "iu":
        low, high = groups.min().item(), groups.max().item()
        if high - low <= 4 * groups.size:
            return _number_close_integers(groups, low)
    found = _number_by_hash(groups) if groups.dtype.kind == "U" else None
    if found is None:
        names, group = np.unique(groups, return_inverse=True)
        return names, group
    first, group = found
    names, place = np.unique(groups[first], return_inverse=True)
    return names, place.astype(group.dtype).take(group)


def _number_close_integers(groups: Array, low: int) -> tuple[Array, Array]:
    wide = groups.astype(np.uint64 if groups.dtype.kind == "u" else np.int64)
    group = (wide - wide.dtype.type(low)).astype(np.intp)
    present = np.bincount(group) > 0
    names = np.flatnonzero(present).astype(wide.dtype) + wide.dtype.type(low)
    return names.astype(groups.dtype), (np.cumsum(present) - 1)[group]


def _number_objects(groups: Array) -> tuple[Array, Array]:
    # Where the same objects come again and again, it is enough to look at each of them once.
    same = _number_by_hash(np.frombuffer(groups.tobytes(), dtype=np.uintp), most=0.25)
    distinct = groups if same is None else groups[same[0]]
    seen: defaultdict[Any, int] = defaultdict()
    seen.default_factory = seen.__len__
    numbers = map(seen.__getitem__, distinct.tolist())
    group = np.fromiter(numbers, dtype=np.intp, count=distinct.size)
    names = np.fromiter(seen, dtype=object, count=len(seen))
    order = _sorting(names)
    place = np.empty(order.size, dtype=np.intp)
    place[order] = np.arange(order.size)
    group = place[group]
    return names[order], group if same is None else group.take(same[1])


def _number_by_hash(values: Array, most: float = 1.0) -> tuple[Array, Array] | None:
    """Where one sample of each distinct value is, and which of these each sample equals.

    A hash table: values that come upon others at their place are put into the next table. None
    where tables do not help, or where more than this share of the values turn out to be distinct.
    """
    size, is_plain = values.size, values.dtype.isnative and values.dtype.itemsize
    if not (is_plain and 0 < size < 2**31):
        return None
    word = np.dtype(np.uint64 if values.dtype.itemsize % 8 == 0 else np.uint32)
    words = np.ascontiguousarray(values).view(word).reshape(size, -1)
    bits = size.bit_length()
    last = np.empty(2**bits, dtype=np.int32)  # which sample came last to each place
    number = np.empty(size, dtype=np.int32)
    first: list[Array] = []
    rest = np.arange(size, dtype=np.int32)
    for salt in range(_MOST_TABLES):
        some = rest if first else slice(None)
        place = _hash(words[some], salt, bits)
        last[place] = rest
        twin = last.take(place)
        heads = rest[twin == rest]
        if heads.size > most * size:
            return None
        number[heads] = sum(map(len, first)) + np.arange(heads.size)
        number[some] = number.take(twin)  # where they are unlike, the next table puts it right
        first.append(heads)
        rest = rest[_unlike(values, twin, rest)]
        if not rest.size:
            return np.concatenate(first), number
    return None


def _unlike(values: Array, one: Array, other: Array) -> Array:
    """Whether the values at two places differ, for each pair of places."""
    unlike = np.empty(one.size, dtype=bool)
    for start in range(0, one.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        np.not_equal(values.take(one[block]), values.take(other[block]), out=unlike[block])
    return unlike


def _hash(words: Array, salt: int, bits: int) -> Array:
    """For each row a number of so many bits, the same where rows are the same."""
    limit, size = np.iinfo(words.dtype).max, words.shape[1]
    factors = np.random.default_rng(salt).integers(limit, size=(size,), dtype=words.dtype) | 1
    one = words.shape[1] == 1
    mixed = words[:, 0] * factors[0] if one else np.einsum("ij,j->i", words, factors)
    mixed >>= words.dtype.type(8 * words.itemsize - bits)
    return np.asarray(mixed.astype(np.intp))


def _sorting(names: Array) -> Array:
    try:
        order = sorted(range(names.size), key=names.__getitem__)
        in_order = set(map(type, names)) == {str} or all(
            names[one] < names[next_] for one, next_ in pairwise(order)
        )
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
