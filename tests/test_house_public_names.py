"""The public names, what importing them costs, and the format of their docstrings."""

import dataclasses
import importlib
import inspect
import math
import pickle
import re
import subprocess
import sys
import typing
import warnings
from ast import literal_eval
from types import ModuleType, SimpleNamespace

import pytest
import sklearn.metrics

import sklearn_ap
from sklearn_ap import compat

from . import registry
from .documentation import sections

ABOUT_MODELS = {"compare", "compare_folds", "confidence_interval", "report"}
SCORERS = {"get_scorer", "get_scorer_names", "make_ap_scorer", "make_multi_scorer", "metric"}
SCORES = {f"{metric}_score" for metric in [*registry.METRICS, "mean_average_precision"]}
METRICS = SCORES | {"hit_curve", "operating_point"}
METRICS |= {"interpolated_precision_recall_curve"}
DISPLAYS = {"AveragePrecisionDisplay", "HitCurveDisplay"}
GRADED = {"ndcg_score"}
EXPECTED = {"Metric"} | METRICS | SCORERS | DISPLAYS | ABOUT_MODELS | GRADED
each_name = pytest.mark.parametrize("name", sorted(EXPECTED))


def documented_parameters(function):
    """Return the names at the margin of the section Parameters."""
    entries = re.findall(
        r"^(\*{0,2}\w[\w, ]*?)(?: : .*)?$", sections(function).get("Parameters", ""), re.M
    )
    return [name for entry in entries for name in entry.split(", ")]


def linked(function):
    """Return the functions that describe parameters, by the parameters that only link to them."""
    text = sections(function).get("Parameters", "")
    entries = re.findall(r"^(\w[\w, ]*)\n    As in :func:`(?:sklearn_ap\.)?(\w+)`", text, re.M)
    found = [
        (names, getattr(compat, target, None) or getattr(sklearn_ap, target))
        for names, target in entries
    ]
    return {name: target for names, target in found for name in names.split(", ")}


def test_what_is_public():
    assert sorted(sklearn_ap.__all__) == sorted(EXPECTED)
    assert all(callable(getattr(sklearn_ap, name)) for name in EXPECTED)
    public = {name: value for name, value in vars(sklearn_ap).items() if not name.startswith("_")}
    modules = {name for name, value in public.items() if isinstance(value, ModuleType)}
    assert set(public) == EXPECTED | modules
    assert all(public[name].__name__ == f"sklearn_ap.{name}" for name in modules)


def test_a_name_that_is_not_public_is_refused_in_the_words_of_python():
    with pytest.raises(AttributeError, match=r"module 'sklearn_ap' has no attribute 'pr_auc'$"):
        _ = sklearn_ap.pr_auc
    words = "has no attribute 'average_precison_score'"  # to which Python adds the nearest in dir()
    with pytest.raises(AttributeError, match=words) as caught:
        _ = sklearn_ap.average_precison_score
    assert (caught.value.obj, caught.value.name) == (sklearn_ap, "average_precison_score")
    assert "average_precision_score" in dir(sklearn_ap)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *[(name, "mean_average_precision_score") for name in ("mAP", "map_score", "map_at_k")],
        *[(name, "average_precision_score") for name in ("AP", "ap_score", "avg_precision")],
        ("ap_at_k_score", "average_precision_at_k_score"),
        ("p_at_k", "precision_at_k_score"),
        ("EF", "enrichment_factor_score"),
    ],
)
def test_common_names_are_told_the_public_ones(name, meant):
    with pytest.raises(AttributeError, match=rf"attribute '{name}'\. Did you mean: '{meant}'\?$"):
        getattr(sklearn_ap, name)
    assert meant in sklearn_ap.__all__


IMPORTED = """
import inspect, pydoc, sys, sklearn.metrics
before = set(sys.modules)
from sklearn_ap import average_precision_score as score
rims = {"sklearn_ap.spark", "sklearn_ap.displays", "sklearn_ap.scorers"}
print(sorted((rims | {"sklearn_ap.inference", "sklearn_ap._read.arrow"}) & set(sys.modules)))
import sklearn_ap as ap
print(ap.compat.__name__)
import sklearn_ap.boosting
from sklearn_ap import *
new = set(sys.modules) - before
optional = {"catboost", "lightgbm", "matplotlib", "pandas", "polars", "pyarrow"}
print((optional | {"pyspark", "torch", "xgboost"}) & new)
sys.modules |= dict.fromkeys(["matplotlib", "pyarrow", "pyspark"])
modules = [ap, *(module for _, module in inspect.getmembers(ap, inspect.ismodule))]
print(*(len(inspect.getmembers(module)) > 5 for module in modules))
print(*(len(pydoc.render_doc(module)) > 1000 for module in modules))
y, evaluator = [0, 1], ap.spark.MetricEvaluator
draw = ap.AveragePrecisionDisplay.from_predictions
for call in (evaluator, lambda: evaluator.load("folder"), lambda: draw(y, y)):
    try:
        call()
    except ImportError as error:
        print(error)
"""


