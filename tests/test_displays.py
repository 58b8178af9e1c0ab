"""Curves: what is drawn, what stands in legends and on axes, and that it fits."""

import inspect

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay, precision_recall_curve
from sklearn.model_selection import cross_validate

import sklearn_ap as ap

from .display_programs import PROGRAMS, docstring_of_from_cv_results, models_on_one_picture
from .looks import LONG, STYLES, assert_nothing_is_cut

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
PRECISION, HITS = ap.AveragePrecisionDisplay, ap.HitCurveDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw(seed, size=200):
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < 0.3).astype(int)
    y[0] = 1
    return y, np.round(rng.normal(size=size) + y, seed % 3)


@pytest.fixture(scope="module")
def results():
    X, y = make_classification(400, flip_y=0.2, random_state=0)
    options = {"cv": 4, "return_estimator": True, "return_indices": True}
    model = LogisticRegression()
    return cross_validate(model, X, y, scoring="average_precision", **options), X, y


# --- curves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_area_below_the_line_is_the_value(seed):
    y, scores = draw(seed)
    weight = np.random.default_rng(seed).random(y.size) if seed % 2 else None
    exist = None if seed % 3 else (y * (1 if weight is None else weight)).sum() + 7
    options = {"sample_weight": weight, "n_positives": exist}
    if not seed % 5:
        y, options = 1 - y, options | {"pos_label": 0}
    elif not seed % 4:
        y, options = 2 * y, options | {"min_grade": 2}
    for name, title in (("AP", "AP"), ("envelope AP", "Interpolated AP"), ("linear", "Linear AP")):
        display = PRECISION.from_predictions(y, scores, metric=name, **options)
        recall, precision = display.line_.get_data()
        heights = precision[1:]
        if name == "linear":
            heights = (precision[1:] + precision[:-1]) / 2
        value = ap.metric(name)(y, scores, **options)
        assert (np.diff(recall) * heights).sum() == pytest.approx(value)
        style = "default" if name == "linear" else "steps-pre"
        assert display.line_.get_drawstyle() == style
        assert display.curves[None][0].value == pytest.approx(value)
        assert display.line_.get_label() == f"{title} = {value:.3f}"
        assert display.ax_.get_xlabel() == "Recall" + " (Positive label: 0)" * (seed % 5 == 0)


@pytest.mark.parametrize("seed", range(6))
def test_mean_of_the_marks_is_the_value(seed):
    y, scores = draw(seed)
    display = PRECISION.from_predictions(y, scores, metric="11-point", n_positives=y.sum() + 7)
    value = ap.eleven_point_average_precision_score(y, scores, n_positives=y.sum() + 7)
    levels, heights = display.ax_.lines[1].get_data()
    assert levels == pytest.approx(np.linspace(0, 1, 11))
    assert heights.mean() == pytest.approx(value)
    assert display.ax_.lines[1].get_color() == display.line_.get_color()
    assert display.line_.get_label() == f"11-point AP = {value:.3f}"


@pytest.mark.parametrize(
    ("name", "start"), [("AP", 1), ("linear", 1), ("VOC2010", 2 / 3), ("COCO", 2 / 3)]
)
def test_an_envelope_begins_at_its_highest_precision(name, start):
    display = ap.AveragePrecisionDisplay.from_predictions([0, 1, 1, 0], [4, 3, 2, 1], metric=name)
    assert (display.recall[-1], display.precision[-1]) == (0, start)


@pytest.mark.parametrize("name", ["COCO", "AP, ties=input", "envelope, ties=input"])
def test_curves_of_ties_in_the_order_of_rows(name):
    y, scores = draw(0)
    scores = scores.round(1)
    display = PRECISION.from_predictions(y, scores, metric=name)
    ranks = np.argsort(np.argsort(-scores, kind="stable"))
    usual = "101-point float" if name == "COCO" else name.removesuffix(", ties=input")
    expected = PRECISION.from_predictions(y, -ranks, metric=usual)
    for line, other in zip(display.ax_.lines, expected.ax_.lines, strict=True):
        assert np.array_equal(line.get_data(), other.get_data())
    assert display.curves[None][0].value == ap.metric(name)(y, scores)


