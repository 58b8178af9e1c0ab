"""The command line: it prints what the functions return, and says in one line what is wrong."""

import bz2
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from math import isnan
from pathlib import Path
from random import Random
from threading import Barrier, BrokenBarrierError, Event

import pytest

import sklearn_ap as ap
from sklearn_ap import __main__ as command_line
from sklearn_ap._package import read_toml

pd = pytest.importorskip("pandas")

PAGE = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text(encoding="utf-8")
SCORES = re.search(r"this file,\s`scores.csv`:\n\n```text\n(.*?)^```", PAGE, re.M | re.S)[1]
EXAMPLES = re.findall(r"^```sh\n([^`]*)^```\n\n```text\n(.*?)^```", PAGE, re.M | re.S)
SAVING = re.search(r"^```sh\n([^`]*--output point\.json)\n```", PAGE, re.M)[1]
NAME = "python -m sklearn_ap "
FRAUD = "--y-true fraud --pos-label yes"
OF_NEW = f"report scores.csv {FRAUD} --y-score new"
BOTH = f"report scores.csv {FRAUD} --y-score old,new"
COMMANDS = {  # and their files
    "report": "file ...",
    "trec": "qrels run ...",
    "coco": "annotations detection ...",
    "voc": "annotations detection ...",
    "threshold": "file ...",
    "check": "point file ...",
    "audit": "[function]",
}

# Parameters as calls of functions write them, which no command takes
_OF_PYTHON = re.compile(r"(?<![\w-])[a-z_]{2,}=(?=['\"\d(\[{A-Z])|'[a-z_]+' parameter of|\by_\w+")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, few_random_orders):
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
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def values_of(run):
    def values_of(line):
        """Return the values that a command reports."""
        code, out, err = run(f"{line} --format json")
        assert (code, err) == (0, "")
        return [row["value"] for row in json.loads(out)]

    return values_of


def as_module(line, **given):
    """Run a command in another process."""
    command = [sys.executable, "-m", "sklearn_ap", *shlex.split(line)]
    return subprocess.run(command, **{"capture_output": True} | given)


def write(name, text):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


# --- help and options -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_on_a_screen(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "82")  # of which argparse leaves two empty
    code, out, err = run(f"{command} --help")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == f"usage: python -m sklearn_ap {command} {COMMANDS[command]} [options]"
    assert 20 <= len(lines) <= 40
    assert max(map(len, lines)) <= 80
    listed = [line for line in lines if re.match("  (-|[a-z])", line)]
    assert all(re.match(r"  \S+( \S+)*  +\S", line) for line in listed)  # none has two lines


def test_help_lists_the_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    assert re.findall(r"^    (\w+)", out, re.M) == [*COMMANDS]
    assert run("--version")[1] == f"{ap.__version__}\n"


