"""compat against the recorded answers of scikit-learn's releases.

The answers are in data/sklearn_history.json; data/record_sklearn.py recorded them, and says how.
"""

import json
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from sklearn_ap.compat import sklearn_average_precision_score, trapezoidal_average_precision_score
from sklearn_ap.compat.history import ERAS, era_of

from .strategies import INTEGERS, rankings

HISTORY = json.loads((Path(__file__).parent / "data" / "sklearn_history.json").read_text())
RELEASES = list(HISTORY["recorded"])
CASES = {case["name"]: case for case in HISTORY["cases"]}
INSTALLED = ".".join(sklearn.__version__.split(".")[:2])

# What is not re-enacted: the case, the releases (None for all), what those answer, and why not.
NO_LABEL = "0.20.1 was quick to refuse a pos_label that is no label"
BEFORE_1_3 = ("0.20", "0.21", "0.22", "0.23", "0.24", "1.0", "1.1", "1.2")
COMPARED = "a crash: NumPy compared an array of strings with the number 1 as a whole"
EXCEPTIONS = [
    ("all weights 0", None, ("nan", "IndexError"), "refused in every release: nothing is ranked"),
    ("one string alone", BEFORE_1_3, ("TypeError",), COMPARED),
    ("labels 0 and 1, pos_label 2", ("0.20.0",), ("nan",), NO_LABEL),
    ("labels 0 and 2", ("0.20.0",), ("nan",), NO_LABEL),
    ("strings", ("0.20.0",), ("TypeError",), NO_LABEL),
    ("strings, another pos_label", ("0.20.0",), ("nan",), NO_LABEL),
]


def minor(version):
    return ".".join(version.split(".")[:2])


def is_exception(name, version, recorded):
    return any(
        name == case
        and (versions is None or version in versions or minor(version) in versions)
        and recorded.get("error", recorded.get("ap")) in answers
        for case, versions, answers, _ in EXCEPTIONS
    )


def inputs(case):
    kwargs = dict(case["kwargs"])
    if "sample_weight" in kwargs:
        kwargs["sample_weight"] = np.array(kwargs["sample_weight"])
    y_score = np.array(case["y_score"], dtype=case["y_score_dtype"])
    return (np.array(case["y_true"]), y_score), kwargs


