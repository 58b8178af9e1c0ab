"""How a value varies with the sampling units, in closed form."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from scipy.special import ndtri

from .operating_points import OperatingPoints
from .rankings import Rankings
from .rules import AreaRule, Rule, Step
from .spread import ROUNDING, Loss, Spread
from .units import Holding, SamplingUnits
from .within import Array, any_of, ratio, repeated, sum_from_here_on, sums

_ENOUGH = 10  # units; the resamples of fewer take too few values

# A value depends on a few negatives if each weighs more than _HEAVY positives, and one more of them
# at the top would take more than the share _MUCH of the value. With subsampled negatives, average
# precision is then too high by 2% or more (see docs/weights.md).
_HEAVY, _MUCH = 8, 0.25
# The mean over groups is too high by more than its interval allows for if negatives that were left
# out make each group's value too high, and the mean by more than this fraction of its standard
# error: of 34 kinds of simulated groups, intervals of those below covered at least 95%.
_BIASED = 0.5
_TIMES, _WEAK, _HIGHER_ORDERS = 4.5, 6, 1.5  # by simulation, see benchmarks/coverage.md
# A model may lack negatives at the top if its positives are closer together than those of the other
# model by this factor. A few scores that tell are outvoted by equal models. By simulation, too.
_CLOSER, _EQUAL, _LACKED = 1.3, 2.0, 0.25
_TINY = 1e-300
_EPSILON = 2.0**-53


# --- influences: derivatives of values with respect to weights -----------------------------------


class Influence(NamedTuple):
    """Influences of samples of weight 1, with one number per point (or per ranking
    for `unscored`).
    """

    positive: Array  # of a positive with this score
    tied: Array  # of a negative with this score
    between: Array  # of a negative between the previous point and this one
    value: Array
    whole: Array  # what the area is divided by

    @property
    def unscored(self) -> Array:
        """That of a positive of this ranking that was not scored."""
        return ratio(-self.value, self.whole, 0.0)


def unscored_positives(points: OperatingPoints) -> Array:
    """Count the positives of each ranking that exist but were not scored."""
    return np.asarray(np.maximum(points.n_positives - sums(points.positives, points.offsets), 0))


def slopes_of(rule: AreaRule, points: OperatingPoints, values: Array | None = None) -> Influence:
    r"""Compute the influence of each sample on the value of its ranking, which may be known.

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
        lift, cost = _slopes(just_above, points.found_above, _samples_above(points))
        lifts = lifts + sum_from_here_on(lift, offsets) - lift
        cost_from_here_on = sum_from_here_on(cost, offsets)
        costs, between = costs + cost_from_here_on - cost, costs + cost_from_here_on
    whole, value = repeated(area.whole, offsets), area.value() if values is None else values
    tied = -costs / whole
    return Influence(
        positive=(lifts + area.height - repeated(value, offsets)) / whole,
        tied=tied,
        between=tied if between is costs else -between / whole,
        value=value,
        whole=area.whole,
    )


def deviations_of(
    rule: AreaRule, units: SamplingUnits, points: OperatingPoints
) -> tuple[Any, Array | float, Array]:
    """Compute the influence of each scored unit on each value, of shape (n_values, n_units).

    The second array, of shape (n_units,), is its influence on the mean through the shares, and the
    third one is the influence of a positive of each ranking that was not scored.
    """
    slopes = slopes_of(rule, points)
    of_cells = units.cells.fill(slopes.positive, slopes.tied, slopes.between)
    deviations = units.totals(of_cells, slopes.unscored)
    drift: Array | float = 0.0
    if units.rankings.average == "weighted":
        values = np.nan_to_num(rule.values(points))
        of_positive = through_shares(values, shares_of(units.rankings, points), points)
        of_cells = units.cells.fill(repeated(of_positive, points.offsets), 0.0, 0.0)
        drift = units.totals(of_cells, of_positive).sum(axis=0)
    return deviations, drift, slopes.unscored


def through_shares(values: Array, shares: Array, points: OperatingPoints) -> Array:
    """Return the effect of one more positive of each class on the weighted mean of all classes."""
    return np.asarray((values - shares @ values) / points.n_positives.sum())


def shares_of(
    rankings: Rankings, points: OperatingPoints, zero_division: float | str = 0.0
) -> Array:
    """Return the fraction of the mean that each ranking makes up."""
    weight = points.n_positives if rankings.average == "weighted" else np.ones(points.n_queries)
    if zero_division != zero_division:  # rankings without positives are left out
        weight = np.where(points.n_positives == 0, 0, weight)
    return np.asarray(weight / weight.sum())


