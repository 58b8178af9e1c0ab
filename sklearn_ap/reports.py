"""Tables that evaluate several models by several metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _table as table
from ._data import public, reading
from ._estimate import evidence
from ._estimate.question import Question, Sample
from ._finish import score
from ._inputs import COLUMNS, Inputs
from ._intervals import (
    Comparisons,
    Interval,
    are_queries,
    compare_models,
    interval_of,
    sample_of,
    title_in,
)
from ._named import Metric
from ._results import Result, Value
from ._typing import Average, Label, NPositives, ZeroDivision
from ._validation.errors import naming_model
from ._validation.inference import check_baseline, check_generator, check_method, import_pandas
from ._validation.parameters import check_mean_has_groups
from ._validation.reports import (
    check_any_groups,
    check_are_metrics,
    check_class_found,
    check_names_differ,
    read_models,
    refuse_groups_one_by_one,
)
from ._validation.warned import warn_of_other_order, warning_once
from .metrics import metric_of

__all__ = ["Report", "report"]

WIDTH = 100  # the maximum width of a printed table, in characters
_MOST_NAME = 36  # the maximum length of a model's name in the table

AnyMetric = str | Metric
# These are AnyMetric, but type checkers infer that a list with both kinds contains objects.
AnyMetrics = AnyMetric | Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ReportRow(Value):
    """The result for one model and one metric."""

    model: str
    metric: str
    value: float
    low: float
    high: float
    difference: float = np.nan  # from the baseline, which itself has 0 and no interval
    difference_low: float = np.nan
    difference_high: float = np.nan
    pvalue: float = np.nan  # adjusted for the number of models


@dataclass(frozen=True)
class _Part:
    """The results for one metric: the interval of each model, and their comparison."""

    name: str
    intervals: dict[str, Interval]
    comparisons: Comparisons | None = None

    @property
    def heading(self) -> str:
        first = next(iter(self.intervals.values()))
        method = first.method if self.comparisons is None else self.comparisons.method
        return f"{table.one_line(self.name)} ({method}, {first.basis})"

    def with_groups(self) -> Iterator[tuple[str, Interval]]:
        """Yield the models with their intervals, if groups were evaluated."""
        for model, interval in self.intervals.items():
            if interval.sample is not None and interval.sample.rankings.group is not None:
                yield model, interval

    def rows(self) -> Iterator[ReportRow]:
        for place, (model, interval) in enumerate(self.intervals.items()):
            row = ReportRow(model, self.name, *interval)
            if self.comparisons is not None:
                beside = self.comparisons.rows[place]
                row = replace(
                    row,
                    difference=beside.difference,
                    difference_low=beside.low,
                    difference_high=beside.high,
                    pvalue=beside.pvalue,
                )
            yield row


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """Result of :func:`~sklearn_ap.report`, with one row for each metric and model.

    It prints as a table, also in a notebook, and can be converted with `to_dict`, `to_frame` and
    `to_latex`. With groups, `per_group` lists the value of each group.

    Attributes
    ----------
    rows : tuple
        One row for each metric and model, with the attributes `model`, `metric`, `value`, `low`,
        `high`, `difference`, `difference_low`, `difference_high` and `pvalue`. The difference is
        the value of the model minus that of the baseline.
    confidence_level : float
        The probability with which such intervals contain the true value, such as 0.95.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> old = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> new = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> table = ap.report(y_true, {"old": old, "new": new}, metrics="AP")
    >>> table
      model  value  95% interval    difference  95% interval     p
    Average precision (influence, 4 positives)
      old    0.625  0.088 to 0.966  -0.146      -0.543 to 0.252  0.327
      new    0.771  0.094 to 0.991  baseline
    >>> [row.value for row in table]
    [0.625, 0.771]
    """

    rows: tuple[ReportRow, ...]
    confidence_level: float
    parts: tuple[_Part, ...] = field(default=(), repr=False, compare=False)

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """Return the rows as a list of dicts."""
        return [asdict(row) for row in self.rows]

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame."""
        return import_pandas("to_frame").DataFrame(self.to_dict())

    def per_group(self) -> Any:
        """Return the value of each group as a pandas DataFrame.

        It has one row for each group, labeled with its name, and one column for each model and
        metric.
        """
        pandas = import_pandas("per_group")
        columns = {}
        with warning_once():
            for part in self.parts:
                for model, interval in part.with_groups():
                    names, values = _by_group(interval)
                    columns[model, part.name] = pandas.Series(values, index=pandas.Index(names))
        check_any_groups(columns)
        frame = pandas.concat(columns, axis=1, names=["model", "metric"])
        frame.index.name = "group"
        return frame

    def to_latex(self) -> str:
        """Return the table as LaTeX code, which uses the package booktabs."""
        columns = "lrlrlr" if self._compares else "lrl"
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_line(self._header())]
        for part in self.parts:
            name = _in_latex(table.one_line(part.name))
            lines += [r"\midrule", rf"\multicolumn{{{len(columns)}}}{{l}}{{{name}}} \\"]
            lines += [r"\quad " + _latex_line(self._cells(part, row)) for row in part.rows()]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def __str__(self) -> str:
        header = _indented(self._header())
        cells = [[_indented(self._cells(part, row)) for row in part.rows()] for part in self.parts]
        columns = zip(header, *(line for lines in cells for line in lines), strict=True)
        widths = [max(map(table.columns_of, column)) for column in columns]
        text = [table.aligned(header, widths)]
        for part, lines in zip(self.parts, cells, strict=True):
            text.append(fill(part.heading, WIDTH, subsequent_indent="    "))
            text += [table.aligned(line, widths) for line in lines]
        return "\n".join([*text, *(fill(note, WIDTH) for note in self._notes())])

    def _repr_html_(self) -> str:
        rows: list[Sequence[str]] = []
        for part in self.parts:
            rows += [[part.heading], *(self._cells(part, row) for row in part.rows())]
        return table.html(
            self._header(), rows, "", self._notes(), n_numbers=len(self._header()) - 1
        )

    @property
    def _compares(self) -> bool:
        return any(part.comparisons for part in self.parts)

    def _header(self) -> tuple[str, ...]:
        interval = f"{100 * self.confidence_level:g}% interval"
        own = ("model", "value", interval)
        return (*own, "difference", interval, "p") if self._compares else own

    def _cells(self, part: _Part, row: ReportRow) -> tuple[str, ...]:
        own = table.one_line(str(row.model)), f"{row.value:z.3f}", table.ends(row.low, row.high)
        if part.comparisons is None:
            return own
        if row.model == part.comparisons.baseline:
            return *own, "baseline", "", ""
        ends = table.ends(row.difference_low, row.difference_high)
        return *own, table.signed(row.difference), ends, table.p_value(row.pvalue)

    def _notes(self) -> list[str]:
        n_models = max(len(part.intervals) for part in self.parts)
        if n_models < 3:
            return []
        return [f"Differences are from the baseline. p is adjusted for {n_models} models (Holm)."]


