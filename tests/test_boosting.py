"""Early stopping: what LightGBM and XGBoost pass to a metric, and what it returns."""

import inspect
import pickle
import re
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score

import sklearn_ap as ap
from sklearn_ap.boosting import lightgbm_metric, xgboost_metric

X, Y = make_classification(
    900, n_informative=5, weights=[0.8], class_sep=0.6, flip_y=0.1, random_state=0
)
TRAIN, STOP = slice(600), slice(600, None)
THREE = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3)
QUERY = np.repeat(np.arange(90), 10)


def draw(size=200):
    rng = np.random.default_rng(5)
    y = (rng.random(size) < 0.3).astype(int)
    return y, np.round(rng.normal(size=size) + y, 2)


def make_dataset(labels, weight=(), group_sizes=()):
    """Return labels as lightgbm.train and xgboost.train pass them."""
    return SimpleNamespace(
        get_label=lambda: labels,
        get_weight=lambda: np.array(weight),
        get_group=lambda: np.array(group_sizes),
        get_uint_info=lambda field: np.append(0, np.cumsum(group_sizes, dtype=int)),
    )


def test_values_and_names():
    y, scores = draw()
    value = ap.precision_at_k_score(y, scores, k=0.05)
    assert lightgbm_metric("P@5%")(y, scores) == ("precision_at_5_percent", value, True)
    assert xgboost_metric("P@5%")(y, scores) == value
    assert len(inspect.signature(lightgbm_metric()).parameters) == 4  # which LightGBM counts
    assert xgboost_metric().__name__ == "pre_average_precision"
    assert xgboost_metric(name="my: AP").__name__ == "pre_my_AP"
    names = [xgboost_metric(name).__name__ for name in ("nDCG", "P@1", "R@1", "MAP")]
    assert names == ["ndcg", "precision_at_1", "pre_recall_at_1", "pre_mean_average_precision"]
    loss = ap.metric(lambda y, s: 0.5, name="auc loss", greater_is_better=False)
    assert xgboost_metric(loss).__name__ == "lower_auc_loss"
    found = lightgbm_metric(loss, name="my loss")(y, scores, None, [y.size])
    assert found == ("my_loss", 0.5, False)
    assert pickle.loads(pickle.dumps(xgboost_metric("P@5%")))(y, scores) == value


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_saved_metrics_name_nothing_private(make):
    saved = pickle.dumps(make("AP@10", pos_label="a", classes=["a", "b"]), protocol=0)
    assert not re.search(rb"sklearn_ap[.\w]*[. \n]_", saved)


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_several_values_are_refused(make):
    for arguments, options in (("AP",), {"average": None}), ((ap.metric("AP", average=None),), {}):
        with pytest.raises(ValueError, match="average=None gives several values"):
            make(*arguments, **options)


def test_weights_grades_and_columns():
    y, scores = draw()
    grades, weight = y * (1 + (scores > 1)), np.arange(y.size) + 1
    columns, labels = np.column_stack([scores, -scores, scores**2]), np.column_stack([y, 1 - y])
    for options, y_true, predicted, label, ranked in (
        ({}, y, scores, y, scores),
        ({}, y, columns[:, :2], y, -scores),
        ({}, labels, columns[:, :2], labels, columns[:, :2]),
        ({}, grades, columns, grades[:, np.newaxis] == range(3), columns),
        ({"pos_label": 2}, grades, columns, grades == 2, columns[:, 2]),
        ({"pos_label": "c", "classes": ["a", "b", "c"]}, grades, columns, grades == 2, scores**2),
        ({"min_grade": 2}, grades, scores, grades == 2, scores),
    ):
        value = pytest.approx(ap.average_precision_score(label, ranked, sample_weight=weight))
        dataset = make_dataset(y_true, weight)
        assert lightgbm_metric(**options)(y_true, predicted, weight)[1] == value
        assert lightgbm_metric(**options)(predicted, dataset)[1] == value
        assert xgboost_metric(**options)(y_true, predicted, weight) == value
        assert xgboost_metric(**options)(predicted, dataset)[1] == value


