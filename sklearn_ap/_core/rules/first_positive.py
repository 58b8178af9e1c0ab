"""Where the first positive is: reciprocal rank, and whether it's in the top k."""

from dataclasses import dataclass, field

import numpy as np

from ..checks import choose_from
from ..points import Array, PerRanking, Points
from .rule import PointRule, average_tied
from .ties import TIES, WITHOUT_SPLIT


@dataclass(frozen=True)
class _FirstPositive(PointRule):
    """Base class of rules that look for the first positive.

    It is among the n samples, r of them positive, of the first point that has positives, below
    N_{i-1} others. The top k has room for `room` of these samples.
    """

    k: float | None = None
    ties: str = choose_from(*TIES)
    number_option = "k"
    takes_weights = False
    varies_by = "groups"

    def values(self, points: Points) -> PerRanking:
        values = np.where(points.n_positives > 0, 0.0, np.nan)
        hit_points = np.append(np.flatnonzero(points.hits), points.samples.size)
        first = hit_points[np.searchsorted(hit_points, points.offsets[:-1])]
        with_hits = np.flatnonzero(first < points.offsets[1:])
        columns = points.samples_above, points.samples, points.hits
        above, n, r = (column[first[with_hits]].astype(np.int64) for column in columns)
        room = n
        if self.k is not None:
            room = np.clip(self.compute_cutoffs(points)[with_hits] - above, 0, n)

        if self.ties not in WITHOUT_SPLIT:
            place = {"best": np.ones_like(n), "worst": n - r + 1}[self.ties]
            values[with_hits] = np.where(place <= room, self.evaluate_rank(above + place), 0.0)
            return values
        values[with_hits] = np.where(room > 0, self.evaluate_rank(above + 1), 0.0)
        tied = np.flatnonzero((n > 1) & (room > 0))
        if tied.size:
            columns_of_tied = [column[tied] for column in (above, n, r, room)]
            cases, case = np.unique(columns_of_tied, axis=1, return_inverse=True)
            means = np.array([self.average_places(*each) for each in cases.T.tolist()])
            values[with_hits[tied]] = means[case.ravel()]  # NumPy 2.0 has it in another shape
        return values

    def average_places(self, above: int, n: int, r: int, room: int) -> float:
        """Compute the mean value over all orders of the tied samples."""
        places, probabilities = compute_first_places(n, r, room)
        return float(np.sum(probabilities * self.evaluate_rank(above + places)))

    def evaluate_rank(self, rank: Array) -> Array:
        """Return the value if the first positive is at this rank, in the top k."""
        raise NotImplementedError


def compute_first_places(n: int, r: int, room: int) -> tuple[Array, Array]:
    """Return places among n samples in random order, as far as there is room, and the probability
    that each has the first of r positives.

    The first place has it with probability p_1 = r/n, and p_{j+1} = p_j (n-r-j+1)/(n-j). Later
    places are left out, because the first 40 n/r samples have no positive with probability at most
    exp(-40).
    """
    places = np.arange(1, min(n - r + 1, 40 * n // r + 1, room) + 1)
    factors = (n - r - places + 2) / (n - places + 1)
    factors[:1] = r / n
    return places, np.cumprod(factors)


@dataclass(frozen=True)
class ReciprocalRank(_FirstPositive):
    """1/rank of the first positive, 0 if it isn't in the top k

    With "grouped" ties, the rank is the mean rank of the first positive over the orders in which it
    is in the top k, and 1/rank counts as often as that happens. Without k, it is
    1/(N_{i-1} + (n + 1)/(r + 1)).
    """

    names = ("reciprocal_rank", "RR", "recip_rank", "reciprocal_rank_at_#", "RR@#")
    listed_names = ("mean_reciprocal_rank", "reciprocal_rank", "reciprocal_rank_at_10")

    def evaluate_rank(self, rank: Array) -> Array:
        return 1 / rank

    def average_places(self, above: int, n: int, r: int, room: int) -> float:
        if self.ties == "expected":
            return super().average_places(above, n, r, room)
        if room > n - r:  # all orders have a positive in the top k
            return 1 / (above + (n + 1) / (r + 1))
        places, probabilities = compute_first_places(n, r, room)
        probability = float(probabilities.sum())
        mean_place = float(np.sum(places * probabilities)) / probability
        return probability / (above + mean_place)


@dataclass(frozen=True)
class HitRateAtK(_FirstPositive):
    """1 if a positive is in the top k, else 0"""

    k: float = field()
    names = ("hit_rate_at_#", "hit_rate_at_k", "HR@#", "hit@#", "hits@#", "success@#", "success #")
    listed_names = ("hit_rate_at_10",)
    average_at_random = average_tied

    def evaluate_rank(self, rank: Array) -> Array:
        return np.ones(np.shape(rank))