FUNCTIONS = {
    "report": [ap.report],
    "trec": [ap.readers.read_trec, ap.report],
    "coco": [ap.readers.report_coco],
    "voc": [ap.readers.read_voc, ap.report],
    "threshold": [ap.operating_point],
    "check": [ap.thresholds.OperatingPoint.check],
    "audit": [ap.compat.audit],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_options_are_the_parameters(run, command):
    options = {*re.findall(r"^  --(?:no-)?([\w-]+)", run(f"{command} --help")[1], re.M)}
    parameters = set()
    for function in FUNCTIONS[command]:
        parameters |= {*inspect.signature(function).parameters}
    own = {"format", "output"}
    own |= {"metric", "zero_division", "write", "weights", "read"} if command == "audit" else set()
    if command in ("report", "trec", "coco", "voc"):
        own |= {"fail_under", "fail_if_worse", "gate"}
    own |= {"metrics", "overlap", "area"} if command == "coco" else set()
    found = {option.replace("-", "_") for option in options}
    assert found - own <= parameters
    missing = parameters - found - {"self", "data", "classes", "function"}
    known = {"y_true", "y_score", "pos_label", "sample_weight", "groups", "clusters", "n_positives"}
    readers = {*known, "qrels", "runs", "annotations", "detections"}
    assert missing == (readers & parameters if command in ("trec", "coco", "voc") else set())


def test_each_word_of_the_help_is_of_an_option(run):
    words = read_toml("_words/options.toml")
    used = set()
    for name, command in command_line._COMMANDS.items():
        for option in [*command.files, *command_line._list_defaults(command)]:
            used.add(f"{name}.{option}" if f"{name}.{option}" in words else option)
    assert used == words.keys()


# --- the page and walks through it ----------------------------------------------------------------


@pytest.mark.parametrize(("line", "output"), EXAMPLES)
def test_the_page_shows_what_it_prints(run, line, output):
    line = line.replace("\\\n", "")
    assert line.startswith(NAME)
    if " point.json " in line:
        assert run(SAVING.removeprefix(NAME).replace("\\\n", "")) == (0, "", "")
    code, out, err = run(line.removeprefix(NAME))
    assert (code, out + err) == (3, output)


def days(n_flagged):
    """Return the rows of a day, of which the first are positive."""
    rows = [f"day,{int(i < 40)},{1 - i / 200 if i < n_flagged else 0.1}" for i in range(100)]
    return "\n".join(["day,fraud,score", *rows])


def test_a_cron_job(run):
    """It chooses a threshold once, checks it each night, and writes what it found."""
    write("2024-01.csv", days(40))
    line = "threshold 2024-01.csv --y-true fraud --y-score score --min-recall 0.5 --output p.json"
    assert run(line) == (0, "", "")
    for month, n_flagged, code in (("2024-02", 40, 0), ("2024-03", 2, 1), ("2024-04", 18, 3)):
        write(f"{month}.csv", days(n_flagged))
        assert run(f"check p.json {month}.csv --output {month}.json") == (code, "", "")
        found = json.loads(Path(f"{month}.json").read_text(encoding="utf-8"))
        assert found["is_kept"] is {0: True, 1: False, 3: None}[code]
    write("2024-05.csv", "day,fraud,score\n")
    code, out, err = run("check p.json 2024-05.csv")
    assert (code, out) == (2, "")
    assert "'2024-05.csv' has no rows" in err


def test_a_gate_of_a_build(run):
    """A model may replace that in production if it isn't worse, and has enough precision."""
    rows = [f"{i % 2},{i % 2 + i % 7 / 3},{i % 2 + i % 5 / 9}" for i in range(400)]
    write("scores.csv", "\n".join(["y,old,new", *rows]))
    line = "report scores.csv --y-true y --y-score old,new --format markdown"
    gates = "--baseline old --margin AP=0.05 --fail-under R@100=0.4"
    assert run(f"{line} {gates}")[::2] == (0, "")
    assert run(f"{line} --baseline old --fail-if-worse")[::2] == (0, "")
    write("scores.csv", "\n".join(["y,new,old", *rows]))
    code, out, err = run(f"{line} {gates}")
    assert code == 1
    assert "| new |" in out
    assert "failed: Average precision of new is worse than that of old: -0." in err
    assert run(f"{line} --baseline old --fail-if-worse")[0] == 1


@pytest.mark.usefixtures("few_rankings")
def test_an_audit_of_a_program(run):
    """A program in any language reads rankings, and writes a value for each."""
    assert run("audit --write rankings.jsonl") == (0, "", "")
    lines = Path("rankings.jsonl").read_text(encoding="utf-8").splitlines()
    right, wrong = [], []
    for ranking in map(json.loads, lines):
        y, s = ranking["y_true"], ranking["y_score"]
        right.append(f"{ranking['n']} {ap.average_precision_score(y, s, zero_division=0.0)}")
        wrong.append(f"{ranking['n']} 0.5")
    write("values.txt", "\n".join(right))
    code, out, err = run("audit --read values.txt --metric AP")
    assert (code, err) == (0, "")
    assert out.startswith("Step average precision, as expected")
    write("values.txt", "\n".join(wrong))
    code, out, err = run("audit --read values.txt --metric AP --format json")
    assert (code, json.loads(out)["agrees"]) == (1, False)
    assert err.startswith("sklearn_ap: failed: It isn't average_precision. Not a metric: ")


# --- random command lines -------------------------------------------------------------------------

OF_LABELS = [
    ("--y-true y", {"y_true": "y"}),
    ("--y-true y --pos-label 1", {"y_true": "y"}),
    ("--y-true y --pos-label 0", {"y_true": "y", "pos_label": 0}),
    ("--y-true label --pos-label yes", {"y_true": "label", "pos_label": "yes"}),
    ("--y-true flag --pos-label true", {"y_true": "flag", "pos_label": True}),
    ("--y-true grade --min-grade 2", {"y_true": "grade", "min_grade": 2}),
]
OF_ROWS = [
    ("--groups user", {"groups": "user"}),
    ("--groups user,2024", {"groups": ["user", "2024"]}),
    ("--groups user --zero-division nan", {"groups": "user", "zero_division": float("nan")}),
    ("--groups user --average weighted", {"groups": "user", "average": "weighted"}),
    ("--clusters None", {"clusters": "None"}),
    ("--sample-weight w", {"sample_weight": "w"}),
    ("--n-positives 70", {"n_positives": 70}),
]
OF_SEGMENTS = [
    ("--by 2024", {"by": "2024"}),
    ("--by a,b", {"by": "a,b"}),
    ("--by 2024 --by None --no-joint", {"by": ["2024", "None"], "joint": False}),
]
OF_REPORTS = [
    ("--confidence-level .8", {"confidence_level": 0.8}),
    ("--method bootstrap --n-resamples 20", {"method": "bootstrap", "n_resamples": 20}),
]
OF_METRICS = [["AP"], ["P@5", "AP"], ["11-point"], ["P@10%"], ["average_precision", "R@3"]]
OF_TARGETS = [
    ("--min-recall 0.6", {"min_recall": 0.6}),
    ("--min-precision .4 --k 20", {"min_precision": 0.4, "k": 20}),
    ("--k 1e-1", {"k": 0.1}),
    ("--threshold 0.5", {"threshold": 0.5}),
    ("--threshold=-inf", {"threshold": -float("inf")}),
    ("--min-recall .3 --confidence-level 0.9", {"min_recall": 0.3, "confidence_level": 0.9}),
]


def table_of(random):
    n = 60
    y = [int(random.random() < 0.5) for _ in range(n)]
    return pd.DataFrame(
        {
            "y": y,
            "label": ["yes" if label else "no" for label in y],
            "flag": [bool(label) for label in y],
            "grade": [random.randrange(4) for _ in range(n)],
            "s": [label + random.gauss(0, 1) for label in y],
            "t": [round(label + random.gauss(0, 2), 1) for label in y],
            "w": [random.choice([1.0, 2.5, 3.0]) for _ in range(n)],
            "user": [random.choice(["01", "1", "x"]) for _ in range(n)],
            "2024": [random.choice(["1_000", "1000"]) for _ in range(n)],
            "None": [random.choice(["None", "NA", "7"]) for _ in range(n)],
            "a,b": [random.choice(["u", "v"]) for _ in range(n)],
        }
    )


def options_of(random):
    """Return options, and the arguments that they stand for."""
    drawn = [random.choice(OF_LABELS)]
    drawn += random.choice([[], [], [random.choice(OF_ROWS)]])
    if random.random() < 0.25:
        drawn += [random.choice(OF_TARGETS)]
        drawn += random.choice(
            [[("--y-score s", {"y_score": "s"})]] * 2
            + [[("--y-score s,t", {"y_score": ["s", "t"]})]]
        )
        return "threshold", drawn
    metrics = random.choice(OF_METRICS)
    repeated = " ".join(f"--metrics {metric}" for metric in metrics)
    written = random.choice([repeated, f"--metrics {','.join(metrics)}"])
    drawn += random.choice([[], [(written, {"metrics": metrics})]])
    drawn += random.sample([random.choice(OF_SEGMENTS), *OF_REPORTS], random.randrange(3))
    drawn.append(("--random-state 1", {"random_state": 1}))
    drawn += random.choice(
        [
            [("--y-score s", {"y_score": "s"})],
            [("--y-score s --y-score t", {"y_score": ["s", "t"]})],
            [("--y-score t,s --baseline s", {"y_score": ["t", "s"], "baseline": "s"})],
            [
                ("--y-score t,s --baseline s", {"y_score": ["t", "s"], "baseline": "s"}),
                random.choice(
                    [
                        ("--margin 0.05", {"margin": 0.05}),
                        (f"--margin {metrics[0]}=.3", {"margin": {metrics[0]: 0.3}}),
                        ("--fail-if-worse", {}),
                    ]
                ),
            ],
        ]
    )
    return "report", drawn


def code_by_rule(report, least, is_gate, baseline):
    """Return the exit code that a report deserves."""
    models = {row.model for row in report}
    codes = {0}
    for row in report:
        if row.model != baseline or len(models) == 1:
            of_gate = [least[name] for name in least if ap.metric(name).name in row.metric]
            codes |= {1 for lowest in of_gate if isnan(row.value) or row.value < lowest - 1e-12}
        if is_gate and row.model != baseline:
            if row.verdict == "worse":
                codes.add(1)
            elif row.margin is not None and row.verdict not in ("better", "no worse", "equivalent"):
                codes.add(3)
    return 1 if 1 in codes else max(codes)


@pytest.mark.sweep(24)
@pytest.mark.parametrize("seed", range(200))
def test_random_lines_are_calls(run, seed):
    random = Random(seed)
    table = table_of(random)
    command, drawn = options_of(random)
    file = "t.csv"
    table.to_csv(file, index=False)
    if seed % 4 == 3:
        pytest.importorskip("pyarrow")
        file = "t.parquet"
        table.to_parquet(file)
    gates = {}
    if command == "report" and random.random() < 0.5:
        gates = {random.choice(["AP", "P@5"]): random.choice([0.3, 0.6, 0.9])}
    random.shuffle(drawn)
    arguments = {name: value for _, of_option in drawn for name, value in of_option.items()}
    line = " ".join([command, file, *(written for written, _ in drawn)])
    line += "".join(f" --fail-under {name}={least}" for name, least in gates.items())
    if gates:
        named = arguments.pop("metrics", ["AP"])
        metrics = {ap.metric(name): None for name in [*named, *gates]}
        arguments["metrics"] = [*metrics]
    function = {"report": ap.report, "threshold": ap.operating_point}[command]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected, code = function(**arguments, data=table), 0
        except (ValueError, TypeError):
            expected, code = None, 2
    if expected is not None and command == "report":
        is_gate = "margin" in arguments or "--fail-if-worse" in line
        code = code_by_rule(expected, gates, is_gate, arguments.get("baseline"))
    found, out, err = run(f"{line} --format json")
    assert found == code, (line, err)
    if expected is None:
        assert out == ""
        assert err.count("\n") == 1
    else:
        assert json.loads(out) == json.loads(json.dumps(expected.to_dict())), line
        assert bool(re.search("(failed|unclear|no better): ", err)) == (code > 0)


# --- values and files -----------------------------------------------------------------------------


def test_numbers_are_those_of_python(values_of):
    """Rounding could tie scores, or part them."""
    scores = ["0.8951961283010277", "0.8951961283010276", "8.951961283010277e-1", "0.1"]
    expected = ap.average_precision_score([1, 0, 1, 0], [*map(float, scores)])
    rows = [f"{y},{score}" for y, score in zip((1, 0, 1, 0), scores, strict=True)]
    write("t.csv", "\n".join(["y,s", *rows]))
    assert values_of("report t.csv --y-true y --y-score s") == [expected]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("one", "other", "option"),
    [
        (1, 0, ""),
        (1.0, 0.0, "--pos-label 1"),
        (2, 3, "--pos-label 2.0"),
        (True, False, "--pos-label true"),
        ("a", "1", "--pos-label a"),
        ("x_1", "1_000", "--pos-label x_1"),
        ("None", "NA", "--pos-label None"),
        (3, 1, "--min-grade 2"),
    ],
)
def test_labels_compare_with_what_the_column_holds(values_of, kind, one, other, option):
    table = pd.DataFrame({"y": [other, one] * 2, "s": [0.9, 0.8, 0.7, 0.6]})
    if kind == "csv":
        table.to_csv("t.csv", index=False)
    else:
        pytest.importorskip("pyarrow")
        table.to_parquet("t.parquet")
    assert values_of(f"report t.{kind} --y-true y --y-score s {option}") == [0.5]


