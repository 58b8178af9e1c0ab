"""Containers in which people keep a column. Each is one row here, and every test uses it."""

from functools import partial

import numpy as np
import pytest


def _with(library):
    def of_library(build, column):
        try:
            return build(pytest.importorskip(library), column)
        except NotImplementedError:  # by pandas, whose indexes can't have float16
            pytest.skip("not of such numbers")

    return lambda build: partial(of_library, build)


_pandas, _polars, _arrow = map(_with, ("pandas", "polars", "pyarrow"))


def _in_another_order(pd, column):
    """Categories that are not in sorted order, one of which no sample has."""
    values, kind = np.unique(column), column.dtype.kind
    unused = "zebra" if kind in "UO" else 7 if kind == "b" else values.max() + 1
    return pd.Series(pd.Categorical(column, categories=[*values[::-1].tolist(), unused]))


def _of_strings(pl, column, enum):
    if column.dtype.kind not in "UO":
        pytest.skip("of strings alone")
    values = ["zebra", *np.unique(column)[::-1].tolist()]
    return pl.Series(column.tolist(), dtype=pl.Enum(values) if enum else pl.Categorical)


def _on_arrow(pd, column):
    pytest.importorskip("pyarrow")
    return pd.Series(column.tolist()).convert_dtypes(dtype_backend="pyarrow")


def _strings_of_python(pd, column):
    return pd.Series(column).astype("string[python]" if column.dtype.kind == "U" else column.dtype)


def _wrapped(series):
    return pytest.importorskip("narwhals").from_native(series, series_only=True)


class OnDevice:
    """An array of CuPy's, whose `__array__` only raises, and which has no `__array_namespace__`."""

    __module__ = "cupy"

    def __init__(self, array):
        self._array = np.asarray(array)
        self.shape, self.ndim, self.dtype = (
            self._array.shape,
            self._array.ndim,
            self._array.dtype,
        )

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Use `.get()`.")

    def __len__(self):
        return len(self._array)

    def __getitem__(self, places):
        return OnDevice(self._array[places])

    def get(self):
        return self._array.copy()


class Tensor(OnDevice):
    """A tensor on a GPU."""

    __module__ = "torch"

    def numpy(self, force=False):
        if not force:
            raise TypeError("can't convert cuda:0 device type tensor to numpy.")
        return self.get()


class DeviceSeries(OnDevice):
    """A Series of cuDF."""

    __module__ = "cudf"

    def to_pandas(self):
        return pytest.importorskip("pandas").Series(self._array)


def second_device(column):
    """Put an array on a device that isn't the CPU, by the array API standard."""
    xp = pytest.importorskip("array_api_strict", minversion="2.0")
    return xp.asarray(column, device=xp.Device("device1"))


def _parts(column):
    return column[:3].tolist(), column[3:].tolist()


CONTAINERS = {
    "array": np.asarray,
    "column": lambda column: column[:, np.newaxis],
    "strided": lambda column: np.repeat(column, 2)[::2],
    "objects": lambda column: column.astype(object),
    "list": lambda column: column.tolist(),
    "list of NumPy's": list,
    "tuple": lambda column: tuple(column.tolist()),
    "pandas Series": _pandas(lambda pd, column: pd.Series(column, index=range(column.size)[::-1])),
    "pandas objects": _pandas(lambda pd, column: pd.Series(column.astype(object), dtype=object)),
    "pandas nullable": _pandas(lambda pd, column: pd.Series(column.tolist()).convert_dtypes()),
    "pandas with Arrow": _pandas(_on_arrow),
    "pandas strings of Python": _pandas(_strings_of_python),
    "pandas categories": _pandas(lambda pd, column: pd.Series(column).astype("category")),
    "pandas categories in another order": _pandas(_in_another_order),
    "pandas Categorical": _pandas(lambda pd, column: pd.Categorical(column)),
    "pandas Index": _pandas(lambda pd, column: pd.Index(column)),
    "pandas frame": _pandas(lambda pd, column: pd.DataFrame({"one": column})),
    "polars Series": _polars(lambda pl, column: pl.Series(column.tolist())),
    "polars Categorical": _polars(lambda pl, column: _of_strings(pl, column, enum=False)),
    "polars Enum": _polars(lambda pl, column: _of_strings(pl, column, enum=True)),
    "polars frame": _polars(lambda pl, column: pl.DataFrame({"one": column.tolist()})),
    "narwhals Series": _pandas(lambda pd, column: _wrapped(pd.Series(column))),
    "Arrow array": _arrow(lambda pa, column: pa.array(column.tolist())),
    "Arrow chunks": _arrow(lambda pa, column: pa.chunked_array(_parts(column))),
    "Arrow table": _arrow(lambda pa, column: pa.table({"one": column.tolist()})),
    "Arrow record batch": _arrow(lambda pa, column: pa.record_batch({"one": column.tolist()})),
    "Arrow dictionary": _arrow(lambda pa, column: pa.array(column.tolist()).dictionary_encode()),
    "Arrow chunks of dictionaries": _arrow(
        lambda pa, column: pa.chunked_array(
            [pa.array(part).dictionary_encode() for part in _parts(column)]
        )
    ),
}
# Only this package takes them, and other tools without a GPU have none.
ON_GPU = {
    "CuPy array": OnDevice,
    "list of tensors on a GPU": lambda column: [Tensor(number) for number in column],
    "cuDF Series": DeviceSeries,
    "array of the standard": second_device,
}
each_container = pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)

# Two values, or one, for labels.
TWO = {
    "0 and 1": np.array([0, 1]),
    "-1 and 1": np.array([-1, 1]),
    "1 and 2": np.array([1, 2], dtype=np.uint8),
    "booleans": np.array([False, True]),
    "floats": np.array([0.0, 1.0]),
    "strings": np.array(["ham", "spam"]),
    "one number": np.array([1, 1]),
    "one string": np.array(["ham", "ham"]),
}
CLASSES = {
    "integers": np.array([0, 1, 2]),
    "integers below 0": np.array([-3, 1, 7]),
    "large integers": np.array([10**6, 1, 5]),
    "floats": np.array([0.0, 1.0, 2.0]),
    "strings": np.array(["b", "C", "a"]),
}
# Scores and weights.
NUMBERS = {
    "floats": np.linspace(0.1, 2, 40),
    "float32": np.linspace(0.1, 2, 40, dtype=np.float32),
    "float16": np.linspace(0.1, 2, 40, dtype=np.float16),
    "integers": np.arange(40),
    "uint8": np.arange(40, dtype=np.uint8),
    "booleans": np.array([True, False, True]),
}


def drawn(values, n=300):
    """Repeat some of the values, each of them at least once."""
    rng = np.random.default_rng(0)
    places = np.append(np.arange(values.size), rng.integers(values.size, size=n))
    return values[rng.permutation(places)]
