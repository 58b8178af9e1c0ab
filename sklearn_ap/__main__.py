"""The command line: `python -m sklearn_ap report scores.parquet --y-true fraud --y-score model`.

Each command calls a function with data from files. Its options are the parameters of the function,
as its signature has them.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from argparse import ArgumentParser, HelpFormatter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from errno import EACCES, ENOENT
from functools import partial
from importlib import import_module
from inspect import signature
from itertools import chain
from math import isfinite
from operator import attrgetter
from os import replace as replace_file
from pathlib import Path
from shutil import copymode
from threading import RLock
from typing import Any, NamedTuple, NoReturn
from uuid import uuid4

import sklearn_ap as ap

from ._package import load, read_toml
from ._words.refusals import ONE_CLASS_REMEDY, Refusal, find_substitute


def _format_text(result: Any, _: dict[str, Any]) -> str:
    from ._show.results import format_whole  # which needs NumPy

    return format_whole(result)


_FORMATS: dict[str, Callable[[Any, dict[str, Any]], str]] = {
    "text": _format_text,
    "json": lambda result, besides: json.dumps(
        result.to_dict() | besides if besides else result.to_dict(), indent=2, allow_nan=False
    ),
    "markdown": lambda result, _: result.to_markdown(),
}
_ENDINGS = {".json": "json", ".md": "markdown", ".txt": "text", "": "text"}

# --- options --------------------------------------------------------------------------------------


class _Command(NamedTuple):
    """A command, and the functions in sklearn_ap whose parameters are its options."""

    does: str
    function: str
    reader: str = ""  # of its files
    files: Sequence[str] = ("files",)
    own_options: Mapping[str, Any] = {}  # with their defaults
    metric: str = "AP"  # which it reports by default


_GATES: Mapping[str, Any] = {"fail_under": None, "fail_if_worse": False, "gate": None}
_CHOICES = {"format": [*_FORMATS], "gate": ["segments", "all-data"]}
_OF_AUDIT = {"metric": None, "zero_division": None, "write": None, "weights": False, "read": None}
_RUNS, _DETECTIONS = ("qrels", "runs"), ("annotations", "detections")
_COMMANDS = {
    "report": _Command("Evaluate and compare models.", "report", own_options=_GATES),
    "trec": _Command("Evaluate search engines.", "report", "readers.read_trec", _RUNS, _GATES),
    "coco": _Command(
        "Evaluate detectors.",
        "readers.report_coco",
        files=_DETECTIONS,
        own_options={"metrics": None, "overlap": None, "area": None, **_GATES},
    ),
    "voc": _Command(
        "Evaluate detectors on PASCAL VOC.",
        "report",
        "readers.read_voc",
        _DETECTIONS,
        _GATES,
        metric="VOC07",
    ),
    "threshold": _Command("Choose a threshold, or measure one.", "operating_point"),
    "check": _Command(
        "Check a saved threshold on new data.",
        "thresholds.OperatingPoint.check",
        files=("point", "files"),
    ),
    "audit": _Command(
        "Find out which average precision a function computes.",
        "compat.audit",
        files=("function",),
        own_options=_OF_AUDIT,
    ),
}
_NUMBER_OF_FILES = {"files": "+", "runs": "+", "detections": "+", "function": "?"}  # if not one
_NO_OPTIONS = {"self", "data", "classes", "function", *_RUNS, *_DETECTIONS}
_KNOWN_TO_READERS = {"y_true", "y_score", "pos_label", "sample_weight", "groups", "clusters"}
_KNOWN_TO_READERS |= {"n_positives"}
_LISTS = "y_score", "groups", "clusters", "by", "metrics"  # whose options can be repeated
# Those that are text, even if they look like numbers
_TEXTS = "y_true", "sample_weight", "baseline", "pos_label", "image_set"
_BY_NAME = {"margin": "METRIC", "threshold": "MODEL"}  # options that can differ by these
_METAVARS = {
    **dict.fromkeys(("y_true", "y_score", "sample_weight", "groups", "clusters", "by"), "COLUMN"),
    **{name: f"[{key}=]VALUE" for name, key in _BY_NAME.items()},
    **dict.fromkeys(("write", "read", "output", "image_set"), "FILE"),
    **dict.fromkeys(("trec.by", "coco.by", "voc.by"), "FILE"),
    "fail_under": "METRIC=VALUE",
}
_EPILOG = (
    "For several values, repeat an option, or use commas. Verdicts: better and worse are "
    "significant, unclear is anything else; with a margin, equivalent differs by less than it, and "
    "no worse or no better lacks more than it. Exit codes: 0 passed; 1 failed (a gate, a target, "
    "an audit); 2 error; 3 unclear."
)


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        names = re.findall(r"--[\w-]+", message)  # of options; a command or a value is a choice
        if choice := re.match(r"argument (.*): invalid choice: '(.*?)'", message):
            names += [choice[2], f"{choice[1]}={choice[2]}"]
        instead = "".join(map(find_substitute, names))
        self.exit(2, f"sklearn_ap: error: {message} ({instead or '--help lists the options'})\n")


def _parse(arguments: Sequence[str]) -> dict[str, Any]:
    """Return what was passed by name: texts as they are, those of options in lists."""
    parser = _Parser(
        "python -m sklearn_ap", description="Evaluate rankings, and choose and check thresholds."
    )
    parser.add_argument("--version", action="version", version=ap.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        added = commands.add_parser(
            name,
            help=command.does,
            description=command.does,
            epilog=_EPILOG,
            allow_abbrev=False,
            formatter_class=partial(HelpFormatter, max_help_position=32),
        )
        if name in arguments[:1]:  # signatures of other commands aren't needed
            _add_options(added, name, command)
    options = vars(parser.parse_args(arguments))
    return {name: value for name, value in options.items() if value is not None}


def _add_options(parser: ArgumentParser, name: str, command: _Command) -> None:
    words_of = read_toml("_words/options.toml")
    usage = [f"python -m sklearn_ap {name}"]
    for file in command.files:
        number = _NUMBER_OF_FILES.get(file)
        shown = file.removesuffix("s") if number == "+" else file
        words = words_of.get(f"{name}.{file}", words_of[file])
        parser.add_argument(file, metavar=shown, nargs=number, help=words)
        usage.append({"+": f"{shown} ...", "?": f"[{shown}]"}.get(number or "", shown))
    parser.usage = " ".join([*usage, "[options]"])
    for parameter, default in _list_defaults(command).items():
        own = f"{name}.{parameter}"
        words = words_of.get(own, words_of[parameter]).replace("%", "%%")
        if isinstance(default, bool):
            flag = _format_option(f"no_{parameter}" if default else parameter)
            parser.add_argument(
                flag, dest=parameter, action="store_const", const=not default, help=words
            )
            continue
        parser.add_argument(
            _format_option(parameter),
            action="append",
            metavar=_METAVARS.get(own) or _METAVARS.get(parameter, "VALUE"),
            choices=_CHOICES.get(parameter),
            required=parameter in ("y_true", "y_score") and name in ("report", "threshold"),
            help=words,
        )


def _list_defaults(command: _Command) -> dict[str, Any]:
    """Return the parameters of a command, which are its options, with their defaults."""
    defaults = {}
    for path in filter(None, (command.reader, command.function)):
        for name, parameter in signature(attrgetter(path)(ap)).parameters.items():
            if name not in _NO_OPTIONS and not (command.reader and name in _KNOWN_TO_READERS):
                defaults[name] = parameter.default
    return {**defaults, **command.own_options, "format": None, "output": None}


def _format_option(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"


# --- values of options ----------------------------------------------------------------------------


def _read_arguments(options: Mapping[str, Any], columns: Collection[str] = ()) -> dict[str, Any]:
    """Return the arguments of a function that were passed as options."""
    command = _COMMANDS[options["command"]]
    own = {*command.own_options, "format", "output"}
    names = [name for name in _list_defaults(command) if name in options and name not in own]
    return {name: _parse_value(name, options[name], columns) for name in names}


def _parse_value(name: str, passed: Any, columns: Collection[str]) -> Any:
    """Return the value of a parameter: of a list its entries, or the only one."""
    if isinstance(passed, bool):
        return passed
    if name in _LISTS:
        entries: list[str] = []
        for text in passed:
            is_one = text in columns or (name == "metrics" and _is_metric(text))
            entries += [text] if is_one else text.split(",")
        return entries[0] if len(entries) == 1 else entries
    if name in _BY_NAME and any("=" in text for text in passed):
        pairs = [text.rpartition("=") for text in passed]
        values = {key: _parse_cell(value) for key, _, value in pairs}
        if "" in values or len(values) < len(pairs):
            raise ValueError(
                f"{_format_option(name)} must be one number, or {_BY_NAME[name]}=VALUE once for "
                f"each of them. Got {' and '.join(passed)}."
            )
        return values
    text = _get_single(name, passed)
    return text if name in _TEXTS else _parse_cell(text)


def _get_single(name: str, passed: Sequence[str]) -> str:
    if len(passed) > 1:
        raise ValueError(f"{_format_option(name)} was passed twice. Pass it once.")
    return passed[0]


def _parse_cell(text: str) -> Any:
    """Return the number that a text stands for, or else the text."""
    for kind in (int, float):
        try:
            return kind(text.replace("_", " _"))  # Python alone reads 1_000 as a number
        except ValueError:
            continue
    return text


def _is_metric(text: str) -> bool:
    try:
        ap.metric(text)
    except (ValueError, TypeError):
        return False
    return True


# --- files ----------------------------------------------------------------------------------------

_ENDINGS_OF_RUNS = (
    r"(?<=.)(\.(run|trec|res|results|out|txt|tsv|csv|jsonl|ndjson|json))?(\.(gz|bz2|xz))?$"
)


def _read_arguments_of_rows(options: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function that evaluates the rows of files. `known` are the columns
    that it takes if none were passed, by their roles.
    """
    from ._read import tables

    reading, files = load("readers.csv_files"), options["files"]
    if len({os.path.realpath(file) for file in files}) < len(files):
        raise ValueError("A file was passed twice. Pass it once, or its rows count twice.")
    are_parquet = [reading.is_parquet(file) for file in files]
    if any(are_parquet) and not all(are_parquet):
        raise ValueError("Pass CSV files or Parquet files, but not both.")
    if are_parquet[0]:
        data: Any = [Path(file) for file in files]
        tables.import_pyarrow(data)
        names = load("_read.arrow").list_columns_in_files(data)
        arguments = _read_arguments(options, names)
    else:
        arguments = _read_arguments(options, reading.read_header(files[0]))
        data = reading.read_csv(files, {**known, **arguments})
        names = [*data.columns]
    label = arguments.get("y_true", known.get("y_true"))
    if "pos_label" in arguments and label in names:
        if are_parquet[0]:
            column = load("_read.arrow").read_arrow(data, {"y_true": label})["y_true"]
        else:
            column = data[label]
        kind = str(column.type if hasattr(column, "type") else column.dtype)
        arguments["pos_label"] = _read_label(kind, arguments["pos_label"])
    return {**arguments, "data": data}


