"""Everything that is refused is refused here, in scikit-learn's words where it has them."""

from .parameters import (
    InvalidParameterError,
    check_denominator,
    check_group_average,
    check_options,
    validated,
)
from .rankings import check_curve, check_grouped_rankings, check_rankings
from .undefined import fill_undefined, warn, warn_no_positives

__all__ = [
    "InvalidParameterError",
    "check_curve",
    "check_denominator",
    "check_group_average",
    "check_grouped_rankings",
    "check_options",
    "check_rankings",
    "fill_undefined",
    "validated",
    "warn",
    "warn_no_positives",
]
