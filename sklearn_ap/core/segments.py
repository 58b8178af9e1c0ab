"""Arithmetic within queries that lie end to end in one array.

Query q owns ``values[offsets[q]:offsets[q + 1]]``; a query may be empty.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_LONG = 32  # doubling the reach is slower than a turn of a loop
_SHORT = 4096  # sorting this many costs far more than a turn of a loop


def sums(values: Array, offsets: Array) -> Array:
    """One sum a query; 0 where the query is empty."""
    if offsets.size == 2:
        return np.add.reduce(values, keepdims=True)
    held = np.flatnonzero(offsets[:-1] < offsets[1:])
    out = np.zeros(offsets.size - 1, dtype=values.dtype)
    if held.size:
        out[held] = np.add.reduceat(values, offsets[held])
    return out


def running_sum(values: Array, offsets: Array, out: Array | None = None) -> Array:
    """One running sum a query; `out` is memory for it where there is one query."""
    if offsets.size == 2:
        return np.add.accumulate(values, out=out)
    if values.dtype.kind not in "iu":
        return _running(np.add, values, offsets)
    whole = np.cumsum(values)
    before = np.concatenate(([0], whole))[offsets[:-1]]
    return whole - spread(before, offsets)


def max_from_here_on(values: Array, offsets: Array) -> Array:
    """The largest of this value and all that follow it in its query."""
    return _running(np.maximum, values[::-1], offsets[-1] - offsets[::-1])[::-1]


def sum_from_here_on(values: Array, offsets: Array) -> Array:
    """The sum of this value and all that follow it in its query."""
    return _running(np.add, values[::-1], offsets[-1] - offsets[::-1])[::-1]


def previous(values: Array, offsets: Array, out: Array | None = None) -> Array:
    """The value before each in its query; 0 before the first."""
    out = np.empty_like(values) if out is None else out
    out[1:] = values[:-1]
    out[offsets[:-1][offsets[:-1] < offsets[1:]]] = 0
    return out


def spread(per_query: Array, offsets: Array) -> Array:
    """A query's value for each of its entries."""
    if offsets.size == 2:
        return per_query
    return np.repeat(per_query, np.diff(offsets))


def sort_within(values: Array, offsets: Array) -> None:
    """Sort each query in place, short ones of about the same size together."""
    size = np.diff(offsets)
    for start, stop in zip(offsets[:-1][size > _SHORT], offsets[1:][size > _SHORT], strict=True):
        values[start:stop].sort()
    doublings = np.frexp(size - 0.5)[1]  # 1 for a size of 2, 2 up to 4, 3 up to 8, ...
    for doubling in np.unique(doublings[(size > 1) & (size <= _SHORT)]):
        query = np.flatnonzero(doublings == doubling)
        column = np.arange(size[query].max())
        held = column < size[query, np.newaxis]
        place = offsets[query, np.newaxis] + column
        if held.all():
            values[place] = np.sort(values[place], axis=1)
        else:
            padded = np.where(held, values.take(place, mode="clip"), np.iinfo(values.dtype).max)
            padded.sort(axis=1)
            values[place[held]] = padded[held]


def _running(ufunc: np.ufunc, values: Array, offsets: Array) -> Array:
    """Running ufunc, restarted at each query; in short ones by doubling the reach.

    One sweep over everything would carry the rounding errors of one query into the next.
    """
    if offsets.size == 2:
        return ufunc.accumulate(values)
    out = values.copy()
    long = np.diff(offsets) > _LONG
    for start, stop in zip(offsets[:-1][long], offsets[1:][long], strict=True):
        ufunc.accumulate(values[start:stop], out=out[start:stop])
    if long.all():
        return out
    place = np.arange(values.size) - spread(offsets[:-1], offsets)
    place[spread(long, offsets)] = 0
    reach = 1
    rest = np.flatnonzero(place >= reach)
    while rest.size:
        out[rest] = ufunc(out[rest], out[rest - reach])
        reach *= 2
        rest = rest[place[rest] >= reach]
    return out
