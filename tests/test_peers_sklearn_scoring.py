"""Wherever scikit-learn takes `scoring=`, the value is that of a hand-written loop."""

import warnings
from functools import partial, wraps
from math import nan

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn import config_context, ensemble, linear_model, model_selection
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.covariance import EllipticEnvelope
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.exceptions import UndefinedMetricWarning, UnsetMetadataPassedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.metrics import average_precision_score, get_scorer, make_scorer, max_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM
from sklearn.utils.metadata_routing import get_routing_for_object

import sklearn_ap as ap

from . import oracle

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
N = 90
X, Y = make_classification(N, 5, class_sep=0.6, flip_y=0.2, weights=[0.6], random_state=0)
NAMES = np.where(Y == 1, "fraud", "legit")  # the positive class sorts first
CLASSES = Y + (X[:, 0] > 0)
LETTERS = np.array(["a", "b", "c"])[CLASSES]
SPLITS = list(model_selection.StratifiedKFold(3).split(X, Y))
SPLITS_OF_3 = list(model_selection.StratifiedKFold(3).split(X, CLASSES))
WEIGHTS = np.random.default_rng(0).integers(1, 5, N) / 2
LR, NB = LogisticRegression(), GaussianNB()
GRID = {"C": [0.001, 0.1, 10.0]}

# A definition that scikit-learn lacks: a value of its own in its stead would be found out.
RULE = oracle.envelope


NAME = "interpolated_average_precision"
routed = partial(config_context, enable_metadata_routing=True)


def scorer(**options):
    return ap.make_ap_scorer(NAME, **options)


def ranked(model, X, positive=1):
    """Return the scores of the positive class, with its column chosen by hand."""
    if not hasattr(model, "classes_"):
        return model.predict(X)
    column = model.classes_.tolist().index(positive)
    if hasattr(model, "decision_function"):
        return model.decision_function(X) * (1 if column else -1)
    return model.predict_proba(X)[:, column]


def by_hand(model, X, y, sample_weight=None, *, rule=RULE, positive=1):
    value = rule(y == positive, ranked(model, X, positive), sample_weight)
    return 0.0 if value is None else float(value)


def loop(model, y=Y, splits=SPLITS, X=X, weights=None, fit_weights=None, **options):
    values = []
    for train, test in splits:
        fit = {} if fit_weights is None else {"sample_weight": fit_weights[train]}
        fitted = clone(model).fit(X[train], y[train], **fit)
        weight = None if weights is None else weights[test]
        values.append(by_hand(fitted, X[test], y[test], weight, **options))
    return values


def by_columns(model, X, y):
    """Return the mean over several columns of labels and scores."""
    if y.ndim == 2:
        labels, answer = y, model.predict_proba(X)
    else:
        labels = y[:, np.newaxis] == model.classes_
        answer = getattr(model, "decision_function", model.predict_proba)(X)
    columns = [p[:, 1] for p in answer] if isinstance(answer, list) else answer.T
    return np.mean([float(RULE(*pair)) for pair in zip(labels.T, columns, strict=True)])


def of_splits(search, name="score"):
    """Return one row per candidate and one column per fold."""
    results = search.cv_results_
    return np.transpose([results[f"split{i}_test_{name}"] for i in range(len(SPLITS))])


def for_each_candidate(search, **options):
    params = search.cv_results_["params"]
    return [loop(clone(search.estimator).set_params(**p), **options) for p in params]


assert_same = partial(assert_allclose, rtol=1e-12)


def graphics(display, y, **options):
    with warnings.catch_warnings():  # an older matplotlib with a newer parser
        warnings.simplefilter("ignore", DeprecationWarning)
        figure = pytest.importorskip("matplotlib.figure").Figure(layout="constrained")
    return display.from_estimator(LR, X, y, ax=figure.subplots(), **options)


def importances(y, cv, **options):
    options |= {"n_repeats": 2, "random_state": 5}
    return permutation_importance(clone(LR).fit(X, y), X, y, **options).importances


def boosted(y, cv, scoring, fraction=0.3, weights=None):
    options = {"max_iter": 6, "min_samples_leaf": 5, "learning_rate": 0.3, "random_state": 0}
    options |= {"early_stopping": True, "validation_fraction": fraction, "scoring": scoring}
    model = ensemble.HistGradientBoostingClassifier(**options).fit(X, y, sample_weight=weights)
    return [model.train_score_, model.validation_score_] if fraction else model.train_score_


