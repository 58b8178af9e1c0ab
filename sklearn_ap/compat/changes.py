"""What tools and people do to the data before they compute a value.

A change takes rankings and returns others, or None where it has no effect or can't be made. Labels
are bool, and each sample has a place in the flat arrays, with the number of its ranking in `group`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import expit

from .._core import Array, Rankings, find_distinct
from .definitions import predict_labels


@dataclass(frozen=True)
class Change:
    """What is done to the data before a value is computed."""

    words: str  # which follow the name of a definition, and are those of peers.toml
    apply: Callable[[Rankings], Rankings | None]
    rarity: int  # 1 for what happens every day, 3 for what is rare
    why: str = ""  # it matters
    extends: str = ""  # the words of a simpler change, to which this one adds something


def keep_rows(rankings: Rankings, kept: Array) -> Rankings | None:
    if kept.all() or not kept.any():
        return None
    return replace(
        rankings,
        labels=rankings.labels[kept],
        scores=rankings.scores[kept],
        weight=None if rankings.weight is None else rankings.weight[kept],
        group_codes=None if rankings.group_codes is None else rankings.group_codes[kept],
    )


def number_ties(rankings: Rankings) -> Array:
    """Return a number for each distinct score of each ranking, rising with the score."""
    scores = np.unique(rankings.scores, return_inverse=True)[1].astype(np.int64)
    group = 0 if rankings.group_codes is None else rankings.group_codes
    return group * (int(scores.max(initial=0)) + 1) + scores


# --- scores ---------------------------------------------------------------------------------------


def regroup(of: Callable[[Array], Array], rankings: Rankings) -> Rankings | None:
    """Replace scores by a rising function of them, which matters only if it ties some."""
    with np.errstate(all="ignore"):
        changed = replace(rankings, scores=of(rankings.scores))
    n_distinct = [find_distinct(each.scores).size for each in (changed, rankings)]
    return None if n_distinct[0] == n_distinct[1] else changed


def rescore(of: Callable[[Array], Array], rankings: Rankings) -> Rankings:
    return replace(rankings, scores=of(rankings.scores))


def negate(scores: Array) -> Array:
    """Return the opposite ranking, also of types that can't be negated."""
    return -np.unique(scores, return_inverse=True)[1]


def rank_by_order(scores: Array) -> Array:
    """Return minus the order of rows, as if it were the rank of each row."""
    return -np.argsort(negate(scores), kind="stable")


def cut_at(levels: Array, rankings: Rankings) -> Rankings | None:
    """Tie all probabilities between two thresholds, as torchmetrics compares scores with each."""
    if not are_probabilities(rankings):
        return None
    return regroup(lambda scores: np.searchsorted(levels, scores, side="right"), rankings)


def cut_below(n: int, rankings: Rankings) -> Rankings | None:
    """Tie all probabilities between two of n thresholds as Keras computes the place of a bin."""
    if not are_probabilities(rankings):
        return None
    return regroup(lambda scores: np.maximum(np.ceil(scores * (n - 1)) - 1, 0), rankings)


def are_probabilities(rankings: Rankings) -> bool:
    return bool(rankings.scores.min(initial=0) >= 0 and rankings.scores.max(initial=0) <= 1)


def cast(kind: str, scores: Array) -> Array:
    largest = np.finfo(kind).max
    return scores.astype(float).clip(-largest, largest).astype(kind)


def apply_sigmoid(rankings: Rankings) -> Rankings | None:
    """Do what torchmetrics does in single precision with scores that aren't all probabilities."""
    if are_probabilities(rankings):
        return regroup(partial(cast, "float32"), rankings)
    return regroup(lambda scores: expit(cast("float32", scores)), rankings)


def round_to(n_decimals: int, scores: Array) -> Array:
    return np.round(scores.astype(float), n_decimals)


def bin_as_spark(n_bins: int, scores: Array) -> Array:
    """Tie neighboring distinct scores, from the highest down, so that about n_bins remain."""
    distinct, places = np.unique(scores, return_inverse=True)
    return -((distinct.size - 1 - places) // max(distinct.size // n_bins, 1))


def tie_close(scores: Array) -> Array:
    """Tie chains of scores that are at most 1e-8 apart."""
    distinct, places = np.unique(scores, return_inverse=True)
    return np.cumsum(np.append(0, np.diff(distinct.astype(float)) > 1e-8))[places]


def has_ties(rankings: Rankings) -> bool:
    """Whether some samples without weights, which have orders, have equal scores."""
    return rankings.weight is None and find_distinct(rankings.scores).size < rankings.scores.size


def order_ties(by: Callable[[Rankings], Array], rankings: Rankings) -> Rankings | None:
    """Rank samples one by one, tied ones from the highest key down."""
    if not has_ties(rankings):
        return None
    order = np.lexsort((by(rankings), rankings.scores))
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size)
    return replace(rankings, scores=ranks)


