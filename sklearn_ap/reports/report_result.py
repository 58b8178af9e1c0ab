"""A report as it prints, converts to tables, and plots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from .._evaluate.metric_values import compute_score
from .._infer.intervals import list_notes_upside_down
from .._infer.sentences import list_names, lower_first
from .._read.samples import SegmentName, write_segment
from .._show.figures import draws
from .._show.results import (
    FORMAT_VERSION,
    Note,
    Printed,
    Table,
    describe_baseline,
    describe_family,
    describe_margins,
    format_ends,
    format_level,
    format_verdict_column,
    import_pandas,
    join_lines,
    select_segments,
    sort_notes,
    unify_types,
    write_notes,
)
from .._words.messages import warning_once
from .._words.parameters import format_name
from ..core.rankings import BY_NAME
from ..core.verdicts import count_differences
from ..exceptions import InvalidParameterError
from .rows import MetricResults, ReportRow


class _Panel(NamedTuple):
    """What a panel of a picture shows."""

    title: Sequence[str]  # the metric, and the model if there are several
    labels: Sequence[str]  # what else the values and the line are
    names: Sequence[str]  # of models or segments
    ends: Sequence[tuple[float, float, float]]  # values, or differences, with their intervals
    line: float | None  # the baseline, or all data


@dataclass(frozen=True, eq=False, repr=False)
class Report(Table):
    """Result of :func:`~sklearn_ap.report`, with one row for each metric and model.

    It prints as a table, and `plot` draws it. With groups, `per_group` lists the value of each
    group. With segments and several models, the table has the intervals of differences only, and
    `rows`, `to_frame` and ``plot(of="values")`` have those of values, too. `to_metrics` converts
    the report to a dict of floats for loggers.

    Attributes
    ----------
    rows : tuple
        One row for each metric, segment and model, with the attributes `model`, `metric`,
        `segment`, `segment_column`, `value`, `low`, `high`, `difference`, `difference_low`,
        `difference_high`, `margin_low`, `margin_high`, `pvalue`, `verdict`, `n_samples`,
        `n_positives` and `chance`, which is the mean value of random rankings. The segment is a
        value of the column that `segment_column` names, and None for all data. The difference is
        the model's value minus the baseline's. The verdict says what the interval of the difference
        and the ends for claims about a margin show; see
        :class:`~sklearn_ap.inference.Comparison`. The baseline has none, nor has a segment without
        positives, whose value and difference are nan unless you pass `zero_division`. `n_positives`
        counts all existing positives, found or not. A single model whose prediction scores have no
        name is called "". Each row also says how it was computed, as `margin`, `method`, `basis`,
        `n_resamples`, `random_state` and `n_groups`; see :class:`~sklearn_ap.inference.Interval`.
    confidence_level : float
        The probability that such an interval contains the true value, such as 0.95.
    baseline : str or None
        The name of the model that the others are compared with; None if there is only one model.
    joint : bool
        Whether intervals and p-values hold for all segments at once.
    min_positives : int
        The number of positives below which a segment only has values.
    by : tuple of str
        The names of the columns that define the segments, if the columns have names.
    notes : tuple of Note
        Remarks on the report, the most serious first, each with a `code`, such as "no_rows", and a
        `text`. At most three are printed.

    See Also
    --------
    sklearn_ap.report : Make a report.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> old = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> new = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> table = ap.report(y_true, {"old": old, "new": new})
    >>> table
    Average precision: 4 positives, random 0.623
    model  value    95% interval    diff     95% interval      p  verdict at 95%
    old    0.625  0.058 to 0.966  -0.146  -0.543 to 0.252  0.327  unclear
    new    0.771  0.057 to 0.991                                  baseline
    diff, p and verdict: old against the baseline new, chosen as the best by
    average precision.
    No model is shown to be better than random by average precision.
    With 4 positives, no margin below 0.64 can be shown.
    >>> [row.value for row in table]
    [0.625, 0.771]
    """

    rows: tuple[ReportRow, ...]
    confidence_level: float
    baseline: Any = None
    joint: bool = True
    min_positives: int = 0
    by: tuple[str, ...] = field(default=(), repr=False)
    parts: tuple[MetricResults, ...] = field(default=(), repr=False, compare=False)
    said: tuple[Note, ...] = field(default=(), repr=False, compare=False)  # without `chance`
    is_chosen: bool = field(default=False, repr=False, compare=False)  # by the data

    @property
    def notes(self) -> tuple[Note, ...]:
        """Remarks on the report, the most serious first."""
        upside_down: dict[Any, Note] = {}  # of each model, by the first metric that shows it
        for metric in self._overall:
            for model, interval in metric.intervals.items():
                for note in list_notes_upside_down(metric.name, interval, model):
                    upside_down.setdefault(model, note)
        said = [note for note in self.said if note.code != "adjusted"]  # which stands in the legend
        return sort_notes([*said, *upside_down.values()])

    def _as_dict(self) -> list[dict[str, Any]]:
        of_report = {"version": FORMAT_VERSION, "by": self.by, "notes": self.notes}
        return [row | of_report for row in super()._as_dict()]

    @property
    def _overall(self) -> list[MetricResults]:
        """The parts of all data, one for each metric."""
        return [part for part in self.parts if part.segment is None]

    @property
    def _has_segments(self) -> bool:
        return len(self._overall) < len(self.parts)

    def per_group(self) -> Any:
        """Return the value of each group as a DataFrame (polars if the data is polars).

        It has one row for each group, labeled with its name, and one column for each model and
        metric, or for each metric if there is a single model without a name.
        """
        columns: dict[tuple[Any, str], dict[Any, float]] = {}  # values by model, metric and group
        with warning_once():
            for metric in self._overall:
                for model, interval in metric.intervals.items():
                    assert interval.source is not None
                    instead = "Ask for it before pickling, or call report again."
                    request, sample = interval.source.data.get("per_group", instead)
                    if sample.rankings.is_grouped:
                        by_name = replace(sample.rankings, average=BY_NAME)
                        values = compute_score(request.rule, by_name, request.quiet_zero_division)
                        columns[model, metric.name] = values
        if not columns:
            raise ValueError("per_group needs groups. Pass groups= to report.")
        groups = list(dict.fromkeys(group for values in columns.values() for group in values))
        levels = _split_group_names(groups, sample.group_words)
        is_named = self.parts[0].is_named
        if self._makes_polars():
            return _make_polars_frame(columns, groups, levels, is_named)
        pandas = import_pandas("per_group")
        series = {
            key: pandas.Series([*values.values()], index=pandas.Index(list(values)))
            for key, values in columns.items()
        }
        frame = pandas.concat(series, axis=1, names=["model", "metric"])
        frame.index.names = list(levels)
        return frame if is_named else frame.droplevel("model", axis=1)

    @draws
    def plot(self, ax: Any = None, *, of: str | None = None) -> ReportDisplay:
        """Plot the difference of each model from the baseline, in one panel for each metric.

        The dashed line at 0 is the baseline. A model whose interval lies on one side of it differs
        significantly from the baseline. A report of one model shows its values.

        With `by`, there is a panel for each metric and model, which shows the segments. Days and
        other times are drawn as a line with a band.

        Parameters
        ----------
        ax : matplotlib Axes or array of Axes, default=None
            The axes to plot on, one for each metric, or with `by`, for each metric and model. If
            None, a new figure is created.
        of : {'differences', 'values'}, default=None
            What to plot; by default, the differences if there is a baseline. If the intervals of
            values overlap, the models aren't necessarily equally good. With 'values', the dashed
            line is the value of the baseline, or with `by`, the value of all data.

        Returns
        -------
        display : ReportDisplay
            Its `ax_` and `figure_` are the axes and the figure.
        """
        from . import interval_plots  # which needs matplotlib

        panels = [*self._make_panels(self._choose_plotted(of))]
        names = panels[0].names
        times = self._find_times()
        if ax is None and times:
            ax = interval_plots.make_panels_over_time(len(panels))
        elif ax is None:
            ax = interval_plots.make_panels(len(panels), names, panels[-1].title, panels[-1].labels)
        axes = np.ravel(ax)
        if axes.size != len(panels):
            are_models = self._has_segments and len(self._overall[0].intervals) > 1
            what = "metric and model" if are_models else "metric"
            raise ValueError(
                f"ax must have one Axes for each {what}, so {len(panels)}. Got {axes.size}."
            )
        bars = []
        for axis, panel in zip(axes, panels, strict=True):
            drawing = panel.ends, panel.line, panel.title, panel.labels
            if times:
                bars.append(interval_plots.draw_over_time(axis, times, *drawing))
            else:
                bars.append(interval_plots.draw_intervals(axis, names, *drawing))
        if axes.size == 1:
            return ReportDisplay(self, axes[0], axes[0].figure, bars[0])
        return ReportDisplay(self, axes, axes[0].figure, bars)

    def _choose_plotted(self, of: str | None) -> str:
        """Return what to plot, "differences" or "values"."""
        has_baseline = bool(self._overall[0].pairs)
        if of is None:
            return "differences" if has_baseline else "values"
        if of not in ("differences", "values"):
            raise InvalidParameterError(
                "The 'of' parameter of Report.plot must be a str among {'differences', 'values'} "
                f"or None. Got {of!r} instead."
            )
        if of == "differences" and not has_baseline:
            raise ValueError(
                "of='differences' needs a baseline, but the report compares no models. Pass "
                "several models to report."
            )
        return of

    def _make_panels(self, of: str) -> Iterator[_Panel]:
        """Yield what each panel shows: models, or segments of one model.

        `of` is "values" or "differences".
        """
        has_baseline = self.baseline is not None
        baseline, legends = join_lines(self.baseline), [format_level(self), *self._on_conditions()]
        if of == "differences":
            legends.insert(0, f"difference from {baseline}")
        elif self._has_segments or has_baseline:
            legends.append(f"dashed: {'all data' if self._has_segments else baseline}")
        drawn_segments = self._list_drawn_segments()
        for metric in self._overall:
            if metric.lacks_positives:
                continue
            title = metric.title or metric.name
            if not drawn_segments:
                drawn = metric.select_plotted(of)
                line = drawn[self.baseline][0] if metric.pairs else None
                models = [join_lines(format_name(model)) for model in drawn]
                yield _Panel([title], legends, models, [*drawn.values()], line)
                continue
            for model, interval in metric.intervals.items():
                if of == "differences" and model == self.baseline:
                    continue
                segments = {part.segment: part for part in self._find_segments(metric)}
                names = [self._write_segment_name(name) for name in drawn_segments]
                intervals = [
                    segments[name].select_plotted(of)[model] if name in segments else _NOT_DRAWN
                    for name in drawn_segments
                ]
                line = 0.0 if of == "differences" else interval.value
                named = [join_lines(model)] if metric.is_named else []
                yield _Panel([title, *named], legends, names, intervals, line)

    def _list_drawn_segments(self) -> list[SegmentName]:
        """Return the segments that have enough positives for some metric."""
        parts = [part for part in self.parts if part.segment and not part.has_few_positives]
        if self._has_segments and not parts:
            raise ValueError(
                f"No segment has {self.min_positives:,} positives or more, so there is nothing to "
                "draw. Pass a smaller min_positives to report."
            )
        return [*dict.fromkeys(part.segment for part in parts if part.segment)]

    def _find_times(self) -> list[Any]:
        """Return the segments if they are times, of one column, which a picture shows as a line."""
        if len(self.by) > 1:
            return []
        values = [name.value for name in self._list_drawn_segments()]
        return [_to_time(value) for value in values] if all(map(_is_time, values)) else []

    def _write_segment_name(self, segment: SegmentName | None) -> str:
        """Write the name of a segment, or of all data."""
        return join_lines(write_segment(segment, self.by))

    def _printed(self) -> Printed:
        if self._has_segments:
            header, blocks, said = self._print_segments()
            said += self._describe_all_data()
        else:
            header, said = ["value", format_level(self)], []
            if self._overall[0].is_named:
                header.insert(0, "model")
            blocks = [(*part.heading, [*part.format_cells()]) for part in self._overall]
        if self._compared:
            header += ["diff", format_level(self), "p", format_verdict_column(self)]
        said += [*self._describe_differences(), *self._describe_values()]
        return Printed(header, blocks, lines=said, notes=write_notes(self.notes))

    def _print_segments(
        self,
    ) -> tuple[list[str], list[tuple[str, str, list[list[str]]]], list[str]]:
        """Return the names of the first columns, the rows of each metric, and which segments of
        many are shown.
        """
        first = self._overall[0]
        models = self._compared or [*first.intervals]
        counts = next(iter(first.counts.values()))
        header = ["segment", "positives" if counts.n_groups is None else "groups"]
        header += ["model", "value"] if len(models) > 1 else [join_lines(models[0]) or "value"]
        header.append(join_lines(self.baseline) if self._compared else format_level(self))
        lowest = f"those with the lowest {'differences' if self._compared else 'values'}"
        blocks = []
        for metric in self._overall:
            segments, said = select_segments(self._find_segments(metric), _find_lowest, lowest)
            parts = [metric, *segments]
            rows: list[list[str]] = []
            for part, name in zip(parts, self._name_segments(parts), strict=True):
                rows += part.format_segment_cells(name, len(models) > 1)
            blocks.append((*metric.heading, rows))
        return header, blocks, said

    def _name_segments(self, parts: Sequence[MetricResults]) -> list[str]:
        """Write the names of segments, and of all data: as code if they would look alike."""
        names = [self._write_segment_name(part.segment) for part in parts]
        return [
            name
            if names.count(name) == 1
            else join_lines(write_segment(part.segment, self.by, repr))
            for name, part in zip(names, parts, strict=True)
        ]

    @property
    def _compared(self) -> list[Any]:
        """The models that are compared with the baseline."""
        return [*self._overall[0].pairs]

    def _describe_all_data(self) -> list[str]:
        """Say how segments are ranked in the row of all data, unless groups are ranked apart."""
        counts = next(iter(self._overall[0].counts.values()))
        return ["All data: segments ranked together."] if counts.n_groups is None else []

    def _describe_differences(self) -> list[str]:
        """Say which models are compared, for what intervals and verdicts hold, and the margins."""
        first, compared, said = self._overall[0], self._compared, []
        if compared:
            chosen_by = lower_first(join_lines(first.name)) if self.is_chosen else ""
            said.append(describe_baseline(compared, self.baseline, chosen_by))
        # Without an interval nothing is adjusted.
        has_intervals = not all(part.reason for part in self._overall)
        if has_intervals and not self._has_segments:
            family = count_differences(1 + len(compared), self.is_chosen)
            said += describe_family(family, len(compared), self.joint)
        said += [note.text for note in self.said if note.code == "adjusted"]
        if any(part.has_few_positives for part in self.parts):
            said.append(f"Few positives: fewer than {self.min_positives:,}.")
        margins = {part.name: part.margin for part in self._overall}
        ends = None
        if len(compared) == 1 and len(self.parts) == 1:
            [pair] = first.pairs.values()
            ends = format_ends(pair.margin_low, pair.margin_high, pair.places)
        return said + describe_margins(margins, ends)

    def _describe_values(self) -> list[str]:
        """Say by which metrics the best of the models isn't shown to be better than random."""
        by = [
            lower_first(join_lines(metric.name))
            for metric in self._overall
            if self.is_chosen and all(map(metric.can_be_random, metric.intervals))
        ]
        return [f"No model is shown to be better than random by {list_names(by)}."] if by else []

    def _find_segments(self, metric: MetricResults) -> list[MetricResults]:
        """Return the results for this metric in each segment, from those for all data."""
        return [part for part in self.parts if part.name == metric.name and part is not metric]


