"""Tables that know their columns, and the readers that make them."""

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.readers import Retrieved

QUERIES = ["cat", "cat", "cat", "dog", "dog"]
RELEVANT, SCORES = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 9.0, 8.0]
EXIST = {"cat": 2, "dog": 2, "eel": 1}
ROLES = {"y_true": "relevant", "y_score": "score", "groups": "query"}
GIVEN = {"n_positives": EXIST, "groups": QUERIES}


def engine(scores=SCORES, exist=EXIST):
    columns = {"query": QUERIES, "relevant": RELEVANT, "score": scores}
    return Retrieved({name: np.asarray(each) for name, each in columns.items()}, ROLES, exist)


CALLS = {
    "metric": ap.mean_average_precision_score,
    "at k": lambda *args, **data: ap.precision_at_k_score(*args, k=2, average=None, **data),
    "object": lambda *args, **data: ap.metric("MAP")(*args, **data),
    "by name": lambda *args, **data: ap.metric("P@2").by_name(*args, **data),
    "interval": lambda *args, **data: ap.confidence_interval(*args, metric="MAP", **data),
    "report": lambda *args, **data: ap.report(*args, metrics=["MAP", "P@2"], **data).to_dict(),
    "curve": lambda *args, **data: ap.hit_curve(*args, **data)["eel"],
    "threshold": lambda *args, **data: ap.operating_point(*args, min_recall=0.4, **data),
    "bounds": ap.metric_bounds,
    "explained": lambda *args, **data: ap.compat.explain(*args, **data).to_dict(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_table_that_knows_its_columns_needs_no_names(call):
    if call is CALLS["report"]:
        expected = call(RELEVANT, {"score": SCORES}, **GIVEN)
    else:
        expected = call(RELEVANT, SCORES, **GIVEN)
    found = call(data=engine())
    if call is CALLS["interval"]:  # which also says how its groups are called
        found, expected = tuple(found), tuple(expected)
    np.testing.assert_equal(found, expected)


def test_what_is_passed_takes_precedence_over_what_the_table_knows():
    found = ap.recall_at_k_score(data=engine(), n_positives=EXIST | {"eel": 0}, zero_division=1.0)
    assert found == pytest.approx((1 + 0.5 + 1) / 3)


def test_engines_with_a_table_each_are_compared_without_names():
    tables = {"bm25": engine(), "dense": engine([9, 1, 8, 1, 2])}
    report = ap.report(data=tables, metrics="MAP", baseline="bm25")
    assert [row.value for row in report.rows] == pytest.approx([13 / 36, 0.5])
    compared = ap.compare(data=tables, baseline="bm25")
    assert compared.rows[1].difference == pytest.approx(5 / 36)
    with pytest.raises(ValueError, match="'bm25' and 'other' have different n_positives"):
        ap.compare(data=tables | {"other": engine(exist=EXIST | {"dog": 3})})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (ap.average_precision_score, r"average_precision_score\(\) needs y_true and y_score: pass"),
        (lambda: ap.average_precision_score([1]), "needs y_score: pass"),
        (lambda: ap.mean_average_precision_score([1], [1]), "needs groups: pass"),
        (lambda: ap.report(data={"y": [1]}, metrics="AP"), "needs y_true and y_score: pass"),
        (lambda: ap.compare([1]), "needs y_score_a: pass"),
        (lambda: ap.average_precision_score(None, [1]), "must be an array-like. Got None"),
    ],
)
def test_all_other_calls_have_to_name_their_columns(call, words):
    with pytest.raises(TypeError, match=words):
        call()
