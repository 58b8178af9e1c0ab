"""Formulas of docstrings: plain text for `help`, which the site shows as in metrics.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
GROUP = r"\{([^{}]*)\}"
# In this order, from the innermost braces outward
PLAIN = (
    (r"\\[,;]|\\q?quad", " "),
    (r"\\(?:mathrm|text)" + GROUP, r"\1"),
    (r"\\log_2", "log2"),
    (r"\\ge\b", ">="),
    (r"\\le\b", "<="),
    (r"\\(pi|rho|min|max|sum|partial)(?![a-z])", r"\1"),
    (r"(?<=[_^])" + GROUP, r"(\1)"),
)


def write_plain(formula: str) -> str:
    """Return a formula in LaTeX as plain text."""
    text = formula
    for pattern, new in PLAIN:
        text = re.sub(pattern, new, text)
    while found := re.search(rf"\\(frac|binom){GROUP}{GROUP}", text):
        kind, above, below = found.groups()
        new = f"C({above}, {below})" if kind == "binom" else f"{factor(above)}/{factor(below)}"
        text = text[: found.start()] + new + text[found.end() :]
    return " ".join(text.split())


def factor(text: str) -> str:
    """Return a term in parentheses, unless it is a single symbol or call."""
    text = text.strip()
    return text if re.fullmatch(r"\w+(?:\([^()]*\))?", text) else f"({text})"


def read_formulas() -> dict[str, str]:
    """Return the formulas of metrics.toml by how docstrings write them."""
    rows = tomllib.loads(DOCS.joinpath("metrics.toml").read_text(encoding="utf-8")).values()
    return {write_plain(row["formula"]): row["formula"] for row in rows if "formula" in row}


def show(app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Replace formulas that are paragraphs of their own."""
    known = read_formulas()
    for place, line in enumerate(lines):
        name, _, plain = line.strip().strip("`").rpartition(" = ")
        if formula := known.get(line.strip().strip("`")):
            lines[place] = f".. math:: {formula}"
        elif formula := known.get(plain):
            lines[place] = f".. math:: \\mathrm{{{name}}} = {formula}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