def _read_label(kind: str, text: str) -> Any:
    """Return the label that a text stands for in a column whose type is of this kind."""
    if re.search("str|obj|dict|cat", kind):
        return text
    if "bool" in kind:
        return {"true": True, "false": False}.get(text.lower(), text)
    return _parse_cell(text)


def _name_models_by_files(paths: Sequence[str]) -> dict[str, str]:
    """Return the names of models by their files, without endings or folders where these aren't
    needed.
    """
    files = [Path(path).name for path in paths]
    for names in ([re.sub(_ENDINGS_OF_RUNS, "", file) for file in files], files, paths):
        if len(set(names)) == len(paths):
            return dict(zip(paths, names, strict=True))
    raise ValueError("A file was passed twice. Pass it once.")


# --- commands -------------------------------------------------------------------------------------


class _Outcome(NamedTuple):
    """What a command has found: a result, lines to say about it, and the exit code."""

    result: Any = None
    said: Sequence[tuple[str, str]] = ()  # kinds and sentences
    code: int = 0
    besides: Mapping[str, Any] = {}  # entries of JSON


def _run_report(options: Mapping[str, Any]) -> _Outcome:
    return _report_by_metrics(options, _read_arguments_of_rows(options, {}))


def _report_by_metrics(options: Mapping[str, Any], arguments: Mapping[str, Any]) -> _Outcome:
    """Report the metrics that were passed, by default that of the command."""
    from .metrics import make_metric  # which needs NumPy

    def find(name: str, parameter: str) -> list[Any]:
        return [make_metric(name, {}, "report", parameter)]

    def evaluate(metrics: Sequence[Any]) -> Any:
        return ap.report(**{**arguments, "metrics": metrics})

    passed = arguments.get("metrics", _COMMANDS[options["command"]].metric)
    names = [passed] if isinstance(passed, str) else passed
    return _report_with_gates(options, names, find, evaluate)


