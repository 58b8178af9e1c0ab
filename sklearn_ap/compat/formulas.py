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
from scipy.special import digamma

from .._core import Array, PerPoint, PerRanking, Points, Rankings, accumulate, rank_samples, rules

Height = Callable[[Points], PerPoint]  # what is counted at each point, such as its precision
Divisor = Callable[[Points], PerRanking | float]


@dataclass(frozen=True)
class Formula(rules.PointRule):
    """A definition without a metric of its own."""

    function: Callable[[Points], Array]
    k: float | None = None
    takes_weights: bool = True
    needs_every_point: bool = False  # also those without positives, or those beyond k
    varies_by = "groups"  # No metric has this rule, so inference never asks.

    def __post_init__(self) -> None:
        """Check nothing, because the fields aren't options that callers pass."""

    def values(self, points: Points) -> Array:
        with np.errstate(all="ignore"):
            return self.function(points)


def define(
    function: Callable[..., Array],
    takes_weights: bool = True,
    needs_every_point: bool = False,
    **options: Any,
) -> Formula:
    """Return what a function computes with some options. With `k`, it takes no weights."""
    k = options.get("k")
    takes_weights = takes_weights and k is None
    return Formula(partial(function, **options), k, takes_weights, needs_every_point)


@dataclass(frozen=True)
class LabelMetric(rules.RowRule):
    """A metric of predicted labels, from the numbers of hits, false alarms, misses and the rest."""

    function: Callable[[Array, Array, Array, Array], Array]

    def __post_init__(self) -> None:
        """Check nothing, because the field isn't an option that callers pass."""

    def values(self, rankings: Rankings) -> Array:
        is_flagged, is_positive = predict_labels(rankings.scores), rankings.labels > 0
        codes = rankings.code_of_samples
        counts = [
            np.bincount(codes[flagged & positive], minlength=rankings.n_rankings)
            for flagged in (is_flagged, ~is_flagged)
            for positive in (is_positive, ~is_positive)
        ]
        with np.errstate(all="ignore"):
            return self.function(*counts)


def predict_labels(scores: Array) -> Array:
    """Return what predict() returns: above 0.5 for probabilities, else above 0."""
    return np.asarray(scores > (0.5 if are_probabilities(scores) else 0))


def are_probabilities(scores: Array) -> bool:
    return bool(scores.min(initial=0) >= 0 and scores.max(initial=0) <= 1)


LARGEST_K = 100  # Up to this k, a value depends on the top of the ranking only.


class Ranked:
    """Rankings with their operating points: all of these, those with positives, and the top."""

    def __init__(self, rankings: Rankings) -> None:
        self.rankings = rankings
        binary = replace(rankings, labels=rankings.labels > 0)
        self.points = rank_samples(binary, rankings.weight, every_point=True)
        self.found = self.points.take(np.flatnonzero(self.points.hits))
        is_top = self.points.samples_above <= LARGEST_K
        self.top = self.points.take(np.flatnonzero(is_top))

    def compute(self, rule: rules.Rule) -> Array:
        """Return the value of each ranking, nan for 0/0."""
        if rule.needs_rows:
            rankings = replace(self.rankings, labels=self.rankings.labels.astype(float))
            return rule.values(rankings)
        if rule.needs_every_point:
            return rule.values(self.points)
        is_small = isinstance(rule.k, Integral) and rule.k <= LARGEST_K
        is_of_top = is_small and self.rankings.weight is None
        return rule.values(self.top if is_of_top else self.found)


# --- areas under lines ----------------------------------------------------------------------------


def get_value_above(points: Points, values: Array, at_top: float = 0) -> Array:
    """Return the value of the point above in the ranking, and `at_top` at the first point."""
    shifted = np.append(at_top, values)[:-1]
    starts = points.offsets[:-1][np.diff(points.offsets) > 0]
    shifted[starts] = at_top
    return shifted


def get_recall(points: Points) -> Array:
    return points.cum_hits / points.repeat(points.n_positives)


def add_area(points: Points, width: Array, height: Array) -> Array:
    """Return the area over recall, which has no upper limit."""
    return points.sum(np.where(width != 0, width * height, 0.0)) / points.n_positives


def find_middle(points: Points) -> Array:
    """Return the mean height of the line that ends at each point."""
    return (points.precision_above + points.precision) / 2


def skip_first(points: Points, height: Height) -> Array:
    """The area below some height, without that of the first point."""
    return add_area(points, points.hits, np.where(points.samples_above > 0, height(points), 0))


