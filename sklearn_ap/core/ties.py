"""Orders of tied samples.

"grouped" treats tied samples as one point, as the operating points do. "best" and "worst" rank tied
positives first or last. "expected" is the mean over all orders of the tied samples.
"""

import numpy as np
from scipy.special import digamma

from .operating_points import OperatingPoints
from .ragged import Array, compute_running_sum, find_maxima, repeat_values, sum_rankings


def break_ties(points: OperatingPoints, ties: str, k: Array | None = None) -> OperatingPoints:
    """Split points into one per positive for "best" and "worst". Otherwise return
    them unchanged.

    Positives beyond k, which has one number per ranking, are left out.
    """
    if ties not in ("best", "worst"):
        return points
    count = points.positives
    n_before = points.above if ties == "best" else points.cum_total - count
    if k is not None:
        count = np.clip(repeat_values(k, points.offsets) - n_before, 0, count).astype(np.int64)
    return _split_into_positives(points, count, n_before)


def break_ties_for_mean(points: OperatingPoints, ties: str, k: Array) -> OperatingPoints:
    """Split points into one per hit in the top k, in the order of tied samples with the best or the
    worst mean precision at the hits.

    One more hit can lower the mean, so each number of hits is tried that is possible among the
    samples that k splits. Their precisions are highest if they come first there, and lowest if they
    come last. With h instead of h - 1 of them, the sum of precisions has another (T + h)/(t + h)
    if they are first, and if they end at rank e, another (T + 1)/(e - h + 1) + 1/(e - h + 2) + ...
    + 1/e, where T and t count the positives and the samples above.
    """
    end = np.minimum(points.cum_total, repeat_values(k, points.offsets)).astype(np.int64)
    fewest = np.clip(end - (points.cum_total - points.positives), 0, points.positives)
    most = np.clip(end - points.above, 0, points.positives)
    # One entry for each number h of hits at each point; those of a ranking are between offsets.
    until = np.cumsum(most)
    h = np.arange(1, most.sum() + 1) - np.repeat(until - most, most)
    T, t = np.repeat(points.positives_above, most), np.repeat(points.above, most)
    if ties == "best":
        gain = (T + h) / (t + h)
    else:
        e = np.repeat(end, most)
        first = e - h + 1
        gain = -((T + 1) / first + _sum_over_ranks(first, e)[0])
    offsets = np.concatenate(([0], until))[points.offsets]
    mean = compute_running_sum(gain, offsets) / (T + h)
    least = sum_rankings(fewest, points.offsets)  # hits of each ranking
    mean[T + h < np.repeat(least, np.diff(offsets))] = -np.inf
    is_extreme = mean == np.repeat(find_maxima(mean, offsets), np.diff(offsets))
    n_hits = find_maxima(np.where(is_extreme, T + h, 0), offsets)
    if ties == "worst":
        n_hits[least == 0] = 0  # without hits, the mean is 0
    count = np.clip(repeat_values(n_hits, points.offsets) - points.positives_above, 0, most)
    return _split_into_positives(points, count, points.above if ties == "best" else end - count)


def _split_into_positives(
    points: OperatingPoints, count: Array, n_before: Array
) -> OperatingPoints:
    """Split each point into `count` positives in a row, which follow `n_before` samples."""
    end = np.cumsum(count)
    place = np.arange(1, count.sum() + 1) - np.repeat(end - count, count)  # in its row, from 1
    single = np.ones_like(place)
    above = np.repeat(n_before, count) + place - 1
    return points._replace(
        positives=single,
        total=single,
        above=above,
        cum_positives=np.repeat(points.positives_above, count) + place,
        cum_total=above + 1,
        offsets=np.concatenate(([0], end))[points.offsets],
    )


def compute_expected_precision(points: OperatingPoints, k: Array | None = None) -> Array:
    """Compute the mean precision at the positives of each point, over all orders of tied samples.

    Among n samples with r positives that follow t samples with T positives, rank i is a positive
    with probability r/n. It is then preceded by (i-t-1)(r-1)/(n-1) of the others on average, so the
    precision there is [T + (i-t-1)(r-1)/(n-1) + 1]/i [1]_. Ranks beyond k, which has one number per
    ranking, contribute 0.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR 2008.
    """
    precision = points.precision
    tied = np.flatnonzero(points.total > 1)
    r, n = points.positives[tied], points.total[tied]
    T, t = points.positives_above[tied], points.above[tied]
    last = t + n  # rank that counts
    if k is not None:
        k = np.broadcast_to(repeat_values(k, points.offsets), precision.shape)
        precision = np.where(points.cum_total <= k, precision, 0.0)
        last = np.clip(k[tied], t, last).astype(np.int64)
    reciprocals, offsets = _sum_over_ranks(t, last)
    precision[tied] = ((T + 1) * reciprocals + (r - 1) / (n - 1) * offsets) / n
    return precision


