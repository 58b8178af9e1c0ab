"""The area under the linearly interpolated curve, under its own name."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .._data import public
from .._inputs import Inputs
from .._typing import Average, Label, Score, ZeroDivision
from ..core.rules import Linear
from ..metrics import value_of


@public()
def trapezoidal_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
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
    1 down to the prevalence, the share of positives, and the area is more than one half, even if
    positives are very rare. With :func:`sklearn_ap.average_precision_score`, the value of such a
    model is the prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How the values of several classes are averaged; see
        :func:`sklearn_ap.average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class of a binary `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; see :func:`sklearn_ap.average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,)
        The area, between 0 and 1.

    See Also
    --------
    sklearn_average_precision_score : Compute the value of a given release of scikit-learn.
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
    >>> constant = [0] * 100
    >>> one_found = [1] + [0] * 98 + [1]
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
    inputs = Inputs(y_true, y_score, average, pos_label, sample_weight, zero_division)
    return value_of(Linear(), inputs)