def test_text_that_is_a_number_in_parquet_is_a_label_of_text(values_of):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"y": ["0", "1"] * 2, "s": [4, 3, 2, 1]}).to_parquet("t.parquet")
    assert values_of("report t.parquet --y-true y --y-score s --pos-label 1") == [0.5]


def test_names_of_groups_stay_text(values_of):
    names, y, s = ["01", "1", "1.0"] * 2, [1, 0] * 3, [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    rows = [f"{name},{label},{score}" for name, label, score in zip(names, y, s, strict=True)]
    write("t.csv", "\n".join(["name,y,s", *rows]))
    expected = ap.mean_average_precision_score(y, s, groups=names)
    found = values_of("report t.csv --y-true y --y-score s --groups name --metrics MAP")
    assert found == [expected]


@pytest.mark.parametrize("kind", ["csv", "csv.bz2", "parquet"])
def test_rows_of_several_files(values_of, kind):
    table = pd.read_csv("scores.csv")
    for name, rows in (("a", table[:5]), ("b", table[5:])):
        if kind == "parquet":
            pytest.importorskip("pyarrow")
            rows.to_parquet(f"{name}.parquet")
        else:
            text = rows.assign(**{name: 1}).to_csv(index=False).encode()
            Path(f"{name}.{kind}").write_bytes(bz2.compress(text) if "bz2" in kind else text)
    assert values_of(OF_NEW.replace("scores.csv", f"a.{kind} b.{kind}")) == values_of(OF_NEW)


def test_a_folder_of_parquet_files(values_of):
    pytest.importorskip("pyarrow")
    Path("rows/day=mon").mkdir(parents=True)
    pd.DataFrame({"y": [1, 0, 1], "s": [3, 2, 1]}).to_parquet("rows/day=mon/0.parquet")
    line = "report rows --y-true y --y-score s --groups day --metrics MAP"
    assert values_of(line) == [ap.average_precision_score([1, 0, 1], [3, 2, 1])]


def test_csv_needs_pandas(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = run(OF_NEW)
    words = "CSV needs pandas: pip install pandas. Parquet files don't."
    assert found == (2, "", f"sklearn_ap: error: {words}\n")


@pytest.mark.parametrize(
    ("options", "one", "two"),
    [
        ("--y-score old,new", ["old", "new"], None),
        ("--y-score old --y-score new", ["old", "new"], None),
        ("--y-score 'old,new'", "old,new", "old,new"),
        ("--y-score 2024,None", ["2024", "None"], "2024 None"),
    ],
)
def test_commas_part_columns_unless_they_are_in_a_name(run, options, one, two):
    table = pd.read_csv("scores.csv")
    if two:
        for name in two.split(" "):
            table[name] = table["new"]
    table.to_csv("scores.csv", index=False)
    code, out, _ = run(f"report scores.csv {FRAUD} {options} --format json")
    names = [one] if isinstance(one, str) else one
    assert (code, [row["model"] for row in json.loads(out)]) == (0, names)


# --- gates, formats and outputs -------------------------------------------------------------------

TOO_LOW = "Average precision of old is 0.691667, below 0.7"
TOO_FEW = "Precision at 5 of old is 0.6, below 0.8"
WORSE = "Average precision of old is worse than that of new: -0.258 (-0.333 to -0.184)"


@pytest.mark.parametrize(
    ("options", "failures"),
    [
        ("--fail-under AP=0.5 --fail-under P@1=1", []),
        ("--fail-under AP=0.7", [TOO_LOW]),
        ("--fail-under AP=0.6916667", [f"{TOO_LOW[:-3]}0.6916667"]),
        ("--baseline old --fail-under AP=0.7", []),  # a baseline isn't new
        ("--metrics P@5 --baseline new --fail-under P@5=0.6000000000000001", []),
        ("--metrics P@5 --fail-under P@5=0.8", [TOO_FEW]),
        ("--metrics P@5 --fail-under average_precision=0.7", [TOO_LOW]),
        ("--baseline new --fail-if-worse", []),
        ("--baseline new --fail-if-worse --confidence-level 0.3", [WORSE]),
        ("--baseline new --confidence-level 0.3", []),  # nobody asked for a gate
        ("--by day --fail-under AP=.6", ["Average precision of old in tue is 0.5, below 0.6"]),
        (
            "--by day --by fraud --fail-under AP=.6 --zero-division nan",
            ["Average precision of old in day: tue is 0.5, below 0.6"],  # none where fraud is no
        ),
    ],
)
def test_gates(run, options, failures):
    code, out, err = run(f"{BOTH} {options}")
    assert code == bool(failures)
    assert "Average precision" in out or "Precision at 5" in out
    unjudged = "sklearn_ap: not judged: fraud: no (0 positives)\n" if "by fraud" in options else ""
    if options == "--baseline new --fail-if-worse":
        unjudged = (
            "sklearn_ap: not judged: whether a model is worse than new, as all differences are "
            "unclear\n"
        )
    assert err == "".join(f"sklearn_ap: failed: {words}\n" for words in failures) + unjudged


def write_countries(seed):
    """Write scores of two models in three countries, of which NL has one positive and XX none; and
    again with rows of these two in no country.
    """
    random = Random(seed)
    better = random.choice([-1.5, 0, 0.5, 2])
    rows, without = ["y,old,new,country"], ["y,old,new,country"]
    for number in range(240):
        country = ("NL", "XX", "DE", "FR")[(number > 9) + (number > 14) + (number > 120)]
        y = int(number == 0 if country in ("NL", "XX") else random.random() < 0.4)
        old, new = (y + random.gauss(0, 0.7) for _ in range(2))
        # The only positive of NL is the last one there by the new model.
        row = f"{y},{old},{-9 if number == 0 else new + better * y}"
        rows.append(f"{row},{country}")
        without.append(f"{row},{'' if country in ('NL', 'XX') else country}")
    write("countries.csv", "\n".join(rows))
    write("without.csv", "\n".join(without))


GATES = {
    "fail-under": "--fail-under AP=0.6",
    "fail-if-worse": "--fail-if-worse",
    "margin": "--margin 0.1",
    "all": "--fail-under AP=0.6 --fail-if-worse --margin 0.1",
}


@pytest.mark.parametrize(
    "gate",
    [*(pytest.param(gate, marks=pytest.mark.slow) for gate in GATES if gate != "all"), "all"],
)
def test_gates_over_segments(run, gate):
    """Without few positives, a gate decides as if the rows were in no segment; and of all data, as
    without segments.
    """
    line = f"--y-true y --y-score old,new --baseline old {GATES[gate]}"
    segments = "--by country --zero-division nan"
    xx = "sklearn_ap: not judged: XX (0 positives)\n"
    nl = "sklearn_ap: not judged: NL (1 positive)\n"
    codes = set()
    for seed in range(3):
        write_countries(seed)
        code_of_all, _, said_of_all = run(f"report countries.csv {line}")
        code_without, _, said_without = run(f"report without.csv {line} {segments}")
        for where in ("", "--gate segments"):
            code, _, err = run(f"report countries.csv {line} {segments} {where}")
            assert code > 0 or gate == "fail-if-worse"
            assert ("failed: Average precision of new in NL is 0.1, below" in err) == (
                "under" in GATES[gate]
            )
            assert ("unclear: Average precision of new in NL against" in err) == (
                "margin" in GATES[gate]
            )
            assert err.endswith(xx)
            found = run(f"report countries.csv {line} {segments} {where} --min-positives 2")
            assert found[::2] == (code_without, f"{said_without}{nl}{xx}")
            assert re.search(r"^NL +1 .* few positives$", found[1], re.M)
        for few in ("", "--min-positives 2"):
            found = run(f"report countries.csv {line} {segments} --gate all-data {few}")
            assert found[::2] == (code_of_all, said_of_all)
        codes |= {(False, code_without), (True, code_of_all)}
    reached = {"fail-under": {0, 1}, "fail-if-worse": {0, 1}}.get(gate, {0, 1, 3})
    assert codes == {(of_all, code) for of_all in (False, True) for code in reached}


def test_segments_that_only_some_metrics_leave_unjudged_are_named_with_them(run):
    write_countries(0)
    line = "report countries.csv --y-true y --y-score old --by country --min-positives 2"
    code, _, err = run(f"{line} --fail-under AP=0 --metrics AP,P@3")
    assert (code, err) == (
        0,
        "sklearn_ap: not judged: NL (1 positive)\nsklearn_ap: not judged: XX (0 positives)\n",
    )
    assert run(line)[2] == ""  # nothing is judged
    code, _, err = run(f"{line} --by y --fail-under AP=0")
    assert "not judged: country: NL (1 positive)\n" in err
    assert "not judged: y: 0 (0 positives)\n" in err
    # Each segment is a single cluster, of which there are several in all data.
    line = "report countries.csv --y-true y --y-score old,new --baseline old --fail-if-worse"
    code, _, err = run(f"{line} --by country --clusters country")
    assert (code, err.count("not judged: XX (0 positives)\n")) == (0, 1)


def test_a_gate_fails_if_nothing_is_positive(run, tmp_path):
    """The value is undefined, which isn't an error of the data unless a gate is left out."""
    path = tmp_path / "negatives.csv"
    path.write_text("y,s\n0,1\n0,2\n0,3\n", encoding="utf-8")
    line = f"report {path} --y-true y --y-score s"
    words = "No positive class found in --y-true (--pos-label 1, and --y-true contains only 0), "
    words += "so the value is undefined (0/0) and has no interval.\n"
    assert run(f"{line} --fail-under AP=0.4") == (1, "", f"sklearn_ap: failed: {words}")
    assert run(line) == (2, "", f"sklearn_ap: error: {words}")


def test_threads_restore_warnings_and_stdout(monkeypatch):
    """Each of two threads would find what the other one has set, and leave that behind."""
    before = warnings.showwarning, sys.stdout
    both_run, is_first_done = Barrier(2, timeout=0.3), Event()

    def meet(_):
        try:
            is_second = both_run.wait() == 1
        except BrokenBarrierError:  # as if they take turns
            is_second = False
        if is_second:
            is_first_done.wait(5)
        return command_line._Outcome()

    def call(_):
        code = command_line.main(["threshold", "file.csv", "--y-true", "y", "--y-score", "s"])
        is_first_done.set()
        return code

    monkeypatch.setitem(command_line._RUN, "threshold", meet)
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(call, range(2))] == [0, 0]
    assert (warnings.showwarning, sys.stdout) == before


def test_one_model_passes_as_its_own_baseline(run):
    failed = "sklearn_ap: failed: Average precision of new is 0.95, below 0.99\n"
    assert run(f"{OF_NEW} --baseline new --fail-under AP=.99")[::2] == (1, failed)


def test_what_the_data_leave_open(run):
    line = f"{BOTH} --baseline old --margin 0.01"
    words = "Average precision of new against old: -0.619 to 1.000"
    assert run(line)[::2] == (3, f"sklearn_ap: unclear: {words}\n")
    code, _, err = run(f"{line} --fail-under AP=0.99")  # 1 beats 3
    kinds = [each.split(": ")[1] for each in err.splitlines()]
    assert (code, kinds) == (1, ["failed", "unclear"])
    assert run(f"{BOTH} --metrics AP,P@5 --baseline old --margin AP=2e-1")[0] == 3
    code, _, err = run(f"{line} --by day --no-joint")
    assert (code, err.count("unclear: ")) == (3, 3)
    assert "of new in mon against old: " in err


@pytest.mark.parametrize(
    ("line", "result"),
    [
        (OF_NEW, lambda data: ap.report(data["y"], {"new": data["new"]})),
        (
            f"threshold scores.csv {FRAUD} --y-score new --min-recall .7",
            lambda data: ap.operating_point(data["y"], data["new"], min_recall=0.7),
        ),
    ],
)
def test_formats(run, line, result):
    table = pd.read_csv("scores.csv")
    expected = result(table.assign(y=table["fraud"] == "yes"))
    assert run(line) == run(f"{line} --format text") == (0, f"{expected}\n", "")
    assert run(f"{line} --format markdown")[1].split() == expected.to_markdown().split()
    found = json.loads(run(f"{line} --format json")[1])
    assert (found[0] if isinstance(found, list) else found)["conditions"] == {}
    for kind, endings in {
        "text": [".txt", ""],
        "markdown": [".md", ".MD"],
        "json": [".json"],
    }.items():
        for ending in endings:
            assert run(f"{line} --output found{ending}") == (0, "", "")
            assert Path(f"found{ending}").read_text("utf-8") == run(f"{line} --format {kind}")[1]
    assert run(f"{line} --output a.csv --format json") == (0, "", "")
    json.loads(Path("a.csv").read_text(encoding="utf-8"))


def test_warnings_are_one_line_too(run):
    code, out, err = run(f"threshold scores.csv {FRAUD} --y-score new --k 100")
    assert (code, "12 of 12" in out) == (0, True)
    assert re.fullmatch(r"sklearn_ap: warning: --k 100 exceeds the 12 samples.*\n", err)
    write("scores.csv", SCORES.replace("yes,tue", "no,tue"))
    err = run(f"{OF_NEW} --groups day --metrics MAP")[2]
    assert "Use --zero-division to choose another value and silence this warning" in err


# --- search engines and detectors -----------------------------------------------------------------


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
    write("qrels.txt", "cat 0 d1 1\ndog 0 d1 1\n")
    for file in files.split():
        write(file, "cat Q0 d1 1 0.9 a\ndog Q0 d1 1 0.5 b\n")
    for baseline in (files.split()[0], names.split()[0]):
        code, out, err = run(f"trec qrels.txt {files} --baseline {baseline} --format json")
        assert (code, err) == (0, "")
        assert [row["model"] for row in json.loads(out)] == names.split()


@pytest.fixture
def runs():
    write("qrels.txt", "cat 0 d1 1\ncat 0 d2 0\ndog 0 d1 2\n")
    write("old.run", "cat Q0 d2 1 0.9 a\ncat Q0 d1 2 0.8 a\ndog Q0 d1 1 0.7 a\n")
    write("new.run", "cat Q0 d1 1 0.9 b\ndog Q0 d1 1 0.5 b\n")


@pytest.mark.usefixtures("runs")
def test_runs_of_search_engines(run, values_of):
    line = "trec qrels.txt old.run new.run --metrics MAP"
    assert values_of(line) == [0.75, 1.0]
    failed = "sklearn_ap: failed: Mean average precision of old is 0.75, below 0.8\n"
    assert run(f"{line} --fail-under MAP=0.8")[::2] == (1, failed)
    assert values_of("trec qrels.txt old.run --min-grade 2 --zero-division nan") == [1.0]
    tables = ap.readers.read_trec("qrels.txt", {"old": "old.run", "new": "new.run"})
    expected = ap.report(data=tables, metrics=["nDCG@10"], average="weighted")
    found = run("trec qrels.txt old.run new.run --metrics nDCG@10 --average weighted")
    assert found == (0, f"{expected}\n", "")
    assert run(f"{line} --verbose 1")[2].startswith("report: metric 1 of 1, Mean average precis")


@pytest.mark.usefixtures("runs")
def test_a_single_query_has_no_interval_to_decide_by(run):
    write("qrels.txt", "cat 0 d1 1\ncat 0 d2 0\n")
    line = "trec qrels.txt old.run new.run --metrics MAP --unjudged-queries drop --baseline new"
    assert run(line)[0] == 0
    for gate in ("--margin 0.1", "--fail-if-worse"):
        code, out, err = run(f"{line} {gate}")
        assert (code, out) == (2, "")
        assert "--margin and --fail-if-worse need intervals. At least two groups" in err


@pytest.mark.usefixtures("runs")
def test_segments_of_queries_come_from_a_file(run):
    write("kinds.csv", "query,kind\ncat, tame\ndog,\n")
    code, out, err = run("trec qrels.txt old.run --metrics MAP --by kinds.csv --format json")
    assert (code, err) == (0, "")
    rows = {row["segment"]: row["value"] for row in json.loads(out)}
    assert rows == {None: 0.75, "tame": 0.5}


def write_detections():
    """Write what two detectors find: the same one of two small cats in each of eight images."""
    objects, found = [], {"a": [], "b": []}
    for image in range(1, 9):
        place = {"image_id": image, "category_id": 1}
        for x in (0, 50):
            cat = {**place, "id": len(objects) + 1, "bbox": [x, 0, 10, 10], "area": 100}
            objects.append(cat)
        found["a"].append({**place, "bbox": [0, 0, 10, 9], "score": 0.9})
        found["b"].append({**place, "bbox": [0, 0, 10, 6], "score": 0.9})
    images = [{"id": image} for image in range(1, 9)]
    names = {"images": images, "categories": [{"id": 1, "name": "cat"}]}
    write("objects.json", json.dumps({**names, "annotations": objects}))
    for name, boxes in found.items():
        write(f"{name}.json", json.dumps(boxes))


def test_detectors(run, values_of):
    write_detections()
    line = "coco objects.json a.json b.json --n-resamples 19 --random-state 1"
    found = {"a": "a.json", "b": "b.json"}
    for options, arguments in (
        ("", {}),
        ("--by category --min-positives 17", {"by": "category", "min_positives": 17}),
        ("--by ./category", {"by": {"cat": "animals"}}),
        ("--by kinds.csv --no-joint", {"by": {"cat": "animals"}, "joint": False}),
        ("--baseline b.json --margin AP50=0.1", {"baseline": "b", "margin": {"AP50": 0.1}}),
        ("--confidence-level 0.8", {"confidence_level": 0.8}),
    ):
        for name in ("category", "kinds.csv"):
            write(name, "class,kind\ncat,animals\n")
        given = {"n_resamples": 19, "random_state": 1, **arguments}
        expected = ap.readers.report_coco("objects.json", found, **given)
        code, out, _ = run(f"{line} {options} --format json")
        assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))
        assert code in ({0, 3} if "margin" in options else {0})
    half = pytest.approx(51 / 101)
    other = f"{line} --metrics 101-point"
    assert values_of(other) == [half, half]
    assert values_of(f"{other} --overlap 0.75 --area all") == [half, 0]
    assert values_of(f"{other} --overlap 0.5,0.75") == [half, half, half, 0]
    mean = ap.readers.read_coco("objects.json", "b.json", overlap="0.50:0.95")
    expected = ap.mean_average_precision_score(data=mean, n_points=101)
    assert values_of(f"{other} --overlap 0.50:0.95")[1] == pytest.approx(expected)
    assert run(f"{other} --fail-under 101-point=0.6")[0] == 1
    plain = ap.average_precision_score(data=ap.readers.read_coco("objects.json", "a.json"))
    assert values_of(f"{line} --metrics average_precision") == [plain, plain]
    with_overlap = json.loads(run(f"{line} --overlap 0.75 --overlap 0.5 --format json")[1])
    assert [row["metric"] for row in with_overlap[::2]] == [
        f"101-point interpolated average precision on the float grid at an overlap of {overlap}"
        for overlap in (0.75, 0.5)
    ]
    area = json.loads(run(f"{line} --area small --format json")[1])
    assert {row["metric"][-34:] for row in area} == {"an overlap of 0.5, small objects only"[-34:]}


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ("--fail-under AP50=0.5", 0, []),
        ("--fail-under AP50=0.6", 1, ["failed: AP50 of a is 0.50495, below 0.6"]),
        ("--fail-under AP=0.1 --metrics AP75", 0, []),
        ("--fail-under average_precision=0.6", 1, ["Average precision at an overlap of 0.5 of a"]),
        (
            "--overlap 0.5,0.75 --fail-under 101-point=0.1",
            1,
            ["at an overlap of 0.75 of b is 0, b"],
        ),
        ("--fail-under APl=0.1", 1, ["failed: APl of a is nan, below 0.1"]),
        ("--baseline b --fail-if-worse", 0, ["not judged: APm (no medium objects)"]),
        ("--baseline a --margin 0.3 --metrics AP50", 3, ["unclear: AP50 of b against a: "]),
        (
            "--by category --fail-under AP50=0.6 --gate all-data",
            1,
            ["AP50 of a is", "AP50 of b is"],
        ),
        ("--by category --min-positives 17 --fail-under AP=0.1", 0, ["judged: cat (16 positives)"]),
    ],
)
def test_gates_of_detectors(run, options, code, words):
    write_detections()
    found, _, err = run(f"coco objects.json a.json b.json --n-resamples 9 {options}")
    assert found == code
    for each in words:
        assert each in err
    assert bool(err) == bool(words)