def logistic_regression_cv(y, **given):
    """Return one row per fold and one column per C; newer versions return one array."""
    options = {"Cs": GRID["C"], "tol": 1e-9, "max_iter": 10_000, **given}
    scores = linear_model.LogisticRegressionCV(**options).fit(X, y).scores_
    scores = next(iter(scores.values())) if isinstance(scores, dict) else scores
    return np.reshape(scores, (len(SPLITS), len(GRID["C"])))


SIZES, VARIED = {"train_sizes": [0.4, 1.0]}, {"param_name": "C", "param_range": GRID["C"]}
CURVE, VALIDATION = model_selection.LearningCurveDisplay, model_selection.ValidationCurveDisplay
PERMUTED, SELECTED = {"n_permutations": 4, "random_state": 3}, {"n_features_to_select": 3}
# What takes `scoring=`, mostly with `cv=`, and what it reports about the scores
TOOLS = {
    "cross_validate": lambda y, **given: list(
        cross_validate(LR, X, y, return_train_score=True, **given).values()
    )[2:],
    "learning_curve": lambda y, **given: model_selection.learning_curve(LR, X, y, **SIZES, **given)[
        1:
    ],
    "validation_curve": lambda y, **given: model_selection.validation_curve(
        LR, X, y, **VARIED, **given
    ),
    "LearningCurveDisplay": lambda y, **given: graphics(CURVE, y, **SIZES, **given).test_scores,
    "ValidationCurveDisplay": lambda y, **given: (
        graphics(VALIDATION, y, **VARIED, **given).test_scores
    ),
    "permutation_test_score": lambda y, **given: model_selection.permutation_test_score(
        NB, X, y, **PERMUTED, **given
    )[1],
    "nested": lambda y, **given: cross_val_score(
        GridSearchCV(LR, GRID, **given | {"cv": 2}), X, y, **given
    ),
    "GridSearchCV": lambda y, **given: of_splits(GridSearchCV(LR, GRID, **given).fit(X, y)),
    "HalvingGridSearchCV": lambda y, **given: of_splits(
        model_selection.HalvingGridSearchCV(
            LR, GRID, min_resources=40, random_state=0, **given | {"cv": 3}
        ).fit(X, y)
    ),
    "RFECV": lambda y, **given: RFECV(LR, **given).fit(X, y).cv_results_["mean_test_score"],
    "SequentialFeatureSelector": lambda y, **given: (
        SequentialFeatureSelector(LR, **SELECTED, **given).fit(X, y).get_support()
    ),
    "permutation_importance": importances,
    "permutation_importance with weights": partial(importances, sample_weight=WEIGHTS),
    "LogisticRegressionCV": logistic_regression_cv,
    "RidgeClassifierCV": lambda y, **given: (
        RidgeClassifierCV([0.1, 10.0], **given).fit(X, y).best_score_
    ),
    "boosting": boosted,
    "boosting with weights": partial(boosted, weights=WEIGHTS),
    "boosting on its training data": partial(boosted, fraction=None, weights=WEIGHTS),
}


announced = pytest.mark.filterwarnings(
    "ignore:The default value for l1_ratios:FutureWarning",
    "ignore:The fitted attributes of LogisticRegressionCV:FutureWarning",
)


@pytest.mark.sweep(12)
@announced
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("y", "positive"), [(Y, 1), (NAMES, "fraud")])
def test_tools_call_the_scorer_as_one_written_by_hand(tool, y, positive):
    run = partial(TOOLS[tool], y, cv=SPLITS)
    if (tool, VERSION < (1, 8)) == ("LogisticRegressionCV", True) and y is NAMES:
        with pytest.raises(ValueError, match=f"pos_label={positive} is not a valid label"):
            run(scoring=scorer(pos_label=positive))  # which were encoded as -1 and 1
        return
    expected = run(scoring=wraps(by_hand)(partial(by_hand, positive=positive)))
    assert_same(run(scoring=scorer(pos_label=positive)), expected)
    assert np.ndim(expected) == 0 or np.std(expected) > 0


@pytest.mark.parametrize("several", [False, True])
def test_scoring_monitor(several):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9")
    scoring = ap.make_multi_scorer({"score": scorer()}) if several else scorer()
    monitor = callback.ScoringMonitor(scoring=scoring)
    model = clone(LR).set_callbacks(monitor).fit(X, Y)
    log = monitor.get_logs().data
    assert len(log) > 2
    assert_same(log[0]["score"], by_hand(model, X, Y))


