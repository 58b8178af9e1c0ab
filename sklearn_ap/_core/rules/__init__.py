"""All definitions. `rule` says what one is, and the other modules have the families of them."""

from typing import Any

from ...exceptions import InvalidParameterError
from .areas import Interpolated, Linear, Step
from .first_positive import HitRateAtK, ReciprocalRank
from .functions import UserFunction
from .grades import NDCG, add_discounted, sum_discounts
from .rule import Part, PointRule, RowRule, Rule, compute_k, write_number
from .targets import PrecisionAtRecall, RecallAtPrecision, has_reached
from .ties import ROW_ORDERS
from .top_k import (
    DENOMINATORS,
    AveragePrecisionAtK,
    EnrichmentFactor,
    PrecisionAtK,
    RecallAtK,
    RPrecision,
    Top,
    choose_denominator,
)

RULES: tuple[type[Rule], ...] = (
    Step,
    Interpolated,
    Linear,
    AveragePrecisionAtK,
    PrecisionAtK,
    RecallAtK,
    EnrichmentFactor,
    RPrecision,
    ReciprocalRank,
    HitRateAtK,
    PrecisionAtRecall,
    RecallAtPrecision,
    NDCG,
)


def choose_definition_of_mean(
    rule: type[Rule], options: dict[str, Any]
) -> tuple[type[Rule], dict[str, Any]]:
    """Return the definition whose mean over groups is called so, and those options that are said.

    MAP is the mean of step AP, and with `k` or `n_points` that of the definition with this option.
    """
    if rule is not Step:
        return rule, options
    definition_of: dict[str, type[Rule]] = {"k": AveragePrecisionAtK, "n_points": Interpolated}
    not_given = {name for name in definition_of if options.get(name) is None}
    if not not_given:
        raise InvalidParameterError(f"Pass k or n_points. Got {options}.")
    options = {name: value for name, value in options.items() if name not in not_given}
    return next((definition_of[name] for name in options if name in definition_of), Step), options
