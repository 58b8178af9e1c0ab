"""The rules, which compute the value of each definition from operating points.

A rule with its options is one frozen object. It returns one value per ranking. Its class tells what
else it supports, such as influences; whatever the class doesn't define is rejected, never
approximated. To add a rule, write one class here.

The names of a rule stand on its class, where {n} is the number in them, such as k.
`_inputs/metric_names.py` writes the names, and reads them back. What only the documentation says
about a rule is in docs/metrics.toml.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from . import cutoff
from .cutoff import DEFAULT_COUNTS, DENOMINATORS, Cut, Top
from .operating_points import OperatingPoints, from_groups, sum_between
from .ragged import (
    Array,
    compute_running_sum,
    compute_suffix_maxima,
    divide_safely,
    find_maxima,
    get_previous,
    is_first,
    repeat_values,
    sum_rankings,
)
from .rankings import Rankings
from .ties import (
    break_ties,
    break_ties_for_mean,
    compute_chance_of_positive,
    compute_expected_precision,
    compute_expected_reciprocal,
    compute_grouped_reciprocal,
)

_MIN_SAFE_AREA = 2.0**-900


class Area(NamedTuple):
    """Rectangles from left to right, whose total area divided by `whole` is the value."""

    width: Array
    height: Array
    whole: Array  # one per ranking; 0 where the area is undefined
    offsets: Array

    def value(self, out: Array | None = None) -> Array:
        """Compute one value per ranking, nan for 0/0. `out` is memory for areas of rectangles."""
        width, whole = self.width, self.whole
        # Their products must not underflow.
        if width.dtype.kind == "f" and (whole < _MIN_SAFE_AREA).any():
            exponent = -np.frexp(whole)[1]
            width = np.ldexp(width, repeat_values(exponent, self.offsets))
            whole = np.ldexp(whole, exponent)
        area = sum_rankings(np.multiply(width, self.height, out=out), self.offsets)
        return np.minimum(divide_safely(area, whole), 1.0)


class Rule:
    """Base class of all rules, each of which has a name and `values`."""

    # Names. Without a title and a short form, sentences and legends have the name.
    metric: ClassVar[str] = ""  # the public function without "_score"; empty if there is none
    name: ClassVar[str]  # of scorers, and in logs
    title: ClassVar[str] = ""  # in sentences and tables
    short: ClassVar[str] = ""  # in legends
    term: ClassVar[str] = ""  # in `compat`, which compares definitions
    number: ClassVar[str] = ""  # the option that is the number in names
    examples: ClassVar[tuple[str, ...]] = ()  # of this number, in names of scorers
    also_called: ClassVar[tuple[str, ...]] = ()  # by people and tools, besides the names above
    decimals: ClassVar[int] = 3  # of values in tables

    # Weights and ties. A rule that doesn't say so has to be right with any weights.
    ties: str = "grouped"  # how tied samples are ranked
    takes_weights: bool = True
    takes_equal_weights: ClassVar[bool] = False  # if it takes no others; they become counts

    # Values. Models are ordered by these, and 0/0 counts as the worst one.
    greater_is_better: bool = True
    limits: tuple[float, float] = (0.0, 1.0)  # of values; infinite if they aren't known

    @property
    def cut(self) -> Cut | None:
        """Cutoff of the ranking; None for all samples."""
        return None

    @property
    def sign(self) -> int:
        """1 if greater values are better, else -1."""
        return 1 if self.greater_is_better else -1

    @property
    def worst(self) -> float:
        """The worst value, which replaces an undefined one."""
        return self.limits[0 if self.greater_is_better else 1]

    @property
    def extent(self) -> float:
        """How far values can be apart."""
        return self.limits[1] - self.limits[0]

    def values(self, points: OperatingPoints) -> Array:
        """Compute one value per ranking, nan for 0/0."""
        raise NotImplementedError

    # What only intervals and reports ask. Without it, intervals can be wrong, but no values.

    # Whether the mass of all samples matters. If not, resamples tell apart only those in the top k.
    weighs_all: ClassVar[bool] = False
    # Whether values rise with the fraction of positives. If so, a note tells where segments differ.
    rises_with_positives: ClassVar[bool] = False
    # Whether only the first positive counts. If so, a single ranking has no interval.
    looks_for_first: ClassVar[bool] = False
    # Whether values tend to be higher than with more samples. If so, high ends allow for that.
    is_optimistic: ClassVar[bool] = False
    # Whether a cutoff or a target decides which samples count. If so, ends are those of resamples.
    has_bend: ClassVar[bool] = False

    @property
    def is_smooth(self) -> bool:
        """Whether the value is smooth in the weights, so that it has influences in closed form.
        Other values are resampled, which takes longer.
        """
        return False

    def compute_used_fraction(self, points: OperatingPoints) -> Array:
        """Return the fraction of the positives that determines the value of each ranking, as far as
        it is known without the data. Where it's less, intervals would be too narrow without it.
        """
        return np.ones(points.n_rankings)

    def compute_maximum(self, points: OperatingPoints) -> Array:
        """Return the largest value that each ranking can have, for any fraction of positives.

        It limits intervals.
        """
        return np.ones(points.n_rankings)

    def compute_group_maximum(self, points: OperatingPoints) -> Array:
        """Return the largest values of groups, whose numbers of positives are given.

        It limits intervals of a mean over groups.
        """
        return self.compute_maximum(points)

    def perfect(self, points: OperatingPoints) -> Array:
        """Return the value of each ranking if its samples were ranked perfectly.

        Intervals need it if the observed ranking is perfect.
        """
        return self.compute_maximum(points)


class AreaRule(Rule):
    """Base class of rules whose value is an area over recall, or over something similar."""

    rises_with_positives = True

    @property
    def is_smooth(self) -> bool:
        """Whether the rule has `widths`, and ties don't jump with the weights."""
        return type(self).widths is not AreaRule.widths and self.ties == "grouped"

    def area(self, points: OperatingPoints) -> Area:
        raise NotImplementedError

    def widths(self, points: OperatingPoints) -> tuple[Array, Array | None]:
        """Decompose the area into widths, which only rules have that are smooth in the weights, and
        that divide the area by the number of positives.

        Return the width whose height is the precision at each point, and the width whose height is
        the precision just above it, or None if there is no such width.
        """
        raise NotImplementedError

    def values(self, points: OperatingPoints) -> Array:
        area = self.area(points)
        return area.value(out=area.height)  # which is not used again


