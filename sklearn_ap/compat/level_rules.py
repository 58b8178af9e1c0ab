"""Averages of precision over levels of recall, as tools and people compute them."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import product, starmap

import numpy as np

from .._inputs.metric_names import write_rule
from ..core.operating_points import OperatingPoints
from ..core.ragged import (
    Array,
    compute_suffix_maxima,
    divide_safely,
    get_previous,
    repeat_values,
    sum_rankings,
)
from ..core.rules import (
    Area,
    AreaRule,
    Envelope,
    FloatGrid,
    Levels,
    NPoint,
    Rule,
)
from .variant_rules import Average, compute_share_of_positives, get_next

_TENTHS = np.arange(11)[:, np.newaxis]  # levels of recall


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
    def is_kitti(self) -> bool:
        """Whether these are the recalls of KITTI, which are no mistake."""
        return self.parts == 40

    @property
    def is_mistaken(self) -> bool:
        return not self.is_kitti

    @property
    def mistake(self) -> str:
        lowest = Fraction(self.first, self.parts)
        highest = lowest + Fraction(self.n_points - 1, self.parts)
        return f"recalls {lowest} to {highest}"

    @property
    def term(self) -> str:  # type: ignore[override]
        name = "R40" if self.is_kitti else f"{self.n_points}-point{' float' * self.is_float}"
        return f"{name}, {self.mistake}"

    def reached(self, points: OperatingPoints) -> Array:
        return np.asarray(np.clip(self.of.reached(points) - self.first, 0, self.n_points))


@dataclass(frozen=True)
class _LevelsExceeded(FloatGrid):
    """The levels that recall has to be greater than, so that none reaches 1."""

    side = "left"


class WrongHeight(Enum):
    """Which precision counts at a recall instead of the best one there or beyond."""

    WITHOUT_MAXIMUM = "without the maximum to the right"
    MAXIMUM_TO_LEFT = "with the maximum to the left instead"
    LEVELS_EXCEEDED = "recall > each level instead of >="
    UP_TO_LEVELS = "recall <= each level instead of >="


@dataclass(frozen=True)
class WrongEnvelope(AreaRule):
    """An interpolated average that takes another precision than the best one at a recall or beyond.

    np.maximum.accumulate(precision) has the best precision up to a recall, if it begins with the
    highest score.
    """

    of: Levels | Envelope
    height: WrongHeight

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, {self.height.value}"

    @property
    def is_mistaken(self) -> bool:
        """Whether no tool has it, as ignite has one."""
        return (self.of, self.height) != (FloatGrid(101), WrongHeight.WITHOUT_MAXIMUM)

    @property
    def mistake(self) -> str:
        if isinstance(self.of, LevelRange):
            return f"{self.of.mistake}, {self.height.value}"
        return self.height.value

    @property
    def cause(self) -> str:
        if self.height is not WrongHeight.WITHOUT_MAXIMUM:
            return ""
        return "each level of recall counts with the precision of the first point that reaches it"

    def area(self, points: OperatingPoints) -> Area:
        if isinstance(self.of, Envelope):
            height = compute_prefix_maxima(points.precision, points.offsets)
            return Area(points.positives, height, points.n_positives, points.offsets)
        exceeded = _LevelsExceeded(self.of.n_points)
        if self.height is WrongHeight.LEVELS_EXCEEDED:
            return exceeded.area(points)
        n_levels = np.where(points.n_positives > 0, self.of.n_points, 0)
        height = points.precision
        if self.height is not WrongHeight.WITHOUT_MAXIMUM:
            height = compute_prefix_maxima(height, points.offsets)
        if self.height is WrongHeight.UP_TO_LEVELS:
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
    def is_mistaken(self) -> bool:
        """Whether its levels are a mistake; tools have the point at recall 0."""
        return isinstance(self.of, LevelRange)

    @property
    def mistake(self) -> str:
        levels = f"{self.of.mistake}, " if isinstance(self.of, LevelRange) else ""
        return f"{levels}with (0, 1)"

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
    *starmap(WrongEnvelope, product(_LEVELS, [*WrongHeight][:2])),
    *(WrongEnvelope(each, WrongHeight.WITHOUT_MAXIMUM) for each in _RANGES),
    *starmap(WrongEnvelope, product(_LEVELS[::2], [*WrongHeight][2:])),
    WrongEnvelope(Envelope(), WrongHeight.MAXIMUM_TO_LEFT),
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

    is_mistaken = True
    mistake = "by np.interp on falling recall"

    @property
    def of(self) -> Rule:
        return PrecisionAtLevels(self.n_points)

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, {self.mistake}"

    def values(self, points: OperatingPoints) -> Array:
        lowest = compute_share_of_positives(points)
        return np.where(points.n_positives > 0, 1 - (1 - lowest) / self.n_points, np.nan)
