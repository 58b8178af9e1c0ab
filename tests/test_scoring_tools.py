"""Each consumer of `scoring=` gives the values of folds of our own, also with metadata."""

import pickle
from functools import partial
from inspect import signature

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
    GroupKFold,
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
from sklearn.utils.fixes import parse_version

import sklearn_ap as ap

N = 90
X, POSITIVE = make_classification(
    N, 4, n_redundant=0, class_sep=0.5, flip_y=0.2, weights=[0.6], random_state=0
)
LETTERS = np.array(["a", "b", "c"])[POSITIVE + (X[:, 0] > 0)]
LABELS = {  # the labels, and what the scorer is told of them
    "0 and 1": (POSITIVE, {}),
    "1 and 2": (2 - POSITIVE, {"pos_label": 1}),
    "text": (np.where(POSITIVE, "bad", "good"), {"pos_label": "bad"}),
    "three classes": (LETTERS, {}),
    "one of three classes": (LETTERS, {"pos_label": "b"}),
}
CV = StratifiedKFold(3)
# In some orders of rows, and with some versions of SciPy, the last steps to tol=1e-9 fail.
pytestmark = pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
MODEL = LogisticRegression(tol=1e-9, max_iter=10_000)
GRID = {"C": [0.01, 1.0]}


def evaluate(model, X, y, pos_label=None):
    """Average precision with each column of scores chosen by hand."""
    known, scores = np.unique(y).tolist(), model.decision_function(X)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    labels = [1 if pos_label is None else pos_label]
    if pos_label is None and len(known) > 2:
        labels = known
    return np.mean([average_precision_score(y == a, scores[:, known.index(a)]) for a in labels])


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
    return max(np.mean(in_folds(y, model=RidgeClassifier(a), **options)) for a in (0.1, 10.0))


def best_column(y, **options):
    values = [np.mean(in_folds(y, [column], **options)) for column in range(X.shape[1])]
    return np.arange(X.shape[1]) == np.argmax(values)


PERMUTED = {"n_repeats": 2, "random_state": 0}


def drop(y, scoring):
    fitted = clone(MODEL).fit(X, y)
    return permutation_importance(fitted, X, y, scoring=scoring, **PERMUTED).importances


SELECTOR = partial(SequentialFeatureSelector, MODEL, n_features_to_select=1, cv=CV)
TOOLS = {  # what each tool says about the values of the scorer, and the same by hand
    "cross_val_score": (lambda y, s: cross_val_score(MODEL, X, y, cv=CV, scoring=s), in_folds),
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
        partial(in_search, HalvingGridSearchCV, min_resources=N, random_state=0),
        of_candidates,
    ),
    "HalvingRandomSearchCV": (
        partial(in_search, HalvingRandomSearchCV, min_resources=N, n_candidates=2, random_state=0),
        of_candidates,
    ),
    "RFECV": (
        lambda y, s: RFECV(MODEL, cv=CV, scoring=s).fit(X, y).cv_results_["mean_test_score"][-1],
        lambda y, **options: np.mean(in_folds(y, **options)),  # with all columns
    ),
    "SequentialFeatureSelector": (
        lambda y, s: SELECTOR(scoring=s).fit(X, y).get_support(),
        best_column,
    ),
    "permutation_importance": (drop, lambda y, **options: drop(y, partial(evaluate, **options))),
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


@pytest.mark.filterwarnings(
    "ignore:The default value for l1_ratios:FutureWarning",
    "ignore:The fitted attributes of LogisticRegressionCV:FutureWarning",
)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_gives_the_values_of_our_own_folds(tool, labels):
    run, by_hand = TOOLS[tool]
    y, options = LABELS[labels]
    version = tuple(map(int, sklearn.__version__.split(".")[:2]))
    if tool == "LogisticRegressionCV" and labels != "0 and 1" and version < (1, 8):
        pytest.skip("it encodes labels before it scores")
    found = np.asarray(run(y, ap.make_ap_scorer(**options)), float)
    np.testing.assert_allclose(found, by_hand(y, **options), rtol=1e-6)


@pytest.mark.parametrize("search", [GridSearchCV, partial(RandomizedSearchCV, n_iter=2)])
def test_several_metrics_in_a_search(search):
    scoring = {"AP": ap.get_scorer("AP"), "P@1": ap.get_scorer("P@1")}
    results = search(MODEL, GRID, cv=CV, scoring=scoring, refit="AP").fit(X, POSITIVE).cv_results_
    expected = sorted(np.mean(of_candidates(POSITIVE), axis=1))
    np.testing.assert_allclose(sorted(results["mean_test_AP"]), expected, rtol=1e-6)
    found = cross_validate(MODEL, X, POSITIVE, cv=CV, scoring=scoring)
    np.testing.assert_allclose(found["test_AP"], in_folds(POSITIVE), rtol=1e-6)


def test_thresholds_are_not_tuned_by_a_ranking():
    tuned = TunedThresholdClassifierCV(MODEL, scoring=ap.make_ap_scorer(), cv=CV)
    with pytest.raises(TypeError, match="same value at every threshold"):
        tuned.fit(X, POSITIVE)