@dataclass(frozen=True)
class Step(AreaRule):
    """The mean, over all positives, of the precision among the samples that score at least as high
    as the positive.
    """

    ties: str = "grouped"

    metric = "average_precision"
    name = "average_precision"
    title = "Average precision"
    short = "AP"
    also_called = (
        *("Step AP", "step-interpolated", "step-wise", "stepwise"),
        *("step-interpolated AP", "step-wise AP", "stepwise AP"),
    )
    term = "step"

    def widths(self, points: OperatingPoints) -> tuple[Array, None]:
        return points.positives, None

    def area(self, points: OperatingPoints) -> Area:
        if self.ties != "grouped":
            points = break_ties(points, self.ties)
        height = compute_expected_precision(points) if self.ties == "expected" else points.precision
        return Area(points.positives, height, points.n_positives, points.offsets)


@dataclass(frozen=True)
class Envelope(AreaRule):
    """The mean, over all positives, of the best precision at the positive's recall or any higher
    recall.
    """

    metric = "interpolated_average_precision"
    name = "interpolated_average_precision"
    title = "Interpolated average precision"
    short = "Envelope AP"
    term = "envelope"
    also_called = "VOC2010", "VOC 2010", "VOC2012", "VOC 2012"

    def area(self, points: OperatingPoints) -> Area:
        height = compute_suffix_maxima(points.precision, points.offsets)
        return Area(points.positives, height, points.n_positives, points.offsets)

    def widths(self, points: OperatingPoints) -> tuple[Array, None]:
        precision = points.precision
        peaks = np.flatnonzero(precision == compute_suffix_maxima(precision, points.offsets))
        width = np.zeros_like(points.positives)
        if peaks.size:  # the last point of a ranking is always one
            width[peaks] = np.add.reduceat(points.positives, np.append(0, peaks[:-1] + 1))
        return width, None


