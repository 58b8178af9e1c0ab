"""Lines that are straight in data coordinates on any scale. Importing this needs matplotlib."""

from typing import Any

import numpy as np
from matplotlib.path import Path
from matplotlib.transforms import Transform

from .hit_curves import dense


class Straight(Transform):
    """Identity transform that adds points to lines, so that scales can bend them."""

    input_dims = output_dims = 2

    def __init__(self, first: float) -> None:
        super().__init__()
        self._first = first

    def transform_non_affine(self, values: Any) -> Any:
        return values

    def transform_path_non_affine(self, path: Path) -> Path:
        x, y = np.asarray(path.vertices).T
        if not x.size or np.any(np.diff(x) <= 0):  # steps, which the caller asked for
            return path
        return Path(np.column_stack(dense(x, y, self._first)))

    def inverted(self) -> "Straight":
        return self
