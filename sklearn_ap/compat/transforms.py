"""List what tools and people do to the data before they compute a value, and then to the value.

The function of a transform takes rankings and returns others, or None where it has no effect or
can't be made. Labels are bool, and the samples of all rankings stand in flat arrays, with the
number of their ranking in `group_codes`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .._core import Array, Rankings, find_distinct
from .formulas import are_probabilities, predict_labels

Apply = Callable[[Rankings], Rankings | None]


@dataclass(frozen=True)
class Transform:
    """What is done to the data before a value is computed."""

    name: str  # the words of peers.toml, which follow the name of a definition
    apply: Apply
    rarity: int  # 1 for what happens every day, 3 for what is rare


@dataclass(frozen=True)
class ValueTransform:
    """What is done to a value before it is returned or reported."""

    name: str
    apply: Callable[[Array], Array]
    rarity: int = 9  # the scale is that of Transform; most are too rare for `identify`
    may_give: Callable[[float], bool] = lambda reported: True  # whether it explains a value


# --- scores ---------------------------------------------------------------------------------------


def score_with(function: Callable[[Array], Array]) -> Apply:
    """Return a transform that replaces scores."""
    return lambda rankings: replace(rankings, scores=function(rankings.scores))


def tie_with(function: Callable[[Array], Array]) -> Apply:
    """Return a transform that replaces scores by a rising function of them, if that ties some."""

    def apply(rankings: Rankings) -> Rankings | None:
        with np.errstate(all="ignore"):
            rising = function(find_distinct(rankings.scores))
            has_effect = (rising[1:] == rising[:-1]).any()
            return replace(rankings, scores=function(rankings.scores)) if has_effect else None

    return apply


def tie_probabilities_with(function: Callable[[Array], Array]) -> Apply:
    """Return a transform that does the same with scores in [0, 1] only."""
    tie = tie_with(function)
    return lambda rankings: tie(rankings) if are_probabilities(rankings.scores) else None


def number_from_last(scores: Array) -> Array:
    """Rank scores from the lowest up, also of types that can't be negated."""
    return -np.unique(scores, return_inverse=True)[1]


def number_rows(values: Array) -> Array:
    """Return numbers that fall from row to row, which rank the first row highest."""
    return -np.arange(values.size)


def count_thresholds(n: int) -> Callable[[Array], Array]:
    """Return a function that counts which of n thresholds a score reaches, as in torchmetrics."""
    return lambda scores: np.asarray(np.searchsorted(np.linspace(0, 1, n), scores, "right"))


def find_bin(scores: Array) -> Array:
    """Return the bin of each score as Keras does, where 200 thresholds belong to the bin below."""
    return np.asarray(np.maximum(np.ceil(scores * 199) - 1, 0))


def convert_to_single(scores: Array) -> Array:
    largest = np.finfo(np.float32).max
    return scores.astype(float).clip(-largest, largest).astype(np.float32)


def round_numbers(n_decimals: int, numbers: Array) -> Array:
    return np.round(numbers.astype(float), n_decimals)


def tie_close(scores: Array) -> Array:
    """Tie chains of scores that are at most 1e-8 apart."""
    distinct, places = np.unique(scores, return_inverse=True)
    return np.cumsum(np.append(0, np.diff(distinct.astype(float)) > 1e-8))[places]


# --- tied samples ---------------------------------------------------------------------------------


def can_order_ties(rankings: Rankings) -> bool:
    """Whether some samples are tied. Those with weights have no order."""
    return rankings.weight is None and find_distinct(rankings.scores).size < rankings.scores.size


def order_ties_with(key: Callable[[Array], Array]) -> Apply:
    """Return a transform that ranks samples one by one, tied ones from the highest key down.

    The key is a function of labels.
    """

    def apply(rankings: Rankings) -> Rankings | None:
        if not can_order_ties(rankings):
            return None
        order = np.lexsort((key(rankings.labels), rankings.scores))
        ranks = np.empty(order.size, dtype=np.int64)
        ranks[order] = np.arange(order.size)
        return replace(rankings, scores=ranks)

    return apply


# --- labels and rows ------------------------------------------------------------------------------


def swap_classes(rankings: Rankings) -> Rankings | None:
    if rankings.n_positives is not None or rankings.kind == "classes":
        return None
    return replace(rankings, labels=~rankings.labels)


def swap_classes_and_negate(rankings: Rankings) -> Rankings | None:
    swapped = swap_classes(rankings)
    return swapped and score_with(number_from_last)(swapped)


def ignore_nonpositive(rankings: Rankings) -> Rankings | None:
    """Take positives whose score is 0 or less for negatives, as torchmetrics' retrieval does."""
    labels = rankings.labels & (rankings.scores > 0)
    if rankings.n_positives is not None or labels.sum() == rankings.labels.sum():
        return None
    return replace(rankings, labels=labels)


def join_classes(rankings: Rankings) -> Rankings | None:
    """Rank the negatives by 1 - p, too, in one ranking with the positives."""
    has_one_ranking = rankings.group_codes is None and rankings.n_positives is None
    if not has_one_ranking or not are_probabilities(rankings.scores):
        return None
    scores, weight = rankings.scores.astype(float), rankings.weight
    return replace(
        rankings,
        labels=np.concatenate((rankings.labels, ~rankings.labels)),
        scores=np.concatenate((scores, 1 - scores)),
        weight=None if weight is None else np.tile(weight, 2),
        kind="classes",
    )


def average_classes(rankings: Rankings) -> Rankings | None:
    """Rank the negatives by 1 - p, too, by themselves."""
    joined = join_classes(rankings)
    group = np.repeat([0, 1], rankings.scores.size)
    return joined and replace(joined, group_codes=group, n_rankings=2)