class Levels(AreaRule):
    """The mean, over levels of recall, of the best precision at each level or beyond."""

    n_points: int

    is_optimistic = True

    def reached(self, points: OperatingPoints) -> Array:
        """Count the levels that are reached at each point."""
        raise NotImplementedError

    def area(self, points: OperatingPoints) -> Area:
        reached = self.reached(points)
        rise = is_first(reached, points.offsets).nonzero()[0]
        level, offsets = reached[rise], rise.searchsorted(points.offsets)
        best = np.maximum.reduceat(points.precision, rise) if rise.size else np.zeros(0)
        return Area(
            width=level - get_previous(level, offsets),
            height=compute_suffix_maxima(best, offsets),
            whole=np.where(points.n_positives > 0, self.n_points, 0),
            offsets=offsets,
        )


@dataclass(frozen=True)
class NPoint(Levels):
    """The mean of the envelope at N evenly spaced recalls from 0 to 1."""

    n_points: int

    metric = "interpolated_average_precision"
    name = "{n}_point_average_precision"
    title = "{n}-point interpolated average precision"
    short = "{n}-point AP"
    term = "{n}-point"
    number = "n_points"
    examples = ("101",)

    def reached(self, points: OperatingPoints) -> Array:
        return cutoff.count_levels(points, self.n_points)


@dataclass(frozen=True)
class FloatGrid(Levels):
    """Like N-point, but some recall levels are slightly too high, because they are stored as
    floats. For example, the level 0.7 becomes 0.7000000000000001, which a recall of 7/10 doesn't
    reach.
    """

    # np.linspace(0, 1, 11) contains 0.30000000000000004, for example, which 3/10 does not reach.
    n_points: int

    metric = "interpolated_average_precision"
    name = "{n}_point_float_average_precision"
    title = "{n}-point interpolated average precision on the float grid"
    short = "{n}-point float AP"
    term = "{n}-point float"
    number = "n_points"
    examples = "11", "101"
    also_called = ("{n}-point, float grid",)
    takes_weights = False  # because scaling them would change how quotients are rounded
    takes_equal_weights = True
    side: ClassVar[Literal["left", "right"]] = "right"

    def reached(self, points: OperatingPoints) -> Array:
        grid = np.linspace(0, 1, self.n_points)
        recall = points.cum_positives / repeat_values(points.n_positives, points.offsets)
        return np.searchsorted(grid, recall, side=self.side)


@dataclass(frozen=True)
class Linear(AreaRule):
    """The area under straight lines between the points of the curve, starting at (0, 1)."""

    name = "linear"
    title = "Area under the linearly interpolated curve"
    short = "Linear AP"
    term = "linear"

    def area(self, points: OperatingPoints) -> Area:
        height = (points.precision_above + points.precision) / 2
        return Area(points.positives, height, points.n_positives, points.offsets)

    def widths(self, points: OperatingPoints) -> tuple[Array, Array]:
        return points.positives / 2, points.positives / 2


@dataclass(frozen=True)
class _TopK(Rule):
    """Base class of rules that evaluate the top k samples."""

    k: float = 10
    ties: str = "grouped"
    k_counts: str = DEFAULT_COUNTS

    number = "k"
    examples: ClassVar[tuple[str, ...]] = ("10",)
    has_bend = True

    @property
    def cut(self) -> Cut:
        return Cut(self.k, self.k_counts)

    def compute_used_fraction(self, points: OperatingPoints) -> Array:
        k = cutoff.select_top(points, self.cut).k
        return np.minimum(k / np.maximum(points.n_positives, k), 1.0)

    def top(self, points: OperatingPoints) -> Top:
        k = None if self.ties == "grouped" else self.cut.compute_k(points.n_samples)
        return cutoff.select_top(break_ties(points, self.ties, k), self.cut)


