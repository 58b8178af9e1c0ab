"""Warnings, and how they are given only once and point to the caller."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sklearn.exceptions import UndefinedMetricWarning

from ..core.cutoff import Cut
from ..core.segments import Array

NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."


def warn_of_weighed_k(depth: Cut | None, weight: Array | None) -> None:
    """Warn if k counts weight, which makes a difference, and the caller did not pass `k_counts`.

    Both readings are common: weights can be numbers of equal samples, or amounts of money. For a
    count they differ unless all weights are 1, and for a share unless the weights are equal.
    """
    if depth is None or not depth.is_unsaid or weight is None or not weight.size:
        return
    lightest, heaviest = weight.min(), weight.max()
    if lightest == heaviest and (depth.is_share or lightest == 1):
        return
    samples, mass = f"the first {depth} samples", f"first samples that together weigh {depth}"
    if depth.is_share:
        samples, mass = f"the first {depth} of the samples", f"{mass} of the total"
    warn(
        f"k={depth} counts weight, because sample_weight was passed without k_counts: the top k "
        f"are the {mass}. Pass k_counts='weight' to keep this, if a sample of weight 3 stands for "
        f"three equal samples, or k_counts='samples' to count {samples}, whatever they weigh, as "
        "for class weights or amounts of money.",
        UserWarning,
    )


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