@pytest.mark.parametrize("seed", range(6))
def test_hit_curve_goes_through_all_points(seed):
    y, scores = draw(seed)
    options = [{}, {"pos_label": 0}, {"n_positives": 99}, {"sample_weight": np.full(200, 0.5)},
               {"min_grade": 0.5}, {"min_grade": 1}][seed]  # fmt: skip
    display = HITS.from_predictions(y, scores, metric="P@5%", **options)
    flagged, hits, _ = ap.hit_curve(y, scores, **options)
    x, height = display.line_.get_data()
    places = np.searchsorted(x, flagged)
    assert x[places] == pytest.approx(flagged)
    assert height[places] == pytest.approx(hits)
    value = ap.precision_at_k_score(y, scores, k=0.05, **options)
    assert display.line_.get_label() == f"P@5% = {value:.3f}"
    share = ap.precision_at_k_score(y, scores, k=1.0, **options)
    reached = share * 200 / options.get("n_positives", share * 200)  # others have no score
    curve = ap.hit_curve(y, scores, **options)[:2]
    recalls = (
        lambda x: np.interp(x, *curve),
        lambda x: reached * x,
        lambda x: reached * np.minimum(x / share, 1),
    )
    lines = display.line_, display.chance_level_, display.perfect_
    for line, recall in zip(lines, recalls, strict=True):
        x, height = line.get_data()
        assert height == pytest.approx(recall(np.asarray(x)))


def test_long_curves_are_thinned_where_it_is_not_seen():
    rng = np.random.default_rng(0)
    y = (rng.random(200_000) < 0.2).astype(int)
    display = HITS.from_predictions(y, rng.normal(size=y.size) + y)
    curve, (x, height) = display.curves[None][0], display.line_.get_data()
    assert x.size < 20_000 < curve.x.size
    assert np.interp(curve.x, x, height) == pytest.approx(curve.y, abs=1e-3)
    assert (x[-1], height[-1]) == (1, 1)


def test_a_metric_with_options_of_its_own():
    y, scores = draw(1)
    graded = ap.metric("AP", min_grade=2)
    for display in (PRECISION, HITS):
        drawn = display.from_predictions(2 * y, scores, metric=graded, ax=plt.figure().gca())
        assert drawn.ax_ is plt.gca()
        assert drawn.line_.get_label() == f"AP = {ap.average_precision_score(y, scores):.3f}"
        other = ap.metric("AP", pos_label=2)  # which the call overrules
        label = display.from_predictions(y, scores, metric=other, pos_label=0).line_.get_label()
        assert label == f"AP = {ap.average_precision_score(y, scores, pos_label=0):.3f}"


def test_estimators():
    X, y = make_classification(400, flip_y=0.2, random_state=0)
    names = np.array(["bad", "good"])[y]
    model = LogisticRegression().fit(X, names)
    display = PRECISION.from_estimator(model, X, names, pos_label="bad")
    value = ap.make_ap_scorer(pos_label="bad")(model, X, names)
    assert display.line_.get_label() == f"LogisticRegression (AP = {value:.3f})"
    assert "(Positive label: bad)" in display.ax_.get_ylabel()
    three = LogisticRegression().fit(X, np.arange(400) % 3)
    with pytest.raises(ValueError, match="pass pos_label="):
        PRECISION.from_estimator(three, X, np.arange(400) % 3)
    column = PRECISION.from_estimator(model, X, names[:, np.newaxis], pos_label="bad")
    assert column.average_precision == display.average_precision
    grades = PRECISION.from_estimator(
        LogisticRegression().fit(X, y + 1), X, y + 1, metric=ap.metric("AP", min_grade=2)
    )
    good = PRECISION.from_estimator(model, X, names, pos_label="good")
    assert grades.average_precision == pytest.approx(good.average_precision)
    detector = IsolationForest(random_state=0).fit(X)
    weight = np.arange(1, 401)
    models = {"a": detector, "b": detector}
    display = PRECISION.from_estimator(models, X, y, sample_weight=weight)
    value = ap.make_ap_scorer()(detector, X, y, sample_weight=weight)
    assert [line.get_label() for line in display.line_] == [
        f"{name} (AP = {value:.3f})" for name in "ab"
    ]


@pytest.mark.parametrize("labels", [(1, -1), (0, 1)])
@pytest.mark.parametrize("rank_outliers", [True, False])
def test_outlier_detectors_are_ranked_as_by_scorers(labels, rank_outliers):
    X, is_outlier = make_classification(300, weights=[0.9], class_sep=2, random_state=0)
    y, detector = np.array(labels)[is_outlier], IsolationForest(random_state=0).fit(X)
    for pos_label in [labels[rank_outliers]] + [None] * rank_outliers:
        expected = ap.make_ap_scorer(pos_label=pos_label)(detector, X, y)
        display = PRECISION.from_estimator(detector, X, y, pos_label=pos_label)
        assert display.average_precision == pytest.approx(expected)
        x, height = display.line_.get_data()
        assert (np.diff(x) * height[1:]).sum() == pytest.approx(expected)


