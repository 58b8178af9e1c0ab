"""Conversion of labels, scores, weights and groups from any container to plain arrays, and back.

A column of numbers becomes a NumPy array, and a column of repeated values becomes `Codes`, by the
methods of its own library. `_CONTAINERS` has one entry per library. Columns that an entry doesn't
know, or that have missing values, are left unchanged for validation.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.exact_scores import concatenate_exactly
from ..core.numbering import Name, number_groups
from ..core.ragged import Array
from ..core.tolerances import MAX_EXACT_INTEGER
from .host import HOST_LIBRARIES, extract_column, find_library, list_columns, to_host, unwrap_native

_NUMBER_KINDS = "biuf"
_NUMBER = int | float | np.number | np.bool_
_PLAIN_LIBRARIES = ("pandas", "polars")  # whose columns never wrap those of other libraries
_N_STRINGS_TRIED_FIRST = 100  # check at most this many strings first, to find a third value early


# --- columns -------------------------------------------------------------------------------------


class Codes(NamedTuple):
    """A column of repeated integers or strings, in which sample i has the value
    `values[code[i]]`.
    """

    code: Array  # booleans or integers from 0 on
    values: Sequence[Any] | Array  # distinct, of one type, in any order; some may be unused
    is_numbered: bool = False  # whether the values are sorted and all used

    def present(self) -> list[Name]:
        """Return the values that occur, sorted."""
        return sorted(self.values[code] for code in self._present_codes())

    def equal(self, value: Name) -> Array:
        """Whether each sample has this value."""
        return np.asarray(self.equal_each([value])[:, 0])

    def equal_each(self, values: Sequence[Name]) -> Array:
        """Whether each sample has each value, of shape (n_samples, n_values), in Fortran order."""
        code_of = {value: code for code, value in enumerate(self.values)}
        equal = np.zeros((len(values), self.code.size), dtype=bool)
        for row, value in zip(equal, values, strict=True):
            if value in code_of:
                np.equal(self.code, code_of[value], out=row)
        return equal.T

    def number_names(self) -> tuple[list[Name], Array]:
        """Return the values that occur, sorted, and the index of each sample's value among them."""
        if self.is_numbered:
            return as_list(self.values), self.code
        values, code = self._renumber(sorted(self._present_codes(), key=self.values.__getitem__))
        return as_list(values), code

    def select_values(self, numbers: Sequence[int] | Array) -> Array:
        """Return the values with these codes."""
        places = np.asarray(numbers, dtype=np.intp)  # of booleans, too
        if isinstance(self.values, np.ndarray):
            return np.asarray(self.values[places])
        values = map(self.values.__getitem__, places.tolist())
        return np.fromiter(values, dtype=object, count=places.size)

    def keep(self, rows: Array) -> Self:
        """Return the codes of some rows, which a mask or their places select."""
        left = self._replace(code=self.code[rows])
        if not self.is_numbered:
            return left
        values, code = left._renumber(left._present_codes())
        return left._replace(code=code, values=values)

    def _renumber(self, present: list[int]) -> tuple[Array, Array]:
        """Return the values with these codes, and the index of each sample's value among them.

        `present` are all codes that occur, in the order that the values should have.
        """
        # Use the smallest sufficient type of signed integers.
        narrow = np.min_scalar_type(-len(self.values))
        place = np.zeros(len(self.values), dtype=narrow)
        place[present] = np.arange(len(present))
        return self.select_values(present), place.take(self.code, mode="clip")

    def _present_codes(self) -> list[int]:
        """Return the codes that occur, ascending."""
        if self.code.dtype == bool:
            return [code for code in (0, 1) if (self.code == code).any()]
        return list(np.flatnonzero(np.bincount(self.code.astype(np.intp, copy=False))).tolist())


def as_list(names: Sequence[Name] | Array) -> list[Name]:
    """Return names as a list of Python's objects, except NumPy's times, because Python lacks some
    of their units and would return integers.
    """
    if isinstance(names, np.ndarray) and names.dtype.kind not in "mM":
        return list(names.tolist())
    return list(names)


