"""Metrics that compare labels with prediction scores.

Each has options of its own, which make a rule, and the same parameters for the data, which
`_data.read` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, replace
from functools import wraps
from numbers import Real
from typing import Any, ParamSpec

import numpy as np
from numpy.typing import ArrayLike

from . import _rules as rules
from ._checks import check, suggest
from ._data import DATA_PARAMETERS
from ._evaluate import evaluate
from ._names import Meaning, find_metric, write_name, write_numbered_name
from .exceptions import InvalidParameterError, UnknownMetricError

Score = Any  # a float, or an array with average=None
Column = ArrayLike | str | None  # values, or the name of a column of `data`
Scores = ArrayLike | str | list[str] | None
Asked = ParamSpec("Asked")

# What benchmarks call definitions whose own names say little
_TITLES: dict[rules.Rule, str] = {
    rules.Interpolated(11, "float"): "VOC 2007 average precision",
    rules.Interpolated(101, "float"): "COCO average precision",
    rules.Interpolated(101, "float", "input"): "COCO average precision, ties in input order",
}
_UNLIMITED = -float("inf"), float("inf")


def refuse_estimators(function: Callable[Asked, Score]) -> Callable[Asked, Score]:
    """Let a metric say so if it's called like a scorer, as by a search that got it as `scoring`."""

    @wraps(function)
    def call(*args: Asked.args, **kwargs: Asked.kwargs) -> Score:
        if len(args) > 2 and any(hasattr(each, "fit") for each in args[:2]):
            raise TypeError(
                "A metric takes labels and scores, but got an estimator. As scoring=, pass a "
                "scorer, such as sklearn_ap.get_scorer('AP')."
            )
        return function(*args, **kwargs)

    return call


