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


@pytest.mark.parametrize(
    ("metric", "options", "name"),
    [
        ("average_precision_at_k", {"k": 10}, "average_precision_at_10"),
        ("AP@9", {"ties": "best"}, "average_precision_at_9_ties_best"),
        ("AP@9", {"denominator": "hits"}, "average_precision_at_9_denominator_hits"),
        ("average_precision", {"zero_division": 1.0}, "average_precision_zero_division_1.0"),
        ("enrichment_factor_at_50", {"ties": "worst"}, "enrichment_factor_at_50_ties_worst"),
        ("eleven_point_average_precision", {}, "11_point_average_precision"),
        ("precision_at_recall", {"min_recall": 0.9}, "precision_at_recall_0.9"),
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


OPTIONS = ["pos_label='a', classes=classes, ties='expected'", "min_grade=2, zero_division=0.0"]


@each_factory
@pytest.mark.parametrize("options", OPTIONS)
def test_copies_and_pickles_are_the_same(factory, options):
    """And nothing that was passed is changed, or changes a metric later."""
    classes, y, s = np.array(["a", "b"]), np.array([0, 1, 1, 0]), np.array([0.5, 0.5, 0.1, 0.9])
    text = f"{factory.__name__}('average_precision_at_2', {options})"
    metric = eval(text, {factory.__name__: factory, "classes": classes})
    before = metric(y, s)
    classes[:] = ["x", "y"]
    for each in (metric, copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert repr(each) == text.replace("classes=classes", "classes=['a', 'b']")
        assert each.__name__ == metric.__name__
        assert each(y, s) == before
    assert (y.tolist(), s.tolist()) == ([0, 1, 1, 0], [0.5, 0.5, 0.1, 0.9])


def library_data(label, weight=None, group=None):
    given = {"get_label": label, "get_weight": weight, "get_group": group}
    return SimpleNamespace(**{name: lambda value=value: value for name, value in given.items()})


def value_of(answer):
    return answer[1] if isinstance(answer, tuple) else answer


SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
LABELS = np.array([1.0, 0.0, 1.0, 1.0, 0.0])  # step 1/3 (1 + 2/3 + 3/4), and 2/5 + 1/5 for zeros


BINARY = [["a", "b"], [1, 2], [-1, 1], [False, True]]


@each_factory
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 29 / 36),
        ({"pos_label": True}, 29 / 36),
        ({"pos_label": 0}, 3 / 4),
        *(({"pos_label": each[0], "classes": each}, 3 / 4) for each in BINARY),
        *(({"pos_label": each[1], "classes": each}, 29 / 36) for each in BINARY),
        ({"pos_label": 1, "classes": [False, True]}, 29 / 36),
    ],
)
def test_each_class_may_be_the_positive_one(factory, given, expected):
    metric = factory(**given)
    columns = np.column_stack([1 - SCORES, SCORES])
    for scores in (SCORES, columns):
        assert value_of(metric(LABELS, scores)) == pytest.approx(expected, abs=1e-15)


@each_factory
def test_columns_are_those_of_numbered_classes(factory):
    """By the columns, the samples of the classes are second and last, first, and last of four."""
    columns = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
    value = value_of(factory()(np.array([0.0, 1.0, 2.0, 0.0]), columns))
    assert value == pytest.approx(((1 / 2 + 2 / 4) / 2 + 1 + 1 / 4) / 3)


def test_weights_of_queries_are_those_of_the_mean_that_was_asked_for():
    data = library_data(np.array([0.0, 1, 1, 0, 0]), np.array([1.0, 3]), np.array([2, 3]))
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
    with pytest.warns(UserWarning, match="k=9 exceeds the 5 samples"):
        factory("precision_at_9")(LABELS, SCORES)


# --- the round that is kept ---------------------------------------------------------------------

ROUNDS = 40
QUIET = {"metric": "None", "verbose": -1, "n_jobs": 1}  # LightGBM with no metric of its own
ALONE = {"disable_default_eval_metric": True, "n_jobs": 1}  # XGBoost
METRICS = ("average_precision_at_30", "average_precision", "precision_at_recall_0.5")
KINDS = [None, np.array([1, 2]), np.array([-1, 1]), np.array(["fraud", "legit"])]
KINDS.append(KINDS[-1].astype(object))


