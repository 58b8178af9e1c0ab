"""Show what every definition and every tool returns for some data, and why they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core import Array, Column, Points, Rankings, Scores, read
from .._core.steps import flatten, take_mean, weigh
from .._results import Record
from ..exceptions import InvalidParameterError
from .changes import BEST, BY_ROW, POOLED, UNKNOWN_ORDER, WORST, Change, are_probabilities, has_ties
from .definitions import (
    AVERAGE_PRECISION,
    DEFINITIONS,
    Definition,
    compute_values,
    list_at_k,
    rank_every_point,
)
from .mistakes import MISTAKES_IN_COUNTS
from .peers import Peer, list_first, name_tools, read_peers

_MAX_PRINTED_LINES = 24  # before the last one
_LAST_LINE = "Not your value? identify() also tries what may be done to the data. k= adds AP@k."
_TOLERANCE = 1e-12
_wrap = partial(wrap, width=100, break_on_hyphens=False)


@dataclass(frozen=True)
class Row:
    """One definition on your data. `low` and `high` differ if the order of ties is not known."""

    definition: str
    value: float
    low: float
    high: float
    difference: float  # from step average precision
    tools: tuple[str, ...]
    why: str  # it differs


@dataclass(frozen=True, repr=False)
class Explanation(Record):
    """Result of :func:`explain`: print it, or use its `rows`.

    Attributes
    ----------
    title : str
        How many samples and positives there are.
    rows : tuple of Row
        One row for each definition, the most common first, with the attributes `definition`,
        `value`, `low`, `high`, `difference`, `tools` and `why`.
    """

    title: str
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        lines = [self.title, f"{'value':<16}  {'diff':>7}  definition, tools, and why it differs"]
        alike = join_alike(self.rows)
        said = {""}
        for n_shown, rows in enumerate(alike):
            of_row = _write_row(rows, said)
            if len(lines) + len(of_row) >= _MAX_PRINTED_LINES:
                lines.append(f"{len(alike) - n_shown} more, and all tools, are in `to_frame()`.")
                break
            lines += of_row
        if not self.rows:
            lines.append("Without positives, no definition has a value.")
        return "\n".join([*lines, _LAST_LINE])


def join_alike(rows: Iterable[Row]) -> list[list[Row]]:
    """Join the rows that print the same values."""
    alike: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        alike[format_range(row.low, row.high)].append(row)
    return [*alike.values()]


def _write_row(rows: Sequence[Row], said: set[str]) -> list[str]:
    """Write definitions that have the same value, and why it differs if that wasn't said before."""
    value = format_range(rows[0].low, rows[0].high)
    difference = f"{rows[0].difference:+z.4f}"
    if rows[0].low != rows[0].high or float(difference) == 0:
        difference = ""
    tools = [*dict.fromkeys(tool for row in rows for tool in row.tools)]
    text = list_first([row.definition for row in rows], 2, "; ")
    if tools:
        text += f": {list_first(tools, 2)}"
    start = f"{value:<16}  {difference:>7}  "
    indent = " " * len(start)
    lines = _wrap(text, initial_indent=start, subsequent_indent=indent)
    why = rows[0].why
    if why not in said:
        indent += "  "
        lines += _wrap(why, initial_indent=indent, subsequent_indent=indent)
    said.add(why)
    return lines


def format_range(low: float, high: float, decimals: int = 4) -> str:
    ends = dict.fromkeys(f"{value:z.{decimals}f}" for value in (low, high))
    return " to ".join(ends)


def join_words(*words: str) -> str:
    return ", ".join(filter(None, words))


