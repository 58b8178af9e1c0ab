"""What tables refuse, and in which words."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap

from .examples import AP, S, Y
from .refusals import refuses
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
    (
        "AP('label', 'score', data='scores.parquet')",
        TypeError,
        "pass pathlib.Path('scores.parquet')",
    ),
    (
        "AP('label', 'score', data='scores.csv')",
        TypeError,
        "pass pandas.read_csv('scores.csv') or polars.read_csv('scores.csv')",
    ),
    (
        "AP('label', 'score', data='select * from t')",
        TypeError,
        "is a str. For the result of a query, pass duckdb.sql(query)",
    ),
    (
        "AP('label', 'score', data='s3://a/b.parquet')",
        TypeError,
        "pass pyarrow.dataset.dataset('s3://a/b.parquet')",
    ),
    (
        "AP('label', 'score', data='a/b-*/*.parquet')",
        TypeError,
        "pass list(pathlib.Path('a').glob('b-*/*.parquet'))",
    ),
    (
        "AP('label', 'score', data=pa.Table)",
        TypeError,
        "data must be a table: ... Got the class Table itself",
    ),
    (
        "AP('label', {'a': 'score'}, data=FRAME)",
        "The 'y_score' parameter of average_precision_score must be an array-like ... "
        "Pass one model per call, or pass the mapping to sklearn_ap.report.",
    ),
    ("AP('label', 'score', data=[1, 2])", TypeError, "data must be a table: ... Got list"),
    ("AP('label', 'score', data=[])", TypeError, "data must be a table: ... Got an empty list"),
    (
        "AP('label', 'score', data=np.zeros((2, 2)))",
        TypeError,
        "data must be a table: ... Got ndarray of numpy",
    ),
    (
        "AP('label', 'score', data=len)",
        TypeError,
        "data must be a table: ... Got builtin_function_or_method",
    ),
    ("AP('label', 'score', data=series('pandas'))", TypeError, "data must be a table ... Series"),
    (
        "AP('label', 'score', data=RAY)",
        TypeError,
        "table: ... Got Dataset of ray. Pass data.to_pandas",
    ),
    # Names of columns
    ("AP('label', 'score', data={})", "y_true='label' is not a column of data. It has none."),
    (
        "{AP|hit_curve|report}(0, 1, data=NUMBERED)",
        "y_true=0 doesn't ... rename them to strings",
    ),
    (
        "{AP|hit_curve|report}('0', 1, data=NUMBERED)",
        "y_score=1 doesn't name columns of data",
    ),
    ("{AP|hit_curve|report}(0, 1, data={0: Y, 1: S})", "rename them to strings"),
    (
        "AP(('m', 'y'), ('m', 's'), data=LEVELS)",
        "several levels, so give them single names ... '_'.join ... It has ('m', 'y'), ('m'",
    ),
    (
        "MAP('label', 'score', groups='a', data=FRAME.set_index({'a'|['b', 'a']}))",
        "groups='a' is not a column of data, but in its index. Pass data=data.reset_index().",
    ),
    ("compare('label', 'c', 'b', data=FRAME)", "y_score_a='c' is not a column of data."),
    ("compare('label', ['a', 'c'], data=FRAME)", "y_score_a='c' is not a column of data."),
    (
        "compare('label', {'old': 'a', 'new': 'c'}, data=FRAME)",
        "y_score_a='c' is not a column of data.",
    ),
    ("compare('label', 'a', 'c', data=FRAME)", "y_score_b='c' is not a column of data."),
    (
        "AP('label', 'c0', data={f'c{i}': [0, 1] for i in range(200)})",
        "It has 'c0', ... 'c19' and 180 more.",
    ),
    (
        "AP('label', 'score', data=TWICE.{to_pandas|to_reader}())",
        "data has 2 columns with the name y_score='score'",
    ),
    ("AP('label', 'score', data=TWICE)", "data has 2 columns with the name y_score='score'"),
    (
        "AP('three', ['sc0re', 'a', 'b'], data=FRAME)",
        "y_score='sc0re' is not a column ... mean 'score",
    ),
    ("AP('three', ['score', 'a'], data=FRAME)", "y_score are the columns ['score', 'a']"),
    (
        "{*PLAIN|MAP|at_recall}('label', 'score', groups='query')",
        "Got 'label' instead. If that is a column, pass its table",
    ),
    (
        "{*PLAIN|MAP|at_recall|at_precision}([0, 1], [1, 2], sample_weight='mass', groups=[0, 1])",
        "'sample_weight' parameter ... pass its table as data",
    ),
    ("AP('label', [1, 2])", "'y_true' parameter ... pass its table as data"),
    (
        "AP([0, 1], [1, 2], data={FRAME|batches()})",
        "no argument names one of its columns ... leave data out",
    ),
    (
        "compare([1, 0, 1], {'a': [1.0, 2, 3], 'b': [3.0, 2, 1]}, data=ARROW)",
        "no argument names one of its columns",
    ),
    (
        "AP('label', 'score', 'macro', data=FRAME)",
        TypeError,
        "takes from 0 to 2 positional arguments but 3",
    ),
    (
        "AP('label', 'score', data=FRAME, wieght='score')",
        TypeError,
        "unexpected keyword argument 'wie",
    ),
    (
        "AP('label', 'score', y_score='score', data=FRAME)",
        TypeError,
        "multiple values for argument",
    ),
    (
        "metric('AP').by_name('label', 'score', data={FRAME|batches()})",
        "neither groups nor several classes",
    ),
    # n_positives of columns
    (
        "SEVERAL(n_positives=pd.Series({'x': 4, 'y': 2}), data=FRAME[:2])",
        "numbers for ['x', 'y'], but the columns are ['three', ",
    ),
    ("SEVERAL(n_positives=[4, 2], average='micro', data=FRAME[:2])", "one number here"),
    (
        "SEVERAL(n_positives=[4, 2, 2], average='samples', data=FRAME[:2])",
        "one number for each of the 2 rows",
    ),
    # Thresholds of tables
    (
        "operating_point('label', 'score', data={FRAME|batches()}, min_recall=0.9, n_positives=50)",
        "No threshold reaches min_recall=0.9: ... less.",
    ),
    ("operating_point('three', 'score', data={FRAME|batches()}, k=4)", "more than two labels"),
    # Tables that can be read once
    (
        "AP('y', 's', data=pa.table({'y': [0, 1] * 9, 's': [1.0] * 17 + [NAN]}).to_reader(7))",
        "of them row 17 (counted from 0)",
    ),
]

test_refused = refuses(REFUSED, globals())
