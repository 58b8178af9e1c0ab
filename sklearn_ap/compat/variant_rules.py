"""Rules without a metric of their own, and how the order of tied samples changes a value."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import product, starmap
from typing import Any

import numpy as np

from .._inputs.metric_names import write_rule
from ..core.cutoff import DENOMINATORS, Cut, as_fraction, select_first_mass, select_top
from ..core.operating_points import OperatingPoints
from ..core.ragged import (
    Array,
    compute_suffix_maxima,
    divide_safely,
    get_previous,
    repeat_values,
    sum_rankings,
)
from ..core.rankings import Rankings
from ..core.rules import (
    NDCG,
    Area,
    AreaRule,
    AveragePrecisionAtK,
    EnrichmentFactor,
    Envelope,
    FloatGrid,
    Graded,
    HitRateAtK,
    Levels,
    Linear,
    NDCGAtK,
    NPoint,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    ReciprocalRankAtK,
    RPrecision,
    Rule,
    Step,
)

_CLOSE_TO_FRACTION = 1e-9
_TENTHS = np.arange(11)[:, np.newaxis]  # levels of recall


@dataclass(frozen=True)
class RuleWithoutCutoff(Rule):
    """A rule without its cutoff k, which is passed later."""

    name: str  # type: ignore[misc]
    make: Callable[..., Rule]


class Average(Rule):
    """What somebody calls average precision, without being an area under steps or lines."""


@dataclass(frozen=True)
class LevelRange(Levels):
    """The mean over the recalls first/parts, (first + 1)/parts, ..., of which there are N."""

    n_points: int
    first: int
    parts: int
    is_float: bool = False  # as np.arange(0, 1, 0.1)

    @property
    def of(self) -> Levels:
        return (FloatGrid if self.is_float else NPoint)(self.parts + 1)

    @property
    def slip(self) -> str:
        """What is said of all recalls but one; nothing of KITTI's."""
        return "" if self.parts == 40 else self.term.partition(", ")[2]

    @property
    def term(self) -> str:  # type: ignore[override]
        lowest = Fraction(self.first, self.parts)
        highest = lowest + Fraction(self.n_points - 1, self.parts)
        name = "R40" if self.parts == 40 else f"{self.n_points}-point{' float' * self.is_float}"
        return f"{name}, recalls {lowest} to {highest}"

    def reached(self, points: OperatingPoints) -> Array:
        return np.asarray(np.clip(self.of.reached(points) - self.first, 0, self.n_points))


@dataclass(frozen=True)
class _LevelsExceeded(FloatGrid):
    """The levels that recall has to be greater than, so that none reaches 1."""

    side = "left"


WITHOUT_MAXIMUM = "without the maximum to the right"
MAXIMUM_TO_LEFT = "with the maximum to the left instead"
LEVELS_EXCEEDED = "recall > each level instead of >="
UP_TO_LEVELS = "recall <= each level instead of >="
WRONG_HEIGHTS = (WITHOUT_MAXIMUM, MAXIMUM_TO_LEFT, LEVELS_EXCEEDED, UP_TO_LEVELS)


@dataclass(frozen=True)
class WrongEnvelope(AreaRule):
    """An interpolated average that takes another precision than the best one at a recall or beyond.

    np.maximum.accumulate(precision) has the best precision up to a recall, if it begins with the
    highest score.
    """

    of: Levels | Envelope
    words: str

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, {self.words}"

    @property
    def slip(self) -> str:
        """What is said of it, unless a tool has it, as ignite does."""
        if (self.of, self.words) == (FloatGrid(101), WITHOUT_MAXIMUM):
            return ""
        return ", ".join(filter(None, (getattr(self.of, "slip", ""), self.words)))

    @property
    def cause(self) -> str:
        if self.words != WITHOUT_MAXIMUM:
            return ""
        return "each level of recall counts with the precision of the first point that reaches it"

    def area(self, points: OperatingPoints) -> Area:
        if isinstance(self.of, Envelope):
            height = compute_prefix_maxima(points.precision, points.offsets)
            return Area(points.positives, height, points.n_positives, points.offsets)
        exceeded = _LevelsExceeded(self.of.n_points)
        if self.words == LEVELS_EXCEEDED:
            return exceeded.area(points)
        n_levels = np.where(points.n_positives > 0, self.of.n_points, 0)
        height = points.precision
        if self.words != WITHOUT_MAXIMUM:
            height = compute_prefix_maxima(height, points.offsets)
        if self.words == UP_TO_LEVELS:
            start = exceeded.reached(points)
            end = get_next(start, points.offsets, n_levels)
        else:
            end = self.of.reached(points)
            # Points without positives, which may be left out, reach recall 0 with precision 0.
            start = np.maximum(get_previous(end, points.offsets), points.above > 0)
        return Area(end - start, height, n_levels, points.offsets)


def compute_prefix_maxima(values: Array, offsets: Array) -> Array:
    """Return the largest value of each ranking up to each point."""
    return compute_suffix_maxima(values[::-1], offsets[-1] - offsets[::-1])[::-1]


def get_next(values: Array, offsets: Array, at_end: Array) -> Array:
    """Return the value of the next point of each ranking, and another one after the last point."""
    following = np.append(values[1:], 0)
    has_points = np.diff(offsets) > 0
    following[offsets[1:][has_points] - 1] = at_end[has_points]
    return following