def compute_expected_reciprocal(above: Array, tied: Array, positives: Array, room: Array) -> Array:
    """Compute the mean of 1/rank of the first positive, over all orders of tied samples.

    It is 0 for a first positive that isn't among the first `room` of the tied samples.
    """
    t, n, r, room = _as_integers(above, tied, positives, room)
    out = np.empty(t.shape)
    single = r == 1  # every rank is equally likely
    out[single] = _sum_over_ranks(t[single], (t + room)[single])[0] / n[single]
    for i in np.flatnonzero(~single).tolist():
        j, chance = _compute_first_chances(n[i], r[i], room[i])
        out[i] = np.sum(chance / (t[i] + j))
    return out


def compute_grouped_reciprocal(above: Array, tied: Array, positives: Array, room: Array) -> Array:
    """Compute the chance that the first positive is among the first `room` of the tied samples,
    divided by its mean rank if it is.
    """
    t, n, r, room = _as_integers(above, tied, positives, room)
    out = np.asarray(1 / (t + (n + 1) / (r + 1)))  # if there is room for all negatives
    for i in np.flatnonzero(room <= n - r).tolist():
        j, chance = _compute_first_chances(n[i], r[i], room[i])
        is_there = chance.sum()
        out[i] = is_there and is_there / (t[i] + (j * chance).sum() / is_there)
    return out


def _compute_first_chances(n: int, r: int, room: int) -> tuple[Array, Array]:
    """Return places among n samples in random order, and the chance that each has the first of r
    positives, for the first `room` places.

    The first place has it with probability p_1 = r/n, and p_{j+1} = p_j (n-r-j+1)/(n-j). The chance
    of no positive among the first 40 n/r samples is below exp(-40), so later places are left out.
    """
    j = np.arange(1, min(n - r + 1, 40 * n // r + 1, room) + 1)
    factors = (n - r - j + 2) / (n - j + 1)
    factors[:1] = r / n
    return j, np.cumprod(factors)


def _as_integers(*counts: Array) -> list[Array]:
    return [np.asarray(column).astype(np.int64) for column in counts]


def compute_chance_of_positive(tied: Array, positives: Array, drawn: Array) -> Array:
    """Compute the chance that some of the tied samples contain a positive.

    No positive is among k of n samples, r of which are positive, with probability C(n-r, k) /
    C(n, k). This is the product of (n-b-i)/(n-i) for i = 0, ..., a-1, where a is the smaller one of
    r and k, and b the larger one.
    """
    n, r, k = _as_integers(tied, positives, drawn)
    chance = (k > n - r).astype(float)
    for i in np.flatnonzero((k > 0) & (k <= n - r)).tolist():
        a, b = sorted((r[i], k[i]))
        # Beyond 40 n/b factors, the product is below exp(-40).
        factors = np.arange(min(a, 40 * n[i] // b + 1))
        chance[i] = -np.expm1(np.log1p(-b / (n[i] - factors)).sum())
    return chance


def _sum_over_ranks(t: Array, last: Array) -> tuple[Array, Array]:
    """Compute the sums of 1/i and of (i-t-1)/i over the ranks i = t+1, ..., last.

    The first is a difference of digammas, and the second follows from it. Far down the ranking,
    both would suffer from cancellation, so the asymptotic series are subtracted term by term there.
    """
    count = last - t
    x = t + 0.5
    logarithm = np.log1p(count / x)
    drift = _compute_digamma_tail(x + count) - _compute_digamma_tail(x)
    reciprocals = logarithm + drift
    offsets = count * _compute_log1p_deficit(count / x) - logarithm / 2 - (t + 1) * drift
    near = np.flatnonzero(t < 64)
    reciprocals[near] = digamma(last[near] + 1.0) - digamma(t[near] + 1.0)
    offsets[near] = count[near] - (t[near] + 1) * reciprocals[near]
    return reciprocals, offsets


def _compute_digamma_tail(x: Array) -> Array:
    """Compute digamma(x + 1/2) - log(x) for large x."""
    square = x * x
    return np.asarray((1 / 24 - (7 / 960 - 31 / 8064 / square) / square) / square)


def _compute_log1p_deficit(u: Array) -> Array:
    """Compute 1 - log(1 + u)/u, for small u by the series of 2 artanh(z) = log(1 + u).

    It is u/2 for the smallest u, and 0 for 0.
    """
    z = u / (2 + u)
    square = z * z
    series = 1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square / 11)))
    small = z - 2 * square * series / (2 + u)
    return np.where(u < 0.1, small, 1 - np.log1p(u) / np.maximum(u, 0.1))
