"""What a caller says about the data, read and checked once: `read` returns `Rankings`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from numbers import Number
from typing import Any, Literal, TypeVar

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target

from .checks import check
from .columns import (
    PARTS_OF_ROWS,
    TableColumns,
    copy_to_host,
    find_columns,
    find_missing,
    read_column,
    read_column_or_matrix,
    read_numbers,
    read_scores,
    read_series,
    read_weight,
)
from .groups import (
    add_groups,
    count_grades,
    encode_groups,
    encode_text,
    list_judged,
    read_counts,
    read_names,
)
from .points import Array, are_whole


@dataclass(frozen=True, kw_only=True)
class Averaging:
    """How the values of rankings are averaged, and what the rankings are called in messages."""

    average: str | None = "binary"
    ranking_weight: Array | None = None
    names: list[Any] | None = None  # names of groups or classes
    source: Literal["rankings", "groups", "rows", "classes", "batches", "folds"] = "rankings"


@dataclass(frozen=True)
class Rankings(Averaging):
    """Samples of one or more rankings, end to end."""

    labels: Array  # whether samples are positive, or grades; in a matrix, each row is a ranking
    scores: Array
    weight: Array | None = None  # above 0; None if all are 1
    group_codes: Array | None = None  # the ranking of each sample; None for a single one
    n_rankings: int = 1
    n_positives: Array | None = None  # how many exist in each ranking, if the caller says so
    judged: tuple[Array, Array] | None = None  # the group and grade of all judged documents

    @property
    def are_groups(self) -> bool:
        """Whether rankings are groups, such as queries, of which there are others."""
        return self.source == "groups"

    @property
    def are_rows(self) -> bool:
        """Whether each row of a matrix is a ranking, which is like a group."""
        return self.source == "rows"

    @property
    def code_of_samples(self) -> Array:
        """The code of the ranking of each sample, 0 for a single one."""
        if self.group_codes is None:
            return np.broadcast_to(0, self.scores.size)
        return self.group_codes

    def count_positives(self) -> Array:
        """Count the positives of each ranking, or the documents that have a grade above 0."""
        if self.n_positives is not None:
            return self.n_positives
        is_positive = self.labels > 0
        if self.group_codes is not None:
            return np.bincount(self.group_codes, is_positive, self.n_rankings)
        return np.asarray(np.count_nonzero(is_positive, axis=-1, keepdims=is_positive.ndim == 1))


def read(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    classes: Any = None,
    n_positives: Any = None,
    groups: Any = None,
    min_grade: Any = None,
    data: Any = None,
    keep_grades: bool = False,
) -> Rankings:
    """Read and check labels and scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators, multiclass labels or grades.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples of weight 0 do not exist.
    zero_division : {'warn'} or float, default='warn'
        The value of a ranking without positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like or mapping, default=None
        How many positives exist, found or not: in total, per column or per group.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked apart.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.
    """
    check(average=average, zero_division=zero_division)
    _check_what_is_positive(pos_label, min_grade, keep_grades)
    columns = {"y_true": y_true, "y_score": y_score}
    columns |= {"sample_weight": sample_weight, "groups": groups}
    columns, every_label = choose_samples(columns, data, keep_grades)
    scores = read_scores(columns["y_score"])
    positive = match_text(columns["y_true"], pos_label) if scores.ndim == 1 else None
    labels = read_labels(columns["y_true"]) if positive is None else positive
    if not labels.size and n_positives is None:
        raise ValueError("Found array with 0 sample(s) in y_true while a minimum of 1 is required.")
    encoded = None if groups is None else encode_groups(columns["groups"])
    weight = columns["sample_weight"]
    codes = None if encoded is None else encoded[0]
    _check_lengths(y_true=labels, y_score=scores, sample_weight=weight, groups=codes)
    if weight is not None and (weight == 1).all():
        weight = None

    is_multiclass = labels.ndim == 1 and scores.ndim == 2 and not keep_grades
    is_matrix = labels.ndim == 2 or is_multiclass
    if is_matrix and groups is not None:
        raise ValueError("groups= needs one column of labels and one of scores.")
    if classes is not None and not is_multiclass:
        raise ValueError("classes= needs one column of labels, and one of scores for each class.")

    names_of_classes = None
    if keep_grades:
        positive = read_grades(labels, scores, pos_label)
    elif is_multiclass:
        if classes is None and every_label is not None:
            classes = list_classes(every_label)
        positive, names_of_classes = read_classes(labels, scores, classes, pos_label, min_grade)
    elif is_matrix:
        positive = read_indicators(labels, scores, pos_label, min_grade)
    elif positive is None:
        positive = read_positive(labels, pos_label, min_grade)

    if encoded is not None:
        samples = Rankings(positive, scores, weight)
        return _split_groups(samples, *encoded, average, n_positives, min_grade, keep_grades)
    if is_matrix:
        if keep_grades:
            average = _choose_average_of_grades(average)
        samples = Rankings(positive, scores, weight)
        return _split_matrix(samples, names_of_classes, average, n_positives)
    exist = _read_existing_of_one(n_positives, keep_grades)
    return Rankings(positive, scores, weight, n_positives=exist)


# The parameters that describe the data, with their defaults. The signature of `read` is their list.
DATA_PARAMETERS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(read).parameters.items()
    if name not in ("y_true", "y_score", "keep_grades")
}


class _NotSaid:
    """The default of a parameter that is then as the metric says, or else as usual."""


NOT_SAID: Any = _NotSaid()
Function = TypeVar("Function", bound=Callable[..., Any])


def show_usual_defaults(function: Function) -> Function:
    """Let help show the defaults of most metrics in place of NOT_SAID."""
    own = signature(function)
    shown = [
        each.replace(default=DATA_PARAMETERS[each.name]) if each.default is NOT_SAID else each
        for each in own.parameters.values()
    ]
    function.__dict__["__signature__"] = own.replace(parameters=shown)
    return function


def _check_what_is_positive(pos_label: Any, min_grade: Any, keep_grades: bool) -> None:
    """Refuse a label or a grade that isn't one, and what doesn't go together."""
    check(min_grade=min_grade)
    if pos_label is not None or not keep_grades:
        check(pos_label=pos_label)
    names_label = pos_label not in (None, 1)
    if names_label and min_grade is not None:
        raise ValueError(
            f"pos_label={pos_label!r} and min_grade={min_grade!r} both say which samples are "
            "positive. Pass one of them."
        )
    if keep_grades and names_label:
        raise ValueError(
            f"pos_label={pos_label!r} is not available for a metric that reads grades as they are."
        )
    if keep_grades and min_grade is not None:
        raise ValueError(
            f"min_grade={min_grade!r} is not available for a metric that reads grades as they are."
        )


def _choose_average_of_grades(average: str | None) -> str:
    """Return the average over the rows of a matrix of grades, each of which is a query."""
    if average not in ("macro", "samples"):
        raise ValueError(f"average={average!r} is not available for grades in a matrix.")
    return "samples"


# --- samples --------------------------------------------------------------------------------------


def choose_samples(
    columns: Mapping[str, Any], data: Any, keep_grades: bool
) -> tuple[dict[str, Any], Any]:
    """Return columns by parameter, without samples of weight 0, which don't exist, whatever they
    hold.

    With a table, names stand for its columns, of which only grades may be missing. If samples were
    left out, the second result has the labels of all, whose classes exist, as in scikit-learn.
    """
    chosen = dict(columns) if data is None else find_columns(data, columns)
    every_label = None
    if chosen["sample_weight"] is not None:
        weight = read_weight(_read_named(chosen["sample_weight"], "sample_weight"))
        chosen["sample_weight"] = weight
        if not weight.all():
            every_label = chosen["y_true"]
            chosen = _take_rows(chosen, np.flatnonzero(weight))
    if data is not None:
        for parameter, column in chosen.items():
            chosen[parameter] = _read_named(
                column, parameter, keep_grades and parameter == "y_true"
            )
    return chosen, every_label


def _read_named(column: Any, parameter: str, may_have_missing: bool = False) -> Any:
    """Read the columns of a table that were named, several as a matrix."""
    if not isinstance(column, TableColumns):
        return column
    read = [read_series(each, parameter, may_have_missing) for each in column]
    if len(read) > 1 and parameter in PARTS_OF_ROWS:  # Each column keeps its type.
        read = [np.asarray(read_names(each, parameter), dtype=object) for each in read]
    return read[0] if len(read) == 1 else np.column_stack(read)


def _take_rows(columns: Mapping[str, Any], rows: Array) -> dict[str, Any]:
    """Return these rows of columns, which may be arrays or columns of tables."""
    readable = {name: _make_indexable(column, name) for name, column in columns.items()}
    _check_lengths(**readable)
    taken: dict[str, Any] = {}
    for name, column in readable.items():
        if isinstance(column, TableColumns):
            taken[name] = TableColumns(each[rows] for each in column)
        else:
            taken[name] = None if column is None else column[rows]
    return taken


def _make_indexable(column: Any, name: str) -> Any:
    """Return a column of a table as narwhals' series, and any other column as an array."""
    import narwhals as nw

    if isinstance(column, TableColumns | None):
        return column
    if isinstance(column, np.ndarray | list | tuple):  # narwhals takes a while to say no.
        return read_column_or_matrix(column, name)
    series = nw.from_native(column, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else read_column_or_matrix(column, name)


def list_classes(y_true: Any) -> Array | None:
    """Return the classes of all labels, also of samples of weight 0, or None if these are two."""
    labels = read_column_or_matrix(
        y_true[0] if isinstance(y_true, TableColumns) else y_true, "y_true"
    )
    labels = labels[~find_missing(labels)]
    return np.unique(labels) if _find_kind(labels) == "multiclass" else None


def _explain_columns(labels: Array, scores: Array, pos_label: Any) -> str:
    message = f"y_score must be one column for binary labels. Got an array of shape {scores.shape}."
    classes = np.unique(labels).tolist()  # predict_proba has its columns in this order.
    if scores.shape[1] == 2 and len(classes) == 2:
        column = classes.index(pos_label) if pos_label in classes else 1
        message += f" Pass one column, such as y_score[:, {column}] for class {classes[column]!r}."
    return message


def _check_lengths(**columns: Any) -> None:
    lengths = {}
    for name, column in columns.items():
        if column is not None:
            lengths[name] = len(column[0] if isinstance(column, TableColumns) else column)
    if len({*lengths.values()}) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[*lengths.values()]} "
            f"in {', '.join(lengths)}."
        )