def test_a_random_ranking_finds_no_positives_without_a_score():
    data = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    display = PRECISION.from_predictions(*data, n_positives=10, plot_chance_level=True)
    assert display.prevalence_pos_label == pytest.approx(3 / 5)
    assert display.chance_level_.get_ydata() == pytest.approx([3 / 5, 3 / 5])
    assert display.chance_level_.get_xdata() == pytest.approx([0, 3 / 10])
    assert display.chance_level_.get_label() == "Chance level (AP = 0.180)"
    missed = data[0] + 7 * [1], data[1] + 7 * [np.nan]
    same = PRECISION.from_predictions(*missed, n_positives="rows", plot_chance_level=True)
    assert same.line_.get_xydata() == pytest.approx(display.line_.get_xydata())
    assert same.chance_level_.get_label() == display.chance_level_.get_label()
    display = HITS.from_predictions(*data, n_positives=10)
    for line in (display.line_, display.chance_level_, display.perfect_):
        assert line.get_ydata()[-1] == pytest.approx(3 / 10)


@pytest.mark.parametrize("options", [{}, {"pos_label": 1}])
def test_the_label_of_a_metric_decides_which_scores_are_read(options):
    X, y = make_classification(200, flip_y=0.2, weights=[0.8], random_state=0)
    model, zero = LogisticRegression().fit(X, y), ap.metric("AP", pos_label=0)
    scorer = ap.make_ap_scorer(zero, **options)
    display = PRECISION.from_estimator(model, X, y, metric=zero, **options)
    assert display.curves["LogisticRegression"][0].value == pytest.approx(scorer(model, X, y))


def test_folds(results):
    cv_results, X, y = results
    display = PRECISION.from_cv_results(cv_results, X, y)
    values = cv_results["test_score"]
    label = f"AP = {values.mean():.3f} +/- {values.std():.3f}"
    assert display.line_.get_label() == label
    assert display.band_.get_label() == "Range of 4 folds"
    again = PRECISION.from_cv_results(cv_results, X, y, ax=display.ax_, name="b")
    assert again.ax_ is display.ax_
    assert again.line_.get_label() == f"b ({label})"
    for wrong in ({"fit_time": [1.0]}, {"a": {"fit_time": [1.0]}}, {"a": 5}, [1]):
        with pytest.raises(ValueError, match="return_indices"):
            PRECISION.from_cv_results(wrong, X, y)


@pytest.mark.parametrize("of_folds", [True, False])
def test_options_of_models_and_folds(of_folds, results):
    (folds, X, y), weight = results, np.arange(400) % 7 + 1
    models, tests = folds["estimator"], folds["indices"]["test"] if of_folds else [range(400)]
    make = PRECISION.from_cv_results if of_folds else PRECISION.from_estimator
    given, values = (folds if of_folds else models[0], X, y), []
    for model, rows in zip(models, tests, strict=of_folds):
        data, mass = (1 - y[rows], -model.decision_function(X[rows])), weight[rows]
        values.append(ap.average_precision_score(*data, sample_weight=mass))
    look = {"name": "model", "curve_kwargs": {"color": "red"}, "ax": plt.figure().gca()}
    for has_chance in (True, False):
        look |= {"plot_chance_level": has_chance}
        display = make(*given, pos_label=0, sample_weight=weight, **look)
        assert f"model (AP = {np.mean(values):.3f}" in display.line_.get_label()
        assert display.line_.get_color() == "red"
        assert display.ax_ is plt.gca()
        assert display.ax_.get_ylabel().startswith("Precision")
        assert (display.chance_level_ is not None) == has_chance
    with pytest.raises(ValueError, match="predict of LogisticRegression"):
        make(*given, response_method="predict")


def test_means_of_folds_begin_where_three_positives_are_found(results):
    display = PRECISION.from_cv_results(*results)
    curves = display.curves[None]
    recall, precision = display.line_.get_data()
    fewest = min(curve.n_positives for curve in curves)
    assert recall[0] == pytest.approx(3 / fewest)
    heights = [curve.y[np.searchsorted(curve.x, recall[100])] for curve in curves]
    assert precision[100] == pytest.approx(np.mean(heights))
    edges = display.band_.get_paths()[0].vertices
    edges = edges[np.isclose(edges[:, 0], recall[100]), 1]
    assert [edges.min(), edges.max()] == pytest.approx([min(heights), max(heights)])
    assert len(display.ax_.lines) == 1 + len(curves)
    assert display.chance_level_ is None
    weighted = PRECISION.from_cv_results(*results, sample_weight=np.full(400, 0.5))
    assert weighted.line_.get_xdata()[0] == recall[0]