def mark_ties(rankings: Rankings) -> Rankings | None:
    """Return the same data if some order of ties isn't known."""
    return rankings if has_ties(rankings) else None


# --- labels ---------------------------------------------------------------------------------------


def flip(rankings: Rankings) -> Rankings | None:
    if rankings.n_positives is not None or rankings.source == "classes":
        return None
    return replace(rankings, labels=~rankings.labels)


def flip_and_negate(rankings: Rankings) -> Rankings | None:
    other = flip(rankings)
    return other and rescore(negate, other)


def ignore_from_zero(rankings: Rankings) -> Rankings | None:
    """Take positives whose score is 0 or less for negatives, as torchmetrics' retrieval does."""
    labels = rankings.labels & (rankings.scores > 0)
    if rankings.n_positives is not None or labels.sum() == rankings.labels.sum():
        return None
    return replace(rankings, labels=labels)


def ignore_in_single(rankings: Rankings) -> Rankings | None:
    ignored = ignore_from_zero(rankings)
    return regroup(partial(cast, "float32"), rankings if ignored is None else ignored) or ignored


def swap_labels(rankings: Rankings) -> Rankings | None:
    """Return predicted labels as y_true, and labels as y_score."""
    if rankings.n_positives is not None:
        return None
    return replace(
        rankings, labels=predict_labels(rankings.scores), scores=rankings.labels.astype(int)
    )


def is_single(rankings: Rankings) -> bool:
    """Whether this is one ranking, all positives of which have scores."""
    return rankings.group_codes is None and rankings.n_positives is None


def stack_both_classes(are_apart: bool, rankings: Rankings) -> Rankings | None:
    """Rank the negatives by 1 - p, too: by themselves, or in one ranking with the positives."""
    if not is_single(rankings) or not are_probabilities(rankings):
        return None
    scores, weight, size = rankings.scores.astype(float), rankings.weight, rankings.scores.size
    return replace(
        rankings,
        labels=np.concatenate((rankings.labels, ~rankings.labels)),
        scores=np.concatenate((scores, 1 - scores)),
        weight=None if weight is None else np.tile(weight, 2),
        group_codes=np.repeat([0, 1], size) if are_apart else None,
        n_rankings=2 if are_apart else 1,
        source="classes",
    )


# --- groups, classes and weights ------------------------------------------------------------------


def pool(kind: str, rankings: Rankings) -> Rankings | None:
    if rankings.group_codes is None or rankings.source != kind:
        return None
    exist = None if rankings.n_positives is None else rankings.n_positives.sum(keepdims=True)
    return replace(rankings, group_codes=None, n_rankings=1, names=None, n_positives=exist)


def average_samples(rankings: Rankings) -> Rankings | None:
    is_flat = rankings.source == "classes" and rankings.group_codes is not None
    if not is_flat or rankings.n_positives is not None:
        return None
    n = rankings.scores.size // rankings.n_rankings
    return replace(rankings, group_codes=np.tile(np.arange(n), rankings.n_rankings), n_rankings=n)


def predict_classes(rankings: Rankings) -> Rankings | None:
    """Score the class that predict() returns 1, and all others 0."""
    is_flat = rankings.source == "classes" and rankings.group_codes is not None
    if not is_flat or rankings.n_positives is not None:
        return None
    of_classes = rankings.scores.reshape(rankings.n_rankings, -1)
    predicted = np.arange(rankings.n_rankings)[:, None] == of_classes.argmax(axis=0)
    return replace(rankings, scores=predicted.ravel().astype(int))


def take_class(place: int, rankings: Rankings) -> Rankings | None:
    if rankings.group_codes is None or rankings.n_positives is not None:
        return None
    kept = keep_rows(rankings, rankings.group_codes == place)
    return kept and replace(kept, group_codes=None, n_rankings=1)


def forget_missed(rankings: Rankings) -> Rankings | None:
    """Count only positives with scores, in groups that have rows."""
    if rankings.n_positives is None:
        return None
    present = leave_out_groups(rankings)
    found = rankings.labels if rankings.weight is None else rankings.weight[rankings.labels]
    if present is None and rankings.n_positives.sum() == found.sum():
        return None
    return replace(present or rankings, n_positives=None)