@dataclass(frozen=True)
class LinesBetweenLevels(Average):
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
        values = np.full(points.n_positives.size, np.nan)
        last_heights = self._last_heights(points)
        for ranking in np.flatnonzero(points.n_positives > 0):
            its_points = slice(*points.offsets[ranking : ranking + 2])
            recall = points.cum_positives[its_points] / points.n_positives[ranking]
            precision = points.cum_positives[its_points] / points.cum_total[its_points]
            last_recall = recall[-1] if recall.size else 0.0
            x = np.concatenate(([0.0], recall, [last_recall, 1.0]))
            y = np.concatenate(([1.0], precision, [last_heights[ranking], 0.0]))
            # Points without positives, which may be left out, end the line of the one before. They
            # are below the next one, so that the envelope has its height there.
            end_before = np.concatenate(([0], points.cum_total[its_points][:-1]))
            after_left_out = np.flatnonzero(points.above[its_points] > end_before) + 1
            x = np.insert(x, after_left_out, x[after_left_out - 1])
            y = np.insert(y, after_left_out, 0.0)
            envelope = np.maximum.accumulate(y[::-1])[::-1]
            heights = np.interp(grid, x, envelope)
            values[ranking] = np.sum((heights[1:] + heights[:-1]) * np.diff(grid)) / 2
        return values

    def _last_heights(self, points: OperatingPoints) -> Array:
        """Return the height at each ranking's last recall, from which a line leads to (1, 0)."""
        return np.zeros(points.n_positives.size)


