"""Laws that every function keeps: what doesn't matter changes nothing.

A law changes the rows without changing what they say. Each metric, and each function that takes a
table, is called with both, in all cases of `calls.py`. A new function is covered once it is in
`FUNCTIONS` there, which `test_no_function_is_forgotten` demands.
"""

import dataclasses
import inspect
import json
import pickle
import re
import warnings
from functools import cache
from itertools import islice

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import compat

from .calls import (
    CASES,
    DISPLAYS,
    FUNCTIONS,
    RULES,
    SEVERAL,
    call,
    functions_of_tables,
    given_in,
    is_for,
    metric_of,
    of_arrays,
    plain,
)
from .registry import definition_of, in_stable_order
from .tables import ROWS

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore:.*No positive class"),
    pytest.mark.usefixtures("few_random_orders"),
]

SCORES = ["score", "other", "third"]
# What results say on the scale of the scores, or of the weights
OF_SCALE = {"threshold", "thresholds", "shown", "flagged_mass", "found_mass"}
OF_SCALE |= {"score_types", "is_lasting"}


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


@pytest.mark.sweep(18)
@each_law
@pytest.mark.parametrize("case", CASES | SEVERAL)
def test_metrics(law, case):
    named, _ = given_in(case)
    named.pop("clusters", None)
    changed = LAWS[law](ROWS)
    for rule in RULES:
        counts_mass = rule.cut and not rule.cut.is_share and not rule.cut.counts_rows
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


@pytest.mark.sweep(8)
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


GRADED = [ap.metric(name) for name in ("nDCG@5",)]
OF_GROUPS = [
    ap.metric(lambda _, y_score: float(y_score[0]), name="first score"),
    ap.metric(lambda _, y_score, judged: float(y_score[-1]), name="last score"),
    ap.metric(lambda y_true, _, sample_weight=None: float(y_true[0]), name="first label"),
    ap.metric("nDCG", gains="exponential"),
]
JUDGED = {f"q{number}": {0: 50, 1: 50} for number in range(5)}
OF_REPORTS = {case: given for case, given in CASES.items() if "average" not in given}
OF_REPORTS |= {"each class": SEVERAL["each class"], "judged": {"groups": "query"}}
OF_REPORTS |= {"high grades": {"y_true": "high", "groups": "query"}}


def metrics_in_words(case):
    """Some metrics of labels, and those that read grades or are functions."""
    rules = [rule for rule in RULES if is_for(rule, case)] if case in CASES else RULES
    named = (definition_of(rule) for rule in in_stable_order(rules, case)[:4])
    of_labels = [ap.metric(definition, **options) for definition, options in named]
    return [*of_labels, *GRADED, *OF_GROUPS]


@pytest.mark.sweep(20)
@pytest.mark.parametrize("case", OF_REPORTS)
def test_a_report_of_several_metrics_is_that_of_each_one_in_any_order(case):
    """Also if one of them is refused: then so is the report, in the same words."""
    given = {"y_true": "label", "zero_division": 0.0} | OF_REPORTS[case]
    given |= {"n_positives": JUDGED} if case == "judged" else {}
    scores = given.get("y_score")
    given["y_score"] = {"score": "score", "other": "other"}
    if case == "each class":
        given["y_score"] = {"score": scores, "other": scores[::-1]}
    rows = ROWS | {"high": 2000 * ROWS["label"]}
    options = {"baseline": "score", "random_state": 0}

    def told(metrics):
        try:
            report = ap.report(metrics=metrics, data=rows, n_resamples=9, **given, **options)
        except (TypeError, ValueError) as error:
            return str(error)
        fields = [field.name for field in dataclasses.fields(report.rows[0]) if field.compare]
        return [str([getattr(row, name) for name in fields]) for row in report.rows]

    alone = {metric: told([metric]) for metric in metrics_in_words(case)}
    refused = [metric for metric, found in alone.items() if isinstance(found, str)]
    told_alone = [metric for metric in alone if metric not in refused]
    assert told_alone
    for metrics in (told_alone, told_alone[::-1]):
        expected = [row for metric in metrics for row in alone[metric]]
        assert told(metrics) == expected
    for metric in refused:
        assert told([*told_alone, metric]) == told([metric, *told_alone]) == alone[metric]


