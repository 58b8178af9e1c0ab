"""Names of groups become numbers."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from .segments import Array

_FEW = 3000  # a sort of so few is as fast
_MOST_TABLES = 8
_BLOCK = 2**15  # values that are compared at once: what fits a core's own cache


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
    if same is None:
        return _number_each_object(groups)
    first, number = same
    order = np.argsort(first)  # of equal objects the first gives the name
    group = np.empty(order.size, dtype=np.intp)
    names, group[order] = _number_each_object(groups[first[order]])
    return names, group.take(number)


def _number_each_object(groups: Array) -> tuple[Array, Array]:
    seen: defaultdict[Any, int] = defaultdict()
    seen.default_factory = seen.__len__
    numbers = map(seen.__getitem__, groups.tolist())
    group = np.fromiter(numbers, dtype=np.intp, count=groups.size)
    names = np.fromiter(seen, dtype=object, count=len(seen))
    order = _sorting(names)
    place = np.empty(order.size, dtype=np.intp)
    place[order] = np.arange(order.size)
    return names[order], place[group]


def _number_by_hash(values: Array, most: float = 1.0) -> tuple[Array, Array] | None:
    """Where each distinct value is first, and which of these each sample equals.

    None where hashes do not tell the values apart, or where more than this share of the values
    turn out to be distinct.
    """
    size, dtype = values.size, values.dtype
    if not (dtype.isnative and dtype.itemsize and _FEW < size < 2**31):
        return None
    word = np.uint32 if dtype.itemsize % 8 else np.uint64
    words = np.ascontiguousarray(values).view(word).reshape(size, -1)
    for hashed in _hashes(words):
        found = _number_hashes(hashed, most)
        if found is None or _are_same(words, *found):
            return found
    return None


def _hashes(words: Array) -> Iterator[Array]:
    """For each row an integer, the same where rows are the same; then one of more bits."""
    low, high = _odd_integers(2 * words.shape[1]).astype(words.dtype).reshape(2, -1)
    hashed = np.einsum("ij,j->i", words, low)
    yield hashed
    if hashed.itemsize == 4:
        yield hashed | np.einsum("ij,j->i", words, high).astype(np.uint64) << np.uint64(32)


def _number_hashes(hashed: Array, most: float) -> tuple[Array, Array] | None:
    """The same for hashes. Those that meet another at their place go on to the next table."""
    size, bits = hashed.size, _bits(hashed.size)
    shift = hashed.dtype.type(8 * hashed.itemsize - bits)
    table = np.empty(2**bits, dtype=np.int32)
    place, number = np.empty((2, size), dtype=np.int32)
    first: list[Array] = []
    rest = np.arange(size, dtype=np.int32)
    for factor in _odd_integers(_MOST_TABLES).astype(hashed.dtype):
        place = place[: rest.size]
        parts = [slice(start, start + _BLOCK) for start in range(0, rest.size, _BLOCK)]
        for part in reversed(parts):  # of several that share a place the first takes it
            place[part] = hashed.take(rest[part]) * factor >> shift
            table[place[part][::-1]] = rest[part][::-1]
        heads = np.concatenate(
            [rest[part][table.take(place[part]) == rest[part]] for part in parts]
        )
        if heads.size > most * size:
            return None
        known, count = hashed.take(heads), sum(map(len, first))
        table[known * factor >> shift] = np.arange(heads.size)
        unlike = []
        for part in parts:
            own, which = rest[part], table.take(place[part])
            number[own] = which + count
            unlike.append(own[hashed.take(own) != known.take(which)])
        first.append(heads)
        rest = np.concatenate(unlike)
        if not rest.size:
            return np.concatenate(first), number
    return None


def _bits(size: int) -> int:
    """The size of a table as a power of two: one place a sample at least."""
    return size.bit_length()


def _are_same(words: Array, first: Array, number: Array) -> bool:
    """Whether each row is that of its number."""
    distinct = words[first]
    starts = range(0, number.size, _BLOCK)
    blocks = (slice(start, start + _BLOCK) for start in starts)
    return all(np.array_equal(distinct.take(number[rows], axis=0), words[rows]) for rows in blocks)


def _odd_integers(size: int) -> Array:
    """Of 64 bits, each with a half of 32 bits that is odd too."""
    return np.random.default_rng(0).integers(2**64, size=size, dtype=np.uint64) | np.uint64(1)


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
