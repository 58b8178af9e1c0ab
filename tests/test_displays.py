"""Displays: what is drawn is what is computed, with the conventions of scikit-learn's displays."""

import pickle
import re
import sys
from contextlib import nullcontext
from functools import partial
from inspect import signature

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from scipy import stats
from scipy.integrate import trapezoid
from scipy.sparse import coo_matrix, csr_array
from scipy.spatial import cKDTree
from scipy.special import expit, logit
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay, precision_recall_curve
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import sklearn_ap as ap
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay
from sklearn_ap._inputs.records import COLUMNS
from sklearn_ap.compat import trapezoidal_average_precision_score
from sklearn_ap.core.rules import AreaRule
from sklearn_ap.displays.base import make_unit_band
from sklearn_ap.inference import confidence_interval

from . import oracle
from .axes import areas, each_draw, hits, legend, new_axes, options_of_plot, shown_path
from .documentation import sections
from .registry import ORACLE_OF, RULE_OF
from .strategies import DYADIC, INTEGERS, rankings

NAMES = [name for name, rule in RULE_OF.items() if isinstance(rule, AreaRule)]
DISPLAYS = [AveragePrecisionDisplay, HitCurveDisplay]
CONSTRUCTORS = ["from_predictions", "from_estimator", "from_cv_results"]
each_display = pytest.mark.parametrize("display", DISPLAYS)
each_fraction = pytest.mark.parametrize("fraction_of", ["samples", "positives"])

# The ranking of seeds and README: 1101010001, no ties.
RANKING = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], range(10, 0, -1)
FIVE = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]


@pytest.fixture
def ax():
    return new_axes()


@pytest.fixture(scope="module")
def data():
    return make_classification(300, weights=[0.7], flip_y=0.2, random_state=0)


@pytest.fixture(scope="module")
def bayes(data):
    """A classifier that was fitted on the data, and its prediction scores."""
    model = GaussianNB().fit(*data)
    return model, model.predict_proba(data[0])[:, 1]


def folds(model, *tests):
    """What cross_validate returns if all folds have the same estimator."""
    return {"estimator": [model] * len(tests), "indices": {"test": tests}}


def cross_validated(model, X, y, **options):
    return cross_validate(model, X, y, return_estimator=True, return_indices=True, **options)


def noisy(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    return y, rng.standard_normal(n) + 1.5 * y


def detections(n_groups=4, n=200):
    rng = np.random.default_rng(0)
    groups = np.array([f"class {place}" for place in rng.integers(n_groups, size=n)])
    y = rng.random(n) < 0.4
    return y, np.round(rng.normal(size=n) + y, 1), groups


def band_of(display, fraction_of):
    """Return the band of the only model of a hit curve."""
    (band,) = (band for band in display.bands if band.fraction_of == fraction_of)
    return band


def enclosed(collection):
    """Return the area inside the polygons of a collection, by the shoelace formula."""
    area = 0.0
    for path in collection.get_paths():
        x, y = path.vertices.T
        area += abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2
    return area


def drawn(artist):
    return [tuple(map(float, point)) for point in np.transpose(artist.get_data())]


def near(points):
    return [pytest.approx(tuple(map(float, point)), abs=1e-12) for point in points]


def height(line, share):
    """Return the height of a line whose corners are connected by straight lines."""
    return np.interp(share, *line.get_data())


def pixels(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).astype(int)


# --- the shaded area ----------------------------------------------------------------------------


@given(
    rankings()
    | rankings(weights=INTEGERS)
    | rankings(weights=DYADIC)
    | rankings(weights=DYADIC, positives=True, untied=True),
    st.integers(1, 35) | st.sampled_from([0.001, 0.07, 0.29, 0.5, 1.0]),
    st.sampled_from(oracle.DENOMINATORS),
    st.sampled_from(["samples", "weight"]),
    st.none() | st.integers(0, 5),
    st.booleans(),
)
def test_shaded_areas_are_the_scores(ranking, k, denominator, k_counts, lost, drop_intermediate):
    labels, scores, weights = ranking
    mass = oracle.positive_mass(oracle.points(*ranking))
    exist = None if lost is None else mass + lost
    cut = {"k": k, "denominator": denominator, "k_counts": k_counts}
    options = {"sample_weight": weights, "drop_intermediate": drop_intermediate}
    options["n_positives"] = None if lost is None else float(exist)
    undefined = not (mass if lost is None else exist)
    with pytest.warns(UndefinedMetricWarning) if undefined else nullcontext():
        names = [name for name in NAMES if RULE_OF[name].takes_weights or weights is None]
        metrics = [ap.metric(name, **(cut if RULE_OF[name].cut else {})) for name in names]
        display = areas(labels, scores, metric=metrics, **options, ax=new_axes())
    for name, fill, line in zip(names, display.fill_, display.line_, strict=True):
        given = cut if RULE_OF[name].cut else {}
        exact = ORACLE_OF[name](*ranking, n_positives=exist, **given)
        value = float(exact or 0)  # 0 where it is 0/0
        assert enclosed(fill) == pytest.approx(value, rel=0, abs=1e-9), name
        assert line.get_label().endswith(f" = {value:.3f}") or abs(value * 1000 % 1 - 0.5) < 1e-6
        if "point" not in name:
            assert trapezoid(line.get_ydata(), line.get_xdata()) == pytest.approx(value)


@each_draw
def test_points_that_can_be_told_apart_have_a_dot_each(draw):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=20_000)
    labels = scores > rng.normal(2, size=scores.size)
    few = draw(labels[:900], scores[:900])  # to be looked at closely
    assert len(few.points_.get_xdata()) == 900 + (draw is hits)  # from the origin on
    many = draw(labels, scores)
    curve = many.curves[0]
    every = curve.to_scale("positives").line if draw is hits else (curve.recall, curve.precision)
    axes = np.max(every, axis=1)
    dots = cKDTree(np.transpose(many.points_.get_data()) / axes)
    assert dots.query(np.transpose(every) / axes)[0].max() < 1.5 / 200
    assert dots.n < 1000


@pytest.mark.parametrize(("n_samples", "rasterized"), [(4000, False), (6000, True)])
def test_shaded_area_of_many_samples_is_pixels_in_vector_graphics(n_samples, rasterized):
    """As paths, it would take ten megabytes per hundred thousand samples."""
    display = areas(np.arange(n_samples) % 3 == 0, np.arange(n_samples))
    assert display.fill_.get_rasterized() is rasterized
    assert not display.line_.get_rasterized()


@pytest.mark.parametrize("definition", ["step", "AP@10"])
def test_without_positives_nothing_is_drawn_and_the_score_is_zero(definition):
    words = "^No positive class found in y_true"
    with pytest.warns(UndefinedMetricWarning, match=words) as caught:
        display = areas([0, 0, 0], [3, 2, 1], metric=definition, plot_chance_level=True)
    assert "Use zero_division to choose another value" in str(caught[0].message)
    assert enclosed(display.fill_) == 0
    assert len(display.line_.get_xdata()) == len(display.points_.get_xdata()) == 0
    label = {"step": "AP = 0.000", "AP@10": "AP@10 = 0.000"}[definition]
    assert display.line_.get_label() == label
    assert list(display.chance_level_.get_ydata()) == [0, 0]
    display.figure_.draw_without_rendering()
    with pytest.warns(UndefinedMetricWarning, match=words):
        display = hits([0, 0], [2, 1])
    assert display.line_.get_ydata().tolist() == [0, 0, 0]
    assert display.perfect_ is display.chance_level_ is None


# --- what is drawn, in coordinates counted by hand ----------------------------------------------

# Labels 10110.
POINTS = [(1 / 3, 1), (1 / 3, 1 / 2), (2 / 3, 2 / 3), (1, 3 / 4), (1, 3 / 5)]
FIRST_STEPS = [(0, 1), (1 / 3, 1), (1 / 3, 1 / 2), (1 / 3, 1 / 2), (1 / 3, 2 / 3), (2 / 3, 2 / 3)]
LINES = {
    "step": [*FIRST_STEPS, (2 / 3, 3 / 4), (1, 3 / 4), (1, 3 / 5), (1, 3 / 5)],
    "11-point": [(level / 10, 1 if level < 4 else 3 / 4) for level in range(11)],
    "AP@3": [*FIRST_STEPS, (2 / 3, 0)],  # k equals the number of positives: the x axis is recall
}


@pytest.mark.parametrize("definition", LINES)
def test_the_line_runs_as_the_definition_runs_it(definition, ax):
    display = areas(*FIVE, metric=definition, ax=ax)
    assert drawn(display.line_) == near(LINES[definition])
    assert drawn(display.points_) == near(POINTS[:3] if definition == "AP@3" else POINTS)
    assert ax.get_xlabel() == "Recall"
    assert ax.get_ylabel() == "Precision"


