"""The law of scorers: the metric on the side that `pos_label` names, alone and beside others.

It runs over all codings of labels, positive classes, estimators, and ordered pairs of scorers.
"""

from functools import cache, partial
from itertools import permutations
from random import Random

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import average_precision_score, check_scoring, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_ap as ap

N = 80
X, POSITIVE = make_classification(
    N, 4, n_redundant=0, class_sep=0.5, flip_y=0.2, weights=[0.7], random_state=0
)
ODD = np.arange(N) % 5 == 0
AMONG = np.where(ODD[:, np.newaxis], 2.0, 1.0) * X
ANY_METHOD = ("decision_function", "predict_proba")

# The labels of the samples where `which` is False and where it is True
CODINGS = {
    "0 and 1": (0, 1),
    "1 and 2": (1, 2),
    "-1 and 1": (-1, 1),
    "0.0 and 1.0": (0.0, 1.0),
    "booleans": (False, True),
    "text": ("bad", "good"),
    "text of one letter": ("n", "y"),
}


def encode(coding, which):
    return np.array(CODINGS[coding])[np.asarray(which).astype(int)]


# --- classifiers ---------------------------------------------------------------------------------

CLASSIFIERS = {
    "both methods": LinearDiscriminantAnalysis(),
    "probabilities alone": GaussianNB(),
    "decisions alone": RidgeClassifier(),
    "in a pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "in a search": GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=2),
    "in a pipeline in a search": GridSearchCV(
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()), {}, cv=2
    ),
}


def find_scores(model, label, methods=ANY_METHOD):
    """Return the scores of a class by hand."""
    method = next(method for method in methods if hasattr(model, method))
    scores = getattr(model, method)(X)
    place = np.unique(model.classes_).tolist().index(label)
    if scores.ndim == 1:
        return scores if place == 1 else -scores
    return scores[:, place]


def make_classifier_scorers(model, y, positive, other):
    """Return eight scorers, or seven of text, each with its value by hand."""
    scores, of_other = find_scores(model, positive), find_scores(model, other)
    by_probability = find_scores(model, other, ANY_METHOD[::-1])
    is_positive = y == positive
    theirs = partial(make_scorer, average_precision_score, response_method=ANY_METHOD)
    scorers = {
        "AP": (ap.make_ap_scorer(pos_label=positive), average_precision_score(is_positive, scores)),
        "AP of the other": (
            ap.make_ap_scorer(pos_label=other),
            average_precision_score(~is_positive, of_other),
        ),
        "P@10% by probabilities": (
            ap.get_scorer("P@10%", pos_label=other, response_method=ANY_METHOD[::-1]),
            ap.precision_at_k_score(~is_positive, by_probability, k=0.1),
        ),
        "11-point, rank": (
            ap.make_ap_scorer("11-point", pos_label=positive, rank=True),
            ap.eleven_point_average_precision_score(is_positive, scores),
        ),
        "scikit-learn's AP": (
            theirs(pos_label=positive),
            average_precision_score(is_positive, scores),
        ),
        "scikit-learn's AP of the other": (
            theirs(pos_label=other),
            average_precision_score(~is_positive, of_other),
        ),
        "roc_auc": (get_scorer("roc_auc"), get_scorer("roc_auc")(model, X, y)),
    }
    if y.dtype.kind in "if":  # grades, of which the higher ones are more relevant
        last = find_scores(model, max(positive, other))
        grades, value = ap.make_ap_scorer(min_grade=1), average_precision_score(y >= 1, last)
        if y.min() == 0:
            grades, value = ap.get_scorer("nDCG@10"), ap.ndcg_score(y, last, k=10)
        if y.min() <= 0:
            scorers["grades"] = grades, value
    return scorers


# --- detectors -----------------------------------------------------------------------------------


class WithoutTags(BaseEstimator):
    """A detector like PyOD's: high scores for outliers, which are 1 beside 0, and no tags."""

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        self.decision_scores_ = self.decision_function(X)
        return self

    def decision_function(self, X):
        return np.linalg.norm(X - self.mean_, axis=1)

    def predict(self, X):
        return (self.decision_function(X) > 3).astype(int)


def make_forest():
    return IsolationForest(n_estimators=10, random_state=0)


UNSCORED = {"scoring": lambda *_: 0.0, "cv": 2}


def make_pyod():
    return pytest.importorskip("pyod.models.hbos").HBOS()


DETECTORS = {
    "alone": make_forest,
    "in a pipeline": lambda: make_pipeline(StandardScaler(), make_forest()),
    "in a search": lambda: GridSearchCV(make_forest(), {}, **UNSCORED),
    "without tags": WithoutTags,
    "without tags, in a pipeline": lambda: make_pipeline(StandardScaler(), WithoutTags()),
    "without tags, in a search": lambda: GridSearchCV(WithoutTags(), {}, **UNSCORED),
    "PyOD's": make_pyod,
    "PyOD's, in a pipeline": lambda: make_pipeline(StandardScaler(), make_pyod()),
}
# The labels of inliers and outliers
DETECTED = {"-1 and 1": (1, -1), "0 and 1": (0, 1), "booleans": (False, True)}


