"""What a sample may lack, and how far that moves the ends of the textbook's interval and test.

A sample may lack kinds of units that make up a small fraction of the population, negatives that
rank first, or a group that fails. The textbook's interval knows only what is in the sample. Each
rule below says why it's here; docs/method.md has what each of them buys, and what it costs.

In formulas, v is the value, l and h are the textbook's ends, R the positives of a ranking, w the
weight of a sample, s its influence, and u the effective number of units.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit, logit

from .._core import PerRanking
from .influences import Derivatives, spread_derivatives
from .textbook import ROUNDING, PerUnit, TTest, combine_degrees_of_freedom, compute_reach
from .units import SampledRankings
from .variation import NegativesOnTop, Variation

Ends = tuple[float, float]

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


def compute_interval(variation: Variation, level: float) -> Ends:
    """Compute the textbook's interval of a value, widened by what the sample may lack.

    The plain interval stands in for it if a single unit doesn't tell how much the value varies,
    or if the value has no limits and so no logit scale.
    """
    v, (lowest, highest) = variation.value, variation.limits
    variances = [float(np.sum(kind.deviations**2)) for kind in variation.kinds]
    degrees = combine_degrees_of_freedom(variances, [kind.n_effective for kind in variation.kinds])
    reach, width = compute_reach(variation.standard_error, degrees, level), highest - lowest
    if variation.n_effective <= 1 or not np.isfinite(width):
        reach = reach if variation.varies else np.inf
        return max(v - reach, lowest), min(v + reach, highest)
    on_scale = (v - lowest) / width
    if variation.varies and ROUNDING < on_scale < 1 - ROUNDING:
        # On the logit scale, the standard error is S/(v(1 - v)).
        shift = reach / width / (on_scale * (1 - on_scale))
        low, high = lowest + width * expit(logit(on_scale) + np.array([-shift, shift]))
        low, high = widen(variation, float(low), float(high), reach, level)
    else:
        low, high = bound_without_variance(variation, level)
    low, high = max(low - variation.bias, lowest), min(high, highest)
    return min(low, v), max(high, v)


def bound_without_variance(variation: Variation, level: float) -> Ends:
    """Return how low and how high a value may be that doesn't vary in the sample: a fraction c of
    the population may be as bad, or as good, as it can be.
    """
    v, c = variation.value, compute_unsampled_fraction(variation, level)
    lowest, highest = variation.limits[0], min(variation.limits[1], variation.perfect)
    if variation.unseen is not None:
        lowest, highest = variation.unseen
    n_negatives = count_unsampled_negatives(level) if variation.method == "resamples" else 1.0
    cost = variation.compute_cost(n_negatives)
    return v - max(c * (v - lowest), cost), v + c * (highest - v)


def widen(variation: Variation, low: float, high: float, reach: float, level: float) -> Ends:
    """Move the ends of the textbook's interval out by what one more unit may change, each in
    quadrature, as what varies by itself. What that is in a user's function isn't known.
    """
    v, n_units = variation.value, variation.n_effective + 1
    if variation.method == "function":
        return low, high
    if variation.method == "resamples":
        # Values with a cutoff or a target jump, so that resamples show too little of how low they
        # may be: units and negatives of which one in 40 samples has none move the low end at least
        # as far. The limits of such values vary, so that the high end is that of the logit or the
        # plain interval.
        lowest, _ = bound_without_variance(variation, level)
        return min(lowest, v - reach), max(high, v + reach)
    if variation.unseen is not None:  # The groups show how low, and how high, one more unit may be.
        loss, gain = ((v - unseen) / n_units for unseen in variation.unseen)
    else:  # One more negative may rank first, and the positives of one more unit may be perfect.
        loss, gain = variation.compute_cost(1.0), (variation.limits[1] - v) / n_units
    return v - float(np.hypot(v - low, loss)), v + float(np.hypot(high - v, gain))


def list_statistics(variation: Variation, level: float) -> dict[str, Any]:
    """Return the value with its interval, and what these rest on, as results have it."""
    low, high = compute_interval(variation, level)
    names = ("value", "standard_error", "chance", "basis", "n_samples", "n_positives")
    statistics = {name: getattr(variation, name) for name in names}
    return statistics | {"low": low, "high": high, "units": variation.n_effective}


def bound_one_more(values: PerUnit, bottom: float, top: PerUnit, fractions: PerUnit) -> Ends:
    """Return the lowest and the highest value that one more unit may have, whose value is the mean
    over its groups.

    A unit loses (top - value)/(top - bottom) to a perfect one. One more may lose more than the
    worst one by half the range of the losses, on the logarithmic scale: seeds that differ little
    stay close together, and where a unit is perfect, another one may lose everything. If lower
    values are better, the top is below the bottom.
    """
    reach = float(fractions @ top) - bottom
    can_vary = np.abs(top - bottom) > 0
    losses = (top - values)[can_vary] / (top - bottom)[can_vary]
    worst, best = (float(losses.max()), float(losses.min())) if losses.size else (0.0, 0.0)
    if worst - best <= ROUNDING:  # Nothing shows how far others may be.
        worst, best = 1.0, 0.0
    else:
        more = np.sqrt(worst / best) if best > ROUNDING else np.inf
        worst, best = min(worst * more, 1.0), best / more
    low, high = sorted(bottom + reach * (1 - loss) for loss in (worst, best))
    return low, high


# --- claims about a margin ------------------------------------------------------------------------


def allow_for_margin(
    test: TTest, a: Variation, b: Variation, level: float, largest: float
) -> TTest:
    """Move ends out for claims about a margin: a distance r becomes sqrt(r^2 + K^2 + c^2). No
    difference exceeds the largest one.

    The least margin is sqrt(K^2 + c^2): how much models may differ on what the sample lacks, if
    they differ there by the largest difference that they can have, or if there is no largest one,
    by the farther end of the interval. A claim such as "no worse" is about rare failures, too, so
    that K is what as many negatives would cost as a sample may lack. Seeds may fail as rows may, so
    that the kind of crossed units counts of which the sample lacks most. Copies can't fail, as
    seeds that change no score.
    """
    costs, losses = [], []
    crossed = [kind for kind in (*a.crossed, *b.crossed) if not kind.has_copies]
    for kind in (a, b, *crossed):
        costs.append(kind.compute_cost(count_unsampled_negatives(level), in_margins=True))
        farthest = largest
        if not np.isfinite(largest):
            farthest = max(map(abs, compute_interval(kind, level)))
        losses.append(compute_unsampled_fraction(kind, level) * farthest)
    least_margin = float(np.hypot(max(losses), max(costs)))
    below = float(np.hypot(test.difference - test.low, least_margin))
    above = float(np.hypot(test.high - test.difference, least_margin))
    return replace(
        test,
        margin_low=max(test.difference - below, -largest),
        margin_high=min(test.difference + above, largest),
        least_margin=least_margin,
    )


# --- negatives that rank first --------------------------------------------------------------------


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


def find_negatives(sampled: SampledRankings, derivatives: Derivatives) -> NegativesOnTop:
    """Find out what the negative in K weighs in each ranking: sum w^2 / sum w of its negatives.

    The negatives of a unit C may rank together. So their usual weight is multiplied by
    sum_C (sum_C s)^2 / sum s^2, where s are the influences of negatives. If no negative is above a
    positive, all s are 0, and the weight is sum m^2 / sum m, where m is that of a unit's negatives.
    In a margin, it's that at least, since those of a unit that the sample lacks may rank together
    even if those in the sample don't.
    """
    usual, n = compute_usual_weight(sampled, label=False), sampled.n_rankings
    factor = of_whole_units = np.ones(n)
    if not sampled.units_are_samples:
        # The ranking of each pair of a ranking and a unit in it, and the pair of each sample.
        ranking, pair = np.zeros(sampled.units.n_units, np.int64), sampled.unit
        if n > 1:
            keys = sampled.ranking * sampled.n_units + sampled.unit
            pairs, pair = np.unique(keys, return_inverse=True)
            ranking = pairs // sampled.n_units
        s = spread_derivatives(sampled, derivatives) * sampled.mass
        s = np.where(sampled.is_positive, 0, s)
        together = np.bincount(ranking, np.bincount(pair, s, ranking.size) ** 2, n)
        apart = np.bincount(sampled.ranking, s**2, n)
        m = np.bincount(pair, sampled.mass * ~sampled.is_positive, ranking.size)
        mass, squares = np.bincount(ranking, m, n), np.bincount(ranking, m**2, n)
        of_whole_units = np.divide(squares, mass * usual, out=np.ones(n), where=mass > 0)
        factor = np.divide(together, apart, out=of_whole_units.copy(), where=apart > 0)
    return NegativesOnTop(
        rule=sampled.rule,
        points=sampled.points,
        values=sampled.values,
        fractions=sampled.fractions,
        n_shared=round(sampled.n_shared),
        # A rounding error in a weight could miss a target precision.
        weight=usual * factor.round(9),
        weight_in_margins=usual * np.maximum(factor, of_whole_units).round(9),
    )


def compute_extra_weight(sampled: SampledRankings, negative_weight: PerRanking) -> PerRanking:
    """Compute e, how much more the negative in K weighs than the positives' sum w^2 / sum w.

    A derivative misses how much a heavy negative takes. In groups and micro averages, e is 0, so
    that influences are derivatives.
    """
    has_groups = sampled.rankings.kind == "groups" and sampled.n_rankings > 1
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
    points, R = sampled.points, sampled.n_positives
    n_units = np.bincount(sampled.positive_masses[0], minlength=sampled.n_rankings)
    mass = points.repeat(R / np.maximum(n_units, 1))
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
    return np.where(n_equal < 2, sampled.fractions * sampled.values, 0.0)
