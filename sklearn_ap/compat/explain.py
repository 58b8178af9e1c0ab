"""Show what every definition and every tool returns for some data, and why they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import wrap
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .._data import Description, Rankings
from .._evaluate import average, weigh
from .._names import write_number
from .._points import Array, Points
from .._results import Record
from ..exceptions import InvalidParameterError
from ..metrics import Column, Scores
from .changes import ANY_ORDER, are_probabilities, list_changes, read_every_row, read_flat
from .definitions import (
    AVERAGE_PRECISION,
    DEFINITIONS,
    AnyRule,
    Definition,
    compute_values,
    list_at_k,
    rank_every_point,
)
from .peers import Peer, list_first, name_tools, read_peers

_MAX_PRINTED_LINES = 25
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
        return "\n".join(lines)


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

    Examples
    --------
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
        text += f", mean over {rankings.n_rankings:,} {rankings.kind}"
    return text


def _list_rows(evaluator: Evaluator, k: float | None) -> list[Row]:
    """Return a row for each definition that is common, or that a tool reports of this data."""
    definitions = DEFINITIONS if k is None else DEFINITIONS | list_at_k(k)
    reports = list_reports(evaluator, k)
    plain = [each.term for each in definitions.values() if _is_usual(each)]
    for term in plain:
        reports.setdefault((term, (), ""), [])
    step = evaluator.evaluate(DEFINITIONS["step"].rule, (), "")[0]
    # By definition, changes that have an effect on it, and what a lack of positives counts as
    peers_of: dict[Report, list[Peer]] = defaultdict(list)
    for (term, words, in_mean), peers in reports.items():
        definition = definitions.get(term)
        tools = [peer for peer in peers if not peer.is_setting]
        is_plain = term in plain and not words and not in_mean
        if definition is None or definition.family != AVERAGE_PRECISION:
            continue
        if (tools or is_plain) and evaluator.is_defined(definition.rule, words):
            words = evaluator.leave_out_idle(definition.rule, words, in_mean)
            peers_of[term, words, in_mean] += tools
    rows = []
    for (term, words, in_mean), peers in peers_of.items():
        if ANY_ORDER in words and term.endswith("/ hits"):
            continue  # whose lowest value may be that of another order than the worst one
        value, low, high = evaluator.evaluate(definitions[term].rule, words, in_mean)
        if np.isfinite(value):
            reasons = [evaluator.changes[each].why for each in words]
            if (term, (), "") not in peers_of or not words:
                reasons.insert(0, definitions[term].why)
            name = join_words(term, *words, in_mean)
            why = " ".join(filter(None, reasons))
            rows.append(Row(name, value, low, high, value - step, name_tools(peers), why))
    usual = {term: place for place, term in enumerate(plain)}
    rows.sort(key=lambda row: (usual.get(row.definition, len(usual)), -len(row.tools)))
    return rows


def _is_usual(definition: Definition) -> bool:
    return definition.family == AVERAGE_PRECISION and definition.rarity <= 1


# --- values ---------------------------------------------------------------------------------------


class Evaluator:
    """Values of definitions on some data after changes, each of which is made once."""

    def __init__(self, rankings: Rankings, every_row: Rankings | None = None):
        self.rankings, self.every_row = rankings, every_row
        self.changes = {each.words: each for each in list_changes(rankings, every_row)}
        self._changed: dict[tuple[str, ...], Rankings | None] = {(): rankings}
        self._ranked: dict[tuple[str, ...], Points] = {}

    def simplify(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the changes that have an effect, each on the data after those before it."""
        effective: tuple[str, ...] = ()
        for word in words:
            key = (*effective, word)
            if key not in self._changed:
                before = self.get(effective)
                self._changed[key] = (
                    self.changes[word].apply(before) if word in self.changes else None
                )
            if self._changed[key] is not None:
                effective = key
        return effective

    def get(self, words: tuple[str, ...]) -> Rankings:
        """Return the data after changes that have an effect."""
        changed = self._changed[words]
        assert changed is not None
        return changed

    def rank(self, words: tuple[str, ...]) -> Points:
        if words not in self._ranked:
            self._ranked[words] = rank_every_point(self.get(words))
        return self._ranked[words]

    def is_defined(self, rule: AnyRule, words: tuple[str, ...]) -> bool:
        return rule.takes_weights or self.get(words).weight is None

    def evaluate(
        self, rule: AnyRule, words: tuple[str, ...], in_mean: str
    ) -> tuple[float, float, float]:
        """Return the mean value, and the lowest and the highest one over orders of ties."""
        orders = [words]
        if ANY_ORDER in words:
            each_order = ("ties by row", "ties worst", "ties best")
            orders = [self.simplify([*words, order]) for order in each_order]
        values = []
        for order in orders:
            rankings, points = self.get(order), self.rank(order)
            of_rankings = compute_values(rule, rankings, points)
            values.append(average_values(of_rankings, points.n_positives, rankings, in_mean))
        return values[0], min(values), max(values)

    def leave_out_idle(
        self, rule: AnyRule, words: tuple[str, ...], in_mean: str
    ) -> tuple[str, ...]:
        """Leave out the last changes as long as they have no effect on a definition."""
        values = self.evaluate(rule, words, in_mean)
        while words and self.is_defined(rule, words[:-1]):
            before = self.evaluate(rule, words[:-1], in_mean)
            if not np.allclose(values, before, rtol=0, atol=_TOLERANCE):
                break
            words = words[:-1]
        return words