def explain(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float | None = None,
    average: str = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Explanation:
    """Show the value of each definition of average precision on your data, and why they differ.

    Each value is compared with step average precision, and each tool is listed at the value that it
    returns. If a tool ranks tied samples in an unknown order, its row has the range of values.

    Read more in :doc:`Which definition? </which_definition>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        A cutoff, which adds AP@k with every denominator, and what else tools compute at k.
    average : {'macro', 'micro', 'weighted', 'samples'}, default='macro'
        How values of classes, rows or groups are averaged.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    explanation : Explanation
        It prints as a table. `rows` and `to_frame()` have all tools.

    See Also
    --------
    identify : The definition of a value that somebody reports.
    audit : Which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import explain
    >>> explain([0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]).rows[1].definition
    'linear'
    """
    evaluator = read_data(
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )
    title = f"Average precision: {describe(evaluator.rankings)}"
    return Explanation(title, tuple(_list_rows(evaluator, k)))


def describe(rankings: Rankings) -> str:
    n_positives = int(np.count_nonzero(rankings.labels > 0))
    text = f"{rankings.scores.size:,} samples, {n_positives:,} positives"
    if rankings.n_rankings > 1:
        text += f", mean over {rankings.n_rankings:,} {rankings.source}"
    return text


# --- rows -----------------------------------------------------------------------------------------


def _list_rows(evaluator: Evaluator, k: float | None) -> list[Row]:
    """Return a row for each definition that is common, or that a tool reports of this data."""
    definitions = DEFINITIONS | MISTAKES_IN_COUNTS | ({} if k is None else list_at_k(k))
    shown = [each for each in definitions.values() if each.family == AVERAGE_PRECISION]
    common = [Reported(each) for each in shown if each.rarity <= 1]
    peers_of = list_reported(evaluator, shown)
    peers_of = _leave_out_idle(evaluator, peers_of, common)
    places = {each: place for place, each in enumerate(common)}

    def place(reported: Reported) -> tuple[int, bool, int]:
        """Put what is common first, and then step if rankings without positives aren't 0."""
        is_other_mean = reported.definition.term == "step" and reported.in_mean != InMean.ZERO
        n_tools = len(name_tools(peers_of[reported]))
        return places.get(reported, len(places)), not is_other_mean, -n_tools

    return _make_rows(evaluator, {each: peers_of[each] for each in sorted(peers_of, key=place)})


def _leave_out_idle(evaluator: Evaluator, peers_of: PeersOf, common: Sequence[Reported]) -> PeersOf:
    """Leave out changes without an effect, and join the tools of what is then the same."""
    joined: PeersOf = defaultdict(list)
    for each in dict.fromkeys([*peers_of, *common]):
        by_default = [peer for peer in peers_of.get(each, ()) if not peer.is_setting]
        if (by_default or each in common) and evaluator.is_defined(each.definition, each.changes):
            joined[evaluator.leave_out_idle(each)] += by_default
    return joined


def _make_rows(evaluator: Evaluator, peers_of: PeersOf) -> list[Row]:
    """Return a row for each value that exists, with the reasons why it isn't that of step."""
    step, _, _ = evaluator.evaluate(Reported(DEFINITIONS["step"]))
    are_tied = has_ties(evaluator.rankings)
    rows = []
    for each, peers in peers_of.items():
        definition, changes, in_mean = each
        if UNKNOWN_ORDER in changes and definition.rule.options.get("denominator") == "hits":
            continue  # whose lowest value may be that of another order than the worst one
        value, low, high = evaluator.evaluate(each)
        if np.isfinite(value):
            reasons = [definition.why, *(change.why for change in changes)]
            if definition.term == "linear" and are_tied and value > step:
                reasons[0] = "Straight lines join the points, which is too high for tied samples."
            if each != Reported(definition) in peers_of:  # whose row has the first reason
                del reasons[0]
            reasons.append(_WHY[in_mean].format(rankings=evaluator.rankings.source))
            why = " ".join(filter(None, reasons))
            rows.append(Row(each.name, value, low, high, value - step, name_tools(peers), why))
    return rows


# --- values ---------------------------------------------------------------------------------------


class InMean(Enum):
    """What rankings without positives count as in a mean, in the words of peers.toml."""

    ZERO = ""
    HALF = "no positives: 0.5"
    ONE = "no positives: 1"
    LEFT_OUT = "no positives: left out"
    WEIGHTED = "weighted by positives"  # which is nothing then, and what no tool of peers.toml does


_FILLS = {InMean.HALF: 0.5, InMean.ONE: 1.0, InMean.LEFT_OUT: np.nan}  # else 0


_WHY = {
    InMean.ZERO: "",
    InMean.HALF: "Without positives, {rankings} count as 0.5.",
    InMean.ONE: "Without positives, {rankings} count as 1.",
    InMean.LEFT_OUT: "Without positives, {rankings} are left out.",
    InMean.WEIGHTED: "",
}


def compute_mean(values: Array, n_positives: Array, rankings: Rankings, in_mean: InMean) -> float:
    """Return the mean over rankings, nan of a single one without positives."""
    if values.size == 1:
        return float(values[0])
    values = np.where(np.isnan(values), _FILLS.get(in_mean, 0.0), values)
    if in_mean == InMean.WEIGHTED:
        rankings = replace(rankings, average="weighted")
    return take_mean(values, weigh(rankings, values, n_positives))


class Reported(NamedTuple):
    """What tools and people report: a definition, after changes of the data, and a mean."""

    definition: Definition
    changes: tuple[Change, ...] = ()
    in_mean: InMean = InMean.ZERO

    @property
    def name(self) -> str:
        changes = [change.words for change in self.changes]
        return join_words(self.definition.name, *changes, self.in_mean.value)


PeersOf = dict[Reported, list[Peer]]  # which tools report it


class Evaluator:
    """Values of definitions on some data after changes, each of which is made once."""

    def __init__(self, rankings: Rankings, every_row: Rankings | None) -> None:
        """Take the data, and if it has weights, `every_row` without them, also those of 0."""
        self.rankings = rankings
        self.has_every_row = every_row is None or every_row.scores.size == rankings.scores.size
        is_weighted = rankings.weight is not None or rankings.ranking_weight is not None
        unweighted = every_row if is_weighted or not self.has_every_row else None
        why = "Every sample counts as 1."
        self.unweighted = Change("weights left out", lambda _: unweighted, 1, why)
        self._changed: dict[tuple[Change, ...], Rankings | None] = {(): rankings}
        self._ranked: dict[tuple[Change, ...], Points] = {}

    def simplify(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        """Return the changes that have an effect, each on the data after those before it."""
        effective: tuple[Change, ...] = ()
        for change in changes:
            tried = (*effective, change)
            if tried not in self._changed:
                self._changed[tried] = change.apply(self.get(effective))
            if self._changed[tried] is not None:
                effective = tried
        return effective

    def get(self, changes: tuple[Change, ...]) -> Rankings:
        """Return the data after changes that have an effect."""
        changed = self._changed[changes]
        assert changed is not None
        return changed

    def rank(self, changes: tuple[Change, ...]) -> Points:
        if changes not in self._ranked:
            self._ranked[changes] = rank_every_point(self.get(changes))
        return self._ranked[changes]

    def is_defined(self, definition: Definition, changes: tuple[Change, ...]) -> bool:
        return definition.rule.takes_weights or self.get(changes).weight is None

    def evaluate(self, reported: Reported) -> tuple[float, float, float]:
        """Return the mean value, and the lowest and the highest one over orders of ties."""
        definition, changes, in_mean = reported
        orders = [changes]
        if UNKNOWN_ORDER in changes:
            orders = [self.simplify([*changes, order]) for order in (BY_ROW, WORST, BEST)]
        values = []
        for order in orders:
            rankings, points = self.get(order), self.rank(order)
            of_rankings = compute_values(definition.rule, rankings, points)
            values.append(compute_mean(of_rankings, points.n_positives, rankings, in_mean))
        return values[0], min(values), max(values)

    def leave_out_idle(self, reported: Reported) -> Reported:
        """Leave out the last changes as long as they have no effect on a definition."""
        values = self.evaluate(reported)
        while reported.changes and self.is_defined(reported.definition, reported.changes[:-1]):
            shorter = reported._replace(changes=reported.changes[:-1])
            if not np.allclose(values, self.evaluate(shorter), rtol=0, atol=_TOLERANCE):
                break
            reported = shorter
        return reported


def read_data(y_true: Any, y_score: Any, **described: Any) -> Evaluator:
    if described["average"] is None:
        raise InvalidParameterError("average must be a way to average. Got None instead.")
    rankings, every_row = flatten(read(y_true, y_score, **described)), None
    if described["sample_weight"] is not None:
        described |= {"sample_weight": None, "n_positives": None}
        every_row = flatten(read(y_true, y_score, **described))
    return Evaluator(rankings, every_row)


# --- tools ----------------------------------------------------------------------------------------


def list_reported(evaluator: Evaluator, definitions: Iterable[Definition]) -> PeersOf:
    """Return what tools report of some data, and which ones, as far as that is known."""
    by_name: dict[str, list[Definition]] = defaultdict(list)
    for definition in definitions:
        by_name[definition.name_of_any_k].append(definition)
    known = {words: is_such(evaluator) for words, is_such in _IS_KNOWN_ON.items()}
    peers_of: PeersOf = defaultdict(list)
    for peer in read_peers():
        is_known = peer.order != "not known" and known.get(peer.is_known_on, False)
        if not is_known or peer.definition not in by_name:
            continue
        for changes in _list_changes_of(peer, evaluator):
            points = evaluator.rank(changes)
            has_negatives = (points.mass > points.sum(points.hits)).all()
            in_mean: InMean | None = InMean.ZERO
            if (points.n_positives == 0).any():
                in_mean = None if peer.in_mean is None else InMean(peer.in_mean)
            if in_mean is not None and (has_negatives or not peer.needs_negatives):
                for definition in by_name[peer.definition]:
                    peers_of[Reported(definition, changes, in_mean)].append(peer)
    return peers_of


def _list_changes_of(peer: Peer, evaluator: Evaluator) -> Iterator[tuple[Change, ...]]:
    """Yield what a tool does to the data, by group and if it can't do that for all rows."""
    rankings = evaluator.rankings
    weights = [] if peer.weights else [evaluator.unweighted]
    ways = [[*weights, *peer.changes]]
    if rankings.group_codes is not None and not peer.queries and rankings.source == "groups":
        ways.append([*weights, POOLED, *peer.changes])
    for way in ways:
        effective = evaluator.simplify(way)
        if not peer.ranks or peer.ranks in [change.words for change in effective]:
            yield effective


def _have_no_ties_in_single(rankings: Rankings) -> bool:
    distinct = np.unique(rankings.scores)
    single = np.unique(distinct.astype(np.float32))
    return are_probabilities(rankings) and single.size == distinct.size


def _has_scores_above_zero(rankings: Rankings) -> bool:
    return bool((rankings.scores[rankings.labels > 0] > 0).all())


def _has_untied_best(points: Points) -> bool:
    is_best = points.above == 0
    return points.tied.size < 2000 and bool((points.hits == points.tied)[is_best].all())


# The data on which the value of a tool is known, in the words of peers.toml. With other words, the
# tool is not listed.
_IS_KNOWN_ON: dict[str, Callable[[Evaluator], bool]] = {
    "": lambda data: True,
    "no ties": lambda data: not has_ties(data.rankings),
    "all rows have weight": lambda data: data.has_every_row,
    "few scores, the best of them untied": lambda data: _has_untied_best(data.rank(())),
    "plain probabilities": lambda data: _have_no_ties_in_single(data.rankings),
    "positives score above 0": lambda data: _has_scores_above_zero(data.rankings),
}
