"""Reports, and what results print and convert to."""

import json
import pickle
import re
import shutil
import subprocess
import warnings
from datetime import date, datetime, timedelta
from fractions import Fraction
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sklearn_ap as ap
from sklearn_ap import (
    average_precision_score,
    confidence_interval,
    metric,
    report,
    values_by_group,
)
from sklearn_ap._results.tables import (
    Printed,
    Result,
    format_table,
    to_json,
    wrap_text,
)
from sklearn_ap._results.wording import (
    count_decimals,
    format_ends,
    format_pvalue,
    format_value,
)
from sklearn_ap._uncertainty import ModelData
from sklearn_ap.inference import compare, compare_folds

from .numbers import close

WIDTH = 79


def draw(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    a = rng.standard_normal(n) + 1.3 * y
    return y, a, a + 0.5 * rng.standard_normal(n), np.arange(n) % 4


# --- reports --------------------------------------------------------------------------------------


GROUPS = np.arange(400) % 4 + 4 * (np.arange(400) // 4 % 9)  # each in one segment
DATA = {
    "rows": {},
    "weights": {"sample_weight": np.arange(400) % 7 / 4, "clusters": np.arange(400) // 5},
    "groups": {
        "groups": GROUPS,
        "average": "weighted",
        "n_positives": dict.fromkeys(range(36), 20),
    },
    "left out": {"groups": GROUPS, "zero_division": np.nan},
    "clusters of groups": {"groups": GROUPS, "clusters": GROUPS // 8, "zero_division": 1.0},
    "words": {"pos_label": "no"},
    "grades": {"min_grade": 2},
    "classes": {"classes": [2, 1, 0], "average": "weighted"},
}


OWN = {
    "model",
    "segment",
    "greater_is_better",
}  # what neither an interval nor a comparison has
OF_DIFFERENCES = ["difference", "difference_low", "difference_high", "pvalue"]
OF_DIFFERENCES += ["margin_low", "margin_high", "least_margin"]


@pytest.mark.parametrize("kind", DATA)
def test_rows_are_calls_of_confidence_interval_and_compare(kind):
    """Of a segment, on its rows, with levels that are adjusted for all segments."""
    y, a, b, by = draw()
    labels, models, data = 1 * y, {"a": a, "b": b, "c": a - b}, DATA[kind]
    if kind == "words":
        labels = np.where(y, "yes", "no")
    if kind in ("grades", "classes"):
        labels = labels + (np.arange(400) // 4 % 3 == 1)
    if kind == "classes":
        models = {n: np.column_stack([s, -s, np.roll(s, 8)]) for n, s in models.items()}
    if kind == "left out":
        labels = labels * (GROUPS < 30)
    metrics = ["AP", metric("P@10", **({"k_counts": "samples"} if kind == "weights" else {}))]
    asked = {"metrics": metrics, "by": by, "baseline": "b", "margin": 0.1} | data
    table = report(labels, models, confidence_level=0.9, **asked)
    assert (len(table.rows), table.n_comparisons, table.n_segments) == (30, 2, 4)
    for place, row in enumerate(table):
        rows, n_parts = (by == row.segment, 4) if row.segment is not None else (by < 4, 1)
        part = {n: v[rows] if isinstance(v, np.ndarray) else v for n, v in data.items()}
        if "n_positives" in data:
            part["n_positives"] = dict.fromkeys(np.unique(GROUPS[rows]).tolist(), 20)
        part["metric"] = metrics[place // 15]
        scores, base = models[row.model][rows], models["b"][rows]
        level = 1 - 0.1 / n_parts
        expected = dict.fromkeys(OF_DIFFERENCES, np.nan) | {"verdict": "baseline"}
        if row.model != "b":
            of_two = {"confidence_level": 1 - (1 - level) / 2, "margin": 0.1}
            one = vars(compare(labels[rows], scores, base, **part, **of_two))
            p = min(2 * n_parts * one["pvalue"], 1)
            ends = {f"difference_{n}": one[n] for n in ("low", "high", "standard_error", "units")}
            expected = one | ends | {"pvalue": p, "model": row.model}
        alone = confidence_interval(labels[rows], scores, confidence_level=level, **part)
        expected |= vars(alone) | {"n_comparisons": 2 * n_parts}
        for name, found in vars(row).items():
            if name not in OWN:
                value = expected[name]
                assert found == value or close(found, value), name
    for a, base, c in (table.rows[:3], table.rows[15:18]):
        is_said = max(a.least_margin, c.least_margin) >= 0.1 or base.units < 6
        assert any(note.startswith(f"{base.metric}: With") for note in table.notes) == is_said


def test_one_segment_is_all_data():
    y, a, b, _ = draw()
    table = report(y, {"a": a, "b": b}, by=np.zeros(400), baseline="a")
    assert len(table.rows) == 4
    for whole, part in zip(table.rows[:2], table.rows[2:], strict=True):
        found = vars(part) | {"segment": None}
        assert all(v == found[n] or close(v, found[n]) for n, v in vars(whole).items())
    assert "adjusted" not in str(table)


def test_the_baseline_is_the_best_by_the_first_metric():
    y, a, b, _ = draw()
    top = -a
    top[np.flatnonzero(y)[:5]] = 99
    models = {"top": top, "b": b, "a": a}
    for metrics, best in ((["AP", "P@5"], "a"), (["P@5", "AP"], "top")):
        table = report(y, models, metrics=metrics)
        assert (table.baseline, table.n_comparisons) == (best, 3)
        assert table.notes[0].startswith(f"{best} was chosen")
    assert "chosen" not in str(report(y, models, baseline="a"))
    assert "chosen" not in str(report(y, {"a": a, "b": b}))


def test_a_segment_without_positives_says_so():
    y, a, b, by = draw()
    y[by == 2] = False
    for models in ({"a": a}, {"a": a, "b": b}):
        table = report(y, models, by=by)
        empty = [row for row in table if row.segment == 2]
        assert {row.verdict for row in empty} == {"no positives"}
        assert {row.n_positives for row in empty} == {0}
        assert {row.metric for row in empty} == {table.rows[0].metric}
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
    found = report(y, s, by=by)
    assert "Classes without positives count as 0" in str(found)
    assert "1 of 3 in without" in " ".join(str(found).split())
    rows = found.rows
    assert [row.verdict for row in rows] == ["", "", "no positives"]
    part = by == "without"
    expected = average_precision_score(y[part], s[part], classes=[0, 1, 2], zero_division=0)
    assert close(rows[2].value, expected)


def test_segments_are_in_the_order_of_categories():
    y, a, _, by = draw()
    names = np.array(["low", "mid", "high", "top"])
    column = pd.Series(pd.Categorical(names[by], [*names, "unused"], ordered=True), name="risk")
    unordered = pd.Series(pd.Categorical(names[by], [*names, "unused"]), name="risk")
    enum = pl.Series("risk", names[by], dtype=pl.Enum([*names, "unused"]))
    frame = pd.DataFrame({"y": y, "a": a, "risk": column})
    results = (
        report(y, a, by=column),
        report(y, a, by=unordered),
        report("y", "a", by="risk", data=frame),
        report("y", "a", by=["risk"], data=frame),
        report(y, a, by=enum),
    )
    for table in results:
        assert [row.segment for row in table] == [None, *names]
    assert {row.model for row in results[2]} == {"a"}  # the column that has the scores
    assert [row.segment for row in report(y, a, by=names[by])] == [None, *sorted(names)]


def test_segments_of_several_columns():
    y, a, _, by = draw()
    frame = pd.DataFrame(
        {"y": y, "a": a, "country": np.array(["DE", "FR"])[by // 2], "week": by % 2}
    )
    expected = report(y, a, by=by).rows
    columns = frame[["country", "week"]]
    lists = [frame["country"], frame["week"]]
    named = {"y_true": "y", "y_score": "a", "by": ["country", "week"]}
    results = [report(y, a, by=each) for each in (columns, lists)]
    results += [report(**named, data=data) for data in (frame, pl.from_pandas(frame))]
    for table in results:
        segments = [("DE", 0), ("DE", 1), ("FR", 0), ("FR", 1)]
        assert [row.segment for row in table] == [None, *segments]
        assert [row.low for row in table] == [row.low for row in expected]
        assert "\nFR, 1 " in str(table)


def test_segments_with_equal_fractions_of_positives_can_be_compared():
    y, place = np.arange(80) % 4 == 0, np.arange(80)
    for by, is_said in ((place // 40, False), (place % 40 < 3, True)):
        assert ("Don't compare" in str(report(y, place * 37 % 80, by=by))) == is_said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": np.array(["a", None] * 200, object)}, "missing"),
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


def test_rows_of_a_report_that_is_not_adjusted_hold_on_their_own():
    y, a, b, part = draw()
    found = report(y, {"a": a, "b": b, "c": a + b}, by=part, baseline="a", adjust=False)
    for row in found:
        rows = np.flatnonzero(part == row.segment) if row.segment is not None else np.arange(400)
        scores = {"a": a, "b": b, "c": a + b}[row.model][rows]
        assert close([row.value, row.low, row.high], [*confidence_interval(y[rows], scores)])
        if row.model != "a":
            pair = compare(y[rows], scores, a[rows])
            assert close([row.pvalue, row.difference_low], [pair.pvalue, pair.low])
            assert (row.n_comparisons, row.verdict) == (1, pair.verdict)
    assert "Bonferroni" not in str(found)
    assert "Not adjusted" in str(found)


def test_all_data_of_groups_is_their_mean():
    """Here, each segment is a data set, of which the rows were sampled."""
    y, a, b, part = draw()
    given = {"groups": part, "clusters": np.arange(400)}
    found = report(y, {"a": a, "b": b}, by=part, baseline="a", **given)
    values = {(row.model, row.segment): row.value for row in found}
    for model in "ab":
        mean = np.mean([values[model, number] for number in range(4)])
        assert values[model, None] == pytest.approx(mean)
    assert "All data: the mean over all groups." in str(found)
    pair = compare(y, b, a, **given)
    assert next(row.pvalue for row in found if row.model == "b") == pair.pvalue


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
        "pivot": report("y", ["old", "new"], metrics=["AP", "P@10"], by="half", **data).pivot(),
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
    texts = str(result), result._repr_html_(), result.to_markdown(), result.to_latex()
    shown = [sorted(re.findall(r"\d\.\d{3}", text)) for text in texts]
    assert all(numbers == shown[0] for numbers in shown)
    rows = [
        line
        for line in result.to_latex().splitlines()
        if line.endswith(r"\\") and "multi" not in line
    ]
    assert len({row.count("&") for row in rows}) <= 1
    assert "95% interval |" not in result.to_markdown()  # but beside its value
    if name == "pivot":
        return
    assert len(result.to_frame()) == len(written.get("rows", [0]))
    assert all(note in unescape(result._repr_html_()) for note in result.notes)
    assert isinstance(result.notes, tuple)
    assert all(f"<th>{name}</th>" in result._repr_html_() for name in result._print().header)
    assert "notes" not in result.to_frame()
    if "segment" in result.to_frame():
        assert [*result.to_frame()["segment"]] == [row.segment for row in result.rows]


def test_results_have_what_their_page_says():
    page = (Path(__file__).parent.parent / "docs" / "results.rst").read_text()
    said, *modules = page.split(".. currentmodule:: ")
    methods = {*re.findall(r"``(to_\w+)\(\)``", said)}
    assert len(methods) == 4
    made = {type(result): result for result in list_results().values()}
    for module in modules:
        for name, members in re.findall(r"autoclass:: (\w+)\(\)\n(?:   :members: (.*))?", module):
            part = import_module(module.split()[0]) if find_spec(module.split()[0]) else None
            kind = getattr(part, name, None)
            if kind is None:  # It was taken away.
                continue
            listed = {member for member in members.split(", ") if member}
            if name not in ("Metric", "Finding"):  # These aren't results.
                listed |= methods
            assert listed <= {*dir(kind)}, name
            if kind in made:
                assert all(getattr(made[kind], method)() is not None for method in methods)


SAID = {  # about so many models, in all data or in segments
    (1, False): "",
    (1, True): "Intervals in segments are adjusted for 4 segments",
    (2, False): "verdict: b against a.",
    (2, True): "b against a. Intervals and p in segments are adjusted for 4 comparisons",
    (3, False): "verdict: against a. They are adjusted for 2 comparisons",
    (3, True): "against a. Those of all data are adjusted for 2 comparisons (Bonferroni). "
    "Intervals and p in segments are adjusted for 8 comparisons",
}


@pytest.mark.parametrize(("number", "has_segments"), SAID)
def test_numbers_stand_in_their_columns(number, has_segments):
    y, a, b, by = draw()
    models = dict([("a", a), ("b", b), ("c", np.roll(a, 9))][:number])
    asked = {"baseline": "a", "confidence_level": 0.9}
    table = report(y, models, metrics=["AP", "linear"], by=by if has_segments else None, **asked)
    interval, rows, compared = "90% interval", [], []
    tested = ["diff", interval, "p", "verdict" if has_segments else "verdict at 90%"]
    header = ["model", "value", interval, *tested][: None if number > 1 else 3]
    if has_segments:
        names = [["a", interval], ["b", "a", *tested], ["model", "value", "a", *tested]]
        header = ["segment", "positives", *names[number - 1]]
    values = {(row.metric, row.segment, row.model): f"{row.value:.3f}" for row in table}
    for row in table:
        ends = format_ends(row.low, row.high)
        base, value = (values[row.metric, row.segment, model] for model in ("a", row.model))
        test = ["", "", "", "baseline"]
        if row.model != "a":
            p = format_pvalue(row.pvalue)
            low, high = row.difference_low, row.difference_high
            test = [f"{row.difference:+.3f}", format_ends(low, high), p, row.verdict]
        cells = [row.model, value, ends, *test][: len(header)]
        if has_segments:
            segment = "all data" if row.segment is None else str(row.segment)
            cells = [segment, f"{row.n_positives:g}", *[row.model] * (number == 3), value]
            cells += [ends] if number == 1 else [base, *test]
        if not has_segments or number == 1 or row.model != "a":
            rows.append(cells)
        compared.append([row.model, value, *test])
    printed, text = table._print(), " ".join(str(table).split())
    assert [header, *rows] == [printed.header, *(row for _, part in printed.blocks for row in part)]
    if header[-1] == "verdict at 90%":
        ((_, part),) = compare(y, models, **asked)._print().blocks
        assert part == compared[:number]
    assert SAID[number, has_segments] in text
    assert ("adjusted" in text) == ("adjusted" in SAID[number, has_segments])
    assert ("ranked together" in text) == ("Don't compare values" in text) == has_segments
    ap, linear = (table.rows[place] for place in (0, len(table.rows) // 2))
    assert f"{ap.metric}: {ap.basis}, chance {ap.chance:.3f}" in text
    assert f"{linear.metric}: {linear.basis}" in text


def test_a_table():
    """Words are on the left, and numbers on the right, also if half of a column are numbers."""
    rows = [
        ["y" * 36, "0.5", "", "7 of 9", "no"],
        ["x" * 40, "-10.25", "0 to 1", "no\nway", "better"],
    ]
    blocks, line = [("One", rows), ("Two", rows[::-1])], " ".join(["word"] * 15)
    header = ["name", "value", "ends", "of", "verdict"]
    table = format_table(Printed(header, blocks, [line, f"{line} word word"]))
    header = f"name{' ' * 32}   value    ends      of  verdict"
    first = f"{'y' * 36}     0.5          7 of 9  no"
    second = f"{'x' * 17}…{'x' * 18}  -10.25  0 to 1  no way  better"
    one, two = ["One", header, first, second], ["", "Two", second, first]
    assert table.splitlines() == [*one, *two, line, f"{line} word", "word"]


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((0.432, 0.380, 0.484), 3),
        ((0.024, 0.0141, 0.044), 3),
        ((0.9347, 0.9297, 0.9395), 3),
        ((0.0312, 0.0272, 0.0344), 3),
        ((0.9969, 0.9966, 0.9973), 4),  # 0.0007 wide
        ((0.5, 0.5 - 1e-8, 0.5 + 1e-8), 6),
        ((0.5, np.nan, np.nan), 3),
        ((0.5, 0.5, 0.5 + 1e-12), 3),  # a rounding error
        ((0.5, -np.inf, np.inf), 3),
        ((0.02, 0.0004, 0.04), 4),  # which excludes 0, and with three decimals wouldn't
        ((0.02, 5.3e-7, 0.04), 3),  # One more decimal wouldn't help.
        ((0.02, -0.0004, 0.04), 3),
    ],
)
def test_the_narrowest_interval_decides_on_decimals(interval, expected):
    assert count_decimals([interval, (0.1, np.nan, np.nan)]) == expected
    assert count_decimals([(0.5, 0.4, 0.6), interval, (0.1, np.nan, np.nan)]) == expected


@pytest.mark.parametrize(
    ("value", "half_width", "expected"),
    [
        *((0.0049, 0.004, 4), (0.00013, 0.0001, 5), (0.02, 0.01, 3), (0, 0.3, 3)),
        *((9.9, 3, 3), (23.3, 4, 2), (8860, 700, 0), (8860, 0.2, 1), (-2834, np.nan, 0)),
    ],
)
def test_the_size_of_numbers_decides_on_decimals(value, half_width, expected):
    assert count_decimals([(value, value - half_width, value + half_width)]) == expected


def test_a_table_has_as_many_decimals_in_all_rows():
    rng = np.random.default_rng(0)
    y, size = rng.random(4000) < 0.1, np.repeat([0, 1], [3600, 400])
    a, cost = rng.normal(size=4000) + y, metric(lambda y, s: 1e4 * np.mean(y * s), name="cost")
    scores = {"a": a, "b": a + 0.01 * rng.random(4000), "c": rng.random(4000)}
    tables = [
        compare(y, scores),
        report(y, scores, metrics=["AP", "P@1%"], by=size),
        report(y, scores, metrics=["AP", "P@1%"]).pivot(),
        report(y, scores, metrics=cost, by=size),
        ap.operating_point(y, a, threshold=1, confidence_level=0.95),
    ]
    found = []
    for table in tables:
        printed = table._print()
        for _, rows in printed.blocks:
            columns = zip(printed.header, zip(*rows, strict=True), strict=True)
            text = " ".join(cell for name, cells in columns if name != "p" for cell in cells)
            found.append({len(each) for each in re.findall(r"\d\.(\d+)", text)})
    # The pivot has a column for each metric, and the cost is written without a point.
    assert found == [{4}, {4}, {3}, {3, 4}, set(), {3}]


def test_an_interval_is_on_its_side_of_the_goal():
    assert count_decimals([(0.791, 0.640, 0.89956)], 0.9) == 4
    assert count_decimals([(0.95, 0.9, 0.98)], 0.9) == 3
    assert count_decimals([(0.95, np.nan, np.nan)], 0.9) == 3


def test_lines_break_at_commas_rather_than_before_numbers():
    start = "Mean average precision at 1,000, divided by k and with ties in any order"
    assert wrap_text(f"{start}: 0.248, 95% interval 0.230 to 0.268") == [
        f"{start}:",
        "0.248, 95% interval 0.230 to 0.268",
    ]
    assert wrap_text(f"{start}, chance 0.020") == [f"{start},", "chance 0.020"]


def test_large_margins_have_no_exponents():
    y, a, b, _ = draw()

    def cost(y_true, y_score):
        return 1000.0 * np.sum((y_score < 1) != y_true)

    few = compare(y, a, b, metric=metric(cost, greater_is_better=False), margin=1e6)
    assert "Margin: 1000000." in str(few)
    assert not re.search(r"\de[+-]?\d", str(few))


def test_tables_of_rare_classes_have_more_decimals():
    random = np.random.default_rng(1)
    y = (random.random(100_000) < 0.003).astype(int)
    a, b = random.normal(size=(2, y.size)) + 0.1 * y
    tables = [
        compare(y, a, b),
        ap.confidence_interval(y, a),
        report(y, {"a": a, "b": b}, baseline="a"),
        report(y, {"a": a, "b": b}, baseline="a").pivot(),
    ]
    for table in tables:
        for text in (str(table), table._repr_html_(), table.to_markdown(), table.to_latex()):
            decimals = {len(each) for each in re.findall(r"\d\.(\d{3,})(?!\d)", text)}
            assert decimals - {3} == {4}  # p has three
            assert "0.000 " not in text


def test_what_json_has():
    result = Printed(["a"], [], (np.float32(0.5), date(2026, 1, 2), Fraction(1, 2)))
    written = to_json({"a": [np.nan, np.inf, np.int64(1), None, True], 2: result})
    printed = {"header": ["a"], "blocks": [], "lines": [0.5, "2026-01-02", "1/2"]}
    assert written == {"a": [None, "inf", 1, None, True], "2": printed}


def test_numbers():
    found = [format_value(number, "+") for number in (-0.0001, 0.25, 0, np.nan)]
    assert found == ["0.000", "+0.250", "0.000", ""]
    assert format_value(8860.2, "+", 0) == "+8860"
    ends = [(0.0001, 0.5), (-0.0001, 0), (-1, -5.3e-7), (np.nan, np.nan), (-0.0008, np.inf)]
    expected = ["0.000 to 0.500", "0.000 to 0.000", "-1.000 to 0.000", "", "-0.001 to inf"]
    assert [format_ends(*each) for each in ends] == expected
    p = [1e-5, 0.00999, 0.04996, 0.05, 0.09999, 0.2, 0.8996, np.nan]
    expected = ["<0.001", "0.009", "0.049", "0.050", "0.099", "0.200", "0.900", ""]
    assert [format_pvalue(each) for each in p] == expected


# --- papers ---------------------------------------------------------------------------------------


class Shown(Result):
    def __init__(self, *printed):
        self._print = lambda: Printed(*printed)


def test_latex_is_escaped_and_markdown_has_columns():
    lines = [r"5% & #1 of {a_b} cost $3, <0.001, 1-2 and -0.5 in C:\x~^."]
    shown = Shown(["a|b", "c"], [("A: 3.", [["-0.1", "**0.2**"]])], lines)
    assert shown.to_latex().splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{A: 3. 5\% \& \#1 of \{a\_b\} cost \$3, $<$0.001, 1-2 and $-$0.5 in "
        r"C:\textbackslash{}x\textasciitilde{}\textasciicircum{}.}",
        r"\begin{tabular}{ll}",
        r"\toprule",
        r"a\textbar{}b & c \\",
        r"\midrule",
        r"$-$0.1 & \textbf{0.2} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    shown = Shown(["a|b", "95% interval"], [("A", [["1", "0 to 2"], ["", ""]])])
    assert shown.to_markdown() == "A\n\n| a\\|b (95% interval) |\n|---|\n| 1 (0 to 2) |\n|  |"


def test_latex_has_the_caption_and_the_label_that_are_passed():
    y, a, b, _ = draw()
    table = report(y, {"a": a, "b": b})
    for result in (table, table.pivot()):
        usual = result.to_latex()
        given = result.to_latex(caption=r"Ours, $n=400$ \& more.", label="tab:ours")
        start, end = usual.split(r"\begin{tabular}")
        assert given.split(r"\begin{tabular}")[1] == end
        assert "\n\\caption{Ours, $n=400$ \\& more.}\n\\label{tab:ours}\n" in given
        assert r"\label" not in start


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_latex_compiles(tmp_path):
    y, a, b, part = draw()
    odd = {r"50% & #1_{a}\~^$": a, 'a|b <c> - "d"': b}
    tables = [*list_results().values(), report(y, odd), report(y, odd, by=part).pivot()]
    lines = [r"\documentclass{article}", r"\usepackage{booktabs}", r"\begin{document}"]
    lines += [table.to_latex() + "\n" for table in tables]
    (tmp_path / "all.tex").write_text("\n".join([*lines, r"\end{document}"]))
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


@pytest.mark.parametrize("adjust", [True, False])
def test_the_best_and_what_is_not_significantly_worse_may_be_best(adjust):
    y, a, b, part = draw()
    models = {"a": a, "b": b, "c": b + a, "d": -b}
    found, marked = report(y, models, by=part, baseline="d", adjust=adjust), set()
    for segment in (None, 0, 1, 2, 3):
        inside = part == segment if segment is not None else np.full(part.size, True)
        rows = {row.model: row for row in found if row.segment == segment}
        best = max(rows, key=lambda name: rows[name].value)
        n_tests = (6 * (4 if segment is not None else 1)) if adjust else 1
        for name, row in rows.items():
            is_worse = name != best and (
                compare(
                    y[inside],
                    models[name][inside],
                    models[best][inside],
                    confidence_level=1 - 0.05 / n_tests,
                ).verdict
                == "worse"
            )
            is_bold = (row.metric, segment, name) in found.pivot().best
            assert is_bold == (not is_worse)
            marked.add((is_bold, name == best))
    assert marked == {(True, True), (True, False), (False, False)}
    assert not report(y, a).pivot().best


def test_only_a_pivot_compares_all_with_the_best(monkeypatch):
    """Each resample costs time. A copy, as in a pickle, has what is bold, but not the data."""
    y, a, b, _ = draw()
    models, pairs = {"a": a, "b": b, "c": -a}, []
    estimate_pair = ModelData.estimate_pair

    def count(self, variations, *pair, **options):
        pairs.append(pair)
        return estimate_pair(self, variations, *pair, **options)

    monkeypatch.setattr(ModelData, "estimate_pair", count)
    of_models = report(y, models, metrics="P@10", baseline="c")
    assert pairs == [("a", "c"), ("b", "c")]
    pivot = of_models.pivot()
    assert len(pairs) == 4
    again = pickle.loads(pickle.dumps(of_models))
    assert str(again) == str(of_models)
    assert str(again.pivot()) == str(pivot)
    assert pivot.to_frame().equals(of_models.to_frame())
    assert len(pickle.dumps(of_models)) < 4000  # 400 labels and 1,200 scores have 10,000 bytes
    assert "_find_best" not in of_models.to_dict()


def test_pivot_has_the_values_of_a_report():
    y, a, b, part = draw()
    found = report(y, {"a": a, "b": b, "c": b + 0}, by=part, metrics=["AP", "P@10"])
    values = {(row.metric, str(row.segment), row.model): row for row in found}
    best, pivot = found.pivot().best, found.pivot()._print()
    assert [*pivot.header] == ["segment", "a", "b", "c"]
    for heading, rows in pivot.blocks:
        assert [row[0] for row in rows] == ["all data", "0", "1", "2", "3"]
        for segment, *cells in rows:
            name = "None" if segment == "all data" else segment
            known = [values[heading, name, model] for model in "abc"]
            for cell, row in zip(cells, known, strict=True):
                bold = "**" * ((row.metric, row.segment, row.model) in best)
                assert cell == f"{bold}{row.value:.3f}{bold} ({format_ends(row.low, row.high)})"
    assert "adjusted for 4 segments" in str(found.pivot())
    lines = " ".join(str(found.pivot()).split())
    assert "bold: the highest, and those that aren't significantly worse, adjusted for all" in lines
    alone = report(y, {"a": a}, by=part, adjust=False).pivot()
    assert "95% intervals.\nIntervals in segments aren't adjusted" in str(alone)
    assert "**" not in str(alone)
    one = report(y, {"a": a, "b": b}, by=np.zeros(400), adjust=False)
    has_one_segment = report(y * (part == 0), {"a": a, "b": b}, by=part)  # with positives
    assert "aren't adjusted" not in str(has_one_segment.pivot())
    three = report(y, {"a": a, "b": b, "c": b}, adjust=False)
    assert "adjusted for all pairs" not in " ".join(str(three.pivot()).split())
    assert "djusted" not in str(one.pivot())  # since one segment has nothing to adjust for
    lost = metric(lambda y, s: np.mean((y - s) ** 2), name="lost", greater_is_better=False)
    two = report(y, {"a": a, "b": 9 * a}, metrics=lost)
    assert "**" in str(two.pivot()).splitlines()[1]
    assert "the lowest" in str(two)
    assert "In bold: the lowest," in str(two.pivot())
    two = report(y, {"a": a, "b": b}, metrics=["AP", "P@10"]).pivot()._print()
    assert [*two.header] == ["model", "Average precision", "Precision at 10"]
    assert "means over" not in two.lines[0]
    of_days = report(y, {"a": a, "b": b}, metrics=["AP", "P@10"], groups=part).pivot()._print()
    assert of_days.header == two.header
    assert of_days.lines[0] == "Values with 95% intervals, means over groups."


# --- queries that nothing was retrieved for -------------------------------------------------------


@pytest.mark.filterwarnings("ignore:No positive class")
def test_groups_without_rows_are_in_the_segments_of_a_mapping():
    rng = np.random.default_rng(0)
    query = rng.integers(0, 6, 60)
    table = pd.DataFrame({"query": query, "kind": query % 2, "y": rng.random(60) < 0.3})
    table["a"], table["b"] = rng.random((2, 60))
    counts = dict.fromkeys([*range(6), 7, 8], 20) | {-1: 0}
    asked = {"groups": "query", "n_positives": counts, "data": table}
    found = report("y", ["a", "b"], metrics=["MAP", "R@5"], by={n: n for n in counts}, **asked)
    values = {(row.metric, row.segment, row.model): row.value for row in found}
    for title, name in (("Average precision", "MAP"), ("Recall at 5", "R@5")):
        title = f"{title}, mean over queries"
        for model in "ab":
            expected = ap.values_by_group("y", model, metric=name, **asked)
            assert np.isnan(values[title, -1, model])  # which has no positives, and counts as 0
            for query in counts.keys() - {-1}:
                assert values[title, query, model] == pytest.approx(expected[query])
            assert values[title, None, model] == pytest.approx(np.mean([*expected.values()]))
    assert [*dict.fromkeys(row.segment for row in found)] == [None, *sorted(counts)]
    assert "in no segment" not in str(found)
    by_kind = report("y", ["a", "b"], metrics=["MAP", "R@5"], by="kind", **asked)
    assert str(by_kind).count("3 queries without rows") == 1


# --- times ----------------------------------------------------------------------------------------

LABEL = np.random.default_rng(0).integers(0, 2, 60)
SCORE, DAY = np.random.default_rng(1).random(60), np.arange(60) % 3
DAYS = pd.date_range("2024-03-30", periods=3, freq="D", unit="ns")
SHOWN = {  # a column of times, and what its first value is in pandas and Arrow, or in polars
    "nanoseconds": (DAYS, datetime(2024, 3, 30)),
    "microseconds": (DAYS.as_unit("us"), datetime(2024, 3, 30)),
    "dates": (pd.Index([each.date() for each in DAYS]), date(2024, 3, 30)),
    "durations": (DAYS - DAYS[0], timedelta(0)),
    "a time zone": (
        DAYS.tz_localize("Europe/Berlin"),
        datetime(2024, 3, 30, tzinfo=ZoneInfo("Europe/Berlin")),
    ),
}


@pytest.mark.parametrize("kind", SHOWN)
@pytest.mark.parametrize("make", ["series", "category", pd.DataFrame, pl.DataFrame, pa.table])
def test_groups_and_segments_are_named_by_the_times_that_a_column_shows(kind, make):
    days, first = SHOWN[kind]
    column = days[DAY]
    if make == "series":
        named = {"y_true": LABEL, "y_score": SCORE}
        by = {"by": pd.Series(column)}
    else:
        named, by = {"y_true": "label", "y_score": "score"}, {"by": "day"}
        rows = {"label": LABEL, "score": SCORE}
        if make == "category":
            named["data"] = pd.DataFrame(rows | {"day": column}).astype({"day": "category"})
        elif make is pl.DataFrame:
            named["data"] = pl.DataFrame(rows | {"day": pl.Series(column)})
        elif make is pa.table:
            named["data"] = pa.table(rows | {"day": pa.array(column)})
        else:
            named["data"] = pd.DataFrame(rows | {"day": column})
    all_data, *segments = report(**named, **by).rows
    assert segments[0].segment == first
    assert sum(each.n_samples for each in segments) == all_data.n_samples == 60
    values = values_by_group(**named, groups=by["by"])
    assert [*values] == [each.segment for each in segments]
    assert [*values.values()] == pytest.approx([each.value for each in segments])
    exist = dict.fromkeys([first, *[*values][1:]], 60)
    more = values_by_group(**named, groups=by["by"], n_positives=exist)
    assert all(more[name] < value for name, value in values.items())
    of_groups = confidence_interval(**named, groups=by["by"], n_positives=exist)
    assert of_groups.value == pytest.approx(np.mean([*more.values()]))


@pytest.mark.parametrize(("hours", "shown"), [(0, "2024-03-30"), (12, "2024-03-30 12:00:00")])
def test_segments_of_dates_are_printed_without_midnight(hours, shown):
    times = DAYS[DAY] + pd.Timedelta(hours=hours)
    assert f"\n{shown}  " in str(report(LABEL, SCORE, by=pd.Series(times)))


def test_classes_and_images_count_every_object():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 60), rng.random(60)
    classes, images = np.arange(60) % 3, rng.integers(0, 8, 60)
    asked = {"by": classes, "groups": classes, "clusters": images}
    row, *_ = ap.report(labels, scores, **asked)
    assert (row.n_samples, row.n_positives) == (60, labels.sum())
    seeds = {"groups": np.arange(60) % 3, "clusters": np.arange(60) // 3}
    row, *_ = ap.report(np.repeat(labels[:20], 3), scores, **seeds)
    assert (row.n_samples, row.n_positives) == (20, labels[:20].sum())


def test_groups_without_positives_are_said_for_segments():
    day, by = np.arange(600) % 20, np.repeat(list("abcdef"), 100)
    y = np.arange(600) // 20 % 5 == day % 2
    y[100:] &= day[100:] < 15
    asked = {"groups": day, "by": by}
    note = "Groups without positives count as 0, and zero_division=np.nan leaves them out:"
    found = report(y, np.sin(np.arange(600)), **asked)
    assert sum(note in each for each in found.notes) == 1
    (said,) = (each for each in found.notes if note in each)
    assert said == f"{note} 5 of 20 in b, 5 of 20 in c, 5 of 20 in d, and in 2 more segments."
    own = metric(lambda y, s: float(np.mean(y * s)), name="own")
    for more in ({"zero_division": 0}, {"zero_division": np.nan}, {"metrics": own}):
        assert note not in str(report(y, np.sin(np.arange(600)), **asked, **more).notes)


def test_a_class_without_detections_has_a_segment():
    counts = {"a": 2, "b": 2, "c": 1}
    asked = {"by": {n: n for n in counts}, "groups": list("aabb"), "n_positives": counts}
    report = ap.report([1, 0, 1, 0], [4, 3, 2, 1], clusters=[1, 2, 1, 2], **asked)
    assert [(row.segment, row.n_positives) for row in report] == [
        (None, 5), ("a", 2), ("b", 2), ("c", 1)
    ]  # fmt: skip


# --- warnings -------------------------------------------------------------------------------------


def count_warnings(function, *args, **options):
    """Count the warnings of undefined values, and of what k counts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args, **options)
    messages = [str(each.message) for each in caught]
    assert all("No positive class" in text or "k=10 counts" in text for text in messages)
    return tuple(sum(words in text for text in messages) for words in ("No pos", "k=10 counts"))


def test_the_first_model_warns_for_all():
    """Once of what is 0/0, though segments have that, too, and once of what k counts."""
    y, a, b, by = draw()
    groups = np.arange(400) % 8 // 4 + 2 * by  # two in each segment
    y = y & (groups != 3) & (groups != 4)  # in two segments, one of them has no positives
    models, weight = {"a": a, "b": b, "c": a + b}, 1.0 + by % 2
    asked = {"groups": groups, "clusters": np.column_stack([np.arange(400), np.arange(400) % 10])}
    assert count_warnings(confidence_interval, y, a, groups=groups) == (1, 0)
    assert count_warnings(compare, y, a, b, metric="AP@10", sample_weight=weight) == (0, 1)
    asked |= {"sample_weight": weight}
    assert count_warnings(compare, y, models, metric="AP@10", **asked) == (1, 1)
    assert count_warnings(report, y, models, metrics=["AP", "AP@10"], **asked) == (2, 1)
    assert count_warnings(report, y, models, metrics="AP@10", by=by, **asked) == (1, 1)


def test_as_many_segments_as_are_allowed_have_their_values():
    segment = np.arange(4000) % 200
    y, scores, *_ = draw(4000)
    y[:200] = True
    rows = [row for row in report(y, scores, by=segment).rows if row.segment is not None]
    values = values_by_group(y, scores, groups=segment)
    assert {row.segment: row.value for row in rows} == pytest.approx(values)


def draw_segments():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"part": np.repeat(["a", "b"], 150), "seed": np.tile([0, 1, 2], 100)})
    data["y"] = rng.random(300) < np.where(data["part"] == "a", 0.2, 0.5)
    data["s"] = rng.random(300) + data["y"]
    return data


def test_groups_that_rank_several_segments_together_are_named():
    data = draw_segments()
    together = str(report("y", "s", by="part", groups="seed", data=data)).replace("\n", " ")
    assert "each seed ranks rows of several segments together. If segments are data" in together
    apart = str(report("y", "s", by="part", groups=["part", "seed"], data=data))
    assert "All data: the mean over all parts and seeds.\n" in apart
    assert "together" not in apart


def test_fractions_of_positives_are_those_of_weights():
    data = draw_segments()
    share = data.groupby("part")["y"].transform("mean")
    data["w"] = np.where(data["y"], 0.1 / share, 0.9 / (1 - share))
    assert "fractions of positives differ" in str(report("y", "s", by="part", data=data))
    weighted = report("y", "s", by="part", sample_weight="w", data=data)
    assert "fractions of positives differ" not in str(weighted)


def test_segments_that_are_single_clusters_say_why_they_have_no_interval():
    data = draw_segments()
    first, *segments = report("y", "s", by="part", clusters="part", data=data).rows
    assert {row.verdict for row in segments} == {"a single unit"}
    assert first.verdict != "a single unit"
    rows = report("y", "s", by="part", clusters="seed", data=data).rows
    assert "a single unit" not in {row.verdict for row in rows}


def test_a_p_below_what_the_level_asks_for_is_not_printed_as_that():
    assert [format_pvalue(0.01974, level) for level in (0.95, 0.98)] == ["0.020", "0.019"]


def test_many_segments_have_the_rows_of_each():
    rng = np.random.default_rng(0)
    n_segments, n = 300, 6000
    y, s, by = rng.random(n) < 0.3, rng.random(n), rng.permutation(n) % n_segments
    found = ap.report(y, s, by=by, adjust=False)
    assert len(found.rows) == 1 + n_segments
    for row in found.rows[1::50]:
        rows = by == row.segment
        expected = ap.confidence_interval(y[rows], s[rows])
        assert (row.value, row.low, row.high) == (expected.value, expected.low, expected.high)
        assert row.n_samples == 20


def test_the_order_of_metrics_decides_nothing():
    """A segment without positives has an interval of a loss, so both metrics are adjusted for 3."""

    def brier(y, s):
        return np.mean((y - s) ** 2)

    rng = np.random.default_rng(0)
    by = np.repeat(["a", "b", "c"], 60)
    y = (rng.random(180) < 0.4) & (by != "c")
    models = {"A": rng.random(180), "B": rng.random(180)}
    loss = ap.metric(brier, greater_is_better=False, limits=(0, 1))
    first, turned = (
        ap.report(y, models, by=by, baseline="A", metrics=m) for m in (["AP", loss], [loss, "AP"])
    )
    assert first.n_segments == turned.n_segments == 3
    assert {*first.notes} == {*turned.notes}

    def list_numbers(result):
        return {(r.metric, str(r.segment), r.model, str(r.pvalue), str(r.low)) for r in result.rows}

    assert list_numbers(first) == list_numbers(turned)
