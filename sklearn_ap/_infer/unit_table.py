"""Where two models differ: a table of the sampling units."""

from __future__ import annotations

import numpy as np

from ..core.spread import ROUNDING
from ..core.within import Array
from .variation import GroupPlan


def _differences(one: Array, other: Array) -> Array:
    """Subtract values. A difference that may be a rounding error is 0, and nan stays nan: the value
    of what is left out.
    """
    largest = np.nanmax([np.abs(one), np.abs(other)], initial=0.0)
    difference = one - other
    difference[np.abs(difference) <= ROUNDING * largest] = 0.0
    return np.asarray(difference)


def count_wins(first: GroupPlan, second: GroupPlan, greater_is_better: bool) -> dict[str, int]:
    """Count the units in which the first model has a better, an equal and a worse value, as
    "wins", "ties" and "losses".
    """
    signs = np.sign(_differences(first.values, second.values)) * (1 if greater_is_better else -1)
    counts = {"wins": signs == 1, "ties": signs == 0, "losses": signs == -1}
    return {name: int(np.count_nonzero(are_so)) for name, are_so in counts.items()}
