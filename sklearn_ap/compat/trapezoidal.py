"""The area that scikit-learn called average precision before 0.19."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .._enter.entry import public
from .._words.inputs import Average, Label, NPositives, Score, Unread, ZeroDivision
from ..core.rules import Linear
from ..metrics import value_of


@public()
def trapezoidal_average_precision_score(
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
    prevalence: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute the area under the linearly interpolated precision-recall curve.

    .. math:: \sum_i \frac{r_i}{R}\, \frac{p_i^- + p_i}{2}

    This area is too optimistic. Use it to reproduce a value that somebody computed this way, not to
    judge a model. It is what `auc(recall, precision)` returns, and what scikit-learn called average
    precision before 0.19.

    The sum is over the distinct prediction scores, highest first. Of all :math:`R` positives,
    :math:`r_i` have score i. The precision of the samples with this score or a higher one is
    :math:`p_i`. The precision of the samples with a higher score is :math:`p_i^-`, or 1 if there
    are none.

    No threshold reaches the points on the straight line between two points of the curve [1]_. The
    precision on this line is too high, and the more samples are tied, the worse it gets. That's why
    a model that does nothing gets a high value: with a constant score, the line goes from precision
    1 down to the prevalence, the fraction of positives, and the area is more than one half, even if
    positives are very rare. With :func:`sklearn_ap.average_precision_score`, the value of such a
    model is the prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How the values of several classes, rows or groups are averaged. 'macro' is the mean over
        classes or groups, and 'weighted' weights this mean by the number of positives. 'samples' is
        the mean over rows, each of which is a query. 'micro' ranks all cells of the matrix
        together. None keeps the values apart: one for each class, or for each group in sorted
        order. With `groups`, only 'macro', 'weighted' and None are available.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives. 'warn' returns 0.0 with a warning, and nan leaves
        this value out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores. By default, a column
        of a table is the class that it is named after, and values are in sorted order. Otherwise,
        the classes are the sorted labels in `y_true`, so pass them if some may be missing there.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking. Several columns
        need one count each, and rows with average='samples', too. Columns that have names can also
        be named by a mapping or pandas Series, and must be if the classes in the table aren't
        sorted. With `groups`, pass a mapping or pandas Series from groups to counts. A group that
        is only in the mapping has no rows, so its value is 0. By default, all positives are in
        `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. Several
        columns name groups by the tuples that occur, as in pandas: pass a 2-D array, DataFrame or
        tuple of arrays. With `data`, pass a list of names. `y_true` must be binary.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
        such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must then
        be one column of numbers, and you can't pass `pos_label`. Nor can you pass `classes`.
    prevalence : float, default=None
        The proportion of positives in the population that you want a value for, if it isn't that of
        the samples, for example because negatives were subsampled. Negatives are weighted so that
        all existing positives make up this proportion of the total weight, over all groups
        together. The target must be binary.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. It can be a
        DataFrame or LazyFrame of pandas, polars, narwhals, Dask or Spark, a DuckDB relation, an
        Ibis or PyArrow table, a PyArrow dataset, a path to Parquet files, or one of Hugging Face's
        `datasets`. If one of :mod:`sklearn_ap.readers` has read it, it knows its columns, and you
        don't name them. Data that is not in memory is read in chunks, and only the columns that you
        name. Its target must be binary. `y_score` can be a list of names, one per class.

    Returns
    -------
    score : float or array of shape (n_classes,)
        The area, between 0 and 1.

    See Also
    --------
    sklearn_ap.average_precision_score : Compute the metric that you should report.

    References
    ----------
    .. [1] J. Davis and M. Goadrich, "The relationship between precision-recall and ROC curves",
       International Conference on Machine Learning, 2006, section 4.

    Examples
    --------
    Ten of a hundred samples are positive. A model that ranks one of them and one negative above
    all others is better than a model that does nothing, but its area is smaller:

    >>> from sklearn_ap import average_precision_score
    >>> from sklearn_ap.compat import trapezoidal_average_precision_score
    >>> y_true = [1] * 10 + [0] * 90
    >>> constant = [0.1] * 100
    >>> one_found = [0.9] + [0.1] * 98 + [0.9]
    >>> trapezoidal_average_precision_score(y_true, constant)
    0.55
    >>> trapezoidal_average_precision_score(y_true, one_found)
    0.345
    >>> (
    ...     average_precision_score(y_true, constant),
    ...     average_precision_score(y_true, one_found),
    ... )
    (0.1, 0.14)
    """
    unread = Unread(  # written by docs/_write/parameters.py
        y_true, y_score, average=average, pos_label=pos_label, sample_weight=sample_weight,
        zero_division=zero_division, classes=classes, n_positives=n_positives, groups=groups,
        min_grade=min_grade, prevalence=prevalence, data=data,
        caller="trapezoidal_average_precision_score",
    )  # fmt: skip
    return value_of(Linear(), unread)
