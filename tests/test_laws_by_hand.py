"""What a caller says about the data gives what the same data gives if it's prepared by hand.

Each parameter about the data has a case here, which says how to do without it. It's tried for every
function that takes the parameter. So a new parameter or function needs a case, or turns a test red,
and a parameter that a function forgets, or reads in another way than others, is noticed.
"""

from functools import partial
from inspect import signature

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap._inputs.records import SHARED

from .axes import on_new_axes
from .calls import functions_of_tables
from .tables import ROWS

Y, S, OTHER = ROWS["label"], ROWS["score"], ROWS["other"]
POINT = partial(ap.operating_point, min_precision=0.2)


# Functions, and the numbers in their results
def of_ends(result):
    return [result.low, result.high]


def of_interval(result):
    return [result.difference if hasattr(result, "difference") else result.value]


def of_explanation(result):
    return [result.to_dict()["step"]["value"]]


def display_value(draw, y_true, y_score, **given):
    return draw(y_true, y_score, **given).value


def checked(y_true, y_score, **given):
    of_choice = {name: given.pop(name) for name in ("pos_label", "min_grade") if name in given}
    return POINT(y_true, y_score, **of_choice).check(y_true, y_score, **given)


CURVES = ("hit_curve", "interpolated_precision_recall_curve")
FUNCTIONS = {
    "average_precision_score": (ap.average_precision_score, np.atleast_1d),
    "recall_at_k_score": (partial(ap.recall_at_k_score, k=10, k_counts="weight"), np.atleast_1d),
    "hit_curve": (ap.hit_curve, list),
    "interpolated_precision_recall_curve": (ap.interpolated_precision_recall_curve, list),
    "operating_point": (POINT, lambda point: [point.threshold, point.precision, point.recall]),
    "OperatingPoint.check": (
        checked,
        lambda check: [check.precision.value, check.recall.value, check.flagged_share.value],
    ),
    "confidence_interval": (ap.confidence_interval, of_interval),
    "compare": (ap.compare, of_interval),
    "report": (
        partial(ap.report, metrics=["AP", "11-point"], n_resamples=2, random_state=0),
        lambda report: [row.value for row in report],
    ),
    "compat.explain": (compat.explain, of_explanation),
    "compat.identify": (
        partial(compat.identify, "0.5"),
        lambda found: [each["value"] for each in found.to_dict()["matches"]],
    ),
    "AveragePrecisionDisplay.from_predictions": (
        on_new_axes(ap.AveragePrecisionDisplay.from_predictions),
        lambda display: np.atleast_1d(display.value),
    ),
    "HitCurveDisplay.from_predictions": (
        on_new_axes(ap.HitCurveDisplay.from_predictions),
        lambda display: np.atleast_1d(display.value),
    ),
}


def parameters_of(name):
    if name == "OperatingPoint.check":
        return signature(ap.thresholds.OperatingPoint.check).parameters
    function = FUNCTIONS[name][0]
    return signature(getattr(function, "__wrapped__", function)).parameters


def numbers(name, *columns, extract=None, **given):
    """Return the numbers in what a function returns, by curves as one array for each axis."""
    function, usual = FUNCTIONS[name]
    columns = columns if name == "compare" else columns[:2]
    if name not in CURVES and "zero_division" in parameters_of(name):
        given.setdefault("zero_division", 0.0)
    return (extract or usual)(function(*columns, **given))


# How to do without each parameter: the numbers with it, and by hand
def by_pos_label(name):
    with_it = numbers(name, ROWS["answer"], S, OTHER, pos_label="yes")
    return with_it, numbers(name, (ROWS["answer"] == "yes").astype(int), S, OTHER)


def by_min_grade(name):
    with_it = numbers(name, ROWS["grade"], S, OTHER, min_grade=2)
    return with_it, numbers(name, (ROWS["grade"] >= 2).astype(int), S, OTHER)


def by_sample_weight(name):
    """A row of weight 3 is three rows."""
    count = ROWS["count"]
    with_it = numbers(name, Y, S, OTHER, sample_weight=count)
    return with_it, numbers(name, *(np.repeat(column, count) for column in (Y, S, OTHER)))


def by_n_positives(name):
    """If there are twice as many, recall and the areas over it are half as large."""
    with_it = numbers(name, Y, S, OTHER, n_positives=2 * int(Y.sum()))
    once = numbers(name, Y, S, OTHER)
    half = {
        "hit_curve": [1, 0.5, 1],
        "interpolated_precision_recall_curve": [1, 0.5, 1],
        "operating_point": [1, 1, 0.5],
        "OperatingPoint.check": [1, 0.5, 1],
    }.get(name, [0.5] * len(once))
    return with_it, [factor * number for factor, number in zip(half, once, strict=True)]


def in_each_group(name):
    """Return the numbers of each group of rows alone, without intervals, which some don't have."""
    found = []
    for group in np.unique(ROWS["query"]):
        y, s, other = (column[ROWS["query"] == group] for column in (Y, S, OTHER))
        score, points = ap.average_precision_score, ap.eleven_point_average_precision_score
        if name == "compare":
            found.append([score(y, s) - score(y, other)])
        elif name == "confidence_interval":
            found.append([score(y, s)])
        elif name == "report":
            found.append([score(y, s), points(y, s)])
        else:
            found.append(numbers(name, y, s))
    return found


