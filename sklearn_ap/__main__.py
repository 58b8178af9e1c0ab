"""The command line: `python -m sklearn_ap report scores.parquet --label fraud --score model`."""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import sklearn_ap as ap

_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(_in_json(result.to_dict()), indent=2, default=str),
    "markdown": lambda result: result.to_markdown(),
    "html": lambda result: result.to_html(),
    "latex": lambda result: result.to_latex(),
}

# --- options --------------------------------------------------------------------------------------


# Errors say the names of the next two functions.
def number(text: str) -> float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


def cutoff(text: str) -> float:
    return float(f"{text[:-1]}e-2") if text.endswith("%") else number(text)


def _gate(text: str) -> tuple[str, float]:
    name, _, least = text.rpartition("=")
    if not name or not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)", least):
        raise ArgumentTypeError(f"must be METRIC=VALUE, such as AP=0.4. Got {text!r}.")
    return name, float(least)


_COMMANDS = {
    "report": "Evaluate and compare models, with confidence intervals.",
    "identify": "Find the definition that produced a reported value.",
    "explain": "Show the values of all definitions, and why they differ.",
    "threshold": "Choose a threshold for a target recall or precision, or for a budget.",
    "trec": "Evaluate and compare runs in TREC's format.",
}
_TABLES = "report identify explain threshold"
_COLUMN: dict[str, Any] = {"metavar": "COLUMN"}
_SCORE: dict[str, Any] = {"dest": "y_score", "required": True, **_COLUMN}
_SEVERAL: dict[str, Any] = {"action": "append", "default": []}
_GATE = {"type": _gate, "metavar": "METRIC=VALUE", **_SEVERAL}
_MODEL = {"metavar": "MODEL"}

# The commands that have an argument, its name, its help, and how it is parsed. Options are stored
# under the names of the functions' parameters.
_ARGUMENTS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("identify", "value", "the reported value, with all of its decimals", {}),
    (_TABLES, "data", "a CSV file, a Parquet file, or a folder of Parquet files", {}),
    ("trec", "qrels", "the file of relevance judgments", {}),
    ("trec", "runs", "the file of a run", {"nargs": "+", "metavar": "run"}),
    (_TABLES, "--label", "the labels", {"dest": "y_true", "required": True, **_COLUMN}),
    ("identify explain", "--score", "the prediction scores", _SCORE),
    ("report threshold", "--score", "of a model; repeat it for others", _SCORE | _SEVERAL),
    (_TABLES, "--positive", "the positive label", {"dest": "pos_label", "metavar": "LABEL"}),
    (_TABLES, "--weight", "the sample weights", {"dest": "sample_weight", **_COLUMN}),
    (_TABLES, "--group", "what is ranked separately", {"dest": "groups", **_COLUMN}),
    ("report threshold", "--cluster", "what is drawn as a whole", {"dest": "clusters", **_COLUMN}),
    ("identify explain", "--ids", "the document ids, which break ties", _COLUMN),
    (_TABLES, "--n-positives", "how many exist, found or not", {"type": number}),
    (_TABLES, "--prevalence", "of positives in the population", {"type": float}),
    (" ".join(_COMMANDS), "--min-grade", "the lowest that is positive", {"type": number}),
    ("identify explain threshold", "-k", "a count, or a fraction as 1%%", {"type": cutoff}),
    (_TABLES, "--k-counts", "if there are weights", {"choices": ["samples", "weight"]}),
    ("threshold", "--min-recall", "the recall to reach", {"type": float}),
    ("threshold", "--min-precision", "the precision to reach", {"type": float}),
    ("threshold", "--quantile", "keep k in this fraction of the groups", {"type": float}),
    ("report trec", "--metric", "such as AP or P@1%%; repeat it", {"dest": "metrics", **_SEVERAL}),
    ("report trec", "--baseline", "the model to compare the others with", _MODEL),
    ("report threshold trec", "--confidence-level", "such as 0.95", {"type": float}),
    ("report trec", "--method", "of the intervals, such as bootstrap", {}),
    ("report trec", "--n-resamples", "how many the bootstrap draws", {"type": int}),
    ("report trec", "--random-state", "a seed, to get the same report again", {"type": int}),
    ("report trec", "--verbose", "show the progress", {"action": "store_const", "const": 1}),
    ("trec", "--unjudged", "drop leaves out documents without a judgment", {}),
    ("trec", "--unjudged-queries", "drop leaves out queries without judgments", {}),
    ("report trec", "--fail-under", "exit with 1 if a model is below; repeat it", _GATE),
    ("report trec", "--fail-if-worse-than", "exit with 1 if any is significantly worse", _MODEL),
    (" ".join(_COMMANDS), "--format", "text by default", {"choices": _FORMATS, "default": "text"}),
    (" ".join(_COMMANDS), "--output", "write the result to this file", {"metavar": "FILE"}),
]
_OF_TREC = ("qrels", "min_grade", "unjudged", "unjudged_queries")
_OUTSIDE = {"command", "data", "format", "output", "fail_under", "fail_if_worse_than", "k_counts"}


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"sklearn_ap: error: {message} (--help lists the options)\n")


