"""Conversion of names of groups to numbers.

Strings and integers become rows of 64-bit words, and equal rows are found in hash tables.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from decimal import Decimal
from numbers import Real
from random import Random
from typing import Any

import numpy as np

from .within import Array, blocks

Name = Hashable  # of a group, a cluster, a class or a model: a string, a number, a tuple, ...

_FEW = 3000  # sorting up to this many is equally fast

# A function that returns the first word of each of some rows, the second of each, and so on.
Words = Callable[[slice | Array], list[Array]]

_WORD = np.dtype("<u8")
_SAMPLE = 8  # one out of this many rows
# If all rows differ, about a third of them is left after each turn.
_FACTORS = [np.uint64(Random(turn).getrandbits(64) | 1) for turn in range(16)]


def number_groups(groups: Array, in_order: bool = True) -> tuple[Array, Array]:
    """Return the distinct groups, sorted if in_order, and the index of each sample's group.

    This is like np.unique, but faster for integers in a small range and for strings, and it accepts
    any hashable objects. If there are several types of these, numbers come first, followed by the
    others in the order of their types and reprs. Sets have no order.
    """
    if groups.dtype.kind == "O":
        return _number_objects(groups, in_order)
    if groups.dtype.kind in "iu" and groups.size:
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
    wide = groups.astype(np.uint64 if groups.dtype.kind == "u" else np.int64, copy=False)
    lowest = wide.dtype.type(low)
    group = (wide - lowest).astype(np.intp, copy=False)
    present = np.zeros(group.max() + 1, dtype=bool)
    present[group] = True
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
    seen: defaultdict[Name, int] = defaultdict()
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
    each = range(names.size)
    try:
        order = sorted(each, key=names.__getitem__)
    except TypeError:  # there are several types in the array
        order = sorted(each, key=lambda place: _key(names[place]))
    return np.array(order, dtype=np.intp)


def _key(name: Any) -> tuple[str, Any]:
    """Return a key to sort names of any types."""
    if isinstance(name, Real | Decimal | np.bool_):
        return "", name
    return ("str", str(name)) if isinstance(name, str) else (type(name).__name__, repr(name))


# --- rows of words --------------------------------------------------------------------------------


def of_strings(strings: Array) -> Words:
    """Return words of strings in an array, with characters as narrow as possible."""
    unit = np.uint32 if strings.dtype.kind == "U" else np.uint8
    units = np.ascontiguousarray(strings).view(unit).reshape(strings.size, -1)
    highest = max((units[some].max() for some in blocks(len(units))), default=0)
    narrow = np.min_scalar_type(highest)
    width = units.shape[1] * narrow.itemsize

    def words(some: slice | Array) -> list[Array]:
        held = units[some]
        row_bytes = np.empty(len(held) * width + _WORD.itemsize, dtype=np.uint8)
        np.copyto(row_bytes[: -_WORD.itemsize].view(narrow).reshape(held.shape), held, "unsafe")
        return [
            np.ndarray(len(held), _WORD, row_bytes, start, (width,))
            & np.uint64(2 ** (8 * min(width - start, 8)) - 1)
            for start in range(0, width, _WORD.itemsize)
        ]

    return words


def of_integers(integers: Array) -> Words:
    return lambda some: [integers[some].astype(_WORD)]


def number_rows(words: Words, size: int, most: float = 1.0) -> tuple[Array, Array] | None:
    """Return one row of each kind, and the kind of each row.

    Return None if there are more kinds than this fraction of the rows, or too many collisions in
    hash tables.
    """
    if size >= 2**31:
        return None
    kind = np.empty(size, dtype=np.int32)
    found: list[Array] = []
    count, rest = 0, None
    for factor in _FACTORS:
        table, rows = _some_of_each(words, size, rest, factor, most)
        if count + rows.size > most * size:
            return None
        own, unlike = words(rows), []
        for some, numbers in _some_by_some(size, rest):
            held = words(some)
            which = table.take(_slots(held, factor, table))
            differs = own[0].take(which) != held[0]
            for mine, word in zip(own[1:], held[1:], strict=True):
                differs |= mine.take(which) != word
            which += count
            kind[some] = which
            unlike.append(numbers[differs.nonzero()[0]])
        found.append(rows)
        count += rows.size
        rest = np.concatenate(unlike)
        if not rest.size:
            return np.concatenate(found), kind
    return None


def renumber(kind: Array, number: Array) -> Array:
    """Replace the kind of each row by the number of the kind, in place."""
    for some in blocks(kind.size):
        kind[some] = number.take(kind[some])
    return kind


def _some_of_each(
    words: Words, size: int, rest: Array | None, factor: np.uint64, most: float
) -> tuple[Array, Array]:
    """Make a hash table of some rows, and return it with these rows.

    In the first round, a sample of the rows is used, which is enough if there are few kinds.
    """
    if rest is None:
        sample = np.arange(0, size, _SAMPLE, dtype=np.int32)
        table, rows = _one_at_each_place(words, size, sample, factor, size // 2)
        if 4 * rows.size < sample.size or rows.size > most * size:
            return table, rows
    return _one_at_each_place(words, size, rest, factor, size if rest is None else rest.size)


def _one_at_each_place(
    words: Words, size: int, rest: Array | None, factor: np.uint64, n_places: int
) -> tuple[Array, Array]:
    table = np.full(2 ** _bits(n_places), -1, dtype=np.int32)
    for some, numbers in _some_by_some(size, rest):
        table[_slots(words(some), factor, table)] = numbers
    taken = (table >= 0).nonzero()[0]
    rows = table[taken]
    table[taken] = np.arange(rows.size)
    return table, rows


def _some_by_some(size: int, rest: Array | None) -> Iterator[tuple[slice | Array, Array]]:
    """Yield blocks of the remaining rows, or of all rows, with their numbers."""
    for part in blocks(size if rest is None else rest.size):
        if rest is None:
            yield part, np.arange(part.start, min(part.stop, size), dtype=np.int32)
        else:
            yield rest[part], rest[part]


def _slots(words: list[Array], factor: np.uint64, table: Array) -> Array:
    """Return the slot of each row in the hash table, which is the same for equal rows."""
    hashed = words[0] * factor
    for word in words[1:]:
        hashed += word
        hashed *= factor
    hashed >>= np.uint64(64 - _bits(table.size - 1))
    return hashed.view(np.int64)


def _bits(n_places: int) -> int:
    return n_places.bit_length()
