"""Arrays of other libraries: copying them to the host, and returning results in their namespace."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config

_ON_HOST = ("builtins", "numpy", "pandas", "polars", "pyarrow")  # always on the host


def library_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


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
        for to_numpy in (_from_any_device, np.from_dlpack):
            try:
                return to_numpy(array)
            except (TypeError, BufferError, RuntimeError):
                continue
        return np.asarray(array)
    return array


def _from_any_device(array: Any) -> NDArray[Any]:
    return np.from_dlpack(array, device="cpu")  # the keyword requires NumPy 2.1


def in_namespace_of(array: Any, values: NDArray[np.float64]) -> Any:
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


def _is_tensor(array: Any) -> bool:
    return library_of(array) == "torch" or (
        "torch" in sys.modules and isinstance(array, sys.modules["torch"].Tensor)
    )
