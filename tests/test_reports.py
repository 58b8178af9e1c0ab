"""Models and metrics in one table, whose values are those of the single functions."""

import copy
import math
import pickle
import re
import sys
import unicodedata
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap._show import progress

rng = np.random.default_rng(0)
N = 400
Y = rng.random(N) < 0.2
SCORES = {
    name: np.round(rng.standard_normal(N) + gain * Y, 1)
    for name, gain in (("old", 1.0), ("new", 1.6), ("other", 1.1))
}
AMOUNT = rng.lognormal(3, 1, N).round(2)
DAY = rng.integers(0, 12, N)
GIVEN = [
    *map(ap.metric, ["average_precision", "precision_at_10%", "interpolated_average_precision"]),
    ap.metric("recall_at_30", sample_weight=AMOUNT, k_counts="samples"),
]
KEYS = ["model", "metric", "segment", "segment_column", "value", "low", "high"]
KEYS += ["difference", "difference_low", "difference_high", "margin_low", "margin_high"]
KEYS += ["pvalue", "verdict", "n_samples", "n_positives"]
RECORD = [
    "margin",
    "method",
    "basis",
    "n_resamples",
    "random_state",
    "n_groups",
    "chance",
    "confidence_level",
    "baseline",
    "joint",
    "min_positives",
]


def check_rows(rows, metric, given, models=SCORES, y_true=Y, baseline="old"):
    """The rows of one metric are what the single functions return, to the last bit."""
    assert [row.model for row in rows] == list(models)
    compared = ap.compare(y_true, models, metric=metric, baseline=baseline, **given)
    for row, beside in zip(rows, compared, strict=True):
        interval = ap.confidence_interval(y_true, models[row.model], metric=metric, **given)
        assert (row.value, row.low, row.high) == tuple(interval)
        found = row.difference, row.difference_low, row.difference_high, row.pvalue
        expected = beside.difference, beside.low, beside.high, beside.pvalue
        np.testing.assert_array_equal(found, expected)


def test_values_are_those_of_the_single_functions():
    report = ap.report(Y, SCORES, metrics=GIVEN, baseline="old", random_state=3)
    assert len(report) == len(GIVEN) * len(SCORES)
    rows = iter(report)
    for metric in GIVEN:
        three = [next(rows) for _ in SCORES]
        check_rows(three, metric, {"random_state": 3})
        assert [row.value for row in three] == [metric(Y, score) for score in SCORES.values()]


@pytest.mark.parametrize("given", [
    {"groups": DAY},
    {"groups": DAY, "average": "weighted", "zero_division": 0.0},
    {"groups": DAY, "method": "bootstrap"},
    {"clusters": DAY},
    {"confidence_level": 0.8, "n_positives": 120},
    {"sample_weight": AMOUNT},
], ids="-".join)  # fmt: skip
def test_options_reach_all_functions(given):
    given = {"random_state": 1, **given}
    report = ap.report(Y, SCORES, metrics="average_precision", baseline="old", **given)
    check_rows(report.rows, "average_precision", given)


def test_the_best_model_by_the_first_metric_is_the_baseline_of_all():
    """It has been chosen by the data, so that p-values are adjusted for all pairs of models."""
    y_true = [1, 0, 0, 0, 0, 0, 1, 1]
    a, b = [8, 4, 3, 2, 1, 0, 7, 5], [8, 7, 6, 4, 3, 0, 9, 2]
    models = {"b": b, "a": a, "c": b}
    report = ap.report(y_true, models, metrics=["AP", "P@2"], random_state=0)
    assert report.baseline == "a"
    assert [row.model for row in report if math.isnan(row.pvalue)] == ["a", "a"]
    assert [row.difference for row in report][3:] == [0.0, 0.0, 0.0]
    alone = [ap.compare(y_true, b, a, metric=m, random_state=0).pvalue for m in ("AP", "P@2")]
    for row, p in zip(report.rows[::3], alone, strict=True):
        assert p <= row.pvalue <= min(3 * p, 1)
    said = "against the baseline a, chosen as the best by average precision."
    assert said in " ".join(str(report).split())