def outcome(function, *args, **kwargs):
    """Return the value or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return function(*args, **kwargs), caught
        except Exception as error:
            return error, caught


def words_of(caught):
    return {str(each.message) for each in caught}


def reenacted(case, version):
    args, kwargs = inputs(case)
    return outcome(sklearn_average_precision_score, *args, version=version, **kwargs)


def check_value(actual, recorded):
    """Equal to 1e-12; nan for nan, and the same sign of zero."""
    expected = np.array(recorded, dtype=float)
    assert np.shape(actual) == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)
    same_sign = np.signbit(actual) == np.signbit(expected)
    assert np.all(same_sign | np.isnan(expected))


FIRST_OF_ERAS = {next(v for v in RELEASES if era_of(v) == era) for era in ERAS}


@pytest.mark.parametrize(
    "version",
    [pytest.param(v, marks=() if v in FIRST_OF_ERAS else pytest.mark.slow) for v in RELEASES],
)
def test_recorded_answers(version):
    checked = 0
    for name, case in CASES.items():
        (recorded,) = (a for a in case["answers"] if version in a["versions"])
        if is_exception(name, version, recorded):
            continue
        actual, caught = reenacted(case, version)
        if "error" in recorded:
            assert recorded["error"] in [kind.__name__ for kind in type(actual).__mro__], name
        else:
            check_value(actual, recorded["ap"])
            said = {words.partition(",")[0] for words in words_of(caught)}
            assert sorted(said) == recorded["warnings"], name
        checked += 1
    assert checked >= len(CASES) - len(EXCEPTIONS)


@pytest.mark.parametrize(("name", "versions", "answers"), [row[:3] for row in EXCEPTIONS])
def test_exceptions_are_recorded_and_differ(name, versions, answers):
    """Each exception is recorded, and compat returns something else."""
    recorded = {
        version: answer.get("error", answer.get("ap"))
        for answer in CASES[name]["answers"]
        for version in answer["versions"]
        if is_exception(name, version, answer)
    }
    assert set(recorded.values()) == set(answers)
    assert versions is None or set(map(minor, recorded)) == set(map(minor, versions))
    for version in recorded:
        actual, _ = reenacted(CASES[name], version)
        if name == "one string alone":
            assert actual == 0 or np.isnan(actual)
        else:
            assert isinstance(actual, ValueError), version


def test_record_is_whole():
    assert {minor(version) for version in RELEASES} >= {era.since for era in ERAS}
    for case in CASES.values():
        versions = [version for answer in case["answers"] for version in answer["versions"]]
        assert Counter(versions) == Counter(RELEASES)


def test_the_linear_definition_is_auc_of_the_curve():
    checked = 0
    for name, case in CASES.items():
        args, kwargs = inputs(case)
        if args[0].ndim > 1 or 0 in kwargs.get("sample_weight", [1]):
            continue  # whether samples of weight 0 are points of the curve has changed
        for answer in case["answers"]:
            exact = [v for v in answer["versions"] if era_of(v).same_within == 0]
            if exact and "auc" in answer:
                area = trapezoidal_average_precision_score(*args, zero_division=np.nan, **kwargs)
                assert area == pytest.approx(answer["auc"], abs=1e-12) or np.isnan(area), name
                checked += len(exact)
    assert checked > 500


@pytest.mark.skipif(
    tuple(map(int, INSTALLED.split("."))) > (1, 9), reason="newer than the last era that is known"
)
@pytest.mark.parametrize("pos_label", [0, 1])
@given(rankings(weights=INTEGERS / 2), st.booleans())
def test_equals_the_installed_release(pos_label, ranking, is_weighted):
    options = {"sample_weight": ranking.weights} if is_weighted else {}
    options["pos_label"] = pos_label
    expected, theirs = outcome(metrics.average_precision_score, *ranking[:2], **options)
    options["version"] = INSTALLED
    actual, ours = outcome(sklearn_average_precision_score, *ranking[:2], **options)
    check_value(actual, expected)
    assert words_of(ours) == words_of(theirs)


def test_long_columns_are_merged_too():
    """Chains are found the same way beyond the length from which columns are counted one by one."""
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(2, size=5000), rng.integers(0, 50, size=5000) / 50
    near = y_score + rng.integers(0, 5, size=5000) * 5e-9
    merged = sklearn_average_precision_score(y_true, near, version="0.17")
    assert merged == pytest.approx(trapezoidal_average_precision_score(y_true, y_score), abs=1e-12)
    assert merged != pytest.approx(trapezoidal_average_precision_score(y_true, near), abs=1e-3)


@pytest.mark.parametrize("version", ["0.22.2.post1", "1.6.dev0", "1.5rc1", "0.13"])
def test_known_releases(version):
    assert sklearn_average_precision_score([0, 1], [0.1, 0.2], version=version) == 1


def test_trapezoidal_average_precision_takes_what_metrics_take():
    """The first query is ranked correctly, and the second one the other way around."""
    columns = {"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "query": ["a", "a", "b", "b"]}
    area = trapezoidal_average_precision_score
    assert area("label", "score", groups="query", data=columns) == 0.625
    assert area.by_name("label", "score", groups="query", data=columns) == {"a": 1, "b": 0.25}
    assert area([1, 0], [2, 1], n_positives=2) == 0.5
    assert area([[0, 1], [1, 0]], [[0.1, 0.2], [0.2, 0.1]], average=None).tolist() == [1, 1]
    assert area(["no", "yes"], [0.2, 0.1], pos_label="yes", zero_division=np.nan) == 0.25


@pytest.mark.parametrize("scores", [[-1e308, 1e308], [Fraction(1, 10**400), Fraction(2, 10**400)]])
def test_scores_are_not_merged_since_0_18(scores):
    """Not even those whose difference is infinite or 0 as a float."""
    before = ["0.17"] if abs(scores[0]) > 1 else []  # nor before that, where they are far apart
    for version in ("1.5", "0.19", *before):
        assert sklearn_average_precision_score([0, 1], scores, version=version) == 1
