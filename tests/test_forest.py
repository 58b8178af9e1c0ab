"""Forests: what is drawn, what stands on axes, and that it fits."""

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import sklearn_ap as ap
from sklearn_ap._results.wording import format_ends, format_value

from .looks import LONG, STYLES, assert_nothing_is_cut

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw_forests():
    """Yield results, the baseline, the labels of rows, and words of the label of each axis."""
    payments, models = ap.datasets.load_payments(), {"a": "model_a", "b": "model_b", "c": "amount"}
    payments["rare"] = payments["fraud"] & (payments["country"] != "PT")
    data, countries = {"y_true": "fraud", "data": payments}, ["DE", "ES", "FR", "IT", "NL", "PT"]
    two, metrics = ["model_a", "model_b"], ["AP", "P@1%"]
    table = ap.report(y_score=two, baseline="model_a", by="country", margin=0.05, **data)
    words = "Average precision: model_b minus model_a\n95% interval, segments: adjusted for 6\n"
    words = f"{words}Dotted lines: the margin, 0.05\nThin"
    yield table, "model_a", ["all data", *countries], [words]
    table = ap.report(y_score=models, baseline="a", metrics=metrics, confidence_level=0.9, **data)
    words = "difference from a\n90% interval, adjusted for 2 comparisons"
    words = [f"{title}: {words}" for title in ("Average precision", "Precision at 1%")]
    yield table, "a", ["b", "c"], words
    words = "value\n95% interval\nGray ticks: a random ranking"
    words = [f"{title}: {words}" for title in ("Average precision", "Precision at 1%")]
    yield ap.report(y_score="model_a", metrics=metrics, **data), None, ["model_a"], words
    table = ap.report("rare", "model_a", by="country", data=payments)
    words = "Average precision: value\n95% interval, segments: adjusted for 5"
    yield table, None, ["all data", *countries], [words]
    pair = ap.compare(y_score_a="model_a", y_score_b="model_b", margin=0.05, **data)
    words = "Average precision: model_a minus model_b\n95% interval\nDotted lines: the margin"
    yield pair, "model_b", ["model_a"], [words]
    folds = {name: np.random.default_rng(name).random(5) for name in range(3)}
    table = ap.compare_folds(folds, baseline=1, n_train=4, n_test=1)
    words = "Score: difference from 1\n95% interval, adjusted for 2 comparisons"
    yield table, 1, ["0", "2"], [words]


def write_numbers(row):
    """Write the number of a difference, or of a value without one, and the interval."""
    middle, low, high, sign = row.value, row.low, row.high, ""
    if hasattr(row, "difference") and row.difference == row.difference:
        middle, sign = row.difference, "+"
        if hasattr(row, "difference_low"):
            low, high = row.difference_low, row.difference_high
    middle, ends = format_value(middle, sign), f"({format_ends(low, high)})" * (low == low)
    return [text.replace("-", "\N{MINUS SIGN}") for text in (middle, ends)]


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
    role = "highest" if better else "lowest"
    for table in tables[1:]:
        base = next(row for row in table.rows if row.model == table.baseline)
        assert base.verdict == role
        assert f"against {base.model}, the {role}." in str(table)
    if not better:
        mine, precision = ap.report(y, scores, metrics=[metric, "AP"]).plot().figure.axes
        assert mine.texts[-2].get_text() == "← better"
        assert precision.texts[-2].get_text() == "← worse"


def test_forests():
    heights = {}
    for result, baseline, labels, words in draw_forests():
        n_axes, rows = len(words), getattr(result, "rows", [result])
        _, axes = plt.subplots(n_axes, subplot_kw={"facecolor": "black"})
        assert result.plot(axes) is np.ravel(axes)[0]
        rows = [row for row in rows if row.model != baseline]
        parts = np.split(np.array(rows, dtype=object), n_axes)
        for ax, part, of_axis in zip(np.ravel(axes), parts, words, strict=True):
            assert [text.get_text() for text in ax.get_yticklabels()] == labels
            assert of_axis in ax.get_xlabel()
            check_forest(ax, result, part, has_baseline=baseline is not None)
        with pytest.raises(ValueError, match=f"plot needs {n_axes} axes. Got {7 * n_axes}"):
            result.plot([*np.ravel(axes)] * 7)
        heights[len(rows)] = result.plot().figure.get_figheight() if n_axes == 1 else 0
    assert 0.2 < (heights[7] - heights[1]) / 6 < 0.5  # inches, in which a line of text fits


def check_forest(ax, result, rows, has_baseline):
    margin, n = result.margin, len(rows)
    assert ax.get_ylim() == (n - 0.5, -0.5)
    said = []  # beside the bars, and above them
    for row in rows:
        middle, ends = write_numbers(row)
        said += [middle, ends, row.verdict if has_baseline else ""]
        if not ends:  # The reason stands in place of the interval.
            said[-2:] = row.verdict, ""
    said += ["← worse", "better →"] * has_baseline
    assert [text.get_text() for text in ax.texts] == said
    assert [text.xy[1] for text in ax.texts if hasattr(text, "xy")] == [*np.repeat(range(n), 3)]
    assert ("margin" in ax.get_xlabel()) == (margin is not None)
    lines, widths, colors = iter(ax.collections), [], {}
    marks = [line for line in ax.lines if line.get_marker() in ("o", "x")]
    for place, (row, mark) in enumerate(zip(rows, marks, strict=True)):
        colors[row.model] = mark.get_color()
        middle, ends = row.value, [(row.low, row.high)]
        if has_baseline:
            middle = row.difference
        if has_baseline and hasattr(row, "difference_low"):
            ends = [(row.difference_low, row.difference_high)]
        assert mark.get_marker() == ("x" if np.isnan(ends[0][0]) else "o")
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
    assert len({*colors.values()}) == (len(colors) if n > len(colors) else 1)
    seen = [line for line in ax.lines if not np.isnan(line.get_xdata()[0]) or line in marks]
    gray = [line for line in seen if line.get_color() == "0.5"]
    below_all = [line for line in gray if [*line.get_xdata()] == [0, 1]]
    assert [line.get_ydata()[0] for line in below_all] == [0.5] * (n == 7)
    gray = [line for line in gray if line not in below_all]
    x = [0.0, -margin, margin] if margin else [0.0] * has_baseline
    chances = [row.chance for row in rows if not has_baseline and row.chance == row.chance]
    assert [line.get_xdata()[0] for line in gray] == [*chances, *x]
    assert [line.get_marker() for line in gray] == ["|"] * len(chances) + ["None"] * len(x)
    assert len(gray) + len(below_all) + len(marks) == len(seen)


def test_a_segment_without_an_interval_is_a_cross_beside_the_reason():
    rng = np.random.default_rng(0)
    y, hospital = rng.random(200) < 0.3, np.arange(200) // 50
    table = ap.report(y, rng.random(200), by=hospital, clusters=hospital)
    ax = table.plot()
    marks = [line for line in ax.lines if line.get_marker() in "ox"]
    assert [mark.get_marker() for mark in marks] == ["o", *"xxxx"]
    assert [mark.get_xdata()[0] for mark in marks] == [row.value for row in table]
    assert [text.get_text() for text in ax.texts].count("a single unit") == 4


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
