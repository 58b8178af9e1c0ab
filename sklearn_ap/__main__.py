"""The command line: `python -m sklearn_ap report scores.parquet --label fraud --score model`."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import warnings
from argparse import Action, ArgumentError, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from errno import EISDIR, ENOENT
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, NoReturn

import sklearn_ap as ap

from ._package.registry import load
from ._package.toml import read_toml

_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2, allow_nan=False),
    "markdown": lambda result: result.to_markdown(),
    "html": lambda result: result.to_html(),
    "latex": lambda result: "\n% ".join([result.to_latex().rstrip(), *result._printed().notes]),
}

# --- options --------------------------------------------------------------------------------------


# Errors say the names of the next four functions.
def number(text: str) -> float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


def fraction(text: str) -> float:
    return float(f"{text[:-1]}e-2" if text.endswith("%") else text)


def cutoff(text: str) -> float:
    return fraction(text) if text.endswith("%") else number(text)


def seed(text: str) -> int:
    if not 0 <= int(text) < 2**32:
        raise ValueError
    return int(text)


def _count(text: str) -> float | str:
    return number(text) if re.fullmatch(r"[-+.\d]+(e[-+]?\d+)?", text) else text


def _gate(text: str) -> tuple[str, float]:
    name, _, least = text.rpartition("=")
    if not name or not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)%?", least):
        raise ArgumentTypeError(f"must be METRIC=VALUE, such as AP=0.4. Got {text!r}.")
    return name, fraction(least)


def _margin(text: str) -> tuple[str, float]:
    name, _, size = text.rpartition("=")
    if not re.fullmatch(r"(\d+\.?\d*|\.\d+)%?", size) or not fraction(size):
        raise ArgumentTypeError(f"must be above 0, such as 0.01 or AP=0.01. Got {text!r}.")
    return name, fraction(size)


_TYPES: dict[str, Callable[[str], Any]] = {
    **{"number": number, "fraction": fraction, "cutoff": cutoff, "seed": seed, "count": _count},
    **{"gate": _gate, "margin": _margin, "float": float, "int": int},
}


def _arguments(command: str) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Yield the names of each argument of a command, and how it is parsed."""
    for argument in read_toml("readers/commands.toml")["arguments"]:
        parsing = dict(argument)
        names, users = parsing.pop("name").split(), parsing.pop("commands").split()
        if "type" in parsing:
            parsing["type"] = _TYPES[parsing["type"]]
        if command in users:
            yield names, parsing


_OF_TREC = ("qrels", "min_grade", "unjudged", "unjudged_queries", "precision")
_ROUNDING = 1e-12  # of values, which pass a gate anyway
_OUTSIDE = {"command", "data", "format", "output", "fail_under", "fail_if_worse_than", "point"}
_OUTSIDE |= {"margins", "units", "only_answered", "file_per_model", "tables"}
_OUTSIDE |= {"model", "lower_is_better", "truth", "function", "read", "write", "weights", "metric"}
_OUTSIDE |= {"differs"}
_ENDINGS_OF = {".json": "json", ".md": "markdown", ".html": "html", ".tex": "latex"}
_ENDINGS_OF |= {".txt": "text", "": "text"}
_READ_FILES = "data", "point", "qrels", "runs", "by", "read", "truth"
_BELOW = r"below all others(, such as -1e38)?\.( If a lower score [^.]*\.)?"
_UNDECIDED = "unclear", "no better"  # verdicts with which a model may be worse by the margin


