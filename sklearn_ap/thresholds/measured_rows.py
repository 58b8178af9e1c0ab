"""The rows on which a threshold is chosen or checked, and how many positives exist for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._inputs.records import Inputs, NPositives
from .._read.columns import check_found, read_one_count
from .._read.group_names import name_all_groups
from .._read.samples import read_clusters, split_n_positives
from .._read.validation import read_one_ranking
from .._words.parameters import is_mapping
from ..core.ragged import Array
from ..core.rankings import Rankings


class MeasuredRows(NamedTuple):
    """Samples in memory for which a threshold is chosen, or on which it is measured."""

    samples: Rankings
    n_positives: NPositives  # of all data, or by group
    cluster: Array | None  # the number of each sample's cluster, if the caller passed clusters

    def sum_masses(self) -> tuple[float, float, bool]:
        """Return the number of positives and of samples, or their weights, and whether all
        positives weigh the same.
        """
        labels, weight = self.samples.labels, self.samples.weight
        if weight is None:
            return int(np.count_nonzero(labels)), labels.size, True
        of_positives = weight[labels]
        have_equal_weights = not of_positives.size or of_positives.min() == of_positives.max()
        return of_positives.sum().item(), weight.sum().item(), bool(have_equal_weights)

    def count_existing(self, found: float) -> tuple[Array | None, int | None]:
        """Return how many positives exist, in an array of one number, or None if the caller didn't
        say; and how many groups have rows, or None without groups.

        `found` are the positives of the rows, or their weight. A group that only `n_positives`
        names says nothing about how many rows are flagged in a group, so it isn't counted.
        """
        samples, n_positives, _ = self
        names, weighted = samples.names or (), samples.weight is not None
        n_groups = None if samples.group is None else len(names)
        if n_positives is None:
            return None, n_groups
        if n_groups is None or not is_mapping(n_positives):
            exist = read_one_count(n_positives, None, weighted)
            return check_found(exist, np.array([found]), weighted), n_groups
        all_names, number, exist = name_all_groups(names, n_positives, weighted)
        found_in = np.zeros(len(all_names), dtype=samples.positive_mass.dtype)
        found_in[number] = samples.positive_mass
        return check_found(exist, found_in, weighted, all_names).sum(keepdims=True), n_groups


def read_measured_rows(inputs: Inputs) -> MeasuredRows:
    """Read samples in memory. Counts of clusters are added up, in each group if there are any."""
    samples = read_one_ranking(inputs._replace(n_positives=None))
    n_positives, pairs = split_n_positives(inputs.n_positives, inputs.groups, inputs.clusters)
    cluster = None
    if inputs.clusters is not None:
        clusters_with_counts = pairs if inputs.groups is None else None
        clusters, _ = read_clusters(inputs.clusters, samples, clusters_with_counts)
        cluster = clusters.numbers
    return MeasuredRows(samples, n_positives, cluster)
