"""Definitions with a small mistake in what they count: what it is, and the values that it gives."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
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


class MistakenRule(Rule):
    """Base class of a rule in which a program makes a small mistake."""

    of: Rule  # what was meant
    is_mistaken = True

    @property
    def mistake(self) -> str:
        raise NotImplementedError

    @property
    def term(self) -> str:  # type: ignore[override]
        return f"{write_rule(self.of, 'term')}, {self.mistake}"

    @property
    def cut(self) -> Cut | None:
        return self.of.cut


# --- average precisions --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Miscount:
    """What an average precision takes for precision by mistake."""

    words: str
    compute: Callable[[OperatingPoints], Array] = field(repr=False)
    n_added_positives: int = 0  # which it counts, too
    loses_first_recall: bool = False

    @cached_property
    def kind_of_points(self) -> type[OperatingPoints]:
        """Points that have this precision, which is 0 where it's 0/0."""
        compute = self.compute

        class MiscountedPoints(OperatingPoints):
            @property
            def precision(self) -> Array:
                return np.nan_to_num(compute(self), nan=0.0, posinf=np.inf)

        return MiscountedPoints


@dataclass(frozen=True)
class Miscounted(MistakenRule, Average):
    """An average precision with a small mistake. The value may be above 1."""

    of: AreaRule
    miscount: Miscount

    @property
    def mistake(self) -> str:
        return self.miscount.words

    def values(self, points: OperatingPoints) -> Array:
        miscount = self.miscount
        if miscount.n_added_positives:
            points = points.with_n_positives(points.n_positives + miscount.n_added_positives)
        with np.errstate(divide="ignore", invalid="ignore"):  # of ranks from 0
            area = self.of.area(miscount.kind_of_points(*points))
        height = np.where(area.width > 0, area.height, 0.0)
        if miscount.loses_first_recall and isinstance(self.of, Envelope):
            height[points.above == 0] = 0.0  # as np.diff(recall) * envelope[1:]
        value = divide_safely(sum_rankings(area.width * height, area.offsets), area.whole)
        return np.where(sum_rankings(points.positives, points.offsets) > 0, value, np.nan)


def _compute_precision(points: OperatingPoints) -> Array:
    return points.cum_positives / points.cum_total


def _skip_first_rank(points: OperatingPoints) -> Array:
    """Return the precision without what the first rank adds to the hits."""
    first = sum_rankings(points.positives * (points.above == 0), points.offsets)
    hits = points.cum_positives - repeat_values(first, points.offsets)
    return np.where(points.above > 0, hits / points.cum_total, 0.0)


def _skip_last_rank(points: OperatingPoints) -> Array:
    """Return the precision of all points but the last one of each ranking."""
    n_below = get_next(points.total, points.offsets, np.zeros(points.n_samples.size))
    return np.where(n_below > 0, _compute_precision(points), 0.0)


_WORDS_OF_ADDED_POSITIVE = "divided by R + 1"  # also of R-precision
WITHOUT_FIRST_RECALL = Miscount(
    "without the first recall",
    lambda points: np.where(points.above > 0, _compute_precision(points), 0.0),
    loses_first_recall=True,
)
MISCOUNTS = (
    Miscount("ranks from 0", lambda points: points.cum_positives / (points.cum_total - 1)),
    Miscount("ranks from 2", lambda points: points.cum_positives / (points.cum_total + 1)),
    Miscount("hits counted late", lambda points: points.positives_above / points.cum_total),
    Miscount("the precision of the point above", lambda points: points.precision_above),
    Miscount(_WORDS_OF_ADDED_POSITIVE, _compute_precision, n_added_positives=1),
    WITHOUT_FIRST_RECALL,
    Miscount("the first rank skipped", _skip_first_rank),
)
# What only audits look for
_AUDITED_MISCOUNTS = (
    Miscount(
        "ranks from 0, the first one as 1",
        lambda points: points.cum_positives / np.maximum(points.cum_total - 1, 1),
    ),
    Miscount(
        "the precision of the point above, without the first recall",
        lambda points: np.where(points.above > 0, points.precision_above, 0.0),
    ),
)
# Without a cutoff, it's a reciprocal rank.
_RECIPROCAL_RANKS = Miscount("1/rank instead of precision", lambda points: 1 / points.cum_total)
# Its labels tell a k that is one too small.
_LAST_RANK_SKIPPED = Miscount("the last of these ranks skipped", _skip_last_rank)


