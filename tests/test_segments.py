"""Segments: parts of the rows with values of their own, and what holds for all of them at once."""

import json
import math
import tracemalloc
from collections import Counter
from datetime import date
from functools import partial
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap import readers
from sklearn_ap._infer import variation
from sklearn_ap.core.resampling import resample_means

from .containers import each_container
from .tables import ROWS as TABLE
from .tables import TABLES, arrow, each_table

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


@pytest.mark.sweep(4)
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
    monkeypatch.setattr("sklearn_ap.core.units._KEPT", 0)  # rows, of which the order is kept
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
    assert DIFFERS not in str(alike)


DIFFERS = "The fraction of positives differs between segments"
BY = {
    "names": COUNTRY,
    "some missing": np.where(DAY, COUNTRY, None),
    "times": np.where(COUNTRY == "FR", *np.array(["2026-01-01", "2026-02-01"], "M8[s]")),
}


@pytest.mark.sweep(4)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("metric", ["AP", "P@10%", "envelope", "P@20"])
def test_the_advice_on_fractions_of_positives_can_be_followed(metric, by):
    y = Y * ((COUNTRY == "FR") | (DAY % 3 == 0))
    given = {"y_true": y, "y_score": ONE, "metrics": metric, "random_state": 0, "by": BY[by]}
    words = " ".join(str(ap.report(**given)).split())
    assert DIFFERS in words
    advice = (
        "pass a sample_weight of 1 for positives, and of n_positives / n_negatives of their segment"
    )
    assert (advice in words) == (metric != "P@20")  # for which weights would change what k counts
    if metric == "P@20":
        return
    weight = balanced(y, BY[by])
    weight[np.isnan(weight)] = 1  # of rows without a segment
    alike = ap.report(**given, sample_weight=weight)
    assert DIFFERS not in str(alike)
    assert advice not in str(alike)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", [{}, {"groups": DAY}, {"clusters": DAY}])
def test_a_fraction_of_positives_is_a_result_if_n_positives_is_known(given):
    """If the same objects exist everywhere, a segment with few correct boxes isn't easier."""
    half, exist = DAY % 2, {"n_positives": dict.fromkeys(range(60), N)}
    y = Y * np.where(half, 1, DAY % 3 == 0)
    assert DIFFERS in str(ap.report(y, ONE, by=half, **given))
    if given:
        assert DIFFERS not in str(ap.report(y, ONE, by=half, **given, **exist))


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


def test_masks_may_overlap():
    night = DAY % 24 < 8
    report = ap.report(Y, ONE, by={"night": night, "FR": COUNTRY == "FR"}, joint=False)
    for segment, here in (("night", night), ("FR", COUNTRY == "FR")):
        alone, others = (ap.confidence_interval(Y[some], ONE[some]) for some in (here, ~here))
        row = of(report, segment)
        assert (row.value, row.low, row.high) == tuple(alone)
        assert row.difference == alone.value - others.value
    assert [row.segment for row in report.rows] == [None, "night", "FR"]


def test_groups_are_drawn_once_in_each_segment(monkeypatch):
    n_values = []

    def counted(values, *how):
        n_values.append(values.size)
        return resample_means(values, *how)

    monkeypatch.setattr("sklearn_ap._infer.variation.resample_means", counted)
    models = {model: MODELS[model] for model in ("old", "new")}
    given = {"groups": DAY, "zero_division": 0.0, "method": "bootstrap", "random_state": 0}
    ap.report(Y, models, **given)
    n_in_all = len(n_values)
    ap.report(Y, models, by=COUNTRY, **given)
    assert len(n_values) == 2 * n_in_all + 3 * len(models)


def test_overlapping_segments_take_little_memory():
    rng = np.random.default_rng(0)
    y = rng.random(40_000) < 0.02
    models = {name: rng.standard_normal(y.size) + y for name in "abc"}
    masks = {place: rng.random(y.size) < 0.4 for place in range(20)}
    n_rows = len(models) * sum(map(np.count_nonzero, masks.values()))
    tracemalloc.start()
    try:
        ap.report(y, models, by=masks)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 80 * n_rows  # bytes


def test_a_difference_is_from_all_other_rows():
    report = ap.report(Y, ONE, by=COUNTRY)
    for segment in ("DE", "FR", "US"):
        here = COUNTRY == segment
        values = [ap.average_precision_score(Y[some], ONE[some]) for some in (here, ~here)]
        assert of(report, segment).difference == values[0] - values[1]
    assert math.isnan(of(report, None).difference)


def test_a_report_on_one_segment_says_so_and_has_no_signed_nan():
    text = " ".join(str(ap.report(Y, ONE, by=np.zeros(N))).split())
    assert "hold for the one segment that has any" in text
    assert "segments at once" not in text
    assert " nan none none " in text
    assert "+nan" not in text
    masks = {"FR": COUNTRY == "FR", "none": np.zeros(N, bool)}
    text = " ".join(str(ap.report(Y, ONE, by=masks, zero_division=0.0)).split())
    assert "adjusted for 1 comparison." in text
    text = str(ap.report([0, 1], [1, 2], by=["a", "b"], zero_division=0.0))
    assert "No segment has an interval." in text
    assert "at once" not in str(POINT.check(Y, ONE, by=np.zeros(N)))


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


def test_a_missing_value_can_be_that_of_any_column():
    country, half = COUNTRY.astype(object), (DAY % 2).astype(float)
    country[:3], half[:9], names = None, np.nan, ["Land (ISO)", "half"]
    columns = {"y": Y, "s": ONE, "Land (ISO)": country, "half": half}
    words = "9 rows have no value of Land (ISO) or half, so they count for all data only."
    report = ap.report("y", "s", by=names, data=columns)
    assert [note.text for note in report.notes if note.code == "no_segment"] == [words]


def test_segments_of_groups_say_how_many_they_have():
    report = ap.report(Y, ONE, groups=DAY, by=DAY % 3, metrics=["HR@5"], zero_division=0.0)
    header, _, *lines = str(report).splitlines()
    assert header.split()[1] == "groups"
    assert [line.split()[1] for line in lines[1:4]] == [
        str(len({*DAY[DAY % 3 == third].tolist()})) for third in range(3)
    ]


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
    assert [row.segment for row in both.rows][:4] == [None, ("US", 0), ("US", 1), ("FR", 0)]


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


