"""The catalog of mistakes: what somebody ranks or returns instead of what a definition says.

Each of these is what a tool of PEERS does, or stands in public code. Audits try them on what a
function did with rankings, and `identify` on the rows of a data set; many are tried in both ways.
What is counted in another way is a rule (miscounted_rules.py, level_rules.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product, starmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit

from .._package import read_toml
from .._words.messages import format_count
from ..core.ragged import Array
from ..core.rankings import Rankings
from .call_log import Call, format_call_value
from .readings import RoundedScores, read_bins
from .tie_orders import Order
from .variant_rules import find_label_threshold

if TYPE_CHECKING:
    from .data_sets import DataSet

ChangeOfRows = Callable[[Array, Array], tuple[Array, Array]]  # of labels and scores
ChoiceOfRows = Callable[[Array, Array], Array]  # by labels and scores, which of them are kept
OtherCall = Callable[[Call], Call]

_MAX_ROUNDED_DECIMALS = 6
# What changes values by so little is likely a small number that is added to a denominator.
_MAX_EFFECT_OF_SMALL_NUMBER = 1e-5


def _always(data_set: DataSet) -> bool:
    return True


@dataclass(frozen=True, eq=False)
class Mistake:
    """What is ranked instead of what a definition is of, in the words of audits and of `identify`.

    After the `change` of a call, its value is that of the definition. A data set is ranked by
    `rank`, or as it is.
    """

    words: str = ""  # that an audit says
    template: str = "{name}, {words}"  # of a sentence, in which {name} stands for the definition
    change: OtherCall = lambda call: call
    reading: str = ""  # how scores are read, such as "clipped to [0, 1]"
    counts_all: bool = False  # whether it leaves out rows whose positives count in recall
    ending: str = ""  # of the name of a definition in `identify`
    rank: Callable[[DataSet], Rankings] | None = None
    can_matter: Callable[[DataSet], bool] = _always
    knows_positives: bool = False  # that exist in a data set, even if they have no scores
    is_of_tools: bool = False  # which cope so with weights, groups and missed positives
    cause: str = ""  # why it changes a value, in `explain`

    def phrase(self, name: str) -> str:
        """Return what is computed, of a definition with this name."""
        return self.template.format(name=name, words=self.words)


@dataclass(frozen=True, eq=False)
class ValueChange(Mistake):
    """What a function does to the value, which `undo` takes back."""

    undo: Callable[[Array], Array] = lambda values: values
    tolerance: float = 0.0  # of rounded values
    n_decimals: int = 0  # that rounded values have


# --- how mistakes are made -----------------------------------------------------------------------

NO_MISTAKE = Mistake(template="{name}", knows_positives=True)
SAME_VALUE = ValueChange(template="{name}")


def _change_rows(of: ChangeOfRows, words: str, **facts: Any) -> Mistake:
    """Return that other labels or scores are ranked."""
    change, rank = partial(_change_call, of), partial(_change_rankings, of)
    return Mistake(words, change=change, rank=rank, **facts)


def _change_call(of: ChangeOfRows, call: Call) -> Call:
    labels, scores = of(call.labels, call.scores)
    return call._replace(labels=labels.astype(call.labels.dtype), scores=scores)


def _change_rankings(of: ChangeOfRows, data_set: DataSet) -> Rankings:
    rankings = data_set.rankings
    labels, scores = of(rankings.labels, rankings.scores)
    return replace(rankings, labels=labels.astype(bool), scores=scores)


def _change_scores(of: Callable[[Array], Array], words: str, **facts: Any) -> Mistake:
    """Return that other scores are ranked, which are a function of the scores."""
    return _change_rows(lambda labels, scores: (labels, of(scores)), words, **facts)


def _reorder_rows(of: Callable[[Array], Array], words: str) -> Mistake:
    """Return that rows are ranked one by one, in an order which is a function of the scores."""
    return _change_rows(lambda labels, scores: (labels[of(scores)], -np.arange(labels.size)), words)


def _keep_rows(
    chooses: ChoiceOfRows, words: str, counts_all: bool = False, **facts: Any
) -> Mistake:
    """Return that only the chosen rows are ranked."""
    change = partial(_keep_rows_of_call, chooses, counts_all)
    rank = partial(_keep_rows_of_rankings, chooses)
    return Mistake(words, change=change, counts_all=counts_all, rank=rank, **facts)


def _keep_rows_of_call(chooses: ChoiceOfRows, counts_all: bool, call: Call) -> Call:
    """Leave out all rows but some; one negative row stands for none.

    `counts_all` tells that the positives of the others count in recall.
    """
    rows = chooses(call.labels, call.scores)
    kept = call._replace(labels=np.zeros(1, dtype=np.int64), scores=np.ones(1))
    if rows.any():
        kept = call._replace(labels=call.labels[rows], scores=call.scores[rows])
    return kept._replace(n_positives=int(call.labels.sum())) if counts_all else kept


def _keep_rows_of_rankings(chooses: ChoiceOfRows, data_set: DataSet) -> Rankings:
    rankings = data_set.rankings
    return rankings.take(chooses(rankings.labels, rankings.scores))


# --- scores --------------------------------------------------------------------------------------


def negate(scores: Array) -> Array:
    """Return negative scores, also of types that can't be negated."""
    return -np.unique(scores, return_inverse=True)[1]


