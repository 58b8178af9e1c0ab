"""Coordinates of hit curves, and of the lines that they are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._finish import ZeroDivision
from ..core.intervals import ROUNDING
from ..core.operating_points import OperatingPoints
from ..core.rankings import Names, Rankings
from ..core.rules import Step
from ..core.segments import Array
from .families import Family, mean_over
from .geometry import points_of_each, values_of

_N_MEAN = 1000  # steps at which the mean of the curves of groups is computed
_N_BENT = 200  # points of a line that a logarithmic axis bends

Line = tuple[Array, Array]  # x and y
Floats = Sequence[float] | Array


@dataclass(frozen=True, eq=False)
class HitCurve:
    """The hit curve of one ranking.

    Parameters
    ----------
    detected : ndarray of shape (n_thresholds + 1,)
        The fraction of samples detected, from 0 to 1.
    hits : ndarray of shape (n_thresholds + 1,)
        The fraction of samples that are detected and positive.
    value : float, default=None
        The average precision, which the legend shows.
    prevalence : float, default=None
        The number of existing positives, found or not, divided by the number of samples. By
        default, all positives are among the samples.
    n_samples : int, default=None
        The number of samples. On a logarithmic axis, lines start at the first sample. If None, they
        start at the first operating point.
    group : object, default=None
        The group that was ranked.
    model : object, default=None
        The name of the model, if there are several.
    """

    detected: Any
    hits: Any
    value: float | None = None
    prevalence: float | None = None
    n_samples: int | None = None
    group: Any = None
    model: Any = None

    label = "AP"

    def whole(self, fraction_of: str) -> float:
        """Return what hits are divided by on the y axis."""
        if fraction_of == "samples":
            return 1.0
        return float(self.hits[-1]) if self.prevalence is None else self.prevalence

    def on_scale(self, fraction_of: str) -> Line:
        """Return the line to draw. The recall of no positives is 0/0, which has been replaced."""
        x, y, whole = np.asarray(self.detected), np.asarray(self.hits), self.whole(fraction_of)
        if whole:
            return x, y / whole
        height = 0.0 if self.value is None else self.value
        return (x[:0], y[:0]) if np.isnan(height) else (x, np.full(y.shape, height))


class Scale(NamedTuple):
    """What hit curves on the same axes share: the lines that they are compared with."""

    perfect: Line | None  # if all curves share it
    chance: Line | None
    first: float  # the share of a single sample, or the first share detected if that is less


def scale_of(curves: Sequence[HitCurve], fraction_of: str) -> Scale:
    shares = np.concatenate([np.asarray(curve.detected) for curve in curves])
    first = float(shares[shares > 0].min(initial=1.0))
    first = min([first, *(1 / curve.n_samples for curve in curves if curve.n_samples)])
    prevalence = _shared([curve.hits[-1] for curve in curves])
    wholes = [(curve.hits[-1], curve.whole(fraction_of)) for curve in curves]
    end = _shared([hits / whole for hits, whole in wholes if whole])
    perfect = chance = None
    if end is not None:
        chance = dense((0, 1), (0, end), first)
    if end is not None and prevalence is not None:
        perfect = dense((0, prevalence, 1), (0, end, end), first)
    return Scale(perfect, chance, first)


def _shared(numbers: Sequence[Any]) -> float | None:
    """Return the number that all of them are, up to rounding."""
    if not numbers or np.ptp(numbers) > ROUNDING:
        return None
    return float(numbers[0])


def mean_line(families: Sequence[Family], fraction_of: str, first: float) -> Line | None:
    """Return the mean of the curves of groups at each share detected."""
    x, _ = dense(np.linspace(0, 1, _N_MEAN + 1), np.zeros(_N_MEAN + 1), first)
    y = mean_over(families, lambda curve: np.interp(x, *curve.on_scale(fraction_of)))
    return None if y is None else (x, y)


def hit_curves_of(
    rankings: Rankings, zero_division: ZeroDivision, model: Any = None
) -> list[HitCurve]:
    """Return the hit curve of a ranking, or those of its groups."""
    values = values_of(Step(), rankings, zero_division).tolist()
    names: Names = (None,)
    sizes = [rankings.scores.size]
    if rankings.group is not None:
        names = rankings.names or ()
        sizes = np.bincount(rankings.group, minlength=len(names)).tolist()
    each = zip(points_of_each(rankings), values, sizes, names, strict=True)
    return [
        HitCurve(*_shares(points), value, _prevalence(points), size, name, model)
        for points, value, size, name in each
    ]


def _shares(points: OperatingPoints) -> Line:
    """Return the hit curve, which stays at 0 if no sample was retrieved."""
    return points.shares() if points.cum_total.size else (np.arange(2.0), np.zeros(2))


def _prevalence(points: OperatingPoints) -> float:
    n_samples = points.cum_total[-1] if points.cum_total.size else 1.0
    return float(points.n_positives.item() / n_samples)


def dense(x: Floats, y: Floats, first: float) -> Line:
    """Add points between the corners of a line, starting at `first`.

    A logarithmic axis cannot show 0, and connects corners by lines that are straight only on it.
    """
    more = np.union1d(x, np.geomspace(first, 1, _N_BENT))
    return more, np.interp(more, x, y)
