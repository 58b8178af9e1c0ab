"""Metrics for boosting: what they refuse, and which round the real libraries keep."""

import copy
import pickle
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap.boosting import lightgbm_metric, xgboost_metric

# LightGBM 4.7 warns about eval_set, whose replacement doesn't accept strings.
pytestmark = pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")

each_factory = pytest.mark.parametrize("factory", [lightgbm_metric, xgboost_metric])


@pytest.fixture(scope="module")
def lgb():
    return pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def xgb():
    return pytest.importorskip("xgboost")


# --- made ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "options", "name"),
    [
        ("average_precision", {}, "average_precision"),
        ("average_precision_at_k", {"k": 100}, "average_precision_at_100"),
        ("average_precision_at_k", {}, "average_precision_at_10"),
        ("average_precision_at_100", {"ties": "grouped"}, "average_precision_at_100"),
        (
            "average_precision_at_100",
            {"ties": "best", "denominator": "hits"},
            "average_precision_at_100_denominator_hits_ties_best",
        ),
        ("average_precision", {"zero_division": 1.0}, "average_precision_zero_division_1.0"),
        ("precision_at_1%", {}, "precision_at_1_percent"),
        ("recall_at_k", {"k": 0.05}, "recall_at_5_percent"),
        ("enrichment_factor", {}, "enrichment_factor_at_1_percent"),
        ("enrichment_factor_at_50", {"ties": "worst"}, "enrichment_factor_at_50_ties_worst"),
        ("eleven_point_average_precision", {}, "11_point_average_precision"),
        ("101_point_average_precision", {}, "101_point_average_precision"),
        ("precision_at_recall", {"min_recall": 0.9}, "precision_at_recall_0.9"),
        ("mean_average_precision", {}, "mean_average_precision"),
        ("mean_average_precision_at_10", {}, "mean_average_precision_at_10"),
        ("mean_average_precision", {"k": 5}, "mean_average_precision_at_5"),
    ],
)
def test_names_say_what_is_computed(metric, options, name):
    assert lightgbm_metric(metric, **options).__name__ == name
    by_xgboost = xgboost_metric(metric, **options).__name__
    assert re.fullmatch(r"[\w.:/ -]+", name, re.ASCII)  # as MLflow requires
    assert by_xgboost == (name if name.startswith("pre") else f"pre_{name}")


def test_a_name_can_be_chosen():
    metric = lightgbm_metric("P@1%", name="top_of_the_day")
    assert metric(np.array([0, 1]), np.array([0.2, 0.7]))[0] == metric.__name__ == "top_of_the_day"
    assert repr(metric) == "lightgbm_metric('P@1%', name='top_of_the_day')"
    # XGBoost minimizes what doesn't begin like this.
    assert xgboost_metric("P@1%", name="top").__name__ == "pre_top"
    assert xgboost_metric("P@1%", name="precise").__name__ == "precise"


@each_factory
def test_copies_and_pickles_are_the_same(factory):
    metric = factory("average_precision_at_2", pos_label="a", classes=["a", "b"], ties="expected")
    name = factory.__name__
    text = f"{name}('average_precision_at_2', pos_label='a', classes=['a', 'b'], ties='expected')"
    y, s = np.array([0, 1, 1, 0]), np.array([0.5, 0.5, 0.1, 0.9])
    for each in (metric, copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert repr(each) == text
        assert each.__name__ == metric.__name__
        assert each(y, s) == metric(y, s)


@each_factory
def test_nothing_given_is_changed(factory):
    classes, y, s = np.array(["a", "b"]), np.array([0, 1, 1]), np.array([0.5, 0.5, 0.1])
    metric = factory(pos_label="a", classes=classes)
    before = metric(y, s)
    classes[:] = ["x", "y"]
    assert metric(y, s) == before
    assert (y.tolist(), s.tolist()) == ([0, 1, 1], [0.5, 0.5, 0.1])


# --- called -------------------------------------------------------------------------------------


def value_of(answer):
    return answer[1] if isinstance(answer, tuple) else answer


SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
LABELS = np.array([1.0, 0.0, 1.0, 1.0, 0.0])  # step 1/3 (1 + 2/3 + 3/4), and 2/5 + 1/5 for zeros


@each_factory
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 29 / 36),
        ({"pos_label": True}, 29 / 36),
        ({"pos_label": 0}, (1 + 2 / 4) / 2),
        ({"pos_label": "b", "classes": ["a", "b"]}, 29 / 36),
        ({"pos_label": "a", "classes": ["a", "b"]}, (1 + 2 / 4) / 2),
        ({"pos_label": 1, "classes": [1, 2]}, (1 + 2 / 4) / 2),
        ({"pos_label": 2, "classes": [1, 2]}, 29 / 36),
        ({"pos_label": -1, "classes": [-1, 1]}, (1 + 2 / 4) / 2),
        ({"pos_label": 1, "classes": [False, True]}, 29 / 36),
    ],
)
def test_each_class_may_be_the_positive_one(factory, given, expected):
    metric = factory(**given)
    assert value_of(metric(LABELS, SCORES)) == pytest.approx(expected, abs=1e-15)
    columns = np.column_stack([1 - SCORES, SCORES])
    assert value_of(metric(LABELS, columns)) == pytest.approx(expected, abs=1e-15)


