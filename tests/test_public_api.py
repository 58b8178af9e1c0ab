"""The public names, what importing them costs, and the form of their docstrings."""

import inspect
import re
import subprocess
import sys
from types import ModuleType

import pytest
import sklearn.metrics

import sklearn_ap

SCORERS = {
    "get_scorer",
    "get_scorer_names",
    "make_ap_scorer",
    "make_map_scorer",
    "make_multi_scorer",
    "make_outlier_ap_scorer",
}
METRICS = {
    "average_precision_at_k_score",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "hit_curve",
    "interpolated_average_precision_score",
    "interpolated_precision_recall_curve",
    "mean_average_precision_score",
    "precision_at_k_score",
    "recall_at_k_score",
}
DISPLAYS = {"AveragePrecisionDisplay", "HitCurveDisplay"}
EXPECTED = METRICS | SCORERS | DISPLAYS
each_name = pytest.mark.parametrize("name", sorted(EXPECTED))
each_function = pytest.mark.parametrize("name", sorted(METRICS | SCORERS))
each_display = pytest.mark.parametrize("name", sorted(DISPLAYS))
each_metric = pytest.mark.parametrize("name", sorted(METRICS))


def sections(function):
    """Return the sections of a numpydoc docstring, by title."""
    parts = re.split(r"^(\S[^\n]*)\n-{3,}\n", inspect.getdoc(function), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented_parameters(function):
    """Return the names at the margin of the section Parameters."""
    entries = re.findall(
        r"^(\*{0,2}\w[\w, ]*?)(?: : .*)?$", sections(function).get("Parameters", ""), re.M
    )
    return [name for entry in entries for name in entry.split(", ")]


def test_all_is_the_expected_set():
    assert set(sklearn_ap.__all__) == EXPECTED
    assert len(sklearn_ap.__all__) == len(EXPECTED)


def test_all_is_what_is_public():
    public = {
        name
        for name, value in vars(sklearn_ap).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public == EXPECTED


def test_public_modules_are_ours():
    modules = [
        value
        for name, value in vars(sklearn_ap).items()
        if not name.startswith("_") and isinstance(value, ModuleType)
    ]
    assert [m.__name__ for m in modules if not m.__name__.startswith("sklearn_ap.")] == []


def test_import_leaves_optional_packages_alone():
    """scikit-learn itself may import pandas; we import nothing on top of that."""
    code = (
        "import sys, sklearn.metrics\n"
        "before = set(sys.modules)\n"
        "import sklearn_ap\n"
        "new = set(sys.modules) - before\n"
        "print({'dask', 'matplotlib', 'pandas', 'polars', 'pyarrow', 'torch'} & new)"
    )
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "set()"


@each_function
def test_docstring_has_the_sections(name):
    found = sections(getattr(sklearn_ap, name))
    assert {"Returns", "Examples"} <= set(found)
    assert ">>> " in found["Examples"]
    if name in METRICS:
        assert {"Parameters", "See Also", "References"} <= set(found)


@each_display
def test_docstring_of_a_display_has_the_sections(name):
    found = sections(getattr(sklearn_ap, name))
    assert {"Parameters", "Attributes", "See Also", "Examples"} <= set(found)


@each_display
def test_documented_parameters_of_a_display_are_those_of_the_signatures(name):
    display = getattr(sklearn_ap, name)
    methods = [method for method in vars(display) if not method.startswith("_")]
    assert {"from_estimator", "from_predictions", "plot"} <= set(methods)
    for function in [display, *(getattr(display, method) for method in methods)]:
        parameters = [p for p in inspect.signature(function).parameters if p != "self"]
        assert documented_parameters(function) == parameters


@each_function
def test_documented_parameters_are_those_of_the_signature(name):
    function = getattr(sklearn_ap, name)
    parameters = inspect.signature(function).parameters.values()
    stars = {inspect.Parameter.VAR_KEYWORD: "**"}
    assert documented_parameters(function) == [stars.get(p.kind, "") + p.name for p in parameters]


@each_name
def test_docstring_starts_with_one_short_sentence(name):
    first, blank, *_ = inspect.getdoc(getattr(sklearn_ap, name)).split("\n")
    assert first.endswith(".")
    assert blank == ""


@each_metric
def test_options_are_keyword_only(name):
    parameters = inspect.signature(getattr(sklearn_ap, name)).parameters.values()
    assert [p.name for p in parameters][:2] == ["y_true", "y_score"]
    assert {p.kind for p in list(parameters)[2:]} == {inspect.Parameter.KEYWORD_ONLY}


def test_average_precision_score_takes_what_scikit_learn_takes():
    ours = list(inspect.signature(sklearn_ap.average_precision_score).parameters.values())
    theirs = inspect.signature(sklearn.metrics.average_precision_score).parameters.values()
    starts = ours[: len(theirs)]
    assert [(p.name, p.kind, p.default) for p in starts] == [
        (p.name, p.kind, p.default) for p in theirs
    ]


def test_modules_for_large_data_are_imported_only_when_asked_for():
    code = (
        "import sys, sklearn_ap\n"
        "print([name for name in ('streaming', 'dask') if f'sklearn_ap.{name}' in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def public_of(module):
    return {
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
    }


def test_public_names_for_streams():
    from sklearn_ap import streaming

    assert public_of(streaming) == {
        "AveragePrecisionAccumulator",
        "average_precision_from_chunks",
    }


def test_public_names_for_dask():
    dask = pytest.importorskip("sklearn_ap.dask")
    no_curves = {name for name in METRICS if not name.endswith("curve")}
    assert public_of(dask) == set(dask.__all__) == no_curves | {"average_precision_bounds"}


@pytest.mark.parametrize("name", ["streaming", "dask"])
def test_docstrings_for_large_data(name):
    module = pytest.importorskip(f"sklearn_ap.{name}")
    for public in public_of(module):
        value = getattr(module, public)
        found = sections(value)
        assert {"Parameters", "See Also", "Examples"} <= set(found)
        parameters = inspect.signature(value).parameters.values()
        stars = {inspect.Parameter.VAR_KEYWORD: "**"}
        expected = [stars.get(p.kind, "") + p.name for p in parameters]
        assert documented_parameters(value) == expected
