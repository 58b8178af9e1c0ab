"""What a function may do instead of a definition: to the ranking, or to the value.

Each of these is what a tool of PEERS does, or stands in public code. What is counted in another way
is a rule (`Miscounted`). What rankings have, such as ties, limits what is said of a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from .._words.messages import format_count
from ..core.ragged import Array
from .call_log import Call, format_call_value
from .data_sets import RoundedScores, Slip, ThresholdBins, is_end_of_tie, negate
from .peers import PEERS
from .variant_rules import find_label_threshold

# Features by the noun of what they count
_FEATURES: dict[str, Callable[[Call], int]] = {
    "samples": lambda call: call.labels.size,
    "positives": lambda call: int(call.labels.sum()),
    "negatives": lambda call: int((1 - call.labels).sum()),
    "samples with one score": lambda call: int(np.unique(call.scores, return_counts=True)[1].max()),
    "negatives for each positive": lambda call: int((1 - call.labels).sum() // call.labels.sum()),
}

# A single ranking has the most or the least of most features by accident, but not of samples.
_MIN_RANKINGS_OF_FEATURE = 2
OtherCall = Callable[[Call], Call]

_MAX_ROUNDED_DECIMALS = 6
# What changes values by so little is likely a small number that is added to a denominator.
_MAX_EFFECT_OF_SMALL_NUMBER = 1e-5


class FeatureLimit(NamedTuple):
    """The least or the most that rankings have of a feature."""

    feature: str
    limit: int
    is_least: bool

    def __str__(self) -> str:
        if self.is_least:
            return f"with {self.limit:,} {self.feature} or more"
        return f"with at most {format_count(self.limit, self.feature)}"


def find_limit(calls: Sequence[Call], differs: Array) -> FeatureLimit | None:
    """Return the limit that tells exactly the rankings that differ, if any feature has one."""
    if not differs.any() or differs.all() or not all(call.labels.any() for call in calls):
        return None
    for feature, count in _FEATURES.items():
        if feature != "samples" and np.count_nonzero(differs) < _MIN_RANKINGS_OF_FEATURE:
            continue
        counts = np.array([count(call) for call in calls])
        if counts[differs].min() > counts[~differs].max():
            return FeatureLimit(feature, int(counts[differs].min()), is_least=True)
        if counts[differs].max() < counts[~differs].min():
            return FeatureLimit(feature, int(counts[differs].max()), is_least=False)
    return None


@dataclass(frozen=True)
class Mistake:
    """What a function does to a ranking, in words in which {name} stands for the definition.

    After the change of a call, its value is that of the definition.
    """

    words: str
    change: OtherCall = lambda call: call
    reading: str = ""  # how scores are read, such as "clipped to [0, 1]"
    counts_all: bool = False  # whether it leaves out rows whose positives count in recall

    @property
    def short(self) -> str:
        """The words without the definition."""
        if not self.words.startswith("{name}"):
            return self.words.format(name="the value")
        return self.words.removeprefix("{name}").removeprefix(",").strip()


NO_MISTAKE = Mistake("{name}")


@dataclass(frozen=True)
class ValueChange(Mistake):
    """What a function does to the value, which `undo` takes back."""

    undo: Callable[[Array], Array] = lambda values: values
    tolerance: float = 0.0  # of rounded values
    n_decimals: int = 0  # that rounded values have


SAME_VALUE = ValueChange("{name}")


def _replace_scores(of: Callable[[Array], Array], call: Call) -> Call:
    """Rank by other scores, which are a function of the scores."""
    return call._replace(scores=of(call.scores))


def _reorder_rows(of: Callable[[Array], Array], call: Call) -> Call:
    """Rank the rows one by one, in an order which is a function of the scores."""
    return call._replace(labels=call.labels[of(call.scores)], scores=-np.arange(call.labels.size))


def _swap_predicted(predict: Callable[[Array], Array], call: Call) -> Call:
    labels = predict(call.scores).astype(np.int64)
    return call._replace(labels=labels, scores=call.labels.astype(float))


def _stack_classes(call: Call) -> Call:
    labels = np.concatenate((call.labels, 1 - call.labels))
    return call._replace(labels=labels, scores=np.concatenate((call.scores, 1 - call.scores)))


def _rank_rows(scores: Array) -> Array:
    """Return the ranks of the rows, from 0 for the highest score."""
    return np.argsort(np.argsort(-scores, kind="stable"))


def _untie_rows(order: str, labels: Array, scores: Array) -> Array:
    """Rank tied scores in an order."""
    rising = np.lexsort((_ORDERS_OF_TIES[order](labels), scores))
    return np.argsort(rising)


# What tied samples are sorted by
_ORDERS_OF_TIES: dict[str, Callable[[Array], Array]] = {
    ", ties by row": lambda labels: -np.arange(labels.size),
    ", ties by row, last first": lambda labels: np.arange(labels.size),
    ", ties best": lambda labels: labels,  # as sorted(zip(y_score, y_true)) ranks them
    ", ties worst": lambda labels: -labels,
}


def _cast_scores(kind: type, scores: Array) -> Array:
    with np.errstate(over="ignore"):
        return scores.astype(kind).astype(float)


def _keep_rows(chooses: Callable[[Call], Array], counts_all: bool, call: Call) -> Call:
    """Leave out all rows but some; one negative row stands for none.

    `counts_all` tells that the positives of the others count in recall.
    """
    rows = chooses(call)
    kept = call._replace(labels=np.zeros(1, dtype=np.int64), scores=np.ones(1))
    if rows.any():
        kept = call._replace(labels=call.labels[rows], scores=call.scores[rows])
    return kept._replace(n_positives=int(call.labels.sum())) if counts_all else kept


def _is_above(is_kept: Callable[[Array, float], Any], t: float, call: Call) -> Array:
    return np.asarray(is_kept(call.scores, t))


def _is_among_first(n_rows: int, call: Call) -> Array:
    return np.arange(call.labels.size) < n_rows


def _is_among_last(n_rows: int, call: Call) -> Array:
    return np.arange(call.labels.size) >= call.labels.size - n_rows


def _is_among_highest(k: int, call: Call) -> Array:
    return _rank_rows(call.scores) < k


def _keeps_one_of_tie(step: int, call: Call) -> Array:
    return is_end_of_tie(call.scores, step)


def _is_not_at(rank: int, call: Call) -> Array:
    """Whether a row isn't the one at a rank, unless there is no other row."""
    n_rows = call.labels.size
    return np.asarray((_rank_rows(call.scores) != rank % n_rows) | (n_rows == 1))