class _Once(Action):
    """Store the value of an option, or the constant of a flag, and refuse a second one."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            raise ArgumentError(self, "was passed twice. Pass it once.")
        setattr(namespace, self.dest, values if self.const is None else self.const)


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        hint = "; report --baseline compares models" if "choice: 'compare'" in message else ""
        self.exit(2, f"sklearn_ap: error: {message}{hint} (--help lists the options)\n")


def _parser() -> _Parser:
    parser = _Parser(
        "python -m sklearn_ap",
        description="Evaluate and compare rankings, choose and check thresholds, and find out "
        "which definition produced a value.",
    )
    parser.add_argument("--version", action="version", version=ap.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command, words in read_toml("readers/commands.toml")["commands"].items():
        added = commands.add_parser(command, help=words, description=words, allow_abbrev=False)
        for names, parsing in _arguments(command):
            added.add_argument(*names, **{"action": _Once} | parsing)
    return parser


# --- commands -------------------------------------------------------------------------------------

_ENDINGS = (
    r"(?<=.)(\.(run|trec|res|results|out|txt|tsv|csv|jsonl|ndjson|parquet))?(\.(gz|bz2|xz))?$"
)


def _models_in(options: Namespace, paths: list[str]) -> dict[str, str]:
    """Return the files of models by their names, without endings or folders where these aren't
    needed. Options that name a model by its path get its name instead.
    """
    files = [Path(path).name for path in paths]
    for names in ([re.sub(_ENDINGS, "", file) for file in files], files, paths):
        if len(set(names)) == len(paths):
            break
    else:  # a path was passed twice
        raise ValueError("Two files have the same name. Pass each file once.")
    name_of = dict(zip(paths, names, strict=True))
    for option in ("baseline", "fail_if_worse_than"):
        model = getattr(options, option)
        setattr(options, option, name_of.get(model, model))
    return {name: path for path, name in name_of.items()}


def _check_written(options: Namespace) -> None:
    """Refuse what can't be written to --output and --units, before anything runs."""
    ending = _ending_of(options.output)
    if not options.format and ending not in _ENDINGS_OF:
        raise ValueError(
            f"--output writes .json, .md, .html, .tex or .txt, but not {ending}. Got "
            f"{options.output!r}. Change the ending, or pass --format, too."
        )
    if _ending_of(options.units) not in ("", ".csv"):
        raise ValueError(f"--units writes CSV, so end its file in .csv. Got {options.units!r}.")
    files: list[Path] = []  # that are read
    for role in _READ_FILES:
        paths = getattr(options, role, None) or []
        files += map(Path, [paths] if isinstance(paths, str) else paths)
    for path in (options.output, options.units, options.write):
        if path is None:
            continue
        if not path or not Path(path).parent.is_dir():
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), path)
        if Path(path).is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
        if Path(path).exists() and any(f.exists() and f.samefile(path) for f in files):
            raise ValueError(f"{path!r} is read, so it can't be written. Choose another name.")
    if options.units and options.units == options.output:
        raise ValueError("--output and --units are the same file. Pass two names.")


def _ending_of(path: str | None) -> str:
    return Path(path or "").suffix.lower()


def _result(options: Namespace) -> Any:
    """Call the function of a command with the options that were given, which are stored under the
    names of its parameters.
    """
    keywords = {
        name: value
        for name, value in vars(options).items()
        if value is not None and name not in _OUTSIDE
    }
    if options.command == "audit":
        return _audit_of(options, keywords)
    if options.command == "trec":
        _put_runs(options, keywords)
        return _run_report(options, keywords)
    for role in ("groups", "clusters", "by", "on"):  # one column needs no list
        if len(keywords.get(role, ())) == 1:
            (keywords[role],) = keywords[role]
    if keywords.get("on") == "none":  # different rows
        keywords["on"] = False
    if options.command == "check":
        point = _read_point(options.point, options.y_score)
        _check_are_negated(point.source.scores or "", options)
        keywords |= _label_and_score_columns(point, keywords)
    remembered = point.source.columns if options.command == "check" else {}
    keywords |= _tables_of_models(options, {**remembered, **keywords})
    if options.command == "report":
        return _run_report(options, keywords)
    if options.command == "check":
        return point.check(**keywords)
    if options.command == "threshold":
        if len(keywords["y_score"]) == 1:
            (keywords["y_score"],) = keywords["y_score"]
        return ap.operating_point(**keywords)
    return getattr(ap.compat, options.command)(**keywords)


