"""Tallies of masses at scores. Unlike averages, those of several chunks can be added up.

A bin is an interval of scores. If every bin is one distinct score, a tally contains all information
about the samples. In wider bins, the order of the samples is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .cutoff import Cut, needs_every_point, reached
from .keys import is_positive, pack, sort_with_order
from .operating_points import MOST_WHOLE, OperatingPoints, RowCounts
from .within import Array, is_first, previous, running_sum, sums


@dataclass(frozen=True, slots=True)
class Tally:
    """Positive and negative mass in bins, which are in ascending order and do not overlap."""

    low: Array
    high: Array  # `low` itself if every bin is one score
    positives: Array
    negatives: Array
    rows: Array | None = None  # numbers of samples; None if each of them weighs 1
    positive_rows: Array | None = None  # how many of these are positive

    @property
    def size(self) -> int:
        return self.low.size

    def join(self, start: Array) -> Self:
        """Join bins, from each index in `start` up to the next."""
        if start.size == self.size:
            return self
        return type(self)(
            low=self.low[start],
            high=self.high[np.append(start[1:], self.size) - 1],
            positives=np.add.reduceat(self.positives, start),
            negatives=np.add.reduceat(self.negatives, start),
            rows=None if self.rows is None else np.add.reduceat(self.rows, start),
            positive_rows=None
            if self.positive_rows is None
            else np.add.reduceat(self.positive_rows, start),
        )

    def in_rows(self) -> Array:
        return np.asarray(self.positives + self.negatives) if self.rows is None else self.rows

    def positives_in_rows(self) -> Array:
        return self.positives if self.positive_rows is None else self.positive_rows

    def with_negatives(self, factor: float) -> Self:
        """Multiply the weights of all negatives."""
        rows, positive_rows = self.in_rows(), self.positives_in_rows()
        negatives = self.negatives * factor
        return replace(self, negatives=negatives, rows=rows, positive_rows=positive_rows)

    def points(self, depth: Cut | None = None) -> OperatingPoints:
        """Return the points that a rule with this cutoff needs, as if each bin were one score.

        Without weights, they are those in memory, because zeros of other points could change the
        last bit of a sum.
        """
        weighted = self.rows is not None
        rows = self.in_rows()[::-1] if needs_every_point(depth, weighted) else None
        points = from_counts(self.positives[::-1], self.negatives[::-1], rows=rows)
        return points if depth is None or weighted else reached(points, depth)

    def curve(self) -> tuple[OperatingPoints, OperatingPoints, Array]:
        """Return every point, the same points with each sample counted once, and their scores."""
        rows, scores = self.in_rows()[::-1], self.low[::-1]
        points = from_counts(self.positives[::-1], self.negatives[::-1], rows=rows)
        if scores.dtype.kind == "f":
            scores = scores + 0  # -0.0 is 0.0
        if self.rows is None:
            points = points._replace(rows=None)
            return points, points, scores
        found = self.positives_in_rows()[::-1]
        in_rows = from_counts(found, rows - found, rows=rows)
        return points, in_rows._replace(rows=None), scores


NOTHING = Tally(*[np.zeros(0)] * 2, *[np.zeros(0, dtype=np.int64)] * 2)


def tally_scores(labels: Array, scores: Array, weight: Array | None = None) -> Tally:
    """Make the tally of samples at their distinct scores."""
    if weight is not None:
        found, missed = np.where(labels, weight, 0), np.where(labels, 0, weight)
        ones = np.ones(scores.size, dtype=np.int64)
        return _collect(scores, scores, found, missed, ones, labels.astype(np.int64))
    # Sort plain values, which is much faster than an argsort.
    keys = pack(labels, scores)
    ranked = np.sort(keys.values)[::-1]
    start = np.flatnonzero(is_first(ranked >> 1))
    positives = np.add.reduceat(is_positive(ranked), start, dtype=np.int64)
    found = keys.scores(ranked[start])
    return Tally(found, found, positives, np.diff(start, append=ranked.size) - positives)


def merge(tallies: Sequence[Tally]) -> Tally:
    """Add up tallies, whose bins are the same or don't overlap."""
    tallies = [some for some in tallies if some.size]
    if len(tallies) < 2:
        return tallies[0] if tallies else NOTHING
    single = all(some.high is some.low for some in tallies)
    weighted = any(some.rows is not None for some in tallies)
    low = in_one_dtype([some.low for some in tallies])
    return _collect(
        low,
        low if single else in_one_dtype([some.high for some in tallies]),
        np.concatenate([some.positives for some in tallies]),
        np.concatenate([some.negatives for some in tallies]),
        np.concatenate([some.in_rows() for some in tallies]) if weighted else None,
        np.concatenate([some.positives_in_rows() for some in tallies]) if weighted else None,
    )


def are_flagged(scores: Array, threshold: Array) -> Array:
    """Whether scores of any dtype are at least the threshold, an array of one, exactly."""
    if scores.dtype != threshold.dtype and scores.size:
        scores, threshold = np.split(in_one_dtype([scores, threshold]), [scores.size])
    return np.asarray(scores >= threshold, dtype=bool)


def in_one_dtype(arrays: Sequence[Array]) -> Array:
    """Concatenate scores without rounding, as Python numbers if no dtype represents all of them."""
    dtype = np.result_type(*arrays)
    if dtype.kind == "f":
        for array in arrays:
            if array.dtype.kind in "iu" and not _fits(array, 2 ** (np.finfo(dtype).nmant + 1)):
                return np.concatenate([array.astype(object) for array in arrays])
    return np.concatenate(arrays, dtype=dtype)


def from_counts(
    positives: Array, negatives: Array, offsets: Array | None = None, rows: Array | None = None
) -> OperatingPoints:
    """Make points from the masses in bins, highest bin first.

    These are the points with positives, or all points if rows are to be counted.
    """
    if offsets is None:
        offsets = np.array([0, positives.size])
    cum_positives = running_sum(positives, offsets)
    cum_negatives = running_sum(negatives, offsets)
    every = OperatingPoints(
        positives=positives,
        total=positives + negatives,
        above=previous(cum_positives, offsets) + previous(cum_negatives, offsets),
        cum_positives=cum_positives,
        cum_total=cum_positives + cum_negatives,
        offsets=offsets,
        n_positives=sums(positives, offsets),
        n_samples=sums(positives, offsets) + sums(negatives, offsets),
    )
    if rows is None:
        return every.where_positive()
    above = running_sum(rows, offsets) - rows
    return every._replace(rows=RowCounts(rows, above, sums(rows, offsets)))


def _collect(
    low: Array,
    high: Array,
    positives: Array,
    negatives: Array,
    rows: Array | None = None,
    positive_rows: Array | None = None,
) -> Tally:
    """Make a tally from bins in any order, and join the same ones."""
    are_single = high is low
    order, low = sort_with_order(low, stable=True)
    high = low if are_single else high[order]
    positives, negatives = positives[order], negatives[order]
    if positives.dtype.kind == "i" and np.sum(positives + negatives, dtype=float) >= MOST_WHOLE:
        positives, negatives = positives.astype(float), negatives.astype(float)
    rows = None if rows is None else rows[order]
    positive_rows = None if positive_rows is None else positive_rows[order]
    every = Tally(low, high, positives, negatives, rows, positive_rows)
    joined = every.join(np.flatnonzero(is_first(low)))
    # Joined bins of equal scores are still one score.
    return replace(joined, high=joined.low) if are_single else joined


def _fits(integers: Array, most: int) -> bool:
    return not integers.size or (-most <= int(integers.min()) and int(integers.max()) <= most)
