"""Reports, and what results print and convert to."""

import json
from html import unescape

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import (
    average_precision_score,
    confidence_interval,
    report,
)
from sklearn_ap._results import format_ends, format_pvalue, format_value
from sklearn_ap.inference import compare, compare_folds

WIDTH = 79


def close(first, second):
    return np.allclose(first, second, rtol=1e-7, atol=1e-9, equal_nan=True)


def draw(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    a = rng.standard_normal(n) + 1.3 * y
    return y, a, a + 0.5 * rng.standard_normal(n), np.arange(n) % 4


# --- reports --------------------------------------------------------------------------------------


def test_segments_are_calls_on_their_rows():
    y, a, b, by = draw()
    table = report(y, {"a": a, "b": b}, baseline="a", by=by)
    for row in table:
        if row.segment is not None and row.model == "b":
            rows = by == row.segment
            one = compare(y[rows], b[rows], a[rows], confidence_level=1 - 0.05 / 4)
            assert close([row.difference_low, row.difference_high], [one.low, one.high])
            assert close(row.pvalue, min(4 * one.pvalue, 1))
            alone = confidence_interval(y[rows], b[rows], confidence_level=1 - 0.05 / 4)
            assert close([row.value, row.low, row.high], [*alone])
            assert row.family == 4
            assert (row.n_samples, row.n_positives) == (rows.sum(), y[rows].sum())
    assert str(table).startswith(f"Average precision: {y.sum()} positives, ")
    whole = compare(y, {"a": a, "b": b}, baseline="a")["b"]
    assert close(table.rows[1].difference_low, whole.low)


def test_a_segment_without_positives_says_so():
    y, a, b, by = draw()
    y[by == 2] = False
    for models in ({"a": a}, {"a": a, "b": b}):
        table = report(y, models, by=by)
        empty = [row for row in table if row.segment == 2]
        assert {row.verdict for row in empty} == {"no positives"}
        assert {row.n_positives for row in empty} == {0}
        assert "no positives" in str(table)
        assert table.n_segments == 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_segment_of_groups_without_positives_has_no_value_in_a_weighted_mean():
    y, a, _, by = draw()
    rows = report(y & (by > 0), {"a": a}, groups=np.arange(400) // 4 % 9, average="weighted", by=by)
    assert rows.rows[1].verdict == "no positives"
    assert np.isnan(rows.rows[1].value)


def test_a_segment_of_one_group_has_a_value_without_an_interval():
    y, a, _, _ = draw()
    groups, exist = np.arange(400) // 200, {0: 99, 1: 99}
    all_rows, *rows = report(y, {"a": a}, groups=groups, by=groups, n_positives=exist).rows
    given = {"groups": groups, "n_positives": exist, "average": None}
    each = average_precision_score(y, a, **given)
    assert close([row.value for row in rows], each)
    assert close(all_rows.value, np.mean(each))
    assert all(np.isnan(row.low) and row.n_positives == 99 for row in rows)


def test_classes_and_segments():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 90), rng.random((90, 3))
    by = np.where(np.arange(90) < 45, "with", "without")
    y[(by == "without") & (y == 2)] = 1
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 classes"):
        rows = report(y, s, by=by).rows
    assert [row.verdict for row in rows] == ["", "", "no positives"]
    part = by == "without"
    expected = average_precision_score(y[part], s[part], classes=[0, 1, 2], zero_division=0)
    assert close(rows[2].value, expected)


def test_segments_are_in_the_order_of_categories():
    y, a, _, by = draw()
    names = np.array(["low", "mid", "high", "top"])
    column = pd.Series(pd.Categorical(names[by], [*names, "unused"], ordered=True), name="risk")
    enum = pl.Series("risk", names[by], dtype=pl.Enum([*names, "unused"]))
    frame = pd.DataFrame({"y": y, "a": a, "risk": column})
    results = (
        report(y, a, by=column),
        report("y", "a", by="risk", data=frame),
        report(y, a, by=enum),
    )
    for table in results:
        assert [row.segment for row in table] == [None, *names]
    assert [row.segment for row in report(y, a, by=names[by])] == [None, *sorted(names)]


def test_titles_and_units_are_alike():
    y, a, b, _ = draw()
    frame = pd.DataFrame({"y": y, "a": a, "b": b, "search_query_id": np.arange(400) // 20})
    data = {"data": frame, "groups": "search_query_id", "zero_division": 0.0}
    results = [
        confidence_interval("y", "a", **data),
        compare("y", "a", "b", **data),
        compare("y", ["a", "b"], **data),
        report("y", ["a", "b"], **data).rows[0],
    ]
    assert {result.metric for result in results} == {"Mean average precision"}
    assert [row.model for row in report("y", "b", data=frame)] == ["b"]
    assert all(result.basis.startswith("20 search queries") for result in results)
    one = confidence_interval("y", "a", clusters="search_query_id", data=frame)
    assert one.basis.startswith("20 search queries, ")


def test_a_perfect_precision_of_few_positives_is_said():
    y, a, _, by = draw()
    table = report(y, a, metrics="P@50", by=by)
    assert any("gets at most" in note for note in table.notes)
    assert len(table.notes) <= 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": np.array(["a", None] * 200, object)}, "missing"),
        ({"by": np.arange(400)}, "above 200"),
        ({"by": np.zeros((400, 2))}, "one column"),
        ({"by": np.arange(400) % 2, "n_positives": 500}, "which segments"),
        (
            {
                "by": np.arange(400) % 2,
                "groups": np.arange(400) // 200,
                "n_positives": {0: 99, 1: 99},
            },
            "which segments",
        ),
        ({"baseline": "z"}, "none of"),
        ({"margin": 0.1}, "several models"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"metrics": []}, "empty"),
    ],
)
def test_refusals_of_reports(options, words):
    y, a, *_ = draw()
    with pytest.raises(ValueError, match=words):
        report(y, a, **options)