class _Container(NamedTuple):
    """How to convert columns of a library, which are not empty. None leaves them to others."""

    numbers: Callable[[Any], Array | None]  # converts columns of numbers without missing values
    encode: Callable[[Any], Codes | None]  # converts strings or categories without missing values


def as_numbers(column: Any) -> Any:
    """Convert a column of numbers to an array of one dimension. Return all else unchanged."""
    if type(column) is np.ndarray and column.ndim == 1:
        return column
    library = find_library(column)
    if library not in _PLAIN_LIBRARIES:
        column = to_host(unwrap_native(column))
        library = find_library(column)
    container = _find_container(library, column)
    numbers = container.numbers(column) if container else None
    return column if numbers is None else numbers


def as_matrix(frame: Any) -> Any:
    """Convert a frame with columns of integers to a matrix. Return all else unchanged."""
    library = find_library(frame)
    if library not in ("pandas", "polars") or not hasattr(frame, "columns"):
        return frame
    if library == "pandas":
        are_integers = [dtype.kind in "iu" for dtype in frame.dtypes]
    else:
        are_integers = [dtype.is_integer() for dtype in frame.dtypes]
    if not any(are_integers):  # so that the library rounds nothing
        return frame
    columns = [as_numbers(column) for column in list_columns(frame)]
    are_numbers = all(type(column) is np.ndarray for column in columns)
    return make_matrix_of_columns(columns) if are_numbers else frame


def find_header(frame: object) -> list[Name] | None:
    """Return the names of the columns of a table; None for arrays, and if they are only numbered
    from 0 on.
    """
    names = list_column_names(frame) or []
    return None if list(map(str, names)) == list(map(str, range(len(names)))) else names


def list_column_names(frame: object) -> list[Name] | None:
    """Return the names of the columns of a table; None for arrays."""
    if len(getattr(frame, "shape", ())) != 2:  # first, as pandas looks long for attributes
        return None
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    return None if names is None else list(names)


def split_columns(columns: Any) -> Sequence[Any] | None:
    """Return the columns of a matrix or a frame that has several, or of a tuple of columns.

    Return None for a single column. One that is a tuple has no arrays in it, because these can't
    be names of groups.
    """
    if type(columns) is np.ndarray and columns.ndim == 1:
        return None
    if type(columns) is tuple:
        return columns if columns and all(map(_is_column, columns)) else None
    columns = unwrap_native(columns)
    shape = getattr(columns, "shape", None)
    return list_columns(columns) if shape is not None and len(shape) == 2 and shape[1] > 1 else None


def _is_column(item: object) -> bool:
    is_sized = isinstance(item, list) or hasattr(type(item), "__array__")
    return is_sized and len(getattr(item, "shape", (1,))) > 0


def make_matrix_of_columns(columns: Sequence[Any]) -> Array:
    """Make a matrix of columns without rounding, of Python numbers if that is necessary."""
    arrays = [column for column in columns if type(column) is np.ndarray]
    are_numbers = all(array.dtype.kind in _NUMBER_KINDS for array in arrays)
    has_one_dtype = len({array.dtype for array in arrays}) == 1
    if len(arrays) < len(columns) or not are_numbers or has_one_dtype:
        return np.column_stack(columns)
    return concatenate_exactly(arrays).reshape(len(arrays), -1).T


def encode_column(column: Any) -> Codes | None:
    """Convert a column of strings or categories to codes. Return None for all else."""
    column = unwrap_native(column)
    container = _find_container(find_library(column), column)
    return container.encode(column) if container else None


def _find_container(library: str, column: Any) -> _Container | None:
    """Return how to convert a column; None if it is empty, a scalar, or of an unknown library."""
    is_sized = hasattr(column, "__len__") and getattr(column, "shape", None) != ()
    return _CONTAINERS.get(library) if is_sized and len(column) else None


