"""Groups that are ranked apart: their codes, names, and how many positives each of them has."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .checks import is_number
from .columns import copy_to_host, find_missing, is_missing, read_column_or_matrix
from .points import Array


def encode_groups(groups: Any, name: str = "groups") -> tuple[Array, list[Any]]:
    """Return the code of each sample's group, from 0, and the names of groups, sorted."""
    given = copy_to_host(groups)
    if (encoded := encode_text(given, name)) is not None:
        return encoded
    groups = read_column_or_matrix(given, name)
    if groups.ndim == 2:
        groups = combine_columns(groups, name)
    if groups.dtype.kind in "OUT":  # Looking up strings is much faster than sorting them.
        values = groups.tolist()
        names = _sort_distinct(values, name)
        code_of = dict(zip(names, range(len(names)), strict=True))
        return np.fromiter(map(code_of.__getitem__, values), np.int64, groups.size), names
    if find_missing(groups).any():
        raise ValueError(f"{name} has missing values.")
    if groups.dtype.kind in "mM":
        _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
        return codes, _show_times(given, groups, first)
    is_integer = groups.dtype.kind in "iu" and groups.size > 0
    if is_integer and groups.min() >= 0 and groups.max() < 4 * groups.size:
        exists = np.bincount(groups) > 0  # A table of small numbers needs no sort.
        return (np.cumsum(exists) - 1)[groups], np.flatnonzero(exists).tolist()
    distinct, codes = np.unique(groups, return_inverse=True)
    return codes, distinct.tolist()


def _show_times(column: Any, times: Array, rows: Array) -> list[Any]:
    """Return the times in some rows as their column shows them, if it is one of a table."""
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return [*series[rows].to_list()]
    times = times[rows]
    shown: list[Any] = times.tolist()
    if any(isinstance(each, int) for each in shown):  # Python has no nanoseconds.
        rounded = times.astype(f"{times.dtype.kind}8[us]")
        shown = rounded.tolist() if (rounded == times).all() else [*times]
    return shown


def read_names(column: Any, name: str) -> Array:
    """Return a column of names of groups or the like, of times as they are shown."""
    values = read_column_or_matrix(column, name)
    if values.dtype.kind not in "mM":
        return values
    codes, names = encode_groups(column, name)
    return np.array([*names, None], dtype=object)[codes]  # None keeps them from being a matrix.


def combine_columns(columns: Array, name: str = "groups") -> Array:
    """Return the rows of several columns as tuples, in one column."""
    parts = []
    for column in columns.T:
        codes, names = encode_groups(column, name)
        parts.append([names[code] for code in codes])
    combined = np.empty(len(columns), dtype=object)
    combined[:] = [*zip(*parts, strict=True)]
    return combined


# --- text -----------------------------------------------------------------------------------------


def encode_text(groups: Any, name: str) -> tuple[Array, list[Any]] | None:
    """Encode groups of text by PyArrow, which is several times faster."""
    column = _convert_to_arrow(groups)
    if column is None:
        return None
    import pyarrow as arrow
    from pyarrow.compute import sort_indices

    if column.null_count:
        raise ValueError(f"{name} has missing values.")
    is_dictionary = arrow.types.is_dictionary(column.type)
    if isinstance(column, arrow.ChunkedArray):
        column = (column.unify_dictionaries() if is_dictionary else column).combine_chunks()
    if is_dictionary:  # Categories may have no samples, or be equal.
        category, used = encode_groups(column.indices.to_numpy(), name)
        code_of_category, names = encode_groups(column.dictionary.take(arrow.array(used)), name)
        return code_of_category[category], names
    if not (arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)):
        return None
    encoded = column.dictionary_encode()
    order = sort_indices(encoded.dictionary)
    code_of_entry = np.empty(len(order), dtype=np.int64)
    code_of_entry[order.to_numpy()] = np.arange(len(order))
    return code_of_entry[encoded.indices.to_numpy()], encoded.dictionary.take(order).to_pylist()


