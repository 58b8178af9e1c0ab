"""Metrics that compare labels with prediction scores.

Each metric is a rule with options. `evaluate_metric` does what all of them share: it reads and
checks the data, and evaluates the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from inspect import signature
from math import inf
from numbers import Real
from typing import Any

from numpy.typing import ArrayLike

from ._arrays.host import has, to_namespace, unwrap_native
from ._enter.entry import public, read_rows
from ._enter.metric import (
    Metric,
    accept_estimators,
    check_about_data,
    make_named_rule,
    read_name,
    unpack_metric,
)
from ._evaluate.metric_values import average_values, compute_score
from ._inputs.metric_names import (
    find_meaning,
    make_interpolated_rule,
    make_ndcg_rule,
    mean_average_precision,
    reciprocal_rank,
    write_rule,
)
from ._inputs.records import (
    DATA_OPTIONS,
    Average,
    Denominator,
    Grid,
    GroupAverage,
    Inputs,
    KCounts,
    Label,
    NPositives,
    Score,
    Ties,
    ZeroDivision,
)
from ._package import load
from ._read.on_device import DeviceRankings
from ._read.validation import check_for_function, read_rankings, warn_of_predicted
from ._words.messages import warn_of_heavy_negatives, warn_of_no_rows, warn_of_one_hit
from ._words.parameters import check_allowed, check_rule, format_value
from ._words.refusals import TextErrors
from .core import rules
from .core.cutoff import DEFAULT_COUNTS
from .core.rankings import BY_NAME
from .core.rules import GroupFunction, Rule
from .exceptions import InvalidParameterError


def evaluate_metric(rule: Rule, unread: Inputs) -> Score:
    """Read the data, and evaluate a rule for it."""
    data = unwrap_native(unread.data)
    if has(type(data), "mapInArrow"):  # a DataFrame of Spark
        value: Score | None = load("_on_spark").value_on_spark(rule, unread._replace(data=data))
        if value is not None:
            return value
    with read_rows(unread) as inputs:
        value = _evaluate_rows(rule, inputs)
    return value


def _evaluate_rows(rule: Rule, inputs: Inputs) -> Score:
    rule = check_rule(rule)
    on_device = DeviceRankings.read(inputs, rule)
    if on_device is not None:
        values = on_device.values(rule)
        value = average_values(rule, *values, on_device.averaging, inputs.zero_division)
        return value if isinstance(value, float) else to_namespace(inputs.y_score, value)
    by_name = inputs.average is BY_NAME
    rankings = read_rankings(inputs._replace(average=None) if by_name else inputs, rule)
    warn_of_predicted(rankings, inputs)
    if rule.looks_for_first and inputs.column_names and rankings.average == "binary":
        warn_of_one_hit(write_rule(rule), rankings.n_rows, rankings.labels.sum())
    if by_name:
        if rankings.average is not None:
            raise ValueError(
                "by_name returns one value for each group or class, but there are neither groups "
                "nor several classes. Pass groups=, or call the metric itself for a single value."
            )
        names = rankings.names
        if names is None:  # of the columns of labels
            columns = getattr(inputs.y_true, "columns", inputs.column_names.get("y_true"))
            names = columns if columns is None else list(columns)
        rankings = replace(rankings, average=BY_NAME, names=names)
    if not len(rankings.labels):
        warn_of_no_rows()
    value = compute_score(rule, rankings, inputs.zero_division)
    if rankings.weight is not None:
        # Only weights need what intervals need, too, which takes longer to import than a metric.
        from .core.influence import find_deciding_weight

        warn_of_heavy_negatives(find_deciding_weight(rule, rankings, value))
    return value if isinstance(value, float | dict) else to_namespace(inputs.y_score, value)


@accept_estimators
@public()
def average_precision_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    ties: Ties = "grouped",
    data: Any = None,
) -> Score:
    r"""Compute average precision (AP) from prediction scores.

    ``AP = sum_i r_i/R p_i``

    This is the mean, over all positives, of the precision at each positive's prediction score [1]_.
    Of the R positives, r_i have the i-th highest distinct score, and p_i is the fraction of
    positives among the samples with at least this score.
    :func:`sklearn.metrics.average_precision_score` returns the same value.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. With sample weights, only 'grouped' is available.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Average precision, between 0 and 1; an array with average=None.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    interpolated_average_precision_score : Use the best precision at or beyond each recall.
    average_precision_at_k_score : Evaluate only the top k samples.
    mean_average_precision_score

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", University of Waterloo,
       working paper 2004-09.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.833333
    >>> average_precision_score(
    ...     [0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5], ties="expected"
    ... )
    0.680556
    """
    unread = Inputs.of_call(locals(), "average_precision_score")
    return evaluate_metric(rules.Step(ties), unread)


@accept_estimators
@public()
def interpolated_average_precision_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    n_points: int | None = None,
    grid: Grid = "exact",
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute interpolated average precision from prediction scores.

    ``sum_i r_i/R max_(j >= i) p_j``

    ``1/N sum_(l=0)^(N-1) max_(j: T_j / R >= l / (N-1)) p_j``

    The first formula is the area under the envelope of the precision-recall curve, as in PASCAL VOC
    since 2010 [1]_ [2]_. The envelope is the best precision at each recall or a higher one. The
    second formula averages it at N evenly spaced recalls: 11 in PASCAL VOC 2007, and 101 in COCO.
    No recall level is missed because of rounding, unless you pass grid="float".

    Of the R positives, r_i have the i-th highest distinct prediction score, and T_i have at least
    this score, at which precision is p_i.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    n_points : int, default=None
        The number N of recalls at which the envelope is averaged, at least 2. If None, compute the
        area under the envelope.
    grid : {'exact', 'float'}, default='exact'
        How recall is compared with the N levels. 'float' compares floats with
        ``np.linspace(0, 1, n_points)``, as pycocotools does, so some levels are missed: a recall of
        7/10 is below 0.7000000000000001. Use it for values as papers print them. It requires
        `n_points`, and sample weights must be equal.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. Use 0 for the
        "difficult" objects of VOC.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. A
        recall that is never reached has a precision of 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Interpolated average precision, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    eleven_point_average_precision_score
    interpolated_precision_recall_curve

    References
    ----------
    .. [1] M. Everingham et al., "The PASCAL Visual Object Classes (VOC) challenge", International
       Journal of Computer Vision 88, 2010, section 4.2.
    .. [2] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import interpolated_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> interpolated_average_precision_score(y_true, y_score)
    0.833333
    >>> interpolated_average_precision_score(y_true, y_score, n_points=101)
    0.834158
    """
    unread = Inputs.of_call(locals(), "interpolated_average_precision_score")
    return evaluate_metric(make_interpolated_rule(n_points, grid), unread)


