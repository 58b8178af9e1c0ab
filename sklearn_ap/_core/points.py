"""Rankings as operating points: one for each distinct score, from the highest down.

Any number of rankings are held end to end in flat arrays, so that one operation handles all of
them. Ranking q has the points ``offsets[q]:offsets[q + 1]``. In the formulas, r_i and n_i are the
positives and the samples at point i, T_i and N_i their running sums, and R is all positives.

`rank` makes points by sorting plain integers, because NumPy sorts these several times faster than
it finds the order of floats, and sorted values needn't be looked up. The key of a sample has its
score and, in the lowest bit, its label, so that sorted keys have the highest scores first, and
positives first among tied samples:

======  ==  ==  ==  ==  ======================
score    2   2   1   1
label    1   0   1   0
key     -4  -3  -2  -1  -2 score + is negative
======  ==  ==  ==  ==  ======================
"""

from dataclasses import dataclass
from functools import cached_property
from math import frexp, ldexp
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
PerSample = Array  # one element for each sample; in a matrix, each row is a ranking
PerPoint = Array  # one for each operating point of all rankings
PerRanking = Array  # one for each ranking

SMALLEST = 5e-324  # above 0, to divide by where what is divided is 0, too
BLOCK = 2**15  # samples that fit in the cache of a core


class Points(NamedTuple):
    """The operating points of rankings.

    Those without positives are left out, unless `rank` is asked for every point, because they add
    nothing to any average.
    """

    hits: PerPoint  # r_i, the mass of the positives at each point
    samples: PerPoint  # n_i, the mass of all samples there
    hits_above: PerPoint  # T_{i-1}
    samples_above: PerPoint  # N_{i-1}
    offsets: Array
    n_positives: PerRanking  # R of each ranking, or as many as the caller says that there are
    mass: PerRanking  # N of each ranking
    n_rows: PerRanking
    # With weights, these are the samples at and above each point, and whether all weights of a
    # ranking are whole, as those of repeated rows (None for weights that are integers).
    rows: PerPoint | None = None
    rows_above: PerPoint | None = None
    has_whole_weights: PerRanking | None = None

    @property
    def n_rankings(self) -> int:
        return self.offsets.size - 1

    @property
    def cum_hits(self) -> PerPoint:
        """T_i"""
        return self.hits_above + self.hits

    @property
    def cum_samples(self) -> PerPoint:
        """N_i"""
        return self.samples_above + self.samples

    @property
    def precision(self) -> PerPoint:
        precision: PerPoint = (self.hits_above + self.hits).astype(float, copy=False)
        precision /= self.samples_above + self.samples  # needs no third array
        return precision

    @property
    def precision_above(self) -> PerPoint:
        """The precision above each point, 1 at the top."""
        precision = self.hits_above / np.maximum(self.samples_above, SMALLEST)
        return np.where(self.samples_above == 0, 1.0, precision)

    @property
    def rounding_factors(self) -> PerPoint:
        """Factors just above 1 that make up for rounding in running sums of weights."""
        if "f" not in (self.samples.dtype.kind, self.n_positives.dtype.kind):
            return np.ones(self.samples.size)
        return 1 + 2 * np.finfo(float).eps * (self.repeat(np.diff(self.offsets)) + 8)

    def repeat(self, values: PerRanking) -> PerPoint:
        """Repeat the value of each ranking at all of its points."""
        if self.offsets.size == 2:
            return np.broadcast_to(values, self.samples.shape)
        return np.repeat(values, np.diff(self.offsets))

    def sum(self, values: PerPoint) -> PerRanking:
        """Add up the values of the points of each ranking."""
        return reduce_rankings(np.add, values, self.offsets)

    def maximum(self, values: PerPoint) -> PerRanking:
        """Return the largest value in each ranking, 0 without points."""
        return reduce_rankings(np.maximum, values, self.offsets)

    def accumulate_from_here(self, operation: np.ufunc, values: PerPoint) -> PerPoint:
        """Return the largest value, or the sum or the like, of each point and all later ones of its
        ranking.
        """
        backwards = self.offsets[-1] - self.offsets[::-1]
        return accumulate(operation, values[::-1], backwards)[::-1]

    def take(self, index: Array) -> Self:
        """Return some of the points, which are in order."""
        names = ["hits", "samples", "hits_above", "samples_above"]
        names += [] if self.rows is None else ["rows", "rows_above"]
        fields = {name: getattr(self, name)[index] for name in names}
        return self._replace(**fields, offsets=np.searchsorted(index, self.offsets))


