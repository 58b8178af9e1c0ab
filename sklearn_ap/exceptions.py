"""Errors of this package for which scikit-learn has no public class.

All of them are ValueErrors, like all other errors about the values of labels, prediction scores and
other data. Data of a wrong type, such as sparse labels, raises a TypeError.
"""

from ._words.errors import InvalidParameterError, NoPositivesError, NotReachableError

__all__ = ["InvalidParameterError", "NoPositivesError", "NotReachableError"]
