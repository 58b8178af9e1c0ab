"""Programs in other languages get the findings that the same function in Python gets.

Rankings are written to a file, and the values that a program prints for them are audited.
"""

import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from itertools import cycle
from math import isnan, nan
from pathlib import Path
from shutil import which

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap.__main__ import main
from sklearn_ap.compat import call_log
from sklearn_ap.compat.ranking_files import VERSION, read_returned

from .audits import find_row, rank_by_rows
from .conftest import FEW_RANKINGS
from .documentation import DOCS

pytestmark = pytest.mark.usefixtures("clock")

ALL_RANKINGS = {name: getattr(call_log, name) for name in FEW_RANKINGS}
RIGHT, WRONG, UNCHECKED = 0, 1, 3  # exit codes
PYTHON = """\
import json, sys
for line in sys.stdin:
    ranking = json.loads(line)
    pairs = zip(ranking["y_score"], ranking["y_true"])
    pairs = sorted(pairs, key=lambda pair: pair[0], reverse=True)
    found = before = area = 0
    for i, (score, label) in enumerate(pairs, 1):
        found += label
        if i < len(pairs) and pairs[i][0] == score:
            continue
        area += (found - before) * found / i
        before = found
    print(ranking["n"], area / max(found, 1))
"""
# Each language with its program, the line that groups tied samples, and how it's run
# `rank_by_rows` is what each program computes without that line.
PROGRAMS = {
    "python": ("if i < len(pairs) and pairs[i][0] == score:", "if False:", [sys.executable]),
    "perl": ("next if defined", "next if 0 && defined", ["perl"]),
    "js": ("if (i + 1 < order.length &&", "if (false &&", ["node"]),
    "r": ("c(diff(score) < 0, TRUE)", "rep(TRUE, length(score))", ["Rscript"]),
    "julia": ("i < length(order) &&", "false &&", ["julia"]),
    "go": ("if i+1 < len(is) &&", "if false &&", ["go", "run"]),
}
in_each_language = pytest.mark.parametrize(
    "language",
    [
        "python",
        *(pytest.param(each, marks=pytest.mark.slow) for each in PROGRAMS if each != "python"),
    ],
)
FILES = {"perl": "ap.pl", "js": "ap.js", "r": "ap.R", "julia": "ap.jl", "go": "ap.go"}


def program(language, is_right):
    grouping, instead, _ = PROGRAMS[language]
    text = PYTHON
    if language != "python":
        text = (DOCS / "audit_programs" / FILES[language]).read_text(encoding="utf-8")
        assert 10 <= len(text.splitlines()) <= 20
    assert grouping in text
    return text if is_right else text.replace(grouping, instead)


def found(program):
    """The path of a program that runs this; None if it isn't installed."""
    return which(program, path=str(Path(sys.executable).parent)) or which(program)


def run(command):
    """Return the exit code, and what a command prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command.split())
    return code, out.getvalue(), err.getvalue()


def printed(language, is_right, folder, rankings):
    command, *options = PROGRAMS[language][2]
    if found(command) is None:
        pytest.skip(f"{command} isn't installed")
    path = folder / f"program.{'cjs' if language == 'js' else language}"
    path.write_text(program(language, is_right), encoding="utf-8")
    return subprocess.run(
        [found(command), *options, path],
        input=rankings,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "GOFLAGS": "", "GO111MODULE": "off", "GOCACHE": str(folder / "go")},
    ).stdout


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module", autouse=True)
def _few_rankings():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in FEW_RANKINGS.items():
            patch.setattr(f"sklearn_ap.compat.call_log.{name}", value)
        yield


@pytest.fixture(name="all_rankings")
def _all_rankings(monkeypatch):
    """The lines of all rankings."""
    for name, value in ALL_RANKINGS.items():
        monkeypatch.setattr(call_log, name, value)
    assert run("audit --write rankings.jsonl") == (0, "", "")
    return Path("rankings.jsonl").read_text(encoding="utf-8")


@pytest.fixture(scope="module", name="rankings")
def _rankings(tmp_path_factory):
    """The lines that a program reads."""
    path = tmp_path_factory.mktemp("rankings") / "rankings.jsonl"
    assert run(f"audit --write {path}") == (0, "", "")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module", name="values")
def _values(rankings):
    """What a right program prints."""
    function, lines = ap.average_precision_score, []
    for each in map(json.loads, rankings.splitlines()):
        value = function(each["y_true"], each["y_score"], zero_division=0.0)
        lines.append(f"{each['n']} {value}\n")
    return lines


def read(lines, options=""):
    Path("values.txt").write_text("".join(lines), encoding="utf-8")
    return run(f"audit --read values.txt {options}")


def without_untried(result):
    """The findings, and what isn't tried in a file."""
    findings = {row.aspect: (row.finding, row.value, row.expected) for row in result.rows}
    return {aspect: finding for aspect, finding in findings.items() if finding[0] != "not tried"}


@in_each_language
def test_a_right_program_agrees(language, tmp_path, rankings):
    out = printed(language, True, tmp_path, rankings)
    code, shown, err = read([out], "--metric AP")
    assert (code, err) == (RIGHT, "")
    assert shown.startswith("Step average precision, as expected")


