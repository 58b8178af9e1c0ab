"""Dask collections: with any chunks and scheduler, values are those of the local functions."""

import inspect
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap

from .registry import (
    OPTIONS,
)

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
lazy_score = pytest.importorskip("sklearn_ap.dask").lazy_score

# What Dask warns of in its own code. A cluster in this process may hang on a warning in its loop.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
with_cluster = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


# Equality


# Collections


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 3000)
    scores = np.round(rng.standard_normal(3000) + labels, 2).astype(np.float32)
    return labels, scores, rng.random(3000), rng.integers(0, 100, 3000)


@pytest.fixture(scope="module")
def expected(data):
    labels, scores, weights, groups = data
    return (
        sklearn_ap.average_precision_score(labels, scores, sample_weight=weights),
        sklearn_ap.mean_average_precision_score(labels, scores, groups=groups, zero_division=0.0),
    )


def check_scores(collections, expected):
    labels, scores, weights, groups = collections
    found = sklearn_ap.average_precision_score(labels, scores, sample_weight=weights)
    assert found == pytest.approx(expected[0], abs=1e-12)
    found = sklearn_ap.mean_average_precision_score(
        labels, scores, groups=groups, zero_division=0.0
    )
    assert found == pytest.approx(expected[1], abs=1e-12)


COLLECTIONS = {
    "arrays": lambda data: [da.from_array(part, chunks=700) for part in data],
    "in different chunks": lambda data: [
        da.from_array(part, chunks=size)
        for part, size in zip(data, (700, 400, 3000, 999), strict=True)
    ],
    "of unknown chunks": lambda data: [
        part[part >= -99] for part in (da.from_array(part, chunks=700) for part in data)
    ],
    "columns": lambda data: list(da.from_array(np.stack(data, axis=1), chunks=(700, 4)).T),
    "series": lambda data: [series_of(data)[name] for name in "yswg"],
    "series and an array": lambda data: [
        series_of(data)[name].values if name == "s" else series_of(data)[name] for name in "yswg"
    ],
}


def series_of(data):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    return dd.from_pandas(pd.DataFrame(dict(zip("yswg", data, strict=True))), npartitions=4)


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_collections(kind, data, expected):
    check_scores(COLLECTIONS[kind](data), expected)


def test_lazy(data, expected):
    labels, scores, *_ = (da.from_array(part, chunks=700) for part in data)
    found = lazy_score(sklearn_ap.average_precision_score, labels, scores)
    assert dask.is_dask_collection(found)
    assert found.compute() == sklearn_ap.average_precision_score(*data[:2])


def test_chunks_are_not_kept_between_the_passes():
    """Each chunk is made twice, and all are made once before any is made again."""
    made = []

    def make(i):
        made.append(i)
        return np.array([0, 1]), np.array([i, i + 1])

    chunks = [dask.delayed(make, nout=2)(i) for i in range(5)]
    labels, scores = zip(*chunks, strict=True)
    sklearn_ap.average_precision_score(list(labels), list(scores))
    assert sorted(made[:5]) == sorted(made[5:]) == list(range(5))


# Schedulers


CLUSTERS = {"threads": {"processes": False, "n_workers": 1}, "processes": {"n_workers": 2}}


