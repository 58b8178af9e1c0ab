"""Reports: models by several metrics, in all data and in segments, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import (
    NOT_SAID,
    Array,
    Column,
    Metric,
    are_rows,
    check,
    check_calls,
    encode_groups,
    warn_caller,
)
from ._core import metric as make_metric
from ._results import Bar, Drawable, Forest, Printed, Result, list_fields, wording
from ._uncertainty import (
    Claims,
    ModelData,
    TTest,
    Variation,
    check_baseline,
    choose_baseline,
    count_comparisons,
    join_apart,
    list_statistics,
    name_models,
    note_data,
    note_differences,
    read_models,
    write_count,
)
from .exceptions import NoIntervalError

_OF_MEANS = ", mean over "  # in titles of metrics, before what groups are
_MAX_LISTED = 3
_MANY_SEGMENTS, _FEW_ROWS = 50, 10  # More, with fewer rows each, may be numbers or ids.


@dataclass(frozen=True, kw_only=True)
class ReportRow:
    """A model by one metric, in all data (`segment` is None) or in a segment."""

    model: Any
    metric: str
    greater_is_better: bool = True
    segment: Any = None
    n_samples: int = 0
    n_positives: float = 0
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    standard_error: float = np.nan
    units: float = np.nan
    chance: float = np.nan
    difference: float = np.nan  # the model minus the baseline
    difference_low: float = np.nan
    difference_high: float = np.nan
    margin_low: float = np.nan
    margin_high: float = np.nan
    least_margin: float = np.nan
    pvalue: float = np.nan
    verdict: str = ""  # why there is none, if there is none
    n_comparisons: int = 1  # how many differences p and the interval of this one are adjusted for
    basis: str = ""


@dataclass(frozen=True, repr=False, kw_only=True)
class Report(Drawable):
    """Values and differences of models, with a row for each metric, segment and model.

    Attributes
    ----------
    rows : tuple of ReportRow
        Each has `metric`, `segment` (None for all data), `model`, `n_samples` and `n_positives`;
        `value`, `low`, `high` and `chance`; `difference` from the baseline, `difference_low`,
        `difference_high`, `pvalue` and `verdict`; and `n_comparisons`, which its interval
        and p are adjusted for.
    baseline : object
        The model that the others are compared with.
    confidence_level : float
        The level of intervals and verdicts.
    margin : float or None
        The smallest difference that matters.
    n_comparisons, n_segments : int
        How many comparisons and segments there are in a family.
    notes : tuple of str
        The sentences below the table.
    """

    rows: tuple[ReportRow, ...]
    baseline: Any
    confidence_level: float
    margin: float | None = None
    n_comparisons: int = 1  # comparisons that those of all data are adjusted for
    n_segments: int = 0  # segments that their intervals are adjusted for
    notes: tuple[str, ...] = ()
    _find_best: Callable[[], frozenset[Any]] = field(default=frozenset, compare=False)

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        # A pickle has what a pivot prints in bold, but not the data, which that follows from.
        return vars(self) | {"_find_best": partial(frozenset, self._find_best())}

    @property
    def _others(self) -> list[Any]:
        """The models other than the baseline, or the only model."""
        return [*dict.fromkeys(row.model for row in self.rows if row.model != self.baseline)]

    @property
    def _metrics(self) -> list[str]:
        return [*dict.fromkeys(row.metric for row in self.rows)]

    @property
    def _has_segments(self) -> bool:
        return any(row.segment is not None for row in self.rows)

    def _count_decimals(self) -> dict[str, int]:
        """Count the decimals of each metric."""
        intervals: dict[str, list[tuple[float, float, float]]] = {}
        for row in self.rows:
            of_difference = (row.difference, row.difference_low, row.difference_high)
            intervals.setdefault(row.metric, []).extend(
                [(row.value, row.low, row.high), of_difference]
            )
        return {metric: wording.count_decimals(each) for metric, each in intervals.items()}

    def pivot(self) -> Pivot:
        """Return a table of the values of models in segments, or else by metrics. In bold are the
        best and those that aren't significantly worse. There are at least as many rows as columns.
        """
        return Pivot(self, self._find_best())

    def _print(self) -> Printed:
        baselines = {(r.metric, r.segment): r for r in self.rows if r.model == self.baseline}
        header: list[str] = []
        blocks: dict[str, tuple[str, list[list[str]]]] = {}
        n_decimals = self._count_decimals()
        for row in self.rows:
            # The heading of a metric is that of its first row, which is about all data.
            decimals = n_decimals[row.metric]
            chance = wording.describe_chance(row.chance, decimals)
            _, texts = blocks.setdefault(row.metric, (f"{row.metric}: {row.basis}{chance}", []))
            cells = self._list_cells(row, baselines.get((row.metric, row.segment)), decimals)
            header = [name for name, _ in cells]
            # With segments, the baseline has a column, and no rows.
            if not self._has_segments or row.model != self.baseline:
                texts.append([text for _, text in cells])
        return Printed(header, [*blocks.values()], [*self._describe_claims(), *self.notes])

    def _list_cells(
        self, row: ReportRow, baseline: ReportRow | None, decimals: int
    ) -> list[tuple[str, str]]:
        """Return the name of each column, and the text of its cell in this row."""
        level = wording.format_level(self.confidence_level)
        interval = f"{level} interval"
        value = wording.format_value(row.value, decimals=decimals)
        # A segment without an interval has the reason in place of a verdict.
        ends = wording.format_ends(row.low, row.high, decimals) or row.verdict
        difference = wording.format_value(row.difference, "+", decimals)
        other_ends = wording.format_ends(row.difference_low, row.difference_high, decimals)
        alone = [("model", str(row.model)), ("value", value)]
        compared = [
            ("diff", difference),
            (interval, other_ends),
            ("p", wording.format_pvalue(row.pvalue, self.confidence_level)),
            # Beside segments without "at 95%", so that the table has at most 79 columns.
            ("verdict" if self._has_segments else f"verdict at {level}", row.verdict),
        ]
        if not self._has_segments:
            return [*alone, (interval, ends), *(compared if baseline else [])]
        part = [("segment", name_segment(row.segment)), ("positives", f"{row.n_positives:,.10g}")]
        if len(self._others) == 1:
            alone = [(str(self._others[0]), value)]
        if baseline is None:
            return [*part, *alone, (interval, ends)]
        base = (str(self.baseline), wording.format_value(baseline.value, decimals=decimals))
        return [*part, *alone, base, *compared]

    def _describe_claims(self) -> list[str]:
        lines = []
        if self.baseline is not None:
            lines.append(self._describe_differences())
        who = "Those of all data" if self._has_segments else "They"
        lines += wording.describe_adjustment(who, self.n_comparisons)
        n = self.n_segments
        if self.baseline is None:
            lines += wording.describe_adjustment("Intervals in segments", n, "segments")
        elif n > 1:
            lines += wording.describe_adjustment(
                "Intervals and p in segments", n * self.n_comparisons
            )
        if self.margin is not None:
            lines += wording.describe_margin(self.margin, self.rows)
        return lines

    def _describe_differences(self) -> str:
        """Say between whom differences are."""
        model = f"{self._others[0]} " if len(self._others) == 1 else ""
        # The first metric chose the baseline, unless it was named.
        base = next(row for row in self.rows if row.model == self.baseline)
        role = f", the {base.verdict}" if base.verdict != "baseline" else ""
        if role and len(self._metrics) > 1:
            role += f" by {base.metric}"
        return f"diff, p and verdict: {model}against {self.baseline}{role}."

    def _draw(self) -> list[Forest]:
        return [self._draw_metric(metric) for metric in self._metrics]

    def _draw_metric(self, metric: str) -> Forest:
        models, bars = self._others, []
        rows = [row for row in self.rows if row.metric == metric and row.model != self.baseline]
        for row in rows:
            # If models have several bars each, a color shows which are of the same model.
            color = models.index(row.model) if len(rows) > len(models) > 1 else 0
            bar = Bar(self._label(row), row.value, row.low, row.high, row.verdict, color=color)
            if self.baseline is None:
                bar = replace(bar, chance=row.chance)
            else:
                low, high = row.difference_low, row.difference_high
                ends = (row.margin_low, row.margin_high)
                bar = replace(bar, middle=row.difference, low=low, high=high, margin_ends=ends)
            bars.append(bar if row.segment is None else replace(bar, n_positives=row.n_positives))
        what = "value" if self.baseline is None else f"difference from {self.baseline}"
        if self.baseline is not None and len(models) == 1:
            what = f"{models[0]} minus {self.baseline}"
        return Forest(
            bars,
            f"{metric}: {what}",
            self.confidence_level,
            self.margin,
            self._count_decimals()[metric],
            self.n_comparisons,
            self.n_segments,
            is_difference=self.baseline is not None,
            greater_is_better=rows[0].greater_is_better,
        )

    def _label(self, row: ReportRow) -> str:
        """Name a bar by its segment, and by its model if there are several or no segments."""
        names = [name_segment(row.segment)] if self._has_segments else []
        if len(self._others) > 1 or not names:
            names.append(str(row.model))
        return ", ".join(names)


@dataclass(frozen=True, repr=False)
class Pivot(Result):
    """The values of a report: models on one side, and segments or else metrics on the other."""

    report: Report
    best: frozenset[Any]  # the metric, the segment and the model of values in bold

    def _print(self) -> Printed:
        has_segments = self.report._has_segments
        # In each block, the cells of all models by part, which is a segment or a metric
        cells: dict[str, dict[Any, list[str]]] = {}
        n_decimals = self.report._count_decimals()
        for row in self.report.rows:
            heading, part = (row.metric, row.segment) if has_segments else ("", row.metric)
            is_best = (row.metric, row.segment, row.model) in self.best
            of_parts = cells.setdefault(heading, {})
            text = print_interval(row, is_best, n_decimals[row.metric])
            of_parts.setdefault(part, []).append(text)
        # They are the same in all blocks, and so are the groups of means.
        parts = [name_segment(part).partition(_OF_MEANS)[0] for part in of_parts]
        models = [*map(str, dict.fromkeys(row.model for row in self.report.rows))]
        tables: list[Any] = [[*each.values()] for each in cells.values()]
        label, names, columns = "segment" if has_segments else "metric", parts, models
        if len(parts) <= len(models):  # A page has no room for so many columns.
            label, names, columns = "model", models, parts
            tables = [[*zip(*table, strict=True)] for table in tables]
        blocks = [
            (heading, [[name, *row] for name, row in zip(names, table, strict=True)])
            for heading, table in zip(cells, tables, strict=True)
        ]
        return Printed([label, *columns], blocks, self._describe_intervals(len(models)))

    def to_frame(self) -> Any:
        """Return a DataFrame of pandas with the numbers of the report, a row for each value."""
        return self.report.to_frame()

    def _describe_intervals(self, n_models: int) -> list[str]:
        level = wording.format_level(self.report.confidence_level)
        groups = self.report.rows[0].metric.partition(_OF_MEANS)[2]
        lines = [f"Values with {level} intervals{f', means over {groups}' if groups else ''}."]
        if n_models > 1:
            bold = "In bold: the best, and those that aren't significantly worse"
            is_adjusted = self.report.n_comparisons > 1
            lines.append(f"{bold}{', adjusted for all pairs' if is_adjusted else ''}.")
        n_segments = self.report.n_segments
        segments = {row.segment for row in self.report.rows if not np.isnan(row.low)} - {None}
        if n_segments == 1 < len(segments):
            lines.append("Intervals in segments aren't adjusted: each holds on its own.")
        return lines + wording.describe_adjustment("Intervals in segments", n_segments, "segments")


def print_interval(row: ReportRow, is_best: bool, decimals: int) -> str:
    """Print a value with its interval, in bold if it's the best one or not significantly worse."""
    value = wording.format_value(row.value, decimals=decimals)
    ends = wording.format_ends(row.low, row.high, decimals)
    value = f"**{value}**" if is_best else value
    return f"{value} ({ends})" if ends else value


