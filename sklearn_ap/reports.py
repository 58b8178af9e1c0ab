"""Tables that evaluate several models by several metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._enter.entry import public, readings_of_models
from ._enter.metric import Metric, check_mean_has_groups
from ._evaluate.value import score
from ._infer.comparing import Claims, compare_models, interval_of
from ._infer.intervals import (
    Comparison,
    Interval,
    note_upside_down,
    printed_at_random,
    random_of,
)
from ._infer.plans import SingleUnitError
from ._infer.ranks import in_sentence, listed, said_of_segments, sentences_on_verdicts
from ._infer.requests import IntervalRequest, check_margin, seed_of
from ._infer.samples import read_samples
from ._infer.segment_intervals import (
    EMPTY,
    Parts,
    SegmentResult,
    difference_alone,
    evaluate_segments,
    value_alone,
    weighted_by_segment,
)
from ._read.group_names import counts_grades
from ._read.sampling_units import (
    Sample,
    beside_one_another,
    count_positives,
    names_of_columns,
    read_sample,
)
from ._read.segments import Segments, check_keep_whole, read_segments
from ._read.tables import are_tables, check_baseline, read_models
from ._show.figures import draws
from ._show.progress import step
from ._show.results import (
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
)
from ._words.errors import InvalidParameterError
from ._words.inputs import Average, Inputs, Label, NPositives, OwnLabels, Unread, ZeroDivision
from ._words.messages import about, naming_model, warning_once
from ._words.parameters import (
    check_rule,
    check_weighted,
    is_mapping,
    shown,
    takes_prevalence,
    text_of,
)
from .core.all_pairs import place_of_best
from .core.rankings import BY_NAME, Rankings
from .core.rules import Graded, OfGroup, Rule
from .metrics import metric_of

__all__ = ["Report", "ReportDisplay", "report"]

AnyMetric = str | Metric
# These are AnyMetric, but type checkers infer that a list with both kinds contains objects.
_MOST_COUNTED = 6  # models whose documents are counted one by one
AnyMetrics = AnyMetric | Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ReportRow(Value):
    """The result for one model and one metric."""

    model: str
    metric: str
    segment: Any  # None for all data
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


@dataclass(frozen=True)
class _MetricResults:
    """The results for one metric, of all data or of a segment: the interval of each model, and its
    difference from the baseline.

    Nothing is compared if there is only one model, except segments, with all other rows.
    """

    name: str
    heading: str  # the name, and what else describes the values, such as ", by amount"
    counts: dict[Any, _CountsOfRows]  # of each model
    intervals: dict[Any, Interval]
    baseline: Any = None
    pairs: Mapping[Any, Comparison] = field(default_factory=dict)
    reason: str = ""  # why there are no intervals
    segment: Any = None  # None for all data

    @property
    def is_named(self) -> bool:
        return [*self.intervals] != [""]

    def said(self) -> Iterator[Note]:
        """Yield the notes of the intervals, of the differences, and on why there are none."""
        for one in self.intervals.values():
            yield from one.said
        for pair in self.pairs.values():
            yield from pair.notes
        if self.reason:
            yield Note("no_interval", self.reason)

    @property
    def how(self) -> dict[str, Any]:
        """How the results were computed: as the differences, if there are any."""
        first = next(iter(self.intervals.values()))
        one = next(iter(self.pairs.values()), first)
        drawn = {name: getattr(one, name) for name in ("n_resamples", "random_state")}
        return {"method": one.method, "basis": first.basis, **drawn, "n_groups": first.n_groups}

    @property
    def basis(self) -> str:
        how = self.how
        basis = how["basis"] if self.reason else resting_on(how["method"], how["basis"])
        return basis + printed_at_random(self.intervals.values())

    @property
    def first(self) -> str:
        """Say that no model has a higher value than the baseline, if that is so."""
        is_greater_better = all(pair.greater_is_better for pair in self.pairs.values())
        sign = 1 if is_greater_better else -1
        values = [one.value for one in (self.intervals[self.baseline], *self.intervals.values())]
        if place_of_best(sign * np.array(values)):
            return ""
        word = "highest" if is_greater_better else "lowest"
        return f"{one_line(self.baseline)} has the {word} {in_sentence(one_line(self.name))}"

    def may_be_random(self, model: Any) -> bool | None:
        """Whether the interval of a model isn't above random rankings; None after pickling."""
        one = self.intervals[model]
        random = random_of(one)
        return None if random is None else bool(one.low <= random.near(one.low))

    @property
    def margin(self) -> float | None:
        """The smallest difference that matters."""
        return next((pair.margin for pair in self.pairs.values()), None)

    def rows(self) -> Iterator[ReportRow]:
        for model, interval in self.intervals.items():
            pair = self.pairs.get(model)
            of_itself = interval.value - interval.value  # nan if the baseline has no value
            found: list[Any] = [self.segment, *interval, *[of_itself] * bool(self.pairs)]
            if pair is not None:
                found[-1:] = [*pair, pair.pvalue, pair.verdict]
            n_samples, n_positives, _ = self.counts[model]
            counts = {"n_samples": n_samples, "n_positives": n_positives}
            how: dict[str, Any] = {
                **counts,
                **self.how,
                "margin": self.margin,
                "interval": interval,
            }
            yield ReportRow(model, self.name, *found, **how)

    def plotted(self, model: Any, of: str) -> tuple[float, float, float]:
        """Return the value of a model, or its difference from the baseline, with its interval."""
        if of == "values":
            one = self.intervals[model]
            return one.value, one.low, one.high
        pair = self.pairs.get(model)
        if pair is None:
            of_itself = self.intervals[model].value - self.intervals[model].value
            return (of_itself if model == self.baseline else np.nan), np.nan, np.nan
        return pair.difference, pair.low, pair.high

    def cells(self, has_verdicts: bool) -> Iterator[Sequence[str]]:
        for row in self.rows():
            places, is_baseline = self.intervals[row.model].places, row.model == self.baseline
            limits = EMPTY if self.reason == EMPTY else ends(row.low, row.high, places)
            own = [one_line(row.model), f"{row.value:z.{places}f}", limits]
            if self.pairs:
                own += cells_of_difference(self.pairs.get(row.model), is_baseline, places)
            if has_verdicts:
                own.append("" if self.margin is None else row.verdict or "")
            yield own if self.is_named else own[1:]

    def cells_of_segment(self, n_columns: int, has_verdicts: bool) -> Iterator[Sequence[str]]:
        """Return the cells, after the segment and how much it has, which stand in the first row:
        groups, or without groups, positives.
        """
        name = "all data" if self.segment is None else one_line(text_of(self.segment))
        counts = [
            n_positives if n_groups is None else n_groups
            for _, n_positives, n_groups in self.counts.values()
        ]
        for cells, count in zip(self.cells(has_verdicts), counts, strict=True):
            number = f"{count:,}" if name or len(set(counts)) > 1 else ""
            yield [name, number, *cells, *[""] * (n_columns - 2 - len(cells))]
            name = ""


