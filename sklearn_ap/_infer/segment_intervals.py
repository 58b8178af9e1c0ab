"""Values of segments, with intervals and p-values that hold for all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
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
from .._words.messages import NO_POSITIVES, about, heard_by, warn
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
from .plans import CountPlan, Plan, plan_of, resamples_of, varied, vary_together
from .requests import IntervalRequest

_UNLIKELY = 0.01
_MUCH = 1.5  # times the lowest fraction of positives is the highest one, if that is told
_MOST_FEW = 5  # segments with few rows that are named
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

    units: Array
    each: Array
    error: float

    @classmethod
    def of(
        cls, plan: Plan, of_mean: Array, error: float, place: Mapping[Any, int] | None
    ) -> _Moves:
        """Take the contributions to a value or a difference, one per sampling unit.

        Those of missed positives aren't known by unit, so they only make the error larger.
        """
        names = plan.sample.names
        units = names if place is None else [place[name] for name in names]
        return cls(np.asarray(units, dtype=np.int64), plan.of_units(of_mean), error)

    def less(self, other: _Moves, error: float) -> _Moves:
        units = np.concatenate([self.units, other.units])
        return _Moves(units, np.concatenate([self.each, -other.each]), error)

    def correlation(self, other: _Moves) -> float:
        _, one, theirs = np.intersect1d(self.units, other.units, return_indices=True)
        if not (self.error and other.error):
            return 0.0
        shared = (self.each[one] / self.error) @ (other.each[theirs] / other.error)
        return float(np.clip(shared, -1, 1))


def _family_of_segments(moves: Sequence[_Moves], pairs: Array | None = None) -> Family:
    """Return the family of estimates, or of the differences of `pairs` of them, whose correlations
    follow from shared sampling units.
    """
    shape = len(moves), 1 + max(int(each.units.max(initial=0)) for each in moves)
    sizes = [each.units.size for each in moves]
    errors = np.array([each.error for each in moves])
    scale = scale_of(errors)
    errors /= scale
    if 2 * sum(sizes) > shape[0] * shape[1]:
        matrix = np.zeros(shape)
        for row, each in zip(matrix, moves, strict=True):
            row += np.bincount(each.units, each.each / scale, shape[1])
        return Family.of(matrix, errors, pairs)
    rows = np.repeat(np.arange(len(moves)), sizes)
    units = np.concatenate([each.units for each in moves])
    values = np.concatenate([each.each for each in moves]) / scale
    return Family.of(coo_array((values, (rows, units)), shape).tocsr(), errors, pairs)


def weighted_by_segment(
    sample: Sample, segments: Segments, prevalence: Mapping[Any, float]
) -> tuple[Array, list[Array]]:
    """Weight the negatives of each segment so that its positives have the prevalence given for it.

    Return the weights of all samples, for all data and for each segment.
    """
    rankings = sample.rankings
    if rankings.labels.ndim > 1:
        with about("y_true"):
            raise ValueError(
                "prevalence is only for binary y_true. Evaluate one class at a time, with its "
                "column of y_true and of y_score."
            )
    of_each, of_all = read_prevalences(prevalence, segments)
    weight = np.ones(rankings.labels.size) if rankings.weight is None else rankings.weight

    def weighted(rows: Array, wanted: float, besides: Members = ()) -> Array:
        part = part_of(sample, rows, besides=besides).rankings
        exist = None if part.n_positives is None else part.n_positives.sum()
        masses = weight[rows][part.labels].sum(), weight[rows][~part.labels].sum()
        return np.where(part.labels, 1.0, factor_of(masses, wanted, exist)) * weight[rows]

    whole, each = weight.astype(float), []
    for name, rows, wanted in zip(segments.names, segments.rows, of_each, strict=True):
        own = np.zeros(whole.size)
        own[rows] = weighted(rows, wanted, segments.members_of(name))
        each.append(own)
        whole[rows] = own[rows]
    if of_all is not None:
        every = {("groups", group) for group in rankings.names or ()}
        whole = weighted(np.arange(whole.size), of_all, every)
    return in_integers(whole), each


class Parts(NamedTuple):
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
    ) -> Parts:
        """Cut the samples of models, of which each may have its own rows."""
        moved = {model: sorted_by_group(sample) for model, sample in whole.items()}
        whole = {model: sample for model, (sample, _) in moved.items()}
        segments = {model: segments[model].moved(place) for model, (_, place) in moved.items()}
        weights = {
            model: each and [put(own, moved[model][1]) for own in each]
            for model, each in weights.items()
        }
        first, *others = segments.values()
        if more := {
            name: None for each in others for name in each.names if name not in first.names
        }:
            nothing = [np.zeros(0, np.int64)] * len(more)
            first = first._replace(names=[*first.names, *more], rows=[*first.rows, *nothing])
        samples = []
        for name in first.names:
            found, known = {}, first.members_of(name)
            if len(whole) > 1:
                for model, sample in whole.items():
                    known.update(members_of(sample, segments[model].rows_of(name)))
            for model, sample in whole.items():
                rows, weight = segments[model].rows_of(name), weights[model]
                own = None if weight is None else weight[segments[model].names.index(name)]
                found[model] = part_of(sample, rows, own, known)
            samples.append(found)
        sample, *besides = whole.values()
        of_rows = sample.kind == "rows"
        names = None if of_rows else {name: number for number, name in enumerate(sample.names)}
        return cls(first, samples, None if besides else sample, names)

    def others(self, place: int) -> Sample:
        """Return the sample of all other rows. It is made when it's needed, as it may be large."""
        assert self.alone is not None
        names = self.segments.names
        besides = set().union(*map(self.segments.members_of, names[:place] + names[place + 1 :]))
        return part_of(self.alone, self.segments.others(place), besides=besides)

    def of_class(self, place: int, label: str) -> Parts:
        samples = [{m: one.of_class(place) for m, one in each.items()} for each in self.samples]
        alone = self.alone and self.alone.of_class(place)
        return self._replace(samples=samples, alone=alone, label=label)

    def notes(
        self, whole: Mapping[Any, Sample], are_comparable: bool, can_be_weighted: bool
    ) -> Iterator[Note]:
        """Say what counts for all data only, and whether segments can be compared."""
        yield from (Note("no_segment", text) for text in self.segments.notes())
        rankings = next(iter(whole.values())).rankings
        if lacking := rankings.n_empty - self._n_empty:
            groups = "1 group has" if lacking == 1 else f"{lacking:,} groups have"
            yield Note(
                "groups_without_rows",
                f"{groups} no rows, only a number of positives, so nothing says to which "
                "segment they belong: they count for all data only.",
            )
        # If n_positives is known, the fraction of positives is what was found, which is a result.
        is_given = rankings.labels.ndim == 1 and rankings.n_positives is None
        if not are_comparable and is_given and self._differ_in_positives():
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
        """Say that a count k is one of each segment, and in which segments there are fewer rows."""
        cut, each = rule.depth, [next(iter(found.values())).rankings for found in self.samples]
        grouped, by_row = each[0].group is not None, each[0].average == "samples"
        if cut is None or cut.is_share or by_row or (grouped and not _cut_groups(each)):
            return
        few = [
            text_of(name)
            for name, rankings in zip(self.segments.names, each, strict=True)
            if (_sizes_of(rankings, cut) < cut.k).any()
        ]
        more = f" and {len(few) - _MOST_FEW:,} more" if len(few) > _MOST_FEW else ""
        fewer = f" There are fewer in {', '.join(few[:_MOST_FEW])}{more}." if few else ""
        per_group, groups = (" and group", ", groups=...") if grouped else ("", "")
        yield Note(
            "k_in_segments",
            f"k={cut} counts rows of each segment{per_group}.{fewer} To cut the whole ranking "
            f"once, choose a threshold: operating_point(..., k={cut}{groups}).check(..., by=...).",
        )

    def _differ_in_positives(self) -> bool:
        """Whether the fractions of positives differ significantly, and by more than a little."""
        labels = [next(iter(each.values())).rankings.labels for each in self.samples]
        size = np.array([each.size for each in labels])
        found = np.array([np.count_nonzero(each) for each in labels])
        share = found.sum() / max(size.sum(), 1)
        kept = size > 0
        if not 0 < share < 1 or np.count_nonzero(kept) < 2:
            return False
        shares = found[kept] / size[kept]
        if shares.max() <= _MUCH * shares.min():
            return False
        squares = (found - size * share)[kept] ** 2 / (size[kept] * share * (1 - share))
        return bool(chdtrc(np.count_nonzero(kept) - 1, squares.sum()) < _UNLIKELY)

    @property
    def _n_empty(self) -> int:
        """The number of groups without rows whose segment is known."""
        return sum(next(iter(each.values())).rankings.n_empty for each in self.samples)

    @property
    def share_units(self) -> bool:
        """Whether a sampling unit belongs to several segments."""
        if self.place is None:
            return self.segments.may_overlap
        first = [next(iter(each.values())).names for each in self.samples]
        return sum(map(len, first)) > len({name for names in first for name in names})


