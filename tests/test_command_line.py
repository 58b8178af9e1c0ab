"""The command line: it prints what the functions return, and says in one line what is wrong."""

import bz2
import gzip
import inspect
import json
import lzma
import re
import shlex
import subprocess
import sys
from datetime import date
from math import log2
from pathlib import Path

import pytest

import sklearn_ap as ap
from sklearn_ap import __main__ as command_line

from .tables import without_chance

PAGE = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text(encoding="utf-8")
SCORES = re.search(r"this file, `scores.csv`:\n\n```text\n(.*?)^```", PAGE, re.M | re.S)[1]
EXAMPLES = re.findall(r"^```sh\n([^`]*)^```\n\n```text\n(.*?)^```", PAGE, re.M | re.S)
SAVING = re.search(r"^```sh\n([^`]*--output point\.json)\n```", PAGE, re.M)[1]
HEADER, *ROWS = [line.split(",") for line in SCORES.splitlines()]
TABLE = dict(zip(HEADER, map(list, zip(*ROWS, strict=True)), strict=True))
TABLE |= {name: [float(cell) for cell in TABLE[name]] for name in ("old", "new")}
FRAUD = "--label fraud --positive yes"
BOTH = f"{FRAUD} --score old --score new"
OF_NEW = f"report scores.csv {FRAUD} --score new"
FUNCTIONS = {"report": ap.report, "trec": ap.report, "threshold": ap.operating_point}
FUNCTIONS |= {"identify": ap.compat.identify, "explain": ap.compat.explain}
FUNCTIONS |= {"audit": ap.compat.audit}
FUNCTIONS |= {"check": ap.thresholds.OperatingPoint.check}


# Arguments as calls of functions write them, which no command takes.
_OF_PYTHON = re.compile(r"(?<![\w-])[a-z_]{2,}=(?=['\"\d(\[{A-Z])|'[a-z_]+' parameter of")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(SCORES)
    return tmp_path


@pytest.fixture
def run(capsys):
    def run(line):
        """Run a command, and return its exit code and what it wrote to stdout and stderr."""
        try:
            code = command_line.main(shlex.split(line))
        except SystemExit as stopped:
            code = stopped.code
        out, err = capsys.readouterr()
        assert not _OF_PYTHON.findall(err), err
        return code, out, err

    return run


@pytest.fixture
def value_of(run):
    def value_of(line):
        """Return the first value that a command reports."""
        code, out, err = run(f"{line} --format json")
        assert (code, err) == (0, "")
        return json.loads(out)[0]["value"]

    return value_of


def as_module(line, **given):
    """Run a command in another process."""
    command = [sys.executable, "-m", "sklearn_ap", *shlex.split(line)]
    return subprocess.run(command, **{"capture_output": True} | given)


def parquet(name, **columns):
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), f"{name}.parquet")


@pytest.mark.parametrize(("line", "output"), EXAMPLES)
def test_the_page_shows_what_it_prints(run, line, output):
    name = "python -m sklearn_ap "
    assert line.startswith(name)
    of_saved = " point.json " in line
    if of_saved:
        assert run(SAVING.removeprefix(name).replace("\\\n", "")) == (0, "", "")
    code, out, err = run(line.removeprefix(name).replace("\\\n", ""))
    assert (code, out + err) == (3, output)


@pytest.mark.parametrize("file", ["scores.csv", "scores.parquet"])
def test_it_calls_the_functions(run, file):
    if file == "scores.parquet":
        parquet("scores", **TABLE)
    labels, days = [label == "yes" for label in TABLE["fraud"]], TABLE["day"]
    models = {name: TABLE[name] for name in ("old", "new")}
    report = ap.report(labels, models, metrics=["AP", "P@1"], groups=days, confidence_level=0.9)
    line = f"report {file} {BOTH} --group day --metric average_precision --metric P@1 "
    line += "--confidence-level 0.9 --format "
    shown = {name: run(line + name) for name in command_line._FORMATS}
    assert {(code, err) for code, _, err in shown.values()} == {(0, "")}
    out = {name: text for name, (_, text, _) in shown.items()}
    assert out["text"].splitlines()[2:3] == str(report).splitlines()[2:3]
    assert out["markdown"].count("|") == report.to_markdown().count("|")
    assert [row["value"] for row in json.loads(out["json"])] == [row.value for row in report]
    assert json.loads(out["json"])[-1]["pvalue"] is None  # JSON has no nan
    assert out["latex"].startswith(r"\begin{tabular}")
    assert "\\end{tabular}\n% " in out["latex"]  # the notes are comments
    assert out["html"].startswith('<div class="sklearn-ap">')
    options, new = f"{FRAUD} --score new", TABLE["new"]
    point = ap.operating_point(labels, new, min_recall=0.75, min_precision=0.5)
    line = f"threshold {file} {options} --min-recall 0.75 --min-precision 0.5"
    assert run(line) == (0, f"{point}\n", "")
    explained = ap.compat.explain(labels, new, k=0.007, groups=days)
    assert run(f"explain {file} {options} -k 0.7% --group day")[1].split() == str(explained).split()
    found = ap.compat.identify("0.950", labels, new, k=2)
    assert run(f"identify 0.950 {file} {options} -k 2")[1] == f"{found}\n"


def test_options_are_called_like_parameters():
    others = {*command_line._NO_PARAMETERS, *command_line._OF_TREC, "runs", "k_counts"}
    for command in LINES:
        parameters = inspect.signature(FUNCTIONS[command]).parameters
        assert {argument.dest for argument in arguments_of(command)} - others <= {*parameters}


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_csv_files_can_have_semicolons_and_booleans(run, value_of, separator):
    lines = [line.split(",") for line in SCORES.replace("old", "ö").splitlines()]
    flags = ["flag", *(str(line[0] == "yes").lower() for line in lines[1:])]
    text = "\n".join(separator.join([*line, flag]) for line, flag in zip(lines, flags, strict=True))
    Path("scores.csv").write_text(text, encoding="utf-8")
    expected = ap.average_precision_score([row == "yes" for row in TABLE["fraud"]], TABLE["old"])
    for label in (FRAUD, "--label flag --positive true", "--label flag"):
        assert value_of(f"report scores.csv {label} --score ö") == expected
    code, _, err = run(f"report scores.csv {FRAUD} --score day")
    assert code == 2
    assert "--score must contain numbers" in err or "of type" in err


def test_decimal_commas_are_not_guessed(run):
    """1,234 is about 1 in France, and above 1000 in England."""
    Path("scores.csv").write_text(SCORES.replace(",", ";").replace(".", ","))
    code, out, err = run(f"report scores.csv {FRAUD} --score old")
    words = "--score must contain numbers, but the column 'old' contains '0,91' in line 2 of"
    assert (code, out) == (2, "")
    assert err.startswith(f"sklearn_ap: error: {words} scores.csv. Write decimals with a point")


def test_several_files(run, value_of):
    header, *rows = SCORES.splitlines()
    Path("part").mkdir()
    for name, some in {"a": rows[:5], "b": rows[5:]}.items():
        Path(f"part/{name}.csv").write_text("\n".join([header, *some]))
        cells = [row.split(",") for row in some]
        fraud, _, _, new = zip(*cells, strict=True)
        parquet(f"part/{name}", fraud=list(fraud), new=list(map(float, new)))
    options = f"{FRAUD} --score new"
    expected = value_of(f"report scores.csv {options}")
    for files in ("part/a.csv part/b.csv", "'part/*.csv'", "'part/*.parquet'"):
        assert value_of(f"report {files} {options}") == expected
    assert value_of(f"report part/a.parquet part/b.parquet {options}") == expected
    Path("part/c.csv").write_text("fraud\nyes\n")
    for files, words in (
        ("part/a.csv part/b.parquet", "text files or Parquet files, but not both"),
        ("'none/*.csv'", "No file matches 'none/*.csv'."),
        ("part/a.csv 'part/*.csv'", "'part/a.csv' was passed twice. Pass it once, or its rows"),
        ("part/a.csv part/../part/a.csv", "'part/../part/a.csv' was passed twice."),
        ("- -", "'-' was passed twice."),
        ("part", "'part' is a folder of CSV files. Pass the files, as 'part/*.csv'."),
        ("part/a.csv part/c.csv", "'part/a.csv' and 'part/c.csv' don't both have a column 'new'"),
    ):
        code, out, err = run(f"report {files} {options}")
        assert (code, out) == (2, "")
        assert words in err