@dataclass(frozen=True)
class LinesToFullRecall(LinesBetweenLevels):
    """Like `LinesBetweenLevels`, with one more line from the last sample to recall 1, precision 0.

    It counts positives that no threshold finds. Ultralytics computed it before 8.4.37.
    """

    term = "lines between {rule.n_points} points, to (1, 0)"
    cause = f"{LinesBetweenLevels.cause}, and one more joins its last point to recall 1"

    def _last_heights(self, points: OperatingPoints) -> Array:
        return divide_safely(sum_rankings(points.positives, points.offsets), points.n_samples, 0.0)


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
        reaches = [
            points.cum_positives >= repeat_values(needed, points.offsets)
            for needed in self._needed(points.n_positives)  # one level after another
        ]
        return np.asarray(np.sum(reaches, axis=0))

    def plainest(self, points: OperatingPoints) -> Rule:
        """Return the 11-point average if rounding makes no difference for these positives."""
        n_positives = points.n_positives
        exact = -(-_TENTHS * n_positives // 10)  # rounded up
        is_same = np.array_equal(self._needed(n_positives), exact)
        return NPoint(11) if is_same and n_positives.dtype.kind == "i" else self

    def _needed(self, n_positives: Array) -> Array:
        """Return the positives that each level needs, of shape (n_points, n_positives.size)."""
        return np.asarray(np.floor(_TENTHS / 10 * n_positives + self.added))


@dataclass(frozen=True)
class WithArtificialPoint(Average):
    """The N-point average if recall 0 counts with precision 1, as the curve is drawn there."""

    of: Levels

    @property
    def slip(self) -> str:
        """What is said of it, if its levels are a mistake."""
        of_levels = getattr(self.of, "slip", "")
        return f"{of_levels}, with (0, 1)" if of_levels else ""

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, with (0, 1)"

    def values(self, points: OperatingPoints) -> Array:
        area = self.of.area(points)
        starts, ends = area.offsets[:-1], area.offsets[1:]
        has_points = starts < ends
        height_at_0 = np.zeros(starts.size)  # of the envelope, in each ranking
        height_at_0[has_points] = area.height[starts[has_points]]
        gain = np.where(area.whole > 0, (1 - height_at_0) / self.of.n_points, 0)
        return np.asarray(np.minimum(area.value() + gain, 1.0))


_LEVELS = (NPoint(11), FloatGrid(11), NPoint(101), FloatGrid(101))
_RANGES = tuple(
    LevelRange(parts, first, parts, is_float)
    for parts, first, is_float in product((10, 100), (0, 1), (False, True))
)
# What people compute instead of the N-point average
WITH_OTHER_LEVELS: tuple[Rule, ...] = (
    *_RANGES,
    *(WithArtificialPoint(each) for each in _RANGES if each.first == 0),
    *starmap(WrongEnvelope, product(_LEVELS, WRONG_HEIGHTS[:2])),
    *(WrongEnvelope(each, WITHOUT_MAXIMUM) for each in _RANGES),
    *starmap(WrongEnvelope, product(_LEVELS[::2], WRONG_HEIGHTS[2:])),
    WrongEnvelope(Envelope(), MAXIMUM_TO_LEFT),
)


@dataclass(frozen=True)
class PrecisionAtLevels(Average):
    """The mean of the precisions that straight lines between the points have at N recalls.

    This is np.interp(levels, recall, precision) of rising recalls, the last point of which counts
    where several have one recall.
    """

    n_points: int

    term = "lines at {rule.n_points} recalls"
    cause = (
        "straight lines join the points of the curve, and its heights at the recalls are averaged"
    )

    def values(self, points: OperatingPoints) -> Array:
        values = np.full(points.n_positives.size, np.nan)
        levels = np.linspace(0, 1, self.n_points)
        for ranking in np.flatnonzero(points.n_positives > 0):
            here = slice(*points.offsets[ranking : ranking + 2])
            recall = points.cum_positives[here] / points.n_positives[ranking]
            heights = np.interp(levels, np.append(0, recall), np.append(1, points.precision[here]))
            values[ranking] = heights.mean()
        return values


@dataclass(frozen=True)
class PrecisionAtFallingLevels(PrecisionAtLevels):
    """What np.interp returns for recalls that fall, as those of precision_recall_curve do.

    It needs rising ones, and has the precision of all samples at recall 0, and 1 at all others.
    """

    slip = "by np.interp on falling recall"

    @property
    def of(self) -> Rule:
        return PrecisionAtLevels(self.n_points)

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, {self.slip}"

    def values(self, points: OperatingPoints) -> Array:
        lowest = _compute_share_of_positives(points)
        return np.where(points.n_positives > 0, 1 - (1 - lowest) / self.n_points, np.nan)


def _compute_share_of_positives(points: OperatingPoints) -> Array:
    """Return the precision of all samples of each ranking."""
    found = sum_rankings(points.positives, points.offsets)
    return divide_safely(found, points.n_samples, 0.0)


@dataclass(frozen=True)
class SwappedAxes(Average):
    """The area under recall over precision, by straight lines: auc(precision, recall).

    It is what the area under precision over recall has above the precision of all samples.
    """

    of = Linear()
    slip = "with recall over precision, auc(precision, recall)"
    term = "linear, with recall over precision"

    def values(self, points: OperatingPoints) -> Array:
        return Linear().values(points) - _compute_share_of_positives(points)


@dataclass(frozen=True)
class StepsOfPrecision(Average):
    """The sum of each recall times what precision rises by to its point, as if axes were swapped.

    Precision begins with 1. If it's `absolute`, falls count like rises.
    """

    absolute: bool

    of = Step()

    @property
    def slip(self) -> str:
        change = "absolute change" if self.absolute else "change"
        return f"as recall times the {change} in precision"

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"step, {self.slip}"

    def values(self, points: OperatingPoints) -> Array:
        rise = points.precision - points.precision_above
        area = points.cum_positives * (np.abs(rise) if self.absolute else rise)
        return divide_safely(sum_rankings(area, points.offsets), points.n_positives)


@dataclass(frozen=True)
class ChanceCorrected(Average):
    """How far step average precision is from the fraction of positives to 1."""

    of = Step()
    slip = "as (AP - P)/(1 - P), where P is the fraction of positives"
    term = f"step, {slip}"

    def values(self, points: OperatingPoints) -> Array:
        chance = _compute_share_of_positives(points)
        value = divide_safely(Step().values(points) - chance, 1 - chance, 0.0)
        return np.where(points.n_positives > 0, value, np.nan)


@dataclass(frozen=True)
class RowNumbersAsRanks(Average):
    """Step average precision that divides hits by the numbers of the rows before they were sorted.

    A pandas index keeps these numbers in sort_values. `DataSet` puts them in place of the ranks.
    """

    of = Step()
    slip = "with the row numbers from before the sort as ranks"
    term = f"step, {slip}"

    def values(self, points: OperatingPoints) -> Array:
        precision = np.where(points.positives > 0, points.precision, 0.0)
        return divide_safely(sum_rankings(precision, points.offsets), points.n_positives)


@dataclass(frozen=True)
class BestF1(Rule):
    """The highest F1 that a threshold of the scores can have."""

    term = "best F1 of all thresholds, which isn't an average precision"

    def values(self, points: OperatingPoints) -> Array:
        n_positives = repeat_values(points.n_positives, points.offsets)
        f1 = 2 * points.cum_positives / (n_positives + points.cum_total)
        best = np.where(points.n_positives > 0, 0.0, np.nan)
        np.maximum.at(best, np.repeat(np.arange(best.size), np.diff(points.offsets)), f1)
        return best


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
        r, n, hits, above = points.positives, points.total, points.positives_above, points.above
        with np.errstate(divide="ignore", invalid="ignore"):
            c = (above - hits) - (n - r) / r * hits
            log_of_growth = np.where(above > 0, np.log1p(n / above), 0.0)  # log(N / (N - n))
            height = r / n * (1 - c / n * log_of_growth)
        return Area(r, np.where(r > 0, height, 0.0), points.n_positives, points.offsets)


@dataclass(frozen=True)
class LinearAfterFirst(AreaRule):
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
class LinearFromFirst(AreaRule):
    """The area under straight lines, the first of which has the height of the first point.

    Spark's curve begins at (0, precision of the first point).
    """

    term = "linear from the first point"
    cause = "the line to the first point has its precision"

    def area(self, points: OperatingPoints) -> Area:
        lines = Linear().area(points)
        height = np.where(points.above > 0, lines.height, points.precision)
        return lines._replace(height=height)


def find_label_threshold(scores: Array) -> float:
    """Return the threshold above which predict() returns the positive class."""
    return 0.5 if 0 <= scores.min() and scores.max() <= 1 else 0.0


@dataclass(frozen=True)
class LinearFromZero(AreaRule):
    """The area under straight lines, the first of which begins at recall 0 and precision 0."""

    of = Linear()
    slip = "from (0, 0)"
    term = "linear, from (0, 0)"

    def area(self, points: OperatingPoints) -> Area:
        lines = Linear().area(points)
        return lines._replace(height=np.where(points.above > 0, lines.height, points.precision / 2))


@dataclass(frozen=True)
class OfPredictedLabels(Graded):
    """A metric of predicted labels, which people report beside average precision."""

    term = "{rule.title} of predicted labels, which isn't an average precision"

    def evaluate_groups(self, rankings: Rankings) -> Array:
        scores, grades, group, n_groups = rankings.find_graded_rows()
        n_outside = np.bincount(group, (scores < 0) | (scores > 1), n_groups)
        threshold = self.find_thresholds(n_outside == 0)
        flagged, positive = scores > threshold[group], grades > 0
        hits, false, missed = (
            np.bincount(group, each, n_groups)
            for each in (flagged & positive, flagged & ~positive, ~flagged & positive)
        )
        return self.evaluate_counts(hits, false, missed, np.bincount(group, minlength=n_groups))

    def find_thresholds(self, are_probabilities: Array) -> Array:
        """Return the threshold above which predict() returns the positive class in each ranking."""
        return np.where(are_probabilities, 0.5, 0.0)

    def evaluate_counts(self, hits: Array, false: Array, missed: Array, rows: Array) -> Array:
        raise NotImplementedError


class F1(OfPredictedLabels):
    """The harmonic mean of precision and recall."""

    title = "F1"

    def evaluate_counts(self, hits: Array, false: Array, missed: Array, rows: Array) -> Array:
        return divide_safely(2 * hits, 2 * hits + false + missed)


class Accuracy(OfPredictedLabels):
    """The fraction of labels that are predicted correctly."""

    title = "accuracy"

    def evaluate_counts(self, hits: Array, false: Array, missed: Array, rows: Array) -> Array:
        return divide_safely(rows - false - missed, rows)


class PrecisionAtHalf(OfPredictedLabels):
    """The fraction of positives among samples that score above 0.5."""

    title = "precision"
    term = "precision of labels, 1 above 0.5, which isn't an average precision"

    def find_thresholds(self, are_probabilities: Array) -> Array:
        return np.full(are_probabilities.shape, 0.5)

    def evaluate_counts(self, hits: Array, false: Array, missed: Array, rows: Array) -> Array:
        return divide_safely(hits, hits + false)


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
        before = get_previous(points.precision, points.offsets)
        is_first = points.positives_above == 0
        # The lowest precision at a recall is that of all samples above the next positives, or of
        # all samples after the last point of a ranking.
        n_above_next = np.append(points.above[1:], 0)
        has_points = np.diff(points.offsets) > 0
        last = points.offsets[1:][has_points] - 1
        n_above_next[last] = points.n_samples[has_points]
        lowest = points.cum_positives / n_above_next
        height = (np.where(is_first, 1.0, before) + lowest) / 2
        return Area(points.positives, height, points.n_positives, points.offsets)


@dataclass(frozen=True)
class LinesBetweenHighest(AreaRule):
    """The area under straight lines between the highest points at each recall, from (0, 1).

    These are the points that gain recall. Without ties, it's the area of trapezoids through the
    precisions at the positives. ROCR's aucpr computes it, unless a score has three positives.
    """

    term = "linear between the highest points"
    cause = "straight lines join only the highest points at each recall"

    def area(self, points: OperatingPoints) -> Area:
        points = points.take(np.flatnonzero(points.positives))
        before = get_previous(points.precision, points.offsets)
        height = (np.where(points.positives_above == 0, 1.0, before) + points.precision) / 2
        return Area(points.positives, height, points.n_positives, points.offsets)


@dataclass(frozen=True)
class DavisGoadrich(Average):
    """The area under straight lines to points that are added for each tied positive.

    The samples up to the x-th of r positives at a point are those above it and x/r of its own, and
    from recall 0 to the first positive, the line is flat. Not with weights.
    """

    term = "Davis and Goadrich"
    cause = "between two points, a point is added for each positive, and straight lines join them"

    def values(self, points: OperatingPoints) -> Array:
        r = points.positives.astype(np.int64)
        at = np.repeat(np.arange(r.size), r)
        x = np.arange(at.size) - np.repeat(np.cumsum(r) - r, r) + 1
        each = points.total[at] / r[at]  # samples for each positive
        hits, total = points.positives_above[at] + x, points.above[at] + x * each
        end = hits / total
        start = np.divide(hits - 1, total - each, out=end.copy(), where=points.above[at] + x > 1)
        area = np.bincount(at, (end + start) / 2, minlength=r.size)
        values = divide_safely(sum_rankings(area, points.offsets), points.n_positives)
        return np.minimum(values, 1.0)

    def plainest(self, points: OperatingPoints) -> Rule:
        """Return the area under all lines if it's the same."""
        linear = Linear().values(points)
        is_same = np.allclose(self.values(points), linear, rtol=0, atol=1e-12, equal_nan=True)
        return Linear() if is_same else self


@dataclass(frozen=True)
class MeanOfAllPrecisions(Average):
    """The mean of the precisions at all distinct scores, and of 1 if it `starts` at (0, 1)."""

    starts: bool

    cause = "the precision at every score counts equally, even where recall doesn't change"
    of = Step()

    @property
    def slip(self) -> str:
        return f"as the {self.term}"

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"mean of all precisions{', with (0, 1)' if self.starts else ''}"

    def values(self, points: OperatingPoints) -> Array:
        total = sum_rankings(points.precision, points.offsets) + self.starts
        mean = divide_safely(total, np.diff(points.offsets) + self.starts, 0.0)
        return np.where(points.n_positives > 0, mean, np.nan)


@dataclass(frozen=True)
class _WithSlip(Rule):
    """Base class of what a program returns that makes a small mistake in a rule."""

    of: Rule
    slip: str

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, {self.slip}"

    @property
    def cut(self) -> Cut | None:
        return self.of.cut


@dataclass(frozen=True)
class Miscounted(_WithSlip, Average):
    """An average precision with a small mistake. The value may be above 1."""

    of: AreaRule

    def values(self, points: OperatingPoints) -> Array:
        if self.slip == _ONE_MORE_POSITIVE:
            points = points.with_n_positives(points.n_positives + 1)
        with np.errstate(divide="ignore", invalid="ignore"):  # of ranks from 0
            area = self.of.area(_POINTS[self.slip](*points))
        height = np.where(area.width > 0, area.height, 0.0)
        if self.slip == WITHOUT_FIRST and isinstance(self.of, Envelope):
            height[points.above == 0] = 0.0  # as np.diff(recall) * envelope[1:]
        value = divide_safely(sum_rankings(area.width * height, area.offsets), area.whole)
        return np.where(sum_rankings(points.positives, points.offsets) > 0, value, np.nan)


_ONE_MORE_POSITIVE = "divided by R + 1"
WITHOUT_FIRST = "without the first recall"


def _skip_first_rank(points: OperatingPoints) -> Array:
    """Return the precision without what the first rank adds to the hits."""
    first = sum_rankings(points.positives * (points.above == 0), points.offsets)
    hits = points.cum_positives - repeat_values(first, points.offsets)
    return np.where(points.above > 0, hits / points.cum_total, 0.0)


# What these mistakes take for precision
SLIPS: dict[str, Callable[[OperatingPoints], Array]] = {
    "ranks from 0": lambda points: points.cum_positives / (points.cum_total - 1),
    "ranks from 2": lambda points: points.cum_positives / (points.cum_total + 1),
    "hits counted late": lambda points: points.positives_above / points.cum_total,
    "the precision of the point above": lambda points: points.precision_above,
    _ONE_MORE_POSITIVE: lambda points: points.cum_positives / points.cum_total,
    WITHOUT_FIRST: lambda points: np.where(
        points.above > 0, points.cum_positives / points.cum_total, 0.0
    ),
    "the first rank skipped": _skip_first_rank,
}
# What audits look for besides
AUDITED_SLIPS: dict[str, Callable[[OperatingPoints], Array]] = {
    "ranks from 0, the first one as 1": lambda points: (
        points.cum_positives / np.maximum(points.cum_total - 1, 1)
    ),
    "the precision of the point above, without the first recall": lambda points: np.where(
        points.above > 0, points.precision_above, 0.0
    ),
}
# Without a cutoff, it's a reciprocal rank
_SLIPS_AT_K: dict[str, Callable[[OperatingPoints], Array]] = {
    "1/rank instead of precision": lambda points: 1 / points.cum_total,
}
# Whose labels tell a k that is one too small
_SLIPS_AT_NEXT_K: dict[str, Callable[[OperatingPoints], Array]] = {
    "the last of these ranks skipped": lambda points: np.where(
        get_next(points.total, points.offsets, np.zeros(points.n_samples.size)) > 0,
        points.cum_positives / points.cum_total,
        0.0,
    ),
}


def _make_points(precision: Callable[[OperatingPoints], Array]) -> type[OperatingPoints]:
    """Return a class of points that have another precision, which is 0 where it's 0/0."""

    class MiscountedPoints(OperatingPoints):
        @property
        def precision(self) -> Array:
            return np.nan_to_num(precision(self), nan=0.0, posinf=np.inf)

    return MiscountedPoints


_POINTS = {
    slip: _make_points(of)
    for slip, of in (SLIPS | AUDITED_SLIPS | _SLIPS_AT_K | _SLIPS_AT_NEXT_K).items()
}


@dataclass(frozen=True)
class RoundedDown(_WithSlip):
    """A metric of the top k%, of as many samples as int(k * n) says, but at least 1."""

    of: EnrichmentFactor | PrecisionAtK
    slip: str = "rounded down to whole samples"

    def values(self, points: OperatingPoints) -> Array:
        share = as_fraction(self.of.k)
        k = np.maximum(points.n_samples * share.numerator // share.denominator, 1)
        precision = select_first_mass(points, k).hits / k
        if isinstance(self.of, PrecisionAtK):
            return np.where(points.n_positives > 0, precision, np.nan)
        return divide_safely(precision * points.n_samples, points.n_positives)


@dataclass(frozen=True)
class MiscountedRanks(_WithSlip):
    """A reciprocal rank, or R-precision, with a small mistake."""

    takes_weights = False

    def values(self, points: OperatingPoints) -> Array:
        return _VALUES_OF_MISCOUNTED_RANKS[self.slip](self.of, points)


def _add_1_to_rank(of: Rule, points: OperatingPoints) -> Array:
    value = of.values(points)
    return np.asarray(value / (1 + value))


def _add_1_to_positives(of: Rule, points: OperatingPoints) -> Array:
    n_positives = points.n_positives
    return np.asarray(of.values(points) * (n_positives / (n_positives + 1)))


def _average_reciprocals(of: Rule, points: OperatingPoints) -> Array:
    """Average 1/rank of all hits."""
    hits = sum_rankings(points.positives, points.offsets)
    total = sum_rankings(points.positives / points.cum_total, points.offsets)
    mean = divide_safely(total, hits, 0.0)
    return np.where(points.n_positives > 0, mean, np.nan)


def _find_last_hit(of: Rule, points: OperatingPoints) -> Array:
    """Return 1/rank of the last hit."""
    reciprocal = np.where(points.positives > 0, 1 / points.cum_total, np.inf)
    last = np.full(points.n_positives.size, np.inf)
    np.minimum.at(last, np.repeat(np.arange(last.size), np.diff(points.offsets)), reciprocal)
    return np.where(points.n_positives > 0, np.where(np.isinf(last), 0.0, last), np.nan)


_SLIPS_OF_RECIPROCAL_RANKS: dict[str, Callable[[Rule, OperatingPoints], Array]] = {
    "as 1/(rank + 1)": _add_1_to_rank,
    "of the last hit": _find_last_hit,
    "as a mean over all hits": _average_reciprocals,
}
_VALUES_OF_MISCOUNTED_RANKS = _SLIPS_OF_RECIPROCAL_RANKS | {_ONE_MORE_POSITIVE: _add_1_to_positives}


@dataclass(frozen=True)
class MiscountedGains(NDCG):
    """What a program returns that makes a small mistake in nDCG."""

    k: float | None = None
    slip: str = ""

    @property
    def of(self) -> NDCG:
        return NDCG(self.gains) if self.k is None else NDCGAtK(self.gains, self.k)

    @property
    def term(self) -> str:  # type: ignore[override]
        name = "nDCG" if self.k is None else f"nDCG@{self.k:g}"
        return f"{name}, {self.slip}"

    @property
    def cut(self) -> Cut | None:
        return self.of.cut

    def discount(self, ranks: Array) -> Array:
        return DISCOUNT_SLIPS.get(self.slip, super().discount)(ranks)

    def evaluate_points(self, points: OperatingPoints, total: Array, rankings: Rankings) -> Array:
        if self.slip not in _ALL_RANKS_OF_IDEALS:
            return super().evaluate_points(points, total, rankings)
        discounts = self._sum_discounts(
            points.above, points.cum_total, points.n_samples, points.offsets
        )
        discounted = sum_rankings(total * (discounts / points.total), points.offsets)
        ranks = np.round(_ALL_RANKS_OF_IDEALS[self.slip](self, points)).astype(np.int64)
        places = np.arange(points.offsets.size)
        ideal = NDCG()._sum_discounts(np.zeros_like(ranks), ranks, points.n_samples, places)
        return np.where(points.n_positives > 0, divide_safely(discounted, ideal, 0.0), np.nan)


DISCOUNT_SLIPS: dict[str, Callable[[Array], Array]] = {
    # method=0 of dcg_at_k in rank_metrics.py (https://gist.github.com/bwhite/3726239)
    "with 1/log2(rank) from the second rank on": lambda ranks: 1 / np.log2(np.maximum(ranks, 2)),
    "ranks from 2": lambda ranks: 1 / np.log2(ranks + 2),
    "with 1/rank instead of 1/log2(rank + 1)": lambda ranks: 1 / ranks,
}
# How many ranks of an ideal ranking have a positive
_RANKS_OF_IDEALS: dict[str, Callable[[Any, OperatingPoints], Array]] = {
    "without the ideal, so DCG": lambda of, points: np.ones_like(points.n_samples),
    "with an ideal without negatives": lambda of, points: (
        points.n_samples if of.cut is None else np.minimum(of.cut.k, points.n_samples)
    ),
}
_RANKS_OF_IDEALS_AT_K: dict[str, Callable[[Any, OperatingPoints], Array]] = {
    # rank_metrics.py, if it gets the top k only
    "with the ideal of the top k": lambda of, points: select_top(points, of.cut).hits,
    # Both are common in code of recommenders, as np.sum(1 / np.log2(np.arange(2, k + 2))), also
    # with the number of all positives for k
    "with an ideal of k positives": lambda of, points: of.cut.compute_k(points.n_samples),
    "with the ideal of all samples": lambda of, points: points.n_positives,
}
_ALL_RANKS_OF_IDEALS = _RANKS_OF_IDEALS | _RANKS_OF_IDEALS_AT_K
_MISCOUNTED_RULES = (Step(), Envelope(), NPoint(11), NPoint(101), FloatGrid(101), Linear())


def list_miscounted(cut: Cut | None) -> list[Rule]:
    """Return each definition with each mistake in what it counts."""
    others: list[Rule] = []
    if cut is None:
        areas: tuple[AreaRule, ...] = _MISCOUNTED_RULES
        of_area = SLIPS | AUDITED_SLIPS
        of_gains = [*DISCOUNT_SLIPS, *_RANKS_OF_IDEALS]
    else:
        areas = tuple(AveragePrecisionAtK(cut.k, denominator=each) for each in DENOMINATORS)
        of_area = SLIPS | AUDITED_SLIPS | _SLIPS_AT_K
        of_gains = [*DISCOUNT_SLIPS, *_ALL_RANKS_OF_IDEALS]
        if cut.is_share:
            others = [RoundedDown(EnrichmentFactor(cut.k)), RoundedDown(PrecisionAtK(cut.k))]
        else:
            at_next = (AveragePrecisionAtK(cut.k + 1, denominator=each) for each in DENOMINATORS)
            others = [*starmap(Miscounted, product(at_next, _SLIPS_AT_NEXT_K))]
    k = None if cut is None else cut.k
    # Before what has the same values without ties
    from_zero = [LinearFromZero()] if cut is None else []
    return [
        *from_zero,
        *starmap(Miscounted, product(areas, of_area)),
        *(MiscountedGains(k=k, slip=slip) for slip in of_gains),
        *list_miscounted_ranks(cut),
        *others,
    ]


def list_miscounted_ranks(cut: Cut | None) -> list[Rule]:
    """Return reciprocal ranks and R-precision with their mistakes."""
    first = ReciprocalRank() if cut is None else ReciprocalRankAtK(cut.k)
    of_first = [MiscountedRanks(first, slip) for slip in _SLIPS_OF_RECIPROCAL_RANKS]
    of_r = [MiscountedRanks(RPrecision(), _ONE_MORE_POSITIVE)] if cut is None else []
    return [*of_first, *of_r]


_NUMBERS_OF_LEVELS = (11, 101)
# What people compute instead of step average precision
INSTEAD_OF_STEP: tuple[Rule, ...] = (
    *(LinesBetweenHighest(), MeanOfAllPrecisions(False), MeanOfAllPrecisions(True)),
    *(Miscounted(Step(), slip) for slip in SLIPS),
    Miscounted(Envelope(), WITHOUT_FIRST),
    *(SwappedAxes(), RowNumbersAsRanks(), BestF1(), ChanceCorrected()),
    *map(StepsOfPrecision, (True, False)),
    *map(PrecisionAtLevels, _NUMBERS_OF_LEVELS),
    *map(PrecisionAtFallingLevels, _NUMBERS_OF_LEVELS),
)
# Whose points without positives count, too
RULES_OF_EVERY_POINT = (MeanOfAllPrecisions, Miscounted, PrecisionAtLevels, StepsOfPrecision)
# Whose range over all orders isn't known
_RULES_IN_ONE_ORDER = (
    LinearAfterFirst,
    LinearFromFirst,
    LinearFromZero,
    Curved,
    DavisGoadrich,
    LinesBetweenHighest,
    MeanOfAllPrecisions,
    Miscounted,
    MiscountedRanks,
    BestF1,
    ChanceCorrected,
    PrecisionAtLevels,
    RoundedDown,
    RowNumbersAsRanks,
    SortedByRecall,
    StepsOfPrecision,
    SwappedAxes,
)


@dataclass(frozen=True)
class StepOfFirst(Average):
    """Step AP of the top k rows only, where the tool decides which tied rows are among them.

    If k doesn't split tied samples, it is AP@k divided by the hits. Otherwise it depends on the
    order of the rows, which operating points don't know, so it has no `values`.
    """

    k: float

    denominator = "hits"
    term = "step of the {rule.cut} best rows"

    @property
    def cut(self) -> Cut:
        return Cut(self.k, "samples")


@dataclass(frozen=True)
class AveragePrecisionAtR(AreaRule):
    """AP@k where k is R, the number of positives, by which the sum is divided, too."""

    term = "AP@R"
    cause = "only the top R samples count, where R is the number of positives"

    def area(self, points: OperatingPoints) -> Area:
        first = select_first_mass(points, points.n_positives).points
        return Area(first.positives, first.precision, points.n_positives, points.offsets)


@dataclass(frozen=True)
class MeanOfPrecisions(Average):
    """The mean of precision at 1, 2, ..., k."""

    k: int

    term = "mean of P@1 to P@{rule.k}"
    cause = "the precision at every rank counts, even at the ranks of negatives"

    @property
    def cut(self) -> Cut:
        return Cut(self.k)

    def values(self, points: OperatingPoints) -> Array:
        # Precision at i counts i - above of the samples at a point, until it has counted them all:
        # the sum of (i - above)/i/total for i up to `end`, and of 1/i from there to k.
        harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, self.k + 1))))
        above = np.minimum(points.above, self.k)
        end = np.minimum(points.cum_total, self.k)
        up_to_end = (end - above - above * (harmonic[end] - harmonic[above])) / points.total
        of_positive = up_to_end + harmonic[-1] - harmonic[end]
        mean = sum_rankings(points.positives * of_positive, points.offsets) / self.k
        # Without positives it is 0, but treated as undefined like all other rules.
        return np.where(points.n_positives > 0, np.minimum(mean, 1.0), np.nan)


