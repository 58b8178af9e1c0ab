"""The command line: `python -m sklearn_ap report scores.parquet --label fraud --score model`."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from argparse import Action, ArgumentError, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from errno import EISDIR, ENOENT
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import sklearn_ap as ap

from ._package.registry import load
from ._spelling import Spelling, in_force

_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2, allow_nan=False),
    "markdown": lambda result: result.to_markdown(),
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
        self.exit(2, f"sklearn_ap: error: {message} (--help lists the options)\n")


# Options that only some commands have, which are no parameters of their functions
_NO_PARAMETERS = {"command", "option_of", "data", "format", "output", "fail_under", "point"}
_NO_PARAMETERS |= {"fail_if_worse_than", "margins", "only_answered"}
_NO_PARAMETERS |= {"lower_is_better", "function", "read", "write", "weights"}
_NO_PARAMETERS |= {"metric"}
_OF_SOME_COMMANDS = _NO_PARAMETERS | {"by", "pos_label"}

_WHAT_IT_DOES = {
    "report": "Evaluate and compare models, with confidence intervals.",
    "identify": "Find the definition that produced a reported value.",
    "explain": "Show the values of all definitions, and why they differ.",
    "audit": "Find out which average precision a function or a scorer computes; 1 if it differs.",
    "threshold": "Choose a threshold for a target or a budget, or measure one.",
    "check": "Check on new data whether a saved threshold keeps its targets.",
    "trec": "Evaluate and compare the runs of search engines.",
}
_OF_ROWS = "report identify explain threshold check"  # commands that read tables of predictions
_REPORTS = "report trec"
_SEVERAL: dict[str, Any] = {"action": "append"}
_AT_LEAST_NONE: dict[str, Any] = {"action": "append", "default": []}
_FLAG: dict[str, Any] = {"nargs": 0, "const": True}


def _parser() -> _Parser:
    """Return the parser of all commands. Options are stored under the names of the parameters that
    they are passed as, and `option_of` maps these to options, for sentences that name them.
    """
    parser = _Parser(
        "python -m sklearn_ap",
        description="Evaluate and compare rankings, choose and check thresholds, and find out "
        "which definition produced a value.",
    )
    parser.add_argument("--version", action="version", version=ap.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parsers = {
        command: commands.add_parser(command, help=words, description=words, allow_abbrev=False)
        for command, words in _WHAT_IT_DOES.items()
    }
    options: dict[str, dict[str, str]] = {command: {} for command in parsers}

    def add(users: str, names: str, words: str, **parsing: Any) -> None:
        for command in users.split():
            arguments: dict[str, Any] = {"action": _Once, "help": words} | parsing
            action = parsers[command].add_argument(*names.split(), **arguments)
            if action.option_strings:
                options[command][action.dest] = action.option_strings[0]

    for add_some in (_add_files, _add_columns, _add_choices, _add_intervals, _add_own, _add_output):
        add_some(add)
    for command, added in parsers.items():
        added.set_defaults(option_of=options[command])
    return parser


def _add_files(add: Callable[..., None]) -> None:
    add("identify", "value", "the reported value, with all of its decimals")
    add("audit", "function", "or what scoring= takes, as in package.module:name", nargs="?")
    add("check", "point", "the threshold that --output point.json of threshold has saved")
    files = "CSV files, JSON lines or Parquet files, or - for standard input"
    add(_OF_ROWS, "data", files, nargs="+", metavar="file")
    add("trec", "qrels", "relevance judgments: TREC's format, JSON lines, or BEIR's TSV")
    add("trec", "runs", "the file of a run, in one of these formats", nargs="+", metavar="run")


def _add_columns(add: Callable[..., None]) -> None:
    column = partial(add, metavar="COLUMN")
    choosing = "report identify explain threshold"
    column(choosing, "--label", "the labels", dest="y_true", required=True)
    column("check", "--label", "the labels, if not as before", dest="y_true")
    column("check", "--score", "the scores, if not as before", dest="y_score")
    score = partial(column, names="--score", dest="y_score", required=True)
    score("identify explain", words="the prediction scores")
    score("report threshold", words="of a model; repeat it for others", **_AT_LEAST_NONE)
    negated = "negate the scores, as of distances and ranks"
    add(_OF_ROWS, "--lower-is-better", negated, **_FLAG)
    add(_OF_ROWS, "--positive", "the positive label", dest="pos_label", metavar="LABEL")
    column(_OF_ROWS, "--weight", "the sample weights", dest="sample_weight")
    add("trec", "--by", "a CSV file with the columns query and class", metavar="FILE")
    add(_REPORTS, "--zero-division", "0, 1 or nan, for groups without positives", type=float)
    several = partial(column, **_SEVERAL)
    separate = "what is ranked separately; repeat it for several"
    several(_OF_ROWS, "--group", separate, dest="groups")
    several("report threshold check", "--cluster", "what is drawn as a whole", dest="clusters")
    several("report check", "--by", "segments with rows of their own; repeat it for several")
    one_each = "intervals of one segment at a time"
    add("report check", "--no-joint", one_each, dest="joint", nargs=0, const=False)
    column("identify explain", "--ids", "the document ids, which break ties")


def _add_choices(add: Callable[..., None]) -> None:
    """Add what defines positives, and what is evaluated or reached."""
    exist = "how many exist, found or not; of groups, a CSV file with their columns and positives"
    add(_OF_ROWS, "--n-positives", exist, type=_count, metavar="NUMBER|FILE")
    add(f"{_OF_ROWS} trec", "--min-grade", "the lowest that is positive", type=number)
    add("identify explain threshold", "--k -k", "a count, or a fraction as 1%%", type=cutoff)
    k_counts = ["samples", "weight"]
    add("report identify explain threshold", "--k-counts", "if there are weights", choices=k_counts)
    add("threshold", "--min-recall", "the recall to reach", type=fraction)
    add("threshold", "--min-precision", "the precision to reach", type=fraction)
    add("threshold", "--quantile", "keep k in this fraction of the groups", type=fraction)
    add("threshold", "--threshold", "one that you have, to measure it", type=number)
    metrics = "such as AP or P@1%%; repeat it"
    add(_REPORTS, "--metric", metrics, dest="metrics", **_AT_LEAST_NONE)
    add(_REPORTS, "--baseline", "the model to compare the others with", metavar="MODEL")


def _add_intervals(add: Callable[..., None]) -> None:
    add("report threshold check trec", "--confidence-level", "such as 0.95", type=fraction)
    add(_REPORTS, "--method", "of the intervals, such as bootstrap")
    add(_REPORTS, "--n-resamples", "how many the bootstrap draws", type=int)
    add(_REPORTS, "--random-state", "a seed, to get the same report again", type=seed)


def _add_own(add: Callable[..., None]) -> None:
    """Add what only audit or trec has."""
    add("audit", "--write", "write rankings, for a program in any language", metavar="FILE.jsonl")
    add("audit", "--weights", "with --write: add rankings with weights", **_FLAG)
    add("audit", "--read", "the values that the program wrote for them", metavar="FILE")
    add("audit", "--metric", "exit with 1 if it isn't this one, such as AP@10")
    add("audit", "--random-state", "a seed, to try other rankings", type=seed)
    add("audit", "--tolerance", "how far equal values can be apart", type=number)
    add(_REPORTS, "--verbose", "show the progress", **_FLAG)
    add("trec", "--unjudged", "drop leaves out documents without a judgment")
    add("trec", "--unjudged-queries", "drop leaves out queries without judgments")
    add("trec", "--precision", "double reads scores as trec_eval 10 does")
    answered = "leave out queries for which a run has nothing, instead of counting 0"
    add("trec", "--only-answered", answered, **_FLAG)


def _add_output(add: Callable[..., None]) -> None:
    """Add gates, and where and how results are written."""
    below = "exit with 1 if a model is below; a baseline counts only if it is alone"
    gate = {"type": _gate, "metavar": "METRIC=VALUE", **_AT_LEAST_NONE}
    add(_REPORTS, "--fail-under", below, **gate)
    worse = "exit with 1 if a model's verdict is worse"
    add(_REPORTS, "--fail-if-worse-than", worse, metavar="MODEL")
    least = "the smallest difference that matters; then --baseline is a gate, too: 3 if unclear"
    margin = {"type": _margin, "metavar": "[METRIC=]VALUE", **_AT_LEAST_NONE}
    add(_REPORTS, "--margin", least, dest="margins", **margin)
    every = " ".join(_WHAT_IT_DOES)
    add(every, "--format", "text by default", choices=[*_FORMATS])
    file = "write the result to this file, as its ending says: .json, .md or .txt"
    add(every, "--output", file, metavar="FILE")


def _parse(arguments: Sequence[str]) -> Namespace:
    """Parse the arguments. Options that other commands have are None."""
    parser = _parser()
    if arguments[:1] == ["compare"]:
        parser.error("there is no command compare; report --baseline compares models")
    return parser.parse_args(arguments, Namespace(**dict.fromkeys(_OF_SOME_COMMANDS)))


# --- sentences ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _OfCommand(Spelling):
    """How sentences write parameters and rows while a command runs: as options, and as lines."""

    option_of: Mapping[str, str]  # by the parameter that is passed
    lower_is_better: bool
    tables: Mapping[str, Any] = field(default_factory=dict)  # by model, or that of all by ""
    from_files = True

    def can_pass(self, parameter: str) -> bool:
        return parameter in self.option_of

    def parameter(self, name: str) -> str:
        return self.option_of.get(name, name)

    def argument(self, name: str, value: object) -> str:
        if name not in self.option_of:
            return super().argument(name, value)
        return f"{self.option_of[name]} {value}" if value != "" else self.option_of[name]

    def parameter_of(self, name: str, function: str) -> str:
        return self.option_of.get(name) or super().parameter_of(name, function)

    def row(self, place: int, model: Any) -> str:
        place_of = getattr(self.tables.get(model, self.tables.get("")), "place_of", None)
        return place_of(place) if place_of else super().row(place, model)


def _spelling(options: Namespace) -> _OfCommand:
    judgments = {"y_true": "the judgments"} if options.command == "trec" else {}
    others = {"name": "the metric", "function": "the function"} | judgments
    return _OfCommand(options.option_of | others, bool(options.lower_is_better))


def _say(kind: str, words: str) -> None:
    """Write a line to stderr. `kind` is "warning", "error", "failed" or a verdict."""
    from ._show.results import visible  # which needs NumPy

    print(f"sklearn_ap: {kind}: {visible(' '.join(words.split()))}", file=sys.stderr)


# --- commands -------------------------------------------------------------------------------------

_ENDINGS = (
    r"(?<=.)(\.(run|trec|res|results|out|txt|tsv|csv|jsonl|ndjson|parquet))?(\.(gz|bz2|xz))?$"
)
_OF_TREC = ("qrels", "min_grade", "unjudged", "unjudged_queries", "precision")


class _Outcome(NamedTuple):
    """What a command has found: a result, lines to say about it, and the exit code."""

    result: Any = None
    said: Sequence[tuple[str, str]] = ()  # kinds and sentences
    code: int = 0


def _passed(options: Namespace) -> dict[str, Any]:
    """Return the options that are parameters of a function. A single column needs no list."""
    passed = {}
    for name, value in vars(options).items():
        if value is None or name in _NO_PARAMETERS:
            continue
        is_one_of_several = name in ("groups", "clusters", "by") and len(value) == 1
        passed[name] = value[0] if is_one_of_several else value
    return passed


def _run_report(options: Namespace) -> _Outcome:
    keywords = _passed(options)
    keywords |= _read_arguments(options, keywords)
    return _run_with_gates(options, keywords, [*keywords["y_score"]], {})


def _run_trec(options: Namespace) -> _Outcome:
    keywords = _passed(options)
    reading = {name: keywords.pop(name) for name in _OF_TREC if name in keywords}
    name_of = _names_of_files(keywords.pop("runs"))
    if options.by:
        files = load("readers.files")
        classes = files.read_mapping(options.by, ["query"], "class", "by", [str.strip])
        # A query without a class belongs to no segment.
        keywords["by"] = {query: (name or "").strip() or None for query, name in classes.items()}
    data = ap.readers.read_trec(runs={name: path for path, name in name_of.items()}, **reading)
    keywords["data"] = ap.readers.answered(data) if options.only_answered else data
    return _run_with_gates(options, keywords, [*data], name_of)


def _run_threshold(options: Namespace) -> _Outcome:
    keywords = _passed(options)
    keywords |= _read_arguments(options, keywords)
    _note_negated(options)
    if len(keywords["y_score"]) == 1:
        (keywords["y_score"],) = keywords["y_score"]
    return _Outcome(ap.operating_point(**keywords))


def _run_check(options: Namespace) -> _Outcome:
    point = _read_point(options.point, options.y_score)
    _check_are_negated(point.source.scores or "", options)
    keywords = _passed(options)
    keywords |= _label_and_score_columns(point, keywords)
    keywords |= _read_arguments(options, {**point.source.columns, **keywords})
    _note_negated(options)
    result = point.check(**keywords)
    return _Outcome(result, code=_code_of(result.is_kept))


def _run_of_compat(options: Namespace) -> _Outcome:
    """Identify or explain."""
    keywords = _passed(options)
    keywords |= _read_arguments(options, keywords)
    return _Outcome(getattr(ap.compat, options.command)(**keywords))


def _code_of(holds: bool | None) -> int:
    return {True: 0, False: 1, None: 3}[holds]


def _note_negated(options: Namespace) -> None:
    if options.lower_is_better:
        _say("note", "Scores are negated: a threshold t flags scores of at most -t.")


# --- audit ----------------------------------------------------------------------------------------


def _run_audit(options: Namespace) -> _Outcome:
    """Audit a function, or the values of a program. Nothing is found after writing rankings for
    that.
    """
    _check_is_one_audit(options)
    keywords = _passed(options)
    if options.write is not None:
        found = ap.compat.rankings(weights=bool(options.weights), **keywords)
        _write("".join(f"{each.line}\n" for each in found), options.write)
        return _Outcome()
    if options.read is None:
        function = _imported(options.function)
    else:
        text = Path(options.read).read_text(encoding="utf-8-sig")
        function = load("compat.replayed").read_returned(text)
    differs = []
    if options.metric is not None:
        try:
            ap.compat.check_metric(function, options.metric, **keywords)
        except AssertionError as error:
            differs = [("failed", error.args[0].in_one_line)]
    result = ap.compat.audit(function, **keywords)
    is_right = options.metric is not None and result.agrees is not None
    return _Outcome(result, differs, 1 if differs else _code_of(is_right or result.agrees))


def _check_is_one_audit(options: Namespace) -> None:
    if [options.function, options.read, options.write].count(None) != 2:
        raise ValueError("Pass a function, --write or --read, and only one of them.")
    excess = [options.weights]
    if options.write is not None:
        excess = [options.metric, options.tolerance, options.output, options.format]
    if any(option is not None for option in excess):
        raise ValueError("Pass --weights only with --write, and only --random-state beside them.")


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


# --- files ----------------------------------------------------------------------------------------


def _names_of_files(paths: list[str]) -> dict[str, str]:
    """Return the names of models by their files, without endings or folders where these aren't
    needed.
    """
    files = [Path(path).name for path in paths]
    for names in ([re.sub(_ENDINGS, "", file) for file in files], files, paths):
        if len(set(names)) == len(paths):
            return dict(zip(paths, names, strict=True))
    raise ValueError("Two files have the same name. Pass each file once.")


def _read_arguments(options: Namespace, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Read the files of a table. Return the arguments that depend on them. From then on, errors
    name the lines of these files.
    """
    files = load("readers.files")
    is_one = isinstance(keywords["y_score"], str)
    scores = [keywords["y_score"]] if is_one else keywords["y_score"]
    if options.lower_is_better:  # negated scores are called -score, also in saved thresholds
        scores = [name.removeprefix("-") for name in scores]
    # The number of positives isn't the name of a column.
    roles = {**keywords, "n_positives": None, "y_score": scores, "ids": keywords.get("ids")}
    negated = scores if options.lower_is_better else []
    table = files.read_with_negated(options.data, roles, negated)
    in_force.set(replace(_spelling(options), tables={"": table}))
    scores = [f"-{name}" for name in scores] if negated else scores
    read = {"data": table, "y_score": scores[0] if is_one else scores}
    if options.pos_label is not None:
        read["pos_label"] = files.label_in(table, keywords["y_true"], options.pos_label)
    if isinstance(options.n_positives, str):
        if not (groups := options.groups):
            raise ValueError(
                f"--n-positives {options.n_positives} needs --group, the column that names groups."
            )
        parsers = [files.parser_of(table, name) for name in groups]
        read["n_positives"] = files.read_mapping(
            options.n_positives, groups, "positives", "n_positives", parsers
        )
    return read


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


