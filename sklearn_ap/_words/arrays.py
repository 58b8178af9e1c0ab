"""Conversion of labels, scores, weights and groups from any container to plain arrays, and back.

A column of numbers becomes a NumPy array, and a column of repeated values becomes `Codes`, by the
methods of its own library. `_CONTAINERS` has one entry per library. Columns that an entry doesn't
know, or that have missing values, are left unchanged for validation.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import get_config

from ..core.numbering import Name, number_groups
from ..core.tallies import in_one_dtype
from ..core.within import Array

_ON_HOST = ("builtins", "numpy", "pandas", "polars", "pyarrow")  # always on the host
_NUMBERS = "biuf"
_NUMBER = int | float | np.number | np.bool_
_MOST_EXACT = 2**53  # floats represent all integers up to here
_FEW = 100  # check this many strings first, to find a third value early


# --- arrays of other libraries -------------------------------------------------------------------


def library_of(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def native(value: Any) -> Any:
    """Unwrap a frame or a series of narwhals. Return everything else unchanged."""
    return value.to_native() if library_of(value) == "narwhals" else value


# Whether a class has an attribute. Those of Polars take 2 us to say that they don't.
has: Callable[[type, str], bool] = lru_cache(maxsize=256)(hasattr)


def to_host(array: Any) -> Any:
    """Convert tensors and array-API arrays to NumPy. Return everything else unchanged."""
    if isinstance(array, np.ndarray) or library_of(array) in _ON_HOST:
        return array
    if _is_tensor(array):
        try:
            return array.numpy(force=True)  # from any device, detached from the graph
        except TypeError:  # types such as bfloat16, which NumPy lacks and float32 can represent
            return array.float().numpy(force=True)
    if hasattr(array, "__array_namespace__"):
        for to_numpy in (partial(np.from_dlpack, device="cpu"), np.from_dlpack):  # before NumPy 2.1
            try:
                return to_numpy(array)
            except (TypeError, BufferError, RuntimeError):
                continue
        return np.asarray(array)
    return array


def in_namespace_of(array: Any, values: Array) -> Any:
    """Convert `values` to the namespace of `array`, if array API dispatch is enabled."""
    if isinstance(array, np.ndarray) or not get_config()["array_api_dispatch"]:
        return values
    if _is_tensor(array):
        namespace = sys.modules["torch"]
    elif hasattr(array, "__array_namespace__"):
        namespace = array.__array_namespace__()
    else:
        return values
    try:
        return namespace.asarray(values, device=array.device)
    except (TypeError, ValueError, RuntimeError):  # a device without float64
        return namespace.asarray(values.astype(np.float32), device=array.device)


def _is_tensor(array: object) -> bool:
    return library_of(array) == "torch" or (
        "torch" in sys.modules and isinstance(array, sys.modules["torch"].Tensor)
    )


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
        """Whether each sample has these values, with one column per value, in Fortran order."""
        code_of = {value: code for code, value in enumerate(self.values)}
        equal = np.zeros((len(values), self.code.size), dtype=bool)
        for row, value in zip(equal, values, strict=True):
            if value in code_of:
                np.equal(self.code, code_of[value], out=row)
        return equal.T

    def numbered(self) -> tuple[list[Name], Array]:
        """Return the values that occur, sorted, and the index of each sample's value among them."""
        if self.is_numbered:
            return as_list(self.values), self.code
        values, code = self._renumber(sorted(self._present_codes(), key=self.values.__getitem__))
        return as_list(values), code

    def among(self, numbers: Sequence[int] | Array) -> Array:
        """Return the values with these codes."""
        places = np.asarray(numbers, dtype=np.intp)  # of booleans, too
        if isinstance(self.values, np.ndarray):
            return np.asarray(self.values[places])
        some = (self.values[place] for place in places.tolist())
        return np.fromiter(some, dtype=object, count=places.size)

    def keep(self, rows: Array) -> Self:
        """Return the codes of some rows."""
        left = self._replace(code=self.code[rows])
        if not self.is_numbered:
            return left
        values, code = left._renumber(left._present_codes())
        return left._replace(code=code, values=values)

    def _renumber(self, present: list[int]) -> tuple[Array, Array]:
        """Return the values with these codes, and the index of each sample's value among them."""
        # Use the smallest sufficient type of signed integers.
        narrow = np.min_scalar_type(-len(self.values))
        place = np.zeros(len(self.values), dtype=narrow)
        place[present] = np.arange(len(present))
        return self.among(present), place.take(self.code, mode="clip")

    def _present_codes(self) -> list[int]:
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
    numbers: Callable[[Any], Array | None]  # converts columns of numbers without missing values
    codes: Callable[[Any], Codes | None]  # converts strings or categories without missing values


