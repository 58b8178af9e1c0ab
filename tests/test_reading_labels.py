"""Labels and classes as metrics read them, wrapped and masked arrays, and what stays unchanged."""

import copy
import pickle
import warnings
from functools import partial

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

from .examples import AP, CURVES, EVERY, NAN, P, S, Y
from .registry import NO_WEIGHTS, PLAIN


def name_of(value):
    return getattr(value, "__name__", None)


every_weighted = pytest.mark.parametrize(
    "function", [each for each in EVERY if each not in NO_WEIGHTS], ids=name_of
)


def test_errors_have_text_alone_on_other_machines():
    with pytest.raises(ValueError, match="3 in y_true and 4 in y_score") as caught:
        AP(Y[:3], S)
    (text,) = pickle.loads(pickle.dumps(caught.value)).args
    assert text == str(caught.value)
    assert type(text) is str


class Wrapped:
    """An array wrapped by another library, which may or may not be one of Dask."""

    def __init__(self, array, graph=None):
        self.array, self.graph = np.asarray(array), graph
        self.shape, self.ndim = np.shape(array), np.ndim(array)

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype)

    def __dask_graph__(self):
        return self.graph

    def compute(self):
        raise AssertionError("only the caller computes what isn't in memory")


@every_weighted
def test_a_wrapper_of_an_array_in_memory_is_an_array(function):
    found = function(Wrapped(Y), Wrapped(S), sample_weight=Wrapped([1, 2, 1, 1]))
    np.testing.assert_equal(found, function(Y, S, sample_weight=[1, 2, 1, 1]))


def test_wrappers_may_be_columns_but_no_collections_of_dask():
    labels, scores = [[1, 1], [0, 1]], [[0.1, 0.2], [0.3, 0.4]]
    assert AP(list(map(Wrapped, labels)), list(map(Wrapped, scores))) == AP(labels, scores)
    collection = Wrapped(S, graph={})
    code = r"Pass dask\.compute\(y_score\)\[0\]\.$"  # which is right for all of these
    for given in collection, [collection], {"model": collection}:
        with pytest.raises(TypeError, match=rf"y_score is a Dask collection.* {code}"):
            ap.report(Y, given)


def test_a_binary_target_takes_other_labels_and_classes():
    for curve in CURVES:
        np.testing.assert_equal(curve([2, 1, 2, 1], S), curve(Y, S))
    assert AP(Y, S, classes=[0, 1]) == AP(Y, S)
    assert AP(Y, np.column_stack([S, S]), classes=[0, 1], average=None)[1] == AP(Y, S)


@pytest.mark.parametrize("function", PLAIN, ids=name_of)
def test_classes(function):
    y_true, y_score = [0, 2, 2, 0, 1], np.random.default_rng(0).random((5, 3))
    whole = function(y_true, y_score, average=None)
    names = np.array(["x", "y", "z"])
    found = function(names[y_true], y_score[:, [2, 0, 1]], average=None, classes=names[[2, 0, 1]])
    assert found.tolist() == whole[[2, 0, 1]].tolist()
    fold = function(y_true[:4], y_score[:4], average=None, classes=[0, 1, 2], zero_division=NAN)
    for i in (0, 2):
        assert fold[i] == function(np.equal(y_true[:4], i), y_score[:4, i])
    if function is not P:
        assert np.isnan(fold[1])
        macro = function(y_true[:4], y_score[:4], classes=[0, 1, 2], zero_division=NAN)
        assert macro == pytest.approx(fold[[0, 2]].mean())


@pytest.mark.filterwarnings("ignore:No positive class")
@pytest.mark.parametrize(
    "function",
    [
        ap.average_precision_score,
        ap.precision_at_k_score,
        partial(ap.precision_at_k_score, groups=[1, 1, 2]),
        lambda y, s: ap.precision_at_k_score("y", "s", data=pl.LazyFrame({"y": y, "s": s})),
        ap.hit_curve,
        partial(ap.hit_curve, groups=[1, 1, 2]),
        partial(ap.operating_point, k=1),
    ],
)
def test_text_as_the_only_label(function):
    with pytest.warns(UserWarning, match=r"only 'ham', .* pass pos_label='ham'\.") as caught:
        function(["ham"] * 3, [1, 2, 3])
    (own,) = [one for one in caught if one.category is UserWarning]
    assert own.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        function([0, 0, 0], [1, 2, 3])


@pytest.mark.parametrize("name", ["y_true", "y_score", "sample_weight", "groups"])
def test_a_mask_that_hides_nothing_changes_nothing(name):
    given = {"y_true": Y, "y_score": S, "sample_weight": [1, 2, 3, 1], "groups": [*"abba"]}
    for nothing in (np.ma.array(given[name]), np.ma.array(given[name], mask=[False] * 4)):
        assert AP(**given | {name: nothing}) == AP(**given)


@every_weighted
def test_nothing_of_the_caller_is_changed(function):
    rng = np.random.default_rng(0)
    args = [rng.integers(2, size=40), rng.normal(size=40)]
    weight = rng.integers(0, 3, size=40).astype(float)
    before = copy.deepcopy([*args, weight])
    for array in (*args, weight):
        array.flags.writeable = False
    kwargs = {} if function in CURVES else {"zero_division": 0.0}
    function(*args, sample_weight=weight, **kwargs)
    function(*args, **kwargs)
    function(args[0].astype(bool), args[1], **kwargs)
    np.testing.assert_equal([*args, weight], before)