# --- reports and their gates ----------------------------------------------------------------------

_ROUNDING = 1e-12  # of values, which pass a gate anyway
_UNDECIDED = "unclear", "no better"  # verdicts with which a model may be worse by the margin


@dataclass(frozen=True)
class _Gates:
    """What the models of a report have to pass."""

    baseline: str | None
    reference: str | None  # the model than which others must not be worse
    least: Sequence[tuple[Any, float]]  # metrics and their lowest values
    margins: Mapping[Any, float]  # by metric; that of all others by None
    min_grade: float | None

    def margin_of(self, metrics: Sequence[Any]) -> dict[Any, float]:
        of_all = self.margins.get(None)
        sizes = {} if of_all is None else dict.fromkeys(metrics, of_all)
        return sizes | {metric: size for metric, size in self.margins.items() if metric is not None}

    def said_of(self, report: Any) -> list[tuple[str, str]]:
        """Say which gates failed, and then which verdicts leave open whether a model is worse by
        the margin: pairs of "failed" or the verdict, and a sentence.
        """
        said = [pair for row in report.rows for pair in self._said_of_row(row, report)]
        return sorted(said, key=lambda pair: pair[0] != "failed")

    def _said_of_row(self, row: Any, report: Any) -> Iterator[tuple[str, str]]:
        from ._show.results import ends  # which needs NumPy
        from ._words.parameters import text_of

        where = "" if row.segment is None else f" in {text_of(row.segment)}"
        name = f"{row.metric} of {row.model}{where}"
        limits = ends(row.difference_low, row.difference_high)
        if self._concern(row, report):
            for metric, least in self.least:
                is_enough = row.value >= least - _ROUNDING  # which nan isn't
                titles = metric.name, f"{metric.name} (min_grade={self.min_grade})"
                if row.metric in titles and not is_enough:
                    yield "failed", f"{name} is {row.value:.6g}, below {least:.15g}"
        if self.reference and row.verdict == "worse":
            than = f"{name} is worse than that of {self.baseline}"
            yield "failed", f"{than}: {row.difference:.3f} ({limits})"
        elif self.reference and row.margin is not None and row.verdict in _UNDECIDED:
            yield row.verdict, f"{name} against {self.baseline}: {limits}"

    def _concern(self, row: Any, report: Any) -> bool:
        """Whether a row needs the lowest values: with positives, and as a baseline only alone."""
        is_empty = row.segment is not None and not row.n_positives
        are_several = len({each.model for each in report.rows}) > 1
        return not is_empty and not (are_several and row.model == self.baseline)


