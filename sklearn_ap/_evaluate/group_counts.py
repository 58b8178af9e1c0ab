"""What is flagged in each group."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.exact_scores import are_flagged
from ..core.ragged import Array
from ..core.rankings import Rankings


def count_flagged_in_groups(samples: Rankings, threshold: Array) -> dict[Any, int]:
    """Count the samples of each group whose prediction score is at least the threshold."""
    return sum_by_group(samples, are_flagged(samples.scores, threshold).astype(np.int64))


def sum_flagged_weight_in_groups(samples: Rankings, threshold: Array) -> dict[Any, float]:
    return sum_by_group(samples, are_flagged(samples.scores, threshold) * samples.weight)


def sum_by_group(samples: Rankings, amounts: Array) -> dict[Any, Any]:
    """Sum the amounts in each group, and return the sums by the names of the groups."""
    group, names = samples.group, samples.names
    assert group is not None
    assert names is not None
    sums = np.zeros(len(names), dtype=amounts.dtype)
    np.add.at(sums, group, amounts)
    return dict(zip(names, sums.tolist(), strict=True))
