"""Scorers: their names, what they refuse and report, and that copies of them don't change."""

import copy
import pickle
import pickletools
import re
from contextlib import nullcontext
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from functools import partial
from inspect import signature
from io import BytesIO
from itertools import product
from math import nan
from warnings import catch_warnings, simplefilter
from zipfile import ZipFile

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.metadata_routing import get_routing_for_object

import sklearn_ap as ap
from sklearn_ap._inputs.metric_names import parse_metric_name
from sklearn_ap.core.rules import Graded
from sklearn_ap.scorers.binding import evaluate_in_tool

from . import oracle, registry
from .oracle import near
from .registry import DEFINITIONS, chosen, definition_of, exact, exact_graded, in_groups, key_of

X, Y = make_classification(80, 4, class_sep=0.5, flip_y=0.3, weights=[0.6], random_state=2)
NAMES = np.where(Y == 1, "fraud", "legit")
LETTERS = np.array(["a", "b", "c"])[Y + (X[:, 0] > 0)]
GROUPS = np.arange(80) // 8  # each holds positives
MODEL = GaussianNB().fit(X, Y)
SCORES = MODEL.predict_proba(X)[:, 1]
BY_NAME = GaussianNB().fit(X, NAMES)
BY_LETTER = GaussianNB().fit(X, LETTERS)

# Every metric, with its options that have no default.
NEEDED = {metric: chosen(row) for metric, row in registry.METRICS.items()}
RULE = {metric: row.rule(**NEEDED[metric]) for metric, row in registry.METRICS.items()}
METRICS = {m: partial(oracle.RULES[key_of(rule)], **asdict(rule)) for m, rule in RULE.items()}
WEIGHTED = [metric for metric, rule in RULE.items() if rule.takes_weights]
SCORERS = {
    "plain": partial(ap.make_ap_scorer),
    "options": partial(ap.make_ap_scorer, "average_precision_at_k", k=7, ties="expected"),
    "label": partial(ap.make_ap_scorer, "interpolated_average_precision", pos_label="fraud"),
    "classes": partial(ap.make_ap_scorer, classes=["a", "b", "c"]),
    "rank": partial(ap.make_ap_scorer, rank=True),
    "name": partial(ap.get_scorer, "precision_at_7"),
    "one class": partial(ap.make_ap_scorer, pos_label="b", classes=["c", "a", "b"]),
    "outliers": partial(ap.make_ap_scorer, "average_precision_at_k", k=5),
    "map": partial(ap.make_ap_scorer, "MAP", k=3, groups="query_id", sample_weight=True),
    "several": partial(ap.make_multi_scorer, {"a": ap.make_ap_scorer(), "b": "recall_at_10"}),
}
routed = partial(config_context, enable_metadata_routing=True)
DATA = {"label": (BY_NAME, X, NAMES)}
DATA |= dict.fromkeys(["classes", "one class"], (BY_LETTER, X, LETTERS))
DATA["outliers"] = (IsolationForest(n_estimators=9, random_state=0).fit(X), X, 1 - 2 * Y)
each_scorer = pytest.mark.parametrize("kind", SCORERS)
COPIES = {
    "pickle": lambda scorer: pickle.loads(pickle.dumps(scorer)),
    "cloudpickle": lambda scorer: pickle.loads(pytest.importorskip("cloudpickle").dumps(scorer)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "clone": partial(clone, safe=False),
    "clone of a search": lambda scorer: clone(GridSearchCV(MODEL, {}, scoring=scorer)).scoring,
}


def value(scorer, kind=None):
    if kind != "map":
        return scorer(*DATA.get(kind, (MODEL, X, Y)))
    with routed():
        return scorer(MODEL, X, Y, groups=GROUPS, sample_weight=Y + 1.0)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ap.get_scorer_names())
def test_a_listed_name_gives_the_value_of_its_rule(name):
    with routed(), catch_warnings():
        scorer, named = ap.get_scorer(name), parse_metric_name(name)
        in_logs = name.replace("eleven", "11").replace("%", "_percent")  # MLflow refuses "%"
        assert scorer.__name__ == in_logs
        assert repr(ap.get_scorer(in_logs)) == repr(scorer)
        simplefilter("ignore", UserWarning)  # k may exceed the data
        if isinstance(named.rule(), Graded):
            for option, labels in (("pos_label", "fraud"), ("classes", [0, 1, 2])):
                why = f"{option} is not available for .* reads grades"
                with pytest.raises(ValueError, match=why):
                    ap.get_scorer(name, **{option: labels})
        else:
            arrange_by_label = ap.get_scorer(name, pos_label="fraud")
        if named.is_mean:
            expected = in_groups(named.rule(), Y, SCORES, GROUPS)
            assert scorer(MODEL, X, Y, groups=GROUPS) == near(expected)
            assert arrange_by_label(BY_NAME, X, NAMES, groups=GROUPS) == near(expected)
        elif isinstance(named.rule(), Graded):
            order = Y[np.argsort(-SCORES)].tolist()
            assert scorer(MODEL, X, Y) == near(exact_graded(named.rule(), order))
            assert scorer(MODEL, X, 2 * Y) == scorer(MODEL, X, Y)
        else:
            assert scorer(MODEL, X, Y) == near(exact(named.rule(), Y, SCORES))
            assert arrange_by_label(BY_NAME, X, NAMES) == scorer(MODEL, X, Y)


def test_every_definition_is_among_the_names():
    assert ap.get_scorer_names() == sorted({*ap.get_scorer_names()})
    named = [each for each in map(parse_metric_name, ap.get_scorer_names()) if not each.is_mean]
    listed = {definition_of(each.rule())[0] for each in named}
    assert listed >= {row.name for row in DEFINITIONS.values() if row.score}