# --- what is known before it is known how much values vary ---------------------------------------


def is_smooth(rule: Rule) -> TypeGuard[AreaRule]:
    """Whether a rule has influences in closed form."""
    return isinstance(rule, AreaRule) and rule.has_influence


def known_about(
    rule: Rule,
    points: OperatingPoints,
    values: Array,
    shares: Array,
    number: float,
    holding: Holding,
    n_units: int,
    weight: Array,
    heaviest: float | None = None,
) -> Spread:
    """Collect what is known about values, and what they may lose to units that weren't sampled.

    A value that rests on a fraction of the positives depends on as many of the units. The value of
    a ranking without positives is a convention, so it's as certain as after infinitely many trials.

    `weight` is that of one more negative in each ranking, and `heaviest` the largest weight of a
    positive if weights differ, or else None. `number` is the mean, as the metric sums it.
    """
    rests_on = rule.rests_on(points)
    n_depending = np.floor(holding.found * rests_on + 1e-9)  # units with positives
    trials = n_depending * (holding.alike / holding.found)
    trials = np.where(points.n_positives == 0, np.inf, np.maximum(trials, 1.0))
    if is_smooth(rule):
        loss = partial(_loss, rule, points, values, shares, holding, weight, heaviest)
    else:
        loss = partial(
            _loss_to_the_rare, rule, points, values, holding, weight, heaviest is not None
        )
    return Spread(
        values,
        shares,
        np.zeros(0),
        trials,
        number,
        together=max(holding.of_mean * (rests_on * (shares > 0)).max(), 1.0),
        loss=cache(loss),  # of plans of the same value
        most=np.maximum(rule.most(points), values),
        perfect=rule.perfect(points),
        scarce=_scarce(points, holding) if rule.has_bend and rule.depth is not None else None,
        is_optimistic=rule.is_optimistic,
        bent=n_units if rule.has_bend and n_units >= _ENOUGH else None,
    )


def _scarce(points: OperatingPoints, holding: Holding) -> Array:
    """Estimate the standard error of the logarithm of the number of positives."""
    share = np.minimum(ratio(points.n_positives, points.n_samples, 1.0), 1.0)
    return np.sqrt((1 - share) / np.maximum(holding.alike, 1))


def weight_of_heavy(
    rule: Rule, points: OperatingPoints, shares: Array, number: float, found: Array, weight: Array
) -> float:
    """Return the weight of negatives of which a single one can change the mean a lot, or 0.

    `found` units have positives, and `weight` is that of one more negative in each ranking.
    """
    are_heavy = weight > _HEAVY * points.n_positives / found
    if not are_heavy.any():
        return 0.0
    if is_smooth(rule):
        lost = lost_to_one_more(rule, points, weight)
    else:
        values = np.nan_to_num(rule.values(points))
        lost = values - np.nan_to_num(rule.values(below_one_more(points, weight)))
    is_much = shares @ (lost * are_heavy) > _MUCH * number
    return float(weight.max(where=are_heavy, initial=0)) if is_much else 0.0


def _loss(
    rule: AreaRule,
    points: OperatingPoints,
    values: Array,
    shares: Array,
    holding: Holding,
    weight: Array,
    heaviest: float | None,
) -> Loss:
    """Estimate what values may lose to one more negative, and how much too high they may be.

    What nearly perfect rankings may lose is limited to a multiple of the observed loss plus the
    weight of one negative among all. If none of many negatives comes close to the top, only a rare
    kind of negative would. Negatives that weigh more than positives are rare in the data, if not in
    the population, so their limit is higher. Even a perfect ranking may lose to such a negative, if
    each stands for many that were left out.

    To second order, the mean of a precision p is too high by 1 - p times what it loses to one more
    negative. Where a heavy negative is missing, p itself is what that loss leaves. A power of 1 - p
    restricts this to weak models, which have almost nothing left. The loss of others is `unseen`.

    If a few positives have most of the weight, the sample may lack the heaviest ones that rank
    high. What another one would add counts the more, the more unequal the positives are.
    """
    lost, is_perfect = lost_to_one_more(rule, points, weight), values > 1 - ROUNDING
    of_positive = points.n_positives / holding.found
    negatives = points.n_samples - sums(points.positives, points.offsets)
    share = ratio(weight, negatives, 1.0)
    with np.errstate(over="ignore"):  # inf limits nothing, as such large numbers
        heavier = np.maximum(ratio(weight, of_positive, 1.0), 1)
        most = np.where(is_perfect, 0.0, _TIMES * (1 - values + share) * heavier)
    unseen, excess, of_mean = np.minimum(lost, most), rule.lost_at_end(points), 0.0
    gain = None
    if heaviest is not None:
        unseen = np.where(is_perfect, lost * (1 - 1 / heavier), unseen)
        excess = lost_to_one_more(rule, points, weight, _WEAK) * (1 - 1 / heavier)
        excess = np.where(is_perfect, 0.0, excess)
        unequal = 1 - holding.alike / holding.found
        if any_of(unequal):
            gain = gain_from_one_more(rule, points, values, heaviest) * unequal
    if values.size > 1:
        of_mean = float(shares @ excess_of_few(rule, points, of_positive))
    return Loss(unseen, lost, excess, of_mean, gain, cache(partial(spread_of_positives, points)))