def test_detectors_on_pascal_voc(run, values_of):
    """A model is named after its folder, and found both cats of the set or one of them."""
    cat = "<object><name>cat</name><difficult>{}</difficult><bndbox><xmin>1</xmin><ymin>1</ymin>"
    cat += "<xmax>10</xmax><ymax>10</ymax></bndbox></object>"
    for image, difficult in (("1", 0), ("2", 0), ("3", 0), ("4", 1)):
        write(f"Annotations/{image}.xml", f"<annotation>{cat.format(difficult)}</annotation>")
    write("test.txt", "1\n2\n4\n")
    write("new/comp4_det_test_cat.txt", "2 0.9 1 1 10 10\n1 0.8 1 1 10 10\n")
    write("runs/old/comp4_det_test_cat.txt", "2 0.9 1 1 10 10\n")
    line = "voc Annotations new runs/old --image-set test.txt"
    assert values_of(line) == pytest.approx([1, 6 / 11])
    assert values_of(f"{line} --metrics VOC2010") == pytest.approx([1, 0.5])
    assert values_of(f"{line} --use-difficult") == pytest.approx([7 / 11, 4 / 11])
    code, out, err = run(f"{line} --fail-under VOC07=0.9 --format json")
    assert code == 1
    assert [row["model"] for row in json.loads(out)] == ["new", "old"]
    assert "of old is 0.545455, below 0.9" in err
    code, out, err = run("voc Annotations new")
    assert code == 0
    assert "sklearn_ap: warning: There is no detection in 2 of 4 images with objects" in err
    assert "pass these as --image-set." in err
    write("2007", "1\n")
    assert run("voc Annotations new --image-set 2007")[0] == 0
    assert run(f"{line} --output test.txt")[::2] == (
        2,
        "sklearn_ap: error: 'test.txt' is read, so it can't be written. Choose another name.\n",
    )
    assert run("voc test.txt new")[::2] == (2, "sklearn_ap: error: Not a directory: 'test.txt'\n")


