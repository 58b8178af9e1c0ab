"""Values of segments, with intervals and p-values that hold for all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc
from sklearn.exceptions import UndefinedMetricWarning

from .._enter.prevalence import factor_of
from .._evaluate.value import score
from .._infer.apart import correlation_by_units, drawn_beside
from .._infer.chance import AtRandom
from .._infer.comparing import (
    Claims,
    compared,
    count_distinct,
    interval_from,
    swaps_in_segments,
    title_in,
    vary_models,
)
from .._infer.intervals import Comparison, ComputedFrom, Interval
from .._infer.requests import IntervalRequest
from .._infer.variation import CountPlan, GroupPlan, Plan, plan_of, varied, vary_together
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
)
from .._show.results import Note
from .._spelling import spell
from .._words.messages import count_of, heard_by, no_positives, warn, warning_once
from .._words.parameters import text_of
from .._words.refusals import about
from ..core.all_pairs import pairs_with
from ..core.cutoff import Cut
from ..core.rankings import Rankings
from ..core.rules import Rule
from ..core.spread import Spread, combined
from ..core.verdicts import adjusted, single_level
from ..core.within import Array

_UNLIKELY = 0.01
_MUCH = 1.5  # times the lowest fraction of positives is the highest one, if that is told
_FEWEST_DRAWS = 50  # of other rows, beside a segment
_MOST_FEW = 5  # segments with few rows that are named
EMPTY = "no positives"  # the reason why a segment has no interval
_Apart = tuple[Spread, Spread, float]  # a segment, all other rows, and their correlation
OTHERS = "other rows"  # what takes the place of a baseline if there is a single model


@dataclass(frozen=True)
class Evaluated:
    """The intervals of models by one metric, and their differences from the baseline, in all data
    or in a segment.
    """

    intervals: dict[Any, Interval]
    baseline: Any = None
    pairs: Mapping[Any, Comparison] = field(default_factory=dict)
    reason: str = ""  # why there are no intervals
    n_compared: int = 0  # differences of the whole family


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
    label: str = ""  # such as "class 3" if they are those of a class

    @classmethod
    def of(
        cls,
        whole: Mapping[Any, Sample],
        segments: Mapping[Any, Segments],
        weights: Mapping[Any, Sequence[Array] | None],
        have_own_rows: bool = False,
    ) -> SegmentSamples:
        """Cut the samples of models, of which each may have its own rows.

        All mappings have the same models. `segments` are those that each model's rows belong to,
        and `weights` the weights of all its rows in each of its segments, in the order of these;
        None if they are those of the sample. Units of models that `have_own_rows` are their own.
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
            if len(in_order) > 1 and not have_own_rows:
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
            return cls(of_all, samples, alone, None)
        place_of_unit = {name: number for number, name in enumerate(first.names)}
        return cls(of_all, samples, alone, place_of_unit)

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
) -> list[Evaluated]:
    """Compute the intervals of all models in each segment, and what they are compared with.

    All intervals of a model hold at once, and so do those of all differences, unless they are not
    `joint`. What users should know about single segments is added to `notes`, the caller's list.
    The `baseline` is the name of a model; None if there is only one.
    """
    of_values, level = request.of_values, claims.level
    segments = _plans_in_segments(of_values, segmented, notes)
    n_at_once = sum(bool(segment.plans) for segment in segments) if claims.joint else 1
    with heard_by(lambda *_: None):  # as these are about the same plans
        intervals = [_intervals(of_values, segment, level, n_at_once) for segment in segments]
        if segmented.alone is not None:
            return _against_others(of_values, segmented, segments, intervals, claims)
        results = _against_baseline(request, segmented, segments, intervals, baseline, claims)
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


class _Segment(NamedTuple):
    """How much the values of all models vary in a segment."""

    name: Any
    samples: dict[Any, Sample]  # of each model
    plans: dict[Any, _Planned]  # of each model, none if the segment has no intervals
    reason: str  # why it has none, or else empty


def _plans_in_segments(
    request: IntervalRequest, segmented: SegmentSamples, notes: list[Note]
) -> list[_Segment]:
    """Estimate how much the values of all models vary in each segment. Warnings are added to
    `notes`.
    """
    samples_of = dict(zip(segmented.segments.names, segmented.samples, strict=True))
    lacking = []  # the segments in which some model has no positives
    for name, samples in samples_of.items():
        if not all(map(count_positives, samples.values())):
            lacking.append(name)
    _warn_of_lacking(lacking, segmented, request)
    is_single = segmented.alone is not None
    segments = []
    with _noting(notes) as current:
        for name, samples in samples_of.items():
            current[0], plans, reason = name, {}, ""
            try:
                if name in lacking:
                    reason = EMPTY
                else:
                    plans = {
                        model: _Planned.of(request.resolved(sample.by_query), sample, is_single)
                        for model, sample in samples.items()
                    }
            except ValueError as error:  # as for a single sampling unit
                reason = str(error)
                warn(reason)
            segments.append(_Segment(name, samples, plans, reason))
    return segments


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
            f"{no_positives()}{of_class} for {len(lacking):,} of {len(names):,} segments "
            f"({listed}), so {are} undefined (0/0) and set to 0.0. Use {spell('zero_division')} "
            "to choose another value and silence this warning.",
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


