"""The scores of Dask collections, which stay where they are: only counts are put together.

A score takes two passes over the chunks. The first collects the distinct scores of the positives,
the second counts in each chunk the samples at and between them. Nothing is shuffled, and no chunk
has to fit in memory beside another.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from . import _passes as passes
from . import _validation as check
from .core import definitions

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
    "recall_at_k_score",
]

Label = float | bool | str
Collection = Any  # a dask array or series, or a list of delayed chunks

_FAN_IN = 4  # how many results are joined at once


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
    n_positives: float | None = None,
    compute: bool = True,
) -> Any:
    """Average precision.

    As :func:`sklearn_ap.average_precision_score` of all chunks together.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 do not exist.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples of one score are ranked.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where no chunk holds a positive. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    compute : bool, default=True
        Whether to return the number, or a ``Delayed`` of Dask that gives it. The second
        takes more memory where two passes are made: Dask then keeps the chunks between them.

    Returns
    -------
    score : float or Delayed
        Average precision, between 0 and 1.

    See Also
    --------
    average_precision_bounds : For more distinct scores than can be sent to every worker.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import average_precision_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> average_precision_score(y_true, y_score)
    0.833333
    """
    counted = _two_passes(_chunks(y_true, y_score, sample_weight), compute, pos_label)
    rule = partial(definitions.step, ties=ties)
    return _score(counted, rule, compute, pos_label, ties, zero_division, n_positives)


@check.validated_options
def interpolated_average_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    n_points: int | None = None,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: float | None = None,
    compute: bool = True,
) -> Any:
    """Interpolated average precision.

    As :func:`sklearn_ap.interpolated_average_precision_score` of all chunks together.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    n_points : int, default=None
        The number of recalls at which the envelope is sampled; None for its area.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 do not exist.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where no chunk holds a positive. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    compute : bool, default=True
        Whether to return the number, or a ``Delayed`` of Dask that gives it. The second
        takes more memory where two passes are made: Dask then keeps the chunks between them.

    Returns
    -------
    score : float or Delayed
        Interpolated average precision, between 0 and 1.

    See Also
    --------
    average_precision_bounds : For more distinct scores than can be sent to every worker.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import interpolated_average_precision_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> interpolated_average_precision_score(y_true, y_score)
    0.833333
    """
    if n_points is None:
        rule: passes.Rule = definitions.envelope
    else:
        rule = partial(definitions.n_point, n_points=n_points)
    counted = _two_passes(_chunks(y_true, y_score, sample_weight), compute, pos_label)
    return _score(counted, rule, compute, pos_label, "grouped", zero_division, n_positives)


@check.validated_options
def eleven_point_average_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: float | None = None,
    compute: bool = True,
) -> Any:
    """11-point interpolated average precision.

    As :func:`sklearn_ap.eleven_point_average_precision_score` of all chunks together.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 do not exist.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where no chunk holds a positive. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    compute : bool, default=True
        Whether to return the number, or a ``Delayed`` of Dask that gives it. The second
        takes more memory where two passes are made: Dask then keeps the chunks between them.

    Returns
    -------
    score : float or Delayed
        11-point interpolated average precision, between 0 and 1.

    See Also
    --------
    interpolated_average_precision_score : Any number of points, or the whole envelope.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import eleven_point_average_precision_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> eleven_point_average_precision_score(y_true, y_score)
    0.848485
    """
    return interpolated_average_precision_score(
        y_true,
        y_score,
        n_points=11,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        n_positives=n_positives,
        compute=compute,
    )


@check.validated_options
def average_precision_at_k_score(
    y_true: Collection,
    y_score: Collection,
    *,
    k: int = 10,
    denominator: str = "min",
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: float | None = None,
    compute: bool = True,
) -> Any:
    """Average precision at k.

    As :func:`sklearn_ap.average_precision_at_k_score` of all chunks together.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    k : int, default=10
        How many samples count, best first.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        What the sum is divided by.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples of one score are ranked.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 do not exist.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where no chunk holds a positive. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    compute : bool, default=True
        Whether to return the number, or a ``Delayed`` of Dask that gives it. The second
        takes more memory where two passes are made: Dask then keeps the chunks between them.

    Returns
    -------
    score : float or Delayed
        Average precision at k, between 0 and 1.

    See Also
    --------
    average_precision_score : All samples.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import average_precision_at_k_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> average_precision_at_k_score(y_true, y_score, k=2)
    0.5
    """
    check.check_denominator(denominator, ties)
    counted = _best(_chunks(y_true, y_score, sample_weight), pos_label, k)
    rule = partial(definitions.at_k, k=k, denominator=denominator, ties=ties)
    return _score(counted, rule, compute, pos_label, ties, zero_division, n_positives)


@check.validated_options
def precision_at_k_score(
    y_true: Collection,
    y_score: Collection,
    *,
    k: int = 10,
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    compute: bool = True,
) -> Any:
    """Precision at k.

    As :func:`sklearn_ap.precision_at_k_score` of all chunks together.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    k : int, default=10
        How many samples count, best first.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples of one score are ranked.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 do not exist.
    compute : bool, default=True
        Whether to return the number, or a ``Delayed`` of Dask that gives it. The second
        takes more memory where two passes are made: Dask then keeps the chunks between them.

    Returns
    -------
    score : float or Delayed
        Precision at k, between 0 and 1.

    See Also
    --------
    recall_at_k_score : The share of all positives that is found.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import precision_at_k_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_at_k_score(y_true, y_score, k=2)
    0.5
    """
    counted = _best(_chunks(y_true, y_score, sample_weight), pos_label, k)
    rule = partial(definitions.precision_at_k, k=k, ties=ties)
    return _score(counted, rule, compute, pos_label, ties, zero_division=0.0, n_positives=None)


@check.validated_options
def recall_at_k_score(
    y_true: Collection,
    y_score: Collection,
    *,
    k: int = 10,
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    n_positives: float | None = None,
    compute: bool = True,
) -> Any:
    """Recall at k.

    As :func:`sklearn_ap.recall_at_k_score` of all chunks together.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    k : int, default=10
        How many samples count, best first.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples of one score are ranked.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 do not exist.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where no chunk holds a positive. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    compute : bool, default=True
        Whether to return the number, or a ``Delayed`` of Dask that gives it. The second
        takes more memory where two passes are made: Dask then keeps the chunks between them.

    Returns
    -------
    score : float or Delayed
        Recall at k, between 0 and 1.

    See Also
    --------
    precision_at_k_score : The share of the first k samples that is positive.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap.dask import recall_at_k_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> recall_at_k_score(y_true, y_score, k=2)
    0.5
    """
    counted = _best(_chunks(y_true, y_score, sample_weight), pos_label, k)
    rule = partial(definitions.recall_at_k, k=k, ties=ties)
    return _score(counted, rule, compute, pos_label, ties, zero_division, n_positives)


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
    """Two numbers between which the average precision lies for certain, however large the data.

    The scores are counted at quantiles of the positives and between them. What is not known is the
    order between two of these, and with R positive samples that leaves at most (2 + 3 ln R)/n_bins
    open of 'step' and 'envelope', whatever the scores.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    definition : str, default='step'
        'step', 'envelope', 'at-k', or '11-point' and the like.
    n_bins : int, default=10_000
        Between two neighbouring quantiles lie at most 1/n_bins of the positives.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights. Samples of weight 0 do not exist.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where no chunk holds a positive. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    compute : bool, default=True
        Whether to return the numbers, or a ``Delayed`` of Dask that gives them. The
        second takes more memory: Dask then keeps the chunks between the two passes.
    **options
        `k` and `denominator` for 'at-k'.

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
    >>> lower, upper, estimate, exact = average_precision_bounds(y_true, y_score, n_bins=20)
    >>> lower < 0.33756 < upper, exact
    (True, False)
    """
    check.check_definition("average_precision_bounds", definition, options)
    check.check_bounded(definition, options)
    finish = partial(
        passes.to_bounds,
        definition=definition,
        options=options,
        pos_label=pos_label,
        zero_division=zero_division,
        n_positives=n_positives,
    )
    chunks = _chunks(y_true, y_score, sample_weight)
    return _give(_two_passes(chunks, compute, pos_label, n_bins), finish, compute)


@check.validated_options
def mean_average_precision_score(
    y_true: Collection,
    y_score: Collection,
    *,
    groups: Collection,
    k: int | None = None,
    denominator: str = "min",
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: Collection | None = None,
    zero_division: float | str = "warn",
    sorted_by_group: bool = False,
    compute: bool = True,
) -> Any:
    """Mean average precision.

    As :func:`sklearn_ap.mean_average_precision_score` of all chunks together.

    Parameters
    ----------
    y_true : dask array or series of shape (n_samples,), or list of delayed chunks
        Binary labels. The sizes of the chunks need not be known, and some may be empty.
    y_score : like y_true
        Scores, higher for the positive class, in the same chunks.
    groups : like y_true
        The group of each sample, in any order: numbers, strings or other hashable objects.
    k : int, default=None
        How many samples of each group count, best first; None for all.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        What the sum is divided by if `k` is given.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples of one score are ranked.
    average : {'macro', 'weighted'} or None, default='macro'
        The mean over groups, plain or weighted by their positives; None gives one value a group,
        in the sorted order of the groups.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : like y_true, default=None
        Sample weights within the groups. Samples of weight 0 do not exist.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value of a group without positives. 'warn' gives 0.0 with a warning; nan keeps the
        group out of the mean.
    sorted_by_group : bool, default=False
        Whether the samples of a group follow one another, within chunks and across them. Then one
        pass is enough, and nothing is sent to the workers.
    compute : bool, default=True
        Whether to return the number, or a ``Delayed`` of Dask that gives it. The second
        takes more memory where two passes are made: Dask then keeps the chunks between them.

    Returns
    -------
    score : float, array of shape (n_groups,) or Delayed
        Mean average precision, between 0 and 1.

    See Also
    --------
    average_precision_score : All samples as one ranking.

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
    check.check_denominator(denominator, ties)
    check.check_group_average(average)
    check.check_delayed("groups", groups)
    if k is None:
        rule: passes.Rule = partial(definitions.step, ties=ties)
    else:
        rule = partial(definitions.at_k, k=k, denominator=denominator, ties=ties)
    finish = partial(
        passes.to_mean,
        rule=rule,
        pos_label=pos_label,
        ties=ties,
        zero_division=zero_division,
        average=average,
    )
    chunks = _chunks(y_true, y_score, sample_weight, groups)
    if sorted_by_group:
        counted = _runs(chunks, pos_label)
    else:
        counted = _two_passes_in_groups(chunks, compute, pos_label)
    return _give(counted, finish, compute)


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


