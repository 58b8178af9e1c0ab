"""What functions return that is more than a number."""

from dataclasses import fields
from html import escape
from typing import Any


class Result:
    """What results share: they print, show in a notebook, and turn into a dict."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """The fields by their names, for a row of a table."""
        shown = [field for field in fields(self) if field.repr]  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in shown}
