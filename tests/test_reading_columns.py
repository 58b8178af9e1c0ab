"""Columns of prediction scores that are called like the labels are those of these classes."""

import re
from math import nan

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import average_precision_score as sklearn_average_precision

import sklearn_ap as ap

from . import examples, oracle
from .oracle import near
from .registry import PLAIN
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
    assert ap.metric("AP").by_name(Y, scores) == {
        name: near(v) for name, v in zip(NAMES, EACH, strict=True)
    }
    assert AP(Y, scores, average=None).tolist() == list(map(near, EACH))
    assert ap.confidence_interval(Y, scores).value == near(MEAN)
    report = ap.report(Y, {"A": scores, "B": in_order}, metrics=["AP"])
    assert [row.value for row in report.rows] == [near(MEAN)] * 2
    assert ap.compare(Y, scores, in_order).difference == 0


@pytest.mark.parametrize("names", [None, [*"abc"], [2, 0, 1]], ids=str)
def test_a_series_of_counts_is_in_order_unless_it_has_the_names_of_the_columns(names):
    rng = np.random.default_rng(0)
    labels, scores = rng.random((30, 3)) < 0.4, rng.random((30, 3))
    counts = np.array([20, 21, 22])
    in_order = counts[names] if names == [2, 0, 1] else counts
    expected = AP(labels, scores, n_positives=in_order, average=None)
    if names is not None:
        labels, scores = (pd.DataFrame(each, columns=names) for each in (labels, scores))
    found = AP(labels, scores, n_positives=pd.Series(counts), average=None)
    assert found.tolist() == expected.tolist()


@each_frame
def test_each_class_keeps_its_count(to):
    counts = {"ant": 50, "bee": 60, "cat": 40}
    expected = {
        name: near(oracle.step(Y == name, FRAME[name], n_positives=count))
        for name, count in counts.items()
    }
    backwards = dict(reversed(counts.items()))
    for named in (counts, backwards, pd.Series(backwards)):
        assert ap.metric("AP").by_name(Y, to(FRAME[SHUFFLED]), n_positives=named) == expected
        assert AP(Y, to(FRAME), n_positives=named, average=None).tolist() == [*expected.values()]
        assert AP(Y, SCORES, n_positives=named, average=None).tolist() == [*expected.values()]
    in_order = [*counts.values()]
    assert AP(Y, to(FRAME), n_positives=in_order, average=None).tolist() == [*expected.values()]
    found = ap.confidence_interval(Y, to(FRAME[SHUFFLED]), n_positives=counts).value
    assert found == near(AP(Y, SCORES, n_positives=in_order))
    for unnamed in (in_order, pd.Series(in_order), np.array(in_order), {"ant": 50, "bee": 60}):
        with pytest.raises(ValueError, match=r"belongs to which class.*mapping from each"):
            AP(Y, to(FRAME[SHUFFLED]), n_positives=unnamed)
    with pytest.raises(ValueError, match="must be one number for each of the 3 columns"):
        AP(Y, to(FRAME[SHUFFLED]), n_positives=50)


@pytest.mark.sweep(4)
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
        (CODES.astype(str), [2, 1, 0]),
        (CODES.astype(str), [2.0, 1.0, 0.0]),
        (CODES + 1.0, ["3.0", "2.0", "1.0"]),
        (CODES + 1, ["3.0", "2.0", "1.0"]),
        ((CODES + 1.0).astype(str), ["3.0", "2.0", "1.0"]),
        ((CODES + 1.0).astype(str), [3, 2, 1]),
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


def test_numbered_columns_of_labels():
    labels = pd.DataFrame(Y[:, np.newaxis] == NAMES).astype(int)
    backwards = pd.DataFrame(REVERSED, columns=[2, 1, 0])
    assert AP(labels, backwards) == near(MEAN)
    for names in (range(3), [1, 2, 3], [*"xyz"]):  # which mean nothing here
        assert AP(labels, pd.DataFrame(SCORES, columns=names)) == near(MEAN)


