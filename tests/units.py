"""What each sampling unit contributes to the sampling error of a value.

Standard errors are the roots of the sums of their squares.
"""

from sklearn_ap._infer.variation import plan_of


def contributions(interval):
    """Return the contribution of each sampling unit, of shape (n_units,)."""
    request, sample = interval.source.data.get("contributions", "")
    plan = plan_of(request, sample)
    return plan.of_units(plan.moved(request.rule).of_mean)


def contributions_by_name(interval):
    _, sample = interval.source.data.get("contributions", "")
    return dict(zip(sample.names, contributions(interval), strict=True))
