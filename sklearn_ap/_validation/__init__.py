"""Everything that is refused is refused here, in scikit-learn's words where it has them."""

from .chunks import Seen, check_bounded, check_chunk, check_exact, check_mergeable, check_seen
from .parameters import (
    InvalidParameterError,
    check_allowed,
    check_definition,
    check_denominator,
    check_group_average,
    check_options,
    check_ties,
    validated,
)
from .rankings import check_curve, check_grouped_rankings, check_rankings
from .undefined import fill_undefined, warn, warn_no_positives

__all__ = [
    "InvalidParameterError",
    "Seen",
    "check_allowed",
    "check_bounded",
    "check_chunk",
    "check_curve",
    "check_definition",
    "check_denominator",
    "check_exact",
    "check_group_average",
    "check_grouped_rankings",
    "check_mergeable",
    "check_options",
    "check_rankings",
    "check_seen",
    "check_ties",
    "fill_undefined",
    "validated",
    "warn",
    "warn_no_positives",
]
