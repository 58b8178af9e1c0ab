"""Operating points: counts at distinct scores, from which every value is computed."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array

from .bins import Bins, bins_for_few
from .keys import any_ties, is_positive, pack, rank
from .within import Array, blocks, is_first, previous, repeated, running_sum, sort_within, sums

MOST_WHOLE = 2**53  # integer masses stay int64 below this

# Rows are counted together up to this number of samples, which fits in the cache.
_AT_ONCE = 2**17

_ONES = np.ones(1000, dtype=np.int64)  # of which a slice is faster than a broadcast
_ONES.flags.writeable = False

_OF_POINTS = ("positives", "total", "above", "cum_positives", "cum_total")


class RowCounts(NamedTuple):
    """Numbers of samples, regardless of their weights."""

    at: Array  # samples with this score
    above: Array  # samples with a higher score
    whole: Array  # all samples, one number per ranking


class OperatingPoints(NamedTuple):
    """Counts at the distinct scores of one or more rankings, highest score first.

    A point is one distinct score with all samples that are tied there. The points of all rankings
    are concatenated, and `offsets` tells where each ranking starts and where the last one ends.
    (The rankings are called queries in names.) Points without positives add nothing to any average.
    They are kept only for curves, and for rules that count rows of weighted samples.

    Counts are int64. With weights they are masses, which are int64 if every weight is an integer.
    Rankings whose weights are integers can be concatenated with others, so `whole` names them.
    """

    positives: Array  # r: positives at this score
    total: Array  # n: samples at this score
    above: Array  # samples with a higher score; N - n would suffer from cancellation
    cum_positives: Array  # T: positives at this score or a higher one
    cum_total: Array  # N: samples at this score or a higher one
    offsets: Array
    n_positives: Array  # R: all positives, one number per ranking
    n_samples: Array  # all samples, one number per ranking
    rows: RowCounts | None = None  # None if every sample weighs 1, or if no rule counts rows
    whole: Array | None = None  # rankings with integer weights; None if the dtype tells

    @property
    def n_queries(self) -> int:
        return self.offsets.size - 1

    @property
    def precision(self) -> Array:
        return self.cum_positives / self.cum_total

    @property
    def found_above(self) -> Array:
        """Positives with a higher score."""
        return previous(self.cum_positives, self.offsets)

    @property
    def precision_above(self) -> Array:
        """Precision among the samples with a higher score; 1 where there are none."""
        hits = self.found_above
        return np.divide(hits, self.above, out=np.ones(hits.shape), where=self.above > 0)

    def shares(self, counts: Array) -> Array:
        """Return counts at the points as fractions of all samples, of shape (n_points + 1,).

        The first one is for no samples. This is for one ranking with every point.
        """
        shares = np.zeros(counts.size + 1)
        np.divide(counts, self.cum_total[-1:], out=shares[1:])  # empty if there are no points
        return shares

    def out_of(self, n_positives: Array | float) -> Self:
        """Return the same points for a larger number of existing positives."""
        exist = np.asarray(n_positives)
        return self._replace(n_positives=np.broadcast_to(exist, self.n_positives.shape))

    def with_negatives(self, factor: float) -> Self:
        """Multiply the weights of all negatives."""

        def scaled(positives: Array, both: Array) -> Array:
            return np.asarray(positives + factor * (both - positives))

        return self._replace(
            total=scaled(self.positives, self.total),
            above=scaled(self.found_above, self.above),
            cum_total=scaled(self.cum_positives, self.cum_total),
            n_samples=scaled(self.n_positives, self.n_samples),
        )

    def where_positive(self) -> Self:
        return self.take(np.flatnonzero(self.positives))

    def take(self, keep: Array) -> Self:
        """Return some of the points, in their order."""
        return self._at(keep, np.searchsorted(keep, self.offsets))

    def arranged(self, order: Array) -> Self:
        """Return the rankings in another order."""
        size = np.diff(self.offsets)[order]
        offsets = np.concatenate(([0], np.cumsum(size)))
        places = np.repeat(self.offsets[:-1][order] - offsets[:-1], size) + np.arange(offsets[-1])
        points = self._at(places, offsets)
        return points._replace(
            n_positives=self.n_positives[order],
            n_samples=self.n_samples[order],
            rows=points.rows and points.rows._replace(whole=points.rows.whole[order]),
            whole=None if points.whole is None else points.whole[order],
        )

    def _at(self, places: Array, offsets: Array) -> Self:
        taken = {name: getattr(self, name)[places] for name in _OF_POINTS}
        rows = self.rows
        rows = rows and rows._replace(at=rows.at[places], above=rows.above[places])
        return self._replace(**taken, offsets=offsets, rows=rows)


def from_scores(
    labels: Array, scores: Array, weight: Array | None = None, every: bool = False
) -> OperatingPoints:
    """Make the points of one ranking or of each row, those with positives or every point.

    Labels are boolean, and of the shape of the scores. The weights may be those of columns.
    """
    if weight is None:
        bins = None if every else bins_for_few(labels, scores)
        if bins is not None:
            return _from_bins(labels, scores, bins)
        key = pack(labels, scores).values.reshape(scores.shape)
        key.sort(axis=-1)
    else:
        key, weight = rank(labels, scores, weight)
        weight = weight.ravel()
    offsets = np.arange((1 if scores.ndim == 1 else len(scores)) + 1) * scores.shape[-1]
    places = _find_places(key.ravel(), offsets, every)
    del key  # so that its memory is free
    return _measure(places, weight, offsets, None, every)


def _from_bins(labels: Array, scores: Array, bins: Bins) -> OperatingPoints:
    """Make the points of one ranking, where only samples are sorted that share a bin with a
    positive. All others are counted.
    """
    of_positives = bins.numbers(scores[labels])
    has_positives = np.zeros(bins.size, dtype=bool)
    has_positives[of_positives] = True
    count, near = np.zeros(bins.size, dtype=np.int64), []
    for block in blocks(scores.size):
        number = bins.numbers(scores[block])
        np.add.at(count, number, 1)
        near.append(has_positives.take(number).nonzero()[0] + block.start)
    # Count the samples that aren't sorted, in each bin and those above it.
    count[has_positives] = 0
    from_the_top = count[::-1]
    np.cumsum(from_the_top, out=from_the_top)
    of_positives.sort()
    unsorted_above = count.take(of_positives)
    sorted_places = np.concatenate(near)
    points = from_scores(labels.take(sorted_places), scores.take(sorted_places))
    unsorted_above = unsorted_above[-points.cum_positives]
    return points._replace(
        above=points.above + unsorted_above,
        cum_total=points.cum_total + unsorted_above,
        n_samples=np.array([scores.size]),
    )


def from_rows(
    labels: Array, scores: Array, weight: Array | None = None, every: bool = False
) -> OperatingPoints:
    """Make the points of rows, each of which is a ranking. The weights of columns are shared."""
    n_queries, n_samples = scores.shape
    size = max(_AT_ONCE // max(n_samples, 1), 1)
    rows = [slice(start, start + size) for start in range(0, n_queries, size)]
    return join([from_scores(labels[block], scores[block], weight, every) for block in rows])


def from_groups(
    labels: Array, scores: Array, group: Array, n_groups: int, weight: Array | None, every: bool
) -> OperatingPoints:
    """Make the points of groups, which are numbered from 0 to n_groups - 1."""
    whole = None
    if weight is None:
        key, offsets = by_group(pack(labels, scores).values, group, n_groups)
        sort_within(key, offsets)
    else:
        key, weight, group = rank(labels, scores, weight, group)
        order, offsets = by_group(np.arange(key.size), group, n_groups)
        key, weight = key.take(order), weight.take(order)
        if weight.dtype.kind == "f":
            whole = have_integers(weight, offsets)
    return from_keys(key, weight, offsets, every, whole)


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


def every_point(
    labels: Array, scores: Array, weight: Array | None = None
) -> tuple[OperatingPoints, Array]:
    """Return every point of one ranking, as a curve needs them, and the score of each.

    Scores are compared exactly, and returned in their own type. As float64, integers beyond 2**53
    would become tied, and float32's 0.1 would be written as 0.10000000149011612.
    """
    if weight is None:
        keys = pack(labels, scores)
        key = keys.values
        key.sort()
        points = _every_point(key)
        thresholds = keys.scores(key if points.above.size == key.size else key[points.above])
    else:
        key, weight, in_order = rank(labels, scores, weight, scores)
        points = from_keys(key, weight, np.array([0, key.size]), every=True)
        thresholds = in_order[(points.rows or points).above]
    if thresholds.dtype.kind == "f":
        thresholds += 0  # -0.0 is 0.0
    return points, thresholds


def _every_point(key: Array) -> OperatingPoints:
    """Make every point of one ranking without weights, in few arrays of fresh memory.

    The keys are sorted.
    """
    positive, first = is_positive(key), np.ones(key.size, dtype=bool)
    for block in blocks(key.size - 1):
        score = key[block.start : block.stop + 1] >> 1  # without the bit of the label
        np.not_equal(score[1:], score[:-1], out=first[1:][block])
    if first.all():  # no ties
        edges, total = np.arange(key.size + 1), _ones(key.size)
        positives = positive.astype(np.int64)
    else:
        edges = np.append(first.nonzero()[0], key.size)
        total = np.diff(edges)
        positives = np.add.reduceat(positive, edges[:-1], dtype=np.int64)
    return OperatingPoints(
        positives=positives,
        total=total,
        above=edges[:-1],
        cum_positives=np.cumsum(positives),
        cum_total=edges[1:],
        offsets=np.array([0, total.size]),
        n_positives=positives.sum(keepdims=True),
        n_samples=edges[-1:],
    )


def join(queries: Sequence[OperatingPoints]) -> OperatingPoints:
    """Concatenate rankings."""
    sizes = np.concatenate([[0], *(np.diff(query.offsets) for query in queries)])
    joined = {
        name: np.concatenate([getattr(query, name) for query in queries])
        for name in (*_OF_POINTS, "n_positives", "n_samples")
    }
    rows, whole = _join_rows(queries), _join_whole(queries)
    return OperatingPoints(**joined, offsets=np.cumsum(sizes), rows=rows, whole=whole)


def _join_rows(queries: Sequence[OperatingPoints]) -> RowCounts | None:
    if all(query.rows is None for query in queries):
        return None
    # Where rows aren't counted, each of them weighs 1.
    rows = [query.rows or RowCounts(query.total, query.above, query.n_samples) for query in queries]
    return RowCounts(*map(np.concatenate, zip(*rows, strict=True)))


def _join_whole(queries: Sequence[OperatingPoints]) -> Array | None:
    """Return for each ranking whether all its weights are integers, unless the dtype tells."""
    if all(
        query.whole is None and query.total.dtype == queries[0].total.dtype for query in queries
    ):
        return None
    whole = []
    for query in queries:
        of_dtype = np.full(query.n_queries, query.total.dtype.kind == "i")
        whole.append(of_dtype if query.whole is None else query.whole)
    return np.concatenate(whole)


def by_group(values: Array, group: Array, n_groups: int) -> tuple[Array, Array]:
    """Sort values by group, keeping their order within groups, and return where groups start."""
    if (group[1:] >= group[:-1]).all():
        return values, np.append(0, np.cumsum(np.bincount(group, minlength=n_groups)))
    # The conversion of sparse arrays is a stable counting sort in C.
    if values.size < 2**31:
        group = group.astype(np.int32, copy=False)
    # The columns don't matter, so those of the groups take no more memory.
    cells = coo_array((values, (group, group)), shape=(n_groups, n_groups))
    cells.has_canonical_format = True
    gathered = cells.tocsr()
    return gathered.data, gathered.indptr.astype(np.int64)


def from_keys(
    key: Array,
    weight: Array | None,
    offsets: Array,
    every: bool,
    whole: Array | None = None,
    may_tie: bool = True,
) -> OperatingPoints:
    """Make points from the sorted keys of concatenated rankings. Their weights are overwritten.

    `whole` tells which rankings have integer weights; None if their dtype does. The caller may know
    that no scores are tied.
    """
    return _measure(_find_places(key, offsets, every, may_tie), weight, offsets, whole, every)


class _Places(NamedTuple):
    """Indices of sorted keys, in which positives come first among equal scores.

    `_measure` reuses the memory of `until`, as fresh memory takes longer than the arithmetic.
    """

    start: Array  # where the positives of each point start
    until: Sequence[Array] | None  # where these and its negatives end; None if each is one positive
    positives: Array  # of all positives


def _find_places(key: Array, offsets: Array, every: bool, may_tie: bool = True) -> _Places:
    """Find every point in sorted keys, or those with positives."""
    if every:
        positive = is_positive(key)
        start = is_first(key >> 1, offsets).nonzero()[0]
        end = np.append(start, offsets[-1])[1:]
        if start.size == key.size:
            misses_from = start + positive
        else:
            misses_from = start + np.add.reduceat(positive, start, dtype=np.int64)
        return _Places(start, (misses_from, end), positive.nonzero()[0])
    place = is_positive(key).nonzero()[0]
    if may_tie and any_ties(key, place):
        start, *until = _find_tied(key, place, offsets)
        return _Places(start, until, place)
    return _Places(place, None, place)


def _find_tied(key: Array, place: Array, offsets: Array) -> tuple[Array, Array, Array]:
    """Return the `start`, `misses_from` and `end` of each score of a positive.

    The positives at a score come first, from `start` to `misses_from`, and its negatives follow,
    up to `end`. `place` says where all positives are.
    """
    opens = np.zeros(key.size + 1, dtype=bool)  # the first sample of each ranking
    opens[offsets] = True

    is_start = np.empty(place.size, dtype=bool)
    for block in blocks(place.size):
        at = place[block]
        is_start[block] = (key.take(at) != key.take(at - 1)) | opens.take(at)
    start = place[is_start]

    is_last = np.append(is_start[1:], True)  # positive of its score, after which the next starts
    misses_from = place[is_last]
    misses_from += 1

    # The lowest bit of a key is 1 for negatives, which therefore have the next key.
    is_tied = np.empty(start.size, dtype=bool)
    for block in blocks(start.size):
        of_next = key.take(misses_from[block], mode="clip")
        is_tied[block] = of_next == key.take(start[block]) + 1

    end = misses_from.copy()
    tied = misses_from[is_tied]
    if not tied.size:
        return start, misses_from, end
    if offsets.size == 2:  # a single ranking, whose keys are sorted
        end[is_tied] = np.searchsorted(key, key[tied], side="right")
    else:
        next_start = np.append(is_first(key >> 1, offsets), True).nonzero()[0]
        end[is_tied] = next_start[np.searchsorted(next_start, tied)]
    return start, misses_from, end


def _measure(
    places: _Places, weight: Array | None, offsets: Array, whole: Array | None, by_rows: bool
) -> OperatingPoints:
    """Make points, of rankings whose samples are between `offsets`.

    `weight` has those of all samples in the order of the keys, or None if each is 1. It is
    overwritten, and so is the memory of `places`. Weighted points count rows on request.
    """
    start, until, positive_places = places
    point_offsets, n_rows = start.searchsorted(offsets), offsets[1:] - offsets[:-1]
    query_start = repeated(offsets[:-1], point_offsets)
    above, rows = start if offsets.size == 2 else start - query_start, None
    if until is None:
        positives = total = _ones(start.size) if weight is None else weight.take(start)
    elif weight is None:
        misses_from, end = until
        positives = np.subtract(misses_from, start, out=misses_from)
        total = np.subtract(end, start, out=end)
    else:
        misses_from, end = until
        positives = mass_between(start, misses_from, weight)
        total = positives + mass_between(misses_from, end, weight)
        rows = RowCounts(end - start, above, n_rows) if by_rows else None
    cum_positives = running_sum(positives, point_offsets)
    if weight is None:
        n_samples, cum_total = n_rows, above + total
    else:
        weight[positive_places] = 0
        cum_misses = running_sum(weight, offsets, out=weight)
        misses = misses_above = cum_misses.take(start if until is None else end - 1)
        if until is not None:
            misses_above = np.where(start > query_start, cum_misses[start - 1], 0)
        n_samples = last_of_each(cum_positives, point_offsets) + last_of_each(cum_misses, offsets)
        # This reuses the memory of the weights, as fresh memory takes longer than the sum.
        above = previous(cum_positives, point_offsets, out=weight[: start.size])
        above += misses_above
        # This is not a sum of totals, because rounding must never raise a precision above 1.
        cum_total = np.add(misses, cum_positives, out=misses)
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
        whole=whole,
    )


def _ones(size: int) -> Array:
    """Return an array of ones, which takes no memory."""
    return _ONES[:size] if size <= _ONES.size else np.broadcast_to(np.int64(1), size)


def have_integers(weight: Array, offsets: Array) -> Array | None:
    """Return for each ranking whether all its weights are integers; None if no weight is one."""
    is_fraction = weight != np.floor(weight)
    return None if is_fraction.all() else np.asarray(sums(is_fraction, offsets) == 0)


def last_of_each(values: Array, offsets: Array) -> Array:
    """Return the last value of each ranking, or 0 if it is empty."""
    if offsets.size == 2 and values.size:
        return values[-1:]
    out = np.zeros(offsets.size - 1, dtype=values.dtype)
    is_filled = offsets[:-1] < offsets[1:]
    out[is_filled] = values[offsets[1:][is_filled] - 1]
    return out


def mass_between(start: Array, stop: Array, mass: Array) -> Array:
    """Sum the mass of samples from start to stop, for each pair of indices."""
    out = mass.take(start, mode="clip")  # of single samples
    out[start == stop] = 0
    several = np.flatnonzero(stop - start > 1)
    if several.size:
        ends = np.stack([start[several], stop[several]], axis=1).ravel()
        # reduceat also sums from each stop to the next start, which are left out.
        out[several] = np.add.reduceat(np.append(mass, 0), ends)[::2]
    return out


def lift(flagged: Array, recall: Array) -> Array:
    """Divide recall by the fraction flagged, of which the first is 0.

    From there to the first point, the lift is that of the point, because samples with the highest
    score are flagged in any order. Without points, it is undefined.
    """
    of_points = recall[1:] / flagged[1:]
    return np.concatenate((of_points[:1] if of_points.size else [np.nan], of_points))