def _turn_top(k: int, order: str, call: Call) -> Call:
    ranks = call.labels.size - 1 - _untie_rows(order, call.labels, call.scores)
    return call._replace(scores=np.where(ranks < k, ranks - k, -ranks - k))


def _leave_out(words: str, chooses: Callable[[Call], Array], counts_all: bool) -> Mistake:
    """Return that only the chosen rows are ranked."""
    return Mistake(words, partial(_keep_rows, chooses, counts_all), counts_all=counts_all)


# --- how scores are read -------------------------------------------------------------------------


def _make_misreading(reading: str, change: OtherCall) -> Mistake:
    return Mistake(f"{{name}}, but the function reads scores {reading}", change, reading)


# These only matter to scores that are not from 0 to 1.
_SCORE_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "clipped to [0, 1]": lambda scores: np.clip(scores, 0, 1),  # as probabilities, in Keras
    "through a sigmoid": expit,  # as logits: torchmetrics
    "through a sigmoid in single precision": lambda scores: expit(scores.astype(np.float32)),
    "without their signs": np.abs,  # of differences, in methods of explanation
    "with 0 for negative ones": lambda scores: np.maximum(scores, 0),
}
SINGLE_PRECISION = Mistake(
    "{name}, scores as float32",
    partial(_replace_scores, lambda scores: scores.astype(np.float32)),
    "in single precision",
)
READINGS = (
    SINGLE_PRECISION,
    *(
        _make_misreading(reading, partial(_replace_scores, function))
        for reading, function in _SCORE_FUNCTIONS.items()
    ),
    _make_misreading(  # as torchmetrics' RetrievalMAP
        "without positives at 0 or below",
        lambda call: call._replace(labels=np.where(call.scores > 0, call.labels, 0)),
    ),
    _make_misreading(  # by "if not score"
        "without rows whose score is 0", partial(_keep_rows, lambda call: call.scores != 0, False)
    ),
)

