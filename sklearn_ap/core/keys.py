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

from .ragged import Array, has_any, is_first, split_into_blocks

_MAX_CACHED_LOOKUPS = 10_000  # lookups of up to this many stay in the cache
_MIN_SAMPLES_PER_TWIN = 32  # one out of this many samples


class Keys(NamedTuple):
    """One integer per sample. Sorted keys have the highest scores first, and positives first in
    ties.

    The lowest bit is 0 for positives. The other bits are equal if and only if the scores are equal.
    """

    values: Array  # int32 or int64
    scores: Callable[[Array], Array]  # converts some of the values back, in their memory


def pack(labels: Array, scores: Array) -> Keys:
    """Pack each score with its label, or where no integer has room for both, its rank among the
    distinct scores.

    For scores of 2, 2, 1, 1 and labels of 1, 0, 1, 0, the keys are -4, -3, -2, -1: minus twice the
    score, plus 1 for negatives. Integers in the same order stand for floats.
    """
    labels, scores = labels.ravel(), scores.ravel()
    if not scores.size:
        return Keys(np.empty(0, dtype=np.int64), scores.take)
    keys = None
    if scores.dtype.kind in "biu":
        keys = _pack_integers(labels, scores)
    elif scores.dtype.kind == "f":
        keys = _pack_floats(labels, scores)
    return _pack_ranks(labels, scores) if keys is None else keys


def is_positive(key: Array) -> Array:
    low = key.astype(np.uint8)
    low &= 1
    return np.equal(low, 0)


def mark_keys(key: Array, offsets: Array | None = None) -> tuple[Array, Array]:
    """Return whether each of the sorted keys is a positive, and whether it is the first one with
    its score in its ranking.

    The end of the keys counts as both, so that what starts there ends what is before it.
    """
    positive, first = np.empty((2, key.size + 1), dtype=bool)
    positive[-1] = first[0] = first[-1] = True
    for block in split_into_blocks(key.size):
        positive[:-1][block] = is_positive(key[block])
        score = key[block.start : block.stop + 1] >> 1  # also the first one of the next block
        np.not_equal(score[1:], score[:-1], out=first[1:-1][block])
    if offsets is not None and offsets.size > 2:
        first[offsets] = True
    return positive, first


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
    is_large = not is_short and key.ndim == 1 and size > _MAX_CACHED_LOOKUPS
    packed = key if is_large else key.astype(np.int64)
    for block in split_into_blocks(size):
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
        twins = _find_twins(packed, bits + 1)
        if twins is not None:
            columns = columns or (np.arange(size),)
            return _rank_with_twins(twins, packed, labels, scores, columns)
        key = pack(labels, scores).values
    if is_short:
        ranked = np.right_shift(packed, 32, out=key, casting="unsafe")
        packed &= (1 << bits) - 1
    else:
        packed &= (1 << bits) - 1
        ranked = key.take(packed) if key.ndim == 1 else np.take_along_axis(key, packed, axis=-1)
        if has_any(ranked[..., 1:] < ranked[..., :-1]):  # some differ only in the lost bits
            within = ranked.argsort(axis=-1, kind="stable")  # which is fast for sorted parts
            ranked = np.take_along_axis(ranked, within, axis=-1)
            packed = np.take_along_axis(packed, within, axis=-1)
    if not columns:
        return [ranked, packed]
    return [ranked, *(column.take(packed) for column in columns)]