def get_first_vector(column: Any) -> dict[Any, Any] | None:
    """Return the first value of a column of vectors by its keys; None for other columns.

    A list of lists is several columns.
    """
    column = unwrap_native(column)
    library = find_library(column)
    is_list = isinstance(column, list | tuple)
    is_column = is_list or library == "pyarrow" or len(getattr(column, "shape", ())) == 1
    if library not in HOST_LIBRARIES or not is_column or not len(column):
        return None
    first = column.iloc[0] if hasattr(column, "iloc") else column[0]
    first = first.as_py() if hasattr(first, "as_py") else first
    if isinstance(first, Mapping):  # what Arrow calls a struct
        return dict(first)
    if is_list:
        return None
    is_vector = isinstance(first, list | tuple | np.ndarray) or find_library(first) == "polars"
    return dict(enumerate(np.asarray(first).tolist())) if is_vector and len(first) else None


# --- NumPy -------------------------------------------------------------------------------------


def _numpy_numbers(array: Any) -> Array | None:
    flat = _numpy_column(array)
    return flat if flat is not None and flat.dtype.kind in _NUMBER_KINDS else None


def _numpy_codes(array: Any) -> Codes | None:
    flat = _numpy_column(array)
    return None if flat is None or flat.dtype.kind not in "UO" else _encode_strings(flat)


def _numpy_column(array: Any) -> Array | None:
    """Return an array that has one column, with one dimension. None for all else."""
    is_column = type(array) is np.ndarray and array.size == len(array) and array.ndim <= 2
    return array.ravel() if is_column else None


def _encode_strings(strings: Array) -> Codes | None:
    """Return codes of strings; None if there are other values among them."""
    try:
        codes_of_two = _encode_two_strings(strings)
        if codes_of_two:
            return codes_of_two
        if strings.dtype.kind == "O" and not isinstance(strings[0], str):
            return None
        names, code = number_groups(strings)
    except (TypeError, ValueError):  # some values cannot be compared
        return None
    values = names.tolist()
    if all(issubclass(kind, str) for kind in set(map(type, values))):
        plain = [*map(str, values)]  # np.str_ would print its type
        return Codes(code, plain, is_numbered=True)
    return None


def _encode_two_strings(strings: Any) -> Codes | None:
    """Find codes by two comparisons, if there are at most two distinct strings.

    `strings` is an array or a Series, not empty, and `==` compares each of its elements.
    """
    first = strings[0]
    if not isinstance(first, str):
        return None
    if len(strings) > _N_STRINGS_TRIED_FIRST and not _encode_two_strings(
        strings[:: -(-len(strings) // _N_STRINGS_TRIED_FIRST)]
    ):
        return None
    is_second = ~np.asarray(strings == first)
    if not is_second.any():
        return Codes(is_second, [str(first)])
    second = strings[int(is_second.argmax())]
    # numpy.ma.masked is neither equal nor unequal to a string.
    if not isinstance(second, str) or not np.array_equal(np.asarray(strings == second), is_second):
        return None
    return Codes(is_second, [str(first), str(second)])


# --- lists and tuples --------------------------------------------------------------------------


def _convert_list(listed: Any) -> Array | None:
    if not (isinstance(listed, list | tuple) and isinstance(listed[0], _NUMBER)):
        return None
    try:
        array = make_exact_array(listed)
    except (OverflowError, ValueError):  # times without a common unit; sequences among numbers
        return None
    return array if array.ndim == 1 and array.dtype.kind in _NUMBER_KINDS else None


def make_exact_array(listed: Sequence[Any]) -> Array:
    """Make an array of a list, of Python's numbers if floats would round large integers.

    NumPy makes floats of integers beside fractions, and of negative ones beside those from 2**63.
    """
    array = np.asarray(listed)
    if array.dtype.kind != "f" or not float(np.abs(array).max(initial=0)) >= MAX_EXACT_INTEGER:
        return array
    objects = np.array(listed, dtype=object)
    integers = (int(number) for number in objects.flat if isinstance(number, int | np.integer))
    return objects if any(abs(number) > MAX_EXACT_INTEGER for number in integers) else array


def _encode_list(listed: Any) -> Codes | None:
    if not (isinstance(listed, list | tuple) and isinstance(listed[0], str)):
        return None
    return _encode_strings(np.fromiter(listed, dtype=object, count=len(listed)))


# --- pandas ------------------------------------------------------------------------------------


def _pandas_numbers(frame: Any) -> Array | None:
    """Return a column of numbers without missing values as an array. None for all else."""
    column = extract_column(frame)
    dtype: Any = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):
        return column.to_numpy() if dtype.kind in _NUMBER_KINDS else None
    is_nullable = hasattr(dtype, "numpy_dtype") and dtype.kind in _NUMBER_KINDS
    if not is_nullable or column.isna().any():
        return None
    return np.asarray(column.to_numpy(dtype=dtype.numpy_dtype))


def _pandas_codes(frame: Any) -> Codes | None:
    """Return codes of strings or categories without missing values. None for all else."""
    column = extract_column(frame)
    dtype: Any = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):
        return _encode_strings(column.to_numpy()) if dtype.kind == "O" else None
    array = getattr(column, "array", column)  # the array of a Series or an index
    if hasattr(dtype, "categories"):
        return _encode_categories(array.codes, array.categories)
    if hasattr(dtype, "pyarrow_dtype") or "pyarrow" in getattr(dtype, "storage", ""):
        return _arrow_codes(array.__arrow_array__())
    return _encode_strings(column.to_numpy()) if hasattr(dtype, "storage") else None