@pytest.mark.parametrize("name", ["roc_auc", "neg_log_loss", "f1_macro", "r2"])
def test_names_of_scikit_learn_give_its_scorers(name):
    scorer = ap.get_scorer(name)
    assert repr(scorer) == repr(sklearn.metrics.get_scorer(name))
    plain = sklearn.metrics.average_precision_score  # which isn't ours of that name
    assert [ap.get_scorer(each) for each in (scorer, plain)] == [scorer, plain]
    ours, theirs = ap.get_scorer("average_precision"), sklearn.metrics.get_scorer
    assert repr(ours) == "make_ap_scorer('average_precision')"  # which both know
    assert ours(MODEL, X, Y) == near(theirs("average_precision")(MODEL, X, Y))


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        (ap.make_ap_scorer(pos_label="fraud"), "average_precision"),
        (ap.make_ap_scorer("recall_at_k", k=3), "recall_at_3"),
        (partial(ap.make_ap_scorer, "MAP", k=0.2), "mean_average_precision_at_20_percent"),
        (partial(ap.make_ap_scorer, "MRR"), "mean_reciprocal_rank"),
        (ap.make_ap_scorer("precision_at_k", k=1.0), "precision_at_100_percent"),
        (ap.make_ap_scorer("precision_at_k", k=1), "precision_at_1"),
        (ap.make_ap_scorer("precision_at_recall", min_recall=0.9), "precision_at_recall_0.9"),
        (ap.make_ap_scorer("51-point"), "51_point_average_precision"),
        (ap.make_multi_scorer({"a": "recall_at_3", "b": "roc_auc"}), "a_and_b"),
    ],
)
def test_name(scorer, name):
    with routed():
        made = scorer() if isinstance(scorer, partial) else scorer
    assert made.__name__ == name


with routed():
    MANY = [*map(ap.get_scorer, ap.get_scorer_names()), ap.make_ap_scorer("MAP", k=5)]
MANY += [ap.make_ap_scorer(pos_label=label) for label in (1, -1)]
MANY += [ap.make_ap_scorer(name) for name in ("AP@5", "AP@6", "AP@5%")]
MANY += [ap.make_ap_scorer("AP@5", ties="best", **more) for more in ({}, {"denominator": "k"})]
MANY += [ap.make_ap_scorer(pos_label=label) for label in ("card: fraud", 0)]
MANY += [ap.make_ap_scorer(zero_division=nan)]


@pytest.mark.parametrize("way", COPIES)
def test_no_two_scorers_call_functions_of_one_name(way):
    # TPOT and skore distinguish scorers by this name, and fail if two names are equal.
    names = [COPIES[way](scorer)._score_func.__name__ for scorer in MANY]
    assert len(set(names)) == len(names)
    assert names == [scorer._score_func.__name__ for scorer in MANY]
    assert not any(set(name) & set(" :\t\n") for name in names)
    default = ap.make_ap_scorer("average_precision_at_3", ties="grouped")
    assert default._score_func.__name__ == "average_precision_at_3"


def test_request_of_one_scorer_leaves_the_next_alone():
    with routed():
        scorer = ap.get_scorer("recall_at_3").set_score_request(sample_weight="w")
    assert get_routing_for_object(scorer).score.requests == {"sample_weight": "w"}
    assert "'w'" not in str(get_routing_for_object(ap.get_scorer("recall_at_3")))


@pytest.mark.sweep(5)
@each_scorer
@pytest.mark.parametrize("way", COPIES)
def test_copy_is_the_same_scorer(kind, way):
    with routed():
        scorer = SCORERS[kind]()
    copied = COPIES[way](scorer)
    assert repr(copied) == repr(scorer)
    assert copied.__name__ == scorer.__name__
    assert str(get_routing_for_object(copied)) == str(get_routing_for_object(scorer))
    assert value(copied, kind) == value(scorer, kind)


@pytest.mark.parametrize("metric", ["MAP", "MRR@5", "AP", "P@3", "nDCG"])
@pytest.mark.parametrize(
    ("options", "requests"),
    [
        ({}, {}),
        ({"groups": "query_id"}, {"groups": "query_id"}),
        ({"sample_weight": True}, {"sample_weight": True}),
        ({"sample_weight": "w", "groups": "q"}, {"groups": "q", "sample_weight": "w"}),
        ({"groups": False}, {"groups": False}),
    ],
)
def test_requests_are_those_of_set_score_request(metric, options, requests):
    """Groups are the default of means over groups."""
    is_mean = metric.startswith("M")
    with routed():
        scorer = ap.make_ap_scorer(metric, **options)
        expected = {"groups": True} | requests if is_mean else requests
        plain = ap.make_ap_scorer(metric)
        if expected:
            plain.set_score_request(**expected)
    assert str(get_routing_for_object(scorer)) == str(get_routing_for_object(plain))
    assert repr(scorer) == repr(plain)
    if expected:
        with pytest.raises(RuntimeError, match=r"set_config\(enable_metadata_routing=True\)"):
            ap.make_ap_scorer(metric, **options)
        with pytest.raises(RuntimeError, match=r"set_config\(enable_metadata_routing=True\)"):
            ap.make_multi_scorer([metric], **options)


@pytest.mark.parametrize("make", [ap.make_ap_scorer, partial(ap.get_scorer, "AP")])
def test_what_each_fold_has_its_own_of_is_refused(make):
    for options in ({"n_positives": 30}, {"n_positives": {"a": 3}}):
        with pytest.raises(TypeError, match=r"each fold has its own positives.*fixed test set"):
            make(**options)
        with pytest.raises(TypeError, match="each fold has its own positives"):
            ap.make_multi_scorer(["AP"], **options)
    with pytest.raises(TypeError, match="each fold has its own positives"):
        ap.make_ap_scorer(ap.metric("AP", n_positives=30))


