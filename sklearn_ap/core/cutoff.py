"""The cutoff k, the denominators of AP@k, and the points that reach a recall or a precision.

This is the only module that defines what k means: a number of samples or a fraction of them,
counted by weight or by rows. Rules ask it for the top k samples, and engines for how much they have
to read.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .operating_points import OperatingPoints
from .ragged import Array, divide_safely, repeat_values, sum_rankings
from .tolerances import MAX_EXACT_INTEGER


class _Default(str):
    """Value of `k_counts` if the caller did not pass it."""

    __slots__ = ()


DEFAULT_COUNTS: Any = _Default("weight")

# Larger cutoffs have the same effect, and would overflow.
_MAX_CUTOFF = 2**62


@lru_cache(typed=True)
def as_fraction(number: float) -> Fraction:
    """Convert a number as it is written, so that 0.07 is seven hundredths."""
    return Fraction(str(number))


def format_decimal(number: float) -> str:
    """Write a number without an exponent, which names don't have."""
    text = str(number)
    return f"{Decimal(text):f}" if "e" in text else text


@dataclass(frozen=True, slots=True)
class Cut:
    """A cutoff after the top k samples.

    An integer k is a count, and any other number is a fraction of each ranking. `counts` tells what
    is counted: "weight", which means samples if there are no weights, or "samples" regardless of
    their weights.
    """

    k: float
    counts: str = DEFAULT_COUNTS

    @property
    def is_share(self) -> bool:
        return not isinstance(self.k, Integral)

    @property
    def counts_rows(self) -> bool:
        return self.counts == "samples"

    @property
    def has_default_counts(self) -> bool:
        """Whether the caller did not pass `k_counts`."""
        return isinstance(self.counts, _Default)

    def __str__(self) -> str:
        if not self.is_share:
            return str(int(self.k))
        share = as_fraction(self.k) * 100
        percent = Decimal(share.numerator) / share.denominator
        return f"{percent.normalize():f}%"

    def compute_k(self, sizes: Array, are_integers: Array | None = None) -> Array:
        """Compute k for rankings of these sizes.

        If sizes are integers, a fraction is the smallest integer that is at least as large, and at
        least 1. The same holds for rankings for which `are_integers` is true, even if the sizes of
        others are floats.
        """
        if not self.is_share:
            k = int(self.k)
            return np.full(sizes.shape, k if k <= _MAX_CUTOFF else float(min(k, 10**300)))
        share = as_fraction(self.k)
        if sizes.dtype.kind != "f":
            return _round_up(share, sizes)
        masses = np.where(sizes > 0, sizes * float(share), 1.0)
        if are_integers is not None:
            counts = are_integers & (sizes < MAX_EXACT_INTEGER)
            masses[counts] = _round_up(share, sizes[counts].astype(np.int64))
        return masses