def interpolate_counts(points: Points) -> Array:
    """Davis and Goadrich's interpolation, as a continuous curve: hits and misses grow evenly.

    If T hits and F misses are above a point of n samples, r of them positive, the mean precision
    over its recall is r/n (1 - c/n log(N/(N - n))) with c = F - T (n - r)/r.
    """
    r, n, hits, above = points.hits, points.samples, points.hits_above, points.samples_above
    c = (above - hits) - (n - r) / r * hits
    growth = np.where(above > 0, np.log1p(n / above), 0.0)
    return add_area(points, r, r / n * (1 - c / n * growth))


def add_point_for_each_positive(points: Points) -> Array:
    """Davis and Goadrich's interpolation by lines: each of r tied positives comes with n/r samples.

    The first point has its own precision.
    """
    r = points.hits.astype(int)
    of = np.repeat(np.arange(r.size), r)
    place = np.arange(of.size) - (np.cumsum(r) - r)[of]
    hits, above, n = points.hits_above[of], points.samples_above[of], (points.samples / r)[of]
    before = np.where(above > 0, (hits + place) / (above + place * n), 1 / n)
    after = (hits + place + 1) / (above + (place + 1) * n)
    return add_area(points, r > 0, np.bincount(of, (before + after) / 2, minlength=r.size))


def join_recalls(points: Points, to_lowest: bool) -> Array:
    """Lines from the highest point at each recall to the highest or lowest one at the next."""
    first = np.flatnonzero(points.hits > 0)  # the highest point at each recall but 0
    highest = points.precision[first]
    before = np.where(points.hits_above[first] > 0, np.append(1.0, highest)[:-1], 1.0)
    last_of_ranking = points.offsets[np.searchsorted(points.offsets, first, side="right")] - 1
    lowest = points.precision[
        np.minimum(np.append(first[1:] - 1, np.inf), last_of_ranking).astype(int)
    ]
    height = np.zeros_like(points.precision)
    height[first] = (before + (lowest if to_lowest else highest)) / 2
    return add_area(points, points.hits, height)


# --- levels of recall -----------------------------------------------------------------------------


def find_highest_from_here(points: Points) -> Array:
    return points.accumulate_from_here(np.maximum, points.precision)


def find_highest_up_to_here(points: Points) -> Array:
    return accumulate(np.maximum, points.precision, points.offsets)


def get_precision(points: Points) -> Array:
    return points.precision


def average_heights(
    points: Points, reached: Array, n: int, height: Height = find_highest_from_here
) -> Array:
    """Return the mean height at n levels. Each point has `reached` so many of them."""
    total = points.sum((reached - get_value_above(points, reached)) * height(points))
    return np.where(points.n_positives > 0, np.minimum(total / n, 1.0), np.nan)


def average_levels(
    points: Points,
    parts: int,
    grid: str = "exact",
    first: int = 0,
    last: int | None = None,
    height: Height = find_highest_from_here,
) -> Array:
    """The mean height at the recalls first/parts, ..., last/parts, by default to 1."""
    n = (parts if last is None else last) - first + 1
    reached = rules.Interpolated(parts + 1, grid).count_reached_levels(points)
    return average_heights(points, np.clip(reached - first, 0, n), n, height)


def average_levels_from_one(points: Points, grid: str) -> Array:
    """The mean of the envelope at 11 recalls if precision is 1 at recall 0."""
    added = (1 - points.maximum(points.precision)) / 11
    return np.minimum(average_levels(points, 10, grid) + added, 1.0)


def average_strict_levels(points: Points, n: int) -> Array:
    """The mean of the envelope where recalls have to be greater than each of n levels."""
    reached = np.searchsorted(np.linspace(0, 1, n), get_recall(points), side="left")
    return average_heights(points, reached, n)


def average_rounded_levels(points: Points, added: float) -> Array:
    """The mean of the envelope at 11 recalls, which need floor(l/10 R + added) positives."""
    n_positives, hits = points.repeat(points.n_positives), points.cum_hits
    levels = np.arange(11) / 10
    reached = np.sum([hits >= np.floor(level * n_positives + added) for level in levels], axis=0)
    return average_heights(points, reached, 11)


