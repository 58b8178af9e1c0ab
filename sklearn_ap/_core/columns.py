"""Columns: of tables, as narwhals reads them, and of whatever scikit-learn takes as an array."""

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array

from ..exceptions import InvalidParameterError
from .points import Array, are_whole

_NUMPY_NUMBER = np.number | np.bool_
PARTS_OF_ROWS = ("groups", "clusters", "by")  # parameters that name parts of the rows

# scikit-learn 1.6 renamed the parameter.
_ANY_VALUE: Any = {"ensure_all_finite": False}
if "ensure_all_finite" not in signature(check_array).parameters:
    _ANY_VALUE = {"force_all_finite": False}


class TableColumns(list[Any]):
    """The columns of a table that were named, as narwhals' series."""


def read_table(data: Any, name: str = "data") -> Any:
    """Return a table as narwhals reads it."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(data)
    except TypeError as error:
        instead = ""
        if isinstance(data, Mapping):
            has_tables = any(hasattr(each, "columns") for each in data.values())
            one, several = f" Pass pandas.DataFrame({name}).", " Pass one of these tables."
            instead = several if has_tables else one
        raise InvalidParameterError(
            f"{name} must be a table of pandas, polars, Arrow or another library that narwhals "
            f"reads. Got an object of the class {type(data).__name__}.{instead}"
        ) from error
    except DuplicateError as error:
        raise ValueError(f"{name} has several columns of the same name.") from error


def find_columns(data: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the name of a column, or a list of names, by columns of a table."""
    import narwhals as nw

    table = read_table(data)
    is_lazy = isinstance(table, nw.LazyFrame)
    known = table.collect_schema().names() if is_lazy else table.columns
    names = {}
    for parameter, column in columns.items():
        if isinstance(column, str):
            names[parameter] = [column]
        elif isinstance(column, list) and column and all(isinstance(each, str) for each in column):
            names[parameter] = column
    wanted = [*dict.fromkeys(name for each in names.values() for name in each)]
    for name in wanted:
        if name not in known:
            raise ValueError(f"data has no column {name!r}. Its columns are {known}.")
    if is_lazy:
        table = table.select(wanted).collect()
    named = {
        parameter: TableColumns(map(table.get_column, each)) for parameter, each in names.items()
    }
    return {**columns, **named}


def read_series(series: Any, parameter: str, may_have_missing: bool = False) -> Any:
    """Return a column of a table as an array, but labels and names of text, and names of times, as
    they are.

    Missing values are refused here, because NumPy has none for labels, and Arrow's dictionaries
    lose them.
    """
    import narwhals as nw

    is_text = series.dtype in (nw.String, nw.Categorical, nw.Enum)
    values = series if is_text and parameter in ("groups", "y_true") else series.to_numpy()
    n_missing = series.null_count() if values is series else np.count_nonzero(find_missing(values))
    if n_missing and not may_have_missing:
        raise ValueError(f"{parameter}={series.name!r} has {n_missing} missing values.")
    if parameter.startswith(("y_score", "sample_weight")) and series.dtype == nw.Decimal:
        raise ValueError(
            f"{parameter}={series.name!r} has decimals, which a float can't hold. Cast the column "
            "to float, where near ones may become equal."
        )
    are_times = values is not series and values.dtype.kind in "mM"
    return series if are_times and parameter in PARTS_OF_ROWS else values


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
    else:
        values = _unpack_pandas(copy_to_host(values))
    if type(values) is not np.ndarray or values.dtype == object:
        if values is None:
            raise ValueError(f"{name} is missing: pass an array, or with data= a column's name.")
        if isinstance(values, str):
            raise ValueError(f"{name}={values!r} names a column, so pass its table as data=.")
        values = check_array(
            values, ensure_2d=False, dtype=None, ensure_min_samples=0, input_name=name, **_ANY_VALUE
        )
    if values.ndim not in (1, 2):
        raise ValueError(f"{name} must have one or two dimensions. Got shape {values.shape}.")
    if values.dtype.kind in "Vc" or 0 in values.shape[1:]:
        got = f"shape {values.shape}" if 0 in values.shape[1:] else values.dtype
        raise ValueError(f"{name} must have real numbers or text for each sample. Got {got}.")
    column_or_matrix: Array = values
    if values.ndim == 2 and values.shape[1] == 1:
        column_or_matrix = values[:, 0]
    return column_or_matrix


def _unpack_pandas(values: Any) -> Any:
    """Return what a column of pandas holds as an array, unless `check_array` does it as well."""
    dtype = getattr(values, "dtype", None)
    if hasattr(values, "to_numpy") and isinstance(dtype, np.dtype):
        return values.to_numpy()
    nullable_dtype = getattr(dtype, "numpy_dtype", None)
    if nullable_dtype is None or nullable_dtype.kind not in "biu":
        return values
    # check_array would convert integers to floats, and warn of missing booleans.
    if values.isna().any():
        return values.to_numpy(float, na_value=np.nan)
    return values.to_numpy(nullable_dtype)


def _read_list(values: Sequence[Any], name: str) -> Array:
    """Return a list as an array, of objects if NumPy would write numbers beside text as text."""
    try:
        array = np.array(values)
    except ValueError as error:
        raise ValueError(f"{name} has rows of different lengths.") from error
    if array.dtype.kind == "U" and array.ndim == 1:
        has_only_text = all(isinstance(each, str) for each in values)
        array = array if has_only_text else np.array(values, dtype=object)
    return array


def copy_to_host(values: Any) -> Any:
    """Copy an array of torch, CuPy, JAX or another library to NumPy. Return all else unchanged."""
    if isinstance(values, np.ndarray) or not hasattr(values, "device"):
        return values  # The mask of a masked array would be lost.
    if hasattr(values, "get"):  # CuPy
        return values.get()
    if hasattr(values, "numpy"):  # torch, from any device and detached from its graph
        if str(values.dtype) == "torch.bfloat16":  # NumPy has no such type.
            values = values.float()
        return values.numpy(force=True)
    try:
        return np.from_dlpack(values, device="cpu")
    except (AttributeError, TypeError, BufferError, RuntimeError):  # NumPy 2.0 has others.
        return np.asarray(values)


def check_finite(values: Array, name: str) -> None:
    """Refuse nan and infinity in scikit-learn's words.

    Its own check of arrays without these takes a fifth of the time of a short call.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(values.sum())
    if not is_finite:
        try:
            assert_all_finite(values, input_name=name)
        except ValueError as error:
            raise ValueError(f"{error} Drop these samples, or rank them last by -1e38.") from None


def read_scores(y_score: Any) -> Array:
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
    if scores.dtype == object and (scores != numbers).any():
        return scores  # integers beside floats, to which they would be rounded
    return numbers


def read_numbers(column: Array, name: str) -> Array:
    """Return numbers of a dtype that NumPy computes with."""
    if column.dtype == object:
        odd = [each for each in column.flat if not isinstance(each, float | int | _NUMPY_NUMBER)]
        if odd:
            raise ValueError(f"{name} must be real numbers. Got {odd[0]!r} instead.")
        column = np.array(column.tolist())
    if column.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be real numbers. Got {column.dtype} instead.")
    return column


def read_column(values: Any, name: str) -> Array:
    column = read_column_or_matrix(values, name)
    if column.ndim != 1:
        raise ValueError(f"{name} must be one column. Got an array of shape {column.shape}.")
    return column


def read_weight(sample_weight: Any) -> Array:
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
