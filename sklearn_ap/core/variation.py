"""How a value varies with the sampling units: in closed form, or in resamples.

A resample is an integer weight for each cell of the sorted samples.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, sqrt
from typing import Any, NamedTuple, Self, TypeGuard

import numpy as np
from scipy.sparse import coo_array
from scipy.special import ndtr, ndtri

from .cutoff import Cut, needs_every_point
from .intervals import ROUNDING, Loss, Spread
from .operating_points import OperatingPoints, last_of_each
from .rankings import Rankings, kth_best
from .rules import Area, AreaRule, Rule, Step
from .segments import (
    Array,
    any_of,
    blocks,
    lone,
    maxima,
    ratio,
    running_sum,
    spread,
    sum_from_here_on,
    sums,
)
from .units import Cells, Holding, Units, over_cells, ranked

_AT_ONCE = 2**19  # entries that are processed together
_ENOUGH = 10  # units; the resamples of fewer take too few values

# A value depends on a few negatives if each weighs more than _HEAVY positives, and one more of them
# at the top would take more than the share _MUCH of the value. With subsampled negatives, average
# precision is then too high by 2% or more (see docs/weights.md).
_HEAVY, _MUCH = 8, 0.25
# The mean over groups is too high by more than its interval allows for if negatives that were left
# out make each group's value too high, and the mean by more than this fraction of its standard
# error: of 34 kinds of simulated groups, intervals of those below covered at least 95%.
_BIASED = 0.5
_TIMES, _WEAK, _HIGHER_ORDERS = 4.5, 6, 1.5  # by simulation, see docs/simulations.md
_UNLIKELY = 0.05  # expect at most this many positives to be as low, or take tails for heavy
# The better model may lack negatives at the top if its positives are closer together than those of
# the other model by this factor. A few scores that tell are outvoted by equal models. By
# simulation, too.
_CLOSER, _EQUAL, _LACKED = 1.8, 0.3, 0.25
_FEW = 8  # samples of a cell that are drawn one by one
_OF_A_KIND = 8  # units, on average, to be drawn faster together
_TINY = 1e-300
_EPSILON = 2.0**-53


# --- influences: derivatives of values with respect to weights -----------------------------------


class Influence(NamedTuple):
    """Influences of samples of weight 1, with one number per point (or per ranking
    for `missing`).
    """

    positive: Array  # of a positive with this score
    tied: Array  # of a negative with this score
    between: Array  # of a negative between the previous point and this one
    value: Array
    whole: Array  # what the area is divided by

    @property
    def missing(self) -> Array:
        """That of a positive of this ranking that was not scored."""
        return ratio(-self.value, self.whole, 0.0)


def missing(points: OperatingPoints) -> Array:
    """Count the positives of each ranking that exist but were not scored."""
    return np.asarray(np.maximum(points.n_positives - sums(points.positives, points.offsets), 0))


def influence(rule: AreaRule, points: OperatingPoints, values: Array | None = None) -> Influence:
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
        lift, cost = _slopes(just_above, points.found_above, _above(points))
        lifts = lifts + sum_from_here_on(lift, offsets) - lift
        cost_from_here_on = sum_from_here_on(cost, offsets)
        costs, between = costs + cost_from_here_on - cost, costs + cost_from_here_on
    whole, value = spread(area.whole, offsets), area.value() if values is None else values
    tied = -costs / whole
    return Influence(
        positive=(lifts + area.height - spread(value, offsets)) / whole,
        tied=tied,
        between=tied if between is costs else -between / whole,
        value=value,
        whole=area.whole,
    )


def deviations_of(
    rule: AreaRule, units: Units, points: OperatingPoints
) -> tuple[Any, Array | float, Array]:
    """Compute the influence of each scored unit on each value.

    The second array is its influence on the mean through the shares, and the third one is the
    influence of a positive that was not scored.
    """
    slopes = influence(rule, points)
    each = units.cells.spread(slopes.positive, slopes.tied, slopes.between)
    lacking = slopes.missing
    deviations = units.totals(each, lacking)
    drift: Array | float = 0.0
    if units.rankings.average == "weighted":
        values = np.nan_to_num(rule.values(points))
        off = through_shares(values, shares_of(units.rankings, points), points)
        moved = units.cells.spread(spread(off, points.offsets), 0.0, 0.0)
        drift = units.totals(moved, off).sum(axis=0)
    return deviations, drift, lacking


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
    positive if weights differ.
    """
    rests_on, (found, alike, of_mean) = rule.rests_on(points), holding
    trials = np.floor(found * rests_on + 1e-9) * (alike / found)
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
        together=max(of_mean * (rests_on * (shares > 0)).max(), 1.0),
        loss=loss,
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
    share = share_of_negatives(points, weight)
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
    tails = have_heavy_tails(points, holding.alike, weight, share)
    return Loss(unseen, excess, of_mean, tails, gain)


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
    each, negatives = points.total / rows, points.total - positives
    alone = np.where(negatives > 0, 0, positives)  # where no negatives are tied
    of_positive = (alone @ each / alone.sum() if alone.any() else each.min()).item()
    each = negatives / np.maximum(rows - positives / of_positive, 1)
    squares = np.square(influence(Step(), points).tied) * negatives
    together, apart = sums(squares * each, offsets), sums(squares, offsets)
    every = ratio(together.sum(), apart.sum(), 1.0)
    weight = np.divide(together, apart, out=np.full(apart.shape, every), where=apart > 0)
    return weight, of_positive


