"""The parameters that describe the data are written out, alike, in every public function."""

import contextlib
import inspect
import re

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import metrics
from sklearn_ap._core.data import DATA_PARAMETERS, NOT_SAID
from sklearn_ap._core.rules import RULES

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
NEEDED_VALUES = {  # for options without a default, or those that others need
    name: {option: value for option, value in needed.items() if not isinstance(value, str)}
    for name, needed in NEEDED.items()
}
NEEDED_VALUES["mean_average_precision_score"] = {"groups": np.arange(60) // 12}
NEEDED_VALUES["identify"] = {"value": "0.5"}
ASKS_FOR = {name: inspect.signature(each).parameters for name, each in FUNCTIONS.items()}
WORDS = {}  # of all rules
for rule in RULES:
    for option, words in rule.list_words().items():
        WORDS.setdefault(option, {}).update(dict.fromkeys(words))
OF_DATA = [name for name in FUNCTIONS if "y_true" in inspect.signature(FUNCTIONS[name]).parameters]


@pytest.mark.parametrize("name", OF_DATA)
def test_names_order_and_defaults_are_alike(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    own = [each for each in parameters if each in DATA_PARAMETERS]
    assert own == [each for each in DATA_PARAMETERS if each in own]
    # A function that takes a metric leaves to it what isn't said.
    leaves = {"metric", "metrics"} & {*parameters}
    for each in own:
        is_left = leaves and each != "data"
        assert parameters[each].default == (NOT_SAID if is_left else DATA_PARAMETERS[each])
        assert parameters[each].kind == inspect.Parameter.KEYWORD_ONLY
    if name in METRICS:
        assert own == [each for each in DATA_PARAMETERS if each not in LACKS.get(name, [])]


# --- what is said is obeyed, also if it is the usual default --------------------------------------

RNG = np.random.default_rng(0)
LABELS, SCORES = RNG.integers(0, 2, 60), RNG.random((60, 3))
ROWS = {
    "one": (LABELS, SCORES[:, 0], SCORES[:, 1]),
    "classes": (np.arange(60) % 3, SCORES, SCORES[::-1]),
    "rare": (LABELS * (np.arange(60) > 20), SCORES[:, 0], SCORES[:, 1]),
}
GROUPS = np.arange(60) // 12
BOUND = {  # what a metric says, of which rows, and what else a call needs
    "average": ("weighted", "one", {"groups": GROUPS}),
    "pos_label": (0, "one", {}),
    "sample_weight": (RNG.random(60), "one", {}),
    "zero_division": (1.0, "rare", {"groups": GROUPS}),
    "classes": ([2, 1, 0], "classes", {}),
    "n_positives": (90, "one", {}),
    "groups": (GROUPS, "one", {}),
    "min_grade": (0, "one", {}),
}
ASKING = {"a metric": None} | {
    name: each
    for name, each in FUNCTIONS.items()
    if {"y_true", "pos_label"} <= {*inspect.signature(each).parameters}
    and {"metric", "metrics"} & {*inspect.signature(each).parameters}
}


def ask_for_value(name, metric, rows, said):
    y_true, first, second = ROWS[rows]
    if name == "a metric":
        return metric(y_true, first, **said)
    parameters = inspect.signature(ASKING[name]).parameters
    said = {each: value for each, value in said.items() if each in parameters}
    which = "metrics" if "metrics" in parameters else "metric"
    scores = [first, second] if "y_score_b" in parameters else [first]
    result = ASKING[name](y_true, *scores, **{which: metric}, **said)
    if isinstance(result, dict):
        return sum(result.values())
    return result.rows[0].value if hasattr(result, "rows") else result.value


@pytest.mark.parametrize("option", BOUND)
@pytest.mark.parametrize("name", ASKING)
@pytest.mark.filterwarnings("ignore:No positive class")
def test_what_a_call_says_replaces_what_a_metric_says(name, option):
    bound, rows, needed = BOUND[option]
    if name == "values_by_group":  # whose groups are needed, and whose average is None
        if option in ("average", "classes", "groups", "n_positives"):
            return
        needed = {"groups": GROUPS}
    usual = DATA_PARAMETERS[option]
    plain, metric = ap.metric("AP"), ap.metric("AP", **{option: bound})
    unsaid = ask_for_value(name, metric, rows, needed)
    assert unsaid == pytest.approx(ask_for_value(name, plain, rows, needed | {option: bound}))
    said = ask_for_value(name, metric, rows, needed | {option: usual})
    assert said == pytest.approx(ask_for_value(name, plain, rows, needed))
    assert said != pytest.approx(unsaid)


@pytest.mark.parametrize("option", ["pos_label", "zero_division"])
def test_what_is_said_to_a_scorer_replaces_what_a_metric_says(option):
    bound, usual = {"pos_label": (0, 1), "zero_division": (1.0, 0.0)}[option]
    scorer = ap.make_ap_scorer(ap.metric("AP", **{option: bound}), **{option: usual})
    assert repr(scorer) == repr(ap.make_ap_scorer("AP", **{option: usual}))


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
            is_left = parameter.default is NOT_SAID  # The usual default is that of most metrics.
            default = DATA_PARAMETERS[each] if is_left else parameter.default
            assert repr(default) == found[2].replace('"', "'"), each


@pytest.mark.parametrize("name", METRICS)
def test_help_lists_the_words_that_are_taken(name):
    text, data = inspect.getdoc(FUNCTIONS[name]), {"y_true": LABELS, "y_score": SCORES[:, 0]}
    for option in {*WORDS} & {*ASKS_FOR[name]}:
        listed = re.search(rf"^{option} : (.*)$", text, re.MULTILINE)[1]
        taken = set()
        for word in WORDS[option]:
            for needed in ({}, {"k": 3}, {"n_points": 11}):
                given = data | NEEDED_VALUES.get(name, {}) | {option: word}
                with contextlib.suppress(ValueError, TypeError):
                    FUNCTIONS[name](**given, **needed)
                    taken.add(word)
        assert {*map(repr, taken)} == {*re.findall(r"'\w+'", listed.partition(", default")[0])}, (
            option
        )


@pytest.mark.parametrize("name", [each for each in OF_DATA if "average" in ASKS_FOR[each]])
def test_help_says_whether_each_value_can_be_had(name):
    listed = re.search(r"^average : (.*)$", inspect.getdoc(FUNCTIONS[name]), re.MULTILINE)[1]
    given = {"y_true": LABELS, "groups": GROUPS, "average": None} | NEEDED_VALUES.get(name, {})
    scores = {"y_score_a": SCORES[:, 0], "y_score_b": SCORES[:, 1], "y_score": SCORES[:, 0]}
    given |= {each: scores[each] for each in scores if each in ASKS_FOR[name]}
    try:
        FUNCTIONS[name](**given)
        is_taken = True
    except ValueError:
        is_taken = False
    assert is_taken == ("None" in listed)
