"""Each documented difference is real in the installed scikit-learn, or in the recorded releases."""

import re
import warnings
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import metrics

from sklearn_ap import average_precision_score
from sklearn_ap.compat import DIFFERENCES
from sklearn_ap.compat.differences import NEWEST_RELEASE, read_release

INSTALLED = ".".join(sklearn.__version__.split(".")[:2])


def each_row(rows):
    return pytest.mark.parametrize("row", rows, ids=lambda row: row.id)


def find(name):
    (row,) = (row for row in DIFFERENCES if row.id == name)
    return row


def check(row, expected, function):
    assert gives(row, expected, function)


def gives(row, expected, function):
    """Whether this is the outcome: a value, or the name of an error, warning or type."""
    return is_outcome(expected, *outcome(function, row.y_true, row.y_score, **row.options))


def is_outcome(expected, value, caught):
    if isinstance(value, Exception):
        return is_called(type(value), expected)
    if not isinstance(expected, str):
        return is_same(value, expected)
    if expected.endswith("Warning"):
        return any(is_called(w.category, expected) for w in caught)
    return type(value).__name__ == expected


def outcome(function, *args, **kwargs):
    """Return the value or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return function(*args, **kwargs), caught
        except Exception as error:
            return error, caught


def is_called(kind, name):
    return name in [base.__name__ for base in kind.__mro__[:-2]]


def is_same(value, expected):
    """Both nan, or equal, with the same sign of zero."""
    near = np.isclose(value, expected, rtol=0, atol=1e-12, equal_nan=True)
    return near and (np.isnan(value) or np.signbit(value) == np.signbit(expected))


@each_row(DIFFERENCES)
def test_ours(row):
    check(row, row.ours, average_precision_score)
    if row.applies_to(INSTALLED):
        check(row, row.theirs, metrics.average_precision_score)
    else:
        assert not gives(row, row.theirs, metrics.average_precision_score)


IN_CALLS = {"np": np, "pd": pd, "Decimal": Decimal, "datetime": datetime}


@each_row(DIFFERENCES)
def test_the_printed_call_shows_the_difference(row):
    for function, expected in (
        (average_precision_score, row.ours),
        (metrics.average_precision_score, row.theirs),
    ):
        if function is average_precision_score or row.applies_to(INSTALLED):
            names = IN_CALLS | {"average_precision_score": function}
            assert is_outcome(expected, *outcome(eval, row.call, names))


def test_the_installed_release_is_no_newer_than_the_rows():
    """If not: try all rows in it, and change `NEWEST_RELEASE`."""
    assert read_release(INSTALLED) <= read_release(NEWEST_RELEASE)


WEIGHED = {"average": "weighted", "sample_weight": [Decimal(1), Decimal(3)]}
NULLS = np.array(["a\0", "a"], dtype=object)
PERIODS = [*pd.period_range("2020-01", periods=2, freq="M")]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("decimal-weights", {"options": WEIGHED}),
        ("object-columns", {"y_score": pd.DataFrame({"a": [2**53 + 1, 2**53], "b": [1.0, 2.0]})}),
        ("null-characters", {"y_true": NULLS, "options": {"pos_label": "a\0"}}),
        ("object-dates", {"y_score": PERIODS}),  # which are objects that are no numbers
    ],
)
def test_what_else_is_different(name, changes):
    """What the rows also say: about classes, frames, and objects that differ in null characters."""
    row = replace(find(name), **changes)
    check(row, row.ours, average_precision_score)
    check(row, row.theirs, metrics.average_precision_score)


def test_what_is_not_different():
    """Lists of large labels are an error here too, and in one column, large integers differ."""
    labels, columns, dates = map(find, ("large-labels", "object-columns", "object-dates"))
    labels = replace(labels, y_true=labels.y_true.tolist())
    check(labels, labels.ours, average_precision_score)
    column = replace(columns, y_true=[1, 0], y_score=columns.y_score[:, 0])
    check(column, 1.0, average_precision_score)
    check(column, 1.0, metrics.average_precision_score)
    is_tied = replace(dates, versions=">=1.8").applies_to(INSTALLED)  # equal dates weren't always
    tied = replace(dates, y_score=PERIODS[:1] * 2)
    check(tied, 0.5 if is_tied else 1.0, metrics.average_precision_score)


@each_row(DIFFERENCES)
def test_words(row):
    assert [each.id for each in DIFFERENCES].count(row.id) == 1
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+){0,3}", row.id)
    assert row.title
    assert row.reason.endswith(".")
    assert "|" not in row.title + row.reason + row.reference
    assert re.match(r"#\d+|(seen|recorded)", row.reference)


@pytest.mark.parametrize(
    ("versions", "inside", "outside"),
    [
        ("<0.19", ["0.9", "0.18.2"], ["0.19", "0.19.0", "1.0"]),
        (">=0.20", ["0.20.0", "1.9.1", "1.10", "2.0"], ["0.19.2", "0.2"]),
        ("0.15-0.17", ["0.15", "0.17.1", "0.16.dev0"], ["0.14.1", "0.18", "1.6"]),
        ("1.9", ["1.9.1", "1.9.dev0+git"], ["1.8.0", "1.10", "1.90"]),
    ],
)
def test_applies_to(versions, inside, outside):
    row = replace(DIFFERENCES[0], versions=versions)
    assert all(map(row.applies_to, inside))
    assert not any(map(row.applies_to, outside))


@pytest.mark.parametrize(("versions", "release"), [("<0.19", "latest"), ("<=0.19", "0.19")])
def test_applies_to_refuses_what_it_cannot_read(versions, release):
    with pytest.raises(ValueError, match="not a release"):
        replace(DIFFERENCES[0], versions=versions).applies_to(release)


def test_they_print_as_a_table():
    assert isinstance(DIFFERENCES, tuple)
    text = str(DIFFERENCES)
    assert max(map(len, text.splitlines())) <= 79
    expected = "scikit-learn difference"
    for row in DIFFERENCES:
        there, here = (f"{x:.6g}" if isinstance(x, float) else x for x in (row.theirs, row.ours))
        expected += f" {row.versions} {row.title}: {there}, here {here} {row.reason}"
    assert " ".join(text.split()) == " ".join(expected.split())


def test_they_make_a_frame():
    frame = DIFFERENCES.to_frame()
    assert [*frame.index] == [row.id for row in DIFFERENCES]
    for name in frame:
        assert all(map(is_cell, frame[name], [getattr(row, name) for row in DIFFERENCES]))
    assert [*frame] == [*("title", "versions", "call", "theirs", "ours", "reason", "reference")]


def is_cell(cell, value):
    return type(cell) is type(value) and (cell == value or cell != cell)


@each_row(DIFFERENCES)
def test_each_row_is_a_difference(row):
    assert row.ours != row.theirs