def share_of_negatives(points: OperatingPoints, weight: Array) -> Array:
    """Return this weight as a share of all negatives, 1 if there are none."""
    return ratio(weight, points.n_samples - sums(points.positives, points.offsets), 1.0)


def lost_to_one_more(
    rule: AreaRule, points: OperatingPoints, weight: Array, power: int = 0
) -> Array:
    """Compute how much each value would lose to one more negative at the top, to first order.

    No precision loses more than its own value, for any weight of the negative. Each loss is
    multiplied by a power of 1 minus the precision that is left.
    """
    weight = spread(weight, points.offsets)

    def lost(width: Array, found: Array, among: Array) -> Array:
        each = width * (found / among) * (weight / np.maximum(among, weight))
        return np.asarray(each * (1 - found / (among + weight)) ** power if power else each)

    return ratio(_sums(rule, points, lost), points.n_positives, 0.0)


def gain_from_one_more(
    rule: AreaRule, points: OperatingPoints, values: Array, weight: float
) -> Array:
    """Compute how much each value would gain from one more positive of this weight at the top."""

    def raised(width: Array, found: Array, among: Array) -> Array:
        return width * ((found + weight) / (among + weight))

    area = _sums(rule, points, raised) + weight
    return np.where(points.n_positives > 0, area / (points.n_positives + weight) - values, 0.0)


def excess_of_few(rule: AreaRule, points: OperatingPoints, of_positive: Array) -> Array:
    """Estimate how much too high each value is because it rests on few positives.

    Each positive is one of the n samples from which its own precision p is computed. Without it,
    the precision would be lower by (1 - p) / n on average, to first order.
    """
    lifts = _sums(rule, points, lambda *part: _slopes(*part)[0])
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
        more = lost * (1 - 1 / heavier)
        unseen = unseen + np.where(is_perfect, 2 * more, more)
    tails: Any = np.False_
    if isinstance(rule, AreaRule) or rule.depth is None:  # not for counts of the top k
        share = share_of_negatives(points, weight)
        tails = have_heavy_tails(points, holding.alike, weight, share)
    return Loss(unseen, rule.lost_at_end(points), has_heavy_tails=tails)


