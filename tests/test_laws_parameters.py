"""One table says which values a parameter can have, and every public signature follows it."""

import inspect
import re
from collections import defaultdict
from functools import partial

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import sklearn_ap as ap
from sklearn_ap import boosting, compat, datasets, inference, readers
from sklearn_ap._inputs.records import SHARED, Inputs
from sklearn_ap._words.parameters import find_allowed_values
from sklearn_ap.exceptions import InvalidParameterError

from .documentation import sections
from .registry import OPTIONS

ALLOWED = find_allowed_values()
MODULES = [ap, boosting, compat, datasets, inference, readers]

# Parameters that are not in the table, because something else checks them, or nothing has to.
EXEMPT = {
    "scikit-learn checks": {"X", "estimator", "y"},
    "Matplotlib checks": {"ax", "curve_kwargs", "fill_kwargs", "points_kwargs"},
    "of lines for reference": {"chance_level_kw", "plot_chance_level"},
    "the library that made it is looked up": {"data"},
    "true or false": {"drop_intermediate", "rank"},
    "names that are looked up": {"baseline", "metric", "metrics", "scoring"},
    "read as y_score of several models": {"y_score_a", "y_score_b"},
    "files are read": {"annotations", "detections", "image_set", "qrels", "runs", "tables"},
    "what COCO has": {"area", "overlap"},
    "folds are compared": {"a", "b"},
    "a function and its range": {"definition", "limits"},
    "as in scikit-learn, anything that isn't raised": {"error_score"},
    "compat checks": {"value"},
    "what a display was made of": {"bands", "curves"},
    "many of a kind": {"options", "plot_options", "scorers"},
}
RESULTS = {"Comparison", "Comparisons", "Difference", "Explanation", "Identification", "Interval"}
RESULTS |= {"ModelComparison", "Peer", "Retrieved", "SearchComparison", "Audit", "ScoringAudit"}
RESULTS |= {"Metric", "IntervalDisplay"}
KNOWN = set().union(*EXEMPT.values())


def public_functions():
    """Map the dotted name of every public callable to it, except for result classes."""
    found = {}
    for module in MODULES:
        for name in {*module.__all__} - RESULTS:
            value = getattr(module, name)
            found |= {f"{module.__name__}.{name}": value} if callable(value) else {}
            for method, function in inspect.getmembers(value, callable):
                if inspect.isclass(value) and not method.startswith("_"):
                    found[f"{module.__name__}.{name}.{method}"] = function
    return found


FUNCTIONS = public_functions()
each_function = pytest.mark.parametrize("name", sorted(FUNCTIONS))


