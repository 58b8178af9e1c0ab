"""What is true for every definition in the table, and each definition against plain fractions."""

from fractions import Fraction
from functools import partial
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap

from .oracle import near
from .registry import DEFINITIONS, ORACLE_OF, RULE_OF, RULES, WITHIN, chosen, key_of, value_of
from .strategies import rankings

PUBLIC = [name for name, row in DEFINITIONS.items() if row.score]
each = pytest.mark.parametrize("name", DEFINITIONS)


def test_the_table_covers_rules_and_public_functions():
    """Each rule has a row, under its own name if the name is enough."""
    assert {key_of(rule) for rule in RULE_OF.values()} == set(RULES)
    assert set(RULES) - set(DEFINITIONS) == WITHIN
    public = {name for name in dir(sklearn_ap) if name.endswith("_score")}
    others = {"mean_average_precision_score", "ndcg_score"}  # test_metrics_ndcg.py
    assert {row.score for row in DEFINITIONS.values()} - {None} == public - others


# Nearly all values rise with the fraction of positives. Maxima tend to be higher in few samples,
# and what is cut moves by whole samples.
MOVED_BY = {
    "step": {"rises_with_positives", "is_smooth"},
    "envelope": {"rises_with_positives", "is_smooth"},
    "linear": {"rises_with_positives", "is_smooth"},
    "11-point": {"rises_with_positives", "is_optimistic"},
    "11-point-float": {"rises_with_positives", "is_optimistic"},
    "101-point": {"rises_with_positives", "is_optimistic"},
    "101-point-float": {"rises_with_positives", "is_optimistic"},
    "at-k": {"rises_with_positives", "has_bend"},
    "precision-at-k": {"rises_with_positives", "has_bend"},
    "r-precision": {"rises_with_positives", "has_bend"},
    "precision-at-recall": {"rises_with_positives", "has_bend"},
    "recall-at-precision": {"rises_with_positives", "has_bend", "is_optimistic"},
    "recall-at-k": {"has_bend"},
    "enrichment-factor": {"has_bend", "weighs_all"},  # a fraction of all samples divides it
    "reciprocal-rank": {"looks_for_first"},
    "reciprocal-rank-at-10": {"looks_for_first"},
    "hit-rate-at-k": {"looks_for_first"},
}


@each
def test_intervals_and_reports_know_what_moves_a_value(name):
    flags = "weighs_all rises_with_positives looks_for_first is_optimistic has_bend is_smooth"
    assert {flag for flag in flags.split() if getattr(RULE_OF[name], flag)} == MOVED_BY[name]


@pytest.mark.sweep(4)
@each
@pytest.mark.parametrize("distinct", [3, 600])
def test_many_samples(name, distinct):
    rng = np.random.default_rng(7)
    labels, scores = rng.random(2500) < 0.2, rng.integers(0, distinct, 2500)
    assert value_of(name, labels, scores) == near(ORACLE_OF[name](labels, scores))


@pytest.mark.sweep(4)
@each
@given(rankings(positives=True), st.integers(0, 2**32))
def test_row_order_never_matters(name, ranking, seed):
    labels, scores, _ = ranking
    order = np.random.default_rng(seed).permutation(labels.size)
    assert value_of(name, labels[order], scores[order]) == value_of(name, labels, scores)


@pytest.mark.parametrize("name", sorted({*PUBLIC} - {"precision-at-k"}))  # which is never 0/0
def test_no_positives(name):
    row, data = DEFINITIONS[name], ([0, 0, 0], [1, 2, 2])
    with pytest.warns(UndefinedMetricWarning, match="[Nn]o positive class") as caught:
        assert getattr(sklearn_ap, row.score)(*data, **row.options, **chosen(row)) == 0
    assert len(caught) == 1
    for asked in (0.0, 1.0, nan):
        assert value_of(name, *data, zero_division=asked) == pytest.approx(asked, nan_ok=True)


@pytest.mark.parametrize("reached", [False, True])
def test_a_threshold_that_is_missed_by_less_than_a_float_can_say(reached):
    """A share that is 10^-17 below 9/10, or a little above."""
    whole = 4 * 10**15 + 9
    part = (9 * whole - 1) // 10 + reached
    assert (part * 10 >= 9 * whole) is reached
    rest = [part, 4 * 10**15, whole - part]
    precision = value_of("precision-at-recall", [1, 0, 1], [3, 2, 1], rest, min_recall=0.9)
    assert precision == near(1 if reached else Fraction(whole, whole + 4 * 10**15))
    share = [part, whole - part]
    assert value_of("recall-at-precision", [1, 0], [1, 1], share, min_precision=0.9) == reached


