"""Names such as AP@10 and MAP@10 stay text. reStructuredText takes them for email addresses."""

import re

from docutils import nodes
from sphinx.application import Sphinx

AT_K = re.compile(r"@\d+%?$")


def unlink(app: Sphinx, page: nodes.document) -> None:
    for link in list(page.findall(nodes.reference)):
        if AT_K.search(link.astext()) and link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", unlink, priority=400)  # before titles are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