def as_numbers(given: Any) -> Any:
    """Convert a column of numbers to an array of one dimension. Return all else unchanged."""
    if type(given) is np.ndarray and given.ndim == 1:
        return given
    given = to_host(native(given))
    container = _container(given)
    found = container.numbers(given) if container else None
    return given if found is None else found


def as_matrix(given: Any) -> Any:
    """Convert a frame with columns of integers to a matrix. Return all else unchanged."""
    library = library_of(given)
    if library not in ("pandas", "polars") or not hasattr(given, "columns"):
        return given
    if not any(d.kind in "iu" if library == "pandas" else d.is_integer() for d in given.dtypes):
        return given
    found = [as_numbers(column) for column in _each_column(given)]
    return side_by_side(found) if all(type(one) is np.ndarray for one in found) else given


def header(frame: object) -> list[Name] | None:
    """Return the names of the columns of a table; None for arrays, and if they are only numbered
    from 0 on.
    """
    found = names_of(frame) or []
    return None if list(map(str, found)) == list(map(str, range(len(found)))) else found


def names_of(frame: object) -> list[Name] | None:
    """Return the names of the columns of a table; None for arrays."""
    if len(getattr(frame, "shape", ())) != 2:  # first, as pandas looks long for attributes
        return None
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    return None if names is None else list(names)


def several_columns(given: Any) -> Sequence[Any] | None:
    """Return the columns of a matrix or a frame that has several, or of a tuple of columns.

    Return None for a single column. One that is a tuple has no arrays in it, because these can't
    be names of groups.
    """
    if type(given) is np.ndarray and given.ndim == 1:
        return None
    if type(given) is tuple:
        return given if given and all(map(_is_column, given)) else None
    given = native(given)
    shape = getattr(given, "shape", None)
    return _each_column(given) if shape is not None and len(shape) == 2 and shape[1] > 1 else None


def _is_column(given: object) -> bool:
    is_sized = isinstance(given, list) or hasattr(type(given), "__array__")
    return is_sized and len(getattr(given, "shape", (1,))) > 0


def _each_column(given: Any) -> Sequence[Any]:
    """Return the columns of a frame, an Arrow table or a matrix."""
    if hasattr(given, "iloc"):
        return [given.iloc[:, place] for place in range(given.shape[1])]
    if hasattr(given, "get_columns"):  # of polars
        return list(given.get_columns())
    return list(given.columns if hasattr(given, "columns") else np.asarray(to_host(given)).T)


def side_by_side(found: Sequence[Any]) -> Array:
    """Make a matrix of columns without rounding, of Python numbers if that is necessary."""
    arrays = [column for column in found if type(column) is np.ndarray]
    are_numbers = all(array.dtype.kind in _NUMBERS for array in arrays)
    if len(arrays) < len(found) or not are_numbers or len({a.dtype for a in arrays}) == 1:
        return np.column_stack(found)
    return in_one_dtype(arrays).reshape(len(arrays), -1).T


def codes(given: Any) -> Codes | None:
    """Convert a column of strings or categories to codes. Return None for all else."""
    given = native(given)
    container = _container(given)
    return container.codes(given) if container else None


def _container(given: Any) -> _Container | None:
    is_sized = hasattr(given, "__len__") and getattr(given, "shape", None) != ()
    return _CONTAINERS.get(library_of(given)) if is_sized and len(given) else None


def only_column(given: Any) -> Any:
    """Return the column of a DataFrame that has one, None for others, and all else unchanged."""
    if len(getattr(given, "shape", ())) != 2:
        return given
    if given.shape[1] != 1:
        return None
    return given.iloc[:, 0] if hasattr(given, "iloc") else given.to_series()


def first_vector(column: Any) -> dict[Any, Any] | None:
    """Return the first value of a column of vectors by its keys; None for other columns."""
    column = native(column)
    library = library_of(column)
    is_column = library == "pyarrow" or len(getattr(column, "shape", ())) == 1
    if library not in _ON_HOST or not is_column or not len(column):
        return None
    first = column.iloc[0] if hasattr(column, "iloc") else column[0]
    first = first.as_py() if hasattr(first, "as_py") else first
    if isinstance(first, Mapping):  # what Arrow calls a struct
        return dict(first)
    is_vector = isinstance(first, list | tuple | np.ndarray) or library_of(first) == "polars"
    return dict(enumerate(np.asarray(first).tolist())) if is_vector and len(first) else None


# --- NumPy -------------------------------------------------------------------------------------


