"""Fewer bins: which neighbours to put together when there are too many scores to keep."""

from collections.abc import Callable

import numpy as np

from .segments import Array, previous
from .tallies import Tally
from .ties import worst_precision


def collapse(tally: Tally, n_bins: int, cost: Callable[[Tally, Array], Array]) -> Tally:
    """At most n_bins bins: neighbours are joined where it costs least.

    Only the two halves of a dyadic interval of the scores' keys are ever joined. Of any two such
    intervals one holds the other or they are apart, whatever the data, so that tallies that were
    collapsed apart from each other fit together.
    """
    while tally.size > n_bins:
        pair = np.flatnonzero(_are_halves(tally))
        wanted = min(tally.size - n_bins, pair.size // 2 + 1)
        if wanted < pair.size:
            pair = pair[np.argpartition(cost(tally, pair), wanted)[:wanted]]
        start = np.ones(tally.size, dtype=bool)
        start[pair + 1] = False
        tally = tally.join(np.flatnonzero(start))
    return tally


def positives(tally: Tally, pair: Array) -> Array:
    """The positives that bins `pair` and `pair + 1` hold together."""
    return np.asarray(tally.positives[pair] + tally.positives[pair + 1])


def doubt(tally: Tally, pair: Array) -> Array:
    """How much of the average precision is in doubt if bins `pair` and `pair + 1` are joined, and
    one more positive comes to be there.
    """
    positives, negatives = tally.positives.astype(float), tally.negatives.astype(float)
    lightest = positives[positives > 0].min(initial=1.0)
    p = positives[pair] + positives[pair + 1] + lightest
    n = negatives[pair] + negatives[pair + 1]
    found, missed = _above(positives)[pair + 1], _above(negatives)[pair + 1]
    best = (found + p) / (found + p + missed)
    return np.asarray(p * (best - worst_precision(p, found, found + missed + n)))


def quantiles(tally: Tally, n_bins: int) -> Tally:
    """Bins that hold at most 1/n_bins of the positives each, or else a single bin as it was.

    There are fewer than 2 n_bins of them: slices of equal mass, and what lies across their edges.
    """
    end = np.cumsum(tally.positives.astype(float))
    # Multiplied first: a quotient that is whole then comes out whole.
    first = np.floor((end - tally.positives) * n_bins / end[-1])
    last = np.ceil(end * n_bins / end[-1]) - 1
    alone = first < last
    start = (first != previous(first, np.array([0, first.size]))) | alone
    start[1:] |= alone[:-1]
    start[0] = True
    return tally.join(np.flatnonzero(start))


def _are_halves(tally: Tally) -> Array:
    """Whether each bin makes a dyadic interval with the next, and neither does with another."""
    low, high = _keys(tally.low), _keys(tally.high)
    span = np.full(tally.size + 1, np.iinfo(np.uint64).max)
    span[1:-1] = low[:-1] ^ high[1:]
    return np.asarray((span[1:-1] < span[:-2]) & (span[1:-1] <= span[2:]))


def _keys(scores: Array) -> Array:
    """Unsigned integers in the order of the scores; scores beyond 64 bits may share one."""
    kind = scores.dtype.kind
    if kind in "bu":
        return scores.astype(np.uint64)
    sign = np.uint64(2**63)
    if kind in "imM":
        return scores.astype(np.int64).view(np.uint64) ^ sign
    bits = (scores.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 has bits of its own
    return np.where(bits & sign, ~bits, bits | sign)


def _above(mass: Array) -> Array:
    """The mass in better bins."""
    return np.append(np.cumsum(mass[:0:-1])[::-1], 0.0)