def test_a_model_without_a_name_is_not_named():
    report = ap.report([1, 0, 1, 0], [4, 3, 2, 1], metrics="AP")
    assert str(report).splitlines() == [
        "Average precision: 2 positives, random 0.681",
        "value    95% interval",
        "0.833  0.000 to 1.000",
        "2 positives are few: with fewer than 6, intervals are very wide.",
    ]
    assert report.rows[0].model == ""
    assert math.isnan(report.rows[0].difference)
    assert "| value | 95% interval |\n| :-- | --: |" in report.to_markdown()
    named = ap.report(Y, {"new": SCORES["new"]}, metrics="AP")
    assert "| model | value | 95% interval |\n| :-- | --: | --: |" in named.to_markdown()


def test_metrics_keep_their_options_and_names():
    by_amount, unweighted = GIVEN[-1], ap.metric("AP", sample_weight=None)
    given = {"sample_weight": AMOUNT, "random_state": 0, "n_resamples": 19}
    metrics = ["AP", unweighted, ap.metric("recall_at_30"), by_amount]
    with pytest.warns(UserWarning, match="k=30 counts weight"):
        report = ap.report(Y, SCORES["new"], metrics=metrics, **given)
    assert [row.metric for row in report] == [
        "Average precision",
        "Average precision (sample_weight=None)",
        "Recall at 30",
        "Recall at 30 rows, weighted",
    ]
    values = [ap.average_precision_score(Y, SCORES["new"], sample_weight=w) for w in (AMOUNT, None)]
    assert [row.value for row in report][:2] == values
    renamed = ap.report(Y, SCORES["new"], metrics={"by amount": by_amount}, random_state=0)
    assert [row.metric for row in renamed] == ["by amount"]
    assert str(renamed).startswith("by amount: bootstrap, ")
    assert ap.report(Y, AMOUNT, metrics="AP", average=None).rows[0].metric == "Average precision"


NAMES = ["cat", "dog", "fox"]


# Several classes

CLASSES = np.array(NAMES)[rng.integers(0, 3, N)]
COLUMNS = {
    name: rng.random((N, 3)) + gain * (CLASSES[:, None] == NAMES)
    for name, gain in (("old", 0.2), ("new", 0.4))
}


def check_classes(report, y_true, names):
    """Each class has two rows, as if it was asked about alone."""
    assert [row.metric for row in report][::2] == [f"Average precision, class {n}" for n in names]
    for place, name in enumerate(names):
        models = {model: scores[:, place] for model, scores in COLUMNS.items()}
        rows = report.rows[2 * place :][:2]
        check_rows(rows, "average_precision", {}, models=models, y_true=y_true == name)


def test_classes_have_a_row_each_on_request():
    macro = ap.report(CLASSES, COLUMNS, metrics="AP", baseline="old")
    check_rows(macro.rows, "average_precision", {}, models=COLUMNS, y_true=CLASSES)
    report = ap.report(CLASSES, COLUMNS, metrics="AP", baseline="old", average=None)
    check_classes(report, CLASSES, NAMES)
    each = ap.average_precision_score(CLASSES, COLUMNS["new"], average=None)
    assert [row.value for row in report][1::2] == pytest.approx(each.tolist(), rel=1e-14)


def test_a_class_without_positives_can_be_left_out():
    y_true = np.where(CLASSES == "fox", "dog", CLASSES)
    given = {"metrics": "AP", "average": None, "baseline": "old"}
    others = {model: scores[:, :2] for model, scores in COLUMNS.items()}
    report = ap.report(y_true, others, classes=["cat", "dog"], **given)
    check_classes(report, y_true, ["cat", "dog"])
    indicators = (CLASSES[:, None] == ["cat", "dog", "none"]).astype(int)
    assert len(ap.report(indicators[:, :2], others, **given)) == 4
    found = ap.report(indicators, COLUMNS, n_positives=[N, N, 3], **given)
    assert found.rows[-1].value == 0


# Groups
def test_groups_are_listed_by_name():
    pytest.importorskip("pandas")
    metrics, names = [ap.metric("MAP"), ap.metric("P@5", ties="best")], [f"day {d:02}" for d in DAY]
    report = ap.report(Y, SCORES, metrics=metrics, groups=names)
    table = report.per_group()
    assert (list(table.index), table.index.name) == (sorted(set(names)), "group")
    titles = ["Mean average precision", "Precision at 5 with best ties"]
    assert list(table.columns) == [(model, title) for title in titles for model in SCORES]
    for (model, title), metric in zip(table.columns, np.repeat(metrics, 3), strict=True):
        each = metric(Y, SCORES[model], groups=DAY, average=None, zero_division=0.0)
        assert table[model, title].tolist() == each.tolist()
    means = [table[row.model, row.metric].mean() for row in report]
    assert means == pytest.approx([row.value for row in report])


