"""The law that no argument is ignored: each changes the result, or is refused.

Each function that takes a table, and each method of a display, is called with and without each of
its arguments, on rows where the argument matters. Those that compare or describe metrics are tried
with every metric, and displays with some. A new function or metric is covered without a line, and a
new argument needs one in `MATTERS`.
"""

import contextlib
import functools
import inspect
import io

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.model_selection import cross_val_score

import sklearn_ap as ap
from sklearn_ap._show import progress
from sklearn_ap.scorers.metadata_requests import list_requests

from .axes import options_of_plot
from .calls import functions_of_tables, plain
from .registry import GRADED, ONE, RULES, definition_of, has_function, options_of
from .tables import EXIST, ROWS

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("few_random_orders"),
]

JUDGED = {f"q{number}": {0: 40, 1: 20 + number} for number in range(5)}
OF_TOP = {"metric": "average_precision_at_k", "k": 5, "k_counts": "samples"}
POINT = ap.operating_point(ROWS["label"], ROWS["score"], min_recall=0.5)
MODELS = ["score", "other", "third"]
DRAWN = {"method": "bootstrap", "n_resamples": 19, "random_state": 0}
IN_GROUPS = {"groups": "query"}
TEN_EACH = {f"q{number}": 10 for number in range(5)}  # 3 of 10 is below the level as a float

# For each argument, on what else it depends, and a value that matters for these rows.
MATTERS = {
    "average": (IN_GROUPS, "weighted"),
    "pos_label": ({}, 0),
    "sample_weight": ({}, "mass"),
    "zero_division": (IN_GROUPS | {"zero_division": 0.0}, 1.0),  # one group has no positives
    "classes": ({"y_true": "kind", "y_score": MODELS}, ["eel", "dog", "cat"]),
    "n_positives": (IN_GROUPS, EXIST),
    "groups": ({}, "kind"),
    "clusters": ({"confidence_level": 0.6}, "kind"),
    "min_grade": ({"y_true": "grade", "min_grade": 1}, 3),
    "k": (OF_TOP, 2),
    "k_counts": (OF_TOP | {"sample_weight": "mass"}, "weight"),
    "denominator": (OF_TOP | {"denominator": "min"}, "relevant"),
    "ties": ({"k": 5}, "worst"),
    "n_points": ({}, 4),
    "grid": (IN_GROUPS | {"n_points": 11, "n_positives": TEN_EACH}, "float"),
    "min_recall": ({}, 0.7),
    "min_precision": ({}, 0.3),
    "gains": ({"y_true": "grade"}, "exponential"),
    "ignore_ties": ({}, True),
    "metric": ({}, "P@3"),
    "metrics": ({}, ["P@3"]),
    "baseline": ({"y_score": MODELS, "y_score_a": MODELS, "y_score_b": None}, "score"),
    "margin": ({"y_score": ["score", "other"]}, 0.9),
    "by": ({}, "kind"),
    "on": ({}, "id"),  # which is refused, as there are no several tables
    "min_positives": ({"by": "kind"}, 12),
    "joint": ({"by": "kind", "y_score_a": MODELS, "y_score_b": None}, False),
    "confidence_level": ({}, 0.8),
    "method": ({}, "bootstrap"),
    "n_resamples": (DRAWN, 29),
    "random_state": (DRAWN, 1),
    "threshold": ({}, 1.0),
    "fraction_of": ({}, "samples"),
    "drop_intermediate": ({}, True),
    "operating_points": ({}, POINT),
    "name": ({}, "mine"),
    "value": ({}, "0.7"),
    "decimals": ({}, 3),
    "n_thresholds": ({"y_score": "third"}, 7),
    "batch_size": ({}, 3),
    "ids": ({}, "mass"),
    "y_score_b": ({}, "score"),
    "curve_kwargs": ({}, {"color": "red"}),
    "points_kwargs": ({}, {"marker": "x", "visible": True}),
    "fill_kwargs": ({}, {"color": "red", "visible": True}),
    "plot_chance_level": ({"plot_chance_level": False}, True),
    "chance_level_kw": ({"plot_chance_level": True}, {"color": "red"}),
    "verbose": (DRAWN | {"confidence_level": 0.6}, 1),
    "response_method": ({}, "decision_function"),
}
NOT_TRIED = {
    "data": "the rows",
    "options": "of the metric",
    "ax": "where to draw",
}
NOT_TRIED |= {"y_true": "needed", "y_score": "needed", "y_score_a": "needed"}
NOT_TRIED |= {"y": "needed", "X": "needed", "estimator": "needed", "cv_results": "needed"}
NEEDED = {
    "y_true": "label",
    "y_score": "score",
    "y_score_a": "other",
    "y_score_b": "third",
    "value": "0.5",
    "min_recall": 0.3,
    "min_precision": 0.5,
}
AS_DEFINED = "precision at k of a group without positives is 0 by definition"
WITHOUT_EFFECT = {  # at most 15
    ("precision_at_k_score", "zero_division"): AS_DEFINED,
    ("precision-at-k", "zero_division"): AS_DEFINED,
    ("P@3", "zero_division"): AS_DEFINED,
}