def _parser() -> _Parser:
    parser = _Parser("python -m sklearn_ap", description="Average precision by all definitions.")
    parser.add_argument("--version", action="version", version=ap.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command, words in _COMMANDS.items():
        added = commands.add_parser(command, help=words, description=words, allow_abbrev=False)
        for users, name, meaning, given in _ARGUMENTS:
            if command in users.split():
                added.add_argument(name, help=meaning, **given)
    return parser


# --- tables ---------------------------------------------------------------------------------------

# How libraries read CSV files. Decimals become the nearest floats, and all rows tell the types.
_CSV: dict[str, Callable[[Any, bytes, str], Any]] = {
    "pyarrow.csv": lambda module, text, delimiter: module.read_csv(
        BytesIO(text),
        read_options=module.ReadOptions(block_size=min(len(text) + 1, 2**31 - 1)),
        parse_options=module.ParseOptions(delimiter=delimiter),
    ),
    "polars": lambda module, text, delimiter: module.read_csv(
        text, separator=delimiter, infer_schema_length=None
    ),
    "csv": lambda module, text, delimiter: _columns(
        [*module.reader(StringIO(text.decode("utf-8-sig"), newline=""), delimiter=delimiter)]
    ),
}


def _columns(rows: list[list[str]]) -> dict[str, Any]:
    """Return the columns of a CSV file, as numbers where all cells are."""
    header, *cells = [row for row in rows if row]
    columns: dict[str, Any] = dict(zip(header, zip(*cells, strict=True), strict=True))
    for name, column in columns.items():
        values = [_value(cell) if cell else math.nan for cell in column]
        is_text = any(isinstance(value, str) for value in values)
        columns[name] = np.array(column if is_text else values)
    return columns


def _value(text: str) -> Any:
    """Return the number or the boolean that a text stands for, or else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return number(text)
    except ValueError:
        return text


def _read(path: str) -> Any:
    """Return what `data` takes: a table in memory, or a path to Parquet files."""
    if not re.search(r"\.(csv|tsv|txt)(\.gz)?$", path.lower()):
        return Path(path)
    with (gzip.open if path.lower().endswith(".gz") else open)(path, "rb") as file:
        text = file.read()
    first = text.partition(b"\n")[0].decode(errors="replace")
    library = next(name for name in _CSV if find_spec(name.partition(".")[0]))
    try:
        return _CSV[library](import_module(library), text, max(",;\t", key=first.count))
    except Exception as error:
        raise ValueError(f"{path!r} cannot be read as a CSV file: {error}") from None


def _runs(runs: list[str], **reading: Any) -> dict[str, Any]:
    named = {Path(run).stem: run for run in runs}
    if len(named) < len(runs):
        raise ValueError("Two runs have the same name. Rename one of the files.")
    return {name: ap.readers.read_trec(run=run, **reading) for name, run in named.items()}


def _label(data: Any, name: str, text: str) -> Any:
    """Return a label, which is a text, a number or a boolean as in its column."""
    try:
        if isinstance(data, Path):
            dataset = import_module("pyarrow.dataset").dataset(data, format="parquet")
            column = dataset.schema.field(name)
        else:
            column = data[name]
    except Exception:  # which reading the data explains
        return text
    kind = str(getattr(column, "type", None) or column.dtype).lower()
    return text if re.search(r"str|obj|dict|cat|enum|<u\d", kind) else _value(text)


# --- commands -------------------------------------------------------------------------------------


def _result(options: Namespace) -> Any:
    """Call the function of a command with the options that were given."""
    command = options.command
    given = {
        name: value
        for name, value in vars(options).items()
        if value is not None and name not in _OUTSIDE
    }
    if command == "trec":
        reading = {name: given.pop(name) for name in _OF_TREC if name in given}
        given["data"] = _runs(given.pop("runs"), **reading)
    else:
        given["data"] = _read(options.data)
        if "pos_label" in given:
            given["pos_label"] = _label(given["data"], options.y_true, options.pos_label)
    if command in ("report", "trec"):
        baseline = given.setdefault("baseline", options.fail_if_worse_than)
        if baseline != (options.fail_if_worse_than or baseline):
            raise ValueError("--baseline and --fail-if-worse-than are different models.")
        names = [*given["metrics"], *(name for name, _ in options.fail_under)]
        given["metrics"] = [*dict.fromkeys(_metric(options, name) for name in names or ["AP"])]
        return ap.report(**given)
    if options.k_counts:
        given["k_counts"] = options.k_counts
    if command == "threshold":
        if len(options.y_score) == 1:
            given["y_score"] = options.y_score[0]
        return ap.operating_point(**given)
    return getattr(ap.compat, command)(**given)


def _metric(options: Namespace, name: str) -> Any:
    k_counts = vars(options).get("k_counts")
    try:
        return ap.metric(name, **{"k_counts": k_counts} if k_counts else {})
    except TypeError:  # it has no k
        return ap.metric(name)


def _failures(options: Namespace, report: Any) -> Iterator[str]:
    """Say which gates failed. They don't concern the baseline."""
    gates = [(_metric(options, name).name, least) for name, least in options.fail_under]
    worse_than = options.fail_if_worse_than
    for row in report.rows:
        if row.model == (worse_than or options.baseline):
            continue
        name = f"{row.metric} of {row.model}"
        for metric, least in gates:
            if row.metric == metric and not row.value >= least:
                yield f"{name} is {row.value:.6g}, below {least:g}"
        if worse_than and row.difference_high < 0:
            limits = f"{row.difference_low:.3f} to {row.difference_high:.3f}"
            yield f"{name} is worse than that of {worse_than}: {row.difference:.3f} ({limits})"


def _in_json(value: Any) -> Any:
    """Replace what JSON doesn't have: nan and infinity become null."""
    if isinstance(value, dict):
        return {str(key): _in_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_in_json, value)]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _say(kind: str, words: str) -> None:
    """Write a line to stderr, in which parameters are called like the options of this module."""
    line = " ".join(words.split())
    line = re.sub(r"To leave these rows out, .*", "Leave these rows out of the file.", line)
    for _, option, _, given in _ARGUMENTS:
        parameter = given.get("dest", option[2:].replace("-", "_"))
        if option.startswith("--") and parameter != "metrics":
            line = re.sub(rf"\b{parameter}=", f"{option} ", line)
            line = re.sub(rf"\b{parameter}\b", option, line) if "_" in parameter else line
    print(f"sklearn_ap: {kind}: {line}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 1 if a gate failed, and 2 if the input is bad."""
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = lambda words, *_: _say("warning", str(words))
            result = _result(options)
        text = _FORMATS[options.format](result).rstrip("\n") + "\n"
        if options.output:
            Path(options.output).write_text(text, encoding="utf-8")
        else:
            print(text, end="", flush=True)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # as of `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        is_ours = isinstance(error, ValueError | TypeError | OSError | ImportError)
        words = getattr(error, "strerror", None)
        words = f"{words}: {error.filename!r}" if words else str(error)  # type: ignore[attr-defined]
        _say("error", words if is_ours else f"{type(error).__name__}: {words}")
        return 2
    failures = [*_failures(options, result)] if "fail_under" in options else []
    for failure in failures:
        _say("failed", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
