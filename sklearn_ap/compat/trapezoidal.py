"""The area that scikit-learn called average precision before 0.19."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .._enter.entry import public
from .._inputs.records import Average, Inputs, Label, NPositives, Score, ZeroDivision
from ..core.rules import Linear
from ..metrics import evaluate_metric


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
    data: Any = None,
) -> Score:
    r"""Compute the area under the linearly interpolated precision-recall curve.

    ``sum_i r_i/R (p_i^- + p_i)/2``

    This area is too optimistic. Use it to reproduce a value that somebody computed this way, not to
    judge a model. If there are positives, it is what `auc(recall, precision)` returns (without any,
    that is 0.5). scikit-learn called it average precision before 0.19, and in 0.15 to 0.17 it also
    tied scores that were almost equal.

    The sum is over the distinct prediction scores, highest first. Of all R positives, r_i have
    score i. The precision of the samples with this score or a higher one is p_i. The precision of
    the samples with a higher score is p_i^-, or 1 if there are none.

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
    score : float or array of shape (n_classes,)
        The area, between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, unless you pass `zero_division`.

    See Also
    --------
    sklearn_ap.average_precision_score : Compute the metric that you should report.

    References
    ----------
    .. [1] J. Davis and M. Goadrich, "The relationship between precision-recall and ROC curves",
       International Conference on Machine Learning, 2006, section 4.

    Examples
    --------
    Ten of a hundred samples are positive. A model that ranks one positive and one negative above
    all other samples is better than a model that does nothing, but its area is smaller:

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
    unread = Inputs.of_call(locals(), "trapezoidal_average_precision_score")
    return evaluate_metric(Linear(), unread)
