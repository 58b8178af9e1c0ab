"""From `Rankings`, the samples as the caller passed them, to `Points`."""

from typing import Any

import numpy as np

from .data import Rankings
from .points import BLOCK, Array, PerRanking, PerSample, Points, make_points_from_counts, rank


def rank_samples(rankings: Rankings, weight: PerSample | None, every_point: bool = False) -> Points:
    """Return the operating points of all rankings, with these weights."""
    labels, scores, codes = rankings.labels, rankings.scores, rankings.group_codes
    points = None
    if codes is None and labels.dtype == bool and weight is None and scores.ndim == 1:
        points = count_integers(labels, scores, every_point)
        if points is None and not every_point:
            points = rank_rare(labels, scores)
    if points is None:
        points = rank(labels, scores, weight, codes, rankings.n_rankings, every_point)
    return set_existing(points, rankings.n_positives, rankings.names)


def count_integers(positive: PerSample, scores: PerSample, every_point: bool) -> Points | None:
    """Return the points of one ranking of integers, or None if they aren't close together.

    With 100 different scores, that takes three quarters of the time of a sort, and a tenth where
    NumPy's sort is slow.
    """
    if scores.dtype.kind not in "biu" or not scores.size:
        return None
    highest = scores.max()
    n_keys = 2 * (int(highest) - int(scores.min()) + 1)  # two labels of each score
    if n_keys > min(scores.size, BLOCK):
        return None
    counts = np.zeros(n_keys, dtype=np.int64)
    for start in range(0, scores.size, BLOCK):
        at = slice(start, start + BLOCK)
        below = np.subtract(highest, scores[at], dtype=np.int64, casting="unsafe")
        counts += np.bincount(2 * below + positive[at], minlength=n_keys)
    negatives, hits = counts.reshape(-1, 2).T
    tied = hits + negatives
    points = make_points_from_counts(hits, tied, None, True)
    return points.take(np.flatnonzero(tied if every_point else hits))


def rank_rare(positive: PerSample, scores: PerSample) -> Points | None:
    """Return the points of one ranking with few positives, or None if a sort takes about as long.

    Samples are counted in bins, and only those that share a bin with a positive are sorted. That
    takes two thirds of the time, and a fifth where NumPy's sort is slow.
    """
    n_samples, n_positives = scores.size, np.count_nonzero(positive)
    is_rare = 0 < 40 * n_positives < n_samples and n_samples >= 2**15
    if not is_rare or scores.dtype != np.float64:
        return None
    bits = min(n_samples.bit_length() - 4, 15)  # Larger tables don't fit in the cache.
    # A few scores may be far below all others.
    low = np.sort(scores[:: n_samples // 1000])[10]
    first = max(int(find_bins(scores.max(keepdims=True), low, bits)[0]) - (16 << bits), 0)
    hit_bins = np.sort(find_bins(scores[positive], low, bits, first))
    has_hits = np.zeros((16 << bits) + 1, dtype=bool)
    has_hits[hit_bins] = True
    if has_hits[find_bins(scores[::64], low, bits, first)].mean() > 0.25:
        return None
    bins = find_bins(scores, low, bits, first)
    near = np.flatnonzero(has_hits.take(bins))
    points = rank(positive[near], scores[near])
    n_far = np.bincount(bins)
    n_far[hit_bins] = 0
    # from the bin of each positive to that of the next one above, 0 if that's the same
    n_between = np.add.reduceat(n_far, hit_bins)
    above = points.samples_above + np.cumsum(n_between[::-1])[points.hits_above]
    size = np.array([n_samples])
    return points._replace(samples_above=above, mass=size, n_rows=size)


def find_bins(scores: PerSample, low: float, bits: int, first: int = 0) -> Array:
    """Return the bin of each score, of which those up to the first one share bin 0.

    Bins divide each octave of the distance from a low score in 2**bits. They are read from the bits
    of floats, which are integers that grow with them from 0 up, and negative ones below.
    """
    with np.errstate(over="ignore"):
        bins: Array = np.subtract(scores, low, dtype=float).view(np.int64)
    bins >>= 52 - bits  # the exponent, and some bits of the fraction
    bins -= first
    return np.maximum(bins, 0, out=bins)


def rank_top(rankings: Rankings, n_top: int) -> Points:
    """Return the points of one ranking without weights, as far as the top reaches.

    The samples in the top are found faster than all samples are sorted.
    """
    positive, scores = rankings.labels, rankings.scores
    if n_top >= scores.size:
        return rank_samples(rankings, None)
    n_samples = np.array([scores.size])
    n_positives = np.count_nonzero(positive, keepdims=True)
    some = scores[::16]
    if 4 * n_top < some.size:
        # The n_top-th highest of some scores isn't above that of all, and is found faster.
        bound = np.partition(some, some.size - n_top)[some.size - n_top]
        high = np.flatnonzero(scores >= bound)
        positive, scores = positive[high], scores[high]
    lowest = np.partition(scores, scores.size - n_top)[scores.size - n_top]
    top = np.flatnonzero(scores >= lowest)  # An index is faster than a mask.
    points = rank(positive[top], scores[top])
    points = points._replace(n_positives=n_positives, mass=n_samples, n_rows=n_samples)
    return set_existing(points, rankings.n_positives, rankings.names)


def set_existing(points: Points, n_existing: PerRanking | None, names: list[Any] | None) -> Points:
    """Set how many positives exist in each ranking, scored or not, if the caller says so."""
    if n_existing is None:
        return points
    n_here = points.n_positives
    is_numeric = n_existing.dtype.kind in "iuf" and n_existing.shape == n_here.shape
    if not is_numeric or not np.isfinite(n_existing).all() or (n_existing < 0).any():
        raise ValueError(f"n_positives must be numbers of at least 0, or 'rows'. Got {n_existing}.")
    if (n_here > n_existing * (1 + 1e-12)).any():
        place = int(np.argmax(n_here - n_existing))
        where = "" if names is None else f" of {names[place]!r}"
        raise ValueError(
            f"n_positives{where} is {n_existing[place]}, but y_true has {n_here[place]} positives."
        )
    is_whole = (n_existing == np.rint(n_existing)) & (n_existing < 2**62)
    if n_existing.dtype.kind == "f" and is_whole.all():
        n_existing = n_existing.astype(np.int64)
    if n_existing.dtype.kind == "f" and points.rows is None:
        raise ValueError(f"n_positives must be whole without weights. Got {n_existing.tolist()}.")
    return points._replace(n_positives=np.maximum(n_existing, n_here))