def test_groups_from_several_columns(value_of):
    old, fraud = TABLE["old"], [row == "yes" for row in TABLE["fraud"]]
    groups = [f"{day}{answer}" for day, answer in zip(TABLE["day"], TABLE["new"], strict=True)]
    expected = ap.mean_average_precision_score(fraud, old, groups=groups, zero_division=0.0)
    line = f"report scores.csv {FRAUD} --score old --group day --metric MAP"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sklearn_ap.__main__._say", lambda *_: None)
        assert value_of(f"{line} --group new") == expected
    assert value_of(line) != expected


@pytest.mark.parametrize(
    "options", ["--min-recall {}", "--min-precision {}", "--group day -k 2 --quantile {}"]
)
def test_percentages(run, options):
    line = f"threshold scores.csv {FRAUD} --score new {options}"
    assert run(line.format("50%")) == run(line.format("0.5"))
    assert run(line.format("50%"))[0] == 0


@pytest.mark.parametrize(
    "scores", [(2**64 - 1, 2**64 - 2, -3), (2**53 + 1, 2**53, 0.5), (2**70 + 1, 2**70, "1e3")]
)
def test_large_integers_are_not_rounded(value_of, scores):
    lines = [f"{y},{score}" for y, score in zip((1, 0, 1), scores, strict=True)]
    Path("large.csv").write_text("\n".join(["y,s", *lines]))
    assert value_of("report large.csv --label y --score s") == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    "names", ["01 1 1.0", "1e2 100 1_00", f"{10**20} {10**20 + 1} {10**20 + 2}"]
)
def test_names_stay_as_they_are_written(run, value_of, names):
    labels, scores, group = [1, 0] * 3, [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], names.split() * 2
    lines = [f"{name},{y},{s}" for name, y, s in zip(group, labels, scores, strict=True)]
    Path("named.csv").write_text("\n".join(["name,y,s", *lines]))
    expected = ap.mean_average_precision_score(labels, scores, groups=group)
    line = "report named.csv --label y --score s --group name --metric MAP"
    assert value_of(line) == expected
    Path("tied.csv").write_text("\n".join(["name,y,s", *(line[:-3] + "0.5" for line in lines[:3])]))
    explained = ap.compat.explain([1, 0, 1], [0.5] * 3, ids=group[:3])
    line = "explain tied.csv --label y --score s --ids name"
    assert run(line)[1].split() == str(explained).split()


def test_scores_and_labels_stay_what_they_are_as_segments(run):
    point = ap.operating_point(TABLE["fraud"], TABLE["old"], pos_label="yes", min_recall=0.75)
    run(SAVING.removeprefix("python -m sklearn_ap ").replace("\\\n", "").replace("new", "old"))
    found = point.check("fraud", "old", by="old", data=TABLE)
    assert run("check point.json scores.csv --by old") == (3, f"{found}\n", "")
    Path("numbers.csv").write_text("y,s\n1,0.9\n0,0.8\n1,0.7\n0,0.6")
    code, out, _ = run("report numbers.csv --label y --score s --by y --format json")
    assert (code, json.loads(out)[0]["value"]) == (0, pytest.approx(5 / 6))


@pytest.mark.parametrize(
    ("kind", "one", "other", "options"),
    [
        ("csv", "1", "0", ""),
        ("csv", "1.0", "0", "--positive 1"),
        ("csv", "01", "00", "--positive 1"),
        ("csv", "True", "False", "--positive true"),
        ("csv", "2024-01-02", "2024-01-01", "--positive 2024-01-02"),
        ("csv", "3", "1", "--min-grade 2"),
        ("parquet", 1, 0, "--positive 1"),
        ("parquet", 1.0, 0.0, "--positive 1"),
        ("parquet", 2, 3, "--positive 2"),
        ("parquet", True, False, "--positive true"),
        ("parquet", "1", "0", "--positive 1"),
        ("parquet", "true", "no", "--positive true"),
    ],
)
def test_labels_compare_by_value(value_of, kind, one, other, options):
    if kind == "csv":
        Path("y.csv").write_text(f"y,s\n{other},0.9\n{one},0.8\n{other},0.7\n{one},0.6\n\n")
    else:
        parquet("y", y=[other, one] * 2, s=[0.9, 0.8, 0.7, 0.6])
    assert value_of(f"report y.{kind} --label y --score s {options}") == 0.5


@pytest.mark.parametrize(("one", "other"), [("01", "00"), ("1", "0"), ("a", "1")])
def test_labels_in_names_of_folders_compare_as_they_are_read(value_of, one, other):
    for label, scores in ((one, [0.8, 0.6]), (other, [0.9, 0.7])):
        Path(f"rows/y={label}").mkdir(parents=True)
        parquet(f"rows/y={label}/0", s=scores)
    assert value_of(f"report rows --label y --score s --positive {one}") == 0.5


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("yes,mon,1\n,mon,2\nno,mon,3", "Input --label contains NaN, None or another missing v"),
        ('yes,mon,1\n"",mon,2\nno,mon,3', "Input --label contains NaN, None or another missing"),
        ("yes,mon,1\nyes,,2\nno,mon,3", "--group contains missing values"),
        ("yes,mon,1\nyes,mon,\nno,mon,3", "--score"),
        (
            "yes,mon,1\nyes,mon,NA\nno,mon,3",
            "contains 'NA' in line 3 of missing.csv. To rank the row",
        ),
        (
            "yes,mon,1\nNA,mon,2\nno,mon,3",
            "--label contains 'NA' in line 3 of missing.csv, in the column 'y', beside two or more",
        ),
        ('yes,mon,"0,91"\nno,mon,"0,5"', "in line 2 of missing.csv. Write decimals with a point"),
        (
            "yes,mon,0,91\nno,mon,0,5",
            "line 2 of missing.csv has 4 of 3 cells. Write decimals with a",
        ),
        ("yes,mon,1\nyes,mon\nno,mon,3", "line 3 of missing.csv has 2 of 3 cells."),
        ('yes,mon,1\n"yes,mon,2', "line 3 of missing.csv cannot be read as CSV: unexpected end"),
        ("yes,mon,2026-01-01\nno,mon,2026-01-02", "--score must contain numbers"),
        ("", "Found array with 0 sample(s) in --label"),
        ("y\xe9s,mon,1", "line 2 of missing.csv isn't in UTF-8 ('utf-8' codec can't decode"),
    ],
)
def test_missing_cells_are_refused(run, lines, words):
    Path("missing.csv").write_text(f"y,g,s\n{lines}\n", encoding="latin-1")
    line = "report missing.csv --label y --positive yes --score s --group g --metric MAP"
    code, out, err = run(line)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


# A cell that each role refuses, and the words of the error
WRONG_CELLS = [
    ("y", "", "NaN, None or another missing value"),
    ("s", "", "NaN"),
    ("s", "inf", "infinity"),
    ("s", "high", "must contain numbers"),
    ("w", "", "NaN"),
    ("w", "-1", "Negative values"),
    ("w", "inf", "infinity"),
    ("g", "", "missing values"),
    ("c", "", "missing values"),
]
ROLES_OF_CELLS = "--label y --positive yes --score s --weight w --group g --cluster c"


ROW = {"y": "yes", "s": "0.5", "w": "1", "g": "a", "c": "p", "note": '"two\nlines"'}
WITH_NOTES = [ROW, ROW, ROW | {"y": "no"}]  # in lines 2 and 3, 5 and 6, 8 and 9


def json_lines(rows, between="\n"):
    """Write what looks like a number as one, and empty cells as null or not at all."""
    lines = []
    for place, row in enumerate(rows):
        entry = {}
        for name, cell in row.items():
            if cell or place % 2:
                is_number = re.fullmatch(r"-?[\d.]+", cell)
                entry[name] = (float(cell) if is_number else cell) if cell else None
        lines.append(json.dumps(entry))
    return between.join(lines)


def with_empty_lines(rows, kind):
    if kind == "jsonl":
        return "\n" + json_lines(rows, between="\n\n\n")
    return "\n".join([",".join(ROW), *(",".join(row.values()) + "\n" for row in rows)])


