"""Whether the rows of several tables belong together, which are paired by their position."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Self

import numpy as np

from .._words.arrays import native, to_host
from ..core.within import Array
from .tables import are_paths

INDEX = "the index"  # of pandas
_IDS = r"(?i)int(8|16|32|64|eger)?\b|str|utf8|char|object|date|time|uuid"  # types of ids
_NESTED = r"(?i)list|struct|map|array|\[\]|<"
_SIZES = 100, 10_000, None  # rows that are looked at, as most columns soon repeat a value
_SAMPLED = 64  # of so many values, one is compared with those of other batches
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with irregular bits


class Marks:
    """What is kept of a column that may be an id: sums of hashes, added up as batches come."""

    def __init__(self) -> None:
        self.n_rows = self.by_place = self.by_label = 0
        self._is_unique = True
        self._sampled: list[Array] = []
        self._ahead = set[int]()  # by how much numbers are ahead of their places

    @classmethod
    def of(cls, column: Any, labels: Any) -> Self:
        """Return what is kept of a column, which may be that already."""
        if isinstance(column, cls):
            return column
        marks = cls()
        marks.add(column, labels)
        return marks

    @property
    def is_id(self) -> bool:
        """Whether all values are different, in different batches as far as a sample tells."""
        sampled = np.concatenate(self._sampled or [np.zeros(0)])
        return self._is_unique and np.unique(sampled).size == sampled.size

    @property
    def is_count(self) -> bool:
        """Whether the values only number the rows as they are."""
        return len(self._ahead) == 1

    def add(self, column: Any, labels: Any) -> None:
        """Add the next rows of a column, with their labels."""
        for size in _SIZES if self._is_unique else ():
            values = _hashed(getattr(column, "iloc", column)[:size])
            different = np.unique(values) if size is None else {*values.tolist()}  # of few, faster
            if len(different) < values.size:
                self._is_unique = False
        if not self._is_unique:
            return
        places = np.arange(self.n_rows, self.n_rows + values.size, dtype=np.uint64)
        self.n_rows += values.size
        self.by_place = (self.by_place + _summed(values, places)) % 2**64
        self.by_label = (self.by_label + _summed(values, _hashed(labels))) % 2**64
        self._sampled.append(values[values * _FACTOR % _SAMPLED == 0])
        self._ahead |= {int(ahead) for ahead in np.unique(values - places)[:2]}


def _hashed(column: Any) -> Array:
    """Return a number for each value, which is the same for equal values."""
    values = np.asarray(to_host(column))
    if values.dtype.kind not in "biu":
        values = np.array([hash(str(value)) for value in values.tolist()], dtype=np.int64)
    return values.astype(np.int64).view(np.uint64)


def _summed(values: Array, others: Array) -> int:
    """Return the sum of hashes of pairs of numbers, as splitmix64 mixes them."""
    mixed = values * _FACTOR + others
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return int(mixed.sum())


def columns_in_all(tables: Mapping[Any, Any]) -> dict[str, str]:
    """Return the columns that all tables have, and that may be ids by their types."""
    first, *others = [[*_possible_ids(native(table))] for table in tables.values()]
    return {
        name: name for name in first if all(other.count(name) == 1 for other in (first, *others))
    }


def _possible_ids(table: Any) -> Iterator[str]:
    """Yield the columns of a table that may be ids by their types, as far as it tells them."""
    schema = getattr(table, "collect_schema", None) or getattr(table, "schema", None)
    types: Any = schema() if callable(schema) else schema
    if are_paths(table):
        types = import_module(f"{__package__}.arrow").types_of(table)
    elif isinstance(table, Mapping):
        types = {name: getattr(column, "dtype", "object") for name, column in table.items()}
    if isinstance(types, Mapping):
        pairs = [*types.items()]
    elif hasattr(types, "types"):  # of Arrow, and Ibis
        pairs = [*zip(types.names, types.types, strict=True)]
    else:
        pairs = [*zip(getattr(table, "columns", ()), getattr(table, "dtypes", ()), strict=False)]
    for name, kind in pairs:
        if isinstance(name, str) and _is_of_ids(str(kind)):
            yield name


@cache
def _is_of_ids(kind: str) -> bool:
    """Whether a column of this type may have ids: integers, texts, times, or objects of pandas."""
    return re.search(_IDS, kind) is not None and re.search(_NESTED, kind) is None


def is_sorted(column: Array) -> bool:
    """Whether a column rises or falls, which a few rows of most columns refute."""
    for size in _SIZES:
        rows = column[:size]
        if not ((rows[1:] >= rows[:-1]).all() or (rows[1:] <= rows[:-1]).all()):
            return False
    return column.ndim == 1


def are_together(tables: Mapping[Any, tuple[Mapping[str, Any], Any]]) -> bool:
    """Whether an id of the tables of several models says that their rows are in the same order.
    Refuse tables of which no id says so, and one that they are in another order.

    Each model has columns, or their marks, and the labels of the rows.
    """
    (first, (columns, labels)), *others = tables.items()
    ids = {name: marks for name in columns if (marks := Marks.of(columns[name], labels)).is_id}
    n_confirmed = 0
    for model, (columns, labels) in others:
        both = [name for name in ids if name in columns]
        pairs = [(name, ids[name], Marks.of(columns[name], labels)) for name in both]
        if any(one.by_place == other.by_place and not one.is_count for _, one, other in pairs):
            n_confirmed += 1
            continue
        for name, one, other in pairs:
            if other.is_id and one.by_label == other.by_label and one.by_place != other.by_place:
                advice = "Pass table.sort_index() of both."
                if name != INDEX:
                    advice = (
                        f"Sort both tables by {name!r}, as by table.sort_values({name!r}) of "
                        f"pandas, or pass clusters={name!r}, which pairs rows with the same value."
                    )
                raise ValueError(
                    f"The rows of the tables of {first!r} and {model!r} are in different orders: "
                    f"{name} has the same values with the same labels in other places, and rows "
                    f"are paired by their place. {advice}"
                )
    return n_confirmed == len(others)
