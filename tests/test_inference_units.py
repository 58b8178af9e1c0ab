"""Where two models differ: in how many groups they win, and what sampling units contribute."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklearn_ap as ap

from .by_page import square_within_strata
from .units import contributions, contributions_by_name

N = 120
Y = (np.arange(N) * 7 % 5 < 2).astype(int)
QUERY = np.array([f"q{number:02}" for number in np.arange(N) // 8])
PATIENT = np.arange(N) % 30


def scores(apart=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(N) + apart * Y).round(1)


A, B = scores(1.0, 1), scores(0.7, 2)
METRICS = ["AP", "P@3", "R@3", "RR", "AP@4", "R-precision"]


def counts_of(found):
    return found.wins, found.ties, found.losses


# Groups have values


@pytest.mark.sweep(3)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_queries_in_which_the_first_model_wins(metric, method):
    given = {"groups": QUERY, "metric": metric}
    found = ap.compare(Y, A, B, **given, method=method, random_state=0)
    by_name = ap.metric(metric).by_name
    a, b = (pd.Series(by_name(Y, each, groups=QUERY)) for each in (A, B))
    difference = (a - b).round(12)
    expected = (difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum()
    assert counts_of(found) == expected
    assert sum(counts_of(found)) == len(difference) == 15
    assert difference.mean() == pytest.approx(found.difference)


def test_ties_are_values_that_differ_by_rounding_errors_only():
    """Both average precisions are 1/2, but their sums have different last bits."""
    label = np.isin(np.arange(12), [1, 3, 5, 7]).astype(int)
    a = np.arange(12, 0, -1)
    b = np.empty(12)
    is_hit = np.isin(np.arange(12), [1, 2, 5, 11])
    b[label == 1], b[label == 0] = a[is_hit], a[~is_hit]
    assert ap.average_precision_score(label, a) != ap.average_precision_score(label, b)
    group = np.repeat([1, 2], 12)
    found = ap.compare([*label, *label], [*a, *a], [*b, *a], groups=group)
    assert counts_of(found) == (0, 2, 0)


def test_queries_without_positives():
    y = np.where(QUERY == "q03", 0, Y)
    for zero_division, number in ((0.0, 15), (1.0, 15), (np.nan, 14)):
        found = ap.compare(y, A, B, groups=QUERY, zero_division=zero_division)
        assert sum(counts_of(found)) == number


def test_queries_that_were_never_retrieved_are_ties():
    n_positives = dict.fromkeys(QUERY, 6) | {"never": 3}
    given = {"groups": QUERY, "n_positives": n_positives}
    assert sum(counts_of(ap.compare(Y, A, B, **given))) == 16
    assert counts_of(ap.compare(Y, A, A, **given)) == (0, 16, 0)


def test_rows_that_are_queries():
    y = Y.reshape(15, 8)
    a, b = A.reshape(15, 8), B.reshape(15, 8)
    found = ap.compare(y, a, b, average="samples")
    assert counts_of(found) == counts_of(ap.compare(Y, A, B, groups=np.arange(N) // 8))


# Clusters and rows have contributions


CLOSED = {
    "rows": {},
    "clusters": {"clusters": PATIENT},
    "both": {"groups": QUERY, "clusters": PATIENT},
    "weights": {"sample_weight": 1 + np.arange(N) % 3},
    "envelope": {"metric": "interpolated_average_precision"},
}


@pytest.mark.parametrize("given", CLOSED.values(), ids=CLOSED)
def test_a_standard_error_comes_from_differences_of_contributions(given):
    found = ap.compare(Y, A, B, **given)
    assert counts_of(found) == (None, None, None)
    a, b = (contributions(ap.confidence_interval(Y, each, **given)) for each in (A, B))
    squares = np.square(a - b)
    if given.keys() == {"clusters"}:
        n = squares.size
        squares = square_within_strata((a - b) * np.sqrt((n - 1) / n), np.bincount(PATIENT, Y))
    assert np.sqrt(squares.sum()) == pytest.approx(found.standard_error)


def test_a_contribution_is_what_the_difference_loses_without_the_unit():
    found = ap.compare(Y, A, B, clusters=PATIENT)
    a, b = (
        contributions_by_name(ap.confidence_interval(Y, each, clusters=PATIENT)) for each in (A, B)
    )
    lost = []
    for patient in a:
        kept = patient != PATIENT
        lost.append(found.difference - ap.compare(Y[kept], A[kept], B[kept]).difference)
    assert np.corrcoef(lost, [a[patient] - b[patient] for patient in a])[0, 1] > 0.97


# Names of groups


MIXED = [
    [1, "b", 2.5, "c"],
    [1, 2.5, 3, 4],
    [("a", 1), ("a", 2), "b", 3],
    [("a", 1), ("a", 2), ("b", 3, 4), ("c", 5)],
    [("a",), ("b",), ("c",), ("d",)],
    [True, "b", 1.5, 4],
]


@pytest.mark.parametrize("names", MIXED, ids=str)
def test_tables_of_polars_have_groups_of_several_types(names):
    groups = np.fromiter(names * 2, object, 8)
    data = pl.DataFrame({"y": [1, 0, 1, 1, 0, 1, 1, 0], "a": range(8), "b": range(8, 0, -1)})
    given = {"groups": groups, "data": data}
    each = ap.report("y", ["a", "b"], metrics="AP", **given).per_group()
    assert isinstance(each, pl.DataFrame)
    assert len(each["group"]) == len(names)


NANOSECOND = np.datetime64("2026-01-01T00:00:00.000000001")
NEXT = NANOSECOND + np.timedelta64(1, "D")


@pytest.mark.parametrize(
    "keys",
    [
        [NANOSECOND, NEXT],
        [pd.Timestamp(NANOSECOND), pd.Timestamp(NEXT)],
        pd.DatetimeIndex([NANOSECOND, NEXT]),
    ],
    ids=["NumPy", "pandas", "index"],
)
def test_groups_that_are_nanoseconds_have_counts_and_segments(keys):
    """Python's times would lose them."""
    groups = np.array([NANOSECOND, NANOSECOND, NEXT, NEXT])
    y, score = [1, 0, 0, 1], [4, 3, 2, 1]
    counts = dict(zip(keys, [2, 1], strict=True))
    counts = pd.Series([2, 1], index=keys) if isinstance(keys, pd.DatetimeIndex) else counts
    found = ap.metric("R@1").by_name(y, score, groups=groups, n_positives=counts)
    assert found == {NANOSECOND: 0.5, NEXT: 0.0}
    by = dict(zip(keys, ["old", "new"], strict=True))
    report = ap.report(y, score, metrics="R@1", groups=groups, by=by)
    assert {row.segment: row.value for row in report} == {None: 0.5, "old": 1, "new": 0}
