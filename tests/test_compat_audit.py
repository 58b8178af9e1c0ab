"""compat.audit and compat.check_metric: functions that are wrong get their true name and aspect."""

import inspect
import json
import os
import re
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from math import nan
from pathlib import Path
from types import FunctionType

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from scipy.integrate import trapezoid
from sklearn import metrics

import sklearn_ap as ap
from sklearn_ap.compat import audit, check_metric
from sklearn_ap.compat.call_log import Call, CallLog
from sklearn_ap.compat.call_values import CallValues
from sklearn_ap.compat.feature_limits import find_limit
from sklearn_ap.compat.hypotheses import Hypothesis
from sklearn_ap.compat.metric_checks import judge
from sklearn_ap.compat.variants import AREA_RULES, Variant
from sklearn_ap.core.rules import AveragePrecisionAtK, RPrecision
from sklearn_ap.exceptions import InvalidParameterError

from . import oracle
from .audits import find_row, list_differing, rank_by_rows, step

ASPECTS = [
    *("values", "ties", "order of rows", "no positives", "all positives", "one sample"),
    *("constant scores", "negative scores", "shifted", "scaled", "integers", "float32"),
    *("beyond [0, 1]", "many samples", "bool labels", "arguments changed", "repeated calls"),
    *("weights", "infinite scores", "float labels", "read-only arrays", "Series"),
    "close scores",
]


pytestmark = pytest.mark.usefixtures("few_rankings")
with_all_rankings = pytest.mark.usefixtures("all_rankings")


audited = cache(audit)  # with few rankings


@cache
def record_calls():
    """Return the arguments of all calls of an audit with all rankings, and its result."""
    called = []

    def recorded(y_true, y_score):
        called.append((y_true, y_score))
        return step(y_true, y_score)

    return called, audit(recorded)


def record_arrays():
    return [(np.asarray(y), np.asarray(s)) for y, s in record_calls()[0]]


def list_differing_for_sure(result):
    return [row.aspect for row in result.rows if row.agrees is False]


def area(y_true, y_score):
    precision, recall, _ = metrics.precision_recall_curve(y_true, y_score)
    return metrics.auc(recall, precision)


# --- a right implementation ----------------------------------------------------------------------


@with_all_rankings
def test_a_right_function_agrees_in_every_aspect():
    _, result = record_calls()
    assert result.definition == "step"
    assert result.agrees
    assert result.n_equal == result.n_rankings > 1000
    assert [row.aspect for row in result.rows] == ASPECTS
    for row in result.rows:
        assert row.agrees
        assert row.y_true is row.y_score is row.value is row.expected is None
        assert row.finding
    assert "always" in str(result)
    assert any("scikit-learn average_precision_score" in tool for tool in result.tools)


@pytest.mark.parametrize("n_seeds", [2, pytest.param(None, id="many", marks=pytest.mark.slow)])
def test_a_right_function_passes_with_every_seed(n_seeds):
    """With three for each random example: 90 in .ci/run, and 300 in .ci/nightly."""
    first = 1 if n_seeds else 3
    for seed in range(first, first + (n_seeds or 3 * settings.default.max_examples)):
        assert check_metric(step, random_state=seed) is None


@with_all_rankings
@pytest.mark.slow
def test_scikit_learns_function():
    result = audit(metrics.average_precision_score)
    assert (result.definition, result.agrees) == ("step", True)
    assert "recall is set to one" not in str(result.notes), "which it warns of"


AVERAGE_PRECISIONS = ("step", "envelope", "11-point", "101-point", "linear", "AP@")
DEFINITIONS = {
    "step": ap.average_precision_score,
    "envelope": ap.interpolated_average_precision_score,
    "11-point": ap.eleven_point_average_precision_score,
    "101-point": partial(ap.interpolated_average_precision_score, n_points=101),
    "linear": ap.compat.trapezoidal_average_precision_score,
    "AP@10 / min": ap.average_precision_at_k_score,
    "AP@3 / relevant": partial(ap.average_precision_at_k_score, k=3, denominator="relevant"),
    "AP@100 / k": partial(ap.average_precision_at_k_score, k=100, denominator="k"),
    "AP@7 / hits": partial(ap.average_precision_at_k_score, k=7, denominator="hits"),
    "precision@5": partial(ap.precision_at_k_score, k=5),
    "recall@20": partial(ap.recall_at_k_score, k=20),
}


@with_all_rankings
@pytest.mark.slow
@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_definition_is_named(name):
    result = audit(DEFINITIONS[name])
    assert result.definition == name, str(result)
    assert not list_differing(result)
    assert result.agrees is name.startswith(AVERAGE_PRECISIONS)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
def test_orders_of_ties_are_named(ties):
    result = audit(partial(ap.average_precision_at_k_score, k=100_000, ties=ties))
    assert result.definition == "step"
    assert list_differing(result) == ["ties", "constant scores"]
    words = {"expected": "the mean over all orders", "best": "highest", "worst": "lowest"}
    assert words[ties] in find_row(result, "ties").finding
    check_metric(partial(ap.average_precision_at_k_score, ties=ties), ap.metric("AP@10", ties=ties))


# --- what is called, and how ---------------------------------------------------------------------


@with_all_rankings
def test_an_audit_tries_at_most_1700_rankings_and_twelve_of_them_three_times_more():
    called, result = record_calls()
    assert len(called) <= 1700
    assert len(called) - result.n_rankings == 36


@with_all_rankings
def test_an_audit_passes_arrays_of_which_some_are_read_only_and_some_series():
    called, _ = record_calls()
    kinds = Counter((type(y), type(s)) for y, s in called)
    assert {*kinds} == {(pd.Series, pd.Series), (np.ndarray, np.ndarray)}
    assert kinds[pd.Series, pd.Series] == 12
    arrays = [each for each in called if type(each[0]) is np.ndarray]
    assert sum(not (y.flags.writeable or s.flags.writeable) for y, s in arrays) == 12


@with_all_rankings
def test_an_audit_tries_all_rankings_of_five_samples_or_fewer_and_of_six_without_ties():
    small = [
        (y, s)
        for y, s in record_arrays()
        if y.size <= 6 and y.dtype == int and 0 < s.min() <= s.max() < 1 and not (s * 8 % 1).any()
    ]
    assert {y.size for y, _ in small} == {*range(1, 7)}
    distinct = {(*y.tolist(), *np.unique(-s, return_inverse=True)[1].tolist()) for y, s in small}
    of_six = {each for each in distinct if len(each) == 12}
    assert len(of_six) >= 2**6
    assert len(distinct) >= 2**6 + 682


@with_all_rankings
def test_an_audit_tries_rankings_of_all_sizes():
    found = {y.size for y, _ in record_arrays()}
    fixed = {10, 21, 50, 97, 200, 300, 999, 1_200, 2_000, 20_000, 100_000}
    assert fixed < found
    drawn = {size for size in found - fixed if size > 6}
    assert len(drawn) == 8
    assert 200 < min(drawn) < 300 < max(drawn) < 5_000


@with_all_rankings
def test_an_audit_tries_labels_and_scores_of_all_kinds():
    arrays = record_arrays()
    assert {y.dtype.kind for y, _ in arrays} == {"i", "b", "f"}
    assert {s.dtype for _, s in arrays} == {np.dtype(each) for each in ("f8", "f4", "i8")}
    assert sum(np.isinf(s).any() for _, s in arrays) >= 6
    assert sum(np.abs(s).max() > 1e8 for _, s in arrays) > 12


@with_all_rankings
def test_large_rankings():
    """What smaller ones can't show: long ties, few positives, and products beyond 32 bits."""
    large = [trial for trial in CallLog(step, 0).plan(False) if trial.aspect == "many samples"]
    drawn, large = large[:16], large[16:]
    assert [trial.labels.size for trial in large] == [2_000, *[20_000] * 3, 100_000]
    assert [trial.has_no_ties for trial in drawn] == 8 * [True, False]
    other = [trial for trial in CallLog(step, 1).plan(False) if trial.aspect == "many samples"]
    sizes = [trial.labels.size for trial in drawn]
    assert sizes != [trial.labels.size for trial in other[:16]], "they depend on the seed"
    n_scores = [np.unique(trial.scores).size for trial in large]
    assert n_scores[:2] == [2_000, 20_000]
    assert n_scores[2] < 1_000
    assert np.unique(large[2].scores, return_counts=True)[1].max() > 2_000
    assert n_scores[3:] == [20_000, 100_000]
    assert large[3].labels.sum() == 10
    n_positives = int(large[4].labels.sum())
    assert n_positives * (100_000 - n_positives) > 2**31


