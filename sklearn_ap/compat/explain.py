"""The values of all definitions on a data set side by side, and why they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import ArrayLike

from .. import _table as table
from .._data import public
from .._typing import Label, NPositives
from .._validation.inference import import_pandas
from ..core.cutoff import DEFAULT_COUNTS, Cut
from ..core.rules import Step
from .causes import cause, ties
from .naming import explained
from .orders import Order
from .peers import Peer
from .sample import Sample
from .variants import Variant, Variants

_HEADER = ("definition", "value", "reported by", "why it differs here")

_GROUPS = (
    "A tool that does not know groups is listed twice: with the mean of its values over the "
    "groups, and with its value for all rows as one ranking."
)


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


@dataclass(frozen=True)
class Explanation:
    """Result of :func:`~sklearn_ap.compat.explain`: print it, or use its `rows`.

    Attributes
    ----------
    title : str
        The heading, which says how many samples and positives there are.
    rows : tuple
        One row for each definition, with the attributes `definition`, `value`, `low`, `high`,
        `difference`, `reported_by` and `why`. If tools leave the order of tied samples open, `low`
        and `high` are the lowest and the highest value of any order; otherwise both equal `value`.
        The difference is the value minus step average precision.
    notes : tuple of str
        What is unusual about the data.

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

    title: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()  # what is unusual about the data

    def __str__(self) -> str:
        text = f"{table.paragraph(self.title)}\n\n{table.stacked(_HEADER, self._cells())}"
        return "\n\n".join([text, *map(table.paragraph, self._remarks())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return table.html(_HEADER, self._cells(), self.title, self._remarks(), n_numbers=1)

    def _remarks(self) -> list[str]:
        return [*explained(row.definition for row in self.rows), *self.notes]

    def _cells(self) -> list[tuple[str, str, str, str]]:
        alike: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in self.rows:
            alike[in_words(row.value, row.low, row.high), row.why].append(row)
        return [
            (
                "; ".join(row.definition for row in rows),
                value,
                "; ".join(row.reported_by for row in rows if row.reported_by),
                why,
            )
            for (value, why), rows in alike.items()
        ]

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the rows as a dict, with the definitions as its keys."""
        return {row.definition: asdict(row) for row in self.rows}

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame, with the definitions as its index."""
        rows = [asdict(row) for row in self.rows]
        return import_pandas().DataFrame(rows).set_index("definition")


@public()
def explain(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    k_counts: str = DEFAULT_COUNTS,
    ids: ArrayLike | None = None,
    pos_label: Label = 1,
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
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        A cut-off, to add AP@k with every denominator. An int counts samples, and a float in (0, 1]
        is a share of them.
    k_counts : {'samples', 'weight'}, default='weight'
        What `k` counts if samples have weights.
    ids : array-like of shape (n_samples,), default=None
        The document ids, strings or integers, by which trec_eval breaks ties: it ranks the last id
        first, compared as text. Without them, its rows show the range over all orders of ties.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out. Tools that take no weights are listed with
        the value without weights.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking, or one for each
        column, or for each row with average='samples'. With `groups`, pass a mapping or pandas
        Series from groups to counts. A group that is only in the mapping was never retrieved, so
        its value is 0. By default, all positives are in `y_true`. Tools that only know the scored
        samples are listed with the value of these samples. If a group has no rows, some tools leave
        it out of the mean, unless you pass an option, which is then named.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. `y_true`
        must be binary.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
        such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must then
        be one column of numbers, and you can't pass `pos_label` or `classes`.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. It can be a
        DataFrame or LazyFrame of pandas, polars, Dask or Spark, a DuckDB relation, an Ibis or
        PyArrow table, a PyArrow dataset, or a path to Parquet files. The table has to be in memory
        here.

    Returns
    -------
    explanation : Explanation
        It prints as text, displays as a table in a notebook, and has `to_dict` and `to_frame`. Each
        row has `definition`, `value`, `low`, `high`, `difference`, `reported_by` and `why`.

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
    sample = Sample.of(data, ids)
    cut = None if k is None else Cut(k, k_counts)
    sample.warn_of(cut)
    variants = Variants(sample)
    peers = peers_by_variant(
        pair for each in dict.fromkeys((None, cut)) for pair in variants.of_peers(each)
    )
    reference = Variant(Step()).value(sample).at
    rows = []
    for variant in _in_order(variants, cut, peers):
        value = variant.value(sample)
        if value.at == value.at:  # nan: a tool that has no value reports none
            rows.append(
                Row(
                    definition=variant.name,
                    value=value.at,
                    low=value.low,
                    high=value.high,
                    difference=value.at - reference,
                    reported_by=credit(variant, peers.get(variant, ())),
                    why=cause(variant, value, reference, sample),
                )
            )
    notes = filter(None, (ties(sample), *notes_on(sample), _GROUPS * sample.is_grouped))
    return Explanation(_title(sample), tuple(rows), tuple(notes))


def _in_order(
    variants: Variants, cut: Cut | None, reported: Iterable[Variant]
) -> Iterator[Variant]:
    """Yield each variant once, grouped by rule, and those without a cut-off first."""
    tied = (each for each in variants.with_ties() if each.order in (Order.EXPECTED, Order.OPEN))
    by_rule = defaultdict(list)
    asked = [*variants.definitions(), *tied, *(variants.definitions(cut) if cut else ())]
    known = (each for each in reported if each.is_average_precision)
    for variant in dict.fromkeys([*asked, *known]):
        by_rule[variant.rule].append(variant)
    for with_cut in (False, True):
        for rule, same in by_rule.items():
            if (rule.depth is not None) == with_cut:
                yield from same


def peers_by_variant(reports: Iterable[tuple[Variant, Peer]]) -> dict[Variant, list[Peer]]:
    peers: dict[Variant, list[Peer]] = defaultdict(list)
    for variant, peer in reports:
        peers[variant].append(peer)
    return peers


def credit(variant: Variant, peers: Iterable[Peer]) -> str:
    """Say which tools report a variant."""
    versions: dict[str, list[str]] = defaultdict(list)
    for peer in peers:
        versions[f"{peer.tool} {peer.function}"].append(peer.version)
    rising = " if ids increase with the rows" * (variant.order is Order.LAST_ROW_FIRST)
    return "; ".join(f"{call} ({', '.join(each)})" for call, each in versions.items()) + rising


def in_words(value: float, low: float, high: float) -> str:
    """Format a value, or its range if it depends on the order of ties."""
    return f"{value:z.6f}" if low == high else f"{low:z.4f} to {high:z.4f}"


def times(count: float, thing: str, things: str = "") -> str:
    """Format a count with its noun: 1 sample, 2 samples."""
    return f"{count:.12g} {thing if count == 1 else things or f'{thing}s'}"


def notes_on(sample: Sample) -> tuple[str, ...]:
    """Say what is unusual about the prediction scores."""
    if sample.distinct_scores == 1 and sample.rankings.scores.size > 1:
        return ("All scores are equal, so nothing is ranked.",)
    if sample.distinct_scores == 2 and sample.rankings.scores.size > 2:
        return (
            "y_score has only two distinct values, like the output of predict(). A ranking needs "
            "scores: pass predict_proba(X)[:, 1] or decision_function(X).",
        )
    return ()


def _title(sample: Sample) -> str:
    rankings, points = sample.rankings, sample.points()
    parts = [times(rankings.scores.size, "sample"), times(points.n_positives.sum(), "positive")]
    if sample.is_weighted:
        parts[1] = f"positives of weight {points.n_positives.sum():g}"
    if sample.misses_positives:
        found = rankings.points(None).n_positives.sum()
        parts[1] += f", {found:g} of it scored" if sample.is_weighted else f", {found:g} scored"
    if sample.is_grouped:
        parts.append(f"mean over {times(points.n_positives.size, 'group')}")
    return "Average precision: " + ", ".join(parts)