def _numpy_numbers(array: Any) -> Array | None:
    flat = _numpy_column(array)
    return flat if flat is not None and flat.dtype.kind in _NUMBERS else None


def _numpy_codes(array: Any) -> Codes | None:
    flat = _numpy_column(array)
    return None if flat is None or flat.dtype.kind not in "UO" else _codes_of_strings(flat)


def _numpy_column(array: Any) -> Array | None:
    is_column = type(array) is np.ndarray and array.size == len(array) and array.ndim <= 2
    return array.ravel() if is_column else None


def _codes_of_strings(strings: Array) -> Codes | None:
    try:
        two = _two_strings(strings)
        if two or (strings.dtype.kind == "O" and not isinstance(strings[0], str)):
            return two
        names, code = number_groups(strings)
    except (TypeError, ValueError):  # some values cannot be compared
        return None
    values = names.tolist()
    if all(issubclass(kind, str) for kind in set(map(type, values))):
        return Codes(code, list(map(str, values)), is_numbered=True)
    return None


def _two_strings(strings: Any) -> Codes | None:
    """Find codes by two comparisons, if there are at most two distinct strings."""
    one = strings[0]
    if not isinstance(one, str) or (len(strings) > _FEW and not _two_strings(strings[:_FEW])):
        return None
    same = np.asarray(strings == one)
    others = ~same
    if not others.any():
        return Codes(others, [str(one)])
    other = strings[int(others.argmax())]
    # numpy.ma.masked is neither equal nor unequal to a string.
    if not isinstance(other, str) or not np.array_equal(np.asarray(strings == other), others):
        return None
    return Codes(others, [str(one), str(other)])


# --- lists and tuples --------------------------------------------------------------------------


def _listed_numbers(given: Any) -> Array | None:
    if not (isinstance(given, list | tuple) and isinstance(given[0], _NUMBER)):
        return None
    try:
        array = exact(given)
    except (OverflowError, ValueError):  # times without a common unit; sequences among numbers
        return None
    return array if array.ndim == 1 and array.dtype.kind in _NUMBERS else None


def exact(given: Sequence[Any]) -> Array:
    """Make an array of a list, of Python's numbers if floats would round large integers.

    NumPy makes floats of integers beside fractions, and of negative ones beside those from 2**63.
    """
    array = np.asarray(given)
    if array.dtype.kind != "f" or not float(np.abs(array).max(initial=0)) >= _MOST_EXACT:
        return array
    objects = np.array(given, dtype=object)
    integers = (int(number) for number in objects.flat if isinstance(number, int | np.integer))
    return objects if any(abs(number) > _MOST_EXACT for number in integers) else array


def _listed_codes(given: Any) -> Codes | None:
    if not (isinstance(given, list | tuple) and isinstance(given[0], str)):
        return None
    return _codes_of_strings(np.fromiter(given, dtype=object, count=len(given)))


# --- pandas ------------------------------------------------------------------------------------


def _pandas_numbers(given: Any) -> Array | None:
    column = only_column(given)
    dtype: Any = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):
        return column.to_numpy() if dtype.kind in _NUMBERS else None
    is_nullable = hasattr(dtype, "numpy_dtype") and dtype.kind in _NUMBERS
    if not is_nullable or column.isna().any():
        return None
    return np.asarray(column.to_numpy(dtype=dtype.numpy_dtype))


def _pandas_codes(given: Any) -> Codes | None:
    column = only_column(given)
    dtype: Any = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):
        return _codes_of_strings(column.to_numpy()) if dtype.kind == "O" else None
    array = getattr(column, "array", column)  # the array of a Series or an index
    if hasattr(dtype, "categories"):
        return _codes_of_categories(array.codes, array.categories)
    if hasattr(dtype, "pyarrow_dtype") or "pyarrow" in getattr(dtype, "storage", ""):
        return _arrow_codes(array.__arrow_array__())
    return _codes_of_strings(column.to_numpy()) if hasattr(dtype, "storage") else None


def _codes_of_categories(code: Array, categories: Any) -> Codes | None:
    values = np.asarray(categories)
    few = values.dtype.kind in "iu" or set(map(type, values.tolist())) == {str}
    return Codes(code, values.tolist()) if few and code.min() >= 0 else None


# --- polars ------------------------------------------------------------------------------------


def _polars_numbers(given: Any) -> Array | None:
    column = only_column(given)
    if column is None or column.null_count():
        return None
    dtype, polars = column.dtype, sys.modules["polars"]
    if str(dtype) in ("Int128", "UInt128"):  # which NumPy lacks
        fit = -(2**63) <= column.min() and column.max() < 2**63
        return np.array(column.to_list(), dtype=np.int64 if fit else object)
    known = dtype.is_integer() or dtype.is_float() or dtype == polars.Boolean
    array = column.to_numpy() if known else np.empty(0, dtype=object)
    return array if array.dtype.kind in _NUMBERS else None


