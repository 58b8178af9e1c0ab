"""A threshold in each segment of new data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from .._inputs.records import Inputs, NPositives
from .._read.group_names import convert_keys, name_all_groups, read_names
from .._read.samples import (
    SegmentName,
    Segments,
    check_names_are_whole,
    read_segments,
    refuse_single_count,
    split_n_positives,
    write_segment,
)
from .._show import results
from .._words.messages import redirect_warnings
from .._words.parameters import is_mapping
from ..core.rankings import Rankings
from ..core.verdicts import compute_single_level
from . import checks
from .point import Point


@dataclass(frozen=True, eq=False)
class SegmentCheck(results.Value):
    """What a threshold does in a segment: a row of `SegmentChecks`."""

    segment: Any  # the value that its rows have in common; None for all data
    segment_column: str | None  # in which they have it; None for all data, or without a name
    n_samples: int
    n_positives: int
    n_flagged: int
    true_positives: int
    precision: checks.Estimate
    recall: checks.Estimate
    flagged_share: checks.Estimate
    kept: dict[str, bool | None]


@dataclass(frozen=True, eq=False, repr=False)
class SegmentChecks(results.Table):
    """Result of `point.check(by=)`: what a threshold does in each segment of new data.

    Attributes
    ----------
    rows : tuple
        One row for all data, whose `segment` is None, and one for each segment, which is a value of
        the column that `segment_column` names. Each row has `n_samples`, `n_positives`,
        `n_flagged`, `true_positives`, and `precision`, `recall` and `flagged_share` with `value`,
        `low` and `high`. `kept` says whether each target was kept, or None if there isn't enough
        data to tell.
    is_kept : bool or None
        False if a target was broken in all data or in a segment, otherwise None if one can't be
        told, otherwise True.
    confidence_level : float
        The probability with which all intervals of a measure contain the true values of the
        segments.
    joint : bool
        Whether the intervals hold for all segments at once.
    notes : tuple of Note
        What else there is to say, each with a `code` and a `text`, such as how many rows have no
        segment.
    threshold : float or int
        The threshold.
    targets : dict
        The values of the targets; see :class:`ThresholdCheck`.
    as_chosen : dict
        What the check has taken over from the choice; see :class:`ThresholdCheck`.
    by : tuple of str
        The names of the columns of segments, if they have any.

    See Also
    --------
    OperatingPoint.check : Check a threshold on new data, with `by`.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> point = ap.operating_point([1, 0, 1, 0], [4, 3, 2, 1], min_recall=1.0)
    >>> country = ["DE", "FR", "DE", "FR"]
    >>> check = point.check([1, 0, 1, 1], [4, 3, 2, 1], by=country)
    >>> [(row.segment, row.recall.value) for row in check]
    [(None, 0.667), ('DE', 1.0), ('FR', 0.0)]
    """

    rows: tuple[SegmentCheck, ...]
    confidence_level: float
    joint: bool = True
    notes: tuple[results.Note, ...] = field(default=(), repr=False, compare=False)
    threshold: Any = field(default=None, repr=False)
    targets: dict[str, float] = field(default_factory=dict, repr=False)
    by: tuple[str, ...] = field(default=(), repr=False)
    as_chosen: dict[str, Any] = field(default_factory=dict, kw_only=True, repr=False, compare=False)

    @property
    def is_kept(self) -> bool | None:
        """False if a target was broken anywhere, otherwise None if the data can't decide."""
        return checks.summarize_verdicts(kept for row in self.rows for kept in row.kept.values())

    def _as_dict(self) -> list[dict[str, Any]]:
        of_all: dict[str, Any] = {"confidence_level": self.confidence_level, "joint": self.joint}
        of_all |= {"threshold": self.threshold, **self.targets}
        of_all |= {"version": results.FORMAT_VERSION, "by": self.by, "notes": self.notes}
        of_all |= {"conditions": self.conditions, "as_chosen": self.as_chosen}
        return [checks.to_columns(vars(row)) | of_all for row in self.rows]

    def _printed(self) -> results.Printed:
        header = "segment", "samples", "flagged", "positives", *_MEASURES.values()
        first = "first those in which a target wasn't kept"
        segments, notes = results.select_segments(self.rows[1:], _rank_by_verdicts, first)
        cells = []
        for row in [self.rows[0], *segments]:
            counts = [f"{n:,}" for n in (row.n_samples, row.n_flagged, row.n_positives)]
            estimates = [str(getattr(row, measure)) for measure in _MEASURES]
            cells.append([results.join_lines(self._write_name(row)), *counts, *estimates])
        title = f"One threshold in each segment, with {results.format_level(self)}s"
        return results.Printed(header, [("", "", cells)], title, [*notes, *self._notes()])

    def _notes(self) -> Iterator[str]:
        yield from checks.describe_choice(self.as_chosen)
        yield from (f"Note: {text}" for text in results.format_notes(self.notes))
        if self.joint and len(self.rows) > 2:
            number = len(self.rows) - 1
            yield (
                "Apart from the row for all data, the intervals of each measure hold for all "
                f"{number:,} segments at once."
            )
        broken = [self._write_name(row) for row in self.rows if False in row.kept.values()]
        if broken:
            yield f"A target was not kept in {', '.join(broken)}."
        unclear = [
            row
            for row in self.rows
            if row.kept and checks.summarize_verdicts(row.kept.values()) is None
        ]
        if unclear:
            which = "all rows" if len(unclear) == len(self.rows) else self._write_names(unclear)
            yield f"There isn't enough data to tell whether the targets were kept in {which}."

    def _write_name(self, row: SegmentCheck) -> str:
        """Write the name of a segment, or of all data."""
        if row.segment is None:
            return write_segment(None, self.by)
        return write_segment(SegmentName(row.segment, row.segment_column), self.by)

    def _write_names(self, rows: Sequence[SegmentCheck]) -> str:
        """Name some rows, and say how many others there are."""
        names = ", ".join(map(self._write_name, rows[:_MAX_NAMED_SEGMENTS]))
        n_others = len(rows) - _MAX_NAMED_SEGMENTS
        return f"{names} and {n_others:,} more" if n_others > 0 else names


