"""R-precision: what happens at the rank at which precision equals recall."""

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import r_precision_score

from . import oracle
from .strategies import DYADIC, FLOATS, INTEGERS, rankings

each_policy = pytest.mark.parametrize("ties", oracle.TIES)


def close_to(fraction):
    return pytest.approx(nan if fraction is None else float(fraction), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("ties", "value"), [("grouped", 1 / 3), ("expected", 1 / 3), ("best", 1 / 2), ("worst", 0)]
)
def test_a_small_r_precision(ties, value):
    """The second of two places for positives goes to one of three tied samples."""
    assert r_precision_score([0, 1, 1, 0], [0.9, 0.5, 0.5, 0.5], ties=ties) == pytest.approx(value)


@each_policy
@given(rankings(), st.sampled_from([None, 40]))
def test_r_precision(ties, ranking, n_positives):
    options = {"ties": ties, "n_positives": n_positives}
    exact = oracle.r_precision(*ranking, **options)
    assert r_precision_score(*ranking[:2], zero_division=nan, **options) == close_to(exact)


@given(rankings(positives=True, max_size=8))
def test_r_precision_over_all_orders_of_ties(ranking):
    labels, scores, _ = ranking
    each = [
        oracle.r_precision(order, range(len(order), 0, -1))
        for order in oracle.orders(labels, scores)
    ]
    exact = {"expected": sum(each) / len(each), "best": max(each), "worst": min(each)}
    for ties, value in {**exact, "grouped": exact["expected"]}.items():
        assert r_precision_score(labels, scores, ties=ties) == close_to(value)


@given(st.one_of(*(rankings(positives=True, weights=w) for w in (INTEGERS, DYADIC, FLOATS))))
def test_r_precision_with_weights(ranking):
    labels, scores, weights = ranking
    found = r_precision_score(labels, scores, sample_weight=weights)
    assert found == close_to(oracle.r_precision(*ranking))


def test_r_precision_of_groups_and_of_no_positives():
    query = np.repeat(["a", "b", "c"], 4)
    labels, scores = [1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0], [4, 3, 2, 1] * 3
    options = {"groups": query, "zero_division": nan}
    assert r_precision_score(labels, scores, **options) == 0.5
    found = r_precision_score(labels, scores, average=None, **options)
    assert found.tolist() == pytest.approx([1, 0, nan], nan_ok=True)
    with pytest.warns(UndefinedMetricWarning):
        assert r_precision_score([0, 0], [1, 2]) == 0


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


@pytest.mark.parametrize(("score", "measure", "options"), [(r_precision_score, "Rprec", {})])
def test_trec_eval_agrees_without_ties(score, measure, options):
    labels, scores = judged()
    each = [score(y, s, **options) for y, s in zip(labels, scores, strict=True)]
    assert each == pytest.approx(trec_eval(measure, labels, scores), abs=1e-12)
    found = score(labels, scores, average="samples", **options)
    assert found == pytest.approx(np.mean(each))