# --- graphs --------------------------------------------------------------------------------------


def _two_passes(
    chunks: list[Any], compute: bool, pos_label: Label, n_bins: int | None = None
) -> Any:
    first = _each(passes.find_positives, chunks, pos_label, n_bins)
    positives = _join(passes.join_positives, first, pos_label, n_bins)
    grid = _settle(delayed(passes.make_grid)(positives, n_bins), compute)
    second = _each(passes.count_among, chunks, pos_label, grid, n_bins)
    return _join(passes.join_counts, second, pos_label)


def _best(chunks: list[Any], pos_label: Label, k: int) -> Any:
    return _join(passes.join_best, _each(passes.count_best, chunks, pos_label, k), pos_label, k)


def _two_passes_in_groups(chunks: list[Any], compute: bool, pos_label: Label) -> Any:
    first = _each(passes.find_grouped_positives, chunks, pos_label)
    positives = _join(passes.join_grouped_positives, first, pos_label)
    grid = _settle(delayed(passes.make_group_grid)(positives), compute)
    second = _each(passes.count_in_groups, chunks, pos_label, grid)
    return delayed(passes.to_groups)(_join(passes.join_counts, second, pos_label), grid)


def _runs(chunks: list[Any], pos_label: Label) -> Any:
    return delayed(passes.join_runs)(_each(passes.find_runs, chunks, pos_label), pos_label)


