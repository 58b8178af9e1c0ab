"""Values of segments, with intervals and p-values that hold for all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import chdtrc
from sklearn.exceptions import UndefinedMetricWarning

from .._enter.prevalence import factor_of
from .._evaluate.value import score
from .._read.columns import in_integers
from .._read.sampling_units import Sample, count_positives
from .._read.segments import (
    Members,
    Segments,
    members_of,
    part_of,
    put,
    read_prevalences,
    sorted_by_group,
    split_by,
)
from .._show.results import Note
from .._words.messages import NO_POSITIVES, about, heard_by, warn, warning_once
from .._words.parameters import text_of
from ..core.cutoff import Cut
from ..core.families import Family, agreed, pairs_with
from ..core.influence import is_smooth
from ..core.rankings import Rankings
from ..core.rules import Rule
from ..core.spread import Spread, alpha_of, combined, length, scale_of
from ..core.within import Array
from .comparing import (
    Claims,
    compared,
    count_distinct,
    interval_from,
    swaps_in_segments,
    title_in,
    vary_models,
)
from .intervals import Comparison, ComputedFrom, Interval
from .plans import CountPlan, GroupPlan, Plan, plan_of, resamples_of, varied, vary_together
from .requests import IntervalRequest

_UNLIKELY = 0.01
_MUCH = 1.5  # times the lowest fraction of positives is the highest one, if that is told
_MOST_FEW = 5  # segments with few rows that are named
_MOST_AT_ONCE = 2**20  # contributions of sampling units that are in one matrix
_MOST = 2**24  # contributions to differences from all other rows; of more, use Bonferroni
EMPTY = "no positives"  # the reason why a segment has no interval
OTHERS = "other rows"  # what takes the place of a baseline if there is a single model


class SegmentResult(NamedTuple):
    """The results of one segment by one metric."""

    intervals: dict[Any, Interval]
    baseline: Any = None
    pairs: Mapping[Any, Comparison] = MappingProxyType({})
    reason: str = ""  # why there are no intervals
    n_compared: int = 0  # differences of the whole family


class _Moves(NamedTuple):
    """What sampling units contribute to an estimate, and its standard error."""

    units: Array  # their numbers, in ascending order; each number occurs once per segment
    contributions: Array  # of each of these units
    error: float

    @classmethod
    def of(cls, plan: Plan, place: Mapping[Any, int] | None) -> _Moves:
        """Take the contributions to a value that varies, one per sampling unit.

        Those of missed positives aren't known by unit, so they only make the error larger. `place`
        numbers the units of all segments by name; for rows, whose names are numbers, it is None.
        """
        names = plan.sample.names
        units = names if place is None else [place[name] for name in names]
        contributions = plan.of_units(plan.spread.of_mean)
        return cls(np.asarray(units, dtype=np.int64), contributions, plan.spread.standard_error)

    def less(self, other: _Moves, error: float) -> _Moves:
        """Return the contributions to a difference with this error. A unit can occur twice."""
        units = np.concatenate([self.units, other.units])
        contributions = np.concatenate([self.contributions, -other.contributions])
        order = np.argsort(units, kind="stable")
        return _Moves(units[order], contributions[order], error)

    def correlation(self, other: _Moves) -> float:
        """Return the correlation of two estimates, which the units that they share bring about."""
        _, here, there = np.intersect1d(self.units, other.units, return_indices=True)
        if not (self.error and other.error):
            return 0.0
        relative = self.contributions[here] / self.error
        other_relative = other.contributions[there] / other.error
        return float(np.clip(relative @ other_relative, -1, 1))


def _family_of_segments(moves: Sequence[_Moves], pairs: Array | None = None) -> Family:
    """Return the family of estimates, or of the differences of `pairs` of them, of shape
    (n_pairs, 2), whose correlations follow from shared sampling units.
    """
    errors = np.array([estimate.error for estimate in moves])
    scale = scale_of(errors)
    return Family.of(_matrices(moves, scale), errors / scale, pairs)


def _matrices(moves: Sequence[_Moves], scale: float) -> Iterator[Any]:
    """Yield the contributions of some units after others. All at once would take more memory than
    the rows if segments overlap.
    """
    n_units = 1 + max(int(estimate.units.max(initial=0)) for estimate in moves)
    n_contributions = sum(estimate.units.size for estimate in moves)
    n_at_once = -(-n_units // max(n_contributions // _MOST_AT_ONCE, 1))
    for first in range(0, n_units, n_at_once):
        yield _matrix_of(moves, scale, range(first, first + n_at_once))


def _matrix_of(moves: Sequence[_Moves], scale: float, numbers: range) -> Any:
    """Return the contributions of the units with these numbers, of shape (n_estimates, n_units),
    divided by the scale. A unit can occur twice.
    """
    units, contributions = [], []
    for estimate in moves:
        here = slice(*np.searchsorted(estimate.units, [numbers.start, numbers.stop]))
        units.append((estimate.units[here] - numbers.start).astype(np.int32))
        contributions.append(estimate.contributions[here] / scale)
    ends = np.cumsum([0, *map(len, units)])
    entries = np.concatenate(contributions), np.concatenate(units), ends
    matrix = csr_array(entries, (len(moves), len(numbers)))
    if 2 * matrix.nnz > len(moves) * len(numbers):  # filled by half
        return matrix.toarray()
    matrix.sum_duplicates()
    return matrix


def weighted_by_segment(
    sample: Sample, segments: Segments, prevalence: Mapping[Any, float]
) -> tuple[Array, list[Array]]:
    """Weight the negatives of each segment so that its positives have the prevalence given for it.

    `prevalence` maps segments to fractions, and None to that of all data. Return the weights of all
    samples, of shape (n_samples,): for all data, and for each segment, in which other samples have
    0.
    """
    rankings = sample.rankings
    if rankings.labels.ndim > 1:
        with about("y_true"):
            raise ValueError(
                "prevalence is only for binary y_true. Evaluate one class at a time, with its "
                "column of y_true and of y_score."
            )
    of_segments, of_all = read_prevalences(prevalence, segments)
    weight = np.ones(rankings.labels.size) if rankings.weight is None else rankings.weight

    def weighted(rows: Array, fraction: float, members: Members) -> Array:
        """Return the weights of these rows with which the fraction of positives is this one.

        `members` are their groups, of which some may have no rows, only positives that exist.
        """
        segment = part_of(sample, rows, besides=members).rankings
        n_positives = segment.n_positives
        exist = None if n_positives is None else n_positives.sum()
        positives, negatives = weight[rows][segment.labels], weight[rows][~segment.labels]
        factor = factor_of((positives.sum(), negatives.sum()), fraction, exist)
        return np.where(segment.labels, 1.0, factor) * weight[rows]

    # For all data, each row has the weight of its segment, unless a prevalence of all is given.
    weight_in_all, weights_in_segments = weight.astype(float), []
    for name, rows, fraction in zip(segments.names, segments.rows, of_segments, strict=True):
        in_segment = np.zeros(weight.size)
        in_segment[rows] = weighted(rows, fraction, segments.members_of(name))
        weights_in_segments.append(in_segment)
        weight_in_all[rows] = in_segment[rows]
    if of_all is not None:
        all_groups = {("groups", group) for group in rankings.names or ()}
        weight_in_all = weighted(np.arange(weight.size), of_all, all_groups)
    return in_integers(weight_in_all), weights_in_segments


class SegmentSamples(NamedTuple):
    """The samples of all segments, by model."""

    segments: Segments
    samples: list[dict[Any, Sample]]  # of each segment
    alone: Sample | None  # all rows of a single model, whose segments are compared with the others
    place: dict[Any, int] | None  # number of each sampling unit by name; None for rows
    share_units: bool  # whether a sampling unit belongs to several segments
    label: str = ""  # such as "class 3" if they are those of a class

    @classmethod
    def of(
        cls,
        whole: Mapping[Any, Sample],
        segments: Mapping[Any, Segments],
        weights: Mapping[Any, Sequence[Array] | None],
    ) -> SegmentSamples:
        """Cut the samples of models, of which each may have its own rows.

        All mappings have the same models. `segments` are those that each model's rows belong to,
        and `weights` the weights of all its rows in each of its segments, in the order of these;
        None if they are those of the sample.
        """
        in_order: dict[Any, Sample] = {}
        segments_of: dict[Any, Segments] = {}
        weights_of: dict[Any, Sequence[Array] | None] = {}
        for model, sample in whole.items():
            in_order[model], place = sorted_by_group(sample)
            segments_of[model], weights_of[model] = segments[model], weights[model]
            if place is None:  # there are no groups
                continue
            segments_of[model] = segments[model].moved(place)
            if (weights_in_segments := weights[model]) is not None:
                weights_of[model] = [put(weight, place) for weight in weights_in_segments]

        of_all = _with_names_of_all([*segments_of.values()])
        samples = []
        for name in of_all.names:
            # A model may lack rows of groups and clusters that other models have in this segment.
            members = of_all.members_of(name)
            if len(in_order) > 1:
                for model, sample in in_order.items():
                    members.update(members_of(sample, segments_of[model].rows_of(name)))
            in_segment = {}
            for model, sample in in_order.items():
                weight, weights_in_segments = None, weights_of[model]
                if weights_in_segments is not None:
                    weight = weights_in_segments[segments_of[model].names.index(name)]
                rows = segments_of[model].rows_of(name)
                in_segment[model] = part_of(sample, rows, weight, members)
            samples.append(in_segment)
        first = next(iter(in_order.values()))
        alone = first if len(in_order) == 1 else None
        if first.kind == "rows":
            return cls(of_all, samples, alone, None, of_all.may_overlap)
        place_of_unit = {name: number for number, name in enumerate(first.names)}
        names = [name for by_model in samples for name in next(iter(by_model.values())).names]
        return cls(of_all, samples, alone, place_of_unit, len(names) > len(set(names)))

    @property
    def n_units(self) -> int:
        """The number of sampling units of all segments, those in no segment included."""
        return self.segments.is_known.size if self.place is None else len(self.place)

    @property
    def of_first_model(self) -> list[Sample]:
        """The sample of the first model in each segment."""
        return [next(iter(by_model.values())) for by_model in self.samples]

    def others(self, place: int) -> Sample:
        """Return the sample of all rows outside of a segment, which is at this place. It is made
        when it's needed, as it may be large.
        """
        assert self.alone is not None
        names = self.segments.names
        members = set().union(*map(self.segments.members_of, names[:place] + names[place + 1 :]))
        return part_of(self.alone, self.segments.others(place), besides=members)

    def of_class(self, place: int, label: str) -> SegmentSamples:
        """Return the samples of a single class, whose columns are at this place."""
        samples = []
        for by_model in self.samples:
            samples.append({model: sample.of_class(place) for model, sample in by_model.items()})
        alone = None if self.alone is None else self.alone.of_class(place)
        return self._replace(samples=samples, alone=alone, label=label)

    def notes(
        self, whole: Mapping[Any, Sample], are_comparable: bool, can_be_weighted: bool
    ) -> Iterator[Note]:
        """Say what counts for all data only, and whether segments can be compared.

        They are comparable if the caller passed the prevalence of each. Otherwise,
        `can_be_weighted` says whether all metrics take one. `whole` are the samples of all data.
        """
        yield from (Note("no_segment", text) for text in self.segments.notes())
        rankings = next(iter(whole.values())).rankings
        n_empty = sum(sample.rankings.n_empty for sample in self.of_first_model)
        if n_nowhere := rankings.n_empty - n_empty:
            groups = "1 group has" if n_nowhere == 1 else f"{n_nowhere:,} groups have"
            yield Note(
                "groups_without_rows",
                f"{groups} no rows, only a number of positives, so nothing says to which "
                "segment they belong: they count for all data only.",
            )
        # If n_positives is known, the fraction of positives is what was found, which is a result.
        is_of_data = rankings.labels.ndim == 1 and rankings.n_positives is None
        if not are_comparable and is_of_data and self._differ_in_positives():
            words = (
                "The fraction of positives differs between segments, and average precision and "
                "precision rise with it."
            )
            if can_be_weighted:
                fraction = min(np.average(rankings.labels, weights=rankings.weight), 0.999)
                words += (
                    " To compare segments as if it were the same in all, pass prevalence="
                    f"{{row.segment: {fraction:.3g} for row in report.rows}}, where report is "
                    "this one."
                )
            yield Note("fraction_of_positives", words)

    def on_cutoff(self, rule: Rule) -> Iterator[Note]:
        """Say that a count k is one of each segment, and in which segments there are fewer rows.

        That matters only if segments cut rankings.
        """
        cut = rule.depth
        in_segments = [sample.rankings for sample in self.of_first_model]
        grouped, by_row = in_segments[0].group is not None, in_segments[0].average == "samples"
        if cut is None or cut.is_share or by_row or (grouped and not _cut_groups(in_segments)):
            return
        short = [
            text_of(name)
            for name, rankings in zip(self.segments.names, in_segments, strict=True)
            if (_sizes_of(rankings, cut) < cut.k).any()
        ]
        fewer = ""
        if short:
            n_unnamed = len(short) - _MOST_FEW
            and_more = f" and {n_unnamed:,} more" if n_unnamed > 0 else ""
            fewer = f" There are fewer in {', '.join(short[:_MOST_FEW])}{and_more}."
        per_group, groups = (" and group", ", groups=...") if grouped else ("", "")
        yield Note(
            "k_in_segments",
            f"k={cut} counts rows of each segment{per_group}.{fewer} To cut the whole ranking "
            f"once, choose a threshold: operating_point(..., k={cut}{groups}).check(..., by=...).",
        )

    def _differ_in_positives(self) -> bool:
        """Whether the fractions of positives differ significantly, and by more than a little."""
        labels = [sample.rankings.labels for sample in self.of_first_model]
        labels = [of_rows for of_rows in labels if of_rows.size]
        n_rows = np.array([of_rows.size for of_rows in labels])
        n_positives = np.array([np.count_nonzero(of_rows) for of_rows in labels])
        fraction = n_positives.sum() / max(n_rows.sum(), 1)
        if not 0 < fraction < 1 or n_rows.size < 2:
            return False
        fractions = n_positives / n_rows
        if fractions.max() <= _MUCH * fractions.min():
            return False
        variances = n_rows * fraction * (1 - fraction)
        chi_square = ((n_positives - n_rows * fraction) ** 2 / variances).sum()
        return bool(chdtrc(n_rows.size - 1, chi_square) < _UNLIKELY)


def _with_names_of_all(segments: Sequence[Segments]) -> Segments:
    """Return the segments of the first model, followed by those that only other models have, of
    which it has no rows.
    """
    first, *besides = segments
    names = list(
        dict.fromkeys([*first.names, *(name for other in besides for name in other.names)])
    )
    n_lacking = len(names) - len(first.names)
    return first._replace(names=names, rows=[*first.rows, *[np.zeros(0, np.int64)] * n_lacking])


def _cut_groups(in_segments: Sequence[Rankings]) -> bool:
    """Whether some groups have rows in several segments."""
    names = [name for rankings in in_segments for name in rankings.names or ()]
    return len(set(names)) < len(names)


def _sizes_of(rankings: Rankings, cut: Cut) -> Array:
    """Return how much of what k counts each ranking has, of shape (n_rankings,)."""
    group = np.zeros(rankings.n_rows, np.int64) if rankings.group is None else rankings.group
    return np.bincount(group, None if cut.by_rows else rankings.weight)


def evaluate_segments(
    request: IntervalRequest,
    segmented: SegmentSamples,
    baseline: Any,
    claims: Claims,
    notes: list[Note],
) -> list[SegmentResult]:
    """Compute the intervals of all models in each segment, and what they are compared with.

    All intervals of a model hold at once, and so do those of all differences, unless they are not
    `joint`. What users should know about single segments is added to `notes`, the caller's list.
    The `baseline` is the name of a model; None if there is only one.
    """
    of_values = request  # swaps compare models, so intervals around values need another method
    if request.method == "randomization":
        of_values = request._replace(method="auto")
    plans, reasons = _plans_in_segments(of_values, segmented, notes)
    with heard_by(lambda *_: None):  # as these are about the same plans
        intervals = _intervals(of_values, segmented, plans, claims)
        if segmented.alone is not None:
            return _against_others(of_values, segmented, plans, reasons, intervals, claims)
        results = _against_baseline(request, segmented, plans, reasons, intervals, baseline, claims)
    notes += _notes_in(segmented.segments.names, results)
    return results


class _Planned(NamedTuple):
    """The plans of a model in a segment."""

    alone: Plan  # which says how much the value varies
    paired: Plan  # to vary together with those of other models, if there are any

    @classmethod
    def of(cls, request: IntervalRequest, sample: Sample, is_single: bool) -> _Planned:
        """Vary the value of a model, which may be the only one."""
        with warning_once():
            paired = plan_of(request, sample, alone=is_single)
            (alone,) = vary_together(request, [paired.counted()])
        if isinstance(alone, CountPlan):
            return cls(alone, paired)
        # Only resamples of rows or clusters depend on what they are paired with.
        is_shared = isinstance(alone, GroupPlan) or request.method != "bootstrap"
        return cls(alone, alone if is_shared else paired)

    def by_unit(self, request: IntervalRequest) -> Plan:
        """Return a plan that says how much each unit moves the value."""
        if not isinstance(self.alone, CountPlan):
            return self.alone
        plan = self.paired
        if isinstance(plan, CountPlan) and plan.in_order is None:
            # Its rows are only counted, so they have no contributions of their own.
            plan = plan_of(request, plan.sample)
        return replace(plan, spread=plan.moved(request.rule))


def _plans_in_segments(
    request: IntervalRequest, segmented: SegmentSamples, notes: list[Note]
) -> tuple[list[dict[Any, _Planned]], list[str]]:
    """Estimate how much the values of all models vary in each segment. Warnings are added to
    `notes`.

    Both results have one entry per segment. One without intervals has no plans, but a reason, which
    is empty for all others.
    """
    names, samples = segmented.segments.names, segmented.samples
    are_lacking = [_lacks(by_model) for by_model in samples]
    lacking = [name for name, is_lacking in zip(names, are_lacking, strict=True) if is_lacking]
    _warn_of_lacking(lacking, segmented, request)
    is_single = segmented.alone is not None
    plans: list[dict[Any, _Planned]] = []
    reasons: list[str] = []
    with _noting(notes) as current:
        for name, by_model, is_lacking in zip(names, samples, are_lacking, strict=True):
            current[0] = name
            plans.append({})
            reasons.append(EMPTY if is_lacking else "")
            if is_lacking:
                continue
            try:
                plans[-1] = {
                    model: _Planned.of(request.resolved(sample.by_query), sample, is_single)
                    for model, sample in by_model.items()
                }
            except ValueError as error:  # as for a single sampling unit
                reasons[-1] = str(error)
                warn(reasons[-1])
    return plans, reasons


def _lacks(by_model: Mapping[Any, Sample]) -> bool:
    """Whether some model has no positives in a segment."""
    return not all(map(count_positives, by_model.values()))


def _warn_of_lacking(
    lacking: Sequence[Any], segmented: SegmentSamples, request: IntervalRequest
) -> None:
    """Warn of the segments that lack positives, unless the caller chose the value of 0/0."""
    if lacking and request.zero_division == "warn":
        names = segmented.segments.names
        of_class = f", {segmented.label}," if segmented.label else ""
        listed = ", ".join(map(text_of, [*lacking[:5], *["..."] * (len(lacking) > 5)]))
        are = "the value is" if len(lacking) == 1 else "their values are"
        warn(
            f"{NO_POSITIVES}{of_class} for {len(lacking):,} of {len(names):,} segments ({listed}), "
            f"so {are} undefined (0/0) and set to 0.0. Use zero_division to choose another value "
            "and silence this warning.",
            category=UndefinedMetricWarning,
        )


@contextmanager
def _noting(notes: list[Note]) -> Iterator[list[Any]]:
    """Turn warnings about segments into notes, one of each kind, that name the segments, and add
    these to `notes` at the end.

    Yield a list of one entry, into which the caller puts the name of the segment before it computes
    what may warn. What is true of all rows has been warned about before.
    """
    current: list[Any] = [None]
    heard: dict[str, tuple[str, list[str]]] = {}  # the first message of a kind, and its segments

    def note(message: str, category: type[Warning]) -> None:
        if not issubclass(category, UndefinedMetricWarning):
            without_numbers = re.sub(r"[\d.,]+", "", message)
            _, segments = heard.setdefault(without_numbers, (message, []))
            segments.append(text_of(current[0], repr))

    with heard_by(note):
        yield current
    for message, segments in heard.values():
        notes.append(_note_in(segments, message))


def _notes_in(names: Sequence[Any], results: Sequence[SegmentResult]) -> Iterator[Note]:
    """Say in which segments no difference can be significant, in the words of the first one."""
    segments, texts = [], []
    for name, result in zip(names, results, strict=True):
        for pair in result.pairs.values():
            for note in pair.notes:
                if note.code == "few_groups":
                    segments.append(text_of(name, repr))
                    texts.append(note.text)
    if segments:
        yield _note_in(segments, texts[0], "few_groups")


def _note_in(segments: Sequence[str], message: str, code: str = "in_segments") -> Note:
    """Say what is true in segments, which may occur several times, of which the first is named."""
    first, *besides = dict.fromkeys(segments)
    others = ""
    if besides:
        others = f" and {len(besides):,} other" + ("s" if len(besides) > 1 else "")
    return Note(code, f"In the segment {first}{others}: {message}")


def _has_closed_form(request: IntervalRequest, sample: Sample) -> bool:
    """Whether errors follow from influences or from the values of units, and not from resamples."""
    resolved = request.resolved(sample.by_query, comparing=True)
    return resolved.method != "bootstrap" and (sample.by_query or is_smooth(request.rule))


def _intervals(
    request: IntervalRequest,
    segmented: SegmentSamples,
    plans: Sequence[Mapping[Any, _Planned]],
    claims: Claims,
) -> list[dict[Any, Interval]]:
    """Compute the intervals of each model in each segment, which hold for all segments at once.

    `plans` has the plans of all models in each segment, or none if a segment has no intervals.
    """
    level = claims.level
    single_levels = {}
    for model in segmented.samples[0]:
        of_segments = [by_model[model] for by_model in plans if by_model]
        single_levels[model] = _single_level(request, segmented, of_segments, claims)
    intervals = []
    for samples, by_model in zip(segmented.samples, plans, strict=True):
        in_segment = {}
        for model, sample in samples.items():
            if not by_model:
                in_segment[model] = value_alone(request, sample, level)
                continue
            resolved = request.resolved(sample.by_query)
            title = title_in(request.rule, sample)
            interval = interval_from(resolved, by_model[model].alone, title, single_levels[model])
            in_segment[model] = replace(interval, confidence_level=float(level))
        intervals.append(in_segment)
    return intervals


def _single_level(
    request: IntervalRequest, segmented: SegmentSamples, plans: Sequence[_Planned], claims: Claims
) -> float:
    """Return the level of single intervals with which those of a model hold in all segments at
    once. `plans` are those of the model in each segment that has one.
    """
    if not claims.joint:
        return claims.level
    family = Family(len(plans))  # resamples of different segments don't tell correlations
    if _has_closed_form(request, segmented.of_first_model[0]):
        family = Family.independent(len(plans))
        if len(plans) > 1 and segmented.share_units:
            moves = [_Moves.of(plan.by_unit(request), segmented.place) for plan in plans]
            family = _family_of_segments(moves)
    return family.level(claims.level)


def value_alone(
    request: IntervalRequest, sample: Sample, level: float, basis: str = ""
) -> Interval:
    """Compute the value of samples that have no interval, such as a single sampling unit."""
    value, rankings = np.nan, sample.rankings
    if rankings.n_rows or rankings.n_empty:  # or else there is nothing to evaluate
        value = float(score(request.rule, rankings, request.zero_division))
    return Interval(
        value=value,
        low=np.nan,
        high=np.nan,
        standard_error=np.nan,
        confidence_level=float(level),
        method="",
        metric=title_in(request.rule, sample),
        basis=basis,
        places=request.rule.decimals,
        source=ComputedFrom.of(request, sample),
    )


def difference_alone(
    request: IntervalRequest, one: Interval, other: float, models: tuple[Any, Any], claims: Claims
) -> Comparison:
    """Compare values of which one has no interval: that of an interval, and another one."""
    return Comparison(
        values=(one.value, other),
        difference=one.value - other,
        low=np.nan,
        high=np.nan,
        standard_error=np.nan,
        pvalue=np.nan,
        confidence_level=one.confidence_level,
        method="",
        metric=one.metric,
        basis=one.basis,
        models=models,
        margin=claims.margin,
        greater_is_better=request.rule.greater_is_better,
        places=one.places,
    )


# --- several models -------------------------------------------------------------------------------


def _against_baseline(
    request: IntervalRequest,
    segmented: SegmentSamples,
    planned: Sequence[Mapping[Any, _Planned]],
    reasons: Sequence[str],
    intervals: Sequence[dict[Any, Interval]],
    baseline: Any,
    claims: Claims,
) -> list[SegmentResult]:
    """Compare each model with the baseline in each segment.

    If the data chose the baseline, the family has the differences between all models. A segment
    with a reason has no intervals, so it is left out of the family.
    """
    # Pairs of plans, of each model and the baseline, by the number of the segment
    pairs_of_plans: dict[int, Mapping[Any, list[Plan]]] = {}
    resolved, are_drawn_together = request, True
    for number, by_model in enumerate(planned):
        if by_model:
            models = {model: plan.paired for model, plan in by_model.items()}
            resolved, pairs, together = vary_models(request, models, baseline)
            pairs_of_plans[number] = pairs
            are_drawn_together &= together
    plans: dict[int, list[Any]] = {}  # of all models in each segment, that of the baseline first
    for number, pairs in pairs_of_plans.items():
        (_, base), *_ = pairs.values()
        plans[number] = [base, *(plan for plan, _ in pairs.values())]

    pairs_of_models = pairs_with(len(segmented.samples[0]), None if claims.is_chosen else 0)
    family, swaps = Family(1), {}
    by_swaps = resolved.method == "randomization"
    if plans and by_swaps and next(iter(plans.values()))[0].sample.by_query:
        swaps = swaps_in_segments(
            resolved, plans, segmented.place, segmented.n_units, pairs_of_models, claims.joint
        )
    elif plans and claims.joint:
        family = _family_of_models(resolved, segmented, plans, pairs_of_models, are_drawn_together)

    results = []
    n_compared = len(plans) * len(pairs_of_models)
    for number, of_models in enumerate(intervals):
        pairs = pairs_of_plans.get(number, {})
        comparisons = {}
        for model, interval in of_models.items():
            names = model, baseline
            if model in pairs:
                own_family = swaps.get(number, family)
                comparisons[model] = compared(resolved, names, pairs[model], claims, own_family)
            elif model != baseline:
                value = of_models[baseline].value
                comparisons[model] = difference_alone(request, interval, value, names, claims)
        results.append(SegmentResult(of_models, baseline, comparisons, reasons[number], n_compared))
    return results


def _family_of_models(
    request: IntervalRequest,
    segmented: SegmentSamples,
    plans: Mapping[int, Sequence[Plan]],
    pairs_of_models: Array,
    are_drawn_together: bool,
) -> Family:
    """Return the family of the differences between pairs of models in each segment.

    `plans` are those of all models in each segment, by its number, and `pairs_of_models` their
    places, of shape (n_pairs, 2), the same ones in all segments.

    Resamples of different segments have nothing in common, so those of units that segments share
    don't tell how these are correlated.
    """
    has_form = _has_closed_form(request, next(iter(plans.values()))[0].sample)
    share_draws = not has_form and segmented.share_units and len(plans) > 1
    if share_draws or not are_drawn_together:
        rule = request.rule
        return Family(
            sum(count_distinct(rule, models, pairs_of_models) for models in plans.values())
        )
    # The plans are in the order of the segments, with all models of a segment side by side.
    starts = np.arange(len(plans)) * len(segmented.samples[0])
    pairs = np.concatenate([pairs_of_models + start for start in starts])
    if len(pairs_of_models) == 1 and not segmented.share_units:
        return Family.independent(len(pairs))
    moves: list[_Moves] = []
    for number, models in plans.items():
        for plan in models:
            if has_form:
                moves.append(_Moves.of(plan, segmented.place))
            else:  # resamples take the place of units, which no other segment has
                of_mean, error = plan.spread.of_mean, plan.spread.standard_error
                resamples = number * of_mean.size + np.arange(of_mean.size)
                moves.append(_Moves(resamples, of_mean, error))
    return _family_of_segments(moves, pairs)


# --- one model ------------------------------------------------------------------------------------


def _against_others(
    request: IntervalRequest,
    segmented: SegmentSamples,
    plans: Sequence[Mapping[Any, _Planned]],
    reasons: Sequence[str],
    intervals: Sequence[dict[Any, Interval]],
    claims: Claims,
) -> list[SegmentResult]:
    """Compare each segment with all other rows.

    `plans` and `intervals` are those of the only model in each segment, of which one with a reason
    has no plan.
    """
    (model,) = segmented.samples[0]
    values, pairs = _vary_with_others(request, segmented, plans, reasons)
    family = Family(len(pairs) if claims.joint else 1)
    moves = [pair.moves for pair in pairs.values() if pair.moves is not None]
    if claims.joint and len(moves) > 1:
        family = _family_of_segments(moves)
    results = []
    for number, (name, of_models) in enumerate(
        zip(segmented.segments.names, intervals, strict=True)
    ):
        interval, models = of_models[model], (name, OTHERS)
        comparison = difference_alone(request, interval, values[number], models, claims)
        if number in pairs:
            comparison = _with_test(comparison, interval, pairs[number], family, claims.level)
        comparisons = {model: comparison}
        results.append(SegmentResult(of_models, OTHERS, comparisons, reasons[number], family.size))
    return results


def _vary_with_others(
    request: IntervalRequest,
    segmented: SegmentSamples,
    plans: Sequence[Mapping[Any, _Planned]],
    reasons: Sequence[str],
) -> tuple[list[float], dict[int, _Pair]]:
    """Evaluate the rows outside of each segment, and estimate how much both values vary.

    Return the value of the other rows for each segment, nan if there are none, and a pair for each
    segment that can be compared with them, by its number.
    """
    (model,) = segmented.samples[0]
    n_segments = len(segmented.segments.names)
    resolved = request.resolved(segmented.samples[0][model].by_query)
    has_form = _has_closed_form(request, segmented.samples[0][model])
    needs_moves = has_form and n_segments * segmented.n_units <= _MOST
    together = None if has_form else _Together.of(resolved, segmented)
    place = segmented.place
    pairs: dict[int, _Pair] = {}
    values = [np.nan] * n_segments
    for number in range(n_segments):
        others = segmented.others(number)
        if not others.rankings.n_rows and not others.rankings.n_empty:
            continue
        if count_positives(others) and not reasons[number]:
            with suppress(ValueError):  # the others may be a single sampling unit
                plan = plans[number][model]
                if has_form:
                    pairs[number] = _Pair.of_moves(resolved, plan, others, place, needs_moves)
                else:
                    pairs[number] = _Pair.of_resamples(
                        resolved, plan.alone, others, place, together
                    )
        if number in pairs:
            values[number] = pairs[number].others.mean
        else:
            values[number] = float(score(request.rule, others.rankings, request.quietly))
    return values, pairs


def _with_test(
    comparison: Comparison, interval: Interval, pair: _Pair, family: Family, level: float
) -> Comparison:
    """Add the interval and the p-value of a difference from all other rows, which hold for the
    whole family. `interval` is that of the segment's own value.
    """
    single_level = family.level(level)
    low, high, pvalue = pair.segment.apart_test(pair.others, single_level, pair.correlation)
    (adjusted,) = family.adjusted([pvalue]).tolist()
    low, high, pvalue = agreed(low, high, adjusted, alpha_of(level))
    return replace(
        comparison,
        low=low,
        high=high,
        standard_error=pair.error,
        pvalue=pvalue,
        verdict="",  # which follows from the interval
        method=interval.method,
        n_resamples=interval.n_resamples,
        random_state=interval.random_state,
    )


class _Together(NamedTuple):
    """The resamples of all fixed groups, which are drawn once if segments don't cut them."""

    place: dict[Any, int]  # of each group, by name
    resamples: Array  # their values and positives, of shape (n_resamples, 2, n_groups)

    @classmethod
    def of(cls, request: IntervalRequest, segmented: SegmentSamples) -> _Together | None:
        """Draw them; None if there are no fixed groups, or if segments cut them."""
        sample, segments = segmented.alone, segmented.segments
        assert sample is not None
        group, names = sample.rankings.group, sample.rankings.names
        if group is None or names is None or sample.by_query:
            return None
        if split_by(group, segments.rows, segments.is_known) is not None:
            return None
        (resamples,) = resamples_of(request, [plan_of(request, sample)])
        return cls({name: place for place, name in enumerate(names)}, resamples)

    def spread_of(self, plan: Plan) -> Spread:
        """Return how much values vary in these resamples, of a plan with some of the groups."""
        places = [self.place[name] for name in plan.sample.rankings.names]
        values, positives = self.resamples[:, :, places].swapaxes(0, 1)
        return plan.resampled(values, positives)