@in_each_language
def test_a_wrong_program_gets_the_findings_of_the_same_function(language, tmp_path, rankings):
    out = printed(language, False, tmp_path, rankings)
    code, shown, err = read([out])
    assert code == UNCHECKED
    by_row = 'It computes AP, ties by row. To check for it in CI, add --metric "AP, ties by row"'
    assert err == f"sklearn_ap: unchecked: {by_row}\n"
    assert "tied samples are ranked one by one, in the order of the rows" in " ".join(shown.split())
    in_python, in_a_file = compat.audit(rank_by_rows), compat.audit(read_returned(out))
    of_function, of_program = without_untried(in_python), without_untried(in_a_file)
    untried = {*of_function} - {*of_program}
    assert untried >= {"integers", "float32", "bool labels", "arguments changed"}
    assert not {"values", "ties", "order of rows", "many samples"} & untried
    for aspect in ("ties", "order of rows", "constant scores", "no positives"):
        assert of_program[aspect] == of_function[aspect]
    assert in_a_file.title == in_python.title


@pytest.mark.slow
def test_values_alone_are_in_order(values):
    alone = [line.partition(" ")[2] for line in values]
    assert read(alone) == read(values)
    assert read([f"[1] {line}" for line in alone]) == read(values)  # as R prints
    assert read([*reversed(values)]) == read(values)  # numbered, in any order
    assert read([line.replace("\n", "\r\n") for line in values]) == read(values)
    assert read(["\ufeff", *values]) == read(values)


@pytest.mark.parametrize("is_numbered", [pytest.param(True, marks=pytest.mark.slow), False])
def test_no_value(is_numbered, rankings, values):
    lines = list(values)
    list_spellings = cycle(("{} NaN\n", "{} NA\n", "{} null\n", "{} \n", "{} nan\n", "[1] {} NA\n"))
    for i, each in enumerate(map(json.loads, rankings.splitlines())):
        if not any(each["y_true"]):
            lines[i] = next(list_spellings).format(each["n"])
        if not is_numbered:
            lines[i] = lines[i].replace(f"{each['n']} ", "", 1)
    assert read(lines, "--metric AP --zero-division nan")[0] == RIGHT
    code, shown, err = read(lines)
    assert code == UNCHECKED
    assert err.endswith("add --metric AP --zero-division nan\n")
    assert shown.startswith("Step average precision, except without positives: nan instead of 0.0.")
    read_again = compat.audit(read_returned("".join(lines)))
    assert [row.value for row in read_again.rows if not row.agrees] == pytest.approx(
        [nan], nan_ok=True
    )


def test_lines_that_dont_match(values):
    n = len(values)
    weighed = len(compat.rankings(weights=True))
    alone = [line.partition(" ")[2] for line in values]
    counts = f"values for {n:,} rankings, or for {weighed:,} with weights."
    number = values[6].partition(" ")[0]
    for lines, words in (
        (alone[1:], f"There are {n - 1:,} {counts} Pass one for each of them"),
        ([*alone, "0.5\n"], f"There are {n + 1:,} {counts}"),
        (values[:6] + values[7:], f"The first one without a value has the number {number}."),
        ([*values, f"{number} 0.5\n"], f"Line {n + 1} has the number {number} again."),
        ([*values[:6], "Done.\n", *values[7:]], "Line 7 is no value: 'Done.'."),
        (["Reading rankings ...\n", *values], "Line 1 is no value: 'Reading rankings ...'."),
        ([*alone[:2], "0,5\n", *alone[3:]], "Line 3 is no value: '0,5'."),
        ([*alone[:2], "0_5\n", *alone[3:]], "Line 3 is no value: '0_5'."),  # Python reads 5
        ([*alone[:2], "\u0661\n", *alone[3:]], "Line 3 is no value: '\u0661'."),  # and 1
        ([*values[:2], "1.5 0.5\n", *values[3:]], "Line 3 is no value: '1.5 0.5'."),
        (["20001 0.5\n", *values[1:]], "The number 20001 is of no ranking here"),
        (["1 0.5\n", *values[1:]], "The number 1 is of no ranking here"),
        ([], "There is no value at all."),
    ):
        code, shown, err = read(lines)
        assert (code, shown) == (2, "")
        assert words in err
        assert err.count("\n") == 1


def test_weights(values):
    assert run("audit --write weighted.jsonl --weights") == (0, "", "")
    lines = Path("weighted.jsonl").read_text(encoding="utf-8").splitlines()
    rankings = compat.rankings(weights=True)
    assert [json.loads(line)["n"] for line in lines] == [each.n for each in rankings]
    assert all(each.sample_weight is None for each in compat.rankings())
    has_weights = [each.sample_weight is not None for each in rankings]
    assert has_weights == sorted(has_weights)  # so they come last
    assert any(has_weights)
    right, ignoring = {}, {}
    for each in rankings:
        labels, scores = each.y_true, each.y_score
        ignoring[each.n] = ap.average_precision_score(labels, scores, zero_division=0.0)
        weights = {"sample_weight": each.sample_weight}
        right[each.n] = ap.average_precision_score(labels, scores, zero_division=0.0, **weights)
    assert find_row(compat.audit(right), "weights").finding == "nothing differs"
    result = compat.audit(ignoring)
    row = find_row(result, "weights")
    assert not row.agrees
    assert "ignored" in row.finding
    assert not result.agrees


