"""Operating points: counts at distinct scores, from which every value is computed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array

from .bins import Bins, choose_bins
from .keys import mark_keys, pack, rank
from .ragged import (
    Array,
    compute_running_sum,
    get_previous,
    repeat_values,
    sort_rankings,
    split_into_blocks,
    sum_rankings,
)

# Rows are counted together up to this number of samples, which fits in the cache.
_SAMPLES_PER_BLOCK = 2**17

_SHARED_ONES = np.ones(1000, dtype=np.int64)  # of which a slice is faster than a broadcast
_SHARED_ONES.flags.writeable = False

_POINT_FIELDS = ("positives", "total", "above", "cum_positives", "cum_total")


class RowCounts(NamedTuple):
    """Numbers of samples, regardless of their weights."""

    at: Array  # samples with this score
    above: Array  # samples with a higher score
    n_rows: Array  # all samples, one number per ranking


class OperatingPoints(NamedTuple):
    """Counts at the distinct scores of one or more rankings, highest score first.

    A point is one distinct score with all samples that are tied there. The points of all rankings
    are concatenated, and `offsets` tells where each ranking starts and where the last one ends.
    Points without positives add nothing to any average. They are kept only for curves, and for
    rules that count rows of weighted samples.

    Counts are int64. With weights they are masses, which are int64 if every weight is an integer.
    Rankings whose weights are integers can be concatenated with others, which `are_integers` marks.
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
    are_integers: Array | None = None  # whether a ranking's weights are; None if the dtype tells

    @property
    def n_rankings(self) -> int:
        return self.offsets.size - 1

    @property
    def precision(self) -> Array:
        return self.cum_positives / self.cum_total

    @property
    def positives_above(self) -> Array:
        """Positives with a higher score."""
        return get_previous(self.cum_positives, self.offsets)

    @property
    def precision_above(self) -> Array:
        """Precision among the samples with a higher score; 1 where there are none."""
        hits = self.positives_above
        return np.divide(hits, self.above, out=np.ones(hits.shape), where=self.above > 0)

    def compute_fractions(self, counts: Array) -> Array:
        """Return counts at the points as fractions of all samples, of shape (n_points + 1,).

        The first one is for no samples. This is for one ranking with every point.
        """
        fractions = np.zeros(counts.size + 1)
        np.divide(counts, self.cum_total[-1:], out=fractions[1:])  # empty if there are no points
        return fractions

    def with_n_positives(self, n_positives: Array | float) -> Self:
        """Return the same points for a larger number of existing positives."""
        exist = np.asarray(n_positives)
        return self._replace(n_positives=np.broadcast_to(exist, self.n_positives.shape))

    def keep_positive(self) -> Self:
        return self.take(np.flatnonzero(self.positives))

    def take(self, keep: Array) -> Self:
        """Return some of the points, in their order."""
        return self._take_places(keep, np.searchsorted(keep, self.offsets))

    def reorder(self, order: Array) -> Self:
        """Return the rankings in another order."""
        size = np.diff(self.offsets)[order]
        offsets = np.concatenate(([0], np.cumsum(size)))
        places = np.repeat(self.offsets[:-1][order] - offsets[:-1], size) + np.arange(offsets[-1])
        points = self._take_places(places, offsets)
        return points._replace(
            n_positives=self.n_positives[order],
            n_samples=self.n_samples[order],
            rows=points.rows and points.rows._replace(n_rows=points.rows.n_rows[order]),
            are_integers=None if points.are_integers is None else points.are_integers[order],
        )

    def _take_places(self, places: Array, offsets: Array) -> Self:
        taken = {name: getattr(self, name)[places] for name in _POINT_FIELDS}
        rows = self.rows
        rows = rows and rows._replace(at=rows.at[places], above=rows.above[places])
        return self._replace(**taken, offsets=offsets, rows=rows)