@dataclass(frozen=True, eq=False)
class ReportDisplay:
    """Picture of a report, as :meth:`Report.plot` draws it.

    Attributes
    ----------
    report : Report
        The report.
    ax_ : matplotlib Axes or array of Axes
        The axes, one for each metric.
    figure_ : matplotlib Figure
        The figure that contains the axes.
    errorbar_ : matplotlib ErrorbarContainer or list of ErrorbarContainer
        The values of all models with their intervals, for each metric.

    See Also
    --------
    Report.plot : Draw a report.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [0, 1, 1, 0, 1]
    >>> scores = {"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5]}
    >>> display = ap.report(y_true, scores, baseline="a").plot()
    >>> len(display.figure_.axes)
    1
    """

    report: Report
    ax_: Any
    figure_: Any
    errorbar_: Any


def _split_group_names(groups: list[Any], words: str) -> dict[str, list[Any]]:
    """Return the names of groups, or for tuples each of their parts by the name of its column.

    `words` are those of the sample, such as "groups (user, day)" if these columns name the groups.
    """
    size = len(groups[0]) if isinstance(groups[0], tuple) else 0
    if size < 2 or any(not isinstance(group, tuple) or len(group) != size for group in groups):
        return {"group": groups}
    names = re.sub(r"^groups \(|\)$", "", words).split(", ")
    if len(names) != size:  # a column without a name, or one whose name contains ", "
        names = [f"group {i + 1}" for i in range(size)]
    return {name: [group[i] for group in groups] for i, name in enumerate(names)}