@contextmanager
def cluster_of(**options):
    distributed = pytest.importorskip("distributed")
    options |= {"threads_per_worker": 2, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@contextmanager
def workers(client, count):
    """Separate processes, which nobody restarts."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", client.scheduler.address]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    options = ["--no-nanny", "--no-dashboard", "--nthreads", "1"]
    started = [
        subprocess.Popen(command + options, env=environment, stderr=subprocess.DEVNULL)
        for _ in range(count)
    ]
    try:
        client.wait_for_workers(count, timeout=60)
        yield started
    finally:
        for worker in started:
            worker.kill()
            worker.wait()


@with_cluster
@pytest.mark.parametrize("kind", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_on_a_cluster(kind, data, expected):
    collections = [da.from_array(part, chunks=300) for part in data]
    labels, scores = da.zeros(6, chunks=2), da.arange(6, chunks=2)
    with cluster_of(**CLUSTERS[kind]) as client, dask.config.set(scheduler=client):
        check_scores(collections, expected)
        check_scores([part.persist() for part in collections], expected)
        with pytest.warns(UndefinedMetricWarning, match="No positive class"):
            assert sklearn_ap.average_precision_score(labels, scores) == 0
        with pytest.raises(ValueError, match="NaN"):
            sklearn_ap.average_precision_score(labels, scores * np.nan)


def load_or_die(i, marker):
    """Load chunk i; the first time that the third one is loaded, the worker dies."""
    if i == 3 and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    rng = np.random.default_rng(i)
    labels = rng.integers(0, 2, 500)
    return labels, rng.standard_normal(500) + labels


@with_cluster
@pytest.mark.slow
def test_a_killed_worker_changes_nothing(tmp_path):
    marker = tmp_path / "died"
    chunks = [dask.delayed(load_or_die, nout=2)(i, str(marker)) for i in range(8)]
    labels, scores = (list(column) for column in zip(*chunks, strict=True))
    with cluster_of(n_workers=0) as client, workers(client, 2) as started:
        with dask.config.set(scheduler=client):
            found = sklearn_ap.average_precision_score(labels, scores)
        assert sum(worker.poll() is None for worker in started) == 1
    loaded = [load_or_die(i, marker) for i in range(8)]
    whole = [np.concatenate(parts) for parts in zip(*loaded, strict=True)]
    assert found == sklearn_ap.average_precision_score(*whole)


# What is refused


def chunks(*parts):
    return [dask.delayed(part) for part in parts]


@pytest.mark.parametrize(
    ("labels", "scores", "match"),
    [
        ([[0, 1], [1, 0]], [[1, 2], [3]], "inconsistent numbers of samples"),
        ([[0, 1], ["a"]], [[1, 2], [3]], "string and number"),
        ([["a"], ["b"]], [[1], [3]], "pos_label=1 is not a valid label"),
    ],
)
@pytest.mark.parametrize("name", ["average_precision_score", "average_precision_at_k_score"])
def test_wrong_chunks(name, labels, scores, match):
    with pytest.raises(ValueError, match=match):
        getattr(sklearn_ap, name)(chunks(*labels), chunks(*map(np.array, scores)))


def needed(function):
    """Values for options without a default."""
    parameters = list(inspect.signature(function).parameters.values())[2:]
    without = [p.name for p in parameters if p.default is p.empty and p.kind is p.KEYWORD_ONLY]
    return {name: OPTIONS[name][-1] for name in without if name != "groups"}


METRICS = [name for name in sklearn_ap.__all__ if name.endswith("_score")]


def test_wrong_collections():
    x = da.arange(4, chunks=2)
    with pytest.raises(TypeError, match="y_score must be a Dask array, a Dask series or a list"):
        sklearn_ap.average_precision_score(x, np.arange(4))
    chunks = dask.delayed([0.1, 0.2]), np.arange(2)
    with pytest.raises(TypeError, match="y_score must be a Dask array, a Dask series or a list"):
        sklearn_ap.average_precision_score([dask.delayed([0, 1])] * 2, list(chunks))
    with pytest.raises(TypeError, match=r"y_score is a Dask collection, but .* in memory here"):
        sklearn_ap.average_precision_score([], x)
    with pytest.raises(TypeError, match="y_true must be a Dask array"):
        sklearn_ap.average_precision_score(dask.delayed([0, 1]), dask.delayed([0.1, 0.2]))
    with pytest.raises(TypeError, match="mean_average_precision_score needs groups"):
        sklearn_ap.mean_average_precision_score(x % 2, x, groups=None)
    with pytest.raises(ValueError, match=r"y_score\[column\]"):
        sklearn_ap.average_precision_score(x % 2, x[:, None].to_dask_dataframe(columns=["a"]))
    with pytest.raises(ValueError, match="inconsistent numbers of chunks"):
        sklearn_ap.average_precision_score(x % 2, da.arange(5, chunks=1))
    with pytest.raises(ValueError, match=r"y_score\[:, 1\]"):
        sklearn_ap.average_precision_score(x % 2, da.ones((4, 2), chunks=2))
    with pytest.raises(ValueError, match="has no bounds"):
        sklearn_ap.metric_bounds(x % 2, x, ties="best")


def test_no_positives_only_if_there_are_none_anywhere():
    scores = da.arange(6, chunks=2)
    assert (
        sklearn_ap.average_precision_score(da.from_array([0, 0, 0, 0, 0, 1], chunks=2), scores) == 1
    )
    with pytest.warns(UndefinedMetricWarning, match="No positive class") as caught:
        assert sklearn_ap.average_precision_score(da.zeros(6, chunks=2), scores) == 0
    assert [warning.filename for warning in caught] == [__file__]
    found = sklearn_ap.metric_bounds(da.zeros(6, chunks=2), scores, zero_division=1.0)
    assert found == (1, 1, 1, True)


def test_too_many_distinct_scores(monkeypatch):
    monkeypatch.setattr("sklearn_ap._engines.dask.Graph.most", 10)
    labels, scores = da.ones(40, chunks=4), da.arange(40, chunks=4)
    with pytest.raises(ValueError, match="Use metric_bounds"):
        sklearn_ap.average_precision_score(labels, scores)
    with pytest.raises(ValueError, match=r"more than 10 .* Use a Spark DataFrame, or read Parquet"):
        sklearn_ap.mean_average_precision_score(labels, scores, groups=scores)
    assert sklearn_ap.metric_bounds(labels, scores, n_bins=4).high == 1


def test_masses_near_the_end_of_the_floats():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(500) < 0.5, rng.random(500)
    weights = np.full(500, 1e305)
    found = sklearn_ap.metric_bounds(
        *(da.from_array(part, chunks=100) for part in (labels, scores)),
        sample_weight=da.from_array(weights, chunks=100),
        n_bins=50,
    )
    exact = sklearn_ap.average_precision_score(labels, scores)
    assert found.low <= exact <= found.high < found.low + 0.2
    with pytest.raises(ValueError, match="Scale the weights down"):
        sklearn_ap.average_precision_score(
            *(da.from_array(part, chunks=100) for part in (labels, scores)),
            sample_weight=da.from_array(10 * weights, chunks=100),
        )


def test_chunks_that_change():
    rng = np.random.default_rng(0)
    labels = [dask.delayed(np.ones)(50)]
    scores = [dask.delayed(lambda: rng.random(50), pure=False)()]
    with pytest.raises(
        RuntimeError, match="different prediction scores when they were read a second time"
    ):
        sklearn_ap.average_precision_score(labels, scores)


@pytest.mark.parametrize("name", [*METRICS, "metric_bounds"])
def test_arrays_beside_collections_are_refused(name):
    """Whichever of them is in memory."""
    x, score = da.arange(4, chunks=2), getattr(sklearn_ap, name)
    y, options = np.arange(4), needed(score)
    if name == "mean_average_precision_score":
        options["groups"] = x % 2
    with pytest.raises(TypeError, match=r"y_score is a Dask collection, .* Compute it first"):
        score(y % 2, x, **options)
    for labels, scores in ((x % 2, y), ([dask.delayed(1)], [1])):
        with pytest.raises(TypeError, match="y_score must be a Dask array, a Dask series or a"):
            score(labels, scores, **options)
    with pytest.raises(TypeError, match="sample_weight must be a Dask array"):
        score(x % 2, x, sample_weight=y, **options)
    with pytest.raises(TypeError, match="sample_weight is a Dask collection"):
        score(y % 2, y, sample_weight=x, **options | dict.fromkeys(options.keys() & {"groups"}, y))


def test_scores_are_not_rounded():
    """2**53 and 2**53 + 1 in chunks of integers, of unsigned ones and of floats."""
    big = 2**53
    for one, other in ((np.int64, np.int64), (np.uint64, np.int64), (np.float64, np.int64)):
        scores = chunks(np.array([big, 1], dtype=one), np.array([big + 1], dtype=other))
        assert sklearn_ap.average_precision_score(chunks([0, 0], [1]), scores) == 1


def test_only_metrics_stay_lazy():
    x = da.arange(4, chunks=2)
    eager = sklearn_ap.confidence_interval
    for wrong in (print, "average_precision_score", sklearn_ap.make_ap_scorer, [1], eager):
        with pytest.raises(TypeError, match="metric must be a metric of sklearn_ap"):
            lazy_score(wrong, x % 2, x)
    with pytest.raises(TypeError, match="takes from 0 to 2 positional arguments but 3"):
        lazy_score(sklearn_ap.average_precision_score, x % 2, x, "macro")
    with pytest.raises(TypeError, match="y_true must be a Dask array"):
        lazy_score(sklearn_ap.average_precision_score, [0, 1], [0.1, 0.2])


@pytest.mark.parametrize(
    "curve", [sklearn_ap.hit_curve, sklearn_ap.interpolated_precision_recall_curve]
)
def test_lazy_curves(curve):
    labels, scores = [0, 1, 1, 0, 1], [0.1, 0.7, 0.7, 0.3, 0.2]
    found = lazy_score(curve, da.from_array(labels, 2), da.from_array(scores, 2)).compute()
    for ours, theirs in zip(found, curve(labels, scores), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_lazy_threshold():
    labels, scores = [0, 1, 1, 0, 1], [0.1, 0.7, 0.7, 0.3, 0.2]
    given = {"min_recall": 0.5, "sample_weight": da.from_array(np.arange(1, 6), 2)}
    lazy = lazy_score(
        sklearn_ap.operating_point, da.from_array(labels, 2), da.from_array(scores, 2), **given
    )
    given["sample_weight"] = np.arange(1, 6)
    assert lazy.compute() == sklearn_ap.operating_point(labels, scores, **given)


def test_only_dask_stays_lazy():
    pl = pytest.importorskip("polars")
    table = pl.LazyFrame({"label": [0, 1], "score": [1, 2]})
    with pytest.raises(TypeError, match="needs Dask collections, but data is a LazyFrame of pol"):
        lazy_score(sklearn_ap.average_precision_score, "label", "score", data=table)


def test_several_lazy_values_share_their_chunks():
    made = []

    def make(i):
        made.append(i)
        return np.array([0, 1]), np.array([i, i + 1])

    parts = [dask.delayed(make, nout=2)(i) for i in range(3)]
    labels, scores = map(list, zip(*parts, strict=True))
    whole = [0, 1] * 3, [0, 1, 1, 2, 2, 3]
    metrics = (sklearn_ap.average_precision_score, sklearn_ap.precision_at_k_score)
    values = dask.compute(
        lazy_score(metrics[0], labels, scores), lazy_score(metrics[1], labels, scores, k=2)
    )
    assert sorted(made) == [0, 1, 2]
    assert values == (metrics[0](*whole), metrics[1](*whole, k=2))


def test_lazy_columns_of_a_table():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    whole = {"y": [0, 1, 1, 0], "s": [1, 2, 3, 4], "g": [0, 0, 1, 1]}
    table = dd.from_pandas(pd.DataFrame(whole), npartitions=2)
    value = lazy_score(
        sklearn_ap.mean_average_precision_score, "y", "s", data=table, groups="g", average=None
    )
    assert value.compute().tolist() == [1, 0.5]


def test_a_table_in_memory_stays_as_eager_as_it_is():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"y": [1, 0], "s": [2, 1]})
    with pytest.raises(TypeError, match="lazy_score needs Dask collections, but data is"):
        lazy_score(sklearn_ap.average_precision_score, "y", "s", data=table)
