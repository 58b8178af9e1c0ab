"""Intervals and p-values of a mean by formulas, without any code of the package."""

import numpy as np
from scipy import stats


def by_t_test(units, level=0.95, lacking=0.0):
    """Return the interval around a mean of differences, and its p-value. If it includes 0, its ends
    move out by what the sample may be `lacking`.
    """
    test, mean = stats.ttest_1samp(units, 0), np.mean(units)
    low, high = test.confidence_interval(level)
    if low <= 0 <= high:
        low, high = mean - np.hypot(mean - low, lacking), mean + np.hypot(high - mean, lacking)
    return low, high, test.pvalue


def lacking(number, *intervals, level=0.95):
    """Return what a fraction of so many units that is missing by chance may cost the best of values
    with these intervals.
    """
    return (1 - ((1 - level) / 2) ** (1 / number)) * max(interval.high for interval in intervals)