def _run_with_reader(options: Mapping[str, Any]) -> _Outcome:
    """Evaluate what engines retrieved."""
    command = _COMMANDS[options["command"]]
    read = attrgetter(command.reader)(ap)
    arguments = _read_arguments(options)
    of_reader = {name: arguments.pop(name) for name in {*arguments} & {*signature(read).parameters}}
    first, several = [options[name] for name in command.files]
    names = _name_models_by_files(several)
    arguments["data"] = {names[file]: read(first, file, **of_reader) for file in several}
    return _report_by_metrics(options, arguments | _read_by_and_baseline(options, names))


def _read_by_and_baseline(
    options: Mapping[str, Any], names: Mapping[str, str], columns: Collection[str] = ()
) -> dict[str, Any]:
    """Return segments, from a file unless they are one of these `columns`, and the name of the
    baseline, which can be passed as its file.
    """
    read: dict[str, Any] = {}
    if "by" in options:
        by = _get_single("by", options["by"])
        is_column = by in columns
        read["by"] = by if is_column else load("readers.csv_files").read_group_segments(by)
    if "baseline" in options:
        baseline = _get_single("baseline", options["baseline"])
        read["baseline"] = names.get(baseline, baseline)
    return read


def _run_coco(options: Mapping[str, Any]) -> _Outcome:
    """Evaluate detectors by COCO's metrics, by default all six, or AP of segments; or by others at
    the overlaps, and for the objects, that were passed.
    """
    from .metrics import make_metric  # which needs NumPy
    from .readers import coco_reports

    names = _name_models_by_files(options["detections"])
    detections = {name: file for file, name in names.items()}
    arguments = _read_arguments(options) | _read_by_and_baseline(options, names, ["category"])
    of_coco = coco_reports.make_coco_metrics()
    are_passed = not {"overlap", "area"}.isdisjoint(options)
    texts = [text for each in options.get("overlap", ["0.5"]) for text in each.split(",")]
    overlaps = dict.fromkeys(map(_parse_cell, texts))
    area = _get_single("area", options.get("area", ["all"]))

    def find(name: str, parameter: str) -> list[Any]:
        if name not in of_coco:
            metric = make_metric(name, {}, "report_coco", parameter)
            return [coco_reports.make_detection_metric(metric, each, area) for each in overlaps]
        if are_passed:
            raise ValueError(
                f"{name} is COCO's, which has its own overlap and objects. Leave out --overlap and "
                "--area, or pass another metric, such as '101-point float'."
            )
        return [of_coco[name]]

    def evaluate(metrics: Sequence[Any]) -> Any:
        annotations = options["annotations"]
        return coco_reports.report_detections(annotations, detections, metrics, **arguments)

    chosen = [*of_coco] if "by" not in options else ["AP"]
    if are_passed:
        chosen = ["101-point float"]
    if "metrics" in options:
        passed = _parse_value("metrics", options["metrics"], ())
        chosen = [passed] if isinstance(passed, str) else passed
    return _report_with_gates(options, chosen, find, evaluate)


