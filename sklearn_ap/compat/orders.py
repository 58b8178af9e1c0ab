"""How the order of tied samples changes a value, where a tool leaves it open."""

from dataclasses import replace
from enum import Enum
from typing import NamedTuple, Self

import numpy as np
from scipy.special import digamma

from ..core.cutoff import Cut
from ..core.operating_points import OperatingPoints
from ..core.rules import AtK, Envelope, Levels, Linear, PrecisionAtK, RecallAtK, Rule, Step
from ..core.segments import Array, spread, sums
from ..core.ties import break_ties
from .rules import MeanOfPrecisions, RocArea, StepOfFirst, WithArtificialPoint


class Order(Enum):
    """How tied samples are ranked; the value is appended to the name of the definition."""

    GROUPED = ""
    BY_ROW = ", ties by row"  # in the order of the rows
    LAST_ROW_FIRST = ", ties by row, last first"
    BY_ID = ", ties by id"  # the last one first, by an id that is not known here
    BY_GIVEN_ID = ", ties by your ids"  # the last one first
    OPEN = ", ties in any order"
    EXPECTED = ", ties expected"
    BEST = ", ties best"
    WORST = ", ties worst"

    @property
    def is_open(self) -> bool:
        """Whether the order can't be determined from the data."""
        return self in (Order.OPEN, Order.BY_ID)

    @property
    def is_of_rows(self) -> bool:
        """Whether its value is computed from single rows."""
        return self.is_open or self in (Order.BY_ROW, Order.LAST_ROW_FIRST, Order.BY_GIVEN_ID)

    @property
    def of_rows(self) -> "Order":
        """The order in which single rows are ranked, which is assumed if it is open."""
        assumed = {Order.BY_ID: Order.LAST_ROW_FIRST, Order.OPEN: Order.BY_ROW}
        return assumed.get(self, self)

    def applied(self, rule: Rule, points: OperatingPoints) -> tuple[Rule, OperatingPoints]:
        """Return the rule and points that give the value of an order that needs no single rows."""
        if self is Order.EXPECTED:
            assert isinstance(rule, Step | AtK | PrecisionAtK | RecallAtK)
            return replace(rule, ties="expected"), points
        return rule, break_ties(points, self.name.lower())


class Orders(NamedTuple):
    """The points with tied samples grouped, with their positives last, and with them first."""

    grouped: OperatingPoints
    worst: OperatingPoints
    best: OperatingPoints

    @classmethod
    def of(cls, points: OperatingPoints) -> Self:
        return cls(points, break_ties(points, "worst"), break_ties(points, "best"))


# Rules that never fall when a positive and the negative above it are swapped; AP@k divided by the
# hits may.
_RISING = (
    Step,
    Envelope,
    Levels,
    Linear,
    AtK,
    PrecisionAtK,
    RecallAtK,
    MeanOfPrecisions,
    RocArea,
    WithArtificialPoint,
)


def ends(rule: Rule, orders: Orders) -> tuple[Array, Array]:
    """Return the lowest and the highest value over all orders of the tied samples."""
    if isinstance(rule, StepOfFirst):
        return _by_number_of_hits(rule.depth, orders, one_by_one=False)
    if isinstance(rule, AtK) and rule.denominator == "hits":
        return _by_number_of_hits(rule.depth, orders, one_by_one=True)
    if isinstance(rule, _RISING):
        return rule.values(orders.worst), rule.values(orders.best)
    raise NotImplementedError(f"The range of {rule} over all orders is not known.")


def _by_number_of_hits(cut: Cut, orders: Orders, one_by_one: bool) -> tuple[Array, Array]:
    """Return the ends of a mean over the hits in the top k, which one more hit can lower.

    Every possible count of hits among the tied samples at the cut-off is tried, with these hits
    first and last. All other ties are entirely inside or outside the top k. Unless tied samples are
    ranked one by one, each tie counts as one point within the top k.
    """
    points = orders.grouped
    k = cut.of(points.n_samples)
    reach = spread(k, points.offsets)
    whole = points.cum_total <= reach
    at_cut = np.flatnonzero((points.above < reach) & ~whole)
    query = np.searchsorted(points.offsets, at_cut, side="right") - 1
    hits = sums(points.positives * whole, points.offsets)
    walked = (orders.worst, orders.best) if one_by_one else (points, points)
    found = []
    for each, better, end in zip(walked, (False, True), (np.minimum, np.maximum), strict=True):
        inside = np.repeat(whole, points.positives) if one_by_one else whole
        area = sums(inside * each.positives * each.precision, each.offsets)
        values = np.divide(area, hits, out=np.zeros(area.shape), where=hits > 0)
        values[points.n_positives == 0] = np.nan
        if at_cut.size:
            tie = points.take(at_cut)
            area, reach = area[query], k[query]
            values[query] = end.reduceat(*_at_cut(tie, reach, area, better, one_by_one))
        found.append(values)
    return found[0], found[1]


def _at_cut(
    tie: OperatingPoints, k: Array, area: Array, better: bool, one_by_one: bool
) -> tuple[Array, Array]:
    """Return the value for each count of hits at the cut-off, and where those of each tie start.

    `area` is the sum of the precisions above the tie. Each query has at most one such tie.
    """
    above, found = tie.above, tie.cum_positives - tie.positives
    r, room = tie.positives, k - above
    fewest = np.maximum(room - (tie.total - r), 0)
    n_tried = np.minimum(r, room) - fewest + 1
    starts = np.cumsum(n_tried) - n_tried
    k, above, found, area = (np.repeat(each, n_tried) for each in (k, above, found, area))
    hits = np.arange(n_tried.sum()) - np.repeat(starts - fewest, n_tried)
    if one_by_one:
        lead = above if better else k - hits
        reciprocals = digamma(lead + hits + 1.0) - digamma(lead + 1.0)
        gain = hits + (found - lead) * reciprocals  # the sum of (found + i) / (lead + i)
    else:
        gain = hits * (found + hits) / k
    total = found + hits
    return np.divide(area + gain, total, out=np.zeros(gain.shape), where=total > 0), starts