@dataclass(frozen=True)
class AveragePrecisionAtK(_TopK, AreaRule):
    """The sum of the precisions at the positives in the top k, divided by the smaller of k and the
    number of positives, or by another denominator.
    """

    denominator: str = "min"

    metric = "average_precision_at_k"
    name = "average_precision_at_{n}"
    title = "Average precision at {n}"
    short = "AP@{n}"
    term = "AP@{n}"

    def area(self, points: OperatingPoints) -> Area:
        if self.denominator == "hits" and self.ties != "grouped":
            k = self.cut.compute_k(points.n_samples)
            first = break_ties_for_mean(points, self.ties, k)
            hits = sum_rankings(first.positives, first.offsets)
        else:
            first, hits, k = self.top(points)
        divisor = DENOMINATORS[self.denominator](k, points.n_positives, hits)  # of each ranking
        if self.ties == "expected":
            precision = compute_expected_precision(points, k)
            return Area(points.positives, precision, divisor, points.offsets)
        return Area(first.positives, first.precision, divisor, first.offsets)


@dataclass(frozen=True)
class PrecisionAtK(_TopK):
    """The fraction of positives among the top k samples. If there are fewer than k samples, the
    missing ones count as negatives.
    """

    rises_with_positives = True
    metric = "precision_at_k"
    name = "precision_at_{n}"
    title = "Precision at {n}"
    short = "Precision@{n}"
    term = "precision@{n}"
    examples = "1%", "10"
    also_called = "P_{n}", "PPV@{n}", "PPV_{n}"

    def values(self, points: OperatingPoints) -> Array:
        _, hits, k = self.top(points)
        return np.minimum(hits / k, 1.0)

    def compute_group_maximum(self, points: OperatingPoints) -> Array:
        k = cutoff.select_top(points, self.cut).k
        return np.minimum(divide_safely(points.n_positives, k, 1.0), 1.0)

    def chosen(self, points: OperatingPoints) -> int:
        """Return the index of the point of one ranking that completes the top k."""
        above, k = cutoff.count_above(points, self.cut)
        if "f" in (above.dtype.kind, k.dtype.kind):
            above = above * cutoff.compute_rounding_factors(points)
        return int(np.count_nonzero(above < k)) - 1


@dataclass(frozen=True)
class RecallAtK(_TopK):
    """The fraction of all positives that are in the top k."""

    denominator: str = "relevant"

    metric = "recall_at_k"
    name = "recall_at_{n}"
    title = "Recall at {n}"
    short = "Recall@{n}"
    term = "recall@{n}"
    also_called = ("recall_{n}",)

    def values(self, points: OperatingPoints) -> Array:
        _, hits, k = self.top(points)
        divisor = DENOMINATORS[self.denominator](k, points.n_positives, hits)
        return np.minimum(divide_safely(hits, divisor), 1.0)

    def perfect(self, points: OperatingPoints) -> Array:
        if self.denominator == "min":
            return self.compute_maximum(points)
        return self.compute_used_fraction(points)


@dataclass(frozen=True)
class EnrichmentFactor(_TopK):
    """Precision at k divided by the fraction of positives, which is the expected precision at k of
    a random ranking.
    """

    k: float = 0.01

    metric = "enrichment_factor"
    name = "enrichment_factor_at_{n}"
    title = "Enrichment factor at {n}"
    short = "EF@{n}"
    term = "enrichment factor@{n}"
    examples = ("1%",)
    also_called = ("lift@{n}",)
    decimals = 2
    limits = 0.0, np.inf
    weighs_all = True

    def values(self, points: OperatingPoints) -> Array:
        _, hits, k = self.top(points)
        share = np.minimum(divide_safely(hits, np.minimum(k, points.n_positives)), 1.0)
        return share * (points.n_samples / np.maximum(k, points.n_positives))

    def compute_maximum(self, points: OperatingPoints) -> Array:
        k = cutoff.select_top(points, self.cut).k
        return np.where(points.n_samples > 0, points.n_samples / k, 1.0)

    def perfect(self, points: OperatingPoints) -> Array:
        return self.compute_maximum(points) * self.compute_used_fraction(points)


@dataclass(frozen=True)
class RPrecision(Rule):
    """The fraction of positives among the top R samples, where R is the number of positives."""

    ties: str = "grouped"

    rises_with_positives = True
    metric = "r_precision"
    name = "r_precision"
    title = "R-precision"
    short = "R-precision"
    term = "R-precision"
    also_called = ("Rprec",)
    has_bend = True

    def values(self, points: OperatingPoints) -> Array:
        n_positives = points.n_positives  # which are the cutoff, too
        k = None if self.ties == "grouped" else n_positives
        hits = cutoff.select_first_mass(break_ties(points, self.ties, k), n_positives).hits
        return np.minimum(divide_safely(hits, n_positives), 1.0)


