"""Tallies: counts at scores, which are added up and cut off."""

import numpy as np
import pytest

from sklearn_ap.core.tallies import merge, tally_scores
from sklearn_ap.streaming import MetricAccumulator

from . import oracle


@pytest.mark.parametrize("weighted", [False, True])
def test_tallies_of_parts_add_up_to_that_of_the_whole(weighted):
    rng = np.random.default_rng(0)
    labels, scores = rng.random(2000) < 0.3, rng.integers(0, 300, 2000) / 7
    weights = rng.integers(1, 5, 2000) if weighted else None
    parts = [
        tally_scores(labels[rows], scores[rows], None if weights is None else weights[rows])
        for rows in np.array_split(rng.permutation(2000), 5)
    ]
    found = merge([merge(parts[:2]), *parts[2:]])
    mass = np.ones(2000) if weights is None else weights
    for place, score in enumerate(np.unique(scores)):
        at = scores == score
        assert found.low[place] == found.high[place] == score
        assert found.positives[place] == mass[at & labels].sum()
        assert found.negatives[place] == mass[at & ~labels].sum()
        assert found.in_rows()[place] == np.count_nonzero(at)


WEIGHTED = {
    "step": ("average_precision", {}),
    "envelope": ("interpolated_average_precision", {}),
    "at-k": ("average_precision_at_k", {"k": 3}),
    "precision-at-k": ("precision_at_k", {"k": 3}),
    "recall-at-k": ("recall_at_k", {"k": 0.1}),
    "r-precision": ("r_precision", {}),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("few", [(1e-200, 1e200), (1e-200, 0.5, 1.0, 1e200, 1e-300, 1e300)])
@pytest.mark.parametrize("rule", WEIGHTED)
def test_weights_hundreds_of_orders_of_magnitude_apart(rule, few):
    name, options = WEIGHTED[rule]
    given = {"k_counts": "weight"} if options else {}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels, scores = np.append([1, 0], rng.integers(0, 2, 30)), rng.integers(0, 12, 32) / 7
        mass = rng.choice(few, labels.size)
        expected = float(oracle.RULES[rule](labels, scores, mass, **options))
        stream = MetricAccumulator().update(labels, scores, mass)
        assert stream.result(name, **options, **given) == pytest.approx(expected, abs=1e-12)