@accept_estimators
@public()
def eleven_point_average_precision_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    grid: Grid = "exact",
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute 11-point interpolated average precision, as in PASCAL VOC 2007.

    ``1/11 sum_(l=0)^(10) max_(j: T_j / R >= l / 10) p_j``

    This is the mean of the best precisions at recalls of at least 0, 0.1, ..., 1 [1]_. Of the R
    positives, T_j have at least the j-th highest distinct prediction score, at which precision is
    p_j. Recalls are compared exactly, unless you pass grid="float".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    grid : {'exact', 'float'}, default='exact'
        How recall is compared with the 11 levels. 'float' is as py-faster-rcnn, Detectron and VOC's
        devkit in Octave compute it; in MATLAB itself it isn't tested. Use it for values as papers
        print them, which differ by at most 1/11. Sample weights must then be equal; see
        :func:`interpolated_average_precision_score`.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. Use 0 for the
        "difficult" objects of VOC.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. A
        recall that is never reached has a precision of 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        11-point average precision, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    interpolated_average_precision_score : Use any number of points, or the whole envelope.

    References
    ----------
    .. [1] M. Everingham et al., "The PASCAL Visual Object Classes (VOC) challenge", International
       Journal of Computer Vision 88, 2010, section 4.2.

    Examples
    --------
    >>> from sklearn_ap import eleven_point_average_precision_score
    >>> eleven_point_average_precision_score(
    ...     [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    ... )
    0.6
    """
    unread = Inputs.of_call(locals(), "eleven_point_average_precision_score")
    return evaluate_metric(make_interpolated_rule(11, grid), unread)


@accept_estimators
@public()
def average_precision_at_k_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float = 10,
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = DEFAULT_COUNTS,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute average precision at k (AP@k), for which only the top k samples count.

    ``AP@k = 1/D sum_i h_i (T_(i-1) + h_i)/(N_(i-1) + m_i)``

    The sum runs over the distinct prediction scores, from the highest down. At the i-th score, m_i
    samples are in the top k, of which h_i are positive. Above this score, there are N_(i-1)
    samples, of which T_(i-1) are positive. If the cutoff splits tied samples, their positives count
    in proportion, so the order of the rows doesn't matter. Without ties, and with
    ``denominator='relevant'``, this is the average precision of [1]_ for the best k documents.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many of the top-ranked samples count. An int can exceed the number of
        samples. A float in (0, 1] is a fraction of each ranking, rounded up to whole samples, so
        0.01 is the top 1%. With sample weights, k counts weight unless you set `k_counts`.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        The denominator D. 'min' is min(k, R), as in LightGBM and Spark. 'relevant' is R, the number
        of positives, as in trec_eval. 'k' is k. 'hits' is the number of positives in the top k, as
        in torchmetrics.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. 'expected' is computed in closed form [2]_. With
        denominator='hits', 'best' and 'worst' are the orders with the highest and lowest values,
        which may not rank the positives first or last.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves. Set it if
        the weights differ; otherwise, you get a warning.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate. 'samples' is
        MAP@k if each row is a query.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. This
        count is R.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Average precision at k, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    average_precision_score : Evaluate all samples.
    mean_average_precision_score

    References
    ----------
    .. [1] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.
    .. [2] F. McSherry and M. Najork, "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR 2008.

    Examples
    --------
    >>> from sklearn_ap import average_precision_at_k_score
    >>> y_true, y_score = (
    ...     [1, 1, 0, 0, 0, 1, 1],
    ...     [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3],
    ... )
    >>> average_precision_at_k_score(y_true, y_score, k=3)
    0.666667
    >>> average_precision_at_k_score(
    ...     y_true, y_score, k=3, denominator="relevant"
    ... )
    0.5
    """
    unread = Inputs.of_call(locals(), "average_precision_at_k_score")
    return evaluate_metric(
        rules.AveragePrecisionAtK(k=k, ties=ties, k_counts=k_counts, denominator=denominator),
        unread,
    )


@accept_estimators
@public()
def precision_at_k_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = DEFAULT_COUNTS,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute precision at k, the fraction of the top k samples that are positive.

    ``1/k sum_i h_i``

    The top k contains h_i positives with the i-th highest distinct prediction score. If the cutoff
    splits tied samples, their positives count in proportion. If there are fewer than k samples, the
    missing ranks count as negatives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many of the top-ranked samples count.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. Here, 'expected' equals 'grouped'.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. It
        only affects weighted means, and can add groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Precision at k, between 0 and 1.

    See Also
    --------
    recall_at_k_score
    average_precision_at_k_score : Take the order within the top k into account.

    References
    ----------
    .. [1] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import precision_at_k_score
    >>> precision_at_k_score([1, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5], k=4)
    0.5
    """
    unread = Inputs.of_call(locals(), "precision_at_k_score")
    return evaluate_metric(rules.PrecisionAtK(k=k, ties=ties, k_counts=k_counts), unread)


@accept_estimators
@public()
def recall_at_k_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = DEFAULT_COUNTS,
    denominator: Denominator = "relevant",
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute recall at k, the fraction of all positives that are in the top k samples.

    ``1/R sum_i h_i``

    Of the R positives, h_i are in the top k and have the i-th highest distinct prediction score. If
    the cutoff splits tied samples, their positives count in proportion.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many of the top-ranked samples count.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. Here, 'expected' equals 'grouped'.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    denominator : {'relevant', 'min'}, default='relevant'
        What the number of positives in the top k is divided by; see
        :func:`average_precision_at_k_score`. 'min' is R_cap@k of BEIR, which can reach 1 even if k
        is less than R.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. This
        count is R.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Recall at k, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    precision_at_k_score

    References
    ----------
    .. [1] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import recall_at_k_score
    >>> y_true, y_score = [1, 1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> recall_at_k_score(y_true, y_score, k=4)
    0.5

    What fraction of the stolen amount do the first two alerts cover?

    >>> amount = [500, 100, 20, 10, 150, 250]
    >>> recall_at_k_score(
    ...     y_true, y_score, k=2, sample_weight=amount, k_counts="samples"
    ... )
    0.6
    """
    unread = Inputs.of_call(locals(), "recall_at_k_score")
    rule = rules.RecallAtK(k=k, ties=ties, k_counts=k_counts, denominator=denominator)
    return evaluate_metric(rule, unread)


@accept_estimators
@public()
def enrichment_factor_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float = 0.01,
    ties: Ties = "grouped",
    k_counts: KCounts = DEFAULT_COUNTS,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute the enrichment factor at k (EF), also known as lift.

    ``n/(k R) sum_i h_i``

    This is precision at k divided by the fraction of positives: how many times as many positives
    the top k contains as k random samples. Of the n samples, R are positive. The top k contains h_i
    positives with the i-th highest distinct prediction score. If the cutoff splits tied samples,
    their positives count in proportion. A perfect ranking has a factor of n / max(k, R), so compare
    factors only between data sets with similar fractions of positives [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    k : int or float, default=0.01
        The cutoff, either a number of samples or a fraction of them, rounded up to whole samples;
        see :func:`average_precision_at_k_score`.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. Here, 'expected' equals 'grouped'.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean. Random rankings have a
        mean enrichment factor of 1.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. This
        count is R, while n is still the number of samples.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Enrichment factor at k, which is at least 0.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    precision_at_k_score
    recall_at_k_score

    References
    ----------
    .. [1] J.-F. Truchon and C. I. Bayly, "Evaluating virtual screening methods: good and bad
       metrics for the early recognition problem", Journal of Chemical Information and Modeling 47,
       2007.

    Examples
    --------
    Two of ten compounds are active, and both are in the top four, which are 40% of all compounds:

    >>> from sklearn_ap import enrichment_factor_score
    >>> y_true = [1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.1]
    >>> enrichment_factor_score(y_true, y_score, k=4)
    2.5
    """
    unread = Inputs.of_call(locals(), "enrichment_factor_score")
    return evaluate_metric(rules.EnrichmentFactor(k=k, ties=ties, k_counts=k_counts), unread)


@accept_estimators
@public()
def r_precision_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    ties: Ties = "grouped",
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute R-precision, the precision in the top R samples, where R is the number of positives.

    ``1/R sum_i h_i, k = R``

    The top R contains h_i positives with the i-th highest distinct prediction score. If the cutoff
    splits tied samples, their positives count in proportion. At this cutoff, precision equals
    recall [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. Here, 'expected' equals 'grouped'.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. This
        count is R.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        R-precision, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    precision_at_k_score : Use the same cutoff for all rankings.

    References
    ----------
    .. [1] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    Two of the three positives are in the top 3:

    >>> from sklearn_ap import r_precision_score
    >>> r_precision_score([1, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5])
    0.666667
    """
    unread = Inputs.of_call(locals(), "r_precision_score")
    return evaluate_metric(rules.RPrecision(ties), unread)


@accept_estimators
@public()
def reciprocal_rank_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float | None = None,
    ties: Ties = "grouped",
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute the reciprocal rank of the first positive, optionally at k.

    ``1/(N_(f-1) + (n_f + 1)/(r_f + 1))``

    Of the n_f samples with the highest score of any positive, r_f are positive, and N_(f-1) samples
    have higher scores. The denominator is the mean rank of the first positive over all orders of
    tied samples. With `groups`, you get the mean reciprocal rank (MRR) [1]_.

    With k, the value is 0 unless the first positive is in the top k, as in MRR@10. If the cutoff
    splits tied samples, the value is the probability of a positive in the top k, divided by the
    mean rank of the first one there.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        The cutoff; see :func:`average_precision_at_k_score`. None means the whole ranking.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. 'expected' averages the reciprocal rank over all orders of the tied
        samples.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. This metric
        looks for the first positive, so you can only weight rows, with average='samples'.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. If
        positives exist but none was retrieved, the value is 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Reciprocal rank, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    hit_rate_at_k_score

    References
    ----------
    .. [1] N. Craswell, "Mean Reciprocal Rank", Encyclopedia of Database Systems, Springer, 2009.

    Examples
    --------
    >>> from sklearn_ap import reciprocal_rank_score
    >>> y_true, y_score = [0, 1, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.9, 0.8, 0.7]
    >>> reciprocal_rank_score(y_true[:3], y_score[:3])
    0.5

    The mean reciprocal rank of two queries:

    >>> reciprocal_rank_score(
    ...     y_true, y_score, groups=["a", "a", "a", "b", "b", "b"]
    ... )
    0.416667
    """
    unread = Inputs.of_call(locals(), "reciprocal_rank_score")
    return evaluate_metric(reciprocal_rank(k, ties), unread)


@accept_estimators
@public()
def hit_rate_at_k_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute hit rate at k, which is 1 if the top k samples contain a positive, and 0 otherwise.

    ``1 - C(n_f - m_f, r_f)/C(n_f, r_f)``

    With `groups`, you get the fraction of groups with a positive in their top k, also called
    success at k [1]_. If the cutoff splits tied samples, the value is the probability of a positive
    in the top k: of the n_f samples with the highest score of any positive, r_f are positive and
    m_f are in the top k.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    k : int or float, default=10
        The cutoff: how many of the top-ranked samples count.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last. Here, 'expected' equals 'grouped'.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. This metric
        looks for the first positive, so you can only weight rows, with average='samples'.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. If
        positives exist but none was retrieved, the value is 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Hit rate at k, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    reciprocal_rank_score
    recall_at_k_score

    References
    ----------
    .. [1] M. Deshpande and G. Karypis, "Item-based top-N recommendation algorithms", ACM
       Transactions on Information Systems 22, 2004.

    Examples
    --------
    >>> from sklearn_ap import hit_rate_at_k_score
    >>> y_true, y_score = [0, 1, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.9, 0.8, 0.7]
    >>> hit_rate_at_k_score(y_true[:3], y_score[:3], k=2)
    1.0
    >>> hit_rate_at_k_score(
    ...     y_true, y_score, k=2, groups=["a", "a", "a", "b", "b", "b"]
    ... )
    0.5
    """
    unread = Inputs.of_call(locals(), "hit_rate_at_k_score")
    return evaluate_metric(rules.HitRateAtK(k=k, ties=ties), unread)


@accept_estimators
@public()
def precision_at_recall_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    min_recall: float,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute the best precision among thresholds whose recall is at least `min_recall`.

    ``max_(j: T_j >= rho R) p_j``

    Of the R positives, T_j have at least the j-th highest distinct prediction score, at which
    precision is p_j, and rho is `min_recall` [1]_. Recalls are compared exactly: finding 9 of 10
    positives is a recall of 0.9. If no threshold reaches this recall, the value is 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    min_recall : float
        The minimum recall rho, between 0 and 1.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Precision, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    recall_at_precision_score
    interpolated_precision_recall_curve

    References
    ----------
    .. [1] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import precision_at_recall_score
    >>> precision_at_recall_score(
    ...     [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], min_recall=0.9
    ... )
    0.75
    """
    unread = Inputs.of_call(locals(), "precision_at_recall_score")
    return evaluate_metric(rules.PrecisionAtRecall(min_recall), unread)


@accept_estimators
@public()
def recall_at_precision_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    min_precision: float,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute the best recall among thresholds whose precision is at least `min_precision`.

    ``max_(j: p_j >= pi) T_j/R``

    Of the R positives, T_j have at least the j-th highest distinct prediction score, at which
    precision is p_j, and pi is `min_precision` [1]_. Precisions are compared exactly: 9 positives
    in 10 samples is a precision of 0.9. If no threshold reaches this precision, the value is 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    min_precision : float
        The minimum precision pi, between 0 and 1.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Recall, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    precision_at_recall_score

    References
    ----------
    .. [1] E. Eban et al., "Scalable learning of non-decomposable objectives", AISTATS 2017.

    Examples
    --------
    >>> from sklearn_ap import recall_at_precision_score
    >>> recall_at_precision_score(
    ...     [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], min_precision=0.9
    ... )
    0.666667
    """
    unread = Inputs.of_call(locals(), "recall_at_precision_score")
    return evaluate_metric(rules.RecallAtPrecision(min_precision), unread)


@accept_estimators
@public()
def mean_average_precision_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float | None = None,
    n_points: int | None = None,
    grid: Grid = "exact",
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = DEFAULT_COUNTS,
    average: GroupAverage | None = "macro",
    pos_label: Label = 1,  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute mean average precision (MAP), the mean of average precision over groups.

    ``MAP = 1/Q sum_(q=1)^(Q) AP_q``

    A group is, for example, a query of a search engine [1]_ or a user of a recommender system. The
    samples of each of the Q groups are ranked separately.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        Binary labels; see :func:`average_precision_score`.
    y_score : array-like of shape (n_samples,), default=None
        Prediction scores, higher for the positive class; see :func:`average_precision_score`.
    k : int or float, default=None
        The cutoff in each group; see :func:`average_precision_at_k_score`. None means all samples.
    n_points : int, default=None
        The number of recall levels, as in :func:`interpolated_average_precision_score`: 11 for
        PASCAL VOC 2007, and 101 for COCO at one overlap. None means step average precision.
    grid : {'exact', 'float'}, default='exact'
        How recall is compared with the levels, if you pass `n_points`; 'float' returns the values
        of pycocotools. See :func:`interpolated_average_precision_score`.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        The denominator of average precision at k, if you pass `k`; see
        :func:`average_precision_at_k_score`.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal prediction scores are ranked: 'grouped' makes them one point of the
        curve, 'expected' averages over all their orders, 'best' ranks the positives first, and
        'worst' ranks them last.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    average : {'macro', 'weighted'} or None, default='macro'
        How the values of the groups are averaged; see :func:`average_precision_score`. None returns
        one value per group, in sorted order.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`. This metric requires groups,
        unless `data` knows them.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_groups,)
        Mean average precision, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    average_precision_score : With `average='samples'`, compute MAP over the rows of a matrix.

    References
    ----------
    .. [1] C. D. Manning et al., "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import mean_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> mean_average_precision_score(
    ...     y_true, y_score, groups=["a", "a", "a", "b", "b"]
    ... )
    0.666667
    """
    unread = Inputs.of_call(locals(), "mean_average_precision_score")
    rule = mean_average_precision(k, denominator, ties, k_counts, n_points, grid)
    return evaluate_metric(rule, unread)


@accept_estimators
@public()
def ndcg_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float | None = None,
    gains: str | Mapping[float, float] = "linear",
    ignore_ties: bool = False,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    data: Any = None,
) -> Score:
    r"""Compute the normalized discounted cumulative gain (nDCG) from prediction scores.

    ``(sum_(j=1)^(k) g_j / log2 (j + 1))/(sum_(j=1)^(k) b_j / log2 (j + 1))``

    The document at rank j gains its grade g_j. In the best ranking of all judged documents, the
    gain at this rank is b_j. Documents without a judgment (nan) or with grade 0 gain nothing. Tied
    documents share their mean gain, as in :func:`sklearn.metrics.ndcg_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), default=None
        The grades of the documents, at least 0, or nan for documents that nobody judged. Each row
        of a matrix is a ranking.
    y_score : array-like of shape (n_documents,) or (n_queries, n_documents), default=None
        Prediction scores, higher for more relevant documents.
    k : int or float, default=None
        The cutoff: a number of documents, or a fraction of each ranking. None means the whole
        ranking.
    gains : {'linear', 'exponential'} or mapping, default='linear'
        The gain of a document: its grade, 2**grade - 1, or its gain in a mapping from grades to
        gains. Grade 0, and grades that are not in the mapping, gain nothing.
    ignore_ties : bool, default=False
        Only False is allowed, which is the default of scikit-learn's function.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. Only the rows of
        a matrix, which are rankings, can have weights.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. For
        labels 0 and 1, counts are enough. Higher grades need counts by grade, as in {'q1': {0: 12,
        1: 3, 2: 1}}, which count the judged documents, found or not.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    score : float or array of shape (n_groups,)
        nDCG, between 0 and 1.

    See Also
    --------
    mean_average_precision_score : Evaluate labels instead of grades.

    Examples
    --------
    >>> from sklearn_ap import ndcg_score
    >>> grades, scores = [3, 0, 2, 1], [0.9, 0.8, 0.7, 0.6]
    >>> ndcg_score(grades, scores)
    0.930
    >>> ndcg_score(
    ...     grades,
    ...     scores,
    ...     groups=["a", "a", "b", "b"],
    ...     n_positives={"a": {3: 2}, "b": {2: 1, 1: 1}},
    ...     average=None,
    ... )
    array([0.613, 1.   ])
    """
    unread = Inputs.of_call(locals(), "ndcg_score")
    if ignore_ties:
        raise ValueError(
            "ignore_ties=True would rank tied documents in the order of their rows. To rank them "
            "in an order that you choose, give them different prediction scores."
        )
    return evaluate_metric(make_ndcg_rule(k, gains), unread)


@public()
def _function_of_groups_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    rule: GroupFunction,
    average: GroupAverage | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    data: Any = None,
) -> Score:
    """Compute the mean over groups of a rule's function, for objects made by `metric`."""
    return evaluate_metric(rule, Inputs.of_call(locals(), "metric"))


@TextErrors()
def metric(
    definition: str | Metric | Callable[..., float],
    *,
    name: str | None = None,
    greater_is_better: bool = True,
    limits: tuple[float, float] | None = None,
    **options: Any,
) -> Metric:
    """Combine a metric and its options in one named object.

    Pass the object wherever you would name a metric, as in :func:`report` and
    :func:`make_ap_scorer`. You can also call it with labels and prediction scores, so it works in
    tools that take functions.

    A function is called once for each group, with its labels (or grades) and prediction scores as
    arrays in the order of the rows. The value is the mean over the groups, so such a metric needs
    `groups`. It accepts sample weights only if the function has a parameter `sample_weight`.

    Parameters
    ----------
    definition : str, Metric or callable
        The name of a metric, such as "precision_at_1%" or "AP@20", a metric to add options to, or a
        function ``function(y_true, y_score)`` that returns a number for one group. If this number
        isn't finite, `zero_division` replaces it, by default with the worst value within `limits`.
    name : str, default=None
        The name of the metric in tables, by default the name of the function.
    greater_is_better : bool, default=True
        Whether higher values of the function are better. If not, verdicts and scorers are reversed.
    limits : tuple of two floats, default=None
        The lowest and highest values that the function can return, such as (0, 1). Intervals are
        cut there. By default, values that aren't finite are refused.
    **options
        Parameters of the metric, such as `k`, `sample_weight` or `min_grade`. If you pass a table
        as `data` later, `sample_weight` and `groups` can be names of its columns.

    Returns
    -------
    metric : Metric
        An object with a `name`, and with the `definition` and `options` that you passed.

    See Also
    --------
    report
    compare

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> ap.metric("AP@20", ties="best").name
    'Average precision at 20 with best ties'
    >>> by_amount = ap.metric(
    ...     "recall_at_1%", sample_weight="amount", k_counts="samples"
    ... )
    >>> by_amount.name
    'Recall at 1% of rows, by amount'
    >>> ap.metric("R@2")([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6])
    0.333333

    The highest grade among the first two documents of each query:

    >>> best = ap.metric(
    ...     lambda grades, scores: grades[(-scores).argsort()[:2]].max(),
    ...     name="Best of two",
    ... )
    >>> best([3, 0, 1, 2, 0], [0.9, 0.8, 0.7, 0.6, 0.5], groups=[*"aaabb"])
    2.5
    """
    own = {"name": name, "greater_is_better": greater_is_better}
    check_allowed("metric", {"name"}, own)
    if isinstance(definition, str | Metric) or not callable(definition):
        if name is not None or limits is not None or not greater_is_better:
            raise TypeError(
                "name, limits and greater_is_better describe a function of groups, as in "
                f"metric(function, name='ERR@10'). Got {format_value(definition)} instead of a "
                "function. To call a metric by another name, pass a mapping from names to metrics "
                "to report."
            )
        if isinstance(definition, Metric):
            given = unpack_metric({"definition": definition, **options}, "definition")
            return make_metric(given.pop("definition"), given, "metric", "name")
        return make_metric(definition, options, "metric", "name")
    rule = _make_function_rule(definition, name, greater_is_better, limits)
    return make_metric(rule, options, "metric", "name")


def _make_function_rule(
    function: Callable[..., Any], name: Any, greater_is_better: Any, limits: Any
) -> GroupFunction:
    called = getattr(function, "__name__", None) if name is None else name
    if not isinstance(called, str) or not called.strip() or called == "<lambda>":
        raise InvalidParameterError(
            "The 'name' parameter of metric must be a str that tells what the function computes, "
            f"such as 'ERR@10'. Got {format_value(called)} instead."
        )
    if find_meaning(called) is not None:
        raise ValueError(
            f"name={called!r} is the name of a metric of this package, so a function needs another "
            f"one. For that metric, leave the function out: metric({called!r})."
        )
    ends = (-inf, inf) if limits is None else limits
    are_two = isinstance(ends, tuple | list) and len(ends) == 2
    if not are_two or not all(isinstance(end, Real) for end in ends) or not ends[0] < ends[1]:
        raise InvalidParameterError(
            "The 'limits' parameter of metric must be the lowest and the highest value of the "
            f"function, such as (0, 1). Got {format_value(limits)} instead."
        )
    takes: Collection[str] = ()
    with suppress(TypeError, ValueError):  # of some functions in C
        takes = signature(function).parameters
    low, high = map(float, ends)
    return GroupFunction(
        function,
        called,
        takes_weights="sample_weight" in takes,
        greater_is_better=bool(greater_is_better),
        limits=(low, high),
        takes_judged="judged" in takes,
    )


def make_metric(name: Any, options: dict[str, Any], caller: str, parameter: str) -> Metric:
    named = read_name(caller, name, parameter)
    own = {option: value for option, value in options.items() if option not in DATA_OPTIONS}
    rule = check_rule(make_named_rule(caller, name, named, own, DATA_OPTIONS))
    check_about_data(options)
    check_for_function(rule, options)
    # The area that no metric here is has its function in `compat`, which is above.
    of_module = globals() if named.metric else vars(load("compat"))
    function = of_module[f"{named.metric or 'trapezoidal_average_precision'}_score"]
    return Metric(name, options, rule, named, function)