def _polars_codes(given: Any) -> Codes | None:
    column, polars = only_column(given), sys.modules["polars"]
    strings = polars.String, polars.Categorical, polars.Enum
    if column is None or column.dtype not in strings or column.null_count():
        return None
    two = _two_strings(column)
    if two:
        return two
    if column.dtype == polars.String:
        column = column.cast(polars.Categorical)
    physical, code = number_groups(column.to_physical().to_numpy())
    place = np.empty(len(physical), dtype=np.int64)
    place[code] = np.arange(code.size)
    return Codes(code, column.gather(place).cast(polars.String).to_list())


# --- Arrow -------------------------------------------------------------------------------------


def _arrow_numbers(given: Any) -> Array | None:
    if not _is_arrow_column(given):
        return None
    types = sys.modules["pyarrow"].types
    kinds = (types.is_integer, types.is_floating, types.is_boolean)
    return given.to_numpy(zero_copy_only=False) if any(k(given.type) for k in kinds) else None


def _arrow_codes(given: Any) -> Codes | None:
    if not _is_arrow_column(given):
        return None
    pyarrow = sys.modules["pyarrow"]
    types = pyarrow.types
    if types.is_string(given.type) or types.is_large_string(given.type):
        given = given.dictionary_encode()
    if not types.is_dictionary(given.type):
        return None
    if isinstance(given, pyarrow.ChunkedArray):
        given = given.unify_dictionaries().combine_chunks()
    if given.indices.null_count or given.dictionary.null_count:
        return None
    values = given.dictionary.to_pylist()
    if len(set(values)) < len(values) or set(map(type, values)) != {str}:
        return None
    return Codes(given.indices.to_numpy(), values)


def with_nulls(given: Any) -> Any:
    """Decode a dictionary column of Arrow with nulls, which NumPy would get as some other value."""
    kind: Any = getattr(given, "type", None)
    if not (hasattr(kind, "index_type") and given.null_count):
        return given
    return given.cast(kind.value_type)


def _is_arrow_column(given: Any) -> bool:
    """Whether this is an Arrow column without missing values."""
    return hasattr(given, "dictionary_encode") and given.null_count == 0


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


def decimals(given: Any) -> Decimals | None:
    """Read a column of decimals, which are Python's or those of Arrow, Polars or pandas.

    Return None for all else, and for one with missing values. Columns take a detour through
    strings, because Arrow's own cast rounds several times.
    """
    given = given if isinstance(given, np.ndarray) else only_column(native(given))
    library = library_of(given)
    kind: Any = getattr(given, "type" if library == "pyarrow" else "dtype", None)
    if library == "builtins" or isinstance(kind, np.dtype):
        return _decimal_objects(given) if kind is None or kind.kind == "O" else None
    if not str(kind).lower().startswith("decimal"):
        return None
    if library == "polars" and not given.null_count():
        text, number = (getattr(sys.modules["polars"], name) for name in ("String", "Float64"))
        texts = given.cast(text)  # which can be counted before polars 1.3, too
        return Decimals(texts.cast(number).to_numpy(), texts.n_unique)
    column = getattr(given, "array", given).__arrow_array__() if library == "pandas" else given
    if library not in ("pandas", "pyarrow") or column.null_count:
        return None
    pyarrow, compute = sys.modules["pyarrow"], import_module("pyarrow.compute")
    floats = column.cast(pyarrow.string()).cast(pyarrow.float64())
    return Decimals(np.asarray(floats), lambda: int(compute.count_distinct(column).as_py()))


def _decimal_objects(given: Any) -> Decimals | None:
    if not (isinstance(given, Sequence | np.ndarray) or hasattr(given, "iloc")):
        return None
    given = given.ravel() if isinstance(given, np.ndarray) and given.size == len(given) else given
    if not isinstance(next(iter(given), None), Decimal):
        return None
    each = list(given)
    if not all(isinstance(one, Decimal) and not one.is_nan() for one in each):
        return None
    return Decimals(np.array([float(one) for one in each]), lambda: len(set(each)))


# Libraries by the module of their containers.
_CONTAINERS = {
    "builtins": _Container(_listed_numbers, _listed_codes),
    "numpy": _Container(_numpy_numbers, _numpy_codes),
    "pandas": _Container(_pandas_numbers, _pandas_codes),
    "polars": _Container(_polars_numbers, _polars_codes),
    "pyarrow": _Container(_arrow_numbers, _arrow_codes),
}
