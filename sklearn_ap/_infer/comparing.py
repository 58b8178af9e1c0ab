"""How intervals are made, and how the values of models are paired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from .._evaluate.value import valued
from .._read.sampling_units import Sample, check_same_names, has_queries, warn_of_dead
from .._read.validation import FEW
from .._show.results import Kept, Note, most_serious
from .._words.messages import naming_model, warning_once
from .._words.names import mean_title, written
from ..core.all_pairs import errors_of_pairs, ranks_of, told_apart
from ..core.evidence import Evidence
from ..core.families import Family, agreed, pairs_with
from ..core.rankings import Rankings
from ..core.rules import Bpref, OfGroup, RecallAtPrecision, Rule
from ..core.spread import MANY, ROUNDING, Spread, alpha_of, number_of_few, scale_of
from ..core.swaps import Swaps
from ..core.units import rank_alike
from ..core.within import Array, any_of
from .chance import AtRandom
from .intervals import Comparison, Comparisons, ComputedFrom, Interval, NextTestSet, tabled
from .plans import (
    GroupPlan,
    Plan,
    parts_of,
    plan_of,
    spread_in,
    unseen_at_top,
    varied,
    vary_beside,
    vary_together,
)
from .ranks import Ranks
from .requests import IntervalRequest
from .unit_table import count_wins

_FEW, _MANY = 20, 10  # at most one of so many units is few, if there are at least so many
_ANSWERED = (
    " To compare the models where all of them have rows, leave out the other groups, as "
    "readers.answered(tables) or --only-answered does with tables of the readers."
)
_TINY = 1e-300
_LARGER = 2  # times the largest other unit is the smallest one of the few that decide
_FEW_DIFFER = 6  # units; with one less, no test of signs is significant
_FAILED = {"no_rows", "no_values"}  # what explains that few units decide
_NEARLY_ALL = 0.98  # by simulation: up to 3% of the usual data sets have wider intervals


def interval_of(request: IntervalRequest, sample: Sample, level: float) -> Interval:
    """Compute the interval of checked input."""
    request = request.resolved(sample.by_query)
    warn_of_dead(sample, request.rule.depth)
    plan = varied(request, sample)
    return interval_from(request, plan, title_in(request.rule, sample.evidence), level)


def interval_from(request: IntervalRequest, plan: Plan, title: str, level: float) -> Interval:
    spread, sample = plan.spread, plan.sample
    low, high = spread.limits(level)
    source = None if sample is None else ComputedFrom.of(request, sample)
    said = [] if sample is None else [*_of_values(request, plan)]
    said += [] if sample is None else _on_few(spread, plan, said)
    return Interval(
        value=spread.mean,
        low=low,
        high=high,
        standard_error=spread.standard_error,
        confidence_level=float(level),
        method=request.method,
        metric=title,
        basis=plan.basis,
        **request.drawn(),
        n_groups=plan.n_groups,
        said=(*said, *_of_any(request.rule, spread, high - low), *_on_random(source)),
        places=request.rule.decimals,
        source=source,
        below_random=source and Kept(partial(_end_below_random, source.at_random, spread)),
    )


def _end_below_random(random: AtRandom, spread: Spread) -> float | None:
    """Return the high end of the interval of 99%, or a mean over groups, if random rankings are
    above it; otherwise None.
    """
    end = spread.mean if random.is_of_groups else spread.limits(0.99)[1]
    if not end < random.near(end) * (1 - ROUNDING):
        return None
    if random.is_of_groups and not random.rarely_has(end):
        return None
    return end


def _on_random(source: ComputedFrom | None) -> Iterator[Note]:
    """Say if random rankings aren't known because the rows stayed where they are."""
    if source is not None and source.at_random.needs_rows:
        yield Note(
            "no_random",
            "Tables that are read in passes don't show what random rankings would get, or "
            "whether scores are upside down. To find out, pass a table in memory, such as what "
            "polars.read_parquet or collect() returns.",
        )


def _too_few(family: Family | Swaps, level: float) -> Iterator[Note]:
    """Say if no p-value of random swaps can be small enough."""
    if isinstance(family, Swaps) and family.least() >= alpha_of(level):
        yield Note(
            "few_groups",
            f"With {family.n_own:,} sampling units, no p-value of random swaps is below "
            f"{family.least():.3g}, so no difference can be significant, and intervals are the "
            "whole range of the metric. Use method='influence', or a larger n_resamples if there "
            "are many units.",
        )