# --- other metrics -------------------------------------------------------------------------------


@dataclass(frozen=True)
class RoundedDown(MistakenRule):
    """A metric of the top k%, of as many samples as int(k * n) says, but at least 1."""

    of: EnrichmentFactor | PrecisionAtK

    mistake = "rounded down to whole samples"

    def values(self, points: OperatingPoints) -> Array:
        share = as_fraction(self.of.k)
        k = np.maximum(points.n_samples * share.numerator // share.denominator, 1)
        precision = select_first_mass(points, k).hits / k
        if isinstance(self.of, PrecisionAtK):
            return np.where(points.n_positives > 0, precision, np.nan)
        return divide_safely(precision * points.n_samples, points.n_positives)


@dataclass(frozen=True, eq=False)
class RankMiscount:
    """What a program returns instead of a reciprocal rank or an R-precision by mistake."""

    words: str
    compute: Callable[[Rule, OperatingPoints], Array] = field(repr=False)


@dataclass(frozen=True)
class MiscountedRanks(MistakenRule):
    """A reciprocal rank, or R-precision, with a small mistake."""

    of: Rule
    miscount: RankMiscount

    takes_weights = False

    @property
    def mistake(self) -> str:
        return self.miscount.words

    def values(self, points: OperatingPoints) -> Array:
        return self.miscount.compute(self.of, points)


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


_MISCOUNTS_OF_RECIPROCAL_RANKS = (
    RankMiscount("as 1/(rank + 1)", _add_1_to_rank),
    RankMiscount("of the last hit", _find_last_hit),
    RankMiscount("as a mean over all hits", _average_reciprocals),
)
_ADDED_TO_R = RankMiscount(_WORDS_OF_ADDED_POSITIVE, _add_1_to_positives)


@dataclass(frozen=True, eq=False)
class GainMiscount:
    """A mistake in the discounts of nDCG, or in its ideal ranking."""

    words: str
    discount: Callable[[Array], Array] | None = field(default=None, repr=False)
    # How many ranks of an ideal ranking have a positive
    count_ideal: Callable[[Any, OperatingPoints], Array] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class MiscountedGains(NDCG):
    """What a program returns that makes a small mistake in nDCG."""

    miscount: GainMiscount = field(kw_only=True)
    k: float | None = None

    is_mistaken = True

    @property
    def of(self) -> NDCG:
        return NDCG(self.gains) if self.k is None else NDCGAtK(self.gains, self.k)

    @property
    def mistake(self) -> str:
        return self.miscount.words

    @property
    def term(self) -> str:  # type: ignore[override]
        name = "nDCG" if self.k is None else "nDCG@{n}"
        return f"{name}, {self.mistake}"

    @property
    def cut(self) -> Cut | None:
        return self.of.cut

    def discount(self, ranks: Array) -> Array:
        if self.miscount.discount is None:
            return super().discount(ranks)
        return self.miscount.discount(ranks)

    def evaluate_points(self, points: OperatingPoints, total: Array, rankings: Rankings) -> Array:
        if self.miscount.count_ideal is None:
            return super().evaluate_points(points, total, rankings)
        discounts = self._sum_discounts(
            points.above, points.cum_total, points.n_samples, points.offsets
        )
        discounted = sum_rankings(total * (discounts / points.total), points.offsets)
        ranks = np.round(self.miscount.count_ideal(self, points)).astype(np.int64)
        places = np.arange(points.offsets.size)
        uncut = replace(self, k=None)  # as an ideal may have more than k ranks
        ideal = uncut._sum_discounts(np.zeros_like(ranks), ranks, points.n_samples, places)
        return np.where(points.n_positives > 0, divide_safely(discounted, ideal, 0.0), np.nan)


def _discount_from_second_rank(ranks: Array) -> Array:
    return np.asarray(1 / np.log2(np.maximum(ranks, 2)))


def _count_hits_in_top(of: Any, points: OperatingPoints) -> Array:
    return select_top(points, of.cut).hits


def _count_ranks(of: Any, points: OperatingPoints) -> Array:
    return points.n_samples if of.cut is None else np.minimum(of.cut.k, points.n_samples)


_MISCOUNTS_OF_GAINS = (
    # method=0 of dcg_at_k in rank_metrics.py (https://gist.github.com/bwhite/3726239)
    GainMiscount("with 1/log2(rank) from the second rank on", _discount_from_second_rank),
    GainMiscount("ranks from 2", discount=lambda ranks: 1 / np.log2(ranks + 2)),
    GainMiscount(
        "with 1/rank instead of 1/log2(rank + 1)",
        discount=lambda ranks: 1 / ranks,
    ),
    GainMiscount(
        "without the ideal, so DCG",
        count_ideal=lambda of, points: np.ones_like(points.n_samples),
    ),
    GainMiscount("with an ideal without negatives", count_ideal=_count_ranks),
)
_MISCOUNTS_OF_GAINS_AT_K = (
    # rank_metrics.py, if it gets the top k only, by its method=1 and method=0
    GainMiscount("with the ideal of the top k", count_ideal=_count_hits_in_top),
    GainMiscount(
        "with 1/log2(rank) from the second rank on, and with the ideal of the top k",
        _discount_from_second_rank,
        _count_hits_in_top,
    ),
    # Both are common in code of recommenders, as np.sum(1 / np.log2(np.arange(2, k + 2))), also
    # with the number of all positives for k
    GainMiscount(
        "with an ideal of k positives",
        count_ideal=lambda of, points: of.cut.compute_k(points.n_samples),
    ),
    GainMiscount(
        "with the ideal of all samples",
        count_ideal=lambda of, points: points.n_positives,
    ),
)

# --- what is tried -------------------------------------------------------------------------------

_MISCOUNTED_RULES = (Step(), Envelope(), NPoint(11), NPoint(101), FloatGrid(101), Linear())


def list_miscounted(cut: Cut | None) -> list[Rule]:
    """Return each definition with each mistake in what it counts."""
    miscounts = (*MISCOUNTS, *_AUDITED_MISCOUNTS)
    if cut is None:
        return [
            LinearFromZero(),  # before what has the same values without ties
            *starmap(Miscounted, product(_MISCOUNTED_RULES, miscounts)),
            *list_miscounted_gains(None),
            *list_miscounted_ranks(None),
        ]
    at_k = [AveragePrecisionAtK(cut.k, denominator=each) for each in DENOMINATORS]
    return [
        *starmap(Miscounted, product(at_k, (*miscounts, _RECIPROCAL_RANKS))),
        *list_miscounted_gains(cut),
        *list_miscounted_ranks(cut),
        *_list_with_wrong_cutoff(cut),
    ]


def _list_with_wrong_cutoff(cut: Cut) -> list[Rule]:
    """Return metrics of another number of samples than the top k."""
    if cut.is_share:
        return [RoundedDown(EnrichmentFactor(cut.k)), RoundedDown(PrecisionAtK(cut.k))]
    at_next = [AveragePrecisionAtK(cut.k + 1, denominator=each) for each in DENOMINATORS]
    return [Miscounted(rule, _LAST_RANK_SKIPPED) for rule in at_next]


def list_miscounted_gains(cut: Cut | None) -> list[Rule]:
    """Return nDCG with its mistakes."""
    if cut is None:
        return [MiscountedGains(miscount=each) for each in _MISCOUNTS_OF_GAINS]
    of_gains = (*_MISCOUNTS_OF_GAINS, *_MISCOUNTS_OF_GAINS_AT_K)
    return [MiscountedGains(miscount=each, k=cut.k) for each in of_gains]


def list_miscounted_ranks(cut: Cut | None) -> list[Rule]:
    """Return reciprocal ranks and R-precision with their mistakes."""
    first = ReciprocalRank() if cut is None else ReciprocalRankAtK(cut.k)
    of_first = [MiscountedRanks(first, each) for each in _MISCOUNTS_OF_RECIPROCAL_RANKS]
    of_r = [MiscountedRanks(RPrecision(), _ADDED_TO_R)] if cut is None else []
    return [*of_first, *of_r]


_NUMBERS_OF_LEVELS = (11, 101)
# What people compute instead of step average precision
INSTEAD_OF_STEP: tuple[Rule, ...] = (
    *(LinesBetweenHighest(), MeanOfAllPrecisions(False), MeanOfAllPrecisions(True)),
    *(Miscounted(Step(), each) for each in MISCOUNTS),
    Miscounted(Envelope(), WITHOUT_FIRST_RECALL),
    *(SwappedAxes(), RowNumbersAsRanks(), BestF1(), ChanceCorrected()),
    *map(StepsOfPrecision, (True, False)),
    *map(PrecisionAtLevels, _NUMBERS_OF_LEVELS),
    *map(PrecisionAtFallingLevels, _NUMBERS_OF_LEVELS),
)
