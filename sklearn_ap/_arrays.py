"""Arrays of other libraries: how they come to the host, and how an answer goes back."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config

_ON_HOST = ("builtins", "numpy", "pandas", "polars", "pyarrow")  # what is never elsewhere


def library_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def to_host(array: Any) -> Any:
    """Tensors and array-API arrays as NumPy arrays; everything else as it is."""
    if isinstance(array, np.ndarray) or library_of(array) in _ON_HOST:
        return array
    if _is_tensor(array):
        try:
            return array.numpy(force=True)  # from any device, out of the graph
        except TypeError:  # bfloat16 and its kin, which NumPy does not have and float32 holds
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
    return np.from_dlpack(array, device="cpu")  # the keyword is of NumPy 2.1


def in_namespace_of(array: Any, values: NDArray[np.float64]) -> Any:
    """`values` where scikit-learn would give them: with `array`, while it dispatches on arrays."""
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
