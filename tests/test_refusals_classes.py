"""The classes of errors, and what a target that can't be met says can."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import sklearn_ap as ap
from sklearn_ap.exceptions import InvalidParameterError, NotReachableError, SingleUnitError

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
    ({"y_score": [2, 2, 2, 1, 1, 0], "k": 2, "min_recall": 0.1}, "k", 3),
    ({"k": 3, "min_recall": 0.8}, "min_recall", 0.3333),
    ({"k": 1, "groups": DAYS, "min_precision": 0.9}, "min_precision", 0.5),
    ({"k": 5, "min_recall": 0.6, "min_precision": 0.9}, "min_precision", 0.6),
    ({"y_true": [1] * 20, "y_score": range(20), "k": 15, "min_recall": 0.8,
      "confidence_level": 0.5}, "min_recall", 0.7211),
    # By weight, M has 2.5 and T 1.5, so 2 on average.
    ({"y_score": [2] * 6, "k": 1, "groups": list("MMMTTT"), "k_counts": "weight",
      "sample_weight": [1, 1, 0.5, 0.5, 0.5, 0.5]}, "k", 2),
    ({"y_true": [1] * 13 + [0] * 3, "y_score": range(16, 0, -1), "min_recall": 0.8, **SURE},
     "min_recall", 0.7941),
    ({"y_true": [1] * 20, "y_score": range(20), "min_recall": 1.0, **SURE}, "min_recall", 0.8608),
    ({"y_true": [1] * 20, "y_score": range(20), "min_precision": 0.9, **SURE},
     "min_precision", 0.787),
])  # fmt: skip
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


CHOICES = {
    "min_recall": [0.05, 0.3, 0.6, 0.9, 0.99, 1.0],
    "min_precision": [0.05, 0.3, 0.6, 0.9, 0.99, 1.0],
    "k": [1, 2, 3, 5, 10, 30, 0.05, 0.3],
    "confidence_level": [0.5, 0.8, 0.95],
}


def random_request(seed):
    """Random labels and scores with ties, and what a threshold for them could be asked for."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 300))
    y = rng.random(size) < rng.choice([0.05, 0.3, 0.6])
    s = np.round(rng.normal(size=size) + y * rng.choice([0, 1, 2.5]), int(rng.integers(0, 3)))
    if rng.random() < 0.2:
        s = np.minimum(s, 1)  # so that many are tied at the top
    wanted = {name: rng.choice(each) for name, each in CHOICES.items() if rng.random() < 0.5}
    given = {name: each.item() for name, each in wanted.items()}
    if "k" in given:
        given["k"] = CHOICES["k"][int(rng.integers(len(CHOICES["k"])))]
    groups = rng.integers(0, rng.integers(1, 30), size)
    if isinstance(given.get("k"), int) and rng.random() < 0.7:
        given["groups"] = groups
    if not {"min_recall", "min_precision"} & {*given}:
        given.pop("confidence_level", None)
    if "groups" not in given and "confidence_level" in given and rng.random() < 0.2:
        given["clusters"] = groups
    if rng.random() < 0.2:
        given["sample_weight"] = rng.choice([0.5, 1, 2, 3.3], size)
        given["k_counts"] = (
            ["samples", "weight"][int(rng.integers(2))] if "k" in given else "weight"
        )
    if rng.random() < 0.2 and not {"groups", "clusters"} & {*given}:
        given["n_positives"] = 4.0 * y.sum() + 3
    return {"y_true": y, "y_score": s, **given}


def error_of(**given):
    """Return the error, None if there is a threshold."""
    try:
        ap.operating_point(**given)
    except NotReachableError as error:
        return error
    return None