def private_names(saved):
    """Names of this package with an underscore before one of their parts."""
    return re.findall(
        r"sklearn_ap[\w.]*[.\s]_\w+|scorers\.binding|scorers\.others|ScoreFunction", saved
    )


def best_of_two(grades, scores):
    return float(np.asarray(grades)[np.argsort(-scores)[:2]].max())


SAVED = {
    "plain": ap.make_ap_scorer,
    "options": partial(ap.get_scorer, "AP@5", ties="best", zero_division=nan, pos_label=1),
    "classes": partial(ap.make_ap_scorer, classes=[0, 1], pos_label=0, rank=True),
    "metric": partial(ap.make_ap_scorer, ap.metric("R@10", average="weighted")),
    "requests": lambda: ap.get_scorer("P@3").set_score_request(groups=True, sample_weight="w"),
    "function": lambda: ap.make_ap_scorer(ap.metric(best_of_two, name="best", limits=(0, 3))),
    "several": partial(ap.make_multi_scorer, {"a": "AP", "b": "roc_auc", "c": "P@5"}),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", SAVED)
@pytest.mark.parametrize("way", ["pickle", "skops"])
def test_files_of_searches_have_only_public_names(kind, way):
    with routed():
        scoring = SAVED[kind]()
    refit = "a" if kind == "several" else False
    search = GridSearchCV(MODEL, {}, cv=2, scoring=scoring, refit=refit)
    if kind not in ("requests", "function"):
        search.fit(X, Y)
    if way == "pickle":
        saved = pickle.dumps(search)
        names = [arg for _, arg, _ in pickletools.genops(saved) if isinstance(arg, str)]
        assert not private_names("\n".join(names))
        loaded = pickle.loads(saved)
    else:
        skops = pytest.importorskip("skops.io")
        saved = skops.dumps(search)
        unknown = skops.get_untrusted_types(data=saved)
        with ZipFile(BytesIO(saved)) as file:
            assert not private_names(file.read("schema.json").decode())
        loaded = skops.loads(saved, trusted=unknown)
    assert repr(loaded.scoring) == repr(scoring)
    assert loaded.scoring.__name__ == scoring.__name__
    if kind == "several":
        assert loaded.score(X, Y) == search.score(X, Y)


def test_weights_by_keyword_of_outliers():
    weights, (forest, _, labels) = np.arange(len(Y)) % 3 + 0.5, DATA["outliers"]
    expected = oracle.step(labels == -1, -forest.score_samples(X), weights)
    outliers = ap.make_ap_scorer()(forest, X, labels, sample_weight=weights)
    assert outliers == near(expected)


@pytest.mark.parametrize("name", METRICS)
def test_function_in_make_scorer(name):
    options = {"response_method": ("decision_function", "predict_proba"), **NEEDED[name]}
    make = partial(make_scorer, getattr(ap, f"{name}_score"), **options)
    assert make()(MODEL, X, Y) == near(METRICS[name](Y, SCORES))
    expected = METRICS[name](Y, BY_NAME.predict_proba(X)[:, 0])
    assert make(pos_label="fraud")(BY_NAME, X, NAMES) == near(expected)


def test_classes_are_a_copy():
    classes = np.array(["a", "b", "c"])
    scorer = ap.make_ap_scorer(classes=classes)
    classes[:] = "x"
    assert scorer(BY_LETTER, X, LETTERS) == value(SCORERS["classes"](), "classes")


def test_string_labels_without_a_positive_class_in_cross_validation():
    with pytest.warns(UserWarning, match=r"(?s)Scoring failed.*pos_label=1.*'fraud'"):
        assert np.isnan(cross_val_score(MODEL, X, NAMES, scoring=ap.make_ap_scorer())).all()


@pytest.mark.parametrize(
    ("labels", "pos_label", "column"),
    [
        (NAMES, "fraud", 0),
        (NAMES, "legit", 1),
        (Y, 0, 0),
        (Y == 1, False, 0),
        (Y == 1, 1, 1),
        (Y + 1, 1, 0),
        (Y + 1, 2, 1),
        (Y + 0.0, 1.0, 1),
        (2 * Y - 1, 1, 1),
        (Y.astype(np.uint8), 1, 1),
    ],
)
@pytest.mark.parametrize("model", [GaussianNB(), LogisticRegression()])
def test_positive_class_is_ranked_by_its_own_scores(labels, pos_label, column, model):
    model = clone(model).fit(X, labels)
    expected = oracle.step(labels == pos_label, model.predict_proba(X)[:, column])
    for options in ({}, {"rank": True}):  # which a classifier doesn't need
        scorer = ap.make_ap_scorer(pos_label=pos_label, **options)
        assert scorer(model, X, labels) == near(expected)


@pytest.mark.parametrize("order", ["abc", "bca", "cab"])
@pytest.mark.parametrize("weight", [None, np.arange(80) % 3])
def test_classes_in_any_order(order, weight):
    scorer, proba = ap.make_ap_scorer(classes=list(order)), BY_LETTER.predict_proba(X)
    columns = proba[:, ["abc".index(c) for c in order]]
    options = {"classes": list(order), "sample_weight": weight}
    expected = ap.average_precision_score(LETTERS, columns, **options)
    assert scorer(BY_LETTER, X, LETTERS, sample_weight=weight) == expected
    # Tools that call the function themselves don't pass classes_, which estimators sort.
    found = scorer._score_func(LETTERS, proba, **scorer._kwargs)
    assert found == ap.make_ap_scorer(classes=list(order))(BY_LETTER, X, LETTERS)


THREE = np.unique(LETTERS, return_inverse=True)[1]


def test_the_class_of_scikit_learns_scorers_can_be_said():
    found = ap.make_multi_scorer(["AP", "f1"], pos_label=1)
    words = "{'AP': make_ap_scorer('average_precision', pos_label=1), 'f1': 'f1'}"
    assert str(found) == f"make_multi_scorer({words})"


@pytest.mark.sweep(4)
@pytest.mark.parametrize("classes", [None, [2, 0, 1]])
@pytest.mark.parametrize("labels", [THREE, THREE + 0.0, LETTERS, LETTERS.tolist()])
@pytest.mark.parametrize("model", [GaussianNB(), LogisticRegression()])
def test_one_class_of_several(model, labels, classes):
    """The class against all others, by its column, also where it is called 1."""
    model = clone(model).fit(X, labels)
    names = model.classes_.tolist()
    scores = getattr(model, "decision_function", model.predict_proba)(X)
    classes = None if classes is None else [names[place] for place in classes]
    columns = {}
    for metric, rule in (("AP", oracle.step), ("P@5", partial(oracle.precision_at_k, k=5))):
        for place, label in enumerate(names):
            scorer = ap.make_ap_scorer(metric, pos_label=label, classes=classes)
            columns[label] = rule(np.asarray(labels) == label, scores[:, place])
            assert scorer(model, X, labels) == near(columns[label])
            several = ap.make_multi_scorer([metric], pos_label=label, classes=classes)
            assert several(model, X, labels) == {metric: near(columns[label])}
            # A tool that calls the function with a matrix gets the column of that class, too.
            if classes is not None:
                assert scorer._score_func(labels, scores, **scorer._kwargs) == near(columns[label])
        mean = ap.make_ap_scorer(metric, classes=classes)(model, X, labels)
        assert mean == near(sum(columns.values()) / 3)
    with pytest.raises(ValueError, match="pos_label=9 is not a valid label: It should be one of"):
        ap.make_ap_scorer(pos_label=9)(model, X, labels)
    with routed():
        by_group = ap.make_ap_scorer(pos_label=names[1], groups=True)
        found = by_group(model, X, labels, groups=(groups := np.arange(80) % 4))
    are_positive = np.asarray(labels) == names[1]
    each = oracle.mean_over_groups(oracle.step, are_positive, scores[:, 1], groups)
    assert found == near(each)


class Frame(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are a DataFrame, with the last class first."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        columns = self.classes_[::-1]
        return pd.DataFrame(self.model_.predict_proba(X)[:, ::-1], columns=columns)


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_one_class_is_found_by_the_name_of_its_column(label):
    expected = ap.make_ap_scorer(pos_label=label)(BY_LETTER, X, LETTERS)
    assert ap.make_ap_scorer(pos_label=label)(Frame().fit(X, LETTERS), X, LETTERS) == expected


def test_one_class_of_columns_that_nobody_names_is_refused():
    class Unnamed(ClassifierMixin, BaseEstimator):
        def predict_proba(self, X):
            return BY_LETTER.predict_proba(X)

    words = "classes_|either be a classifier"  # the latter are scikit-learn's, before 1.9
    for label, each in product((0, 1, 2), (Unnamed(), NoClassifier().fit(X, THREE))):
        with pytest.raises((ValueError, AttributeError), match=words):
            ap.make_ap_scorer(pos_label=label)(each, X, THREE)
    model = SVC(decision_function_shape="ovo").fit(X, THREE)
    for options in ({}, {"pos_label": 0}, {"classes": [0, 1, 2]}):
        for each in (model, make_pipeline(model)):
            with pytest.raises(ValueError, match=r"columns are pairs of classes.*Use 'ovr'"):
                ap.make_ap_scorer(**options)(each, X, THREE)


class NoClassifier(BaseEstimator):
    """A wrapper that scikit-learn doesn't take for a classifier."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


@pytest.mark.parametrize("pos_label", ["fraud", "legit"])
def test_estimator_that_is_no_classifier_says_so(pos_label):
    """Before scikit-learn 1.9, scikit-learn says so itself."""
    scorer, model = ap.make_ap_scorer(pos_label=pos_label), NoClassifier().fit(X, NAMES)
    words = "either be a classifier|take the estimator for a classifier.*ClassifierMixin, before"
    with pytest.raises(ValueError, match=words) as error:
        scorer(model, X, NAMES)
    assert "y_score[:, 1]" not in str(error.value)

    class Mended(ClassifierMixin, NoClassifier):
        classes_ = np.unique(NAMES)

    assert scorer(Mended().fit(X, NAMES), X, NAMES) == scorer(BY_NAME, X, NAMES)


class Wrapper:
    """A classifier of another library, which knows its classes, but nothing of scikit-learn."""

    def __init__(self, model, to=np.asarray):
        self.model, self.to = model, to
        self.classes_ = model.classes_.tolist()

    def predict_proba(self, X):
        return self.to(self.model.predict_proba(X))


class BaseWrapper(Wrapper, BaseEstimator):
    pass


def reversed_frame(classes):
    """Make a function that returns scores as a DataFrame, with the last class first."""
    frame = pytest.importorskip("pandas").DataFrame
    return lambda scores: frame(scores[:, ::-1], columns=classes[::-1])


@pytest.mark.sweep(4)
@pytest.mark.parametrize("wrapper", [Wrapper, BaseWrapper])
@pytest.mark.parametrize("to", [lambda classes: np.asarray, reversed_frame])
@pytest.mark.parametrize("turned", [False, True])
def test_classes_find_the_column_of_any_estimator_that_knows_its_classes(wrapper, to, turned):
    """Never the mean over both columns."""
    for model, labels, pos_label in ((MODEL, Y, 1), (MODEL, Y, 0), (BY_NAME, NAMES, "legit")):
        classes = model.classes_.tolist()
        given = classes[::-1] if turned else classes
        scorer = ap.make_ap_scorer(classes=given, pos_label=pos_label)
        expected = ap.make_ap_scorer(pos_label=pos_label)(model, X, labels)
        assert expected == near(
            oracle.step(labels == pos_label, model.predict_proba(X)[:, classes.index(pos_label)])
        )
        assert scorer(model, X, labels) == expected
        assert scorer(wrapper(model, to(classes)), X, labels) == expected
        several = ap.make_multi_scorer(["AP"], classes=given, pos_label=pos_label)
        assert several(wrapper(model, to(classes)), X, labels) == {"AP": expected}
    by_letter = ap.make_ap_scorer(classes=["c", "a", "b"])
    found = by_letter(wrapper(BY_LETTER, to(["a", "b", "c"])), X, LETTERS)
    assert found == by_letter(BY_LETTER, X, LETTERS)


@pytest.mark.parametrize("classes", [[0, 1], [1, 0], None])
@pytest.mark.parametrize("labels", [Y, Y[:, np.newaxis]])
def test_both_columns_are_refused_without_classes_of_the_estimator(classes, labels):
    scorer = ap.make_ap_scorer(classes=classes)
    proba, words = MODEL.predict_proba(X), "scores of both classes.*estimator (has|with) classes_"
    with pytest.raises(ValueError, match=words):
        scorer._score_func(labels, proba, **scorer._kwargs)
    words = f"either be a classifier|should be .*is_classifier|tags|{words}"
    with pytest.raises((ValueError, AttributeError), match=words):
        scorer(NoClassifier().fit(X, Y), X, Y)


def test_margins_and_regressors_of_two_classes():
    model = LogisticRegression().fit(X, Y)
    margin = model.decision_function(X)
    for pos_label, sign in ((1, 1), (0, -1)):
        scorer = ap.make_ap_scorer(classes=[1, 0], pos_label=pos_label)
        assert scorer(model, X, Y) == near(oracle.step(Y == pos_label, sign * margin))
    line = LinearRegression().fit(X, Y)
    ranked = ap.make_ap_scorer(classes=[0, 1], rank=True)(line, X, Y)
    assert ranked == near(oracle.step(Y, line.predict(X)))


WITHOUT_RANKING_METHODS = [
    LinearRegression(),
    KMeans(2, n_init=1),
    make_pipeline(StandardScaler(), LinearRegression()),
    StandardScaler(),
    KernelDensity(),
    DBSCAN(),
    make_pipeline(StandardScaler(), PCA()),
]


@pytest.mark.parametrize("response_method", ["auto", "predict_proba"])
@pytest.mark.parametrize("estimator", WITHOUT_RANKING_METHODS, ids=lambda each: type(each).__name__)
def test_who_has_only_predict_is_told_how_to_rank_by_it(estimator, response_method):
    """What has no predict either isn't, and what the message says to write gives a value."""
    fitted = clone(estimator).fit(X, Y)
    with pytest.raises(AttributeError, match="has none of the following attributes") as error:
        ap.make_ap_scorer(response_method=response_method)(fitted, X, Y)
    advised = re.findall(r"write (make_ap_scorer\(.*\))\.", str(error.value))
    assert len(advised) == hasattr(estimator, "predict")
    for call in advised:
        scorer = eval(call, {"make_ap_scorer": ap.make_ap_scorer})
        assert scorer(fitted, X, Y) == near(oracle.step(Y, fitted.predict(X)))


def test_response_method():
    """For several classes, the methods rank the samples of a class differently."""
    model = LogisticRegression().fit(X, LETTERS)
    of = {name: getattr(model, name)(X) for name in ("decision_function", "predict_proba")}
    expected = {
        name: sum(
            oracle.step(LETTERS == c, column) for c, column in zip("abc", scores.T, strict=True)
        )
        / 3
        for name, scores in of.items()
    }
    assert len({*expected.values()}) == 2
    for name, mean in expected.items():
        scorer = ap.make_ap_scorer(classes=[*"abc"], response_method=name)
        assert scorer(model, X, LETTERS) == near(mean)
        assert ap.get_scorer("AP", classes=[*"abc"], response_method=name)(model, X, LETTERS) == (
            scorer(model, X, LETTERS)
        )
        several = ap.make_multi_scorer(["AP"], classes=[*"abc"], response_method=name)
        assert several(model, X, LETTERS) == {"AP": scorer(model, X, LETTERS)}
        assert scorer._score_func.__name__ == f"average_precision_response_method_{name}"
    usual = ap.make_ap_scorer(classes=[*"abc"])
    assert usual(model, X, LETTERS) == near(expected["decision_function"])
    with pytest.raises(AttributeError, match="GaussianNB has none"):
        ap.make_ap_scorer(response_method="decision_function")(MODEL, X, Y)
    with routed():
        mean, usual = ap.get_scorer("MAP", response_method="predict_proba"), ap.get_scorer("MAP")
        assert mean(MODEL, X, Y, groups=GROUPS) == usual(MODEL, X, Y, groups=GROUPS)
    for methods in (["predict_proba", "decision_function"], ("predict_proba",)):
        scorer = ap.make_ap_scorer(classes=[*"abc"], response_method=methods)
        assert scorer(model, X, LETTERS) == near(expected["predict_proba"])


def predicting(to, *bases, classes=(0, 1)):
    """Return a fitted estimator whose probabilities have been converted by `to`."""

    class Own(*bases, BaseEstimator):
        def fit(self, X, y):
            if classes:
                self.classes_ = np.array(classes)
            self.is_fitted_ = True
            return self

        def predict_proba(self, X):
            return to(MODEL.predict_proba(X))

    return Own().fit(X, Y)


PROBABILITIES = {
    "array": np.asarray,
    "second": lambda p: p[:, 1],
    "column": lambda p: p[:, 1:],
    "pandas": pd.DataFrame,
    "pandas by name": lambda p: pd.DataFrame(p[:, ::-1], columns=["1", "0"]),
    "pandas, other names": lambda p: pd.DataFrame(p, columns=["no", "yes"]),
    "polars": lambda p: pl.DataFrame({"no": p[:, 0], "yes": p[:, 1]}),
    "polars by name": lambda p: pl.DataFrame({"1": p[:, 1], "0": p[:, 0]}),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("pos_label", [0, 1])
@pytest.mark.parametrize("kind", PROBABILITIES)
def test_kinds_of_probabilities(kind, pos_label):
    expected = near(oracle.step(Y == pos_label, SCORES if pos_label else -SCORES))
    ours, of_sklearn = (predicting(PROBABILITIES[kind], *of) for of in ((), (ClassifierMixin,)))
    for classes in ([0, 1], [1, 0]):
        scorer = ap.make_ap_scorer(pos_label=pos_label, classes=classes)
        assert scorer(ours, X, Y) == expected
        assert scorer(of_sklearn, X, Y) == expected
    pytest.importorskip("matplotlib").use("agg")
    display = ap.AveragePrecisionDisplay.from_estimator(of_sklearn, X, Y, pos_label=pos_label)
    assert display.value == expected


needs_newest = pytest.mark.skipif(
    sklearn.__version__ < "1.9", reason="scikit-learn 1.8 refuses what isn't a ClassifierMixin"
)


@needs_newest
def test_one_column_of_probabilities_is_that_of_the_second_class():
    for classes in ((0, 1), ()):
        model = predicting(PROBABILITIES["column"], classes=classes)
        assert ap.make_ap_scorer()(model, X, Y) == near(oracle.step(Y, SCORES))
        with pytest.raises(ValueError, match=r"of the second class only.*pass the two classes="):
            ap.make_ap_scorer(pos_label=0)(model, X, Y)
        assert ap.make_ap_scorer(pos_label=0)(model, X, 0 * Y) == 1
    assert ap.make_ap_scorer(pos_label="legit")(model, X, NAMES) == near(oracle.step(1 - Y, SCORES))


@needs_newest
def test_two_scores_are_not_predicted_labels_unless_they_are_all_labels():
    for low, high, name, labels in ((0.25, 0.75, "AP", Y), (0.0, 1.0, "nDCG", Y + (SCORES > 0.9))):
        scores = np.where(SCORES > 0.5, high, low)
        model = predicting(lambda _, scores=scores: scores)
        value = ap.make_ap_scorer(name)(model, X, labels.astype(float))
        assert value == ap.metric(name)(labels, scores)


def test_an_estimator_of_several_targets():
    both = np.column_stack([Y, Y[::-1]])
    model = KNeighborsClassifier().fit(X, both)
    scores = np.column_stack([proba[:, 1] for proba in model.predict_proba(X)])
    assert ap.make_ap_scorer()(model, X, both) == ap.average_precision_score(both, scores)


def test_two_grades_have_no_positive_label():
    model = GaussianNB().fit(X, 2 * Y)
    value = ap.make_ap_scorer("nDCG")(model, X, 2 * Y)
    assert value == ap.ndcg_score(2 * Y, model.predict_proba(X)[:, 1])


@needs_newest
@pytest.mark.parametrize("kind", ["array", "column"])
def test_classes_that_no_estimator_knows(kind):
    model = predicting(PROBABILITIES[kind], classes=())
    with pytest.raises(
        ValueError, match=r"needs an estimator with classes_\. .*let fit set classes_"
    ):
        ap.make_ap_scorer(pos_label=0, classes=[0, 1])(model, X, Y)


def test_signatures_have_no_parameters_of_their_own():
    """skore takes `params` for a required parameter."""
    several = signature(ap.make_multi_scorer(["AP"]))
    assert [*several.parameters] == ["estimator", "X", "y_true", "sample_weight"]
    assert signature(ap.make_ap_scorer()) == signature(sklearn.metrics.get_scorer("f1"))


@pytest.mark.parametrize("name", ["P@10%", "AP@5 / hits", "recall_at_precision_0.9", "MAP"])
def test_names_that_every_log_takes(name):
    options = {"zero_division": 1.0, "pos_label": "card: fraud=1@home"}
    with routed():
        scorer = ap.get_scorer(name, **options)
    names = [scorer.__name__, scorer._score_func.__name__, ap.metric(name, groups=GROUPS).__name__]
    assert all(re.fullmatch(r"[a-z][\w.-]+", each) for each in names)


class Detector(OutlierMixin, BaseEstimator):
    """An outlier detector that returns the scores that it has, high for inliers."""

    scores = None

    def score_samples(self, X):
        return self.scores


def outlier_score(labels, scores, **options):
    detector = Detector()
    detector.scores = scores
    return ap.make_ap_scorer(pos_label=-1, **options)(detector, np.zeros((len(labels), 1)), labels)


def test_a_fold_of_inliers_alone_has_a_value_if_pos_label_tells_the_coding():
    detector = Detector()
    detector.scores = [2.0, 1.0]
    assert ap.make_ap_scorer(pos_label=1)(detector, np.zeros((2, 1)), [1, 1]) == 1


def extremes(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.array([high, low, high - 1, 0, low + 1, high, low, high // 2, high // 2 + 1], dtype)


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    "scores",
    [
        *map(extremes, ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8")),
        [2**64 + 1, 2**64, 2**64, -(2**70)],
        [Decimal("0.3"), Decimal("0.1"), Decimal(1), Decimal(0)],
        [Fraction(1, 3), Fraction(10**20, 3 * 10**20 + 1), Fraction(1), Fraction(-1)],
        [0.5, 2**53, 2**53 + 1, Fraction(1, 3)],
        [2**53 + 1, 2**53, 2**60 + 1, 2**60],  # which floats don't tell apart
        [-(2**53) - 1, -(2**53), 2**62 + 1, 2**62],
        [True, False, True, True],
    ],
)
def test_outliers_by_exact_numbers(scores):
    """Objects can also be NumPy's own numbers, which wrap around."""
    exact = [-Fraction(oracle.plain(score)) for score in scores]
    for outlier in range(len(scores)):
        labels = np.where(np.arange(len(scores)) == outlier, -1, 1)
        for wrapped in (scores, np.array(scores), np.array(list(scores), object)):
            # NumPy makes floats of mixed numbers, but lists keep them.
            if isinstance(wrapped, list) or wrapped.dtype.kind != "f":
                assert outlier_score(labels, wrapped) == near(oracle.step(labels == -1, exact))


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("dtype", ["UInt8", "UInt64", "Int16", "Float32"])
def test_outliers_by_a_series(library, dtype):
    series = pytest.importorskip(library).Series
    kind = dtype if library == "pandas" else getattr(pytest.importorskip(library), dtype)
    labels, counts = np.array([-1, 1, -1, 1, -1]), [0, 4, 4, 127, 1]
    expected = oracle.step(labels == -1, [-count for count in counts])
    assert outlier_score(labels, series(counts, dtype=kind)) == near(expected)


AT_K_METRICS = [name for name, row in registry.METRICS.items() if row.number == "k"]
FEW = Y.argsort()[-7:-2], Y.argsort()[-12:-2]  # five samples, and ten
TEN = [(metric, {"k": 10}) for metric in AT_K_METRICS]


@pytest.mark.parametrize(("metric", "options"), TEN)
def test_k_beyond_the_samples_is_announced(metric, options):
    five, ten = (np.r_[0, rows[1:]] for rows in FEW)
    scorer, expected = ap.make_ap_scorer(metric, **options), partial(METRICS[metric], k=10)
    with pytest.warns(UserWarning, match="k=10 exceeds the 5 samples that are evaluated") as caught:
        assert scorer(MODEL, X[five], Y[five]) == near(expected(Y[five], SCORES[five]))
    assert len(caught) == 1
    # Warnings are errors here: ten samples are not too few.
    assert scorer(MODEL, X[ten], Y[ten]) == near(expected(Y[ten], SCORES[ten]))


@pytest.mark.parametrize("metric", WEIGHTED)
def test_weights_of_less_than_one_in_all_are_announced_to_what_has_a_k(metric):
    weights, rows = np.array([0.125, 0.0625, 0.125]), [0, *FEW[0][:2]]
    warned = pytest.warns(UserWarning, match="k=1 exceeds the sum of sample_weight, 0.3125")
    each = [(nullcontext(), NEEDED[metric])]
    if metric in AT_K_METRICS:  # without a warning if samples are counted
        each = [(warned, {"k": 1}), (nullcontext(), {"k": 1, "k_counts": "samples"})]
    for expected_warning, options in each:
        with expected_warning:
            scorer = ap.make_ap_scorer(metric, **options)
            actual = scorer(MODEL, X[rows], Y[rows], sample_weight=weights)
        assert actual == near(METRICS[metric](Y[rows], SCORES[rows], weights, **options))


def test_functions_get_the_metadata_that_they_take():
    each = {
        "any": lambda model, X, y, **params: params["sample_weight"].sum(),
        "groups": lambda model, X, y, groups: groups.sum(),
    }
    with pytest.warns(UserWarning, match="'groups' does not accept sample_weight"):
        found = ap.make_multi_scorer(each)(MODEL, X, Y, sample_weight=Y + 1.0, groups=GROUPS)
    assert found == {"any": (Y + 1.0).sum(), "groups": GROUPS.sum()}


NO_WEIGHTS = {"function": lambda estimator, X, y: estimator.score(X, y)}
if "sample_weight" in get_routing_for_object(ap.make_ap_scorer()).score.requests:
    # Older versions of scikit-learn don't say which metrics take weights.
    NO_WEIGHTS["metric"] = make_scorer(lambda y, s: s @ y, response_method="predict_proba")


@pytest.mark.parametrize("kind", NO_WEIGHTS)
def test_weights_do_not_reach_what_takes_none(kind):
    weight, scorer = np.arange(80) % 3 + 0.5, NO_WEIGHTS[kind]
    both = ap.make_multi_scorer({"ap": "average_precision", "plain": scorer})
    with pytest.warns(UserWarning, match="'plain' does not accept sample_weight, so it ignores"):
        actual = both(MODEL, X, Y, sample_weight=weight)
    assert actual == {"ap": near(oracle.step(Y, SCORES, weight)), "plain": scorer(MODEL, X, Y)}
    assert both(MODEL, X, Y)["plain"] == scorer(MODEL, X, Y)


def test_a_scorer_that_fails_has_the_error_score():
    each = {"ap": ap.make_ap_scorer(pos_label="theft"), "acc": "accuracy"}
    with pytest.raises(ValueError, match="pos_label=theft"):
        ap.make_multi_scorer(each, error_score="raise")(BY_NAME, X, NAMES)
    with pytest.warns(UserWarning, match=r"Scoring failed.* set to -1\. .*(\n.*)*pos_label=theft"):
        found = ap.make_multi_scorer(each, error_score=-1)(BY_NAME, X, NAMES)
    assert found == {"ap": -1, "acc": BY_NAME.score(X, NAMES)}


def test_k_of_all_entries_can_exceed_the_number_of_rows():
    y, score = np.eye(3, 4, dtype=int), np.arange(12.0).reshape(3, 4)
    value = evaluate_in_tool(ap.metric("AP@5", average="micro"), y, score)
    assert value == ap.average_precision_at_k_score(y, score, k=5, average="micro")


def test_results_are_called_as_they_were_typed():
    typed = ["P@10%", "AP / hits@5", "ap at 7", ap.metric("AP"), "roc_auc"]
    several = ap.make_multi_scorer(typed)
    names = ["P@10%", "AP / hits@5", "ap at 7", "average_precision", "roc_auc"]
    assert [*several(MODEL, X, Y)] == names
    assert re.fullmatch(r"[\w./-]+", several.__name__)
    of_both = [ap.metric("AP@5", ties="best", pos_label=label) for label in (0, 1)]
    assert [*ap.make_multi_scorer(of_both)(MODEL, X, Y)] == [
        "average_precision_at_5_ties_best_pos_label_0",
        "average_precision_at_5_ties_best",
    ]


def test_options_apply_to_all_metrics_that_take_them():
    names, options = np.where(Y == 1, "yes", "no"), {"pos_label": "yes", "k": 7}
    typed = ["average_precision_at_k", "P@10", "roc_auc"]
    with routed():
        several = ap.make_multi_scorer([*typed, "MAP@5"], **options)
    assert "pos_label='yes'" in repr(several.scorers["MAP@5"])
    each = {"AP": "AP", "no": ap.metric("AP", pos_label="no")}
    own = ap.make_multi_scorer(each, pos_label="yes")
    for name, label in (("AP", "yes"), ("no", "no")):  # those of a metric take precedence
        assert f"pos_label='{label}'" in repr(own.scorers[name])
    each = {"average_precision_at_k": "AP@7", "P@10": "P@10", "p": "P@1%"}
    model = GaussianNB().fit(X, names)
    without_groups = ap.make_multi_scorer(
        {**{name: name for name in typed[:2]}, "p": "P@1%"}, **options
    )
    assert without_groups(model, X, names) == {
        key: ap.make_ap_scorer(name, pos_label="yes")(model, X, names) for key, name in each.items()
    }


def test_keywords_of_a_multi_scorer_are_options_and_keys_are_names():
    """A name of an option can be that of a scorer: they don't meet."""
    several = ap.make_multi_scorer(
        {"k": "AP", "groups": "P@5", "pos_label": "roc_auc"}, ties="best"
    )
    assert [*several(MODEL, X, Y)] == ["k", "groups", "pos_label"]
    assert "ties='best'" in repr(several.scorers["k"])
    with pytest.raises(TypeError, match=r"p='P@5'.*dict, as in make_multi_scorer\({'p': 'P@5'}\)"):
        ap.make_multi_scorer(["AP"], p="P@5")
    with pytest.raises(TypeError, match="Pass several scorers as a list"):
        ap.make_multi_scorer("AP", "P@20")


def mean_of_labels(y_true, y_score):
    return float(np.mean(y_true))


WRITTEN = {
    "make_ap_scorer('average_precision_at_k', k=20, pos_label='bad')": partial(
        ap.get_scorer, "AP@20", pos_label="bad"
    ),
    "make_ap_scorer('average_precision', zero_division=float('nan'), classes=['a', 'b', 'c'])": (
        partial(ap.make_ap_scorer, zero_division=np.nan, classes=np.array(["a", "b", "c"]))
    ),
    "make_ap_scorer('average_precision_at_k', k=0.5, pos_label=True, rank=True)": partial(
        ap.make_ap_scorer, "AP@50%", pos_label=np.True_, rank=True
    ),
    "make_ap_scorer('mean_average_precision', k=5, response_method='predict_proba', groups='q')": (
        partial(ap.get_scorer, "MAP@5", groups="q", response_method="predict_proba")
    ),
    "make_ap_scorer('average_precision', pos_label=1)": partial(ap.make_ap_scorer, pos_label=1),
    "make_ap_scorer(metric(mean_of_labels, name='mean'))": partial(
        ap.make_ap_scorer, ap.metric(mean_of_labels, name="mean")
    ),
    "make_multi_scorer({'P@1%': make_ap_scorer('precision_at_k', k=0.01), 'f1': 'f1'}, "
    "error_score='raise')": partial(ap.make_multi_scorer, ["P@1%", "f1"], error_score="raise"),
}
with routed():
    WRITTEN |= {repr(make()): make for make in SCORERS.values()}
    WRITTEN |= {repr(ap.get_scorer(n)): partial(ap.get_scorer, n) for n in ap.get_scorer_names()}


@pytest.mark.parametrize("code", WRITTEN)
def test_repr_is_a_call_that_makes_the_scorer(code):
    namespace = {name: getattr(ap, name) for name in ap.__all__} | globals()
    with routed():
        scorer = WRITTEN[code]()
        made = eval(code, namespace)
    assert repr(scorer) == code
    assert repr(made) == code
    assert made.__name__ == scorer.__name__
    if not isinstance(getattr(type(scorer), "_score_func", None), property):  # of one metric
        assert made._score_func.__name__ == scorer._score_func.__name__
