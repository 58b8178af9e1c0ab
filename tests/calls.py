"""What all kinds of data are passed to, and what a caller says about the data.

A case is what a caller says about the rows of `tables.py`, by the names of their columns. Metrics
and other functions are called with it by names, for a table, and with arrays.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from functools import cache, partial
from inspect import isclass, signature

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import boosting, compat, inference

from .axes import on_new_axes
from .examples import AP
from .registry import SOME, has_function, in_stable_order, is_legal, score, spelled
from .tables import DECIMALS, EXIST, ROWS, SORTED

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
}
SEVERAL = {  # several columns
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


# Results
def plain(value):
    """Return a result as nested dicts and lists, without the names of columns."""
    if isinstance(value, str):
        value = re.sub(r" \((query|day|day, kind)\)", "", value)
        value = re.sub(r"\b(day)(s?)\b(?= with|,|$)", r"cluster\2", value)
        return re.sub(r"\b([Ww]eighted) by \w+", r"\1", value)
    if hasattr(value, "ax_"):
        lines = [(line.get_label(), corners(line)) for line in value.ax_.lines]
        # Where a mean is drawn depends on the number of samples, which isn't known of every table.
        return plain([(label, places if len(places) < 100 else None) for label, places in lines])
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        if "sample_weight" in value:  # of conditions, where weights without a name are True
            value = {**value, "sample_weight": True}
        named = "model", "models", "label_column", "score_column", "columns"
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
    return is_legal(rule, weighted="sample_weight" in (CASES | SEVERAL)[case])


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


# Other functions
FUNCTIONS = {
    "hit_curve": ap.hit_curve,
    "interpolated_precision_recall_curve": ap.interpolated_precision_recall_curve,
    "operating_point, min_recall": partial(ap.operating_point, min_recall=0.02),
    "operating_point, min_precision": partial(ap.operating_point, min_precision=0.2),
    "operating_point, k": partial(ap.operating_point, k=7, k_counts="samples"),
    "confidence_interval": ap.confidence_interval,
    "compare": partial(ap.compare, random_state=0),
    "report": partial(ap.report, metrics=["AP", "11-point"], random_state=0),
    "explain": compat.explain,
    "identify": partial(compat.identify, "0.5"),
    "AveragePrecisionDisplay": on_new_axes(ap.AveragePrecisionDisplay.from_predictions),
    "HitCurveDisplay": on_new_axes(ap.HitCurveDisplay.from_predictions),
}
OF_ONE_RANKING = list(FUNCTIONS)[:5]
DISPLAYS = list(FUNCTIONS)[-2:]
ONE = "needs a single value, but average=None"
REFUSED = {  # besides what a function has no parameter for
    **{
        (name, case): ONE
        for name in ("confidence_interval", "compare")
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
    several = case in SEVERAL and function in OF_ONE_RANKING + OF_MODELS and function != "report"
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


def check_function(table, kind, function, case):
    named, _ = given_in(case)
    expected, words = of_arrays(function, case)
    if function == "report" and case in SEVERAL:
        words = "y_score"  # a list of columns is a list of models
    if words is None:
        assert call(function, named, data=table) == near(expected), case
    else:
        with pytest.raises((TypeError, ValueError), match=words):
            call(function, named, data=table)


# Columns that need care
SHARES = [
    rule
    for rule in SOME
    if has_function(rule) and rule.cut and rule.cut.is_share and is_legal(rule, weighted=True)
]


def check_shares(table, rules):
    """k is rounded up in the groups whose weights are whole."""
    named = {"groups": "query", "sample_weight": "either"}
    arrays = {role: ROWS[name] for role, name in named.items()}
    options = {"average": None, "zero_division": 0.0}
    for rule in rules:
        found = score(rule, "label", "score", data=table, **named, **options)
        expected = score(rule, ROWS["label"], ROWS["score"], **arrays, **options)
        assert found == pytest.approx(expected, abs=1e-12), rule


def check_decimals(table, of_labels=True):
    """Labels, scores and weights are the nearest floats, and groups stay decimals."""
    floats = {name: np.array(v, float) for name, (v, _) in DECIMALS.items()}
    label, score = DECIMALS["label"][0], floats["score"]
    given = {"y_score": "score", "data": table}
    assert AP("label", **given) == AP(label, score)
    by_mass = partial(ap.recall_at_k_score, k=0.1)
    found = by_mass("label", **given, sample_weight="mass")
    assert found == by_mass(label, score, sample_weight=floats["mass"])
    point = ap.operating_point("label", **given, min_recall=0.5)
    assert (point.shown, point.n_flagged) == ("0.41", 3)
    *_, thresholds = ap.hit_curve("label", **given)
    assert thresholds[1:].tolist() == [0.7, 0.57, 0.41, 0.35, 0.2, 0.1]
    if of_labels:
        assert AP("grade", **given, min_grade=0.1) == AP(floats["grade"] >= 0.1, score)
        assert AP("three", **given, pos_label=3) == AP(floats["three"] == 3, score)
    given |= {"y_true": "label", "groups": "query", "average": None, "zero_division": 0.0}
    exist = {Decimal("0.1"): 4, Decimal("0.25"): 2, Decimal("0.3"): 1}
    found = AP(**given, n_positives=exist)
    assert found == pytest.approx([2 / 4, 1 / 3 / 2, 0], abs=1e-12)
    with pytest.raises(ValueError, match=r"group Decimal\('0\.10*'\).* keys look like 0\.1\."):
        AP(**given, n_positives={0.1: 4, 0.25: 2})


def functions_of_tables():
    """Every public function, and method that makes a display, with a parameter `data`."""
    places = {"": ap, "compat.": compat, "inference.": inference, "boosting.": boosting}
    for prefix, place in places.items():
        for name in place.__all__:
            value = getattr(place, name)
            made = [(name, value)]
            if isclass(value):
                made = [
                    (f"{name}.{method}", getattr(value, method))
                    for method in vars(value)
                    if method.startswith("from_")
                ]
            for full, function in made:
                if callable(function) and "data" in signature(function).parameters:
                    yield prefix + full, function
