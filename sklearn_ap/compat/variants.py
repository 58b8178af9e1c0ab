"""Everything that is called average precision or mistaken for it, and which tools compute it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple

import numpy as np

from .._names import written
from ..core.cutoff import DENOMINATORS, Cut
from ..core.rankings import mean
from ..core.rules import AtK, Envelope, Linear, NPoint, PrecisionAtK, RecallAtK, Rule, Step
from .peers import COUNTS, ORDERS, PEERS, Peer
from .rules import (
    FloatGrid,
    MeanOfPrecisions,
    OfK,
    Order,
    RocArea,
    RoundedLevels,
    StepOfFirst,
    WithArtificialPoint,
    ends,
)
from .sample import AS_GIVEN, Reading, Sample, Slip, View

_MOST_PRECISIONS = 100  # nobody reports a mean of more precisions than this
_OF_K = (AtK, PrecisionAtK, RecallAtK)
_BESIDE = (RocArea, PrecisionAtK, RecallAtK)  # not called average precision by anybody
# How tools cope with weights, groups and missed positives; all other slips are made by people.
_SLIPS_OF_TOOLS = (Slip.POOLED, Slip.UNWEIGHTED, Slip.RETRIEVED, Slip.FOUND_ONLY)
# 0 for the usual rule, and 2 for those that are not listed.
_RARITY = {Step: 0, Envelope: 1, NPoint: 1, Linear: 1, AtK: 1} | dict.fromkeys(
    (WithArtificialPoint, MeanOfPrecisions), 3
)
_RARITY_OF_SLIP = {slip: 1 if slip in _SLIPS_OF_TOOLS else 2 for slip in Slip} | {Slip.NONE: 0}
_RARITY_OF_ORDER = {order: 1 if order.is_of_rows else 2 for order in Order}
_RARITY_OF_ORDER |= {Order.GROUPED: 0, Order.BY_GIVEN_ID: 0}


class Value(NamedTuple):
    """A value, and its range over the orders of tied samples that a tool leaves open."""

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Variant:
    """What is computed from a data set: a rule, and everything else that changes its value."""

    rule: Rule
    view: View = AS_GIVEN
    order: Order = Order.GROUPED
    empty: float | None = 0.0  # the value of a query without positives; None leaves it out
    average: str = "macro"

    @property
    def name(self) -> str:
        weighted = ", groups weighted by their positives" * (self.average == "weighted")
        ranked = f"{self.order.value}{self.view.reading.value}{self.view.slip.value}"
        return f"{written(self.rule, 'term')}{ranked}{self._empty()}{weighted}"

    @property
    def is_average_precision(self) -> bool:
        """Whether anybody calls it average precision."""
        return not isinstance(self.rule, _BESIDE)

    @property
    def rarity(self) -> int:
        """0 for what is usually reported, higher for what is rarely reported."""
        return (
            _RARITY.get(type(self.rule), 2)
            + _RARITY_OF_ORDER[self.order]
            + _RARITY_OF_SLIP[self.view.slip]
            + (self.empty != 0 and not isinstance(self.rule, RocArea))
            + (self.average != "macro")
        )

    def _empty(self) -> str:
        if isinstance(self.rule, RocArea):
            return f", one class alone: {self.empty:g}" if self.empty else ""
        if self.empty is None:
            return ", no positives: left out"
        return f", no positives: {self.empty:g}" if self.empty else ""

    def value(self, sample: Sample) -> Value:
        rule, points = sample.in_order(self.rule, self.view, self.order)
        weight = points.n_positives if self.average == "weighted" else None
        empty = nan if self.empty is None else self.empty
        if weight is not None and not weight.any():
            return Value(empty, empty, empty)  # the mean is 0/0 too
        values = [rule.values(points)]
        if self.order.is_open:
            values += ends(self.rule, sample.orders(self.view, self.rule.depth))
        means = [mean(np.where(np.isnan(each), empty, each), weight) for each in values]
        return Value(means[0], min(means), max(means))

    def on(self, sample: Sample) -> "Variant":
        """Return the plainest equivalent, without what makes no difference on this data."""
        view, order, rule, empty = self.view, self.order, self.rule, self.empty
        if view.reading is not Reading.EXACT and sample.reads_alike(view):
            view = View(view.slip)
        if isinstance(rule, StepOfFirst) and not sample.cuts_tie(view, rule.depth):
            rule = AtK(k=rule.k, denominator="hits", k_counts="samples")
            order = Order.GROUPED
        if isinstance(rule, RoundedLevels) and rule.is_exact(sample.points(view).n_positives):
            rule = NPoint(11)
        if (
            isinstance(rule, _OF_K)
            and rule.k_counts != "weight"
            and not sample.is_weighted_in(view)
        ):
            rule = replace(rule, k_counts="weight")
        if view.slip is Slip.FOUND_ONLY:
            view = sample.plainest(view, only_hits=empty == 0 and _divides_by_hits(rule))
        is_roc = isinstance(rule, RocArea)
        if not sample.has_empty(view) and (not is_roc or sample.has_negatives(view)):
            empty = None if is_roc else 0.0
        return Variant(rule, view, order, empty)


class _Call(NamedTuple):
    """What tools have in common that report the same value for each cut-off."""

    rule: Rule | OfK
    view: View
    ties: Order | None
    empty: float | None

    def on(self, sample: Sample) -> "_Call":
        """Return the plainest equivalent as far as it doesn't depend on the cut-off."""
        rule, view, ties, empty = self
        if view.reading is not Reading.EXACT and sample.reads_alike(view):
            view = View(view.slip)
        if not sample.has_ties(view, None):
            ties = Order.GROUPED
        if view.slip is not Slip.FOUND_ONLY and not isinstance(rule, RocArea):
            empty = empty if sample.has_empty(view) else 0.0
        return _Call(rule, view, ties, empty)


