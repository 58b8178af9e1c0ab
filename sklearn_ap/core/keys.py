"""Keys that contain a score and its label in one integer, so that sorting plain values ranks both.

NumPy sorts values with vector instructions, several times faster than an argsort, and sorted values
don't need to be gathered. Integers of 32 bits are used where possible, because they are sorted
twice as fast as those of 64 bits.
"""

from collections.abc import Callable
from contextlib import suppress
from math import frexp, ldexp
from typing import Any, NamedTuple

import numpy as np

from .within import Array, any_of, blocks, is_first

_FEW = 10_000  # lookups of up to this many stay in the cache
_MANY = 32  # one out of this many samples
_FLOATS = tuple((np.dtype(f"f{width}"), np.dtype(f"i{width}")) for width in (4, 8))


class Keys(NamedTuple):
    """One integer per sample. Sorted keys have the highest scores first, and positives first in
    ties.

    The lowest bit is 0 for positives. The other bits are equal if and only if the scores are equal.
    """

    values: Array  # int32 or int64
    scores: Callable[[Array], Array]  # converts some of the values back, in their memory


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
    """Whether positives at these indices of sorted keys may be tied.

    If there are many, all neighbors are compared, because that is faster than gathering.
    """
    are_many = 5 * positives.size > key.size
    for block in blocks(key.size if are_many else positives.size):
        with_next = slice(block.start, block.stop + 1)
        if are_many:
            may_tie = _any_equal(key[with_next])
        else:
            place = positives[with_next]
            here, after = key.take(place), key.take(place + 1, mode="clip")
            may_tie = _any_equal(here) or any_of(after == here + 1)  # with a negative
        if may_tie:
            return True
    return False


def _any_equal(key: Array) -> bool:
    score = key >> 1
    return any_of(score[1:] == score[:-1])


def rank(labels: Array, scores: Array, *columns: Array) -> list[Array]:
    """Sort keys, and columns in the same order. Without columns, also return that order.

    Equal keys keep their order. If scores are a matrix, each row is ranked. The returned keys may
    differ from those of `pack`.

    This also needs only one sort of plain values: the index and the label of a sample replace the
    lowest bits of its key, and keys that differ only in these bits are put in order afterwards.
    """
    key = pack(labels, scores).values.reshape(scores.shape)
    size, bits = scores.shape[-1], scores.shape[-1].bit_length()
    is_short = key.itemsize == 4  # then no bits are lost
    is_large = not is_short and key.ndim == 1 and size > _FEW
    packed = key if is_large else key.astype(np.int64)
    for block in blocks(size):
        in_block = packed[..., block]  # a view
        low = np.arange(block.start, block.start + in_block.shape[-1])
        if is_short:
            in_block <<= 32
        else:
            low = low | (in_block & 1) << bits
            in_block &= -(2 << bits)
        in_block |= low
    packed.sort(axis=-1)
    if is_large:
        twins = _twins(packed, bits + 1)
        if twins is not None:
            columns = columns or (np.arange(size),)
            return _rank_but_for(twins, packed, labels, scores, columns)
        key = pack(labels, scores).values
    if is_short:
        ranked = np.right_shift(packed, 32, out=key, casting="unsafe")
        packed &= (1 << bits) - 1
    else:
        packed &= (1 << bits) - 1
        ranked = key.take(packed) if key.ndim == 1 else np.take_along_axis(key, packed, axis=-1)
        if any_of(ranked[..., 1:] < ranked[..., :-1]):  # some differ only in the lost bits
            within = ranked.argsort(axis=-1, stable=True)  # which is fast for sorted parts
            ranked, packed = (np.take_along_axis(x, within, axis=-1) for x in (ranked, packed))
    if not columns:
        return [ranked, packed]
    return [ranked, *(column.take(packed) for column in columns)]


def _rank_but_for(
    twins: Array, packed: Array, labels: Array, scores: Array, columns: tuple[Array, ...]
) -> list[Array]:
    """Do the same if only these few keys need the lost bits, which are replaced by numbers.

    Looking up all keys would access memory at random, which takes as long as the sort.
    """
    bits = packed.size.bit_length()
    places, high = (1 << bits) - 1, -(2 << bits)
    held = packed[twins]
    order = held & places
    exact = pack(labels[order], scores[order]).values
    if any_of(exact[1:] < exact[:-1]):
        within = np.argsort(exact, kind="stable")
        order, exact = order[within], exact[within]
    taken = [np.empty(packed.size, dtype=column.dtype) for column in columns]
    for block in blocks(packed.size):
        in_block = packed[block]  # a view
        place = in_block & places
        for column, out in zip(columns, taken, strict=True):
            column.take(place, out=out[block], mode="clip")
        label = in_block >> bits & 1
        in_block &= high
        in_block |= label
    score = exact >> 1
    number = np.cumsum(np.diff(score, prepend=score[:1]) != 0)
    packed[twins] = (held & high) | number << 1 | exact & 1
    for column, out in zip(columns, taken, strict=True):
        out[twins] = column[order]
    return [packed, *taken]


