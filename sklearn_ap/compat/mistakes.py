"""What people rank, count or return instead of what a definition says.

A mistake is a row of a table: the term of a definition, words that follow it, and what is done.
Audits and `identify` try all of them. What is ranked instead of the data is in changes.py, because
tools do that, too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.special import digamma

from .._core import Array, Points, rules
from .._core.steps import DENOMINATORS, write_number
from . import definitions
from .changes import round_to
from .definitions import Definition, Formula

# What is computed instead, by the term of a definition and the mistake
Miscounted = dict[tuple[str, str], Formula]

# --- what is counted instead of precision, in step average precision and in AP@k ------------------


def skip_last(points: Points) -> Array:
    is_last = points.above + points.tied == points.repeat(points.mass)
    return np.where(is_last, 0.0, points.precision)


def count_from_zero(points: Points) -> Array:
    return np.where(points.above > 0, points.cum_hits / (points.above + points.tied - 1), 0.0)


def count_at_mean_rank(points: Points) -> Array:
    """Give all tied samples their mean rank, and count each hit."""
    return (points.hits_above + (points.hits + 1) / 2) / (points.above + (points.tied + 1) / 2)


PRECISIONS: dict[str, Callable[[Points], Array]] = {
    "ranks from 0, the first one skipped": count_from_zero,
    "ranks from 2": lambda points: points.cum_hits / (points.above + points.tied + 1),
    "hits counted late": lambda points: points.hits_above / (points.above + points.tied),
    "the precision of the point above": lambda points: points.precision_above,
    "without the first recall": lambda points: points.precision * (points.above > 0),
    "the last rank skipped": skip_last,
    "1/rank instead of precision": lambda points: 1 / (points.above + points.tied),
    "precisions cut to whole numbers": lambda points: np.floor(points.precision),
}


def miscount(
    points: Points,
    precision: Callable[[Points], Array] = definitions.get_precision,
    divisor: Callable[[Points], Array | float] = lambda points: points.n_positives,
) -> Array:
    """Step AP with something else for precision, or for R."""
    total = points.sum(np.where(points.hits > 0, points.hits * precision(points), 0.0))
    return np.where(points.n_positives > 0, total / divisor(points), np.nan)


def miscount_at_k(
    points: Points, k: int, denominator: str, precision: Callable[[Points], Array]
) -> Array:
    """AP@k with something else for precision."""
    cut = np.full(points.n_rankings, k)
    top = rules.Top(points, cut)
    part = top.hits / np.maximum(points.hits, 1)
    inside = points._replace(tied=points.tied * part, hits=top.hits)
    divisor = rules.choose_denominator(denominator, cut, points.n_positives, top.n_hits)
    height = np.where(top.hits > 0, precision(inside), 0.0)
    return np.where(divisor > 0, points.sum(top.hits * height) / divisor, np.nan)


# --- what else is counted -------------------------------------------------------------------------


def average_precisions_and_one(points: Points) -> Array:
    """The mean of the precisions of all points and of (0, 1)."""
    n = np.diff(points.offsets)
    return np.asarray((definitions.average_all_precisions(points) * n + 1) / (n + 1))


def correct_for_chance(points: Points) -> Array:
    chance = definitions.compute_prevalence(points)
    value = (rules.Step().values(points) - chance) / np.where(chance < 1, 1 - chance, np.inf)
    return np.where(points.n_positives > 0, value, np.nan)


def swap_axes(points: Points) -> Array:
    """auc(precision, recall): what linear has above the precision of all samples."""
    return rules.Linear().values(points) - definitions.compute_prevalence(points)


def add_one_to_rank(points: Points) -> Array:
    reciprocal = rules.ReciprocalRank().values(points)
    return np.asarray(reciprocal / (1 + reciprocal))


def divide_by_ranks(points: Points, k: float | None = None) -> Array:
    """nDCG whose gains are divided by the rank. Tied samples share theirs."""
    cut = definitions.find_cut(points, k)
    above = np.minimum(points.above, points.repeat(cut))
    end = np.minimum(points.above + points.tied, points.repeat(cut))
    total = points.sum(points.hits / points.tied * (digamma(end + 1) - digamma(above + 1)))
    best = digamma(np.minimum(points.n_positives, cut) + 1) + np.euler_gamma
    return np.where(points.n_positives > 0, total / best, np.nan)


def find_first_precision(points: Points, recall: float) -> Array:
    """Precision at the first point that reaches a recall, instead of the best one from there on."""
    n_positives = points.repeat(points.n_positives)
    is_reached = rules.has_reached(points, points.cum_hits, n_positives, recall)
    was_reached = rules.has_reached(points, points.hits_above, n_positives, recall)
    return points.sum(np.where(is_reached & ~was_reached, points.precision, 0.0))


def find_precision_above(points: Points, recall: float) -> Array:
    recalls = points.cum_hits / points.repeat(points.n_positives)
    return points.maximum(np.where(recalls > recall + 1e-12, points.precision, 0.0))


def find_recall_until(points: Points, precision: float) -> Array:
    """Recall above the first point with a lower precision, instead of the last one with it."""
    end = points.above + points.tied
    is_reached = rules.has_reached(points, points.cum_hits, end, precision)
    first_below = -points.maximum(np.where(is_reached, -np.inf, -points.above))
    is_before = points.above < points.repeat(first_below)
    return points.maximum(np.where(is_before, points.cum_hits, 0)) / points.n_positives


def divide_levels(points: Points, parts: int) -> Array:
    return rules.Interpolated(parts + 1).values(points) * (parts + 1) / parts


def list_wrong_levels() -> Miscounted:
    """Return means at 10 or 100 levels, and with other heights or comparisons."""
    wrong: Miscounted = {}
    for parts in (10, 100):
        for grid, words in (("exact", ""), ("float", " float")):
            levels = partial(definitions.average_levels, parts=parts, grid=grid)
            end = f"{parts - 1}/{parts}"
            term = f"{parts + 1}-point{words}"
            wrong[term, f"recalls 0 to {end}"] = Formula(partial(levels, last=parts - 1))
            wrong[term, f"recalls 1/{parts} to 1"] = Formula(partial(levels, first=1))
            wrong[term, "with the maximum to the left instead"] = Formula(
                partial(levels, height=definitions.find_highest_up_to_here)
            )
            wrong[term, "without the maximum to the right"] = Formula(
                partial(levels, height=definitions.get_precision)
            )
        n = parts + 1
        term = f"{n}-point"
        wrong[term, "recall > each level instead of >="] = Formula(
            partial(definitions.average_strict_levels, n=n)
        )
        wrong[term, f"divided by {parts}"] = Formula(partial(divide_levels, parts=parts))
        wrong[term, f"at {parts} recalls from 0 to 1"] = Formula(rules.Interpolated(parts).values)
    return wrong


def list_wrong_targets() -> Miscounted:
    """Return what is read off a point that isn't the one of a target."""
    wrong: Miscounted = {}
    for target in definitions.TARGETS:
        of_recall, of_precision = f"precision at recall {target}", f"recall at precision {target}"
        wrong[of_recall, "at the first point that reaches it"] = Formula(
            partial(find_first_precision, recall=target)
        )
        wrong[of_recall, f"recall > {target}"] = Formula(
            partial(find_precision_above, recall=target)
        )
        wrong[of_precision, "up to the first point below it"] = Formula(
            partial(find_recall_until, precision=target)
        )
    return wrong