# --- labels ---------------------------------------------------------------------------------------


def read_labels(y_true: Any) -> Array:
    """Return labels as they are, but text as strings of NumPy, which are compared faster."""
    encoded = encode_labels(y_true)
    if encoded is None:
        return read_column_or_matrix(y_true, "y_true")
    codes, names = encoded
    return np.array(names).take(codes)


def match_text(y_true: Any, pos_label: Any) -> Array | None:
    """Return which of two labels of text are positive, or None for other labels.

    Codes are compared, in half the time of `read_labels` and `read_positive` together.
    """
    encoded = encode_labels(y_true)
    if encoded is None:
        return None
    codes, names = encoded
    if len(names) != 2 or pos_label not in names:
        return None
    return np.asarray(codes == names.index(pos_label))


def encode_labels(y_true: Any) -> tuple[Array, list[str]] | None:
    """Return the codes and the names of labels of a column of text, or None for others."""
    if isinstance(y_true, np.ndarray):
        return None
    encoded = encode_text(copy_to_host(y_true), "y_true")
    if encoded is None or any(type(name) is not str or "\0" in name for name in encoded[1]):
        return None  # NumPy's strings end at NUL.
    return encoded


def _find_kind(labels: Array) -> str:
    """Return what scikit-learn calls such labels, as "binary" or "multiclass"."""
    if labels.dtype == object:
        labels = np.array(labels.tolist())
    try:
        with np.errstate(invalid="ignore"):  # It casts nan before it refuses it.
            return str(type_of_target(labels, input_name="y_true"))
    except ValueError as error:
        advice = " Drop the samples without a label." if "NaN" in str(error) else ""
        raise ValueError(f"{error}{advice}") from None


