"""Segments: parts of the rows with values of their own, and what holds for all of them at once."""

import json
import math
import re
import tracemalloc
from collections import Counter
from datetime import date, datetime
from functools import cache, partial
from io import StringIO
from itertools import product

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap import readers
from sklearn_ap.readers import coco
from sklearn_ap.readers.detections import CocoParams, MatchedDetections

from . import oracle
from .containers import each_container
from .tables import ROWS as TABLE
from .tables import TABLES, arrow, each_table

pytestmark = pytest.mark.usefixtures("few_random_orders")

N = 900
RNG = np.random.default_rng(0)
COUNTRY = RNG.choice(["FR", "DE", "US"], N, p=[0.5, 0.3, 0.2])
Y = (RNG.random(N) < np.where(COUNTRY == "FR", 0.25, 0.15)).astype(int)
DAY = RNG.integers(0, 60, N)
AMOUNT = np.round(RNG.lognormal(0, 0.6, N), 2)
MODELS = {
    name: np.round(RNG.standard_normal(N) + gain * Y, 1)
    for name, gain in (("old", 1.0), ("new", 1.6), ("other", 1.1))
}
ONE = MODELS["old"]
THREE = np.arange(N) % 3
PROBA = RNG.random((N, 3)) + np.eye(3)[THREE] * 0.3


def of(report, segment, model=None, metric=None):
    """Return the only row of a segment."""
    (row,) = (
        row
        for row in report.rows
        if row.segment == segment and model in (None, row.model) and metric in (None, row.metric)
    )
    return row


def numbers(row, pvalue=True):
    found = [row.value, row.low, row.high]
    found += [row.difference, row.difference_low, row.difference_high, row.pvalue][: 3 + pvalue]
    return found


# --- what a segment's value is --------------------------------------------------------------------

ROWS = ("y_true", "y_score", "sample_weight", "groups", "clusters")
OPTIONS = {
    "none": {},
    "weights": {"sample_weight": AMOUNT},
    "whole weights in one segment": {"sample_weight": np.where(COUNTRY == "DE", 2.0, AMOUNT)},
    "weights of 0": {"sample_weight": np.where(DAY % 3, AMOUNT, 0)},
    "clusters": {"clusters": DAY},
    "groups": {"groups": DAY},
    "groups by positives": {"groups": DAY, "average": "weighted"},
    "groups and clusters": {"groups": DAY % 4, "clusters": DAY},
    "grades": {"y_true": np.minimum(DAY, 3) * Y, "min_grade": 2},
    "labels": {"y_true": np.where(Y, "fraud", "fine"), "pos_label": "fraud"},
    "several columns": {"groups": (DAY % 5, DAY % 2)},
    "nan": {"groups": DAY, "zero_division": np.nan},
}
METRICS = ["AP", "P@10%", "envelope", "11-point", "recall_at_20", "precision_at_recall_0.5"]


@pytest.mark.sweep(8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPTIONS)
def test_a_segment_is_a_call_on_its_rows(name):
    given = {"y_true": Y, "y_score": MODELS, **OPTIONS[name]}
    metrics = METRICS[: None if name == "none" else 2]
    given["y_score"] = {model: MODELS[model] for model in ("old", "new")}
    how = {"metrics": metrics, "baseline": "old", "random_state": 0}
    if "sample_weight" in given:
        how["metrics"] = ["AP", ap.metric("P@10%", k_counts="weight")]
    report = ap.report(**given, **how, by=COUNTRY, joint=False)
    for segment in ("DE", "FR", "US"):
        here = COUNTRY == segment
        own = {role: of_rows(given[role], here) for role in ROWS if role in given}
        alone = ap.report(**{**given, **own}, **how)
        rows = [row for row in report.rows if row.segment == segment]
        for row, one in zip(rows, alone.rows, strict=True):
            assert (row.model, row.metric, row.basis) == (one.model, one.metric, one.basis)
            assert (row.n_samples, row.n_positives) == (one.n_samples, one.n_positives)
            np.testing.assert_array_equal(numbers(row), numbers(one))


def test_a_segment_of_many_rows_is_a_call_on_them(monkeypatch):
    monkeypatch.setattr(
        "sklearn_ap.core.units._MAX_UNITS_WITH_ORDER", 0
    )  # rows, of which the order is kept
    test_a_segment_is_a_call_on_its_rows("none")


def of_rows(column, rows):
    if isinstance(column, dict):
        return {name: each[rows] for name, each in column.items()}
    if isinstance(column, tuple):
        return tuple(each[rows] for each in column)
    return column[rows]


@pytest.mark.sweep(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPTIONS)
def test_the_row_for_all_data_is_the_report_without_segments(name):
    given = {"y_true": Y, "y_score": MODELS, **OPTIONS[name], "random_state": 0}
    without = ap.report(**given)
    found = ap.report(**given, by=COUNTRY)
    rows = [row for row in found.rows if row.segment is None]
    assert rows == list(without.rows)
    assert [row.segment for row in found.rows][3::3] == ["DE", "FR", "US"]


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
def test_classes(average):
    report = ap.report(THREE, PROBA, average=average, by=COUNTRY, joint=False)
    for segment in ("DE", "FR", "US"):
        here = COUNTRY == segment
        alone = ap.report(THREE[here], PROBA[here], average=average)
        rows = [row for row in report.rows if row.segment == segment]
        assert [row.metric for row in rows] == [row.metric for row in alone.rows]
        for row, one in zip(rows, alone.rows, strict=True):
            assert (row.value, row.low, row.high) == (one.value, one.low, one.high)
            assert row.n_positives == one.n_positives


def test_n_positives_of_groups():
    exist = {day: int(Y[DAY == day].sum()) + day % 3 for day in range(60)}
    week, metric = DAY // 20, "mean_average_precision"
    given = {"groups": DAY, "n_positives": {**exist, 99: 2}, "zero_division": 0.0}
    report = ap.report(Y, ONE, metrics=metric, by=week, joint=False, **given)
    for segment in range(3):
        here = week == segment
        own = {"n_positives": {day: exist[day] for day in range(20 * segment, 20 * segment + 20)}}
        alone = ap.report(
            Y[here], ONE[here], metrics=metric, **{**given, "groups": DAY[here]} | own
        )
        row, (one,) = of(report, segment), alone.rows
        assert (row.value, row.low, row.high) == (one.value, one.low, one.high)
        assert row.n_positives == one.n_positives == sum(own["n_positives"].values())
        assert row.n_groups == one.n_groups == 20
    assert of(report, None).value == ap.report(Y, ONE, metrics=metric, **given).rows[0].value
    assert "1 group has no rows" in str(report)


def test_n_positives_of_clusters():
    exist = {day: int(Y[DAY == day].sum()) + day % 3 for day in range(60)}
    report = ap.report(Y, ONE, clusters=DAY, n_positives=exist, by=DAY // 20, joint=False)
    for segment in range(3):
        here = DAY // 20 == segment
        own = {day: exist[day] for day in range(20 * segment, 20 * segment + 20)}
        alone = ap.report(Y[here], ONE[here], clusters=DAY[here], n_positives=own)
        row, (one,) = of(report, segment), alone.rows
        assert (row.value, row.low, row.high) == (one.value, one.low, one.high)


# --- fractions of positives -----------------------------------------------------------------------


def balanced(y, by, fraction=0.5):
    """Return weights by which positives make up this fraction of each segment."""
    of_segment = pd.DataFrame({"y": y, "by": by}).groupby("by")["y"]
    n_positives = of_segment.transform("sum")
    n_negatives = of_segment.transform("size") - n_positives
    return np.where(y, 1.0, (1 / fraction - 1) * n_positives / n_negatives)


@pytest.mark.filterwarnings("ignore:A few negatives")
@pytest.mark.parametrize("fraction", [0.02, 0.5])
def test_weights_that_are_computed_in_each_segment(fraction):
    weight = balanced(Y, COUNTRY, fraction)
    report = ap.report(
        Y, MODELS, sample_weight=weight, by=COUNTRY, joint=False, baseline="old", metrics="AP"
    )
    for segment in ("DE", "FR", "US"):
        here = COUNTRY == segment
        assert np.average(Y[here], weights=weight[here]) == pytest.approx(fraction)
        alone = ap.report(
            Y[here],
            of_rows(MODELS, here),
            sample_weight=weight[here],
            baseline="old",
            joint=False,
            metrics="AP",
        )
        rows = [row for row in report.rows if row.segment == segment]
        for row, one in zip(rows, alone.rows, strict=True):
            np.testing.assert_array_equal(numbers(row, pvalue=False), numbers(one, pvalue=False))


def test_two_countries():
    """Legitimate payments were subsampled to 40% in both countries, where fraud differs."""
    rng = np.random.default_rng(5)
    y = np.concatenate([np.arange(40_000) < 800, np.arange(40_000) < 200])
    country = np.repeat(["A", "B"], 40_000)
    score = rng.standard_normal(80_000) + 2 * y
    kept = y | (rng.random(80_000) < 0.4)
    weight = np.where(y, 1, 1 / 0.4)[kept]
    report = ap.report(y[kept], score[kept], sample_weight=weight, by=country[kept])
    for segment in "AB":
        here = country == segment
        true = ap.average_precision_score(y[here], score[here])
        assert of(report, segment).value == pytest.approx(true, rel=0.15)
    assert of(report, "A").value > 1.5 * of(report, "B").value
    assert DIFFERS in " ".join(str(report).split())
    weight = balanced(y[kept], country[kept], 0.01)
    alike = ap.report(y[kept], score[kept], sample_weight=weight, by=country[kept])
    assert of(alike, "A").value == pytest.approx(of(alike, "B").value, rel=0.2)
    assert DIFFERS not in alike.to_markdown()


DIFFERS = "Don't compare segments with each other: their fractions of positives differ."
BY = {
    "names": COUNTRY,
    "some missing": np.where(DAY, COUNTRY, None),
    "times": np.where(COUNTRY == "FR", *np.array(["2026-01-01", "2026-02-01"], "M8[s]")),
}


UNWEIGHTED = ["P@20", "VOC07", ap.metric("P@10%", ties="best")]  # or weights change what k counts


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("metric", "by"), [*product(["AP"], BY), *product(["P@10%", *UNWEIGHTED], ["names"])]
)
def test_the_advice_on_fractions_of_positives_can_be_followed(metric, by):
    y = Y * ((COUNTRY == "FR") | (DAY % 3 == 0))
    given = {"y_true": y, "y_score": ONE, "metrics": metric, "random_state": 0, "by": BY[by]}
    words = ap.report(**given).to_markdown()
    assert DIFFERS in words
    advice = (
        "pass a sample_weight of 1 for positives, and of n_positives / n_negatives of their segment"
    )
    assert (advice in words) == (metric not in UNWEIGHTED)
    if metric in UNWEIGHTED:
        return
    weight = balanced(y, BY[by])
    weight[np.isnan(weight)] = 1  # of rows without a segment
    alike = ap.report(**given, sample_weight=weight)
    assert DIFFERS not in alike.to_markdown()
    assert advice not in alike.to_markdown()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", [{}, {"groups": DAY}, {"clusters": DAY}])