def name_segment(segment: Any) -> str:
    if segment is None:
        return "all data"
    if isinstance(segment, tuple):  # of several columns
        return ", ".join(map(name_segment, segment))
    return str(segment).removesuffix(" 00:00:00")  # Columns of dates hold times at midnight.


@check_calls
def report(
    y_true: Column = None,
    y_score: Any = None,
    *,
    metrics: Any = "average_precision",
    baseline: Any = None,
    margin: float | None = None,
    by: Any = None,
    adjust: bool = True,
    confidence_level: float = 0.95,
    clusters: Column = None,
    average: str | None = NOT_SAID,
    pos_label: float | bool | str = NOT_SAID,
    sample_weight: Column = NOT_SAID,
    zero_division: float | str = NOT_SAID,
    classes: ArrayLike | None = NOT_SAID,
    n_positives: Any = NOT_SAID,
    groups: Column = NOT_SAID,
    min_grade: float | None = NOT_SAID,
    data: Any = None,
) -> Report:
    """Evaluate models by several metrics, and compare them with a baseline, in one table.

    Each value has the interval of :func:`confidence_interval`, and each model other than the
    baseline the difference of :func:`compare`.

    Read more in :doc:`Confidence intervals and comparisons </intervals>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators, multiclass labels or grades.
    y_score : array-like, or mapping from names to array-likes
        Prediction scores of a model, or of several. With `data`, a column or a list of columns.
    metrics : str, Metric or list of these, default="average_precision"
        The metrics: names such as "P@1%", or objects made by :func:`metric`, whose options are the
        defaults of those below.
    baseline : str, default=None
        The model to compare the others with. None means the best one by the first metric, and
        differences are then adjusted for all pairs.
    margin : float, default=None
        The smallest difference that matters; see :func:`compare`.
    by : array-like of shape (n_samples,), or mapping from groups, default=None
        The segment of each row, such as its country, or of each group, such as the type of each
        query. Each segment gets its own row, in the order of the categories if it has them,
        otherwise sorted. Several columns, such as country and week, make one segment together.
    adjust : bool, default=True
        Whether to adjust p and intervals for the number of segments and comparisons (Bonferroni).
    confidence_level : float, default=0.95
        The fraction of such intervals that should contain the true value.
    clusters : array-like of shape (n_samples,) or (n_samples, n_kinds), default=None
        The cluster of each sample, such as its patient. Clusters are then the sampling units.
        Several columns are crossed kinds of units, such as rows and seeds, whose variances add up.
    average : {'macro', 'micro', 'weighted', 'samples'}, default='macro'
        How values of classes, rows or groups are averaged.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately, and are the
        sampling units. Several columns, such as data set and seed, make one group together.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades. nDCG and functions read these as
        they are.
    data : table, or mapping from names to tables, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns. For models with a table each, pass a dict of tables: `y_score` is
        the column of scores in all of them. Models are compared group by group, or with
        ``n_positives="rows"`` cluster by cluster.

    Returns
    -------
    report : Report
        It prints as a table; `rows`, `to_frame` and `to_dict` have all numbers.

    See Also
    --------
    compare : Two or more models by one metric.
    confidence_interval : The interval of one value.

    Examples
    --------
    >>> from sklearn_ap import report
    >>> from sklearn_ap.datasets import load_payments
    >>> models = ["model_a", "model_b"]
    >>> report("fraud", models, baseline="model_a", data=load_payments())
    Average precision: 395 positives, chance 0.020
    model    value    95% interval    diff    95% interval       p  verdict at 95%
    model_a  0.432  0.380 to 0.484                                  baseline
    model_b  0.512  0.461 to 0.561  +0.080  0.041 to 0.119  <0.001  better
    diff, p and verdict: model_b against model_a.
    """
    check(confidence_level=confidence_level, adjust=adjust)
    scores = name_models(y_score, data)
    if margin is not None and len(scores) < 2:
        raise ValueError("margin is about differences: pass several models.")
    if baseline is not None:
        check_baseline(baseline, scores)
    is_chosen = baseline is None
    n_comparisons = max(count_comparisons(len(scores), is_chosen), 1) if adjust else 1
    parts: list[MetricPart] = []
    for metric, least_grade in read_metrics(metrics, min_grade):
        models = read_models(
            metric,
            y_true,
            scores,
            clusters=clusters,
            by=by,
            average=average,
            pos_label=pos_label,
            sample_weight=sample_weight,
            zero_division=zero_division,
            classes=classes,
            n_positives=n_positives,
            groups=groups,
            min_grade=least_grade,
            data=data,
        )
        if models.title in [part.models.title for part in parts]:
            raise ValueError(f"Two metrics have the title {models.title!r}: call report for each.")
        claims = Claims(models.rule, confidence_level, margin, n_comparisons)
        segments = {} if by is None else split_segments(models, by)
        parts.append(evaluate_metric(models, segments, baseline, claims, adjust))
        baseline = parts[0].baseline
    n_segments = parts[-1].n_segments
    return Report(
        rows=tuple(row for part in parts for row in part.rows),
        baseline=baseline if len(scores) > 1 else None,
        confidence_level=float(confidence_level),
        margin=margin,
        n_comparisons=n_comparisons,
        n_segments=n_segments if adjust else min(n_segments, 1),
        notes=tuple(note_parts(parts, is_chosen, adjust)),
        _find_best=partial(list_best, parts),
    )


