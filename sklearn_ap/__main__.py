"""The command line: `python -m sklearn_ap report scores.parquet --y-true fraud --y-score model`.

Options are the parameters of the functions: lists are written with commas, and numbers, True, False
and None as in Python. Exit codes: 0, 1 if a gate fails, 2 for errors, 3 if the data can't decide.
"""

import json
import sys
from argparse import ArgumentParser
from ast import literal_eval
from collections.abc import Sequence
from importlib import import_module
from inspect import getdoc, signature
from operator import attrgetter
from pathlib import Path
from typing import Any

import sklearn_ap as ap

_FUNCTIONS: dict[str, Any] = {
    "report": ap.report,
    "trec": ap.report,
    "coco": ap.report,
    "threshold": ap.operating_point,
    "check": ap.thresholds.OperatingPoint.check,
    "audit": ap.compat.audit,
}
_READERS = {"trec": ap.readers.read_trec, "coco": ap.readers.read_coco}
_FILES = {
    "trec": "qrels and runs", "coco": "annotations and detections",
    "check": "the saved threshold, and data", "audit": "package.module:function",
}  # fmt: skip


def _value(text: str) -> Any:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text.split(",") if "," in text else text


def _parser() -> ArgumentParser:
    parser = ArgumentParser("python -m sklearn_ap", description=__doc__)
    parser.add_argument("--version", action="version", version=ap.__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    for command, function in _FUNCTIONS.items():
        words = (getdoc(function) or "").partition("\n")[0]
        added = commands.add_parser(command, help=words, description=words)
        files = _FILES.get(command, "CSV or Parquet files")
        added.add_argument("files", nargs="+", metavar="file", help=files)
        names = {**signature(_READERS.get(command, function)).parameters}
        names |= signature(function).parameters
        for name in names.keys() - {
            "self",
            "data",
            "scorers",
            "qrels",
            "runs",
            "annotations",
            "detections",
        }:
            added.add_argument(f"--{name.replace('_', '-')}", type=_value)
        added.add_argument("--output", help="write JSON or Markdown to this file")
        if function is ap.report:
            added.add_argument("--fail-under", help="METRIC=VALUE", action="append", default=[])
        if command == "audit":
            added.add_argument("--metric", help="exit with 1 if it isn't this one")
    return parser


def _read(files: Sequence[str]) -> Any:
    if files[0].endswith(".parquet") or Path(files[0]).is_dir():
        return [Path(file) for file in files]
    pandas = import_module("pandas")
    return pandas.concat(map(pandas.read_csv, files), ignore_index=True)


def _run(command: str, files: list[str], passed: dict[str, Any]) -> tuple[Any, int]:
    """Return the result, and the exit code."""
    function: Any = _FUNCTIONS[command]
    if command == "audit":
        module, _, name = files[0].partition(":")
        sys.path.insert(0, "")
        audited, metric = attrgetter(name)(import_module(module)), passed.pop("metric", None)
        result = function(audited, **passed)
        if metric is not None:
            ap.compat.check_metric(audited, metric)
        return result, 0 if metric or result.agrees else {False: 1, None: 3}[result.agrees]
    if command == "check":
        point = ap.thresholds.OperatingPoint.from_dict(json.loads(Path(files[0]).read_text()))
        result = point.check(data=_read(files[1:]), **passed)
        return result, {True: 0, False: 1, None: 3}[result.is_kept]
    if command in _READERS:
        reader: Any = _READERS[command]
        names = signature(reader).parameters.keys() & passed.keys()
        options = {name: passed.pop(name) for name in names}
        data: Any = {
            Path(f).name.partition(".")[0]: reader(files[0], f, **options) for f in files[1:]
        }
    else:
        data = _read(files)
    least = dict(gate.split("=") for gate in passed.pop("fail_under", []))
    result = function(**passed, data=data)
    if command == "threshold":
        return result, 0
    code = 0
    for row in result:
        if any(
            row.metric == ap.metric(name).name and row.value < float(least[name]) for name in least
        ):
            code = 1
    verdicts = {row.verdict for row in result if row.margin is not None}
    if "worse" in verdicts:
        code = 1
    return result, code or 3 * bool(verdicts & {"unclear", "no better"})


def main(arguments: Sequence[str] | None = None) -> int:
    options = vars(_parser().parse_args(arguments))
    command, files, output = (options.pop(name) for name in ("command", "files", "output"))
    try:
        result, code = _run(command, files, {k: v for k, v in options.items() if v is not None})
    except AssertionError as error:
        print(f"sklearn_ap: failed: {error}", file=sys.stderr)
        return 1
    except (ValueError, TypeError, LookupError, OSError, ImportError) as error:
        print(f"sklearn_ap: error: {error}", file=sys.stderr)
        return 2
    if output is None:
        print(result)
    else:
        is_json = output.endswith(".json")
        text = json.dumps(result.to_dict(), indent=1) if is_json else result.to_markdown()
        Path(output).write_text(text, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
