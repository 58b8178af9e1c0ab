"""What a sample may lack, and how far that moves the ends of the textbook's interval and test.

A sample may lack kinds of units that make up a small fraction of the population, negatives that
rank first, or a group that fails. The textbook's interval knows only what is in the sample. Each
rule below says why it's here; docs/method.md has what each of them buys, and what it costs.

In formulas, v is the value, R the positives of a ranking, w the weight of a sample, s its
influence, and u the effective number of units.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._core import PerRanking, PointRule, Points
from .influences import Derivatives, spread_derivatives
from .textbook import ROUNDING, PerUnit, TTest, compute_logit_interval
from .units import SampledRankings
from .variation import Variation

# --- the interval of a value ----------------------------------------------------------------------


def compute_unsampled_fraction(variation: Variation, level: float) -> float:
    """Compute c = 1 - 0.025^(1/u): one in 40 samples (at the usual level) lacks a kind of units
    that makes up this fraction of the population.
    """
    return float(1 - ((1 - level) / 2) ** (1 / variation.n_effective))


def count_unsampled_negatives(level: float) -> float:
    """Return -log(0.025) = 3.69: if so many negatives that rank first are expected, one in 40
    samples has none.
    """
    return -float(np.log((1 - level) / 2))


def compute_interval(variation: Variation, level: float) -> tuple[float, float]:
    """Compute the textbook's interval of a value, widened by what the sample may lack.

    The plain interval stands in for it if a single unit doesn't tell how much the value varies,
    or if the value has no limits and so no logit scale.
    """
    lowest, highest = variation.limits
    if variation.n_effective <= 1 or not np.isfinite(highest - lowest):
        reach = variation.compute_reach(level) if variation.varies else np.inf
        return max(variation.value - reach, lowest), min(variation.value + reach, highest)
    if not variation.greater_is_better:
        low, high = compute_interval(variation.mirror(), level)
        return -high, -low
    width = highest - lowest
    low, high = widen_interval(variation, (variation.value - lowest) / width, width, level)
    low, high = max(low - variation.bias / width, 0.0), min(high, 1.0)
    return min(lowest + low * width, variation.value), max(lowest + high * width, variation.value)


def widen_interval(
    variation: Variation, value: float, width: float, level: float
) -> tuple[float, float]:
    """Return the ends of the interval on the scale on which the limits are 0 and 1.

    One more unit moves both ends, in quadrature, as what varies by itself: a negative that ranks
    first costs K, positives may all be perfect, and groups show how low and how high another one
    may be. What a unit may change in a user's function isn't known.

    Values with a cutoff or a target jump, so that resamples show too little of how low they may be:
    rare units and negatives, of which one in 40 samples has none, move the low end at least as far.
    Their limits vary, so that the high end is that of the logit scale or the plain one.
    """
    unsampled = compute_unsampled_fraction(variation, level)
    is_resampled = variation.source == "resamples"
    cost = variation.compute_cost(count_unsampled_negatives(level) if is_resampled else 1.0) / width
    worst, best = 0.0, min(variation.perfect / width, 1.0)
    if variation.unseen is not None:
        worst, best = ((each - variation.limits[0]) / width for each in variation.unseen)
    lowest = value - max(unsampled * (value - worst), cost)
    if not variation.varies or not 0 < value < 1 - ROUNDING:
        return lowest, value + unsampled * (best - value)
    reach = variation.compute_reach(level) / width
    low, high = compute_logit_interval(value, reach)
    if is_resampled:
        return min(lowest, value - reach), max(high, value + reach)
    one_more = 1 / (variation.n_effective + 1)
    if variation.has_groups:
        cost = one_more * (value - worst)
    gain = 0.0 if variation.source == "function" else one_more * (best - value)
    return value - float(np.hypot(value - low, cost)), value + float(np.hypot(high - value, gain))


def list_statistics(variation: Variation, level: float) -> dict[str, Any]:
    """Return the value with its interval, and what these rest on, as results have it."""
    low, high = compute_interval(variation, level)
    names = ("value", "standard_error", "chance", "basis", "n_samples", "n_positives")
    statistics = {name: getattr(variation, name) for name in names}
    return statistics | {"low": low, "high": high, "units": variation.n_effective}


def bound_one_more(
    values: PerUnit, bottom: float, top: PerUnit, fractions: PerUnit
) -> tuple[float, float]:
    """Return the worst and the best value that one more unit may have, whose value is the mean over
    its groups.

    A unit loses (top - value)/(top - bottom) to a perfect one. One more may lose more than the
    worst one by half the range of the losses, on the logarithmic scale: seeds that differ little
    stay close together, and where a unit is perfect, another one may lose everything.
    """
    reach = float(fractions @ top) - bottom
    can_vary = np.abs(top - bottom) > 0
    losses = (top - values)[can_vary] / (top - bottom)[can_vary]
    worst, best = (float(losses.max()), float(losses.min())) if losses.size else (0.0, 0.0)
    if worst - best <= ROUNDING:  # Nothing shows how far others may be.
        return bottom, bottom + reach
    more = np.sqrt(worst / best) if best > ROUNDING else np.inf
    worst, best = min(worst * more, 1.0), best / more
    return bottom + reach * (1 - worst), bottom + reach * (1 - best)


# --- claims about a margin ------------------------------------------------------------------------


def allow_for_margin(
    test: TTest, a: Variation, b: Variation, level: float, largest: float
) -> TTest:
    """Move ends out for claims about a margin: a distance r becomes sqrt(r^2 + K^2 + c^2).

    The least margin is sqrt(K^2 + c^2): how much models may differ on what the sample lacks, if
    they differ there by the largest difference that they can have. A claim such as "no worse" is
    about rare failures, too, so that K is what as many negatives would cost as a sample may lack.
    Seeds may fail as rows may, so that the kind of crossed units of which fewest are known counts.
    """
    n_negatives = count_unsampled_negatives(level)
    kinds = a, *a.crossed, b, *b.crossed
    cost = max(each.compute_cost_in_margins(n_negatives) for each in kinds)
    loss = max(compute_largest_loss(each, largest, level) for each in kinds)
    return move_ends(test, float(np.hypot(loss, cost)), largest)


def compute_largest_loss(variation: Variation, largest: float, level: float) -> float:
    """Compute how much models may differ if they differ by the largest difference in what the
    sample may lack. If there is no largest one, it's the farther end of the interval.
    """
    if not np.isfinite(largest):
        largest = max(map(abs, compute_interval(variation, level)))
    return compute_unsampled_fraction(variation, level) * largest


def move_ends(test: TTest, least_margin: float, largest: float) -> TTest:
    """Return a test whose ends for margins are so far out. No difference exceeds the largest."""
    below = float(np.hypot(test.difference - test.low, least_margin))
    above = float(np.hypot(test.high - test.difference, least_margin))
    return replace(
        test,
        margin_low=max(test.difference - below, -largest),
        margin_high=min(test.difference + above, largest),
        least_margin=least_margin,
    )


# --- negatives that rank first --------------------------------------------------------------------


def compute_losses(
    rule: PointRule, points: Points, values: PerRanking, weight: PerRanking
) -> PerRanking:
    """Compute what each ranking would lose to negatives of this weight above all others."""
    points_below = points._replace(above=points.above + points.repeat(weight))
    losses = np.maximum(values - np.nan_to_num(rule.values(points_below)), 0)
    return np.where(points.n_positives > 0, losses, 0.0)


def make_cost(sampled: SampledRankings, negative_weight: PerRanking) -> Callable[[float], float]:
    """Return K by a number of negatives: what the mean would lose if they ranked first, in the
    ranking in which that costs most, or in as many groups as a unit is in.
    """
    rule, points, values = sampled.rule, sampled.points, sampled.values
    fractions, n_shared = sampled.fractions, round(sampled.n_shared)

    def compute_cost(n_negatives: float) -> float:
        losses = compute_losses(rule, points, values, n_negatives * negative_weight)
        return float(np.sort(fractions * losses)[::-1][:n_shared].sum())

    return compute_cost


def compute_usual_weight(sampled: SampledRankings, label: bool) -> PerRanking:
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


def weigh_negative(
    sampled: SampledRankings, derivatives: Derivatives
) -> tuple[PerRanking, PerRanking]:
    """Compute what the negative in K weighs in each ranking, sum w^2 / sum w of its negatives, and
    what it weighs at least in claims about a margin.

    The negatives of a unit C may rank together. So their usual weight is multiplied by
    sum_C (sum_C s)^2 / sum s^2, where s are the influences of negatives. If no negative is above a
    positive, all s are 0, and the weight is sum m^2 / sum m, where m is that of a unit's negatives.
    In a margin, it's that at least, since those of a unit that the sample lacks may rank together
    even if those in the sample don't.
    """
    usual = compute_usual_weight(sampled, label=False)
    if sampled.units_are_samples:
        return usual, usual
    n, (ranking, pair) = sampled.n_rankings, sampled.pairs
    s = spread_derivatives(sampled, derivatives) * sampled.mass
    s = np.where(sampled.is_positive, 0, s)
    together = np.bincount(ranking, np.bincount(pair, s, ranking.size) ** 2, n)
    apart = np.bincount(sampled.ranking, s**2, n)
    m = np.bincount(pair, sampled.mass * ~sampled.is_positive, ranking.size)
    whole, squares = np.bincount(ranking, m, n), np.bincount(ranking, m**2, n)
    of_whole = np.divide(squares, whole * usual, out=np.ones(n), where=whole > 0)
    factor = np.divide(together, apart, out=of_whole.copy(), where=apart > 0)
    # A rounding error in the weight could miss a target precision.
    factor, at_least = factor.round(9), np.maximum(factor, of_whole).round(9)
    return np.asarray(usual * factor), np.asarray(usual * at_least)


def compute_extra_weight(sampled: SampledRankings, negative_weight: PerRanking) -> PerRanking:
    """Compute e, how much more the negative in K weighs than the positives' sum w^2 / sum w.

    A derivative misses how much a heavy negative takes. In groups and micro averages, e is 0, so
    that influences are derivatives.
    """
    has_groups = sampled.rankings.source == "groups" and sampled.n_rankings > 1
    if has_groups or sampled.is_micro:
        return np.zeros(sampled.n_rankings)
    positive_weight = compute_usual_weight(sampled, label=True)
    return np.asarray(np.maximum(negative_weight - positive_weight * (1 + 1e-9), 0))


# --- classes --------------------------------------------------------------------------------------


def compute_bias(sampled: SampledRankings) -> float:
    """Compute how much too high a mean over classes is, because positives count in their own
    precision.

    Without m, the mass of its unit, a precision T/N is (T - m)/(N - m). It falls by
    (1 - T/N) m/(N - m).
    """
    if not sampled.has_several:
        return 0.0
    points, R = sampled.points, sampled.n_positives
    mass = points.repeat(R / np.maximum(sampled.count_units_in_each(), 1))
    biases = np.zeros(points.n_rankings)
    for part in sampled.rule.find_parts(points):
        left = np.maximum(part.samples - mass, np.maximum(part.hits, 1e-300))
        falls = (1 - part.hits / part.samples) * mass / left
        biases += points.sum(part.width / points.repeat(R) * falls)
    return float(sampled.fractions @ biases)


def list_rare_parts(sampled: SampledRankings) -> PerRanking:
    """Return what rankings add to the mean if they rest on fewer than two equal units, and 0 for
    others: a single unit doesn't show how much its class varies.
    """
    ranking, m = sampled.positive_masses
    squares = np.bincount(ranking, m**2, sampled.n_rankings)
    n_equal = sampled.n_positives**2 / np.where(squares > 0, squares, np.inf)  # u = R^2 / sum m^2
    is_rare = sampled.has_several & (n_equal < 2)
    return np.where(is_rare, sampled.fractions * sampled.values, 0.0)
