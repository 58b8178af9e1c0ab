"""Columns by their names, in tables of each kind, and arrays in containers of each kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sklearn_ap as ap

AP, MAP = ap.average_precision_score, ap.mean_average_precision_score
RNG = np.random.default_rng(0)
N = 40
ROWS = {
    "label": RNG.integers(0, 2, N),
    "other": RNG.integers(0, 2, N),
    "grade": RNG.integers(0, 4, N),
    "score": RNG.integers(0, 9, N) / 7,
    "second": RNG.integers(0, 9, N) / 7,
    "mass": RNG.integers(0, 4, N),
    "query": RNG.integers(0, 5, N),
}
ROWS["text"] = np.where(ROWS["label"], "bad", "good")
ROWS["topic"] = np.array([f"q{each}" for each in ROWS["query"]])
FRAME = pd.DataFrame(ROWS, index=RNG.permutation(N))
TABLES = {  # test_columns has more kinds
    "pandas": FRAME,
    "polars, lazy": pl.DataFrame(ROWS).lazy(),
    "Arrow, in pieces": pa.concat_tables([pa.table(ROWS).slice(0, 9), pa.table(ROWS).slice(9)]),
}
CASES = {  # what a caller says, by the names of columns
    "labels": (AP, ("label", "score"), {}),
    "text": (AP, ("text", "score"), {"pos_label": "bad"}),
    "grades": (AP, ("grade", "score"), {"min_grade": 2}),
    "weights": (AP, ("label", "score"), {"sample_weight": "mass"}),
    "groups": (MAP, ("label", "score"), {"groups": "query", "average": None}),
    "text groups": (MAP, ("label", "score"), {"groups": "topic", "sample_weight": "mass"}),
    "nDCG": (ap.ndcg_score, ("grade", "score"), {"groups": "topic", "k": 3}),
    "matrix": (AP, (["label", "other"], ["score", "second"]), {"average": None}),
    "classes": (AP, ("query", ["score", "second"] * 2 + ["score"]), {"average": None}),
    "curve": (
        ap.interpolated_precision_recall_curve,
        ("label", "score"),
        {"sample_weight": "mass"},
    ),
    "a bound option": (ap.metric("P@3", pos_label="bad"), ("text", "score"), {"groups": "query"}),
}


def as_array(value, rows=ROWS):
    if isinstance(value, list):
        return np.column_stack([rows[name] for name in value])
    return rows.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", TABLES)
def test_names_of_columns(kind, case):
    function, columns, options = CASES[case]
    arrays = {
        name: value if value in ("bad", None) else as_array(value)
        for name, value in options.items()
    }
    expected = function(*map(as_array, columns), **arrays)
    found = function(*columns, **options, data=TABLES[kind])
    np.testing.assert_equal(found, expected)


def test_names_and_arrays_together():
    assert AP("label", ROWS["score"], data=FRAME) == AP(ROWS["label"], ROWS["score"])


def test_only_the_columns_that_are_named_are_read():
    frame = pl.DataFrame(ROWS).lazy().with_columns(bad=pl.col("text").str.to_integer())
    assert AP("label", "score", data=frame) == AP(ROWS["label"], ROWS["score"])


# --- containers -----------------------------------------------------------------------------------

SERIES = {
    "list": list,
    "tuple": tuple,
    "column": lambda column: np.array(column)[:, np.newaxis],
    "objects": lambda column: np.array(column, dtype=object),
    "read-only": lambda column: np.frombuffer(np.array(column).tobytes(), np.array(column).dtype),
    "backwards": lambda column: np.array(column[::-1])[::-1],
    "frame of pandas": lambda column: pd.DataFrame({"x": column}),
    "shuffled index": lambda column: pd.Series(column, index=RNG.permutation(len(column))),
    "category": lambda column: pd.Series(column, dtype="category"),
    "nullable": lambda column: pd.Series(column).convert_dtypes(),
    "pyarrow in pandas": lambda column: pd.Series(column).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.Series,
    "Arrow": pa.array,
    "Arrow, in pieces": lambda column: pa.chunked_array([column[:5], column[5:]]),
}


@pytest.mark.parametrize("parameter", ["label", "score", "mass", "query"])
@pytest.mark.parametrize("kind", SERIES)
def test_arrays_in_containers(kind, parameter):
    names = ("label", "score", "mass", "query")
    given = {name: ROWS[name] for name in names}
    expected = MAP(
        given["label"], given["score"], sample_weight=given["mass"], groups=given["query"]
    )
    given[parameter] = SERIES[kind](ROWS[parameter].tolist())
    found = MAP(given["label"], given["score"], sample_weight=given["mass"], groups=given["query"])
    assert found == expected


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, pd.DataFrame, pl.DataFrame])
def test_matrices_in_containers(kind):
    labels, scores = (as_array(names) for names in (["label", "other"], ["score", "second"]))
    if kind is pl.DataFrame:
        labels, scores = kind(labels, schema=["a", "b"]), kind(scores, schema=["a", "b"])
        found = AP(labels, scores, average=None)
    else:
        found = AP(kind(labels), kind(scores), average=None)
    expected = AP(as_array(["label", "other"]), as_array(["score", "second"]), average=None)
    np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i1", "u1", "i2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("name", ["average_precision", "average_precision_at_3"])
def test_scores_of_any_dtype(name, dtype):
    scores = RNG.integers(0, 100, N)
    for each in (scores, scores - 50):
        if dtype[0] == "u" and each is not scores:
            continue
        expected = ap.metric(name)(ROWS["label"], each.astype(float))
        assert ap.metric(name)(ROWS["label"], each.astype(dtype)) == expected


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "f4", "f8", "O"])
def test_labels_of_any_dtype(dtype):
    expected = AP(ROWS["label"], ROWS["score"])
    assert AP(ROWS["label"].astype(dtype), ROWS["score"]) == expected
    both = np.c_[ROWS["label"], ROWS["other"]]
    if dtype != "O":
        assert AP(both.astype(dtype), as_array(["score", "second"]), average=None)[
            0
        ] == pytest.approx(expected)