class InOrderOf(GaussianNB):
    """A classifier whose classes, and columns of scores, are not in sorted order."""

    def fit(self, X, y):
        super().fit(X, y)
        for name in ("classes_", "theta_", "var_", "class_prior_", "class_count_"):
            setattr(self, name, getattr(self, name)[[1, 2, 0]])
        return self


OF_LETTERS = [LR, CalibratedClassifierCV(NB, cv=2), OneVsRestClassifier(LR), InOrderOf()]
OF_NUMBERS = [(NB, CLASSES), (NB, CLASSES + 2), (InOrderOf(), CLASSES + 2)]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("model", "y"), [*((m, LETTERS) for m in OF_LETTERS), *OF_NUMBERS])
def test_several_classes(model, y):
    """Their columns are in the order of the estimator, whatever that of `classes`."""
    names, evaluate = np.unique(y), partial(cross_val_score, model, X, y, cv=SPLITS_OF_3)
    for classes in (names, names[::-1].tolist(), names[[1, 2, 0]]):
        assert_same(evaluate(scoring=scorer(classes=classes)), evaluate(scoring=by_columns))


TREES = ensemble.RandomForestClassifier(n_estimators=9, random_state=0)
OF_LABELS = [MultiOutputClassifier(LR), ClassifierChain(NB), OneVsRestClassifier(NB), TREES]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("model", OF_LABELS)
def test_several_labels(model):
    X, labels = make_multilabel_classification(N, n_classes=3, n_labels=2, random_state=0)
    evaluate = partial(cross_val_score, model, X, labels, cv=KFold(3))
    assert_same(evaluate(scoring=scorer()), evaluate(scoring=by_columns))


class Own(OutlierMixin, BaseEstimator):
    """A detector that only has a `decision_function`, high for outliers or for inliers."""

    def __init__(self, outliers_are_high=False, predicts=True):
        self.outliers_are_high = outliers_are_high
        self.predicts = predicts

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        return self

    def _distance(self, X):
        return np.linalg.norm(X - self.mean_, axis=1)

    def decision_function(self, X):
        return (self._distance(X) - 4) * (1 if self.outliers_are_high else -1)

    def predict(self, X):
        if not self.predicts:
            raise AttributeError("predict")
        return np.where(self._distance(X) > 4, -1, 1)


class OnlyRanks(Own):
    """As `Own`, without `predict`, so it ranks as scikit-learn says that detectors do."""

    predict = property(lambda self: getattr(self, "has_no_predict"))  # noqa: B009


class LikePyOD(BaseEstimator):
    """High scores for outliers, which are 1 beside 0."""

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        self.decision_scores_ = self.decision_function(X)
        return self

    def decision_function(self, X):
        return np.linalg.norm(X - self.mean_, axis=1)

    def predict(self, X):
        return (self.decision_function(X) > 4).astype(int)


def of_pyod(name):
    module = pytest.importorskip(f"pyod.models.{name.lower()}")
    return getattr(module, name)(**{"random_state": 0} if name == "IForest" else {})


FOREST = ensemble.IsolationForest(n_estimators=20, random_state=0)
LOF = LocalOutlierFactor(n_neighbors=5, novelty=True)
DETECTORS = {
    "IsolationForest": lambda: FOREST,
    "OneClassSVM": OneClassSVM,
    "LocalOutlierFactor": lambda: LOF,
    "pipeline": lambda: make_pipeline(StandardScaler(), FOREST),
    "own": Own,
    "own, outliers high": partial(Own, outliers_are_high=True),
    "own, without predict": OnlyRanks,
    "like PyOD": LikePyOD,
    "like PyOD, in a pipeline": lambda: make_pipeline(StandardScaler(), LikePyOD()),
    "like PyOD, in a search": lambda: GridSearchCV(LikePyOD(), {}, scoring=lambda *_: 0.0, cv=2),
    "KNN": partial(of_pyod, "KNN"),
    "IForest": partial(of_pyod, "IForest"),
    "IForest, in a pipeline": lambda: make_pipeline(StandardScaler(), of_pyod("IForest")),
}
ODD = np.arange(N) % 6 == 0
AMONG = np.where(ODD[:, np.newaxis], 3.0, 1.0) * X


def outlyingness(model, X):
    """Scores that are high for outliers, by hand."""
    last = getattr(model, "best_estimator_", model)
    last = last.steps[-1][1] if hasattr(last, "steps") else last
    if hasattr(model, "score_samples"):
        return -model.score_samples(X)
    are_high = getattr(last, "outliers_are_high", hasattr(last, "decision_scores_"))
    return model.decision_function(X) * (1 if are_high else -1)


