"""Everything that tools and people compute as average precision, or report in its place.

`DEFINITIONS` is the table of terms that `explain`, `identify`, `audit` and the pages read. Rules of
metrics are in `_core.rules`. The others are functions of points here, also of those without
positives, and return nan for 0/0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral

import numpy as np
from scipy.special import digamma

from .._core import Array, Points, Rankings, check, rank_samples, rules
from .._core.steps import DENOMINATORS, accumulate, write_number

AnyRule = rules.PointRule | rules.RowRule
AVERAGE_PRECISION = "average precision"
OTHER_METRIC = "another metric of rankings"
OF_LABELS = "a metric of predicted labels"


@dataclass(frozen=True)
class Definition:
    """What a tool computes of a ranking, and how common that is."""

    term: str  # as in peers.toml, with a number for k
    rule: AnyRule
    rarity: int  # 0 for what is reported most, 3 for what nobody means to report
    why: str = ""  # it differs from step average precision
    family: str = AVERAGE_PRECISION
    mistake: str = ""  # what the rule does wrong
    extends: str = ""  # the term of a simpler definition, to which this one adds something

    @property
    def name(self) -> str:
        return f"{self.term}, {self.mistake}" if self.mistake else self.term

    @property
    def name_of_any_k(self) -> str:
        """The name with "@k" for a cutoff, as in peers.toml."""
        k = self.rule.k
        return self.name if k is None else self.name.replace(f"@{write_number(k, 'k')}", "@k")


@dataclass(frozen=True)
class Formula(rules.PointRule):
    """A definition without a metric of its own."""

    function: Callable[[Points], Array]
    k: float | None = None
    takes_weights: bool = True
    varies_by = "groups"  # no metric has this rule, so inference never asks

    def __post_init__(self) -> None:
        pass

    def values(self, points: Points) -> Array:
        with np.errstate(all="ignore"):
            return self.function(points)


@dataclass(frozen=True)
class OfLabels(rules.RowRule):
    """A metric of predicted labels, from the numbers of hits, false alarms, misses and the rest."""

    function: Callable[[Array, Array, Array, Array], Array]

    def __post_init__(self) -> None:
        pass

    def values(self, rankings: Rankings) -> Array:
        is_flagged, is_positive = predict_labels(rankings.scores), rankings.labels > 0
        group = (
            np.zeros(is_positive.size, int)
            if rankings.group_codes is None
            else rankings.group_codes
        )
        counts = [
            np.bincount(group[flagged & positive], minlength=rankings.n_rankings)
            for flagged in (is_flagged, ~is_flagged)
            for positive in (is_positive, ~is_positive)
        ]
        with np.errstate(all="ignore"):
            return self.function(*counts)


def predict_labels(scores: Array) -> Array:
    """Return what predict() returns: above 0.5 for probabilities, else above 0."""
    are_probabilities = scores.min(initial=0) >= 0 and scores.max(initial=0) <= 1
    return np.asarray(scores > (0.5 if are_probabilities else 0))


def compute_values(rule: AnyRule, rankings: Rankings, points: Points) -> Array:
    """Return the value of each ranking, nan for 0/0, from its samples or its points."""
    return rule.values(rankings) if isinstance(rule, rules.RowRule) else rule.values(points)


def rank_every_point(rankings: Rankings) -> Points:
    """Return all operating points, also those without positives."""
    binary = replace(rankings, labels=rankings.labels > 0)
    return rank_samples(binary, rankings.weight, every_point=True)


# --- areas under lines ----------------------------------------------------------------------------


def get_before(points: Points, values: Array) -> Array:
    """Return the value of the point above in the ranking, 0 at the first point."""
    before = np.append(0, values)[:-1]
    before[points.offsets[:-1][np.diff(points.offsets) > 0]] = 0
    return before


def add_up(points: Points, width: Array, height: Array) -> Array:
    """Return the area over recall, which has no upper limit."""
    return points.sum(np.where(width != 0, width * height, 0.0)) / points.n_positives


def compute_linear(points: Points, start: Callable[[Array], Array]) -> Array:
    """Straight lines, the first of which has the mean height that `start` makes of its end."""
    height = (points.precision_above + points.precision) / 2
    height = np.where(points.above == 0, start(points.precision), height)
    return add_up(points, points.hits, height)


def compute_curved(points: Points) -> Array:
    """Hits and misses grow evenly between two points.

    If T hits and F misses are above a point of n samples, r of them positive, the mean precision
    over its recall is r/n (1 - c/n log(N/(N - n))) with c = F - T (n - r)/r.
    """
    r, n, hits, above = points.hits, points.tied, points.hits_above, points.above
    c = (above - hits) - (n - r) / r * hits
    growth = np.where(above > 0, np.log1p(n / above), 0.0)
    return add_up(points, r, r / n * (1 - c / n * growth))


def compute_prevalence(points: Points) -> Array:
    return points.sum(points.hits) / points.mass


# --- levels of recall -----------------------------------------------------------------------------


def find_highest_from_here(points: Points) -> Array:
    return points.maximum_from_here(points.precision)


def find_highest_up_to_here(points: Points) -> Array:
    return accumulate(np.maximum, points.precision, points.offsets)


def get_precision(points: Points) -> Array:
    return points.precision


def average_heights(
    points: Points,
    reached: Array,
    n: int,
    height: Callable[[Points], Array] = find_highest_from_here,
) -> Array:
    """Return the mean height of the points at n levels, of which each has `reached` so many."""
    total = points.sum((reached - get_before(points, reached)) * height(points))
    return np.where(points.n_positives > 0, np.minimum(total / n, 1.0), np.nan)


def average_levels(
    points: Points,
    parts: int,
    grid: str = "exact",
    first: int = 0,
    last: int | None = None,
    height: Callable[[Points], Array] = find_highest_from_here,
) -> Array:
    """The mean height at the recalls first/parts, ..., last/parts, by default to 1."""
    n = (parts if last is None else last) - first + 1
    reached = rules.Interpolated(parts + 1, grid).count_reached_levels(points)
    reached = np.clip(reached - first, 0, n)
    return average_heights(points, reached, n, height)


def average_levels_from_one(points: Points, parts: int, grid: str) -> Array:
    """The mean of the envelope if precision is 1 at recall 0, instead of the best one."""
    added = (1 - points.maximum(points.precision)) / (parts + 1)
    return np.minimum(average_levels(points, parts, grid) + added, 1.0)


def average_strict_levels(points: Points, n: int) -> Array:
    """The mean of the envelope where recalls have to be greater than each of n levels."""
    recall = points.cum_hits / points.repeat(points.n_positives)
    reached = np.searchsorted(np.linspace(0, 1, n), recall, side="left")
    return average_heights(points, reached, n)


def average_rounded_levels(points: Points, added: float) -> Array:
    """The mean of the envelope at 11 recalls, which need floor(l/10 R + added) positives."""
    exist, hits = points.repeat(points.n_positives), points.cum_hits
    levels = np.arange(11) / 10
    reached = np.sum([hits >= np.floor(level * exist + added) for level in levels], axis=0)
    return average_heights(points, reached, 11)


def average_single_levels(points: Points, n: int) -> Array:
    """The mean of the envelope at n recalls in single precision, as `torch.linspace` has them."""
    place, step = np.arange(n), float(np.float32(1 / (n - 1)))
    levels = np.where(place < n // 2, step * place, 1 - step * (n - 1 - place)).astype(np.float32)
    recall = points.cum_hits / points.repeat(points.n_positives)
    return average_heights(points, np.searchsorted(levels.astype(float), recall, side="right"), n)


def join_levels(points: Points, n: int, ends_at_last: bool) -> Array:
    """The area below lines that join the heights at n recalls of lines that join the envelope.

    The last of these lines leads from the last point to (1, 0), unless they end at its recall. A
    level has the height of the last point at its recall, or that between two points.
    """
    levels = np.linspace(0, 1, n)
    sums = np.append(0, np.cumsum(levels))
    height = find_highest_from_here(points)
    before = np.where(points.above == 0, 1.0, get_before(points, height))
    recall = points.cum_hits / points.repeat(points.n_positives)
    start = points.hits_above / points.repeat(points.n_positives)

    def add_heights(x: Array, to_x: Array, y: Array, to_y: Array) -> Array:
        """Add up the heights of a line at the levels from x to below to_x."""
        first, end = (np.searchsorted(levels, each, side="left") for each in (x, to_x))
        slope = (to_y - y) / np.where(to_x > x, to_x - x, 1)
        heights = (end - first) * (y - slope * x) + slope * (sums[end] - sums[first])
        return np.asarray(heights)

    total = points.sum(add_heights(start, recall, before, height))
    is_first_hit = (points.hits > 0) & (points.hits_above == 0)
    total = total - points.sum(np.where(is_first_hit, before, 0)) / 2
    if not ends_at_last:
        found = points.sum(points.hits)
        last, height = found / points.n_positives, found / points.mass
        total += add_heights(last, np.ones_like(last), height, np.zeros_like(last))
    return np.where(points.n_positives > 0, total / (n - 1), np.nan)


# --- means, ranks and single points ---------------------------------------------------------------


def average_all_precisions(points: Points) -> Array:
    mean = points.sum(points.precision) / np.diff(points.offsets)
    return np.where(points.n_positives > 0, mean, np.nan)


def average_precisions_at_ranks(points: Points, k: int) -> Array:
    """The mean of P@1, ..., P@k. At rank j among n tied samples, hits grow by r/n from j - 1 on."""
    r, n, above = points.hits, points.tied, np.minimum(points.above, k)
    end = np.minimum(points.above + n, k)
    sums = (points.hits_above - r / n * points.above) * (digamma(end + 1) - digamma(above + 1))
    size = np.minimum(points.mass, k)
    missing = points.sum(r) * (digamma(k + 1) - digamma(size + 1))  # ranks, which are misses
    total = points.sum(sums + r / n * (end - above)) + missing
    return np.where(points.n_positives > 0, total / k, np.nan)


def add_up_top(points: Points, k: float = np.inf) -> Array:
    """AP of the top min(k, R), divided by R."""
    top = rules.Top(points, np.minimum(points.n_positives, k))
    return add_up(points, top.hits, top.precision)


def compute_roc_area(points: Points) -> Array:
    positives = points.sum(points.hits)
    here = points.tied - points.hits  # negatives, which count half
    above = points.above - points.hits_above + here / 2
    share = above / points.repeat(points.mass - positives)
    return 1 - points.sum(points.hits * share) / positives


def find_best_f1(points: Points) -> Array:
    end = points.above + points.tied
    f1 = 2 * points.cum_hits / (points.repeat(points.n_positives) + end)
    return np.where(points.n_positives > 0, points.maximum(f1), np.nan)


def find_cut(points: Points, k: float | None) -> Array:
    return points.mass if k is None else rules.compute_k(k, points.mass)


def compute_dcg(points: Points, k: float | None = None) -> Array:
    """DCG of labels 0 and 1 in the top k. Tied samples share their gain."""
    return rules.add_discounted(points, find_cut(points, k))


def compute_ndcg(points: Points, k: float | None = None) -> Array:
    best = rules.sum_discounts(np.minimum(points.n_positives, find_cut(points, k)))
    return np.where(points.n_positives > 0, compute_dcg(points, k) / best, np.nan)


# --- the table ------------------------------------------------------------------------------------


def make_definitions(
    rarity: int, family: str, entries: Mapping[str, tuple[AnyRule, str]]
) -> dict[str, Definition]:
    """Return definitions that are alike in two respects, from their rules and reasons."""
    return {
        term: Definition(term, rule, rarity, why, family, extends=_EXTENDED.get(term, ""))
        for term, (rule, why) in entries.items()
    }


_OF_FLOATS = "As floats, some recalls miss a level that they equal, such as 0.3."
_COMMON: dict[str, tuple[AnyRule, str]] = {
    "linear": (rules.Linear(), "Straight lines join the points."),
    "envelope": (rules.Interpolated(), "The best precision from each recall on counts."),
    "11-point": (rules.Interpolated(11), "The mean of the envelope at recalls 0, 0.1, ..., 1."),
    "11-point float": (rules.Interpolated(11, "float"), f"11-point. {_OF_FLOATS}"),
    "101-point": (rules.Interpolated(101), "The mean of the envelope at recalls 0, 0.01, ..., 1."),
    "101-point float": (rules.Interpolated(101, "float"), f"101-point. {_OF_FLOATS}"),
    "curved": (
        Formula(compute_curved),
        "Between points, as if positives and negatives alternated.",
    ),
}
_BY_SOME_TOOLS: dict[str, tuple[AnyRule, str]] = {
    "step, ties expected": (
        Formula(rules.Step("expected").values, takes_weights=False),
        "The mean over all orders of tied samples.",
    ),
    "linear after the first point": (
        Formula(partial(compute_linear, start=np.zeros_like)),
        "Straight lines join the points, and the area before the first one is lost.",
    ),
    "lines between 101 points": (
        Formula(partial(join_levels, n=101, ends_at_last=True)),
        "Straight lines join the heights of the envelope at 101 recalls.",
    ),
    "lines between 101 points, to (1, 0)": (
        Formula(partial(join_levels, n=101, ends_at_last=False)),
        "Straight lines join the envelope's heights at 101 recalls; the last one ends at (1, 0).",
    ),
    "101-point, levels in single precision": (
        Formula(partial(average_single_levels, n=101)),
        "101-point. In single precision, recalls miss other levels that they equal.",
    ),
    "R40, recalls 1/40 to 1": (
        Formula(partial(average_levels, parts=40, first=1)),
        "The mean of the envelope at 40 recalls, without recall 0.",
    ),
    "11-point, levels rounded up": (
        Formula(partial(average_rounded_levels, added=0.9)),
        "11-point, but the positives that a recall needs are rounded up by adding 0.9.",
    ),
    "11-point, levels rounded": (
        Formula(partial(average_rounded_levels, added=0.5)),
        "11-point, but the positives that a recall needs are rounded.",
    ),
    "AP@R": (Formula(add_up_top), "Only the top R count, where R is the number of positives."),
    "mean of all precisions": (
        Formula(average_all_precisions),
        "The precision at every point counts, with or without positives.",
    ),
}
for _grid, _words in (("exact", ""), ("float", " float")):
    _BY_SOME_TOOLS[f"11-point{_words}, with (0, 1)"] = (
        Formula(partial(average_levels_from_one, parts=10, grid=_grid)),
        "11-point with the point at recall 0 that is only drawn.",
    )
_EXTENDED = {  # by what adds something to it
    "step, ties expected": "step",
    "lines between 101 points, to (1, 0)": "lines between 101 points",
    "11-point, with (0, 1)": "11-point",
    "11-point float, with (0, 1)": "11-point float",
}
_COMMON_METRICS: dict[str, tuple[AnyRule, str]] = {
    "area under the ROC curve": (Formula(compute_roc_area), "Negatives count, too."),
    "R-precision": (rules.RPrecision(), "The precision where it equals recall."),
    "reciprocal rank": (rules.ReciprocalRank(), "Only the first positive counts."),
    "nDCG": (Formula(compute_ndcg, takes_weights=False), "Ranks count by their logarithm."),
}
_OTHER_METRICS: dict[str, tuple[AnyRule, str]] = {
    "best F1 of all thresholds": (Formula(find_best_f1), "One point counts."),
    "fraction of positives": (Formula(compute_prevalence), "The step value of a constant score."),
    "precision at recall 1.0": (rules.PrecisionAtRecall(1.0), "Only the last positive counts."),
}
TARGETS = (0.5, 0.8, 0.9, 0.95)
for _target in TARGETS:
    _OTHER_METRICS |= {
        f"precision at recall {_target}": (rules.PrecisionAtRecall(_target), "One point counts."),
        f"recall at precision {_target}": (rules.RecallAtPrecision(_target), "One point counts."),
    }
_OF_LABELS: dict[str, Callable[[Array, Array, Array, Array], Array]] = {
    "F1 of predicted labels": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),
    "accuracy of predicted labels": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    "precision of predicted labels": lambda tp, fp, fn, tn: tp / (tp + fp),
    "recall of predicted labels": lambda tp, fp, fn, tn: tp / (tp + fn),
}
DEFINITIONS: dict[str, Definition] = {
    "step": Definition("step", rules.Step(), 0),
    **make_definitions(1, AVERAGE_PRECISION, _COMMON),
    **make_definitions(1, OTHER_METRIC, _COMMON_METRICS),
    **make_definitions(2, AVERAGE_PRECISION, _BY_SOME_TOOLS),
    **make_definitions(2, OTHER_METRIC, _OTHER_METRICS),
    **make_definitions(
        2,
        OF_LABELS,
        {term: (OfLabels(each), "Ranks don't count.") for term, each in _OF_LABELS.items()},
    ),
}


def list_at_k(k: float) -> dict[str, Definition]:
    """Return the definitions of the top k, by their terms with a number for k."""
    check(k=k)
    at = write_number(k, "k")
    of_top: dict[str, tuple[AnyRule, str]] = {
        f"AP@{at} / {name}": (
            rules.AveragePrecisionAtK(k, denominator=name),
            f"Only the top k count, and the sum is divided by {words}.",
        )
        for name, words in DENOMINATORS.items()
    }
    metrics: dict[str, AnyRule] = {
        f"precision@{at}": rules.PrecisionAtK(k),
        f"recall@{at}": rules.RecallAtK(k),
        f"nDCG@{at}": Formula(partial(compute_ndcg, k=k), k, takes_weights=False),
        f"reciprocal rank@{at}": rules.ReciprocalRank(k),
        f"hit rate@{at}": rules.HitRateAtK(k),
        f"enrichment factor@{at}": rules.EnrichmentFactor(k),
        f"recall@{at} / min": rules.RecallAtK(k, denominator="min"),
    }
    others = {term: (rule, "Only the top k count.") for term, rule in metrics.items()}
    rare: dict[str, tuple[AnyRule, str]] = {}
    if isinstance(k, Integral) and k > 1:
        of_small_top = Formula(partial(add_up_top, k=k), k, takes_weights=False)
        of_ranks = Formula(partial(average_precisions_at_ranks, k=int(k)), k, takes_weights=False)
        rare[f"AP@{at} / relevant, top min(k, R)"] = (of_small_top, "Only the top min(k, R) count.")
        rare[f"mean of P@1 to P@{at}"] = (of_ranks, "The precision at each of k ranks counts.")
    found = make_definitions(1, AVERAGE_PRECISION, of_top)
    found |= make_definitions(2, AVERAGE_PRECISION, rare)
    return found | make_definitions(1, OTHER_METRIC, others)