# What nobody means to compute
_MISCOUNTED: Miscounted = {
    **{
        ("step", words): Formula(partial(miscount, precision=precision))
        for words, precision in PRECISIONS.items()
    },
    ("step", "tied samples at their mean rank"): Formula(
        partial(miscount, precision=count_at_mean_rank), takes_weights=False
    ),
    ("step", "divided by R + 1"): Formula(
        partial(miscount, divisor=lambda points: points.n_positives + 1)
    ),
    ("step", "not divided by R"): Formula(partial(miscount, divisor=lambda points: 1)),
    ("step", "divided by all samples"): Formula(
        partial(miscount, divisor=lambda points: points.mass)
    ),
    ("envelope", "with the maximum to the left instead"): Formula(
        lambda points: definitions.add_up(
            points, points.hits, definitions.find_highest_up_to_here(points)
        )
    ),
    ("linear", "from (0, 0)"): Formula(
        partial(definitions.compute_linear, start=lambda end: end / 2)
    ),
    ("linear", "recall over precision, auc(precision, recall)"): Formula(swap_axes),
    ("mean of all precisions", "and of (0, 1)"): Formula(average_precisions_and_one),
    ("step", "as (AP - P)/(1 - P), P being the fraction of positives"): Formula(correct_for_chance),
    **list_wrong_levels(),
    **list_wrong_targets(),
    ("reciprocal rank", "as 1/(rank + 1)"): Formula(add_one_to_rank, takes_weights=False),
    ("nDCG", "without the ideal, so DCG"): Formula(definitions.compute_dcg, takes_weights=False),
    ("nDCG", "gains over the rank"): Formula(divide_by_ranks, takes_weights=False),
}