@pytest.mark.sweep(72)
@pytest.mark.filterwarnings("ignore:y should not be presented")
@pytest.mark.parametrize("name", DETECTORS)
@pytest.mark.parametrize(
    ("labels", "pos_labels", "outliers_first"),
    [
        ((1, -1), (None, -1), True),
        ((1, -1), (1,), False),
        ((0, 1), (None, 1, True), True),
        ((False, True), (None, True, 1), True),
        ((1.0, -1.0), (None, -1), True),
        ((0, 1), (0, False), False),
        ((False, True), (False, 0), False),
    ],
)
def test_outlier_detector(name, labels, pos_labels, outliers_first):
    """The positive class comes first, whichever side the scores of the detector mark."""
    model, y = DETECTORS[name](), np.array(labels)[ODD.astype(int)]

    def by_hand_of_sklearn(model, X, y):
        scores = outlyingness(model, X)
        if outliers_first:
            return average_precision_score(y == labels[1], scores)
        return average_precision_score(y == labels[0], -scores)

    splits = list(KFold(3, shuffle=True, random_state=0).split(AMONG))
    evaluate = partial(cross_val_score, model, AMONG, y, cv=splits, error_score="raise")
    expected = evaluate(scoring=by_hand_of_sklearn)
    for pos_label in pos_labels:
        scoring = ap.make_ap_scorer(pos_label=pos_label)
        assert_same(evaluate(scoring=scoring), expected)
        results = cross_validate(
            model, AMONG, y, cv=splits, scoring=ap.make_multi_scorer(["AP"], pos_label=pos_label)
        )
        assert_same(results["test_AP"], expected)
    label = pos_labels[-1]
    results = cross_validate(
        model, AMONG, y, cv=splits, scoring=scoring, return_estimator=True, return_indices=True
    )
    for display in (ap.AveragePrecisionDisplay, ap.HitCurveDisplay):
        drawn = display.from_cv_results(results, AMONG, y, pos_label=label)
        assert_same(drawn.value, expected)
        first, rows = results["estimator"][0], splits[0][1]
        drawn = display.from_estimator(first, AMONG[rows], y[rows], pos_label=label)
        assert drawn.value == pytest.approx(expected[0])
        plt.close("all")
    scoring = ap.make_ap_scorer(pos_label=pos_labels[0])
    search = GridSearchCV(model, {}, cv=splits, scoring=scoring)
    assert search.fit(AMONG, y).best_score_ == pytest.approx(np.mean(expected))
    options = {"n_repeats": 1, "random_state": 0}
    drops, expected_drops = (
        permutation_importance(search.best_estimator_, AMONG, y, scoring=each, **options)
        for each in (scoring, by_hand_of_sklearn)
    )
    assert_same(drops.importances, expected_drops.importances)


def test_a_search_of_detectors_takes_the_best():
    """The setting that a scorer of the other side would take is the worst one."""
    grid = {"n_estimators": [1, 2, 40]}
    forest = ensemble.IsolationForest(n_estimators=9, random_state=0)
    for y in (np.where(ODD, -1, 1), ODD.astype(int)):
        search = GridSearchCV(forest, grid, cv=KFold(3), scoring="average_precision")
        search.set_params(scoring=ap.make_ap_scorer()).fit(AMONG, y)
        assert search.best_params_ == {"n_estimators": 40}


def test_detectors_that_are_refused_say_what_to_do():
    X, y = AMONG, np.where(ODD, -1, 1)
    for detector in (LocalOutlierFactor(), make_pipeline(StandardScaler(), LocalOutlierFactor())):
        with pytest.raises(
            AttributeError, match=r"LocalOutlierFactor.*Create it with novelty=True"
        ):
            ap.make_ap_scorer()(detector.fit(X), X, y)
    with pytest.raises(AttributeError, match=r"It has none of score_samples, decision_function\."):
        ap.make_ap_scorer()(type("Other", (OutlierMixin, BaseEstimator), {})(), X, y)
    with pytest.raises(ValueError, match=r"contains only 1, .*Pass pos_label=-1 or pos_label=1"):
        ap.make_ap_scorer()(FOREST.fit(X), X[~ODD], y[~ODD])
    names = np.where(ODD, "odd", "fine")
    for pos_label in (None, "fine", "odd"):
        with pytest.raises(
            ValueError, match=r"Got 'fine', 'odd'.* Recode them: if '(fine|odd)' are"
        ):
            ap.make_ap_scorer(pos_label=pos_label)(FOREST.fit(X), X, names)

    with pytest.raises(ValueError, match=r"if 'fine' are the outliers, np.where\(y == 'fine'"):
        ap.make_ap_scorer(pos_label=1)(FOREST.fit(X), X, names)  # which no row has

    class Torn(Own):
        def predict(self, X):
            return np.where(np.arange(len(X)) % self.one_in, 1, -1)

    for Torn.one_in in (1, 2):  # it flags all, or every second one
        with pytest.raises(ValueError, match=r"doesn't tell whether.*write make_scorer") as error:
            ap.make_ap_scorer()(Torn().fit(X), X, y)
    code = str(error.value).partition("write ")[2].partition(", with")[0].replace("...", "-1")
    advised = eval(code, {"make_scorer": make_scorer, "sklearn_ap": ap})
    high = Own(outliers_are_high=True).fit(X)
    assert advised(high, X, y) == ap.make_ap_scorer()(high, X, y)