def _run_threshold(options: Mapping[str, Any]) -> _Outcome:
    return _Outcome(ap.operating_point(**_read_arguments_of_rows(options, {})))


def _run_check(options: Mapping[str, Any]) -> _Outcome:
    point = _read_point(options["point"], options.get("y_score", [""])[0])
    known = {"y_true": point.source.labels, "y_score": point.source.scores, **point.source.columns}
    arguments = _read_arguments_of_rows(options, known)
    for role in ("y_true", "y_score"):
        arguments.setdefault(role, known[role])
        if arguments[role] is None:
            raise ValueError(
                "The threshold was chosen from arrays, so it knows no columns. Pass "
                f"{_format_option(role)}."
            )
        if not isinstance(arguments[role], str):
            raise ValueError(
                f"A threshold is that of one model. Pass one column as {_format_option(role)}."
            )
    result = point.check(**arguments)
    return _Outcome(result, code={True: 0, False: 1, None: 3}[result.is_kept])


def _read_point(file: str, model: str) -> ap.thresholds.OperatingPoint:
    """Load a threshold, or that of one of several models."""
    try:
        values = json.loads(Path(file).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{file!r} isn't a saved threshold, which is JSON ({error}). Save one by the command "
            "threshold, with --output point.json."
        ) from None
    if not isinstance(values, list):
        return ap.thresholds.OperatingPoint.from_dict(values)
    points = ap.thresholds.OperatingPointTable.from_dict(values)
    if len(points) == 1:
        return next(iter(points.values()))
    if model not in points:
        raise ValueError(
            f"{file!r} has thresholds of the models {', '.join(map(str, points))}. Pass one of "
            "them as --y-score."
        )
    return points[model]