def _flip(labels: Array) -> Array:
    """Return the labels of the other class."""
    return np.asarray(labels == 0)


NEGATED = _change_scores(negate, "of negated scores", ending="scores negated", knows_positives=True)
OTHER_CLASS = _change_rows(
    lambda labels, scores: (_flip(labels), scores),
    "with the other class as positive",
    ending="with the other class as positive",
)
OTHER_CLASS_NEGATED = _change_rows(
    lambda labels, scores: (_flip(labels), negate(scores)),
    "with the other class as positive, of negated scores",
    ending="with the other class as positive and scores negated",
)


def _predict(scores: Array) -> Array:
    return np.asarray(scores > find_label_threshold(scores))


def _predict_from(scores: Array) -> Array:
    return np.asarray(scores >= find_label_threshold(scores))


def _has_three_scores(data_set: DataSet) -> bool:
    return data_set.distinct_scores > 2


def _has_score_at_threshold(data_set: DataSet) -> bool:
    scores = data_set.rankings.scores
    return _has_three_scores(data_set) and find_label_threshold(scores) in scores


# By a threshold of 0.5 whatever the scores are
_PREDICTIONS_AT_HALF: dict[str, Callable[[Array], Array]] = {
    "labels, 1 above 0.5": lambda scores: scores > 0.5,
    "labels, 1 from 0.5 on": lambda scores: scores >= 0.5,
}
_PREDICTIONS_FROM = {"labels predicted with >=": _predict_from, **_PREDICTIONS_AT_HALF}
_PREDICTIONS = {"predicted labels": _predict, **_PREDICTIONS_FROM}  # as gentropy calls predict()
PREDICTED = _change_scores(
    _predict,
    "of predicted labels",
    ending="predict() instead of scores",
    can_matter=_has_three_scores,
    knows_positives=True,
)
PREDICTED_FROM = _change_scores(
    _predict_from,
    "of labels predicted with >=",
    ending="predict() with >= instead of scores",
    can_matter=_has_score_at_threshold,
    knows_positives=True,
)
MISTAKES_OF_LABELS = (
    *(PREDICTED, PREDICTED_FROM),
    *(_change_scores(of, f"of {words}") for words, of in _PREDICTIONS_AT_HALF.items()),
)


def _swap(predict: Callable[[Array], Array], labels: Array, scores: Array) -> tuple[Array, Array]:
    return predict(scores), labels.astype(np.int64)


_SWAPPED = _change_rows(
    partial(_swap, _predict),
    "with y_true and predicted labels swapped",
    ending="with labels and predict() swapped",
    can_matter=lambda data_set: data_set.has_plain_rows and data_set.distinct_scores > 2,
)
_ALL_SWAPPED = (
    _SWAPPED,
    *(
        _change_rows(partial(_swap, of), f"with y_true and {words} swapped")
        for words, of in _PREDICTIONS_FROM.items()
    ),
)

# What happens if an array isn't sorted, or is sorted by ranks instead of an order
_IGNORES_SCORES = "but it ranks by the order of rows"
ROWS_IN_ORDER = _change_scores(
    lambda scores: -np.arange(scores.size),
    _IGNORES_SCORES,
    ending="ranked by the order of rows",
)
ROWS_BACKWARDS = _reorder_rows(
    lambda scores: np.arange(scores.size)[::-1], f"{_IGNORES_SCORES}, the last one first"
)


def _rank_rows(scores: Array) -> Array:
    """Return the ranks of the rows, from 0 for the highest score."""
    return np.argsort(np.argsort(-scores, kind="stable"))


_ROWS_BY_INVERSE = _reorder_rows(
    _rank_rows, "but it ranks by the inverse permutation, argsort(argsort(y_score))"
)