@public(reads=False)
def report(
    y_true: ArrayLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    *,
    metrics: AnyMetrics,
    baseline: str | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 1999,
    random_state: Any = None,
    average: Average | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    prevalence: float | None = None,
    data: Any = None,
) -> Report:
    """Evaluate models by several metrics, and compare them with a baseline, in one table.

    Each value comes with its confidence interval, as :func:`confidence_interval` computes it. Each
    model other than the baseline also has its difference from the baseline, as :func:`compare`
    computes it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : mapping, or array-like of shape (n_samples,) or (n_samples, n_classes)
        The prediction scores of a single model, or a mapping from names of models to their
        prediction scores. With `data`, pass the name of a column, a list of names with one per
        model, or a mapping from models to names.
    metrics : str, Metric, list or mapping
        The metrics to report: names, such as "average_precision", "precision_at_1%" or "AP@20", and
        objects made by :func:`metric`, whose options take precedence over those of this function.
        Pass a mapping to choose what the table calls them.
    baseline : str, default=None
        The model to compare the others with. The p values are adjusted by Holm's method for the
        number of these comparisons. If None, the best model by each metric is the baseline. Because
        the data have chosen it, the p values are then adjusted for all pairs of models. They are
        not adjusted for the number of metrics.
    confidence_level : float, default=0.95
        The proportion of such intervals that should contain the true value.
    method : {'auto', 'influence', 'bootstrap', 'randomization'}, default='auto'
        As in :func:`compare`. With 'randomization', the intervals of the values are computed as
        with 'auto'.
    n_resamples : int, default=1999
        The number of resamples that the bootstrap draws.
    random_state : int, RandomState instance or None, default=None
        Controls the random draws. Pass an int to get the same report each time.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How the values of several classes, rows or groups are averaged. 'macro' is the mean over
        classes or groups, and 'weighted' weights this mean by the number of positives. 'samples' is
        the mean over rows, each of which is a query. 'micro' ranks all cells of the matrix
        together. None keeps the values apart: one for each class, or for each group in sorted
        order. With `groups`, only 'macro', 'weighted' and None are available. With 'samples', the
        rows are the sampling units. With None, each class has its own rows.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives. 'warn' returns 0.0 with a warning. nan leaves the
        class, row or group out of the mean. A class without positives raises an error, unless this
        is nan, which leaves the class out.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`. By default, the classes are
        the sorted labels in `y_true`, so pass them if some may be missing there.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking, or one for each
        column, or for each row with average='samples'. With `groups`, pass a mapping or pandas
        Series from groups to counts. A group that is only in the mapping was never retrieved, so
        its value is 0. By default, all positives are in `y_true`. With `clusters`, it can also be a
        mapping from clusters to counts, or, if you pass `groups` too, from pairs (group, cluster)
        to counts. Missed positives then belong to their clusters.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. `y_true`
        must be binary. The groups are the sampling units, unless you pass `clusters` too.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient or its image. Samples of a cluster may
        depend on each other, so the clusters are the sampling units. Without `groups`, all samples
        are ranked together. With `groups`, each group is ranked separately, and a cluster can have
        samples in several groups. The groups are then fixed, as classes are, and only the clusters
        are drawn.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
        such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must then
        be one column of numbers, and you can't pass `pos_label` or `classes`.
    prevalence : float, default=None
        The proportion of positives in the population that you want a value for, if it isn't that of
        the samples, for example because negatives were subsampled. Negatives are weighted so that
        all existing positives make up this proportion of the total weight, over all groups
        together. The target must be binary. A cut-off k must be a fraction of the total weight, as
        in k=0.01, or count rows, with k_counts='samples'.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. It can be a
        DataFrame or LazyFrame of pandas, polars, Dask or Spark, a DuckDB relation, an Ibis or
        PyArrow table, a PyArrow dataset, or a path to Parquet files. The table has to be in memory
        here.

    Returns
    -------
    report : Report
        It prints as a table. Its `rows` contain the results, and `to_dict`, `to_frame` and
        `to_latex` convert them to a list of dicts, a pandas DataFrame and LaTeX. With groups,
        `per_group` returns a DataFrame with the value of each group.

    See Also
    --------
    metric : Combine a metric with its options.
    compare : Compare models by one metric.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> old = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> new = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> ap.report(
    ...     y_true, {"old": old, "new": new}, metrics="AP", baseline="old"
    ... )
      model  value  95% interval    difference  95% interval     p
    Average precision (influence, 4 positives)
      old    0.625  0.088 to 0.966  baseline
      new    0.771  0.094 to 0.991  +0.146      -0.252 to 0.543  0.327
    """
    inputs: Inputs = data
    models = read_models("report", "y_score", y_score, inputs.data is not None)
    check_baseline(models, baseline)
    seed = check_generator(random_state)
    opened = _Models(inputs._replace(y_score=models))
    parts: list[_Part] = []
    with warning_once():
        warn_of_other_order([(role, getattr(inputs, role, None)) for role in COLUMNS])
        for name, one in _named(metrics).items():
            own = inputs._replace(**one.of_data)
            question = Question(one.rule, method, n_resamples, seed, own.zero_division)
            check_mean_has_groups(one.definition, one.grouped, own.groups is not None)
            for label, samples in opened.samples(one):
                part = _answer(question, samples, baseline, confidence_level)
                parts.append(replace(part, name=f"{name}, {label}" if label else name))
    rows = tuple(row for part in parts for row in part.rows())
    return Report(rows, float(confidence_level), tuple(parts))