def _encode_categories(code: Array, categories: Any) -> Codes | None:
    """Return codes of categories that are integers, strings or booleans; None if a value is
    missing, which has the code -1.
    """
    values = np.asarray(categories)
    has_one_type = values.dtype.kind in "iu" or set(map(type, values.tolist())) in ({str}, {bool})
    return Codes(code, values.tolist()) if has_one_type and code.min() >= 0 else None


# --- polars ------------------------------------------------------------------------------------


def _polars_numbers(frame: Any) -> Array | None:
    """Return a column of numbers without missing values as an array. None for all else."""
    column = extract_column(frame)
    if column is None or column.null_count():
        return None
    dtype, polars = column.dtype, sys.modules["polars"]
    if str(dtype) in ("Int128", "UInt128"):  # which NumPy lacks
        fit = -(2**63) <= column.min() and column.max() < 2**63
        return np.array(column.to_list(), dtype=np.int64 if fit else object)
    is_number = dtype.is_integer() or dtype.is_float() or dtype == polars.Boolean
    array = column.to_numpy() if is_number else np.empty(0, dtype=object)
    return array if array.dtype.kind in _NUMBER_KINDS else None


def _polars_codes(frame: Any) -> Codes | None:
    """Return codes of strings or categories without missing values. None for all else."""
    column, polars = extract_column(frame), sys.modules["polars"]
    strings = polars.String, polars.Categorical, polars.Enum
    if column is None or column.dtype not in strings or column.null_count():
        return None
    codes_of_two = _encode_two_strings(column)
    if codes_of_two:
        return codes_of_two
    if column.dtype == polars.String:
        column = column.cast(polars.Categorical)
    physical, code = number_groups(column.to_physical().to_numpy())
    row = np.empty(len(physical), dtype=np.int64)  # one of those with each code
    row[code] = np.arange(code.size)
    return Codes(code, column.gather(row).cast(polars.String).to_list())


# --- Arrow -------------------------------------------------------------------------------------


def _arrow_numbers(column: Any) -> Array | None:
    if not _is_arrow_column(column):
        return None
    types = sys.modules["pyarrow"].types
    kinds = (types.is_integer, types.is_floating, types.is_boolean)
    return column.to_numpy(zero_copy_only=False) if any(k(column.type) for k in kinds) else None


