"""A threshold in each segment of new data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._read.columns import rows_at
from .._read.group_names import in_types_of, read_names
from .._read.rankings import read_ranking
from .._read.segments import Segments, read_segments
from .._read.units import check_whole, refuse_one_number, split_n_positives
from .._show.results import Printed, Table, Value, level_of, one_line
from .._words.arrays import several_columns
from .._words.inputs import Inputs
from .._words.messages import heard_by
from .._words.parameters import is_mapping, text_of
from ..core.families import Family
from ..core.within import Array
from .checks import Estimate, ThresholdCheck, check_in_memory, in_all


@dataclass(frozen=True, eq=False)
class SegmentCheck(Value):
    """What a threshold does in a segment: a row of `SegmentChecks`."""

    segment: Any  # None for all data
    n_samples: int
    n_positives: int
    n_flagged: int
    true_positives: int
    precision: Estimate
    recall: Estimate
    flagged_share: Estimate
    kept: dict[str, bool | None]


@dataclass(frozen=True, eq=False, repr=False)
class SegmentChecks(Table):
    """Result of `point.check(by=)`: what a threshold does in each segment of new data.

    Attributes
    ----------
    rows : tuple
        One row for all data, whose `segment` is None, and one for each segment. Each has
        `n_samples`, `n_positives`, `n_flagged`, `true_positives`, and `precision`, `recall` and
        `flagged_share` with `value`, `low` and `high`. `kept` says whether each target was kept, or
        None if there isn't enough data to tell.
    is_kept : bool or None
        False if a target was broken in all data or in a segment, otherwise None if one can't be
        told, otherwise True.
    confidence_level : float
        The probability with which all intervals of a measure contain the true values of the
        segments.
    joint : bool
        Whether the intervals hold for all segments at once.

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
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)  # on missing values

    @property
    def is_kept(self) -> bool | None:
        """False if a target was broken anywhere, otherwise None if one can't be told."""
        return in_all(kept for row in self.rows for kept in row.kept.values())

    def _as_dict(self) -> list[dict[str, Any]]:
        found = []
        for row in self.rows:
            own = {name: value for name, value in vars(row).items() if name != "kept"}
            for name in _MEASURES:
                one = own.pop(name)
                own |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
            kept = {f"{target}_kept": each for target, each in row.kept.items()}
            found.append({**own, **kept, "confidence_level": self.confidence_level})
        return found

    def _printed(self) -> Printed:
        header = "segment", "samples", "flagged", "positives", *_MEASURES.values()
        cells = []
        for row in self.rows:
            name = one_line(_name_of(row))
            counts = row.n_samples, row.n_flagged, row.n_positives
            each = [str(getattr(row, measure)) for measure in _MEASURES]
            cells.append([name, *(f"{number:,}" for number in counts), *each])
        title = f"One threshold in each segment, with {level_of(self)}s"
        return Printed(header, [("", "", cells)], title, [*self._notes()])

    def _notes(self) -> Iterator[str]:
        yield from self.notes
        if self.joint and len(self.rows) > 2:
            number = len(self.rows) - 1
            yield (
                "Apart from the row for all data, the intervals of each measure hold for all "
                f"{number:,} segments at once."
            )
        broken = [_name_of(row) for row in self.rows if False in row.kept.values()]
        if broken:
            yield f"A target was not kept in {', '.join(broken)}."
        unclear = [row for row in self.rows if row.kept and in_all(row.kept.values()) is None]
        if unclear:
            which = "all rows" if len(unclear) == len(self.rows) else _listed(unclear)
            yield f"There isn't enough data to tell whether the targets were kept in {which}."


def _name_of(row: SegmentCheck) -> str:
    return "all data" if row.segment is None else text_of(row.segment)


def _listed(rows: Sequence[SegmentCheck]) -> str:
    """Name some rows, and say how many others there are."""
    names = [_name_of(row) for row in rows[:_MOST_NAMED]]
    more = len(rows) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


_MOST_NAMED = 10  # segments without enough data
_MEASURES = {"precision": "precision", "recall": "recall", "flagged_share": "fraction flagged"}


def checked_by_segment(
    point: Any, level: float, joint: bool, benefit: Any, inputs: Inputs
) -> SegmentChecks:
    """Measure a threshold in each segment. The intervals of each measure hold at once."""
    whole = check_in_memory(point, level, benefit, inputs)
    samples, _ = read_ranking(inputs)
    segments = read_segments(inputs.besides["by"], inputs, samples)
    exists = segments.exists
    family = Family(len(segments.names))
    if inputs.clusters is None and inputs.groups is None and not segments.may_overlap:
        family = Family.independent(len(segments.names))
    within = family.level(level) if joint else level
    rows = [_row(None, whole, int(samples.labels.sum()))]
    counts = _counts_in_segments(inputs, segments)
    for name, places, own_counts in zip(segments.names, segments.rows, counts, strict=True):
        kept = np.zeros(exists.size, dtype=bool)
        kept[np.flatnonzero(exists)[places]] = True
        own = inputs._replace(
            y_true=samples.labels[places],
            y_score=samples.scores[places],
            sample_weight=None if samples.weight is None else samples.weight[places],
            groups=_some(inputs.groups, kept),
            clusters=_some(inputs.clusters, kept),
            besides={"benefit": _some(inputs.besides.get("benefit"), kept)},
            pos_label=1,
            min_grade=None,
            n_positives=own_counts,
        )
        with heard_by(lambda *_: None):  # all data have given the warnings
            found = check_in_memory(point, within, benefit, own)
        rows.append(_row(name, found, int(samples.labels[places].sum())))
    return SegmentChecks(tuple(rows), float(level), joint, tuple(segments.notes()))


def _row(segment: Any, found: ThresholdCheck, n_positives: int) -> SegmentCheck:
    measures = found.precision, found.recall, found.flagged_share
    counts = found.n_samples, n_positives, found.n_flagged, found.true_positives
    return SegmentCheck(segment, *counts, *measures, found.kept)


def _some(column: Any, kept: Array) -> Any:
    several = None if column is None else several_columns(column)
    if several is not None:
        return tuple(rows_at(each, kept) for each in several)
    return None if column is None else rows_at(column, kept)


def _counts_in_segments(inputs: Inputs, segments: Segments) -> list[dict[Any, float] | None]:
    """Return the numbers of the groups or clusters in each segment, which has all of their rows."""
    counts: Any = inputs.n_positives
    if counts is None:
        return [None] * len(segments.names)
    role, column = "groups", inputs.groups
    if column is None:
        role, column = "clusters", inputs.clusters
    else:
        counts, _ = split_n_positives(counts, column, inputs.clusters)
    if not is_mapping(counts) or column is None:
        refuse_one_number()
    names, number = read_names(column, role).keep(segments.exists).numbered()
    check_whole(number, names, role.removesuffix("s"), segments.rows, segments.is_known)
    found = dict(counts.items())
    key_of = dict(zip(in_types_of(names, [*found]), found, strict=True))
    if of_groups := segments.of_groups:
        return [
            {key: found[key] for group, key in key_of.items() if of_groups.get(group) == name}
            for name in segments.names
        ]
    return [
        {key_of[names[place]]: found[key_of[names[place]]] for place in np.unique(number[rows])}
        for rows in segments.rows
    ]


SegmentChecks.__module__ = "sklearn_ap.thresholds"  # where users find it
