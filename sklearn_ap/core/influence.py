"""How a value varies with the sampling units, in closed form."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .cutoff import ALL_ROWS_CUT
from .operating_points import OperatingPoints
from .ragged import Array, compute_suffix_sums, divide_safely, repeat_values, sum_rankings
from .rankings import Rankings
from .rules import AreaRule, Rule, Step
from .spread import Spread
from .tolerances import SUM_TOLERANCE
from .units import PositiveUnits, SamplingUnits

_MIN_RESAMPLED_UNITS = 10  # units; the resamples of fewer take too few values

# A value depends on a few negatives if each weighs more than _HEAVY_WEIGHT_RATIO positives, and one
# more of them at the top would take more than _MAX_LOSS_FRACTION of the value. With subsampled
# negatives, average precision is then too high, by more if it is low (see docs/weights.md).
_HEAVY_WEIGHT_RATIO, _MAX_LOSS_FRACTION = 8, 0.18
_MIN_WEIGHT_RATIO = 1.25  # weights that differ less between labels bias values by very little
_MIN_ROWS = 30  # fewer are examples
_N_FIRST_ROWS = 1_000
# The mean over groups is too high by more than its interval allows for if negatives that were left
# out make each group's value too high, and the mean by more than this fraction of its standard
# error: of 34 kinds of simulated groups, intervals of those below covered at least 95%.
_MAX_BIAS_IN_ERRORS = 0.5
_WEIGHING_POWER, _HIGHER_ORDER_FACTOR = 6, 1.5  # by simulation, see benchmarks/coverage.md


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
        return divide_safely(-self.value, self.whole, 0.0)


def count_unscored(points: OperatingPoints) -> Array:
    """Count the positives of each ranking that exist but were not scored."""
    found = sum_rankings(points.positives, points.offsets)
    return np.asarray(np.maximum(points.n_positives - found, 0))


def compute_influence(
    rule: AreaRule,
    points: OperatingPoints,
    values: Array | None = None,
    excess: Array | float = 0.0,
) -> Influence:
    """Compute the influence of each sample on the value of its ranking, which may be known.

    The value is a sum of widths times precisions. Let A and B be the sums of width/N and of width *
    precision/N over those precisions that depend on a sample. Its influence is
    ``[y A - B + y (height - value)] / whole``.

    With the `excess` of a negative's weight in each ranking, that of negatives is what the value
    gains without this excess, for each unit of weight: N - excess takes the place of one N in B.
    """
    offsets, area = points.offsets, rule.area(points)
    here, just_above = rule.widths(points)
    if np.ndim(excess):
        excess = repeat_values(np.asarray(excess), offsets)
    lifts, costs = _compute_slopes(here, points.cum_positives, points.cum_total, excess)
    lifts, costs = compute_suffix_sums(lifts, offsets), compute_suffix_sums(costs, offsets)
    between = costs
    if just_above is not None:  # depends on the samples between the points, but not on those here
        among = _count_samples_above(points)
        lift, cost = _compute_slopes(just_above, points.positives_above, among, excess)
        lifts = lifts + compute_suffix_sums(lift, offsets) - lift
        cost_from_here_on = compute_suffix_sums(cost, offsets)
        costs, between = costs + cost_from_here_on - cost, costs + cost_from_here_on
    whole, value = repeat_values(area.whole, offsets), area.value() if values is None else values
    tied = -costs / whole
    return Influence(
        positive=(lifts + area.height - repeat_values(value, offsets)) / whole,
        tied=tied,
        between=tied if between is costs else -between / whole,
        value=value,
        whole=area.whole,
    )


class UnitWeights(NamedTuple):
    """What labels of the units weigh in each ranking."""

    positive: Array  # a positive, usually
    negative: Array  # one more negative, usually, with those of its unit that rank with it
    above: Array  # negatives that are above positives, with those of their unit

    @property
    def excess(self) -> Array:
        """How much more the negatives of a unit weigh than a positive."""
        is_heavier = self.negative > self.positive * (1 + SUM_TOLERANCE)
        return np.where(is_heavier, self.negative - self.positive, 0.0)


def weigh_units(rule: Rule, units: SamplingUnits, points: OperatingPoints) -> UnitWeights:
    """Compute what the labels of units weigh."""
    rankings = units.rankings
    usual, positive = units.compute_usual_weights()
    each_is_a_row = units.are_rows or (units.cluster is None and rankings.average != "micro")
    if each_is_a_row and rankings.weight is None:
        return UnitWeights(positive, usual, usual)
    smooth = rule if isinstance(rule, AreaRule) and rule.is_smooth else Step()
    slopes = compute_influence(smooth, points)
    above = units.compute_weight_above(slopes.tied, slopes.between, usual)
    if each_is_a_row:
        return UnitWeights(positive, usual, above)
    together = units.count_together(slopes.tied, slopes.between, usual)
    return UnitWeights(positive, usual * together, above)


def compute_deviations(
    rule: AreaRule,
    units: SamplingUnits,
    points: OperatingPoints,
    weights: UnitWeights,
) -> tuple[Any, Array | float, Array]:
    """Compute the influence of each scored unit on each value, of shape (n_values, n_units).

    The second array, of shape (n_units,), is its influence on the mean through the fractions, and
    the third one is the influence of a positive of each ranking that was not scored.

    A derivative misses how much a heavy negative takes. So if negatives weigh more than positives,
    their influence is what the value gains without this excess, for each unit of weight.
    """
    are_groups = units.rankings.group is not None and points.n_rankings > 1
    is_apart = not are_groups and units.rankings.average != "micro"
    excess = weights.excess if is_apart and weights.excess.any() else 0.0
    slopes = compute_influence(rule, points, excess=excess)
    of_cells = units.cells.fill(slopes.positive, slopes.tied, slopes.between)
    deviations = units.sum_by_unit(of_cells, slopes.unscored)
    drift: Array | float = 0.0
    if units.rankings.average == "weighted":
        values = np.nan_to_num(rule.values(points))
        fractions = compute_fractions(units.rankings, points)
        of_positive = compute_fraction_effects(values, fractions, points)
        of_cells = units.cells.fill(repeat_values(of_positive, points.offsets), 0.0, 0.0)
        drift = units.sum_by_unit(of_cells, of_positive).sum(axis=0)
    return deviations, drift, slopes.unscored


def compute_fraction_effects(values: Array, fractions: Array, points: OperatingPoints) -> Array:
    """Return the effect of one more positive of each class on the weighted mean of all classes."""
    return np.asarray((values - fractions @ values) / points.n_positives.sum())


def compute_fractions(
    rankings: Rankings, points: OperatingPoints, zero_division: float | str = 0.0
) -> Array:
    """Return the fraction of the mean that each ranking makes up."""
    weight = points.n_positives if rankings.average == "weighted" else np.ones(points.n_rankings)
    if zero_division != zero_division:  # rankings without positives are left out
        weight = np.where(points.n_positives == 0, 0, weight)
    return np.asarray(weight / weight.sum())


# --- what is known before it is known how much values vary ---------------------------------------


def make_spread(
    rule: Rule,
    points: OperatingPoints,
    values: Array,
    fractions: Array,
    mean: float,
    positive_units: PositiveUnits,
    n_units: int,
    weight: Array,
    used_fraction: Array,
) -> Spread:
    """Collect what is known about values.

    A value that rests on a `used_fraction` of the positives depends on as many of the units.
    The value of a ranking without positives is a convention, so it's as certain as that of
    infinitely many. `mean` is as the metric sums it, and `weight` that of one more
    negative in each ranking. At a cutoff k, such a negative takes one of k places, which resamples
    show.
    """
    n_depending = np.floor(positive_units.n_units * used_fraction + 1e-9)  # units with positives
    units = n_depending * (positive_units.equal_units / positive_units.n_units)
    fraction_in_mean = (used_fraction * (fractions > 0)).max()
    log_count_errors = None
    if rule.has_bend and rule.cut is not None:
        log_count_errors = _estimate_error_of_log(points, positive_units)
    spread = Spread(
        values,
        fractions,
        np.where(points.n_positives == 0, np.inf, np.maximum(units, 1.0)),
        mean,
        compute_bias=partial(_estimate_bias, rule, points, fractions, positive_units.n_units),
        equal_units_of_mean=max(positive_units.equal_units_of_mean * fraction_in_mean, 1.0),
        maximum=np.maximum(rule.compute_maximum(points), values),
        perfect=rule.perfect(points),
        log_count_errors=log_count_errors,
        is_optimistic=rule.is_optimistic,
        has_bend=rule.has_bend and n_units >= _MIN_RESAMPLED_UNITS,
    )
    if rule.cut is not None:
        return spread
    compute_losses = partial(compute_loss_at_top, rule, points, values, weight)
    return replace(spread, compute_losses_at_top=compute_losses)


def _estimate_error_of_log(points: OperatingPoints, positive_units: PositiveUnits) -> Array:
    """Estimate the standard error of the logarithm of the number of positives."""
    share = np.minimum(divide_safely(points.n_positives, points.n_samples, 1.0), 1.0)
    return np.sqrt((1 - share) / np.maximum(positive_units.equal_units, 1))


def has_heavy_negatives(rankings: Rankings, ratio: float = _MIN_WEIGHT_RATIO) -> bool:
    """Whether negatives weigh so much more than positives that some may have been left out."""
    if rankings.weight is None:
        return False
    labels, heaviest = rankings.labels, rankings.weight.max(initial=0) or 1
    weight = (rankings.weight / heaviest).astype(float)  # squares of large ones would overflow
    by_label = weight[~labels], weight[labels]
    typical = [(weights @ weights) / (weights.sum() or 1) for weights in by_label]
    return bool(typical[0] > ratio * typical[1])


def find_deciding_weight(rule: Rule, rankings: Rankings, value: float) -> float:
    """Return the weight of negatives of which a single one can change this value a lot, or 0.

    As in an interval, but without its sampling units, and only for an area over a whole ranking. If
    positives differ in weight, too, negatives weren't just subsampled.
    """
    is_single = rankings.average == "binary" and not rankings.is_grouped
    if not is_single or not isinstance(rule, AreaRule) or rule.cut is not None:
        return 0.0
    if rankings.n_rows < _MIN_ROWS or rankings.weight is None:
        return 0.0
    # A look at a few rows spares most weighted metrics a pass over all of them.
    if not _have_equal_weights(rankings.weight[:_N_FIRST_ROWS], rankings.labels[:_N_FIRST_ROWS]):
        return 0.0
    if not has_heavy_negatives(rankings, _HEAVY_WEIGHT_RATIO):
        return 0.0
    if rankings.labels.sum() < 2 or not _have_equal_weights(rankings.weight, rankings.labels):
        return 0.0
    points = rankings.points(ALL_ROWS_CUT)
    weight, of_positive = _compute_weights_at_top(points)
    n_units = points.n_positives / of_positive
    return find_heavy_weight(rule, points, np.ones(1), value, n_units, weight)


def _have_equal_weights(weight: Array, labels: Array) -> bool:
    """Whether all positives weigh the same."""
    of_positives = weight[labels]
    return not of_positives.size or bool((of_positives == of_positives[0]).all())


def find_heavy_weight(
    rule: Rule,
    points: OperatingPoints,
    fractions: Array,
    mean: float,
    n_units: Array,
    weight: Array,
) -> float:
    """Return the weight of negatives of which a single one can change the mean a lot, or 0.

    `n_units` have positives, and `weight` is that of one more negative in each ranking.
    """
    are_heavy = weight > _HEAVY_WEIGHT_RATIO * points.n_positives / n_units
    if not are_heavy.any():
        return 0.0
    lost = compute_loss_at_top(rule, points, np.nan_to_num(rule.values(points)), weight)
    is_much = fractions @ (lost * are_heavy) > _MAX_LOSS_FRACTION * mean
    return float(weight.max(where=are_heavy, initial=0)) if is_much else 0.0


def _estimate_bias(rule: Rule, points: OperatingPoints, fractions: Array, n_units: Array) -> float:
    """Estimate how much too high the mean over rankings is because each rests on few positives.

    Each positive is one of the n samples from which its own precision p is computed. Without it,
    the precision would be lower by (1 - p) / n on average, to first order.
    """
    if not isinstance(rule, AreaRule) or not rule.is_smooth:
        return 0.0
    lifts = _sum_over_area(rule, points, lambda *part: _compute_slopes(*part)[0])
    return float(fractions @ (_HIGHER_ORDER_FACTOR * lifts / n_units))


def compute_loss_at_top(rule: Rule, points: OperatingPoints, values: Array, weight: Array) -> Array:
    """Compute how much each value would lose to one more negative of this weight at the top.

    The value of a ranking without positives is a convention, and loses nothing.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # weights can be worlds apart
        lower = rule.values(add_negative_at_top(points, weight))
    return np.where(points.n_positives > 0, np.maximum(values - np.nan_to_num(lower), 0.0), 0.0)