def test_a_fraction_of_positives_is_a_result_if_n_positives_is_known(given):
    """If the same objects exist everywhere, a segment with few correct boxes isn't easier."""
    half, exist = DAY % 2, {"n_positives": dict.fromkeys(range(60), N)}
    y = Y * np.where(half, 1, DAY % 3 == 0)
    assert DIFFERS in ap.report(y, ONE, by=half, **given).to_markdown()
    if given:
        assert DIFFERS not in ap.report(y, ONE, by=half, **given, **exist).to_markdown()


@pytest.mark.filterwarnings("ignore")
def test_detections_and_documents_have_no_advice_on_fractions_of_positives():
    table = detections([0.5, 0.9])
    correct, overlap = table.columns["correct"], table.columns["overlap"]
    assert correct[overlap == 0.5].mean() > 4 * correct[overlap == 0.9].mean()
    documents = [
        f"{query} 0 {document} {int(document < 9 - query % 2 * 8)}"
        for query in range(40)
        for document in range(10)
    ]
    found = [
        f"{query} Q0 {document} 1 {-document} tag" for query in range(40) for document in range(10)
    ]
    run = readers.read_trec(StringIO("\n".join(documents)), StringIO("\n".join(found)))
    kind = np.array([int(query) % 2 for query in run.columns["query"]])
    for report in (ap.report(data=table, by="overlap"), ap.report(data=run, by=kind)):
        assert len({row.segment for row in report.rows}) == 3
        assert "sample_weight" not in str(report)


# --- which rows -----------------------------------------------------------------------------------


def test_segments_of_several_columns_take_little_memory():
    rng = np.random.default_rng(0)
    y = rng.random(40_000) < 0.02
    models = {name: rng.standard_normal(y.size) + y for name in "abc"}
    columns = tuple(rng.random(y.size) < 0.4 for _ in range(8))
    n_rows = len(models) * len(columns) * y.size
    tracemalloc.start()
    try:
        ap.report(y, models, by=columns)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 80 * n_rows  # bytes


def test_a_report_on_one_segment_says_so():
    for models in (ONE, MODELS):
        text = " ".join(str(ap.report(Y, models, by=np.zeros(N))).split())
        assert ("3 comparisons (Bonferroni)" in text) == (models is MODELS)
        assert text.count("(Bonferroni)") == (models is MODELS)
        assert "segments (Bonferroni)" not in text
        assert "nan" not in text
    tagged = ap.report(Y, ONE, by=np.where(COUNTRY == "FR", "tagged", None))
    assert [row.segment for row in tagged] == [None, "tagged"]
    assert "all 1 segments" not in str(tagged)
    one = np.where(COUNTRY == "FR", Y, 0)
    two = {name: MODELS[name] for name in ("old", "new")}
    given = {"by": COUNTRY == "FR", "zero_division": 0.0, "baseline": "old"}
    assert "adjusted for" not in str(ap.report(one, two, **given))
    text = str(ap.report([0, 1], [1, 2], by=["a", "b"], zero_division=0.0))
    assert "adjusted for" not in text


@pytest.mark.parametrize("missing", [None, np.nan, "NaT"])
def test_missing_values_count_for_all_data_only(missing):
    by = COUNTRY.astype(object)
    if missing == "NaT":
        by = np.datetime64("2026-01-01") + DAY // 20
        missing = np.datetime64("NaT", "D")
    by[:7] = missing
    report = ap.report(Y, ONE, by=by)
    known = np.arange(N) >= 7
    alone = ap.report(Y[known], ONE[known], by=by[known])
    assert "7 rows have no value of by" in str(report)
    assert of(report, None).n_samples == N
    for row, one in zip(report.rows[1:], alone.rows[1:], strict=True):
        assert row == one


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_nan_is_missing_in_the_columns_of_each_library(library):
    """Arrow and polars have both nan and null."""
    module = pytest.importorskip(library)
    half = (DAY % 2).astype(float)
    half[:7] = np.nan
    column = {"pandas": "Series", "polars": "Series", "pyarrow": "array"}[library]
    of_column = ap.report(Y, ONE, by=getattr(module, column)(half))
    assert [row.segment for row in of_column] == [None, 0.0, 1.0]
    assert "7 rows have no value of by" in str(of_column)
    known = np.arange(N) >= 7
    alone = ap.report(Y[known], ONE[known], by=half[known])
    for row, one in zip(of_column.rows[1:], alone.rows[1:], strict=True):
        assert row == one


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_column_without_any_value_leaves_the_others_as_they_are(place):
    data = {"y": Y, "s": ONE, "country": COUNTRY, "half": DAY % 2, "lost": np.full(N, np.nan)}
    names = ["country", "half"]
    with_lost = [*names[:place], "lost", *names[place:]]
    expected, found = (ap.report("y", "s", by=by, data=data) for by in (names, with_lost))
    assert [*found] == [*expected]
    assert f"{N} rows have no value of lost" in " ".join(str(found).split())
    with pytest.raises(ValueError, match="by has no segments: all of its values are missing"):
        ap.report("y", "s", by=["lost", "none"], data=data | {"none": [None] * N})


def test_rows_without_a_value_count_in_other_columns():
    country, half = COUNTRY.astype(object), (DAY % 2).astype(float)
    country[:3], half[:9], names = None, np.nan, ["Land (ISO)", "half"]
    columns = {"y": Y, "s": ONE, "Land (ISO)": country, "half": half}
    words = (
        "3 rows have no value of Land (ISO), and 9 rows have no value of half, so they count for "
        "all data and other columns only."
    )
    report = ap.report("y", "s", by=names, data=columns)
    assert [note.text for note in report.notes if note.code == "no_segment"] == [words]


def test_segments_of_groups_say_how_many_they_have():
    report = ap.report(Y, ONE, groups=DAY, by=DAY % 3, metrics=["HR@5"], zero_division=0.0)
    _, header, *lines = str(report).splitlines()
    assert header.split()[1] == "groups"
    assert [line.split()[1] for line in lines[1:4]] == [
        str(len({*DAY[DAY % 3 == third].tolist()})) for third in range(3)
    ]


HEADERS = {
    "old": "segment positives old 95% interval",
    "old new": "segment positives new old diff 95% interval p verdict",
    "old new other": "segment positives model value old diff 95% interval p verdict",
}


@pytest.mark.parametrize("names", HEADERS)
def test_more_than_two_models_have_rows_of_their_own(names):
    models = {name: MODELS[name] for name in names.split()}
    report = ap.report(Y, models, by=COUNTRY, baseline="old", metrics="AP")
    header = " ".join(str(report).splitlines()[1].split())
    assert header.removesuffix(" at 95%") == HEADERS[names]