# --- groups and classes ---------------------------------------------------------------------------


def pool(rankings: Rankings) -> Rankings | None:
    if rankings.group_codes is None:
        return None
    n_positives = rankings.n_positives
    total = None if n_positives is None else n_positives.sum(keepdims=True)
    return replace(rankings, group_codes=None, n_rankings=1, names=None, n_positives=total)


def take_class(place: int, rankings: Rankings) -> Rankings | None:
    if rankings.n_positives is not None:
        return None
    of_class, weight = rankings.group_codes == place, rankings.weight
    return Rankings(
        labels=rankings.labels[of_class],
        scores=rankings.scores[of_class],
        weight=None if weight is None else weight[of_class],
    )


def ignore_unscored(rankings: Rankings) -> Rankings | None:
    """Count only positives with scores, in groups that have rows."""
    if rankings.n_positives is None:
        return None
    present = leave_out_empty_groups(rankings)
    hits = rankings.labels if rankings.weight is None else rankings.weight[rankings.labels]
    if present is None and rankings.n_positives.sum() == hits.sum():
        return None
    return replace(present or rankings, n_positives=None)


def leave_out_empty_groups(rankings: Rankings) -> Rankings | None:
    if rankings.group_codes is None:
        return None
    present, codes = np.unique(rankings.group_codes, return_inverse=True)
    if present.size == rankings.n_rankings:
        return None
    n_positives = None if rankings.n_positives is None else rankings.n_positives[present]
    return replace(
        rankings, group_codes=codes, n_rankings=present.size, names=None, n_positives=n_positives
    )


# --- tables of what is tried, the most common first -----------------------------------------------

_DECIMALS = {2: 1, 3: 1, 4: 2, 1: 2}  # to which scores are rounded, and how rare that is

# The order in which tied samples are ranked, other than at one threshold
BY_ROW = Transform("ties by row", order_ties_with(number_rows), 1)
LAST_ROW_FIRST = Transform(
    "ties by row, last first", order_ties_with(lambda labels: np.arange(labels.size)), 2
)
BEST = Transform("ties best", order_ties_with(lambda labels: labels), 2)
WORST = Transform("ties worst", order_ties_with(lambda labels: ~labels), 2)
TIE_ORDERS = BY_ROW, LAST_ROW_FIRST, BEST, WORST
UNKNOWN_ORDER = Transform(  # The data stays the same.
    "ties in any order", lambda rankings: rankings if can_order_ties(rankings) else None, 9
)

# What matters only for scores beyond [0, 1], or for very close ones
OF_UNUSUAL_SCORES = (
    Transform("scores as float32", tie_with(convert_to_single), 2),
    Transform("scores closer than 1e-8 tied", tie_with(tie_close), 3),
    Transform("positives with scores of 0 or less ignored", ignore_nonpositive, 1),
)

# What else changes one ranking
OF_RANKINGS = (
    Transform("predict() instead of scores", score_with(predict_labels), 1),
    Transform("the other class is positive and scores are negated", swap_classes_and_negate, 1),
    Transform("scores negated", score_with(number_from_last), 1),
    Transform("the other class is positive", swap_classes, 2),
    Transform("mean over both classes", average_classes, 1),
    Transform("both columns as one ranking", join_classes, 2),
    *(
        Transform(
            f"scores with {n} decimal{'s' if n > 1 else ''}",
            tie_with(partial(round_numbers, n)),
            rarity,
        )
        for n, rarity in _DECIMALS.items()
    ),
    Transform("scores between 200 thresholds", tie_probabilities_with(count_thresholds(200)), 1),
    Transform("scores between 100 thresholds", tie_probabilities_with(count_thresholds(100)), 1),
    Transform(
        "scores between 200 thresholds, those at one below it", tie_probabilities_with(find_bin), 1
    ),
    Transform("ranked by the order of rows", score_with(number_rows), 2),
)

# What is done to groups and classes
POOLED = Transform("pooled into one ranking", pool, 1)
WITHOUT_UNSCORED = Transform("unscored positives not counted", ignore_unscored, 1)
WITHOUT_EMPTY_GROUPS = Transform("groups without rows left out", leave_out_empty_groups, 1)
_OF_GROUPS = POOLED, WITHOUT_UNSCORED, WITHOUT_EMPTY_GROUPS

# What can be done to any data but for its weights, the most common first
_OF_ANY_DATA = *TIE_ORDERS, *_OF_GROUPS, *OF_RANKINGS, *OF_UNUSUAL_SCORES
TRANSFORMS = {transform.name: transform for transform in (*_OF_ANY_DATA, UNKNOWN_ORDER)}

AS_IT_IS = ValueTransform("", lambda values: values, 0)
NEGATED = ValueTransform("times -1", lambda values: -values, 1, lambda reported: reported < 0)
VALUE_TRANSFORMS = (
    ValueTransform("in percent", lambda values: 100 * values, 0, lambda value: 1 < value <= 100),
    NEGATED,
    ValueTransform("1 minus the value", lambda values: 1 - values, 2),
    *(ValueTransform(f"rounded to {n} decimals", partial(round_numbers, n)) for n in (5, 4, 3, 2)),
)


def list_transforms(rankings: Rankings) -> list[Transform]:
    """Return what may have been done to some data, but for its weights, the most common first."""
    transforms = [*_OF_ANY_DATA]
    if rankings.kind == "classes" and rankings.group_codes is not None:
        names = rankings.names or range(rankings.n_rankings)
        for place, name in enumerate(names):
            transforms.append(Transform(f"the class {name!r} alone", partial(take_class, place), 2))
    return transforms
