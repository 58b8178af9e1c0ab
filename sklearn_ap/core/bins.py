"""A table of equal bins, which tells in one pass over the scores how many are above each bin.

That is faster than a sort where only the ranks of a few scores are needed.
"""

from math import inf
from typing import NamedTuple, Self

import numpy as np

from .ragged import Array

# Below this number of scores, and above this fraction of positives, a sort is about as fast.
_MIN_BINNED_SCORES, _MAX_POSITIVE_FRACTION = 50_000, 1 / 40

# More bins leave fewer scores to sort, but take time themselves.
_MIN_BINS, _BINS_PER_POSITIVE, _BINS_PER_SCORE = 4000, 64, 1 / 4

_MAX_SHARED_FRACTION = 0.25

# Scores that tell how evenly bins are filled. At regular distances, sorted scores would look too
# even.
_SAMPLED_PLACES = np.random.default_rng(0).random(1000)


class Bins(NamedTuple):
    """Bins of equal width. A higher score is never in a lower bin, however floats are rounded."""

    low: float  # the lowest score
    scale: float  # bins per unit
    size: int
    uses_bits: bool  # whether they divide the bits of positive floats, which resemble logarithms

    @classmethod
    def from_scores(cls, scores: Array, size: int, uses_bits: bool) -> Self:
        values = scores.view(np.int64) if uses_bits else scores
        low, high = float(values.min()), float(values.max())
        width = (high - low) / (size - 1)
        return cls(low, 1 / width if width else inf, size, uses_bits)

    def find_bins(self, scores: Array) -> Array:
        """Return the bin of each score."""
        place = np.subtract(scores.view(np.int64) if self.uses_bits else scores, self.low)
        place *= self.scale
        return np.asarray(place.astype(np.intp))

    def are_even(self, few: Array, n_positives: int) -> bool:
        """Whether few scores can share a bin with positives, according to some of the scores.

        If a fraction f of the pairs of scores share a bin, at most the square root of `n_positives`
        f of the scores can share one with positives, wherever these are.
        """
        if not 0 < self.scale < inf or (self.uses_bits and self.low <= 0):
            return False
        number = self.find_bins(few)
        number.sort()
        n_shared = int(np.count_nonzero(number[1:] == number[:-1]))
        return n_shared * max(2 * n_positives / few.size, 0.5) <= _MAX_SHARED_FRACTION * few.size


def choose_bins(labels: Array, scores: Array) -> Bins | None:
    """Return bins if so few scores share one with positives that only these need to be sorted.

    Scores of 32 bits are sorted twice as fast, so that bins would be slower.
    """
    if scores.ndim > 1 or scores.size < _MIN_BINNED_SCORES or scores.dtype != np.float64:
        return None
    n_positives = int(np.count_nonzero(labels))
    if n_positives > _MAX_POSITIVE_FRACTION * scores.size:
        return None
    size = int(min(_MIN_BINS + _BINS_PER_POSITIVE * n_positives, _BINS_PER_SCORE * scores.size))
    few = scores.take((_SAMPLED_PLACES * scores.size).astype(np.intp))
    for uses_bits in (False, True):
        if Bins.from_scores(few, size, uses_bits).are_even(few, n_positives):
            bins = Bins.from_scores(scores, size, uses_bits)  # whose range may be much larger
            return bins if bins.are_even(few, n_positives) else None
    return None