class _Panel(NamedTuple):
    """What a panel of a picture shows."""

    labels: Sequence[str]  # the metric, and what else the values and the line are
    names: Sequence[Any]
    ends: Sequence[tuple[float, float, float]]  # values, or differences, with their intervals
    line: float | None  # the baseline, or all data


@dataclass(frozen=True, eq=False, repr=False)
class Report(Table):
    """Result of :func:`~sklearn_ap.report`, with one row for each metric and model.

    It prints as a table, also in a notebook, and can be converted with `to_dict`, `to_frame`,
    `to_html`, `to_latex` and `to_markdown`. `plot` draws it. With groups, `per_group` lists the
    value of each group.

    Attributes
    ----------
    rows : tuple
        One row for each metric, segment and model, with the attributes `model`, `metric`,
        `segment`, `value`, `low`, `high`, `difference`, `difference_low`, `difference_high`,
        `pvalue`, `verdict`, `n_samples`, `n_positives` and `chance`, which is the mean value of
        random rankings. The segment is None for all data. The difference is the value of the model
        minus that of the baseline, or with one model, the value of the segment minus that of all
        other rows. The verdict is what the interval of the difference shows; see
        :class:`~sklearn_ap.inference.Comparison`. `n_positives` counts those that exist, found or
        not. A single model whose prediction scores have no name is called "". Each row also says
        how it was computed, as `margin`, `method`, `basis`, `n_resamples`, `random_state` and
        `n_groups`; see :class:`~sklearn_ap.inference.Interval`.
    confidence_level : float
        The probability with which such intervals contain the true value, such as 0.95.
    baseline : str or None
        The name of the model with which the others are compared; None if there is only one model.
    joint : bool
        Whether intervals and p-values hold for all segments at once.
    by : tuple of str
        The names of the columns of segments, if they have any.
    notes : tuple of Note
        What the report says besides its numbers, the most serious first, such as that a model has
        no rows for most groups. Each note has a `code`, such as "no_rows", and a `text`. At most
        three are printed.

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
      old    0.625  0.080 to 0.966  -0.146      -0.543 to 0.252  0.500
      new    0.771  0.057 to 0.991  baseline
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
        """What the report says besides its numbers, the most serious first."""
        found: dict[Any, Note] = {}
        for part in self._of_all:
            for model, interval in part.intervals.items():
                note = note_upside_down(part.name, interval, model)
                if note is not None:
                    found.setdefault(model, note)
        said = [note for note in self.said if note.code != "adjusted"]
        return most_serious([*said, *found.values()])

    def _as_dict(self) -> list[dict[str, Any]]:
        notes = self.notes
        of_all = {"version": VERSION, "by": self.by, "notes": notes}
        return [row | of_all for row in super()._as_dict()]

    @property
    def _of_all(self) -> list[_MetricResults]:
        """The parts of all data, one for each metric."""
        return [part for part in self.parts if part.segment is None]

    @property
    def _by_segment(self) -> bool:
        return len(self._of_all) < len(self.parts)

    def per_group(self) -> Any:
        """Return the value of each group as a DataFrame, of polars if the data is.

        It has one row for each group, labeled with its name, and one column for each model and
        metric, or for each metric if there is a single model without a name.
        """
        columns = {}
        with warning_once():
            for part in self._of_all:
                for model, interval in part.intervals.items():
                    assert interval.source is not None
                    instead = "Ask for it before pickling, or call report again."
                    request, sample = interval.source.data.get("per_group", instead)
                    if sample.evidence.is_grouped:
                        rankings = replace(sample.evidence, average=BY_NAME)
                        values = score(request.rule, rankings, request.quietly)
                        columns[model, part.name] = values
        if not columns:
            raise ValueError("per_group needs groups. Pass groups= to report.")
        groups = list(dict.fromkeys(group for values in columns.values() for group in values))
        levels = _named_levels(groups, sample.group_words)
        is_named = self.parts[0].is_named
        if self._makes_polars():
            names = {key: ", ".join(map(str, key)) if is_named else key[1] for key in columns}
            found = {names[key]: [*map(values.get, groups)] for key, values in columns.items()}
            of_times = {
                name: np.array(each)
                for name, each in levels.items()
                if isinstance(each[0], np.datetime64 | np.timedelta64)
            }
            levels = {name: of_one_type(each) for name, each in levels.items()}
            return import_module("polars").DataFrame({**levels, **of_times, **found})
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
        other times are on a line with a band.

        Parameters
        ----------
        ax : matplotlib Axes or array of Axes, default=None
            The axes to plot on, one for each metric, or with `by`, for each metric and model. If
            None, a new figure is created.
        of : {'differences', 'values'}, default=None
            What to plot, by default the differences if there is a baseline. With `by`, a single
            model has differences, too: from the segment to all other rows. Intervals of values that
            overlap don't mean that the models are equally good. Their dashed line is the value of
            the baseline, or with `by`, of all data.

        Returns
        -------
        display : ReportDisplay
            The axes are its `ax_`, and the figure is its `figure_`.
        """
        from .displays import artists, base  # which needs matplotlib

        panels = [*self._panels(self._plotted(of))]
        names = [one_line(text_of(name)) for name in panels[0].names]
        over_time = self._by_segment and all(map(_is_time, panels[0].names))
        if ax is None and over_time:
            ax = artists.panels_over_time(len(panels))
        elif ax is None:
            ax = artists.panels(len(panels), names, panels[-1].labels)
        axes = np.ravel(ax)
        if axes.size != len(panels):
            are_models = self._by_segment and len(self._of_all[0].intervals) > 1
            each = "metric and model" if are_models else "metric"
            raise ValueError(
                f"ax must have one Axes for each {each}, so {len(panels)}. Got {axes.size}."
            )
        bars = []
        for own, panel in zip(axes, panels, strict=True):
            if over_time:
                times = [_as_time(name) for name in panel.names]
                bars.append(artists.draw_over_time(own, times, *panel[2:], panel.labels))
            else:
                bars.append(artists.draw_intervals(own, names, *panel[2:], panel.labels))
        drawn = base.only_or_list(bars)
        return ReportDisplay(self, axes[0] if axes.size == 1 else axes, axes[0].figure, drawn)

    def _plotted(self, of: str | None) -> str:
        """Return what to plot, "differences" or "values"."""
        has_baseline = len(self._of_all[0].intervals) > 1
        if of is None:
            return "differences" if has_baseline else "values"
        if of not in ("differences", "values"):
            raise InvalidParameterError(
                "The 'of' parameter of Report.plot must be a str among {'differences', 'values'} "
                f"or None. Got {of!r} instead."
            )
        if of == "differences" and not has_baseline and not self._by_segment:
            raise ValueError(
                "of='differences' needs a baseline, but the report has one model. Pass several "
                "models to report."
            )
        return of

    def _panels(self, of: str) -> Iterator[_Panel]:
        """Return what each panel shows: models, or segments of one model."""
        has_baseline = len(self._of_all[0].intervals) > 1
        baseline, besides = one_line(self.baseline), [level_of(self)]
        if of == "differences":
            other = baseline if has_baseline else "other rows"
            besides.insert(0, f"difference from {other}")
        elif self._by_segment or has_baseline:
            besides.append(f"dashed: {'all data' if self._by_segment else baseline}")
        for whole in self._of_all:
            segments = self._segments_of(whole)
            if not segments:
                labels, models = [whole.heading, *besides], [*whole.intervals]
                intervals = [whole.plotted(model, of) for model in models]
                line = whole.plotted(self.baseline, of)[0] if whole.pairs else None
                yield _Panel(labels, models, intervals, line)
                continue
            for model in whole.intervals:
                if of == "differences" and model == self.baseline:
                    continue
                intervals = [part.plotted(model, of) for part in segments]
                line = 0.0 if of == "differences" else whole.intervals[model].value
                names = [part.segment for part in segments]
                labels = [whole.heading, *[one_line(model)] * whole.is_named, *besides]
                yield _Panel(labels, names, intervals, line)

    def _printed(self) -> Printed:
        first, *others = self._of_all
        n_models = len(first.intervals)
        header = [*["model"] * first.is_named, "value", level_of(self)]
        if n_models > 1 or self._by_segment:
            header += ["difference", level_of(self), "p"]
        margins = {part.name: part.margin for part in self.parts if part.margin is not None}
        header += ["verdict"] * bool(margins)
        by_first = in_sentence(one_line(first.name))
        best = f", which ranks first by {by_first}" if self.is_chosen else ""
        is_clear = n_models < 3 and not (best and (others or self._by_segment))
        named = "" if is_clear else f"The baseline is {one_line(self.baseline)}{best}."
        has_no_test = self._by_segment or any(part.reason for part in self.parts)
        legends = legend(1 if has_no_test else n_models, self.joint, margins, named)
        legends += [note.text for note in self.said if note.code == "adjusted"]
        notes = [*legends, *printed_notes(self.notes), *self._compared()]
        if self._by_segment:
            *_, n_groups = next(iter(first.counts.values()))
            counted = "positives" if n_groups is None else "groups"
            header = ["segment", counted, *header]
            segments, said = self._printed_segments(header, bool(margins))
            return Printed(header, segments, notes=[*said, *notes])
        parts = [
            (one_line(part.heading), part.basis, [*part.cells(bool(margins))])
            for part in self.parts
        ]
        return Printed(header, parts, notes=notes)

    def _compared(self) -> list[str]:
        """Say what the verdicts on models are, in all data."""
        parts = {part.name: part for part in self._of_all if part.pairs and not part.reason}
        n_models = len(self._of_all[0].intervals)
        at_once = ", all pairs at once" if self.is_chosen else f", all {n_models} models at once"
        family = "" if n_models < 3 else at_once if self.joint else ", one by one"
        where = " in all data" if self._by_segment else ""
        verdicts = {
            name: {model: pair.verdict for model, pair in part.pairs.items()}
            for name, part in parts.items()
        }
        first = {name: part.first for name, part in parts.items() if self.is_chosen and part.first}
        random = {
            name: {model: parts[name].may_be_random(model) for model in parts[name].intervals}
            for name in first
        }
        unshown = [name for name, models in random.items() if all(models.values())]
        named = {
            name: first[name] for name, models in random.items() if models[self.baseline] is False
        }
        told = {name: found for name, found in verdicts.items() if name not in unshown}
        said = sentences_on_verdicts(told, self.baseline, where, family, named) if told else []
        said += [
            f"Compared with {one_line(self.baseline)} in segments by "
            f"{in_sentence(one_line(name))}: {words}."
            for name in told
            if (words := self._said_of_segments(parts[name]))
        ]
        if unshown:
            metrics = listed([in_sentence(one_line(name)) for name in unshown])
            words = "No model is shown to be better than a random ranking"
            said.append(f"{words}{where} by {metrics}.")
        return said

    def _said_of_segments(self, whole: _MetricResults) -> str:
        """Say in which segments models are better or worse than the baseline, or can't be told
        apart from it; empty without segments.
        """
        of_models: dict[Any, dict[str, list[str]]] = {}
        for segment in self._segments_of(whole):
            for model, pair in segment.pairs.items():
                name = text_of(segment.segment)
                of_models.setdefault(model, {}).setdefault(pair.verdict, []).append(name)
        return "; ".join(
            f"{one_line(model)} {said_of_segments(verdicts)}"
            for model, verdicts in of_models.items()
        )

    def _printed_segments(
        self, header: Sequence[str], has_verdicts: bool
    ) -> tuple[list[tuple[str, str, list[Sequence[str]]]], list[str]]:
        """Return a part for each metric, with its segments, and say which ones these are."""
        parts = []
        said: list[str] = []
        for whole in self._of_all:
            segments, said = printed_segments(
                self._segments_of(whole),
                lambda part: _least([*part.pairs.values()]),
                "those with the lowest differences",
            )
            cells = [*whole.cells_of_segment(len(header), has_verdicts)]
            for part in segments:
                cells += part.cells_of_segment(len(header), has_verdicts)
            parts.append((one_line(whole.heading), whole.basis, cells))
        return parts, said

    def _segments_of(self, whole: _MetricResults) -> list[_MetricResults]:
        return [each for each in self.parts if each.name == whole.name and each is not whole]


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
    prevalence: Any = None,
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
        The prediction scores of a model, or a mapping to them from names of models. With `data`, a
        column, a list of columns or a mapping from models to columns. If each model has a table of
        its own, a single name is the column in all.
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
        The segments: parts of the rows, such as countries or days, that have values of their own.
        Several columns name segments by the tuples that occur. A mapping from names to masks can
        have segments that overlap, and with `groups`, a mapping from groups to names gives the
        segment of each group. With a single model, the difference is the value of the segment minus
        that of all other rows.
    joint : bool, default=True
        With `by`, whether intervals and p-values hold for all segments and models at once. Pass
        False for a segment and model that you had in mind.
    confidence_level : float, default=0.95
        The proportion of such intervals that should contain the true value.
    method : {'auto', 'influence', 'bootstrap', 'randomization'}, default='auto'
        As in :func:`compare`. With 'randomization', the intervals of the values are computed as
        with 'auto'.
    n_resamples : int, default=None
        The number of resamples or random swaps; see :func:`compare`.
    random_state : int, Generator, RandomState instance or None, default=None
        Pass an int to get the same report each time.
    verbose : int, default=0
        If 1, progress is printed to standard error.
    average
        As in :func:`average_precision_score`. With 'samples', the rows are the sampling units. With
        None, each class has its own rows.
    pos_label, sample_weight
        As in :func:`average_precision_score`.
    zero_division
        As in :func:`average_precision_score`. Unless it is nan, a class without positives raises an
        error.
    classes
        As in :func:`average_precision_score`.
    n_positives
        As in :func:`average_precision_score`. With `clusters`, it can also be a mapping from
        clusters, or with `groups` from pairs (group, cluster). With `by`, pass a mapping.
    groups
        As in :func:`average_precision_score`. The groups are the sampling units, unless you pass
        `clusters` too.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as the sampling unit.
    min_grade
        As in :func:`average_precision_score`.
    prevalence : float or mapping, default=None
        The proportion of positives in the population, if it isn't that of the samples. With `by`, a
        mapping from segments makes them comparable, and its key None is for all data.
    data
        As in :func:`average_precision_score`. Rows without weights of one model, groups, and
        clusters of whole groups are read in chunks. For all else, the columns that you name are
        read into memory. Models that scored different rows can have a table each, in a mapping from
        their names.

    Returns
    -------
    report : Report
        It prints as a table. Its `rows` contain the results, and `to_dict`, `to_frame`, `to_html`,
        `to_latex` and `to_markdown` convert them. With groups, `per_group` returns the value of
        each group.

    Raises
    ------
    ValueError
        If there are no positives, or only one sampling unit, which doesn't vary.

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
      model_a  0.432  0.381 to 0.484  baseline
      model_b  0.512  0.462 to 0.561  +0.080      0.041 to 0.119  < 0.001
    Compared with model_a by average precision: model_b is significantly
    better.
    """
    models = read_models("report", "y_score", y_score, data)
    check_baseline(models, baseline)
    if margin is not None and len(models) == 1 and by is None:
        raise ValueError(
            "margin is the smallest difference that matters, but a report of one model has no "
            "differences. Pass several models, or the segments to compare as by=."
        )
    seed = seed_of(random_state)
    unread = Unread(  # written by docs/_write/parameters.py
        y_true, models, average=average, pos_label=pos_label, sample_weight=sample_weight,
        zero_division=zero_division, classes=classes, n_positives=n_positives, groups=groups,
        clusters=clusters, min_grade=min_grade, prevalence=prevalence, data=data, caller="report",
    )  # fmt: skip
    if by is not None:
        unread = unread._replace(besides={"by": by})
    named = _metrics_by_name(metrics, unread.are_relative)
    margins = _margins(margin, named, unread.are_relative)
    is_chosen, has_tables = baseline is None and len(models) > 1, are_tables(data)
    questions = []
    for number, (name, metric) in enumerate(named.items(), 1):
        own = unread._replace(**metric.of_data)
        questions.append(
            _Question(
                name=name,
                place=f"metric {number} of {len(named)}",
                metric=metric,
                unread=own,
                request=IntervalRequest(metric.rule, method, n_resamples, seed, own.zero_division),
                claims=Claims(confidence_level, margins[name], joint, is_chosen),
                has_tables=has_tables,
            )
        )

    reader = _Reader(questions)
    answers: list[_Answer] = []
    for question in questions:
        request = question.checked()
        for label, read in reader.read_classes(request.rule, question.unread):
            # The first metric chooses the baseline, if the caller didn't.
            compared_with = answers[-1].whole.baseline if answers else baseline
            answers.append(_answer(question, request, label, read, compared_with))

    return _put_together(answers, unread, questions[-1].claims)


class _Question(NamedTuple):
    """What a report is asked by one metric."""

    name: str  # what the table calls the metric
    place: str  # of the metric among all, to show progress
    metric: Metric
    unread: Unread  # with the options of the metric
    request: IntervalRequest
    claims: Claims
    has_tables: bool  # whether each model has a table of its own

    def checked(self) -> IntervalRequest:
        """Check the metric, and return the request with a rule for these data."""
        metric, unread = self.metric, self.unread
        check_mean_has_groups(metric.definition, metric.grouped, unread.groups is not None)
        rule = check_rule(metric.rule, unread.are_relative)
        check_margin(rule, self.claims.margin)
        return self.request._replace(rule=rule)

    @property
    def by_weight(self) -> str:
        """Name the weights of all metrics, which a name of this one doesn't."""
        weight = self.unread.sample_weight
        is_named = isinstance(weight, str) and "sample_weight" not in self.metric.options
        return f", by {weight}" if is_named else ""


