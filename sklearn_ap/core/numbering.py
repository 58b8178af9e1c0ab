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

from .ragged import Array, split_into_blocks

Name = Hashable  # of a group, a cluster, a class or a model: a string, a number, a tuple, ...

_MAX_SORTED_GROUPS = 3000  # sorting up to this many is equally fast

# A function that gets a slice or the numbers of rows, and returns the first word of each of these
# rows, the second of each, and so on.
Words = Callable[[slice | Array], list[Array]]

_WORD_DTYPE = np.dtype("<u8")
_SAMPLING_STEP = 8  # one out of this many rows
# If all rows differ, about a third of them is left after each turn.
_HASH_FACTORS = [np.uint64(Random(turn).getrandbits(64) | 1) for turn in range(16)]


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
            return _number_close_integers(groups, low, high)
    numbered = _number_words(groups)
    if numbered is None:
        names, group = np.unique(groups, return_inverse=True)
        return names, group
    rows, group = numbered
    if not in_order:
        return groups[rows], group
    names, number = np.unique(groups[rows], return_inverse=True)
    return names, renumber(group, number)


def _number_words(groups: Array) -> tuple[Array, Array] | None:
    """Number strings and integers as `number_rows` does; None if that is slower or impossible."""
    kind = groups.dtype.kind
    if (
        groups.size <= _MAX_SORTED_GROUPS
        or kind not in "iuUS"
        or not (groups.dtype.isnative and groups.itemsize)
    ):
        return None
    words = make_string_words(groups) if kind in "US" else make_integer_words(groups)
    return number_rows(words, groups.size)


def _number_close_integers(groups: Array, low: int, high: int) -> tuple[Array, Array]:
    """Number integers, from `low` to `high`, by looking them up in an array of their range.

    Return the distinct integers in their order, and the index of each sample's integer.
    """
    wide = np.dtype(np.uint64 if groups.dtype.kind == "u" else np.int64)
    lowest = wide.type(low)
    group = np.empty(groups.size, dtype=np.int32 if high - low < 2**31 else np.int64)
    present = np.zeros(high - low + 1, dtype=bool)
    for block in split_into_blocks(groups.size):
        from_low = groups[block].astype(wide) - lowest
        present[from_low] = True
        group[block] = from_low
    names = np.flatnonzero(present).astype(wide) + lowest
    if names.size < present.size:
        renumber(group, np.cumsum(present) - 1)
    return names, group


def _number_objects(groups: Array, in_order: bool) -> tuple[Array, Array]:
    """Number hashable objects; see `number_groups`."""
    # If the same objects occur many times, it is enough to look at each of them once.
    by_address = None
    if groups.size > _MAX_SORTED_GROUPS:
        addresses = np.frombuffer(groups.tobytes(), dtype=np.uintp)
        by_address = number_rows(make_integer_words(addresses), groups.size, most=0.25)
    if by_address is None:
        return _number_each_object(groups, in_order)
    rows, group = by_address
    first = np.empty(rows.size, dtype=np.intp)
    first[group[::-1]] = np.arange(group.size)[::-1]
    order = np.argsort(first)  # the first one of equal objects is the name
    number = np.empty(order.size, dtype=np.intp)
    names, number[order] = _number_each_object(groups[first[order]], in_order)
    return names, renumber(group, number)


def _number_each_object(groups: Array, in_order: bool) -> tuple[Array, Array]:
    """Number hashable objects in a dict."""
    number_of: defaultdict[Name, int] = defaultdict()
    number_of.default_factory = number_of.__len__  # a new name gets the next number
    numbers = map(number_of.__getitem__, groups.tolist())
    group = np.fromiter(numbers, dtype=np.intp, count=groups.size)
    names = np.fromiter(number_of, dtype=object, count=len(number_of))
    if not in_order:
        return names, group
    order = _sorting(names)
    place = np.empty(order.size, dtype=np.intp)
    place[order] = np.arange(order.size)
    return names[order], place[group]


def _sorting(names: Array) -> Array:
    """Return the order of names, whose types may differ."""
    places = range(names.size)
    try:
        order = sorted(places, key=names.__getitem__)
    except TypeError:  # there are several types in the array
        order = sorted(places, key=lambda place: _key(names[place]))
    return np.array(order, dtype=np.intp)


def _key(name: Any) -> tuple[str, Any]:
    """Return a key to sort names of any types."""
    if isinstance(name, np.timedelta64):  # a number to Python, but not comparable with others
        return "timedelta64", name
    if isinstance(name, Real | Decimal | np.bool_):
        return "", name
    return ("str", str(name)) if isinstance(name, str) else (type(name).__name__, repr(name))


# --- rows of words --------------------------------------------------------------------------------