def _audit_of(options: Namespace, keywords: dict[str, Any]) -> Any:
    """Audit a function, or the values of a program; None after writing rankings for that."""
    if [options.function, options.read, options.write].count(None) != 2:
        raise ValueError("Pass a function, --write or --read, and only one of them.")
    excess = [options.weights]
    if options.write is not None:
        excess = [options.metric, options.tolerance, options.output, options.format]
    if any(option is not None for option in excess):
        raise ValueError("Pass --weights only with --write, and only --random-state beside them.")
    if options.write is not None:
        found = ap.compat.rankings(weights=bool(options.weights), **keywords)
        _write("".join(f"{each.line}\n" for each in found), options.write)
        return None
    if options.read is None:
        function = _imported(options.function)
    else:
        text = Path(options.read).read_text(encoding="utf-8-sig")
        function = load("compat.replayed").read_returned(text)
    if options.metric is not None:
        try:
            ap.compat.check_metric(function, options.metric, **keywords)
        except AssertionError as error:
            title, ranking, *_ = str(error).split("\n\n")
            options.differs = f"{title} {ranking.splitlines()[-1]}"
    return ap.compat.audit(function, **keywords)


def _put_runs(options: Namespace, keywords: dict[str, Any]) -> None:
    """Put the tables of runs and the classes of queries into the keywords of a report, instead of
    the options of the reader.
    """
    reading = {name: keywords.pop(name) for name in _OF_TREC if name in keywords}
    runs = _models_in(options, keywords.pop("runs"))
    if options.by:
        files = load("readers.files")
        classes = files.read_mapping(options.by, ["query"], "class", "by", [str.strip])
        # A query without a class belongs to no segment.
        keywords["by"] = {query: (name or "").strip() or None for query, name in classes.items()}
    keywords["data"] = ap.readers.read_trec(runs=runs, **reading)
    if options.only_answered:
        keywords["data"] = ap.readers.answered(keywords["data"])


def _tables_of_models(options: Namespace, keywords: dict[str, Any]) -> dict[str, Any]:
    """Read the files, and what has to be compared with their columns. Return the keywords that this
    replaces. `options.tables` gets the tables by model, or that of all models by "", for errors.
    """
    files = load("readers.files")
    is_single, scores = isinstance(keywords["y_score"], str), keywords["y_score"]
    scores = [scores] if is_single else scores
    if options.lower_is_better:  # negated scores are called -score, also in saved thresholds
        scores = [name.removeprefix("-") for name in scores]
    by_file, by_model = (getattr(options, name, None) for name in ("file_per_model", "model"))
    roles = keywords | {"n_positives": None, "y_score": scores}  # which isn't the name of a column
    roles |= {"ids": keywords.get("ids", by_model), "on": keywords.get("on") or None}
    truth = getattr(options, "truth", None)
    if (truth and not roles["on"]) or ("on" in keywords and not (by_file or by_model)):
        raise ValueError(
            "--truth needs --on, the column of ids by which it lends its columns, and --on needs "
            "several tables: pass --file-per-model or --model."
        )
    if (by_file or by_model) and len(scores) > 1 - bool(by_file and by_model):
        option = "--model" if by_model else "--file-per-model"
        raise ValueError(
            f"{option} needs one --score, a column of all models, and no other way to name models."
        )
    if by_file:
        paths = _models_in(options, options.data)
        tables = {model: files.read_table([path], roles) for model, path in paths.items()}
    else:
        tables = {"": files.read_table(options.data, roles)}
    if options.lower_is_better or by_model:
        tables = {model: files.in_memory(table, roles) for model, table in tables.items()}
    if options.lower_is_better:
        tables = {model: files.with_negated(table, scores) for model, table in tables.items()}
        scores = [f"-{name}" for name in scores]
        if options.command in ("threshold", "check"):
            _say("note", "Scores are negated: a threshold t flags scores of at most -t.", options)
    options.tables = {} if by_model else tables  # whose rows are numbered as in the file
    replaced: dict[str, Any] = {
        "y_score": scores[0] if is_single or by_file or by_model else scores
    }
    if by_model:
        tables = files.by_values(tables[""], by_model)
    if truth:
        tables[truth] = files.read_table([truth], roles)
        options.tables[truth] = tables[truth]
    if {False, True} == {isinstance(table, dict) for table in tables.values()}:
        tables = {model: files.with_ids(table, roles) for model, table in tables.items()}
    label = keywords["y_true"]
    having = [table for table in tables.values() if label in (files.names_of_table(table) or ())]
    first = [*having, *tables.values()][0]
    replaced["data"] = tables if by_file or by_model else first
    if "pos_label" in keywords:
        replaced["pos_label"] = files.label_in(first, keywords["y_true"], options.pos_label)
    if isinstance(options.n_positives, str):
        replaced["n_positives"] = _counts_from_file(options.n_positives, options.groups, first)
    elif by_model and options.groups and options.n_positives is None:
        positive = replaced.get("pos_label", 1), options.min_grade
        by_grade = any("ndcg" in name.lower() for name in options.metrics)
        counts = files.counts_if_some_lack(tables, options.groups, label, positive, by_grade)
        if counts and keywords.get("sample_weight"):
            raise ValueError(
                "Some models have no rows of some groups, whose positives count by their weight. "
                "Pass their weight in each group as --n-positives, or leave out --weight."
            )
        replaced |= {"n_positives": counts} if counts else {}
    return replaced


