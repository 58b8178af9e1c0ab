"""What docs/_write/pages.py writes is up to date."""

import ast
import re
from itertools import chain

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap._inputs.metric_names import parse_metric_name
from sklearn_ap.compat import DIFFERENCES, PEERS
from sklearn_ap.compat.differences import NEWEST_RELEASE, format_outcome
from sklearn_ap.compat.peers import find_order
from sklearn_ap.core.rules import GRADED as OF_GRADES
from sklearn_ap.core.rules import RULES

from .documentation import DOCS, script
from .registry import DEFINITIONS, GRADED


@pytest.fixture(scope="module")
def generate():
    return script("pages")


@pytest.fixture(scope="module")
def pages(generate):
    return generate.pages()


parameters = script("parameters")
PAGES = [
    *("../README.md", "api.rst", "choose_metric.md", "cite.md", "differences.md"),
    *("glossary.md", "peers.md", "replace_names.md"),
]


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_as_generated(pages, name):
    """If not: python docs/_write/pages.py"""
    assert (DOCS / name).read_text(encoding="utf-8") == pages[name]


def test_types_are_as_generated_and_there_are_no_more_pages(generate, pages):
    """If not: python docs/_write/pages.py"""
    assert generate.STUB.read_text(encoding="utf-8") == generate.stub()
    assert sorted(pages) == PAGES


@pytest.mark.parametrize("path", list(parameters.modules()), ids=lambda path: path.stem)
def test_shared_parameters_are_as_declared(path):
    """If not: python docs/_write/parameters.py, which also adds what is missing in its place."""
    source = path.read_text(encoding="utf-8")
    entry = r"^( +)classes(: .*\n| : .*\n(\1    .*\n)+)"
    without = re.sub(entry, "", source, flags=re.M)
    assert parameters.written(source) == parameters.written(without) == source


def test_all_public_functions_with_data_share_their_parameters():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in parameters.modules()]
    found = {name for tree in trees for name, _ in parameters.public(tree)}
    assert found == set(parameters.BESIDES) == set(parameters.WITHOUT)
    assert {"average_precision_score", "compare", "HitCurveDisplay.from_predictions"} < found


