"""What search engines show: the title of each page, and its first sentences as the description."""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FIRST_TITLE = "sklearn_ap: average precision for scikit-learn"
LONGEST = 200  # characters, of which search engines show most


def description(page: nodes.document) -> str:
    """Return as many of the first sentences as there is room for, or the start of the first."""
    for paragraph in page.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        is_aside = "notebook" in paragraph["classes"] or isinstance(paragraph.parent, nodes.note)
        if is_aside or len(text) < 40 or text.startswith("In the guide:"):
            continue
        if len(text) <= LONGEST:
            return text
        sentences = [end.end() for end in re.finditer(r"[.?!](?= )", text[:LONGEST])]
        return text[: sentences[-1]] if sentences else text[:LONGEST].rpartition(" ")[0] + " ..."
    return ""


def describe(
    app: Sphinx, name: str, template: str, context: dict[str, Any], page: nodes.document | None
) -> None:
    if name == app.config.root_doc:
        context |= {"title": FIRST_TITLE, "docstitle": None}
    if page and (words := description(page)):
        context["metatags"] += f'\n<meta name="description" content="{escape(words)}">'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
