"""All definitions. `rule` says what one is, and the other modules have the families of them."""

from .areas import Interpolated, Linear, Step
from .first_positive import HitRateAtK, ReciprocalRank
from .functions import UserFunction
from .grades import NDCG, add_discounted, sum_discounts
from .rule import Part, PointRule, RowRule, Rule, as_fraction, compute_k
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