def _twins(key: Array, bits: int) -> Array | None:
    """Find sorted keys that equal a neighbor except in the lowest bits.

    Return their indices, or None if there are many.
    """
    first_of_twins, count = [], 0
    for block in blocks(key.size):
        high = key[block.start : block.stop + 1] >> bits
        first = (high[1:] == high[:-1]).nonzero()[0]
        count += first.size
        if _MANY * count > key.size:
            return None
        first_of_twins.append(first + block.start)
    first = np.concatenate(first_of_twins)
    return np.unique(np.concatenate((first, first + 1)))


def _pack_scores(scores: Array) -> Keys:
    """Make keys whose lowest bit is unused."""
    kind = scores.dtype.kind
    if not scores.size:
        return Keys(np.empty(0, dtype=np.int64), scores.take)
    if kind in "biu":
        most = max(-int(scores.min()), int(scores.max()))
        if most < 2**61:
            return _pack_integers(scores, np.int32 if most < 2**30 else np.int64)
    elif kind == "f":
        largest = float(max(-scores.min(), scores.max()))
        for number, integer in _FLOATS[scores.dtype.itemsize == 8 :]:
            keys = _pack_floats(scores, number, integer, largest)
            if keys is not None:
                return keys
    distinct, ranks = _distinct_ranks(scores)
    return Keys(ranks * -2, lambda key: distinct[-(key >> 1)])


def _pack_integers(scores: Array, integer: type[np.signedinteger[Any]]) -> Keys:
    key = np.empty(scores.size, dtype=integer)
    np.multiply(scores, -2, out=key, dtype=integer, casting="unsafe")
    return Keys(key, lambda key: (-(key >> 1)).astype(scores.dtype))


def _pack_floats(
    scores: Array, number: np.dtype[Any], integer: np.dtype[Any], largest: float
) -> Keys | None:
    """Make keys from the bits of floats, unless some bits would be lost.

    The bits of positive floats are in the order of the floats. Below 2, the highest bit of the
    exponent is 0, which leaves room for the label. Scaling by a power of two brings all floats
    below 2, unless they span nearly the whole range of floats.
    """
    shift = max(frexp(largest)[1] - 1, 0)
    down, up = -ldexp(1.0, -shift), -ldexp(1.0, shift)
    key = np.empty(scores.size, dtype=integer)
    sign = 8 * key.itemsize - 1
    for block in blocks(key.size):
        bits = key[block]
        small = bits.view(number)
        np.multiply(scores[block], down, out=small, dtype=number)
        if shift and any_of(small * up != scores[block]):
            return None
        small += 0.0  # -0.0 has different bits
        bits ^= bits >> sign  # reverses the order of negative floats
        bits <<= 1

    def unpack(key: Array) -> Array:
        values = key.view(number)
        for block in blocks(key.size):
            bits = key[block]
            bits >>= 1
            bits ^= (bits >> sign) & (2**sign - 1)
            values[block] *= up
            values[block] += 0.0
        return values.astype(scores.dtype, copy=False)

    return Keys(key, unpack)


# --- scores of any dtype --------------------------------------------------------------------------


def sort_with_order(scores: Array, stable: bool = False) -> tuple[Array, Array]:
    """Sort scores of any dtype, and return their order first."""
    if scores.dtype == object:  # floats are sorted faster, and usually tell the same
        with suppress(OverflowError):
            order = scores.astype(float).argsort(stable=stable)
            in_order = scores[order]
            if not any_of(in_order[1:] < in_order[:-1]):
                return order, in_order
    order = scores.argsort(stable=stable)
    return order, scores[order]


def _distinct_ranks(scores: Array) -> tuple[Array, Array]:
    """Sort scores of any dtype without duplicates, and return the place of each among them."""
    order, in_order = sort_with_order(scores)
    first = is_first(in_order)
    ranks = np.empty(scores.size, dtype=np.int64)
    ranks[order] = np.cumsum(first) - 1
    return in_order[first], ranks