@with_all_rankings
def test_rankings_that_tell_k():
    plan = CallLog(step, 0).plan(False)
    ranks = [
        (trial.labels.size, 1 + int((trial.scores > trial.scores[trial.labels == 1]).sum()))
        for trial in plan
        if trial.labels.size in (300, 1_200) and trial.aspect == "values"
    ]
    others = [trial for trial in plan if trial.labels.size == 999 and trial.labels.sum() == 1]
    scores = {trial.scores[trial.labels == 1].item() for trial in others}
    thresholds = {0.001, 0.01, 0.05, 0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.9, 0.95, 0.99}
    assert thresholds < scores
    assert {round(each - 0.001, 3) for each in thresholds - {0.001}} < scores
    far = (499, 500, 501, 999, 1_000, 1_001)
    assert ranks == [*((300, rank) for rank in range(1, 301)), *((1_200, rank) for rank in far)]
    assert sum(trial.labels.size == 50 and np.ptp(trial.scores) == 0 for trial in plan) >= 1


def test_rankings_are_the_same_again_and_do_not_depend_on_values():
    """So that a file of them is enough to audit a program."""

    def recorded(function, called):
        return lambda y, s: called.append((np.asarray(y), np.asarray(s))) or function(y, s)

    right, wrong = [], []
    CallLog(recorded(step, right), 0).try_all()
    CallLog(recorded(lambda y, s: nan, wrong), 0).try_all()
    assert len(right) == len(wrong)
    for one, other in zip(right, wrong, strict=True):
        assert all(map(np.array_equal, one, other))


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_shuffled(seed):
    """Neither sorted nor in reverse, from three on by no order that is its own inverse."""
    trials = CallLog(step, seed)
    for size in range(1, 30):
        scores = np.arange(size)[::-1] / 64
        _, shuffled = trials.shuffle(np.zeros(size, int), scores)
        _, again = trials.shuffle(np.zeros(size, int), scores)
        assert sorted(shuffled) == sorted(scores)
        assert (shuffled == again).all()
        if size >= 3:
            order = np.argsort(-shuffled)
            assert not (order[order] == np.arange(size)).all()


class Floating:
    def __float__(self):
        return 0.25


READ = [
    *((given(0.25), 0.25) for given in (np.float32, np.array, np.float64, Fraction, Decimal)),
    *((np.array([[0.25]]), 0.25), (np.ma.array([0.25]), 0.25), (Floating(), 0.25), (True, 1.0)),
    *((np.array(["0.25"]), nan), (np.inf, np.inf), (None, nan), (np.array([None]), nan)),
    *((np.ma.masked, nan), (np.ma.array([0.5], mask=[True]), nan), ("0.5", nan)),
    *(([0.25], nan), ((0.25,), nan), (np.zeros(0), nan), (0.25j, nan), (10**400, nan)),
]


@pytest.mark.parametrize(("returned", "value"), READ, ids=lambda each: repr(each)[:25])
def test_a_value_is_what_float_takes_but_text_or_an_array_of_one(returned, value):
    """What is masked isn't a value, though NumPy has one below."""
    trials = CallLog(lambda y, s: returned, 0)
    trials.try_each([Call("values", np.array([0, 1]), np.array([0.5, 0.25]))])
    [call] = trials.calls
    assert call.value == value or np.isnan([call.value, value]).all()


def raising_on_ties(y_true, y_score):
    if np.unique(y_score).size < y_score.size:
        raise ZeroDivisionError
    return step(y_true, y_score)


def raising_without_negatives(y_true, y_score):
    np.flatnonzero(y_true == 0)[0]
    return step(y_true, y_score)


def random(y_true, y_score, rng=np.random.default_rng(0)):  # noqa: B008
    return rng.random()


def with_ties_at_random(y_true, y_score, rng=np.random.default_rng(0)):  # noqa: B008
    order = rng.permutation(y_true.size)
    return rank_by_rows(y_true[order], y_score[order])


def sorting_in_place(y_true, y_score):
    value = step(y_true, y_score)
    y_score.sort()
    return value


def in_need_of_lists(y_true, y_score):
    return step(y_true, y_score) if y_true.count(1) else 0.0


def in_need_of_float64(y_true, y_score):
    return step(y_true, y_score) if y_score.dtype == float else nan


def in_need_of_probabilities(y_true, y_score):
    assert y_score.dtype == float
    assert ((0 <= y_score) & (y_score <= 1)).all()
    return step(y_true, y_score)


def recursive(y_true, y_score):
    if y_true.size > 1000:
        raise RecursionError
    return step(y_true, y_score)


def without_an_end(y_true, y_score):
    return step(y_true, y_score) if y_true.any() else np.inf


def stopping(y_true, y_score):
    """As a program that was made a function, which would end a test as if it had passed."""
    return step(y_true, y_score) if y_true.any() else sys.exit(0)


def adding_up(y_true, y_score, calls=[]):  # noqa: B006
    calls.append(1)
    return step(y_true, y_score) + 1e-4 * len(calls)


def with_own_state(function):
    """Return a copy whose calls don't change what the function returns."""
    return FunctionType(function.__code__, globals(), argdefs=deepcopy(function.__defaults__))


# A function, the aspect that shows its defect, and what the finding says
DEFECTS = [
    (raising_on_ties, "ties", "ZeroDivisionError"),
    (raising_without_negatives, "all positives", "IndexError"),
    (random, "repeated calls", " in another call"),
    (with_ties_at_random, "repeated calls", " instead of "),
    (lambda y, s: np.array([step(y, s)] * 2), "values", "an array of shape (2,)"),
    (lambda y, s: (step(y, s), 1), "values", "a value of type tuple"),
    (lambda y, s: {"ap": step(y, s)}, "values", "a value of type dict"),
    (lambda y, s: None, "values", "gives None instead of 0.5"),
    (sorting_in_place, "arguments changed", "y_score"),
    (in_need_of_lists, "values", "AttributeError"),
    (in_need_of_float64, "float32", "gives nan instead of"),
    (in_need_of_probabilities, "beyond [0, 1]", "gives an error instead of 0.5: Assert"),
    (recursive, "many samples", "gives an error instead of"),
    (without_an_end, "no positives", "[0] gives inf instead of 0.0"),
    (stopping, "no positives", "[0] gives an error instead of 0.0: SystemExit: 0"),
    (adding_up, "repeated calls", " in another call"),
]


EDGE_ASPECTS = ("no positives", "all positives", "one sample")


@pytest.mark.sweep(16)
@pytest.mark.parametrize(("function", "aspect", "words"), DEFECTS)
def test_a_defect_is_a_finding(function, aspect, words):
    result = audit(function)
    row = find_row(result, aspect)
    assert not result.agrees
    assert not row.agrees
    assert words in row.finding
    assert len(row.y_true) == len(row.y_score)
    json.dumps(result.to_dict(), allow_nan=False)
    is_in_title = (aspect in EDGE_ASPECTS and ", except with" in result.title) or (
        aspect == "values" and result.title.startswith(("Not a metric", "Every call fails"))
    )
    if aspect == "arguments changed":
        is_in_title = result.title.endswith(", except that it changes its arguments.")
    assert aspect in str(result) or is_in_title or len(list_differing(result)) > 3
    if aspect not in EDGE_ASPECTS:
        assert result.tools == (), "no tool is known to do that"
    with pytest.raises(AssertionError) as error:
        check_metric(with_own_state(function))
    assert str(error.value) == str(audit(with_own_state(function), "average_precision"))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "None"),
        ("nan", "text"),
        (b"nan", "text"),
        (np.array(["nan"]), "text"),
        (np.array(["nan"], object), "text"),
    ],
)
def test_no_tool_returns_what_is_no_number(returned, words):
    """float() reads text, but scikit-learn refuses it."""
    result = audit(lambda y, s: step(y, s) if y.any() else returned)
    title = f"Step average precision, except without positives: {words} instead of 0.0."
    assert (result.title, result.tools) == (title, ())


