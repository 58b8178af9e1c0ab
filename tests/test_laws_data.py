"""The matrix: every way to pass data gives the value that arrays give, or says why it can't.

A door is a way to pass data: a kind of table, a scorer, a metric of a boosting library.
Each function is called with arrays and at each door, in the cases of `calls.py`. What is refused is
listed in `REFUSED` there, and nothing else is.
"""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator

import sklearn_ap as ap
from sklearn_ap import boosting

from .calls import (
    CASES,
    COLUMNS,
    FUNCTIONS,
    OF_MODELS,
    RULES,
    SEVERAL,
    call,
    check_function,
    check_metrics,
    given_in,
    metric_of,
    named_in,
    near,
    some_cases,
    some_rules,
    value_of_arrays,
)
from .containers import second_device
from .registry import spelled
from .tables import LAZY, ROWS, SORTED, TABLES, arrow

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.usefixtures("few_random_orders"),
]

# Kinds differ only in how they are read, so that each is tested with some of the rules in each
# case. The sweep tests every rule in each case of the kinds in memory and of one that is read in
# batches.
N_RULES = dict.fromkeys(TABLES, 2) | {"dataset": 5}
SWEPT = dict.fromkeys(TABLES, len(RULES)) | dict.fromkeys(LAZY, 6)
SWEPT |= {"dataset": len(RULES)}


def test_every_rule_is_tried_with_several_kinds_of_tables():
    tried = [
        rule
        for kind in TABLES
        for case in CASES
        for rule in set(some_rules(N_RULES[kind], case, kind))
    ]
    assert all(tried.count(rule) > 3 for rule in RULES)


@pytest.mark.sweep(24)
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


@pytest.mark.sweep(10)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("case", SEVERAL)
def test_metrics_of_several_columns(made, kind, case):
    check_metrics(made(kind), case, some_rules(6, case, kind))


def test_metrics_of_a_reader():
    for case in CASES:
        is_sorted = "group" in case
        for rule in some_rules(6, case, "a reader"):
            found = metric_of(
                rule, data=arrow(SORTED if is_sorted else ROWS).to_reader(7), **named_in(case)
            )
            expected = value_of_arrays(rule, case, is_sorted)
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), rule


# Doors that know metrics by their names


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


def on_device(rule, **given):
    """Pass the columns of numbers as arrays on a device that isn't the CPU."""
    for role, column in given.items():
        if role in COLUMNS and column is not None and column.dtype.kind in "biuf":
            given[role] = second_device(column)
    return metric_of(rule, **given)


DOORS = {
    "device": on_device,
    "make_ap_scorer": scored,
    "lightgbm_metric": partial(boosted, boosting.lightgbm_metric),
    "xgboost_metric": partial(boosted, boosting.xgboost_metric),
}
ONE_VALUE = "must return a single value, but average=None gives one for each"


def refused_by_name(door, case):
    """Return what the error says, or None if there is a value."""
    if door == "make_ap_scorer" and "n_positives" in case:
        return "each fold has its own positives"
    if case in ("groups, n_positives", "groups of two columns, n_positives") and door.endswith(
        "_metric"
    ):
        return "n_positives has no number for the group"  # boosting libraries number the groups
    is_one = CASES[case].get("average", "macro") is not None or door == "device"
    return None if is_one else ONE_VALUE


@pytest.mark.sweep(10)
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


@pytest.mark.sweep(24)
@pytest.mark.parametrize("n_cases", [1, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:k=7 exceeds the mean number of samples per group, [34]")
def test_functions_of_tables(made, kind, function, n_cases):
    for case in some_cases(n_cases, function, kind):
        check_function(made(kind), kind, function, case)


@pytest.mark.sweep(24)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("function", OF_MODELS)
def test_several_models(made, kind, function):
    """A list of columns, or a mapping, is one model each."""
    given = {"y_true": "label", "zero_division": 0.0}
    models = {name: ROWS[name] for name in ("score", "other")}
    expected = call(function, given | {"y_true": ROWS["label"], "y_score": models})
    mappings = [{name: name for name in models}] if kind in ("pandas", "dataset") else []
    for columns in (["score", "other"], *mappings):
        found = call(function, given | {"y_score": columns}, data=made(kind))
        assert found == near(expected)
