"""The definitions that may have produced a value, and what the terms in their names mean."""

from collections.abc import Iterator

from .._package.toml import read_toml
from ..core import rules
from ..core.cutoff import DENOMINATORS, Cut
from . import variant_rules
from .data_sets import DataSet, Slip
from .variant_rules import Order
from .variants import Variant

AREA_RULES = (rules.Step(), rules.Envelope(), rules.NPoint(11), rules.NPoint(101), rules.Linear())

_COMMON_TARGETS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99)

TARGET_RULES = (
    *map(rules.PrecisionAtRecall, _COMMON_TARGETS),
    *map(rules.RecallAtPrecision, _COMMON_TARGETS),
)

R40 = variant_rules.LevelRange(40, first=1, parts=40)

_RULES_WITHOUT_CUTOFF: tuple[rules.Rule, ...] = (
    *(*AREA_RULES, rules.FloatGrid(11), rules.FloatGrid(101)),
    *(R40, variant_rules.AveragePrecisionAtR()),
    *map(variant_rules.WithArtificialPoint, (rules.NPoint(11), rules.FloatGrid(11))),
    *(rules.RPrecision(), rules.ReciprocalRank()),
    *(rules.PrecisionAtRecall(0.9), rules.RecallAtPrecision(0.9)),
)


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
    if data_set.is_weighted or not data_set.has_ties(Slip.NONE, None):
        return
    tied = [rule for rule in list_step_rules(cut) if data_set.has_ties(Slip.NONE, rule.depth)]
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
        if data_set.has_ties(Slip.NONE, rule.depth):
            yield Variant(rule, order=Order.BY_ROW)


_COUNTS_AT_K = (*(rules.PrecisionAtK, rules.RecallAtK, rules.ReciprocalRankAtK, rules.HitRateAtK),)


def list_step_rules(cut: Cut | None) -> list[rules.Rule]:
    """Return step average precision, or with a cutoff AP@k with every denominator."""
    if cut is None:
        return [rules.Step()]
    return [
        rules.AveragePrecisionAtK(cut.k, k_counts=cut.counts, denominator=each)
        for each in DENOMINATORS
    ]


# Terms that the names contain, such as orders of ties. Of overlapping ones, the longest one counts.
TERMS: dict[str, str] = read_toml("compat/peers.toml")["terms"]
