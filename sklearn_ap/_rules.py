"""What each definition computes from operating points.

A rule is a definition with its options, as one frozen value. `values` returns one number for each
ranking, nan for 0/0. The fields of a rule are the options of its metric. To add a definition, write
one class here, and a function in metrics.py.
"""

from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from ._checks import check
from ._data import Rankings
from ._points import Array, Points, rank

_FEW_LEVELS = 1000  # of recall, which are looked up among the points
_MAX_K = 2**62  # larger cutoffs and numbers of levels have the same effect, and would overflow


def get_fields(rule: Any) -> tuple[Field[Any], ...]:
    """Return the options of a rule or its class. `fields` refuses Rule, which is no dataclass."""
    return fields(rule)


class Rule:
    """Base class of definitions, which are frozen dataclasses, whose fields are their options.

    It isn't a dataclass itself, so that only the rules that declare them have the options below.
    """

    names: ClassVar[tuple[str, ...]]  # of the metric, with "#" for its number; the first are ours
    number: ClassVar[str | None] = None  # the option that is the number in names
    takes_weights: bool = True
    ties: str = "grouped"
    k: float | None = None
    k_counts: str | None = None
    grid: str = "exact"
    greater_is_better: bool = True
    limits: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        for option in get_fields(self):
            value = getattr(self, option.name)
            if value is not None or option.default is not None:  # None is allowed as a default
                check(**{option.name: value})

    @classmethod
    def list_options(cls) -> list[str]:
        return [option.name for option in get_fields(cls)]

    @classmethod
    def get_default_number(cls) -> Any:
        """Return the default of the option that is the number in names, MISSING if it has none."""
        return next(option.default for option in get_fields(cls) if option.name == cls.number)

    @property
    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.list_options()}

    def list_chosen(self) -> dict[str, Any]:
        """Return the options that don't have their usual value."""
        usual = {option.name: option.default for option in get_fields(self)}
        return {name: value for name, value in self.options.items() if value != usual[name]}

    @property
    def needs_every_point(self) -> bool:
        """Whether points without positives matter, as for the mean weight of samples."""
        return self.k_counts == "samples"

    def compute_cutoffs(self, points: Points) -> Array:
        """Return what k is in each ranking."""
        assert self.k is not None
        sizes = points.n_rows if self.k_counts == "samples" else points.mass
        return compute_k(self.k, sizes, points.has_whole_weights)


class PointRule(Rule):
    """Base class of definitions that are computed from operating points."""

    def values(self, points: Points) -> Array:
        """Return the value of each ranking, nan for 0/0."""
        raise NotImplementedError


class RowRule(Rule):
    """Base class of definitions that need the labels or grades of all samples."""

    takes_weights = False

    def values(self, rankings: Rankings) -> Array:
        """Return the value of each ranking, nan for 0/0."""
        raise NotImplementedError