def _run_audit(options: Mapping[str, Any]) -> _Outcome:
    """Audit a function, or the values of a program. Nothing is found after writing rankings for
    that.
    """
    _check_is_one_audit(options)
    arguments = _read_arguments(options)
    if "write" in options:
        found = ap.compat.rankings(weights=options.get("weights", False), **arguments)
        _write("".join(f"{each.line}\n" for each in found), _get_single("write", options["write"]))
        return _Outcome()
    if "read" in options:
        from .readers import files  # which need NumPy

        path = _get_single("read", options["read"])
        reading: Any = files.name_files_in_errors(read=path)
        with reading:
            text = files.decode(files.read_content(path, "read"))
            function = load("compat.ranking_files").read_returned(text)
    else:
        reading, function = nullcontext(), _import_function(options["function"])
    expected = {}
    if "metric" in options:
        expected["metric"] = _get_single("metric", options["metric"])
    if "zero_division" in options:
        text = _get_single("zero_division", options["zero_division"])
        expected["zero_division"] = _parse_cell(text)
    with reading:
        found = load("compat.metric_checks").judge(function, **expected, **arguments)
    said = [(found.kind, found.words)] if found.words else []
    texts = {name: str(value) for name, value in expected.items()}
    besides = {"expected": texts or None, "exit_code": found.code, "version": ap.__version__}
    return _Outcome(found.result, said, found.code, besides)


def _check_is_one_audit(options: Mapping[str, Any]) -> None:
    if len({"function", "read", "write"} & options.keys()) != 1:
        raise ValueError("Pass a function, --write or --read, and only one of them.")
    excess = {"weights"}
    if "write" in options:
        excess = {"metric", "zero_division", "tolerance", "output", "format"}
    if excess & options.keys():
        raise ValueError("Pass --weights only with --write, and only --random-state beside them.")
    if "zero_division" in options and "metric" not in options:
        raise ValueError("Pass --zero-division only beside --metric.")


def _import_function(name: str) -> Any:
    """Import a function or scorers, whose module may be in the current folder."""
    module, _, function = name.partition(":")
    if not function:
        raise ValueError(
            f"{name!r} isn't a function. Pass its module and name, as in package.module:function."
        )
    sys.path.insert(0, "")
    try:
        imported = import_module(module)
    except SystemExit as ended:
        raise ValueError(
            f"{module!r} ends the process while it is imported, by sys.exit({ended.code!r}). Put "
            'what a script does below if __name__ == "__main__":'
        ) from None
    return attrgetter(function)(imported)


# --- gates ----------------------------------------------------------------------------------------

_GATE_TOLERANCE = 1e-12  # of values, which pass a gate anyway
# Verdicts with which a model may be worse by the margin
_UNDECIDED_VERDICTS = "unclear", "no better"