def _cast_scores(kind: type, scores: Array) -> Array:
    with np.errstate(over="ignore"):
        return scores.astype(kind).astype(float)


def _misread(of: Callable[[Array], Array], reading: str, **facts: Any) -> Mistake:
    """Return that scores are read in another way, which only matters if they aren't from 0 to 1."""
    words = f"but the function reads scores {reading}"
    return _change_scores(of, words, reading=reading, **facts)


SINGLE_PRECISION = _change_scores(
    lambda scores: scores.astype(np.float32), "scores as float32", reading="in single precision"
)
READINGS = (
    SINGLE_PRECISION,
    _misread(  # as probabilities, in Keras
        lambda scores: np.clip(scores, 0, 1),
        "clipped to [0, 1]",
        ending="scores clipped to [0, 1]",
        can_matter=lambda data_set: not data_set.are_probabilities,
    ),
    _misread(expit, "through a sigmoid"),  # as logits: torchmetrics
    _misread(
        lambda scores: expit(scores.astype(np.float32)), "through a sigmoid in single precision"
    ),
    _misread(  # of differences, in methods of explanation
        np.abs,
        "without their signs",
        ending="scores without their signs",
        can_matter=lambda data_set: bool((data_set.rankings.scores < 0).any()),
    ),
    _misread(lambda scores: np.maximum(scores, 0), "with 0 for negative ones"),
    _change_rows(  # as torchmetrics' RetrievalMAP
        lambda labels, scores: (np.where(scores > 0, labels, 0), scores),
        "but the function reads scores without positives at 0 or below",
        reading="without positives at 0 or below",
    ),
    _keep_rows(  # by "if not score"
        lambda labels, scores: scores != 0,
        "but the function reads scores without rows whose score is 0",
        reading="without rows whose score is 0",
    ),
)

# What tied samples are sorted by
_ORDERS_OF_TIES: dict[Order, Callable[[Array], Array]] = {
    Order.BY_ROW: lambda labels: -np.arange(labels.size),
    Order.LAST_ROW_FIRST: lambda labels: np.arange(labels.size),
    Order.BEST: lambda labels: labels,  # as sorted(zip(y_score, y_true)) ranks them
    Order.WORST: lambda labels: -labels,
}


def _untie_rows(order: Order, labels: Array, scores: Array) -> Array:
    """Rank tied scores in an order."""
    rising = np.lexsort((_ORDERS_OF_TIES[order](labels), scores))
    ranks = np.empty(rising.size, dtype=np.int64)
    ranks[rising] = np.arange(rising.size)
    return ranks


def _untie(
    of: Callable[[Array], Array], order: Order, labels: Array, scores: Array
) -> tuple[Array, Array]:
    """Rank by a function of the scores, and what it ties in an order."""
    return labels, _untie_rows(order, labels, of(scores))


def _count_reached(n_thresholds: int, scores: Array) -> Array:
    """Return how many of n thresholds each score reaches."""
    with np.errstate(invalid="ignore"):  # of infinite scores
        thresholds = np.linspace(scores.max(), scores.min(), n_thresholds)
    return n_thresholds - np.searchsorted(-thresholds, -scores)


_ROUNDED_SCORES = [*map(RoundedScores, range(1, 5))]
_BINS_OF_TOOLS = {
    bins for block in read_toml("compat/peers.toml")["peers"] for bins in read_bins(block)
}
# Functions of the scores that tie some of them: scores as CSV files have them, casts that save
# memory, and the thresholds of torchmetrics and Keras
_GROUPINGS: dict[str, Callable[[Array], Array]] = {
    **{each.words: each.read for each in _ROUNDED_SCORES},
    **{
        f"scores between {n} thresholds from the lowest to the highest": partial(_count_reached, n)
        for n in (10, 100)
    },
    "scores in half precision": partial(_cast_scores, np.float16),
    **{
        each.words: each.read
        for each in sorted(_BINS_OF_TOOLS, key=lambda each: (each.n_thresholds, each.goes_up))
    },
}
_GROUPED_SCORES = (
    *MISTAKES_OF_LABELS,
    *(_change_scores(of, f"of {words}") for words, of in _GROUPINGS.items()),
    *(
        _change_rows(partial(_untie, of, order), f"of {words}{order.ending}")
        for order, (words, of) in product(_ORDERS_OF_TIES, (_PREDICTIONS | _GROUPINGS).items())
    ),
)

# --- rows ----------------------------------------------------------------------------------------