class _Answer(NamedTuple):
    """What a report says by one metric, with average=None about one class."""

    about: tuple[str, str]  # the metric and the class, for notes
    read: _Read
    whole: _MetricResults
    segments: list[_MetricResults]
    notes: list[Note]


def _answer(
    question: _Question, request: IntervalRequest, label: str, read: _Read, baseline: Any
) -> _Answer:
    """Evaluate the models by one metric: in all data, and in each segment."""
    title = f"{question.name}, {label}" if label else question.name
    doing, claims, has_tables = f"{question.place}, {title}", question.claims, question.has_tables
    with step(doing):
        found = _evaluate(request, read.samples, baseline, claims, has_tables)
    whole = _MetricResults(title, title + question.by_weight, _counts(read.samples), *found)
    segments: list[_MetricResults] = []
    notes = [*whole.said()]
    if read.parts is not None:
        with step(f"{doing}, segments"):
            segments, on_segments = _in_segments(request, whole, read.parts, claims, has_tables)
        left_out = None if request.rule.rises_with_positives else "fraction_of_positives"
        notes += [note for note in read.notes if note.code != left_out]
        notes += on_segments
    return _Answer((question.name, label), read, whole, segments, notes)


def _put_together(answers: Sequence[_Answer], unread: Unread, claims: Claims) -> Report:
    """Make a report of its answers. All of them claim the same but for their margins."""
    last, notes = answers[-1], _notes_of(answers)
    if counts_grades(unread.n_positives):
        items = "documents" if isinstance(unread.y_true, OwnLabels) else "items"
        notes.append(_on_documents(unread.n_positives, last.read.samples, items))
    blocks = tuple(block for answer in answers for block in (answer.whole, *answer.segments))
    return Report(
        tuple(row for block in blocks for row in block.rows()),
        float(claims.level),
        last.whole.baseline,
        claims.joint,
        () if last.read.parts is None else last.read.parts.segments.columns,
        blocks,
        most_serious(notes),
        claims.is_chosen,
    )


