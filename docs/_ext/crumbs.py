"""The path above a page, the menus beside it, and the links to its neighbors."""

from posixpath import dirname, join, normpath
from typing import Any

from sphinx.application import Sphinx

GALLERY = "auto_examples/"


def without_first_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let the path begin with what the page is about: "Quick start" only heads the menu."""
    parents = context.get("parents", [])
    context["parents"] = [each for each in parents if "getting_started" not in each["link"]]


def without_other_parts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave out a neighbor that is in the gallery if the page isn't, or the other way around."""
    for side in ("prev", "next"):
        if neighbor := context.get(side):
            place = normpath(join(dirname(page), neighbor["link"]))
            if place.startswith(GALLERY) != page.startswith(GALLERY):
                context[side] = None


def with_first_menu_open(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Open the first menu beside each page. The theme opens the one with the page."""
    if generate := context.get("generate_toctree_html"):

        def generate_open(kind: str, **options: Any) -> Any:
            html = generate(kind, **options)
            return (
                html.replace("<details>", '<details open="open">', 1) if kind == "sidebar" else html
            )

        context["generate_toctree_html"] = generate_open


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", without_first_page)
    app.connect("html-page-context", without_other_parts)
    app.connect("html-page-context", with_first_menu_open, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