def _imported(name: str) -> Any:
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


def _counts_from_file(path: str, groups: list[str] | None, data: Any) -> Any:
    """Read how many positives exist in each group."""
    if not groups:
        raise ValueError(f"--n-positives {path} needs --group, the column that names groups.")
    files = load("readers.files")
    parsers = [files.parser_of(data, name) for name in groups]
    return files.read_mapping(path, groups, "positives", "n_positives", parsers)


def _read_point(path: str, score: str | None) -> Any:
    """Load a point, or that of the model whose prediction scores are in this column."""
    with open(path, encoding="utf-8") as file:
        try:
            values = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{path!r} isn't a saved threshold, which is JSON ({error}). Save one with "
                "sklearn-ap threshold ... --output point.json."
            ) from None
    if not isinstance(values, list):
        return ap.thresholds.OperatingPoint.from_dict(values)
    points = ap.thresholds.OperatingPointTable.from_dict(values)
    if len(points) == 1:
        return next(iter(points.values()))
    if score not in points:
        raise ValueError(
            f"{path!r} has thresholds of the models {', '.join(map(str, points))}. Pass one of "
            "them as --score."
        )
    return points[str(score)]


def _check_are_negated(chosen_on: str, options: Namespace) -> None:
    """Check that scores are negated if those were on which the threshold was chosen."""
    is_column = (options.y_score or "").startswith("-")
    if chosen_on.startswith("-") and not is_column and not options.lower_is_better:
        raise ValueError(
            f"The threshold was chosen on {chosen_on!r}, so on negated scores. Pass "
            "--lower-is-better, which negates those of the new data, too."
        )


def _label_and_score_columns(
    point: ap.thresholds.OperatingPoint, keywords: dict[str, Any]
) -> dict[str, Any]:
    """Return the columns of labels and scores: those that were passed, or those of the point, which
    are None if it was chosen from arrays.
    """
    columns = {"y_true": point.source.labels, "y_score": point.source.scores}
    for role, option in (("y_true", "--label"), ("y_score", "--score")):
        columns[role] = keywords.get(role, columns[role])
        if columns[role] is None:
            raise ValueError(
                f"The threshold was chosen from arrays, so it knows no columns. Pass {option}."
            )
    return columns


