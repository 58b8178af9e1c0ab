"""Tables that evaluate several models by several metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public, read_samples
from .._enter.metric import Metric, check_mean_has_groups
from .._evaluate.value import score
from .._infer.comparing import Claims
from .._infer.intervals import Comparison, Interval, note_upside_down, printed_at_random
from .._infer.requests import IntervalRequest, check_margin, seed_of
from .._infer.sentences import in_sentence, listed, said_of_segments, sentences_on_verdicts
from .._inputs.records import Average, Label, NPositives, OwnLabels, Unread, ZeroDivision
from .._read.group_names import counts_grades
from .._read.sampling_units import Sample, count_positives, names_of_columns
from .._read.segments import SegmentName, write_segment
from .._read.tables import are_tables, check_baseline, conditions_of, read_models
from .._show.figures import draws
from .._show.progress import step
from .._show.results import (
    VERSION,
    Note,
    Printed,
    Table,
    Value,
    cells_of_difference,
    ends,
    import_pandas,
    legend,
    level_of,
    most_serious,
    of_one_type,
    one_line,
    printed_notes,
    printed_segments,
    resting_on,
    words_of,
)
from .._words.errors import InvalidParameterError
from .._words.messages import count_of, warning_once
from .._words.names import leveled
from .._words.parameters import (
    check_rule,
    is_mapping,
    shown,
    text_of,
)
from .._words.refusals import about
from ..core.rankings import BY_NAME, Rankings
from ..core.ranks import place_of_best
from ..core.rules import Graded, OfGroup, Rule
from ..metrics import metric_of
from .evaluation import NO_POSITIVES, Evaluated, evaluate, evaluate_apart
from .segment_results import SegmentSamples, evaluate_segments, read_segment_samples

__all__ = ["Report", "ReportDisplay", "report"]

AnyMetric = str | Metric
# These are AnyMetric, but type checkers infer that a list with both kinds contains objects.
AnyMetrics = AnyMetric | Sequence[Any] | Mapping[str, Any]
_MOST_COUNTED = 6  # models whose documents are counted one by one


@dataclass(frozen=True, eq=False)
class ReportRow(Value):
    """The result for one model and one metric."""

    model: str
    metric: str
    segment: Any  # the value that its rows have in common; None for all data
    segment_column: str | None  # in which they have it; None for all data, or without a name
    value: float
    low: float
    high: float
    difference: float = np.nan  # from the baseline, which itself has 0 and no interval
    difference_low: float = np.nan
    difference_high: float = np.nan
    pvalue: float = np.nan  # adjusted for the number of models
    verdict: str | None = None  # on the model; the baseline has none
    n_samples: int = 0
    n_positives: int = 0
    margin: float | None = None  # the smallest difference that matters
    method: str = ""
    basis: str = ""
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    interval: Interval | None = field(default=None, repr=False, compare=False)

    @property
    def chance(self) -> float:
        """The mean value of random rankings of the same rows."""
        return np.nan if self.interval is None else self.interval.chance

    def _as_dict(self) -> Any:
        return super()._as_dict() | {"chance": self.chance}


class _CountsOfRows(NamedTuple):
    n_samples: int
    n_positives: int
    n_groups: int | None  # None without groups

    @property
    def n_shown(self) -> int:
        """What the table says of how much there is: groups, or without groups, positives."""
        return self.n_positives if self.n_groups is None else self.n_groups


@dataclass(frozen=True, kw_only=True)
class _MetricResults(Evaluated):
    """What a report says by one metric, of all data or of a segment.

    Nothing is compared if there is only one model.
    """

    name: str  # of the metric
    counts: dict[Any, _CountsOfRows]  # of each model
    segment: SegmentName | None = None  # None for all data

    @property
    def is_named(self) -> bool:
        """Whether models have names, unlike a single one whose scores have none."""
        return [*self.intervals] != [""]

    def said(self) -> Iterator[Note]:
        """Yield the notes of the intervals, of the differences, and on why there are none."""
        for interval in self.intervals.values():
            yield from interval.said
        for pair in self.pairs.values():
            yield from pair.notes
        if self.reason:
            yield Note("no_interval", self.reason)

    @property
    def how(self) -> dict[str, Any]:
        """How the results were computed: as the differences, if there are any."""
        interval = next(iter(self.intervals.values()))
        result: Interval | Comparison = next(iter(self.pairs.values()), interval)
        return {
            "method": result.method,
            "basis": interval.basis,
            "n_resamples": result.n_resamples,
            "random_state": result.random_state,
            "n_groups": interval.n_groups,
        }

    @property
    def basis(self) -> str:
        how = self.how
        basis = how["basis"] if self.reason else resting_on(how["method"], how["basis"])
        return basis + printed_at_random(self.intervals.values())

    @property
    def first(self) -> str:
        """Say that no model has a higher value than the baseline, if that is so; or else nothing.

        There have to be pairs.
        """
        is_greater_better = all(pair.greater_is_better for pair in self.pairs.values())
        sign, word = (1, "highest") if is_greater_better else (-1, "lowest")
        # That of the baseline comes first, so place 0 is the best one even if others are equal.
        intervals = [self.intervals[self.baseline], *self.intervals.values()]
        values = np.array([interval.value for interval in intervals])
        if place_of_best(sign * values) != 0:
            return ""
        return f"{one_line(self.baseline)} has the {word} {in_sentence(one_line(self.name))}"

    def may_be_random(self, model: Any) -> bool:
        """Whether the interval of a model isn't above random rankings."""
        interval = self.intervals[model]
        random = interval.at_random
        return random.has_all and bool(interval.low <= random.near(interval.low))

    @property
    def margin(self) -> float | None:
        """The smallest difference that matters."""
        return next((pair.margin for pair in self.pairs.values()), None)

    def rows(self) -> Iterator[ReportRow]:
        """Yield the row of each model. Without pairs, there is no difference."""
        for model, interval in self.intervals.items():
            pair = self.pairs.get(model)
            counts = self.counts[model]
            fields = self.how | {"margin": self.margin, "interval": interval}
            fields |= {"n_samples": counts.n_samples, "n_positives": counts.n_positives}
            if pair is not None:
                fields |= {"difference": pair.difference, "pvalue": pair.pvalue}
                fields |= {"difference_low": pair.low, "difference_high": pair.high}
                fields["verdict"] = pair.verdict
            elif self.pairs:  # the baseline, whose difference is nan if it has no value
                fields["difference"] = interval.value - interval.value
            segment, column = (None, None) if self.segment is None else self.segment
            yield ReportRow(model, self.name, segment, column, *interval, **fields)

    def plotted(self, of: str) -> dict[Any, tuple[float, float, float]]:
        """Return the value of each model, or its difference from the baseline, as the value, the
        low and the high end of its interval. `of` is "values" or "differences".
        """
        if of == "values":
            return {row.model: (row.value, row.low, row.high) for row in self.rows()}
        return {
            row.model: (row.difference, row.difference_low, row.difference_high)
            for row in self.rows()
        }

    def cells(self, has_verdicts: bool) -> Iterator[Sequence[str]]:
        """Yield the cells of each model. If some metric of the report `has_verdicts`, all metrics
        have a cell for them.
        """
        for row in self.rows():
            places, is_baseline = self.intervals[row.model].places, row.model == self.baseline
            limits = ends(row.low, row.high, places)
            if self.reason == NO_POSITIVES:
                limits = self.reason
            cells = [f"{row.value:z.{places}f}", limits]
            if self.is_named:
                cells.insert(0, one_line(row.model))
            if self.pairs:
                cells += cells_of_difference(self.pairs.get(row.model), is_baseline, places)
            if has_verdicts:
                cells.append("" if self.margin is None else row.verdict or "")
            yield cells

    def cells_of_segment(
        self, name: str, n_columns: int, has_verdicts: bool
    ) -> Iterator[Sequence[str]]:
        """Yield the cells of each model, after the name of the segment and how much it has: groups,
        or without groups, positives. The name stands in the first row, and the count only there if
        all models have the same.
        """
        counts = [of_model.n_shown for of_model in self.counts.values()]
        for cells, count in zip(self.cells(has_verdicts), counts, strict=True):
            number = f"{count:,}" if name or len(set(counts)) > 1 else ""
            yield [name, number, *cells, *[""] * (n_columns - 2 - len(cells))]
            name = ""