def list_mistakes(miscounted: Miscounted, meant: Mapping[str, Definition]) -> dict[str, Definition]:
    """Return what nobody means to compute, by its name."""
    wrong = [
        Definition(term, rule, 3, family=meant[term].family, mistake=mistake)
        for (term, mistake), rule in miscounted.items()
    ]
    return {each.name: each for each in wrong}


MISTAKES_IN_COUNTS = list_mistakes(_MISCOUNTED, definitions.DEFINITIONS)


def list_mistakes_at_k(k: int) -> dict[str, Definition]:
    """Return what nobody means to compute of the top k."""
    counted: dict[tuple[str, str], Callable[[Points], Array]] = {
        (f"AP@{k} / {denominator}", words): partial(
            miscount_at_k, k=k, denominator=denominator, precision=precision
        )
        for denominator in DENOMINATORS
        for words, precision in PRECISIONS.items()
    }
    counted[f"nDCG@{k}", "without the ideal, so DCG"] = partial(definitions.compute_dcg, k=k)
    counted[f"nDCG@{k}", "gains over the rank"] = partial(divide_by_ranks, k=k)
    counted[f"nDCG@{k}", "with the ideal of the top k"] = partial(divide_by_found, k=k)
    top, whole = rules.PrecisionAtK(k), rules.AveragePrecisionAtK(k, denominator="k")
    counted[f"precision@{k}", "not divided by k"] = lambda points: k * top.values(points)
    counted[f"precision@{k}", "divided by n if n < k"] = partial(divide_by_fewer, rule=top, k=k)
    counted[f"AP@{k} / k", "divided by n if n < k"] = partial(divide_by_fewer, rule=whole, k=k)
    for size in (k - 1, k + 1):
        if size >= 1:
            counted[f"precision@{k}", f"over {size} samples"] = partial(count_other, k=k, size=size)
            for denominator in ("min", "k"):
                counted[f"AP@{k} / {denominator}", f"over {size} samples"] = partial(
                    sum_other, k=k, size=size, denominator=denominator
                )
    formulas = {words: Formula(each, k, takes_weights=False) for words, each in counted.items()}
    return list_mistakes(formulas, definitions.list_at_k(k))


def list_mistakes_at_fraction(k: float) -> dict[str, Definition]:
    """Return what is counted if a fraction of samples isn't rounded up to whole ones."""
    at = write_number(k, "k")
    roundings: dict[str, Callable[[Array], Array]] = {
        "rounded down": lambda size: np.maximum(np.floor(size), 1),
        "rounded": lambda size: np.maximum(np.rint(size), 1),
    }
    wrong: Miscounted = {}
    for words, of_size in roundings.items():
        for term in ("precision", "recall", "enrichment factor"):
            count = partial(count_rounded, term=term, k=k, of_size=of_size)
            wrong[f"{term}@{at}", f"k {words}"] = Formula(count, k, takes_weights=False)
    return list_mistakes(wrong, definitions.list_at_k(k))


