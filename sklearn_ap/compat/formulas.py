"""Compute what tools and people report without a metric of this package, from operating points.

A formula takes the points of all rankings, also those without positives, and returns the value of
each ranking, nan for 0/0. In docstrings, r of n tied samples are positive, and R in all.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from .._core import Array, Points, Rankings, rank_samples, rules


@dataclass(frozen=True)
class Formula(rules.PointRule):
    """A definition without a metric of its own."""

    function: Callable[[Points], Array]
    k: float | None = None
    takes_weights: bool = True
    varies_by = "groups"  # No metric has this rule, so inference never asks.

    def __post_init__(self) -> None:
        """Check nothing, because the fields aren't options that callers pass."""

    def values(self, points: Points) -> Array:
        with np.errstate(all="ignore"):
            return self.function(points)


def define(function: Callable[..., Array], takes_weights: bool = True, **options: Any) -> Formula:
    """Return what a function computes with some options. With `k`, it takes no weights."""
    k = options.get("k")
    return Formula(partial(function, **options), k, takes_weights and k is None)


@dataclass(frozen=True)
class F1OfLabels(rules.RowRule):
    """F1 of predicted labels."""

    def values(self, rankings: Rankings) -> Array:
        is_flagged, is_positive = predict_labels(rankings.scores), rankings.labels > 0
        codes, n = rankings.code_of_samples, rankings.n_rankings
        n_hits, n_flagged, n_positives = (
            np.bincount(codes[which], minlength=n)
            for which in (is_flagged & is_positive, is_flagged, is_positive)
        )
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * n_hits / (n_flagged + n_positives))


def predict_labels(scores: Array) -> Array:
    """Return what predict() returns: above 0.5 for probabilities, else above 0."""
    return np.asarray(scores > (0.5 if are_probabilities(scores) else 0))


def are_probabilities(scores: Array) -> bool:
    return bool(scores.min(initial=0) >= 0 and scores.max(initial=0) <= 1)


LARGEST_K = 100  # Up to this k, a value depends on the top of the ranking only.


class Ranked:
    """Rankings with their operating points that have positives, and those of the top."""

    def __init__(self, rankings: Rankings) -> None:
        self.rankings = rankings
        binary = replace(rankings, labels=rankings.labels > 0)
        self.points = rank_samples(binary, rankings.weight)
        self.top = self.points.take(np.flatnonzero(self.points.samples_above <= LARGEST_K))

    def compute(self, rule: rules.Rule) -> Array:
        """Return the value of each ranking, nan for 0/0."""
        if rule.needs_rows:
            labels = self.rankings.labels.astype(float)
            return rule.values(replace(self.rankings, labels=labels))
        is_small = isinstance(rule.k, Integral) and rule.k <= LARGEST_K
        is_of_top = is_small and self.rankings.weight is None
        return rule.values(self.top if is_of_top else self.points)


# --- areas ----------------------------------------------------------------------------------------


def add_area(points: Points, width: Array, height: Array) -> Array:
    """Return the area over recall, which has no upper limit."""
    return points.sum(width * height) / points.n_positives


def join_after_first(points: Points) -> Array:
    """Straight lines, without the area before the first point."""
    middle = (points.precision_above + points.precision) / 2
    return add_area(points, points.hits, np.where(points.samples_above > 0, middle, 0))


def add_precisions(points: Points) -> Array:
    """Step AP, not divided by R."""
    return points.sum(points.hits * points.precision)


def average_inverse_ranks(points: Points) -> Array:
    """Step AP with 1/rank instead of precision."""
    return add_area(points, points.hits, 1 / points.cum_samples)


def interpolate_counts(points: Points) -> Array:
    """Davis and Goadrich's interpolation, as a continuous curve: hits and misses grow evenly.

    If T hits and F misses are above a point of n samples, r of them positive, the mean precision
    over its recall is r/n (1 - c/n log(N/(N - n))) with c = F - T (n - r)/r.
    """
    r, n, hits, above = points.hits, points.samples, points.hits_above, points.samples_above
    c = (above - hits) - (n - r) / r * hits
    growth = np.where(above > 0, np.log1p(n / above), 0.0)
    return add_area(points, r, r / n * (1 - c / n * growth))


# --- levels of recall -----------------------------------------------------------------------------


def find_highest_from_here(points: Points) -> Array:
    return points.accumulate_from_here(np.maximum, points.precision)


def average_heights(points: Points, reached: Array, height: Array, n: int) -> Array:
    """Return the mean height at n levels. Each point has `reached` so many of them."""
    first = points.offsets[:-1][np.diff(points.offsets) > 0]
    n_new = np.diff(reached, prepend=0)
    n_new[first] = reached[first]
    mean = np.minimum(points.sum(n_new * height) / n, 1.0)
    return np.where(points.n_positives > 0, mean, np.nan)


def average_rounded_levels(points: Points, added: float) -> Array:
    """The mean of the envelope at 11 recalls, which need floor(l/10 R + added) positives."""
    n_positives, hits = points.repeat(points.n_positives), points.cum_hits
    levels = np.arange(11) / 10
    reached = np.sum([hits >= np.floor(level * n_positives + added) for level in levels], axis=0)
    return average_heights(points, reached, find_highest_from_here(points), 11)


