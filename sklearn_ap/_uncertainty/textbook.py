"""The textbook's interval and test: a t interval on the logit scale, and a t-test of differences.

`unsampled` widens both by what a sample may lack. In formulas, v is the value, D a difference, S
its standard error, and u the effective number of units.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from .._core import Array

PerUnit = Array  # one element for each sampling unit
PerResample = Array  # one for each resample
PerFold = Array  # one for each fold; in a matrix, each row is a way to train

ROUNDING = 1e-12  # Relative differences of values below this are rounding errors.


def count_equal(mass: PerUnit) -> float:
    """Count the equal units that say as much as units of these masses: u = (sum m)^2 / sum m^2
    (Kish 1965).
    """
    n_units = int(np.count_nonzero(mass))
    if not n_units:
        return 0.0
    relative = mass / mass.max()  # squares of large ones would overflow
    n_equal = relative.sum() ** 2 / float(relative @ relative)
    return float(n_units if n_equal > n_units * (1 - 1e-9) else n_equal)  # less by rounding only


def combine_degrees_of_freedom(variances: Sequence[float], n_effective: Sequence[float]) -> float:
    """Compute the degrees of freedom of a sum of variances, each of which rests on u units and has
    u - 1 (Welch, Satterthwaite).
    """
    total = sum(variances)
    degrees = [max(u - 1, 1e-9) for u in n_effective]
    if len(degrees) == 1 or not total:
        return degrees[0]
    return 1 / sum((v / total) ** 2 / df for v, df in zip(variances, degrees, strict=True))


def compute_reach(error: float, degrees_of_freedom: float, level: float) -> float:
    """Compute how far a t interval extends to each side."""
    return float(stdtrit(degrees_of_freedom, (1 + level) / 2)) * error


@dataclass(frozen=True, kw_only=True)
class TTest:
    """What a sample tells about a difference; nan what it doesn't tell."""

    difference: float = np.nan
    low: float = np.nan
    high: float = np.nan
    margin_low: float = np.nan  # ends for claims about a margin, which allow for what samples lack
    margin_high: float = np.nan
    least_margin: float = np.nan  # no smaller margin can be shown
    standard_error: float = np.nan
    units: float = np.nan  # u; the t-test has one degree of freedom less
    pvalue: float = np.nan


def compute_t_test(
    difference: float,
    error: float,
    degrees_of_freedom: float,
    level: float,
    n_comparisons: int,
    largest: float,
) -> TTest:
    """Make a t-test, whose p and interval say the same, for so many comparisons (Bonferroni). No
    difference exceeds the largest one.

    S is at least |D|/u^2, since a few units may show almost the same difference by chance. So two
    units never tell models apart at 95%.
    """
    error = max(error, abs(difference) / (degrees_of_freedom + 1) ** 2)
    low = high = difference
    pvalue = 1.0
    if error:
        reach = compute_reach(error, degrees_of_freedom, 1 - (1 - level) / n_comparisons)
        low, high = max(difference - reach, -largest), min(difference + reach, largest)
        of_one = float(2 * stdtr(degrees_of_freedom, -abs(difference) / error))
        pvalue = min(of_one * n_comparisons, 1.0)
    alpha = compute_alpha(level)
    excludes_zero = low > 0 or high < 0
    if excludes_zero != (pvalue < alpha):  # a rounding error
        pvalue = float(np.nextafter(alpha, 0)) if excludes_zero else alpha
    return TTest(
        difference=difference,
        low=low,
        high=high,
        standard_error=error,
        units=degrees_of_freedom + 1,
        pvalue=pvalue,
    )


def compute_alpha(level: float) -> float:
    """Return what p has to be below. The float 1 - 0.95 isn't 0.05."""
    return round(1 - level, 12)
