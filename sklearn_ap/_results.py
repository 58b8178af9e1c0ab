"""What the result classes have in common."""

from dataclasses import fields
from html import escape
from typing import Any


class Result:
    """Base class of results, which print, display in notebooks and convert to a dict."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, which can be a row of a table."""
        shown = [field for field in fields(self) if field.repr]  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in shown}
