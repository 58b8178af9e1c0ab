"""Metrics that compare labels with prediction scores.

Each has options of its own, which make a rule, and the same parameters for the data, which
`_core.read` reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from ._core import (
    NOT_SAID,
    Column,
    Metric,
    Score,
    Scores,
    check_groups,
    check_metric_calls,
    evaluate,
    evaluate_by_name,
    rules,
)
from ._core import metric as make_metric


@check_metric_calls
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
    r"""Compute average precision (AP), the mean precision at the scores of the positives.

    Going down the ranking, it adds up the precision at each distinct score, weighted by the
    fraction of the positives that have this score, as in
    :func:`sklearn.metrics.average_precision_score`:

    .. math:: \text{AP} = \sum_i \frac{r_i}{R} \frac{T_i}{N_i}

    Of R positives, r_i have the i-th highest score. T_i of the N_i samples down to there are
    positive.

    Read more in :doc:`Metrics and formulas </definitions>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    interpolated_average_precision_score : The area under the envelope, or the mean at N recalls.
    confidence_interval : How far off the value may be.
    sklearn.metrics.average_precision_score : Step average precision in scikit-learn.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
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


@check_metric_calls
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
    r"""Compute the area under the envelope of the precision-recall curve, or its mean at N recalls.

    The envelope is the best precision at this recall or a higher one. With the letters of
    :func:`average_precision_score` and :math:`p_j = T_j / N_j`, the area is

    .. math:: \sum_i \frac{r_i}{R} \max_{j \ge i} p_j

    and the mean at N = `n_points` recalls, which go from 0 to 1 in equal steps, is

    .. math:: \frac{1}{N} \sum_{l=0}^{N-1} \max_{T_j / R \ge l / (N - 1)} p_j

    Read more in :doc:`Metrics and formulas </definitions>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    average_precision_score : The mean precision at the scores of the positives.
    eleven_point_average_precision_score : The mean at 11 recalls.
    interpolated_precision_recall_curve : The envelope itself.

    Examples
    --------
    >>> from sklearn_ap import interpolated_average_precision_score
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


@check_metric_calls
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

    Read more in :doc:`Metrics and formulas </definitions>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    interpolated_average_precision_score : The mean at any number of recalls.

    Examples
    --------
    >>> from sklearn_ap import eleven_point_average_precision_score
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


@check_metric_calls
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
    r"""Compute AP@k, the sum of the precisions at the positives in the top k, divided by k or by
    the number of positives.

    If no samples are tied, and :math:`y_i` is 1 for a positive at rank i and 0 otherwise, it is

    .. math:: \frac{1}{\min(k, R)} \sum_{i=1}^{k} y_i \frac{T_i}{i}

    where :math:`T_i` of the top i samples are positive, and R exist.

    Read more in :doc:`Top k and ties </top_k>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        What the sum is divided by: min(k, R), the number of positives R, k, or the number of
        positives in the top k.
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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    precision_at_k_score : The fraction of positives in the top k.
    mean_average_precision_score : The mean over groups, as MAP@k.

    Examples
    --------
    >>> from sklearn_ap import average_precision_at_k_score
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


@check_metric_calls
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

    Read more in :doc:`Top k and ties </top_k>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    recall_at_k_score : The fraction of all positives that are in the top k.
    average_precision_at_k_score : The order within the top k counts, too.

    Examples
    --------
    >>> from sklearn_ap import precision_at_k_score
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


@check_metric_calls
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

    Read more in :doc:`Top k and ties </top_k>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    precision_at_k_score : The fraction of positives in the top k.
    hit_curve : Recall at every k.

    Examples
    --------
    >>> from sklearn_ap import recall_at_k_score
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


@check_metric_calls
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

    Read more in :doc:`Top k and ties </top_k>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    precision_at_k_score : The same, not divided by the fraction of positives.

    Examples
    --------
    >>> from sklearn_ap import enrichment_factor_score
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


@check_metric_calls
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

    Read more in :doc:`Queries and users </groups>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    precision_at_k_score : Precision at any cutoff.

    Examples
    --------
    >>> from sklearn_ap import r_precision_score
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


@check_metric_calls
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

    Read more in :doc:`Queries and users </groups>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    hit_rate_at_k_score : Whether a positive is in the top k.

    Examples
    --------
    >>> from sklearn_ap import reciprocal_rank_score
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


@check_metric_calls
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

    Read more in :doc:`Top k and ties </top_k>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    reciprocal_rank_score : 1/rank of the first positive.
    recall_at_k_score : The fraction of all positives that are in the top k.

    Examples
    --------
    >>> from sklearn_ap import hit_rate_at_k_score
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