def _each(function: Callable[..., Any], chunks: list[Any], *args: Any) -> list[Any]:
    return [delayed(function)(chunk, *args) for chunk in chunks]


def _settle(grid: Any, compute: bool) -> Any:
    """The grid, made now unless all is to stay lazy.

    Dask hears of the second pass only when the first is over: had it known, it would have kept
    every chunk until then. The grid comes here in between, so that no worker can lose it.
    """
    return delayed(grid.compute(), traverse=False) if compute else grid


def _join(function: Callable[..., Any], parts: list[Any], *args: Any) -> Any:
    """All parts joined, a few at a time."""
    while len(parts) > 1:
        few = [parts[start : start + _FAN_IN] for start in range(0, len(parts), _FAN_IN)]
        parts = [delayed(function)(some, *args) for some in few]
    return parts[0]


def _score(
    counted: Any,
    rule: passes.Rule,
    compute: bool,
    pos_label: Label,
    ties: str,
    zero_division: float | str,
    n_positives: float | None,
) -> Any:
    finish = partial(
        passes.to_score,
        rule=rule,
        pos_label=pos_label,
        ties=ties,
        zero_division=zero_division,
        n_positives=n_positives,
    )
    return _give(counted, finish, compute)


def _give(counted: Any, finish: Callable[..., Any], compute: bool) -> Any:
    # What is computed is finished here, where a warning finds the line that called.
    return finish(counted.compute()) if compute else delayed(finish)(counted)
