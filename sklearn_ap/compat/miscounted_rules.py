"""Definitions with a small mistake in what they count."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product, starmap
from typing import Any

import numpy as np

from .._inputs.metric_names import write_rule
from ..core.cutoff import DENOMINATORS, Cut, as_fraction, select_first_mass, select_top
from ..core.operating_points import OperatingPoints
from ..core.ragged import (
    Array,
    divide_safely,
    repeat_values,
    sum_rankings,
)
from ..core.rankings import Rankings
from ..core.rules import (
    NDCG,
    AreaRule,
    AveragePrecisionAtK,
    EnrichmentFactor,
    Envelope,
    FloatGrid,
    Linear,
    NDCGAtK,
    NPoint,
    PrecisionAtK,
    ReciprocalRank,
    ReciprocalRankAtK,
    RPrecision,
    Rule,
    Step,
)
from .level_rules import PrecisionAtFallingLevels, PrecisionAtLevels
from .variant_rules import (
    Average,
    BestF1,
    ChanceCorrected,
    LinearFromZero,
    LinesBetweenHighest,
    MeanOfAllPrecisions,
    RowNumbersAsRanks,
    StepsOfPrecision,
    SwappedAxes,
    get_next,
)


@dataclass(frozen=True)
class _WithSlip(Rule):
    """Base class of what a program returns that makes a small mistake in a rule."""

    of: Rule
    slip: str

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, {self.slip}"

    @property
    def cut(self) -> Cut | None:
        return self.of.cut


@dataclass(frozen=True)
class Miscounted(_WithSlip, Average):
    """An average precision with a small mistake. The value may be above 1."""

    of: AreaRule

    def values(self, points: OperatingPoints) -> Array:
        if self.slip == _ONE_MORE_POSITIVE:
            points = points.with_n_positives(points.n_positives + 1)
        with np.errstate(divide="ignore", invalid="ignore"):  # of ranks from 0
            area = self.of.area(_POINTS[self.slip](*points))
        height = np.where(area.width > 0, area.height, 0.0)
        if self.slip == WITHOUT_FIRST and isinstance(self.of, Envelope):
            height[points.above == 0] = 0.0  # as np.diff(recall) * envelope[1:]
        value = divide_safely(sum_rankings(area.width * height, area.offsets), area.whole)
        return np.where(sum_rankings(points.positives, points.offsets) > 0, value, np.nan)


_ONE_MORE_POSITIVE = "divided by R + 1"

WITHOUT_FIRST = "without the first recall"


def _skip_first_rank(points: OperatingPoints) -> Array:
    """Return the precision without what the first rank adds to the hits."""
    first = sum_rankings(points.positives * (points.above == 0), points.offsets)
    hits = points.cum_positives - repeat_values(first, points.offsets)
    return np.where(points.above > 0, hits / points.cum_total, 0.0)


# What these mistakes take for precision
SLIPS: dict[str, Callable[[OperatingPoints], Array]] = {
    "ranks from 0": lambda points: points.cum_positives / (points.cum_total - 1),
    "ranks from 2": lambda points: points.cum_positives / (points.cum_total + 1),
    "hits counted late": lambda points: points.positives_above / points.cum_total,
    "the precision of the point above": lambda points: points.precision_above,
    _ONE_MORE_POSITIVE: lambda points: points.cum_positives / points.cum_total,
    WITHOUT_FIRST: lambda points: np.where(
        points.above > 0, points.cum_positives / points.cum_total, 0.0
    ),
    "the first rank skipped": _skip_first_rank,
}

# What audits look for besides
AUDITED_SLIPS: dict[str, Callable[[OperatingPoints], Array]] = {
    "ranks from 0, the first one as 1": lambda points: (
        points.cum_positives / np.maximum(points.cum_total - 1, 1)
    ),
    "the precision of the point above, without the first recall": lambda points: np.where(
        points.above > 0, points.precision_above, 0.0
    ),
}

# Without a cutoff, it's a reciprocal rank
_SLIPS_AT_K: dict[str, Callable[[OperatingPoints], Array]] = {
    "1/rank instead of precision": lambda points: 1 / points.cum_total,
}

# Whose labels tell a k that is one too small
_SLIPS_AT_NEXT_K: dict[str, Callable[[OperatingPoints], Array]] = {
    "the last of these ranks skipped": lambda points: np.where(
        get_next(points.total, points.offsets, np.zeros(points.n_samples.size)) > 0,
        points.cum_positives / points.cum_total,
        0.0,
    ),
}


def _make_points(precision: Callable[[OperatingPoints], Array]) -> type[OperatingPoints]:
    """Return a class of points that have another precision, which is 0 where it's 0/0."""

    class MiscountedPoints(OperatingPoints):
        @property
        def precision(self) -> Array:
            return np.nan_to_num(precision(self), nan=0.0, posinf=np.inf)

    return MiscountedPoints


