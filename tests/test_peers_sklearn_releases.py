"""The recorded answers of scikit-learn's releases, and what this package says about them.

The answers are in data/sklearn_history.json; data/record_sklearn.py recorded them, and says how.
"""

import json
import re
import warnings
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import compat
from sklearn_ap.compat import DIFFERENCES, trapezoidal_average_precision_score
from sklearn_ap.compat.differences import read_release

from .oracle import near

HISTORY = json.loads(
    (Path(__file__).parent / "data" / "sklearn_history.json").read_text(encoding="utf-8")
)
RELEASES = list(HISTORY["recorded"])
CASES = {case["name"]: case for case in HISTORY["cases"]}
# Cases of one ranking whose labels every release accepts
PLAIN = [
    name
    for name, case in CASES.items()
    if np.ndim(case["y_score"]) == 1
    and "pos_label" not in case["kwargs"]
    and np.unique(case["y_true"]).tolist() in ([0, 1], [-1, 1], [0], [-1], [1])
]

# Rows about old releases, and the recorded cases in which the releases give what a row says
AS_RECORDED = {
    "trapezoid": "issue 9618",
    "merged-ties": "exactly 1e-8 apart",
    "positives-alone": "all positives",
    "no-positives-refused": "no positives",
    "no-positives-nan": "no positives",
    "pos-label": "labels 0 and 1, pos_label 0",
    "labels-one-and-two": "labels 1 and 2",
    "multiclass": "multiclass, macro",
    "columns-as-one-ranking": "multilabel, tied, unweighted, macro",
    "columns-refused": "multilabel, tied, unweighted, macro",
    "weighted-nan": "multilabel, distinct, a class and a sample without positives, "
    "unweighted, weighted",
    "samples-nan": "multilabel, tied, a class and a sample without positives, "
    "some of weight 0, samples",
    "samples-warning": "multilabel, tied, a class and a sample without positives, "
    "some of weight 0, samples",
    "weighted-tiny": "multilabel, weights of 1e-10, weighted",
    "sample-weight": "integer weights",
    "weightless-top-refused": "weight 0 on top",
    "weightless-top-nan": "weight 0 on top",
    "weightless": "all weights 0",
}
SEEN = ">=1.5", "1.5-1.8", "1.9"  # rows that the installed release shows
ALSO_SEEN = {"named-columns", "return-type"}  # which are about types that a record doesn't have


def inputs(case):
    kwargs = dict(case["kwargs"])
    if "sample_weight" in kwargs:
        kwargs["sample_weight"] = np.array(kwargs["sample_weight"])
    y_score = np.array(case["y_score"], dtype=case["y_score_dtype"])
    return (np.array(case["y_true"]), y_score), kwargs


def recorded(name, release):
    (answer,) = (a for a in CASES[name]["answers"] if release in a["versions"])
    return answer


def is_given(theirs, answer):
    """Whether a recorded answer is what a row says: a value, or the name of an error or warning."""
    if "error" in answer or not isinstance(theirs, str):
        return repr(answer.get("error", answer.get("ap"))) == repr(
            "nan" if theirs != theirs else theirs
        )
    return bool(answer["warnings"]) if theirs.endswith("Warning") else False


def test_record_is_whole():
    for case in CASES.values():
        versions = [version for answer in case["answers"] for version in answer["versions"]]
        assert Counter(versions) == Counter(RELEASES)


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.id)
def test_releases_of_differences(row):
    """Releases gave what a row says, and those before and after them something else."""
    if row.id not in AS_RECORDED:
        assert row.versions in SEEN or row.id in ALSO_SEEN
        return
    inside, theirs = [row.applies_to(release) for release in RELEASES], row.theirs
    if row.id == "columns-as-one-ranking":  # computed from the row's own example
        areas = [
            trapezoidal_average_precision_score(*map(np.ravel, pair))
            for pair in ((row.y_true, row.y_score), inputs(CASES[AS_RECORDED[row.id]])[0])
        ]
        assert areas[0] == near(theirs)
        theirs = areas[1]
    given = [is_given(theirs, recorded(AS_RECORDED[row.id], release)) for release in RELEASES]
    assert any(inside)
    for is_inside, gives in zip(inside, given, strict=True):
        assert gives or not is_inside
    for (one, held), (other, holds) in pairwise(zip(inside, given, strict=True)):
        assert one == other or held != holds


