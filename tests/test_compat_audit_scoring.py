"""compat.audit of what `scoring=` takes: methods, classes, and what company changes."""

import inspect
import json

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, check_scoring, f1_score, make_scorer

import sklearn_ap as ap
from sklearn_ap.compat import audit, check_metric
from sklearn_ap.compat.audited_scorers import Setting, find_changes, make_settings

from .audits import step

pytestmark = [
    pytest.mark.usefixtures("few_rankings"),
    pytest.mark.filterwarnings("ignore:k=5 exceeds"),
]
needs_errors_in_company = pytest.mark.skipif(
    "raise_exc" not in inspect.signature(check_scoring).parameters,
    reason="before 1.6, scikit-learn hands errors of scorers in company to nobody",
)
BY_PROBABILITY = {"response_method": "predict_proba"}
BY_SCORES = {"response_method": ("decision_function", "predict_proba")}


def of_sklearn(pos_label, **options):
    return make_scorer(average_precision_score, pos_label=pos_label, **options or BY_SCORES)


def own(estimator, X, y):
    """A scorer as a function, for the class 1."""
    return average_precision_score(y, estimator.predict_proba(X)[:, 1])


def turned(estimator, X, y):
    return average_precision_score(y, estimator.predict_proba(X)[:, 0])


def of_labels(metric):
    return f"{metric} of predicted labels, which isn't an average precision"


# A scorer, its definition, what it ranks by, and whether it's right
SCORERS = [
    ("average_precision", "step", "decision_function, for the class 1", True),
    ("roc_auc", "area under the ROC curve", "decision_function", False),
    (of_sklearn("bad"), "step", "decision_function, for the class 'bad'", True),
    (of_sklearn("bad", **BY_PROBABILITY), "step", "predict_proba, for the class 'bad'", True),
    (of_sklearn(0), "step", "decision_function, for the class 0", True),
    (of_sklearn(2), "step", "decision_function, for the class 2", True),
    (ap.get_scorer("P@5"), "precision@5", "decision_function, for the class 1", False),
    (ap.make_ap_scorer(pos_label="bad"), "step", "decision_function, for the class 'bad'", True),
    (ap.make_ap_scorer(pos_label=-1), "step", "decision_function, for the class -1", True),
    (own, "step", "predict_proba, for the class 1", True),
    (turned, "step", "predict_proba, for the class 1", False),
    (make_scorer(average_precision_score), "step", "predict, for the class 1", False),
    ("accuracy", of_labels("accuracy"), "predict", False),
    (
        make_scorer(f1_score, pos_label="bad"),
        of_labels("F1"),
        "predict, for the class 'bad'",
        False,
    ),
    (make_scorer(f1_score), of_labels("F1"), "predict, for the class 1", False),
    (of_sklearn(2.0), "step", "decision_function, for the class 2.0", True),
    (of_sklearn("1"), "step", "decision_function, for the class '1'", True),
]


@pytest.mark.sweep(17)
@pytest.mark.parametrize(("scorer", "definition", "ranks_by", "agrees"), SCORERS)
def test_scorers_alone(scorer, definition, ranks_by, agrees):
    result = audit(scorer)
    assert result.definition == definition
    assert (result.ranks_by, result.agrees) == (ranks_by, agrees)
    assert ranks_by in result.title or ranks_by.startswith("predict") or scorer is turned
    [integers] = [row.finding for row in result.rows if row.aspect == "integers"]
    assert (integers == "not tried") == ranks_by.startswith("predict_proba")
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_the_column_of_the_other_class():
    said = "Take the column of predict_proba for the class 1, not the other one."
    assert audit(turned).title.endswith(said)


def test_scorers_that_never_rank():
    """What they rank by isn't known if they fail before they predict, so what they get is said."""

    def is_columnwise(estimator, X, y):
        return average_precision_score(y, estimator.predict_proba(X["amount"])[:, 1])

    result = audit(is_columnwise)
    assert result.ranks_by is None
    assert result.title.startswith("Every call fails: IndexError")
    assert result.title.endswith("A scorer gets an array as X, and labels 0 and 1 unless its error "
                                 "asks for others.")  # fmt: skip


