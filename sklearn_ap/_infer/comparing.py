"""How intervals are made, and how the values of models are paired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .._read.rankings import FEW
from .._read.tables import check_baseline, name_two
from .._read.units import Sample, check_same_names, has_queries, warn_of_dead
from .._show.progress import naming
from .._show.results import Computed, Note, most_serious
from .._words.messages import naming_model, warning_once
from .._words.names import mean_title, written
from .._words.parameters import check_allowed, check_single_margin
from ..core.rankings import Rankings, ValuedGroups
from ..core.ranks import beyond_chance, errors_of_pairs, ranks_of
from ..core.rules import OfGroup, Rule
from ..core.runs import any_of
from ..core.spread import MANY, Spread, holm, sign_flips
from ..core.units import rank_alike
from .chance import chance_of
from .plans import (
    GroupPlan,
    Plan,
    parts_of,
    plan_of,
    spread_in,
    unseen_by_better,
    varied,
    vary_all,
    vary_beside,
)
from .ranks import Ranks
from .requests import IntervalRequest
from .results import Comparison, Comparisons, Interval, NextTestSet, Source, tabled
from .units import count_wins


def interval_of(request: IntervalRequest, sample: Sample, level: float) -> Interval:
    """Compute the interval of checked input."""
    request = request.resolved(sample.by_query)
    warn_of_dead(sample, request.rule.depth)
    plan = varied(request, sample)
    return interval_from(request, plan, title_in(request.rule, sample.rankings), level)


def interval_from(request: IntervalRequest, plan: Plan, title: str, level: float) -> Interval:
    spread, sample = plan.spread, plan.sample
    low, high = spread.limits(level)
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
        said=() if sample is None else (*_failed(plan, sample.model),),
        places=request.rule.decimals,
        source=None if sample is None else Source.of(request, sample),
        at_random=None if sample is None else Computed(partial(chance_of, request, sample)),
        limits_99=Computed(partial(spread.limits, 0.99)),
    )


def _failed(plan: Plan, model: Any) -> Iterator[Note]:
    """Say if a model seems to have failed: if it has no rows for half of the groups or more, or if
    all of many values are 0.
    """
    sample, rankings, spread = plan.sample, plan.sample.rankings, plan.spread
    called = "The model" if model in (None, "") else f"The model {model!r}"
    values = spread.values if spread.each is None else spread.each
    if (n_empty := rankings.n_empty) and 2 * n_empty >= (n_groups := len(rankings.names)):
        yield Note(
            "no_rows",
            f"{called} has no rows for {n_empty:,} of {n_groups:,} {sample.group_words}. Groups "
            "without rows count as 0. Was the table cut off, or are its groups named differently?",
        )
    elif has_queries(rankings) and values.size >= FEW and not values.any():
        words = "rows" if rankings.group is None else sample.group_words
        yield Note(
            "only_zeros",
            f"{called} has a value of 0 in all {values.size:,} {words}. Did it fail, or were "
            "missing values filled with 0?",
        )


@dataclass(frozen=True)
class Claims:
    """What is said about differences, and how surely."""

    level: float
    margin: float | None = None  # the smallest difference that matters
    joint: bool = True  # whether it holds for all models at once
    is_chosen: bool = False  # whether the data chose the baseline, which could be any of the models

    def n_tests(self, n_models: int) -> int:
        """Count the comparisons that have to be correct at once."""
        if not self.joint:
            return 1
        return n_models * (n_models - 1) // 2 if self.is_chosen else n_models - 1


def compare_models(
    request: IntervalRequest,
    samples: Mapping[Any, Sample],
    baseline: Any,
    claims: Claims,
    has_tables: bool = False,
) -> tuple[Any, dict[Any, Comparison], Callable[[], Ranks]]:
    """Compare each model with the baseline, and return the baseline, the comparisons, and what
    ranks the models.

    Intervals and p-values are adjusted for the number of comparisons. If the data chose the
    baseline, that is the number of all pairs.
    """
    request = request.resolved(next(iter(samples.values())).by_query, comparing=True)
    with warning_once():
        plans = _paired(request, samples, has_tables)
        base, found, together = vary_beside(request, plans, baseline)
    n_tests = claims.n_tests(len(samples))
    own = replace(claims, level=1 - (1 - claims.level) / n_tests)
    pairs = {model: compared(request, (model, base), pair, own) for model, pair in found.items()}
    if n_tests > 1:
        adjusted = holm([pair.pvalue for pair in pairs.values()], n_tests)
        each = zip(pairs.items(), adjusted, strict=True)
        pairs = {model: replace(pair, pvalue=pvalue) for (model, pair), pvalue in each}
    return base, pairs, partial(_ranked, request, plans, together, claims.level)


def _paired(
    request: IntervalRequest, samples: Mapping[Any, Sample], has_tables: bool
) -> dict[Any, Plan]:
    """Plan how to vary the values of models, and check that they have the same units."""
    plans = {}
    for model, sample in samples.items():
        with naming_model(model, samples, has_tables):
            plans[model] = plan_of(request, sample)
    _check_paired(plans)
    return plans


def vary_models(
    request: IntervalRequest, samples: Mapping[Any, Sample], baseline: Any, has_tables: bool = False
) -> tuple[IntervalRequest, Mapping[Any, list[Plan]]]:
    """Vary each model together with the baseline, and return the request with its method, too."""
    request = request.resolved(next(iter(samples.values())).by_query, comparing=True)
    with warning_once():
        plans = _paired(request, samples, has_tables)
        return request, vary_beside(request, plans, baseline)[1]


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
        return _ranked(request, _paired(request, samples, False), {}, level)


def _ranked(
    request: IntervalRequest, plans: Mapping[Any, Plan], together: Mapping[Any, Plan], level: float
) -> Ranks:
    """Rank models, of which each pair is tested as by `compare`."""
    together = together or vary_all(request, plans)
    rule, each = request.rule, [*together.values()]
    values = np.array([plan.spread.mean for plan in each])
    goodness = values if rule.greater_is_better else -values
    errors = errors_of_pairs([plan.spread.of_mean for plan in each])

    spreads: dict[int, float] = {}

    def spread_of(plan: Plan) -> float:
        if id(plan) not in spreads:
            spreads[id(plan)] = spread_in(plan)
        return spreads[id(plan)]

    def pvalue(one: int, other: int, clear: float) -> float:
        pair = each[one], each[other]
        difference = difference_of(request, pair, spread_of)
        if request.method == "influence" and (quick := difference.t_test(level)[2]) < clear:
            return quick
        return _tested(request, pair, difference, level)[2]

    is_better = beyond_chance(goodness, errors, level, pvalue)
    sample = each[0].sample
    return Ranks.of(
        [*together],
        values,
        ranks_of(goodness),
        is_better,
        confidence_level=float(level),
        method=request.method,
        metric=title_in(rule, sample.rankings),
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
    is_large = abs(difference.mean) > difference.standard_error > 0
    if is_large and request.method == "influence" and difference.values.size == 1:
        return difference._replace(further=unseen_by_better(plans, difference.mean, spread_of))
    return difference


def compared(
    request: IntervalRequest, models: tuple[Any, Any], plans: Sequence[Plan], claims: Claims
) -> Comparison:
    plan, other = plans
    difference = difference_of(request, plans)
    low, high, pvalue = _tested(request, plans, difference, claims.level)
    is_greater_better = request.rule.greater_is_better
    return Comparison(
        values=(plan.spread.mean, other.spread.mean),
        difference=difference.mean,
        low=low,
        high=high,
        standard_error=difference.standard_error,
        pvalue=pvalue,
        confidence_level=float(claims.level),
        method=request.method,
        metric=title_in(request.rule, plan.sample.rankings),
        basis=plan.basis,
        **request.drawn(plan.sample.by_query),
        n_groups=plan.n_groups,
        models=models,
        margin=claims.margin,
        **count_wins(plan, other, is_greater_better),
        notes=most_serious(
            note for own, model in zip(plans, models, strict=True) for note in _failed(own, model)
        ),
        greater_is_better=is_greater_better,
        places=request.rule.decimals,
        source=Source.of(request, plan.sample),
        other=Source.of(request, other.sample),
    )


def _tested(
    request: IntervalRequest, plans: Sequence[Plan], difference: Spread, level: float
) -> tuple[float, float, float]:
    """Compute the interval around a difference, and its p-value."""
    a, b = (plan.sample for plan in plans)
    is_random = request.method == "randomization"
    never_differ = difference.standard_error == 0
    if never_differ and _are_alike(request.rule, a.rankings, b.rankings):
        return 0.0, 0.0, 1.0
    if is_random and a.by_query:
        if difference.each is None:
            raise ValueError(
                "method='randomization' swaps the models in random groups, but with "
                "average='weighted', the groups have different weights in the two intervals. Use "
                "method='influence' or method='bootstrap'."
            )
        parts = difference.each * difference.weight[difference.weight > 0]
        if isinstance(plans[0], GroupPlan):
            parts = plans[0].by_unit(parts)
        low, high, _ = difference.t_test(level)
        return low, high, sign_flips(parts, request.times, request.generator)
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


def _are_alike(rule: Rule, one: Rankings, other: Rankings) -> bool:
    """Whether two models can't differ by a metric, whatever its options."""
    if isinstance(one, ValuedGroups) and isinstance(other, ValuedGroups):
        return one is other or (one.order is not None and one.order == other.order)
    if isinstance(rule, OfGroup):  # which may depend on more than the order
        if one.given is one.scores and not np.any(one.scores % 1):
            return False  # different models can be correct on the same few questions
        return np.array_equal(one.scores, other.scores)
    return rank_alike(one, other)