class _Pair(NamedTuple):
    """How the values of a segment and of all other rows vary."""

    segment: Spread
    others: Spread
    correlation: float
    moves: _Moves | None = None  # contributions to the difference, if they are needed

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        return _error_of(self.segment, self.others, self.correlation)

    @classmethod
    def of_resamples(
        cls,
        request: IntervalRequest,
        plan: Plan,
        others: Sample,
        place: Mapping[Any, int] | None,
        together: _Together | None,
    ) -> _Pair:
        """Vary all other rows, and get the correlation from resamples, which both values share.

        The plan of the segment varies already. Rows, of which `place` is None, share no resamples.
        """
        if together is not None:
            in_segment = together.spread_of(plan)
            of_others = together.spread_of(plan_of(request, others))
            correlation = _correlation(in_segment.of_mean, of_others.of_mean)
            return cls(plan.spread, of_others, correlation)
        of_others = varied(request, others).spread
        correlation = 0.0
        if place is not None:
            correlation = _correlation_in_clusters(request, plan.sample, others)
        return cls(plan.spread, of_others, correlation)

    @classmethod
    def of_moves(
        cls,
        request: IntervalRequest,
        plan: _Planned,
        others: Sample,
        place: Mapping[Any, int] | None,
        needs_moves: bool,
    ) -> _Pair:
        """Vary all other rows, and get the correlation from the units that both values share.

        The plan of the segment varies already. Rows, of which `place` is None, are never shared.
        """
        other_plan = plan_of(request, others, alone=not needs_moves)
        (other_plan,) = vary_together(request, [other_plan])
        spread, of_others, correlation, moves = plan.alone.spread, other_plan.spread, 0.0, None
        if needs_moves or place is not None:
            in_segment = _Moves.of(plan.by_unit(request), place)
            outside = _Moves.of(other_plan, place)
            if place is not None:
                correlation = in_segment.correlation(outside)
            if needs_moves:
                error = _error_of(spread, of_others, correlation)
                moves = in_segment.less(outside, error)
        if isinstance(other_plan, CountPlan):  # of whose many rows only the counts are kept
            of_others = other_plan.counted().moved(request.rule)
        return cls(spread, of_others, correlation, moves)


