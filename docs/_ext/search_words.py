"""What the site's search knows beside Sphinx's index of whole pages.

Words of search.toml, and the tools of PEERS with their functions, are entries of the index, which
the search ranks above titles. The words of each section are in sections.js, from which search.js
tells which section of a page answers a query.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish

from sklearn_ap.compat import PEERS


def words(folder: str | Path) -> Mapping[str, list[str]]:
    """The words by page, or by page and anchor as in "top_k#ap-at-k"."""
    text = Path(folder).joinpath("search.toml").read_text(encoding="utf-8")
    found = {place: [*searched] for place, searched in tomllib.loads(text).items()}
    elsewhere = {word for each in found.values() for word in each}
    for place, names in tools().items():
        found.setdefault(place, []).extend(name for name in names if name not in elsewhere)
    return found


def tools() -> Mapping[str, list[str]]:
    """The name of each tool, alone and before "ap", "map" and its functions, by its place."""
    found: dict[str, list[str]] = {}
    for row in PEERS:
        function = re.split(r"[(,]", row.function)[0]
        alone = [row.tool, f"{row.tool} AP", f"{row.tool} MAP"]
        found.setdefault(f"peers#{slug(row.tool)}", alone).append(f"{row.tool} {function}")
    return {
        place: [*dict.fromkeys(name.lower() for name in names)] for place, names in found.items()
    }


def add_entries(app: Sphinx, page: nodes.document) -> None:
    for place, searched in words(app.srcdir).items():
        name, _, anchor = place.partition("#")
        if name != app.env.docname:
            continue
        found = [
            section
            for section in page.findall(nodes.section)
            if not anchor or anchor in {*section["ids"], slug(section[0].astext())}
        ]
        if not found:
            raise ExtensionError(f"search.toml: {name} has no heading {anchor!r}")
        target = found[0]["ids"][0]
        entries = [("single", word, target, "main", None) for word in searched]
        found[0].insert(1, addnodes.index(entries=entries))


def add_scripts(app: Sphinx, page: str, template: str, context: object, doctree: object) -> None:
    if page == "search":
        for script in ("search.js", "sections.js"):
            app.add_js_file(script, loading_method="defer")  # behind Sphinx's own


def write_sections(app: Sphinx, error: Exception | None) -> None:
    """Write the stems of each section's own words, by page and anchor; "" is the top of a page."""
    if error or app.builder.format != "html":
        return
    language = SearchEnglish({})
    stems_of: dict[str, dict[str, str]] = {}
    for page in sorted(app.env.found_docs):
        for section in app.env.get_doctree(page).findall(nodes.section):
            anchor = "" if isinstance(section.parent, nodes.document) else section["ids"][0]
            stems = {language.stem(word) for word in language.split(own_text(section))}
            kept = sorted(filter(language.word_filter, stems))
            stems_of.setdefault(page, {})[anchor] = " ".join(kept)
    script = f"RankedSearch.stemsOf = {json.dumps(stems_of, ensure_ascii=False)};\n"
    app.outdir.joinpath("_static", "sections.js").write_text(script, encoding="utf-8")


def own_text(section: nodes.section) -> str:
    """The heading and the sentences of a section, without its code and the sections within it."""
    blocks = (
        block
        for part in section.children
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
    app.connect("doctree-read", add_entries)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_sections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