# As rows without duplicates of a score, or a dict by score
DROPPED_TIES = [
    _leave_out(f"{{name}}{slip.value}", partial(_keeps_one_of_tie, step), counts_all=False)
    for slip, step in ((Slip.FIRST_OF_TIED, 1), (Slip.LAST_OF_TIED, -1))
]

# --- what is tried with all definitions ----------------------------------------------------------

NEGATED = Mistake("{name}, of negated scores", partial(_replace_scores, negate))
OTHER_CLASS = Mistake(
    "{name}, with the other class as positive", lambda call: call._replace(labels=1 - call.labels)
)
OTHER_CLASS_NEGATED = Mistake(
    "{name}, with the other class as positive, of negated scores",
    lambda call: call._replace(labels=1 - call.labels, scores=negate(call.scores)),
)
_IGNORES_SCORES = "{name}, but it ranks by the order of rows"
# What happens if an array isn't sorted, or is sorted by ranks instead of an order
_ROW_ORDERS: dict[str, Callable[[Array], Array]] = {
    _IGNORES_SCORES: lambda scores: np.arange(scores.size),
    f"{_IGNORES_SCORES}, the last one first": lambda scores: np.arange(scores.size)[::-1],
    "{name}, but it ranks by the inverse permutation, argsort(argsort(y_score))": _rank_rows,
}
ROWS_IN_ORDER, ROWS_BACKWARDS, _ROWS_BY_INVERSE = (
    Mistake(words, partial(_reorder_rows, order)) for words, order in _ROW_ORDERS.items()
)
_THRESHOLDS = {peer.reading for peer in PEERS if isinstance(peer.reading, ThresholdBins)}


def _count_reached(n_thresholds: int, scores: Array) -> Array:
    """Return how many of n thresholds each score reaches."""
    with np.errstate(invalid="ignore"):  # of infinite scores
        thresholds = np.linspace(scores.max(), scores.min(), n_thresholds)
    return n_thresholds - np.searchsorted(-thresholds, -scores)


# Functions of the scores that tie some of them: predict() as gentropy calls it, or a threshold of
# 0.5 whatever the scores are, scores as CSV files have them, casts that save memory, and the
# thresholds of torchmetrics and Keras
_PREDICTIONS: dict[str, Callable[[Array], Array]] = {
    "predicted labels": lambda scores: 1.0 * (scores > find_label_threshold(scores)),
    "labels predicted with >=": lambda scores: 1.0 * (scores >= find_label_threshold(scores)),
    "labels, 1 above 0.5": lambda scores: 1.0 * (scores > 0.5),
    "labels, 1 from 0.5 on": lambda scores: 1.0 * (scores >= 0.5),
}
_GROUPINGS: dict[str, Callable[[Array], Array]] = {
    **_PREDICTIONS,
    **{each.value.removeprefix(", "): each.read for each in map(RoundedScores, range(1, 5))},
    **{
        f"scores between {n} thresholds from the lowest to the highest": partial(_count_reached, n)
        for n in (10, 100)
    },
    "scores in half precision": partial(_cast_scores, np.float16),
    **{
        each.value.removeprefix(", "): each.read
        for each in sorted(_THRESHOLDS, key=lambda each: (each.n_thresholds, each.goes_up))
    },
}


def _group_scores(of: Callable[[Array], Array], order: str, call: Call) -> Call:
    """Rank by a function of the scores, and what it ties in an order."""
    scores = of(call.scores)
    return call._replace(scores=_untie_rows(order, call.labels, scores) if order else scores)