@each_factory
def test_labels_that_are_no_numbers_of_classes_are_read_as_they_are(factory):
    metric = factory(pos_label=2, classes=[1, 2])
    assert value_of(metric(LABELS + 1, SCORES)) == pytest.approx(29 / 36)
    metric = factory(pos_label=-1)
    assert value_of(metric(2 * LABELS - 1, SCORES)) == pytest.approx(3 / 4)


def test_classes_in_another_order_than_lightgbm_numbers_them_are_refused():
    metric = lightgbm_metric(pos_label="fraud", classes=["legit", "fraud"])
    data = SimpleNamespace(
        get_label=lambda: LABELS, get_weight=lambda: None, get_group=lambda: None
    )
    assert metric(SCORES, data) == ("average_precision", pytest.approx(29 / 36), True)


def test_weights_of_queries_are_those_of_the_mean_that_was_asked_for():
    data = SimpleNamespace(
        get_label=lambda: np.array([0.0, 1, 1, 0, 0]),
        get_weight=lambda: np.array([1.0, 3]),
        get_group=lambda: np.array([2, 3]),
    )
    for options in ({}, {"average": "macro"}):
        metric = xgboost_metric("mean_average_precision", **options)
        assert metric(np.array([5.0, 4, 3, 2, 1]), data)[1] == pytest.approx((1 / 2 + 3) / 4)


def test_slices_of_ordinary_arrays_are_no_queries():
    y, score = np.tile([1.0, 0.0], 5), np.linspace(1, 0, 10)
    expected = ap.average_precision_score(y[:7], score[:7])
    assert value_of(xgboost_metric()(y[:7], score[:7])) == pytest.approx(expected)


@each_factory
def test_one_class_alone(factory):
    metric = factory(pos_label="a", classes=["a", "b"])
    assert value_of(metric(np.zeros(3), SCORES[:3])) == 1
    with pytest.warns(UndefinedMetricWarning):
        assert value_of(metric(np.ones(3), SCORES[:3])) == 0
    assert value_of(factory(zero_division=1.0)(np.zeros(3), SCORES[:3])) == 1


@each_factory
def test_k_beyond_the_rows_is_warned_of(factory):
    with pytest.warns(UserWarning, match="k=9 exceeds the 5 samples"):
        factory("precision_at_9")(LABELS, SCORES)


# --- the round that is kept ---------------------------------------------------------------------

ROUNDS = 40
QUIET = {"metric": "None", "verbose": -1, "n_jobs": 1}  # LightGBM with no metric of its own
ALONE = {"disable_default_eval_metric": True, "n_jobs": 1}  # XGBoost
METRICS = ("average_precision_at_30", "average_precision", "precision_at_recall_0.5")
KINDS = {
    "0 and 1": np.array([0, 1]),
    "1 and 2": np.array([1, 2]),
    "-1 and 1": np.array([-1, 1]),
    "strings": np.array(["fraud", "legit"]),
    "objects": np.array(["fraud", "legit"], dtype=object),
}


