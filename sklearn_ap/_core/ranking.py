"""From `Rankings`, the samples as the caller passed them, to `Points`."""

from typing import Any

import numpy as np

from .data import Rankings
from .points import Array, Points, choose_bins, find_class_weights, rank, weigh_points


def rank_samples(rankings: Rankings, weight: Array | None, every_point: bool = False) -> Points:
    """Return the operating points of all rankings, with these weights."""
    labels, scores, group_codes = rankings.labels, rankings.scores, rankings.group_codes
    is_one = group_codes is None and scores.ndim == 1 and labels.dtype == bool
    class_weights = None
    if is_one and weight is not None:
        class_weights = find_class_weights(labels, weight)
        weight = weight if class_weights is None else None
    points = None
    if is_one and weight is None and not every_point:
        points = rank_rare(labels, scores)
    if points is None:
        points = rank(labels, scores, weight, group_codes, rankings.n_rankings, every_point)
    if class_weights is not None:
        points = weigh_points(points, *class_weights)
    return set_existing(points, rankings.n_positives, rankings.names)


def rank_rare(positive: Array, scores: Array) -> Points | None:
    """Return the points of one ranking with few positives, or None if a sort takes about as long.

    Samples are counted in bins, and only those that share a bin with a positive are sorted.
    """
    n_samples, n_positives = scores.size, np.count_nonzero(positive)
    if scores.dtype != np.float64 or n_samples < 2**15 or not 0 < 40 * n_positives < n_samples:
        return None
    bits = min(n_samples.bit_length() - 4, 18)  # Larger tables don't fit in the cache.
    find_bins = choose_bins(scores, bits)
    hit_bins = np.sort(find_bins(scores[positive]))
    has_hits = np.zeros((16 << bits) + 1, dtype=bool)
    has_hits[hit_bins] = True
    if has_hits[find_bins(scores[::64])].mean() > 0.25:
        return None
    bins = find_bins(scores)
    near = np.flatnonzero(has_hits.take(bins))
    points = rank(positive[near], scores[near])
    n_far = np.bincount(bins)
    n_far[hit_bins] = 0
    # from the bin of each positive to that of the next one above, 0 if that's the same
    n_between = np.add.reduceat(n_far, hit_bins)
    above = points.above + np.cumsum(n_between[::-1])[points.hits_above]
    size = np.array([n_samples])
    return points._replace(above=above, mass=size, n_rows=size)


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
    if n_top < some.size:
        # The n_top-th highest of some scores isn't above that of all, and is found faster.
        bound = np.partition(some, some.size - n_top)[some.size - n_top]
        high = np.flatnonzero(scores >= bound)
        positive, scores = positive[high], scores[high]
    lowest = np.partition(scores, scores.size - n_top)[scores.size - n_top]
    top = np.flatnonzero(scores >= lowest)  # An index is faster than a mask.
    points = rank(positive[top], scores[top])
    points = points._replace(n_positives=n_positives, mass=n_samples, n_rows=n_samples)
    return set_existing(points, rankings.n_positives, rankings.names)


def set_existing(points: Points, exist: Array | None, names: list[Any] | None) -> Points:
    """Set how many positives exist in each ranking, found or not, if the caller says so."""
    if exist is None:
        return points
    found = points.n_positives
    is_numeric = exist.dtype.kind in "iuf" and exist.shape == found.shape
    if not is_numeric or not np.isfinite(exist).all() or (exist < 0).any():
        raise ValueError(f"n_positives must be numbers of at least 0. Got {exist.tolist()}.")
    if (found > exist * (1 + 1e-12)).any():
        place = int(np.argmax(found - exist))
        where = "" if names is None else f" of {names[place]!r}"
        raise ValueError(
            f"n_positives{where} is {exist[place]}, but y_true has {found[place]} positives."
        )
    if exist.dtype.kind == "f" and (exist == np.rint(exist)).all() and (exist < 2**62).all():
        exist = exist.astype(np.int64)
    if exist.dtype.kind == "f" and points.tied_rows is None:
        raise ValueError(f"n_positives must be whole without weights. Got {exist.tolist()}.")
    return points._replace(n_positives=np.maximum(exist, found))