@pytest.mark.sweep(8)
@pytest.mark.parametrize(("column", "cell", "words"), WRONG_CELLS)
@pytest.mark.parametrize("command", ["report --metric MAP", "threshold --min-recall 0.5"])
@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_errors_about_a_cell_name_its_line_and_file(run, command, column, cell, words, row, kind):
    rows = [dict(each) for each in WITH_NOTES]
    Path("april.csv").write_text(with_empty_lines(rows, "csv"), encoding="utf-8")
    rows[row][column] = cell
    march = f"march.{kind}"
    Path(march).write_text(with_empty_lines(rows, kind), encoding="utf-8")
    for files in (march, f"april.csv {march}", f"{march} april.csv"):
        code, out, err = run(f"{command} {ROLES_OF_CELLS} {files}")
        assert (code, out) == (2, "")
        assert words in err
        assert f"line {2 + 3 * row} of {march}" in err


def test_json_lines_are_read_as_csv(run):
    """Numbers stay as they are written: 01 isn't 1, and large ones aren't rounded."""
    rows = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    Path("scores.jsonl").write_text(json_lines(rows))
    for line in (OF_NEW, f"report scores.csv {BOTH} --group day --metric MAP --by day"):
        expected = run(line)
        assert expected[0] == 0
        for file in ("scores.jsonl", "scores.jsonl.gz"):
            Path("scores.jsonl.gz").write_bytes(gzip.compress(Path("scores.jsonl").read_bytes()))
            assert run(line.replace("scores.csv", file)) == expected
    large = [(True, 2**64 - 1, "01"), (False, 2**64 - 2, 1), (True, -3, 1), (False, 0.5, "01")]
    lines = [json.dumps({"y": y, "s": s, "g": g}) for y, s, g in large]
    Path("large.jsonl").write_text("\n".join(lines))
    code, out, _ = run(
        "report large.jsonl --label y --score s --group g --metric MAP --format json"
    )
    assert (code, json.loads(out)[0]["value"]) == (0, 0.75)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"y": 1, "s": 2}\n[1, 2]', 2),
        ('{"y": 1, "s": 2}\n{"y": 1', 2),
        ('{\n"y": [1, 0],\n"s": [1, 2]\n}', 1),
        ('[{"y": 1, "s": 2}, {"y": 0, "s": 1}]', 1),
        ('[\n  {"y": 1, "s": 2}\n]', 1),
    ],
)
def test_other_json_is_refused(run, text, line):
    Path("y.json").write_text(text)
    code, out, err = run("report y.json --label y --score s")
    assert (code, out) == (2, "")
    assert f"line {line} of y.json is not a JSON object. Write each row as an object in a" in err


@pytest.mark.parametrize("other", ["none", "-", "NA"])
def test_one_of_two_labels_can_look_missing(value_of, other):
    Path("y.csv").write_text(f"y,s\n{other},0.9\nattack,0.8\n{other},0.7\n")
    assert value_of("report y.csv --label y --positive attack --score s") == 0.5


@pytest.mark.parametrize("file", ["infinite.csv", "infinite.parquet"])
def test_no_code_is_advised_for_infinite_scores(run, file):
    if file.endswith("csv"):
        Path(file).write_text("y,s\n1,inf\n0,0.5\n")
    else:
        parquet("infinite", y=[1, 0], s=[float("inf"), 0.5])
    code, out, err = run(f"report {file} --label y --score s")
    assert (code, out) == (2, "")
    assert "replace inf by 1e38 and -inf by -1e38. (--score is the column 's')\n" in err


@pytest.mark.slow
def test_csv_files_are_known_by_their_content(run):
    expected = run(OF_NEW)
    content = Path("scores.csv").read_bytes()
    Path("scores.data").write_bytes(b"\xef\xbb\xbf" + content)
    for module in (gzip, bz2, lzma):
        Path(f"{module.__name__}.csv").write_bytes(module.compress(content))
    for name in ("scores.data", "gzip.csv", "bz2.csv", "lzma.csv"):
        assert run(OF_NEW.replace("scores.csv", name)) == expected
    piped = as_module(OF_NEW.replace("scores.csv", "-"), input=content)
    assert piped.stdout == expected[1].encode()
    parquet("scores", **TABLE)
    Path("scores.parquet").rename("scores.csv")
    code, *texts = run(OF_NEW)
    assert (code, without_chance(texts)) == (0, without_chance([*expected[1:]]))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"y,s\n")[:-3], "it is not a complete gzip file: "),
        (bz2.compress(b"y,s\n")[:-3], "it is not a complete bzip2 file: "),
        (lzma.compress(b"y,s\n")[:-3], "it is not a complete xz file: "),
        (b"\xd0\xcf\x11\xe0\xa1", "it is an Excel file. Save the table as CSV."),
        (b"PK\x03\x04\x14\0", "it is a zip archive, as Excel files are. Unpack it, or save "),
        (b"\x28\xb5\x2f\xfd\x20", "it is compressed by zstd. Decompress it first."),
        (b"ARROW1\0\0", "it is a Feather file of Arrow. Save the table as Parquet or CSV."),
        ("y,s\n".encode("utf-16"), "it is encoded in UTF-16, or isn't text. Save it as text"),
    ],
    ids=["gzip", "bzip2", "xz", "Excel", "zip", "zstd", "Feather", "UTF-16"],
)
def test_other_files_are_called_what_they_are(run, content, words):
    Path("other.csv").write_bytes(content)
    code, out, err = run("report other.csv --label y --score s")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"'other.csv' cannot be read as CSV or JSON lines: {words}" in err


def test_only_the_segment_can_be_an_empty_cell(run):
    """As the page says."""
    cells = "1,0.9,a\n0,0.8,\n1,0.7,a\n0,0.6,b\n1,0.5,b\n0,0.4,\n"
    Path("cells.csv").write_text(f"y,s,g\n{cells}")
    code, out, _ = run("report cells.csv --label y --score s --by g")
    assert code == 0
    assert "2 rows have no value of g, so they count for all data only." in " ".join(out.split())
    code, _, err = run("report cells.csv --label y --score s --group g --metric MAP")
    assert code == 2
    assert "--group contains missing values" in err


TOO_LOW = "Average precision of old is 0.691667, below 0.7"
TOO_FEW = "Precision at 5 rows of old is 0.6, below 0.8"
WORSE = "Average precision of old is worse than that of new: -0.258 (-0.365 to -0.152)"


@pytest.mark.parametrize(
    ("options", "failures"),
    [
        ("--score new --fail-under AP=0.5 --fail-under P@1=1", []),
        ("--score new --fail-under AP=0.7", [TOO_LOW]),
        ("--score new --fail-under AP=70%", [TOO_LOW]),
        ("--score new --fail-under AP=0.6916667", [f"{TOO_LOW[:-3]}0.6916667"]),
        ("--score new --baseline old --fail-under AP=0.7", []),
        ("--baseline old --fail-under AP=0.7", [TOO_LOW]),  # with nothing to compare
        ("--score new --metric P@5 --baseline new --fail-under P@5=0.6000000000000001", []),
        ("--score new --metric P@5 --k-counts samples --fail-under P@5=0.8", [TOO_FEW]),
        ("--score new --fail-if-worse-than new", []),
        ("--score new --fail-if-worse-than new --confidence-level 0.3", [WORSE]),
    ],
)
def test_gates(run, options, failures):
    code, out, err = run(f"report scores.csv {FRAUD} --score old {options}")
    assert code == bool(failures)
    assert "0.692" in out or "Precision at 5" in out
    assert err == "".join(f"sklearn_ap: failed: {words}\n" for words in failures)


# A line of each command, without options that may be left out
LINES = {
    "report": f"report scores.csv {BOTH}",
    "identify": f"identify 0.95 scores.csv {FRAUD} --score new",
    "explain": f"explain scores.csv {FRAUD} --score new",
    "audit": "audit sklearn.metrics:average_precision_score",
    "threshold": f"threshold scores.csv {FRAUD} --score new --min-recall 0.5",
    "check": "check point.json scores.csv",
    "trec": "trec qrels.txt old.run new.run",
}


