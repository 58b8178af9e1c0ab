"""What the order of tied samples does to a number, where a tool leaves it open."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from scipy.special import digamma

from ..core.cutoff import Cut
from ..core.operating_points import OperatingPoints
from ..core.rules import AtK, Envelope, Linear, NPoint, PrecisionAtK, RecallAtK, Rule, Step
from ..core.segments import Array, spread, sums
from ..core.ties import break_ties
from .rules import (
    FloatGrid,
    MeanOfPrecisions,
    RocArea,
    RoundedLevels,
    StepOfFirst,
    WithArtificialPoint,
)


class Order(Enum):
    """How samples of one score are ranked; the value goes behind a number's name."""

    GROUPED = ""
    BY_ROW = ", ties by row"  # in the order of the rows
    LAST_ROW_FIRST = ", ties by row, last first"
    BY_ID = ", ties by id"  # the last one first, by an id that is not known here
    OPEN = ", ties in any order"
    EXPECTED = ", ties expected"
    BEST = ", ties best"
    WORST = ", ties worst"

    @property
    def is_open(self) -> bool:
        """Whether the data do not say which order it is."""
        return self in (Order.OPEN, Order.BY_ID)

    @property
    def is_of_rows(self) -> bool:
        """Whether its number is made from rows, one by one."""
        return self.is_open or self in (Order.BY_ROW, Order.LAST_ROW_FIRST)

    def applied(self, rule: Rule, points: OperatingPoints) -> tuple[Rule, OperatingPoints]:
        """What gives the number of points that are grouped, for an order that they suffice for."""
        if self is Order.EXPECTED:
            assert isinstance(rule, Step | AtK | PrecisionAtK | RecallAtK)
            return replace(rule, ties="expected"), points
        if self in (Order.BEST, Order.WORST):
            return rule, break_ties(points, "best" if self is Order.BEST else "worst")
        assert self is Order.GROUPED
        return rule, points


Ends = Callable[[Rule, OperatingPoints], Array]


@dataclass(frozen=True)
class Least(Rule):
    """The least that a number can be over all orders of the tied samples."""

    of: Rule

    def values(self, points: OperatingPoints) -> Array:
        return _ENDS[type(self.of)](self.of, points)[0]


@dataclass(frozen=True)
class Most(Rule):
    """The most that a number can be over all orders of the tied samples."""

    of: Rule

    def values(self, points: OperatingPoints) -> Array:
        return _ENDS[type(self.of)](self.of, points)[1]


def has_ends(rule: Rule) -> bool:
    """Whether its range over orders is known."""
    return type(rule) in _ENDS


def _by_hits_first(rule: Rule, points: OperatingPoints) -> tuple[Array, Array]:
    """Of what never falls when a positive and the negative above it change places."""
    worst, best = (rule.values(break_ties(points, ties)) for ties in ("worst", "best"))
    return worst, best


def _at_k(rule: Rule, points: OperatingPoints) -> tuple[Array, Array]:
    assert isinstance(rule, AtK)
    if rule.denominator == "hits":
        return _by_number_of_hits(rule.depth, points, one_by_one=True)
    return _by_hits_first(rule, points)


def _step_of_first(rule: Rule, points: OperatingPoints) -> tuple[Array, Array]:
    assert isinstance(rule, StepOfFirst)
    return _by_number_of_hits(rule.depth, points, one_by_one=False)


# What is known to be the range. A rule that does not stand here is not credited with one.
_ENDS: dict[type[Rule], Callable[[Rule, OperatingPoints], tuple[Array, Array]]] = {
    Step: _by_hits_first,
    Envelope: _by_hits_first,
    NPoint: _by_hits_first,
    Linear: _by_hits_first,
    FloatGrid: _by_hits_first,
    RoundedLevels: _by_hits_first,
    WithArtificialPoint: _by_hits_first,
    MeanOfPrecisions: _by_hits_first,
    PrecisionAtK: _by_hits_first,
    RecallAtK: _by_hits_first,
    RocArea: _by_hits_first,
    AtK: _at_k,
    StepOfFirst: _step_of_first,
}


def _by_number_of_hits(cut: Cut, points: OperatingPoints, one_by_one: bool) -> tuple[Array, Array]:
    """The ends of a mean over hits in the top k, which one more hit far down may lower.

    Every number of hits that the tied samples at the cut may bring is tried, each with the hits
    first and last. The others are whole inside k, or beyond it. If they do not come one by one,
    each tie counts as one point, within k.
    """
    k = spread(cut.of(points.n_samples), points.offsets)
    inside = np.flatnonzero(points.cum_total <= k)
    at_cut = np.flatnonzero((points.above < k) & (points.cum_total > k))
    whole = points.take(inside)
    policies = ("worst", "best") if one_by_one else ("grouped", "grouped")
    ends = []
    for policy, better, end in zip(policies, (False, True), (np.minimum, np.maximum), strict=True):
        each = break_ties(whole, policy)
        area = sums(each.positives * each.precision, each.offsets)
        hits = sums(whole.positives, whole.offsets)
        values = np.divide(area, hits, out=np.zeros(area.shape), where=hits > 0)
        values[points.n_positives == 0] = np.nan
        if at_cut.size:
            query = np.searchsorted(points.offsets, at_cut, side="right") - 1
            values[query] = _at_cut(points, at_cut, cut, area[query], better, one_by_one, end)
        ends.append(values)
    return ends[0], ends[1]


def _at_cut(
    points: OperatingPoints,
    at_cut: Array,
    cut: Cut,
    area: Array,
    better: bool,
    one_by_one: bool,
    end: np.ufunc,
) -> Array:
    """The end over all numbers of hits at the cut, `area` being the sum of precisions above it."""
    query = np.searchsorted(points.offsets, at_cut, side="right") - 1
    k = cut.of(points.n_samples)[query]
    above, found = points.above[at_cut], points.found_above[at_cut]
    r, room = points.positives[at_cut], k - above
    fewest = np.maximum(room - (points.total[at_cut] - r), 0)
    n_tried = np.minimum(r, room) - fewest + 1
    starts = np.cumsum(n_tried) - n_tried
    k, above, found, area = (np.repeat(each, n_tried) for each in (k, above, found, area))
    hits = np.arange(n_tried.sum()) - np.repeat(starts - fewest, n_tried)
    if not one_by_one:
        gain = hits * (found + hits) / k
    else:
        lead = above if better else k - hits
        reciprocals = digamma(lead + hits + 1.0) - digamma(lead + 1.0)
        gain = hits + (found - lead) * reciprocals  # the sum of (found + i) / (lead + i)
    total = found + hits
    values = np.divide(area + gain, total, out=np.zeros(gain.shape), where=total > 0)
    return np.asarray(end.reduceat(values, starts))
