"""Curves of precision, recall and hits over all thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._enter.entry import public
from ._enter.models import read_rows_of_models, with_models
from ._evaluate.metric_values import name_rankings
from ._inputs.records import Inputs, Label, NPositives
from ._read.validation import check_drawable, read_one_ranking
from ._words.messages import warn_no_positives, warning_once
from .core.operating_points import OperatingPoints, SortedSamples, compute_lift
from .core.ragged import Array
from .core.rankings import Averaging, Rankings
from .core.tolerances import MAX_EXACT_INTEGER

Curve = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any]]

_UNREACHED = np.array([np.inf])


class ScoredPoints(NamedTuple):
    """The points of one ranking, with the scores at which they flag samples."""

    points: OperatingPoints  # at each score
    scores: Array  # at or above which each point flags samples, highest first
    lacking: str = ""  # words on the groups without positives


Draw = Callable[[ScoredPoints], Any]


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
    data: Any = None,
) -> Any:
    r"""Compute the interpolated precision-recall curve.

    ``p_interp(i) = max_(j >= i) p_j``

    At each threshold, the curve shows the best precision at this or any lower threshold, where p_j
    is the precision at the j-th highest distinct prediction score. Thresholds and recalls are as in
    :func:`sklearn.metrics.precision_recall_curve`. The last point, with recall 0 and precision 1,
    is for plotting only.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        True labels.
    y_score : array-like of shape (n_samples,), or mapping, default=None
        Prediction scores, or a mapping from names of models to prediction scores. With `data`, the
        name of a column, or for several models, a list of columns or a mapping from models to
        columns.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. The
        recalls are fractions of this count.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately. The curve of a
        group that is only in `n_positives` has no thresholds.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        Interpolated precision, which never decreases as recall decreases. The last element is 1.
    recall : ndarray of shape (n_thresholds + 1,)
        Decreasing recall. The last element is 0.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct prediction scores in increasing order.

    With `groups`, the result is a dict with such a tuple for each group, in sorted order. With
    several models, it is a dict with the result of each model.

    See Also
    --------
    interpolated_average_precision_score

    References
    ----------
    .. [1] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.

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
    unread = Inputs.of_call(locals(), "interpolated_precision_recall_curve")
    return _draw_models(_envelope, unread)


