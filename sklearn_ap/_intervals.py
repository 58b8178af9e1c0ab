"""Intervals and comparisons: the result classes, and how the values of models are paired."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from . import _results as table
from ._names import mean_title, written
from ._progress import naming
from ._validation.errors import naming_model, warning_once
from ._validation.parameters import check_allowed
from ._validation.rankings import Sample, check_same_names, has_queries, warn_of_dead
from ._validation.tables import check_baseline, name_two
from ._variation import (
    Plan,
    Question,
    in_words,
    parts_of,
    plan_of,
    unseen_by_better,
    varied,
    vary_beside,
)
from .core.intervals import MANY, Spread, holm, quantile, sign_flips
from .core.rankings import Rankings
from .core.rules import Rule
from .core.segments import Array, any_of
from .core.units import rank_alike

_ASK_BEFORE = "Ask for it before pickling, or compute the result again."


class Source(NamedTuple):
    """What a result was computed from, of which pickles keep what prints."""

    kind: str  # of the sampling units
    model: Any
    data: table.Local[tuple[Question, Sample]]

    @classmethod
    def of(cls, question: Question, sample: Sample) -> Source:
        return cls(sample.kind, sample.model, table.Local((question, sample)))


@dataclass(frozen=True, eq=False, repr=False)
class NextTestSet(table.Result):
    """How large the next test set has to be, if it is of the same kind.

    The method `plan` of an :class:`~sklearn_ap.inference.Interval` or of a
    :class:`~sklearn_ap.inference.Comparison` returns it.

    Attributes
    ----------
    n_positives, n_rows, n_units : int
        The number of positives, of rows and of sampling units.
    kind : str
        The kind of the sampling units: "rows", "groups" or "clusters".
    factor : float
        How many times as large as this test set it is.
    basis : str
        What its interval rests on, such as "93 positives" or "74 groups (query)".

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    >>> ap.confidence_interval(y_true, y_score).plan(half_width=0.1)
    93 positives among 224 rows, 18.6 times as many as here
    """

    n_positives: int
    n_rows: int
    n_units: int
    kind: str
    factor: float
    basis: str = ""

    def _printed(self) -> table.Printed:
        number, _, words = self.basis.partition(" ")
        units = {} if self.kind == "rows" else {words: number}
        cells = {"positives": f"{self.n_positives:,}", "rows": f"{self.n_rows:,}", **units}
        cells["times as many"] = f"{self.factor:.3g}"
        return table.Printed([*cells], [("", "", [[*cells.values()]])], "The next test set")

    def __str__(self) -> str:
        units = ""
        if self.kind != "rows":
            units = f"{self.basis}{',' if self.basis.endswith('positives') else ' with'} "
        rows = f"{in_words(self.n_positives, 'positives')} among {self.n_rows:,} rows"
        return f"{units}{rows}, {self.factor:.3g} times as many as here"


def _next_test_set(result: Any, suffices: Callable[[float, int], Any]) -> NextTestSet:
    """Find the smallest number of units with which a standard error and its freedom suffice.

    The standard error is derived from the interval, which also allows for its uncertainty.
    """
    if result.source is None or not result.standard_error > 0:
        raise ValueError(
            "Only a result with sampling units that vary can be planned with, and not that of "
            "a stream, of folds, or with a standard error of 0."
        )
    _, sample = result.source.data.get("plan", _ASK_BEFORE)
    error = (result.high - result.low) / 2 / quantile(np.inf, result.confidence_level)
    labels, exist = sample.rankings.labels, sample.rankings.n_positives
    n_positives = int(np.ceil(labels.sum() if exist is None else exist.sum()))
    are_positives = sample.kind == "rows" and not sample.by_query
    n_here = n_positives if are_positives else len(sample.names)
    enough = bisect_left(
        range(2, 2**50),
        True,
        key=lambda number: bool(suffices(error * np.sqrt(n_here / number), number - 1)),
    )
    factor = (enough + 2) / n_here
    if are_positives and factor * len(labels) < 2:
        raise ValueError(
            f"A test set of less than two rows would suffice, because n_positives={n_positives} "
            f"is far more than the {len(labels):,} rows, whose half-width is already "
            f"{(result.high - result.low) / 2:.3g}. Plan with a smaller half_width or difference."
        )
    here = n_positives, len(labels), len(sample.names)
    positives, rows, units = (int(np.ceil(each * factor - 1e-9)) for each in here)
    basis = in_words(positives, "positives")
    if sample.kind != "rows":
        words = sample.cluster_words if sample.kind == "clusters" else sample.group_words
        basis = in_words(units, words)
        if holding := _n_holding(sample):  # as in the basis of intervals
            basis = in_words(int(np.ceil(holding * factor - 1e-9)), f"{words} with positives")
    found = NextTestSet(positives, rows, units, sample.kind, factor, basis)
    table.note_polars(found, result)
    return found


def _n_holding(sample: Sample) -> int:
    """Count the clusters of a single ranking that contain positives; 0 for other units."""
    clusters, rankings = sample.clusters, sample.rankings
    if clusters is None or clusters.absent or rankings.average != "binary":
        return 0
    return len(set(clusters.of[rankings.labels].tolist()))


@dataclass(frozen=True, eq=False, repr=False)
class Interval(table.Result):
    """Result of :func:`~sklearn_ap.confidence_interval`.

    It prints as a sentence, and unpacks into `value`, `low` and `high`.

    Attributes
    ----------
    value : float
        The value of the metric.
    low, high : float
        The ends of the interval.
    standard_error : float
        The standard error of `value`.
    confidence_level : float
        The probability with which such intervals contain the true value, such as 0.95.
    method : str
        How the interval was computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the interval rests on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples or random swaps, and the seed that gives the same ones again. None
        if the method draws nothing.
    kind : str or None
        The kind of the sampling units: "rows", "groups" or "clusters"; None for a stream.
    units : list or None
        The names of the sampling units: row numbers, groups or clusters; None for a stream.
    name : str or None
        What you passed as `name`.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    >>> interval = ap.confidence_interval(y_true, y_score)
    >>> interval
    Average precision 0.728, 95% interval 0.126 to 0.973 (influence,
    5 positives)
    >>> value, low, high = interval
    >>> interval.standard_error
    0.184547
    """

    value: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    metric: str  # such as "Average precision"
    basis: str  # such as "40 positives"
    n_resamples: int | None = None
    random_state: int | None = None
    name: str | None = field(default=None, compare=False)
    places: int = field(default=3, repr=False, compare=False)
    # Neither printed nor compared. Streams have none.
    source: Source | None = field(default=None, repr=False, compare=False)

    @property
    def kind(self) -> str | None:
        """The kind of the sampling units: "rows", "groups" or "clusters"; None for a stream."""
        return None if self.source is None else self.source.kind

    @property
    def units(self) -> list[Any] | None:
        """The names of the sampling units: row numbers, groups or clusters; None for a stream."""
        if self.source is None:
            return None
        return list(self.source.data.get("units", _ASK_BEFORE)[1].names)

    def contributions(self) -> Array:
        """Return what each sampling unit contributes to the sampling error of the value.

        The standard error is the root of the sum of their squares. If the interval was computed by
        the bootstrap, only groups have contributions, and that is true up to the resamples.

        Returns
        -------
        contributions : ndarray of shape (n_units,)
            The contribution of each of `units`.
        """
        if self.source is None or (self.method == "bootstrap" and self.kind != "groups"):
            raise ValueError(
                "This interval comes from resamples or from a stream, so there are no "
                "contributions of single sampling units. Use method='influence' on arrays."
            )
        question, sample = self.source.data.get("contributions", _ASK_BEFORE)
        return plan_of(question, sample).moved(question.rule).of_mean[: len(sample.names)]

    def plan(self, *, half_width: float) -> NextTestSet:
        """Return how large a test set of this kind gives an interval of this half-width.

        Parameters
        ----------
        half_width : float
            Half the distance between the ends of the interval, such as 0.02.

        Returns
        -------
        size : NextTestSet
            Its numbers of positives, rows and sampling units.
        """
        check_allowed("plan", set(), {"half_width": half_width})
        return _next_test_set(
            self,
            lambda error, freedom: quantile(freedom, self.confidence_level) * error <= half_width,
        )

    def __iter__(self) -> Iterator[float]:
        return iter((self.value, self.low, self.high))

    def _printed(self) -> table.Printed:
        known = self.source.model if self.source else None
        names = [table.one_line(name) for name in (self.name, known) if name is not None][:1]
        header = [*["model"] * len(names), "value", table.level_of(self)]
        limits = table.ends(self.low, self.high, self.places)
        cells = [*names, f"{self.value:z.{self.places}f}", limits]
        return table.Printed(header, [("", "", [cells])], f"{self.metric} ({_basis(self)})")

    def __str__(self) -> str:
        name = "" if self.name is None else f" ({table.one_line(self.name)})"
        value = f"{self.metric} {self.value:z.{self.places}f}{name}"
        limits = table.ends(self.low, self.high, self.places)
        return f"{value}, {table.level_of(self)} {limits} ({_basis(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(table.Result):
    """Result of :func:`~sklearn_ap.compare` for two models.

    It prints as a few lines, which call a model "better" if the interval of the difference excludes
    0, and "higher" otherwise. It unpacks into `difference`, `low` and `high`.

    Attributes
    ----------
    values : tuple of two floats
        The values of the metric for both models.
    models : tuple of two str
        The names of the models: those of their intervals, columns or Series, or "A" and "B".
    difference : float
        The value of the first model minus the value of the second one.
    low, high : float
        The ends of the interval for the difference.
    standard_error : float
        The standard error of the difference.
    pvalue : float
        The two-sided p-value of no difference.
    confidence_level : float
        The probability with which such intervals contain the true difference, such as 0.95.
    method : str
        How the interval was computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the interval rests on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples or random swaps, and the seed that gives the same ones again. None
        if the method draws nothing.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> b = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> paired = ap.compare(y_true, a, b)
    >>> paired
    Average precision 0.771 (A) and 0.625 (B)
    A is higher by 0.146 (95% interval -0.252 to 0.543, p = 0.500): could be
    chance
    (influence, 4 positives)
    >>> paired.difference, paired.pvalue
    (0.146, 0.5)
    """

    values: tuple[float, float]
    difference: float  # of the first model from the second
    low: float
    high: float
    standard_error: float
    pvalue: float
    confidence_level: float
    method: str
    metric: str
    basis: str
    n_resamples: int | None = None
    random_state: int | None = None
    models: tuple[str, str] = field(default=("A", "B"), compare=False)
    places: int = field(default=3, repr=False, compare=False)
    # Folds have none.
    source: Source | None = field(default=None, repr=False, compare=False)

    def plan(self, *, difference: float, power: float = 0.8) -> NextTestSet:
        """Return how large a test set of this kind shows a difference with this probability.

        Parameters
        ----------
        difference : float
            The size of the difference between the models that you want to find, such as 0.03.
        power : float, default=0.8
            The probability of a p-value below 1 - `confidence_level`, if that is the difference.

        Returns
        -------
        size : NextTestSet
            Its numbers of positives, rows and sampling units.
        """
        check_allowed("plan", set(), {"difference": difference, "power": power})
        level = self.confidence_level
        return _next_test_set(
            self,
            lambda error, freedom: ndtr(difference / error - quantile(freedom, level)) >= power,
        )

    def __iter__(self) -> Iterator[float]:
        return iter((self.difference, self.low, self.high))

    def _printed(self) -> table.Printed:
        one, other = self.models
        return _tabled({one: self}, self.models, other)._printed()

    def __str__(self) -> str:
        (a, b), (one, other) = self.values, (table.one_line(name) for name in self.models)
        limits, places = (self.low, self.high), self.places
        found, verdict = f"Difference {0:.{places}f}", ""
        if float(size := f"{abs(self.difference):.{places}f}"):
            first = one
            if self.difference < 0:
                first, limits = other, (-self.high, -self.low)
            is_clear = limits[0] > 0
            found = f"{first} is {'better' if is_clear else 'higher'} by {size}"
            verdict = "" if is_clear else ": could be chance"
        p = "p < 0.001" if self.pvalue < 0.001 else f"p = {self.pvalue:.3f}"
        interval = f"{table.level_of(self)} {table.ends(*limits, places)}"
        return (
            f"{self.metric} {a:z.{places}f} ({one}) and {b:z.{places}f} ({other})\n"
            f"{found} ({interval}, {p}){verdict}\n({_basis(self)})"
        )


@dataclass(frozen=True, eq=False)
class ModelComparison(table.Value):
    """One model compared with the baseline: a row of `Comparisons`."""

    model: str
    value: float
    difference: float = 0.0  # from the baseline, which itself has no interval and no p-value
    low: float = np.nan
    high: float = np.nan
    pvalue: float = np.nan  # adjusted for the number of models


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(table.Table):
    """Result of :func:`~sklearn_ap.compare` for several models.

    It prints as a table, also in a notebook, with one row for each model, and can be converted with
    `to_dict`, `to_frame`, `to_html`, `to_latex` and `to_markdown`.

    Attributes
    ----------
    rows : tuple
        One row for each model, with the attributes `model`, `value`, `difference`, `low`, `high`
        and `pvalue`. The difference is the value of the model minus that of the baseline. The
        p-value is adjusted for the number of models by Holm's method.
    baseline : str
        The name of the model with which the others are compared.
    confidence_level : float
        The probability with which such intervals contain the true difference, such as 0.95.
    method : str
        How the intervals were computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the intervals rest on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples or random swaps, and the seed that gives the same ones again. None
        if the method draws nothing.

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
    Average precision, differences from old (influence, 4 positives)
    model  value  difference  95% interval     p
    old    0.625  baseline
    new    0.771  +0.146      -0.252 to 0.543  1.000
    same   0.771  +0.146      -0.252 to 0.543  1.000
    Intervals are not adjusted, but p is adjusted for 3 models (Holm).
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
    places: int = field(default=3, repr=False, compare=False)

    def _printed(self) -> table.Printed:
        header = "model", "value", "difference", table.level_of(self), "p"
        cells = []
        for model, value, *found in map(astuple, self.rows):
            beside = table.cells_of_difference(found, model == self.baseline, self.places)
            cells.append([table.one_line(model), f"{value:z.{self.places}f}", *beside])
        title = f"{self.metric}, differences from {table.one_line(self.baseline)} ({_basis(self)})"
        notes = table.note_on_adjusted(len(self.rows))
        return table.Printed(header, [("", "", cells)], title, notes)


