"""Columns: of tables, as narwhals reads them, and of whatever scikit-learn takes as an array.

Text and names of groups become codes.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array

from ..exceptions import InvalidParameterError
from .points import Array, PerSample, are_whole

_NUMBER = Real | Decimal | np.bool_
PARTS_OF_ROWS = ("groups", "clusters", "by")  # parameters that name parts of the rows

# scikit-learn 1.6 renamed the parameter.
_ANY_VALUE: Any = {"ensure_all_finite": False}
if "ensure_all_finite" not in signature(check_array).parameters:
    _ANY_VALUE = {"force_all_finite": False}


# --- tables ---------------------------------------------------------------------------------------


def read_table(data: Any, name: str = "data") -> Any:
    """Return a table as narwhals reads it."""
    import narwhals as nw

    try:
        return nw.from_native(data)
    except TypeError as error:
        raise InvalidParameterError(
            f"{name} must be a table of pandas, polars, Arrow or another library that narwhals "
            f"reads. Got an object of the class {type(data).__name__}."
        ) from error


def list_columns(column: Any) -> list[str]:
    """Return the names of columns, of which there are none if values are passed."""
    if isinstance(column, str):
        return [column]
    are_names = isinstance(column, list | tuple) and all(isinstance(each, str) for each in column)
    return [*column] if are_names else []


# --- the columns of a call ------------------------------------------------------------------------

# What a parameter's column holds. Those of all other parameters are scores, of one model each.
_KINDS = {"y_true": "labels", "sample_weight": "weight", **dict.fromkeys(PARTS_OF_ROWS, "names")}


def choose_samples(
    columns: Mapping[str, Any], data: Any, keep_grades: bool, may_lack_scores: bool = False
) -> tuple[dict[str, Any], Any]:
    """Return columns by parameter, without samples of weight 0, which don't exist, whatever they
    hold.

    With a table, names stand for its columns, of which only grades may be missing, and scores if
    the caller says so. If samples were left out, the second result has the labels of all, whose
    classes exist, as in scikit-learn.
    """
    series_of = {} if data is None else find_columns(data, columns)
    columns, every_label = dict(columns), None
    if "sample_weight" in series_of:
        columns["sample_weight"] = _read_series(series_of.pop("sample_weight"), "sample_weight")
    if columns["sample_weight"] is not None:
        weight = columns["sample_weight"] = read_weight(columns["sample_weight"])
        if not weight.all():
            every_label = columns["y_true"]
            if "y_true" in series_of:
                every_label = _read_series(series_of["y_true"], "y_true", may_lack=True)
            arrays = {
                name: read_column_or_matrix(column, name)
                for name, column in columns.items()
                if name not in series_of and column is not None
            }
            check_lengths(**arrays, **{name: series[0] for name, series in series_of.items()})
            there = np.flatnonzero(weight)
            columns |= {name: array[there] for name, array in arrays.items()}
            series_of = {n: [each[there] for each in series] for n, series in series_of.items()}

    may_lack = {"labels": keep_grades, "scores": may_lack_scores}
    for name, series in series_of.items():
        columns[name] = _read_series(series, name, may_lack.get(_KINDS.get(name, "scores"), False))
    return columns, every_label


def find_columns(data: Any, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a table that parameters name, each by one name, or a list or tuple, as
    narwhals' series.
    """
    import narwhals as nw

    table = read_table(data)
    is_lazy = isinstance(table, nw.LazyFrame)
    # A schema takes a fifth of a call with 500 rows of pandas.
    in_table = table.collect_schema().names() if is_lazy else table.columns
    names = {parameter: list_columns(column) for parameter, column in columns.items()}
    needed = [*dict.fromkeys(name for listed in names.values() for name in listed)]
    if not needed:
        raise ValueError("data is a table, but no argument names one of its columns.")
    for name in needed:
        if name not in in_table:
            raise ValueError(f"data has no column {name!r}. Its columns are {in_table}.")
    if is_lazy:
        table = table.select(needed).collect()
    return {
        parameter: [table.get_column(name) for name in listed]
        for parameter, listed in names.items()
        if listed
    }


