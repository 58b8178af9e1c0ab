"""How intervals are made, and how the values of models are paired."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._evaluate.metric_values import evaluate_rankings
from .._inputs.metric_names import add_min_grade, write_mean_title, write_rule
from .._read.model_rows import ModelRows, are_ranked_apart, check_same_names, warn_of_unranked_model
from .._read.validation import FEW_ROWS
from .._show.pictures import IntervalDisplay
from .._show.results import LazyValue, Note, sort_notes
from .._words.messages import warning_once
from .._words.refusals import name_model_in_errors
from ..core.ragged import has_any
from ..core.rules import GroupFunction, RecallAtPrecision, Rule
from ..core.spread import PairedDifference, Spread, compute_norm
from ..core.tolerances import ROUNDING_TOLERANCE, SUM_TOLERANCE
from ..core.verdicts import adjust_test, compute_single_level, count_differences
from . import sentences
from .chance import RandomBaseline
from .intervals import (
    Comparison,
    Comparisons,
    Interval,
    IntervalSource,
    KnownDifference,
    make_table,
)
from .settings import IntervalSettings
from .variation import GroupPlan, Plan, make_plan, vary_value, vary_with_baseline

MIN_UNITS = 6  # with positives; with fewer, intervals are very wide
MIN_UNITS_FOR_RECALL = 20  # units with positives, with which a recall should be known
MIN_DECIDING_UNITS = 3  # with fewer, a difference may be one of rare failures
MAX_INFORMATIVE_WIDTH = 0.98  # by simulation: up to 3% of the usual data sets have wider intervals


def compute_interval(settings: IntervalSettings, model_rows: ModelRows, level: float) -> Interval:
    """Compute the interval of checked input."""
    settings, plan = vary_model(settings, model_rows)
    return make_interval(settings, plan, level)


def vary_model(settings: IntervalSettings, model_rows: ModelRows) -> tuple[IntervalSettings, Plan]:
    """Estimate how much a value varies, by the method that "auto" stands for."""
    settings = settings.with_method(model_rows.units_have_values)
    warn_of_unranked_model(model_rows, settings.rule.cut)
    return settings, vary_value(settings, model_rows)


def make_interval(settings: IntervalSettings, plan: Plan, level: float) -> Interval:
    """Compute the interval of a plan that says how much its value varies."""
    spread, random_baseline = plan.spread, RandomBaseline(settings, plan.model_rows)
    low, high = spread.compute_limits(level)
    said = [*_find_oddities(settings, plan), *_find_unlimited(spread, (low, high), plan)]
    said += _find_few_units(settings.rule, spread, plan)
    # Computed when it's asked for, since it may take random orders.
    below_random = LazyValue(partial(_end_below_random, random_baseline, spread, settings.method))
    return Interval(
        value=spread.mean,
        low=low,
        high=high,
        standard_error=spread.standard_error,
        units=spread.equal_units,
        confidence_level=float(level),
        method=settings.method,
        metric=make_title(settings.rule, plan.model_rows),
        basis=plan.basis,
        **settings.get_draw_fields(),
        n_groups=plan.n_groups,
        said=(*said, *_find_uninformative(settings.rule, spread, high - low)),
        places=settings.rule.decimals,
        greater_is_better=settings.rule.greater_is_better,
        source=IntervalSource.from_model_rows(settings, plan.model_rows),
        random_baseline=random_baseline,
        below_random=below_random,
    )


def _end_below_random(random: RandomBaseline, spread: Spread, method: str) -> float | None:
    """Return the high end of the interval of 99%, or a mean over groups, if random rankings are
    above it; otherwise None.
    """
    end = spread.mean
    if not random.is_of_groups and method == "bootstrap":
        _, end = spread.compute_limits(0.99)
    elif not random.is_of_groups:  # without positives that the sample lacks, which may be perfect
        _, end = spread.compute_limits_on_line(0.99)
    mean = random.estimate_mean(end)
    if not end < mean * (1 - ROUNDING_TOLERANCE):  # also if random rankings have nan
        return None
    if random.is_of_groups and not random.is_rare(end):
        return None
    return end


def _find_oddities(settings: IntervalSettings, plan: Plan) -> Iterator[Note]:
    """Find what is odd about the values of a model, and for how many groups they are 0/0, unless a
    warning has said that.
    """
    model_rows, rule, zero_division = plan.model_rows, settings.rule, settings.zero_division
    rankings = model_rows.rankings
    yield from _find_failures(rule, plan, model_rows.model)
    if zero_division == "warn" or not rankings.is_grouped:
        return
    n_positives = rankings.positive_rows if rankings.n_positives is None else rankings.n_positives
    # Without positives, some metrics are 0.
    is_undefined = (n_positives == 0) & np.isnan(evaluate_rankings(rule, rankings).values)
    n_undefined = int(np.count_nonzero(is_undefined))
    if n_undefined:
        yield sentences.note_undefined(
            n_undefined, n_positives.size, model_rows.group_words, float(zero_division)
        )


def _find_failures(rule: Rule, plan: Plan, model: Any) -> Iterator[Note]:
    """Find out if a model seems to have failed: if it has no rows for groups of which another model
    has some, or for half of all groups; if a function has no finite value for half of the groups or
    more; or if all of many values are 0.
    """
    model_rows, rankings, spread = plan.model_rows, plan.model_rows.rankings, plan.spread
    values = spread.values if spread.ranking_values is None else spread.ranking_values
    n_groups = 0 if rankings.names is None else len(rankings.names)
    n_infinite = 0
    if isinstance(rule, GroupFunction):
        n_infinite = int(np.count_nonzero(np.isnan(evaluate_rankings(rule, rankings).values)))
    n_empty = rankings.n_empty
    if 2 * n_empty < n_groups:  # so few that only those count which another model has
        n_empty = model_rows.n_lacking
    if n_empty:
        can_leave_out = model_rows.answered is not None
        yield sentences.note_no_rows(
            model, n_empty, n_groups, model_rows.group_words, can_leave_out
        )
    elif n_infinite and 2 * n_infinite >= n_groups:
        yield sentences.note_no_values(model, n_infinite, n_groups, model_rows.group_words)
    elif values.size >= FEW_ROWS and not values.any() and are_ranked_apart(rankings):
        yield sentences.note_only_zeros(model, values.size, model_rows.ranking_words)


def _find_few_units(rule: Rule, spread: Spread, plan: Plan) -> Iterator[Note]:
    """Find out if few units with positives, or rows in the top k, tell how much a value varies."""
    if spread.equal_units < MIN_UNITS:
        units = _describe_units(rule, plan, spread.equal_units)
        yield sentences.note_few_units(units, spread.equal_units, MIN_UNITS)


def _find_unlimited(spread: Spread, ends: tuple[float, float], plan: Plan) -> Iterator[Note]:
    """Find out if nothing bounds what other units may show, so that an interval is infinite."""
    if spread.is_constant and np.isinf(ends).any():
        yield sentences.note_no_limits(plan.model_rows)


def _find_uninformative(rule: Rule, spread: Spread, width: float) -> Iterator[Note]:
    """Find out if a recall at a precision may be nearly any, although positives are many."""
    is_any = width > MAX_INFORMATIVE_WIDTH and spread.equal_units >= MIN_UNITS_FOR_RECALL
    if isinstance(rule, RecallAtPrecision) and is_any:
        yield sentences.note_any_recall(rule.min_precision)


@dataclass(frozen=True)
class Claims:
    """What is said about differences, and how surely."""

    level: float
    margin: float | None = None  # the smallest difference that matters
    joint: bool = True  # whether it holds for all models at once
    is_chosen: bool = False  # whether the data chose the baseline, which could be any of the models

    def count_family(self, n_models: int) -> int:
        """Count the differences of models that hold at once."""
        return count_differences(n_models, self.is_chosen) if self.joint else 1

    def conclude(
        self,
        values: tuple[float, float],
        difference: PairedDifference,
        family: int,
        unseen: float | None = None,
        is_tested: bool = True,
    ) -> KnownDifference:
        """Conclude what is known of one of a family of so many differences: nothing but its amount
        unless `is_tested`.

        Verdicts, sentences and exit codes rely on it that p and the interval come from one test.
        Claims about a margin also allow for what the models may differ on what is `unseen`, if the
        sample lacks anything.
        """
        level = compute_single_level(self.level, family)
        low, high, pvalue = adjust_test(difference.compute_t_test(level), family, self.level)
        error = difference.error_of_difference
        if not is_tested:
            low, high, pvalue, error = np.nan, np.nan, np.nan, np.nan
        margin_low, margin_high = low, high
        if unseen is not None:
            margin_low, margin_high = difference.move_ends_out(low, high, unseen)
        return KnownDifference(
            values=values,
            difference=difference.mean,
            low=low,
            high=high,
            margin_low=margin_low,
            margin_high=margin_high,
            least_margin=np.nan if unseen is None else unseen,
            standard_error=error,
            units=difference.equal_units,
            pvalue=pvalue,
            confidence_level=float(level),
        )


class PairedModels(NamedTuple):
    """Models whose values vary together, from which differences of any level follow."""

    settings: IntervalSettings  # with the method that "auto" stands for
    baseline: Any
    pairs: Mapping[Any, list[Plan]]  # the plan of each other model, and that of the baseline
    plans: Mapping[Any, Plan]  # of all models

    def compare(self, claims: Claims, family: int | None = None) -> dict[Any, Comparison]:
        """Compare each model with the baseline. Intervals and p-values hold for a family of so many
        differences, by default for those of these models.
        """
        if family is None:
            family = claims.count_family(len(self.plans))
        return {
            model: compare_pair(self.settings, (model, self.baseline), pair, claims, family)
            for model, pair in self.pairs.items()
        }


def pair_models(
    settings: IntervalSettings, rows_by_model: Mapping[Any, ModelRows], baseline: Any
) -> PairedModels:
    """Vary the values of models together. Without a baseline (None), it is the best model."""
    with warning_once():
        settings = settings.with_method(next(iter(rows_by_model.values())).units_have_values)
        plans = _make_model_plans(settings, rows_by_model)
        baseline, pairs = vary_with_baseline(settings, plans, baseline)
    return PairedModels(settings, baseline, pairs, plans)


def _make_model_plans(
    settings: IntervalSettings, rows_by_model: Mapping[Any, ModelRows]
) -> dict[Any, Plan]:
    """Plan how to vary the values of models, and check that they have the same units.

    A model has one plan, in which its units are in the order that they have in all others, so that
    nothing about a pair depends on what further models there are.
    """
    plans = {}
    for model, model_rows in rows_by_model.items():
        with name_model_in_errors(model, rows_by_model, model_rows.has_own_table):
            plans[model] = make_plan(settings, model_rows)
    _check_paired(plans, isinstance(settings.rule, GroupFunction))
    return plans


def compare_models(
    settings: IntervalSettings,
    rows_by_model: Mapping[Any, ModelRows],
    baseline: Any,
    claims: Claims,
    in_table: bool,
) -> Comparison | Comparisons:
    """Compare each model with the baseline in a table, or the first of two with the second one,
    where the baseline is None. In a table, None stands for the best model.
    """
    if not in_table:
        _, baseline = rows_by_model
    claims = replace(claims, is_chosen=baseline is None)
    paired = pair_models(settings, rows_by_model, baseline)
    family = claims.count_family(len(rows_by_model))
    pairs = paired.compare(claims)
    if not in_table:
        (comparison,) = pairs.values()
        return comparison
    return make_table(
        pairs,
        rows_by_model,
        paired.baseline,
        claims.level,
        claims.joint,
        claims.is_chosen,
        family=family,
    )


def compare_pair(
    settings: IntervalSettings,
    models: tuple[Any, Any],
    plans: Sequence[Plan],
    claims: Claims,
    family: int,
) -> Comparison:
    """Compare two models. The interval and the p-value hold for the whole family at once.

    The plans are those of the `models`, which say how much their values vary on the same units.
    """
    rule = settings.rule
    first, second = plans
    difference = first.spread.subtract(second.spread)
    values = first.spread.mean, second.spread.mean
    reason = _find_reason_without_test(rule, first, second, difference)
    level = compute_single_level(claims.level, family)
    unseen = _compute_unseen(first.spread, second.spread, level)
    known = claims.conclude(values, difference, family, unseen, is_tested=not reason)
    counts = _count_wins(rule, first, second)
    notes = [*_find_failures(rule, first, models[0]), *_find_failures(rule, second, models[1])]
    if not reason:
        notes += _find_least_margin(rule, first, difference, claims, unseen)
        notes += _find_few_deciding(settings, plans, difference, counts)
    return Comparison(
        **vars(known),
        reason=reason,
        method=settings.method,
        metric=make_title(rule, first.model_rows),
        basis=first.basis,
        **settings.get_draw_fields(),
        n_groups=first.n_groups,
        models=models,
        margin=claims.margin,
        **counts,
        notes=sort_notes(notes),
        greater_is_better=rule.greater_is_better,
        places=rule.decimals,
        called=settings.called,
    )


def _compute_unseen(first: Spread, second: Spread, level: float) -> float:
    """Return how much two models may differ on what the sample lacks."""
    most = np.maximum(first.compute_unseen(level), second.compute_unseen(level))
    return float(compute_norm(most))


def _find_reason_without_test(
    rule: Rule, first: Plan, second: Plan, difference: PairedDifference
) -> str:
    """Find out why nothing is known about a difference; "" if something is."""
    if difference.equal_units <= 1:
        return _describe_units(rule, first, difference.equal_units)
    has_hits = first.spread.mean or second.spread.mean
    if rule.cut is None or has_hits or isinstance(first, GroupPlan):
        return ""
    return f"no hit in the top {rule.cut}"


def _find_least_margin(
    rule: Rule, plan: Plan, difference: PairedDifference, claims: Claims, least_margin: float
) -> Iterator[Note]:
    """Find out if the units are too few for the margin, or for most margins."""
    is_too_small = claims.margin is not None and claims.margin <= least_margin
    if is_too_small or difference.equal_units < MIN_UNITS:
        shown = least_margin if least_margin < rule.extent else None
        yield sentences.note_least_margin(
            _describe_units(rule, plan, difference.equal_units), shown
        )


def _describe_units(rule: Rule, plan: Plan, equal_units: float) -> str:
    return sentences.describe_equal_units(rule, plan.model_rows, equal_units, plan.equal_units)


def _find_few_deciding(
    settings: IntervalSettings,
    plans: Sequence[Plan],
    difference: PairedDifference,
    counts: Mapping[str, int],
) -> Iterator[Note]:
    """Find out if very few of many units decide a difference, as where a model fails on rare cases:
    another sample may have more of these units, or none.
    """
    if difference.equal_units < MIN_UNITS:
        return
    if counts:
        number: float = counts["wins"] + counts["losses"]
    elif settings.method == "influence" and not any(has_any(plan.unscored) for plan in plans):
        number = difference.count_deciding_units()
    else:
        return
    if round(number) < MIN_DECIDING_UNITS:
        yield sentences.note_few_deciding(plans[0].model_rows, round(number))


def _count_wins(rule: Rule, first: Plan, second: Plan) -> dict[str, Any]:
    """Count the groups or rows in which the first model has a better, an equal and a worse value,
    as "wins", "ties" and "losses", if sampling units have values. Differences that may be rounding
    errors are ties.
    """
    if not (isinstance(first, GroupPlan) and isinstance(second, GroupPlan)):
        return {}
    differences = rule.sign * (first.values - second.values)
    largest = np.max([np.abs(first.values), np.abs(second.values)])
    is_equal = np.abs(differences) <= ROUNDING_TOLERANCE * largest
    return {
        "wins": int(np.count_nonzero((differences > 0) & ~is_equal)),
        "ties": int(np.count_nonzero(is_equal)),
        "losses": int(np.count_nonzero((differences < 0) & ~is_equal)),
    }


def _check_paired(plans: Mapping[Any, Plan], by_function: bool) -> None:
    """Check that models have the same sampling units, even if their rows differ, and that they were
    averaged over the same groups, and missed the same positives.

    Each model is checked against the first one. `by_function` says whether the metric is a function
    of the caller, which errors then consider.
    """
    (first_model, first), *checked = plans.items()
    model_rows, rankings = first.model_rows, first.model_rows.rankings
    for model, plan in checked:
        models = first_model, model
        if model_rows.of_groups != plan.model_rows.of_groups:
            whole, apart = models if model_rows.of_groups else models[::-1]
            raise ValueError(
                f"The clusters of the model {whole!r} consist of whole groups, but those of "
                f"{apart!r} don't, so their sampling units differ."
            )
        if model_rows.kind != "rows":  # which are those of one table
            check_same_names(
                model_rows.names, plan.model_rows.names, model_rows.kind, models, by_function
            )
        if rankings.is_grouped:
            check_same_names([*first.averaged], [*plan.averaged], "groups", models, by_function)
        if has_any(first.unscored) or has_any(plan.unscored):
            # With the same labels, equal numbers are those of the same positives.
            unscored = first.unscored, plan.unscored
            have_same_labels = np.array_equal(rankings.labels, plan.model_rows.rankings.labels)
            are_equal = np.allclose(*unscored, rtol=SUM_TOLERANCE, atol=SUM_TOLERANCE)
            if not (have_same_labels and are_equal):
                raise ValueError(
                    "Both models missed positives, and nothing says which of them belong together. "
                    "Pass n_positives by group and cluster, or by cluster if there are no groups."
                )


def make_title(rule: Rule, model_rows: ModelRows) -> str:
    """Return the name of a metric as results print it, such as "Mean average precision"."""
    average, title = model_rows.rankings.average, write_rule(rule)
    if are_ranked_apart(model_rows.rankings):
        title = write_mean_title(rule, average)
    elif average != "binary":
        title = f"{title} ({average})"
    return add_min_grade(title, rule, model_rows.min_grade)


# Users import the results from where the functions are that return them.
for _result in (Interval, Comparison, Comparisons, IntervalDisplay):
    _result.__module__ = "sklearn_ap.inference"