def _tabled(pairs: Mapping[Any, Comparison], models: Iterable[Any], baseline: Any) -> Comparisons:
    """Show the models' differences from the baseline in a table."""
    one = next(iter(pairs.values()))
    rows = {model: ModelComparison(model, one.values[1]) for model in models}
    for model, pair in pairs.items():
        found = pair.difference, pair.low, pair.high, pair.pvalue
        rows[model] = ModelComparison(model, pair.values[0], *found)
    same = {what.name: getattr(one, what.name) for what in fields(Comparisons)[2:]}
    return Comparisons(tuple(rows.values()), baseline, **same)


def _basis(result: Interval | Comparison | Comparisons) -> str:
    return f"{result.method}, {result.basis}"


def interval_of(question: Question, sample: Sample, level: float) -> Interval:
    """Compute the interval of checked input."""
    question = question.resolved(sample.by_query)
    warn_of_dead(sample, question.rule.depth)
    plan = varied(question, sample)
    return interval_from(question, plan, title_in(question.rule, sample.rankings), level)


def interval_from(question: Question, plan: Plan, title: str, level: float) -> Interval:
    spread = plan.spread
    low, high = spread.limits(level)
    return Interval(
        value=spread.mean,
        low=low,
        high=high,
        standard_error=spread.standard_error,
        confidence_level=float(level),
        method=question.method,
        metric=title,
        basis=plan.basis,
        **question.drawn(),
        places=question.rule.decimals,
        source=None if plan.sample is None else Source.of(question, plan.sample),
    )


