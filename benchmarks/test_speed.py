"""What must not get slower, in under a minute: python -m pytest benchmarks.

Compare with a run before a change by --benchmark-autosave and then --benchmark-compare; nothing
here fails for being slow.
"""

import warnings

import numpy as np
import pytest

import sklearn_ap as ap

from . import data

pytest.importorskip("pytest_benchmark")
STEP = ap.average_precision_score


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # groups without positives
        yield


@pytest.mark.parametrize("share", [0.01, 0.5])
@pytest.mark.parametrize("n_samples", [100, 100_000, 1_000_000])
def test_step(benchmark, n_samples, share):
    benchmark(STEP, *data.ranking(n_samples, share))


@pytest.mark.parametrize("decimals", [1, 5])
def test_tied_scores(benchmark, decimals):
    y_true, y_score = data.ranking(100_000, 0.5)
    benchmark(STEP, y_true, y_score.round(decimals))


def test_single_precision(benchmark):
    y_true, y_score = data.ranking(100_000, 0.5)
    benchmark(STEP, y_true, y_score.astype(np.float32))


def test_weights(benchmark):
    y_true, y_score = data.ranking(100_000, 0.5)
    benchmark(STEP, y_true, y_score, sample_weight=data.rng().random(100_000))


@pytest.mark.parametrize("ties", ["expected", "best"])
def test_ties(benchmark, ties):
    y_true, y_score = data.ranking(100_000, 0.5)
    benchmark(STEP, y_true, y_score.round(3), ties=ties)


@pytest.mark.parametrize(
    ("score", "options"),
    [
        (ap.interpolated_average_precision_score, {}),
        (ap.eleven_point_average_precision_score, {}),
        (ap.average_precision_at_k_score, {"k": 10}),
        (ap.interpolated_precision_recall_curve, {}),
    ],
    ids=["envelope", "11-point", "at-10", "curve"],
)
def test_other_definitions(benchmark, score, options):
    benchmark(score, *data.ranking(100_000, 0.5), **options)


@pytest.mark.parametrize("average", ["macro", "samples"])
def test_multilabel(benchmark, average):
    benchmark(STEP, *data.cells(2000, 50), average=average)


def test_multiclass(benchmark):
    benchmark(STEP, *data.classes(2000, 50))


@pytest.mark.parametrize(("n_groups", "size"), [(1000, 100), (10_000, 10)])
def test_map(benchmark, n_groups, size):
    y_true, y_score, group = data.queries(n_groups, size)
    benchmark(ap.mean_average_precision_score, y_true, y_score, groups=group)
