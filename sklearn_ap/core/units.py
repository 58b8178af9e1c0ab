"""Sampling units, which are drawn independently: samples, or clusters of samples."""

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array, csr_array

from . import cells
from .cells import Cells, InOrder
from .rankings import Rankings
from .segments import Array, sums


class Absent(NamedTuple):
    """Positives that were not scored, counted by ranking and cluster."""

    query: Array
    cluster: Array
    number: Array


@dataclass(frozen=True, slots=True)
class Clusters:
    """Samples that are drawn together. A cluster can have no samples."""

    of: Array  # the cluster number of each sample
    size: int
    absent: Absent | None = None

    def holding(self, labels: Array) -> int:
        """Count the clusters with positives, found or not."""
        held = np.bincount(self.of, labels, self.size)
        if self.absent is not None:
            held += np.bincount(self.absent.cluster, self.absent.number, self.size)
        return int(np.count_nonzero(held))

    def unplaced(self, missing: Array) -> Array:
        """Return how many of the missing positives of each ranking belong to no cluster."""
        if self.absent is None:
            return missing
        placed = np.bincount(self.absent.query, self.absent.number, missing.size)
        return np.asarray(missing - placed)


@dataclass(frozen=True, slots=True)
class Units:
    """Samples in the cells of one ranking, or of one per column, and their sampling units.

    A positive that exists but was never scored is a unit too. `missing` is the mass of these
    positives, one number per ranking. Those of `absent` belong to clusters.
    """

    cells: Cells
    cell: Array  # of each label
    weight: Array | None
    cluster: Array | None  # of each sample; None if each sample is a unit
    n_scored: int  # units
    missing: Array
    as_one: bool  # whether all columns are one ranking
    in_order: InOrder
    absent: Absent | None = None

    @classmethod
    def of(cls, rankings: Rankings, cluster: Array | None = None, every: bool = False) -> Self:
        """Make the units of checked input, before positives that were not scored are added."""
        held, cell, in_order = cells.of_samples(rankings, every)
        n_scored = len(cell) if cluster is None else int(cluster.max(initial=-1)) + 1
        nothing = np.zeros(held.n_queries, dtype=np.int64)
        as_one = rankings.average == "micro"
        return cls(held, cell, rankings.weight, cluster, n_scored, nothing, as_one, in_order)

    @property
    def n_missing(self) -> list[int]:
        """Numbers of units that were not scored, one per ranking."""
        return [ceil(mass) for mass in self.missing.tolist()]

    @property
    def size(self) -> int:
        return self.n_scored + sum(self.n_missing)

    @property
    def lacks(self) -> bool:
        """Whether there are positives that were not scored."""
        return self.absent is not None or bool(self.missing.any())

    @property
    def kind(self) -> str:
        return "samples" if self.cluster is None else "clusters"

    def holding(self, rankings: Rankings) -> Array:
        """Count the units with positives in each ranking."""
        labels = self._by_query(rankings.labels) > 0
        if self.cluster is None:
            found = np.count_nonzero(labels, axis=1)
        else:
            held = [np.unique(self.cluster[row]).size for row in labels]
            found = np.array(held)
        return np.asarray(found + self.n_missing)

    def weight_of_negatives(self, tied: Array, between: Array) -> Array:
        """Compute the mean weight of units of negatives that are above positives.

        The result has one number per ranking. The units are weighted by their squared influence.

        In a cluster, the negatives at one score count together. If no negative is above a positive,
        it is the mean over all units.
        """
        slope = self.cells.spread(0.0, tied, between)
        together = np.square(self.totals(slope)).sum(axis=1)
        ends = 3 * self.cells.offsets + np.arange(self.cells.offsets.size)
        apart = sums(self.cells.mass[0] * slope * slope, ends)
        every = sums(self.cells.mass[0], ends) / self.n_scored
        return np.asarray(np.divide(together, apart, out=every, where=apart > 0))

    def totals(self, of_cells: Array) -> Array:
        """Sum the values of cells over scored units, with one row per ranking and one column per
        unit.
        """
        values = of_cells[self.cell]
        if self.weight is not None:
            values *= self.weight if values.ndim == 1 else self.weight[:, np.newaxis]
        values = self._by_query(values)
        if self.cluster is None:
            return values
        return np.stack([np.bincount(self.cluster, row, self.n_scored) for row in values])

    def matrices(self) -> tuple[csr_array, csr_array, csr_array]:
        """Return mass by cell, samples by cell, and missing positives by ranking, for all units."""
        n_samples = len(self.cell)
        row_unit = np.arange(n_samples) if self.cluster is None else self.cluster
        shape = self.cell.shape
        wide = self.cell.ndim == 2
        unit = np.broadcast_to(row_unit[:, np.newaxis] if wide else row_unit, shape).ravel()
        ones = np.ones(self.cell.size, dtype=np.int64)
        weight = ones
        if self.weight is not None:
            each = self.weight[:, np.newaxis] if wide else self.weight
            weight = np.broadcast_to(each, shape).ravel()
        places = self.cell.ravel(), unit
        within = self.cells.size, self.size
        n_missing = self.n_missing
        query = np.repeat(np.arange(self.missing.size), n_missing)
        share = np.repeat(self.missing / np.maximum(n_missing, 1), n_missing)
        share = share.astype(self.missing.dtype, copy=False)
        unit_of_missing = self.n_scored + np.arange(query.size)
        if self.absent is not None:
            query = np.concatenate([query, self.absent.query])
            unit_of_missing = np.concatenate([unit_of_missing, self.absent.cluster])
            share = np.concatenate([share, self.absent.number])
        others = query, unit_of_missing
        return (
            coo_array((weight, places), shape=within).tocsr(),
            coo_array((ones, places), shape=within).tocsr(),
            coo_array((share, others), shape=(self.missing.size, self.size)).tocsr(),
        )

    def _by_query(self, of_labels: Array) -> Array:
        """Arrange values in one row per ranking, summed over columns that are one ranking."""
        if of_labels.ndim == 1:
            return of_labels[np.newaxis]
        if self.as_one:
            return np.asarray(of_labels.sum(axis=1)[np.newaxis])
        return of_labels.T
