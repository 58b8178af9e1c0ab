"""What each page is for, in a sentence that search engines and llms.txt show.

Pages of the guide have it in descriptions.toml; others begin with it.
"""

import tomllib
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

SECTIONS = nodes.section | addnodes.desc_content  # whose paragraphs aren't notes or cells


@cache
def read_descriptions(folder: str) -> dict[str, str]:
    return tomllib.loads(Path(folder, "descriptions.toml").read_text(encoding="utf-8"))


def find_first_sentence(page: nodes.document) -> str:
    """Return the first sentence of a docstring, or else of the page."""
    inside = next(page.findall(addnodes.desc_content), page)
    paragraphs = (
        each for each in inside.findall(nodes.paragraph) if isinstance(each.parent, SECTIONS)
    )
    paragraph = next(paragraphs, None)
    text = paragraph.astext() if paragraph else ""
    return " ".join(text.split()).partition(". ")[0].rstrip(".:") + "." if text else ""


def add_description(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    described = read_descriptions(str(app.srcdir)).get(page)
    text = described or (find_first_sentence(doctree) if doctree else "")
    if text:
        context["metatags"] += f'<meta name="description" content="{escape(text)}" />\n'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_description)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
