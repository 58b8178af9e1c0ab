"""What the site's search knows: the text of each section, and words that people search it by.

They are in sections.js, from which search.js tells the sections that answer a query. The words are
those of search.toml, and the names of the tools of PEERS with their functions.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from sklearn_ap.compat import PEERS


def read_words(folder: str | Path) -> dict[str, list[str]]:
    """The words of search.toml by page, or by page and anchor as in "top_k#ap-at-k"."""
    return tomllib.loads(Path(folder).joinpath("search.toml").read_text(encoding="utf-8"))


def tools() -> dict[str, list[str]]:
    """What each tool is searched by: its name, alone and before its functions, and a question."""
    found: dict[str, list[str]] = {}
    for row in PEERS:
        function = re.split(r"[(,]", row.function)[0]
        names = found.setdefault(
            f"peers#{slug(row.tool)}", [row.tool, f"which definition does {row.tool} use"]
        )
        names.append(f"{row.tool} {function}")
    return {
        place: [*dict.fromkeys(name.lower() for name in names)] for place, names in found.items()
    }


def add_scripts(app: Sphinx, page: str, template: str, context: object, doctree: object) -> None:
    if page == "search":
        for script in ("search.js", "sections.js"):
            app.add_js_file(script, loading_method="defer")  # behind Sphinx's own


def write_sections(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    searched = read_words(app.srcdir)
    for place, names in tools().items():
        searched.setdefault(place, []).extend(names)
    sections = [
        [page, anchor, section[0].astext(), own_text(section), take_words(searched, page, section)]
        for page in sorted(app.env.found_docs)
        for anchor, section in sections_of(app.env.get_doctree(page))
    ]
    if searched:
        raise ExtensionError(f"search.toml: there are no sections {[*searched]}")
    script = f"RankedSearch.sections = {json.dumps(sections, ensure_ascii=False)};\n"
    app.outdir.joinpath("_static", "sections.js").write_text(script, encoding="utf-8")


def sections_of(page: nodes.document) -> Iterator[tuple[str, nodes.section]]:
    """Each section with its anchor, which is "" for the top of the page."""
    for section in page.findall(nodes.section):
        yield "" if isinstance(section.parent, nodes.document) else section["ids"][0], section


def take_words(searched: dict[str, list[str]], page: str, section: nodes.section) -> list[str]:
    """Take away the words that lead to the section, or to the page if the section is its top."""
    anchors = {*section["ids"], slug(section[0].astext())}
    places = [f"{page}#{anchor}" for anchor in sorted(anchors)]
    if isinstance(section.parent, nodes.document):
        places.append(page)
    return [word for place in places for word in searched.pop(place, ())]


def own_text(section: nodes.section) -> str:
    """The sentences of a section, without its heading, its code and the sections within it."""
    blocks = (
        block
        for part in section.children[1:]
        if not isinstance(part, nodes.section)
        for block in part.findall(nodes.TextElement)
    )
    return "\n".join(
        block.astext()
        for block in blocks
        if not isinstance(block, nodes.literal_block | nodes.Inline | addnodes.index)
    )


def slug(title: str) -> str:
    """The anchor of a heading, as MyST makes it."""
    letters = (char for char in title.lower() if char.isalnum() or char in " -_")
    return "".join(letters).replace(" ", "-")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_sections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
