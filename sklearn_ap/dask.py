"""Scores of Dask collections. The data stay where they are: only counts are collected.

A score takes two passes over the chunks. The first pass collects the distinct scores of the
positives. The second pass counts, in each chunk, the samples at these scores and between them.
Nothing is shuffled, and a worker needs memory for one chunk at a time.

Call the functions like those with the same names in ``sklearn_ap``. They give the same values.
These points are different:

- `y_true`, `y_score`, `sample_weight` and `groups` are dask arrays, dask series or lists of delayed
  chunks. All of them have the same chunks. The sizes of the chunks may be unknown, and chunks may
  be empty.
- Targets are binary. There is no `classes`, and `average` is only for `groups`. `n_positives` is
  one number, or with groups a mapping or pandas Series.
- `compute=False` returns a ``Delayed`` of Dask instead of the number. With two passes it needs more
  memory, because Dask keeps the chunks from the first pass for the second.
- `sorted_by_group=True` says that the samples of each group follow one another, within chunks and
  across chunks. Then one pass is enough, and nothing is sent to the workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _passes as passes
from . import _validation as check
from ._typing import Label, NPositives
from .core.rules import (
    AtK,
    Envelope,
    NPoint,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    Rule,
    Step,
)

try:
    from dask.delayed import delayed
except ImportError as error:
    raise ImportError('sklearn_ap.dask needs Dask: pip install "sklearn_ap[dask]"') from error

__all__ = [
    "average_precision_at_k_score",
    "average_precision_bounds",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "interpolated_average_precision_score",
    "mean_average_precision_score",
    "precision_at_k_score",
    "precision_at_recall_score",
    "recall_at_k_score",
    "recall_at_precision_score",
]

Collection = Any  # a dask array or series, or a list of delayed chunks


# --- the public functions ----------------------------------------------------------------------


@check.validated_options
def average_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    ties: str = "grouped",
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
) -> Any:
    """Average precision.

    Like :func:`sklearn_ap.average_precision_score` of all chunks together. :mod:`sklearn_ap.dask`
    says what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import average_precision_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> average_precision_score(y_true, y_score)
    0.833333
    """
    return _score(
        Step(ties),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def interpolated_average_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    n_points: int | None = None,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
) -> Any:
    """Interpolated average precision.

    Like :func:`sklearn_ap.interpolated_average_precision_score` of all chunks together.
    :mod:`sklearn_ap.dask` says what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import interpolated_average_precision_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> interpolated_average_precision_score(y_true, y_score)
    0.833333
    """
    return _score(
        Envelope() if n_points is None else NPoint(n_points),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def eleven_point_average_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
) -> Any:
    """11-point interpolated average precision.

    Like :func:`sklearn_ap.eleven_point_average_precision_score` of all chunks together.
    :mod:`sklearn_ap.dask` says what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import eleven_point_average_precision_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> eleven_point_average_precision_score(y_true, y_score)
    0.848485
    """
    return _score(
        NPoint(11),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def average_precision_at_k_score(
    y_true: Collection,
    y_score: Collection,
    *,
    k: float = 10,
    denominator: str = "min",
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
    k_counts: str = "weight",
) -> Any:
    """Average precision at k.

    Like :func:`sklearn_ap.average_precision_at_k_score` of all chunks together.
    :mod:`sklearn_ap.dask` says what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import average_precision_at_k_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> average_precision_at_k_score(y_true, y_score, k=2)
    0.5
    """
    return _score(
        AtK(k=k, ties=ties, k_counts=k_counts, denominator=denominator),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def precision_at_k_score(
    y_true: Collection,
    y_score: Collection,
    *,
    k: float = 10,
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    k_counts: str = "weight",
) -> Any:
    """Precision at k.

    Like :func:`sklearn_ap.precision_at_k_score` of all chunks together. :mod:`sklearn_ap.dask` says
    what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import precision_at_k_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_at_k_score(y_true, y_score, k=2)
    0.5
    """
    return _score(
        PrecisionAtK(k=k, ties=ties, k_counts=k_counts),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def recall_at_k_score(
    y_true: Collection,
    y_score: Collection,
    *,
    k: float = 10,
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
    k_counts: str = "weight",
) -> Any:
    """Recall at k.

    Like :func:`sklearn_ap.recall_at_k_score` of all chunks together. :mod:`sklearn_ap.dask` says
    what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import recall_at_k_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> recall_at_k_score(y_true, y_score, k=2)
    0.5
    """
    return _score(
        RecallAtK(k=k, ties=ties, k_counts=k_counts),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def precision_at_recall_score(
    y_true: Collection,
    y_score: Collection,
    *,
    min_recall: float,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
) -> Any:
    """Precision at a recall.

    Like :func:`sklearn_ap.precision_at_recall_score` of all chunks together. :mod:`sklearn_ap.dask`
    says what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import precision_at_recall_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_at_recall_score(y_true, y_score, min_recall=0.9)
    0.666667
    """
    return _score(
        PrecisionAtRecall(min_recall),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def recall_at_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    min_precision: float,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    compute: bool = True,
    groups: Collection | None = None,
    average: str | None = "macro",
    sorted_by_group: bool = False,
) -> Any:
    """Recall at a precision.

    Like :func:`sklearn_ap.recall_at_precision_score` of all chunks together. :mod:`sklearn_ap.dask`
    says what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import recall_at_precision_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> recall_at_precision_score(y_true, y_score, min_precision=0.9)
    0.5
    """
    return _score(
        RecallAtPrecision(min_precision),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def mean_average_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    groups: Collection,
    k: float | None = None,
    denominator: str = "min",
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    sorted_by_group: bool = False,
    compute: bool = True,
    n_positives: NPositives = None,
    k_counts: str = "weight",
) -> Any:
    """Mean average precision.

    Like :func:`sklearn_ap.mean_average_precision_score` of all chunks together.
    :mod:`sklearn_ap.dask` says what is different.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import mean_average_precision_score
    >>> y_true = da.from_array([1, 0, 1, 0, 1], chunks=2)
    >>> y_score = da.from_array([0.9, 0.8, 0.7, 0.6, 0.5], chunks=2)
    >>> groups = da.from_array([0, 0, 0, 1, 1], chunks=2)
    >>> mean_average_precision_score(y_true, y_score, groups=groups)
    0.666667
    """
    check.check_delayed("groups", groups)
    return _score(
        Step(ties)
        if k is None
        else AtK(k=k, ties=ties, k_counts=k_counts, denominator=denominator),
        y_true,
        y_score,
        sample_weight,
        groups,
        compute,
        sorted_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def average_precision_bounds(
    y_true: Collection,
    y_score: Collection,
    *,
    definition: str = "step",
    n_bins: int = 10_000,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: float | None = None,
    compute: bool = True,
    **options: Any,
) -> Any:
    """Two numbers between which the average precision certainly lies, for data of any size.

    The samples are counted at quantiles of the scores of the positives, and between them. Only the
    order between two quantiles stays unknown. With R positives, the two numbers for 'step' and
    'envelope' differ by at most (2 + 3 ln R)/n_bins, whatever the scores are.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks may be unknown, and chunks may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    definition : str, default='step'
        As in :meth:`sklearn_ap.streaming.AveragePrecisionAccumulator.result`, except 'linear'.
    n_bins : int, default=10_000
        How many quantiles: at most 1/n_bins of the positives lie between two neighbours.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    compute : bool, default=True
        Whether to return the numbers, or a ``Delayed`` of Dask that gives them. The ``Delayed``
        needs more memory, because Dask keeps the chunks from the first pass for the second.
    **options
        Other keywords of the score, such as `k` and `min_recall`, but none about data or means.

    Returns
    -------
    bounds : named tuple or Delayed
        `lower` and `upper`; `estimate`, the middle; and `exact`, whether they are one.

    See Also
    --------
    average_precision_score : The number itself.
    sklearn_ap.streaming.AveragePrecisionAccumulator : Bounds in one pass.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import average_precision_bounds
    >>> y_true = da.arange(1000, chunks=100) % 3 == 0
    >>> y_score = da.arange(1000, chunks=100) * 7 % 1000
    >>> lower, upper, estimate, exact = average_precision_bounds(
    ...     y_true, y_score, n_bins=20
    ... )
    >>> lower < 0.33756 < upper, exact
    (True, False)
    """
    rule = check.check_definition("average_precision_bounds", definition, options)
    return passes.bounds(
        _collect(y_true, y_score, sample_weight, compute=compute),
        rule,
        n_bins,
        pos_label=pos_label,
        zero_division=zero_division,
        n_positives=n_positives,
    )


# --- collections become chunks -------------------------------------------------------------------


def _chunks(
    y_true: Collection,
    y_score: Collection,
    sample_weight: Collection | None,
    groups: Collection | None = None,
) -> list[Any]:
    """One delayed list a chunk: its labels, scores, weights and groups."""
    named = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight, "groups": groups}
    given = _align({name: value for name, value in named.items() if value is not None})
    columns = {name: check.check_delayed(name, value) for name, value in given.items()}
    n_chunks = check.check_as_many_chunks({name: len(column) for name, column in columns.items()})
    nothing = [None] * n_chunks
    rows = zip(*(columns.get(name, nothing) for name in named), strict=True)
    return [delayed(list)(list(row)) for row in rows]


def _align(given: dict[str, Collection]) -> dict[str, Collection]:
    """Arrays whose chunks are known, in the chunks of y_true."""
    sizes = {
        name: value.chunks if hasattr(type(value), "chunks") else ((np.nan,),)
        for name, value in given.items()
    }
    total = {name: [sum(axis) for axis in chunks] for name, chunks in sizes.items()}
    return {
        name: value.rechunk(sizes["y_true"])
        if sizes[name] != sizes["y_true"] and total[name] == total["y_true"]
        else value
        for name, value in given.items()
    }


# --- the engine ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Graph:
    """Passes as graphs of Dask."""

    chunks: list[Any]
    weighted: bool
    compute: bool
    one_pass: str = "sorted data with sorted_by_group=True"

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        return passes.join_in_tree(self._each(make, *args), delayed(join))

    def in_order(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        return delayed(join)(self._each(make, *args))

    def _each(self, make: Callable[..., Any], *args: Any) -> list[Any]:
        return [delayed(make)(chunk, *args) for chunk in self.chunks]

    def call(self, function: Callable[..., Any], *parts: Any) -> Any:
        return delayed(function)(*parts)

    def settle(self, part: Any) -> Any:
        """Made now, unless all is to stay lazy.

        Dask hears of the second pass only when the first is over: had it known, it would have kept
        every chunk until then. The part comes here in between, so that no worker can lose it.
        """
        return delayed(part.compute(), traverse=False) if self.compute else part

    def give(self, finish: Callable[..., Any], part: Any) -> Any:
        # What is computed is finished here, where a warning finds the line that called.
        return finish(part.compute()) if self.compute else delayed(finish)(part)


def _collect(
    y_true: Collection,
    y_score: Collection,
    sample_weight: Collection | None,
    groups: Collection | None = None,
    *,
    compute: bool,
) -> _Graph:
    chunks = _chunks(y_true, y_score, sample_weight, groups)
    return _Graph(chunks, weighted=sample_weight is not None, compute=compute)


def _score(
    rule: Rule,
    y_true: Collection,
    y_score: Collection,
    sample_weight: Collection | None,
    groups: Collection | None,
    compute: bool,
    sorted_by_group: bool,
    average: str | None,
    **options: Any,
) -> Any:
    check.check_rule(rule)
    engine = _collect(y_true, y_score, sample_weight, groups, compute=compute)
    if groups is None:
        check.check_without_groups(average, sorted_by_group=sorted_by_group)
        return passes.score(engine, rule, **options)
    check.check_group_average(average)
    score = passes.score_sorted_groups if sorted_by_group else passes.score_groups
    return score(engine, rule, average=average, **options)