def _of_values(request: IntervalRequest, plan: Plan) -> Iterator[Note]:
    """Say what is odd about the values of a model, and for how many groups they are 0/0, unless a
    warning has said that.
    """
    yield from _failed(request.rule, plan, plan.sample.model)
    evidence, instead = plan.sample.evidence, request.zero_division
    if isinstance(request.rule, Bpref) and (judged := evidence.rows.judged) and not judged.has_all:
        yield Note(
            "only_found",
            "n_positives has no counts of grade 0, so bpref only knows those documents judged as "
            "not relevant that were retrieved.",
        )
    if instead == "warn" or not evidence.is_grouped:
        return
    exist = evidence.positive_rows if evidence.n_positives is None else evidence.n_positives
    # Without positives, some metrics are 0.
    is_undefined = (exist == 0) & np.isnan(valued(request.rule, evidence).values)
    if n_undefined := np.count_nonzero(is_undefined):
        are = "left out" if np.isnan(instead) else f"set to {instead}"
        yield Note(
            "undefined",
            f"{n_undefined:,} of {exist.size:,} {plan.sample.group_words} have no positives, so "
            f"their values are undefined (0/0) and {are}.",
        )


def _failed(rule: Rule, plan: Plan, model: Any) -> Iterator[Note]:
    """Say if a model seems to have failed: if it has no rows for groups of which another model has
    some, or for half of all groups; if a function has no finite value for half of the groups or
    more; or if all of many values are 0.
    """
    sample, evidence, spread = plan.sample, plan.sample.evidence, plan.spread
    called = "The model" if model in (None, "") else f"The model {model!r}"
    values = spread.values if spread.each is None else spread.each
    is_lacking = isinstance(rule, OfGroup) and np.isnan(valued(rule, evidence).values)
    n_lacking = np.count_nonzero(is_lacking)
    n_groups = 0 if evidence.names is None else len(evidence.names)
    n_empty = evidence.n_empty
    if 2 * n_empty < n_groups:
        n_empty = sample.n_lacking
    if n_empty:
        only_some = "" if sample.answered is None else _ANSWERED
        yield Note(
            "no_rows",
            f"{called} has no rows for {n_empty:,} of {n_groups:,} {sample.group_words}. Groups "
            "without rows count as 0. Was the table cut off, or are its groups named differently?"
            f"{only_some}",
        )
    elif n_lacking and 2 * n_lacking >= n_groups:
        yield Note(
            "no_values",
            f"{called} has no finite value for {n_lacking:,} of {n_groups:,} {sample.group_words}. "
            "Did it fail there?",
        )
    elif has_queries(evidence) and values.size >= FEW and not values.any():
        words = sample.group_words if evidence.is_grouped else "rows"
        yield Note(
            "only_zeros",
            f"{called} has a value of 0 in all {values.size:,} {words}. Did it fail, or were "
            "missing values filled with 0?",
        )


def _on_few(
    spread: Spread, plan: Plan, said: Sequence[Note], models: Sequence[Any] = ()
) -> Iterator[Note]:
    """Say if a few of many units decide, of which another sample may have more, or none, and if
    nothing bounds what other units may show. Notes on models that failed say enough.
    """
    if not isinstance(plan, GroupPlan) or not spread.may_be_skewed or spread.each is None:
        return
    if any(note.code in _FAILED for note in said):
        return
    sample, parts = plan.sample, spread.weight.copy()
    parts[parts > 0] *= spread.each
    sizes = np.abs(plan.by_unit(parts))
    words = sample.group_words if sample.evidence.is_grouped else "rows"
    words = words if sample.clusters is None else sample.cluster_words
    between, text = " and ".join(map(repr, models)), ""
    what = f"differences between {between}" if models else "values"
    n_units, n_differ = sizes.size, np.count_nonzero(sizes > ROUNDING * sizes.max())
    if models and n_differ < _FEW_DIFFER:
        only = f"Only {n_differ}" if n_differ else "None"
        text = f"{only} of {n_units:,} {words} differ between {between}."
    elif number := _stand_out(sizes[np.argsort(-np.abs(spread.of_mean))], spread.of_mean):
        of_all = f"{number:,} of {n_units:,} {words}"
        text = f"A few units decide: most of the variance of the {what} comes from {of_all}."
    if text and n_units >= _MANY:
        yield Note("few_units", f"{text} Another sample may have more of them, or none.")
    if spread.is_constant and np.isinf(spread.farthest):
        bounds = "which have no limits, so nothing bounds what other ones may have."
        yield Note("no_limits", f"All {n_units:,} {words} have equal {what}, {bounds}")