def _error_of(first: Spread, second: Spread, correlation: float) -> float:
    """Compute the standard error of the difference between two means."""
    return combined(first.standard_error, second.standard_error, correlation)


def _correlation_in_clusters(request: IntervalRequest, first: Sample, second: Sample) -> float:
    """Return the correlation of two values in resamples of the clusters that they share; 0 if the
    units aren't clusters.
    """
    if first.clusters is None or second.clusters is None:
        return 0.0
    names = list(dict.fromkeys([*first.names, *second.names]))
    number_of = {name: number for number, name in enumerate(names)}
    plans = []
    for sample, clusters in ((first, first.clusters), (second, second.clusters)):
        # Both samples get the clusters of both, so that the same ones are drawn.
        numbers = np.array([number_of[name] for name in sample.names])
        absent = clusters.absent
        if absent is not None:
            absent = absent._replace(cluster=numbers[absent.cluster])
        of_both = replace(clusters, of=numbers[clusters.of], size=len(names), absent=absent)
        plans.append(plan_of(request, sample._replace(clusters=of_both, names=names)))
    in_first, in_second = vary_together(request, plans)
    return _correlation(in_first.spread.of_mean, in_second.spread.of_mean)


def _correlation(first: Array, second: Array) -> float:
    """Return the correlation of two values from their deviations, in the same units or resamples;
    0 if one doesn't vary.
    """
    error, other_error = length(first), length(second)
    if not (error and other_error):
        return 0.0
    return float(np.clip((first / error) @ (second / other_error), -1, 1))