def _run_report(options: Namespace, keywords: dict[str, Any]) -> Any:
    """Evaluate the metrics that were given, and those of the gates.

    `options.baseline`, `gate` (the model that others must not be worse than, or None) and
    `fail_under` (pairs of a metric and the least value) are then what `_gates` needs.
    """
    worse_than, models = options.fail_if_worse_than, keywords.get("y_score")
    if not isinstance(models, list):  # each model has a table of its own
        models = keywords["data"]
    if worse_than and options.baseline not in (None, worse_than):
        raise ValueError("--baseline and --fail-if-worse-than are different models.")
    if [*models] == [worse_than]:
        raise ValueError(f"--fail-if-worse-than {worse_than} needs another model to compare.")
    options.baseline = keywords["baseline"] = options.baseline or worse_than
    options.gate = worse_than
    if options.margins and not worse_than:  # a margin makes the baseline a gate
        options.gate = options.baseline
    if options.margins and not options.gate:
        raise ValueError(
            "--margin needs a model to compare the others with. Pass it as --baseline or as "
            "--fail-if-worse-than."
        )
    metric = partial(_metric_with, keywords.pop("k_counts", None))
    # A margin without a metric is that of all metrics.
    margins = [(metric(name) if name else None, size) for name, size in options.margins]
    for name, least in options.fail_under:
        if least > metric(name).rule.extent:
            gate = f"{name}={least:g}"
            raise ValueError(f"--fail-under {gate} always fails. For a percentage, write {gate}%.")
    options.fail_under = [(metric(name), least) for name, least in options.fail_under]
    metrics = [*map(metric, options.metrics), *(gate for gate, _ in options.fail_under)]
    metrics = [*dict.fromkeys(metrics)] or [metric("AP")]
    for option, passed in (("--margin", margins), ("--fail-under", options.fail_under)):
        if len(dict(passed)) < len(passed):
            raise ValueError(f"{option} was passed twice for one metric. Pass it once.")
    if margins:
        size_of = dict(margins)
        of_all = size_of.pop(None, None)
        keywords["margin"] = {} if of_all is None else dict.fromkeys(metrics, of_all)
        keywords["margin"] |= size_of
    if options.units and (len(models) != 2 or len(metrics) != 1 or options.by):
        raise ValueError(
            "--units needs two models, one metric, and no --by, because it writes one table."
        )
    report = ap.report(**keywords | {"metrics": metrics})
    need = {"--fail-if-worse-than": worse_than, "--margin": options.gate, "--units": options.units}
    _check_intervals(report, [option for option, is_passed in need.items() if is_passed])
    return report


def _check_intervals(report: Any, options: Sequence[str]) -> None:
    """Refuse these options if all data have no intervals by some metric."""
    for option in options:
        for part in report.parts:
            if part.reason and part.segment is None:
                raise ValueError(f"{option} needs intervals. {part.reason}")


def _metric_with(k_counts: str | None, name: str) -> Any:
    """Return the metric with this name, whose k counts what `k_counts` says, if it has a k."""
    options: dict[str, Any] = {"k_counts": k_counts} if k_counts else {}
    try:
        return ap.metric(name, **options)
    except TypeError:  # it has no k
        return ap.metric(name)


def _gates(options: Namespace, report: Any) -> Iterator[tuple[str, str]]:
    """Say which gates failed, and which verdicts leave open whether a model is worse by the margin:
    pairs of "failed" or the verdict, and a sentence. `_run_report` has prepared the options.

    They concern a baseline only if it is alone.
    """
    from ._show.results import ends  # which needs NumPy

    are_several = len({row.model for row in report.rows}) > 1
    for row in report.rows:
        name = f"{row.metric} of {row.model}{_where(row)}"
        limits = ends(row.difference_low, row.difference_high)
        is_empty = row.segment is not None and not row.n_positives
        is_baseline = are_several and row.model == options.baseline
        for metric, least in () if is_baseline or is_empty else options.fail_under:
            is_enough = row.value >= least - _ROUNDING  # which nan isn't
            named = row.metric in (metric.name, f"{metric.name} (min_grade={options.min_grade})")
            if named and not is_enough:
                yield "failed", f"{name} is {row.value:.6g}, below {least:.15g}"
        if options.gate and row.verdict == "worse":
            than = f"{name} is worse than that of {options.baseline}"
            yield "failed", f"{than}: {row.difference:.3f} ({limits})"
        elif options.gate and row.margin is not None and row.verdict in _UNDECIDED:
            yield row.verdict, f"{name} against {options.baseline}: {limits}"


def _where(row: Any) -> str:
    """Name the segment of a row."""
    from ._words.parameters import text_of  # with NumPy, which takes long to import

    return "" if row.segment is None else f" in {text_of(row.segment)}"


