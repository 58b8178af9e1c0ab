"""How intervals are made, and how the values of models are paired."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._evaluate.value import valued
from .._read.sampling_units import Sample, check_same_names, has_queries, warn_of_dead
from .._read.validation import FEW
from .._show.results import Kept, Note, most_serious
from .._words.messages import warning_once
from .._words.names import leveled, mean_title, written
from .._words.refusals import naming_model
from ..core.ranks import pairs_with
from ..core.rules import OfGroup, RecallAtPrecision, Rule
from ..core.spread import MANY, ROUNDING, Spread, alpha_of, length, number_of_few
from ..core.units import rank_alike
from ..core.verdicts import adjusted, single_level, verdict
from ..core.within import Array, any_of
from .chance import AtRandom
from .intervals import Comparison, Comparisons, ComputedFrom, Interval, tabled
from .requests import IntervalRequest
from .variation import (
    GroupPlan,
    Plan,
    allowances_of,
    contributions_to_difference,
    n_above_half,
    plan_of,
    unseen_at_top,
    varied,
    vary_beside,
)

_FEW = 20  # at most one of so many units is few
_FEW_SWAPPED = 30  # clusters; with more, any test of signs can be significant
_FEWEST = 3  # units of a single ranking that may decide
_WITH_A_MARGIN = {"equivalent", "no worse", "no better"}
_MANY = 10  # units, if a few of them are worth a note
_ANSWERED = (
    " To compare the models where all of them have rows, leave out the other groups, as "
    "readers.answered(tables) or --only-answered does with tables of the readers."
)
_TINY = 1e-300  # a size above 0
_LARGER = 2  # the smallest of the few units that decide is so many times the largest of all others
_FEW_DIFFER = 6  # units; with one less, no test of signs is significant
_FAILED = {"no_rows", "no_values"}  # what explains that few units decide
_NEARLY_ALL = 0.98  # by simulation: up to 3% of the usual data sets have wider intervals


def interval_of(request: IntervalRequest, sample: Sample, level: float) -> Interval:
    """Compute the interval of checked input."""
    request, plan = vary_model(request, sample)
    return interval_from(request, plan, level)


def vary_model(request: IntervalRequest, sample: Sample) -> tuple[IntervalRequest, Plan]:
    """Estimate how much a value varies, by the method that "auto" stands for."""
    request = request.resolved(sample.by_query)
    warn_of_dead(sample, request.rule.depth)
    return request, varied(request, sample)


def interval_from(request: IntervalRequest, plan: Plan, level: float) -> Interval:
    """Compute the interval of a plan that says how much its value varies."""
    spread, at_random = plan.spread, AtRandom(request, plan.sample)
    low, high = spread.limits(level)
    said = [*_of_values(request, plan)]
    said += _on_few(spread, plan, said)
    # Computed when it's asked for, since it may take random orders.
    below_random = Kept(partial(_end_below_random, at_random, spread))
    return Interval(
        value=spread.mean,
        low=low,
        high=high,
        standard_error=spread.standard_error,
        confidence_level=float(level),
        method=request.method,
        metric=title_in(request.rule, plan.sample),
        basis=plan.basis,
        **request.drawn(),
        n_groups=plan.n_groups,
        said=(*said, *_of_any(request.rule, spread, high - low)),
        places=request.rule.decimals,
        source=ComputedFrom.of(request, plan.sample),
        at_random=at_random,
        below_random=below_random,
    )


def _end_below_random(random: AtRandom, spread: Spread) -> float | None:
    """Return the high end of the interval of 99%, or a mean over groups, if random rankings are
    above it; otherwise None.
    """
    if random.is_of_groups:
        end = spread.mean
    else:
        _, end = spread.limits(0.99)
    if not end < random.near(end) * (1 - ROUNDING):  # also if random rankings have nan
        return None
    if random.is_of_groups and not random.rarely_has(end):
        return None
    return end


def _too_few(
    request: IntervalRequest,
    plans: Sequence[Plan],
    difference: Spread,
    level: float,
    family: int,
    ends: tuple[float, float],
) -> Iterator[Note]:
    """Say if no p-value of swaps can be small enough, or if the ends of the interval are those of
    the metric's range.
    """
    n_units, n_at_once = len(plans[0].sample.names), max(family, 1)
    least = _least_of(request, plans, difference)
    if least * n_at_once < alpha_of(level) or not _needs_swaps(request, plans, difference):
        if max(ends[0], -ends[1]) <= -request.rule.extent:
            words = f"With {n_units:,} sampling units, the interval is the whole range."
            yield Note("few_groups", words)
        return
    at_once = "so no difference can be significant."
    if n_at_once > 1:
        at_once = (
            f"and so below {min(least * n_at_once, 1):.3g} for {n_at_once:,} differences at "
            "once, none of which can be significant. Compare fewer models or segments."
        )
    yield Note(
        "few_groups",
        f"With {n_units:,} sampling units, no p-value of swaps is below {least:.3g}, {at_once}",
    )


def _least_of(request: IntervalRequest, plans: Sequence[Plan], difference: Spread) -> float:
    """Return the smallest p-value that swaps can have. It's that of equal signs, unless swaps of a
    few clusters are stretched. Of rows, any others may differ in another sample.
    """
    n_units = len(plans[0].sample.names)
    least = 2.0 ** (1 - n_units)
    if plans[0].sample.clusters is None or n_units > _FEW_SWAPPED:
        return least
    parts = None
    if _needs_swaps(request, plans, difference):
        parts = contributions_to_difference(request, plans)
    if parts is None or not 0 < length(parts) < difference.standard_error:
        return least
    return max(least, difference.flips_of(parts).least)


def _of_values(request: IntervalRequest, plan: Plan) -> Iterator[Note]:
    """Say what is odd about the values of a model, and for how many groups they are 0/0, unless a
    warning has said that.
    """
    sample, rule, zero_division = plan.sample, request.rule, request.zero_division
    rankings = sample.rankings
    yield from _failed(rule, plan, sample.model)
    if zero_division == "warn" or not rankings.is_grouped:
        return
    n_positives = rankings.positive_rows if rankings.n_positives is None else rankings.n_positives
    # Without positives, some metrics are 0.
    is_undefined = (n_positives == 0) & np.isnan(valued(rule, rankings).values)
    if n_undefined := np.count_nonzero(is_undefined):
        groups = f"{n_undefined:,} of {n_positives.size:,} {sample.group_words}"
        so = "have no positives, so their values are"
        if n_undefined == 1:
            so = "has no positives, so its value is"
        instead = "left out" if np.isnan(zero_division) else f"set to {zero_division}"
        yield Note("undefined", f"{groups} {so} undefined (0/0) and {instead}.")


def _failed(rule: Rule, plan: Plan, model: Any) -> Iterator[Note]:
    """Say if a model seems to have failed: if it has no rows for groups of which another model has
    some, or for half of all groups; if a function has no finite value for half of the groups or
    more; or if all of many values are 0.

    A `model` without a name is None or "".
    """
    sample, rankings, spread = plan.sample, plan.sample.rankings, plan.spread
    called = "The model" if model in (None, "") else f"The model {model!r}"
    values = spread.values if spread.each is None else spread.each
    n_groups = 0 if rankings.names is None else len(rankings.names)
    n_infinite = 0
    if isinstance(rule, OfGroup):
        n_infinite = int(np.count_nonzero(np.isnan(valued(rule, rankings).values)))
    n_empty = rankings.n_empty
    if 2 * n_empty < n_groups:  # so few that only those count which another model has
        n_empty = sample.n_lacking
    if n_empty:
        only_some = "" if sample.answered is None else _ANSWERED
        yield Note(
            "no_rows",
            f"{called} has no rows for {n_empty:,} of {n_groups:,} {sample.group_words}. Groups "
            "without rows count as 0. Was the table cut off, or are its groups named differently?"
            f"{only_some}",
        )
    elif n_infinite and 2 * n_infinite >= n_groups:
        groups = f"{n_infinite:,} of {n_groups:,} {sample.group_words}"
        yield Note("no_values", f"{called} has no finite value for {groups}. Did it fail there?")
    elif values.size >= FEW and not values.any() and has_queries(rankings):
        words = sample.group_words if rankings.is_grouped else "rows"
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

    `spread` is that of the value of the plan, or with two `models`, that of the difference between
    their values. `said` are the notes so far.
    """
    if not isinstance(plan, GroupPlan) or not spread.may_be_skewed or spread.each is None:
        return
    if any(note.code in _FAILED for note in said):
        return
    contributions = spread.weight.copy()  # of all values, of which `each` has those with weight
    contributions[contributions > 0] *= spread.each
    sizes = np.abs(plan.by_unit(contributions))
    n_units = sizes.size
    units = f"{n_units:,} {_words_for_units(plan.sample)}"
    between = " and ".join(map(repr, models))
    what = f"differences between {between}" if models else "values"

    n_differ = np.count_nonzero(sizes > ROUNDING * sizes.max())
    text = ""
    if models and n_differ < _FEW_DIFFER:
        only = f"Only {n_differ}" if n_differ else "None"
        differ = "differs" if n_differ == 1 else "differ"
        text = f"{only} of {units} {differ} between {between}."
    elif n_few := _n_that_decide(sizes, spread.of_mean):
        those = f"{n_few:,} of {units}"
        text = f"A few units decide: most of the variance of the {what} comes from {those}."
    if text and n_units >= _MANY:
        yield Note("few_units", f"{text} Another sample may have more of them, or none.")
    if spread.is_constant and np.isinf(spread.farthest):
        bounds = "which have no limits, so other units may have any."
        yield Note("no_limits", f"All {units} have equal {what}, {bounds}")


