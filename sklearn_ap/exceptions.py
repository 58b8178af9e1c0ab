"""Errors of this package for which scikit-learn has no public class.

All of them are ValueErrors, like all other errors about the values of labels, prediction scores and
other data. Data of a wrong type, such as sparse labels, raises a TypeError.
"""

from __future__ import annotations

__all__ = ["InvalidParameterError", "NoPositivesError", "NotReachableError", "SingleUnitError"]


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value that isn't allowed.

    As scikit-learn's private class of this name, it is both a ValueError and a TypeError.

    See Also
    --------
    NotReachableError : The data can't give what is asked for.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> try:
    ...     ap.average_precision_score([1, 0], [0.9, 0.8], average="mean")
    ... except ap.exceptions.InvalidParameterError as error:
    ...     isinstance(error, ValueError), isinstance(error, TypeError)
    (True, True)
    """


class NoPositivesError(ValueError):
    """The data has neither a value nor an interval, because there are no positives.

    Metrics return `zero_division` instead.

    See Also
    --------
    sklearn_ap.confidence_interval : Measure how much a value varies.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> try:
    ...     ap.confidence_interval([0, 0, 0], [0.9, 0.8, 0.7])
    ... except ap.exceptions.NoPositivesError:
    ...     print("undefined")
    undefined
    """


class NotReachableError(ValueError):
    """No threshold meets a target or a budget, or can promise to do so for new data.

    Attributes
    ----------
    reachable : float, int or None
        What can be met beside everything else that was passed: the highest `min_recall` or
        `min_precision`, or the smallest `k`, whichever the message names. None if no single one of
        them is enough.

    See Also
    --------
    sklearn_ap.operating_point : Choose a threshold for a target.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true, y_score = [0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]
    >>> try:
    ...     point = ap.operating_point(y_true, y_score, min_precision=0.9)
    ... except ap.exceptions.NotReachableError as error:
    ...     point = ap.operating_point(
    ...         y_true, y_score, min_precision=error.reachable
    ...     )
    >>> point.precision
    0.5
    """

    def __init__(self, message: str, reachable: float | None = None) -> None:
        super().__init__(message)
        self.reachable = reachable


class SingleUnitError(ValueError):
    """The data has a value, but no interval, because there is a single sampling unit.

    Attributes
    ----------
    reason : str
        The message, without the name of the model.
    basis : str
        The sampling unit, such as "1 group".

    See Also
    --------
    sklearn_ap.report : Give the values of such data, without intervals.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> try:
    ...     ap.confidence_interval(
    ...         [0, 1, 0], [0.9, 0.8, 0.7], groups=["a"] * 3
    ...     )
    ... except ap.exceptions.SingleUnitError as error:
    ...     error.basis
    '1 group'
    """

    # What has a default can be unpickled, as by another process.
    def __init__(self, message: str, basis: str = "") -> None:
        super().__init__(message)
        self.reason = message  # which stays as it is if a model is appended to the error
        self.basis = basis
