"""The weights that give the positives the proportion that `prevalence` asks for."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import numpy as np

from .._arrays.host import to_host
from .._inputs.records import Inputs
from .._read.validation import read_ranking
from .._spelling import arg, spell
from .._words.parameters import is_mapping
from .._words.refusals import about
from ..core.within import Array

_MOST = 1e308  # the largest weight of all negatives


def reweighted(inputs: Inputs) -> Inputs:
    """Replace the weights by those of a population with the prevalence that was asked for.

    Positives keep their weights. Those of the negatives are multiplied by c, so that the existing
    positives R and the negatives F have R / (R + c F) = prevalence. There is one c for all groups,
    and for all segments of a report.
    """
    y_true, y_score = to_host(inputs.y_true), inputs.y_score
    if inputs.classes is not None or (np.ndim(y_true) > 1 and np.shape(y_true)[1] > 1):
        with about("y_true"):
            raise ValueError(
                "prevalence is only for binary y_true. Evaluate one class at a time, with its "
                "column of y_true and of y_score."
            )
    has_size = isinstance(y_score, (list, tuple)) or hasattr(y_score, "shape")
    if has_size and np.shape(y_score)[:1] != np.shape(y_true)[:1]:
        return inputs  # which is refused in words about the columns that were passed
    if (first := inputs.read_of_first("weights")) is not None:
        return inputs._replace(sample_weight=first)
    # Weights don't depend on scores, so any will do.
    any_scores = np.zeros(len(y_true))
    samples, _ = read_ranking(inputs._replace(y_score=any_scores, groups=None, of_first=None))
    labels = samples.labels
    before = np.ones(labels.size) if samples.weight is None else samples.weight.astype(float)
    masses = before[labels].sum(), before[~labels].sum()
    weight = (
        np.where(labels, 1.0, factor_of(masses, inputs.prevalence, inputs.n_positives)) * before
    )
    if np.any((weight < np.finfo(float).tiny) & (before > 0)):
        with about("sample_weight"):
            raise ValueError(
                f"{spell('sample_weight')} has values that are too small for a prevalence in "
                f"float64. Multiply all weights by one factor, and {spell('n_positives')}, too."
            )
    of_all_rows = weight
    if samples.exists is not None:
        of_all_rows = np.zeros(samples.exists.size)
        of_all_rows[samples.exists] = weight
    inputs.keep("weights", of_all_rows)
    return inputs._replace(sample_weight=of_all_rows)


def factor_of(masses: Sequence[float] | Array, prevalence: Any, n_positives: Any) -> float:
    """Return what to multiply the weights of negatives by; 1 if one of the two kinds is missing.

    `masses` are the weight of the positives that were found, and that of the negatives.
    `n_positives` are all existing positives, None if all were found.
    """
    positives, negatives = map(float, masses)
    if n_positives is not None:
        positives = _total(n_positives)
    if not negatives or not 0 < positives < inf:
        return 1.0
    product = float(prevalence * negatives)  # which can underflow
    c = positives * (1 - prevalence) / product if product else inf
    if not max(c, c * negatives) < _MOST:
        with about("prevalence"):
            raise ValueError(
                f"{arg('prevalence', prevalence)} is too small for these data: the weights of the "
                "negatives would be too large for float64."
            )
    return float(c)


def _total(n_positives: Any) -> float:
    """Return how many positives exist; nan for what is refused when it is read."""
    try:
        items = n_positives.items() if is_mapping(n_positives) else [(None, n_positives)]
        return sum(float(number) for _, number in items)
    except (TypeError, ValueError, OverflowError):
        return nan
