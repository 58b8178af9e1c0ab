"""Everything that is refused is refused here, in scikit-learn's words where it has them."""

from .chunks import (
    Seen,
    check_as_many_chunks,
    check_bounded,
    check_chunk,
    check_delayed,
    check_each_once,
    check_exact,
    check_few_enough,
    check_mergeable,
    check_same_data,
    check_seen,
)
from .parameters import (
    InvalidParameterError,
    check_allowed,
    check_definition,
    check_denominator,
    check_group_average,
    check_options,
    check_ties,
    validated,
    validated_options,
)
from .rankings import check_curve, check_grouped_rankings, check_rankings
from .samples import check_groups, name_groups
from .undefined import fill_bounds, fill_undefined, warn, warn_no_positives

__all__ = [
    "InvalidParameterError",
    "Seen",
    "check_allowed",
    "check_as_many_chunks",
    "check_bounded",
    "check_chunk",
    "check_curve",
    "check_definition",
    "check_delayed",
    "check_denominator",
    "check_each_once",
    "check_exact",
    "check_few_enough",
    "check_group_average",
    "check_grouped_rankings",
    "check_groups",
    "check_mergeable",
    "check_options",
    "check_rankings",
    "check_same_data",
    "check_seen",
    "check_ties",
    "fill_bounds",
    "fill_undefined",
    "name_groups",
    "validated",
    "validated_options",
    "warn",
    "warn_no_positives",
]
