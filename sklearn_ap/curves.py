"""Curves of precision, recall and hits over all thresholds, of one ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ._core import Array, Column, Points, find_distinct, rank_samples, read, warn_caller

ThreeArrays = tuple[Array, Array, Array]


def interpolated_precision_recall_curve(
    y_true: Column = None,
    y_score: Column = None,
    *,
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    n_positives: float | str | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> ThreeArrays:
    """Compute the interpolated precision-recall curve, in the order of scikit-learn's curve.

    Read more in :doc:`Metrics and formulas </definitions>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Prediction scores, higher for the positive class.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    n_positives : number or 'rows', default=None
        How many positives exist, scored or not. 'rows' means that every positive has a row, and
        that the rows of unscored positives have no score.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        The best precision at this or any lower threshold. The last element is 1.
    recall : ndarray of shape (n_thresholds + 1,)
        Decreasing recall. The last element is 0.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores in increasing order.

    See Also
    --------
    interpolated_average_precision_score : The area below the curve.
    AveragePrecisionDisplay : Draw the curve.
    sklearn.metrics.precision_recall_curve : The curve without interpolation.

    Examples
    --------
    >>> from sklearn_ap import interpolated_precision_recall_curve
    >>> precision, recall, thresholds = interpolated_precision_recall_curve([1, 0, 1], [3, 2, 1])
    >>> precision
    array([0.66666667, 0.66666667, 1.        , 1.        ])
    """
    points, scores = _rank_every_score(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        n_positives=n_positives,
        min_grade=min_grade,
        data=data,
    )
    precision = points.accumulate_from_here(np.maximum, points.precision)
    return np.append(precision[::-1], 1.0), _compute_recall(points)[::-1], scores[::-1]


def hit_curve(
    y_true: Column = None,
    y_score: Column = None,
    *,
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    n_positives: float | str | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> ThreeArrays:
    """Compute the hit curve (gains curve): hits against the fraction flagged.

    Read more in :doc:`Top k and ties </top_k>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Prediction scores, higher for the positive class.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    n_positives : number or 'rows', default=None
        How many positives exist, scored or not. 'rows' means that every positive has a row, and
        that the rows of unscored positives have no score.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    flagged, hits, thresholds : ndarrays of shape (n_thresholds + 1,)
        The first threshold is infinite, and flags nothing.

    See Also
    --------
    HitCurveDisplay : Draw the curve.
    recall_at_k_score : One point of the curve.

    Examples
    --------
    >>> from sklearn_ap import hit_curve
    >>> flagged, hits, thresholds = hit_curve([1, 0, 1, 0], [4, 3, 2, 1])
    >>> hits
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    points, scores = _rank_every_score(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        n_positives=n_positives,
        min_grade=min_grade,
        data=data,
    )
    mass = points.mass[0] or 1
    flagged = np.append(0, points.cum_samples) / mass
    hits = _compute_recall(points)
    if scores.dtype.kind in "iu" and (abs(scores) > 2**53).any():
        scores = scores.astype(object)  # integers that floats can't represent
    return flagged, hits, np.append(np.array([np.inf]), scores)


def _rank_every_score(y_true: Column, y_score: Column, **options: Any) -> tuple[Points, Array]:
    """Return all operating points of one ranking, and their scores, from the highest down."""
    rankings = read(y_true, y_score, **options)
    if rankings.average != "binary":
        raise ValueError("A curve needs binary labels: pass those of one class.")
    points = rank_samples(rankings, rankings.weight, every_point=True)
    return points, find_distinct(rankings.scores)[::-1]


def _compute_recall(points: Points) -> Array:
    """Return the recall above the first point, which is 0, and at each point.

    It is 1 at each point without positives, as in scikit-learn.
    """
    if not points.n_positives[0]:
        warn_caller(
            "No positive class found in y_true, recall is set to one for all thresholds.",
            UndefinedMetricWarning,
        )
        return np.append(0, np.ones(points.samples.size))
    return np.asarray(np.minimum(np.append(0, points.cum_hits) / points.n_positives[0], 1))
