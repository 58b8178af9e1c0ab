"""Numbers as they are often written, with the slips that change their value."""

from dataclasses import dataclass

import numpy as np

from ..core.cutoff import Cut
from ..core.operating_points import OperatingPoints
from ..core.rules import Area, AreaRule, NPoint, PrecisionAtK, Rule
from ..core.segments import Array, max_from_here_on, previous, spread


@dataclass(frozen=True)
class FloatGrid(AreaRule):
    """The N-point average with recall levels as floats: np.linspace(0, 1, 11) holds
    0.30000000000000004, and recall 3/10 does not reach it.
    """

    n_points: int

    name = "float-grid"

    @property
    def label(self) -> str:
        return f"{self.n_points}-point AP, float grid"

    def area(self, points: OperatingPoints) -> Area:
        grid = np.linspace(0, 1, self.n_points)
        recall = points.cum_positives / spread(points.n_positives, points.offsets)
        reached = np.searchsorted(grid, recall, side="right")
        return Area(
            width=reached - previous(reached, points.offsets),
            height=max_from_here_on(points.precision, points.offsets),
            whole=np.where(points.n_positives > 0, self.n_points, 0),
            offsets=points.offsets,
        )


@dataclass(frozen=True)
class WithArtificialPoint(Rule):
    """Recall levels where the curve's drawn end, recall 0 with precision 1, counts at recall 0."""

    of: NPoint | FloatGrid

    name = "with-artificial-point"

    @property
    def label(self) -> str:
        return f"{self.of.label}, with (0, 1)"

    def values(self, points: OperatingPoints) -> Array:
        area = self.of.area(points)
        best = np.zeros(area.offsets.size - 1)
        held = area.offsets[:-1] < area.offsets[1:]
        best[held] = area.height[area.offsets[:-1][held]]
        return area.value() + np.where(area.whole > 0, (1 - best) / self.of.n_points, 0)


@dataclass(frozen=True)
class MeanOfPrecisions(Rule):
    """The mean of precision at 1, 2, ..., k."""

    k: int

    name = "mean-of-precisions"

    @property
    def label(self) -> str:
        return f"Mean of P@1 to P@{self.k}"

    @property
    def depth(self) -> Cut:
        return Cut(self.k)

    def values(self, points: OperatingPoints) -> Array:
        each = [PrecisionAtK(k=i).values(points) for i in range(1, self.k + 1)]
        # Without positives it is 0, and counted as the other numbers are.
        return np.where(points.n_positives > 0, np.mean(each, axis=0), np.nan)