def is_end_of_tie(scores: Array, step: int) -> Array:
    """Whether each row is the first one with its score, or the last one if the step is -1."""
    _, places = np.unique(scores[::step], return_index=True)
    return np.isin(np.arange(scores.size)[::step], places)


def _keep_one_of_tied(step: int, which: str) -> Mistake:
    words = f"of only the {which} row with each score"
    return _keep_rows(
        lambda labels, scores: is_end_of_tie(scores, step),
        words,
        ending=words,
        can_matter=_has_repeated_scores,
    )


def _has_repeated_scores(data_set: DataSet) -> bool:
    return data_set.has_plain_rows and data_set.distinct_scores < data_set.rankings.n_rows


# As rows without duplicates of a score, or a dict by score
DROPPED_TIES = (_keep_one_of_tied(1, "first"), _keep_one_of_tied(-1, "last"))


def _is_first_of_equal(labels: Array, scores: Array) -> Array:
    """Whether each row is the first one with its label and score."""
    number = np.unique(scores, return_inverse=True)[1]
    first = np.unique(2 * number + labels, return_index=True)[1]
    return np.isin(np.arange(scores.size), first)


# Which untied rankings don't have
_DISTINCT = _keep_rows(
    _is_first_of_equal, "", ending="without duplicated rows", can_matter=_has_repeated_scores
)


def _is_not_best(labels: Array, scores: Array) -> Array:
    """Whether a row isn't the first one of the highest score, unless there is no other row."""
    is_kept = np.ones(scores.size, dtype=bool)
    is_kept[np.argmax(scores)] = scores.size == 1
    return is_kept


def _is_not_worst(labels: Array, scores: Array) -> Array:
    """Whether a row isn't the last one of the lowest score, unless there is no other row."""
    return _is_not_best(labels, negate(scores[::-1]))[::-1]


_WITHOUT_BEST_WORDS = "without the row that has the highest score"
_WITHOUT_WORST_WORDS = "without the row that has the lowest score"
_WITHOUT_BEST = _keep_rows(  # off by one, as curves without their first or last point
    _is_not_best,
    _WITHOUT_BEST_WORDS,
    ending=_WITHOUT_BEST_WORDS,
    can_matter=lambda data_set: data_set.has_plain_rows and data_set.rankings.n_rows > 1,
)
_WITHOUT_AN_END = (
    _WITHOUT_BEST,
    _keep_rows(_is_not_best, f"{_WITHOUT_BEST_WORDS}, which counts if it's positive", True),
    _keep_rows(_is_not_worst, _WITHOUT_WORST_WORDS),
    _keep_rows(_is_not_worst, f"{_WITHOUT_WORST_WORDS}, which counts if it's positive", True),
)

# --- classes, groups and weights -----------------------------------------------------------------


def _stack_calls(call: Call) -> Call:
    labels = np.concatenate((call.labels, 1 - call.labels))
    return call._replace(labels=labels, scores=np.concatenate((call.scores, 1 - call.scores)))


def _stack_columns(are_apart: bool, data_set: DataSet) -> Rankings:
    """Rank the negatives by 1 - p, too: by themselves, or in one ranking with the positives."""
    rankings = data_set.rankings
    scores = rankings.scores.astype(float)
    size, weight = scores.size, rankings.weight
    return replace(
        rankings,
        labels=np.concatenate([rankings.labels, ~rankings.labels]),
        scores=np.concatenate([scores, 1 - scores]),
        weight=None if weight is None else np.tile(weight, 2),
        group=np.repeat([0, 1], size) if are_apart else None,
        names=["positives", "negatives"] if are_apart else None,
    )


OF_OTHER_CLASS = OTHER_CLASS_NEGATED.change
# Both columns of predict_proba, as in scikit-learn's macro average and in its micro average
BOTH_CLASSES = Mistake(
    "The mean of the value over both classes",
    "The mean of {name} over both classes",
    ending="mean over both classes",
    rank=partial(_stack_columns, True),
    can_matter=attrgetter("has_both_columns"),
    cause="the negatives, ranked by 1 minus their scores, count as a class, too",
)
BOTH_COLUMNS = Mistake(
    "of both classes in one ranking, with the negatives ranked by 1 minus their scores",
    "{name} {words}",
    change=_stack_calls,
    ending="both columns of probabilities as one ranking",
    rank=partial(_stack_columns, False),
    can_matter=attrgetter("has_both_columns"),
    cause="the negatives, ranked by 1 minus their scores, count in the same ranking",
)


