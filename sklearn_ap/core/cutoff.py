"""How k cuts a ranking, and what stands in the denominator of AP@k."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .operating_points import OperatingPoints
from .segments import Array, sums

# Past this a cut-off changes nothing; larger Python integers would not fit the arithmetic.
_ENDLESS = 2**62


def cut(points: OperatingPoints, k: int) -> OperatingPoints:
    """The first k samples; a point that k cuts through enters with its share.

    The share has the precision of the whole point mixed in evenly: of the n samples at the point,
    k' lie inside k, and k'/n of its positives with them.
    """
    k = min(k, _ENDLESS)
    # Whole points stay as they are, to the last digit of their weights.
    whole = points.cum_total <= k
    kept = np.where(whole, points.total, np.clip(k - points.above, 0, points.total))
    positives = np.where(whole, points.positives, kept * (points.positives / points.total))
    return replace(
        points,
        positives=positives,
        total=kept,
        cum_positives=np.where(whole, points.cum_positives, points.found_above + positives),
        cum_total=np.where(whole, points.cum_total, points.above + kept),
    )


def hits(points: OperatingPoints, k: int) -> Array:
    """Positives among the first k samples of each query."""
    top = cut(points, k)
    return sums(top.positives, top.offsets)


def as_float(k: int) -> float:
    return float(min(k, 10**300))


def _least(k: int, n_positives: Array, hits: Array) -> Array:
    return np.minimum(as_float(k), n_positives)


def _relevant(k: int, n_positives: Array, hits: Array) -> Array:
    return n_positives


def _k(k: int, n_positives: Array, hits: Array) -> Array:
    return np.where(n_positives > 0, as_float(k), 0.0)


def _hits(k: int, n_positives: Array, hits: Array) -> Array:
    # Positives that exist but are not found make a 0, not a 0/0.
    return np.where(hits > 0, hits, n_positives)


# What the precisions at the positives within k are summed up against; 0 where it is undefined.
DENOMINATORS: dict[str, Callable[[int, Array, Array], Array]] = {
    "min": _least,
    "relevant": _relevant,
    "k": _k,
    "hits": _hits,
}