def test_groups_without_positives_or_samples_are_listed():
    pytest.importorskip("pandas")
    given = {"groups": [*"aabb"], "n_positives": {"a": 1, "b": 0, "c": 4}, "zero_division": 1.0}
    report = ap.report([1, 0, 0, 0], [4, 3, 2, 1], metrics="AP", **given)
    expected = {"a": 1.0, "b": 1.0, "c": 0.0}
    assert report.per_group()["Average precision"].to_dict() == expected
    polars = pytest.importorskip("polars")
    rows = polars.DataFrame({"y": [1, 0, 0, 0], "s": [4, 3, 2, 1], "q": [7, 7, 8, 8]})
    given = {"groups": "q", "n_positives": {7: 1, 8: 0, 9: 4}, "zero_division": 1.0}
    table = ap.report("y", "s", metrics="AP", **given, data=rows).per_group()
    assert table.rows() == [(7, 1.0), (8, 1.0), (9, 0.0)]


def test_only_metrics_with_groups_have_values_per_group():
    pytest.importorskip("pandas")
    by_day = ap.metric("P@5", groups=DAY)
    table = ap.report(Y, SCORES, metrics=["AP", by_day], random_state=0).per_group()
    assert list(table.columns) == [(model, by_day.name) for model in SCORES]
    each = ap.precision_at_k_score(Y, SCORES["new"], k=5, groups=DAY, average=None)
    assert table["new", by_day.name].tolist() == each.tolist()


# Tables

TABLE = {"label": np.where(Y, "fraud", "legit"), "amount": AMOUNT, "day": DAY}
TABLE |= {f"by_{name}": scores for name, scores in SCORES.items()}


def test_columns_of_a_table_are_named():
    by_amount = ap.metric("R@30", sample_weight="amount", k_counts="samples")
    given = {"data": TABLE, "pos_label": "fraud", "random_state": 0}
    names = [f"by_{name}" for name in SCORES]
    report = ap.report("label", names, metrics=["AP", by_amount], baseline="by_old", **given)
    assert [row.model for row in report] == names * 2
    assert [row.metric for row in report][-1] == "Recall at 30 rows, by amount"
    one = ap.report("label", "by_new", metrics="AP", **given)
    assert [row.model for row in one] == ["by_new"]
    by_day = ap.report("label", "by_new", metrics="MAP", groups="day", **given)
    assert "12 groups (day)" in str(by_day)


def test_several_columns_make_the_scores_of_a_model():
    table = {"y": CLASSES} | {
        f"{model} {name}": scores[:, place]
        for model, scores in COLUMNS.items()
        for place, name in enumerate("cdf")
    }
    names = {model: [f"{model} {name}" for name in "cdf"] for model in COLUMNS}
    found = ap.report("y", names, metrics="AP", data=table)
    assert str(found) == str(ap.report(CLASSES, COLUMNS, metrics="AP"))


def test_tables_of_readers_are_evaluated_as_each_of_them():
    """Each engine lacks some documents, and one of them a query."""
    random = np.random.default_rng(7)
    relevant = random.random((12, 10)) < 0.3
    relevant[:, 0] = True
    qrels = {f"q{q}": {f"d{d}": int(relevant[q, d]) for d in range(10)} for q in range(12)}

    def run(quality, queries):
        scores = random.standard_normal((12, 10)) + quality * relevant
        return {f"q{q}": {f"d{d}": scores[q, d] for d in range(8)} for q in queries}

    runs = {"bm25": run(0.5, range(12)), "dense": run(1.5, range(1, 12)), "both": run(2, range(12))}
    tables = ap.readers.read_runs(qrels, runs)
    metrics = ["MAP", "P@3"]
    report = ap.report(data=tables, metrics=metrics, baseline="bm25")
    for part, metric in enumerate(metrics):
        rows = report.rows[3 * part :][:3]
        each = [ap.confidence_interval(data=table, metric=metric) for table in tables.values()]
        assert [(row.value, row.low, row.high) for row in rows] == [*map(tuple, each)]
        beside = ap.compare(data=tables, metric=metric, baseline="bm25")
        expected = [(row.difference, row.pvalue) for row in beside]
        np.testing.assert_array_equal([(row.difference, row.pvalue) for row in rows], expected)