def from_scores(
    labels: Array, scores: Array, weight: Array | None = None, every_point: bool = False
) -> OperatingPoints:
    """Make the points of one ranking or of each row, those with positives or every point.

    Labels are boolean, and of the shape of the scores. The weights may be those of columns.
    """
    if weight is None:
        bins = None if every_point else choose_bins(labels, scores)
        if bins is not None:
            return _from_bins(labels, scores, bins)
        key = pack(labels, scores).values.reshape(scores.shape)
        key.sort(axis=-1)
    else:
        key, weight = rank(labels, scores, weight)
        weight = weight.ravel()
    offsets = np.arange((1 if scores.ndim == 1 else len(scores)) + 1) * scores.shape[-1]
    positive, first = mark_keys(key.ravel(), offsets)
    del key  # so that its memory is free
    places = _find_places(positive, first, every_point)
    return _measure(places, weight, offsets, None, every_point)


def _from_bins(labels: Array, scores: Array, bins: Bins) -> OperatingPoints:
    """Make the points of one ranking, where only samples are sorted that share a bin with a
    positive. All others are counted.
    """
    of_positives = bins.find_bins(scores[labels])
    has_positives = np.zeros(bins.size, dtype=bool)
    has_positives[of_positives] = True
    count, near = np.zeros(bins.size, dtype=np.int64), []
    for block in split_into_blocks(scores.size):
        number = bins.find_bins(scores[block])
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
    labels: Array, scores: Array, weight: Array | None = None, every_point: bool = False
) -> OperatingPoints:
    """Make the points of rows, each of which is a ranking. The weights of columns are shared."""
    n_rankings, n_samples = scores.shape
    size = max(_SAMPLES_PER_BLOCK // max(n_samples, 1), 1)
    rows = [slice(start, start + size) for start in range(0, n_rankings, size)]
    return join([from_scores(labels[block], scores[block], weight, every_point) for block in rows])


def from_groups(
    labels: Array,
    scores: Array,
    group: Array,
    n_groups: int,
    weight: Array | None,
    every_point: bool,
) -> OperatingPoints:
    """Make the points of groups, which are numbered from 0 to n_groups - 1."""
    are_integers = None
    if weight is None:
        key, offsets = sort_by_group(pack(labels, scores).values, group, n_groups)
        sort_rankings(key, offsets)
    else:
        key, weight, group = rank(labels, scores, weight, group)
        order, offsets = sort_by_group(np.arange(key.size), group, n_groups)
        key, weight = key.take(order), weight.take(order)
        if weight.dtype.kind == "f":
            are_integers = have_integers(weight, offsets)
    return from_keys(key, weight, offsets, every_point, are_integers)


def from_counts(
    positives: Array, negatives: Array, offsets: Array | None = None, rows: Array | None = None
) -> OperatingPoints:
    """Make points from the masses in bins, highest bin first.

    These are the points with positives, or all points if rows are to be counted.
    """
    if offsets is None:
        offsets = np.array([0, positives.size])
    cum_positives = compute_running_sum(positives, offsets)
    cum_negatives = compute_running_sum(negatives, offsets)
    points = OperatingPoints(
        positives=positives,
        total=positives + negatives,
        above=get_previous(cum_positives, offsets) + get_previous(cum_negatives, offsets),
        cum_positives=cum_positives,
        cum_total=cum_positives + cum_negatives,
        offsets=offsets,
        n_positives=sum_rankings(positives, offsets),
        n_samples=sum_rankings(positives, offsets) + sum_rankings(negatives, offsets),
    )
    if rows is None:
        return points.keep_positive()
    above = compute_running_sum(rows, offsets) - rows
    return points._replace(rows=RowCounts(rows, above, sum_rankings(rows, offsets)))


class SortedSamples(NamedTuple):
    """Samples of one or more rankings, each from the highest score down, positives first in ties.

    A curve and the values of all metrics come from the same ones.
    """

    marks: tuple[Array, Array]  # what `mark_keys` returns
    scores: Array
    weight: Array | None  # None if each sample weighs 1
    offsets: Array  # where each ranking starts, and where the last one ends

    def split(self) -> list[Self]:
        """Return each ranking on its own."""
        if self.offsets.size == 2:
            return [self]
        rankings = []
        for start, stop in pairwise(self.offsets.tolist()):
            positive, first = (np.append(marks[start:stop], True) for marks in self.marks)
            weight = None if self.weight is None else self.weight[start:stop]
            ends = np.array([0, stop - start])
            rankings.append(type(self)((positive, first), self.scores[start:stop], weight, ends))
        return rankings

    def make_points(self, every_point: bool) -> OperatingPoints:
        """Make the points with positives, or every point."""
        weight, are_integers = self.weight, None
        if weight is not None:
            weight = weight.copy()  # which is overwritten
            if weight.dtype.kind == "f" and self.offsets.size > 2:  # one ranking's dtype tells
                are_integers = have_integers(weight, self.offsets)
        return _measure(
            _find_places(*self.marks, every_point), weight, self.offsets, are_integers, every_point
        )

    def find_all_points(self) -> tuple[OperatingPoints, Array]:
        """Return every point of one ranking, as a curve needs them, and the score of each."""
        points = self.make_points(every_point=True)
        if points.above.size == self.scores.size:
            return points, self.scores
        return points, self.scores[(points.rows or points).above]


def sort_samples(
    labels: Array,
    scores: Array,
    weight: Array | None = None,
    group: Array | None = None,
    n_groups: int = 1,
) -> SortedSamples:
    """Sort samples, in each group if there are any, which are numbered from 0 to n_groups - 1.

    Scores are compared exactly, and returned in their own type. As float64, integers beyond 2**53
    would become tied, and float32's 0.1 would be written as 0.10000000149011612.
    """
    offsets = np.array([0, scores.size])
    if weight is None:
        keys = pack(labels, scores)
        key = keys.values
        if group is None:
            key.sort()
        else:
            key, offsets = sort_by_group(key, group, n_groups)
            sort_rankings(key, offsets)
    elif group is None:
        key, weight, in_order = rank(labels, scores, weight, scores)
    else:
        key, weight, in_order, group = rank(labels, scores, weight, scores, group)
        order, offsets = sort_by_group(np.arange(key.size), group, n_groups)
        key, weight, in_order = key.take(order), weight.take(order), in_order.take(order)
    marks = mark_keys(key, offsets)
    if weight is None:
        in_order = keys.scores(key)  # in its memory
    if in_order.dtype.kind == "f":
        in_order += 0  # -0.0 is 0.0
    return SortedSamples(marks, in_order, weight, offsets)


def join(parts: Sequence[OperatingPoints]) -> OperatingPoints:
    """Concatenate rankings."""
    sizes = np.concatenate([[0], *(np.diff(part.offsets) for part in parts)])
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (*_POINT_FIELDS, "n_positives", "n_samples")
    }
    rows, are_integers = _join_rows(parts), _join_integer_marks(parts)
    return OperatingPoints(**joined, offsets=np.cumsum(sizes), rows=rows, are_integers=are_integers)


