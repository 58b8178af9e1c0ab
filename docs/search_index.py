"""A Sphinx extension: write all sections of the site to _static/sections.js, and add pages' scripts."""

import json
from pathlib import Path

from docutils import nodes

SCRIPTS = {
    "definitions": ("ranking.js",),
    "index": ("ranking.js",),
    "search": ("sections.js", "minisearch.js", "search.js"),
}
SKIPPED = {"auto_examples/index", "contributing", "sg_execution_times", "user_guide"}


def read_section(section, page_url):
    """Return the title, the titles above, the beginning, the text and the address of a section."""
    titles_above = []
    parent = section.parent
    while isinstance(parent, nodes.section):
        titles_above.insert(0, parent[0].astext())
        parent = parent.parent
    content = [each for each in section[1:] if not isinstance(each, nodes.section | nodes.comment)]
    first_paragraph = next(section.findall(nodes.paragraph), None)
    return {
        "title": section[0].astext(),
        "above": " / ".join(titles_above),
        "start": "" if first_paragraph is None else first_paragraph.astext(),
        "text": " ".join(each.astext() for each in content),
        "url": f"{page_url}#{section['ids'][0]}" if titles_above else page_url,
    }


def write_sections(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    sections = []
    for page in sorted(app.env.found_docs - SKIPPED):
        for section in app.env.get_doctree(page).findall(nodes.section):
            found = read_section(section, app.builder.get_target_uri(page))
            sections.append({"id": len(sections), **found})
    file = Path(app.outdir, "_static", "sections.js")
    file.write_text(f"const SECTIONS = {json.dumps(sections)};\n", encoding="utf-8")


def add_scripts(app, pagename, templatename, context, doctree):
    for script in SCRIPTS.get(pagename, ()):
        app.add_js_file(script, loading_method="defer")


def setup(app):
    app.connect("build-finished", write_sections)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True}