def _arrow_codes(column: Any) -> Codes | None:
    """Return codes of strings without missing values. None for all else."""
    if not _is_arrow_column(column):
        return None
    pyarrow = sys.modules["pyarrow"]
    types = pyarrow.types
    if types.is_string(column.type) or types.is_large_string(column.type):
        column = column.dictionary_encode()
    if not types.is_dictionary(column.type):
        return None
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    if column.indices.null_count or column.dictionary.null_count:
        return None
    values = column.dictionary.to_pylist()
    if len(set(values)) < len(values) or set(map(type, values)) != {str}:
        return None
    return Codes(column.indices.to_numpy(), values)


def with_nulls(column: Any) -> Any:
    """Decode a dictionary column of Arrow with nulls, which NumPy would get as some other value."""
    kind: Any = getattr(column, "type", None)
    if not (hasattr(kind, "index_type") and column.null_count):
        return column
    return column.cast(kind.value_type)


def _is_arrow_column(column: Any) -> bool:
    """Whether this is an Arrow column without missing values."""
    return hasattr(column, "dictionary_encode") and column.null_count == 0


# --- decimals ------------------------------------------------------------------------------------


class Decimals(NamedTuple):
    """A column of decimals as the nearest floats."""

    floats: Array
    n_distinct: Callable[[], int]  # of the decimals

    @property
    def are_merged(self) -> bool:
        """Whether different decimals have become equal floats."""
        n_floats = np.unique(self.floats).size
        return n_floats < self.floats.size and self.n_distinct() > n_floats


def convert_decimals(frame: Any) -> Decimals | None:
    """Read a column of decimals, which are Python's or those of Arrow, Polars or pandas.

    Return None for all else, and for one with missing values. Columns take a detour through
    strings, because Arrow's own cast rounds several times.
    """
    column: Any = frame if isinstance(frame, np.ndarray) else extract_column(unwrap_native(frame))
    library = find_library(column)
    kind: Any = getattr(column, "type" if library == "pyarrow" else "dtype", None)
    if library == "builtins" or isinstance(kind, np.dtype):
        return _decimal_objects(column) if kind is None or kind.kind == "O" else None
    if not str(kind).lower().startswith("decimal"):
        return None
    if library == "polars" and not column.null_count():
        polars = sys.modules["polars"]
        texts = column.cast(polars.String)  # which can be counted before polars 1.3, too
        return Decimals(texts.cast(polars.Float64).to_numpy(), texts.n_unique)
    if library == "pandas":
        column = getattr(column, "array", column).__arrow_array__()
    if library not in ("pandas", "pyarrow") or column.null_count:
        return None
    pyarrow, compute = sys.modules["pyarrow"], import_module("pyarrow.compute")
    floats = column.cast(pyarrow.string()).cast(pyarrow.float64())
    return Decimals(np.asarray(floats), lambda: int(compute.count_distinct(column).as_py()))


def _decimal_objects(column: Any) -> Decimals | None:
    """Read a sequence, an array or a Series, if it has only decimals, and none is nan."""
    if not (isinstance(column, Sequence | np.ndarray) or hasattr(column, "iloc")):
        return None
    if isinstance(column, np.ndarray) and column.size == len(column):
        column = column.ravel()
    if not isinstance(next(iter(column), None), Decimal):
        return None
    numbers = list(column)
    if not all(isinstance(number, Decimal) and not number.is_nan() for number in numbers):
        return None
    return Decimals(np.array(list(map(float, numbers))), lambda: len(set(numbers)))


# Libraries by the module of their containers.
_CONTAINERS = {
    "builtins": _Container(_convert_list, _encode_list),
    "numpy": _Container(_numpy_numbers, _numpy_codes),
    "pandas": _Container(_pandas_numbers, _pandas_codes),
    "polars": _Container(_polars_numbers, _polars_codes),
    "pyarrow": _Container(_arrow_numbers, _arrow_codes),
}
