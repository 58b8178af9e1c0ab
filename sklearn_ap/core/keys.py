"""A score and its label in one integer, so that a sort of plain values ranks both.

NumPy sorts values with vector instructions, several times faster than it finds the order of
values; and what a sort leaves behind needs no gathering.
"""

from math import frexp, ldexp

import numpy as np

from .segments import Array

_BLOCK = 2**15  # numbers that are worked on at once: what fits a core's own cache
_SIGN = 63
_MAGNITUDE = np.int64(2**_SIGN - 1)


def pack(labels: Array, scores: Array) -> Array:
    """One int64 a sample: ascending, they have the best score first, positives first within it.

    The lowest bit is 0 for a positive. The other bits are equal where the scores are equal, and
    nowhere else.
    """
    labels, scores = labels.ravel(), scores.ravel()
    kind, key = scores.dtype.kind, np.empty(scores.size, dtype=np.int64)
    if not scores.size:
        return key
    low, high = scores.min(), scores.max()
    if kind in "biu" and -(2**61) < int(low) and int(high) < 2**61:
        np.multiply(scores, -2, out=key, dtype=np.int64, casting="unsafe")
    elif not (
        kind == "f"
        and scores.dtype.itemsize <= 8
        and _pack_floats(scores, key, float(max(-low, high)))
    ):
        rank = np.unique(scores, return_inverse=True)[1]
        np.multiply(rank, -2, out=key)
    for block in _blocks(key.size):
        key[block] |= ~labels[block]
    return key


def is_positive(key: Array) -> Array:
    low = key.astype(np.uint8)
    low &= 1
    return np.equal(low, 0)


def any_equal_scores(key: Array) -> bool:
    """Whether neighbours among sorted keys share a score."""
    for block in _blocks(key.size):
        score = key[block.start : block.stop + 1] >> 1
        if (score[1:] == score[:-1]).any():
            return True
    return False


def _pack_floats(scores: Array, key: Array, largest: float) -> bool:
    """Fill in keys from the bits of floats, and say whether none of these was lost.

    The bits of positive floats are in the order of the floats. Below 2 the highest bit of the
    exponent is 0: that leaves the room for the label. Scaling by a power of two brings all floats
    there, unless they span nearly the whole range of floats.
    """
    shift = max(frexp(largest)[1] - 1, 0)
    down, up = -ldexp(1.0, -shift), -ldexp(1.0, shift)
    for block in _blocks(key.size):
        bits = key[block]
        small = bits.view(np.float64)
        np.multiply(scores[block], down, out=small, dtype=np.float64)
        if shift and not np.array_equal(small * up, scores[block]):
            return False
        small += 0.0  # -0.0 has bits of its own
        bits ^= (bits >> _SIGN) & _MAGNITUDE
        bits <<= 1
    return True


def _blocks(size: int) -> list[slice]:
    return [slice(start, start + _BLOCK) for start in range(0, size, _BLOCK)]
