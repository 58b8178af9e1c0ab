"""Results that are saved as JSON and loaded in another process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from math import inf, nan
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from .._show.results import VERSION, in_json
from .._words.errors import InvalidParameterError

_INFINITE = {"inf": inf, "-inf": -inf}


def with_digest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as a dict of JSON with its version, and a digest that tells if it's changed."""
    record = {"version": VERSION} | {name: in_json(value) for name, value in values.items()}
    return record | {"digest": _digest(record)}


def _digest(values: Mapping[str, Any]) -> str:
    """Return the same text for equal values, in whatever order and way something writes them."""
    text = json.dumps(_whole_as_int(values), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:16]


def _whole_as_int(value: Any) -> Any:
    """Return a value of JSON whose whole numbers are integers, as JavaScript writes them."""
    if isinstance(value, Mapping):
        return {str(key): _whole_as_int(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole_as_int(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Record(NamedTuple):
    """A dict that `to_dict` returned, maybe in another process."""

    values: Mapping[str, Any]
    what: str  # the class that is loaded

    @classmethod
    def of(cls, values: Any, what: str) -> Record:
        """Check that this is the record of a class, with a version that can be read."""
        if not isinstance(values, Mapping):
            is_text = isinstance(values, str | bytes)
            got = "its JSON text" if is_text else type(values).__name__
            advice = ", as in from_dict(json.loads(text))" if is_text else ""
            raise InvalidParameterError(
                f"{what}.from_dict needs the dict that to_dict returned, but got {got}. Pass that "
                f"dict{advice}."
            )
        record = cls(values, what)
        version = record.get("version")
        if version != VERSION:
            is_newer = isinstance(version, int | float) and version > VERSION
            advice = (
                "It was written by a newer sklearn_ap: install that version here, too."
                if is_newer
                else "Choose the threshold again, and save it."
            )
            raise InvalidParameterError(
                f"{what}.from_dict reads version {VERSION}, but this dict has version {version!r}. "
                f"{advice}"
            )
        without_digest = {name: value for name, value in values.items() if name != "digest"}
        try:
            is_as_saved = values.get("digest") == _digest(without_digest)
        except RecursionError:  # lists in lists
            is_as_saved = False
        if not is_as_saved:
            raise InvalidParameterError(
                f"{what}.from_dict got a dict that isn't what to_dict returned: its digest shows "
                "that something was changed, added or left out. Pass the dict as it was saved, as "
                "JSON, because CSV changes types, or choose the threshold again."
            )
        return record

    def get(self, name: str) -> Any:
        if name not in self.values:
            raise InvalidParameterError(
                f"{self.what}.from_dict needs what to_dict returned, but this dict has no {name!r}."
                " Save the whole dict."
            )
        return self.values[name]

    def number(self, name: str) -> Any:
        """Return a number, which can be infinite, or None."""
        value = self.get(name)
        return _INFINITE.get(value, value) if isinstance(value, str) else value

    def score(self, name: str) -> Any:
        """Return a prediction score. Fractions are exact, as integers and floats are."""
        value = self.get(name)
        is_fraction = isinstance(value, str) and value not in _INFINITE
        return Fraction(value) if is_fraction else self.number(name)

    def share(self, name: str) -> float:
        """Return a fraction, which is nan if it's undefined."""
        value = self.number(name)
        return nan if value is None else float(value)

    def counts(self, name: str, kinds: str) -> dict[Any, int] | None:
        """Return the counts of groups, whose names have the types that the record has as `kinds`.

        Without counts, both are None.
        """
        pairs, kind = self.get(name), self.get(kinds)
        if pairs is None:
            return None
        are_mixed = isinstance(kind, Mapping) and "each" in kind
        kind_of_each = kind["each"] if are_mixed else [kind] * len(pairs)
        of_groups = zip(pairs, kind_of_each, strict=True)
        return {_load_name(value, kind): count for (value, count), kind in of_groups}


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
    """Return the counts of groups as a list of [name, count], and the type of the names.

    The type is a string, or for tuples {"tuple": [the type of each part]}. Names of different types
    have {"each": [the type of each name]}. Names of other types than those of columns are written
    as text, and stay text.
    """
    if counts is None:
        return None, None
    names, kinds = [], []
    for name in counts:
        value, kind = _write_name(name)
        names.append(value)
        kinds.append(kind)
    is_one = kinds and all(kind == kinds[0] for kind in kinds)
    pairs = [list(pair) for pair in zip(names, counts.values(), strict=True)]
    return pairs, kinds[0] if is_one else {"each": kinds}


def _write_name(name: Any) -> tuple[Any, Any]:
    """Return a name as what JSON has, and its type; see `write_counts`."""
    if isinstance(name, tuple):
        pairs = [_write_name(item) for item in name]
        return [value for value, _ in pairs], {"tuple": [kind for _, kind in pairs]}
    if isinstance(name, np.datetime64):
        return str(name), str(name.dtype)
    if isinstance(name, np.timedelta64):
        return int(name.astype(np.int64)), str(name.dtype)
    plain = name.item() if isinstance(name, np.generic) else name
    kind = "datetime" if isinstance(plain, datetime) else type(plain).__name__  # also of pandas
    value = in_json(plain)
    if kind in _READERS and _READERS[kind](value) == plain:
        return value, kind
    return str(name), "str"


def _load_name(value: Any, kind: Any) -> Any:
    """Return the name that `_write_name` wrote as these."""
    if isinstance(kind, Mapping):
        return tuple(_load_name(*pair) for pair in zip(value, kind["tuple"], strict=True))
    if kind.startswith(("datetime64[", "timedelta64[")):
        return np.array(value, dtype=kind)[()]
    return _READERS[kind](value)