def find_biasing_weight(
    rule: AreaRule, points: OperatingPoints, fractions: Array, mean: float, error: float
) -> float:
    """Return the weight of negatives that make the mean over groups too high, or 0 if they don't.

    `points` are all points of weighted samples, with their rows. Each group has few negatives near
    the top if others were left out, and the mean of many groups is as much too high as they are,
    although its standard error is small. A rule without influences is as much too high as the step
    metric, relative to its own value.
    """
    area = rule if rule.is_smooth else Step()
    with np.errstate(all="ignore"):  # weights can be worlds apart
        weight, of_positive = _compute_weights_at_top(points)
        heavier = np.maximum(weight / of_positive, 1)
        excess = _compute_biasing_loss(area, points, weight) * (1 - 1 / heavier)
        of_mean = fractions @ np.where(points.n_positives > 0, excess, 0.0)
        if area is not rule:
            of_mean *= mean / (fractions @ np.nan_to_num(area.values(points)))
    return float(fractions @ weight) if of_mean > _MAX_BIAS_IN_ERRORS * error else 0.0


def _compute_weights_at_top(points: OperatingPoints) -> tuple[Array, float]:
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
    squares = np.square(compute_influence(Step(), points).tied) * negatives
    weighted = sum_rankings(squares * weight_of_negative, offsets)
    total = sum_rankings(squares, offsets)
    of_all = divide_safely(weighted.sum(), total.sum(), 1.0)
    weight = np.divide(weighted, total, out=np.full(total.shape, of_all), where=total > 0)
    return weight, of_positive.item()