# --- saved thresholds -----------------------------------------------------------------------------


def test_a_saved_threshold_knows_its_columns(run):
    line = f"threshold scores.csv {FRAUD} --y-score old,new --k 3 --groups day --output p.json"
    assert run(line)[::2] == (0, "")
    code, out, err = run("check p.json scores.csv")
    assert (code, out) == (2, "")
    assert "of the models old, new. Pass one of them as --y-score." in err
    found = run("check p.json scores.csv --y-score old --format json")
    points = ap.operating_point(
        "fraud", ["old", "new"], k=3, groups="day", pos_label="yes", data=pd.read_csv("scores.csv")
    )
    expected = points["old"].check("fraud", "old", data=pd.read_csv("scores.csv"))
    assert found[::2] == ({True: 0, False: 1, None: 3}[expected.is_kept], "")
    assert json.loads(found[1]) == json.loads(json.dumps(expected.to_dict()))
    write("renamed.csv", SCORES.replace("fraud,day,old", "is_fraud,date,model"))
    options = "--y-true is_fraud --y-score model"
    Path("one.json").write_text(json.dumps(points["old"].to_dict()))
    assert run(f"check one.json renamed.csv {options} --groups date")[1] != ""
    code, out, err = run("check one.json scores.csv --by day")
    assert (code, out) == (2, "")
    assert "unrecognized arguments: --by day (Use `{c: point.check(data=part, " in err