@pytest.mark.parametrize(
    ("display_of", "options"),
    [
        (PRECISION, {"y_true": [0, 0]}),
        (HITS, {"y_true": [0, 0], "n_positives": 2}),
        (PRECISION, {"groups": [0, 1]}),
        (PRECISION, {"legend": 1}),
        (PRECISION, {"metric": "P@10"}),
        (PRECISION, {"metric": "MAP"}),
        (PRECISION, {"metric": ap.metric("AP", ties="best")}),
        (PRECISION, {"metric": "VOC07", "sample_weight": [1, 2]}),
        (PRECISION, {"y_score": {}}),
        (PRECISION, {"name": ["a"]}),
        (HITS, {"metric": "MAP"}),
        (HITS, {"y_true": np.eye(2, dtype=int), "y_score": np.eye(2)}),
    ],
)
def test_what_is_no_curve_is_refused(display_of, options):
    with pytest.raises((ValueError, TypeError)):
        display_of.from_predictions(**{"y_true": [1, 0], "y_score": [0.1, 0.2]} | options)


NO_AXES = "ax must be axes of Matplotlib. Got "


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ax": [1]}, NO_AXES),
        ({"ax": plt}, NO_AXES),
        ({"curve_kwargs": print}, "curve_kwargs must be a dict, or None. Got "),
        ({"chance_level_kw": [1]}, "chance_level_kw must be a dict, or None. Got "),
        ({"despine": np.ones(2)}, "despine must be True or False. Got "),
        ({"drop_intermediate": np.ones(2)}, "drop_intermediate must be True or False. Got "),
        ({"plot_chance_level": np.ones(2)}, "plot_chance_level must be True or False. Got "),
        ({"name": [1]}, "name must be text. Got "),
    ],
)
def test_what_is_passed_is_named_where_it_is_refused(options, message):
    with pytest.raises(ap.exceptions.InvalidParameterError, match=message):
        PRECISION.from_predictions([1, 0], [2, 1], **options)
    if options.keys() <= inspect.signature(HITS.plot).parameters.keys():
        with pytest.raises(ap.exceptions.InvalidParameterError, match=message):
            HITS.from_predictions([1, 0], [2, 1], **options)
    if options.keys() <= inspect.signature(PRECISION.plot).parameters.keys():
        with pytest.raises(ap.exceptions.InvalidParameterError, match=message):
            PRECISION([1, 1], [1, 0]).plot(**options)


@pytest.mark.parametrize("wrong", [None, [], {"estimator": []}, {"a": {}, "b": None}, {"a": 1}])
def test_results_without_estimators_or_indices_are_refused(wrong):
    with pytest.raises(ValueError, match="return_estimator=True, return_indices=True"):
        PRECISION.from_cv_results(wrong, [[0]], [1])


@pytest.mark.parametrize(
    "curve", [{"recall": "AP"}, {"precision": None}, {"recall": [[1, 0]]}, {"name": [1]}]
)
def test_curves_of_other_things_are_refused(curve):
    words = r"1d array|numeric|must be text|1 dim|valid collection"
    with pytest.raises((ValueError, TypeError), match=words):
        PRECISION(**{"precision": [1, 1], "recall": [1, 0]} | curve)


def test_a_hit_curve_has_the_value_of_the_metric_that_is_named():
    y, scores = draw(0)
    display = HITS.from_predictions(y, {"a": scores, "b": -scores})
    assert [line.get_label() for line in display.line_] == ["a", "b"]
    display = HITS.from_predictions(y, scores, metric="AP")
    assert display.line_.get_label() == f"AP = {ap.average_precision_score(y, scores):.3f}"


# --- in place of scikit-learn's display -----------------------------------------------------------


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_of_scikit_learn_run_with_one_import_changed(program):
    ours = program(PRECISION)
    if "curve_kwargs" not in inspect.signature(PrecisionRecallDisplay.plot).parameters:
        return  # before scikit-learn 1.9
    theirs = program(PrecisionRecallDisplay)
    for our, their in zip(ours, theirs, strict=True):
        assert our.average_precision == pytest.approx(their.average_precision)
        if program is docstring_of_from_cv_results:  # which draws a mean and a range
            continue
        assert our.name == (None if their.name == "Classifier" else their.name)
        assert our.prevalence_pos_label == pytest.approx(their.prevalence_pos_label)
        if program is not models_on_one_picture:  # with a point less inside vertical lines
            assert our.precision == pytest.approx(their.precision)
            assert our.recall == pytest.approx(their.recall)
        for line in ("line_", "chance_level_"):
            if getattr(their, line, None) is not None:
                drawn, expected = getattr(our, line), getattr(their, line)
                assert drawn.get_linestyle() == expected.get_linestyle()
                assert drawn.get_marker() == expected.get_marker()
        for side in ("top", "right"):
            assert our.ax_.spines[side].get_visible() == their.ax_.spines[side].get_visible()