def make_detector_scorers(model, y, inlier, outlier):
    """Return six to eight scorers, each with its value by hand."""
    if hasattr(model, "score_samples"):
        scores = -model.score_samples(AMONG)
    else:
        scores = model.decision_function(AMONG)  # of PyOD's kind, high for outliers
    of_outliers = average_precision_score(y == outlier, scores)
    of_inliers = average_precision_score(y == inlier, -scores)
    scorers = {
        "default": (ap.make_ap_scorer(), of_outliers),
        "outliers": (ap.make_ap_scorer(pos_label=outlier), of_outliers),
        "inliers": (ap.make_ap_scorer(pos_label=inlier), of_inliers),
        "P@10% of inliers": (
            ap.get_scorer("P@10%", pos_label=inlier),
            ap.precision_at_k_score(y == inlier, -scores, k=0.1),
        ),
        "11-point, rank": (
            ap.make_ap_scorer("11-point", pos_label=outlier, rank=True),
            ap.eleven_point_average_precision_score(y == outlier, scores),
        ),
        "a function": (lambda model, X, y: float(model.predict(X).sum()), None),
    }
    if y.dtype.kind == "i" and y.min() == 0:
        scorers["grades"] = ap.get_scorer("nDCG@10"), ap.ndcg_score(y, scores, k=10)
    if hasattr(model, "score_samples"):
        theirs = partial(make_scorer, average_precision_score, response_method=("score_samples",))
        scorers["scikit-learn's AP"] = theirs(pos_label=inlier), of_inliers
    return scorers


# --- the law -------------------------------------------------------------------------------------


@cache
def fit(kind, name, coding):
    if kind == "detector":
        model = DETECTORS[name]()
        return model.fit(AMONG)
    return clone(CLASSIFIERS[name]).fit(X, encode(coding, POSITIVE))


@cache
def make_scorers(kind, name, coding, positive):
    """Return the model, the samples, and the scorers with their values by hand."""
    model = fit(kind, name, coding if kind == "classifier" else None)
    if kind == "detector":
        inlier, outlier = DETECTED[coding]
        y = np.where(ODD, outlier, inlier)
        return model, AMONG, y, make_detector_scorers(model, y, inlier, outlier)
    y = encode(coding, POSITIVE)
    positive, other = CODINGS[coding][positive], CODINGS[coding][1 - positive]
    return model, X, y, make_classifier_scorers(model, y, positive, other)


def list_cases():
    """Return kind, estimator, coding, and positive class of each case."""
    cases = [
        ("classifier", name, coding, positive)
        for name in CLASSIFIERS
        for coding in CODINGS
        for positive in (0, 1)
    ]
    return cases + [("detector", name, coding, None) for name in DETECTORS for coding in DETECTED]


THEIRS = {"scikit-learn's AP", "scikit-learn's AP of the other", "roc_auc"}


def check_pair(case, first, second):
    """Check that both give together what they give by hand."""
    model, samples, y, scorers = make_scorers(*case)
    scoring = {first: scorers[first][0], second: scorers[second][0]}
    found = check_scoring(model, scoring=scoring)(model, samples, y)
    for name in scoring:
        expected = scorers[name][1]
        if expected is None:
            expected = scorers[name][0](model, samples, y)
        assert found[name] == pytest.approx(expected, rel=1e-12), (case, first, second, name)


def list_cells(case):
    """Return the ordered pairs of scorers, without those of scikit-learn that spoil each other."""
    scorers = make_scorers(*case)[-1]
    return [pair for pair in permutations(scorers, 2) if not set(pair) <= THEIRS]


def test_drawn_pairs():
    """40 cells of the product, drawn from all cases."""
    random = Random(0)
    cases = [case for case in list_cases() if not case[1].startswith("PyOD")]
    for _ in range(40):
        case = random.choice(cases)
        check_pair(case, *random.choice(list_cells(case)))


@pytest.mark.slow
@pytest.mark.parametrize("case", list_cases(), ids=str)
def test_all_pairs(case):
    cells = list_cells(case)
    assert len(cells) >= 30
    for pair in cells:
        check_pair(case, *pair)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("case", list_cases()[::7])
def test_alone(case):
    model, samples, y, scorers = make_scorers(*case)
    for name, (scorer, expected) in scorers.items():
        if expected is not None:
            assert scorer(model, samples, y) == pytest.approx(expected, rel=1e-12), name


@pytest.mark.parametrize("name", [name for name in DETECTORS if not name.startswith("PyOD")])
@pytest.mark.parametrize("pos_label", [None, "odd", "fine"])
def test_a_detector_has_no_side_for_other_labels(name, pos_label):
    model, y = fit("detector", name, None), np.where(ODD, "odd", "fine")
    with pytest.raises(ValueError, match=r"Recode them: .*, np.where\(y == "):
        ap.make_ap_scorer(pos_label=pos_label)(model, AMONG, y)
