"""Labels, scores and weights become counts at distinct scores: what every number is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array

from .keys import any_ties, is_positive, pack, rank
from .memory import Spare, blocks
from .segments import Array, previous, running_sum, sort_within, spread, sums

# Rows are counted together while they hold no more samples than this: what stays in the cache.
_AT_ONCE = 2**17


class Rows(NamedTuple):
    """Samples, whatever they weigh."""

    at: Array  # those with this score
    above: Array  # those with a better score
    whole: Array  # all of them, one number a query


@dataclass(frozen=True, slots=True)
class OperatingPoints:
    """Counts at the distinct scores of one or more queries, best score first.

    A point is one distinct score with all the samples tied at it. The points of all queries lie
    end to end; `offsets` says where each query starts and where the last one ends. Points without
    positives add nothing to any average. They are kept where a curve is wanted, and where a rule
    counts rows that have weights.

    Counts are int64; with weights they are masses, int64 while every weight is a whole number.
    """

    positives: Array  # r: positives at this score
    total: Array  # n: samples at this score
    above: Array  # samples with a better score; N - n would cancel in masses
    cum_positives: Array  # T: positives at this score or a better one
    cum_total: Array  # N: samples at this score or a better one
    offsets: Array
    n_positives: Array  # R: all positives, one number a query
    n_samples: Array  # all samples, one number a query
    rows: Rows | None = None  # None where every sample weighs 1, or where no rule counts rows

    @property
    def n_queries(self) -> int:
        return self.offsets.size - 1

    @property
    def precision(self) -> Array:
        return self.cum_positives / self.cum_total

    @property
    def found_above(self) -> Array:
        """Positives with a better score."""
        return previous(self.cum_positives, self.offsets)

    def shares(self) -> tuple[Array, Array]:
        """The share of all samples down to each point, and of samples that are positive besides;
        first of no samples. For one query with every point.
        """
        samples = self.cum_total[-1]
        detected, hits = self.cum_total / samples, self.cum_positives / samples
        return np.concatenate(([0.0], detected)), np.concatenate(([0.0], hits))

    def out_of(self, n_positives: Array | float) -> Self:
        """The same points when more positives exist than were scored."""
        exist = np.asarray(n_positives)
        return replace(self, n_positives=np.broadcast_to(exist, self.n_positives.shape))

    def among(self, n_samples: float) -> Self:
        """The same points when more samples exist than the points hold."""
        return replace(self, n_samples=np.full(self.n_samples.shape, n_samples))

    def where_positive(self) -> Self:
        return self.take(np.flatnonzero(self.positives))

    def take(self, keep: Array) -> Self:
        """Some of the points, in their order."""
        return self._at(keep, np.searchsorted(keep, self.offsets))

    def arranged(self, order: Array) -> Self:
        """The queries in another order."""
        size = np.diff(self.offsets)[order]
        offsets = np.concatenate(([0], np.cumsum(size)))
        places = np.repeat(self.offsets[:-1][order] - offsets[:-1], size) + np.arange(offsets[-1])
        points = self._at(places, offsets)
        return replace(
            points,
            n_positives=self.n_positives[order],
            n_samples=self.n_samples[order],
            rows=points.rows and points.rows._replace(whole=points.rows.whole[order]),
        )

    def _at(self, places: Array, offsets: Array) -> Self:
        rows = self.rows
        return replace(
            self,
            positives=self.positives[places],
            total=self.total[places],
            above=self.above[places],
            cum_positives=self.cum_positives[places],
            cum_total=self.cum_total[places],
            offsets=offsets,
            rows=rows and rows._replace(at=rows.at[places], above=rows.above[places]),
        )


def from_scores(
    labels: Array, scores: Array, weight: Array | None = None, every: bool = False
) -> OperatingPoints:
    """One query, the points that hold positives, or every point."""
    key, weight = _in_order(labels, scores, weight)
    return from_keys(key, weight, np.array([0, key.size]), every)


def from_rows(
    labels: Array, scores: Array, weight: Array | None = None, every: bool = False
) -> OperatingPoints:
    """Each row a query; the weights, one a column, are the same in every row."""
    n_queries, n_samples = scores.shape
    size = max(_AT_ONCE // max(n_samples, 1), 1)
    rows = [slice(start, start + size) for start in range(0, n_queries, size)]
    return join([_from_few_rows(labels[some], scores[some], weight, every) for some in rows])


def from_groups(
    labels: Array,
    scores: Array,
    group: Array,
    n_groups: int,
    weight: Array | None = None,
    every: bool = False,
) -> OperatingPoints:
    """Samples that share a group number, 0 to n_groups - 1, are a query."""
    if weight is None:
        key, offsets = gather(pack(labels, scores).values, group, n_groups)
        sort_within(key, offsets)
    else:
        key, weight, group = rank(labels, scores, weight, group)
        order, offsets = gather(np.arange(key.size), group, n_groups)
        key, weight = key.take(order), weight.take(order)
    return from_keys(key, weight, offsets, every)


def every_point(
    labels: Array, scores: Array, weight: Array | None = None
) -> tuple[OperatingPoints, Array]:
    """One query with the points that hold no positives too, as a curve shows them, and the score
    of each."""
    if weight is None:
        keys = pack(labels, scores)
        key = keys.values
        key.sort()
    else:
        key, weight, in_order = rank(labels, scores, weight, scores)
    points = from_keys(key, weight, np.array([0, key.size]), every=True)
    start = (points.rows or points).above
    thresholds = keys.scores(key[start]) if weight is None else in_order[start]
    if thresholds.dtype.kind == "f":
        thresholds += 0  # -0.0 is 0.0
    return points, thresholds


def join(queries: Sequence[OperatingPoints]) -> OperatingPoints:
    """Queries laid end to end."""
    starts = np.cumsum([0] + [query.offsets[-1] for query in queries])
    ends = [start + query.offsets[1:] for start, query in zip(starts, queries, strict=False)]
    return OperatingPoints(
        positives=np.concatenate([query.positives for query in queries]),
        total=np.concatenate([query.total for query in queries]),
        above=np.concatenate([query.above for query in queries]),
        cum_positives=np.concatenate([query.cum_positives for query in queries]),
        cum_total=np.concatenate([query.cum_total for query in queries]),
        offsets=np.concatenate([[0], *ends]),
        n_positives=np.concatenate([query.n_positives for query in queries]),
        n_samples=np.concatenate([query.n_samples for query in queries]),
        rows=_join_rows(queries),
    )


def _join_rows(queries: Sequence[OperatingPoints]) -> Rows | None:
    if all(query.rows is None for query in queries):
        return None
    each = [query.rows or Rows(query.total, query.above, query.n_samples) for query in queries]
    return Rows(*map(np.concatenate, zip(*each, strict=True)))


def _from_few_rows(
    labels: Array, scores: Array, weight: Array | None, every: bool
) -> OperatingPoints:
    key, weight = _in_order(labels, scores, weight)
    weight = None if weight is None else weight.ravel()
    return from_keys(key.ravel(), weight, np.arange(len(key) + 1) * scores.shape[1], every)


def _in_order(labels: Array, scores: Array, weight: Array | None) -> tuple[Array, Array | None]:
    """Sorted keys, and the weights with them."""
    if weight is not None:
        key, weight = rank(labels, scores, weight)
        return key, weight
    key = pack(labels, scores).values.reshape(scores.shape)
    key.sort(axis=-1)
    return key, None


def gather(values: Array, group: Array, n_groups: int) -> tuple[Array, Array]:
    """The values of group after group, each in the order they had, and where each starts."""
    # Sparse conversion is a stable counting sort in C.
    place = np.arange(values.size)
    if values.size < 2**31:
        place, group = place.astype(np.int32), group.astype(np.int32)
    cells = coo_array((values, (group, place)), shape=(n_groups, values.size))
    cells.has_canonical_format = True
    gathered = cells.tocsr()
    return gathered.data, gathered.indptr.astype(np.int64)


def from_keys(key: Array, weight: Array | None, offsets: Array, every: bool) -> OperatingPoints:
    """Points from sorted keys and their weights, both used up, of queries laid end to end."""
    if every and key.size:
        positive = is_positive(key)
        start = _starts(key, offsets)
        ends = np.append(start[1:], key.size)
        if start.size == key.size:
            misses_from = start + positive
        else:
            misses_from = start + np.add.reduceat(positive, start, dtype=np.int64)
        place = positive.nonzero()[0]
        return _measure(start, (misses_from, ends), place, weight, offsets, Spare(), by_rows=True)
    place, spare = _positives(key, rows=0 if weight is None else 4)
    start, until = place, None
    if any_ties(key, place):
        start, *until = _places(key, place, offsets, spare)
    spare.give(key)
    return _measure(start, until, place, weight, offsets, spare)


def _positives(key: Array, rows: int) -> tuple[Array, Spare]:
    """The places of positives among sorted keys, and memory for so many rows of their size besides,
    as far as the keys leave no room for them.
    """
    spare, parts = Spare(), blocks(key.size)
    if not rows or len(parts) == 1:
        return is_positive(key).nonzero()[0], spare
    count = sum(int(np.count_nonzero(is_positive(key[some]))) for some in parts)
    spare.give(np.empty(count + max(rows * count - key.nbytes // 8, 0), dtype=np.int64))
    place, stop = spare.array(count), 0
    for some in parts:
        found = is_positive(key[some]).nonzero()[0]
        start, stop = stop, stop + found.size
        np.add(found, some.start, out=place[start:stop])
    return place, spare


def _places(key: Array, place: Array, offsets: Array, spare: Spare) -> Array:
    """Three places for each score of a positive: where its positives start, where its misses
    start, and where these end.

    In sorted keys positives come first among equals. All rows are one block of memory, with two
    more where the keys leave no room for these, and what is made on the way is small.
    """
    opens = np.zeros(key.size + 1, dtype=bool)
    opens[offsets] = True
    is_start, is_last = np.empty((2, place.size), dtype=bool)
    first_misses = []
    for some in blocks(place.size):
        at = place[some]
        own, after = key.take(at), key.take(at + 1, mode="clip")
        is_start[some] = (own != key.take(at - 1)) | opens.take(at)
        is_last[some] = (own != after) | opens.take(at + 1)
        first_misses.append(at[after == own + 1] + 1)
    size = int(np.count_nonzero(is_start))
    lacking = max(2 - key.nbytes // 8 // max(size, 1), 0)
    block = np.empty((3 + lacking, size), dtype=np.int64)
    spare.give(block[3:])
    start, misses_from, end = places = block[:3]
    _keep(place, is_start, out=start)
    _keep(place, is_last, out=misses_from)
    misses_from += 1
    end[:] = misses_from
    tied = np.concatenate(first_misses)
    if tied.size:
        if offsets.size == 2:
            stop = np.searchsorted(key, key[tied], side="right")
        else:
            first = np.append(first_of_equals(key >> 1, offsets), True).nonzero()[0]
            stop = first[np.searchsorted(first, tied)]
        end[np.searchsorted(misses_from, tied)] = stop
    return places


def _keep(values: Array, mask: Array, out: Array) -> None:
    """values[mask], some by some."""
    stop = 0
    for some in blocks(values.size):
        kept = values[some][mask[some]]
        start, stop = stop, stop + kept.size
        out[start:stop] = kept


def _starts(key: Array, offsets: Array) -> Array:
    """Where the samples of each score start."""
    return np.flatnonzero(first_of_equals(key >> 1, offsets))


def _measure(
    start: Array,
    until: Sequence[Array] | None,
    place: Array,
    weight: Array | None,
    offsets: Array,
    spare: Spare,
    by_rows: bool = False,
) -> OperatingPoints:
    """Points from their places: positives from `start` to the first array of `until`, misses from
    there to the second; without it one positive each. `place` has the places of all positives.
    """
    size = start.size
    point_offsets, n_rows, rows = start.searchsorted(offsets), offsets[1:] - offsets[:-1], None
    query_start = spread(offsets[:-1], point_offsets)
    first = start if offsets.size == 2 else start - query_start
    if weight is None:
        if until is None:
            positives = total = _ones(size)
            end = np.add(start, 1, out=spare.array(size))
        else:
            misses_from, end = until
            positives = np.subtract(misses_from, start, out=misses_from)
            total = np.subtract(end, start, out=spare.array(size))
        cum_positives = running_sum(positives, point_offsets, out=spare.array(size))
        above, cum_total = first, end if offsets.size == 2 else end - query_start
        n_samples = n_rows
    else:
        mass = weight.dtype
        if until is None:
            positives = total = weight.take(start, out=spare.array(size, mass), mode="clip")
        else:
            misses_from, end = until
            positives = _mass_between(start, misses_from, weight)
            total = positives + _mass_between(misses_from, end, weight)
        cum_positives = running_sum(positives, point_offsets, out=spare.array(size, mass))
        weight[place] = 0
        cum_misses = running_sum(weight, offsets, out=weight)
        last = start if until is None else end - 1
        misses = cum_misses.take(last, out=spare.array(size, mass), mode="clip")
        above = previous(cum_positives, point_offsets, out=spare.array(size, mass))
        above += (
            misses if until is None else np.where(start > query_start, cum_misses[start - 1], 0)
        )
        # Not a sum of totals: rounding must never lift a precision above one.
        cum_total = np.add(misses, cum_positives, out=misses)
        n_samples = last_of_each(cum_positives, point_offsets) + last_of_each(cum_misses, offsets)
        if by_rows and until is not None:
            rows = Rows(end - start, first, n_rows)
    return OperatingPoints(
        positives=positives,
        total=total,
        above=above,
        cum_positives=cum_positives,
        cum_total=cum_total,
        offsets=point_offsets,
        n_positives=sums(positives, point_offsets),
        n_samples=n_samples,
        rows=rows,
    )


def _ones(size: int) -> Array:
    """So many ones, that take no memory where they are many."""
    return np.ones(size, dtype=np.int64) if size < 1000 else np.broadcast_to(np.int64(1), size)


def last_of_each(values: Array, offsets: Array) -> Array:
    """The last value of each query; 0 where it is empty."""
    out = np.zeros(offsets.size - 1, dtype=values.dtype)
    held = offsets[:-1] < offsets[1:]
    out[held] = values[offsets[1:][held] - 1]
    return out


def first_of_equals(values: Array, offsets: Array) -> Array:
    """Whether each value differs from the one before it in its query."""
    first = np.empty(values.size, dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    first[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
    return first


def _mass_between(start: Array, stop: Array, mass: Array) -> Array:
    """The mass of samples start to stop, for each pair of places; none where they are equal."""
    out = mass.take(start, mode="clip")
    out[start == stop] = 0
    several = np.flatnonzero(stop - start > 1)
    if several.size:
        ends = np.stack([start[several], stop[several]], axis=1).ravel()
        out[several] = np.add.reduceat(np.append(mass, 0), ends)[::2]
    return out