def noisy(n_classes=2, seed=0):
    """Return rows for training and for early stopping, with labels that nothing predicts well."""
    X, y = make_classification(
        1200,
        8,
        n_informative=4,
        n_classes=n_classes,
        flip_y=0.3,
        class_sep=0.5,
        random_state=seed,
    )
    return X[:800], y[:800], X[800:], y[800:]


def in_each_round(predictions, score):
    return np.array([score(prediction) for prediction in predictions])


def lightgbm_rounds(model, X, y, X_stop, **given):
    """Return the predictions after each round, by a model that doesn't stop early."""
    whole = clone(model).fit(X, y, **given)
    predict = getattr(whole, "predict_proba", whole.predict)
    return [predict(X_stop, num_iteration=n + 1) for n in range(ROUNDS)]


def score_by_hand(metric, y_true, **options):
    return partial(ap.metric(metric, **options), y_true)


def check_kept(kept, by_hand, logged, decimals=15):
    """The round that was kept has the highest value, and is neither the first nor the last."""
    np.testing.assert_allclose(logged, by_hand, rtol=0, atol=0.6 * 10.0**-decimals + 1e-15)
    assert kept == np.argmax(by_hand.round(decimals))
    assert by_hand[kept] > max(by_hand[0], by_hand[-1])
    assert kept != np.argmin(by_hand)


def with_lightgbm(rows, metric, **stop):
    """Fit with early stopping. Return the round that was kept, the log, and all predictions."""
    lgb = pytest.importorskip("lightgbm")
    X, y, X_stop, y_stop, sizes = rows
    given = {} if sizes is None else {"group": sizes}
    stop |= {} if sizes is None else {"eval_group": [sizes]}
    kind = lgb.LGBMClassifier if sizes is None else lgb.LGBMRanker
    model = kind(n_estimators=ROUNDS, **QUIET)
    model.fit(
        X,
        y,
        eval_set=[(X_stop, y_stop)],
        eval_metric=metric,
        callbacks=[lgb.early_stopping(ROUNDS, verbose=False)],
        **given,
        **stop,
    )
    predictions = lightgbm_rounds(model, X, y, X_stop, **given)
    return model.best_iteration_ - 1, model.evals_result_["valid_0"], predictions


def with_lightgbm_train(rows, metric):
    lgb = pytest.importorskip("lightgbm")
    X, y, X_stop, y_stop, sizes = rows
    train, log = lgb.Dataset(X, y, group=sizes), {}
    model = lgb.train(
        {"objective": "binary" if sizes is None else "lambdarank", **QUIET},
        train,
        ROUNDS,
        valid_sets=[train.create_valid(X_stop, y_stop, group=sizes)],
        feval=metric,
        callbacks=[lgb.early_stopping(ROUNDS, verbose=False), lgb.record_evaluation(log)],
        keep_training_booster=True,  # with the rounds after the best one
    )
    predictions = [model.predict(X_stop, num_iteration=n + 1) for n in range(ROUNDS)]
    return model.best_iteration - 1, log["valid_0"], predictions


def with_xgboost(rows, metric):
    xgb = pytest.importorskip("xgboost")
    X, y, X_stop, y_stop, sizes = rows
    kind = xgb.XGBClassifier if sizes is None else xgb.XGBRanker
    model = kind(n_estimators=ROUNDS, eval_metric=metric, early_stopping_rounds=ROUNDS, **ALONE)
    given = {} if sizes is None else {"group": sizes, "eval_group": [sizes]}
    model.fit(X, y, eval_set=[(X_stop, y_stop)], verbose=False, **given)
    predict = model.predict if sizes else lambda *a, **k: model.predict_proba(*a, **k)[:, 1]
    predictions = [predict(X_stop, iteration_range=(0, n + 1)) for n in range(ROUNDS)]
    return model.best_iteration, model.evals_result()["validation_0"], predictions