def _run_with_gates(
    options: Namespace,
    keywords: dict[str, Any],
    models: Sequence[Any],
    name_of: Mapping[str, str],
) -> _Outcome:
    """Report the metrics that were given, and those of the gates."""
    keywords = dict(keywords)
    metric = partial(_metric_with, keywords.pop("k_counts", None))
    gates = _gates_of(options, metric, models, name_of)
    metrics = [*map(metric, options.metrics), *(gate for gate, _ in gates.least)]
    metrics = [*dict.fromkeys(metrics)] or [metric("AP")]
    if gates.margins:
        keywords["margin"] = gates.margin_of(metrics)
    report = ap.report(**keywords | {"metrics": metrics, "baseline": gates.baseline})
    _check_has_intervals(report, options, gates)
    said = gates.said_of(report)
    code = 3 if said else 0
    return _Outcome(report, said, 1 if any(kind == "failed" for kind, _ in said) else code)


def _gates_of(
    options: Namespace,
    metric: Callable[[str], Any],
    models: Sequence[Any],
    name_of: Mapping[str, str],
) -> _Gates:
    """Return the gates of a report, whose models may be named by their files."""
    worse_than = name_of.get(options.fail_if_worse_than, options.fail_if_worse_than)
    baseline = name_of.get(options.baseline, options.baseline)
    if worse_than and baseline not in (None, worse_than):
        raise ValueError("--baseline and --fail-if-worse-than are different models.")
    if [*models] == [worse_than]:
        raise ValueError(f"--fail-if-worse-than {worse_than} needs another model to compare.")
    baseline = baseline or worse_than
    # A margin makes the baseline a gate.
    reference = worse_than or (baseline if options.margins else None)
    if options.margins and not reference:
        raise ValueError(
            "--margin needs a model to compare the others with. Pass it as --baseline or as "
            "--fail-if-worse-than."
        )
    # A margin without a metric is that of all metrics.
    margins = [(metric(name) if name else None, size) for name, size in options.margins]
    least = [(metric(name), value) for name, value in options.fail_under]
    for (name, value), (gate, _) in zip(options.fail_under, least, strict=True):
        if value > gate.rule.extent:
            given = f"{name}={value:g}"
            raise ValueError(
                f"--fail-under {given} always fails. For a percentage, write {given}%."
            )
    for option, passed in (("--margin", margins), ("--fail-under", least)):
        if len(dict(passed)) < len(passed):
            raise ValueError(f"{option} was passed twice for one metric. Pass it once.")
    return _Gates(baseline, reference, least, dict(margins), options.min_grade)


