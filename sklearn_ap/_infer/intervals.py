"""The results of inference: intervals and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._inputs.metric_names import lower_first
from .._read.model_rows import ModelRows
from .._show.pictures import MOST_ROWS, NOTHING, Drawable, Drawn, IntervalMark, MarkedRow, Strip
from .._show.results import (
    MAX_PRINTED_SEGMENTS,
    LazyValue,
    LocalData,
    Measurement,
    Note,
    Printed,
    Table,
    Value,
    are_same,
    describe_baseline,
    describe_family,
    describe_margins,
    format_difference_cells,
    format_ends,
    format_level,
    format_verdict_column,
    join_lines,
    select_segments,
    shorten_name,
    shorten_notes,
    sort_notes,
    wrap,
    write_notes,
    write_value,
)
from .._words.messages import format_count
from ..core.verdicts import compute_ranks, decide_verdict
from .chance import RandomBaseline
from .sentences import (
    describe_basis,
    describe_best,
    describe_random_values,
    join_words,
    note_upside_down,
    write_metric,
)
from .settings import IntervalSettings


class IntervalSource(NamedTuple):
    """What an interval was computed from, of which pickles keep what prints."""

    kind: str  # of the sampling units
    model: Any
    data: LocalData[tuple[IntervalSettings, ModelRows]]

    @classmethod
    def from_model_rows(cls, settings: IntervalSettings, model_rows: ModelRows) -> IntervalSource:
        return cls(model_rows.kind, model_rows.model, LocalData((settings, model_rows)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Interval(Measurement):
    """Result of :func:`~sklearn_ap.confidence_interval`.

    It prints as two lines, and unpacks into `value`, `low` and `high`. For loggers, `to_metrics`
    converts it to a dict of floats.

    Attributes
    ----------
    value : float
        The value of the metric.
    chance : float
        The mean value of random rankings of the same rows, whose prediction scores are shuffled
        among the rows, so that labels and ties stay the same. It is nan for functions of your own,
        for tables of :mod:`sklearn_ap.readers`, which only have what was retrieved, and for a
        metric with a cutoff k if no group has more than k rows.
    low, high : float
        The ends of the interval.
    standard_error : float
        The standard error of `value`.
    confidence_level : float
        The probability that such an interval contains the true value, such as 0.95.
    method : str
        How the interval was computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the interval is based on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples, and the seed that reproduces them. None if the method draws
        nothing.
    units : float
        As many equal sampling units with positives say as much as these.
    n_groups : int or None
        The number of groups that values are averaged over; None without groups.
    kind : str
        The kind of the sampling units: "rows", "groups" or "clusters".
    name : str or None
        The name that you passed.
    notes : tuple of Note
        Remarks on the result, the most serious first; for example, that a model has no rows for
        most groups, or that its scores seem to be upside down. Each note has a `code`, such as
        "no_rows", and a `text`. At most three are printed.

    See Also
    --------
    sklearn_ap.confidence_interval : Compute an interval.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    >>> interval = ap.confidence_interval(y_true, y_score)
    >>> interval
    Average precision: 0.728, 95% interval 0.135 to 0.973
    5 positives, random 0.518
    5 positives are few: with fewer than 6, intervals are very wide.
    >>> value, low, high = interval
    >>> interval.standard_error
    0.184547
    """

    value: float
    low: float = np.nan  # as the end, the standard error and the method if there is no interval
    high: float = np.nan
    standard_error: float = np.nan
    units: float = np.nan
    confidence_level: float
    method: str = ""
    metric: str  # such as "Average precision"
    basis: str  # such as "40 positives"
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    name: str | None = field(default=None, compare=False)
    said: tuple[Note, ...] = field(default=(), repr=False, compare=False)  # without `chance`
    places: int = field(default=3, repr=False, compare=False)
    greater_is_better: bool = field(default=True, repr=False, compare=False)
    # Neither printed nor compared.
    source: IntervalSource = field(repr=False, compare=False)
    random_baseline: RandomBaseline = field(repr=False, compare=False)
    below_random: LazyValue[float | None] | None = field(default=None, repr=False, compare=False)

    @property
    def chance(self) -> float:
        """The mean value of random rankings of the same rows, nan if these are only retrieved."""
        return self.random_baseline.mean if self.random_baseline.has_all else np.nan

    @property
    def notes(self) -> tuple[Note, ...]:
        """Remarks on the result, the most serious first."""
        return sort_notes([*self.said, *list_notes_upside_down(self.metric, self)])

    def _as_dict(self) -> Any:
        return super()._as_dict() | {"chance": self.chance, "notes": self.notes}

    @property
    def kind(self) -> str:
        """The kind of the sampling units: "rows", "groups" or "clusters"."""
        return self.source.kind

    def __iter__(self) -> Iterator[float]:
        return iter((self.value, self.low, self.high))

    def _printed(self) -> Printed:
        name = self.source.model if self.name is None else self.name
        row = {} if name is None else {"model": join_lines(name)}
        row["value"] = write_value(self.value, self.places)
        row[format_level(self)] = format_ends(self.low, self.high, self.places)
        random = describe_random_values([self.random_baseline], self.places)
        block = write_metric(self), describe_basis(self, random), [[*row.values()]]
        return Printed([*row], [block], notes=write_notes(self.notes))

    def __str__(self) -> str:
        printed = self._printed()
        [(metric, basis, [cells])] = printed.blocks
        *names, value, limits = cells
        named = "".join(f" of {name}" for name in names)
        said = [f"{metric}{named}: {value}, {format_level(self)} {limits}", basis]
        said += [*self._on_conditions(), *shorten_notes(printed.notes)]
        return "\n".join(line for text in said for line in wrap(text))


def list_notes_upside_down(metric: str, interval: Interval, model: Any = None) -> list[Note]:
    """Return a note if random rankings are better. A model without a name is None or ""."""
    end = None if interval.below_random is None else interval.below_random.get()
    if end is None:
        return []
    random, places = interval.random_baseline, interval.places
    return [note_upside_down(metric, interval.value, end, random, places, model)]


@dataclass(frozen=True, kw_only=True)
class KnownDifference:
    """What is known of the difference between the values of two models. `Claims.conclude` makes it,
    and a `Comparison`, which has its fields, explains them.
    """

    values: tuple[float, float]
    difference: float  # of the first model from the second
    low: float = np.nan  # as what follows, but for the level, if there is no interval
    high: float = np.nan
    margin_low: float = np.nan
    margin_high: float = np.nan
    least_margin: float = np.nan
    standard_error: float = np.nan
    units: float = np.nan
    pvalue: float = np.nan
    confidence_level: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Drawable, Measurement, KnownDifference):
    """Result of :func:`~sklearn_ap.compare` for two models.

    It prints as a table of both models. It unpacks into `difference`, `low` and `high`.

    Attributes
    ----------
    values : tuple of two floats
        The values of the metric for both models.
    models : tuple of two str
        The names of the models, from their intervals, columns or Series, or else "A" and "B".
    difference : float
        The value of the first model minus the value of the second one.
    low, high : float
        The ends of the interval for the difference.
    margin_low, margin_high : float
        The ends that claims about a margin are judged by, which allow for what a sample may lack.
    least_margin : float
        How much models may differ on what the sample lacks, by which the ends are moved out (added
        as squares). No margin up to this one can be shown.
    standard_error : float
        The standard error of the difference, which is at least the difference divided by `units`.
    units : float
        As many equal sampling units with positives say as much as these. The test has one degree of
        freedom less.
    pvalue : float
        The two-sided p-value for the hypothesis of no difference.
    margin : float or None
        The smallest difference that matters, if you passed one.
    verdict : str
        What the interval shows about the first model: "better", "worse" or "unclear", and with a
        margin also "equivalent", "no worse" or "no better".
    wins, ties, losses : int or None
        The number of groups (or rows, with average='samples') in which the first model has a
        better, an equal and a worse value. None if the sampling units have no values of their own.
    confidence_level : float
        The probability that such an interval contains the true difference, such as 0.95.
    method : str
        How the interval was computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the interval is based on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples, and the seed that reproduces them. None if the method draws
        nothing.
    n_groups : int or None
        The number of groups that values are averaged over; None without groups.
    notes : tuple of Note
        Remarks on the result, the most serious first, each with a `code`, such as "no_rows", and a
        `text`. At most three are printed.

    See Also
    --------
    sklearn_ap.compare : Compare two models.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> b = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> paired = ap.compare(y_true, a, b)
    >>> paired
    Average precision: 4 positives
    model  value    diff     95% interval      p  verdict at 95%
    A      0.771  +0.146  -0.252 to 0.543  0.327  unclear
    B      0.625                                  baseline
    diff, p and verdict: A against B.
    With 4 positives, the smallest margin within which equivalence can be shown is
    0.64.
    >>> paired.difference, paired.pvalue
    (0.146, 0.327)
    """

    method: str = ""
    metric: str
    basis: str
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    models: tuple[str, str] = field(default=("A", "B"), compare=False)
    margin: float | None = None
    verdict: str = ""  # follows from the ends and the margin
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False)
    greater_is_better: bool = field(default=True, repr=False)
    reason: str = field(default="", repr=False, compare=False)  # why there is no interval
    places: int = field(default=3, repr=False, compare=False)
    folds: tuple[Any, Any] = field(default=((), ()), repr=False, compare=False)  # their values
    called: str = field(default="", repr=False, compare=False)  # the metric in pictures

    def __post_init__(self) -> None:
        ends = self.margin_low, self.margin_high
        verdict = decide_verdict(self.low, self.high, self.margin, self.greater_is_better, ends)
        object.__setattr__(self, "verdict", verdict)

    def __iter__(self) -> Iterator[float]:
        return iter((self.difference, self.low, self.high))

    @property
    def _table(self) -> Comparisons:
        model, baseline = self.models
        return make_table({model: self}, self.models, baseline, self.confidence_level, family=1)

    def _drawn(self) -> Drawn:
        return self._table._drawn()

    def _list_logged_rows(self) -> list[dict[str, Any]]:
        return self._table._rows()

    def _printed(self) -> Printed:
        printed = self._table._printed()
        if self.wins is None or self.ties is None or self.losses is None:
            return printed
        counts = [
            format_count(self.wins, "wins"),
            format_count(self.ties, "ties"),
            format_count(self.losses, "losses"),
        ]
        said = f"{join_lines(self.models[0])} has {join_words(counts)}."
        return printed._replace(lines=[*printed.lines, said])


@dataclass(frozen=True, eq=False)
class ModelComparison(Value):
    """One model compared with the baseline: a row of `Comparisons`."""

    model: str
    value: float
    difference: float = 0.0  # from the baseline, which itself has no interval and no p-value
    low: float = np.nan
    high: float = np.nan
    margin_low: float = np.nan
    margin_high: float = np.nan
    pvalue: float = np.nan  # adjusted for the number of models, unless joint=False
    verdict: str | None = None  # on the model; the baseline has none
    reason: str = field(default="", repr=False, compare=False)  # why there is no interval
    folds: Any = field(default=(), repr=False, compare=False)  # the value on each, if there are any


def _make_pair_property(name: str) -> Any:
    """Make an attribute of a pair of models, which a table of more models doesn't have."""

    def get(self: Comparisons) -> Any:
        if self.pair is None:
            raise AttributeError(
                f"{name!r} compares one model with a baseline that you name: read it off `rows`."
            )
        return getattr(self.pair, name)

    return property(get)


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Drawable, Table):
    """Result of :func:`~sklearn_ap.compare` for several models.

    It prints as a table with one row for each model.

    Attributes
    ----------
    rows : tuple
        One row for each model, with the attributes `model`, `value`, `difference`, `low`, `high`,
        `margin_low`, `margin_high`, `pvalue` and `verdict`, which a
        :class:`~sklearn_ap.inference.Comparison` explains. The difference is the model's value
        minus the baseline's.
    baseline : str
        The name of the model that the others are compared with.
    values, models, difference, low, high, margin_low, margin_high : tuple or float
        As in a :class:`~sklearn_ap.inference.Comparison`, if you compare a single model with a
        baseline that you name. Otherwise, read them off `rows`.
    least_margin, standard_error, units, pvalue, verdict : float or str
        As in a :class:`~sklearn_ap.inference.Comparison`, too.
    wins, ties, losses : int or None
        As in a :class:`~sklearn_ap.inference.Comparison`, too.
    confidence_level : float
        The probability, such as 0.95, that all intervals contain their true differences, or if not
        `joint`, that each interval does.
    joint : bool
        Whether intervals and p-values are adjusted, so that all of them hold at once.
    adjustment : str or None
        How intervals and p-values are adjusted: "bonferroni"; None if nothing is adjusted.
    margin : float or None
        The smallest difference that matters, if you passed one.
    method : str
        How the intervals were computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the intervals are based on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples, and the seed that reproduces them. None if the method draws
        nothing.
    n_groups : int or None
        The number of groups that values are averaged over; None without groups.
    notes : tuple of Note
        Remarks on the result, the most serious first, each with a `code`, such as "no_rows", and a
        `text`. At most three are printed.

    See Also
    --------
    sklearn_ap.compare : Compare several models.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> old = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> new = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> models = ap.compare(
    ...     y_true, {"old": old, "new": new, "same": new}, baseline="old"
    ... )
    >>> models
    Average precision: 4 positives
    model  value    diff     95% interval      p  verdict at 95%
    old    0.625                                  baseline
    new    0.771  +0.146  -0.376 to 0.668  0.655  unclear
    same   0.771  +0.146  -0.376 to 0.668  0.655  unclear
    diff, p and verdict: against the baseline old.
    Intervals and p are adjusted for 2 comparisons with the baseline (Bonferroni).
    With 4 positives, the smallest margin within which equivalence can be shown is
    0.7.
    >>> [row.model for row in models if row.pvalue < 0.05]
    []
    """

    _index = "model"

    rows: tuple[ModelComparison, ...]
    baseline: str
    confidence_level: float
    method: str
    metric: str
    basis: str
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    margin: float | None = None
    joint: bool = field(default=True, kw_only=True)
    family: int = field(kw_only=True, repr=False, compare=False)  # differences for which p holds
    notes: tuple[Note, ...] = field(default=(), compare=False)
    places: int = field(default=3, repr=False, compare=False)
    greater_is_better: bool = field(default=True, repr=False, compare=False)
    is_chosen: bool = field(default=False, repr=False, compare=False)  # the baseline, by the data
    called: str = field(default="", repr=False, compare=False)  # the metric in pictures
    # That of a single model with a baseline that was named
    pair: Comparison | None = field(default=None, repr=False, compare=False)

    values = _make_pair_property("values")
    models = _make_pair_property("models")
    difference = _make_pair_property("difference")
    low = _make_pair_property("low")
    high = _make_pair_property("high")
    margin_low = _make_pair_property("margin_low")
    margin_high = _make_pair_property("margin_high")
    least_margin = _make_pair_property("least_margin")
    standard_error = _make_pair_property("standard_error")
    units = _make_pair_property("units")
    pvalue = _make_pair_property("pvalue")
    verdict = _make_pair_property("verdict")
    wins = _make_pair_property("wins")
    ties = _make_pair_property("ties")
    losses = _make_pair_property("losses")

    @property
    def adjustment(self) -> str | None:
        """How intervals and p-values are adjusted; None if nothing is adjusted."""
        if not self.joint or len(self.rows) < 3:
            return None
        return "bonferroni"

    def _as_dict(self) -> list[dict[str, Any]]:
        return [row | {"adjustment": self.adjustment} for row in super()._as_dict()]

    def _drawn(self) -> Drawn:
        strip = make_strip(
            f"{self.called or write_metric(self)}: {describe_basis(self)}",
            self.margin,
            {join_lines(row.model): row for row in self.rows},
            "baseline",
        )
        return Drawn([strip], self._describe_family(shown="Intervals"))

    def _describe_family(self, **words: str) -> list[str]:
        if not has_any_test(self.rows):
            return []
        return describe_family(self.family, len(self.rows) - 1, self.joint, **words)

    def _printed(self) -> Printed:
        if has_few_folds(self.notes):
            return self._print_ranks()
        header = ["model", "value", "diff", format_level(self), "p", format_verdict_column(self)]
        cells = [
            [
                join_lines(row.model),
                write_value(row.value, self.places),
                *format_difference_cells(row, self.places, "baseline"),
            ]
            for row in self.rows
        ]
        compared = [row for row in self.rows if row.verdict]
        chosen_by = lower_first(self.metric) if self.is_chosen else ""
        said = [describe_baseline([row.model for row in compared], self.baseline, chosen_by)]
        said += self._describe_family()
        ends = None
        if len(compared) == 1:
            ends = format_ends(compared[0].margin_low, compared[0].margin_high, self.places)
        said += describe_margins({self.metric: self.margin}, ends)
        block = write_metric(self), describe_basis(self), cells
        return Printed(header, [block], lines=said, notes=write_notes(self.notes))

    def _print_ranks(self) -> Printed:
        """Show values and ranks, if nothing is known about differences."""
        ranks = compute_ranks(np.array([row.value for row in self.rows])).tolist()
        cells = [
            [join_lines(row.model), write_value(row.value, self.places), str(rank)]
            for row, rank in zip(self.rows, ranks, strict=True)
        ]
        block = write_metric(self), self.basis, cells
        return Printed(["model", "value", "rank"], [block], notes=write_notes(self.notes))


