"""The path above a page begins with what it is about: "Quick start" only heads the menu."""

from typing import Any

from sphinx.application import Sphinx


def without_first_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    parents = context.get("parents", [])
    context["parents"] = [each for each in parents if "getting_started" not in each["link"]]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", without_first_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
