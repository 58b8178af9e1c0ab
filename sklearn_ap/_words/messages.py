"""How warnings are given once and point to the caller, and words that errors share."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import datetime
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from .._arrays.host import find_library, has
from ..core.cutoff import Cut
from ..core.ragged import Array
from .refusals import CREATE_AGAIN_REMEDY, Refusal

T = TypeVar("T")

# The words of scikit-learn.
NO_WEIGHT = "Sample weights must contain at least one non-zero number."
NO_POSITIVES_IN_LABELS = "No positive class found in y_true"  # filters look for this beginning

_CLOSE_TO_FRACTION = 1e-9


def make_no_samples_error() -> ValueError:
    wrong = "Found array with 0 sample(s) in y_true while a minimum of 1 is required."
    return ValueError(Refusal(wrong, remedy=CREATE_AGAIN_REMEDY))


@contextmanager
def set_variable(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Give a variable a value within this context."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


# --- warnings -------------------------------------------------------------------------------------


def warn_of_weighed_k(cut: Cut | None, weight: Array | None) -> None:
    """Warn if k counts weight, which makes a difference, and the caller did not pass `k_counts`.

    Both readings are common: weights can be numbers of equal samples, or amounts of money. For a
    count they differ unless all weights are 1, and for a fraction unless the weights are equal.
    """
    if cut is None or not cut.has_default_counts or weight is None or not weight.size:
        return
    lightest, heaviest = weight.min(), weight.max()
    if lightest == heaviest and (cut.is_share or lightest == 1):
        return
    of_the, meaning = "", "a total weight, not a number of rows"
    if cut.is_share:
        of_the, meaning = " of the", "a fraction of the total weight, not of the rows"
    warn(
        f"k={cut} counts weight, because sample_weight was passed without k_counts: it is "
        f"{meaning}. Pass k_counts='weight' to keep this, if a sample of weight 3 stands for three "
        f"equal samples, or k_counts='samples' to count the first {cut}{of_the} samples "
        "regardless of weight, as for class weights or amounts of money."
    )


_MIN_ROWS_OF_EVENTS = 20
_MAX_GROUPS_PER_ROW = 0.9  # warn if there are more groups than this fraction of the rows


def warn_of_own_groups(
    cut: Cut | None, names: Sequence[Any] | Array, n_groups: int, n_rows: int
) -> None:
    """Warn if k counts samples of groups most of which have only one, as times of events do.

    The names may also be those of groups without rows, which aren't among the `n_groups`.
    """
    if cut is None or cut.is_share or cut.k <= 1:
        return
    if n_rows < _MIN_ROWS_OF_EVENTS or n_groups <= _MAX_GROUPS_PER_ROW * n_rows:
        return
    advice = "Is this the right column? Pass one that many rows share, such as a user or a day."
    if isinstance(names[0], datetime | np.datetime64):
        advice = (
            "The groups are times. To group by day, pass the date of each time, as in "
            "times.dt.date (a Series of pandas), times.date (a DatetimeIndex), times.dt.date() "
            "(polars) or times.astype('M8[D]') (NumPy)."
        )
    warn(
        f"Nearly every row is a group of its own, with {n_groups:,} groups for {n_rows:,} rows, so "
        f"k={cut} leaves nothing out. {advice}",
        "own groups",
    )


def warn_of_heavy_negatives(
    weight: float, clusters: str | None = None, by_group: bool = False
) -> None:
    """Warn if a few negatives of this weight determine a value. The weight is 0 if they don't.

    If only `clusters` make negatives heavy, the weight is how many of them a cluster has. With
    `by_group`, they determine the value of each group, of which the value is a mean.
    """
    if not weight:
        return
    if clusters:
        warn(
            f"A few {clusters}, each with about {weight:.3g} negatives of high prediction scores, "
            "largely determine this value. Evaluate more clusters to get a reliable value."
        )
    elif by_group:
        warn(
            f"A few negatives of weight {weight:.3g} largely determine the value of each group. If "
            "other negatives were dropped at random, the groups' values are probably too high, and "
            "so is their mean, by more than the interval allows for: more groups don't remove the "
            "bias. Keep all negatives with high prediction scores in each group, with "
            "weight 1, and subsample only the others."
        )
    else:
        warn(describe_heavy_negatives(weight))


def describe_heavy_negatives(weight: float) -> str:
    return (
        f"A few negatives of weight {weight:.3g} largely determine this value. If other "
        "negatives were dropped at random, it is probably too high. Keep all negatives with high "
        "prediction scores, with weight 1, and subsample only the others."
    )


_MAX_WEIGHT_RATIO = 1.25  # warn if positives with low scores weigh more than this times as much


def warn_of_heavy_missed(ratio: float, what: str, min_recall: float, error: float) -> None:
    """Warn that a promised recall may be broken if positives of low scores weigh more."""
    if ratio > _MAX_WEIGHT_RATIO:
        warn(
            f"{what} with low prediction scores are heavier: those in the lower half weigh "
            f"{ratio:.3g} times as much as those in the upper half, on average. The data may lack "
            f"the heaviest ones that the threshold misses, so min_recall={min_recall:g} may fail "
            f"more often than {error:.3g}. Collect more positives, or leave a margin: pass a "
            "higher confidence_level."
        )


_MAX_QUERY_ROWS = 1000  # rows, more than those of usual queries


def warn_of_one_hit(what: str, n_rows: float, n_found: float) -> None:
    """Warn about the first positive of a ranking that looks like those of many queries."""
    if n_rows > _MAX_QUERY_ROWS and n_found > 1:
        warn(
            f"{what} looks for the first positive of one ranking, but data has {n_rows:,.0f} rows "
            f"with {n_found:,.0f} positives. If they belong to queries or users, pass "
            "groups=, the column that names these.",
            "one hit",
        )


LOST = "Did a filter or a join lose them, or did an earlier call read the source of the data?"


def warn_of_no_rows() -> None:
    warn(f"There are no rows, so no positives were found. {LOST}", "no rows")


def warn_of_equal_decimals() -> None:
    """Warn that different decimals are the same float."""
    warn(
        "Different prediction scores have become equal, because decimals are converted to float64, "
        "which has about 16 digits. Pass integers or ranks instead if more digits matter.",
        "decimals",
    )


def describe_two_scores(called: str, scores: Sequence[Any] | Array) -> str:
    """Return the warning about a model whose scores look like predicted classes."""
    return (
        f"The model{called} has only the prediction scores {scores[0]} and {scores[1]}. Are these "
        "predicted classes? Pass what predict_proba or decision_function returns, not predict. If "
        "the model itself gives only two scores, as a decision tree can, ignore this."
    )


def describe_equal_scores(called: str, score: Any) -> str:
    """Return the warning about prediction scores that are all the label of one class."""
    return (
        f"All prediction scores{called} are {score}, as if by random guessing. Are these predicted "
        "classes? A model can predict one class only. Pass what predict_proba or decision_function "
        "returns, not predict."
    )


def warn_of_other_order(columns: Iterable[tuple[str, Any]]) -> None:
    """Warn if Series or DataFrames have the same index values in different orders.

    Rows are paired by position, as in scikit-learn. A column can be a mapping of models to their
    scores.
    """
    different: list[tuple[str, Any]] = []  # the first column of each index, and the index
    for name, index in _list_row_indexes(columns):
        if any(index.is_(earlier) for _, earlier in different):
            continue
        for first, first_index in different:
            if _are_reordered(first_index, index):
                return _warn_of_order(first, first_index, name, index)
        different.append((name, index))


def _list_row_indexes(columns: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield the names of Series and DataFrames, and their indexes.

    Prediction scores with pandas' default index come from an array, so their index says nothing
    about their order.
    """
    for name, column in columns:
        series_by_name = {name: column}
        if isinstance(column, Mapping):
            series_by_name = {f"{name}[{model!r}]": column[model] for model in column}
        for called, series in series_by_name.items():
            index: Any = series.index if has(type(series), "iloc") else None
            if find_library(index) != "pandas":
                continue
            is_range = type(index).__name__ == "RangeIndex"
            is_default = is_range and index.start == 0 and index.step == 1
            if not (is_default and name.startswith("y_score")):
                yield called, index


