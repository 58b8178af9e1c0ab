"""R-precision, reciprocal rank and hit rate at k, which searches are judged by."""

from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap import hit_rate_at_k_score, r_precision_score, reciprocal_rank_score

from . import oracle
from .oracle import near
from .strategies import rankings


@pytest.mark.parametrize(
    ("score", "grouped", "expected", "best", "worst"),
    [
        # The second of two places for positives goes to one of three tied samples.
        (r_precision_score, 1 / 3, 1 / 3, 1 / 2, 0),
        # The second place goes to a positive in two of three orders.
        (partial(hit_rate_at_k_score, k=2), 2 / 3, 2 / 3, 1, 0),
        # The first positive has rank 2 in two of three orders, and rank 3 in the third.
        (reciprocal_rank_score, 3 / 7, 4 / 9, 1 / 2, 1 / 3),
        # In the top 2, the first positive has rank 2 in two of three orders.
        (partial(reciprocal_rank_score, k=2), 1 / 3, 1 / 3, 1 / 2, 0),
        (partial(reciprocal_rank_score, k=1), 0, 0, 0, 0),
        (partial(reciprocal_rank_score, k=3), 3 / 7, 4 / 9, 1 / 2, 1 / 3),
    ],
)
def test_values_by_hand(score, grouped, expected, best, worst):
    given = [0, 1, 1, 0], [0.9, 0.5, 0.5, 0.5]
    values = [score(*given, ties=ties) for ties in ("grouped", "expected", "best", "worst")]
    assert values == pytest.approx([grouped, expected, best, worst])


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("score", "rule"),
    [
        (r_precision_score, oracle.r_precision),
        (reciprocal_rank_score, oracle.reciprocal_rank),
        *(
            (partial(reciprocal_rank_score, k=k), partial(oracle.reciprocal_rank, k=k))
            for k in (1, 3, 0.5)
        ),
        (partial(hit_rate_at_k_score, k=3), partial(oracle.hit_rate_at_k, k=3)),
    ],
)
@given(rankings(positives=True, max_size=8))
def test_values_over_all_orders_of_ties(score, rule, ranking):
    labels, scores, _ = ranking
    orders = oracle.orders(labels, scores)
    each = [rule(order, range(len(order), 0, -1)) for order in orders]
    exact = {"expected": sum(each) / len(each), "best": max(each), "worst": min(each)}
    for ties, value in exact.items():
        assert score(labels, scores, ties=ties) == near(value)


@pytest.mark.parametrize(("n_positives", "k"), [(1, 1), (1, 500_000), (3, 70_000), (70_000, 3)])
def test_the_hit_rate_of_many_ties(n_positives, k):
    size = 10**6
    found = hit_rate_at_k_score(np.arange(size) < n_positives, np.zeros(size), k=k)
    fewer, more = sorted((n_positives, k))
    misses = np.prod([(size - more - i) / (size - i) for i in range(fewer)])
    assert found == pytest.approx(1 - misses, rel=1e-9)


def test_mean_reciprocal_rank_of_groups():
    labels, query = [1, 0, 0, 0, 0, 1, 0, 0, 0], [*"aaabbbccc"]
    options = {"groups": query, "zero_division": 0.0}
    assert reciprocal_rank_score(labels, [3, 2, 1] * 3, **options) == pytest.approx(4 / 9)


@pytest.mark.parametrize("size", [10**3, 10**5])
@pytest.mark.parametrize("n_positives", [1, 2, 50])
def test_the_expected_reciprocal_rank_of_many_ties(size, n_positives):
    labels = np.arange(size) < n_positives
    found = reciprocal_rank_score(labels, np.zeros(size), ties="expected")
    rank = np.arange(1, size - n_positives + 2)
    hit = n_positives / (size - rank + 1)
    survives = np.cumprod(np.r_[1, 1 - hit[:-1]])
    assert found == pytest.approx(np.sum(survives * hit / rank), rel=1e-9)


@given(rankings(positives=True, max_size=8), st.integers(1, 9))
def test_grouped_ties_divide_the_chance_of_the_top_k_by_the_mean_rank_there(ranking, k):
    labels, scores, _ = ranking
    ranks = [order.index(1) + 1 for order in map(list, oracle.orders(labels, scores))]
    inside = [rank for rank in ranks if rank <= k]
    value = Fraction(len(inside) ** 2, len(ranks) * sum(inside)) if inside else 0
    assert reciprocal_rank_score(labels, scores, k=k) == near(value)


def closed_form(n, r, above, room):
    """The value by binomial coefficients, where the top k has `room` for n tied samples."""
    misses = Fraction(comb(n - r, room), comb(n, room))
    if misses == 1:
        return 0
    mean = (n + 1 - (n - room + 1) * misses) / (r + 1) - room * misses
    return (1 - misses) / (above + mean / (1 - misses))


@pytest.mark.parametrize(
    ("size", "n_positives", "k"),
    [
        *((1000, 1, 10), (10**5, 1, 10), (10**5, 3, 1), (10**5, 70, 10), (10**5, 50_000, 7)),
        *((10**4, 2, 9_998), (10**4, 2, 9_999), (10**4, 2, 5_000), (10**4, 9_990, 4)),
    ],
)
@pytest.mark.parametrize("above", [0, 5])
def test_the_reciprocal_rank_of_many_ties_at_a_cutoff(size, n_positives, k, above):
    labels = np.r_[np.zeros(above, int), np.arange(size) < n_positives]
    scores = np.r_[np.full(above, 2.0), np.zeros(size)]
    exact = closed_form(size, n_positives, above, max(k - above, 0))
    assert reciprocal_rank_score(labels, scores, k=k) == pytest.approx(float(exact), rel=1e-12)


def test_one_positive_among_a_thousand_ties_at_ten():
    labels, scores = np.arange(1000) == 0, np.zeros(1000)
    values = {
        ties: reciprocal_rank_score(labels, scores, k=10, ties=ties)
        for ties in ("grouped", "expected", "best", "worst")
    }
    expected = sum(Fraction(1, rank) for rank in range(1, 11)) / 1000  # .0029
    assert values["grouped"] == pytest.approx(2 / 1100)
    assert values["expected"] == pytest.approx(float(expected))
    assert (values["best"], values["worst"]) == (1, 0)


def test_mrr_at_ten_by_any_name():
    labels, query = [1, 0, 0, 0, 0, 1, 0, 0, 0], [*"aaabbbccc"]
    given = labels, [3, 2, 1] * 3
    options = {"groups": query, "zero_division": 0.0}
    for name in ("MRR@2", "mean_reciprocal_rank_at_2", "RR@2", "reciprocal_rank_at_2"):
        assert ap.metric(name)(*given, **options) == pytest.approx(1 / 3)
    assert reciprocal_rank_score(*given, k=2, average=None, **options).tolist() == [1, 0, 0]
    interval = ap.confidence_interval(*given, metric="MRR@10", **options)
    assert interval.metric == "Mean reciprocal rank at 10"


@pytest.mark.parametrize("metric", ["reciprocal_rank", "reciprocal_rank_at_3", "hit_rate_at_3"])
def test_several_rankings_have_an_interval(metric):
    """A single one is refused, as if a first hit at the top were all but certain in the next."""
    labels, scores = [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]
    given = {"metric": metric, "groups": [0, 0, 1, 1, 2, 2]}
    assert ap.confidence_interval(labels, scores, **given).metric.startswith("Mean")
    assert ap.compare(labels, scores, scores[::-1], **given).metric.startswith("Mean")