def has_any_test(pairs: Iterable[Any]) -> bool:
    """Whether anything is known about one of these differences."""
    return any(not np.isnan(pair.pvalue) for pair in pairs)


def has_few_folds(notes: Iterable[Note]) -> bool:
    """Whether folds are so few that nothing is known about differences."""
    return any(note.code == "few_folds" for note in notes)


Row = TypeVar("Row", "ModelComparison", "SearchCandidate")


def with_difference(row: Row, pair: Comparison) -> Row:
    """Return the row of a table with all that it shows of a model's difference from another."""
    shown = [each.name for each in fields(row) if each.name in pair.__dataclass_fields__]
    of_pair = {name: getattr(pair, name) for name in shown}
    return replace(row, **of_pair | {"folds": pair.folds[0]})


def make_table(
    pairs: Mapping[Any, Comparison],
    models: Iterable[Any],
    baseline: Any,
    level: float,
    joint: bool = True,
    is_chosen: bool = False,
    *,
    family: int,
) -> Comparisons:
    """Show the models' differences from the baseline in a table.

    `pairs` compares each of the `models` with the baseline, except the baseline itself, which is
    one of them. The data chose it, or the caller did. p holds for a `family` of so many of them.
    """
    first, *others = pairs.values()
    rows = {
        model: ModelComparison(model, first.values[1], folds=first.folds[1]) for model in models
    }
    for model, pair in pairs.items():
        rows[model] = with_difference(ModelComparison(model, pair.values[0]), pair)
    names = ["method", "metric", "basis", "n_resamples", "random_state", "n_groups"]
    names += ["margin", "places", "greater_is_better", "called"]  # which all pairs have in common
    return Comparisons(
        tuple(rows.values()),
        baseline,
        level,
        **{name: getattr(first, name) for name in names},
        joint=joint,
        family=family,
        is_chosen=is_chosen,
        pair=None if is_chosen or others else first,
        notes=sort_notes(note for pair in pairs.values() for note in pair.notes),
    )