OPTION = 'Pass response_method=("decision_function", "predict_proba").'
METHODS = "Rank by decision_function(X), or by the positive class's column of predict_proba(X)."


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("scorer", "advice"),
    [
        (make_scorer(average_precision_score), OPTION),
        (make_scorer(average_precision_score, pos_label="bad"), OPTION),  # fails, of strings
        (lambda estimator, X, y: average_precision_score(y, estimator.predict(X)), METHODS),
    ],
)
def test_hard_labels(scorer, advice):
    """The commonest fault: with the call that mends it."""
    result = audit(scorer)
    assert result.title.startswith("Ranks by predict, so by labels instead of scores: ")
    assert result.title.endswith(advice)


CHANGED = [
    ({"auc": "roc_auc", "ap": of_sklearn("bad")}, "ap", "auc", "'~bad'"),
    ({"ap": of_sklearn("bad"), "auc": "roc_auc"}, "auc", "ap", "'bad'"),
    ({"auc": "roc_auc", "ap": of_sklearn(0)}, "ap", "auc", "1"),
    ({"auc": "roc_auc", "ap": of_sklearn(2)}, "ap", "auc", "3"),
    ({"ap": of_sklearn("yes", **BY_PROBABILITY), "ll": "neg_log_loss"}, "ll", "ap", "'yes'"),
    ({"one": of_sklearn(1), "acc": "accuracy", "zero": of_sklearn(0)}, "zero", "one", "1"),
    ({"g": of_sklearn("good"), "b": of_sklearn("bad")}, "b", "g", "'good'"),
    ({"minus": of_sklearn(-1), "plus": of_sklearn(1)}, "plus", "minus", "-1"),
    ({"two": of_sklearn(2), "one": of_sklearn(1)}, "one", "two", "2"),
    ({"auc": "roc_auc", "ap": of_sklearn("bad", **BY_PROBABILITY)}, "ap", "auc", "'~bad'"),
]


@pytest.mark.sweep(10)
@pytest.mark.parametrize(("scoring", "name", "beside", "shared"), CHANGED)
def test_what_company_changes(scoring, name, beside, shared):
    result = audit(scoring)
    assert not result.agrees
    [change] = result.changes
    assert (change.scorer, change.beside) == (name, beside)
    assert change.value != pytest.approx(change.alone)
    text = " ".join(str(result).split())
    assert f"'{name}' changes beside '{beside}': {change.value:.3f} instead of" in text
    assert f"because scikit-learn hands the scores of {shared} to both" in text
    assert result.audits[name].agrees is (name not in ("auc", "ll", "acc"))
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.slow
@needs_errors_in_company
def test_dicts_that_raise_together():
    """scikit-learn looks for the methods of all scorers before it calls the first one."""
    methods = ("predict_proba", "decision_function")
    result = audit({each: of_sklearn(1, response_method=each) for each in methods})
    assert not result.agrees
    assert {change.scorer for change in result.changes} == {*methods}
    assert all(np.isnan(change.value) for change in result.changes)
    text = " ".join(str(result).split())
    assert "'predict_proba' has no value beside 'decision_function': scikit-learn raises" in text
    assert "with estimators that have only predict_proba, such as RandomForestClassifier" in text
    json.dumps(result.to_dict(), allow_nan=False)


@needs_errors_in_company
def test_both_scorers_that_raise_together_are_named():
    """One whose method is missing, though it never calls it, takes the value of both."""
    ours = make_scorer(average_precision_score)

    class ByHand(type(ours)):
        def _score(self, method_caller, estimator, X, y_true, **options):
            return average_precision_score(y_true, X[:, 0])

    scorers = {
        "hand": ByHand(average_precision_score, 1, {}, "predict_log_proba"),
        "ap": of_sklearn(1),
    }
    found = [*find_changes(scorers, [Setting(1, 0)], dict.fromkeys(scorers, 1))]
    assert {(each.scorer, each.beside) for each in found} == {("hand", "ap"), ("ap", "hand")}
    assert len(found) == 6  # with each kind of estimator
    assert str(found[1]).startswith("'ap' has no value beside 'hand', with estimators that have ")
    assert sum("scikit-learn raises" in str(each) for each in found) == 3  # once for both


RIGHT = [
    ["roc_auc", "average_precision", "accuracy"],
    {"auc": "roc_auc", "ap": of_sklearn(1, **BY_PROBABILITY)},
    {"auc": "roc_auc", "ap": ap.get_scorer("AP"), "p": ap.get_scorer("P@5")},
    ap.make_multi_scorer({"ap": "AP", "p": "P@5"}),
    {"ap": of_sklearn(1), "own_f1": make_scorer(f1_score)},
]