def leave_out_groups(rankings: Rankings) -> Rankings | None:
    """Leave out groups without rows."""
    if rankings.group_codes is None:
        return None
    present, codes = np.unique(rankings.group_codes, return_inverse=True)
    if present.size == rankings.n_rankings:
        return None
    exist = None if rankings.n_positives is None else rankings.n_positives[present]
    return replace(
        rankings, group_codes=codes, n_rankings=present.size, names=None, n_positives=exist
    )


def split_rows(n: int, rankings: Rankings) -> Rankings | None:
    """Make groups of n rows in their order."""
    size = rankings.scores.size
    if not is_single(rankings) or n >= size:
        return None
    group = np.arange(size) // n
    return replace(rankings, group_codes=group, n_rankings=int(group[-1]) + 1, source="batches")


def split_folds(n: int, rankings: Rankings) -> Rankings | None:
    """Make the groups that cross_val_score tests a classifier on."""
    from sklearn.model_selection import StratifiedKFold  # which takes long to import

    if not is_single(rankings) or np.bincount(rankings.labels, minlength=2).min() < n:
        return None
    fold = np.empty(rankings.scores.size, dtype=np.int64)
    for number, (_, test) in enumerate(StratifiedKFold(n).split(fold, rankings.labels)):
        fold[test] = number
    return replace(rankings, group_codes=fold, n_rankings=n, source="folds")


# --- rows -----------------------------------------------------------------------------------------


def mark_first(keys: Array) -> Array:
    is_first = np.zeros(keys.size, dtype=bool)
    is_first[np.unique(keys, return_index=True)[1]] = True
    return is_first


def keep_first_of_tied(rankings: Rankings) -> Rankings | None:
    return keep_rows(rankings, mark_first(number_ties(rankings)))


def keep_last_of_tied(rankings: Rankings) -> Rankings | None:
    return keep_rows(rankings, mark_first(number_ties(rankings)[::-1])[::-1])


def drop_duplicates(rankings: Rankings) -> Rankings | None:
    return keep_rows(rankings, mark_first(2 * number_ties(rankings) + rankings.labels))


def drop_best(rankings: Rankings) -> Rankings | None:
    """Leave out the sample with the highest score."""
    size = rankings.scores.size
    if rankings.group_codes is not None or not size:
        return None
    return keep_rows(rankings, np.arange(size) != np.argmax(rankings.scores))


def drop_low(rankings: Rankings) -> Rankings | None:
    """Leave out samples below 0.5, whose positives count as missed."""
    is_kept = rankings.scores >= 0.5
    if is_kept.all() or not is_single(rankings) or rankings.weight is not None:
        return None
    n_positives = np.array([rankings.labels.sum()])
    labels, scores = rankings.labels[is_kept], rankings.scores[is_kept]
    return replace(rankings, labels=labels, scores=scores, n_positives=n_positives)


# --- what is tried: tables, the most common first ------------------------------------------------

_N_THRESHOLDS = (
    (200, 1),
    (100, 1),
    (50, 2),
    (500, 2),
    (10, 2),
    (11, 2),
    (20, 2),
    (21, 2),
    (101, 2),
    (1000, 2),
    (1001, 2),
)
_BINS = "All scores between two thresholds are tied."
_BY_ROW = partial(order_ties, lambda rankings: -np.arange(rankings.scores.size))
_LAST_FIRST = partial(order_ties, lambda rankings: np.arange(rankings.scores.size))
_BEST = partial(order_ties, lambda rankings: rankings.labels)
_WORST = partial(order_ties, lambda rankings: ~rankings.labels)
_BOTH_APART = partial(stack_both_classes, True)
_BOTH_TOGETHER = partial(stack_both_classes, False)
_POSITIVE_SCORES = "positives with scores of 0 or less ignored"
_SINGLE = partial(regroup, partial(cast, "float32"))

# In which order tied samples are ranked, other than at one threshold
ORDERS = BY_ROW, LAST_ROW_FIRST, BEST, WORST = (
    Change("ties by row", _BY_ROW, 1, "Tied samples are ranked in the order of the rows."),
    Change("ties by row, last first", _LAST_FIRST, 2, extends="ties by row"),
    Change("ties best", _BEST, 2),
    Change("ties worst", _WORST, 2, "Among tied samples, the negatives come first."),
)
_OF_UNKNOWN = "Tied samples are ranked in an unknown order."
UNKNOWN_ORDER = Change("ties in any order", mark_ties, 9, _OF_UNKNOWN)

# What matters only if samples are tied
OF_TIES = (
    Change("only the first row with each score", keep_first_of_tied, 3),
    Change("only the last row with each score", keep_last_of_tied, 3),
)