def make_string_words(strings: Array) -> Words:
    """Return words of strings in an array, with characters as narrow as possible."""
    character = np.uint32 if strings.dtype.kind == "U" else np.uint8
    characters = np.ascontiguousarray(strings).view(character).reshape(strings.size, -1)
    highest = max(
        (characters[block].max() for block in split_into_blocks(len(characters))), default=0
    )
    narrow = np.min_scalar_type(highest)
    width = characters.shape[1] * narrow.itemsize  # of a row, in bytes

    def words(rows: slice | Array) -> list[Array]:
        wide = characters[rows]
        # The last word of the last row may reach beyond it.
        row_bytes = np.empty(len(wide) * width + _WORD_DTYPE.itemsize, dtype=np.uint8)
        np.copyto(
            row_bytes[: -_WORD_DTYPE.itemsize].view(narrow).reshape(wide.shape), wide, "unsafe"
        )
        words_of_rows = []
        for start in range(0, width, _WORD_DTYPE.itemsize):
            word = np.ndarray(len(wide), _WORD_DTYPE, row_bytes, start, (width,))
            n_bytes = min(width - start, _WORD_DTYPE.itemsize)  # all others are of the next row
            words_of_rows.append(word & np.uint64(2 ** (8 * n_bytes) - 1))
        return words_of_rows

    return words


def make_integer_words(integers: Array) -> Words:
    """Return words of integers in an array, one each."""
    return lambda rows: [integers[rows].astype(_WORD_DTYPE)]


def number_rows(words: Words, size: int, most: float = 1.0) -> tuple[Array, Array] | None:
    """Return one row of each kind, and the kind of each row.

    Return None if there are more kinds than this fraction of the rows, or too many collisions in
    hash tables.
    """
    if size >= 2**31:
        return None
    kind = np.empty(size, dtype=np.int32)
    rows_of_kinds: list[Array] = []
    n_kinds = 0
    remaining = None  # the rows whose kind isn't known yet; None for all rows
    for factor in _HASH_FACTORS:
        # New kinds, each with one row, which is that of its slot in the table
        table, rows = _make_hash_table(words, size, remaining, factor, most)
        if n_kinds + rows.size > most * size:
            return None
        words_of_kinds, unlike = words(rows), []
        for block, numbers in _split_remaining(size, remaining):
            words_of_block = words(block)
            new_kind = table.take(_compute_slots(words_of_block, factor, table))
            differs = words_of_kinds[0].take(new_kind) != words_of_block[0]
            for word_of_kinds, word in zip(words_of_kinds[1:], words_of_block[1:], strict=True):
                differs |= word_of_kinds.take(new_kind) != word
            new_kind += n_kinds
            kind[block] = new_kind  # which the next turns replace where it differs
            unlike.append(numbers[differs.nonzero()[0]])
        rows_of_kinds.append(rows)
        n_kinds += rows.size
        remaining = np.concatenate(unlike)
        if not remaining.size:
            return np.concatenate(rows_of_kinds), kind
    return None


def renumber(kind: Array, number: Array) -> Array:
    """Replace the kind of each row by the number of the kind, in place."""
    for block in split_into_blocks(kind.size):
        kind[block] = number.take(kind[block])
    return kind


def _make_hash_table(
    words: Words, size: int, remaining: Array | None, factor: np.uint64, most: float
) -> tuple[Array, Array]:
    """Make a hash table of rows of different kinds, and return it with these rows.

    It has the place of one of these rows in each slot, and -1 in slots that no row has. In the
    first round, a sample of the rows is used, which is enough if there are few kinds.
    """
    if remaining is None:
        sample = np.arange(0, size, _SAMPLING_STEP, dtype=np.int32)
        table, rows = _fill_slots(words, size, sample, factor, size // 2)
        if 4 * rows.size < sample.size or rows.size > most * size:
            return table, rows
    n_slots = size if remaining is None else remaining.size
    return _fill_slots(words, size, remaining, factor, n_slots)


def _fill_slots(
    words: Words, size: int, remaining: Array | None, factor: np.uint64, n_slots: int
) -> tuple[Array, Array]:
    """Make a hash table with at least this many slots; see `_make_hash_table`."""
    table = np.full(2 ** _count_bits(n_slots), -1, dtype=np.int32)
    for block, numbers in _split_remaining(size, remaining):
        table[_compute_slots(words(block), factor, table)] = numbers  # the last one stays
    taken = (table >= 0).nonzero()[0]
    rows = table[taken]
    table[taken] = np.arange(rows.size)
    return table, rows


def _split_remaining(size: int, remaining: Array | None) -> Iterator[tuple[slice | Array, Array]]:
    """Yield blocks of the remaining rows, or of all rows, with their numbers."""
    for block in split_into_blocks(size if remaining is None else remaining.size):
        if remaining is None:
            yield block, np.arange(block.start, min(block.stop, size), dtype=np.int32)
        else:
            yield remaining[block], remaining[block]


def _compute_slots(words: list[Array], factor: np.uint64, table: Array) -> Array:
    """Return the slot of each row in the hash table, which is the same for equal rows."""
    hashed = words[0] * factor
    for word in words[1:]:
        hashed += word
        hashed *= factor
    hashed >>= np.uint64(64 - _count_bits(table.size - 1))
    return hashed.view(np.int64)


def _count_bits(n_slots: int) -> int:
    """Return the binary logarithm of the size of a hash table, which is above `n_slots`."""
    return n_slots.bit_length()