@refuse_estimators
def average_precision_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute average precision (AP), the mean precision at the scores of the positives.

    ``AP = sum_i r_i/R p_i``, as in :func:`sklearn.metrics.average_precision_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.833...
    """
    return evaluate(
        rules.Step(ties),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def interpolated_average_precision_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    n_points: int | None = None,
    grid: str = "exact",
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute the area under the envelope of the precision-recall curve, or its mean at N recalls.

    ``sum_i r_i/R max_(j >= i) p_j``, or ``1/N sum_l max_(j: T_j/R >= l/(N-1)) p_j``

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    n_points : int, default=None
        The number N of recall levels: 11 in PASCAL VOC 2007, 101 in COCO. None averages over all
        positives, as PASCAL VOC has done since 2010.
    grid : {'exact', 'float'}, default='exact'
        'float' compares recalls with ``np.linspace(0, 1, n_points)``, as pycocotools does, which
        misses some levels. Use it to reproduce values from papers.
    ties : {'grouped', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, with the positives first or last, or
        in the order of the rows, as in pycocotools.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> interpolated_average_precision_score(y_true, y_score)
    0.833...
    >>> interpolated_average_precision_score(y_true, y_score, n_points=11)
    0.8409...
    """
    return evaluate(
        rules.Interpolated(n_points, grid, ties),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def eleven_point_average_precision_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    grid: str = "exact",
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute 11-point interpolated average precision, as in PASCAL VOC 2007.

    This is :func:`interpolated_average_precision_score` with ``n_points=11``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    grid : {'exact', 'float'}, default='exact'
        'float' compares recalls with ``np.linspace(0, 1, n_points)``, as pycocotools does, which
        misses some levels. Use it to reproduce values from papers.
    ties : {'grouped', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, with the positives first or last, or
        in the order of the rows, as in pycocotools.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> eleven_point_average_precision_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5])
    0.8409...
    """
    return evaluate(
        rules.Interpolated(11, grid, ties),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def average_precision_at_k_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float = 10,
    denominator: str = "min",
    ties: str = "grouped",
    k_counts: str | None = None,
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute AP@k, the sum of the precisions at the positives in the top k, divided by D.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        The divisor D: min(k, R), the number of positives R, k, or the number of positives in the
        top k.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    k_counts : {None, 'weight', 'samples'}, default=None
        What k counts if samples have weights: their weight, or the samples. None means the weight,
        and warns if that matters.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> average_precision_at_k_score([1, 1, 0, 0, 0, 1, 1], [7, 6, 5, 4, 3, 2, 1], k=3)
    0.666...
    """
    rule = rules.AveragePrecisionAtK(k, ties, k_counts, denominator)
    return evaluate(
        rule,
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def precision_at_k_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float = 10,
    ties: str = "grouped",
    k_counts: str | None = None,
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute the fraction of positives in the top k, where missing ranks count as negatives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    k_counts : {None, 'weight', 'samples'}, default=None
        What k counts if samples have weights: their weight, or the samples. None means the weight,
        and warns if that matters.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> precision_at_k_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], k=3)
    0.666...
    """
    return evaluate(
        rules.PrecisionAtK(k, ties, k_counts),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def recall_at_k_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float = 10,
    ties: str = "grouped",
    k_counts: str | None = None,
    denominator: str = "relevant",
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute the fraction of all positives that are in the top k.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    k_counts : {None, 'weight', 'samples'}, default=None
        What k counts if samples have weights: their weight, or the samples. None means the weight,
        and warns if that matters.
    denominator : {'relevant', 'min'}, default='relevant'
        What hits are divided by: all positives R, or min(k, R), which is BEIR's R_cap@k.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> recall_at_k_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], k=3)
    0.666...
    """
    rule = rules.RecallAtK(k, ties, k_counts, denominator)
    return evaluate(
        rule,
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def enrichment_factor_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float = 0.01,
    ties: str = "grouped",
    k_counts: str | None = None,
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute precision in the top k, divided by the fraction of positives (the lift).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=0.01
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    k_counts : {None, 'weight', 'samples'}, default=None
        What k counts if samples have weights: their weight, or the samples. None means the weight,
        and warns if that matters.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> enrichment_factor_score([1, 1, 0, 0, 0, 0], [6, 5, 4, 3, 2, 1], k=0.5)
    2.0
    """
    return evaluate(
        rules.EnrichmentFactor(k, ties, k_counts),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def r_precision_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute precision in the top R, where R is the number of positives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> r_precision_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5])
    0.666...
    """
    return evaluate(
        rules.RPrecision(ties),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def reciprocal_rank_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float | None = None,
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute 1/rank of the first positive, 0 if it isn't in the top k; with groups, MRR.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up. None counts
        all.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> reciprocal_rank_score([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    0.5
    >>> reciprocal_rank_score([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6], groups=[1, 1, 2, 2])
    0.75
    """
    return evaluate(
        rules.ReciprocalRank(k, ties),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def hit_rate_at_k_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float = 10,
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute whether a positive is in the top k (1 or 0); over groups, the mean.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> hit_rate_at_k_score(
    ...     [0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6], k=2, groups=[1, 1, 2, 2], zero_division=0
    ... )
    0.5
    """
    return evaluate(
        rules.HitRateAtK(k, ties),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def precision_at_recall_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    min_recall: float,
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute the best precision at any threshold with at least this recall.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    min_recall : float
        The lowest recall, in [0, 1].
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> precision_at_recall_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], min_recall=0.5)
    0.75
    """
    return evaluate(
        rules.PrecisionAtRecall(min_recall),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def recall_at_precision_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    min_precision: float,
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute the best recall at any threshold with at least this precision, or 0 if none has it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    min_precision : float
        The lowest precision, in [0, 1].
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged. None returns each value.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> recall_at_precision_score([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], min_precision=0.7)
    1.0
    """
    return evaluate(
        rules.RecallAtPrecision(min_precision),
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def mean_average_precision_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float | None = None,
    n_points: int | None = None,
    grid: str = "exact",
    denominator: str = "min",
    ties: str = "grouped",
    k_counts: str | None = None,
    average: str | None = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    """Compute mean average precision (MAP), the mean of average precision over ``groups=``.

    With `k`, it averages :func:`average_precision_at_k_score`; with `n_points`,
    :func:`interpolated_average_precision_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels, or grades with `min_grade`.
    y_score : array-like of shape (n_samples,)
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up. None counts
        all.
    n_points : int, default=None
        The number N of recall levels: 11 in PASCAL VOC 2007, 101 in COCO. None averages over all
        positives, as PASCAL VOC has done since 2010.
    grid : {'exact', 'float'}, default='exact'
        'float' compares recalls with ``np.linspace(0, 1, n_points)``, as pycocotools does, which
        misses some levels. Use it to reproduce values from papers.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        The divisor D: min(k, R), the number of positives R, k, or the number of positives in the
        top k.
    ties : {'grouped', 'expected', 'best', 'worst', 'input'}, default='grouped'
        How samples with equal scores are ranked: as one point, as the mean over all orders, with
        the positives first or last, or in the order of the rows.
    k_counts : {None, 'weight', 'samples'}, default=None
        What k counts if samples have weights: their weight, or the samples. None means the weight,
        and warns if that matters.
    average : {'macro', 'weighted'} or None, default='macro'
        How values of groups are averaged; None keeps them apart.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> y_true, y_score = [0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6]
    >>> mean_average_precision_score(y_true, y_score, groups=["q1", "q1", "q2", "q2"])
    0.75
    """
    check(ties=ties, grid=grid, denominator=denominator)
    options = {"k": k, "n_points": n_points, "k_counts": k_counts}
    usual = {"grid": "exact", "denominator": "min", "ties": "grouped"}
    for name, value in {"grid": grid, "denominator": denominator, "ties": ties}.items():
        if value != usual[name]:
            options[name] = value
    passed = {name: value for name, value in options.items() if value is not None}
    rule = _make_rule("MAP", find_metric("MAP"), passed)
    _check_groups(groups)
    return evaluate(
        rule,
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@refuse_estimators
def ndcg_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float | None = None,
    gains: str = "linear",
    average: str | None = "macro",
    sample_weight: Column = None,
    zero_division: float | str = "warn",
    n_positives: Any = None,
    groups: Column = None,
    data: Any = None,
) -> Score:
    """Compute the normalized discounted cumulative gain (nDCG) of grades.

    Tied documents share their mean gain, as in :func:`sklearn.metrics.ndcg_score`. Documents of
    grade 0, or without a grade (nan), gain nothing.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_queries, n_documents)
        Grades.
    y_score : array-like of shape (n_samples,) or (n_queries, n_documents)
        Prediction scores, higher for better documents.
    k : int or float, default=None
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up. None counts
        all.
    gains : {'linear', 'exponential'} or mapping, default='linear'
        The gain of a document: its grade, 2**grade - 1, or what a mapping says.
    average : {'macro', 'weighted'} or None, default='macro'
        How values of groups are averaged; None keeps them apart. In a matrix, each row is a query,
        and only 'macro' is available.
    sample_weight : array-like of shape (n_queries,), default=None
        How much each row of a matrix counts. Documents can't have weights.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without gains. nan leaves it out of the mean; 'warn' is 0 with a
        warning.
    n_positives : mapping from groups, default=None
        How many documents were judged, found or not: of each grade, as a mapping, or of grade 1.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    Examples
    --------
    >>> ndcg_score([3, 0, 2], [0.9, 0.8, 0.7])
    0.939...
    """
    return evaluate(
        rules.NDCG(k, gains),
        y_true,
        y_score,
        average=average,
        sample_weight=sample_weight,
        zero_division=zero_division,
        n_positives=n_positives,
        groups=groups,
        data=data,
    )


def _check_groups(groups: Any) -> None:
    if groups is None:
        raise ValueError("A mean over groups needs groups=, as of the queries of the samples.")


@dataclass(frozen=True)
class Metric:
    """A metric with its options, made by :func:`metric`.

    Call it like the function of the metric.
    """

    rule: rules.Rule
    is_mean: bool = False
    data: dict[str, Any] = field(default_factory=dict, hash=False)  # options about the data

    @property
    def name(self) -> str:
        return write_name(self.rule, self.is_mean)

    def __repr__(self) -> str:
        return write_call("metric", *self.describe())

    def describe(self) -> tuple[str, dict[str, Any]]:
        """Return what `metric` makes this of: a name or a function, as text, and keywords."""
        if isinstance(self.rule, rules.UserFunction):
            return repr(self.rule.function), {"name": self.rule.name} | self.data
        name, keywords = write_numbered_name(self.rule)
        return repr(f"mean_{name}" if self.is_mean else name), keywords | self.data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Metric):
            return NotImplemented
        # The name says whether it is a mean, and tells k=1 from k=1.0, one sample from all of them.
        same = self.rule == other.rule and self.name == other.name
        return same and self.data == other.data

    @property
    def is_graded(self) -> bool:
        """Whether it reads grades instead of classes."""
        return isinstance(self.rule, rules.RowRule) or "min_grade" in self.data

    def split_label(self, passed: Any) -> tuple[Metric, Any]:
        """Return the metric without its label, and which label chooses the scores."""
        data = dict(self.data)
        pos_label = data.pop("pos_label", None)
        return replace(self, data=data), pos_label if passed is None else passed

    def choose_data(self, passed: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a call says about the data, and where it has the defaults, what this says."""
        chosen = dict(passed)
        for parameter, value in self.data.items():
            default = DATA_PARAMETERS[parameter]
            given = passed.get(parameter, default)
            if given is default or (isinstance(given, str | Real) and given == default):
                chosen[parameter] = value
        return chosen

    @refuse_estimators
    def __call__(
        self,
        y_true: Column = None,
        y_score: Scores = None,
        *,
        average: str | None = "macro",
        pos_label: float | bool | str = 1,
        sample_weight: Column = None,
        zero_division: float | str = "warn",
        classes: ArrayLike | None = None,
        n_positives: Any = None,
        groups: Column = None,
        min_grade: float | None = None,
        data: Any = None,
    ) -> Score:
        """Compute the value.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
            Binary labels, multilabel indicators, multiclass labels or grades.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Prediction scores, higher for the positive class.
        average, pos_label, sample_weight, zero_division, classes, n_positives, groups, min_grade, \
                data
            As in the functions of metrics, such as :func:`average_precision_score`. Where they
            have their defaults, the options of the metric hold.

        Returns
        -------
        score : float or ndarray of shape (n_rankings,)
            The value, or with ``average=None`` the value of each class or group.
        """
        chosen = self.choose_data(
            {
                "average": average,
                "pos_label": pos_label,
                "sample_weight": sample_weight,
                "zero_division": zero_division,
                "classes": classes,
                "n_positives": n_positives,
                "groups": groups,
                "min_grade": min_grade,
                "data": data,
            }
        )
        if self.is_mean:
            _check_groups(chosen["groups"])
        return evaluate(self.rule, y_true, y_score, **chosen)