def noisy(n_classes=2, seed=0):
    """Return rows for training and for early stopping, with labels that nothing predicts well."""
    options = {"n_classes": n_classes, "flip_y": 0.3, "class_sep": 0.5, "random_state": seed}
    X, y = make_classification(1200, 8, n_informative=4, **options)
    return X[:800], y[:800], X[800:], y[800:]


def score_by_hand(metric, y_true, **options):
    return partial(ap.metric(metric, **options), y_true)


def of_positive(predicted):
    """Return the probabilities of the second of two classes."""
    return predicted[:, 1] if predicted.ndim == 2 else predicted


def with_lightgbm(rows, metric, **stop):
    """Fit with early stopping. Return the round that was kept, the log, and all predictions."""
    lgb = pytest.importorskip("lightgbm")
    X, y, X_stop, y_stop, sizes = rows
    given = {} if sizes is None else {"group": sizes}
    stop |= {} if sizes is None else {"eval_group": [sizes]}
    stop["callbacks"] = [lgb.early_stopping(ROUNDS, verbose=False)]
    kind = lgb.LGBMClassifier if sizes is None else lgb.LGBMRanker
    model = kind(n_estimators=ROUNDS, **QUIET)
    whole = clone(model).fit(X, y, **given)  # which has the rounds after the best one, too
    model.fit(X, y, eval_set=[(X_stop, y_stop)], eval_metric=metric, **given, **stop)
    predict = getattr(whole, "predict_proba", whole.predict)
    predictions = [predict(X_stop, num_iteration=n + 1) for n in range(ROUNDS)]
    return model.best_iteration_ - 1, model.evals_result_["valid_0"], predictions


def with_lightgbm_train(rows, metric):
    lgb = pytest.importorskip("lightgbm")
    X, y, X_stop, y_stop, sizes = rows
    train, log = lgb.Dataset(X, y, group=sizes), {}
    options = {"objective": "binary" if sizes is None else "lambdarank", **QUIET}
    model = lgb.train(
        options,
        train,
        ROUNDS,
        valid_sets=[train.create_valid(X_stop, y_stop, group=sizes)],
        feval=metric,
        callbacks=[lgb.early_stopping(ROUNDS, verbose=False), lgb.record_evaluation(log)],
        keep_training_booster=True,  # with the rounds after the best one
    )
    predictions = [model.predict(X_stop, num_iteration=n + 1) for n in range(ROUNDS)]
    return model.best_iteration - 1, log["valid_0"], predictions


def with_xgboost(rows, metric, **stop):
    xgb = pytest.importorskip("xgboost")
    X, y, X_stop, y_stop, sizes = rows
    kind = xgb.XGBClassifier if sizes is None else xgb.XGBRanker
    model = kind(n_estimators=ROUNDS, eval_metric=metric, early_stopping_rounds=ROUNDS, **ALONE)
    stop |= {} if sizes is None else {"group": sizes, "eval_group": [sizes]}
    model.fit(X, y, eval_set=[(X_stop, y_stop)], verbose=False, **stop)
    predict = getattr(model, "predict_proba", model.predict)
    predictions = [predict(X_stop, iteration_range=(0, n + 1)) for n in range(ROUNDS)]
    return model.best_iteration, model.evals_result()["validation_0"], predictions


def with_xgboost_train(rows, metric, weight=None, query=None):
    xgb = pytest.importorskip("xgboost")
    X, y, X_stop, y_stop, sizes = rows
    by = {"group": sizes} if query is None else {"qid": query}
    objective = "binary:logistic" if sizes is None else f"rank:{'map' if max(y) < 2 else 'ndcg'}"
    stop, log = xgb.DMatrix(X_stop, y_stop, weight=weight, **by), {}
    options = {"custom_metric": metric, "early_stopping_rounds": ROUNDS, "evals_result": log}
    options |= {"evals": [(stop, "validation_0")], "verbose_eval": False}
    params = {"objective": objective, **ALONE}
    model = xgb.train(params, xgb.DMatrix(X, y, **by), ROUNDS, **options)
    predictions = [model.predict(stop, iteration_range=(0, n + 1)) for n in range(ROUNDS)]
    return model.best_iteration, log["validation_0"], predictions