def _notes_of(answers: Sequence[_Answer]) -> list[Note]:
    """Return each note once, with the metrics and classes that it is about."""
    found: dict[Note, list[tuple[str, str]]] = {}
    for answer in answers:
        for note in dict.fromkeys(answer.notes):
            found.setdefault(note, []).append(answer.about)
    every = [answer.about for answer in answers]
    return [_note_about(note, where, every) for note, where in found.items()]


def _in_segments(
    request: IntervalRequest, whole: _MetricResults, parts: Parts, claims: Claims, has_tables: bool
) -> tuple[list[_MetricResults], list[Note]]:
    """Evaluate one metric in each segment, and say what readers should know about that."""
    notes: list[Note] = []
    given = whole.baseline, claims, has_tables, notes
    results = evaluate_segments(request, parts, *given)
    each = zip(parts.segments.names, parts.samples, results, strict=True)
    blocks = [
        _MetricResults(whole.name, whole.heading, _counts(samples), *result[:4], segment=segment)
        for segment, samples, result in each
    ]
    adjusted = Note("adjusted", _on_joint(results, claims.joint))
    return blocks, [*parts.on_cutoff(request.rule), *notes, adjusted]


def _metrics_by_name(metrics: Any, are_relative: bool) -> dict[str, Metric]:
    """Map what the table calls each metric to the metric."""
    if isinstance(metrics, AnyMetric):
        metrics = [metrics]
    if not isinstance(metrics, Mapping | list | tuple) or not metrics:
        raise InvalidParameterError(
            "The 'metrics' parameter of report must be a metric, a list of them, or a mapping from "
            f"names to them. Got {shown(metrics)} instead."
        )
    named: dict[str, Metric] = {}
    given = metrics.items() if isinstance(metrics, Mapping) else [(None, one) for one in metrics]
    for own, one in given:
        metric = one
        if not isinstance(one, Metric):
            metric = metric_of(one, {}, "report", "metrics", are_relative=are_relative)
        name = metric.name if own is None else str(own)
        if name in named:
            raise ValueError(
                f"Two metrics are called {name!r}. Leave one out, or pass metrics as a mapping "
                "from names that you choose to metrics."
            )
        named[name] = metric
    return named