def with_xgboost_train(rows, metric, weight=None, query=None):
    xgb = pytest.importorskip("xgboost")
    X, y, X_stop, y_stop, sizes = rows
    by = {"group": sizes} if query is None else {"qid": query}
    objective = "binary:logistic" if sizes is None else f"rank:{'map' if max(y) < 2 else 'ndcg'}"
    stop, log = xgb.DMatrix(X_stop, y_stop, weight=weight, **by), {}
    model = xgb.train(
        {"objective": objective, **ALONE},
        xgb.DMatrix(X, y, **by),
        ROUNDS,
        evals=[(stop, "validation_0")],
        custom_metric=metric,
        early_stopping_rounds=ROUNDS,
        evals_result=log,
        verbose_eval=False,
    )
    predictions = [model.predict(stop, iteration_range=(0, n + 1)) for n in range(ROUNDS)]
    return model.best_iteration, log["validation_0"], predictions


def check_fit(fit, rows, name, options, by_hand, is_strict=True, **given):
    """The values in the log are those by hand, and the round with the highest one is kept."""
    is_xgboost = fit in (with_xgboost, with_xgboost_train)
    metric = (xgboost_metric if is_xgboost else lightgbm_metric)(name, **options)
    kept, log, predictions = fit(rows, metric, **given)
    assert list(log) == [metric.__name__]
    values = in_each_round(predictions, by_hand)
    decimals = 6 if is_xgboost else 15
    if is_strict:
        check_kept(kept, values, log[metric.__name__], decimals)
    else:
        np.testing.assert_allclose(log[metric.__name__], values, atol=6e-7)
        assert kept == np.argmax(values.round(decimals))


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize(
    ("kind", "metric"), [(kind, METRICS[place % 3]) for place, kind in enumerate(KINDS)]
)
def test_lightgbm_classifier_keeps_the_best_round(kind, positive, metric):
    classes, (X, y, X_stop, y_stop) = KINDS[kind], noisy()
    options = {} if kind == "0 and 1" else {"classes": classes}
    options["pos_label"] = classes[positive]
    by_hand = score_by_hand(metric, y_stop == positive)
    rows = X, classes[y], X_stop, classes[y_stop], None
    check_fit(with_lightgbm, rows, metric, options, lambda p: by_hand(p[:, positive]))


@pytest.mark.parametrize(
    ("pos_label", "classes", "metric"),
    [
        (0, None, METRICS[0]),
        (1, None, METRICS[1]),
        ("a", ["b", "a"], METRICS[2]),
        ("b", ["b", "a"], METRICS[0]),
    ],
)
@pytest.mark.parametrize("fit", [with_lightgbm_train, with_xgboost, with_xgboost_train])
def test_the_best_round_is_kept(fit, pos_label, classes, metric):
    rows = *noisy(), None
    positive = pos_label if classes is None else classes.index(pos_label)
    by_hand = score_by_hand(metric, rows[3] == positive)
    options = {"pos_label": pos_label, "classes": classes}
    check_fit(fit, rows, metric, options, lambda p: by_hand(p * (2 * positive - 1)))


def xgb_log(log, metric):
    (name,) = log["validation_0"]
    assert name in (metric, f"pre_{metric}")
    return log["validation_0"][name]


def test_cross_validation_of_the_libraries_keeps_the_best_round(lgb, xgb):
    X, y, *_ = noisy()
    name = "average_precision_at_30"
    log = lgb.cv(
        {"objective": "binary", **QUIET},
        lgb.Dataset(X, y),
        ROUNDS,
        feval=lightgbm_metric(name),
        callbacks=[lgb.early_stopping(10, verbose=False)],
    )
    means = log[f"valid {name}-mean"]
    assert 1 < len(means) == np.argmax(means) + 1 < ROUNDS
    params = {"objective": "binary:logistic", **ALONE}
    given = {"custom_metric": xgboost_metric(name), "nfold": 5, "as_pandas": False, "seed": 0}
    data = xgb.DMatrix(X, y)
    every = xgb.cv(params, data, ROUNDS, **given)[f"test-pre_{name}-mean"]
    kept = xgb.cv(params, data, ROUNDS, early_stopping_rounds=10, **given)
    assert len(kept[f"test-pre_{name}-mean"]) == np.argmax(every) + 1


# --- weights ------------------------------------------------------------------------------------


