"""Record 10,000 random calls of everything public, and 3,000 of data with two mistakes or without
rows, and compare what two versions do.

This is the net for redesigns that must not change anything: values, printed text, warnings and
errors. It isn't part of the tests. Record the version before the change, and compare with the
version after it::

    PYTHONPATH=. python tests/recorded/calls.py record    # writes calls.json.xz, which git ignores
    PYTHONPATH=. python tests/recorded/calls.py compare   # calls again, and lists what differs

The calls are kept as strings, so a later version answers the same calls, and each one can be pasted
into `PYTHONPATH=. python -i tests/recorded/calls.py`. Without `PYTHONPATH`, another version may be
imported that is installed. Numbers may differ by rounding, texts may not. Record with the versions
of NumPy, SciPy and scikit-learn with which you compare, because texts of errors and draws of
resamples come from them, too.
"""

import io
import json
import lzma
import math
import re
import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, is_dataclass
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin

import sklearn_ap as ap
from sklearn_ap import boosting, compat
from sklearn_ap.__main__ import main

FILE = Path(__file__).with_name("calls.json.xz")
N_CALLS, N_REFUSED_CALLS = 10_000, 3_000
CLOSE = 1e-9

mpl.use("agg")
ap, boosting, compat  # noqa: B018, named in calls


