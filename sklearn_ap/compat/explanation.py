"""The values of all definitions on a data set, the tools that report them, and why they differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import chain
from math import inf, nan
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public, read_rows
from .._infer.comparing import interval_of
from .._infer.requests import IntervalRequest
from .._inputs.records import Label, NPositives, Unread
from .._package.toml import read_toml
from .._read.sampling_units import Sample
from .._read.validation import FEW
from .._show.results import Printed, Result, as_paragraphs, in_json, paragraph, signed
from .._words.errors import InvalidParameterError
from .._words.messages import heard_by
from .._words.names import written
from ..core import rules
from ..core.cutoff import DEFAULT_COUNTS, DENOMINATORS, Cut, select_top
from ..core.operating_points import OperatingPoints
from ..core.within import Array, compute_suffix_maxima, repeat_values
from . import variants
from .sample import Between, DataSet, Reading, Slip, ValueRange, Variant
from .variants import OfK, Order

_HEADER = ("definition", "value", "reported by", "why it differs here")


class Blocks(Result):
    """Base class of results that print as blocks of rows, each below its title."""

    def __str__(self) -> str:
        header, blocks, title, notes, conditions = self._printed_fully()
        texts = []
        for name, _, rows in blocks:
            above = "\n".join(map(paragraph, filter(None, [name or title, conditions])))
            texts.append(f"{above}\n\n{as_paragraphs(header, rows)}")
            conditions = ""  # which stand below the first title
        return "\n\n".join([*texts, *map(paragraph, notes)])

    def _repr_html_(self) -> str:
        return self._as_html_table()


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


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Blocks):
    """Result of :func:`~sklearn_ap.compat.explain`: print it, or use its `rows`.

    Attributes
    ----------
    title : str
        The heading, which says how many samples and positives there are.
    rows : tuple
        One row for each definition, with the attributes `definition`, `value`, `low`, `high`,
        `difference`, `reported_by` and `why`. If tools leave the order of tied samples open, `low`
        and `high` are the lowest and the highest value over all orders; otherwise both equal
        `value`. The difference is the value minus step average precision.
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
        alike: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in self.rows:
            alike[in_words(row.value, row.low, row.high), row.why].append(row)
        rows = [
            (
                "; ".join(row.definition for row in same),
                value,
                few_tools((row.reported_by for row in same), "rows"),
                why,
            )
            for (value, why), same in alike.items()
        ]
        notes = (*explained(row.definition for row in self.rows), *self.notes)
        return Printed(_HEADER, [("", "", rows)], self.title, notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the rows by their definitions, as a dict that can be stored as JSON."""
        return dict(in_json(self._as_dict()))

    def _as_dict(self) -> dict[str, dict[str, Any]]:
        of_data = {"conditions": self.conditions}
        return {row.definition: asdict(row) | of_data for row in self.rows}

    def _rows(self) -> list[dict[str, Any]]:
        return [*map(asdict, self.rows)]


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

    Each value is compared with step average precision, :math:`\sum_i \frac{r_i}{R}\, p_i`, and
    each tool is listed next to the value that it reports on this data. If samples are tied, some
    tools count them as one point of the curve, while others rank them one by one in an order of
    their own, which changes the value. If that order is not known, the row shows the lowest and the
    highest value over all orders. Only causes that matter on this data are named.

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
    ids
        As in :func:`identify`.
    pos_label
        As in :func:`sklearn_ap.average_precision_score`.
    sample_weight
        As in :func:`sklearn_ap.average_precision_score`. Tools that take no weights are listed with
        the value without weights.
    n_positives
        As in :func:`sklearn_ap.average_precision_score`. Tools that only know the scored samples
        are listed with the value of these samples. If a group has no rows, some tools leave it out
        of the mean, unless you pass an option, which is then named.
    groups, min_grade, data
        As in :func:`sklearn_ap.average_precision_score`.

    Returns
    -------
    explanation : Explanation
        It prints as text, and displays as a table in a notebook. Its `rows` have the definitions,
        their values, and why they differ.

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
    unread = Unread(  # written by docs/_write/parameters.py
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, n_positives=n_positives,
        groups=groups, min_grade=min_grade, data=data, besides={"ids": ids}, caller="explain",
    )  # fmt: skip
    with read_rows(unread) as inputs:
        sample = DataSet.of(inputs, cut=cut)
    reports = [(report, peer) for report, peer in reports_on(sample) if not peer.is_setting]
    peers = tools_at_cut(reports, None, sample)
    if cut is not None:
        peers |= tools_at_cut(reports, cut, sample)
    reference = Variant(rules.Step()).value(sample).at
    values = {variant: variant.value(sample) for variant in _sorted_variants(sample, cut, peers)}
    rows = (
        Row(
            variant.name,
            *value,
            difference=value.at - reference,
            reported_by=credit(variant, peers.get(variant, ())),
            why=cause(variant, value, reference, sample),
        )
        for variant, value in values.items()
        if value.at == value.at  # not nan: a tool that has no value reports none
    )
    return Explanation(_title(sample), tuple(rows), tuple(_notes(sample, reference)))


def _sorted_variants(
    sample: DataSet, cut: Cut | None, reported: Iterable[Variant]
) -> list[Variant]:
    """Return each variant once, grouped by rule, and those without a cutoff first."""
    orders = (Order.EXPECTED, Order.OPEN)
    tied = [variant for variant in with_ties(sample) if variant.order in orders]
    at_k = definitions(sample, cut) if cut else []
    distinct = dict.fromkeys([*definitions(sample), *tied, *at_k, *reported])
    shown = [variant for variant in distinct if variant.is_average_precision]
    order = [*dict.fromkeys(variant.rule for variant in shown)]
    return sorted(shown, key=lambda variant: (bool(variant.rule.depth), order.index(variant.rule)))


AREAS = (rules.Step(), rules.Envelope(), rules.NPoint(11), rules.NPoint(101), rules.Linear())
_TARGETS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99)
AT_TARGETS = (*map(rules.PrecisionAtRecall, _TARGETS), *map(rules.RecallAtPrecision, _TARGETS))
R40 = variants.SomeLevels(40, first=1, parts=40)
_RULES: tuple[rules.Rule, ...] = (
    *(*AREAS, variants.FloatGrid(11), variants.FloatGrid(101), R40, variants.AtR()),
    *map(variants.WithArtificialPoint, (rules.NPoint(11), variants.FloatGrid(11))),
    *(rules.RPrecision(), rules.ReciprocalRank()),
    *(rules.PrecisionAtRecall(0.9), rules.RecallAtPrecision(0.9)),
)


def definitions(sample: DataSet, cut: Cut | None = None) -> list[Variant]:
    """Return all definitions, and what is often mistaken for average precision."""
    if cut is None:
        kept = [rule for rule in _RULES if rule.takes_weights or not sample.is_weighted]
        plain = (Variant(rule).on(sample) for rule in kept)
        return [*plain, Variant(variants.RocArea(), empty=None)]
    with_weights = (rules.PrecisionAtK, rules.RecallAtK, rules.EnrichmentFactor)
    mean_of_precisions = sample.mean_of_precisions(cut)
    at_k = steps(cut)
    if mean_of_precisions and not sample.is_weighted:
        at_k.append(mean_of_precisions)
    at_k += [make(cut.k, k_counts=cut.counts) for make in with_weights]
    if not sample.is_weighted:
        at_k += [rules.ReciprocalRankAtK(cut.k), rules.HitRateAtK(cut.k)]
    return [Variant(rule).on(sample) for rule in at_k]


def with_ties(sample: DataSet, cut: Cut | None = None) -> Iterator[Variant]:
    """Yield the orders in which tied samples may be ranked, if there are any."""
    if sample.is_weighted or not sample.has_ties(Slip.NONE, None):
        return
    tied = [rule for rule in steps(cut) if sample.has_ties(Slip.NONE, rule.depth)]
    for order in (Order.EXPECTED, Order.BY_ROW, Order.OPEN, Order.BEST, Order.WORST):
        for rule in tied:
            # The mean over all orders of a mean over hits isn't known.
            if order is Order.EXPECTED and getattr(rule, "denominator", "") == "hits":
                continue
            yield Variant(rule, order=order)
    if cut is None:
        yield Variant(rules.Linear(), order=Order.BY_ROW)


def steps(cut: Cut | None) -> list[rules.Rule]:
    """Return step average precision, or with a cutoff AP@k with every denominator."""
    if cut is None:
        return [rules.Step()]
    return [rules.AtK(cut.k, k_counts=cut.counts, denominator=each) for each in DENOMINATORS]


def credit(variant: Variant, peers: Iterable[Peer]) -> str:
    """Say which tools report a variant, as "tool function (versions); tool function (versions)"."""
    versions_of: dict[str, list[str]] = defaultdict(list)
    for peer in peers:
        versions_of[f"{peer.tool} {peer.function}"].append(peer.version)
    calls = "; ".join(
        f"{call} ({', '.join(merged_versions(versions))})" for call, versions in versions_of.items()
    )
    if variant.order is Order.LAST_ROW_FIRST:
        return f"{calls} if ids increase with the rows"
    return calls


_RANGE = re.compile(r"(\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?)| and (later))?")
_MOST = 0.8  # of the samples, as a fraction
_MOST_TOOLS = 3  # that a cell names


def merged_versions(versions: Iterable[str]) -> list[str]:
    """Join versions that overlap or are consecutive, such as "0.19" and "0.20 to 1.0"."""
    matches = {version: _RANGE.fullmatch(version) for version in versions}
    ranges = [(found[1], found[2] or found[3] or found[1]) for found in matches.values() if found]
    merged: list[tuple[str, str]] = []  # the first and the last version, which may be "later"
    for first, last in sorted(ranges, key=lambda ends: _version_numbers(ends[0])):
        if merged and _version_numbers(first) <= _next(merged[-1][1]):
            first_before, last_before = merged.pop()
            merged.append((first_before, max(last, last_before, key=_version_numbers)))
        else:
            merged.append((first, last))
    words = {"later": "and later"}
    texts = [
        first if first == last else f"{first} {words.get(last, f'to {last}')}"
        for first, last in merged
    ]
    return [*texts, *(version for version, found in matches.items() if found is None)]


def _version_numbers(version: str) -> list[float]:
    return [inf if number == "later" else int(number) for number in version.split(".")]


def _next(version: str) -> list[float]:
    """Return the version after this one: [0, 20] after "0.19"."""
    *first, last = _version_numbers(version)
    return [*first, last + 1]


def few_tools(reported_by: Iterable[str], attribute: str, n_named: int = _MOST_TOOLS) -> str:
    """Name each tool once, and at most so many of them; an attribute of the result names all.

    The texts are what `credit` returns.
    """
    # The versions of each function of a tool, with what follows them
    calls: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for call in chain.from_iterable(text.split("; ") for text in reported_by if text):
        [(tool, function, versions_in_words, condition)] = _CALL.findall(call)
        calls[tool][function, condition] += re.split(r", (?=\d)", versions_in_words)

    if n_named == _MOST_TOOLS == len(calls) - 1:  # its name is as short as "and 1 more"
        n_named += 1
    texts = []
    for tool, functions in [*calls.items()][:n_named]:
        functions_in_words = (
            f"{function} ({', '.join(merged_versions(dict.fromkeys(versions)))}){condition}"
            for (function, condition), versions in functions.items()
        )
        texts.append(f"{tool} {', '.join(functions_in_words)}")
    if len(calls) > n_named:
        texts.append(f"and {len(calls) - n_named} more in `{attribute}`")
    return "; ".join(texts)


def in_words(value: float, low: float, high: float) -> str:
    """Format a value, or its range if it depends on the order of ties."""
    exact = variants.small_fraction(value) or f"{value:z.6f}"
    return exact if low == high else f"{low:z.4f} to {high:z.4f}"


def times(count: float, thing: str, things: str = "") -> str:
    """Format a count with its noun: 1 sample, 2 samples."""
    return f"{count:.12g} {thing if count == 1 else things or f'{thing}s'}"


def _note_on_chance(sample: DataSet) -> Iterator[str]:
    """Say if random rankings are better, or nearly as good because most samples are positive."""
    rankings = sample.rankings
    names = range(rankings.n_rows) if rankings.group is None else rankings.names or ()
    units = Sample(rankings, None, names, "groups" if sample.is_grouped else "rows")
    request = IntervalRequest(rules.Step(), "auto", None, 0, zero_division=0.0)
    with suppress(ValueError), heard_by(lambda *_: None):  # one sampling unit has no interval
        interval = interval_of(request, units, 0.99)  # whose end the note on scores says
        for note in interval.notes:
            if note.code == "upside_down":
                yield note.text
                return
        at_random = interval.at_random.exact or 0.0
        n_found = int(np.count_nonzero(rankings.labels))
        if at_random >= _MOST and n_found >= _MOST * rankings.n_rows:
            yield f"Most samples are positive, so a random ranking has {at_random:.3f}."


def _notes(sample: DataSet, value: float) -> Iterator[str]:
    """Say what is unusual about the data, and what the rows don't say. The value is step's."""
    yield from _note_on_chance(sample)
    yield from _note_on_missed(sample, value)
    yield from _note_on_ties(sample)
    yield from notes_on(sample)
    if sample.is_grouped:
        yield (
            "A tool that does not know groups is listed twice: with the mean of its values over "
            "the groups, and with its value for all rows as one ranking."
        )


def _note_on_missed(sample: DataSet, value: float) -> Iterator[str]:
    """Say if the lowest score may stand for positives that were missed."""
    rankings = sample.rankings
    is_known = sample.is_grouped or sample.is_weighted or rankings.n_positives is not None
    if is_known or sample.distinct_scores < 3 or rankings.n_rows < FEW:
        return
    lowest = rankings.scores.min()
    labels_there = rankings.labels[rankings.scores == lowest]
    is_better_than_random = value > rankings.labels.mean()
    if labels_there.size > 1 and labels_there.all() and is_better_than_random:
        without_them = value - labels_there.size / rankings.scores.size
        yield (
            f"The {labels_there.size} rows of the lowest score, {lowest}, are all positive. If "
            "these are positives that were missed, leave out the rows and pass "
            f"n_positives={rankings.found.sum():g}: step is {without_them:.3f} "
            "then."
        )


def _note_on_ties(sample: DataSet) -> Iterator[str]:
    """Say how many samples are tied where it matters."""
    if sample.is_weighted or not sample.has_ties(Slip.NONE, None):
        return
    points = sample.points()
    tied = points.total[(points.total > 1) & (points.positives > 0)]
    _, low, high = Variant(rules.Step(), order=Order.OPEN).value(sample)
    values = "one value" if tied.size == 1 else f"{tied.size} values"
    yield (
        f"{tied.sum()} samples are tied at {values} of y_score, and some of them are positive: if "
        f"they are ranked one by one, step is between {low:.4f} and {high:.4f}, depending on "
        "their order."
    )


def notes_on(sample: DataSet) -> list[str]:
    """Say what is unusual about the prediction scores."""
    distinct = sample.distinct_scores
    if not 0 < distinct < min(3, sample.rankings.scores.size):
        return []
    if distinct == 1:
        return ["All scores are equal, so nothing is ranked."]
    return [
        "y_score has only two distinct values, like the output of predict(). A ranking needs "
        "scores: pass predict_proba(X)[:, 1] or decision_function(X)."
    ]


def _title(sample: DataSet) -> str:
    n_positives = sample.points().n_positives  # of each group
    samples = times(sample.rankings.scores.size, "sample")
    positives, scored = times(n_positives.sum(), "positive"), "scored"
    if sample.is_weighted:
        positives, scored = f"positives of weight {n_positives.sum():g}", "of it scored"
    counts = [samples, positives]
    if sample.misses_positives:
        counts.append(f"{sample.rankings.found.sum():g} {scored}")
    if sample.is_grouped:
        counts.append(f"mean over {times(n_positives.size, 'group')}")
    return "Average precision: " + ", ".join(counts)


# --- tools ---------------------------------------------------------------------------------------

# What a query or class without positives counts as in the mean; None leaves it out
COUNTS: dict[str, float | None] = {
    **read_toml("compat/peers.toml")["counts"],
    **dict.fromkeys(("left out", "-1, left out of the mean")),
}


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
    queries: bool = False  # whether it returns the mean over queries or classes
    missed: bool = False  # whether positives that were not retrieved count
    weights: bool = False  # whether it takes weights of samples
    reading: Reading | Between = Reading.EXACT
    ranks: Slip = Slip.NONE  # what it ranks besides the scores of the positives
    average: str = "macro"  # over both classes
    is_setting: bool = False  # whether only an option computes this; `explain` leaves it out
    needs_negatives: bool = False  # whether it has no value without any
    is_known_on: Callable[[DataSet], bool] = lambda sample: True  # data on which its value is known
    # Where positives that were not retrieved count: what it ranks if a query has no rows at all,
    # None if that is an error, and the option that makes such a query count as 0
    no_rows: Slip | None = Slip.NONE
    option: str = ""

    @property
    def definition(self) -> str:
        """The short name of the definition that it computes."""
        return written(self.rule, "term")


def order_of(peer: Peer) -> Order:
    """Return how a tool ranks tied samples."""
    return Order[read_toml("compat/peers.toml")["orders"][peer.ties]]


def value_without(peer: Peer, aspect: str, expected: Array) -> Array | float:
    """Return what a tool returns for rankings with one class; nan for an error.

    The aspect is "no positives", "all positives" or "one sample", and the expected values are those
    of the definition, nan where it is undefined.
    """
    first_word = peer.no_positives.partition(" ")[0].rstrip(",")  # such as "-1" or "left"
    is_number = _RANGE.fullmatch(first_word.removeprefix("-"))
    undefined = float(first_word) if is_number else nan
    if aspect == "no positives":
        return undefined
    if peer.needs_negatives:
        return nan
    return np.where(np.isnan(expected), undefined, expected)


def _are_plain_probabilities(sample: DataSet) -> bool:
    """Between 0 and 1, and with the same ties as float32."""
    return sample.are_probabilities and sample.reads_alike(Slip.NONE, Reading.SINGLE)


def _positives_score_above_0(sample: DataSet) -> bool:
    return bool((sample.rankings.scores[sample.rankings.labels] > 0).all())


def _have_three_decimals(sample: DataSet) -> bool:
    scores = sample.rankings.scores
    return sample.are_probabilities and bool((scores == np.round(scores.astype(float), 3)).all())


def _are_few_and_the_best_is_untied(sample: DataSet) -> bool:
    points = sample.points()
    first = points.above == 0
    untied = np.array_equal(points.positives[first], points.total[first])
    return untied and sample.all_have_weight and sample.distinct_scores < 2000


# The definitions of peers.toml, by their keys there, which stay if a title changes
_WITHOUT_K: dict[str, rules.Rule] = {
    "step": rules.Step(),
    "envelope": rules.Envelope(),
    "linear": rules.Linear(),
    "linear after the first point": variants.AfterFirst(),
    "linear between the highest points": variants.LinesBetweenHighest(),
    "linear, points sorted by recall": variants.SortedByRecall(),
    "lines between 101 points": variants.LinesBetweenLevels(101),
    "lines between 101 points, to (1, 0)": variants.LinesToFullRecall(101),
    "curved": variants.Curved(),
    "Davis and Goadrich": variants.DavisGoadrich(),
    "11-point, float grid": variants.FloatGrid(11),
    "11-point, levels rounded": variants.RoundedLevels(0.5),
    "11-point, levels rounded up": variants.RoundedLevels(0.9),
    "R40, recalls 1/40 to 1": R40,
    "101-point, float grid": variants.FloatGrid(101),
    "101-point, float grid, without the maximum to the right": variants.FirstAtLevels(
        variants.FloatGrid(101)
    ),
    "R-precision": rules.RPrecision(),
    "AP@R": variants.AtR(),
    "reciprocal rank": rules.ReciprocalRank(),
    "area under the ROC curve": variants.RocArea(),
}
_OF_K: dict[str, Callable[..., rules.Rule]] = {
    **{f"AP@k / {each}": partial(rules.AtK, denominator=each) for each in DENOMINATORS},
    "mean of P@1 to P@k": variants.MeanOfPrecisions,
    "precision@k": rules.PrecisionAtK,
    "recall@k": rules.RecallAtK,
    "recall@k / min": partial(rules.RecallAtK, denominator="min"),
    "hit rate@k": rules.HitRateAtK,
    "reciprocal rank@k": rules.ReciprocalRankAtK,
    "enrichment factor@k": rules.EnrichmentFactor,
}
DEFINITIONS: dict[str, rules.Rule] = {
    **_WITHOUT_K,
    **{name: OfK(name, make) for name, make in _OF_K.items()},
    "step of the k best rows": OfK("AP@k / hits", variants.StepOfFirst),
}
# What else peers.toml says in words
_MEANINGS: dict[str, dict[str, Any]] = {
    "reading": {"single": Reading.SINGLE, "close tied": Reading.CLOSE_TIED},
    "ranks": {"both classes": Slip.BOTH_CLASSES, "both columns": Slip.BOTH_COLUMNS},
    "no_rows": {"left out": Slip.RETRIEVED, "an error": None},
    "is_known_on": {
        "all rows have weight": attrgetter("all_have_weight"),
        "no ties": lambda sample: not sample.has_ties(Slip.NONE, None),
        "few scores, the best of them untied": _are_few_and_the_best_is_untied,
        "plain probabilities": _are_plain_probabilities,
        "at most 3 decimals, from 0 to 1": _have_three_decimals,
        "positives score above 0": _positives_score_above_0,
        "at most two tied positives": lambda sample: bool(
            (sample.points(Slip.UNWEIGHTED).positives <= 2).all()
        ),
        "nothing": lambda sample: False,
    },
}


def _read_peers(block: dict[str, Any]) -> Iterator[Peer]:
    """Yield the tools of a block of peers.toml."""
    meant = {name: _MEANINGS[name][block[name]] for name in block.keys() & _MEANINGS.keys()}
    fields = block | meant
    # All but these are fields of Peer.
    functions = fields.pop("functions")
    thresholds = fields.pop("thresholds", None)  # their numbers, each of which is a tool
    goes_up = fields.pop("scores_at_a_threshold", "") == "above"
    for function, definition in functions.items():
        peer = Peer(**fields, function=function, rule=DEFINITIONS[definition])
        if thresholds is None:
            yield peer
            continue
        for n_thresholds in thresholds:
            call = function.replace("=n", f"={n_thresholds}")
            yield replace(peer, function=call, reading=Between(n_thresholds, goes_up))


PEERS = tuple(chain.from_iterable(map(_read_peers, read_toml("compat/peers.toml")["peers"])))
# The names of all tools, of which none begins with an earlier one
_TOOLS = sorted({re.escape(peer.tool) for peer in PEERS}, key=len, reverse=True)
# What `credit` writes: a tool, its function, the versions, and what follows
_CALL = re.compile(rf"^({'|'.join(_TOOLS)}) (.*) \(([^()]*)\)(.*)$")


# --- what they report on a data set --------------------------------------------------------------


def reports_on(sample: DataSet) -> list[tuple[Variant, Peer]]:
    """Return what tools report, as far as it is known. Rules may still lack their k."""
    reports = []
    for peer in PEERS:
        if not peer.is_known_on(sample):
            continue
        order, empty = order_of(peer), COUNTS.get(peer.no_positives, 0.0)
        if order is Order.BY_ID and sample.ids is not None:
            order = Order.BY_GIVEN_ID
        for slip, peer_with_option in _slips_of(peer, sample):
            if not sample.can_read(slip, peer.reading):
                continue
            if peer.no_positives not in COUNTS and sample.has_empty(slip):
                continue
            if peer.needs_negatives and not sample.has_negatives(slip):
                continue
            report = Variant(peer.rule, slip, peer.reading, order, empty, peer.average)
            reports.append((report.on(sample), peer_with_option))
    return reports


def tools_at_cut(
    reports: Iterable[tuple[Variant, Peer]], cut: Cut | None, sample: DataSet
) -> dict[Variant, list[Peer]]:
    """Return the tools by what they report with this cutoff, or without any.

    The reports are those of `reports_on`.
    """
    peers: dict[Variant, list[Peer]] = defaultdict(list)
    if cut is not None and sample.rows_of(cut) is None:
        return peers

    @cache  # as many tools do the same
    def at_cut(report: Variant) -> Variant | None:
        return report if cut is None else _with_k(report, cut, sample)

    for report, peer in reports:
        if isinstance(report.rule, OfK) == (cut is not None):
            variant = at_cut(report)
            if variant is not None and variant.order is not Order.UNKNOWN:
                peers[variant].append(peer)
    return peers


def _with_k(report: Variant, cut: Cut, sample: DataSet) -> Variant | None:
    """Return a report whose rule has its k, or None if nobody would report that."""
    assert isinstance(report.rule, OfK)
    rule: rules.Rule | None = report.rule.make(k=cut.k)
    if isinstance(rule, variants.MeanOfPrecisions):
        rule = sample.mean_of_precisions(cut)
    return replace(report, rule=rule).on(sample) if rule else None


def _slips_of(peer: Peer, sample: DataSet) -> list[tuple[Slip, Peer]]:
    """Return what the tool may rank of this data, with how to call it for that."""
    misses = sample.misses_positives or sample.has_unretrieved
    lacks_weights = sample.is_weighted and not peer.weights
    if peer.ranks is not Slip.NONE:
        is_possible = peer.ranks in sample.slips and not lacks_weights
        return [(peer.ranks, peer)] if is_possible else []
    if lacks_weights:
        return [(Slip.UNWEIGHTED, peer)] if Slip.UNWEIGHTED in sample.slips else []

    slips = []
    if misses and not peer.missed:
        slips.append((Slip.FOUND_ONLY, peer))
    elif not sample.has_unretrieved:
        slips.append((Slip.NONE, peer))
    else:
        if peer.no_rows is not None:
            slips.append((peer.no_rows, peer))
        if peer.option:
            with_option = replace(peer, function=f"{peer.function} with {peer.option}")
            slips.append((Slip.NONE, with_option))
    if sample.is_grouped and not peer.queries and not (misses and peer.missed):
        slips.append((Slip.POOLED, peer))
    return slips


# --- why a value differs -------------------------------------------------------------------------


def cause(variant: Variant, value: ValueRange, reference: float, sample: DataSet) -> str:
    """Say why a value differs; empty if it is the value of step, which is the reference.

    Each of the functions below yields causes in words, which are empty if they don't apply.
    """
    if all(_same(end, reference) for end in value):
        return ""
    sample = sample.as_read(variant.reading)
    causes = (
        *_of_view(variant, sample),
        *_of_empty(variant, sample),
        *_of_rule(variant, value, sample),
        *_of_order(variant, value, sample),
    )
    return "; ".join(filter(None, causes))


def _same(value: float, other: float) -> bool:
    return bool(np.isclose(value, other, rtol=0, atol=1e-12))


# --- what is ranked ------------------------------------------------------------------------------


def _of_view(variant: Variant, sample: DataSet) -> Iterator[str]:
    slip, causes = variant.slip, read_toml("compat/peers.toml")["causes"]
    yield causes.get(slip.name, "")
    if slip in (Slip.RETRIEVED, Slip.FOUND_ONLY) and sample.has_unretrieved:
        n_without = np.count_nonzero(sample.n_rows == 0)
        left_out = "has no rows, and is" if n_without == 1 else "have no rows, and are"
        yield f"{n_without} of {sample.n_rows.size} groups {left_out} left out"
    if slip is Slip.FOUND_ONLY:
        exist = sample.points().n_positives.sum()
        missed = exist - sample.points(slip).n_positives.sum()
        left_out = "was not scored, and is" if missed == 1 else "were not scored, and are"
        yield f"{missed:g} of {exist:g} positives {left_out} not counted"
    if isinstance(variant.reading, Between):
        yield f"scores between two of {variant.reading.n_thresholds} thresholds are tied"
    else:
        yield causes.get(variant.reading.name, "")


def _of_empty(variant: Variant, sample: DataSet) -> Iterator[str]:
    if variant.empty == 0 or not sample.has_empty(variant.slip):
        return
    n_positives = sample.points(variant.slip).n_positives
    if n_positives.size == 1:
        yield "there are no positives"
        return
    n_empty = np.count_nonzero(n_positives == 0)
    have, are, count = ("has", "is", "counts") if n_empty == 1 else ("have", "are", "count")
    consequence = f"{are} left out" if variant.empty is None else f"{count} {variant.empty:g}"
    yield f"{n_empty} of {n_positives.size} groups {have} no positives, and {consequence}"


# --- the rule ------------------------------------------------------------------------------------


def _of_rule(variant: Variant, value: ValueRange, sample: DataSet) -> Iterator[str]:
    rule, cut = variant.rule, variant.rule.depth
    # The rule without its artificial point
    levels = rule.of if isinstance(rule, variants.WithArtificialPoint) else rule
    points = sample.walked(
        variant.slip, variant.order, counts_rows=cut is not None and cut.counts_rows
    )
    is_open = variant.order in variants.ASSUMED  # then the points are those of one order of many
    if cut is not None:
        extremes = [points]
        if is_open:
            extremes = [sample.first_points(variant.slip, cut, ties) for ties in ("best", "worst")]
        yield from _of_cut(rule, cut, extremes)
    yield getattr(rule, "cause", "")
    if isinstance(rule, rules.Linear):
        yield "straight lines join the points of the curve" if is_open else _of_lines(points)
    if isinstance(levels, rules.Envelope | rules.Levels):
        yield "the envelope fills where the curve rises again" if is_open else _of_wiggles(points)
    if isinstance(levels, variants.RoundedLevels):
        yield f"the recalls 0, 1/10, ..., 1 count equally, {levels.rounded} to whole positives"
    if isinstance(levels, variants.SomeLevels):
        yield "the recalls 1/40, 2/40, ..., 1 count equally"
    if isinstance(levels, rules.NPoint | variants.FloatGrid):
        yield _of_grid(levels, variant, value.at, sample)
    if rule is not levels and np.any(rule.values(points) - levels.values(points) > 1e-12):
        yield "the point at recall 0, which is there only for drawing, counts with precision 1"


def _of_wiggles(points: OperatingPoints) -> str:
    """Say how often, and by how much, the curve rises again, which the envelope fills."""
    gain = compute_suffix_maxima(points.precision, points.offsets) - points.precision
    n_raised = np.count_nonzero(gain > 1e-12)
    if not n_raised:
        return ""
    return f"the curve rises again after {n_raised} of its points, by up to {gain.max():.4f}"


def _of_grid(
    rule: rules.NPoint | variants.FloatGrid, variant: Variant, value: float, sample: DataSet
) -> str:
    """Say that all levels count equally, and which of them a grid of floats misses."""
    denominator = rule.n_points - 1
    text = f"the recalls 0, 1/{denominator}, ..., 1 count equally"
    if not isinstance(variant.rule, variants.FloatGrid) or variant.order is not Order.GROUPED:
        return text
    exact_rule, points = rules.NPoint(rule.n_points), sample.points(variant.slip)
    n_reached = exact_rule.reached(points)  # by each point, including level 0
    is_missed = rule.reached(points) < n_reached
    missed = [f"{level}/{denominator}" for level in np.unique(n_reached[is_missed]) - 1]
    if not missed or _same(value, replace(variant, rule=exact_rule).value(sample).at):
        return text
    more = f" and {len(missed) - 4} more" if len(missed) > 4 else ""
    are_missed = "is missed" if len(missed) == 1 else "are missed"
    return f"{text}; as floats {', '.join(missed[:4])}{more} {are_missed}"


def _of_lines(points: OperatingPoints) -> str:
    """Say how much straight lines between the points change the mean value, and where most."""
    lines = rules.Linear().area(points)
    n_positives = repeat_values(points.n_positives, points.offsets)
    recall_gained = lines.width / n_positives
    gain = recall_gained / points.n_queries * (lines.height - points.precision)  # at each point
    total = gain.sum()
    if _same(total, 0):
        return ""
    largest = int(np.argmax(gain * np.sign(total)))  # of those that change the value as all do
    start = (points.found_above / n_positives)[largest]
    end = (points.cum_positives / n_positives)[largest]
    verb = "gain" if total > 0 else "lose"
    return (
        f"straight lines between the points {verb} area compared with steps, most of it between "
        f"recall {start:.2f} and {end:.2f}: {signed(gain[largest], 4)}"
    )


def _of_cut(rule: rules.Rule, cut: Cut, extremes: Sequence[OperatingPoints]) -> Iterator[str]:
    """Say what a cutoff leaves out. Of ties in any order, there are the best and the worst one."""
    points = extremes[0]
    n_positives = points.n_positives.sum()
    k = select_top(points, cut)[2]  # of each ranking
    n_below = [n_positives - select_top(each, cut)[1].sum() for each in extremes]
    fewest, most = min(n_below), max(n_below)
    denominator = rule.denominator if isinstance(rule, rules.AtK) else ""
    if most > 1e-9 * n_positives:  # which rounding of weights may reach
        are = "is" if most == 1 else "are"
        count = f"{most:g}" if fewest == most else f"{fewest:g} to {most:g}"
        yield f"{count} of {n_positives:g} positives {are} below the top k"
        if denominator == "hits":
            yield "the sum is divided only by the positives in the top k"
    divisor = f"{k[0]:g}" if np.all(k == k[0]) else "k"
    if denominator in ("k", "min") and np.any(points.n_positives > k):
        yield f"the sum is divided by {divisor}, not by all positives"
    if denominator == "k" and np.any(points.n_positives < k):
        yield f"the sum is divided by {divisor}, though there are fewer positives"


# --- the order of ties ---------------------------------------------------------------------------


def _of_order(variant: Variant, value: ValueRange, sample: DataSet) -> Iterator[str]:
    if variant.order is not Order.GROUPED:
        yield TERMS[variant.order.value.removeprefix(", ")]
        if variant.order is Order.BY_ID:
            yield f"if ids increase with the rows it is {value.at:.4f}"
    elif isinstance(variant.rule, rules.AtK) and sample.cuts_tie(variant.slip, variant.rule.depth):
        yield "k cuts through tied samples, which count in proportion"


# Terms that the names contain, such as orders of ties. Of overlapping ones, the longest one counts.
TERMS: dict[str, str] = read_toml("compat/peers.toml")["terms"]


def explained(names: Iterable[str]) -> Iterator[str]:
    """Explain each technical term in these names in one sentence."""
    pattern = "|".join(map(re.escape, sorted(TERMS, key=len, reverse=True)))
    terms = {term for name in names for term in re.findall(pattern, name)}
    return (f'"{term}": {meaning}.' for term, meaning in TERMS.items() if term in terms)