def weights(n, seed=3):
    """Weights that are exact in 32 bits, as the libraries store them."""
    return np.random.default_rng(seed).integers(0, 64, n) / 16


def test_weights_are_sample_weights(lgb, xgb):
    X, y, X_stop, y_stop = noisy()
    weight = weights(len(y_stop))
    by_hand = partial(ap.average_precision_score, y_stop, sample_weight=weight)

    model = lgb.LGBMClassifier(n_estimators=3, **QUIET)
    given = {"eval_set": [(X_stop, y_stop)], "eval_sample_weight": [weight]}
    model.fit(X, y, **given, eval_metric=lightgbm_metric())
    logged = model.evals_result_["valid_0"]["average_precision"][-1]
    assert logged == pytest.approx(by_hand(model.predict_proba(X_stop)[:, 1]), abs=1e-15)

    metric = xgboost_metric()
    model = xgb.XGBClassifier(n_estimators=3, eval_metric=metric)
    given = {"eval_set": [(X_stop, y_stop)], "sample_weight_eval_set": [weight]}
    model.fit(X, y, **given, verbose=False)
    logged = model.evals_result()["validation_0"]["pre_average_precision"][-1]
    assert logged == pytest.approx(by_hand(model.predict_proba(X_stop)[:, 1]), abs=6e-7)

    stop = xgb.DMatrix(X_stop, y_stop, weight=weight)
    predicted = model.get_booster().predict(stop)
    expected = pytest.approx(by_hand(predicted), abs=1e-15)
    assert metric(predicted, stop) == ("pre_average_precision", expected)


# --- several classes ----------------------------------------------------------------------------


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_several_classes(lgb, xgb, average):
    X, y, X_stop, y_stop = noisy(n_classes=4)
    y[:4] = range(4)
    kept = y_stop != 2  # no row of one class to stop by
    X_stop, y_stop = X_stop[kept], y_stop[kept]
    options = {"average": average, "zero_division": 0.0}
    names = np.array(["d", "c", "b", "a"])
    classes = np.unique(names)

    model = lgb.LGBMClassifier(n_estimators=ROUNDS, **QUIET)
    for given in ({}, {"classes": classes}):
        model.fit(
            X,
            names[y],
            eval_set=[(X_stop, names[y_stop])],
            eval_metric=lightgbm_metric(**options, **given),
            callbacks=[lgb.early_stopping(ROUNDS, verbose=False)],
        )
        by_hand = in_each_round(
            lightgbm_rounds(model, X, names[y], X_stop),
            partial(ap.average_precision_score, names[y_stop], classes=classes, **options),
        )
        logged = model.evals_result_["valid_0"][lightgbm_metric(**options).__name__]
        check_kept(model.best_iteration_ - 1, by_hand, logged)

    model = xgb.XGBClassifier(
        n_estimators=ROUNDS,
        eval_metric=xgboost_metric(**options),
        early_stopping_rounds=ROUNDS,
        **ALONE,
    )
    model.fit(X, y, eval_set=[(X_stop, y_stop)], verbose=False)
    by_hand = in_each_round(
        [model.predict_proba(X_stop, iteration_range=(0, n + 1)) for n in range(ROUNDS)],
        partial(ap.average_precision_score, y_stop, classes=range(4), **options),
    )
    logged = xgb_log(model.evals_result(), xgboost_metric(**options).__name__)
    check_kept(model.best_iteration, by_hand, logged, decimals=6)


@pytest.mark.parametrize("rounds", [0, 1, 5])  # of no round all predictions are one class
def test_predicted_classes_are_refused(xgb, rounds):
    X, y, X_stop, y_stop = noisy(n_classes=3)
    stop = xgb.DMatrix(X_stop, y_stop)
    model = xgb.train({"objective": "multi:softmax", "num_class": 3}, xgb.DMatrix(X, y), rounds)
    for metric in (xgboost_metric(), xgboost_metric(classes=["a", "b", "c"])):
        with pytest.raises(ValueError, match=r"use 'multi:softprob', which predicts probabilities"):
            metric(model.predict(stop), stop)