@pytest.mark.parametrize("kind", ["array", "list", "tuple", "pandas", "polars", "arrow"])
def test_several_columns_name_combinations(kind):
    other = DAY % 2
    by = COUNTRY, other
    if kind == "array":
        by = np.column_stack([COUNTRY.astype(object), other.astype(object)])
    elif kind == "list":
        by = COUNTRY.tolist(), other.tolist()
    elif kind != "tuple":
        library = pytest.importorskip("pyarrow" if kind == "arrow" else kind)
        make = library.table if kind == "arrow" else library.DataFrame
        by = make({"country": COUNTRY.tolist(), "other": other})
    report = ap.report(Y, ONE, by=by, joint=False)
    assert [row.segment for row in report.rows[1:]] == [
        (c, o) for c in ("DE", "FR", "US") for o in (0, 1)
    ]
    here = (COUNTRY == "DE") & (other == 1)
    assert of(report, ("DE", 1)).value == ap.average_precision_score(Y[here], ONE[here])


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
    each = COUNTRY, DAY // 4, {"a": DAY < 30, "b": COUNTRY == "FR"}
    for place, segments in enumerate(each):
        for level in np.roll(levels, -place)[:n_levels].tolist():
            report = ap.report(Y, models, by=segments, confidence_level=level, **given)
            rows = [row for row in report.rows if row.segment is not None]
            tested = [row for row in rows if row.pvalue == row.pvalue]
            assert len(tested) > 1
            for row in tested:
                excludes = row.difference_low > 0 or row.difference_high < 0
                assert (row.pvalue < 1 - level) == excludes
                assert row.verdict == (
                    "unclear" if not excludes else "better" if row.difference > 0 else "worse"
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


def test_verdicts_with_a_margin():
    report = ap.report(Y, MODELS, by=COUNTRY, baseline="old", margin={"AP": 0.9})
    rows = [row for row in report.rows if row.segment is not None and row.model != "old"]
    assert {row.verdict for row in rows} == {"equivalent"}
    assert {row.margin for row in rows} == {0.9}
    assert "verdict" in str(report).splitlines()[0]
    assert "Verdicts are with a margin of 0.9." in " ".join(str(report).split())
    one = ap.report(Y, ONE, by=COUNTRY, margin=0.9)
    assert {row.verdict for row in one.rows[1:]} == {"equivalent"}
    same = ap.report(Y, {"a": ONE, "b": ONE}, by=COUNTRY, baseline="a", margin=0.01)
    assert {row.verdict for row in same.rows if row.model == "b"} == {"equivalent"}


def simulated(rng, n_segments, size, effect=1.5, clusters=False):
    y = np.arange(n_segments * size) % size < size // 10
    segment = np.repeat(np.arange(n_segments), size)
    noise = rng.standard_normal(y.size)
    cluster = rng.integers(0, y.size // 10, y.size)
    noise += clusters * rng.standard_normal(y.size)[cluster]
    more = rng.standard_normal(y.size)
    if clusters:  # as in the noise, so that both models are equally good
        more += rng.standard_normal(y.size)[cluster]
    other = 0.6 * noise + 0.8 * more
    return y, effect * y + noise, effect * y + other, segment, cluster


def held(times, seed, n_segments=20, size=400, clusters=False):
    """Return how often all intervals hold, their width, and how often any p is small."""
    pool = np.random.default_rng(77)
    true = ap.average_precision_score(*simulated(pool, 1, 1_000_000, clusters=clusters)[:2])
    rng, found = np.random.default_rng(seed), []
    for _ in range(times):
        y, one, other, segment, cluster = simulated(rng, n_segments, size, clusters=clusters)
        given = {"clusters": cluster} if clusters else {}
        each = []
        for joint, level in ((True, 0.95), (False, 1 - 0.05 / n_segments), (False, 0.95)):
            report = ap.report(y, one, by=segment, joint=joint, confidence_level=level, **given)
            rows = report.rows[1:]
            each += [all(row.low <= true <= row.high for row in rows)]
            each += [np.mean([row.high - row.low for row in rows])]
            if joint:
                alarm = min(row.pvalue for row in rows) < 0.05
        models = ap.report(y, {"a": one, "b": other}, by=segment, baseline="a", **given)
        each += [alarm, min(row.pvalue for row in models.rows[3::2]) < 0.05]
        found.append(each)
    return np.mean(found, axis=0)


@pytest.mark.slow
def test_intervals_of_ten_segments_hold_at_once():
    all_hold, width, _, bonferroni, alone, _, alarms, false = held(8, seed=1, n_segments=10)
    assert all_hold >= 0.75
    assert alone <= all_hold
    assert width <= 1.1 * bonferroni
    assert max(alarms, false) <= 0.25


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_segments", "clusters"), [(5, False), (20, False), (20, True), (50, False)]
)
def test_intervals_hold_at_once_in_simulations(n_segments, clusters):
    times = 1200 // n_segments
    all_hold, width, _, bonferroni, alone, _, alarms, false = held(
        times, seed=2, n_segments=n_segments, clusters=clusters
    )
    noise = 2 * math.sqrt(0.05 * 0.95 / times)
    assert all_hold >= 0.93 - noise / 2
    assert alone < 0.93 - noise / 2  # what isn't adjusted would be seen
    assert width <= 1.1 * bonferroni
    assert max(alarms, false) <= 0.06 + noise / 2


@pytest.mark.sweep(2)
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
        assert ("For average precision, the fraction of positives differs" in text) == (times > 1.5)


# --- segments about which little is known ---------------------------------------------------------


def test_a_segment_without_positives_has_a_row_that_says_so():
    y = np.where(COUNTRY == "US", 0, Y)
    with pytest.warns(UndefinedMetricWarning, match=r"1 of 3 segments \(US\)"):
        report = ap.report(y, MODELS, by=COUNTRY, baseline="old")
    row = of(report, "US", "new")
    assert (row.value, row.n_positives, row.verdict) == (0.0, 0, "unclear")
    assert np.isnan([row.low, row.high, row.difference_low, row.pvalue]).all()
    assert "no positives" in str(report)
    silent = ap.report(y, ONE, by=COUNTRY, zero_division=np.nan)
    assert math.isnan(of(silent, "US").value)
    known = COUNTRY != "US"  # it isn't part of the family
    others = ap.report(y[known], MODELS["new"][known], by=COUNTRY[known])
    assert of(report, "DE", "new").low == of(others, "DE").low


def test_notes_and_warnings_name_the_classes_that_they_are_about():
    """In x there is no class 2, and in w nothing else."""
    y, by = np.array([2, *[0, 1] * 10, *[0, 1, 2] * 10]), ["w", *"x" * 20, *"z" * 30]
    scores = np.random.default_rng(0).random((51, 3))
    given = {"by": by, "average": None}
    with pytest.warns(UndefinedMetricWarning) as caught:
        one = ap.report(y, scores, **given)
    words = [str(each.message).partition(", so")[0] for each in caught]
    assert [note.code for note in one.notes] == ["in_segments"]
    first, last = (note.text for note in one.said if note.code == "adjusted")
    why = one.notes[0].text
    assert first.startswith("For class 0 and class 1, apart from the row for all data, the int")
    assert "for all 2 segments at once" in first
    assert why.startswith("For class 2, in the segment 'w': At least two samples are needed")
    assert last.startswith("For class 2, apart from the row for all data, the intervals hold for")
    assert words == [
        "No positive class found in y_true, class 0, for 1 of 3 segments (w)",
        "No positive class found in y_true, class 1, for 1 of 3 segments (w)",
        "No positive class found in y_true, class 2, for 1 of 3 segments (x)",
    ]
    with pytest.warns(UndefinedMetricWarning):
        several = ap.report(y, scores, metrics=["AP", "R-precision"], n_resamples=50, **given)
    assert several.said[0].text == first  # it is the same for both metrics
    with pytest.warns(UndefinedMetricWarning):
        binary = ap.report(y == 1, scores[:, 1], by=by)
    assert binary.notes == ()
    assert first.replace("For class 0 and class 1, a", "A") in " ".join(str(binary).split())


def test_a_note_on_several_segments_stands_once():
    day = DAY % 5
    report = ap.report(Y, ONE, groups=day, by=day)
    (alone,) = report.notes
    assert alone.text == (
        "In the segment 0 and 4 others: At least two groups are needed to estimate how much a "
        "value varies, but there is 1."
    )
    assert alone.code == "in_segments"


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
    levels = [each if by == "level" else each[by.index("level")] for each in found[0][1:]]
    assert list(dict.fromkeys(levels)) == LEVELS[:3]
    folder = [row.segment for row in ap.report("y", "s", by="level", data=tmp_path)]
    assert folder == [None, *LEVELS[:3]]


@pytest.mark.parametrize("kind", ["pandas", "path", "paths", "dataset"])
def test_masks_are_columns_beside_groups(tmp_path, kind):
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    pq, dataset = (pytest.importorskip(f"pyarrow.{name}") for name in ("parquet", "dataset"))
    frame = pd.DataFrame({"y": Y, "s": ONE, "query": np.arange(Y.size) // 20, "new": DAY > 1})
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(dict(frame.items())), path)
    data = {"pandas": frame, "path": path, "paths": [path], "dataset": dataset.dataset(path)}[kind]
    given = {"groups": "query", "by": {"new ones": "new"}, "zero_division": 0.0}
    everything, new = ap.report("y", "s", data=data, **given)
    assert (everything.segment, new.segment) == (None, "new ones")
    expected = {"groups": frame["query"][DAY > 1], "zero_division": 0.0}
    assert new.value == pytest.approx(
        ap.average_precision_score(Y[DAY > 1], ONE[DAY > 1], **expected)
    )


def test_a_mask_that_no_row_has_is_a_segment_in_passes():
    pl = pytest.importorskip("polars", minversion="1.34", reason="older ones collect the columns")
    rows = pl.DataFrame({"y": Y, "s": ONE, "new": DAY > 1, "none": np.zeros(Y.size, dtype=bool)})
    point = ap.operating_point("y", "s", min_recall=0.5, data=rows)
    lazy, whole = (
        point.check("y", "s", by={"new": "new", "none": "none"}, data=data)
        for data in (rows.lazy(), rows)
    )
    assert [row.segment for row in lazy.rows] == [None, "new", "none"]
    assert lazy.to_dict() == whole.to_dict()


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
    assert lines[0].split() == [
        "segment",
        "positives",
        "model",
        "value",
        "95%",
        "interval",
        "difference",
        "95%",
        "interval",
        "p",
    ]
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
    assert all(map(str.startswith, lines, [f"  {name} " for name in names]))
    pytest.importorskip("matplotlib").use("agg")
    drawn = report.plot().ax_.get_yticklabels()
    assert [text.get_text() for text in drawn] == [*map(str, names)]
    both = ap.report(Y, ONE, by=(by, COUNTRY), zero_division=0.0)
    assert [*dict.fromkeys(row.segment[0] for row in both.rows[1:])] == names
    point = ap.operating_point(Y, ONE, min_recall=0.5)
    assert [row.segment for row in point.check(Y, ONE, by=by).rows[1:]] == names
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"y": Y, "s": ONE, "by": by, "country": COUNTRY})
    data = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=500))
    assert [row.segment for row in point.check("y", "s", by="by", data=data).rows[1:]] == names


