"""What a random ranking has on average, where that has a closed form."""

import numpy as np
from scipy.special import digamma

from .._core.data import Rankings
from .._core.evaluate import choose_fill, take_mean, weigh
from .._core.points import Array, Points, from_counts, reduce_rankings
from .._core.rules import EnrichmentFactor, PointRule, PrecisionAtK, RecallAtK, RPrecision, Step


def compute_chance(
    rule: PointRule,
    rankings: Rankings,
    points: Points,
    is_first: Array,
    ends: Array,
    zero_division: float | str = "warn",
) -> float:
    """Compute what a random ranking has on average: nan with weights, and for metrics that have no
    closed form. `is_first` and `ends` are those of `SortedSamples`.
    """
    has_hits = isinstance(rule, PrecisionAtK | RecallAtK | EnrichmentFactor | RPrecision)
    if not (has_hits or isinstance(rule, Step)) or rule.ties != "grouped":
        return np.nan
    if rankings.weight is not None:
        return np.nan
    size, exist, found = np.diff(ends), points.n_positives, points.sum(points.hits)
    if isinstance(rule, Step):
        of_each = average_steps_at_random(found, exist, size, is_first, ends)
    else:  # hits are those of samples that are all tied
        has_rows = size > 0
        offsets = np.append(0, np.cumsum(has_rows))
        tied = from_counts(found[has_rows], size[has_rows], None, True, offsets)
        of_each = rule.values(tied._replace(n_positives=exist))
    of_each = np.where(np.isnan(of_each), choose_fill(rule, zero_division), of_each)
    return take_mean(of_each, weigh(rankings, of_each, exist))


def average_steps_at_random(
    found: Array, exist: Array, size: Array, is_first: Array, ends: Array
) -> Array:
    """Return the mean step AP of each ranking over all orders of its scores, with their ties.

    Of N samples F are positive, and R exist. The mean is the sum of
    n_i [F/N + (N_i - 1) F (F - 1)/(N (N - 1))]/(R N_i) over groups of n_i tied samples. If single
    and pair are F/N and F (F - 1)/(N (N - 1)), this is [(single - pair) sum n_i/N_i + pair N]/R.
    """
    if size.size == 1 and is_first.all():  # the sum is that of 1/i
        sums = np.array([digamma(size[0] + 1.0) + np.euler_gamma])
    else:
        first = np.flatnonzero(is_first)
        offsets = np.searchsorted(first, ends)
        end = first[1:] - np.repeat(ends[:-1], np.diff(offsets))
        sums = reduce_rankings(np.add, np.diff(first) / end, offsets)
    single = found / np.maximum(size, 1)
    pair = single * (found - 1) / np.maximum(size - 1, 1)
    with np.errstate(invalid="ignore"):
        return np.asarray(((single - pair) * sums + pair * size) / exist)