def check_fit(fit, rows, name, options, by_hand, is_strict=True, **given):
    """The values in the log are those by hand, and the round with the highest one is kept."""
    is_xgboost = fit not in (with_lightgbm, with_lightgbm_train)
    metric = (xgboost_metric if is_xgboost else lightgbm_metric)(name, **options)
    kept, log, predictions = fit(rows, metric, **given)
    assert list(log) == [metric.__name__]
    values = np.array([by_hand(prediction) for prediction in predictions])
    decimals = 6 if is_xgboost else 15
    atol = 0.6 * 10.0**-decimals + 1e-15
    np.testing.assert_allclose(log[metric.__name__], values, rtol=0, atol=atol)
    assert kept == np.argmax(values.round(decimals))
    assert not is_strict or values[kept] > max(values[0], values[-1])


ANY_FIT = [with_lightgbm_train, with_xgboost, with_xgboost_train]


@pytest.mark.sweep(6)
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize(
    ("fit", "classes", "metric"),
    [
        *((with_lightgbm, kind, METRICS[place % 3]) for place, kind in enumerate(KINDS)),
        *((fit, None, METRICS[1]) for fit in ANY_FIT),
        *((fit, ["b", "a"], METRICS[place]) for place, fit in enumerate(ANY_FIT)),
    ],
)
def test_the_best_round_is_kept(fit, classes, positive, metric):
    X, y, X_stop, y_stop = noisy()
    labels = np.array([0, 1] if classes is None else classes)
    options = {} if classes is None else {"classes": classes}
    options["pos_label"] = labels[positive].item() if classes is None else classes[positive]
    by_hand = score_by_hand(metric, y_stop == positive)
    if fit is with_lightgbm:  # which takes labels of any kind
        y, y_stop = labels[y], labels[y_stop]
    rows, sign = (X, y, X_stop, y_stop, None), 2 * positive - 1
    check_fit(fit, rows, metric, options, lambda p: by_hand(sign * of_positive(p)))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("labels", [["fraud", "legit"], [1, 2], [0, 2], [-1, 0]], ids=str)
@pytest.mark.parametrize("metric", ["AP", "P@10", ap.metric("R@10")], ids=str)
def test_lightgbm_does_not_say_which_of_other_labels_is_positive(lgb, labels, metric):
    """It passes the number 1 for the second one, which nobody called positive."""
    X, y, X_stop, y_stop = noisy()
    y, y_stop = np.array(labels)[y], np.array(labels)[y_stop]
    fit = partial(lgb.LGBMClassifier(n_estimators=1, **QUIET).fit, X, y)
    words = re.escape(f"0 and 1 for the labels {labels}, so pos_label=1 would mean {labels[1]!r}.")
    with pytest.raises(ValueError, match=words) as caught:
        fit(eval_set=[(X_stop, y_stop)], eval_metric=lightgbm_metric(metric))
    options = {"pos_label": labels[0], "classes": labels}
    assert f"as in pos_label={labels[0]!r}, classes={labels}." in str(caught.value)
    for given in (options, {"pos_label": 0}):
        model = fit(eval_set=[(X_stop, y_stop)], eval_metric=lightgbm_metric(metric, **given))
        (found,) = model.evals_result_["valid_0"].values()
        score = model.predict_proba(X_stop)[:, 0]
        assert found == [pytest.approx(ap.metric(metric)(y_stop == labels[0], score))]


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [False, True], [0.0, 1.0]], ids=str)
def test_lightgbm_says_which_label_is_1(lgb, labels):
    X, y, X_stop, y_stop = noisy()
    model = lgb.LGBMClassifier(n_estimators=1, **QUIET).fit(
        X,
        np.array(labels)[y],
        eval_set=[(X_stop, np.array(labels)[y_stop])],
        eval_metric=lightgbm_metric("AP"),
    )
    expected = ap.average_precision_score(y_stop, model.predict_proba(X_stop)[:, 1])
    assert model.evals_result_["valid_0"]["average_precision"] == [pytest.approx(expected)]


