"""Orders of tied samples: the best, the worst, and the mean over all of them."""

import numpy as np

from ..points import PerPoint, PerRanking, Points

# How most definitions may rank tied samples. In an order of rows, `break_ties_by_row` has ranked
# them before a rule sees them. Curves and influences are known for one order, and for one point.
ROW_ORDERS = ("input",)
TIES = "grouped", "expected", "best", "worst", *ROW_ORDERS
ONE_ORDER = "grouped", *ROW_ORDERS
WITHOUT_SPLIT = "expected", *ONE_ORDER  # Each point has all samples of a score.


def split_ties(points: Points, ties: str) -> Points:
    """Split points into one for each positive, if ties are in the best or the worst order."""
    if ties in WITHOUT_SPLIT:
        return points
    # for each positive, its point, and its place among the positives there, from 0
    point = np.repeat(np.arange(points.hits.size), points.hits)
    place = np.arange(point.size) - (np.cumsum(points.hits) - points.hits)[point]
    n_before = {"best": 0, "worst": points.samples - points.hits}[ties]  # negatives tied with them
    above = points.samples_above + n_before
    one = np.ones_like(point)
    return points._replace(
        hits=one,
        samples=one,
        hits_above=points.hits_above[point] + place,
        samples_above=above[point] + place,
        offsets=np.searchsorted(point, points.offsets),
    )


def compute_expected_precision(points: Points, k: PerRanking | None) -> PerPoint:
    """Compute the mean precision at the positives of each point, over all orders of tied samples.

    Among n samples with r positives that follow t samples with T positives, rank t + j is a
    positive with probability r/n. It is then preceded by (j-1)(r-1)/(n-1) of the others on average,
    so the precision there is [T + (j-1)(r-1)/(n-1) + 1]/(t + j). Ranks beyond k contribute 0.
    """
    expected = np.where(points.hits > 0, points.precision, 0.0)
    n_ranks = points.samples  # samples of each point, up to k
    if k is not None:
        room = points.repeat(k) - points.samples_above
        n_ranks = np.clip(room, 0, points.samples).astype(np.int64)
        expected[n_ranks == 0] = 0
    tied = np.flatnonzero((points.hits > 0) & (points.samples > 1) & (n_ranks > 0))
    if not tied.size:
        return expected
    r, n, n_ranks = points.hits[tied], points.samples[tied], n_ranks[tied]
    start = np.cumsum(n_ranks) - n_ranks
    # Some arrays are as long as all samples, so few are made, of floats, and these are used again.
    place = np.arange(n_ranks.sum(), dtype=float)
    place -= np.repeat(start.astype(float), n_ranks)
    precision = place * np.repeat((r - 1) / (n - 1), n_ranks)
    precision += np.repeat(points.hits_above[tied] + 1.0, n_ranks)
    place += np.repeat(points.samples_above[tied] + 1.0, n_ranks)
    precision /= place
    expected[tied] = np.add.reduceat(precision, start) / n
    return expected