def _margins(
    margin: Any, named: Mapping[str, Metric], are_relative: bool
) -> dict[str, float | None]:
    """Return the margin of each metric, from one for all, or a mapping from metrics to margins."""
    if not is_mapping(margin):
        return dict.fromkeys(named, margin)
    found: dict[str, float | None] = dict.fromkeys(named)
    for key, each in margin.items():
        names = [key] if isinstance(key, str) and key in named else []
        if not names:
            metric = key
            if not isinstance(key, Metric):
                metric = metric_of(key, {}, "report", "margin", are_relative=are_relative)
            names = [name for name, one in named.items() if _are_same_metric(one, metric)]
        if not names:
            raise InvalidParameterError(
                f"margin has a number for {shown(getattr(key, 'definition', key))}, which is none "
                f"of the metrics. These are {list(named)}."
            )
        found |= dict.fromkeys(names, float(each))
    return found


def _are_same_metric(one: Metric, other: Metric) -> bool:
    return one is other or (one.rule == other.rule and one.all_options == other.all_options)


def _named_levels(groups: list[Any], words: str) -> dict[str, list[Any]]:
    """Return the names of groups, or for tuples each of their parts by the name of its column."""
    size = len(groups[0]) if isinstance(groups[0], tuple) else 0
    if size < 2 or any(not isinstance(group, tuple) or len(group) != size for group in groups):
        return {"group": groups}
    names = re.sub(r"^groups \(|\)$", "", words).split(", ")
    names = names if len(names) == size else [f"group {i + 1}" for i in range(size)]
    return {name: [group[i] for group in groups] for i, name in enumerate(names)}