def _report_with_gates(
    options: Mapping[str, Any],
    names: Sequence[str],
    find: Callable[[str, str], Sequence[Any]],
    evaluate: Callable[[Sequence[Any]], Any],
) -> _Outcome:
    """Report the metrics of these names, and those of the gates.

    `find` returns the metrics that a name stands for, as the value of a parameter, and `evaluate`
    the report of some metrics.
    """
    from .exceptions import NoPositivesError

    least = _read_gates(options.get("fail_under", []), find)
    metrics = [metric for name in names for metric in find(name, "metrics")]
    metrics = [*dict.fromkeys([*metrics, *least])]
    is_gate = "fail_if_worse" in options or "margin" in options
    if "gate" in options and not (is_gate or least):
        raise ValueError(
            "--gate says where --fail-under, --fail-if-worse and --margin judge. Pass one of them."
        )
    if is_gate and "baseline" not in options:
        raise ValueError(
            "--margin and --fail-if-worse need a model to compare the others with. Pass it as "
            "--baseline."
        )
    try:
        report = evaluate(metrics)
    except NoPositivesError as error:  # without which values are undefined, so they fail a gate
        if not least:
            raise
        words = _write_as_options(str(error), _list_defaults(_COMMANDS[options["command"]]))
        return _Outcome(said=[("failed", words)], code=1)
    if is_gate:
        _check_can_be_worse(report)
    # A metric can have another title in a report, but they have the same order.
    titles = dict(zip(dict.fromkeys(row.metric for row in report), metrics, strict=True))
    of_all_data = _get_single("gate", options.get("gate", ["segments"])) == "all-data"
    judged = [part for part in report.parts if part.segment is None or not of_all_data]
    said: list[tuple[str, str]] = []
    for row in chain.from_iterable(part.make_rows() for part in judged if part.is_judged):
        where = f" in {_name_segment(row, report.by)}" if row.segment is not None else ""
        name = f"{row.metric} of {row.model}{where}"
        is_baseline = "baseline" in options and row.model == report.baseline
        if not is_baseline or len({each.model for each in report}) == 1:
            said += _judge_value(name, row, least.get(titles[row.metric]))
        if is_gate and not is_baseline:
            said += _judge_difference(name, row, report.baseline)
    has_failed = any(kind == "failed" for kind, _ in said)
    said.sort(key=lambda pair: pair[0] != "failed")
    code = 1 if has_failed else 3 if said else 0
    if is_gate:
        lacking = [part for part in judged if part.segment is None and part.lacks_positives]
        said += [("not judged", f"{part.name} ({part.reason})") for part in lacking]
    if "fail_if_worse" in options and not said and _are_all_unclear(judged, report.baseline):
        words = f"whether a model is worse than {report.baseline}, as all differences are unclear"
        said.append(("not judged", words))
    if is_gate or least:
        said += _name_unjudged([part for part in judged if not part.is_judged], report)
    return _Outcome(report, said, code)


def _read_gates(
    texts: Sequence[str], find: Callable[[str, str], Sequence[Any]]
) -> dict[Any, float]:
    """Return metrics and their lowest values. `find` returns the metrics of a name."""
    lowest: dict[Any, float] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        least = _parse_cell(value)
        if not name or isinstance(least, str) or not isfinite(least):
            raise ValueError(f"--fail-under must be METRIC=VALUE, such as AP=0.4. Got {text!r}.")
        for metric in find(name, "fail_under"):
            if least > metric.rule.extent:
                raise ValueError(
                    f"--fail-under {text} always fails. For a percentage, write 0.4 for 40%."
                )
            if metric in lowest:
                raise ValueError("--fail-under was passed twice for one metric. Pass it once.")
            lowest[metric] = least
    return lowest


def _check_can_be_worse(report: Any) -> None:
    if len({row.model for row in report}) == 1:
        raise ValueError("--baseline needs another model to compare with it.")
    overall = [part for part in report.parts if part.segment is None and not part.lacks_positives]
    reasons = [part.reason for part in overall if part.reason]
    if reasons:
        raise ValueError(f"--margin and --fail-if-worse need intervals. {reasons[0]}")


def _are_all_unclear(parts: Sequence[Any], baseline: str) -> bool:
    """Whether no difference from the baseline was judged."""
    rows = chain.from_iterable(part.make_rows() for part in parts if part.is_judged)
    return all(row.verdict == "unclear" for row in rows if row.model != baseline)


