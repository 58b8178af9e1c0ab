"""What each sampling unit contributes to the sampling error of a value.

Standard errors are the roots of the sums of their squares.
"""

import numpy as np

from sklearn_ap._infer.variation import GroupPlan, evaluate_groups, make_plan


def contributions(interval):
    """Return the contribution of each sampling unit, of shape (n_units,)."""
    settings, sample = interval.source.data.get("contributions", "")
    plan = make_plan(settings, sample)
    of_mean = plan.estimate_from_influence(settings.rule).mean_deviations
    if not isinstance(plan, GroupPlan):
        return of_mean[: len(sample.names)]  # without missed positives, which come last
    of_units = np.zeros(len(sample.names))  # 0 of units without a value
    group_values, _ = evaluate_groups(settings.rule, sample.rankings, settings.zero_division)
    drawn = np.flatnonzero(~np.isnan(group_values.values))
    if sample.clusters is not None:
        drawn = np.unique(sample.clusters.numbers[drawn])
    of_units[drawn] = of_mean
    return of_units


def contributions_by_name(interval):
    _, sample = interval.source.data.get("contributions", "")
    return dict(zip(sample.names, contributions(interval), strict=True))