class _Read(NamedTuple):
    """What was read: the samples of all models, and their segments."""

    samples: dict[Any, Sample]
    parts: Parts | None = None
    notes: Sequence[Note] = ()

    def of_class(self, place: int, label: str) -> _Read:
        samples = {model: each.of_class(place) for model, each in self.samples.items()}
        parts = self.parts and self.parts.of_class(place, label)
        return self._replace(samples=samples, parts=parts)


def _key_of(unread: Unread) -> tuple[int, ...]:
    return tuple(map(id, unread))


def _reading_of(rule: Rule) -> tuple[Any, ...]:
    """Return all that decides what is read for a metric, and what is refused."""
    decides = rule.ties, rule.takes_weights
    if not isinstance(rule, Graded):
        return decides
    highest = getattr(rule, "gains", None) == "exponential"
    return *decides, type(rule), highest, isinstance(rule, OfGroup) and rule.takes_judged


class _Reader:
    """Reads the samples of all models, once for all metrics that need the same."""

    def __init__(self, questions: Sequence[_Question]) -> None:
        self._known: dict[Any, _Read] = {}
        # Groups are evaluated by all metrics with the same data.
        self._rules: dict[tuple[int, ...], list[Rule]] = {}
        rules = [question.metric.rule for question in questions]
        for rule, question in zip(rules, questions, strict=True):
            if not isinstance(rule, Graded):
                same = self._rules.setdefault(_key_of(question.unread), [])
                same.append(check_rule(rule, question.unread.are_relative))
        self._can_be_weighted = all(map(takes_prevalence, rules))

    def read_classes(self, rule: Rule, unread: Unread) -> Iterator[tuple[str, _Read]]:
        """Yield the samples of all models, or with average=None those of each class in turn."""
        read = self._read(rule, unread)
        first = next(iter(read.samples.values()))
        if unread.average is not None or first.evidence.average == "binary":
            yield "", read
            return
        if unread.groups is not None:
            raise ValueError(
                "average=None gives one row for each class. With groups, leave average out and "
                "call per_group() on the result, which has one row for each group."
            )
        names = [list(names_of_columns(sample.rankings)) for sample in read.samples.values()]
        if any(others != names[0] for others in names):
            raise ValueError(f"The models have different classes: {names}. Pass them as classes=.")
        for place, name in enumerate(names[0]):
            _check_class_found(name, place, first.rankings)
            label = f"class {name}"
            yield label, read.of_class(place, label)

    def _read(self, rule: Rule, unread: Unread) -> _Read:
        data = _key_of(unread)
        key = *_reading_of(rule), *data
        if key in self._known:
            return self._known[key]
        # Groups that were evaluated where they are have no rows, which graded metrics read.
        if data in self._known and not isinstance(rule, Graded):
            return self._known[data]
        if unread.besides:
            read = _read_metric_segments(rule, unread, self._can_be_weighted)
        else:
            read = _Read(read_samples([rule, *self._rules.get(data, [])], unread))
        has_rows = all(sample.evidence.has_rows for sample in read.samples.values())
        self._known[key if has_rows else data] = read
        return read