def write_call(function: str, first: str, keywords: Mapping[str, Any]) -> str:
    """Write a call, so that Python reads it."""
    texts = [first] if first else []
    for name, value in keywords.items():
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and np.isnan(value):
            texts.append(f"{name}=float('nan')")
        else:
            texts.append(f"{name}={value!r}")
    return f"{function}({', '.join(texts)})"


def write_title(made: Metric, is_mean: bool) -> str:
    """Write the name of a metric as a title, which for means over groups says so."""
    name = write_name(made.rule).replace("_", " ")
    if isinstance(made.rule, rules.UserFunction):
        return name
    name = _TITLES.get(made.rule, name)
    if is_mean or made.is_mean:
        name = f"mean {name}"
    return capitalize(name)


def capitalize(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}".replace("Ndcg", "nDCG").replace("ndcg", "nDCG")


def metric(
    definition: str | Metric | Callable[..., float],
    *,
    name: str | None = None,
    greater_is_better: bool = True,
    limits: tuple[float, float] = _UNLIMITED,
    **options: Any,
) -> Metric:
    """Combine a metric and its options in one named object that you can call like a function.

    Parameters
    ----------
    definition : str, Metric or callable
        A name such as "precision_at_1%" or "AP@20", or a function ``function(y_true, y_score)``,
        whose values are averaged over ``groups=`` if there are any. It gets the labels as numbers.
    name : str, default=None
        The name of the function.
    greater_is_better : bool, default=True
        Whether higher values of the function are better.
    limits : tuple of two floats, default=(-inf, inf)
        The lowest and highest values of the function.
    **options
        Parameters of the metric, such as `k` or `min_grade`.

    Returns
    -------
    metric : Metric
        Metrics with the same definition and options are equal. ``metric(name)`` has the same
        definition, without options of the data such as `min_grade`.

    Examples
    --------
    >>> precision = metric("precision_at_k", k=2)
    >>> precision([1, 0, 1], [0.9, 0.8, 0.7])
    0.5
    >>> precision.name
    'precision_at_2'
    >>> metric("11-point") == metric("interpolated_average_precision", n_points=11)
    True
    """
    data = {option: options.pop(option) for option in DATA_PARAMETERS if option in options}
    for option in ("average", "pos_label", "zero_division", "min_grade"):
        if option in data:
            check(**{option: data[option]})
    if "classes" in data:  # so that metrics can be compared
        data["classes"] = np.asarray(data["classes"]).tolist()
    describes_function = name is not None or not greater_is_better or limits != _UNLIMITED
    if isinstance(definition, str | Metric) and describes_function:
        raise TypeError("name, greater_is_better and limits are those of a function.")
    if isinstance(definition, Metric):
        rule = definition.rule
        if options:
            chosen = rule.options | _check_options(rule, options)
            rule = type(rule)(**chosen)
        return Metric(rule, definition.is_mean, definition.data | data)
    if isinstance(definition, str):
        meaning = find_metric(definition)
        if twice := {*options} & {*meaning.options}:
            raise TypeError(f"The name {definition!r} already says {twice.pop()}.")
        return Metric(_make_rule(definition, meaning, options), meaning.is_mean, data)
    if not callable(definition):
        raise TypeError(f"A metric is a name or a function. Got {definition!r}.")
    if str(getattr(definition, "__module__", "")).startswith("sklearn_ap."):
        raise TypeError(f"Pass a metric of this package by name. Got {definition!r}.")
    called = name or str(getattr(definition, "__name__", "<lambda>"))
    if called == "<lambda>":
        raise ValueError("Pass the name of the function, as in metric(function, name='ERR').")
    check(limits=limits)
    function = rules.UserFunction(definition, called, greater_is_better, (limits[0], limits[1]))
    _check_options(function, options)
    return Metric(function, data=data)


