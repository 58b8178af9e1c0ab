"""Everything that is called average precision or mistaken for it, and which tools compute it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import nan

from .._catalogue import DEFINITIONS
from ..core.cutoff import DENOMINATORS, Cut
from ..core.rules import AtK, Linear, NPoint, PrecisionAtK, RecallAtK, Rule, Step
from .naming import name_of, rarity_of
from .orders import Order
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
# How tools cope with weights, groups and missed positives; all other slips are made by people.
_SLIPS_OF_TOOLS = (Slip.POOLED, Slip.UNWEIGHTED, Slip.RETRIEVED, Slip.FOUND_ONLY)


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
        return f"{name_of(self.rule)}{ranked}{self._empty()}{weighted}"

    @property
    def is_average_precision(self) -> bool:
        """Whether anybody calls it average precision."""
        return not isinstance(self.rule, _BESIDE)

    @property
    def rarity(self) -> int:
        """0 for what is usually reported, higher for what is rarely reported."""
        return (
            rarity_of(self.rule)
            + _rarity_of_order(self.order)
            + _rarity_of_slip(self.view.slip)
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

    def on(self, sample: Sample) -> "Variant":
        """Return the plainest equivalent, without what makes no difference on this data."""
        view, order, rule, empty = self.view, self.order, self.rule, self.empty
        if view.reading is not Reading.EXACT and sample.reads_alike(view):
            view = View(view.slip)
        if isinstance(rule, StepOfFirst) and not sample.cuts_tie(view, rule):
            rule = AtK(k=rule.k, denominator="hits", k_counts="samples")
            order = Order.GROUPED
        if isinstance(rule, RoundedLevels) and rule.is_exact(sample.points(view).n_positives):
            rule = NPoint(11)
        if isinstance(rule, AtK | PrecisionAtK | RecallAtK) and not sample.is_weighted_in(view):
            rule = replace(rule, k_counts="weight")
        view = sample.plainest(view, only_hits=empty == 0 and _divides_by_hits(rule))
        is_roc = isinstance(rule, RocArea)
        if not sample.has_empty(view) and (not is_roc or sample.has_negatives(view)):
            empty = None if is_roc else 0.0
        return Variant(rule, view, order, empty)


def _rarity_of_order(order: Order) -> int:
    return 0 if order in (Order.GROUPED, Order.BY_GIVEN_ID) else 1 if order.is_of_rows else 2


def _rarity_of_slip(slip: Slip) -> int:
    return 0 if slip is Slip.NONE else 1 if slip in _SLIPS_OF_TOOLS else 2


class Variants:
    """What can be computed from a data set, and which tools report it."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._peers = [peer for peer in PEERS if peer.is_known_on(sample)]

    def all(self, cut: Cut | None, is_guess: bool = False) -> Iterator[Variant]:
        """Yield everything that a reported value may be, with fewer mistakes if k is a guess."""
        yield from self.definitions(cut)
        yield from self.beside(cut)
        yield from self.with_ties(cut)
        if not is_guess:
            yield from self.slips(cut)
        yield from self.of_groups(cut, is_guess)

    def definitions(self, cut: Cut | None = None) -> Iterator[Variant]:
        """Yield all definitions, and the slips that are often made in them."""
        if cut is None:
            return self._plainest(_RULES)
        k = None if self.sample.is_weighted else self.sample.rows_of(cut)
        means = [MeanOfPrecisions(k)] if k is not None and k <= _MOST_PRECISIONS else []
        return self._plainest([*_steps(cut), *means])

    def beside(self, cut: Cut | None) -> Iterator[Variant]:
        """Yield what is often mistaken for average precision."""
        if cut is None:
            return iter([Variant(RocArea(), empty=None)])
        return self._plainest(
            [PrecisionAtK(cut.k, k_counts=cut.counts), RecallAtK(cut.k, k_counts=cut.counts)]
        )

    def of_peers(self, cut: Cut | None = None) -> Iterator[tuple[Variant, Peer]]:
        """Yield what tools report, either those with a cut-off or those without.

        Tools whose value is not known on this data are left out.
        """
        rows = None if cut is None else self.sample.rows_of(cut)
        if cut is not None and rows is None:
            return
        for peer in self._peers:
            if isinstance(peer.rule, Rule) == (cut is None):
                rule = peer.rule_at(cut.k if cut else None)
                if not isinstance(rule, MeanOfPrecisions):
                    yield from self._of_peer(peer, rule)
                elif rows is not None and rows <= _MOST_PRECISIONS:
                    yield from self._of_peer(peer, MeanOfPrecisions(rows))

    def with_ties(self, cut: Cut | None = None) -> Iterator[Variant]:
        """Yield the orders in which tied samples may be ranked, if there are any."""
        if self.sample.is_weighted:
            return
        for order in (Order.EXPECTED, Order.BY_ROW, Order.OPEN, Order.BEST, Order.WORST):
            for rule in _steps(cut):
                has_it = order is not Order.EXPECTED or not _divides_by_hits(rule)
                if has_it and self.sample.has_ties(AS_GIVEN, rule):
                    yield Variant(rule, order=order)

    def slips(self, cut: Cut | None) -> Iterator[Variant]:
        """Yield common definitions applied to data that was ranked by mistake."""
        rules = [Step(), Linear()] if cut is None else [_at(cut, "min"), _at(cut, "relevant")]
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
            for empty in (1.0, None):
                yield from (replace(variant, empty=empty) for variant in self.definitions(cut))

    # --- parts -----------------------------------------------------------------------------------

    def _plainest(self, rules: Iterable[Rule], view: View = AS_GIVEN) -> Iterator[Variant]:
        return (Variant(rule, view).on(self.sample) for rule in rules)

    def _of_peer(self, peer: Peer, rule: Rule) -> Iterator[tuple[Variant, Peer]]:
        sample, counts = self.sample, peer.no_positives.counts
        for slip, called in self._calls_of(peer):
            view = View(slip, peer.reading)
            if not sample.can_read(view):
                continue
            order = self._order_of(peer, rule, view)
            lacks_positives = counts is None and sample.has_empty(view)
            lacks_negatives = peer.needs_negatives and not sample.has_negatives(view)
            if order and not lacks_positives and not lacks_negatives:
                yield Variant(rule, view, order, _as_empty(counts)).on(sample), called

    def _order_of(self, peer: Peer, rule: Rule, view: View) -> Order | None:
        """Return how the tool ranks these tied samples; None if that is not known."""
        if not self.sample.has_ties(view, rule):
            return Order.GROUPED
        if isinstance(rule, StepOfFirst) and self.sample.is_weighted_in(view):
            return Order.BY_ROW  # the range over all orders is not known with weights
        if peer.ties.order is Order.BY_ID and self.sample.ids is not None:
            return Order.BY_GIVEN_ID
        return peer.ties.order

    def _calls_of(self, peer: Peer) -> Iterator[tuple[Slip, Peer]]:
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


def _at(cut: Cut, denominator: str) -> Rule:
    return AtK(cut.k, k_counts=cut.counts, denominator=denominator)


def _steps(cut: Cut | None) -> list[Rule]:
    """Return step average precision, or with a cut-off AP@k with every denominator."""
    return [Step()] if cut is None else [_at(cut, each) for each in DENOMINATORS]


def _divides_by_hits(rule: Rule) -> bool:
    return getattr(rule, "denominator", "") == "hits"


def _calls_without_rows(peer: Peer) -> Iterator[tuple[Slip, Peer]]:
    """Yield how to call a tool that counts missed positives if whole groups have no rows."""
    if peer.no_rows.slip is not None:
        yield peer.no_rows.slip, peer
    if option := peer.no_rows.option:
        yield Slip.NONE, replace(peer, function=f"{peer.function} with {option}")


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
