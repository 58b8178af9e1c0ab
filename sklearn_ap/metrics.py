"""The metrics: labels and prediction scores in, one value out, or one for each class or group."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from . import _engines as engines
from . import _passes as passes
from . import _validation as check
from ._arrays import in_namespace_of
from ._catalogue import mean_average_precision
from ._data import takes_data
from ._finish import score
from ._named import Metric, takes_metric
from ._typing import Label, NPositives, Score
from .core.bounds import Bounds
from .core.cutoff import DEFAULT_COUNTS
from .core.rules import (
    AtK,
    EnrichmentFactor,
    Envelope,
    NPoint,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    Rule,
    Step,
)


@takes_data
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    ties: str = "grouped",
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Average precision: the mean of the precision at the score of each positive.

    .. math:: \mathrm{AP} = \sum_i \frac{r_i}{R}\, \frac{T_i}{N_i}

    The sum is over the distinct scores, highest first. Of all :math:`R` positives, :math:`r_i` have
    score i. There are :math:`N_i` samples with this score or a higher one, and :math:`T_i` of them
    are positive. The sum is neither interpolated nor a trapezoid [1]_. It equals
    :func:`sklearn.metrics.average_precision_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class. They may be probabilities, decision values or any
        other scores.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number. 'macro' is their mean over classes or groups. 'weighted'
        is the mean weighted by the number of positives. 'samples' is the mean over rows, where each
        row is a query. 'micro' ranks all cells of the matrix together. None gives one value for
        each class, or one for each group in sorted order. With `groups` only 'macro', 'weighted'
        and None are possible.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. For multilabel and multiclass `y_true` leave it at 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal scores are ranked. 'grouped' counts them as one point of the curve.
        'expected' is the mean over all their orders. 'best' puts the positives first, 'worst' puts
        them last. With sample weights only 'grouped' is possible.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives. 'warn' gives 0.0 with a warning. nan leaves the
        class, row or group out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`. By default these are the
        sorted labels of `y_true`. Pass `classes` if a class may be missing from `y_true`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. For one ranking it is a number. For several columns,
        and for rows with average='samples', it is one number each. With `groups` it is a mapping or
        pandas Series from each group to its number. A group that is only in the mapping was never
        found: its value is 0. By default all positives are in `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query or a user, is ranked separately.
        Groups are numbers, strings or other hashable objects, in any order. `y_true` must be
        binary.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` holds grades and not labels. With 2
        the positives are `y_true >= 2`. `y_true` is then one column of numbers, such as relevances
        from 0 to 4, and `pos_label` and `classes` are left out.
    data : table, default=None
        Where the columns are. With `data`, the names of its columns are passed instead of arrays,
        and `y_score` may be a list of names, one per class. It can be a DataFrame or LazyFrame of
        pandas, polars, Dask or Spark, a DuckDB relation, an Ibis or PyArrow table, a PyArrow
        dataset, or a path to Parquet files. What is not in memory is read in chunks: the target is
        then binary, and nothing else of the table is read.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Average precision, between 0 and 1; an array with average=None.

    See Also
    --------
    interpolated_average_precision_score : The best precision at each recall or beyond.
    average_precision_at_k_score : Only the first k samples.
    mean_average_precision_score : The mean over groups of samples.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", working paper 2004-09, Department of
       Statistics and Actuarial Science, University of Waterloo, 2004.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.833333
    >>> average_precision_score(
    ...     [0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5], ties="expected"
    ... )
    0.680556
    >>> average_precision_score(
    ...     [0, 1, 1, 0],
    ...     [0.1, 0.4, 0.35, 0.8],
    ...     groups=["a", "a", "b", "b"],
    ...     n_positives={"a": 1, "b": 2, "c": 1},
    ...     average=None,
    ... )
    array([1.  , 0.25, 0.  ])
    """
    return _score(
        Step(ties),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_points: int | None = None,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Interpolated average precision: the best precision at each recall or any higher one.

    .. math::
        \sum_i \frac{r_i}{R} \max_{j \ge i} p_j
        \qquad \text{or} \qquad
        \frac{1}{N} \sum_{l=0}^{N-1} \max_{j:\, T_j (N-1) \ge l R} p_j

    The first formula is the area under the whole envelope of the precision-recall curve. PASCAL VOC
    uses it since 2010 [1]_ [2]_. The second formula reads the envelope at N evenly spaced recalls,
    from 0 to 1: at 11 in PASCAL VOC 2007, at 101 in COCO. Recalls are compared as whole numbers, so
    rounding loses no level.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    n_points : int, default=None
        N, the number of recalls at which the envelope is read, at least 2. None is the area under
        it.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out, as VOC's "difficult" objects are.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`. A recall that
        is never reached counts as 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Interpolated average precision, between 0 and 1; an array with average=None.

    See Also
    --------
    eleven_point_average_precision_score : The same with `n_points=11`.
    interpolated_precision_recall_curve : The envelope itself.

    References
    ----------
    .. [1] M. Everingham et al., "The PASCAL Visual Object Classes (VOC) challenge", International
       Journal of Computer Vision 88, 2010, section 4.2.
    .. [2] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information Retrieval",
       Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import interpolated_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> interpolated_average_precision_score(y_true, y_score)
    0.833333
    >>> interpolated_average_precision_score(y_true, y_score, n_points=101)
    0.834158
    """
    return _score(
        Envelope() if n_points is None else NPoint(n_points),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""11-point interpolated average precision, as in PASCAL VOC 2007.

    .. math:: \frac{1}{11} \sum_{l=0}^{10} \max_{j:\, 10\, T_j \ge l R} p_j

    It is the best precision at recall l/10 or any higher one, averaged over l = 0, ..., 10 [1]_.
    Recalls are compared as whole numbers, so a recall of exactly 3/10 reaches the level 3/10. In
    other implementations, which use a floating-point grid, it does not.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out, as VOC's "difficult" objects are.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`. A recall that
        is never reached counts as 0.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        11-point average precision, between 0 and 1; an array with average=None.

    See Also
    --------
    interpolated_average_precision_score : Any number of points, or the whole envelope.

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
    return _score(
        NPoint(11),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    denominator: str = "min",
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    k_counts: str = DEFAULT_COUNTS,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Average precision at k: only the first k samples count.

    .. math:: \mathrm{AP@}k = \frac{1}{D} \sum_{N_i \le k} r_i\, p_i

    The sum is over the distinct scores whose samples are all among the first k. If only k' of the n
    samples with one score are among the first k, they add a share: h = r k'/n positives, at the
    precision (T + h)/k, where T positives rank above them. So the number never depends on the order
    of the rows. Without ties it is the textbook AP@k [1]_. If k is n_samples or more, and D is
    min(k, R) or R, it is the average precision.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    k : int or float, default=10
        How many samples count, best first. An int may be larger than the number of samples. A float
        in (0, 1] is a share of each ranking: 0.01 is the top 1%, rounded up to whole samples. With
        sample weights, k counts weight; see `k_counts`.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        What D is. 'min' is min(k, R), as in LightGBM and Spark. 'relevant' is R, the number of
        positives, as in trec_eval. 'k' is k. 'hits' is the number of positives among the first k,
        as in torchmetrics.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal scores are ranked; see :func:`average_precision_score`. The mean over
        all orders has a closed form [2]_.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`. 'samples' is MAP@k
        where each row is a query.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`. This number is
        R.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Average precision at k, between 0 and 1; an array with average=None.

    See Also
    --------
    average_precision_score : All samples.
    mean_average_precision_score : The mean over groups of samples.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information Retrieval",
       Cambridge University Press, 2008, section 8.4.
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
    >>> average_precision_at_k_score(y_true, y_score, k=0.4)
    0.666667
    """
    return _score(
        AtK(k=k, ties=ties, k_counts=k_counts, denominator=denominator),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    k_counts: str = DEFAULT_COUNTS,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Precision at k: the positives among the first k samples, divided by k.

    .. math:: \frac{1}{k} \sum_{N_i \le k} r_i

    If there are fewer than k samples, the missing ranks count as negatives. If only some of the
    samples with one score are among the first k, they add that share of their positives. This share
    is the mean number of positives over all orders.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    k : int or float, default=10
        How many samples count, best first; see :func:`average_precision_at_k_score`.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal scores are ranked; see :func:`average_precision_score`. Here
        'expected' equals 'grouped'.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`. Precision at k
        itself is never 0/0. Only a mean weighted by positives can be.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`. It does not
        change a precision. It changes the weights of average='weighted', and it can add groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Precision at k, between 0 and 1; an array with average=None.

    See Also
    --------
    recall_at_k_score : The share of all positives that is found.
    average_precision_at_k_score : Looks at the order within the first k too.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information Retrieval",
       Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import precision_at_k_score
    >>> precision_at_k_score([1, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5], k=4)
    0.5
    """
    return _score(
        PrecisionAtK(k=k, ties=ties, k_counts=k_counts),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    k_counts: str = DEFAULT_COUNTS,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Recall at k: the share of all positives that is among the first k samples.

    .. math:: \frac{1}{R} \sum_{N_i \le k} r_i

    If only some of the samples with one score are among the first k, they add that share of their
    positives. This share is the mean number of positives over all orders.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    k : int or float, default=10
        How many samples count, best first; see :func:`average_precision_at_k_score`.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal scores are ranked; see :func:`average_precision_score`. Here
        'expected' equals 'grouped'.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`. This number is
        R.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Recall at k, between 0 and 1; an array with average=None.

    See Also
    --------
    precision_at_k_score : The share of the first k samples that is positive.
    enrichment_factor_score : The same, divided by the share of the samples that are tested.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information Retrieval",
       Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import recall_at_k_score
    >>> y_true, y_score = [1, 1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> recall_at_k_score(y_true, y_score, k=4)
    0.5

    Which share of the stolen amount is in the first two alerts?

    >>> amount = [500, 100, 20, 10, 150, 250]
    >>> recall_at_k_score(
    ...     y_true, y_score, k=2, sample_weight=amount, k_counts="samples"
    ... )
    0.6
    """
    return _score(
        RecallAtK(k=k, ties=ties, k_counts=k_counts),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def enrichment_factor_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 0.01,
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    k_counts: str = DEFAULT_COUNTS,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Enrichment factor at k: precision at k divided by the share of positives.

    .. math:: \frac{n}{k\, R} \sum_{N_i \le k} r_i

    It says how many times as many positives are among the first k samples as among k random ones,
    and is also called lift. Of n samples, R are positive. A random ranking has a factor of 1 on
    average, and a perfect one has :math:`n / \max(k, R)`. So compare factors only between data
    with similar shares of positives [1]_. If there are fewer than k samples, the missing ranks
    count as negatives. If only some of the samples with one score are among the first k, they add
    that share of their positives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    k : int or float, default=0.01
        How many samples count, best first: a number of samples, or a share of them, rounded up to
        whole samples; see :func:`average_precision_at_k_score`.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal scores are ranked; see :func:`average_precision_score`. Here
        'expected' equals 'grouped'.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`. A random
        ranking has an enrichment factor of about 1.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`. This number is
        R, and n stays the number of samples.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves. Either way
        precision and the share of positives are shares of the weight.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Enrichment factor at k, which is 0 or more; an array with average=None.

    See Also
    --------
    precision_at_k_score : The share of the first k samples that is positive.
    recall_at_k_score : The share of all positives that is found.

    References
    ----------
    .. [1] J.-F. Truchon and C. I. Bayly, "Evaluating virtual screening methods: good and bad
       metrics for the early recognition problem", Journal of Chemical Information and Modeling 47,
       2007.

    Examples
    --------
    Two of ten compounds are active. Both are among the first four, which are 40% of all:

    >>> from sklearn_ap import enrichment_factor_score
    >>> y_true = [1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.1]
    >>> enrichment_factor_score(y_true, y_score, k=4)
    2.5

    One of them is among the first 20%:

    >>> enrichment_factor_score(y_true, y_score, k=0.2)
    2.5
    """
    return _score(
        EnrichmentFactor(k=k, ties=ties, k_counts=k_counts),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Precision at a recall: the best precision of any threshold with at least this recall.

    .. math:: \max_{j:\, T_j \ge \rho R} p_j

    The maximum is over the distinct scores. There are :math:`N_j` samples with score j or a higher
    one, and :math:`T_j` of them are positive. The precision there is :math:`p_j = T_j / N_j`. R is
    the number of all positives [1]_. The comparison is exact: 9 of 10 is a recall of 0.9. If no
    threshold has this recall, the number is 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    min_recall : float
        The least recall, :math:`\rho`, between 0 and 1.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Precision, between 0 and 1; an array with average=None.

    See Also
    --------
    recall_at_precision_score : The best recall at a precision.
    interpolated_precision_recall_curve : The best precision at each recall.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information Retrieval",
       Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import precision_at_recall_score
    >>> precision_at_recall_score(
    ...     [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], min_recall=0.9
    ... )
    0.75
    """
    return _score(
        PrecisionAtRecall(min_recall),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_precision: float,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Recall at a precision: the best recall of any threshold with at least this precision.

    .. math:: \max_{j:\, p_j \ge \pi} \frac{T_j}{R}

    The maximum is over the distinct scores. There are :math:`N_j` samples with score j or a higher
    one, and :math:`T_j` of them are positive. The precision there is :math:`p_j = T_j / N_j`. R is
    the number of all positives [1]_. The comparison is exact: 9 of 10 is a precision of 0.9. If no
    threshold has this precision, the number is 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    min_precision : float
        The least precision, :math:`\pi`, between 0 and 1.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`average_precision_score`.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample; see :func:`average_precision_score`.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,) or (n_groups,)
        Recall, between 0 and 1; an array with average=None.

    See Also
    --------
    precision_at_recall_score : The best precision at a recall.

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
    return _score(
        RecallAtPrecision(min_precision),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_data
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: float | None = None,
    denominator: str = "min",
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    k_counts: str = DEFAULT_COUNTS,
    min_grade: float | None = None,
    data: Any = None,
) -> Score:
    r"""Mean average precision: the mean over groups of the average precision of each group.

    .. math:: \mathrm{MAP} = \frac{1}{Q} \sum_{q=1}^{Q} \mathrm{AP}_q

    A group is a query of a search engine [1]_, or a user of a recommender. The samples of each
    group are ranked separately.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels; see :func:`average_precision_score`.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class; see :func:`average_precision_score`.
    groups : array-like of shape (n_samples,)
        The group of each sample; see :func:`average_precision_score`. Here it is required.
    k : int or float, default=None
        How many samples of each group count, best first; see :func:`average_precision_at_k_score`.
        None means all samples.
    denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
        What the sum is divided by, if `k` is given; see :func:`average_precision_at_k_score`.
    ties : {'grouped', 'expected', 'best', 'worst'}, default='grouped'
        How samples with equal scores are ranked; see :func:`average_precision_score`.
    average : {'macro', 'weighted'} or None, default='macro'
        How several values make one number; see :func:`average_precision_score`. None gives one
        value for each group, in the sorted order of the groups.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`average_precision_score`.
    n_positives : mapping or pandas Series, default=None
        How many positives exist, found or not; see :func:`average_precision_score`.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_groups,)
        Mean average precision, between 0 and 1; an array with average=None.

    See Also
    --------
    average_precision_score : With `average='samples'`, MAP where each row is a query.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information Retrieval",
       Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_ap import mean_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> mean_average_precision_score(
    ...     y_true, y_score, groups=["a", "a", "a", "b", "b"]
    ... )
    0.666667
    """
    return _score(
        mean_average_precision(k, denominator, ties, k_counts),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )


@takes_metric("definition")
@takes_data
def average_precision_bounds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: str | Metric = "step",
    n_bins: int = 10_000,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
    n_positives: float | None = None,
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Bounds:
    """Two values between which the average precision is guaranteed to lie, for data of any size.

    The samples are counted at quantiles of the scores of the positives, and between them, so that
    memory depends on `n_bins` and not on the data. Only the order between two quantiles stays
    unknown. With R positives, the bounds of 'step' and 'envelope' differ by at most
    (2 + 3 ln R)/n_bins, whatever the scores are.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels; see :func:`average_precision_score`.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    definition : str, default='step'
        As in :meth:`sklearn_ap.streaming.AveragePrecisionAccumulator.result`, except 'linear'.
    n_bins : int, default=10_000
        How many quantiles: at most 1/n_bins of the positives lie between two neighbours.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives. 'warn' gives 0.0 with a warning.
    n_positives : int or float, default=None
        How many positives exist, found or not.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed; see :func:`average_precision_score`.
    **options
        Other keywords of the score, such as `k` and `min_recall`, but none about data or means.

    Returns
    -------
    bounds : named tuple
        `lower` and `upper`; `estimate`, the middle; and `exact`, whether they are equal.

    See Also
    --------
    average_precision_score : The value itself.
    sklearn_ap.streaming.AveragePrecisionAccumulator : Bounds in one pass.

    Examples
    --------
    >>> from sklearn_ap import average_precision_bounds
    >>> y_true = [i % 3 == 0 for i in range(1000)]
    >>> y_score = [i * 7 % 1000 for i in range(1000)]
    >>> lower, upper, estimate, exact = average_precision_bounds(
    ...     y_true, y_score, n_bins=20
    ... )
    >>> lower < 0.33756 < upper, exact
    (True, False)
    """
    rule = check.check_definition("average_precision_bounds", definition, options)
    engine = engines.of_arrays(y_true, y_score, sample_weight) if data is None else data
    positives = check.positive_class(pos_label, min_grade)
    given = {"pos_label": positives, "zero_division": zero_division, "n_positives": n_positives}
    bounds: Bounds = passes.bounds(engine, rule, n_bins, **given)
    return bounds


def _score(
    rule: Rule,
    y_true: ArrayLike,
    y_score: ArrayLike,
    zero_division: float | str,
    *,
    pos_label: Label,
    min_grade: float | None = None,
    data: Any = None,
    **given: Any,
) -> Score:
    check.check_rule(rule)
    given["pos_label"] = check.positive_class(pos_label, min_grade)
    if data is not None:
        options = check.check_chunked(given)
        return passes.score(data, rule, zero_division=zero_division, **options)
    rankings = check.check_rankings(y_true, y_score, ties=rule.ties, **given)
    value = score(rule, rankings, zero_division)
    return value if isinstance(value, float) else in_namespace_of(y_score, value)
