"""What public parameters may be, for type checkers."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

Label = float | bool | str
NPositives = float | ArrayLike | Mapping[Any, float] | None
Score = Any  # a float, or an array with average=None