def divide(part: Array, whole: Array) -> Array:
    """Divide, with nan for 0/0, and without quotients above 1 from rounding."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.minimum(part / whole, 1.0))


def compute_area(points: Points, width: Array, height: Array, whole: Array) -> Array:
    """Compute sum width * height / whole in each ranking. `height` is overwritten."""
    return divide(points.sum(np.multiply(width, height, out=height)), whole)


# --- average precision ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Step(PointRule):
    """Average precision, sum r_i/R p_i"""

    ties: str = "grouped"
    names = ("average_precision", "AP", "step", "step AP")

    def values(self, points: Points) -> Array:
        if self.ties == "expected":
            height = compute_expected_precision(points, None)
        else:
            points = break_ties(points, self.ties)
            height = points.precision
        return compute_area(points, points.hits, height, points.n_positives)


@dataclass(frozen=True)
class Interpolated(PointRule):
    """Interpolated average precision, sum r_i/R max_(j >= i) p_j

    With `n_points` = N, it is 1/N sum_l max_j p_j, where T_j/R >= l/(N-1), and l = 0, ..., N-1.
    """

    n_points: int | None = None
    grid: str = "exact"
    ties: str = "grouped"
    names = (
        "interpolated_average_precision",
        "envelope",
        "envelope AP",
        "all-point AP",
        "VOC2010",
        "VOC2012",
        "#_point_average_precision",
        "#-point",
        "#-point AP",
        "#-point interpolated AP",
    )
    number = "n_points"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grid == "float" and self.n_points is None:
            raise ValueError("grid='float' is about recall levels: pass their number as n_points.")
        if self.ties == "expected":
            raise ValueError("ties='expected' has no formula for interpolated precision.")

    def values(self, points: Points) -> Array:
        points = break_ties(points, self.ties)
        height = points.maximum_from_here(points.precision)
        if self.n_points is None:
            return compute_area(points, points.hits, height, points.n_positives)
        is_counted = points.n_rankings == 1 and points.tied_rows is None  # without weights
        if is_counted and self.grid == "exact" and self.n_points <= _FEW_LEVELS:
            return self._average_few_levels(points, height)
        reached = self.count_reached_levels(points)
        n_levels = np.diff(reached, prepend=0)  # that a point reaches first
        starts = points.offsets[:-1][np.diff(points.offsets) > 0]
        n_levels[starts] = reached[starts]
        whole = np.where(points.n_positives > 0, min(int(self.n_points), _MAX_K), 0)
        return compute_area(points, n_levels, height, whole)

    def _average_few_levels(self, points: Points, height: Array) -> Array:
        """Average the heights of one ranking at the points that reach levels first."""
        assert self.n_points is not None
        n, n_positives = int(self.n_points), int(points.n_positives[0])
        hits = [-(-level * n_positives // (n - 1)) for level in range(n)]  # T_j >= l R/(N-1)
        first = np.searchsorted(points.cum_hits, hits)
        reached = height.take(first[first < height.size])  # others are beyond all found positives
        return divide(reached.sum(keepdims=True), np.array([n if n_positives else 0]))

    def count_reached_levels(self, points: Points) -> Array:
        """Count the levels 0, 1/(N-1), ..., 1 that the recall at each point reaches."""
        assert self.n_points is not None
        exist = points.repeat(points.n_positives)
        if self.grid == "float":
            levels = np.linspace(0, 1, self.n_points)  # of which 0.7 is 0.7000000000000001
            recall = points.cum_hits / np.maximum(exist, 1e-300)
            return np.searchsorted(levels, recall, side="right")
        gaps = min(int(self.n_points), _MAX_K) - 1
        if points.hits.dtype.kind == exist.dtype.kind == "i":
            # T_j (N-1) >= l R, in integers of any size if 64 bits aren't enough
            hits = points.cum_hits
            if exist.max(initial=0) >= _MAX_K // gaps:
                hits = hits.astype(object)
            n_reached = hits * gaps // points.repeat(np.maximum(points.n_positives, 1))
            return np.asarray(n_reached.astype(np.int64) + 1)
        recall = points.cum_hits / np.maximum(exist, 1e-300) * points.rounding_factors
        n_reached = np.floor(np.minimum(recall, 1.0) * gaps) + 1
        return np.asarray(n_reached, dtype=np.int64)


@dataclass(frozen=True)
class Linear(PointRule):
    """Trapezoids through all points and (0, 1), sum r_i/R (p_i + T_{i-1}/N_{i-1})/2"""

    names = ("linear", "linear AP")

    def values(self, points: Points) -> Array:
        height = (points.precision_above + points.precision) / 2
        return compute_area(points, points.hits, height, points.n_positives)


# --- the top k ------------------------------------------------------------------------------------


@lru_cache
def as_fraction(number: float) -> Fraction:
    """Return a number as the decimal that was written, so that 0.07 is seven hundredths."""
    return Fraction(str(number))


def compute_k(k: float, sizes: Array, are_whole: Array | None = None) -> Array:
    """Return the number of samples, or their mass, that a cutoff means in rankings of these sizes.

    A fraction is rounded up to whole samples, unless weights aren't whole.
    """
    if isinstance(k, Integral):
        return np.full(sizes.size, min(int(k), _MAX_K))
    share = as_fraction(k)
    rounded_up = [
        max(-(-int(size) * share.numerator // share.denominator), 1) for size in sizes.tolist()
    ]
    whole = np.array(rounded_up, dtype=sizes.dtype)
    if sizes.dtype.kind != "f":
        return whole
    exact = np.where(sizes > 0, sizes * float(share), 1.0)
    return exact if are_whole is None else np.where(are_whole, whole, exact)


class Top:
    """The samples in the top k. A point that k cuts enters in proportion, k'/n_i."""

    def __init__(self, points: Points, k: Array, k_counts: str | None = None):
        size, above = points.tied, points.above
        counts_rows = k_counts == "samples" and points.tied_rows is not None
        if counts_rows:
            assert points.tied_rows is not None
            assert points.rows_above is not None
            size, above = points.tied_rows, points.rows_above
        part = np.clip(points.repeat(k) - above, 0, size) / size
        self.hits = points.hits * part  # h of each point
        self.n_hits = points.sum(self.hits)
        end = points.above + points.tied * part
        with np.errstate(invalid="ignore"):  # far below k, all terms are 0
            precision = (points.hits_above + self.hits) / end
        self.precision = np.where(part > 0, precision, 0.0)
        self.k = k
        if counts_rows:
            missing = np.maximum(k - points.n_rows, 0)
            self.k = points.sum(points.tied * part) + missing * _compute_mean_weight(points)