def _on_one_negative(
    rule: Rule, plans: Sequence[Plan], difference: float, models: Sequence[Any]
) -> Iterator[Note]:
    """Say if one more negative at the top would decide which model of a single ranking is better,
    and hardly any other one tells how often there are such negatives.
    """
    for plan, model in zip(plans, models, strict=True):
        n_negatives = np.count_nonzero(~plan.sample.rankings.labels)
        most = np.max(plan.spread.lost.at_top)
        if not n_negatives or most <= abs(difference) or (n_above := n_above_half(plan)) > 1:
            continue
        loss = _lost_to_one(rule, plan)
        if loss <= abs(difference):
            continue
        few = "only 1" if n_above else "none"
        yield Note(
            "one_negative",
            f"One more negative at the top of {model!r} would cost it {loss:.2g}, more than the "
            f"difference. Here, {few} of {n_negatives:,} negatives is above half of its positives, "
            "but other samples may reverse the order.",
        )
        return


def _lost_to_one(rule: Rule, plan: Plan) -> float:
    """Return how much the value of a single ranking would lose to one more negative at the top."""
    points = plan.sample.rankings.points(rule.depth)
    one = points.n_samples / plan.sample.rankings.n_rows  # the mean weight
    more = {name: getattr(points, name) + one for name in ("above", "cum_total", "n_samples")}
    return plan.spread.mean - float(rule.values(points._replace(**more))[0])