def _notes_in(names: Sequence[Any], results: Sequence[Evaluated]) -> Iterator[Note]:
    """Say in which segments no difference can be significant, in the words of the first one, and
    which faults would go unseen.
    """
    heard: dict[Any, tuple[Note, list[str]]] = {}
    for name, result in zip(names, results, strict=True):
        for pair in result.pairs.values():
            for note in pair.notes:
                if note.code in ("few_groups", "unseen_faults"):
                    kind = note.text if note.code == "unseen_faults" else note.code
                    heard.setdefault(kind, (note, []))[1].append(text_of(name, repr))
    for note, segments in heard.values():
        yield _note_in(segments, note.text, note.code)


def _note_in(segments: Sequence[str], message: str, code: str = "in_segments") -> Note:
    """Say what is true in segments, which may occur several times, of which the first is named."""
    first, *besides = dict.fromkeys(segments)
    others = f" and {count_of(len(besides), 'others')}" if besides else ""
    return Note(code, f"In the segment {first}{others}: {message}")


def _intervals(
    request: IntervalRequest, segment: _Segment, level: float, n_at_once: int
) -> dict[Any, Interval]:
    """Compute the interval of each model in a segment, which holds for so many at once."""
    intervals = {}
    for model, sample in segment.samples.items():
        if not segment.plans:
            intervals[model] = value_alone(request, sample, level)
            continue
        resolved, plan = request.resolved(sample.by_query), segment.plans[model].alone
        title = title_in(request.rule, sample)
        interval = interval_from(resolved, plan, title, single_level(level, n_at_once))
        intervals[model] = replace(interval, confidence_level=float(level))
    return intervals


def value_alone(
    request: IntervalRequest, sample: Sample, level: float, basis: str = ""
) -> Interval:
    """Compute the value of samples that have no interval, such as a single sampling unit."""
    value, rankings = np.nan, sample.rankings
    if rankings.n_rows or rankings.n_empty:  # or else there is nothing to evaluate
        value = float(score(request.rule, rankings, request.zero_division))
    return Interval(
        value=value,
        confidence_level=float(level),
        metric=title_in(request.rule, sample),
        basis=basis,
        places=request.rule.decimals,
        source=ComputedFrom.of(request, sample),
        at_random=AtRandom(request, sample),
    )


def difference_alone(
    request: IntervalRequest, one: Interval, other: float, models: tuple[Any, Any], claims: Claims
) -> Comparison:
    """Compare values of which one has no interval: that of an interval, and another one."""
    return Comparison(
        values=(one.value, other),
        difference=one.value - other,
        confidence_level=one.confidence_level,
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
    segments: Sequence[_Segment],
    intervals: Sequence[dict[Any, Interval]],
    baseline: Any,
    claims: Claims,
) -> list[Evaluated]:
    """Compare each model with the baseline in each segment.

    If the data chose the baseline, the family has the differences between all models. A segment
    with a reason has no intervals, so it is left out of the family.
    """
    # Pairs of plans, of each model and the baseline, by the number of the segment
    pairs_of_plans: dict[int, Mapping[Any, list[Plan]]] = {}
    resolved = request
    for number, segment in enumerate(segments):
        if segment.plans:
            models = {
                model: plan.alone if claims.has_own_rows else plan.paired
                for model, plan in segment.plans.items()
            }
            resolved, pairs_of_plans[number] = vary_models(request, models, baseline, claims)
    plans: dict[int, list[Any]] = {}  # of all models in each segment, that of the baseline first
    for number, pairs in pairs_of_plans.items():
        (_, base), *_ = pairs.values()
        plans[number] = [base, *(plan for plan, _ in pairs.values())]

    pairs_of_models = pairs_with(len(segmented.samples[0]), None if claims.is_chosen else 0)
    swaps, n_compared = {}, 0
    for in_segment in plans.values():
        n_compared += count_distinct(resolved.rule, in_segment, pairs_of_models)
    n_at_once = n_compared if claims.joint else 1
    by_swaps = resolved.method == "randomization"
    if plans and by_swaps and next(iter(plans.values()))[0].sample.by_query:
        swaps = swaps_in_segments(
            resolved, plans, segmented.place, segmented.n_units, pairs_of_models, claims.joint
        )
    results = []
    for number, (segment, of_models) in enumerate(zip(segments, intervals, strict=True)):
        pairs = pairs_of_plans.get(number, {})
        comparisons = {}
        for model, interval in of_models.items():
            names = model, baseline
            if model in pairs:
                family = swaps.get(number, n_at_once)
                comparisons[model] = compared(resolved, names, pairs[model], claims, family)
            elif model != baseline:
                value = of_models[baseline].value
                comparisons[model] = difference_alone(request, interval, value, names, claims)
        results.append(Evaluated(of_models, baseline, comparisons, segment.reason, n_compared))
    return results


