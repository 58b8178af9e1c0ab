"""Scorers: the metric on the side that the positive label names, for each kind of estimator."""

import copy
import pickle
import re

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import average_precision_score as theirs
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap as ap

N = 90
X, Y = make_classification(
    N, 4, n_redundant=0, class_sep=0.5, flip_y=0.2, weights=[0.7], random_state=0
)
LETTERS = np.array(["a", "b", "c"])[Y + (X[:, 0] > 0)]
GROUPS = np.arange(N) // 10
CODINGS = {  # labels of the negatives and positives
    "0 and 1": (0, 1), "1 and 2": (1, 2), "-1 and 1": (-1, 1), "floats": (0.0, 1.0),
    "booleans": (False, True), "text": ("bad", "good"), "text of one letter": ("n", "y"),
}  # fmt: skip
CLASSIFIERS = {
    "both methods": LinearDiscriminantAnalysis(),
    "probabilities alone": GaussianNB(),
    "decisions alone": RidgeClassifier(),
    "in a pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "in a search": GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=2),
}


def find_scores(model, label, method=None):
    """Return the scores of a class by hand."""
    method = method or (
        "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    )
    scores, place = getattr(model, method)(X), model.classes_.tolist().index(label)
    if scores.ndim == 1:
        return scores if place == 1 else -scores
    return scores[:, place]


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("model", CLASSIFIERS)
def test_each_class_is_ranked_by_its_own_scores(model, coding):
    y = np.array(CODINGS[coding])[Y]
    model = clone(CLASSIFIERS[model]).fit(X, y)
    for label in CODINGS[coding]:
        expected = theirs(y == label, find_scores(model, label))
        assert ap.make_ap_scorer(pos_label=label)(model, X, y) == pytest.approx(expected)
    if 1 in CODINGS[coding]:
        expected = theirs(y == 1, find_scores(model, 1))
        assert ap.get_scorer("AP")(model, X, y) == pytest.approx(expected)
    else:
        with pytest.raises(ValueError, match="Pass pos_label= to make_ap_scorer"):
            ap.get_scorer("AP")(model, X, y)


class Fixed(ClassifierMixin, BaseEstimator):
    """A classifier of two classes in any order, whose scores are the first column of X."""

    def __init__(self, classes=(0, 1), dtype=float):
        self.classes = classes
        self.dtype = dtype

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def decision_function(self, X):
        return np.floor(3 * abs(X[:, 0])).astype(self.dtype)

    def predict_proba(self, X):
        second = abs(X[:, 0]) / 9
        return np.column_stack([1 - second, second])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8, bool, np.float32])
@pytest.mark.parametrize("classes", [(0, 1), (1, 0)])
def test_unsigned_scores_and_classes_in_any_order(classes, dtype):
    model = Fixed(classes, dtype).fit(X, Y)
    scores = model.decision_function(X).astype(float)
    for label, sign in zip(classes, (-1, 1), strict=True):
        scorer = ap.make_ap_scorer(pos_label=label)
        assert scorer(model, X, Y) == pytest.approx(theirs(Y == label, sign * scores))
        if label == 1:
            assert ap.get_scorer("nDCG")(model, X, Y) == ap.ndcg_score(Y, sign * scores)
        scorer = ap.make_ap_scorer(pos_label=label, response_method="predict_proba")
        expected = theirs(Y == label, sign * abs(X[:, 0]))
        assert scorer(model, X, Y) == pytest.approx(expected)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_three_classes(average):
    model = LogisticRegression().fit(X, LETTERS)
    scores, one = model.decision_function(X), LETTERS[:, np.newaxis] == model.classes_
    found = ap.make_ap_scorer(average=average)(model, X, LETTERS)
    assert found == pytest.approx(theirs(one, scores, average=average))
    assert ap.make_ap_scorer(pos_label="b")(model, X, LETTERS) == pytest.approx(
        theirs(LETTERS == "b", scores[:, 1])
    )
    rows = LETTERS != "c"  # a fold that lacks a class
    expected = np.mean([theirs(one[rows, each], scores[rows, each]) for each in (0, 1)])
    scorer = ap.make_ap_scorer(zero_division=np.nan)
    assert scorer(model, X[rows], LETTERS[rows]) == pytest.approx(expected)


