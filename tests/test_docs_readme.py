"""README.md and its example do what they say, and the version is the same everywhere."""

import doctest
import json
import re
import runpy
import shlex
import tomllib
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from packaging.version import Version
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

import sklearn_ap as ap
from benchmarks import report

ROOT = Path(__file__).parents[1]
NAMES = ("README.md", "pyproject.toml", "CHANGELOG.md", "CITATION.cff")
README, PYPROJECT, CHANGELOG, CITATION = (ROOT.joinpath(n).read_text("utf-8") for n in NAMES)
INDEX = ROOT.joinpath("docs", "index.md").read_text("utf-8")
PROJECT = tomllib.loads(PYPROJECT)["project"]
MARKED = re.findall(r"^<!-- command: (\w+) -->\n```sh\n(.+?)\n```$", README, re.M | re.S)
COMMANDS = dict(MARKED)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def test_code_runs_and_its_output_is_as_shown():
    names, pycon = {}, "".join(blocks("pycon"))
    exec(compile("".join(blocks("python")), "README.md", "exec"), names)
    session = doctest.DocTestParser().get_doctest(pycon, names, "README.md", None, None)
    for shown in ("GridSearchCV(", "scoring=", "identify(", "audit(", "compare("):
        assert any(shown in example.source for example in session.examples)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session).failed == 0


def test_payments_of_an_account_are_alike():
    """So the first example has other rows, and the quick start passes the accounts."""
    payments = ap.datasets.load_payments()
    rows, accounts = (
        ap.confidence_interval("fraud", "model_b", clusters=clusters, data=payments)
        for clusters in (None, "account")
    )
    assert accounts.high - accounts.low > 1.2 * (rows.high - rows.low)
    quick_start = ROOT.joinpath("docs", "getting_started.md").read_text("utf-8")
    assert 'clusters="account"' in quick_start


def test_the_first_code_fits_a_phone():
    for page in (README, INDEX):
        code = re.findall(r"^(?:>>>|\.\.\.) .+$", page[: page.index("## ")], re.M)
        assert [line for line in code if len(line) > 44] == []
        assert len(code) > 5


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        (lambda score: (score > 0.5).astype(int), "predicted classes"),
        (pd.Series.sort_values, "index"),
    ],
)
def test_mistakes_are_told(change, warning):
    """Those that the quick start names."""
    payments = ap.datasets.load_payments()
    with pytest.warns(UserWarning, match=warning):
        ap.average_precision_score(payments["fraud"], change(payments["model_b"]))


def test_a_report_takes_the_metrics_of_the_table():
    rows = tomllib.loads(ROOT.joinpath("docs", "metrics.toml").read_text("utf-8")).values()
    names = [name for row in rows for _, name in row.get("questions", ())]
    payments = ap.datasets.load_payments().sort_values("model_a")[-300:]
    options = {"groups": "day", "zero_division": 0, "data": payments}
    report = ap.report("fraud", ["model_a"], metrics=names, **options)
    assert len(report.rows) == len(names) > 15


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_command_makes_its_own_environment_and_uses_nothing_else(command):
    assert sorted(name for name, _ in MARKED) == ["example", "tests"]
    steps = [shlex.split(step) for step in command.split("&&")]
    environment = steps[0][-1]
    assert steps[0] == ["python3", "-m", "venv", environment]
    assert {step[0] for step in steps[1:]} == {f"{environment}/bin/python"}
    others = [other for other in COMMANDS.values() if other != command]
    assert not any(environment in other for other in others)


@pytest.mark.parametrize("command", blocks("sh"))
def test_commands_name_what_exists(command):
    for word in shlex.split(command):
        if re.search(r"\.\w+$", word) and not word.startswith(".venv"):
            assert (ROOT / word).is_file()
        if extra := re.fullmatch(r"\.\[(\w+)\]", word):
            assert extra[1] in PROJECT["optional-dependencies"]


