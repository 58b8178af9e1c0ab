"""Where two models differ: their values per query, and the contributions of other units."""

import datetime
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

import sklearn_ap as ap

N = 120
Y = (np.arange(N) * 7 % 5 < 2).astype(int)
QUERY = np.array([f"q{number:02}" for number in np.arange(N) // 8])
PATIENT = np.arange(N) % 30


def scores(apart=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(N) + apart * Y).round(1)


A, B = scores(1.0, 1), scores(0.7, 2)
METRICS = ["AP", "P@3", "R@3", "RR", "AP@4", "R-precision"]


# Groups have values


@pytest.mark.sweep(4)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("method", ["auto", "bootstrap", "randomization"])
def test_values_of_queries(metric, method):
    given = {"groups": QUERY, "metric": metric}
    found = ap.compare(Y, A, B, **given, method=method, random_state=0)
    a, b = (ap.report(Y, each, groups=QUERY, metrics=metric).per_group() for each in (A, B))
    a, b = a.iloc[:, 0], b.iloc[:, 0]
    frame = found.units().to_frame()
    assert [*frame.columns] == ["unit", "A", "B", "difference", "n_positives", "n_rows"]
    by_query = frame.set_index("unit")
    assert_allclose(by_query["A"].sort_index(), a.sort_index(), atol=1e-12)
    assert_allclose(by_query["B"].sort_index(), b.sort_index(), atol=1e-12)
    assert (by_query["A"] - by_query["B"] - by_query["difference"]).abs().max() < 1e-12
    assert frame["difference"].is_monotonic_increasing
    counts = pd.Series(Y).groupby(QUERY).sum()
    assert by_query["n_positives"].sort_index().tolist() == counts.tolist()
    assert frame["n_positives"].dtype.kind == "i"
    assert frame["difference"].mean() == pytest.approx(found.difference)
    difference = (a - b).round(12)
    expected = (difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum()
    assert (found.wins, found.ties, found.losses) == expected
    assert found.wins + found.ties + found.losses == len(found.units())


def test_ties_are_values_that_differ_by_rounding_errors_only():
    """Both average precisions are 1/2, but their sums have different last bits."""
    a, b = (np.isin(np.arange(12), hits).astype(int) for hits in ([1, 3, 5, 7], [1, 2, 5, 11]))
    rank = np.arange(12, 0, -1)
    assert ap.average_precision_score(a, rank) != ap.average_precision_score(b, rank)
    table = {"y": [*a, *a], "s": [*rank, *rank], "q": [1] * 12 + [2] * 12}
    other = table | {"y": [*b, *a]}
    models = {"a": pd.DataFrame(table), "b": pd.DataFrame(other)}
    found = ap.compare("y", "s", groups="q", data=models, baseline="b")
    assert [row.difference for row in found.units()] == [0, 0]
    (pair,) = found.pairs
    assert (pair.wins, pair.ties, pair.losses) == (0, 2, 0)


def test_queries_without_positives():
    y = np.where(QUERY == "q03", 0, Y)
    for zero_division, number in ((0.0, 15), (1.0, 15), (np.nan, 14)):
        found = ap.compare(y, A, B, groups=QUERY, zero_division=zero_division)
        assert len(found.units()) == found.wins + found.ties + found.losses == number
        rows = {row.unit: row for row in found.units()}
        assert ("q03" in rows) == (number == 15)
        if "q03" in rows:
            assert rows["q03"].values == (zero_division, zero_division)
            assert rows["q03"].n_positives == 0


def test_positives_that_exist_are_counted():
    n_positives = dict.fromkeys(QUERY, 6) | {"never": 3}
    rows = {
        row.unit: row for row in ap.compare(Y, A, B, groups=QUERY, n_positives=n_positives).units()
    }
    assert rows["never"].values == (0, 0)
    assert {row.n_positives for row in rows.values()} == {6, 3}


def test_weights_dont_change_the_count_of_positives():
    weight = 1 + np.arange(N) % 3
    found = ap.compare(Y, A, B, groups=QUERY, sample_weight=weight).units().to_frame()
    expected = ap.compare(Y, A, B, groups=QUERY).units().to_frame()
    counts = (frame.set_index("unit")["n_positives"].sort_index() for frame in (found, expected))
    assert next(counts).equals(next(counts))
    with_missing = {"clusters": PATIENT, "sample_weight": weight}
    assert ap.compare(Y, A, B, **with_missing).units().to_frame()["n_positives"].sum() == Y.sum()


def test_rows_that_are_queries():
    y = Y.reshape(15, 8)
    a, b = A.reshape(15, 8), B.reshape(15, 8)
    found = ap.compare(y, a, b, average="samples")
    expected = ap.compare(Y, A, B, groups=np.arange(N) // 8)
    one, other = found.units(), expected.units()
    assert [row.unit for row in one] == [row.unit for row in other]
    assert_allclose([row.difference for row in one], [row.difference for row in other], atol=1e-12)
    assert (found.wins, found.ties, found.losses) == (expected.wins, expected.ties, expected.losses)


# Clusters and rows have contributions


CLOSED = {
    "rows": {},
    "clusters": {"clusters": PATIENT},
    "both": {"groups": QUERY, "clusters": PATIENT},
    "weights": {"sample_weight": 1 + np.arange(N) % 3},
    "envelope": {"metric": "interpolated_average_precision"},
    "bootstrap": {"method": "bootstrap", "random_state": 0},
}


@pytest.mark.parametrize("given", CLOSED.values(), ids=CLOSED)
def test_contributions_are_those_of_the_intervals(given):
    found = ap.compare(Y, A, B, **given)
    assert (found.wins, found.ties, found.losses) == (None, None, None)
    alone = {key: each for key, each in given.items() if key not in ("method", "random_state")}
    a, b = (ap.confidence_interval(Y, each, **alone) for each in (A, B))
    units = found.units().to_frame().set_index("unit").loc[a.units]
    assert_allclose(units["A"], a.contributions(), atol=1e-12)
    assert_allclose(units["B"], b.contributions(), atol=1e-12)
    assert_allclose(units["difference"], a.contributions() - b.contributions(), atol=1e-12)
    if "method" not in given:
        assert np.sqrt((units["difference"] ** 2).sum()) == pytest.approx(found.standard_error)
    names = PATIENT if "clusters" in given else np.arange(N)
    assert units["n_positives"].tolist() == pd.Series(Y).groupby(names).sum().tolist()
    assert found.units().to_frame()["difference"].is_monotonic_increasing


def test_a_contribution_is_what_the_difference_loses_without_the_unit():
    found = ap.compare(Y, A, B, clusters=PATIENT)
    differences = []
    for row in found.units():
        kept = row.unit != PATIENT
        differences.append(found.difference - ap.compare(Y[kept], A[kept], B[kept]).difference)
    rows = [row.difference for row in found.units()]
    assert np.corrcoef(differences, rows)[0, 1] > 0.97


def test_classes():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 3, 60), rng.random((60, 3)), rng.random((60, 3))
    frame = ap.compare(y, a, b).units().to_frame()
    assert len(frame) == 60
    assert (frame["n_positives"] == 1).all()


def test_missed_positives_belong_to_their_clusters():
    exist = dict.fromkeys(range(30), 5) | {99: 2}
    frame = ap.compare(Y, A, B, clusters=PATIENT, n_positives=exist).units().to_frame()
    counts = frame.set_index("unit")["n_positives"]
    assert counts[99] == 2
    assert counts.drop(99).tolist() == [5] * 30


def test_groups_of_a_comparison_with_clusters():
    found = ap.compare(Y, A, B, groups=QUERY, clusters=PATIENT)
    expected = ap.compare(Y, A, B, groups=QUERY)
    assert found.units().kind == found.units(of="clusters").kind == "clusters"
    assert not found.units().of_values
    assert found.units(of="groups") == expected.units() == expected.units(of="groups")
    assert found.units(of="groups").of_values


REFUSED = [
    ({"groups": QUERY}, "clusters", "This comparison can list groups, but not clusters."),
    ({"groups": QUERY, "clusters": PATIENT}, "rows", "can list clusters and groups, but not rows."),
    ({"metric": "P@10", "clusters": PATIENT}, None, "with groups=, whose values can be listed"),
]


@pytest.mark.parametrize(("given", "of", "words"), REFUSED)
def test_refusals(given, of, words):
    with pytest.raises(ValueError, match=words):
        ap.compare(Y, A, B, **given).units(of=of)


def test_groups_are_offered_where_there_are_some():
    found = ap.compare(Y, A, B, metric="P@3", groups=QUERY, clusters=PATIENT)
    with pytest.raises(ValueError, match=r"or ask for units\(of='groups'\)"):
        found.units()
    assert len(found.units(of="groups")) == 15


def test_pickles_have_no_units():
    found = ap.compare(Y, A, B, groups=QUERY)
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    assert copy.wins == found.wins
    with pytest.raises(ValueError, match="units needs the data, which stayed behind"):
        copy.units()
    units = found.units()
    assert pickle.loads(pickle.dumps(units)) == units


# Tables


def test_names_of_models_are_columns():
    frame = pd.DataFrame({"y": Y, "bm25": A, "dense": B, "q": QUERY})
    units = ap.compare("y", "bm25", "dense", groups="q", data=frame).units()
    columns = ["unit", "bm25", "dense", "difference", "n_positives", "n_rows"]
    assert [*units.to_frame().columns] == columns
    assert [*units.to_dict()[0]] == [*columns, "conditions"]
    assert json.loads(json.dumps(units.to_dict(), allow_nan=False)) == units.to_dict()
    odd = frame.rename(columns={"bm25": "unit", "dense": "difference"})
    columns = ap.compare("y", "unit", "difference", groups="q", data=odd).units().to_frame().columns
    own = ["unit (model)", "difference (model)"]
    assert [*columns] == ["unit", *own, "difference", "n_positives", "n_rows"]


def test_rows_are_those_of_the_model_that_has_fewer():
    whole = pd.DataFrame({"y": Y, "score": A, "q": QUERY})
    names, exist = np.unique(QUERY, return_inverse=True)
    counts = dict(zip(names.tolist(), np.bincount(exist, Y).astype(int).tolist(), strict=True))
    some = whole[QUERY != "q03"].groupby("q").head(5)
    given = {"groups": "q", "n_positives": counts, "baseline": "whole"}
    units = ap.compare("y", "score", data={"some": some, "whole": whole}, **given).units()
    expected = {name: min(5, int((QUERY == name).sum())) for name in names.tolist()} | {"q03": 0}
    assert {row.unit: row.n_rows for row in units} == expected
    frame = ap.compare(Y, A, B, clusters=PATIENT).units().to_frame()
    assert frame.set_index("unit")["n_rows"].to_dict() == dict(
        zip(*np.unique(PATIENT, return_counts=True), strict=True)
    )
    assert "n_rows" not in ap.compare(Y, A, B).units().to_frame()  # whose units are rows


def test_names_of_units_are_kept():
    day = np.datetime64("2026-06-01") + np.arange(N) // 8
    units = ap.compare(Y, A, B, groups=day).units()
    assert units.to_frame()["unit"].dtype.kind == "M"
    assert "2026-06-01" in str(units)
    pairs = (QUERY, np.arange(N) // 4 % 2)
    units = ap.compare(Y, A, B, groups=pairs, zero_division=0.0).units()
    assert isinstance(units.rows[0].unit, tuple)
    assert isinstance(units.to_frame()["unit"][0], tuple)
    json.dumps(units.to_dict(), allow_nan=False)
    frame = pl.DataFrame({"y": Y, "a": A, "b": B, "q": pairs[0], "half": pairs[1]})
    given = {"groups": ["q", "half"], "data": frame, "zero_division": 0.0}
    assert ap.compare("y", "a", "b", **given).units().to_frame()["unit"].dtype == pl.String
    dates = [datetime.date(2026, 6, 1 + number // 8) for number in range(N)]
    assert len(ap.compare(Y, A, B, groups=dates).units().to_frame()) == 15


def test_the_middle_of_a_long_table_is_left_out():
    units = ap.compare(Y, A, B).units()
    lines = str(units).splitlines()
    assert lines[0] == "Contributions to average precision by row, A minus B"
    assert len(lines) == 2 + 10 + 1 + 10 + 1
    assert lines[12].split() == ["…"] * 5
    assert lines[-1] == "100 of 120 rows are left out; to_frame has all."
    assert len(units.to_frame()) == len(units) == len(units.rows) == 120
    digits = lines[2].split()[1].lstrip("+-").replace("0.", "").lstrip("0")
    assert len(digits) >= 2
    for text in (units.to_html(), units.to_markdown(), units.to_latex("Rows")):
        assert "100 of 120 rows are left out" in text


# Several models


def test_units_and_plan_of_several_models():
    models = {"a": A, "b": B, "same": A}
    found = ap.compare(Y, models, baseline="b", groups=QUERY)
    assert found.units("a") == ap.compare(Y, {"a": A, "b": B}, baseline="b", groups=QUERY).units()
    assert found.units("a").models == ("a", "b")
    with pytest.raises(ValueError, match="units needs the model to compare with 'b'"):
        found.units()


def test_the_plan_of_several_models_suffices_for_each():
    models = {"a": A, "b": B, "c": scores(0.2, 3), "same": B}
    found = ap.compare(Y, models, baseline="b")
    size = found.plan(difference=0.1)
    most, least = (
        max(
            ap.compare(Y, models[name], B, confidence_level=1 - 0.05 / n)
            .plan(difference=0.1)
            .factor
            for name in ("a", "c")
        )
        for n in (2, 1)  # the identical model can't differ
    )
    assert least < size.factor <= most
    assert found.plan(difference=0.1, power=0.9).factor > size.factor
    two = ap.compare(Y, {"a": A, "b": B}, baseline="b").plan(difference=0.1)
    assert two == ap.compare(Y, A, B).plan(difference=0.1)
    with pytest.raises(ValueError, match="standard error of 0"):
        ap.compare(Y, {"a": A, "b": A}).plan(difference=0.1)


def test_runs_with_other_documents():
    """Models with a table each are paired by their queries."""
    rng = np.random.default_rng(0)
    tables = {}
    for name, seed in (("bm25", 1), ("dense", 2)):
        kept = rng.permutation(N)[:100]
        tables[name] = pd.DataFrame({"y": Y, "s": scores(0.8, seed), "q": QUERY}).iloc[kept]
    n_positives = pd.Series(Y).groupby(QUERY).sum().to_dict()
    given = {"groups": "q", "n_positives": n_positives}
    found = ap.compare("y", "s", data=tables, baseline="dense", **given)
    units = found.units().to_frame().set_index("unit").sort_index()
    for name, table in tables.items():
        per_group = ap.report("y", "s", data=table, **given).per_group().iloc[:, 0]
        assert_allclose(units[name], per_group.sort_index(), atol=1e-12)
    assert units["n_positives"].tolist() == list(n_positives.values())


@pytest.mark.parametrize(
    "names",
    [[1, "b", 2.5, "c"], [1, 2.5, 3, 4], [("a", 1), ("a", 2), "b", 3], [True, "b", 1.5, 4]],
    ids=str,
)
def test_tables_of_polars_have_groups_of_several_types(names):
    groups = np.fromiter(names * 2, object, 8)
    data = pl.DataFrame({"y": [1, 0, 1, 1, 0, 1, 1, 0], "a": range(8), "b": range(8, 0, -1)})
    given = {"groups": groups, "data": data}
    units = ap.compare("y", "a", "b", **given).units().to_frame()
    each = ap.report("y", ["a", "b"], metrics="AP", **given).per_group()
    assert isinstance(each, pl.DataFrame)
    assert set(units["unit"]) == set(each["group"])
    assert len(each) == len(names)


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