def test_thresholds_of_several_models(run):
    line = f"threshold scores.csv {FRAUD} --y-score old,new --threshold old=0.5 --threshold new=.9"
    expected = ap.operating_point(
        "fraud",
        ["old", "new"],
        threshold={"old": 0.5, "new": 0.9},
        pos_label="yes",
        data=pd.read_csv("scores.csv"),
    )
    assert run(line) == (0, f"{expected}\n", "")


# --- audits (of values of programs: test_compat_rankings.py) --------------------------------------


@pytest.mark.usefixtures("few_rankings")
def test_audit_of_a_function(run):
    write(
        "mine.py",
        "import sys\n"
        "class Metrics:\n"
        "    from sklearn_ap import average_precision_score as right\n"
        "    def wrong(y_true, y_score): return 0.0\n",
    )
    write("ending.py", "import sys\nsys.exit(0)\n")
    code, out, err = run("audit mine:Metrics.right")
    assert code == 3
    assert err.endswith("unchecked: It computes AP. To check for it in CI, add --metric AP\n")
    assert out.startswith("Step average precision, always")
    assert run("audit mine:Metrics.right --metric AP")[::2] == (0, "")
    code, out, err = run("audit mine:Metrics.wrong --tolerance 0.1 --metric AP --format json")
    assert code == 1
    assert "::error::" not in err
    found = json.loads(out)
    assert found["agrees"] is False
    assert (found["expected"], found["version"]) == ({"metric": "AP"}, ap.__version__)
    code, out, err = run("audit ending:function")  # whose exit code isn't that of the audit
    assert (code, out) == (2, "")
    assert "'ending' ends the process while it is imported, by sys.exit(0)" in err


@pytest.mark.usefixtures("few_rankings")
def test_an_audit_of_a_function_that_prints(run, monkeypatch):
    """Only the result is on stdout, and GitHub gets a line for its page."""
    write(
        "printing.py",
        "print('imported')\n"
        "def function(y_true, y_score):\n"
        "    print('called')\n"
        "    y_score.sort()\n"
        "    return 0.5\n",
    )
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    code, out, err = run("audit printing:function --format json")
    assert code == 1, "it changes its arguments"
    assert json.loads(out)["expected"] is None
    assert "imported" in err
    assert "called" in err
    assert "\n::error::arguments changed: y_score of [" in err


@pytest.mark.usefixtures("few_rankings")
def test_audit_of_scorers(run):
    write(
        "scorers.py",
        "import sklearn_ap as ap\n"
        "right = {'p': ap.get_scorer('P@5'), 'ap': ap.get_scorer('AP')}\n"
        "wrong = [lambda estimator, X, y: 0.0]\n",
    )
    code, out, err = run("audit scorers:right")
    assert (code, err) == (0, "")
    assert "\nap      Step average precision, by decision_function, for the class 1.\n" in out
    assert run("audit scorers:wrong")[0] == 1


# --- what is refused ------------------------------------------------------------------------------

# By file, its content
FILES = {
    "three.csv": "y,s,g\na,1,u\nb,2,u\nc,3,v\n",
    "grades.csv": "y,s,g\n0,1,u\n1,2,u\n2,3,v\n",
    "header.csv": "fraud,new\n",
    "empty.csv": "",
    "twice.csv": "fraud,new,new\n1,2,3\n",
    "comma.csv": "fraud,new\n1,0,91\n0,0,5\n",
    "some_commas.csv": "fraud,new\n1,0\n0,0,5\n",
    "semicolon.csv": "fraud;new\n1;2\n",
    "null.csv": "fraud,new\nyes,.5\nno,\nyes,.7\n",
    "na.csv": "fraud,new\nyes,.5\nno,NA\n",
    "no_label.csv": "fraud,new\nyes,.5\n,1\nno,.4\n",
    "none.csv": "fraud,new\nno,.5\nno,.3\n",
    "excel.csv": "PK\3\4",
    "pos_label.csv": "y_true,pos_label\n1,0.5\nsample_weight,\n1,0.2\n",
    "lines.jsonl": '{"fraud": 1, "new": 2}\n',
    "qrels.txt": "cat 0 d1 1\ndog 0 d1 1\n",
    "old.run": "cat Q0 d1 1 0.9 a\n",
    "eel.run": "eel Q0 d1 1 0.9 a\n",
    "kinds.csv": "query,kind\ncat,tame\n",
    "repeated.csv": "query,kind\ncat,tame\ncat,wild\ndog,tame\n",
    "point.json": "{}",
    "binary.txt": "0.5\0\n",
    "few.txt": "0.5\n",
}
OF_FILE = f"report {{}}.csv {FRAUD} --y-score new"
OF_THRESHOLD = f"threshold scores.csv {FRAUD} --y-score new"