def test_columns_that_are_not_those_of_the_classes():
    model = LogisticRegression().fit(X, LETTERS)
    model.decision_function = lambda X: X[:, 0]
    with pytest.raises(ValueError, match="one column of scores for classes"):
        ap.make_ap_scorer(pos_label="a")(model, X, LETTERS)


def test_the_response_method():
    model = LinearDiscriminantAnalysis().fit(X[:, :2], Y)
    model.decision_function = lambda X: X[:, 0]
    first, second = (
        ap.make_ap_scorer(response_method=method)(model, X[:, :2], Y)
        for method in ("decision_function", ["predict_proba", "decision_function"])
    )
    assert first == pytest.approx(theirs(Y, X[:, 0]))
    assert second == pytest.approx(theirs(Y, model.predict_proba(X[:, :2])[:, 1]))
    assert ap.get_scorer("AP")(model, X[:, :2], Y[:, np.newaxis]) == first
    with pytest.raises(ValueError, match=r"predict of LinearDisc.* returns classes"):
        ap.make_ap_scorer(response_method="predict")(model, X[:, :2], Y)


def test_columns_of_pairs_are_refused():
    y = np.arange(N) % 4
    for kind, n_columns in ((y, 6), (y % 3, 3)):
        model = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
        for each in (model, GridSearchCV(model, {}, cv=2)):
            with pytest.raises(ValueError, match=f"returned {n_columns} columns .* each pair"):
                ap.get_scorer("AP")(each.fit(X, kind), X, kind)


@pytest.mark.parametrize("model", [MultiOutputClassifier(LogisticRegression()),
                                   OneVsRestClassifier(LogisticRegression())])  # fmt: skip
def test_several_labels(model):
    labels = np.column_stack([Y, 1 - Y, LETTERS == "a"]).astype(int)
    scores = model.fit(X, labels).predict_proba(X)
    if isinstance(scores, list):
        scores = np.column_stack([each[:, 1] for each in scores])
    found = ap.make_ap_scorer(response_method="predict_proba")(model, X, labels)
    assert found == pytest.approx(theirs(labels, scores))


def test_a_label_or_class_that_the_training_lacks():
    labels, scorer = np.column_stack([Y, 1 - Y]), ap.get_scorer("AP")
    tree = DecisionTreeClassifier(random_state=0).fit(X, labels * [1, 0])  # fits any labels
    assert scorer(tree, X, labels) == pytest.approx((1 + (1 - Y).mean()) / 2)
    with pytest.raises(
        ValueError, match=r"one of \[0\], which the estimator was fitted on.* stratify folds"
    ):
        scorer(GaussianNB().fit(X, 0 * Y), X, Y)
    with pytest.raises(ValueError, match=r"has the classes \[2\].* Stratify the folds"):
        scorer(GaussianNB().fit(X, Y), X, Y + (Y > 0) * (X[:, 0] > 0))


def test_regressors():
    model, grades = LinearRegression().fit(X, Y), Y + (X[:, 0] > 0)
    with pytest.raises(AttributeError, match='pass response_method="predict"'):
        ap.get_scorer("AP")(model, X, Y)
    scores = model.predict(X)
    assert ap.make_ap_scorer(response_method="predict")(model, X, Y) == pytest.approx(
        theirs(Y, scores)
    )
    assert ap.make_ap_scorer("nDCG", response_method="predict")(model, X, grades) == ap.ndcg_score(
        grades, scores
    )
    found = ap.make_ap_scorer(response_method="predict", min_grade=2)(model, X, grades)
    assert found == pytest.approx(theirs(grades >= 2, scores))
    with pytest.raises(ValueError, match="high values to the largest label"):
        ap.make_ap_scorer(response_method="predict", pos_label=0)(model, X, Y)


def test_grades_need_one_score_for_each_sample():
    grades = Y + (X[:, 0] > 0)
    model = GaussianNB().fit(X, grades)
    for scorer in (ap.get_scorer("nDCG@10"), ap.make_ap_scorer(min_grade=1)):
        with pytest.raises(ValueError, match="a column for each of the grades"):
            scorer(model, X, grades)
    two = GaussianNB().fit(X, Y + 1)
    scores = two.predict_proba(X)[:, 1]
    assert ap.get_scorer("nDCG@10")(two, X, Y + 1) == ap.ndcg_score(Y + 1, scores, k=10)


