"""A metric function, or a `metric()` object, as `scoring=` is what `make_ap_scorer` makes of it.

scikit-learn knows its own metric functions by their module, and refuses them. It would make nan of
the errors of ours, and choose by that.
"""

from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import pytest
import sklearn
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import average_precision_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.naive_bayes import GaussianNB

import sklearn_ap as ap

from .registry import METRICS, required

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
N = 90
X, Y = make_classification(N, 4, n_redundant=0, class_sep=0.5, flip_y=0.2, random_state=0)
WEIGHTS = np.random.default_rng(0).integers(1, 5, N) / 2
GROUPS = np.arange(N) % 10
CV = StratifiedKFold(3)
routed = partial(config_context, enable_metadata_routing=True)


class Case(NamedTuple):
    model: Any
    y: Any
    grid: dict[str, list[Any]]
    pos_label: Any = None


CASES = {
    "0 and 1": Case(LogisticRegression(), Y, {"C": [0.01, 1.0]}),
    "text": Case(LogisticRegression(), np.where(Y, "bad", "good"), {"C": [0.01, 1.0]}, "bad"),
    "detector": Case(
        IsolationForest(n_estimators=9, random_state=0),
        np.where(np.arange(N) % 5, 1, -1),
        {"n_estimators": [3, 9]},
    ),
}
# What is passed, and how its scorer is made
PASSED = {
    "function": (ap.average_precision_score, ap.make_ap_scorer),
    "function with its default k": (
        ap.average_precision_at_k_score,
        partial(ap.make_ap_scorer, "average_precision_at_k", k=10),
    ),
    "object": (ap.metric("11-point"), partial(ap.get_scorer, "11-point")),
}


# --- the ways ------------------------------------------------------------------------------------


def score_folds(case, scoring, params):
    options = {"params": params} if params else {}
    return cross_val_score(
        case.model, X, case.y, cv=CV, scoring=scoring, error_score="raise", **options
    )


def validate_with_a_dict(case, scoring, params):
    options = {"params": params} if params else {}
    scorers = {"ours": scoring, "other": ap.make_ap_scorer(pos_label=case.pos_label)}
    found = cross_validate(
        case.model, X, case.y, cv=CV, scoring=scorers, error_score="raise", **options
    )
    return found["test_ours"]


def search(kind, case, scoring, params):
    found = kind(case.model, case.grid, cv=CV, scoring=scoring, error_score="raise")
    results = found.fit(X, case.y, **params).cv_results_
    return [results[f"split{fold}_test_score"] for fold in range(3)]


def learn(case, scoring, params):
    return learning_curve(case.model, X, case.y, cv=CV, scoring=scoring, train_sizes=[50])[2]


def vary(case, scoring, params):
    ((name, values),) = case.grid.items()
    options = {"param_name": name, "param_range": values, "error_score": "raise"}
    return validation_curve(case.model, X, case.y, cv=CV, scoring=scoring, **options)[1]


def select_features(case, scoring, params):
    selector = SequentialFeatureSelector(case.model, n_features_to_select=1, cv=CV, scoring=scoring)
    return selector.fit(X, case.y).get_support()


def eliminate_features(case, scoring, params):
    return RFECV(case.model, cv=CV, scoring=scoring).fit(X, case.y).cv_results_["mean_test_score"]


def permute_columns(case, scoring, params):
    options = {"n_repeats": 2, "random_state": 0}
    fitted = clone(case.model).fit(X, case.y)
    return permutation_importance(
        fitted, X, case.y, scoring=scoring, **options, **params
    ).importances


def permute_labels(case, scoring, params):
    options = {"cv": CV, "n_permutations": 2, "random_state": 0}
    return permutation_test_score(case.model, X, case.y, scoring=scoring, **options)[1]


def regress(case, scoring, params):
    scores = LogisticRegressionCV(Cs=[0.01, 1.0], cv=CV, scoring=scoring).fit(X, case.y).scores_
    return np.ravel(next(iter(scores.values())) if isinstance(scores, dict) else scores)


def watch_epochs(case, scoring, params):
    """Return what skorch's callback writes into the history of a net."""
    torch, skorch = pytest.importorskip("torch"), pytest.importorskip("skorch")
    from skorch.callbacks import EpochScoring

    torch.manual_seed(0)
    watch = EpochScoring(scoring, lower_is_better=False, name="ours", use_caching=False)
    module = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Softmax(dim=-1))
    net = skorch.NeuralNetClassifier(
        module, max_epochs=2, callbacks=[watch], verbose=0, classes=np.unique(case.y)
    )
    return net.fit(X.astype("float32"), Y.astype("int64")).history[:, "ours"]


