"""A scorer gives beside others what it gives alone, and changes nothing for the others."""

import warnings
from contextlib import nullcontext
from functools import lru_cache, partial
from inspect import signature

import numpy as np
import pytest
import sklearn
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.metadata_routing import get_routing_for_object

import sklearn_ap as ap
from sklearn_ap._package import read_toml
from sklearn_ap.scorers import RankingScorer
from sklearn_ap.scorers.metadata_requests import list_requests

X, POSITIVE = make_classification(150, 4, class_sep=0.5, flip_y=0.2, weights=[0.7], random_state=0)
GROUPS = np.arange(len(X)) % 15  # of 10 rows each
LABELS = {  # the labels, and the positive class
    "strings, positive first": (np.where(POSITIVE, "bad", "good"), "bad"),
    "strings, positive last": (np.where(POSITIVE, "sick", "fine"), "sick"),
    "0 and 1": (POSITIVE, 1),
    "0 and 1, positive 0": (1 - POSITIVE, 0),
    "1 and 2": (2 - POSITIVE, 1),
    "-1 and 1": (2 * POSITIVE - 1, 1),
    "-1 and 1, positive -1": (1 - 2 * POSITIVE, -1),
    "booleans": (POSITIVE == 1, True),
    "booleans, positive False": (POSITIVE == 0, False),
}
THREE = np.array(["a", "b", "c"])[POSITIVE + (X[:, 0] > 0)]
OURS = {
    "AP": ap.make_ap_scorer,
    "11-point": partial(ap.get_scorer, "11-point"),
    "probabilities": partial(ap.get_scorer, "P@10%", response_method="predict_proba"),
    "rank": partial(ap.make_ap_scorer, rank=True),
}
OTHERS = ["roc_auc", "accuracy", "balanced_accuracy", "neg_log_loss", "matthews_corrcoef"]
MODELS = {"decision_function": LinearDiscriminantAnalysis(), "predict_proba": GaussianNB()}
CONSUMERS = {
    "cross_validate": lambda model, y, scoring: {
        name.removeprefix("test_"): values
        for name, values in cross_validate(model, X, y, cv=3, scoring=scoring).items()
    },
    "GridSearchCV": lambda model, y, scoring: in_search(GridSearchCV, model, y, scoring),
    "RandomizedSearchCV": lambda model, y, scoring: in_search(
        partial(RandomizedSearchCV, n_iter=2, random_state=0), model, y, scoring
    ),
    "permutation_importance": lambda model, y, scoring: in_permutations(model, y, scoring),
    "check_scoring": lambda model, y, scoring: {
        name: [value]
        for name, value in check_scoring(model, scoring=scoring)(
            fit(model, tuple(y.tolist())), X, y
        ).items()
    },
}


@lru_cache(maxsize=4)
def fit(model, labels):
    return clone(model).fit(X, labels)


def in_search(search, model, y, scoring):
    """Return the values of each fold and candidate, and the ranks by which one is refitted."""
    grid = {"var_smoothing": [1e-9, 10.0]}
    if isinstance(model, LinearDiscriminantAnalysis):
        grid = {"solver": ["lsqr"], "shrinkage": [None, 0.9]}
    of_all = search(model, grid, cv=3, scoring=scoring, refit=False).fit(X, y).cv_results_
    of_scorers = {}
    for name in scoring:
        values = [of_all[f"split{i}_test_{name}"] for i in range(3)]
        of_scorers[name] = [*np.ravel(values), *of_all[f"rank_test_{name}"]]
    return of_scorers


def in_permutations(model, y, scoring):
    fitted = clone(model).fit(X, y)
    options = {"scoring": scoring, "n_repeats": 2, "random_state": 0}
    found = permutation_importance(fitted, X, y, **options)
    return {name: found[name].importances.ravel() for name in scoring}


@pytest.fixture(autouse=True, scope="module")
def folds_without_k_positives():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "k=.* exceeds")
        yield


def check_company(consumer, model, y, scorers):
    """Check that scorers give together, in both orders, what each gives alone."""
    names = list(scorers)
    alone = {name: CONSUMERS[consumer](model, y, {name: scorers[name]})[name] for name in names}
    for order in (names, names[::-1]):
        together = CONSUMERS[consumer](model, y, {name: scorers[name] for name in order})
        for name in names:
            np.testing.assert_array_equal(together[name], alone[name], err_msg=f"{name}, {order}")
            assert np.isfinite(alone[name]).all()