def test_groups_are_averaged():
    y, scores = draw()
    sizes = [150, 50]
    graded = make_dataset(2 * y, group_sizes=sizes)
    value = ap.ndcg_score(2 * y, scores, groups=np.repeat([0, 1], sizes))
    assert lightgbm_metric("nDCG")(scores, graded)[1] == value
    mean = ap.mean_average_precision_score(y, scores, groups=np.repeat([0, 1], sizes))
    dataset = make_dataset(y, group_sizes=sizes)
    assert lightgbm_metric("MAP")(scores, dataset)[1] == mean
    assert lightgbm_metric("MAP")(y, scores, None, sizes)[1] == mean
    assert xgboost_metric("MAP")(scores, dataset) == ("pre_mean_average_precision", mean)


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        ([0, 1], {}),
        ([0, 1], {"pos_label": 0}),
        ([0, 1], {"pos_label": "fraud", "classes": ["fraud", "legit"]}),
        ([0, 1], {"pos_label": "legit", "classes": ["fraud", "legit"]}),
        ([1, 2], {}),
        ([-1, 0], {"pos_label": 0}),
        ([-1, 1], {"pos_label": -1}),
        ([3, 1], {"pos_label": 3}),
    ],
)
def test_the_positive_class_ranks_first(labels, options):
    """Predictions are high for the largest label."""
    y, scores = draw()
    label = options.get("pos_label", 1)
    if "classes" in options:
        label = options["classes"].index(label)
    named = np.sort(labels)[y]
    right = scores if label == max(labels) else -scores
    expected = ap.average_precision_score(named == label, right)
    assert lightgbm_metric(**options)(named, scores)[1] == expected
    both = np.column_stack([-scores, scores])
    assert xgboost_metric(**options)(named, both) == expected


def test_what_would_be_something_else_is_refused():
    y, scores = draw()
    with pytest.raises(ValueError, match="classes="):
        lightgbm_metric(pos_label="fraud")(y, scores)
    for label in (7, -1, 1.5):
        with pytest.raises(ValueError, match=rf"classes \[0, 1, 2\]\. Got {label}"):
            xgboost_metric(pos_label=label)(THREE, np.eye(3)[THREE])
    for label in (2.0, True):
        assert xgboost_metric(pos_label=label)(THREE, np.eye(3)[THREE]) == 1
    with pytest.raises(ValueError, match="Pass pos_label="):
        lightgbm_metric(classes=["a", "b"])(y, scores)
    for make, options in product(
        [lightgbm_metric, xgboost_metric], [{"classes": "AP"}, {"classes": 2}, {"pos_label": [1]}]
    ):
        with pytest.raises(ValueError, match=f"^{next(iter(options))}"):
            make(**options)
    assert xgboost_metric()(y, np.ones(y.size)) == y.mean()  # before the first split
    assert xgboost_metric()(THREE, np.eye(3)[THREE]) == 1  # of probabilities that are whole
    part = np.append(y, 1).astype(np.float32)[:-1]  # labels of a user, not of XGBRanker
    scores = np.arange(y.size + 1, dtype=np.float32)[:-1]
    assert xgboost_metric()(part, scores) == ap.average_precision_score(y, scores)
    assert xgboost_metric()(part, scores) == xgboost_metric()(y, scores)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        xgboost_metric("MAP")(scores, make_dataset(y, [1, 2], [150, 50]))
    with pytest.raises(ValueError, match="groups"):
        xgboost_metric("MAP")(y, scores)


def fit_lightgbm(labels, metric):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=40, metric="None", verbose=-1, n_jobs=1)
    return model.fit(
        X[TRAIN],
        labels[TRAIN],
        eval_set=[(X[STOP], labels[STOP])],
        eval_metric=metric,
        callbacks=[lightgbm.early_stopping(10, verbose=False)],
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("names", "options", "column"),
    [
        ([0, 1], {}, 1),
        (["legit", "spam"], {"pos_label": "spam"}, 1),
        (["legit", "fraud"], {"pos_label": "fraud"}, 0),
        ([1, 2], {}, 0),
        ([0, 1], {"pos_label": "fraud", "classes": ["legit", "fraud"]}, 1),
        ([-1, 0], {"pos_label": 0}, 1),
    ],
)
def test_lightgbm_stops_at_the_best_round(names, options, column):
    labels = np.array(names)[Y]
    positive = 1 if "classes" in options else options.get("pos_label", 1)
    model = fit_lightgbm(labels, lightgbm_metric(**options))
    log = model.evals_result_["valid_0"]["average_precision"]
    best = model.best_iteration_
    values = [
        average_precision_score(
            labels[STOP] == positive, model.predict_proba(X[STOP], num_iteration=n)[:, column]
        )
        for n in range(1, best + 1)
    ]
    assert log[:best] == pytest.approx(values)
    assert best == np.argmax(log) + 1


