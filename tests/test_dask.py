"""Dask collections: with any chunks and scheduler, values are those of the local functions."""

import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

import sklearn_ap as ap

from .examples import AP, MAP
from .refusals import refuses
from .tables import without_chance

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

# What Dask warns of in its own code. A cluster in this process may hang on a warning in its loop.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
with_cluster = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


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
        AP(labels, scores, sample_weight=weights),
        MAP(labels, scores, groups=groups, zero_division=0.0),
    )


def check_scores(collections, expected):
    labels, scores, weights, groups = collections
    found = AP(labels, scores, sample_weight=weights)
    assert found == pytest.approx(expected[0], abs=1e-12)
    found = MAP(labels, scores, groups=groups, zero_division=0.0)
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
    return frame_of(**dict(zip("yswg", data, strict=True)))


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_collections(kind, data, expected):
    check_scores(COLLECTIONS[kind](data), expected)


# Schedulers
CLUSTERS = {"threads": {"processes": False, "n_workers": 1}, "processes": {"n_workers": 2}}


@contextmanager
def cluster_of(**options):
    distributed = pytest.importorskip("distributed")
    options |= {"threads_per_worker": 2, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@with_cluster
@pytest.mark.parametrize("kind", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_on_a_cluster(kind, data, expected):
    collections = [da.from_array(part, chunks=300) for part in data]
    labels, scores = da.zeros(6, chunks=2), da.arange(6, chunks=2)
    with cluster_of(**CLUSTERS[kind]) as client, dask.config.set(scheduler=client):
        check_scores(collections, expected)
        check_scores([part.persist() for part in collections], expected)
        with pytest.warns(UndefinedMetricWarning, match="No positive class"):
            assert AP(labels, scores) == 0
        with pytest.raises(ValueError, match="NaN"):
            AP(labels, scores * np.nan)


def load_or_die(i, marker):
    """Load chunk i; the first time that the third one is loaded, the worker dies."""
    if i == 3 and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    rng = np.random.default_rng(i)
    labels = rng.integers(0, 2, 500)
    return labels, rng.standard_normal(500) + labels


def of_groups(labels, scores):
    """An interval whose sampling units have rows in all chunks."""
    groups = [dask.delayed(np.arange)(500) for _ in range(8)]
    given = groups if isinstance(labels, list) else [*range(500)] * 8
    return ap.confidence_interval(labels, scores, groups=given, zero_division=0.0).to_dict()


@with_cluster
@pytest.mark.slow
@pytest.mark.parametrize("evaluate", [AP, of_groups])
def test_a_killed_worker_changes_nothing(tmp_path, evaluate):
    marker = tmp_path / "died"
    chunks = [dask.delayed(load_or_die, nout=2)(i, str(marker)) for i in range(8)]
    labels, scores = (list(column) for column in zip(*chunks, strict=True))
    with cluster_of(**CLUSTERS["processes"]) as client, dask.config.set(scheduler=client):
        found = evaluate(labels, scores)
    assert marker.exists()
    loaded = [load_or_die(i, marker) for i in range(8)]
    whole = [np.concatenate(parts) for parts in zip(*loaded, strict=True)]
    assert without_chance(found) == without_chance(evaluate(*whole))


# What is refused
def delayed(*parts):
    return [dask.delayed(part) for part in parts]


X, XS, LABELS = da.arange(4, chunks=2), np.arange(4), da.arange(4, chunks=2) % 2
FRAME = X[:, None].to_dask_dataframe(columns=["a"])
HEAVY = da.full(500, 1e306, chunks=100)


@pytest.mark.parametrize("kind", ["in different chunks", "series", "delayed"])
@pytest.mark.parametrize(
    "function",
    [
        lambda *data, **given: ap.operating_point(*data, min_recall=0.5, **given),
        ap.confidence_interval,
        lambda y, score, **given: ap.compare(y, {"a": score, "b": score}, **given),
    ],
)
def test_functions_compute_collections(kind, function, data):
    make = COLLECTIONS.get(kind, lambda data: [[dask.delayed(part)] for part in data])
    labels, scores, weights, _ = make(data)
    found = function(labels, scores, sample_weight=weights)
    weights = data[2]
    if kind == "series":  # whose name is printed
        weights = pytest.importorskip("pandas").Series(weights, name="w")
    assert repr(found) == repr(function(*data[:2], sample_weight=weights))


REFUSED = [
    # Chunks of Dask
    (
        (
            "{AP|average_precision_at_k_score}(delayed([0, 1], [1, 0]), delayed(*map(np.array, "
            "[[1, 2], [3]])))"
        ),
        "inconsistent numbers of samples",
    ),
    (
        (
            "{AP|average_precision_at_k_score}(delayed([0, 1], ['a']), delayed(*map(np.array, "
            "[[1, 2], [3]])))"
        ),
        "string and number",
    ),
    (
        (
            "{AP|average_precision_at_k_score}(delayed(['a'], ['b']), delayed(*map(np.array, "
            "[[1], [3]])))"
        ),
        "pos_label=1 is not a valid label",
    ),
    ("AP(LABELS, da.arange(5, chunks=1))", "inconsistent numbers of samples"),
    ("{*PLAIN}(XS % 2, X)", TypeError, "y_score is a Dask collection, ... Compute it first"),
    ("AP([], X)", TypeError, "y_score is a Dask collection, but ... in memory here"),
    ("{*PLAIN}(XS % 2, XS, sample_weight=X)", TypeError, "sample_weight is a Dask collection"),
    ("MAP(LABELS, X, groups=None)", TypeError, "mean_average_precision_score() needs groups"),
    ("AP(LABELS, da.ones((4, 2), chunks=2))", "y_score[:, 1]"),
    ("AP(HEAVY > 0, HEAVY, sample_weight=HEAVY)", "Scale the weights down"),
]

test_refused = refuses(REFUSED, globals())


def test_labels_of_predictions_in_memory_are_read_into_memory():
    """As scikit-learn does, since a model may not know Dask."""
    table = LABELS[:, None].to_dask_dataframe(columns=["label"])
    labels, scores = np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.45, 0.8])
    chunks = [dask.delayed(labels[:2]), dask.delayed(labels[2:])]
    groups = np.array([0, 0, 1, 1])
    for given in (LABELS, table["label"], chunks):
        assert AP(given, scores, sample_weight=XS + 1) == AP(labels, scores, sample_weight=XS + 1)
        assert MAP(given, scores, groups=groups) == MAP(labels, scores, groups=groups)
    assert AP("label", scores, data=table) == AP(labels, scores)
    model = LogisticRegression().fit(scores[:, None], labels)
    assert ap.get_scorer("AP")(model, scores[:, None], table["label"]) == AP(labels, scores)
    models = {"low": -scores, "high": scores}
    assert ap.report(LABELS, models, metrics=["AP"]) == ap.report(labels, models, metrics=["AP"])