@pytest.mark.slow
@pytest.mark.parametrize("scoring", RIGHT)
def test_nothing_is_said_of_what_is_right(scoring):
    result = audit(scoring)
    assert result.agrees
    assert result.changes == ()
    assert "changes" not in str(result)
    assert len(result.to_frame()) == len(result.audits)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["f1", "average_precision_score"])
def test_functions_named_like_those_of_scikit_learn_are_no_excuse(name):
    """A prefix of a name isn't the name, and average precision is what the audit is about."""

    def wrong(y_true, y_score):
        return np.sin(y_true @ y_score)

    wrong.__name__ = name
    assert not audit(make_scorer(wrong, response_method="decision_function")).agrees


@pytest.mark.slow
def test_wrong_ones_beside_right_ones():
    result = audit({"auc": "roc_auc", "ap": make_scorer(average_precision_score)})
    assert not result.agrees
    assert result.audits["auc"].title.startswith("ROC AUC isn't average precision")
    assert "ap      Ranks by predict" in str(result)
    failing = audit({"bad": of_sklearn("bad"), "ap": "average_precision"})
    assert not failing.agrees
    assert "pos_label=1 is not a valid label" in str(failing)


def test_names_that_scikit_learn_does_not_have():
    with pytest.raises(ValueError, match=r"no scorer called 'AP@10'.*get_scorer"):
        audit("AP@10")
    for nothing in ([], {}, "", None):
        with pytest.raises(ValueError, match="'function' parameter of audit"):
            audit(nothing)


def test_a_function_named_like_one_is_called_with_labels_and_scores():
    def score(y_true, y_score):
        return step(y_true, y_score)

    assert audit(score).ranks_by is None


def test_probabilities_stay_probabilities():
    """Other forms of the scores are left out."""
    seen = []

    def scorer(estimator, X, y):
        seen.append(estimator.predict_proba(X))
        return step(y, seen[-1][:, 1])

    result = audit(scorer)
    rows = {row.aspect: row.finding for row in result.rows}
    assert rows["negative scores"] == rows["beyond [0, 1]"] == rows["shifted"] == "not tried"
    assert rows["scaled"] == "nothing differs"
    assert sum(((p < 0) | (p > 1)).any() for p in seen) <= 2, "apart from what it refuses"


@pytest.mark.parametrize("setting", [Setting(1, 0), Setting(0, 1), Setting("bad", "~bad")])
def test_the_estimator_ranks_by_the_scores_of_the_class(setting):
    scores = np.array([[0.25], [0.75], [0.5]])
    ranker = setting.ranker
    place = [*ranker.classes_].index(setting.positive)
    assert (ranker.predict_proba(scores)[:, place] == scores[:, 0]).all()
    assert (ranker.predict_proba(scores).sum(axis=1) == 1).all()
    assert (ranker.decision_function(scores) == scores[:, 0] * (1 if place else -1)).all()
    assert ranker.predict(scores).tolist()[:2] == [setting.negative, setting.positive]
    assert ranker.fit(scores, None) is ranker


@pytest.mark.slow
def test_check_metric_takes_scorers_of_any_kind():
    check_metric(of_sklearn("bad"))
    with pytest.raises(
        AssertionError, match=r"It isn't average_precision\. Ranks by predict, so by labels"
    ):
        check_metric(make_scorer(average_precision_score))


def test_check_metric_takes_a_scorer():
    check_metric(ap.get_scorer("P@5"), "P@5")
    with pytest.raises(ValueError, match="There are 2 scorers, and a metric is of one function"):
        check_metric(["roc_auc", "average_precision"])


def of_series(estimator, X, y):
    return average_precision_score(y.to_numpy(), estimator.decision_function(X))


def of_array(estimator, X, y):
    return average_precision_score(y, estimator.decision_function(X[:, :1]))


@pytest.mark.parametrize(
    ("scorers", "has_frames"),
    [([own], False), ([of_series], True), ([own, of_array], False), ([own, of_series], True)],
)
def test_scorers_get_frames_if_one_of_them_needs_these(scorers, has_frames):
    settings = make_settings({each.__name__: each for each in scorers})
    assert {setting.has_frames for setting in settings} == {has_frames}


@pytest.mark.parametrize("labels", [(-1, 1), (2, 1), ("bad", "good")])
def test_scorers_are_audited_with_all_classes_that_they_name(labels):
    [setting] = make_settings({str(label): of_sklearn(label) for label in labels})
    assert (setting.positive, setting.negative) == labels
