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
from .labels import check_classes
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
from .samples import check_groups, name_groups
from .undefined import fill_bounds, fill_undefined, warn, warn_no_positives

__all__ = [
    "InvalidParameterError",
    "Seen",
    "check_allowed",
    "check_as_many_chunks",
    "check_binary_classifier",
    "check_bounded",
    "check_chunk",
    "check_classes",
    "check_curve",
    "check_curves",
    "check_cv_results",
    "check_definition",
    "check_delayed",
    "check_denominator",
    "check_drawable",
    "check_each_once",
    "check_exact",
    "check_few_enough",
    "check_group_average",
    "check_grouped_rankings",
    "check_groups",
    "check_matplotlib",
    "check_mergeable",
    "check_one_each",
    "check_options",
    "check_prevalence",
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