def _cut_groups(each: Sequence[Rankings]) -> bool:
    """Whether some groups have rows in several segments."""
    names = [name for rankings in each for name in rankings.names or ()]
    return len({*names}) < len(names)


def _sizes_of(rankings: Rankings, cut: Cut) -> Array:
    """Return how much of what k counts each ranking has."""
    group = np.zeros(rankings.n_rows, np.int64) if rankings.group is None else rankings.group
    return np.bincount(group, None if cut.by_rows else rankings.weight)


def evaluate_segments(
    request: IntervalRequest,
    parts: Parts,
    baseline: Any,
    claims: Claims,
    has_tables: bool,
    notes: list[Note],
) -> list[SegmentResult]:
    """Compute the intervals of all models in each segment, and what they are compared with.

    All intervals of a model hold at once, and so do those of all differences, unless they are not
    `joint`. What users should know about single segments is added to the notes.
    """
    alone = request._replace(method="auto") if request.method == "randomization" else request
    names, samples = parts.segments.names, parts.samples
    plans: list[dict[Any, Plan]] = []
    reasons: list[str] = []
    lacking = [name for name, each in zip(names, samples, strict=True) if _lacks(each)]
    _warn_of_lacking(lacking, parts, request)
    with _noting(notes) as current:
        for name, each in zip(names, samples, strict=True):
            current[0] = name
            found: dict[Any, Plan] = {}
            reason = ""
            if _lacks(each):
                reason = EMPTY
            else:
                try:
                    found = {
                        model: varied(alone.resolved(one.by_query), one)
                        for model, one in each.items()
                    }
                except ValueError as error:  # as for a single sampling unit
                    found, reason = {}, str(error)
                    warn(reason)
            plans.append(found)
            reasons.append(reason)
    with heard_by(lambda *_: None):  # as these are about the same plans
        intervals = _intervals(alone, parts, plans, claims)
        if parts.alone is not None:
            return _against_others(alone, parts, plans, reasons, intervals, claims)
        given = baseline, claims, has_tables
        results = _against_baseline(request, parts, reasons, intervals, *given)
    notes += _notes_in(names, results)
    return results