def _rank_by_verdicts(row: SegmentCheck) -> int:
    """Return a number to sort segments by, with those in which a target wasn't kept first."""
    return [False, None, True].index(checks.summarize_verdicts(row.kept.values()))


_MAX_NAMED_SEGMENTS = 10  # segments without enough data
_MEASURES = {"precision": "precision", "recall": "recall", "flagged_share": "fraction flagged"}


def check_each(point: Point, level: float, joint: bool, inputs: Inputs) -> SegmentChecks:
    """Measure a threshold on all new samples, and on those of each segment.

    If `joint`, the intervals of each measure have this level for all segments at once. The notes
    are those on all data, which the same check without segments has, and those on rows without a
    segment.
    """
    samples = checks.read_new_rows(inputs)
    of_all = checks.measure_rows(point, samples)
    segments = read_segments(inputs.besides["by"], inputs, _with_all_groups(samples))
    counts = _counts_in_segments(inputs, segments)
    segment_level = compute_single_level(level, len(segments.names)) if joint else level
    check = checks.judge_kinds(point, level, of_all, inputs)
    rows = [_segment_row(None, check, of_all)]
    with redirect_warnings(lambda *_: None):  # all data have given the warnings
        for name, places, n_positives in zip(segments.names, segments.rows, counts, strict=True):
            kinds = checks.measure_rows(point, samples.select(places, n_positives))
            rows.append(_segment_row(name, checks.judge_kinds(point, segment_level, kinds), kinds))
    unknown = (results.Note("no_segment", text) for text in segments.notes())
    return SegmentChecks(
        tuple(rows),
        float(level),
        joint,
        results.sort_notes([*check.notes, *unknown]),
        threshold=check.threshold,
        targets=check.targets,
        by=segments.columns,
    )


def _segment_row(
    name: SegmentName | None, check: checks.ThresholdCheck, kinds: checks.Kinds
) -> SegmentCheck:
    segment, column = (None, None) if name is None else name
    both = [each.name for each in fields(SegmentCheck) if hasattr(check, each.name)]
    n_positives = kinds.sums.count(checks.POSITIVE_CELLS)
    shared = {each: getattr(check, each) for each in both}
    return SegmentCheck(segment, column, n_positives=n_positives, **shared)


def _with_all_groups(rows: checks.NewRows) -> Rankings:
    """Add the groups that only n_positives names, which can be in segments, too."""
    samples, exist = rows.samples, rows.n_positives
    if samples.group is None or not is_mapping(exist):
        return samples
    names, number, _ = name_all_groups(samples.names or (), exist, samples.weight is not None)
    return replace(samples, names=names, group=number[samples.group])


def _counts_in_segments(inputs: Inputs, segments: Segments) -> list[NPositives]:
    """Return how many positives exist in each segment, or with groups, in each group of it.

    A segment has all rows of its groups or clusters.
    """
    counts: Any = inputs.n_positives
    if counts is None:
        return [None] * len(segments.names)
    role, column = "groups", inputs.groups
    if column is None:
        role, column = "clusters", inputs.clusters
    else:
        counts, _ = split_n_positives(counts, column, inputs.clusters)
    if not is_mapping(counts) or column is None:
        refuse_single_count()
    names, number = read_names(column, role).keep(segments.exists).number_names()
    check_names_are_whole(number, names, role.removesuffix("s"), segments.rows, segments.is_known)
    counts = dict(counts.items())  # of pandas, too
    # Keys can have other types than the names that are equal to them.
    key_of = dict(zip(convert_keys(names, [*counts]), counts, strict=True))
    counts_in_segments: list[Any] = []
    for segment, rows in zip(segments.names, segments.rows, strict=True):
        if segments.of_groups:  # which has groups without rows, too
            keys = [
                key for name, key in key_of.items()
                if segments.of_groups.get(name) == segment.value
            ]  # fmt: skip
        else:
            keys = [key_of[names[place]] for place in np.unique(number[rows])]
        counts_in_segments.append({key: counts[key] for key in keys})
    if role == "clusters" and not segments.of_groups:
        return [sum(of_clusters.values()) for of_clusters in counts_in_segments]
    return counts_in_segments


SegmentChecks.__module__ = "sklearn_ap.thresholds"  # where users find it