def _check_has_intervals(report: Any, options: Namespace, gates: _Gates) -> None:
    """Refuse options that compare models if all data have no intervals by some metric."""
    need = {"--fail-if-worse-than": options.fail_if_worse_than, "--margin": gates.reference}
    reasons = [part.reason for part in report.parts if part.reason and part.segment is None]
    for option, is_passed in need.items():
        if is_passed and reasons:
            raise ValueError(f"{option} needs intervals. {reasons[0]}")


def _metric_with(k_counts: str | None, name: str) -> Any:
    """Return the metric with this name, whose k counts what `k_counts` says, if it has a k."""
    options: dict[str, Any] = {"k_counts": k_counts} if k_counts else {}
    try:
        return ap.metric(name, **options)
    except TypeError:  # it has no k
        return ap.metric(name)


# --- output ---------------------------------------------------------------------------------------


_READ_FILES = "data", "point", "qrels", "runs", "by", "read"
_ENDINGS_OF = {".json": "json", ".md": "markdown"}
_ENDINGS_OF |= {".txt": "text", "": "text"}


def _check_written(options: Namespace) -> None:
    """Refuse what can't be written, before anything runs."""
    ending = _ending_of(options.output)
    if not options.format and ending not in _ENDINGS_OF:
        raise ValueError(
            f"--output writes .json, .md or .txt, but not {ending}. Got "
            f"{options.output!r}. Change the ending, or pass --format, too."
        )
    files: list[Path] = []  # that are read
    for role in _READ_FILES:
        paths = getattr(options, role, None) or []
        files += map(Path, [paths] if isinstance(paths, str) else paths)
    for path in (options.output, options.write):
        if path is None:
            continue
        if not path or not Path(path).parent.is_dir():
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), path)
        if Path(path).is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
        if Path(path).exists() and any(f.exists() and f.samefile(path) for f in files):
            raise ValueError(f"{path!r} is read, so it can't be written. Choose another name.")