def _pool_groups(data_set: DataSet) -> Rankings:
    return replace(data_set.rankings, group=None, names=None, average="binary")


def _aggregate_groups(of_highest: bool, data_set: DataSet) -> Rankings:
    """Rank the groups by their highest or mean score. Those with a positive are positive."""
    rankings = data_set.rankings
    group = rankings.group_of_rows
    scores = rankings.scores.astype(float)
    if of_highest:
        of_groups = np.full(group.max() + 1, -np.inf)
        np.maximum.at(of_groups, group, scores)
    else:
        of_groups = np.bincount(group, scores) / np.bincount(group)
    labels = np.bincount(group, rankings.labels) > 0
    return Rankings(labels, of_groups, None, "binary")


_ONE_ROW_PER_GROUP = "each group is one row, positive if it has a positive"
POOLED = Mistake(
    ending="all rows as one ranking",
    rank=_pool_groups,
    can_matter=attrgetter("is_grouped"),
    is_of_tools=True,
    cause="scores are compared between the groups, not only inside each",
)
HIGHEST_OF_GROUP = Mistake(
    ending="one row per group with its highest score",
    rank=partial(_aggregate_groups, True),
    can_matter=attrgetter("has_plain_groups"),
    cause=_ONE_ROW_PER_GROUP,
)
MEAN_OF_GROUP = Mistake(
    ending="one row per group with its mean score",
    rank=partial(_aggregate_groups, False),
    can_matter=attrgetter("has_plain_groups"),
    cause=_ONE_ROW_PER_GROUP,
)
UNWEIGHTED = Mistake(
    ending="weights left out",
    rank=lambda data_set: data_set.every_row or data_set.rankings,
    # Without weights, it is not known what is missed.
    can_matter=lambda data_set: data_set.is_weighted and data_set.rankings.n_positives is None,
    is_of_tools=True,
    cause="every sample counts as 1, whatever its weight is",
)
RETRIEVED = Mistake(
    ending="groups without rows left out",
    rank=attrgetter("retrieved"),
    can_matter=attrgetter("has_unretrieved"),
    knows_positives=True,
    is_of_tools=True,
)
FOUND_ONLY = Mistake(
    ending="missed positives not counted",
    rank=attrgetter("retrieved"),
    can_matter=attrgetter("misses_positives"),
    is_of_tools=True,
)

# --- what is tried -------------------------------------------------------------------------------

# With all definitions, by audits
MISTAKES = (
    *(NEGATED, OTHER_CLASS, OTHER_CLASS_NEGATED, ROWS_IN_ORDER, ROWS_BACKWARDS, _ROWS_BY_INVERSE),
    *(*_GROUPED_SCORES, *_WITHOUT_AN_END, *_ALL_SWAPPED, BOTH_COLUMNS),
)
# With the rows of a data set, by `identify`
MISTAKES_WITH_ROWS = (
    *(NEGATED, OTHER_CLASS, OTHER_CLASS_NEGATED, PREDICTED, PREDICTED_FROM),
    *(POOLED, UNWEIGHTED, RETRIEVED, FOUND_ONLY, HIGHEST_OF_GROUP, MEAN_OF_GROUP),
    *(BOTH_CLASSES, BOTH_COLUMNS, ROWS_IN_ORDER, _WITHOUT_BEST, _DISTINCT, *DROPPED_TIES),
    *(reading for reading in READINGS if reading.ending),
    _SWAPPED,
)


def list_highest(k: int) -> Iterator[Mistake]:
    """Yield that only the k highest scores count, as the 100 of pycocotools."""
    for counts_all, more in ((True, ""), (False, ", and of the positives among them")):
        yield _keep_rows(
            lambda labels, scores: _rank_rows(scores) < k,
            f"of the {k:,} highest scores{more}",
            counts_all,
        )


def list_turned_tops(k: int) -> Iterator[Mistake]:
    """Yield that argsort(y_score)[-k:] ranks the k highest scores, the lowest of them first."""
    for order in (Order.BY_ROW, Order.LAST_ROW_FIRST):
        words = f"with the top {k:,} in reverse order{order.ending}"
        yield _change_rows(partial(_turn_top, k, order), words)


def _turn_top(k: int, order: Order, labels: Array, scores: Array) -> tuple[Array, Array]:
    ranks = labels.size - 1 - _untie_rows(order, labels, scores)
    return labels, np.where(ranks < k, ranks - k, -ranks - k)


