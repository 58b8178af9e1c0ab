"""Every Python snippet of the guide runs without a warning and prints what its comments say."""

import ast
import doctest
import re
import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest
import sklearn

import sklearn_ap
from sklearn_ap import boosting, compat, inference, streaming

DOCS = Path(__file__).parents[1] / "docs"
PACKAGE = Path(sklearn_ap.__file__).parent
# A snippet that needs an optional package says so: <!-- needs: distributed -->
# A page of which every snippet does says so too: <!-- this page needs: pandas -->
# What is printed stands in a comment beside the statement or below it, or in a block of text.
SNIPPET = re.compile(
    r"(?:^<!-- needs: (\w+) -->\n)?^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.M | re.S
)
PROMISE = re.compile(r"^(?: *print\(.*\)  )?# (.+)$", re.M)
NEEDS = re.compile(r"^<!-- this page needs: (\w+) -->$", re.M)
WIDTH = 75  # of code: what is longer is cut off beside the menus
PAGES = {path.name: path for path in sorted(DOCS.glob("*.md"))}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}


@pytest.mark.parametrize("page", [name for name in TEXTS if SNIPPET.search(TEXTS[name])])
def test_snippets_print_what_their_comments_say(page, capsys, tmp_path, monkeypatch):
    """All of a page in one namespace and one folder, after which the configuration is as before."""
    monkeypatch.chdir(tmp_path)  # for the files that a page writes
    text, namespace, promised = TEXTS[page], {}, []
    for package in NEEDS.findall(text):
        pytest.importorskip(package)
    with sklearn.config_context():
        for snippet in SNIPPET.finditer(text):
            needed, code, output = snippet.groups()
            if needed is None or find_spec(needed):
                above = "\n" * text.count("\n", 0, snippet.start(2))  # right lines in a traceback
                exec(compile(above + code, str(PAGES[page]), "exec"), namespace)
                promised += PROMISE.findall(code) + (output or "").splitlines()
    assert capsys.readouterr().out.split() == " ".join(promised).split()  # a long line is wrapped


def anchors(page):
    """Of the headings, as Sphinx and the hosts of repositories make them."""
    headings = re.findall(r"^#+ (.+)$", SNIPPET.sub("", TEXTS[page]), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """Within pages, to other pages and files; the build makes what its own folders hold."""
    for name, anchor in re.findall(r"\]\(([^)#:]*)#?([^):]*)\)", TEXTS[page]):
        if name.startswith("auto_examples/"):
            name = re.sub(r"^auto_(examples/).*?(plot_\w+?)(_\d+.png|.rst)$", r"\1\2.py", name)
        if name not in ("auto_examples/index.rst", ""):
            assert (DOCS / name).exists(), name
        if anchor:
            assert anchor in anchors(name or page), (name, anchor)


def listed_in(module):
    """`__all__` of a module that may need what is not installed."""
    source = Path(sklearn_ap.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    return ast.literal_eval(re.search(r"^__all__ = (\[.*?\])$", source, re.M | re.S)[1])


def test_the_reference_has_every_public_name():
    text = (DOCS / "api.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^(?:   |\.\. data:: )(\w+)$", text, re.M)
    public = {
        *sklearn_ap.__all__,
        *compat.__all__,
        *streaming.__all__,
        *listed_in("dask"),
        *listed_in("spark"),
        *boosting.__all__,
        *inference.__all__,
    }
    assert sorted(listed) == sorted(public)


def test_every_page_of_the_reference_links_to_the_guide():
    """The reference makes a page of each function and class, which the table names."""
    text = (DOCS / "api.rst").read_text(encoding="utf-8")
    in_modules = re.split(
        r"^\.\. (?:currentmodule|automodule):: sklearn_ap\.?(.*)$", text, flags=re.M
    )
    listed = {
        f"{module}.{name}".lstrip(".")
        for module, lists in zip(in_modules[1::2], in_modules[2::2], strict=True)
        for name in re.findall(r"^   (\w+)$", lists, re.M)
    }
    linked = runpy.run_path(str(DOCS / "_ext" / "guide.py"))["PAGES"]
    assert set(linked) == listed
    assert {f"{page}.md" for pages in linked.values() for page in pages} <= set(PAGES)


def test_from_the_landing_page_every_kind_of_name_is_a_click_away():
    """What a paper says, and what a tool computes; one page has one name wherever it is linked."""
    for page in ("which_ap.md", "peers.md"):
        assert f"({page}" in TEXTS["index.md"]
    title = re.search(r"^# (.+)$", TEXTS["peers.md"], re.M)[1]
    for name, text in TEXTS.items():
        assert set(re.findall(r"\[([^]]+)\]\(peers\.md\)", text)) <= {title}, name
    assert "peers>" not in TEXTS["index.md"]  # in the menu too


# No code is cut off beside the menus

CODE_BLOCK = re.compile(r"^```.*\n((?:.*\n)*?)```$", re.M)


def too_long(text, width=WIDTH):
    return [code for code in text.splitlines() if len(code) > width]


@pytest.mark.parametrize("page", PAGES)
def test_code_of_a_page_is_not_cut_off(page):
    assert [line for code in CODE_BLOCK.findall(TEXTS[page]) for line in too_long(code)] == []


def test_code_of_the_gallery_is_not_cut_off():
    examples = sorted((DOCS / "examples").glob("*.py"))
    assert [line for path in examples for line in too_long(path.read_text(encoding="utf-8"))] == []


def test_code_of_docstrings_is_not_cut_off():
    """With the prompts, and with the output that follows."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    long, seen = [], 0
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            doc = ast.get_docstring(node) if isinstance(node, documented) else None
            for example in doctest.DocTestParser().get_examples(doc or ""):
                seen += 1
                long += too_long(example.source, WIDTH - len(">>> ")) + too_long(example.want)
    assert seen > 100
    assert long == []
