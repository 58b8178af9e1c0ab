"""What tables refuse, and in which words."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap

from .errors import AP, MAP, NAN, POINT, S, Y, cases, each, refuses
from .registry import PLAIN
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
NAMED = partial(AP, "label", "score")
SCORES = [*PLAIN, MAP, partial(ap.precision_at_recall_score, min_recall=0.5),
          partial(ap.recall_at_precision_score, min_precision=0.5)]  # fmt: skip
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


# fmt: off
REFUSED = {
    "what is no table": [
        *cases([AP], lambda f, data: f("label", "score", data=data),
               ("scores.parquet", "pass pathlib.Path('scores.parquet')"),
               ("select * from t", "is a str. For the result of a query, pass duckdb.sql(query)"),
               ("s3://a/b.parquet", "pass pyarrow.dataset.dataset('s3://a/b.parquet')"),
               ("a/b-*/*.parquet", "pass list(pathlib.Path('a').glob('b-*/*.parquet'))"),
               (pa.Table, "data must be a table: ... Got the class Table itself"),
               ([1, 2], "data must be a table: ... Got list"),
               ([], "data must be a table: ... Got an empty list"),
               (np.zeros((2, 2)), "data must be a table: ... Got ndarray of numpy"),
               (len, "data must be a table: ... Got builtin_function_or_method"), error=TypeError),
        (lambda: NAMED(data=series("pandas")), TypeError, "data must be a table ... Series"),
        (lambda: NAMED(data=RAY), TypeError, "table: ... Got Dataset of ray. Pass data.to_pandas"),
    ],
    "names of columns": [
        (lambda: NAMED(data={}), "y_true='label' is not a column of data. It has none."),
        *((f"numbers of columns, {words}", each([AP, POINT, ap.report], call), words)
          for call, words in (
              (lambda f: f(0, 1, data=NUMBERED), "y_true=0 doesn't ... columns=str), and ... '0'"),
              (lambda f: f("0", 1, data=NUMBERED), "y_score=1 doesn't name a column of data"),
              (lambda f: f(0, 1, data={0: Y, 1: S}), "rename its columns to strings"))),
        ("a column of several levels", lambda: AP(("m", "y"), ("m", "s"), data=LEVELS),
         "several levels, so give them single names ... '_'.join ... It has ('m', 'y'), ('m'"),
        ("in the index", each([FRAME.set_index("a"), FRAME.set_index(["b", "a"])],
                              lambda frame: MAP("label", "score", groups="a", data=frame)),
         "groups='a' is not a column of data, but in its index. Pass data=data.reset_index()."),
        *((f"compared, {models}", lambda models=models: ap.compare("label", *models, data=FRAME),
           f"{role}='c' is not a column of data.")
          for role, *models in (("y_score_a", "c", "b"), ("y_score_b", "a", "c"),
                                ("y_score_a", ["a", "c"]),
                                ("y_score_a", {"old": "a", "new": "c"}))),
        ("many", lambda: AP("label", "c0", data={f"c{i}": [0, 1] for i in range(200)}),
         "It has 'c0', ... 'c19' and 180 more."),
        ("one of two columns", each(
            [TWICE.to_pandas, lambda: TWICE, TWICE.to_reader], lambda table: NAMED(data=table())),
         "data has 2 columns with the name y_score='score'"),
        ("misspelled in a list", lambda: AP("three", ["sc0re", "a", "b"], data=FRAME),
         "y_score='sc0re' is not a column ... mean 'score"),
        (lambda: AP("three", ["score", "a"], data=FRAME), "y_score are the columns ['score', 'a']"),
        ("no table", each(SCORES[:-1], lambda f: f("label", "score", groups="query")),
         "Got 'label' instead. If that is a column, pass its table"),
        (each(SCORES, lambda f: f([0, 1], [1, 2], sample_weight="mass", groups=[0, 1])),
         "'sample_weight' parameter ... pass its table as data"),
        (lambda: AP("label", [1, 2]), "'y_true' parameter ... pass its table as data"),
        ("none of the table", each([FRAME, batches()], lambda data: AP([0, 1], [1, 2], data=data)),
         "no argument names one of its columns ... leave data out"),
        ("none of the table for models", lambda:
         ap.compare([1, 0, 1], {"a": [1.0, 2, 3], "b": [3.0, 2, 1]}, data=ARROW),
         "no argument names one of its columns"),
        ("too many without keywords", lambda: AP("label", "score", "macro", data=FRAME),
         TypeError, "takes from 0 to 2 positional arguments but 3"),
        (lambda: NAMED(data=FRAME, wieght="score"), TypeError, "unexpected keyword argument 'wie"),
        (lambda: NAMED(y_score="score", data=FRAME), TypeError, "multiple values for argument"),
        ("no groups to name values by", each(
            [FRAME, batches()], lambda data: ap.metric("AP").by_name("label", "score", data=data)),
         "neither groups nor several classes"),
    ],
    "n_positives of columns": [
        ("of other names", lambda: SEVERAL(n_positives=pd.Series({"x": 4, "y": 2}), data=FRAME[:2]),
         "numbers for ['x', 'y'], but the columns are ['three', "),
        (lambda: SEVERAL(n_positives=[4, 2], average="micro", data=FRAME[:2]), "one number here"),
        ("of rows", lambda: SEVERAL(n_positives=[4, 2, 2], average="samples", data=FRAME[:2]),
         "one number for each of the 2 rows"),
    ],
    "thresholds of tables": [
        *cases([FRAME, batches()],
               lambda data, label, target: POINT(label, "score", data=data, **target),
               ("label", {"min_recall": 0.9, "n_positives": 50},
                "No threshold reaches min_recall=0.9: ... less."),
               ("three", {"k": 4}, "more than two labels")),
    ],
    "tables that are read in chunks": [
        ("a list", lambda: AP("label", [0.1, 0.2, 0.3, 0.4], data=batches()),
         TypeError, "y_score must be the name ... read in chunks. Got list"),
        ("an array of weights", lambda: NAMED(data=batches(), sample_weight=np.ones(4)),
         TypeError, "sample_weight must be the name ... Got ndarray"),
        ("several columns", lambda: AP("three", ["a", "b"], data=batches()),
         TypeError, "y_score names 2 columns ... one class at a time"),
        (lambda: NAMED(data=batches(), classes=[0, 1]), "classes is for ... one class at a time"),
    ],
    "tables that can be read once": [
        ("groups apart", lambda: NAMED(data=reader(), groups="query"),
         "group 'q ... are not consecutive ... Sort it by groups, or pass"),
        ("bounds", lambda: ap.metric_bounds("label", "score", data=reader()),
         "Bounds need two passes ... pathlib.Path, or update a M"),
        ("a prevalence", lambda: NAMED(data=reader(), prevalence=0.1),
         "need two passes, but data can be read only once"),
        ("missing scores of a later batch", lambda: AP(
            "y", "s", data=pa.table({"y": [0, 1] * 9, "s": [1.0] * 17 + [NAN]}).to_reader(7)),
         "of them row 3 (counted from row 14 of data)"),
    ],
}
# fmt: on

pytestmark = pytest.mark.usefixtures("in_small_batches")
test_refused = refuses(REFUSED)
