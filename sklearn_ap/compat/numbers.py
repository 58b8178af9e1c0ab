"""Everything that goes by the name of average precision, and which tools compute it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import Any

from .._catalogue import DEFINITIONS
from ..core.cutoff import DEFAULT_COUNTS, DENOMINATORS, Cut
from ..core.rules import AtK, Linear, NPoint, PrecisionAtK, RecallAtK, Rule, Step
from .naming import name_of, rarity_of
from .orders import Order, has_ends
from .peers import PEERS, Peer
from .rules import (
    FloatGrid,
    MeanOfPrecisions,
    RocArea,
    RoundedLevels,
    StepOfFirst,
    WithArtificialPoint,
)
from .sample import AS_GIVEN, Reading, Sample, Slip, Value, View

_MOST_PRECISIONS = 100  # nobody reports a mean of more precisions than this
_BESIDE = (RocArea, PrecisionAtK, RecallAtK)  # not called average precision by anybody


_RARE_ORDERS = {
    Order.GROUPED: 0,
    Order.BY_ROW: 1,
    Order.LAST_ROW_FIRST: 1,
    Order.BY_ID: 1,
    Order.OPEN: 1,
    Order.EXPECTED: 2,
    Order.BEST: 2,
    Order.WORST: 2,
}
_RARE_SLIPS = {
    Slip.NONE: 0,
    Slip.POOLED: 1,
    Slip.UNWEIGHTED: 1,
    Slip.RETRIEVED: 1,
    Slip.FOUND_ONLY: 1,
    Slip.TURNED: 2,
    Slip.OTHER_CLASS: 2,
    Slip.OTHER_CLASS_TURNED: 2,
    Slip.PREDICTED: 2,
}


@dataclass(frozen=True)
class Number:
    """What is computed from a data set: a rule, and everything else that changes its value."""

    rule: Rule
    view: View = AS_GIVEN
    order: Order = Order.GROUPED
    empty: float | None = 0.0  # the value of a query without positives; None leaves it out
    average: str = "macro"

    @property
    def name(self) -> str:
        return "".join(
            (
                name_of(self.rule),
                self.order.value,
                self.view.reading.value,
                self.view.slip.value,
                self._empty(),
                ", groups weighted by their positives" * (self.average == "weighted"),
            )
        )

    @property
    def is_average_precision(self) -> bool:
        """Whether anybody calls it average precision."""
        return not isinstance(self.rule, _BESIDE)

    @property
    def rarity(self) -> int:
        """0 for what is usually reported, higher for what is rarely reported."""
        return (
            rarity_of(self.rule)
            + _RARE_ORDERS[self.order]
            + _RARE_SLIPS[self.view.slip]
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
        empty = nan if self.empty is None else self.empty
        return sample.value(self.rule, self.view, self.order, empty, self.average)

    def on(self, sample: Sample) -> "Number":
        """Return the plainest equivalent, without what makes no difference on this data."""
        view, order, rule = self.view, self.order, self.rule
        if sample.reads_alike(view):
            view = replace(view, reading=Reading.EXACT)
        if isinstance(rule, StepOfFirst) and not sample.cuts_tie(view, rule):
            rule, order = AtK(k=rule.k, denominator="hits", k_counts="samples"), Order.GROUPED
        if isinstance(rule, RoundedLevels) and rule.is_exact(sample.points(view).n_positives):
            rule = NPoint(11)
        if isinstance(rule, AtK | PrecisionAtK | RecallAtK) and not sample.is_weighted_in(view):
            rule = replace(rule, k_counts="weight")
        view = sample.plainest(view, only_hits=self.empty == 0 and _divides_by_hits(rule))
        if order is not Order.GROUPED and not sample.has_ties(view, rule):
            order = Order.GROUPED
        empty = self.empty
        if isinstance(rule, RocArea) and sample.has_negatives(view) and not sample.has_empty(view):
            empty = None
        elif not isinstance(rule, RocArea) and not sample.has_empty(view):
            empty = 0.0
        return replace(self, rule=rule, view=view, order=order, empty=empty)


class Numbers:
    """What can be computed from a data set, and which tools report it."""

    def __init__(self, sample: Sample, k_counts: str = DEFAULT_COUNTS) -> None:
        self.sample, self.k_counts = sample, k_counts
        self._peers = [peer for peer in PEERS if peer.is_known_on(sample)]

    def all(self, cut: Cut | None, is_guess: bool = False) -> Iterator[Number]:
        """Yield everything that a reported value may be, with fewer mistakes if k is a guess."""
        yield from self.definitions(cut)
        yield from self.beside(cut)
        yield from self.with_ties(cut)
        if not is_guess:
            yield from self.slips(cut)
        yield from self.of_groups(cut, is_guess)

    def definitions(self, cut: Cut | None = None) -> Iterator[Number]:
        """Yield all definitions, and the slips that are often made in them."""
        numbers = map(Number, _RULES if cut is None else self._rules_at(cut))
        yield from self._plainest(numbers)

    def beside(self, cut: Cut | None = None) -> Iterator[Number]:
        """Yield what is often mistaken for average precision."""
        if cut is None:
            yield Number(RocArea(), empty=None)
        else:
            options: dict[str, Any] = {"k": cut.k, "k_counts": self.k_counts}
            yield from self._plainest(Number(rule(**options)) for rule in (PrecisionAtK, RecallAtK))

    def of_peers(self, cut: Cut | None = None) -> Iterator[tuple[Number, Peer]]:
        """Yield what tools report, either those with a cut-off or those without.

        Tools whose value is not known on this data are left out.
        """
        k = None if cut is None else self.sample.rows_of(cut)
        if cut is not None and k is None:
            return
        for peer in self._peers:
            if isinstance(peer.rule, Rule) == (cut is None):
                rule = peer.rule_at(k)
                assert rule is not None
                rule = rule if cut is None else _cut_at(rule, cut)
                if _is_tried(rule):
                    yield from self._of_peer(peer, rule)

    def of_ids_that_rise(self, cut: Cut | None = None) -> Iterator[tuple[Number, Peer]]:
        """Yield what tools that sort by id report if ids increase with the rows."""
        for number, peer in self.of_peers(cut):
            if number.order is Order.BY_ID:
                yield replace(number, order=Order.LAST_ROW_FIRST), peer

    def with_ties(self, cut: Cut | None = None) -> Iterator[Number]:
        """Yield the orders in which tied samples may be ranked, if there are any."""
        rules = [Step()] if cut is None else [self._at(cut, d) for d in DENOMINATORS]
        for order in (Order.EXPECTED, Order.BY_ROW, Order.OPEN, Order.BEST, Order.WORST):
            for rule in rules:
                has_it = order is not Order.EXPECTED or not _divides_by_hits(rule)
                tied = not self.sample.is_weighted and self.sample.has_ties(AS_GIVEN, rule)
                if has_it and tied:
                    yield Number(rule, order=order)

    def slips(self, cut: Cut | None = None) -> Iterator[Number]:
        """Yield common definitions applied to data that was ranked by mistake."""
        rules: list[Rule] = [Step(), Linear()]
        if cut is not None:
            rules = [self._at(cut, "min"), self._at(cut, "relevant")]
        for slip in self.sample.slips:
            yield from self._plainest(Number(rule, View(slip)) for rule in rules)
        if cut is None and Slip.TURNED in self.sample.slips:
            yield Number(RocArea(), View(Slip.TURNED), empty=None)

    def of_groups(self, cut: Cut | None = None, is_guess: bool = False) -> Iterator[Number]:
        """Yield other means over the groups."""
        if not self.sample.is_grouped:
            return
        rules = [Step()] if cut is None else [self._at(cut, d) for d in DENOMINATORS]
        if not is_guess:
            yield from (Number(rule, average="weighted") for rule in rules)
        if self.sample.has_empty(AS_GIVEN):
            for empty in (1.0, None):
                numbers = (*self.definitions(cut),)
                yield from (replace(number, empty=empty) for number in numbers)

    # --- parts -----------------------------------------------------------------------------------

    def _plainest(self, numbers: Iterable[Number]) -> Iterator[Number]:
        return (number.on(self.sample) for number in numbers)

    def _at(self, cut: Cut, denominator: str) -> Rule:
        return AtK(k=cut.k, k_counts=self.k_counts, denominator=denominator)

    def _rules_at(self, cut: Cut) -> list[Rule]:
        rules = [self._at(cut, denominator) for denominator in DENOMINATORS]
        k = self.sample.rows_of(cut)
        if k is not None and not self.sample.is_weighted:
            rules.append(MeanOfPrecisions(k))
        return [rule for rule in rules if _is_tried(rule)]

    def _of_peer(self, peer: Peer, rule: Rule) -> Iterator[tuple[Number, Peer]]:
        sample, counts = self.sample, peer.no_positives.counts
        for slip, called in self._calls_of(peer):
            view = View(slip, peer.reading)
            if not sample.can_read(view):
                continue
            order = self._order_of(peer, rule, view)
            lacks_positives = counts is None and sample.has_empty(view)
            lacks_negatives = peer.needs_negatives and not sample.has_negatives(view)
            if order and not lacks_positives and not lacks_negatives:
                yield Number(rule, view, order, _as_empty(counts)).on(sample), called

    def _order_of(self, peer: Peer, rule: Rule, view: View) -> Order | None:
        """Return how the tool ranks these tied samples; None if that is not known."""
        order, sample = peer.ties.order, self.sample
        if not sample.has_ties(view, rule):
            return Order.GROUPED
        if isinstance(rule, StepOfFirst) and sample.is_weighted_in(view):
            return Order.BY_ROW  # the range over all orders is not known with weights
        if order is not Order.GROUPED and sample.is_weighted_in(view):
            return None
        if order is not None and order.is_open and not has_ends(rule):
            return None
        return order

    def _calls_of(self, peer: Peer) -> Iterator[tuple[Slip, Peer]]:
        """Yield the part of this data that the tool ranks, and how to call it for that."""
        sample = self.sample
        misses = sample.misses_positives or sample.has_unretrieved
        lacks_weights = sample.is_weighted and not peer.weights
        lacks_missed = misses and not peer.missed
        if lacks_weights and lacks_missed:
            return
        if lacks_weights:
            if sample.unweighted is not None:
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


def _divides_by_hits(rule: Rule) -> bool:
    return getattr(rule, "denominator", "") == "hits"


def _is_tried(rule: Rule) -> bool:
    return not isinstance(rule, MeanOfPrecisions) or rule.k <= _MOST_PRECISIONS


def _calls_without_rows(peer: Peer) -> Iterator[tuple[Slip, Peer]]:
    """Yield how to call a tool that counts missed positives if whole groups have no rows."""
    if peer.no_rows.slip is not None:
        yield peer.no_rows.slip, peer
    if option := peer.no_rows.option:
        yield Slip.NONE, replace(peer, function=f"{peer.function} with {option}")


def _cut_at(rule: Rule, cut: Cut) -> Rule:
    """Give a rule the share that was passed instead of the number of rows."""
    if isinstance(rule, AtK | PrecisionAtK | RecallAtK | StepOfFirst):
        return replace(rule, k=cut.k)
    return rule


def _as_empty(counts: float | None) -> float | None:
    return 0.0 if counts is None else None if counts != counts else counts


_RULES: tuple[Rule, ...] = (
    Step(),
    *(DEFINITIONS[name].rule() for name in ("envelope", "11-point", "101-point", "linear")),
    FloatGrid(11),
    FloatGrid(101),
    WithArtificialPoint(NPoint(11)),
    WithArtificialPoint(FloatGrid(11)),
)
