"""Long names may break between their words, wherever the site shows them."""

import re
from typing import Any

from sphinx.application import Sphinx

JOINTS = re.compile(r"(?<=\w_)(?=\w)|(?<=[a-z]\.)(?=[A-Za-z])|(?<=[a-z])(?=[A-Z][a-z])")
TITLES = re.compile(r"(?<=<h1>)[^<]+")
CODE = re.compile(r'(?<=<span class="pre">)[^<]{41,}')  # within text: what no phone has room for
LINKS = re.compile(r"[^<>]+(?=</a>)")


def breakable(text: str) -> str:
    """The text, with places where a browser may break a line and need not."""
    return re.sub(r"\S{17,}", lambda name: JOINTS.sub("<wbr>", name[0]), text)


def within(pattern: re.Pattern[str], html: str) -> str:
    return pattern.sub(lambda found: breakable(found[0]), html)


def insert(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Into the body, the links to the pages before and after, and the menu beside."""
    if "body" in context:
        context["body"] = within(CODE, within(TITLES, context["body"]))
    for neighbor in ("prev", "next"):
        if link := context.get(neighbor):
            context[neighbor] = {**link, "title": breakable(link["title"])}
    if menu := context.get("generate_toctree_html"):
        context["generate_toctree_html"] = lambda *a, **kw: within(LINKS, str(menu(*a, **kw)))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", insert, priority=900)  # behind the theme, which has a menu
    return {"parallel_read_safe": True, "parallel_write_safe": True}
