"""Everything that is refused is refused here, in scikit-learn's words where it has them."""

from .parameters import (
    InvalidParameterError,
    check_denominator,
    check_group_average,
    check_options,
    validated,
)
from .pictures import (
    check_binary_classifier,
    check_curves,
    check_cv_results,
    check_drawable,
    check_matplotlib,
    check_one_each,
    check_prevalence,
)
from .rankings import check_curve, check_grouped_rankings, check_rankings
from .undefined import fill_undefined, warn, warn_no_positives

__all__ = [
    "InvalidParameterError",
    "check_binary_classifier",
    "check_curve",
    "check_curves",
    "check_cv_results",
    "check_denominator",
    "check_drawable",
    "check_group_average",
    "check_grouped_rankings",
    "check_matplotlib",
    "check_one_each",
    "check_options",
    "check_prevalence",
    "check_rankings",
    "fill_undefined",
    "validated",
    "warn",
    "warn_no_positives",
]
