"""Groups: their names in order, what is found and flagged in each, and the samples of some."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays.conversion import as_list
from .._inputs.records import NPositives
from .._read.group_names import name_all_groups, read_names
from ..core.exact_scores import are_flagged
from ..core.numbering import Name, number_groups
from ..core.operating_points import OperatingPoints, from_counts
from ..core.ragged import Array
from ..core.rankings import Names, Rankings

Amounts = tuple[Array, Array]  # the names of groups, and a number for each


def list_groups(samples: Rankings) -> tuple[Array, Array]:
    """Return the distinct groups in any order, and the group number of each sample."""
    return np.asarray(samples.names), np.asarray(samples.group)


def sort_all_groups(
    names: Names, n_positives: NPositives, weighted: bool
) -> tuple[list[Name], Array, Array, Array | None]:
    """Sort the names of all groups, of which `names` has those with rows, in any order.

    Return the sorted names, the order that sorts the groups if those that are only in n_positives
    come after the others, the places of these among the sorted names, and the positives of all
    groups, sorted, or None if n_positives doesn't say how many exist.
    """
    exist = None
    if n_positives is None:
        names, place = read_names(names).number_names()
    else:
        present = as_list(names) if isinstance(names, np.ndarray) else names
        names, place, exist = name_all_groups(present, n_positives, weighted)
    absent = np.flatnonzero(np.bincount(place, minlength=len(names)) == 0)
    return names, np.argsort(np.concatenate([place, absent])), absent, exist


def select_samples(samples: Rankings, places: Array) -> Rankings:
    """Return the samples at some places, with the groups that they belong to."""
    samples = samples.take(places)
    if samples.group is None:
        return samples
    present, group = number_groups(samples.group)
    return replace(samples, group=group, names=np.asarray(samples.names)[present])


def count_found_in_groups(samples: Rankings) -> Amounts:
    weight = 1 if samples.weight is None else samples.weight
    return sum_by_group(samples, samples.labels * weight)


def count_flagged_in_groups(samples: Rankings, threshold: Array) -> Amounts:
    """Count the samples of each group whose prediction score is at least the threshold."""
    return sum_by_group(samples, are_flagged(samples.scores, threshold).astype(np.int64))


def sum_flagged_weight_in_groups(samples: Rankings, threshold: Array) -> Amounts:
    return sum_by_group(samples, are_flagged(samples.scores, threshold) * samples.weight)


def sort_by_name(names: Array, numbers: Array) -> dict[Any, Any]:
    """Return the number of each group, in the order of their names if these can be ordered."""
    of_groups: dict[Any, Any] = dict(zip(as_list(names), numbers.tolist(), strict=True))
    try:
        return {name: of_groups[name] for name in sorted(of_groups)}
    except TypeError:
        return of_groups


def sum_by_group(samples: Rankings, amounts: Array) -> Amounts:
    """Sum the amounts in each group, and return the names of the groups and the sums."""
    names, group = list_groups(samples)
    values = np.zeros(len(names), dtype=amounts.dtype)
    np.add.at(values, group, amounts)
    return names, values


def make_empty_points(n_queries: int) -> OperatingPoints:
    nothing = np.zeros(0, dtype=np.int64)
    return from_counts(nothing, nothing, offsets=np.zeros(n_queries + 1, dtype=np.int64))