# --- one model ------------------------------------------------------------------------------------


def _against_others(
    request: IntervalRequest,
    segmented: SegmentSamples,
    segments: Sequence[_Segment],
    intervals: Sequence[dict[Any, Interval]],
    claims: Claims,
) -> list[Evaluated]:
    """Compare each segment with all other rows. There is only one model."""
    (model,) = segmented.samples[0]
    values, pairs = _vary_with_others(request, segmented, segments)
    rows, n_distinct = segmented.segments.rows, 0  # two that make up all rows have one difference
    for number, (_, beside, _) in pairs.items():
        of_others = segmented.segments.others(number)
        before = [place for place in range(number) if place in pairs]
        same = [place for place in before if np.array_equal(rows[place], of_others)]
        n_distinct += all(pairs[place][0].mean != beside.mean for place in same)
    n_at_once = n_distinct if claims.joint else 1
    results = []
    for number, (segment, of_models) in enumerate(zip(segments, intervals, strict=True)):
        interval, models = of_models[model], (segment.name, OTHERS)
        comparison = difference_alone(request, interval, values[number], models, claims)
        if number in pairs:
            comparison = _with_test(comparison, interval, pairs[number], n_at_once, claims.level)
        pair = {model: comparison}
        results.append(Evaluated(of_models, OTHERS, pair, segment.reason, n_distinct))
    return results


def _vary_with_others(
    request: IntervalRequest, segmented: SegmentSamples, segments: Sequence[_Segment]
) -> tuple[list[float], dict[int, _Apart]]:
    """Evaluate the rows outside of each segment, and estimate how much both values vary.

    Return the value of the other rows for each segment, nan if there are none, and a pair for each
    segment that can be compared with them, by its number.
    """
    (model,) = segmented.samples[0]
    resolved = request.resolved(segmented.samples[0][model].by_query)
    pairs: dict[int, _Apart] = {}
    values = [np.nan] * len(segments)
    for number, segment in enumerate(segments):
        others = segmented.others(number)
        if not others.rankings.n_rows and not others.rankings.n_empty:
            continue
        if count_positives(others) and not segment.reason:
            with suppress(ValueError):  # the others may be a single sampling unit
                plan = segment.plans[model].alone
                request_of_others = _drawn_less(resolved, plan.sample, others)
                pairs[number] = _with_others(request_of_others, plan, others, segmented.place)
        if number in pairs:
            values[number] = pairs[number][1].mean
        else:
            values[number] = float(score(request.rule, others.rankings, request.quietly))
    return values, pairs


def _with_test(
    comparison: Comparison, interval: Interval, pair: _Apart, n_at_once: int, level: float
) -> Comparison:
    """Add the interval and the p-value of a difference from all other rows, which hold for so many
    at once. `interval` is that of the segment's own value.
    """
    first, second, correlation = pair
    tested = first.apart_test(second, single_level(level, n_at_once), correlation)
    low, high, pvalue = adjusted(tested, n_at_once, level)
    return replace(
        comparison,
        low=low,
        high=high,
        standard_error=combined(first.standard_error, second.standard_error, correlation),
        pvalue=pvalue,
        verdict="",  # which follows from the interval
        method=interval.method,
        n_resamples=interval.n_resamples,
        random_state=interval.random_state,
    )


def _drawn_less(request: IntervalRequest, sample: Sample, others: Sample) -> IntervalRequest:
    """Draw a segment and all other rows together less often than the segment alone.

    A variance is about in proportion to 1/positives. With so few draws, the others and their
    correlation add about as much noise to a difference as the segment's own draws do. With as many
    draws, 40 segments would take as long as 80 reports of all rows.
    """
    fraction = min(count_positives(sample) / count_positives(others), 1.0)
    n_draws = max(ceil(request.times * fraction**0.75), min(request.times, _FEWEST_DRAWS))
    return request._replace(n_resamples=n_draws)


def _with_others(
    request: IntervalRequest, plan: Plan, others: Sample, place: Mapping[Any, int] | None
) -> _Apart:
    """Vary the other rows, whose value correlates with a segment's by the sampling units in both.

    `place` numbers all units by name, so that the same clusters are drawn for all segments; None
    for rows, which are never in both.
    """
    if place is not None and request.method == "bootstrap":
        return plan.spread, *drawn_beside(request, plan.sample, others, place)
    of_others = varied(request, others)
    correlation = 0.0 if place is None else correlation_by_units(plan, of_others, place)
    return plan.spread, of_others.spread, correlation