class _Panel(NamedTuple):
    """What a panel of a picture shows."""

    labels: Sequence[str]  # the metric, and what else the values and the line are
    names: Sequence[str]  # of models or segments
    ends: Sequence[tuple[float, float, float]]  # values, or differences, with their intervals
    line: float | None  # the baseline, or all data


@dataclass(frozen=True, eq=False, repr=False)
class Report(Table):
    """Result of :func:`~sklearn_ap.report`, with one row for each metric and model.

    It prints as a table, and `plot` draws it. With groups, `per_group` lists the value of each
    group.

    Attributes
    ----------
    rows : tuple
        One row for each metric, segment and model, with the attributes `model`, `metric`,
        `segment`, `segment_column`, `value`, `low`, `high`, `difference`, `difference_low`,
        `difference_high`, `pvalue`, `verdict`, `n_samples`, `n_positives` and `chance`, which is
        the mean value of random rankings. The segment is a value of the column that
        `segment_column` names, and None for all data. The difference is the model's value minus the
        baseline's. The verdict says what the interval of the difference shows; see
        :class:`~sklearn_ap.inference.Comparison`. `n_positives` counts all existing positives,
        found or not. A single model whose prediction scores have no name is called "". Each row
        also says how it was computed, as `margin`, `method`, `basis`, `n_resamples`, `random_state`
        and `n_groups`; see :class:`~sklearn_ap.inference.Interval`.
    confidence_level : float
        The probability that such an interval contains the true value, such as 0.95.
    baseline : str or None
        The name of the model that the others are compared with; None if there is only one model.
    joint : bool
        Whether intervals and p-values hold for all segments at once.
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
      model  value  95% interval    difference  95% interval     p
    Average precision (4 positives; random: 0.623)
      old    0.625  0.001 to 0.966  -0.146      -0.958 to 0.666  0.327
      new    0.771  0.000 to 0.991  baseline
    This rests on 4 positives. With fewer than 6, intervals are wide, and few
    differences are significant.
    No model is shown to be better than a random ranking by average precision.
    >>> [row.value for row in table]
    [0.625, 0.771]
    """

    rows: tuple[ReportRow, ...]
    confidence_level: float
    baseline: Any = None
    joint: bool = True
    by: tuple[str, ...] = field(default=(), repr=False)
    parts: tuple[_MetricResults, ...] = field(default=(), repr=False, compare=False)
    said: tuple[Note, ...] = field(default=(), repr=False, compare=False)  # without `chance`
    is_chosen: bool = field(default=False, repr=False, compare=False)  # by the data

    @property
    def notes(self) -> tuple[Note, ...]:
        """Remarks on the report, the most serious first."""
        upside_down: dict[Any, Note] = {}  # of each model, by the first metric that shows it
        for metric in self._of_all:
            for model, interval in metric.intervals.items():
                note = note_upside_down(metric.name, interval, model)
                if note is not None:
                    upside_down.setdefault(model, note)
        said = [note for note in self.said if note.code != "adjusted"]  # which stands in the legend
        return most_serious([*said, *upside_down.values()])

    def _as_dict(self) -> list[dict[str, Any]]:
        of_report = {"version": VERSION, "by": self.by, "notes": self.notes}
        return [row | of_report for row in super()._as_dict()]

    @property
    def _of_all(self) -> list[_MetricResults]:
        """The parts of all data, one for each metric."""
        return [part for part in self.parts if part.segment is None]

    @property
    def _by_segment(self) -> bool:
        return len(self._of_all) < len(self.parts)

    def per_group(self) -> Any:
        """Return the value of each group as a DataFrame (polars if the data is polars).

        It has one row for each group, labeled with its name, and one column for each model and
        metric, or for each metric if there is a single model without a name.
        """
        columns: dict[tuple[Any, str], dict[Any, float]] = {}  # values by model, metric and group
        with warning_once():
            for metric in self._of_all:
                for model, interval in metric.intervals.items():
                    assert interval.source is not None
                    instead = "Ask for it before pickling, or call report again."
                    request, sample = interval.source.data.get("per_group", instead)
                    if sample.rankings.is_grouped:
                        by_name = replace(sample.rankings, average=BY_NAME)
                        columns[model, metric.name] = score(request.rule, by_name, request.quietly)
        if not columns:
            raise ValueError("per_group needs groups. Pass groups= to report.")
        groups = list(dict.fromkeys(group for values in columns.values() for group in values))
        levels = _named_levels(groups, sample.group_words)
        is_named = self.parts[0].is_named
        if self._makes_polars():
            return _as_polars(columns, groups, levels, is_named)
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
        from .._show import plots  # which needs matplotlib

        panels = [*self._panels(self._plotted(of))]
        names = panels[0].names
        times = self._times()
        if ax is None and times:
            ax = plots.panels_over_time(len(panels))
        elif ax is None:
            ax = plots.panels(len(panels), names, panels[-1].labels)
        axes = np.ravel(ax)
        if axes.size != len(panels):
            are_models = self._by_segment and len(self._of_all[0].intervals) > 1
            what = "metric and model" if are_models else "metric"
            raise ValueError(
                f"ax must have one Axes for each {what}, so {len(panels)}. Got {axes.size}."
            )
        bars = []
        for axis, panel in zip(axes, panels, strict=True):
            drawing = panel.ends, panel.line, panel.labels
            if times:
                bars.append(plots.draw_over_time(axis, times, *drawing))
            else:
                bars.append(plots.draw_intervals(axis, names, *drawing))
        if axes.size == 1:
            return ReportDisplay(self, axes[0], axes[0].figure, bars[0])
        return ReportDisplay(self, axes, axes[0].figure, bars)

    def _plotted(self, of: str | None) -> str:
        """Return what to plot, "differences" or "values"."""
        has_baseline = bool(self._of_all[0].pairs)
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

    def _panels(self, of: str) -> Iterator[_Panel]:
        """Yield what each panel shows: models, or segments of one model.

        `of` is "values" or "differences".
        """
        has_baseline = self.baseline is not None
        baseline, legends = one_line(self.baseline), [level_of(self), *self._on_conditions()]
        if of == "differences":
            legends.insert(0, f"difference from {baseline}")
        elif self._by_segment or has_baseline:
            legends.append(f"dashed: {'all data' if self._by_segment else baseline}")
        for metric in self._of_all:
            segments = self._segments_of(metric)
            if not segments:
                drawn = metric.plotted(of)
                line = drawn[self.baseline][0] if metric.pairs else None
                models = [one_line(text_of(model)) for model in drawn]
                yield _Panel([metric.name, *legends], models, [*drawn.values()], line)
                continue
            for model, interval in metric.intervals.items():
                if of == "differences" and model == self.baseline:
                    continue
                names = [self._name_of(segment) for segment in segments]
                intervals = [segment.plotted(of)[model] for segment in segments]
                line = 0.0 if of == "differences" else interval.value
                named = [one_line(model)] if metric.is_named else []
                yield _Panel([metric.name, *named, *legends], names, intervals, line)

    def _times(self) -> list[Any]:
        """Return the segments if they are times, of one column, which a picture shows as a line."""
        if len(self.by) > 1:
            return []
        segments = self._segments_of(self._of_all[0])
        values = [part.segment.value for part in segments if part.segment is not None]
        return [_as_time(value) for value in values] if all(map(_is_time, values)) else []

    def _name_of(self, part: _MetricResults) -> str:
        """Write the name of a segment, or of all data."""
        return one_line(write_segment(part.segment, self.by))

    def _printed(self) -> Printed:
        first = self._of_all[0]
        header = ["model"] if first.is_named else []
        header += ["value", level_of(self)]
        if first.pairs:
            header += ["difference", level_of(self), "p"]
        has_verdicts = any(part.margin is not None for part in self.parts)
        header += ["verdict"] * has_verdicts
        notes = [*self._legends(), *printed_notes(self.notes), *self._compared()]
        if self._by_segment:
            counts = next(iter(first.counts.values()))
            header = ["segment", "positives" if counts.n_groups is None else "groups", *header]
            segments, said = self._printed_segments(header, has_verdicts)
            return Printed(header, segments, notes=[*said, *notes])
        metrics = [
            (one_line(metric.name), metric.basis, [*metric.cells(has_verdicts)])
            for metric in self.parts
        ]
        return Printed(header, metrics, notes=notes)

    def _legends(self) -> list[str]:
        """Say what the baseline is if the table leaves that open, and for what all intervals and
        verdicts hold.
        """
        first, *besides = self._of_all
        n_models = 1 + len(first.pairs)
        ranks_first = ""
        if self.is_chosen:
            ranks_first = f", which ranks first by {in_sentence(one_line(first.name))}"
        by_data_of_several = self.is_chosen and (bool(besides) or self._by_segment)
        named = ""
        if n_models > 2 or by_data_of_several:
            named = f"The baseline is {one_line(self.baseline)}{ranks_first}."
        # Segments are adjusted in a sentence of their own, and without tests nothing is.
        is_adjusted = not self._by_segment and not any(part.reason for part in self.parts)
        margins = {part.name: part.margin for part in self.parts if part.margin is not None}
        legends = legend(n_models if is_adjusted else 1, self.joint, margins, named)
        return [*legends, *(note.text for note in self.said if note.code == "adjusted")]

    def _compared(self) -> list[str]:
        """Say what the verdicts on models are, in all data and in segments.

        If the data chose the baseline, metrics by which no model is shown to be better than a
        random ranking say only that.
        """
        metrics = {part.name: part for part in self._of_all if part.pairs and not part.reason}
        first: dict[str, str] = {}  # says by which metrics the baseline has the highest value
        unshown: list[str] = []
        for name, metric in metrics.items():
            if self.is_chosen and metric.first:
                # Pickled results don't know it (None), so they say neither.
                may_be_random = {model: metric.may_be_random(model) for model in metric.intervals}
                if all(may_be_random.values()):
                    unshown.append(name)
                elif not may_be_random[self.baseline]:
                    first[name] = metric.first
        verdicts = {
            name: {model: pair.verdict for model, pair in metric.pairs.items()}
            for name, metric in metrics.items()
            if name not in unshown
        }
        where = " in all data" if self._by_segment else ""
        said = []
        if verdicts:
            said += sentences_on_verdicts(verdicts, self.baseline, where, self._family(), first)
        for name in verdicts:
            if words := self._said_of_segments(metrics[name]):
                compared = f"Compared with {one_line(self.baseline)} in segments by "
                said.append(f"{compared}{in_sentence(one_line(name))}: {words}.")
        if unshown:
            by = listed([in_sentence(one_line(name)) for name in unshown])
            words = "No model is shown to be better than a random ranking"
            said.append(f"{words}{where} by {by}.")
        return said

    def _family(self) -> str:
        """Say for how many differences at once verdicts in all data hold, if there are several."""
        n_models = len(self._of_all[0].intervals)
        if n_models < 3:
            return ""
        if not self.joint:
            return ", one by one"
        return ", all pairs at once" if self.is_chosen else f", all {n_models} models at once"

    def _said_of_segments(self, metric: _MetricResults) -> str:
        """Say in which segments models are better or worse than the baseline, or can't be told
        apart from it; empty without segments.
        """
        of_models: dict[Any, dict[str, list[str]]] = {}  # the segments of each model and verdict
        for segment in self._segments_of(metric):
            for model, pair in segment.pairs.items():
                name = self._name_of(segment)
                of_models.setdefault(model, {}).setdefault(pair.verdict, []).append(name)
        return "; ".join(
            f"{one_line(model)} {said_of_segments(verdicts)}"
            for model, verdicts in of_models.items()
        )

    def _printed_segments(
        self, header: Sequence[str], has_verdicts: bool
    ) -> tuple[list[tuple[str, str, list[Sequence[str]]]], list[str]]:
        """Return the heading, the basis and the cells of each metric, and say which segments are
        printed, if some are left out. These are as many for each metric.
        """
        metrics = []
        said: list[str] = []
        for metric in self._of_all:
            segments, said = printed_segments(
                self._segments_of(metric),
                lambda segment: _least([*segment.pairs.values()]),
                "those with the lowest differences",
            )
            cells: list[Sequence[str]] = []
            for part in (metric, *segments):
                cells += part.cells_of_segment(self._name_of(part), len(header), has_verdicts)
            metrics.append((one_line(metric.name), metric.basis, cells))
        return metrics, said

    def _segments_of(self, metric: _MetricResults) -> list[_MetricResults]:
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