def test_descriptions_name_only_parameters_that_the_function_has():
    """A metric and `**options` can have others, such as k."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in parameters.modules()]
    nodes = {name: node for tree in trees for name, node in parameters.public(tree)}
    has = {
        name: {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
        for name, node in nodes.items()
    }
    known, tried = set().union(*has.values()), 0
    for name, node in nodes.items():
        of_metric = known - set(parameters.SHARED)
        others = of_metric if {"metric", "metrics"} & has[name] else set()
        for parameter, _, text in parameters.entries(ast.get_docstring(node)):
            named = set(re.findall(r"`(\w+)(?: [^`]*)?`|\b(\w+)=", text))
            named = known.intersection(*[chain.from_iterable(named)])
            assert named <= has[name] | others | {"metric"}, (name, parameter)
            assert "classes" in has[name] or not re.search("multi(class|label)", text), name
            tried += bool(named)
    assert tried > 40


def test_shared_descriptions_begin_with_one_line(generate, pages):
    """The rest is below "Common options" of the reference."""
    assert sorted(chain(*generate.OPTIONS.values())) == sorted(parameters.SHARED)
    words = " ".join(pages["api.rst"].split())
    for name, each in parameters.shared().items():
        first = parameters.first_sentence(each.text)
        whole = re.sub(r":\w+:`", "`", " ".join(each.text.split()))
        whole = re.sub(r"`+", "``", whole)
        assert len(first.split()) <= 15, name
        assert words.count(f"``{name}`` {whole}") == 1, name


def test_there_is_a_question_for_every_metric_and_calls_run(generate, pages):
    questions = [name for row in generate.METRICS.values() for _, name in row.questions]
    assert {type(parse_metric_name(name).rule()) for name in questions} == {
        k for k in (*RULES, *OF_GRADES) if k.metric
    }
    names = re.findall(r"\| `([^`|]+)` \| `(\S+)` \|", pages["choose_metric.md"])
    assert len(names) == len(questions)
    assert [parse_metric_name(short) for short, _ in names] == [
        parse_metric_name(name) for _, name in names
    ]
    y, q = np.tile([1, 0, 0, 1, 0], 60), np.repeat(np.arange(30), 10)
    given = {"ap": sklearn_ap, "y": y, "s": np.random.default_rng(0).normal(y), "q": q}
    for _, call in generate.PURPOSES:
        assert 0 < eval(call, given) < 3
        assert f"| `{call}` |" in pages["choose_metric.md"]


def test_docs_metrics_toml_has_every_definition_and_says_all_of_it(generate):
    assert set(generate.METRICS) == {*DEFINITIONS, *GRADED, "MAP"}
    for name, row in generate.METRICS.items():
        wanted = {"also", "readme", *(["questions"] if row.score else [])}
        assert {key for key in wanted if not getattr(row, key)} == set(), name
    listed = {row.score for row in generate.METRICS.values() if row.pages}
    assert listed == {name for name in sklearn_ap.__all__ if name.endswith("_score")}


def test_every_definition_is_in_the_glossary(generate, pages):
    for row in generate.METRICS.values():
        name = re.escape(row.readme[0])
        assert re.search(rf"^\| {name} \| .+ \| .+ \| {{py:func}}", pages["glossary.md"], re.M), (
            name
        )


def test_what_somebody_calls_average_precision_has_a_formula(pages):
    found = re.findall(r"^\| (.+?) \| \$.+\$ \| .*\|$", pages["glossary.md"], re.M)
    points = ["11-point", "N-point, such as 101-point"]
    assert found == ["average precision (step)", "envelope", *points, "linear", "AP@k", "MAP"]


def test_the_glossary_has_one_row_for_each_idea(pages):
    rows = re.findall(r"^\| (.+?) \| (.*?) \| (.+?) \| (.+?) \|$", pages["glossary.md"], re.M)
    names = [name for name, *_ in rows]
    assert len(names) == len({*names}) > 25


def test_levels_that_programs_miss_are_warned_of(generate):
    """If common programs use a grid of floats, the guide warns that their value differs."""
    definitions = [peer.definition for peer in PEERS]
    floats = {each.partition(" float")[0] for each in definitions if " float" in each}
    rows = generate.METRICS.values()
    assert {f"{each}-float" for each in floats} == {
        row.name for row in rows if "misses some recall levels" in row.also
    }


@pytest.mark.parametrize("name", ["cite.md", "glossary.md", "differences.md", "peers.md"])
def test_rows_have_as_many_cells_as_the_header(pages, name):
    tables = re.findall(r"(?:^\|.*\|\n)+", pages[name], re.M)
    assert tables
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def tables(page):
    """The rows of each table of a page, without its header."""
    for table in re.findall(r"(?:^\|.*\|\n)+", page, re.M):
        yield [line.strip("|\n ").split(" | ") for line in table.splitlines()[2:]]


def test_the_page_has_all_differences_with_reasons_those_of_the_newest_release_first(pages):
    met, rare, met_before, rare_before = tables(pages["differences.md"])
    new, old = [*met, *rare], [*met_before, *rare_before]
    named = {f"{row.title}: `{row.call}`": row for row in DIFFERENCES}
    rows = [named.pop(what) for what, *_ in [*new, *old]]
    assert not named
    for row, (_, theirs, ours, reason, versions) in zip(rows, [*new, *old], strict=True):
        assert (reason, versions.strip("`")) == (row.reason, row.versions)
        assert [theirs.strip("`"), ours.strip("`")] == [
            *map(format_outcome, (row.theirs, row.ours))
        ]
    is_new = [row.applies_to(NEWEST_RELEASE) for row in rows]
    assert is_new == [True] * len(new) + [False] * len(old)


def test_the_page_says_of_all_tools_where_and_why_their_average_precision_differs(generate, pages):
    """Each tool stands beside its definition, its order of ties, and what it does at edges."""
    _, common, rows = tables(pages["peers.md"])
    where = {what: tools for what, _, tools in rows}
    assert all(where.values())
    counted = {what: len(re.findall(r"\]\(#", tools)) for what, tools in where.items()}
    assert common
    assert [[str(counted[what]), what] for _, what, _ in common] == [row[:2] for row in common]
    differences = generate.differences
    named = {each.definition for each in differences.AP_PEERS}
    assert named - {"step"} == where.keys() & named
    others = {each.definition for each in PEERS} - named
    assert all(re.match("precision|recall|hit|reciprocal|R-prec|enrich|area", o) for o in others)
    for peer in differences.AP_PEERS:
        found = [what for what, tools in where.items() if f"[{peer.tool}]" in tools]
        assert peer.definition == "step" or peer.definition in found
        assert find_order(peer) not in differences.WHY_OF_TIES or any("ties" in w for w in found)
        is_usual = peer.no_positives in ("0", "0 and a warning", "not looked at")
        assert is_usual or any("no positives" in what for what in found), peer


def test_the_page_of_tools_says_all_of_each(generate, pages):
    """Each tool has a heading and a link, and each row its own line below what it shares."""
    index, *fields = pages["peers.md"].split("\n## ")
    _, *sections = re.split(r"^#{2,3} (.+)\n", pages["peers.md"], flags=re.M)
    texts = dict(zip(sections[::2], sections[1::2], strict=True))
    tools = sorted({peer.tool for peer in PEERS}, key=str.casefold)
    links = re.findall(r"\[([^]]+)\]\(#([^)]+)\)", index)
    assert links == [(tool, generate.anchor(tool)) for tool in tools]
    listed = [re.findall(r"^### (.+)$", field, re.M) for field in fields]
    assert sorted(chain(*listed), key=str.casefold) == tools
    assert all(field == sorted(field, key=str.casefold) for field in listed)
    said = []
    for tool, text in texts.items():
        for facts, lines in re.findall(r"^(\*\*.+)\n\n((?:- .+\n)+)", text, re.M):
            for line in lines.splitlines():
                function, definition = re.match(r"- `(.+?)`: \*\*(.+?)\*\*", line).groups()
                said.append((tool, function, definition, facts))
    told = [(peer.tool, peer.function, peer.definition, facts_of(peer)) for peer in PEERS]
    assert len(said) == len(told)
    for *row, facts in told:
        assert any(
            row == [*names] and all(map(all_facts.__contains__, facts))
            for *names, all_facts in said
        ), row


def facts_of(peer):
    tested = " ✓" if peer.package else ""
    facts = [f"**{peer.version}{tested}**", f"ties: {peer.ties}"]
    return [*facts, f"no positives: {peer.no_positives}", peer.trap, peer.option, peer.source]


def test_entries_for_bibtex_end_where_their_braces_do():
    page = (DOCS / "cite.md").read_text(encoding="utf-8")
    entries = re.findall(r"^@\w+\{.*?^\}$", page, re.DOTALL | re.MULTILINE)
    assert len(entries) == page.count("\n@") >= 10
    for entry in entries:
        depths = np.cumsum([{"{": 1, "}": -1}.get(character, 0) for character in entry])
        assert depths[-1] == 0
        assert depths[:-1][len(entry.partition("{")[0]) :].min() == 1