@pytest.mark.parametrize(
    "params", [{"objective": "binary:hinge"}, {"objective": "multi:softmax", "num_class": 2}]
)
def test_two_predicted_classes_are_refused(xgb, params):
    X, y, X_stop, y_stop = noisy()
    evals = [(xgb.DMatrix(X_stop, y_stop), "stop")]
    for options in ({}, {"pos_label": "a", "classes": ["a", "b"]}):
        with pytest.raises(
            ValueError, match=r"'binary:hinge' predict classes, so use 'binary:logistic'"
        ):
            xgb.train(
                params, xgb.DMatrix(X, y), 3, evals=evals, custom_metric=xgboost_metric(**options)
            )
    model = xgb.XGBClassifier(**params, eval_metric=xgboost_metric(), n_estimators=3)
    with pytest.raises(ValueError, match=r"The predictions are the classes \[(0\.0, )?1\.0\]"):
        model.fit(X, y, eval_set=[(X_stop, y_stop)], verbose=False)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.0], 0.5),  # margins of a model without a split
        ([1.0, 0.0, 1.0, 0.0], 1.0),  # a regression without an error
        ([1.0, 0.0, 2.0, 0.0], 1.0),
        ([1.0, 0.0, 0.5, 0.0], 1.0),
    ],
)
def test_scores_that_are_whole_numbers_rank(scores, expected):
    assert xgboost_metric()(np.array([1, 0, 1, 0]), np.array(scores)) == expected


def test_several_labels_a_row(xgb):
    X, y, X_stop, y_stop = noisy(n_classes=4)
    bits = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]])
    model = xgb.XGBClassifier(n_estimators=3, eval_metric=xgboost_metric(average="samples"))
    model.fit(X, bits[y], eval_set=[(X_stop, bits[y_stop])], verbose=False)
    by_hand = ap.average_precision_score(
        bits[y_stop], model.predict_proba(X_stop), average="samples"
    )
    logged = model.evals_result()["validation_0"]["pre_average_precision_average_samples"][-1]
    assert logged == pytest.approx(by_hand, abs=6e-7)


# --- rankers ------------------------------------------------------------------------------------

MAP = "mean_average_precision_at_5"


def queries(sizes, seed=0):
    """Return rows of queries that all have a positive, for training and for early stopping."""
    X, y, *_ = noisy(seed=seed)
    n, starts = sum(sizes), np.cumsum([0, *sizes[:-1]])
    y[starts] = y[starts + n] = 1
    query = np.repeat(np.arange(len(sizes)), sizes)
    return X[:n], y[:n], X[n : 2 * n], y[n : 2 * n], query


UNEQUAL = [1, 7, 12, 20, 5, 9, 30, 16, 11, 14, 3, 22, 8, 17, 25, 40, 10, 50]
EQUAL = [20] * 15


def test_grades_to_learn_from_and_labels_to_stop_by(lgb):
    X, y, X_stop, y_stop, query = queries(UNEQUAL)
    grades = y * (1 + np.arange(y.size) % 3)
    relevant = y_stop * (1 + np.arange(y.size) % 3) >= 2
    model = lgb.LGBMRanker(n_estimators=2, **QUIET)
    given = {"group": UNEQUAL, "eval_group": [UNEQUAL], "eval_set": [(X_stop, relevant)]}
    model.fit(X, grades, **given, eval_metric=lightgbm_metric(MAP, zero_division=0.0))
    by_hand = score_by_hand(MAP, relevant, groups=query, zero_division=0.0)
    logged = model.evals_result_["valid_0"][f"{MAP}_zero_division_0.0"][-1]
    assert logged == pytest.approx(by_hand(model.predict(X_stop)), abs=1e-15)


def graded_queries(sizes):
    """Return grades from 0 to 4 for training and stopping; some queries have none above 1."""
    X, _, X_stop, _, query = queries(sizes)
    rng = np.random.default_rng(3)
    each = [np.digitize(x[:, 0] + rng.standard_normal(len(x)), [-1, 0, 1, 2]) for x in (X, X_stop)]
    each[1][query % 5 == 0] %= 2
    return X, each[0], X_stop, each[1], query


GRADED = {"min_grade": 2, "zero_division": 0.0}


