"""The mean over rankings, and what counts as the value of one for which it's 0/0."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from .checks import warn_caller
from .data import Averaging
from .points import PerRanking
from .rules import Rule


class Evaluated(NamedTuple):
    """The value of each ranking, nan for 0/0, how many positives it has, and the averaging."""

    values: PerRanking
    n_positives: PerRanking
    averaging: Averaging


def average_values(
    rule: Rule,
    values: PerRanking,
    n_positives: PerRanking,
    averaging: Averaging,
    zero_division: Any,
    warns: bool = True,
) -> Any:
    """Replace what is 0/0, and average the values of rankings, unless average is None."""
    if averaging.average == "weighted" and not n_positives.any():
        values = np.full(values.shape, np.nan)  # Their mean is 0/0, too.
    undefined = np.isnan(values)
    values = fill_undefined(rule, values, zero_division)
    if undefined.any() and warns and zero_division == "warn":
        which = ""
        if undefined.size > 1:
            places = np.flatnonzero(undefined).tolist()
            names = averaging.names or range(undefined.size)
            listed = ", ".join(str(names[place]) for place in places[:5])
            if len(places) > 5:
                listed += ", ..."
            which = f" for {len(places):,} of {undefined.size:,} {averaging.kind} ({listed})"
        warn_caller(
            f"No positive class found in y_true{which}. The value is undefined "
            f"(0/0) and set to {float(rule.choose_worst())}. Use zero_division to choose another "
            "value: np.nan leaves what is undefined out of a mean.",
            UndefinedMetricWarning,
        )
    if averaging.average is None:
        return values
    if averaging.average == "binary":
        return float(values[0])
    return take_mean(values, choose_ranking_weights(averaging, values, n_positives))


def choose_ranking_weights(
    averaging: Averaging, values: PerRanking, n_positives: PerRanking
) -> PerRanking:
    """Return how much each ranking counts in the mean. Those whose value is nan are left out."""
    weight = np.ones(values.size)
    if averaging.average == "weighted" and n_positives.any():
        weight = n_positives
    elif averaging.ranking_weight is not None:
        weight = averaging.ranking_weight
    return np.where(np.isnan(values), 0, weight)


def take_mean(values: PerRanking, weight: PerRanking) -> float:
    """Return the weighted mean, nan if nothing counts."""
    counts = weight > 0
    return float(np.average(values[counts], weights=weight[counts])) if counts.any() else np.nan


def fill_undefined(rule: Rule, values: PerRanking, zero_division: float | str) -> PerRanking:
    """Replace nan, the value of rankings for which it's 0/0. With "warn", it's the worst value."""
    undefined = np.isnan(values)
    if undefined.any():
        substitute = rule.choose_worst() if isinstance(zero_division, str) else zero_division
        values = np.where(undefined, substitute, values)
    return values