def read_grades(labels: Array, scores: Array, pos_label: Any) -> Array:
    """Return grades as they are, as numbers."""
    if labels.shape != scores.shape:
        raise ValueError(f"y_true has shape {labels.shape}, but y_score {scores.shape}.")
    if pos_label is None and labels.size and isinstance(labels.flat[0], str):
        raise ValueError(f"Pass pos_label=, one of the labels {np.unique(labels).tolist()}.")
    return read_numbers(labels, "y_true")


def _has_grade(labels: Array, min_grade: Any) -> Array:
    """Return which samples have at least this grade."""
    grades = read_numbers(labels, "y_true")
    assert_all_finite(grades, input_name="y_true")
    return np.asarray(grades >= min_grade)


def read_positive(labels: Array, pos_label: Any, min_grade: Any) -> Array:
    """Return which of binary labels or grades are positive."""
    if min_grade is not None:
        return _has_grade(labels, min_grade)
    _check_objects(labels, "y_true")
    positive = np.asarray(labels == pos_label, dtype=bool)
    n_others = labels.size - np.count_nonzero(positive)
    # Labels are binary if all others are equal, which is faster to find out than their kind.
    others_are_equal = True
    if n_others:
        others_are_equal = n_others == np.count_nonzero(labels == labels[positive.argmin()])
    is_numbered = labels.dtype.kind != "f" or (are_whole(labels) and np.isfinite(labels).all())
    only_others = 0 < n_others == labels.size
    if not is_numbered or not others_are_equal or only_others:
        _refuse_unless_binary(labels, pos_label)
    return positive


