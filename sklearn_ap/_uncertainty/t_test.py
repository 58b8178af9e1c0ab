"""The difference of two models on the same units: its t-test, and the verdict that follows.

docs/method.md has the rules. In formulas, D is the difference, S its standard error, u the
effective number of units, c the fraction of the population that a sample may lack by chance, and K
the cost of the negatives that it may lack, above all others.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import stdtr, stdtrit

from .._core import Array
from .units import count_equal
from .variation import ROUNDING, Variation, combine_degrees_of_freedom


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

    def with_margin_ends(self, least_margin: float, largest: float) -> Self:
        """Move ends out for claims about a margin: a distance r becomes sqrt(r^2 + K^2 + c^2).

        The least margin is sqrt(K^2 + c^2): how much models may differ on what the sample lacks. No
        difference exceeds the largest one.
        """
        below = float(np.hypot(self.difference - self.low, least_margin))
        above = float(np.hypot(self.high - self.difference, least_margin))
        return replace(
            self,
            margin_low=max(self.difference - below, -largest),
            margin_high=min(self.difference + above, largest),
            least_margin=least_margin,
        )


def compare_variations(a: Variation, b: Variation, level: float, n_comparisons: int = 1) -> TTest:
    """Test the difference of two models on the same units, as one of several comparisons."""
    kinds = [*zip((a, *a.crossed), (b, *b.crossed), strict=True)]
    variances = [vary_difference(x, y) for x, y in kinds]
    n_effective = [min(x.n_effective, y.n_effective) for x, y in kinds]
    difference, error = a.value - b.value, float(np.sqrt(sum(variances)))
    noise = ROUNDING * max(a.largest, b.largest)
    if error <= noise:
        error, variances = 0.0, [0.0 for _ in kinds]
        difference = difference if abs(difference) > noise else 0.0
    degrees_of_freedom = combine_degrees_of_freedom(variances, n_effective)
    level_of_one = 1 - (1 - level) / n_comparisons
    largest = max(each.largest_difference for each in (a, b))
    test = compute_t_test(
        difference=difference,
        error=error,
        n_effective=n_effective[0],
        degrees_of_freedom=degrees_of_freedom,
        level=level,
        n_comparisons=n_comparisons,
        largest=largest,
    )
    if a.crossed:
        test = replace(test, units=degrees_of_freedom + 1)
    loss = max(compute_largest_loss(each, largest, level_of_one) for each in (a, b))
    cost = max(each.compute_cost(level_of_one) for each in (a, b))
    test = test.with_margin_ends(float(np.hypot(loss, cost)), largest)
    if not test.standard_error:  # models that agree here may differ on what the sample lacks
        test = replace(test, low=test.margin_low, high=test.margin_high)
    return test


def vary_difference(a: Variation, b: Variation) -> float:
    """Compute the variance of a difference over units of one kind."""
    deviations = a.deviations - b.deviations
    if a.positive_mass is None:
        variance = np.sum(deviations**2)
    else:
        variance = vary_strata(deviations, a.positive_mass)
    # A class that rests on fewer than two units doesn't show how much its difference varies.
    of_rare_classes = a.rare_parts - b.rare_parts
    return float(variance + np.sum(of_rare_classes**2))


def vary_strata(deviations: Array, mass: Array) -> float:
    """Compute the variance of a difference that varies only among units with positives, around what
    their mass explains, and among those without. How many there are of each is the same for both
    models.
    """
    n, variance, inside = deviations.size, 0.0, mass > 0
    strata = (deviations[inside], mass[inside]), (deviations[~inside], np.ones(n - inside.sum()))
    for part, m in strata:
        n_equal = count_equal(m)
        factor = 1.0
        if n_equal > 1:
            part = part - m * (part.sum() / m.sum())
            factor = n_equal / (n_equal - 1) * (n - 1) / n
        variance += float(part @ part) * factor
    return variance


def compute_largest_loss(variation: Variation, largest: float, level: float) -> float:
    """Compute how much models may differ if they differ by the largest difference in what the
    sample may lack. If there is no largest one, it's the farther end of the interval.
    """
    if not np.isfinite(largest):
        largest = max(map(abs, variation.compute_interval(level)))
    return variation.compute_unsampled_fraction(level) * largest


def compute_t_test(
    *,
    difference: float,
    error: float,
    n_effective: float,
    degrees_of_freedom: float,
    level: float,
    n_comparisons: int,
    largest: float,
) -> TTest:
    """Make a t-test, whose p and interval say the same, for so many comparisons (Bonferroni).

    The standard error is at least |D|/u, as if one more unit showed no difference, so that a few
    units with nearly equal differences don't pin it down. A single unit tells nothing.
    """
    if n_effective <= 1:
        return TTest(difference=difference, units=n_effective)
    error = max(error, abs(difference) / n_effective)
    low = high = difference
    pvalue = 1.0
    if error:
        quantile = 1 - (1 - level) / n_comparisons / 2
        reach = float(stdtrit(degrees_of_freedom, quantile)) * error
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
        units=n_effective,
        pvalue=pvalue,
    )


def compute_alpha(level: float) -> float:
    """Return what p has to be below. The float 1 - 0.95 isn't 0.05."""
    return round(1 - level, 12)


def decide_verdict(test: TTest, margin: float | None = None, greater_is_better: bool = True) -> str:
    """Say what the interval of a difference shows about the first model.

    It's "equivalent" if the ends for the margin lie within it, even if the interval excludes 0, and
    "no worse" if they exclude losses of the margin or more. An end on the margin is outside of it.
    So identical models are equivalent only if the margin is above sqrt(K^2 + c^2).
    """
    low, high, lower, upper = test.low, test.high, test.margin_low, test.margin_high
    if not greater_is_better:
        low, high, lower, upper = -high, -low, -upper, -lower
    if np.isnan(low):
        return "unclear"
    # Without a margin, no end is inside of nan.
    inside = np.nan if margin is None else margin * (1 - 1e-9)
    if -inside < lower and upper < inside:
        return "equivalent"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    if lower > -inside:
        return "no worse"
    if upper < inside:
        return "no better"
    return "unclear"