def by_groups(name):
    """The mean over groups, or the curve of each; a threshold is the same for all."""
    groups = ROWS["query"]
    if name in CURVES:
        found = FUNCTIONS[name][0](Y, S, groups=groups)
        with_it = [axis for group in sorted(found) for axis in found[group]]
        return with_it, [axis for curve in in_each_group(name) for axis in curve]
    with_it = numbers(name, Y, S, OTHER, groups=groups)
    if name in ("operating_point", "OperatingPoint.check"):
        return with_it, numbers(name, Y, S, OTHER)
    if "Display" in name:
        return with_it, np.ravel(in_each_group(name))
    return with_it, np.mean(in_each_group(name), axis=0)


def by_clusters(name):
    """If each row is a cluster of its own, intervals are those of rows."""
    extract, level = OF_INTERVALS.get(name, (of_ends, {}))
    given = {"extract": extract, **level}
    with_it = numbers(name, Y, S, OTHER, clusters=np.arange(Y.size), **given)
    return with_it, numbers(name, Y, S, OTHER, **given)


# What has intervals in other places, and the options without which it has none
OF_INTERVALS = {
    "report": (lambda report: [[row.low, row.high] for row in report], {}),
    "operating_point": (None, {"confidence_level": 0.6, "min_precision": 0.1}),
    "OperatingPoint.check": (lambda check: [*check.precision, *check.recall], {}),
    **dict.fromkeys(
        ("AveragePrecisionDisplay.from_predictions", "HitCurveDisplay.from_predictions"),
        (lambda display: display.bands[0].interval, {"confidence_level": 0.9}),
    ),
}


def by_zero_division(name):
    """One of the five groups has no positives, so its value is 1 instead of 0."""
    with_it = numbers(name, Y, S, OTHER, groups=ROWS["query"], zero_division=1.0)
    without = np.asarray(numbers(name, Y, S, OTHER, groups=ROWS["query"]))
    if "Display" in name:
        return with_it, np.where(np.arange(5) == 3, 1.0, without)
    return with_it, without + (0.2 if name != "compare" else 0.0)


def by_average(name):
    """The mean weighted by the positives of each group."""
    with_it = numbers(name, Y, S, OTHER, groups=ROWS["query"], average="weighted")
    weight = [Y[ROWS["query"] == group].sum() for group in np.unique(ROWS["query"])]
    return with_it, np.average(in_each_group(name), axis=0, weights=weight)


def by_classes(name):
    """Columns in another order, with their classes, are those in sorted order."""
    columns = np.column_stack([S, OTHER, ROWS["third"]])
    order = [2, 0, 1]
    classes = np.array(["cat", "dog", "eel"])
    others = columns[:, ::-1]
    with_it = numbers(
        name, ROWS["kind"], columns[:, order], others[:, order], classes=classes[order]
    )
    sorted_too = numbers(name, ROWS["kind"], columns, others)
    return with_it, sorted_too


BY_HAND = {
    "average": by_average,
    "classes": by_classes,
    "clusters": by_clusters,
    "groups": by_groups,
    "min_grade": by_min_grade,
    "n_positives": by_n_positives,
    "pos_label": by_pos_label,
    "sample_weight": by_sample_weight,
    "zero_division": by_zero_division,
}
OF_THE_MATRIX = {"y_true", "y_score", "data"}  # which arrays and tables are compared there
EXEMPT = {
    ("compat.explain", "average"): "it isn't a parameter",
    ("compat.identify", "sample_weight"): "it also tries what happens without weights",
    ("compat.identify", "min_grade"): "it also tries nDCG of the grades",
    ("compat.identify", "groups"): "it also tries all rows together",
    ("compat.identify", "n_positives"): "it also tries the positives that were found",
    ("report", "n_positives"): "11-point AP isn't proportional to recall",
}


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("name", "field"),
    [
        pytest.param(name, field, id=f"{name}-{field}")
        for name in FUNCTIONS
        for field in BY_HAND
        if field in parameters_of(name) and (name, field) not in EXEMPT
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore:.*No positive class")
def test_a_parameter_is_what_can_be_done_by_hand(name, field):
    with_it, by_hand = BY_HAND[field](name)
    assert len(with_it) == len(by_hand) > 0
    for one, other in zip(with_it, by_hand, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_each_parameter_about_the_data_has_a_case():
    assert {*BY_HAND} | OF_THE_MATRIX == {*SHARED, "data"}
    for name, field in EXEMPT:
        assert field in parameters_of(name) or field == "average"


def test_each_function_of_tables_is_tried():
    metrics = {name for name, _ in functions_of_tables() if name.endswith("_score")}
    others = {name.removeprefix("inference.") for name, _ in functions_of_tables()} - metrics
    assert others == {name for name in FUNCTIONS if not name.endswith(("_score", ".check"))}
