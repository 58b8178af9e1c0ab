"""How much a value varies between samples: the deviations from which all of inference follows.

`vary` returns a `Variation`, whose deviations have one of three sources: the values of groups, if
whole groups are drawn; influences, which are derivatives by the weights of samples, if a rule is
smooth in these; and resamples of the sampling units for all other rules. law.py says what follows
from them.

In formulas, T and N are the positives and all samples at a point or above it, R the positives of a
ranking, w the weight of a sample, s its influence, u a number of equal units, and K the cost of one
more negative.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .._core import Array, PointRule, Points, Rankings, Rule, rules
from .._core.steps import (
    SortedSamples,
    average_values,
    evaluate_rankings,
    fill,
    from_counts,
    rank_for,
    take_mean,
    weigh,
)
from ..exceptions import NoIntervalError
from .chance import compute_chance
from .law import Variation, count_equal
from .resamples import (
    N_RESAMPLES,
    Content,
    Resampling,
    compute_deviations_of_resamples,
    find_blocks,
    order_units,
)
from .slopes import Slopes, compute_biases, compute_slopes
from .units import (
    SampledRankings,
    SamplingUnits,
    check_positives,
    check_units,
    count_once,
    count_positive_rows,
    sort_samples,
    write_count,
)


def evaluate_perfect(rule: PointRule, points: Points) -> Array:
    """Return the values that rankings would have if their positives were first, without ties."""
    found = np.maximum(points.n_positives, 1)  # at the only point of each ranking
    rows = None if points.tied_rows is None else found
    perfect = from_counts(found, found, rows, True, np.arange(points.n_rankings + 1))
    mass = np.maximum(points.mass, found)
    are_whole = points.has_whole_weights
    perfect = perfect._replace(mass=mass, n_rows=points.n_rows, has_whole_weights=are_whole)
    return np.where(points.n_positives > 0, rule.values(perfect), 0.0)


def unbias(deviations: Array, n_units: int) -> Array:
    """Multiply deviations so that their squares add up to an unbiased variance."""
    return np.asarray(deviations * np.sqrt(n_units / (n_units - 1)))


class Asked(NamedTuple):
    """A model of which is asked how much it varies."""

    rule: Rule
    rankings: Rankings  # flat
    units: SamplingUnits
    zero_division: float | str


def vary(
    models: Sequence[Asked], *, is_alone: bool = False, with_chance: bool = False
) -> list[Variation]:
    """Compute the values of models, and how much they vary in the same samples.

    If units are resampled, the models decide together which ones. Unless a model `is_alone`, it's
    compared with others, and each sample needs a deviation of its own.
    """
    rule, rankings, units, _ = models[0]
    if rankings.average is None:
        raise ValueError("average=None has a value for each class: pass those of one class.")
    if rankings.kind in ("groups", "rows"):
        of_groups = [(each, each.units.find_clusters_of_groups(each.rankings)) for each in models]
        known = [(each, of_group) for each, of_group in of_groups if of_group is not None]
        if known:
            return [_vary_groups(*each, with_chance) for each in known]
    if rule.varies_by == "rows":
        contents = [Content.sort(each.rankings) for each in models]
        ordered = order_units(contents, units.number_samples(rankings), None, rankings.group)
        return [_vary_function(rule, *each[1:], ordered) for each in models]
    if not isinstance(rule, PointRule) or rule.varies_by == "groups":
        raise ValueError(
            "This metric is one value of a whole ranking, which doesn't tell how much it varies. "
            "Pass groups=, such as queries, and clusters= only if they are made of whole groups."
        )
    described = rankings.group, rankings.weight, rankings.n_positives, units.cluster
    is_plain = all(each is None for each in described) and rankings.scores.size == units.n_rows
    if is_alone and is_plain and rule.varies_by == "influences":
        return [_vary_counts(rule, rankings, with_chance)]
    all_sampled = []
    for each in models:
        assert isinstance(each.rule, PointRule)
        all_sampled.append(SampledRankings(each.rule, *each[1:]))
    if rule.varies_by != "influences":
        contents, first = [Content.take(each.samples) for each in all_sampled], all_sampled[0]
        ordered = order_units(contents, first.unit, first.weight, rankings.group)
    variations = []
    for sampled in all_sampled:
        chance = np.nan
        if with_chance:
            exist, zero_division = sampled.n_positives, models[0].zero_division
            chance = compute_chance(rule, sampled.rankings, sampled.samples, exist, zero_division)
        if rule.varies_by == "influences":
            variations.append(_vary_by_influence(sampled, chance))
        else:
            variations.append(_vary_by_resamples(sampled, ordered, chance))
    return variations


# --- groups as units ------------------------------------------------------------------------------


def _vary_groups(asked: Asked, unit: Array, with_chance: bool) -> Variation:
    """Vary the mean over groups, each of which has a value, and belongs to a sampling unit."""
    rule, rankings, units, zero_division = asked
    perfect = most = np.ones(rankings.n_rankings)  # the best values, in this sample and in others
    chance = np.nan
    if isinstance(rule, PointRule):
        points = rank_for(rule, rankings)
        values, n_positives = rule.values(points), points.n_positives
        if rule.k is not None:
            perfect = evaluate_perfect(rule, points)
        most = rule.compute_highest(points)
        if with_chance and rankings.weight is None:
            samples = sort_samples(rankings)
            chance = compute_chance(rule, rankings, samples, n_positives, zero_division)
    else:
        values, n_positives = evaluate_rankings(rule, rankings)
    value = average_values(rule, values, n_positives, rankings, zero_division)
    values = fill(rule, values, zero_division)
    weight = weigh(rankings, values, n_positives)
    is_counted = weight > 0
    if not is_counted.any() or (rule.needs_positives and not n_positives.any()):
        raise NoIntervalError("y_true has no positives.", "no positives")
    n_units = int(np.count_nonzero(np.bincount(unit[~np.isnan(values)])))  # Those of weight 0, too.
    values, perfect, most = values[is_counted], perfect[is_counted], most[is_counted]
    fractions = weight[is_counted] / weight[is_counted].sum()
    _, unit = np.unique(unit[is_counted], return_inverse=True)
    deviations = np.bincount(unit, fractions * (values - fractions @ values))
    check_units(deviations.size)

    basis = write_count(values.size, units.group_word if rankings.names is not None else "row")
    n_with_positives = int(np.count_nonzero(n_positives[is_counted]))
    if n_with_positives < values.size and rule.needs_positives:
        basis += f", {n_with_positives:,} with positives"
    if deviations.size < values.size:
        basis += f", {write_count(deviations.size, units.cluster_word)}"
    highest = float(fractions @ np.maximum(most, values))
    best = float(fractions @ np.maximum(perfect, values))
    return Variation(
        value=value,
        deviations=unbias(deviations, n_units),
        units=count_equal(np.bincount(unit, fractions)),
        basis=basis,
        limits=(0.0, highest) if rule.needs_positives else rule.limits,
        perfect=best if rule.needs_positives else rule.limits[rule.greater_is_better],
        greater_is_better=rule.greater_is_better,
        group_values=values,
        chance=chance,
        n_samples=rankings.scores.size if rankings.kind == "groups" else units.n_rows,
        n_positives=count_positive_rows(rankings),
    )


# --- rows or clusters as units --------------------------------------------------------------------


def _vary_counts(rule: PointRule, rankings: Rankings, with_chance: bool) -> Variation:
    """Vary the value of one ranking of equal samples, by counting these at each point, which takes
    a third of the time.
    """
    samples = SortedSamples.sort_one(rankings.labels, rankings.scores)
    points, n = samples.make_points(None, every_point=False), rankings.scores.size
    check_positives(points.n_positives, rankings, "warn")
    check_units(n)
    values, n_positives = rule.values(points), float(points.n_positives[0])
    slopes = compute_slopes(rule, points, values, np.zeros(1))
    n_between = points.above - np.append(0, points.above + points.tied)[:-1]
    # Samples with the same influence share one deviation, whose square is the sum of their squares.
    influences = np.concatenate([slopes.positive, slopes.tied, slopes.between])
    n_with_influence = np.concatenate([points.hits, points.tied - points.hits, n_between])
    chance = compute_chance(rule, rankings, samples, points.n_positives) if with_chance else np.nan
    return Variation(
        value=float(values[0]),
        deviations=unbias(influences * np.sqrt(n_with_influence), n),
        units=n_positives,
        basis=write_count(int(n_positives), "positive"),
        cost=float(compute_losses(rule, points, values, np.ones(1))[0]),
        chance=chance,
        n_samples=n,
        n_positives=n_positives,
    )


def _vary_by_influence(sampled: SampledRankings, chance: float) -> Variation:
    """Vary the value of a smooth rule, or a mean of its values, by the influences of samples."""
    rule, points, values = sampled.rule, sampled.points, sampled.values
    slopes = compute_slopes(rule, points, values, np.zeros(sampled.n_rankings))
    negative_weight = weigh_negative(sampled, slopes)
    excess = compute_excess(sampled, negative_weight)
    if excess.any():
        slopes = compute_slopes(rule, points, values, excess)
    n_equal = sampled.count_equal_in_mean()
    bias = 0.0
    if sampled.has_several:
        mass = sampled.n_positives / np.maximum(sampled.count_units_in_each(), 1)
        bias = float(sampled.fractions @ compute_biases(rule, points, mass))
    is_one = sampled.n_rankings == 1 and not sampled.n_unscored.any()
    n_samples, n_positives = count_once(sampled.rankings, sampled.units)
    return Variation(
        value=sampled.value,
        deviations=compute_deviations(sampled, slopes),
        units=max(n_equal, 1.0),
        basis=sampled.describe_basis(n_equal),
        cost=compute_cost(sampled, negative_weight),
        bias=bias,
        lone=sampled.find_lone(sampled.count_equal_in_each()),
        strata=sampled.count_positive_mass() if is_one else None,
        chance=chance,
        n_samples=n_samples,
        n_positives=n_positives,
    )


def _vary_by_resamples(sampled: SampledRankings, ordered: Array, chance: float) -> Variation:
    """Vary the value of any rule, or a mean of its values, by resamples of ordered units."""
    rule, points = sampled.rule, sampled.points
    n_equal, n_equal_in_each = sampled.count_equal_in_mean(), sampled.count_equal_in_each()
    used_fraction = float(rule.compute_used_fraction(points)[sampled.fractions > 0].max())
    cost, perfect, find_most = 0.0, 1.0, None
    if rule.varies_by == "top":
        perfect, find_most = compute_best(sampled, n_equal_in_each)
    else:  # influences on AP say how negatives rank together
        values = np.nan_to_num(rules.Step().values(points))
        slopes = compute_slopes(rules.Step(), points, values, np.zeros(sampled.n_rankings))
        cost = compute_cost(sampled, weigh_negative(sampled, slopes))
    resampled = Resampling(sampled, ordered).evaluate()
    # A sample may be too high by as much as resamples of it are higher than it.
    has_bias = rule.varies_by != "top"
    bias = max(float(np.nanmean(resampled)) - sampled.value, 0.0) if has_bias else 0.0
    n_samples, n_positives = count_once(sampled.rankings, sampled.units)
    return Variation(
        value=sampled.value,
        deviations=compute_deviations_of_resamples(resampled),
        units=max(n_equal * used_fraction, 1.0),
        basis=sampled.describe_basis(n_equal),
        perfect=perfect,
        find_most=find_most,
        cost=cost,
        bias=bias,
        lone=sampled.find_lone(n_equal_in_each),
        resampled=resampled,
        chance=chance,
        n_samples=n_samples,
        n_positives=n_positives,
    )


def _vary_function(
    rule: Rule,
    rankings: Rankings,
    units: SamplingUnits,
    zero_division: float | str,
    ordered: Array,
) -> Variation:
    """Vary the value of a user's function, or a mean of its values, by resamples of ordered units.

    What its value rests on isn't known. If samples are positive or not, the rarer ones are counted.
    """
    values, exist = evaluate_rankings(rule, rankings)
    value = average_values(rule, values, exist, rankings, zero_division)
    if np.isnan(values).all():
        raise NoIntervalError(f"{rule.own_name} has no finite value.", "no value")
    weight, unit = weigh(rankings, values, exist), units.number_samples(rankings)
    n_units = int(unit.max()) + 1
    check_units(n_units)
    is_positive = rankings.labels > 0
    is_rarer = is_positive == (2 * np.count_nonzero(is_positive) <= is_positive.size)
    is_binary = is_rarer.any()
    n_equal = count_equal(np.bincount(unit[is_rarer] if is_binary else unit))
    block, times = find_blocks(ordered, unit)
    resampled = np.full(N_RESAMPLES, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the function has warned of these data before
        for place, of_blocks in enumerate(times.astype(np.int64)):
            drawn = np.repeat(np.arange(unit.size), of_blocks[block])
            if is_binary and is_positive[drawn].all() == is_positive[drawn].any():
                continue  # many functions need both
            labels, scores = rankings.labels[drawn], rankings.scores[drawn]
            group = None if rankings.group is None else rankings.group[drawn]
            again = rule.values(replace(rankings, labels=labels, scores=scores, group=group))
            if values.size > 1:  # the value of a group that has none is a convention
                again = np.where(np.isnan(again), values, again)
            resampled[place] = take_mean(again, weight)
    basis = write_count(n_units, "row" if units.cluster is None else units.cluster_word)
    if is_binary:
        basis += f", {np.count_nonzero(np.bincount(unit[is_positive])):,} with positives"
    if values.size > 1:
        basis = f"{write_count(values.size, units.group_word)}, {basis}"
    n_samples, n_positives = count_once(rankings, units)
    return Variation(
        value=value,
        deviations=compute_deviations_of_resamples(resampled),
        units=max(n_equal, 1.0),
        basis=basis,
        limits=rule.limits,
        perfect=rule.limits[rule.greater_is_better],
        greater_is_better=rule.greater_is_better,
        n_samples=n_samples,
        n_positives=n_positives,
    )


def compute_best(
    sampled: SampledRankings, n_equal: Array
) -> tuple[float, Callable[[float], float]]:
    """Return what perfect rankings would have, in this sample, and at a level in one with more
    positives.

    With a fraction f of positives here, a sample at the upper end of an interval has
    exp(z sqrt((1 - f)/u)) times as many, where z is the quantile of the normal distribution.
    """
    fractions, values = sampled.fractions, sampled.values
    perfect = evaluate_perfect(sampled.rule, sampled.points)
    f = np.minimum(sampled.n_positives / np.maximum(sampled.points.mass, 1), 1)
    error = np.sqrt((1 - f) / np.maximum(n_equal, 1))
    highest = sampled.rule.compute_highest(sampled.points)

    def find_most(level: float) -> float:
        more = np.exp(ndtri((1 + level) / 2) * error)
        return float(fractions @ np.maximum(np.minimum(perfect * more, highest), values))

    return float(fractions @ np.maximum(perfect, values)), find_most


# --- the cost of one more negative ----------------------------------------------------------------


def compute_losses(rule: PointRule, points: Points, values: Array, weight: Array) -> Array:
    """Compute what each ranking would lose to one more negative of this weight above all others."""
    moved = points._replace(above=points.above + points.repeat(weight))
    losses = np.maximum(values - np.nan_to_num(rule.values(moved)), 0)
    return np.where(points.n_positives > 0, losses, 0.0)


def compute_cost(sampled: SampledRankings, negative_weight: Array) -> float:
    """Compute K: what the mean would lose if one more negative ranked first, in the ranking in
    which that costs most, or in as many groups as a unit is ranked in.
    """
    losses = compute_losses(sampled.rule, sampled.points, sampled.values, negative_weight)
    lost = np.sort(sampled.fractions * losses)[::-1]
    return float(lost[: round(sampled.n_shared)].sum())


def compute_usual_weight(sampled: SampledRankings, label: bool) -> Array:
    """Compute sum w^2 / sum w over the samples with this label in each ranking, or if it has none,
    over all samples of all rankings.
    """
    n, mass = sampled.n_rankings, sampled.mass
    if sampled.weight is None:
        return np.ones(n)
    w = mass * (sampled.is_positive == label)
    sums = np.bincount(sampled.group, w, n)
    squares = np.bincount(sampled.group, w * mass, n)
    of_all = np.average(mass, weights=mass)
    return np.where(sums > 0, squares / np.maximum(sums, 1e-300), of_all)


def weigh_negative(sampled: SampledRankings, slopes: Slopes) -> Array:
    """Compute what the negative in K weighs in each ranking: sum w^2 / sum w of its negatives.

    The negatives of a unit C may rank together. So their usual weight is multiplied by
    sum_C (sum_C s)^2 / sum s^2, where s are the influences of negatives. If no negative is above a
    positive, all s are 0, and the weight is sum m^2 / sum m, where m is that of a unit's negatives.
    """
    usual = compute_usual_weight(sampled, label=False)
    if sampled.units_are_samples:
        return usual
    n, (ranking, pair) = sampled.n_rankings, sampled.pairs
    s = np.where(sampled.is_positive, 0, spread_slopes(sampled, slopes) * sampled.mass)
    together = np.bincount(ranking, np.bincount(pair, s, ranking.size) ** 2, n)
    apart = np.bincount(sampled.group, s**2, n)
    m = np.bincount(pair, sampled.mass * ~sampled.is_positive, ranking.size)
    whole, squares = np.bincount(ranking, m, n), np.bincount(ranking, m**2, n)
    factor = np.divide(squares, whole * usual, out=np.ones(n), where=whole > 0)
    factor = np.divide(together, apart, out=factor, where=apart > 0)
    return np.asarray(usual * factor.round(9))  # since a target may be missed by a rounding error


# --- influences of samples ------------------------------------------------------------------------


def compute_excess(sampled: SampledRankings, negative_weight: Array) -> Array:
    """Compute e, how much more the negative in K weighs than the positives' sum w^2 / sum w.

    In groups and micro averages, e is 0, so that influences are derivatives.
    """
    are_groups = sampled.rankings.kind == "groups" and sampled.n_rankings > 1
    if are_groups or sampled.is_micro:
        return np.zeros(sampled.n_rankings)
    positive_weight = compute_usual_weight(sampled, label=True)
    return np.asarray(np.maximum(negative_weight - positive_weight * (1 + 1e-9), 0))


def compute_deviations(sampled: SampledRankings, slopes: Slopes) -> Array:
    """Return the deviation of the mean for each unit, and each positive that wasn't scored."""
    values, fractions = sampled.values, sampled.fractions
    influence = spread_slopes(sampled, slopes)
    if sampled.weight is not None:
        influence = influence * sampled.mass
    if sampled.n_rankings > 1:
        influence = influence * fractions[sampled.group]
    drift = np.zeros(sampled.n_rankings)
    if sampled.rankings.average == "weighted":  # a positive also raises the fraction R / sum R
        drift = (values - fractions @ values) / sampled.n_positives.sum()
        influence = influence + drift[sampled.group] * sampled.is_positive * sampled.mass
    deviations = influence
    if sampled.n_rankings > 1 or not sampled.units_are_samples:
        deviations = np.bincount(sampled.unit, influence, sampled.n_units)
    if sampled.n_unscored.any():
        # Unscored weight raises R alone, which lowers the value by v/R.
        per_weight = drift - fractions * values / np.maximum(sampled.n_positives, 1e-300)
        # Their number n may have a fraction: ceil(n) deviations have squares that add up to n.
        share = sampled.n_unscored / np.maximum(sampled.n_unscored_units, 1)
        unscored = per_weight * (np.sqrt(share) * sampled.unscored_weight)
        deviations = np.append(deviations, np.repeat(unscored, sampled.n_unscored_units))
    check_units(deviations.size)
    return unbias(deviations, deviations.size)


def spread_slopes(sampled: SampledRankings, slopes: Slopes) -> Array:
    """Return the influence of each sample on its ranking, for each unit of its weight."""
    samples, ends = sampled.samples, sampled.points.offsets[1:]
    kept = samples.scores_with_hits
    if sampled.rule.needs_every_point:
        kept = np.arange(samples.score_starts.size)
    # A negative has the influence of the next point at its score or below, 0 if there's none.
    until = np.insert(kept, ends, samples.score_offsets[1:] - 1)
    in_order = np.repeat(np.insert(slopes.between, ends, 0.0), np.diff(until, prepend=-1))
    in_order[kept] = slopes.tied
    n_hits = samples.is_hit[kept]
    if samples.has_ties:
        in_order = np.repeat(in_order, samples.n_tied)
        hits_before = np.append(0, np.cumsum(samples.is_hit))
        first = samples.score_starts[kept]
        n_hits = hits_before[first + samples.n_tied[kept]] - hits_before[first]
    in_order[samples.is_hit] = np.repeat(slopes.positive, n_hits)
    influence = np.empty(in_order.size)
    influence[samples.order] = in_order
    return influence