def _compute_mean_weight(points: Points) -> Array:
    """Return the mean weight of the rows in each ranking, or of all for a ranking without rows."""
    of_all = points.mass.sum() / max(points.n_rows.sum(), 1)
    mean_weight = np.full(points.n_rankings, of_all or 1.0)
    np.divide(points.mass, points.n_rows, out=mean_weight, where=points.n_rows > 0)
    return mean_weight


@dataclass(frozen=True)
class _TopK(PointRule):
    """Base class of rules that look at the top k."""

    k: float = field()  # without a default, which it would have from its base class
    ties: str = "grouped"
    k_counts: str | None = None
    number = "k"

    def take_top(self, points: Points) -> Top:
        k = self.compute_cutoffs(points)
        return Top(break_ties(points, self.ties), k, self.k_counts)


def choose_denominator(name: str, k: Array, n_positives: Array, n_hits: Array) -> Array:
    """Return what sums of the top k are divided by, 0 if the value is undefined."""
    if name == "min":
        return np.minimum(k, n_positives)
    if name == "k":
        return np.where(n_positives > 0, k, 0)
    if name == "hits":
        return np.where(n_hits > 0, n_hits, n_positives)
    if name == "relevant":
        return n_positives
    raise NotImplementedError(f"denominator={name!r}")  # which _checks.py allows


@dataclass(frozen=True)
class AveragePrecisionAtK(_TopK):
    """AP@k, the sum of h_i p_i over the points in the top k, divided by D.

    At a point that k cuts after k' of its samples, h = r_i k'/n_i, and p = (T_{i-1} + h)/k. D is
    min(k, R), R, k or the number of hits.
    """

    denominator: str = "min"
    names = ("average_precision_at_#", "average_precision_at_k", "AP@k", "AP@#")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.denominator == "hits" and self.ties not in ("grouped", "input"):
            raise ValueError("denominator='hits' is only defined for ties='grouped' or 'input'.")

    def values(self, points: Points) -> Array:
        k = self.compute_cutoffs(points)
        broken = break_ties(points, self.ties)
        top = Top(broken, k, self.k_counts)
        divisor = choose_denominator(self.denominator, top.k, points.n_positives, top.n_hits)
        if self.ties == "expected":
            height = compute_expected_precision(points, k)
            return compute_area(points, points.hits, height, divisor)
        return compute_area(broken, top.hits, top.precision, divisor)


@dataclass(frozen=True)
class PrecisionAtK(_TopK):
    """hits/k, where missing ranks are misses"""

    names = ("precision_at_#", "precision_at_k", "P@k", "P@#", "P #", "PPV@#")

    def values(self, points: Points) -> Array:
        top = self.take_top(points)
        return np.minimum(top.n_hits / top.k, 1.0)


@dataclass(frozen=True)
class RecallAtK(_TopK):
    """hits/R, or hits/min(k, R)"""

    denominator: str = "relevant"
    names = ("recall_at_#", "recall_at_k", "R@k", "R@#", "recall #")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.denominator not in ("relevant", "min"):
            raise ValueError(
                "The denominator of recall must be 'relevant' or 'min'. "
                f"Got {self.denominator!r} instead."
            )

    def values(self, points: Points) -> Array:
        top = self.take_top(points)
        divisor = choose_denominator(self.denominator, top.k, points.n_positives, top.n_hits)
        return divide(top.n_hits, divisor)


@dataclass(frozen=True)
class EnrichmentFactor(_TopK):
    """The lift, (hits/k) / (R/N)"""

    k: float = 0.01
    names = ("enrichment_factor_at_#", "enrichment_factor", "EF@#", "EF #", "lift@#")
    limits = (0.0, np.inf)

    def values(self, points: Points) -> Array:
        top = self.take_top(points)
        # As hits/min(k, R) * N/max(k, R), whose first factor is at most 1 in spite of rounding
        reached = divide(top.n_hits, np.minimum(top.k, points.n_positives))
        return reached * (points.mass / np.maximum(top.k, points.n_positives))