class FirstPositive(Rule):
    """Base class of rules that look for the first positive.

    It has the first score with positives, so only the samples with this score can be tied with it.
    """

    takes_weights = False
    looks_for_first = True

    def evaluate_first(self, points: OperatingPoints) -> Array:
        """Compute the value of rankings from their first points, each of which has positives."""
        raise NotImplementedError

    def values(self, points: OperatingPoints) -> Array:
        points = points.keep_positive()
        values = np.where(points.n_positives > 0, 0.0, np.nan)
        with_points = np.flatnonzero(np.diff(points.offsets))  # rankings
        points = points.reorder(with_points)
        values[with_points] = self.evaluate_first(points.take(points.offsets[:-1]))
        return values


@dataclass(frozen=True)
class ReciprocalRank(FirstPositive):
    """1 divided by the rank of the first positive."""

    ties: str = "grouped"

    metric = "reciprocal_rank"
    name = "reciprocal_rank"
    title = "Reciprocal rank"
    short = "Reciprocal rank"
    term = "reciprocal rank"
    also_called = "RR", "recip_rank"

    def evaluate_first(self, points: OperatingPoints) -> Array:
        return _compute_reciprocal(self.ties, points, points.total)


@dataclass(frozen=True)
class _FirstPositiveInTop(FirstPositive):
    """Base class of rules that look for the first positive among the top k samples."""

    k: float = 10
    ties: str = "grouped"

    number = "k"
    examples = ("10",)

    @property
    def cut(self) -> Cut:
        return Cut(self.k)

    def room(self, points: OperatingPoints) -> Array:
        """Count the samples of each point that are among the top k."""
        above, k = cutoff.count_above(points, self.cut)
        return np.asarray(np.clip(k - above, 0, points.total))


@dataclass(frozen=True)
class ReciprocalRankAtK(_FirstPositiveInTop):
    """1 divided by the rank of the first positive if it is in the top k, and 0 otherwise."""

    metric = "reciprocal_rank"
    name = "reciprocal_rank_at_{n}"
    title = "Reciprocal rank at {n}"
    short = "Reciprocal rank@{n}"
    term = "reciprocal rank@{n}"
    also_called = ("RR@{n}",)

    def evaluate_first(self, points: OperatingPoints) -> Array:
        return _compute_reciprocal(self.ties, points, self.room(points))


def _compute_reciprocal(ties: str, points: OperatingPoints, room: Array) -> Array:
    """Compute the reciprocal rank of the first positive, 0 beyond the `room` of its point."""
    above, tied, positives = points.above, points.total, points.positives
    if ties == "expected":
        return compute_expected_reciprocal(above, tied, positives, room)
    if ties == "grouped":
        return compute_grouped_reciprocal(above, tied, positives, room)
    place = np.ones_like(tied) if ties == "best" else tied - positives + 1
    return np.asarray(np.where(place <= room, 1 / (above + place), 0.0))


@dataclass(frozen=True)
class HitRateAtK(_FirstPositiveInTop):
    """1 if a positive is among the top k samples, and 0 otherwise."""

    metric = "hit_rate_at_k"
    name = "hit_rate_at_{n}"
    title = "Hit rate at {n}"
    short = "Hit rate@{n}"
    term = "hit rate@{n}"
    also_called = "HR@{n}", "HitRate@{n}", "hit@{n}", "hits@{n}", "success@{n}", "success_{n}"

    def evaluate_first(self, points: OperatingPoints) -> Array:
        room = self.room(points)
        if self.ties in ("best", "worst"):
            least = 0 if self.ties == "best" else points.total - points.positives
            return np.asarray(room > least, dtype=float)
        return compute_chance_of_positive(points.total, points.positives, room)


