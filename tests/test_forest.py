"""Forests: what is drawn, what stands on axes, and that it fits."""

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import sklearn_ap as ap
from sklearn_ap._results.wording import format_ends

from .looks import LONG, STYLES, assert_nothing_is_cut

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw_forests():
    """Yield results, the baseline, the labels of rows, and words of the label of the axis."""
    payments, models = ap.datasets.load_payments(), {"a": "model_a", "b": "model_b", "c": "amount"}
    payments["rare"] = payments["fraud"] & (payments["country"] != "PT")
    data, countries = {"y_true": "fraud", "data": payments}, ["DE", "ES", "FR", "IT", "NL", "PT"]
    two, metrics = ["model_a", "model_b"], ["AP", "P@1%"]
    titles = ["Average precision", "Precision at 1%"]
    table = ap.report(y_score=two, baseline="model_a", by="country", margin=0.05, **data)
    words = "Average precision: model_b minus model_a\n95% interval, adjusted for 6 segments\n"
    yield table, "model_a", ["all data", *countries], f"{words}Dotted lines: the margin, 0.05\nThin"
    names = [f"{title}, {name}" for title in titles for name in "bc"]
    table = ap.report(y_score=models, baseline="a", metrics=metrics, confidence_level=0.9, **data)
    yield (
        table,
        "a",
        names,
        "2 metrics: difference from a\n90% interval, adjusted for 2 comparisons",
    )
    words = "2 metrics: value\n95% interval, not adjusted\nGray ticks: a random ranking"
    yield ap.report(y_score="model_a", metrics=metrics, **data), None, titles, words
    table = ap.report("rare", "model_a", by="country", data=payments)
    words = "Average precision: value\n95% interval, adjusted for 5 segments"
    yield table, None, ["all data", *countries], words
    pair = ap.compare(y_score_a="model_a", y_score_b="model_b", margin=0.05, **data)
    words = "Average precision: model_a minus model_b\n95% interval\nDotted lines: the margin"
    yield pair, "model_b", ["model_a"], words
    folds = {name: np.random.default_rng(name).random(5) for name in range(3)}
    table = ap.compare_folds(folds, baseline=1, n_train=4, n_test=1)
    yield table, 1, ["0", "2"], "Score: difference from 1\n95% interval, adjusted for 2 comparisons"


def write_numbers(row):
    """Write the numbers of a difference, or of a value without one."""
    middle, low, high, sign = row.value, row.low, row.high, ""
    if hasattr(row, "difference") and row.difference == row.difference:
        middle, sign = row.difference, "+"
        if hasattr(row, "difference_low"):
            low, high = row.difference_low, row.difference_high
    ends = "" if np.isnan(low) else f"  ({format_ends(low, high)})"
    return f"{middle:{sign}.3f}{ends}".replace("-", "\N{MINUS SIGN}").replace("nan", "")


@pytest.mark.parametrize("better", [True, False])
def test_the_better_side_is_said(better):
    y, s = [0, 1, 0, 1] * 10, np.linspace(0, 1, 40)
    metric = ap.metric(lambda y, s: float(np.mean(y * s)), greater_is_better=better, name="mine")
    scores = {"a": s, "b": s**2, "c": 1 - s}
    tables = [
        ap.compare(y, s, 1 - s, metric=metric),
        ap.compare(y, scores, metric=metric),
        ap.report(y, scores, metrics=metric),
    ]
    for table in tables:
        (left, right) = [text.get_text() for text in table.plot().texts[-2:]]
        assert (left, right) == (("← worse", "better →") if better else ("← better", "worse →"))
    if not better:
        ax = ap.report(y, scores, metrics=[metric, "AP"]).plot()
        assert not any("better" in text.get_text() for text in ax.texts[-2:])


