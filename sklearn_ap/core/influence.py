"""Influences of samples: derivatives of values with respect to weights, in closed form."""

from typing import NamedTuple

import numpy as np

from .operating_points import OperatingPoints
from .rules import AreaRule
from .segments import Array, spread, sum_from_here_on, sums


class Influence(NamedTuple):
    """Influences of samples of weight 1, with one number per point (or per ranking
    for `missing`).
    """

    positive: Array  # of a positive with this score
    tied: Array  # of a negative with this score
    between: Array  # of a negative between the previous point and this one
    missing: Array  # of a positive of this ranking that was not scored


def missing(points: OperatingPoints) -> Array:
    """Count the positives of each ranking that exist but were not scored."""
    return np.asarray(np.maximum(points.n_positives - sums(points.positives, points.offsets), 0))


def influence(rule: AreaRule, points: OperatingPoints) -> Influence:
    r"""Compute the influence of each sample on the value of its ranking.

    The value is a sum of widths times precisions. Let A and B be the sums of width/N and of width *
    precision/N over those precisions that depend on a sample. Its influence is :math:`[y A - B + y
    (\mathrm{height} - \mathrm{value})] / \mathrm{whole}`.
    """
    offsets, area = points.offsets, rule.area(points)
    here, just_above = rule.widths(points)
    lifts, costs = _slopes(here, points.cum_positives, points.cum_total)
    lifts, costs = sum_from_here_on(lifts, offsets), sum_from_here_on(costs, offsets)
    between = costs
    if just_above is not None:  # depends on the samples between the points, but not on those here
        lift, cost = _slopes(just_above, points.found_above, points.above)
        lifts = lifts + sum_from_here_on(lift, offsets) - lift
        cost_from_here_on = sum_from_here_on(cost, offsets)
        costs, between = costs + cost_from_here_on - cost, costs + cost_from_here_on
    whole, value = spread(area.whole, offsets), area.value()
    missing = np.divide(-value, area.whole, out=np.zeros(value.shape), where=area.whole > 0)
    return Influence(
        positive=(lifts + area.height - spread(value, offsets)) / whole,
        tied=-costs / whole,
        between=-between / whole,
        missing=missing,
    )


def lost_to_one_more(rule: AreaRule, points: OperatingPoints, weight: Array) -> Array:
    """Compute how much each value would lose to one more negative at the top, to first order.

    No precision loses more than its own value, for any weight of the negative.
    """
    area, weight = rule.area(points), spread(weight, points.offsets)
    here, just_above = rule.widths(points)
    lost = _lost(here, points.cum_positives, points.cum_total, weight)
    if just_above is not None:
        lost = lost + _lost(just_above, points.found_above, points.above, weight)
    lost = sums(lost, points.offsets)
    return np.divide(lost, area.whole, out=np.zeros(lost.shape), where=area.whole > 0)


def _lost(width: Array, found: Array, among: Array, weight: Array) -> Array:
    """Compute how much width * found/among would lose."""
    precision = np.divide(found, among, out=np.zeros(width.shape), where=among > 0)
    return np.asarray(width * precision * (weight / np.maximum(among, weight)))


def _slopes(width: Array, found: Array, among: Array) -> tuple[Array, Array]:
    """Compute what one more positive adds to width * found/among, and one more negative takes."""
    share = np.divide(width, among, out=np.zeros(width.shape), where=among > 0)
    precision = np.divide(found, among, out=np.zeros(width.shape), where=among > 0)
    return share * (1 - precision), share * precision
