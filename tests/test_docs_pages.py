"""Every Python snippet of the guide runs without a warning and prints what the page shows."""

import ast
import doctest
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import sklearn_ap
from sklearn_ap import (
    boosting,
    compat,
    datasets,
    exceptions,
    inference,
    readers,
    reports,
    thresholds,
)

from .documentation import DOCS, check_outputs, import_needed, outputs

PACKAGE = Path(sklearn_ap.__file__).parent
# Where the figures of a paragraph or table come from, if the page doesn't compute them:
# <!-- figures: python -m benchmarks.coverage -->
# What a paragraph or table takes as an example, or as the usual level:
# <!-- assumed: 80%, 0.05 -->
# What the picture of the next snippet shows, for readers who can't see it:
# <!-- picture: Two precision-recall curves -->
PAGES = {path.name: path for path in sorted(DOCS.glob("*.md"))}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
EXECUTED = [name for name in TEXTS if TEXTS[name].startswith(outputs.EXECUTED)]
OTHERS = [name for name in TEXTS if outputs.SNIPPET.search(TEXTS[name]) and name not in EXECUTED]
SLOW = {
    "alerts.md",
    "boosting.md",
    "compare_models.md",
    "in_scikit_learn.md",
    "index.md",
    "large_data.md",
}


def each_page(names):
    slow = pytest.mark.slow
    pages = [pytest.param(name, marks=slow if name in SLOW else ()) for name in names]
    return pytest.mark.parametrize("page", pages)


@pytest.mark.sweep(4)
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")  # in LightGBM 4.7
@each_page(OTHERS)
def test_pages_show_what_their_snippets_print(page, tmp_path, monkeypatch):
    """If not: python docs/_write/outputs.py --write"""
    monkeypatch.chdir(tmp_path)  # for the files that a page writes
    check_outputs(PAGES[page])


# Pages and a docstring before and after their outputs are written again. Lines are kept where they
# match, and else wrapped where pages are.
LONG = "new " * 21
PAGE = """
<!-- needs: no_such_package -->
```python
print("not run")
```

```python
n = 3
print("kept", "and wrapped " * 7, "by hand")
print("changed")
print("{LONG}")
```

```text
kept and wrapped and wrapped and wrapped and wrapped
    and wrapped and wrapped and wrapped by hand
{changed}
```

<!-- check: n == 3 -->

```python
print("without output so far")
```
{added}
```pycon
>>> print(n, "rows", "", "hidden", "end", sep=chr(10))
{rows}
<BLANKLINE>
...
end
>>> n
3
```
"""
MODULE = '''def f():
    r"""Summary.

    >>> print(0.123456, "a\\nb", "", "c", sep="\\n")
    0.1235
    a
    {b}
    c
    >>> f()
    {zero}"""
'''


def test_outputs_that_changed_are_written_again():
    added = "\n```text\nwithout output so far\n```\n"
    wrapped = f"changed\n{(LONG[: outputs.WIDTH].strip())}\nnew"
    old = {"changed": "old", "added": "", "rows": "3\nlines"}
    new = {"changed": wrapped, "added": added, "rows": "3\nrows"}
    before, after = (PAGE.format(LONG=LONG, **each) for each in (old, new))
    assert outputs.page(before) == after == outputs.page(after)
    old, new = {"b": "B", "zero": ""}, {"b": "b\n    <BLANKLINE>", "zero": "0\n    "}
    before, after = (MODULE.format(**each) for each in (old, new))
    assert outputs.docstrings(before, {"f": int}) == after


def test_outputs_are_only_written_on_request(tmp_path, capsys):
    path = tmp_path / "page.md"
    path.write_text(PAGE.format(LONG=LONG, changed="old", added="", rows="3\nlines"))
    before = path.read_text(encoding="utf-8")
    assert outputs.main([str(path)]) == 1
    assert "-old\n+changed\n" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == before
    assert outputs.main([str(path), "--write"]) == 1
    assert outputs.main([str(path)]) == 0


# Executed pages

