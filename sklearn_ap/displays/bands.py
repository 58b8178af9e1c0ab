"""Confidence intervals of drawn curves: one for the value, and a band around the curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._validation.pictures import check_enough_folds
from .._validation.samples import check_existing
from .._validation.units import Sample
from .._variation import errors_of_curve, method_of, varied
from .._variation.plans import Question
from ..core.intervals import ROUNDING, Spread, limits
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.rules import AreaRule, Step
from ..core.segments import Array
from ..core.variation import heights, hits
from .geometry import DrawnCurve

_SPOTS = 100  # evenly spaced positions at which the band is computed
_MOST_POINTS = 500  # of more positives, neighbors are merged, which makes no visible difference
_N_RESAMPLES = 999
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
    """

    label: str
    confidence_level: float
    interval: tuple[float, float]
    x: Array
    low: Array
    high: Array


def bands_of(rules: Sequence[AreaRule], rankings: Rankings, level: float | None) -> list[Band]:
    """Compute the band of each definition, with the samples as the sampling units, if wanted."""
    return [] if level is None else [_band(rule, rankings, level) for rule in rules]


def _band(rule: AreaRule, rankings: Rankings, level: float) -> Band:
    found = _spread(rule, rankings)
    area = rule.area(check_existing(rankings.points(rule.depth), rankings))
    end = float(area.width.sum() / area.whole.item())
    x = np.linspace(0, end, _SPOTS + 1)[1:]
    question = Question(rule, "bootstrap", _N_RESAMPLES, _SEED)
    errors = errors_of_curve(
        question, _joined(rankings), lambda points: heights(rule.area(points), x)
    )
    # The end is 0 if no positive is in the top k.
    trials = np.maximum(np.floor(found.trials * x / (end or 1.0)), 1.0)
    curve = heights(area, x)[0]
    low, high = limits(curve, errors, trials, trials - 1, level)
    return Band(rule.label, level, found.limits(level), x, low, high)


def bands_of_hits(rankings: Rankings, level: float) -> dict[str, Band]:
    """Compute the band of a hit curve for each value of `fraction_of`."""
    found, points = _spread(Step(), rankings), rankings.points(None)
    size, n_found = points.n_samples.item(), points.n_positives.item()
    points = check_existing(points, rankings)
    positives = points.n_positives.item()
    x = _spots_of_hits(rankings.scores.size)

    def shares(points: OperatingPoints) -> Array:
        """Return precision and recall where these shares of the samples are detected."""
        caught, exist = hits(points, x), points.n_positives[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # nan in a resample without positives
            return np.hstack([caught / (x * points.n_samples[:, np.newaxis]), caught / exist])

    question = Question(Step(), "bootstrap", _N_RESAMPLES, _SEED)
    precision, recall = np.split(shares(points)[0], 2)
    errors = np.split(errors_of_curve(question, _joined(rankings), shares), 2)
    trials = np.maximum(np.floor(_effective(rankings) * x), 1.0)
    low, high = limits(precision, errors[0], trials, np.maximum(trials - 1, 1), level)
    # You can't find more than you detect, and the first samples may all be hits by chance.
    low_r, high_r = limits(recall, errors[1], found.trials, found.trials - 1.0, level)
    if n_found:
        high_r = np.minimum(high_r, x / low[-1] * (n_found / positives))
    low_r = np.where(precision > 1 - ROUNDING, np.minimum(low_r, low * x * size / positives), low_r)
    if rankings.n_positives is None:
        low_r[-1] = 1.0  # if everything is detected, everything is found
    interval = found.limits(level)
    return {
        "samples": Band(Step().label, level, interval, x, *_rising(low * x, high * x)),
        "positives": Band(Step().label, level, interval, x, *_rising(low_r, high_r)),
    }


def bands_of_hits_over_folds(
    lines: Mapping[str, Sequence[tuple[Array, Array]]],
    values: Array,
    n_samples: int,
    level: float,
) -> dict[str, Band]:
    """Compute the band around the mean over folds for each value of `fraction_of`."""
    check_enough_folds(len(values))
    x = _spots_of_hits(n_samples)
    bands = {}
    for fraction_of, folds in lines.items():
        y = np.stack([np.interp(x, *line) for line in folds])
        band = band_over_folds(Step().label, values, x, y, level)
        low, high = _rising(band.low, band.high)
        if fraction_of == "positives" and np.all(y[:, -1] == 1):
            low[-1] = 1.0  # if everything is detected, everything is found
        bands[fraction_of] = replace(band, low=low, high=high)
    return bands


def _spots_of_hits(n_samples: int) -> Array:
    """Return positions that are dense enough on a linear axis and on a logarithmic one."""
    even = np.linspace(0, 1, _SPOTS + 1)[1:]
    return np.union1d(even, np.geomspace(1 / n_samples, 1, _SPOTS))


def _rising(low: Array, high: Array) -> tuple[Array, Array]:
    """Make both ends of the band nondecreasing, as a hit curve is."""
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]


def bands_over_folds(
    rules: Sequence[AreaRule],
    rankings: Sequence[Rankings],
    curves: Sequence[DrawnCurve],
    level: float | None,
) -> list[Band] | None:
    """Compute the band of each definition around the mean of its curves over folds, if wanted."""
    if level is None:
        return None
    folds = [ranking.curve()[0] for ranking in rankings]
    x = np.linspace(0, 1, _SPOTS + 1)[1:]
    bands = []
    for rule in rules:
        values = [curve.value for curve in curves if curve.label == rule.label]
        known = np.flatnonzero(~np.isnan(values))
        check_enough_folds(known.size)
        y = np.concatenate([heights(rule.area(folds[i]), x) for i in known])
        bands.append(band_over_folds(rule.label, np.array(values)[known], x, y, level))
    return bands


def band_over_folds(label: str, values: Array, x: Array, curves: Array, level: float) -> Band:
    """Compute the band around the mean over folds, with the folds as the sampling units.

    The folds have one value each, and one row of `curves`, which are the heights at `x`.
    """
    n_folds = np.array([len(values)])
    each = np.column_stack([values, curves])
    errors = each.std(axis=0, ddof=1) / np.sqrt(len(values))
    is_constant = np.ptp(each, axis=0) <= ROUNDING
    errors[is_constant] = 0
    low, high = limits(each.mean(axis=0), errors, n_folds, n_folds - 1.0, level, is_constant)
    return Band(label, level, (low[0], high[0]), x, low[1:], high[1:])


def _spread(rule: AreaRule, rankings: Rankings) -> Spread:
    """Estimate how much the value varies."""
    method = method_of("auto", rule, by_query=False)
    question = Question(rule, method, 2 * _N_RESAMPLES, _SEED)
    return varied(question, Sample(rankings)).spread


def _effective(rankings: Rankings) -> float:
    """Return the effective sample size: as many unweighted samples would be as informative."""
    weight = rankings.weight
    if weight is None:
        return float(rankings.scores.size)
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
