"""Intervals and comparisons: the result classes, and how the values of models are paired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from ._catalogue import mean_title_of, title_of
from ._estimate import averaged_names, compared, compared_with, unit_by_unit, unplaced
from ._estimate.question import Evidence, Question, Sample, has_queries
from ._inputs import Inputs
from ._results import Result, Value
from ._table import aligned, columns_of, ends, html, one_line, p_value
from ._validation.inference import (
    check_clusters,
    check_comparable,
    check_has_units,
    check_method,
    check_only_intervals,
    check_same_averaged,
    check_same_labels,
    check_same_missing,
    check_same_question,
    check_same_units,
    check_same_weight,
    find_existing,
    import_pandas,
    name_units,
    split_n_positives,
)
from ._validation.parameters import check_allowed
from ._validation.rankings import check_rankings
from ._validation.warned import warning_once
from .core.intervals import have_same_weight, holm, sign_flips
from .core.rankings import Rankings
from .core.rules import Rule
from .core.segments import Array
from .core.units import rank_alike


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result):
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
    kind : str or None
        The kind of the sampling units: "rows", "groups" or "clusters"; None for a stream.
    units : list or None
        The names of the sampling units: row numbers, groups or clusters; None for a stream.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    >>> interval = ap.confidence_interval(y_true, y_score)
    >>> interval
    Average precision 0.728, 95% interval 0.168 to 0.973 (influence,
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
    # These are not printed, and are ignored when results are compared. Streams have no sample.
    sample: Sample | None = field(default=None, repr=False, compare=False)
    question: Question | None = field(default=None, repr=False, compare=False)

    @property
    def kind(self) -> str | None:
        """The kind of the sampling units: "rows", "groups" or "clusters"; None for a stream."""
        return None if self.sample is None else self.sample.kind

    @property
    def units(self) -> list[Any] | None:
        """The names of the sampling units: row numbers, groups or clusters; None for a stream."""
        return None if self.sample is None else list(self.sample.names)

    def contributions(self) -> Array:
        """Return what each sampling unit contributes to the sampling error of the value.

        The standard error is the root of the sum of their squares. If the interval was computed by
        the bootstrap, only groups have contributions.

        Returns
        -------
        contributions : ndarray of shape (n_units,)
            The contribution of each of `units`.
        """
        sample, question = check_has_units(self)
        spread = unit_by_unit(question, sample).spread
        each = np.einsum("i,ij->j", spread.shares, spread.deviations) + spread.drift
        return np.asarray(each[: len(sample.names)])

    def __iter__(self) -> Iterator[float]:
        return iter((self.value, self.low, self.high))

    def __str__(self) -> str:
        return f"{self.metric} {self.value:z.3f}, {_ends(self)} ({self.method}, {self.basis})"


def interval_of(
    title: str,
    found: Evidence,
    level: float,
    question: Question,
    sample: Sample | None = None,
) -> Interval:
    """Return the interval that the evidence implies."""
    low, high = found.spread.limits(level)
    return Interval(
        value=found.spread.mean,
        low=low,
        high=high,
        standard_error=found.spread.standard_error,
        confidence_level=float(level),
        method=question.method,
        metric=title,
        basis=found.basis,
        sample=sample,
        question=question,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Result of :func:`~sklearn_ap.compare` for two models.

    It prints as two sentences, and unpacks into `difference`, `low` and `high`.

    Attributes
    ----------
    values : tuple of two floats
        The values of the metric for models a and b.
    models : tuple of two str
        The names of models a and b: those of their columns or Series, or "a" and "b".
    difference : float
        The value of a minus the value of b.
    low, high : float
        The ends of the interval for the difference.
    standard_error : float
        The standard error of the difference.
    pvalue : float
        The two-sided p value of no difference.
    confidence_level : float
        The probability with which such intervals contain the true difference, such as 0.95.
    method : str
        How the interval was computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the interval rests on, such as "40 positives" or "30 queries".

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> b = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> paired = ap.compare(y_true, a, b)
    >>> paired
    Average precision 0.771 (a) and 0.625 (b)
    Difference 0.146, 95% interval -0.252 to 0.543, p = 0.327 (influence,
    4 positives)
    >>> paired.difference, paired.pvalue
    (0.146, 0.327)
    """

    values: tuple[float, float]
    difference: float  # a - b
    low: float
    high: float
    standard_error: float
    pvalue: float
    confidence_level: float
    method: str
    metric: str
    basis: str
    models: tuple[str, str] = field(default=("a", "b"), compare=False)

    def __iter__(self) -> Iterator[float]:
        return iter((self.difference, self.low, self.high))

    def __str__(self) -> str:
        (a, b), (one, other) = self.values, map(one_line, self.models)
        p = "p < 0.001" if self.pvalue < 0.001 else f"p = {self.pvalue:.3f}"
        return (
            f"{self.metric} {a:z.3f} ({one}) and {b:z.3f} ({other})\n"
            f"Difference {self.difference:z.3f}, {_ends(self)}, {p} ({self.method}, {self.basis})"
        )