def has_both(labels):
    return 0 < np.sum(labels) < len(labels)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("function", "where"),
    [
        (lambda y, s: 0.25 + 0 * np.asarray_chkfinite(s)[0], ""),  # and refuses infinity
        (lambda y, s: 0.25 if has_both(y) else 0.5, " and with both classes"),
        (lambda y, s: 0.25 if np.sum(y) else 0.5, " and with both classes"),
        pytest.param(lambda y, s: 0.25 if len(y) < 20 else 0.5, None, marks=pytest.mark.slow),
        (lambda y, s: 0.25 if np.min(s) >= 0 else 0.5, None),  # scores of another form
    ],
)
def test_a_value_is_said_of_all_rankings_only_if_they_have_it(function, where):
    returned = {}  # by whether there are ties, and whether both classes

    def logged(y, s):
        value = function(y, s)
        kind = np.unique(s).size < len(s), has_both(y)
        returned.setdefault(kind, set()).add(value)
        return value

    title = audit(logged).title
    untied = returned[False, True] | (set() if where else returned[False, False])
    claimed = f"Not a metric: every ranking without ties{where} gives 0.25."
    assert title.startswith("Not a metric") == (untied == {0.25}) == (where is not None)
    assert title == claimed or where is None


@with_all_rankings
def test_slow_functions_end_in_time(clock):
    """The clock of the test goes by the calls, so that nobody waits."""

    def quadratic(y_true, y_score):
        clock[0] += 1e-7 * y_true.size**2
        return step(y_true, y_score)

    result = audit(quadratic)  # 20,000 samples would take 40 s
    assert clock[0] < 40
    assert result.agrees is None, "what wasn't tried is no difference, and isn't claimed"
    assert "always" not in result.title
    [tried] = re.findall(
        r"After 40 s, ([\d,]+) of ([\d,]+) rankings had been tried", str(result.notes)
    )
    some, all_of_them = (int(number.replace(",", "")) for number in tried)
    assert 1000 < some == all_of_them - 4, "those of the largest sizes"
    row = find_row(result, "many samples")
    assert " samples, which take 1.8 s" in row.finding
    assert row.y_true is None
    assert result.n_equal == result.n_rankings

    sizes = []

    def slow(y_true, y_score):  # until the time ends among large rankings
        sizes.append(y_true.size)
        clock[0] += 0.25
        return step(y_true, y_score)

    clock[0] = 0.0
    result = audit(slow)
    assert clock[0] <= 40.25  # with the first call, which may compile something
    assert (result.definition, result.agrees) == ("step", None)
    said = rf"rankings .*, because the function is slow: none with more than {max(sizes):,} samples"
    assert re.search(rf"After 40 s, {len(sizes)} of [\d,]+ {said}\.", str(result.notes))
    assert not list_differing_for_sure(result)
    clock[0] = 0.0
    with pytest.warns(UserWarning, match="rankings had been tried, because the function is slow"):
        check_metric(slow)
    clock[0] = 0.0
    with pytest.raises(AssertionError, match="order of the rows"):
        check_metric(lambda y, s: slow(y, s) * 0 + rank_by_rows(y, s))


@with_all_rankings
@pytest.mark.parametrize(
    "predict_seconds",
    [
        lambda n: 1e-6 + 5e-8 * n**2,
        lambda n: 1e-4 + 1e-8 * n**3,
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in (lambda n: 1e-6 * n**2, lambda n: 1e-5 * n**2, lambda n: 1e-9 * n**3)
        ),
    ],
)
def test_no_ranking_is_begun_that_takes_longer_than_what_is_left(clock, predict_seconds):
    sizes = set()

    def slow(y_true, y_score):
        sizes.add(y_true.size)
        clock[0] += predict_seconds(y_true.size)
        return step(y_true, y_score)

    result = audit(slow)
    assert 20 < clock[0] < 41
    assert {*range(1, 7), 10, 21, 50, 97, 200} <= sizes
    assert result.agrees is None
    assert result.title.endswith(f" Not tried: more than {max(sizes):,} samples.")
    ending = f"because the function is slow: none with more than {max(sizes):,} samples."
    assert result.notes[0].endswith(ending)


def test_the_smaller_of_two_clocks_counts(clock, monkeypatch):
    """On a busy machine, the wall has more seconds than the CPU."""
    trials = inspect.getmodule(CallLog)
    monkeypatch.setattr(trials, "process_time", lambda: clock[0] / 20)
    for seconds, has_time in ((0, True), (599, True), (601, False)):
        log = CallLog(step, 0)
        clock[0] += seconds
        assert log.has_time(10) is has_time


@with_all_rankings
def test_no_call_takes_more_than_a_gigabyte(monkeypatch):
    """As far as the largest call before tells, if memory grows like the square of the size."""
    trials, peak, sizes = inspect.getmodule(CallLog), [0], []

    def quadratic(y_true, y_score):
        sizes.append(y_true.size)
        peak[0] = max(peak[0], y_true.size**2 // 4)
        return step(y_true, y_score)

    monkeypatch.setattr(trials, "_read_peak_memory", lambda: peak[0])
    result = audit(quadratic)
    assert max(sizes) == 20_000, "which take 100 MB, and 100,000 would take 2.5 GB"
    assert result.agrees, "up to that size, as its row says"
    assert result.title.endswith(" Not tried: more than 20,000 samples.")
    finding = "nothing differs up to 20,000 samples, as more would take over 1 GB"
    assert find_row(result, "many samples").finding == finding


def test_slow_functions_are_not_called_on_and_on_to_find_a_smaller_ranking(clock):
    def wrong(y_true, y_score):
        clock[0] += 1
        return step(y_true, y_score) if y_true.size < 10 else 0.0

    audit(wrong)
    assert clock[0] <= 42


@with_all_rankings
@pytest.mark.slow
def test_the_first_call_may_take_long(clock):
    """As that of a function which imports or compiles something."""

    def lazy(y_true, y_score):
        clock[0] += 1e-5 if clock[0] else 60
        return step(y_true, y_score)

    assert audit(lazy).agrees

    compiled = set()

    def compiling(y_true, y_score):
        kinds = y_true.dtype, y_score.dtype
        clock[0] += 1e-5 if kinds in compiled else 60
        compiled.add(kinds)
        return step(y_true, y_score) if y_true.size > 1 else 0.0 * y_true.size

    result = audit(compiling)
    assert result.definition == "step"
    assert result.n_rankings > 1000


@pytest.mark.slow
def test_ties_where_the_range_over_all_orders_is_not_known():
    """Of trapezoids over points sorted by recall, and of nDCG."""

    def in_order(function):
        def ranked(y_true, y_score):
            order = np.argsort(-y_score, kind="stable")
            return function(y_true[order], -np.arange(y_true.size, dtype=float))

        return ranked

    result = audit(in_order(anomalib))
    assert result.definition == "linear, points sorted by recall"
    assert "in the order of the rows" in find_row(result, "ties").finding
    result = audit(in_order(ap.ndcg_score))
    assert result.definition == "nDCG, linear gains"
    assert {"ties", "constant scores", "order of rows"} <= {*list_differing(result)}


@pytest.mark.parametrize(
    ("warns", "words"),
    [
        (lambda y: True, ""),  # about what differs, and about what doesn't
        (lambda y: not y.any(), ', with the warning "RuntimeWarning: divide by zero'),
        (lambda y: y.all(), ""),
    ],
)
def test_a_warning_is_shown_if_only_calls_that_differ_have_it(recwarn, warns, words):
    def dividing(y_true, y_score):
        if warns(y_true):
            np.float64(1) / np.float64(0)
        return step(y_true, y_score) if y_true.any() else nan

    result = audit(dividing)
    assert not recwarn.list
    start = "[0] gives nan instead of 0.0"
    assert find_row(result, "no positives").finding.startswith(start + words)
    assert ("RuntimeWarning" in find_row(result, "no positives").finding) == bool(words)
    assert "RuntimeWarning" not in str(result.notes)


def test_what_passes_says_on_what_it_was_tried():
    """Other sizes, types, weights, options and small deviations are not known."""

    types, fractions = set(), []

    def with_options(y_true, y_score, *, sample_weight=None, importance=None):
        types.update({y_true.dtype.name, y_score.dtype.name})
        fractions.append(np.mean(y_true))
        assert np.asarray(y_true).flags.contiguous
        return ap.average_precision_score(y_true, y_score, sample_weight=sample_weight) + 1e-7

    *_, tried = audit(with_options).notes
    first, _, more = tried.partition("\n")
    assert re.fullmatch(
        r"Tried in .* calls, but not with NaN scores, other labels, or lists\.", first
    )
    assert "of int64, float64, float32 and bool, and had 1, 2, 3, 4, 5, 10, 21, 30, 50, " in more
    assert types == {"int64", "float64", "float32", "bool"}
    most = max(each for each in fractions if each < 1)
    assert f"at most {most:.0%} positives. Values within 1e-06 are equal." in more
    assert more.endswith(" Weights were 0.078125 to 1,280. Without importance.")


WHERE = {
    " positives or more": lambda y, s: step(y, s) if y.sum() < 128 else -1.0,
    "with 60 samples or more": lambda y, s: step(y, s) if y.size < 60 else -1.0,
    " samples with one score or more": lambda y, s: (
        step(y, s) if np.unique(s, return_counts=True)[1].max() <= 20 else 1.0
    ),
    "with at most 1 positive": lambda y, s: step(y, s) + 0.001 * (y.sum() == 1),
}


@with_all_rankings
@pytest.mark.sweep(4)
@pytest.mark.parametrize("where", WHERE)
def test_the_feature_that_tells_what_differs_is_named(where):
    assert where in " ".join(str(audit(WHERE[where])).split())


def test_a_feature_that_others_have_too_is_not_named():
    """Rankings without ties have one sample with each score, whether they differ or not."""
    result = audit(lambda y, s: step(y, s) if y.sum() % 3 else -1.0)
    assert result.title.startswith("Like step average precision, but not always: the same in ")
    assert "those with" not in " ".join(str(result).split())


def make_call(scores):
    return Call("ties", np.array([1, *[0] * (len(scores) - 1)]), np.array(scores))


def test_a_single_ranking_is_told_by_its_size_only():
    """It has the most or the least of other features by accident."""
    plain, tied = make_call([0.75, 0.5, 0.25]), make_call([0.5, 0.5, 0.25])
    larger = make_call([0.75, 0.5, 0.25, 0.125])
    assert find_limit([plain, tied], np.array([False, True])) is None
    assert str(find_limit([plain, larger], np.array([False, True]))) == "with 4 samples or more"
    limit = find_limit([plain, tied, make_call([0.5] * 3)], np.array([False, True, True]))
    assert str(limit) == "with 2 samples with one score or more"


def test_what_changes_from_call_to_call_is_not_said_to_need_arrays():
    rng = np.random.default_rng(0)
    result = audit(lambda y, s: step(y, s + 1e-9 * rng.random(y.size)))
    assert "needs arrays" not in str(result)
    assert find_row(result, "Series").finding.startswith(("not compared", "nothing differs"))


def test_only_errors_are_caught():
    def stopped(y_true, y_score):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(stopped)


PRINTING = """
import numpy as np
from sklearn_ap.compat import audit

def median(y_true, y_score):
    hits = np.asarray(y_true)[np.argsort(-np.asarray(y_score), kind="stable")] == 1
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return np.median(precision[hits])

print(audit(median), audit(median).to_dict())
"""


@pytest.mark.slow
def test_an_audit_is_the_same_in_every_process():
    """Whatever the order of sets of strings is."""
    root = str(Path(ap.__file__).parents[1])
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINTING],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": root, "PYTHONHASHSEED": seed},
            check=True,
        ).stdout
        for seed in "012"
    }
    assert len(printed) == 1


