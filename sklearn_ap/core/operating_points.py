"""Labels, scores and weights become counts at distinct scores: what every number is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.sparse import coo_array

from .segments import Array, previous, running_sum, sums

# Rows at least this long are counted one by one: two value sorts beat one argsort of everything.
LONG_ROW = 2000


@dataclass(frozen=True, slots=True)
class OperatingPoints:
    """Counts at the distinct scores of one or more queries, best score first.

    A point is one distinct score with all the samples tied at it. The points of all queries lie
    end to end; `offsets` says where each query starts and where the last one ends. Points without
    positives add nothing to any average and are kept only where a curve is wanted.

    Counts are int64; with weights they are masses, int64 while every weight is a whole number.
    """

    positives: Array  # r: positives at this score
    total: Array  # n: samples at this score
    above: Array  # samples with a better score; N - n would cancel in masses
    cum_positives: Array  # T: positives at this score or a better one
    cum_total: Array  # N: samples at this score or a better one
    offsets: Array
    n_positives: Array  # R: all positives, one number a query
    thresholds: Array

    @property
    def precision(self) -> Array:
        return self.cum_positives / self.cum_total

    @property
    def found_above(self) -> Array:
        """Positives with a better score."""
        return previous(self.cum_positives, self.offsets)

    def out_of(self, n_positives: float) -> Self:
        """The same points when more positives exist than were scored."""
        return replace(self, n_positives=np.full(self.n_positives.shape, n_positives))

    def where_positive(self) -> Self:
        return self.take(np.flatnonzero(self.positives))

    def within(self, k: int) -> Self:
        """The points that the first k samples reach."""
        return self.take(np.flatnonzero(self.above < k))

    def take(self, keep: Array) -> Self:
        return replace(
            self,
            positives=self.positives[keep],
            total=self.total[keep],
            above=self.above[keep],
            cum_positives=self.cum_positives[keep],
            cum_total=self.cum_total[keep],
            offsets=np.searchsorted(keep, self.offsets),
            thresholds=self.thresholds[keep],
        )


def from_scores(labels: Array, scores: Array, weight: Array | None = None) -> OperatingPoints:
    """One query, the points that hold positives.

    Only the scores of positives matter, so positives and negatives are sorted apart, and the
    negatives are counted at each distinct score of a positive.
    """
    hits, hit_mass = _ascending(labels, scores, weight)
    misses, miss_mass = _ascending(~labels, scores, weight)
    start = np.flatnonzero(_first_of_equals(hits))
    thresholds = hits[start]
    if hit_mass is None:
        positives = np.diff(start, append=hits.size)
    else:
        positives = np.add.reduceat(hit_mass, start) if start.size else hit_mass
    at_least = np.searchsorted(misses, thresholds)
    beyond = _skip_equals(misses, thresholds, at_least)
    misses_at_least = _mass_from(at_least, misses, miss_mass)[::-1]
    misses_above = _mass_from(beyond, misses, miss_mass)[::-1]

    positives = positives[::-1]
    cum_positives = np.cumsum(positives)
    offsets = np.array([0, positives.size])
    return OperatingPoints(
        positives=positives,
        total=positives + _mass_between(at_least, beyond, miss_mass)[::-1],
        above=previous(cum_positives, offsets) + misses_above,
        cum_positives=cum_positives,
        cum_total=cum_positives + misses_at_least,
        offsets=offsets,
        n_positives=np.add.reduce(positives, keepdims=True),
        thresholds=thresholds[::-1],
    )


def from_rows(labels: Array, scores: Array, weight: Array | None = None) -> OperatingPoints:
    """Each row a query; the weights, one a column, are the same in every row."""
    n_queries, n_samples = scores.shape
    if n_samples >= LONG_ROW:
        return join([from_scores(y, s, weight) for y, s in zip(labels, scores, strict=True)])
    order = np.argsort(scores, axis=1)[:, ::-1]
    return _count(
        np.take_along_axis(labels, order, axis=1).ravel(),
        np.take_along_axis(scores, order, axis=1).ravel(),
        None if weight is None else weight[order].ravel(),
        np.arange(n_queries + 1) * n_samples,
    ).where_positive()


def from_groups(
    labels: Array, scores: Array, group: Array, n_groups: int, weight: Array | None = None
) -> OperatingPoints:
    """Samples that share a group number, 0 to n_groups - 1, are a query."""
    descending = np.argsort(scores)[::-1]
    # Sparse conversion is a stable counting sort in C: it gathers groups and keeps their order.
    gathered = coo_array(
        (descending, (group[descending], np.arange(group.size))), shape=(n_groups, group.size)
    ).tocsr()
    order = gathered.data
    return _count(
        labels[order],
        scores[order],
        None if weight is None else weight[order],
        gathered.indptr,
    ).where_positive()


def every_point(labels: Array, scores: Array, weight: Array | None = None) -> OperatingPoints:
    """One query with the points that hold no positives too, as a curve shows them."""
    order = np.argsort(scores)[::-1]
    return _count(
        labels[order],
        scores[order],
        None if weight is None else weight[order],
        np.array([0, scores.size]),
    )


def join(queries: Sequence[OperatingPoints]) -> OperatingPoints:
    """Queries laid end to end."""
    sizes = [query.offsets[1:] for query in queries]
    starts = np.cumsum([0] + [size[-1] for size in sizes])
    ends = [start + size for start, size in zip(starts, sizes, strict=False)]
    return OperatingPoints(
        positives=np.concatenate([query.positives for query in queries]),
        total=np.concatenate([query.total for query in queries]),
        above=np.concatenate([query.above for query in queries]),
        cum_positives=np.concatenate([query.cum_positives for query in queries]),
        cum_total=np.concatenate([query.cum_total for query in queries]),
        offsets=np.concatenate([[0], *ends]),
        n_positives=np.concatenate([query.n_positives for query in queries]),
        thresholds=np.concatenate([query.thresholds for query in queries]),
    )


def _count(labels: Array, scores: Array, weight: Array | None, offsets: Array) -> OperatingPoints:
    """All points of queries that lie end to end, each sorted by decreasing score."""
    first = _first_of_equals(scores)
    first[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
    start = np.flatnonzero(first)
    if weight is None:
        positives = np.add.reduceat(labels, start, dtype=np.int64)
        negatives = np.diff(start, append=scores.size) - positives
    else:
        positives = np.add.reduceat(np.where(labels, weight, 0), start)
        negatives = np.add.reduceat(np.where(labels, 0, weight), start)
    point_offsets = np.searchsorted(start, offsets)
    cum_positives = running_sum(positives, point_offsets)
    cum_negatives = running_sum(negatives, point_offsets)
    found, missed = (previous(c, point_offsets) for c in (cum_positives, cum_negatives))
    return OperatingPoints(
        positives=positives,
        total=positives + negatives,
        above=found + missed,
        cum_positives=cum_positives,
        # Not a sum of totals: rounding must never lift a precision above one.
        cum_total=cum_positives + cum_negatives,
        offsets=point_offsets,
        n_positives=sums(positives, point_offsets),
        thresholds=scores[start],
    )


def _ascending(kept: Array, scores: Array, weight: Array | None) -> tuple[Array, Array | None]:
    """The scores that are kept, sorted, and their weights."""
    scores = scores.compress(kept)  # many times faster than scores[kept]
    if weight is None:
        scores.sort()
        return scores, None
    order = np.argsort(scores)
    return scores[order], weight.compress(kept)[order]


def _first_of_equals(ordered: Array) -> Array:
    first = np.empty(ordered.size, dtype=bool)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def _skip_equals(ordered: Array, values: Array, left: Array) -> Array:
    """From the first place where each value could stand in `ordered` to the last.

    Few values have equals there as a rule, so a second search is made for these alone.
    """
    right = left.copy()
    if ordered.size:
        tied = np.flatnonzero(ordered.take(left, mode="clip") == values)
        right[tied] = np.searchsorted(ordered, values[tied], side="right")
    return right


def _mass_from(index: Array, ordered: Array, mass: Array | None) -> Array:
    """The mass of ordered[i:] for each index."""
    if mass is None:
        return ordered.size - index
    tail = np.concatenate((np.cumsum(mass[::-1])[::-1], [0]))
    return tail[index]


def _mass_between(start: Array, stop: Array, mass: Array | None) -> Array:
    """The mass of ordered[start:stop] for each pair, most of which are empty."""
    if mass is None:
        return stop - start
    out = np.zeros(start.size, dtype=mass.dtype)
    held = np.flatnonzero(start < stop)
    ends = np.stack([start[held], stop[held]], axis=1).ravel()
    out[held] = np.add.reduceat(np.append(mass, 0), ends)[::2]
    return out