def _make_polars_frame(
    columns: Mapping[tuple[Any, str], Mapping[Any, float]],
    groups: Sequence[Any],
    levels: Mapping[str, list[Any]],
    is_named: bool,
) -> Any:
    """Return a DataFrame of the names of groups and their values, by model and metric. A group that
    a model lacks has null.
    """
    table: dict[str, Any] = {}
    for name, names in levels.items():
        is_time = isinstance(names[0], np.datetime64 | np.timedelta64)
        table[name] = np.array(names) if is_time else unify_types(names)
    for (model, metric), values in columns.items():
        title = f"{model}, {metric}" if is_named else metric
        table[title] = [values.get(group) for group in groups]
    return import_module("polars").DataFrame(table)


_NOT_DRAWN = np.nan, np.nan, np.nan  # a value and the ends of its interval


def _is_time(name: Any) -> bool:
    return isinstance(name, date | np.datetime64) or hasattr(name, "to_timestamp")


def _to_time(name: Any) -> Any:
    """Convert a period of pandas to its start, which Matplotlib can draw."""
    return name.to_timestamp() if hasattr(name, "to_timestamp") else name


def _find_lowest(segment: MetricResults) -> float:
    """Return the lowest difference, or value, to sort by; undefined ones and few positives are
    last.
    """
    if segment.has_few_positives:
        return np.inf
    values = [each.difference for each in segment.pairs.values()]
    values = values or [interval.value for interval in segment.intervals.values()]
    return min((value for value in values if value == value), default=np.inf)


# Users import the results from where the function is that returns them.
for _result in (Report, ReportDisplay):
    _result.__module__ = "sklearn_ap.reports"