def compare_models(
    question: Question,
    samples: Mapping[Any, Sample],
    baseline: Any,
    level: float,
    is_chosen: bool,
    has_tables: bool = False,
) -> tuple[Any, dict[Any, Comparison]]:
    """Compare each model with the baseline, and return the baseline and the comparisons.

    If the data chose the baseline, it could have been any of the models, so p-values are then
    adjusted for all pairs of models.
    """
    question = question.resolved(next(iter(samples.values())).by_query, comparing=True)
    with warning_once():
        plans = {}
        for model, sample in samples.items():
            with naming_model(model, samples, has_tables):
                plans[model] = plan_of(question, sample)
        _check_paired(plans)
        base, found = vary_beside(question, plans, baseline)
    pairs = {
        model: _compared(question, (model, base), pair, level) for model, pair in found.items()
    }
    n_tests = len(pairs)
    if is_chosen:
        n_tests = len(samples) * (len(samples) - 1) // 2
    if n_tests > 1:
        adjusted = holm([pair.pvalue for pair in pairs.values()], n_tests)
        each = zip(pairs.items(), adjusted, strict=True)
        pairs = {model: replace(pair, pvalue=pvalue) for (model, pair), pvalue in each}
    return base, pairs


def compare_samples(
    question: Question,
    samples: Mapping[Any, Sample],
    baseline: Any,
    level: float,
    in_table: bool,
    has_tables: bool = False,
) -> Comparison | Comparisons:
    """Compare each model with the baseline in a table, or the first of two with the second one."""
    base = baseline if in_table else list(samples)[1]
    base, pairs = compare_models(question, samples, base, level, base is None, has_tables)
    return _tabled(pairs, samples, base) if in_table else next(iter(pairs.values()))