def test_only_public_names_are_completed():
    assert sorted(dir(ap.compat)) == sorted(ap.compat.__all__)
    assert all(callable(getattr(ap.compat, name)) or name.isupper() for name in dir(ap.compat))


def test_zero_division_needs_a_metric():
    with pytest.raises(ValueError, match="Pass zero_division only beside metric"):
        audit(step, zero_division=nan)
    assert audit(step, "AP", zero_division=nan).agrees is False


@pytest.mark.sweep(3)
@pytest.mark.parametrize("k", [1, 5, 10])
def test_letters_are_explained_and_other_metrics_are_no_average_precision(k):
    words = {
        "min": f"of the top {k}, divided by {k} or the number of positives, whichever is smaller",
        "relevant": f"of the top {k}, divided by the number of positives",
        "k": f"of the top {k}, divided by {k}",
        "hits": f"of the top {k}, divided by the number of positives among them",
    }
    for denominator, meaning in words.items():
        variant = Variant(AveragePrecisionAtK(k=k, denominator=denominator))
        assert Hypothesis(variant).sentence == f"AP@{k} / {denominator} ({meaning})"
    result = audited(partial(ap.recall_at_k_score, k=k + 1))
    assert (result.definition, result.agrees) == (f"recall@{k + 1}", False)
    assert result.notes[0] == "It isn't average precision."


def test_equal_infinities_are_equal():
    result = audit(lambda y, s: np.inf)
    assert find_row(result, "order of rows").agrees
    assert find_row(result, "repeated calls").agrees


def test_the_title_says_whether_values_or_only_other_aspects_differ():
    assert audit(sorting_in_place).title == (
        "Step average precision, except that it changes its arguments."
    )
    assert audited(rank_by_rows).title == (
        "Step average precision, except with ties: tied samples are ranked one by one, in the "
        "order of the rows."
    )
    of_step = audit(step, "AP, ties by row")
    assert of_step.title == (
        'It isn\'t "AP, ties by row", but step average precision, always: the same in '
        f"{of_step.n_rankings:,} of {of_step.n_rankings:,} rankings."
    )
    of_area = audit(area)
    assert of_area.title == "Linear, except without positives: 0.5 instead of 0.0."
    assert str(of_area).splitlines() == [
        "Linear, except without positives: 0.5 instead of 0.0.",
        "Tools that do the same: scikit-learn auc(recall, precision).",
    ]


def halve_float32(y_true, y_score):
    if not y_true.any():
        return 0.5
    return step(y_true, y_score) / (2 if y_score.dtype == np.float32 else 1)


def refuse_pairs_of_floats(y_true, y_score):
    if y_true.dtype == float and y_true.size == 2:
        raise TypeError("pass integers")
    return 0.3 if y_true.dtype == float else step(y_true, y_score)


@pytest.mark.parametrize(
    ("function", "exceptions"),
    [
        (  # rankings of one class come last
            halve_float32,
            "float32: [1, 0] with scores 0.75, 0.875 as float32 gives 0.25 instead of 0.5 (12 of "
            "12 rankings differ), and without positives: 0.5 instead of 0.0.",
        ),
        (  # what is wrong comes before what is refused
            refuse_pairs_of_floats,
            "float labels: [1.0, 0.0, 1.0] with scores 0.75, 0.75, 0.875 gives 0.3 instead of 5/6 "
            "(8 of 12 rankings differ).",
        ),
    ],
)
def test_the_title_has_what_is_most_serious(function, exceptions):
    assert audit(function).title == f"Step average precision, except with {exceptions}"


def test_tools_without_a_cutoff_do_the_same_with_the_top_k():
    def of_hits_in_top_10(y_true, y_score):
        return rank_by_rows(y_true[top := np.argsort(-y_score, kind="stable")[:10]], y_score[top])

    assert " ".join(str(audit(of_hits_in_top_10)).split()).endswith(
        " Tools that do the same with the top 10: Haystack DocumentMAPEvaluator, ragas "
        "ContextPrecision and deepeval ContextualPrecisionMetric."
    )


