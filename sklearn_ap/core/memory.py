"""Blocks and reused memory, because allocating memory costs more than most computations in it."""

import numpy as np
from numpy.typing import DTypeLike

from .segments import Array

_BLOCK = 2**15  # entries per block, which fit in the cache of a core


def blocks(size: int, each: int = 1) -> list[slice]:
    """Return slices that cover `size` entries, each of them `each` times as long as usual."""
    length = each * _BLOCK
    if size <= length:
        return [slice(0, size)]
    return [slice(start, start + length) for start in range(0, size, length)]


class Spare:
    """Memory to reuse for arrays with 8 bytes per entry."""

    def __init__(self) -> None:
        self._free: list[Array] = []

    def give(self, array: Array) -> None:
        """Offer the memory of an array, which must not be read again. Small arrays are ignored."""
        if array.nbytes > 8 * _BLOCK:
            flat = array.reshape(-1).view(np.uint8)
            self._free.append(flat[: flat.size // 8 * 8].view(np.int64))

    def array(self, size: int, dtype: DTypeLike = np.int64) -> Array:
        """Return an uninitialized array, in new memory if there is none to reuse."""
        for place, free in enumerate(self._free):
            if size <= free.size:
                self._free[place] = free[size:]
                return free[:size].view(dtype)
        return np.empty(size, dtype=dtype)