@each_frame
def test_columns_of_labels_and_scores_that_share_some_names(to):
    labels = to(pd.DataFrame(Y[:, np.newaxis] == NAMES, columns=NAMES).astype(int))
    other = pd.DataFrame(SCORES, columns=["ant", "bee", "dog"])
    with pytest.raises(ValueError, match=r"They share \['ant', 'bee'\], but not all names"):
        AP(labels, to(other))
    assert AP(labels, other.to_numpy()) == near(MEAN)
    assert AP(labels, to(other.set_axis([*"xyz"], axis=1))) == near(MEAN)


PAIR = pd.DataFrame({"1": [0.9, 0.2, 0.6, 0.4, 0.3], "0": [0.1, 0.8, 0.4, 0.6, 0.7]})
BOTH = [1, 0, 1, 0, 1]


@each_frame
def test_columns_of_both_classes(to):
    pair = to(PAIR)
    with pytest.raises(ValueError, match=r"Pass .* as y_score\['1'\], if .* label 1\. If"):
        AP(BOTH, pair)
    assert AP(BOTH, pair["1"]) == near(oracle.step(BOTH, PAIR["1"]))
    with pytest.raises(ValueError, match=r"y_score\['0'\], if that is .* label 0\. If"):
        ap.operating_point(BOTH, pair, k=1, pos_label=0)
    with pytest.raises(ValueError, match=r"y_score\['p'\] or y_score\['q'\], whichever is"):
        AP(BOTH, to(PAIR.set_axis(["p", "q"], axis=1)))
    with pytest.raises(ValueError, match=r"Pass classes=\[1, 0\], or only the column of"):
        AP(BOTH, pair, classes=[0, 1])
    each = [oracle.step(np.equal(BOTH, int(name)), PAIR[name]) for name in PAIR]
    assert AP(BOTH, pair, classes=[1, 0]) == near(sum(each) / 2)
    with pytest.raises(ValueError, match=r"as y_score='1', if that is the column"):
        AP("y", ["1", "0"], data=to(PAIR.assign(y=BOTH)))


@pytest.mark.parametrize("function", PLAIN)
def test_advice_on_several_columns_ends_with_what_fits_their_number(function):
    of_logits = (
        "If these are logits, subtract the other column from it: one alone ranks differently."
    )
    of_classes = (
        "If the problem is multiclass and y_true merely lacks some classes, pass classes= to a "
        "function that has this parameter."
    )
    for n_columns, advice in (2, of_logits), (3, of_classes), (4, of_classes):
        for label in (1, 2):  # a label other than 1 may be that of a class, too
            with pytest.raises(ValueError, match=rf"index\(1\)\]\. {re.escape(advice)}$"):
                function(np.multiply(label, examples.Y), np.column_stack([examples.S] * n_columns))


def test_numbered_columns_of_both_classes():
    pair = PAIR[["0", "1"]].set_axis([0, 1], axis=1)
    with pytest.raises(ValueError, match=r"as y_score\.iloc\[:, 1\] for classes 0 and 1"):
        AP(BOTH, pair)
    assert AP(BOTH, pair.iloc[:, 1]) == near(oracle.step(BOTH, PAIR["1"]))


def test_scikit_learn_ignores_names():
    found = sklearn_average_precision(Y, FRAME[SHUFFLED])
    assert found == near(AP(Y, FRAME[SHUFFLED].to_numpy()))


def test_classes_that_are_numbers_are_sorted_as_numbers():
    """As text, 10 comes before 9."""
    labels, scores = np.array([8, 9, 10, 9, 8, 10]), np.random.default_rng(0).random((6, 3))
    frame = pd.DataFrame(scores, columns=["10", "8", "9"])
    each = ap.average_precision_score(labels, frame, average=None)
    assert each == pytest.approx(
        [ap.average_precision_score(labels == c, frame[str(c)]) for c in (8, 9, 10)]
    )
