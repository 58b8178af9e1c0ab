"""What each sampling unit contributes to the sampling error of a value.

Standard errors are the roots of the sums of their squares.
"""

import numpy as np

from sklearn_ap._infer.variation import GroupPlan, make_plan


def contributions(interval):
    """Return the contribution of each sampling unit, of shape (n_units,)."""
    settings, sample = interval.source.data.get("contributions", "")
    plan = make_plan(settings, sample)
    of_mean = plan.estimate_from_influence(settings.rule).mean_deviations
    if not isinstance(plan, GroupPlan):
        return of_mean[: len(sample.names)]  # without missed positives, which come last
    of_units = np.zeros(len(sample.names))  # 0 of units without a value
    of_units[plan.drawn_units] = of_mean
    return of_units


def contributions_by_name(interval):
    _, sample = interval.source.data.get("contributions", "")
    return dict(zip(sample.names, contributions(interval), strict=True))
