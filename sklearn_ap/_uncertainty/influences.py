"""Influences of samples on an area under a curve: its derivatives by their weights, times these.

The areas of step, interpolated and linear average precision are sums over points of
width * hits/samples. In formulas, T and N are the positives and all samples at a point or above it,
R the positives of a ranking, v its value, w the weight of a sample, s its influence, and K the cost
of one more negative.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._core import Array, PointRule, Points, accumulate, rules
from .._core.rules import Part
from .units import SampledRankings, check_units


class Derivatives(NamedTuple):
    """Derivatives of the value of a ranking by the weight of a sample, at each point."""

    positive: Array
    negative: Array
    negative_above: Array  # The negative is between the previous point and this one.


def differentiate(
    rule: PointRule, points: Points, values: Array, extra_weight: Array
) -> Derivatives:
    """Compute the derivatives of the values of rankings by the weights of their samples.

    One more positive raises a precision T/N by (1 - T/N)/N, and one more negative lowers it by
    T/N^2. A derivative misses how much a heavy negative takes: with an extra weight e in each
    ranking over that of a positive, it's T/(N max(N - e, T)).
    """
    parts, R = rule.find_parts(points), points.repeat(points.n_positives)
    # The area is a sum of parts, and so are its derivatives.
    of_parts = [differentiate_part(points, part, R, extra_weight) for part in parts]
    height = sum(part.height for part in parts)
    positive, negative, negative_above = (sum(each) for each in zip(*of_parts, strict=True))
    positive = positive + (height - points.repeat(values)) / R
    return Derivatives(positive, negative, negative_above)


def differentiate_part(points: Points, part: Part, R: Array, extra_weight: Array) -> Derivatives:
    """Compute the derivatives of the precisions of a part of an area."""
    share = part.width / part.samples / R
    left = part.samples
    if extra_weight.any():
        left = np.maximum(left - points.repeat(extra_weight), np.maximum(part.hits, 1e-300))
    lift, cost = share * (1 - part.hits / part.samples), -share * part.hits / left
    positive, negative = sum_from_here(points, lift), sum_from_here(points, cost)
    if not part.is_just_above:
        return Derivatives(positive, negative, negative)
    # Samples at a point don't change the precision above it.
    return Derivatives(positive - lift, negative - cost, negative)


def differentiate_step(sampled: SampledRankings) -> Derivatives:
    """Compute the derivatives of average precision, for rules that have none: they say how
    negatives rank together.
    """
    step, points = rules.Step(), sampled.points
    values = np.nan_to_num(step.values(points))
    return differentiate(step, points, values, np.zeros(sampled.n_rankings))


def compute_biases(rule: PointRule, points: Points, mass: Array) -> Array:
    """Compute how much each ranking is too high, because positives count in their own precision.

    Without m, the mass of its unit, a precision T/N is (T - m)/(N - m). It falls by
    (1 - T/N) m/(N - m).
    """
    R, m = points.repeat(points.n_positives), points.repeat(mass)
    biases = np.zeros(points.n_rankings)
    for part in rule.find_parts(points):
        left = np.maximum(part.samples - m, np.maximum(part.hits, 1e-300))
        biases += points.sum(part.width / R * (1 - part.hits / part.samples) * m / left)
    return biases


def sum_from_here(points: Points, values: Array) -> Array:
    """Add up the values at each point and all later ones of its ranking.

    Sums of several rankings at once would differ from 0 by rounding where a ranking has no more.
    """
    backwards = points.offsets[-1] - points.offsets[::-1]
    return accumulate(np.add, values[::-1], backwards)[::-1]


# --- influences of samples and units --------------------------------------------------------------


def spread_derivatives(sampled: SampledRankings, derivatives: Derivatives) -> Array:
    """Return the derivative of the value of its ranking by the weight of each sample."""
    samples, ends = sampled.samples, sampled.points.offsets[1:]
    kept = samples.scores_with_hits
    if sampled.rule.needs_every_point:
        kept = np.arange(samples.score_starts.size)
    # A negative has the derivative of the next point at its score or below, 0 if there's none.
    until = np.insert(kept, ends, samples.score_offsets[1:] - 1)
    negative_above = np.insert(derivatives.negative_above, ends, 0.0)
    in_order = np.repeat(negative_above, np.diff(until, prepend=-1))
    in_order[kept] = derivatives.negative
    n_hits = samples.is_hit[kept]
    if samples.has_ties:
        in_order = np.repeat(in_order, samples.n_tied)
        hits_before = np.append(0, np.cumsum(samples.is_hit))
        first = samples.score_starts[kept]
        n_hits = hits_before[first + samples.n_tied[kept]] - hits_before[first]
    in_order[samples.is_hit] = np.repeat(derivatives.positive, n_hits)
    spread = np.empty(in_order.size)
    spread[samples.order] = in_order
    return spread


def compute_deviations(sampled: SampledRankings, derivatives: Derivatives) -> Array:
    """Return the deviation of the mean for each unit, and each positive that wasn't scored."""
    values, fractions = sampled.values, sampled.fractions
    influence = spread_derivatives(sampled, derivatives)
    if sampled.weight is not None:
        influence = influence * sampled.mass
    if sampled.n_rankings > 1:
        influence = influence * fractions[sampled.ranking]
    drift = np.zeros(sampled.n_rankings)
    if sampled.rankings.average == "weighted":  # a positive also raises the fraction R / sum R
        drift = (values - fractions @ values) / sampled.n_positives.sum()
        influence = influence + drift[sampled.ranking] * sampled.is_positive * sampled.mass
    deviations = influence
    if sampled.n_rankings > 1 or not sampled.units_are_samples:
        deviations = np.bincount(sampled.unit, influence, sampled.n_units)
    # Unscored weight raises R alone, which lowers the value by v/R.
    per_weight = drift - fractions * values / np.maximum(sampled.n_positives, 1e-300)
    if sampled.missed_unit.size:
        lowered = per_weight[sampled.missed_ranking]
        deviations = deviations + np.bincount(sampled.missed_unit, lowered, sampled.n_units)
    if sampled.n_unscored.any():
        # Their number n may have a fraction: ceil(n) deviations have squares that add up to n.
        share = sampled.n_unscored / np.maximum(sampled.n_unscored_units, 1)
        unscored = per_weight * (np.sqrt(share) * sampled.unscored_weight)
        deviations = np.append(deviations, np.repeat(unscored, sampled.n_unscored_units))
    check_units(deviations.size)
    return unbias(deviations, deviations.size)