def _on_unseen(sample: Sample) -> Note:
    """Say which faults of one of two equivalent models no sample of this size shows: by the rule of
    three, of as rare units, there is none in 1 of 20 samples.
    """
    n_units, units = len(sample.names), _words_for_units(sample)
    least = f"{min(300 / n_units, 100):.2g}% of {units} ({min(n_units, 3)} of {n_units:,})"
    return Note("unseen_faults", f"A fault in fewer than {least} would go unseen.")


def _on_few_rows(
    difference: Spread, left: float, plan: Plan, models: Sequence[Any]
) -> Iterator[Note]:
    """Say if no unit of a single ranking tells two models apart, or if a few of them make up most
    of the variance of a difference, and as many more like the largest one would use up what is
    `left` of the margin beyond the interval.
    """
    between, units = " and ".join(map(repr, models)), _words_for_units(plan.sample)
    if difference.standard_error == 0:
        text = f"No {units} tell {between} apart, so nothing is known about those that do."
        yield Note("none_differ", text)
        return
    sizes = np.sort(np.abs(plan.of_units(difference.of_mean)))[::-1]
    if number_of_few(sizes) <= _FEWEST and _FEWEST * sizes[0] >= left:
        yield Note(
            "few_units",
            f"A few units decide: most of the variance of the difference between {between} comes "
            f"from {_FEWEST} of {sizes.size:,} {units}. As many more would use up the margin.",
        )


def _words_for_units(sample: Sample) -> str:
    """Say what the sampling units are if they have values: clusters, groups or rows."""
    if sample.clusters is not None:
        return sample.cluster_words
    return sample.group_words if sample.rankings.is_grouped else "rows"