def _compute_biasing_loss(rule: AreaRule, points: OperatingPoints, weight: Array) -> Array:
    """Compute how much each value would lose to one more negative at the top, to first order, where
    precision is low: each loss is multiplied by a power of 1 minus the precision that is left.

    No precision loses more than its own value, for any weight of the negative.
    """
    weight = repeat_values(weight, points.offsets)

    def compute_loss(width: Array, hits: Array, among: Array) -> Array:
        loss = width * (hits / among) * (weight / np.maximum(among, weight))
        return np.asarray(loss * (1 - hits / (among + weight)) ** _WEIGHING_POWER)

    return divide_safely(_sum_over_area(rule, points, compute_loss), points.n_positives, 0.0)


def add_negative_at_top(points: OperatingPoints, weight: Array) -> OperatingPoints:
    """Move all samples below one more negative of this weight in each ranking."""
    added, rows = repeat_values(weight, points.offsets), points.rows
    return points._replace(
        above=points.above + added,
        cum_total=points.cum_total + added,
        rows=rows and rows._replace(above=rows.above + 1),
    )


def _sum_over_area(
    rule: AreaRule, points: OperatingPoints, of_part: Callable[[Array, Array, Array], Array]
) -> Array:
    """Sum over each ranking what follows from the parts of its area, which are width * hits/among.

    `of_part` gets these three arrays.
    """
    here, just_above = rule.widths(points)
    at_points = of_part(here, points.cum_positives, points.cum_total)
    if just_above is not None:
        among = _count_samples_above(points)
        at_points = at_points + of_part(just_above, points.positives_above, among)
    return sum_rankings(at_points, points.offsets)


def _count_samples_above(points: OperatingPoints) -> Array:
    """Count the samples above each point, infinitely many if there are none, so that 0/0 is 0."""
    return np.where(points.above > 0, points.above, np.inf)


def _compute_slopes(
    width: Array, hits: Array, among: Array, excess: Array | float = 0.0
) -> tuple[Array, Array]:
    """Compute what one more positive adds to width * hits/among, and one more negative takes, for
    each unit of its weight, of which some is `excess`.
    """
    share, precision = width / among, hits / among
    taken = share * precision
    if np.ndim(excess):
        taken = share * (hits / np.maximum(among - excess, hits))
    return share * (1 - precision), taken