@dataclass(frozen=True)
class RocArea(Rule):
    """The area under the ROC curve: how often a positive has a higher score than a negative."""

    term = "area under the ROC curve"

    def values(self, points: OperatingPoints) -> Array:
        positives = sum_rankings(points.positives, points.offsets)  # of each ranking
        negatives = points.n_samples - positives
        negatives_here = points.total - points.positives  # at each point; they count half
        negatives_above = points.above - points.positives_above + negatives_here / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            share_above = negatives_above / repeat_values(negatives, points.offsets)
            lost = sum_rankings(points.positives * share_above, points.offsets) / positives
        return np.where((positives > 0) & (negatives > 0), np.clip(1 - lost, 0, 1), np.nan)


def format_small_fraction(value: float, most_parts: int = 12) -> str:
    """Write a value as a fraction if it's a small one that six decimals don't hold: 1/3."""
    if not np.isfinite(value) or abs(value - round(value, 6)) < _CLOSE_TO_FRACTION:
        return ""
    fraction = Fraction(value).limit_denominator(most_parts)
    return f"{fraction}" if abs(fraction - value) < _CLOSE_TO_FRACTION else ""


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
ROW_ORDERS = (*ASSUMED, Order.BY_ROW, Order.LAST_ROW_FIRST, Order.BY_GIVEN_ID)