@pytest.mark.parametrize(
    ("denominator", "divisor", "share"),
    [
        ("min", 3, "Positives found / 3"),
        ("relevant", 4, "Recall"),
        ("k", 3, "Positives found / 3"),
        ("hits", 2, "Positives found / those in top 3"),
    ],
)
def test_a_tie_that_k_cuts_ends_where_its_share_ends(denominator, divisor, share, ax):
    """k=3 takes 2 of the 4 tied samples, and half of their 2 positives."""
    metric = ap.metric("AP@3", denominator=denominator)
    display = areas([1, 1, 0, 1, 0, 1], [3, 2, 2, 2, 2, 1], metric=metric, ax=ax)
    assert drawn(display.points_) == near([(1 / divisor, 1), (2 / divisor, 2 / 3)])
    assert drawn(display.line_)[-2:] == near([(2 / divisor, 2 / 3), (2 / divisor, 0)])
    assert ax.get_xlabel() == share


def test_axis_says_what_it_is_for_each_definition(ax):
    areas(*RANKING, metric=["step", "envelope", "AP@4"], ax=ax)
    assert ax.get_xlabel() == "Recall (AP@4: positives found / 4)"


@each_draw
def test_axes_of_several_positive_labels_name_them_all(draw, ax):
    ax.set(xlabel="to be replaced", ylabel="as scikit-learn does")
    for label in "aba":
        draw([*"aabb"], [4, 3, 2, 1], pos_label=label, ax=ax)
    name = "Fraction of positives found" if draw is hits else "Precision"
    assert ax.get_ylabel() == f"{name} (Positive label: a)\n{name} (Positive label: b)"
    name = "Fraction of samples flagged" if draw is hits else "Recall{}\nRecall{}"
    assert ax.get_xlabel() == name.format(" (Positive label: a)", " (Positive label: b)")


@pytest.mark.parametrize("drop_intermediate", [False, True])
def test_points_without_positives_are_dropped_unless_they_fill_the_top_k(drop_intermediate):
    """The top 2 rows hold one of the two positives, so the curve ends at a recall of 0.5."""
    options = {"metric": ap.metric("AP@2", k_counts="samples"), "sample_weight": [1, 2, 2, 1]}
    given = [1, 0, 0, 1], [4, 3, 2, 1]
    display = areas(*given, drop_intermediate=drop_intermediate, **options)
    third = (1 / 2, 1 / 3)
    assert drawn(display.line_) == near([(0, 1), (1 / 2, 1), third, third, (1 / 2, 0)])
    points = areas(*FIVE, drop_intermediate=drop_intermediate).points_
    assert drawn(points) == near(POINTS[i] for i in ((0, 2, 3) if drop_intermediate else range(5)))


def test_the_whole_picture_of_steps(ax):
    display = areas(*FIVE, name="A", plot_chance_level=True, ax=ax)
    assert legend(ax) == ["A (AP = 0.806)", "Chance (precision 0.60, AP 0.73)"]
    assert (*ax.get_xlim(), *ax.get_ylim(), ax.get_aspect()) == (-0.01, 1.01, -0.01, 1.01, 1)
    assert enclosed(display.fill_) == pytest.approx(29 / 36)
    assert drawn(display.chance_level_) == near([(0, 0.6), (1, 0.6)])
    artists = display.line_, display.points_, display.chance_level_
    assert [to_hex(each.get_color()) for each in artists] == ["#3ba0ba", "#3ba0ba", "#000000"]
    assert [each.get_linestyle() for each in artists] == ["-", "None", "--"]


@given(rankings(positives=True) | rankings(positives=True, weights=DYADIC))
def test_hit_curve_is_the_curve_and_its_ap_the_score(ranking):
    labels, scores, weight = ranking
    given = {"sample_weight": weight, "fraction_of": "samples"}
    display = hits(labels, scores, **given, ax=new_axes())
    np.testing.assert_array_equal(
        display.line_.get_data(), ap.hit_curve(labels, scores, **given)[:2]
    )
    assert display.value == pytest.approx(float(oracle.step(*ranking)))
    curve = oracle.points(*ranking)
    prevalence = float(oracle.positive_mass(curve) / curve[-1][-1])
    for line, top in ((display.perfect_, prevalence), (display.chance_level_, 1)):
        x, y = line.get_data()
        assert (x[0], x[-1]) == (0, 1)
        assert y == pytest.approx(np.minimum(x, top) * (prevalence if top == 1 else 1))
    assert prevalence in display.perfect_.get_xdata()  # the corner


# --- scikit-learn's conventions -----------------------------------------------------------------


@each_draw
def test_plot_returns_the_display_and_can_be_called_again(draw, ax):
    first = draw(*RANKING, name="first", ax=ax)
    line = first.line_
    assert (first.ax_, first.figure_) == (ax, ax.figure)
    other = new_axes()
    assert first.plot(other, name="second") is first
    assert first.ax_ is other
    assert first.line_ is not line
    assert first.line_ in other.lines
    assert drawn(first.line_) == drawn(line)
    third = new_axes()
    first.plot(third)
    names = [legend(each)[0].partition(" (")[0] for each in (ax, other, third)]
    assert names == ["first", "second", "first"]


@each_display
@pytest.mark.parametrize(
    "method", ["from_estimator", "from_predictions", "from_cv_results", "plot"]
)
def test_methods_take_what_those_of_scikit_learn_take(display, method):
    if not hasattr(PrecisionRecallDisplay, method):
        pytest.skip("scikit-learn has no from_cv_results before 1.9")
    theirs = set(signature(getattr(PrecisionRecallDisplay, method)).parameters)
    theirs -= {"kwargs", "y_pred"}  # which are deprecated
    theirs -= {"despine", "chance_level_kwargs"}  # which the page on replaced names lists
    theirs -= {"drop_intermediate"} if display is HitCurveDisplay else set()
    own = {*signature(getattr(display, method)).parameters, *options_of_plot(display)}
    assert theirs <= own


@each_display
@pytest.mark.parametrize("method", CONSTRUCTORS)
def test_constructors_pass_on_what_plot_takes(display, method, data, bayes, monkeypatch):
    """And plot doesn't get what describes the data."""
    model, score = bayes
    first = {
        "from_predictions": (data[1], score),
        "from_estimator": (model, *data),
        "from_cv_results": (folds(model, np.arange(300)), *data),
    }[method]
    asked, passed = {name: name for name in options_of_plot(display)}, {}
    asked |= {"fraction_of": "samples"} if "fraction_of" in asked else {}
    asked["operating_points"] = ap.operating_point(data[1], score, k=3)
    monkeypatch.setattr(display, "plot", lambda self, **given: passed.update(given))
    getattr(display, method)(*first, **asked, sample_weight=np.ones(300))
    assert passed == asked


class Untouched(BaseEstimator):
    """Labels, prediction scores, folds or a model that nobody may ask for anything."""

    def read(self, *args, **given):
        pytest.fail("computed before the options were checked")

    __len__ = __array__ = __getitem__ = keys = predict_proba = decision_function = read


CALLS = [(display, method) for display in DISPLAYS for method in CONSTRUCTORS]
each_constructor = pytest.mark.parametrize(("display", "method"), CALLS)


@each_constructor
def test_options_of_plot_are_checked_before_anything_is_computed(display, method):
    data = {
        "from_predictions": (Untouched(), Untouched()),
        "from_estimator": (Untouched(), Untouched(), Untouched()),
        "from_cv_results": (folds(Untouched(), Untouched()), Untouched(), Untouched()),
    }[method]
    draw = partial(getattr(display, method), *data)
    for option in options_of_plot(display):
        misspelled = option + option[-1]
        words = f"{misspelled}'. Did you mean '{option}'"
        with pytest.raises(TypeError, match=re.escape(words)):
            draw(**{misspelled: None})
    with pytest.raises(TypeError, match=r"'color'\. The options of plot are ax, name, curve"):
        draw(color="red")
    with pytest.raises(TypeError, match=r"'plot_options'\. The options of plot are ax, "):
        draw(plot_options={"name": "mine"})
    with pytest.raises(TypeError, match=r"'despine'\. Use .*display\.ax_\.spines"):
        draw(despine=True)
    wrong = {"name": 3, "operating_points": 0.5}
    wrong |= {"fraction_of": None} if display is HitCurveDisplay else {}
    for option, value in wrong.items():
        with pytest.raises(ValueError, match=rf"'{option}' parameter of .*\.{method} must be"):
            draw(**{option: value})


@each_constructor
def test_docstrings_list_the_options_of_plot(display, method):
    text = sections(getattr(display, method))["Parameters"].partition("**plot_options")[2]
    options = [*options_of_plot(display)]
    if method == "from_cv_results":
        options.remove("operating_points")  # each fold has a curve of its own
    assert re.findall("`([a-z_]+)`", text.partition(".")[0].partition("plot`")[2]) == options