def _units_as_csv(report: Any) -> str:
    """Return where two models differ, as CSV."""
    (pair,) = [pair for part in report.parts for pair in part.pairs.values()]
    rows = pair.units()._rows()
    text = io.StringIO()
    table = csv.DictWriter(text, rows[0], lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def _say(kind: str, words: str, options: Namespace) -> None:
    """Write a line to stderr, in which parameters are called like the options of a command, and
    rows are lines of files. `kind` is "warning", "error", "failed" or a verdict.
    """
    from ._show.results import visible  # which needs NumPy

    line, command = visible(" ".join(words.split())), options.command
    for model, table in options.tables.items():
        is_of_this = model == "" or re.search(rf"in the table of (the model )?{model!r}", line)
        if is_of_this and (place_of := getattr(table, "place_of", None)):
            line = re.sub(r"row (\d+) \(counted from 0\)", lambda row: place_of(int(row[1])), line)
    for (option, *_), parsing in _arguments(command):
        parameter = parsing.get("dest", option.lstrip("-").replace("-", "_"))
        if option[0] != "-" or parameter == "metrics":
            continue
        line = re.sub(rf"The '{parameter}' parameter of \w+", option, line)
        if parameter != "k":
            line = re.sub(rf"\b{parameter}(?= contains| is the col| are the col)", option, line)
            line = re.sub(rf"\b{parameter}=", f"{option} ", line)
            line = re.sub(rf"\b{parameter}\b", option, line) if "_" in parameter else line
    if getattr(options, "lower_is_better", None):
        line = re.sub(_BELOW, "above all others, such as 1e38.", line)
    for each in read_toml("readers/commands.toml")["elsewhere"]:
        line = re.sub(each["pattern"], each["instead"], line)
    print(f"sklearn_ap: {kind}: {line}", file=sys.stderr)


def _write(text: str, path: str | None) -> None:
    """Write the result. What the encoding of stdout doesn't contain is escaped."""
    if path is not None:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again
        if not isinstance(error, BrokenPipeError):  # as of `| head`
            raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 1 if a gate failed, a target is broken, or a
    function isn't always one definition, 2 if the input is bad, and 3 if the data don't tell
    whether a model is worse by the margin, or whether a target is kept, or if an audit takes too
    long.
    """
    options, code = Namespace(command="", tables={}, output=None, units=None), 0
    options.write, options.differs = None, ""
    try:
        options = _parser().parse_args(arguments, options)
        _check_written(options)
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = lambda words, *_: _say("warning", str(words), options)
            result = _result(options)
        if result is None:
            return code
        text = _FORMATS[options.format or _ENDINGS_OF[_ending_of(options.output)]](result)
        _write(text.rstrip("\n") + "\n", options.output)
        code = _exit_code(options, result)
        if options.units:
            _write(_units_as_csv(result), options.units)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        is_ours = isinstance(error, ValueError | TypeError | OSError | ImportError)
        words = str(error) if is_ours else f"{type(error).__name__}: {error}"
        if isinstance(error, OSError) and error.strerror:
            file = options.output or "stdout" if error.filename is None else error.filename
            words = f"{error.strerror}: {file!r}"
        _say("error", words, options)
        return code or 2
    return code


def _exit_code(options: Namespace, result: Any) -> int:
    """Say what failed or is unclear, and return the exit code of a result."""
    if options.command == "audit":
        if options.differs:
            _say("failed", options.differs, options)
            return 1
        is_right = options.metric is not None and result.agrees is not None
        return {True: 0, False: 1, None: 3}[is_right or result.agrees]
    if options.command == "check":
        return {True: 0, False: 1, None: 3}[result.is_kept]
    gates = [*_gates(options, result)] if "fail_under" in options else []
    for kind, words in sorted(gates, key=lambda gate: gate[0] != "failed"):
        _say(kind, words, options)
    if any(kind == "failed" for kind, _ in gates):
        return 1
    return 3 if gates else 0


if __name__ == "__main__":
    sys.exit(main())
