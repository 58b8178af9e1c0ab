"""Operating points as dicts of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .._show.results import VERSION, in_json
from .._words.errors import InvalidParameterError
from .point import ChosenFrom, Point
from .targets import Targets

_NOT_SAVED = {"source", "origin", "flagged_per_group"}
_INFINITE = {"inf": float("inf"), "-inf": float("-inf")}


def point_as_dict(point: Point) -> dict[str, Any]:
    """Return what a check in another process needs."""
    own = {each.name: getattr(point, each.name) for each in fields(point)}
    own = {name: value for name, value in own.items() if name not in _NOT_SAVED}
    source = point.source._asdict()
    request = source.pop("request")._asdict() | {"k_counts": str(point.source.request.k_counts)}
    values = own | {"source": source, "request": request, "conditions": point.conditions}
    saved: dict[str, Any] = in_json({"version": VERSION} | values)
    return saved


def fields_of(values: Any) -> dict[str, Any]:
    """Return the fields of a point that was saved."""
    if not isinstance(values, Mapping) or values.get("version") != VERSION:
        raise InvalidParameterError(
            f"from_dict needs the dict that to_dict of version {VERSION} returned. Load it with "
            "json.loads, or choose the threshold again."
        )
    own = {name: _loaded(values[name]) for name in values if name not in ("version", "conditions")}
    own |= {name: float("nan") for name in ("precision", "recall") if own[name] is None}
    request, source = own.pop("request"), own.pop("source")
    return own | {"source": ChosenFrom(Targets(**request), **source)}


def _loaded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _loaded(each) for name, each in value.items()}
    return _INFINITE.get(value, value) if isinstance(value, str) else value