@public()
def hit_curve(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    fraction_of: str = "positives",
    pos_label: Label = 1,  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Any:
    r"""Compute the hit curve (gains curve), which shows hits against the fraction flagged.

    If you flag a fraction t of all samples, starting with the highest prediction scores, the curve
    shows recall, the fraction of all positives that you find. On average, a random selection finds
    the fraction t of the positives. A perfect ranking finds min(t/pi, 1), where pi is the fraction
    of positives.

    With `fraction_of="samples"`, the curve shows the hits as a fraction h(t) of all samples [1]_.
    Precision is then h(t)/t, and recall is h(t)/pi.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        True labels.
    y_score : array-like of shape (n_samples,), or mapping, default=None
        Prediction scores, or a mapping from names of models to prediction scores. With `data`, the
        name of a column, or for several models, a list of columns or a mapping from models to
        columns.
    fraction_of : {'positives', 'samples', 'lift'}, default='positives'
        What the hits are a fraction of: all existing positives, which makes them the recall, or all
        samples. 'lift' divides the recall by the fraction flagged, so it says how many times as
        many positives you find as with a random selection.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. It
        has no effect with fraction_of='samples', but can add groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately. The curve of a
        group that is only in `n_positives` has no thresholds.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    flagged : ndarray of shape (n_thresholds + 1,)
        Fraction of all samples whose prediction score is at least the threshold, from 0 to 1.
    hits : ndarray of shape (n_thresholds + 1,)
        Fraction of all existing positives that are found. With fraction_of='samples', the fraction
        of all samples that are flagged and positive, from 0 to the prevalence.
    thresholds : ndarray of shape (n_thresholds + 1,)
        `np.inf`, at which nothing is flagged, followed by the distinct prediction scores in
        decreasing order.

    With `groups`, the result is a dict with such a tuple for each group, in sorted order. With
    several models, it is a dict with the result of each model.

    See Also
    --------
    average_precision_score : Average the precision along this curve.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", University of Waterloo,
       working paper 2004-09.

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
    """
    unread = Inputs.of_call(locals(), "hit_curve")
    return _draw_models(partial(_compute_hit_curve, fraction_of=fraction_of), unread)


def _draw_models(draw: Draw, unread: Inputs) -> Any:
    """Draw the curve of one model, or a dict of the curves of each model."""
    curves: dict[Any, Any] = {}
    unread = with_models(unread)
    with warning_once():
        for reading in read_rows_of_models(unread):
            with reading as inputs:
                rankings = read_one_ranking(inputs)
                check_drawable(rankings, inputs)
                curves[inputs.model] = _draw_groups(draw, rank_groups(rankings, rankings.sort()))
    return curves if isinstance(unread.y_score, Mapping) else curves[None]


def _draw_groups(draw: Draw, rankings: Mapping[Any, ScoredPoints]) -> Any:
    """Draw the curve of one ranking, or with groups, a dict of the curve of each group."""
    if None in rankings:
        return draw(rankings[None])
    with warning_once():
        return {name: draw(ranking) for name, ranking in rankings.items()}


def rank_groups(rankings: Rankings, samples: SortedSamples) -> dict[Any, ScoredPoints]:
    """Rank the sorted samples of each group, in sorted order. None is a single ranking."""
    names, exist = rankings.names, rankings.n_positives
    if names is None or not rankings.is_grouped:
        names = [None]
    curve_data = [ScoredPoints(*in_order.find_all_points()) for in_order in samples.split()]
    if exist is not None:
        curve_data = [
            _set_existing_positives(*pair) for pair in zip(curve_data, exist, strict=True)
        ]
    if rankings.is_grouped:
        lack_positives = (rankings.positive_rows if exist is None else exist) == 0
        lacking = name_rankings(lack_positives, Averaging(None, names))
        curve_data = [ranking._replace(lacking=lacking) for ranking in curve_data]
    return dict(zip(names, curve_data, strict=True))


def _set_existing_positives(ranking: ScoredPoints, exist: Array) -> ScoredPoints:
    """Set the number of existing positives, which rounded weights can slightly exceed."""
    points = ranking.points
    at_least = points.cum_positives.max(initial=0)
    return ranking._replace(points=points.with_n_positives(np.maximum(exist, at_least)))


def _envelope(ranking: ScoredPoints) -> Curve:
    """Return the best precision at a threshold or below, the recall, and thresholds in ascending
    order, with the point at a recall of 0 last.
    """
    points = ranking.points
    precision = np.ones(points.cum_total.size + 1)
    at_thresholds = precision[:-1]  # a view, from the lowest threshold up
    np.divide(points.cum_positives, points.cum_total, out=at_thresholds[::-1])
    np.maximum.accumulate(at_thresholds, out=at_thresholds)
    return precision, _recall(ranking, falling=True), ranking.scores[::-1]


def _recall(ranking: ScoredPoints, falling: bool = False) -> NDArray[np.float64]:
    """Compute the recall at each point. The recall of no samples is first or, if `falling`, last.

    Without positives, recall is 1 at each point.
    """
    points = ranking.points
    cum_positives, n_positives = points.cum_positives, points.n_positives.item()
    recall = np.ones(cum_positives.size + 1)
    rising = recall[::-1] if falling else recall  # a view, from the highest threshold down
    rising[0] = 0
    if n_positives:
        np.divide(cum_positives, n_positives, out=rising[1:])
        np.minimum(rising, 1, out=rising)  # rounded weights can exceed their sum
    else:
        warn_no_positives(ranking.lacking)
    return recall


def _compute_hit_curve(ranking: ScoredPoints, *, fraction_of: str) -> Curve:
    """Return the fraction flagged, the hits, and thresholds in descending order, with the point at
    which nothing is flagged first.
    """
    points = ranking.points
    flagged = points.compute_fractions(points.cum_total)
    if fraction_of == "samples":
        hits = points.compute_fractions(points.cum_positives)
    else:
        hits = _recall(ranking)
    if fraction_of == "lift":
        hits = compute_lift(flagged, hits)
    return flagged, hits, _prepend_unreached_threshold(ranking.scores)


def _prepend_unreached_threshold(thresholds: NDArray[Any]) -> NDArray[Any]:
    """Prepend a threshold that no score reaches, without rounding the others."""
    if thresholds.dtype.kind in "iu" and np.any(abs(thresholds) > MAX_EXACT_INTEGER):
        thresholds = thresholds.astype(object)  # integers that floats cannot represent
    return np.concatenate((_UNREACHED, thresholds))
