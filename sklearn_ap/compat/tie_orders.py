"""How the order of tied samples changes the value of a rule."""

from dataclasses import replace
from enum import Enum

import numpy as np

from .._package import read_toml
from ..core.operating_points import OperatingPoints
from ..core.ragged import (
    Array,
    divide_safely,
    repeat_values,
    sum_rankings,
)
from ..core.rules import (
    AveragePrecisionAtK,
    HitRateAtK,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    RPrecision,
    Rule,
)
from .level_rules import PrecisionAtLevels
from .miscounted_rules import Miscounted, MiscountedRanks, RoundedDown
from .variant_rules import (
    BestF1,
    ChanceCorrected,
    Curved,
    DavisGoadrich,
    LinearAfterFirst,
    LinearFromFirst,
    LinearFromZero,
    LinesBetweenHighest,
    MeanOfAllPrecisions,
    RowNumbersAsRanks,
    SortedByRecall,
    StepOfFirst,
    StepsOfPrecision,
    SwappedAxes,
)

# Whose points without positives count, too
RULES_OF_EVERY_POINT = (MeanOfAllPrecisions, Miscounted, PrecisionAtLevels, StepsOfPrecision)

# Whose range over all orders isn't known
_RULES_IN_ONE_ORDER = (
    LinearAfterFirst,
    LinearFromFirst,
    LinearFromZero,
    Curved,
    DavisGoadrich,
    LinesBetweenHighest,
    MeanOfAllPrecisions,
    Miscounted,
    MiscountedRanks,
    BestF1,
    ChanceCorrected,
    PrecisionAtLevels,
    RoundedDown,
    RowNumbersAsRanks,
    SortedByRecall,
    StepsOfPrecision,
    SwappedAxes,
)


class Order(Enum):
    """How tied samples are ranked, in words that follow the name of the definition."""

    GROUPED = ""
    BY_ROW = "ties by row"  # in the order of the rows
    LAST_ROW_FIRST = "ties by row, last first"
    BY_ID = "ties by id"  # the last one first, by an id that is not known here
    BY_GIVEN_ID = "ties by your ids"  # the last one first
    OPEN = "ties in any order"
    EXPECTED = "ties expected"
    BEST = "ties best"
    WORST = "ties worst"
    UNKNOWN = "ties not looked at"

    @property
    def meaning(self) -> str:
        return str(read_toml("compat/peers.toml")["meanings"][self.name])

    @property
    def ending(self) -> str:
        """What it adds to the name of a definition."""
        return f", {self.value}" if self.value else ""


# Orders that the data don't determine, and the order of the rows that is assumed for them.
ASSUMED = {Order.BY_ID: Order.LAST_ROW_FIRST, Order.OPEN: Order.BY_ROW}

# Orders whose values are computed from single rows.
ROW_ORDERS = (*ASSUMED, Order.BY_ROW, Order.LAST_ROW_FIRST, Order.BY_GIVEN_ID)


def knows_orders(rule: Rule) -> bool:
    """Whether a rule has an option for the order of ties."""
    return "ties" in getattr(rule, "__dataclass_fields__", {})


def compute_extremes(
    rule: Rule, grouped: OperatingPoints, worst: OperatingPoints, best: OperatingPoints
) -> tuple[Array, Array]:
    """Return the lowest and the highest value of each ranking, over all orders of tied samples.

    The points have tied samples grouped, ranked with their positives last, and with them first.
    Most rules never fall when a positive and the negative above it are swapped, but a mean over the
    hits may, whose own "best" and "worst" know that.
    """
    if isinstance(rule, _RULES_IN_ONE_ORDER):
        raise NotImplementedError(f"The range of {rule} over all orders is not known.")
    if isinstance(rule, StepOfFirst):
        return _compute_extremes_of_hits(rule, grouped)
    if isinstance(rule, AveragePrecisionAtK) and rule.denominator == "hits":
        lowest, highest = replace(rule, ties="worst"), replace(rule, ties="best")
        return lowest.values(grouped), highest.values(grouped)
    return rule.values(worst), rule.values(best)


def list_values_of_counts(rule: Rule, points: OperatingPoints, near: float) -> Array | None:
    """Return the two values around another one that whole numbers of hits or ranks can give.

    `points` are those of a single ranking. None for several, and for rules that don't count.
    """
    if points.n_positives.size != 1:
        return None
    if isinstance(rule, ReciprocalRank):
        rank = np.floor(1 / near) if near > 0 else np.inf
        return 1 / np.maximum([rank, rank + 1], 1)
    if isinstance(rule, PrecisionAtK):
        divisor = rule.cut.compute_k(points.n_samples).item()
    elif isinstance(rule, RPrecision) or (
        isinstance(rule, RecallAtK) and rule.denominator == "relevant"
    ):
        divisor = points.n_positives.item()
    elif isinstance(rule, HitRateAtK):
        divisor = 1
    else:
        return None
    hits = np.floor(near * divisor)
    values: Array = np.array([hits, hits + 1]) / divisor
    return values


def _compute_extremes_of_hits(rule: StepOfFirst, points: OperatingPoints) -> tuple[Array, Array]:
    """Return the ends of a mean over the hits in the top k, which one more hit can lower.

    All ties but the one that k splits are entirely inside or outside the top k, and each of them
    counts as one point. If x of the positives that k splits are hits, precision at k counts once
    for each of them.
    """
    k = rule.cut.compute_k(points.n_samples)  # of each ranking
    k_of_points = repeat_values(k, points.offsets)
    is_inside = points.cum_total <= k_of_points
    is_split = (points.above < k_of_points) & ~is_inside  # at most one point of each ranking
    hits = sum_rankings(points.positives * is_inside, points.offsets)
    precisions = sum_rankings(is_inside * points.positives * points.precision, points.offsets)
    tied = sum_rankings(points.positives * is_split, points.offsets)
    room = sum_rankings((k_of_points - points.above) * is_split, points.offsets)
    negatives = (points.total - points.positives) * is_split
    fewest = np.maximum(room - sum_rankings(negatives, points.offsets), 0)
    # precisions/(hits + x) + x/k is convex in x, and lowest where (hits + x)^2 is k precisions.
    lowest = np.floor(np.sqrt(k * precisions)) - hits
    x = np.clip([fewest, tied, lowest, lowest + 1], fewest, np.minimum(tied, room))
    values = divide_safely(precisions + x * (hits + x) / k, hits + x, 0.0)
    values[:, points.n_positives == 0] = np.nan
    return values.min(axis=0), values.max(axis=0)