def _name_segment(row: Any, columns: Sequence[str]) -> str:
    """Name the segment of a row, with its column if there are several."""
    from ._words.parameters import format_name

    column = f"{row.segment_column}: " if len(columns) > 1 else ""
    return f"{column}{format_name(row.segment)}"


def _name_unjudged(parts: Sequence[Any], report: Any) -> Iterator[tuple[str, str]]:
    """Say which segments no gate counts, each once for all metrics by which it has as few
    positives.
    """
    from ._words.messages import format_count  # which needs NumPy

    metrics_of: dict[str, list[str]] = {}
    for part in parts:
        row = min(part.make_rows(), key=attrgetter("n_positives"))
        count = format_count(row.n_positives, "positives")
        words = f"{_name_segment(row, report.by)} ({count})"
        metrics_of.setdefault(words, []).append(row.metric)
    n_metrics = len({part.name for part in report.parts})
    for words, metrics in metrics_of.items():
        by = f" by {', '.join(metrics)}" if len(metrics) < n_metrics else ""
        yield "not judged", f"{words}{by}"


def _judge_value(name: str, row: Any, least: float | None) -> Iterator[tuple[str, str]]:
    if least is not None and not row.value >= least - _GATE_TOLERANCE:
        yield "failed", f"{name} is {row.value:.6g}, below {least:.15g}"


def _judge_difference(name: str, row: Any, baseline: str) -> Iterator[tuple[str, str]]:
    from ._show.results import format_ends  # which needs NumPy

    if row.verdict == "worse":
        than = f"{name} is worse than that of {baseline}"
        limits = format_ends(row.difference_low, row.difference_high)
        yield "failed", f"{than}: {row.difference:.3f} ({limits})"
    elif row.margin is not None and row.verdict in _UNDECIDED_VERDICTS:
        limits = format_ends(row.margin_low, row.margin_high)
        yield row.verdict, f"{name} against {baseline}: {limits or 'no interval'}"


# --- output ---------------------------------------------------------------------------------------


def _write_as_options(words: str, parameters: Collection[str]) -> str:
    """Write parameters in a sentence as options: y_score as --y-score, and k=5 as --k 5.

    What stands in quotes is of the data, and a name such as "groups" may be a word.
    """
    for name in parameters:
        option = _format_option(name)
        is_word = len(name) > 1 and "_" not in name
        after = r"(?==| is the column| are the columns)" if is_word else r"(?![\w'\"])"
        words = re.sub(rf"The '{name}' parameter of \w+|^{name}(?= )", option, words)
        words = re.sub(rf"(?<![\w'\"@-]){name}{after}", option, words)
        words = re.sub(rf"{option}=(?=[\w'\"\[{{(-])", f"{option} ", words)
        words = words.replace(f"{option}=", option)
    return words


def _say(kind: str, words: str, options: Mapping[str, Any] | None = None) -> None:
    """Write a line to stderr. `kind` is "warning", "error", "failed" or a verdict. What functions
    say names their parameters, which are options here.
    """
    from ._show.results import escape_hidden  # which needs NumPy

    if options:
        words = _write_as_options(words, _list_defaults(_COMMANDS[options["command"]]))
    print(f"sklearn_ap: {kind}: {escape_hidden(' '.join(words.split()))}", file=sys.stderr)


def _check_can_be_written(options: Mapping[str, Any]) -> None:
    """Refuse what can't be written, before anything runs."""
    kind, files = options.get("format"), _find_input_files(options)
    for name in {"output", "write"} & options.keys():
        path = Path(_get_single(name, options[name]))
        if name == "output" and not kind and path.suffix.lower() not in _ENDINGS:
            raise ValueError(
                f"--output writes .json, .md or .txt, but not {path.suffix}. Got {str(path)!r}. "
                "Change the ending, or pass --format, too."
            )
        if not path.parent.is_dir():
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path))
        if path.exists() and any(Path(f).exists() and path.samefile(f) for f in files):
            raise ValueError(f"{str(path)!r} is read, so it can't be written. Choose another name.")


def _find_input_files(options: Mapping[str, Any]) -> list[str]:
    """Return the files that a command reads."""
    files: list[str] = []
    for name in {*_COMMANDS[options["command"]].files, "by", "image_set", "read"} & options.keys():
        passed = options[name]
        files += [passed] if isinstance(passed, str) else passed
    return files