# Figures that the page doesn't compute, up to the next heading or block of code
FROM_ELSEWHERE = re.compile(r"^<!-- figures: .*?(?=^#|^```|\Z)", re.M | re.S)
ASSUMED = re.compile(r"^<!-- assumed: (.*?) -->(.*?)(?=^#|^```|\Z)", re.M | re.S)
# What anybody can run at the root of a clone
RUN = re.compile(
    r"python (?:-m (benchmarks(?:\.\w+)?)|-m pytest (tests/\w+\.py)|(\w+/\w+\.py)|-c \".+\")"
)
NOT_PROSE = re.compile(r"^```.*?^```$|<!--.*?-->|`[^`]+`|\$[^$]+\$|\]\([^)]*\)", re.M | re.S)
VERSIONS = re.compile(r"(?:Python|LightGBM|XGBoost|CatBoost|scikit-learn|SciPy) \d[.\d]*")
CITED = re.compile(r"(?<![\w.])(\d*\.\d+%?|\d+%)")  # decimals, and percentages
NUMBER = re.compile(r"(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?)")


def share(number):
    return float(number[:-1]) / 100 if number.endswith("%") else float(number)


def without_assumed(block):
    """Return a block without the figures that are listed above it."""
    return CITED.sub(lambda found: "" if found[1] in block[1].split(", ") else found[1], block[2])


def cited_but_not_shown(text, shown):
    """Return the figures in the prose of a page that are not among those of `shown`, rounded."""
    prose = ASSUMED.sub(without_assumed, FROM_ELSEWHERE.sub("", text))
    prose = VERSIONS.sub("", NOT_PROSE.sub("", prose))
    values = [share(number) for number in NUMBER.findall(shown)]

    def is_shown(figure):
        n_digits = len(figure.rstrip("%").partition(".")[2]) + 2 * figure.endswith("%")
        rounding = 0.5 * 10**-n_digits + 1e-12
        return any(abs(value - share(figure)) <= rounding for value in values)

    return [figure for figure in CITED.findall(prose) if not is_shown(figure)]


@pytest.mark.parametrize(
    ("prose", "missing"),
    [
        ("AP is 0.447, or .45, or 45%; 44.7% is 0.4473.", []),
        ("AP is 0.448, and 44% or 44.8% in the top 1%.", ["0.448", "44%", "44.8%"]),
        ("The 95% interval is 0.41 to 0.52.", ["0.52"]),
        ("With scikit-learn 1.9, `0.123` and $0.9^2$ are [0.447](0.99).", []),
        ("<!-- figures: a paper -->\nIt says .8.\n\nAnd .7.\n# Next\nHere: .6", [".6"]),
        ("<!-- assumed: 80%, 0.1 -->\nFind 80%, lose 0.1 or 8%.\n# Next\n80%", ["8%", "80%"]),
    ],
)
def test_a_figure_of_the_prose_is_missed_if_it_is_not_shown(prose, missing):
    shown = "k=0.01, AP 0.44732, 95% interval 0.412 to 5.1e-01"
    assert cited_but_not_shown(prose, shown) == missing


README = DOCS.parent.joinpath("README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```.*?^```$", re.M | re.S)
PRECISE = re.compile(r"\.\d{3}")
# Written by docs/_write/pages.py, which computes their figures
COMPUTED = {"differences.md", "glossary.md", "peers.md"}


@pytest.mark.parametrize("page", ["README.md", *sorted(TEXTS.keys() - {*EXECUTED, *COMPUTED})])
def test_figures_with_three_decimals_stand_in_a_block_of_their_page(page):
    """Other tests run the blocks. Executed pages are compared with what they print."""
    text = TEXTS.get(page, README)
    cited = cited_but_not_shown(text, "\n".join(BLOCK.findall(text)))
    assert [figure for figure in cited if PRECISE.search(figure)] == []


def test_a_figure_that_no_block_shows_is_found_on_the_first_screen():
    """README.md once cited 0.4317, and its block would now show 0.4321."""
    blocks = "\n".join(BLOCK.findall(README))
    assert cited_but_not_shown("It is 0.4321, not 0.4317.", blocks) == ["0.4317"]