@check_metric_calls
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

    Read more in :doc:`Thresholds </thresholds>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    recall_at_precision_score : The best recall at a precision.
    operating_point : The threshold that has this recall.

    Examples
    --------
    >>> from sklearn_ap import precision_at_recall_score
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


@check_metric_calls
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

    Read more in :doc:`Thresholds </thresholds>`.

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
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    precision_at_recall_score : The best precision at a recall.
    operating_point : The threshold that has this precision.

    Examples
    --------
    >>> from sklearn_ap import recall_at_precision_score
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


@check_metric_calls
def mean_average_precision_score(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float | None = None,
    n_points: int | None = None,
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
    :func:`interpolated_average_precision_score`. For other options, such as `ties` or
    `denominator`, call these with ``groups=``, which return the same mean.

    Read more in :doc:`Queries and users </groups>`.

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
    average : {'macro', 'weighted'} or None, default='macro'
        How values of groups are averaged; None keeps them apart.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
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

    See Also
    --------
    average_precision_score : The mean precision at the scores of the positives.
    values_by_group : The value of each group.
    readers.read_trec : Read judgments and runs of search engines.

    Examples
    --------
    >>> from sklearn_ap import mean_average_precision_score
    >>> y_true, y_score = [0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6]
    >>> mean_average_precision_score(y_true, y_score, groups=["q1", "q1", "q2", "q2"])
    0.75
    """
    check_groups(groups)
    return evaluate(
        make_metric("MAP", k=k, n_points=n_points)._rule,
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


@check_metric_calls
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
    r"""Compute the normalized discounted cumulative gain (nDCG) of grades.

    With the gain :math:`g_i` at rank i, it divides

    .. math:: \sum_i \frac{g_i}{\log_2(i + 1)}

    by the same sum for the best ranking.

    Tied documents share their mean gain, as in :func:`sklearn.metrics.ndcg_score`. Documents of
    grade 0, or without a grade (nan), gain nothing.

    Read more in :doc:`Queries and users </groups>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_queries, n_documents)
        Grades.
    y_score : array-like of shape (n_samples,) or (n_queries, n_documents)
        Prediction scores, higher for better documents.
    k : int or float, default=None
        The cutoff: how many samples count. A float in (0, 1] is a fraction, rounded up. None counts
        all.
    gains : {'linear', 'exponential'}, default='linear'
        The gain of a document: its grade, or 2**grade - 1.
    average : {'macro', 'weighted', 'samples'} or None, default='macro'
        How values of groups are averaged. None returns each value. In a matrix, each row is a
        query: 'macro' and 'samples' are the mean over rows, and others aren't available.
    sample_weight : array-like of shape (n_queries,), default=None
        How much each row of a matrix counts. Documents can't have weights.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without gains. nan leaves it out of the mean; 'warn' is 0 with a
        warning.
    n_positives : mapping from groups, default=None
        How many documents were judged, scored or not: of each grade, as a mapping, or of grade 1.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    score : float or ndarray of shape (n_rankings,)
        The value, or with ``average=None`` the value of each class or group.

    See Also
    --------
    mean_average_precision_score : For labels without grades.
    sklearn.metrics.ndcg_score : nDCG in scikit-learn, for a matrix of grades.

    Examples
    --------
    >>> from sklearn_ap import ndcg_score
    >>> ndcg_score([3, 0, 2], [0.9, 0.8, 0.7])
    0.938...
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


def values_by_group(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    metric: str | Metric = "average_precision",
    pos_label: float | bool | str = NOT_SAID,
    sample_weight: Column = NOT_SAID,
    zero_division: float | str = NOT_SAID,
    n_positives: Any = NOT_SAID,
    groups: Column = NOT_SAID,
    min_grade: float | None = NOT_SAID,
    data: Any = None,
    **options: Any,
) -> dict[Any, Any]:
    """Compute the value of a metric in each group, by the name of the group.

    These are the values of ``average=None``, with names.

    Read more in :doc:`Queries and users </groups>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels or grades.
    y_score : array-like of shape (n_samples,)
        Prediction scores, higher for the positive class.
    metric : str or Metric, default="average_precision"
        The name of a metric, such as ``"P@10"``, or an object made by :func:`metric`, whose options
        are the defaults of those below.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. 'warn' means 0 and a warning.
    n_positives : mapping from groups, default=None
        How many positives exist in each group, scored or not. Groups without samples are listed,
        too.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, or mapping from names to tables, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns. Of several tables, such as those of search engines, each has its own
        values.
    **options
        Options of the metric, such as `k`.

    Returns
    -------
    values : dict
        The value of each group, sorted by group. With several tables, such a dict for each.

    See Also
    --------
    mean_average_precision_score : The mean over groups.
    report : Values by segment, with intervals.

    Examples
    --------
    >>> from sklearn_ap import values_by_group
    >>> values_by_group([1, 0, 1, 0], [4, 3, 1, 2], groups=["cat", "cat", "dog", "dog"])
    {'cat': 1.0, 'dog': 0.5}
    """
    definition = make_metric(metric, **options)
    data_options = definition._choose_data_options(
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
    )
    if data_options["groups"] is None:
        raise ValueError("values_by_group needs groups=, such as the query of each sample.")

    def evaluate_table(table: Any) -> dict[Any, float]:
        return evaluate_by_name(definition._rule, y_true, y_score, **data_options | {"data": table})

    if isinstance(data, Mapping):
        return {name: evaluate_table(table) for name, table in data.items()}
    return evaluate_table(data)