def _ending_of(path: str | None) -> str:
    return Path(path or "").suffix.lower()


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


_COMMANDS: dict[str, Callable[[Namespace], _Outcome]] = {
    **dict.fromkeys(("identify", "explain"), _run_of_compat),
    **{"report": _run_report, "trec": _run_trec, "audit": _run_audit},
    **{"threshold": _run_threshold, "check": _run_check},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 1 if a gate failed, a target is broken, or a
    function isn't always one definition, 2 if the input is bad, and 3 if the data don't tell
    whether a model is worse by the margin, or whether a target is kept, or if an audit takes too
    long.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    # In a context of its own, so that sentences are written for functions again afterwards.
    return copy_context().run(_run_command, arguments)


def _run_command(arguments: Sequence[str]) -> int:
    output = None
    try:
        options = _parse(arguments)
        output = options.output
        in_force.set(_spelling(options))
        _check_written(options)
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = lambda words, *_: _say("warning", str(words))
            outcome = _COMMANDS[options.command](options)
        if outcome.result is not None:
            kind = options.format or _ENDINGS_OF[_ending_of(options.output)]
            _write(_FORMATS[kind](outcome.result).rstrip("\n") + "\n", options.output)
        for kind, words in outcome.said:
            _say(kind, words)
        return outcome.code
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        _say("error", _line_of_error(error, output))
        return 2


def _line_of_error(error: Exception, output: str | None) -> str:
    """Return what an error says, with the file for those of the system."""
    if isinstance(error, OSError) and error.strerror:
        file = output or "stdout" if error.filename is None else error.filename
        return f"{error.strerror}: {file!r}"
    is_ours = isinstance(error, ValueError | TypeError | OSError | ImportError)
    return str(error) if is_ours else f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.exit(main())