def are_intervals(models: Any) -> bool:
    """Whether this is an interval, a list of them, or a mapping from names of models to them."""
    if isinstance(models, Mapping):
        return any(isinstance(each, Interval) for each in models.values())
    first = models[0] if isinstance(models, list | tuple) and models else models
    return isinstance(first, Interval)


def compare_intervals(
    a: Any,
    b: Any = None,
    *others: Any,
    baseline: Any = None,
    confidence_level: float | None = None,
    method: str = "auto",
    margin: float | None = None,
    joint: bool = True,
    verbose: int = 0,
    **besides: Any,
) -> Comparison | Comparisons:
    """Compare the models of intervals, pairing their sampling units by name."""
    if others or besides:
        what = ", ".join(besides) or f"{len(others)} more arguments"
        raise TypeError(
            "With intervals, compare only accepts baseline, confidence_level, method, margin, "
            f"joint and verbose, all by name, but got {what}. Pass everything else to "
            "confidence_interval."
        )
    intervals = _named_intervals(a, b, baseline)
    first = next(iter(intervals.values()))
    (request, _), *_ = sources = [_source(first, each) for each in intervals.values()]
    given = {"confidence_level": confidence_level, "method": method, "verbose": verbose}
    given |= {"margin": margin, "joint": joint}
    check_allowed("compare", {"confidence_level", "margin"}, given)
    check_single_margin("compare", margin)
    method = first.method if method == "auto" else method
    request = request._replace(method=method)
    level = first.confidence_level if confidence_level is None else confidence_level
    samples = dict(zip(intervals, (sample for _, sample in sources), strict=True))
    with naming("compare" if verbose else ""):
        claims = Claims(level, margin, joint)
        return compare_samples(request, samples, baseline, claims, isinstance(a, Mapping))


