"""What tells the rankings on which a function differs from all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .._words.messages import format_count
from ..core.ragged import Array
from .call_log import Call


class _Feature(NamedTuple):
    """What rankings have more or less of."""

    noun: str
    count: Callable[[Call], int]
    # A single ranking has the most or the least of most features by accident, but not of samples.
    min_rankings: int = 2


_FEATURES = (
    _Feature("samples", lambda call: call.labels.size, min_rankings=1),
    _Feature("positives", lambda call: int(call.labels.sum())),
    _Feature("negatives", lambda call: int((1 - call.labels).sum())),
    _Feature(
        "samples with one score",
        lambda call: int(np.unique(call.scores, return_counts=True)[1].max()),
    ),
    _Feature(
        "negatives for each positive",
        lambda call: int((1 - call.labels).sum() // call.labels.sum()),
    ),
)


class FeatureLimit(NamedTuple):
    """The least or the most that rankings have of a feature."""

    feature: str
    limit: int
    is_least: bool

    def __str__(self) -> str:
        if self.is_least:
            return f"with {self.limit:,} {self.feature} or more"
        return f"with at most {format_count(self.limit, self.feature)}"


def find_limit(calls: Sequence[Call], differs: Array) -> FeatureLimit | None:
    """Return the limit that tells exactly the rankings that differ, if any feature has one."""
    if not differs.any() or differs.all() or not all(call.labels.any() for call in calls):
        return None
    for feature in _FEATURES:
        if np.count_nonzero(differs) < feature.min_rankings:
            continue
        counts = np.array([feature.count(call) for call in calls])
        if counts[differs].min() > counts[~differs].max():
            return FeatureLimit(feature.noun, int(counts[differs].min()), is_least=True)
        if counts[differs].max() < counts[~differs].min():
            return FeatureLimit(feature.noun, int(counts[differs].max()), is_least=False)
    return None
