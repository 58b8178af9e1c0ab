"""Reports: models by several metrics, in all data and in segments, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import NOT_SAID, Array, Column, are_rows, check, check_calls, encode_groups
from ._core import metric as make_metric
from ._results import Bar, Drawable, Forest, Printed, Result, wording
from ._uncertainty import (
    Claims,
    ModelData,
    Table,
    TTest,
    Variation,
    check_baseline,
    list_statistics,
    name_models,
    note_data,
    read_models,
    write_count,
)
from .exceptions import NoIntervalError

_OF_MEANS = ", mean over "  # in titles of metrics, before what groups are
_MAX_LISTED = 3


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
        How many comparisons of all data p and intervals are adjusted for, and how many segments.
    notes : tuple of str
        The sentences below the table.
    """

    rows: tuple[ReportRow, ...]
    baseline: Any
    confidence_level: float
    margin: float | None = None
    n_comparisons: int = 1
    n_segments: int = 0
    notes: tuple[str, ...] = ()
    _find_best: Callable[[], frozenset[Any]] = field(default=frozenset, compare=False)

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        # A pickle has what a pivot prints in bold, but not the data, which that follows from.
        return vars(self) | {"_find_best": partial(frozenset, self._find_best())}

    def pivot(self) -> Pivot:
        """Return a table of the values of models in segments, or else by metrics. In bold are the
        highest (or lowest) and those that aren't significantly worse. There are at least as many
        rows as columns.
        """
        return Pivot(self, self._find_best())

    def _list_others(self) -> list[Any]:
        """Return the models other than the baseline, or the only model."""
        return [*dict.fromkeys(row.model for row in self.rows if row.model != self.baseline)]

    def _has_segments(self) -> bool:
        return any(row.segment is not None for row in self.rows)

    def _count_decimals(self) -> dict[str, int]:
        """Count the decimals of each metric."""
        intervals: dict[str, list[tuple[float, float, float]]] = {}
        for row in self.rows:
            of_difference = (row.difference, row.difference_low, row.difference_high)
            of_metric = intervals.setdefault(row.metric, [])
            of_metric += [(row.value, row.low, row.high), of_difference]
        return {metric: wording.count_decimals(each) for metric, each in intervals.items()}

    def _print(self) -> Printed:
        """Print a table for each metric. With segments, the baseline has a column, and no rows."""
        level, others = wording.format_level(self.confidence_level), self._list_others()
        has_segments, is_compared = self._has_segments(), self.baseline is not None
        names_model = len(others) > 1 or not has_segments
        header = ["segment", "positives"] if has_segments else []
        header += ["model", "value"] if names_model else [str(others[0])]
        header.append(str(self.baseline) if has_segments and is_compared else f"{level} interval")
        if is_compared:
            # Beside segments without "at 95%", so that the table has at most 79 columns.
            verdict = "verdict" if has_segments else f"verdict at {level}"
            header += ["diff", f"{level} interval", "p", verdict]
        values = {(row.metric, row.segment, row.model): row.value for row in self.rows}
        decimals_of_metrics = self._count_decimals()
        blocks: dict[str, tuple[str, list[list[str]]]] = {}
        for row in self.rows:
            decimals = decimals_of_metrics[row.metric]
            if row.metric not in blocks:  # Its first row is about all data.
                chance = wording.describe_chance(row.chance, decimals)
                blocks[row.metric] = (f"{row.metric}: {row.basis}{chance}", [])
            if has_segments and row.model == self.baseline:
                continue
            cells = [name_segment(row.segment), f"{row.n_positives:,.10g}"] if has_segments else []
            cells += [str(row.model)] if names_model else []
            cells.append(wording.format_value(row.value, decimals=decimals))
            if has_segments and is_compared:
                value = values[row.metric, row.segment, self.baseline]
                cells.append(wording.format_value(value, decimals=decimals))
            else:
                # A segment without an interval has the reason in place of a verdict.
                cells.append(wording.format_ends(row.low, row.high, decimals) or row.verdict)
            if is_compared:
                ends = wording.format_ends(row.difference_low, row.difference_high, decimals)
                cells += [
                    wording.format_value(row.difference, "+", decimals),
                    ends or explain_lack(row),
                    wording.format_pvalue(row.pvalue, self.confidence_level),
                    row.verdict,
                ]
            blocks[row.metric][1].append(cells)
        return Printed(header, [*blocks.values()], [*self._describe_claims(), *self.notes])

    def _describe_claims(self) -> list[str]:
        """Say between whom differences are, and what intervals and p are adjusted for."""
        lines, n = [], self.n_segments
        if self.baseline is not None:
            others = self._list_others()
            model = f"{others[0]} " if len(others) == 1 else ""
            # The first metric chose the baseline, unless it was named.
            base = next(row for row in self.rows if row.model == self.baseline)
            role = f", the {base.verdict}" if base.verdict != "baseline" else ""
            if role and self.rows[-1].metric != base.metric:
                role += f" by {base.metric}"
            lines.append(f"diff, p and verdict: {model}against {self.baseline}{role}.")
        who = "Those of all data" if self._has_segments() else "They"
        lines += wording.describe_adjustment(who, self.n_comparisons)
        if self.baseline is None:
            lines += wording.describe_adjustment("Intervals in segments", n, "segments")
        elif n > 1:
            n_in_segments = n * self.n_comparisons
            lines += wording.describe_adjustment("Intervals and p in segments", n_in_segments)
        if self.margin is not None:
            lines += wording.describe_margin(self.margin, self.rows)
        return lines

    def _draw(self) -> list[Forest]:
        """Return a forest for each metric, of differences if there are some, or else of values."""
        models, has_segments, forests = self._list_others(), self._has_segments(), []
        is_difference = self.baseline is not None
        what = f"difference from {self.baseline}" if is_difference else "value"
        if is_difference and len(models) == 1:
            what = f"{models[0]} minus {self.baseline}"
        for metric, decimals in self._count_decimals().items():
            rows = [row for row in self.rows if row.metric == metric and row.model != self.baseline]
            bars = []
            for row in rows:
                names = [name_segment(row.segment)] if has_segments else []
                names += [str(row.model)] if len(models) > 1 or not has_segments else []
                numbers, chance = (row.value, row.low, row.high), row.chance
                if is_difference:
                    numbers = (row.difference, row.difference_low, row.difference_high)
                    chance = np.nan
                bar = Bar(
                    ", ".join(names),
                    *numbers,
                    explain_lack(row) or row.verdict,
                    (row.margin_low, row.margin_high),
                    chance,
                    # Of several bars, the color shows which are of the same model.
                    models.index(row.model) if has_segments else 0,
                    is_segment=row.segment is not None,
                )
                bars.append(bar)
            title = f"{metric}: {what}"
            forests.append(Forest(bars, title, decimals, rows[0].greater_is_better, is_difference))
        return forests


