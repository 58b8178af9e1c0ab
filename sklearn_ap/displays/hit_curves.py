"""Coordinates of hit curves, and of the lines that they are compared with."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._validation.pictures import check_found_share
from ..core.rankings import Rankings
from ..core.rules import Step
from ..core.segments import Array
from .geometry import points_of_each, values_of

_N_MEAN = 1000  # steps at which the mean of the curves of groups is computed
_N_BENT = 200  # points of a line that a logarithmic axis bends

Line = tuple[Array, Array]  # x and y
Floats = Sequence[float] | Array


class HitCurves(NamedTuple):
    """Hit curves on one scale, with the lines of perfect detection and random selection."""

    curves: list[Line]
    perfect: Line | None  # if all curves share it
    chance: Line | None
    first: float  # the share of a single sample, or the first share detected if that is less

    def mean(self) -> Line:
        """Return the mean of the curves at each share detected."""
        x, y = dense(np.linspace(0, 1, _N_MEAN + 1), np.zeros(_N_MEAN + 1), self.first)
        for detected, height in self.curves:
            y += np.interp(x, detected, height) / len(self.curves)
        return x, y


def on_scale(detected: Any, hits: Any, fraction_of: str, n_samples: int | None) -> HitCurves:
    """Return hit curves, from two lists of arrays, as shares of all samples or all positives."""
    curves = [(np.asarray(x), np.asarray(y)) for x, y in zip(detected, hits, strict=True)]
    shares = np.concatenate([x for x, _ in curves])
    first = float(shares[shares > 0].min(initial=1.0))
    if n_samples is not None:
        first = min(first, 1 / n_samples)
    prevalences = {float(y[-1]) for _, y in curves}
    prevalence = max(prevalences) if len(prevalences) == 1 else None
    end = prevalence
    if fraction_of == "positives":
        check_found_share(max(prevalences))
        curves = [(x, y / (y[-1] or 1.0)) for x, y in curves]
        end = 1.0
    perfect = chance = None
    if end is not None:
        chance = dense((0, 1), (0, end), first)
    if end is not None and prevalence is not None:
        perfect = dense((0, prevalence, 1), (0, end, end), first)
    return HitCurves(curves, perfect, chance, first)


def hits_of(rankings: Rankings) -> dict[str, Any]:
    """Return the hit curve of a ranking, or those of its groups, as a display stores them."""
    curves = [points.shares() for points in points_of_each(rankings)]
    values = values_of(Step(), rankings).tolist()
    detected, hits = map(list, zip(*curves, strict=True))
    if rankings.group is None:
        return {
            "detected": detected[0],
            "hits": hits[0],
            "average_precision": values[0],
            "n_samples": rankings.scores.size,
        }
    return {
        "detected": detected,
        "hits": hits,
        "average_precision": values,
        "n_samples": int(np.bincount(rankings.group).max()),
        "groups": list(rankings.names or ()),
    }


def dense(x: Floats, y: Floats, first: float) -> Line:
    """Add points between the corners of a line, starting at `first`.

    A logarithmic axis cannot show 0, and connects corners by lines that are straight only on it.
    """
    more = np.union1d(x, np.geomspace(first, 1, _N_BENT))
    return more, np.interp(more, x, y)
