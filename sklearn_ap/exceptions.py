"""The errors that this package raises and scikit-learn has no public class for.

All of them are ValueErrors, as are those about labels, prediction scores and other data.
"""

from ._words.errors import InvalidParameterError, NotReachableError

__all__ = ["InvalidParameterError", "NotReachableError"]