def _compared(
    question: Question, models: tuple[Any, Any], plans: Sequence[Plan], level: float
) -> Comparison:
    plan, (one, other) = plans[0], (each.spread for each in plans)
    difference = one.less(other)
    is_large = abs(difference.mean) > difference.standard_error > 0
    if is_large and question.method == "influence" and difference.values.size == 1:
        difference = difference._replace(further=unseen_by_better(plans, difference.mean))
    low, high, pvalue = _tested(question, plans, difference, level)
    return Comparison(
        values=(one.mean, other.mean),
        difference=difference.mean,
        low=low,
        high=high,
        standard_error=difference.standard_error,
        pvalue=pvalue,
        confidence_level=float(level),
        method=question.method,
        metric=title_in(question.rule, plan.sample.rankings),
        basis=plan.basis,
        **question.drawn(plan.sample.by_query),
        models=models,
        places=question.rule.decimals,
        source=Source.of(question, plan.sample),
    )


def _tested(
    question: Question, plans: Sequence[Plan], difference: Spread, level: float
) -> tuple[float, float, float]:
    """Compute the interval around a difference, and its p-value."""
    a, b = (plan.sample for plan in plans)
    is_random = question.method == "randomization"
    never_differ = difference.standard_error == 0
    if never_differ and rank_alike(a.rankings, b.rankings):
        return 0.0, 0.0, 1.0
    if is_random and a.by_query:
        if difference.each is None:
            raise ValueError(
                "method='randomization' swaps the models in random groups, but with "
                "average='weighted', the groups have different weights in the two intervals. Use "
                "method='influence' or method='bootstrap'."
            )
        parts = difference.each * difference.weight[difference.weight > 0]
        low, high, _ = difference.t_test(level)
        return low, high, sign_flips(parts, question.times, question.generator)
    if difference.each is None and never_differ:
        one, other = (plan.spread for plan in plans)
        return *one.apart(other, level), difference.t_test(level)[2]
    has_few = difference.trials.min() <= MANY or difference.freedom.min() < MANY
    is_close = not a.by_query and has_few
    by_swaps = question.method == "influence" and is_close
    if is_random or by_swaps:
        swapped = parts_of(question, plans)
        if swapped is not None:
            are_even = a.clusters is None or min(plan.evenness for plan in plans) > 0.5
            return difference.swap_test(swapped, level, are_even)
        if is_random:
            raise ValueError(
                "method='randomization' swaps the models in random clusters, but the models have "
                "different groups, or only one has n_positives. Use method='influence'."
            )
    if difference.drawn is not None and difference.values.size == 1:
        return difference.drawn_test(level)
    return difference.t_test(level)