@dataclass(frozen=True, repr=False)
class Pivot(Result):
    """The values of a report: models on one side, and segments or else metrics on the other."""

    report: Report
    best: frozenset[Any]  # the metric, the segment and the model of values in bold

    def _print(self) -> Printed:
        report = self.report
        has_segments, decimals = report._has_segments(), report._count_decimals()
        # In each block, the cells of all models by part, which is a segment or a metric
        cells: dict[str, dict[Any, list[str]]] = {}
        for row in report.rows:
            value = wording.format_value(row.value, decimals=decimals[row.metric])
            ends = wording.format_ends(row.low, row.high, decimals[row.metric])
            if (row.metric, row.segment, row.model) in self.best:
                value = f"**{value}**"
            heading, part = (row.metric, row.segment) if has_segments else ("", row.metric)
            of_parts = cells.setdefault(heading, {})
            of_parts.setdefault(part, []).append(f"{value} ({ends})" if ends else value)
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

        # Say what is in the cells, and in bold.
        level = wording.format_level(report.confidence_level)
        groups = report.rows[0].metric.partition(_OF_MEANS)[2]
        lines = [f"Values with {level} intervals{f', means over {groups}' if groups else ''}."]
        if len(models) > 1:
            are_greater = dict.fromkeys(row.greater_is_better for row in report.rows)
            roles = " or ".join("highest" if each else "lowest" for each in are_greater)
            all_pairs = ", adjusted for all pairs" if report.n_comparisons > 1 else ""
            bold = f"In bold: the {roles}, and those that aren't significantly worse{all_pairs}."
            lines.append(bold)
        segments = {row.segment for row in report.rows if not np.isnan(row.low)} - {None}
        if report.n_segments == 1 < len(segments):
            lines.append("Intervals in segments aren't adjusted: each holds on its own.")
        lines += wording.describe_adjustment("Intervals in segments", report.n_segments, "segments")
        return Printed([label, *columns], blocks, lines)

    def to_frame(self) -> Any:
        """Return a DataFrame of pandas with the numbers of the report, a row for each value."""
        return self.report.to_frame()


