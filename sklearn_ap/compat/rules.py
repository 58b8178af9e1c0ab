"""Rules without a metric of their own: how other tools compute, and common variants."""

from dataclasses import dataclass

import numpy as np

from ..core.cutoff import Cut
from ..core.operating_points import OperatingPoints
from ..core.rules import Area, AreaRule, Levels, NPoint, Rule
from ..core.segments import Array, spread, sums


@dataclass(frozen=True)
class FloatGrid(Levels):
    """The N-point average with recall levels as floats.

    np.linspace(0, 1, 11) contains 0.30000000000000004, for example, which recall 3/10 does not
    reach.
    """

    n_points: int

    def reached(self, points: OperatingPoints) -> Array:
        grid = np.linspace(0, 1, self.n_points)
        recall = points.cum_positives / spread(points.n_positives, points.offsets)
        return np.searchsorted(grid, recall, side="right")


@dataclass(frozen=True)
class RoundedLevels(Levels):
    """The 11-point average of trec_eval, which rounds the positives that each level needs.

    Level l needs l/10 R + `added` positives, truncated to a whole number. With 0.5 this rounds to
    the nearest number. With 0.9 it rounds up, except for some R where rounding errors make the sum
    too small.
    """

    added: float
    n_points = 11

    @property
    def rounded(self) -> str:
        return "rounded" if self.added == 0.5 else "rounded up"

    def reached(self, points: OperatingPoints) -> Array:
        n_positives = spread(points.n_positives, points.offsets)
        needed = (self._needed(level, n_positives) for level in range(self.n_points))
        return np.asarray(np.sum([points.cum_positives >= each for each in needed], axis=0))

    def is_exact(self, n_positives: Array) -> bool:
        """Whether rounding makes no difference for these counts of positives."""
        return n_positives.dtype.kind == "i" and all(
            np.array_equal(self._needed(level, n_positives), -(-level * n_positives // 10))
            for level in range(self.n_points)
        )

    def _needed(self, level: int, n_positives: Array) -> Array:
        return np.floor(level / 10 * n_positives + self.added)


@dataclass(frozen=True)
class WithArtificialPoint(Rule):
    """The N-point average if recall 0 counts with precision 1, as the curve is drawn there."""

    of: NPoint | FloatGrid

    def values(self, points: OperatingPoints) -> Array:
        area = self.of.area(points)
        best = np.zeros(area.offsets.size - 1)
        held = area.offsets[:-1] < area.offsets[1:]
        best[held] = area.height[area.offsets[:-1][held]]
        gain = np.where(area.whole > 0, (1 - best) / self.of.n_points, 0)
        return np.asarray(np.minimum(area.value() + gain, 1.0))


@dataclass(frozen=True)
class Curved(AreaRule):
    """The area under a curve along which hits and misses grow evenly between two points.

    If T hits and F misses, N - n samples in total, are above a point, and n samples are at the
    point, r of them positive, the mean precision over its recall is
    r/n (1 - c/n log(N/(N - n))) with c = F - T (n - r)/r.
    """

    def area(self, points: OperatingPoints) -> Area:
        r, n, found, above = points.positives, points.total, points.found_above, points.above
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = (above - found) - (n - r) / r * found
            longer = np.where(above > 0, np.log1p(n / above), 0.0)
            height = r / n * (1 - bend / n * longer)
        return Area(r, np.where(r > 0, height, 0.0), points.n_positives, points.offsets)


@dataclass(frozen=True)
class StepOfFirst(Rule):
    """Step AP of only the k best rows, where the tool has decided which tied rows are among them.

    If k doesn't split tied samples, it is AP@k divided by the hits. Otherwise it depends on the
    order of the rows, which operating points don't know, so it has no `values`.
    """

    k: float

    denominator = "hits"

    @property
    def depth(self) -> Cut:
        return Cut(self.k, "samples")


@dataclass(frozen=True)
class MeanOfPrecisions(Rule):
    """The mean of precision at 1, 2, ..., k."""

    k: int

    @property
    def depth(self) -> Cut:
        return Cut(self.k)

    def values(self, points: OperatingPoints) -> Array:
        # Precision at i counts i - above of the samples at a point, until it has counted them all.
        harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, self.k + 1))))
        above, end = (np.minimum(rank, self.k) for rank in (points.above, points.cum_total))
        rising = (end - above - above * (harmonic[end] - harmonic[above])) / points.total
        each = points.positives * (rising + harmonic[-1] - harmonic[end])
        mean = sums(each, points.offsets) / self.k
        # Without positives it is 0, but treated as undefined like all other rules.
        return np.where(points.n_positives > 0, np.minimum(mean, 1.0), np.nan)


@dataclass(frozen=True)
class RocArea(Rule):
    """The area under the ROC curve: how often a positive has a higher score than a negative."""

    def values(self, points: OperatingPoints) -> Array:
        found = sums(points.positives, points.offsets)
        misses = points.n_samples - found
        before = points.above - points.found_above + (points.total - points.positives) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            share = before / spread(misses, points.offsets)
            worse = sums(points.positives * share, points.offsets) / found
        return np.where((found > 0) & (misses > 0), np.clip(1 - worse, 0, 1), np.nan)