# What it prints and converts to

REPORT = ap.report(Y, SCORES, metrics=GIVEN, baseline="old", random_state=0)


ONLY_IN_JSON = ["conditions", "version", "by", "notes"]


@pytest.mark.usefixtures("few_random_orders")
def test_rows_convert_to_dicts_and_a_frame():
    pandas = pytest.importorskip("pandas")
    rows, frame = REPORT.to_dict(), REPORT.to_frame()
    assert [list(row) for row in rows] == [[*KEYS, *RECORD, *ONLY_IN_JSON]] * len(REPORT)
    found = [[row[name] for name in RECORD] for row in rows[::3]]
    how = {"influence": (None, None), "bootstrap": (499, 0)}
    assert found == [
        [None, method, row.basis, *how[method], None, row.chance, 0.95, "old", True, 0]
        for row, method in zip(REPORT.rows[::3], ["influence", "bootstrap"] * 2, strict=True)
    ]
    assert all(row.basis.startswith("81 positives") for row in REPORT)
    assert rows[1]["difference"] == pytest.approx(rows[1]["value"] - rows[0]["value"])
    assert [*frame] == [*KEYS, *RECORD]
    for name in frame:
        cells = [None if pandas.isna(cell) else cell for cell in frame[name]]
        assert cells == [row[name] for row in rows]
    assert repr(REPORT).endswith(
        "\ndiff, p and verdict: against the baseline old.\n"
        "Intervals and p are adjusted for 2 comparisons with the baseline (Bonferroni)."
    )


def test_a_small_report_in_every_format():
    e = "e\N{COMBINING ACUTE ACCENT}"  # which takes one column
    models = {f"net-50 {e}t{e}": [4, 3, 2, 1], "a|b": [4, 2, 3, 1]}
    report = ap.report([1, 0, 1, 0], models, metrics={"one " * 30: "AP"}, baseline="a|b")
    _, _, header, summer, other, *said = str(report).splitlines()
    assert said == [
        f"diff, p and verdict: net-50 {e}t{e} against a|b.",
        "With 2 positives, the smallest margin within which equivalence can be shown is",
        "0.94.",
    ]
    assert summer.index("0.") - 2 == other.index("1.") == header.index("value")
    table = report.to_markdown().splitlines()
    assert table[0] == f"{'one ' * 30}".strip() + ": 2 positives, random 0.681"
    assert table[4:6] == [
        f"| net-50 {e}t{e} | 0.833 | 0.000 to 1.000 | -0.167 | -1.000 to 1.000 | 0.570 | unclear |",
        r"| a\|b | 1.000 | 0.158 to 1.000 |  |  |  | baseline |",
    ]


def width(text):
    return sum(1 + (unicodedata.east_asian_width(character) == "W") for character in text)


def test_odd_names_keep_their_columns():
    models = {"模型一": SCORES["old"], "two\nlines\n\n": SCORES["new"], "全角" * 30: SCORES["old"]}
    report = ap.report(Y, models, metrics={"a\n\nb": "AP"}, baseline="模型一")
    heading, header, *lines = str(report).splitlines()
    lines = lines[:3]
    assert heading.startswith("a b: ")
    assert [line.split("  ")[0] for line in lines[:2]] == ["模型一", "two lines"]
    assert width(lines[2]) <= 100
    assert [width(line[: line.index("0.")]) for line in lines] == [header.index("value")] * 3
    assert "\n| two lines | 0." in report.to_markdown()
    compared = str(ap.compare(Y, models, baseline="模型一")).splitlines()
    assert compared[2].index("0.") + 3 == compared[1].index("value")  # three wide characters


LABELS, ONE = [1, 0, 1, 0], [4, 3, 2, 1]
POINT = ap.operating_point(LABELS, ONE, min_recall=0.5)


def test_a_report_without_metrics_is_about_average_precision():
    y, models = [1, 0, 1, 0, 1], {"a": [5, 4, 3, 2, 1], "b": [1, 2, 3, 4, 5]}
    assert ap.report(y, models["a"]) == ap.report(y, models["a"], metrics="average_precision")
    assert ap.report("y", "a", data={"y": y, **models}) == ap.report(
        "y", "a", metrics=["AP"], data={"y": y, **models}
    )
    assert [row.metric for row in ap.report(y, models)] == ["Average precision"] * 2