@dataclass(frozen=True, eq=False)
class SearchCandidate(Value):
    """One candidate compared with the best one: a row of `SearchComparison`."""

    params: dict[str, Any]
    value: float
    rank: int
    difference: float = 0.0  # from the best, which itself has no interval and no p-value
    low: float = np.nan
    high: float = np.nan
    pvalue: float = np.nan  # adjusted for all candidates that are compared with the best
    verdict: str | None = None  # on the candidate; the best has none
    may_be_best: bool = True  # whether it can't be told apart from the best
    reason: str = field(default="", repr=False, compare=False)  # why there is no interval
    folds: Any = field(default=(), repr=False, compare=False)  # the value on each


@dataclass(frozen=True, eq=False, repr=False)
class SearchComparison(Drawable, Table):
    """Result of :func:`~sklearn_ap.compare_folds` for a search.

    It prints as a table from the best candidate to the worst one.

    Attributes
    ----------
    rows : tuple
        One row for each candidate in the order of the search, with the attributes `params`,
        `value`, `rank`, `difference`, `low`, `high`, `pvalue`, `verdict` and `may_be_best`. The
        value is the mean over the folds, and the difference is the candidate's value minus that of
        the best one. A :class:`~sklearn_ap.inference.Comparison` explains the others.
    best : tuple of dict
        The `params` of the best candidate, and of all that can't be told apart from it.
    confidence_level : float
        The probability, such as 0.95, that the truly best candidate is among the `best`.
    margin : float or None
        The smallest difference that matters, if you passed one.
    method : str
        How the candidates were compared: "corrected t-test".
    metric : str
        The name of the metric in the search, or the title of a single scorer of this package, such
        as "Average precision". It is "score" if a single scorer has no name.
    basis : str
        What the intervals are based on, such as "5 folds".
    notes : tuple of Note
        Remarks on the result, each with a `code` and a `text`.

    See Also
    --------
    sklearn_ap.compare_folds : Compare the candidates of a search.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(
    ...     1000, n_informative=5, weights=[0.8], random_state=0
    ... )
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> grid = {"max_depth": [1, 3, 5, 7]}
    >>> search = GridSearchCV(tree, grid, scoring=ap.get_scorer("AP"), cv=10)
    >>> candidates = ap.compare_folds(search.fit(X, y))
    >>> candidates
    Average precision: 4 candidates, corrected t-test, 10 folds
    max_depth  value    diff      95% interval      p  verdict at 95%
    5          0.832                                   best
    3          0.819  -0.012   -0.065 to 0.041  1.000  unclear
    7          0.811  -0.021   -0.074 to 0.032  0.835  unclear
    1          0.696  -0.136  -0.211 to -0.061  0.001  worse
    diff, p and verdict: against the best candidate.
    Intervals and p are adjusted for 3 comparisons with the best (Bonferroni).
    3 of 4 candidates may be the best.
    >>> candidates.best
    ({'max_depth': 3}, {'max_depth': 5}, {'max_depth': 7})
    """

    rows: tuple[SearchCandidate, ...]
    confidence_level: float
    method: str
    metric: str
    basis: str
    margin: float | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False)

    @property
    def best(self) -> tuple[dict[str, Any], ...]:
        """The params of the best candidate, and of all that can't be told apart from it."""
        return tuple(row.params for row in self.rows if row.may_be_best)

    def _list_logged_rows(self) -> list[dict[str, Any]]:
        by_rank = sorted(self._rows(), key=lambda row: row["rank"])
        return [row | {"model": f"candidate_{place}"} for place, row in enumerate(by_rank, 1)]

    def _drawn(self) -> Drawn:
        params = join_words(_shorten_param_names(_find_varying_params(self.rows)))
        shown, said = self._select_candidates(MOST_ROWS)
        strip = make_strip(
            f"{self.metric} by {params}: {describe_basis(self)}",
            self.margin,
            {name: row for row, name in shown},
            "best",
        )
        said = [*said, *self._describe_family(shown="Intervals")]
        return Drawn([strip], said, baseline="best")

    def _select_candidates(
        self, most: int
    ) -> tuple[Sequence[tuple[SearchCandidate, str]], list[str]]:
        """Return the best candidates with their params, and which of many they are."""
        names = _write_params(self.rows, _find_varying_params(self.rows))
        candidates = sorted(zip(self.rows, names, strict=True), key=_get_rank)
        return select_segments(candidates, _get_rank, "the best", "candidates", most)

    def _describe_family(self, **words: str) -> list[str]:
        if not has_any_test(self.rows):
            return []
        n_compared = len(self.rows) - 1
        return describe_family(n_compared, n_compared, True, "the best", **words)

    def _printed(self) -> Printed:
        names = _find_varying_params(self.rows)
        listed = ", ".join(_shorten_param_names(names))
        is_short = len(listed) <= _MAX_WIDTH_OF_PARAM_NAMES
        header = [listed if is_short else "params"]
        header += ["value", "diff", format_level(self), "p", format_verdict_column(self)]
        shown, said = self._select_candidates(MAX_PRINTED_SEGMENTS)
        n_rows = len(self.rows)
        if not is_short:
            said.append(f"params: {listed}.")
        if has_few_folds(self.notes):
            ranked = [[params, write_value(row.value), str(row.rank)] for row, params in shown]
            header = [header[0], "value", "rank"]
            block = self.metric, f"{n_rows:,} candidates, {self.basis}", ranked
            return Printed(header, [block], lines=said, notes=write_notes(self.notes))
        cells = [
            [params, write_value(row.value), *format_difference_cells(row, 3, "best")]
            for row, params in shown
        ]
        basis = f"{n_rows:,} candidates, {describe_basis(self)}"
        said.append("diff, p and verdict: against the best candidate.")
        said += describe_margins({self.metric: self.margin})
        said += self._describe_family()
        said += describe_best(len(self.best), n_rows)
        block = self.metric, basis, cells
        return Printed(header, [block], lines=said, notes=write_notes(self.notes))


