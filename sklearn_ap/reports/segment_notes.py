"""The sentences of a report on its segments, made from facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sklearn.exceptions import UndefinedMetricWarning

from .._show.results import Note
from .._words.messages import NO_POSITIVES_IN_LABELS, format_count, warn
from ..core.cutoff import Cut


class SegmentFacts(NamedTuple):
    """What readers should know before they compare segments."""

    n_groups_without_rows: int  # which belong to no segment
    has_different_fractions: bool  # of positives, with which the metric rises
    can_be_weighted: bool  # so that the fractions become equal
    k: Cut | None  # rows that it counts in each segment; None if it cuts no ranking into parts
    has_groups: bool


def make_segment_notes(facts: SegmentFacts) -> Iterator[Note]:
    """Say what counts for all data only, whether segments can be compared, and what k is."""
    if n := facts.n_groups_without_rows:
        groups = "1 group has" if n == 1 else f"{n:,} groups have"
        yield Note(
            "groups_without_rows",
            f"{groups} no rows, only a number of positives, so nothing says to which "
            "segment they belong: they count for all data only.",
        )
    if facts.has_different_fractions:
        text = (
            "The fraction of positives differs between segments, and average precision and "
            "precision rise with it."
        )
        if facts.can_be_weighted:
            text += (
                " To compare segments as if half of the rows were positive in each, pass a "
                "sample_weight of 1 for positives, and of n_positives / n_negatives of their "
                "segment for negatives."
            )
        yield Note("fraction_of_positives", text)
    if facts.k is not None:
        per_group, groups = "", ""
        if facts.has_groups:
            per_group, groups = " and group", ", groups=..."
        yield Note(
            "k_in_segments",
            f"k={facts.k} counts rows of each segment{per_group}. To cut the whole ranking "
            f"once, choose a threshold: operating_point(..., k={facts.k}{groups})"
            ".check(..., by=...).",
        )


def name_segments(remarks: Sequence[tuple[str, Note]]) -> Note:
    """Say in the first of these notes which segment it is about, and how many others have this
    note, or a similar one.
    """
    first, note = remarks[0]
    n_others = len({segment for segment, _ in remarks}) - 1
    others = format_count(n_others, "others")
    where = f"the segment {first}"
    if n_others and all(other == note for _, other in remarks):
        where += f" and {others}"
    elif n_others:
        where += f", and similarly in {others}"
    return Note(note.code, f"In {where}: {note.text}")


def make_note_adjusted(n_segments: int, n_differences: int, n_models: int, joint: bool) -> Note:
    """Say for how many segments and differences intervals hold at once."""
    return Note("adjusted", _describe_family(n_segments, n_differences, n_models, joint))


def _describe_family(n_segments: int, n_differences: int, n_models: int, joint: bool) -> str:
    if not joint and n_models == 1:
        return "Each interval is for one segment alone."
    if not joint:
        return "Each interval and p is for one segment alone. Differences are from the baseline."
    if not n_segments:
        return "No segment has an interval."
    of_all = f"all {n_segments:,} segments at once"
    if n_segments == 1:
        of_all = "the one segment that has any"
    of_each = "the intervals of each model hold" if n_models > 1 else "the intervals hold"
    text = f"Apart from the row for all data, {of_each} for {of_all}"
    if not n_differences:
        return f"{text}."
    comparisons = format_count(n_differences, "comparisons")
    return (
        f"{text}, and p and the intervals of the differences from the baseline are adjusted for "
        f"{comparisons}."
    )


def warn_of_segments_without_positives(
    n_lacking: int, n_segments: int, listed: str, label: str
) -> None:
    """Warn of the segments that lack positives, as the caller hasn't chosen the value of 0/0.

    The `label` is the class that they lack; it can be "".
    """
    of_class = f", {label}," if label else ""
    are = "the value is" if n_lacking == 1 else "their values are"
    warn(
        f"{NO_POSITIVES_IN_LABELS}{of_class} for {n_lacking:,} of {n_segments:,} segments "
        f"({listed}), so {are} undefined (0/0) and set to 0.0. Use zero_division to choose another "
        "value and silence this warning.",
        category=UndefinedMetricWarning,
    )
