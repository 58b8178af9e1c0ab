"""Old addresses lead to the new ones of moved.toml.

A page that is gone becomes one with links to where its parts are. A page that has lost a heading
sends those who ask for it on.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

SCRIPT = (
    "const moved = {moved}, to = moved[location.hash] ?? moved['']; if (to) location.replace(to);"
)
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="robots" content="noindex">
<title>This page has moved</title>
<script>{script}</script>
</head>
<body>
<p>This page has moved:</p>
<ul>
{links}
</ul>
</body>
</html>
"""


def moved(folder: str | Path) -> dict[str, dict[str, str]]:
    """The new address of each anchor, by the old page; "" stands for the page itself."""
    text = Path(folder).joinpath("moved.toml").read_text(encoding="utf-8")
    return {
        page: {f"#{anchor}" if anchor else "": address(to) for anchor, to in anchors.items()}
        for page, anchors in tomllib.loads(text).items()
    }


def address(place: str) -> str:
    page, _, anchor = place.partition("#")
    return f"{page}.html" + (f"#{anchor}" if anchor else "")


def script(anchors: Mapping[str, str]) -> str:
    return SCRIPT.format(moved=json.dumps(anchors))


def send_on(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if anchors := moved(app.srcdir).get(page):
        app.add_js_file(None, body=script(anchors))


def write_pages(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    for page, anchors in moved(app.srcdir).items():
        if page not in app.env.found_docs:
            targets = dict.fromkeys(anchors.values())
            links = "\n".join(f'<li><a href="{to}">{to}</a></li>' for to in targets)
            text = PAGE.format(script=script(anchors), links=links)
            Path(app.outdir, f"{page}.html").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", send_on)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
