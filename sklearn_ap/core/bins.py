"""Reduction of bins: which neighbors to join if there are too many scores to keep."""

from dataclasses import replace
from typing import Any

import numpy as np

from .segments import Array
from .tallies import Tally
from .ties import worst_precision


def collapse(tally: Tally, n_bins: int) -> Tally:
    """Reduce a tally to at most n_bins bins, by joining neighbors where this matters least.

    Only the two halves of a dyadic interval of keys are ever joined. For any data, two such
    intervals are either nested or disjoint, so tallies that were collapsed separately can be
    merged.
    """
    while tally.size > n_bins:
        pair = np.flatnonzero(_are_halves(tally))
        wanted = min(tally.size - n_bins, pair.size // 2 + 1)
        if wanted < pair.size:
            pair = pair[np.argpartition(_doubt(tally, pair), wanted)[:wanted]]
        start = np.ones(tally.size, dtype=bool)
        start[pair + 1] = False
        tally = tally.join(np.flatnonzero(start))
    return tally


def quantiles(tally: Tally, n_slices: int) -> Tally:
    """Join scores into quantiles of the positives.

    Each remaining score has the positives from there down to the next one, which are at most
    1/n_slices of all positives, or those of a single score. Fewer than 2 n_slices scores remain:
    the highest of each slice, and those that cross the edge of a slice.
    """
    if not tally.size:
        return tally
    end = np.cumsum(tally.positives.astype(float))
    end = np.ldexp(end, -np.frexp(end[-1])[1])  # masses can be close to the largest float
    # Multiply first, so that a quotient that is an integer is exact.
    slices = end * n_slices / end[-1]
    first, last = np.floor(np.append(0.0, slices[:-1])), np.ceil(slices) - 1
    across = first < last
    start = np.append(True, (first[1:] != first[:-1]) | across[1:])
    joined = tally.join(np.flatnonzero(start))
    return replace(joined, low=joined.high)


def _are_halves(tally: Tally) -> Array:
    """Whether each bin and the next are the halves of a dyadic interval without other bins."""
    span = _keys(tally.low)[:-1] ^ _keys(tally.high)[1:]
    closer = span[1:] < span[:-1]
    return np.asarray(np.append(True, closer) & np.append(~closer, True))


def _keys(scores: Array) -> Array:
    """Map scores to unsigned integers in the same order. Scores beyond 64 bits can share one."""
    kind = scores.dtype.kind
    if kind in "bu":
        return scores.astype(np.uint64)
    sign = np.uint64(2**63)
    if kind in "imM":
        return scores.astype(np.int64).view(np.uint64) ^ sign
    if kind == "O":
        scores = np.array([_nearest_float(score) for score in scores])
    bits = scores.astype(np.float64).view(np.uint64)
    return np.where(bits & sign, ~bits, bits | sign)


def _nearest_float(score: Any) -> float:
    try:
        return float(score)
    except OverflowError:
        return np.inf if score > 0 else -np.inf


def _doubt(tally: Tally, pair: Array) -> Array:
    """Estimate the uncertainty of average precision if bins `pair` and `pair + 1` were joined.

    One more positive is assumed in the joined bin.
    """
    positives, negatives = tally.positives.astype(float), tally.negatives.astype(float)
    lightest = positives[positives > 0].min(initial=1.0)
    p = positives[pair] + positives[pair + 1] + lightest
    n = negatives[pair] + negatives[pair + 1]
    found, missed = _above(positives)[pair + 1], _above(negatives)[pair + 1]
    best = (found + p) / (found + p + missed)
    return np.asarray(p * (best - worst_precision(p, found, found + missed + n)))


def _above(mass: Array) -> Array:
    """Return the mass in higher bins."""
    return np.append(np.cumsum(mass[:0:-1])[::-1], 0.0)