def test_enrichment_factors_have_two_decimals():
    y, a, b = [1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 3, 4]
    options = {"metric": "EF@25%", "random_state": 0}
    interval = ap.confidence_interval(y, a, **options)
    assert str(interval).startswith("Enrichment factor at 25%: 2.00, ")
    assert "  +2.00  " in str(ap.compare(y, a, b, **options))
    models = {"a": a, "b": b}
    report = ap.report(y, models, metrics="EF@25%", random_state=0)
    for result in (report, ap.compare(y, models, **options)):
        assert "| 2.00 |" in result.to_markdown()
        assert "-2.00" in str(result)


def test_names_are_escaped():
    names = ["[50%]", "*_best_*", "a\\b~^", "`x`<b>", "{#$&}"]
    report = ap.report(LABELS, dict.fromkeys(names, ONE), metrics="AP")
    markdown = [r"\[50%\]", r"\*\_best\_\*", r"a\\b\~^", r"\`x\`&lt;b>", r"{#\$&}"]
    assert re.findall(r"\n\| (.*?) \| 0\.833", report.to_markdown()) == markdown
    assert "`x`&lt;b&gt;</td>" in report._repr_html_()


def test_frames_need_no_pandas(monkeypatch):
    pl = pytest.importorskip("polars")
    monkeypatch.setattr("sklearn_ap._show.results.find_spec", {"pandas": None, "polars": 1}.get)
    frame = REPORT.to_frame()
    assert frame.fill_nan(None).equals(pl.DataFrame(REPORT.to_dict()).drop(ONLY_IN_JSON))
    assert POINT.to_frame()["threshold"].to_list() == [4]
    many = np.arange(480) % 120  # more segments than the rows from which polars infers types
    by = pl.DataFrame({"user": many, "country": np.where(many % 2, "DE", "FR")})
    report = ap.report(many % 3 == 0, np.arange(480), by=by, min_positives=1000)
    assert report.to_frame()["segment"].to_list() == [
        *(None, *map(str, range(120))),
        *("DE", "FR"),
    ]


def test_frames_need_pandas_or_polars(monkeypatch):
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas or polars: pip install pandas$"):
        REPORT.to_frame()


def test_zero_has_no_sign():
    """A difference that rounds to 0 is 0.000, neither -0.000 nor +0.000."""
    y, a = np.repeat([1, 0], 2000), -np.arange(4000.0)
    b = a.copy()
    b[1999:2001] = a[2000], a[1999]  # the last positive is below a negative
    report = ap.report(y, {"a": a, "b": b}, metrics="AP", baseline="a")
    compared = ap.compare(y, {"a": a, "b": b, "c": -a}, baseline="a")
    assert -0.0005 < report.rows[1].difference < 0
    for result in (report, compared):
        assert re.search(r"  0\.000 +<0\.000 to >0\.000 ", str(result))
    for result in (report, compared, ap.compare(y, b, a)):
        texts = str(result), result._repr_html_()
        assert not re.search(r"[-+]0\.000", "".join(texts))


def test_progress_names_each_metric_and_model(monkeypatch, capsys):
    monkeypatch.setattr("sklearn_ap._show.progress._PAUSE", 0)
    models = {"old": [4, 3, 2, 1], "new": [4, 2, 3, 1], "same": [4, 2, 3, 1]}
    given = {"metrics": ["AP", "P@1"], "n_resamples": 99, "random_state": 0}
    shown = ap.report([1, 0, 1, 0], models, **given, verbose=1)
    drawn = "99 of 99 resamples"
    assert capsys.readouterr().err.replace("report: metric ", "").splitlines() == [
        "1 of 2, Average precision",
        *(f"1 of 2, Average precision: interval of {name}" for name in models),
        "1 of 2, Average precision: differences",
        "2 of 2, Precision at 1",
        *(f"2 of 2, Precision at 1: interval of {name}{end}"
          for name in models for end in ("", f": {drawn}")),
        "2 of 2, Precision at 1: differences",
        *(f"2 of 2, Precision at 1: differences: {name} and new{end}"
          for name in ("old", "same") for end in ("", f": {drawn}")),
    ]  # fmt: skip
    assert str(shown) == str(ap.report([1, 0, 1, 0], models, **given))
    scores = [4, 3, 2, 1]
    ap.compare([1, 0, 1, 0], scores, scores, metric="P@1", n_resamples=99, verbose=True)
    assert capsys.readouterr().err.splitlines() == [f"compare: {drawn}"]
    monkeypatch.setattr("sklearn_ap._infer.settings._DEFAULT_RESAMPLES", 99)
    drawings = {ap.AveragePrecisionDisplay: "AP", ap.HitCurveDisplay: "the hit curve"}
    for display, curve in drawings.items():
        options = {"confidence_level": 0.9, "verbose": 1, "ax": Figure().subplots()}
        display.from_predictions([1, 0, 1, 0], {"old": models["old"]}, **options)
        bands = f"from_predictions: band of {curve} of old"
        assert capsys.readouterr().err.splitlines() == [bands, f"{bands}: {drawn}"]


