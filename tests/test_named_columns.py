"""Columns of prediction scores that are called like the labels are those of these classes."""

from math import nan

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklearn_ap as ap
from sklearn_ap.compat import sklearn_average_precision_score

from . import oracle
from .oracle import near
from .tables import EAGER, TABLES

rng = np.random.default_rng(0)
NAMES, SHUFFLED = ["ant", "bee", "cat"], ["cat", "ant", "bee"]
Y = rng.choice(NAMES, 60)
SCORES = rng.integers(0, 9, (60, 3)) + 3 * (Y[:, np.newaxis] == NAMES)  # of the sorted classes
FRAME = pd.DataFrame(SCORES, columns=NAMES)
EACH = [oracle.step(Y == name, column) for name, column in zip(NAMES, SCORES.T, strict=True)]
MEAN = sum(EACH) / 3
CODES = np.searchsorted(NAMES, Y)
REVERSED = SCORES[:, ::-1]
AP = ap.average_precision_score

FRAMES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "PyArrow": lambda frame: pl.from_pandas(frame).to_arrow(),
}
each_frame = pytest.mark.parametrize("to", FRAMES.values(), ids=FRAMES)


@each_frame
def test_frames_of_scores(to):
    scores, in_order = to(FRAME[SHUFFLED]), to(FRAME)
    assert AP(Y, scores) == near(MEAN)
    assert AP.by_name(Y, scores) == {name: near(v) for name, v in zip(NAMES, EACH, strict=True)}
    assert AP(Y, scores, average=None).tolist() == list(map(near, EACH))
    assert ap.confidence_interval(Y, scores).value == near(MEAN)
    report = ap.report(Y, {"A": scores, "B": in_order}, metrics=["AP"])
    assert [row.value for row in report.rows] == [near(MEAN)] * 2
    assert ap.compare(Y, scores, in_order).difference == 0


def test_each_column_keeps_its_count():
    of_classes = {"ant": 50, "bee": 60, "cat": 40}
    counts = [of_classes[name] for name in SHUFFLED]
    found = AP.by_name(Y, FRAME[SHUFFLED], n_positives=counts)
    assert found == {
        name: near(oracle.step(Y == name, FRAME[name], n_positives=count))
        for name, count in of_classes.items()
    }


@pytest.mark.parametrize("kind", TABLES)
def test_names_of_columns_of_a_table(kind, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"y": Y, **{name: FRAME[name].to_numpy() for name in NAMES}}
    table = TABLES[kind](pyarrow.table(columns), tmp_path)
    assert ap.confidence_interval("y", SHUFFLED, data=table).value == near(MEAN)
    report = ap.report("y", {"A": SHUFFLED, "B": NAMES}, data=table, metrics=["AP"])
    assert [row.value for row in report.rows] == [near(MEAN)] * 2


@pytest.mark.parametrize("kind", EAGER)
def test_metrics_of_tables_in_memory(kind, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"y": Y, **{name: FRAME[name].to_numpy() for name in NAMES}}
    table = EAGER[kind](pyarrow.table(columns), tmp_path)
    assert AP("y", SHUFFLED, data=table) == near(MEAN)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (CODES, [2, 1, 0]),
        (CODES, ["2", "1", "0"]),
        (CODES.astype(float), ["2", "1", "0"]),
        (pd.Series(CODES, dtype="category"), ["2", "1", "0"]),
        (CODES.tolist(), [2, 1, 0]),
        (pd.Series(Y, dtype="category"), NAMES[::-1]),
    ],
)
def test_numbers_and_categories(labels, names):
    assert AP(labels, pd.DataFrame(REVERSED, columns=names)) == near(MEAN)


@pytest.mark.parametrize("names", [None, range(3), [0, 1, 2], ["0", "1", "2"], [*"xyz"]])
@pytest.mark.parametrize("labels", [CODES + 1, Y, CODES * 2])
def test_numbered_and_other_columns_are_those_of_the_sorted_labels(names, labels):
    assert AP(labels, pd.DataFrame(SCORES, columns=names)) == near(MEAN)


def test_a_class_that_does_not_occur():
    few = Y != "bee"
    expected = (
        oracle.step(Y[few] == "ant", SCORES[few, 0]) + oracle.step(Y[few] == "cat", SCORES[few, 2])
    ) / 2
    assert AP(Y[few], FRAME[SHUFFLED][few], zero_division=nan) == near(expected)
    one = Y == "cat"
    assert AP(Y[one], FRAME[SHUFFLED][one], zero_division=0.0) == near(oracle.Fraction(1, 3))


def test_classes_say_what_other_names_mean():
    numbered = pd.DataFrame(SCORES, columns=[1, 2, 3])
    assert AP(CODES, numbered, classes=[0, 1, 2]) == near(MEAN)
    assert AP(Y, FRAME[SHUFFLED], classes=SHUFFLED) == near(MEAN)


@each_frame
@pytest.mark.parametrize("average", ["macro", "samples"])
def test_columns_of_labels_and_scores_with_the_same_names(to, average):
    labels = pd.DataFrame(rng.random((60, 3)) < 0.5, columns=NAMES).astype(int)
    labels.iloc[:, 0] |= (labels.sum(axis=1) == 0).astype(int)
    expected = AP(labels.to_numpy(), SCORES, average=average)
    assert AP(to(labels), to(FRAME[SHUFFLED]), average=average) == near(expected)


def test_scikit_learn_ignores_names():
    found = sklearn_average_precision_score(Y, FRAME[SHUFFLED], version="1.5")
    assert found == near(AP(Y, FRAME[SHUFFLED].to_numpy()))
