"""nDCG, which is about grades."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..checks import choose_from
from ..data import Rankings
from ..points import Array, PerRanking, PerSample, Points, rank
from .rule import RowRule, divide


@dataclass(frozen=True)
class NDCG(RowRule):
    """The sum of gains, discounted by 1/log2(1 + rank), over the same sum for the best ranking

    The best ranking is that of all judged documents. Tied documents share their mean gain.
    """

    k: float | None = None
    gains: str = choose_from("linear", "exponential")
    names = ("ndcg", "nDCG", "ndcg_at_#", "nDCG@#", "ndcg_cut #")
    listed_names = ("ndcg", "ndcg_at_10")
    number_option = "k"

    def compute_gains(self, grades: PerSample) -> PerSample:
        """Return what documents gain: nothing unless their grade is above 0."""
        gains = np.where(grades > 0, grades, 0.0)  # Nothing is gained without a grade (nan).
        with np.errstate(over="ignore"):
            if self.gains == "exponential":
                gains = np.exp2(gains) - 1
            if not np.isfinite(gains.sum()):
                raise ValueError(f"Gains have no finite sum, as of the grade {np.nanmax(grades)}.")
        return np.asarray(gains)

    def values(self, rankings: Rankings) -> PerRanking:
        lowest = np.nanmin(rankings.labels, initial=0)
        if lowest < 0:
            raise ValueError(f"Grades must not be negative. Got {lowest}.")
        group, n_groups = rankings.group_codes, rankings.n_rankings
        gains = self.compute_gains(rankings.labels)
        points = rank(gains, rankings.scores, None, group, n_groups)
        judged_group, judged_gains = group, gains
        if rankings.judged is not None:
            judged_group, judged_grades = rankings.judged
            _check_judged(rankings, judged_group, judged_grades)
            judged_gains = self.compute_gains(judged_grades)
        best = rank(judged_gains, judged_gains, None, judged_group, n_groups)
        k = None if self.k is None else self.compute_cutoffs(points)
        return divide(*(add_discounted(each, k, sum_discounts) for each in (points, best)))


def _check_judged(rankings: Rankings, judged_group: Array, judged_grades: Array) -> None:
    """Refuse counts of judged documents that are below those that were retrieved."""
    assert rankings.names is not None
    group, n_groups = rankings.code_of_samples, rankings.n_rankings
    for grade in np.unique(rankings.labels[rankings.labels > 0]):
        n_found = np.bincount(group[rankings.labels == grade], minlength=n_groups)
        n_judged = np.bincount(judged_group[judged_grades == grade], minlength=n_groups)
        if (n_found > n_judged).any():
            name = rankings.names[int(np.argmax(n_found > n_judged))]
            raise ValueError(
                f"n_positives has fewer documents of grade {grade} than y_true for the group "
                f"{name!r}."
            )


def add_discounted(
    points: Points, k: PerRanking | None, sum_up_to: Callable[[Array], Array]
) -> PerRanking:
    """Add up gains, of which tied documents share the discounts of their ranks in the top k."""
    above, end = points.samples_above, points.cum_samples
    if k is not None:
        cutoffs = points.repeat(k)
        above, end = np.minimum(above, cutoffs), np.minimum(end, cutoffs)
    discounts_above, discounts_to_end = sum_up_to(np.stack((above, end)))
    return points.sum(points.hits * (discounts_to_end - discounts_above) / points.samples)


def sum_discounts(n: Array) -> Array:
    """Return 1/log2(2) + ... + 1/log2(n + 1) for each n."""
    discounts = 1 / np.log2(np.arange(2, n.max(initial=0) + 2))
    return np.append(0, np.cumsum(discounts))[n]