_GROUPED_SCORES = [
    Mistake(f"{{name}}, of {words}{order}", partial(_group_scores, of, order))
    for order, (words, of) in product(("", *_ORDERS_OF_TIES), _GROUPINGS.items())
]
MISTAKES_OF_LABELS = tuple(_GROUPED_SCORES[: len(_PREDICTIONS)])
MISTAKES = (
    *(NEGATED, OTHER_CLASS, OTHER_CLASS_NEGATED, ROWS_IN_ORDER, ROWS_BACKWARDS, _ROWS_BY_INVERSE),
    *_GROUPED_SCORES,
    *(  # off by one, as curves without their first or last point
        _leave_out(
            f"{{name}}, without the row that has the {end} score{more}",
            partial(_is_not_at, rank),
            counts_all,
        )
        for end, rank in (("highest", 0), ("lowest", -1))
        for counts_all, more in ((False, ""), (True, ", which counts if it's positive"))
    ),
    *(
        Mistake(f"{{name}}, with y_true and {words} swapped", partial(_swap_predicted, of))
        for words, of in _PREDICTIONS.items()
    ),
    Mistake(  # both columns of predict_proba, as in scikit-learn's micro average
        "{name} of both classes in one ranking, with the negatives ranked by 1 minus their scores",
        _stack_classes,
    ),
)

# --- what depends on the values ------------------------------------------------------------------

SWAPPED_ARGUMENTS = (
    "{name}, but the function takes its arguments in the other order: y_score, y_true"
)
# Both columns of predict_proba, as in scikit-learn's macro average
MEAN_OF_CLASSES = Mistake("The mean of {name} over both classes")
OF_OTHER_CLASS = OTHER_CLASS_NEGATED.change


def list_highest(k: int) -> Iterator[Mistake]:
    """Yield that only the k highest scores count, as the 100 of pycocotools."""
    for counts_all, more in ((True, ""), (False, ", and of the positives among them")):
        words = f"{{name}}, of the {k:,} highest scores{more}"
        yield _leave_out(words, partial(_is_among_highest, k), counts_all)


def list_turned_tops(k: int) -> Iterator[Mistake]:
    """Yield that argsort(y_score)[-k:] ranks the k highest scores, the lowest of them first."""
    for order in [*_ORDERS_OF_TIES][:2]:  # by row
        change = partial(_turn_top, k, order)
        yield Mistake(f"{{name}}, with the top {k:,} in reverse order{order}", change)


def list_ends(n_rows: int) -> Iterator[Mistake]:
    """Yield that only the first or last rows count, as after head() or tail()."""
    for where, chooses in (("first", _is_among_first), ("last", _is_among_last)):
        words = f"{{name}}, of the {where} {n_rows:,} rows"
        yield _leave_out(words, partial(chooses, n_rows), counts_all=False)


def list_left_out(t: float) -> Iterator[Mistake]:
    """Yield that rows below a threshold of scores are left out, as detectors leave out boxes."""
    for is_kept, where in ((np.greater_equal, "below"), (np.greater, "up to")):
        for counts_all, more in ((False, ""), (True, ", whose positives count")):
            words = f"{{name}}, but the function leaves out rows with scores {where} {t:g}{more}"
            yield _leave_out(words, partial(_is_above, is_kept, t), counts_all)


def list_value_changes(values: Array) -> Iterator[ValueChange]:
    """Yield what may have been done to these values."""
    yield SAME_VALUE
    if (values > 1).any():
        yield ValueChange("{name} in percent, so 100 times the value", undo=lambda x: x / 100)
    yield ValueChange("1 minus {name}", undo=lambda x: 1 - x)  # a loss
    if (values < 0).any():  # a scorer of greater_is_better=False
        yield ValueChange("{name} times -1", undo=lambda x: -x)
    for n_decimals in range(1, _MAX_ROUNDED_DECIMALS + 1):
        if np.allclose(values, np.round(values, n_decimals), rtol=0, atol=1e-12, equal_nan=True):
            unit, decimals = 10.0**-n_decimals, format_count(n_decimals, "decimals")
            make = partial(ValueChange, tolerance=unit / 2 + 1e-12, n_decimals=n_decimals)
            yield make(f"{{name}}, rounded to {decimals}")
            # What was cut off is between 0 and the unit, so half of the unit in the middle.
            restore = partial(np.add, unit / 2)
            yield make(f"{{name}}, cut to {decimals}", undo=restore)
            return


def make_multiple(factor: float) -> ValueChange:
    """Return that values are multiplied."""
    words = f"{{name}} times {format_call_value(factor)}"
    return ValueChange(words, undo=lambda values: values / factor)


def make_deviation(largest: float) -> Mistake:
    """Return that values are off by a little."""
    words = f"{{name}}, but values are off by up to {format_call_value(largest)}"
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