def _named(metrics: Any) -> dict[str, Metric]:
    """Map what the table calls each metric to the metric."""
    if isinstance(metrics, AnyMetric):
        metrics = [metrics]
    check_are_metrics(metrics)
    own = isinstance(metrics, Mapping)
    given = metrics.values() if own else metrics
    each = [
        one if isinstance(one, Metric) else metric_of(one, {}, "report", "metrics") for one in given
    ]
    names = list(map(str, metrics)) if own else [one.name for one in each]
    check_names_differ(names)
    return dict(zip(names, each, strict=True))


@dataclass
class _Models:
    """The prediction scores of models, checked once for all metrics that share their options."""

    inputs: Inputs
    known: dict[Any, dict[str, Sample]] = field(default_factory=dict)

    def samples(self, one: Metric) -> Iterator[tuple[str, dict[str, Sample]]]:
        """Yield the samples of all models, or with average=None those of each class in turn."""
        inputs = self.inputs._replace(**one.of_data)
        key = one.rule.ties, one.rule.takes_weights, *map(id, inputs)
        if key not in self.known:
            read = partial(sample_of, one.rule)
            opened = self.known[key] = {}
            for model, y_score in inputs.y_score.items():
                with naming_model(model, inputs.y_score):
                    opened[model] = reading(report, inputs._replace(y_score=y_score), read)
        samples = self.known[key]
        first = next(iter(samples.values()))
        if inputs.average is not None or first.rankings.average == "binary":
            yield "", samples
            return
        if inputs.groups is not None:
            refuse_groups_one_by_one()
        for place, name in enumerate(first.classes):
            of_class = {model: sample.of_class(place) for model, sample in samples.items()}
            check_class_found(name, of_class[next(iter(samples))].rankings)
            yield f"class {name}", of_class