def explain_lack(row: ReportRow) -> str:
    """Say what an interval of a difference is missing for, such as that there is 1 positive."""
    return row.basis if row.verdict == "unclear" and np.isnan(row.difference_low) else ""


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
        Without clusters or groups, rows are taken as independent.
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
    n_comparisons = 1
    if adjust and len(scores) > 1:  # The best of several could have been any of them.
        n_comparisons = comb(len(scores), 2) if baseline is None else len(scores) - 1
    several = metrics if isinstance(metrics, list | tuple) else [metrics]
    if not several:
        raise ValueError("metrics is an empty list.")
    several = [make_metric(each) for each in several]
    # Beside metrics of positives, `min_grade` isn't about those that read grades as they are.
    needs_grade = [not each._rule.needs_rows for each in several]
    parts: list[list[Segment]] = []  # of each metric
    for metric, is_needed in zip(several, needs_grade, strict=True):
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
            min_grade=min_grade if is_needed or not any(needs_grade) else NOT_SAID,
            data=data,
        )
        if models.title in [all_data.models.title for all_data, *_ in parts]:
            raise ValueError(f"Two metrics have the title {models.title!r}: call report for each.")
        claims = Claims(models.rule, confidence_level, margin, n_comparisons)
        part = [Segment(None, models, models.estimate_all(), claims)]
        for name, inside in (split_segments(models, by) if by is not None else {}).items():
            try:
                part.append(Segment(name, inside, inside.estimate_all(warns=False), claims))
            except NoIntervalError as error:
                part.append(Segment(name, inside, {}, claims, error.reason))
        parts.append(part)
    return make_report(parts, by, baseline, adjust)