class Rounded(Own):
    """Its scores are rounded, so an outlier and an inlier can have the same one."""

    def decision_function(self, X):
        return (super().decision_function(X) / 3).round()


@pytest.mark.parametrize("outliers_are_high", [False, True])
def test_the_side_is_known_if_scores_tie_at_the_border(outliers_are_high):
    fitted = Rounded(outliers_are_high).fit(AMONG)
    scores, are_outliers = fitted.decision_function(AMONG), fitted.predict(AMONG) == -1
    assert {*scores[are_outliers]} & {*scores[~are_outliers]} == {0.0}
    expected = average_precision_score(ODD, scores if outliers_are_high else -scores)
    assert ap.make_ap_scorer()(fitted, AMONG, ODD.astype(int)) == pytest.approx(expected)


@pytest.mark.parametrize("detector", [Own(), Own(outliers_are_high=True), LikePyOD()])
def test_a_detector_that_flags_nobody_in_a_fold(detector):
    """Its side isn't guessed, as other folds could have the other sign."""
    calm = X[np.linalg.norm(X - X.mean(axis=0), axis=1) < 3]
    fitted = detector.fit(calm)
    labels = (np.arange(len(calm)) % 5 == 0).astype(int)
    assert len({*fitted.predict(calm).tolist()}) == 1
    if isinstance(detector, LikePyOD):  # whose side is known
        expected = average_precision_score(labels, outlyingness(fitted, calm))
        assert ap.make_ap_scorer()(fitted, calm, labels) == pytest.approx(expected)
    else:
        with pytest.raises(ValueError, match="doesn't tell whether"):
            ap.make_ap_scorer()(fitted, calm, labels)


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("several", [dict, ap.make_multi_scorer])
def test_routed_weights_reach_those_that_ask(several):
    model = clone(LR).set_fit_request(sample_weight=True)
    scoring = several(
        {
            "weighted": ap.make_ap_scorer(NAME, sample_weight=True),
            "plain": scorer().set_score_request(sample_weight=False),
        }
    )
    search = GridSearchCV(model, GRID, cv=SPLITS, scoring=scoring, refit="weighted")
    search.fit(X, Y, sample_weight=WEIGHTS)
    for name, weights in (("weighted", WEIGHTS), ("plain", None)):
        expected = for_each_candidate(search, weights=weights, fit_weights=WEIGHTS)
        assert_same(of_splits(search, name), expected)


@pytest.mark.usefixtures("routing")
def test_several_scorers_request_metadata_as_each_of_them():
    ours = [ap.make_ap_scorer("P@10"), ap.make_ap_scorer(classes=[0, 1]), scorer()]
    several = ap.make_multi_scorer({"a": ours[0], "b": ours[1], "c": ours[2], "acc": "accuracy"})
    scoring = several.set_score_request(groups=True, sample_weight="w")
    groups = np.arange(len(Y)) // 10
    given = {"cv": GroupKFold(3), "params": {"groups": groups, "w": WEIGHTS}}
    found = cross_validate(LR, X, Y, scoring=scoring, error_score="raise", **given)
    assert not any("groups" in get_routing_for_object(one).score.requests for one in ours)
    for name, one in zip("abc", ours, strict=True):
        alone = one.set_score_request(groups=True, sample_weight="w")
        expected = cross_validate(LR, X, Y, scoring=alone, error_score="raise", **given)
        assert_same(found[f"test_{name}"], expected["test_score"])
    weighted = get_scorer("accuracy").set_score_request(sample_weight="w")
    expected = cross_validate(LR, X, Y, scoring=weighted, **given)
    assert_same(found["test_acc"], expected["test_score"])
    search = GridSearchCV(LR, GRID, cv=GroupKFold(3), scoring=scoring, refit="b")
    assert search.fit(X, Y, groups=groups, w=WEIGHTS).best_score_ > 0
    with pytest.raises(TypeError, match="None of the scorers acc takes groups"):
        ap.make_multi_scorer({"acc": "accuracy"}).set_score_request(groups=True, sample_weight=True)


