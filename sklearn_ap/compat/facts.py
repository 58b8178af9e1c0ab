"""Read the facts of TOML files, such as what scikit-learn's `average_precision_score` returns."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from textwrap import fill
from typing import Any, TypeVar

from .._core import load

Fact = TypeVar("Fact")


class Table(tuple[Fact, ...]):
    """Rows that print one after another, and become a DataFrame."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self))

    def to_frame(self) -> Any:
        """Return a DataFrame of pandas."""
        return load("pandas", "to_frame").DataFrame(map(vars, self))


@cache
def read_toml(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / name).read_text(encoding="utf-8"))


def find_reason(table: str, name: str) -> str:
    """Return why a value differs, from a table of peers.toml, or an empty text."""
    return str(read_toml("peers.toml")[table].get(name, ""))


@dataclass(frozen=True)
class Difference:
    """What some releases return for one small input, and what this package returns for it.

    `ours` and `theirs` are the value or the name of an error. If only a warning or a type differs,
    they name it instead. `call` is code with NumPy's `np`, and Python's `Decimal` and `datetime`.
    """

    id: str
    title: str
    versions: str  # "<0.19", "0.15-0.17", ">=0.20" or "1.9"
    call: str
    ours: float | str
    theirs: float | str
    reason: str
    reference: str  # pull requests or issues, or the releases in which it was seen
    recorded: Mapping[str, float | str] = field(default_factory=dict)  # differing ones, by release

    def __str__(self) -> str:
        there = self.theirs if isinstance(self.theirs, str) else f"{self.theirs:.6g}"
        here = self.ours if isinstance(self.ours, str) else f"{self.ours:.6g}"
        reason = fill(self.reason, 96, initial_indent="    ", subsequent_indent="    ")
        title = f"scikit-learn {self.versions}: {self.title}: {there}, here {here}"
        return f"{title}\n    {self.call}\n{reason}"


def read_differences() -> Table[Difference]:
    return Table(Difference(**row) for row in read_toml("differences.toml")["differences"])
