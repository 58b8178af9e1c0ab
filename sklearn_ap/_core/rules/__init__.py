"""All definitions. `rule` says what one is, and the other modules have the families of them."""

from .areas import Interpolated, Linear, Step
from .first_positive import HitRateAtK, ReciprocalRank
from .functions import GroupFunction
from .grades import NDCG, add_discounted, sum_discounts
from .rule import PointRule, RowRule, Rule, as_fraction, compute_k
from .targets import PrecisionAtRecall, RecallAtPrecision, has_reached
from .top_k import (
    AveragePrecisionAtK,
    EnrichmentFactor,
    PrecisionAtK,
    RecallAtK,
    RPrecision,
    Top,
    choose_denominator,
)

__all__ = [
    "NDCG",
    "RULES",
    "AveragePrecisionAtK",
    "EnrichmentFactor",
    "GroupFunction",
    "HitRateAtK",
    "Interpolated",
    "Linear",
    "PointRule",
    "PrecisionAtK",
    "PrecisionAtRecall",
    "RPrecision",
    "RecallAtK",
    "RecallAtPrecision",
    "ReciprocalRank",
    "RowRule",
    "Rule",
    "Step",
    "Top",
    "add_discounted",
    "as_fraction",
    "choose_denominator",
    "compute_k",
    "has_reached",
    "sum_discounts",
]

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