# --- the data that calls name ---------------------------------------------------------------------
def table_of(seed):
    """Return the columns of a small table, which are the same in each release of Python."""
    random = Random(seed)
    size = random.choice([3, 8, 20, 60, 200])
    ties = random.choice([2, 10, 10**6])
    share = random.choice([0.05, 0.3, 0.5, 0.9])
    y = [int(random.random() < share) for _ in range(size)]
    if seed % 10:  # else there may be no positives, or no negatives
        y[0], y[-1] = 1, 0

    def scores(apart):
        return [round(random.gauss(apart * each, 1) * ties) / ties for each in y]

    return {
        "y": y,
        "a": scores(1.5),
        "b": scores(1.0),
        "c": scores(0.0),
        "answer": ["yes" if each else "no" for each in y],
        "grade": [each * random.randint(1, 3) for each in y],
        "kind": [random.choice(["cat", "dog", "eel"]) for _ in y],
        "mass": [random.choice([0.25, 0.5, 1.0, 7.0, 0.1]) for _ in y],
        "count": [random.randint(0, 3) for _ in y],
        "query": [f"q{random.randint(0, 1 + size // 6)}" for _ in y],
        "day": [random.randint(1, 2 + size // 10) for _ in y],
        "image": [random.randint(0, 1 + size // 4) for _ in y],
    }


class Model(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose scores are its only feature."""

    def __init__(self, classes=(0, 1)):
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


FOLDER = Path(mkdtemp())
DICTS = [table_of(seed) for seed in range(60)]
ARRAYS = [{name: np.array(column) for name, column in table.items()} for table in DICTS]
FRAMES = [pd.DataFrame(table) for table in DICTS]
POLARS = [pl.DataFrame(table) for table in DICTS]
COLUMNS = [*DICTS[0]]
LAZY = [frame.lazy() for frame in POLARS]
for _number, _frame in enumerate(FRAMES):
    _frame.to_csv(FOLDER / f"{_number}.csv", index=False)


def take_rows(table, n_rows):
    """Return the first rows of any of these tables."""
    if isinstance(table, dict):
        return {name: column[:n_rows] for name, column in table.items()}
    return table.head(n_rows)


def spoil(table, **mistakes):
    """Return a copy of a table with mistakes in some of its columns."""
    kind, columns = type(table), table.collect() if isinstance(table, pl.LazyFrame) else table
    columns = {name: list(columns[name]) for name in COLUMNS}
    columns |= {name: SPOILED[mistake](columns[name]) for name, mistake in mistakes.items()}
    if kind is dict:
        is_array = isinstance(table["y"], np.ndarray)
        return {name: np.array(each) for name, each in columns.items()} if is_array else columns
    return kind(columns)


def figure():
    from matplotlib.figure import Figure

    return Figure().subplots()


def command(line):
    """Call the command line in the folder of the tables."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([re.sub("^@", f"{FOLDER}/", part) for part in line.split()])
        except SystemExit as error:
            code = error.code
    return [code, out.getvalue(), err.getvalue()]


# --- random calls ---------------------------------------------------------------------------------
METRICS = {
    "average_precision_score": {},
    "interpolated_average_precision_score": {"n_points": [None, 11, 101, 4, 1, 2.5]},
    "eleven_point_average_precision_score": {},
    "average_precision_at_k_score": {
        "k": [1, 3, 10, 0.1, 0.5, 1.0, 0, 1.5, "10%"],
        "denominator": ["min", "relevant", "k", "hits", "R"],
        "k_counts": ["samples", "weight", "rows"],
    },
    "precision_at_k_score": {"k": [1, 3, 10, 0.1, 1.0, -1], "k_counts": ["samples", "weight"]},
    "recall_at_k_score": {"k": [1, 3, 10, 0.07, 1.0], "k_counts": ["samples", "weight"]},
    "enrichment_factor_score": {"k": [0.01, 0.1, 5], "k_counts": ["samples", "weight"]},
    "precision_at_recall_score": {"min_recall": [0.0, 0.5, 0.8, 1, 2]},
    "recall_at_precision_score": {"min_precision": [0.0, 0.3, 0.5, 1, -0.5]},
    "mean_average_precision_score": {"groups": ["query", "day"], "k": [None, 3, 0.5]},
    "r_precision_score": {},
    "reciprocal_rank_score": {},
    "hit_rate_at_k_score": {"k": [1, 3, 10, 0.1]},
}
TIES = {"ties": ["grouped", "expected", "best", "worst", "random"]}
TAKE_TIES = set(METRICS) - {
    "interpolated_average_precision_score",
    "eleven_point_average_precision_score",
    "precision_at_recall_score",
    "recall_at_precision_score",
}
NAMES = [
    *("AP", "11-point", "101-point", "envelope", "AP@3", "AP@10%", "P@3", "P@10%", "R@3", "R@20%"),
    *("EF@10%", "R-precision", "MRR", "RR", "HR@3", "MAP", "MAP@3", "precision_at_recall_0.8"),
    *("recall_at_precision_0.5", "step", "linear", "auc", "ndcg", "p@k", "average_precision"),
]
DATA_OPTIONS = {
    "sample_weight": ["mass", "count", "nothing"],
    "groups": ["query", "day"],
    "clusters": ["image", "query"],
    "n_positives": [50, 3, 0.5, -1],
    "zero_division": [0.0, 1.0, "nan", 2],
    "average": ["macro", "weighted", None, "micro", "mean"],
    "min_grade": [1, 2, 5],
    "pos_label": [0, 1, "yes"],
}
OTHER = {
    "hit_curve": {"fraction_of": ["positives", "samples", "rows"]},
    "interpolated_precision_recall_curve": {},
    "operating_point": {
        "min_recall": [0.5, 0.8, 1.0],
        "min_precision": [0.3, 0.9],
        "k": [2, 0.1, 50],
        "confidence_level": [0.8, 0.95],
    },
    "confidence_interval": {
        "confidence_level": [0.5, 0.95, 1.5],
        "method": ["auto", "bootstrap", "influence"],
    },
    "compare": {
        "confidence_level": [0.9],
        "method": ["auto", "bootstrap", "influence"],
    },
    "report": {"baseline": ["a", "z"], "confidence_level": [0.9]},
    "compat.explain": {},
    "compat.identify": {},
    "AveragePrecisionDisplay.from_predictions": {
        "confidence_level": [0.9],
        "drop_intermediate": [True],
    },
    "HitCurveDisplay.from_predictions": {
        "confidence_level": [0.9],
        "fraction_of": ["samples"],
    },
}
# What most calls leave out, as it would be refused, and what most of them need.
WRONG = ["nothing", "10%", "R", "rows", "random", "mean", "z", 1.5, 2.5, -1, -0.5, 0, "micro"]
REQUIRED = {
    "precision_at_recall_score": "min_recall",
    "recall_at_precision_score": "min_precision",
    "operating_point": "min_recall",
}
ONE_RANKING = ("hit_curve", "interpolated_precision_recall_curve", "operating_point")
DISPLAYS = ("AveragePrecisionDisplay.from_predictions", "HitCurveDisplay.from_predictions")
LACKS = {
    (*METRICS, *ONE_RANKING[:2], "compat.explain", "compat.identify"): ["clusters"],
    (*ONE_RANKING, *DISPLAYS, "compat.explain", "compat.identify"): ["average"],
    (*ONE_RANKING, "compat.explain", "compat.identify"): ["zero_division"],
}
TABLES = ["ARRAYS", "DICTS", "FRAMES", "POLARS", "LAZY"]
SPOILED = {  # only arrays can have columns of another length or dimension
    "missing": lambda column: [*map(float, range(len(column) - 1)), float("nan")],
    "infinite": lambda column: [float("inf"), *map(float, range(len(column) - 1))],
    "negative": lambda column: [-1.0 - number for number in range(len(column))],
    "text": lambda column: [f"t{number}" for number in range(len(column))],
    "three": lambda column: [number % 3 for number in range(len(column))],
    "words": lambda column: [("yes", "no")[number % 2] for number in range(len(column))],
    "zero": lambda column: [0] * len(column),
    "short": lambda column: column[:-1],
    "empty": lambda column: column[:0],
    "matrix": lambda column: [[each, each] for each in column],
}
WITH_METRIC = {"confidence_interval", "compare"}
RESAMPLED = {"confidence_interval", "compare", "report"}


def chosen(random, options, chance):
    return {name: random.choice(each) for name, each in options.items() if random.random() < chance}


def as_text(value):
    return "float('nan')" if value == "nan" else repr(value)


def random_call(random):
    """Return a call as a string."""
    number, kind = random.randrange(len(DICTS)), random.random()
    if kind < 0.1:
        return random_method(random, number)
    if kind < 0.16:
        return f"command({random_line(random, number)!r})"
    if kind < 0.55:
        function, options = random.choice([*METRICS.items()])
        given = chosen(random, options, 0.7) | chosen(random, TIES, 0.3 * (function in TAKE_TIES))
    else:
        function, options = random.choice([*OTHER.items()])
        given = chosen(random, options, 0.35)
        if function in WITH_METRIC and random.random() < 0.6:
            given["metric"] = random.choice(NAMES)
        if function == "report":
            given["metrics"] = random.sample(NAMES, random.randint(1, 3))
        if function in RESAMPLED:
            given |= {"random_state": 0} | ({"n_resamples": 20} if random.random() < 0.9 else {})
    of_data = chosen(random, DATA_OPTIONS, 0.15)
    if random.random() < 0.9:  # else what isn't available or not allowed is refused
        required = REQUIRED.get(function, "")
        given |= {required: 0.5} if required and required not in given else {}
        refused = {name for names, each in LACKS.items() if function in names for name in each}
        of_data = {name: each for name, each in of_data.items() if name not in refused}
        every = given | of_data
        is_right = lambda name: name == "random_state" or every[name] not in WRONG  # noqa: E731
        given = {name: every[name] for name in filter(is_right, every)}
        of_data = {}
    return spelled(random, function, given | of_data, number)


def random_refused_call(random):
    """Return a call with two mistakes in its data, or of tables without rows.

    The first mistake is refused, so the order of checks is recorded, too.
    """
    number = random.randrange(len(DICTS))
    function, options = random.choice([*(METRICS | OTHER).items()])
    given = {REQUIRED[function]: 0.5} if function in REQUIRED else {}
    given |= chosen(random, options, 0.2)
    lacking = {name for names, each in LACKS.items() if function in names for name in each}
    for name, value in chosen(random, DATA_OPTIONS, 0.3).items():
        if name not in lacking and value not in WRONG:
            given[name] = value
    if "min_grade" in given:
        given.pop("pos_label", None)
    if random.random() < 0.3:
        given["n_positives"] = {"q0": 200, "q1": 1.5 if random.random() < 0.2 else 200}
    if function in RESAMPLED:
        given |= {"random_state": 0, "n_resamples": 20}
    if random.random() < 0.25:
        return spelled(random, function, given, number, "take_rows({}, 0)")
    tables = TABLES if random.random() < 0.3 else ["ARRAYS"]
    mistakes = [*SPOILED] if tables == ["ARRAYS"] else [*SPOILED][:7]
    labels = "grade" if "min_grade" in given else "y"
    columns = {value for value in given.values() if type(value) is str and value in COLUMNS}
    spoiled = random.sample(sorted(columns | {labels, "a"}), 2)
    changes = ", ".join(f"{name}={random.choice(mistakes)!r}" for name in spoiled)
    return spelled(random, function, given, number, f"spoil({{}}, {changes})", tables)


def spelled(random, function, given, number, change="{}", tables=TABLES):
    labels = "answer" if given.get("pos_label") == "yes" else "y"
    labels = "grade" if "min_grade" in given else labels
    labels = random.choice([*[labels] * 18, "kind", "mass"])
    scores = ["a"]
    if function == "compare":
        scores = ["a", "b"] if random.random() < 0.7 else [["a", "b", "c"]]
    elif function == "report" or "Display" in function:
        scores = [random.choice(["a", ["a", "b"]])]
    table = random.choice(tables)
    columns, of_table = [labels, *scores], change.format(f"{table}[{number}]")
    if table != "ARRAYS":
        arguments = [repr(each) for each in columns]
        named = {name: as_text(each) for name, each in given.items()}
        named["data"] = of_table
    else:
        arguments = [_of_array(of_table, each) for each in columns]
        named = {
            name: f"{of_table}[{each!r}]" if each in COLUMNS else as_text(each)
            for name, each in given.items()
        }
    if function == "compat.identify":
        arguments.insert(0, random.choice(["0.5", "'0.641'", "1.0", "'50%'"]))
    if "Display" in function:
        named["ax"] = "figure()"
    prefix = "" if function.startswith("compat") else "ap."
    return f"{prefix}{function}({', '.join([*arguments, *(f'{n}={v}' for n, v in named.items())])})"


def _of_array(table, column):
    if isinstance(column, list):
        return f"{{{', '.join(f'{each!r}: {table}[{each!r}]' for each in column)}}}"
    return f"{table}[{column!r}]"


def random_line(random, number):
    """Return a line of the command line. "@" is the folder."""
    what = random.choice(["report", "report", "threshold"])
    parts = [what, f"@{number}.csv"]
    parts += ["--y-true", random.choice(["y", "y", "y", "missing"]), "--y-score", "a"]
    if what == "report":
        parts += random.choice([[], ["--y-score", "b"], ["--y-score", "b", "--baseline", "a"]])
        parts += ["--metrics", random.choice(NAMES), "--random-state", "0", "--n-resamples", "20"]
        parts += random.choice([[], ["--fail-under", "AP=0.5"]])
    if what == "threshold":
        parts += random.choice(
            [["--min-recall", "0.8"], ["--min-precision", "0.9"], ["--k", "0.1"]]
        )
    parts += random.choice([[], ["--groups", "query"], ["--sample-weight", "mass"]])
    return " ".join([*parts, *random.choice([[], [], ["--format", "json"]])])


def random_method(random, number):
    """Return a call of what isn't a function of a table."""
    name, other = random.choice(NAMES), random.choice(NAMES)
    table = f"ARRAYS[{number}]"
    asked = random.choice(["min_recall=0.8", "min_precision=0.5", "k=5", "min_recall=0.5, groups"])
    asked = asked.replace("groups", f"groups={table}['day']")
    point = f"ap.operating_point({table}['y'], {table}['a'], {asked})"
    data = f"{table}['a'][:, None], {table}['y']"
    interval = f"ap.confidence_interval({table}['y'], {table}['a'])"
    return random.choice(
        [
            f"ap.metric({name!r})",
            f"ap.metric({name!r}, ties='expected')",
            f"ap.metric({name!r})({table}['y'], {table}['a'])",
            f"ap.get_scorer({name!r})",
            f"ap.get_scorer({name!r})(Model().fit(None, None), {data})",
            f"ap.make_ap_scorer({name!r}, pos_label=1)(Model().fit(None, None), {data})",
            f"ap.make_multi_scorer([{name!r}, {other!r}])(Model().fit(None, None), {data})",
            f"boosting.lightgbm_metric({name!r})",
            f"boosting.xgboost_metric({name!r})",
            f"{point}.check(ARRAYS[7]['y'], ARRAYS[7]['a'])",
            f"{point}.to_frame()",
            f"{point}.to_markdown()",
            f"{interval}.to_frame()",
            f"ap.compare_folds({table}['a'], {table}['b'], n_train=80, n_test=20)",
            f"compat.trapezoidal_average_precision_score({table}['y'], {table}['a'])",
            f"ap.report({table}['y'], {{'a': {table}['a']}}, metrics=['AP']).to_markdown()",
        ]
    )


# --- what a call does -----------------------------------------------------------------------------
def described(value):
    """Return a result as what JSON has."""
    if hasattr(value, "ax_"):
        legend = value.ax_.get_legend()
        texts = [] if legend is None else [text.get_text() for text in legend.get_texts()]
        labels = [value.ax_.get_xlabel(), value.ax_.get_ylabel(), *texts]
        lines = [[float(np.nansum(each)) for each in line.get_data()] for line in value.ax_.lines]
        return {"display": described(value.value), "labels": labels, "lines": described(lines)}
    if isinstance(value, np.ndarray | np.generic):
        return described(value.tolist())
    if isinstance(value, pd.DataFrame | pd.Series | pl.DataFrame):
        return str(value)
    if isinstance(value, bool | int | str | None):
        return value
    if isinstance(value, float):
        return repr(value) if not math.isfinite(value) else value
    text = re.sub(r"0x[0-9a-f]+", "0x", str(value)) if not isinstance(value, list | tuple) else ""
    if hasattr(value, "to_dict"):
        return [text, described(value.to_dict())]
    if is_dataclass(value):
        return [text, described(asdict(value))]
    if isinstance(value, Mapping):
        return {str(name): described(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [described(each) for each in value]
    return text


def outcome(call):
    """Return the result or the error of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = {"result": described(eval(call))}
        except Exception as error:
            found = {"error": [type(error).__name__, str(error)]}
    said = [f"{each.category.__name__}: {each.message}" for each in caught]
    said = [re.sub(r"Traceback .*\n(?=\S)", "", each, flags=re.DOTALL) for each in said]
    found = json.loads(json.dumps(found).replace(str(FOLDER), ""))
    return found | {"warnings": said}


def is_same(one, other):
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return one == other


def _draw_calls(draw, n_calls):
    random = Random(0)
    return list(dict.fromkeys(draw(random) for _ in range(3 * n_calls)))[:n_calls]


def record():
    calls = [
        *_draw_calls(random_call, N_CALLS),
        *_draw_calls(random_refused_call, N_REFUSED_CALLS),
    ]
    with lzma.open(FILE, "wt", encoding="utf-8") as file:
        kinds = Counter()
        for call in calls:
            found = outcome(call)
            kinds[next(iter(found))] += 1
            file.write(json.dumps([call, found]) + "\n")
    print(f"Recorded {len(calls):,} calls: {dict(kinds)}.")


def compare():
    differing = n_calls = 0
    with lzma.open(FILE, "rt", encoding="utf-8") as file:
        for line in file:
            call, before = json.loads(line)
            after = outcome(call)
            n_calls += 1
            if not is_same(before, after):
                differing += 1
                print(f"\n{call}")
                for part in sorted({*before, *after}):
                    if not is_same(before.get(part), after.get(part)):
                        print(f"- {part}: {before.get(part)}\n+ {part}: {after.get(part)}")
    print(f"{differing:,} of {n_calls:,} calls differ.")
    return differing > 0


if __name__ == "__main__":
    actions = {"record": record, "compare": compare}
    if len(sys.argv) == 2 and sys.argv[1] in actions:
        sys.exit(actions[sys.argv[1]]())
    if not sys.flags.interactive:
        sys.exit(__doc__)