def knows_orders(rule: Rule) -> bool:
    """Whether a rule has an option for the order of ties."""
    return "ties" in getattr(rule, "__dataclass_fields__", {})


def compute_extremes(
    rule: Rule, grouped: OperatingPoints, worst: OperatingPoints, best: OperatingPoints
) -> tuple[Array, Array]:
    """Return the lowest and the highest value of each ranking, over all orders of tied samples.

    The points have tied samples grouped, ranked with their positives last, and with them first.
    Most rules never fall when a positive and the negative above it are swapped, but a mean over the
    hits may, whose own "best" and "worst" know that.
    """
    if isinstance(rule, _RULES_IN_ONE_ORDER):
        raise NotImplementedError(f"The range of {rule} over all orders is not known.")
    if isinstance(rule, StepOfFirst):
        return _compute_extremes_of_hits(rule, grouped)
    if isinstance(rule, AveragePrecisionAtK) and rule.denominator == "hits":
        lowest, highest = replace(rule, ties="worst"), replace(rule, ties="best")
        return lowest.values(grouped), highest.values(grouped)
    return rule.values(worst), rule.values(best)


def list_values_of_counts(rule: Rule, points: OperatingPoints, near: float) -> Array | None:
    """Return the two values around another one that whole numbers of hits or ranks can give.

    `points` are those of a single ranking. None for several, and for rules that don't count.
    """
    if points.n_positives.size != 1:
        return None
    if isinstance(rule, ReciprocalRank):
        rank = np.floor(1 / near) if near > 0 else np.inf
        return 1 / np.maximum([rank, rank + 1], 1)
    if isinstance(rule, PrecisionAtK):
        divisor = rule.cut.compute_k(points.n_samples).item()
    elif isinstance(rule, RPrecision) or (
        isinstance(rule, RecallAtK) and rule.denominator == "relevant"
    ):
        divisor = points.n_positives.item()
    elif isinstance(rule, HitRateAtK):
        divisor = 1
    else:
        return None
    hits = np.floor(near * divisor)
    values: Array = np.array([hits, hits + 1]) / divisor
    return values


