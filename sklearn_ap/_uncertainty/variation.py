"""A value and how much it varies between samples. Its intervals are in `unsampled`."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from .._core import PerRanking, PointRule, Points
from .textbook import ROUNDING, PerResample, PerUnit

Method = Literal["groups", "influences", "resamples", "function"]


@dataclass(frozen=True, eq=False, kw_only=True)
class NegativesOnTop:
    """Negatives that the sample may lack, and that rank above all others."""

    rule: PointRule
    points: Points
    values: PerRanking
    fractions: PerRanking  # of the rankings in the mean
    n_shared: int = 1  # how many rankings rank the same samples
    weight: PerRanking  # of such a negative in each ranking
    weight_in_margins: PerRanking


@dataclass(frozen=True, eq=False, kw_only=True)
class Variation:
    """A value, and how much it varies between samples.

    The squares of the deviations add up to the variance of the value. There is one for each
    sampling unit, which is a row, a cluster of rows or a group, or for each resample, also of a
    user's function. The difference of two models has the differences of their deviations.
    """

    value: float
    method: Method  # what made the deviations
    deviations: PerUnit | PerResample
    n_effective: float  # u: this many equal units with positives say as much
    basis: str  # words such as "395 positives"
    limits: tuple[float, float] = (0.0, 1.0)
    perfect: float = np.inf  # the value of a perfect ranking, if a cutoff may limit it
    unseen: tuple[float, float] | None = None  # the lowest and the highest of one more unit
    has_copies: bool = False  # whether all units hold the same labels and scores
    negatives: NegativesOnTop | None = None
    bias: float = 0.0  # how much too high means over classes are
    # what classes with u < 2 add to the mean
    rare_parts: PerRanking = field(default_factory=lambda: np.zeros(0))
    crossed: tuple["Variation", ...] = ()  # the same value over other units, as seeds beside rows
    chance: float = np.nan  # the mean value of random rankings
    n_samples: int
    n_positives: float

    @property
    def kinds(self) -> tuple["Variation", ...]:
        """The variation over each kind of units, if several are crossed, whose variances add up.

        What varies in single cells, as how a seed ranks a row, is in both of two variances. So the
        sum is a little too large (Owen 2007), and not too small for three seeds, as without it.
        """
        return self, *self.crossed

    @cached_property
    def standard_error(self) -> float:
        return float(np.sqrt(sum(np.sum(kind.deviations**2) for kind in self.kinds)))

    @property
    def varies(self) -> bool:
        """Whether it's known how much the value varies."""
        noise = ROUNDING * max(abs(self.value), 1e-300)
        return self.n_effective > 1 and self.standard_error > noise

    @property
    def largest_difference(self) -> float:
        """The largest difference that two models can have."""
        return min(self.limits[1] - self.limits[0], self.perfect)

    def compute_cost(self, n_negatives: float, in_margins: bool = False) -> float:
        """Compute K: what the value would lose to so many more negatives above all others, in the
        rankings in which that costs most.
        """
        lacking = self.negatives
        if lacking is None:
            return 0.0
        weight = n_negatives * (lacking.weight_in_margins if in_margins else lacking.weight)
        points = lacking.points
        points = points._replace(samples_above=points.samples_above + points.repeat(weight))
        losses = np.maximum(lacking.values - np.nan_to_num(lacking.rule.values(points)), 0)
        of_rankings = np.where(points.n_positives > 0, lacking.fractions * losses, 0.0)
        return float(np.sort(of_rankings)[::-1][: lacking.n_shared].sum())
