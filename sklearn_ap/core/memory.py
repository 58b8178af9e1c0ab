"""Work in blocks, and in used memory: fresh memory costs more than most of what is done in it."""

import numpy as np
from numpy.typing import DTypeLike

from .segments import Array

_BLOCK = 2**15  # entries that are worked on at once: what fits a core's own cache


def blocks(size: int, each: int = 1) -> list[slice]:
    """Slices that cover so many entries; `each` makes them so many times as long as usual."""
    length = each * _BLOCK
    if size <= length:
        return [slice(0, size)]
    return [slice(start, start + length) for start in range(0, size, length)]


class Spare:
    """Memory that has served, for new arrays of 8 bytes an entry."""

    def __init__(self) -> None:
        self._free: list[Array] = []

    def give(self, array: Array) -> None:
        """Nothing may read this array any more. A small one is not worth the while."""
        if array.nbytes > 8 * _BLOCK:
            flat = array.reshape(-1).view(np.uint8)
            self._free.append(flat[: flat.size // 8 * 8].view(np.int64))

    def array(self, size: int, dtype: DTypeLike = np.int64) -> Array:
        """An array to be filled; of fresh memory where there is none to spare."""
        for place, free in enumerate(self._free):
            if size <= free.size:
                self._free[place] = free[size:]
                return free[:size].view(dtype)
        return np.empty(size, dtype=dtype)