@pytest.mark.sweep(8)
@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("labels", ["strings, positive first", "0 and 1, positive 0", "1 and 2"])
def test_consumers_of_a_dict(consumer, labels):
    y, pos_label = LABELS[labels]
    scoring = {"ours": OURS["AP"](pos_label=pos_label), "roc_auc": get_scorer("roc_auc")}
    check_company(consumer, MODELS["predict_proba"], y, scoring)


@pytest.mark.slow
@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("method", MODELS)
def test_consumers_of_a_dict_of_all_scorers(consumer, labels, method):
    y, pos_label = LABELS[labels]
    others = {other: get_scorer(other) for other in OTHERS}
    for name in OURS:
        scoring = {"ours": OURS[name](pos_label=pos_label), **others}
        check_company(consumer, MODELS[method], y, scoring)


@pytest.mark.parametrize("consumer", ["cross_validate", "check_scoring"])
def test_several_classes_and_a_pipeline_in_company(consumer):
    ours = ap.make_ap_scorer(classes=[*"cab"])
    others = {"accuracy": "accuracy", "auc": "roc_auc_ovr", "loss": "neg_log_loss"}
    others = {name: get_scorer(other) for name, other in others.items()}
    check_company(consumer, GaussianNB(), THREE, {"ours": ours, **others})
    y, pos_label = LABELS["strings, positive first"]
    two = {"ours": ap.make_ap_scorer(pos_label=pos_label), "roc_auc": get_scorer("roc_auc")}
    check_company(consumer, make_pipeline(StandardScaler(), LogisticRegression()), y, two)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("labels", LABELS)
def test_map_scorers_in_company(labels):
    y, pos_label = LABELS[labels]
    with config_context(enable_metadata_routing=True):
        scoring = {"map": ap.get_scorer("MAP@5", pos_label=pos_label), "auc": "roc_auc"}
        run = partial(
            cross_validate, GaussianNB(), X, y, cv=GroupKFold(3), params={"groups": GROUPS}
        )
        alone = {name: run(scoring={name: scoring[name]})[f"test_{name}"] for name in scoring}
        for order in (["map", "auc"], ["auc", "map"]):
            found = run(scoring={name: scoring[name] for name in order})
            for name in order:
                np.testing.assert_array_equal(found[f"test_{name}"], alone[name])


# How often an estimator predicts


class Counting(DecisionTreeClassifier):
    calls = 0

    def predict_proba(self, X):
        type(self).calls += 1
        return super().predict_proba(X)


def predictions(y, scoring):
    model = Counting(max_depth=3, random_state=0).fit(X, y)
    Counting.calls = 0
    check_scoring(model, scoring=scoring)(model, X, y)
    return Counting.calls


@pytest.mark.parametrize("labels", ["0 and 1", "-1 and 1", "booleans"])
def test_of_two_classes_each_scorer_predicts_for_itself(labels):
    """What scikit-learn keeps for the others may be the scores of the other class."""
    y, pos_label = LABELS[labels]
    ours = {name: ap.get_scorer(name, pos_label=pos_label) for name in ("AP", "P@5", "11-point")}
    assert predictions(y, ours) == 3
    for scoring in ({"auc": "roc_auc", **ours}, {**ours, "auc": "roc_auc"}):
        assert predictions(y, scoring) == 4
    assert predictions(y, ap.make_multi_scorer({"auc": "roc_auc", **ours})) == 1


@pytest.mark.parametrize("options", [{}, {"pos_label": "a"}, {"pos_label": "c"}])
def test_several_classes_share_predictions(options):
    """All columns are predicted, whichever class is evaluated."""
    scoring = {
        "auc": "roc_auc_ovr",
        "ap": ap.get_scorer("AP", **options),
        "p": ap.get_scorer("P@5"),
    }
    assert predictions(THREE, scoring) == 1


def test_scikit_learn_calls_the_method_that_is_overridden(monkeypatch):
    """If this fails in a new release, dicts of scorers are mixed up again."""
    called = []
    score = RankingScorer._score
    monkeypatch.setattr(
        RankingScorer,
        "_score",
        lambda self, *args, **kw: called.append(1) or score(self, *args, **kw),
    )
    predictions(POSITIVE, {"auc": "roc_auc", "ap": ap.get_scorer("AP")})
    assert called == [1]