def test_styles_go_to_their_artists_by_any_alias(ax):
    display = areas(
        *RANKING,
        metric=["step", "linear"],
        curve_kwargs=[{"c": "red", "ls": ":", "label": "mine"}, {"c": "b"}],
        fill_kwargs={"visible": False},
        points_kwargs={"ms": 9},
        plot_chance_level=True,
        chance_level_kw={"color": "blue", "lw": 3},
        ax=ax,
    )
    assert [line.get_color() for line in display.line_] == ["red", "b"]
    assert not display.fill_[0].get_visible()
    assert display.points_[0].get_markersize() == 9
    assert display.chance_level_.get_linewidth() == 3
    assert legend(ax)[:2] == ["mine", "Linear AP = 0.763"]
    assert hits(*RANKING, plot_chance_level=False, ax=ax).chance_level_ is None


@pytest.mark.parametrize(
    ("positives", "samples", "words"),
    [
        (3, 1000, "AP 0.003"),
        (1, 40, "AP 0.025"),
        (1, 8, "AP 0.12"),
        (1, 1, "AP 1.00"),
        (3, 10**5, "precision 0.00003, AP 0.000072"),
    ],
)
def test_chance_level_has_the_digits_that_it_needs(positives, samples, words):
    labels, scores = np.arange(samples) < positives, 1 + np.arange(samples) // 1000
    display = areas(labels, scores, plot_chance_level=True)
    assert display.chance_level_.get_label() == f"Chance ({words})"


@pytest.mark.filterwarnings("ignore:No positive:UserWarning")
def test_chance_level_without_positives_is_that_of_the_curve():
    display = areas([0, 0], [2, 1], plot_chance_level=True)
    assert display.chance_level_.get_label() == "Chance (AP 0.00)"


def test_chance_level_says_what_random_rankings_have():
    """Of the orders of two rows, the positive is first in half; of ties, in none or all."""
    groups = {"groups": [0, 0, 1, 1], "plot_chance_level": True}
    both = {"a": [2, 1, 2, 1], "b": [1, 1, 1, 1]}
    for scores, words in (([2, 1, 2, 1], "0.75"), (both, "0.50 to 0.75"), ([2, 1, 1, 1], "0.62")):
        label = areas([1, 0, 0, 1], scores, **groups).chance_level_.get_label()
        assert label == f"Chance (precision 0.50, AP {words})"
    weighted = areas([1, 0], [2, 1], sample_weight=[1, 2], plot_chance_level=True)
    assert weighted.chance_level_.get_label() == "Chance (precision 0.33)"


@pytest.mark.sweep(4)
@each_display
@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()])
@pytest.mark.parametrize("pos_label", ["a", "b"])
def test_an_estimator_is_drawn_by_its_scores(display, model, pos_label, data):
    X, y = pd.DataFrame(data[0]).add_prefix("x"), np.where(data[1], "b", "a")
    model = make_pipeline(StandardScaler(), model).fit(X, y)
    shown = display.from_estimator(model, X, y, pos_label=pos_label)
    if hasattr(model, "predict_proba"):
        scores = model.predict_proba(X)[:, 0 if pos_label == "a" else 1]
    else:
        scores = model.decision_function(X) * (-1 if pos_label == "a" else 1)
    expected = display.from_predictions(y, scores, pos_label=pos_label)
    assert drawn(shown.line_) == drawn(expected.line_)
    assert shown.pos_label == pos_label
    assert shown.line_.get_label() == f"Pipeline ({expected.line_.get_label()})"


@each_display
def test_response_method_chooses_the_scores(display, data):
    """Probabilities are 0 or 1 and tied, and decision values are not."""
    model = LogisticRegression().fit(*data)
    automatic, by_probability, by_decision = (
        display.from_estimator(model, 1000 * data[0], data[1], response_method=method)
        for method in ("auto", "predict_proba", "decision_function")
    )
    assert drawn(automatic.line_) == drawn(by_probability.line_)
    assert len(drawn(automatic.line_)) < len(drawn(by_decision.line_))


@each_display
def test_missing_matplotlib_is_named(display, data, bayes, monkeypatch):
    shown = display.from_predictions(*RANKING)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name, call in {
        "from_predictions": partial(display.from_predictions, *RANKING),
        "from_estimator": partial(display.from_estimator, bayes[0], *data),
        "plot": shown.plot,
    }.items():
        words = rf"{display.__name__}.{name} .*: pip install matplotlib"
        with pytest.raises(ImportError, match=words):
            call()


@each_draw
@pytest.mark.parametrize(("size", "visible"), [(150, True), (300, False)])
def test_dots_that_would_run_into_a_line_are_not_seen(draw, size, visible):
    y_true, y_score = np.arange(size) % 2, np.arange(size)
    assert draw(y_true, y_score).points_.get_visible() == visible
    assert draw(y_true, y_score, points_kwargs={"visible": True}).points_.get_visible()


# --- cross-validation ---------------------------------------------------------------------------

BACKWARD = np.arange(300)[::-1]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "kind", [np.asarray, partial(pd.DataFrame, index=BACKWARD), csr_array, coo_matrix, list]
)
def test_folds_are_drawn_with_their_mean(kind, data, ax):
    """Rows are found by their place and not by their label."""
    X, y = kind(data[0]), pd.Series(np.where(data[1], "b", "a"), index=BACKWARD)
    scorers = {
        "step": ap.make_ap_scorer(pos_label="b"),
        "11-point": ap.make_ap_scorer("eleven_point_average_precision", pos_label="b"),
    }
    results = cross_validated(LinearSVC(), X, y, scoring=scorers)
    options = {"pos_label": "b", "metric": ["step", "11-point"], "name": "SVM"}
    display = AveragePrecisionDisplay.from_cv_results(results, X, y, **options, ax=ax)
    step, eleven = results["test_step"], results["test_11-point"]
    assert legend(ax) == [
        f"SVM (AP = {step.mean():.3f} +/- {step.std():.3f})",
        f"SVM (11-point = {eleven.mean():.3f} +/- {eleven.std():.3f})",
    ]
    found = [enclosed(fill) for fill in display.fill_]
    np.testing.assert_allclose(found, [*step, *eleven], rtol=0, atol=1e-9)
    colors = [line.get_color() for line in display.mean_]
    assert [line.get_color() for line in display.line_] == 5 * colors[:1] + 5 * colors[1:]
    assert {line.get_alpha() for line in display.line_} == {0.4}  # behind their mean
    assert display.mean_[0].get_ydata().mean() == pytest.approx(step.mean(), abs=1e-3)
    levels, squares = display.mean_[1].get_data()
    assert display.mean_[1].get_marker() == "s"
    np.testing.assert_allclose(levels, np.arange(11) / 10)
    assert squares.mean() == pytest.approx(eleven.mean())


def masked(fold):
    return np.array([np.isin(np.arange(300), places) for places in fold])


FOLDS = {
    "masks": masked,
    "lists of masks": lambda fold: masked(fold).tolist(),
    "series of masks": lambda fold: [pd.Series(mask) for mask in masked(fold)],
    "lists of places": lambda fold: [places.tolist() for places in fold],
}


@pytest.mark.parametrize("given", FOLDS.values(), ids=FOLDS)
def test_folds_may_be_given_in_any_way_that_cross_validate_takes(given, data):
    X, y, weight = data[0].tolist(), data[1].tolist(), 1 + np.arange(300) % 3
    cv = [given(fold) for fold in KFold(3).split(X)]
    results = cross_validated(LinearSVC(), X, y, cv=cv)
    # cross_validate of scikit-learn 1.5 accepts slices, and later releases don't.
    results["indices"] = {"test": [slice(0, 100), *results["indices"]["test"][1:]]}
    options = {"sample_weight": weight.tolist(), "plot_chance_level": True}
    display = AveragePrecisionDisplay.from_cv_results(results, X, y, **options)
    expected, chances = [], []
    for model, test in zip(results["estimator"], np.arange(300).reshape(3, 100), strict=True):
        score = model.decision_function(data[0][test])
        expected.append(
            ap.average_precision_score(data[1][test], score, sample_weight=weight[test])
        )
        chances.append(np.average(data[1][test], weights=weight[test]))
    np.testing.assert_allclose(display.value, expected, rtol=1e-12)
    assert drawn(display.chance_level_) == near([(0, np.mean(chances)), (1, np.mean(chances))])