def test_import_and_help_need_no_optional_package():
    """Modules are loaded where they are used, and say there what is missing.

    scikit-learn itself may import pandas, but we import nothing beyond that.
    """
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORTED], capture_output=True, text=True, check=True
    )
    loaded, compat, new, *shown, evaluator, again, picture = result.stdout.splitlines()
    assert (loaded, new) == ("[]", "set()")  # a metric loads what it needs
    assert compat == "sklearn_ap.compat"  # there without an import of its own
    assert shown == [" ".join(["True"] * 10)] * 2
    assert evaluator == again
    assert evaluator.endswith('needs PySpark and PyArrow: pip install "pyspark[sql]"')
    assert picture.endswith("needs matplotlib, which is not installed: pip install matplotlib")


IN_THREADS = """
from threading import Barrier, Thread
import sys, sklearn_ap as ap
assert "numpy" not in sys.modules
names = "average_precision_score", "confidence_interval", "compat", "get_scorer", "report"
barrier, errors = Barrier(len(names)), []
def use(name):
    barrier.wait()
    try:
        getattr(ap, name)
    except BaseException as error:
        errors.append(f"{name}: {error!r}")
threads = [Thread(target=use, args=[name]) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(errors, ap.average_precision_score([0, 1], [0.1, 0.2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_processes", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_the_first_use_can_be_in_several_threads(n_processes):
    """Without a lock, this fails nearly always, and so does what the process calls afterwards."""
    for _ in range(n_processes):
        command = [sys.executable, "-W", "error", "-c", IN_THREADS]
        result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        assert result.stdout == "[] 1.0\n"


@each_name
def test_docstrings_have_the_sections_and_the_parameters_of_the_signature(name):
    function = getattr(sklearn_ap, name)
    first, blank, *_ = inspect.getdoc(function).split("\n")
    assert first.endswith(".")
    assert blank == ""
    found = sections(function)
    needed = {"Attributes" if inspect.isclass(function) else "Returns", "Examples"}
    needed |= {"Parameters", "See Also"} if name in METRICS | DISPLAYS else set()
    assert needed <= set(found)
    assert ">>> " in found["Examples"]
    assert name not in METRICS or "References" in found
    for each in with_methods(function):
        if each is not sklearn_ap.Metric:  # which `metric` makes
            check_parameters(each)


@pytest.mark.parametrize("name", sorted(SCORES))
def test_docstrings_name_the_warning_without_positives(name):
    score = getattr(sklearn_ap, name)
    rows = [row for row in registry.METRICS.values() if row.score == name]
    options = registry.required(rows[0]) if rows else {"groups": [0, 0]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score([0, 0], [0.1, 0.2], **options)
    kinds = {each.category.__name__ for each in caught}
    named = "UndefinedMetricWarning" in sections(score).get("Warns", "")
    assert named is ("UndefinedMetricWarning" in kinds)


@pytest.mark.parametrize(
    ("name", "y_true", "options", "error"),
    [
        ("operating_point", [0, 1], {"min_precision": 1}, "NotReachableError"),
        ("confidence_interval", [0, 0], {}, "ValueError"),
        ("confidence_interval", [0, 1], {"clusters": [1, 1]}, "ValueError"),
        ("compare", [0, 0], {"y_score_b": [0.1, 0.3]}, "ValueError"),
        ("report", [0, 0], {}, "ValueError"),
    ],
)
def test_docstrings_name_the_errors_that_callers_catch(name, y_true, options, error):
    function = getattr(sklearn_ap, name)
    assert error in sections(function)["Raises"]
    with pytest.raises(ValueError, match=r"positive|precision|cluster") as caught:
        function(y_true, [0.2, 0.1], **options)
    assert error in {kind.__name__ for kind in type(caught.value).__mro__}


def check_parameters(function):
    parameters = inspect.signature(function).parameters.values()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    named = [stars.get(p.kind, "") + p.name for p in parameters if p.name != "self"]
    assert documented_parameters(function) == named


@pytest.mark.parametrize(
    "function",
    [
        *(getattr(sklearn_ap, name) for name in sorted(EXPECTED - DISPLAYS)),
        *(each for name in compat.__all__ if inspect.isroutine(each := getattr(compat, name))),
    ],
    ids=lambda function: function.__name__,
)
def test_defaults_are_those_that_are_documented(function):
    found = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty
    }
    entries = re.findall(
        r"^(\w[\w, ]*) : .*default=(.+)$", sections(function).get("Parameters", ""), re.M
    )
    documented = {
        name: math.nan if value == "nan" else literal_eval(value)
        for names, value in entries
        for name in names.split(", ")
    }
    documented |= {
        name: inspect.signature(target).parameters[name].default
        for name, target in linked(function).items()
    }
    assert found == documented


def test_average_precision_score_takes_what_scikit_learn_takes():
    ours = list(inspect.signature(sklearn_ap.average_precision_score).parameters.values())
    theirs = inspect.signature(sklearn.metrics.average_precision_score).parameters.values()
    starts = ours[: len(theirs)]
    assert [(p.name, p.kind) for p in starts] == [(p.name, p.kind) for p in theirs]
    defaults = [p.default for p in theirs if p.default is not EMPTY]
    assert [p.default for p in starts] == [None, None, *defaults]  # a table may know its columns


MODULES = ["boosting", "compat", "datasets", "inference", "readers", "reports", "spark"]
MODULES += ["thresholds"]


def with_methods(value):
    """Return a function, or a class with its own methods."""
    own = vars(value) if inspect.isclass(value) else {}
    methods = [getattr(value, name) for name in own if not name.startswith("_")]
    return [value, *(method for method in methods if inspect.isroutine(method))]


def with_signatures(module):
    """Return all public functions, classes and methods of a module."""
    values = [getattr(module, name) for name in module.__all__]
    return [found for value in values if callable(value) for found in with_methods(value)]


EMPTY = inspect.Parameter.empty


@pytest.mark.parametrize("module", ["", *MODULES])
def test_signatures_fit_a_screen_and_their_types_can_be_looked_up(module):
    """In fourteen lines, because `help` shows the names of types and doesn't expand them."""
    functions = with_signatures(getattr(sklearn_ap, module, sklearn_ap))
    assert functions
    for function in functions:
        shown = str(inspect.signature(function))
        assert len(shown) <= 14 * 80, (function.__qualname__, len(shown))
        assert "numpy." not in shown, function.__qualname__
        hinted = function.__init__ if inspect.isclass(function) else function
        elsewhere = {"Axes": object, "Report": object}  # of Matplotlib, and of another rim
        hints = typing.get_type_hints(hinted, localns=elsewhere)
        parameters = inspect.signature(function).parameters.values()
        typed = {parameter.name for parameter in parameters if parameter.annotation is not EMPTY}
        assert typed <= set(hints), function.__qualname__