def _n_that_decide(sizes: Array, of_mean: Array) -> int:
    """Return how many units make up most of the variance and are much larger than all others, 0 if
    they aren't few. Right and wrong answers are all of one size.

    `sizes` are those of the contributions of units, and `of_mean` the deviations that they cause,
    both of shape (n_units,).
    """
    sizes = sizes[np.argsort(-np.abs(of_mean))]  # that of the largest deviation first
    fewest, most = number_of_few(of_mean), max(sizes.size // _FEW, 1)
    for n_few in range(fewest, most + 1):
        smallest, largest = sizes[:n_few].min(), sizes[n_few:].max(initial=0.0)
        # Units that only stand out from zeros, as correct answers do, have to be the fewest.
        if smallest >= max(_LARGER * largest, _TINY) and (largest or n_few == fewest):
            return n_few
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


class PairedModels(NamedTuple):
    """Models whose values vary together, from which differences of any level follow."""

    request: IntervalRequest  # with the method that "auto" stands for
    baseline: Any
    pairs: Mapping[Any, list[Plan]]  # the plan of each other model, and that of the baseline
    plans: Mapping[Any, Plan]  # of all models

    def count_differences(self, is_chosen: bool) -> int:
        """Count the differences that were asked about: those from the baseline, or if the data
        chose it, those between all pairs of models.
        """
        base = None if is_chosen else [*self.plans].index(self.baseline)
        pairs = pairs_with(len(self.plans), base)
        return _count_distinct(self.request.rule, [*self.plans.values()], pairs)

    def compare(self, claims: Claims, family: int) -> dict[Any, Comparison]:
        """Compare each model with the baseline. Intervals and p-values hold for a family of so many
        differences.
        """
        return {
            model: compared(self.request, (model, self.baseline), pair, claims, family)
            for model, pair in self.pairs.items()
        }


def pair_models(
    request: IntervalRequest,
    samples: Mapping[Any, Sample],
    baseline: Any,
) -> PairedModels:
    """Vary the values of models together. Without a baseline (None), it is the best model."""
    with warning_once():
        request = request.resolved(next(iter(samples.values())).by_query)
        plans = _plans_of_models(request, samples)
        baseline, pairs = vary_beside(request, plans, baseline)
    return PairedModels(request, baseline, pairs, plans)


def _count_distinct(rule: Rule, plans: Sequence[Plan], pairs: Array) -> int:
    """Count the differences between pairs of models, where copies of a model count as that one, so
    that they change nothing for the others.

    `pairs` are the places of the models among `plans`, of shape (n_pairs, 2).
    """
    originals: list[int] = []  # the place of the first model that each one is a copy of, or its own
    for place, plan in enumerate(plans):
        originals.append(place)
        for earlier, model in enumerate(plans[:place]):
            has_same_value = model.spread.mean == plan.spread.mean
            if has_same_value and _are_alike(rule, model, plan):
                originals[place] = earlier
                break
    differences = set()
    for first, second in pairs.tolist():
        if originals[first] != originals[second]:
            differences.add(frozenset([originals[first], originals[second]]))
    return len(differences)


def _plans_of_models(request: IntervalRequest, samples: Mapping[Any, Sample]) -> dict[Any, Plan]:
    """Plan how to vary the values of models, and check that they have the same units.

    A model has one plan, in which its units are in the order that they have in all others, so that
    nothing about a pair depends on what further models there are.
    """
    plans = {}
    for model, sample in samples.items():
        with naming_model(model, samples, sample.has_own_table):
            plans[model] = plan_of(request, sample)
    _check_paired(plans, isinstance(request.rule, OfGroup))
    return plans


def compare_samples(
    request: IntervalRequest,
    samples: Mapping[Any, Sample],
    baseline: Any,
    claims: Claims,
    in_table: bool,
) -> Comparison | Comparisons:
    """Compare each model with the baseline in a table, or the first of two with the second one,
    where the baseline is None. In a table, None stands for the best model.
    """
    if not in_table:
        _, baseline = samples
    claims = replace(claims, is_chosen=baseline is None)
    paired = pair_models(request, samples, baseline)
    family = paired.count_differences(claims.is_chosen) if claims.joint else 1
    pairs = paired.compare(claims, family)
    if not in_table:
        (comparison,) = pairs.values()
        return comparison
    return tabled(pairs, samples, paired.baseline, claims.level, claims.joint)


def difference_of(request: IntervalRequest, plans: Sequence[Plan]) -> Spread:
    """Return how the difference between two models varies: the first one minus the second one."""
    first, second = plans
    difference = first.spread.less(second.spread)
    error = difference.standard_error
    if not error > 0 or request.method != "influence" or difference.values.size > 1:
        return difference
    # With many positives, only the end near 0 of a clear difference is worth a tenth of the time.
    if abs(difference.mean) > error or difference.trials.min() <= MANY:
        return difference._replace(further=unseen_at_top(plans))
    return difference


def compared(
    request: IntervalRequest,
    models: tuple[Any, Any],
    plans: Sequence[Plan],
    claims: Claims,
    family: int,
) -> Comparison:
    """Compare two models. The interval and the p-value hold for the whole family at once.

    The plans are those of the `models`, which say how much their values vary on the same units.
    """
    rule = request.rule
    first, second = plans
    level_of_each = single_level(claims.level, family)
    notes = [*_failed(rule, first, models[0]), *_failed(rule, second, models[1])]
    return Comparison(
        values=(first.spread.mean, second.spread.mean),
        confidence_level=float(level_of_each),
        method=request.method,
        metric=title_in(rule, first.sample),
        **request.drawn(),
        n_groups=first.n_groups,
        models=models,
        margin=claims.margin,
        greater_is_better=rule.greater_is_better,
        places=rule.decimals,
        **_on_same_rows(request, models, plans, claims, family, notes),
    )


def _on_same_rows(
    request: IntervalRequest,
    models: tuple[Any, Any],
    plans: Sequence[Plan],
    claims: Claims,
    family: int,
    notes: list[Note],
) -> dict[str, Any]:
    """Return what a comparison says about a difference on the same units, besides these notes."""
    rule = request.rule
    first, second = plans
    difference = difference_of(request, plans)
    low, high, pvalue = _claimed(request, plans, difference, claims.level, family)
    tested = low, high
    is_one_ranking = _is_one_value(request, plans, difference)
    is_untold = is_one_ranking and difference.standard_error == 0 and _may_differ(rule, plans)
    if is_one_ranking and (difference.standard_error > 0 or is_untold):
        level_of_each, n_units = single_level(claims.level, family), len(first.sample.names)
        allowances = allowances_of(plans, difference, level_of_each)
        # An end that includes 0 moves out, and one that excludes 0 stays, so p needn't change.
        low, high = difference.moved_out(tested, level_of_each, n_units, allowances)
    said = verdict(low, high, claims.margin, rule.greater_is_better)
    if said == "equivalent":
        notes.append(_on_unseen(first.sample))
    # Intervals that contain 0 need these notes, too. Those of nan or of copies of a model don't.
    if low < high:
        notes += _too_few(request, plans, difference, claims.level, family, (low, high))
        if is_one_ranking:
            notes += _on_one_negative(request.rule, plans, difference.mean, models)
        if is_untold or (is_one_ranking and said in _WITH_A_MARGIN):
            margin = claims.margin or 0.0
            left = [room for room in (margin + low, margin - high) if room > 0]
            notes += _on_few_rows(difference, min(left, default=0.0), first, models)
        notes += _on_few(difference, first, notes, models)
    return {
        "difference": difference.mean,
        "low": low,
        "high": high,
        "standard_error": difference.standard_error,
        "pvalue": pvalue,
        "basis": first.basis,
        **_count_wins(rule, first, second),
        "notes": most_serious(notes),
    }


def _count_wins(rule: Rule, first: Plan, second: Plan) -> dict[str, int]:
    """Count the groups or rows in which the first model has a better, an equal and a worse value,
    as "wins", "ties" and "losses", if sampling units have values. Differences that may be rounding
    errors are ties.
    """
    if not (isinstance(first, GroupPlan) and isinstance(second, GroupPlan)):
        return {}
    differences = rule.sign * (first.values - second.values)
    largest = np.max([np.abs(first.values), np.abs(second.values)])
    is_equal = np.abs(differences) <= ROUNDING * largest
    return {
        "wins": int(np.count_nonzero((differences > 0) & ~is_equal)),
        "ties": int(np.count_nonzero(is_equal)),
        "losses": int(np.count_nonzero((differences < 0) & ~is_equal)),
    }


def _claimed(
    request: IntervalRequest,
    plans: Sequence[Plan],
    difference: Spread,
    level: float,
    family: int,
) -> tuple[float, float, float]:
    """Compute the low and the high end of the interval around a difference, and its p-value, for a
    whole family that claims `level`. Both come from one test: p is below 1 - `level` exactly if the
    interval excludes 0, which verdicts, sentences and exit codes rely on.

    The test of this difference, which cuts its interval where values end, is adjusted for their
    number.
    """
    tested = _tested(request, plans, difference, single_level(level, family))
    return adjusted(tested, family, level)


def _tested(
    request: IntervalRequest, plans: Sequence[Plan], difference: Spread, level: float
) -> tuple[float, float, float]:
    """Compute the low and the high end of the interval around a difference, and its p-value, at the
    `level` of a single test.
    """
    first, second = plans
    never_differ = difference.standard_error == 0
    if never_differ and _are_alike(request.rule, first, second):
        return 0.0, 0.0, 1.0
    if difference.each is None and never_differ:
        if _is_one_value(request, plans, difference) and _may_differ(request.rule, plans):
            return min(difference.mean, 0.0), max(difference.mean, 0.0), 1.0
        return first.spread.apart_test(second.spread, level)  # as of two perfect models
    if _needs_swaps(request, plans, difference):
        contributions = contributions_to_difference(request, plans)
        if contributions is not None:
            has_clusters = first.sample.clusters is not None
            are_even = not has_clusters or min(plan.evenness for plan in plans) > 0.5
            return difference.swap_test(contributions, level, are_even)
    return difference.t_test(level)


def _is_one_value(request: IntervalRequest, plans: Sequence[Plan], difference: Spread) -> bool:
    is_single = not plans[0].sample.by_query and difference.values.size == 1
    return is_single and request.method != "bootstrap"


def _may_differ(rule: Rule, plans: Sequence[Plan]) -> bool:
    """Whether two models neither rank alike nor are both perfect here."""
    first, second = plans
    if first.spread.is_perfect and second.spread.is_perfect:
        return False
    return not _are_alike(rule, first, second)


def _needs_swaps(request: IntervalRequest, plans: Sequence[Plan], difference: Spread) -> bool:
    """Whether a difference is tested by swaps of rows or clusters."""
    if request.method != "influence" or plans[0].sample.by_query:
        return False
    return bool(difference.trials.min() <= MANY or difference.freedom.min() < MANY)


def _are_alike(rule: Rule, one: Plan, other: Plan) -> bool:
    """Whether two models can't differ here, whatever the options of the metric."""
    rankings, other_rankings = one.sample.rankings, other.sample.rankings
    if isinstance(rule, OfGroup):  # which may depend on more than the order
        return np.array_equal(rankings.scores, other_rankings.scores)
    return rank_alike(rankings, other_rankings)


def _check_paired(plans: Mapping[Any, Plan], by_function: bool) -> None:
    """Check that models have the same sampling units, even if their rows differ, and that they were
    averaged over the same groups, and missed the same positives.

    Each model is checked against the first one. `by_function` says whether the metric is a function
    of the caller, which errors then consider.
    """
    (first_model, first), *checked = plans.items()
    sample, rankings = first.sample, first.sample.rankings
    for model, plan in checked:
        models = first_model, model
        if sample.of_groups != plan.sample.of_groups:
            whole, apart = models if sample.of_groups else models[::-1]
            raise ValueError(
                f"The clusters of the model {whole!r} consist of whole groups, but those of "
                f"{apart!r} don't, so their sampling units differ."
            )
        if sample.kind != "rows":  # which are those of one table
            check_same_names(sample.names, plan.sample.names, sample.kind, models, by_function)
        if rankings.is_grouped:
            check_same_names([*first.averaged], [*plan.averaged], "groups", models, by_function)
        if any_of(first.unscored) or any_of(plan.unscored):
            # With the same labels, equal numbers are those of the same positives.
            unscored = first.unscored, plan.unscored
            have_same_labels = np.array_equal(rankings.labels, plan.sample.rankings.labels)
            if not (have_same_labels and np.allclose(*unscored, rtol=1e-9, atol=1e-9)):
                raise ValueError(
                    "Both models missed positives, and nothing says which of them belong "
                    "together. Pass n_positives by group and cluster, or by cluster "
                    "if there are no groups."
                )


def title_in(rule: Rule, sample: Sample) -> str:
    """Return the name of a metric as results print it, such as "Mean average precision"."""
    average, title = sample.rankings.average, written(rule)
    if has_queries(sample.rankings):
        title = mean_title(rule, average)
    elif average != "binary":
        title = f"{title} ({average})"
    return leveled(title, rule, sample.min_grade)


# Users import the results from where the functions are that return them.
for _result in (Interval, Comparison, Comparisons):
    _result.__module__ = "sklearn_ap.inference"