def read_metrics(metrics: Any, min_grade: Any) -> list[tuple[Metric, Any]]:
    """Return one metric or several as objects, each with the lowest grade that is positive.

    Beside metrics of positives, `min_grade` isn't about those that read grades as they are.
    """
    if not isinstance(metrics, list | tuple):
        metrics = [metrics]
    if not metrics:
        raise ValueError("metrics is an empty list.")
    several = [make_metric(each) for each in metrics]
    are_all = all(each._rule.needs_rows for each in several)
    return [
        (each, NOT_SAID if each._rule.needs_rows and not are_all else min_grade) for each in several
    ]


@dataclass(frozen=True)
class MetricPart:
    """The part of a report that is about one metric, in all data and in segments."""

    models: ModelData
    all_and_segments: Sequence[Segment]  # The first one is all data.
    n_segments: int  # those with intervals
    baseline: Any
    rows: Sequence[ReportRow]
    notes: Sequence[str]


def evaluate_metric(
    models: ModelData,
    models_by_segment: Mapping[Any, ModelData],
    baseline: Any,
    claims: Claims,
    adjust: bool,
) -> MetricPart:
    """Compare models with the baseline, or if it's None with the best one, in all data and in each
    segment.
    """
    variations = models.estimate_all()
    baseline, role = choose_baseline(claims.rule, variations, baseline)
    all_data = Segment(None, models, variations, claims)
    rows = all_data.make_rows(baseline, role)
    notes = []
    if len(variations) > 1:
        least_margin = max(row.least_margin for row in rows if row.model != baseline)
        of_baseline = variations[baseline]
        of_all = note_differences(of_baseline, models.units[0], claims, least_margin)
        notes = [f"{models.title}: {note}" for note in of_all]
    segments = [estimate_segment(name, each, claims) for name, each in models_by_segment.items()]
    n_segments = sum(bool(segment.variations) for segment in segments)
    if adjust and n_segments:
        n_comparisons = claims.n_comparisons * n_segments
        claims = replace(claims, n_comparisons=n_comparisons, n_segments=n_segments)
        segments = [replace(segment, claims=claims) for segment in segments]
    for segment in segments:
        rows += segment.make_rows(baseline)
    return MetricPart(models, [all_data, *segments], n_segments, baseline, rows, notes)


