"""Rules without a metric of their own, and how the order of tied samples changes a value."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from .._words.names import written
from ..core.cutoff import Cut
from ..core.operating_points import OperatingPoints
from ..core.rules import Area, AreaRule, AtK, Levels, Linear, NPoint, Rule
from ..core.within import Array, previous, ratio, repeated, sums


@dataclass(frozen=True)
class OfK(Rule):
    """A rule without its cutoff k, which is passed later."""

    name: str  # type: ignore[misc]
    make: Callable[..., Rule]


@dataclass(frozen=True)
class FloatGrid(Levels):
    """The N-point average with recall levels as floats.

    np.linspace(0, 1, 11) contains 0.30000000000000004, for example, which recall 3/10 does not
    reach.
    """

    n_points: int

    term = "{rule.n_points}-point, float grid"

    def reached(self, points: OperatingPoints) -> Array:
        grid = np.linspace(0, 1, self.n_points)
        recall = points.cum_positives / repeated(points.n_positives, points.offsets)
        return np.searchsorted(grid, recall, side="right")


@dataclass(frozen=True)
class LinesBetweenLevels(Rule):
    """The area under straight lines between the heights of the envelope at N recall levels.

    The envelope is itself made of straight lines between the points of the curve, from (0, 1) to
    its last recall, after which it is 0. This is what Ultralytics computes with 101 levels since
    8.4.37.
    """

    n_points: int

    term = "lines between {rule.n_points} points"
    cause = "straight lines join the points of the envelope, and its heights at the recall levels"

    def values(self, points: OperatingPoints) -> Array:
        grid = np.linspace(0, 1, self.n_points)
        found, ends = np.full(points.n_positives.size, np.nan), self._ends(points)
        for i in np.flatnonzero(points.n_positives > 0):
            own = slice(*points.offsets[i : i + 2])
            recall = points.cum_positives[own] / points.n_positives[i]
            precision = points.cum_positives[own] / points.cum_total[own]
            last = recall[-1] if recall.size else 0.0
            along = np.concatenate(([0.0], recall, [last, 1.0]))
            height = np.concatenate(([1.0], precision, [ends[i], 0.0]))
            # Points without positives, which may be left out, end the line of the one before. They
            # are below the next one, so that the envelope has its height there.
            before = np.concatenate(([0], points.cum_total[own][:-1]))
            lower = np.flatnonzero(points.above[own] > before) + 1
            along = np.insert(along, lower, along[lower - 1])
            height = np.insert(height, lower, 0.0)
            envelope = np.maximum.accumulate(height[::-1])[::-1]
            heights = np.interp(grid, along, envelope)
            found[i] = np.sum((heights[1:] + heights[:-1]) * np.diff(grid)) / 2
        return found

    def _ends(self, points: OperatingPoints) -> Array:
        """Return the height at the last recall from which a line leads to (1, 0)."""
        return np.zeros(points.n_positives.size)


@dataclass(frozen=True)
class LinesToFullRecall(LinesBetweenLevels):
    """The same area, with one more line from the last sample to recall 1 and precision 0.

    It counts positives that no threshold finds. Ultralytics computed it before 8.4.37.
    """

    term = "lines between {rule.n_points} points, to (1, 0)"
    cause = f"{LinesBetweenLevels.cause}, and one more joins its last point to recall 1"

    def _ends(self, points: OperatingPoints) -> Array:
        return ratio(sums(points.positives, points.offsets), points.n_samples, 0.0)


@dataclass(frozen=True)
class RoundedLevels(Levels):
    """The 11-point average of trec_eval, which rounds the positives that each level needs.

    Level l needs l/10 R + `added` positives, truncated to a whole number. With 0.5 this rounds to
    the nearest number. With 0.9 it rounds up, except for some R where rounding errors make the sum
    too small.
    """

    added: float

    n_points = 11
    term = "11-point, levels {rule.rounded}"

    @property
    def rounded(self) -> str:
        return "rounded" if self.added == 0.5 else "rounded up"

    def reached(self, points: OperatingPoints) -> Array:
        n_positives = repeated(points.n_positives, points.offsets)
        needed = (self._needed(level, n_positives) for level in range(self.n_points))
        return np.asarray(np.sum([points.cum_positives >= each for each in needed], axis=0))

    def plainest(self, points: OperatingPoints) -> Rule:
        """Return the 11-point average if rounding makes no difference for these positives."""
        exist = points.n_positives
        is_exact = exist.dtype.kind == "i" and all(
            np.array_equal(self._needed(level, exist), -(-level * exist // 10))
            for level in range(self.n_points)
        )
        return NPoint(11) if is_exact else self

    def _needed(self, level: int, n_positives: Array) -> Array:
        return np.floor(level / 10 * n_positives + self.added)


@dataclass(frozen=True)
class WithArtificialPoint(Rule):
    """The N-point average if recall 0 counts with precision 1, as the curve is drawn there."""

    of: NPoint | FloatGrid

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{written(self.of, 'term')}, with (0, 1)"

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

    term = "curved"
    cause = "between points of the curve, positives and negatives are assumed to be evenly mixed"

    def area(self, points: OperatingPoints) -> Area:
        r, n, found, above = points.positives, points.total, points.found_above, points.above
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = (above - found) - (n - r) / r * found
            longer = np.where(above > 0, np.log1p(n / above), 0.0)
            height = r / n * (1 - bend / n * longer)
        return Area(r, np.where(r > 0, height, 0.0), points.n_positives, points.offsets)


@dataclass(frozen=True)
class AfterFirst(AreaRule):
    """The area under straight lines between the points of the curve, from the first point on.

    The recall that the first point gains is lost, so a perfect ranking gets 1 - 1/R without ties.
    """

    term = "linear after the first point"
    cause = "the recall that the first point gains is lost"

    def area(self, points: OperatingPoints) -> Area:
        lines = Linear().area(points)
        return lines._replace(height=np.where(points.above > 0, lines.height, 0.0))

    def plainest(self, points: OperatingPoints) -> Rule:
        """Return the area under all lines if no first point gains recall."""
        return self if points.positives[points.above == 0].any() else Linear()


@dataclass(frozen=True)
class SortedByRecall(AreaRule):
    """The area under straight lines between the points of the curve after sorting them by recall.

    Points of the same recall are then sorted by precision, so each line joins the highest
    precision at a recall to the lowest one at the next recall. A perfect ranking of two positives
    and two negatives gets 0.875.
    """

    term = "linear, points sorted by recall"
    cause = "sorting by recall puts points of the same recall in reverse order"

    def area(self, points: OperatingPoints) -> Area:
        points = points.take(np.flatnonzero(points.positives))
        before = previous(points.precision, points.offsets)
        is_first = points.found_above == 0
        # The lowest precision at a recall is that of all samples above the next positives.
        end = np.append(points.above[1:], 0)
        last = points.offsets[1:][np.diff(points.offsets) > 0] - 1
        end[last] = points.n_samples[np.diff(points.offsets) > 0]
        lowest = points.cum_positives / end
        height = (np.where(is_first, 1.0, before) + lowest) / 2
        return Area(points.positives, height, points.n_positives, points.offsets)


@dataclass(frozen=True)
class StepOfFirst(Rule):
    """Step AP of only the k best rows, where the tool has decided which tied rows are among them.

    If k doesn't split tied samples, it is AP@k divided by the hits. Otherwise it depends on the
    order of the rows, which operating points don't know, so it has no `values`.
    """

    k: float

    denominator = "hits"
    term = "step of the {rule.depth} best rows"

    @property
    def depth(self) -> Cut:
        return Cut(self.k, "samples")


@dataclass(frozen=True)
class MeanOfPrecisions(Rule):
    """The mean of precision at 1, 2, ..., k."""

    k: int

    term = "mean of P@1 to P@{rule.k}"
    cause = "the precision at every rank counts, even at the ranks of negatives"

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

    term = "area under the ROC curve"

    def values(self, points: OperatingPoints) -> Array:
        found = sums(points.positives, points.offsets)
        misses = points.n_samples - found
        before = points.above - points.found_above + (points.total - points.positives) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            share = before / repeated(misses, points.offsets)
            worse = sums(points.positives * share, points.offsets) / found
        return np.where((found > 0) & (misses > 0), np.clip(1 - worse, 0, 1), np.nan)


# --- the order of ties ---------------------------------------------------------------------------


class Order(Enum):
    """How tied samples are ranked; the value is appended to the name of the definition."""

    GROUPED = ""
    BY_ROW = ", ties by row"  # in the order of the rows
    LAST_ROW_FIRST = ", ties by row, last first"
    BY_ID = ", ties by id"  # the last one first, by an id that is not known here
    BY_GIVEN_ID = ", ties by your ids"  # the last one first
    OPEN = ", ties in any order"
    EXPECTED = ", ties expected"
    BEST = ", ties best"
    WORST = ", ties worst"
    UNKNOWN = ", ties not looked at"


# Orders that the data don't determine, and the order of the rows that is assumed for them.
ASSUMED = {Order.BY_ID: Order.LAST_ROW_FIRST, Order.OPEN: Order.BY_ROW}
# Orders whose values are computed from single rows.
OF_ROWS = (*ASSUMED, Order.BY_ROW, Order.LAST_ROW_FIRST, Order.BY_GIVEN_ID)


def extremes_over_ties(
    rule: Rule, grouped: OperatingPoints, worst: OperatingPoints, best: OperatingPoints
) -> tuple[Array, Array]:
    """Return the lowest and the highest value over all orders of the tied samples.

    The points have tied samples grouped, ranked with their positives last, and with them first.
    Most rules never fall when a positive and the negative above it are swapped, but a mean over the
    hits may, whose own "best" and "worst" know that.
    """
    if isinstance(rule, Curved | AfterFirst | SortedByRecall):
        raise NotImplementedError(f"The range of {rule} over all orders is not known.")
    if isinstance(rule, StepOfFirst):
        return _by_number_of_hits(rule, grouped)
    if isinstance(rule, AtK) and rule.denominator == "hits":
        low, high = (replace(rule, ties=ties).values(grouped) for ties in ("worst", "best"))
        return low, high
    return rule.values(worst), rule.values(best)


def _by_number_of_hits(rule: StepOfFirst, points: OperatingPoints) -> tuple[Array, Array]:
    """Return the ends of a mean over the hits in the top k, which one more hit can lower.

    Every possible count of hits among the tied samples that k splits is tried. All other ties are
    entirely inside or outside the top k, and each of them counts as one point.
    """
    k = rule.depth.of(points.n_samples)
    reach = repeated(k, points.offsets)
    whole = points.cum_total <= reach
    at_cut = np.flatnonzero((points.above < reach) & ~whole)
    query = np.searchsorted(points.offsets, at_cut, side="right") - 1
    hits = sums(points.positives * whole, points.offsets)
    area = sums(whole * points.positives * points.precision, points.offsets)
    low = ratio(area, hits, 0.0)
    low[points.n_positives == 0] = np.nan
    high = low.copy()
    if at_cut.size:
        values, starts = _at_cut(points.take(at_cut), k[query], area[query])
        low[query] = np.minimum.reduceat(values, starts)
        high[query] = np.maximum.reduceat(values, starts)
    return low, high


def _at_cut(tie: OperatingPoints, k: Array, area: Array) -> tuple[Array, Array]:
    """Return the value for each count of hits at the cutoff, and where those of each tie start.

    `area` is the sum of the precisions above the tie. Each query has at most one such tie.
    """
    found, room = tie.cum_positives - tie.positives, k - tie.above
    fewest = np.maximum(room - (tie.total - tie.positives), 0)
    n_tried = np.minimum(tie.positives, room) - fewest + 1
    starts = np.cumsum(n_tried) - n_tried
    k, found, area = (np.repeat(each, n_tried) for each in (k, found, area))
    hits = np.arange(n_tried.sum()) - np.repeat(starts - fewest, n_tried)
    total = found + hits
    return ratio(area + hits * total / k, total, 0.0), starts
