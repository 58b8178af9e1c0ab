"""What other tools compute, and which of them report a value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from math import inf, nan
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from .._inputs.metric_names import write_rule
from .._package import read_toml
from ..core import rules
from ..core.cutoff import DENOMINATORS, Cut
from ..core.ragged import Array
from . import level_rules, variant_rules
from .data_sets import DataSet
from .mistakes import (
    BOTH_CLASSES,
    BOTH_COLUMNS,
    FOUND_ONLY,
    NO_MISTAKE,
    POOLED,
    RETRIEVED,
    UNWEIGHTED,
    Mistake,
)
from .readings import Reading, ThresholdBins, read_bins
from .tie_orders import Order
from .variant_rules import RuleWithoutCutoff
from .variants import AREA_RULES, R40, Variant

# What is returned for a query or class without positives, in the words of peers.toml
_RETURNED_WITHOUT_POSITIVES: dict[str, float] = read_toml("compat/peers.toml")["no_positives"]
_AN_ERROR = "an error"
# What it counts as in the mean; None leaves it out
VALUES_WITHOUT_POSITIVES: dict[str, float | None] = {
    **_RETURNED_WITHOUT_POSITIVES,
    **dict.fromkeys(("left out", "-1, left out of the mean")),
}
_GIVEN_ORDERS = ("the caller's order", "the model's order")  # of tied samples

_VERSION_RANGE = re.compile(r"(\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?)| and (later))?")

MAX_NAMED_TOOLS = 3  # that a cell names
_MAX_TOOLS_IN_ROW = 2  # so that a row is a line


@dataclass(frozen=True)
class Peer:
    """A tool's function, and the definition that it computes.

    `compat.explain` and `compat.identify` list it next to the value that it returns. The fields
    after `package` say for which data that value is known.

    See Also
    --------
    explain : Show the values of all tools on your data.

    Examples
    --------
    >>> from sklearn_ap.compat import PEERS
    >>> [peer.function for peer in PEERS if peer.tool == "ranx"][:2]
    ["evaluate(metrics='map')", "evaluate(metrics='map@k')"]
    """

    tool: str
    version: str  # the version that was looked at, or the versions that the row is about
    function: str
    rule: rules.Rule
    ties: str  # how it ranks tied samples
    no_positives: str  # the value of a query or class without positives
    trap: str = ""
    package: str = ""  # its name on PyPI, if the row is tested against the tool itself
    source: str = ""  # how the row is known otherwise, such as "run in 0.4.3" or "read in 2.9.0"
    queries: bool = False  # whether it returns the mean over queries or classes
    missed: bool = False  # whether positives that were not retrieved count
    weights: bool = False  # whether it takes weights of samples
    reading: Reading | ThresholdBins = Reading.EXACT
    ranks: Mistake = NO_MISTAKE  # what it ranks besides the scores of the positives
    average: str = "macro"  # over both classes
    is_setting: bool = False  # whether only an option computes this; `explain` leaves it out
    needs_negatives: bool = False  # whether it has no value without any
    is_known_on: Callable[[DataSet], bool] = lambda data_set: True  # where its value is known
    # Where positives that were not retrieved count: what it ranks if a query has no rows at all,
    # None if that is an error, and the option that makes such a query count as 0
    no_rows: Mistake | None = NO_MISTAKE
    option: str = ""

    @property
    def definition(self) -> str:
        """The short name of the definition that it computes."""
        return write_rule(self.rule, "term")

    @property
    def keeps_given_order(self) -> bool:
        """Whether it ranks tied samples in the order in which it gets them."""
        return self.ties in _GIVEN_ORDERS

    @property
    def raises_without_positives(self) -> bool:
        return self.no_positives == _AN_ERROR


Peer.__module__ = "sklearn_ap.compat"  # where users find it


def find_order(peer: Peer) -> Order:
    """Return how a tool ranks tied samples."""
    return Order[read_toml("compat/peers.toml")["orders"][peer.ties]]


def find_value_of_one_class(peer: Peer, aspect: str, expected: Array) -> Array | float:
    """Return what a tool returns for rankings with one class; nan for an error.

    The aspect is "no positives", "all positives" or "one sample", and the expected values are those
    of the definition, nan where it is undefined.
    """
    undefined = _RETURNED_WITHOUT_POSITIVES.get(peer.no_positives, nan)
    if aspect == "no positives":
        return undefined
    if peer.needs_negatives:
        return nan
    return np.where(np.isnan(expected), undefined, expected)


def _has_plain_probabilities(data_set: DataSet) -> bool:
    """Between 0 and 1, and with the same ties as float32."""
    return data_set.are_probabilities and data_set.is_read_alike(NO_MISTAKE, Reading.SINGLE)


def _has_positives_above_0(data_set: DataSet) -> bool:
    return bool((data_set.rankings.scores[data_set.rankings.labels] > 0).all())


def _has_three_decimals(data_set: DataSet) -> bool:
    scores = data_set.rankings.scores
    return data_set.are_probabilities and bool((scores == np.round(scores.astype(float), 3)).all())


def _has_several_scores(data_set: DataSet) -> bool:
    return bool((np.diff(data_set.points().offsets) > 1).all())


def _has_rows_in_rank_order(data_set: DataSet) -> bool:
    """Whether scores fall from row to row of each group."""
    rankings = data_set.rankings
    group = rankings.group_of_rows
    rows = np.argsort(group, kind="stable")
    is_same_group = group[rows][1:] == group[rows][:-1]
    falls = rankings.scores[rows][1:] < rankings.scores[rows][:-1]
    return bool(falls[is_same_group].all())


def _has_few_scores_and_untied_best(data_set: DataSet) -> bool:
    points = data_set.points()
    first = points.above == 0
    untied = np.array_equal(points.positives[first], points.total[first])
    return untied and data_set.has_only_positive_weights and data_set.distinct_scores < 2000


_RULES_WITHOUT_K: list[rules.Rule] = [
    *AREA_RULES,
    rules.FloatGrid(11),
    rules.FloatGrid(101),
    rules.RPrecision(),
    rules.ReciprocalRank(),
    R40,
    variant_rules.AveragePrecisionAtR(),
    variant_rules.Curved(),
    variant_rules.DavisGoadrich(),
    variant_rules.LinearAfterFirst(),
    variant_rules.LinesBetweenHighest(),
    level_rules.LinesBetweenLevels(101),
    level_rules.LinesToFullRecall(101),
    variant_rules.RocArea(),
    level_rules.RoundedLevels(0.5),
    level_rules.RoundedLevels(0.9),
    variant_rules.SortedByRecall(),
    level_rules.WrongEnvelope(rules.FloatGrid(101), level_rules.WrongHeight.WITHOUT_MAXIMUM),
]

_RULES_WITH_K: dict[str, Callable[..., rules.Rule]] = {
    **{
        f"AP@k / {each}": partial(rules.AveragePrecisionAtK, denominator=each)
        for each in DENOMINATORS
    },
    "mean of P@1 to P@k": variant_rules.MeanOfPrecisions,
    "precision@k": rules.PrecisionAtK,
    "recall@k": rules.RecallAtK,
    "recall@k / min": partial(rules.RecallAtK, denominator="min"),
    "hit rate@k": rules.HitRateAtK,
    "reciprocal rank@k": rules.ReciprocalRankAtK,
    "enrichment factor@k": rules.EnrichmentFactor,
}

# The definitions of peers.toml, by their keys there
RULES_BY_DEFINITION: dict[str, rules.Rule] = {
    **{write_rule(rule, "term"): rule for rule in _RULES_WITHOUT_K},
    **{name: RuleWithoutCutoff(name, make) for name, make in _RULES_WITH_K.items()},
    "step of the k best rows": RuleWithoutCutoff("AP@k / hits", variant_rules.StepOfFirst),
}

# What else peers.toml says in words
_FIELD_VALUES: dict[str, dict[str, Any]] = {
    "reading": {"single": Reading.SINGLE, "close tied": Reading.CLOSE_TIED},
    "ranks": {"both classes": BOTH_CLASSES, "both columns": BOTH_COLUMNS},
    "no_rows": {"left out": RETRIEVED, "an error": None},
    "is_known_on": {
        "all rows have weight": attrgetter("has_only_positive_weights"),
        "no ties": lambda data_set: not data_set.has_ties(),
        "few scores, the best of them untied": _has_few_scores_and_untied_best,
        "plain probabilities": _has_plain_probabilities,
        "at most 3 decimals, from 0 to 1": _has_three_decimals,
        "at most 400 distinct scores": lambda data_set: data_set.distinct_scores <= 400,
        "positives score above 0": _has_positives_above_0,
        "at most two tied positives": lambda data_set: bool(
            (data_set.rank_by(UNWEIGHTED).points().positives <= 2).all()
        ),
        "several scores in each group": _has_several_scores,
        "rows in the order of their ranks": _has_rows_in_rank_order,
        "nothing": lambda data_set: False,
    },
}


def _read_peers(block: dict[str, Any]) -> Iterator[Peer]:
    """Yield the tools of a block of peers.toml."""
    meant = {name: _FIELD_VALUES[name][block[name]] for name in block.keys() & _FIELD_VALUES.keys()}
    fields = block | meant
    # All but these are fields of Peer.
    functions = fields.pop("functions")
    for name in ("thresholds", "scores_at_a_threshold"):  # of bins, each of which is a tool
        fields.pop(name, None)
    for function, definition in functions.items():
        peer = Peer(**fields, function=function, rule=RULES_BY_DEFINITION[definition])
        for bins in read_bins(block):
            n_thresholds = bins.n_thresholds
            call = function.replace("=n", f"={n_thresholds}")
            yield replace(peer, function=call, reading=bins)
        if "thresholds" not in block:
            yield peer


PEERS = tuple(chain.from_iterable(map(_read_peers, read_toml("compat/peers.toml")["peers"])))
# The first row of each function of a tool, which has the newest version
_NEWEST = {(peer.tool, peer.function): peer for peer in reversed(PEERS)}


def list_reports(data_set: DataSet) -> list[tuple[Variant, Peer]]:
    """Return what tools report, as far as it is known. Rules may still lack their k."""
    reports = []
    for peer in PEERS:
        if not peer.is_known_on(data_set):
            continue
        order, empty = find_order(peer), VALUES_WITHOUT_POSITIVES.get(peer.no_positives, 0.0)
        if order is Order.BY_ID and data_set.ids is not None:
            order = Order.BY_GIVEN_ID
        for mistake, peer_with_option in _list_possible_mistakes(peer, data_set):
            ranked = data_set.rank_by(mistake)
            if not data_set.can_read(mistake, peer.reading):
                continue
            if peer.no_positives not in VALUES_WITHOUT_POSITIVES and ranked.has_empty:
                continue
            if peer.needs_negatives and not ranked.has_negatives:
                continue
            report = Variant(peer.rule, mistake, peer.reading, order, empty, peer.average)
            reports.append((report.simplify_on(data_set), peer_with_option))
    return reports


def group_peers_by_variant(
    reports: Iterable[tuple[Variant, Peer]], cut: Cut | None, data_set: DataSet
) -> dict[Variant, list[Peer]]:
    """Return the tools by what they report with this cutoff, or without any.

    The reports are those of `list_reports`.
    """
    peers: dict[Variant, list[Peer]] = defaultdict(list)
    if cut is not None and data_set.count_rows(cut) is None:
        return peers

    @cache  # as many tools do the same
    def select_variant(report: Variant) -> Variant | None:
        return report if cut is None else _with_k(report, cut, data_set)

    for report, peer in reports:
        if isinstance(report.rule, RuleWithoutCutoff) == (cut is not None):
            variant = select_variant(report)
            if variant is not None and variant.order is not Order.UNKNOWN:
                peers[variant].append(peer)
    return peers


def _with_k(report: Variant, cut: Cut, data_set: DataSet) -> Variant | None:
    """Return a report whose rule has its k, or None if nobody would report that."""
    assert isinstance(report.rule, RuleWithoutCutoff)
    rule: rules.Rule | None = report.rule.make(k=cut.k)
    if isinstance(rule, variant_rules.MeanOfPrecisions):
        rule = data_set.make_mean_of_precisions(cut)
    return replace(report, rule=rule).simplify_on(data_set) if rule else None


def _list_possible_mistakes(peer: Peer, data_set: DataSet) -> list[tuple[Mistake, Peer]]:
    """Return what the tool may rank of this data, with how to call it for that."""
    misses = data_set.misses_positives or data_set.has_unretrieved
    lacks_weights = data_set.is_weighted and not peer.weights
    if peer.ranks is not NO_MISTAKE:
        is_possible = peer.ranks in data_set.mistakes and not lacks_weights
        return [(peer.ranks, peer)] if is_possible else []
    if lacks_weights:
        return [(UNWEIGHTED, peer)] if UNWEIGHTED in data_set.mistakes else []

    mistakes = []
    if misses and not peer.missed:
        mistakes.append((FOUND_ONLY, peer))
    elif not data_set.has_unretrieved:
        mistakes.append((NO_MISTAKE, peer))
    else:
        if peer.no_rows is not None:
            mistakes.append((peer.no_rows, peer))
        if peer.option:
            with_option = replace(peer, function=f"{peer.function} with {peer.option}")
            mistakes.append((NO_MISTAKE, with_option))
    if data_set.is_grouped and not peer.queries and not (misses and peer.missed):
        mistakes.append((POOLED, peer))
    return mistakes


class CreditedFunction(NamedTuple):
    """A tool's function that reports a variant, in some versions."""

    name: str  # the tool's, and the function's
    versions: tuple[str, ...]
    condition: str  # in words; empty if there is none

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.versions)}){self.condition}"


