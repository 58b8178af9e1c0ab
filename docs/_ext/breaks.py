"""Long names may break between their words, wherever the site shows them."""

import re
from typing import Any

from sphinx.application import Sphinx

JOINTS = re.compile(r"(?<=\w_)(?=\w)|(?<=[a-z]\.)(?=[A-Za-z])|(?<=[a-z])(?=[A-Z][a-z])")
TITLES = re.compile(r"(?<=<h1>)[^<]+")
CODE = re.compile(r'(?<=<span class="pre">)[^<]+')
OPTION = re.compile(r"--?[\w-]+")  # of a command, which browsers would break at hyphens
MOST_IN_TEXT = 40  # characters of code within text, which phones have room for; cells may have less
LINKS = re.compile(r"[^<>]+(?=</a>)")


def breakable(text: str, mark: str = "<wbr>") -> str:
    """The text, with places where a browser may break a line and need not."""
    return re.sub(r"\S{10,}", lambda name: JOINTS.sub(mark, name[0]), text)


def breakable_code(code: str) -> str:
    """Short names break only in the cells of tables, and options nowhere, as site.css has it."""
    if OPTION.fullmatch(code):
        return f'<span class="unbroken">{code}</span>'
    return breakable(code, "<wbr>" if len(code) > MOST_IN_TEXT else '<wbr class="in-cells">')


def within(pattern: re.Pattern[str], html: str) -> str:
    return pattern.sub(lambda found: breakable(found[0]), html)


def insert(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Into the body, the links to the pages before and after, and the menus beside."""
    if "body" in context:
        body = within(TITLES, context["body"])
        context["body"] = CODE.sub(lambda code: breakable_code(code[0]), body)
    for neighbor in ("prev", "next"):
        if link := context.get(neighbor):
            context[neighbor] = {**link, "title": breakable(link["title"])}
    for menu in ("generate_toctree_html", "generate_toc_html"):
        if write := context.get(menu):
            context[menu] = lambda *a, write=write, **kw: within(LINKS, str(write(*a, **kw)))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", insert, priority=900)  # behind the theme, which has a menu
    return {"parallel_read_safe": True, "parallel_write_safe": True}