def _named_intervals(a: Any, b: Any, baseline: Any) -> dict[Any, Interval]:
    """Return intervals by the names of their models."""
    in_table = isinstance(a, Mapping)
    if in_table and (b is not None or len(a) < 2):
        raise TypeError("compare needs a mapping of at least two intervals, and nothing else.")
    if baseline is not None and not in_table:
        raise TypeError("baseline needs a mapping of intervals, as compare({'A': a, 'B': b}).")
    for each in a.values() if in_table else (a, b):
        if not isinstance(each, Interval):
            raise TypeError(
                "compare needs two intervals, a mapping of intervals, or labels and prediction "
                f"scores. Got {type(each).__name__} instead of an Interval."
            )
    if in_table:
        check_baseline(a, baseline)
        return dict(a)
    own = [x.source.model if x.name is None and x.source else x.name for x in (a, b)]
    return dict(zip(name_two(own, ("first", "second")), (a, b), strict=True))


def _source(first: Interval, other: Interval) -> tuple[IntervalRequest, Sample]:
    """Return what an interval was computed from, if it can be compared with the first one."""
    if first.source is None or other.source is None:
        raise ValueError(
            "An interval of a stream has no single sampling units. Pass labels and prediction "
            "scores to confidence_interval instead."
        )
    needs = "compare", "Pass labels and prediction scores instead, or compare before pickling."
    (one_request, _), found = first.source.data.get(*needs), other.source.data.get(*needs)
    whats = "metric", "kind", "zero_division"  # where nan equals nan
    one, theirs = (
        (each.metric, each.kind, str(request.quietly))
        for each, request in ((first, one_request), (other, found[0]))
    )
    for what, a, b in zip(whats, one, theirs, strict=True):
        if a != b:
            raise ValueError(
                f"The intervals differ in their {what}: {a} and {b}. Compute both with the same."
            )
    return found


