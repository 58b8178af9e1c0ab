"""What tables refuse, and in which words."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap import compare, hit_curve, metric, operating_point, report

from .examples import AP, MAP, NAN, PLAIN, S, Y
from .refusals import refused, refuses
from .tables import ROWS, arrow

pa = pytest.importorskip("pyarrow")

TABLE = {
    "label": [1, 0, 1, 0],
    "score": [0.9, 0.8, 0.7, 0.6],
    "three": [0, 1, 2, 1],
    "a": [1, 2, 3, 4],
    "b": [4, 3, 2, 1],
}
FRAME, ARROW = pd.DataFrame(TABLE), pa.table(TABLE)
NUMBERED = pd.DataFrame({0: Y, 1: S})
LEVELS = pd.DataFrame({("m", "y"): Y, ("m", "s"): S})
TWICE = pa.table([[0, 1], [0.1, 0.2], [0.1, 0.2]], ["label", "score", "score"])
at_recall = partial(ap.precision_at_recall_score, min_recall=0.5)
at_precision = partial(ap.recall_at_precision_score, min_precision=0.5)
SEVERAL = partial(AP, ["three", "label"], ["a", "b"])
RAY = type("Dataset", (), {"__module__": "ray.data.dataset", "columns": len, "to_pandas": len})()
STREAMED = type(
    "IterableDataset", (), {"__module__": "datasets.iterable_dataset", "column_names": list(TABLE)}
)()


def batches():
    """A dataset, whose rows are read in chunks."""
    return pytest.importorskip("pyarrow.dataset").dataset(ARROW)


def reader(columns=ROWS):
    """Batches that can be read once."""
    return arrow(columns).to_reader()


def series(library):
    return pytest.importorskip(library).Series([1, 2])


REFUSED = [
    # What is no table
    refused(
        "pass pathlib.Path('scores.parquet')",
        lambda: AP("label", "score", data="scores.parquet"),
        error=TypeError,
    ),
    refused(
        "pass pandas.read_csv('scores.csv') or polars.read_csv('scores.csv')",
        lambda: AP("label", "score", data="scores.csv"),
        error=TypeError,
    ),
    refused(
        "is a str. For the result of a query, pass duckdb.sql(query)",
        lambda: AP("label", "score", data="select * from t"),
        error=TypeError,
    ),
    refused(
        "pass pyarrow.dataset.dataset('s3://a/b.parquet')",
        lambda: AP("label", "score", data="s3://a/b.parquet"),
        error=TypeError,
    ),
    refused(
        "pass list(pathlib.Path('a').glob('b-*/*.parquet'))",
        lambda: AP("label", "score", data="a/b-*/*.parquet"),
        error=TypeError,
    ),
    refused(
        "data must be a table: ... Got the class Table itself",
        lambda: AP("label", "score", data=pa.Table),
        error=TypeError,
    ),
    refused(
        "The 'y_score' parameter of average_precision_score must be an array-like ... "
        "Pass one model per call, or pass the mapping to sklearn_ap.report.",
        lambda: AP("label", {"a": "score"}, data=FRAME),
    ),
    refused(
        "data must be a table: ... Got list",
        lambda: AP("label", "score", data=[1, 2]),
        error=TypeError,
    ),
    refused(
        "data must be a table: ... Got an empty list",
        lambda: AP("label", "score", data=[]),
        error=TypeError,
    ),
    refused(
        "data must be a table: ... Got ndarray of numpy",
        lambda: AP("label", "score", data=np.zeros((2, 2))),
        error=TypeError,
    ),
    refused(
        "data must be a table: ... Got builtin_function_or_method",
        lambda: AP("label", "score", data=len),
        error=TypeError,
    ),
    refused(
        "data must be a table ... Series",
        lambda: AP("label", "score", data=series("pandas")),
        error=TypeError,
    ),
    refused(
        "table: ... Got Dataset of ray. Pass data.to_pandas",
        lambda: AP("label", "score", data=RAY),
        error=TypeError,
    ),
    refused(
        "data must be a table: ... Got IterableDataset of datasets.",
        lambda: AP("label", "score", data=STREAMED),
        error=TypeError,
    ),
    # Names of columns
    refused(
        "y_true='label' is not a column of data. It has none.",
        lambda: AP("label", "score", data={}),
    ),
    refused(
        "y_true=0 doesn't ... rename them to strings",
        lambda f: f(0, 1, data=NUMBERED),
        [AP, hit_curve, report],
    ),
    refused(
        "y_score=1 doesn't name columns of data",
        lambda f: f("0", 1, data=NUMBERED),
        [AP, hit_curve, report],
    ),
    refused(
        "y_score=1 doesn't name columns of data",
        lambda: report("0", {"a": 1, "b": "1"}, data=NUMBERED),
    ),
    refused(
        "rename them to strings", lambda f: f(0, 1, data={0: Y, 1: S}), [AP, hit_curve, report]
    ),
    refused(
        "several levels, so give them single names ... '_'.join ... It has ('m', 'y'), ('m'",
        lambda: AP(("m", "y"), ("m", "s"), data=LEVELS),
    ),
    refused(
        "groups='a' is not a column of data, but in its index. Pass data=data.reset_index().",
        lambda value: MAP("label", "score", groups="a", data=FRAME.set_index(value)),
        ["a", ["b", "a"]],
    ),
    refused(
        "y_score_a='c' is not a column of data.",
        [
            lambda: compare("label", "c", "b", data=FRAME),
            lambda: compare("label", ["a", "c"], data=FRAME),
            lambda: compare("label", {"old": "a", "new": "c"}, data=FRAME),
        ],
    ),
    refused(
        "y_score_b='c' is not a column of data.", lambda: compare("label", "a", "c", data=FRAME)
    ),
    refused(
        "It has 'c0', ... 'c19' and 180 more.",
        lambda: AP("label", "c0", data={f"c{i}": [0, 1] for i in range(200)}),
    ),
    refused(
        "data has 2 columns with the name y_score='score'",
        lambda data: AP("label", "score", data=data),
        [TWICE.to_pandas(), TWICE.to_reader(), TWICE],
    ),
    refused(
        "y_score='sc0re' is not a column ... mean 'score",
        lambda: AP("three", ["sc0re", "a", "b"], data=FRAME),
    ),
    refused(
        "y_score are the columns ['score', 'a']", lambda: AP("three", ["score", "a"], data=FRAME)
    ),
    refused(
        "Got 'label' instead. If that is a column, pass its table",
        lambda f: f("label", "score", groups="query"),
        [*PLAIN, MAP, at_recall],
    ),
    refused(
        "'sample_weight' parameter ... pass its table as data",
        lambda f: f([0, 1], [1, 2], sample_weight="mass", groups=[0, 1]),
        [*PLAIN, MAP, at_recall, at_precision],
    ),
    refused("'y_true' parameter ... pass its table as data", lambda: AP("label", [1, 2])),
    refused("may be readable only once: pass list(y_score).", lambda: AP([0, 1], iter([1, 2]))),
    refused(
        "no argument names one of its columns ... leave data out",
        lambda data: AP([0, 1], [1, 2], data=data),
        [FRAME, batches()],
    ),
    refused(
        "no argument names one of its columns",
        lambda: compare([1, 0, 1], {"a": [1.0, 2, 3], "b": [3.0, 2, 1]}, data=ARROW),
    ),
    refused(
        "takes from 0 to 2 positional arguments but 3",
        lambda: AP("label", "score", "macro", data=FRAME),
        error=TypeError,
    ),
    refused(
        "unexpected keyword argument 'wie",
        lambda: AP("label", "score", data=FRAME, wieght="score"),
        error=TypeError,
    ),
    refused(
        "multiple values for argument",
        lambda: AP("label", "score", y_score="score", data=FRAME),
        error=TypeError,
    ),
    refused(
        "neither groups nor several classes",
        lambda data: metric("AP").by_name("label", "score", data=data),
        [FRAME, batches()],
    ),
    # n_positives of columns
    refused(
        "numbers for ['x', 'y'], but the columns are ['three', ",
        lambda: SEVERAL(n_positives=pd.Series({"x": 4, "y": 2}), data=FRAME[:2]),
    ),
    refused(
        "one number here", lambda: SEVERAL(n_positives=[4, 2], average="micro", data=FRAME[:2])
    ),
    refused(
        "one number for each of the 2 rows",
        lambda: SEVERAL(n_positives=[4, 2, 2], average="samples", data=FRAME[:2]),
    ),
    # Thresholds of tables
    refused(
        "No threshold reaches min_recall=0.9: ... less.",
        lambda data: operating_point("label", "score", data=data, min_recall=0.9, n_positives=50),
        [FRAME, batches()],
    ),
    refused(
        "more than two labels",
        lambda data: operating_point("three", "score", data=data, k=4),
        [FRAME, batches()],
    ),
    # Tables that can be read once
    refused(
        "of them row 17 (counted from 0)",
        lambda: AP(
            "y", "s", data=pa.table({"y": [0, 1] * 9, "s": [1.0] * 17 + [NAN]}).to_reader(7)
        ),
    ),
]

test_refused = refuses(REFUSED)