def _check_objects(labels: Array, name: str) -> None:
    """Refuse objects that are no labels, or of several types."""
    if labels.dtype != object:
        return
    values = labels.ravel().tolist()
    kinds = {*map(type, values)}
    odd = {kind for kind in kinds if not issubclass(kind, Number | np.generic | str)}
    if odd:
        value = next(each for each in values if type(each) in odd)
        raise ValueError(f"{name} must be numbers, booleans or text. Got {value!r}.")
    if len(kinds) > 1:
        raise ValueError(f"{name} mixes {' and '.join(sorted(each.__name__ for each in kinds))}.")


def _refuse_unless_binary(labels: Array, pos_label: Any) -> None:
    """Refuse labels that aren't binary, or two labels that pos_label is none of."""
    kind = _find_kind(labels)
    if kind == "multiclass":
        present = np.unique(labels)
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes: {present.tolist()}. For grades, pass min_grade=."
        )
    if kind == "continuous":
        raise ValueError(
            "continuous format is not supported. Pass labels as y_true, and scores as y_score."
        )
    if kind != "binary":
        raise ValueError(f"{kind} format is not supported")
    present = np.unique(labels)
    if present.size == 2:
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label. It should be one of {present}. Pass "
            "the positive one as pos_label=."
        )


def read_indicators(labels: Array, scores: Array, pos_label: Any, min_grade: Any) -> Array:
    """Return which entries of a label matrix are positive."""
    _check_objects(labels, "y_true")
    if labels.shape != scores.shape:
        raise ValueError(f"y_true has shape {labels.shape}, but y_score {scores.shape}.")
    if min_grade is not None:
        return _has_grade(labels, min_grade)
    # type_of_target takes longer than the sort, and isn't needed for integers 0 and 1.
    is_plain = labels.dtype.kind in "biu"
    is_plain = is_plain and labels.min(initial=0) >= 0 and labels.max(initial=0) <= 1
    if not is_plain and (kind := _find_kind(labels)) != "multilabel-indicator":
        raise ValueError(f"{kind} format is not supported")
    if pos_label != 1:
        raise ValueError(
            "Parameter pos_label is fixed to 1 for multilabel-indicator y_true. Do not set "
            "pos_label or set pos_label to 1."
        )
    return np.asarray(labels == 1)


