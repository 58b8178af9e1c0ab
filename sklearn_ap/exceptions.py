"""The errors that this package raises and scikit-learn has no public class for.

All of them are ValueErrors, as are those about values of labels, prediction scores and other data.
What has a wrong type, such as sparse labels, is a TypeError.
"""

from ._words.errors import InvalidParameterError, NotReachableError

__all__ = ["InvalidParameterError", "NotReachableError"]
