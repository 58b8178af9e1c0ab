"""Warnings, and how they are given only once and point to the caller."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..core.cutoff import Cut
from ..core.rankings import HasSizes
from ..core.segments import Array
from .parameters import MOST_MASS

_FEW = 10  # typical samples that k should at least cover
_HEAVY = 10  # weights up to here can be counts of equal samples

NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."


def warn_of_light_k(depth: Cut | None, counts: HasSizes, weight: Array | None) -> None:
    """Warn if k counts weight, but probably was meant to count samples.

    It probably was if k is less than the weight of any sample, or covers only a few typical samples
    and `k_counts` was not passed.
    """
    if depth is None or depth.by_rows or weight is None or not weight.size:
        return
    if np.all(depth.of(counts.n_samples, counts.whole) < weight.min()):
        warn(
            f"k={depth} counts weight, but even the lightest sample weighs {weight.min():g}. To "
            "count samples instead, pass k_counts='samples'.",
            UserWarning,
        )
    elif depth.is_unsaid and not depth.is_share and _covers_few(min(depth.k, MOST_MASS), weight):
        warn(
            f"k={depth} counts weight, and half of the samples weigh {np.median(weight):g} or "
            "more. To count samples instead, pass k_counts='samples'. If you do mean weight, pass "
            "k_counts='weight' to silence this warning.",
            UserWarning,
        )


def _covers_few(k: float, weight: Array) -> bool:
    """Whether k is less than the weight of ten typical samples.

    This is not the case if k exceeds the number of rows, or if the weights can be counts of equal
    samples.
    """
    n_heavy = np.count_nonzero(weight > max(k / _FEW, _HEAVY))
    return k <= weight.size and 2 * int(n_heavy) > weight.size


def warn_of_heavy_negatives(weight: float, clusters: str | None) -> None:
    """Warn if a few negatives of this weight determine a value. The weight is 0 if they don't.

    If only `clusters` make negatives heavy, the weight is how many of them a cluster has.
    """
    if weight and clusters:
        warn(
            f"A few {clusters}, each with about {weight:.3g} negatives of high prediction scores, "
            f"largely determine this value. Evaluate more clusters to get a reliable value.",
            UserWarning,
        )
    elif weight:
        warn(
            f"A few negatives of weight {weight:.3g} largely determine this value. If other "
            "negatives were dropped at random, it is probably too high. Keep all negatives with "
            "high prediction scores, with weight 1, and subsample only the others.",
            UserWarning,
        )


def warn_no_positives() -> None:
    warn(NO_POSITIVES)


_said: ContextVar[set[str] | None] = ContextVar("_said", default=None)


@contextmanager
def warning_once() -> Iterator[None]:
    """Give each warning only once within this context, for any number of models and metrics."""
    said = _said.get()
    token = _said.set(set() if said is None else said)
    try:
        yield
    finally:
        _said.reset(token)


def warn(message: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    """Issue a warning that points to the line that called the package."""
    said = _said.get()
    if said is not None:
        if message in said:
            return
        said.add(message)
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
