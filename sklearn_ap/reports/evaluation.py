"""Evaluate models by one metric: their intervals, and their differences from a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._evaluate.metric_values import compute_score
from .._infer.chance import RandomBaseline
from .._infer.comparisons import Claims, compute_interval, make_title, pair_models
from .._infer.intervals import Comparison, Interval, IntervalSource
from .._infer.requests import IntervalRequest
from .._read.samples import Sample, count_positives
from .._show.progress import step
from .._words.refusals import name_model_in_errors
from ..core.verdicts import find_best
from ..exceptions import SingleUnitError

# Reasons why a segment has no interval
NO_POSITIVES = "no positives"
FEW_POSITIVES = "few positives"  # fewer than the caller wants to judge


@dataclass(frozen=True)
class Evaluation:
    """The intervals of models by one metric, and their differences from the baseline, in all data
    or in a segment.
    """

    intervals: dict[Any, Interval]
    baseline: Any = None
    pairs: Mapping[Any, Comparison] = field(default_factory=dict)
    reason: str = ""  # why there are no intervals


def evaluate(
    request: IntervalRequest, samples: dict[Any, Sample], baseline: Any, claims: Claims
) -> Evaluation:
    """Compute the intervals of all models by one metric, and compare the models.

    Without a baseline (None), it is the best of several models.
    """
    intervals = {}
    for model, sample in samples.items():
        naming = name_model_in_errors(model, samples, sample.has_own_table)
        try:
            with step(f"interval of {model}".removesuffix(" of ")), naming:
                intervals[model] = compute_interval(request, sample, claims.level)
        except SingleUnitError as error:
            if baseline is None:
                baseline = _find_best_model(request, samples)
            return evaluate_without_intervals(
                request, samples, baseline, claims, error.reason, error.basis
            )
    if len(samples) == 1:
        return Evaluation(intervals, baseline)
    with step("differences"):
        paired = pair_models(request, samples, baseline)
        family = paired.count_differences(claims.is_chosen) if claims.joint else 1
        pairs = paired.compare(claims, family)
    return Evaluation(intervals, paired.baseline, pairs)


def evaluate_apart(
    request: IntervalRequest, samples: dict[Any, Sample], claims: Claims
) -> Evaluation:
    """Compute the intervals of models that can't be compared."""
    intervals: dict[Any, Interval] = {}
    for model, sample in samples.items():
        of_model = evaluate(request, {model: sample}, None, claims)
        intervals |= of_model.intervals
    return Evaluation(intervals, reason=of_model.reason)


def evaluate_without_intervals(
    request: IntervalRequest,
    samples: Mapping[Any, Sample],
    baseline: Any,
    claims: Claims,
    reason: str,
    basis: str = "",
) -> Evaluation:
    """Compute values and differences of samples that have no intervals for some `reason`, such as
    a single sampling unit. The `basis` says what there is. Without a baseline (None), nothing is
    compared, and few positives leave differences undefined.
    """
    intervals = {}
    for model, sample in samples.items():
        intervals[model] = Interval(
            value=_evaluate_alone(request, sample),
            confidence_level=float(claims.level),
            metric=make_title(request.rule, sample),
            basis=basis,
            places=request.rule.decimals,
            greater_is_better=request.rule.greater_is_better,
            source=IntervalSource.from_sample(request, sample),
            random_baseline=RandomBaseline(request, sample),
        )
    pairs = {}
    for model, interval in intervals.items():
        if baseline is not None and model != baseline:
            base = intervals[baseline]
            is_judged = reason != FEW_POSITIVES
            pairs[model] = Comparison(
                values=(interval.value, base.value),
                difference=interval.value - base.value if is_judged else np.nan,
                confidence_level=interval.confidence_level,
                metric=interval.metric,
                basis=interval.basis,
                models=(model, baseline),
                margin=claims.margin,
                greater_is_better=request.rule.greater_is_better,
                places=interval.places,
            )
    return Evaluation(intervals, baseline, pairs, reason)


def _find_best_model(request: IntervalRequest, samples: Mapping[Any, Sample]) -> Any:
    """Return the best of several models, None if there is only one."""
    if len(samples) == 1:
        return None
    values = np.array([_evaluate_alone(request, sample) for sample in samples.values()])
    return [*samples][find_best(request.rule.sign * values)]


def _evaluate_alone(request: IntervalRequest, sample: Sample) -> float:
    rankings = sample.rankings
    if not rankings.n_rows and not rankings.n_empty:
        return np.nan  # there is nothing to evaluate
    if request.zero_division != request.zero_division and not count_positives(sample):
        return np.nan  # also of metrics that are 0 then, whatever the scores are
    return float(compute_score(request.rule, rankings, request.zero_division))
