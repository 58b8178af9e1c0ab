"""How k cuts a ranking, and what stands in the denominator of AP@k.

This is the one place that knows what k means: a number of samples or a share of them, counted by
their weights or by rows. Rules ask it for the first k samples, engines for how far they must read.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from numbers import Integral
from typing import NamedTuple

import numpy as np

from .operating_points import OperatingPoints
from .segments import Array, spread, sums

K_COUNTS = ("samples", "weight")


class _Default(str):
    """What `k_counts` is if nobody says what k counts."""

    __slots__ = ()


DEFAULT_COUNTS = _Default("weight")

# Past this a cut-off changes nothing, and larger integers would not fit the arithmetic.
_ENDLESS = 2**62


def as_fraction(number: float) -> Fraction:
    """A number as it is written: 0.07 is seven hundredths."""
    return Fraction(str(number))


@dataclass(frozen=True, slots=True)
class Cut:
    """The first k samples of a ranking.

    An integer k counts, and any other is a share of each ranking. `counts` says what is counted:
    "weight", which without weights is samples, or "samples" whatever they weigh.
    """

    k: float
    counts: str = DEFAULT_COUNTS

    @property
    def is_share(self) -> bool:
        return not isinstance(self.k, Integral)

    @property
    def by_rows(self) -> bool:
        return self.counts == "samples"

    @property
    def is_unsaid(self) -> bool:
        """Whether nobody said what k counts."""
        return isinstance(self.counts, _Default)

    def __str__(self) -> str:
        if not self.is_share:
            return str(int(self.k))
        share = as_fraction(self.k) * 100
        percent = Decimal(share.numerator) / share.denominator
        return f"{percent.normalize():f}%"

    def of(self, sizes: Array) -> Array:
        """How much k is of queries of these sizes.

        Of whole sizes it is the smallest whole number that is at least the share, and at least 1.
        """
        if not self.is_share:
            k = int(self.k)
            return np.full(sizes.shape, k if k <= _ENDLESS else float(min(k, 10**300)))
        share = as_fraction(self.k)
        if sizes.dtype.kind == "f":
            return np.where(sizes > 0, sizes * float(share), 1.0)
        distinct, place = np.unique(sizes, return_inverse=True)
        least = [max(ceil(size * share), 1) for size in distinct.tolist()]
        return np.array(least, dtype=np.int64)[place]


class Top(NamedTuple):
    """The first k samples of each query."""

    points: OperatingPoints  # one that k cuts through with its share
    hits: Array  # positives, one number a query
    k: Array  # how much k is, one number a query


def top(points: OperatingPoints, cut: Cut) -> Top:
    """The first k samples; a point that k cuts through enters with its share.

    The share has the precision of the whole point mixed in evenly: of the n samples at the point,
    k' lie inside k, and k'/n of its positives with them.
    """
    rows = points.rows if cut.by_rows else None
    if rows is None:
        at, above, end = points.total, points.above, points.cum_total
        k = cut.of(points.n_samples)
    else:
        at, above, end = rows.at, rows.above, rows.at + rows.above
        k = cut.of(rows.whole)
    reach = spread(k, points.offsets)
    # Whole points stay as they are, to the last digit of their weights.
    whole = end <= reach
    room = np.clip(reach - above, 0, at)
    share = room if rows is None else room * (points.total / at)
    kept = np.where(whole, points.total, share)
    positives = np.where(whole, points.positives, room * (points.positives / at))
    first = replace(
        points,
        positives=positives,
        total=kept,
        cum_positives=np.where(whole, points.cum_positives, points.found_above + positives),
        cum_total=np.where(whole, points.cum_total, points.above + kept),
    )
    if rows is not None:
        k = _mass(kept, points, k)
    return Top(first, sums(positives, points.offsets), k)


def _mass(kept: Array, points: OperatingPoints, k: Array) -> Array:
    """What the first k rows weigh. Rows that are missing weigh what the others do on average."""
    assert points.rows is not None
    missing = np.maximum(k - points.rows.whole, 0)
    mean = points.n_samples / np.maximum(points.rows.whole, 1)
    return np.where(points.rows.whole > 0, sums(kept, points.offsets) + missing * mean, k)


def reached(points: OperatingPoints, cut: Cut) -> OperatingPoints:
    """The points that the first k samples reach."""
    above, k = reach(points, cut)
    return points.take(np.flatnonzero(above < k))


def reach(points: OperatingPoints, cut: Cut) -> tuple[Array, Array]:
    """What lies above each point, and how much k is in its query."""
    rows = points.rows if cut.by_rows else None
    above, sizes = (points.above, points.n_samples) if rows is None else (rows.above, rows.whole)
    return above, spread(cut.of(sizes), points.offsets)


def _least(k: Array, n_positives: Array, hits: Array) -> Array:
    return np.minimum(k, n_positives)


def _relevant(k: Array, n_positives: Array, hits: Array) -> Array:
    return n_positives


def _k(k: Array, n_positives: Array, hits: Array) -> Array:
    return np.where(n_positives > 0, k, 0)


def _hits(k: Array, n_positives: Array, hits: Array) -> Array:
    # Positives that exist but are not found make a 0, not a 0/0.
    return np.where(hits > 0, hits, n_positives)


# What the precisions at the positives within k are summed up against; 0 where it is undefined.
DENOMINATORS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "min": _least,
    "relevant": _relevant,
    "k": _k,
    "hits": _hits,
}