def _lacks(samples: Mapping[Any, Sample]) -> bool:
    return not all(map(count_positives, samples.values()))


def _warn_of_lacking(lacking: Sequence[Any], parts: Parts, request: IntervalRequest) -> None:
    if lacking and request.zero_division == "warn":
        names = parts.segments.names
        of_class = f", {parts.label}," if parts.label else ""
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
    """Turn warnings about segments into notes, one of each kind, that name the segments.

    What is true of all rows has been warned about before.
    """
    current: list[Any] = [None]
    found: dict[str, tuple[str, list[str]]] = {}

    def note(message: str, category: type[Warning]) -> None:
        if not issubclass(category, UndefinedMetricWarning):
            without_numbers = re.sub(r"[\d.,]+", "", message)
            _, segments = found.setdefault(without_numbers, (message, []))
            segments.append(text_of(current[0], repr))

    with heard_by(note):
        yield current
    for message, segments in found.values():
        notes.append(_note_in(segments, message))


def _notes_in(names: Sequence[Any], found: Sequence[SegmentResult]) -> Iterator[Note]:
    """Say in which segments no difference can be significant."""
    few = [
        (text_of(name, repr), note.text)
        for name, each in zip(names, found, strict=True)
        for pair in each.pairs.values()
        for note in pair.notes
        if note.code == "few_groups"
    ]
    if few:
        segments, texts = zip(*few, strict=True)
        yield _note_in(segments, texts[0], "few_groups")


