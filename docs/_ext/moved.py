"""Addresses that have changed, by moved.toml: what was there leads to where it is now."""

import tomllib
from pathlib import Path

from sphinx.application import Sphinx

STUB = """\
<!doctype html>
<meta charset="utf-8">
<title>Moved</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url={target}">
<p>This page has moved <a href="{target}">here</a>.</p>
"""


def write_stubs(app: Sphinx, error: Exception | None) -> None:
    """docs/_check_links.py follows their links."""
    moved = tomllib.loads(Path(app.srcdir, "moved.toml").read_text(encoding="utf-8"))
    for old, new in moved.items() if app.builder.format == "html" and not error else ():
        page, _, anchor = new.partition("#")
        target = app.builder.get_target_uri(page) + (anchor and f"#{anchor}")
        Path(app.outdir, f"{old}.html").write_text(STUB.format(target=target), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_stubs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