def _check_paired(plans: Mapping[Any, Plan]) -> None:
    """Check that models have the same sampling units, even if their rows differ, and that they were
    averaged over the same groups or classes, and missed the same positives.
    """
    (first, one), *others = plans.items()
    rankings, kind = one.sample.rankings, one.sample.kind
    for model, other in others:
        models, theirs = (first, model), other.sample.rankings
        if one.sample.of_groups != other.sample.of_groups:
            whole, apart = models if one.sample.of_groups else models[::-1]
            raise ValueError(
                f"The clusters of the model {whole!r} consist of whole groups, but those of "
                f"{apart!r} don't, so that they are different sampling units."
            )
        check_same_names(one.sample.names, other.sample.names, kind, models)
        labels, other_labels = rankings.labels, theirs.labels
        have_same_labels = labels is other_labels or np.array_equal(labels, other_labels)
        if kind == "rows" and not have_same_labels:
            raise ValueError(
                f"The y_true of the models {first!r} and {model!r} differ, although rows are "
                "paired by their position. If the models share queries, images or other sampling "
                "units, pass these as groups= or clusters=."
            )
        averaged = [*one.averaged], [*other.averaged]
        if rankings.group is not None:
            check_same_names(*averaged, "groups", models)
        elif averaged[0] != averaged[1]:
            raise ValueError(
                f"The means of the models {first!r} and {model!r} are over different classes: "
                f"{averaged[0]} and {averaged[1]}. Use the same classes: only these means can be "
                "compared."
            )
        missed = one.unscored, other.unscored
        if any(map(any_of, missed)) and not (
            have_same_labels and np.allclose(*missed, rtol=1e-9, atol=1e-9)
        ):
            raise ValueError(
                "Both models missed positives, but it isn't known which of them belong together. "
                "Pass n_positives by group and cluster, or by cluster if there are no groups."
            )


def title_in(rule: Rule, rankings: Rankings) -> str:
    if rankings.average == "binary":
        return written(rule)
    if has_queries(rankings):
        return mean_title(rule, rankings.average)
    return f"{written(rule)} ({rankings.average})"


# Users import the results from where the functions are that return them.
for _result in (NextTestSet, Interval, Comparison, Comparisons):
    _result.__module__ = "sklearn_ap.inference"
