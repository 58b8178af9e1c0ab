"""How sure a curve is: an interval for its number, and a band around it, place by place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._estimate import Question, Sample, errors_of_curve, evidence
from .._validation import check_existing, check_method
from ..core.intervals import ROUNDING, Spread, limits
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.resampling import heights, hits
from ..core.rules import AreaRule, Step
from ..core.segments import Array

_SPOTS = 100  # where the band is known, evenly spaced
_MOST_POINTS = 500  # of more positives neighbours are drawn together: no eye could tell
_N_RESAMPLES = 999
_SEED = 0  # a picture is the same each time


@dataclass(frozen=True, eq=False)
class Band:
    """Between which numbers the curve of a definition may run in the population.

    Parameters
    ----------
    label : str
        The definition as the legend has it.
    confidence_level : float
        How often such intervals hold the truth.
    interval : tuple of float
        The ends of the interval around the number.
    x, low, high : ndarray
        The ends of the interval around the curve, one for each place on the x axis.
    """

    label: str
    confidence_level: float
    interval: tuple[float, float]
    x: Array
    low: Array
    high: Array


def band(rule: AreaRule, rankings: Rankings, level: float) -> Band:
    """The band of one ranking, whose samples are the units."""
    found = _spread(rule, rankings)
    area = rule.area(check_existing(rankings.points(rule.depth), rankings))
    end = float(area.width.sum() / area.whole.item())
    x = np.linspace(0, end, _SPOTS + 1)[1:]
    question = Question(rule, "bootstrap", _N_RESAMPLES, _SEED)
    errors = errors_of_curve(
        question, _joined(rankings), lambda points: heights(rule.area(points), x)
    )
    trials = np.maximum(np.floor(found.trials * x / end), 1.0)
    curve = heights(area, x)[0]
    low, high = limits(curve, errors, trials, trials - 1, level)
    return Band(rule.label, level, found.limits(level), x, low, high)


def bands_of_hits(rankings: Rankings, level: float) -> dict[str, Band]:
    """The bands of a hit curve, by what its y axis is a share of."""
    found, points = _spread(Step(), rankings), rankings.points(None)
    size, positives = points.n_samples.item(), points.n_positives.item()
    x = np.union1d(
        np.linspace(0, 1, _SPOTS + 1)[1:], np.geomspace(1 / rankings.scores.size, 1, _SPOTS)
    )

    def shares(points: OperatingPoints) -> Array:
        """Precision and recall where the best of these shares are detected."""
        caught, exist = hits(points, x), points.n_positives[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # nan in a resample without positives
            return np.hstack([caught / (x * points.n_samples[:, np.newaxis]), caught / exist])

    question = Question(Step(), "bootstrap", _N_RESAMPLES, _SEED)
    precision, recall = np.split(shares(points)[0], 2)
    errors = np.split(errors_of_curve(question, _joined(rankings), shares), 2)
    trials = np.maximum(np.floor(_effective(rankings) * x), 1.0)
    low, high = limits(precision, errors[0], trials, np.maximum(trials - 1, 1), level)
    # No more can be found than were detected; and all of the first may be hits by chance.
    low_r, high_r = limits(recall, errors[1], found.trials, found.trials - 1.0, level)
    high_r = np.minimum(high_r, x / low[-1])
    low_r = np.where(precision > 1 - ROUNDING, np.minimum(low_r, low * x * size / positives), low_r)
    low_r[-1] = 1.0  # who detects everything finds everything
    interval = found.limits(level)
    return {
        "samples": Band(Step().label, level, interval, x, *_rising(low * x, high * x)),
        "positives": Band(Step().label, level, interval, x, *_rising(low_r, high_r)),
    }


def _rising(low: Array, high: Array) -> tuple[Array, Array]:
    """The ends around a curve that never falls: what is found early is found later too."""
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]


def band_over_folds(
    rule: AreaRule, folds: Sequence[OperatingPoints], values: Sequence[float], level: float
) -> Band:
    """The band around the mean over folds, which are the units."""
    n_folds, x = np.array([len(folds)]), np.linspace(0, 1, _SPOTS + 1)[1:]
    curves = np.concatenate([heights(rule.area(points), x) for points in folds])
    each = np.column_stack([values, curves])
    errors = each.std(axis=0, ddof=1) / np.sqrt(len(folds))
    is_constant = np.ptp(each, axis=0) <= ROUNDING
    errors[is_constant] = 0
    low, high = limits(each.mean(axis=0), errors, n_folds, n_folds - 1.0, level, is_constant)
    return Band(rule.label, level, (low[0], high[0]), x, low[1:], high[1:])


def _spread(rule: AreaRule, rankings: Rankings) -> Spread:
    """How the number varies."""
    method = check_method("auto", rule, by_query=False)
    question = Question(rule, method, 2 * _N_RESAMPLES + 1, _SEED)
    return evidence(question, Sample(rankings)).spread


def _effective(rankings: Rankings) -> float:
    """How many samples without weights would say as much."""
    weight = rankings.weight
    if weight is None:
        return float(rankings.scores.size)
    return float((weight / weight.max()).sum() ** 2 / ((weight / weight.max()) ** 2).sum())


def _joined(rankings: Rankings) -> Rankings:
    """The same ranking with fewer distinct scores, if it has many positives. At the top they stay
    as they are, where a logarithmic axis shows them one by one.
    """
    found = np.sort(rankings.scores[rankings.labels])
    if found.size <= _MOST_POINTS:
        return rankings
    even = np.linspace(0, found.size - 1, _MOST_POINTS)
    at_the_top = found.size - np.geomspace(1, found.size, _MOST_POINTS // 5)
    edges = found[np.union1d(even, at_the_top).astype(np.int64)]
    return replace(rankings, scores=np.searchsorted(edges, rankings.scores, side="right"))