class _BestPoint(Rule):
    """Base class of rules that choose the best point among those that reach a target."""

    rises_with_positives = True
    has_bend = True

    def compared(self, points: OperatingPoints) -> tuple[Array, Array, float]:
        """Return a part, its whole, and the share that the part has to reach."""
        raise NotImplementedError

    def worth(self, points: OperatingPoints) -> Array:
        """Return what the best point maximizes."""
        raise NotImplementedError

    def reached(self, points: OperatingPoints) -> Array:
        return cutoff.has_reached(*self.compared(points), points)

    def values(self, points: OperatingPoints) -> Array:
        worth = np.where(self.reached(points), self.worth(points), 0.0)
        best = np.minimum(find_maxima(worth, points.offsets), 1.0)
        return np.where(points.n_positives > 0, best, np.nan)

    def chosen(self, points: OperatingPoints) -> int | None:
        """Return the index of the best point of one ranking, the last one among equal points.

        Return None if no point with positives reaches the share.
        """
        best = np.flatnonzero(self.reached(points) & (points.positives > 0))
        if not best.size:
            return None
        worth = self.worth(points)[best]
        if points.cum_total.dtype.kind == "f":
            best = best[worth * cutoff.compute_rounding_factors(points) >= worth.max()]
        else:
            best = best[worth == worth.max()]
        return int(best[-1])

    def find_largest_part(self, points: OperatingPoints) -> tuple[float, float]:
        """Return the part of a ranking that is the largest fraction of its whole, and the whole."""
        numerator, denominator, _ = self.compared(points)
        denominator = np.broadcast_to(denominator, numerator.shape)
        place = np.argmax(numerator / denominator)
        return numerator[place].item(), denominator[place].item()


@dataclass(frozen=True)
class PrecisionAtRecall(_BestPoint):
    """The best precision at any threshold with at least this recall; 0 if there is none."""

    min_recall: float

    metric = "precision_at_recall"
    name = "precision_at_recall_{n}"
    title = "Precision at a recall of {n}"
    short = "Precision at recall {n}"
    term = "precision at recall {n}"
    number = "min_recall"
    examples = ("0.9",)

    def compared(self, points: OperatingPoints) -> tuple[Array, Array, float]:
        n_positives = repeat_values(points.n_positives, points.offsets)
        return points.cum_positives, n_positives, self.min_recall

    def worth(self, points: OperatingPoints) -> Array:
        return points.precision

    def compute_used_fraction(self, points: OperatingPoints) -> Array:
        return np.full(points.n_rankings, float(self.min_recall))


@dataclass(frozen=True)
class RecallAtPrecision(_BestPoint):
    """The best recall at any threshold with at least this precision; 0 if there is none."""

    min_precision: float

    metric = "recall_at_precision"
    name = "recall_at_precision_{n}"
    title = "Recall at a precision of {n}"
    short = "Recall at precision {n}"
    term = "recall at precision {n}"
    number = "min_precision"
    examples = ("0.9",)
    is_optimistic = True

    def compared(self, points: OperatingPoints) -> tuple[Array, Array, float]:
        return points.cum_positives, points.cum_total, self.min_precision

    def worth(self, points: OperatingPoints) -> Array:
        n_positives = repeat_values(points.n_positives, points.offsets)
        return divide_safely(points.cum_positives, n_positives)


class Graded(Rule):
    """Base class of rules that read the grades of all rows of a group, none of which is in `RULES`.

    No operating points tell their values, so whatever needs these refuses them.
    """

    takes_weights = False

    def evaluate_groups(self, rankings: Rankings) -> Array:
        """Compute one value per ranking from its rows, nan for 0/0."""
        raise NotImplementedError