def reduce_rankings(operation: np.ufunc, values: Array, offsets: Array) -> PerRanking:
    """Reduce the values of each ranking, to 0 if it has none."""
    if offsets.size == 2 and values.size:
        return np.asarray(operation.reduce(values)).reshape(1)
    out = np.zeros(offsets.size - 1, dtype=values.dtype)
    has_points = np.diff(offsets) > 0
    out[has_points] = operation.reduceat(values, offsets[:-1][has_points])
    return out


# --- sorting --------------------------------------------------------------------------------------


def rank(
    gains: Array,
    scores: Array,
    weight: Array | None = None,
    group_codes: Array | None = None,
    n_groups: int = 1,
    every_point: bool = False,
) -> Points:
    """Rank samples by their scores, apart in each group, or in each row of a matrix.

    `gains` tells whether samples are positive, or without weights how much they gain. No weight
    is 0.
    """
    has_grades = gains.dtype != bool
    needs_order = weight is not None or has_grades
    positive = gains > 0 if has_grades else gains
    samples = SortedSamples.sort(positive, scores, group_codes, n_groups, needs_order)
    if weight is not None:
        weight = np.broadcast_to(weight, scores.shape).ravel()
    return samples.build_points(weight, every_point, gains.ravel() if has_grades else None)


def pack(positive: Array, scores: Array) -> Array:
    """Return the key of each sample: minus twice its score, plus 1 for negatives.

    Floats, and scores that are too large, are replaced by integers in the same order.
    """
    doubled = None
    if scores.dtype.kind in "biu":
        low, high = scores.min(initial=0), scores.max(initial=0)
        if low > -(2**61) and high < 2**61:
            kind = np.int32 if low > -(2**29) and high < 2**29 else np.int64  # is sorted faster
            doubled = np.multiply(scores, 2, dtype=kind, casting="unsafe", order="C")
    elif scores.dtype.kind == "f" and scores.itemsize <= 8:
        doubled = convert_to_ordered_integers(scores)
    if doubled is None:  # the scores can't be doubled, but the ranks of distinct scores can
        doubled = np.unique(scores, return_inverse=True)[1].reshape(scores.shape) * 2
    return np.subtract(~positive, doubled, out=doubled)


def convert_to_ordered_integers(floats: Array) -> Array | None:
    """Return even integers in the order of floats, or None if that would lose bits.

    The bits of a float are its sign and, from 0 up, an integer that grows with the float. Doubling
    shifts the sign out, and multiplying brings it back, here for 32 bits:

    ================  ===========  ==========  ===  ==========
    float                    -1.5        -0.0  0.0         1.5
    bits               0xBFC00000  0x80000000    0  0x3FC00000
    twice the bits     0x7F800000           0    0  0x7F800000
    times their sign  -0x7F800000           0    0  0x7F800000
    ================  ===========  ==========  ===  ==========

    Doubling keeps all other bits of floats between -2 and 2, whose highest bit after the sign is 0.
    Others are scaled by a power of two first, which can lose the last bits of tiny floats.
    """
    low, high = floats.min(initial=0), floats.max(initial=0)
    exponent = max(frexp(max(-low, high))[1] - 1, 0)
    kind, integers = (np.float64, np.int64) if floats.itemsize == 8 else (np.float32, np.int32)
    down, up = kind(ldexp(1, -exponent)), kind(ldexp(1, exponent))
    ordered: Array = np.empty(floats.shape, dtype=integers)
    for start in range(0, floats.shape[-1], BLOCK):
        block = floats[..., start : start + BLOCK]
        small: Array = block.astype(kind, copy=False)
        if exponent > 0:
            small = small * down  # several times faster than `ldexp`
            if (small * up != block).any():
                return None
        bits: Array = small.view(integers)
        doubled = np.multiply(bits, 2, out=ordered[..., start : start + BLOCK])
        if low < 0:  # else this changes nothing
            doubled *= np.sign(bits)
    return ordered