# --- confidence bands ---------------------------------------------------------------------------


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("definition", "weighted"),
    [
        ("step", False),
        ("step", True),
        ("envelope", True),
        ("11-point", True),
        ("linear", False),
        ("AP@10", False),
        ("AP@10", True),
    ],
)
def test_band_lies_around_the_curve_and_the_interval_is_named(definition, weighted, monkeypatch):
    monkeypatch.setattr("sklearn_ap.inference.make_seed", lambda random_state: 0)
    y, score = noisy()
    weights = np.random.default_rng(1).integers(1, 3, 300) if weighted else None
    given = {"metric": definition, "sample_weight": weights, "confidence_level": 0.9}
    display = areas(y, score, **given)
    curve, band = display.curves[0], display.bands[0]
    inside = np.interp(band.x, *curve.edge)
    assert np.all((0 <= band.low) & (band.high <= 1))
    # between two corners of a step, the curve is at either height
    assert np.mean((band.low <= inside) & (inside <= band.high)) > 0.95
    assert len(display.band_.get_paths()) == 1
    np.testing.assert_array_equal(areas(y, score, **given).bands[0].low, band.low)
    low, high = band.interval
    assert display.line_.get_label().endswith(f", 90% {low:.3f} to {high:.3f}")
    expected = confidence_interval(y, score, **given)
    assert (low, high) == (expected.low, expected.high)


@pytest.mark.slow
def test_band_has_the_spread_of_resampled_curves():
    y, score = noisy()
    band = areas(y, score, confidence_level=0.95).bands[0]
    rng, heights = np.random.default_rng(5), []
    for _ in range(400):
        weights = np.bincount(rng.integers(0, 300, 300), minlength=300)
        precision, recall, _ = precision_recall_curve(y, score, sample_weight=weights)
        heights.append(precision[recall >= band.x[49] - 1e-12][-1])
    assert band.x[49] == pytest.approx(0.5)
    ends = np.array([band.low[49], band.high[49]])
    logit = np.log(ends / (1 - ends))
    p = 1 / (1 + np.exp(-logit.mean()))
    t = stats.t.ppf(0.975, np.floor(y.sum() * 0.5) - 1)
    assert np.diff(logit).item() / 2 * p * (1 - p) / t == pytest.approx(np.std(heights), rel=0.1)


PERFECT = np.arange(100) < 10, -np.arange(100)


def test_first_hits_say_little():
    """The first samples are hits in every resample, but precision 1 isn't certain there."""
    band = areas(*PERFECT, confidence_level=0.95).bands[0]
    assert np.all(band.high == 1)
    # Up to the first hit there is a single positive.
    by_chance = [0.025 ** (1 / number) for number in (1, 5, 10)]
    np.testing.assert_allclose(band.low[[9, 49, 99]], by_chance)


def test_band_of_many_positives_joins_neighbors():
    display = areas(*noisy(6000), confidence_level=0.95)
    band, curve = display.bands[0], display.curves[0]
    inside = np.interp(band.x, *curve.edge)
    assert np.all(((band.low < inside) & (inside < band.high))[10:-1])
    assert band.high[50] - band.low[50] < 0.1


def test_band_of_a_curve_without_positives_in_the_top_k():
    """The curve ends where it starts."""
    display = areas([0, 0, 0, 1, 1], [5, 4, 3, 2, 1], metric="AP@3", confidence_level=0.95)
    assert display.value == display.bands[0].interval[0] == 0.0
    assert not display.bands[0].x.any()


@pytest.mark.parametrize("n_repeats", [1, 6])
def test_interval_over_folds_is_that_of_their_mean(n_repeats):
    """Rows that come back don't make the interval narrower than that of the folds of one repeat."""
    X, y = make_classification(400, weights=[0.8], class_sep=0.5, random_state=0)
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=n_repeats, random_state=0)
    results = cross_validated(GaussianNB(), X, y, cv=cv)
    display = AveragePrecisionDisplay.from_cv_results(results, X, y, confidence_level=0.95)
    values = np.array(display.value)
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(5)
    reach = stats.t.ppf(0.975, 4) * error / (mean * (1 - mean))
    ends = expit(logit(mean) + reach * np.array([-1, 1]))
    assert display.bands[0].interval == pytest.approx(tuple(ends))
    label = display.mean_.get_label()
    assert label.startswith(f"AP = {mean:.3f} +/- {values.std():.3f}, 95% {ends[0]:.3f} to")
    assert np.all(display.bands[0].low <= display.bands[0].high)


# --- the metric of the caller's choice ----------------------------------------------------------

METRICS = [
    ({"metric": "EF1%"}, "EF1%", ap.enrichment_factor_score, {"k": 0.01}),
    ({"metric": "enrichment_factor"}, "EF@1%", ap.enrichment_factor_score, {}),
    ({"metric": "P@20"}, "P@20", ap.precision_at_k_score, {"k": 20}),
    ({"metric": "R@10%"}, "R@10%", ap.recall_at_k_score, {"k": 0.1}),
    ({"metric": ap.metric("linear")}, "Linear AP", None, {}),
]
each_metric = pytest.mark.parametrize(("given", "label", "function", "options"), METRICS)


def decimals(label):
    return 2 if label.startswith("EF") else 3


@pytest.mark.sweep(5)
@each_display
@each_metric
def test_legends_show_the_metric_of_the_callers_choice(
    display, given, label, function, options, data, bayes, ax
):
    """Its value and its interval are those of the functions."""
    function = function or trapezoidal_average_precision_score
    model, score = bayes
    X, y = data
    places, known = decimals(label), {"random_state": 0, "confidence_level": 0.9}
    found = confidence_interval(y, score, **given, **known)
    assert found.value == function(y, score, **options)
    ends = f"90% {found.low:.{places}f} to {found.high:.{places}f}"
    entry = f"{label} = {found.value:.{places}f}, {ends}"
    one = display.from_predictions(y, score, **given, confidence_level=0.9, ax=ax)
    assert (one.value, legend(ax)[0], one.bands[0].label) == (found.value, entry, label)
    assert {band.interval for band in one.bands} == {(found.low, found.high)}
    usual = display.from_predictions(y, score, confidence_level=0.9)
    if label != "Linear AP" or display is HitCurveDisplay:  # the same curve with the same band
        np.testing.assert_array_equal(usual.line_.get_xydata(), one.line_.get_xydata())
        np.testing.assert_array_equal(usual.bands[0].high, one.bands[0].high)
    both = display.from_predictions(y, {"a": score, "b": -score}, **given)
    assert both.value == [found.value, function(y, -score, **options)]
    assert legend(both.ax_)[0] == f"a ({label} = {found.value:.{places}f})"
    of_model = display.from_estimator(model, X, y, **given)
    assert legend(of_model.ax_)[0] == f"GaussianNB ({label} = {found.value:.{places}f})"


@pytest.mark.sweep(5)
@each_display
@each_metric
def test_legends_of_folds_and_groups_show_the_metric(
    display, given, label, function, options, data, bayes
):
    (X, y), (model, score) = data, bayes
    function = function or trapezoidal_average_precision_score
    places, tests = decimals(label), np.arange(300).reshape(3, 100)
    values = np.array([function(y[test], score[test], **options) for test in tests])
    shown = display.from_cv_results(folds(model, *tests), X, y, **given, confidence_level=0.9)
    assert shown.value == pytest.approx(values)
    low, high = shown.bands[0].interval
    assert low <= values.mean() <= high
    value = f"{values.mean():.{places}f} +/- {values.std():.{places}f}"
    entry = f"{label} = {value}, 90% {low:.{places}f} to {high:.{places}f}"
    assert legend(shown.ax_)[0] == entry
    groups, known = np.arange(300) % 5, {"random_state": 0, "confidence_level": 0.9}
    found = confidence_interval(y, score, groups=groups, **given, **known)
    shown = display.from_predictions(y, score, groups=groups, **given, confidence_level=0.9)
    assert legend(shown.ax_)[0] == f"0: {shown.value[0]:.{places}f}"
    mean = label.replace("AP", "MAP") if "AP" in label else f"Mean {label[0].lower()}{label[1:]}"
    mean = mean.replace("eF", "EF").replace("r@", "R@").replace("p@", "P@")
    ends = f"{found.low:.{places}f} to {found.high:.{places}f}"
    entry = f"{mean} = {found.value:.{places}f}, 90% {ends} (5 groups)"
    assert entry in legend(shown.ax_)
    assert shown.value == pytest.approx(
        [function(y[groups == each], score[groups == each], **options) for each in range(5)]
    )


def test_an_interval_of_enrichment_factors_over_folds_is_one_of_fractions(data, bayes):
    """An enrichment factor is a fraction of its maximum, which is 10 for the top 10%."""
    (X, y), (model, score), tests = data, bayes, np.arange(300).reshape(3, 100)
    shown = HitCurveDisplay.from_cv_results(
        folds(model, *tests), X, y, metric="EF@10%", confidence_level=0.9
    )
    values = [ap.enrichment_factor_score(y[test], score[test], k=0.1) for test in tests]
    band = make_unit_band("", np.array(values) / 10, np.ones(1), np.ones((3, 1)), 0.9)
    assert shown.bands[0].interval == pytest.approx(10 * np.array(band.interval))
    assert shown.bands[0].interval[1] > 1