WAYS = {
    "cross_val_score": score_folds,
    "cross_validate": validate_with_a_dict,
    "learning_curve": learn,
    "validation_curve": vary,
    "SequentialFeatureSelector": select_features,
    "GridSearchCV": partial(search, GridSearchCV),
    "RandomizedSearchCV": partial(search, partial(RandomizedSearchCV, n_iter=2, random_state=0)),
    "RFECV": eliminate_features,
    "permutation_importance": permute_columns,
    "permutation_test_score": permute_labels,
    "LogisticRegressionCV": regress,
    "EpochScoring": watch_epochs,
}
OF_CLASSIFIERS = {"SequentialFeatureSelector", "RFECV", "LogisticRegressionCV", "EpochScoring"}
TAKE_WEIGHTS = {
    *("cross_val_score", "cross_validate", "GridSearchCV", "RandomizedSearchCV"),
    "permutation_importance",
}
CELLS = [
    (way, labels, passed, weighted, on)
    for way in WAYS
    for labels in CASES
    for passed in PASSED
    for weighted in (False, True)
    for on in (False, True)
    if (labels != "detector" or way not in OF_CLASSIFIERS)
    and (not weighted or way in TAKE_WEIGHTS)
    and (labels != "text" or way != "EpochScoring")  # skorch takes numbers
]


def find_outcome(way, case, scoring, params):
    """Return the values, or the type of the error."""
    try:
        return np.asarray(WAYS[way](case, scoring, params), dtype=float)
    except (TypeError, UnsetMetadataPassedError, ValueError) as error:
        return type(error)


@pytest.mark.sweep(48)
@pytest.mark.filterwarnings(
    "ignore:k=.* exceeds",
    "ignore:k=.* counts weight",
    "ignore:The default value for l1_ratios:FutureWarning",
    "ignore:The fitted attributes of LogisticRegressionCV:FutureWarning",
)
@pytest.mark.parametrize(("way", "labels", "passed", "weighted", "on"), CELLS)
def test_a_metric_gives_what_its_scorer_gives(way, labels, passed, weighted, on):
    case = CASES[labels]
    metric, make_scorer = PASSED[passed]
    if case.pos_label is None:
        scorer = make_scorer()
    else:
        metric = partial(metric, pos_label=case.pos_label)
        scorer = make_scorer(pos_label=case.pos_label)
    params = {"sample_weight": WEIGHTS} if weighted else {}
    with config_context(enable_metadata_routing=on):
        if weighted and on:
            case = case._replace(model=clone(case.model).set_fit_request(sample_weight=True))
        expected = find_outcome(way, case, scorer, params)
        found = find_outcome(way, case, metric, params)
    encodes = way == "LogisticRegressionCV" and VERSION < (1, 8) and labels == "text"
    if not isinstance(expected, type):
        assert not encodes
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    elif weighted and on and case.pos_label is not None:
        # A partial has no requests, so the weights reach the model alone.
        with routed():
            without_weights = scorer.set_score_request(sample_weight=False)
            expected = find_outcome(way, case, without_weights, params)
        if isinstance(expected, type):  # raised by the other scorer of a dict
            assert found is expected
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    else:
        assert encodes or (weighted and on)
        assert found is expected


# --- one metric ----------------------------------------------------------------------------------

TWO = np.arange(N) % 3 == 0
FITTED = GaussianNB().fit(X, TWO)
AS_SCORING = [
    *((getattr(ap, row.score), required(row)) for row in METRICS.values() if row.metric != "ndcg"),
    (ap.average_precision_score, {"pos_label": False}),
    (ap.precision_at_k_score, {"k": 0.2, "ties": "expected"}),
]


@pytest.mark.filterwarnings("ignore:k=.* exceeds")
@pytest.mark.parametrize(("metric", "options"), AS_SCORING)
def test_a_metric_as_scoring_is_its_scorer(metric, options):
    """scikit-learn refuses its own functions, and would make nan of errors of ours."""
    scoring = partial(metric, **options) if options else metric
    name = metric.__name__.removesuffix("_score")
    default = signature(metric).parameters.get("k")
    k = {} if default is None or default.default is None else {"k": default.default}
    if name == "mean_average_precision":
        with pytest.raises(RuntimeError, match=r"pass scoring=make_ap_scorer\('mean_average_prec"):
            scoring(FITTED, X, TWO)
        return
    scorer = ap.make_ap_scorer(name, **k | options)
    assert scoring(FITTED, X, TWO) == scorer(FITTED, X, TWO)
    assert repr(ap.get_scorer(metric, **options)) == repr(scorer)
    several = ap.make_multi_scorer({"it": metric} if not options else {"it": scorer})
    assert several(FITTED, X, TWO) == {"it": scorer(FITTED, X, TWO)}
    made = ap.metric(name, **k | {o: v for o, v in options.items() if o != "pos_label"})
    if "pos_label" not in options:
        assert made(FITTED, X, TWO) == scorer(FITTED, X, TWO)


def test_consumers_take_a_metric_as_scoring():
    labels = np.where(TWO, "bad", "good")
    metric = partial(ap.average_precision_score, pos_label="bad")
    scorer = ap.make_ap_scorer(pos_label="bad")
    model, given = GaussianNB(), {"cv": 3, "error_score": "raise"}
    results = [
        cross_validate(model, X, labels, scoring={"ours": each, "auc": "roc_auc"}, **given)
        for each in (metric, scorer)
    ]
    for name in ("test_ours", "test_auc"):
        np.testing.assert_allclose(results[0][name], results[1][name])
    grid = {"var_smoothing": [1e-9, 1.0]}
    searches = [
        GridSearchCV(model, grid, scoring=each, **given).fit(X, labels) for each in (metric, scorer)
    ]
    np.testing.assert_allclose(*(search.cv_results_["mean_test_score"] for search in searches))


