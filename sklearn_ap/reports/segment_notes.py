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
            "Don't compare segments with each other: their fractions of positives differ.\n"
            "Average precision and precision rise with it."
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
            f"k={facts.k} counts rows of each segment{per_group}.\nTo cut the whole ranking "
            f"once, choose a threshold by operating_point(..., k={facts.k}{groups}), and check it "
            "on the rows of each segment.",
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


def make_note_adjusted(
    n_segments: int, n_differences: int, is_compared: bool, joint: bool
) -> Note | None:
    """Say for how many segments or differences what is printed of segments holds at once."""
    printed, number, things = "Intervals", n_segments, "segments"
    if is_compared:
        printed, number, things = "Intervals and p of segments", n_differences, "comparisons"
    if not joint:
        return Note("adjusted", f"{printed} are not adjusted: each is for one segment alone.")
    if number < 2:
        return None
    return Note("adjusted", f"{printed} hold for all {number:,} {things} at once.")


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
        f"({listed}), so {are} undefined (0/0). Use zero_division to choose a value and silence "
        "this warning.",
        category=UndefinedMetricWarning,
    )
