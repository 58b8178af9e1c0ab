"""What is computed from a data set: a rule, and everything else that changes its value.

The definitions that may have produced a value are listed here, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple, Self

import numpy as np

from .._inputs.metric_names import write_rule
from ..core import rules
from ..core.cutoff import DENOMINATORS, Cut, select_reached
from ..core.operating_points import OperatingPoints
from ..core.ragged import Array, divide_safely
from ..core.rankings import average_defined
from ..core.rules import (
    AreaRule,
    AveragePrecisionAtK,
    Envelope,
    Graded,
    Linear,
    NPoint,
    PrecisionAtRecall,
    RecallAtPrecision,
    Rule,
    Step,
)
from . import level_rules, variant_rules
from .data_sets import DataSet
from .level_rules import RoundedLevels, WithArtificialPoint
from .miscounted_rules import MiscountedGains
from .mistakes import (
    BOTH_CLASSES,
    FOUND_ONLY,
    NO_MISTAKE,
    PREDICTED,
    PREDICTED_FROM,
    RETRIEVED,
    Mistake,
)
from .readings import AnyReading, Batches, Reading, RoundedScores, SparkBins, ThresholdBins
from .tie_orders import ASSUMED, ROW_ORDERS, Order, compute_extremes, list_values_of_counts
from .variant_rules import (
    Average,
    DavisGoadrich,
    LinearAfterFirst,
    MeanOfPrecisions,
    RocArea,
    StepOfFirst,
    is_mistaken,
)

_MAX_ROUNDING = 1e-7  # of the ends of a range over orders of ties
# 0 for the usual rule, and 2 for those that are not listed.
_RARITY_BY_RULE = {
    Step: 0,
    Envelope: 1,
    NPoint: 1,
    Linear: 1,
    AveragePrecisionAtK: 1,
    WithArtificialPoint: 3,
    MeanOfPrecisions: 3,
    MiscountedGains: 3,
}
_RARITY_BY_ORDER = dict.fromkeys(ROW_ORDERS, 1) | {Order.GROUPED: 0, Order.BY_GIVEN_ID: 0}
AREA_RULES = (rules.Step(), rules.Envelope(), rules.NPoint(11), rules.NPoint(101), rules.Linear())

_COMMON_TARGETS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99)

TARGET_RULES = (
    *map(rules.PrecisionAtRecall, _COMMON_TARGETS),
    *map(rules.RecallAtPrecision, _COMMON_TARGETS),
)

R40 = level_rules.LevelRange(40, first=1, parts=40)

_RULES_WITHOUT_CUTOFF: tuple[rules.Rule, ...] = (
    *(*AREA_RULES, rules.FloatGrid(11), rules.FloatGrid(101)),
    *(R40, variant_rules.AveragePrecisionAtR()),
    *map(level_rules.WithArtificialPoint, (rules.NPoint(11), rules.FloatGrid(11))),
    *(rules.RPrecision(), rules.ReciprocalRank()),
    *(rules.PrecisionAtRecall(0.9), rules.RecallAtPrecision(0.9)),
)


class ValueRange(NamedTuple):
    """A value, and its range over the orders of tied samples that a tool leaves open."""

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Variant:
    """What is computed from a data set: a rule, and everything else that changes its value."""

    rule: Rule
    mistake: Mistake = NO_MISTAKE
    reading: AnyReading = Reading.EXACT
    order: Order = Order.GROUPED
    empty: float | None = 0.0  # the value of a ranking without positives; None leaves it out
    average: str = "macro"

    @property
    def name(self) -> str:
        """The definition, and what else changes its value."""
        return ", ".join(filter(None, (write_rule(self.rule, "term"), *self._list_conditions())))

    def _list_conditions(self) -> Iterator[str]:
        yield from (self.order.value, self.reading.words, self.mistake.ending)
        if not self.has_usual_empty:
            what = "one class alone" if isinstance(self.rule, RocArea) else "no positives"
            value = "left out" if self.empty is None else f"{self.empty:g}"
            yield f"{what}: {value}"
        if self.average == "weighted":
            units = "classes" if self.mistake is BOTH_CLASSES else "groups"
            yield f"{units} weighted by their positives"

    @property
    def has_usual_empty(self) -> bool:
        """Whether rankings without positives have the usual value, or by ROC AUC may have none."""
        return self.empty == 0 or (self.empty is None and isinstance(self.rule, RocArea))

    @property
    def is_average_precision(self) -> bool:
        """Whether anybody calls it average precision."""
        return isinstance(self.rule, AreaRule | Average)

    @property
    def has_threshold(self) -> bool:
        """Whether a target, or a threshold of the scores, is a part of it."""
        is_of_target = isinstance(self.rule, PrecisionAtRecall | RecallAtPrecision)
        is_predicted = self.mistake in (PREDICTED, PREDICTED_FROM)
        return is_of_target or is_predicted or isinstance(self.reading, ThresholdBins)

    @property
    def intended(self) -> Self:
        """What was meant, if this is a mistake."""
        rule = self.rule
        while is_mistaken(rule):
            rule = rule.of  # type: ignore[attr-defined]
        return replace(self, rule=rule, mistake=NO_MISTAKE)

    @property
    def rule_mistake(self) -> str:
        """What nobody wants a rule to count, in words; empty if there is nothing."""
        return self.rule.mistake if is_mistaken(self.rule) else ""  # type: ignore[attr-defined]

    @property
    def rarity(self) -> int:
        """0 for what is usually reported, higher for what is rarely reported."""
        rarity = _RARITY_BY_RULE.get(type(self.rule), 2)
        rarity += _RARITY_BY_ORDER.get(self.order, 2)
        if self.mistake is not NO_MISTAKE:
            rarity += 1 if self.mistake.is_of_tools else 2
        if self.empty != 0 and not isinstance(self.rule, RocArea):
            rarity += 1
        if self.average != "macro":
            rarity += 1
        if isinstance(self.reading, ThresholdBins | RoundedScores | SparkBins):
            rarity += 1
        if isinstance(self.reading, Batches):
            rarity += 2
        return rarity

    def rank(self, data_set: DataSet) -> DataSet:
        """Return the data set as it is read and ranked."""
        return data_set.as_read(self.reading).rank_by(self.mistake)

    def value(self, data_set: DataSet) -> ValueRange:
        """Return the mean over all rankings, and its range over the orders of tied samples."""
        values, points = self.values(data_set)
        weight = points.n_positives if self.average == "weighted" else None
        means = [average_defined(of_order, weight) for of_order in values]
        return ValueRange(means[0], min(means), max(means))

    def measure_distance_in_orders(self, data_set: DataSet, reported: float) -> float | None:
        """Return how far the nearest value of an order of the tied samples is from a reported one.

        None if there are too many orders to try all of them.
        """
        ranked = self.rank(data_set)
        if isinstance(self.rule, StepOfFirst) or ranked.is_weighted:
            return None
        points = ranked.all_orders
        if points is None:
            values = list_values_of_counts(self.rule, ranked.points(), reported)
            if values is None:
                return None
            _, low, high = self.value(data_set)
            values = values[(values >= low - _MAX_ROUNDING) & (values <= high + _MAX_ROUNDING)]
        else:
            values = self._compute_values_of_orders(points, ranked.points())
        return float(np.abs(values - reported).min(initial=np.inf))

    def _compute_values_of_orders(self, points: OperatingPoints, grouped: OperatingPoints) -> Array:
        """Return the mean over the rankings in each order. `points` are those of all orders."""
        if self.rule.cut is not None:
            points = select_reached(points, self.rule.cut)
        values = self.rule.values(points)
        if self.empty is not None:
            values = np.where(np.isnan(values), self.empty, values)
        of_orders = values.reshape(-1, grouped.n_positives.size)
        weight = grouped.n_positives if self.average == "weighted" else np.ones(of_orders.shape[1])
        weights = np.where(np.isnan(of_orders), 0.0, weight)
        return divide_safely((weights * np.nan_to_num(of_orders)).sum(axis=1), weights.sum(axis=1))

    def values(self, data_set: DataSet) -> tuple[Array, OperatingPoints]:
        """Return the value of each ranking, and the points that it is computed from.

        The values are of shape (1, n_rankings). If the order of tied samples is open, the lowest
        and the highest values are two more rows.
        """
        data_set = self.rank(data_set)
        if isinstance(self.rule, Graded):
            orders = [self.order]
            if self.order in ASSUMED:
                orders += [Order.WORST, Order.BEST]
            points = data_set.points()
            values = [self.rule.evaluate_groups(data_set.order_grades(each)) for each in orders]
        else:
            rule, points = data_set.order_ties(self.rule, self.order)
            values = [rule.values(points)]
        if self.order in ASSUMED and not isinstance(self.rule, Graded):
            ties = ("grouped", "worst", "best")
            ordered = (data_set.select_first_points(self.rule.cut, each) for each in ties)
            values += compute_extremes(self.rule, *ordered)
        empty = nan if self.empty is None else self.empty
        return np.where(np.isnan(values), empty, values), points

    def simplify_on(self, data_set: DataSet) -> Self:
        """Return the plainest equivalent, without what makes no difference on this data."""
        rule, mistake, reading, order = self.rule, self.mistake, self.reading, self.order
        if reading is not Reading.EXACT and data_set.is_read_alike(mistake, reading):
            reading = Reading.EXACT
        data_set = data_set.as_read(reading)
        ranked = data_set.rank_by(mistake)
        if order is not Order.GROUPED and not ranked.has_ties(rule.cut):
            order = Order.GROUPED
        if isinstance(rule, StepOfFirst):
            if not ranked.has_split_tie(rule.cut):
                rule = AveragePrecisionAtK(k=rule.k, denominator="hits", k_counts="samples")
                order = Order.GROUPED
            elif ranked.is_weighted:
                order = Order.BY_ROW  # the range over all orders is not known with weights
        if isinstance(rule, RoundedLevels | LinearAfterFirst | DavisGoadrich):
            rule = rule.plainest(ranked.points())
        if hasattr(rule, "k_counts") and not ranked.is_weighted:
            rule = replace(rule, k_counts="weight")  # type: ignore[type-var]
        if mistake is FOUND_ONLY:
            with_missed = RETRIEVED if data_set.has_unretrieved else NO_MISTAKE
            divides_by_hits = self.empty == 0 and getattr(rule, "denominator", "") == "hits"
            exist = data_set.rank_by(with_missed).points().n_positives
            # If no group with rows misses positives, or if the rule doesn't use their number
            if divides_by_hits or np.array_equal(exist, ranked.points().n_positives):
                mistake, ranked = with_missed, data_set.rank_by(with_missed)
        empty, is_roc = self.empty, isinstance(rule, RocArea)
        if not ranked.has_empty and (not is_roc or ranked.has_negatives):
            empty = None if is_roc else 0.0
        return replace(self, rule=rule, mistake=mistake, reading=reading, order=order, empty=empty)


def list_definitions(data_set: DataSet, cut: Cut | None = None) -> list[Variant]:
    """Return all definitions, and what is often mistaken for average precision."""
    if cut is None:
        kept = [
            rule
            for rule in _RULES_WITHOUT_CUTOFF
            if not (rule.looks_for_first and data_set.is_weighted)
        ]
        plain = (Variant(rule).simplify_on(data_set) for rule in kept)
        return [*plain, Variant(variant_rules.RocArea(), empty=None)]
    with_weights = (rules.PrecisionAtK, rules.RecallAtK, rules.EnrichmentFactor)
    mean_of_precisions = data_set.make_mean_of_precisions(cut)
    at_k = list_step_rules(cut)
    if mean_of_precisions and not data_set.is_weighted:
        at_k.append(mean_of_precisions)
    at_k += [make(cut.k, k_counts=cut.counts) for make in with_weights]
    if not data_set.is_weighted:
        at_k += [rules.ReciprocalRankAtK(cut.k), rules.HitRateAtK(cut.k)]
    return [Variant(rule).simplify_on(data_set) for rule in at_k]


def list_tie_orders(data_set: DataSet, cut: Cut | None = None) -> Iterator[Variant]:
    """Yield the orders in which tied samples may be ranked, if there are any."""
    if data_set.is_weighted or not data_set.has_ties():
        return
    tied = [rule for rule in list_step_rules(cut) if data_set.has_ties(rule.cut)]
    for order in (Order.EXPECTED, Order.BY_ROW, Order.OPEN, Order.BEST, Order.WORST):
        for rule in tied:
            # The mean over all orders of a mean over hits isn't known.
            if order is Order.EXPECTED and getattr(rule, "denominator", "") == "hits":
                continue
            yield Variant(rule, order=order)
    by_row: list[rules.Rule] = [rules.Linear(), rules.RPrecision(), rules.ReciprocalRank()]
    if data_set.graded is not None:
        by_row.append(rules.NDCG())
    if cut is not None:
        by_row = [make(cut.k) for make in _COUNTS_AT_K]
        if data_set.graded is not None:
            by_row.append(rules.NDCGAtK(k=cut.k))
    for rule in by_row:
        if data_set.has_ties(rule.cut):
            yield Variant(rule, order=Order.BY_ROW)


_COUNTS_AT_K = (rules.PrecisionAtK, rules.RecallAtK, rules.ReciprocalRankAtK, rules.HitRateAtK)


def list_step_rules(cut: Cut | None) -> list[rules.Rule]:
    """Return step average precision, or with a cutoff AP@k with every denominator."""
    if cut is None:
        return [rules.Step()]
    return [
        rules.AveragePrecisionAtK(cut.k, k_counts=cut.counts, denominator=each)
        for each in DENOMINATORS
    ]
