"""A value and how much it varies, and the interval that follows. docs/method.md has the rules.

In formulas, v is the value, u the effective number of units, c the fraction of the population that
a sample may lack by chance, and K what the negatives that it may lack would cost above all others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit, stdtrit

from .._core import Array

ROUNDING = 1e-12  # Relative differences of values below this are rounding errors.


@dataclass(frozen=True, eq=False, kw_only=True)
class Variation:
    """A value, and how much it varies between samples.

    The squares of the deviations add up to the variance of the value. There is one for each
    sampling unit, which is a row, a cluster of rows or a group, or for each resample. The
    difference of two models has the differences of their deviations.
    """

    value: float
    deviations: Array
    n_effective: float  # u: this many equal units with positives say as much
    basis: str  # words such as "395 positives"
    limits: tuple[float, float] = (0.0, 1.0)
    perfect: float = np.inf  # the value of a perfect ranking, if a cutoff may limit it
    greater_is_better: bool = True
    find_cost: Callable[[float], float] | None = None  # K: the cost of negatives above all others
    bias: float = 0.0  # how much too high means over classes are
    rare_parts: Array = field(default_factory=lambda: np.zeros(0))  # parts of classes with u < 2
    positive_mass: Array | None = None  # m of each unit, if those with and without any are strata
    group_values: Array | None = None  # values of the units, if these are groups
    unseen: tuple[float, float] | None = None  # values of units that it may lack, if not limits
    resampled: Array | None = None  # the values of resamples
    crossed: tuple["Variation", ...] = ()  # the same value over other units, as seeds beside rows
    chance: float = np.nan  # the mean value of random rankings
    n_samples: int
    n_positives: float

    @cached_property
    def standard_error(self) -> float:
        return float(np.sqrt(sum(self._variances)))

    @property
    def degrees_of_freedom(self) -> float:
        n_effective = [each.n_effective for each in (self, *self.crossed)]
        return combine_degrees_of_freedom(self._variances, n_effective)

    @property
    def _variances(self) -> list[float]:
        return [float(np.sum(each.deviations**2)) for each in (self, *self.crossed)]

    @property
    def varies(self) -> bool:
        """Whether it's known how much the value varies."""
        noise = ROUNDING * max(abs(self.value), 1e-300)
        return self.n_effective > 1 and self.standard_error > noise

    @property
    def largest(self) -> float:
        """The largest value of a group, or the only value, by which rounding errors are judged."""
        values = [self.value] if self.group_values is None else self.group_values
        return float(np.abs(values).max())

    @property
    def largest_difference(self) -> float:
        """The largest difference that two models can have."""
        return float(min(self.limits[1] - self.limits[0], self.perfect))

    def compute_cost(self, level: float) -> float:
        """Compute K: what the negatives that the sample may lack at this level would cost."""
        return 0.0 if self.find_cost is None else self.find_cost(level)

    def compute_unsampled_fraction(self, level: float) -> float:
        """Compute c = 1 - 0.025^(1/u): one in 40 samples (at the usual level) lacks a kind of units
        that makes up this fraction of the population.
        """
        return float(1 - ((1 - level) / 2) ** (1 / self.n_effective))

    def compute_reach(self, level: float) -> float:
        """Compute how far a t interval extends to each side."""
        return float(stdtrit(self.degrees_of_freedom, (1 + level) / 2)) * self.standard_error

    def compute_plain_interval(self, level: float) -> tuple[float, float]:
        """Compute the interval of a t-test on the scale of the value."""
        lowest, highest = self.limits
        if not self.varies:
            return lowest, highest
        reach = self.compute_reach(level)
        return max(self.value - reach, lowest), min(self.value + reach, highest)

    def compute_interval(self, level: float) -> tuple[float, float]:
        """Compute the interval of a t-test, widened by what the sample may lack.

        The plain interval stands in for it if a single unit doesn't tell how much the value varies,
        or if the value has no limits and so no logit scale.
        """
        lowest, highest = self.limits
        if self.n_effective <= 1 or not np.isfinite(highest - lowest):
            return self.compute_plain_interval(level)
        if not self.greater_is_better:
            low, high = self._mirror().compute_interval(level)
            return -high, -low
        width = highest - lowest
        low, high = self._compute_scaled_interval((self.value - lowest) / width, width, level)
        return min(lowest + low * width, self.value), max(lowest + high * width, self.value)

    def _mirror(self) -> Self:
        unseen = None if self.unseen is None else (-self.unseen[1], -self.unseen[0])
        return replace(
            self,
            value=-self.value,
            limits=(-self.limits[1], -self.limits[0]),
            unseen=unseen,
            greater_is_better=True,
        )

    def _compute_scaled_interval(
        self, value: float, width: float, level: float
    ) -> tuple[float, float]:
        """Compute the interval on the scale on which the limits are 0 and 1.

        Its ends are at least as far out as the value would be if the units that the sample may lack
        were the worst or the best, and its low end if negatives that it may lack ranked first.
        """
        low = high = value
        if self.varies and 0 < value < 1 - ROUNDING:
            low, high = self._compute_t_interval(value, width, level)
        unsampled = self.compute_unsampled_fraction(level)
        worst, best = 0.0, 1.0
        if self.unseen is not None:
            worst, best = ((each - self.limits[0]) / width for each in self.unseen)
        loss = max(unsampled * (value - worst), self.compute_cost(level) / width)
        low = min(low, value - loss) - self.bias / width
        return max(low, 0.0), min(max(high, value + unsampled * (best - value)), 1.0)

    def _compute_t_interval(self, value: float, width: float, level: float) -> tuple[float, float]:
        """Compute the interval of a t-test for limits of 0 and 1: on the logit scale, or if a value
        was resampled, on its own. Its best value varies, so that the other scale has no fixed end.
        """
        reach = self.compute_reach(level) / width
        if self.resampled is not None:
            return value - reach, value + reach
        moved = reach / (value * (1 - value))
        return float(expit(logit(value) - moved)), float(expit(logit(value) + moved))

    def list_statistics(self, level: float) -> dict[str, Any]:
        """Return the value with its interval, and what these rest on, as results have it."""
        low, high = self.compute_interval(level)
        names = ("value", "standard_error", "chance", "basis", "n_samples", "n_positives")
        known = {name: getattr(self, name) for name in names}
        return known | {"low": low, "high": high, "units": self.n_effective}


def cross_variations(variations: Sequence[Variation]) -> Variation:
    """Let a value vary over several kinds of units at once, whose variances add up.

    What varies in single cells, as how a seed ranks a row, is in both of two variances. So their
    sum is a little too large, and not too small for three seeds, as without that part.
    """
    first, *others = sorted(variations, key=lambda each: each.group_values is not None)
    return replace(first, crossed=tuple(others)) if others else first


def combine_degrees_of_freedom(variances: Sequence[float], n_effective: Sequence[float]) -> float:
    """Compute the degrees of freedom of a sum of variances, each of which rests on u units and has
    u - 1 (Welch, Satterthwaite).
    """
    total = sum(variances)
    degrees = [max(u - 1, 1e-9) for u in n_effective]
    if len(degrees) == 1 or not total:
        return degrees[0]
    return 1 / sum((v / total) ** 2 / df for v, df in zip(variances, degrees, strict=True))