def below_one_more(points: OperatingPoints, weight: Array) -> OperatingPoints:
    """Move all samples below one more negative of this weight in each ranking."""
    each, rows = spread(weight, points.offsets), points.rows
    if points.total.dtype.kind == "i":
        each = np.maximum(np.rint(each), 1).astype(np.int64)
    return points._replace(
        above=points.above + each,
        cum_total=points.cum_total + each,
        rows=rows and rows._replace(above=rows.above + 1),
    )


def have_heavy_tails(points: OperatingPoints, alike: Array, weight: Array, share: Array) -> Any:
    r"""Whether the lowest positive of each ranking is lower than normal scores would explain.

    If scores were normally distributed with the same variance in both classes, and A were the area
    under the ROC curve, of n positives :math:`n \Phi(\Phi^{-1}(b) - \sqrt 2 \Phi^{-1}(A))` would be
    expected to rank as low as the lowest one, which is above a share b of the negatives. If these
    are fewer than `_UNLIKELY`, there may be negatives that rank as high as this positive ranks low.

    The positives say as much as `alike` equal ones. `weight` is that of one more negative, and
    `share` its share of the negatives.
    """
    offsets, positives = points.offsets, points.positives
    misses = points.cum_total - points.cum_positives - (points.total - positives) / 2
    misses /= spread(weight, offsets)
    lowest = lone(maxima(misses * (positives > 0), offsets))
    found, beaten = lone(sums(positives, offsets)), lone(sums(positives * misses, offsets))
    alike, share = lone(alike), lone(share)
    missed = share * beaten / np.maximum(found, _TINY)
    least = np.maximum(share / (2 * alike), _EPSILON)  # 1 - least is below 1, so both are finite
    apart = sqrt(2) * ndtri(np.minimum(np.maximum(1 - missed, least), 1 - least))
    expected = alike * ndtr(ndtri((1 - share * (lowest - 0.5)) / (1 + share)) - apart)
    return (lowest > 1.5) & (expected < _UNLIKELY)  # by more than one


def lacked_at_top(better: OperatingPoints, other: OperatingPoints) -> float:
    """Return which fraction of the loss to one more negative at the top is the standard error that
    only the better one of two rankings lacks.

    If its positives are much closer together, they are above nearly all negatives, and a rare
    negative that ranks higher is above all of them. Most samples lack such negatives, and the
    influences of the others don't show how much they would take. In the other ranking, positives
    are spread over many negatives.
    """
    are_closer = _CLOSER * _spread_of_positives(better) < _spread_of_positives(other)
    return _LACKED if are_closer else 0.0


def _spread_of_positives(points: OperatingPoints) -> float:
    """Estimate the standard deviation of the scores of positives in one ranking, relative to that
    of negatives, if both were normal.

    It is the slope of a normal plot, in which positives above or below all negatives are left out.
    """
    positives, found = points.positives, points.cum_positives
    missed = points.cum_total - found - (points.total - positives) / 2
    of_all = points.n_samples - found[-1]
    inside = np.flatnonzero((positives > 0) & (missed > 0) & (missed < of_all))
    if not inside.size:
        return 1.0
    each = positives[inside]
    place = ndtri(missed[inside] / of_all)
    usual = ndtri((found[inside] - each / 2) / found[-1])
    usual -= usual @ each / each.sum()
    each = each * (np.count_nonzero(positives) / found[-1])
    return float(((place * usual) @ each + _EQUAL) / ((usual * usual) @ each + _EQUAL))


def _sums(
    rule: AreaRule, points: OperatingPoints, of_part: Callable[[Array, Array, Array], Array]
) -> Array:
    """Sum over each ranking what follows from the parts width * found/among of its area."""
    here, just_above = rule.widths(points)
    each = of_part(here, points.cum_positives, points.cum_total)
    if just_above is not None:
        each = each + of_part(just_above, points.found_above, _above(points))
    return sums(each, points.offsets)


def _above(points: OperatingPoints) -> Array:
    """Count the samples above each point, infinitely many if there are none, so that 0/0 is 0."""
    return np.where(points.above > 0, points.above, np.inf)


