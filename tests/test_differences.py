"""Each documented difference is real, in the installed scikit-learn and in older releases."""

import re
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from sklearn_ap import average_precision_score
from sklearn_ap.compat import DIFFERENCES, sklearn_average_precision_score
from sklearn_ap.compat.history import ERAS

from .test_legacy import INSTALLED, outcome

RELEASES = [f"0.{minor}" for minor in range(13, 25)] + [f"1.{minor}" for minor in range(10)]

# Where compat deviates from old releases: why, and the rows
WHY_NOT = {
    "refused in every release": """timedelta-labels missing-among-strings
        object-dates long-doubles weights-as-text surplus-labels surplus-scores
        class-without-scores weightless weightless-weighted weightless-samples negative-weights
        empty masked""",
    "a matter of rounding": """object-columns listed-integers close-decimals float32-weights
        float32-weights-boolean float16-weights-boolean""",
    "a type that is read": "object-booleans",
    "a crash": "multiclass-list object-weights decimal-weights",
    "a cast that overflows": "large-labels",
    "strings without their last characters": "null-characters",
    "the number is the same": "weighted-int return-type",
    "a class weighs what its positives weigh": "weighted-by-labels",
}
NOT_REENACTED = " ".join(WHY_NOT.values()).split()
REENACTED = [row for row in DIFFERENCES if row.id not in NOT_REENACTED]
# Releases next to those of a row that return the same: the row, the release, and why
SAME_FOR_ANOTHER_REASON = {("weightless-top-refused", "0.14"): "an error: it knows no weights"}


def each_row(rows):
    return pytest.mark.parametrize("row", rows, ids=lambda row: row.id)


def find(name):
    (row,) = (row for row in DIFFERENCES if row.id == name)
    return row


def check(row, expected, function, **more):
    assert gives(row, expected, function, **more)


def gives(row, expected, function, **more):
    """Whether this is the outcome: a value, or the name of an error, warning or type."""
    value, caught = outcome(function, row.y_true, row.y_score, **row.options, **more)
    if isinstance(value, Exception):
        return is_called(type(value), expected)
    if not isinstance(expected, str):
        return is_same(value, expected)
    if expected.endswith("Warning"):
        return any(is_called(w.category, expected) for w in caught)
    return type(value).__name__ == expected


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
    elif row.id in NOT_REENACTED:  # the installed release shows the first and last one of a row
        assert not gives(row, row.theirs, metrics.average_precision_score)


@each_row(REENACTED)
def test_theirs_as_reenacted(row):
    """Compat returns their value in the releases of a row, and another before and after them."""
    inside = [row.applies_to(version) for version in RELEASES]
    assert any(inside)
    for version, holds in zip(RELEASES, inside, strict=True):
        if holds:
            check(row, row.theirs, sklearn_average_precision_score, version=version)
    for (this, held), (other, holds) in pairwise(zip(RELEASES, inside, strict=True)):
        outside = this if holds else other
        if held != holds and (row.id, outside) not in SAME_FOR_ANOTHER_REASON:
            assert not gives(row, row.theirs, sklearn_average_precision_score, version=outside)


@each_row([find(name) for name in NOT_REENACTED])
def test_what_is_not_reenacted_is_otherwise(row):
    """Otherwise it shouldn't be on that list."""
    for version in filter(row.applies_to, RELEASES):
        with suppress(ValueError):
            assert not gives(row, row.theirs, sklearn_average_precision_score, version=version)


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


def test_every_era_is_touched():
    """Some row begins or ends with each era of compat."""
    eras = [era.since for era in ERAS]
    assert any(row.applies_to(eras[0]) for row in DIFFERENCES)
    for before, era in pairwise(eras):
        assert any(row.applies_to(before) != row.applies_to(era) for row in DIFFERENCES), era


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