def test_cross_validation_of_the_libraries_keeps_the_best_round(lgb, xgb):
    X, y, *_ = noisy()
    name, data = "average_precision_at_30", (lgb.Dataset(X, y), xgb.DMatrix(X, y))
    stop = {"feval": lightgbm_metric(name), "callbacks": [lgb.early_stopping(10, verbose=False)]}
    means = lgb.cv({"objective": "binary", **QUIET}, data[0], ROUNDS, **stop)[f"valid {name}-mean"]
    assert 1 < len(means) == np.argmax(means) + 1 < ROUNDS
    params = {"objective": "binary:logistic", **ALONE}
    given = {"custom_metric": xgboost_metric(name), "nfold": 5, "as_pandas": False, "seed": 0}
    every = xgb.cv(params, data[1], ROUNDS, **given)[f"test-pre_{name}-mean"]
    kept = xgb.cv(params, data[1], ROUNDS, early_stopping_rounds=10, **given)
    assert len(kept[f"test-pre_{name}-mean"]) == np.argmax(every) + 1


def weights(n, seed=3):
    """Weights that are exact in 32 bits, as the libraries store them."""
    return np.random.default_rng(seed).integers(0, 64, n) / 16


@pytest.mark.parametrize(
    ("fit", "name"),
    [(with_lightgbm, "eval_sample_weight"), (with_xgboost, "sample_weight_eval_set")],
)
def test_weights_are_sample_weights(fit, name):
    *rows, y_stop = noisy()
    weight = weights(len(y_stop))
    by_hand = score_by_hand("average_precision", y_stop, sample_weight=weight)
    given = {name: [weight], "is_strict": False}
    check_fit(fit, (*rows, y_stop, None), "AP", {}, lambda p: by_hand(of_positive(p)), **given)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize(
    ("fit", "labels", "classes"),
    [
        *((with_lightgbm, [*"dcba"], classes) for classes in (None, np.array([*"abcd"]))),
        (with_xgboost, [0, 1, 2, 3], None),
    ],
)
def test_several_classes(fit, labels, classes, average):
    X, y, X_stop, y_stop = noisy(n_classes=4)
    y[:4], kept = range(4), y_stop != 2  # no row of one class to stop by
    names, options = np.array(labels), {"average": average, "zero_division": 0.0}
    rows = X, names[y], X_stop[kept], names[y_stop[kept]], None
    by_hand = score_by_hand("average_precision", rows[3], classes=sorted(labels), **options)
    check_fit(fit, rows, "AP", options | {"classes": classes}, by_hand)


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
    data, evals = xgb.DMatrix(X, y), [(xgb.DMatrix(X_stop, y_stop), "stop")]
    for options in ({}, {"pos_label": "a", "classes": ["a", "b"]}):
        given = {"evals": evals, "custom_metric": xgboost_metric(**options)}
        with pytest.raises(ValueError, match=r"'binary:hinge' predict classes, so use 'binary:l"):
            xgb.train(params, data, 3, **given)
    model = xgb.XGBClassifier(**params, eval_metric=xgboost_metric(), n_estimators=3)
    with pytest.raises(ValueError, match=r"The predictions are the classes \[(0\.0, )?1\.0\]"):
        model.fit(X, y, eval_set=[(X_stop, y_stop)], verbose=False)


@each_factory
@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.0], 0.5),  # margins of a model without a split
        *(([1.0, 0.0, third, 0.0], 1.0) for third in (1.0, 2.0, 0.5)),  # a regression
    ],
)
def test_scores_that_are_whole_numbers_rank(factory, scores, expected):
    assert value_of(factory()(np.array([1, 0, 1, 0]), np.array(scores))) == expected


def test_several_labels_a_row():
    X, y, X_stop, y_stop = noisy(n_classes=4)
    bits = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]])
    by_hand = score_by_hand("average_precision", bits[y_stop], average="samples")
    rows = X, bits[y], X_stop, bits[y_stop], None
    check_fit(with_xgboost, rows, "AP", {"average": "samples"}, by_hand)


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


def graded_queries(sizes):
    """Return grades from 0 to 4 for training and stopping; some queries have none above 1."""
    X, _, X_stop, _, query = queries(sizes)
    rng = np.random.default_rng(3)
    each = [np.digitize(x[:, 0] + rng.standard_normal(len(x)), [-1, 0, 1, 2]) for x in (X, X_stop)]
    each[1][query % 5 == 0] %= 2
    return X, each[0], X_stop, each[1], query