def _note_in(segments: Sequence[str], message: str, code: str = "in_segments") -> Note:
    several = list(dict.fromkeys(segments))
    n_others = len(several) - 1
    others = f" and {n_others:,} other{'s' * (n_others > 1)}" if n_others else ""
    return Note(code, f"In the segment {several[0]}{others}: {message}")


def _has_closed_form(request: IntervalRequest, sample: Sample) -> bool:
    resolved = request.resolved(sample.by_query, comparing=True)
    return resolved.method != "bootstrap" and (sample.by_query or is_smooth(request.rule))


def _moves_of(request: IntervalRequest, plan: Plan, place: Mapping[Any, int] | None) -> _Moves:
    """Return what sampling units contribute to a value that varies."""
    spread = plan.spread
    if isinstance(plan, CountPlan) and plan.in_order is None:  # whose rows are counted
        spread = plan_of(request, plan.sample).moved(request.rule)
    return _Moves.of(plan, spread.of_mean, spread.standard_error, place)


def _intervals(
    request: IntervalRequest,
    parts: Parts,
    plans: Sequence[Mapping[Any, Plan]],
    claims: Claims,
) -> list[dict[Any, Interval]]:
    """Compute the intervals of each model, which hold for all segments at once."""
    first, level = parts.samples[0], claims.level
    levels = dict.fromkeys(first, level)
    if claims.joint:
        has_form = _has_closed_form(request, next(iter(first.values())))
        share_units = has_form and parts.share_units
        for model in first:
            own = [each[model] for each in plans if each]
            family = Family(len(own)) if not has_form else Family.independent(len(own))
            if share_units and len(own) > 1:
                family = _family_of_segments(
                    [_moves_of(request, each, parts.place) for each in own]
                )
            levels[model] = family.level(level)
    found = []
    for samples, own_plans in zip(parts.samples, plans, strict=True):
        intervals = {}
        for model, sample in samples.items():
            if not own_plans:
                intervals[model] = value_alone(request, sample, level)
                continue
            resolved = request.resolved(sample.by_query)
            title = title_in(request.rule, sample.rankings)
            interval = interval_from(resolved, own_plans[model], title, levels[model])
            intervals[model] = replace(interval, confidence_level=float(level))
        found.append(intervals)
    return found


def value_alone(
    request: IntervalRequest, sample: Sample, level: float, basis: str = ""
) -> Interval:
    """Compute the value of samples that have no interval, such as a single sampling unit."""
    value, evidence = np.nan, sample.evidence
    if evidence.n_rows or evidence.n_empty:
        value = float(score(request.rule, evidence, request.zero_division))
    return Interval(
        value=value,
        low=np.nan,
        high=np.nan,
        standard_error=np.nan,
        confidence_level=float(level),
        method="",
        metric=title_in(request.rule, evidence),
        basis=basis,
        places=request.rule.decimals,
        source=ComputedFrom.of(request, sample),
    )


def difference_alone(
    request: IntervalRequest, one: Interval, other: float, models: tuple[Any, Any], claims: Claims
) -> Comparison:
    """Compare values of which one has no interval."""
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
    parts: Parts,
    reasons: Sequence[str],
    intervals: Sequence[dict[Any, Interval]],
    baseline: Any,
    claims: Claims,
    has_tables: bool,
) -> list[SegmentResult]:
    """Compare each model with the baseline in each segment.

    If the data chose the baseline, the family has the differences between all models.
    """
    kept: list[tuple[int, Any, Sequence[Plan]]] = []
    resolved, are_drawn_together = request, True
    for number, samples in enumerate(parts.samples):
        if not reasons[number]:
            resolved, pairs, together = vary_models(request, samples, baseline, has_tables)
            are_drawn_together &= together
            kept += [(number, model, pair) for model, pair in pairs.items()]
    by_segment: dict[int, list[Any]] = {}  # the plans of all models, that of the baseline first
    for number, _, (plan, base) in kept:
        by_segment.setdefault(number, [base]).append(plan)
    of_each = pairs_with(len(parts.samples[0]), None if claims.is_chosen else 0)
    size, family, swaps = len(by_segment) * len(of_each), Family(1), {}
    if kept and resolved.method == "randomization" and kept[0][2][0].sample.by_query:
        n_units = parts.segments.is_known.size if parts.place is None else len(parts.place)
        given = parts.place, n_units, of_each, claims.joint
        swaps = swaps_in_segments(resolved, by_segment, *given)
    elif kept and claims.joint:
        family = _family_of_models(resolved, parts, by_segment, of_each, are_drawn_together)
    by_place = {
        (number, model): compared(
            resolved, (model, baseline), pair, claims, swaps.get(number, family)
        )
        for number, model, pair in kept
    }
    results = []
    for number, own in enumerate(intervals):
        of_base = own[baseline].value
        pairs_here = {
            model: by_place.get((number, model))
            or difference_alone(request, own[model], of_base, (model, baseline), claims)
            for model in own
            if model != baseline
        }
        results.append(SegmentResult(own, baseline, pairs_here, reasons[number], size))
    return results