@dataclass(frozen=True)
class RPrecision(PointRule):
    """Precision at k = R"""

    ties: str = "grouped"
    names = ("r_precision", "R-precision", "Rprec")

    def values(self, points: Points) -> Array:
        top = Top(break_ties(points, self.ties), points.n_positives)
        return divide(top.n_hits, points.n_positives)


# --- the first positive ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _FirstPositive(PointRule):
    """Base class of rules that look for the first positive.

    It is among the n samples, r of them positive, of the first point that has positives, below
    N_{i-1} others. The top k has room for `room` of these samples.
    """

    k: float | None = None
    ties: str = "grouped"
    number = "k"
    takes_weights = False

    def values(self, points: Points) -> Array:
        values = np.where(points.n_positives > 0, 0.0, np.nan)
        if not points.tied.size:
            return values
        with_hits = np.append(np.flatnonzero(points.hits), points.tied.size)
        first = with_hits[np.searchsorted(with_hits, points.offsets[:-1])]
        found = np.flatnonzero(first < points.offsets[1:])
        first = first[found]
        n, r = points.tied[first].astype(np.int64), points.hits[first].astype(np.int64)
        above = points.above[first].astype(np.int64)
        room = n
        if self.k is not None:
            room = np.clip(self.compute_cutoffs(points)[found] - above, 0, n)
        values[found] = self.evaluate_first(above, n, r, room)
        return values

    def evaluate_first(self, above: Array, n: Array, r: Array, room: Array) -> Array:
        """Compute the value of each ranking from the point of its first positive."""
        if self.ties in ("best", "worst"):
            place = np.ones_like(n) if self.ties == "best" else n - r + 1
            return np.where(place <= room, self.evaluate_rank(above + place), 0.0)
        values = np.where(room > 0, self.evaluate_rank(above + 1), 0.0)
        tied = np.flatnonzero(n > 1)
        if tied.size:
            columns = [column[tied] for column in (above, n, r, room)]
            kinds, kind = np.unique(columns, axis=1, return_inverse=True)
            of_kinds = np.array([self.average_places(*each) for each in kinds.T.tolist()])
            values[tied] = of_kinds[kind.ravel()]  # NumPy 2.0 returns it in another shape
        return values

    def average_places(self, above: int, n: int, r: int, room: int) -> float:
        """Compute the mean value over all orders of the tied samples."""
        places, chances = compute_first_places(n, r, room)
        return float(np.sum(chances * self.evaluate_rank(above + places)))

    def evaluate_rank(self, rank: Array) -> Array:
        """Return the value if the first positive is at this rank, in the top k."""
        raise NotImplementedError


