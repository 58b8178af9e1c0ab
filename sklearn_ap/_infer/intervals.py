"""The results of inference: intervals and comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._read.samples import Sample
from .._show.results import (
    LazyValue,
    LocalData,
    Note,
    Printed,
    Result,
    Table,
    Value,
    describe_basis,
    describe_table,
    fill_paragraph,
    format_difference_cells,
    format_ends,
    format_level,
    format_notes,
    join_lines,
    select_segments,
    shorten_name,
    sort_notes,
)
from ..core.verdicts import decide_verdict as verdict_on
from .chance import RandomBaseline
from .requests import IntervalRequest
from .sentences import (
    describe_best,
    describe_candidate_pairs,
    describe_random_values,
    describe_verdict,
    make_note_upside_down,
)


class IntervalSource(NamedTuple):
    """What an interval was computed from, of which pickles keep what prints."""

    kind: str  # of the sampling units
    model: Any
    data: LocalData[tuple[IntervalRequest, Sample]]

    @classmethod
    def from_sample(cls, request: IntervalRequest, sample: Sample) -> IntervalSource:
        return cls(sample.kind, sample.model, LocalData((request, sample)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Interval(Result):
    """Result of :func:`~sklearn_ap.confidence_interval`.

    It prints as a sentence, and unpacks into `value`, `low` and `high`.

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
    Average precision 0.728, 95% interval 0.084 to 0.973 (5 positives; random:
    0.518)
    This rests on 5 positives. With fewer than 6, intervals are wide, and few
    differences are significant.
    >>> value, low, high = interval
    >>> interval.standard_error
    0.184547
    """

    value: float
    low: float = np.nan  # as the end, the standard error and the method if there is no interval
    high: float = np.nan
    standard_error: float = np.nan
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
        return sort_notes(filter(None, [*self.said, make_note_upside_down(self.metric, self)]))

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
        row["value"] = f"{self.value:z.{self.places}f}"
        row[format_level(self)] = format_ends(self.low, self.high, self.places)
        title = f"{self.metric} ({self._basis()})"
        return Printed([*row], [("", "", [[*row.values()]])], title, format_notes(self.notes))

    def _basis(self) -> str:
        return _method_and_basis(self) + describe_random_values([self])

    def __str__(self) -> str:
        name = "" if self.name is None else f" ({join_lines(self.name)})"
        value = f"{self.metric} {self.value:z.{self.places}f}{name}"
        limits = format_ends(self.low, self.high, self.places)
        sentence = f"{value}, {format_level(self)} {limits} ({self._basis()})"
        said = [*self._on_conditions(), *format_notes(self.notes)]
        return "\n".join([sentence, *map(fill_paragraph, said)])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Result of :func:`~sklearn_ap.compare` for two models.

    It prints as a few lines: the values, their difference with its interval, and the verdict on the
    first model. It unpacks into `difference`, `low` and `high`.

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
    standard_error : float
        The standard error of the difference.
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
    Average precision 0.771 (A) and 0.625 (B)
    A minus B: +0.146 (95% interval -0.666 to 0.958, p = 0.327)
    A can't be told apart from B
    (4 positives)
    This rests on 4 positives. With fewer than 6, intervals are wide, and few
    differences are significant.
    >>> paired.difference, paired.pvalue
    (0.146, 0.327)
    """

    values: tuple[float, float]
    difference: float  # of the first model from the second
    low: float = np.nan  # as what follows, but for the level, if there is no interval
    high: float = np.nan
    standard_error: float = np.nan
    pvalue: float = np.nan
    confidence_level: float
    method: str = ""
    metric: str
    basis: str
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    models: tuple[str, str] = field(default=("A", "B"), compare=False)
    margin: float | None = None
    verdict: str = ""  # follows from the interval and the margin
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False)
    greater_is_better: bool = field(default=True, repr=False)
    places: int = field(default=3, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.verdict:
            verdict = verdict_on(self.low, self.high, self.margin, self.greater_is_better)
            object.__setattr__(self, "verdict", verdict)

    def __iter__(self) -> Iterator[float]:
        return iter((self.difference, self.low, self.high))

    def _printed(self) -> Printed:
        model, baseline = self.models
        return make_table({model: self}, self.models, baseline, self.confidence_level)._printed()

    def __str__(self) -> str:
        value_a, value_b = [f"{value:z.{self.places}f}" for value in self.values]
        a, b = map(join_lines, self.models)
        lines = [f"{self.metric} {value_a} ({a}) and {value_b} ({b})"]
        lines += map(fill_paragraph, self._on_conditions())
        difference, limits, pvalue = format_difference_cells(self, False, self.places)
        p = f"p = {pvalue}".replace("= <", "<")
        lines.append(f"{a} minus {b}: {difference} ({format_level(self)} {limits}, {p})")
        if self.margin is None:
            lines.append(describe_verdict(self.verdict, a, b))
        else:
            lines.append(f"Verdict on {a} with a margin of {self.margin:g}: {self.verdict}")
        if self.wins is not None:
            lost = f"ties in {self.ties:,} and loses in {self.losses:,}"
            lines.append(f"{a} wins in {self.wins:,}, {lost}")
        lines.append(f"({_method_and_basis(self)})")
        return "\n".join([*lines, *map(fill_paragraph, format_notes(self.notes))])


@dataclass(frozen=True, eq=False)
class ModelComparison(Value):
    """One model compared with the baseline: a row of `Comparisons`."""

    model: str
    value: float
    difference: float = 0.0  # from the baseline, which itself has no interval and no p-value
    low: float = np.nan
    high: float = np.nan
    pvalue: float = np.nan  # adjusted for the number of models, unless joint=False
    verdict: str | None = None  # on the model; the baseline has none


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
class Comparisons(Table):
    """Result of :func:`~sklearn_ap.compare` for several models.

    It prints as a table with one row for each model.

    Attributes
    ----------
    rows : tuple
        One row for each model, with the attributes `model`, `value`, `difference`, `low`, `high`,
        `pvalue` and `verdict`, which a :class:`~sklearn_ap.inference.Comparison` explains. The
        difference is the model's value minus the baseline's.
    baseline : str
        The name of the model that the others are compared with.
    values, models, difference, low, high, standard_error : tuple or float
        As in a :class:`~sklearn_ap.inference.Comparison`, if you compare a single model with a
        baseline that you name. Otherwise, read them off `rows`.
    pvalue, verdict, wins, ties, losses : float, str, int or None
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
    Average precision, differences from old (4 positives)
    model  value  difference  95% interval     p
    old    0.625  baseline
    new    0.771  +0.146      -0.666 to 0.958  0.327
    same   0.771  +0.146      -0.666 to 0.958  0.327
    Intervals of differences and p hold for all 3 models at once.
    This rests on 4 positives. With fewer than 6, intervals are wide, and few
    differences are significant.
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
    notes: tuple[Note, ...] = field(default=(), compare=False)
    places: int = field(default=3, repr=False, compare=False)
    # That of a single model with a baseline that was named
    pair: Comparison | None = field(default=None, repr=False, compare=False)

    values = _make_pair_property("values")
    models = _make_pair_property("models")
    difference = _make_pair_property("difference")
    low = _make_pair_property("low")
    high = _make_pair_property("high")
    standard_error = _make_pair_property("standard_error")
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

    def _printed(self) -> Printed:
        header = ["model", "value", "difference", format_level(self), "p"]
        if self.margin is not None:
            header.append("verdict")
        cells = []
        for row in self.rows:
            difference = format_difference_cells(row, row.model == self.baseline, self.places)
            value = f"{row.value:z.{self.places}f}"
            cells.append([join_lines(row.model), value, *difference])
            if self.margin is not None:
                cells[-1].append(row.verdict or "")
        title = f"{self.metric}, differences from {join_lines(self.baseline)}"
        title += f" ({_method_and_basis(self)})"
        margins = {} if self.margin is None else {self.metric: self.margin}
        notes = [*describe_table(len(self.rows), self.joint, margins), *format_notes(self.notes)]
        return Printed(header, [("", "", cells)], title, notes)


def make_table(
    pairs: Mapping[Any, Comparison],
    models: Iterable[Any],
    baseline: Any,
    level: float,
    joint: bool = True,
) -> Comparisons:
    """Show the models' differences from the baseline in a table.

    `pairs` compares each of the `models` with the baseline, except the baseline itself, which is
    one of them.
    """
    first = next(iter(pairs.values()))
    rows = {model: ModelComparison(model, first.values[1]) for model in models}
    for model, pair in pairs.items():
        difference = pair.difference, pair.low, pair.high, pair.pvalue, pair.verdict
        rows[model] = ModelComparison(model, pair.values[0], *difference)
    names = ["method", "metric", "basis", "n_resamples", "random_state", "n_groups"]
    names += ["margin", "places"]  # which all pairs have in common
    return Comparisons(
        tuple(rows.values()),
        baseline,
        level,
        **{name: getattr(first, name) for name in names},
        joint=joint,
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
    pvalue: float = np.nan  # adjusted for all pairs of candidates
    verdict: str | None = None  # on the candidate; the best has none
    may_be_best: bool = True  # whether it can't be told apart from the best


@dataclass(frozen=True, eq=False, repr=False)
class SearchComparison(Table):
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
        The name of the metric in the search, "score" if it has only one.
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
    score, differences from the best of 4 candidates (corrected t-test, 10
    folds)
    params       value  rank  difference  95% interval      p
    max_depth=5  0.832  1     best
    max_depth=3  0.819  2     -0.012      -0.073 to 0.048   1.000
    max_depth=7  0.811  3     -0.021      -0.082 to 0.040   1.000
    max_depth=1  0.696  4     -0.136      -0.222 to -0.050  0.003
    Intervals and p are adjusted for all pairs of 4 candidates.
    3 of 4 candidates can't be told apart from the best. 10 folds show only
    differences beyond about 1.5 standard deviations of a fold's difference:
    repeat the folds, or compare with a baseline of yours by compare_folds(a,
    b).
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

    def _printed(self) -> Printed:
        header = ["params", "value", "rank", "difference", format_level(self), "p"]
        if self.margin is not None:
            header.append("verdict")
        short = _shorten_names({name for row in self.rows for name in row.params})
        in_order = sorted(self.rows, key=lambda row: row.rank)
        rows, said = select_segments(in_order, lambda row: row.rank, "the best", "candidates")
        cells = []
        for row in rows:
            difference = format_difference_cells(row, False, 3)
            if row.verdict is None:
                difference = ["best", "", ""]
            params = _format_params(row.params, short)
            cells.append([params, f"{row.value:z.3f}", str(row.rank), *difference])
            if self.margin is not None:
                cells[-1].append(row.verdict or "")
        n_rows = len(self.rows)
        title = f"{self.metric}, differences from the best of {n_rows:,} candidates"
        margins = {} if self.margin is None else {self.metric: self.margin}
        said += describe_table(2, True, margins, describe_candidate_pairs(n_rows))
        said += format_notes(self.notes) or [describe_best(len(self.best), n_rows)]
        return Printed(header, [("", "", cells)], f"{title} ({_method_and_basis(self)})", said)


def _shorten_names(names: Iterable[str]) -> dict[str, str]:
    """Leave out the steps of a pipeline where the name of the parameter is enough."""
    short = {name: name.rpartition("__")[2] for name in names}
    counts = Counter(short.values())
    return {name: short[name] if counts[short[name]] == 1 else name for name in names}


def _format_params(params: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Write params as "C=1, penalty=l2", with classes, functions and estimators in short."""
    words = []
    for name, value in params.items():
        called = getattr(value, "__name__", value)
        words.append(f"{names[name]}={shorten_name(join_lines(called))}")
    return ", ".join(words) or "{}"


def _method_and_basis(result: Interval | Comparison | Comparisons | SearchComparison) -> str:
    return describe_basis(result.method, result.basis)
