"""Segments in a report: for each of them the same call on its rows, for all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc
from sklearn.exceptions import UndefinedMetricWarning

from .._enter.models import read_rows_of_models
from .._infer.comparisons import Claims, PairedModels, make_interval, pair_models, vary_model
from .._infer.settings import IntervalSettings
from .._infer.variation import Plan
from .._inputs.records import Inputs
from .._read.model_rows import ModelRows, count_positives, pair_tables, read_model_rows
from .._read.tables import are_tables
from .._show.results import Note, break_after_sentence
from .._words.messages import format_count, redirect_warnings
from ..core.cutoff import Cut
from ..core.rankings import Rankings
from ..core.rules import PrecisionAtK, Rule
from ..core.verdicts import compute_single_level
from .evaluation import FEW_POSITIVES, NO_POSITIVES, Evaluation, evaluate_without_intervals
from .segments import (
    SegmentName,
    Segments,
    check_segments_are_whole,
    read_segments,
    sort_segment_names,
    take_part,
    write_segment,
)

_SIGNIFICANCE_OF_FRACTIONS = 0.01
_MIN_RATIO_OF_FRACTIONS = 1.5  # of the highest fraction of positives and the lowest one
# On differences, which segments have, too
_NOTES_ON_PAIRS = "few_groups", "least_margin", "few_deciding"


class SegmentFacts(NamedTuple):
    """What readers should know before they compare segments."""

    n_groups_without_rows: int  # which belong to no segment
    has_different_fractions: bool  # of positives, with which the metric rises
    can_be_weighted: bool  # so that the fractions become equal
    k: Cut | None  # rows that it counts in each segment; None if it cuts no ranking into parts
    has_groups: bool
    # The fewest positives of a segment if they are fewer than k, and its highest precision at k
    fewest_positives: tuple[int, float] | None


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
    if facts.fewest_positives is not None:
        number, highest = facts.fewest_positives
        positives = format_count(number, "positives")
        yield Note("highest_value", f"A segment with {positives} gets at most {highest:.3g}.")


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


class SegmentRows(NamedTuple):
    """The rows of all segments, by model."""

    whole: Mapping[Any, ModelRows]  # of all data
    segments: Segments  # of the first model
    rows_by_model: dict[SegmentName, dict[Any, ModelRows]]

    def select_class(self, place: int) -> SegmentRows:
        """Return the rows of a single class, whose columns are at this place."""
        rows_by_model = {
            name: {model: model_rows.select_class(place) for model, model_rows in by_model.items()}
            for name, by_model in self.rows_by_model.items()
        }
        whole = {model: model_rows.select_class(place) for model, model_rows in self.whole.items()}
        return self._replace(whole=whole, rows_by_model=rows_by_model)

    def write(self, name: SegmentName) -> str:
        """Write the name of a segment as notes do."""
        return write_segment(name, self.segments.columns, repr)

    def rankings_by_column(self) -> list[list[Rankings]]:
        """Return the rankings of the first model in the segments of each column."""
        columns: dict[str | None, list[Rankings]] = {}
        for name, by_model in self.rows_by_model.items():
            first = next(iter(by_model.values()))
            columns.setdefault(name.column, []).append(first.rankings)
        return [*columns.values()]

    def find_facts(self, rule: Rule) -> SegmentFacts:
        """Find what readers should know before they compare segments by this rule."""
        columns = self.rankings_by_column()
        rankings = next(iter(self.whole.values())).rankings
        # If n_positives is known, the fraction of positives is what was found, which is a result.
        is_of_data = rankings.labels.ndim == 1 and rankings.n_positives is None
        differ = is_of_data and rule.rises_with_positives
        counts_rows = rule.cut is not None and not rule.cut.is_share
        fewest = None
        if isinstance(rule, PrecisionAtK) and counts_rows and is_of_data and rankings.group is None:
            numbers = [int(each.labels.sum()) for column in columns for each in column]
            number = min(filter(None, numbers), default=int(rule.k))
            fewest = (number, number / rule.k) if number < rule.k else None
        return SegmentFacts(
            n_groups_without_rows=rankings.n_empty - sum(each.n_empty for each in columns[0]),
            has_different_fractions=differ and any(map(_differ_in_positives, columns)),
            can_be_weighted=(
                rankings.weight is None and len(columns) == 1 and _can_be_weighted(rule)
            ),
            k=rule.cut if counts_rows and any(map(_cut_rankings, columns)) else None,
            has_groups=rankings.group is not None,
            fewest_positives=fewest,
        )


def _can_be_weighted(rule: Rule) -> bool:
    """Whether a rule takes weights of which only the ratios mean something."""
    is_cut_by_weight = rule.cut is None or (rule.cut.is_share and not rule.cut.counts_rows)
    return rule.takes_weights and rule.ties == "grouped" and is_cut_by_weight


def _differ_in_positives(segments: Sequence[Rankings]) -> bool:
    """Whether the fractions of positives differ by more than a little, by weight, and significantly
    by rows.
    """
    segments = [rankings for rankings in segments if rankings.labels.size]
    by_weight = [np.average(rankings.labels, weights=rankings.weight) for rankings in segments]
    if max(by_weight) <= _MIN_RATIO_OF_FRACTIONS * min(by_weight):
        return False
    n_rows = np.array([rankings.labels.size for rankings in segments])
    n_positives = np.array([np.count_nonzero(rankings.labels) for rankings in segments])
    fraction = n_positives.sum() / n_rows.sum()
    variances = n_rows * fraction * (1 - fraction)
    chi_square = ((n_positives - n_rows * fraction) ** 2 / variances).sum()
    return bool(chdtrc(n_rows.size - 1, chi_square) < _SIGNIFICANCE_OF_FRACTIONS)


def _cut_rankings(segments: Sequence[Rankings]) -> bool:
    """Whether segments have parts of rankings, rather than whole groups or rows."""
    if segments[0].average == "samples":
        return False
    if segments[0].group is None:
        return True
    names = [name for rankings in segments for name in rankings.names or ()]
    return len(set(names)) < len(names)


def read_segment_rows(rule: Rule, unread: Inputs) -> SegmentRows:
    """Read the rows of all models, and cut them into segments."""
    rows_by_model: dict[Any, ModelRows] = {}
    segments: dict[Any, Segments] = {}
    previous: Inputs | None = None  # of the last model, which may have the same segments
    for reading in read_rows_of_models(unread):
        with reading as inputs:
            model_rows = read_model_rows(rule, inputs)
            if previous is None or not _have_same_segments(previous, inputs):
                of_model = read_segments(inputs.besides["by"], inputs, model_rows.rankings)
            previous = inputs
            check_segments_are_whole(model_rows, of_model.rows)
            rows_by_model[inputs.model] = model_rows._replace(model=inputs.model)
            segments[inputs.model] = of_model
    if are_tables(unread.data):
        rows_by_model = pair_tables(rows_by_model)
    return _cut_into_segments(rows_by_model, segments)


def _have_same_segments(one: Inputs, other: Inputs) -> bool:
    """Whether two models have the same segments, because they were read from the same objects."""
    return one.besides["by"] is other.besides["by"] and one.groups is other.groups


def _cut_into_segments(
    whole: Mapping[Any, ModelRows], segments: Mapping[Any, Segments]
) -> SegmentRows:
    """Cut the rows of models, each with the segments of its rows."""
    rows_by_model = {}
    for name in sort_segment_names([*segments.values()]):
        groups = set()  # those of all models, of which some may have no rows of a group
        for model, model_rows in whole.items():
            groups |= segments[model].groups_of(name, model_rows)
        rows_by_model[name] = {
            model: take_part(model_rows, segments[model].select_rows(name), groups)
            for model, model_rows in whole.items()
        }
    return SegmentRows(whole, next(iter(segments.values())), rows_by_model)


# --- evaluation -----------------------------------------------------------------------------------


class SegmentVariation(NamedTuple):
    """How much the values of models vary in a segment, from which intervals of any level follow."""

    plans: Mapping[Any, tuple[IntervalSettings, Plan]]
    paired: PairedModels | None = None  # if there is a baseline


class SegmentRemarks:
    """What is true of single segments: notes that are equal, and those of one kind on pairs, which
    differ by their numbers, are said once.
    """

    def __init__(self, segmented: SegmentRows) -> None:
        self._segmented = segmented
        self._remarks: dict[Note | str, list[tuple[str, Note]]] = {}

    def add(self, name: SegmentName, note: Note) -> None:
        key = note.code if note.code in _NOTES_ON_PAIRS else note
        self._remarks.setdefault(key, []).append((self._segmented.write(name), note))

    def make_notes(self) -> list[Note]:
        return [name_segments(remarks) for remarks in self._remarks.values()]


def evaluate_segments(
    settings: IntervalSettings,
    segmented: SegmentRows,
    baseline: Any,
    claims: Claims,
    min_positives: int,
) -> tuple[dict[SegmentName, Evaluation], list[Note], int]:
    """Evaluate the models in each segment as in all data, and say what readers should know, and for
    how many segments or differences intervals hold at once.

    The intervals of a model's values are a family, and so are all differences, unless they are not
    `joint`. Segments without intervals don't count, such as those with fewer than `min_positives`.
    Without a baseline (None), as for a single model, nothing is compared.
    """
    remarks = SegmentRemarks(segmented)
    n_positives = {
        name: min(map(count_positives, rows_by_model.values()))
        for name, rows_by_model in segmented.rows_by_model.items()
    }
    few = [name for name, number in n_positives.items() if number < min_positives]
    lacking = [name for name, number in n_positives.items() if not number and name not in few]
    # A segment without positives has no value, unless the caller has chosen the value of 0/0.
    of_lacking = settings
    if settings.zero_division == "warn":
        of_lacking = settings._replace(zero_division=np.nan)

    varied: dict[SegmentName, SegmentVariation] = {}
    # Why there are no intervals
    reasons = dict.fromkeys(lacking, NO_POSITIVES) | dict.fromkeys(few, FEW_POSITIVES)
    for name, rows_by_model in segmented.rows_by_model.items():
        if name not in reasons:
            try:
                varied[name] = _vary(settings, rows_by_model, baseline, name, remarks)
            except ValueError as error:  # as for a single sampling unit
                reasons[name] = str(error)
                remarks.add(name, Note("in_segments", break_after_sentence(str(error))))

    n_intervals, n_differences = 1, 1
    if claims.joint:
        n_intervals = len(varied)
        paired = [each.paired for each in varied.values() if each.paired is not None]
        n_differences = sum(claims.count_family(len(models.plans)) for models in paired)
    results = {}
    for name, rows_by_model in segmented.rows_by_model.items():
        with redirect_warnings(lambda *_: None):  # warnings are remarks already
            if name in varied:
                results[name] = _conclude(varied[name], claims, n_intervals, n_differences)
            else:
                asked, reason = settings if n_positives[name] else of_lacking, reasons[name]
                results[name] = evaluate_without_intervals(
                    asked, rows_by_model, baseline, claims, reason
                )
        for pair in results[name].pairs.values():
            for note in pair.notes:
                if note.code in _NOTES_ON_PAIRS:
                    remarks.add(name, note)
    is_compared = any(each.pairs for each in results.values())
    return results, remarks.make_notes(), n_differences if is_compared else n_intervals


def _vary(
    settings: IntervalSettings,
    rows_by_model: Mapping[Any, ModelRows],
    baseline: Any,
    name: SegmentName,
    remarks: SegmentRemarks,
) -> SegmentVariation:
    """Estimate how much the values of all models vary in a segment. Warnings that weren't given for
    all data become remarks.
    """

    def handle(message: str, category: type[Warning]) -> None:
        if not issubclass(category, UndefinedMetricWarning):
            remarks.add(name, Note("in_segments", break_after_sentence(message)))

    with redirect_warnings(handle):
        plans = {
            model: vary_model(settings, model_rows) for model, model_rows in rows_by_model.items()
        }
        if baseline is None:
            return SegmentVariation(plans)
        return SegmentVariation(plans, pair_models(settings, rows_by_model, baseline))


def _conclude(
    varied: SegmentVariation, claims: Claims, n_intervals: int, n_differences: int
) -> Evaluation:
    """Compute the intervals of models in a segment, and compare them, at the levels of families of
    so many intervals of values and of differences.
    """
    level, intervals = compute_single_level(claims.level, n_intervals), {}
    for model, (settings, plan) in varied.plans.items():
        interval = make_interval(settings, plan, level)
        intervals[model] = replace(interval, confidence_level=float(claims.level))
    if varied.paired is None:
        return Evaluation(intervals)
    pairs = varied.paired.compare(claims, n_differences)
    return Evaluation(intervals, varied.paired.baseline, pairs)