def test_contributors_find_every_file_that_is_named():
    text = ROOT.joinpath("CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`([\w./*]+(?:\.py|/))`", text)
    package = Path(ap.__file__).parent  # which may be installed elsewhere
    folders = ROOT, ROOT / "docs" / "examples", ROOT / "tests", package.parent, package
    folders += *package.glob("*/"), ROOT / "docs" / "_write"
    assert [name for name in named if not any([*each.glob(name)] for each in folders)] == []
    assert len(named) > 30


def test_the_table_of_definitions_has_what_is_called_average_precision():
    table = README[README.index("| definition |") : README.index("<!-- end of metrics")]
    listed = set(re.findall(r"`(\w+_score)(?:\(.*?\))?`", table))
    assert listed == {name for name in ap.__all__ if name.endswith("average_precision_score")} | {
        "average_precision_at_k_score"
    }


def letters(text):
    return re.sub(r"\W+", "", text.replace("docs/", "").replace("of this", "of its"))


def test_the_first_screen_is_one_text_of_350_words():
    """README.md and the landing page say the same and show the same calls."""
    screen = README[: README.index("\n## Definitions")]
    prose = re.sub(r"^```.*?^```$|<!--.*?-->", "", screen, flags=re.M | re.S)
    assert len(prose.split()) <= 350
    home = letters(INDEX)
    sentences = re.findall(r"^[A-Z].+[.:?]$", prose, re.M)
    examples = doctest.DocTestParser().get_examples("".join(blocks("pycon")))
    said = [*sentences, *(example.source for example in examples)]
    assert [text for text in said if letters(text) not in home] == []
    assert len(said) > 12


def test_facts_of_the_first_screen_are_those_of_the_package():
    results = json.loads(ROOT.joinpath("docs", "speed.json").read_text("utf-8"))
    cells = [row.split(" | ")[1:3] for row in report.kinds(results).splitlines()[2:]]
    ends = sorted(float(end) for row in cells for cell in row for end in cell.split(" to "))
    facts = {
        "tools": f"{len({peer.tool for peer in ap.compat.PEERS})} tools",
        "speed": f"{ends[0]:.0f} to {ends[-1]:.0f} times as fast",
    }
    for page in (README, INDEX):
        words = " ".join(page.split())
        assert [fact for fact in facts.values() if fact not in words] == []
    needed = {re.match(r"[\w-]+", each)[0] for each in PROJECT["dependencies"]}
    assert needed == {"numpy", "scipy", "scikit-learn"}


def test_the_first_picture_shows_what_its_tools_report():
    """scikit-learn's by scikit-learn, and the others by the definition of each tool in PEERS."""
    picture = runpy.run_path(str(ROOT / "docs" / "_picture.py"), run_name="picture")
    labels, scores, tools = picture["LABELS"], [*picture["RANKING"]], picture["TOOLS"]
    shown = {tool: ap.metric(metric)(labels, scores) for tool, metric in tools.items()}
    precision, recall, _ = precision_recall_curve(labels, scores)
    assert shown["scikit-learn"] == pytest.approx(average_precision_score(labels, scores))
    assert shown["scikit-learn before 0.19"] == pytest.approx(auc(recall, precision))
    assert len({f"{value:.3f}" for value in shown.values()}) == 4
    known = {(peer.tool, peer.version, peer.function): peer.definition for peer in ap.compat.PEERS}
    assert known["PASCAL VOC devkit", "2010 and later", "VOCevaldet"] == "envelope"
    assert known["PASCAL VOC devkit", "2007, in Octave", "VOCevaldet"] == "11-point float"
    assert known["scikit-learn", "0.18", "average_precision_score"] == "linear"
    svg = ROOT.joinpath("docs", "definitions.svg").read_text("utf-8")
    for tool, value in shown.items():
        assert f">{tool}<" in svg
        assert f">{value:.3f}<" in svg


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []


