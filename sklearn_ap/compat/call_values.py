"""What a function returned for some rankings, compared with what definitions and tools return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from ..core.cutoff import DENOMINATORS, Cut
from ..core.ragged import Array
from ..core.rankings import Rankings
from ..core.rules import AveragePrecisionAtK, EnrichmentFactor, Graded, NPoint, Step
from .call_log import Call
from .candidates import GUESSED_KS, list_candidates
from .data_sets import DataSet
from .mistakes import HIGHEST_OF_GROUP, MEAN_OF_GROUP, NO_MISTAKE, POOLED
from .peers import Peer, group_peers_by_variant, list_reports
from .readings import Reading
from .tie_orders import ASSUMED, Order
from .variant_rules import DavisGoadrich, is_mistaken
from .variants import TARGET_RULES, Variant

ALL_ROWS = 0.999999  # of at most a million, as a share; 1.0 would equal a single row
COMMON_SHARES = (*map(Cut, (0.01, 0.05, 0.1)),)
_ALL = Cut(ALL_ROWS)
CUTS = (*map(Cut, GUESSED_KS), *COMMON_SHARES, _ALL)
ORDERS_OF_ROWS = (Order.BY_ROW, Order.LAST_ROW_FIRST)
_ORDERS_BY_ID = {Order.BY_ID: ASSUMED[Order.BY_ID]}  # if ids increase with the rows
# Each is a ranking here.
_MISTAKES_OF_GROUPS = POOLED, HIGHEST_OF_GROUP, MEAN_OF_GROUP
_RULES_OF_FIRST_SAMPLE = [  # rather P@1
    AveragePrecisionAtK(1, denominator=denominator) for denominator in DENOMINATORS
]
_OTHER_GRIDS = (NPoint(10), NPoint(100))  # of linspace(0, 1, 100), for example
_MAX_SCORE = 1e300  # above all other scores
_RARITY_OF_OTHER_METRICS = 3
_RATIO_DECIMALS = 6  # of values that are compared with many others
_SMALLEST_VALUE = 1e-9  # of those that aren't 0
# Of the values that tell definitions apart, which gives one a name
_MIN_SHARE_BEYOND_CHANCE = 0.3
_MIN_SHARE_OF_OTHER_METRICS = 0.5  # than average precision, without a cutoff


class CallValues:
    """What the function returned for some rankings, which are the groups of one data set."""

    def __init__(self, calls: Sequence[Call], tolerance: float | Array) -> None:
        scores = np.concatenate([call.scores for call in calls]).astype(float)
        weights = [call.weights for call in calls if call.weights is not None]
        existing = [call.n_positives for call in calls]  # a mistake counts those of all, or of none
        rankings = Rankings(
            labels=np.concatenate([call.labels for call in calls]).astype(bool),
            scores=np.clip(scores, -_MAX_SCORE, _MAX_SCORE),  # without infinities, as tables have
            weight=np.concatenate(weights).astype(float) if weights else None,
            average="macro",
            n_positives=None if None in existing else np.array(existing),
            group=np.repeat(np.arange(len(calls)), [call.labels.size for call in calls]),
            names=range(len(calls)),
        )
        if rankings.weight is not None:  # rows of weight 0 are left out, as a reader does
            rankings = rankings.take(np.flatnonzero(rankings.weight))
        self.data_set = DataSet(rankings, every_row=None)
        self.values = np.array([call.value for call in calls])
        self.tolerance = tolerance

    def with_values(self, values: Array, tolerance: float | Array) -> CallValues:
        """Return other values that the function may have returned for the same rankings."""
        others = copy(self)
        others.values, others.tolerance = values, tolerance
        return others

    def compute_values(self, definition: Variant) -> Array:
        """Return the value of a definition for each ranking; nan where it isn't known."""
        if isinstance(definition.rule, Graded) and self.data_set.graded is None:
            return np.full(self.values.size, np.nan)
        return np.asarray(definition.values(self.data_set)[0][0])

    def is_equal_to(self, variant: Variant) -> Array:
        """Whether each value is that of a variant, or between its values over orders of ties."""
        if variant.order not in ASSUMED:
            return are_equal(self.values, self.compute_values(variant), self.tolerance)
        (_, low, high), _ = variant.values(self.data_set)
        is_high_enough = low - self.tolerance <= self.values
        return np.asarray(is_high_enough & (self.values <= high + self.tolerance))

    def find_rarities(self, cuts: Sequence[Cut]) -> dict[Variant, int]:
        """Return what a function of one ranking may compute, with how rare that is."""
        lifts = (EnrichmentFactor(cut.k) for cut in cuts)
        others = map(Variant, (*TARGET_RULES, DavisGoadrich(), *_OTHER_GRIDS, *lifts))
        return dict.fromkeys(others, _RARITY_OF_OTHER_METRICS) | {
            variant: candidate.rarity + 2 * (variant.rule in _RULES_OF_FIRST_SAMPLE)
            for variant, candidate in list_candidates(self.data_set, cuts).items()
            if variant.mistake is NO_MISTAKE and variant.reading is Reading.EXACT
            if variant.average == "macro" and not is_mistaken(variant.rule)
            if variant.rule.cut != _ALL or getattr(variant.rule, "denominator", "") == "k"
        }

    def find_most_alike(
        self, variants: Mapping[Variant, int], all_values: CallValues, ranked: CallValues
    ) -> tuple[Variant, float] | None:
        """Return the definition that equals most of these values, and the factor of its values.

        The factor is 1 if a definition equals half of the values, else the one with which most are
        equal. Of definitions that equal as many, it's the one that equals most of all values, in
        the order of ties that suits it best, and then the least rare. Return None if chance may
        have made them equal.
        """
        factors = {variant: 1.0 for variant in variants if self._can_be_alike(variant)}
        counts = self._count_alike(factors, ranked)
        if 2 * max(counts.values(), default=0) < self.values.size:
            factors = {each: self._find_usual_ratio(each) for each in factors}
            counts = self._count_alike(factors, ranked)
        if not counts:
            return None
        most = max(counts.values())
        best = {variant: variants[variant] for variant in counts if counts[variant] == most}
        alike = all_values.find_most_equal(best)
        return alike, factors[alike]

    @staticmethod
    def _can_be_alike(variant: Variant) -> bool:
        """Whether it's a metric of more than the first sample, without a target."""
        return variant.rule.cut != Cut(1) and not variant.has_threshold

    def _find_usual_ratio(self, variant: Variant) -> float:
        """Return the most frequent ratio of the values to those of a definition; 1 without any."""
        expected = self.compute_values(variant)
        is_positive = (expected > 0) & (self.values > 0) & np.isfinite(self.values)
        ratios = np.round(self.values[is_positive] / expected[is_positive], _RATIO_DECIMALS)
        distinct, counts = np.unique(ratios, return_counts=True)
        if not counts.size:
            return 1.0
        usual = distinct[np.argmax(counts)]
        return float(np.mean((self.values[is_positive] / expected[is_positive])[ratios == usual]))

    def _count_alike(
        self, factors: Mapping[Variant, float], ranked: CallValues
    ) -> dict[Variant, int]:
        """Return how many values are those of each definition times its factor.

        Definitions that chance may have made equal are left out. A cutoff equals all values of the
        `ranked` calls, which have the same ranks with other scores and in other sizes.
        """
        counts = {}
        for variant, factor in factors.items():
            expected = factor * self.compute_values(variant)
            is_equal = are_equal(self.values, expected, self.tolerance)
            is_common = variant.is_average_precision or variant.rule.cut is not None
            least = _MIN_SHARE_BEYOND_CHANCE if is_common else _MIN_SHARE_OF_OTHER_METRICS
            if self._measure_likeness(expected, is_equal) < least:
                continue
            if variant.rule.cut is not None:
                of_ranks = factor * ranked.compute_values(variant)
                if not are_equal(ranked.values, of_ranks, self.tolerance).all():
                    continue
            counts[variant] = int(np.count_nonzero(is_equal))
        return counts

    def _measure_likeness(self, expected: Array, is_equal: Array) -> float:
        """Return the fraction of values that are equal, among those that chance doesn't make equal.

        Most metrics agree on perfect rankings, and many are 0 where another one is.
        """
        tells = self.compute_values(Variant(Step())) < 1 - _SMALLEST_VALUE
        tells &= (np.abs(expected) > _SMALLEST_VALUE) | (np.abs(self.values) > _SMALLEST_VALUE)
        n_told = np.count_nonzero(tells)
        values, n_values = np.unique(
            np.round(self.values[tells], _RATIO_DECIMALS), return_counts=True
        )
        others, n_others = np.unique(np.round(expected[tells], _RATIO_DECIMALS), return_counts=True)
        _, places, places_of_others = np.intersect1d(values, others, return_indices=True)
        n_by_chance = (n_values[places] * n_others[places_of_others]).sum() / max(n_told, 1)
        n_beyond = np.count_nonzero(is_equal & tells) - n_by_chance
        return float(n_beyond / (n_told - n_by_chance)) if n_told > n_by_chance else 0.0

    def find_most_equal(self, variants: Mapping[Variant, int]) -> Variant:
        """Return the definition that equals most values, and of several the least rare."""
        if len(variants) == 1:
            return next(iter(variants))
        return min(
            variants, key=lambda variant: (-self.count_equal_in_orders(variant), variants[variant])
        )

    def count_equal_in_orders(self, variant: Variant) -> int:
        """Return how many values are equal in the order of tied rows that suits a variant best."""
        ordered = (replace(variant, order=each) for each in (Order.GROUPED, *ORDERS_OF_ROWS))
        return max(int(np.count_nonzero(self.is_equal_to(each))) for each in ordered)

    def find_tools(self, cut: Cut | None, order: Order | None) -> list[Peer]:
        """Return the tools that are known to return these values.

        `order` is the one in which the function ranks ties, None if it isn't known.
        """
        tools: list[Peer] = []
        reports = list_reports(self.data_set)
        for report, peers in group_peers_by_variant(reports, cut, self.data_set).items():
            if report.mistake in _MISTAKES_OF_GROUPS:
                continue
            if report.order is not Order.OPEN:
                ordered = replace(report, order=_ORDERS_BY_ID.get(report.order, report.order))
                possible = peers
            elif order in ORDERS_OF_ROWS:  # which a caller decides, but nobody else knows
                ordered = replace(report, order=order)
                possible = [peer for peer in peers if peer.keeps_given_order]
            else:
                continue
            if possible and self.is_equal_to(ordered).all():
                tools += possible
        return tools


def are_equal(values: Array | float, expected: Array | float, tolerance: float | Array) -> Array:
    """Whether values are near each other, both nan, or equal infinities."""
    with np.errstate(invalid="ignore"):  # of infinities
        is_near = np.abs(values - expected) <= tolerance
    are_both_nan = np.isnan(values) & np.isnan(expected)
    return np.asarray(is_near | (values == expected) | are_both_nan)
