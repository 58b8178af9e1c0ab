"""Sections of docstrings, pages, and the scripts that write both."""

import inspect
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def sections(function):
    """Return the sections of a numpydoc docstring, by title."""
    parts = re.split(r"^(\S[^\n]*)\n-{3,}\n", inspect.getdoc(function), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def script(name):
    spec = spec_from_file_location(name, DOCS / "_write" / f"{name}.py")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


outputs = script("outputs")


def import_needed(text):
    """Skip the test of a page if its snippets need a package that isn't installed."""
    for package in outputs.NEEDS.findall(text):
        pytest.importorskip(package)


def check_outputs(page):
    """Run the snippets of a page, which print what it shows."""
    text = page.read_text(encoding="utf-8")
    import_needed(text)
    assert outputs.page(text, str(page)) == text
