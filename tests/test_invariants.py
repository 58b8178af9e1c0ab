"""What holds for every metric with every option, on random rankings."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap._core.rules import RULES

from .cases import JUMPING, OPTIONS, calls
from .oracle import near

SEEDS = st.integers(0, 2**32 - 1)
any_call = st.one_of(calls(), calls("whole"), calls("dyadic"))


def same(call, **changes):
    assert call.but(**changes).value == near(call.value)


def take(call, rows, **changes):
    weight = None if call.weight is None else call.weight[rows]
    return call.but(labels=call.labels[rows], scores=call.scores[rows], weight=weight, **changes)


# --- what doesn't matter --------------------------------------------------------------------------


@given(any_call, SEEDS)
def test_the_order_of_the_rows(call, seed):
    assume(call.options.get("ties") != "input")
    rows = np.random.default_rng(seed).permutation(len(call.labels))
    assert take(call, rows).value == near(call.value)


@given(any_call, st.sampled_from(["rank", "negative", "integer", "large", "tiny", "object"]))
def test_scores_in_the_same_order(call, way):
    ranks = np.unique(call.scores, return_inverse=True)[1]
    same(call, scores={
        "rank": ranks / 7, "negative": ranks - 1000.5, "integer": ranks.astype(np.uint8),
        "large": ranks + 2**62, "tiny": ranks * 5e-324,
        "object": np.array([2**70 + int(each) for each in ranks], dtype=object),
    }[way])  # fmt: skip


CONTAINERS = [
    list,
    tuple,
    pd.Series,
    partial(np.array, dtype=object),
    lambda c: np.array(c)[:, None],
]


@given(any_call, st.sampled_from(CONTAINERS), st.sampled_from(CONTAINERS))
def test_containers(call, of_labels, of_others):
    weight = None if call.weight is None else of_others(call.weight.tolist())
    scores = of_others(call.scores.tolist())
    same(call, labels=of_labels(call.labels.tolist()), scores=scores, weight=weight)


@given(any_call, st.sampled_from([(0, 1), (1, 0), (-1, 1), (1, 2), (False, True), ("a", "b")]))
def test_the_labels_of_the_classes(call, labels):
    negative, positive = labels
    coded = np.where(call.labels, positive, negative)
    same(call, labels=coded, data={"pos_label": positive})


@given(any_call)
def test_grades_that_are_high_enough(call):
    same(call, labels=np.where(call.labels, 2, -1.5), data={"min_grade": 2})


@given(any_call)
def test_weights_of_0(call):
    weight = np.ones(len(call.labels), int) if call.weight is None else call.weight
    assume(call.weight is not None or "k_counts" not in call.options)
    more = call.but(
        labels=np.append(call.labels, [1, 0]),
        scores=np.append(call.scores, [9, -9]),
        weight=np.append(weight, [0, 0]),
    )
    assert more.value == near(call.value)


@given(calls("whole"))
def test_a_weight_is_as_many_rows(call):
    # In the order of rows, a row is one point, whatever it weighs, and repeated rows are several.
    assume(call.options.get("k_counts") != "samples" and call.options.get("ties") != "input")
    rows = np.repeat(np.arange(len(call.labels)), call.weight)
    assert take(call, rows).but(weight=None).value == near(call.value)


@given(calls("dyadic"), st.sampled_from([0.25, 64, 2.0**-40, 2.0**40]))
def test_the_unit_of_weights(call, unit):
    assume(call.options.get("k_counts") != "weight" and "k" not in call.options)
    same(call, weight=call.weight * unit)


# --- several rankings -----------------------------------------------------------------------------


def matrix(call, seed):
    """Return the call with two more columns, whose labels and scores are in another order."""
    rng = np.random.default_rng(seed)
    labels, scores = (
        np.column_stack([column, *(rng.permutation(column) for _ in "ab")])
        for column in (call.labels, call.scores)
    )
    labels[-1, 0] = 1  # else it may not be a label matrix, but one of zeros
    labels.flat[0] = 0
    assume(len(labels) > 1)
    return call.but(labels=labels, scores=scores)


def columns(call):
    return [
        call.but(labels=y, scores=s).value
        for y, s in zip(call.labels.T, call.scores.T, strict=True)
    ]


@given(any_call, SEEDS)
def test_the_columns_of_a_matrix(call, seed):
    call = matrix(call, seed)
    each = columns(call)
    assert call.with_data(average=None).value.tolist() == [near(value) for value in each]
    mean = np.nanmean(each) if not np.isnan(each).all() else None
    assert call.with_data(average="macro").value == near(mean)
    mass = call.labels.T @ (np.ones(len(call.labels)) if call.weight is None else call.weight)
    kept = ~np.isnan(each) & (mass > 0)
    mean = np.average(np.array(each)[kept], weights=mass[kept]) if kept.any() else None
    assert call.with_data(average="weighted").value == near(mean)


@given(any_call, SEEDS)
def test_all_cells_of_a_matrix(call, seed):
    call = matrix(call, seed)
    weight = None if call.weight is None else np.repeat(call.weight, 3)
    flat = call.but(labels=call.labels.ravel(), scores=call.scores.ravel(), weight=weight)
    assert call.with_data(average="micro").value == near(flat.value)


@given(any_call, SEEDS)
def test_the_rows_of_a_matrix(call, seed):
    call = matrix(call, seed)
    each = np.array(columns(call.but(labels=call.labels.T, scores=call.scores.T, weight=None)))
    weight = np.ones(len(each)) if call.weight is None else call.weight
    kept = ~np.isnan(each) & (weight > 0)
    mean = np.average(each[kept], weights=weight[kept]) if kept.any() else None
    assert call.with_data(average="samples").value == near(mean)


@given(any_call, SEEDS)
def test_classes_are_one_against_the_others(call, seed):
    scores = matrix(call, seed).scores
    labels = np.random.default_rng(seed).integers(0, 3, len(scores))
    call = call.but(labels=labels, scores=scores).with_data(average=None)
    each = columns(call.but(labels=labels[:, np.newaxis] == np.arange(3), data={}))
    assert call.with_data(classes=[0, 1, 2]).value.tolist() == [near(value) for value in each]
    backwards = call.but(scores=scores[:, ::-1]).with_data(classes=[2, 1, 0])
    assert backwards.value.tolist() == [near(value) for value in each[::-1]]
    if len({*labels[slice(None) if call.weight is None else call.weight > 0]}) == 3:
        assert call.value.tolist() == [near(value) for value in each]


@given(calls(), SEEDS)
def test_a_mean_is_a_metric_in_groups(call, seed):
    groups = np.random.default_rng(seed).integers(0, 4, len(call.labels))
    by_name = ap.metric("mean_" + call.name, **call.options)
    given = {"groups": groups, "zero_division": np.nan}
    value = call.with_data(groups=groups).value
    assert by_name(call.labels, call.scores, **given) == near(value)


# --- values ---------------------------------------------------------------------------------------


@given(any_call)
def test_limits(call):
    upper = np.inf if call.name == "enrichment_factor" else 1
    assert np.isnan(call.value) or 0 <= call.value <= upper


@given(calls())
def test_ties_at_best_and_at_worst(call):
    assume({"best", "expected", "worst"} <= {*OPTIONS[call.name].get("ties", ())})
    assume(call.options.get("denominator") != "hits")
    each = {
        ties: call.but(options=call.options | {"ties": ties}).value
        for ties in ("best", "expected", "worst")
    }
    assume(not np.isnan(each["best"]))
    # No law for "grouped": of labels 0111, of which the last three are tied, it's 0.75, which is
    # the precision of all four, and the best order has (1/2 + 2/3 + 3/4)/3.
    assert each["worst"] - 1e-12 <= each["expected"] <= each["best"] + 1e-12
    if len({*call.scores}) == len(call.scores):
        assert [*each.values()] == [near(each["best"])] * 3


@given(calls(names=["average_precision", "r_precision", "average_precision_at_k", *JUMPING]))
def test_a_perfect_ranking(call):
    assume(call.labels.any() and call.options.get("min_precision") != 0)
    assume(call.options.get("denominator") in (None, "min"))
    assert call.but(scores=call.labels).value == near(1)


# --- names ----------------------------------------------------------------------------------------


@given(any_call)
def test_a_metric_by_its_name(call):
    metric = ap.metric(call.name, **{n: v for n, v in call.options.items() if v is not None})
    assert ap.metric(metric.name)._rule == metric._rule
    given = {"zero_division": np.nan, "sample_weight": call.weight}
    assert metric(call.labels, call.scores, **given) == near(call.value)


@pytest.mark.parametrize("rule", RULES)
def test_no_two_metrics_have_one_name(rule):
    others = {name.lower() for each in RULES if each is not rule for name in each.names}
    assert not others & {name.lower() for name in rule.names}
