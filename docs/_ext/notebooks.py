"""Pages marked as executed: MyST-NB runs their Python blocks, and links to the notebook."""

import json
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pictures
from docutils import nodes
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

MARK = "<!-- this page is executed -->\n"
HEADER = """\
---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3, language: python}
---
"""
CODE = re.compile(r"^```python$(.*?)^```$", re.M | re.S)
IMPORT = re.compile(r"^ *(?:import|from) (\w+)", re.M)
INSTALLED = {"IPython", "matplotlib", "numpy", "scipy", "sklearn", "sklearn_ap"}  # with [plots]
BLOCK = re.compile(
    r"^(?:<!-- picture: (?P<picture>[^>]+) -->\n)?"
    r"(?:<!-- needs: (?P<package>\w+) -->\n)?```python$",
    re.M,
)
# Pictures are sharp on every screen, and have the ground of the page. The kernel doesn't say how it
# is connected, and tqdm, which Optuna imports, doesn't ask for the widgets of Jupyter.
IPYTHON = f"""\
c.InlineBackend.figure_formats = ["svg"]
c.InlineBackend.rc = {pictures.STYLE}
c.IPKernelApp.log_level = 40
c.IPKernelApp.exec_lines = [
    "import warnings",
    "warnings.filterwarnings('ignore', 'IProgress not found')",
    "del warnings",
]
"""
# Values are shown with three digits.
STARTUP = """\
def show_digits():
    import numpy as np
    import pandas as pd

    def show(value, printer, cycle):
        if isinstance(value, np.integer):
            printer.text(str(value))
        else:
            many = abs(value) >= 1000
            printer.text(f"{value:,.0f}" if many else str(float(f"{value:.3g}")))

    np.set_printoptions(precision=3)
    pd.set_option("display.precision", 3)
    for kind in (float, np.float64, np.float32, np.int64):
        get_ipython().display_formatter.formatters["text/plain"].for_type(kind, show)


show_digits()
del show_digits
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
        text = BLOCK.sub(to_cell, source[0].removeprefix(MARK))
        if has_notebook(app, page):
            text = f"{text.rstrip()}\n\n{needed(source[0])}\n"
        source[0] = HEADER + text


def has_notebook(app: Sphinx, page: str) -> bool:
    """An executed page other than the first one, which shows the package off."""
    text = Path(app.env.doc2path(page)).read_text(encoding="utf-8")
    return is_executed(text) and page != app.config.root_doc


def needed(text: str) -> str:
    """What to install for the notebook."""
    imported = {name for code in CODE.findall(text) for name in IMPORT.findall(code)}
    imported |= set(re.findall(r"^<!-- this page needs: (\w+) -->$", text, re.M))
    packages = sorted(imported - INSTALLED - sys.stdlib_module_names)
    command = " ".join(['python3 -m pip install ".[plots]"', *packages])
    return f"To run this page as a notebook, type `{command}` in a clone of the repository."


def in_jupyter(text: str, site: str) -> str:
    """Markdown without what only the site has: its directives, roles, and links between pages."""
    text = re.sub(r"^```\{toctree\}\n.*?^```\n?", "", text, flags=re.M | re.S)
    text = re.sub(r"^:::\{tab-item\} (.+)$", r"With \1:", text, flags=re.M)
    text = re.sub(r"^:::\{(\w+)\}$", lambda found: f"**{found[1].title()}:**", text, flags=re.M)
    text = re.sub(r"^:(?!\w+:`).*\n?", "", text, flags=re.M)
    text = re.sub(r"\{[\w:-]+\}`~?(?:([^`<]+) <[^`]+>|(?:\w+\.)*(\w+))`", code_of_role, text)
    link = rf"[\1]({site}\2.html\4)" if site else r"\1"
    return re.sub(r"\[([^]]+)\]\(([\w/]*)(\.md|\.rst)?(#[^)]*)?\)", link, text)


def code_of_role(role: re.Match[str]) -> str:
    return f"`{role[1] or role[2]}`"


def finish(notebook: Path, site: str) -> None:
    """Refuse the output of an object that has no text of its own, such as a legend."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        if re.search(r"<[\w.]+ at 0x", json.dumps(cell.get("outputs"))):
            raise ExtensionError(f"{notebook.stem}: {''.join(cell['source'])!r} shows an address")
        if cell["cell_type"] == "markdown":
            text = in_jupyter("".join(cell["source"]), site)
            cell["source"] = text.splitlines(keepends=True)
    notebook.write_text(json.dumps(content, indent=1), encoding="utf-8")


def link_notebook(app: Sphinx, page: nodes.document) -> None:
    """At the end of the page, a link to the notebook that MyST-NB has written."""
    name = app.env.docname
    if has_notebook(app, name):
        notebook = Path(app.outdir).parent / "jupyter_execute" / f"{name}.ipynb"
        finish(notebook, app.config.html_baseurl)
        link = download_reference(reftarget=f"/{os.path.relpath(notebook, app.srcdir)}")
        link += nodes.inline(text="Download this page as a notebook")
        *_, needs = page.findall(nodes.paragraph)  # which the notebook has
        needs["classes"].append("notebook")
        needs.clear()
        needs += link


def configure_ipython(app: Sphinx) -> None:
    """In a folder of its own, so that the pictures don't depend on who builds the site."""
    folder = Path(app.outdir).parent / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(IPYTHON, encoding="utf-8")
    (profile / "startup").mkdir(exist_ok=True)
    (profile / "startup" / "digits.py").write_text(STARTUP, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", configure_ipython)
    app.connect("source-read", make_cells)
    app.connect("doctree-read", link_notebook, priority=400)  # before downloads are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