def test_one_warning_for_all_models_and_metrics():
    with pytest.warns(UserWarning, match="No positive") as caught:
        ap.report(Y & (DAY != 3), SCORES, metrics="AP", groups=DAY)
    assert len(caught) == 1
    given = {"sample_weight": np.where(Y, 1, 60.0), "random_state": 0, "n_resamples": 20}
    with pytest.warns(UserWarning, match=r"k=10 counts weight|few negatives") as caught:
        ap.report(Y, SCORES, metrics=["AP", "P@10", "R@10"], **given)
    words = [str(warning.message) for warning in caught]
    assert len(set(words)) == len(words) == 2
    assert {warning.filename for warning in caught} == {__file__}
    with pytest.warns(UserWarning, match=r"k=10 counts weight|few negatives") as caught:
        ap.compare(Y, SCORES, metric="R@10", **given)
    assert len(caught) == 2


@pytest.mark.sweep(2)
@pytest.mark.parametrize("by", [None, "day"])
def test_a_table_is_read_once_for_all_models_and_metrics(by):
    """A reader can be read only once."""
    pyarrow = pytest.importorskip("pyarrow")
    names = [f"by_{name}" for name in SCORES]
    metrics = ["AP", ap.metric("P@10", ties="best")]
    given = {"metrics": metrics, "pos_label": "fraud", "random_state": 0, "by": by}
    table = pyarrow.table(TABLE)
    found, expected = (
        ap.report("label", names, data=data, **given) for data in (table.to_reader(100), table)
    )
    assert str(found) == str(expected)


def test_a_metric_with_columns_of_its_own_reads_a_reader_again():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"label": Y, **SCORES, "amount": np.arange(1.0, len(Y) + 1)})
    metrics = ["AP", ap.metric("AP", sample_weight="amount")]
    with pytest.raises(ValueError, match=r"columns of its own .*pass data=reader\.read_all\(\)"):
        ap.report("label", [*SCORES], metrics=metrics, data=table.to_reader())
    advised = table.to_reader().read_all()
    found = ap.report("label", [*SCORES], metrics=metrics, data=advised)
    assert str(found) == str(ap.report("label", [*SCORES], metrics=metrics, data=table))


def test_one_warning_for_the_values_of_groups():
    pytest.importorskip("pandas")
    given = {"sample_weight": np.where(Y, 1, 60.0), "groups": DAY}
    with pytest.warns(UserWarning, match="k=3 counts weight"):
        report = ap.report(Y, SCORES, metrics=["P@3", "R@3"], **given)
    with pytest.warns(UserWarning, match="k=3 counts weight") as caught:
        report.per_group()
    assert len(caught) == 1
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        report = ap.report(Y * (DAY > 0), SCORES, metrics="AP", groups=DAY)
    report.per_group()  # without a second warning


def test_a_metric_breaks_ties_as_it_was_asked_to():
    tied = ap.metric("AP", ties="worst")
    values = [row.value for row in ap.report(Y, SCORES["new"], metrics=["AP", tied])]
    assert values[1] == ap.average_precision_score(Y, SCORES["new"], ties="worst") < values[0]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_results_with_nan_equal_themselves_and_their_copies(copied):
    y, a, b = [1, 0, 1, 1, 0, 1, 0, 0], np.arange(8) / 8, np.arange(8)[::-1] / 8
    table = ap.report(y, {"a": a, "b": b}, metrics="AP", baseline="a")
    models = ap.compare(y, {"a": a, "b": b}, baseline="a")
    assert np.isnan([table.rows[0].pvalue, models.rows[0].pvalue]).all()
    undefined = replace(ap.confidence_interval(y, a), low=float("nan"))
    point = replace(ap.operating_point(y, a, k=2), recall=float("nan"))
    for one in (table, *table.rows, models, *models.rows, undefined, point):
        assert one == one == copied(one) != "one"
        assert hash(one) == hash(copied(one))
    assert table != ap.report(y, {"a": a, "b": b}, metrics="AP", baseline="b")
    assert table.rows[0] != table.rows[1]