def _slopes(width: Array, found: Array, among: Array) -> tuple[Array, Array]:
    """Compute what one more positive adds to width * found/among, and one more negative takes."""
    share, precision = width / among, found / among
    return share * (1 - precision), share * precision


# --- what can be in the top k of a resample ------------------------------------------------------
#
# If k counts rows, a metric at k depends on each of the rows near the top, and on the sum of the
# positives. For all other units, which are rows or clusters of them, it depends only on how many
# rows they have with which labels, so a resample draws those with the same numbers together, as
# copies of a single unit.


def shortlist(cut: Cut | None, *models: Rankings, cluster: Array | None = None) -> Array | None:
    """Select the units that a resample has to tell apart, for models with the same rows.

    Their rows contain the top k of almost all resamples.

    Return None if a shortlist would not be faster.
    """
    one = models[0]
    if cut is None or one.average not in ("binary", "macro", "weighted"):
        return None
    if one.weight is not None and not cut.by_rows:
        return None
    # Positives have to be told apart by their weights.
    listed: Array = one.labels if one.weight is not None else np.zeros_like(one.labels)
    together = 1.0  # rows that are drawn together, as those of clusters are
    if cluster is not None:
        rows = np.bincount(cluster)
        together = (rows @ rows) / rows.sum()
    for model in models:
        if model.group is not None:
            listed = listed | _among_best(model, cut, together)
            continue
        k = _reach(cut.of(np.array([len(model.scores)])).item(), together)
        if k >= len(model.scores):
            return None
        listed = listed | (model.scores >= kth_best(model.scores, k))
    if listed.ndim == 2:
        listed = np.asarray(listed.any(axis=1))
    if cluster is not None:
        listed = np.bincount(cluster, listed) > 0
        if one.group is not None:  # clusters across groups may all be of a kind of their own
            kinds = np.bincount(_kinds(one.labels, cluster, one.group)[~listed])
            if _OF_A_KIND * np.count_nonzero(kinds) > listed.size:
                return None
    return None if listed.all() else listed


def _among_best(rankings: Rankings, cut: Cut, together: float) -> Array:
    """Select the rows that are within reach of the top k of their group."""
    in_order, group = ranked(rankings), rankings.group
    sizes = np.diff(in_order.offsets)
    k = np.minimum(cut.of(sizes), sizes).astype(np.int64).tolist()
    reach = np.minimum([_reach(each, together) for each in k], sizes)
    last = in_order.order[in_order.offsets[:-1] + reach - 1]  # of any row, if the group is empty
    return np.asarray(rankings.scores >= rankings.scores[last][group])


def _reach(k: int, together: float = 1.0) -> int:
    """Return how many of the top rows almost always yield at least k draws.

    They get about as many draws as there are rows, give or take the square root of that.
    """
    return k + ceil(6 * sqrt(k * together) + 16 * together)