def unbias(deviations: Array, n_units: int) -> Array:
    """Multiply deviations so that their squares add up to an unbiased variance."""
    return np.asarray(deviations * np.sqrt(n_units / (n_units - 1)))


# --- the cost of one more negative ----------------------------------------------------------------


def compute_losses(rule: PointRule, points: Points, values: Array, weight: Array) -> Array:
    """Compute what each ranking would lose to one more negative of this weight above all others."""
    moved = points._replace(above=points.above + points.repeat(weight))
    losses = np.maximum(values - np.nan_to_num(rule.values(moved)), 0)
    return np.where(points.n_positives > 0, losses, 0.0)


def find_cost(sampled: SampledRankings, negative_weight: Array) -> Callable[[float], float]:
    """Return K at a level: what the mean would lose if the negatives that the sample may lack
    ranked first, in the ranking in which that costs most, or in as many groups as a unit is in.

    If 3.69 such negatives are expected, a sample has none with a probability of exp(-3.69) = 0.025.
    """
    rule, points, values = sampled.rule, sampled.points, sampled.values
    fractions, n_shared = sampled.fractions, round(sampled.n_shared)

    def compute_cost(level: float) -> float:
        expected = -np.log((1 - level) / 2)
        losses = compute_losses(rule, points, values, expected * negative_weight)
        return float(np.sort(fractions * losses)[::-1][:n_shared].sum())

    return compute_cost


def compute_usual_weight(sampled: SampledRankings, label: bool) -> Array:
    """Compute sum w^2 / sum w over the samples with this label in each ranking, or if it has none,
    over all samples of all rankings.
    """
    n, mass = sampled.n_rankings, sampled.mass
    if sampled.weight is None:
        return np.ones(n)
    w = mass * (sampled.is_positive == label)
    sums = np.bincount(sampled.ranking, w, n)
    squares = np.bincount(sampled.ranking, w * mass, n)
    of_all = np.average(mass, weights=mass)
    return np.where(sums > 0, squares / np.maximum(sums, 1e-300), of_all)


def weigh_negative(sampled: SampledRankings, derivatives: Derivatives) -> Array:
    """Compute what the negative in K weighs in each ranking: sum w^2 / sum w of its negatives.

    The negatives of a unit C may rank together. So their usual weight is multiplied by
    sum_C (sum_C s)^2 / sum s^2, where s are the influences of negatives. If no negative is above a
    positive, all s are 0, and the weight is sum m^2 / sum m, where m is that of a unit's negatives.
    """
    usual = compute_usual_weight(sampled, label=False)
    if sampled.units_are_samples:
        return usual
    n, (ranking, pair) = sampled.n_rankings, sampled.pairs
    s = spread_derivatives(sampled, derivatives) * sampled.mass
    s = np.where(sampled.is_positive, 0, s)
    together = np.bincount(ranking, np.bincount(pair, s, ranking.size) ** 2, n)
    apart = np.bincount(sampled.ranking, s**2, n)
    m = np.bincount(pair, sampled.mass * ~sampled.is_positive, ranking.size)
    whole, squares = np.bincount(ranking, m, n), np.bincount(ranking, m**2, n)
    factor = np.divide(squares, whole * usual, out=np.ones(n), where=whole > 0)
    factor = np.divide(together, apart, out=factor, where=apart > 0)
    # A rounding error in the weight could miss a target precision.
    return np.asarray(usual * factor.round(9))


def compute_extra_weight(sampled: SampledRankings, negative_weight: Array) -> Array:
    """Compute e, how much more the negative in K weighs than the positives' sum w^2 / sum w.

    In groups and micro averages, e is 0, so that influences are derivatives.
    """
    has_groups = sampled.rankings.are_groups and sampled.n_rankings > 1
    if has_groups or sampled.is_micro:
        return np.zeros(sampled.n_rankings)
    positive_weight = compute_usual_weight(sampled, label=True)
    return np.asarray(np.maximum(negative_weight - positive_weight * (1 + 1e-9), 0))