@dataclass(frozen=True, eq=False)
class ModelComparison(Value):
    """One model compared with the baseline: a row of `Comparisons`."""

    model: str
    value: float
    difference: float = 0.0  # from the baseline, which itself has no interval and no p value
    low: float = np.nan
    high: float = np.nan
    pvalue: float = np.nan  # adjusted for the number of models


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Result):
    """Result of :func:`~sklearn_ap.compare` for several models.

    It prints as a table, also in a notebook, with one row for each model.

    Attributes
    ----------
    rows : tuple
        One row for each model, with the attributes `model`, `value`, `difference`, `low`, `high`
        and `pvalue`. The difference is the value of the model minus that of the baseline. The
        p value is adjusted for the number of models by Holm's method.
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
    new    0.771  0.146       -0.252 to 0.543  0.655
    same   0.771  0.146       -0.252 to 0.543  0.655
    >>> [row.model for row in models if row.pvalue < 0.05]
    []
    """

    rows: tuple[ModelComparison, ...]
    baseline: str
    confidence_level: float
    method: str
    metric: str
    basis: str

    def __iter__(self) -> Iterator[ModelComparison]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """Return the rows as a list of dicts."""
        return [asdict(row) for row in self.rows]

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame, indexed by model."""
        pandas = import_pandas()
        return pandas.DataFrame(self.to_dict()).set_index("model")

    def __str__(self) -> str:
        lines = [self._header, *map(self._cells, self.rows)]
        widths = [max(map(columns_of, column)) for column in zip(*lines, strict=True)]
        return "\n".join([self._title, *(aligned(cells, widths) for cells in lines)])

    def _repr_html_(self) -> str:
        return html(self._header, [*map(self._cells, self.rows)], self._title, n_numbers=4)

    @property
    def _title(self) -> str:
        base = one_line(str(self.baseline))
        return f"{self.metric}, differences from {base} ({self.method}, {self.basis})"

    @property
    def _header(self) -> tuple[str, ...]:
        interval = f"{100 * self.confidence_level:g}% interval"
        return "model", "value", "difference", interval, "p"

    def _cells(self, row: ModelComparison) -> tuple[str, ...]:
        if row.model == self.baseline:
            return one_line(str(row.model)), f"{row.value:z.3f}", "baseline", "", ""
        numbers = f"{row.value:z.3f}", f"{row.difference:z.3f}", ends(row.low, row.high)
        return one_line(str(row.model)), *numbers, p_value(row.pvalue)


def _ends(result: Interval | Comparison) -> str:
    return f"{100 * result.confidence_level:g}% interval {ends(result.low, result.high)}"


def compare_two(
    question: Question,
    samples: Sequence[Sample],
    found: Sequence[Evidence],
    level: float,
    models: Sequence[str] = ("a", "b"),
) -> Comparison:
    a, b = samples
    one, other = found
    if a.kind == "groups":
        check_same_units(_in_the_mean(a, one), _in_the_mean(b, other), a.kind)
    if have_same_weight(one.weight, other.weight):
        difference = one.spread.less(other.spread)
    else:  # with other weights, groups of equal values may still make a difference
        difference = one.spread._replace(each=None).less(other.spread)
    low, high, pvalue = difference.t_test(level)
    never_differ = difference.standard_error == 0
    if never_differ and rank_alike(a.rankings, b.rankings):
        low, high, pvalue = 0.0, 0.0, 1.0
    elif question.method == "randomization":
        each = check_same_weight(difference.each)
        parts = each * one.weight[one.weight > 0]
        pvalue = sign_flips(parts, question.n_resamples, question.generator)
    elif difference.each is None and never_differ:
        low, high = one.spread.apart(other.spread, level)
    return Comparison(
        values=(one.spread.mean, other.spread.mean),
        difference=difference.mean,
        low=low,
        high=high,
        standard_error=difference.standard_error,
        pvalue=pvalue,
        confidence_level=float(level),
        method=question.method,
        metric=title_in(question.rule, a.rankings),
        basis=one.basis,
        models=(models[0], models[1]),
    )


def _in_the_mean(sample: Sample, found: Evidence) -> list[Any]:
    """Return the names of the groups whose values are averaged."""
    left_out = set(found.left_out.tolist())
    return [name for place, name in enumerate(sample.names) if place not in left_out]


def compare_intervals(
    a: Interval,
    b: Any = None,
    *others: Any,
    confidence_level: float | None = None,
    method: str = "auto",
    **besides: Any,
) -> Comparison:
    """Compare the models of two intervals, pairing their sampling units by name."""
    check_only_intervals(others, besides)
    check_comparable(a, b)
    given = {"confidence_level": confidence_level, "method": method}
    check_allowed("compare", {"confidence_level"}, given)
    assert a.sample is not None
    assert b.sample is not None
    assert a.question is not None
    method = a.method if method == "auto" else method
    method = check_method(method, a.question.rule, are_queries(a.sample), comparing=True)
    check_same_units(a.sample.names, b.sample.names, a.sample.kind)
    assert b.question is not None
    check_same_question(a.question, b.question)
    same_rows = np.array_equal(a.sample.rankings.labels, b.sample.rankings.labels)
    check_same_labels(a.sample.kind, same_rows)
    question = replace(a.question, method=method)
    with warning_once():
        if a.sample.kind != "groups":  # drawn groups are units, with their missed positives
            one, other = (averaged_names(a.question, sample) for sample in (a.sample, b.sample))
            check_same_averaged(one, other, a.sample.rankings.group is not None)
            check_same_missing(unplaced(a.sample), unplaced(b.sample), same_rows)
        found = compared(question, [a.sample, b.sample])
    level = a.confidence_level if confidence_level is None else confidence_level
    return compare_two(question, [a.sample, b.sample], found, level)


def compare_models(
    question: Question, samples: dict[str, Sample], baseline: str | None, level: float
) -> Comparisons:
    """Compare each model with the baseline.

    If the data chose the baseline, it could have been any of the models, so p values are then
    adjusted for all pairs of models.
    """
    base, found = compared_with(question, samples, baseline)
    pairs = {
        model: compare_two(question, (samples[model], samples[base]), pair, level)
        for model, pair in found.items()
    }
    n_tests = len(pairs) if baseline is not None else len(samples) * (len(samples) - 1) // 2
    adjusted = holm([pair.pvalue for pair in pairs.values()], n_tests)
    own, *_ = found.values()
    rows = {model: ModelComparison(model, own[1].spread.mean) for model in samples}
    for (model, pair), pvalue in zip(pairs.items(), adjusted, strict=True):
        value = found[model][0].spread.mean
        rows[model] = ModelComparison(model, value, pair.difference, pair.low, pair.high, pvalue)
    title = title_in(question.rule, samples[base].rankings)
    return Comparisons(
        tuple(rows.values()), base, float(level), question.method, title, own[1].basis
    )


def sample_of(rule: Rule, inputs: Inputs) -> Sample:
    """Check the input, and return it with its sampling units."""
    groups, clusters, weight = inputs.groups, inputs.clusters, inputs.sample_weight
    n_positives, pairs = split_n_positives(inputs.n_positives, groups, clusters)
    rankings = check_rankings(inputs._replace(n_positives=n_positives), rule)
    words = {
        role: name_units(column, role, inputs.column_names)
        for role, column in (("groups", groups), ("clusters", clusters))
    }
    if clusters is not None:
        drawn, names = check_clusters(clusters, rankings, weight, pairs)
        return Sample(rankings, drawn, names, "clusters", words["groups"], words["clusters"])
    if groups is not None:
        return Sample(rankings, None, rankings.names or (), "groups", words["groups"])
    rows = np.flatnonzero(find_existing(weight, rankings))
    return Sample(rankings, None, rows, "rows")


def are_queries(sample: Sample) -> bool:
    """Whether each sampling unit is ranked separately."""
    return sample.clusters is None and has_queries(sample.rankings)


def title_in(rule: Rule, rankings: Rankings) -> str:
    if rankings.average == "binary":
        return title_of(rule)
    if has_queries(rankings):
        return mean_title_of(rule, rankings.average)
    return f"{title_of(rule)} ({rankings.average})"


# Users import the results from where the functions are that return them.
for _result in (Interval, Comparison, Comparisons):
    _result.__module__ = "sklearn_ap.inference"