@pytest.mark.usefixtures("routing")
def test_weights_are_requested_only_for_scorers_that_take_them():
    of_max_error = make_scorer(max_error, greater_is_better=False)  # whose name has changed
    scorers = {"ours": "AP", "accuracy": "accuracy", "max_error": of_max_error}
    several = ap.make_multi_scorer(scorers).set_score_request(sample_weight="w")
    requests = {
        name: get_routing_for_object(each).score.requests.get("sample_weight")
        for name, each in several.scorers.items()
    }
    # Before 1.9, no scorer of scikit-learn says what its function takes.
    is_known = "sample_weight" in get_routing_for_object(get_scorer("accuracy")).score.requests
    assert requests == {"ours": "w", "accuracy": "w", "max_error": None if is_known else "w"}


@pytest.mark.usefixtures("routing")
def test_a_name_does_not_let_a_scorer_of_others_take_groups():
    named = get_scorer("accuracy")
    named.__name__ = "acc"
    with pytest.raises(TypeError, match="None of the scorers acc takes groups"):
        ap.make_multi_scorer([named]).set_score_request(groups=True, sample_weight=True)


@pytest.mark.parametrize(
    ("scoring", "name"),
    [(scorer(), "score"), (ap.make_multi_scorer({"ap": scorer(), "roc": "roc_auc"}), "ap")],
    ids=["single", "several"],
)
def test_weights_of_a_search_without_routing(scoring, name):
    """They reach scorers since scikit-learn 1.7; before that, only `fit` gets them."""
    search = GridSearchCV(LR, GRID, cv=SPLITS, scoring=scoring, refit=name)
    search.fit(X, Y, sample_weight=WEIGHTS)
    weights = WEIGHTS if VERSION >= (1, 7) else None
    expected = for_each_candidate(search, weights=weights, fit_weights=WEIGHTS)
    assert_same(of_splits(search, name), expected)


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("backend", [pytest.param("loky", marks=pytest.mark.slow), "threading"])
def test_several_scorers(on, backend):
    each = {positive: scorer(pos_label=positive) for positive in ("fraud", "legit")}
    options = {
        "scoring": ap.make_multi_scorer(each | {"acc": "accuracy"}),
        "cv": SPLITS,
        "n_jobs": 2,
    }
    with config_context(enable_metadata_routing=on), joblib.parallel_config(backend):
        results = cross_validate(LR, X, NAMES, **options)
        search = GridSearchCV(LR, GRID, refit="legit", **options).fit(X, NAMES)
    assert_same(results["test_acc"], cross_val_score(LR, X, NAMES, cv=SPLITS, scoring="accuracy"))
    for positive in each:
        assert_same(results[f"test_{positive}"], loop(LR, NAMES, positive=positive))
        expected = for_each_candidate(search, y=NAMES, positive=positive)
        assert_same(of_splits(search, positive), expected)
    assert search.best_params_["C"] == GRID["C"][np.argmax(np.mean(expected, axis=1))]


# One of several scorers fails


def folds_of(tests):
    """Use each list of rows as a test fold, and all others for training."""
    return [(np.setdiff1d(np.arange(N), test), np.asarray(test)) for test in tests]


WITHOUT_C = folds_of([[*np.flatnonzero(LETTERS == "a")[:9], *np.flatnonzero(LETTERS == "b")[:9]]])


SEVERAL = {
    "strict": scorer(),  # needs all classes in every fold
    "lenient": scorer(classes=range(3), zero_division=0.0),
    "acc": "accuracy",
}