def test_at_most_50_segments_are_printed_and_rows_have_all():
    by = np.arange(N) // (N // 60)
    report = ap.report(Y, ONE, by=by, zero_division=0.0)
    check = ap.operating_point(Y, ONE, min_recall=0.9).check(Y, ONE, by=by)

    def badness(row):
        kept = row.kept.values()
        return 0 if False in kept else 1 if None in kept else 2

    for found, least in ((report, lambda row: row.difference), (check, badness)):
        n_segments = len(found.rows) - 1
        assert n_segments > 50
        text = str(found)
        assert f"50 of {n_segments} segments are printed, " in text
        shown = [int(line.split()[0]) for line in text.splitlines()[3:53]]
        assert shown == sorted(shown)
        left_out = [row for row in found.rows[1:] if row.segment not in shown]
        assert len(left_out) == n_segments - 50
        worst = max(least(row) for row in found.rows[1:] if row.segment in shown)
        assert worst <= min(map(least, left_out))
        assert len(found.to_dict()) == n_segments + 1


def test_more_than_1000_segments_are_refused_unless_a_mapping_names_them():
    y, s = np.arange(3003) % 3 == 0, np.arange(3003.0)
    amount = np.arange(3003) // 3
    point = ap.operating_point(y, s, min_recall=0.9)
    calls = [
        lambda by, **given: ap.report(y, s, by=by),
        lambda by, **given: point.check(y, s, by=by),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"more than 1,000 different values.*pass a mapping"):
            call(amount)
    masks = {name: amount == name for name in range(1001)}
    assert len(calls[1](masks).rows) == 1002