HOOK = tomllib.loads(PYPROJECT)["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]


@pytest.mark.parametrize("address", ["", "https://example.org/blob/main"])
def test_pypi_shows_no_link_that_leads_nowhere(address):
    """Today's substitutions, and what their comment advises once there is an address."""
    text = README
    for each, mark in zip(HOOK["substitutions"], ("!", ""), strict=True):
        advised = rf"{mark}[\1]({address}/\2)"
        text = re.sub(each["pattern"], advised if address else each["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert [link for link in links if not link.startswith("https://")] == []
    assert len(links) == (README.count("](") if address else 0)
    has_address = [r"https://" in each["replacement"] for each in HOOK["substitutions"]]
    assert has_address == [bool(PROJECT["urls"])] * 2
    assert [each["path"] for each in HOOK["fragments"]] == ["README.md"]


@pytest.mark.slow
def test_example_tells_its_candidates_apart_and_says_where_its_picture_is(capsys, monkeypatch):
    monkeypatch.setattr("matplotlib.pyplot.get_backend", lambda: "agg")
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    (path,) = (word for word in shlex.split(COMMANDS["example"]) if word.startswith("docs/"))
    shown = runpy.run_path(str(ROOT / path), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    found = ap.compare_folds(shown["search"], metric="step")
    assert found.best == ({"n_neighbors": 50},)
    picked = {name: shown["neighbors"][means.argmax()] for name, means in shown["means"].items()}
    assert picked == dict.fromkeys(shown["scoring"], 50) | {"step ties=best": 2}
    assert len(lines) <= 20
    assert "nan" not in "".join(lines)
    assert Path(lines[-1].removeprefix("The picture is in ")).stat().st_size > 0


def test_one_sentence_says_everywhere_what_the_package_is():
    for text in (README, INDEX, CITATION, ap.__doc__):
        assert PROJECT["description"] in text


def test_addresses_are_the_same_everywhere():
    """They stand in pyproject.toml, and the citation repeats that of the repository."""
    cited = dict(re.findall(r"^(repository-code|url): (\S+)$", CITATION, re.M))
    names = {"repository-code": "Repository", "url": "Documentation"}
    urls = PROJECT["urls"]
    assert {key: urls[name] for key, name in names.items() if name in urls} == cited


def test_versions_agree():
    """What is released is what is cited, and what comes next is a later development version.

    Before the first release, which needs an address, its development version is cited.
    """
    version = Version(PROJECT["version"])
    released = [
        (Version(number), date.fromisoformat(day))
        for number, day in re.findall(r"^## (\d+\.\d+\.\d+\S*) \(([\d-]+)\)$", CHANGELOG, re.M)
    ]
    assert released == sorted(released, reverse=True)
    cited, day = (
        re.search(rf"^{n}: (\S+)$", CITATION, re.M)[1] for n in ("version", "date-released")
    )
    assert (Version(cited), date.fromisoformat(day)) == released[0]
    assert version.is_devrelease or "## Unreleased" not in CHANGELOG
    if "Repository" in PROJECT["urls"]:
        assert not Version(cited).is_devrelease
        assert version > Version(cited) if version.is_devrelease else version == Version(cited)
    else:
        assert version.is_devrelease
        assert version == Version(cited)


def test_the_page_on_stability_has_the_versions_and_the_private_modules():
    text = " ".join(ROOT.joinpath("docs", "api.rst").read_text("utf-8").split())
    for name in ("Python", "NumPy", "SciPy", "scikit-learn"):
        needed = [*PROJECT["dependencies"], f"python{PROJECT['requires-python']}"]
        (lowest,) = (each.partition(">=")[2] for each in needed if each.startswith(name.lower()))
        assert f"{name} {lowest}" in text
    modules = {path.stem for path in Path(ap.__file__).parent.glob("[a-z]*")}
    private = modules - {*ap._MODULES, "py"}
    assert {f"`{name}`" for name in private} <= set(
        re.findall(r"`\w+`", text.partition(" Private ~")[2])
    )


def test_the_pythons_that_are_listed_are_tested():
    scripts = [ROOT / ".ci" / name for name in ("common", "run", "nightly")]
    if not scripts[0].exists():
        pytest.skip("only in a checkout")
    text = "".join(script.read_text(encoding="utf-8") for script in scripts)
    tested = re.findall(r"python(3\.\d+)", text)
    assert {*re.findall(r"Python :: (3\.\d+)", PYPROJECT)} <= {*tested}