def outcome(run, scoring):
    """Return the result without the times, and the messages without the lines of code in them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = run(scoring=scoring)
    lines = [(w.category, *str(w.message).splitlines()) for w in caught]
    said = [each[:2] + each[-1:] for each in lines if issubclass(each[0], UserWarning)]
    return {name: results[name] for name in results if "_time" not in name}, said


def assert_same_outcome(run, scorers, error_score=nan):
    """As with a dict of the scorers, which share no `pos_label` that could be mixed up."""
    results, said = outcome(run, ap.make_multi_scorer(scorers, error_score=error_score))
    expected, as_said = outcome(run, dict(scorers))
    assert results.keys() == expected.keys()
    for name in results:
        np.testing.assert_array_equal(results[name], expected[name])
    assert said == as_said
    return results, said


@pytest.mark.sweep(4)
@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize(("fold", "error_score"), list(enumerate([nan, 0, -1.5, np.float32(2)])))
def test_a_scorer_that_fails_in_one_fold(fold, error_score, on):
    splits = [*SPLITS_OF_3[:fold], *WITHOUT_C, *SPLITS_OF_3[fold:]]
    run = partial(cross_validate, NB, X, CLASSES, cv=splits, error_score=error_score)
    with config_context(enable_metadata_routing=on):
        results, said = assert_same_outcome(run, SEVERAL, error_score)
    expected = cross_val_score(NB, X, CLASSES, cv=SPLITS_OF_3, scoring=by_columns)
    assert_same(results["test_strict"], np.insert(expected, fold, error_score))
    assert_same(np.delete(results["test_lenient"], fold), expected)
    assert np.isfinite(results["test_lenient"]).all()
    assert_same(results["test_acc"], cross_val_score(NB, X, CLASSES, cv=splits))
    ((_, first, last),) = said
    assert f"will be set to {error_score}." in first
    assert "classes=" in last


def test_several_scorers_without_a_target():
    """As with a dict, a scorer that needs a target fails, and the other one doesn't."""
    scorers = {
        "found": lambda model, X, y=None: np.mean(model.predict(X) == -1),
        "right": lambda model, X, y: np.mean(model.predict(X) == y),
    }
    run = partial(cross_validate, FOREST, AMONG, cv=KFold(3))
    results, said = assert_same_outcome(run, scorers)
    assert np.isfinite(results["test_found"]).all()
    assert np.isnan(results["test_right"]).all()
    assert len(said) == 3


def test_a_model_that_fails_to_fit_in_one_fold():
    splits = [SPLITS[0], (NEGATIVE, np.arange(N)), SPLITS[1]]
    run = partial(cross_validate, LR, X, Y, cv=splits, return_train_score=True)
    results, _ = assert_same_outcome(run, {"a": scorer(), "acc": "accuracy"})
    assert np.isnan(results["test_a"]).tolist() == [False, True, False]


# Mean over groups