@pytest.mark.parametrize("seed", range(6))
def test_points_inside_vertical_lines_may_be_left_out(seed):
    y, scores = draw(seed)
    for metric in ("AP", "linear", "envelope AP"):
        every, few = (
            PRECISION.from_predictions(y, scores, metric=metric, drop_intermediate=drop)
            for drop in (False, True)
        )
        assert few.recall.size < every.recall.size == np.unique(scores).size + 1
        grid = np.linspace(0.001, 1, 999)
        if metric == "linear":
            heights = [np.interp(grid, each.recall[::-1], each.precision[::-1])
                       for each in (few, every)]  # fmt: skip
        else:
            heights = [each.precision[::-1][np.searchsorted(each.recall[::-1], grid)]
                       for each in (few, every)]  # fmt: skip
        assert np.array_equal(*heights)
        ends = {*zip(few.recall, few.precision, strict=True)}
        for place in np.unique(every.recall):  # the lowest and highest points of vertical lines
            at = every.precision[every.recall == place]
            assert {(place, at.min()), (place, at.max())} <= ends


def test_a_curve_that_a_user_has_computed():
    (precision, recall), (_, other) = (precision_recall_curve(*draw(seed))[:2] for seed in (1, 2))
    display = PRECISION(precision, recall, average_precision=0.5, name="a", pos_label="x").plot()
    assert display.line_.get_label() == "a (AP = 0.500)"
    assert display.ax_.get_xlabel() == "Recall (Positive label: x)"
    assert (display.name, display.prevalence_pos_label) == ("a", None)
    assert np.array_equal(display.precision, precision)
    with pytest.raises(ValueError, match="prevalence_pos_label="):
        display.plot(plot_chance_level=True)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        PRECISION(precision, other)


@pytest.mark.parametrize(
    ("name", "value"), [("color", "red"), ("lw", 2), ("label", "a"), ("drawstyle", "default")]
)
def test_properties_of_lines_go_into_curve_kwargs(name, value):
    model = LogisticRegression().fit([[0], [1]], [0, 1])
    calls = {
        "from_predictions": lambda **more: PRECISION.from_predictions([1, 0], [2, 1], **more),
        "from_estimator": lambda **more: PRECISION.from_estimator(
            model, [[0], [1]], [0, 1], **more
        ),
        "from_cv_results": lambda **more: PRECISION.from_cv_results({}, [[0]], [1], **more),
        "plot": lambda **more: PRECISION([1, 1], [1, 0]).plot(**more),
    }
    for method, call in calls.items():
        refused = rf"{method}\(\) got an unexpected keyword argument '{name}'.* curve_kwargs="
        with pytest.raises(TypeError, match=refused):
            call(**{name: value})
        with pytest.raises(TypeError, match="Did you mean 'plot_chance_level'"):
            call(plot_chance_levels=True)


# --- looks ----------------------------------------------------------------------------------------


def draw_pictures():
    payments = ap.datasets.load_payments()
    data = {"data": payments}
    yield PRECISION.from_predictions("fraud", LONG, plot_chance_level=True, **data)
    yield HITS.from_predictions("fraud", LONG, **data)
    yield PRECISION.from_predictions("fraud", ["model_a", "model_b"], **data)


@pytest.mark.parametrize("style", STYLES)
def test_nothing_is_cut(style):
    with plt.style.context(style):
        for display in draw_pictures():
            assert_nothing_is_cut(display.figure_)


def test_models_of_a_table():
    data = {"data": ap.datasets.load_payments(), "plot_chance_level": True}
    display = PRECISION.from_predictions("fraud", ["model_a", "model_b"], **data)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["model_a (AP = 0.432)", "model_b (AP = 0.512)", "Chance level (AP = 0.020)"]


def test_no_model_is_refused():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    no_folds = {"estimator": [], "indices": {"test": []}}
    for make in (
        lambda: ap.AveragePrecisionDisplay.from_predictions(y, {}),
        lambda: ap.HitCurveDisplay.from_predictions(y, {}),
        lambda: ap.AveragePrecisionDisplay.from_estimator({}, X, y),
        lambda: ap.AveragePrecisionDisplay.from_cv_results(no_folds, X, y),
    ):
        with pytest.raises(ValueError, match="Pass at least one model"):
            make()