@pytest.mark.sweep(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_long_result_fits_on_a_screen(seed):
    """What makes all other aspects unclear comes first."""
    result = audit(partial(with_ties_at_random, rng=np.random.default_rng(seed)))
    assert "as if scores were read" not in str(result), "of a function that changes by itself"
    assert len(list_differing(result)) > 7
    assert len(str(result).splitlines()) <= 7
    assert "changes from call to call" in result.title or "\nrepeated calls " in str(result)


NONE_IS_NEAR = (
    "None of the definitions that are known here, and none is near: the same as step average "
    "precision in "
)
# Functions that nothing names, what the first line says, and what to compare them with
UNNAMED = {
    "floor division": (
        lambda y, s: in_order(y, s, lambda hits, ranks: hits // ranks),
        NONE_IS_NEAR,
        "11-point",
    ),
    "the middle precision": (
        lambda y, s: in_order(y, s, lambda hits, ranks: hits / ranks, np.median),
        "Like step average precision, but not always: the same in ",
        "11-point",
    ),
    "11-point, at most 0.8": (
        lambda y, s: min(ap.eleven_point_average_precision_score(y, s), 0.8),
        "Like 11-point, but not always: the same in ",
        "AP@10",
    ),
    "half of it, at most 0.4": (
        lambda y, s: min(ap.interpolated_average_precision_score(y, s) / 2, 0.4),
        "Like envelope times 0.5, but not always: the same in ",
        "11-point",
    ),
    "what no metric has": (
        lambda y, s: float(y @ s),
        NONE_IS_NEAR,
        "11-point",
    ),
    "the fraction of positives": (lambda y, s: y.mean(), NONE_IS_NEAR, "11-point"),
    "R-precision, of at most ten": (
        lambda y, s: y[np.argsort(-s)][: min(y.sum(), 10)].sum() / max(min(y.sum(), 10), 1),
        "Like R-precision (R is the number of positives), but not always: the same in ",
        "11-point",
    ),
}


def in_order(y_true, y_score, precision, mean=np.mean):
    hits = np.asarray(y_true)[np.argsort(-np.asarray(y_score), kind="stable")] == 1
    found = precision(np.cumsum(hits), np.arange(1, hits.size + 1))[hits]
    return mean(found) if found.size else 0.0


@with_all_rankings
@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("name", UNNAMED)
def test_the_nearest_definition_is_named_if_chance_does_not_make_it_near(name):
    function, words, example = UNNAMED[name]
    result = audit(function)
    assert result.title.startswith(words)
    assert result.mistake is None
    ending = " No known definition is nearer." if words.startswith("Like") else "rankings."
    assert result.title.endswith(ending)
    *_, last = str(result).splitlines()
    assert (
        last == f'More in `rows`. To compare with another definition: audit(f, metric="{example}")'
    )
    row = find_row(result, "values")
    assert row.value != pytest.approx(row.expected)
    assert row.finding in " ".join(str(result).split())
    # The definition has half of the values without ties.
    calls = [call for call in CallLog(function, 0).try_all().calls if call.aspect == "values"]
    values = CallValues([call for call in calls if not call.rank], 1e-6)
    rules = (*AREA_RULES, RPrecision())
    most = max(values.is_equal_to(variant).mean() for variant in map(Variant, rules))
    assert (result.definition is None) == (most < 0.5)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("function", "mistake"),
    [
        (lambda y, s: step(y, -s), "of negated scores"),
        (lambda y, s: step(1 - y, s), "with the other class as positive"),
    ],
)
def test_a_function_that_ranks_by_something_else_never_agrees(function, mistake):
    result = audit(function)
    assert (result.definition, result.mistake) == ("step", mistake)
    assert result.title == f"Step average precision, {mistake}."
    assert not result.agrees
    assert find_row(result, "values").y_true is not None


def test_how_scores_are_read_explains_all_forms():
    assert "reads scores" not in audit(lambda y, s: step(y, np.round(s, 9))).title
    assert "reads scores" not in audit(lambda y, s: step(y, s / s.max())).title


@pytest.mark.slow
def test_tolerance_is_absolute():
    def near(y_true, y_score):
        return step(y_true, y_score) + 5e-6

    assert not audit(near).agrees
    assert audit(near, tolerance=1e-5).agrees
    check_metric(near, tolerance=1e-5)


def test_sums_in_single_precision_are_equal():
    def single(y_true, y_score):
        order = np.argsort(-y_score, kind="stable")
        labels, scores = y_true[order].astype(np.float32), y_score[order]
        is_last = np.append(scores[:-1] > scores[1:], True)
        hits, ranks = np.cumsum(labels)[is_last], np.flatnonzero(is_last).astype(np.float32) + 1
        gains = np.diff(hits, prepend=np.float32(0)) / max(hits[-1], np.float32(1))
        return (gains * hits / ranks).sum(dtype=np.float32)

    result = audit(single)
    assert (result.definition, result.agrees) == ("step", True), str(result)


def test_scores_that_are_read_in_single_precision():
    result = audit(lambda y, s: step(y, s.astype(np.float32)))
    assert result.definition == "step"
    assert list_differing(result) == ["close scores"]
    assert result.title == "Step average precision, scores as float32."
    assert "equal as float32" in find_row(result, "shifted").finding


@pytest.mark.parametrize("wrong", [None, "", 3])
def test_what_is_no_function_is_refused(wrong):
    for function in (audit, check_metric):
        with pytest.raises(InvalidParameterError, match="'function' parameter"):
            function(wrong)


CASES = """
import pytest
from sklearn_ap.compat import audit_cases

called = []

def in_order(y_true, y_score):
    called.append(1)
    hits = y_true[(-y_score).argsort(kind="stable")].cumsum()
    found = y_true[(-y_score).argsort(kind="stable")] == 1
    return (hits / range(1, hits.size + 1))[found].sum() / max(hits[-1], 1)

known = {"ties", "order of rows"}
cases = [
    pytest.param(case, marks=pytest.mark.xfail(strict=True)) if case.aspect in known else case
    for case in audit_cases(in_order)
]
assert not called

@pytest.mark.parametrize("case", cases)
def test_in_order(case):
    case()
    assert len(called) < 2000
"""


@pytest.mark.slow
def test_pytest_runs_a_case_for_each_aspect(tmp_path):
    """An unknown difference fails, a known one is expected, and the function is audited once."""
    (tmp_path / "test_cases.py").write_text(CASES, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", "--rootdir"]
    environment = {**os.environ, "PYTHONPATH": str(Path(ap.__file__).parents[1])}
    run = subprocess.run(
        [*command, tmp_path, tmp_path / "test_cases.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    pattern = r"^(PASSED|FAILED|XFAIL) .*?::test_in_order\[(.*?\]?)\](?: - .*)?$"
    lines = re.findall(pattern, run.stdout, re.M)
    outcome = {aspect: kind for kind, aspect in lines}
    assert [*sorted(outcome)] == sorted(ASPECTS), run.stdout
    differing = {aspect for aspect, kind in outcome.items() if kind != "PASSED"}
    assert differing == {"ties", "order of rows", "constant scores"}
    assert outcome["constant scores"] == "FAILED"
    assert outcome["ties"] == outcome["order of rows"] == "XFAIL"
    finding = "constant scores: [1, 0] with equal scores gives 1.0 instead of 0.5 ("
    assert f"E       AssertionError: {finding}" in run.stdout


# --- functions that projects shipped -------------------------------------------------------------


def anomalib(y_true, y_score):
    """auc(recall, precision, reorder=True) of torchmetrics, before its fix."""
    precision, recall, _ = metrics.precision_recall_curve(y_true, y_score)
    order = np.argsort(recall, kind="stable")
    return trapezoid(precision[order], recall[order])


def gentropy(y_true, y_score):
    return metrics.average_precision_score(y_true, y_score >= 0.5)


@pytest.mark.slow
def test_functions_that_projects_shipped():
    assert anomalib(*np.array([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]])) == 0.875
    result = audit(anomalib)
    assert result.definition == "linear, points sorted by recall"
    assert list_differing(result) == ["no positives"]
    assert [tool.rpartition(" (")[2] for tool in result.tools] == ["before 2.7)"]
    result = audit(area)  # cell-eval
    assert result.definition == "linear"
    assert find_row(result, "constant scores").agrees
    assert list_differing(result) == ["no positives"]
    assert not any("cell-eval" in tool for tool in result.tools), "it returns nan without positives"
    result = audit(rank_by_rows)  # burn
    assert result.definition == "step"
    assert list_differing(result) == ["ties", "order of rows", "constant scores"]
    finding = "in the order of the rows: [1, 0] with equal scores gives 1.0 instead of 0.5 ("
    assert finding in find_row(result, "ties").finding
    result = audit(gentropy)
    assert result.definition == "step"
    assert result.mistake == "of labels, 1 from 0.5 on"
    assert {"shifted", "scaled"} < {*list_differing(result)}


# --- mutants -------------------------------------------------------------------------------------

AREA, PRECISION = "(gains * hits / ranks).sum()", "hits / ranks"
SCORES = "np.asarray(y_score, dtype=float)[order]"
SORTED = 'np.argsort(-np.asarray(y_score, dtype=float), kind="stable")'
IS_LAST, LABELS = "np.diff(scores) < 0", "np.asarray(y_true).astype(int)"
ENDS = f"np.append({IS_LAST}, True)"
MUTANTS = {
    # ties
    "one by one": (ENDS, "np.ones(labels.size, bool)"),
    "none are tied but the first": (ENDS, "np.arange(labels.size) > 0"),
    "all are one point": (ENDS, "np.arange(labels.size) == labels.size - 1"),
    "close ones are tied": (IS_LAST, "np.diff(scores) < -0.2"),
    "very close ones are tied": (IS_LAST, "np.diff(scores) < -1e-8"),
    # points
    "without the last point": (AREA, "(gains * hits / ranks)[:-1].sum()"),
    "without the first point": (AREA, "(gains * hits / ranks)[1:].sum()"),
    "top 5": (AREA, "(gains * hits / ranks)[ranks <= 5].sum()"),
    "top 10": (AREA, "(gains * hits / ranks)[ranks <= 10].sum()"),
    "top 100": (AREA, "(gains * hits / ranks)[ranks <= 100].sum()"),
    "at most 1,000 points": (AREA, "(gains * hits / ranks)[:1000].sum()"),
    "mean over all rows": (AREA, f"({PRECISION}).mean()"),
    "largest term": (AREA, "(gains * hits / ranks).max()"),
    "recall backwards": (AREA, "(gains[::-1] * hits / ranks).sum()"),
    "precision above": (PRECISION, f"np.append(1, ({PRECISION})[:-1])"),
    "precision below": (PRECISION, f"np.append(({PRECISION})[1:], 0)"),
    "trapezoids": (PRECISION, f"(np.append(1, ({PRECISION})[:-1]) + {PRECISION}) / 2"),
    "envelope": (PRECISION, f"np.maximum.accumulate(({PRECISION})[::-1])[::-1]"),
    # order
    "not sorted": (SORTED, "np.arange(len(y_true))"),
    "lowest first": (SORTED, SORTED.replace("(-np", "(np")),
    "by distance from 0.4": (SORTED, "np.argsort(-np.abs(np.asarray(y_score) - 0.4))"),
    "labels not sorted": ("labels, scores = y_true[order]", "labels, scores = y_true"),
    "first label twice": ("= y_true[order]", "= y_true[np.append(order[:1], order[:-1])]"),
    # denominators and ranks
    "sum": ("/ hits[-1]\n", "\n"),
    "one more positive": ("/ hits[-1]", "/ (hits[-1] + 1)"),
    "all rows": ("/ hits[-1]", "/ labels.size"),
    "at most 10": ("/ hits[-1]", "/ min(hits[-1], 10)"),
    "ranks from 0": ("np.flatnonzero(is_last) + 1", "np.maximum(np.flatnonzero(is_last), 1)"),
    "ranks from 2": ("np.flatnonzero(is_last) + 1", "np.flatnonzero(is_last) + 2"),
    "counts in one byte": ("np.cumsum(labels)", "np.cumsum(labels, dtype=np.int8)"),
    # 0/0
    "nan for 0/0": ("return 0.0", "return float('nan')"),
    "1 for 0/0": ("return 0.0", "return 1.0"),
    "an error for 0/0": ("return 0.0", "raise ValueError"),
    # scores, labels and the value
    "rounded to tenths": (SCORES, f"{SCORES}.round(1)"),
    "rounded to millionths": (SCORES, f"{SCORES}.round(6)"),
    "float16": (SCORES, f"{SCORES}.astype(np.float16)"),
    "integers": (SCORES, "np.asarray(y_score).astype(int)[order]"),
    "other class": (LABELS, f"1 - {LABELS}"),
    "no bool labels": (LABELS, "-(-y_true)"),
    "value rounded": ("float((gains", "np.float16((gains"),
}  # fmt: skip
# What no smaller ranking shows
LEAST = {"top 10": 11, "at most 10": 12, "top 100": 102, "counts in one byte": 200}
LARGE = {"at most 1,000 points"}
LARGE |= {"very close ones are tied", "rounded to millionths", "float16"}  # only close scores do


def mutant(name):
    old, new = MUTANTS[name]
    source = inspect.getsource(step)
    assert old in source
    names = {"np": np}
    exec(source.replace(old, new), names)
    return names["step"]


@with_all_rankings
@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_told_from_the_original(name):
    """Each by a ranking of at most six samples, if there is one."""
    function = mutant(name)
    result = audit(function, "AP")
    assert result.agrees is False
    row = min(
        (row for row in result.rows if row.agrees is False and row.y_true is not None),
        key=lambda row: len(row.y_true),
    )
    y_true, y_score = np.array(row.y_true), np.array(row.y_score)
    if row.aspect == "bool labels":
        y_true = y_true.astype(bool)
    with np.errstate(invalid="ignore", over="ignore"):
        try:
            returned = function(y_true, y_score)
        except Exception:
            returned = nan
    assert returned == pytest.approx(row.value, nan_ok=True)
    if name not in LARGE:
        assert y_true.size == y_score.size <= LEAST.get(name, 6)


def test_a_function_that_always_fails_is_called_fifty_times():
    called = []

    def failing(y_true, y_score):
        called.append(1)
        raise TypeError("strings only")

    result = audit(failing)
    assert len(called) <= 60
    assert result.title == "Every call fails: TypeError: strings only."
    assert result.agrees is False
    assert "After 50 calls that failed, the other rankings weren't tried." in result.notes


def limited(most, returns):
    """Step average precision of so many samples, and an error or nan for more."""

    def function(y_true, y_score):
        if y_true.size > most:
            return returns()
        return step(y_true, y_score)

    return function


def raise_memory_error():
    raise MemoryError


@with_all_rankings
@pytest.mark.sweep(40)
@pytest.mark.parametrize("most", [*range(2, 12), 49, 50, 96, 97, 199, 200, 201, 300, 999, 1999])
@pytest.mark.parametrize("returns", [raise_memory_error, lambda: nan])
def test_a_function_without_values_for_many_samples_never_agrees(most, returns):
    """Whatever it computes for fewer of them, the title says from where on it has none."""
    verdict = judge(limited(most, returns))
    assert verdict.code == 1
    result = verdict.result
    words = "gives nan" if returns is not raise_memory_error else "fails"
    error = ": MemoryError." if words == "fails" else "."
    assert result.title.endswith(f", but {words} above {most:,} samples{error}")
    assert result.title.startswith("Step average precision")
    assert result.agrees is False
    assert list_differing(result) == ["many samples"]
    assert find_row(result, "many samples").finding.startswith(f"{words} above {most:,} samples: ")
    assert result.tools == ()


def failing_with_positives(y_true, y_score):
    if y_true.any():
        raise TypeError("strings only")
    return 0.0


def failing_with_both_classes(y_true, y_score):
    if 0 < y_true.sum() < y_true.size:
        raise TypeError("strings only")
    return 0.0


@pytest.mark.parametrize(
    ("function", "which"),
    [(failing_with_positives, "a positive"), (failing_with_both_classes, "both classes")],
)
def test_a_function_that_fails_wherever_it_should_rank_shows_its_error(function, which):
    title = f"Every call with {which} fails: TypeError: strings only."
    assert audit(function).title == title
    assert audit(function, "AP").title == f"It isn't average_precision. {title}"


def leaving_out(threshold, is_kept, counts_all):
    """As detections that are dropped by their scores, before or after positives are counted."""

    def function(y_true, y_score):
        kept = is_kept(y_score, threshold)
        value = step(y_true[kept], y_score[kept]) if kept.any() else 0.0
        return value * y_true[kept].sum() / y_true.sum() if counts_all and y_true.any() else value

    return function


def subsampling(y_true, y_score):
    rows = np.random.default_rng(0).permutation(y_true.size)[:1_000]
    return step(y_true, y_score) if y_true.size < 1_000 else step(y_true[rows], y_score[rows])


def by_quantiles(y_true, y_score):
    return step(y_true, np.searchsorted(np.quantile(y_score, np.linspace(0, 1, 11)), y_score))


CAUSES = {
    "leaves out rows with scores up to 0.05, whose positives": leaving_out(0.05, np.greater, True),
    "leaves out rows with scores up to 0.05.": leaving_out(0.05, np.greater, False),
    "leaves out rows with scores below 0.5.": leaving_out(0.5, np.greater_equal, False),
    "of the first 500 rows": lambda y, s: step(y[:500], s[:500]),
}


@pytest.mark.slow
@pytest.mark.parametrize("function", [subsampling, by_quantiles])
def test_no_cutoff_or_target_is_invented(function):
    title = audit(function).title
    assert "@" not in title
    assert "recall at" not in title


def test_there_are_forty_mutants():
    assert len(MUTANTS) == 40


# --- check_metric --------------------------------------------------------------------------------


def test_check_metric_raises_what_the_audit_prints():
    with pytest.raises(AssertionError) as caught:
        check_metric(rank_by_rows)
    assert str(caught.value) == str(audit(rank_by_rows, metric="average_precision"))
    first, *_, last = str(caught.value).splitlines()
    assert first == (
        "It's average_precision, except with ties: tied samples are ranked one by one,"
    )
    assert last == 'To expect what it computes: check_metric(f, "AP, ties by row")'


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("metric", "title"),
    [
        ("AP", "It's average_precision, except with ties: tied samples are ranked one by one, in "
               "the order of the rows, and without positives: -1.0 instead of 0.0."),
        ("AP, ties by row", 'It\'s "AP, ties by row", except without positives: -1.0 instead of '
                            "0.0."),
        ("11-point", "It isn't 11-point, but step average precision, except with ties: tied "
                     "samples are ranked one by one, in the order of the rows, and without "
                     "positives: -1.0 instead of 0.0."),
    ],
)  # fmt: skip
def test_the_first_line_says_whether_it_is_the_metric_and_what_it_is_instead(metric, title):
    result = audit(without_positives_minus_1, metric)
    assert (result.title, result.agrees) == (title, False)
    assert result.definition == "step"


@pytest.mark.sweep(6)
@pytest.mark.parametrize("metric", ["AP", "linear", "11-point"])
@pytest.mark.parametrize("function", [step, area, rank_by_rows, random])
def test_what_is_said_of_a_metric_is_true_of_it(metric, function):
    result = audit(function, metric)
    found = not list_differing(result)
    assert result.agrees is found
    assert found == (function is step and metric == "AP")
    title = "Step average precision, as expected, always: the same in "
    assert result.title.startswith(title) == found


def test_an_error_or_nan_without_positives_equals_nan():
    undefined = ap.metric("AP", zero_division=nan)
    for name in ("an error for 0/0", "nan for 0/0"):
        check_metric(mutant(name), undefined)
    with pytest.raises(AssertionError, match=r"except without positives: 0\.0 instead of nan\."):
        check_metric(step, undefined)
    check_metric(mutant("1 for 0/0"), ap.metric("AP", zero_division=1.0))


def test_zero_division_of_check_metric():
    """A number, nan, with which an error will do, or an error."""
    check_metric(mutant("nan for 0/0"), zero_division=nan)
    check_metric(mutant("an error for 0/0"), zero_division="raise")
    check_metric(lambda y, s: step(y, s) if y.any() else -1.0, zero_division=-1)
    with pytest.raises(AssertionError, match="without positives: nan instead of an error"):
        check_metric(mutant("nan for 0/0"), zero_division="raise")
    with pytest.raises(AssertionError, match=r"without positives: 0\.0 instead of 0\.5"):
        check_metric(step, zero_division=0.5)
    with pytest.raises(ValueError, match="zero_division was passed twice: as 0, and in"):
        check_metric(step, ap.metric("AP", zero_division=nan), zero_division=0)


def to_float32(y_true, y_score):
    return step(y_true, np.asarray(y_score).astype(np.float32))


def without_positives_minus_1(y_true, y_score):
    return rank_by_rows(y_true, y_score) if y_true.any() else -1.0


EXPECTED = {
    "AP": step,
    "AP, ties by row": rank_by_rows,
    "AP, scores as float32": to_float32,
    "linear": ap.compat.trapezoidal_average_precision_score,
    "101-point": partial(ap.interpolated_average_precision_score, n_points=101),
    "AP@3 / relevant": partial(ap.average_precision_at_k_score, k=3, denominator="relevant"),
    "AP, ties expected": partial(ap.average_precision_at_k_score, k=100_000, ties="expected"),
    "AP, ties in any order": lambda y, s: rank_by_rows(y[order := np.argsort(s % 0.3)], s[order]),
}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", EXPECTED)
def test_what_an_audit_names_can_be_expected(name):
    function = EXPECTED[name]
    verdict = judge(function)
    quoted = name if name.isalnum() or name == "101-point" else f'"{name}"'
    words = f"It computes {name}. To check for it in CI, add --metric {quoted}"
    assert (verdict.kind, verdict.words, verdict.code) == ("unchecked", words, 3)
    check_metric(function, name)
    other = step if name != "AP" else rank_by_rows
    assert judge(other, name).kind == "failed"


def test_values_without_positives_are_a_part_of_what_is_expected():
    words = 'add --metric "AP, ties by row" --zero-division -1'
    assert judge(without_positives_minus_1).words.endswith(words)
    verdict = judge(without_positives_minus_1, "AP, ties by row", -1)
    assert verdict.code == 0
    assert [note.partition(" ")[0] for note in verdict.result.notes] == ["Tried"]  # and no advice


@pytest.mark.sweep(4)
@pytest.mark.parametrize("value", [nan, 1.0, -np.inf, "an error"])
def test_what_a_failure_advises_to_allow_runs_as_it_is_printed(value):
    function = mutant("an error for 0/0")
    if value != "an error":
        function = lambda y, s: step(y, s) if y.any() else value  # noqa: E731
    with pytest.raises(AssertionError) as caught:
        check_metric(function)
    text = " ".join(str(caught.value).split())
    [arguments] = re.findall(r" To expect what it computes: check_metric\(f, (.*)\)$", text)
    eval(f"check_metric(function, {arguments})", globals(), {"function": function})


@pytest.mark.parametrize("matters", [False, True])
def test_scores_of_negative_zero_are_shown_only_if_they_matter(matters):
    def wrong(y_true, y_score):
        is_low = (y_score == 0) & (np.signbit(y_score) | (not matters))
        return step(y_true, np.where(is_low, -2.0, y_score))

    row = find_row(audit(wrong), "negative scores")
    assert not row.agrees
    scores = np.array(row.y_score)
    assert np.signbit(scores[scores == 0]).any() == matters


@pytest.mark.parametrize(
    "name", ["step, scores negated", "AP@ / min", "AP, ties not looked at", "step, ranks from 0"]
)
def test_mistakes_cannot_be_expected(name):
    with pytest.raises(InvalidParameterError, match="'metric' parameter of check_metric"):
        check_metric(step, name)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("metric", "name"), [("nDCG", "ndcg"), ("nDCG@5", "ndcg_at_5")])
