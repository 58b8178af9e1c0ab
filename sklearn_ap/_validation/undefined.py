"""What is 0/0, and the warnings that say so."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..core.cutoff import Cut
from ..core.rankings import HasSizes, Names
from ..core.segments import Array
from .parameters import MOST_MASS

_FEW = 10  # samples in the top k, where more are expected
_HEAVY = 10  # weights up to here may be numbers of equal samples

_NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."


def fill_undefined(values: Array, names: Names | None, zero_division: float | str) -> Array:
    """nan stands for 0/0: replace it, and warn unless the caller chose the value."""
    if zero_division == "warn":
        besides = "; zero_division chooses another value and silences this warning"
        return fill_with_zero(values, names, besides)
    return np.where(np.isnan(values), zero_division, values)


def fill_with_zero(values: Array, names: Names | None = None, besides: str = "") -> Array:
    """nan stands for 0/0: replace it by 0, and warn."""
    undefined = np.isnan(values)
    if not undefined.any():
        return values
    which = _which(undefined, names)
    if undefined.all():
        words = f"{_NO_POSITIVES} The score is 0/0 there{f' ({which})' if which else ''}"
    else:  # y_true as a whole has some
        words = (
            "Some rankings have no positives: No positive class found in y_true there "
            f"({which}). Their score is 0/0"
        )
    warn(f"{words} and 0.0 is given{besides}.")
    return np.where(undefined, 0.0, values)


def _which(undefined: Array, names: Names | None) -> str:
    """How many and their names, or their places; nothing to say of a single one without a name."""
    if undefined.size == 1:
        return "" if names is None else str(names[0])
    where = np.flatnonzero(undefined)
    listed = [str(i if names is None else names[i]) for i in where[:5]]
    listed += ["..."] * (where.size > 5)
    return f"{where.size} of {undefined.size}: {', '.join(listed)}"


def warn_of_light_k(depth: Cut | None, counts: HasSizes, weight: Array | None) -> None:
    """A k that counts weight, and is less than any sample has, cannot be meant. Nor is a small
    number of heavy samples, unless it was said that weight counts.
    """
    if depth is None or depth.by_rows or weight is None or not weight.size:
        return
    if np.all(depth.of(counts.n_samples) < weight.min()):
        warn(
            f"k={depth} counts weight, but even the lightest sample weighs {weight.min():g}. To "
            "count samples instead of weight, pass k_counts='samples'.",
            UserWarning,
        )
    elif depth.is_unsaid and not depth.is_share and _covers_few(min(depth.k, MOST_MASS), weight):
        warn(
            f"k={depth} counts weight, and half of the samples weigh {np.median(weight):g} or "
            "more. To count samples instead, pass k_counts='samples'; if weight is meant, "
            "k_counts='weight' silences this warning.",
            UserWarning,
        )


def _covers_few(k: float, weight: Array) -> bool:
    """Whether a k that may be a number of rows is less than ten typical ones weigh, and their
    weights are not just numbers of equal samples.
    """
    n_heavy = np.count_nonzero(weight > max(k / _FEW, _HEAVY))
    return k <= weight.size and 2 * int(n_heavy) > weight.size


def warn_of_heavy_negatives(weight: float) -> None:
    """A few of them decide a score; 0 where they don't."""
    if weight:
        warn(
            f"A few negatives of weight {weight:.3g} decide this score. If the others were left "
            "out at random, it's probably too high. Keep every negative with a high score, with "
            "weight 1, and thin out the rest only.",
            UserWarning,
        )


def warn_no_positives() -> None:
    warn(_NO_POSITIVES)


_said: ContextVar[set[str] | None] = ContextVar("_said", default=None)


@contextmanager
def warning_once() -> Iterator[None]:
    """In here each warning is given once, however many models or metrics it is about."""
    said = _said.get()
    token = _said.set(set() if said is None else said)
    try:
        yield
    finally:
        _said.reset(token)


def warn(message: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    """Warn at the line that called the package."""
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