def weight_of_biasing(
    rule: AreaRule, points: OperatingPoints, shares: Array, number: float, error: float
) -> float:
    """Return the weight of negatives that make the mean over groups too high, or 0 if they don't.

    `points` are all points of weighted samples, with their rows. Each group has few negatives near
    the top if others were left out, and the mean of many groups is as much too high as they are,
    although its standard error is small. A rule without influences is as much too high as the step
    metric, relative to its own value.
    """
    area = rule if rule.has_influence else Step()
    with np.errstate(all="ignore"):  # weights can be worlds apart
        weight, of_positive = _weights_at_top(points)
        heavier = np.maximum(weight / of_positive, 1)
        excess = lost_to_one_more(area, points, weight, _WEAK) * (1 - 1 / heavier)
        of_mean = shares @ np.where(points.n_positives > 0, excess, 0.0)
        if area is not rule:
            of_mean *= number / (shares @ np.nan_to_num(area.values(points)))
    return float(shares @ weight) if of_mean > _BIASED * error else 0.0


def _weights_at_top(points: OperatingPoints) -> tuple[Array, float]:
    """Return the mean weight of the negatives that cost each ranking most, and of all positives.

    The negatives are weighted by their squared influence on the step metric, and the positives by
    their weight, so that both means are the same if weights don't depend on labels. A ranking
    without negatives above positives has the mean weight of the others.
    """
    assert points.rows is not None
    offsets, rows, positives = points.offsets, points.rows.at, points.positives
    weight_of_row, negatives = points.total / rows, points.total - positives  # at each point
    alone = np.where(negatives > 0, 0, positives)  # where no negatives are tied
    of_positive = alone @ weight_of_row / alone.sum() if alone.any() else weight_of_row.min()
    weight_of_negative = negatives / np.maximum(rows - positives / of_positive, 1)
    squares = np.square(slopes_of(Step(), points).tied) * negatives
    weighted, total = sums(squares * weight_of_negative, offsets), sums(squares, offsets)
    of_all = ratio(weighted.sum(), total.sum(), 1.0)
    weight = np.divide(weighted, total, out=np.full(total.shape, of_all), where=total > 0)
    return weight, of_positive.item()


def lost_to_one_more(
    rule: AreaRule, points: OperatingPoints, weight: Array, power: int = 0
) -> Array:
    """Compute how much each value would lose to one more negative at the top, to first order.

    No precision loses more than its own value, for any weight of the negative. Each loss is
    multiplied by a power of 1 minus the precision that is left.
    """
    weight = repeated(weight, points.offsets)

    def lost(width: Array, hits: Array, among: Array) -> Array:
        loss = width * (hits / among) * (weight / np.maximum(among, weight))
        return np.asarray(loss * (1 - hits / (among + weight)) ** power if power else loss)

    return ratio(_sum_over_area(rule, points, lost), points.n_positives, 0.0)


def gain_from_one_more(
    rule: AreaRule, points: OperatingPoints, values: Array, weight: float
) -> Array:
    """Compute how much each value would gain from one more positive of this weight at the top."""

    def raised(width: Array, hits: Array, among: Array) -> Array:
        return width * ((hits + weight) / (among + weight))

    area = _sum_over_area(rule, points, raised) + weight
    return np.where(points.n_positives > 0, area / (points.n_positives + weight) - values, 0.0)


