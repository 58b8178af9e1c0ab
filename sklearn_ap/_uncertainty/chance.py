"""What a random ranking has on average, where its definition has a formula for that."""

import numpy as np

from .._core import Array, PointRule, Rankings
from .._core.steps import SortedSamples, fill_undefined, take_mean, weigh


def compute_chance(
    rule: PointRule,
    rankings: Rankings,
    samples: SortedSamples,
    exist: Array,
    zero_division: float | str = "warn",
) -> float:
    """Compute what a random ranking has on average, nan if weights or the rule have no formula."""
    has_formula = rankings.weight is None and rule.ties == "grouped"
    of_each = rule.average_at_random(samples, exist) if has_formula else None
    if of_each is None:
        return np.nan
    of_each = fill_undefined(rule, of_each, zero_division)
    return take_mean(of_each, weigh(rankings, of_each, exist))