def make_strip(title: str, margin: float | None, rows: Mapping[str, Any], baseline: str) -> Strip:
    """Return what a picture shows of models or candidates, with what the one without a verdict is
    called.
    """
    drawn = []
    for name, row in rows.items():
        difference = (row.difference, row.low, row.high) if row.verdict else NOTHING
        mark = IntervalMark((row.value, np.nan, np.nan), difference, row.verdict, row.folds)
        drawn.append(MarkedRow(name if row.verdict else f"{name} ({baseline})", [mark], margin))
    return Strip(title, drawn)


_MAX_WIDTH_OF_PARAM_NAMES = 24  # above the values, rather than below the table


def _get_rank(candidate: tuple[SearchCandidate, str]) -> int:
    row, _ = candidate
    return row.rank


def _find_varying_params(rows: Sequence[SearchCandidate]) -> list[str]:
    """Return the names of the params by which candidates differ, or all if they don't."""
    first = rows[0].params
    names = {name: None for row in rows for name in row.params}
    varying = [
        name
        for name in names
        if not all(name in row.params and are_same(row.params[name], first[name]) for row in rows)
    ]
    return varying or [*names]


def _shorten_param_names(names: Sequence[str]) -> list[str]:
    """Leave out the steps of a pipeline where the name of the parameter is enough."""
    short = [name.rpartition("__")[2] for name in names]
    return [end if short.count(end) == 1 else name for name, end in zip(names, short, strict=True)]


def _write_params(rows: Sequence[SearchCandidate], names: Sequence[str]) -> list[str]:
    """Write the values of params: in full if candidates would look alike in short, and numbered if
    they still do.
    """
    texts = [_join_params(row, names, shorten_name) for row in rows]
    if len({*texts}) < len(texts):
        texts = [_join_params(row, names, str) for row in rows]
    return [
        text if texts.count(text) == 1 else f"{text} ({texts[:place].count(text) + 1})"
        for place, text in enumerate(texts)
    ]


def _join_params(row: SearchCandidate, names: Sequence[str], shorten: Callable[[str], str]) -> str:
    """Write the values of a candidate, which may lack some params."""
    if not row.params.keys() & {*names}:
        return "{}"
    values = [
        _write_param(row.params[name], shorten) if name in row.params else "-" for name in names
    ]
    return ", ".join(values)


def _write_param(value: Any, shorten: Callable[[str], str]) -> str:
    """Write a value, with classes and functions by their names."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return shorten(join_lines(getattr(value, "__name__", value)))
