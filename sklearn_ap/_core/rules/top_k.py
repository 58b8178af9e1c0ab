"""What is in the top k: AP@k, precision, recall and lift there, and precision at k = R."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..checks import choose_from
from ..points import SMALLEST, PerRanking, Points
from .rule import PointRule, average_tied, compute_area, divide, use_all
from .ties import ONE_ORDER, TIES, compute_expected_precision, split_ties


class Top:
    """The samples in the top k. A point that k cuts enters in proportion, k'/n_i."""

    def __init__(self, points: Points, k: PerRanking, k_counts: str | None = None):
        size, above = points.samples, points.samples_above
        counts_rows = k_counts == "samples" and points.rows is not None
        if counts_rows:
            assert points.rows is not None
            assert points.rows_above is not None
            size, above = points.rows, points.rows_above
        part = np.clip(points.repeat(k) - above, 0, size) / size
        self.hits = points.hits * part  # h of each point
        self.n_hits = points.sum(self.hits)
        end = points.samples_above + points.samples * part
        with np.errstate(invalid="ignore"):  # far below k, all terms are 0
            precision = (points.hits_above + self.hits) / end
        self.precision = np.where(part > 0, precision, 0.0)
        self.k = k
        if counts_rows:
            # Ranks below the last row weigh as much as the rows of their ranking on average, or as
            # all rows for a ranking without any.
            overall_mean = points.mass.sum() / max(points.n_rows.sum(), 1)
            mean_weight = np.full(points.n_rankings, overall_mean or 1.0)
            np.divide(points.mass, points.n_rows, out=mean_weight, where=points.n_rows > 0)
            n_beyond = np.maximum(k - points.n_rows, 0)
            self.k = points.sum(points.samples * part) + n_beyond * mean_weight


@dataclass(frozen=True)
class _TopK(PointRule):
    """Base class of rules that look at the top k."""

    k: float = field()  # `field` takes away the default of the base class.
    ties: str = choose_from(*TIES)
    k_counts: str | None = choose_from(None, "weight", "samples")
    number_option = "k"
    varies_by = "top"

    def cut_top(self, points: Points) -> Top:
        """Return the top of points whose ties are untied."""
        return Top(points, self.compute_cutoffs(points), self.k_counts)


# What AP@k may be divided by, and how a sentence says so
DENOMINATORS = {
    "min": "min(k, positives)",
    "relevant": "all positives",
    "k": "k",
    "hits": "the positives in the top k",
}


def choose_denominator(
    name: str, k: PerRanking, n_positives: PerRanking, n_hits: PerRanking
) -> PerRanking:
    """Return what sums of the top k are divided by, 0 if the value is undefined."""
    divisors = {
        "min": np.minimum(k, n_positives),
        "relevant": n_positives,
        "k": np.where(n_positives > 0, k, 0),
        "hits": np.where(n_hits > 0, n_hits, n_positives),
    }
    return divisors[name]


@dataclass(frozen=True)
class AveragePrecisionAtK(_TopK):
    """AP@k, the sum of h_i p_i over the points in the top k, divided by D.

    At a point that k cuts after k' of its samples, h = r_i k'/n_i, and p = (T_{i-1} + h)/k. D is
    min(k, R), R, k or the number of hits.
    """

    denominator: str = choose_from(*DENOMINATORS)
    names = ("average_precision_at_#", "average_precision_at_k", "AP@k", "AP@#")
    names_with_options: ClassVar = {"AP_cut_#": {"denominator": "relevant"}}  # trec_eval's map_cut
    listed_names = ("average_precision_at_10", "mean_average_precision_at_10")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.denominator == "hits" and self.ties not in ONE_ORDER:
            raise ValueError("denominator='hits' is only defined for ties='grouped' or 'input'.")

    def values(self, points: Points) -> PerRanking:
        untied = split_ties(points, self.ties)
        top = self.cut_top(untied)
        divisor = choose_denominator(self.denominator, top.k, points.n_positives, top.n_hits)
        if self.ties == "expected":
            height = compute_expected_precision(points, self.compute_cutoffs(points))
            return compute_area(points, points.hits, height, divisor)
        return compute_area(untied, top.hits, top.precision, divisor)


@dataclass(frozen=True)
class PrecisionAtK(_TopK):
    """hits/k, where ranks below the last row are misses"""

    names = ("precision_at_#", "precision_at_k", "P@k", "P@#", "P #", "PPV@#")
    listed_names = ("precision_at_10",)
    average_at_random = average_tied

    def values(self, points: Points) -> PerRanking:
        top = self.cut_top(split_ties(points, self.ties))
        return np.minimum(top.n_hits / top.k, 1.0)


@dataclass(frozen=True)
class RecallAtK(_TopK):
    """hits/R, or hits/min(k, R)"""

    denominator: str = choose_from("relevant", "min")
    names = ("recall_at_#", "recall_at_k", "R@k", "R@#", "recall #")
    names_with_options: ClassVar = {"R_cap@#": {"denominator": "min"}}
    listed_names = ("recall_at_10",)
    average_at_random = average_tied

    def values(self, points: Points) -> PerRanking:
        top = self.cut_top(split_ties(points, self.ties))
        divisor = choose_denominator(self.denominator, top.k, points.n_positives, top.n_hits)
        return divide(top.n_hits, divisor)


@dataclass(frozen=True)
class EnrichmentFactor(_TopK):
    """The lift, (hits/k) / (R/N)"""

    k: float = 0.01
    names = ("enrichment_factor_at_#", "enrichment_factor", "EF@#", "lift@#")
    listed_names = ("enrichment_factor_at_10",)
    limits = (0.0, np.inf)
    average_at_random = average_tied

    def values(self, points: Points) -> PerRanking:
        top = self.cut_top(split_ties(points, self.ties))
        # hits/min(k, R) * N/max(k, R) is the same, and rounding leaves its first factor at most 1.
        reached = divide(top.n_hits, np.minimum(top.k, points.n_positives))
        return reached * (points.mass / np.maximum(top.k, points.n_positives))

    def compute_highest(self, points: Points) -> PerRanking:
        k = self.compute_cutoffs(points)
        if self.k_counts == "samples" and points.rows is not None:
            k = points.n_positives  # which is known, as the weight of the top k isn't
        return np.where(points.mass > 0, points.mass / np.maximum(k, SMALLEST), 1.0)


@dataclass(frozen=True)
class RPrecision(PointRule):
    """Precision at k = R"""

    ties: str = choose_from(*TIES)
    names = ("r_precision", "R-precision", "Rprec")
    listed_names = ("r_precision",)
    varies_by = "top"
    compute_used_fraction = use_all
    average_at_random = average_tied

    def values(self, points: Points) -> PerRanking:
        top = Top(split_ties(points, self.ties), points.n_positives)
        return divide(top.n_hits, points.n_positives)