def _join_rows(parts: Sequence[OperatingPoints]) -> RowCounts | None:
    if all(part.rows is None for part in parts):
        return None
    # Where rows aren't counted, each of them weighs 1.
    rows = [part.rows or RowCounts(part.total, part.above, part.n_samples) for part in parts]
    return RowCounts(*map(np.concatenate, zip(*rows, strict=True)))


def _join_integer_marks(parts: Sequence[OperatingPoints]) -> Array | None:
    """Return for each ranking whether all its weights are integers, unless the dtype tells."""
    dtype = parts[0].total.dtype
    if all(part.are_integers is None and part.total.dtype == dtype for part in parts):
        return None
    are_integers = []
    for part in parts:
        of_dtype = np.full(part.n_rankings, part.total.dtype.kind == "i")
        are_integers.append(of_dtype if part.are_integers is None else part.are_integers)
    return np.concatenate(are_integers)


def sort_by_group(values: Array, group: Array, n_groups: int) -> tuple[Array, Array]:
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
    every_point: bool,
    are_integers: Array | None = None,
) -> OperatingPoints:
    """Make points from the sorted keys of concatenated rankings. Their weights are overwritten.

    `are_integers` tells which rankings have integer weights; None if their dtype does.
    """
    return _measure(
        _find_places(*mark_keys(key, offsets), every_point),
        weight,
        offsets,
        are_integers,
        every_point,
    )


