"""Values of units as a metric: each unit is a group of one row, whose score is its value.

So tests can say which values are compared.
"""

import numpy as np

import sklearn_ap as ap


def _metric(models, greater_is_better):
    values = np.concatenate([*models.values()])
    are_fractions = values.min() >= 0 and values.max() <= 1
    return ap.metric(
        lambda labels, scores: float(scores[0]),
        name="Mean value",
        limits=(0, 1) if are_fractions else None,
        greater_is_better=greater_is_better,
    )


def _arguments(models, greater_is_better, given):
    size = len(next(iter(models.values())))
    metric = _metric(models, greater_is_better)
    return {"y_true": np.zeros(size), "groups": np.arange(size), "metric": metric, **given}


def compare_values(a, b=None, greater_is_better=True, **given):
    """Compare two arrays, or a mapping from models to arrays, of one value per unit."""
    models = a if b is None else {"A": a, "B": b}
    models = {name: np.asarray(values, float) for name, values in models.items()}
    given = _arguments(models, greater_is_better, given)
    if b is None:
        return ap.compare(y_score_a=models, **given)
    return ap.compare(y_score_a=models["A"], y_score_b=models["B"], **given)


def mean_of(values, **given):
    """Return the interval around a mean of one value per unit."""
    values = np.asarray(values, float)
    return ap.confidence_interval(y_score=values, **_arguments({"A": values}, True, given))