@pytest.mark.parametrize("is_graded", [False, True])
@pytest.mark.parametrize(
    ("fit", "sizes"),
    [
        (with_lightgbm, UNEQUAL),
        (with_lightgbm_train, UNEQUAL),
        (with_xgboost_train, UNEQUAL),
        (with_xgboost, [300]),
    ],
)
def test_rankers_keep_the_best_round(fit, sizes, is_graded):
    if is_graded:
        *rows, query = graded_queries(sizes)
        labels, options = rows[3] >= 2, GRADED
    else:
        *rows, query = queries(sizes)
        labels, options = rows[3], {"zero_division": 0.0}
    by_hand = score_by_hand(MAP, labels, groups=query, zero_division=0.0)
    check_fit(fit, (*rows, sizes), MAP, options, by_hand, is_strict=fit is not with_xgboost)


def test_every_metric_of_a_ranker_is_a_mean_over_queries():
    *rows, query = queries(UNEQUAL)
    weight = weights(len(query)) + 1
    by_hand = score_by_hand(MAP, rows[3], groups=query, sample_weight=weight)
    given = {"eval_sample_weight": [weight]}
    check_fit(with_lightgbm, (*rows, UNEQUAL), "average_precision_at_5", {}, by_hand, **given)


def test_xgboost_has_one_weight_for_each_query():
    *rows, query = queries(UNEQUAL)
    weight = weights(len(UNEQUAL), seed=5)
    each = score_by_hand(MAP, rows[3], groups=query, average=None)

    def by_hand(scores):
        return np.average(each(scores), weights=weight)

    given = {"weight": weight, "query": query}
    check_fit(with_xgboost_train, (*rows, UNEQUAL), MAP, {}, by_hand, **given)


@each_factory
def test_what_goes_with_grades(factory):
    metric = factory("average_precision_at_2", min_grade=2, zero_division=0.0)
    assert repr(metric).endswith("('average_precision_at_2', min_grade=2, zero_division=0.0)")
    assert copy.deepcopy(metric).__name__ == metric.__name__


@pytest.mark.parametrize("sizes", [UNEQUAL, EQUAL])
@pytest.mark.parametrize("metric", [MAP, "average_precision_at_5"])
def test_xgboost_ranker_refuses_several_queries(xgb, sizes, metric):
    X, y, X_stop, y_stop, _ = queries(sizes)
    model = xgb.XGBRanker(n_estimators=2, eval_metric=xgboost_metric(metric))
    given = {"eval_set": [(X_stop, y_stop)], "eval_group": [sizes]}
    with pytest.raises(ValueError, match="Pass the metric to xgboost"):
        model.fit(X, y, group=sizes, **given, verbose=False)


# --- in scikit-learn ----------------------------------------------------------------------------


# --- the ranker of the page ----------------------------------------------------------------------


def page_ranker(lgb):
    page = (Path(__file__).parents[1] / "docs" / "boosting.md").read_text(encoding="utf-8")
    namespace = {"lgb": lgb, "np": np}
    exec(re.search(r"^class QueryRanker.*?(?=^\S)", page, re.M | re.S)[0], namespace)
    return namespace["QueryRanker"]


@pytest.mark.parametrize("library", ["numpy", "pandas"])
def test_the_ranker_of_the_page_takes_queries_in_any_order(lgb, library):
    X, y, _, _, query = queries(UNEQUAL)
    order = np.random.default_rng(0).permutation(len(y))
    given = [X[order], y[order], query[order]]
    if library == "pandas":
        pd = pytest.importorskip("pandas")
        index = order + 100  # no row is where its label says
        given = [pd.DataFrame(given[0], index), *(pd.Series(each, index) for each in given[1:])]
    model = page_ranker(lgb)(n_estimators=3, **QUIET).fit(*given)
    by_hand = lgb.LGBMRanker(n_estimators=3, **QUIET)
    stable = np.argsort(query[order], kind="stable")
    by_hand.fit(X[order][stable], y[order][stable], group=np.bincount(query))
    np.testing.assert_array_equal(model.predict(given[0]), by_hand.predict(X[order]))