def _family_of_models(
    request: IntervalRequest,
    parts: Parts,
    by_segment: Mapping[int, Sequence[Plan]],
    of_each: Array,
    are_drawn_together: bool,
) -> Family:
    """Return the family of the differences between pairs of models in each segment.

    Resamples of different segments have nothing in common, so those of units that segments share
    don't tell how these are correlated.
    """
    has_form = _has_closed_form(request, next(iter(by_segment.values()))[0].sample)
    share_draws = not has_form and parts.share_units and len(by_segment) > 1
    if share_draws or not are_drawn_together:
        each = [count_distinct(request.rule, plans, of_each) for plans in by_segment.values()]
        return Family(sum(each))
    starts = np.arange(len(by_segment)) * len(parts.samples[0])
    pairs = np.concatenate([of_each + start for start in starts])
    if len(of_each) == 1 and not parts.share_units:
        return Family.independent(len(pairs))
    moves: list[_Moves] = []
    for number, plans in by_segment.items():
        for plan in plans:
            moved, error = plan.spread.of_mean, plan.spread.standard_error
            if has_form:
                moves.append(_Moves.of(plan, moved, error, parts.place))
            else:
                resamples = number * moved.size + np.arange(moved.size)
                moves.append(_Moves(resamples, moved, error))
    return _family_of_segments(moves, pairs)


# --- one model ------------------------------------------------------------------------------------


def _against_others(
    request: IntervalRequest,
    parts: Parts,
    plans: Sequence[Mapping[Any, Plan]],
    reasons: Sequence[str],
    intervals: Sequence[dict[Any, Interval]],
    claims: Claims,
) -> list[SegmentResult]:
    """Compare each segment with all other rows."""
    (model,) = parts.samples[0]
    names = parts.segments.names
    resolved = request.resolved(parts.samples[0][model].by_query)
    n_units = parts.segments.is_known.size if parts.place is None else len(parts.place)
    has_form = _has_closed_form(request, parts.samples[0][model])
    is_known = has_form and len(names) * n_units <= _MOST
    together = None if has_form else _Together.of(resolved, parts)
    kept: dict[int, _Pair] = {}
    values = [np.nan] * len(names)
    for number in range(len(names)):
        others = parts.others(number)
        if not others.rankings.n_rows and not others.rankings.n_empty:
            continue
        if count_positives(others) and not reasons[number]:
            with suppress(ValueError):  # the others may be a single sampling unit
                one = plans[number][model]
                given = parts.place, has_form, is_known, together
                kept[number] = _Pair.of(resolved, one, others, *given)
        if number in kept:
            values[number] = kept[number].other.mean
        else:
            values[number] = float(score(request.rule, others.rankings, request.quietly))
    family = Family(len(kept) if claims.joint else 1)
    if claims.joint and is_known and len(kept) > 1:
        family = _family_of_segments([each.moves for each in kept.values() if each.moves])
    within = family.level(claims.level)
    found: dict[int, Comparison] = {}
    for number, pair in kept.items():
        own = intervals[number][model]
        low, high, pvalue = pair.one.apart_test(pair.other, within, pair.correlation)
        adjusted = float(family.adjusted([pvalue])[0])
        low, high, pvalue = agreed(low, high, adjusted, alpha_of(claims.level))
        found[number] = replace(
            difference_alone(request, own, values[number], (names[number], OTHERS), claims),
            low=low,
            high=high,
            standard_error=_error_of(pair.one, pair.other, pair.correlation),
            pvalue=pvalue,
            verdict="",  # which follows from the interval
            method=own.method,
            n_resamples=own.n_resamples,
            random_state=own.random_state,
        )
    results = []
    for number, each in enumerate(intervals):
        unknown = difference_alone(
            request, each[model], values[number], (names[number], OTHERS), claims
        )
        pairs = {model: found.get(number, unknown)}
        results.append(SegmentResult(each, OTHERS, pairs, reasons[number], family.size))
    return results