@pytest.mark.parametrize("labels", LABELS)
def test_a_multi_scorer_predicts_once(labels):
    y, pos_label = LABELS[labels]
    several = ap.make_multi_scorer(
        ["AP", "P@10%", "11-point", "roc_auc", "neg_log_loss"], pos_label=pos_label
    )
    model = Counting(max_depth=3, random_state=0).fit(X, y)
    Counting.calls = 0
    found = several(model, X, y)
    assert Counting.calls == 1
    for name, value in found.items():
        assert value == several.scorers[name](model, X, y)


def test_a_multi_scorer_hands_other_callables_the_estimator_itself():
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, POSITIVE)
    several = ap.make_multi_scorer({"ap": "AP", "own": lambda estimator, X, y: estimator is model})
    assert several(model, X, POSITIVE)["own"] is True


# A positive class beside names of scikit-learn


@pytest.mark.parametrize("other", OTHERS)
def test_scorers_of_scikit_learn_that_name_no_class_beside_a_positive_class(other):
    y, pos_label = LABELS["strings, positive first"]
    several = ap.make_multi_scorer(["AP", other], pos_label=pos_label)
    for model in MODELS.values():
        fitted = clone(model).fit(X, y)
        assert several(fitted, X, y)[other] == get_scorer(other)(fitted, X, y)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", sklearn.metrics.get_scorer_names())
def test_scorers_of_scikit_learn_that_name_a_class_are_refused_beside_another(name):
    theirs = get_scorer(name)
    parameters = signature(theirs._score_func).parameters
    is_of_class_1 = "pos_label" in parameters and "pos_label" not in theirs._kwargs
    if name == "average_precision":  # which is ours
        assert is_of_class_1
        return
    assert (name in read_toml("_words/messages.toml")["of_class_1"]) == is_of_class_1
    if not is_of_class_1:
        assert name in ap.make_multi_scorer(["AP", name], pos_label="bad").scorers
        return
    assert name in ap.make_multi_scorer(["AP", name]).scorers
    with pytest.raises(ValueError, match=f"'bad' doesn't reach .*'{name}': make_scorer") as error:
        ap.make_multi_scorer(["AP", name], pos_label="bad")
    # What the error says to pass instead gives what scikit-learn's function gives.
    code = str(error.value).partition(f"'{name}': ")[2].removesuffix(" of sklearn.metrics.")
    advised = eval(code, vars(sklearn.metrics))
    y, pos_label = LABELS["strings, positive first"]
    model, last = GaussianNB().fit(X, y), np.where(POSITIVE, 1, 0)
    several = ap.make_multi_scorer({"AP": "AP", name: advised}, pos_label=pos_label)
    assert several(model, X, y)[name] == pytest.approx(
        theirs(GaussianNB().fit(X, last), X, last), rel=1e-12
    )


# Metadata requests


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_requests_that_are_not_named_stay():
    by_group = ap.get_scorer("P@3").set_score_request(groups=True)
    before = by_group(*(fitted := (GaussianNB().fit(X, POSITIVE), X, POSITIVE)), groups=GROUPS)
    several = ap.make_multi_scorer({"p3": by_group, "ap": "AP"}).set_score_request(
        sample_weight=True
    )
    weights = np.ones(len(X))
    found = several(*fitted, groups=GROUPS, sample_weight=weights)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "k=.*counts weight")
        assert found["p3"] == pytest.approx(before)
    mean = ap.get_scorer("MAP@5").set_score_request(sample_weight=True)
    found = cross_val_score(
        GaussianNB().set_fit_request(sample_weight=True),
        X,
        POSITIVE,
        scoring=mean,
        cv=GroupKFold(3),
        params={"groups": GROUPS, "sample_weight": weights},
    )
    alone = ap.get_scorer("MAP@5")
    plain = cross_val_score(
        GaussianNB(), X, POSITIVE, scoring=alone, cv=GroupKFold(3), params={"groups": GROUPS}
    )
    assert found == pytest.approx(plain)
    renamed = ap.get_scorer("MAP", groups="query").set_score_request(sample_weight="w")
    renamed.set_score_request(sample_weight=False)
    assert list_requests(renamed) == {"groups": "query", "sample_weight": False}