def test_a_metric_as_scoring_has_the_requests_of_its_scorer():
    groups = np.arange(N) % 4
    with routed():
        given = {"cv": GroupKFold(2), "params": {"groups": groups}, "error_score": "raise"}
        np.testing.assert_allclose(
            cross_val_score(GaussianNB(), X, TWO, scoring=ap.mean_average_precision_score, **given),
            cross_val_score(GaussianNB(), X, TWO, scoring=ap.get_scorer("MAP"), **given),
        )
        # Before scikit-learn 1.9, no scorer mentions weights, so they are routed to nobody.
        with pytest.raises((UnsetMetadataPassedError, TypeError), match="sample_weight"):
            cross_val_score(
                GaussianNB().set_fit_request(sample_weight=False),
                *(X, TWO),
                scoring=ap.average_precision_score,
                params={"sample_weight": np.ones(N)},
                error_score="raise",
            )


@pytest.mark.parametrize(
    ("options", "words"),
    [({"n_positives": 3}, "each fold has its own positives"), ({"average": None}, "single value")],
)
def test_what_a_metric_as_scoring_refuses(options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        partial(ap.average_precision_score, **options)(FITTED, X, TWO)


def test_scikit_learn_refuses_its_own_function_and_takes_ours():
    labels = np.where(TWO, "bad", "good")
    run = partial(cross_val_score, GaussianNB(), X, error_score="raise")
    with pytest.raises(ValueError, match="looks like it is a metric function"):
        run(TWO, scoring=average_precision_score)
    with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
        run(labels, scoring=ap.average_precision_score)
    expected = run(TWO, scoring="average_precision")
    np.testing.assert_allclose(run(TWO, scoring=ap.average_precision_score), expected)
    bad = partial(ap.average_precision_score, pos_label="bad")
    np.testing.assert_allclose(run(labels, scoring=bad), expected)


def test_means_over_groups_need_routing():
    for metric, words in (
        (ap.mean_average_precision_score, r"scoring=make_ap_scorer\('mean_average_precision'\)"),
        (ap.metric("MAP@5"), r"scoring=make_ap_scorer\('mean_average_precision', k=5\)"),
    ):
        with pytest.raises(RuntimeError, match=f"needs the groups .*enable_.*{words}"):
            cross_val_score(GaussianNB(), X, TWO, scoring=metric, error_score="raise")


@pytest.mark.parametrize("name", ["groups", "sample_weight"])
@pytest.mark.parametrize("on", [False, True])
def test_columns_of_data_are_no_options(name, on):
    """They have a value for each row, and a fold has only some of the rows."""
    column = {name: GROUPS}
    for metric in (
        partial(ap.precision_at_k_score, k=5, **column),
        ap.metric("P@5", **column),
        partial(ap.metric("P@5"), **column),
    ):
        refuses = pytest.raises(TypeError, match=rf"{name} cannot .* Pass scoring=make_")
        with config_context(enable_metadata_routing=on), refuses as error:
            cross_val_score(GaussianNB(), X, TWO, scoring=metric, error_score="raise")
        code = str(error.value).partition("scoring=make")[2].partition("), ")[0]
        with routed():
            made = eval(f"make{code})", {"make_ap_scorer": ap.make_ap_scorer})
        assert made.requests == {name: True}
        assert made.metric.all_options == {"k": 5}


@pytest.mark.parametrize("metric", [ap.average_precision_score, ap.metric("AP@10")])
def test_thresholds_are_not_tuned_by_a_metric(metric):
    tuned = TunedThresholdClassifierCV(GaussianNB(), scoring=metric, cv=3)
    if VERSION < (1, 9):  # These take no function at all, and fail before they call it.
        refuses = pytest.raises(AttributeError, match="has no attribute '_")
    else:
        refuses = pytest.raises(
            ValueError, match=r"can't tune a ranking.*sklearn_ap\.operating_point"
        )
    with refuses:
        tuned.fit(X, TWO)


def test_what_other_tools_read_of_a_scorer():
    """skorch names a score by `_score_func.__name__`, and reads its sign.

    deepchecks names a scorer by it, too, and passes `_kwargs` on.
    """
    scorer = ap.make_ap_scorer("P@10", pos_label="bad")
    assert scorer._score_func.__name__ == "precision_at_10_pos_label_bad"
    assert scorer._sign == 1
    assert scorer._kwargs == {"pos_label": "bad"}
    labels = np.where(TWO, "bad", "good")
    scores = FITTED.predict_proba(X)[:, 1]
    value = scorer._sign * scorer._score_func(labels, scores, **scorer._kwargs)
    assert value == ap.precision_at_k_score(TWO, scores, k=10)
    lower = ap.make_ap_scorer(ap.metric(lambda y, s: 0.25, name="loss", greater_is_better=False))
    assert lower._sign == -1