def test_check_metric_says_what_is_not_a_metric_of_grades(metric, name):
    """It takes weights, which nDCG doesn't."""
    with pytest.raises(AssertionError, match=f"It isn't {name}, but step average precision, "):
        check_metric(ap.average_precision_score, metric)


def average_three_precisions(y_true, y_score):
    top = y_true[np.argsort(-y_score, kind="stable")][:3]
    hits = np.append(top, np.zeros(3 - top.size))
    return np.mean(np.cumsum(hits) / [1, 2, 3])


def test_check_metric_of_other_metrics():
    check_metric(average_three_precisions, "mean of P@1 to P@3, ties by row")
    check_metric(DEFINITIONS["AP@3 / relevant"], ap.metric("AP@3", denominator="relevant"))
    check_metric(partial(ap.precision_at_recall_score, min_recall=0.5), "precision_at_recall_0.5")
    with pytest.raises(AssertionError, match="isn't average_precision_at_10"):
        check_metric(step, "AP@10")


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (ap.metric("AP", pos_label=0), "with pos_label. Pass the metric of one such ranking"),
        (ap.metric(step, name="mine"), "a function"),
        (ap.metric("AP", groups="user"), "groups"),
    ],
)
def test_what_one_ranking_does_not_tell_is_refused(metric, words):
    with pytest.raises(ValueError, match=words):
        check_metric(step, metric)