@pytest.mark.filterwarnings("ignore")
def test_lightgbm_takes_a_list_of_metrics():
    log = fit_lightgbm(Y, [lightgbm_metric("P@5"), "auc", lightgbm_metric()]).evals_result_
    alone = fit_lightgbm(Y, lightgbm_metric()).evals_result_["valid_0"]["average_precision"]
    assert {"precision_at_5", "auc", "average_precision"} == {*log["valid_0"]}
    assert log["valid_0"]["average_precision"][:3] == alone[:3]
    assert len({lightgbm_metric(), xgboost_metric(classes=[0, 1])}) == 2


@pytest.mark.filterwarnings("ignore")
def test_lightgbm_asks_for_the_label_that_it_numbered():
    labels = np.array(["legit", "spam"])[Y]
    with pytest.raises(ValueError, match=r"pos_label=.*'legit', 'spam'"):
        fit_lightgbm(labels, lightgbm_metric())


@pytest.mark.filterwarnings("ignore")
def test_xgboost_stops_at_the_best_round():
    xgboost = pytest.importorskip("xgboost")
    options = {"n_estimators": 40, "early_stopping_rounds": 10, "n_jobs": 1}
    model = xgboost.XGBClassifier(eval_metric=xgboost_metric(), **options)
    model.fit(X[TRAIN], Y[TRAIN], eval_set=[(X[STOP], Y[STOP])], verbose=False)
    log = model.evals_result()["validation_0"]["pre_average_precision"]
    values = [
        average_precision_score(
            Y[STOP], model.predict_proba(X[STOP], iteration_range=(0, n + 1))[:, 1]
        )
        for n in range(len(log))
    ]
    assert log == pytest.approx(values, abs=1e-6)  # XGBoost keeps six decimals
    assert model.best_iteration == np.argmax(values)


@pytest.mark.filterwarnings("ignore")
def test_what_xgboost_predicts_and_how_its_ranker_averages():
    xgboost = pytest.importorskip("xgboost")
    options = {"n_estimators": 3, "n_jobs": 1}
    softmax = {"objective": "multi:softmax", "eval_metric": xgboost_metric()}
    with pytest.raises(ValueError, match="y_score"):  # predicted classes
        xgboost.XGBClassifier(**softmax, **options).fit(
            X, THREE, eval_set=[(X, THREE)], verbose=False
        )
    ranker = xgboost.XGBRanker(eval_metric=xgboost_metric(), **options)
    with pytest.raises(ValueError, match="XGBRanker"):
        ranker.fit(X, Y, qid=QUERY, eval_set=[(X, Y)], eval_qid=[QUERY], verbose=False)
    data, log = xgboost.DMatrix(X, Y, qid=QUERY), {}
    booster = xgboost.train(
        {"objective": "rank:pairwise", "nthread": 1},
        data,
        num_boost_round=3,
        evals=[(data, "all")],
        custom_metric=xgboost_metric("MAP"),
        evals_result=log,
        verbose_eval=False,
    )
    mean = ap.mean_average_precision_score(Y, booster.predict(data), groups=QUERY)
    assert log["all"]["pre_mean_average_precision"][-1] == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_the_class_that_a_metric_names(make):
    labels, scores = [0, 1, 1, 0, 1], [0.2, 0.7, 0.9, 0.8, 0.1]
    expected = make("AP", pos_label=0)(labels, scores)
    assert make(ap.metric("AP", pos_label=0))(labels, scores) == expected
    named = ap.metric("AP", pos_label="b")
    expected = make("AP", pos_label="b", classes=["a", "b"])(labels, scores)
    assert make(named, classes=["a", "b"])(labels, scores) == expected
    named = ap.metric("AP", pos_label="b", classes=["a", "b"])
    assert make(named)(labels, scores) == expected


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_a_function_is_evaluated_in_all_data_or_each_group(make):
    def highest(y, s):
        return s.max()

    metric = make(ap.metric(highest, greater_is_better=False))
    assert metric.evaluate([0, 1, 1], [0.2, 0.5, 0.9]) == 0.9
    assert metric.evaluate([0, 1, 1], [0.2, 0.5, 0.9], group_sizes=[2, 1]) == 0.7


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_a_function_of_a_named_label_gets_its_scores_or_is_refused(make):
    labels, scores = [0, 1, 1], [0.2, 0.3, 0.9]

    def count(y_true, y_score):
        return float(np.sum(y_true * (y_score > 0.5)))

    metric = make(count, pos_label="b", classes=["a", "b"])
    assert metric.evaluate(labels, scores) == 1
    with pytest.raises(ValueError, match="count gets the scores of the largest label"):
        make(count, pos_label="a", classes=["a", "b"])(labels, scores)
