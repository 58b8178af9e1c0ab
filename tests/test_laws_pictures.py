"""Laws over everything that draws: names are shown as they are, and errors leave no figure open."""

import re
import sys
from functools import partial
from importlib import import_module
from inspect import getmembers, isclass, isfunction, ismethod, signature
from itertools import product
from pkgutil import iter_modules
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

import sklearn_ap as ap
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay
from sklearn_ap.core import keys

from .axes import options_of_plot

NAME = r"_cost ($) of $A_1 \frac$, $\$1"  # which Matplotlib would take for math, and for wrong math
ROWS = 63  # so that folds have the same number of positives
RNG = np.random.default_rng(0)
Y = np.arange(ROWS) % 3 == 0
S = Y + RNG.normal(size=ROWS)
X = S[:, np.newaxis]
TWO = {NAME: S, "other": X[:, 0] + RNG.normal(size=ROWS)}
GROUPS = np.where(np.arange(ROWS) % 2, NAME, "other")
UNITS = np.arange(ROWS) // 7
TABLE = pd.DataFrame({"y": Y, "s": S, NAME: np.arange(ROWS) % 4 + 1.0})
LABELS = np.where(Y, NAME, "other")
MODEL = GaussianNB().fit(X, Y)
CV = cross_validate(MODEL, X, Y, return_estimator=True, return_indices=True, cv=3)
METRIC = ap.metric(lambda y, s: float(y[np.argmax(s)]), name=NAME, limits=(0, 1))
POINT = ap.operating_point(Y, S, min_recall=0.8)
DAYS = np.datetime64("2026-01-01") + np.arange(ROWS) // 21

# Everything that draws, in which NAME is of a model, a group, a class, a metric, a column, ...
PICTURES = {}
for _display in (AveragePrecisionDisplay, HitCurveDisplay):
    _draw, _name = _display.from_predictions, _display.__name__
    PICTURES[f"{_name}.from_predictions"] = {
        "model": partial(_draw, Y, TWO),
        "name": partial(_draw, Y, S, name=NAME),
        "group": partial(_draw, Y, S, groups=GROUPS, name="one"),
        "column of groups": partial(_draw, "y", "s", groups=NAME, data=TABLE),
        "weights": partial(_draw, "y", "s", sample_weight=NAME, data=TABLE),
        "label": partial(_draw, LABELS, S, pos_label=NAME),
        "point": partial(_draw, Y, S, operating_points={NAME: POINT}),
        "points": partial(_draw, Y, TWO, operating_points=dict.fromkeys(TWO, POINT)),
        "plain": partial(_draw, Y, S),
    }
    PICTURES[f"{_name}.from_estimator"] = {
        "model": partial(_display.from_estimator, {NAME: MODEL}, X, Y),
        "name": partial(_display.from_estimator, MODEL, X, Y, name=NAME),
    }
    PICTURES[f"{_name}.from_cv_results"] = {
        "model": partial(_display.from_cv_results, {NAME: CV}, X, Y),
        "name": partial(_display.from_cv_results, CV, X, Y, name=NAME),
        "group": partial(_display.from_cv_results, CV, X, Y, groups=GROUPS),
    }
    PICTURES[f"{_name}.plot"] = {
        "name": partial(_draw(Y, S, ax=Figure().subplots()).plot, name=NAME)
    }
PICTURES["Report.plot"] = {
    "model": ap.report(Y, TWO).plot,
    "segment": ap.report(Y, S, by=GROUPS).plot,
    "metric": ap.report(Y, TWO, metrics=[METRIC], groups=UNITS, random_state=0).plot,
    "time": ap.report(Y, TWO, by=DAYS).plot,
}
_NAMED = ap.compare(Y, TWO, baseline="other")
FOLDS = {NAME: [0.1, 0.3, 0.2], "other": [0.2, 0.5, 0.1]}
SCORES = {f"split{fold}_test_{NAME}": scores for fold, scores in enumerate([(0.1, 0.2)] * 3)}
SEARCH = SimpleNamespace(cv_results_={"params": [{NAME: 1}, {NAME: 2}], **SCORES}, cv=3)
PICTURES["Comparison.plot"] = {"model": _NAMED.pair.plot}
PICTURES["Comparisons.plot"] = {
    "model": ap.compare(Y, TWO).plot,
    "baseline": _NAMED.plot,
    "folds": ap.compare_folds(FOLDS, n_train=2, n_test=1).plot,
}
PICTURES["SearchComparison.plot"] = {"param": ap.compare_folds(SEARCH).plot}
ONE = {name: cases.get("plain") or next(iter(cases.values())) for name, cases in PICTURES.items()}
EACH = [
    pytest.param(draw, what, id=f"{function}, {what}")
    for function, cases in PICTURES.items()
    for what, draw in cases.items()
]