# How many positives are at each point, how many before it (and at last, all of them), and where it
# ends. None if each point is one positive.
_Tied = tuple[Array, Array, Array] | None


class _Places(NamedTuple):
    """Indices of sorted samples, in which positives come first among equal scores."""

    start: Array  # where each point starts
    tied: _Tied
    positives: Array  # of all positives


def _find_places(positive: Array, first: Array, every_point: bool) -> _Places:
    """Find every point in sorted samples, or those with positives.

    `first` says where another score than the previous one starts. Both include the end.
    """
    if not every_point:
        place, tied = _find_positives(positive, first)
        start = place if tied is None else place.take(tied[1][:-1])
        return _Places(start, tied, place)
    edges = first.nonzero()[0]
    found = np.zeros(first.size, dtype=np.int64)
    np.cumsum(positive[:-1], out=found[1:])
    if edges.size < found.size:
        found = found.take(edges)
    tied = found[1:] - found[:-1], found, edges[1:]
    return _Places(edges[:-1], tied, positive[:-1].nonzero()[0])


def _find_positives(positive: Array, first: Array) -> tuple[Array, _Tied]:
    """Return where positives are in sorted samples, and the points with positives, unless each is
    one positive.
    """
    place = positive.nonzero()[0]  # of the positives, and the end
    if np.count_nonzero(first) == first.size:
        return place[:-1], None
    # A point begins with a positive that has another score than the sample before it.
    found = first.take(place).nonzero()[0]  # how many positives are before each point
    # It ends with its last positive, or with the negatives that are tied with that. Tied negatives
    # are in stretches, each between two edges: the sample before it, and its last one.
    is_not_tied_negative = first | positive
    edges = (is_not_tied_negative[1:] != is_not_tied_negative[:-1]).nonzero()[0]
    follow_positive = positive.take(edges[::2]).nonzero()[0]  # stretches
    if found.size == place.size and not follow_positive.size:
        return place[:-1], None
    is_last = positive[:-1] & first[1:]
    is_last[edges[1::2].take(follow_positive)] = True
    end = is_last.nonzero()[0]
    end += 1
    return place[:-1], (found[1:] - found[:-1], found, end)


def _expand_single(place: Array, tied: _Tied) -> tuple[Array, Array, Array]:
    """Return `tied`, or the same of points that are one positive each."""
    return (_make_ones(place.size), np.arange(place.size + 1), place + 1) if tied is None else tied