def _are_reordered(first: Any, second: Any) -> bool:
    """Whether two indexes of one type have the same values in different orders."""
    if len(first) != len(second) or first.dtype != second.dtype or first.equals(second):
        return False
    try:
        return bool(first.sort_values().equals(second.sort_values()))
    except TypeError:  # the values don't compare
        return False


def _warn_of_order(first: str, first_index: Any, second: str, second_index: Any) -> None:
    """Warn about two columns, whose names these are, and their indexes."""
    names = dict.fromkeys([*first_index.names, *second_index.names])
    levels = ", ".join(repr(name) for name in names if name is not None)
    levels = f" ({levels})" if levels else ""
    if first_index.is_unique:
        advice = f"To pair rows by their index, pass {second}.reindex({first}.index)."
    else:
        advice = (
            "Some values occur more than once, so the index can't pair the rows. Sort both by "
            "columns that identify each row."
        )
    warn(
        f"{first} and {second} have the same index values{levels} in different orders, but rows "
        f"are paired by position. {advice} To pair them by position without this warning, pass "
        f"{second}.to_numpy().",
        "the order of rows",
    )


def warn_no_positives(where: str) -> None:
    """Warn that a recall is undefined: everywhere, or in some groups."""
    words = f"{NO_POSITIVES_IN_LABELS}{where}, recall is set to one for all thresholds."
    warn(words, category=UndefinedMetricWarning)


