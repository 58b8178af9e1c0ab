"""The rows of a report: what it says of each model by a metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._infer.intervals import Comparison, Interval
from .._infer.sentences import describe_random_values, lower_first
from .._read.samples import SegmentName
from .._show.results import (
    Note,
    Value,
    describe_basis,
    format_difference_cells,
    format_ends,
    join_lines,
)
from ..core.ranks import find_best
from .evaluation import NO_POSITIVES, Evaluation


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


class ModelCounts(NamedTuple):
    n_samples: int
    n_positives: int
    n_groups: int | None  # None without groups

    @property
    def size(self) -> int:
        """What the table says of how much there is: groups, or without groups, positives."""
        return self.n_positives if self.n_groups is None else self.n_groups


@dataclass(frozen=True, kw_only=True)
class MetricResults(Evaluation):
    """What a report says by one metric, of all data or of a segment.

    Nothing is compared if there is only one model.
    """

    name: str  # of the metric
    counts: dict[Any, ModelCounts]  # of each model
    segment: SegmentName | None = None  # None for all data

    @property
    def is_named(self) -> bool:
        """Whether models have names, unlike a single one whose scores have none."""
        return [*self.intervals] != [""]

    def collect_notes(self) -> Iterator[Note]:
        """Yield the notes of the intervals, of the differences, and on why there are none."""
        for interval in self.intervals.values():
            yield from interval.said
        for pair in self.pairs.values():
            yield from pair.notes
        if self.reason:
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
        basis: str = self.computation["basis"]
        if not self.reason:
            basis = describe_basis(self.computation["method"], basis)
        return basis + describe_random_values(self.intervals.values())

    @property
    def lead(self) -> str:
        """Say that no model has a higher value than the baseline, if that is so; or else nothing.

        There have to be pairs.
        """
        is_greater_better = all(pair.greater_is_better for pair in self.pairs.values())
        sign, word = (1, "highest") if is_greater_better else (-1, "lowest")
        # That of the baseline comes first, so place 0 is the best one even if others are equal.
        intervals = [self.intervals[self.baseline], *self.intervals.values()]
        values = np.array([interval.value for interval in intervals])
        if find_best(sign * values) != 0:
            return ""
        return f"{join_lines(self.baseline)} has the {word} {lower_first(join_lines(self.name))}"

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
                fields["verdict"] = pair.verdict
            elif self.pairs:  # the baseline, whose difference is nan if it has no value
                fields["difference"] = interval.value - interval.value
            segment, column = (None, None) if self.segment is None else self.segment
            yield ReportRow(model, self.name, segment, column, *interval, **fields)

    def select_plotted(self, of: str) -> dict[Any, tuple[float, float, float]]:
        """Return the value of each model, or its difference from the baseline, as the value, the
        low and the high end of its interval. `of` is "values" or "differences".
        """
        if of == "values":
            return {row.model: (row.value, row.low, row.high) for row in self.make_rows()}
        return {
            row.model: (row.difference, row.difference_low, row.difference_high)
            for row in self.make_rows()
        }

    def format_cells(self, has_verdicts: bool) -> Iterator[Sequence[str]]:
        """Yield the cells of each model. If some metric of the report `has_verdicts`, all metrics
        have a cell for them.
        """
        for row in self.make_rows():
            places, is_baseline = self.intervals[row.model].places, row.model == self.baseline
            limits = format_ends(row.low, row.high, places)
            if self.reason == NO_POSITIVES:
                limits = self.reason
            cells = [f"{row.value:z.{places}f}", limits]
            if self.is_named:
                cells.insert(0, join_lines(row.model))
            if self.pairs:
                cells += format_difference_cells(self.pairs.get(row.model), is_baseline, places)
            if has_verdicts:
                cells.append("" if self.margin is None else row.verdict or "")
            yield cells

    def format_segment_cells(
        self, name: str, n_columns: int, has_verdicts: bool
    ) -> Iterator[Sequence[str]]:
        """Yield the cells of each model, after the name of the segment and how much it has: groups,
        or without groups, positives. The name stands in the first row, and the count only there if
        all models have the same.
        """
        counts = [of_model.size for of_model in self.counts.values()]
        for cells, count in zip(self.format_cells(has_verdicts), counts, strict=True):
            number = f"{count:,}" if name or len(set(counts)) > 1 else ""
            yield [name, number, *cells, *[""] * (n_columns - 2 - len(cells))]
            name = ""
