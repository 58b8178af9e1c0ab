"""The values of all definitions on a data set, the tools that report them, and why they differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public, read_rows
from .._infer.comparisons import compute_interval
from .._infer.settings import IntervalSettings
from .._inputs.records import Inputs, Label, NPositives
from .._read.model_rows import ModelRows
from .._read.validation import FEW_ROWS
from .._show.results import Printed, Result, format_difference, to_json
from .._words.messages import (
    format_count,
    format_mass,
    format_small_fraction,
    redirect_warnings,
)
from ..core import rules
from ..core.cutoff import DEFAULT_COUNTS, Cut, select_top
from ..core.operating_points import OperatingPoints
from ..core.ragged import compute_suffix_maxima, repeat_values
from ..core.tolerances import SUM_TOLERANCE
from ..exceptions import InvalidParameterError
from . import level_rules, tie_orders
from .data_sets import DataSet
from .mistakes import FOUND_ONLY, RETRIEVED
from .peers import format_tools, group_peers_by_variant, list_reports, list_some_tools, name_tools
from .readings import Reading, ThresholdBins
from .tie_orders import Order
from .variants import ValueRange, Variant, list_definitions, list_tie_orders

_MAX_NAMED_LEVELS = 4
_LAST_PRINTED_DIGIT = 1e-4
_SINGULAR_VERBS = {"have": "has", "are": "is", "were": "was", "count": "counts"}


def describe_difference(
    variant: Variant, value: ValueRange, reference: float, data_set: DataSet
) -> str:
    """Say why a value differs; empty if it is the value of step, which is the reference.

    Each of the functions below yields causes in words, which are empty if they don't apply.
    """
    if all(_is_equal(end, reference) for end in value):
        return ""
    data_set = data_set.as_read(variant.reading)
    causes = (
        *_describe_ranked_rows(variant, data_set),
        *_describe_empty_groups(variant, data_set),
        *_describe_rule(variant, value, data_set),
        *_describe_tie_order(variant, value, data_set),
    )
    return "; ".join(filter(None, causes))


def _is_equal(value: float, other: float) -> bool:
    return bool(np.isclose(value, other, rtol=0, atol=1e-12))


def _conjugate(count: float, text: str) -> str:
    """Return a text about several things, or about one if there is one."""
    return " ".join(
        _SINGULAR_VERBS.get(word, word) if count == 1 else word for word in text.split()
    )


def _describe_ranked_rows(variant: Variant, data_set: DataSet) -> Iterator[str]:
    mistake = variant.mistake
    yield mistake.cause
    if mistake in (RETRIEVED, FOUND_ONLY) and data_set.has_unretrieved:
        n_without = int(np.count_nonzero(data_set.n_rows == 0))
        left_out = _conjugate(n_without, "have no rows, and are left out")
        yield f"{n_without:,} of {data_set.n_rows.size:,} groups {left_out}"
    if mistake is FOUND_ONLY:
        exist = data_set.points().n_positives.sum()
        missed = exist - data_set.rank_by(mistake).points().n_positives.sum()
        left_out = _conjugate(missed, "were not scored, and are not counted")
        yield f"{format_mass(missed)} of {format_mass(exist)} positives {left_out}"
    if isinstance(variant.reading, ThresholdBins):
        yield f"scores between two of {variant.reading.n_thresholds} thresholds are tied"
    elif isinstance(variant.reading, Reading):
        yield variant.reading.cause


def _describe_empty_groups(variant: Variant, data_set: DataSet) -> Iterator[str]:
    ranked = data_set.rank_by(variant.mistake)
    if variant.empty == 0 or not ranked.has_empty:
        return
    n_positives = ranked.points().n_positives
    if n_positives.size == 1:
        yield "there are no positives"
        return
    n_empty = int(np.count_nonzero(n_positives == 0))
    consequence = "are left out" if variant.empty is None else f"count {variant.empty:g}"
    they = _conjugate(n_empty, f"have no positives, and {consequence}")
    yield f"{n_empty:,} of {n_positives.size:,} groups {they}"


def _describe_rule(variant: Variant, value: ValueRange, data_set: DataSet) -> Iterator[str]:
    rule, cut = variant.rule, variant.rule.cut
    # The rule without its artificial point
    levels = rule.of if isinstance(rule, level_rules.WithArtificialPoint) else rule
    ranked = data_set.rank_by(variant.mistake)
    points = ranked.order_points(variant.order, cut is not None and cut.counts_rows)
    # Then the points are those of one order of many.
    is_open = variant.order in tie_orders.ASSUMED
    if cut is not None:
        extremes = [points]
        if is_open:
            extremes = [ranked.select_first_points(cut, ties) for ties in ("best", "worst")]
        yield from _describe_cutoff(rule, cut, extremes)
    yield getattr(rule, "cause", "")
    if isinstance(rule, rules.Linear):
        yield "straight lines join the points of the curve" if is_open else _describe_lines(points)
    if isinstance(levels, rules.Envelope | rules.Levels):
        yield (
            "the envelope fills where the curve rises again" if is_open else _describe_rises(points)
        )
    if isinstance(levels, level_rules.RoundedLevels):
        yield f"the recalls 0, 1/10, ..., 1 count equally, {levels.rounded} to whole positives"
    if isinstance(levels, level_rules.LevelRange):
        yield "the recalls 1/40, 2/40, ..., 1 count equally"
    if isinstance(levels, rules.NPoint | rules.FloatGrid):
        yield _describe_levels(levels, variant, value.at, data_set)
    if rule is not levels and np.any(rule.values(points) - levels.values(points) > 1e-12):
        yield "the point at recall 0, which is there only for drawing, counts with precision 1"


def _describe_rises(points: OperatingPoints) -> str:
    """Say how often, and by how much, the curve rises again, which the envelope fills."""
    gain = compute_suffix_maxima(points.precision, points.offsets) - points.precision
    n_raised = np.count_nonzero(gain > 1e-12)
    if not n_raised:
        return ""
    return f"the curve rises again after {n_raised:,} of its points, by up to {gain.max():.4f}"


def _describe_levels(
    rule: rules.NPoint | rules.FloatGrid, variant: Variant, value: float, data_set: DataSet
) -> str:
    """Say that all levels count equally, and which of them a grid of floats misses."""
    denominator = rule.n_points - 1
    text = f"the recalls 0, 1/{denominator}, ..., 1 count equally"
    missed = [f"{level}/{denominator}" for level in _find_missed_levels(variant, value, data_set)]
    if not missed:
        return text
    named, n_more = ", ".join(missed[:_MAX_NAMED_LEVELS]), len(missed) - _MAX_NAMED_LEVELS
    if n_more > 0:
        named += f" and {n_more:,} more"
    return f"{text}; as floats {named} {_conjugate(len(missed), 'are missed')}"


def _find_missed_levels(variant: Variant, value: float, data_set: DataSet) -> list[int]:
    """Return the levels that a grid of floats misses, if that changes the value."""
    rule = variant.rule
    if not isinstance(rule, rules.FloatGrid) or variant.order is not Order.GROUPED:
        return []
    exact_rule, points = rules.NPoint(rule.n_points), data_set.rank_by(variant.mistake).points()
    if _is_equal(value, replace(variant, rule=exact_rule).value(data_set).at):
        return []
    n_reached = exact_rule.reached(points)  # by each point, including level 0
    missed: list[int] = (np.unique(n_reached[rule.reached(points) < n_reached]) - 1).tolist()
    return missed


def _describe_lines(points: OperatingPoints) -> str:
    """Say how much straight lines between the points change the mean value, and where most."""
    lines = rules.Linear().area(points)
    n_positives = repeat_values(points.n_positives, points.offsets)
    recall_gained = lines.width / n_positives
    gain = recall_gained / points.n_rankings * (lines.height - points.precision)  # at each point
    total = gain.sum()
    if _is_equal(total, 0):
        return ""
    largest = int(np.argmax(gain * np.sign(total)))  # of those that change the value as all do
    start = (points.positives_above / n_positives)[largest]
    end = (points.cum_positives / n_positives)[largest]
    verb = "gain" if total > 0 else "lose"
    text = f"straight lines between the points {verb} area compared with steps"
    if abs(gain[largest]) < max(abs(total) / 10, _LAST_PRINTED_DIGIT):
        return text
    where = f"between recall {start:.2f} and {end:.2f}"
    return f"{text}, most of it {where}: {format_difference(gain[largest], 4)}"


def _describe_cutoff(
    rule: rules.Rule, cut: Cut, extremes: Sequence[OperatingPoints]
) -> Iterator[str]:
    """Say what a cutoff leaves out. Of ties in any order, there are the best and the worst one."""
    points = extremes[0]
    n_positives = points.n_positives.sum()
    k = select_top(points, cut)[2]  # of each ranking
    n_below = [n_positives - select_top(each, cut)[1].sum() for each in extremes]
    fewest, most = min(n_below), max(n_below)
    denominator = rule.denominator if isinstance(rule, rules.AveragePrecisionAtK) else ""
    if most > SUM_TOLERANCE * n_positives:  # which rounding of weights may reach
        count = format_mass(most)
        if fewest != most:
            count = f"{format_mass(fewest)} to {count}"
        left_out = _conjugate(most, "are below the top k")
        yield f"{count} of {format_mass(n_positives)} positives {left_out}"
        if denominator == "hits":
            yield "the sum is divided only by the positives in the top k"
    divisor = f"{k[0]:g}" if np.all(k == k[0]) else "k"
    if denominator in ("k", "min") and np.any(points.n_positives > k):
        yield f"the sum is divided by {divisor}, not by all positives"
    if denominator == "k" and np.any(points.n_positives < k):
        yield f"the sum is divided by {divisor}, though there are fewer positives"


def _describe_tie_order(variant: Variant, value: ValueRange, data_set: DataSet) -> Iterator[str]:
    if variant.order is not Order.GROUPED:
        is_open = variant.order in tie_orders.ASSUMED
        shown = ", so the row shows the range over all orders" if is_open else ""
        yield f"{variant.order.meaning}{shown}"
        if variant.order is Order.BY_ID:
            yield f"if ids increase with the rows it is {value.at:.4f}"
    elif isinstance(variant.rule, rules.AveragePrecisionAtK) and data_set.rank_by(
        variant.mistake
    ).has_split_tie(variant.rule.cut):
        yield "k cuts through tied samples, which count in proportion"


@dataclass(frozen=True)
class Row:
    """One definition in an explanation."""

    definition: str
    value: float
    low: float  # the lowest and highest value over all orders of tied samples, where tools
    high: float  # leave the order open; otherwise both are the value
    difference: float  # from step average precision
    reported_by: str
    why: str  # empty if it does not differ
    tools: tuple[str, ...] = ()  # the names of those that report it


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """Result of :func:`~sklearn_ap.compat.explain`: print it, or use its `rows`.

    Attributes
    ----------
    title : str
        The heading, which says how many samples and positives there are.
    rows : tuple
        One row for each definition, with the attributes `definition`, `value`, `low`, `high`,
        `difference`, `reported_by`, `why` and `tools`. If tools leave the order of tied samples
        open, `low` and `high` are the lowest and the highest value over all orders; otherwise both
        equal `value`. The difference is the value minus step average precision.
    notes : tuple of str
        What is unusual about the data.

    See Also
    --------
    explain : Compute the values of all definitions.

    Examples
    --------
    >>> from sklearn_ap.compat import explain
    >>> explanation = explain([0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5])
    >>> explanation.title
    'Average precision: 5 samples, 3 positives'
    >>> row = explanation.rows[1]
    >>> row.definition, row.value, row.difference
    ('envelope', 0.6, 0.066667)
    >>> print(row.why)
    the curve rises again after 2 of its points, by up to 0.1000
    """

    _index = "definition"

    title: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()  # what is unusual about the data

    def _printed(self) -> Printed:
        by_value: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            ends = dict.fromkeys([f"{row.low:z.4f}", f"{row.high:z.4f}"])
            by_value[" to ".join(ends)].append(row)
        alike = sorted(by_value.items(), key=_get_value, reverse=True)
        usual = [each for each in alike if _is_usual(each[1])]
        others = [each for each in alike if not _is_usual(each[1])]
        reported = [each for each in others if any(row.tools for row in each[1])]
        shown = reported[: max(_MAX_PRINTED_ROWS - len(usual), 0)]
        cells = [
            (value, _format_row_difference(rows), _name_definitions(rows))
            for value, rows in [*usual, *shown]
        ]
        n_more = len(others) - len(shown)
        more = f"{n_more:,} more, " if n_more else ""
        line = f"`to_dict()` has {more}all tools, and why values differ."
        header = "value", "diff", "definition and tools"
        return Printed(header, [("", "", cells)], self.title, [line], self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the rows by their definitions, as a dict that can be stored as JSON."""
        return dict(to_json(self._as_dict()))

    def _as_dict(self) -> dict[str, dict[str, Any]]:
        of_data = {"conditions": self.conditions}
        return {row.definition: asdict(row) | of_data for row in self.rows}

    def _rows(self) -> list[dict[str, Any]]:
        return [*map(asdict, self.rows)]