def _convert_to_arrow(groups: Any) -> Any:
    """Return groups as a column of PyArrow, or None if it isn't loaded or they aren't text."""
    arrow = sys.modules.get("pyarrow")
    if arrow is None:
        return None
    if isinstance(groups, (arrow.Array, arrow.ChunkedArray)):
        return groups
    dtype = getattr(groups, "dtype", None)
    has_numbers = isinstance(dtype, np.dtype) and dtype.kind not in "OUT"
    if dtype is None or has_numbers or np.ma.isMaskedArray(groups):
        return None
    if getattr(groups, "ndim", 1) != 1 or len(groups) < 10_000:  # Few aren't worth the conversion.
        return None
    try:
        if hasattr(groups, "to_arrow"):
            return groups.to_arrow()
        if isinstance(groups, np.ndarray):
            groups = groups.astype(object)  # NUL would end the strings of NumPy.
        return arrow.array(groups)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError):  # They are mixed.
        return None


def _sort_distinct(values: Iterable[Any], name: str) -> list[Any]:
    try:
        distinct = set(values)
        if any(map(is_missing, distinct)):
            raise ValueError(f"{name} has missing values.")
        return sorted(distinct)
    except TypeError as error:
        kinds = sorted({type(each).__name__ for each in values})
        raise ValueError(
            f"Names of {name} must be of one type: numbers, text or times. Got "
            f"{' and '.join(kinds)}."
        ) from error


# --- how many positives each group has ------------------------------------------------------------


def read_counts(names: list[Any], n_positives: Any) -> Mapping[Any, Any]:
    """Return how many positives each group has, as a mapping."""
    if hasattr(n_positives, "to_dict"):  # a pandas Series
        counts = n_positives.to_dict()
        if len(counts) != len(n_positives):
            raise ValueError("n_positives has several numbers for the same group.")
        n_positives = counts
    if not isinstance(n_positives, Mapping):
        raise ValueError(
            "n_positives must be a mapping from groups to numbers, or 'rows' if missed positives "
            "are rows without a score, if you pass groups=."
        )
    for name in names:
        if name not in n_positives:
            raise ValueError(
                f"n_positives has no number for the group {name!r}. Pass 0 if it has no positives."
            )
    for name, count in n_positives.items():
        if isinstance(count, Mapping):
            what, numbers = "map grades to numbers of documents, which are whole", [*count]
            numbers += count.values()
        else:
            what, numbers = "be numbers", [count]
        if not all(map(is_number, numbers)):
            raise ValueError(f"n_positives must {what}. Got {count!r} for the group {name!r}.")
    return n_positives


def add_groups(
    codes: Array, names: list[Any], counts: Mapping[Any, Any]
) -> tuple[Array, list[Any]]:
    """Add the groups that nothing was retrieved for, so that only `n_positives` has them."""
    if len(counts) == len(names):
        return codes, names
    every = _sort_distinct([*names, *counts], "groups")
    code_of = {name: code for code, name in enumerate(every)}
    return np.array([code_of[name] for name in names], dtype=np.int64)[codes], every


def list_judged(counts: list[Any]) -> tuple[Array, Array]:
    """Return the group and the grade of each judged document."""
    codes, grades, numbers = [], [], []
    for code, count in enumerate(counts):
        by_grade = count if isinstance(count, Mapping) else {1: count}
        for grade, number in by_grade.items():
            codes.append(code)
            grades.append(float(grade))
            numbers.append(number)
    n_documents = np.array(numbers, dtype=float)
    if (n_documents % 1 != 0).any() or (n_documents < 0).any() or (n_documents > 2**62).any():
        raise ValueError(f"n_positives must be whole numbers of documents. Got {numbers}.")
    n_documents = n_documents.astype(np.int64)
    return np.repeat(np.array(codes, dtype=np.int64), n_documents), np.repeat(grades, n_documents)


def count_grades(count: Any, least: float) -> Any:
    """Return a number of positives, or of documents by grade the number of at least this grade."""
    if not isinstance(count, Mapping):
        return count
    if min(count.values(), default=0) < 0:
        raise ValueError(f"n_positives must map grades to numbers of documents. Got {count}.")
    return sum(number for grade, number in count.items() if grade >= least)
