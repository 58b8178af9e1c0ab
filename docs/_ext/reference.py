"""Pages of the reference: examples above the parameters, which are grouped if there are many, and
"On this page" beside them.
"""

import re
from html import escape
from itertools import chain, takewhile
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from sklearn_ap._inputs.records import SHARED

BACK = re.compile(r'(class="viewcode-back" href="[^"#]+)#[^"]*')  # to the top of the page then
EXAMPLES, PARAMETERS = ".. rubric:: Examples", ":Parameters:"
# Beyond so many parameters, those about the data and about intervals have headings of their own.
MANY = 8
DATA = {*SHARED, "data"} - {"y_true", "y_score"}
INFERENCE = {"margin", "joint", "confidence_level", "method", "n_resamples", "random_state"}
PARAMETER = re.compile(r"    \*\*(.+?)\*\*(?: :|$)")
WITHOUT_DEFAULT = re.compile(r"^(    \*\*(?:y_true|y_score|y_score_a)\*\* : .*), default=None$")


def examples_first(
    app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Move the examples that numpydoc has put at the end, up to the next directive beside them."""
    if EXAMPLES in lines and PARAMETERS in lines[: lines.index(EXAMPLES)]:
        start = lines.index(EXAMPLES)
        rest = takewhile(lambda line: not line.startswith(".. "), lines[start + 1 :])
        moved = lines[start : start + 1 + len(list(rest))]
        del lines[start : start + len(moved)]
        place = lines.index(PARAMETERS)
        lines[place:place] = [*moved, ""]


def group_parameters(
    app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Divide the parameters that numpydoc has written, if there are many."""
    if PARAMETERS not in lines:
        return
    start = lines.index(PARAMETERS) + 1
    listed = [*takewhile(lambda line: not line or line.startswith(" "), lines[start:])]
    groups: dict[str, list[str]] = {PARAMETERS: [], ":Inference:": [], ":Data:": []}
    title, n = PARAMETERS, 0
    for line in listed:
        if found := PARAMETER.match(line):
            title, n = find_group(found[1]), n + 1
        groups[title].append(WITHOUT_DEFAULT.sub(r"\1", line))
    if n > MANY:
        divided = [[title, *group, ""] for title, group in groups.items() if group]
        lines[start - 1 : start + len(listed)] = chain.from_iterable(divided)


def find_group(parameter: str) -> str:
    if parameter in DATA:
        return ":Data:"
    return ":Inference:" if parameter in INFERENCE else PARAMETERS


def entries(page: nodes.document) -> list[tuple[str, str]]:
    """The title and the anchor of what a page of the reference has."""
    found = []
    for described in page.findall(addnodes.desc_content):
        for node in described.children:
            if isinstance(node, nodes.rubric):
                found.append((node.astext(), node))
            elif isinstance(node, nodes.field_list):
                found += [(field[0].astext(), field[0]) for field in node]
            elif isinstance(node, addnodes.desc):
                found.append((node[0]["_toc_name"].rpartition(".")[2], node[0]))
        break  # those of its methods are not listed
    for section in page.findall(nodes.section):
        if section.parent is not page:
            found.append((section[0].astext(), section))
    for title, node in found:
        node["ids"] = node["ids"] or [nodes.make_id(title)]
    return [(title, node["ids"][0]) for title, node in found]


def add_anchors(app: Sphinx, page: nodes.document, name: str) -> None:
    if name.startswith("generated/"):
        entries(page)


def list_entries(
    app: Sphinx, name: str, template: str, context: dict[str, Any], page: nodes.document | None
) -> None:
    if name.startswith("generated/") and page:
        # Screen readers expect items in a list: https://www.w3.org/TR/dpub-aria-1.1/#doc-biblioentry
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
        items = "".join(
            f'<li><a class="reference internal" href="#{anchor}">{escape(title)}</a></li>'
            for title, anchor in entries(page)
        )
        context["toc"] = f'<ul><li><a href="#">{context["title"]}</a><ul>{items}</ul></li></ul>'
    elif name.startswith("_modules/"):
        # Of a module that defines what two modules show, viewcode knows only one of the two:
        # https://github.com/sphinx-doc/sphinx/blob/v9.0.4/sphinx/ext/viewcode.py
        context["body"] = BACK.sub(r"\1", context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", examples_first, priority=900)  # behind numpydoc
    app.connect("autodoc-process-docstring", group_parameters, priority=901)
    app.connect("doctree-resolved", add_anchors)
    app.connect("html-page-context", list_entries, priority=400)  # before the theme asks for it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
