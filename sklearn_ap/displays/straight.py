"""Lines that are straight in numbers, on any axis. Matplotlib is needed to import this."""

from typing import Any

import numpy as np
from matplotlib.path import Path
from matplotlib.transforms import Transform

from ..core.segments import Array

N_POINTS = 200  # of a line that a logarithmic axis bends


def dense(x: Array, y: Array, first: float) -> tuple[Array, Array]:
    """The same line with more points between its corners, the first of them at `first`: a
    logarithmic axis has no place for 0, and joins corners by lines that are straight only there.
    """
    more = np.union1d(x, np.geomspace(first, 1, N_POINTS))
    return more, np.interp(more, x, y)


class Straight(Transform):
    """Nothing moves, but lines get more points, so that scales can bend what is between corners."""

    input_dims = output_dims = 2

    def __init__(self, first: float) -> None:
        super().__init__()
        self._first = first

    def transform_non_affine(self, values: Any) -> Any:
        return values

    def transform_path_non_affine(self, path: Path) -> Path:
        x, y = np.asarray(path.vertices).T
        if np.any(np.diff(x) <= 0):  # steps, which the caller asked for
            return path
        return Path(np.column_stack(dense(x, y, self._first)))

    def inverted(self) -> "Straight":
        return self