@public(warns_once=True)
def report(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    metrics: AnyMetrics = "average_precision",
    baseline: str | None = None,
    margin: float | Mapping[Any, float] | None = None,
    by: Any = None,
    joint: bool = True,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Report:
    """Evaluate models by several metrics, and compare them with a baseline, in one table.

    Each value comes with the interval of :func:`confidence_interval`, and each model other than the
    baseline with the difference that :func:`compare` computes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : mapping, or array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        The prediction scores of a model, or a mapping from model names to prediction scores. With
        `data`, a column, a list of columns or a mapping from models to columns.
    metrics : str, Metric, list or mapping, default="average_precision"
        The metrics to report: names, such as "P@1%", and objects made by :func:`metric`. Pass a
        mapping to choose what the table calls them.
    baseline : str, default=None
        The model to compare the others with. Differences and p-values are adjusted, so that all
        comparisons by a metric hold at once. If None, it is the best model by the first metric, and
        the adjustment is for all pairs of models.
    margin : float or mapping, default=None
        The smallest difference that matters to you, or a mapping from metrics to such differences.
        The table then has a verdict on each model; see :func:`compare`.
    by : array-like of shape (n_samples,) or mapping, default=None
        The segments: parts of the rows, such as countries or days, that get values of their own.
        Several columns, as in ``by=["sex", "age"]``, make segments one after the other; for crossed
        ones, make a column of both. With `groups`, you can pass a dict or a Series that maps each
        group to its segment.
    joint : bool, default=True
        With `by`, whether intervals and p-values hold for all segments and models at once. Pass
        False if you had one segment and model in mind from the start.
    confidence_level : float, default=0.95
        The proportion of such intervals that should contain the true value.
    method : {'auto', 'influence', 'bootstrap'}, default='auto'
        As in :func:`compare`.
    n_resamples : int, default=None
        The number of resamples; see :func:`compare`.
    random_state : int, Generator, RandomState instance or None, default=None
        Pass an int to get the same report each time.
    verbose : int, default=0
        If 1, progress is printed to standard error.
    average
        As in :func:`average_precision_score`. With 'samples', the rows are the sampling units. With
        None, each class has its own rows.
    pos_label, sample_weight, zero_division, classes
        As in :func:`confidence_interval`.
    n_positives
        As in :func:`confidence_interval`. With `by`, pass a mapping.
    groups, clusters, min_grade
        As in :func:`confidence_interval`.
    data
        As in :func:`confidence_interval`. Or a mapping from models to tables of
        :mod:`sklearn_ap.readers`.

    Returns
    -------
    report : Report
        It prints as a table. Its `rows` contain the results, and `to_dict`, `to_frame`, and
        `to_markdown` convert them. With groups, `per_group` returns the value of
        each group.

    Raises
    ------
    ValueError
        If there are no positives, or fewer than two sampling units.

    See Also
    --------
    metric : Combine a metric with its options.
    compare : Compare models by one metric.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> payments = ap.datasets.load_payments()
    >>> ap.report(
    ...     "fraud", ["model_a", "model_b"], baseline="model_a", data=payments
    ... )
      model    value  95% interval    difference  95% interval    p
    Average precision (395 positives; random: 0.020)
      model_a  0.432  0.380 to 0.484  baseline
      model_b  0.512  0.461 to 0.561  +0.080      0.041 to 0.122  < 0.001
    Compared with model_a by average precision: model_b is significantly
    better.
    """
    models = read_models("report", "y_score", y_score, data)
    check_baseline(models, baseline)
    names = _names_by_conditions(models, data)
    are_apart = [*names] != [*names.values()]
    if are_apart:
        models = {names[model]: models[model] for model in names}
        data = {names[model]: data[model] for model in names}
    if margin is not None and len(models) == 1:
        raise ValueError(
            "margin is the smallest difference that matters, but a report of one model has no "
            "differences. Pass several models."
        )
    seed = seed_of(random_state)
    unread = Unread(  # written by docs/_write/parameters.py
        y_true, models, average=average, pos_label=pos_label, sample_weight=sample_weight,
        zero_division=zero_division, classes=classes, n_positives=n_positives, groups=groups,
        clusters=clusters, min_grade=min_grade, data=data, caller="report",
    )  # fmt: skip
    if by is not None:
        unread = unread._replace(besides={"by": by})
    by_name = _metrics_by_name(metrics)
    margins = _margins(margin, by_name)
    is_chosen = baseline is None and len(models) > 1 and not are_apart
    questions = []
    known: dict[Any, Any] = {}  # columns, which metrics may need in different ways
    for number, (name, metric) in enumerate(by_name.items(), 1):
        place = f"metric {number} of {len(by_name)}"
        of_metric = unread._replace(known=known, **metric.of_data)
        request = IntervalRequest(metric.rule, method, n_resamples, seed, of_metric.zero_division)
        claims = Claims(confidence_level, margins[name], joint, is_chosen)
        questions.append(_Question(name, place, metric, of_metric, request, claims, are_apart))
    return _put_together(_answers(questions, baseline), unread, claims)


def _names_by_conditions(models: Iterable[Any], data: Any) -> dict[Any, Any]:
    """Return the name of each model, with the conditions under which its table was read, if those
    of all tables differ.
    """
    if not are_tables(data):
        return {model: model for model in models}
    names, common = {}, conditions_of({"data": data})
    for model in models:
        of_model = conditions_of({"data": data}, model)
        own = words_of({name: of_model[name] for name in of_model if name not in common})
        names[model] = f"{model} ({own})" if own else model
    return names


class _Question(NamedTuple):
    """What a report is asked by one metric."""

    name: str  # what the table calls the metric
    place: str  # of the metric among all, to show progress
    metric: Metric
    unread: Unread  # with the options of the metric
    request: IntervalRequest
    claims: Claims
    are_apart: bool  # whether tables were read differently, so that models can't be compared

    def checked(self) -> IntervalRequest:
        """Check the metric, and return the request with a rule for these data."""
        metric, unread = self.metric, self.unread
        check_mean_has_groups(metric.definition, metric.grouped, unread.groups is not None)
        rule = check_rule(metric.rule)
        check_margin(rule, self.claims.margin)
        return self.request._replace(rule=rule)


class _Answer(NamedTuple):
    """What a report says by one metric, with average=None about one class."""

    about: tuple[str, str]  # the metric and the class ("" without classes), for notes
    read: _Read
    whole: _MetricResults  # of all data
    segments: list[_MetricResults]
    notes: list[Note]


def _answers(questions: Sequence[_Question], baseline: Any) -> list[_Answer]:
    """Evaluate all metrics, and of each with average=None, all classes. The baseline is None if
    the caller didn't choose one.
    """
    reader = _Reader()
    answers: list[_Answer] = []
    for question in questions:
        request = question.checked()
        for label, read in reader.read_classes(request.rule, question.unread):
            answers.append(_answer(question, request, label, read, baseline))
            # The first metric chooses the baseline, if the caller didn't.
            baseline = answers[-1].whole.baseline
    return answers


def _answer(
    question: _Question, request: IntervalRequest, label: str, read: _Read, baseline: Any
) -> _Answer:
    """Evaluate the models by one metric: in all data, and in each segment."""
    title = f"{question.name}, {label}" if label else question.name
    if "min_grade" not in question.metric.options:
        title = leveled(title, request.rule, next(iter(read.samples.values())).min_grade)
    claims = question.claims
    progress = f"{question.place}, {title}"
    with step(progress):
        if question.are_apart:
            of_all = evaluate_apart(request, read.samples, claims)
        else:
            of_all = evaluate(request, read.samples, baseline, claims)
    whole = _MetricResults(**vars(of_all), name=title, counts=_counts(read.samples))
    notes = [*whole.said()]
    segments: list[_MetricResults] = []
    if read.segmented is not None:
        with step(f"{progress}, segments"):
            evaluated, on_segments = evaluate_segments(
                request, read.segmented, whole.baseline, claims
            )
        notes += [*read.segmented.notes(request.rule), *on_segments]
        for segment, of_segment in evaluated.items():
            counts = _counts(read.segmented.samples[segment])
            results = _MetricResults(**vars(of_segment), name=title, counts=counts, segment=segment)
            segments.append(results)
    return _Answer((question.name, label), read, whole, segments, notes)


def _put_together(answers: Sequence[_Answer], unread: Unread, claims: Claims) -> Report:
    """Make a report of its answers. All of them claim the same but for their margins."""
    last, notes = answers[-1], _notes_of(answers)
    if counts_grades(unread.n_positives):
        items = "documents" if isinstance(unread.y_true, OwnLabels) else "items"
        notes.append(_on_documents(unread.n_positives, last.read.samples, items))
    parts = tuple(part for answer in answers for part in (answer.whole, *answer.segments))
    return Report(
        rows=tuple(row for part in parts for row in part.rows()),
        confidence_level=float(claims.level),
        baseline=last.whole.baseline,
        joint=claims.joint,
        by=() if last.read.segmented is None else last.read.segmented.segments.columns,
        parts=parts,
        said=most_serious(notes),
        is_chosen=claims.is_chosen,
    )


def _notes_of(answers: Sequence[_Answer]) -> list[Note]:
    """Return each note once, with the metrics and classes that it is about."""
    where_of: dict[Note, list[tuple[str, str]]] = {}
    for answer in answers:
        for note in dict.fromkeys(answer.notes):
            where_of.setdefault(note, []).append(answer.about)
    everywhere = [answer.about for answer in answers]
    return [_note_about(note, where, everywhere) for note, where in where_of.items()]


def _metrics_by_name(metrics: Any) -> dict[str, Metric]:
    """Map what the table calls each metric to the metric."""
    if isinstance(metrics, AnyMetric):
        metrics = [metrics]
    if not isinstance(metrics, Mapping | list | tuple) or not metrics:
        raise InvalidParameterError(
            "The 'metrics' parameter of report must be a metric, a list of them, or a mapping from "
            f"names to them. Got {shown(metrics)} instead."
        )
    by_name: dict[str, Metric] = {}
    called = metrics.items() if isinstance(metrics, Mapping) else [(None, key) for key in metrics]
    for own_name, key in called:
        metric = key
        if not isinstance(key, Metric):
            metric = metric_of(key, {}, "report", "metrics")
        name = metric.name if own_name is None else str(own_name)
        if name in by_name:
            raise ValueError(
                f"Two metrics are called {name!r}. Leave one out, or pass metrics as a mapping "
                "from names that you choose to metrics."
            )
        by_name[name] = metric
    return by_name


def _margins(margin: Any, by_name: Mapping[str, Metric]) -> dict[str, float | None]:
    """Return the margin of each metric, from one for all, or a mapping from metrics to margins.

    `by_name` has the metrics by what the table calls them, which the mapping can use, too.
    """
    if not is_mapping(margin):
        return dict.fromkeys(by_name, margin)
    margins: dict[str, float | None] = dict.fromkeys(by_name)
    for key, size in margin.items():
        if isinstance(key, str) and key in by_name:
            names = [key]
        else:
            metric = key
            if not isinstance(key, Metric):
                metric = metric_of(key, {}, "report", "margin")
            names = [name for name in by_name if _are_same_metric(by_name[name], metric)]
        if not names:
            raise InvalidParameterError(
                f"margin has a number for {shown(getattr(key, 'definition', key))}, which is none "
                f"of the metrics. These are {list(by_name)}."
            )
        margins |= dict.fromkeys(names, float(size))
    return margins


def _are_same_metric(one: Metric, other: Metric) -> bool:
    return one is other or (one.rule == other.rule and one.all_options == other.all_options)


def _named_levels(groups: list[Any], words: str) -> dict[str, list[Any]]:
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


def _as_polars(
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
        table[name] = np.array(names) if is_time else of_one_type(names)
    for (model, metric), values in columns.items():
        title = f"{model}, {metric}" if is_named else metric
        table[title] = [values.get(group) for group in groups]
    return import_module("polars").DataFrame(table)


class _Read(NamedTuple):
    """What was read: the samples of all models, and their segments."""

    samples: dict[Any, Sample]
    segmented: SegmentSamples | None = None

    def of_class(self, place: int, label: str) -> _Read:
        """Return what was read of a single class, whose columns are at this place."""
        samples = {model: sample.of_class(place) for model, sample in self.samples.items()}
        segmented = None if self.segmented is None else self.segmented.of_class(place, label)
        return _Read(samples, segmented)


def _reading_of(rule: Rule, unread: Unread) -> tuple[Any, ...]:
    """Return all that decides what is read for a metric, and what is refused."""
    is_weighted = unread.sample_weight is not None
    decides = (rule.ties, rule.takes_weights) if is_weighted else ()
    if not isinstance(rule, Graded):
        return decides
    highest = getattr(rule, "gains", None) == "exponential"
    return *decides, type(rule), highest, isinstance(rule, OfGroup) and rule.takes_judged


class _Reader:
    """Reads the samples of all models, once for all metrics that need the same."""

    def __init__(self) -> None:
        self._known: dict[Any, _Read] = {}  # by the rule's `_reading_of` and the data

    def read_classes(self, rule: Rule, unread: Unread) -> Iterator[tuple[str, _Read]]:
        """Yield the samples of all models, or with average=None those of each class in turn."""
        read = self._read(rule, unread)
        first = next(iter(read.samples.values()))
        if unread.average is not None or first.rankings.average == "binary":
            yield "", read
            return
        if unread.groups is not None:
            raise ValueError(
                "average=None gives one row for each class. With groups, leave average out and "
                "call per_group() on the result, which has one row for each group."
            )
        classes = [list(names_of_columns(sample.rankings)) for sample in read.samples.values()]
        if any(of_model != classes[0] for of_model in classes):
            words = f"The models have different classes: {classes}. Pass them as classes=."
            raise ValueError(words)
        for place, name in enumerate(classes[0]):
            _check_class_found(name, place, first.rankings)
            label = f"class {name}"
            yield label, read.of_class(place, label)

    def _read(self, rule: Rule, unread: Unread) -> _Read:
        """Read the samples of all models, unless they are known from another metric."""
        # Data are the same if the caller passed the same objects, however large these are.
        key = *_reading_of(rule, unread), *map(id, unread)
        if key not in self._known:
            if "by" in unread.besides:
                segmented = read_segment_samples(rule, unread)
                self._known[key] = _Read(dict(segmented.whole), segmented)
            else:
                self._known[key] = _Read(read_samples(rule, unread))
        return self._known[key]


@about("y_true")
def _check_class_found(name: Any, place: int, rankings: Rankings) -> None:
    """Check that a class with a row of its own has positives."""
    n_positives = rankings.n_positives
    if n_positives is None:
        n_positives = np.count_nonzero(rankings.labels, axis=0)
    if not n_positives[place]:
        raise ValueError(
            f"No positive class found in y_true for the class {name}, so its value is undefined "
            "(0/0) and has no interval. Leave out its column, or for multiclass labels, pass the "
            "other classes as classes=."
        )


def _counts(samples: Mapping[Any, Sample]) -> dict[Any, _CountsOfRows]:
    """Count the rows, the existing positives and the groups of each model."""
    counts = {}
    for model, sample in samples.items():
        rankings = sample.rankings
        n_groups = len(rankings.names or ()) if rankings.is_grouped else None
        counts[model] = _CountsOfRows(rankings.n_rows, count_positives(sample), n_groups)
    return counts


def _is_time(name: Any) -> bool:
    return isinstance(name, date | np.datetime64) or hasattr(name, "to_timestamp")


def _as_time(name: Any) -> Any:
    """Convert a period of pandas to its start, which Matplotlib can draw."""
    return name.to_timestamp() if hasattr(name, "to_timestamp") else name


def _least(pairs: Sequence[Comparison]) -> float:
    """Return the lowest difference, to sort by; undefined ones are last."""
    return min(
        (pair.difference for pair in pairs if pair.difference == pair.difference), default=np.inf
    )


def _note_about(
    note: Note, where: Sequence[tuple[str, str]], everywhere: Sequence[tuple[str, str]]
) -> Note:
    """Say which metrics and classes a note is about, unless it is about all of them.

    Both are pairs of a metric and a class, which is "" without classes.
    """
    if len(where) == len(everywhere):
        return note
    n_metrics = len({metric for metric, _ in everywhere})
    n_classes = len({label for _, label in everywhere})
    classes = dict.fromkeys(label for _, label in where)
    if n_classes > 1 and len(where) == len(classes) * n_metrics:  # true by all metrics
        names = [*classes]
    else:
        names = []
        for metric, label in where:
            names.append(in_sentence(one_line(f"{metric}, {label}" if label else metric)))
    return replace(note, text=f"For {listed(names)}, {in_sentence(note.text)}")


def _on_documents(n_judged: Any, samples: Mapping[Any, Sample], items: str) -> Note:
    """Count the queries, their judged items, and those that each model has retrieved.

    `n_judged` maps each query to its counts by grade, and `items` is what they are called.
    """
    n_all = sum(count for _, by_grade in n_judged.items() for _, count in by_grade.items())
    n_retrieved = [sample.rankings.n_rows for sample in samples.values()]
    if len(samples) > _MOST_COUNTED:
        retrieved = f"{min(n_retrieved):,} to {max(n_retrieved):,} by each model"
    else:
        # A single model may have the name "".
        by = [f" by {one_line(model)}" if model != "" else "" for model in samples]
        retrieved = listed([f"{n:,}{model}" for n, model in zip(n_retrieved, by, strict=True)])
    queries = count_of(len(n_judged), next(iter(samples.values())).group_words)
    have = "has" if len(n_judged) == 1 else "have"
    judged = f"{queries} {have} {n_all:,} judged {items if n_all != 1 else items.removesuffix('s')}"
    return Note("documents", f"{judged}. Retrieved: {retrieved}.")
