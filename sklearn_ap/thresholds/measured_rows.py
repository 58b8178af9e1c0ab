"""The rows on which a threshold is chosen or checked, and how many positives exist for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._inputs.records import Inputs, NPositives
from .._read.columns import check_found, read_one_count
from .._read.group_names import name_all_groups
from .._read.model_rows import read_clusters, split_n_positives
from .._read.validation import read_one_ranking
from .._words.parameters import is_mapping
from ..core.exact_scores import are_flagged
from ..core.ragged import Array
from ..core.rankings import Rankings


class MeasuredRows(NamedTuple):
    """Samples in memory for which a threshold is chosen, or on which it is measured."""

    samples: Rankings
    cluster: Array | None  # the number of each sample's cluster, if the caller passed clusters
    found: float  # all positives, or their weight
    size: float  # all samples, or their weight
    have_equal_weights: bool  # whether all positives weigh the same
    exist: Array | None  # an array of how many positives there are, if the caller said so

    @property
    def n_groups(self) -> int | None:
        """How many groups have rows; None without groups.

        A group that only `n_positives` names says nothing about how many rows are flagged in it.
        """
        return None if self.samples.group is None else len(self.samples.names or ())


def read_measured_rows(inputs: Inputs) -> MeasuredRows:
    """Read samples in memory. Counts of clusters are added up, in each group if there are any."""
    samples = read_one_ranking(inputs._replace(n_positives=None))
    n_positives, pairs = split_n_positives(inputs.n_positives, inputs.groups, inputs.clusters)
    cluster = None
    if inputs.clusters is not None:
        clusters_with_counts = pairs if inputs.groups is None else None
        clusters, _ = read_clusters(inputs.clusters, samples, clusters_with_counts)
        cluster = clusters.numbers
    labels, weight = samples.labels, samples.weight
    found, size, have_equal_weights = int(np.count_nonzero(labels)), labels.size, True
    if weight is not None:
        of_positives = weight[labels]
        found, size = of_positives.sum().item(), weight.sum().item()
        have_equal_weights = not of_positives.size or bool(np.ptp(of_positives) == 0)
    exist = None
    if n_positives is not None:
        exist = _count_existing(samples, n_positives, found)
    return MeasuredRows(samples, cluster, found, size, have_equal_weights, exist)


def _count_existing(samples: Rankings, n_positives: NPositives, found: float) -> Array:
    """Return how many positives exist, in an array of one number. `found` are those of the samples,
    or their weight.
    """
    weighted = samples.weight is not None
    if samples.group is None or not is_mapping(n_positives):
        exist = read_one_count(n_positives, None, weighted)
        return check_found(exist, np.array([found]), weighted)
    names, number, exist = name_all_groups(samples.names or (), n_positives, weighted)
    found_in = np.zeros(len(names), dtype=samples.positive_mass.dtype)
    found_in[number] = samples.positive_mass
    exist_in = check_found(exist, found_in, weighted, names)
    return np.asarray(exist_in.sum(keepdims=True))


def count_flagged_in_groups(
    samples: Rankings, threshold: Array, by_weight: bool = False
) -> dict[Any, Any]:
    """Count the samples of each group whose prediction score is at least the threshold, or sum
    their weights. The result is by the names of the groups.
    """
    group, names = samples.group, samples.names
    flagged = are_flagged(samples.scores, threshold)
    assert group is not None
    assert names is not None
    amounts = flagged * samples.weight if by_weight else flagged.astype(np.int64)
    sums = np.zeros(len(names), dtype=amounts.dtype)
    np.add.at(sums, group, amounts)
    return dict(zip(names, sums.tolist(), strict=True))
