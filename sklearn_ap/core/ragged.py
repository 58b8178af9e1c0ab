"""Arithmetic within rankings that are concatenated in one array.

The values of ranking q are ``values[offsets[q]:offsets[q + 1]]``, which may be empty.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
ENTRIES_PER_BLOCK = 2**15  # entries per block, which fit in the cache of a core
_MAX_DOUBLED_SIZE = 32  # beyond this, doubling the reach is slower than a loop
_MAX_SORTED_DOUBLINGS = 12  # beyond 2**12 values, sorting takes much longer than one iteration


def split_into_blocks(size: int, each: int = 1) -> list[slice]:
    """Return slices that cover `size` entries, each of them `each` times as long as usual."""
    length = each * ENTRIES_PER_BLOCK
    if size <= length:
        return [slice(0, size)]
    return [slice(start, start + length) for start in range(0, size, length)]


def unwrap_single(values: Any) -> Any:
    """Return the entry of an array that has only one, as arithmetic with it is several times
    faster, and everything else as it is.
    """
    return values[0] if isinstance(values, np.ndarray) and values.size == 1 else values


def has_any(flags: Any) -> bool:
    """Whether any flag of an array is set, or a single flag that is in no array."""
    return bool(flags if flags.ndim == 0 else np.count_nonzero(flags))


def divide_safely(part: Array, whole: Array, otherwise: float = np.nan) -> Array:
    """Divide where the divisor is positive, and return `otherwise` elsewhere."""
    are_positive = whole > 0
    if np.count_nonzero(are_positive) == are_positive.size:
        return np.asarray(part / whole)
    out = np.full(np.broadcast(part, whole).shape, otherwise)
    return np.asarray(np.divide(part, whole, out=out, where=are_positive))


def sum_rankings(values: Array, offsets: Array) -> Array:
    """Compute the sum of each ranking; 0 if it is empty."""
    if offsets.size == 2 and values.size:  # in one call, as nearly every value is such a sum
        # `np.add.reduce` adds in another order, so the last bit would depend on other rankings.
        return np.asarray(np.add.reduceat(values, offsets[:1]))
    return _reduce(np.add, values, offsets)


def find_maxima(values: Array, offsets: Array) -> Array:
    """Compute the maximum of each ranking; 0 if it is empty."""
    return _reduce(np.maximum, values, offsets)


def _reduce(ufunc: np.ufunc, values: Array, offsets: Array) -> Array:
    if offsets.size == 2 and values.size:
        return np.asarray(ufunc.reduce(values, keepdims=True))
    filled = np.flatnonzero(offsets[:-1] < offsets[1:])  # reduceat has no empty ranges
    out = np.zeros(offsets.size - 1, dtype=values.dtype)
    if filled.size:
        out[filled] = ufunc.reduceat(values, offsets[filled])
    return out


def compute_running_sum(values: Array, offsets: Array, out: Array | None = None) -> Array:
    """Compute the running sum of each ranking. `out` is memory for it if there is only one."""
    if offsets.size == 2:
        return np.add.accumulate(values, out=out)
    if values.dtype.kind not in "iu":
        return _accumulate(np.add, values, offsets)
    over_all = np.cumsum(values)  # rankings; integers have no rounding errors
    before = np.concatenate(([0], over_all))[offsets[:-1]]
    over_all -= repeat_values(before, offsets)
    return over_all


def compute_suffix_maxima(values: Array, offsets: Array) -> Array:
    """Compute the maximum of each value and all that follow it in its ranking."""
    return _accumulate_backwards(np.maximum, values, offsets)


def compute_suffix_sums(values: Array, offsets: Array) -> Array:
    """Compute the sum of each value and all that follow it in its ranking."""
    return _accumulate_backwards(np.add, values, offsets)


def _accumulate_backwards(ufunc: np.ufunc, values: Array, offsets: Array) -> Array:
    reversed_offsets = offsets if offsets.size == 2 else offsets[-1] - offsets[::-1]
    return _accumulate(ufunc, values[::-1], reversed_offsets)[::-1]


def is_first(values: Array, offsets: Array | None = None) -> Array:
    """Whether each value differs from the previous one in its ranking."""
    first = np.empty(values.size, dtype=bool)
    first[:1] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    if offsets is not None and offsets.size > 2:
        first[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
    return first


def get_previous(values: Array, offsets: Array, out: Array | None = None) -> Array:
    """Return the value before each value in its ranking; 0 before the first."""
    out = np.empty_like(values) if out is None else out
    out[1:] = values[:-1]
    out[0 if offsets.size == 2 and out.size else offsets[:-1][offsets[:-1] < offsets[1:]]] = 0
    return out


def repeat_values(values: Array, offsets: Array) -> Array:
    """Repeat the value of each ranking for all of its entries."""
    if offsets.size == 2:
        return values
    return np.repeat(values, np.diff(offsets))


def sort_rankings(values: Array, offsets: Array) -> None:
    """Sort each ranking in place, short ones of similar size together."""
    size = np.diff(offsets)
    if size.size and (size == size[0]).all():
        values.reshape(size.size, -1).sort(axis=1)  # a view of the values, which are in one piece
        return
    doublings = np.frexp(size - 0.5)[1]  # 1 for a size of 2, 2 up to 4, 3 up to 8, ...
    for doubling in np.unique(doublings[size > 1]):  # smaller ones are sorted
        rankings = np.flatnonzero(doublings == doubling)
        if doubling > _MAX_SORTED_DOUBLINGS:
            for start, stop in zip(offsets[rankings], offsets[rankings + 1], strict=True):
                values[start:stop].sort()
            continue
        at_once = max(2 * ENTRIES_PER_BLOCK >> doubling, 1)
        for first in range(0, rankings.size, at_once):
            some = rankings[first : first + at_once]
            _sort_rows(values, offsets[some], size[some])


def _sort_rows(values: Array, start: Array, size: Array) -> None:
    """Sort rankings as rows of a matrix, which end with padding if others are longer."""
    column = np.arange(size.max())
    is_value = column < size[:, np.newaxis]
    place = start[:, np.newaxis] + column
    if is_value.all():
        values[place] = np.sort(values[place], axis=1)
    else:
        largest = np.iinfo(values.dtype).max
        padded = np.where(is_value, values.take(place, mode="clip"), largest)
        padded.sort(axis=1)
        values[place[is_value]] = padded[is_value]


def _accumulate(ufunc: np.ufunc, values: Array, offsets: Array) -> Array:
    """Accumulate a ufunc in each ranking, in short ones by doubling the reach.

    A single pass over all rankings would carry the rounding errors of one ranking into the next.
    """
    if offsets.size == 2:
        return ufunc.accumulate(values)
    out = values.copy()
    long = np.diff(offsets) > _MAX_DOUBLED_SIZE
    for start, stop in zip(offsets[:-1][long], offsets[1:][long], strict=True):
        ufunc.accumulate(values[start:stop], out=out[start:stop])
    if long.all():
        return out
    place = np.arange(values.size) - repeat_values(offsets[:-1], offsets)  # in its ranking, from 0
    place[repeat_values(long, offsets)] = 0  # those are done
    reach = 1  # each entry has accumulated so many values, or all up to it
    lacking = np.flatnonzero(place >= reach)
    while lacking.size:
        out[lacking] = ufunc(out[lacking], out[lacking - reach])
        reach *= 2
        lacking = lacking[place[lacking] >= reach]
    return out