def _round_up(share: Fraction, sizes: Array) -> Array:
    numerator, denominator = share.numerator, share.denominator
    is_small = max(int(sizes.max(initial=1)) * numerator, denominator) < 2**63
    exact = sizes if is_small else sizes.astype(object)
    least: Array = -(-exact * numerator // denominator)
    return np.maximum(least, 1).astype(np.int64)


ALL_MASS_CUT = Cut(1.0)  # what points need to know for any share by weight
ALL_ROWS_CUT = Cut(1.0, "samples")  # what points need to know for any cutoff


def needs_every_point(cut: Cut | None, weighted: bool) -> bool:
    """Whether a rule with this cutoff needs the points without positives, too.

    This is so if k counts rows of weighted samples, because only masses are known between points.
    """
    return weighted and cut is not None and cut.counts_rows


class Top(NamedTuple):
    """The top k samples of each ranking."""

    points: OperatingPoints  # a point split by the cutoff counts in proportion
    hits: Array  # positives, one number per ranking
    k: Array  # k, one number per ranking


def select_top(points: OperatingPoints, cut: Cut) -> Top:
    """Select the top k samples. A point that is split by the cutoff counts in proportion.

    Its positives are assumed to be spread evenly: if k' of the n samples at the point are in the
    top k, so are k'/n of its positives. If k counts rows, the result has their weight as k.
    """
    rows = points.rows if cut.counts_rows else None
    if rows is None:
        return select_first_mass(points, cut.compute_k(points.n_samples, points.are_integers))
    k = cut.compute_k(rows.n_rows)
    first = _split_points(points, k, rows.at, rows.above, rows.at + rows.above)
    # Rows that a ranking lacks have the mean weight of its rows, or of those of all rankings.
    usual = float(points.n_samples.sum() / max(rows.n_rows.sum(), 1)) or 1.0
    mean_weight = divide_safely(points.n_samples, rows.n_rows, usual)
    lacking = np.maximum(k - rows.n_rows, 0) * mean_weight
    mass = sum_rankings(first.points.total, points.offsets) + lacking
    return first._replace(k=mass)


def select_first_mass(points: OperatingPoints, k: Array) -> Top:
    """Select the samples within the first mass k, which has one number per ranking."""
    return _split_points(points, k, points.total, points.above, points.cum_total)


def _split_points(points: OperatingPoints, k: Array, at: Array, above: Array, end: Array) -> Top:
    """Split points where k is reached, which is counted as the amounts at and above each point."""
    reach = repeat_values(k, points.offsets)
    # Whole points are left unchanged, to the last digit of their weights.
    is_inside = end <= reach
    room = np.clip(reach - above, 0, at)
    split_total = room if at is points.total else room * (points.total / at)
    total = np.where(is_inside, points.total, split_total)
    positives = np.where(is_inside, points.positives, room * (points.positives / at))
    first = points._replace(
        positives=positives,
        total=total,
        cum_positives=np.where(is_inside, points.cum_positives, points.positives_above + positives),
        cum_total=np.where(is_inside, points.cum_total, points.above + total),
    )
    return Top(first, sum_rankings(positives, points.offsets), k)


def select_reached(points: OperatingPoints, cut: Cut) -> OperatingPoints:
    """Select the points that the top k samples reach."""
    above, k = count_above(points, cut)
    return points.take(np.flatnonzero(above < k))


def count_above(points: OperatingPoints, cut: Cut) -> tuple[Array, Array]:
    """Return how much is above each point, and k in its ranking."""
    rows = points.rows if cut.counts_rows else None
    if rows is None:
        k = cut.compute_k(points.n_samples, points.are_integers)
        return points.above, repeat_values(k, points.offsets)
    return rows.above, repeat_values(cut.compute_k(rows.n_rows), points.offsets)


# Denominators of the sum of precisions in the top k; 0 if the value is undefined.
DENOMINATORS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "min": lambda k, n_positives, hits: np.minimum(k, n_positives),
    "relevant": lambda k, n_positives, hits: n_positives,
    "k": lambda k, n_positives, hits: np.where(n_positives > 0, k, 0),
    # If positives exist but are not in the top k, the value is 0 rather than 0/0.
    "hits": lambda k, n_positives, hits: np.where(hits > 0, hits, n_positives),
}


# --- shares that a point reaches, which are taken as the decimal that was written ----------------


def count_levels(points: OperatingPoints, n_points: int) -> Array:
    """Count how many of the recalls 0, 1/(n_points-1), ..., 1 are reached at each point."""
    hits, n_positives = points.cum_positives, repeat_values(points.n_positives, points.offsets)
    if hits.dtype.kind in "iu" and n_positives.dtype.kind in "iu":
        if points.n_positives.max(initial=0) >= 2**62 // n_points:
            hits = hits.astype(object)  # Python's integers do not overflow
        levels = hits * (n_points - 1)
        levels //= n_positives
    else:
        recall = np.minimum(hits / n_positives * compute_rounding_factors(points), 1.0)
        levels = np.floor(recall * (n_points - 1))
    levels = levels.astype(np.int64, copy=False)
    levels += 1
    return np.asarray(levels)


def has_reached(part: Array, whole: Array, share: float, points: OperatingPoints) -> Array:
    """Whether part/whole is at least a share, which is taken as the decimal that was written."""
    least, whole = as_fraction(share), np.broadcast_to(whole, part.shape)
    quotient, rounded = divide_safely(part, whole), float(least)  # recall is 0/0 without positives
    if "f" in (part.dtype.kind, whole.dtype.kind):
        return np.asarray(quotient * compute_rounding_factors(points) >= rounded)
    is_reached = np.asarray(quotient > rounded)
    # Quotients of integers are rounded once, so only those that round to the share are undecided.
    open_ = np.flatnonzero(quotient == rounded)
    part, whole = part[open_], whole[open_]
    if least.denominator * int(whole.max(initial=1)) >= 2**62:
        part, whole = part.astype(object), whole.astype(object)
    is_reached[open_] = part * least.denominator >= whole * least.numerator
    return is_reached


def compute_rounding_factors(points: OperatingPoints) -> Array:
    """Return factors that make up for rounding errors in sums of fractional weights."""
    n_terms = repeat_values(np.diff(points.offsets), points.offsets) + 8
    return np.asarray(1 + 2 * np.finfo(float).eps * n_terms)