def _read_series(columns: list[Any], parameter: str, may_lack: bool = False) -> Any:
    """Read columns of a table as an array, several as a matrix.

    Labels and names of text stay as they are. Missing values are refused here, because NumPy has
    none for labels, and Arrow's dictionaries lose them.
    """
    import narwhals as nw

    kind, read = _KINDS.get(parameter, "scores"), []
    for series in columns:
        is_text = series.dtype in (nw.String, nw.Categorical, nw.Enum)
        keeps_text = is_text and kind in ("labels", "names")
        values = series if keeps_text else series.to_numpy()
        if kind == "names" and getattr(series.dtype, "time_zone", None):  # NumPy has no zones.
            values = np.array([*series.to_list(), None], dtype=object)[:-1]
        n_missing = series.null_count() if keeps_text else np.count_nonzero(find_missing(values))
        if n_missing and not may_lack:
            advice = "Fill in what is missing, or drop these rows."
            if kind == "scores":
                advice += " If they are positives that weren't retrieved, pass n_positives='rows'."
            raise ValueError(
                f"{parameter}={series.name!r} has {n_missing} missing values. {advice}"
            )
        read.append(values)
    if len(read) > 1 and kind == "names":  # Each column keeps its type.
        read = [read_names(values, parameter).astype(object) for values in read]
    return read[0] if len(read) == 1 else np.column_stack(read)


def check_lengths(**columns: Any) -> None:
    names = [name for name, column in columns.items() if column is not None]
    lengths = [len(columns[name]) for name in names]
    if len({*lengths}) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {lengths} in "
            f"{', '.join(names)}."
        )


# --- arrays ---------------------------------------------------------------------------------------


def is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA is neither true nor false. Arrays have elements.
        return type(value).__name__ == "NAType"


def find_missing(values: Array) -> Array:
    """Return which values are missing."""
    if values.dtype.kind in "fmM":
        return np.asarray(values != values)
    if values.dtype.kind == "O":
        return np.array([is_missing(each) for each in values.flat], bool).reshape(values.shape)
    return np.zeros(values.shape, bool)


def read_column_or_matrix(values: Any, name: str) -> Array:
    """Return an array of one or two dimensions, in which a single column has one."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} is a masked array: leave out the samples that its mask hides.")
    if isinstance(values, list | tuple):
        values = _read_list(values, name)
    elif not isinstance(values, np.ndarray):
        values = copy_to_host(values)
        dtype = getattr(values, "dtype", None)
        # check_array would convert nullable integers of pandas to floats.
        if hasattr(values, "to_numpy") and isinstance(
            getattr(dtype, "numpy_dtype", dtype), np.dtype
        ):
            values = values.to_numpy()
    shape = getattr(values, "shape", ())
    if 0 in shape[1:]:
        raise ValueError(f"{name} must have a value for each sample. Got shape {shape}.")
    if type(values) is not np.ndarray or values.dtype == object:
        if values is None:
            raise ValueError(f"{name} is missing: pass an array, or with data= a column's name.")
        if isinstance(values, str):
            raise ValueError(f"{name}={values!r} names a column, so pass its table as data=.")
        if isinstance(values, Mapping):
            raise ValueError(
                f"{name} is a dict: pass an array. To compare models, call compare or report."
            )
        values = check_array(
            values, ensure_2d=False, dtype=None, ensure_min_samples=0, input_name=name, **_ANY_VALUE
        )
    if values.ndim not in (1, 2):
        raise ValueError(f"{name} must have one or two dimensions. Got shape {values.shape}.")
    if values.dtype.kind in "Vc":
        raise ValueError(f"{name} must have real numbers or text. Got {values.dtype}.")
    column_or_matrix: Array = values
    return column_or_matrix[:, 0] if values.shape[1:] == (1,) else column_or_matrix


def _read_list(values: Sequence[Any], name: str) -> Array:
    """Return a list as an array, of objects if NumPy would write numbers beside text as text.

    A list of columns, such as rows and seeds, is read like a matrix of them.
    """
    is_of_columns = name in PARTS_OF_ROWS and all(
        hasattr(each, "dtype") and np.ndim(each) == 1 and len(each) > len(values) for each in values
    )
    if is_of_columns and values:
        columns = [read_names(each, name) for each in values]
        check_lengths(**{f"{name}[{place}]": each for place, each in enumerate(columns)})
        return np.column_stack([column.astype(object) for column in columns])
    try:
        array = np.array(values)
    except ValueError as error:
        raise ValueError(f"{name} has rows of different lengths.") from error
    if array.dtype.kind == "U":
        objects = np.array(values, dtype=object)
        array = array if all(isinstance(each, str) for each in objects.flat) else objects
    return array


def copy_to_host(values: Any) -> Any:
    """Copy an array of torch, CuPy, JAX or another library to NumPy. Return all else unchanged."""
    if isinstance(values, np.ndarray) or not hasattr(values, "device"):
        return values  # The mask of a masked array would be lost.
    if hasattr(values, "get"):  # CuPy
        return values.get()
    if hasattr(values, "detach"):  # torch, from any device and detached from its graph
        if str(values.dtype) == "torch.bfloat16":  # NumPy has no such type.
            values = values.float()
        return values.numpy(force=True)
    try:
        return np.from_dlpack(values, device="cpu")
    except (AttributeError, TypeError, BufferError, RuntimeError):  # NumPy 2.0 has others.
        return np.asarray(values)


# --- names of groups, labels of text --------------------------------------------------------------


def read_names(column: Any, name: str) -> PerSample:
    """Return a column of names of groups or the like, of times as Python has them."""
    values = read_column_or_matrix(column, name)
    if values.dtype.kind not in "mM":
        return values
    # None keeps the times from being a matrix, or times of NumPy.
    return np.array([*list_times(values), None], dtype=object)[:-1]


def list_times(times: Array) -> list[Any]:
    """List times as Python has them, or NumPy if they have nanoseconds."""
    if np.datetime_data(times.dtype)[0] == "ns":
        in_microseconds = times.astype(f"{times.dtype.kind}8[us]")
        if (in_microseconds != times).any():
            return [*times]
        times = in_microseconds
    return [*times.tolist()]


def encode_groups(groups: Any, name: str = "groups") -> tuple[PerSample, list[Any]]:
    """Return the code of each sample's group, from 0, and the names of groups, sorted."""
    column = copy_to_host(groups)
    if (text := encode_text(column, name)) is not None:
        return text
    groups = read_column_or_matrix(column, name)
    if groups.ndim == 2:
        groups = combine_columns(groups, name)
    if groups.dtype.kind in "OUT":  # Looking up strings is much faster than sorting them.
        values = groups.tolist()
        names = sort_distinct(values, name)
        code_of = dict(zip(names, range(len(names)), strict=True))
        return np.fromiter(map(code_of.__getitem__, values), np.int64, groups.size), names
    if find_missing(groups).any():
        raise ValueError(f"{name} has missing values.")
    is_integer = groups.dtype.kind in "iu" and groups.size > 0
    if is_integer and groups.min() >= 0 and groups.max() < 4 * groups.size:
        # A table of small numbers needs no sort. NumPy 2.0 neither counts nor takes unsigned ones.
        numbers = groups.astype(np.int64, copy=False)
        is_used = np.bincount(numbers) > 0
        return (np.cumsum(is_used) - 1).take(numbers), np.flatnonzero(is_used).tolist()
    distinct, codes = np.unique(groups, return_inverse=True)
    return codes, list_times(distinct) if groups.dtype.kind in "mM" else distinct.tolist()