ANY_SIZES = [with_lightgbm, with_lightgbm_train, with_xgboost_train]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("is_graded", [False, True])
@pytest.mark.parametrize(
    ("fit", "sizes"), [*((fit, UNEQUAL) for fit in ANY_SIZES), (with_xgboost, [300])]
)
def test_rankers_keep_the_best_round(fit, sizes, is_graded):
    *rows, query = (graded_queries if is_graded else queries)(sizes)
    labels = rows[3] >= 2 if is_graded else rows[3]
    options = {"zero_division": 0.0} | ({"min_grade": 2} if is_graded else {})
    by_hand = score_by_hand(MAP, labels, groups=query, zero_division=0.0)
    check_fit(fit, (*rows, sizes), MAP, options, by_hand, is_strict=fit is not with_xgboost)


def test_xgboost_has_one_weight_for_each_query():
    *rows, query = queries(UNEQUAL)
    weight = weights(len(UNEQUAL), seed=5)
    each = score_by_hand(MAP, rows[3], groups=query, average=None)
    fit = partial(with_xgboost_train, weight=weight, query=query)
    check_fit(fit, (*rows, UNEQUAL), MAP, {}, lambda p: np.average(each(p), weights=weight))


@pytest.mark.parametrize("sizes", [UNEQUAL, EQUAL])
@pytest.mark.parametrize("metric", [MAP, "average_precision_at_5"])
def test_xgboost_ranker_refuses_several_queries(xgb, sizes, metric):
    X, y, X_stop, y_stop, _ = queries(sizes)
    model = xgb.XGBRanker(n_estimators=2, eval_metric=xgboost_metric(metric))
    given = {"eval_set": [(X_stop, y_stop)], "eval_group": [sizes]}
    with pytest.raises(ValueError, match="Pass the metric to xgboost"):
        model.fit(X, y, group=sizes, **given, verbose=False)


@pytest.mark.parametrize("library", ["numpy", "pandas"])
def test_the_ranker_of_the_page_takes_queries_in_any_order(lgb, library):
    page = (Path(__file__).parents[1] / "docs" / "boosting.md").read_text(encoding="utf-8")
    namespace = {"lgb": lgb, "np": np}
    exec(re.search(r"^class QueryRanker.*?(?=^\S)", page, re.M | re.S)[0], namespace)
    X, y, _, _, query = queries(UNEQUAL)
    order = np.random.default_rng(0).permutation(len(y))
    given = [X[order], y[order], query[order]]
    if library == "pandas":
        pd = pytest.importorskip("pandas")
        index = order + 100  # no row is where its label says
        given = [pd.DataFrame(given[0], index), *(pd.Series(each, index) for each in given[1:])]
    model = namespace["QueryRanker"](n_estimators=3, **QUIET).fit(*given)
    stable = order[np.argsort(query[order], kind="stable")]
    by_hand = lgb.LGBMRanker(n_estimators=3, **QUIET)
    by_hand.fit(X[stable], y[stable], group=np.bincount(query))
    np.testing.assert_array_equal(model.predict(given[0]), by_hand.predict(X[order]))


QUERY = np.repeat(np.arange(20), 10)
GRADE = np.random.default_rng(0).integers(0, 4, 200)
FEATURES = GRADE[:, np.newaxis] + np.random.default_rng(1).normal(size=(200, 2))


def first_grade(y_true, y_score):
    return float(y_true[np.argmax(y_score)])


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_a_function_of_groups_is_evaluated_by_rankers(greater_is_better):
    metric = ap.metric(first_grade, name="pre x", greater_is_better=greater_is_better)
    ours = lightgbm_metric(metric)
    score = FEATURES[:, 0]
    found = ours(GRADE, score, None, np.full(20, 10))
    assert found == ("pre_x", metric(GRADE, score, groups=QUERY), greater_is_better)
    name = "pre_x" if greater_is_better else "lower_pre_x"  # XGBoost maximizes the first
    assert xgboost_metric(metric).__name__ == name
    with pytest.raises(ValueError, match="pass groups="):
        ours(GRADE, score)