@pytest.mark.parametrize("short", [1e-3, 1e-6, 1e-8])
def test_a_recall_that_is_truly_short_of_a_level_does_not_reach_it(short):
    data = [1, 0, 1], [3, 2, 1], [3 - short, 1.0, 7 + short]
    expected = ORACLE_OF["11-point"](*data)
    assert abs(expected - ORACLE_OF["11-point"](*data[:2], [3, 1, 7])) > 1e-3
    assert value_of("11-point", *data) == near(expected)


def test_no_float_represents_these_negative_thresholds():
    scores = [-(2**53) - 1, -(2**53) - 3]
    _, _, thresholds = sklearn_ap.hit_curve([1, 0], scores)
    assert thresholds.tolist() == [float("inf"), *scores]
    assert sklearn_ap.hit_curve([1, 0], [2, 1])[2].dtype == float


def test_recall_of_curves_is_among_all_existing_positives():
    """Of 4 positives, 3 are among the samples: 101 with one missing after the first two."""
    ranking = [1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6]
    _, recall, _ = sklearn_ap.interpolated_precision_recall_curve(*ranking, n_positives=4)
    assert recall.tolist() == [0.75, 0.5, 0.25, 0.25, 0]
    of_samples = {"fraction_of": "samples"}
    for options in ({"n_positives": 4}, of_samples, of_samples | {"n_positives": 8}):
        assert sklearn_ap.hit_curve(*ranking, **options)[1].tolist() == [0, 0.25, 0.25, 0.5, 0.75]


def test_curves_of_groups_and_models():
    labels, scores, days = [0, 1, 1, 0], [0.4, 0.3, 0.9, 0.2], ["Tue", "Tue", "Mon", "Wed"]
    with pytest.warns(UserWarning, match=r"No positive class .* for 1 of 3 groups \(Wed\), recall"):
        curves = sklearn_ap.interpolated_precision_recall_curve(labels, scores, groups=days)
    assert list(curves) == ["Mon", "Tue", "Wed"]
    assert [each.tolist() for each in curves["Tue"]] == [[0.5, 0.5, 1], [1, 0, 0], [0.3, 0.4]]
    exist = {"Mon": 1, "Tue": 2, "Wed": 1, "Thu": 1}
    curves = sklearn_ap.hit_curve(labels, scores, groups=days, n_positives=exist)
    found = {day: hits.tolist() for day, (_, hits, _) in curves.items()}
    assert found == {"Mon": [0, 1], "Thu": [0], "Tue": [0, 0, 0.5], "Wed": [0, 0]}
    models = {"a": scores, "b": [1, 2, 3, 4]}
    curves = sklearn_ap.hit_curve(labels, models, groups=["Tue", "Tue", "Mon", "Mon"])
    assert [list(curves), list(curves["b"])] == [["a", "b"], ["Mon", "Tue"]]
    assert curves["b"]["Mon"][1].tolist() == [0, 0, 1]
    curves = sklearn_ap.hit_curve(labels, {"a": scores})
    assert {name: hits.tolist() for name, (_, hits, _) in curves.items()} == {
        "a": [0, 0.5, 0.5, 1, 1]
    }


def test_identify_lists_what_matches_least_likely_by_chance_first():
    """Of equally likely matches, the commonest definition, and then the nearest value. If nothing
    matches, the nearest values come first.
    """
    commonest_first, nearest_first, n_closest = [], [], 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        labels, scores = rng.integers(0, 2, 20), rng.integers(0, 9, 20) / 8
        identify = partial(sklearn_ap.compat.identify, y_true=labels, y_score=scores, k=5)
        found = identify(value_of("step", labels, scores), decimals=1 + seed % 2)
        keys = [(match.chance, match.rarity, match.distance) for match in found.matches]
        assert keys == sorted(keys)
        commonest_first.append(keys == sorted(keys, key=lambda key: (key[1], key[0], key[2])))
        nearest_first.append(keys == sorted(keys, key=lambda key: (key[0], key[2], key[1])))
        distances = [match.distance for match in identify(rng.random(), decimals=9).closest]
        assert distances == sorted(distances)
        n_closest += len({*distances}) > 1
    assert not all(commonest_first)
    assert not all(nearest_first)
    assert n_closest > 1
