"""What can be in the top k of a resample, as rows or as cells; all others are only counted.

If k counts rows, a metric at k depends on each of the rows near the top, and on the sum of the
positives. For all other rows, it depends only on how many have which labels, so a resample draws
those with the same labels together, as copies of a single row.
"""

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Self

import numpy as np

from .cells import Cells
from .cutoff import Cut
from .rankings import Rankings
from .segments import Array
from .units import Units


def shortlist(cut: Cut | None, *models: Rankings) -> Array | None:
    """Select the rows that a resample has to tell apart, for models with the same rows.

    Return None if a shortlist would not be faster.
    """
    one = models[0]
    if cut is None or one.average not in ("binary", "macro", "weighted"):
        return None
    if one.weight is not None and not cut.by_rows:
        return None
    # Positives have to be told apart by their weights.
    listed: Array = one.labels if one.weight is not None else np.zeros_like(one.labels)
    for model in models:
        near = _near(model, cut)
        if near is None:
            return None
        listed = listed | near
    if listed.ndim == 2:
        listed = np.asarray(listed.any(axis=1))
    return None if listed.all() else listed


def _reach(k: int) -> int:
    """Return how many of the top rows almost always yield at least k draws.

    They get about as many draws as there are rows, give or take the square root of that.
    """
    return k + ceil(6 * sqrt(k)) + 16


def _near(rankings: Rankings, cut: Cut) -> Array | None:
    """Select rows that contain the top k of almost all resamples, in the shape of the scores.

    Return None if these are all rows.
    """
    scores = rankings.scores
    place = len(scores) - _reach(cut.of(np.array([len(scores)])).item())
    if place <= 0:
        return None
    return np.asarray(scores >= np.partition(scores, place, axis=0)[place])


def near_cells(cells: Cells, cut: Cut | None) -> int:
    """Count the cells of one ranking that contain the top k of almost all resamples.

    Without a cut-off, these are all cells but the one below all positives.
    """
    if cut is None:
        return cells.size - 1
    until = np.cumsum(cells.mass[0])
    reach = _reach(cut.of(until[-1:]).item())
    n_points = int(np.searchsorted(until[2::3], reach)) + 1
    return min(3 * n_points, cells.size - 1)


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The units that a resample tells apart.

    Each of the first ones represents the rows that are not listed and have the same labels. They
    are followed by the listed rows, and by the positives that were not scored.
    """

    cut: Cut
    listed: Array  # mask of all rows
    alike: list[Array]  # the indices of the other rows, of those with the same labels together
    units: Units
    near: Array  # mask of the scored units that rank above all rows that are not listed

    @classmethod
    def of(cls, rankings: Rankings, cut: Cut, listed: Array, units: Units) -> Self:
        """Make the shortlist of one model. `units` are its units if all rows are told apart."""
        near = rankings.scores > rankings.scores[~listed].max(axis=0)
        alike = _alike(rankings.labels, np.flatnonzero(~listed))
        rows = np.append([same[0] for same in alike], np.flatnonzero(listed))
        few, near = rankings.take(rows), near[rows]
        # The order of the other rows among each other does not matter.
        few = replace(few, scores=np.where(near, few.scores, few.scores[0]))
        every = few.weight is not None
        few_units = replace(Units.of(few, every=every), missing=units.missing)
        return cls(cut, listed, alike, few_units, np.atleast_2d(near.T).astype(np.int64))

    def draw(self, times: int, rng: np.random.Generator) -> Array:
        """Count how often each unit is drawn, with one row per unit and one column per resample."""
        size, n_alike = self.listed.size + self.units.size - self.units.n_scored, len(self.alike)
        apart = self.units.size - n_alike
        count = rng.binomial(size, apart / size, times)
        place = rng.integers(n_alike, n_alike + apart, count.sum())
        place *= times
        place += np.repeat(np.arange(times), count)
        drawn = np.bincount(place, minlength=self.units.size * times).reshape(-1, times)
        sizes = np.array([same.size for same in self.alike])
        drawn[:n_alike] = rng.multinomial(size - count, sizes / sizes.sum()).T
        return drawn

    def holds_first(self, drawn: Array) -> bool:
        """Whether the top k rows of each resample are all listed."""
        scored = drawn[: self.units.n_scored]
        return bool((self.near @ scored >= self.cut.of(scored.sum(axis=0))).all())

    def unfold(self, drawn: Array, rng: np.random.Generator) -> Array:
        """Convert one resample to one with all rows told apart."""
        n_alike, n_scored = len(self.alike), self.units.n_scored
        rows = np.empty(self.listed.size, dtype=np.int64)
        rows[self.listed] = drawn[n_alike:n_scored]
        for same, count in zip(self.alike, drawn, strict=False):
            place = rng.integers(0, same.size, count)
            rows[same] = np.bincount(place, minlength=same.size)
        return np.append(rows, drawn[n_scored:])


def _alike(labels: Array, rows: Array) -> list[Array]:
    """Split rows into those with the same labels."""
    number = np.unique(labels[rows], axis=0, return_inverse=True)[1].reshape(-1)
    in_order = rows[np.argsort(number, kind="stable")]
    return np.split(in_order, np.cumsum(np.bincount(number))[:-1])