BAD = [
    ("", "arguments are required: COMMAND"),
    ("rank scores.csv", "invalid choice: 'rank'"),
    ("identify 0.5 scores.csv", "(Use `ap.compat.identify(value, y, s)`"),
    ("report scores.csv", "arguments are required: --y-true, --y-score (--help lists"),
    ("report scores.csv --y-true fraud", "required: --y-score"),
    (f"{OF_NEW} --lower-is-better", "unrecognized arguments: --lower-is-better (Use `ap.report("),
    (f"{OF_NEW} --on plan", "unrecognized arguments: --on plan (Use `a.merge("),
    (f"{OF_NEW} --lines plan", "unrecognized arguments: --lines plan (--help lists"),
    (f"{OF_NEW} --format html", "from 'text', 'json', 'markdown') (Use `to_markdown()`"),
    (f"{OF_NEW} --format csv", "from 'text', 'json', 'markdown') (--help lists"),
    ("report - --y-true fraud --y-score new", "'-' isn't a file. Use `pd.read_json("),
    (OF_FILE.format("nowhere"), "No such file or directory: 'nowhere.csv'"),
    ("report x.parquet --y-true y --y-score s", "No such file or directory: 'x.parquet'"),
    (OF_FILE.format("header"), "'header.csv' has no rows. Leave it out, or write rows below its"),
    (OF_FILE.format("empty"), "'empty.csv' can't be read as CSV"),
    (OF_FILE.format("twice"), "2 columns of 'twice.csv' are called 'new'. Rename one of them."),
    (
        OF_FILE.format("comma"),
        "rows with more cells than its header. Separate cells by commas, wri",
    ),
    (OF_FILE.format("some_commas"), "Expected 2 fields in line 3, saw 3. Separate cells by commas"),
    (
        OF_FILE.format("semicolon"),
        "'semicolon.csv' has 'fraud;new' as its only column. Separate cells",
    ),
    (OF_FILE.format("null"), "Input --y-score contains NaN. This concerns 1 of 3 rows, the first"),
    (OF_FILE.format("na"), "--y-score must contain numbers, but 'na.csv' has 'NA' in the column "),
    (OF_FILE.format("na"), "in row 1 (counted from 0). Write a number there, with a point"),
    (OF_FILE.format("no_label"), "Input --y-true contains NaN"),
    (OF_FILE.format("none"), "(--pos-label 'yes', and --y-true contains only 'no')"),
    (OF_FILE.format("excel"), "it is a zip archive, as Excel files are"),
    ("report lines.jsonl --y-true fraud --y-score new", "'lines.jsonl' has JSON lines. Use `pd.r"),
    ("report scores.csv ./scores.csv --y-true a --y-score b", "A file was passed twice. Pass it"),
    ("report scores.csv . --y-true a --y-score b", "Pass CSV files or Parquet files, but not both"),
    (OF_FILE.format("scores").replace("new", "newer"), "Did you mean 'new'? It has 'fraud', 'day'"),
    ("report scores.csv --y-true fraud --y-score new", "as --pos-label 'no' or --pos-label 'yes'"),
    (f"{OF_NEW} --y-true day", "--y-true was passed twice. Pass it once."),
    (f"{OF_NEW} --y-score new", "--y-score ['new', 'new'] names a column twice"),
    ("report three.csv --y-true y --y-score s", "--y-true contains more than two labels. Add a "),
    ("report three.csv --y-true y --y-score s --groups g", "and pass it as --y-true. If they are"),
    ("report grades.csv --y-true y --y-score s --pos-label 2", "pass --min-grade, the lowest one"),
    ("threshold three.csv --y-true y --y-score s --k 1", "more than two labels, ['a', 'b', 'c']"),
    ("report three.csv --y-true multiclass --y-score s", "'multiclass' is not a column of data"),
    (f"{OF_NEW} --min-grade 2", "--pos-label 'yes' and --min-grade 2 both define"),
    (f"{OF_NEW} --metrics APP", "--metrics must be the name of a metric. Got 'APP' instead"),
    (f"{OF_NEW} --metrics AP,APP", "Got 'APP' instead"),
    (f"{OF_NEW} --metrics dcg@10", "use 'nDCG@10'"),
    (f"{OF_NEW} --metrics MAP", "'MAP' is a mean over groups: pass --groups, the group"),
    (f"{OF_NEW} --fail-under AP", "--fail-under must be METRIC=VALUE, such as AP=0.4. Got 'AP'."),
    (f"{OF_NEW} --fail-under AP=high", "Got 'AP=high'."),
    (f"{OF_NEW} --fail-under AP=nan", "Got 'AP=nan'."),
    (f"{OF_NEW} --fail-under APP=.4", "--fail-under must be the name of a metric. Got 'APP'"),
    (f"{OF_NEW} --fail-under AP=40", "--fail-under AP=40 always fails. For a percentage, write"),
    (f"{OF_NEW} --fail-under AP=.4 --fail-under average_precision=.5", "twice for one metric"),
    (f"{OF_NEW} --baseline old", "--baseline 'old' is not one of the models ['new']"),
    (f"{OF_NEW} --baseline new --fail-if-worse", "--baseline needs another model to compare"),
    (f"{OF_NEW} --baseline new --margin 0.1", "--margin is the smallest difference that matters"),
    (
        f"{BOTH} --by day --gate all-data",
        "--gate says where --fail-under, --fail-if-worse and --mar",
    ),
    (f"{OF_NEW} --gate", "argument --gate: expected one argument"),
    (f"{OF_NEW} --gate day", "invalid choice: 'day' (choose from 'segments', 'all-data')"),
    (f"{OF_NEW} --min-positives 2", "--min-positives says which segments are judged, but there"),
    (f"{OF_NEW} --by day --min-positives 1.5", "--min-positives must be an int in the range [0, i"),
    (f"{BOTH} --margin 0.1", "need a model to compare the others with. Pass it as --baseline."),
    (f"{BOTH} --fail-if-worse", "need a model to compare the others with. Pass it as --baseline."),
    (f"{BOTH} --baseline old --margin 0", "--margin must be a number in the range (0, inf)"),
    (f"{BOTH} --baseline old --margin much", "Got 'much' instead"),
    (f"{BOTH} --baseline old --margin .1 --margin AP=.2", "must be one number, or METRIC=VALUE on"),
    (f"{BOTH} --baseline old --margin P@1=.2", "--margin has a number for 'P@1', which is none of"),
    (f"{OF_NEW} --confidence-level 95%", "must be a float in the range (0, 1). Got '95%' instead"),
    (f"{OF_NEW} --method bootstrap --n-resamples 1_000", "Got '1_000' instead. Did you mean 1000?"),
    (f"{OF_NEW} --average None", "--average must be a str among"),
    (f"{OF_NEW} --zero-division 2", "--zero-division must be a float among {0.0, 1.0, nan}"),
    (f"{OF_NEW} --n-positives 2", "--n-positives 2 is too small: it counts all positives"),
    (f"{OF_NEW} --sample-weight day", "--sample-weight must contain numbers, but 'scores.csv' has"),
    (f"{OF_NEW} --by month", "--by 'month' is not a column of data"),
    (  # which only one of the files has
        f"report scores.csv none.csv {FRAUD} --y-score new --by day",
        "--by 'day' is not a column of data. It has 'fraud', 'new'.",
    ),
    (
        f"{OF_NEW} --output a.html",
        "--output writes .json, .md or .txt, but not .html. Got 'a.html'",
    ),
    (f"{OF_NEW} --output none/a.md", "No such file or directory: 'none/a.md'"),
    (f"{OF_NEW} --output ./scores.csv --format json", "is read, so it can't be written. Choose"),
    (OF_THRESHOLD, "needs a target: --min-recall, --min-precision or --k"),
    (f"{OF_THRESHOLD} --k 1%", "--k must be an int in the range [1, inf) or a float"),
    (f"{OF_THRESHOLD} --min-recall 80", "Got 80 instead. Did you mean 0.8?"),
    (f"{OF_THRESHOLD} --min-recall .8 --threshold 3", "can't be combined with --min-recall 0.8"),
    (f"{OF_THRESHOLD},old --threshold new=.5", "--threshold has no value for the model 'old'"),
    ("check nowhere.json scores.csv", "No such file or directory: 'nowhere.json'"),
    ("check scores.csv scores.csv", "'scores.csv' isn't a saved threshold, which is JSON"),
    ("check point.json scores.csv", "reads version"),
    ("check point.json", "arguments are required: file"),
    ("trec nowhere.txt old.run", "No such file or directory: 'nowhere.txt'"),
    ("trec qrels.txt eel.run", "line 1 of eel.run: the query 'eel' is not in qrels.txt."),
    ("trec qrels.txt eel.run", "pass --unjudged-queries 'drop'."),
    ("trec qrels.txt old.run old.run", "A file was passed twice. Pass it once."),
    ("trec qrels.txt old.run --by scores.csv", "must have two columns, groups and their segments"),
    ("trec qrels.txt old.run --by old.run", "Separate the two by commas, below a header."),
    ("trec qrels.txt old.run --by repeated.csv", "'repeated.csv' has 'cat' in several rows. Keep"),
    ("trec qrels.txt old.run --by kinds.csv", "--by has no segment for 1 of 2 groups ('dog')"),
    ("trec qrels.txt old.run --y-true x", "unrecognized arguments: --y-true x"),
    ("trec qrels.txt old.run --unjudged maybe", "--unjudged must be a str among"),
    ("coco qrels.txt old.run", "qrels.txt is not JSON"),
    (
        "coco qrels.txt old.run --metrics AP --overlap 0.5",
        "AP is COCO's, which has its own overlap",
    ),
    ("coco qrels.txt old.run --overlap 0.5 --fail-under AP50=0.5", "AP50 is COCO's, which has its"),
    (
        "coco qrels.txt old.run --overlap 0.5,2",
        "--overlap must be a number in the range (0, 1], sev",
    ),
    (
        "coco qrels.txt old.run --area tiny",
        "--area 'tiny' isn't among those that were matched: ['a",
    ),
    ("coco qrels.txt old.run --by categories", "No such file or directory: 'categories'"),
    ("coco qrels.txt old.run --metrics ap50", "--metrics must be the name of a metric"),
    ("coco qrels.txt old.run --min-grade 2", "unrecognized arguments: --min-grade 2"),
    ("audit", "Pass a function, --write or --read, and only one of them."),
    (
        "audit --read binary.txt",
        "binary.txt cannot be read: it is encoded in UTF-16, or isn't text.",
    ),
    ("audit --read old.run", "Write one line for each ranking: its n, a space and the value, or"),
    ("audit --read few.txt", "Pass one for each of them, nan if it has none. (read is 'few.txt')"),
    ("audit mine", "'mine' isn't a function. Pass its module and name"),
    ("audit nowhere:function --output scores.csv --format json", "No module named 'nowhere'"),
    ("audit json:nothing", "has no attribute 'nothing'"),
    ("audit json:dumps --zero-division 1", "Pass --zero-division only beside --metric."),
    ("audit json:dumps --metric AP --zero-division x", "--zero-division must be a number, nan, or"),
    ("audit json:dumps --metric APP", "--metric must be the name of a metric. Got 'APP'"),
    (
        "report pos_label.csv --y-true y_true --pos-label sample_weight --y-score pos_label",
        "(--y-score is the column 'pos_label')",  # names in files stay as they are
    ),
]


