"""Read the facts of TOML files."""

import tomllib
from functools import cache
from importlib.resources import files
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
