"""What the interval of a difference allows to say, and of several differences or models at once."""

import numpy as np

from .ragged import Array
from .spread import compute_alpha
from .tolerances import ROUNDING_TOLERANCE, SUM_TOLERANCE

VERDICTS = "better", "worse", "equivalent", "no worse", "no better", "unclear"


def count_differences(n_models: int, is_chosen: bool) -> int:
    """Count the differences from a baseline, or if the data chose it, those between all pairs of
    models.
    """
    return n_models * (n_models - 1) // 2 if is_chosen else n_models - 1


def compute_ranks(values: Array) -> Array:
    """Return the rank of each value, 1 for the highest one. Equal values have the same rank."""
    order = np.argsort(-values, kind="stable")
    apart = -np.diff(values[order]) > _compute_noise(values)
    ranks = np.empty(values.size, np.int64)
    places = np.arange(1, values.size + 1)
    ranks[order] = np.maximum.accumulate(np.where(np.append(True, apart), places, 1))
    return ranks


def find_best(values: Array) -> int:
    """Return the place of the highest value, the first one if several have rank 1."""
    return int(np.argmax(values >= np.fmax.reduce(values) - _compute_noise(values)))


def _compute_noise(values: Array) -> float:
    return float(ROUNDING_TOLERANCE * np.fmax.reduce(np.abs(values), initial=0.0))


def decide_verdict(
    low: float,
    high: float,
    margin: float | None = None,
    greater_is_better: bool = True,
    margin_ends: tuple[float, float] | None = None,
) -> str:
    """Say what the interval of a difference shows about the first model.

    `margin_ends` are the ends that claims about the margin need, which allow for what a sample may
    lack; None if the interval itself does. It is "equivalent" if both lie within the margin, even
    if the interval excludes 0, because a difference smaller than the margin doesn't matter.
    Otherwise, it is "better" or "worse" if the interval excludes 0, and "no worse" or "no better"
    if the ends exclude all differences of the margin or more in the other direction. What the
    interval doesn't tell is "unclear", and so is everything but "better" and "worse" without a
    margin. An end on the margin is outside of it: a difference of 0.3 - 0.2 isn't below 0.1,
    although its float is.
    """
    lower, upper = (low, high) if margin_ends is None else margin_ends
    if not greater_is_better:
        low, high, lower, upper = -high, -low, -upper, -lower
    if not low <= high:  # one of them is nan
        return "unclear"
    inside = 0.0 if margin is None else margin * (1 - SUM_TOLERANCE)  # not on the margin
    if -inside < lower and upper < inside:
        return "equivalent"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    if margin is not None and lower > -inside:
        return "no worse"
    if margin is not None and upper < inside:
        return "no better"
    return "unclear"


def compute_single_level(level: float, number: int) -> float:
    """Return the level of single intervals with which so many hold at once, by Bonferroni."""
    return 1 - (1 - level) / number if number > 1 else level


def adjust_test(
    tested: tuple[float, float, float], number: int, level: float
) -> tuple[float, float, float]:
    """Return the ends of an interval and its p-value for a family of so many differences.

    `tested` are those of a test at `compute_single_level`. The interval excludes 0 exactly if the
    p-value is below alpha: where rounding errors would say otherwise, p is moved to alpha's other
    side.
    """
    low, high, single = tested
    pvalue = min(single * max(number, 1), 1.0)
    excludes, alpha = low > 0 or high < 0, compute_alpha(level)
    if excludes == (pvalue < alpha):
        return low, high, pvalue
    return low, high, float(np.nextafter(alpha, 0)) if excludes else alpha