@pytest.mark.parametrize(("line", "words"), BAD)
def test_what_is_wrong_is_said_in_a_line(run, line, words):
    for name, text in FILES.items():
        Path(name).write_text(text)
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"sklearn_ap: error: .+\n", err)
    assert words in err
    if "Use `" not in err and "pos_label.csv" not in line:
        assert not _OF_PYTHON.findall(err)


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("y_score contains 'y_true', y_trues", "--y-score contains 'y_true', y_trues"),
        ("groups of rows, as by groups=", "--groups of rows, as by --groups"),
        ("With groups, pass average='macro', k=5.", "With groups, pass --average 'macro', --k 5."),
        ("The 'metrics' parameter of report must be", "--metrics must be"),
        ("(groups is the column 'k', by are the columns)", None),
    ],
)
def test_sentences_write_parameters_as_options(words, written):
    parameters = ["y_score", "y_true", "groups", "by", "average", "k", "metrics"]
    written = written or "(--groups is the column 'k', --by are the columns)"
    assert command_line._write_as_options(words, parameters) == written


# --- as a program ---------------------------------------------------------------------------------


def test_it_can_be_interrupted(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setitem(command_line._RUN, "report", interrupted)
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


WRITING = {
    "report": (f"{BOTH} --output out.json", "out.json"),
    "threshold": (f"threshold scores.csv {FRAUD} --y-score new --k 3 --output out.md", "out.md"),
    "audit": ("audit --write out.jsonl", "out.jsonl"),
}


@pytest.mark.usefixtures("few_rankings")
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize(("line", "name"), WRITING.values(), ids=WRITING)
def test_a_file_stays_whole_if_writing_fails(run, monkeypatch, folder, line, name, failure):
    class HalfWritten(FileIO):
        def write(self, content):
            super().write(content[:10])
            raise failure

    real_open = Path.open

    def open_half(path, mode="r", *options, **given):
        is_written = path.parent == folder and "r" not in mode
        return HalfWritten(path, mode) if is_written else real_open(path, mode, *options, **given)

    Path(name).write_text("of yesterday", encoding="utf-8")
    before = sorted(folder.iterdir())
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", open_half)
        found = run(line)
    error = f"sklearn_ap: error: No space left on device: '{name}'\n"
    assert found == ((130, "", "") if isinstance(failure, KeyboardInterrupt) else (2, "", error))
    assert Path(name).read_text(encoding="utf-8") == "of yesterday"
    assert sorted(folder.iterdir()) == before
    code, _, err = run(line)
    assert (code, err) == (0, "")
    assert Path(name).read_text(encoding="utf-8") != "of yesterday"
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions and links")
def test_files_keep_their_permissions_and_links(run, folder):
    report = run(OF_NEW)[1]
    (folder / "elsewhere").mkdir()
    target = folder / "elsewhere" / "whole.txt"
    target.write_text("of yesterday", encoding="utf-8")
    target.chmod(0o640)
    Path("link.txt").symlink_to("elsewhere/whole.txt")
    assert run(f"{OF_NEW} --output link.txt") == (0, "", "")
    assert (Path("link.txt").is_symlink(), target.read_text(encoding="utf-8")) == (True, report)
    assert target.stat().st_mode & 0o777 == 0o640
    assert run(f"{OF_NEW} --output new.txt") == (0, "", "")
    Path("usual.txt").touch()
    assert Path("new.txt").stat().st_mode == Path("usual.txt").stat().st_mode
    if os.geteuid():  # root may write to any file
        target.chmod(0o440)
        assert run(f"{OF_NEW} --output link.txt")[2].endswith("Permission denied: 'link.txt'\n")


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_pipes_and_open_files_are_written_as_they_are(run, folder):
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as pool:
        read = pool.submit(Path("pipe").read_text, encoding="utf-8")
        assert run(f"{OF_NEW} --output pipe --format text") == (0, "", "")
        assert read.result(timeout=60) == run(OF_NEW)[1]
    assert Path("pipe").is_fifo()
    with open("log.txt", "w+", encoding="utf-8") as log:
        log.write("before\n")
        log.flush()
        end = os.open("log.txt", os.O_WRONLY | os.O_APPEND)
        written = command_line._find_file(Path(f"/dev/fd/{end}"))
        os.close(end)
    assert written is None
    assert command_line._find_file(Path("log.txt")) == folder / "log.txt"


@pytest.mark.slow
def test_names_that_the_terminal_does_not_have(monkeypatch):
    write("scores.csv", SCORES.replace("new", "ö"))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = as_module(OF_NEW.replace("new", "ö"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\n\\xf6      0.950" in done.stdout


@pytest.mark.slow  # the wheel is tried in this way, too
def test_it_runs_as_a_module():
    done = as_module(f"{OF_NEW} --fail-under AP=0.99 --format markdown --output report.md")
    failed = b"sklearn_ap: failed: Average precision of new is 0.95, below 0.99\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", failed)
    assert "| new | 0.950 |" in Path("report.md").read_text(encoding="utf-8")


def test_a_check_reads_the_positive_label_like_the_column_as_before(run):
    """It is a number if the labels are, also where --y-true was only passed to `threshold`."""
    rows = (f"{1 + (i < 40)},{1 - i / 200}" for i in range(100))
    write("days.csv", "\n".join(["label,score", *rows]))
    line = "threshold days.csv --y-true label --y-score score --pos-label 2 --min-recall 0.5"
    assert run(f"{line} --output p.json") == (0, "", "")
    found = run("check p.json days.csv")
    assert found[0] == 0
    assert run("check p.json days.csv --pos-label 2") == found