def test_everything_that_draws_is_tested():
    names = {each.name for each in iter_modules(ap.__path__)} - {"__main__", "spark", "_on_spark"}
    modules = [import_module(f"sklearn_ap.{name}") for name in names]
    kinds = {kind for module in modules for _, kind in getmembers(module, isclass)}
    found = {
        f"{kind.__name__}.{name}"
        for kind in kinds
        if kind.__module__.startswith("sklearn_ap.")
        for name, method in [*getmembers(kind, isfunction), *getmembers(kind, ismethod)]
        if not name.startswith("_") and {"ax", "plot_options"} & {*signature(method).parameters}
    }
    assert found == PICTURES.keys()


@pytest.fixture
def shown(monkeypatch):
    """What is drawn as text, line by line, and whether it is math."""
    found, draw_text = [], RendererAgg.draw_text

    def recorded(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        found.append((s, ismath))
        draw_text(self, gc, x, y, s, prop, angle, ismath, mtext)

    monkeypatch.setattr(RendererAgg, "draw_text", recorded)
    return found


def drawn(figure, shown):
    """Draw a figure, and return its text without spaces."""
    figure.set_layout_engine("none")  # which would draw several times
    shown.clear()
    FigureCanvasAgg(figure).draw()
    return "".join("".join(line for line, _ in shown).split())


@pytest.mark.sweep(20)
@pytest.mark.parametrize(("draw", "what"), EACH)
def test_names_are_shown_as_they_are(draw, what, shown):
    text = drawn(draw().figure_, shown)
    assert not any(is_math for _, is_math in shown)
    assert ("".join(NAME.split()) in text) == (what != "plain")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Matplotlib 3.9 with today's pyparsing
def test_words_of_the_caller_can_be_math(shown):
    words = {"curve_kwargs": {"label": "$y$"}}
    figure = HitCurveDisplay.from_predictions(Y, S, **words).figure_
    drawn(figure, shown)
    assert [line for line, is_math in shown if is_math] == ["$y$"]


def options_of(function):
    """Return the names of the options of a method that draws."""
    display = getattr(ap, function.partition(".")[0], None)
    return options_of_plot(display) if display else ["ax"]


WRONG = [
    pytest.param(draw, {name: value, **chance}, id=f"{function} {name}={value}")
    for function, draw in ONE.items()
    for names in [[name for name in options_of(function) if name[-3:] in ("_kw", "rgs")]]
    for chance in [{"plot_chance_level": True} if names else {}]
    for name, value in [
        *product(names, [{"no": 1}, {"color": "none such"}]),
        *([("curve_kwargs", [{}] * 9)] if names else []),
        ("ax", 3),
    ]
]


@pytest.mark.sweep(5)
@pytest.mark.parametrize(("draw", "wrong"), WRONG)
def test_a_wrong_option_leaves_no_figure_open(draw, wrong):
    with pytest.raises((AttributeError, ValueError)):
        draw(**wrong)
    assert plt.get_fignums() == []


@pytest.mark.sweep(5)
@pytest.mark.parametrize("is_given", [False, True])
@pytest.mark.parametrize("draw", ONE.values(), ids=ONE)
def test_an_error_on_the_way_closes_only_new_figures(draw, is_given, monkeypatch):
    def stop(*args, **kwargs):
        open_then.extend(plt.get_fignums())
        raise KeyboardInterrupt

    axes = {"ax": plt.figure().subplots()} if is_given else {}
    before, open_then = plt.get_fignums(), []
    monkeypatch.setattr(Axis, "set_label_text", stop)
    with pytest.raises(KeyboardInterrupt):
        draw(**axes)
    assert len(open_then) == 1
    assert plt.get_fignums() == before


# One sort
EXIST = {NAME: 30, "other": 40, "nowhere": 2}
MASSES = RNG.random(ROWS)
DATA = {
    "plain": {},
    "ties": {"y_score": np.round(S)},
    "float32": {"y_score": S.astype(np.float32)},
    "weights": {"sample_weight": MASSES},
    "whole weights": {"sample_weight": np.arange(ROWS) // 3 % 3},
    "groups": {"groups": GROUPS},
    "weighted groups": {"groups": GROUPS, "sample_weight": MASSES},
    "existing": {"n_positives": 50},
    "existing in groups": {"groups": GROUPS, "n_positives": EXIST, "zero_division": 0.0},
}
DEFINITIONS = {
    "average_precision": {},
    "interpolated_average_precision": {},
    "average_precision_at_k": {"k": 0.2, "k_counts": "weight"},
    "precision_at_k": {"k": 5, "k_counts": "samples"},
    "precision_at_recall": {"min_recall": 0.5},
}


def count_sorts(way):
    """Return how often keys are made to sort a ranking."""
    count = 0

    def note(frame, event, _):
        nonlocal count
        is_sort = event == "call" and frame.f_code in (keys.pack.__code__, keys.rank.__code__)
        count += is_sort and frame.f_back.f_code.co_filename != keys.__file__

    sys.setprofile(note)
    try:
        way()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.sweep(4)
@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay])
def test_values_come_from_the_sorted_samples_of_the_curve(display, data):
    """They are those of the metric, to the last bit."""
    given = {"y_true": Y, "y_score": S} | data
    for definition, options in DEFINITIONS.items():
        average = {"average": None} if "groups" in data else {}
        expected = getattr(ap, f"{definition}_score")(**given, **options, **average)
        drawn = partial(display.from_predictions, **given, ax=Figure().subplots())
        found = drawn(metric=ap.metric(definition, **options)).value
        np.testing.assert_array_equal(found, expected)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_a_model_is_sorted_once(data):
    given = {"y_true": Y, "y_score": S} | data
    metrics = [ap.metric(name, **options) for name, options in DEFINITIONS.items()]
    alone = {name: given[name] for name in given if name != "zero_division"}
    axes = {"ax": Figure().subplots()}
    assert count_sorts(lambda: ap.hit_curve(**alone)) == 1
    assert count_sorts(lambda: ap.operating_point(**alone, min_recall=0.1)) == 1
    assert count_sorts(lambda: HitCurveDisplay.from_predictions(**given, **axes)) == 1
    draw = partial(AveragePrecisionDisplay.from_predictions, **axes, metric=metrics)
    assert count_sorts(lambda: draw(**given)) == 1
    given["y_score"] = {"one": given["y_score"], "two": -S}
    assert count_sorts(lambda: draw(**given)) == 2


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["amount", "in\ntwo", "from right\u202e", "", None, 3])
@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay])
def test_weights_have_one_name(display, name):
    """In the legend and on the axes."""
    weights = pd.Series(MASSES, name=name)
    drawn = display.from_predictions(Y, S, sample_weight=weights, ax=Figure().subplots())
    _, _, called = drawn.curves[0].label.partition("weighted by ")
    assert bool(called) == (isinstance(name, str) and name != "")
    by = "by" if display is AveragePrecisionDisplay else "of the"
    assert f"{by} {called or 'weight'}" in drawn.ax_.get_xlabel()