def credit_tools(variant: Variant, peers: Iterable[Peer]) -> tuple[CreditedFunction, ...]:
    """Return which functions report a variant."""
    versions_of: dict[tuple[str, str], list[str]] = defaultdict(list)
    for peer in peers:
        is_by_id = variant.order is Order.LAST_ROW_FIRST and find_order(peer) is Order.BY_ID
        condition = " if ids increase with the rows" if is_by_id else ""
        versions_of[f"{peer.tool} {peer.function}", condition].append(peer.version)
    return tuple(
        CreditedFunction(name, tuple(merge_versions(versions)), condition)
        for (name, condition), versions in versions_of.items()
    )


def format_tools(variant: Variant, peers: Iterable[Peer]) -> str:
    """Say which tools report a variant, as "tool function (versions); tool function (versions)"."""
    return "; ".join(map(str, credit_tools(variant, peers)))


def merge_versions(versions: Iterable[str]) -> list[str]:
    """Join versions that overlap or are consecutive, such as "0.19" and "0.20 to 1.0"."""
    matches = {version: _VERSION_RANGE.fullmatch(version) for version in versions}
    ranges = [(found[1], found[2] or found[3] or found[1]) for found in matches.values() if found]
    merged: list[tuple[str, str]] = []  # the first and the last version, which may be "later"
    for first, last in sorted(ranges, key=lambda ends: _read_version(ends[0])):
        if merged and _read_version(first) <= _increment_version(merged[-1][1]):
            first_before, last_before = merged.pop()
            merged.append((first_before, max(last, last_before, key=_read_version)))
        else:
            merged.append((first, last))
    words = {"later": "and later"}
    texts = [
        first if first == last else f"{first} {words.get(last, f'to {last}')}"
        for first, last in merged
    ]
    return [*texts, *(version for version, found in matches.items() if found is None)]


