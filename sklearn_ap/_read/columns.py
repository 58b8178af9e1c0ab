"""Validation of what belongs to each sample: prediction scores, weights and counts of positives."""

from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from math import inf, isfinite, nan
from numbers import Real
from typing import Any, NoReturn, TypeGuard

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_non_negative

from .._arrays.conversion import (
    as_matrix,
    as_numbers,
    convert_decimals,
    find_header,
    get_first_vector,
    make_exact_array,
    with_nulls,
)
from .._arrays.host import find_library, to_host
from .._inputs.records import PositiveClass
from .._words.messages import NO_WEIGHT, warn_of_equal_decimals
from .._words.parameters import format_list, format_name, format_value, is_mapping, is_mass
from .._words.refusals import (
    ONE_CLASS_REMEDY,
    RANK_LAST_REMEDY,
    ErrorContext,
    Refusal,
    Rows,
    attribute_errors,
    make_nan_error,
)
from ..core.numbering import Name
from ..core.ragged import Array
from ..core.rankings import Names, Rankings
from ..core.tolerances import MAX_EXACT_INTEGER, SUM_TOLERANCE
from .checks_in_turn import check_array, column_or_1d

LOWEST_SCORE = "-1e38"  # which float32 has, too

# --- scores ------------------------------------------------------------------------------------


def read_scores(
    y_score: Any, positive: PositiveClass, score_names: Sequence[Name] | None = None
) -> tuple[Array, bool]:
    """Check that there is one finite prediction score per sample.

    Scores are compared exactly, so nothing is rounded here but decimals, which become the nearest
    floats. `score_names` are the names of the columns of y_score, if several were passed. Also
    return whether different decimals have become equal scores.
    """
    scores = y_score if type(y_score) is np.ndarray else as_numbers(y_score)
    if _is_plain(scores) and scores.ndim == 1 and _are_finite(scores):
        return np.asarray(scores), False
    return _read_other_scores(y_score, positive, score_names)


@attribute_errors("y_score")
def _read_other_scores(
    y_score: Any, positive: PositiveClass, score_names: Sequence[Name] | None
) -> tuple[Array, bool]:
    """Read scores as `read_scores` does, but of any type, or refuse them."""
    if not _is_plain(y_score) and (as_decimals := convert_decimals(y_score)):
        return _check_finite(as_decimals.floats), as_decimals.are_merged
    scores = with_nulls(as_numbers(y_score))
    if not (_is_plain(scores) and scores.ndim == 1):
        if vector := get_first_vector(y_score):
            _refuse_vectors(vector)
        check_one_column(scores, positive, score_names)
        scores = _read_real(column_or_1d(_convert_exactly(scores)))
    return _check_finite(scores), False


def _refuse_vectors(vector: Mapping[Any, Any]) -> NoReturn:
    """Refuse a column of vectors. This is the first one, by the names or indexes of its entries."""
    first = vector if any(isinstance(key, str) for key in vector) else [*vector.values()]
    raise ValueError(
        "y_score must contain numbers, but it is a column of vectors, such as "
        f"{format_value(first)}. Take the entry of the positive class."
    )


def _convert_exactly(listed: Any) -> Any:
    """Make an array of a list without rounding, and return everything else unchanged."""
    return make_exact_array(listed) if isinstance(listed, list | tuple) else listed


def _is_plain(array: object) -> TypeGuard[Array]:
    return type(array) is np.ndarray and array.dtype.kind in "fiub" and array.dtype.itemsize <= 8