def test_an_unknown_metric_is_refused():
    for wrong in ("average_precisoin_at", None, 3, ["AP"], step):
        with pytest.raises(InvalidParameterError, match="'metric' parameter of check_metric"):
            check_metric(step, wrong)


def test_the_values_shown_are_those_of_the_function_and_of_the_definition():
    rows = audited(rank_by_rows).rows
    for row in rows:
        if row.y_true is not None:
            value = rank_by_rows(np.array(row.y_true), np.array(row.y_score))
            assert value == pytest.approx(row.value)
    row = rows[1]
    assert row.expected == pytest.approx(float(oracle.step(row.y_true, row.y_score)))


def test_the_result_is_a_table():
    result = audited(rank_by_rows)
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found["definition"] == "step"
    assert found["agrees"] is False
    assert [row["aspect"] for row in found["rows"]] == ASPECTS
    assert found["rows"][1]["y_true"] == [1, 0]
    assert "| ties |" in result.to_markdown().replace("|  |", "|")
    assert result == audit(rank_by_rows)


def weighing(change):
    """Step average precision that counts other weights than those that it gets."""

    def weighed(y_true, y_score, sample_weight=None):
        weights = None if sample_weight is None else change(y_true, sample_weight)
        value = metrics.average_precision_score(y_true, y_score, sample_weight=weights)
        return value if y_true.any() else 0.0

    return weighed


