"""Rankings on the host: read, ranked and evaluated one after another, or all at once."""

from dataclasses import replace
from typing import Any

import numpy as np

from .average import Evaluated
from .checks import warn_caller
from .data import Rankings, read
from .points import Array, Points, find_offsets, pack, rank, sort_with_order
from .rules import PointRule, Rule, compute_k


def evaluate_on_host(rule: Rule, y_true: Any, y_score: Any, **described: Any) -> Evaluated:
    """Read data and evaluate each ranking."""
    keep_grades = rule.keeps_grades(described.get("pos_label", 1))
    rankings = read(y_true, y_score, keep_grades=keep_grades, **described)
    rule, rankings = break_ties_by_row(rule, rankings)
    return Evaluated(*evaluate_rankings(rule, rankings), rankings)


def break_ties_by_row(rule: Rule, rankings: Rankings) -> tuple[Rule, Rankings]:
    """Replace scores by ranks if tied samples are ranked in the order of rows, so that none are
    tied, and the rule is the usual one.
    """
    if not rule.ranks_by_row:
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
        points = rank_for(rule, rankings)
        return rule.values(points), points.n_positives
    check_weights(rule, rankings.weight, rankings.n_positives is not None)
    return rule.values(rankings), count_positives(rankings)


def count_positives(rankings: Rankings) -> Array:
    """Count the positives of each ranking, or the documents that have a grade above 0."""
    if rankings.n_positives is not None:
        return rankings.n_positives
    is_positive = rankings.labels > 0
    if rankings.group_codes is not None:
        return np.bincount(rankings.group_codes, is_positive, rankings.n_rankings)
    return np.asarray(np.count_nonzero(is_positive, axis=-1, keepdims=is_positive.ndim == 1))


def rank_for(rule: Rule, rankings: Rankings) -> Points:
    """Return the operating points of all rankings, for a rule."""
    weight = check_weights(rule, rankings.weight, rankings.n_positives is not None)
    is_one = rankings.group_codes is None and rankings.scores.ndim == 1
    if rule.k is not None and weight is None and is_one:
        points = rank_top(rule.k, rankings.labels, rankings.scores)
        return add_existing(points, rankings.n_positives, rankings.names)
    return rank_samples(rankings, weight, rule.needs_every_point)


def rank_samples(rankings: Rankings, weight: Array | None, every_point: bool = False) -> Points:
    """Return the operating points of all rankings, with these weights."""
    labels, scores = rankings.labels, rankings.scores
    points = rank(labels, scores, weight, rankings.group_codes, rankings.n_rankings, every_point)
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
        raise ValueError(f"{rule} is not defined with sample weights.")
    if counts_mass and rule.k_counts is None and not (are_equal and isinstance(rule.k, float)):
        warn_caller(
            f"k={rule.k} counts the mass of the samples, because they have weights. Pass "
            "k_counts='weight' to say so, or k_counts='samples' to count samples."
        )
    return weight