OF_MODULES = {
    "boosting": {"lightgbm_metric", "xgboost_metric"},
    "datasets": {"load_payments"},
    "exceptions": {"InvalidParameterError", "NoPositivesError", "NotReachableError"}
    | {"SingleUnitError"},
    "inference": {"compare", "compare_folds", "confidence_interval"}
    | {"SearchComparison", "Comparison", "Comparisons", "Interval", "IntervalDisplay"},
    "readers": {"Retrieved", "answered", "read_coco", "read_runs", "read_trec", "read_voc"}
    | {"report_coco"},
    "spark": {"MetricEvaluator"},
}


@pytest.mark.parametrize("name", OF_MODULES)
def test_public_names_of_modules(name):
    """Only what other modules don't have: each metric is listed once."""
    module = getattr(sklearn_ap, name)
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    own = {n for n, value in public.items() if getattr(value, "__module__", "") == module.__name__}
    assert own == set(module.__all__) == OF_MODULES[name]


# What results keep
NOT_FOR_USERS = {"aim", "words", "is_chosen", "parts", "places", "shown", "source"}
NOT_FOR_USERS |= {"columns", "greater_is_better", "names", "other", "pairs", "ranking", "called"}
NOT_FOR_USERS |= {
    "families",
    "folds",
    "random_baseline",
    "below_random",
    "said",
    "tested",
    "origin",
    "pair",
    "family",
    "reason",
}
RESULTS = {
    "compat": ("Explanation", "Identification"),
    "inference": ("SearchComparison", "Comparison", "Comparisons", "Interval"),
    "reports": ("Report",),
    "thresholds": ("OperatingPoint", "OperatingPointTable", "ThresholdCheck"),
}


