"""The classes of errors, and what a target that can't be met says can."""

import pickle

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.exceptions import InvalidParameterError, NotReachableError

Y, S = [0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]
DAYS = list("MMTTWW")
SURE = {"confidence_level": 0.95}


def refused(**given):
    with pytest.raises(NotReachableError) as caught:
        ap.operating_point(**given)
    assert isinstance(caught.value, ValueError)
    assert not isinstance(caught.value, InvalidParameterError)
    return caught.value


@pytest.mark.parametrize(("given", "target", "reachable"), [
    ({"min_precision": 0.9}, "min_precision", 0.6),
    ({"min_recall": 0.9, "n_positives": 4}, "min_recall", 0.75),
    ({"min_recall": 1, "min_precision": 0.9}, "min_precision", 0.6),
    ({"y_score": [2, 2, 2, 2, 1, 1], "k": 1, "groups": DAYS}, "k", 2),
    ({"y_score": [2, 2, 2, 1, 1, 1], "k": 1, "groups": list("MMMTTT"), "quantile": 0.5}, "k", 3),
    ({"y_score": [2] * 6, "k": 1, "groups": list("MMMTTW"), "quantile": 0.5}, "k", 2),
    ({"k": 3, "groups": list("MMTTWW"), "quantile": 0.9}, "quantile", 0.75),
    ({"k": 3, "groups": list("MMTTWW"), "quantile": 0.9, "confidence_level": 0.5},
     "quantile", 0.7937),
    ({"y_score": [2, 2, 2, 1, 1, 0], "k": 2, "min_recall": 0.1}, "k", 3),
    ({"k": 3, "min_recall": 0.8}, "min_recall", 0.3333),
    ({"k": 1, "groups": DAYS, "min_precision": 0.9}, "min_precision", 0.5),
    ({"k": 5, "min_recall": 0.6, "min_precision": 0.9}, "min_precision", 0.6),
    ({"y_true": [1] * 20, "y_score": range(20), "k": 15, "min_recall": 0.8,
      "confidence_level": 0.5}, "min_recall", 0.7211),
    # By weight, M has 2.5 and T 1.5.
    ({"y_score": [2] * 6, "k": 1, "groups": list("MMMTTT"), "quantile": 0.5, "k_counts": "weight",
      "sample_weight": [1, 1, 0.5, 0.5, 0.5, 0.5]}, "k", 3),
    ({"y_true": [1] * 13 + [0] * 3, "y_score": range(16, 0, -1), "min_recall": 0.8, **SURE},
     "min_recall", 0.7941),
    ({"y_true": [1] * 20, "y_score": range(20), "min_recall": 1.0, **SURE}, "min_recall", 0.8608),
    ({"y_true": [1] * 20, "y_score": range(20), "min_precision": 0.9, **SURE},
     "min_precision", 0.787),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:Even with all samples flagged")
def test_what_is_reachable_can_be_asked_for(given, target, reachable):
    given = {"y_true": Y, "y_score": S} | given
    error = refused(**given)
    assert error.reachable == reachable
    assert f"{target}={reachable}" in str(error)
    ap.operating_point(**given | {target: reachable})
    beyond = reachable - 1 if target == "k" else reachable + 0.001
    if beyond:
        assert refused(**given | {target: beyond}).reachable == reachable


@pytest.mark.parametrize("given", [
    {"y_true": [0] * 6, "min_recall": 0.5},
    {"y_true": [0] * 6, "min_precision": 0.5, **SURE},
    {"min_precision": 0.9, **SURE, "y_true": [0, 0, 0, 0, 0, 1]},
])  # fmt: skip
def test_nothing_may_be_reachable(given):
    assert refused(**{"y_true": Y, "y_score": S} | given).reachable is None


def is_met(**given):
    try:
        return bool(ap.operating_point(**given))
    except NotReachableError:
        return False


def test_the_smallest_budget_of_random_data():
    rng, refusals = np.random.default_rng(0), 0
    for _ in range(60):
        days = rng.integers(0, 6, 40)
        y, s = rng.random(40) < 0.5, rng.integers(0, 3, 40)
        for given in ({"groups": days, "k": 1}, {"groups": days, "k": 1, "quantile": 0.7}):
            k = next(k for k in range(1, 40) if is_met(y_true=y, y_score=s, **given | {"k": k}))
            if k > 1:
                refusals += 1
                assert refused(y_true=y, y_score=s, **given).reachable == k
    assert refusals > 20


def test_errors_of_several_models_name_one_and_keep_the_value():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"y": Y, "a": S, "b": S})
    error = refused(y_true="y", y_score=["a", "b"], data=table, min_precision=0.9)
    assert error.reachable == 0.6
    assert "(y_score is the column 'a')" in str(error)


def test_bad_input_is_another_error():
    with pytest.raises(ValueError, match="inconsistent numbers of samples") as caught:
        ap.operating_point([1, 0], [1], min_recall=0.5)
    assert not isinstance(caught.value, NotReachableError)
    for kind in (ValueError, TypeError, InvalidParameterError):
        with pytest.raises(kind, match="min_recall"):
            ap.operating_point(Y, S, min_recall=80)


@pytest.mark.parametrize("kind", [getattr(ap.exceptions, n) for n in ap.exceptions.__all__])
def test_errors_can_be_pickled_with_what_they_know(kind):
    given = ("words", 0.75) if kind is NotReachableError else ("words",)
    error = kind(*given)
    error.__dict__["arguments"] = ("y_true",)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, "words", vars(error))
    assert issubclass(kind, ValueError)
    assert kind.__module__ == "sklearn_ap.exceptions"
