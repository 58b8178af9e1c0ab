"""A report as it prints, converts to tables, and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

from .._evaluate.metric_values import compute_score
from .._infer.intervals import has_any_test, list_notes_upside_down
from .._infer.sentences import list_names
from .._inputs.metric_names import lower_first
from .._show.pictures import MOST_ROWS, Drawable, Drawn, Strip
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
from .rows import MetricResults, ReportRow
from .segments import SegmentName, write_segment


@dataclass(frozen=True, eq=False, repr=False)
class Report(Drawable, Table):
    """Result of :func:`~sklearn_ap.report`, with one row for each metric and model.

    It prints as a table, and `plot` draws it. With groups, `per_group` lists the value of each
    group. With segments and several models, the table has the intervals of differences only, and
    `rows`, `to_frame` and `plot` have those of values, too. `to_metrics` converts
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
    With 4 positives, the smallest margin within which equivalence can be shown is
    0.64.
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
    # Segments or differences for which intervals hold at once, by which metrics ("" for all)
    families: Mapping[int, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Remarks on the report, the most serious first."""
        upside_down: dict[Any, Note] = {}  # of each model, by the first metric that shows it
        for metric in self._overall:
            for model, interval in metric.intervals.items():
                for note in list_notes_upside_down(metric.name, interval, model):
                    upside_down.setdefault(model, note)
        return sort_notes([*self.said, *upside_down.values()])

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
                    settings, model_rows = interval.source.data.get("per_group", instead)
                    if model_rows.rankings.is_grouped:
                        by_name = replace(model_rows.rankings, average=BY_NAME)
                        values = compute_score(settings.rule, by_name, settings.quiet_zero_division)
                        columns[model, metric.name] = values
        if not columns:
            raise ValueError("per_group needs groups. Pass groups= to report.")
        groups = list(dict.fromkeys(group for values in columns.values() for group in values))
        levels = _split_group_names(groups, model_rows.group_titles)
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

    def _drawn(self) -> Drawn:
        """The rows are the segments, or the metrics if models can share these, or the models."""
        models, times = self._name_drawn_models(), self._find_times()
        said = self._describe_family("Intervals")
        said += self._on_conditions()
        if self._has_segments:
            segments, selected = self._select_drawn_segments(len(models), bool(times))
            strips = [self._draw_segments(metric, segments, models) for metric in self._overall]
            said = [*selected, *said]
            if self.joint:
                said.append("Those of all data are not adjusted for segments.")
        elif len(self._overall) > 1 and len(models) <= _MOST_COLORS and self._shares_axes():
            rows = [part.draw_row(f"{part.shown}\n{part.size}") for part in self._overall]
            strips = [Strip("", rows, models)]
        else:
            strips = [part.draw_models(models) for part in self._overall]
        return Drawn(strips, said, times)

    def _name_drawn_models(self) -> list[str]:
        return [
            f"{join_lines(format_name(model))}{' (baseline)' if model == self.baseline else ''}"
            for model in self._overall[0].intervals
        ]

    def _shares_axes(self) -> bool:
        """Whether all values can share an axis from 0 to 1."""
        ends = np.array([(row.value, row.low, row.high) for row in self.rows])
        return not np.any((ends < 0) | (ends > 1))

    def _draw_segments(
        self, metric: MetricResults, segments: Sequence[SegmentName], models: Sequence[str]
    ) -> Strip:
        """Return all data and the segments, with how many positives or groups they have."""
        found = {part.segment: part for part in self._find_segments(metric)}
        parts = [found[segment] for segment in segments]
        rows = [metric.draw_row(f"all data ({metric.size})")]
        for part, name in zip(parts, self._name_segments(parts), strict=True):
            rows.append(part.draw_row(f"{name} ({part.n_shown:,})"))
        by = f" by {join_lines(self.by[0])}" if len(self.by) == 1 else ""
        return Strip(f"{metric.shown}{by}", rows, models, has_all=True)

    def _select_drawn_segments(
        self, n_models: int, are_times: bool
    ) -> tuple[Sequence[SegmentName], list[str]]:
        """Return the segments to draw, and which of all they are."""
        drawn, said = self._list_drawn_segments(), []
        if len(drawn) < len({part.segment for part in self.parts}) - 1:
            said.append(f"Only segments with {self.min_positives:,} positives or more.")
        if are_times:
            return drawn, said
        lowest = dict.fromkeys(drawn, np.inf)
        for part in self.parts:
            if part.segment in lowest:
                lowest[part.segment] = min(lowest[part.segment], _find_lowest(part))
        n_crowds = -(-n_models // 5) * -(-len(self._overall) // 2)  # two metrics share their rows
        most = max(MOST_ROWS // n_crowds, _LEAST_ROWS)
        segments, selected = select_segments(
            drawn, lambda segment: lowest[segment], self._lowest, most=most
        )
        if selected:
            said += [*selected, "To choose others, pass min_positives, or fewer metrics or models."]
        return segments, said

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
        blocks = []
        for metric in self._overall:
            segments, said = select_segments(
                self._find_segments(metric), _find_lowest, self._lowest
            )
            parts = [metric, *segments]
            rows: list[list[str]] = []
            for part, name in zip(parts, self._name_segments(parts), strict=True):
                rows += part.format_segment_cells(name, len(models) > 1)
            blocks.append((*metric.heading, rows))
        return header, blocks, said

    @property
    def _lowest(self) -> str:
        """Which of many segments are shown."""
        return f"those with the lowest {'differences' if self._compared else 'values'}"

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
        said += self._describe_family("Intervals and p")
        if any(part.has_few_positives for part in self.parts):
            said.append(f"Few positives: fewer than {self.min_positives:,}.")
        margins = {part.name: part.margin for part in self._overall}
        ends = None
        if len(compared) == 1 and len(self.parts) == 1:
            [pair] = first.pairs.values()
            ends = format_ends(pair.margin_low, pair.margin_high, pair.places)
        return said + describe_margins(margins, ends)

    def _describe_family(self, shown: str) -> list[str]:
        """Say for what all that is `shown` of differences, or the intervals of a model, hold. If
        nothing is known about any difference, nothing is adjusted.
        """
        n_compared = len(self._compared)
        family_parts = [part for part in self.parts if (part.segment is None) != self._has_segments]
        if n_compared and not has_any_test(chain(*(part.pairs.values() for part in family_parts))):
            return []
        if not self._has_segments:
            family = count_differences(1 + n_compared, self.is_chosen)
            return describe_family(family, n_compared, self.joint, shown=shown)
        what, things = "Intervals", "segments"
        if n_compared:
            what, things = f"{shown} of segments", "comparisons"
        said = []
        for family, subjects in self.families.items():
            text = f"{what} are not adjusted: each is for one segment alone."
            if self.joint:
                text = f"{what} are adjusted for {family:,} {things} (Bonferroni)."
            if family > 1 or not self.joint:
                said.append(write_about(subjects, text))
        return said

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


def write_about(subjects: str, text: str) -> str:
    """Say which metrics or classes a sentence is about, unless it is about all of them."""
    return f"For {subjects}, {lower_first(text)}" if subjects else text


def _split_group_names(groups: list[Any], titles: Sequence[str]) -> dict[str, list[Any]]:
    """Return the names of groups, or for tuples each of their parts by the title of its column."""
    size = len(groups[0]) if isinstance(groups[0], tuple) else 0
    if size < 2 or any(not isinstance(group, tuple) or len(group) != size for group in groups):
        return {"group": groups}
    if len(titles) != size:  # because columns have no names
        titles = [f"group {i + 1}" for i in range(size)]
    return {title: [group[i] for group in groups] for i, title in enumerate(titles)}


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


_MOST_COLORS = 8  # of models that a legend tells apart
_LEAST_ROWS = 8  # that are drawn of segments, however many metrics there are


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


# Users import the result from where the function is that returns it.
Report.__module__ = "sklearn_ap.reports"