def list_best(parts: Sequence[MetricPart]) -> frozenset[Any]:
    """Return the metric, the segment and the model of each value that may be the best one."""
    segments = [segment for part in parts for segment in part.all_and_segments]
    return frozenset().union(*(segment.find_best() for segment in segments))


# --- segments -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Segment:
    """A part of the rows, or all, and how values vary there, or in a word why that isn't known."""

    name: Any
    models: ModelData
    variations: Mapping[Any, Variation]
    claims: Claims
    reason: str = ""

    def make_rows(self, baseline: Any, role: str = "baseline") -> list[ReportRow]:
        """Return the row of each model. In place of a verdict, the baseline has its role."""
        models, variations, claims, rows = self.models, self.variations, self.claims, []
        about = {"metric": models.title, "segment": self.name}
        about["greater_is_better"] = models.rule.greater_is_better
        if not variations:
            return [
                ReportRow(model=name, **about, **self._list_value(name)) for name in models.scores
            ]
        for name, variation in variations.items():
            test, verdict = TTest(), role if len(variations) > 1 else ""
            if name != baseline:
                test, verdict = claims.judge(*models.estimate_pair(variations, name, baseline))
            # A row has the ends, the error and the units of its value, and those of its difference
            # by other names.
            of_difference = {"difference_low": test.low, "difference_high": test.high}
            of_value = list_statistics(variation, claims.level_of_values)
            row = ReportRow(
                **(list_fields(test) | of_difference | of_value | about),
                model=name,
                verdict=verdict,
                n_comparisons=claims.n_comparisons,
            )
            rows.append(row)
        return rows

    def _list_value(self, name: Any) -> dict[str, Any]:
        """Return the value of a model, if there is one, and why it has no interval."""
        n_positives = float(self.models.read_rankings(name).count_positives().sum())
        value = self.models.compute_value(name) if n_positives else np.nan
        about = {"n_samples": len(self.models.find_data(name).y_true), "n_positives": n_positives}
        return about | {"value": value, "verdict": self.reason}

    def find_best(self) -> set[Any]:
        """Return the metric, the segment and the name of the best of several models, and of those
        that aren't significantly worse, as all pairs are compared if p is adjusted.
        """
        n_models = len(self.variations)
        if n_models < 2:
            return set()
        best, _ = choose_baseline(self.claims.rule, self.variations, None)
        # Two models are compared once, and p isn't adjusted if nothing is.
        is_adjusted = self.claims.n_comparisons > self.claims.n_segments
        n_pairs = count_comparisons(n_models, is_chosen=True) if is_adjusted else 1
        n_pairs *= self.claims.n_segments
        claims = replace(self.claims, margin=None, n_comparisons=n_pairs)
        names = {best}
        for name in self.variations.keys() - {best}:
            _, verdict = claims.judge(*self.models.estimate_pair(self.variations, name, best))
            names |= {name} if verdict != "worse" else set()
        return {(self.models.title, self.name, name) for name in names}