def parameters_of(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    return {key: p for key, p in parameters.items() if key != "self"}


@each_function
def test_every_parameter_is_in_the_table_or_exempt_by_name(name):
    assert set(parameters_of(name)) <= set(ALLOWED) | KNOWN


def key_of(name, parameter):
    """The entry of the table, which may have one for a function alone."""
    own = f"{name.rpartition('.')[2]}.{parameter}"
    return own if own in ALLOWED else parameter


def test_nothing_is_exempt_or_in_the_table_for_nobody():
    taken = {parameter for name in FUNCTIONS for parameter in parameters_of(name)}
    assert taken >= KNOWN
    assert not KNOWN & set(ALLOWED)
    assert {key.rpartition(".")[2] for key in ALLOWED} <= taken


@each_function
def test_defaults_are_allowed(name):
    for parameter, p in parameters_of(name).items():
        if parameter in ALLOWED and p.default is not p.empty and p.default is not None:
            assert p.default in ALLOWED[parameter], parameter


def test_a_default_is_the_same_everywhere():
    """Unless a function has a special purpose, or scikit-learn's function has another default."""
    defaults = defaultdict(set)
    for name in FUNCTIONS:
        for parameter, p in parameters_of(name).items():
            if parameter in ALLOWED:
                defaults[parameter].add(p.default)
    several = {parameter for parameter, values in defaults.items() if len(values) > 1}
    assert several == {
        "confidence_level",  # intervals have one, pictures none
        "denominator",  # recall has all relevant ones, AP@k those that fit in the top k
        "k",  # mean_average_precision_score has all samples
        "min_grade",  # documents have grades, of which 0 is not relevant
        "min_precision",  # operating_point takes one of three targets
        "min_recall",
        "pos_label",  # for a maker of scorers, it depends on the estimator
        "random_state",  # an audit is the same each time
    }


def test_what_is_said_of_the_data_has_one_order_and_one_default():
    """Those of `Inputs`, in each function that takes a table."""
    n_functions = 0
    for name in ap.__all__:
        function = getattr(ap, name)
        taken = {} if inspect.isclass(function) else inspect.signature(function).parameters
        if "data" not in taken:
            continue
        declared = [field for field in (*SHARED, "data") if field in taken]
        assert [parameter for parameter in taken if parameter in declared] == declared, name
        for field in declared:
            assert taken[field].default == Inputs._field_defaults[field], (name, field)
        n_functions += 1
    assert n_functions > 15


def test_values_to_try_are_allowed():
    for option, values in OPTIONS.items():
        assert all(value in ALLOWED[option] for value in values)


WRONG = {
    name: values
    for names, values in {
        "by classes clusters groups ids": ["abc", 3, {1, 2}],
        "confidence_level": [0, 1, 0.0, 1.0, 95, -0.5, True, "0.95", np.nan],
        "fraction_of k_counts method precision ties unjudged unjudged_queries": ["all", None, 1],
        "min_positives": [-1, 1.5, 2.0, True, "3", np.nan, None],
        "min_precision min_recall": [-0.1, 1.1, True, "0.9", np.nan, None],
        "function": ["", None, 3, [], {}],
        "weights": ["yes", 1, 0.0, None],
        "tolerance": [-1e-6, np.nan, np.inf, "0", True],
        "gains": ["linear ", 1, None, {1: -1}, {1: "a"}, [1], {0: 5}],
        "ignore_ties": [1, 0, "yes", None],
        "use_difficult": [1, 0, "yes", None],
        "grid": ["double", 1, None],
        "joint": [1, 0, "yes", None],
        "margin": [0, -0.1, np.nan, np.inf, "3", True],
        "n_test n_train": [0, -1, np.nan, np.inf, "3", True],
        "name": [3, ["a"]],
        "as_frame": [0, 1, "auto", "pandas"],
        "greater_is_better": [1, 0, "yes", None],
        "average": ["mean", 1, ["macro"]],
        "cv_results": [[], "x"],
        "decimals": [-1, 1.5, True],
        "batch_size": [1, 0, -3, 2.5, True, "8"],
        "n_thresholds": [1, 0, -3, 2.5, True, "8"],
        "denominator": ["max", None, 3, "MIN"],
        "k": [0, -1, 1.5, 0.0, -0.5, True, np.True_, "3", "10%", np.nan, np.inf, [1], 1 + 0j],
        "min_grade": [True, np.True_, "2", np.nan, np.inf, -np.inf, [2], 1j, 10**400],
        "n_points": [1, 0, -3, 11.0, True, "11", 2**20 + 1],
        "n_resamples": [1, 0, -5, 100.0, True, None],
        "verbose": [-1, 0.5, "yes", None],
        "n_positives": [-1, "3", np.nan, np.inf, True, 2.0**54, {1, 2}],
        "operating_points": [0.5, "0.5", [0.5], {"threshold": 0.5}],
        "pos_label": [[1], (1,), b"1", 1j],
        "random_state": [-1, 2**32, 1.0, "0", np.random.SeedSequence(0), np.random.PCG64(0)],
        "response_method": ["predict", None, 3],
        "sample_weight": [2.0, "ab", {1}],
        "threshold": ["0.5", True, np.nan, [0.5], 1j],
        "y_score": [0.5, "ab", None],
        "y_true": [0, "01", None],
        "audit.zero_division check_metric.zero_division audit_cases.zero_division": [
            "error",
            None,
            True,
            [0.0],
        ],
        "zero_division": [0.5, 2, -1, None, "raise", True, [0.0]],
    }.items()
    for name in names.split()
}


def test_every_parameter_has_values_that_it_may_not_be():
    assert set(WRONG) == set(ALLOWED)
    for parameter, values in WRONG.items():
        for value in values:
            assert value not in ALLOWED[parameter], (parameter, value)


ARGUMENTS = {"y_true": [0, 1, 1, 0], "y_score": [0.1, 0.2, 0.3, 0.4]}
NEEDED = ARGUMENTS | {"y_score_a": range(4), "y_score_b": range(4), "metrics": "AP"}
NEEDED |= {"cv_results": {}, "min_recall": 0.5, "min_precision": 0.5}
NEEDED |= {"function": ap.average_precision_score, "value": "0.5"}
SCORES = [name for name in ap.__all__ if name.endswith("_score")]


def is_checked(name, parameter):
    """Requests of a scorer aren't values, and what a display or result was made of is known."""
    of_requests = name.endswith("make_ap_scorer") and parameter in ("groups", "sample_weight")
    return not of_requests and not name.endswith(("Display", ".plan", ".units"))


def wrong_values(name, parameter):
    return [
        value
        for value in WRONG[key_of(name, parameter)]
        if value is not None or parameters_of(name)[parameter].default is not None
    ]


def call_of(name):
    """Return the function with values for what it needs."""
    parameters = parameters_of(name).items()
    needed = {key for key, p in parameters if p.default is p.empty and "VAR" not in p.kind.name}
    needed |= {key for key, _ in parameters if key in NEEDED}
    given = {"groups": range(4)} if name.endswith("mean_average_precision_score") else {}
    return partial(FUNCTIONS[name], **{key: NEEDED.get(key) for key in needed}, **given)


OF_COLUMNS = {key for key, allowed in ALLOWED.items() if allowed.are_arrays}
ADVICE = r" Did you mean .*\?| Use .*\."
ADVICE_ON_COLUMNS = r" If that is a column, pass its table as data\."


@pytest.mark.sweep(5)
@each_function
def test_every_function_refuses_by_the_table(name):
    """Before anything else, in an error that names the parameter and the function."""
    call, parameters = call_of(name), parameters_of(name)
    for parameter in set(parameters) & set(ALLOWED):
        for value in wrong_values(name, parameter) if is_checked(name, parameter) else []:
            words = rf"The '{parameter}' parameter of [\w.]*{name.rpartition('.')[2]} must be"
            ending = ADVICE_ON_COLUMNS if parameter in OF_COLUMNS - {"classes"} else ADVICE
            with pytest.raises(ValueError, match=f"{words} .* instead\\.({ending})?$"):
                call(**{parameter: value})


@pytest.mark.sweep(5)
@each_function
def test_every_function_refuses_sparse_data_as_scikit_learn_does(name):
    """Its error is a ValueError and a TypeError, in the words of `validate_params`."""
    for value in map(csr_array, ([[0, 1, 1, 0]], [[0, 1], [1, 0], [1, 1]])):
        for parameter in set(parameters_of(name)) & {*OF_COLUMNS, "y_score_a", "y_score_b"}:
            if is_checked(name, parameter):
                column = re.sub("_[ab]$", "(_[ab])?", parameter)
                words = rf"The '{column}' parameter of .* must be .* Use '.toarray\(\)'"
                with pytest.raises(InvalidParameterError, match=words):
                    call_of(name)(**{parameter: value})


def of_spark(module, name):
    return type(name, (), {"__module__": f"pyspark.{module}", "__len__": lambda self: 4})()


NO_COLUMNS = [
    (np.ma.array([1, 0, 1, 0], mask=[0, 1, 0, 1]), "{} is a masked array, and its mask hides 2 of"),
    (iter([0, 1, 1, 0]), r"pass list\({}\)"),
    *((model, "estimator .* instead of {}") for model in (Ridge(), Ridge, make_pipeline(Ridge()))),
    (of_spark("sql.classic.column", "Column"), "{} is a Column of pyspark.* Pass the whole table"),
    (of_spark("sql.connect.dataframe", "DataFrame"), "{} is a DataFrame of pyspark"),
    (of_spark("pandas.series", "Series"), "{} is a Series of pyspark"),
]


@pytest.mark.sweep(8)
@each_function
@pytest.mark.parametrize(("value", "words"), NO_COLUMNS)
def test_every_function_refuses_what_is_no_column(name, value, words):
    for parameter in set(parameters_of(name)) & {*OF_COLUMNS, "y_score_a", "y_score_b"}:
        if is_checked(name, parameter):
            column = re.sub("_[ab]$", "(_[ab])?", parameter)
            with pytest.raises((TypeError, ValueError), match=words.format(column)):
                call_of(name)(**{parameter: value})


@pytest.mark.parametrize("name", SCORES)
def test_every_score_refuses_before_it_reads_the_data(name):
    call, parameters = call_of(f"sklearn_ap.{name}"), parameters_of(f"sklearn_ap.{name}")
    columns = {"y_true": "y", "y_score": "s", "data": pl.LazyFrame({"y": [0, 1], "s": [1, 2]})}
    columns["groups"] = columns["y_true"]
    for parameter in set(parameters) & set(ALLOWED) - {*columns, "sample_weight"}:
        for value in wrong_values(f"sklearn_ap.{name}", parameter):
            with pytest.raises(ValueError, match=f"The '{parameter}' parameter of {name} must be"):
                call(**columns | {parameter: value})


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_every_scorer_refuses_by_the_table(option):
    of_options = {
        "min_precision": "recall-at-precision",
        "min_recall": "precision-at-recall",
        "n_points": "interpolated_average_precision",
        "ties": "step",
        "k": "at-k",
    }
    for ask in (ap.make_ap_scorer, ap.get_scorer):
        for value in WRONG[option]:
            with pytest.raises(ValueError, match=rf"The '{option}' parameter of"):
                ask(of_options.get(option, "AP@3"), **{option: value})


# What docstrings say about a parameter


# Functions that take fewer values than the table has, which another check ensures
FEWER = {
    ("average", "mean_average_precision_score"),  # groups are neither cells nor columns
    ("denominator", "recall_at_k_score"),  # of which one is 1 and another precision
    ("method", "confidence_interval"),  # which has no two models to swap
}


def test_types_in_docstrings_name_the_options_of_the_table():
    """If a docstring lists the possible strings, they are those of the table."""
    for name, function in FUNCTIONS.items():
        entries = re.findall(r"^(\w+) : (\{.+?\})", sections(function).get("Parameters", ""), re.M)
        for parameter, listed in entries:
            words = set(re.findall(r"'(\w+)'", listed))
            of_table = ALLOWED[parameter].words if parameter in ALLOWED else listed
            allowed = set(re.findall(r"'(\w+)'", of_table))
            assert words <= allowed, (name, parameter)
            if (parameter, name.rpartition(".")[2]) not in FEWER:
                assert words == allowed, (name, parameter)
            assert words or parameter not in ALLOWED, (name, parameter)