def make_report(parts: Sequence[Sequence[Segment]], by: Any, baseline: Any, adjust: bool) -> Report:
    """Compare models by each metric in all data and in segments. The first metric chooses the
    baseline if nobody named it.
    """
    # Some metrics have intervals in fewer segments, and are adjusted for as many.
    n_segments = max(sum(bool(each.variations) for each in segments) for _, *segments in parts)
    n_adjusted = max(n_segments, 1) if adjust else 1
    is_chosen, rows, few = baseline is None, [], []
    compared: list[Segment] = []
    for all_data, *segments in parts:
        models, claims, variations = all_data.models, all_data.claims, all_data.variations
        baseline, role = claims.choose_baseline(variations, baseline)
        of_all = all_data.make_rows(baseline, role)
        if len(variations) > 1:
            least_margin = max(row.least_margin for row in of_all if row.model != baseline)
            units = models.tables[baseline].kinds[0]
            notes = claims.list_notes(variations[baseline], units, least_margin)
            few += [f"{models.title}: {note}" for note in notes]
        n_comparisons = claims.n_comparisons * n_adjusted
        in_segments = replace(claims, n_comparisons=n_comparisons, n_segments=n_adjusted)
        segments = [replace(segment, claims=in_segments) for segment in segments]
        rows += of_all
        rows += [row for segment in segments for row in segment.make_rows(baseline)]
        compared += [all_data, *segments]

    # Say what the rows of all metrics are about, and what they can't say.
    notes = note_all_data(models, by) if any(each.variations for each in segments) else []
    if not adjust:
        notes.append("Not adjusted: each interval and p holds on its own.")
    elif is_chosen and len(variations) > 2:
        notes.append(f"{baseline} was chosen by its value, so the adjustment is for all pairs.")
    notes += dict.fromkeys(note for part in parts for note in note_data(part[0].models))
    notes += few
    if by is not None:
        notes += dict.fromkeys(note for _, *each in parts for note in note_segments(each))
    return Report(
        rows=tuple(rows),
        baseline=baseline if len(variations) > 1 else None,
        confidence_level=float(claims.level),
        margin=claims.margin,
        n_comparisons=claims.n_comparisons,
        n_segments=min(n_segments, n_adjusted),
        notes=tuple(notes),
        _find_best=lambda: frozenset().union(*(segment.find_best() for segment in compared)),
    )


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
        models, claims, rows = self.models, self.claims, []
        for model, table in models.tables.items():
            fields: dict[str, Any] = {"metric": models.title, "segment": self.name, "model": model}
            fields["greater_is_better"] = models.rule.greater_is_better
            if model in self.variations:
                test, verdict = TTest(), role if len(self.variations) > 1 else ""
                if model != baseline:
                    pair = models.estimate_pair(self.variations, model, baseline)
                    test, verdict = claims.judge(*pair)
                # A row has the ends, the error and the units of its value, and those of its
                # difference by other names.
                fields |= vars(test) | {"difference_low": test.low, "difference_high": test.high}
                level = 1 - (1 - claims.level) / claims.n_segments
                fields |= list_statistics(self.variations[model], level)
                fields |= {"verdict": verdict, "n_comparisons": claims.n_comparisons}
            else:  # Without an interval there may still be a value.
                n_positives = float(models.read_rankings(model).count_positives().sum())
                fields |= {"n_positives": n_positives, "verdict": self.reason}
                fields["n_samples"] = len(table.y_true)
                fields["value"] = models.compute_value(model) if n_positives else np.nan
            rows.append(ReportRow(**fields))
        return rows

    def find_best(self) -> set[Any]:
        """Return the metric, the segment and the name of the best of several models, and of those
        that aren't significantly worse, as all pairs are compared if p is adjusted.
        """
        n_models = len(self.variations)
        if n_models < 2:
            return set()
        best, _ = self.claims.choose_baseline(self.variations, None)
        # Two models are compared once, and p isn't adjusted if nothing is.
        is_adjusted = self.claims.n_comparisons > self.claims.n_segments
        n_pairs = comb(n_models, 2) if is_adjusted else 1
        n_pairs *= self.claims.n_segments
        claims = replace(self.claims, margin=None, n_comparisons=n_pairs)
        names = {best}
        for name in self.variations.keys() - {best}:
            _, verdict = claims.judge(*self.models.estimate_pair(self.variations, name, best))
            names |= {name} if verdict != "worse" else set()
        return {(self.models.title, self.name, name) for name in names}


def split_segments(models: ModelData, by: Any) -> dict[Any, ModelData]:
    """Return the models in each segment."""
    of_tables = {table: split_table(table, by) for table in {*models.tables.values()}}
    of_models = {name: of_tables[table] for name, table in models.tables.items()}
    segments = [*next(iter(of_models.values()))]
    for name, parts in of_models.items():
        if {*parts} != {*segments}:
            raise ValueError(f"All tables need the same segments. {name!r} has {[*parts]}.")
    return {
        segment: models.replace_tables({name: parts[segment] for name, parts in of_models.items()})
        for segment in segments
    }