def _get_value(alike: tuple[str, list[Row]]) -> float:
    _, rows = alike
    return rows[0].value


def _is_usual(rows: Sequence[Row]) -> bool:
    """Whether one of these is reported by people, of untied scores or of any order of ties."""
    return any(_USUAL_DEFINITION.fullmatch(row.definition) for row in rows)


def _format_row_difference(rows: Sequence[Row]) -> str:
    return format_difference(rows[0].difference, 4) if rows[0].why else ""


def _name_definitions(rows: Sequence[Row]) -> str:
    """Name the first definition of a value, whatever the order of ties, and the first tools."""
    names = [*dict.fromkeys(row.definition.partition(", ties ")[0] for row in rows)]
    usual = [name for name in names if _USUAL_DEFINITION.fullmatch(name)]
    text = "; ".join(usual or names[:1])
    tools = list_some_tools(chain.from_iterable(row.tools for row in rows))
    return f"{text}: {tools}" if tools else text


_USUAL_DEFINITION = re.compile(r"step|envelope|11-point|101-point|linear|AP@\S+ / (min|relevant)")
_MAX_PRINTED_ROWS = 24

Explanation.__module__ = "sklearn_ap.compat"  # where users find it


@public()
def explain(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    k: float | None = None,
    k_counts: str = DEFAULT_COUNTS,
    ids: ArrayLike | None = None,
    pos_label: Label = 1,  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Explanation:
    r"""Show the value of each definition of average precision on your data, and why they differ.

    Each value is compared with step average precision, sum_i r_i/R p_i, and each tool is listed
    next to the value that it reports on this data. If samples are tied, some tools count them as
    one point of the curve, while others rank them one by one in an order of their own, which
    changes the value. If that order is not known, the row shows the lowest and the highest value
    over all orders. Only causes that matter on this data are named.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        Binary labels.
    y_score : array-like of shape (n_samples,), default=None
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        A cutoff, to add AP@k with every denominator. An int counts samples, and a float in (0, 1]
        is a fraction of them.
    k_counts : {'samples', 'weight'}, default='weight'
        What `k` counts if samples have weights.
    ids : array-like of shape (n_samples,), default=None
        The document ids, strings or integers, by which trec_eval breaks ties: it ranks the last id
        first, compared as text.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. Tools that take
        no weights are listed with the value without weights.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts.
        Tools that only know the scored samples are listed with the value of these samples. If a
        group has no rows, some tools leave it out of the mean, unless you pass an option, which is
        then named.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    explanation : Explanation
        It prints as a table with one row for each value, first those that people report most. Its
        `rows` have all definitions, their values, and why they differ.

    See Also
    --------
    identify : Find the definition behind a reported value.

    Examples
    --------
    >>> from sklearn_ap.compat import explain
    >>> rows = explain([0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]).to_dict()
    >>> rows["step"]["value"], rows["envelope"]["value"]
    (0.533333, 0.6)
    >>> print(rows["envelope"]["why"])
    the curve rises again after 2 of its points, by up to 0.1000

    Here two samples are tied. A tool that ranks one of them first returns one of two values:

    >>> tied = explain([0, 1, 1, 0], [0.9, 0.5, 0.3, 0.3]).to_dict()
    >>> tied["step"]["value"]
    0.5
    >>> (
    ...     tied["step, ties in any order"]["low"],
    ...     tied["step, ties in any order"]["high"],
    ... )
    (0.5, 0.583333)
    """
    if k is None and k_counts is not DEFAULT_COUNTS:
        raise InvalidParameterError(
            f"k_counts={k_counts!r} says what k counts. Pass k, too, or leave it out."
        )
    cut = None if k is None else Cut(k, k_counts)
    unread = Inputs.of_call(locals(), "explain", besides={"ids": ids})
    with read_rows(unread) as inputs:
        data_set = DataSet.from_inputs(inputs, cut=cut)
    reports = [(report, peer) for report, peer in list_reports(data_set) if not peer.is_setting]
    peers = group_peers_by_variant(reports, None, data_set)
    if cut is not None:
        peers |= group_peers_by_variant(reports, cut, data_set)
    reference = Variant(rules.Step()).value(data_set).at
    values = {variant: variant.value(data_set) for variant in _sort_variants(data_set, cut, peers)}
    rows = (
        Row(
            variant.name,
            *value,
            difference=value.at - reference,
            reported_by=format_tools(variant, peers.get(variant, ())),
            why=describe_difference(variant, value, reference, data_set),
            tools=name_tools(peers.get(variant, ())),
        )
        for variant, value in values.items()
        if value.at == value.at  # not nan: a tool that has no value reports none
    )
    notes = tuple(_describe_data(data_set, reference))
    return Explanation(_format_title(data_set), tuple(rows), notes)


def _sort_variants(
    data_set: DataSet, cut: Cut | None, reported: Iterable[Variant]
) -> list[Variant]:
    """Return each variant once, grouped by rule, and those without a cutoff first."""
    orders = (Order.EXPECTED, Order.OPEN)
    tied = [variant for variant in list_tie_orders(data_set) if variant.order in orders]
    at_k = list_definitions(data_set, cut) if cut else []
    distinct = dict.fromkeys([*list_definitions(data_set), *tied, *at_k, *reported])
    shown = [variant for variant in distinct if variant.is_average_precision]
    order = [*dict.fromkeys(variant.rule for variant in shown)]
    return sorted(shown, key=lambda variant: (bool(variant.rule.cut), order.index(variant.rule)))


_LARGE_FRACTION_OF_POSITIVES = 0.8  # of the samples, as a fraction


def format_value_range(value: float, low: float, high: float) -> str:
    """Format a value, or its range if it depends on the order of ties."""
    exact = format_small_fraction(value) or f"{value:z.6f}"
    return exact if low == high else f"{low:z.4f} to {high:z.4f}"


def _describe_chance(data_set: DataSet) -> Iterator[str]:
    """Say if random rankings are better, or nearly as good because most samples are positive."""
    rankings = data_set.rankings
    names = range(rankings.n_rows) if rankings.group is None else rankings.names or ()
    units = ModelRows(rankings, None, names, "groups" if data_set.is_grouped else "rows")
    settings = IntervalSettings(rules.Step(), "auto", None, 0, zero_division=0.0)
    # One sampling unit has no interval.
    with suppress(ValueError), redirect_warnings(lambda *_: None):
        interval = compute_interval(settings, units, 0.99)  # whose end the note on scores says
        for note in interval.notes:
            if note.code == "upside_down":
                yield note.text
                return
        random_baseline = interval.random_baseline.exact or 0.0
        n_found = int(np.count_nonzero(rankings.labels))
        if (
            random_baseline >= _LARGE_FRACTION_OF_POSITIVES
            and n_found >= _LARGE_FRACTION_OF_POSITIVES * rankings.n_rows
        ):
            yield f"Most samples are positive, so a random ranking has {random_baseline:.3f}."


def _describe_data(data_set: DataSet, value: float) -> Iterator[str]:
    """Say what is unusual about the data, and what the rows don't say. The value is step's."""
    yield from _describe_chance(data_set)
    yield from _describe_missed_positives(data_set, value)
    yield from _describe_ties(data_set)
    yield from describe_scores(data_set)
    if data_set.is_grouped:
        yield "Tools without groups are listed twice: by group, and for all rows as one ranking."


def _describe_missed_positives(data_set: DataSet, value: float) -> Iterator[str]:
    """Say if the lowest score may stand for positives that were missed."""
    rankings = data_set.rankings
    is_known = data_set.is_grouped or data_set.is_weighted or rankings.n_positives is not None
    if is_known or data_set.distinct_scores < 3 or rankings.n_rows < FEW_ROWS:
        return
    lowest = rankings.scores.min()
    labels_there = rankings.labels[rankings.scores == lowest]
    is_better_than_random = value > rankings.labels.mean()
    if labels_there.size > 1 and labels_there.all() and is_better_than_random:
        without_them = value - labels_there.size / rankings.scores.size
        yield (
            f"The {labels_there.size:,} rows of the lowest score, {lowest}, are all positive. If "
            "these are positives that were missed, leave out the rows and pass "
            f"n_positives={rankings.positive_mass.sum():g}: step is {without_them:.3f} then."
        )


def _describe_ties(data_set: DataSet) -> Iterator[str]:
    """Say how many samples are tied where it matters."""
    if data_set.is_weighted or not data_set.has_ties():
        return
    points = data_set.points()
    is_open = (points.positives > 0) & (points.positives < points.total)
    tied = points.total[is_open]
    if not tied.size:
        return
    _, low, high = Variant(rules.Step(), order=Order.OPEN).value(data_set)
    samples = f"{tied.sum():,} samples tied at {format_count(tied.size, 'scores')}"
    ends = dict.fromkeys([f"{low:.4f}", f"{high:.4f}"])
    yield f"Depending on the order of {samples}, step is {' to '.join(ends)}."


def describe_scores(data_set: DataSet) -> list[str]:
    """Say what is unusual about the prediction scores."""
    distinct = data_set.distinct_scores
    if not 0 < distinct < min(3, data_set.rankings.scores.size):
        return []
    if distinct == 1:
        return ["All scores are equal, so nothing is ranked."]
    return [
        "y_score has only two distinct values, like the output of predict(). A ranking needs "
        "scores: pass predict_proba(X)[:, 1] or decision_function(X)."
    ]


def _format_title(data_set: DataSet) -> str:
    n_positives = data_set.points().n_positives  # of each group
    samples = format_count(data_set.rankings.scores.size, "samples")
    positives, scored = format_count(int(n_positives.sum()), "positives"), "scored"
    if data_set.is_weighted:
        positives, scored = f"positives of weight {format_mass(n_positives.sum())}", "of it scored"
    counts = [samples, positives]
    if data_set.misses_positives:
        counts.append(f"{format_mass(data_set.rankings.positive_mass.sum())} {scored}")
    if data_set.is_grouped:
        counts.append(f"mean over {format_count(n_positives.size, 'groups')}")
    return "Average precision: " + ", ".join(counts)