def test_a_class_of_several_labels_is_refused():
    labels = np.column_stack([Y, 1 - Y])
    model = MultiOutputClassifier(LogisticRegression()).fit(X, labels)
    with pytest.raises(ValueError, match="pos_label is fixed to 1"):
        ap.make_ap_scorer(pos_label=0, response_method="predict_proba")(model, X, labels)


# --- outlier detectors ----------------------------------------------------------------------------


class LikePyOD(BaseEstimator):
    """High scores for outliers, which are 1 beside 0, and no tags."""

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        self.decision_scores_ = self.decision_function(X)
        return self

    def decision_function(self, X):
        return np.linalg.norm(X - self.mean_, axis=1)


DETECTORS = {
    "forest": IsolationForest(n_estimators=9, random_state=0), "SVM": OneClassSVM(),
    "neighbors": LocalOutlierFactor(novelty=True), "PyOD": LikePyOD(),
    "in a pipeline": make_pipeline(StandardScaler(), OneClassSVM()),
    "PyOD in a pipeline": make_pipeline(StandardScaler(), LikePyOD()),
}  # fmt: skip


@pytest.mark.parametrize("detector", DETECTORS)
@pytest.mark.parametrize("labels", [(1, -1), (0, 1)])
def test_outliers_are_the_positives(detector, labels):
    model, y = clone(DETECTORS[detector]).fit(X), np.array(labels)[Y]
    outlying = model.decision_function(X) if "PyOD" in detector else -model.score_samples(X)
    assert ap.get_scorer("AP")(model, X, y) == pytest.approx(theirs(Y, outlying))
    inlier, outlier = labels
    assert ap.make_ap_scorer(pos_label=outlier)(model, X, y) == pytest.approx(theirs(Y, outlying))
    assert ap.make_ap_scorer(pos_label=inlier)(model, X, y) == pytest.approx(
        theirs(1 - Y, -outlying)
    )


@pytest.mark.parametrize("y", [np.ones(N), Y + 1, np.where(Y, "out", "in"), 2 * Y])
def test_labels_that_do_not_tell_the_outliers(y):
    with pytest.raises(ValueError, match="don't tell which are the outliers"):
        ap.get_scorer("AP")(DETECTORS["forest"].fit(X), X, y)


def test_methods_and_grades_of_detectors():
    model = DETECTORS["SVM"].fit(X)
    scorer = ap.make_ap_scorer(response_method="decision_function")
    assert scorer(model, X, Y) == pytest.approx(theirs(Y, -model.decision_function(X)))
    found = ap.make_ap_scorer(min_grade=1)(model, X, Y)
    assert found == pytest.approx(theirs(Y, -model.score_samples(X)))


def test_a_detector_that_cannot_score():
    with pytest.raises(AttributeError, match="none of the following attributes: score_samples"):
        ap.get_scorer("AP")(LocalOutlierFactor().fit(X), X, 1 - 2 * Y)


# --- scorers as values ----------------------------------------------------------------------------

SCORERS = {
    "plain": ap.make_ap_scorer(),
    "options": ap.make_ap_scorer("AP@7", ties="expected", denominator="k"),
    "label": ap.make_ap_scorer("11-point", pos_label=0, zero_division=1),
    "of NumPy": ap.make_ap_scorer(pos_label=np.int64(0), zero_division=np.nan),
    "a method": ap.make_ap_scorer("P@1%", response_method=["predict_proba"]),
    "grades": ap.make_ap_scorer(min_grade=1),
}


def test_saved_scorers_name_nothing_private():
    skops = pytest.importorskip("skops.io")
    for metric in ("AP", "P@1%", "COCO", ap.metric("nDCG", gains="exponential")):
        scorer = ap.make_ap_scorer(metric)
        saved = skops.dumps(scorer)
        assert {*skops.get_untrusted_types(data=saved)} == {
            "sklearn_ap.Metric",
            "sklearn_ap.scorers.RankingScorer",
        }
        assert not re.search(rb"sklearn_ap[.\w]*[. \n]_", pickle.dumps(scorer, protocol=0))
        assert repr(pickle.loads(pickle.dumps(scorer))) == repr(scorer)


