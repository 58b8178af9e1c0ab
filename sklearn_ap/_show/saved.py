"""Results that are saved as JSON and loaded in another process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, nan
from typing import Any, NamedTuple, NoReturn
from uuid import UUID

import numpy as np

from .._words.errors import InvalidParameterError
from .results import in_json, one_line

VERSION = 1  # of what `to_dict` returns; raise it if older versions of the package can't read it

_ABSENT = object()


class Record(NamedTuple):
    """A dict that `to_dict` returned, maybe in another process, or that something has changed."""

    values: Mapping[str, Any]
    what: str  # the class that is loaded

    @classmethod
    def of(cls, values: Any, what: str) -> Record:
        """Check that this is a record of a version that can be read."""
        record = cls(values, what)
        if not isinstance(values, Mapping):
            is_text = isinstance(values, str | bytes)
            got = "its JSON text" if is_text else type(values).__name__
            advice = ", as in from_dict(json.loads(text))" if is_text else ""
            raise InvalidParameterError(
                f"{what}.from_dict needs the dict that to_dict returned, but got {got}. Pass that "
                f"dict{advice}."
            )
        version = record.number("version")
        if version > VERSION:
            raise InvalidParameterError(
                f"{what}.from_dict reads version {VERSION}, but this dict has version {version:g}. "
                "A newer sklearn_ap has written it: install that version here, too."
            )
        if version != VERSION:
            record.refuse("version", "no version of this package has written it")
        return record

    def get(self, name: str) -> Any:
        value = self.values.get(name, _ABSENT)
        if value is _ABSENT:
            raise InvalidParameterError(
                f"{self.what}.from_dict needs what to_dict returned, but this dict has no {name!r}."
                " Save the whole dict."
            )
        return value

    def refuse(self, name: str, why: str) -> NoReturn:
        raise InvalidParameterError(
            f"{self.what}.from_dict got {name}={_short(self.values.get(name))}, but {why}. Pass "
            "the dict that to_dict returned, without changes."
        )

    def check(self, holds: bool, name: str, why: str) -> None:
        """Refuse a value that contradicts the others."""
        if not holds:
            self.refuse(name, why)

    def number(self, name: str, may_be_none: bool = False) -> Any:
        """Return a number that isn't nan. It can be infinite."""
        value = self.get(name)
        if value is None and may_be_none:
            return None
        number = _INFINITE.get(value, value) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float) or number != number:
            self.refuse(name, "it must be a number" + " or null" * may_be_none)
        return number

    def score(self, name: str) -> Any:
        """Return a prediction score. Fractions are exact, as integers and floats are."""
        value = self.get(name)
        if isinstance(value, bool):  # predicted labels
            return value
        if isinstance(value, str) and re.fullmatch(r"-?\d+/[1-9]\d*", value):
            return Fraction(value)
        return self.number(name)

    def share(self, name: str, may_be_none: bool = False) -> float:
        """Return a fraction. If it may be undefined, None stands for nan."""
        value = self.number(name, may_be_none)
        if value is None:
            return nan
        self.check(0 <= value <= 1, name, "it must be between 0 and 1")
        return float(value)

    def count(self, name: str, may_be_none: bool = False) -> Any:
        value = self.number(name, may_be_none)
        if value is None:
            return None
        self.check(value >= 0 and value == value // 1, name, "it must be a whole number")
        return int(value)

    def text(self, name: str, may_be_none: bool = False) -> Any:
        value = self.get(name)
        is_text = isinstance(value, str) or (value is None and may_be_none)
        self.check(is_text, name, "it must be a string" + " or null" * may_be_none)
        return value

    def flag(self, name: str) -> bool:
        value = self.get(name)
        self.check(isinstance(value, bool), name, "it must be true or false")
        return bool(value)

    def counts(self, name: str, kinds: str) -> dict[Any, int] | None:
        """Return the counts of groups, whose names have the types that stand beside them."""
        pairs, kind = self.get(name), self.get(kinds)
        if pairs is None:
            self.check(kind is None, kinds, f"there is no {name}")
            return None
        shape = isinstance(pairs, list | tuple) and all(
            isinstance(pair, list | tuple) and len(pair) == 2 and _is_count(pair[1])
            for pair in pairs
        )
        self.check(shape, name, "it must be a list of [name, count]")
        try:
            names = read_names([pair[0] for pair in pairs], kind)
            found = dict(zip(names, (int(pair[1]) for pair in pairs), strict=True))
        except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError):
            self.refuse(kinds, f"not all names in {name} are of this type")
        self.check(len(found) == len(pairs), name, "a name occurs twice")
        return found


_INFINITE = {"inf": inf, "-inf": -inf}


def _is_count(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value) and value >= 0 and value == int(value)


def _short(value: Any) -> str:
    text = one_line(repr(value))
    return text if len(text) <= 60 else f"{text[:60]}..."


# --- names of groups and the like -----------------------------------------------------------------

# How the text or the number in JSON becomes a name again.
_READERS: dict[str, Callable[[Any], Any]] = {
    "NoneType": lambda value: value,
    "bool": lambda value: value,
    "int": int,
    "float": float,
    "str": str,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "Decimal": Decimal,
    "UUID": UUID,
}


def write_counts(counts: Mapping[Any, Any] | None) -> tuple[list[Any] | None, Any]:
    """Return the counts of groups as a list of [name, count], and the type of the names."""
    if counts is None:
        return None, None
    names, kind = write_names(counts)
    return [list(pair) for pair in zip(names, counts.values(), strict=True)], kind


def write_names(names: Iterable[Any]) -> tuple[list[Any], Any]:
    """Return names, such as those of groups, as what JSON has, and their type.

    The type is a string, or for tuples {"tuple": [the type of each part]}. Names of different types
    have {"each": [the type of each name]}. Names of other types than those of columns are written
    as text, and stay text.
    """
    written = [_write_name(name) for name in names]
    kinds = [kind for _, kind in written]
    is_one = all(kind == kinds[0] for kind in kinds)
    return [value for value, _ in written], kinds[0] if kinds and is_one else {"each": kinds}


def _write_name(name: Any) -> tuple[Any, Any]:
    if isinstance(name, tuple):
        parts = [_write_name(part) for part in name]
        return [value for value, _ in parts], {"tuple": [kind for _, kind in parts]}
    if isinstance(name, np.datetime64 | np.timedelta64):
        is_time = isinstance(name, np.datetime64)
        return str(name) if is_time else int(name.astype(np.int64)), str(name.dtype)
    plain = name.item() if isinstance(name, np.generic) else name
    kind = "datetime" if isinstance(plain, datetime) else type(plain).__name__  # also of pandas
    value = in_json(plain)
    if kind in _READERS and _READERS[kind](value) == plain:
        return value, kind
    return str(name), "str"


def read_names(values: list[Any], kind: Any) -> list[Any]:
    """Return the names that were written. It's an error if they aren't of this type."""
    if isinstance(kind, Mapping) and "each" in kind:
        return [_read_name(*pair) for pair in zip(values, kind["each"], strict=True)]
    return [_read_name(value, kind) for value in values]


def _read_name(value: Any, kind: Any) -> Any:
    if isinstance(kind, Mapping):
        return tuple(_read_name(*pair) for pair in zip(value, kind["tuple"], strict=True))
    if kind.startswith(("datetime64[", "timedelta64[")):
        return np.array(value, dtype=kind)[()]
    name = _READERS[kind](value)
    if _write_name(name) != (value, kind):
        raise ValueError(f"{value!r} is not a {kind}")
    return name
