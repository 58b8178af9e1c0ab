"""rankings.json beside the pages, written again if what it's made from has changed."""

import inspect
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1] / "_write"))
import rankings

MADE_FROM = (rankings, rankings.oracle, inspect.getmodule(rankings.CallLog))


def write(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    path = Path(app.outdir, "rankings.json")
    changed = max(Path(module.__file__).stat().st_mtime for module in MADE_FROM)
    if not path.exists() or path.stat().st_mtime < changed:
        path.write_text(rankings.written(rankings.rankings()), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