def arguments_of(command):
    (commands,) = [each for each in command_line._parser()._actions if each.dest == "command"]
    return commands.choices[command]._actions[1:]  # without --help


ONCE = [
    (command, option.option_strings, "" if option.nargs == 0 else next(iter(option.choices or "1")))
    for command in LINES
    for option in arguments_of(command)
    if option.option_strings and isinstance(option, command_line._Once)
]


@pytest.mark.sweep(8)
@pytest.mark.parametrize(("command", "names", "value"), ONCE)
def test_options_that_are_not_for_several_values_are_refused_twice(run, command, names, value):
    one, *_, other = names * 2
    code, out, err = run(f"{LINES[command]} {one} {value} {other} {value}")
    assert (code, out) == (2, "")
    assert f"argument {'/'.join(names)}: was passed twice. Pass it once." in err


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ("--fail-under AP=0.5 --fail-under average_precision=0.4", "--fail-under"),
        ("--baseline old --margin AP=0.1 --margin average_precision=0.2", "--margin"),
        ("--baseline old --margin 0.1 --margin 0.2", "--margin"),
    ],
)
def test_gates_of_one_metric_are_refused_twice(run, options, option):
    code, out, err = run(f"{LINES['report']} {options}")
    assert (code, out) == (2, "")
    assert f"{option} was passed twice for one metric" in err


def test_a_margin_of_a_metric_precedes_one_of_all_metrics(run):
    metrics = "--metric AP --metric P@5 --baseline old --format json"
    margins = [
        {row["metric"]: row["margin"] for row in json.loads(run(line)[1]) if row["model"] == "new"}
        for line in (
            f"{LINES['report']} {metrics} --margin 0.1 --margin P@5=0.2",
            f"{LINES['report']} {metrics} --margin P@5=0.2 --margin 0.1",
        )
    ]
    assert margins == [{"Average precision": 0.1, "Precision at 5": 0.2}] * 2


@pytest.fixture
def unreachable(monkeypatch):
    """Fail if a command does more than to read its options."""

    def run_command(_):
        raise AssertionError

    for command in command_line._COMMANDS:
        monkeypatch.setitem(command_line._COMMANDS, command, run_command)


@pytest.mark.sweep(3)
@pytest.mark.usefixtures("unreachable")
@pytest.mark.parametrize("command", LINES)
def test_files_that_cannot_be_written_are_refused_before_anything_runs(run, command):
    for name in ("point.json", "qrels.txt", "old.run"):
        Path(name).touch()
    for ending in (".csv", ".pdf", ".yaml", ".xlsx", ".JSONL"):
        code, out, err = run(f"{LINES[command]} --output report{ending}")
        assert (code, out) == (2, "")
        assert "--output writes .json, .md, .html, .tex or .txt, but not" in err
        assert "AssertionError" in run(f"{LINES[command]} --output r{ending} --format text")[2]
    for file, words in {
        "none/a.md": "No such file or directory: 'none/a.md'",
        "''": "No such file or directory: ''",
        "..": "Is a directory: '..'",
    }.items():
        assert run(f"{LINES[command]} --output {file}") == (2, "", f"sklearn_ap: error: {words}\n")
    for file in LINES[command].split()[1:]:
        if Path(file).exists():
            code, out, err = run(f"{LINES[command]} --output ./{file} --format json")
            assert (code, out) == (2, "")
            assert f"'./{file}' is read, so it can't be written." in err


@pytest.mark.parametrize("ending", ["", ".txt", ".md", ".MD", ".tex"])
def test_endings_that_can_be_written(run, ending):
    kind = {".md": "markdown", ".tex": "latex"}.get(ending.lower(), "text")
    assert run(f"{OF_NEW} --output report{ending}") == (0, "", "")
    assert (
        Path(f"report{ending}").read_text(encoding="utf-8") == run(f"{OF_NEW} --format {kind}")[1]
    )


def test_groups_without_positives_can_be_left_out(value_of):
    Path("scores.csv").write_text(SCORES.replace("yes,tue", "no,tue"))
    line = f"{OF_NEW} --group day --metric MAP --zero-division"
    assert value_of(f"{line} nan") == 1.0
    assert value_of(f"{line} 1") == 1.0
    assert value_of(f"{line} 0") == 0.5


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ("old.run new.run.gz", "old new"),
        ("input.bm25 input.dense", "input.bm25 input.dense"),
        ("old.run old.txt", "old.run old.txt"),
        ("a/old.run b/old.run", "a/old.run b/old.run"),
    ],
)
def test_names_of_runs(run, files, names):
    Path("qrels.txt").write_text("cat 0 d1 1\ndog 0 d1 1\n")
    for file in files.split():
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text("cat Q0 d1 1 0.9 a\ndog Q0 d1 1 0.5 b\n")
    for baseline in (files.split()[0], names.split()[0]):
        line = f"trec qrels.txt {files} --baseline {baseline} --format json"
        code, out, err = run(line)
        assert (code, err) == (0, "")
        assert [row["model"] for row in json.loads(out)] == names.split()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_each_file_can_be_a_model(run, kind):
    rows = {
        "old": [("a", 1, 0.9), ("a", 0, 0.8), ("b", 1, 0.7), ("b", 0, 0.6)],
        "it's": [("a", 1, 0.5), ("b", 0, 0.8), ("b", 0, 0.7), ("b", 1, 0.6), ("b", 0, 0.4)],
    }
    tables = {
        model: dict(zip("gys", map(list, zip(*own, strict=True)), strict=True))
        for model, own in rows.items()
    }
    for model, table in tables.items():
        if kind == "parquet":
            parquet(model, **table)
            continue
        entries = [dict(zip("gys", map(str, row), strict=True)) for row in rows[model]]
        lines = ["g,y,s", *(",".join(entry.values()) for entry in entries)]
        text = json_lines(entries) if kind == "jsonl" else "\n".join(lines)
        Path(f"{model}.{kind}").write_text(text)
    options = "--label y --score s --group g --metric MAP --file-per-model"
    expected = ap.report(
        "y", "s", groups="g", metrics=["MAP"], data=tables, baseline="old"
    ).to_dict()
    for baseline in ("old", f"old.{kind}"):
        line = f'report old.{kind} "it\'s.{kind}" {options} --baseline {baseline}'
        code, out, err = run(f"{line} --format json")
        assert (code, err) == (0, "")
        found = json.loads(out)
        assert [row["model"] for row in found] == ["old", "it's"]
        for row, other in zip(found, expected, strict=True):
            assert [row[name] for name in ("value", "low", "pvalue")] == pytest.approx(
                [other[name] for name in ("value", "low", "pvalue")]
            )
    code, out, err = run(f"{line} --score y")
    assert (code, out) == (2, "")
    assert "--file-per-model needs one --score" in err
    assert "Two files have the same name" in run(f"report old.{kind} old.{kind} {options}")[2]


def test_errors_name_the_file_of_a_model(run):
    Path("old.csv").write_text("g,y,s\na,1,0.9\na,0,0.8\n")
    Path("it's.csv").write_text("g,y,s\n\na,1,0.9\na,0,\n")
    options = "--label y --score s --group g --metric MAP --file-per-model"
    for files in ('old.csv "it\'s.csv"', '"it\'s.csv" old.csv'):
        code, out, err = run(f"report {files} {options}")
        assert (code, out) == (2, "")
        assert "the first of them line 4 of it's.csv" in err
    Path("it's.csv").write_text("g,y,s\na,1,0.9\na,1,0.8\n")
    _, _, err = run(f"report {files} {options}")
    assert "pass --n-positives, a file that says for each group how many exist" in err
    Path("counts.csv").write_text("g,positives\na,3\n")
    assert run(f"report {files} {options} --n-positives counts.csv")[0] == 0


