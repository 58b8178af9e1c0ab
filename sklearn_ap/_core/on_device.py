"""Arrays on a device such as a GPU, whose scores are sorted and searched where they are.

Average precision is added up there, too. For other metrics, two counts for each positive, or for
each one in the top k, move to the host. The functions are those of the array API standard. Anything
but plain labels and scores is copied to the host, and read and refused there.
"""

from typing import Any

import numpy as np

from .average import Evaluated
from .checks import check
from .columns import copy_to_host
from .data import Averaging
from .points import Array, Points
from .rules import Rule, compute_k


def evaluate_on_device(rule: Rule, y_true: Any, y_score: Any, **described: Any) -> Evaluated | None:
    """Return the value and the number of positives of each column of scores, and their averaging.

    Labels are 0 and 1, or -1 and 1. Return None for everything else, which the host evaluates.
    """
    is_array = hasattr(y_score, "device") and not isinstance(y_score, np.ndarray)
    if not is_array or rule.needs_rows or rule.ranks_by_row:
        return None
    chosen = {name for name, value in described.items() if value is not None}
    if described["pos_label"] == 1:
        chosen.discard("pos_label")
    xp = find_namespace(y_score)
    average = described["average"]
    if xp is None or xp is not find_namespace(y_true) or chosen - {"average", "zero_division"}:
        return None
    if y_true.shape != y_score.shape or y_true.device != y_score.device or not y_score.shape[0]:
        return None
    is_matrix = y_score.ndim == 2 and y_score.shape[1] > 1 and average != "samples"
    if (y_score.ndim != 1 and not is_matrix) or not _is_plain(xp, y_true, y_score):
        return None
    check(average=average, zero_division=described["zero_division"])
    labels = y_true if y_true.dtype == xp.bool else y_true == 1
    scores = y_score
    if not xp.isdtype(scores.dtype, (xp.float32, xp.float64)):
        scores = xp.astype(scores, xp.float32)  # Not all can search half precision.
    if not is_matrix or average == "micro":
        value, n_positives = _evaluate_column(
            xp, rule, xp.reshape(labels, (-1,)), xp.reshape(scores, (-1,))
        )
        return Evaluated(value, n_positives, Averaging())
    columns = [  # one after the other, because each takes memory
        _evaluate_column(xp, rule, labels[:, place], scores[:, place])
        for place in range(scores.shape[1])
    ]
    values = np.concatenate([value for value, _ in columns])
    n_positives = np.concatenate([number for _, number in columns])
    return Evaluated(values, n_positives, Averaging(average=average, source="classes"))


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


def _is_plain(xp: Any, y_true: Any, y_score: Any) -> bool:
    """Whether scores are finite floats, and the labels usual ones."""
    if not xp.isdtype(y_score.dtype, "real floating") or not bool(xp.all(xp.isfinite(y_score))):
        return False
    if y_true.dtype == xp.bool:
        return True
    if not xp.isdtype(y_true.dtype, ("integral", "real floating")):
        return False
    lowest = -1 if y_true.ndim == 1 and bool(xp.any(y_true == -1)) else 0
    return bool(xp.all((y_true == 1) | (y_true == lowest)))


def _evaluate_column(xp: Any, rule: Rule, labels: Any, scores: Any) -> tuple[Array, Array]:
    """Return the value of one ranking, and its number of positives, after two sorts."""
    ranked, found = xp.sort(scores), xp.sort(scores[labels])
    n_positives = np.array([found.shape[0]])
    has_doubles = "float64" in xp.__array_namespace_info__().dtypes(device=scores.device)
    if rule.is_mean_precision and has_doubles and found.shape[0]:
        # Each positive adds T_i/N_i at its point i, the fraction among scores of at least its own.
        hits = found.shape[0] - xp.searchsorted(found, found)
        samples = ranked.shape[0] - xp.searchsorted(ranked, found)
        precision = xp.astype(hits, xp.float64) / xp.astype(samples, xp.float64)
        return np.array([float(xp.mean(precision))]), n_positives
    if rule.k is not None:  # only the top k matter, with what is tied there
        n_top = int(compute_k(rule.k, np.array([ranked.shape[0]]))[0])
        if n_top < ranked.shape[0]:
            lowest = ranked[ranked.shape[0] - n_top]
            found = found[found >= lowest]
    points = rank_found(xp, ranked, found)._replace(n_positives=n_positives)
    return rule.values(points), n_positives


def rank_found(xp: Any, ranked: Any, found: Any) -> Points:
    """Return the points with positives, of which the highest scores have been found."""
    n_samples, n_found = ranked.shape[0], found.shape[0]

    def count_above(side: str) -> Array:
        counts = n_samples - xp.searchsorted(ranked, found, side=side)
        if n_samples < 2**31:
            counts = xp.astype(counts, xp.int32)  # These are copied in half the time.
        falling: Array = copy_to_host(counts)[::-1].astype(np.int64)
        return falling

    above, end = count_above("right"), count_above("left")
    starts = np.flatnonzero(np.diff(above, prepend=-1))  # the first positive of each point
    above, size = above[starts], np.array([n_samples])
    return Points(
        hits=np.diff(starts, append=n_found),
        tied=end[starts] - above,
        hits_above=starts,
        above=above,
        offsets=np.array([0, starts.size]),
        n_positives=np.array([n_found]),
        mass=size,
        n_rows=size,
    )