WEIGHTS = {
    "ignored": lambda y, w: None,
    "those of negatives are ignored": lambda y, w: np.where(y == 1, w, 1),
    "rounded to whole numbers": lambda y, w: np.round(w),
    "they only tell which samples count": lambda y, w: (w > 0).astype(float),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("words", WEIGHTS)
def test_what_happens_to_weights_is_named(words):
    verdict = judge(weighing(WEIGHTS[words]), "AP")
    assert verdict.code == 1
    assert list_differing(verdict.result) == ["weights"]
    assert words in verdict.result.title
    assert find_row(verdict.result, "weights").finding.count(words) == 1


@pytest.mark.slow
def test_only_the_ratios_of_weights_matter():
    check_metric(weighing(lambda y, w: w))
    check_metric(weighing(lambda y, w: 3 * w))


# --- what a function does instead ----------------------------------------------------------------


def in_rows(order):
    """Rank the rows in an order that the function takes for one by the scores."""
    return lambda y, s: step(y[order(s)], -np.arange(y.size))


def at_levels(levels, parts=10, reaches=np.greater_equal, choose=np.max):
    """The mean of a precision at some recalls, which are parts of 1."""

    def mean(y_true, y_score):
        order = np.argsort(-y_score, kind="stable")
        is_last = np.append(np.diff(y_score[order]) != 0, True)  # of its tied samples
        hits = np.cumsum(y_true[order].astype(int))[is_last]
        precision, found = hits / (np.flatnonzero(is_last) + 1), hits[-1]
        reached = [precision[reaches(parts * hits, level * found)] for level in levels]
        return np.mean([choose(each) if each.size else 0.0 for each in reached]) if found else 0.0

    return mean


def oxford(y_true, y_score):
    """The `compute_ap` of the Oxford and Paris buildings."""
    hits = y_true[np.argsort(-y_score, kind="stable")] == 1
    above = np.append(1, np.cumsum(hits)[:-1] / np.arange(1, hits.size))
    here = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return ((above + here) / 2)[hits].mean() if hits.any() else 0.0


def from_zero(y_true, y_score):
    precision, recall, _ = metrics.precision_recall_curve(y_true, y_score)
    return trapezoid([0, *precision[-2::-1]], [0, *recall[-2::-1]]) if y_true.any() else 0.0


def in_top_r(y_true, y_score):
    """MAP@R of one query."""
    hits = y_true[np.argsort(-y_score, kind="stable")][: y_true.sum()] == 1
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return precision[hits].sum() / y_true.sum() if y_true.any() else 0.0


INSTEAD = {
    "it ranks by the order of rows": in_rows(lambda s: np.arange(s.size)),
    "the last one first": in_rows(lambda s: np.arange(s.size)[::-1]),
    "the inverse permutation": in_rows(lambda s: np.argsort(np.argsort(-s))),
    "in percent": lambda y, s: 100 * step(y, s),
    "1 minus": lambda y, s: 1 - step(y, s),
    "Step average precision times 1.1": lambda y, s: 1.1 * step(y, s),
    "Step average precision times 0.999": lambda y, s: 0.999 * step(y, s),
    "times 0.5": lambda y, s: step(y, s) / 2,
    "rounded to 4 decimals": lambda y, s: round(step(y, s), 4),
    "rounded to 2 decimals": lambda y, s: f"{step(y, s):.2f}",
    "The mean of step average precision over both": lambda y, s: (step(y, s) + step(1 - y, -s)) / 2,
    "of both classes in one ranking": lambda y, s: step(np.append(y, 1 - y), np.append(s, 1 - s)),
    "in the other order: y_score, y_true": lambda s, y: step(y, s) if {*y} <= {0, 1} else 0.5,
    "clipped to [0, 1]": lambda y, s: step(y, np.clip(s, 0, 1)),
    "through a sigmoid": lambda y, s: step(y, 1 / (1 + np.exp(-s.astype(float)))),
    "without their signs": lambda y, s: step(y, np.abs(s)),
    "every ranking without ties gives 0.25": lambda y, s: 0.25,
    "Every call fails: ZeroDivisionError": lambda y, s: y.size // 0,
    "Precision@1, always": partial(ap.precision_at_k_score, k=1),
    "Precision@5%, always": partial(ap.precision_at_k_score, k=0.05),
    "R-precision (R is the number of positives), always": ap.r_precision_score,
    "R40, recalls 1/40 to 1, always": at_levels(range(1, 41), 40),
    "11-point, recalls 1/10 to 1": at_levels(range(1, 11)),
    "11-point, recalls 0 to 9/10": at_levels(range(10)),
    "11-point, recall > each level instead of >=": at_levels(range(11), reaches=np.greater),
    "11-point, without the maximum to the right": at_levels(range(11), choose=lambda p: p[0]),
    "AP@R (R is the number of positives), except with ties": in_top_r,
    "Linear, except with ties: tied samples are ranked one by one": oxford,
    "Linear, from (0, 0).": lambda y, s: from_zero(y, s),
    "AP@n / k (the sum over all n samples, divided by n), always": partial(
        ap.average_precision_at_k_score, k=1.0, denominator="k"
    ),
}


@with_all_rankings
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("words", [*INSTEAD, *CAUSES])
def test_what_a_function_does_instead_is_the_first_line(words):
    verdict = judge((INSTEAD | CAUSES)[words], "AP")
    assert words.casefold() in verdict.result.title.casefold()
    assert verdict.code == 1
    if ", always" not in words:
        assert not verdict.result.agrees
    if words in CAUSES:
        assert "@" not in verdict.result.title, "no cutoff"


@pytest.mark.slow
def test_ties_at_random_are_seen_at_a_cutoff():
    """With several seeds, as one of them may break all ties there in the same way three times."""
    for seed in range(3):
        rng = np.random.default_rng(seed)

        def precision(y_true, y_score, rng=rng):
            return y_true[np.lexsort((rng.random(y_true.size), -y_score))][:5].sum() / 5

        assert "repeated calls" in list_differing(audit(precision, random_state=seed))


@pytest.mark.slow
def test_tools_are_those_that_are_known():
    """A function that differs where nothing is known of a tool isn't that tool."""

    def turning_negative_ones(y_true, y_score):
        return step(y_true, -y_score if y_score.min() < 0 else y_score)

    assert audit(turning_negative_ones).tools == ()
    assert not any("torchmetrics" in tool for tool in audited(step).tools)
    assert not any("ranx" in tool for tool in audited(rank_by_rows).tools), "it sorts in any order"
    assert any("Spark" in tool for tool in audited(rank_by_rows).tools), (
        "it takes the caller's order"
    )
    in_any_order = audit(lambda y, s: rank_by_rows(y[order := np.argsort(s % 0.3)], s[order])).tools
    assert not any("Spark" in tool for tool in in_any_order)
    raising = audit(mutant("an error for 0/0")).tools
    assert not any("MLflow" in tool or "nan" in tool for tool in raising)
    assert not any("polars_ds" in tool for tool in raising), "an error isn't nan"
    assert any("polars_ds" in tool for tool in audit(mutant("nan for 0/0")).tools)


@pytest.mark.slow
def test_check_metric_lists_differences_from_the_metric_that_it_was_asked_for():
    with pytest.raises(AssertionError) as caught:
        check_metric(partial(ap.interpolated_average_precision_score, n_points=10), "11-point")
    text = str(caught.value)
    assert text.startswith("It isn't 11-point, but 10-point, always: the same in ")


def test_tracebacks_end_in_the_test():
    """Without frames of this package, which pytest hides."""
    with pytest.raises(AssertionError) as caught:
        check_metric(lambda y, s: 0.0)
    shown = [entry.path.name for entry in caught.traceback.filter(caught)]
    assert set(shown) == {"test_compat_audit.py"}


def test_rankings_that_are_not_compared_are_not_counted():
    """Those with many ties, if it isn't known how the function orders them."""

    def scale(y_true, y_score):
        return step(y_true, y_score) * np.mean(y_true) ** 2

    result = judge(scale, metric="AP").result
    (row,) = [row for row in result.rows if row.aspect == "many samples"]
    found = re.search(r"\((\d+) of (\d+) rankings differ\)", row.finding)
    assert found is not None
    assert found[1] == found[2]


def test_a_value_that_changes_is_told_from_another_call():
    assert " in another call" in find_row(audit(random), "repeated calls").finding


def test_equal_scores_and_their_index_are_shown_where_they_matter():
    def other_of_forms(y_true, y_score):
        is_form = hasattr(y_score, "index") or np.min(y_score) < 0
        is_odd = is_form and len(y_score) == 2 and np.ptp(y_score) == 0
        return 0.3 if is_odd else step(y_true, y_score)

    result = audit(other_of_forms)
    assert find_row(result, "negative scores").finding == (
        "[1, 0] with scores -0.125, -0.125 gives 0.3 instead of 0.5 (2 of 36 rankings differ)"
    )
    assert find_row(result, "Series").finding == (
        "needs arrays: [1, 0] with scores 0.875, 0.875 and index 1, 0 gives 0.3 instead of 0.5 "
        "(2 of 12 rankings differ)"  # both orders of a positive and a negative
    )
    assert "index" not in str(result), "most functions need arrays"
