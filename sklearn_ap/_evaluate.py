"""From data to a value: read, rank, evaluate a rule, and average over rankings."""

from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ._checks import warn_caller
from ._data import Averaging, Description, Rankings, read
from ._points import Array, Points, find_offsets, pack, rank, sort_with_order
from ._rules import PointRule, RowRule, Rule, Step, UserFunction, compute_k


def evaluate(rule: Rule, y_true: Any, y_score: Any, **described: Unpack[Description]) -> Any:
    """Return the value of a rule, or with average=None one for each ranking."""
    zero_division = described.get("zero_division", "warn")
    if isinstance(rule, PointRule) and is_on_device(y_score):
        from ._on_device import evaluate_on_device

        if evaluated := evaluate_on_device(rule, y_true, y_score, **described):
            return average_values(rule, *evaluated, zero_division)
    if type(described.get("data")).__module__.startswith("pyspark."):
        from ._on_spark import evaluate_on_spark

        if (value := evaluate_on_spark(rule, y_true, y_score, **described)) is not None:
            return value
    rankings = read(y_true, y_score, is_graded=isinstance(rule, RowRule), **described)
    rule, rankings = break_ties_by_row(rule, rankings)
    values, n_positives = evaluate_rankings(rule, rankings)
    return average_values(rule, values, n_positives, rankings, zero_division)


def break_ties_by_row(rule: Rule, rankings: Rankings) -> tuple[Rule, Rankings]:
    """Replace scores by ranks if tied samples are ranked in the order of rows, so that none are
    tied, and the rule is the usual one.
    """
    if rule.ties != "input":
        return rule, rankings
    scores = rankings.scores
    keys = pack(np.zeros(scores.shape, dtype=bool), scores)  # as if no label broke ties
    order, _, _ = sort_with_order(keys, find_offsets(scores.shape, None, 1))
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size)[::-1]
    usual: Rule = replace(rule, ties="grouped")  # type: ignore[type-var]
    return usual, replace(rankings, scores=ranks.reshape(scores.shape))


def evaluate_rankings(rule: Rule, rankings: Rankings) -> tuple[Array, Array]:
    """Return the value of each ranking, nan for 0/0, and how many positives it has."""
    if isinstance(rule, PointRule):
        points = rank_all(rule, rankings)
        return rule.values(points), points.n_positives
    assert isinstance(rule, RowRule)
    check_weights(rule, rankings.weight, rankings.n_positives is not None)
    return rule.values(rankings), count_positives(rankings)


def count_positives(rankings: Rankings) -> Array:
    """Count the positives of each ranking, or the documents that have a grade above 0."""
    if rankings.n_positives is not None:
        return rankings.n_positives
    is_positive = rankings.labels > 0
    if rankings.group is not None:
        return np.bincount(rankings.group, is_positive, rankings.n_rankings)
    return np.asarray(np.count_nonzero(is_positive, axis=-1, keepdims=is_positive.ndim == 1))


def is_on_device(values: Any) -> bool:
    """Whether this is an array of another library, which may be on another device."""
    return hasattr(values, "device") and not isinstance(values, np.ndarray)


def rank_all(rule: Rule, rankings: Rankings) -> Points:
    """Return the operating points of all rankings, for a rule."""
    weight = check_weights(rule, rankings.weight, rankings.n_positives is not None)
    is_one = rankings.group is None and rankings.scores.ndim == 1
    if rule.k is not None and weight is None and is_one:
        points = rank_top(rule.k, rankings.labels, rankings.scores)
        return add_existing(points, rankings.n_positives, rankings.names)
    return rank_samples(rankings, weight, rule.needs_every_point)


def rank_samples(rankings: Rankings, weight: Array | None, every_point: bool = False) -> Points:
    """Return the operating points of all rankings, with these weights."""
    labels, scores = rankings.labels, rankings.scores
    points = rank(labels, scores, weight, rankings.group, rankings.n_rankings, every_point)
    return add_existing(points, rankings.n_positives, rankings.names)


def rank_top(k: float, positive: Array, scores: Array) -> Points:
    """Rank only the samples of one ranking that a cutoff can reach, which are found faster."""
    n = np.array([scores.size])
    n_top = int(compute_k(k, n)[0])
    if n_top >= scores.size:
        return rank(positive, scores)
    n_positives = np.count_nonzero(positive, keepdims=True)
    some = scores[::16]
    if n_top < some.size:
        # The n_top-th highest of some scores isn't above that of all, and is found faster.
        bound = np.partition(some, some.size - n_top)[some.size - n_top]
        high = np.flatnonzero(scores >= bound)
        positive, scores = positive[high], scores[high]
    lowest = np.partition(scores, scores.size - n_top)[scores.size - n_top]
    top = np.flatnonzero(scores >= lowest)  # whose index is faster than a mask
    points = rank(positive[top], scores[top])
    return points._replace(n_positives=n_positives, mass=n, n_rows=n)