def _read_metric_segments(rule: Rule, unread: Unread, can_be_weighted: bool) -> _Read:
    """Read the samples of all models, and cut them into segments."""
    prevalence: Any = unread.prevalence
    by_segment = is_mapping(prevalence)
    if by_segment:
        unread = unread._replace(prevalence=None)
    samples: dict[Any, Sample] = {}
    segments: dict[Any, Segments] = {}
    before: Inputs | None = None  # of the last model, which may have the same segments
    for reading in readings_of_models(unread):
        with reading as inputs:
            sample = read_sample(rule, inputs)
            if before is None or not _have_same_segments(before, inputs):
                own = read_segments(inputs.besides["by"], inputs, sample.rankings)
            before = inputs
            check_keep_whole(sample, own.rows, own.is_known)
            samples[inputs.model] = sample._replace(model=inputs.model)
            segments[inputs.model] = own
    if are_tables(unread.data):
        samples = beside_one_another(samples, rule)
    weights: dict[Any, Any] = dict.fromkeys(samples)
    if by_segment:
        for model, sample in samples.items():
            whole, weights[model] = weighted_by_segment(sample, segments[model], prevalence)
            samples[model] = sample._replace(evidence=replace(sample.rankings, weight=whole))
            check_weighted(rule)
    parts = Parts.of(samples, segments, weights)
    return _Read(samples, parts, [*parts.notes(samples, by_segment, can_be_weighted)])


def _have_same_segments(one: Inputs, other: Inputs) -> bool:
    return (
        one.besides["by"] is other.besides["by"]
        and one.sample_weight is other.sample_weight
        and len(one.y_true) == len(other.y_true)
    )