def average_single_levels(points: Points, n: int = 101) -> Array:
    """The mean of the envelope at n recalls in single precision, as `torch.linspace` has them."""
    place, step = np.arange(n), float(np.float32(1 / (n - 1)))
    levels = np.where(place < n // 2, step * place, 1 - step * (n - 1 - place)).astype(np.float32)
    reached = np.searchsorted(levels.astype(float), get_recall(points), side="right")
    return average_heights(points, reached, n)


def join_levels(points: Points, ends_at_last: bool, n: int = 101) -> Array:
    """The area below lines that join the heights at n recalls of lines that join the envelope.

    The last of these lines leads from the last point to (1, 0), unless they end at its recall. A
    level has the height of the last point at its recall, or that between two points.
    """
    levels = np.linspace(0, 1, n)
    height = find_highest_from_here(points)
    before = get_value_above(points, height, at_top=1)
    start = points.hits_above / points.repeat(points.n_positives)
    total = points.sum(add_heights(levels, start, get_recall(points), before, height))
    # The first level is the end of a single line, so it counts half.
    is_first_hit = (points.hits > 0) & (points.hits_above == 0)
    total = total - points.sum(np.where(is_first_hit, before, 0)) / 2
    if not ends_at_last:
        total_hits = points.sum(points.hits)
        last, height = total_hits / points.n_positives, total_hits / points.mass
        total += add_heights(levels, last, np.ones_like(last), height, np.zeros_like(last))
    return np.where(points.n_positives > 0, total / (n - 1), np.nan)


def add_heights(levels: Array, x: Array, to_x: Array, y: Array, to_y: Array) -> Array:
    """Add up the heights of lines at the levels from x to below to_x."""
    sums = np.append(0, np.cumsum(levels))
    first = np.searchsorted(levels, x, side="left")
    end = np.searchsorted(levels, to_x, side="left")
    slope = (to_y - y) / np.where(to_x > x, to_x - x, 1)
    return np.asarray((end - first) * (y - slope * x) + slope * (sums[end] - sums[first]))


# --- sums of precisions ---------------------------------------------------------------------------


def count_from_zero(points: Points) -> Array:
    return np.where(points.samples_above > 0, points.cum_hits / (points.cum_samples - 1), 0.0)


def skip_last(points: Points) -> Array:
    is_last = points.cum_samples == points.repeat(points.mass)
    return np.where(is_last, 0.0, points.precision)


def count_in_balance(points: Points) -> Array:
    """Precision if the negatives weigh as much as the positives in all."""
    false = points.cum_samples - points.cum_hits
    weight = points.repeat(points.n_positives / (points.mass - points.sum(points.hits)))
    return np.asarray(points.cum_hits / (points.cum_hits + np.where(false > 0, weight * false, 0)))


def count_at_mean_rank(points: Points) -> Array:
    """Give all tied samples their mean rank, and count each hit up to there."""
    return (points.hits_above + (points.hits + 1) / 2) / (
        points.samples_above + (points.samples + 1) / 2
    )


# What people count instead of precision, in step average precision and in AP@k
WRONG_PRECISIONS: dict[str, Height] = {
    "ranks from 0, the first one skipped": count_from_zero,
    "ranks from 2": lambda points: points.cum_hits / (points.cum_samples + 1),
    "hits counted late": lambda points: points.hits_above / points.cum_samples,
    "the precision of the point above": lambda points: points.precision_above,
    "without the first recall": lambda points: points.precision * (points.samples_above > 0),
    "1/rank instead of precision": lambda points: 1 / points.cum_samples,
}


WRONG_ENVELOPES: dict[str, Callable[[Points], Array]] = {
    "with the maximum to the left instead": lambda points: average_precisions(
        points, find_highest_up_to_here
    ),
    "without the first recall": lambda points: skip_first(points, find_highest_from_here),
}
# And in step average precision only
OTHER_PRECISIONS: dict[str, Height] = {
    "tied samples at their mean rank": count_at_mean_rank,
    "the last rank skipped": skip_last,
    "cut to whole numbers": lambda points: np.floor(points.precision),
}
WRONG_DIVISORS: dict[str, Divisor] = {
    "divided by R + 1": lambda points: points.n_positives + 1,
    "not divided by R": lambda points: 1,
    "divided by all samples": lambda points: points.mass,
    "divided by P = R/N": lambda points: points.n_positives**2 / points.mass,
}


def average_precisions(
    points: Points,
    precision: Height = get_precision,
    divisor: Divisor = lambda points: points.n_positives,
) -> Array:
    """Step AP with something else for precision, or for R."""
    total = points.sum(np.where(points.hits > 0, points.hits * precision(points), 0.0))
    return np.where(points.n_positives > 0, total / divisor(points), np.nan)


def average_precisions_at_k(points: Points, k: int, denominator: str, precision: Height) -> Array:
    """AP@k with something else for precision."""
    cut = np.full(points.n_rankings, k)
    top = rules.Top(points, cut)
    part = top.hits / np.maximum(points.hits, 1)
    inside = points._replace(samples=points.samples * part, hits=top.hits)
    divisor = rules.choose_denominator(denominator, cut, points.n_positives, top.n_hits)
    return average_precisions(inside, precision, lambda _: divisor)


def add_precisions_to_r(points: Points, k: float = np.inf) -> Array:
    """AP of the top min(k, R), divided by R."""
    top = rules.Top(points, np.minimum(points.n_positives, k))
    return add_area(points, top.hits, top.precision)


def average_first_precisions(points: Points, k: int) -> Array:
    """The mean precision of the first min(k, R) positives, wherever they rank."""
    n = np.minimum(points.n_positives, k)
    counted = np.clip(points.repeat(n) - points.hits_above, 0, points.hits)
    return points.sum(counted * points.precision) / n


def average_all_precisions(points: Points) -> Array:
    mean = points.sum(points.precision) / np.diff(points.offsets)
    return np.where(points.n_positives > 0, mean, np.nan)


def divide_all_precisions_by_r(points: Points) -> Array:
    return np.asarray(points.sum(points.precision) / points.n_positives)


def average_precisions_at_ranks(points: Points, k: float, up_to_r: bool = False) -> Array:
    """The mean of P@1, ..., P@k, or up to R if that is less.

    Among n tied samples, hits grow by r/n from rank to rank, and all r count at each later one.
    """
    last = np.minimum(points.n_positives, k) if up_to_r else np.full(points.n_rankings, k)
    cut = points.repeat(last)
    r, n, before = points.hits, points.samples, points.samples_above
    above, end = np.minimum(before, cut), np.minimum(before + n, cut)
    growing = r / n * (end - above - before * (digamma(end + 1) - digamma(above + 1)))
    total = points.sum(growing + r * (digamma(cut + 1) - digamma(end + 1)))
    return np.where(points.n_positives > 0, total / last, np.nan)


def find_cut(points: Points, k: float | None) -> Array:
    return points.mass if k is None else rules.compute_k(k, points.mass)


# --- ranks and single points ----------------------------------------------------------------------


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


def compute_f1_of_top(points: Points, k: float) -> Array:
    """The harmonic mean of precision@k and recall@k."""
    cut = find_cut(points, k)
    return np.asarray(2 * rules.Top(points, cut).n_hits / (cut + points.n_positives))


def find_first_precision(points: Points, recall: float) -> Array:
    """Precision at the first point that reaches a recall, instead of the best one from there on."""
    n_positives = points.repeat(points.n_positives)
    is_reached = rules.has_reached(points, points.cum_hits, n_positives, recall)
    was_reached = rules.has_reached(points, points.hits_above, n_positives, recall)
    return points.sum(np.where(is_reached & ~was_reached, points.precision, 0.0))


def divide_sum(rule: rules.Rule, divisor: Divisor) -> Callable[[Points], Array]:
    """Return a function that divides by something else what a rule of the top k divides by k."""
    return lambda points: np.asarray(rule.values(points) * rule.k / divisor(points))


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


def compute_dcg(points: Points, k: float | None = None) -> Array:
    """DCG of the top k. Tied samples share their gain."""
    return rules.add_discounted(points, find_cut(points, k), rules.sum_discounts)


def compute_ndcg_of_found(points: Points, k: int) -> Array:
    """DCG@k divided by the DCG of the same hits at the first ranks."""
    n_hits = np.rint(rules.Top(points, find_cut(points, k)).n_hits).astype(int)
    ratio = compute_dcg(points, k) / rules.sum_discounts(n_hits)
    return np.where(n_hits > 0, ratio, 0.0)


def sum_first_discounts(n: Array) -> Array:
    """Return 1 + 1/log2(2) + ... + 1/log2(n) for each n, as in the first paper on DCG."""
    return np.where(n > 0, 1 + rules.sum_discounts(np.maximum(n - 1, 0)), 0)


def discount_by(
    points: Points,
    sum_up_to: Callable[[Array], Array] = rules.sum_discounts,
    k: float | None = None,
) -> Array:
    """nDCG with other discounts, whose sums up to a rank are known. Tied samples share theirs."""
    cut = find_cut(points, k)
    total = rules.add_discounted(points, cut, sum_up_to)
    best = sum_up_to(np.minimum(points.n_positives, cut))
    return np.where(points.n_positives > 0, total / best, np.nan)


# What people compute instead of nDCG
WRONG_GAINS: dict[str, Callable[..., Array]] = {
    "gains over the rank": partial(
        discount_by, sum_up_to=lambda n: np.asarray(digamma(n + 1) + np.euler_gamma)
    ),
    "ranks 1 and 2 without a discount": partial(discount_by, sum_up_to=sum_first_discounts),
    "without the ideal, so DCG": compute_dcg,
}
