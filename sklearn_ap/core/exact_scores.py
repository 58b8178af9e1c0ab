"""Scores of different dtypes, which are compared and joined without rounding."""

from collections.abc import Sequence

import numpy as np

from .ragged import Array


def are_flagged(scores: Array, threshold: Array) -> Array:
    """Whether scores of any dtype are at least the threshold, an array of one, exactly."""
    if scores.dtype != threshold.dtype:
        scores, threshold = np.split(concatenate_exactly([scores, threshold]), [scores.size])
    return np.asarray(scores >= threshold, dtype=bool)


def concatenate_exactly(arrays: Sequence[Array]) -> Array:
    """Concatenate scores without rounding, as Python numbers if no dtype represents all of them."""
    dtype = np.result_type(*arrays)
    if dtype.kind == "f":
        for array in arrays:
            if array.dtype.kind in "iu" and not _can_represent(
                array, 2 ** (np.finfo(dtype).nmant + 1)
            ):
                return np.concatenate([array.astype(object) for array in arrays])
    return np.concatenate(arrays, dtype=dtype)


def _can_represent(integers: Array, most: int) -> bool:
    return -most <= int(integers.min(initial=0)) and int(integers.max(initial=0)) <= most
