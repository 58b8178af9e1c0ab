"""Integers of up to 106 bits, each as a complex number whose parts add up to it exactly.

The real part is the nearest float, and the imaginary part is what is left. NumPy compares them in
this order, as the integers themselves would be, and sorts them many times as fast as Python's.
"""

import numpy as np

from .segments import Array, blocks

_MOST = 2**42  # upper words are smaller, for 106 bits in all
_MARGIN = 2.0**-96  # quotients of two floats that are added are closer than this


def fit(upper: Array) -> bool:
    """Whether integers with these upper words are small enough."""
    return bool(-_MOST <= upper.min(initial=0) and upper.max(initial=0) < _MOST)


def from_words(words: Array) -> Array:
    """Read integers that `fit` from their lower and upper words of 64 bits, shape (n, 2)."""
    upper = words[:, 1]
    halves = np.ascontiguousarray(words).view(np.uint32)
    numbers = np.empty(len(words), dtype=complex)
    for block in blocks(len(words)):
        # The left part of each sum is zero or not smaller than the right one, as `_add` needs.
        high, left = _add(upper[block] * 2.0**64, halves[block, 1] * 2.0**32)
        numbers.real[block], numbers.imag[block] = _add(high, left + halves[block, 0])
    return numbers


def to_integers(numbers: Array) -> Array:
    """Convert complex numbers, and also NumPy's integers, to Python's."""
    if numbers.dtype.kind != "c":
        return numbers.astype(object)
    each = (int(number.real) + int(number.imag) for number in numbers.tolist())
    return np.fromiter(each, dtype=object, count=numbers.size)


def order(numbers: Array) -> Array:
    """Return what sorts numbers of any dtype, complex ones by their floats, as that is faster."""
    if numbers.dtype.kind != "c":
        return numbers.argsort()
    found = numbers.real.argsort()
    high, left = numbers.real[found], numbers.imag[found]
    are_wrong = (high[1:] == high[:-1]) & (left[1:] < left[:-1])
    return numbers.argsort() if are_wrong.any() else found


def in_order(numbers: Array) -> Array:
    return numbers[order(numbers)] if numbers.dtype.kind == "c" else np.sort(numbers)


def divide(numbers: Array, power: int) -> Array:
    """Divide by a power of ten up to 10^45, which is also the sum of two floats.

    The nearest floats to the quotients are returned.
    """
    divisor = float(power)
    rest = float(power - int(divisor))
    floats = np.empty(numbers.size)
    unsure = []
    for block in blocks(numbers.size):
        quotient = numbers.real[block] / divisor
        product, left = _multiply(quotient, divisor)
        left = numbers.real[block] - product - left + numbers.imag[block] - quotient * rest
        correction, margin = left / divisor, np.abs(quotient) * _MARGIN
        floats[block] = quotient + (correction + margin)
        others = np.flatnonzero(quotient + (correction - margin) != floats[block])
        unsure.append(others + block.start)
    rows = np.concatenate(unsure)
    floats[rows] = [number / power for number in to_integers(numbers[rows])]
    return floats


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