# --- hit curves: bands, logarithmic axes, words and limits --------------------------------------


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", ["plain", "weighted", "missed"])
@each_fraction
def test_band_of_a_hit_curve_lies_around_it(fraction_of, kind):
    y, score = noisy()
    weight = np.random.default_rng(1).integers(1, 3, y.size)
    given = {"weighted": {"sample_weight": weight}, "missed": {"n_positives": 2 * y.sum()}}
    given = given.get(kind, {}) | {"confidence_level": 0.95, "fraction_of": fraction_of}
    display = hits(y, score, **given)
    band = band_of(display, fraction_of)
    curve = height(display.line_, band.x)
    assert np.all((band.low <= curve + 1e-12) & (curve <= band.high + 1e-12))
    assert np.all(np.diff([band.low, band.high]) >= 0)
    corners = {tuple(corner) for corner in display.band_.get_paths()[0].vertices}
    assert {*zip(band.x, band.high, strict=True)} <= corners
    if fraction_of == "positives" and kind == "missed":
        assert 0.3 < band.low[-1] < 0.5 < band.high[-1] < 0.7
    elif fraction_of == "positives":
        assert band.low[-1] == band.high[-1] == 1
    elif kind != "missed":  # no more hits than samples detected
        assert np.all(band.high <= band.x)


def test_band_of_a_hit_curve_ends_at_the_fraction_of_positives():
    """Even if the ranking is perfect: 300 samples with 36 positives tell no more about it."""
    display = hits(np.arange(300) < 36, -np.arange(300), confidence_level=0.95)
    band = band_of(display, "samples")
    expected = stats.binom(300, 0.12).ppf([0.025, 0.975]) / 300
    assert [band.low[-1], band.high[-1]] == pytest.approx(expected, abs=2 / 300)
    assert np.all(np.diff(band.low) >= 0)


@pytest.mark.slow
def test_band_of_a_hit_curve_contains_the_truth():
    """Both classes are normally distributed in the population, so its curve is known."""
    prevalence, shift, level, outside = 0.1, 1.5, 0.9, []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.random(300) < prevalence
        score = rng.normal(size=y.size) + shift * y
        display = hits(y, score, confidence_level=level, ax=new_axes())
        cut = np.linspace(-4, 6, 2001)
        recall = stats.norm.sf(cut - shift)
        detected = prevalence * recall + (1 - prevalence) * stats.norm.sf(cut)
        for fraction_of, whole in (("positives", 1), ("samples", prevalence)):
            band = band_of(display, fraction_of)
            truth = whole * np.interp(band.x, detected[::-1], recall[::-1])
            some = np.isin(np.round(band.x, 9), [0.02, 0.1, 0.3, 0.6])
            outside += ((truth < band.low) | (band.high < truth))[some].tolist()
    assert len(outside) == 40 * 2 * 4
    assert np.mean(outside) < 1 - level + 0.04


@pytest.mark.parametrize(
    ("weight", "trials"),
    [(None, 4), (np.full(100, 0.5), 4), (np.repeat([1.0, 3.0], 50), 3)],
    ids=["unweighted", "equal weights", "unequal weights"],
)
def test_first_hits_say_little_of_a_hit_curve(weight, trials):
    """The first samples are hits in every resample, but not with certainty.

    With unequal weights, the top 4% are eight hits, but only 80 samples of equal weight would be
    as informative.
    """
    display = hits(*PERFECT, sample_weight=weight, confidence_level=0.95)
    assert display.curves[0].n_samples == len(PERFECT[0])
    of_samples = band_of(display, "samples")
    fourth = np.searchsorted(of_samples.x, 0.04 - 1e-12)
    assert of_samples.low[fourth] == pytest.approx(0.04 * 0.025 ** (1 / trials))
    if trials == 4:
        assert band_of(display, "positives").low[fourth] <= 0.4 * 0.025 ** (1 / 4) + 1e-12


TIED = np.array([1, 0, 1, 0, 0, 1] + [0] * 94), np.array([3] * 10 + [2] * 40 + [1] * 50)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("yscale", ["linear", "log"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_tied_samples_bend_on_a_logarithmic_axis_as_they_should(yscale, when, ax):
    """The first ten of 100 samples are tied, so 1% of the samples finds a tenth of their hits."""
    if when == "before":
        ax.set(xscale="log", yscale=yscale)
    display = hits(*TIED, fraction_of="positives", ax=ax)
    ax.set(xscale="log", yscale=yscale)
    FigureCanvasAgg(ax.figure).draw()
    assert ax.get_xlim()[0] <= 0.01  # the first sample, not the first tie
    assert drawn(display.line_) == near([(0, 0), (0.1, 1), (0.5, 1), (1, 1)])
    lines = display.line_, display.chance_level_, display.perfect_
    for line, slope in zip(lines, (10, 1, 100 / 3), strict=True):
        for share in (0.01, 0.02, 0.05):
            x, y = ax.transData.transform((share, min(slope * share, 1)))
            assert np.interp(x, *shown_path(line).T) == pytest.approx(y, abs=0.7)
    steps = hits(*TIED, curve_kwargs={"drawstyle": "steps-post"}, ax=ax).line_
    assert np.unique(shown_path(steps)[:, 1]).size == 2


# --- several models in the same axes ------------------------------------------------------------


def test_areas_that_somebody_asked_for_stay(ax):
    styles = [{"alpha": 0.1}, None, {"hatch": "/"}]
    shown = [areas(*RANKING, fill_kwargs=style, ax=ax) for style in styles]
    assert [display.fill_.get_visible() for display in shown] == [True, False, True]


@each_draw
def test_many_points_of_several_models_are_not_drawn(draw, ax):
    y, score = np.arange(100) % 2, np.arange(100)
    first = draw(y, score, ax=ax)
    assert first.points_.get_visible()
    asked = draw(y, score, points_kwargs={"markersize": 2}, ax=ax)
    asked.points_.set_visible(True)
    last = draw(y, score, ax=ax)
    assert [each.points_.get_visible() for each in (first, asked, last)] == [False, True, False]


@pytest.mark.sweep(3)
@each_display
@pytest.mark.parametrize("method", CONSTRUCTORS)
def test_each_constructor_draws_several_models(display, method, data, bayes, ax):
    draw, (X, y), svm = partial(getattr(display, method), confidence_level=0.9), data, LinearSVC()
    models = {"bayes": bayes[0], "svm": svm.fit(X, y)}
    if method == "from_cv_results":
        models = {name: cross_validated(model, *data, cv=3) for name, model in models.items()}
    if method == "from_predictions":
        models = {"bayes": bayes[1], "svm": svm.decision_function(X)}
        draw, data = partial(draw, y), ()
    both = draw(models, *data, ax=ax)
    each = [draw(model, *data, name=name) for name, model in models.items()]
    assert both.value == [value for one in each for value in np.atleast_1d(one.value)]
    assert legend(ax)[:2] == [legend(one.ax_)[0] for one in each]
    assert {line.get_linestyle() for line in both.line_} == {"-"}
    colors = [to_rgb(line.get_color()) for line in both.mean_ or both.line_]
    assert [to_rgb(band.get_facecolor()[0][:3]) for band in both.band_] == colors
    assert {to_rgb(line.get_color()) for line in both.line_} == {*colors}
    assert len({*colors}) == 2
    if display is AveragePrecisionDisplay:
        assert not any(fill.get_visible() for fill in both.fill_)


# --- groups -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "label", "options"),
    [
        ("step", "MAP", {}),
        ("envelope", "Envelope MAP, weighted", {"sample_weight": np.arange(1, 201)}),
        ("11-point", "Mean 11-point", {"n_positives": {f"class {i}": 60 for i in range(5)}}),
        ("AP@7", "MAP@7", {}),
    ],
)
def test_each_group_has_a_curve_with_its_value(metric, label, options, ax):
    """And class 4 too, of which nothing was found."""
    y, score, groups = detections()
    given = {"groups": groups, **options}
    display = areas(y, score, metric=metric, ax=ax, **given)
    expected = ap.metric(metric).by_name(y, score, **given)
    assert {curve.group: curve.value for curve in display.curves} == expected
    assert display.value == [*expected.values()]
    found = [enclosed(fill) for fill in display.fill_]
    assert found == pytest.approx(display.value, rel=0, abs=1e-9)
    assert not any(fill.get_visible() for fill in display.fill_)
    mean = np.mean(display.value)
    entries = [f"{name}: {value:.3f}" for name, value in expected.items()]
    assert legend(ax) == [*entries, f"{label} = {mean:.3f} ({len(entries)} groups)"]
    assert display.mean_.get_ydata().mean() == pytest.approx(mean, abs=0.01)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("figure", "axes", "text", "expected"),
    [
        ("white", "white", "black", 0),
        ("white", "black", "black", 1),
        ("black", "none", "black", 1),
        ("white", (0, 0, 0, 0.2), "black", 0),
        ("none", "none", "black", 0),
        ("none", "none", "white", 1),  # as set on a dark page
    ],
)
def test_references_are_black_or_white_by_what_is_behind_them(figure, axes, text, expected):
    with plt.rc_context({"text.color": text}):
        ax = Figure(facecolor=figure).subfigures().subplots()
        ax.set_facecolor(axes)
        display = hits(*RANKING, ax=ax)
    for line in (display.perfect_, display.chance_level_):
        assert to_rgb(line.get_color()) == pytest.approx([expected] * 3, abs=1e-3)


