"""Columns of Arrow become chunks: shared by all engines that read Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .. import _validation as check
from .._passes import COLUMNS, Chunk

ROWS = 2**20  # how many are counted at once
_FEW = 100  # strings that are likely to be labels, and not names of groups


def gather(batches: Iterable[Any], n_rows: int | None = ROWS) -> Iterator[Any]:
    """Tables of about n_rows rows from batches of any size, or one table of all."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if n_rows is not None and sum(some.num_rows for some in held) >= n_rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def to_chunk(table: Any, columns: Mapping[str, str]) -> Chunk:
    """The labels, scores, weights and groups of a table whose columns play these roles."""
    given = {}
    for role, name in columns.items():
        column = table.column(name)
        check.check_no_nulls(role, column.null_count)
        given[role] = _to_numpy(column, role)
    return [given.get(role) for role in COLUMNS]


def nothing(columns: Iterable[str]) -> Chunk:
    """A chunk without rows."""
    return [np.zeros(0) if role in columns else None for role in COLUMNS]


def _to_numpy(column: Any, role: str) -> Any:
    import pyarrow as pa

    kind, types = column.type, pa.types
    if types.is_decimal(kind) and (role in ("y_true", "sample_weight") or kind.precision <= 15):
        column = column.cast(pa.float64())  # tells decimals of 15 digits apart
    if types.is_string_view(kind):
        column = column.cast(pa.large_string())
    if not (types.is_dictionary(kind) or _is_string(column.type, types)):
        return column.to_numpy()
    # Few strings, many times.
    coded = column if types.is_dictionary(kind) else column.dictionary_encode()
    coded = coded.unify_dictionaries().combine_chunks()
    values = coded.dictionary.to_pylist()
    if not all(isinstance(value, str) for value in values):
        return np.asarray(values)[coded.indices.to_numpy()]
    # NumPy's own strings are faster where they are short and lose nothing, such as a final "\0".
    short = len(values) < _FEW and not any(value.endswith("\0") for value in values)
    distinct = np.array(values, dtype=None if short else object)
    return distinct[coded.indices.to_numpy()]


def _is_string(kind: Any, types: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))
