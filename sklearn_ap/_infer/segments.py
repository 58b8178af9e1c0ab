"""Values of segments, with intervals and p-values that hold for all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.special import chdtrc
from sklearn.exceptions import UndefinedMetricWarning

from .._enter.prevalence import factor_of
from .._evaluate.value import score
from .._read.columns import in_integers
from .._read.segments import Segments, read_prevalences
from .._read.units import Sample, count_of, members_of, part_of
from .._show.results import Computed, Note
from .._words.messages import NO_POSITIVES, about, heard_by, warn
from .._words.parameters import text_of
from ..core.families import Family
from ..core.influence import is_smooth
from ..core.runs import Array
from ..core.spread import Spread, combined, length, scale_of
from .chance import chance_of
from .comparing import Claims, compared, interval_from, title_in, vary_models
from .plans import CountPlan, Plan, plan_of, varied, vary_together
from .requests import IntervalRequest
from .results import Comparison, Interval, Source

_UNLIKELY = 0.01
_MOST = 2**24  # contributions to differences from all other rows; of more, use Bonferroni
EMPTY = "no positives"  # the reason why a segment has no interval
OTHERS = "other rows"  # what takes the place of a baseline if there is a single model


class Found(NamedTuple):
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


def _family_of(moves: Sequence[_Moves]) -> Family:
    """Return the family of estimates whose correlations follow from shared sampling units."""
    shape = len(moves), 1 + max(int(each.units.max(initial=0)) for each in moves)
    sizes = [each.units.size for each in moves]
    errors = np.array([each.error for each in moves])
    scale = scale_of(errors)
    errors /= scale
    if 2 * sum(sizes) > shape[0] * shape[1]:
        matrix = np.zeros(shape)
        for row, each in zip(matrix, moves, strict=True):
            row += np.bincount(each.units, each.each / scale, shape[1])
        return Family.of(matrix, errors)
    rows = np.repeat(np.arange(len(moves)), sizes)
    units = np.concatenate([each.units for each in moves])
    values = np.concatenate([each.each for each in moves]) / scale
    return Family.of(coo_array((values, (rows, units)), shape).tocsr(), errors)


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

    def weighted(rows: Array, wanted: float) -> Array:
        part = part_of(sample, rows).rankings
        exist = None if part.n_positives is None else part.n_positives.sum()
        masses = weight[rows][part.labels].sum(), weight[rows][~part.labels].sum()
        return np.where(part.labels, 1.0, factor_of(masses, wanted, exist)) * weight[rows]

    whole, each = weight.astype(float), []
    for rows, wanted in zip(segments.rows, of_each, strict=True):
        own = np.zeros(whole.size)
        own[rows] = weighted(rows, wanted)
        each.append(own)
        whole[rows] = own[rows]
    if of_all is not None:
        whole = weighted(np.arange(whole.size), of_all)
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
        first, *others = segments.values()
        if more := {
            name: None for each in others for name in each.names if name not in first.names
        }:
            nothing = [np.zeros(0, np.int64)] * len(more)
            first = first._replace(names=[*first.names, *more], rows=[*first.rows, *nothing])
        samples = []
        for name in first.names:
            found, known = {}, set[Any]()
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
        return part_of(self.alone, self.segments.others(place))

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
        if lacking := rankings.n_empty:
            groups = "1 group has" if lacking == 1 else f"{lacking:,} groups have"
            yield Note(
                "groups_without_rows",
                f"{groups} no rows, only a number of positives, so it isn't known to which "
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

    def _differ_in_positives(self) -> bool:
        """Whether the fractions of positives differ beyond chance."""
        labels = [next(iter(each.values())).rankings.labels for each in self.samples]
        size = np.array([each.size for each in labels])
        found = np.array([np.count_nonzero(each) for each in labels])
        share = found.sum() / max(size.sum(), 1)
        kept = size > 0
        if not 0 < share < 1 or np.count_nonzero(kept) < 2:
            return False
        squares = (found - size * share)[kept] ** 2 / (size[kept] * share * (1 - share))
        return bool(chdtrc(np.count_nonzero(kept) - 1, squares.sum()) < _UNLIKELY)

    @property
    def share_units(self) -> bool:
        """Whether a sampling unit belongs to several segments."""
        if self.place is None:
            return self.segments.may_overlap
        first = [next(iter(each.values())).names for each in self.samples]
        return sum(map(len, first)) > len({name for names in first for name in names})


def evaluate_segments(
    request: IntervalRequest,
    parts: Parts,
    baseline: Any,
    claims: Claims,
    has_tables: bool,
    notes: list[Note],
) -> list[Found]:
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
                    found = {model: _varied(alone, one) for model, one in each.items()}
                except ValueError as error:  # as for a single sampling unit
                    found, reason = {}, str(error)
                    notes.append(_note_in([text_of(name, repr)], reason))
            plans.append(found)
            reasons.append(reason)
    with heard_by(lambda *_: None):  # as these are about the same plans
        intervals = _intervals(alone, parts, plans, claims)
        if parts.alone is not None:
            return _against_others(alone, parts, plans, reasons, intervals, claims)
        return _against_baseline(request, parts, reasons, intervals, baseline, claims, has_tables)


def _lacks(samples: Mapping[Any, Sample]) -> bool:
    return not all(map(count_of, samples.values()))


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


def _note_in(segments: Sequence[str], message: str) -> Note:
    several = list(dict.fromkeys(segments))
    others = f" and {len(several) - 1:,} others" if len(several) > 1 else ""
    return Note("in_segments", f"In the segment {several[0]}{others}: {message}")


def _varied(request: IntervalRequest, sample: Sample) -> Plan:
    return varied(request.resolved(sample.by_query), sample)


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
                family = _family_of([_moves_of(request, each, parts.place) for each in own])
            levels[model] = family.level(level)
    found = []
    for samples, own_plans in zip(parts.samples, plans, strict=True):
        intervals = {}
        for model, sample in samples.items():
            if not own_plans:
                intervals[model] = _value_alone(request, sample, level)
                continue
            resolved = request.resolved(sample.by_query)
            title = title_in(request.rule, sample.rankings)
            interval = interval_from(resolved, own_plans[model], title, levels[model])
            intervals[model] = replace(interval, confidence_level=float(level))
        found.append(intervals)
    return found


def _value_alone(request: IntervalRequest, sample: Sample, level: float) -> Interval:
    """Compute the value of a segment that has no interval."""
    value = np.nan
    if len(sample.rankings.labels):
        value = float(score(request.rule, sample.rankings, request.quietly))
    return Interval(
        value=value,
        low=np.nan,
        high=np.nan,
        standard_error=np.nan,
        confidence_level=float(level),
        method="",
        metric=title_in(request.rule, sample.rankings),
        basis="",
        places=request.rule.decimals,
        source=Source.of(request, sample),
        at_random=Computed(partial(chance_of, request, sample)),
    )


def _undefined(
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


def _adjusted(pairs: Sequence[Comparison], family: Family, level: float) -> list[Comparison]:
    """Adjust p-values of differences, whose intervals have an adjusted level already.

    A p-value is below 1 - level exactly if the interval excludes 0, also where both are close.
    """
    found = []
    pvalues = family.adjusted([pair.pvalue for pair in pairs])
    for pair, pvalue in zip(pairs, pvalues.tolist(), strict=True):
        least = np.nextafter(1 - level, 0)
        if pvalue == pvalue:
            excludes = pair.low > 0 or pair.high < 0
            pvalue = min(pvalue, least) if excludes else max(pvalue, 1 - level)
        found.append(replace(pair, pvalue=float(pvalue), confidence_level=float(level)))
    return found


# --- several models -------------------------------------------------------------------------------


def _against_baseline(
    request: IntervalRequest,
    parts: Parts,
    reasons: Sequence[str],
    intervals: Sequence[dict[Any, Interval]],
    baseline: Any,
    claims: Claims,
    has_tables: bool,
) -> list[Found]:
    """Compare each model with the baseline in each segment.

    If the data chose the baseline, the family has the differences between all models.
    """
    kept: list[tuple[int, Any, Sequence[Plan]]] = []
    resolved = request
    for number, samples in enumerate(parts.samples):
        if not reasons[number]:
            resolved, pairs = vary_models(request, samples, baseline, has_tables)
            kept += [(number, model, pair) for model, pair in pairs.items()]
    within, family = claims, Family(1)
    if claims.joint and kept:
        family = _family_of_models(resolved, parts, kept, claims.is_chosen)
        within = replace(claims, level=family.level(claims.level))
    found = [compared(resolved, (model, baseline), pair, within) for _, model, pair in kept]
    if claims.joint:
        found = _adjusted(found, family, claims.level)
    by_place = {(number, model): pair for (number, model, _), pair in zip(kept, found, strict=True)}
    results = []
    for number, own in enumerate(intervals):
        of_base = own[baseline].value
        pairs_here = {
            model: by_place.get((number, model))
            or _undefined(request, own[model], of_base, (model, baseline), claims)
            for model in own
            if model != baseline
        }
        results.append(Found(own, baseline, pairs_here, reasons[number], family.size))
    return results


def _family_of_models(
    request: IntervalRequest,
    parts: Parts,
    kept: Sequence[tuple[int, Any, Sequence[Plan]]],
    is_chosen: bool,
) -> Family:
    n_models = len(parts.samples[0])
    n_each = n_models * (n_models - 1) // 2 if is_chosen else n_models - 1
    size = len(kept) // (n_models - 1) * n_each
    if not _has_closed_form(request, kept[0][2][0].sample):
        return Family(size)
    if n_each == 1 and not parts.share_units:
        return Family.independent(size)
    moves: list[_Moves] = []
    here: list[tuple[int, _Moves]] = []
    for number, _, plans in kept:
        difference = plans[0].spread.less(plans[1].spread)
        one = _Moves.of(plans[0], difference.of_mean, difference.standard_error, parts.place)
        if is_chosen:  # also those between the models that aren't the baseline
            here = [each for each in here if each[0] == number]
            for _, other in here:
                if one.each.shape == other.each.shape:
                    each = one.each - other.each
                    moves.append(_Moves(one.units, each, float(length(each))))
            here.append((number, one))
        moves.append(one)
    family = _family_of(moves)
    return family if family.size == size else Family(size)


# --- one model ------------------------------------------------------------------------------------


def _against_others(
    request: IntervalRequest,
    parts: Parts,
    plans: Sequence[Mapping[Any, Plan]],
    reasons: Sequence[str],
    intervals: Sequence[dict[Any, Interval]],
    claims: Claims,
) -> list[Found]:
    """Compare each segment with all other rows."""
    (model,) = parts.samples[0]
    names = parts.segments.names
    resolved = request.resolved(parts.samples[0][model].by_query)
    n_units = parts.segments.is_known.size if parts.place is None else len(parts.place)
    has_form = _has_closed_form(request, parts.samples[0][model])
    is_known = has_form and len(names) * n_units <= _MOST
    kept: dict[int, _Pair] = {}
    values = [np.nan] * len(names)
    for number in range(len(names)):
        others = parts.others(number)
        if not count_of(others):
            continue
        values[number] = float(score(request.rule, others.rankings, request.quietly))
        if not reasons[number]:
            with suppress(ValueError):  # the others may be a single sampling unit
                one = plans[number][model]
                kept[number] = _Pair.of(resolved, one, others, parts.place, has_form, is_known)
    within, family = claims.level, Family(max(len(kept), 1))
    if claims.joint and kept:
        if is_known and len(kept) > 1:
            family = _family_of([each.moves for each in kept.values() if each.moves])
        within = family.level(claims.level)
    found: dict[int, Comparison] = {}
    for number, pair in kept.items():
        own = intervals[number][model]
        low, high, pvalue = pair.one.apart_test(pair.other, within, pair.correlation)
        found[number] = replace(
            _undefined(request, own, values[number], (names[number], OTHERS), claims),
            low=low,
            high=high,
            standard_error=_error_of(pair.one, pair.other, pair.correlation),
            pvalue=pvalue,
            verdict="",  # which follows from the interval
            method=own.method,
            n_resamples=own.n_resamples,
            random_state=own.random_state,
        )
    if claims.joint:
        adjusted = _adjusted([*found.values()], family, claims.level)
        found = dict(zip(found, adjusted, strict=True))
    results = []
    for number, each in enumerate(intervals):
        unknown = _undefined(request, each[model], values[number], (names[number], OTHERS), claims)
        pairs = {model: found.get(number, unknown)}
        results.append(Found(each, OTHERS, pairs, reasons[number], family.size))
    return results


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
    ) -> _Pair:
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
    first, second = (plan.spread.of_mean for plan in vary_together(request, plans))
    one_error, other_error = length(first), length(second)
    if not (one_error and other_error):
        return 0.0
    return float(np.clip((first / one_error) @ (second / other_error), -1, 1))
