"""Whether alerts pay on new data: their net value, with an interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np

from .._show.results import Note
from ..core.rankings import Rankings
from ..core.skewed import Mean, skewness_of
from ..core.spread import length
from ..core.within import Array

_LARGE = 0.2  # a benefit above this fraction of all benefits decides alone


def net_values(
    masses: tuple[float, float], precision: Sequence[float], benefit: float, cost: float
) -> tuple[float, float, float]:
    """Return the net value of flagged samples, and that at both ends of the interval of their
    precision. `masses` are those of the positives among them, and of all.
    """
    found, flagged = masses
    _, low, high = precision
    value, lower, higher = (
        benefit * each - cost * flagged for each in (found, low * flagged, high * flagged)
    )
    return value, lower, higher


class Gains(NamedTuple):
    """What the flagged samples of each sampling unit bring if benefits differ, and cost."""

    gain: Array
    spent: Array
    n_found: int  # flagged positives

    @classmethod
    def of(
        cls, rows: Array, samples: Rankings, benefit: Array, cost: float, cluster: Array | None
    ) -> Self:
        labels = samples.labels[rows]
        mass = np.ones(rows.size) if samples.weight is None else samples.weight.astype(float)
        gain: Array = (benefit * samples.labels * mass)[rows]
        spent: Array = cost * mass[rows]
        if cluster is not None:
            _, of_each = np.unique(cluster[rows], return_inverse=True)
            gain, spent = (np.bincount(of_each, each) for each in (gain, spent))
        return cls(gain, spent, int(labels.sum()))

    def interval(self, level: float) -> tuple[float, float, float]:
        """Return the net value, and an interval around the sum of so many units.

        If they don't vary, only the costs are known.
        """
        net = self.gain - self.spent
        value, size = float(net.sum()), net.size
        low, high = -float(self.spent.sum()), np.inf if size else 0.0
        if size > 1 and np.ptp(net):
            far = net - net.mean()
            error = float(np.sqrt(size / (size - 1)) * length(far))
            least, high, _ = Mean(value, error, size - 1, size, skewness_of(far)).test(level)
            low = max(low, least)
        return value, low, high

    def notes(self) -> Iterator[Note]:
        """Say if so few positives decide that they don't tell whether alerts pay."""
        why = f"{['no', 'only one'][self.n_found]} positive is flagged" if self.n_found < 2 else ""
        most = float(self.gain.max(initial=0.0) / (self.gain.sum() or 1))
        if not why and most > _LARGE:
            why = f"one positive brings {100 * most:.0f}% of all"
        if why:
            yield Note("few_benefits", f"The data don't tell whether alerts pay: {why}.")