def test_arrays_beside_collections():
    for given in (XS + 1, X + 1):
        assert AP(LABELS, X, sample_weight=given) == AP(LABELS, X, sample_weight=XS + 1)
    assert AP(LABELS, FRAME) == AP(XS % 2, XS)


def test_no_positives_only_if_there_are_none_anywhere():
    scores = da.arange(6, chunks=2)
    assert AP(da.from_array([0, 0, 0, 0, 0, 1], chunks=2), scores) == 1
    with pytest.warns(UndefinedMetricWarning, match="No positive class") as caught:
        assert AP(da.zeros(6, chunks=2), scores) == 0
    assert [warning.filename for warning in caught] == [__file__]
    assert AP(da.zeros(6, chunks=2), scores, zero_division=1.0) == 1


def frame_of(**columns):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    return dd.from_pandas(pd.DataFrame(columns), npartitions=4)


def test_scores_are_not_rounded():
    """2**53 and 2**53 + 1 in chunks of integers, of unsigned ones and of floats."""
    big = 2**53
    for one, other in ((np.int64, np.int64), (np.uint64, np.int64), (np.float64, np.int64)):
        scores = delayed(np.array([big, 1], dtype=one), np.array([big + 1], dtype=other))
        assert AP(delayed([0, 0], [1]), scores) == 1


@pytest.mark.parametrize("display", [ap.AveragePrecisionDisplay, ap.HitCurveDisplay])
def test_displays_name_the_columns_of_a_table(display):
    figure = pytest.importorskip("matplotlib.figure").Figure(layout="constrained")
    table = frame_of(y=[0, 1, 1, 0], s=[1, 2, 3, 4], day=[0, 0, 1, 1], amount=[1, 2, 1, 3])
    given = {"groups": "day", "sample_weight": "amount", "ax": figure.subplots()}
    drawn = display.from_predictions("y", "s", data=table, **given)
    assert (drawn._group_words, drawn._weight_words) == ("groups (day)", "amount")
