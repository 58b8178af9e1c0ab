"""R-precision, reciprocal rank and hit rate at k, which searches are judged by."""

from functools import partial
from math import nan

import numpy as np
import pytest
from hypothesis import given
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import (
    compare,
    confidence_interval,
    hit_rate_at_k_score,
    r_precision_score,
    reciprocal_rank_score,
)
from sklearn_ap.streaming import MetricAccumulator

from . import oracle
from .strategies import rankings


def close_to(fraction):
    return pytest.approx(nan if fraction is None else float(fraction), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("ties", "value"), [("grouped", 1 / 3), ("expected", 1 / 3), ("best", 1 / 2), ("worst", 0)]
)
def test_a_small_r_precision(ties, value):
    """The second of two places for positives goes to one of three tied samples."""
    assert r_precision_score([0, 1, 1, 0], [0.9, 0.5, 0.5, 0.5], ties=ties) == pytest.approx(value)


@pytest.mark.parametrize(
    ("score", "rule"),
    [
        (r_precision_score, oracle.r_precision),
        (reciprocal_rank_score, oracle.reciprocal_rank),
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
        assert score(labels, scores, ties=ties) == close_to(value)


@pytest.mark.parametrize(
    ("ties", "value"), [("grouped", 2 / 3), ("expected", 2 / 3), ("best", 1), ("worst", 0)]
)
def test_a_small_hit_rate(ties, value):
    """The second place goes to a positive in two of three orders."""
    found = hit_rate_at_k_score([0, 1, 1, 0], [0.9, 0.5, 0.5, 0.5], k=2, ties=ties)
    assert found == pytest.approx(value)


@pytest.mark.parametrize(("n_positives", "k"), [(1, 1), (1, 500_000), (3, 70_000), (70_000, 3)])
def test_the_hit_rate_of_many_ties(n_positives, k):
    size = 10**6
    found = hit_rate_at_k_score(np.arange(size) < n_positives, np.zeros(size), k=k)
    fewer, more = sorted((n_positives, k))
    misses = np.prod([(size - more - i) / (size - i) for i in range(fewer)])
    assert found == pytest.approx(1 - misses, rel=1e-9)


@pytest.mark.parametrize(
    ("ties", "value"), [("grouped", 3 / 7), ("expected", 4 / 9), ("best", 1 / 2), ("worst", 1 / 3)]
)
def test_a_small_reciprocal_rank(ties, value):
    """The first positive has rank 2 in two of three orders, and rank 3 in the third."""
    found = reciprocal_rank_score([0, 1, 1, 0], [0.9, 0.5, 0.5, 0.5], ties=ties)
    assert found == pytest.approx(value)


def test_r_precision_of_groups_and_of_no_positives():
    query = np.repeat(["a", "b", "c"], 4)
    labels, scores = [1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0], [4, 3, 2, 1] * 3
    options = {"groups": query, "zero_division": nan}
    assert r_precision_score(labels, scores, **options) == 0.5
    found = r_precision_score(labels, scores, average=None, **options)
    assert found.tolist() == pytest.approx([1, 0, nan], nan_ok=True)
    with pytest.warns(UndefinedMetricWarning):
        assert r_precision_score([0, 0], [1, 2]) == 0


def test_mean_reciprocal_rank_of_groups():
    query = np.repeat(["a", "b", "c"], 3)
    labels, scores = [1, 0, 0, 0, 0, 1, 0, 0, 0], [3, 2, 1] * 3
    options = {"groups": query, "zero_division": 0.0}
    assert reciprocal_rank_score(labels, scores, **options) == pytest.approx(4 / 9)
    exist = {"a": 1, "b": 1, "c": 1, "d": 2}
    found = reciprocal_rank_score(labels, scores, groups=query, n_positives=exist, average=None)
    assert found.tolist() == pytest.approx([1, 1 / 3, 0, 0])


@pytest.mark.parametrize("size", [10**3, 10**5])
@pytest.mark.parametrize("n_positives", [1, 2, 50])
def test_the_expected_reciprocal_rank_of_many_ties(size, n_positives):
    labels = np.arange(size) < n_positives
    options = {"ties": "expected"}
    found = reciprocal_rank_score(labels, np.zeros(size), **options)
    chance, survives = 0.0, 1.0
    for rank in range(1, size - n_positives + 2):
        hit = n_positives / (size - rank + 1)
        chance += survives * hit / rank
        survives *= 1 - hit
    assert found == pytest.approx(chance, rel=1e-9)


FIRST = {"reciprocal_rank": reciprocal_rank_score, "hit_rate_at_k": hit_rate_at_k_score}
each_first = pytest.mark.parametrize(("metric", "score"), FIRST.items())


@each_first
def test_the_first_positive_has_no_weight(metric, score):
    """Weights of rows are weights of rankings, which the mean can have."""
    words = "is not available with sample_weight, because it looks for one single sample"
    labels, scores, weights = [1, 0, 1], [3, 2, 1], [1, 2, 1]
    with pytest.raises(ValueError, match=words):
        score(labels, scores, sample_weight=weights)
    with pytest.raises(ValueError, match=words):
        score(labels, scores, sample_weight=weights, groups=[1, 1, 2])
    with pytest.raises(ValueError, match=words):
        confidence_interval(labels, scores, metric=metric, sample_weight=weights)
    for groups in (None, [1, 1, 2]):
        some = MetricAccumulator().update(labels, scores, sample_weight=weights, groups=groups)
        with pytest.raises(ValueError, match=words):
            some.result(metric)
    rows = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
    found = score(*rows, average="samples", sample_weight=[3, 1])
    each = score(*rows, average="samples", sample_weight=None)
    assert found != each or found == 1


def judged(n_queries=30, n_documents=40, seed=0):
    """Make queries without ties, some of which have relevant documents that weren't retrieved."""
    rng = np.random.default_rng(seed)
    labels = rng.random((n_queries, n_documents)) < rng.choice([0.02, 0.2, 0.5], (n_queries, 1))
    labels[:, 0] = True
    return labels.astype(int), rng.permuted(np.tile(np.arange(n_documents), (n_queries, 1)), axis=1)


def trec_eval(measure, labels, scores):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    name = {f"q{i:02}": i for i in range(len(labels))}
    qrels = {q: {f"d{j}": int(x) for j, x in enumerate(labels[i])} for q, i in name.items()}
    run = {q: {f"d{j}": float(x) for j, x in enumerate(scores[i])} for q, i in name.items()}
    found = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    return [found[q][measure.replace(".", "_")] for q in name]


@pytest.mark.parametrize(
    ("score", "measure", "options"),
    [
        (r_precision_score, "Rprec", {}),
        (reciprocal_rank_score, "recip_rank", {}),
        (hit_rate_at_k_score, "success.5", {"k": 5}),
    ],
)
def test_trec_eval_agrees_without_ties(score, measure, options):
    labels, scores = judged()
    each = [score(y, s, **options) for y, s in zip(labels, scores, strict=True)]
    assert each == pytest.approx(trec_eval(measure, labels, scores), abs=1e-12)
    found = score(labels, scores, average="samples", **options)
    assert found == pytest.approx(np.mean(each))


@pytest.mark.parametrize("metric", ["reciprocal_rank", "hit_rate_at_3"])
def test_one_ranking_has_no_interval(metric):
    """It would say that a first hit at the top is all but certain in the next ranking, too."""
    labels, scores = [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]
    for ask in (
        lambda **given: confidence_interval(labels, scores, metric=metric, **given),
        lambda **given: compare(labels, scores, scores[::-1], metric=metric, **given),
    ):
        with pytest.raises(ValueError, match=r"a single ranking doesn't tell.* Pass groups="):
            ask()
        assert ask(groups=[0, 0, 1, 1, 2, 2]).metric.startswith("Mean")
