"""The matrix: every way to pass data gives the value that arrays give, or says why it can't.

A door is a way to pass data: a kind of table, a stream, a scorer, a metric of a boosting library. A
case is what a caller says about the data. Each function is called with arrays and at each door.
What is refused is listed in REFUSED, and nothing else is.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from functools import cache, partial, wraps
from inspect import signature
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator

import sklearn_ap as ap
from sklearn_ap import boosting, compat
from sklearn_ap.streaming import MetricAccumulator

from .registry import SOME, definition_of, has_function, in_stable_order, is_legal, spelled
from .tables import EAGER, EXIST, LAZY, ROWS, SORTED, TABLES, arrow, without_chance

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.usefixtures("in_small_batches", "labels_take_no_room"),
]

RULES = [rule for rule in SOME if has_function(rule)]
COLUMNS = {"y_true", "y_score", "sample_weight", "groups", "clusters"}
EXIST_BY_DAY = {int(name[1:]) - 2: number for name, number in EXIST.items()}
EXIST_BY_BOTH = {
    (day, kind): number + len(kind[:day])
    for day, number in EXIST_BY_DAY.items()
    for kind in ("cat", "dog", "eel")
}

# What a caller says about the data, by the names of columns. A metric gets all of it.
CASES = {
    "nothing else": {},
    "strings": {"y_true": "answer", "pos_label": "yes"},
    "the other label": {"y_true": "truth", "pos_label": False},
    "integers": {"y_score": "whole"},
    "weights": {"sample_weight": "mass"},
    "whole weights": {"sample_weight": "count"},
    "n_positives": {"n_positives": 200},
    "min_grade": {"y_true": "grade", "min_grade": 2},
    "groups": {"groups": "query"},
    "weighted groups": {"groups": "day", "sample_weight": "mass", "average": "weighted"},
    "each group": {"groups": "query", "average": None},
    "groups, n_positives": {"groups": "query", "n_positives": EXIST, "sample_weight": "count"},
    "each group, n_positives": {"groups": "day", "average": None, "n_positives": EXIST_BY_DAY},
    "groups, min_grade": {"groups": "day", "y_true": "grade", "min_grade": 2},
    "groups of two columns": {"groups": ["day", "kind"], "sample_weight": "count"},
    "groups of two columns, n_positives": {"groups": ["day", "kind"], "n_positives": EXIST_BY_BOTH},
    "groups, zero_division": {"groups": "query", "zero_division": np.nan},
    "clusters": {"clusters": "day"},
    "clusters of two columns": {"clusters": ["day", "kind"]},
    "prevalence": {"prevalence": 0.1, "sample_weight": "count"},
    "groups, prevalence": {"groups": "query", "prevalence": 0.1, "sample_weight": "count"},
}
SEVERAL = {  # several columns, which only tables in memory have
    "classes": {
        "y_true": "kind",
        "y_score": ["score", "other", "third"],
        "classes": ["cat", "dog", "eel"],
    },
    "each class": {"y_true": "kind", "y_score": ["score", "other", "third"], "average": None},
    "several labels": {
        "y_true": ["label", "truth", "label"],
        "y_score": ("score", "other", "third"),
        "average": "samples",
        "sample_weight": "mass",
    },
}


def as_arrays(value, role, rows=ROWS):
    if role not in COLUMNS or value is None:
        return value
    if role in ("groups", "clusters") and isinstance(value, list):
        tuples = zip(*(rows[name].tolist() for name in value), strict=True)
        return np.fromiter(tuples, dtype=object, count=60)
    if isinstance(value, list | tuple):
        return np.column_stack([rows[name] for name in value])
    return rows[value]


def given_in(case):
    """Return the arguments by names of columns, and as arrays."""
    named = {"y_true": "label", "y_score": "score", "zero_division": 0.0, **(CASES | SEVERAL)[case]}
    return named, {role: as_arrays(value, role) for role, value in named.items()}


def plain(value):
    """Return a result as nested dicts and lists, without the names of columns."""
    if isinstance(value, str):
        return re.sub(r" \((query|day|day, kind)\)", "", value)
    if hasattr(value, "ax_"):
        lines = [(line.get_label(), corners(line)) for line in value.ax_.lines]
        # Where a mean is drawn depends on the number of samples, which isn't known of every table.
        return plain([(label, places if len(places) < 100 else None) for label, places in lines])
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        named = "model", "models", "label_column", "score_column", "digest"
        return {key: plain(each) for key, each in value.items() if key not in named}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return plain(value.tolist()) if isinstance(value, np.ndarray) else value


def corners(line):
    """Return the points where a line bends, without operating points on straight parts of it."""
    if line.get_linestyle() == "None":
        return []
    points = line.get_xydata()
    apart = np.abs(np.diff(points, axis=0, prepend=np.inf)).max(axis=1) > 1e-12
    points = points[apart]
    (x0, y0), (x1, y1) = np.diff(points[:-1], axis=0).T, np.diff(points[1:], axis=0).T
    bends = np.abs(x0 * y1 - x1 * y0) > 1e-12
    return points[np.concatenate([[True], bends, [True]])] if len(points) > 2 else points


def near(value):
    if isinstance(value, dict):
        return {key: near(each) for key, each in value.items()}
    if isinstance(value, list):
        return [near(each) for each in value]
    is_float = isinstance(value, float)
    return pytest.approx(value, abs=1e-12, nan_ok=True) if is_float else value


# Metrics
def metric_of(rule, **given):
    options, function = spelled(rule)
    return getattr(ap, function)(**options, **given)


def is_for(rule, case):
    given = (CASES | SEVERAL)[case]
    counts = rule.depth and not rule.depth.is_share and rule.k_counts == "weight"
    if "prevalence" in given and counts:
        return False  # refused, because the total of the weights is arbitrary
    return is_legal(rule, weighted="sample_weight" in given)


# Kinds differ only in how they are read, so that each is tested with some of the rules in each case
# (with one of Dask, which is slow). The sweep tests every rule in each case of the kinds in memory
# and of one that is read in batches.
N_RULES = dict.fromkeys(TABLES, 2) | {"dataset": 5, "Dask": 1}
SWEPT = dict.fromkeys(TABLES, len(RULES)) | dict.fromkeys(LAZY, 6)
SWEPT |= {"dataset": len(RULES), "Dask": 3}


def some_rules(n_rules, case, door):
    return in_stable_order([rule for rule in RULES if is_for(rule, case)], case, door)[:n_rules]


def named_in(case):
    named, _ = given_in(case)
    named.pop("clusters", None)
    return named


@cache
def value_of_arrays(rule, case, is_sorted=False):
    rows = SORTED if is_sorted else ROWS
    return metric_of(
        rule, **{role: as_arrays(value, role, rows) for role, value in named_in(case).items()}
    )


def check_metrics(table, case, rules, is_sorted=False):
    for rule in rules:
        expected = value_of_arrays(rule, case, is_sorted)
        found = metric_of(rule, data=table, **named_in(case))
        assert type(found) is type(expected)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), rule


def test_every_rule_is_tried_with_several_kinds_of_tables():
    tried = [
        rule
        for kind in TABLES
        for case in CASES
        for rule in set(some_rules(N_RULES[kind], case, kind))
    ]
    assert all(tried.count(rule) > 3 for rule in RULES)


@pytest.mark.parametrize(
    "n_rules",
    [pytest.param(N_RULES, id="some"), pytest.param(SWEPT, marks=pytest.mark.slow, id="sweep")],
)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("case", CASES)
def test_metrics_of_tables(made, kind, case, n_rules):
    rules = some_rules(n_rules[kind], case, kind)
    check_metrics(made(kind), case, rules)
    if "group" in case and kind in LAZY:
        check_metrics(made(kind, is_sorted=True), case, rules, is_sorted=True)


def skip_if_collected(made, kind):
    if kind == "polars LazyFrame" and not hasattr(made(kind), "collect_batches"):
        pytest.skip("before 1.34 polars collects the named columns first")


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("case", SEVERAL)
def test_metrics_of_several_columns(made, kind, case):
    if kind not in LAZY:
        check_metrics(made(kind), case, some_rules(6, case, kind))
        return
    skip_if_collected(made, kind)
    with pytest.raises((TypeError, ValueError), match="one class at a time"):
        ap.average_precision_score(**given_in(case)[0], data=made(kind))


def test_metrics_of_a_reader():
    """One pass is enough, unless the rows of a group are apart, or the prevalence is another."""
    for case in [case for case in CASES if "prevalence" not in case]:
        is_sorted = "group" in case
        for rule in some_rules(6, case, "a reader"):
            found = metric_of(
                rule, data=arrow(SORTED if is_sorted else ROWS).to_reader(7), **named_in(case)
            )
            expected = value_of_arrays(rule, case, is_sorted)
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), rule


# Doors that know metrics by their names
ASKED = ("zero_division", "n_positives", "prevalence")  # of a stream when it is complete


def streamed(rule, average="macro", pos_label=1, min_grade=None, **given):
    stream = MetricAccumulator(pos_label=pos_label, min_grade=min_grade)
    groups = given.pop("groups", None)
    asked = {name: given.pop(name) for name in ASKED if name in given}
    each = np.arange(60) // 9 if groups is None else groups
    for name in np.unique(each):
        part = np.array([one == name for one in each])
        chunk = {role: column[part] for role, column in given.items()}
        stream.update(**chunk, **{} if groups is None else {"groups": groups[part]})
    definition, options = definition_of(rule)
    return stream.result(definition, average=average, **asked, **options)


class Scores(BaseEstimator):
    """A regressor that returns its only feature."""

    _estimator_type = "regressor"
    coef_ = None

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def scored(rule, y_true, y_score, sample_weight=None, groups=None, **given):
    options, function = spelled(rule)
    passed = {"sample_weight": sample_weight, "groups": groups}
    passed = {name: column for name, column in passed.items() if column is not None}
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = ap.make_ap_scorer(function, rank=True, **options, **given)
        scorer.set_score_request(**dict.fromkeys(passed, True))
        return scorer(Scores(), y_score[:, np.newaxis], y_true, **passed)


def boosted(factory, rule, y_true, y_score, sample_weight=None, groups=None, **given):
    options, function = spelled(rule)
    order = np.argsort(groups if groups is not None else np.zeros(60), kind="stable")
    sizes = None if groups is None else np.unique(groups, return_counts=True)[1]
    if "pos_label" in given:
        given["classes"] = np.unique(y_true)
        y_score = y_score if given["pos_label"] == given["classes"][1] else -y_score
        y_true = np.searchsorted(given["classes"], y_true)
    columns = [None if c is None else c[order] for c in (y_true, y_score, sample_weight)]
    getters = [lambda each=each: [] if each is None else each for each in (columns[2], sizes)]
    if factory is boosting.lightgbm_metric:
        getters = [lambda each=each: each for each in (columns[2], sizes)]
    data = SimpleNamespace(get_label=lambda: columns[0])
    data.get_weight, data.get_group = getters
    return factory(function, **options, **given)(columns[1], data)[1]


DOORS = {
    "MetricAccumulator": streamed,
    "make_ap_scorer": scored,
    "lightgbm_metric": partial(boosted, boosting.lightgbm_metric),
    "xgboost_metric": partial(boosted, boosting.xgboost_metric),
}
ONE_VALUE = "must return a single value, but average=None gives one for each"


def refused_by_name(door, case):
    """Return what the error says, or None if there is a value."""
    if case in ("groups, n_positives", "groups of two columns, n_positives") and door.endswith(
        "_metric"
    ):
        return "n_positives has no number for the group"  # boosting libraries number the groups
    is_one = CASES[case].get("average", "macro") is not None or door == "MetricAccumulator"
    return None if is_one else ONE_VALUE


@pytest.mark.parametrize("n_rules", [9, pytest.param(len(RULES), marks=pytest.mark.slow)])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("case", [case for case in CASES if "clusters" not in CASES[case]])
def test_metrics_by_name(door, case, n_rules):
    _, given = given_in(case)
    for rule in some_rules(n_rules, case, door):
        if words := refused_by_name(door, case):
            with pytest.raises((TypeError, ValueError), match=words):
                DOORS[door](rule, **given)
            continue
        expected = value_of_arrays(rule, case)
        assert DOORS[door](rule, **given) == pytest.approx(expected, abs=1e-12, nan_ok=True), rule


# Other functions
def drawn(from_predictions):
    @wraps(from_predictions)
    def draw(*args, **kwargs):
        # With this layout, room for a legend is made only when the figure is rendered.
        figure = pytest.importorskip("matplotlib.figure").Figure(layout="constrained")
        return from_predictions(*args, ax=figure.subplots(), **kwargs)

    return draw


FUNCTIONS = {
    "hit_curve": ap.hit_curve,
    "interpolated_precision_recall_curve": ap.interpolated_precision_recall_curve,
    "operating_point, min_recall": partial(ap.operating_point, min_recall=0.02),
    "operating_point, min_precision": partial(ap.operating_point, min_precision=0.2),
    "operating_point, k": partial(ap.operating_point, k=7, k_counts="samples"),
    "confidence_interval": ap.confidence_interval,
    "compare": partial(ap.compare, random_state=0),
    "report": partial(ap.report, metrics=["AP", "11-point"], random_state=0),
    "compare_chance": partial(ap.compare_chance, n_resamples=99, random_state=0),
    "explain": compat.explain,
    "identify": partial(compat.identify, "0.5"),
    "AveragePrecisionDisplay": drawn(ap.AveragePrecisionDisplay.from_predictions),
    "HitCurveDisplay": drawn(ap.HitCurveDisplay.from_predictions),
}
ON_ENGINES = list(FUNCTIONS)[:5]
CURVES = list(FUNCTIONS)[:2]
DISPLAYS = list(FUNCTIONS)[-2:]
ONE = "needs a single value, but average=None"
REFUSED = {  # besides what a function has no parameter for
    **{
        (name, case): ONE
        for name in ("confidence_interval", "compare", "compare_chance")
        for case in ("each group", "each group, n_positives", "each class")
    },
    **{
        ("report", case): r"call per_group\(\) on the result"
        for case in ("each group", "each group, n_positives")
    },
    ("compare", "classes"): r"y_score.shape=\(60,\)` for the classes",
    ("compare", "several labels"): "y_score: Expected (2D|a 2-dimensional)",
}


def parameters_of(function):
    function = FUNCTIONS[function]
    return signature(getattr(function, "__wrapped__", function)).parameters


OF_MODELS = [name for name in FUNCTIONS if "Mapping" in str(parameters_of(name).get("y_score"))]


def call(function, given, **data):
    """Call a function with what it has parameters for, in the places where everybody has it."""
    given = dict(given)
    columns = [given.pop("y_true"), given.pop("y_score")]
    if function == "compare":
        columns.append("third" if data else ROWS["third"])
    if "zero_division" not in parameters_of(function):
        given.pop("zero_division", None)
    return plain(FUNCTIONS[function](*columns, **given, **data))


@cache
def of_arrays(function, case):
    """Return the result, or what the error says."""
    _, arrays = given_in(case)
    lacking = set((CASES | SEVERAL)[case]) - {"y_score", "zero_division", *parameters_of(function)}
    several = case in SEVERAL and function in ON_ENGINES + OF_MODELS and function != "report"
    if (function, case) in REFUSED:
        words = REFUSED[function, case]
    elif lacking or several:
        words = (
            "unexpected keyword argument|has no option|one score for each|is not supported"
            "|Evaluate one class at a time"
        )
    else:
        return call(function, arrays), None
    with pytest.raises((TypeError, ValueError), match=words):
        call(function, arrays)
    return None, words


def some_cases(n_cases, function, kind):
    """All of them for pandas, which shows what is refused, and else some."""
    cases = in_stable_order([*CASES, *SEVERAL], function, kind)
    if function == "identify":  # which is slow
        return cases[: n_cases if kind in ("pandas", "dataset") else max(1, n_cases // 4)]
    return cases if kind == "pandas" else cases[:n_cases]


def at_same_thresholds(curve, found):
    """Return a curve at the thresholds of one that has fewer, and at its end without threshold."""
    if isinstance(curve, dict):
        return {name: at_same_thresholds(each, found[name]) for name, each in curve.items()}
    thresholds = curve[2]
    places = [thresholds.index(each) for each in found[2]]
    assert len(places) <= len(thresholds)
    ends = range(len(thresholds), len(curve[0]))
    return [
        [curve[0][i] for i in (*places, *ends)],
        [curve[1][i] for i in (*places, *ends)],
        found[2],
    ]


def check_function(table, kind, function, case):
    named, _ = given_in(case)
    expected, words = of_arrays(function, case)
    if kind not in EAGER and function in ON_ENGINES and case in SEVERAL:
        words = f"{words}|one class at a time"
    elif function == "report" and case in SEVERAL:
        words = "y_score"  # a list of columns is a list of models
    if words is None:
        found = call(function, named, data=table)
        if kind not in EAGER and function in CURVES:
            expected = at_same_thresholds(expected, found)
        if kind not in EAGER:
            found, expected = without_chance(found), without_chance(expected)
        assert found == near(expected), case
    else:
        with pytest.raises((TypeError, ValueError), match=words):
            call(function, named, data=table)


@pytest.mark.parametrize("n_cases", [1, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:k=7 exceeds the mean number of samples per group, [34]")
def test_functions_of_tables(made, kind, function, n_cases):
    skip_if_collected(made, kind)
    for case in some_cases(n_cases, function, kind):
        check_function(made(kind), kind, function, case)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("function", OF_MODELS)
def test_several_models(made, kind, function):
    """A list of columns, or a mapping, is one model each."""
    skip_if_collected(made, kind)
    given = {"y_true": "label", "zero_division": 0.0}
    models = {name: ROWS[name] for name in ("score", "other")}
    expected = call(function, given | {"y_true": ROWS["label"], "y_score": models})
    mappings = [{name: name for name in models}] if kind in ("pandas", "dataset") else []
    for columns in (["score", "other"], *mappings):
        found = call(function, given | {"y_score": columns}, data=made(kind))
        in_chunks = kind not in EAGER and function in CURVES
        assert found == near(at_same_thresholds(expected, found) if in_chunks else expected)