def results():
    label, models = [0, 1, 0, 1, 1, 0], {name: [6, 5, 4, 3, 2, 1] for name in "ab"}
    a, b = models.values()
    point = sklearn_ap.operating_point(label, a, k=2)
    splits = {"split0_test_score": [0.6, 0.5], "split1_test_score": [0.7, 0.5]}
    search = SimpleNamespace(cv_results_={"params": [{"C": 1}, {"C": 10}], **splits})
    return [
        sklearn_ap.compat.explain(label, a),
        sklearn_ap.compat.identify("0.5333", label, a),
        sklearn_ap.compare(label, a, b),
        sklearn_ap.compare(label, models, baseline="a"),
        sklearn_ap.compare_folds(search, n_train=4, n_test=1),
        sklearn_ap.confidence_interval(label, a),
        sklearn_ap.report(label, models, metrics="AP"),
        point,
        sklearn_ap.operating_point(label, models, k=2),
        point.check(label, a),
    ]


def test_results_are_classes_of_public_modules_and_document_their_attributes():
    """A type that a user looks up is found where it says, under a name that is listed there."""
    found = {}
    for result in results():
        kind = type(result)
        assert getattr(importlib.import_module(kind.__module__), kind.__name__) is kind
        assert pickle.loads(pickle.dumps(kind)) is kind
        name = kind.__module__.split(".")[1]
        assert kind.__name__ in getattr(sklearn_ap, name).__all__
        found.setdefault(name, set()).add(kind.__name__)
        documented = sections(kind)
        assert {"Attributes", "Examples"} <= set(documented), kind
        entries = re.findall(r"^(\w[\w, ]*) : ", documented["Attributes"], re.M)
        shown = {field.name for field in dataclasses.fields(result)} - NOT_FOR_USERS
        shown |= {
            name
            for name, value in vars(kind).items()
            if isinstance(value, property) and not name.startswith("_")
        }
        assert {name for entry in entries for name in entry.split(", ")} == shown, kind
    assert found == {module: set(names) for module, names in RESULTS.items()}


MODULES = ["compat", "datasets", "inference", "readers", "reports", "thresholds"]


@pytest.mark.parametrize("module", ["", *MODULES, "boosting"])
def test_every_name_has_an_example_and_leads_on(module):
    module = getattr(sklearn_ap, module, sklearn_ap)
    for value in (getattr(module, name) for name in module.__all__):
        if callable(value) and value is not sklearn_ap.metric:
            assert {"See Also", "Examples"} <= set(sections(value)), value


@pytest.mark.parametrize("module", ["boosting", "spark"])
def test_docstrings_of_modules(module):
    module = getattr(sklearn_ap, module)
    for value in (getattr(module, name) for name in module.__all__):
        assert {"Parameters", "See Also", "Examples"} <= set(sections(value))
        check_parameters(value)


def descriptions(function):
    """Return the type and the text of each parameter in a docstring."""
    entries = re.findall(
        r"^(\w+) : (.+)\n((?:    .*\n?|\n)+)", sections(function).get("Parameters", ""), re.M
    )
    described = {name: (kind, " ".join(text.split())) for name, kind, text in entries}
    # Methods that take an estimator call the labels y.
    return {
        name: (kind, text.replace("`y`", "`y_true`")) for name, (kind, text) in described.items()
    }


DESCRIBED = {
    parameter: text
    for name in ["average_precision_at_k_score", "average_precision_score"]
    for parameter, text in descriptions(getattr(sklearn_ap, name)).items()
}
POINTER = re.compile("[;:] see |^As (in|of) ")


def first_sentence(text):
    return text.partition(". ")[0].rstrip(".")


@pytest.mark.parametrize("module", ["", "boosting"])
def test_options_are_described_in_the_same_words(module):
    """Or with a reference to the function that has them. Elsewhere they may take other values."""
    for function in with_signatures(getattr(sklearn_ap, module, sklearn_ap)):
        for parameter, (kind, text) in descriptions(function).items():
            where = function.__qualname__, parameter
            of_main, words = DESCRIBED.get(parameter, ("", ""))
            alike = kind == of_main or (of_main and function.__name__ in SCORES)
            if alike and not POINTER.search(text):
                assert (kind, first_sentence(text)) == (of_main, first_sentence(words)), where
            for target in re.findall(r"see :func:`(\w+)`", text) if of_main else []:
                assert "see :func:" not in descriptions(getattr(sklearn_ap, target))[parameter][1]