@each_draw
@pytest.mark.parametrize("kind", ["multiclass", "multilabel-indicator"])
def test_refusal_of_several_classes_says_how_to_draw_them_all(kind, draw):
    rng = np.random.default_rng(0)
    classes, y_score = np.array(["x", "y", "z"]), rng.random((60, 3))
    y_true = (
        classes[rng.integers(3, size=60)] if kind == "multiclass" else rng.random((60, 3)) < 0.4
    )
    with pytest.raises(ValueError, match=r"one class at a time.*one curve per class") as caught:
        draw(y_true, y_score)
    call = "from_predictions(" + str(caught.value).split("from_predictions(")[-1].rstrip(".")
    known = {"np": np, "y_true": y_true, "y_score": y_score, "classes": classes}
    shown = eval(call, known | {"from_predictions": draw})
    options = {"classes": classes} if kind == "multiclass" else {}
    expected = ap.average_precision_score(y_true, y_score, average=None, **options)
    np.testing.assert_allclose(shown.value, expected, rtol=1e-12)


@each_draw
@pytest.mark.parametrize(("n_groups", "is_gray"), [(10, False), (11, True)])
def test_more_than_10_groups_are_thin_gray_lines_with_one_entry(draw, n_groups, is_gray, ax):
    y, groups = np.tile([1, 0, 1], n_groups), np.repeat(np.arange(n_groups), 3)
    table = pd.DataFrame({"label": y, "score": np.arange(y.size), "class": groups})
    shown = draw("label", "score", groups="class", data=table, name="A", ax=ax)
    assert {line.get_color() == "0.7" for line in shown.line_} == {is_gray}
    entry = f"MAP = 0.833, {n_groups} groups (class))"
    assert [text.endswith(entry) for text in legend(ax)].index(True) == (0 if is_gray else 10)
    assert shown.mean_.get_linewidth() > 2 * shown.line_[0].get_linewidth() or not is_gray


@each_draw
@pytest.mark.parametrize("groups", [None, ["_a", "_a", "b", "b"]])
def test_names_that_begin_with_an_underscore_have_legend_entries(draw, groups, ax):
    options = {"groups": groups, "name": "_x", "confidence_level": 0.9}
    draw([1, 0, 1, 0], [4, 3, 2, 1], ax=ax, **options)
    assert any(text.startswith(" _x (") for text in legend(ax))
    assert groups is None or legend(ax)[0] == " _a: 1.000"


@each_fraction
def test_each_group_has_a_hit_curve_and_an_entry(fraction_of, ax):
    """Half of the rows of b are enough for its only positive, and all rows of a for its second."""
    options = {"groups": [*"abba"], "fraction_of": fraction_of, "name": "A"}
    display = hits([1, 1, 0, 1], [4, 3, 2, 1], **options, ax=ax)
    end = 1 if fraction_of == "positives" else 1 / 2
    assert display.value == [1, 1]
    assert legend(ax)[:3] == ["a: 1.000", "b: 1.000", "A (MAP = 1.000, 2 groups)"]
    for ends, line, points in zip(
        [(1 / 2, 1), (end, end)], display.line_, display.points_, strict=True
    ):
        assert drawn(line) == drawn(points) == near([(0, 0), (0.5, ends[0]), (1, ends[1])])
        assert not points.get_visible()
    assert height(display.mean_, [0.5, 1]) == pytest.approx([(0.5 + end) / 2, (1 + end) / 2])
    assert len({to_hex(line.get_color()) for line in display.line_}) == 2
    assert display.band_ is None
    assert display.marks_ == []


@pytest.mark.parametrize("grouped", [False, True])
def test_a_lift_curve_shows_enrichment_factors(grouped):
    """Also between points, where tied samples count in proportion, and before the first."""
    y, score = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 0] * 2), np.repeat([5, 4, 4, 3, 2], 4)
    groups = np.arange(20) % 2 if grouped else None
    display = hits(y, score, groups=groups, fraction_of="lift", confidence_level=0.95)
    line = display.mean_ if grouped else display.line_
    for share in (0.2, 0.3, 0.4, 0.5, 0.6, 0.9, 1.0):
        factor = ap.enrichment_factor_score(y, score, k=share, groups=groups)
        assert height(line, [share]) == pytest.approx([factor])
    top = ap.enrichment_factor_score(y, score, k=0.2, groups=groups)
    assert height(line, [0.001, 0.1]) == pytest.approx([top, top])
    assert (display.ax_.get_ylabel(), display.line_ is None) == ("Lift", False)
    recall, band = band_of(display, "positives"), band_of(display, "lift")
    assert band.low * band.x == pytest.approx(recall.low)
    assert band.high * band.x == pytest.approx(recall.high)
    if not grouped:
        detected, lift, _ = ap.hit_curve(y, score, fraction_of="lift")
        assert lift[0] == lift[1]
        assert lift[1:] * detected[1:] == pytest.approx(ap.hit_curve(y, score)[1][1:])
        assert height(display.chance_level_, [0.01, 0.5, 1]) == pytest.approx([1, 1, 1])
        assert height(display.perfect_, [0.01, 0.4, 0.8, 1]) == pytest.approx([2.5, 2.5, 1.25, 1])