def _measure(
    places: _Places,
    weight: Array | None,
    offsets: Array,
    are_integers: Array | None,
    every_point: bool,
) -> OperatingPoints:
    """Make points, of rankings whose samples are between `offsets`.

    `weight` has those of all samples in the order of the keys, or None if each is 1. It is
    overwritten. Weighted points count rows on request.
    """
    if weight is None:
        return _measure_unweighted(places, offsets)
    start, tied, positive_places = places
    point_offsets, n_rows = start.searchsorted(offsets), offsets[1:] - offsets[:-1]
    ranking_start = repeat_values(offsets[:-1], point_offsets)
    rows = None
    if tied is None:
        positives = total = weight.take(start)
    else:
        count, _, end = tied
        misses_from = start + count
        positives = sum_between(start, misses_from, weight)
        total = positives + sum_between(misses_from, end, weight)
        rows = RowCounts(end - start, start - ranking_start, n_rows) if every_point else None
    cum_positives = compute_running_sum(positives, point_offsets)
    weight[positive_places] = 0
    cum_misses = compute_running_sum(weight, offsets, out=weight)
    misses = misses_above = cum_misses.take(start if tied is None else end - 1)
    if tied is not None:
        misses_above = np.where(start > ranking_start, cum_misses[start - 1], 0)
    n_samples = take_last(cum_positives, point_offsets) + take_last(cum_misses, offsets)
    # This reuses the memory of the weights, as fresh memory takes longer than the sum.
    above = get_previous(cum_positives, point_offsets, out=weight[: start.size])
    above += misses_above
    return OperatingPoints(
        positives=positives,
        total=total,
        above=above,
        cum_positives=cum_positives,
        # This is not a sum of totals, because rounding must never raise a precision above 1.
        cum_total=np.add(misses, cum_positives, out=misses),
        offsets=point_offsets,
        n_positives=sum_rankings(positives, point_offsets),
        n_samples=n_samples,
        rows=rows,
        are_integers=are_integers,
    )


def _measure_unweighted(places: _Places, offsets: Array) -> OperatingPoints:
    """Make points of samples that weigh 1."""
    start = places.start
    positives, found, end = _expand_single(start, places.tied)
    are_single = places.tied is None or start.size == offsets[-1]
    total = _make_ones(start.size) if are_single else end - start
    point_offsets = start.searchsorted(offsets)
    found_before = found.take(point_offsets)  # each ranking, and at last all of them
    above, cum_positives, cum_total = start, found[1:], end
    if offsets.size > 2:
        ranking_start = repeat_values(offsets[:-1], point_offsets)
        above, cum_total = start - ranking_start, end - ranking_start
        cum_positives = cum_positives - repeat_values(found_before[:-1], point_offsets)
    return OperatingPoints(
        positives=positives,
        total=total,
        above=above,
        cum_positives=cum_positives,
        cum_total=cum_total,
        offsets=point_offsets,
        n_positives=found_before[1:] - found_before[:-1],
        n_samples=offsets[1:] - offsets[:-1],
    )


def _make_ones(size: int) -> Array:
    """Return an array of ones, which takes no memory."""
    return _SHARED_ONES[:size] if size <= _SHARED_ONES.size else np.broadcast_to(np.int64(1), size)


def have_integers(weight: Array, offsets: Array) -> Array | None:
    """Return for each ranking whether all its weights are integers; None if no weight is one."""
    is_fraction = weight != np.floor(weight)
    return None if is_fraction.all() else np.asarray(sum_rankings(is_fraction, offsets) == 0)


def take_last(values: Array, offsets: Array) -> Array:
    """Return the last value of each ranking, or 0 if it is empty."""
    if offsets.size == 2 and values.size:
        return values[-1:]
    out = np.zeros(offsets.size - 1, dtype=values.dtype)
    is_filled = offsets[:-1] < offsets[1:]
    out[is_filled] = values[offsets[1:][is_filled] - 1]
    return out


def sum_between(start: Array, stop: Array, mass: Array) -> Array:
    """Sum the mass of samples from start to stop, for each pair of indices."""
    out = mass.take(start, mode="clip")  # of single samples
    out[start == stop] = 0
    several = np.flatnonzero(stop - start > 1)
    if several.size:
        ends = np.stack([start[several], stop[several]], axis=1).ravel()
        # reduceat also sums from each stop to the next start, which are left out.
        out[several] = np.add.reduceat(np.append(mass, 0), ends)[::2]
    return out


def compute_lift(flagged: Array, recall: Array) -> Array:
    """Divide recall by the fraction flagged, of which the first is 0.

    From there to the first point, the lift is that of the point, because samples with the highest
    score are flagged in any order. Without points, it is undefined.
    """
    of_points = recall[1:] / flagged[1:]
    return np.concatenate((of_points[:1] if of_points.size else [np.nan], of_points))
