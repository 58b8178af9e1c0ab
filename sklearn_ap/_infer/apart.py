"""Values of different rows, which vary apart but for the sampling units that are in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._read.sampling_units import Sample
from .._spelling import arg
from .._words.refusals import naming_model
from ..core.all_pairs import place_of_best
from ..core.spread import Spread, combined
from ..core.units import Clusters
from ..core.within import Array
from .requests import IntervalRequest
from .variation import Plan, plan_of, varied, vary_together


def vary_apart(
    request: IntervalRequest, samples: Mapping[Any, Sample], baseline: Any
) -> tuple[IntervalRequest, Any, dict[Any, Plan]]:
    """Vary each model on its own rows. Return the request with the method that "auto" stands for,
    the baseline, by default (None) the best model, and the plans.
    """
    request = resolved_apart(request, next(iter(samples.values())))
    plans = {}
    for model, sample in samples.items():
        with naming_model(model, samples, has_table=True):
            plans[model] = varied(request, sample)
    if baseline is None:
        values = np.array([plan.spread.mean for plan in plans.values()])
        baseline = [*plans][place_of_best(request.rule.sign * values)]
    return request, baseline, plans


def pairs_with_baseline(plans: Mapping[Any, Plan], baseline: Any) -> dict[Any, list[Plan]]:
    base = plans[baseline]
    return {model: [plan, base] for model, plan in plans.items() if model != baseline}


def resolved_apart(request: IntervalRequest, sample: Sample) -> IntervalRequest:
    """Check the method, and choose one for "auto"."""
    if request.method == "randomization":
        raise ValueError(
            f"{arg('method', 'randomization')} swaps two models in rows that both have, but with "
            f"{arg('on', False)} their rows are different ones. Use {arg('method', 'influence')} "
            f"or {arg('method', 'bootstrap')}."
        )
    return request.resolved(sample.by_query)


def tested_apart(
    request: IntervalRequest, first: Plan, second: Plan, level: float
) -> tuple[tuple[float, float, float], float]:
    """Compute the interval around the difference of two values, and its p-value, for a single test.
    Also return the standard error.
    """
    correlation = correlation_of(request, first, second)
    tested = first.spread.apart_test(second.spread, level, correlation)
    error = combined(first.spread.standard_error, second.spread.standard_error, correlation)
    return tested, error


def correlation_of(request: IntervalRequest, first: Plan, second: Plan) -> float:
    """Return the correlation of two values that the sampling units in both bring about; 0 if rows
    are the units, which are never in both.
    """
    samples = first.sample, second.sample
    if any(sample.kind == "rows" for sample in samples):
        return 0.0
    place = places_of_units(samples)
    if request.method == "bootstrap":
        _, correlation = drawn_beside(request, first.sample, second.sample, place)
        return correlation
    return correlation_by_units(first, second, place)


def places_of_units(samples: Iterable[Sample]) -> dict[Any, int]:
    """Number the sampling units of several samples by their names."""
    names = dict.fromkeys(name for sample in samples for name in sample.names)
    return {name: number for number, name in enumerate(names)}


def correlation_by_units(first: Plan, second: Plan, place: Mapping[Any, int]) -> float:
    """Return the correlation of two values that the sampling units in both bring about. `place`
    numbers all units by name.
    """
    of_units = np.zeros((2, len(place)))
    for row, plan in zip(of_units, (first, second), strict=True):
        row[[place[name] for name in plan.sample.names]] = plan.of_units(plan.spread.of_mean)
    return _correlation(first.spread, second.spread, *of_units)


def drawn_beside(
    request: IntervalRequest, first: Sample, second: Sample, place: Mapping[Any, int]
) -> tuple[Spread, float]:
    """Vary the second of two values in resamples of the clusters of both. Return how it varies, and
    the correlation that shared clusters bring about; 0 if units aren't clusters.

    All clusters have the numbers of `place`, so that the same ones are drawn for both.
    """
    plans = []
    for sample in (first, second):
        if sample.clusters is None:
            return varied(request, second).spread, 0.0
        numbers = np.array([place[name] for name in sample.names])
        of, absent = sample.clusters.of, sample.clusters.absent
        moved = absent and absent._replace(cluster=numbers[absent.cluster])
        of_all = Clusters(numbers[of], len(place), moved)
        plans.append(plan_of(request, sample._replace(clusters=of_all, names=list(place))))
    spread, other = (drawn.spread for drawn in vary_together(request, plans))
    return other, _correlation(spread, other, spread.of_mean, other.of_mean)


def _correlation(first: Spread, second: Spread, deviations: Array, of_second: Array) -> float:
    """Return the correlation of two values from their deviations, in the same units or resamples;
    0 if one doesn't vary.
    """
    error, other_error = first.standard_error, second.standard_error
    if not (error and other_error):
        return 0.0
    return float(np.clip((deviations / error) @ (of_second / other_error), -1, 1))
