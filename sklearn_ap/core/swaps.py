"""Tests of differences by random swaps of models in their units, the same ones for all pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Self

import numpy as np

from .spread import ROUNDING, alpha_of, length, scale_of
from .within import Array

_FLIPS = 2**16  # try all flips up to this many, even if fewer are requested
_AT_ONCE, _PAIRS_AT_ONCE = 2**20, 64  # signs, pairs
_Around = Callable[[float, bool], tuple[float, float]]
_ABOVE = 1e-300  # instead of an end that is 0 only because of rounding errors


@dataclass(frozen=True)
class Swaps:
    """Swaps of models in random units, or all of them if there are few.

    The adjusted p-value of a difference is the fraction of swaps in which any difference of the
    family is as many standard errors from 0, so it can be as small as that of a single test [1]_.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young, "Resampling-based multiple testing", Wiley, 1993.
    """

    n_units: int
    times: int
    generator: Callable[[], np.random.Generator]  # always with the same draws
    farthest: Array | None = None  # of the family in each swap, in standard errors

    @property
    def is_random(self) -> bool:
        return bool(2**self.n_units > max(self.times + 1, _FLIPS))

    @property
    def size(self) -> int:
        """The number of swaps, with that of no unit if they are random."""
        return self.times + 1 if self.is_random else 2**self.n_units

    def least(self) -> float:
        """Return the smallest possible p-value."""
        return max(1 / self.size, 2.0 ** (1 - self.n_units))

    def flips(self) -> Iterator[Array]:
        """Yield blocks of swaps of shape (n_swaps, n_units), with 1 for a unit that is swapped.

        If they are random, the swap of no unit isn't among them.
        """
        at_once = max(_AT_ONCE // self.n_units, 1)
        n_swaps = self.size - self.is_random
        rng = self.generator()
        for start in range(0, n_swaps, at_once):
            stop = min(start + at_once, n_swaps)
            if self.is_random:
                yield rng.integers(0, 2, (stop - start, self.n_units))
            else:  # all swaps, of which each is a number whose bits are the units
                number = np.arange(start, stop)[:, np.newaxis]
                yield number >> np.arange(self.n_units) & 1

    def together(self, parts: Array, pairs: Array) -> Self:
        """Let the differences of these pairs be a family.

        `parts` are what each unit contributes to the value of each model, of shape
        (n_models, n_units), and `pairs` are numbers of models, of shape (n_pairs, 2).
        """
        parts = parts / scale_of(parts)
        errors = np.concatenate([(1 - 2 * flips) @ parts.T for flips in self.flips()]).T
        squares = np.array([length(of_model - parts) ** 2 for of_model in parts])  # of all pairs
        varying = pairs[squares[pairs[:, 0], pairs[:, 1]] > 0]
        return replace(self, farthest=farthest_of(errors, squares, varying))

    def critical(self, level: float) -> float:
        """Return the distance beyond which differences are significant, which may be infinite."""
        assert self.farthest is not None
        allowed = self._allowed(level)
        return float(np.sort(self.farthest)[::-1][allowed]) if allowed >= 0 else np.inf

    def _allowed(self, level: float) -> int:
        """Return how many swaps may be as far from 0 as a significant difference."""
        return ceil(alpha_of(level) * self.size - ROUNDING) - 1 - self.is_random

    def distance(self, parts: Array) -> float:
        """Return how many standard errors a difference is from 0."""
        size = float(length(parts))
        return abs(float(parts.sum())) / size if size else 0.0

    def test(
        self, parts: Array, weight: Array, level: float, around_equal: _Around | None = None
    ) -> tuple[float, float, float]:
        """Compute the interval around a difference, and its p-value.

        `parts` are what each unit contributes to the difference, and `weight` is how much it weighs
        in the mean. Swaps bring a difference of d at least as far from 0 as it is exactly if d is
        between the means of the units that are kept and of those that are swapped. If these are
        always equal, `around_equal` returns the interval at the single level.
        """
        size, total = float(length(parts)), float(parts.sum())
        if not size:
            return 0.0, 0.0, 1.0
        # Sums over the units that each swap swaps
        sums = [(flips @ parts, flips @ weight) for flips in self.flips()]
        swapped, swapped_weight = (np.concatenate(column) for column in zip(*sums, strict=True))

        # Distances from 0 in standard errors, in each swap: of this difference and of the family
        distances = np.abs(total - 2 * swapped) / size
        noise = ROUNDING * float(np.abs(parts).sum()) / size
        farthest = distances if self.farthest is None else self.farthest
        n_as_far = np.count_nonzero(farthest >= abs(total) / size - noise) + self.is_random
        pvalue, alpha, n_beyond = float(n_as_far) / self.size, alpha_of(level), self._allowed(level)
        if n_beyond < 0 or self.least() >= alpha:
            return -np.inf, np.inf, pvalue
        critical = float(np.sort(farthest)[::-1][n_beyond]) + noise
        if around_equal is not None:
            largest = distances.max(where=distances <= critical, initial=0.0)  # not significant
            n_at_least = np.count_nonzero(distances >= largest - noise) + self.is_random
            return *around_equal(min(alpha, n_at_least / self.size), pvalue < alpha), pvalue
        # A family of copies of one difference is tested as this difference alone.
        if not np.allclose(farthest, distances, rtol=0, atol=noise):
            n_beyond = int(np.count_nonzero(distances > critical))
        n_beyond += self.is_random

        ends = np.full((2, self.size), np.inf) * [[-1.0], [1.0]]  # of swaps of all units, or none
        kept_weight = float(weight.sum()) - swapped_weight
        lighter = np.minimum(swapped_weight, kept_weight)
        swaps = np.flatnonzero(lighter > ROUNDING * float(weight.sum()))
        mean_of_swapped = swapped[swaps] / swapped_weight[swaps]
        mean_of_kept = (total - swapped[swaps]) / kept_weight[swaps]
        ends[:, swaps] = np.sort([mean_of_swapped, mean_of_kept], axis=0)
        ends.sort(axis=1)
        low, high = float(ends[0, n_beyond]), float(ends[1, -1 - n_beyond])
        if pvalue >= alpha:
            return min(low, 0.0), max(high, 0.0), pvalue
        # A significant difference excludes 0.
        if total > 0:
            return max(low, _ABOVE), high, pvalue
        return low, min(high, -_ABOVE), pvalue


def farthest_of(errors: Array, squares: Array, pairs: Array) -> Array:
    """Return the largest difference of errors in each draw, in standard errors.

    `errors` have one row per value, and `squares` are the squared standard errors of all pairs.
    """
    farthest = np.zeros(errors.shape[1])
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        left, right = pairs[start : start + _PAIRS_AT_ONCE].T
        distances = np.abs(errors[left] - errors[right])
        distances /= np.sqrt(squares[left, right])[:, np.newaxis]
        np.maximum(farthest, distances.max(axis=0), out=farthest)
    return farthest