FIGURES = [
    (name, each)
    for name, text in {"README.md": README, **TEXTS}.items()
    for each in re.findall("<!-- figures: (.+) -->", text)
]


@pytest.mark.parametrize(("page", "source"), FIGURES)
def test_figures_come_from_what_anybody_can_run(page, source):
    for command in source.split(" and "):
        found = RUN.match(command)
        assert found, f"{page}: {command!r} is no command of python"
        module, *files = found.groups()
        path = module.replace(".", "/") if module else next(filter(None, files), "tests")
        assert any((DOCS.parent / f"{path}{end}").exists() for end in ("", ".py")), command


def run_cell(code, path, namespace):
    """Print the value of the last expression, as a notebook does."""
    *statements, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        statements, last = [*statements, last], None
    exec(compile(ast.Module(statements, []), path, "exec"), namespace)
    value = last and eval(compile(ast.Expression(last.value), path, "eval"), namespace)
    if value is not None:
        assert not re.search(r"<[\w.]+ object at 0x", repr(value)), f"{code} shows an address"
        print(repr(value))


@pytest.mark.sweep(4)
@each_page(EXECUTED)
def test_executed_pages_show_what_they_cite(page, tmp_path, monkeypatch):
    """And say what their pictures show. The site has all packages, a test run maybe not."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    import_needed(TEXTS[page])
    monkeypatch.chdir(tmp_path)
    ran = list(outputs.run(TEXTS[page], str(PAGES[page]), run_cell))
    if all(printed is not None for _, printed in ran):
        assert len(pyplot.get_fignums()) == TEXTS[page].count("\n<!-- picture: ") > 0
        shown = [text for snippet, printed in ran for text in (snippet["code"], printed)]
        assert cited_but_not_shown(TEXTS[page], "\n".join(shown)) == []


def anchors(page):
    """Return the anchors of the headings, as Sphinx and GitHub make them."""
    headings = re.findall(r"^#+ (.+)$", outputs.SNIPPET.sub("", TEXTS[page]), re.M)
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


@pytest.mark.parametrize("page", PAGES)
def test_no_line_of_code_begins_a_list(page):
    """Lists have hyphens, and so code that is broken before a "*" or a "+" would be another one."""
    text = re.sub(r"^```.*?^```$", "", TEXTS[page], flags=re.M | re.S)
    assert re.findall(r"^ *[*+] .+$", text, re.M) == []


HEADERS = re.compile(r"^\| (.+) \|\n\|[ :|-]+\|$", re.M)
UNFINISHED = re.compile(r"to|(?:if|you) .+|.+ if|in .+, how often")


def find_unfinished_headers(text):
    headers = [each for row in HEADERS.findall(text) for each in row.split(" | ")]
    return [each for each in headers if UNFINISHED.fullmatch(each)]


@pytest.mark.parametrize("page", ["README.md", *PAGES])
def test_no_cell_finishes_the_header_of_its_column(page):
    """A header is a noun or a question, or "if" above clauses."""
    assert find_unfinished_headers(TEXTS.get(page, README)) == []


def test_headers_that_a_cell_finishes_are_found():
    tables = [
        f"| {head} |\n|---|---|\n| a | b |\n"
        for head in (
            "you want to | call",
            "to | add",
            "if you get nan | do",
            "option | it fails if",
        )
    ]
    found = ["you want to", "to", "if you get nan", "it fails if"]
    assert find_unfinished_headers("\n".join(tables)) == found
    assert find_unfinished_headers("| if | what your model is for |\n| --- | --- |\n") == []


def test_every_page_is_in_a_menu():
    menus = re.findall(r"^```\{toctree\}\n(.*?)^```$", "".join(TEXTS.values()), re.M | re.S)
    listed = re.findall(r"^(?:.*<)?(\w+)>?$", "".join(menus), re.M)
    assert {name.removesuffix(".md") for name in PAGES} - {"index"} <= set(listed)


def test_the_sidebar_has_each_page_once():
    """Its menus are those of the first page of the guide, whose part it begins."""
    text = TEXTS["getting_started.md"]
    menus = re.findall(r":caption: (.+)\n\n((?:.+\n)+?)```$", text, re.M)
    captions = ["Start", "Do", "Fields", "A value looks wrong", "Reference"]
    assert [caption for caption, _ in menus] == captions
    first, *others = [page for _, menu in menus for page in menu.splitlines()]
    assert first == "Quick start <self>"
    assert re.search(r"^# (.+)$", text, re.M)[1] == "Quick start"
    besides = {"index", "getting_started", "changelog", "contributing"}
    pages = {name.removesuffix(".md") for name in PAGES} - besides
    assert sorted(others) == sorted([*pages, "API <api>"])
    assert len(pages) == 23


def test_each_page_has_a_description_that_search_engines_show_whole():
    text = (DOCS / "descriptions.toml").read_text(encoding="utf-8")
    described = tomllib.loads(text)
    assert {name.removesuffix(".md") for name in PAGES} <= described.keys()
    assert [name for name, words in described.items() if len(words) > 160] == []
    assert len({*described.values()}) == len(described)


def test_words_that_people_search_lead_somewhere():
    """The build of the site searches for them."""
    searched = tomllib.loads((DOCS / "search.toml").read_text(encoding="utf-8"))
    for place in searched:
        name, _, anchor = place.partition("#")
        if name != "api":  # whose headings are in another syntax
            assert not anchor or anchor in anchors(f"{name}.md"), place
            assert f"{name}.md" in PAGES
    words = [word for each in searched.values() for word in each]
    assert len(words) == len({*words}) > 120


def test_boxes_are_for_ten_mistakes_that_give_wrong_values():
    boxes = re.findall(r"^:::\{(\w+)\}$", "\n".join(TEXTS.values()), re.M)
    assert boxes == ["warning"] * 10


def test_only_executed_pages_draw():
    assert [name for name in set(TEXTS) - set(EXECUTED) if "\n<!-- picture:" in TEXTS[name]] == []


def listed_in(module):
    """`__all__` of a module that may need what is not installed."""
    source = PACKAGE.joinpath(f"{module}.py").read_text(encoding="utf-8")
    return ast.literal_eval(re.search(r"^__all__ = (\[.*?\])$", source, re.M | re.S)[1])


def test_the_reference_has_every_public_name():
    text = (DOCS / "api.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^(?:   |\.\. data:: )(\w+)$", text, re.M)
    public = {*sklearn_ap.__all__, *compat.__all__, *listed_in("spark")}
    others = (boosting, datasets, exceptions, inference, readers, reports, thresholds)
    for module in others:
        public.update(module.__all__)
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
    for page in ("which_definition.md", "peers.md"):
        assert f"({page}" in TEXTS["index.md"]
    title = re.search(r"^# (.+)$", TEXTS["peers.md"], re.M)[1]
    for name, text in TEXTS.items():
        words = " ".join(text.split())
        assert set(re.findall(r"\[([^]]+)\]\(peers\.md\)", words)) <= {title}, name
    assert "peers>" not in TEXTS["index.md"]  # in the menu too


# No code is cut off beside the menus

CODE_BLOCK = re.compile(r"^```.*\n((?:.*\n)*?)```$", re.M)
GALLERY = sorted((DOCS / "examples").glob("*.py"))


def too_long(text, width=outputs.WIDTH):
    return [code for code in text.splitlines() if len(code) > width]


@pytest.mark.parametrize("path", [*PAGES.values(), *GALLERY], ids=lambda path: path.name)
def test_code_of_a_page_is_not_cut_off(path):
    text = path.read_text(encoding="utf-8")
    for code in CODE_BLOCK.findall(text) if path.suffix == ".md" else [text]:
        assert too_long(code) == []


@pytest.mark.slow
def test_code_of_docstrings_is_not_cut_off():
    """With prompts and output."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    long, seen = [], 0
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            doc = ast.get_docstring(node) if isinstance(node, documented) else None
            for example in doctest.DocTestParser().get_examples(doc or ""):
                seen += 1
                long += too_long(example.source, outputs.WIDTH - len(">>> ")) + too_long(
                    example.want
                )
    assert seen > 100
    assert long == []