def estimate_segment(name: Any, models: ModelData, claims: Claims) -> Segment:
    """Estimate how much values vary in a segment, whose models these are."""
    try:
        return Segment(name, models, models.estimate_all(warns=False), claims)
    except NoIntervalError as error:
        return Segment(name, models, {}, claims, error.reason)


def split_segments(models: ModelData, by: Any) -> dict[Any, ModelData]:
    """Return the models in each segment."""
    if models.apart is not None:
        return split_apart(models.apart, by)
    assert models.segments is not None
    segment, names = models.segments
    groups, counts = models.data_options["groups"], models.data_options["n_positives"]
    if counts is not None and not are_rows(counts) and are_split(groups, segment):
        raise ValueError(
            "n_positives doesn't say in which segments unscored positives are. With by=, pass "
            "groups that are in one segment each, and a mapping from groups to numbers."
        )
    if len(names) > max(_MANY_SEGMENTS, segment.size / _FEW_ROWS):
        warn_caller(
            f"by= has {len(names):,} different values in {segment.size:,} rows. Are these numbers "
            "or ids? Bin numbers first, as by pandas.qcut. For values without intervals, call "
            "values_by_group."
        )
    # Only a mapping says in which segments groups without rows are.
    failed = list_failed_groups(models) if isinstance(by, Mapping) else []
    parts = {}
    # Small integers are sorted in time that doesn't grow with the number of segments.
    in_order = np.argsort(segment.astype(np.min_scalar_type(len(names))), kind="stable")
    ends = np.cumsum(np.bincount(segment, minlength=len(names)))
    for name, rows in zip(names, np.split(in_order, ends[:-1]), strict=True):
        parts[name] = models.take(rows, [group for group in failed if by[group] == name])
    return parts


