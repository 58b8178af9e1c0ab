"""Influences of samples on an area under a curve: its derivatives by their weights.

The areas of step, interpolated and linear average precision are sums over points of
width * hits/samples. In formulas, T and N are the positives and all samples at a point or above it.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np

from .._core import Array, PointRule, Points
from .._core.rules import Part
from .._core.steps import accumulate


class Slopes(NamedTuple):
    """Influences of samples of weight 1, at each point."""

    positive: Array
    tied: Array  # of a negative there
    between: Array  # of a negative between the previous point and this one


def compute_slopes(rule: PointRule, points: Points, values: Array, excess: Array) -> Slopes:
    """Compute the influences of samples on the values of their rankings.

    One more positive raises a precision T/N by (1 - T/N)/N, and one more negative lowers it by
    T/N^2. A derivative misses how much a heavy negative takes: with an excess e of its weight over
    that of a positive, it's T/(N max(N - e, T)).
    """
    parts = rule.find_parts(points)
    whole = points.repeat(points.n_positives)
    # The area is a sum of parts, and so are its derivatives.
    of_parts = [compute_part_slopes(points, part, whole, excess) for part in parts]
    positive, tied, between = (reduce(np.add, each) for each in zip(*of_parts, strict=True))
    height = reduce(np.add, [part.height for part in parts])
    positive += (height - points.repeat(values)) / whole
    return Slopes(positive, tied, between)


def compute_part_slopes(points: Points, part: Part, whole: Array, excess: Array) -> Slopes:
    """Compute the influences of samples on the precisions of a part of an area.

    With many points, the time goes to new memory, so that arrays are used again.
    """
    share = part.width / part.samples
    share /= whole
    cost = share * part.hits
    lift = part.hits / part.samples
    np.subtract(1, lift, out=lift)
    lift *= share
    left = part.samples
    if excess.any():
        left = np.maximum(left - points.repeat(excess), np.maximum(part.hits, 1e-300))
    np.negative(cost, out=cost)
    cost /= left
    positive, negative = sum_from_here(points, lift), sum_from_here(points, cost)
    if not part.is_just_above:
        return Slopes(positive, negative, negative)
    # Samples at a point don't change the precision above it.
    return Slopes(positive - lift, negative - cost, negative)


def compute_biases(rule: PointRule, points: Points, mass: Array) -> Array:
    """Compute how much each ranking is too high, because positives count in their own precision.

    Without m, the mass of its unit, a precision T/N is (T - m)/(N - m). It falls by
    (1 - T/N) m/(N - m).
    """
    whole, mass = points.repeat(points.n_positives), points.repeat(mass)
    biases = np.zeros(points.n_rankings)
    for part in rule.find_parts(points):
        left = np.maximum(part.samples - mass, np.maximum(part.hits, 1e-300))
        biases += points.sum(part.width / whole * (1 - part.hits / part.samples) * mass / left)
    return biases


def sum_from_here(points: Points, values: Array) -> Array:
    """Add up the values at each point and all later ones of its ranking.

    Sums of several rankings at once would differ from 0 by rounding where a ranking has no more.
    """
    backwards = points.offsets[-1] - points.offsets[::-1]
    return accumulate(np.add, values[::-1], backwards)[::-1]