@pytest.mark.usefixtures("routing")
def test_a_missing_request_raises_what_a_dict_raises():
    model = GaussianNB().set_fit_request(sample_weight=True)
    each = {"ap": ap.get_scorer("AP"), "acc": get_scorer("accuracy")}
    raises = partial(pytest.raises, UnsetMetadataPassedError, match="sample_weight")
    if "sample_weight" not in get_routing_for_object(each["acc"]).score.requests:
        raises = nullcontext  # no scorer of older releases mentions weights
    for scoring in (each, ap.make_multi_scorer(each), each["ap"]):
        search = GridSearchCV(
            model, {}, scoring=scoring, refit="ap" if scoring != each["ap"] else True
        )
        with raises():
            search.fit(X, POSITIVE, sample_weight=np.ones(len(X)))
        with raises():
            cross_validate(
                model, X, POSITIVE, scoring=scoring, params={"sample_weight": np.ones(len(X))}
            )
    answered = ap.make_multi_scorer(each).set_score_request(sample_weight=False)
    search = GridSearchCV(model, {}, scoring=answered, refit="ap")
    assert np.isfinite(search.fit(X, POSITIVE, sample_weight=np.ones(len(X))).best_score_)


@pytest.mark.usefixtures("routing")
def test_groups_that_nobody_requests_are_missed_in_words():
    mean = ap.make_ap_scorer("MAP", groups=False)
    with pytest.raises(ValueError, match=r"set_score_request\(groups=True\)") as error:
        mean(GaussianNB().fit(X, POSITIVE), X, POSITIVE)
    assert "set_config" not in str(error.value)


# Errors say what to write


def test_a_label_that_the_estimator_does_not_know():
    """Both classes are named, as nobody knows which of them is the positive one."""
    y, _ = LABELS["strings, positive first"]
    model = GaussianNB().fit(X, y)
    with pytest.raises(ValueError, match="pos_label=1 is not a valid label") as error:
        ap.get_scorer("AP@20")(model, X, y)
    first_line, details = str(error.value).splitlines()
    assert first_line == "Pass pos_label=, the class to rank first, when you make the scorer."
    advice = details.partition("Write ")[2].removesuffix(".").split(" or ")
    at_20 = "make_ap_scorer('average_precision_at_k', k=20, pos_label="
    assert advice == [f"{at_20}'bad')", f"{at_20}'good')"]
    for code in advice:
        assert 0 < eval(code, {"make_ap_scorer": ap.make_ap_scorer})(model, X, y) <= 1
    encoded = GaussianNB().fit(X, POSITIVE)  # as meta-estimators do
    with pytest.raises(ValueError, match=r"pos_label=bad.*fitted on \[0, 1\], .* encode") as error:
        ap.make_ap_scorer(pos_label="bad")(encoded, X, POSITIVE)
    assert "make_ap_scorer" not in str(error.value)


def test_classes_of_any_kind():
    """A KeyError of a Series would be that of this package."""
    y, _ = LABELS["strings, positive first"]
    model = GaussianNB().fit(X, y)
    expected = ap.make_ap_scorer(pos_label="good")(model, X, y)
    model.classes_ = pytest.importorskip("pandas").Series(model.classes_, index=[7, 8])
    assert ap.make_ap_scorer(pos_label="good")(model, X, y) == expected


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(
    "make",
    [
        lambda: ap.get_scorer("MAP@5", pos_label="bad").set_score_request(groups="g"),
        lambda: ap.get_scorer("MRR", sample_weight="w").set_score_request(groups=False),
        lambda: ap.get_scorer("P@3").set_score_request(groups=True, sample_weight=False),
        lambda: ap.make_multi_scorer(["AP", "MAP"]).set_score_request(sample_weight=True),
    ],
)
def test_reprs_have_the_requests(make):
    scorer = make()
    made = eval(repr(scorer), vars(ap))
    assert repr(made) == repr(scorer)
    assert str(get_routing_for_object(made)) == str(get_routing_for_object(scorer))


def test_several_metrics_where_one_value_is_needed():
    several = ap.make_multi_scorer(["AP", "P@10%"])
    with pytest.raises(TypeError, match=r"as in scoring=scorer\.scorers\['AP'\]"):
        several._score_func  # noqa: B018
    assert LogisticRegressionCV(Cs=2, scoring=several.scorers["AP"])


def test_refit_takes_what_was_typed():
    typed = ["AP", "AP@10", "P@1%", "11-point", "roc_auc", ap.metric("R@5%")]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "k=.* exceeds")
        for name in [*typed[:-1], "recall_at_5_percent"]:
            search = GridSearchCV(
                GaussianNB(), {}, cv=2, scoring=ap.make_multi_scorer(typed), refit=name
            ).fit(X, POSITIVE)
            assert search.best_score_ == search.cv_results_[f"mean_test_{name}"][0]