@dataclass(frozen=True)
class NDCG(Graded):
    """The sum of the documents' gains, discounted by rank, divided by the same sum for the best
    possible ranking.
    """

    gains: str | tuple[tuple[float, float], ...] = "linear"

    metric = "ndcg"
    name = "ndcg"
    title = "nDCG"
    short = "nDCG"
    term = "nDCG"

    def gain(self, grades: Array) -> Array:
        """Return what documents gain, which is nothing without a grade above 0."""
        grades = np.where(grades > 0, grades, 0.0)  # also instead of nan
        if self.gains == "exponential":
            return np.exp2(grades) - 1
        if isinstance(self.gains, tuple):
            gains = np.zeros(grades.shape)
            for grade, gain in self.gains:
                gains = gains + gain * (grades == grade)
            return gains
        return grades

    def discount(self, ranks: Array) -> Array:
        return np.asarray(1 / np.log2(ranks + 1))

    def evaluate_groups(self, rankings: Rankings) -> Array:
        scores, grades, group, n_groups = rankings.find_graded_rows()
        gain = self.gain(grades)
        points = from_groups(gain > 0, scores, group, n_groups, None, every_point=False)
        # The sum of gains at each of these points: the rows with gains, as positives of this weight
        rows = np.flatnonzero(gain)
        labels, scores, group = np.ones(rows.size, dtype=bool), scores[rows], group[rows]
        total = from_groups(
            labels, scores, group, n_groups, gain[rows], every_point=False
        ).positives
        return self.evaluate_points(points, total, rankings)

    def evaluate_points(self, points: OperatingPoints, total: Array, rankings: Rankings) -> Array:
        """Compute the values of groups, or of orders of one group, from gains at their points.

        `total` is the sum of the gains at each point, which tied documents get in any order.
        """
        discounts = self._sum_discounts(
            points.above, points.cum_total, points.n_samples, points.offsets
        )
        discounted = sum_rankings(total * (discounts / points.total), points.offsets)
        return np.minimum(divide_safely(discounted, self._best(rankings)), 1.0)

    def _best(self, rankings: Rankings) -> Array:
        """Add up the gains of the best ranking, where documents of one grade are together."""
        _, grades, group, n_groups = rankings.find_graded_rows()
        n_samples = np.bincount(group, minlength=n_groups)
        gain = self.gain(grades)
        gains = np.flatnonzero(gain)
        size, gain, group = np.ones(gains.size, dtype=np.int64), gain[gains], group[gains]
        if rankings.judged is not None:
            grades, counts, _ = rankings.judged
            group, place = np.nonzero(counts * (self.gain(grades) > 0))
            size, gain = counts[group, place], self.gain(grades)[place]
        order = np.lexsort((-gain, group))
        size, gain = size[order], gain[order]
        offsets = np.searchsorted(group[order], np.arange(n_groups + 1))
        end = compute_running_sum(size, offsets)
        discounts = self._sum_discounts(end - size, end, n_samples, offsets)
        return sum_rankings(gain * discounts, offsets)

    def _sum_discounts(self, above: Array, end: Array, n_samples: Array, offsets: Array) -> Array:
        """Sum the discounts of the ranks between two ranks, as far as they are in the top k."""
        if self.cut is not None:
            k = repeat_values(self.cut.compute_k(n_samples), offsets)
            above = np.minimum(above, k).astype(np.int64)
            end = np.minimum(end, k).astype(np.int64)
        discounts = self.discount(np.arange(1, end.max(initial=1) + 1))
        return sum_between(above, end, discounts)


@dataclass(frozen=True)
class NDCGAtK(NDCG):
    """The sum of the gains of the top k documents, discounted by rank, divided by the same sum for
    the best possible ranking.
    """

    k: float = 10

    name = "ndcg_at_{n}"
    title = "nDCG at {n}"
    short = "nDCG@{n}"
    term = "nDCG@{n}"
    number = "k"
    examples = ("10",)
    also_called = ("ndcg_cut_{n}",)

    @property
    def cut(self) -> Cut:
        return Cut(self.k)


@dataclass(frozen=True, repr=False)
class GroupFunction(Graded):
    """A function of the labels and prediction scores of one group."""

    function: Callable[..., Any]
    called: str
    takes_weights: bool = False
    greater_is_better: bool = True
    limits: tuple[float, float] = (-np.inf, np.inf)
    takes_judged: bool = False

    def __repr__(self) -> str:
        return repr(self.called)


# The rules above; base classes have no name.
_NAMED: tuple[type[Rule], ...] = tuple(
    kind
    for kind in [*globals().values()]
    if isinstance(kind, type) and issubclass(kind, Rule) and "name" in vars(kind)
)
RULES = tuple(kind for kind in _NAMED if not issubclass(kind, Graded))
GRADED = tuple(kind for kind in _NAMED if issubclass(kind, Graded))