@about("y_true")
def _check_class_found(name: Any, place: int, rankings: Rankings) -> None:
    """Check that a class with a row of its own has positives."""
    exist = rankings.n_positives
    exist = np.any(rankings.labels, axis=0) if exist is None else exist
    if not exist[place]:
        raise ValueError(
            f"No positive class found in y_true for the class {name}, so its value is undefined "
            "(0/0) and has no interval. Leave out its column, or for multiclass labels, pass the "
            "other classes as classes=."
        )


def _counts(samples: Mapping[Any, Sample]) -> dict[Any, _CountsOfRows]:
    found = {}
    for model, sample in samples.items():
        evidence = sample.evidence
        n_groups = len(evidence.names or ()) if evidence.is_grouped else None
        found[model] = _CountsOfRows(evidence.n_rows, count_positives(sample), n_groups)
    return found


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
    note: Note, where: Sequence[tuple[str, str]], every: Sequence[tuple[str, str]]
) -> Note:
    """Say which metrics and classes a note is about, unless it is about all of them."""
    if len(where) == len(every):
        return note
    metrics, classes = (dict.fromkeys(names) for names in zip(*every, strict=True))
    own = dict.fromkeys(label for _, label in where)
    if len(classes) > 1 and len(where) == len(own) * len(metrics):  # of all metrics
        names = [*own]
    else:
        names = [
            in_sentence(one_line(f"{name}, {label}" if label else name)) for name, label in where
        ]
    return replace(note, text=f"For {listed(names)}, {in_sentence(note.text)}")


def _on_documents(n_judged: Any, samples: Mapping[Any, Sample], items: str) -> Note:
    """Count the queries, their judged items, and those that each model has retrieved."""
    n_all = sum(count for _, own in n_judged.items() for _, count in own.items())
    found = {model: sample.evidence.n_rows for model, sample in samples.items()}
    each = listed(
        [f"{n:,} by {one_line(model)}".removesuffix(" by ") for model, n in found.items()]
    )
    if len(found) > _MOST_COUNTED:
        each = f"{min(found.values()):,} to {max(found.values()):,} by each model"
    words = next(iter(samples.values())).group_words
    return Note(
        "documents",
        f"{len(n_judged):,} {words} have {n_all:,} judged {items}. Retrieved: {each}.",
    )


def _on_joint(results: Sequence[SegmentResult], joint: bool) -> str:
    """Say for how many segments and differences intervals hold at once."""
    n_segments = sum(not each.reason for each in results)
    n_models = len(results[0].intervals)
    from_what = "the baseline" if n_models > 1 else "other rows"
    if not joint:
        return f"Each interval and p is for one segment alone. Differences are from {from_what}."
    n_compared = results[0].n_compared
    of_each = "the intervals of each model hold" if n_models > 1 else "the intervals hold"
    if not n_segments:
        return "No segment has an interval."
    of_all = f"all {n_segments:,} segments at once"
    of_all = "the one segment that has any" if n_segments == 1 else of_all
    if not n_compared:
        return f"Apart from the row for all data, {of_each} for {of_all}."
    comparisons = "1 comparison" if n_compared == 1 else f"{n_compared:,} comparisons"
    return (
        f"Apart from the row for all data, {of_each} for {of_all}, and p and the intervals of the "
        f"differences from {from_what} are adjusted for {comparisons}."
    )


def _evaluate(
    request: IntervalRequest,
    samples: dict[Any, Sample],
    baseline: Any,
    claims: Claims,
    has_tables: bool,
) -> tuple[dict[Any, Interval], Any, dict[Any, Comparison], str]:
    """Compute the intervals of all models by one metric, and compare the models.

    If there are no intervals, also return the reason.
    """
    is_random = request.method == "randomization"
    alone, intervals = request._replace(method="auto") if is_random else request, {}
    for model, sample in samples.items():
        naming = naming_model(model, samples, has_tables)
        try:
            with step(f"interval of {model}".removesuffix(" of ")), naming:
                intervals[model] = interval_of(alone, sample, claims.level)
        except SingleUnitError as error:
            found = _values_alone(request, samples, baseline, claims, error.basis)
            return *found, error.reason
    if len(samples) == 1:
        return intervals, baseline, {}, ""
    with step("differences"):
        base, pairs, _ = compare_models(request, samples, baseline, claims, has_tables)
    return intervals, base, pairs, ""


def _values_alone(
    request: IntervalRequest, samples: dict[Any, Sample], baseline: Any, claims: Claims, basis: str
) -> tuple[dict[Any, Interval], Any, dict[Any, Comparison]]:
    """Compute values and differences of a single sampling unit, which has no intervals."""
    intervals = {
        model: value_alone(request, sample, claims.level, basis)
        for model, sample in samples.items()
    }
    values = {model: one.value for model, one in intervals.items()}
    best = baseline
    if baseline is None:
        best = [*values][place_of_best(request.rule.sign * np.array([*values.values()]))]
    pairs = {
        model: difference_alone(request, one, values[best], (model, best), claims)
        for model, one in intervals.items()
        if model != best
    }
    return intervals, best if pairs else baseline, pairs
