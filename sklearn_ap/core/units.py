"""What is drawn from a population by itself: samples, or clusters of them."""

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
    """Positives that exist in clusters and were not scored: so many of a query in a cluster."""

    query: Array
    cluster: Array
    number: Array


@dataclass(frozen=True, slots=True)
class Clusters:
    """What is drawn together. A cluster may have no samples."""

    of: Array  # the number of each sample's
    size: int
    absent: Absent | None = None

    def holding(self, labels: Array) -> int:
        """How many of them have positives, found or not."""
        held = np.bincount(self.of, labels, self.size)
        if self.absent is not None:
            held += np.bincount(self.absent.cluster, self.absent.number, self.size)
        return int(np.count_nonzero(held))


@dataclass(frozen=True, slots=True)
class Units:
    """Samples in the cells of one ranking or of one a column, and the units that they make.

    A positive that exists and was never scored is a unit too; `missing` is their mass, one number
    a query. Those of `absent` belong to clusters.
    """

    cells: Cells
    cell: Array  # of each label
    weight: Array | None
    cluster: Array | None  # of each sample; None where each is a unit of its own
    n_scored: int  # units
    missing: Array
    as_one: bool  # whether all columns are one ranking
    in_order: InOrder
    absent: Absent | None = None

    @classmethod
    def of(cls, rankings: Rankings, cluster: Array | None = None, every: bool = False) -> Self:
        """The units of checked input, before it is known how many positives were not scored."""
        held, cell, in_order = cells.of_samples(rankings, every)
        n_scored = len(cell) if cluster is None else int(cluster.max(initial=-1)) + 1
        nothing = np.zeros(held.n_queries, dtype=np.int64)
        as_one = rankings.average == "micro"
        return cls(held, cell, rankings.weight, cluster, n_scored, nothing, as_one, in_order)

    @property
    def n_missing(self) -> list[int]:
        """Units that were not scored, one number a query."""
        return [ceil(mass) for mass in self.missing.tolist()]

    @property
    def size(self) -> int:
        return self.n_scored + sum(self.n_missing)

    @property
    def lacks(self) -> bool:
        """Whether positives exist that were not scored."""
        return self.absent is not None or bool(self.missing.any())

    @property
    def kind(self) -> str:
        return "samples" if self.cluster is None else "clusters"

    def holding(self, rankings: Rankings) -> Array:
        """How many units of each query hold positives."""
        labels = self._by_query(rankings.labels) > 0
        if self.cluster is None:
            found = np.count_nonzero(labels, axis=1)
        else:
            held = [np.unique(self.cluster[row]).size for row in labels]
            found = np.array(held)
        return np.asarray(found + self.n_missing)

    def weight_of_negatives(self, tied: Array, between: Array) -> Array:
        """What a unit of negatives weighs, one number a query: the mean over those that are above
        positives, by their squared influence.

        In a cluster the negatives at one score count together. Where no negative is above a
        positive, it's the mean over all units.
        """
        slope = self.cells.spread(0.0, tied, between)
        together = np.square(self.totals(slope)).sum(axis=1)
        ends = 3 * self.cells.offsets + np.arange(self.cells.offsets.size)
        apart = sums(self.cells.mass[0] * slope * slope, ends)
        every = sums(self.cells.mass[0], ends) / self.n_scored
        return np.asarray(np.divide(together, apart, out=every, where=apart > 0))

    def totals(self, of_cells: Array) -> Array:
        """What the scored units add up to: one row a query, one column a unit."""
        values = of_cells[self.cell]
        if self.weight is not None:
            values *= self.weight if values.ndim == 1 else self.weight[:, np.newaxis]
        values = self._by_query(values)
        if self.cluster is None:
            return values
        return np.stack([np.bincount(self.cluster, row, self.n_scored) for row in values])

    def matrices(self) -> tuple[csr_array, csr_array, csr_array]:
        """Mass by cell, samples by cell and missing positives by query; one column a unit."""
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
        """One row a query; if all columns are one ranking, what they add up to."""
        if of_labels.ndim == 1:
            return of_labels[np.newaxis]
        if self.as_one:
            return np.asarray(of_labels.sum(axis=1)[np.newaxis])
        return of_labels.T