def split_table(table: Table, by: Any) -> dict[Any, Table]:
    """Return the rows of each segment."""
    assert table.segments is not None
    segment, names = table.segments
    groups, counts = table.data_options["groups"], table.data_options["n_positives"]
    if counts is not None and not are_rows(counts) and are_split(groups, segment):
        raise ValueError(
            "n_positives doesn't say in which segments unscored positives are. With by=, pass "
            "groups that are in one segment each, and a mapping from groups to numbers."
        )
    # Only a mapping says in which segments groups without rows are.
    failed = list_failed_groups(table) if isinstance(by, Mapping) else []
    # Small integers are sorted in time that doesn't grow with the number of segments.
    in_order = np.argsort(segment.astype(np.min_scalar_type(len(names))), kind="stable")
    ends = np.cumsum(np.bincount(segment, minlength=len(names)))
    return {
        name: table.take(rows, [group for group in failed if by[group] == name])
        for name, rows in zip(names, np.split(in_order, ends[:-1]), strict=True)
    }


def are_split(groups: Array | None, segment: Array) -> bool:
    """Whether rows without groups, or those of a group, are in several segments."""
    if groups is None:
        return True
    group, names = encode_groups(groups)
    return len(np.unique(np.stack([group, segment]), axis=1).T) > len(names)


def list_failed_groups(table: Table) -> list[Any]:
    """Return the groups that are only in `n_positives`, because nothing was retrieved for them."""
    counts, groups = table.data_options["n_positives"], table.data_options["groups"]
    if groups is None or not isinstance(counts, Mapping):
        return []
    present = {*groups.tolist()}
    return [group for group in counts if group not in present]


# --- notes ----------------------------------------------------------------------------------------


def note_all_data(models: ModelData, by: Any) -> list[str]:
    """Say how segments make up all data, and which groups are in none of them."""
    table = next(iter(models.tables.values()))
    groups, units, segments = table.data_options["groups"], table.kinds[0], table.segments
    if groups is None:
        return ["All data: segments ranked together."]
    note = f"All data: the mean over all {units.name_groups()}."
    if segments is not None and are_split(groups, segments[0]):
        note = (
            f"All data: each {units.group_word} ranks rows of several segments together. If "
            "segments are data sets, that's wrong: name their column in groups, too."
        )
    lost = [] if isinstance(by, Mapping) else list_failed_groups(table)
    if not lost:
        return [note]
    n_lost = write_count(len(lost), units.group_word)
    return [
        note,
        f"{n_lost} without rows: in the mean of all data, but in no segment. Pass a mapping from "
        "all groups as by=, which has theirs.",
    ]


def note_segments(segments: Sequence[Segment]) -> list[str]:
    """Say where groups or classes without positives count as 0, in place of a warning of each, and
    whether segments have other fractions of positives.
    """
    notes, lacking, fractions = [], [], set()
    for segment in segments:
        models, rule = segment.models, segment.models.rule
        name, table = next(iter(models.tables.items()))
        rankings = models.read_rankings(name)
        n, n_zero = rankings.n_rankings, int(np.sum(rankings.count_positives() == 0))
        counts_as_0 = rule.needs_positives and table.data_options["zero_division"] == "warn"
        if counts_as_0 and 0 < n_zero < n:
            lacking.append(f"{n_zero:,} of {n:,} in {name_segment(segment.name)}")
        is_positive = rankings.labels > 0
        if rankings.n_positives is None and is_positive.any():  # All rows are there.
            fractions.add(round(float(np.average(is_positive, weights=rankings.weight)), 3))
    if len(lacking) > _MAX_LISTED:
        lacking[_MAX_LISTED:] = [f"and in {len(lacking) - _MAX_LISTED} more segments"]
    if lacking:
        has_groups = table.data_options["groups"] is not None
        words = table.kinds[0].name_groups() if has_groups else "classes"
        note = "without positives count as 0, and zero_division=np.nan leaves them out"
        notes.append(f"{words.capitalize()} {note}: {', '.join(lacking)}.")
    if len(fractions) > 1 and any(segment.variations for segment in segments):
        notes.append("Don't compare values between segments: their fractions of positives differ.")
    return notes