@pytest.mark.slow
def test_rankings_in_python():
    """In order or numbered, in lists, arrays or dicts."""
    rankings = compat.rankings(random_state=3)
    assert all(each.n == first for first, each in enumerate(rankings, rankings[0].n))
    assert rankings[0].n % 10_000 == 1 < rankings[0].n
    values = [rank_by_rows(each.y_true, each.y_score) for each in rankings]
    by_number = {each.n: value for each, value in zip(rankings, values, strict=True)}
    results = [
        compat.audit(given, random_state=3)
        for given in (values, tuple(values), np.array(values), by_number)
    ]
    assert len({str(result) for result in results}) == 1
    assert results[0].title == compat.audit(rank_by_rows, random_state=3).title
    compared = compat.audit(values, "AP", random_state=3)
    assert compared.title == (
        "It's average_precision, except with ties: tied samples are ranked one by one, in the "
        "order of the rows."
    )
    with pytest.raises(AssertionError, match=f"^{re.escape(str(compared))}$"):
        compat.check_metric(values, "AP", random_state=3)
    zeros = [None if isnan(value) else value for value in values]
    assert compat.audit(zeros, random_state=3).title == results[0].title


def test_what_a_file_cannot_try_is_said(values):
    """Nobody may read "always" of types that no file has."""
    title = compat.audit(read_returned("".join(values))).title
    assert title.startswith("Step average precision, wherever tried: ")
    assert title.endswith(
        ". Not tried: integers, float32, bool labels, infinite scores, float labels, "
        "read-only arrays, Series."
    )


def test_check_metric_takes_the_values_of_other_metrics():
    values = [ap.precision_at_k_score(each.y_true, each.y_score, k=5) for each in compat.rankings()]
    assert compat.check_metric(values, "P@5") is None
    with pytest.raises(AssertionError, match="It isn't precision_at_6"):
        compat.check_metric(values, "P@6")


def test_the_file_is_small_and_rankings_are_those_of_an_audit(all_rankings):
    assert len(all_rankings) < 5_000_000
    seen = set()

    def constant(y_true, y_score):
        if isinstance(y_score, np.ndarray):
            seen.add((*y_true.tolist(), *y_score.tolist()))
        return 0.5

    compat.audit(constant)
    sizes = []
    for each in map(json.loads, all_rankings.splitlines()):
        assert {*each} == {"n", "y_true", "y_score"}
        assert (*each["y_true"], *each["y_score"]) in seen
        sizes.append(len(each["y_true"]))
    assert sum(size > 5_000 for size in sizes) == 3


def test_the_line_of_the_design(rankings):
    line = re.compile(r'\{"n": \d+, "y_true": \[[01](, [01])*\], "y_score": \[.*\]\}')
    assert all(line.fullmatch(each) for each in rankings.splitlines())


WITH_WRITE = "Pass --weights only with --write, and only --random-state beside them."
ONE_WAY = "Pass a function, --write or --read, and only one of them."


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", ONE_WAY),
        ("math:sqrt --read values.txt", ONE_WAY),
        ("--read values.txt --write x", ONE_WAY),
        ("math:sqrt --weights", WITH_WRITE),
        ("--write x --metric AP", WITH_WRITE),
        ("--write x --format json", WITH_WRITE),
        ("--write nowhere/x", "No such file or directory: 'nowhere/x'"),
        ("--read nowhere", "No such file or directory: 'nowhere'"),
    ],
)
def test_ways_of_the_command(options, words):
    code, out, err = run(f"audit {options}")
    assert (code, out) == (2, "")
    assert words in err
    assert not Path("x").exists()


def test_metric_says_what_differs(values, rankings):
    code, shown, err = read(values, "--metric AP@10")
    assert code == WRONG
    title = "It isn't average_precision_at_10, but step average precision, wherever tried: "
    assert " ".join(shown.split()).startswith(title)
    assert err.startswith(f"sklearn_ap: failed: {title}")
    sizes = [
        len(each["y_true"])
        for each in map(json.loads, rankings.splitlines())
        if len({*each["y_score"]}) == len(each["y_true"])
        and ap.average_precision_at_k_score(each["y_true"], each["y_score"], k=10, zero_division=0)
        != pytest.approx(
            ap.average_precision_score(each["y_true"], each["y_score"], zero_division=0)
        )
    ]
    assert f"\nvalues  a ranking of {min(sizes)} samples (`audit.rows[0]`) gives " in shown


# Digests of the rankings of each version. What a release has tried stays.
DIGESTS = {1: "8db550482985"}  # of the release to come


def test_the_rankings_of_a_version_stay_as_they_are(all_rankings):
    """If not, raise VERSION, and add a digest; replace that of a version that isn't released."""
    assert hashlib.sha256(all_rankings.encode()).hexdigest()[:12] == DIGESTS[VERSION]