def _write(text: str, path: str | None) -> None:
    """Write the result. What the encoding of stdout doesn't contain is escaped."""
    if path is not None:
        try:
            _write_file(text.encode(errors="backslashreplace"), Path(path))
        except OSError as error:
            error.filename = path
            raise
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again
        if not isinstance(error, BrokenPipeError):  # as of `| head`
            raise


def _write_file(content: bytes, path: Path) -> None:
    """Write a file beside the one that is there, and put it in its place once it is complete."""
    target = _find_file(path)
    if target is None:
        path.write_bytes(content)
        return
    if target.exists() and not os.access(target, os.W_OK):  # although its folder can be changed
        raise PermissionError(EACCES, os.strerror(EACCES))
    beside = target.parent / f".{uuid4().hex}.tmp"
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            copymode(target, beside)
        replace_file(beside, target)
    except BaseException:  # also an interrupt
        beside.unlink(missing_ok=True)
        raise


def _find_file(path: Path) -> Path | None:
    """Return the file to which links lead, or None for a pipe or a device, which can't be replaced,
    and for an open file, such as that of /dev/stdout.
    """
    path = path.absolute()
    if path.exists() and not path.is_file():
        return None
    while path.is_symlink():
        if path.parts[1] in ("dev", "proc"):
            return None
        path = path.parent / path.readlink()
    return path


_RUN = {
    "report": _run_report,
    "trec": _run_with_reader,
    "coco": _run_coco,
    "voc": _run_with_reader,
    "threshold": _run_threshold,
    "check": _run_check,
    "audit": _run_audit,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 1 if a gate failed, a target is broken, or a
    function isn't what is expected of it, 2 if the input is bad, and 3 if the data don't tell
    whether a model is worse by the margin, or whether a target is kept, or if an audit takes too
    long, or nothing is expected of a function.
    """
    options: dict[str, Any] = {}
    try:
        options = _parse(sys.argv[1:] if arguments is None else arguments)
        return _run(options)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        _say("error", _format_error(error, options.get("output", ["stdout"])[0]), options)
        return 2


# Warnings and stdout belong to the process, so threads take turns, and each restores what it found.
_lock = RLock()


def _run(options: Mapping[str, Any]) -> int:
    """Run a command, write what it has found, and return the exit code."""
    from ._show.results import ORIGIN  # which needs NumPy
    from ._words.messages import set_variable

    _check_can_be_written(options)
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda words, *_: _say("warning", str(words), options)
        # Within another call of ours, as here, errors keep what they know besides their text. What
        # is called may print; results are written below.
        with set_variable(ORIGIN, ORIGIN.get()), redirect_stdout(sys.stderr):
            outcome = _RUN[options["command"]](options)
    if outcome.result is not None:
        output = _get_single("output", options["output"]) if "output" in options else None
        by_ending = _ENDINGS.get(Path(output or "").suffix.lower())
        write = _FORMATS[_get_single("format", options.get("format", [by_ending]))]
        _write(write(outcome.result, dict(outcome.besides)).rstrip("\n") + "\n", output)
    for kind, words in outcome.said:
        _say(kind, words)
        if kind == "failed" and options["command"] == "audit" and os.environ.get("GITHUB_ACTIONS"):
            _annotate(words)
    return outcome.code


def _annotate(words: str) -> None:
    """Write an error as GitHub's workflows show it beside the code."""
    escaped = words.replace("%", "%25").replace("\n", " ")
    print(f"::error::{escaped}", file=sys.stderr)


_ADVICE_ON_CLASSES = (
    "y_true contains more than two labels. Add a column that is 1 for the positive class and 0 for "
    "all others, and pass it as y_true. If they are grades, pass min_grade, the lowest one that "
    "counts as positive."
)


def _format_error(error: Exception, output: str) -> str:
    """Return what an error says, with the file for those of the system, or what to do here in place
    of a call for each class.
    """
    if isinstance(error, ValueError) and Refusal.of(error).remedy == ONE_CLASS_REMEDY:
        return _ADVICE_ON_CLASSES
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename or output!r}"
    is_ours = isinstance(error, ValueError | TypeError | OSError | ImportError)
    return str(error) if is_ours else f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.exit(main())
