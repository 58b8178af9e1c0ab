"""The rows of a report: what it says of each model by a metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._infer.intervals import Comparison, Interval
from .._infer.sentences import describe_basis, describe_random_values, write_metric
from .._show.pictures import NOTHING, IntervalMark, MarkedRow, Strip
from .._show.results import (
    Note,
    Value,
    format_difference,
    format_difference_cells,
    format_ends,
    join_lines,
    write_value,
)
from .._words.messages import format_count
from .evaluation import FEW_POSITIVES, Evaluation
from .segments import SegmentName


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
    margin_low: float = np.nan  # of the difference, by which claims about the margin are judged
    margin_high: float = np.nan
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
    interval: Interval = field(kw_only=True, repr=False, compare=False)

    @property
    def chance(self) -> float:
        """The mean value of random rankings of the same rows."""
        return self.interval.chance

    def _as_dict(self) -> Any:
        return super()._as_dict() | {"chance": self.chance}


class ModelCounts(NamedTuple):
    n_samples: int
    n_positives: int
    n_groups: int | None  # None if the table says how many positives there are

    @property
    def size(self) -> int:
        """What the table says of how much there is: groups or positives."""
        return self.n_positives if self.n_groups is None else self.n_groups


@dataclass(frozen=True, kw_only=True)
class MetricResults(Evaluation):
    """What a report says by one metric, of all data or of a segment.

    Nothing is compared if there is only one model.
    """

    name: str  # of the metric
    title: str = ""  # the name of the metric above the table, if it says more
    called: str = ""  # as the caller did, if that isn't the name
    counts: dict[Any, ModelCounts]  # of each model
    segment: SegmentName | None = None  # None for all data

    @property
    def is_named(self) -> bool:
        """Whether models have names, unlike a single one whose scores have none."""
        return [*self.intervals] != [""]

    def collect_notes(self) -> Iterator[Note]:
        """Yield the notes of the intervals, of the differences, and on why there are none."""
        of_pairs = [note for pair in self.pairs.values() for note in pair.notes]
        yield from of_pairs
        says_least_margin = any(note.code == "least_margin" for note in of_pairs)
        for interval in self.intervals.values():
            for note in interval.said:
                if note.code != "few_groups" or not says_least_margin:  # which count the same units
                    yield note
        if self.reason and not self.lacks_positives:
            yield Note("no_interval", self.reason)

    @property
    def computation(self) -> dict[str, Any]:
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
        interval = next(iter(self.intervals.values()))
        result: Any = next(iter(self.pairs.values()), interval)
        named = replace(interval, method="" if self.reason else result.method)
        baselines = [each.random_baseline for each in self.intervals.values()]
        return describe_basis(named, describe_random_values(baselines, interval.places))

    @property
    def heading(self) -> tuple[str, str]:
        """The metric, and what its rows rest on."""
        interval = next(iter(self.intervals.values()))
        return write_metric(replace(interval, metric=self.title or self.name)), self.basis

    @property
    def shown(self) -> str:
        """The metric as pictures show it."""
        return self.called or self.heading[0]

    @property
    def lacks_positives(self) -> bool:
        """Whether there are no positives, or too few to be judged."""
        has_none = not all(each.n_positives for each in self.counts.values())
        return self.has_few_positives or (bool(self.reason) and has_none)

    @property
    def has_few_positives(self) -> bool:
        """Whether there are fewer positives than the caller wants to judge."""
        return self.reason == FEW_POSITIVES

    @property
    def is_judged(self) -> bool:
        """Whether gates count it, which pass over segments of few positives or without a value."""
        has_no_value = all(np.isnan(interval.value) for interval in self.intervals.values())
        lacks_value = self.segment is not None and has_no_value
        return not self.has_few_positives and not lacks_value

    def can_be_random(self, model: Any) -> bool:
        """Whether the interval of a model isn't above random rankings."""
        interval = self.intervals[model]
        random = interval.random_baseline
        return random.has_all and bool(interval.low <= random.estimate_mean(interval.low))

    @property
    def margin(self) -> float | None:
        """The smallest difference that matters."""
        return next((pair.margin for pair in self.pairs.values()), None)

    def make_rows(self) -> Iterator[ReportRow]:
        """Yield the row of each model. Without pairs, there is no difference."""
        for model, interval in self.intervals.items():
            pair = self.pairs.get(model)
            counts = self.counts[model]
            fields = self.computation | {"margin": self.margin, "interval": interval}
            fields |= {"n_samples": counts.n_samples, "n_positives": counts.n_positives}
            if pair is not None:
                fields |= {"difference": pair.difference, "pvalue": pair.pvalue}
                fields |= {"difference_low": pair.low, "difference_high": pair.high}
                fields |= {"margin_low": pair.margin_low, "margin_high": pair.margin_high}
                fields["verdict"] = None if self.lacks_positives else pair.verdict
            elif self.pairs and not self.has_few_positives:
                # The baseline's own difference is nan if it has no value.
                fields["difference"] = interval.value - interval.value
            segment, column = (None, None) if self.segment is None else self.segment
            yield ReportRow(model, self.name, segment, column, *interval, **fields)

    def draw_row(self, name: str) -> MarkedRow:
        """Return what a picture shows next to a name. Few positives aren't drawn."""
        marks = []
        for row in self.make_rows():
            value, difference = (row.value, row.low, row.high), NOTHING
            if row.verdict:
                difference = row.difference, row.difference_low, row.difference_high
            if self.has_few_positives:
                value = difference = NOTHING
            marks.append(IntervalMark(value, difference, row.verdict))
        return MarkedRow(name, marks, self.margin, self.reason if self.lacks_positives else "")

    def draw_models(self, names: Sequence[str]) -> Strip:
        """Return what a picture shows that has a row for each model."""
        row = self.draw_row("")
        rows = [
            row._replace(name=name, marks=[mark])
            for name, mark in zip(names, row.marks, strict=True)
        ]
        return Strip(f"{self.shown}: {self.basis}", rows)

    @property
    def n_shown(self) -> int:
        """How many positives or groups there are, of the model that has most."""
        return max(counts.size for counts in self.counts.values())

    @property
    def size(self) -> str:
        are_positives = next(iter(self.counts.values())).n_groups is None
        return format_count(self.n_shown, "positives" if are_positives else "groups")

    def format_cells(self) -> Iterator[list[str]]:
        """Yield the cells of each model."""
        for model, interval in self.intervals.items():
            cells = [join_lines(model)] if self.is_named else []
            cells += [write_value(interval.value, interval.places), self._format_limits(interval)]
            if self.pairs:
                cells += self._format_difference(model)
            yield cells

    def format_segment_cells(self, segment: str, are_several: bool) -> Iterator[list[str]]:
        """Yield the cells of each model that is compared, or that there is: its name if there are
        several, its value, and that of the baseline or an interval.

        Before them are the name of the segment, and how many groups it has, or without groups, how
        many positives.
        """
        for model in self.pairs or self.intervals:
            interval = self.intervals[model]
            cells = [segment, f"{self.counts[model].size:,}"]
            if are_several:
                cells.append(join_lines(model))
            cells.append(write_value(interval.value, interval.places))
            if self.pairs:
                baseline = self.intervals[self.baseline]
                cells.append(write_value(baseline.value, interval.places))
                cells += self._format_difference(model)
            else:
                cells.append(self._format_limits(interval))
            yield cells

    def _format_limits(self, interval: Interval) -> str:
        """Format the interval of a value, or if no verdict says so, why there is none."""
        limits = format_ends(interval.low, interval.high, interval.places)
        if limits or self.pairs:
            return limits
        return self.reason if self.lacks_positives else "no interval"

    def _format_difference(self, model: Any) -> list[str]:
        """Format the difference of a model from the baseline, its interval, p and verdict."""
        pair, places = self.pairs.get(model), self.intervals[model].places
        if pair is None or not self.lacks_positives:
            return format_difference_cells(pair, places, "baseline")
        is_defined = pair.difference == pair.difference
        difference = format_difference(pair.difference, places) if is_defined else ""
        return [difference, "", "", self.reason]