class _Together(NamedTuple):
    """The resamples of all fixed groups, which are drawn once if segments don't cut them."""

    place: dict[Any, int]  # of each group
    resamples: Array  # their values and positives, of shape (n_resamples, 2, n_groups)

    @classmethod
    def of(cls, request: IntervalRequest, parts: Parts) -> _Together | None:
        sample, segments = parts.alone, parts.segments
        assert sample is not None
        group, names = sample.rankings.group, sample.rankings.names
        if group is None or names is None or sample.by_query:
            return None
        if split_by(group, segments.rows, segments.is_known) is not None:
            return None
        (resamples,) = resamples_of(request, [plan_of(request, sample)])
        return cls({name: number for number, name in enumerate(names)}, resamples)

    def spread_of(self, plan: Plan) -> Spread:
        places = [self.place[name] for name in plan.sample.rankings.names]
        drawn, positives = self.resamples[:, :, places].swapaxes(0, 1)
        return plan.resampled(drawn, positives)


class _Pair(NamedTuple):
    """How the values of a segment and of all other rows vary."""

    one: Spread
    other: Spread
    correlation: float
    moves: _Moves | None  # contributions to the difference, if they are needed

    @classmethod
    def of(
        cls,
        request: IntervalRequest,
        one: Plan,
        others: Sample,
        place: Mapping[Any, int] | None,
        has_form: bool,
        is_known: bool,
        together: _Together | None,
    ) -> _Pair:
        if together is not None:
            first, second = (together.spread_of(plan) for plan in (one, plan_of(request, others)))
            correlation = _correlation(first.of_mean, second.of_mean)
            return cls(one.spread, second, correlation, None)
        if not has_form:
            other = varied(request, others).spread
            correlation = 0.0 if place is None else _drawn_together(request, one.sample, others)
            return cls(one.spread, other, correlation, None)
        plan = plan_of(request, others, alone=not is_known)
        (plan,) = vary_together(request, [plan])
        other, correlation, moves = plan.spread, 0.0, None
        if is_known or place is not None:
            own, theirs = (_moves_of(request, each, place) for each in (one, plan))
            correlation = 0.0 if place is None else own.correlation(theirs)
            moves = own.less(theirs, _error_of(one.spread, other, correlation))
        if isinstance(plan, CountPlan):  # of whose many rows only the counts are kept
            other = replace(plan, in_order=None).moved(request.rule)
        return cls(one.spread, other, correlation, moves if is_known else None)


def _error_of(one: Spread, other: Spread, correlation: float) -> float:
    return combined(one.standard_error, other.standard_error, correlation)


def _drawn_together(request: IntervalRequest, one: Sample, other: Sample) -> float:
    """Return the correlation of two values in resamples of the clusters that they share."""
    if one.clusters is None or other.clusters is None:
        return 0.0
    names = list(dict.fromkeys([*one.names, *other.names]))
    place = {name: number for number, name in enumerate(names)}
    plans = []
    for sample in (one, other):
        clusters = sample.clusters
        assert clusters is not None
        number = np.array([place[name] for name in sample.names])
        absent = clusters.absent
        absent = absent and absent._replace(cluster=number[absent.cluster])
        both = replace(clusters, of=number[clusters.of], size=len(names), absent=absent)
        plans.append(plan_of(request, sample._replace(clusters=both, names=names)))
    return _correlation(*(plan.spread.of_mean for plan in vary_together(request, plans)))


def _correlation(first: Array, second: Array) -> float:
    one_error, other_error = length(first), length(second)
    if not (one_error and other_error):
        return 0.0
    return float(np.clip((first / one_error) @ (second / other_error), -1, 1))