def _stand_out(sizes: Array, of_mean: Array) -> int:
    """Return how many units make up most of the variance and are much larger than all others, 0 if
    they aren't few. Right and wrong answers are all of one size.
    """
    fewest, most = number_of_few(of_mean), max(sizes.size // _FEW, 1)
    for number in range(fewest, most + 1):
        smallest, largest = sizes[:number].min(), sizes[number:].max(initial=0.0)
        if smallest >= max(_LARGER * largest, _TINY) and (largest or number == fewest):
            return number
    return 0


def _of_any(rule: Rule, spread: Spread, width: float) -> Iterator[Note]:
    """Say if a recall at a precision may be nearly any, although there are enough positives."""
    is_any = width > _NEARLY_ALL and spread.together >= _FEW
    if isinstance(rule, RecallAtPrecision) and is_any:
        yield Note(
            "any_recall",
            f"Precision stays close to {rule.min_precision:g} over nearly all recalls, so a few "
            "samples decide which recall it allows, and the interval may miss the true one. Use "
            "precision at a recall instead.",
        )


@dataclass(frozen=True)
class Claims:
    """What is said about differences, and how surely."""

    level: float
    margin: float | None = None  # the smallest difference that matters
    joint: bool = True  # whether it holds for all models at once
    is_chosen: bool = False  # whether the data chose the baseline, which could be any of the models


def compare_models(
    request: IntervalRequest,
    samples: Mapping[Any, Sample],
    baseline: Any,
    claims: Claims,
    has_tables: bool = False,
) -> tuple[Any, dict[Any, Comparison], Callable[[], Ranks]]:
    """Compare each model with the baseline, and return the baseline, the comparisons, and what
    ranks the models.

    Intervals and p-values hold for all comparisons at once. If the data chose the baseline, these
    are all pairs.
    """
    request = request.resolved(next(iter(samples.values())).by_query, comparing=True)
    with warning_once():
        plans = _plans_of_models(request, samples, has_tables)
        base, found, together = vary_beside(request, plans, baseline)
    place = {model: number for number, model in enumerate(plans)}
    with_base = pairs_with(len(plans), None if claims.is_chosen else place[base])
    joint = claims.joint and len(with_base) > 1
    family = _family_of(request, plans, together, with_base, joint)
    pairs = {
        model: compared(request, (model, base), pair, claims, family)
        for model, pair in found.items()
    }
    return base, pairs, partial(_ranks_of_models, request, plans, together, claims.level)


def _family_of(
    request: IntervalRequest,
    plans: Mapping[Any, Plan],
    together: Mapping[Any, Plan],
    pairs: Array,
    joint: bool = True,
) -> Family | Swaps:
    """Return the family of the differences between pairs of models, which may stand alone."""
    if request.method == "randomization" and next(iter(plans.values())).sample.by_query:
        parts = [_parts_of_units(plan, plan.spread)[0] for plan in together.values()]
        swaps = _swaps(request, parts[0].size)
        return swaps.together(np.stack(parts), pairs) if joint else swaps
    if not joint or len(pairs) < 2:
        return Family(1)
    if not together:  # pairs that were drawn apart
        return Family(count_distinct(request.rule, [*plans.values()], pairs))
    each = np.stack([plan.spread.of_mean for plan in together.values()])
    return Family.of(each / scale_of(each), pairs=pairs)


def count_distinct(rule: Rule, plans: Sequence[Plan], pairs: Array) -> int:
    """Count the differences between pairs of models, where copies of a model count as that one."""

    def are_copies(one: Plan, other: Plan) -> bool:
        has_same_value = one.spread.mean == other.spread.mean
        return has_same_value and _are_alike(rule, one.sample.evidence, other.sample.evidence)

    first = [
        next(i for i, one in enumerate(plans) if one is plan or are_copies(one, plan))
        for plan in plans
    ]
    differences = [{first[one], first[other]} for one, other in pairs.tolist()]
    return len({frozenset(each) for each in differences if len(each) > 1})


def _swaps(request: IntervalRequest, n_units: int) -> Swaps:
    return Swaps(n_units, request.times, lambda: request.generator)


def swaps_in_segments(
    request: IntervalRequest,
    plans: Mapping[Any, Sequence[GroupPlan]],
    place: Mapping[Any, int] | None,
    n_units: int,
    pairs: Array,
    joint: bool,
) -> dict[Any, Swaps]:
    """Return the family of the differences between pairs of models in each segment, whose units
    are swapped in all segments at once.
    """
    every, found, farthest = _swaps(request, n_units).kept(), {}, None
    for segment, each in plans.items():
        one, names = each[0], each[0].sample.names
        columns = [names[unit] if place is None else place[names[unit]] for unit in one.places]
        found[segment] = every.of(np.array(columns))
        if joint:
            parts = np.stack([_parts_of_units(plan, plan.spread)[0] for plan in each])
            own = found[segment].together(parts, pairs).farthest
            farthest = own if farthest is None or own is None else np.maximum(farthest, own)
    return {segment: replace(swaps, farthest=farthest) for segment, swaps in found.items()}


def _parts_of_units(plan: Plan, spread: Spread) -> tuple[Array, Array]:
    """Return what sampling units contribute to a mean over groups or rows, and their weights."""
    if spread.each is None:
        raise ValueError(
            "method='randomization' swaps the models in random groups, but with "
            "average='weighted', the groups have different weights in the two intervals. Use "
            "method='influence' or method='bootstrap'."
        )
    weight = spread.weight[spread.weight > 0]
    parts = spread.each * weight
    return (
        (plan.by_unit(parts), plan.by_unit(weight))
        if isinstance(plan, GroupPlan)
        else (parts, weight)
    )


def _plans_of_models(
    request: IntervalRequest, samples: Mapping[Any, Sample], has_tables: bool
) -> dict[Any, Plan]:
    """Plan how to vary the values of models, and check that they have the same units."""
    plans = {}
    for model, sample in samples.items():
        with naming_model(model, samples, has_tables):
            plans[model] = plan_of(request, sample)
    _check_paired(plans, isinstance(request.rule, OfGroup))
    return plans


def vary_models(
    request: IntervalRequest, samples: Mapping[Any, Sample], baseline: Any, has_tables: bool = False
) -> tuple[IntervalRequest, Mapping[Any, list[Plan]], bool]:
    """Vary each model together with the baseline, and return the request with its method, too, and
    whether all models vary together.
    """
    request = request.resolved(next(iter(samples.values())).by_query, comparing=True)
    with warning_once():
        plans = _plans_of_models(request, samples, has_tables)
        _, pairs, together = vary_beside(request, plans, baseline)
    return request, pairs, bool(together)


def compare_samples(
    request: IntervalRequest,
    samples: Mapping[Any, Sample],
    baseline: Any,
    claims: Claims,
    in_table: bool,
    has_tables: bool = False,
) -> Comparison | Comparisons:
    """Compare each model with the baseline in a table, or the first of two with the second one."""
    base = baseline if in_table else list(samples)[1]
    claims = replace(claims, is_chosen=base is None)
    base, pairs, _ = compare_models(request, samples, base, claims, has_tables)
    if not in_table:
        return next(iter(pairs.values()))
    ranking = partial(_ranked_later, request, samples, claims.level)
    return tabled(pairs, samples, base, claims.level, claims.joint, ranking)


def _ranked_later(request: IntervalRequest, samples: Mapping[Any, Sample], level: float) -> Ranks:
    """Rank models that were compared before, whose plans would take too much memory to be kept."""
    request = request._replace(zero_division=request.quietly)
    request = request.resolved(next(iter(samples.values())).by_query, comparing=True)
    with warning_once():
        plans = _plans_of_models(request, samples, False)
        return _ranks_of_models(request, plans, vary_beside(request, plans, None)[2], level)


def _ranks_of_models(
    request: IntervalRequest, plans: Mapping[Any, Plan], together: Mapping[Any, Plan], level: float
) -> Ranks:
    """Rank models, of which each pair is tested as by `compare`."""
    rule, each = request.rule, [*(together or plans).values()]
    values = np.array([plan.spread.mean for plan in each])
    goodness = rule.sign * values
    family = _family_of(request, plans, together, pairs_with(len(each), None))
    spreads: dict[int, float] = {}

    def spread_of(plan: Plan) -> float:
        if id(plan) not in spreads:
            spreads[id(plan)] = spread_in(plan)
        return spreads[id(plan)]

    def pvalue(one: int, other: int, clear: float) -> float:
        pair: Sequence[Plan] = [each[one], each[other]]
        if not together:
            pair = vary_together(request, pair)
        difference = difference_of(request, pair, spread_of)
        if isinstance(family, Swaps):
            return 1.0 - (family.distance(_parts_of_units(pair[0], difference)[0]) > critical)
        if request.method == "influence" and (quick := difference.t_test(level)[2]) < clear:
            return quick
        return _tested(request, pair, difference, within)[2]

    if isinstance(family, Swaps):
        critical, within = family.critical(level) * (1 + ROUNDING), level
    else:
        within = family.level(level)
    errors = np.zeros((len(each), len(each)))
    if together and isinstance(family, Family):
        errors = errors_of_pairs([plan.spread.of_mean for plan in each])
    is_better = told_apart(goodness, errors, alpha_of(within), pvalue)
    sample = each[0].sample
    return Ranks.of(
        [*plans],
        values,
        ranks_of(goodness),
        is_better,
        confidence_level=float(level),
        method=request.method,
        metric=title_in(rule, sample.evidence),
        basis=each[0].basis,
        **request.drawn(sample.by_query),
        n_groups=each[0].n_groups,
        places=rule.decimals,
    )


def difference_of(
    request: IntervalRequest, plans: Sequence[Plan], spread_of: Callable[[Plan], float] = spread_in
) -> Spread:
    """Return how the difference between two models varies."""
    one, other = (plan.spread for plan in plans)
    difference = one.less(other)
    error = difference.standard_error
    if not error > 0 or request.method != "influence" or difference.values.size > 1:
        return difference
    # With many positives, only the end near 0 of a clear difference is worth a tenth of the time.
    if abs(difference.mean) > error or difference.trials.min() <= MANY:
        return difference._replace(further=unseen_at_top(plans, spread_of))
    return difference


def compared(
    request: IntervalRequest,
    models: tuple[Any, Any],
    plans: Sequence[Plan],
    claims: Claims,
    family: Family | Swaps,
) -> Comparison:
    """Compare two models. The interval and the p-value hold for the whole family at once."""
    plan, other = plans
    difference = difference_of(request, plans)
    # A family of swaps needs no stricter level for each interval.
    own_level = family.level(claims.level) if isinstance(family, Family) else claims.level
    low, high, pvalue = _claimed(request, plans, difference, claims.level, family)
    tested = low, high
    is_one_ranking = not plan.sample.by_query and difference.values.size == 1
    if is_one_ranking and request.method != "bootstrap":
        # Only the far end can move, so that the interval still agrees with the p-value.
        low, high = plan.spread.apart_at_least(other.spread, difference, tested, own_level)
    is_greater_better = request.rule.greater_is_better
    notes = [*chain(*map(partial(_failed, request.rule), plans, models))]
    notes += _too_few(family, claims.level)
    # Intervals that contain 0 need these notes, too. Those of nan or of copies of a model don't.
    if low < high:
        notes += _on_few(difference, plan, notes, models)
    return Comparison(
        values=(plan.spread.mean, other.spread.mean),
        difference=difference.mean,
        low=low,
        high=high,
        standard_error=difference.standard_error,
        pvalue=pvalue,
        confidence_level=float(own_level),
        method=request.method,
        metric=title_in(request.rule, plan.sample.evidence),
        basis=plan.basis,
        **request.drawn(plan.sample.by_query),
        n_groups=plan.n_groups,
        models=models,
        margin=claims.margin,
        **count_wins(plan, other, is_greater_better),
        notes=most_serious(notes),
        greater_is_better=is_greater_better,
        places=request.rule.decimals,
        source=ComputedFrom.of(request, plan.sample)._replace(tested=tested),
        other=ComputedFrom.of(request, other.sample),
    )


def _claimed(
    request: IntervalRequest,
    plans: Sequence[Plan],
    difference: Spread,
    level: float,
    family: Family | Swaps,
) -> tuple[float, float, float]:
    """Compute the interval around a difference, and its p-value, for a whole family.

    A `Family` adjusts the test of this difference, which cuts its interval where values end. Swaps
    of the models in random units test all differences at once, and are cut here.
    """
    if isinstance(family, Family):
        low, high, pvalue = _tested(request, plans, difference, family.level(level))
        (adjusted,) = family.adjusted([pvalue]).tolist()
        return agreed(low, high, adjusted, alpha_of(level))
    a, b = (plan.sample.evidence for plan in plans)
    if difference.standard_error == 0 and _are_alike(request.rule, a, b):
        return 0.0, 0.0, 1.0
    parts, weight = _parts_of_units(plans[0], difference)
    if not parts.any():  # no unit differs, so swaps change nothing
        return difference.t_test(level)
    around_equal = difference.around_equal if difference.is_constant else None
    low, high, pvalue = family.test(parts, weight, level, around_equal)
    farthest = difference.farthest  # the largest possible difference; inf if values have no limits
    return max(low, -farthest), min(high, farthest), pvalue


def _tested(
    request: IntervalRequest, plans: Sequence[Plan], difference: Spread, level: float
) -> tuple[float, float, float]:
    """Compute the interval around a difference, and its p-value."""
    a, b = (plan.sample for plan in plans)
    is_random = request.method == "randomization"
    never_differ = difference.standard_error == 0
    if never_differ and _are_alike(request.rule, a.evidence, b.evidence):
        return 0.0, 0.0, 1.0
    if difference.each is None and never_differ:
        one, other = (plan.spread for plan in plans)
        return one.apart_test(other, level)
    has_few = difference.trials.min() <= MANY or difference.freedom.min() < MANY
    is_close = not a.by_query and has_few
    by_swaps = request.method == "influence" and is_close
    if is_random or by_swaps:
        swapped = parts_of(request, plans)
        if swapped is not None:
            are_even = a.clusters is None or min(plan.evenness for plan in plans) > 0.5
            return difference.swap_test(swapped, level, are_even)
        if is_random:
            raise ValueError(
                "method='randomization' swaps the models in random clusters, but the models have "
                "different groups, or only one has n_positives. Use method='influence'."
            )
    if difference.drawn is not None and difference.values.size == 1:
        return difference.drawn_test(level)
    return difference.t_test(level)


def _are_alike(rule: Rule, one: Evidence, other: Evidence) -> bool:
    """Whether two models can't differ by a metric, whatever its options."""
    if one.order is not None:
        return bool(one.order == other.order)
    one, other = one.rows, other.rows
    if isinstance(rule, OfGroup):  # which may depend on more than the order
        if one.given is one.scores and not np.any(one.scores % 1):
            return False  # different models can be correct on the same few questions
        return np.array_equal(one.scores, other.scores)
    return rank_alike(one, other)


def _check_paired(plans: Mapping[Any, Plan], by_function: bool) -> None:
    """Check that models have the same sampling units, even if their rows differ, and that they were
    averaged over the same groups, and missed the same positives.
    """
    (first, one), *others = plans.items()
    evidence, kind = one.sample.evidence, one.sample.kind
    for model, other in others:
        models, theirs = (first, model), other.sample.evidence
        if one.sample.of_groups != other.sample.of_groups:
            whole, apart = models if one.sample.of_groups else models[::-1]
            raise ValueError(
                f"The clusters of the model {whole!r} consist of whole groups, but those of "
                f"{apart!r} don't, so that they are different sampling units."
            )
        check_same_names(one.sample.names, other.sample.names, kind, models, by_function)
        have_same_labels = evidence.has_rows and _share_labels(evidence.rows, theirs.rows)
        if kind == "rows" and not have_same_labels:
            raise ValueError(
                f"The y_true of the models {first!r} and {model!r} differ, although rows are "
                "paired by their position. If the models share queries, images or other sampling "
                "units, pass these as groups= or clusters=."
            )
        if evidence.is_grouped:
            averaged = [*one.averaged], [*other.averaged]
            check_same_names(*averaged, "groups", models, by_function)
        missed = one.unscored, other.unscored
        if any(map(any_of, missed)) and not (
            have_same_labels and np.allclose(*missed, rtol=1e-9, atol=1e-9)
        ):
            raise ValueError(
                "Both models missed positives, and nothing says which of them belong together. "
                "Pass n_positives by group and cluster, or by cluster if there are no groups."
            )


def _share_labels(one: Rankings, other: Rankings) -> bool:
    return one.labels is other.labels or np.array_equal(one.labels, other.labels)


def title_in(rule: Rule, evidence: Evidence) -> str:
    if evidence.average == "binary":
        return written(rule)
    if has_queries(evidence):
        return mean_title(rule, evidence.average)
    return f"{written(rule)} ({evidence.average})"


# Users import the results from where the functions are that return them.
for _result in (NextTestSet, Interval, Comparison, Comparisons):
    _result.__module__ = "sklearn_ap.inference"
