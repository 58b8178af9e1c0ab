"""The N-point average as it is often written, with the two slips that change its value."""

import numpy as np

from ..core.definitions import Area
from ..core.operating_points import OperatingPoints
from ..core.segments import Array, max_from_here_on, previous, spread


def float_grid(points: OperatingPoints, n_points: int) -> Area:
    """Recall levels as floats: np.linspace(0, 1, 11) holds 0.30000000000000004, and recall 3/10
    does not reach it.
    """
    grid = np.linspace(0, 1, n_points)
    recall = points.cum_positives / spread(points.n_positives, points.offsets)
    reached = np.searchsorted(grid, recall, side="right")
    return Area(
        width=reached - previous(reached, points.offsets),
        height=max_from_here_on(points.precision, points.offsets),
        whole=np.where(points.n_positives > 0, n_points, 0),
        offsets=points.offsets,
    )


def with_artificial_point(area: Area, n_points: int) -> Array:
    """The value when the curve's drawn end, recall 0 with precision 1, counts at recall 0."""
    best = np.zeros(area.offsets.size - 1)
    held = area.offsets[:-1] < area.offsets[1:]
    best[held] = area.height[area.offsets[:-1][held]]
    return area.value() + np.where(area.whole > 0, (1 - best) / n_points, 0)