def count_rounded(points: Points, term: str, k: float, of_size: Callable[[Array], Array]) -> Array:
    cut = of_size(k * points.mass)
    n_hits = rules.Top(points, cut).n_hits
    if term == "recall":
        return n_hits / points.n_positives
    return n_hits / cut / (1 if term == "precision" else definitions.compute_prevalence(points))


_AREAS: dict[str, rules.PointRule] = {
    "step": rules.Step(),
    "linear": rules.Linear(),
    "envelope": rules.Interpolated(),
    "11-point": rules.Interpolated(11),
    "11-point float": rules.Interpolated(11, "float"),
    "101-point float": rules.Interpolated(101, "float"),
}


def list_epsilons() -> list[Definition]:
    """Return areas with a small number in their denominators, which hides in 4 decimals."""
    wrong = []
    for size, (term, rule) in product((1e-6, 1e-5, 1e-4, 1e-3, 1e-2), _AREAS.items()):
        words = f"with an epsilon of about {size:g} in denominators"
        for of_precision, of_recall in ((size, size), (size, 0), (0, size)):
            add = partial(add_epsilon, rule=rule, to_precision=of_precision, to_recall=of_recall)
            wrong.append(Definition(term, Formula(add), 3, mistake=words))
    return wrong


def add_epsilon(
    points: Points, rule: rules.PointRule, to_precision: float, to_recall: float
) -> Array:
    is_first = points.above == 0  # where precision above is 1 as long as nothing is above
    enlarged = points._replace(
        above=np.where(is_first, 0.0, points.above + to_precision),
        tied=np.where(is_first, points.tied + to_precision, points.tied),
        n_positives=np.where(points.n_positives > 0, points.n_positives + to_recall, 0),
    )
    return rule.values(enlarged)


def divide_by_found(points: Points, k: int) -> Array:
    """DCG@k divided by the DCG of the same hits at the first ranks."""
    n_hits = np.rint(rules.Top(points, definitions.find_cut(points, k)).n_hits).astype(int)
    found = definitions.compute_dcg(points, k) / rules.sum_discounts(n_hits)
    return np.where(n_hits > 0, found, 0.0)


def divide_by_fewer(
    points: Points, rule: rules.PrecisionAtK | rules.AveragePrecisionAtK, k: int
) -> Array:
    """Divide by the samples that there are, where these are fewer than k."""
    return rule.values(points) * k / np.minimum(points.mass, k)


def count_other(points: Points, k: int, size: int) -> Array:
    return rules.PrecisionAtK(size).values(points) * size / k


def sum_other(points: Points, k: int, size: int, denominator: str) -> Array:
    """Add up the precisions of one sample more or less than k."""
    total = rules.AveragePrecisionAtK(size, denominator="k").values(points) * size
    cut = np.full(points.n_rankings, k)
    return total / rules.choose_denominator(denominator, cut, points.n_positives, total)


# --- what is returned -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ValueChange:
    """What is done to a value before it is returned or reported."""

    words: str
    apply: Callable[[Array], Array]
    rarity: int = 9  # as that of changes of the data; most are too rare for `identify`
    may_give: Callable[[float], bool] = lambda reported: True  # whether it explains a value


NEGATED = ValueChange("times -1", lambda values: -values, 1, lambda reported: reported < 0)
VALUE_CHANGES = (
    ValueChange("in percent", lambda values: 100 * values, 0, lambda reported: 1 < reported <= 100),
    NEGATED,
    ValueChange("1 minus the value", lambda values: 1 - values, 2),
    ValueChange("squared", lambda values: values**2),
    ValueChange("twice the value minus 1", lambda values: 2 * values - 1),
    *(ValueChange(f"rounded to {n} decimals", partial(round_to, n)) for n in (5, 4, 3, 2)),
)