def average_single_levels(points: Points, n: int = 101) -> Array:
    """The mean of the envelope at n recalls in single precision, as `torch.linspace` has them."""
    place, step = np.arange(n), float(np.float32(1 / (n - 1)))
    levels = np.where(place < n // 2, step * place, 1 - step * (n - 1 - place)).astype(np.float32)
    recall = points.cum_hits / points.repeat(points.n_positives)
    reached = np.searchsorted(levels.astype(float), recall, side="right")
    return average_heights(points, reached, find_highest_from_here(points), n)


def average_where_reached(points: Points, n: int, grid: str) -> Array:
    """The mean precision at n recalls, without the maximum to the right."""
    reached = rules.Interpolated(n, grid).count_reached_levels(points)
    # Recall 0 is reached at the first sample. If that is a negative, its precision is 0.
    is_late = (points.hits_above == 0) & (points.samples_above > 0)
    lost = points.sum(np.where(is_late, points.precision, 0.0)) / n
    return average_heights(points, reached, points.precision, n) - lost


def join_levels(points: Points, ends_at_last: bool, n: int = 101) -> Array:
    """The area below lines that join the heights at n recalls of lines that join the envelope.

    The last of these lines leads from the last point to (1, 0), unless they end at its recall. A
    level has the height of the last point at its recall, or that between two points.
    """
    levels = np.linspace(0, 1, n)
    height = find_highest_from_here(points)
    before = np.maximum(points.precision_above, height)  # at the end of the recall above
    n_positives = points.repeat(points.n_positives)
    start, end = points.hits_above / n_positives, points.cum_hits / n_positives
    # The first level is the end of a single line, so it counts half.
    half = np.where(points.hits_above == 0, before / 2, 0)
    total = points.sum(add_heights(levels, start, end, before, height) - half)
    if not ends_at_last:
        n_hits = points.sum(points.hits)
        last, one = n_hits / points.n_positives, np.ones(points.n_rankings)
        total += add_heights(levels, last, one, n_hits / points.mass, 0 * one)
    return np.where(points.n_positives > 0, total / (n - 1), np.nan)


def add_heights(levels: Array, x: Array, to_x: Array, y: Array, to_y: Array) -> Array:
    """Add up the heights of lines at the levels from x to below to_x."""
    sums = np.append(0, np.cumsum(levels))
    first = np.searchsorted(levels, x, side="left")
    end = np.searchsorted(levels, to_x, side="left")
    slope = (to_y - y) / np.where(to_x > x, to_x - x, 1)
    return np.asarray((end - first) * (y - slope * x) + slope * (sums[end] - sums[first]))


# --- single points, and the top -------------------------------------------------------------------


def compute_prevalence(points: Points) -> Array:
    return points.sum(points.hits) / points.mass


def compute_roc_area(points: Points) -> Array:
    positives = points.sum(points.hits)
    here = points.samples - points.hits  # negatives, each of which counts half
    above = points.samples_above - points.hits_above + here / 2
    share = above / points.repeat(points.mass - positives)
    return 1 - points.sum(points.hits * share) / positives


def find_best_f1(points: Points) -> Array:
    end = points.cum_samples
    f1 = 2 * points.cum_hits / (points.repeat(points.n_positives) + end)
    return np.where(points.n_positives > 0, points.maximum(f1), np.nan)


def find_first_precision(points: Points, recall: float) -> Array:
    """Precision at the first point that reaches a recall, instead of the best one from there on."""
    n_positives = points.repeat(points.n_positives)
    is_reached = rules.has_reached(points, points.cum_hits, n_positives, recall)
    was_reached = rules.has_reached(points, points.hits_above, n_positives, recall)
    return points.sum(np.where(is_reached & ~was_reached, points.precision, 0.0))


def add_precisions_to_r(points: Points) -> Array:
    """AP of the top R, divided by R."""
    top = rules.Top(points, points.n_positives)
    return add_area(points, top.hits, top.precision)


def compute_f1_of_top(points: Points, k: float) -> Array:
    """The harmonic mean of precision@k and recall@k."""
    cut = rules.compute_k(k, points.mass)
    return np.asarray(2 * rules.Top(points, cut).n_hits / (cut + points.n_positives))


def divide_by_fewer(points: Points, rule: rules.Rule, k: int) -> Array:
    """What a rule of the top k divides by k, divided by all samples if these are fewer."""
    return np.asarray(rule.values(points) * k / np.minimum(points.mass, k))


def count_in_rounded_top(
    points: Points, name: str, k: float, round_size: Callable[[Array], Array]
) -> Array:
    """A metric of the top fraction k of samples, whose number isn't rounded up."""
    cut = np.maximum(round_size(k * points.mass), 1)
    n_hits = rules.Top(points, cut).n_hits
    if name == "recall":
        return n_hits / points.n_positives
    if name == "precision":
        return n_hits / cut
    return n_hits / cut / compute_prevalence(points)


# --- discounted gains of labels 0 and 1 -----------------------------------------------------------


def sum_first_discounts(n: Array) -> Array:
    """Return 1 + 1/log2(2) + ... + 1/log2(n) for each n, as in the first paper on DCG."""
    return np.where(n > 0, 1 + rules.sum_discounts(np.maximum(n - 1, 0)), 0)


def compute_ndcg(
    points: Points,
    k: float | None = None,
    sum_up_to: Callable[[Array], Array] = rules.sum_discounts,
    is_divided: bool = True,
) -> Array:
    """nDCG with any discounts, whose sums up to a rank are known. Tied samples share theirs."""
    cut = points.mass if k is None else rules.compute_k(k, points.mass)
    total = rules.add_discounted(points, cut, sum_up_to)
    if not is_divided:
        return total
    best = sum_up_to(np.minimum(points.n_positives, cut))
    return np.where(points.n_positives > 0, total / best, np.nan)