@pytest.mark.parametrize("metric", ["VOC07", "101-point float"])
def test_equal_weights_leave_the_value_of_a_definition_that_takes_only_counts(metric):
    """0.1 + 0.1 + 0.1 isn't 0.3, so sums of such weights would miss recall levels."""
    rng = np.random.default_rng(0)
    label = rng.random(400) < 0.1
    score, weight = rng.random(400).round(1) + 0.2 * label, np.full(400, 0.1)
    drawn = ap.HitCurveDisplay.from_predictions(label, score, metric=metric, sample_weight=weight)
    assert drawn.curves[0].value == ap.metric(metric)(label, score)


_rng = np.random.default_rng(0)
_THREE = {**TWO, "third": -S}
_CANDIDATES = [{"C": 1}, {"C": 2}, {"C": 3}]
_SPLITS = {f"split{fold}_test_score": _rng.random(3) for fold in range(5)}
_WAYS = {name: _rng.random(5) for name in _THREE}
FAMILIES = {
    "models": ap.compare(Y, _THREE),
    "models alone": ap.compare(Y, _THREE, joint=False),
    "models in a report": ap.report(Y, _THREE),
    "segments": ap.report(Y, TWO, by=GROUPS, baseline="other"),
    "segments alone": ap.report(Y, TWO, by=GROUPS, baseline="other", joint=False),
    "ways to train": ap.compare_folds(_WAYS, n_train=4, n_test=1),
    "candidates": ap.compare_folds(
        SimpleNamespace(cv_results_={"params": _CANDIDATES, **_SPLITS}, cv=5)
    ),
}


@pytest.mark.parametrize("found", FAMILIES.values(), ids=FAMILIES)
def test_a_caption_says_of_intervals_what_text_says_of_intervals_and_p(found):
    """Pictures have no p."""
    sentence = r"Intervals(?: and p)?(?: of segments)? are (?:not )?adjusted[^.]*\."
    (in_text,) = re.findall(sentence, " ".join(str(found).split()))
    caption = found.plot().figure_.get_supxlabel()
    assert re.findall(sentence, " ".join(caption.split())) == [in_text.replace(" and p", "")]
    assert " and p" in in_text
