"""Arrays and columns of other libraries, on the host, and values back in their namespaces."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

import numpy as np
from sklearn import get_config

from ..core.ragged import Array

HOST_LIBRARIES = ("builtins", "numpy", "pandas", "polars", "pyarrow")  # always on the host
_DEVICE_LIBRARIES = ("cupy", "torch")  # items of lists that NumPy refuses


def find_library(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def unwrap_native(value: Any) -> Any:
    """Unwrap a frame or a series of narwhals. Return everything else unchanged."""
    return value.to_native() if find_library(value) == "narwhals" else value


# Whether a class has an attribute. Those of Polars take 2 us to say that they don't.
has: Callable[[type, str], bool] = lru_cache(maxsize=256)(hasattr)


def to_host(array: Any) -> Any:
    """Convert tensors, arrays and columns on any device to the host, also in a list, and an Arrow
    table of one column to that. Return everything else unchanged.
    """
    if isinstance(array, np.ndarray):
        return array
    library = find_library(array)
    if isinstance(array, list | tuple) and array and find_library(array[0]) in _DEVICE_LIBRARIES:
        items = list(map(to_host, array))
        return np.asarray(items) if np.ndim(items[0]) == 0 else type(array)(items)
    if library == "cudf":
        return array.to_pandas()
    if library == "cupy":
        return array.get()
    if library == "pyarrow" and getattr(array, "num_columns", 0) == 1:
        return extract_column(array)  # before NumPy changes nulls and strings of the table
    if library in HOST_LIBRARIES:
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


def namespace_on_device(array: Any) -> Any:
    """Return the namespace of the array API standard of an array on a device, such as a GPU.

    Return None on the host, without float64, and before scikit-learn 1.7.
    """
    if find_library(array) in HOST_LIBRARIES or not hasattr(array, "device"):
        return None
    if "cpu" in str(array.device).lower():
        return None
    try:
        compat = import_module("sklearn.externals.array_api_compat")
        namespace = compat.array_namespace(array)
        floats = namespace.__array_namespace_info__().dtypes(
            device=array.device, kind="real floating"
        )
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
    return namespace if floats.get("float64") == namespace.float64 else None


def to_namespace(array: Any, values: Array) -> Any:
    """Convert `values` to the namespace of `array`, if array API dispatch is enabled."""
    if isinstance(array, np.ndarray) or not get_config()["array_api_dispatch"]:
        return values
    if _is_tensor(array):
        namespace = sys.modules["torch"]
    elif find_library(array) == "cupy":
        return sys.modules["cupy"].asarray(values)
    elif hasattr(array, "__array_namespace__"):
        namespace = array.__array_namespace__()
    else:
        return values
    try:
        return namespace.asarray(values, device=array.device)
    except (TypeError, ValueError, RuntimeError):  # a device without float64
        return namespace.asarray(values.astype(np.float32), device=array.device)


def _is_tensor(array: object) -> bool:
    return find_library(array) == "torch" or (
        "torch" in sys.modules and isinstance(array, sys.modules["torch"].Tensor)
    )


def extract_column(frame: Any) -> Any:
    """Return the column of a table that has one, None for others, and all else unchanged."""
    if len(getattr(frame, "shape", ())) != 2:
        return frame
    if frame.shape[1] != 1:
        return None
    return list_columns(frame)[0]


def list_columns(frame: Any) -> Sequence[Any]:
    """Return the columns of a frame, an Arrow table or a matrix."""
    if hasattr(frame, "iloc"):
        return [frame.iloc[:, place] for place in range(frame.shape[1])]
    if hasattr(frame, "get_columns"):  # of polars
        return list(frame.get_columns())
    return list(frame.columns if hasattr(frame, "columns") else np.asarray(to_host(frame)).T)
