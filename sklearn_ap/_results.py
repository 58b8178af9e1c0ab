"""What the result classes have in common."""

from collections.abc import Mapping
from dataclasses import fields
from html import escape
from typing import Any

import numpy as np

from ._arrays import to_host


class Value:
    """Base class of frozen dataclasses that are equal if they have the same values.

    Unlike the methods that dataclasses generate, these let nan equal nan.
    """

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return are_same(_compared(self), _compared(other))

    def __hash__(self) -> int:
        return hash(hashable(_compared(self)))


def _compared(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, field.name) for field in fields(value) if field.compare)


def are_same(one: Any, other: Any) -> bool:
    """Whether two values, or containers of the same type, are the same. Here, nan equals nan."""
    if one is other:
        return True
    if any(hasattr(value, "__len__") for value in (one, other)) and type(one) is not type(other):
        return False
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(are_same, one, other))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(are_same(one[key], other[key]) for key in one)
    if hasattr(one, "equals"):  # of pandas, polars and Arrow
        return bool(one.equals(other))
    if np.ndim(one):
        one, other = np.asarray(to_host(one)), np.asarray(to_host(other))
        same = one.shape == other.shape and one.dtype == other.dtype
        return same and bool(np.all((one == other) | ((one != one) & (other != other))))
    return bool(one == other) or _are_nan(one, other)


def hashable(value: Any) -> Any:
    """Return something that is equal for all values that are the same."""
    if isinstance(value, tuple):
        return tuple(map(hashable, value))
    if hasattr(value, "__len__") and not isinstance(value, str):
        return None  # what it contains can change
    return "nan" if _are_nan(value) else value


def _are_nan(*values: Any) -> bool:
    return all(isinstance(value, float | np.floating) and value != value for value in values)


class Result(Value):
    """Base class of results, which print, display in notebooks and convert to a dict."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, which can be a row of a table."""
        shown = [field for field in fields(self) if field.repr]  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in shown}
