"""The difference of two models on the same units: its t-test, and the verdict that follows.

docs/method.md has the rules. In formulas, D is the difference, S its standard error, u the
effective number of units, c the fraction of the population that a sample may lack by chance, and K
the cost of negatives that it may lack.
"""

from dataclasses import replace

import numpy as np

from .textbook import ROUNDING, TTest, combine_degrees_of_freedom, compute_t_test
from .unsampled import allow_for_margin
from .variation import Variation


def compare_variations(a: Variation, b: Variation, level: float, n_comparisons: int = 1) -> TTest:
    """Test the difference of two models on the same units, as one of several comparisons. A single
    unit tells nothing.

    A unit deviates by the difference of its deviations. A class that rests on fewer than two units
    doesn't show how much its difference varies, and adds all of it.
    """
    if (a.deviations.size, a.basis) != (b.deviations.size, b.basis):
        raise ValueError("All models need the same samples, groups and clusters.")
    kinds = [*zip(a.kinds, b.kinds, strict=True)]
    variances = []
    for x, y in kinds:
        apart = x.deviations - y.deviations, x.rare_parts - y.rare_parts
        variances.append(float(sum(np.sum(each**2) for each in apart)))
    n_effective = [min(x.n_effective, y.n_effective) for x, y in kinds]
    difference, error = a.value - b.value, float(np.sqrt(sum(variances)))
    noise = ROUNDING * max(abs(a.value), abs(b.value))
    if error <= noise:
        difference = difference if abs(difference) > noise else 0.0
        error, variances = 0.0, [0.0 for _ in kinds]
    degrees = combine_degrees_of_freedom(variances, n_effective)
    largest = max(a.largest_difference, b.largest_difference)
    test = TTest(difference=difference, units=n_effective[0])
    if n_effective[0] > 1:
        test = compute_t_test(difference, error, degrees, level, n_comparisons, largest)
    test = allow_for_margin(test, a, b, 1 - (1 - level) / n_comparisons, largest)
    if not test.standard_error:  # models that agree here may differ on what the sample lacks
        test = replace(test, low=test.margin_low, high=test.margin_high)
    return test


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
