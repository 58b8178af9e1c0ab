"""Integers of up to 128 bits, each as 16 bytes that NumPy compares in the order of the integers.

These are the bytes of the integer plus 2^127, from the highest to the lowest.
"""

from collections.abc import Sequence

import numpy as np

from .segments import Array, blocks

_SIGN = np.uint64(2**63)
_HALF = 2**32 - 1  # the bits of the lower half of a word
_MARGIN = 2.0**-96  # quotients of two floats that are added are closer than this


def from_words(parts: Sequence[Array]) -> Array:
    """Read integers from arrays of their lower and upper words of 64 bits, shape (n, 2)."""
    turned = np.empty((sum(map(len, parts)), 2), dtype=">u8")
    start = 0
    for part in parts:
        for block in blocks(len(part)):
            words = part[block].view(np.uint64)
            held = turned[start : start + len(words)]
            np.bitwise_xor(words[:, 1], _SIGN, out=held[:, 0])
            held[:, 1] = words[:, 0]
            start += len(words)
    return turned.view("S16").ravel()


def from_integers(integers: Array) -> Array:
    """Read NumPy's signed integers."""
    low = integers.astype(np.int64, copy=False)
    return from_words([np.stack([low, low >> 63], axis=1)])


def _to_words(numbers: Array) -> tuple[Array, Array, Array]:
    """Return the upper words, and the two halves of the lower ones."""
    turned = np.ascontiguousarray(numbers, dtype="S16").view(">u8").reshape(-1, 2)
    lower = turned[:, 1].astype(np.uint64)  # NumPy converts smaller ones faster to floats
    halves = (lower >> 32).view(np.int64), (lower & _HALF).view(np.int64)
    return (turned[:, 0] ^ _SIGN).view(np.int64), *halves


def to_integers(numbers: Array) -> Array:
    """Convert wide integers, and also NumPy's, to Python's."""
    if numbers.dtype.kind != "S":
        return numbers.astype(object)
    upper, *lower = (words.astype(object) for words in _to_words(numbers))
    return np.asarray((upper << 64) + (lower[0] << 32) + lower[1])


def near(numbers: Array) -> Array:
    """Return floats near wide integers, which never decrease as these increase."""
    floats = np.empty(numbers.size)
    for block in blocks(numbers.size):
        upper, *lower = _to_words(numbers[block])
        high = upper * 2.0**64
        low = lower[0] * 2.0**32 + lower[1]
        floats[block] = high + low * (np.abs(high) < 2.0**116)  # not to round twice
    return floats


def ranked(numbers: Array, stable: bool = False) -> tuple[Array, Array]:
    """Sort numbers of any dtype, wide ones by floats, as that is faster. Return the order, too."""
    order = (near(numbers) if numbers.dtype.kind == "S" else numbers).argsort(stable=stable)
    found = numbers[order]
    if numbers.dtype.kind == "S" and (found[1:] < found[:-1]).any():
        order = numbers.argsort(stable=stable)
        found = numbers[order]
    return order, found


def in_order(numbers: Array) -> Array:
    return ranked(numbers)[1] if numbers.dtype.kind == "S" else np.sort(numbers)


def ranks(numbers: Array) -> tuple[Array, Array]:
    """Sort numbers of any dtype without duplicates, and return the place of each among them."""
    order, found = ranked(numbers)
    first = np.append(True, found[1:] != found[:-1])
    rank = np.empty(numbers.size, dtype=np.int64)
    rank[order] = np.cumsum(first) - 1
    return found[first], rank


def divide(numbers: Array, power: int) -> Array:
    """Divide by a power of ten up to 10^45, which is also the sum of two floats.

    The nearest floats to the quotients are returned.
    """
    divisor = float(power)
    rest = float(power - int(divisor))
    floats = np.empty(numbers.size)
    unsure = []
    for block in blocks(numbers.size):
        number, small = _to_floats(numbers[block])
        quotient = number / divisor
        product, left = _multiply(quotient, divisor)
        left = number - product - left + small - quotient * rest
        correction, margin = left / divisor, np.abs(quotient) * _MARGIN
        floats[block] = quotient + (correction + margin)
        others = np.flatnonzero(quotient + (correction - margin) != floats[block])
        unsure.append(others + block.start)
    rows = np.concatenate(unsure)
    floats[rows] = [number / power for number in to_integers(numbers[rows])]
    return floats


def _to_floats(numbers: Array) -> tuple[Array, Array]:
    """Return the nearest floats, and what is left up to a 2^-104th of the numbers."""
    upper, *lower = _to_words(numbers)
    # The left part of each sum is zero or not smaller than the right one, as `_add` needs.
    high, left = _add((upper >> 32) * 2.0**96, (upper & _HALF) * 2.0**64)
    low, small = _add(lower[0] * 2.0**32, lower[1].astype(float))
    high, low = _add(high, low)
    return _add(high, low + (left + small))


def _add(large: Array, small: Array) -> tuple[Array, Array]:
    """Return the rounded sum, and what the rounding left (Dekker 1971)."""
    total = large + small
    return total, small - (total - large)


def _multiply(floats: Array, factor: float) -> tuple[Array, Array]:
    """Return the rounded product, and what the rounding left (Dekker 1971)."""
    product = floats * factor
    (a, b), (c, d) = _halves(floats), _halves(factor)
    return product, a * c - product + a * d + b * c + b * d


def _halves(floats: Array | float) -> tuple[Array | float, Array | float]:
    """Split floats into two of half as many bits each."""
    scaled = floats * (2.0**27 + 1)
    high = scaled - (scaled - floats)
    return high, floats - high
