"""Readers for the files of other tools, whose tables know what their columns are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .core.segments import Array

__all__ = ["Retrieved"]


@dataclass(frozen=True, eq=False, repr=False)
class Retrieved:
    """What a search engine or a detector retrieved, as a table that knows its columns.

    Pass it as `data` to any function of sklearn_ap, without names of columns. Arguments that you
    pass take precedence over what the table knows.

    Attributes
    ----------
    columns : dict of str to ndarray
        The columns, each with an entry for every retrieved item.
    roles : dict of str to str
        Which column is `y_true`, `y_score`, `groups` or `clusters`.
    n_positives : dict
        How many positives exist in each group, found or not.
    """

    columns: Mapping[str, Array]
    roles: Mapping[str, str]
    n_positives: Mapping[Any, int]

    def known_arguments(self) -> dict[str, Any]:
        """Return the arguments that functions of sklearn_ap take from this table."""
        return {**self.roles, "n_positives": self.n_positives}

    def __len__(self) -> int:
        return len(self.columns[self.roles["y_true"]])

    def __repr__(self) -> str:
        parts = [f"{len(self):,} rows", f"{len(self.n_positives):,} groups"]
        if "judged" in self.columns:
            parts.append(f"{np.mean(self.columns['judged']):.1%} judged")
        return f"Retrieved({', '.join(parts)})"