def combine_columns(columns: PerSample, name: str = "groups") -> PerSample:
    """Return the rows of several columns as tuples, in one column."""
    parts = []
    for column in columns.T:
        codes, names = encode_groups(column, name)
        parts.append([names[code] for code in codes])
    tuples = np.empty(len(columns), dtype=object)
    tuples[:] = [*zip(*parts, strict=True)]
    return tuples


def read_labels(y_true: Any, pos_label: Any) -> tuple[PerSample, Any]:
    """Return labels, and which of them is positive.

    If a column of a table has two labels of text, they become whether each is the positive one,
    which takes half the time.
    """
    if hasattr(y_true, "to_native"):  # a column of a table
        y_true = y_true.to_native()
    is_of_numpy = isinstance(getattr(y_true, "dtype", None), np.dtype)
    if isinstance(pos_label, str) and not is_of_numpy:
        import narwhals as nw

        column = nw.from_native(y_true, series_only=True, pass_through=True)
        is_text = isinstance(column, nw.Series) and column.dtype in (nw.String, nw.Categorical)
        if is_text and len(column) and not column.null_count():
            positive = (column == pos_label).to_numpy()
            other = column[int(positive.argmin())]
            if (positive | (column == other).to_numpy()).all():
                return positive, True
    return read_column_or_matrix(y_true, "y_true"), pos_label