def compute_first_places(n: int, r: int, room: int) -> tuple[Array, Array]:
    """Return places among n samples in random order, and the chance that each has the first of r
    positives, as far as there is room.

    The first place has it with probability p_1 = r/n, and p_{j+1} = p_j (n-r-j+1)/(n-j). The chance
    of no positive among the first 40 n/r samples is below exp(-40), so later places are left out.
    """
    places = np.arange(1, min(n - r + 1, 40 * n // r + 1, room) + 1)
    factors = (n - r - places + 2) / (n - places + 1)
    factors[:1] = r / n
    return places, np.cumprod(factors)


@dataclass(frozen=True)
class ReciprocalRank(_FirstPositive):
    """1/rank of the first positive, 0 if it isn't in the top k

    With "grouped" ties, the rank is the mean rank of the first positive over the orders in which it
    is in the top k, and 1/rank counts as often as that happens. Without k, it is
    1/(N_{i-1} + (n + 1)/(r + 1)).
    """

    names = ("reciprocal_rank", "RR", "recip_rank", "reciprocal_rank_at_#", "RR@#")

    def evaluate_rank(self, rank: Array) -> Array:
        return 1 / rank

    def average_places(self, above: int, n: int, r: int, room: int) -> float:
        if self.ties == "expected":
            return super().average_places(above, n, r, room)
        if room > n - r:  # all orders have a positive in the top k
            return 1 / (above + (n + 1) / (r + 1))
        places, chances = compute_first_places(n, r, room)
        chance = float(chances.sum())
        if chance == 0:
            return 0.0
        mean_place = float(np.sum(places * chances)) / chance
        return chance / (above + mean_place)


@dataclass(frozen=True)
class HitRateAtK(_FirstPositive):
    """1 if a positive is in the top k, else 0"""

    k: float = field()
    names = ("hit_rate_at_#", "hit_rate_at_k", "HR@#", "hit@#", "hits@#", "success@#", "success #")

    def evaluate_rank(self, rank: Array) -> Array:
        return np.ones(np.shape(rank))


# --- the best point -------------------------------------------------------------------------------


def has_reached(points: Points, part: Array, whole: Array, share: float) -> Array:
    """Whether part/whole is at least a share, which is taken as the decimal that was written."""
    exact = as_fraction(share)
    share = float(exact)  # also of float32, whose 0.8 is larger
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = part / whole
    if part.dtype.kind == "f" or whole.dtype.kind == "f":
        return quotient * points.rounding_factors >= share
    # Quotients are rounded once, so only those that round to the share are undecided.
    reached = quotient > share
    open_ = np.flatnonzero(quotient == share)
    part, whole = part[open_].astype(object), whole[open_].astype(object)
    reached[open_] = part * exact.denominator >= whole * exact.numerator
    return reached


@dataclass(frozen=True)
class PrecisionAtRecall(PointRule):
    """max p_j over the points with T_j/R >= min_recall"""

    min_recall: float
    names = ("precision_at_recall_#", "precision_at_recall", "P@R #", "precision@recall #")
    number = "min_recall"

    def values(self, points: Points) -> Array:
        n_positives = points.repeat(points.n_positives)
        reached = has_reached(points, points.cum_hits, n_positives, self.min_recall)
        best = points.maximum(np.where(reached, points.precision, 0.0))
        return np.where(points.n_positives > 0, best, np.nan)


@dataclass(frozen=True)
class RecallAtPrecision(PointRule):
    """max T_j/R over the points with p_j >= min_precision, 0 if there are none"""

    min_precision: float
    names = ("recall_at_precision_#", "recall_at_precision", "R@P #", "recall@precision #")
    number = "min_precision"

    def values(self, points: Points) -> Array:
        end = points.above + points.tied
        reached = has_reached(points, points.cum_hits, end, self.min_precision)
        recall = divide(points.cum_hits, points.repeat(points.n_positives))
        best = points.maximum(np.where(reached, recall, 0.0))
        return np.where(points.n_positives > 0, best, np.nan)


# --- orders of tied samples -----------------------------------------------------------------------


def expand_counts(counts: Array) -> tuple[Array, Array]:
    """Return the index of each count as often as it says, and the place among these, from 0."""
    index = np.repeat(np.arange(counts.size), counts)
    starts = np.cumsum(counts) - counts
    return index, np.arange(index.size) - starts[index]


def break_ties(points: Points, ties: str) -> Points:
    """Split points into one for each positive, if ties are in the best or the worst order."""
    if ties not in ("best", "worst"):
        return points
    point, place = expand_counts(points.hits)
    above = points.above
    if ties == "worst":
        above = above + points.tied - points.hits
    one = np.ones_like(point)
    return points._replace(
        hits=one,
        tied=one,
        hits_above=points.hits_above[point] + place,
        above=above[point] + place,
        offsets=np.searchsorted(point, points.offsets),
    )


def compute_expected_precision(points: Points, k: Array | None) -> Array:
    """Compute the mean precision at the positives of each point, over all orders of tied samples.

    Among n samples with r positives that follow t samples with T positives, rank t + j is a
    positive with probability r/n. It is then preceded by (j-1)(r-1)/(n-1) of the others on average,
    so the precision there is [T + (j-1)(r-1)/(n-1) + 1]/(t + j). Ranks beyond k contribute 0.
    """
    expected = np.where(points.hits > 0, points.precision, 0.0)
    if k is not None:
        expected[points.above >= points.repeat(k)] = 0
    tied = np.flatnonzero((points.hits > 0) & (points.tied > 1))
    r, n = points.hits[tied], points.tied[tied]
    point, place = expand_counts(n)
    rank = points.above[tied][point] + place + 1
    others = place * ((r - 1) / (n - 1))[point]
    precision = (points.hits_above[tied][point] + others + 1) / rank
    if k is not None:
        last_rank = points.repeat(k)[tied][point]
        precision[rank > last_rank] = 0
    expected[tied] = np.bincount(point, precision, tied.size) / n
    return expected


# --- grades ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NDCG(RowRule):
    """The sum of gains, discounted by 1/log2(1 + rank), over the same sum for the best ranking

    The best ranking is that of all judged documents. Tied documents share their mean gain.
    """

    k: float | None = None
    gains: str = "linear"
    names = ("ndcg", "nDCG", "ndcg_at_#", "nDCG@#", "ndcg_cut #")
    number = "k"

    def compute_gains(self, grades: Array) -> Array:
        """Return what documents gain: nothing unless their grade is above 0."""
        gains = np.where(grades > 0, grades, 0.0)  # also instead of nan
        with np.errstate(over="ignore"):
            if self.gains == "exponential":
                gains = np.exp2(gains) - 1
            if not np.isfinite(gains.sum()):
                raise ValueError(f"Gains have no finite sum, as of the grade {np.nanmax(grades)}.")
        return np.asarray(gains)

    def values(self, rankings: Rankings) -> Array:
        lowest = np.nanmin(rankings.labels, initial=0)
        if lowest < 0:
            raise ValueError(f"Grades must not be negative. Got {lowest}.")
        group, n_groups = rankings.group, rankings.n_rankings
        gains = self.compute_gains(rankings.labels)
        points = rank(gains, rankings.scores, None, group, n_groups)
        judged_group, judged_gains = group, gains
        if rankings.judged is not None:
            _check_judged(rankings)
            judged_group, judged_grades = rankings.judged
            judged_gains = self.compute_gains(judged_grades)
        best = rank(judged_gains, judged_gains, None, judged_group, n_groups)
        k = None if self.k is None else self.compute_cutoffs(points)
        return divide(add_discounted(points, k), add_discounted(best, k))


def _check_judged(rankings: Rankings) -> None:
    """Refuse counts of judged documents that are below those that were retrieved."""
    assert rankings.judged is not None
    assert rankings.group is not None
    assert rankings.names is not None
    judged_group, judged_grades = rankings.judged
    n_groups = rankings.n_rankings
    for grade in np.unique(rankings.labels[rankings.labels > 0]):
        found = np.bincount(rankings.group[rankings.labels == grade], minlength=n_groups)
        judged = np.bincount(judged_group[judged_grades == grade], minlength=n_groups)
        if (found > judged).any():
            name = rankings.names[int(np.argmax(found > judged))]
            raise ValueError(
                f"n_positives has fewer documents of grade {grade} than y_true for the group "
                f"{name!r}."
            )


def add_discounted(points: Points, k: Array | None) -> Array:
    """Add up gains, of which tied documents share the discounts of their ranks in the top k."""
    above, end = points.above, points.above + points.tied
    if k is not None:
        of_points = points.repeat(k)
        above, end = np.minimum(above, of_points), np.minimum(end, of_points)
    discounts_above, discounts_to_end = sum_discounts(np.stack((above, end)))
    return points.sum(points.hits * (discounts_to_end - discounts_above) / points.tied)


def sum_discounts(n: Array) -> Array:
    """Return 1/log2(2) + ... + 1/log2(n + 1) for each n."""
    discounts = 1 / np.log2(np.arange(2, n.max(initial=0) + 2))
    return np.append(0, np.cumsum(discounts))[n]


@dataclass(frozen=True)
class UserFunction(RowRule):
    """A function of the labels and scores of one ranking."""

    function: Callable[..., float]
    name: str
    greater_is_better: bool = True
    limits: tuple[float, float] = (-np.inf, np.inf)
    names = ()

    def __post_init__(self) -> None:
        """Check nothing, because these fields aren't options of a definition."""

    def values(self, rankings: Rankings) -> Array:
        if rankings.kind == "rows":
            raise ValueError(f"{self.name} takes one column of labels and one of scores.")
        labels, scores = [rankings.labels], [rankings.scores]
        if rankings.group is not None:
            order = np.argsort(rankings.group, kind="stable")
            ends = np.cumsum(np.bincount(rankings.group, minlength=rankings.n_rankings))[:-1]
            labels = np.split(rankings.labels[order], ends)
            scores = np.split(rankings.scores[order], ends)
        values = [
            float(self.function(*each)) if each[0].size else np.nan  # nothing was retrieved
            for each in zip(labels, scores, strict=True)
        ]
        return np.where(np.isfinite(values), values, np.nan)


RULES: tuple[type[Rule], ...] = (
    Step,
    Interpolated,
    Linear,
    AveragePrecisionAtK,
    PrecisionAtK,
    RecallAtK,
    EnrichmentFactor,
    RPrecision,
    ReciprocalRank,
    HitRateAtK,
    PrecisionAtRecall,
    RecallAtPrecision,
    NDCG,
)
