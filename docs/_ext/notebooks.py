"""Pages marked as executed: MyST-NB runs their Python blocks, and links to the notebook."""

import json
import os
import re
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx

MARK = "<!-- this page is executed -->\n"
HEADER = """\
---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3, language: python}
---
"""
BLOCK = re.compile(
    r"^(?:<!-- picture: (?P<picture>[^>]+) -->\n)?"
    r"(?:<!-- needs: (?P<package>\w+) -->\n)?```python$",
    re.M,
)
# Pictures are sharp on every screen. The kernel doesn't say how it is connected, and tqdm, which
# Optuna imports, doesn't ask for the widgets of Jupyter.
IPYTHON = """\
c.InlineBackend.figure_formats = ["svg"]
c.IPKernelApp.log_level = 40
c.IPKernelApp.exec_lines = [
    "import warnings",
    "warnings.filterwarnings('ignore', 'IProgress not found')",
    "del warnings",
]
"""


def is_executed(text: str) -> bool:
    return text.startswith(MARK)


def to_cell(block: re.Match[str]) -> str:
    """A block that needs a package which isn't installed is shown, but not run."""
    package, picture = block["package"], block["picture"]
    if package and not find_spec(package):
        return block[0]
    options = {"mystnb": {"image": {"alt": " ".join(picture.split())}}} if picture else {}
    return f"```{{code-cell}}\n---\n{json.dumps(options)}\n---"


def make_cells(app: Sphinx, page: str, source: list[str]) -> None:
    """Write the page as MyST-NB reads notebooks."""
    if is_executed(source[0]):
        source[0] = HEADER + BLOCK.sub(to_cell, source[0].removeprefix(MARK))


def link_notebook(app: Sphinx, page: nodes.document) -> None:
    """Below the title, a link to the notebook that MyST-NB has written."""
    name = app.env.docname
    if is_executed(Path(app.env.doc2path(name)).read_text(encoding="utf-8")):
        notebook = Path(app.outdir).parent / "jupyter_execute" / f"{name}.ipynb"
        link = download_reference(reftarget=f"/{os.path.relpath(notebook, app.srcdir)}")
        link += nodes.inline(text="Download this page as a notebook")
        title = next(page.findall(nodes.title))
        title.parent.insert(1, nodes.paragraph("", "", link, classes=["notebook"]))


def configure_ipython(app: Sphinx) -> None:
    """In a folder of its own, so that the pictures don't depend on who builds the site."""
    folder = Path(app.outdir).parent / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(IPYTHON, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", configure_ipython)
    app.connect("source-read", make_cells)
    app.connect("doctree-read", link_notebook, priority=400)  # before downloads are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