def split_apart(apart: Mapping[Any, ModelData], by: Any) -> dict[Any, ModelData]:
    """Return the models in each segment if each of them has a table of its own."""
    parts = {name: split_segments(models, by) for name, models in apart.items()}
    first = next(iter(parts.values()))
    for name, of_model in parts.items():
        if {*of_model} != {*first}:
            raise ValueError(f"All tables need the same segments. {name!r} has {[*of_model]}.")
    return {
        segment: join_apart({name: of_model[segment] for name, of_model in parts.items()})
        for segment in first
    }


def are_split(groups: Array | None, segment: Array) -> bool:
    """Whether rows without groups, or those of a group, are in several segments."""
    if groups is None:
        return True
    group, names = encode_groups(groups)
    return len(np.unique(np.stack([group, segment]), axis=1).T) > len(names)


def list_failed_groups(models: ModelData) -> list[Any]:
    """Return the groups that are only in `n_positives`, because nothing was retrieved for them."""
    counts, groups = models.data_options["n_positives"], models.data_options["groups"]
    if groups is None or not isinstance(counts, Mapping):
        return []
    present = {*groups.tolist()}
    return [group for group in counts if group not in present]


# --- notes ----------------------------------------------------------------------------------------


def note_parts(parts: Sequence[MetricPart], is_chosen: bool, adjust: bool) -> list[str]:
    """Say what the rows of all metrics are about, and what they can't say."""
    notes, last = [], parts[-1]
    if last.n_segments:
        notes.append(describe_all_data(last.models))
    if not adjust:
        notes.append("Not adjusted: each interval and p holds on its own.")
    elif is_chosen and len(last.models.scores) > 2:
        why = f"{last.baseline} was chosen by its value"
        notes.append(f"{why}, so the adjustment is for all pairs.")
    notes += dict.fromkeys(note for part in parts for note in note_data(part.models))
    for part in parts:
        notes += part.notes
    notes += note_undefined(last.all_and_segments[1:])
    if last.n_segments:
        segments = [segment.models for segment in last.all_and_segments[1:]]
        notes += note_failed_groups(last.models, segments)
        fractions = [find_positive_fraction(segment) for segment in segments]
        if len({round(fraction, 3) for fraction in fractions if fraction}) > 1:
            notes.append(
                "Don't compare values between segments: their fractions of positives differ."
            )
    return notes


