"""All definitions. `rule` says what one is, and the other modules have the families of them."""

from .areas import Interpolated, Linear, Step
from .first_positive import HitRateAtK, ReciprocalRank
from .functions import UserFunction
from .grades import NDCG, add_discounted, sum_discounts
from .rule import Part, PointRule, RowRule, Rule, compute_k, read_decimal, write_number
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

# MAP is the mean of step AP, or with a number of a definition that has this option.
DEFINITIONS_OF_MAP: tuple[type[Rule], ...] = (Step, AveragePrecisionAtK, Interpolated)
