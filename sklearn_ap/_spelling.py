"""How sentences write parameters and name rows: as in calls of functions, or while a command runs,
as options and lines of files.

A sentence asks for each parameter that its reader can pass. In one with {arg('k_counts', 'weight')}
stands k_counts='weight', or --k-counts weight.
"""

from contextvars import ContextVar
from typing import Any

_WORDS = ("denominator", "k_counts", "method", "unjudged", "unjudged_queries")  # have such values


class Spelling:
    """How sentences for callers of functions are written."""

    from_files = False  # whether tables and mappings are files, for which code is no advice
    lower_is_better = False  # whether the reader passes scores that are then negated

    def can_pass(self, parameter: str) -> bool:
        return True

    def parameter(self, name: str) -> str:
        return name

    def argument(self, name: str, value: object) -> str:
        """Write a parameter with its value, which is "" if the sentence says what to pass."""
        return f"{name}={value!r}" if name in _WORDS and value else f"{name}={value}"

    def parameter_of(self, name: str, function: str) -> str:
        return f"The {name!r} parameter of {function}"

    def row(self, place: int, model: Any) -> str:
        """Name a row of the only table, or of the table of a model."""
        return f"row {place} (counted from 0)"


_OF_PYTHON = Spelling()
in_force: ContextVar[Spelling] = ContextVar("in_force", default=_OF_PYTHON)


def spell(name: str) -> str:
    """Write the name of a parameter."""
    return in_force.get().parameter(name)


def arg(name: str, value: object = "") -> str:
    """Write a parameter with its value, or with what comes before one."""
    return in_force.get().argument(name, value)


def row_of_table(place: int, model: Any) -> str:
    """Name a row of the only table, or of the table of a model."""
    return in_force.get().row(place, model)


def can_pass(parameter: str) -> bool:
    """Whether the reader of a sentence can pass this parameter."""
    return in_force.get().can_pass(parameter)


def from_files() -> bool:
    """Whether the reader of a sentence passes files, where others pass tables and mappings."""
    return in_force.get().from_files