def _answer(
    question: Question, samples: dict[str, Sample], baseline: str | None, level: float
) -> _Part:
    """Compute the intervals of all models by one metric, and compare the models."""
    first = next(iter(samples.values()))
    rule, by_query = question.rule, are_queries(first)
    compared = check_method(question.method, rule, by_query, comparing=True)
    alone = "auto" if compared == "randomization" else question.method
    question = replace(question, method=check_method(alone, rule, by_query))
    intervals = {}
    for model, sample in samples.items():
        found = evidence(question, sample)
        title = title_in(rule, sample.rankings)
        intervals[model] = interval_of(title, found, level, question, sample)
    if len(samples) == 1:
        return _Part("", intervals)
    question = replace(question, method=compared)
    return _Part("", intervals, compare_models(question, samples, baseline, level))


def _by_group(interval: Interval) -> tuple[list[Any], Any]:
    """Return the names of the groups and their values."""
    sample, question = interval.sample, interval.question
    assert sample is not None
    assert question is not None
    rankings = replace(sample.rankings, average=None)
    values = score(question.rule, rankings, question.again().zero_division)
    return list(rankings.names or ()), values


def _indented(cells: Sequence[str]) -> tuple[str, ...]:
    """Indent a line of cells, and shorten the name in the first one."""
    name, *others = cells
    short, half = name, _MOST_NAME // 2
    while table.columns_of(short) > _MOST_NAME:
        half -= 1
        short = f"{name[:half]}…{name[-half:]}"
    return f"  {short}", *others


_LATEX = str.maketrans(
    {character: rf"\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": "$<$", ">": "$>$", "|": "$|$"}
)


def _in_latex(text: str) -> str:
    return re.sub(r"(?<!\w)-(?=\d)", "$-$", text.translate(_LATEX))


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(map(_in_latex, cells)) + r" \\"
