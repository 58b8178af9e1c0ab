"""A value and how much it varies between samples. Its intervals are in `unsampled`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np

from .._core import PerRanking
from .textbook import ROUNDING, PerResample, PerUnit, combine_degrees_of_freedom, compute_reach

Source = Literal["groups", "influences", "resamples", "function"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Variation:
    """A value, and how much it varies between samples.

    The squares of the deviations add up to the variance of the value. There is one for each
    sampling unit, which is a row, a cluster of rows or a group, or for each resample, also of a
    user's function. The difference of two models has the differences of their deviations.
    """

    value: float
    source: Source  # what made the deviations
    deviations: PerUnit | PerResample
    n_effective: float  # u: this many equal units with positives say as much
    basis: str  # words such as "395 positives"
    limits: tuple[float, float] = (0.0, 1.0)
    greater_is_better: bool = True
    perfect: float = np.inf  # the value of a perfect ranking, if a cutoff may limit it
    unseen: tuple[float, float] | None = None  # the worst and the best of one more group
    find_cost: Callable[[float], float] | None = None  # what so many negatives at the top cost
    find_cost_in_margins: Callable[[float], float] | None = None  # if they have whole clusters
    bias: float = 0.0  # how much too high means over classes are
    # what classes with u < 2 add to the mean
    rare_parts: PerRanking = field(default_factory=lambda: np.zeros(0))
    positive_mass: PerUnit | None = None  # m, if units with and without positives are strata
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
    def largest_difference(self) -> float:
        """The largest difference that two models can have."""
        return min(self.limits[1] - self.limits[0], self.perfect)

    @property
    def has_groups(self) -> bool:
        return self.source == "groups"

    def compute_cost(self, n_negatives: float) -> float:
        """Compute K: what so many more negatives above all others would cost."""
        return 0.0 if self.find_cost is None else self.find_cost(n_negatives)

    def compute_cost_in_margins(self, n_negatives: float) -> float:
        """Compute the K of claims about a margin."""
        return 0.0 if self.find_cost_in_margins is None else self.find_cost_in_margins(n_negatives)

    def compute_reach(self, level: float) -> float:
        """Compute how far a t interval extends to each side."""
        return compute_reach(self.standard_error, self.degrees_of_freedom, level)

    def mirror(self) -> Self:
        """Return the same value with the other sign, so that greater ones are better."""
        return replace(
            self,
            value=-self.value,
            limits=(-self.limits[1], -self.limits[0]),
            unseen=None if self.unseen is None else (-self.unseen[0], -self.unseen[1]),
            greater_is_better=True,
        )


def cross_variations(variations: Sequence[Variation]) -> Variation:
    """Let a value vary over several kinds of units at once, whose variances add up.

    What varies in single cells, as how a seed ranks a row, is in both of two variances. So their
    sum is a little too large (Owen 2007), and not too small for three seeds, as without that part.
    """
    first, *others = sorted(variations, key=lambda each: each.has_groups)
    return replace(first, crossed=tuple(others)) if others else first