def first_gain(y_true, y_score):
    return float(y_true[np.argmax(y_score)]) if y_true.any() else np.nan


SOME_VALUE = ONE | {"min_precision": 0.4, "k": 0.1, "k_counts": "weight"}


def metrics_to_try():
    """One metric of each class, nDCG and a function, by their names."""
    found = {}
    for key, make in RULES.items():
        options = {name: SOME_VALUE[name] for name in options_of(make) if name != "ties"}
        rule = make(**options)
        if has_function(rule):
            definition, options = definition_of(rule)
            options.pop("ties", None)
            found[key] = ap.metric(definition, **options)
    found |= {key: ap.metric(row.metric, **row.options) for key, row in GRADED.items()}
    return found | {"function": ap.metric(first_gain, name="first gain", limits=(0, 9))}


METRICS = metrics_to_try()
FUNCTIONS = {
    name: function for name, function in functions_of_tables() if not name.startswith("inference.")
}
ABOUT_DATA = ("average", "pos_label", "sample_weight", "zero_division", "n_positives", "groups")
ABOUT_DATA += ("clusters", "min_grade")


@pytest.fixture(autouse=True)
def _all_progress(monkeypatch):
    monkeypatch.setattr(progress, "_PAUSE", 0.0)


def parameters_of(function):
    """Return the parameters of a function. A display's constructor passes options on to `plot`."""
    parameters = dict(inspect.signature(function).parameters)
    if parameters.pop("plot_options", None):
        display = function.__qualname__.partition(".")[0]
        parameters |= options_of_plot(getattr(ap, display))
    return parameters


def outcome(function, given):
    """Return what a call returns, without what it's called, or in which words it's refused."""
    figure = None
    if "ax" in parameters_of(function):
        figure = Figure(figsize=(4, 3), dpi=40)
        FigureCanvasAgg(figure)
        given = given | {"ax": figure.subplots()}
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown):
        try:
            result = function(data=ROWS, **given)
        except (TypeError, ValueError) as error:
            return f"refused: {error}"
    if figure is None:
        return plain(result), bool(shown.getvalue())
    figure.canvas.draw()
    lines = [line.get_xydata().tolist() for line in figure.axes[0].lines]
    return lines, bytes(figure.canvas.buffer_rgba()), bool(shown.getvalue())


def without_words(found):
    """Leave out the words that name what was passed, which is no effect."""
    if isinstance(found, tuple):
        return [*map(without_words, found)]
    if isinstance(found, dict):
        left_out = ("basis", "n_groups", "notes")
        return {name: without_words(each) for name, each in found.items() if name not in left_out}
    return [*map(without_words, found)] if isinstance(found, list) else found


def needed_for(function, argument, **given):
    """Return what a call needs besides an argument, and where the argument matters."""
    names = parameters_of(function)
    base, _ = MATTERS[argument]
    if "y" in names:
        base = {{"y_true": "y"}.get(name, name): each for name, each in base.items()}
    needed = {
        name: NEEDED[name]
        for name, parameter in names.items()
        if name in NEEDED and (parameter.default is parameter.empty or name.startswith("y_"))
    }
    if function.__name__ == "operating_point" and not {"threshold", "k"} & {argument, *base}:
        needed |= {"min_recall": 0.5}
    is_alone = argument == "classes"
    if not is_alone and any(
        name in function.__name__ for name in ("mean_", "hit_rate", "reciprocal")
    ):
        needed |= IN_GROUPS  # of a single ranking, they hardly depend on anything
    needed |= {name: each for name, each in (base | given).items() if name in names}
    if function.__name__ == "hit_rate_at_k_score" and argument == "ties":
        needed["k"] = 1  # more rows have a positive in each group
    return needed


