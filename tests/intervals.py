"""Intervals and p-values of a mean by formulas, without any code of the package."""

import numpy as np
from scipy import stats


def hall(units, level=0.95):
    """Return the ends of the interval by Hall's transform, which the skewness shifts."""
    n, mean, sd, skewness = units.size, units.mean(), units.std(ddof=1), stats.skew(units)
    q = stats.norm.ppf((1 + level) / 2) / n**0.5
    return [
        mean - sd * 3 / skewness * (np.cbrt(1 + skewness * (each - skewness / 6 / n)) - 1)
        for each in (q, -q)
    ]


def hall_and_t(units, level=0.95):
    """Return the wider interval around a mean, and the larger p-value, by formulas on the units."""
    n, mean, sd, skewness = units.size, units.mean(), units.std(ddof=1), stats.skew(units)
    reach = stats.t(n - 1).ppf((1 + level) / 2) * sd / n**0.5
    low, high = hall(units, level)
    w = mean / sd
    transformed = n**0.5 * (w + skewness * w**2 / 3 + skewness**2 * w**3 / 27 + skewness / (6 * n))
    p = min(2 * stats.norm.sf(transformed * np.sign(w)), 1), stats.ttest_1samp(units, 0).pvalue
    return min(mean - reach, low), max(mean + reach, high), max(p)