# What matters only for scores beyond [0, 1], or for very close ones
READINGS = (
    Change("scores as float32", _SINGLE, 2, "Some scores are equal in single precision."),
    Change("scores closer than 1e-8 tied", partial(regroup, tie_close), 3),
    Change("scores clipped to [0, 1]", partial(regroup, lambda scores: np.clip(scores, 0, 1)), 2),
    Change("through a sigmoid", apply_sigmoid, 2),
    Change(_POSITIVE_SCORES, ignore_from_zero, 1),
    Change(f"{_POSITIVE_SCORES}, scores as float32", ignore_in_single, 1, extends=_POSITIVE_SCORES),
)

# What else changes one ranking
OF_RANKINGS = (
    Change("predict() instead of scores", partial(rescore, predict_labels), 1),
    Change("the other class is positive and scores are negated", flip_and_negate, 1),
    Change("labels from 0.5 on instead of scores", partial(rescore, lambda s: s >= 0.5), 2),
    Change("scores negated", partial(rescore, negate), 1),
    Change("the other class is positive", flip, 2),
    Change("mean over both classes", _BOTH_APART, 1, "The negatives are a class, too."),
    Change("both columns as one ranking", _BOTH_TOGETHER, 2, "The negatives are ranked, too."),
    *(
        Change(f"scores with {words}", partial(regroup, partial(round_to, n)), rarity)
        for n, words, rarity in (
            (2, "2 decimals", 1),
            (3, "3 decimals", 1),
            (4, "4 decimals", 2),
            (1, "1 decimal", 2),
        )
    ),
    *(
        Change(f"scores between {n} thresholds", partial(cut_at, levels), rarity, _BINS)
        for n, rarity in _N_THRESHOLDS
        for levels in [np.linspace(0, 1, n)]
    ),
    Change(
        "scores between 200 thresholds, those at one below it",  # as in Keras
        partial(cut_below, 200),
        1,
        _BINS,
        extends="scores between 200 thresholds",
    ),
    Change("scores as float16", partial(regroup, partial(cast, "float16")), 2),
    Change("scores in 1,000 bins", partial(regroup, partial(bin_as_spark, 1000)), 2),
    Change("ranked by the order of rows", partial(rescore, lambda s: -np.arange(s.size)), 2),
    Change("argsort() taken for ranks", partial(rescore, rank_by_order), 3),
    Change("labels and predict() swapped", swap_labels, 2),
    Change("without duplicated rows", drop_duplicates, 2),
    Change("without the row that has the highest score", drop_best, 3),
    Change("only scores from 0.5 on", drop_low, 3, "Positives with lower scores are missed."),
)

# What is done to groups, classes and whole data sets
_OF_ALL_ROWS = POOLED, POOLED_CLASSES, WITHOUT_MISSED, WITHOUT_EMPTY_GROUPS = (
    Change("all groups as one ranking", partial(pool, "groups"), 1, "All groups are one ranking."),
    Change("all classes as one ranking", partial(pool, "classes"), 1, "All classes are one."),
    Change("missed positives not counted", forget_missed, 1, "Only scored positives count."),
    Change("groups without rows left out", leave_out_groups, 1, "Groups without rows don't count."),
)
_OF_GROUPS = (
    *_OF_ALL_ROWS,
    Change("mean over rows, average='samples'", average_samples, 1),
    Change("the class with the highest score instead of scores", predict_classes, 1),
    *(
        Change(f"mean over {n} folds of StratifiedKFold", partial(split_folds, n), rarity)
        for n, rarity in ((5, 1), (10, 1), (3, 2))
    ),
    *(
        Change(f"mean over batches of {n} rows", partial(split_rows, n), 2)
        for n in (32, 64, 128, 256, 512, 100, 1000)
    ),
)


# What can be done to any data, the most common first
_OF_ANY_DATA = (*ORDERS, UNKNOWN_ORDER, *_OF_GROUPS, *OF_RANKINGS, *READINGS, *OF_TIES)
BY_WORDS = {each.words: each for each in _OF_ANY_DATA}


def list_changes(rankings: Rankings) -> list[Change]:
    """Return what may have been done to some data, but for its weights, the most common first."""
    changes = [*_OF_ANY_DATA]
    if rankings.source == "classes" and rankings.group_codes is not None:
        names = rankings.names or range(rankings.n_rankings)
        changes += [
            Change(f"class {name!r} alone", partial(take_class, place), 2)
            for place, name in enumerate(names)
        ]
    return changes
