"""How much a value varies: the same computation for arrays, streams and pictures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .._names import written
from .._progress import Drawn, step
from .._validation.rankings import Sample, stacked
from .._validation.samples import apply_n_positives
from .._validation.warned import (
    warn_of_heavy_negatives,
    warn_of_unequal_clusters,
    warning_once,
)
from ..core.intervals import Spread
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.rules import Rule
from ..core.segments import Array
from ..core.units import Clusters, cells_of_ranks
from ..core.variation import (
    Draws,
    Shortlist,
    draw_counts,
    draw_short,
    draw_together,
    draw_units,
    influence,
    shortlist,
    values_of,
)
from .plans import (
    CountPlan,
    GroupPlan,
    Plan,
    Question,
    UnitPlan,
    ZeroDivision,
    centred,
    check_smooth,
    counted_units,
    deviations_of,
    in_groups,
    is_smooth,
    of_size,
    query_values,
    shares_of,
)


class Varied(NamedTuple):
    """How much the values of a plan vary."""

    plan: Plan
    spread: Spread


def question_of(
    rule: Rule,
    method: str,
    n_resamples: int | None,
    random_state: Any,
    zero_division: ZeroDivision,
    by_query: bool,
    comparing: bool = False,
) -> Question:
    """Turn the arguments of a public function into a question."""
    method = method_of(method, rule, by_query, comparing)
    return Question(rule, method, n_resamples, seed_of(random_state), zero_division)


def seed_of(random_state: Any) -> int:
    """Convert what scikit-learn accepts as random_state to a seed for NumPy's generators."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def method_of(method: str, rule: Rule, by_query: bool, comparing: bool = False) -> str:
    """Resolve the method. "auto" uses the closed form if there is one."""
    if not by_query and not rule.takes_weights:
        raise ValueError(
            f"{written(rule)} looks for one sample of a ranking, so a single ranking doesn't tell "
            "how much it varies. Pass groups= without clusters=, or average='samples' if each row "
            "is a query."
        )
    if method == "randomization":
        if not comparing:
            raise ValueError(
                "method='randomization' compares two models, so only compare can use it."
            )
    elif method == "auto":
        return "influence" if by_query or is_smooth(rule) else "bootstrap"
    if method != "bootstrap" and not by_query:
        check_smooth(rule)
    return method


def plan_of(question: Question, sample: Sample, alone: bool = False) -> Plan:
    """Plan how to vary the value of checked input.

    The plan of a value `alone` can draw whole counts, so that models can't be paired by its units.
    """
    rankings, clusters, rule = sample.rankings, sample.clusters, question.rule
    if sample.by_query:
        queries = query_values(rule, rankings, question.zero_division)
        by_group = rankings.group is not None
        words, names = (sample.group_words, sample.names) if by_group else ("rows", None)
        return GroupPlan.of(rule, queries, words, names)
    if alone and rankings.average == "binary" and rankings.weight is None and clusters is None:
        points = read = apply_n_positives(rankings.points(None), rankings)
        if rule.depth is not None:
            read = apply_n_positives(rankings.points(rule.depth), rankings)
        return CountPlan.of(rule, points, rule.values(read), rankings.names)
    return UnitPlan.of(question, sample)


def varied(question: Question, sample: Sample) -> Varied:
    """Estimate how much the value of checked input varies."""
    with warning_once():
        plan = plan_of(question, sample, alone=True)
        (found,) = vary_together(question, [plan], sample)
    return found


def vary_together(question: Question, plans: Sequence[Plan], sample: Sample) -> list[Varied]:
    """Estimate how much the values of models vary on the same units, those of `sample`."""
    units = [plan for plan in plans if isinstance(plan, UnitPlan)]
    if units and question.method == "bootstrap":
        spreads = _drawn_together(question, units)
    else:
        spreads = [plan.vary(question) for plan in plans]
    words = None if sample.clusters is None else sample.cluster_words
    warn_of_unequal_clusters(min(plan.evenness for plan in plans), words)
    heaviest, weight = max(plan.heavy for plan in plans), sample.rankings.weight
    lightest = 1 if weight is None else weight.min()
    if sample.clusters is not None and (weight is None or lightest == weight.max()):
        warn_of_heavy_negatives(heaviest / lightest, sample.cluster_words)
    else:
        warn_of_heavy_negatives(heaviest)
    return [Varied(*found) for found in zip(plans, spreads, strict=True)]


def _drawn_together(question: Question, plans: Sequence[UnitPlan]) -> list[Spread]:
    """Estimate how much values vary between resamples that are drawn only once for all models."""
    rule, times, rng = question.rule, question.times, question.generator
    cut, cluster = plans[0].cut, plans[0].units.cluster
    listed = shortlist(cut, *(plan.given for plan in plans), cluster=cluster)
    if cut is None or listed is None:
        together = draw_together(rule, [plan.units for plan in plans], times, rng)
        batches: Iterator[list[Draws]] = ([iter([one]) for one in each] for each in together)
    else:
        lists = [
            (Shortlist.of(plan.rankings, cut, listed, plan.units), plan.units) for plan in plans
        ]
        batches = draw_short(rule, lists, times, rng)
    values: list[list[tuple[Array, Array]]] = [[] for _ in plans]
    progress = Drawn(times)
    for each in batches:
        for found, draws, plan in zip(values, each, plans, strict=True):
            found.append(values_of(rule, draws, plan.units.cells.n_queries))
        progress.add(len(values[0][-1][0]))
    return [
        plan.resampled(*map(np.concatenate, zip(*found, strict=True)))
        for plan, found in zip(plans, values, strict=True)
    ]