# --- text, dicts and frames -----------------------------------------------------------------------


def list_results():
    y, a, b, half = draw()
    group = np.arange(400) // 20
    frame = pd.DataFrame({"y": y, "old": a, "new": b, "g": group, "half": half % 2})
    data = {"data": frame, "zero_division": 0.0}
    return {
        "interval": confidence_interval("y", "old", **data),
        "pair": compare("y", "old", "new", groups="g", margin=0.1, **data),
        "models": compare("y", ["old", "new"], margin=0.1, **data),
        "report": report("y", ["old", "new"], metrics=["AP", "P@10"], by="half", **data),
        "one": report("y", "old", by="half", **data),
        "folds": compare_folds({"a": a[:5], "b": b[:5], "c": a[5:10]}, n_train=4, n_test=1),
    }


@pytest.mark.parametrize("name", list_results())
def test_results_print_and_convert(name):
    result = list_results()[name]
    lines = str(result).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert str(result).isascii()
    assert repr(result) == str(result)
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert len(result.to_frame()) == len(written.get("rows", [0]))
    assert all(note in unescape(result._repr_html_()) for note in result.notes)
    assert isinstance(result.notes, tuple)
    names = {"value", "low", "high"}
    if name != "interval":
        names |= {"model", "difference", "pvalue", "verdict"}
    for row in getattr(result, "rows", [result]):
        assert all(hasattr(row, each) for each in names)


def test_numbers():
    assert (format_value(-0.0001, "+"), format_value(0.25, "+")) == ("0.000", "+0.250")
    assert format_ends(0.0001, 0.5) == ">0.000 to 0.500"
    assert (format_pvalue(0.04996), format_pvalue(1e-5)) == ("<0.050", "<0.001")


def test_a_margin_stands_beside_what_intervals_are_adjusted_for():
    rng = np.random.default_rng(0)
    models = {name: rng.random(200) for name in "abc"}
    text = str(compare(np.arange(200) % 2, models, baseline="a", margin=0.1))
    assert "adjusted for 2 comparisons" in text
    assert "Margin: 0.1" in text