def test_runs_of_search_engines(run):
    Path("qrels.txt").write_text("cat 0 d1 1\ncat 0 d2 0\ndog 0 d1 2\n")
    Path("old.run").write_text("cat Q0 d2 1 0.9 a\ncat Q0 d1 2 0.8 a\ndog Q0 d1 1 0.7 a\n")
    Path("new.run").write_text("cat Q0 d1 1 0.9 b\ndog Q0 d1 1 0.5 b\n")
    line = "trec qrels.txt old.run new.run --metric MAP --fail-under MAP=0.8"
    code, out, err = run(f"{line} --fail-if-worse-than new --format json")
    assert {row["model"]: row["value"] for row in json.loads(out)} == {"old": 0.75, "new": 1.0}
    failed = "sklearn_ap: failed: Mean average precision of old is 0.75, below 0.8\n"
    assert (code, err) == (1, failed)
    graded = run("trec qrels.txt old.run --min-grade 2 --format json")[1]
    assert json.loads(graded)[0]["value"] == 0.5
    assert run(f"{line} --verbose")[2].startswith("report: metric 1 of 1, Mean average precision\n")


def test_judgments_and_runs_can_be_json_lines_and_tsv(run):
    Path("qrels.txt").write_text("cat 0 d1 1\ncat 0 d2 0\ndog 0 d1 2\n")
    Path("qrels.tsv").write_text("query-id\tcorpus-id\tscore\ncat\td1\t1\ncat\td2\t0\ndog\td1\t2\n")
    Path("old.run").write_text("cat Q0 d2 1 0.9 a\ncat Q0 d1 2 0.8 a\n")
    rows = [{"query-id": "cat", "corpus-id": f"d{n}", "score": n / 10} for n in (1, 2)]
    Path("old.jsonl").write_text("\n".join(map(json.dumps, rows)))
    expected = run("trec qrels.txt old.run --metric MAP")
    assert expected[0] == 0
    for qrels, runs in (("qrels.tsv", "old.run"), ("qrels.tsv", "old.jsonl")):
        assert run(f"trec {qrels} {runs} --metric MAP") == expected


def test_classes_of_queries(run):
    Path("qrels.txt").write_text("cat 0 d1 2\ncat 0 d2 1\ndog 0 d1 1\neel 0 d1 1\nfox 0 d1 0\n")
    Path("old.run").write_text("cat Q0 d2 1 0.9 a\ncat Q0 d1 2 0.8 a\ndog Q0 d1 1 0.7 a\n")
    Path("classes.csv").write_text("query,class,\ncat,tame,\ndog,tame,\neel,wild,\nfox,wild,\n")
    line = "trec qrels.txt old.run --metric nDCG@10 --by classes.csv --zero-division"
    best, found = 2 + 1 / log2(3), 1 + 2 / log2(3)
    for instead, values in {
        "0": {None: (found / best + 1) / 4, "tame": (found / best + 1) / 2, "wild": 0},
        "nan": {None: (found / best + 1) / 3, "tame": (found / best + 1) / 2, "wild": 0},
    }.items():
        code, out, err = run(f"{line} {instead} --format json")
        assert (code, err) == (0, "")
        rows = {row["segment"]: row["value"] for row in json.loads(out)}
        assert rows == pytest.approx(values)
        printed = " ".join(run(f"{line} {instead}".replace("--by classes.csv", ""))[1].split())
        assert "4 groups (query) have 5 judged documents. Retrieved: 3 by old." in printed
        are = {"0": "set to 0.0", "nan": "left out"}[instead]
        assert "1 of 4 groups (query) has no positives, so its value is undefined" in printed
        assert f"(0/0) and {are}." in printed
    Path("classes.csv").write_text("cat,tame\n")
    code, out, err = run(f"{line} 0")
    assert (code, out) == (2, "")
    words = "'classes.csv' must be a CSV file with the columns query and class, but has cat, tame."
    assert words in err
    Path("classes.csv").write_text("query,class\ncat,tame\ncat,wild\n")
    assert "line 3 of classes.csv says class 'wild' for 'cat', but a" in run(f"{line} 0")[2]
    Path("classes.csv").write_text("query,class\n,tame\n")
    assert "line 2 of classes.csv lacks query or class." in run(f"{line} 0")[2]


def test_classes_of_queries_are_read_as_other_files(run):
    """An empty cell is no class, spaces around a cell don't matter, and cells can be separated by
    semicolons.
    """
    Path("qrels.txt").write_text("".join(f"{q} 0 d1 1\n{q} 0 d2 0\n" for q in "abcdef"))
    Path("old.run").write_text("".join(f"{q} Q0 d1 1 0.9 a\n" for q in "abcdef"))
    Path("classes.csv").write_text("query;class\na;x\nb;x \nc; x\nd;y\ne ;y\nf;\n")
    code, out, err = run("trec qrels.txt old.run --metric MAP --by classes.csv --format json")
    assert (code, err) == (0, "")
    rows = {row["segment"]: row["n_positives"] for row in json.loads(out)}
    assert rows == {None: 6, "x": 3, "y": 2}


COUNTED = f"report {{}} {FRAUD} --score new --metric MAP --group day"


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (["day"], "day,positives\nmon,4\ntue,5\nwed,1\n"),
        (["day"], "positives;note;day\n4;;mon\n5;;tue\n1;;wed\n5;;tue\n"),
        (["day"], '{"day": "mon", "positives": 4}\n{"positives": 5, "day": "tue"}\n'),
        (["day", "shop"], "shop,positives,day\n01,4,mon\n01,5,tue\n1,1,mon\n"),
    ],
)
def test_counts_of_positives_of_groups_come_from_a_file(value_of, columns, text):
    Path("shops.csv").write_text(SCORES.replace("day,", "day,shop,").replace("mon,", "mon,01,"))
    Path("shops.csv").write_text(
        Path("shops.csv").read_text(encoding="utf-8").replace("tue,", "tue,01,")
    )
    Path("counts").write_text(text)
    names = [(day, "01") for day in TABLE["day"]] if "shop" in columns else TABLE["day"]
    keys = [("mon", "01"), ("tue", "01"), ("mon", "1")] if "shop" in columns else ["mon", "tue"]
    exist = dict(zip(keys, (4, 5, 1), strict=False)) | ({"wed": 1} if "wed" in text else {})
    labels = [label == "yes" for label in TABLE["fraud"]]
    expected = ap.mean_average_precision_score(
        labels, TABLE["new"], groups=names, n_positives=exist
    )
    line = f"{COUNTED.format('shops.csv')} {'--group shop' * ('shop' in columns)}"
    assert value_of(f"{line} --n-positives counts") == expected
    assert value_of(line) != expected


def test_names_of_counted_groups_are_those_of_the_table(value_of):
    """In Parquet files, 1 can be a number."""
    Path("counts.csv").write_text("user,positives\n1,2\n02,3\n")
    parquet("users", user=[1, 1, 2, 2], y=[1, 0, 0, 1], s=[0.9, 0.8, 0.7, 0.6])
    line = "report users.parquet --label y --score s --group user --metric MAP"
    assert value_of(f"{line} --n-positives counts.csv") == pytest.approx((1 / 2 + 1 / 6) / 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("day,positives\nmon,4\n", "--n-positives has no number for the group 'tue'"),
        ("day,positives\nmon,4\ntue,x\n", "the column 'positives' contains 'x' in line 3 of c.csv"),
        ("day,positives\nmon,4\n\ntue,\n", "line 4 of c.csv lacks day or positives."),
        ("day,positives\nmon,4\n,5\n", "line 3 of c.csv lacks day or positives."),
        ("day,positives\nmon,4\nmon,5\n", "line 3 of c.csv says positives 5 for 'mon', but a line"),
        ("day,positives\nmon,0\ntue,5\n", "--n-positives 0 for 'mon' is too small"),
        ("day,positives\nmon,2.5\ntue,5\n", "--n-positives 2.5 must be an integer"),
        (
            "day,n\nmon,2\n",
            "'c.csv' must be a CSV file with the columns day and positives, but",
        ),
        ("", "line 1 of c.csv must contain the names of columns, but"),
    ],
)
def test_wrong_counts_of_groups_are_refused(run, text, words):
    Path("c.csv").write_text(text)
    code, out, err = run(f"{COUNTED.format('scores.csv')} --n-positives c.csv")
    assert (code, out) == (2, "")
    assert words in err