def sort_with_order(
    keys: Array, offsets: Array, group_codes: Array | None = None
) -> tuple[Array, Array, Array]:
    """Sort keys, apart in each group or row, and return the order, and what `mark` returns.

    NumPy sorts plain integers the fastest, so each sample becomes one, with these fields from the
    highest bits to the lowest:

        code of the group | how far its score is below the highest | is negative | index

    Here are four samples of one ranking, whose index takes three bits:

    ===========  ==  ==  ==  ==  ==================================
    index         0   1   2   3
    score         1   2   2   1
    is negative   0   0   1   1
    key          -2  -4  -3  -1  -2 score + is negative
    below         1   0   0   1  the highest score - score
    packed       16   1  10  27  8 (2 below + is negative) + index
    sorted        1  10  16  27
    order         1   2   0   3  sorted modulo 8
    ===========  ==  ==  ==  ==  ==================================

    If the bits of the scores don't all fit in, the lowest ones are dropped, and samples that differ
    only in these are put in order afterwards.
    """
    shape, keys = keys.shape, keys.ravel()
    # Without its lowest bit, a key is minus its score, so that the lowest one is the highest score.
    lowest, highest = (int(keys.min()) >> 1, int(keys.max()) >> 1) if keys.size else (0, 0)
    index_bits = keys.size.bit_length()
    group_bits = 0 if group_codes is None else (offsets.size - 2).bit_length()
    score_bits = 62 - index_bits - group_bits  # The sign and "is negative" take one each.
    # Dropping bits rounds both ends down, so their distance may be 1 larger, and need one more bit.
    dropped_bits = max((highest - lowest).bit_length() + 1 - score_bits, 0)
    packed: Array = np.empty(keys.size, dtype=np.int64)
    for start in range(0, keys.size, BLOCK):
        rows = slice(start, start + BLOCK)
        key, block = keys[rows], packed[rows]
        # As one expression, which needs memory for each step, this takes 1.5 times as long.
        np.right_shift(key, 1 + dropped_bits, out=block)
        block -= lowest >> dropped_bits  # how far the score is below the highest
        if group_codes is not None:
            block += np.left_shift(group_codes[rows], score_bits, dtype=np.int64)
        block <<= 1
        block |= key & 1  # is negative
        block <<= index_bits
        block |= np.arange(start, start + block.size)
    packed.reshape(shape).sort(axis=-1)
    is_hit, is_first = mark(packed, offsets, index_bits)
    order: Array = np.bitwise_and(packed, (1 << index_bits) - 1, out=packed)
    if not dropped_bits:
        return order, is_hit, is_first

    # Put samples in order that were sorted without the lowest bits of their scores.
    followers = np.flatnonzero(~is_first)  # Their other bits are those of the sample before.
    are_tied = keys.take(order[followers]) >> 1 == keys.take(order[followers - 1]) >> 1
    if not are_tied.all():
        places = np.union1d(followers, followers - 1)
        run = np.cumsum(is_first[places])  # The other bits are equal in a run.
        order[places] = order[places[np.lexsort((keys.take(order[places]), run))]]
        keys_there = keys.take(order[places])
        is_hit[places] = keys_there & 1 == 0
        is_first[places[1:]] |= keys_there[1:] >> 1 != keys_there[:-1] >> 1
    return order, is_hit, is_first


