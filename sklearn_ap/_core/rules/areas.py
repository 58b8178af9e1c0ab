"""Average precision as an area under a curve: by steps, under the envelope, by straight lines."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import digamma

from ..checks import choose_from
from ..points import SMALLEST, PerPoint, PerRanking, Points, SortedSamples, reduce_rankings
from .rule import Part, PointRule, Trace, VariesBy, compute_area, divide, use_all
from .ties import ONE_ORDER, ROW_ORDERS, TIES, compute_expected_precision, split_ties

# Names of benchmarks mean what their tools compute, which for VOC break ties in several ways.
_VOC_2007 = {"n_points": 11, "grid": "float"}
_COCO = {"n_points": 101, "grid": "float", "ties": "input"}
_FEW_LEVELS = 1000  # numbers of levels that are looked up among the points


def average_steps_at_random(
    rule: PointRule, samples: SortedSamples, n_existing: PerRanking
) -> PerRanking:
    """Return the mean step AP of each ranking over all orders of its scores, with their ties.

    Of N samples F are positive, and R exist. The mean is the sum of
    n_i [F/N + (N_i - 1) F (F - 1)/(N (N - 1))]/(R N_i) over groups of n_i tied samples. If single
    and pair are F/N and F (F - 1)/(N (N - 1)), this is [(single - pair) sum n_i/N_i + pair N]/R.
    """
    size, n_hits = np.diff(samples.offsets), samples.n_hits
    if size.size == 1 and not samples.has_ties:  # the sum is that of 1/i
        sums = np.array([digamma(size[0] + 1.0) + np.euler_gamma])
    else:
        offsets = samples.score_offsets
        end = samples.score_starts + samples.n_tied
        end -= np.repeat(samples.offsets[:-1], np.diff(offsets))
        sums = reduce_rankings(np.add, samples.n_tied / end, offsets)
    single = n_hits / np.maximum(size, 1)
    pair = single * (n_hits - 1) / np.maximum(size - 1, 1)
    with np.errstate(invalid="ignore"):
        return np.asarray(((single - pair) * sums + pair * size) / n_existing)


@dataclass(frozen=True)
class Step(PointRule):
    """Average precision, sum r_i/R p_i"""

    ties: str = choose_from(*TIES)
    names = ("average_precision", "AP", "step")
    listed_names = ("average_precision", "mean_average_precision")
    compute_used_fraction = use_all
    average_at_random = average_steps_at_random

    def values(self, points: Points) -> PerRanking:
        if self.ties == "expected":
            height = compute_expected_precision(points, None)
        else:
            points = split_ties(points, self.ties)
            height = points.precision
        return compute_area(points, points.hits, height, points.n_positives)

    @property
    def varies_by(self) -> VariesBy:
        return "influences" if self.ties in ONE_ORDER else "points"

    def find_parts(self, points: Points) -> list[Part]:
        samples = points.cum_samples
        return [Part(points.hits, points.precision, points.cum_hits, samples)]

    @property
    def curve_title(self) -> str:
        return "AP" if self.ties in ONE_ORDER else ""

    def trace(self, points: Points) -> Trace:
        return Trace(points.precision)


@dataclass(frozen=True)
class Interpolated(PointRule):
    """Interpolated average precision, sum r_i/R max_(j >= i) p_j

    With `n_points` = N, it is 1/N sum_l max_j p_j, where T_j/R >= l/(N-1), and l = 0, ..., N-1.
    """

    n_points: int | None = None
    grid: str = choose_from("exact", "float")
    ties: str = choose_from("grouped", "best", "worst", *ROW_ORDERS)
    names = (
        *("interpolated_average_precision", "envelope", "all-point", "VOC2010", "VOC2012"),
        *("#_point_average_precision", "#-point interpolated"),
    )
    names_with_options: ClassVar = {
        "eleven-point": {"n_points": 11},
        "#-point float": {"grid": "float"},
        "VOC07": _VOC_2007,
        "VOC2007": _VOC_2007,
        "COCO": _COCO,
    }
    listed_names = (
        "101_point_average_precision",
        "101_point_float_average_precision",
        "eleven_point_average_precision",
        "interpolated_average_precision",
    )
    number_option = "n_points"
    compute_used_fraction = use_all

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grid == "float" and self.n_points is None:
            raise ValueError("grid='float' is about recall levels: pass their number as n_points.")

    def split_name(self) -> tuple[str, dict[str, Any]]:
        name, unusual = super().split_name()
        if unusual.pop("grid", "exact") == "float":
            name = name.replace("_point_", "_point_float_")
        return name, unusual

    @property
    def title(self) -> str:
        """The name in words, or that of a benchmark."""
        if self.options == _COCO:
            return "COCO average precision"
        if self.n_points == 11 and self.grid == "float" and self.ties in ONE_ORDER:
            return "VOC 2007 average precision"
        return super().title.replace(" point ", "-point ")

    def values(self, points: Points) -> PerRanking:
        points = split_ties(points, self.ties)
        height = points.accumulate_from_here(np.maximum, points.precision)
        if self.n_points is None:
            return compute_area(points, points.hits, height, points.n_positives)
        has_weights = points.rows is not None
        is_counted = points.n_rankings == 1 and not has_weights
        if is_counted and self.grid == "exact" and self.n_points <= _FEW_LEVELS:
            # Average the heights at the points that reach levels first.
            n, n_positives = int(self.n_points), int(points.n_positives[0])
            hits = [-(-level * n_positives // (n - 1)) for level in range(n)]  # T_j >= l R/(N-1)
            first = np.searchsorted(points.cum_hits, hits)
            reached = height.take(first[first < height.size])  # others are beyond all found ones
            return divide(reached.sum(keepdims=True), np.array([n if n_positives else 0]))
        n_levels = self._count_new_levels(points)
        whole = np.where(points.n_positives > 0, int(self.n_points), 0)
        return compute_area(points, n_levels, height, whole)

    def _count_new_levels(self, points: Points) -> PerPoint:
        """Count the levels of recall that each point is the first one to reach."""
        reached = self.count_reached_levels(points)
        n_levels = np.diff(reached, prepend=0)
        starts = points.offsets[:-1][np.diff(points.offsets) > 0]
        n_levels[starts] = reached[starts]
        return n_levels

    def find_deciding(self, points: Points) -> PerPoint:
        """The first points to reach a level decide, with the best ones from there on."""
        precision = points.precision
        best = points.accumulate_from_here(np.maximum, precision)
        first = np.flatnonzero(self._count_new_levels(points))
        peaks = np.flatnonzero(precision == best)
        is_deciding = np.zeros(best.size, dtype=bool)
        is_deciding[first] = is_deciding[peaks[np.searchsorted(peaks, first)]] = True
        return is_deciding

    def count_reached_levels(self, points: Points) -> PerPoint:
        """Count the levels 0, 1/(N-1), ..., 1 that the recall at each point reaches."""
        assert self.n_points is not None
        n_positives = points.repeat(points.n_positives)
        if self.grid == "float":
            levels = np.linspace(0, 1, self.n_points)  # One is 0.7000000000000001.
            recall = points.cum_hits / np.maximum(n_positives, SMALLEST)
            return np.searchsorted(levels, recall, side="right")
        gaps = int(self.n_points) - 1
        if points.hits.dtype.kind == n_positives.dtype.kind == "i":
            # T_j (N-1) >= l R, in integers of any size if 64 bits aren't enough
            hits = points.cum_hits
            if n_positives.max(initial=0) >= 2**62 // gaps:
                hits = hits.astype(object)
            n_reached = hits * gaps // points.repeat(np.maximum(points.n_positives, 1))
            return np.asarray(n_reached.astype(np.int64) + 1)
        recall = points.cum_hits / np.maximum(n_positives, SMALLEST) * points.rounding_factors
        n_reached = np.floor(np.minimum(recall, 1.0) * gaps) + 1
        return np.asarray(n_reached, dtype=np.int64)

    @property
    def varies_by(self) -> VariesBy:
        is_area = self.n_points is None and self.ties in ONE_ORDER
        return "influences" if is_area else "points"

    def find_parts(self, points: Points) -> list[Part]:
        """A positive counts at the next point whose precision no later one exceeds, but by the
        rounding of weights.
        """
        precision = points.precision
        best = points.accumulate_from_here(np.maximum, precision)
        peaks = np.flatnonzero(precision * points.rounding_factors >= best)
        peak = peaks[np.searchsorted(peaks, np.arange(best.size))]
        width = np.bincount(peak, points.hits, best.size)
        return [Part(width, best, points.cum_hits, points.cum_samples)]

    @property
    def curve_title(self) -> str:
        if self.ties not in ONE_ORDER:
            return ""
        return "Interpolated AP" if self.n_points is None else f"{self.n_points}-point AP"

    def trace(self, points: Points) -> Trace:
        """With levels, these are marked with their heights, 0 for those that aren't reached."""
        height = points.accumulate_from_here(np.maximum, points.precision)
        start = float(height[0])
        if self.n_points is None:
            return Trace(height, start=start)
        n_reached = np.diff(self.count_reached_levels(points), prepend=0)
        level_heights = np.zeros(self.n_points)
        level_heights[: n_reached.sum()] = np.repeat(height, n_reached)
        return Trace(height, (np.linspace(0, 1, self.n_points), level_heights), start)


@dataclass(frozen=True)
class Linear(PointRule):
    """Trapezoids through all points and (0, 1), sum r_i/R (p_i + T_{i-1}/N_{i-1})/2"""

    ties: str = choose_from(*ONE_ORDER)
    names = ("linear",)
    listed_names = ()  # Nobody should search by it.
    varies_by = "influences"
    compute_used_fraction = use_all
    curve_title = "Linear AP"
    is_straight = True

    def values(self, points: Points) -> PerRanking:
        points = split_ties(points, self.ties)
        height = (points.precision_above + points.precision) / 2
        return compute_area(points, points.hits, height, points.n_positives)

    def find_parts(self, points: Points) -> list[Part]:
        r, precision, before = points.hits, points.precision, points.precision_above
        # The line begins at precision 1.
        above = np.where(points.samples_above == 0, np.inf, points.samples_above)
        return [
            Part(r / 2, precision / 2, points.cum_hits, points.cum_samples),
            Part(r / 2, before / 2, points.hits_above, above, is_just_above=True),
        ]

    def trace(self, points: Points) -> Trace:
        return Trace(points.precision)