def test_names_of_segments_in_json():
    names = np.datetime64("2026-01-01") + DAY // 20
    report = ap.report(Y, ONE, by=(names, COUNTRY))
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert '["2026-01-01", "DE"]' in text


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
        assert "segment" in of_polars.columns


def test_nothing_passed_is_changed():
    by = {"night": DAY < 9}
    copy = by["night"].copy()
    ap.report(Y, ONE, by=by)
    assert (by["night"] == copy).all()


# --- where the data is ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports_of_arrays():
    """The segments, by the names of columns, and the reports of the same arrays."""
    query, day, truth = TABLE["query"], TABLE["day"], TABLE["truth"]
    given = {"joint": False, "zero_division": 0.0}
    each = [("query", query), (["query", "day"], (query, day)), ({"one": "truth"}, {"one": truth})]
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


def test_each_model_can_have_its_own_table():
    rng = np.random.default_rng(0)
    tables = {}
    for model in ("a", "b"):
        kept = np.sort(rng.choice(N, 700, replace=False))
        columns = {"y": Y, "s": MODELS["new"], "day": DAY, "week": DAY // 20}
        tables[model] = {name: column[kept] for name, column in columns.items()}
    given = {"groups": "day", "metrics": "MAP", "zero_division": 0.0, "baseline": "a"}
    exist = {day: int(Y[day == DAY].sum()) for day in range(60)}
    counts = {"n_positives": exist}
    report = ap.report("y", "s", data=tables, by="week", joint=False, **given, **counts)
    for week in range(3):
        some = {
            model: {name: column[table["week"] == week] for name, column in table.items()}
            for model, table in tables.items()
        }
        counts = {"n_positives": {day: exist[day] for day in exist if day // 20 == week}}
        alone = ap.report("y", "s", data=some, **given, **counts)
        rows = [row for row in report.rows if row.segment == week]
        for row, one in zip(rows, alone.rows, strict=True):
            np.testing.assert_array_equal(numbers(row), numbers(one))


def detections(levels, seed=None):
    """Make the table of two classes in 12 of 14 images, whose boxes are more or less shifted. With
    a seed, some have the wrong class, and others are in images without objects.
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
    columns = {name: np.array([box[name] for box in boxes]) for name in boxes[0]}
    is_hit = columns.pop("shift") < 40 * (1 - np.array(levels)[:, np.newaxis])
    names = {1: "cat", 2: "dog"}
    asked = readers._Asked(range(14), [*names], names, levels, (0, np.inf))
    columns["category"] -= 1  # the number of the category among those of `asked`
    is_ignored = np.zeros_like(is_hit)
    found = readers._Matched(
        asked, **columns, is_hit=is_hit, is_ignored=is_ignored, objects=objects
    )
    return readers._table_of(found, range(len(levels)), levels, "all")


def test_a_model_that_found_nothing_in_a_segment():
    y = np.tile([1, 0, 1, 0, 1], 8)
    columns = {"y": y, "s": np.arange(40) % 7, "kind": np.repeat(["cat", "dog"], 20)}
    columns |= {"image": np.arange(40) % 10}
    cats = {name: column[:20] for name, column in columns.items()}
    given = {"groups": "kind", "clusters": "image", "baseline": "both"}
    pairs = {(kind, image): 3 for kind in ("cat", "dog") for image in range(10)}
    report = ap.report(
        "y", "s", data={"both": columns, "cats": cats}, by="kind", n_positives=pairs, **given
    )
    assert of(report, "dog", "cats").value == 0.0
    assert of(report, "dog", "cats").n_positives == 30
    assert of(report, "dog", "cats").difference == -of(report, "dog", "both").value
    assert of(report, "dog", "cats").pvalue < 1


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
    known = tables["old"].n_per_cluster
    for segment in dict.fromkeys(tables["old"].columns[by].tolist()):
        some = {}
        for model, table in tables.items():
            here = table.columns[by] == segment
            some[model] = {name: column[here] for name, column in table.columns.items()}
        groups = set(some["old"]["class at an overlap"])
        exist = {
            (group, image): known.get((group, image), 0) for group in groups for image in range(14)
        }
        roles = {"groups": "class at an overlap", "clusters": "image", "n_positives": exist}
        alone = ap.report("correct", "confidence", data=some, **roles, **given)
        rows = [row for row in report.rows if row.segment == segment]
        for row, one in zip(rows, alone.rows, strict=True):
            n = 7 if len(models) > 1 else 3  # a single model is compared with all other rows
            np.testing.assert_allclose(numbers(row)[:n], numbers(one)[:n], rtol=1e-12)
            assert row.basis.endswith("14 clusters (image)")


@pytest.mark.filterwarnings("ignore:There are no")
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("groups", [{}, {"groups": "kind"}])
def test_a_cluster_in_which_one_model_has_no_rows_of_a_segment(groups, is_known):
    """Only negatives are missing, so that positives need not be counted."""
    rng = np.random.default_rng(0)
    kind, image = np.repeat(["cat", "dog"], 60), np.arange(120) // 5
    if not is_known or groups:
        image = image % 12  # which then shows both
    y = (rng.random(120) < 0.4) & (image % 12 > 1)
    lacking = {"a": (image == 0) & (kind == "dog"), "b": (image == 1) & (kind == "cat")}
    tables = {}
    for model, gone in lacking.items():
        columns = {"y": y, "s": rng.normal(size=120) + y, "kind": kind, "image": image}
        tables[model] = {name: column[~gone] for name, column in columns.items()}
    given = {"clusters": "image", "baseline": "a", "metrics": "AP", **groups}

    def counts(here):
        found = Counter()
        for row in np.flatnonzero(here).tolist():
            found[(str(kind[row]), int(image[row])) if groups else int(image[row])] += int(y[row])
        return {"n_positives": dict(found)}

    known = counts(kind != "") if is_known else {}
    if not known and not groups:
        with pytest.raises(ValueError, match="numbers of rows of the cluster 0 differ"):
            ap.report("y", "s", data=tables, by="kind", **given)
        return
    report = ap.report("y", "s", data=tables, by="kind", joint=False, **given, **known)
    for segment in ("cat", "dog"):
        some = {
            model: {name: column[table["kind"] == segment] for name, column in table.items()}
            for model, table in tables.items()
        }
        alone = ap.report("y", "s", data=some, **given, **counts(kind == segment))
        rows = [row for row in report.rows if row.segment == segment]
        for row, one in zip(rows, alone.rows, strict=True):
            np.testing.assert_allclose(numbers(row), numbers(one), rtol=1e-9)


def test_the_command_line(tmp_path, capsys):
    from sklearn_ap.__main__ import main

    lines = [f"{y},{a},{b},{c}" for y, a, b, c in zip(Y, ONE, MODELS["new"], COUNTRY, strict=True)]
    path = tmp_path / "payments.csv"
    path.write_text("\n".join(["y,old,new,country", *lines]))
    given = ["report", str(path), "--label", "y", "--score", "old", "--score", "new"]
    given += ["--by", "country", "--baseline", "old", "--format", "json"]
    assert main(given) == 0
    found = json.loads(capsys.readouterr().out)
    models = {name: MODELS[name] for name in ("old", "new")}
    alone = ap.report(Y, models, by=COUNTRY, baseline="old").to_dict()
    assert [each.pop("by") for each in (found[0], alone[0])] == [["country"], []]
    found, alone = ([row | {"by": None} for row in each] for each in (found, alone))
    assert [row["segment"] for row in found] == [row["segment"] for row in alone]
    assert found == alone
    assert main([*given, "--no-joint"]) == 0
    assert json.loads(capsys.readouterr().out)[2]["joint"] is False
    worst = min(row["value"] for row in alone if row["segment"] and row["model"] == "new")
    assert main([*given, "--fail-under", f"AP={worst + 0.001:.6f}"]) == 1
    assert " in US is " in capsys.readouterr().err
    gate = [each if each != "--baseline" else "--fail-if-worse-than" for each in given]
    assert main([*gate, "--margin", "0.001", "--confidence-level", "0.9999"]) == 3
    err = capsys.readouterr().err
    assert "unclear: Average precision of new in US against old: " in err
    assert "unclear: Average precision of new against" not in err


def test_a_sentence_compares_the_models_in_all_data():
    """It stands in the report without segments, too."""
    given = {"metrics": "AP", "baseline": next(iter(MODELS))}
    texts = [" ".join(str(ap.report(Y, MODELS, by=by, **given)).split()) for by in (None, COUNTRY)]
    _, _, sentence = texts[0].partition("Compared with old")
    assert sentence.startswith(" by average precision, all 3 models at once: ")
    _, _, others = texts[1].partition("Compared with old in all data")
    assert others.startswith(f"{sentence} Compared with old in segments by average precision: ")
    metrics = ["AP", "envelope", "11-point", "101-point"]
    given = {"by": COUNTRY, "metrics": metrics, "baseline": next(iter(MODELS))}
    assert " in all data, all 3 models at once. By average precision: " in " ".join(
        str(ap.report(Y, MODELS, **given)).split()
    )


def test_pictures():
    pytest.importorskip("matplotlib")
    report = ap.report(Y, MODELS, by=COUNTRY, metrics=["AP", "envelope"])
    display = report.plot(of="values")
    assert display.ax_.size == 6
    assert report.plot().ax_.size == 4  # differences from the baseline
    ticks = [tick.get_text() for tick in display.ax_[0].get_yticklabels()]
    assert ticks == ["DE", "FR", "US"]
    days = np.datetime64("2026-01-01") + DAY // 6
    (line, *_) = ap.report(Y, ONE, by=days, zero_division=0.0).plot().errorbar_
    assert line.get_xydata().shape == (10, 2)
    alone = ap.report(Y, ONE, by=COUNTRY)
    shown = alone.plot(of="differences")
    assert shown.ax_.get_xlabel().split("\n")[-2:] == [
        "difference from other rows",
        "95% interval",
    ]
    found = [row.difference for row in alone if row.segment is not None]
    assert shown.errorbar_.lines[0].get_xdata() == pytest.approx(found)
    with pytest.raises(ValueError, match="one Axes for each metric and model, so 4"):
        report.plot(display.ax_[0])


# --- one threshold in each segment ----------------------------------------------------------------

POINT = ap.operating_point(Y, ONE, min_recall=0.6)


def measures(row):
    return [*row.precision, *row.recall, *row.flagged_share]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"sample_weight": AMOUNT},
        {"sample_weight": np.where(DAY % 3, AMOUNT, 0)},
        {"clusters": DAY},
        {"groups": DAY, "n_positives": dict.fromkeys(range(60), 40)},
    ],
)
def test_a_check_of_a_segment_is_one_of_its_rows(given):
    by = DAY // 20
    check = POINT.check(Y, MODELS["new"], by=by, joint=False, **given)
    assert [row.segment for row in check] == [None, 0, 1, 2]
    assert measures(check.rows[0]) == measures(POINT.check(Y, MODELS["new"], **given))
    for segment, row in enumerate(check.rows[1:]):
        here = by == segment
        own = {name: column[here] for name, column in given.items() if name != "n_positives"}
        if "n_positives" in given:
            own["n_positives"] = dict.fromkeys(np.unique(DAY[here]).tolist(), 40)
        alone = POINT.check(Y[here], MODELS["new"][here], **own)
        assert measures(row) == measures(alone)
        assert row.kept == alone.kept
        assert (row.n_samples, row.n_flagged) == (alone.n_samples, alone.n_flagged)


def by_key(*columns):
    """Count the positives of each key, and a few that were missed."""
    keys = list(zip(*(column.tolist() for column in columns), strict=True))
    keys = keys if len(columns) > 1 else [key for (key,) in keys]
    return {key: sum(Y[[each == key for each in keys]].tolist()) + len(str(key)) for key in {*keys}}


BIT = DAY % 2
OF_CHECKS = {
    **{name: OPTIONS[name] for name in OPTIONS if name not in ("groups by positives", "nan")},
    "subsampled": {"sample_weight": np.where(Y, 1, 20)},
    "n_positives of groups": {"groups": DAY, "n_positives": by_key(DAY)},
    "n_positives of clusters": {"clusters": DAY, "n_positives": by_key(DAY)},
    "of groups beside clusters": {"groups": DAY, "clusters": THREE, "n_positives": by_key(DAY)},
    "of pairs": {"groups": DAY, "clusters": THREE, "n_positives": by_key(DAY, THREE)},
    "of several columns": {"groups": (DAY, BIT), "n_positives": by_key(DAY, BIT)},
    "of several columns, flat": {
        "groups": (DAY, BIT), "clusters": THREE, "n_positives": by_key(DAY, BIT, THREE)
    },
}  # fmt: skip


@pytest.mark.parametrize("by", [DAY // 20, COUNTRY], ids=["whole groups", "parts of groups"])
@pytest.mark.parametrize("option", OF_CHECKS)
def test_checks_of_disjoint_segments_add_up(option, by):
    given = {"y_true": Y, "y_score": MODELS["new"], **OF_CHECKS[option]}
    if by is COUNTRY and "n_positives" in given:
        kind = "group" if "groups" in given else "cluster"
        words = f"but the {kind} .* has rows in several segments, so it isn't known where"
        with pytest.raises(ValueError, match=words):
            POINT.check(by=by, **given)
        return
    whole, *parts = POINT.check(by=by, **given)
    assert len(parts) == 3
    for count in ("n_samples", "n_positives", "n_flagged", "true_positives"):
        assert getattr(whole, count) == sum(getattr(part, count) for part in parts)
    label, flagged = given["y_true"], given["y_score"] >= POINT.threshold
    positive = label == "fraud" if option == "labels" else label >= given.get("min_grade", 1)
    found = np.asarray(given.get("sample_weight", np.ones(N))) * (positive & flagged)
    masses = [found.sum(), *(found[by == part.segment].sum() for part in parts)]
    exist = [mass / row.recall.value for mass, row in zip(masses, (whole, *parts), strict=True)]
    assert exist[0] == pytest.approx(sum(exist[1:]))
    if "n_positives" in given:
        assert exist[0] == pytest.approx(sum(given["n_positives"].values()))


@pytest.mark.parametrize("clusters", [None, DAY])
def test_intervals_of_checks_hold_at_once(clusters):
    check = POINT.check(Y, ONE, by=COUNTRY, clusters=clusters)
    for row in check.rows[1:]:
        here = row.segment == COUNTRY
        given = {} if clusters is None else {"clusters": clusters[here]}
        alone = POINT.check(Y[here], ONE[here], confidence_level=1 - 0.05 / 3, **given)
        np.testing.assert_allclose(measures(row), measures(alone), atol=1e-12)
    assert "hold for all 3 segments at once" in " ".join(str(check).split())


def test_checks_of_tables_and_segments_without_positives():
    pandas = pytest.importorskip("pandas")
    label = np.where((Y == 1) & (COUNTRY != "US"), "fraud", "fine")
    table = pandas.DataFrame({"y": label, "s": ONE, "c": COUNTRY})
    table.loc[:4, "c"] = None
    point = ap.operating_point("y", "s", data=table, min_recall=0.6, pos_label="fraud")
    check = point.check("y", "s", by="c", data=table)
    assert [row.n_positives for row in check.rows][3] == 0
    assert math.isnan(check.rows[3].recall.value)
    assert check.rows[3].kept == {"min_recall": None}
    assert "5 rows have no value of c, " in str(check)
    assert check.is_kept is None
    small = [f"a{number:02}" for number in range(20)]
    many = point.check(label, ONE + 10, by=[*small, *["b"] * (Y.size - len(small))])
    assert (many.rows[0].kept, many.is_kept) == ({"min_recall": True}, None)
    assert "a09 and 10 more." in " ".join(str(many).split())
    for row in json.loads(json.dumps(check.to_dict(), allow_nan=False)):
        assert row["segment"] in (None, "DE", "FR", "US")
    assert len(check.to_frame()) == 4
    with pytest.raises(ValueError, match="n_positives is one number for all rows"):
        point.check("y", "s", by="c", data=table, n_positives=400)


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
@pytest.mark.filterwarnings("ignore:A few negatives:UserWarning")
def test_kinds_of_groups_are_a_column(scores, given):
    if "sample_weight" in given:
        given = given | {"metrics": "AP"}
    given = QUIET | given | {"groups": QUERY}
    by_row = ap.report(FOUND, scores, by=[KINDS[query] for query in QUERY], **given)
    assert ap.report(FOUND, scores, by=KINDS, **given) == by_row
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


def test_thresholds_are_checked_in_segments_of_groups():
    point = ap.operating_point(FOUND, RUNS["a"], min_recall=0.5)
    column = [KINDS[query] for query in QUERY]
    given = {"groups": QUERY, "n_positives": {query: MISSED[query] for query in range(30)}}
    for more in ({"groups": QUERY}, given):
        found = point.check(FOUND, RUNS["a"], by=KINDS, **more)
        assert found == point.check(FOUND, RUNS["a"], by=column, **more)
    all_queries = point.check(
        FOUND, RUNS["a"], groups=QUERY, n_positives=MISSED,
        by=KINDS | {30: "news", 31: "news", 32: "shop"},
    )  # fmt: skip
    news = next(row for row in all_queries if row.segment == "news")
    exist = sum(MISSED[query] for query in [*range(0, 30, 3), 30, 31])
    assert news.recall.value == pytest.approx(news.true_positives / exist)


def test_checks_have_a_row_for_segments_without_rows():
    """As if their groups had a single negative row, which isn't flagged."""
    point = ap.operating_point(FOUND, RUNS["a"], min_recall=0.5)
    given = {"by": KINDS | {30: "news", 31: "empty", 32: None}, "n_positives": MISSED}
    found = point.check(FOUND, RUNS["a"], groups=QUERY, **given)
    expected = point.check(
        np.append(FOUND, [False] * 3), np.append(RUNS["a"], [-9, -9, -9]),
        groups=np.append(QUERY, [30, 31, 32]), **given,
    )  # fmt: skip
    assert [row.segment for row in found] == [None, "empty", "maps", "news", "shop"]
    for row, other in zip(found, expected, strict=True):
        assert row.recall == pytest.approx(other.recall)
        assert (row.kept, row.true_positives) == (other.kept, other.true_positives)
    empty = found.rows[1]
    assert (empty.n_samples, empty.recall.value) == (0, 0)
    assert math.isnan(empty.precision.value)
    nobody = point.check(FOUND, RUNS["a"], by={"nobody": np.zeros(240, dtype=bool)}).rows[1]
    assert (nobody.n_samples, nobody.kept) == (0, {"min_recall": None})


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


def test_masks_in_columns_named_like_groups_are_refused():
    frame = pytest.importorskip("pandas").DataFrame(
        {"y": FOUND, "s": RUNS["a"], "query": [f"q{query}" for query in QUERY], "here": FOUND}
    )
    by_name = {f"q{query}": "here" for query in range(30)}
    given = {"groups": "query", "data": frame, "zero_division": 0.0}
    with pytest.raises(ValueError, match="could be the segments of the groups, or masks"):
        ap.report("y", "s", by=by_name, **given)
    masks = ap.report("y", "s", by={"found": "here"}, **given)
    assert [row.segment for row in masks] == [None, "found"]
    with pytest.raises(ValueError, match=r"no segment for 3 of 30 groups \('q0', 'q1', 'q2'\)"):
        ap.report("y", "s", by={f"q{query}": "x" for query in range(3, 30)}, **given)
    with pytest.raises(ValueError, match="needs groups=, whose names are its keys"):
        ap.report(FOUND, RUNS["a"], by={"q1": "news"})


def k_notes(report):
    return [note.text for note in report.notes if note.code == "k_in_segments"]


def test_a_count_k_is_one_of_each_segment():
    place = np.arange(240)
    by = np.where(place % 40 < 30, "many", np.where(place % 40 < 38, "some", "few"))
    given = {"by": by, "zero_division": 0.0, "random_state": 0}
    (text,) = k_notes(ap.report(FOUND, RUNS["a"], metrics=["P@50", "R@50"], **given))
    assert text == (
        "k=50 counts rows of each segment. There are fewer in few, some. To cut the whole ranking "
        "once, choose a threshold: operating_point(..., k=50).check(..., by=...)."
    )
    weight = np.full(240, 2)
    by_weight = ap.metric("P@50", k_counts="weight")
    (text,) = k_notes(ap.report(FOUND, RUNS["a"], metrics=by_weight, sample_weight=weight, **given))
    assert "There are fewer in few. To cut" in text
    each = ap.report(FOUND, RUNS["a"], metrics=["P@2", "AP"], groups=QUERY, **given)
    (text,) = k_notes(each)
    assert text.startswith("For precision at 2, k=2 counts rows of each segment and group. ")
    assert "operating_point(..., k=2, groups=...).check(..., by=...)" in text
    for metrics, more in (("P@10%", {}), ("AP", {}), ("P@2", {"groups": QUERY, "by": KINDS})):
        assert not k_notes(ap.report(FOUND, RUNS["a"], metrics=metrics, **given | more))


@pytest.mark.slow
def test_fixed_groups_and_all_others_share_their_draws():
    """As resamples of whole clusters by plain loops, whose values depend on each other."""
    rng = np.random.default_rng(0)
    image, kind = np.repeat(np.arange(60), 20), np.tile(np.arange(4), 300)
    y = rng.random(1200) < 0.2 + 0.5 * rng.random(60)[image]
    s = y + rng.normal(size=60)[image] + rng.normal(size=1200)
    given = {"groups": kind, "clusters": image, "metrics": "P@40", "by": kind, "joint": False}
    found = ap.report(y, s, random_state=0, **given).rows[1:]
    parts = [{i: np.flatnonzero((kind == k) & (image == i)) for i in range(60)} for k in range(4)]
    drawn = []
    for _ in range(400):
        images = rng.integers(0, 60, 60)
        rows = [np.concatenate([part[i] for i in images]) for part in parts]
        drawn.append([ap.precision_at_k_score(y[each], s[each], k=40) for each in rows])
    values = np.array(drawn)
    for place, row in enumerate(found):
        others = np.delete(values, place, axis=1).mean(axis=1)
        expected = 2 * 1.96 * (values[:, place] - others).std()
        assert row.difference_high - row.difference_low == pytest.approx(expected, rel=0.2)
    shuffled = rng.permutation(1200)
    moved = {name: given[name][shuffled] for name in ("groups", "clusters", "by")}
    again = ap.report(y[shuffled], s[shuffled], random_state=0, **given | moved).rows[1:]
    assert [numbers(row) for row in again] == [pytest.approx(numbers(row)) for row in found]


def test_segments_draw_about_as_much_as_a_few_reports(monkeypatch):
    """40 segments would draw 80 times as many rows as one report, if all drew as often."""
    drawn, draw = [], variation.resamples_of

    def counted(request, plans):
        drawn.append(request.times * sum(plan.sample.rankings.n_rows for plan in plans))
        return draw(request, plans)

    monkeypatch.setattr(variation, "resamples_of", counted)
    rng = np.random.default_rng(0)
    y, cluster, by = rng.random(2000) < 0.4, rng.integers(0, 100, 2000), np.arange(2000) % 40
    given = {"metrics": "101-point", "clusters": cluster, "random_state": 0}
    score = rng.random(2000) + y
    ap.report(y, score, **given)
    (alone,) = drawn
    ap.report(y, score, by=by, **given)
    assert sum(drawn[1:]) < 12 * alone


@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_an_interval_of_the_whole_range_says_why(method):
    rng = np.random.default_rng(3)
    y, query = rng.random(400) < 0.3, np.arange(400) // 20
    models = {"a": rng.normal(size=400) + y, "b": rng.normal(size=400) + 0.9 * y}
    by = np.where(query < 2, "rare", np.where(query < 4, "few", "many"))
    given = {"groups": query, "by": by, "method": method, "random_state": 0}
    report = ap.report(y, models, **given)
    whole = [row.segment for row in report.rows if row.difference_high - row.difference_low == 2]
    (text,) = [note.text for note in report.notes if note.code == "few_groups"]
    assert text.startswith(f"In the segment {whole[0]!r}")
    assert "With 2 sampling units, the interval is the whole range." in text


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


@pytest.mark.sweep(3)
@pytest.mark.parametrize("metric", ["AP", "P@10"])
@pytest.mark.parametrize("groups", [None, PAIRED % 2, PAIRED // 60])
def test_segments_of_the_same_clusters_vary_together(metric, groups):
    """As two copies of the same rows do, whose difference hardly varies."""
    rng = np.random.default_rng(0)
    y, s = np.tile([rng.random(120) < 0.4, rng.random(120)], 2)
    given = {"groups": groups, "metrics": metric, "by": PAIRED // 120, "random_state": 0}
    shared, apart = (
        ap.report(y, s, clusters=each, **given).rows[1] for each in (PAIRED % 120, PAIRED)
    )
    assert shared.difference == apart.difference == 0
    assert shared.difference_high < apart.difference_high / 2


@pytest.mark.parametrize("sizes", [(8, 16), (16, 8)])
def test_segments_as_an_array_fit_each_table(sizes):
    """An array of the first table would leave out rows of a longer one."""
    tables = {
        model: {"y": [1, 0] * (n // 2), "s": np.arange(n), "q": np.arange(n) % 4}
        for model, n in zip("ab", sizes, strict=True)
    }
    with pytest.raises(ValueError, match=r"There are 16 in y_true and 8 in by"):
        ap.report("y", "s", data=tables, groups="q", by=np.arange(8) % 2)


@pytest.mark.parametrize("groups", [None, np.repeat(range(8), 2)])
def test_a_segment_without_positives_differs_from_the_rest_as_the_rest_from_it(groups):
    label, by = [1, 0] * 4 + [0] * 8, ["x"] * 8 + ["z"] * 8
    given = {"groups": groups, "zero_division": 0.0}
    _, one, other = ap.report(label, np.random.default_rng(0).random(16), by=by, **given).rows
    assert one.difference == one.value - other.value == -other.difference > 0
    report = ap.report(label, np.arange(16), by=by, **given)
    assert "nan" not in str(report)
    assert "for 0 comparisons" not in str(report)


def test_the_sentence_says_in_which_segments_a_model_is_better_or_worse():
    """It follows from the verdicts in the table, and names at most five segments of a verdict."""
    payments = ap.datasets.load_payments()
    for by in ("country", "day"):
        report = ap.report(
            "fraud", ["model_a", "model_b"], by=by, baseline="model_a", data=payments
        )
        verdicts = {}
        for row in report.rows:
            if row.model == "model_b" and row.segment is not None:
                verdicts.setdefault(row.verdict, []).append(str(row.segment))
        sentence = report._compared()[-1]
        assert sentence.startswith(
            "Compared with model_a in segments by average precision: model_b"
        )
        assert " ".join(str(report).split()).endswith(sentence)
        for verdict, words in {
            "better": "is significantly better in",
            "worse": "is significantly worse in",
            "unclear": "can't be told apart from it in",
        }.items():
            assert (words in sentence) == (verdict in verdicts)
            names = verdicts.get(verdict, [])
            if len(names) > 5:
                assert f"{words} {len(names)} segments" in sentence
            elif names:
                assert f"{words} {', '.join(names[:-1])}{' and ' * (len(names) > 1)}" in sentence


def test_groups_of_several_overlaps_are_called_classes_at_an_overlap():
    several, one = detections([0.5, 0.75]), detections([0.5])
    for table, words in ((several, "4 groups (class at an overlap)"), (one, "2 groups (class)")):
        found = ap.confidence_interval(data=table, metric="101-point", random_state=0)
        assert found.basis.startswith(f"{words}, ")
        assert f" rows in {words}, " in str(found.plan(half_width=0.05))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("unit", ["row", "cluster", "group"])
def test_the_order_of_rows_changes_no_segment_of_a_single_model(unit, overlap):
    """Each segment and its other rows are joined by sampling unit, whatever the order of units."""
    rng, size = np.random.default_rng(0), 400
    y = rng.random(size) < 0.3
    scores = rng.random(size) + 0.4 * y
    number = rng.integers(0, 6, size)
    columns = {i: (number == i) | (overlap & (rng.random(size) < 0.3)) for i in range(6)}
    units = {} if unit == "row" else {f"{unit}s": rng.integers(0, 60, size)}

    def found(order):
        by = {segment: mask[order] for segment, mask in columns.items()}
        given_ = {name: column[order] for name, column in units.items()}
        rows = ap.report(y[order], scores[order], by=by, zero_division=0.0, **given_).to_dict()
        return [[row[name] for name in ("low", "difference_low", "pvalue")] for row in rows[1:]]

    in_order = np.array(found(np.arange(size)))
    assert in_order == pytest.approx(np.array(found(rng.permutation(size))), rel=1e-6)


@pytest.mark.parametrize("metric", ["AP", "P@20"])
def test_two_segments_that_make_up_all_rows_have_one_difference(metric):
    """With one model, whose p-value isn't adjusted. With two models, each segment has its own."""
    rng = np.random.default_rng(0)
    y, half = np.arange(400) % 5 == 0, np.arange(400) % 2
    score = rng.normal(size=400) + (1 + half) * y
    given = {"metrics": metric, "random_state": 0}
    _, one, other = ap.report(y, score, by=half, **given)
    _, alone, _ = ap.report(y, score, by=half, joint=False, **given)
    assert one.pvalue == alone.pvalue
    assert one.difference == pytest.approx(-other.difference)
    three = ap.report(y, score, by=np.where(half, 1, np.arange(400) % 4), **given)
    assert "adjusted for 3 comparisons" in str(three)
    two = ap.report(y, {"a": score, "b": rng.permutation(score)}, by=half, baseline="b", **given)
    assert "adjusted for 2 comparisons" in str(two)
