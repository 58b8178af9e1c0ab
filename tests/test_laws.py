"""Laws that every function keeps: what doesn't matter changes nothing.

A law changes the rows without changing what they say. Each metric, and each function that takes a
table, is called with both, in all cases of the matrix. A new function is covered once it is in
`FUNCTIONS` of the matrix, which `test_no_function_is_forgotten` demands.
"""

import inspect
import warnings
from functools import cache
from itertools import islice

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import boosting, compat, inference

from .registry import in_stable_order
from .tables import ROWS
from .test_ways_to_pass_data import (
    CASES,
    FUNCTIONS,
    RULES,
    SEVERAL,
    call,
    given_in,
    is_for,
    metric_of,
    of_arrays,
    plain,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore:.*No positive class"),
    pytest.mark.usefixtures("labels_take_no_room"),
]

SCORES = ["score", "other", "third"]
# What results say on the scale of the scores, or of the weights
OF_SCALE = {"threshold", "thresholds", "shown", "flagged_mass", "found_mass"}


def shuffled(rows):
    order = np.random.default_rng(0).permutation(len(rows["label"]))
    return {name: column[order] for name, column in rows.items()}


def ranked(rows):
    """Any other scores in the same order, with the same ties, across columns."""
    every, place = np.unique(np.concatenate([rows[name] for name in SCORES]), return_inverse=True)
    columns = np.split((place - every.size // 2).astype(float) ** 3, len(SCORES))
    return rows | dict(zip(SCORES, columns, strict=True))


def shifted(rows):
    """Scores of another dtype, far away from 0."""
    high = ranked(rows)
    return high | {name: high[name].astype(np.int64) + 2**60 for name in SCORES}


def scaled(rows):
    """Weights mean proportions, unless they are whole and stand for repeated rows."""
    return rows | {"mass": rows["mass"] * 2.0**-7}


def backwards(rows):
    return dict(reversed(rows.items()))


LAWS = {
    "permutation": shuffled,
    "monotone scores": ranked,
    "scores as large integers": shifted,
    "scale of weights": scaled,
    "columns in another order": backwards,
}
each_law = pytest.mark.parametrize("law", LAWS)


def test_each_law_changes_the_rows():
    for law in LAWS.values():
        changed = law(ROWS)
        assert changed.keys() == ROWS.keys()
        is_same = [np.array_equal(changed[name], ROWS[name]) for name in ROWS]
        assert not all(is_same) or [*changed] != [*ROWS]


def without_scale(result):
    """Leave out what is on the scale of the scores or the weights."""
    if isinstance(result, dict):
        kept = {name: each for name, each in result.items() if name not in OF_SCALE}
        return {name: without_scale(each) for name, each in kept.items()}
    return [without_scale(each) for each in result] if isinstance(result, list) else result


def without_draws(result):
    """Leave out the rows of a table that were drawn."""
    if not isinstance(result, list):
        return result
    return [row for row in result if not (isinstance(row, dict) and row.get("n_resamples"))]


def near(value):
    """Expect the same to rounding, which order and scale of sums change."""
    if isinstance(value, dict):
        return {name: near(each) for name, each in value.items()}
    if isinstance(value, list):
        return [near(each) for each in value]
    return pytest.approx(value, rel=1e-9, abs=1e-11, nan_ok=True) if type(value) is float else value


def outcome(function, *args, **kwargs):
    """Return the result, or the type of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(function(*args, **kwargs))
        except (TypeError, ValueError) as error:
            return type(error)


@cache
def metric_before(rule, case):
    named, _ = given_in(case)
    named.pop("clusters", None)
    return outcome(metric_of, rule, data=ROWS, **named)


@cache
def result_before(function, case):
    named, _ = given_in(case)
    return outcome(call, function, named, data=ROWS)


@each_law
@pytest.mark.parametrize("case", CASES | SEVERAL)
def test_metrics(law, case):
    named, _ = given_in(case)
    named.pop("clusters", None)
    changed = LAWS[law](ROWS)
    for rule in RULES:
        counts_mass = rule.depth and not rule.depth.is_share and not rule.depth.by_rows
        if is_for(rule, case) and not (law == "scale of weights" and counts_mass):
            after = outcome(metric_of, rule, data=changed, **named)
            assert after == near(metric_before(rule, case)), rule


# Results for which the scale, the order or the dtype of scores matter, and why.
EXCEPT = {
    **{
        (name, law): "thresholds are scores"
        for name in ("hit_curve", "interpolated_precision_recall_curve")
        for law in ("monotone scores", "scores as large integers")
    },
    ("metric_bounds, n_bins", "monotone scores"): "other scores share a bin",
    ("metric_bounds, n_bins", "scores as large integers"): "other scores share a bin",
    ("influence", "permutation"): "one number per row",
    ("influence", "scale of weights"): "per unit of weight",
    ("identify", "scale of weights"): "weights can be tried as counts",
    ("explain", "monotone scores"): "some tools bin the scores",
    ("explain", "scores as large integers"): "some tools round the scores",
    ("identify", "monotone scores"): "some tools bin the scores",
    ("identify", "scores as large integers"): "some tools round the scores",
    **{
        (name, "permutation"): "some tools rank ties in the order of the rows"
        for name in ("explain", "identify")
    },
}


def takes(function, case):
    _, refused = of_arrays(function, case)
    return not refused and not (function == "report" and case in SEVERAL)


@each_law
@pytest.mark.parametrize("n_cases", [3, pytest.param(len(CASES | SEVERAL), marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions(law, function, n_cases):
    if (function, law) in EXCEPT:
        pytest.skip(EXCEPT[function, law])
    changed = LAWS[law](ROWS)
    cases = (
        case for case in in_stable_order([*CASES, *SEVERAL], function, law) if takes(function, case)
    )
    for case in islice(cases, n_cases):
        named, _ = given_in(case)
        before = result_before(function, case)
        assert isinstance(before, dict | list | float), before
        after = outcome(call, function, named, data=changed)
        if law == "permutation":  # a bootstrap draws rows by their places
            before, after = without_draws(before), without_draws(after)
        assert without_scale(after) == near(without_scale(before)), case


def functions_of_tables():
    """Every public function, and method that makes a display, with a parameter `data`."""
    places = {"": ap, "compat.": compat, "inference.": inference, "boosting.": boosting}
    for prefix, place in places.items():
        for name in place.__all__:
            value = getattr(place, name)
            made = [(name, value)]
            if inspect.isclass(value):
                made = [
                    (f"{name}.{method}", getattr(value, method))
                    for method in vars(value)
                    if method.startswith("from_")
                ]
            for full, function in made:
                if callable(function) and "data" in inspect.signature(function).parameters:
                    yield prefix + full, function


def test_no_function_is_forgotten():
    """A function that takes a table is a metric, or in the matrix."""
    tried = {inspect.unwrap(getattr(each, "func", each)) for each in FUNCTIONS.values()}
    metrics = [getattr(ap, name) for name in ap.__all__ if name.endswith("_score")]
    metrics.append(compat.trapezoidal_average_precision_score)
    tried |= {inspect.unwrap(metric) for metric in metrics}
    tried = {getattr(each, "__func__", each) for each in tried}
    missing = {
        name
        for name, function in functions_of_tables()
        if getattr(inspect.unwrap(function), "__func__", inspect.unwrap(function)) not in tried
    }
    assert not missing
