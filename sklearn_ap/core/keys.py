"""A score and its label in one integer, so that a sort of plain values ranks both.

NumPy sorts values with vector instructions, several times faster than it finds the order of
values; and what a sort leaves behind needs no gathering. Integers of 32 bits, where they hold all,
sort twice as fast as those of 64.
"""

from collections.abc import Callable
from math import frexp, ldexp
from typing import Any, NamedTuple

import numpy as np

from .segments import Array

_BLOCK = 2**15  # numbers that are worked on at once: what fits a core's own cache
_FLOATS = np.dtype(np.float32), np.dtype(np.float64)


class Keys(NamedTuple):
    """One integer a sample: ascending, they have the best score first, positives first within it.

    The lowest bit is 0 for a positive. The other bits are equal where the scores are equal, and
    nowhere else.
    """

    values: Array  # int32 or int64
    scores: Callable[[Array], Array]  # the scores that some of the values hold


def pack(labels: Array, scores: Array) -> Keys:
    labels, scores = labels.ravel(), scores.ravel()
    keys = _pack_scores(scores)
    for block in blocks(scores.size):
        keys.values[block] |= ~labels[block]
    return keys


def is_positive(key: Array) -> Array:
    low = key.astype(np.uint8)
    low &= 1
    return np.equal(low, 0)


def any_ties(key: Array, positives: Array) -> bool:
    """Whether positives, which have these places among sorted keys, may share their scores.

    Where they are many it is looked at all neighbours, as that is faster than to gather.
    """
    if 5 * positives.size > key.size:
        return any(_any_equal(key[block.start : block.stop + 1]) for block in blocks(key.size))
    for block in blocks(positives.size):
        place = positives[block.start : block.stop + 1]
        here, after = key.take(place), key.take(place + 1, mode="clip")
        if _any_equal(here) or (after == here + 1).any():
            return True
    return False


def _any_equal(key: Array) -> bool:
    score = key >> 1
    return bool((score[1:] == score[:-1]).any())


def rank(key: Array) -> tuple[Array, Array]:
    """What puts keys in order along the last axis, equal ones as they come; and the keys in order.

    This takes one sort of plain values too. The place of a sample and its label take the lowest
    bits of its key, and where these alone told keys apart, order is made after.
    """
    size = key.shape[-1]
    bits = size.bit_length()
    is_short = key.dtype.itemsize == 4  # then nothing is lost
    packed = np.empty(key.shape, dtype=np.int64)
    for block in blocks(size):
        part, part_packed = key[..., block], packed[..., block]
        np.copyto(part_packed, part if is_short else part & 1)
        part_packed <<= 32 if is_short else bits
        part_packed |= np.arange(block.start, block.start + part.shape[-1])
        if not is_short:
            part_packed |= part & -(2 << bits)
    packed.sort(axis=-1)
    if is_short:
        ranked = (packed >> 32).astype(key.dtype)
        packed &= (1 << bits) - 1
        return packed, ranked
    packed &= (1 << bits) - 1
    ranked = key.take(packed) if key.ndim == 1 else np.take_along_axis(key, packed, axis=-1)
    wrong = ranked[..., 1:] < ranked[..., :-1]
    if wrong.any():
        orders, rows, wrongs = (x.reshape(-1, x.shape[-1]) for x in (packed, ranked, wrong))
        for row in np.flatnonzero(wrongs.any(axis=1)):
            _mend(orders[row], rows[row], np.flatnonzero(wrongs[row]), bits + 1)
    return packed, ranked


def _mend(order: Array, ranked: Array, wrong: Array, lost: int) -> None:
    """Put in order what is wrong, where keys are equal but for so many of the lowest bits."""
    high = np.unique(ranked[wrong] >> lost)
    start = ranked.searchsorted(high << lost)
    stop = ranked.searchsorted((high << lost) | ((1 << lost) - 1), side="right")
    size = stop - start
    place = np.repeat(stop - np.cumsum(size), size) + np.arange(size.sum())
    within = np.argsort(ranked[place], kind="stable")
    order[place], ranked[place] = order[place[within]], ranked[place[within]]


def _pack_scores(scores: Array) -> Keys:
    """Keys of which the lowest bit is free."""
    kind, width = scores.dtype.kind, scores.dtype.itemsize
    if not scores.size:
        return Keys(np.empty(0, dtype=np.int64), scores.take)
    low, high = scores.min(), scores.max()
    if kind in "biu":
        most = max(-int(low), int(high))
        if most < 2**61:
            return _pack_integers(scores, np.int32 if most < 2**30 else np.int64)
    elif kind == "f" and width <= 8:
        for number in _FLOATS[width == 8 :]:
            keys = _pack_floats(scores, number, float(max(-low, high)))
            if keys is not None:
                return keys
    distinct, place = np.unique(scores, return_inverse=True)
    return Keys(place.reshape(-1) * -2, lambda key: distinct[-(key >> 1)])


def _pack_integers(scores: Array, integer: type[np.signedinteger[Any]]) -> Keys:
    key = np.empty(scores.size, dtype=integer)
    np.multiply(scores, -2, out=key, dtype=integer, casting="unsafe")
    return Keys(key, lambda key: (-(key >> 1)).astype(scores.dtype))


def _pack_floats(scores: Array, number: np.dtype[Any], largest: float) -> Keys | None:
    """Keys from the bits of floats, unless some of these would be lost.

    The bits of positive floats are in the order of the floats. Below 2 the highest bit of the
    exponent is 0: that leaves the room for the label. Scaling by a power of two brings all floats
    there, unless they span nearly the whole range of floats.
    """
    shift = max(frexp(largest)[1] - 1, 0)
    down, up = -ldexp(1.0, -shift), -ldexp(1.0, shift)
    key = np.empty(scores.size, dtype=f"i{number.itemsize}")
    for block in blocks(key.size):
        bits = key[block]
        small = bits.view(number)
        np.multiply(scores[block], down, out=small, dtype=number)
        if shift and not np.array_equal(small * up, scores[block]):
            return None
        small += 0.0  # -0.0 has bits of its own
        _fold(bits)
        bits <<= 1

    def unpack(key: Array) -> Array:
        bits = key >> 1
        _fold(bits)
        values = bits.view(number)
        values *= up
        values += 0.0
        return values.astype(scores.dtype, copy=False)

    return Keys(key, unpack)


def _fold(bits: Array) -> None:
    """Turn the order of negative floats around; twice, and they are as they were."""
    width = 8 * bits.dtype.itemsize - 1
    bits ^= (bits >> width) & (2**width - 1)


def blocks(size: int) -> list[slice]:
    return [slice(start, start + _BLOCK) for start in range(0, size, _BLOCK)]
