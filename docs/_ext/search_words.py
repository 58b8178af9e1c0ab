"""Words of search.toml as entries of the index, which the site's search ranks above titles."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def words(folder: str | Path) -> Mapping[str, list[str]]:
    """The words by page, or by page and anchor as in "top_k#ap-at-k"."""
    text = Path(folder).joinpath("search.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def add_entries(app: Sphinx, page: nodes.document) -> None:
    for place, searched in words(app.srcdir).items():
        name, _, anchor = place.partition("#")
        if name != app.env.docname:
            continue
        sections = list(page.findall(nodes.section))
        found = [each for each in sections if not anchor or anchor in {*each["ids"], slug(each)}]
        if not found:
            raise ExtensionError(f"search.toml: {name} has no heading {anchor!r}")
        target = found[0]["ids"][0]
        entries = [("single", word, target, "main", None) for word in searched]
        found[0].insert(1, addnodes.index(entries=entries))


def slug(section: nodes.section) -> str:
    """The anchor of a heading, as MyST makes it."""
    title = section.next_node(nodes.title)
    letters = (char for char in title.astext().lower() if char.isalnum() or char in " -_")
    return "".join(letters).replace(" ", "-")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