def test_categories_of_booleans_are_booleans():
    is_french = pd.Categorical(COUNTRY == "FR", categories=[True, False])
    for by in (is_french, pd.Series(is_french).where(DAY > 3)):
        found = [row.segment for row in ap.report(Y, ONE, by=by).rows]
        assert [(type(name), name) for name in found[1:]] == [(bool, True), (bool, False)]
    groups = ap.metric("MAP").by_name(Y, ONE, groups=is_french)
    assert [*map(type, groups)] == [bool, bool]


@pytest.mark.parametrize("of_queries", [False, True])
def test_segments_that_the_first_model_lacks_are_in_order(of_queries):
    queries = [f"q{number}" for number in range(8, 12)]
    judged = {query: {"a": 1, "b": 0} for query in queries}
    runs = {"old": queries[1:], "new": queries[::-1]}
    run = {model: {query: {"a": 2, "b": 1} for query in runs[model]} for model in runs}
    by = {query: query.upper() for query in queries} if of_queries else "query"
    report = ap.report(data=readers.read_runs(judged, run), metrics="MAP", by=by)
    found = [row.segment for row in report.rows if row.model == "new"]
    assert [str(name).lower() for name in found[1:]] == queries
    assert of(report, found[1], "old").value == 0
    assert of(report, found[1], "new").value == 1


def test_categories_are_in_their_order():
    pandas = pytest.importorskip("pandas")
    by = pandas.Categorical(COUNTRY, categories=["US", "GB", "FR", "DE"])
    report = ap.report(Y, ONE, by=by)
    assert [row.segment for row in report.rows] == [None, "US", "FR", "DE"]
    both = ap.report(
        "y",
        "s",
        by=["c", "half"],
        data=pandas.DataFrame({"y": Y, "s": ONE, "c": by, "half": DAY % 2}),
    )
    assert [row.segment for row in both.rows] == [None, "US", "FR", "DE", 0, 1]


def test_enums_are_in_their_order():
    polars = pytest.importorskip("polars")
    by = polars.Series(COUNTRY.tolist(), dtype=polars.Enum(["US", "FR", "DE"]))
    assert [row.segment for row in ap.report(Y, ONE, by=by).rows] == [None, "US", "FR", "DE"]


