"""Columns: of tables, as narwhals reads them, and of whatever scikit-learn takes as an array."""

from inspect import signature
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array

from .points import Array

# scikit-learn 1.6 renamed the parameter.
_ANY_VALUE: Any = {"ensure_all_finite": False}
if "ensure_all_finite" not in signature(check_array).parameters:
    _ANY_VALUE = {"force_all_finite": False}


def select_columns(data: Any, is_graded: bool = False, **columns: Any) -> list[Any]:
    """Replace names by the columns of a table. A list of names becomes a matrix.

    Only grades may be missing.
    """
    import narwhals as nw

    table = nw.from_native(data)
    is_lazy = isinstance(table, nw.LazyFrame)
    known = table.collect_schema().names() if is_lazy else table.columns
    names = {}
    for parameter, column in columns.items():
        if isinstance(column, str):
            names[parameter] = [column]
        elif isinstance(column, list) and column and all(isinstance(each, str) for each in column):
            names[parameter] = column
    wanted = [*dict.fromkeys(name for each in names.values() for name in each)]
    missing = [name for name in wanted if name not in known]
    if missing:
        raise ValueError(f"data has no column {missing[0]!r}. Its columns are {known}.")
    if is_lazy:
        table = table.select(wanted).collect()
    selected: list[Any] = []
    for parameter, column in columns.items():
        if parameter not in names:
            selected.append(column)
            continue
        may_miss = is_graded and parameter == "y_true"
        read = [
            _read_series(table.get_column(name), parameter, may_miss) for name in names[parameter]
        ]
        if len(read) > 1 and parameter in ("groups", "clusters"):  # of which each keeps its type
            read = [np.asarray(each, dtype=object) for each in read]
        selected.append(read[0] if isinstance(column, str) else np.column_stack(read))
    return selected


def _read_series(series: Any, parameter: str, may_miss: bool) -> Any:
    """Return a column of a table as an array, or in its own type if it is groups of text.

    Missing values are refused here, because NumPy has none for labels, and Arrow's dictionaries
    lose them.
    """
    import narwhals as nw

    is_text = series.dtype in (nw.String, nw.Categorical, nw.Enum)
    if parameter in ("groups", "y_true") and is_text:
        values, n_missing = series, series.null_count()
    else:
        values = series.to_numpy()
        n_missing = _count_missing(series, values)
    if n_missing and not may_miss:
        raise ValueError(f"{parameter}={series.name!r} has {n_missing} missing values.")
    if parameter in ("y_score", "sample_weight") and series.dtype == nw.Decimal:
        raise ValueError(
            f"{parameter}={series.name!r} has decimals, which a float can't hold. Cast the column "
            "to float, where near ones may become equal."
        )
    return values


def _count_missing(series: Any, values: Array) -> int:
    kind = values.dtype.kind
    if kind in "biu":
        return 0
    if kind in "fmM":
        return int(np.count_nonzero(values != values))
    return int(series.null_count())


def read_column_or_matrix(values: Any, name: str) -> Array:
    """Return an array of one or two dimensions, in which a single column has one."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} is a masked array: leave out the samples that its mask hides.")
    values = to_host(values)
    dtype = getattr(values, "dtype", None)
    of_nullable = getattr(dtype, "numpy_dtype", None)
    if hasattr(values, "to_numpy") and isinstance(dtype, np.dtype):
        values = values.to_numpy()  # pandas, whose other types check_array converts
    elif of_nullable is not None and of_nullable.kind in "iu" and not values.hasnans:
        values = values.to_numpy(of_nullable)  # check_array would convert them to floats.
    if type(values) is not np.ndarray or values.dtype == object:
        if values is None or isinstance(values, str):
            raise ValueError(f"{name} must be an array, or the name of a column of data=.")
        values = check_array(
            values, ensure_2d=False, dtype=None, ensure_min_samples=0, input_name=name, **_ANY_VALUE
        )
    if values.ndim not in (1, 2):
        raise ValueError(f"{name} must have one or two dimensions. Got shape {values.shape}.")
    column_or_matrix: Array = values
    if values.ndim == 2 and values.shape[1] == 1:
        column_or_matrix = values[:, 0]
    return column_or_matrix


def to_host(values: Any) -> Any:
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
        assert_all_finite(values, input_name=name)


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
    if (weight < 0).any():
        raise ValueError(
            f"Negative values in data passed to `sample_weight`, such as {weight.min()}."
        )
    if weight.size and not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    total = float(weight.sum(dtype=float))
    if not np.isfinite(total):
        raise ValueError(f"sample_weight must have a finite sum. Got {total}.")
    is_whole = weight.dtype.kind in "bui" or (weight == np.rint(weight)).all()
    if is_whole and total < 2**53:  # larger sums could overflow
        return weight.astype(np.int64)
    return weight.astype(np.float64)