_POINTS = {
    slip: _make_points(of)
    for slip, of in (SLIPS | AUDITED_SLIPS | _SLIPS_AT_K | _SLIPS_AT_NEXT_K).items()
}


@dataclass(frozen=True)
class RoundedDown(_WithSlip):
    """A metric of the top k%, of as many samples as int(k * n) says, but at least 1."""

    of: EnrichmentFactor | PrecisionAtK
    slip: str = "rounded down to whole samples"

    def values(self, points: OperatingPoints) -> Array:
        share = as_fraction(self.of.k)
        k = np.maximum(points.n_samples * share.numerator // share.denominator, 1)
        precision = select_first_mass(points, k).hits / k
        if isinstance(self.of, PrecisionAtK):
            return np.where(points.n_positives > 0, precision, np.nan)
        return divide_safely(precision * points.n_samples, points.n_positives)


@dataclass(frozen=True)
class MiscountedRanks(_WithSlip):
    """A reciprocal rank, or R-precision, with a small mistake."""

    takes_weights = False

    def values(self, points: OperatingPoints) -> Array:
        return _VALUES_OF_MISCOUNTED_RANKS[self.slip](self.of, points)


def _add_1_to_rank(of: Rule, points: OperatingPoints) -> Array:
    value = of.values(points)
    return np.asarray(value / (1 + value))


def _add_1_to_positives(of: Rule, points: OperatingPoints) -> Array:
    n_positives = points.n_positives
    return np.asarray(of.values(points) * (n_positives / (n_positives + 1)))


def _average_reciprocals(of: Rule, points: OperatingPoints) -> Array:
    """Average 1/rank of all hits."""
    hits = sum_rankings(points.positives, points.offsets)
    total = sum_rankings(points.positives / points.cum_total, points.offsets)
    mean = divide_safely(total, hits, 0.0)
    return np.where(points.n_positives > 0, mean, np.nan)


def _find_last_hit(of: Rule, points: OperatingPoints) -> Array:
    """Return 1/rank of the last hit."""
    reciprocal = np.where(points.positives > 0, 1 / points.cum_total, np.inf)
    last = np.full(points.n_positives.size, np.inf)
    np.minimum.at(last, np.repeat(np.arange(last.size), np.diff(points.offsets)), reciprocal)
    return np.where(points.n_positives > 0, np.where(np.isinf(last), 0.0, last), np.nan)


_SLIPS_OF_RECIPROCAL_RANKS: dict[str, Callable[[Rule, OperatingPoints], Array]] = {
    "as 1/(rank + 1)": _add_1_to_rank,
    "of the last hit": _find_last_hit,
    "as a mean over all hits": _average_reciprocals,
}

_VALUES_OF_MISCOUNTED_RANKS = _SLIPS_OF_RECIPROCAL_RANKS | {_ONE_MORE_POSITIVE: _add_1_to_positives}


@dataclass(frozen=True)
class MiscountedGains(NDCG):
    """What a program returns that makes a small mistake in nDCG."""

    k: float | None = None
    slip: str = ""

    @property
    def of(self) -> NDCG:
        return NDCG(self.gains) if self.k is None else NDCGAtK(self.gains, self.k)

    @property
    def term(self) -> str:  # type: ignore[override]
        name = "nDCG" if self.k is None else f"nDCG@{self.k:g}"
        return f"{name}, {self.slip}"

    @property
    def cut(self) -> Cut | None:
        return self.of.cut

    def discount(self, ranks: Array) -> Array:
        return DISCOUNT_SLIPS.get(self.slip, super().discount)(ranks)

    def evaluate_points(self, points: OperatingPoints, total: Array, rankings: Rankings) -> Array:
        if self.slip not in _ALL_RANKS_OF_IDEALS:
            return super().evaluate_points(points, total, rankings)
        discounts = self._sum_discounts(
            points.above, points.cum_total, points.n_samples, points.offsets
        )
        discounted = sum_rankings(total * (discounts / points.total), points.offsets)
        ranks = np.round(_ALL_RANKS_OF_IDEALS[self.slip](self, points)).astype(np.int64)
        places = np.arange(points.offsets.size)
        ideal = NDCG()._sum_discounts(np.zeros_like(ranks), ranks, points.n_samples, places)
        return np.where(points.n_positives > 0, divide_safely(discounted, ideal, 0.0), np.nan)


DISCOUNT_SLIPS: dict[str, Callable[[Array], Array]] = {
    # method=0 of dcg_at_k in rank_metrics.py (https://gist.github.com/bwhite/3726239)
    "with 1/log2(rank) from the second rank on": lambda ranks: 1 / np.log2(np.maximum(ranks, 2)),
    "ranks from 2": lambda ranks: 1 / np.log2(ranks + 2),
    "with 1/rank instead of 1/log2(rank + 1)": lambda ranks: 1 / ranks,
}

# How many ranks of an ideal ranking have a positive
_RANKS_OF_IDEALS: dict[str, Callable[[Any, OperatingPoints], Array]] = {
    "without the ideal, so DCG": lambda of, points: np.ones_like(points.n_samples),
    "with an ideal without negatives": lambda of, points: (
        points.n_samples if of.cut is None else np.minimum(of.cut.k, points.n_samples)
    ),
}

_RANKS_OF_IDEALS_AT_K: dict[str, Callable[[Any, OperatingPoints], Array]] = {
    # rank_metrics.py, if it gets the top k only
    "with the ideal of the top k": lambda of, points: select_top(points, of.cut).hits,
    # Both are common in code of recommenders, as np.sum(1 / np.log2(np.arange(2, k + 2))), also
    # with the number of all positives for k
    "with an ideal of k positives": lambda of, points: of.cut.compute_k(points.n_samples),
    "with the ideal of all samples": lambda of, points: points.n_positives,
}

_ALL_RANKS_OF_IDEALS = _RANKS_OF_IDEALS | _RANKS_OF_IDEALS_AT_K

_MISCOUNTED_RULES = (Step(), Envelope(), NPoint(11), NPoint(101), FloatGrid(101), Linear())


def list_miscounted(cut: Cut | None) -> list[Rule]:
    """Return each definition with each mistake in what it counts."""
    others: list[Rule] = []
    if cut is None:
        areas: tuple[AreaRule, ...] = _MISCOUNTED_RULES
        of_area = SLIPS | AUDITED_SLIPS
        of_gains = [*DISCOUNT_SLIPS, *_RANKS_OF_IDEALS]
    else:
        areas = tuple(AveragePrecisionAtK(cut.k, denominator=each) for each in DENOMINATORS)
        of_area = SLIPS | AUDITED_SLIPS | _SLIPS_AT_K
        of_gains = [*DISCOUNT_SLIPS, *_ALL_RANKS_OF_IDEALS]
        if cut.is_share:
            others = [RoundedDown(EnrichmentFactor(cut.k)), RoundedDown(PrecisionAtK(cut.k))]
        else:
            at_next = (AveragePrecisionAtK(cut.k + 1, denominator=each) for each in DENOMINATORS)
            others = [*starmap(Miscounted, product(at_next, _SLIPS_AT_NEXT_K))]
    k = None if cut is None else cut.k
    # Before what has the same values without ties
    from_zero = [LinearFromZero()] if cut is None else []
    return [
        *from_zero,
        *starmap(Miscounted, product(areas, of_area)),
        *(MiscountedGains(k=k, slip=slip) for slip in of_gains),
        *list_miscounted_ranks(cut),
        *others,
    ]


def list_miscounted_ranks(cut: Cut | None) -> list[Rule]:
    """Return reciprocal ranks and R-precision with their mistakes."""
    first = ReciprocalRank() if cut is None else ReciprocalRankAtK(cut.k)
    of_first = [MiscountedRanks(first, slip) for slip in _SLIPS_OF_RECIPROCAL_RANKS]
    of_r = [MiscountedRanks(RPrecision(), _ONE_MORE_POSITIVE)] if cut is None else []
    return [*of_first, *of_r]


_NUMBERS_OF_LEVELS = (11, 101)

# What people compute instead of step average precision
INSTEAD_OF_STEP: tuple[Rule, ...] = (
    *(LinesBetweenHighest(), MeanOfAllPrecisions(False), MeanOfAllPrecisions(True)),
    *(Miscounted(Step(), slip) for slip in SLIPS),
    Miscounted(Envelope(), WITHOUT_FIRST),
    *(SwappedAxes(), RowNumbersAsRanks(), BestF1(), ChanceCorrected()),
    *map(StepsOfPrecision, (True, False)),
    *map(PrecisionAtLevels, _NUMBERS_OF_LEVELS),
    *map(PrecisionAtFallingLevels, _NUMBERS_OF_LEVELS),
)
