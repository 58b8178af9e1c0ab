"""How sure a curve is: an interval for its number, and a band around it, recall by recall."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._estimate import Question, Sample, errors_of_heights, evidence
from .._validation import check_existing, check_method
from ..core.intervals import ROUNDING, limits
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.resampling import heights
from ..core.rules import AreaRule
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
    method = check_method("auto", rule, by_query=False)
    question = Question(rule, method, 2 * _N_RESAMPLES + 1, _SEED)
    found = evidence(question, Sample(rankings)).spread
    area = rule.area(check_existing(rankings.points(rule.depth), rankings))
    end = float(area.width.sum() / area.whole.item())
    x = np.linspace(0, end, _SPOTS + 1)[1:]
    question = Question(rule, "bootstrap", _N_RESAMPLES, _SEED)
    errors = errors_of_heights(question, _joined(rankings), x)
    trials = np.maximum(np.floor(found.trials * x / end), 1.0)
    curve = heights(area, x)[0]
    low, high = limits(curve, errors, trials, trials - 1, level)
    return Band(rule.label, level, found.limits(level), x, low, high)


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


def _joined(rankings: Rankings) -> Rankings:
    """The same ranking with fewer distinct scores, if it has many positives."""
    found = np.sort(rankings.scores[rankings.labels])
    if found.size <= _MOST_POINTS:
        return rankings
    edges = found[np.linspace(0, found.size - 1, _MOST_POINTS).astype(np.int64)]
    return replace(rankings, scores=np.searchsorted(edges, rankings.scores, side="right"))
