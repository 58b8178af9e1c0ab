"""Arrays on a device such as a GPU, whose average precision is computed where they are.

The functions are those of the array API standard. Other metrics, and anything but plain labels and
scores of one ranking, are copied to the host, and read and refused there.
"""

from typing import Any

import numpy as np

from .average import Evaluated
from .checks import check
from .data import DATA_PARAMETERS, Averaging
from .rules import Rule, Step


def evaluate_on_device(
    rule: Rule, y_true: Any, y_score: Any, **data_options: Any
) -> Evaluated | None:
    """Return the value and the number of positives of one ranking, and its averaging.

    Labels are booleans, 0 and 1, or -1 and 1. Return None for everything else, which the host
    evaluates.
    """
    xp = find_namespace(y_score)
    if xp is None or xp is not find_namespace(y_true):
        return None
    unusual = {name for name, value in data_options.items() if value is not DATA_PARAMETERS[name]}
    if rule != Step() or not unusual <= {"average", "zero_division"}:
        return None
    if y_true.shape != y_score.shape or y_score.ndim != 1 or not y_score.shape[0]:
        return None
    device_types = xp.__array_namespace_info__().dtypes(device=y_score.device)
    if y_true.device != y_score.device or "float64" not in device_types:
        return None
    if not xp.isdtype(y_score.dtype, "real floating") or not bool(xp.all(xp.isfinite(y_score))):
        return None
    labels, scores = y_true, y_score
    if labels.dtype != xp.bool:
        if not xp.isdtype(labels.dtype, ("integral", "real floating")):
            return None
        labels, lowest = y_true == 1, -1 if bool(xp.any(y_true == -1)) else 0
        if not bool(xp.all(labels | (y_true == lowest))):
            return None
    check(average=data_options["average"], zero_division=data_options["zero_division"])
    if not xp.isdtype(scores.dtype, (xp.float32, xp.float64)):
        scores = xp.astype(scores, xp.float32)  # Not all can search half precision.

    # Each positive adds T_i/N_i at its point i, the fraction among scores of at least its own.
    ranked, hit_scores = xp.sort(scores), xp.sort(scores[labels])
    n_positives, value = hit_scores.shape[0], np.nan
    if n_positives:
        hits = n_positives - xp.searchsorted(hit_scores, hit_scores)
        samples = ranked.shape[0] - xp.searchsorted(ranked, hit_scores)
        value = float(xp.mean(xp.astype(hits, xp.float64) / xp.astype(samples, xp.float64)))
    return Evaluated(np.array([value]), np.array([n_positives]), Averaging())


def find_namespace(array: Any) -> Any:
    """Return the namespace of an array on a device, and None for everything on the host."""
    if isinstance(array, np.ndarray) or "cpu" in str(getattr(array, "device", "cpu")).lower():
        return None
    try:
        # scikit-learn 1.7 is the first that has it.
        from sklearn.externals.array_api_compat import array_namespace

        return array_namespace(array)
    except (ImportError, TypeError):
        return None