def _make_rule(name: str, meaning: Meaning, options: dict[str, Any]) -> rules.Rule:
    """Make the rule that a name means, with options that the name doesn't say."""
    kind = meaning.rule
    if meaning.is_mean and kind is rules.Step:  # MAP is also called so with k or n_points
        if options.get("k") is not None:
            kind = rules.AveragePrecisionAtK
        elif options.get("n_points") is not None:
            kind = rules.Interpolated
        options = {option: value for option, value in options.items() if value is not None}
    chosen = meaning.options | _check_options(kind, options)
    if kind.number and kind.get_default_number() is MISSING and kind.number not in chosen:
        raise UnknownMetricError(
            f"{name!r} doesn't say {kind.number}: write it in the name, or pass {kind.number}=."
        )
    return kind(**chosen)


def _check_options(rule: rules.Rule | type[rules.Rule], options: dict[str, Any]) -> dict[str, Any]:
    """Refuse options that a rule doesn't have."""
    known = [] if isinstance(rule, rules.UserFunction) else rule.list_options()
    if unknown := {*options} - {*known}:
        called = rule.names[0].replace("#", "k") if rule.names else "A function"
        wrong, has = unknown.pop(), [*known, *DATA_PARAMETERS]
        raise InvalidParameterError(
            f"{called} has no option {wrong!r}.{suggest(wrong, has)} It has {has}."
        )
    return options
