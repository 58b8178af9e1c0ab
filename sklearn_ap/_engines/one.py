"""Engine for arrays in memory, as a single chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from .._engine import COLUMNS, Chunk, Engine


@dataclass(frozen=True)
class One(Engine):
    columns: Mapping[str, Any]
    chunk: Chunk

    @classmethod
    def of(cls, *given: Any) -> Self:
        pairs = zip(COLUMNS, given, strict=False)
        columns = {role: column for role, column in pairs if column is not None}
        return cls(columns, [columns.get(role) for role in COLUMNS])

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        return make(self.chunk, *args)