def near_points(cells: Cells, cut: Cut | None) -> Array:
    """Count the points of each ranking that contain the top k of almost all resamples.

    Without a cut-off, these are all points.
    """
    n_points = np.diff(cells.offsets)
    if cut is None:
        return n_points
    until = running_sum(cells.mass[0], cells.ends)
    k = cut.of(last_of_each(until, cells.ends)).tolist()
    reach = spread(np.array([_reach(each) for each in k]), cells.offsets)
    before = until[over_cells(cells.offsets, 0, 1, 0, bool)] < reach
    return np.asarray(np.minimum(sums(before.astype(np.int64), cells.offsets) + 1, n_points))


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The units that a resample tells apart.

    Each of the first ones represents the units that are not listed and have the same labels. They
    are followed by the listed units, and by the positives of each ranking that were not scored.
    """

    cut: Cut
    listed: Array  # mask of all scored units
    kind: Array  # of all scored units; those of a kind have the same labels
    kinds: Array  # of the units that are not listed
    sizes: Array  # how many units of each of these kinds are not listed
    units: Units
    rows: Any  # of each unit that is told apart, or of each ranking in it; None for one
    near: Any  # how many of these rank above all units that are not listed, one row per ranking

    @classmethod
    def of(cls, cut: Cut, listed: Array, units: Units) -> Self:
        """Make the shortlist of one model. `units` are its units if all of them are told apart."""
        rankings, cluster, scores = units.rankings, units.cluster, units.rankings.scores
        rest = ~listed if cluster is None else ~listed[cluster]
        rest = rest if scores.ndim == 1 else rest[:, np.newaxis]
        if rankings.group is None:
            bound = scores.max(axis=0, where=rest, initial=scores.min())
        else:
            best = np.full(units.missing.size, scores.min(), scores.dtype)
            np.maximum.at(best, rankings.group[rest], scores[rest])
            bound = best[rankings.group]
        kind = _kinds(rankings.labels, cluster, rankings.group)
        kinds, first, n_alike = _not_listed(kind, listed)
        apart = np.append(first, np.flatnonzero(listed))
        rows, own, sizes = apart, None, None
        if cluster is not None:
            place = np.full(listed.size, -1)
            place[apart] = np.arange(apart.size)
            rows = np.flatnonzero(place[cluster] >= 0)
            own = place[cluster[rows]]
            sizes = np.bincount(own)
        few = rankings.take(rows)
        bound = bound if few.group is None else bound[rows]
        near = few.scores > bound
        # The order of the other rows among each other does not matter.
        few = replace(few, scores=np.where(near, few.scores, bound))
        every = few.weight is not None
        few_units = replace(Units.of(few, own, every), missing=units.missing)
        if few.group is not None:
            places = few.group, np.arange(apart.size) if own is None else own
            shape = units.missing.size, apart.size
            by_group = [
                coo_array((each, places), shape).tocsr()
                for each in (np.ones(near.size, np.int64), near.astype(np.int64))
            ]
            return cls(cut, listed, kind, kinds, n_alike, few_units, *by_group)
        above = np.atleast_2d(near.T)
        if own is not None:
            above = np.stack([np.bincount(own, each, apart.size) for each in above])
        return cls(cut, listed, kind, kinds, n_alike, few_units, sizes, above.astype(np.int64))

    def draw(self, times: int, rng: np.random.Generator) -> Array:
        """Count how often each unit is drawn, with one row per unit and one column per resample."""
        n_alike, n_apart = self.kinds.size, self.units.n_scored - self.kinds.size
        apart, together = _drawn_apart(
            n_apart, [*self.sizes.tolist(), *self.units.together], times, rng
        )
        return np.concatenate([together[:n_alike], apart, together[n_alike:]])

    def holds_first(self, drawn: Array) -> bool:
        """Whether the top k rows of each resample are all listed."""
        scored = drawn[: self.units.n_scored]
        total = scored.sum(axis=0) if self.rows is None else self.rows @ scored
        near = self.near @ scored
        return bool(((near >= self.cut.of(total)) | (near == total)).all())

    def unfold(self, drawn: Array, rng: np.random.Generator) -> Array:
        """Convert one resample to one with all units told apart."""
        n_alike, n_scored = self.kinds.size, self.units.n_scored
        times = np.empty(self.listed.size, dtype=np.int64)
        times[self.listed] = drawn[n_alike:n_scored]
        for number, count in zip(self.kinds, drawn, strict=False):
            same = np.flatnonzero((self.kind == number) & ~self.listed)
            place = rng.integers(0, same.size, count)
            times[same] = np.bincount(place, minlength=same.size)
        return np.append(times, drawn[n_scored:])


def _kinds(labels: Array, cluster: Array | None, group: Array | None = None) -> Array:
    """Number the units by their labels, or by how many rows and positives of each class they have.

    With groups, number them by the groups and labels of their rows. Labels in one column number
    themselves.
    """
    if group is not None:
        labels = 2 * group + labels
    if cluster is None:
        contents = labels
    elif group is not None:
        sizes, n_labels = np.bincount(cluster), 2 * int(group.max()) + 2
        sorted_labels = np.sort(cluster * n_labels + labels) % n_labels
        start, kind, n_kinds = np.cumsum(sizes) - sizes, np.zeros(sizes.size, np.int64), 0
        for size in np.unique(sizes).tolist():
            same = np.flatnonzero(sizes == size)
            rows = sorted_labels[start[same, np.newaxis] + np.arange(size)]
            if size != 1:
                rows = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1, 1)
            kind[same] = n_kinds + rows[:, 0]
            n_kinds += int(rows.max()) + 1
        return kind
    else:
        columns = np.atleast_2d(labels.T)
        counts = np.bincount(cluster), *(np.bincount(cluster, column) for column in columns)
        contents = np.column_stack(counts)
    if contents.ndim == 1:
        return contents
    return np.asarray(np.unique(contents, axis=0, return_inverse=True)[1].reshape(-1))


def _not_listed(kind: Array, listed: Array) -> tuple[Array, Array, Array]:
    """Return the kinds of the units that are not listed, the first unit of each, and their counts.

    There may be millions of these units, so this takes a block of them at a time.
    """
    sizes, first = np.zeros((2, int(kind.max()) + 1), dtype=np.int64)
    for some in reversed(blocks(kind.size, 32)):
        rest = np.flatnonzero(~listed[some])
        of_rest = kind[some][rest].astype(np.intp)
        sizes += np.bincount(of_rest, minlength=sizes.size)
        first[of_rest[::-1]] = rest[::-1] + some.start  # the first one is assigned last
    kinds = np.flatnonzero(sizes)
    return kinds, first[kinds], sizes[kinds]


# --- resamples -----------------------------------------------------------------------------------


def draw_units(
    rule: Rule,
    models: Sequence[Units],
    times: int,
    rng: np.random.Generator,
    cut: Cut | None = None,
) -> Iterator[tuple[int, OperatingPoints]]:
    """Draw resamples of sampling units for several models, with the points that a rule needs.

    Yield the number of a model and some of its resamples, concatenated. Each model gets the draws
    that it would get alone, because they depend only on the numbers of units and rankings, which
    are the same for all models. With a cut-off, the rows below it are drawn together if that is
    faster.
    """
    first, listed = models[0], None
    if all(units.has_rows_of(first) for units in models):
        listed = shortlist(cut, *(units.rankings for units in models), cluster=first.cluster)
    if cut is None or listed is None:
        fills = [_filling(rule, units) for units in models]
        for drawn in _drawn(first.n_scored, first.cells.n_queries, times, rng, first.together):
            yield from enumerate(fill(drawn) for fill in fills)
        return
    lists = [Shortlist.of(cut, listed, units) for units in models]
    fills = [_filling(rule, short.units) for short in lists]
    for some in _batches(3 * lists[0].units.n_scored * first.cells.n_queries, times):
        drawn, seed = lists[0].draw(some, rng), int(rng.integers(2**63))
        # The seed is always drawn, so that a model gets the same draws beside any other.
        for place, (short, fill) in enumerate(zip(lists, fills, strict=True)):
            if short.holds_first(drawn):
                yield place, fill(drawn)
                continue
            fill, own = _filling(rule, models[place]), np.random.default_rng(seed)
            for one in drawn.T:
                yield place, fill(short.unfold(one, own)[:, np.newaxis])


def _filling(rule: Rule, units: Units) -> Callable[[Array], OperatingPoints]:
    """Return a function from counts of draws (one row per unit, one column per
    resample) to points.
    """
    by_rows = needs_every_point(rule.depth, units.rankings.weight is not None)
    mass_of, rows_of, missing_of = units.matrices()

    def fill(drawn: Array) -> OperatingPoints:
        rows = (rows_of @ drawn).T if by_rows else None
        points = replace(units.cells, mass=(mass_of @ drawn).T, rows=rows).points(by_rows)
        if units.lacks:
            points = points.out_of(points.n_positives + (missing_of @ drawn).T.ravel())
        return points

    return fill


def draw_counts(
    cells: Cells, missing: Array, times: int, rng: np.random.Generator, cut: Cut | None = None
) -> Iterator[tuple[int, OperatingPoints]]:
    """Draw resamples from counts alone, if the sampling units are samples, each in one ranking.

    Yield what `draw_units` yields for a single model. `missing` counts the positives of each
    ranking that were not scored.

    With a cut-off, only the cells near the top are told apart. In each ranking, the positives of
    all other cells are drawn together, and so are their negatives.
    """
    mass, n_queries, n_near = cells.mass[0], cells.n_queries, near_points(cells, cut)
    near = Cells(np.append(0, np.cumsum(n_near)), cells.mass)
    apart = np.delete(np.arange(near.size), near.ends[1:] - 1)  # all but the last of each ranking
    first_far, query = (
        cells.ends[:-1] + 3 * n_near,
        np.arange(n_queries).repeat(np.diff(cells.ends)),
    )
    is_near = np.arange(mass.size) < first_far[query]
    positive = cells.spread(1, 0, 0) > 0
    kinds = [(~is_near & ~positive).nonzero()[0], (~is_near & positive).nonzero()[0]]
    far = [np.bincount(query[kind], mass[kind], n_queries).astype(np.int64) for kind in kinds]
    counts = np.concatenate([mass[is_near], *far, missing])
    for some in _batches(counts.size, times):
        drawn = _draw_counts(counts, some, rng)
        others = drawn[:, apart.size :].copy().reshape(some, 3, n_queries)
        misses, hits, absent = others.swapaxes(0, 1)
        rest = misses + hits
        short = drawn[:, : near.size]  # which for one ranking only lacks the rest
        if n_queries > 1:
            short = np.empty((some, near.size), dtype=np.int64)
            short[:, apart] = drawn[:, : apart.size]
        short[:, near.ends[1:] - 1] = rest
        if cut is not None:
            total = np.add.reduceat(short, near.ends[:-1], axis=1)
        if cut is None or ((total - rest >= cut.of(total)) | (rest == 0)).all():
            points = replace(near, mass=short).points()
            found = points.n_positives + hits.ravel()
        else:
            whole = np.empty((some, mass.size), dtype=np.int64)
            whole[:, is_near] = drawn[:, : apart.size]
            for each in range(n_queries):
                for kind, number in zip(kinds[::-1], (hits, misses), strict=True):
                    own = kind[query[kind] == each]
                    if size := mass[own].sum():
                        whole[:, own] = rng.multinomial(number[:, each], mass[own] / size)
            points = replace(cells, mass=whole).points()
            found = points.n_positives
        yield 0, points.out_of(found + absent.ravel())


def values_of(rule: Rule, draws: OperatingPoints, n_queries: int) -> Array:
    """Compute the values of resamples, nan without positives, and count their positives.

    The result has the shape (n_resamples, 2, n_queries).
    """
    found = np.stack([rule.values(draws), draws.n_positives]).reshape(2, -1, n_queries)
    return found.swapaxes(0, 1)


def heights(area: Area, x: Array) -> Array:
    """Compute the height of each ranking's area at these fractions of its width; 0 beyond its end.

    The result has one row per ranking, which is nan if the area is undefined.
    """
    out = np.full((area.whole.size, x.size), np.nan)
    width = running_sum(area.width, area.offsets)
    for query, whole in enumerate(area.whole.tolist()):
        if whole:
            held = slice(area.offsets[query], area.offsets[query + 1])
            place = np.searchsorted(width[held], x * whole * (1 - 1e-9))
            out[query] = np.append(area.height[held], 0.0)[place]
    return out


def hits(points: OperatingPoints, x: Array) -> Array:
    """Count the positives in the top of these fractions of all samples.

    This is the mean over all orders of tied samples. The result has one row per ranking.
    """
    corners = np.stack([points.above, points.cum_total], axis=1)
    found = np.stack([points.found_above, points.cum_positives], axis=1)
    out = np.zeros((points.n_queries, x.size))
    for query, size in enumerate(points.n_samples.tolist()):
        held = slice(points.offsets[query], points.offsets[query + 1])
        if held.start < held.stop:
            out[query] = np.interp(x * size, corners[held].ravel(), found[held].ravel())
    return out


def resample_means(values: Array, weight: Array, times: int, rng: np.random.Generator) -> Array:
    """Compute weighted means of values that are drawn with replacement."""
    means = []
    for drawn in _drawn(values.size, 1, times, rng):
        means.append(ratio((values * weight) @ drawn, weight @ drawn))
    return np.concatenate(means)


def _drawn(
    size: int, n_queries: int, times: int, rng: np.random.Generator, together: Sequence[int] = ()
) -> Iterator[Array]:
    """Count how often each unit is drawn, with one row per unit and one column per resample.

    They are followed by units that are drawn `together`, with one row for each of these numbers.
    """
    for some in _batches(size * n_queries, times):
        if together:
            yield np.concatenate(_drawn_apart(size, together, some, rng))
            continue
        place = rng.integers(0, size, (size, some))
        place *= some
        place += np.arange(some)
        yield np.bincount(place.ravel(), minlength=size * some).reshape(size, some)


def _drawn_apart(
    n_apart: int, together: Sequence[int], times: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw units one by one, and others `together`, whose numbers can be larger than memory.

    Return how often each unit is drawn, and how many of those in each of the numbers. Both results
    have one column per resample.
    """
    others = np.array(together)
    size = n_apart + others.sum()
    count = rng.binomial(size, n_apart / size, times)
    place = rng.integers(0, n_apart, count.sum())
    place *= times
    place += np.repeat(np.arange(times), count)
    drawn = np.bincount(place, minlength=n_apart * times).reshape(n_apart, times)
    return drawn, rng.multinomial(size - count, others / others.sum()).T


