"""A call of this package within a sentence has arguments that its function takes, and runs.

Blocks of code are run by test_docs_pages.py, and the examples of docstrings by pytest.
"""

import ast
import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap

from .documentation import DOCS

PACKAGE = Path(ap.__file__).parent
TEXTS = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md")), *sorted(PACKAGE.rglob("*.py"))]
BLOCKS = re.compile(r"^```.*?^```$|^ *::\n(?:\n| +.*\n)*|<!--.*?-->", re.M | re.S)
DOCSTRING = re.compile(r'"""(.+?)"""', re.S)
INLINE = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", re.S)
MODULES = ("compat", "readers", "boosting", "datasets")
PUBLIC = {
    name: getattr(module, name)
    for module in (ap, *(import_module(f"sklearn_ap.{name}") for name in MODULES))
    for name in module.__all__
}
# What the names in such calls mean. A call with other names is only bound.
RNG = np.random.default_rng(0)
NAMES = {"ap": ap, "np": np, "y": np.arange(40) % 4 // 3, "s": RNG.random(40), "k": 3}
NAMES |= {"q": np.arange(40) // 8, "query": np.arange(40) // 8, "value": "0.5"}


def find_prose(path):
    """Yield the text of a page, or the docstrings of a module, without code that is run."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield BLOCKS.sub("", text)
        return
    for docstring in DOCSTRING.findall(text):
        parts = doctest.DocTestParser().parse(docstring)
        yield BLOCKS.sub("", "".join(part for part in parts if isinstance(part, str)))


def find_calls(prose):
    """Yield the calls with arguments in inline code, each with the name that it begins with."""
    for _, code in INLINE.findall(prose):
        code = re.sub(r" <[\w.]+>$", "", " ".join(code.split())).replace(r"\|", "|")
        code = re.sub(r"^\w+=(?!=)", "", code)  # an argument
        try:
            parsed = ast.parse(code)
        except SyntaxError:
            continue
        for node in ast.walk(parsed):
            if isinstance(node, ast.Call) and (node.args or node.keywords):
                yield node, find_root(node.func)


def find_root(node):
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else None


def find_fault(node, root):
    """Return what is wrong with a call; None if nothing is, or if it isn't one of this package."""
    is_public = isinstance(node.func, ast.Name) and root in PUBLIC
    if not is_public and root not in {"ap", "sklearn_ap"}:
        return None
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    is_short = any(isinstance(each, ast.Constant) and each.value is ... for each in node.args)
    try:
        if not any(isinstance(each, ast.Call) for each in ast.walk(node.func)):
            function = eval(ast.unparse(node.func), {"sklearn_ap": ap, "ap": ap, **PUBLIC})
            signature = inspect.signature(function)
            keywords = {each.arg: each.value for each in node.keywords}
            (signature.bind_partial if is_short else signature.bind)(*node.args, **keywords)
        if root == "ap" and names <= NAMES.keys() and not is_short:
            eval(ast.unparse(node), NAMES)
    except Exception as error:
        return f"{ast.unparse(node)}: {type(error).__name__}: {error}"
    return None


def test_calls_in_sentences_run():
    faults, seen = {}, set()
    for path in TEXTS:
        for prose in find_prose(path):
            for node, root in find_calls(prose):
                code = ast.unparse(node)
                if code not in seen and (fault := find_fault(node, root)):
                    faults.setdefault(path.name, []).append(fault)
                seen.add(code)
    assert len(seen) > 100
    assert faults == {}


@pytest.mark.parametrize(
    ("prose", "fault"),
    [
        ("Call `ap.no_such_score(y, s)`.", "AttributeError"),
        ("Call `audit(f, metrics='11-point')`.", "TypeError"),
        ("Call ``ap.precision_at_k_score(y, s,\n10)``.", "TypeError"),
        ("Pass `scoring=ap.get_scorer('A')`.", "InvalidParameterError"),
        ("Call `ap.report(..., joined=False)`.", "TypeError"),
        ("Pass `ap.metric('AP')(y, s, no='x')`.", "TypeError"),
        ("Call `ap.report(..., joint=False)`, `report()` or `torchmetrics.report(x)`.", None),
        ("```python\nap.no_such_score(y, s)\n```\n", None),
    ],
)
def test_a_call_that_does_not_run_is_found(prose, fault):
    found = [find_fault(*call) for call in find_calls(BLOCKS.sub("", prose))]
    assert [each.split(": ")[1] for each in found if each] == ([fault] if fault else [])