def mark(keys: Array, offsets: Array, index_bits: int = 0) -> tuple[Array, Array]:
    """Return which sorted keys are positives, and which are the first ones of their points.

    The end of all keys counts as a first one, too. Keys may end with the bits of an index.
    """
    is_hit, is_first = np.empty(keys.size, dtype=bool), np.ones(keys.size + 1, dtype=bool)
    for start in range(0, keys.size, BLOCK):
        block = keys[start : start + BLOCK + 1]  # one key more, the first of the next block
        if index_bits:
            block = block >> index_bits
        np.equal(block[:BLOCK].astype(np.uint8) & 1, 0, out=is_hit[start : start + BLOCK])
        scores = block >> 1
        np.not_equal(scores[1:], scores[:-1], out=is_first[start + 1 : start + block.size])
    is_first[offsets] = True
    return is_hit, is_first


def make_points_from_counts(
    positives: Array,
    total: Array,
    rows: Array | None,
    has_whole_weights: bool,
    offsets: Array | None = None,
) -> Points:
    """Return the points of rankings, by default of one, from counts or masses at falling scores."""
    if offsets is None:
        offsets = np.array([0, total.size])
    above, n_samples = _sum_before(total, offsets)
    hits_above, n_positives = _sum_before(positives, offsets)
    points = Points(positives, total, hits_above, above, offsets, n_positives, n_samples, n_samples)
    if rows is None:
        return points
    rows_above, n_rows = _sum_before(rows, offsets)
    return points._replace(
        rows=rows,
        rows_above=rows_above,
        n_rows=n_rows,
        has_whole_weights=np.full(offsets.size - 1, has_whole_weights),
    )


def _subtract_start(values: Array, start: Array, offsets: Array) -> Array:
    """Subtract the start of each ranking from its values, in place."""
    if offsets.size > 2:
        values -= np.repeat(start[:-1], offsets[1:] - offsets[:-1])
    return values


def _add_between(values: Array, start: Array, size: Array) -> Array:
    """Add up so many values, from each start on."""
    # This is [values[first : first + n].sum() for first, n in zip(start, size)], without the loop.
    sums = values.take(start, mode="clip")  # those of size 0 may start at the end
    sums[size == 0] = 0
    several = np.flatnonzero(size > 1)
    if several.size:
        edges = np.stack([start[several], start[several] + size[several]], axis=1)
        # `reduceat` adds up from each edge to the next one, so every second sum is a gap.
        sums[several] = np.add.reduceat(np.append(values, 0), edges.ravel())[::2]
    return sums


def _sum_before(values: Array, offsets: Array) -> tuple[Array, Array]:
    """Return the sum of the values of earlier points in the ranking, and of all of its points."""
    if values.dtype.kind == "f" and offsets.size > 2:
        # One running sum over all rankings would carry its rounding errors from each to the next.
        running = accumulate(np.add, values, offsets)
        before, sums = np.zeros(values.size), np.zeros(offsets.size - 1)
        before[1:] = running[:-1]
        has_points = np.diff(offsets) > 0
        before[offsets[:-1][has_points]] = 0
        sums[has_points] = running[offsets[1:][has_points] - 1]
        return before, sums
    running = np.zeros(values.size + 1, dtype=values.dtype)
    np.cumsum(values, out=running[1:])
    start = running[offsets]
    return _subtract_start(running[:-1], start, offsets), start[1:] - start[:-1]