def test_days_are_in_the_order_of_time():
    days = np.array([date(2026, 1 + d // 20, 28 - d % 3) for d in DAY])
    found = [row.segment for row in ap.report(Y, ONE, by=days).rows][1:]
    assert found == sorted(set(days.tolist()))
    times = days.astype("M8[D]")
    assert [row.segment for row in ap.report(Y, ONE, by=times).rows][1:] == sorted(set(times))


@pytest.mark.parametrize("kind", ["array", "list", "tuple", "pandas", "polars", "arrow", "data"])
def test_several_columns_stand_one_after_the_other(kind):
    """As the table of a paper. Crossed cells are a column of their own."""
    other, names, more = DAY % 2, ("column 1", "column 2"), {}
    by = COUNTRY, other
    if kind == "array":
        by = np.column_stack([COUNTRY.astype(object), other.astype(object)])
    elif kind == "list":
        by = COUNTRY.tolist(), other.tolist()
    elif kind == "data":
        by, names = ["country", "other"], ("country", "other")
        more = {"data": {"country": COUNTRY, "other": other}}
    elif kind != "tuple":
        library = pytest.importorskip("pyarrow" if kind == "arrow" else kind)
        make = library.table if kind == "arrow" else library.DataFrame
        by, names = make({"country": COUNTRY.tolist(), "other": other}), ("country", "other")
    if kind == "arrow":
        names = "column 1", "column 2"  # of columns without names
    report = ap.report(Y, ONE, by=by, **more)
    expected = [(names[0], "DE"), (names[0], "FR"), (names[0], "US"), (names[1], 0), (names[1], 1)]
    assert report.by == names
    found = [(row.segment_column, row.segment) for row in report]
    assert found == [(None, None), *expected]
    shown = [(row["segment_column"], row["segment"]) for row in report.to_dict()]
    assert shown == found
    printed = [line.strip() for line in str(report).splitlines()]
    for column, value in expected:
        assert sum(line.startswith(f"{column}: {value}  ") for line in printed) == 1
    assert sum(line.startswith("all data  ") for line in printed) == 1
    here = other == 1
    alone = ap.confidence_interval(Y[here], ONE[here], confidence_level=1 - 0.05 / 5)
    row = report.rows[-1]
    assert (row.value, row.low, row.high) == pytest.approx((*alone,), abs=1e-12)
    assert "for 5 segments (Bonferroni)" in " ".join(str(report).split())


def test_segments_of_one_column_have_its_name_but_print_only_the_value():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": Y, "s": ONE, "new": DAY > 30})
    for given in (
        {"y_true": "y", "y_score": "s", "by": "new", "data": frame},
        {"y_true": Y, "y_score": ONE, "by": frame["new"]},
    ):
        report = ap.report(**given)
        assert [(row.segment_column, row.segment) for row in report] == [
            (None, None), ("new", False), ("new", True),
        ]  # fmt: skip
        assert [line.split()[0] for line in str(report).splitlines()[3:5]] == ["False", "True"]
    unnamed = ap.report(Y, ONE, by=DAY > 30)
    assert {row.segment_column for row in unnamed} == {None}
    assert unnamed.by == ()


def test_columns_with_one_name_are_refused():
    data = {"y": Y, "s": ONE, "c": COUNTRY}
    with pytest.raises(ValueError, match="by has a column twice"):
        ap.report("y", "s", by=["c", "c"], data=data)


def test_a_column_with_many_values_beside_others_is_named():
    data = {"y": Y, "s": ONE, "c": COUNTRY, "row": np.arange(N)}
    with pytest.raises(ValueError, match="The column row of by has 900 different values among 900"):
        ap.report("y", "s", by=["c", "row"], data=data)


# --- what holds at once ---------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["AP", "P@10%"])
def test_segments_have_the_level_of_bonferroni(metric):
    given = {"random_state": 0, "confidence_level": 1 - 0.05 / 3}
    report = ap.report(Y, ONE, metrics=metric, random_state=0, by=COUNTRY)
    for segment in ("DE", "FR", "US"):
        here = COUNTRY == segment
        alone = ap.confidence_interval(Y[here], ONE[here], metric=metric, **given)
        row = of(report, segment)
        assert (row.low, row.high) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_one_segment_alone_needs_no_adjustment():
    same = np.full(N, "all")
    joint, alone = (ap.report(Y, MODELS, by=same, baseline="old", joint=j) for j in (True, False))
    for one, other in zip(joint.rows[:6], alone.rows[:6], strict=True):
        assert (one.low, one.high) == (other.low, other.high)
    two = {name: MODELS[name] for name in ("old", "new")}
    row = of(ap.report(Y, two, by=same, baseline="old"), "all", "new")
    whole = of(ap.report(Y, two, baseline="old"), None, "new")
    assert numbers(row) == numbers(whole)


@pytest.mark.sweep(4)
@pytest.mark.filterwarnings("ignore:No positive")
@pytest.mark.parametrize(
    "given", [{}, {"clusters": DAY}, {"groups": DAY}, {"sample_weight": AMOUNT}]
)
@pytest.mark.parametrize("models", [ONE, MODELS])
@pytest.mark.parametrize("n_levels", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_p_agrees_with_the_interval(given, models, n_levels):
    levels = 0.5, 0.8, 0.95
    each = COUNTRY, DAY // 4, (DAY < 30, COUNTRY == "FR")
    for place, segments in enumerate(each):
        for level in np.roll(levels, -place)[:n_levels].tolist():
            report = ap.report(Y, models, by=segments, confidence_level=level, **given)
            rows = [row for row in report.rows if row.segment is not None]
            tested = [row for row in rows if row.pvalue == row.pvalue]
            assert len(tested) > 1 or models is ONE
            for row in tested:
                excludes = row.difference_low > 0 or row.difference_high < 0
                assert (row.pvalue < 1 - level) == excludes
                assert row.verdict == (
                    "unclear" if not excludes else "better" if row.difference > 0 else "worse"
                )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("models", [ONE, MODELS], ids=["one", "several"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_each_interval_says_the_level_that_was_passed(models, joint, level):
    """Those of a family are computed at a higher one, and some segments have no intervals."""
    has_positives = np.where((Y == 1) | (DAY > 9), "positives", "negatives")
    by = COUNTRY, has_positives, DAY == 3  # a single cluster
    report = ap.report(Y, models, by=by, clusters=DAY, joint=joint, confidence_level=level)
    assert report.confidence_level == level
    assert {row.segment for row in report} == {None, *np.unique(COUNTRY)} | {
        "positives", "negatives", False, True
    }  # fmt: skip
    assert {np.isnan(row.low) for row in report} == {True, False}
    for row in report:
        assert row.interval.confidence_level == level
        assert [row.interval.value, row.interval.low, row.interval.high] == pytest.approx(
            numbers(row)[:3], nan_ok=True
        )


def test_names_and_order_of_segments_do_not_matter():
    order = np.random.default_rng(3).permutation(N)
    names = {"DE": "3", "FR": "1", "US": "2"}
    one = ap.report(Y, MODELS, by=COUNTRY, clusters=DAY, baseline="old")
    renamed = np.array([names[c] for c in COUNTRY])
    other = ap.report(
        Y[order], of_rows(MODELS, order), by=renamed[order], clusters=DAY[order], baseline="old"
    )
    for row in one.rows:
        same = of(other, names.get(row.segment), row.model)
        np.testing.assert_allclose(numbers(row), numbers(same), rtol=1e-6, atol=3e-4)


def test_models_are_compared_with_the_baseline_of_all_data():
    report = ap.report(Y, MODELS, by=COUNTRY)
    assert report.baseline == "new"
    chosen = [row for row in report.rows if row.segment is not None and row.model != "new"]
    named = ap.report(Y, MODELS, by=COUNTRY, baseline="new")
    told = [row for row in named.rows if row.segment is not None and row.model != "new"]
    for one, other in zip(chosen, told, strict=True):  # of all pairs of models, so it's wider
        assert one.pvalue >= other.pvalue
        assert one.difference_low < other.difference_low


@pytest.mark.parametrize("make", [lambda: "AP", lambda: ap.metric("AP", sample_weight=Y + 1)])
def test_verdicts_with_a_margin(make):
    given = {"metrics": make(), "margin": {make(): 0.9}}
    report = ap.report(Y, MODELS, by=COUNTRY, baseline="old", **given)
    rows = [row for row in report.rows if row.segment is not None and row.model != "old"]
    assert {row.verdict for row in rows} == {"equivalent"}
    assert {row.margin for row in rows} == {0.9}
    assert "Margin: 0.9." in str(report)
    for margin, said in ((0.01, "unclear"), (0.9, "equivalent")):
        same = ap.report(Y, {"a": ONE, "b": ONE}, by=COUNTRY, baseline="a", margin=margin)
        assert {row.verdict for row in same.rows if row.model == "b"} == {said}


@pytest.mark.parametrize("times", [1.4, 1.6])
def test_a_fraction_of_positives_is_told_if_it_differs_much_and_the_metric_depends_on_it(times):
    """Hit rates and recalls don't rise with it."""
    by = np.repeat(["a", "b"], 5000)
    label = np.arange(10_000) % 5000 < np.where(by == "a", 1000 * times, 1000)
    score, given = np.arange(10_000) % 97, {"by": by, "groups": np.arange(10_000) // 50}
    for metrics in ("AP", "P@5", "R-precision", "precision_at_recall_0.5"):
        found = ap.report(label, score, metrics=metrics, zero_division=0.0, **given)
        assert (DIFFERS in " ".join(str(found).split())) == (times > 1.5)
    given |= {"zero_division": 0.0}
    for metrics in ("HR@5", "R@5", "MRR", "nDCG@5"):
        assert DIFFERS not in str(ap.report(label, score, metrics=metrics, **given))
    for metrics in (["HR@5", "AP"], ["AP", "HR@5"]):
        text = " ".join(str(ap.report(label, score, metrics=metrics, **given)).split())
        told = re.findall(f"For ([^.,]+), {DIFFERS[0].lower()}{DIFFERS[1:]}", text)
        assert told == ["average precision"] * (times > 1.5)


# --- segments about which little is known ---------------------------------------------------------


def test_a_segment_without_positives_has_a_row_that_says_so():
    """So nothing warns of it."""
    y = np.where(COUNTRY == "US", 0, Y)
    report = ap.report(y, MODELS, by=COUNTRY, baseline="old")
    row = of(report, "US", "new")
    assert (row.n_positives, row.verdict) == (0, None)
    undefined = row.value, row.low, row.high, row.difference, row.difference_low, row.pvalue
    assert np.isnan(undefined).all()
    lines = [line for line in str(report).splitlines() if line.startswith("US  ")]
    assert lines
    for line in lines:
        assert line.endswith(" no positives")
        assert "." not in line  # of a value
    assert all("US" not in key for key in report.to_metrics())
    (found,) = [
        each for each in report.to_dict() if (each["segment"], each["model"]) == ("US", "new")
    ]
    assert found["value"] is found["difference"] is found["verdict"] is None
    chosen = ap.report(y, MODELS, by=COUNTRY, baseline="old", zero_division=1)
    row = of(chosen, "US", "new")
    assert (row.value, row.difference, row.verdict) == (1.0, 0.0, None)
    silent = ap.report(y, ONE, by=COUNTRY, zero_division=np.nan)
    assert math.isnan(of(silent, "US").value)
    known = COUNTRY != "US"  # it isn't part of the family
    others = ap.report(y[known], MODELS["new"][known], by=COUNTRY[known])
    assert of(report, "DE", "new").low == of(others, "DE").low


FEW = {
    "one model": {"y_score": ONE},
    "models": {"y_score": MODELS, "baseline": "old"},
    "best model": {"y_score": MODELS, "margin": 0.01},
    "several metrics": {"y_score": MODELS, "metrics": ["AP", "P@5"], "baseline": "new"},
    "weights": {"y_score": MODELS, "sample_weight": AMOUNT},
    "n_positives": {
        "y_score": MODELS,
        "clusters": np.arange(N),
        "n_positives": dict(enumerate(Y.tolist())),
    },
    "groups": {"y_score": MODELS, "groups": np.arange(N) % 90 // 3, "zero_division": 0.0},
    "one by one": {"y_score": MODELS, "joint": False},
}
# Of 9 positives in the smallest two segments, as the rows of each
FEW_BY = np.where(np.cumsum(Y) <= 2, "tiny", np.where(np.cumsum(Y) <= 9, "small", COUNTRY))
FEW_BY[(Y == 0) & (np.arange(N) > 890)] = "none"


@cache
def report_plainly(case):
    """Return the arguments and the segments of a case, and its report without a minimum."""
    given = {"y_true": Y, "random_state": 0, "n_resamples": 19} | FEW[case]
    by = FEW_BY
    if case == "groups":  # which are whole
        by = np.array(["tiny", "small", *COUNTRY[:28]])[given["groups"]]
    return given, by, ap.report(**given, by=by)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("case", FEW)
@pytest.mark.parametrize("least", [1, 2, 8])
def test_segments_of_few_positives_have_only_values(case, least):
    """The others are what they are if those rows are in no segment."""
    given, by, plain = report_plainly(case)
    report = ap.report(**given, by=by, min_positives=least)
    few = {row.segment for row in plain if row.segment and row.n_positives < least}
    assert few or case == "groups"
    others = ap.report(**given, by=np.where(np.isin(by, [*few]), None, by.astype(object)))
    assert [row for row in report if row.segment not in few] == [*others]
    for row, before in zip(report, plain, strict=True):
        assert (row.segment, row.model, row.n_positives) == (
            before.segment,
            before.model,
            before.n_positives,
        )
        if row.segment in few:
            np.testing.assert_equal(row.value, before.value)
            undefined = [row.low, row.high, row.difference, row.difference_low]
            assert np.isnan([*undefined, row.difference_high, row.pvalue]).all()
            assert row.verdict is None
    assert {row["min_positives"] for row in report.to_dict()} == {least}
    n_compared = len(report._compared) or 1
    assert report.to_markdown().count("few positives") == len(few) * n_compared * len(
        report._overall
    )
    assert (f"Few positives: fewer than {least}." in str(report)) == bool(few)
    drawn, drawn_others = (
        [[row.name.partition(" (")[0] for row in strip.rows] for strip in each._drawn().strips]
        for each in (report, others)
    )
    assert drawn == drawn_others


def test_a_class_of_few_positives_is_not_drawn_in_a_segment_that_others_are():
    by = np.where(np.arange(N) % 30 < 3, "small", "large")
    scarce = np.where(np.arange(N) > 300, THREE, np.where(THREE == 2, 0, THREE))
    report = ap.report(scarce, PROBA, average=None, by=by, min_positives=21)
    counts = {(row.metric, row.segment): row.n_positives for row in report if row.segment}
    few = {place for place, number in counts.items() if number < 21}
    assert few == {("Average precision, class 2", "small")}
    *_, ax = report.plot().ax_.ravel()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert [name.split(" (")[0] for name in names] == ["all data", "large", "small"]
    assert [text.get_text() for text in ax.texts] == ["few positives"]
    nothing = ap.report(Y, ONE, by=COUNTRY, min_positives=N)
    with pytest.raises(ValueError, match="No segment has 900 positives or more, so there is noth"):
        nothing.plot()
    many = np.arange(N) // 15
    y = np.where(many == 3, np.arange(N) % 15 == 14, np.arange(N) % 3 == 0)
    ranked = np.where(many == 3, -np.arange(N), y)
    shown = ap.report(y, ranked, by=many, min_positives=2)
    assert of(shown, 3).value < 0.1 < min(row.value for row in shown if row.segment != 3)
    assert not re.search("^3 ", str(shown), re.M)  # the lowest of 60, of which 50 are printed


def test_notes_name_the_classes_that_they_are_about():
    """In x there is no class 2, and in w nothing else."""
    y, by = np.array([2, *[0, 1] * 10, *[0, 1, 2] * 10]), ["w", *"x" * 20, *"z" * 30]
    scores = np.random.default_rng(0).random((51, 3))
    given = {"by": by, "average": None}
    one = ap.report(y, scores, **given)
    assert [note.code for note in one.notes] == ["in_segments", "fraction_of_positives"]
    why = one.notes[0].text
    of_segments = "ntervals are adjusted for 2 segments (Bonferroni)."
    of_classes = f"For class 0 and class 1, i{of_segments}"
    assert one._describe_family("Intervals and p") == [of_classes]
    assert why.startswith("For class 2, in the segment 'w': At least two samples are needed")
    assert one.notes[1].text.startswith("For class 2, don't compare segments with each other")
    several = ap.report(y, scores, metrics=["AP", "R-precision"], n_resamples=50, **given)
    assert several._describe_family("Intervals and p") == [of_classes]  # the same for both metrics
    binary = ap.report(y == 1, scores[:, 1], by=by)
    assert binary.notes == ()
    assert f"I{of_segments}" in str(binary)


def test_a_note_on_several_segments_stands_once():
    day = DAY % 5
    report = ap.report(Y, ONE, groups=day, by=day, zero_division=np.nan)
    for segment in range(5):
        rows = day == segment
        assert of(report, segment).value == pytest.approx(oracle.step(Y[rows], ONE[rows]))
    (alone,) = (note for note in report.notes if note.code == "in_segments")
    assert alone.text == (
        "In the segment 0 and 4 others: At least two groups are needed to estimate how much a "
        "value varies, but there is 1."
    )


def test_notes_on_models_and_classes_whose_names_are_numbers_are_told_apart():
    """Segments of one model may have nothing to do with those of another one."""
    half = np.arange(Y.size) < Y.size // 2
    constant = {1: np.where(half, 0.5, ONE), 2: np.where(half, ONE, 0.25)}
    notes = [note.text for note in ap.report(Y, constant, by=half).notes]
    assert notes[0].startswith(
        "In the segment False: All prediction scores of the model 2 are 0.25"
    )
    assert notes[1].startswith("In the segment True: All prediction scores of the model 1 are 0.5")
    y = np.where(half, 2 * Y, Y)  # so that one class is missing in each segment
    columns = np.column_stack([-ONE, ONE, ONE])
    notes = [note.text for note in ap.report(y, columns, by=half, zero_division=1.0).notes]
    found = re.findall(r"In the segment (\w+): .*? for 1 of 3 classes \((.)\)", "\n".join(notes))
    assert found == [("False", "2"), ("True", "1")]


LEVELS = ["low", "mid", "high", "never"]


def of_pandas(folder, ordered=False):
    pd = pytest.importorskip("pandas")
    level = pd.Categorical(np.array(LEVELS)[DAY % 3], LEVELS, ordered)
    frame = pd.DataFrame({"y": Y, "s": ONE, "level": level, "day": DAY % 2})
    pytest.importorskip("pyarrow")
    frame.to_parquet(folder / "0.parquet", row_group_size=50)
    frame[:7].to_parquet(folder / "1.parquet")
    return frame


def of_polars(folder):
    pl = pytest.importorskip("polars", minversion="1.34", reason="older files lack the order")
    level = pl.Series(np.array(LEVELS)[DAY % 3], dtype=pl.Enum(LEVELS))
    frame = pl.DataFrame({"y": Y, "s": ONE, "level": level, "day": DAY % 2})
    frame.write_parquet(folder / "0.parquet", row_group_size=50)
    frame[:7].write_parquet(folder / "1.parquet")
    return frame


@pytest.mark.sweep(5)
@pytest.mark.parametrize("make", [of_pandas, partial(of_pandas, ordered=True), of_polars])
@pytest.mark.parametrize("by", ["level", ["level", "day"], ["day", "level"]], ids=str)
def test_the_order_of_categories_is_that_of_the_same_data_in_memory(tmp_path, make, by):
    """Wherever the data is."""
    frame = make(tmp_path)
    tables = [frame, tmp_path / "0.parquet"]
    if make is of_polars:
        tables += [frame.lazy(), frame.to_arrow()]
    found = [[row.segment for row in ap.report("y", "s", by=by, data=data)] for data in tables]
    assert found == [found[0]] * len(found)
    assert [each for each in found[0] if each in LEVELS] == LEVELS[:3]
    folder = [row.segment for row in ap.report("y", "s", by="level", data=tmp_path)]
    assert folder == [None, *LEVELS[:3]]


@pytest.mark.parametrize(("n_segments", "words"), [(2, "1 other:"), (3, "2 others:")])
def test_other_segments_are_counted_in_words(n_segments, words):
    day = DAY % n_segments
    alone = ap.report(Y, ONE, groups=day, by=day).notes[-1]
    assert alone.text.startswith(f"In the segment 0 and {words} At least two groups")


def test_the_baseline_differs_by_nothing_only_where_it_has_a_value():
    y = np.where(COUNTRY == "US", 0, Y)
    models = {"one": ONE, "other": -ONE}
    report = ap.report(y, models, by=COUNTRY, baseline="one", zero_division=np.nan)
    for row in report:
        if row.segment == "US":
            assert np.isnan([row.value, row.difference]).all()
        elif row.model == "one":
            assert row.difference == 0


def test_a_segment_with_one_positive_has_a_wide_interval():
    y = np.where(COUNTRY == "US", 0, Y)
    y[np.flatnonzero(COUNTRY == "US")[3]] = 1
    row = of(ap.report(y, ONE, by=COUNTRY), "US")
    assert row.n_positives == 1
    assert row.high - row.low > 0.8


def test_a_single_group_has_a_value_without_an_interval():
    by = np.where(DAY == 3, "one", "rest")
    metric = "mean_average_precision"
    report = ap.report(Y, ONE, metrics=metric, groups=DAY, by=by, zero_division=0.0)
    row = of(report, "one")
    assert row.value == ap.average_precision_score(Y[DAY == 3], ONE[DAY == 3])
    assert np.isnan([row.low, row.high, row.pvalue]).all()


# --- outputs --------------------------------------------------------------------------------------


def test_it_prints_one_row_for_each_segment():
    report = ap.report(Y, {"old": ONE}, by=COUNTRY)
    lines = str(report).splitlines()
    assert lines[1].split() == ["segment", "positives", "old", "95%", "interval"]
    assert [line.split()[0] for line in lines[2:6]] == ["all", "DE", "FR", "US"]
    for text in (report.to_markdown(), report._repr_html_()):
        assert "all data" in text
        assert "FR" in text
    for row in json.loads(json.dumps(report.to_dict(), allow_nan=False)):
        assert row["segment"] in (None, "DE", "FR", "US")
        assert row["joint"] is True


IN_ORDER = [
    [f"2026-01-{day:02d}" for day in range(1, 29)],
    [str(number) for number in range(-3, 27)],
    ["-1.5", "-0.25", "0.5", "0.25e1", "10"],
    ["18 to 9", "under 9", "under 10"],
    ["0.25 or less", "0.5 or less", "9", "9 and more", "10 and more"],
    ["week 9", "week 10"],
    [*range(9, 12)],
]


@pytest.mark.sweep(9)
@pytest.mark.parametrize("names", IN_ORDER, ids=lambda names: str(names[0]))
def test_days_and_numbers_are_in_order_wherever_they_stand(names):
    by = [names[number] for number in DAY % len(names)]
    report = ap.report(Y, ONE, by=by, zero_division=0.0)
    assert [row.segment for row in report.rows[1:]] == names
    assert [row["segment"] for row in report.to_dict()[1:]] == names
    lines = str(report).splitlines()[3:]
    assert all(map(str.startswith, lines, [f"{name} " for name in names]))
    pytest.importorskip("matplotlib").use("agg")
    _, *drawn = report.plot().ax_.get_yticklabels()
    assert [text.get_text().rpartition(" (")[0] for text in drawn] == [*map(str, names)]
    both = ap.report(Y, ONE, by=(by, COUNTRY), zero_division=0.0)
    assert [row.segment for row in both.rows[1:]] == [*names, "DE", "FR", "US"]


def test_at_most_50_segments_are_printed_and_rows_have_all():
    by = np.arange(N) // (N // 60)
    report = ap.report(Y, ONE, by=by, zero_division=0.0)
    n_segments = len(report.rows) - 1
    assert n_segments > 50
    text = str(report)
    assert f"50 of {n_segments} segments are shown, " in text
    shown = [int(line.split()[0]) for line in text.splitlines()[3:53]]
    assert shown == sorted(shown)
    assert len(report.to_dict()) == n_segments + 1


def test_more_than_1000_segments_are_refused():
    y, s = np.arange(3003) % 3 == 0, np.arange(3003.0)
    with pytest.raises(ValueError, match=r"more than 1,000 different values\. Pass a column"):
        ap.report(y, s, by=np.arange(3003) // 3)


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ({"night": DAY < 9}, r"maps 'night' to .*, which isn't the name of a segment\. Use `by=np"),
        ({"night": "x"}, r"by=\{'night': 'x'\} maps groups to segments, but there are no groups"),
    ],
)
def test_masks_are_refused(by, words):
    with pytest.raises(ValueError, match=words):
        ap.report(Y, ONE, by=by)


def test_names_of_segments_in_json():
    names = np.datetime64("2026-01-01") + DAY // 20
    report = ap.report(Y, ONE, by=(names, COUNTRY))
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert '"segment": "2026-01-01", "segment_column": "column 1"' in text


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": Y, "s": ONE, "c": COUNTRY, "half": DAY % 2})
    found = ap.report("y", "s", by="c", data=frame).to_frame()
    assert found["segment"].tolist()[1:] == ["DE", "FR", "US"]
    assert found["n_samples"].tolist() == [N, *np.unique(COUNTRY, return_counts=True)[1]]
    polars = pytest.importorskip("polars")
    for by in ("c", ["c", "half"]):
        of_polars = ap.report("y", "s", by=by, data=polars.from_pandas(frame)).to_frame()
        assert isinstance(of_polars, polars.DataFrame)
        assert {"segment", "segment_column"} <= {*of_polars.columns}
    days = np.array(["2026-01-01", "2026-01-02"], "M8[ns]")[DAY % 2]
    of_days = ap.report("y", "s", by="day", data=polars.DataFrame({"y": Y, "s": ONE, "day": days}))
    first, second = datetime(2026, 1, 1), datetime(2026, 1, 2)
    assert of_days.to_frame()["segment"].to_list() == [None, first, second]


# --- where the data is ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports_of_arrays():
    """The segments, by the names of columns, and the reports of the same arrays."""
    query, day, truth = TABLE["query"], TABLE["day"], TABLE["truth"]
    given = {"joint": False, "zero_division": 0.0}
    each = [("query", query), (["query", "day", "truth"], (query, day, truth))]
    return [
        (by, ap.report(TABLE["label"], TABLE["score"], by=columns, **given)) for by, columns in each
    ]


@pytest.mark.sweep(3)
@each_table
def test_tables(kind, tmp_path, reports_of_arrays):
    table = TABLES[kind](arrow(TABLE), tmp_path)
    given = {"joint": False, "zero_division": 0.0, "data": table}
    for by, alone in reports_of_arrays:
        found = ap.report("label", "score", by=by, **given)
        assert [row.segment for row in found.rows] == [row.segment for row in alone.rows]
        for row, one in zip(found.rows, alone.rows, strict=True):
            np.testing.assert_allclose(numbers(row), numbers(one), rtol=1e-9)


@pytest.mark.sweep(4)
@each_table
def test_tables_with_missing_values(kind, tmp_path):
    columns = {name: TABLE[name] for name in ("label", "score")}
    columns["where"] = [None if place % 7 == 3 else q for place, q in enumerate(TABLE["query"])]
    pa = pytest.importorskip("pyarrow")
    table = TABLES[kind](
        pa.table({name: pa.array(column) for name, column in columns.items()}), tmp_path
    )
    report = ap.report("label", "score", by="where", data=table, zero_division=0.0)
    known = np.arange(60) % 7 != 3
    query = TABLE["query"][known]
    assert [row.segment for row in report.rows] == [None, *np.unique(query)]
    assert [row.n_samples for row in report.rows[1:]] == [*np.unique(query, return_counts=True)[1]]
    assert "rows have no value of where" in str(report)


@pytest.mark.sweep(3)
@each_container
def test_containers(container):
    for values in (COUNTRY, DAY // 20):
        by = container(values)
        segments = [row.segment for row in ap.report(Y, ONE, by=by).rows][1:]
        assert sorted(segments) == sorted(np.unique(values).tolist())


def detections(levels, seed=None, classes=("cat", "dog")):
    """Make the table of two classes in 12 of 14 images, whose boxes are more or less shifted. With
    a seed, some have the wrong class, and others are in images without objects. Only some `classes`
    have objects in the table.
    """
    rng = np.random.default_rng(0)
    objects, boxes = Counter(), []
    for image in np.repeat(range(12), 3).tolist():
        place = {"category": int(rng.integers(1, 3)), "image": image}
        objects[tuple(place.values())] += 1
        boxes.append({**place, "shift": rng.uniform(0, 25), "score": rng.random()})
    if seed is not None:
        rng = np.random.default_rng(seed)
        nowhere = {"category": 2, "image": 12, "shift": 99, "score": 0.2 * seed}
        boxes = [*(box for box in boxes if rng.random() < 0.7), nowhere]
        for box in boxes[::4]:
            box |= {"shift": 99, "category": 3 - box["category"]}
    names = {number: name for number, name in {1: "cat", 2: "dog"}.items() if name in classes}
    objects = {place: n for place, n in objects.items() if place[0] in names}
    boxes = [box for box in boxes if box["category"] in names]
    columns = {name: np.array([box[name] for box in boxes]) for name in boxes[0]}
    is_hit = columns.pop("shift") < 40 * (1 - np.array(levels)[:, np.newaxis])
    asked = CocoParams(range(14), [*names], names, levels, (0, np.inf))
    columns["category"] = np.searchsorted([*names], columns["category"])
    is_ignored = np.zeros_like(is_hit)
    found = MatchedDetections(
        asked, **columns, is_hit=is_hit, is_ignored=is_ignored, objects=objects
    )
    return coco.make_detection_table(found, range(len(levels)), levels, area="all")


def test_classes_and_overlaps_of_detections():
    levels = [0.5, 0.75]
    table, single = detections(levels), [detections([level]) for level in levels]
    values = [ap.metric("101-point").by_name(data=one) for one in single]
    report = ap.report(data=table, by="category", metrics="101-point", joint=False)
    assert [row.segment for row in report.rows] == [None, "cat", "dog"]
    for name in ("cat", "dog"):
        assert of(report, name).value == pytest.approx(np.mean([each[name] for each in values]))
        assert 0 < of(report, name).low < of(report, name).high < 1
    report = ap.report(data=table, by="overlap", metrics="101-point")
    for level, each in zip(levels, values, strict=True):
        assert of(report, level).value == pytest.approx(np.mean([*each.values()]))
    report = ap.report(data=single[0], by="category", metrics="101-point")
    assert [row.segment for row in report.rows] == [None, "cat", "dog"]
    assert "images" in report.rows[0].basis or "clusters" in report.rows[0].basis


@pytest.mark.sweep(3)
@pytest.mark.filterwarnings("ignore:There are no")
@pytest.mark.parametrize("metric", ["envelope", "11-point"])
@pytest.mark.parametrize("by", ["category", "overlap"])
@pytest.mark.parametrize("models", [["old"], ["old", "new"]])
def test_classes_and_overlaps_are_drawn_with_all_images(models, by, metric):
    """Also with images that show none of their objects, and where one detector has no boxes."""
    tables = {model: detections([0.5, 0.75], seed) for seed, model in enumerate(models, 1)}
    given = {"metrics": metric, "random_state": 0}
    given |= {"baseline": "old"} if len(models) > 1 else {}
    report = ap.report(data=tables, by=by, joint=False, **given)
    assert len(report.rows) == 3 * len(models)
    for segment in dict.fromkeys(tables["old"].columns[by].tolist()):
        levels, classes = [0.5, 0.75], ("cat", "dog")
        if by == "category":
            classes = (segment,)
        else:
            levels = [segment]
        some = {model: detections(levels, seed, classes) for seed, model in enumerate(models, 1)}
        alone = ap.report(data=some, **given)
        rows = [row for row in report.rows if row.segment == segment]
        for row, one in zip(rows, alone.rows, strict=True):
            np.testing.assert_allclose(numbers(row), numbers(one), rtol=1e-12)
            assert row.basis.endswith("14 images")


def test_pictures():
    pytest.importorskip("matplotlib")
    report = ap.report(Y, MODELS, by=COUNTRY, metrics=["AP", "envelope"])
    display = report.plot()
    assert display.ax_.shape == (4,)  # of each metric, values and differences
    counts = [row.n_positives for row in report if row.metric == "Average precision"][::3]
    ticks = [tick.get_text() for tick in display.ax_[0].get_yticklabels()]
    names = (
        f"all data ({counts[0]} positives)",
        *map("{} ({})".format, ("DE", "FR", "US"), counts[1:]),
    )
    assert ticks == [*names]
    days = np.datetime64("2026-01-01") + DAY // 6
    [(line, *_)] = ap.report(Y, ONE, by=days, zero_division=0.0).plot().errorbar_
    assert line.get_xydata().shape == (10, 2)
    axes = ap.report(Y, MODELS, by=days, metrics="AP", zero_division=0.0).plot().ax_.ravel()
    assert [ax.get_title("left") for ax in axes] == ["AP", ""]
    heights = [[list(line.get_ydata()) for line in ax.lines] for ax in axes]
    assert [[0, 0] in each for each in heights] == [False, True]
    both = ap.report(Y, ONE, by=(COUNTRY, DAY % 2)).plot()
    ticks = [tick.get_text().rpartition(" (")[0] for tick in both.ax_.get_yticklabels()]
    assert ticks == [
        "all data", "column 1: DE", "column 1: FR", "column 1: US", "column 2: 0", "column 2: 1",
    ]  # fmt: skip
    of_days = ap.report(Y, ONE, by=(days, DAY % 2), zero_division=0.0).plot()
    assert len(of_days.ax_.get_yticklabels()) == 13  # of two columns, days are no line
    days = np.array([date(2026, 1, 1), date(2026, 2, 1), "unknown"], dtype=object)[DAY % 3]
    ticks = ap.report(Y, ONE, by=days).plot().ax_.get_yticklabels()  # a text beside days: no line
    drawn = [tick.get_text().rpartition(" (")[0] for tick in ticks]
    assert drawn == ["all data", "2026-01-01", "2026-02-01", "unknown"]
    with pytest.raises(ValueError, match="one Axes for each metric, so 2, or twice as many for"):
        report.plot(display.ax_[:3])


def test_p_in_segments_is_adjusted_for_their_number():
    rng = np.random.default_rng(4)
    labels, segment = rng.random(1200) < 0.2, np.repeat([*"abcd"], 300)
    models = {name: labels + rng.normal(size=1200) for name in ("one", "two")}
    given = {"metrics": "AP", "baseline": "one", "by": segment}
    joint, alone = (
        [row.pvalue for row in ap.report(labels, models, joint=joint, **given) if row.segment]
        for joint in (True, False)
    )
    joint, alone = (np.array([p for p in each if p == p]) for each in (joint, alone))
    assert alone.size == 4
    assert joint == pytest.approx(np.minimum(4 * alone, 1), rel=1e-9)


# Segments of groups
QUERY = np.arange(240) // 8
KINDS = {query: ["news", "shop", "maps"][query % 3] for query in range(30)}
FOUND = np.random.default_rng(5).random(240) < 0.4
RUNS = {"a": FOUND + np.random.default_rng(6).normal(size=240), "b": np.arange(240.0) % 7}
MISSED = {query: int(FOUND[QUERY == query].sum()) + query % 2 for query in range(33)}
QUIET = {"zero_division": 0.0, "metrics": ["AP", "P@3"]}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("scores", [RUNS["a"], RUNS], ids=["one model", "two models"])
@pytest.mark.parametrize("given", [
    {}, {"n_positives": {query: MISSED[query] for query in range(30)}},
    {"clusters": QUERY // 5}, {"sample_weight": 1 + np.arange(240) % 3},
], ids=" ".join)  # fmt: skip
def test_kinds_of_groups_are_a_column(scores, given):
    if "sample_weight" in given:
        given = given | {"metrics": "AP"}
    given = QUIET | given | {"groups": QUERY}
    by_row = ap.report(FOUND, scores, by=[KINDS[query] for query in QUERY], **given)
    assert ap.report(FOUND, scores, by=KINDS, **given) == by_row
    pandas = pytest.importorskip("pandas")
    assert ap.report(FOUND, scores, by=pandas.Series(KINDS), **given) == by_row
    with_none = KINDS | {4: None, 5: None}
    column = [with_none[query] for query in QUERY]
    found, expected = (ap.report(FOUND, scores, by=by, **given) for by in (with_none, column))
    assert found.rows == expected.rows


@pytest.mark.filterwarnings("ignore:A few negatives of weight:UserWarning")
def test_groups_without_rows_count_in_their_segments():
    """As if they had a single negative row, which isn't retrieved above any positive."""
    more = {30: "news", 31: "empty", 32: None}
    given = QUIET | {"groups": QUERY, "by": KINDS | more, "n_positives": MISSED}
    for scores in (RUNS["a"], RUNS):
        found = ap.report(FOUND, scores, **given)
        padded = {name: np.append(each, [-9, -9, -9]) for name, each in RUNS.items()}
        expected = ap.report(
            np.append(FOUND, [False] * 3),
            padded if isinstance(scores, dict) else padded["a"],
            **given | {"groups": np.append(QUERY, [30, 31, 32])},
        )
        for row, other in zip(found, expected, strict=True):
            assert (row.segment, row.value, row.n_positives) == (
                other.segment, pytest.approx(other.value, nan_ok=True), other.n_positives,
            )  # fmt: skip
            assert numbers(row) == pytest.approx(numbers(other), nan_ok=True)
        assert next(row.value for row in found if row.segment == "empty") == 0
        assert "1 group has no rows, only a number of positives" in " ".join(str(found).split())
    weight = balanced(FOUND, [KINDS[query] for query in QUERY], 0.2)
    each = QUIET | given | {"metrics": "AP", "sample_weight": weight}
    weighted = ap.report(FOUND, RUNS["a"], **each)
    news = np.isin(QUERY, [query for query, kind in KINDS.items() if kind == "news"])
    counts = {q: n for q, n in MISSED.items() if (KINDS | more)[q] == "news"}
    alone = ap.average_precision_score(
        FOUND[news], RUNS["a"][news], groups=QUERY[news], n_positives=counts,
        sample_weight=weight[news], zero_division=0.0,
    )  # fmt: skip
    assert [row.value for row in weighted if row.segment == "news"] == [pytest.approx(alone)]


@pytest.mark.sweep(4)
@each_table
def test_kinds_of_groups_in_tables(kind, tmp_path):
    table = TABLES[kind](arrow(TABLE), tmp_path)
    kinds = dict.fromkeys(np.unique(TABLE["query"]).tolist(), "one")
    kinds[TABLE["query"][0]] = "two"
    given = {"groups": "query", "data": table, "zero_division": 0.0}
    found = ap.report("label", "score", by=kinds, **given)
    column = np.array([kinds[query] for query in TABLE["query"]])
    alone = ap.report(
        TABLE["label"], TABLE["score"], by=column, groups=TABLE["query"], zero_division=0.0
    )
    assert [row.segment for row in found] == [None, "one", "two"]
    for row, other in zip(found, alone, strict=True):
        np.testing.assert_allclose(numbers(row), numbers(other), rtol=1e-9)


def k_notes(report):
    return [note.text for note in report.notes if note.code == "k_in_segments"]


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        (["P@8"], "A segment with 3 positives gets at most 0.375."),
        (["AP", "P@8"], "For precision at 8, a segment with 3 positives gets at most 0.375."),
        (["P@3"], None),
        (["P@40%"], None),
        (["R@8"], None),
    ],
)
def test_a_segment_with_fewer_positives_than_k_has_a_highest_precision(metrics, said):
    """It is that of its perfect ranking, where all of its positives are above its negatives."""
    by = np.repeat([*"abc"], 20)
    labels = np.concatenate([np.arange(20) < number for number in (3, 9, 0)])
    scores = labels - np.arange(60) / 60
    found = ap.report(labels, scores, metrics=metrics, by=by, random_state=0)
    notes = [note.text for note in found.notes if note.code == "highest_value"]
    assert notes == ([said] if said else [])
    if said:
        assert [row.value for row in found if row.segment == "a"][-1] == 3 / 8


def test_a_count_k_is_one_of_each_segment():
    by = np.arange(240) % 3
    given = {"by": by, "zero_division": 0.0, "random_state": 0}
    (text,) = k_notes(ap.report(FOUND, RUNS["a"], metrics=["P@50", "R@50"], **given))
    assert text == (
        "k=50 counts rows of each segment.\nTo cut the whole ranking once, choose a threshold by "
        "operating_point(..., k=50), and check it on the rows of each segment."
    )
    each = ap.report(FOUND, RUNS["a"], metrics=["P@2", "AP"], groups=QUERY, **given)
    (text,) = k_notes(each)
    assert text.startswith("For precision at 2, k=2 counts rows of each segment and group.\n")
    assert "choose a threshold by operating_point(..., k=2, groups=...), and check it" in text
    for metrics, more in (("P@10%", {}), ("AP", {}), ("P@2", {"groups": QUERY, "by": KINDS})):
        assert not k_notes(ap.report(FOUND, RUNS["a"], metrics=metrics, **given | more))
    both = ap.report(
        FOUND, RUNS["a"], metrics="P@2", groups=QUERY, **given | {"by": (QUERY % 3, by)}
    )
    assert k_notes(both)  # as one of the columns cuts groups
    rows = {"y_true": np.eye(4)[by], "y_score": RNG.random((240, 4))}
    assert not k_notes(ap.report(**rows, metrics="P@2", average="samples", **given))


@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_times_are_written_alike_in_every_table(zone):
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    times = pd.date_range("2026-01-01 01:30", periods=4, freq="D", tz=zone).repeat(10)
    rows = {"y": np.arange(40) % 2, "s": np.arange(40) % 7, "time": times}
    frame = pd.DataFrame(rows)
    tables = [frame, frame.to_dict("list"), rows | {"time": np.array([*times], object)}]
    tables += [pa.Table.from_pandas(frame)]
    texts = {str(ap.report("y", "s", by="time", data=table)) for table in tables}
    (text,) = texts
    assert ("2026-01-01T01:30" if zone is None else "2026-01-01T00:30") in text


PAIRED = np.arange(240)  # rows, of which the second half are copies


def test_groups_of_several_overlaps_are_called_classes_at_an_overlap():
    several, one = detections([0.5, 0.75]), detections([0.5])
    for table, words in ((several, "4 groups (class at an overlap)"), (one, "2 groups (class)")):
        found = ap.confidence_interval(data=table, metric="101-point", random_state=0)
        assert found.basis.startswith(f"{words}, ")


# --- random reports, and what holds in samples of a population ------------------------------------


def random_report(rng):
    """Return arguments of a report by one or two columns, whose values are whole days."""
    n_segments, n_rows = int(rng.integers(1, 6)), int(rng.integers(150, 500))
    day = rng.integers(0, 40, n_rows)
    y = (rng.random(n_rows) < 0.3).astype(int)
    models = {name: np.round(rng.normal(size=n_rows) + y, 1) for name in "abc"}
    given = {"y_true": y, "y_score": models, "baseline": "b", "zero_division": 0.0}
    given |= {"random_state": int(rng.integers(1000)), "confidence_level": rng.choice([0.8, 0.95])}
    if rng.random() < 0.3:
        given |= {"y_score": models["a"], "baseline": None}
    if rng.random() < 0.4:
        given["sample_weight"] = np.round(rng.lognormal(0, 0.5, n_rows), 2)
    unit = rng.choice(["rows", "groups", "clusters", "classes", "counts of groups"])
    if unit in ("groups", "counts of groups"):
        given["groups"] = day
    elif unit == "clusters":
        given["clusters"] = day
    elif unit == "classes":
        scores = {name: rng.random((n_rows, 3)) for name in "abc"}
        given |= {"y_true": np.arange(n_rows) % 3, "y_score": scores, "baseline": "b"}
        given["average"] = rng.choice(["macro", "micro", None])
    if unit == "counts of groups":
        given.pop("sample_weight", None)
        given["n_positives"] = {each: int(y[day == each].sum()) + each % 2 for each in {*day}}
    if "sample_weight" not in given:
        given["metrics"] = [["AP", "P@10%"], "AP", "envelope"][rng.integers(3)]
    return given, [day % n_segments, day // 10][: rng.integers(1, 3)]


def parts_of(given, by):
    """Yield each segment with the arguments of its rows."""
    for column in by:
        for value in np.unique(column).tolist():
            here = column == value
            own = {role: of_rows(given[role], here) for role in ROWS if role in given}
            if "n_positives" in given:
                days = {*given["groups"][here].tolist()}
                own["n_positives"] = {day: given["n_positives"][day] for day in days}
            yield value, {**given, **own}


def count_as_in_a_plain_call(seed):
    """Return how many rows of segments there are, and how many equal those of plain calls on each
    part, whose level is that of the family: Bonferroni, for values and for differences.
    """
    rng = np.random.default_rng(seed)
    given, by = random_report(rng)
    report = ap.report(**given, by=(*by,) if len(by) > 1 else by[0])
    parts = [*parts_of(given, by)]
    n_models = len(given["y_score"]) if isinstance(given["y_score"], dict) else 1
    alpha = (1 - given["confidence_level"]) / len(parts)
    of_values, of_differences = {}, {}
    for place, (_, part) in enumerate(parts):
        of_values[place] = ap.report(**part | {"confidence_level": 1 - alpha}).rows
        if n_models > 1:
            level = 1 - alpha / (n_models - 1)
            of_differences[place] = ap.report(
                **part | {"confidence_level": level}, joint=False
            ).rows
    n_metrics = len(of_values[0]) // n_models
    rows = [row for row in report.rows if row.segment is not None]
    n_equal = 0
    for number, row in enumerate(rows):
        metric, rest = divmod(number, len(parts) * n_models)
        place, model = divmod(rest, n_models)
        one = of_values[place][metric * n_models + model]
        assert (row.model, row.metric) == (one.model, one.metric)
        assert row.segment == parts[place][0]
        expected, found = [one.value, one.low, one.high], [row.value, row.low, row.high]
        if n_models > 1:
            other = of_differences[place][metric * n_models + model]
            pvalue = min(other.pvalue * len(parts) * (n_models - 1), 1)
            expected += [other.difference, other.difference_low, other.difference_high, pvalue]
            found += [row.difference, row.difference_low, row.difference_high, row.pvalue]
        assert (row.n_samples, row.n_positives) == (one.n_samples, one.n_positives)
        n_equal += found == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)
    assert len(rows) == len(parts) * n_models * n_metrics
    return len(rows), n_equal


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 300))]
)
def test_random_reports_are_plain_calls_on_each_part(seed):
    n_rows, n_equal = count_as_in_a_plain_call(seed)
    assert n_equal == n_rows


def draw_segments(rng, n_segments, size):
    """Return labels, scores of two equally good models, and the segment of each row."""
    y = np.arange(n_segments * size) % size < size // 10
    noise, more = rng.standard_normal((2, y.size))
    return y, 1.5 * y + noise, 1.5 * y + 0.6 * noise + 0.8 * more, np.arange(y.size) // size


def test_segments_of_one_set_hold_at_once():
    """As a quick part of the next test."""
    rng = np.random.default_rng(0)
    true = ap.average_precision_score(*draw_segments(rng, 1, 100_000)[:2])
    y, one, other, segment = draw_segments(rng, 5, 400)
    report = ap.report(y, {"a": one, "b": other}, by=segment, baseline="a")
    rows = [row for row in report if row.segment is not None]
    assert all(row.low <= true <= row.high for row in rows)
    assert not [row.segment for row in rows if row.pvalue < 0.05]


@pytest.mark.slow
@pytest.mark.parametrize("n_segments", [5, 20])
def test_all_intervals_hold_at_once_and_false_alarms_are_rare(n_segments):
    """Of 400 sets, about 98% of the families of intervals hold, and 5% have a false alarm."""
    rng = np.random.default_rng(n_segments)
    true = ap.average_precision_score(*draw_segments(rng, 1, 1_000_000)[:2])
    n_hold, n_alone, n_alarms = 0, 0, 0
    for _ in range(400):
        y, one, other, segment = draw_segments(rng, n_segments, 400)
        models = {"a": one, "b": other}
        joint, alone = (
            ap.report(y, models, by=segment, baseline="a", joint=each).rows[2:]
            for each in (True, False)
        )
        n_hold += all(row.low <= true <= row.high for row in joint[::2])
        n_alone += all(row.low <= true <= row.high for row in alone[::2])
        n_alarms += min(row.pvalue for row in joint[1::2]) < 0.05
    assert n_hold / 400 >= 0.95
    assert n_alone / 400 < 0.95  # what isn't adjusted would be seen
    assert n_alarms / 400 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize(
    ("n_positives", "where"),
    [
        ((3, 40), "In the segment 'a': "),
        ((3, 3), "In the segment 'a', and similarly in 1 other: "),
        ((3, 4), "In the segment 'a', and similarly in 1 other: "),
        ((3, 4, 3), "In the segment 'a', and similarly in 2 others: "),
    ],
)
def test_a_note_has_the_numbers_of_the_segment_that_it_names(n_positives, where):
    """It says whether the other segments have the same ones."""
    rng = np.random.default_rng(0)
    by = np.repeat([*"abc"[: len(n_positives)]], 100)
    labels = np.concatenate([np.arange(100) < number for number in n_positives])
    models = {name: labels + rng.standard_normal(labels.size) for name in ("old", "new")}
    found = ap.report(labels, models, by=by, baseline="old")
    notes = [note.text for note in found.notes if note.code == "least_margin"]
    here = by == "a"
    scores = models["new"][here], models["old"][here]
    alone = ap.compare(labels[here], *scores, confidence_level=1 - 0.05 / len(n_positives))
    assert notes == [where + note.text for note in alone.notes if note.code == "least_margin"]


@pytest.mark.parametrize(
    ("given", "n_lines"), [({}, 0), ({"by": COUNTRY}, 1), ({"by": COUNTRY, "groups": DAY % 5}, 0)]
)
def test_the_row_of_all_data_says_that_it_ranks_segments_together(given, n_lines):
    """Unless groups are ranked apart in any case."""
    lines = str(ap.report(Y, ONE, **given)).splitlines()
    assert lines.count("All data: segments ranked together.") == n_lines
