"""Intervals that hold together, and p-values of several tests, adjusted in one step.

The errors of the estimates, such as the values of segments, are jointly normal, and what each
sampling unit contributes to them says how they are correlated. The adjusted p-value of an estimate
is the probability that any of them, without effects, is as many standard errors from 0 [1]_.

References
----------
.. [1] T. Hothorn, F. Bretz and P. Westfall, "Simultaneous inference in general parametric models",
   Biometrical Journal 50, 2008.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, ndtri

from .runs import Array

_DRAWS, _FEWEST = 8192, 512  # of all errors that are correlated, and of each block of them
_GRID = np.concatenate([np.linspace(0, 5, 21), [6.0, 8.0, 10.0]])  # standard errors
_ALMOST = 1 - 1e-16
_NOISE = 1e-9  # correlations of estimates without a common unit


@dataclass(frozen=True)
class Family:
    """Estimates whose intervals hold for all of them at once.

    `blocks` are the correlations within sets of estimates that share sampling units. All others
    are independent. Without blocks, nothing is known about correlations, and the adjustment is
    Bonferroni's.
    """

    size: int
    blocks: Sequence[Array] | None = field(default=None, repr=False)

    @classmethod
    def independent(cls, size: int) -> Self:
        return cls(size, ())

    @classmethod
    def of(cls, contributions: Any, errors: Array | None = None) -> Self:
        """Make the family of estimates from the contribution of each unit to each estimate.

        `contributions` is a matrix of shape (n_estimates, n_units), which can be sparse, and
        `errors` are the standard errors, which can be larger than the units explain. An estimate
        that doesn't vary is independent of the others.
        """
        alike = csr_array(contributions @ contributions.T)
        squares = alike.diagonal()
        lengths = np.sqrt(squares) if errors is None else np.maximum(errors, np.sqrt(squares))
        scale = np.divide(1.0, lengths, out=np.zeros(lengths.size), where=squares > 0)
        alike.data *= np.repeat(scale, np.diff(alike.indptr)) * scale[alike.indices]
        alike.data[np.abs(alike.data) < _NOISE] = 0
        alike.eliminate_zeros()
        _, block = connected_components(alike, directed=False)
        order = np.argsort(block, kind="stable")
        edges = np.flatnonzero(np.diff(block[order])) + 1
        within = [each for each in np.split(order, edges) if each.size > 1]
        return cls(lengths.size, [_correlations(alike, each) for each in within])

    def level(self, level: float) -> float:
        """Return the level of single intervals that hold for all estimates with this one."""
        if self.size < 2:
            return level
        if self.blocks is None:
            return 1 - (1 - level) / self.size
        if not self.blocks:
            return float(level ** (1 / self.size))
        low, high = ((1 + each) / 2 for each in (level, 1 - (1 - level) / self.size))
        low, high = ndtri(low), ndtri(high)
        if self._any(high) >= 1 - level:  # up to rounding errors
            return 1 - (1 - level) / self.size
        root = brentq(lambda distance: self._any(distance) - (1 - level), low - 1e-9, high)
        return float(2 * ndtr(root) - 1)

    def adjusted(self, pvalues: Any) -> Array:
        """Adjust two-sided p-values. An undefined one stays undefined."""
        each: Array = np.asarray(pvalues, dtype=float)
        if self.size < 2:
            return each
        if self.blocks is None:
            return np.asarray(np.minimum(each * self.size, 1.0))
        if not self.blocks:
            return np.asarray(-np.expm1(self.size * np.log1p(-np.minimum(each, _ALMOST))))
        distances = np.minimum(-ndtri(np.maximum(each, 1e-300) / 2), _GRID[-1])
        found = np.array(
            [self._any(distance) if distance == distance else np.nan for distance in distances]
        )
        least = np.where(distances < _GRID[-1], each, 0.0)
        return np.asarray(np.where(each == 0, 0.0, np.minimum(np.maximum(found, least), 1.0)))

    def _any(self, distance: float) -> float:
        """Return the probability that any error is at least so many standard errors."""
        alone = 2 * ndtr(-distance)
        sizes, shares = self._tables
        place = np.searchsorted(_GRID, distance, side="right").clip(1, _GRID.size - 1)
        part = (distance - _GRID[place - 1]) / (_GRID[place] - _GRID[place - 1])
        share = shares[:, place - 1] * (1 - part) + shares[:, place] * part
        within = np.append(sizes * alone * share, np.full(self.size - sizes.sum(), alone))
        return float(-np.expm1(np.log1p(-np.minimum(within, _ALMOST)).sum()))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        """The sizes of the blocks, and their shares at the distances of the grid."""
        blocks = sorted(map(_in_order, self.blocks or ()), key=lambda block: -block.sum())
        times = max(_DRAWS // max(len(blocks), 1), _FEWEST)
        sizes, shares = [], []
        for size in sorted(set(map(len, blocks))):
            some = np.stack([block for block in blocks if len(block) == size])
            sizes += [size] * len(some)
            shares.append(_shares(some, times))
        return np.array(sizes), np.concatenate(shares)


def _correlations(alike: Any, which: Array) -> Array:
    block: Array = alike[which][:, which].toarray()
    np.fill_diagonal(block, 1.0)
    return np.clip(block, -1.0, 1.0)


def _in_order(block: Array) -> Array:
    """Sort estimates by their correlations, so that draws don't depend on how they are ordered."""
    keys = [np.round((block**power).sum(axis=1), 8) for power in (4, 3, 2)]
    order = np.lexsort(keys)
    return block[order][:, order]


def _shares(blocks: Array, times: int) -> Array:
    """Compute how often large errors come alone, with one row per block and one column for each
    distance of the grid.

    The probability that any of m errors is beyond a distance is m times that of a single one, times
    the mean of 1/n if one is beyond and n are in all [1]_. The mean is between 1/m and 1, so a few
    thousand draws are enough for any distance. They are always the same.

    References
    ----------
    .. [1] D. Q. Naiman and C. E. Priebe, "Computing scan statistic p values using importance
       sampling, with applications to genetics and medical image analysis", Journal of Computational
       and Graphical Statistics 10, 2001.
    """
    n_blocks, size, _ = blocks.shape
    times = size * max(times // size, 1)
    rng = np.random.default_rng(0)
    values, vectors = np.linalg.eigh(blocks)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, np.newaxis]
    errors = rng.standard_normal((n_blocks, times, size)) @ root.swapaxes(1, 2)
    one, place = np.arange(times) % size, np.arange(times)
    slopes, start = blocks[:, one], errors[:, place, one]
    errors -= slopes * start[..., np.newaxis]  # what doesn't depend on the chosen one
    heights, found = rng.random((n_blocks, times)), []
    for distance in _GRID:
        beyond = -ndtri(heights * ndtr(-distance))[..., np.newaxis]
        number = np.count_nonzero(np.abs(errors + slopes * beyond) > distance, axis=2)
        found.append(np.mean(1 / np.maximum(number, 1), axis=1))
    return np.stack(found, axis=1)