def are_intervals(models: Any) -> bool:
    """Whether this is an interval, a list of them, or a mapping from names of models to them."""
    if isinstance(models, Mapping):
        return any(isinstance(each, Interval) for each in models.values())
    first = models[0] if isinstance(models, list | tuple) and models else models
    return isinstance(first, Interval)


def compare_intervals(
    a: Any,
    b: Any = None,
    *others: Any,
    baseline: Any = None,
    confidence_level: float | None = None,
    method: str = "auto",
    verbose: int = 0,
    **besides: Any,
) -> Comparison | Comparisons:
    """Compare the models of intervals, pairing their sampling units by name."""
    if others or besides:
        what = ", ".join(besides) or f"{len(others)} more arguments"
        raise TypeError(
            "With intervals, compare only accepts baseline, confidence_level, method and verbose, "
            f"all by name, but got {what}. Pass everything else to confidence_interval."
        )
    intervals = _named_intervals(a, b, baseline)
    first = next(iter(intervals.values()))
    (question, _), *_ = sources = [_source(first, each) for each in intervals.values()]
    given = {"confidence_level": confidence_level, "method": method, "verbose": verbose}
    check_allowed("compare", {"confidence_level"}, given)
    method = first.method if method == "auto" else method
    question = question._replace(method=method)
    level = first.confidence_level if confidence_level is None else confidence_level
    samples = dict(zip(intervals, (sample for _, sample in sources), strict=True))
    with naming("compare" if verbose else ""):
        return compare_samples(question, samples, baseline, level, isinstance(a, Mapping))