def excess_of_few(rule: AreaRule, points: OperatingPoints, of_positive: Array) -> Array:
    """Estimate how much too high each value is because it rests on few positives.

    Each positive is one of the n samples from which its own precision p is computed. Without it,
    the precision would be lower by (1 - p) / n on average, to first order.
    """
    lifts = _sum_over_area(rule, points, lambda *part: _slopes(*part)[0])
    return ratio(_HIGHER_ORDERS * of_positive * lifts, points.n_positives, 0.0)


def _loss_to_the_rare(
    rule: Rule,
    points: OperatingPoints,
    values: Array,
    holding: Holding,
    weight: Array,
    is_weighted: bool,
) -> Loss:
    """Compute how much each value would lose to one more negative of this weight at the top.

    The value of a perfect ranking is left to chance. If negatives weigh more than positives, few
    of them are in the sample, so that the loss counts twice, and even with a perfect ranking.
    """
    with np.errstate(invalid="ignore"):  # nan if that negative is all of the top k
        lost = values - np.nan_to_num(rule.values(below_one_more(points, weight)))
    lost = np.where(points.n_positives > 0, lost, 0.0)
    is_perfect = values > (1 - ROUNDING) * rule.perfect(points)
    unseen = np.where(is_perfect, 0.0, lost)
    if is_weighted:
        heavier = np.maximum(ratio(weight * holding.found, points.n_positives, 1.0), 1)
        lost_to_rare = lost * (1 - 1 / heavier)
        unseen = unseen + np.where(is_perfect, 2 * lost_to_rare, lost_to_rare)
    return Loss(unseen, lost, rule.lost_at_end(points))


def below_one_more(points: OperatingPoints, weight: Array) -> OperatingPoints:
    """Move all samples below one more negative of this weight in each ranking."""
    added, rows = repeated(weight, points.offsets), points.rows
    if points.total.dtype.kind == "i":
        added = np.maximum(np.rint(added), 1).astype(np.int64)
    return points._replace(
        above=points.above + added,
        cum_total=points.cum_total + added,
        rows=rows and rows._replace(above=rows.above + 1),
    )


def lacked_at_top(spread: float, other: float) -> float:
    """Return which fraction of the loss to one more negative at the top is the standard error that
    only the first one of two rankings lacks, from the spreads of their positives.

    If its positives are much closer together, they are above nearly all negatives, and a rare
    negative that ranks higher is above all of them. Most samples lack such negatives, and the
    influences of the others don't show how much they would take. In the other ranking, positives
    are spread over many negatives.
    """
    return _LACKED if _CLOSER * spread < other else 0.0


def spread_of_positives(points: OperatingPoints) -> float:
    """Estimate the standard deviation of the scores of positives in one ranking, relative to that
    of negatives, if both were normal.

    It is the slope of a normal plot, in which positives above or below all negatives are left out.
    """
    positives, hits = points.positives, points.cum_positives
    above = points.cum_total - hits - (points.total - positives) / 2  # negatives; tied ones half
    n_negatives = points.n_samples - hits[-1:].sum()  # no positive may be found
    inside = np.flatnonzero((positives > 0) & (above > 0) & (above < n_negatives))
    if not inside.size:
        return 1.0
    # Normal scores of the positives among the negatives, and among themselves
    weight = positives[inside]
    observed = ndtri(above[inside] / n_negatives)
    usual = ndtri((hits[inside] - weight / 2) / hits[-1])
    usual -= usual @ weight / weight.sum()
    weight = weight * (np.count_nonzero(positives) / hits[-1])
    return float(((observed * usual) @ weight + _EQUAL) / ((usual * usual) @ weight + _EQUAL))


def _sum_over_area(
    rule: AreaRule, points: OperatingPoints, of_part: Callable[[Array, Array, Array], Array]
) -> Array:
    """Sum over each ranking what follows from the parts of its area, which are width * hits/among.

    `of_part` gets these three arrays.
    """
    here, just_above = rule.widths(points)
    at_points = of_part(here, points.cum_positives, points.cum_total)
    if just_above is not None:
        at_points = at_points + of_part(just_above, points.found_above, _samples_above(points))
    return sums(at_points, points.offsets)


def _samples_above(points: OperatingPoints) -> Array:
    """Count the samples above each point, infinitely many if there are none, so that 0/0 is 0."""
    return np.where(points.above > 0, points.above, np.inf)


def _slopes(width: Array, hits: Array, among: Array) -> tuple[Array, Array]:
    """Compute what one more positive adds to width * hits/among, and one more negative takes."""
    share, precision = width / among, hits / among
    return share * (1 - precision), share * precision