def test_a_single_query_has_a_value_without_an_interval(run):
    Path("qrels.txt").write_text("cat 0 d1 1\ncat 0 d2 0\n")
    Path("old.run").write_text("cat Q0 d2 1 0.9 a\ncat Q0 d1 2 0.8 a\n")
    Path("new.run").write_text("cat Q0 d1 1 0.9 b\n")
    code, out, err = run("trec qrels.txt old.run --metric MAP")
    assert (code, err) == (0, "")
    assert "0.500" in out
    assert "At least two groups (query) are needed to estimate" in out
    line = "trec qrels.txt old.run new.run --metric MAP --baseline new"
    rows = json.loads(run(f"{line} --format json")[1])
    assert [row["value"] for row in rows] == [0.5, 1.0]
    assert [row["difference"] for row in rows] == [-0.5, 0.0]
    assert {row["low"] for row in rows} == {row["pvalue"] for row in rows} == {None}
    failed = "sklearn_ap: failed: Mean average precision of old is 0.5, below 0.8\n"
    assert run(f"{line} --fail-under MAP=0.8")[::2] == (1, failed)
    refused = "sklearn_ap: error: --fail-if-worse-than needs intervals. At least two groups"
    code, out, err = run("trec qrels.txt old.run new.run --fail-if-worse-than new")
    assert (code, out, err[: len(refused)]) == (2, "", refused)


# Saved thresholds
MANY = ["fraud,day,old,new", *[f"yes,mon,0.9,{0.3 + i / 250}" for i in range(150)]]
MANY += [f"no,tue,0.1,{i / 400}" for i in range(150)]


@pytest.fixture
def saved(run):
    Path("many.csv").write_text("\n".join(MANY))
    Path("worse.csv").write_text("\n".join(MANY).replace("yes,mon,0.9,0.", "yes,mon,0.9,0.0"))
    line = f"threshold many.csv {FRAUD} --score new --min-recall 0.85 --output point.json"
    assert run(line) == (0, "", "")


@pytest.mark.parametrize(("file", "code", "verdict"), [
    ("many.csv", 3, "not enough data to tell"),
    ("many.csv --score old", 0, "kept"),
    ("worse.csv", 1, "not kept"),
])  # fmt: skip
@pytest.mark.usefixtures("saved")
def test_a_saved_threshold_is_checked_on_other_files(run, file, code, verdict):
    point = ap.thresholds.OperatingPoint.from_dict(
        json.loads(Path("point.json").read_text(encoding="utf-8"))
    )
    column, name = ("old" if "old" in file else "new"), file.split()[0]
    rows = [line.split(",") for line in Path(name).read_text(encoding="utf-8").splitlines()]
    table = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    labels, scores = table["fraud"], list(map(float, table[column]))
    expected = point.check(labels, scores, pos_label="yes")
    found = run(f"check point.json {file}")
    assert found[::2] == (code, "")
    assert f"Recall of at least 0.85: {verdict}." in found[1]
    assert ("chosen on the scores of 'new', but" in found[1]) == ("old" in file)
    in_json = json.loads(run(f"check point.json {file} --format json")[1])
    assert in_json["recall"] == expected.to_dict()["recall"]
    assert in_json["is_kept"] is {0: True, 1: False, 3: None}[code]
    assert run(f"check point.json {file} --format markdown")[1].count("|") > 8
    assert run(f"check point.json {file} --confidence-level 0.9 --output c.md")[:2] == (code, "")
    assert "90% interval" in Path("c.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("saved")
def test_options_say_what_the_point_does_not_know(run):
    many = Path("many.csv").read_text(encoding="utf-8")
    Path("renamed.csv").write_text(many.replace("fraud,day,old,new", "is_fraud,date,a,b"))
    assert run("check point.json renamed.csv")[0] == 2
    line = "check point.json renamed.csv --label is_fraud --score b"
    assert run(line)[0] == 3
    assert run(f"{line} --positive no --n-positives 200 --group date --weight a")[0] == 1
    line = f"threshold many.csv {FRAUD} --score old --score new -k 80 --group day --output p.json"
    assert run(line) == (0, "", "")
    code, out, _ = run("check p.json many.csv --score old --group day")
    words = "At most k=80 per group on average: not enough data to tell."
    assert (code, words in out) == (3, True)
    assert "Groups over the budget: mon (150)." in out
    by_itself = run("check p.json many.csv --score old")
    assert "Checked with groups day, as in the choice." in by_itself[1].splitlines()
    assert (by_itself[0], "Groups over the budget: mon (150)." in by_itself[1]) == (3, True)
    Path("no_days.csv").write_text(many.replace("fraud,day,", "fraud,date,"))
    code, out, _ = run("check p.json no_days.csv --score new")
    assert (code, "can't be told without groups" in out) == (3, True)
    assert "chosen with groups (day), but is checked without" in " ".join(out.split())


@pytest.mark.parametrize(("file", "code", "words"), [
    ("many.csv", 3, "There isn't enough data to tell whether the targets were kept in all rows."),
    ("many.csv --score old", 3, "whether the targets were kept in tue."),
    ("worse.csv --no-joint", 1, "A target was not kept in all data, mon."),
])  # fmt: skip
@pytest.mark.usefixtures("saved")
def test_a_saved_threshold_is_checked_in_segments(run, file, code, words):
    found = run(f"check point.json {file} --by day")
    assert found[::2] == (code, "")
    text = " ".join(found[1].split())
    assert words in text
    assert ("hold for all 2 segments at once" in text) == ("--no-joint" not in file)
    rows = json.loads(run(f"check point.json {file} --by day --format json")[1])
    assert [row["segment"] for row in rows] == [None, "mon", "tue"]
    assert rows[0]["min_recall_kept"] is {"old": True, "int": False}.get(file[-3:])


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(("line", "words"), [
    ("check none.json many.csv", "No such file or directory: 'none.json'"),
    ("check many.csv many.csv", "'many.csv' isn't a saved threshold, which is JSON"),
    ("check less.json many.csv", "its digest shows that something was changed"),
    ("check newer.json many.csv", "has version 4. It was written by a newer sklearn_ap"),
    ("check arrays.json many.csv", "so it knows no columns. Pass --label."),
    ("check arrays.json many.csv --label fraud", "so it knows no columns. Pass --score."),
    ("check several.json many.csv", "of the models old, new. Pass one of them as --score."),
    ("check point.json many.csv --score newer", "--score 'newer' is not a column"),
    ("check point.json", "arguments are required: file"),
])  # fmt: skip
def test_what_is_no_saved_threshold_is_refused(run, line, words):
    point = json.loads(Path("point.json").read_text(encoding="utf-8"))
    Path("less.json").write_text(json.dumps({"version": 3}))
    Path("newer.json").write_text(json.dumps(point | {"version": 4}))
    Path("arrays.json").write_text(json.dumps(ap.operating_point([1, 0], [2, 1], k=1).to_dict()))
    models = {"old": [2, 1], "new": [1, 2]}
    rows = ap.operating_point([1, 0], models, k=1).to_dict()
    Path("several.json").write_text(json.dumps(rows))
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert words in err


def test_thresholds_that_one_has(run):
    labels = [label == "yes" for label in TABLE["fraud"]]
    line = f"threshold scores.csv {FRAUD} --score new "
    given = ap.operating_point(labels, TABLE["new"], threshold=0.5)
    assert run(f"{line} --threshold 0.5") == (0, f"{given}\n", "")
    run(f"{line} --threshold 0.5 --output given.json")
    code, out, _ = run("check given.json scores.csv")
    assert (code, "so there is none to keep" in out) == (3, True)


BAD = [
    ("", "arguments are required: COMMAND"),
    ("rank scores.csv", "invalid choice: 'rank'"),
    ("compare scores.csv", "; report --baseline compares models (--help"),
    ("report scores.csv --label fraud", "required: --score"),
    ("report none.csv --label fraud --score new", "No such file or directory: 'none.csv'"),
    ("report none.parquet --label fraud --score new", "No such file or directory: 'none.parquet'"),
    (
        "report empty.csv --label fraud --score new",
        "line 1 of empty.csv must contain the names",
    ),
    ("report scores.csv --label fraud --score newer", "--score 'newer' is not a column"),
    ("report scores.csv --label fraud --score new", "Pass the positive one, as --positive 'no'"),
    (
        "report one.csv --label fraud --positive 0 --score new --group new --metric nDCG@5",
        "--positive is not available for 'nDCG at 5', because it reads the grades",
    ),
    (f"report scores.csv {FRAUD} --score day", "--score"),
    ("report one.csv --label fraud --score new", "No positive class found in --label"),
    ("report null.csv --label fraud --score new", "This concerns 1 of 3 rows"),
    (f"{OF_NEW} --metric APP", "Got 'APP' instead"),
    (f"{OF_NEW} --metric dcg@10", "use 'nDCG@10'"),
    (f"{OF_NEW} --fail-under AP", "METRIC=VALUE, such as AP=0.4. Got 'AP'"),
    (f"{OF_NEW} --fail-under AP=high", "Got 'AP=high'"),
    (
        f"{OF_NEW} --fail-under AP=40",
        "--fail-under AP=40 always fails. For a percentage, write AP=40%.",
    ),
    (f"{OF_NEW} --fail-if-worse-than old", "--baseline 'old' is not one of the models ['new']"),
    (f"{OF_NEW} --baseline new --fail-if-worse-than old", "are different models"),
    (f"{OF_NEW} --output none/report.md", "No such file or directory: 'none/report.md'"),
    (f"threshold scores.csv {FRAUD} --score new -k 1p", "--k/-k: invalid cutoff value: '1p'"),
    ("trec none.txt scores.csv", "No such file or directory: 'none.txt'"),
    ("trec scores.csv scores.csv", "line 1 of scores.csv: qrels must have lines of query"),
    ("trec scores.csv scores.csv scores.csv", "Two files have the same name"),
    (
        f"threshold scores.csv {FRAUD} --score new",
        "needs a target: --min-recall, --min-precision or k, but got none of them",
    ),
    (f"identify high scores.csv {FRAUD} --score new", "value must be a number"),
    (f"identify 1e400 scores.csv {FRAUD} --score new", "value must be between 0 and 1"),
    ("report utf16.csv --label fraud --score new", "encoded in UTF-16, or isn't text. Save it"),
    ("report dates.parquet --label y --positive 2026-01-01 --score s", "Convert --label to "),
    ("report twice.csv --label fraud --score new", "2 columns of 'twice.csv' are called 'new'"),
    (f"{OF_NEW} --fail-if-worse-than new", "--fail-if-worse-than new needs another model"),
    (f"{OF_NEW} --metric precision_at_recall", "min_recall, as in 'precision_at_recall_0.9'"),
    (f"{OF_NEW} --metric RR", "Pass --group, and --cluster only if they consist of whole groups."),
    (f"{OF_NEW} --method boot", "error: --method must be a str among"),
    (f"{OF_NEW} --random-state -1", "argument --random-state: invalid seed value: '-1'"),
    (f"{OF_NEW} --output ''", "No such file or directory: ''"),
    ("trec qrels.txt old.run", "pass --unjudged-queries drop."),
    (f"{OF_NEW} --n-positives 5x", "--n-positives 5x needs --group, the column that names groups"),
    (f"{OF_NEW} --group day --n-positives 5x", "No such file or directory: '5x'"),
    (f"threshold scores.csv {FRAUD} --score new -k 0", "error: --k must be an int"),
]


@pytest.mark.parametrize(("line", "words"), BAD)
def test_bad_input_is_refused_in_one_line(run, line, words):
    Path("empty.csv").touch()
    Path("one.csv").write_text("fraud,new\n0,0.5\n0,0.7\n")
    Path("null.csv").write_text("fraud,new\n1,0.5\n0,\n1,0.7\n")
    Path("twice.csv").write_text("fraud,new,new\n1,0.5,0.5\n0,0.3,0.3\n")
    parquet("dates", y=[date(2026, 1, 1), date(2026, 1, 2)], s=[2, 1])
    Path("utf16.csv").write_text(SCORES, encoding="utf-16")
    Path("qrels.txt").write_text("cat 0 d1 1\n")
    Path("old.run").write_text("dog Q0 d1 1 0.9 a\n")
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"sklearn_ap: error: .+\n", err)
    assert words in err


