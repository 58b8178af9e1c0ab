"""Curves of precision, recall and hits over all thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._enter.entry import call, call_each, has_models, public
from ._evaluate.checking import benefit_of, column_of_benefit
from ._evaluate.in_chunks import all_in_order, groups_of
from ._evaluate.targets import NetValues
from ._evaluate.value import name_rankings
from ._read.columns import check_found
from ._read.rankings import Seen, check_evaluated, read_ranking
from ._words.inputs import Inputs, Label, NPositives, Unread
from ._words.messages import warn_no_positives, warning_once
from .core.operating_points import OperatingPoints, gather, lift
from .core.rankings import Queries, Rankings
from .core.rules import Step
from .core.runs import Array, max_from_here_on

# A function of points and their prediction scores, and with groups, of words on the groups without
# positives and of the places of the group's samples.
Draw = Callable[..., Any]
Curve = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any]]

_ZERO, _ONE, _UNREACHED = np.zeros(1), np.ones(1), np.array([np.inf])


@public()
def interpolated_precision_recall_curve(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    pos_label: Label = 1,  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    prevalence: float | None = None,
    data: Any = None,
) -> Any:
    r"""Compute the interpolated precision-recall curve.

    .. math:: p_\mathrm{interp}(i) = \max_{j \ge i} p_j

    At each threshold, the interpolated precision is the best precision at this threshold or any
    lower one: the maximum is over the distinct prediction scores :math:`j`, from the highest down.
    The thresholds, their order and the recalls are those of
    :func:`sklearn.metrics.precision_recall_curve`. The last point, with recall 0 and precision 1,
    is for plotting only, and no metric uses it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        True labels.
    y_score : array-like of shape (n_samples,), or mapping, default=None
        Prediction scores, higher for the positive class. Or a mapping from names of models to their
        prediction scores. With `data`, pass the name of a column, or for several models, a list of
        names with one per model, or a mapping from models to names.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking, or one for each
        column, or for each row with average='samples'. Columns that have names can also be named by
        a mapping or pandas Series, and must be if the classes in the table aren't sorted. With
        `groups`, pass a mapping or Series from groups to counts. A group that is only in the
        mapping has no rows, so its value is 0. By default, all positives are in `y_true`. The
        recalls are fractions of this count.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. Several
        columns (with `data`, a list of names, otherwise a 2-D array, DataFrame or tuple of arrays)
        name groups by the tuples that occur, as in pandas. `y_true` must be binary. The curve of a
        group that is only in `n_positives` has no thresholds.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
        such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must then
        be one column of numbers, and you can't pass `pos_label` or `classes`.
    prevalence : float, default=None
        The proportion of positives in the population that you want a value for, if it isn't that of
        the samples, for example because negatives were subsampled. Negatives are weighted so that
        all existing positives make up this proportion of the total weight, over all groups
        together. The target must be binary. A cutoff k must be a fraction of the total weight, as
        in k=0.01, or count rows, with k_counts='samples'.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. It can be a
        DataFrame or LazyFrame of pandas, polars, narwhals, Dask or Spark, a DuckDB relation, an
        Ibis or PyArrow table, a PyArrow dataset, a path to Parquet files, or one of Hugging Face's
        `datasets`. If one of :mod:`sklearn_ap.readers` has read it, it knows its columns, and you
        don't name them. The columns that you name are read into memory.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        Interpolated precision, which never decreases as recall decreases. The last element is 1.
    recall : ndarray of shape (n_thresholds + 1,)
        Decreasing recall. The last element is 0.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct prediction scores in increasing order.

    With `groups`, the result is a dict from each group, in sorted order, to such a tuple. With
    several models, it is a dict from each model to its result.

    See Also
    --------
    interpolated_average_precision_score : Compute the area under this curve.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information Retrieval",
       Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import interpolated_precision_recall_curve
    >>> precision, recall, thresholds = interpolated_precision_recall_curve(
    ...     [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    ... )
    >>> precision
    array([0.6, 0.6, 0.6, 0.6, 0.6, 1. ])
    >>> recall
    array([1.        , 0.66666667, 0.33333333, 0.33333333, 0.        ,
           0.        ])
    >>> thresholds
    array([0.5, 0.6, 0.7, 0.8, 0.9])
    """
    unread = Unread(  # written by docs/_write/parameters.py
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, n_positives=n_positives,
        groups=groups, min_grade=min_grade, prevalence=prevalence, data=data,
        caller="interpolated_precision_recall_curve",
    )  # fmt: skip
    return _draw(partial(draw_each, _envelope), unread)


@public()
def hit_curve(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    fraction_of: str = "positives",
    alert_cost: float | None = None,
    benefit: float | ArrayLike | None = None,
    pos_label: Label = 1,  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    prevalence: float | None = None,
    data: Any = None,
) -> Any:
    r"""Compute the hit curve, also called gains curve: hits against the fraction flagged.

    The samples with the highest prediction scores are flagged, and those of them that are positive
    are hits. If the fraction :math:`t` of all samples is flagged, the curve shows which fraction
    of all positives is found, which is the recall. A random selection finds :math:`t` of them on
    average, and perfect detection finds :math:`\min(t/\pi, 1)`, where :math:`\pi` is the
    prevalence, the fraction of samples that are positive.

    With `fraction_of="samples"`, it shows the hits as a fraction :math:`h(t)` of all samples [1]_.
    Precision is then :math:`h(t)/t`, and recall is :math:`h(t)/\pi`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        True labels.
    y_score : array-like of shape (n_samples,), or mapping, default=None
        Prediction scores, higher for the positive class. Or a mapping from names of models to their
        prediction scores. With `data`, pass the name of a column, or for several models, a list of
        names with one per model, or a mapping from models to names.
    fraction_of : {'positives', 'samples', 'lift'}, default='positives'
        What the hits are a fraction of: all existing positives, so that the hits are the recall, or
        all samples. 'lift' divides the recall by the fraction flagged, which is how many times as
        many positives are found as by a random selection.
    alert_cost : float, default=None
        Return the net value instead of the hits: the sum of `benefit` over the positives that are
        found, minus this cost for each sample that is flagged. See :func:`operating_point`,
        which chooses the threshold with the highest one.
    benefit : float or array-like of shape (n_samples,), default=None
        What it is worth to find each sample if it is positive, in the unit of `alert_cost`. With
        `data`, it can be the name of a column. By default, it is 1.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking, or one for each
        column, or for each row with average='samples'. Columns that have names can also be named by
        a mapping or pandas Series, and must be if the classes in the table aren't sorted. With
        `groups`, pass a mapping or Series from groups to counts. A group that is only in the
        mapping has no rows, so its value is 0. By default, all positives are in `y_true`. It
        doesn't matter with fraction_of='samples', but can add groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. Several
        columns (with `data`, a list of names, otherwise a 2-D array, DataFrame or tuple of arrays)
        name groups by the tuples that occur, as in pandas. `y_true` must be binary. The curve of a
        group that is only in `n_positives` has no thresholds.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
        such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must then
        be one column of numbers, and you can't pass `pos_label` or `classes`.
    prevalence : float, default=None
        The proportion of positives in the population that you want a value for, if it isn't that of
        the samples, for example because negatives were subsampled. Negatives are weighted so that
        all existing positives make up this proportion of the total weight, over all groups
        together. The target must be binary. A cutoff k must be a fraction of the total weight, as
        in k=0.01, or count rows, with k_counts='samples'.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. It can be a
        DataFrame or LazyFrame of pandas, polars, narwhals, Dask or Spark, a DuckDB relation, an
        Ibis or PyArrow table, a PyArrow dataset, a path to Parquet files, or one of Hugging Face's
        `datasets`. If one of :mod:`sklearn_ap.readers` has read it, it knows its columns, and you
        don't name them. The columns that you name are read into memory.

    Returns
    -------
    flagged : ndarray of shape (n_thresholds + 1,)
        Fraction of all samples whose prediction score is at least the threshold, from 0 to 1.
    hits : ndarray of shape (n_thresholds + 1,)
        Fraction of all existing positives that are found. With fraction_of='samples', fraction
        of all samples that are flagged and positive, from 0 to the prevalence. With `alert_cost`,
        the net value, which starts at 0.
    thresholds : ndarray of shape (n_thresholds + 1,)
        `np.inf`, at which nothing is flagged, followed by the distinct prediction scores in
        decreasing order.

    With `groups`, the result is a dict from each group, in sorted order, to such a tuple. With
    several models, it is a dict from each model to its result.

    See Also
    --------
    average_precision_score : Compute the mean of the precision along this curve.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", working paper 2004-09, Department of
       Statistics and Actuarial Science, University of Waterloo, 2004.

    Examples
    --------
    >>> from sklearn_ap import hit_curve
    >>> flagged, hits, thresholds = hit_curve(
    ...     [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    ... )
    >>> flagged
    array([0. , 0.2, 0.4, 0.6, 0.8, 1. ])
    >>> hits
    array([0.        , 0.33333333, 0.66666667, 0.66666667, 1.        ,
           1.        ])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.7, 0.6, 0.5])

    If an alert costs a quarter of what a positive is worth:

    >>> hit_curve([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], alert_cost=0.25)[
    ...     1
    ... ]
    array([0.  , 0.75, 1.5 , 1.25, 2.  , 1.75])
    """
    unread = Unread(  # written by docs/_write/parameters.py
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, n_positives=n_positives,
        groups=groups, min_grade=min_grade, prevalence=prevalence, data=data,
        besides=column_of_benefit(benefit, "hit_curve"), caller="hit_curve",
    )  # fmt: skip
    if alert_cost is None and benefit is None:
        return _draw(partial(draw_each, partial(_hits, fraction_of=fraction_of)), unread)
    return _draw(partial(_draw_net_values, alert_cost, benefit), unread)


def _draw(draw: Callable[[Inputs], Any], unread: Unread) -> Any:
    """Draw the curve of one model, or a dict of the curves of each model."""
    return call_each(draw, unread) if has_models(unread) else call(draw, unread)


def _draw_net_values(alert_cost: float | None, benefit: Any, inputs: Inputs) -> Any:
    return draw_each(partial(_net_values, *worth_of(alert_cost, benefit, inputs)), inputs)


def worth_of(
    alert_cost: float | None, benefit: Any, inputs: Inputs
) -> tuple[float, Array | None, Rankings]:
    """Return the cost of an alert, the benefit of each sample (None if it's 1), and the samples."""
    samples, _ = read_ranking(inputs)
    of_each = benefit_of(benefit, alert_cost, samples, inputs)
    assert alert_cost is not None  # or the benefit was refused
    return alert_cost, of_each, samples


def draw_each(draw: Draw, inputs: Inputs) -> Any:
    """Draw the curve of one ranking, or with groups, a dict of the curve of each group."""
    samples, seen = read_ranking(inputs)
    if samples.group is not None:
        return _draw_groups(samples, seen, draw, inputs.n_positives)
    points, thresholds = samples.curve()
    exist = check_evaluated(seen, points.n_positives.item(), Step(), inputs.n_positives)
    points = points if exist is None else _out_of(points, exist)
    return draw(points, thresholds)


def _draw_groups(samples: Rankings, seen: Seen, draw: Draw, n_positives: Any) -> dict[Any, Any]:
    """Draw the curve of each group, in sorted order. Groups without samples have no points."""
    check_evaluated(seen, 0, Step(), n_positives, by_group=True)
    present, group = groups_of(samples)
    names, order, _, exist = all_in_order(present, n_positives, seen.weighted)
    places, offsets = gather(np.arange(group.size), group, len(names))
    rows_of = np.split(places, offsets[1:-1])
    curves = [samples.take(rows_of[number]).curve() for number in order]
    found = np.array([points.n_positives.item() for points, _ in curves])
    if exist is not None:
        check_found(exist, found, seen.weighted, names)
        curves = [(_out_of(one, each), s) for (one, s), each in zip(curves, exist, strict=True)]
    lacking = name_rankings((found if exist is None else exist) == 0, Queries(None, names))
    with warning_once():
        return {
            name: draw(points, scores, lacking, rows_of[number])
            for name, number, (points, scores) in zip(names, order, curves, strict=True)
        }


def _out_of(points: OperatingPoints, exist: Array) -> OperatingPoints:
    """Set the number of existing positives, which rounded weights can slightly exceed."""
    return points.out_of(np.maximum(exist, points.cum_positives.max(initial=0)))


def _envelope(
    points: OperatingPoints, thresholds: NDArray[Any], lacking: str = "", rows: Any = None
) -> Curve:
    precision = max_from_here_on(points.precision, points.offsets)
    return (
        np.concatenate((precision[::-1], _ONE)),
        np.concatenate((_recall(points, lacking)[::-1], _ZERO)),
        thresholds[::-1],
    )


def _recall(points: OperatingPoints, lacking: str) -> NDArray[np.float64]:
    """Compute the recall at each point. `lacking` says which groups have no positives."""
    found = points.n_positives.item()
    if not found:
        warn_no_positives(lacking)
        return np.ones(points.cum_total.shape)
    return np.asarray(points.cum_positives / found)


def _net_values(
    alert_cost: float,
    benefit: Array | None,
    samples: Rankings,
    points: OperatingPoints,
    thresholds: NDArray[Any],
    lacking: str = "",
    rows: Any = slice(None),
) -> Curve:
    values = np.zeros(0)
    if thresholds.size:
        own = None if benefit is None else benefit[rows]
        values = NetValues.of(alert_cost, own, samples.take(rows), points, thresholds).values
    detected = points.shares(points.cum_total)
    return detected, np.concatenate((_ZERO, values)), _after_the_unreached(thresholds)


class NetCurve(NamedTuple):
    """The net values of a ranking, and of one that has the positives of the most benefit first."""

    line: tuple[Array, Array]  # the fraction flagged, and the net value
    perfect: tuple[Array, Array]


def net_curve(
    worth: tuple[float, Array | None, Rankings],
    points: OperatingPoints,
    thresholds: NDArray[Any],
    lacking: str = "",
    rows: Any = slice(None),
) -> NetCurve:
    """Draw the net values of one ranking, which stay at 0 if no sample was retrieved."""
    if not thresholds.size:
        nothing = np.arange(2.0), np.zeros(2)
        return NetCurve(nothing, nothing)
    cost, benefit, samples = worth
    ideal = samples.take(rows)
    by_benefit = np.where(ideal.labels, 1 if benefit is None else benefit[rows], -1.0)
    ideal = replace(ideal, scores=by_benefit)
    line = _net_values(*worth, points, thresholds, lacking, rows)[:2]
    own = None if benefit is None else benefit[rows]
    return NetCurve(line, _net_values(cost, own, ideal, *ideal.curve())[:2])


def _hits(
    points: OperatingPoints,
    thresholds: NDArray[Any],
    lacking: str = "",
    rows: Any = None,
    *,
    fraction_of: str,
) -> Curve:
    detected = points.shares(points.cum_total)
    if fraction_of == "samples":
        hits = points.shares(points.cum_positives)
    else:
        hits = np.concatenate((_ZERO, _recall(points, lacking)))
    if fraction_of == "lift":
        hits = lift(detected, hits)
    return detected, hits, _after_the_unreached(thresholds)


def _after_the_unreached(thresholds: NDArray[Any]) -> NDArray[Any]:
    """Prepend a threshold that no score reaches, without rounding the others."""
    if thresholds.dtype.kind in "iu" and np.any(abs(thresholds) > 2**53):
        thresholds = thresholds.astype(object)  # integers that floats cannot represent
    return np.concatenate((_UNREACHED, thresholds))