def describe_all_data(models: ModelData) -> str:
    """Say what all data are, and if groups rank rows of several segments together, which would be
    wrong for data sets.
    """
    units, segments = models.units[0], models.segments
    if not models.has_groups:
        return "All data: segments ranked together."
    if segments is None or not are_split(models.data_options["groups"], segments[0]):
        return f"All data: the mean over all {units.name_groups()}."
    return (
        f"All data: each {units.group_word} ranks rows of several segments together. If segments "
        "are data sets, that's wrong: name their column in groups, too."
    )


def note_undefined(segments: Sequence[Segment]) -> list[str]:
    """Say where groups or classes without positives count as 0, in place of a warning of each."""
    lacking, words = [], set()
    for segment in segments:
        models = segment.models
        rankings = models.read_rankings(next(iter(models.scores)))
        n, n_zero = rankings.n_rankings, int(np.sum(rankings.count_positives() == 0))
        counts_as_0 = models.rule.needs_positives and models.data_options["zero_division"] == "warn"
        if counts_as_0 and 0 < n_zero < n:
            lacking.append(f"{n_zero:,} of {n:,} in {name_segment(segment.name)}")
            words.add(models.units[0].name_groups() if models.has_groups else "classes")
    if len(lacking) > _MAX_LISTED:
        lacking[_MAX_LISTED:] = [f"and in {len(lacking) - _MAX_LISTED} more segments"]
    note = "without positives count as 0, and zero_division=np.nan leaves them out"
    return [f"{word.capitalize()} {note}: {', '.join(lacking)}." for word in words]


def find_positive_fraction(models: ModelData) -> float:
    """Return which fraction of the rows is positive, of their weight if they have one, 0 if rows
    are only what was retrieved.
    """
    rankings = models.read_rankings(next(iter(models.scores)))
    if rankings.n_positives is not None:
        return 0.0
    return float(np.average(rankings.labels > 0, weights=rankings.weight))


def note_failed_groups(models: ModelData, segments: Sequence[ModelData]) -> list[str]:
    """Say which groups are in no segment."""
    counts = [segment.data_options["n_positives"] for segment in segments]
    lost = [name for name in list_failed_groups(models) if not any(name in each for each in counts)]
    n_lost = write_count(len(lost), models.units[0].group_word)
    note = f"{n_lost} without rows: in the mean of all data, but in no segment."
    return [f"{note} Pass a mapping from all groups as by=, which has theirs."] if lost else []