def read_data(y_true: Any, y_score: Any, **described: Unpack[Description]) -> Evaluator:
    if described["average"] is None:
        raise InvalidParameterError("average must be a way to average. Got None instead.")
    rankings = read_flat(y_true, y_score, **described)
    return Evaluator(rankings, read_every_row(y_true, y_score, **described))


def average_values(values: Array, n_positives: Array, rankings: Rankings, in_mean: str) -> float:
    """Return the mean over rankings. Those without positives count as `in_mean` says, or 0."""
    if values.size > 1 and in_mean != "no positives: left out":
        values = np.where(np.isnan(values), _FILLS.get(in_mean, 0.0), values)
    if in_mean == "weighted by positives":
        rankings = replace(rankings, average="weighted")
    return average(values, weigh(rankings, values, n_positives))


_FILLS = {"no positives: 1": 1.0, "no positives: 0.5": 0.5}


# --- tools ----------------------------------------------------------------------------------------

Report = tuple[str, tuple[str, ...], str]  # term, changes, what a lack of positives counts as


def list_reports(evaluator: Evaluator, k: float | None) -> dict[Report, list[Peer]]:
    """Return what tools report of some data, and which ones, as far as that is known."""
    reports: dict[Report, list[Peer]] = defaultdict(list)
    rankings, points = evaluator.rankings, evaluator.rank(())
    known = {name: is_known(rankings, points) for name, is_known in _IS_KNOWN_ON.items()}
    every_row = evaluator.every_row
    known["all rows have weight"] = (
        every_row is None or every_row.scores.size == rankings.scores.size
    )
    for peer in read_peers():
        if peer.order == "not known" or not known.get(peer.is_known_on, not peer.is_known_on):
            continue
        term = peer.definition
        if k is not None:
            term = term.replace("@k", f"@{write_number(k, 'k')}")
        for wanted in _list_changes_of(peer, evaluator):
            words = evaluator.simplify(wanted)
            points = evaluator.rank(words)
            in_mean: str | None = ""
            if (points.n_positives == 0).any():
                in_mean = peer.in_mean
            has_negatives = (points.mass > points.sum(points.hits)).all()
            is_made = not peer.ranks or peer.ranks in words
            if is_made and in_mean is not None and (has_negatives or not peer.needs_negatives):
                reports[term, words, in_mean].append(peer)
    return reports


def _list_changes_of(peer: Peer, evaluator: Evaluator) -> Iterator[list[str]]:
    """Yield the changes that a tool makes, by group and if it can't do that for all rows."""
    rankings = evaluator.rankings
    has_weights = "weights left out" in evaluator.changes
    first = ""
    place = 0  # of the change of groups, which is of the rows without weights, too
    if has_weights and not peer.weights:
        first, place = "weights left out", 1
    elif rankings.n_positives is not None and not peer.missed:
        first = "missed positives not counted"
    elif peer.no_rows == "left out":
        first = "groups without rows left out"
    changes = [first, peer.ranks, peer.reading, peer.order]
    yield changes
    if rankings.group is not None and not peer.queries and rankings.kind == "groups":
        yield [*changes[:place], "all groups as one ranking", *changes[place:]]


def _have_no_ties_in_single(rankings: Rankings) -> bool:
    distinct = np.unique(rankings.scores)
    single = np.unique(distinct.astype(np.float32))
    return are_probabilities(rankings) and single.size == distinct.size


def _has_untied_best(points: Points) -> bool:
    is_best = points.above == 0
    return points.tied.size < 2000 and bool((points.hits == points.tied)[is_best].all())


# The data on which the value of a tool is known, in the words of peers.toml. With other words, the
# tool is not listed.
_IS_KNOWN_ON: dict[str, Callable[[Rankings, Points], bool]] = {
    "few scores, the best of them untied": lambda data, points: _has_untied_best(points),
    "plain probabilities": lambda data, points: _have_no_ties_in_single(data),
    "positives score above 0": lambda data, points: bool((data.scores[data.labels > 0] > 0).all()),
}