def named_releases(words):
    """The minor releases that the words of `explain` name, such as "0.13 to 0.18"."""
    every = list(dict.fromkeys(read_release(release) for release in RELEASES))
    for part in words.split(", "):
        first, _, last = part.replace("and later", f"to {RELEASES[-1]}").partition(" to ")
        yield from every[
            every.index(read_release(first)) : every.index(read_release(last or first)) + 1
        ]


@pytest.mark.sweep(8)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", PLAIN)
def test_explain_names_releases_beside_what_they_gave(name):
    """Each of them is listed somewhere, unless it refused the data or returned nan."""
    (y_true, y_score), kwargs = inputs(CASES[name])
    if not np.any(kwargs.get("sample_weight", 1)):
        return  # nothing to explain
    rows, named = compat.explain(y_true, y_score, **kwargs).rows, {}
    for row in rows:
        by = re.search(r"scikit-learn average_precision_score \(([^)]*)\)", row.reported_by)
        if by and "weights left out" not in row.definition:
            for release in named_releases(by[1]):
                assert release not in named
                named[release] = row.value
    is_weighted = "sample_weight" in kwargs
    for release in RELEASES:
        answer, minor = recorded(name, release), read_release(release)
        value = answer.get("ap", "nan")
        if minor in named:
            assert named[minor] == near(float(value)), release
        else:  # a row of weight 0 may have made it nan, or tied what is close
            assert value == "nan" or (is_weighted and minor < (0, 20)), release


def test_the_linear_definition_is_auc_of_the_curve():
    checked = 0
    for name, case in CASES.items():
        args, kwargs = inputs(case)
        if args[0].ndim > 1 or 0 in kwargs.get("sample_weight", [1]):
            continue  # whether samples of weight 0 are points of the curve has changed
        for answer in case["answers"]:
            merged = (0, 15), (0, 16), (0, 17)  # which tied close scores
            exact = [v for v in answer["versions"] if read_release(v) not in merged]
            if exact and "auc" in answer:
                area = trapezoidal_average_precision_score(*args, zero_division=np.nan, **kwargs)
                assert area == pytest.approx(answer["auc"], abs=1e-12) or np.isnan(area), name
                checked += len(exact)
    assert checked > 500


def test_trapezoidal_average_precision_takes_what_metrics_take():
    """The first query is ranked correctly, and the second one the other way around."""
    columns = {"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "query": ["a", "a", "b", "b"]}
    area = trapezoidal_average_precision_score
    assert area("label", "score", groups="query", data=columns) == 0.625
    each = area("label", "score", groups="query", average=None, data=columns)
    assert each.tolist() == [1, 0.25]
    assert area([1, 0], [2, 1], n_positives=2) == 0.5
    assert area([[0, 1], [1, 0]], [[0.1, 0.2], [0.2, 0.1]], average=None).tolist() == [1, 1]
    assert area(["no", "yes"], [0.2, 0.1], pos_label="yes", zero_division=np.nan) == 0.25


@pytest.mark.parametrize("scores", [[-1e308, 1e308], [Fraction(1, 10**400), Fraction(2, 10**400)]])
def test_close_scores_of_any_size(scores):
    """Differences that are infinite as a float are not close, and those that are 0 are."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = compat.explain([0, 1], scores).to_dict()
    tied = [row["value"] for name, row in rows.items() if "closer than 1e-8 tied" in name]
    assert tied == ([] if scores[1] > 1 else [0.75])