def find_distinct(values: Array) -> Array:
    """Return the distinct values, sorted, in half the time of `np.unique` with counts.

    Without counts, NumPy 2.3 looks up integers in a table, which can take 100 times as long. Here,
    integers are only marked in a table, if it's no larger than a copy of them.
    """
    if values.dtype.kind in "iu" and values.size:
        low = values.min()
        n_between = int(values.max()) - int(low) + 1
        if n_between <= values.nbytes:
            is_there = np.zeros(n_between, dtype=bool)
            is_there[np.subtract(values, low, dtype=np.int64, casting="unsafe")] = True
            return np.asarray(low + np.flatnonzero(is_there).astype(values.dtype))
    ordered = np.sort(values, axis=None)
    is_new = np.ones(ordered.size, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered.take(np.flatnonzero(is_new))


def are_whole(numbers: Array) -> bool:
    return numbers.dtype.kind in "bui" or np.array_equal(numbers, np.rint(numbers))


def accumulate(operation: np.ufunc, values: Array, offsets: Array) -> Array:
    """Accumulate the values of each ranking, long ones in turn, and short ones by doubling."""
    if offsets.size == 2:
        return operation.accumulate(values)
    values, n_points = values.copy(), np.diff(offsets)
    is_long = n_points > 64
    for start, end in zip(offsets[:-1][is_long], offsets[1:][is_long], strict=True):
        operation.accumulate(values[start:end], out=values[start:end])
    if is_long.all():
        return values
    place = np.arange(values.size) - np.repeat(offsets[:-1], n_points)
    place[np.repeat(is_long, n_points)] = 0
    step = 1
    # Each value covers the last `step` points of its ranking, or all if there are fewer.
    while (here := np.flatnonzero(place >= step)).size:
        values[here] = operation(values[here], values[here - step])
        step *= 2
    return values


# --- sorted samples -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SortedSamples:
    """Samples from the highest score down, separately in each ranking."""

    order: Array  # the index of each sample, unless nobody asks
    is_hit: Array  # whether a sample is positive
    is_first: Array  # whether a sample has another score than the one before; and the end of all
    offsets: Array  # the first sample of each ranking, and the end of all

    @classmethod
    def sort(
        cls,
        positive: Array,
        scores: Array,
        group_codes: Array | None = None,
        n_groups: int = 1,
        needs_order: bool = True,
    ) -> Self:
        """Sort samples. Without groups, an order that nobody needs takes half of the time."""
        keys = pack(positive, scores)
        if scores.ndim == 2:
            offsets = np.arange(len(scores) + 1) * scores.shape[1]
        elif group_codes is None:
            offsets = np.array([0, scores.size])
        else:
            offsets = np.append(0, np.cumsum(np.bincount(group_codes, minlength=n_groups)))
        if needs_order or group_codes is not None:
            return cls(*sort_with_order(keys, offsets, group_codes), offsets)
        keys.sort(axis=-1)
        return cls(np.empty(0, np.int64), *mark(keys.ravel(), offsets), offsets)

    def take_rankings(self, rankings: slice) -> Self:
        """Return the samples of some rankings, which are next to one another."""
        offsets = self.offsets[rankings.start : rankings.stop + 1]
        return self._take(slice(offsets[0], offsets[-1]), offsets - offsets[0])

    def take_top(self, n_top: Array) -> Self:
        """Return the first samples of each ranking, as many as `n_top` says, with all that are tied
        with the last one.
        """
        end = np.minimum(self.offsets[:-1] + n_top, self.offsets[1:])
        end = np.array([place + int(np.argmax(self.is_first[place:])) for place in end])
        places = np.concatenate([*map(np.arange, self.offsets[:-1], end)])
        return self._take(places, np.append(0, np.cumsum(end - self.offsets[:-1])))

    def _take(self, places: Array | slice, offsets: Array) -> Self:
        """Return some samples, which begin new rankings at these offsets."""
        is_first = np.append(self.is_first[places], True)
        return type(self)(self.order[places], self.is_hit[places], is_first, offsets)

    @cached_property
    def score_starts(self) -> Array:
        """Where each distinct score begins among the samples of its ranking."""
        return np.flatnonzero(self.is_first[:-1])

    @cached_property
    def score_offsets(self) -> Array:
        """Where rankings begin among the distinct scores, and the end of all."""
        return np.searchsorted(self.score_starts, self.offsets)

    @cached_property
    def n_tied(self) -> Array:
        """How many samples have each distinct score: n_i."""
        return np.diff(self.score_starts, append=self.is_hit.size)

    @cached_property
    def n_hits(self) -> Array:
        """How many samples of each ranking are positive."""
        if self.offsets.size == 2:
            return np.count_nonzero(self.is_hit, keepdims=True)
        return reduce_rankings(np.add, self.is_hit.astype(np.int64), self.offsets)

    @property
    def has_ties(self) -> bool:
        return not self.is_first.all()

    @cached_property
    def scores_with_hits(self) -> Array:
        """The indices of the distinct scores that positives have."""
        if not self.has_ties:
            return np.flatnonzero(self.is_hit)
        return np.flatnonzero(np.logical_or.reduceat(self.is_hit, self.score_starts))

    def build_points(
        self, weight: Array | None, every_point: bool, gains: Array | None = None
    ) -> Points:
        """Return the points that have positives, or every point.

        Without weights, samples may gain something else than 1.
        """
        is_hit, is_first, sample_offsets = self.is_hit, self.is_first, self.offsets
        # Where points start, and how many positives and samples they have. In a point, positives
        # come first.
        if every_point:
            first = np.flatnonzero(is_first)
            start, n_tied = first[:-1], np.diff(first)
            n_before = np.zeros(first[-1] + 1, dtype=np.int64)  # a running sum, as all are whole
            np.cumsum(is_hit, out=n_before[1:])
            n_hits = np.diff(n_before.take(first))
        elif is_first.all():  # no samples are tied
            start = np.flatnonzero(is_hit)
            n_hits = n_tied = np.broadcast_to(np.int64(1), start.size)
        else:
            hits = np.flatnonzero(is_hit)
            place = np.flatnonzero(is_first[hits])  # index of the first positive of each point
            start, n_hits = hits[place], np.diff(place, append=hits.size)
            end = start + n_hits
            if not is_first[end].all():  # negatives are tied with positives
                first = np.flatnonzero(is_first)
                end = first.take(1 + np.flatnonzero(is_hit.take(first[:-1])))
            n_tied = np.subtract(end, start, out=end)

        offsets = np.searchsorted(start, sample_offsets)
        n_rows = sample_offsets[1:] - sample_offsets[:-1]
        if weight is None:
            hits = n_hits
            if gains is not None:
                hits = _add_between(gains.take(self.order), start, n_hits)
            hits_above, n_positives = _sum_before(hits, offsets)
            above = _subtract_start(start, sample_offsets, offsets)
            return Points(hits, n_tied, hits_above, above, offsets, n_positives, n_rows, n_rows)

        weight, has_whole_weights = weight.take(self.order), None
        if weight.dtype.kind == "f":
            is_split = weight != np.rint(weight)
            has_whole_weights = ~reduce_rankings(np.logical_or, is_split, sample_offsets)
        # Positives and negatives are added up apart, so that no precision is rounded to above 1.
        hits = _add_between(weight, start, n_hits)
        hits_above, n_positives = _sum_before(hits, offsets)
        samples, n_negatives_tied = hits, n_tied - n_hits
        if n_negatives_tied.any():
            samples = hits + _add_between(weight, start + n_hits, n_negatives_tied)
        weight *= ~is_hit
        negatives_above, n_negatives = _sum_before(weight, sample_offsets)
        return Points(
            hits=hits,
            samples=samples,
            hits_above=hits_above,
            samples_above=hits_above + negatives_above[start],
            offsets=offsets,
            n_positives=n_positives,
            mass=n_positives + n_negatives,
            n_rows=n_rows,
            rows=n_tied,
            rows_above=_subtract_start(start, sample_offsets, offsets),
            has_whole_weights=has_whole_weights,
        )