@pytest.mark.parametrize("n_samples", [10, 2_000, 5_000])
@pytest.mark.parametrize("n_tied", [1, 5])
def test_lift_is_drawn_from_the_first_sample_on(n_samples, n_tied):
    """On a logarithmic axis as well, also if it is tied with others."""
    y = np.arange(n_samples) % 7 == 3
    tied = -(np.arange(n_samples) // n_tied)
    display = hits(y, tied, fraction_of="lift", plot_chance_level=True)
    for line in (display.line_, display.chance_level_, display.perfect_):
        shares = np.asarray(line.get_xdata())
        assert shares[shares > 0].min() == pytest.approx(min(1 / n_samples, 0.001))


@each_fraction
@pytest.mark.parametrize("same", [False, True])
def test_reference_lines_are_drawn_if_all_groups_share_them(fraction_of, same):
    # One positive of three, and two of six, or one of six.
    y = [1, 0, 0, 0, 1, 0, int(same), 0, 0]
    display = hits(y, np.arange(9), groups=[*"aaabbbbbb"], fraction_of=fraction_of)
    end = 1 if fraction_of == "positives" else 1 / 3
    shares = np.linspace(0, 1, 13)
    assert (display.perfect_ is not None) == same
    assert (display.chance_level_ is not None) == (same or fraction_of == "positives")
    if display.perfect_:
        best = np.minimum(3 * shares, 1) * end
        assert height(display.perfect_, shares) == pytest.approx(best)
    if display.chance_level_:
        assert height(display.chance_level_, shares) == pytest.approx(end * shares)


@each_draw
def test_undefined_groups_are_left_out_of_the_mean(draw, ax):
    """The value of a is 0.5, and that of b is 0/0."""
    given = [0, 1, 0, 0], [4, 3, 2, 1]
    shown = draw(*given, groups=[*"aabb"], zero_division=np.nan, ax=ax)
    assert shown.value == pytest.approx([0.5, np.nan], nan_ok=True)
    assert legend(ax)[:2] == ["a: 0.500", "b: nan"]
    assert any(text.endswith("MAP = 0.500 (1 group)") for text in legend(ax))
    assert height(shown.mean_, 0.9) == pytest.approx(height(shown.line_[0], 0.9))
    assert shown.line_[1].get_xdata().size == 0
    shown.figure_.draw_without_rendering()
    whole = draw(*given, groups=[*"aabb"], zero_division=1.0, ax=ax)
    assert whole.value == [0.5, 1.0]
    assert height(whole.mean_, 0.9) == pytest.approx((height(shown.line_[0], 0.9) + 1) / 2)
    assert any(text.endswith("MAP = 0.750 (2 groups)") for text in legend(ax))
    options = {"groups": [1, 2], "zero_division": np.nan}
    none = draw([0, 0], [2, 1], **options)
    assert none.mean_ is None
    none.figure_.draw_without_rendering()


def test_a_group_without_positives_has_no_line_at_levels(ax):
    given = [0, 0, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    with pytest.warns(UndefinedMetricWarning):
        areas(*given, groups=[*"aaabbb"], metric=["AP", "11-point"], ax=ax)
    assert legend(ax) == ["MAP = 0.417 (2 groups)", "Mean 11-point = 0.424 (2 groups)"]


@each_draw
def test_several_models_have_only_the_means_of_their_groups(draw, ax):
    y, score, groups = detections()
    models = {"a": score, "b": -score}
    options = {"groups": groups, "confidence_level": 0.9}
    alone = [draw(y, scores, **options, name=name) for name, scores in models.items()]
    both = draw(y, models, **options, ax=ax)
    for mean, band, line, each in zip(both.mean_, both.band_, both.line_[::4], alone, strict=True):
        np.testing.assert_array_equal(mean.get_xydata(), each.mean_.get_xydata())
        assert mean.get_label() == each.mean_.get_label()
        assert mean.get_color() == line.get_color() == to_hex(band.get_facecolor()[0])
        assert mean.get_visible()
        (low, high), x = (each.bands[-1].low, each.bands[-1].high), each.bands[-1].x
        assert np.mean((low <= height(mean, x)) & (height(mean, x) <= high)) > 0.95
    assert [line.get_visible() for line in both.line_ + both.points_] == [False] * 16
    assert both.value == alone[0].value + alone[1].value
    assert len({line.get_color() for line in both.line_}) == 2
    only = areas(y, score, groups=y * 0, metric=["step", "linear"])
    assert not any(each.get_visible() for each in [*only.line_, *only.points_, *only.fill_])


@pytest.mark.parametrize(("metric", "given"), [
    ("AP@300", {}), ("VOC07", {"sample_weight": np.full(2000, 0.1)})
])  # fmt: skip
def test_a_picture_has_the_value_of_the_metric_to_the_last_bit(metric, given):
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.2
    score = rng.random(2000) + 0.3 * y
    display = AveragePrecisionDisplay.from_predictions(y, score, metric=metric, **given)
    assert display.value == ap.metric(metric)(y, score, **given)


@pytest.mark.sweep(2)
@each_draw
def test_clusters_are_drawn_together_in_a_band(draw):
    """Each sample occurs four times, so that the clusters have the information of the samples."""
    y, score = noisy()
    table = pd.DataFrame({"label": y, "score": score, "patient": np.arange(y.size)})
    four, clusters = pd.concat([table] * 4), {"clusters": "patient"}
    given = "label", "score"
    band = partial(draw, *given, confidence_level=0.9)
    alone, together, apart = band(data=table), band(data=four, **clusters), band(data=four)
    expected = confidence_interval(*given, data=four, **clusters, confidence_level=0.9)
    assert together.bands[0].interval == pytest.approx((expected.low, expected.high))
    reach = [
        np.interp([0.1, 0.3, 0.5], (band_ := each.bands[-1]).x, band_.high - band_.low)
        for each in (alone, together, apart)
    ]
    assert reach[1] == pytest.approx(reach[0], rel=0.1)
    assert np.all(reach[2] < 0.7 * reach[0])


# --- missed positives and grades ----------------------------------------------------------------


def test_hit_curve_of_missed_positives_agrees_with_the_enrichment_factor(ax):
    y, score = [1, 0, 1, 0, 0, 0, 0, 0, 0, 0], range(10, 0, -1)
    display = hits(y, score, n_positives=4)
    assert height(display.line_, [0.1, 0.5, 1]) == pytest.approx([0.25, 0.5, 0.5])
    factor = ap.enrichment_factor_score(y, score, k=0.1, n_positives=4)
    assert factor == pytest.approx(height(display.line_, 0.1) / 0.1)
    assert height(display.perfect_, [0.2, 1]) == pytest.approx([0.5, 0.5])
    assert height(display.chance_level_, 1) == pytest.approx(0.5)
    assert display.value == ap.average_precision_score(y, score, n_positives=4)
    point = ap.operating_point(y, score, k=2, n_positives=4)
    marked = display.plot(ax, operating_points=point)
    assert marked.marks_[0].get_data() == ([0.2], [pytest.approx(0.25)])
    for missed in ({"n_positives": 5}, {"groups": [*"ab"] * 10, "n_positives": {"a": 2, "b": 3}}):
        none = hits([0] * 20, range(20), confidence_level=0.9, **missed)
        assert np.all(band_of(none, "positives").low == 0)
        assert np.all(np.isfinite(band_of(none, "positives").high))


def test_hit_curves_of_groups_take_their_missed_positives():
    exist = {"a": 1, "b": 4, "c": 1}
    display = hits([1, 0, 1, 0], [4, 3, 2, 1], groups=[*"aabb"], n_positives=exist)
    assert [line.get_ydata()[-1] for line in display.line_] == [1, 0.25, 0]
    assert height(display.mean_, 1) == pytest.approx(1.25 / 3)


@each_draw
def test_missed_positives_belong_to_their_clusters_in_a_band(draw):
    """Each of three clusters missed one positive."""
    y, score, image = [1, 0, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1], [*"aabbcc"]
    given = {"clusters": image, "n_positives": {"a": 2, "b": 3, "c": 2}, "confidence_level": 0.9}
    expected = confidence_interval(y, score, **given)
    assert draw(y, score, **given).bands[0].interval == (expected.low, expected.high)


@each_display
def test_folds_have_missed_positives(display, data, bayes):
    (X, y), (model, score) = data, bayes
    groups = np.arange(y.size) // 50
    tests = np.arange(100), np.arange(100, 300)
    draw = partial(display.from_cv_results, folds(model, *tests), X, y)
    expected = [
        ap.average_precision_score(y[test], score[test], n_positives=count)
        for test, count in zip(tests, (90, 150), strict=True)
    ]
    assert draw(n_positives=[90, 150]).value == pytest.approx(expected)
    given = {"groups": groups, "n_positives": dict.fromkeys(range(8), 50)}
    expected = ap.average_precision_score(y, score, **given, average=None)
    found = {curve.group: curve.value for curve in draw(**given).curves}
    assert found == pytest.approx(dict(enumerate(expected)))  # two were never retrieved


@each_display
def test_every_parameter_by_row_is_cut_into_folds(display, data, bayes):
    """So folds are drawn as their samples are."""
    (X, y), (model, score) = data, bayes
    rng, tests = np.random.default_rng(0), (np.arange(0, 300, 2), np.arange(1, 300, 2))
    columns = {"sample_weight": rng.random(300) + 0.5, "groups": rng.integers(0, 3, 300)}
    own = {} if display is HitCurveDisplay else {"drop_intermediate": True}
    assert {*signature(display.from_cv_results).parameters} & {*COLUMNS} == columns.keys()
    for name, column in columns.items():
        whole = display.from_cv_results(folds(model, *tests), X, y, **{name: column}, **own)
        apart = [
            display.from_predictions(y[test], score[test], **{name: column[test]}, **own)
            for test in tests
        ]
        values = np.concatenate([np.ravel(each.value) for each in apart])
        lines = [drawn(line) for each in apart for line in np.ravel(each.line_)]
        assert sorted(whole.value) == sorted(values), name
        assert sorted(map(drawn, whole.line_)) == sorted(lines), name


@each_draw
def test_grades_from_one_on_are_positive(draw, ax):
    grades, score = np.array([0, 3, 1, 2, 0, 1]), [6, 5, 4, 3, 2, 1]
    shown = draw(grades, score, min_grade=2, ax=ax)
    assert drawn(shown.line_) == drawn(draw(grades >= 2, score).line_)
    assert ax.get_ylabel().endswith(" (Positive label: 2 or higher)")


@each_display
def test_an_estimator_is_evaluated_by_grades(display, data):
    """One classifier knows grades, and the other whether they are high."""
    X, y = data
    for labels, grades in ((y + 1, y + 1), (y == 1, y + 3)):
        model = GaussianNB().fit(X, labels)
        shown = display.from_estimator(model, X, grades, min_grade=grades.max())
        assert shown.value == ap.average_precision_score(y, model.predict_proba(X)[:, 1])


@each_display
def test_groups_are_ranked_in_each_fold(display, data, ax):
    X, y = data
    groups = np.arange(y.size) % 6
    results = cross_validated(GaussianNB(), X, y, cv=3)
    shown = display.from_cv_results(results, X, y, groups=groups, ax=ax)
    each = []
    for model, test in zip(results["estimator"], results["indices"]["test"], strict=True):
        score = model.predict_proba(X[test])[:, 1]
        each.append(ap.average_precision_score(y[test], score, groups=groups[test], average=None))
    assert shown.value == pytest.approx(np.ravel(np.transpose(each)))
    assert legend(ax)[0] == f"0: {np.mean(each, axis=0)[0]:.3f}"
    assert any(text.endswith(f"MAP = {np.mean(each):.3f} (6 groups)") for text in legend(ax))


def test_a_band_over_folds_is_not_wide_where_all_folds_found_nothing_or_everything():
    """Both found everything in half of the samples, so they didn't find less in more of them."""
    curves = np.array([[0, 0.4, 0.8, 1, 1], [0, 0.5, 0.9, 1, 1]])
    over_folds = partial(make_unit_band, "AP", np.full(2, 0.5), np.arange(1, 6) / 5, curves, 0.8)
    band, plain = over_folds("positives"), over_folds()
    assert [plain.high[0], plain.low[3]] == pytest.approx([1 - 0.1**0.5, 0.1**0.5])
    assert band.low.tolist() == [0, plain.low[1], plain.low[2], plain.low[2], 1]
    assert band.high.tolist() == [plain.high[1], plain.high[1], plain.high[2], 1, 1]


@each_display
def test_folds_are_thin_lines_behind_their_mean(display, data, bayes):
    one = display.from_cv_results(folds(bayes[0], *np.arange(300).reshape(3, 100)), *data)
    x = np.array([0.25, 0.5, 0.75]) + 0.0005
    if display is AveragePrecisionDisplay:
        each = [curve.height(x) for curve in one.curves]
    else:
        each = [height(line, x) for line in one.line_]
    assert height(one.mean_, x) == pytest.approx(np.mean(each, axis=0), abs=0.01)
    assert one.mean_.get_color() == one.line_[0].get_color()
    assert one.mean_.get_linewidth() > 2 * one.line_[0].get_linewidth()


@each_display
def test_undefined_folds_are_left_out_of_the_mean(display, ax):
    X, y = np.arange(40.0).reshape(-1, 1), np.array([0, 1] * 15 + [0] * 10)
    results = cross_validated(GaussianNB(), X, y, cv=KFold(4))
    options = {"zero_division": np.nan, "confidence_level": 0.9}
    values = np.array(display.from_cv_results(results, X, y, **options, ax=ax).value)
    assert np.isnan(values).tolist() == [False, False, False, True]
    assert f"AP = {values[:3].mean():.3f} +/- {values[:3].std():.3f}" in legend(ax)[0]


# --- operating points, and pictures that are stored ---------------------------------------------


@pytest.mark.parametrize("several", [False, True])
def test_operating_points_are_marked_and_named(several, ax):
    y, score = noisy()
    chosen = [ap.operating_point(y, score, k=k) for k in ([10, 50, 270] if several else [30])]
    display = areas(y, score, operating_points=chosen if several else chosen[0], ax=ax)
    for mark, point in zip(display.marks_, chosen, strict=True):
        assert drawn(mark) == near([(point.recall, point.precision)])
        assert mark.get_label() == (
            f"threshold {point.shown}: precision {point.precision:.2f}, recall {point.recall:.2f}"
        )
        assert mark.get_color() == display.line_.get_color()
    assert len({mark.get_marker() for mark in display.marks_}) == len(chosen)
    assert len(legend(ax)) == 1 + len(chosen)
    assert display.plot(new_axes()).marks_ == []


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "given",
    [
        {"sample_weight": np.r_[0.5, np.ones(299)]},
        {"sample_weight": np.where(noisy(n=300)[0], 1, 20)},
        {"n_positives": 400},
        {"sample_weight": np.arange(1, 301), "n_positives": 1e6},
        {"pos_label": 0},
        {},
    ],
    ids=["a light row", "subsampled", "missed", "both", "other class", "same"],
)
@pytest.mark.parametrize("ties", [False, True])
def test_marks_are_on_the_curve_whatever_the_point_was_chosen_with(given, ties):
    """What `check` measures there, also if intermediate points aren't drawn."""
    y, score = noisy(n=300)
    score = score.round(1) if ties else score
    chosen = [ap.operating_point(y, score, k=k) for k in (1, 30, 300)]
    shown = areas(y, score, operating_points=chosen, drop_intermediate=True, **given)
    curve = hits(y, score, operating_points=chosen, fraction_of="samples", **given)
    lift = hits(y, score, operating_points=chosen, fraction_of="lift", **given)
    marks = zip(chosen, shown.marks_, curve.marks_, lift.marks_, strict=True)
    for point, mark, hit, gain in marks:
        found = point.check(y, score, **given)
        precision, recall, share = (
            each.value for each in (found.precision, found.recall, found.flagged_share)
        )
        assert drawn(mark) == near([(recall, precision)])
        said = re.findall(r"(?:precision|recall) ([\d.]+)", mark.get_label())
        assert [*map(float, said)] == pytest.approx([precision, recall], abs=0.005001)
        assert drawn(hit) == near([(share, precision * share)])
        assert drawn(gain) == near([(share, recall / share)])
        (place,) = drawn(hit)
        assert height(curve.line_, place[0]) == pytest.approx(place[1], abs=1e-12)
        assert ("on these samples" in mark.get_label()) == bool(given)


def test_a_threshold_above_all_scores_flags_nothing():
    point = ap.operating_point([1, 0], [9, 8], k=1)
    shown = hits([1, 0], [2, 1], operating_points=point)
    assert drawn(shown.marks_[0]) == [(0, 0)]
    assert shown.marks_[0].get_label() == "threshold 9 on these samples: nothing is flagged"
    (mark,) = areas([1, 0], [2, 1], operating_points=point).marks_
    assert mark.get_label() == "threshold 9 on these samples: nothing is flagged"


def test_points_with_names_are_called_by_them():
    y, score = noisy()
    chosen = {"recall": ap.operating_point(y, score, min_recall=0.8), "": None}
    chosen[""] = ap.operating_point(y, score, threshold=9.0)
    for draw in (areas, hits):
        display = draw(y, score, operating_points=chosen)
        first, second = (mark.get_label() for mark in display.marks_)
        assert first.startswith(f"recall, threshold {chosen['recall'].threshold:.3g}: precision 0.")
        assert second == "threshold 9.0: nothing is flagged"


def test_each_model_has_its_own_mark(ax):
    """Whatever their order is, and also if one of them has none."""
    y, score = noisy()
    models = {"good": score, "bad": score[::-1]}
    points = ap.operating_point(y, models, k=30)
    for draw in (areas, hits):
        display = draw(y, models, operating_points=points, ax=new_axes())
        lines = dict(zip(models, display.line_, strict=True))
        for (model, point), mark in zip(points.items(), display.marks_, strict=True):
            assert mark.get_label().startswith(f"{model}, threshold {point.shown}: precision ")
            assert mark.get_color() == lines[model].get_color()
            ((x, y_place),) = drawn(mark)
            assert y_place == pytest.approx(point.precision if draw is areas else point.recall)
            assert x == pytest.approx(point.recall if draw is areas else point.flagged_share)
        (mark,) = draw(y, models, operating_points={"bad": points["bad"]}).marks_
        assert mark.get_label().startswith("bad, ")
        alone = draw(y, score, operating_points=ap.operating_point(y, {"good": score}, k=30))
        assert len(alone.marks_) == 1
        assert draw(y, models, operating_points={}).marks_ == []


def test_integers_beyond_floats_are_marked_exactly():
    """As floats, both scores would be the same."""
    score = [2**53 + 1, 2**53]
    point = ap.operating_point([1, 0], score, k=1)
    assert drawn(areas([1, 0], score, operating_points=point).marks_[0]) == [(1, 1)]


@pytest.mark.sweep(2)
@each_draw
def test_displays_and_their_figures_can_be_pickled(draw, ax):
    shown = draw(*noisy(), confidence_level=0.9, ax=ax)
    again = pickle.loads(pickle.dumps(shown))
    assert drawn(again.line_) == drawn(shown.line_)
    np.testing.assert_array_equal(pixels(again.figure_), pixels(shown.figure_))
    assert legend(again.plot(new_axes()).ax_)[0] == shown.line_.get_label()


@pytest.mark.parametrize("option", [{"k": 4}, {"denominator": "k"}, {"k_counts": "samples"}])
@each_display
def test_options_of_the_metric_are_refused(display, option):
    words = r"It is an option of the metric: pass (metric='AP@10'), .* (metric=sklearn_ap\..*\))\.$"
    makers = (display.from_predictions, display.from_estimator, display.from_cv_results)
    for make in makers:
        with pytest.raises(TypeError, match=words) as refused:
            make([1, 0, 1], [3, 2, 1], [0.5] * 3, **option)
    for advised in re.search(words, str(refused.value)).groups():
        call = f"display.from_predictions([1, 0, 1], [3, 2, 1], {advised})"
        drawn = eval(call, {"display": display, "sklearn_ap": ap})
        assert drawn.value == pytest.approx(5 / 6)


@pytest.mark.parametrize("display", [ap.AveragePrecisionDisplay, ap.HitCurveDisplay])
def test_marks_of_the_user_stand_at_all_points(display):
    """They would be missing where many points have the same place in a thinned line."""
    rng = np.random.default_rng(0)
    y, scores = np.arange(20_001) % 2, rng.random(20_001)
    thin = display.from_predictions(y, scores).line_
    marked = display.from_predictions(y, scores, curve_kwargs={"marker": "o"}).line_
    assert len(thin.get_xdata()) < 20_001 <= len(marked.get_xdata())
