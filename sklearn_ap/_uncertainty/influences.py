"""Influences of samples on an area under a curve: its derivatives by their weights, times these.

The areas of step, interpolated and linear average precision are sums over points of
width * hits/samples. In formulas, T and N are the positives and all samples at a point or above it,
R the positives of a ranking, and v its value.
"""

from typing import NamedTuple

import numpy as np

from .._core import PerPoint, PerRanking, PerSample, PointRule, Points, rules
from .._core.rules import Part
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
    parts, R = rule.find_parts(points), points.repeat(points.n_positives)
    # The area is a sum of parts, and so are its derivatives.
    of_parts = [differentiate_part(points, part, R, extra_weight) for part in parts]
    height = sum(part.height for part in parts)
    positive, negative, negative_above = (sum(each) for each in zip(*of_parts, strict=True))
    positive = positive + (height - points.repeat(values)) / R
    return Derivatives(positive, negative, negative_above)


def differentiate_part(
    points: Points, part: Part, R: PerPoint, extra_weight: PerRanking
) -> Derivatives:
    """Compute the derivatives of the precisions of a part of an area."""
    share = part.width / part.samples / R
    left = part.samples
    if extra_weight.any():
        left = np.maximum(left - points.repeat(extra_weight), np.maximum(part.hits, 1e-300))
    lift, cost = share * (1 - part.hits / part.samples), -share * part.hits / left
    # Sums of several rankings at once would differ from 0 by rounding where a ranking has no more.
    positive = points.accumulate_from_here(np.add, lift)
    negative = points.accumulate_from_here(np.add, cost)
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


# --- influences of samples and units --------------------------------------------------------------


def spread_derivatives(sampled: SampledRankings, derivatives: Derivatives) -> PerSample:
    """Return the derivative of the value of its ranking by the weight of each sample."""
    samples, ends = sampled.samples, sampled.points.offsets[1:]
    point_scores = samples.scores_with_hits
    # A negative has the derivative of the next point at its score or below, 0 if there's none.
    until = np.insert(point_scores, ends, samples.score_offsets[1:] - 1)
    negative_above = np.insert(derivatives.negative_above, ends, 0.0)
    in_order = np.repeat(negative_above, np.diff(until, prepend=-1))
    in_order[point_scores] = derivatives.negative
    n_hits = samples.is_hit[point_scores]
    if samples.has_ties:
        in_order = np.repeat(in_order, samples.n_tied)
        hits_before = np.append(0, np.cumsum(samples.is_hit))
        first = samples.score_starts[point_scores]
        n_hits = hits_before[first + samples.n_tied[point_scores]] - hits_before[first]
    in_order[samples.is_hit] = np.repeat(derivatives.positive, n_hits)
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
    if sampled.n_rankings > 1 or sampled.missed_unit.size or not sampled.units_are_samples:
        deviations = np.bincount(sampled.unit, influence, sampled.n_units)
    # Unscored weight raises R alone, which lowers the value by v/R.
    per_weight = drift - fractions * values / np.maximum(sampled.n_positives, 1e-300)
    if sampled.missed_unit.size:
        # So the squares of rounded up numbers add up to those of numbers with a fraction.
        mass = np.sqrt(sampled.missed_mass * sampled.missed_weight)
        lowered = per_weight[sampled.missed_ranking] * mass
        deviations = deviations + np.bincount(sampled.missed_unit, lowered, sampled.n_units)
    check_units(deviations.size)
    return unbias(deviations, deviations.size)


def unbias(deviations: PerUnit, n_units: int) -> PerUnit:
    """Multiply deviations so that their squares add up to an unbiased variance."""
    return np.asarray(deviations * np.sqrt(n_units / (n_units - 1)))