@attribute_errors("y_true", "y_score")
def read_score_columns(y_score: Any, labels: Array, classes: Sequence[Name] | None) -> Array:
    """Check that there is one finite prediction score per sample and class.

    `labels` and the scores have the shape (n_samples, n_classes). `classes` are the names of the
    columns of labels, None if these have no names.
    """
    if np.ndim(y_score) == 3:
        raise ValueError(
            f"Found array with dim 3 in y_score, of shape {np.shape(y_score)}. Pass one column of "
            "probabilities for each output, as np.column_stack([p[:, 1] for p in y_score])."
        )
    if classes is not None and np.shape(y_score) != labels.shape:
        advice = ""
        if np.ndim(y_score) == 1 and all(isinstance(label, Real) for label in classes):
            advice = " If they are grades, pass min_grade=."
        wrong = (
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={np.shape(y_score)}` for the classes "
            f"{classes}. It needs one column for each class. If some classes are not in "
            f"y_true, pass all of them as classes=.{advice}"
        )
        raise ValueError(Refusal(wrong, remedy=ONE_CLASS_REMEDY))
    scores: Array = as_matrix(y_score)
    if not (_is_plain(scores) and scores.ndim == 2 and scores.size and _are_finite(scores)):
        scores = _read_matrix(scores)
    check_lengths(y_true=labels, y_score=scores)
    if scores.shape != labels.shape:
        raise ValueError(
            f"y_score has shape {scores.shape}, but y_true has shape {labels.shape}: y_score needs "
            "one column for each column of y_true."
        )
    return scores


@attribute_errors("y_score")
def _read_matrix(scores: Array) -> Array:
    """Read scores of any type, of shape (n_samples, n_classes)."""
    try:
        checked = check_array(_convert_exactly(scores), dtype=None)
    except ValueError as error:
        words = f"y_score: {str(error).removesuffix('.')}."
        advice = _advise_on_ranking_last(np.asarray(scores))
        subject = "y_score: Input"
        raise locate_error(ValueError(words), scores, subject, *advice) from None
    return _check_finite(_read_real(checked))


def _read_real(scores: Array) -> Array:
    """Return scores as numbers of NumPy, or of Python if NumPy's would round them.

    Refuse what can't be ranked without rounding, such as long doubles and text.
    """
    if _is_plain(scores):
        return scores
    if scores.dtype.kind == "f":  # a long double
        with np.errstate(over="ignore"):
            floats = scores.astype(np.float64)
        if np.array_equal(floats, scores, equal_nan=True):
            return floats
    if scores.dtype.kind != "O":
        _refuse_other_than_numbers(scores, "y_score")
    types = set(map(type, scores.flat))
    if types.isdisjoint({np.longdouble, np.timedelta64}):
        if all(issubclass(kind, float | np.floating) for kind in types):
            return scores.astype(np.float64)
        if all(issubclass(kind, Real | Decimal) for kind in types):
            return _convert_mixed_decimals(scores) if Decimal in types else _to_python(scores)
    _refuse_other_than_numbers(scores, "y_score")


# Numbers of NumPy would round the numbers that they are compared with. Those of Python stay as they
# are, because large integers would not fit into a float.
_to_python: Any = np.frompyfunc(lambda n: n.item() if isinstance(n, np.generic) else n, 1, 1)
_to_float: Any = np.frompyfunc(lambda n: nan if n.is_nan() else float(n), 1, 1)
_is_decimal: Any = np.frompyfunc(lambda n: isinstance(n, Decimal), 1, 1)


def _convert_mixed_decimals(scores: Array) -> Array:
    """Convert decimals among other numbers, or in several columns, to floats.

    Integers beside them stay Python's.
    """
    numbers, are_decimals = _to_python(scores), _is_decimal(scores).astype(bool)
    exact_values = numbers[are_decimals]
    floats = _to_float(exact_values)
    if not any(map(is_missing, floats)) and len(set(floats)) < len(set(exact_values)):
        warn_of_equal_decimals()
    numbers[are_decimals] = floats
    are_floats = all(isinstance(number, float) for number in numbers.flat)
    return np.asarray(numbers.astype(np.float64) if are_floats else numbers)


def _refuse_other_than_numbers(column: Array, name: str) -> NoReturn:
    """Refuse the values of an argument with this name, and say what they are instead."""
    if where := locate_missing(column):
        wrong = f"{name} must contain numbers, but it contains missing values."
        refusal = Refusal(wrong, where=where, missing="NaN")
        if name == "y_score":
            known = column[[not is_missing(value) for value in column]]
            refusal.advice, refusal.remedy = _advise_on_ranking_last(known)
        raise ValueError(refusal)
    besides = ""
    if name == "y_score":
        if words := _describe_unusual_scores(column):
            raise ValueError(words)
        if column.dtype.kind in "OSU":
            besides = _ADVICE_ON_LABELS
    raise ValueError(
        f"{name} must contain numbers, but its dtype is {column.dtype}. Convert your data "
        f"to numeric values explicitly instead.{besides}"
    )


def _describe_unusual_scores(scores: Array) -> str:
    """Say what to do with scores that can be ranked, but are no usual numbers; empty if there are
    others.
    """
    if scores.dtype.kind == "f" or np.longdouble in set(map(type, scores.flat)):
        return (
            "y_score contains long doubles that float64 can't represent exactly. Round them with "
            "np.asarray(y_score).astype(float), if it doesn't matter that close ones become equal."
        )
    if scores.dtype.kind in "mM":
        first = "longer" if scores.dtype.kind == "m" else "later"
        return (
            f"y_score must contain numbers, but it contains times ({scores.dtype}). To "
            f"rank {first} ones higher, pass np.asarray(y_score).astype('int64')."
        )
    times = date | time | timedelta | np.datetime64 | np.timedelta64
    if all(isinstance(score, times) for score in scores.flat):
        return (
            "y_score must contain numbers, but it contains times, such as "
            f"{format_value(scores.flat[0])}. Convert them to numbers in one unit, such as "
            "seconds, where higher numbers rank first."
        )
    return ""


def _check_finite(scores: Array) -> Array:
    """Return the scores if they are finite. Objects are numbers of Python, or None."""
    kind = scores.dtype.kind
    if kind == "f" and not _are_finite(scores):
        where = locate_rows(~np.isfinite(scores))
        if np.isnan(scores).any():
            raise make_nan_error("Input y_score", where, *_advise_on_ranking_last(scores))
        refusal = Refusal(
            f"Input y_score contains infinity or a value too large for {scores.dtype!r}.",
            where=where,
        )
        largest = float(np.abs(scores[np.isfinite(scores)]).max(initial=0))
        largest_float = float(np.finfo(scores.dtype).max)
        if largest < abs(float(LOWEST_SCORE)) < largest_float:  # not of float16
            refusal.advice = (
                f" To rank these rows first and last, replace inf by {LOWEST_SCORE[1:]} and -inf "
                f"by {LOWEST_SCORE}, as in np.clip(y_score, {LOWEST_SCORE}, {LOWEST_SCORE[1:]})."
            )
        raise ValueError(refusal)
    if kind == "O":
        flags = [is_missing(number) or abs(number) == inf for number in scores.ravel()]
        not_finite = np.array(flags, dtype=bool).reshape(scores.shape)
        if not_finite.any():
            wrong = "Input y_score contains NaN or infinity."
            raise ValueError(Refusal(wrong, where=locate_rows(not_finite)))
    return scores


def _advise_on_ranking_last(scores: Array) -> tuple[str, str]:
    """Say how to rank rows without a score last, with an example if floats can have the scores,
    and return that this is the remedy.

    Both are empty if `scores`, which may contain the missing ones, aren't all above `LOWEST_SCORE`.

    Libraries turn integers beside missing values into floats, so large floats without a fraction
    may have been integers, which floats would round.
    """
    try:
        floats = scores.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return "", ""
    floats = floats[np.isfinite(floats)]
    if floats.min(initial=0) <= float(LOWEST_SCORE):
        return "", ""
    has_fractions = bool((floats % 1).any())
    are_exact = has_fractions or np.abs(floats).max(initial=0) <= MAX_EXACT_INTEGER
    rank_last = " To rank these rows last, rather than leave them out, give them a score"
    return f"{rank_last} {describe_lowest_score(are_exact)}", RANK_LAST_REMEDY


def describe_lowest_score(has_example: bool) -> str:
    """Describe the score that ranks a row last."""
    example = f", such as {LOWEST_SCORE}" if has_example else ""
    return (
        f"below all others{example}. If a lower score means more positive, change the sign first."
    )


def advise_on_unscored_in_errors() -> ErrorContext:
    """Advise to leave out rows without a score, where `n_positives` counts what wasn't returned."""

    def tell(refusal: Refusal) -> None:
        if refusal.remedy == RANK_LAST_REMEDY:
            refusal.advice = (
                " Leave these rows out: n_positives counts the positives among them, "
                "and what wasn't returned has no rank."
            )

    return ErrorContext(tell)


def locate_error(error: Exception, values: Any, subject: str, *advice: str) -> Exception:
    """Say where values are missing, infinite or negative, if an error of scikit-learn says so."""
    if "contains NaN" in str(error):
        where = locate_missing(np.asarray(values))
        return make_nan_error(subject, where, *advice)
    with np.errstate(over="ignore"):
        if "contains infinity" in str(error):
            where = locate_rows(np.isinf(np.asarray(values, dtype=float)))
            return ValueError(Refusal(str(error), where=where))
    if "Negative values" in str(error):
        where = locate_rows(np.asarray(values, dtype=float) < 0)
        return ValueError(Refusal(str(error), where=where))
    return error


def is_missing(name: object) -> bool:
    """Whether it is None, nan, NaT or NA, or a tuple that contains one of the last three."""
    if isinstance(name, tuple):
        return any(is_missing(item) for item in name if item is not None)
    try:
        return name is None or bool(name != name)
    except (TypeError, ArithmeticError):  # for pandas.NA, and for a signaling nan of Decimal
        return True


def locate_missing(values: Array) -> Rows | None:
    """Return in how many rows values are missing, and which is the first."""
    rows = np.atleast_1d(np.asarray(values, dtype=object))
    rows = rows.reshape(len(rows), -1)
    return locate_rows(np.array([any(map(is_missing, row)) for row in rows]))


def locate_rows(concerned: Array) -> Rows | None:
    """Return in how many rows a mask is true, and which is the first.

    The mask has the shape (n_rows,) or (n_rows, n_columns).
    """
    rows = np.flatnonzero(concerned.reshape(len(concerned), -1).any(axis=1))
    return Rows(int(rows[0]), rows.size, len(concerned)) if rows.size else None


def read_column(array: Any, name: str) -> Array:
    """Return a column of any library as an array of shape (n_rows,). `name` is the argument."""
    column = as_numbers(array)
    if find_library(column) == "polars":  # whose `__array__` cuts off null characters at ends
        column = column.to_numpy()
    elif find_library(column) == "pyarrow":
        column = with_nulls(column)
    if _is_plain(column) and column.ndim == 1:
        return np.asarray(column)
    try:
        return np.asarray(column_or_1d(column))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def check_lengths(**columns: Any) -> None:
    """Check that columns have as many samples, in the words of scikit-learn, and name them.

    They are passed by the names of their arguments, and can be None.
    """
    with attribute_errors(*columns):
        try:
            check_consistent_length(*columns.values())
        except ValueError as error:
            sizes = [f"{len(c)} in {name}" for name, c in columns.items() if hasattr(c, "__len__")]
            raise ValueError(f"{error}. There are {' and '.join(sizes)}.") from None


def _are_finite(numbers: Array) -> bool:
    if numbers.dtype.kind != "f":
        return True
    with np.errstate(all="ignore"):  # the sum of large floats overflows
        return bool(np.isfinite(numbers.sum()) or np.isfinite(numbers).all())


_ADVICE_ON_LABELS = (  # for prediction scores that are text
    " Are these labels? y_score needs what predict_proba or decision_function returns, not predict."
)
# The last layer of a network may add the same number to both logits of a sample.
_ADVICE_ON_LOGITS = (
    " If these are logits, subtract the other column from it: one alone ranks differently."
)
_ADVICE_ON_LACKING_CLASSES = (
    " If the problem is multiclass and y_true merely lacks some classes, pass classes= to a "
    "function that has this parameter."
)


def check_one_column(
    y_score: Any, positive: PositiveClass, score_names: Sequence[Name] | None = None
) -> None:
    """Refuse several columns of scores for a binary target, and say which one to pass.

    `score_names` are their names, if they were read from a table.
    """
    shape = np.shape(y_score)
    if len(shape) != 2 or shape[1] < 2:
        return
    if positive.min_grade is None:
        column = _describe_positive_column(positive.label, y_score, score_names)
        advice = f"Pass the column of the positive class, as {column}."
        advice += _ADVICE_ON_LOGITS if shape[1] == 2 else _ADVICE_ON_LACKING_CLASSES
    else:
        advice = (
            "If these are the probabilities of a classifier, add up those of the grades that "
            f"count, as proba[:, model.classes_ >= {positive.min_grade!r}].sum(axis=1)."
        )
    with attribute_errors("y_score", "models"):
        raise ValueError(
            f"y should be a 1d array, got an array of shape {shape} instead. y_true is binary, so "
            f"y_score needs one score for each sample. {advice}"
        )


def _describe_positive_column(
    pos_label: Name, y_score: Any, score_names: Sequence[Name] | None
) -> str:
    """Say how to select the column of the positive class from those of a table or an array.

    `score_names` are columns that the caller named. Otherwise, y_score may have names itself.
    """
    header_names = find_header(y_score)
    names = score_names if header_names is None else header_names
    if names is None:
        rows = "y_score.iloc[:, " if hasattr(y_score, "iloc") else "y_score[:, "
        column = f"{rows}list(model.classes_).index({pos_label!r})]"
        return f"{rows}1] for classes 0 and 1, or {column}" if pos_label == 1 else column
    like_label = [
        name for name in names if not list_spellings(name).isdisjoint(list_spellings(pos_label))
    ]
    ways = [
        f"y_score={name!r}" if header_names is None else f"y_score[{name!r}]"
        for name in like_label or names[:5]
    ]
    if not like_label and len(names) > len(ways):
        ways.append("...")
    which = "if that" if len(ways) == 1 else "whichever"
    return f"{' or '.join(ways)}, {which} is the column of the label {pos_label!r}"


def list_spellings(label: Any) -> set[str]:
    """Return how a label can be written as the name of a column: 2 and 2.0 are "2" or "2.0"."""
    is_whole = isinstance(label, Real) and not isinstance(label, bool) and label == label // 1
    return {f"{int(label)}", f"{int(label)}.0"} if is_whole else {f"{label}"}


# --- weights and counts ------------------------------------------------------------------------


@attribute_errors("sample_weight")
def read_weight(sample_weight: Any, labels: Array, scores: Array, may_vanish: bool) -> Array:
    """Check weights. They become int64 if all of them are integers, and float64 otherwise.

    There is a weight for each row, also if `labels` have several columns. All weights can be 0 only
    if they `may_vanish`.
    """
    name = "sample_weight"
    as_decimals = convert_decimals(sample_weight)
    column = as_decimals.floats if as_decimals else read_column(sample_weight, name)
    if column.dtype.kind == "O":
        are_numbers = all(isinstance(number, Real | Decimal) for number in column)
    else:
        are_numbers = column.dtype.kind in "biufc"  # complex ones are refused below
    if not are_numbers:
        _refuse_other_than_numbers(column, name)
    if not len(labels) == len(scores) == len(column):
        check_lengths(y_true=labels, y_score=scores, sample_weight=column)
    if not column.size:
        return np.zeros(0, dtype=np.int64)

    weight = column.astype(np.float64, copy=False) if _is_plain(column) else column
    is_usable = weight.dtype == np.float64 and weight.min() >= 0
    mass = _sum(weight) if is_usable else inf
    if not isfinite(mass):  # which scikit-learn explains, if it isn't only the sum
        try:
            weight = check_array(column, ensure_2d=False, dtype=np.float64, input_name=name)
            check_non_negative(weight, f"`{name}`")
        except ValueError as error:
            raise locate_error(error, column, f"Input {name}") from None
        mass = _sum(weight)
    if labels.ndim == 2:
        mass *= labels.shape[1]  # cells of the matrix per weight
    check_mass(mass)
    if mass == 0 and not may_vanish:
        raise ValueError(NO_WEIGHT)
    return to_integers_if_whole(weight, mass)


def to_integers_if_whole(weight: Any, mass: float | None = None) -> Array:
    """Convert weights to int64 if all of them are integers. `mass` is their sum, if known."""
    mass = _sum(weight) if mass is None else mass
    # If the sum is not an integer, some weights are not, so skip the check of each weight.
    if mass < MAX_EXACT_INTEGER and mass.is_integer() and np.array_equal(weight, np.floor(weight)):
        return np.asarray(weight, dtype=np.int64)
    return np.asarray(weight)


def _sum(weight: Array) -> float:
    with np.errstate(over="ignore"):
        return float(weight.sum())


@attribute_errors("sample_weight")
def check_mass(mass: float) -> None:
    if not isfinite(mass):
        raise ValueError(
            "The sum of sample_weight is too large for float64. Scale the weights down."
        )


def read_n_positives(
    n_positives: Any, rankings: Rankings, weighted: bool, label_names: Any = None
) -> Array:
    """Check how many positives exist: one count for a single ranking, or one for each of several.

    `label_names` are the names of the columns of y_true, if it has names. Without them, a mapping
    has the classes in `rankings.names` as keys. Return one count per ranking.
    """
    if rankings.average in ("binary", "micro"):
        return read_one_count(n_positives, rankings.names, weighted)
    n_rows, n_columns = rankings.labels.shape
    by_row = rankings.average == "samples"
    size, kind = (n_rows, "rows") if by_row else (n_columns, "columns")
    names = rankings.names if label_names is None else list(label_names)
    may_be_named = not isinstance(n_positives, Mapping) or names is not None
    if is_mapping(n_positives) and not by_row and may_be_named:
        n_positives = _sort_counts_by_column(names, n_positives)
    _check_shape(n_positives, (size,), f"one number for each of the {size} {kind}")
    numbers = read_column(n_positives, "n_positives")
    return read_counts(numbers.tolist(), rankings.names, weighted)


@attribute_errors("n_positives")
def check_counts_are_named(
    n_positives: Any, classes: Sequence[Name], score_names: Sequence[Name]
) -> None:
    """Refuse counts that could be in the order of the columns as well as in that of the values."""
    if n_positives is None or (not np.ndim(n_positives) and not is_mapping(n_positives)):
        return
    if is_mapping(n_positives) and {name for name, _ in n_positives.items()} == {*classes}:
        return
    raise ValueError(
        f"n_positives={format_value(n_positives)} doesn't say which count belongs to which class: "
        f"the columns of y_score are called {score_names}, but values are sorted by class. Pass a "
        "mapping from each class to its count, such as "
        f"{{{format_list(classes, '{!r}: ...'.format, limit=3)}}}."
    )


def read_one_count(n_positives: Any, names: Names | None, weighted: bool) -> Array:
    """Check how many positives a single ranking has. `names` has its name for errors, if any."""
    _check_shape(n_positives, (), "one number")
    return read_counts([n_positives], names, weighted)


def _check_shape(n_positives: Any, shape: tuple[int, ...], needed: str) -> None:
    """Refuse counts of another shape, of which `needed` says what they should be."""
    if isinstance(n_positives, Mapping):
        raise ValueError(
            "n_positives is a mapping, but there are no groups. Pass groups= too, or the number of "
            "positives instead of a mapping."
        )
    if np.shape(n_positives) != shape:
        raise ValueError(
            f"n_positives must be {needed} here. Got {format_value(n_positives)} instead."
        )


def _sort_counts_by_column(names: Names | None, counts: Any) -> Array:
    """Return the numbers of a mapping or a Series in the order of the columns.

    They are looked up by name if the columns have names. Those of a Series are otherwise taken in
    its order.
    """
    is_series = not isinstance(counts, Mapping)
    keys = list(counts.index if is_series else counts)
    numbers = np.asarray([number for _, number in counts.items()])
    if names is not None and len(keys) == len(names) and set(keys) == set(names):
        return numbers[[keys.index(name) for name in names]]
    if is_series and (names is None or keys == list(range(len(keys)))):
        return numbers
    raise ValueError(
        f"n_positives has numbers for [{format_list(keys)}], but the columns are "
        f"[{format_list(list(names or ()))}]. Pass one number for each column."
    )


def convert_grades(grades: Array) -> Array:
    """Convert grades to float64, so that 0.1 in 32 bits is the grade 0.1 of gains and counts."""
    if grades.dtype.kind != "f" or grades.dtype.itemsize >= 8:
        return grades.astype(float)
    distinct, place = np.unique(grades, return_inverse=True)
    floats = np.array([float(str(grade)) for grade in distinct])
    return floats[place].reshape(grades.shape)


def read_counts(numbers: Sequence[Any], names: Names | None, weighted: bool) -> Array:
    """Check counts of positives, and return them as int64, or as float64 if any has a fraction.

    `names` has the name of the ranking of each count for errors; None numbers columns. Only if the
    samples are `weighted` can counts, which are then totals of weight, have fractions.
    """
    if set(map(type, numbers)) == {int} and 0 <= min(numbers) and max(numbers) <= MAX_EXACT_INTEGER:
        return np.array(numbers)
    numbers = [to_host(n).item() if getattr(n, "ndim", None) == 0 else n for n in numbers]
    for place, number in enumerate(numbers):
        if not is_mass(number):
            raise ValueError(
                "n_positives must contain numbers in the range [0, 2**53]. Got "
                f"{format_value(number)} for {_name_ranking(names, place)}."
            )
    if not numbers:
        return np.zeros(0, dtype=np.int64)
    floats = map(float, numbers)
    counts = np.array([int(number) if number.is_integer() else number for number in floats])
    if not weighted and counts.dtype.kind == "f":
        place = int(np.flatnonzero(counts % 1)[0])
        raise ValueError(
            f"n_positives={numbers[place]} must be an integer: it counts positives, not weight."
        )
    return counts


def _name_ranking(names: Names | None, place: int) -> str:
    """Name a ranking in an error."""
    return f"column {place}" if names is None else format_name(names[place], repr)


def check_enough_exist(rankings: Rankings) -> Rankings:
    """Check that n_positives is not less than the positives found, which are counted by weight.

    This is done once, when rankings are read. Their points, which are out of the existing
    positives, need no check.
    """
    if rankings.n_positives is not None:
        weighted = rankings.weight is not None
        names = None if rankings.average == "binary" else rankings.names
        check_found(rankings.n_positives, rankings.positive_mass, weighted, names)
    return rankings


def check_found(
    n_positives: Array, found: Array, weighted: bool, names: Names | None = None
) -> Array:
    """Check that n_positives is not less than the positives found, and return it.

    Both have one number per ranking, a count or if `weighted`, a total of weight. `names` are those
    of the rankings, None for a single one, or for columns without names.
    """
    # The same weights can add up to slightly more in another order.
    least = found * (1 - SUM_TOLERANCE) if weighted else found
    lacking = np.flatnonzero(n_positives < least)
    if lacking.size:
        place = int(lacking[0])
        where = "" if found.size == 1 and names is None else f" for {_name_ranking(names, place)}"
        # A sum of weights can have digits that no weight has, as in 150.39999999999998.
        contained = f"{found[place]:.12g}" if found.dtype.kind == "f" else str(found[place])
        raise ValueError(
            f"n_positives={n_positives[place]}{where} is too small: it counts all "
            f"positives, found or not, and y_true already contains {contained}."
        )
    return n_positives