WITHOUT = {}  # outcomes without an argument, most of which need the same of a function


def is_ignored(function, argument, value=None, **given):
    base = needed_for(function, argument, **given)
    if value is None:
        value = MATTERS[argument][1]
    if value is base.get(argument, parameters_of(function)[argument].default):
        value = not value  # a default of one function that matters to another
    key = function, repr(base)
    if key not in WITHOUT:
        WITHOUT[key] = without_words(outcome(function, base))
    return WITHOUT[key] == without_words(outcome(function, base | {argument: value}))


def test_few_arguments_have_no_effect():
    assert len(WITHOUT_EFFECT) <= 15


SLOW = {"compat.identify"}


@pytest.mark.sweep(9)
@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW)) for each in FUNCTIONS],
)
def test_no_argument_of_a_function_is_ignored(name):
    function = FUNCTIONS[name]
    for argument in parameters_of(function):
        if argument in NOT_TRIED or (name, argument) in WITHOUT_EFFECT:
            continue
        assert not is_ignored(function, argument), argument


class OfColumns(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose probabilities and decisions are columns of X."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def decision_function(self, X):
        return X[:, 1]


X = np.column_stack([ROWS["score"], ROWS["other"]])
X = (X - X.min()) / np.ptp(X)
IN_FIRST_FOLD = np.isin(ROWS["query"], ["q0", "q1"])
FOLDS = [np.flatnonzero(IN_FIRST_FOLD), np.flatnonzero(~IN_FIRST_FOLD)]
FITTED = OfColumns().fit(X, ROWS["label"])
CV_RESULTS = {"estimator": [FITTED] * 2, "indices": {"test": FOLDS}}
NEEDED |= {"X": X, "y": "label", "estimator": FITTED, "cv_results": CV_RESULTS}


def with_columns(method):
    """Return a method of a display that takes names of columns, as functions of tables do."""

    @functools.wraps(method)
    def called(data, **given):
        if "data" in inspect.signature(method).parameters:
            return method(data=data, **given)
        of_rows = ("y", "sample_weight", "groups", "clusters")
        for role in {*of_rows} & {*given}:
            given[role] = data[given[role]]
        return method(**given)

    return called


def methods_of_displays():
    """Yield the public methods of displays; `plot` is that of a display that was drawn."""
    for display in (ap.AveragePrecisionDisplay, ap.HitCurveDisplay):
        for name in sorted(name for name in dir(display) if name[0] != "_"):
            if inspect.isroutine(getattr(display, name)):
                yield display, name


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["AP", "AP@60", "P@3"])
@pytest.mark.parametrize(("display", "name"), [*methods_of_displays()])
def test_no_argument_of_a_display_is_ignored(display, name, metric):
    drawn = display
    if name == "plot":
        axes = Figure().subplots()
        drawn = display.from_predictions("label", "score", metric=metric, data=ROWS, ax=axes)
    function = with_columns(getattr(drawn, name))
    given = {} if name == "plot" else {"metric": metric}
    for argument in parameters_of(function):
        whose = {f"{display.__name__}.{name}", metric}
        if argument in NOT_TRIED or any((each, argument) in WITHOUT_EFFECT for each in whose):
            continue
        base = needed_for(function, argument, **given)
        assert "refused" not in str(outcome(function, base)), argument
        value = "P@4" if argument == "metric" else None
        assert not is_ignored(function, argument, value, **given), argument


@pytest.mark.sweep(16)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", ["confidence_interval", "compare", "report"])
def test_no_argument_about_the_data_is_ignored_by_a_metric(name, metric):
    function = FUNCTIONS[name]
    names = inspect.signature(function).parameters
    role = "metrics" if name == "report" else "metric"
    for argument in ABOUT_DATA:
        given = IN_GROUPS | {role: METRICS[metric], "random_state": 0}
        is_graded = metric in (*GRADED, "function")
        if is_graded and argument == "min_grade":
            given["min_grade"] = None
        value = JUDGED if is_graded and argument == "n_positives" else None
        if argument in names and (metric, argument) not in WITHOUT_EFFECT:
            assert not is_ignored(function, argument, value, **given), argument


# Scorers


