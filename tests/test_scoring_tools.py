"""Which tools take scorers: each gives the values of folds of our own, or the page says otherwise.

The page on searches lists the tools, and is compared with what happens here, in each release.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifier,
    RidgeClassifierCV,
)
from sklearn.metrics import average_precision_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)

import sklearn_ap as ap

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
N = 90
X, POSITIVE = make_classification(
    N, 4, n_redundant=0, class_sep=0.5, flip_y=0.2, weights=[0.6], random_state=0
)
LETTERS = np.array(["a", "b", "c"])[POSITIVE + (X[:, 0] > 0)]
LABELS = {  # the labels, and what the scorer is told of them
    "0 and 1": (POSITIVE, {}),
    "1 and 2": (2 - POSITIVE, {"pos_label": 1}),
    "text": (np.where(POSITIVE, "bad", "good"), {"pos_label": "bad"}),
    "three classes": (LETTERS, {"classes": ["a", "b", "c"]}),
    "one of three classes": (LETTERS, {"pos_label": "b"}),
}
CV = StratifiedKFold(3)
MODEL = LogisticRegression(tol=1e-9, max_iter=10_000)
GRID = {"C": [0.01, 1.0]}


def evaluate(model, X, y, pos_label=1, classes=None):
    """Average precision with each column of scores chosen by hand."""
    known = np.unique(y).tolist()  # the order of the columns, which tools don't change
    scores = model.decision_function(X)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    values = [
        average_precision_score(y == label, scores[:, known.index(label)])
        for label in classes or [pos_label]
    ]
    return np.mean(values)


def in_folds(y, columns=slice(None), model=MODEL, n_train=None, **options):
    values = []
    for train, test in CV.split(X, y):
        rows = train[:n_train]
        fitted = clone(model).fit(X[rows][:, columns], y[rows])
        values.append(evaluate(fitted, X[test][:, columns], y[test], **options))
    return values


def of_candidates(y, **options):
    return [in_folds(y, model=clone(MODEL).set_params(C=C), **options) for C in GRID["C"]]


def in_search(search, y, scoring, **given):
    results = search(MODEL, GRID, cv=CV, scoring=scoring, **given).fit(X, y).cv_results_
    in_order = np.argsort([params["C"] for params in results["params"]])
    return np.transpose([results[f"split{fold}_test_score"] for fold in range(3)])[in_order]


def boost(y, scoring):
    options = {"max_iter": 3, "min_samples_leaf": 5, "early_stopping": True, "n_iter_no_change": 1}
    return HistGradientBoostingClassifier(
        scoring=scoring, validation_fraction=None, random_state=0, **options
    ).fit(X, y)


def of_logistic_regression(y, scoring):
    options = {"Cs": GRID["C"], "tol": 1e-9, "max_iter": 10_000, "cv": CV, "scoring": scoring}
    scores = LogisticRegressionCV(**options).fit(X, y).scores_
    scores = next(iter(scores.values())) if isinstance(scores, dict) else scores
    return np.reshape(scores, (3, len(GRID["C"]))).T


def of_ridge(y, **options):
    return max(
        np.mean(in_folds(y, model=RidgeClassifier(alpha), **options)) for alpha in (0.1, 10.0)
    )


def best_column(y, **options):
    values = [np.mean(in_folds(y, [column], **options)) for column in range(X.shape[1])]
    return np.arange(X.shape[1]) == np.argmax(values)


def drop_by_hand(y, **options):
    fitted = clone(MODEL).fit(X, y)
    return permutation_importance(
        fitted, X, y, scoring=partial(evaluate, **options), **PERMUTED
    ).importances


PERMUTED = {"n_repeats": 2, "random_state": 0}
# What each tool says about the values of the scorer, and the same by hand
TOOLS = {
    "cross_val_score": (lambda y, s: cross_val_score(MODEL, X, y, cv=CV, scoring=s), in_folds),
    "cross_validate": (
        lambda y, s: cross_validate(MODEL, X, y, cv=CV, scoring=s)["test_score"],
        in_folds,
    ),
    "learning_curve": (
        lambda y, s: learning_curve(MODEL, X, y, cv=CV, scoring=s, train_sizes=[40])[2][0],
        partial(in_folds, n_train=40),
    ),
    "validation_curve": (
        lambda y, s: validation_curve(
            MODEL, X, y, cv=CV, scoring=s, param_name="C", param_range=GRID["C"]
        )[1],
        of_candidates,
    ),
    "permutation_test_score": (
        lambda y, s: permutation_test_score(MODEL, X, y, cv=CV, scoring=s, n_permutations=1)[0],
        lambda y, **options: np.mean(in_folds(y, **options)),
    ),
    "GridSearchCV": (partial(in_search, GridSearchCV), of_candidates),
    "RandomizedSearchCV": (partial(in_search, RandomizedSearchCV, n_iter=2), of_candidates),
    "HalvingGridSearchCV": (
        partial(in_search, HalvingGridSearchCV, min_resources=N),
        of_candidates,
    ),
    "HalvingRandomSearchCV": (
        partial(in_search, HalvingRandomSearchCV, min_resources=N, n_candidates=2),
        of_candidates,
    ),
    "RFECV": (
        lambda y, s: RFECV(MODEL, cv=CV, scoring=s).fit(X, y).cv_results_["mean_test_score"][-1],
        lambda y, **options: np.mean(in_folds(y, **options)),  # with all columns
    ),
    "SequentialFeatureSelector": (
        lambda y, s: (
            SequentialFeatureSelector(MODEL, n_features_to_select=1, cv=CV, scoring=s)
            .fit(X, y)
            .get_support()
        ),
        best_column,
    ),
    "permutation_importance": (
        lambda y, s: (
            permutation_importance(clone(MODEL).fit(X, y), X, y, scoring=s, **PERMUTED).importances
        ),
        drop_by_hand,
    ),
    "LogisticRegressionCV": (of_logistic_regression, of_candidates),
    "RidgeClassifierCV": (
        lambda y, s: RidgeClassifierCV([0.1, 10.0], cv=CV, scoring=s).fit(X, y).best_score_,
        of_ridge,
    ),
    "HistGradientBoostingClassifier": (
        lambda y, s: boost(y, s).train_score_[-1],
        lambda y, **options: evaluate(boost(y, ap.make_ap_scorer(**options)), X, y, **options),
    ),
}
PAGE = Path(__file__).parents[1] / "docs/in_scikit_learn.md"
# Tools of other libraries and newer releases, which have tests of their own
TESTED_ELSEWHERE = {"OptunaSearchCV", "ScoringMonitor"}
ANNOUNCED = pytest.mark.filterwarnings(
    "ignore:The default value for l1_ratios:FutureWarning",
    "ignore:The fitted attributes of LogisticRegressionCV:FutureWarning",
)


def read_table():
    """Return the tools of each row of the page."""
    rows = re.findall(r"^\| (several|one|none) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    tools = {number: {*re.findall(r"`(\w+)`", names)} for number, names in rows}
    if "halving searches" in dict(rows)["one"]:
        tools["one"] |= {"HalvingGridSearchCV", "HalvingRandomSearchCV"}
    return tools


def test_the_page_lists_the_tools_that_run_here():
    tools = read_table()
    assert tools["several"] | tools["one"] == {*TOOLS} | TESTED_ELSEWHERE
    assert tools["none"] == {"TunedThresholdClassifierCV", "operating_point"}  # and what to call


def encodes_labels(tool, labels):
    """Whether the page says that a tool turns these labels into others before it scores."""
    return tool == "LogisticRegressionCV" and VERSION < (1, 8) and labels != "0 and 1"


@pytest.mark.sweep(16)
@ANNOUNCED
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_gives_the_values_of_our_own_folds(tool, labels):
    run, by_hand = TOOLS[tool]
    y, options = LABELS[labels]
    expected = by_hand(y, **options)
    scoring = ap.make_ap_scorer(**options)
    if not encodes_labels(tool, labels):
        np.testing.assert_allclose(np.asarray(run(y, scoring), float), expected, rtol=1e-6)
    elif labels == "1 and 2":
        assert not np.allclose(run(y, scoring), expected)  # of class 2, in silence
    else:
        with pytest.raises(ValueError, match=r"encode y yourself|must be the classes"):
            run(y, scoring)


@pytest.mark.sweep(4)
@ANNOUNCED
@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:k=.* exceeds")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_takes_as_many_metrics_as_the_page_says(tool):
    run, _ = TOOLS[tool]
    scoring = ap.make_multi_scorer(["AP", "P@1"])
    if tool in read_table()["one"]:
        with pytest.raises((AttributeError, KeyError, TypeError, ValueError)):
            run(POSITIVE, scoring)
    elif tool == "permutation_importance":
        found = permutation_importance(clone(MODEL).fit(X, POSITIVE), X, POSITIVE, scoring=scoring)
        assert {*found} == {"AP", "P@1"}
    elif tool == "cross_validate":
        found = cross_validate(MODEL, X, POSITIVE, cv=CV, scoring=scoring)
        np.testing.assert_allclose(found["test_AP"], in_folds(POSITIVE), rtol=1e-6)
    else:
        search = {"GridSearchCV": GridSearchCV, "RandomizedSearchCV": RandomizedSearchCV}[tool]
        search = search(MODEL, GRID, cv=CV, scoring=scoring, refit="AP")
        if tool == "RandomizedSearchCV":
            search.set_params(n_iter=2)
        results = search.fit(X, POSITIVE).cv_results_
        expected = sorted(np.mean(of_candidates(POSITIVE), axis=1))
        np.testing.assert_allclose(sorted(results["mean_test_AP"]), expected, rtol=1e-6)


def test_ridge_needs_cv():
    """Without it, scikit-learn scores what it has left out, with an estimator that isn't fitted."""
    with pytest.raises((AttributeError, ValueError)):
        RidgeClassifierCV([0.1, 10.0], scoring=ap.make_ap_scorer()).fit(X, POSITIVE)


@pytest.mark.parametrize("labels", ["0 and 1", "text"])
def test_thresholds_are_not_tuned_by_a_ranking(labels):
    y, options = LABELS[labels]
    tuned = TunedThresholdClassifierCV(MODEL, scoring=ap.make_ap_scorer(**options), cv=CV)
    with pytest.raises(ValueError, match="TunedThresholdClassifierCV can't tune a ranking"):
        tuned.fit(X, y)