def vary_beside(
    question: Question, samples: Mapping[str, Sample], plans: dict[str, Plan], baseline: str | None
) -> tuple[str, dict[str, list[Varied]]]:
    """Vary each model together with the baseline, which is the best model if it is None.

    Return the name of the baseline, and for each other model how much that model and the baseline
    vary. Both get the draws that they would get without further models.
    """
    first = next(iter(samples.values()))
    base = max(plans, key=lambda model: plans[model].still.mean) if baseline is None else baseline
    others = [model for model in samples if model != base]
    if isinstance(plan := plans[base], UnitPlan) and plan.cut is not None:
        pairs = {}
        for model in others:
            with step(f"{model} and {base}"):
                pairs[model] = vary_together(question, [plans[model], plans[base]], first)
        return base, pairs
    each = dict(zip(plans, vary_together(question, [*plans.values()], first), strict=True))
    return base, {model: [each[model], each[base]] for model in others}


def parts_of(question: Question, samples: Sequence[Sample], plans: Sequence[Plan]) -> Array | None:
    """Compute what each unit contributes to the difference of two models, to first order.

    All samples of both models are ranked together, by their fractional ranks within their own
    model, so that models can be swapped whose scores are on different scales. What a unit
    contributes is its influence as ranked by one model, minus that as ranked by the other. Swapping
    the models in other units doesn't change it, because the ranking of both together stays the
    same.

    Return None if the models weren't evaluated on the same groups.
    """
    one, other = samples
    n_units = len(one.names)
    each, size = _of_equal(question.rule, plans), 2 * n_units
    if each is None:
        both = stacked(one, other)
        if both is None:
            return None
        each, size = _influences(question.rule, both.rankings, both.clusters, question.quietly)
    scale = 2 * np.sqrt(size / (size - 1))
    return np.asarray(scale * (each[:n_units] - each[n_units : 2 * n_units]))


def _of_equal(rule: Rule, plans: Sequence[Plan]) -> Array | None:
    """Compute the influences of both models together if each is one ranking of equal samples.

    Their ranks are known, so nothing is sorted. Return None for other models.
    """
    ranks, labels = [], []
    for plan in plans:
        if not isinstance(plan, UnitPlan) or plan.rankings.average != "binary":
            return None
        units = plan.units
        if units.in_order is None or units.lacks or not units.are_equal:
            return None
        ranks.append(units.in_order.ranks())
        labels.append(plan.rankings.labels)
    cells, cell = cells_of_ranks(np.concatenate(labels), np.concatenate(ranks))
    slopes = influence(check_smooth(rule), cells.points())
    return cells.spread(slopes.positive, slopes.tied, slopes.between).take(cell)


def contributions_of(question: Question, sample: Sample) -> Array:
    """Compute what each sampling unit contributes to the sampling error of the value."""
    spread = plan_of(question, sample).vary(replace(question, method="influence"))
    return spread.of_mean[: len(sample.names)]


def influences(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> Array:
    """Compute the influence of each sample on the value."""
    if rankings.average == "samples":
        values, weight, *_ = query_values(rule, rankings, zero_division)
        return centred(values, weight)
    return _influences(rule, rankings, None, zero_division)[0]


def _influences(
    rule: Rule, rankings: Rankings, clusters: Clusters | None, zero_division: ZeroDivision
) -> tuple[Array, int]:
    """Compute the influence of each scored unit on the mean, and count all units."""
    given = of_size(in_groups(rankings, clusters))
    rankings, units, points = counted_units(rule, given, clusters, zero_division)
    deviations, drift, _ = deviations_of(rule, rankings, units, points)
    shares = shares_of(rankings, points, zero_division)
    return np.asarray(shares @ deviations + drift), units.size


def resamples_of_curve(
    question: Question,
    rankings: Rankings,
    curve: Callable[[OperatingPoints], Array],
    clusters: Clusters | None = None,
) -> Array:
    """Return the curves of a ranking's resamples, one row each.

    Samples are drawn, or their clusters if there are any.

    `curve` returns the heights of several rankings at these positions, one row per ranking.
    """
    rule, times, rng = question.rule, question.times, question.generator
    _, units, _ = counted_units(rule, rankings, clusters, 0.0)
    if rankings.weight is None and clusters is None:
        lacking = int(units.missing.item())
        draws = draw_counts(units.cells, lacking, times, rng)
    else:
        draws = draw_units(rule, units, times, rng)
    return np.concatenate([curve(some) for some in draws])