def encode_text(groups: Any, name: str) -> tuple[PerSample, list[Any]] | None:
    """Encode groups of text by PyArrow, which is several times faster, if it is loaded. Return None
    for all else.
    """
    arrow = sys.modules.get("pyarrow")
    if arrow is None:
        return None
    column = groups
    if not isinstance(groups, arrow.Array | arrow.ChunkedArray):
        dtype = getattr(groups, "dtype", None)
        has_numbers = isinstance(dtype, np.dtype) and dtype.kind not in "OUT"
        is_column = dtype is not None and getattr(groups, "ndim", 1) == 1
        if not is_column or has_numbers or len(groups) < 10_000:
            return None  # Few aren't worth the conversion.
        try:
            if hasattr(groups, "to_arrow"):
                column = groups.to_arrow()
            else:  # NUL would end the strings of NumPy.
                is_array = isinstance(groups, np.ndarray)
                column = arrow.array(groups.astype(object) if is_array else groups)
        except (arrow.ArrowException, TypeError, ValueError, OverflowError):  # They are mixed.
            return None
    from pyarrow.compute import sort_indices

    if column.null_count:
        raise ValueError(f"{name} has missing values.")
    is_dictionary = arrow.types.is_dictionary(column.type)
    if isinstance(column, arrow.ChunkedArray):
        column = (column.unify_dictionaries() if is_dictionary else column).combine_chunks()
    if is_dictionary:  # Categories may have no samples, or be equal.
        category, used = encode_groups(column.indices.to_numpy(), name)
        code_of_category, names = encode_groups(column.dictionary.take(arrow.array(used)), name)
        return code_of_category.take(category), names
    if not (arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)):
        return None
    words = column.dictionary_encode()
    order = sort_indices(words.dictionary)
    code_of_word = np.empty(len(order), dtype=np.int64)
    code_of_word[order.to_numpy()] = np.arange(len(order))
    return code_of_word.take(words.indices.to_numpy()), words.dictionary.take(order).to_pylist()


def sort_distinct(values: Iterable[Any], name: str) -> list[Any]:
    try:
        distinct = set(values)
        if any(map(is_missing, distinct)):
            raise ValueError(f"{name} has missing values.")
        return sorted(distinct)
    except TypeError as error:
        raise ValueError(f"Names of {name} must be of one type: numbers, text or times.") from error


# --- numbers --------------------------------------------------------------------------------------


def check_finite(values: Array, name: str) -> None:
    """Refuse nan and infinity in scikit-learn's words.

    Its own check of arrays without these takes a fifth of the time of a short call.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(values.sum())
    if not is_finite:
        assert_all_finite(values, input_name=name)


def read_scores(y_score: Any) -> PerSample:
    """Return scores as they are: integers are not cast to float."""
    scores = read_column_or_matrix(y_score, "y_score")
    if scores.dtype == object and all(isinstance(each, int) for each in scores.flat):
        return scores  # They may have more than 64 bits.
    numbers = read_numbers(scores, "y_score")
    if numbers.dtype.kind != "f":
        return numbers
    check_finite(numbers, "y_score")
    if isinstance(y_score, list | tuple) and np.abs(numbers).max(initial=0) >= 2**53:
        scores = np.array(y_score, dtype=object).reshape(numbers.shape)
    if scores.dtype == object and len({*scores.flat}) > len({*numbers.flat}):
        return scores  # integers beside floats, or decimals, which would be tied by rounding
    return numbers


def read_numbers(column: Array, name: str) -> Array:
    """Return numbers of a dtype that NumPy computes with."""
    if column.dtype == object:
        odd = [each for each in column.flat if not isinstance(each, _NUMBER)]
        if odd:
            raise ValueError(f"{name} must be real numbers. Got {odd[0]!r} instead.")
        column = np.array(column.tolist())
        if column.dtype == object:  # such as decimals, of DuckDB and Arrow
            column = column.astype(float)
    if column.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be real numbers. Got {column.dtype} instead.")
    return column


def read_column(values: Any, name: str) -> Array:
    column = read_column_or_matrix(values, name)
    if column.ndim != 1:
        raise ValueError(f"{name} must be one column. Got an array of shape {column.shape}.")
    return column


def read_weight(sample_weight: Any) -> PerSample:
    """Return weights, as integers if all are whole, so that their sums are exact."""
    weight = read_numbers(read_column(sample_weight, "sample_weight"), "sample_weight")
    check_finite(weight, "sample_weight")
    if weight.min(initial=0) < 0:
        raise ValueError(
            f"Negative values in data passed to `sample_weight`, such as {weight.min()}."
        )
    with np.errstate(over="ignore"):
        total = float(weight.sum(dtype=float))
    if weight.size and total == 0:
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if not np.isfinite(total):
        raise ValueError(f"sample_weight must have a finite sum. Got {total}.")
    if total < 2**53 and are_whole(weight):  # larger sums could overflow
        return weight.astype(np.int64)
    return weight.astype(np.float64, copy=False)