class ByColumn(BaseEstimator):
    """Ranks by the first column in `decision_function`, and by the second in `predict_proba`."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0] if len(self.classes_) == 2 else X

    def predict_proba(self, X):
        return np.column_stack([-X[:, 1], X[:, 1]]) if len(self.classes_) == 2 else X[:, ::-1]


class Classifier(ClassifierMixin, ByColumn):
    pass


class Regressor(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


class Detector(OutlierMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def score_samples(self, X):
        return X[:, 0]


COLUMNS_OF_X = np.column_stack([ROWS[name] for name in MODELS])
LABELS = ROWS["label"].astype(int)
FIRST = ROWS["kind"] != "eel"
# An estimator, the labels, the rows that are tested, and what the scorer needs
SCORED = {
    "classifier": (Classifier(), LABELS, ..., {}),
    "groups": (Classifier(), LABELS, ..., {"groups": True, "zero_division": 0.0}),
    "weights": (Classifier(), LABELS, ..., {"sample_weight": True}),
    "grades": (Regressor(), ROWS["grade"], ..., {"rank": True, "min_grade": 1}),
    "grades without level": (Regressor(), ROWS["grade"], ..., {"rank": True}),
    "regressor": (Regressor(), LABELS, ..., {}),
    "several": (Classifier(), ROWS["kind"], np.flatnonzero(FIRST), {}),
    "detector": (Detector(), 2 * LABELS - 1, ..., {"pos_label": -1}),
}
OF_MAKER = {
    "pos_label": [0, 1],
    "classes": [["eel", "dog", "cat"]],
    "groups": [True, False],
    "sample_weight": [True],
    "rank": [True],
    "response_method": ["predict_proba"],
    "n_positives": [300],
    "k": [2, 5],
    "k_counts": ["samples"],
    "denominator": ["relevant", "hits"],
    "ties": ["worst"],
    "average": ["weighted"],
    "zero_division": [1.0],
    "min_grade": [2],
    "n_points": [4],
    "grid": ["float"],
    "min_recall": [0.9],
    "min_precision": [0.9],
    "gains": ["exponential"],
}
NAMED = {  # a metric of each kind, by name
    "AP": {},
    "AP@10": {},
    "AP@20%": {},
    "average_precision_at_k": {"k": 10},
    "P@10": {},
    "R@10": {},
    "EF@20%": {},
    "MAP": {},
    "MAP@3": {},
    "MRR": {},
    "RR": {},
    "hit_rate@3": {},
    "R-precision": {},
    "interpolated_average_precision": {},
    "11-point": {},
    "precision_at_recall": {"min_recall": 0.5},
    "recall_at_precision": {"min_precision": 0.5},
    "nDCG": {},
    "nDCG@5": {},
}


def scored(metric, case, **options):
    """Return the value of a scorer on one split, or "refused"."""
    estimator, y, tested, base = SCORED[case]
    rows = np.arange(60)
    columns = {"groups": ROWS["query"], "sample_weight": ROWS["mass"]}
    with config_context(enable_metadata_routing=True):
        try:
            scorer = ap.make_ap_scorer(metric, **base | options)
            passed = {name: columns[name] for name, asked in list_requests(scorer).items() if asked}
            [value] = cross_val_score(
                estimator, COLUMNS_OF_X, y, cv=[(rows, rows[tested])], scoring=scorer,
                params=passed, error_score="raise",
            )  # fmt: skip
        except (AttributeError, TypeError, ValueError):
            return "refused"
    return value


@pytest.mark.sweep(20)
@pytest.mark.parametrize("metric", NAMED)
def test_no_argument_of_a_scorer_is_ignored(metric):
    """It changes the value for some estimator, or no estimator is scored with it."""
    needed, ignored = NAMED[metric], []
    for argument, values in OF_MAKER.items():
        if argument in needed and metric != "average_precision_at_k":
            values = [*values, 0.2]
        pairs = [
            (scored(metric, case, **needed), scored(metric, case, **needed | {argument: value}))
            for value in values
            for case in SCORED
            if argument not in SCORED[case][3] or SCORED[case][3][argument] != value
        ]
        if metric.startswith("P@") and argument == "zero_division":
            continue  # AS_DEFINED
        are_all_refused = all(changed == "refused" for _, changed in pairs)
        if not are_all_refused and all(before == changed for before, changed in pairs):
            ignored.append(argument)
    assert ignored == []


def test_arguments_of_scorers_that_are_tried():
    options = {*inspect.signature(ap.make_ap_scorer).parameters} - {"metric", "options"}
    options |= {option for metric in NAMED for option in ap.metric(metric, **NAMED[metric]).options}
    assert {*OF_MAKER} >= options | {*ABOUT_DATA} - {"clusters"}