# --- metadata routing -----------------------------------------------------------------------------

GROUPS, WEIGHT = np.arange(N) // 6, np.arange(N) % 3 + 1
FOLDS = {"cv": GroupKFold(2)}


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def means_by_hand(metric, with_weight=False):
    values = []
    for train, test in GroupKFold(2).split(X, groups=GROUPS):
        scores = clone(MODEL).fit(X[train], POSITIVE[train]).decision_function(X[test])
        weight = WEIGHT[test] if with_weight else None
        values.append(
            metric(
                POSITIVE[test], scores, groups=GROUPS[test], sample_weight=weight, zero_division=0
            )
        )
    return values


@pytest.mark.usefixtures("routing")
@pytest.mark.filterwarnings("ignore:No positive class found")
@pytest.mark.parametrize("alias", ["groups", "query"])
def test_groups_reach_the_scorer(alias):
    scoring = ap.make_ap_scorer("MAP@3").set_score_request(groups=alias)
    params = {"groups": GROUPS, alias: GROUPS}
    found = cross_val_score(MODEL, X, POSITIVE, scoring=scoring, params=params, **FOLDS)
    np.testing.assert_allclose(found, means_by_hand(ap.metric("MAP@3")))


@pytest.mark.usefixtures("routing")
@pytest.mark.filterwarnings("ignore:No positive class found")
def test_requests_add_up():
    scoring = ap.make_ap_scorer("MAP").set_score_request(sample_weight="mass")
    assert scoring.requests == {"groups": True, "sample_weight": "mass"}
    params = {"groups": GROUPS, "mass": WEIGHT}
    found = cross_val_score(MODEL, X, POSITIVE, scoring=scoring, params=params, **FOLDS)
    np.testing.assert_allclose(found, means_by_hand(ap.metric("MAP"), with_weight=True))


@pytest.mark.usefixtures("routing")
@pytest.mark.filterwarnings("ignore:No positive class found")
def test_each_of_several_metrics_gets_what_it_requests():
    weighted = ap.make_ap_scorer("MAP").set_score_request(sample_weight=True)
    scoring = {"MAP": ap.make_ap_scorer("MAP"), "weighted": weighted, "AP": ap.get_scorer("AP")}
    params = {"groups": GROUPS, "sample_weight": WEIGHT}
    model = clone(MODEL).set_fit_request(sample_weight=False)
    scoring["AP"].set_score_request(sample_weight=False)
    scoring["MAP"].set_score_request(sample_weight=False)
    found = cross_validate(model, X, POSITIVE, scoring=scoring, params=params, **FOLDS)
    np.testing.assert_allclose(found["test_MAP"], means_by_hand(ap.metric("MAP")))
    expected = means_by_hand(ap.metric("MAP"), with_weight=True)
    np.testing.assert_allclose(found["test_weighted"], expected)


@pytest.mark.parametrize("name", ["AP", "P@1%", "11-point"])
def test_a_search_scores_with_weights(name):
    """scikit-learn passes them to a scorer that has `sample_weight` in its signature."""
    scorer = ap.make_ap_scorer(name)
    has_weight = "sample_weight" in signature(scorer._score_func).parameters
    assert has_weight == ap.metric(name)._rule.takes_weights


@pytest.mark.skipif(parse_version(sklearn.__version__) < parse_version("1.9"), reason="not passed")
@pytest.mark.parametrize("search", [GridSearchCV, partial(HalvingGridSearchCV, random_state=0)])
def test_a_search_with_weights_has_the_values_of_scikit_learn(search):
    fit = partial(search, MODEL, GRID, cv=CV, refit=False)
    theirs = fit(scoring="average_precision").fit(X, POSITIVE, sample_weight=WEIGHT).cv_results_
    unweighted = fit(scoring="average_precision").fit(X, POSITIVE).cv_results_
    assert not np.allclose(theirs["mean_test_score"], unweighted["mean_test_score"])
    for scoring in (ap.get_scorer("AP"), ap.make_ap_scorer(pos_label=1)):
        ours = fit(scoring=scoring).fit(X, POSITIVE, sample_weight=WEIGHT).cv_results_
        np.testing.assert_allclose(ours["mean_test_score"], theirs["mean_test_score"])


def test_weights_without_routing():
    model = MODEL.fit(X, POSITIVE)
    found = ap.get_scorer("AP")(model, X, POSITIVE, sample_weight=WEIGHT)
    scores = model.decision_function(X)
    assert found == pytest.approx(average_precision_score(POSITIVE, scores, sample_weight=WEIGHT))


def test_a_scorer_with_requests_is_copied_to_processes_without_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = ap.make_ap_scorer("MAP").set_score_request(sample_weight=True)
    again = pickle.loads(pickle.dumps(scoring))
    assert again.requests == scoring.requests
    made = "make_ap_scorer('mean_average_precision').set_score_request(sample_weight=True)"
    assert repr(again) == made
