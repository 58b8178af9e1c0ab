"""Intervals and p-values of a mean by formulas, without any code of the package."""

import numpy as np
from scipy import stats


def by_t_test(units, level=0.95):
    """Return the interval around a mean of differences, and its p-value, with a standard error of
    at least a unit's worth of the mean.
    """
    mean, n = np.mean(units), len(units)
    error = max(stats.sem(units), abs(mean) / n)
    reach = stats.t.ppf((1 + level) / 2, n - 1) * error
    return mean - reach, mean + reach, 2 * stats.t.sf(abs(mean) / error, n - 1)