def _read_version(version: str) -> list[float]:
    return [inf if number == "later" else int(number) for number in version.split(".")]


def _increment_version(version: str) -> list[float]:
    """Return the version after this one: [0, 20] after "0.19"."""
    *first, last = _read_version(version)
    return [*first, last + 1]


def name_tools(peers: Iterable[Peer]) -> tuple[str, ...]:
    """Name each tool once: with versions if it computes something else since, and with the function
    if another one did the same once.
    """
    by_tool: dict[str, list[Peer]] = defaultdict(list)
    for peer in peers:
        by_tool[peer.tool].append(peer)
    return tuple(_name_tool(*each) for each in by_tool.items())


def _name_tool(tool: str, peers: Sequence[Peer]) -> str:
    current = [peer for peer in peers if not _is_outdated(peer)]
    if not current:
        versions = (peer.version.partition(",")[0] for peer in peers)  # "2007, in Octave"
        return f"{tool} {' and '.join(merge_versions(versions))}"
    if current[0].definition not in _list_outdated(tool):
        return tool
    return f"{tool} {current[0].function.partition('(')[0]}"


@cache
def _list_outdated(tool: str) -> frozenset[str]:
    """Return the definitions of functions that have another one in a newer version."""
    return frozenset(peer.definition for peer in PEERS if peer.tool == tool and _is_outdated(peer))


def _is_outdated(peer: Peer) -> bool:
    """Whether the function has another definition in its newest version."""
    newest = _NEWEST.get((peer.tool, peer.function), peer)  # the list has none with options
    return newest.rule != peer.rule


def list_some_tools(names: Iterable[str]) -> str:
    """Name the first tools, and count the others."""
    distinct = [*dict.fromkeys(names)]
    n_more = len(distinct) - _MAX_TOOLS_IN_ROW
    more = [f"{n_more} more"] if n_more > 0 else []
    return ", ".join([*distinct[:_MAX_TOOLS_IN_ROW], *more])