def refusals(seeds):
    """What of random requests can't be met, and the parameter and the value that errors name."""
    for seed in range(seeds):
        given = random_request(seed)
        error = error_of(**given) if {"min_recall", "min_precision", "k"} & {*given} else None
        if error is not None and error.reachable is None:
            yield given, None, None
        elif error is not None:
            name, value = re.search(r"[Pp]ass (\w+)=([\d.e-]*\d)", str(error)).groups()
            assert float(value) == error.reachable
            yield given, name, error.reachable


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seeds", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_what_is_reachable_is_reached_in_one_step(seeds):
    """Beside everything else that was asked for."""
    names = set()
    for given, name, value in refusals(seeds):
        names.add(name)
        assert name is None or error_of(**given | {name: value}) is None
    assert names == {None, "min_recall", "min_precision", "k"}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_reachable_is_the_most_that_is():
    """Without weights and clusters, with which a promise doesn't rise evenly."""
    tried = 0
    for given, name, value in refusals(300):
        if {"sample_weight", "clusters", "groups"} & {*given}:
            continue
        if name in ("min_recall", "min_precision"):
            tried += 1
            assert error_of(**given | {name: min(1.0, value * 1.001 + 0.001)}) is not None
        for other in {"min_recall", "min_precision"} & {*given} if name is None else ():
            assert error_of(**given | {other: 0.001}) is not None
    assert tried > 30


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_larger_k_is_advised_where_it_helps():
    """And lower targets where no k helps."""
    told = set()
    for seed in range(300):
        given = random_request(seed)
        if "k" not in given or not {"min_recall", "min_precision"} & {*given}:
            continue
        without_k = {name: given[name] for name in {*given} - {"k", "k_counts"}}
        words = str(error_of(**given))
        for advice in ("larger k", "lower the targets"):
            if advice in words:
                told.add(advice)
                assert (error_of(**without_k) is None) == (advice == "larger k"), words
    assert told == {"larger k", "lower the targets"}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_smallest_budget_of_random_data():
    """That of ties at the top alone, or the one that a target needs, too."""
    rng, n_refused = np.random.default_rng(0), 0
    for _ in range(25):
        days = rng.integers(0, 6, 40)
        y, s = rng.random(40) < 0.5, rng.integers(0, 3, 40)
        for given in ({"groups": days}, {"min_recall": 0.5}):
            sizes = range(1, 41)
            k = next(k for k in sizes if error_of(y_true=y, y_score=s, **given, k=k) is None)
            if k > 1 and ("groups" in given or (s == s.max()).sum() > 1):
                n_refused += 1
                assert refused(y_true=y, y_score=s, **given, k=1).reachable == k
    assert n_refused > 10


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


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"y_true": csr_array(np.eye(6))}, InvalidParameterError),
        ({"groups": np.array([[1], [2], [3]] * 2 + [[]], dtype=object)[:6]}, TypeError),
        ({"y_true": [0, 1, 2, 1, 0, 2], "groups": DAYS}, ValueError),
        ({"y_score": [6, 5, 4, 3, 2, np.nan]}, ValueError),
        ({"sample_weight": [-1, 1, 1, 1, 1, 1]}, ValueError),
        ({"average": "mean"}, InvalidParameterError),
    ],
)
def test_wrong_values_are_value_errors_and_wrong_types_type_errors(given, kind):
    """As the page says."""
    with pytest.raises((ValueError, TypeError)) as caught:
        ap.average_precision_score(**{"y_true": Y, "y_score": S} | given)
    assert type(caught.value) is kind


@pytest.mark.parametrize("kind", [getattr(ap.exceptions, n) for n in ap.exceptions.__all__])
def test_errors_can_be_pickled_with_what_they_know(kind):
    given = {NotReachableError: (0.75,), SingleUnitError: ("1 group",)}.get(kind, ())
    error = kind("words", *given)
    error.__dict__["arguments"] = ("y_true",)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, "words", vars(error))
    assert issubclass(kind, ValueError)
    assert kind.__module__ == "sklearn_ap.exceptions"


@pytest.mark.parametrize(
    "call",
    [
        lambda: ap.average_precision_score(Y, S, average="mean"),
        lambda: ap.average_precision_score(Y, [np.nan, *S[1:]]),
        lambda: ap.average_precision_score(csr_array([Y]), S),
        lambda: ap.operating_point(Y, S, min_precision=0.9),
        lambda: ap.confidence_interval([1], [1]),
        lambda: ap.compat.check_metric(lambda y, s: 0.5),
        lambda: ap.report("y", "s", data={"y": Y}),
    ],
)
def test_an_error_comes_back_from_another_process(call):
    """As pools send them: joblib's by cloudpickle, which copies classes that it can't import."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    for pickles in ("pickle", "cloudpickle"):
        by = pytest.importorskip(pickles)
        back = by.loads(by.dumps(caught.value))
        assert type(back) is type(caught.value)
        assert str(back) == str(caught.value)
        assert vars(back) == vars(caught.value)


MANY = np.arange(70) % 7
SEVEN = np.eye(7)[MANY]


@pytest.mark.parametrize(("listed", "call"), [
    ("[0, 1, 2, 3, 4, ...]", lambda: ap.operating_point(MANY, MANY, k=1)),
    ("[1, 2, 3, 4, 5, ...]", lambda: ap.average_precision_score(
        pd.DataFrame(SEVEN), SEVEN, n_positives=dict.fromkeys(range(1, 8), 9))),
    ("['b', 'c', 'd', 'e', 'f', ...]", lambda: ap.average_precision_score(
        [*"abcdefg"] * 2, pd.DataFrame(np.ones((14, 7)), columns=["a", *"uvwxyz"]))),
    ("('b', 'c', 'd', 'e', 'f', ...)", lambda: ap.report(
        [1, 0] * 7, np.arange(14.0), groups=[*"abcdefg"] * 2, metrics="MAP", by={"a": "x"})),
])  # fmt: skip
def test_lists_of_more_than_five_names_say_that_they_are_cut(listed, call):
    with pytest.raises(ValueError, match=re.escape(listed)):
        call()


def test_a_list_of_five_names_is_whole():
    with pytest.raises(ValueError, match=re.escape("[0, 1, 2, 3, 4], but")):
        ap.operating_point(MANY[:50] % 5, MANY[:50], k=1)
