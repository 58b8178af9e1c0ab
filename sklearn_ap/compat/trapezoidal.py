"""The area under the linearly interpolated curve, under a name that nobody takes by accident."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .. import _validation as check
from .._typing import Label, Score
from ..core.rules import Linear
from ..metrics import _score


@check.validated
def trapezoidal_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = "warn",
) -> Score:
    r"""Area under the linearly interpolated precision-recall curve: too optimistic, for comparison.

    .. math:: \sum_i \frac{r_i}{R}\, \frac{p_i^- + p_i}{2}

    over the distinct scores, highest first: :math:`r_i` positives of :math:`R` have score i,
    :math:`p_i` is the precision down to this score, :math:`p_i^-` the one just above it, and 1
    above the highest. This is what `auc(recall, precision)` gives, and what scikit-learn called
    average precision before 0.19.

    Take it to understand a number that was made so, not to judge a model. No threshold gives the
    precisions on the straight line between two points of the curve [1]_, and those on it are too
    high, the more so the more samples are tied. It even pays to do nothing: a constant score stands
    on one line from precision 1 down to the prevalence, and gets more than one half however rare
    the positives are. :func:`sklearn_ap.average_precision_score` gives it the prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How several classes make one number; see :func:`sklearn_ap.average_precision_score`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class of a binary `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 do not exist.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`sklearn_ap.average_precision_score`.

    Returns
    -------
    score : float or array of shape (n_classes,)
        The area, between 0 and 1.

    See Also
    --------
    sklearn_average_precision_score : What a given release of scikit-learn returned.
    sklearn_ap.average_precision_score : The number to report.

    References
    ----------
    .. [1] J. Davis and M. Goadrich, "The relationship between precision-recall and ROC curves",
       International Conference on Machine Learning, 2006, section 4.

    Examples
    --------
    Ten positives in a hundred. Raising one of them, and one negative, above all the rest is better
    than nothing, but here it is worth less:

    >>> from sklearn_ap import average_precision_score
    >>> from sklearn_ap.compat import trapezoidal_average_precision_score
    >>> y_true = [1] * 10 + [0] * 90
    >>> constant = [0] * 100
    >>> one_found = [1] + [0] * 98 + [1]
    >>> trapezoidal_average_precision_score(y_true, constant)
    0.55
    >>> trapezoidal_average_precision_score(y_true, one_found)
    0.345
    >>> average_precision_score(y_true, constant), average_precision_score(y_true, one_found)
    (0.1, 0.14)
    """
    return _score(
        Linear(),
        y_true,
        y_score,
        zero_division,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
