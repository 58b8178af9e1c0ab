"""Rules without a metric of their own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.cutoff import Cut, select_first_mass
from ..core.operating_points import OperatingPoints
from ..core.ragged import (
    Array,
    divide_safely,
    get_previous,
    repeat_values,
    sum_rankings,
)
from ..core.rankings import Rankings
from ..core.rules import (
    Area,
    AreaRule,
    Graded,
    Linear,
    Rule,
    Step,
)


@dataclass(frozen=True)
class RuleWithoutCutoff(Rule):
    """A rule without its cutoff k, which is passed later."""

    name: str  # type: ignore[misc]
    make: Callable[..., Rule]


def is_mistaken(rule: Rule) -> bool:
    """Whether nobody wants what a rule computes: `of` is meant, and `mistake` is done to it."""
    return getattr(rule, "is_mistaken", False)


class Average(Rule):
    """What somebody calls average precision, without being an area under steps or lines."""


def get_next(values: Array, offsets: Array, at_end: Array) -> Array:
    """Return the value of the next point of each ranking, and another one after the last point."""
    following = np.append(values[1:], 0)
    has_points = np.diff(offsets) > 0
    following[offsets[1:][has_points] - 1] = at_end[has_points]
    return following


def compute_share_of_positives(points: OperatingPoints) -> Array:
    """Return the precision of all samples of each ranking."""
    found = sum_rankings(points.positives, points.offsets)
    return divide_safely(found, points.n_samples, 0.0)


@dataclass(frozen=True)
class SwappedAxes(Average):
    """The area under recall over precision, by straight lines: auc(precision, recall).

    It is what the area under precision over recall has above the precision of all samples.
    """

    of = Linear()
    is_mistaken = True
    mistake = "with recall over precision, auc(precision, recall)"
    term = "linear, with recall over precision"

    def values(self, points: OperatingPoints) -> Array:
        return Linear().values(points) - compute_share_of_positives(points)


@dataclass(frozen=True)
class StepsOfPrecision(Average):
    """The sum of each recall times what precision rises by to its point, as if axes were swapped.

    Precision begins with 1. If it's `absolute`, falls count like rises.
    """

    absolute: bool

    of = Step()
    is_mistaken = True

    @property
    def mistake(self) -> str:
        change = "absolute change" if self.absolute else "change"
        return f"as recall times the {change} in precision"

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"step, {self.mistake}"

    def values(self, points: OperatingPoints) -> Array:
        rise = points.precision - points.precision_above
        area = points.cum_positives * (np.abs(rise) if self.absolute else rise)
        return divide_safely(sum_rankings(area, points.offsets), points.n_positives)


@dataclass(frozen=True)
class ChanceCorrected(Average):
    """How far step average precision is from the fraction of positives to 1."""

    of = Step()
    is_mistaken = True
    mistake = "as (AP - P)/(1 - P), where P is the fraction of positives"
    term = f"step, {mistake}"

    def values(self, points: OperatingPoints) -> Array:
        chance = compute_share_of_positives(points)
        value = divide_safely(Step().values(points) - chance, 1 - chance, 0.0)
        return np.where(points.n_positives > 0, value, np.nan)


@dataclass(frozen=True)
class RowNumbersAsRanks(Average):
    """Step average precision that divides hits by the numbers of the rows before they were sorted.

    A pandas index keeps these numbers in sort_values. `DataSet` puts them in place of the ranks.
    """

    of = Step()
    is_mistaken = True
    mistake = "with the row numbers from before the sort as ranks"
    term = f"step, {mistake}"

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
    is_mistaken = True
    mistake = "from (0, 0)"
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
        hits = np.bincount(group, flagged & positive, n_groups)
        false = np.bincount(group, flagged & ~positive, n_groups)
        missed = np.bincount(group, ~flagged & positive, n_groups)
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
    is_mistaken = True

    @property
    def mistake(self) -> str:
        return f"as the {self.term}"

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"mean of all precisions{', with (0, 1)' if self.starts else ''}"

    def values(self, points: OperatingPoints) -> Array:
        total = sum_rankings(points.precision, points.offsets) + self.starts
        mean = divide_safely(total, np.diff(points.offsets) + self.starts, 0.0)
        return np.where(points.n_positives > 0, mean, np.nan)


@dataclass(frozen=True)
class StepOfFirst(Average):
    """Step AP of the top k rows only, where the tool decides which tied rows are among them.

    If k doesn't split tied samples, it is AP@k divided by the hits. Otherwise it depends on the
    order of the rows, which operating points don't know, so it has no `values`.
    """

    k: float

    denominator = "hits"
    term = "step of the best {n}"

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

    term = "mean of P@1 to P@{n}"
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
