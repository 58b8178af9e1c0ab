"""Arrays on a device such as a GPU, whose average precision is computed where they are.

The functions are those of the array API standard. Other metrics, and anything but plain labels and
scores, are copied to the host, and read and refused there.
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
    """Return the value and the number of positives of each column of scores, and their averaging.

    Labels are 0 and 1, or -1 and 1. Return None for everything else, which the host evaluates.
    """
    xp, average = find_namespace(y_score), data_options["average"]
    if xp is None or xp is not find_namespace(y_true):
        return None
    if not _can_stay(xp, rule, y_true, y_score, data_options):
        return None
    check(average=average, zero_division=data_options["zero_division"])
    labels = y_true if y_true.dtype == xp.bool else y_true == 1
    scores = y_score
    if not xp.isdtype(scores.dtype, (xp.float32, xp.float64)):
        scores = xp.astype(scores, xp.float32)  # Not all can search half precision.
    is_matrix = scores.ndim == 2 and average != "micro"
    averaging = Averaging(average=average, kind="classes") if is_matrix else Averaging()
    shape = scores.shape if is_matrix else (-1, 1)
    labels, scores = xp.reshape(labels, shape), xp.reshape(scores, shape)
    ranked = [  # one after the other, because each takes memory
        _average_precision(xp, labels[:, place], scores[:, place])
        for place in range(scores.shape[1])
    ]
    values, n_positives = zip(*ranked, strict=True)
    return Evaluated(np.array(values), np.array(n_positives), averaging)


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


def _can_stay(xp: Any, rule: Rule, y_true: Any, y_score: Any, data_options: dict[str, Any]) -> bool:
    """Whether it's average precision, and nothing is unusual about the data but the averaging."""
    unusual = {name for name, value in data_options.items() if value is not DATA_PARAMETERS[name]}
    if rule != Step() or not unusual <= {"average", "zero_division"}:
        return False
    # Labels and scores have the same rows, of one column or of several classes.
    if y_true.shape != y_score.shape or y_true.device != y_score.device or not y_score.shape[0]:
        return False
    is_matrix = y_score.ndim == 2 and y_score.shape[1] > 1 and data_options["average"] != "samples"
    if y_score.ndim != 1 and not is_matrix:
        return False
    if "float64" not in xp.__array_namespace_info__().dtypes(device=y_score.device):
        return False
    if not xp.isdtype(y_score.dtype, "real floating") or not bool(xp.all(xp.isfinite(y_score))):
        return False
    # Labels are booleans, 0 and 1, or in one column -1 and 1.
    if y_true.dtype == xp.bool:
        return True
    if not xp.isdtype(y_true.dtype, ("integral", "real floating")):
        return False
    lowest = -1 if y_true.ndim == 1 and bool(xp.any(y_true == -1)) else 0
    return bool(xp.all((y_true == 1) | (y_true == lowest)))


def _average_precision(xp: Any, labels: Any, scores: Any) -> tuple[float, int]:
    """Return the value of one ranking, and its number of positives, after two sorts."""
    ranked, hit_scores = xp.sort(scores), xp.sort(scores[labels])
    if not hit_scores.shape[0]:
        return np.nan, 0
    # Each positive adds T_i/N_i at its point i, the fraction among scores of at least its own.
    hits = hit_scores.shape[0] - xp.searchsorted(hit_scores, hit_scores)
    samples = ranked.shape[0] - xp.searchsorted(ranked, hit_scores)
    precision = xp.astype(hits, xp.float64) / xp.astype(samples, xp.float64)
    return float(xp.mean(precision)), hit_scores.shape[0]
