"""Intervals that hold together, and p-values of several tests, adjusted in one step.

The errors of the estimates, such as the differences between models, are jointly normal, and what
each sampling unit or each resample contributes to them says how they are correlated. The adjusted
p-value of an estimate is the probability that any of them, without effects, is as many standard
errors from 0 [1]_.

References
----------
.. [1] T. Hothorn, F. Bretz and P. Westfall, "Simultaneous inference in general parametric models",
   Biometrical Journal 50, 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaincc, ndtr

from .spread import alpha_of
from .within import Array

_DRAWS, _FEWEST, _MOST = 2**14, 2**9, 2**26  # directions, and how often values meet in all of them
_GRID = np.concatenate([[0.05, 0.1], np.arange(0.25, 5.1, 0.25), [6, 8, 10]])  # standard errors
_NOISE = 1e-9  # correlations of estimates without a common unit
_EQUAL = 1e-12  # squared errors of differences, relative to values, that are only rounding errors
_AT_ONCE = 64  # pairs
_ALMOST = 1 - 1e-16


class Block(NamedTuple):
    """Estimates that depend on each other: values, or the differences of `pairs` of them."""

    correlations: Array  # of the values
    lengths: Array  # their standard errors
    pairs: Array | None = None  # of shape (n_estimates, 2)

    @property
    def size(self) -> int:
        return len(self.lengths if self.pairs is None else self.pairs)

    def varying(self) -> Block:
        """Leave out copies of a model, for which no direction is drawn, and count differences from
        them once.
        """
        assert self.pairs is not None
        first = np.argmin(squares_of_pairs(self.correlations, self.lengths), axis=1)
        kept, place = np.unique(first, return_inverse=True)
        pairs = np.unique(np.sort(place[self.pairs], axis=1), axis=0)
        correlations, lengths = self.correlations[np.ix_(kept, kept)], self.lengths[kept]
        return Block(correlations, lengths, pairs[pairs[:, 0] < pairs[:, 1]])

    def anywhere(self, directions: Array) -> Array:
        """Return the probability that any estimate is beyond each distance of the grid.

        `directions` are unit vectors, of shape (n_values, n_directions).

        The length of a normal vector has a chi distribution whatever its direction, so a few
        thousand directions are enough. Too few of them reach very far if there are many values, but
        there, errors come alone: the probability divided by that of a single estimate increases
        with the distance.
        """
        alone = 2 * ndtr(-_GRID)
        if self.size < 2:
            return np.asarray(alone)
        near = np.sort(self._farthest(directions)).reshape(_FEWEST, -1).mean(axis=1)
        beyond = gammaincc(len(self.lengths) / 2, (_GRID[:, np.newaxis] / near) ** 2 / 2)
        ratio = np.maximum.accumulate(np.maximum(beyond.mean(axis=1) / alone, 1.0))
        return np.asarray(np.minimum(ratio, self.size) * alone)

    def _farthest(self, directions: Array) -> Array:
        """Return how many standard errors the farthest estimate is from 0 in each direction.

        The directions don't depend on the pairs, so in each of them, a family is at least as far
        as one of its parts.
        """
        errors = self._root() @ directions
        if self.pairs is None:
            return np.asarray(np.abs(errors).max(axis=0))
        errors *= self.lengths[:, np.newaxis]
        squares = squares_of_pairs(self.correlations, self.lengths)
        return farthest_of(errors, squares, self.pairs)

    def _root(self) -> Array:
        """Return the root of the correlations, whose columns don't depend on how values are
        ordered.
        """
        keys = [np.round((self.correlations**power).sum(axis=1), 8) for power in (4, 3, 2)]
        values, vectors = np.linalg.eigh(self.correlations)
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return np.asarray(root[:, np.lexsort([self.lengths, *keys])])


def farthest_of(errors: Array, squares: Array, pairs: Array) -> Array:
    """Return the largest difference of errors in each draw, in standard errors.

    `errors` have one row per value, and `squares` are the squared standard errors of all pairs.
    """
    farthest = np.zeros(errors.shape[1])
    for start in range(0, len(pairs), _AT_ONCE):
        left, right = pairs[start : start + _AT_ONCE].T
        distances = np.abs(errors[left] - errors[right])
        distances /= np.sqrt(squares[left, right])[:, np.newaxis]
        np.maximum(farthest, distances.max(axis=0), out=farthest)
    return farthest


def agreed(low: float, high: float, pvalue: float, alpha: float) -> tuple[float, float, float]:
    """Let an interval exclude 0 exactly if the p-value is below alpha, which it does up to rounding
    errors.
    """
    if low != low or pvalue != pvalue:
        return low, high, pvalue
    excludes = low > 0 or high < 0
    if excludes == (pvalue < alpha):
        return low, high, pvalue
    return low, high, nudged(pvalue, float(np.nextafter(alpha, 0)) if excludes else alpha)


def nudged(pvalue: float, least: float) -> float:
    """Return another p-value in place of one that differs from it by rounding errors.

    In the tests, this raises if they differ by more.
    """
    return least


def pairs_with(size: int, base: int | None) -> Array:
    """Return the places of all pairs, or of those with a baseline, of shape (n_pairs, 2)."""
    if base is not None:
        return np.array([(place, base) for place in range(size) if place != base])
    return np.transpose(np.triu_indices(size, 1))


def _directions(times: int, size: int) -> Array:
    """Draw unit vectors of this size, one in each column."""
    vectors = np.random.default_rng(0).standard_normal((size, times))
    return np.asarray(vectors / np.sqrt((vectors**2).sum(axis=0)))


def squares_of_pairs(correlations: Array, lengths: Array) -> Array:
    """Return the squared standard errors of all differences, 0 for rounding errors.

    `lengths` are the standard errors of the values.
    """
    variances = lengths**2
    both = variances[:, np.newaxis] + variances
    squares = both - 2 * correlations * lengths[:, np.newaxis] * lengths
    return np.asarray(np.where(squares > _EQUAL * both, squares, 0.0))


@dataclass(frozen=True)
class Family:
    """Estimates whose intervals hold for all of them at once.

    `blocks` are sets of estimates that share sampling units. All others are independent. Without
    blocks, nothing is known about correlations, and the adjustment is Bonferroni's.
    """

    size: int
    blocks: Sequence[Block] | None = field(default=None, repr=False)
    n_alone: int = 0  # estimates that are in no block

    @classmethod
    def independent(cls, size: int) -> Self:
        return cls(size, (), size)

    @classmethod
    def of(
        cls, contributions: Iterable[Any], errors: Array | None = None, pairs: Array | None = None
    ) -> Self:
        """Make the family of values, or of the differences of `pairs` of them, from what each unit
        or resample contributes to each value.

        `contributions` are matrices of shape (n_values, n_units), which can be sparse, with some
        units after others. `errors` are the standard errors, which can be larger than the units
        explain. A value that doesn't vary is independent of the others. A difference that doesn't
        vary is left out.
        """
        alike = csr_array(sum(map(_products, contributions)))  # keeps one matrix at a time
        squares = alike.diagonal()
        lengths = np.sqrt(squares)
        lengths = lengths if errors is None else np.maximum(errors, lengths)
        scale = np.divide(1.0, lengths, out=np.zeros(lengths.size), where=squares > 0)
        alike.data *= np.repeat(scale, np.diff(alike.indptr)) * scale[alike.indices]
        alike.data[np.abs(alike.data) < _NOISE] = 0
        alike.eliminate_zeros()
        links = alike
        if pairs is not None:
            ends = np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])
            links = abs(alike) + csr_array(ends, shape=alike.shape)
        _, block_of_value = connected_components(links, directed=False)
        order, values_of_blocks = _by_number(block_of_value)
        place = np.empty(lengths.size, dtype=np.int64)  # of each value in its block
        place[order] = np.concatenate([np.arange(values.size) for values in values_of_blocks])
        if pairs is None:
            values_of_blocks = [values for values in values_of_blocks if values.size > 1]
        blocks = [
            Block(_correlations(alike, values, place), lengths[values])
            for values in values_of_blocks
        ]
        if pairs is None:
            return cls(lengths.size, blocks, lengths.size - sum(map(len, values_of_blocks)))
        _, pairs_of_blocks = _by_number(block_of_value[pairs[:, 0]])
        blocks = [
            block._replace(pairs=place[pairs[own_pairs]]).varying()
            for block, own_pairs in zip(blocks, pairs_of_blocks, strict=True)
        ]
        return cls(len(pairs), [block for block in blocks if block.size])

    def level(self, level: float) -> float:
        """Return the level of single intervals that hold for all estimates with this one."""
        if self.size < 2:
            return level
        if self.blocks is None:
            return 1 - (1 - level) / self.size
        single, together = self._rates
        rate = _extended(-np.log1p(-np.array([alpha_of(level)])), together, single)
        return float(np.exp(-rate.item()))

    def adjusted(self, pvalues: Any) -> Array:
        """Adjust two-sided p-values. An undefined one stays undefined."""
        single: Array = np.asarray(pvalues, dtype=float)
        if self.size < 2:
            return single
        if self.blocks is None:
            return np.asarray(np.minimum(single * self.size, 1.0))
        with np.errstate(divide="ignore"):  # a p-value of 1
            rates = _extended(-np.log1p(-single), *self._rates)
        return np.asarray(-np.expm1(-rates))

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        """-log(1 - p) of a single estimate and of all of them, at the distances of the grid.

        If all are independent, the second one is a multiple of the first one.
        """
        assert self.blocks is not None
        single = -np.log1p(-2 * ndtr(-_GRID))
        meetings = sum(len(block.lengths) ** 2 for block in self.blocks)
        times = min(max(_MOST // max(meetings, 1) // _FEWEST, 1) * _FEWEST, _DRAWS)
        together = np.maximum(self.n_alone, not self.blocks) * single
        directions = np.zeros((0, times))
        for block in self.blocks:
            if len(directions) != len(block.lengths):  # most blocks have as many values as the last
                directions = _directions(times, len(block.lengths))
            together += -np.log1p(-np.minimum(block.anywhere(directions), _ALMOST))
        return single, together


def _extended(rates: Array, from_rates: Array, to_rates: Array) -> Array:
    """Convert rates as a falling grid of rates to another one, and keep the ratio beyond both ends.

    Logarithms are interpolated.
    """
    from_logs, to_logs = np.log(from_rates[::-1]), np.log(to_rates[::-1])
    with np.errstate(divide="ignore"):
        logs = np.log(rates)
    inside = np.clip(logs, from_logs[0], from_logs[-1])
    return np.asarray(np.exp(np.interp(inside, from_logs, to_logs) + (logs - inside)))


def _products(matrix: Any) -> Any:
    """Return the scalar products of the rows."""
    return matrix @ matrix.T


def _by_number(numbers: Array) -> tuple[Array, list[Array]]:
    """Return the order of numbers, and the places of each number."""
    order = np.argsort(numbers, kind="stable")
    return order, np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)


def _correlations(alike: Any, which: Array, place: Array) -> Array:
    """Return the correlations of the values of a block, whose rows have entries in no other block.
    `place` is that of each value in its block.
    """
    block = np.zeros((which.size, which.size))
    for row, value in zip(block, which, strict=True):
        entries = slice(*alike.indptr[value : value + 2])
        row[place[alike.indices[entries]]] = alike.data[entries]
    np.fill_diagonal(block, 1.0)
    return np.clip(np.round(block, 12), -1.0, 1.0)  # whatever the order of summation
