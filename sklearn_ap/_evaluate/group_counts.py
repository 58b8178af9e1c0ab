"""What is flagged in each group."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.exact_scores import are_flagged
from ..core.ragged import Array
from ..core.rankings import Rankings


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