def _draw_counts(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, and return their counts, with one row per resample."""
    # One draw per sample is faster than one binomial per cell, if the cell has few samples.
    few = np.flatnonzero(counts <= _FEW)
    cell = np.repeat(few, counts[few])
    many = np.flatnonzero(counts > _FEW)
    kinds = np.append(cell.size, counts[many])
    of_kinds = _multinomial(kinds, times, rng)
    drawn = np.zeros((times, counts.size), dtype=np.int64)
    if cell.size:
        number = of_kinds[:, 0]
        place = cell[rng.integers(0, cell.size, number.sum())]
        place += counts.size * np.repeat(np.arange(times), number)
        drawn = np.bincount(place, minlength=drawn.size).reshape(drawn.shape)
    drawn[:, many] = of_kinds[:, 1:]
    return drawn


def _multinomial(counts: Array, times: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, which is faster than NumPy for many counts.

    If independent Poisson variables have a given sum, they are multinomial. So nearly all samples
    are drawn as Poisson variables, and the others one by one.
    """
    n = int(counts.sum())
    if counts.size < 100 or n > _AT_ONCE:
        return rng.multinomial(n, counts / n, times)
    rate = 1 - 6 / sqrt(n)  # more than n are drawn in one of a billion cases
    drawn = rng.poisson(rate * counts, (times, counts.size))
    while (lacking := n - drawn.sum(axis=1)).min() < 0:
        drawn = rng.poisson(rate * counts, drawn.shape)
    cell = np.repeat(np.arange(counts.size), counts)[rng.integers(0, n, lacking.sum())]
    cell += counts.size * np.repeat(np.arange(times), lacking)
    drawn += np.bincount(cell, minlength=drawn.size).reshape(drawn.shape)
    return drawn


def _batches(cost: int, times: int) -> list[int]:
    at_once = max(_AT_ONCE // max(cost, 1), 1)
    return [min(at_once, times - start) for start in range(0, times, at_once)]