_given_warnings: ContextVar[set[str] | None] = ContextVar("_given_warnings", default=None)


def warning_once() -> AbstractContextManager[None]:
    """Give each warning only once within this context, for any number of models and metrics."""
    return set_variable(_given_warnings, set()) if _given_warnings.get() is None else nullcontext()


PREDICTED, ONLY_LABEL = "predicted labels", "only label"  # subjects of warnings


# What gets warnings in place of the caller.
_handle_warning: ContextVar[Callable[[str, type[Warning]], None] | None] = ContextVar(
    "_handle_warning", default=None
)


def redirect_warnings(
    function: Callable[[str, type[Warning]], None],
) -> AbstractContextManager[None]:
    """Call a function with the words and the category of each warning, unless it was given before,
    instead of issuing it.
    """
    return set_variable(_handle_warning, function)


def suppress_warning(subject: str) -> AbstractContextManager[None]:
    """Don't warn about a subject that the caller has checked."""
    return set_variable(_given_warnings, {subject, *(_given_warnings.get() or ())})


def warn(message: str, subject: str = "", category: type[Warning] = UserWarning) -> None:
    """Issue a warning that points to the line that called the package.

    Within `warning_once`, only the first warning about a subject is given, if it has one.
    """
    given, handle = _given_warnings.get(), _handle_warning.get()
    if given is not None and (subject or message) in given:
        return
    if handle is not None:
        return handle(message, category)
    if given is not None:
        given.add(subject or message)
    inside = __name__.partition(".")[0], "contextlib"  # which `attribute_errors` needs
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in inside:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def format_small_fraction(value: float, most_parts: int = 12) -> str:
    """Write a value as a fraction if it's a small one that six decimals don't hold: 1/3."""
    if not np.isfinite(value) or abs(value - round(value, 6)) < _CLOSE_TO_FRACTION:
        return ""
    fraction = Fraction(value).limit_denominator(most_parts)
    return f"{fraction}" if abs(fraction - value) < _CLOSE_TO_FRACTION else ""


def format_mass(mass: float) -> str:
    """Format a number of rows, or their weight, which may not be whole."""
    mass = float(mass)
    in_full = mass < 1e15 and (mass >= 1000 or mass.is_integer())
    return f"{mass:,.0f}" if in_full else f"{mass:.4g}"


_PLURALS_OF_IE = "ties", "movies", "cookies"


def make_singular(things: str) -> str:
    """Return the singular of an English plural: positives, losses, boxes, queries, ties."""
    if things.endswith("ies") and things not in _PLURALS_OF_IE:
        return f"{things[:-3]}y"
    if things.endswith(("sses", "xes", "zes", "ches", "shes")):
        return things[:-2]
    return things.removesuffix("s")


def format_count(number: float, what: str) -> str:
    """Format a count with its noun: 1 positive, 2 positives, 1 cluster with positives."""
    things, *besides = what.split(" ")
    if number == 1:
        things = make_singular(things)
    return " ".join([f"{number:,}", things, *besides])
