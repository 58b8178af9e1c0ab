"""A table of equal bins, which tells in one pass over the scores how many are above each bin.

That is faster than a sort where only the ranks of a few scores are needed.
"""

from math import inf
from typing import NamedTuple, Self

import numpy as np

from .within import Array

# Below this number of scores, and above this fraction of positives, a sort is about as fast.
_FEWEST, _MOST_POSITIVE = 50_000, 1 / 40

# More bins leave fewer scores to sort, but take time themselves.
_LEAST, _PER_POSITIVE, _PER_SCORE = 4000, 64, 1 / 4

_MOST_SHARED = 0.25

# Scores that tell how evenly bins are filled. At regular distances, sorted scores would look too
# even.
_PLACES = np.random.default_rng(0).random(1000)


class Bins(NamedTuple):
    """Bins of equal width. A higher score is never in a lower bin, however floats are rounded."""

    low: float  # the lowest score
    scale: float  # bins per unit
    size: int
    of_bits: bool  # whether they divide the bits of positive floats, which resemble logarithms

    @classmethod
    def of(cls, scores: Array, size: int, of_bits: bool) -> Self:
        values = scores.view(np.int64) if of_bits else scores
        low, high = float(values.min()), float(values.max())
        width = (high - low) / (size - 1)
        return cls(low, 1 / width if width else inf, size, of_bits)

    def numbers(self, scores: Array) -> Array:
        """Return the bin of each score."""
        place = np.subtract(scores.view(np.int64) if self.of_bits else scores, self.low)
        place *= self.scale
        return np.asarray(place.astype(np.intp))

    def are_even(self, few: Array, n_positives: int) -> bool:
        """Whether few scores can share a bin with positives, according to some of the scores.

        If a fraction f of the pairs of scores share a bin, at most the square root of `n_positives`
        f of the scores can share one with positives, wherever these are.
        """
        if not 0 < self.scale < inf or (self.of_bits and self.low <= 0):
            return False
        number = self.numbers(few)
        number.sort()
        n_shared = int(np.count_nonzero(number[1:] == number[:-1]))
        return n_shared * max(2 * n_positives / few.size, 0.5) <= _MOST_SHARED * few.size


def bins_for_few(labels: Array, scores: Array) -> Bins | None:
    """Return bins if so few scores share one with positives that only these need to be sorted.

    Scores of 32 bits are sorted twice as fast, so that bins would be slower.
    """
    if scores.ndim > 1 or scores.size < _FEWEST or scores.dtype != np.float64:
        return None
    n_positives = int(np.count_nonzero(labels))
    if n_positives > _MOST_POSITIVE * scores.size:
        return None
    size = int(min(_LEAST + _PER_POSITIVE * n_positives, _PER_SCORE * scores.size))
    few = scores.take((_PLACES * scores.size).astype(np.intp))
    for of_bits in (False, True):
        if Bins.of(few, size, of_bits).are_even(few, n_positives):
            bins = Bins.of(scores, size, of_bits)  # whose range may be much larger
            return bins if bins.are_even(few, n_positives) else None
    return None
