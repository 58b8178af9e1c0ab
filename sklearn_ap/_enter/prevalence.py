"""The weights that give the positives the proportion that `prevalence` asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from .._read.validation import read_chunk
from .._words.arrays import to_host
from .._words.engine import Chunk, Engine, Join, Part, refuse_changed
from .._words.inputs import Inputs, PositiveClass
from .._words.messages import about
from .._words.parameters import is_mapping
from ..core.within import Array

_MOST = 1e308  # the largest weight of all negatives


def reweighted(inputs: Inputs) -> Inputs:
    """Replace the weights by those of a population with the prevalence that was asked for.

    Positives keep their weights. Those of the negatives are multiplied by c, so that the existing
    positives R and the negatives F have R / (R + c F) = prevalence.
    """
    if inputs.prevalence is None:
        return inputs
    positive = inputs.positive
    factor = partial(factor_of, prevalence=inputs.prevalence, n_positives=inputs.n_positives)
    engine = inputs.engine
    if engine is not None:
        if not engine.reads_again:
            raise ValueError(
                "Weights for a prevalence need two passes, but data can be read only once. Pass "
                "data that can be read again, such as a pyarrow.dataset.Dataset or a pathlib.Path."
            )
        engine = engine.for_request(positive, None)
        masses = engine.over_chunks(partial(_masses, positive=positive), _add_up)
        return inputs._replace(engine=_Reweighted(engine, positive, factor(masses), masses))
    y_true = to_host(inputs.y_true)
    if inputs.classes is not None or (np.ndim(y_true) > 1 and np.shape(y_true)[1] > 1):
        with about("y_true"):
            raise ValueError(
                "prevalence is only for binary y_true. Evaluate one class at a time, with its "
                "column of y_true and of y_score."
            )
    y_score = inputs.y_score
    has_size = isinstance(y_score, (list, tuple)) or hasattr(y_score, "shape")
    if has_size and np.shape(y_score)[:1] != np.shape(y_true)[:1]:
        return inputs  # which is refused in words about the columns that were passed
    # Weights don't depend on scores, so any will do.
    chunk = [y_true, np.zeros(len(y_true)), inputs.sample_weight, None]
    weight, _ = _weights(chunk, positive, factor(_masses(chunk, positive)))
    return inputs._replace(sample_weight=weight)


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
                f"prevalence={prevalence!r} is too small for these data: the weights of the "
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


def _masses(chunk: Chunk, positive: PositiveClass) -> Array:
    """Sum the weights of the positives, and those of the negatives. Return the two sums."""
    y_true, y_score, weight = chunk[:3]
    samples, _ = read_chunk(y_true, _any_scores(y_score), positive, weight)
    weights = np.ones(samples.labels.size) if samples.weight is None else samples.weight
    return np.array([weights[samples.labels].sum(), weights[~samples.labels].sum()], dtype=float)


def _any_scores(y_score: Any) -> Any:
    """Return the scores of one model, because the weights don't depend on them."""
    return next(iter(y_score.values())) if isinstance(y_score, Mapping) else y_score


def _add_up(masses: list[Array]) -> Array:
    """Add up what `_masses` returned for some chunks."""
    return np.asarray(sum(masses))


def _weights(chunk: Chunk, positive: PositiveClass, c: float) -> tuple[Array, Array]:
    """Return the weights of all samples of a chunk, also of those that weighed 0 before, and what
    `_masses` returns.

    The weights of negatives are multiplied by c.
    """
    y_true, y_score, weight = chunk[:3]
    samples, _ = read_chunk(y_true, _any_scores(y_score), positive)
    labels, before = samples.labels, np.ones(samples.labels.size)
    if weight is not None:
        before = np.asarray(to_host(weight), dtype=float).ravel()
    masses = np.array([before[labels].sum(), before[~labels].sum()])
    return np.where(labels, 1.0, c) * before, masses


class _Reweighted(Engine):
    """An engine with other weights. Everything else is that of the engine within."""

    def __init__(self, engine: Engine, positive: PositiveClass, c: float, masses: Array) -> None:
        self._engine, self._positive, self._c, self._masses = engine, positive, c, masses
        self.columns: Mapping[str, Any] = {"sample_weight": None, **engine.columns}
        self.reads_again = engine.reads_again
        self.most = engine.most

    def for_request(self, positive: PositiveClass, n_positives: Any) -> Engine:
        engine = self._engine.for_request(positive, n_positives)
        return _Reweighted(engine, self._positive, self._c, self._masses)

    def over_chunks(self, make: Callable[[Chunk], Part], join: Join[Part]) -> Part:
        result: Part
        make_both = partial(_make_with_masses, make, self._positive, self._c)
        result, masses = self._engine.over_chunks(make_both, partial(_join_with_masses, join))
        if not np.allclose(masses, self._masses, rtol=1e-9, atol=0):
            refuse_changed("other rows")
        return result

    def by_group(self) -> Engine | None:
        engine = self._engine.by_group()
        return engine and _Reweighted(engine, self._positive, self._c, self._masses)


def _make_with_masses(
    make: Callable[[Chunk], Part], positive: PositiveClass, c: float, chunk: Chunk
) -> tuple[Part, Array]:
    """Make what is asked for of a chunk with other weights. Also return the masses of those that it
    had before, by which rows that change between two passes are noticed.
    """
    weight, masses = _weights(chunk, positive, c)
    y_true, y_score = chunk[:2]
    return make([y_true, y_score, weight, *chunk[3:]]), masses


def _join_with_masses(join: Join[Part], pairs: list[tuple[Part, Array]]) -> tuple[Part, Array]:
    """Join what `_make_with_masses` returned for some chunks."""
    return join([part for part, _ in pairs]), _add_up([masses for _, masses in pairs])