GROUPS = np.random.default_rng(1).permutation(np.repeat(np.arange(15), N // 15))
LABELS = Y.copy()
LABELS[np.unique(GROUPS, return_index=True)[1]] = 1  # each group has a positive
BY_GROUPS = list(GroupKFold(3).split(X, LABELS, GROUPS))


def loop_over_groups(model, rule=oracle.step, average="macro"):
    values = []
    for train, test in BY_GROUPS:
        scores = ranked(clone(model).fit(X[train], LABELS[train]), X[test])
        values.append(
            oracle.mean_over_groups(rule, LABELS[test], scores, GROUPS[test], average=average)
        )
    return [float(value) for value in values]


AT_3 = partial(oracle.at_k, k=3)


def at_5(**options):
    with routed():
        return ap.get_scorer("precision_at_5", groups=True, **options)


PRECISION = partial(oracle.precision_at_k, k=5)


@pytest.mark.sweep(4)
@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("model", [LR, NB])
@pytest.mark.parametrize(
    ("scoring", "rule", "average"),
    [
        (partial(ap.make_ap_scorer, "MAP"), oracle.step, "macro"),
        (partial(ap.get_scorer, "MAP", average="weighted"), oracle.step, "weighted"),
        (partial(ap.get_scorer, "MAP@3"), AT_3, "macro"),
        (
            partial(ap.get_scorer, "MRR@2"),
            partial(oracle.RULES["reciprocal-rank-at-k"], k=2),
            "macro",
        ),
        (partial(ap.get_scorer, "P@3", groups=True), partial(oracle.precision_at_k, k=3), "macro"),
        (partial(at_5, average="weighted"), PRECISION, "weighted"),
    ],
)
def test_mean_over_groups(model, scoring, rule, average):
    options = {"cv": GroupKFold(3), "scoring": scoring(), "error_score": "raise"}
    results = cross_validate(model, X, LABELS, params={"groups": GROUPS}, **options)
    assert_same(results["test_score"], loop_over_groups(model, rule, average=average))


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("n_jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_search_by_the_mean_over_groups_among_several(n_jobs):
    by_query = ap.get_scorer("MAP@3", groups="query_id")
    scoring = ap.make_multi_scorer({"map": "MAP", "queries": by_query, "ap": scorer()})
    search = GridSearchCV(LR, GRID, cv=GroupKFold(3), scoring=scoring, refit="map", n_jobs=n_jobs)
    search.fit(X, LABELS, groups=GROUPS, query_id=GROUPS)
    models = [LogisticRegression(**params) for params in search.cv_results_["params"]]
    by_groups = loop_over_groups
    assert_same(of_splits(search, "map"), [by_groups(model) for model in models])
    assert_same(of_splits(search, "queries"), [by_groups(model, AT_3) for model in models])
    assert_same(of_splits(search, "ap"), [loop(model, LABELS, BY_GROUPS) for model in models])


def test_mean_without_routing_is_refused():
    with routed():
        scoring = ap.make_ap_scorer("MAP")
    search = GridSearchCV(LR, GRID, cv=GroupKFold(3), scoring=scoring, error_score="raise")
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        search.fit(X, LABELS, groups=GROUPS)


# Folds that lack something


POSITIVE, NEGATIVE = np.flatnonzero(Y), np.flatnonzero(Y == 0)


@pytest.mark.parametrize("y", [Y, NAMES, Y == 1, 2 * Y - 1])
@pytest.mark.parametrize("model", [LR, NB])
def test_folds_of_one_class(model, y):
    """0.0 with a warning, not 1.0 as if the only label in the fold were the positive one."""
    options = {"cv": folds_of([POSITIVE[:5], NEGATIVE[:9]]), "error_score": "raise"}
    scoring = scorer(pos_label=y[POSITIVE[0]].item())
    words = "No positive class found in y_true.*pos_label="
    with pytest.warns(UndefinedMetricWarning, match=words):
        assert cross_val_score(model, X, y, scoring=scoring, **options).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("model", [LR, NB])
@pytest.mark.parametrize("y", [CLASSES, CLASSES + 2, LETTERS], ids=["012", "234", "abc"])
def test_fold_that_misses_a_class(model, y):
    ((train, test),) = WITHOUT_C
    fitted = clone(model).fit(X[train], y[train])
    scores = getattr(fitted, "decision_function", fitted.predict_proba)(X[test])
    seen = [float(RULE(y[test] == fitted.classes_[i], scores[:, i])) for i in (0, 1)]
    missing = np.unique(y)[2]
    options = {"cv": WITHOUT_C, "error_score": "raise"}
    with pytest.warns(
        UndefinedMetricWarning, match=rf"No positive class.*1 of 3 classes \({missing}\)"
    ):
        actual = cross_val_score(model, X, y, scoring=scorer(classes=np.unique(y)), **options)
    assert_same(actual, [sum(seen) / 3])
    left_out = scorer(classes=np.unique(y), zero_division=nan)
    assert_same(cross_val_score(model, X, y, scoring=left_out, **options), [sum(seen) / 2])


# What is said of scikit-learn


def test_detectors_score_inliers_higher():
    spread = np.random.default_rng(0).normal(size=(100, 2))
    spread[90:] *= 5
    detectors = [
        FOREST,
        LOF,
        OneClassSVM(nu=0.1),
        linear_model.SGDOneClassSVM(nu=0.5, random_state=0),
        EllipticEnvelope(random_state=0),
    ]
    for detector in detectors:
        fitted = clone(detector).fit(spread)
        is_outlier = fitted.predict(spread) == -1
        for method in ("score_samples", "decision_function"):
            scores = getattr(fitted, method)(spread)
            assert scores[is_outlier].max() <= scores[~is_outlier].min()


def test_which_scorers_of_scikit_learn_prefer_decisions():
    """Those of average precision and ROC AUC do, but not those of ROC AUC for several classes."""
    methods = ("decision_function", "predict_proba")
    assert get_scorer("average_precision")._response_method == methods
    assert get_scorer("roc_auc")._response_method == methods
    assert get_scorer("roc_auc_ovr")._response_method != methods


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("step", ["scaler", "classifier"])
def test_steps_that_do_not_say_what_they_want_fail(step):
    scaler, model = StandardScaler(), clone(LR)
    if step == "scaler":
        model.set_fit_request(sample_weight=True)
    else:
        scaler.set_fit_request(sample_weight=False)
    scoring = ap.make_ap_scorer(sample_weight=True)
    search = GridSearchCV(make_pipeline(scaler, model), {}, scoring=scoring, cv=3)
    with pytest.raises(ValueError, match=r"(?s)All the 3 fits failed.*UnsetMetadataPassedError"):
        search.fit(X, Y, sample_weight=WEIGHTS)
    search.set_params(error_score="raise")
    with pytest.raises(UnsetMetadataPassedError):
        search.fit(X, Y, sample_weight=WEIGHTS)