def shown(result):
    """Everything that a result says."""
    texts = str(result), result.to_markdown() if hasattr(result, "to_markdown") else ""
    notes = str(getattr(result, "notes", ()))
    return texts, notes, json.dumps(result.to_dict(), allow_nan=False)


def results_to_pickle(case, data):
    """The results of all functions in a case, and of methods of these."""
    named, _ = given_in(case)
    for name, function in FUNCTIONS.items():
        if name in (*DISPLAYS, "identify") or not takes(name, case):
            continue
        taken = inspect.signature(getattr(function, "__wrapped__", function)).parameters
        columns = [named["y_true"], named["y_score"]]
        given = {
            role: value
            for role, value in named.items()
            if role in taken and role not in ("y_true", "y_score")
        }
        columns += ["third"] * (name == "compare")
        result = function(*columns, data=data, **given)
        yield name, result
    models = {"one": "score", "two": "other"}
    given = {role: value for role, value in named.items() if role not in ("y_score", "average")}
    y_true = given.pop("y_true")
    of_all = ap.report(y_true, models, data=data, random_state=0, **given)
    yield "report of models", of_all
    by = "day" if "groups" in given else "kind"
    yield "report by segment", ap.report(y_true, models, by=by, data=data, **given)
    yield "table", ap.compare(y_true, models, data=data, **given)
    yield "interval", ap.confidence_interval(y_true, "other", data=data, **given)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("case", ["nothing else", "weights", "groups", "groups, n_positives"])
def test_what_a_result_says_is_the_same_after_pickling(case, lazy):
    data = pytest.importorskip("polars").LazyFrame(ROWS) if lazy else ROWS
    n_tried = 0
    for name, result in results_to_pickle(case, data):
        if hasattr(result, "to_dict"):
            assert shown(pickle.loads(pickle.dumps(result))) == shown(result), name
            n_tried += 1
    assert n_tried > 9


# What one of two tables lacks
@pytest.mark.parametrize("metric", ["AP", "P@3", "R@3", "MRR", "11-point", "nDCG@5"])
@pytest.mark.parametrize("function", [ap.compare, ap.report])
def test_rows_that_one_table_lacks_are_named(function, metric):
    """From the first query on, and a document that isn't retrieved counts as missed."""
    relevant = {f"q{q}": {f"d{d}": int((q + d) % 3 == 0) for d in range(6)} for q in range(5)}
    whole = {q: {d: float(place) for place, d in enumerate(relevant[q])} for q in relevant}
    part = {q: whole[q] for q in whole if q != "q3"}
    tables = ap.readers.read_runs(relevant, {"whole": whole, "part": part})
    given = {"metrics" if function is ap.report else "metric": metric}
    found = function(data=tables, baseline="whole", **given)
    (note,) = (note for note in found.notes if note.code == "no_rows")
    assert note.text.startswith("The model 'part' has no rows for 1 of 5 groups (query), ")
    values = ap.metric(metric).by_name(data=tables["part"])
    assert values["q3"] == 0
    assert found.rows[1].value == pytest.approx(np.mean([*values.values()]))


def test_judgments_that_one_table_lacks_are_named():
    runs = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}
    judged = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d1": 0, "d2": 2}}
    fewer = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 2}}
    tables = {"a": ap.readers.read_runs(judged, runs), "b": ap.readers.read_runs(fewer, runs)}
    words = (
        "'a' and 'b' have different n_positives: {0: 2, 1: 1} and {0: 1, 1: 1} for 'q1' (they "
        "differ for 1 of 2 groups). Read both with the same judgments"
    )
    for metric in ("nDCG", "MAP"):
        with pytest.raises(ValueError, match=re.escape(words)):
            ap.report(data=tables, metrics=metric)


def test_no_function_is_forgotten():
    """A function that takes a table is a metric, or in `FUNCTIONS`."""
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
