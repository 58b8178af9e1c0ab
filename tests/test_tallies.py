"""Tallies: counts at scores, which are added up, cut off, and joined into quantiles."""

import numpy as np
import pytest

from sklearn_ap.core.cutoff import Cut
from sklearn_ap.core.tallies import Tally, merge, quantiles, tally_scores
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
    assert not found.mixed.any()


def test_opened_bins_are_put_between_the_others():
    """What a threshold needs: the counts at each score of a bin replace it."""
    outer = Tally(np.array([0.0, 5.0]), np.array([2.0, 8.0]), np.array([0, 3]), np.array([4, 1]))
    found = merge([outer, tally_scores(np.array([True, False, True]), np.array([3.0, 4.0, 4.0]))])
    assert found.low.tolist() == [0, 3, 4, 5]
    assert found.high.tolist() == [2, 3, 4, 8]
    assert found.mixed.tolist() == [True, False, False, True]
    assert found.positives.tolist() == [0, 1, 1, 3]
    assert found.negatives.tolist() == [4, 0, 1, 1]


@pytest.mark.parametrize(("k", "kept"), [(1, 1), (2, 1), (3, 2), (4, 3), (99, 3)])
def test_only_bins_that_k_reaches_are_sent_on(k, kept):
    low = np.arange(3.0)
    counts = Tally(low, low, np.array([1, 0, 1]), np.array([3, 1, 1])).best(Cut(k))
    assert counts.low.tolist() == low[3 - kept :].tolist()


@pytest.mark.parametrize("n_slices", range(1, 7))
def test_no_slice_has_more_than_its_share(n_slices):
    rng = np.random.default_rng(n_slices)
    for size in range(1, 30):
        scores, masses = np.arange(size), rng.integers(1, 6, size)
        found = quantiles(Tally(scores, scores, masses, 0 * masses), n_slices)
        assert found.size < 2 * n_slices
        several = found.positives[np.diff(found.low, prepend=-1) > 1]
        assert all(several * n_slices <= masses.sum())


WEIGHTED = {
    "step": ("average_precision", {}),
    "envelope": ("interpolated_average_precision", {}),
    "at-k": ("average_precision_at_k", {"k": 3}),
    "precision-at-k": ("precision_at_k", {"k": 3}),
    "recall-at-k": ("recall_at_k", {"k": 0.1}),
    "r-precision": ("r_precision", {}),
}


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
