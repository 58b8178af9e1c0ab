"""How much each sample moves a number: the derivative by its weight, in closed form."""

from typing import NamedTuple

import numpy as np

from .operating_points import OperatingPoints
from .rules import AreaRule
from .segments import Array, spread, sum_from_here_on, sums


class Influence(NamedTuple):
    """What a sample of weight 1 does, by where it stands: one number a point, and one a query."""

    positive: Array  # that has this score
    tied: Array  # a negative that has this score
    between: Array  # a negative with a worse score than the point before, and a better one here
    missing: Array  # a positive of this query that was not scored


def missing(points: OperatingPoints) -> Array:
    """The positives of each query that exist and were not scored."""
    return np.asarray(np.maximum(points.n_positives - sums(points.positives, points.offsets), 0))


def influence(rule: AreaRule, points: OperatingPoints) -> Influence:
    r"""The influence of each sample on the number of its query.

    A number is a sum of widths times precisions. With A and B the sums of width/N and of
    width * precision/N over the precisions that count a sample, its influence is
    :math:`[y A - B + y (\mathrm{height} - \mathrm{value})] / \mathrm{whole}`.
    """
    offsets, area = points.offsets, rule.area(points)
    here, just_above = rule.widths(points)
    lifts, costs = _slopes(here, points.cum_positives, points.cum_total)
    lifts, costs = sum_from_here_on(lifts, offsets), sum_from_here_on(costs, offsets)
    between = costs
    if just_above is not None:  # counts the samples between the points, and not those here
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
    """What one more negative above all others takes from each number, to first order.

    No precision loses more than it is, however heavy the negative.
    """
    area, weight = rule.area(points), spread(weight, points.offsets)
    here, just_above = rule.widths(points)
    lost = _lost(here, points.cum_positives, points.cum_total, weight)
    if just_above is not None:
        lost = lost + _lost(just_above, points.found_above, points.above, weight)
    lost = sums(lost, points.offsets)
    return np.divide(lost, area.whole, out=np.zeros(lost.shape), where=area.whole > 0)


def _lost(width: Array, found: Array, among: Array, weight: Array) -> Array:
    """What width * found/among loses."""
    precision = np.divide(found, among, out=np.zeros(width.shape), where=among > 0)
    return np.asarray(width * precision * (weight / np.maximum(among, weight)))


def _slopes(width: Array, found: Array, among: Array) -> tuple[Array, Array]:
    """What one more positive adds to width * found/among, and what one more negative costs."""
    share = np.divide(width, among, out=np.zeros(width.shape), where=among > 0)
    precision = np.divide(found, among, out=np.zeros(width.shape), where=among > 0)
    return share * (1 - precision), share * precision