def _rank_with_twins(
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
    if has_any(exact[1:] < exact[:-1]):
        within = np.argsort(exact, kind="stable")
        order, exact = order[within], exact[within]
    taken = [np.empty(packed.size, dtype=column.dtype) for column in columns]
    for block in split_into_blocks(packed.size):
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


def _find_twins(key: Array, bits: int) -> Array | None:
    """Find sorted keys that equal a neighbor except in the lowest bits.

    Return their indices, or None if there are many.
    """
    first_of_twins, count = [], 0
    for block in split_into_blocks(key.size):
        high = key[block.start : block.stop + 1] >> bits
        first = (high[1:] == high[:-1]).nonzero()[0]
        count += first.size
        if _MIN_SAMPLES_PER_TWIN * count > key.size:
            return None
        first_of_twins.append(first + block.start)
    first = np.concatenate(first_of_twins)
    return np.unique(np.concatenate((first, first + 1)))


def _pack_integers(labels: Array, scores: Array) -> Keys | None:
    """Double integers, which makes room for the label, unless some don't fit into 64 bits then."""
    largest = max(-int(scores.min()), int(scores.max()))
    if largest >= 2**61:
        return None
    integer_dtype = np.dtype("i4" if largest < 2**30 else "i8")
    key = np.empty(scores.size, dtype=integer_dtype)
    for block in split_into_blocks(key.size):
        in_block = key[block]
        np.multiply(scores[block], -2, out=in_block, dtype=integer_dtype, casting="unsafe")
        in_block |= ~labels[block]
    return Keys(key, lambda key: (-(key >> 1)).astype(scores.dtype))


def _pack_floats(labels: Array, scores: Array) -> Keys | None:
    """Pack floats of up to 32 bits in 32, if no bit is lost, and all others in 64."""
    keys = None
    if scores.dtype.itemsize < 8:
        keys = _pack_bits(labels, scores, np.dtype("f4"), np.dtype("i4"))
    if keys is None:
        keys = _pack_bits(labels, scores, np.dtype("f8"), np.dtype("i8"))
    return keys


def _pack_bits(
    labels: Array,
    scores: Array,
    float_dtype: np.dtype[Any],
    integer_dtype: np.dtype[Any],
    shift: int = 0,
) -> Keys | None:
    """Make keys from the bits of floats divided by 2**shift, unless some bits would be lost.

    The bits of positive floats are in the order of the floats. Below 2, the highest bit of the
    exponent is 0, so that a multiplication by -2 makes room for the label and reverses the order.
    It also drops the sign, after which -0.0 is 0, and keys of negative floats have to be negated.
    Scaling by a power of two brings all floats below 2, unless they span nearly the whole range of
    floats.
    """
    key = np.empty(scores.size, dtype=integer_dtype)
    down, up, last = ldexp(1.0, -shift), ldexp(1.0, shift), 8 * key.itemsize - 1
    for block in split_into_blocks(key.size):
        small, in_block = scores[block].astype(float_dtype, copy=False), key[block]
        if shift:
            small = np.multiply(small, down, out=in_block.view(float_dtype))
            if has_any(small * up != scores[block]):
                return None
        # Floats below 0 have the highest bit, and those from 2 on the next one.
        highest = int(np.maximum.reduce(small.view(f"u{key.itemsize}")))
        if highest >> last - 1 and not shift and max(-small.min(), small.max()) >= 2:
            del key, in_block  # so that their memory is free
            largest = float(max(-scores.min(), scores.max()))
            return _pack_bits(labels, scores, float_dtype, integer_dtype, frexp(largest)[1] - 1)
        bits = small.view(integer_dtype)
        sign = bits >> last if highest >> last else None  # -1 or 0
        np.multiply(bits, -2, out=in_block)
        if sign is not None:
            in_block ^= sign
            in_block -= sign
        in_block |= ~labels[block]

    def unpack(key: Array) -> Array:
        values = key.view(float_dtype)
        for block in split_into_blocks(key.size):
            bits, floats = key[block], values[block]
            bits >>= 1
            factor = np.where(bits > 0, -up, up)
            np.abs(bits, out=bits)
            floats *= factor.astype(float_dtype)
        return values.astype(scores.dtype, copy=False)

    return Keys(key, unpack)


def _pack_ranks(labels: Array, scores: Array) -> Keys:
    """Pack the place of each score among the distinct ones, for scores of any dtype."""
    distinct, places = _rank_distinct(scores)
    return Keys(places * -2 | ~labels, lambda key: distinct[-(key >> 1)])


# --- scores of any dtype --------------------------------------------------------------------------


def sort_with_order(scores: Array, stable: bool = False) -> tuple[Array, Array]:
    """Sort scores of any dtype, and return their order first."""
    kind: Any = "stable" if stable else None
    if scores.dtype == object:  # floats are sorted faster, and usually tell the same
        with suppress(OverflowError):
            order = scores.astype(float).argsort(kind=kind)
            in_order = scores[order]
            if not has_any(in_order[1:] < in_order[:-1]):
                return order, in_order
    order = scores.argsort(kind=kind)
    return order, scores[order]


def _rank_distinct(scores: Array) -> tuple[Array, Array]:
    """Sort scores of any dtype without duplicates, and return the place of each among them."""
    order, in_order = sort_with_order(scores)
    first = is_first(in_order)
    ranks = np.empty(scores.size, dtype=np.int64)
    ranks[order] = np.cumsum(first) - 1
    return in_order[first], ranks
