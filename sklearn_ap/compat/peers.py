"""Which tool computes which definition of average precision, or of a metric like it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from operator import attrgetter
from typing import Any

import numpy as np

from .._names import written
from .._toml import read_toml
from ..core.cutoff import DENOMINATORS, Cut
from ..core.rules import RULES, AtK, Rule
from . import rules
from .rules import OfK, Order
from .sample import Reading, Sample, Slip, Variant

# What a query or class without positives counts as in the mean; None leaves it out. With any other
# words, the mean is undefined, or was not examined.
COUNTS = {
    "0": 0.0,
    "0 and a warning": 0.0,
    "0.5 and a warning": 0.5,
    "1": 1.0,
    "left out": None,
    "-1, left out of the mean": None,
}


@dataclass(frozen=True)
class Peer:
    """A tool's function, and the definition that it computes.

    `compat.explain` and `compat.identify` list it next to the value that it returns. The fields
    after `package` tell them on which data they know that value.
    """

    tool: str
    version: str  # the version that was looked at, or the versions that the row is about
    function: str
    rule: Rule
    ties: str  # how it ranks tied samples
    no_positives: str  # the value of a query or class without positives
    trap: str = ""
    package: str = ""  # its name on PyPI, if the row is tested against the tool itself
    queries: bool = False  # whether it returns the mean over queries or classes
    missed: bool = False  # whether positives that were not retrieved count
    weights: bool = False  # whether it takes weights of samples
    reading: Reading = Reading.EXACT
    needs_negatives: bool = False  # whether it has no value without any
    is_known_on: Callable[[Sample], bool] = lambda sample: True  # data on which its value is known
    # Where positives that were not retrieved count: what it ranks if a query has no rows at all,
    # None if that is an error, and the option that makes such a query count as 0
    no_rows: Slip | None = Slip.NONE
    option: str = ""

    @property
    def definition(self) -> str:
        """The short name of what it computes."""
        return written(self.rule, "term")


def order_of(peer: Peer) -> Order:
    """Return how a tool ranks tied samples."""
    return Order[read_toml("compat/peers.toml")["orders"][peer.ties]]


def _are_plain_probabilities(sample: Sample) -> bool:
    """Between 0 and 1, and with the same ties as float32."""
    scores = sample.rankings.scores
    between = sample.has_numbers and bool(((scores >= 0) & (scores <= 1)).all())
    return between and sample.reads_alike(Slip.NONE, Reading.SINGLE)


def _positives_score_above_0(sample: Sample) -> bool:
    labels, scores = sample.rankings.labels, sample.rankings.scores
    return sample.has_numbers and bool((scores[labels] > 0).all())


def _are_few_and_the_best_is_untied(sample: Sample) -> bool:
    if not sample.all_have_weight:
        return False
    scores, points = sample.rankings.scores, sample.points()
    first = points.above == 0
    untied = np.array_equal(points.positives[first], points.total[first])
    return untied and np.unique(scores).size < 2000


_WITHOUT_K: tuple[Rule, ...] = (
    *(kind() for kind in RULES if not kind.number),
    *(rules.FloatGrid(11), rules.FloatGrid(101), rules.Curved(), rules.AfterFirst()),
    *(rules.RoundedLevels(0.5), rules.RoundedLevels(0.9), rules.RocArea()),
)
_OF_K: dict[str, Callable[..., Rule]] = {
    **{kind.term.format(n="k"): kind for kind in RULES if kind.number == "k"},
    **{f"AP@k / {each}": partial(AtK, denominator=each) for each in DENOMINATORS},
    "mean of P@1 to P@k": rules.MeanOfPrecisions,
}
# The definitions of peers.toml, by their names there
DEFINITIONS: dict[str, Rule] = {
    **{written(rule, "term"): rule for rule in _WITHOUT_K},
    **{name: OfK(name, make) for name, make in _OF_K.items()},
    "step of the k best rows": OfK("AP@k / hits", rules.StepOfFirst),
}
# What else peers.toml says in words
_MEANINGS: dict[str, dict[str, Any]] = {
    "reading": {"single": Reading.SINGLE, "close tied": Reading.CLOSE_TIED},
    "no_rows": {"left out": Slip.RETRIEVED, "an error": None},
    "is_known_on": {
        "all rows have weight": attrgetter("all_have_weight"),
        "the best rows have weight": attrgetter("best_have_weight"),
        "no ties": lambda sample: not sample.has_ties(Slip.NONE, None),
        "few scores, the best of them untied": _are_few_and_the_best_is_untied,
        "plain probabilities": _are_plain_probabilities,
        "positives score above 0": _positives_score_above_0,
        "nothing": lambda sample: False,
    },
}


@cache
def read_peers() -> tuple[Peer, ...]:
    """Read the rows of peers.toml."""
    rows = []
    for block in read_toml("compat/peers.toml")["peers"]:
        known = {name: words[block[name]] for name, words in _MEANINGS.items() if name in block}
        facts = block | known
        for function, definition in facts.pop("functions").items():
            rows.append(Peer(**facts, function=function, rule=DEFINITIONS[definition]))
    return tuple(rows)


# --- what they report on a data set --------------------------------------------------------------


def reports_on(sample: Sample) -> list[tuple[Variant, Peer]]:
    """Return what tools report, as far as it is known. Rules may still lack their k."""
    found = []
    for peer in read_peers():
        if not peer.is_known_on(sample):
            continue
        order, empty = order_of(peer), COUNTS.get(peer.no_positives, 0.0)
        if order is Order.BY_ID and sample.ids is not None:
            order = Order.BY_GIVEN_ID
        for slip, called in _slips_of(peer, sample):
            if (
                sample.can_read(slip, peer.reading)
                and (peer.no_positives in COUNTS or not sample.has_empty(slip))
                and (not peer.needs_negatives or sample.has_negatives(slip))
            ):
                report = Variant(peer.rule, slip, peer.reading, order, empty)
                found.append((report.on(sample), called))
    return found


def at_cut(
    reports: Iterable[tuple[Variant, Peer]], cut: Cut | None, sample: Sample
) -> dict[Variant, list[Peer]]:
    """Return the tools by what they report with this cut-off, or without any."""
    found: dict[Variant, Variant | None] = {}  # many tools do the same
    peers: dict[Variant, list[Peer]] = defaultdict(list)
    if cut is not None and sample.rows_of(cut) is None:
        return peers
    for report, peer in reports:
        if isinstance(report.rule, OfK) == (cut is not None):
            if report not in found:
                found[report] = report if cut is None else _with_k(report, cut, sample)
            variant = found[report]
            if variant is not None and variant.order is not Order.UNKNOWN:
                peers[variant].append(peer)
    return peers


def _with_k(report: Variant, cut: Cut, sample: Sample) -> Variant | None:
    assert isinstance(report.rule, OfK)
    rule: Rule | None = report.rule.make(k=cut.k)
    if isinstance(rule, rules.MeanOfPrecisions):
        rule = sample.mean_of_precisions(cut)
    return replace(report, rule=rule).on(sample) if rule else None


def _slips_of(peer: Peer, sample: Sample) -> list[tuple[Slip, Peer]]:
    """Return the part of this data that the tool ranks, and how to call it for that."""
    misses = sample.misses_positives or sample.has_unretrieved
    if sample.is_weighted and not peer.weights:
        return [(Slip.UNWEIGHTED, peer)] if Slip.UNWEIGHTED in sample.slips else []
    found = [(Slip.NONE, peer)]
    if misses and not peer.missed:
        found = [(Slip.FOUND_ONLY, peer)]
    elif sample.has_unretrieved:
        found = [] if peer.no_rows is None else [(peer.no_rows, peer)]
        if peer.option:
            found += [(Slip.NONE, replace(peer, function=f"{peer.function} with {peer.option}"))]
    if sample.is_grouped and not peer.queries and not (misses and peer.missed):
        found += [(Slip.POOLED, peer)]
    return found
