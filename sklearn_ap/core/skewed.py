"""Means of values whose distribution may be skewed, such as amounts of money."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from .within import Array


class Mean(NamedTuple):
    """A mean of independent units, and how far it may be from that of the population."""

    value: float
    error: float  # the standard error, above 0
    freedom: float
    n_units: int
    skewness: float  # see `skewness_of`

    def test(self, level: float) -> tuple[float, float, float]:
        """Compute the wider ends of two intervals, and the larger one of their p-values.

        One is that of a t-test. The other is Hall's transform [1]_, which is nearly normal even if
        the units are skewed. Alone, either gives too many false alarms: a t-test with skewed units,
        and Hall's with few of them.

        References
        ----------
        .. [1] P. Hall, "On the removal of skewness by transformation", Journal of the Royal
           Statistical Society B 54, 1992.
        """
        reach = self.error * float(stdtrit(self.freedom, (1 + level) / 2))
        p = 2 * stdtr(self.freedom, -abs(self.value) / self.error)
        lower, higher = self.limits(level)
        p = max(p, min(2 * ndtr(-np.sign(self.value) * self._transformed()), 1.0))
        return min(self.value - reach, lower), max(self.value + reach, higher), float(p)

    def limits(self, level: float) -> tuple[float, float]:
        """Compute the interval of Hall's transform."""
        far = float(ndtri((1 + level) / 2))
        return self._at(far), self._at(-far)

    def _transformed(self) -> float:
        root, skewness = np.sqrt(self.n_units), self.skewness
        ratio = self.value / self.error / root
        part = skewness * ratio / 3
        return float(root * ratio * (1 + part + part * part / 3) + skewness / (6 * root))

    def _at(self, place: float) -> float:
        """Return the mean of the population from which the transform has this normal quantile."""
        root, skewness = np.sqrt(self.n_units), self.skewness
        shifted = place / root - skewness / (6 * self.n_units)
        cube_root = np.cbrt(1 + skewness * shifted)
        ratio = 3 * shifted / (cube_root * (cube_root + 1) + 1)
        return float(self.value - ratio * root * self.error)


def skewness_of(deviations: Array) -> float:
    """Return the mean cube of deviations from a mean, divided by their mean square to 3/2."""
    scaled = deviations / np.abs(deviations).max()  # whose cubes don't overflow
    squares = scaled * scaled
    return float(np.sqrt(scaled.size) * (squares @ scaled) / squares.sum() ** 1.5)