def test_forests():
    heights = {}
    for result, baseline, labels, words in draw_forests():
        _, ax = plt.subplots(subplot_kw={"facecolor": "black"})
        assert result.plot(ax) is ax
        rows = [row for row in getattr(result, "rows", [result]) if row.model != baseline]
        has_baseline, margin = baseline is not None, result.margin
        assert [text.get_text() for text in ax.get_yticklabels()] == labels
        assert ax.get_ylim() == (len(labels) - 0.5, -0.5)
        said = []  # beside the bars, and above them
        for row in rows:
            verdict = row.verdict if has_baseline else ""
            said.append(f"{write_numbers(row)}  {verdict}".strip())
        said = [text for text in said if text] + ["← worse", "better →"] * has_baseline
        assert [text.get_text() for text in ax.texts if text.get_text()] == said
        places = [text.xy[1] for text in ax.texts if hasattr(text, "xy")]
        assert places == [*range(len(rows))]
        assert words in ax.get_xlabel()
        assert ("margin" in ax.get_xlabel()) == (margin is not None)
        lines, widths, colors = iter(ax.collections), [], {}
        marks = [line for line in ax.lines if line.get_marker() == "o"]
        for place, (row, mark) in enumerate(zip(rows, marks, strict=True)):
            colors[row.model] = mark.get_color()
            middle, ends = row.value, [(row.low, row.high)]
            if has_baseline:
                middle = row.difference
            if has_baseline and hasattr(row, "difference_low"):
                ends = [(row.difference_low, row.difference_high)]
            if margin is not None:
                ends = [(row.margin_low, row.margin_high), *ends]
            for pair in ends:
                line = next(lines)
                expected = [[end, end if np.isnan(end) else place] for end in pair]
                assert np.array_equal(line.get_paths()[0].vertices, expected, equal_nan=True)
                assert tuple(line.get_color()[0]) == matplotlib.colors.to_rgba(mark.get_color())
                widths.append(line.get_linewidth()[0])
            assert np.array_equal(mark.get_xydata(), [[middle, place]], equal_nan=True)
            is_open = tuple(mark.get_markerfacecolor()) == tuple(ax.get_facecolor())
            assert is_open == (row.verdict == "unclear")
        assert next(lines, None) is None
        assert len({*widths}) == len(ends)  # those for the margin are thinner
        assert widths[0] <= widths[-1]
        assert {line.get_color() for line in marks} == {*colors.values()}
        assert len({*colors.values()}) == (len(colors) if len(rows) > len(colors) else 1)
        seen = [line for line in ax.lines if not np.isnan(line.get_xdata()[0]) or line in marks]
        gray = [line for line in seen if line.get_color() == "0.5"]
        x = [0.0, -margin, margin] if margin else [0.0] * has_baseline
        chances = [row.chance for row in rows if not has_baseline and row.chance == row.chance]
        assert [line.get_xdata()[0] for line in gray] == [*chances, *x]
        assert [line.get_marker() for line in gray] == ["|"] * len(chances) + ["None"] * len(x)
        assert len(gray) + len(marks) == len(seen)
        heights[len(rows)] = result.plot().figure.get_figheight()
    assert 0.2 < (heights[7] - heights[1]) / 6 < 0.5  # inches, in which a line of text fits


def test_forest_of_candidates():
    X, y = make_classification(400, flip_y=0.2, random_state=0)
    model, name = make_pipeline(LogisticRegression()), "logisticregression"
    grid = {f"{name}__C": [0.001, 1], f"{name}__max_iter": [200]}
    search = GridSearchCV(model, grid, scoring=ap.get_scorer("AP"), cv=10).fit(X, y)
    ax = ap.compare_folds(search).plot()
    other, baseline = ax.get_xlabel().split("\n")[0].split(": ")[1].split(" minus ")
    assert ax.get_yticklabels()[0].get_text() == other
    assert {other, baseline} == {"C=0.001", "C=1"}


@pytest.mark.parametrize("style", STYLES)
def test_nothing_is_cut(style):
    payments = ap.datasets.load_payments()
    with plt.style.context(style):
        report = ap.report("fraud", LONG, baseline=next(iter(LONG)), by="country", data=payments)
        assert_nothing_is_cut(report.plot().figure)