def _named_intervals(a: Any, b: Any, baseline: Any) -> dict[Any, Interval]:
    """Return intervals by the names of their models."""
    in_table = isinstance(a, Mapping)
    if in_table and (b is not None or len(a) < 2):
        raise TypeError("compare needs a mapping of at least two intervals, and nothing else.")
    if baseline is not None and not in_table:
        raise TypeError("baseline needs a mapping of intervals, as compare({'A': a, 'B': b}).")
    for each in a.values() if in_table else (a, b):
        if not isinstance(each, Interval):
            raise TypeError(
                "compare needs two intervals, a mapping of intervals, or labels and prediction "
                f"scores. Got {type(each).__name__} instead of an Interval."
            )
    if in_table:
        check_baseline(a, baseline)
        return dict(a)
    own = [x.source.model if x.name is None and x.source else x.name for x in (a, b)]
    return dict(zip(name_two(own, ("first", "second")), (a, b), strict=True))


def _source(first: Interval, other: Interval) -> tuple[Question, Sample]:
    """Return what an interval was computed from, if it can be compared with the first one."""
    if first.source is None or other.source is None:
        raise ValueError(
            "An interval of a stream has no single sampling units. Pass labels and prediction "
            "scores to confidence_interval instead."
        )
    needs = "compare", "Pass labels and prediction scores instead, or compare before pickling."
    (one_question, _), found = first.source.data.get(*needs), other.source.data.get(*needs)
    whats = "metric", "kind", "zero_division"  # where nan equals nan
    one, theirs = (
        (each.metric, each.kind, str(float(question.quietly)))
        for each, question in ((first, one_question), (other, found[0]))
    )
    for what, a, b in zip(whats, one, theirs, strict=True):
        if a != b:
            raise ValueError(
                f"The intervals differ in their {what}: {a} and {b}. Compute both with the same."
            )
    return found


def _check_paired(plans: Mapping[Any, Plan]) -> None:
    """Check that models have the same sampling units, even if their rows differ, and that they were
    averaged over the same groups or classes, and missed the same positives.
    """
    (first, one), *others = plans.items()
    rankings, kind = one.sample.rankings, one.sample.kind
    for model, other in others:
        models, theirs = (first, model), other.sample.rankings
        check_same_names(one.sample.names, other.sample.names, kind, models)
        labels, other_labels = rankings.labels, theirs.labels
        have_same_labels = labels is other_labels or np.array_equal(labels, other_labels)
        if kind == "rows" and not have_same_labels:
            raise ValueError(
                f"The y_true of the models {first!r} and {model!r} differ, although rows are "
                "paired by their position. If the models share queries, images or other sampling "
                "units, pass these as groups= or clusters=."
            )
        averaged = [*one.averaged], [*other.averaged]
        if rankings.group is not None:
            check_same_names(*averaged, "groups", models)
        elif averaged[0] != averaged[1]:
            raise ValueError(
                f"The means of the models {first!r} and {model!r} are over different classes: "
                f"{averaged[0]} and {averaged[1]}. Use the same classes: only these means can be "
                "compared."
            )
        missed = one.missing, other.missing
        if any(map(any_of, missed)) and not (
            have_same_labels and np.allclose(*missed, rtol=1e-9, atol=1e-9)
        ):
            raise ValueError(
                "Both models missed positives, but it isn't known which of them belong together. "
                "Pass n_positives by group and cluster, or by cluster if there are no groups."
            )


def title_in(rule: Rule, rankings: Rankings) -> str:
    if rankings.average == "binary":
        return written(rule)
    if has_queries(rankings):
        return mean_title(rule, rankings.average)
    return f"{written(rule)} ({rankings.average})"


# Users import the results from where the functions are that return them.
for _result in (NextTestSet, Interval, Comparison, Comparisons):
    _result.__module__ = "sklearn_ap.inference"
