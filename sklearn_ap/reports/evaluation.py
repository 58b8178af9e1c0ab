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
from .._infer.settings import IntervalSettings
from .._read.model_rows import ModelRows, count_positives
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
    settings: IntervalSettings, rows_by_model: dict[Any, ModelRows], baseline: Any, claims: Claims
) -> Evaluation:
    """Compute the intervals of all models by one metric, and compare the models.

    Without a baseline (None), it is the best of several models.
    """
    intervals = {}
    for model, model_rows in rows_by_model.items():
        naming = name_model_in_errors(model, rows_by_model, model_rows.has_own_table)
        try:
            with step(f"interval of {model}".removesuffix(" of ")), naming:
                intervals[model] = compute_interval(settings, model_rows, claims.level)
        except SingleUnitError as error:
            if baseline is None:
                baseline = _find_best_model(settings, rows_by_model)
            return evaluate_without_intervals(
                settings, rows_by_model, baseline, claims, error.reason, error.basis
            )
    if len(rows_by_model) == 1:
        return Evaluation(intervals, baseline)
    with step("differences"):
        paired = pair_models(settings, rows_by_model, baseline)
        pairs = paired.compare(claims)
    return Evaluation(intervals, paired.baseline, pairs)


def evaluate_apart(
    settings: IntervalSettings, rows_by_model: dict[Any, ModelRows], claims: Claims
) -> Evaluation:
    """Compute the intervals of models that can't be compared."""
    intervals: dict[Any, Interval] = {}
    for model, model_rows in rows_by_model.items():
        of_model = evaluate(settings, {model: model_rows}, None, claims)
        intervals |= of_model.intervals
    return Evaluation(intervals, reason=of_model.reason)


def evaluate_without_intervals(
    settings: IntervalSettings,
    rows_by_model: Mapping[Any, ModelRows],
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
    for model, model_rows in rows_by_model.items():
        intervals[model] = Interval(
            value=_evaluate_alone(settings, model_rows),
            confidence_level=float(claims.level),
            metric=make_title(settings.rule, model_rows),
            basis=basis,
            places=settings.rule.decimals,
            greater_is_better=settings.rule.greater_is_better,
            source=IntervalSource.from_model_rows(settings, model_rows),
            random_baseline=RandomBaseline(settings, model_rows),
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
                greater_is_better=settings.rule.greater_is_better,
                places=interval.places,
            )
    return Evaluation(intervals, baseline, pairs, reason)


def _find_best_model(settings: IntervalSettings, rows_by_model: Mapping[Any, ModelRows]) -> Any:
    """Return the best of several models, None if there is only one."""
    if len(rows_by_model) == 1:
        return None
    values = np.array(
        [_evaluate_alone(settings, model_rows) for model_rows in rows_by_model.values()]
    )
    return [*rows_by_model][find_best(settings.rule.sign * values)]


def _evaluate_alone(settings: IntervalSettings, model_rows: ModelRows) -> float:
    rankings = model_rows.rankings
    if not rankings.n_rows and not rankings.n_empty:
        return np.nan  # there is nothing to evaluate
    if settings.zero_division != settings.zero_division and not count_positives(model_rows):
        return np.nan  # also of metrics that are 0 then, whatever the scores are
    return float(compute_score(settings.rule, rankings, settings.zero_division))
