"""What is 0/0, and the warnings that say so."""

import sys
import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..core.cutoff import Cut
from ..core.operating_points import OperatingPoints
from ..core.rankings import Names
from ..core.segments import Array

_NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."


def fill_undefined(values: Array, names: Names | None, zero_division: float | str) -> Array:
    """nan stands for 0/0: replace it, and warn unless the caller chose the value."""
    undefined = np.isnan(values)
    if not undefined.any():
        return values
    if zero_division == "warn":
        where = np.flatnonzero(undefined)
        count = f"{where.size} of {values.size}: " if values.size > 1 else ""
        listed = ", ".join(str(i if names is None else names[i]) for i in where[:5])
        listed += ", ..." if where.size > 5 else ""
        warn(
            f"{_NO_POSITIVES} The score is 0/0 there ({count}{listed}) and 0.0 is given; "
            "zero_division chooses another value and silences this warning."
        )
        zero_division = 0.0
    return np.where(undefined, zero_division, values)


def warn_of_light_k(depth: Cut | None, points: OperatingPoints, lightest: float | None) -> None:
    """A k that counts weight, and is less than any sample has, cannot be meant."""
    if depth is None or lightest is None or depth.by_rows:
        return
    k = depth.of(points.n_samples)
    if np.all(k < lightest):
        warn(
            f"k={depth} counts weight, and the lightest sample alone weighs {lightest:g}. To count "
            "samples whatever they weigh, pass k_counts='samples'.",
            UserWarning,
        )


def warn_no_positives() -> None:
    warn(_NO_POSITIVES)


def warn(message: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    """Warn at the line that called the package."""
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