def add_existing(points: Points, exist: Array | None, names: list[Any] | None) -> Points:
    """Set how many positives exist in each ranking, found or not, if the caller says so."""
    if exist is None:
        return points
    found = points.n_positives
    are_numbers = exist.dtype.kind in "iuf" and exist.shape == found.shape
    if not are_numbers or not np.isfinite(exist).all() or (exist < 0).any():
        raise ValueError(f"n_positives must be numbers of at least 0. Got {exist.tolist()}.")
    if (found > exist * (1 + 1e-12)).any():
        place = int(np.argmax(found - exist))
        where = "" if names is None else f" of {names[place]!r}"
        raise ValueError(
            f"n_positives{where} is {exist[place]}, but y_true has {found[place]} positives."
        )
    if exist.dtype.kind == "f" and (exist == np.rint(exist)).all() and (exist < 2**62).all():
        exist = exist.astype(np.int64)
    if exist.dtype.kind == "f" and points.tied_rows is None:
        raise ValueError(f"n_positives must be whole without weights. Got {exist.tolist()}.")
    return points._replace(n_positives=np.maximum(exist, found))


def check_weights(rule: Rule, weight: Array | None, has_counts: bool) -> Array | None:
    """Return the weights that a rule needs, and refuse those that it has no definition for."""
    if weight is None:
        return None
    are_equal = bool((weight == weight[0]).all())
    counts_mass = rule.k is not None and rule.k_counts != "samples"
    if are_equal and not counts_mass and not has_counts:
        return None  # equal weights change nothing
    takes_weights = rule.takes_weights and rule.grid == "exact"
    if not takes_weights or rule.ties != "grouped":
        options = ", ".join(f"{name}={value!r}" for name, value in rule.options.items())
        name = rule.name if isinstance(rule, UserFunction) else f"{type(rule).__name__}({options})"
        raise ValueError(f"{name} is not defined with sample weights.")
    if counts_mass and rule.k_counts is None and not (are_equal and isinstance(rule.k, float)):
        warn_caller(
            f"k={rule.k} counts the mass of the samples, because they have weights. Pass "
            "k_counts='weight' to say so, or k_counts='samples' to count samples."
        )
    return weight


def average_values(
    rule: Rule, values: Array, n_positives: Array, averaging: Averaging, zero_division: Any
) -> Any:
    """Replace what is 0/0, and average the values of rankings, unless average is None."""
    if averaging.average == "weighted" and not n_positives.any():
        values = np.full(values.shape, np.nan)  # as their mean is
    undefined = np.isnan(values)
    if undefined.any():
        fill = choose_fill(rule, zero_division)
        if zero_division == "warn":
            _warn_undefined(rule, undefined, averaging, fill)
        values = np.where(undefined, fill, values)
    if averaging.average is None:
        return values
    if averaging.average == "binary":
        return float(values[0])
    return take_mean(values, weigh(averaging, values, n_positives))


def weigh(averaging: Averaging, values: Array, n_positives: Array) -> Array:
    """Return how much each ranking counts in the mean. Those whose value is nan are left out."""
    weight = np.ones(values.size)
    if averaging.average == "weighted" and n_positives.any():
        weight = n_positives
    elif averaging.ranking_weight is not None:
        weight = averaging.ranking_weight
    return np.where(np.isnan(values), 0, weight)


def take_mean(values: Array, weight: Array) -> float:
    """Return the weighted mean, nan if nothing counts."""
    counts = weight > 0
    return float(np.average(values[counts], weights=weight[counts])) if counts.any() else np.nan


def choose_fill(rule: Rule, zero_division: float | str) -> float:
    """Return the value of a ranking for which it's 0/0: by default the worst one."""
    if not isinstance(zero_division, str):
        return zero_division
    if not isinstance(rule, UserFunction):
        return 0.0
    worst = rule.limits[0 if rule.greater_is_better else 1]
    if not np.isfinite(worst):
        raise ValueError(
            f"{rule.name} has no finite value for some data, and without limits nobody knows its "
            "worst value. Pass zero_division=."
        )
    return worst


def _warn_undefined(rule: Rule, undefined: Array, averaging: Averaging, fill: float) -> None:
    where = ""
    if undefined.size > 1:
        places = np.flatnonzero(undefined)[:5].tolist()
        names = places if averaging.names is None else [averaging.names[each] for each in places]
        more = ", ..." if undefined.sum() > 5 else ""
        where = (
            f" for {undefined.sum():,} of {undefined.size:,} {averaging.kind} "
            f"({', '.join(map(str, names))}{more})"
        )
    recall = ", recall is set to one for all thresholds" if isinstance(rule, Step) else ""
    warn_caller(
        f"No positive class found in y_true{where}{recall}. The value is undefined (0/0) and set "
        f"to {float(fill)}. Use zero_division to choose another value.",
        UndefinedMetricWarning,
    )
