"""Confidence intervals of drawn curves: one for the value, and a band around the curve."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._names import written
from .._validation.rankings import Sample
from .._validation.samples import apply_n_positives
from .._variation import Question, method_of, resamples_of_curve, varied
from ..core.intervals import ROUNDING, Spread, limits
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.rules import AreaRule, Step
from ..core.segments import Array
from ..core.variation import heights, hits
from .artists import defined, families_of, have_groups

SPOTS = np.linspace(0, 1, 101)[1:]  # positions at which the band is computed
_MOST_POINTS = 500  # of more positives, neighbors are merged, which makes no visible difference
_SEED = 0  # so that a picture is the same each time


@dataclass(frozen=True, eq=False)
class Band:
    """Confidence band around the curve of a definition, and the interval of its value.

    Parameters
    ----------
    label : str
        The definition, as the legend shows it.
    confidence_level : float
        The proportion of such intervals that should contain the true value.
    interval : tuple of float
        The ends of the interval of the value.
    x, low, high : ndarray
        Positions on the x axis, and the ends of the interval of the curve there.
    fraction_of : str, default=None
        What the y axis of a hit curve shows.
    """

    label: str
    confidence_level: float
    interval: tuple[float, float]
    x: Array
    low: Array
    high: Array
    fraction_of: str | None = None


def spots_of_hits(n_samples: int) -> Array:
    """Return positions that are dense enough on a linear axis and on a logarithmic one."""
    return np.union1d(SPOTS, np.geomspace(1 / n_samples, 1, SPOTS.size))


def band_of(rule: AreaRule, sample: Sample, level: float) -> Band:
    """Compute the band of a definition, with samples or clusters as the sampling units."""
    found, rankings = _spread(rule, sample), sample.rankings
    area = rule.area(apply_n_positives(rankings.points(rule.depth), rankings))
    end = float(area.width.sum() / area.whole.item())
    x = np.linspace(0, end, SPOTS.size + 1)[1:]
    drawn = _resamples(rule, sample, lambda points: heights(rule.area(points), x))
    # The end is 0 if no positive is in the top k.
    trials = np.maximum(np.floor(found.trials * x / (end or 1.0)), 1.0)
    curve = heights(area, x)[0]
    low, high = _middle(curve, drawn, trials, level)
    return Band(written(rule, "short"), level, found.limits(level), x, low, high)


def bands_of_hits(sample: Sample, level: float) -> list[Band]:
    """Compute the band of a hit curve for each value of `fraction_of`."""
    found, rankings = _spread(Step(), sample), sample.rankings
    points = rankings.points(None)
    size, n_found = points.n_samples.item(), points.n_positives.item()
    points = apply_n_positives(points, rankings)
    positives = points.n_positives.item()
    x = spots_of_hits(rankings.scores.size)

    def shares(points: OperatingPoints) -> Array:
        """Return precision and recall where these fractions of the samples are detected."""
        caught, exist = hits(points, x), points.n_positives[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # nan in a resample without positives
            return np.hstack([caught / (x * points.n_samples[:, np.newaxis]), caught / exist])

    precision, recall = np.split(shares(points)[0], 2)
    drawn_p, drawn_r = np.split(_resamples(Step(), sample, shares), 2, axis=1)
    trials = np.maximum(np.floor(_effective(sample) * x), 1.0)
    low, high = _middle(precision, drawn_p, trials, level)
    # You can't find more than you detect, and the first samples may all be hits by chance.
    low_r, high_r = _middle(recall, drawn_r, np.broadcast_to(found.trials, x.shape), level)
    if n_found and low[-1]:
        high_r = np.minimum(high_r, x / low[-1] * (n_found / positives))
    low_r = np.where(precision > 1 - ROUNDING, np.minimum(low_r, low * x * size / positives), low_r)
    if rankings.n_positives is None:
        low_r[-1] = 1.0  # if everything is detected, everything is found
    interval = found.limits(level)
    return [
        Band(written(Step(), "short"), level, interval, x, *_rising(low * x, high * x), "samples"),
        Band(written(Step(), "short"), level, interval, x, *_rising(low_r, high_r), "positives"),
    ]


def band_over(
    curves: Sequence[Any],
    height: Callable[[Any], Array],
    x: Array,
    level: float,
    rule: AreaRule,
    sample: Sample | None,
) -> Band:
    """Compute the band around the mean curve, with the folds or groups as the sampling units.

    `height` returns the heights of a curve at `x`. A group on several folds counts with its mean.
    The interval of a sample with groups is that of `confidence_interval`.
    """
    units = families_of(curves) if have_groups(curves) else [[curve] for curve in curves]
    known = [found for unit in units if (found := defined(unit))]
    if len(known) < 2:
        words = "groups" if have_groups(curves) else "folds"
        raise ValueError(
            f"confidence_level needs at least two {words}, because the {words} are the sampling "
            "units."
        )
    values = np.array([np.mean([curve.value for curve in unit]) for unit in known])
    y = np.stack([sum(map(height, unit)) / len(unit) for unit in known])
    band = band_over_units(curves[0].label, values, x, y, level)
    if sample is None:
        return band
    return replace(band, interval=_spread(rule, sample).limits(level))


def band_over_units(label: str, values: Array, x: Array, curves: Array, level: float) -> Band:
    """Compute the band around the mean over units.

    The units have one value each, and one row of `curves`, which are the heights at `x`.
    """
    n_units = np.array([len(values)])
    each = np.column_stack([values, curves])
    errors = each.std(axis=0, ddof=1) / np.sqrt(len(values))
    is_constant = np.ptp(each, axis=0) <= ROUNDING
    errors[is_constant] = 0
    low, high = limits(each.mean(axis=0), errors, n_units, n_units - 1.0, level, is_constant)
    return Band(label, level, (low[0], high[0]), x, low[1:], high[1:])


def of_hits(band: Band, fraction_of: str, has_all: bool) -> Band:
    """Make both ends of a band nondecreasing, as a hit curve is."""
    low, high = _rising(band.low, band.high)
    if has_all:
        low[-1] = 1.0  # if everything is detected, everything is found
    return replace(band, low=low, high=high, fraction_of=fraction_of)


def _rising(low: Array, high: Array) -> tuple[Array, Array]:
    """Widen a band where its ends decrease.

    An interval must not be cut to what holds at another position: after nothing but hits, the lower
    end depends on chance, but where all samples are detected, it depends on the fraction of
    positives, which may be lower.
    """
    return np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)


def _middle(curve: Array, drawn: Array, trials: Array, level: float) -> tuple[Array, Array]:
    """Compute the interval at each position from resamples, which bend where positives run out."""
    errors = np.asarray(np.nanstd(drawn, axis=0, ddof=1))
    return limits(curve, errors, trials, np.maximum(trials[-1:] - 1, 1), level, drawn=drawn)


def _spread(rule: AreaRule, sample: Sample) -> Spread:
    """Estimate how much the value varies."""
    method = method_of("auto", rule, sample.by_query)
    question = Question(rule, method, None, _SEED)
    return varied(question, sample).spread


def _resamples(rule: AreaRule, sample: Sample, curve: Callable[[OperatingPoints], Array]) -> Array:
    question = Question(rule, "bootstrap", None, _SEED)
    return resamples_of_curve(question, _joined(sample.rankings), curve, sample.clusters)


def _effective(sample: Sample) -> float:
    """Return the effective sample size: as many unweighted samples would be as informative."""
    weight = sample.rankings.weight
    if sample.clusters is not None:
        return float(sample.clusters.size)
    if weight is None:
        return float(sample.rankings.scores.size)
    return float((weight / weight.max()).sum() ** 2 / ((weight / weight.max()) ** 2).sum())


def _joined(rankings: Rankings) -> Rankings:
    """Merge neighboring scores of a ranking that has many positives.

    Scores at the top stay distinct, because a logarithmic axis shows them one by one.
    """
    found = np.sort(rankings.scores[rankings.labels])
    if found.size <= _MOST_POINTS:
        return rankings
    even = np.linspace(0, found.size - 1, _MOST_POINTS)
    at_the_top = found.size - np.geomspace(1, found.size, _MOST_POINTS // 5)
    edges = found[np.union1d(even, at_the_top).astype(np.int64)]
    return replace(rankings, scores=np.searchsorted(edges, rankings.scores, side="right"))