def read_classes(
    labels: Array, scores: Array, classes: Any, pos_label: Any, min_grade: Any
) -> tuple[Array, list[Any]]:
    """Return which class each sample belongs to, as a column for each class, and their names."""
    if min_grade is not None:
        raise ValueError(f"min_grade={min_grade!r} needs one score for each grade in y_true.")
    _check_objects(labels, "y_true")
    if classes is None and _find_kind(labels) != "multiclass":
        raise ValueError(_explain_columns(labels, scores, pos_label))
    if pos_label != 1:
        raise ValueError(
            "Parameter pos_label is fixed to 1 for multiclass y_true. Do not set pos_label or set "
            "pos_label to 1."
        )
    present = np.unique(labels)
    columns = present if classes is None else read_column(classes, "classes")
    _check_objects(columns, "classes")
    names = columns.tolist()
    if len({*names}) != len(names) or len(names) < 2:
        raise ValueError(f"classes must be at least two different labels. Got {names}.")
    if unknown := {*present.tolist()} - {*names}:
        raise ValueError(f"classes={names} lacks {unknown}, which y_true contains.")
    if scores.shape != (labels.size, len(names)):
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={scores.shape}` for classes {names}."
        )
    return labels[:, np.newaxis] == columns, names


# --- rankings -------------------------------------------------------------------------------------


def _read_existing_of_one(n_positives: Any, keep_grades: bool) -> Array | None:
    """Return how many positives exist in a single ranking."""
    if n_positives is None:
        return None
    exist = _read_exist(n_positives)
    if exist.size != 1 or keep_grades:
        raise ValueError("n_positives must be one number, unless you pass groups= or columns.")
    return exist


def _read_exist(n_positives: Any) -> Array:
    """Return one number or several as an array, and a mapping, which only groups have, as empty."""
    if isinstance(n_positives, Mapping):
        return np.empty(0)
    is_array = np.iterable(n_positives) and not isinstance(n_positives, str)
    return read_column(n_positives if is_array else [n_positives], "n_positives")


def _split_groups(
    samples: Rankings,
    codes: Array,
    names: list[Any],
    average: str | None,
    n_positives: Any,
    min_grade: float | None,
    keep_grades: bool,
) -> Rankings:
    """Return a ranking for each group."""
    if average not in ("macro", "weighted", None):
        raise ValueError(f"average={average!r} is not available with groups=.")
    exist, judged = None, None
    if n_positives is not None:
        counts = read_counts(names, n_positives)
        codes, names = add_groups(codes, names, counts)
        in_order = [counts[name] for name in names]
        if keep_grades:
            judged = list_judged(in_order)
            exist = np.bincount(judged[0], judged[1] > 0, len(names)).astype(np.int64)
        else:
            least = 1 if min_grade is None else min_grade
            exist = np.asarray([count_grades(each, least) for each in in_order])
    return Rankings(
        labels=samples.labels,
        scores=samples.scores,
        weight=samples.weight,
        group_codes=codes,
        names=names,
        n_rankings=len(names),
        n_positives=exist,
        judged=judged,
        average=average,
        source="groups",
    )


def _split_matrix(
    samples: Rankings, names: list[Any] | None, average: str | None, n_positives: Any
) -> Rankings:
    """Return the columns of a matrix as rankings, its rows, or all entries as a single one."""
    labels, scores, weight = samples.labels, samples.scores, samples.weight
    n_rows, n_columns = scores.shape
    if n_positives is not None and average in ("micro", "samples"):
        raise ValueError(f"n_positives is not available with average={average!r}.")
    if average == "micro":
        weight = None if weight is None else np.repeat(weight, n_columns)
        return Rankings(labels.ravel(), scores.ravel(), weight)
    if average == "samples":
        return Rankings(
            labels, scores, n_rankings=n_rows, average=average, ranking_weight=weight, source="rows"
        )
    exist = None
    if n_positives is not None:
        exist = _read_exist(n_positives)
        if exist.shape != (n_columns,):
            raise ValueError(
                f"n_positives must have one number for each of {n_columns} columns. Got "
                f"{n_positives!r}."
            )
    return Rankings(
        labels=labels.T,
        scores=scores.T,
        weight=weight,
        names=names,
        n_rankings=n_columns,
        n_positives=exist,
        average=average,
        source="classes",
    )


def flatten(rankings: Rankings) -> Rankings:
    """Hold the rows of a matrix of rankings end to end, as groups."""
    if rankings.scores.ndim == 1:
        return rankings
    n, size = rankings.scores.shape
    weight = None if rankings.weight is None else np.tile(rankings.weight, n)
    return replace(
        rankings,
        labels=rankings.labels.ravel(),
        scores=rankings.scores.ravel(),
        weight=weight,
        group_codes=np.repeat(np.arange(n), size),
    )