class Variants:
    """What can be computed from a data set, and which tools report it."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._calls = {False: [*self._calls_of(False)], True: [*self._calls_of(True)]}

    def all(self, cut: Cut | None, is_guess: bool = False) -> list[Variant]:
        """Return everything that a reported value may be, with fewer mistakes if k is a guess."""
        return [
            *self.definitions(cut),
            *self.with_ties(cut),
            *(() if is_guess else self.slips(cut)),
            *self.of_groups(cut, is_guess),
        ]

    def definitions(self, cut: Cut | None = None) -> list[Variant]:
        """Return all definitions, and what is often mistaken for average precision."""
        if cut is None:
            return [*self._plainest(_RULES), Variant(RocArea(), empty=None)]
        k = None if self.sample.is_weighted else self.sample.rows_of(cut)
        means = [MeanOfPrecisions(k)] if k is not None and k <= _MOST_PRECISIONS else []
        beside = [kind(cut.k, k_counts=cut.counts) for kind in (PrecisionAtK, RecallAtK)]
        return self._plainest([*_steps(cut), *means, *beside])

    def of_peers(self, cut: Cut | None = None) -> list[tuple[Variant, Peer]]:
        """Return what tools report, either those with a cut-off or those without.

        Tools whose value is not known on this data are left out.
        """
        rows = None if cut is None else self.sample.rows_of(cut)
        if cut is not None and rows is None:
            return []
        reports = []
        found: dict[_Call, Variant | None] = {}  # many tools do the same
        for call, peer in self._calls[cut is not None]:
            if call not in found:
                found[call] = self._reported(call, cut, rows)
            if variant := found[call]:
                reports.append((variant, peer))
        return reports

    def with_ties(self, cut: Cut | None = None) -> Iterator[Variant]:
        """Yield the orders in which tied samples may be ranked, if there are any."""
        if self.sample.is_weighted or not self.sample.has_ties(AS_GIVEN, None):
            return
        tied = [rule for rule in _steps(cut) if self.sample.has_ties(AS_GIVEN, rule.depth)]
        for order in (Order.EXPECTED, Order.BY_ROW, Order.OPEN, Order.BEST, Order.WORST):
            for rule in tied:
                if order is not Order.EXPECTED or not _divides_by_hits(rule):
                    yield Variant(rule, order=order)

    def slips(self, cut: Cut | None) -> Iterator[Variant]:
        """Yield common definitions applied to data that was ranked by mistake."""
        rules = [Step(), Linear()] if cut is None else _steps(cut)[:2]  # / min and / relevant
        for slip in self.sample.slips:
            yield from self._plainest(rules, View(slip))
        if cut is None:
            yield Variant(RocArea(), View(Slip.TURNED), empty=None)

    def of_groups(self, cut: Cut | None, is_guess: bool) -> Iterator[Variant]:
        """Yield other means over the groups."""
        if not self.sample.is_grouped:
            return
        if not is_guess:
            yield from (Variant(rule, average="weighted") for rule in _steps(cut))
        if self.sample.has_empty(AS_GIVEN):
            variants = [each for each in self.definitions(cut) if each.is_average_precision]
            for empty in (1.0, None):
                yield from (replace(variant, empty=empty) for variant in variants)

    # --- parts -----------------------------------------------------------------------------------

    def _plainest(self, rules: Iterable[Rule], view: View = AS_GIVEN) -> list[Variant]:
        return [Variant(rule, view).on(self.sample) for rule in rules]

    def _calls_of(self, with_cut: bool) -> Iterator[tuple["_Call", Peer]]:
        """Yield how the tools with or without a cut-off rank this data, as far as it is known."""
        sample = self.sample
        for peer in PEERS:
            if isinstance(peer.rule, OfK) != with_cut or not peer.is_known_on(sample):
                continue
            is_examined = peer.no_positives in COUNTS
            for slip, called in self._slips_of(peer):
                view = View(slip, peer.reading)
                if not sample.can_read(view):
                    continue
                lacks_positives = not is_examined and sample.has_empty(view)
                lacks_negatives = peer.needs_negatives and not sample.has_negatives(view)
                if not lacks_positives and not lacks_negatives:
                    empty = COUNTS.get(peer.no_positives, 0.0)
                    yield _Call(peer.rule, view, ORDERS[peer.ties], empty).on(sample), called

    def _reported(self, call: "_Call", cut: Cut | None, rows: int | None) -> Variant | None:
        rule = call.rule if isinstance(call.rule, Rule) else call.rule.make(k=cut and cut.k)
        if isinstance(rule, MeanOfPrecisions):
            if rows is None or rows > _MOST_PRECISIONS:
                return None
            rule = MeanOfPrecisions(rows)
        order = call.ties if call.ties is Order.GROUPED else self._order_of(call, rule)
        return order and Variant(rule, call.view, order, call.empty).on(self.sample)

    def _order_of(self, call: "_Call", rule: Rule) -> Order | None:
        """Return how the tool ranks these tied samples; None if that is not known."""
        if not self.sample.has_ties(call.view, rule.depth):
            return Order.GROUPED
        if isinstance(rule, StepOfFirst) and self.sample.is_weighted_in(call.view):
            return Order.BY_ROW  # the range over all orders is not known with weights
        if call.ties is Order.BY_ID and self.sample.ids is not None:
            return Order.BY_GIVEN_ID
        return call.ties

    def _slips_of(self, peer: Peer) -> Iterator[tuple[Slip, Peer]]:
        """Yield the part of this data that the tool ranks, and how to call it for that."""
        sample = self.sample
        misses = sample.misses_positives or sample.has_unretrieved
        lacks_weights = sample.is_weighted and not peer.weights
        lacks_missed = misses and not peer.missed
        if lacks_weights:
            if sample.unweighted is not None:  # without them, it is not known what is missed
                yield Slip.UNWEIGHTED, peer
        elif lacks_missed:
            yield Slip.FOUND_ONLY, peer
        elif sample.has_unretrieved:
            yield from _calls_without_rows(peer)
        else:
            yield Slip.NONE, peer
        pools = sample.is_grouped and not peer.queries and not lacks_weights
        if pools and (lacks_missed or not misses):
            yield Slip.POOLED, peer


def _steps(cut: Cut | None) -> list[Rule]:
    """Return step average precision, or with a cut-off AP@k with every denominator."""
    if cut is None:
        return [Step()]
    return [AtK(cut.k, k_counts=cut.counts, denominator=each) for each in DENOMINATORS]


def _divides_by_hits(rule: Rule) -> bool:
    return getattr(rule, "denominator", "") == "hits"


def _calls_without_rows(peer: Peer) -> Iterator[tuple[Slip, Peer]]:
    """Yield how to call a tool that counts missed positives if whole groups have no rows."""
    if peer.no_rows is not None:
        yield peer.no_rows, peer
    if peer.option:
        yield Slip.NONE, replace(peer, function=f"{peer.function} with {peer.option}")


_RULES: tuple[Rule, ...] = (
    Step(),
    Envelope(),
    NPoint(11),
    NPoint(101),
    Linear(),
    FloatGrid(11),
    FloatGrid(101),
    WithArtificialPoint(NPoint(11)),
    WithArtificialPoint(FloatGrid(11)),
)
