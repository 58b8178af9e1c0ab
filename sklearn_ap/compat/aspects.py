"""What audits examine: the aspects of rankings, and the other forms that a ranking has."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._package.toml import read_toml
from ..core.ragged import Array

GRID = 2**20  # random scores are multiples of 1/GRID, which are exact as float32

Form = Callable[[Array, Array], tuple[Array, Array]]
# The same ranking in other forms, or again, which has the same value
FORMS: dict[str, tuple[Form, ...]] = {
    "order of rows": (lambda labels, scores: (_interleave_rows(labels), _interleave_rows(scores)),),
    "negative scores": (
        lambda labels, scores: (labels, scores - 1),
        lambda labels, scores: (labels, _center_scores(scores)),
        lambda labels, scores: (labels, _negate_zeros(_center_scores(scores))),
    ),
    "shifted": (lambda labels, scores: (labels, scores + 1e6),),
    "scaled": (lambda labels, scores: (labels, scores * 2.0**-40),),
    "integers": (lambda labels, scores: (labels, (scores * GRID).astype(np.int64)),),
    "float32": (lambda labels, scores: (labels, scores.astype(np.float32)),),
    "beyond [0, 1]": (
        lambda labels, scores: (labels, 200 * scores - 100),
        lambda labels, scores: (labels, scores * 2.0**30),
    ),
    "bool labels": (lambda labels, scores: (labels.astype(bool), scores),),
    "repeated calls": (lambda labels, scores: (labels, scores),) * 3,
    "infinite scores": (lambda labels, scores: (labels, _replace_ends(scores)),),
    "float labels": (lambda labels, scores: (labels.astype(float), scores),),
    **dict.fromkeys(("read-only arrays", "Series"), (lambda labels, scores: (labels, scores),)),
    # Probabilities that are 1 in single precision, and differ by 1e-15 or more
    "close scores": (lambda labels, scores: (labels, 1 - (1 - scores) * 1e-9),),
}
# Those of other scores
SCORE_ASPECTS = (
    *("negative scores", "shifted", "scaled", "integers", "float32", "beyond [0, 1]"),
    *("infinite scores", "close scores"),
)
TWO_CLASS_ASPECTS = ("values", "ties", "constant scores")  # labels
EDGE_ASPECTS = ("no positives", "all positives", "one sample")
SOUNDNESS_ASPECTS = ("arguments changed", "repeated calls")  # whatever the function computes
REFUSABLE_ASPECTS = ("infinite scores", "float labels", "read-only arrays", "Series")  # by an error
ASPECTS: dict[str, str] = read_toml("compat/peers.toml")["aspects"]  # with words for titles


def find_aspect(labels: Array, scores: Array) -> str:
    """Return the aspect that a ranking is about."""
    n_scores = np.unique(scores).size
    if not labels.any():
        return "no positives"
    if labels.all():
        return "all positives" if labels.size > 1 else "one sample"
    if n_scores == 1:
        return "constant scores"
    return "values" if n_scores == labels.size else "ties"


# --- other forms ---------------------------------------------------------------------------------


def _interleave_rows(rows: Array) -> Array:
    """Move every second row to the front."""
    return np.concatenate((rows[1::2], rows[::2]))


def _center_scores(scores: Array) -> Array:
    """Shift the most frequent score to 0."""
    distinct, counts = np.unique(scores, return_counts=True)
    shifted: Array = scores - distinct[np.argmax(counts)]
    return shifted


def _negate_zeros(scores: Array) -> Array:
    """Replace every second 0 by -0.0, which equals it."""
    scores[np.flatnonzero(scores == 0)[1::2]] = -0.0
    return scores


def _replace_ends(scores: Array) -> Array:
    """Replace the highest score by inf, and the lowest by -inf, unless it is tied.

    Differences of infinities are nan, so many functions take tied ones apart, without any harm.
    """
    ends = scores.copy()
    for end, infinite in ((scores.max(), np.inf), (scores.min(), -np.inf)):
        if np.count_nonzero(scores == end) == 1:
            ends[scores == end] = infinite
    return ends