def drawn_in(bars):
    """Return the place of each value that is drawn, and the ends of its interval."""
    points, _, (lines,) = bars.lines
    ends = [tuple(part[:, 0]) if part.size else () for part in lines.get_segments()]
    return [
        (*place, *both)
        for place, both in zip(points.get_xydata().tolist(), ends, strict=True)
        if place[0] == place[0]
    ]


def test_a_plot_has_a_row_for_each_metric_that_models_share():
    """Values and differences are those of the table, and the dashed line is the baseline."""
    y = [1, 0, 1, 1, 0, 1, 0, 0]
    long = "a model with a name that is too long for a single line"
    models = {"old": [9, 8, 2, 6, 5, 4, 3, 7], long: [9, 8, 7, 6, 5, 4, 3, 2]}
    found = ap.report(y, models, metrics=["AP", "P@2"], baseline="old", random_state=0)
    display = found.plot()
    assert display.result is found
    values, differences = display.ax_.ravel()
    assert values.get_xlabel() == "value\n95% interval"
    assert differences.get_xlabel() == "difference from the baseline\n95% interval"
    said = "Differences are filled if better or worse, and hollow if neither is shown."
    assert display.figure_.get_supxlabel() == said
    names = [text.get_text() for text in values.get_yticklabels()]
    assert names == ["AP\n4 positives", "P@2\n4 positives"]
    (legend,) = display.figure_.legends
    named = ["old (baseline)", long]
    assert [text.get_text().replace("\n", " ") for text in legend.get_texts()] == named
    *of_values, of_difference = display.errorbar_
    shift = 0.5 / 2.8
    for bars, model, above in zip(of_values, models, (shift, -shift), strict=True):
        rows = [row for row in found if row.model == model]
        assert drawn_in(bars) == [
            pytest.approx((row.value, above - place, row.low, row.high))
            for place, row in enumerate(rows)
        ]
    assert drawn_in(of_difference) == [
        pytest.approx((row.difference, -shift - place, row.difference_low, row.difference_high))
        for place, row in enumerate(found.rows[1::2])
    ]
    assert [0, 0] in [list(line.get_xdata()) for line in differences.lines]
    only = found.plot(Figure().subplots())
    assert [drawn_in(bars) for bars in only.errorbar_] == [drawn_in(of_difference)]
    alone = ap.report(y, models["old"], metrics="AP")
    ax = alone.plot().ax_
    assert ax.get_title("left") == "AP: 4 positives, random 0.623"
    ax = Figure().subplots()
    one = alone.plot(ax)
    assert (one.ax_, one.figure_) == (ax, ax.figure)
    plt.close("all")


@pytest.mark.parametrize(
    ("verdict", "shift", "margin"),
    [
        ("better", 1.0, 0.01),
        ("worse", -1.0, 0.01),
        ("unclear", 0.0, 0.01),
        ("equivalent", 0.0, 0.9),
    ],
)
def test_only_better_and_worse_are_filled_and_margins_are_dotted(verdict, shift, margin):
    y = np.arange(400) % 4 == 0
    draws = np.random.default_rng(0).random(400)
    models = {"old": draws, "new": draws + shift * y}
    found = ap.report(y, models, metrics="AP", baseline="old", margin=margin)
    row = found.rows[1]
    assert row.verdict == verdict
    display = found.plot(Figure().subplots())
    hollow = [line for line in display.ax_.lines if line.get_markerfacecolor() == "1"]
    is_filled = verdict in ("better", "worse")
    at = [x for line in hollow for x in line.get_xdata() if x == x]
    assert at == ([] if is_filled else [row.difference])
    dotted = [
        float(each[0, 0])
        for lines in display.ax_.collections
        if lines.get_linestyle() != [(0.0, None)]
        for each in lines.get_segments()
    ]
    assert dotted == [-margin, margin] * 2
    label = " ".join(display.ax_.get_xlabel().split("\n")[2:])
    assert label == (
        "Differences are filled if better or worse, and hollow if neither is shown. Dotted: the "
        f"margin of {margin}."
    )
    plt.close("all")