def _compute_extremes_of_hits(rule: StepOfFirst, points: OperatingPoints) -> tuple[Array, Array]:
    """Return the ends of a mean over the hits in the top k, which one more hit can lower.

    All ties but the one that k splits are entirely inside or outside the top k, and each of them
    counts as one point. If x of the positives that k splits are hits, precision at k counts once
    for each of them.
    """
    k = rule.cut.compute_k(points.n_samples)  # of each ranking
    k_of_points = repeat_values(k, points.offsets)
    is_inside = points.cum_total <= k_of_points
    is_split = (points.above < k_of_points) & ~is_inside  # at most one point of each ranking
    hits = sum_rankings(points.positives * is_inside, points.offsets)
    precisions = sum_rankings(is_inside * points.positives * points.precision, points.offsets)
    tied = sum_rankings(points.positives * is_split, points.offsets)
    room = sum_rankings((k_of_points - points.above) * is_split, points.offsets)
    negatives = (points.total - points.positives) * is_split
    fewest = np.maximum(room - sum_rankings(negatives, points.offsets), 0)
    # precisions/(hits + x) + x/k is convex in x, and lowest where (hits + x)^2 is k precisions.
    lowest = np.floor(np.sqrt(k * precisions)) - hits
    x = np.clip([fewest, tied, lowest, lowest + 1], fewest, np.minimum(tied, room))
    values = divide_safely(precisions + x * (hits + x) / k, hits + x, 0.0)
    values[:, points.n_positives == 0] = np.nan
    return values.min(axis=0), values.max(axis=0)