def save_by_skops(scorer):
    skops = pytest.importorskip("skops.io")
    saved = skops.dumps(scorer)
    return skops.loads(saved, trusted=skops.get_untrusted_types(data=saved))


COPIES = {
    "pickle": lambda scorer: pickle.loads(pickle.dumps(scorer)),
    "deepcopy": copy.deepcopy,
    "skops": save_by_skops,
    "clone of a search": lambda s: clone(GridSearchCV(GaussianNB(), {}, scoring=s)).scoring,
    "repr": lambda scorer: eval(repr(scorer), vars(ap)),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("kind", SCORERS)
def test_copies(kind, way):
    scorer, model = SCORERS[kind], GaussianNB().fit(X, Y)
    again = COPIES[way](scorer)
    assert repr(again) == repr(scorer)
    assert again.__name__ == scorer.__name__
    assert again(model, X, Y) == scorer(model, X, Y)


def test_the_class_that_a_metric_names():
    model = GaussianNB().fit(X, Y)
    scorer = ap.make_ap_scorer(ap.metric("AP", pos_label=0))
    assert repr(scorer) == "make_ap_scorer('average_precision', pos_label=0)"
    assert scorer(model, X, Y) == ap.make_ap_scorer(pos_label=0)(model, X, Y)
    other = ap.make_ap_scorer(ap.metric("AP", pos_label=0), pos_label=1)
    assert other(model, X, Y) == ap.make_ap_scorer()(model, X, Y)


def test_the_sign_of_a_function():
    error = ap.metric(lambda y, s: s[0], name="Error", greater_is_better=False)
    model, scorer = GaussianNB().fit(X, Y), ap.make_ap_scorer(error)
    assert scorer(model, X, Y) == -model.predict_proba(X)[0, 1]
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = scorer.set_score_request(groups=True)
        assert scorer(model, X, Y, groups=GROUPS) > -1
    assert "name='Error'" in repr(scorer)


@pytest.mark.parametrize("has_routing", [True, False])
def test_each_name_of_the_list_makes_a_scorer(has_routing):
    with sklearn.config_context(enable_metadata_routing=has_routing):
        names = ap.get_scorer_names()
        scorers = {name: ap.get_scorer(name) for name in names}
    assert all(name in repr(scorer) for name, scorer in scorers.items() if "point" not in name)
    assert ("mean_average_precision" in names) == has_routing
    assert {"average_precision", "precision_at_10"} <= {*names}


@pytest.mark.parametrize("name", ["AP", "P@5", "reciprocal rank"])
def test_the_function_of_a_scorer_names_it_and_evaluates_nothing(name):
    function = ap.get_scorer(name)._score_func
    assert function.__name__ == ap.metric(name).name
    with pytest.raises(TypeError, match=r"For a value, call scorer\(estimator, X, y\)"):
        function(Y, X[:, 0])


@pytest.mark.parametrize("positive", ["sick", "well"])
def test_a_function_ranks_the_label_that_a_scorer_names(positive):
    text = np.where(Y == 1, "sick", "well")
    scorer = ap.make_ap_scorer(sklearn.metrics.roc_auc_score, pos_label=positive)
    for model in (GaussianNB().fit(X, text), LogisticRegression().fit(X, text)):
        assert scorer(model, X, text) == sklearn.metrics.get_scorer("roc_auc")(model, X, text)
    with pytest.raises(ValueError, match=r"Pass pos_label=, one of the labels \['sick', 'well'\]"):
        ap.make_ap_scorer(sklearn.metrics.roc_auc_score)(model, X, text)


def test_get_scorer():
    assert repr(ap.get_scorer("roc_auc")) == repr(sklearn.metrics.get_scorer("roc_auc"))
    for metric in ("P@3", ap.metric("P@3")):
        found = repr(ap.get_scorer(metric, pos_label=0))
        assert found == "make_ap_scorer('precision_at_3', pos_label=0)"
    assert check_scoring(GaussianNB(), SCORERS["plain"]) is SCORERS["plain"]