def test_a_metric_with_another_scale_has_axes_of_its_own():
    """The rows are then the models, and metrics are next to each other."""
    y, scores = [1, 0] * 10, {"old": np.arange(20) % 7, "new": np.arange(20) % 5}
    display = ap.report(y, scores, metrics=["AP", "EF@20%"], baseline="old").plot()
    values, _, _, last = display.ax_
    assert [text.get_text() for text in values.get_yticklabels()] == ["old (baseline)", "new"]
    assert {ax.get_position().y0 for ax in (values, last)} == {values.get_position().y0}
    plt.close("all")


@pytest.mark.parametrize(
    ("n_models", "n_metrics", "by", "size"),
    [
        # A model takes 0.17 inches, as a line of text does, with 0.8 more between rows. A character
        # of the longest name takes 0.09, and so do two more. Days have two lines below.
        (1, 1, None, (4 * 0.09 + 4.2, 0.9 + 1.8 * 0.17)),
        (1, 4, None, (22 * 0.09 + 4.2, 0.9 + 4 * (0.06 + 3 * 0.17))),
        (1, 1, "days", (5.7, 2.9 + 2 * 0.17)),
        (1, 3, "days", (5.7, 3 * 2.9 + 2 * 0.17)),
    ],
)
def test_a_new_figure_has_the_size_of_its_panels(n_models, n_metrics, by, size):
    draws, labels = np.random.default_rng(0), np.arange(60) % 2
    models = {f"m{i}": draws.random(60) for i in range(n_models)}
    metrics = ["AP", "envelope", "11-point", "P@10", "R@10"][:n_metrics]
    if by == "days":
        by = np.datetime64("2026-01-01") + np.arange(60) // 20
    display = ap.report(labels, models, metrics=metrics, by=by).plot()
    assert display.figure_.get_size_inches() == pytest.approx(size)
    assert np.size(display.ax_) == (1 if by is None else n_metrics)
    plt.close("all")


def test_a_plot_needs_matplotlib(monkeypatch):
    found = ap.report([1, 0, 1], [3, 2, 1], metrics="AP")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"Report\.plot needs matplotlib.*pip install matplotlib"):
        found.plot()


@pytest.mark.parametrize("units", ["groups", "clusters"])
@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_a_single_unit_has_values_and_differences_without_intervals(units, method):
    """The positives are at ranks 1 and 3, 1 and 2, and 2 and 3."""
    models = {"a": [3, 2, 1], "b": [3, 1, 2], "c": [1, 3, 2]}
    given = {units: ["x"] * 3, "metrics": ["AP", "P@1"], "method": method}
    found = ap.report([1, 0, 1], models, **given)
    values = [5 / 6, 1.0, 7 / 12, 1.0, 1.0, 0.0]
    assert [row.value for row in found] == pytest.approx(values)
    assert found.baseline == "b"
    differences = [value - best for value, best in zip(values, [1.0] * 6, strict=True)]
    assert [row.difference for row in found] == pytest.approx(differences)
    nan = [each for row in found for each in (row.low, row.high, row.difference_low, row.pvalue)]
    assert np.isnan(nan).all()
    unit = units.removesuffix("s")
    assert found.parts[0].basis == f"1 {unit}, random 0.806"  # (1 + 5/6 + 7/12)/3
    shown = " ".join(str(found).split())
    assert "a 0.833 -0.167 unclear b 1.000 baseline c 0.583 -0.417 unclear" in shown
    assert shown.endswith(
        "against the baseline b, chosen as the best by average precision. At least two "
        f"{units} are needed to estimate how much a value varies, but there is 1."
    )
    found.plot()
    assert ap.report([1, 0, 1], [3, 2, 1], **given).rows[0].value == pytest.approx(5 / 6)


def test_progress_is_shown_at_most_ten_times(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_PAUSE", 0)
    with progress.show_progress("compare"):
        drawn = progress.ResampleProgress(1_000)
        for _ in range(100):
            drawn.add(10)
    shown = capsys.readouterr().err.splitlines()
    assert shown == [f"compare: {n:,} of 1,000 resamples" for n in range(100, 1_001, 100)]
