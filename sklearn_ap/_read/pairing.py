"""Whether the rows of several tables belong together, which are paired by their position."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Self

import numpy as np

from .._words.arrays import native, to_host
from ..core.within import Array
from .tables import are_paths

_CAN_BE_ID = r"(?i)int(8|16|32|64|eger)?\b|str|utf8|char|object|date|time|uuid"
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

    @property
    def is_id(self) -> bool:
        """Whether all values are different, in different batches as far as a sample tells."""
        sampled = np.concatenate(self._sampled or [np.zeros(0)])
        return self._is_unique and np.unique(sampled).size == sampled.size

    @property
    def is_count(self) -> bool:
        """Whether the values only number the rows as they are."""
        return len(self._ahead) == 1

    @classmethod
    def of(cls, column: Any, labels: Any) -> Self:
        """Return what is kept of a column, which may be that already."""
        if isinstance(column, cls):
            return column
        marks = cls()
        marks.add(column, labels)
        return marks

    def add(self, column: Any, labels: Any) -> None:
        """Add the next rows of a column, with their labels."""
        for size in _SIZES:
            rows = getattr(column, "iloc", column)[:size]
            values = _hashed(rows)
            different = np.unique(values) if size is None else {*values.tolist()}  # of few, faster
            self._is_unique &= len(different) == len(rows)
            if not self._is_unique:
                return
        places = np.arange(self.n_rows, self.n_rows + values.size, dtype=np.uint64)
        self.n_rows += values.size
        self.by_place = (self.by_place + _summed(values, places)) % 2**64
        self.by_label = (self.by_label + _summed(values, _hashed(labels, of_floats=True))) % 2**64
        self._sampled.append(values[values * _FACTOR % _SAMPLED == 0])
        self._ahead |= {int(ahead) for ahead in np.unique(values - places)[:2]}


def _hashed(column: Any, of_floats: bool = False) -> Array:
    """Return a number for each value, equal for equal ones, or none for what no id is made of."""
    values = np.asarray(to_host(column))
    if of_floats and values.dtype.kind in "biuf":
        return values.astype(float).view(np.uint64)
    if values.dtype.kind in "iuMm":
        return values.astype(np.int64).view(np.uint64)
    try:
        hashes = [hash(value) for value in values.tolist()] if values.dtype.kind in "OSU" else []
    except TypeError:  # lists
        hashes = []
    return np.array(hashes, dtype=np.int64).view(np.uint64)


def _summed(values: Array, others: Array) -> int:
    """Return the sum of hashes of pairs, for the numbers of splitmix64."""
    mixed = values * _FACTOR + others
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return int(mixed.sum())


def all_have_index(tables: Mapping[Any, Any]) -> bool:
    """Whether all tables are of pandas, and some index is more than the numbers of the rows."""
    indexes = [getattr(native(table), "index", None) for table in tables.values()]
    are_of_pandas = all(hasattr(index, "is_unique") for index in indexes)
    return are_of_pandas and any(type(index).__name__ != "RangeIndex" for index in indexes)


def columns_in_all(tables: Mapping[Any, Any]) -> dict[str, str]:
    """Return the columns that all tables have once, and that can be ids by their types."""
    in_all: list[str] | None = None
    for table in tables.values():
        pairs = [(name, kind) for name, kind in _types_of(table) if isinstance(name, str)]
        n_times = Counter(name for name, _ in pairs)
        names = [name for name, kind in pairs if n_times[name] == 1 and _can_be_id(str(kind))]
        in_all = names if in_all is None else [name for name in in_all if name in names]
    return {name: name for name in in_all or ()}


@cache
def _can_be_id(kind: str) -> bool:
    """Whether columns of a type can be ids: integers, strings and times, and objects of pandas."""
    return re.search(_CAN_BE_ID, kind) is not None and re.search(_NESTED, kind) is None


def _types_of(table: Any) -> list[tuple[Any, Any]]:
    """Return pairs of the name of a column and its type, as far as a table tells."""
    table = native(table)
    if are_paths(table):
        return [*import_module(f"{__package__}.arrow").types_of(table).items()]
    if hasattr(type(table), "collect_schema"):  # of polars
        return [*table.collect_schema().items()]
    schema: Any = getattr(table, "schema", None)
    schema = schema() if callable(schema) else schema  # of Ibis
    if hasattr(schema, "types"):
        return [*zip(schema.names, schema.types, strict=True)]
    if hasattr(table, "dtypes"):
        return [*zip(table.columns, table.dtypes, strict=True)]
    return [(name, "object") for name in table] if isinstance(table, Mapping) else []


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
    marks = {name: Marks.of(column, labels) for name, column in columns.items()}
    marks = {name: of_column for name, of_column in marks.items() if of_column.is_id}
    n_confirmed = 0
    for model, (columns, labels) in others:
        pairs = [
            (name, one, Marks.of(columns[name], labels))
            for name, one in marks.items()
            if name in columns
        ]
        if any(one.by_place == other.by_place and not one.is_count for _, one, other in pairs):
            n_confirmed += 1
            continue
        for name, one, other in pairs:
            if other.is_id and one.by_label == other.by_label and one.by_place != other.by_place:
                raise ValueError(
                    f"The rows of the tables of {first!r} and {model!r} are in different orders: "
                    f"{name} has the same values with the same labels in other places, and rows "
                    f"are paired by their place. {_SORTED[name == INDEX].format(name)}"
                )
    return n_confirmed == len(others)


INDEX = "the index"  # of pandas
_SORTED = (
    "Sort both tables by {0!r}, as by table.sort_values({0!r}) of pandas, or pass clusters={0!r}, "
    "which pairs rows with the same value.",
    "Pass table.sort_index() of both.",
)
