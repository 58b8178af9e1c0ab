"""Influences of samples on an area under a curve: its derivatives by their weights, times these.

The areas of step, interpolated and linear average precision are sums over points of
width * hits/samples. In formulas, T and N are the positives and all samples at a point or above it,
R the positives of a ranking, and v its value.
"""

from typing import NamedTuple

import numpy as np

from .._core import PerPoint, PerRanking, PerSample, PointRule, Points
from .textbook import PerUnit
from .units import SampledRankings, check_units


class Derivatives(NamedTuple):
    """Derivatives of the value of a ranking by the weight of a sample, at each point."""

    positive: PerPoint
    negative: PerPoint
    negative_above: PerPoint  # The negative is between the previous point and this one.


def differentiate(
    rule: PointRule, points: Points, values: PerRanking, extra_weight: PerRanking
) -> Derivatives:
    """Compute the derivatives of the values of rankings by the weights of their samples.

    One more positive raises a precision T/N by (1 - T/N)/N, and one more negative lowers it by
    T/N^2. A derivative misses how much a heavy negative takes: with an extra weight e in each
    ranking over that of a positive, it's T/(N max(N - e, T)).
    """
    R, height = points.repeat(points.n_positives), np.zeros(points.hits.size)
    positive, negative, negative_above = height, height, height
    # The area is a sum of parts, and so are its derivatives.
    for part in rule.find_parts(points):
        share, left = part.width / part.samples / R, part.samples
        if extra_weight.any():
            left = np.maximum(left - points.repeat(extra_weight), np.maximum(part.hits, 1e-300))
        lift, cost = share * (1 - part.hits / part.samples), -share * part.hits / left
        # Sums of several rankings at once would differ from 0 by rounding where one has no more.
        lifts = points.accumulate_from_here(np.add, lift)
        costs = points.accumulate_from_here(np.add, cost)
        negative_above = negative_above + costs
        if part.is_just_above:  # Samples at a point don't change the precision above it.
            lifts, costs = lifts - lift, costs - cost
        height, positive, negative = height + part.height, positive + lifts, negative + costs
    positive = positive + (height - points.repeat(values)) / R
    return Derivatives(positive, negative, negative_above)


# --- influences of samples and units --------------------------------------------------------------


def spread_derivatives(sampled: SampledRankings, derivatives: Derivatives) -> PerSample:
    """Return the derivative of the value of its ranking by the weight of each sample."""
    samples, n_rankings = sampled.samples, sampled.n_rankings
    is_point = np.zeros(samples.score_starts.size, dtype=bool)
    is_point[samples.scores_with_hits] = True
    # A negative has the derivative of the first point at its score or below, 0 if there's none.
    next_point = np.cumsum(is_point) - is_point
    if n_rankings > 1:
        next_point += np.repeat(np.arange(n_rankings), np.diff(samples.score_offsets))
    negative_above = np.insert(derivatives.negative_above, sampled.points.offsets[1:], 0.0)
    in_order = negative_above[next_point]
    if samples.has_ties:
        in_order[is_point] = derivatives.negative
        of_positive = np.zeros(is_point.size)
        of_positive[is_point] = derivatives.positive
        of_scores = (np.repeat(each, samples.n_tied) for each in (of_positive, in_order))
        in_order = np.where(samples.is_hit, *of_scores)
    else:
        in_order[is_point] = derivatives.positive
    spread = np.empty(in_order.size)
    spread[samples.order] = in_order
    return spread


def compute_deviations(sampled: SampledRankings, derivatives: Derivatives) -> PerUnit:
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
    if sampled.n_rankings > 1 or sampled.missed.unit.size or not sampled.units_are_samples:
        deviations = np.bincount(sampled.unit, influence, sampled.n_units)
    # Unscored weight raises R alone, which lowers the value by v/R.
    per_weight = drift - fractions * values / np.maximum(sampled.n_positives, 1e-300)
    if sampled.missed.unit.size:
        # So the squares of rounded up numbers add up to those of numbers with a fraction.
        mass = np.sqrt(sampled.missed.mass * sampled.missed.usual_mass)
        lowered = per_weight[sampled.missed.ranking] * mass
        deviations = deviations + np.bincount(sampled.missed.unit, lowered, sampled.n_units)
    check_units(deviations.size)
    # So their squares add up to an unbiased variance.
    return np.asarray(deviations * np.sqrt(deviations.size / (deviations.size - 1)))
