"""The parameters that describe the data are written out, alike, in every public function."""

import inspect
import re

import pytest

import sklearn_ap as ap
from sklearn_ap import metrics
from sklearn_ap._core.data import DATA_PARAMETERS, NOT_SAID

from .test_every_function import GROUPED, NEEDED

FUNCTIONS = {name: getattr(ap, name) for name in ap.__all__}
if hasattr(ap, "compat"):
    FUNCTIONS |= {name: getattr(ap.compat, name) for name in ap.compat.__all__}
FUNCTIONS = {name: each for name, each in FUNCTIONS.items() if inspect.isfunction(each)}
METRICS = [name for name in FUNCTIONS if name.endswith("_score")]
# Grades are read as they are, and groups have one column of labels.
LACKS = {
    "ndcg_score": ["pos_label", "classes", "min_grade"],
    "mean_average_precision_score": ["classes"],
}
OF_DATA = [name for name in FUNCTIONS if "y_true" in inspect.signature(FUNCTIONS[name]).parameters]


@pytest.mark.parametrize("name", OF_DATA)
def test_names_order_and_defaults_are_alike(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    own = [each for each in parameters if each in DATA_PARAMETERS]
    assert own == [each for each in DATA_PARAMETERS if each in own]
    # A function that takes a metric leaves to it what isn't said.
    leaves = {"metric", "metrics"} & {*parameters}
    for each in own:
        if leaves and each != "data":
            assert parameters[each].default is NOT_SAID
        else:
            assert parameters[each].default == DATA_PARAMETERS[each]
        assert parameters[each].kind == inspect.Parameter.KEYWORD_ONLY
    if name in METRICS:
        assert own == [each for each in DATA_PARAMETERS if each not in LACKS.get(name, [])]


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_passes_each_of_them_on_by_its_name(name, monkeypatch):
    def note(rule, y_true, y_score, **data):
        return y_true, y_score, data

    monkeypatch.setattr(metrics, "evaluate", note)
    own = {each: value for each, value in NEEDED.get(name, {}).items() if each not in GROUPED}
    passed = {each: object() for each in DATA_PARAMETERS if each not in LACKS.get(name, [])}
    assert FUNCTIONS[name](1, 2, **own, **passed) == (1, 2, passed)


@pytest.mark.parametrize("name", OF_DATA)
def test_help_has_a_line_for_each_parameter(name):
    text = inspect.getdoc(FUNCTIONS[name])
    for each in inspect.signature(FUNCTIONS[name]).parameters:
        assert re.search(rf"^(\w+, )*{each}\b.*( : |$)|^\*\*{each}$", text, re.MULTILINE), each


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_has_the_defaults(name):
    text = inspect.getdoc(FUNCTIONS[name])
    for each, parameter in inspect.signature(FUNCTIONS[name]).parameters.items():
        found = re.search(rf"^(\w+, )*{each}\b.* : .*, default=(.*)$", text, re.MULTILINE)
        if found:
            default = parameter.default
            default = DATA_PARAMETERS[each] if default is NOT_SAID else default
            assert repr(default) == found[2].replace('"', "'"), each