def list_ends(n_rows: int) -> Iterator[Mistake]:
    """Yield that only the first or last rows count, as after head() or tail()."""
    yield _keep_rows(
        lambda labels, scores: np.arange(labels.size) < n_rows, f"of the first {n_rows:,} rows"
    )
    yield _keep_rows(
        lambda labels, scores: np.arange(labels.size) >= labels.size - n_rows,
        f"of the last {n_rows:,} rows",
    )


def list_left_out(t: float) -> Iterator[Mistake]:
    """Yield that rows below a threshold of scores are left out, as detectors leave out boxes."""
    for is_kept, where in ((np.greater_equal, "below"), (np.greater, "up to")):
        for counts_all, more in ((False, ""), (True, ", whose positives count")):
            yield _keep_rows(
                partial(_is_above, is_kept, t),
                f"but the function leaves out rows with scores {where} {t:g}{more}",
                counts_all,
            )


def _is_above(
    is_kept: Callable[[Array, float], Any], t: float, labels: Any, scores: Array
) -> Array:
    return np.asarray(is_kept(scores, t))


def make_swapped(change: OtherCall) -> Mistake:
    """Return that the function takes the scores first."""
    words = "but the function takes its arguments in the other order: y_score, y_true"
    return Mistake(words, change=change)


# --- values --------------------------------------------------------------------------------------

NEGATED_VALUE = ValueChange("times -1", "{name} {words}", undo=lambda values: -values)
_PERCENT = ValueChange(
    "in percent, so 100 times the value", "{name} {words}", undo=lambda values: values / 100
)
_LOSS = ValueChange("1 minus the value", "1 minus {name}", undo=lambda values: 1 - values)


def list_value_changes(values: Array) -> Iterator[ValueChange]:
    """Yield what may have been done to these values."""
    yield SAME_VALUE
    if (values > 1).any():
        yield _PERCENT
    yield _LOSS
    if (values < 0).any():  # a scorer of greater_is_better=False
        yield NEGATED_VALUE
    for n_decimals in range(1, _MAX_ROUNDED_DECIMALS + 1):
        if np.allclose(values, np.round(values, n_decimals), rtol=0, atol=1e-12, equal_nan=True):
            unit, decimals = 10.0**-n_decimals, format_count(n_decimals, "decimals")
            make = partial(ValueChange, tolerance=unit / 2 + 1e-12, n_decimals=n_decimals)
            yield make(f"rounded to {decimals}")
            # What was cut off is between 0 and the unit, so half of the unit in the middle.
            yield make(f"cut to {decimals}", undo=partial(np.add, unit / 2))
            return


def make_multiple(factor: float) -> ValueChange:
    """Return that values are multiplied."""
    words = f"times {format_call_value(factor)}"
    return ValueChange(words, "{name} {words}", undo=lambda values: values / factor)


def make_deviation(largest: float) -> Mistake:
    """Return that values are off by a little."""
    words = f"but values are off by up to {format_call_value(largest)}"
    if largest < _MAX_EFFECT_OF_SMALL_NUMBER:
        words += " (as by a small number in a denominator)"
    return Mistake(f"{words} in the rankings tried without ties")


# --- weights -------------------------------------------------------------------------------------


class WeightMistake(NamedTuple):
    """What a function does to weights."""

    words: str
    change: Callable[[Call, Any], Any]

    def apply(self, call: Call) -> Call:
        return call._replace(weights=self.change(call, call.weights))


IGNORED_WEIGHTS = WeightMistake("they are ignored", lambda call, weights: np.ones(weights.size))
_WEIGHT_FUNCTIONS: dict[str, Callable[[Call, Any], Any]] = {
    "they are cut to whole numbers": lambda call, weights: np.trunc(weights),
    "they are rounded to whole numbers": lambda call, weights: np.round(weights),
    "they only tell which samples count": lambda call, weights: (weights > 0).astype(float),
    "they aren't sorted with the scores": lambda call, weights: weights[_rank_rows(call.scores)],
    "those of negatives are ignored": lambda call, weights: np.where(call.labels, weights, 1),
    "those of positives are ignored": lambda call, weights: np.where(call.labels, 1, weights),
}
WEIGHT_MISTAKES = (IGNORED_WEIGHTS, *starmap(WeightMistake, _WEIGHT_FUNCTIONS.items()))
SINGLE_USES_OF_WEIGHTS = (
    WeightMistake("they count in recall only", IGNORED_WEIGHTS.change),
    WeightMistake("they count in precision only", IGNORED_WEIGHTS.change),
)