@pytest.mark.sweep(8)
@pytest.mark.parametrize("labels", ["abca", "0120"])
@pytest.mark.parametrize("options", ["", "--positive a", "--positive 2", "--positive 1"])
@pytest.mark.parametrize("command", ["report", "identify 0.5", "explain", "threshold"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_more_than_two_labels_are_refused_with_what_helps(run, labels, options, command, kind):
    table = {"y": [*labels], "s": [1, 2, 3, 4], "g": [*"uuvv"]}
    parquet("three", **table)
    rows = zip(*table.values(), strict=True)
    Path("three.csv").write_text("y,s,g\n" + "\n".join(f"{y},{s},{g}" for y, s, g in rows))
    more = "--min-recall 0.5" if command == "threshold" else ""
    for groups in ("", "--group g") if kind == "csv" else ("",):
        line = f"{command} three.{kind} --label y --score s {options} {groups} {more}"
        code, out, err = run(line)
        assert (code, out) == (2, "")
        words, _, columns = err.partition(" (--label is the column 'y'")
        listed = re.search(r"labels( \[.*\])\. Add", words)
        assert words.replace(listed[1] if listed else "", "") == (
            "sklearn_ap: error: --label contains more than two labels. Add a column that is 1 for "
            "the positive class and 0 for all others, and pass it as --label. If they are grades, "
            "pass --min-grade, the lowest one that counts as positive."
        )
        assert columns in (")\n", ", --score is the column 's')\n")


def test_warnings_are_one_line_too(run):
    code, out, err = run(f"threshold scores.csv {FRAUD} --score new -k 100")
    assert code == 0
    assert re.fullmatch(r"sklearn_ap: warning: k=100 exceeds the 12 samples.*\n", err)
    assert "This flags 12 of 12 samples" in out
    Path("scores.csv").write_text(SCORES.replace("yes,tue", "no,tue"))
    Path("qrels.txt").write_text("cat 0 d1 1\n")
    Path("old.run").write_text("cat Q0 d1 1 0.9 a\n")
    for line, words in {
        f"{OF_NEW} --group day --metric MAP": (
            "so the value is undefined (0/0) and set to 0.0. Use --zero-division to choose another"
        ),
        f"{OF_NEW} --weight old --metric P@1": "Pass --k-counts weight to keep this",
        "trec qrels.txt old.run --min-grade 2": (
            "No positive class found in the judgments for 1 of 1 groups (cat), so"
        ),
    }.items():
        assert words in run(line)[2]


def test_names_in_files_stay_as_they_are(run):
    """Columns, models and labels can be called like parameters."""
    Path("y_true.csv").write_text("y_true,pos_label\n1,0.5\nsample_weight,\n1,0.2\n")
    line = "report y_true.csv --label y_true --positive sample_weight --score pos_label"
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert "the first of them line 3 of y_true.csv" in err
    assert err.endswith("(--score is the column 'pos_label')\n")
    code, out, err = run(line.replace("--positive sample_weight", "--positive k_counts"))
    assert "--positive 'k_counts' is not a valid label" in err
    assert "['1' 'sample_weight']" in err or "['1', 'sample_weight']" in err


def test_sentences_are_for_functions_again_after_a_command(run):
    Path("y.csv").write_text("y,s\n.5,1\n.7,2\n.3,3")
    assert "pass --min-grade" in run("explain y.csv --label y --score s")[2]
    with pytest.raises(ValueError, match="pass min_grade"):
        ap.average_precision_score([0.5, 0.7, 0.3], [1, 2, 3])


def test_it_can_be_interrupted(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setitem(vars(ap), "report", interrupted)
    assert run(OF_NEW) == (130, "", "")
    monkeypatch.setattr(command_line, "_parser", interrupted)
    assert run(OF_NEW) == (130, "", "")
    code = "import sys, sklearn_ap.__main__; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(run):
    full = "sklearn_ap: error: No space left on device: "
    assert run(f"{OF_NEW} --output /dev/full") == (2, "", f"{full}'/dev/full'\n")
    with open("/dev/full", "w") as file:
        done = as_module(OF_NEW, stdout=file, stderr=subprocess.PIPE, capture_output=False)
    assert (done.returncode, done.stderr.decode()) == (2, f"{full}'stdout'\n")


@pytest.mark.slow
def test_names_that_the_terminal_does_not_have(monkeypatch):
    Path("scores.csv").write_text(SCORES.replace("new", "ö"), encoding="utf-8")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = as_module(OF_NEW.replace("new", "ö"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"  \xf6      0.950" in done.stdout


@pytest.mark.slow  # the wheel is tried in this way, too
def test_it_runs_as_a_module():
    done = as_module(f"{OF_NEW} --fail-under AP=0.99 --format markdown --output report.md")
    failed = b"sklearn_ap: failed: Average precision of new is 0.95, below 0.99\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", failed)
    assert "| new | 0.950 |" in Path("report.md").read_text(encoding="utf-8")


def test_audit_of_a_function(run):
    Path("mine.py").write_text(
        "class Metrics:\n"
        "    from sklearn_ap import average_precision_score as right\n"
        "    def wrong(y_true, y_score): return 0.0\n"
    )
    code, out, err = run("audit mine:Metrics.right")
    assert (code, err) == (0, "")
    assert out.startswith("Step average precision, always")
    code, out, err = run("audit mine:Metrics.wrong --tolerance 0.1 --format json")
    assert (code, err) == (1, "")
    assert json.loads(out)["agrees"] is False
    for name, words in (
        ("mine", "'mine' isn't a function. Pass its module and name"),
        ("mine:nothing", "has no attribute 'nothing'"),
        ("nowhere:function", "No module named 'nowhere'"),
        ("mine:Metrics.__doc__", "the function must be a callable"),
    ):
        code, out, err = run(f"audit {name}")
        assert (code, out) == (2, "")
        assert words in err


@pytest.mark.usefixtures("few_rankings")
def test_audit_of_scorers(run):
    Path("scorers.py").write_text(
        "import sklearn_ap as ap\nfrom sklearn.metrics import make_scorer\n"
        "right = {'p': ap.get_scorer('P@5'), 'ap': ap.get_scorer('AP')}\n"
        "wrong = [make_scorer(ap.average_precision_score)]\n"
    )
    code, out, err = run("audit scorers:right")
    assert (code, err) == (0, "")
    assert "\nap: Step average precision, by decision_function, for the class 1.\n" in out
    code, out, err = run("audit scorers:wrong")
    assert (code, err) == (1, "")
    assert "Ranks by predict, so by labels instead of scores" in " ".join(out.split())


def test_audit_of_a_module_that_ends_the_process(run):
    """Its exit code isn't that of the audit."""
    Path("ending.py").write_text("import sys\nsys.exit(0)\n")
    code, out, err = run("audit ending:function")
    assert (code, out) == (2, "")
    assert "'ending' ends the process while it is imported, by sys.exit(0)" in err


# Long tables, and scores of which lower ones are better

LONG = ["retriever,question,relevant,score"]
LONG += [f"bm25,q{q},{int(d == q % 3)},{10 - d}" for q in range(6) for d in range(4)]
LONG += [f"dense,q{q},{int(d == q % 3)},{d % 3}.5" for q in range(5) for d in range(4)]
OF_LONG = "--label relevant --score score"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_long_table_is_one_for_each_model(run, kind):
    Path("long.csv").write_text("\n".join(LONG))
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        csv = pytest.importorskip("pandas").read_csv("long.csv")
        csv.to_parquet("long.parquet")
    line = f"report long.{kind} --model retriever --group question {OF_LONG}"
    code, out, err = run(line)
    assert (code, err) == (0, "")
    assert "'dense' has no rows for 1 of 6 groups (question)" in " ".join(out.split())
    rows = {row["model"]: row["value"] for row in json.loads(run(f"{line} --format json")[1])}
    values = [1 / (1 + q % 3) for q in range(6)]
    assert rows["bm25"] == pytest.approx(sum(values) / 6)
    # The ranks of the documents 0 to 3 are 3.5, 2, 1 and 3.5, which are tied as one point.
    assert rows["dense"] == pytest.approx((1 / 4 + 1 / 2 + 1 + 1 / 4 + 1 / 2) / 6)


def test_weights_of_positives_that_a_model_missed_are_asked_for(run):
    Path("long.csv").write_text("\n".join([f"{LONG[0]},w", *(f"{row},0.1" for row in LONG[1:])]))
    code, _, err = run(f"report long.csv --model retriever --group question --weight w {OF_LONG}")
    assert code == 2
    assert "Pass their weight in each group as --n-positives, or leave out --weight" in err


def test_a_long_table_with_other_positives_for_each_model_is_refused(run):
    Path("long.csv").write_text("\n".join([*LONG, "dense,q0,1,0.1"]))
    code, _, err = run(f"report long.csv --model retriever --group question {OF_LONG}")
    assert code == 2
    assert "pass --n-positives, a file that says for each group how many exist" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--model nope", "'nope' is not a column. There are 'retriever', 'question'"),
        ("--model retriever --file-per-model", "--model needs one --score, a column of all models"),
        ("--model retriever --score relevant", "--model needs one --score, a column of all models"),
    ],
)
def test_models_that_a_long_table_does_not_have(run, options, words):
    Path("long.csv").write_text("\n".join(LONG))
    code, _, err = run(f"report long.csv {options} {OF_LONG}")
    assert code == 2
    assert words in err


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_lower_is_better(run, kind):
    rows = [f"{int(x % 5 == 0)},{x % 7 + 3 * (x % 5 > 0)}" for x in range(60)]
    for name, sign in (("up", -1), ("down", 1)):
        cells = [row.split(",") for row in rows]
        text = "\n".join(["y,s", *(f"{y},{sign * int(s)}" for y, s in cells)])
        Path(f"{name}.csv").write_text(text)
        if kind == "parquet":
            pytest.importorskip("pyarrow")
            pytest.importorskip("pandas").read_csv(f"{name}.csv").to_parquet(f"{name}.parquet")
    options = "--label y --score s --format json"
    found = json.loads(run(f"report down.{kind} {options} --lower-is-better")[1])
    (expected,) = json.loads(run(f"report up.{kind} {options}")[1])
    assert found == [expected | {"model": "-s"}]
    chosen = f"threshold down.{kind} --label y --score s --min-recall 0.5 --lower-is-better"
    code, _, err = run(f"{chosen} --output point.json")
    assert code == 0
    assert err == (
        "sklearn_ap: note: Scores are negated: a threshold t flags scores of at most -t.\n"
    )
    _, out, _ = run(f"check point.json down.{kind} --lower-is-better")
    assert "Of 60 new samples" in out
    for score in ("", "--score s"):  # whose scores aren't negated
        code, _, err = run(f"check point.json down.{kind} {score}")
        assert code == 2
        assert "chosen on '-s', so on negated scores. Pass --lower-is-better" in err


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ("sep=;\ny;s\n1;0.5\n0;0.2\n1;oops", "report t.csv", "'oops' in line 5 of t.csv"),
        ("y,s\n1,0.5\n0,TRUE\n1,0.1", "report t.csv", "contains 'TRUE' in line 3"),
        ("y,s\n1,1\n2,2\n3,3", "report t.csv", "more than two labels [1, 2, 3]. Add a column"),
        ("y,s\n.5,1\n.7,2\n.3,3", "report t.csv", "not supported. For grades, pass --min-grade"),
        (
            "y,s,g\n1,1,a\n0,2,a\n1,3,b\n0,1,b",
            "report t.csv --group g --n-positives 3",
            "--n-positives must be a CSV file with the columns of the groups and the column",
        ),
    ],
)
def test_dead_ends(run, lines, line, words):
    Path("t.csv").write_text(lines)
    code, _, err = run(f"{line} --label y --score s")
    assert code == 2
    assert words in err


def test_excel_says_which_separator_it_used(run):
    Path("t.csv").write_text("sep=;\r\ny;s\r\n1;0,5\r\n".replace("0,5", "0.5") + "0;0.2\r\n1;0.1")
    assert run("report t.csv --label y --score s")[0] == 0


def test_files_have_no_index_to_join_by(tmp_path, capsys):
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for path in paths:
        Path(path).write_text("id,y,s\n1,1,0.5\n2,0,0.25\n")
    options = ["--file-per-model", "--label", "y", "--score", "s", "--on", "nosuch"]
    assert command_line.main(["report", *paths, *options]) == 2
    words = capsys.readouterr().err
    assert "'nosuch' is not a column" in words
    assert "pandas" not in words
