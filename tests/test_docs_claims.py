"""What pages say about other tools and about speed, each with what shows that it's true.

A claim is checked by a function below, or by a test elsewhere, which the list names. Figures that
simulations and benchmarks measured name their command on the page itself (`test_docs_pages.py`).
"""

import inspect
import itertools
import os
import re
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from packaging.version import Version
from scipy.stats import ks_2samp
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegressionCV, RidgeClassifierCV
from sklearn.metrics import (
    PrecisionRecallDisplay,
    average_precision_score,
    make_scorer,
    precision_recall_curve,
    roc_auc_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.naive_bayes import GaussianNB

import sklearn_ap as ap

ROOT = Path(__file__).parents[1]
VERSION = Version(Version(sklearn.__version__).base_version)
X, Y = load_breast_cancer(return_X_y=True)
X = X[:, [0, 5]]
NAMES = np.where(Y == 1, "benign", "malignant")


def two_strings_score_nan():
    with pytest.warns(UserWarning, match="pos_label=1 is not a valid label"):
        values = cross_val_score(GaussianNB(), X, NAMES, scoring="average_precision")
    assert np.isnan(values).all()


def three_classes_score_as_their_labels_allow():
    flowers = load_iris()
    given = {"scoring": "average_precision", "error_score": np.nan}
    for names in (flowers.target_names, [0, 1, 2], [1, 2, 3], [10, 20, 30]):
        labels = np.array(names)[flowers.target]
        values = cross_val_score(GaussianNB(), flowers.data[:, :2], labels, **given)
        has_value = [*names] in ([0, 1, 2], [1, 2, 3]) or VERSION >= Version("1.9")
        assert np.isfinite(values).all() if has_value else np.isnan(values).all()


def labels_give_three_points():
    predicted = GaussianNB().fit(X, Y).predict(X)
    assert len(precision_recall_curve(Y, predicted)[0]) == 3


def weights_give_the_precision_at_another_fraction_of_positives():
    payments = ap.datasets.load_payments(as_frame=False)
    y, s, p = payments["fraud"], payments["model_b"], 0.001
    weight = np.where(y == 1, 1, (1 / p - 1) * (y == 1).sum() / (y == 0).sum())
    fpr, recall, thresholds = sklearn.metrics.roc_curve(y, s)
    for i in range(1, len(thresholds), 100):
        point = ap.operating_point(y, s, threshold=thresholds[i], sample_weight=weight)
        expected = recall[i] * p / (recall[i] * p + fpr[i] * (1 - p))
        assert (point.recall, point.precision) == pytest.approx((recall[i], expected))


def the_curve_ends_at_0_1():
    precision, recall, thresholds = precision_recall_curve([0, 1], [2, 1])
    assert precision.size == recall.size == thresholds.size + 1
    assert (recall[-1], precision[-1]) == (0, 1)
    assert precision[-2] == 0  # that of the highest score


def a_dict_shares_the_scores_of_the_first_positive_class():
    theirs = {
        name: make_scorer(average_precision_score, response_method="predict_proba", pos_label=name)
        for name in ("benign", "malignant")
    }
    scorers = {"first": theirs["benign"], "second": theirs["malignant"]}
    shared = cross_validate(GaussianNB(), X, NAMES, scoring=scorers)
    alone = cross_validate(GaussianNB(), X, NAMES, scoring=ap.make_multi_scorer(scorers))
    np.testing.assert_array_equal(shared["test_first"], alone["test_first"])
    assert not np.isclose(shared["test_second"], alone["test_second"]).any()


# The tools of the table, with what they need besides the scorer
TOOLS = {
    "GridSearchCV": lambda s: GridSearchCV(GaussianNB(), {}, scoring=s, refit=_key(s)).fit(X, Y),
    "RandomizedSearchCV": lambda s: RandomizedSearchCV(
        GaussianNB(), {"var_smoothing": [0.1]}, n_iter=1, scoring=s, refit=_key(s)
    ).fit(X, Y),
    "cross_validate": lambda s: cross_validate(GaussianNB(), X, Y, scoring=s),
    "permutation_importance": lambda s: permutation_importance(
        GaussianNB().fit(X, Y), X, Y, scoring=s, n_repeats=1
    ),
    "cross_val_score": lambda s: cross_val_score(
        GaussianNB(), X, Y, scoring=s, error_score="raise"
    ),
    "learning_curve": lambda s: learning_curve(GaussianNB(), X, Y, scoring=s),
    "validation_curve": lambda s: validation_curve(
        GaussianNB(), X, Y, param_name="var_smoothing", param_range=[0.1], scoring=s
    ),
    "permutation_test_score": lambda s: permutation_test_score(
        GaussianNB(), X, Y, scoring=s, n_permutations=1
    ),
    "SequentialFeatureSelector": lambda s: SequentialFeatureSelector(
        GaussianNB(), n_features_to_select=1, scoring=s
    ).fit(X, Y),
    "RFECV": lambda s: RFECV(LinearDiscriminantAnalysis(), scoring=s).fit(X, Y),
    "LogisticRegressionCV": lambda s: LogisticRegressionCV(Cs=1, scoring=s).fit(X, Y),
    "RidgeClassifierCV": lambda s: RidgeClassifierCV(cv=3, scoring=s).fit(X, Y),
    "HistGradientBoostingClassifier": lambda s: HistGradientBoostingClassifier(
        max_iter=12, max_depth=1, early_stopping=True, scoring=s
    ).fit(X, Y),
    "TunedThresholdClassifierCV": lambda s: TunedThresholdClassifierCV(GaussianNB(), scoring=s).fit(
        X, Y
    ),
}


def _key(scoring):
    return "AP" if hasattr(scoring, "scorers") else True


@pytest.mark.filterwarnings("ignore")
def test_targets_of_the_table_are_promised_as_it_says():
    """Those that the last row names take a confidence level, and no others do."""
    page = (ROOT / "docs" / "choose_threshold.md").read_text(encoding="utf-8")
    *rows, last = re.findall(r"^\| (.+) \| (.+) \|$", page.partition("```python")[0], re.M)
    payments = ap.datasets.load_payments()
    fpr, _, t = sklearn.metrics.roc_curve(payments["fraud"], payments["model_b"])
    choose = partial(ap.operating_point, "fraud", "model_b", data=payments)
    (level,) = re.findall(r"`confidence_level=(.+?)`", last[1])
    named = {f"min_{target}" for target in re.findall(r"recall|precision", last[0])}
    calls = [call for _, passed in rows for call in re.findall(r"`(\w+=[^`]+)`", passed)]
    for call in calls:
        given = eval(f"dict({call})", {"fpr": fpr, "t": t})
        choose(**given)
        is_promised = True
        try:
            choose(**given, confidence_level=float(level))
        except ap.exceptions.NotReachableError:
            pass  # with these payments
        except ap.exceptions.InvalidParameterError:
            is_promised = False
        assert is_promised == (not named.isdisjoint(given)), call
    assert len(calls) == 8


@pytest.mark.sweep(5)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", TOOLS)
def test_which_tools_take_several_metrics(tool):
    page = (ROOT / "docs" / "in_scikit_learn.md").read_text(encoding="utf-8")
    takes = re.search(rf"^\| (several|one|none) \|.*`{tool}`", page, re.M)[1]
    one, several = ap.get_scorer("AP"), ap.make_multi_scorer(["AP", "P@10%"])
    for scorer, is_taken in ((one, takes != "none"), (several, takes == "several")):
        with nullcontext() if is_taken else pytest.raises(Exception):  # noqa: PT011
            TOOLS[tool](scorer)


def xgboost_minimizes_our_function():
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(
        n_estimators=20, eval_metric=ap.average_precision_score, early_stopping_rounds=5, n_jobs=1
    ).fit(X[::2], Y[::2], eval_set=[(X[1::2], Y[1::2])], verbose=False)
    values = model.evals_result()["validation_0"]["average_precision_score"]
    assert model.best_score == min(values) < max(values)


def gini_and_ks_are_read_off_the_roc_curve():
    rng = np.random.default_rng(0)
    for n in range(2, 40):  # with ties
        y, score = np.r_[0, 1, rng.integers(0, 2, n - 2)], rng.integers(0, 6, n)
        pairs = np.sign(score[y == 1][:, np.newaxis] - score[y == 0])
        assert np.mean(pairs) == pytest.approx(2 * roc_auc_score(y, score) - 1)
        false_rate, true_rate, _ = sklearn.metrics.roc_curve(y, score)
        distance = np.abs(true_rate - false_rate).max()
        assert ks_2samp(score[y == 1], score[y == 0]).statistic == pytest.approx(distance)


def make_scorer_calls_predict():
    model = GaussianNB().fit(X, Y)
    value = make_scorer(average_precision_score)(model, X, Y)
    assert value == average_precision_score(Y, model.predict(X))


def tuned_thresholds_are_100_and_get_predicted_labels():
    thresholds = inspect.signature(TunedThresholdClassifierCV).parameters["thresholds"]
    assert thresholds.default == 100
    seen = set()

    def scorer(y_true, y_pred):
        seen.update(y_pred)
        return 0.0

    TunedThresholdClassifierCV(GaussianNB(), scoring=make_scorer(scorer)).fit(X, Y)
    assert seen == {0, 1}


def metric_at_thresholds_passes_labels():
    assert hasattr(sklearn.metrics, "metric_at_thresholds") == (Version("1.9") <= VERSION)
    if Version("1.9") <= VERSION:
        calls = []
        sklearn.metrics.metric_at_thresholds(
            [0, 1, 1], [0.1, 0.4, 0.3], lambda y, labels: calls.append(set(labels)) or 0.0
        )
        assert len(calls) == 3
        assert set.union(*calls) == {0, 1}


def weights_of_cross_validate_reach_the_fit_only():
    weighted = set()

    class Model(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            weighted.add(("fit", sample_weight is not None))
            return super().fit(X, y)

    def scorer(estimator, X, y, sample_weight=None):
        weighted.add(("score", sample_weight is not None))
        return 0.0

    cross_validate(Model(), X, Y, scoring=scorer, params={"sample_weight": np.ones(len(Y))})
    assert weighted == {("fit", True), ("score", False)}


def the_display_takes_the_last_class():
    model = GaussianNB().fit(X, NAMES)
    display = PrecisionRecallDisplay.from_estimator(model, X, NAMES)
    assert display.pos_label == model.classes_[-1]


def the_first_k_rows_alone_are_divided_by_hits():
    y_true, y_score = np.array([1, 1, 0, 0, 0, 1, 1]), np.arange(7, 0, -1)
    top = average_precision_score(y_true[:3], y_score[:3])
    assert top == ap.average_precision_at_k_score(y_true, y_score, k=3, denominator="hits")


def without_positives_both_warn_and_give_0():
    for score in (average_precision_score, ap.average_precision_score):
        with pytest.warns(UserWarning, match="No positive class found in y_true"):
            assert score([0, 0], [0.1, 0.2]) == 0


def lightgbm_stops_on_its_own_metric_too():
    lightgbm = pytest.importorskip("lightgbm")
    rounds, count = [], itertools.count()
    for options in ({}, {"metric": "None"}):
        model = lightgbm.LGBMClassifier(n_estimators=60, n_jobs=1, verbose=-1, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of eval_set
            model.fit(
                X[::2], Y[::2], eval_set=[(X[1::2], Y[1::2])],
                eval_metric=lambda y, s: ("rises", next(count), True),
                callbacks=[lightgbm.early_stopping(3, verbose=False)],
            )  # fmt: skip
        rounds.append(model.n_iter_)
    assert rounds[0] < rounds[1] == 60


def sqlite_truncates_quotients():
    quotients = "SELECT 2 / 3, -2 / 3, 1.0 * 2 / 3"
    with closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute(quotients).fetchone() == (0, 0, 2 / 3)


def torchmetrics_keeps_batches_in_lists():
    torch = pytest.importorskip("torch")
    metric = pytest.importorskip("torchmetrics.classification").BinaryAveragePrecision()
    for _ in range(2):
        metric.update(torch.tensor([0.1, 0.9]), torch.tensor([0, 1]))
    assert [len(batch) for batch in metric.preds] == [2, 2]


def the_sampler_of_pytorch_repeats_rows():
    """As the stand-in of tests/test_docs_processes.py does."""
    sampler = pytest.importorskip("torch.utils.data").DistributedSampler
    parts = [sampler(range(5), num_replicas=2, rank=rank, shuffle=False) for rank in range(2)]
    assert [[*part] for part in parts] == [[0, 2, 4], [1, 3, 0]]


def boosting_of_scikit_learn_keeps_its_last_round():
    """The scores on the held-out rows begin with that before the first round."""
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(Y)) < 0.2, 1 - Y, Y)
    given = {"random_state": 0, "scoring": ap.make_ap_scorer("P@5%"), "n_iter_no_change": 10}
    model = HistGradientBoostingClassifier(early_stopping=True, **given).fit(X, noisy)
    best = np.argmax(model.validation_score_)
    assert 0 < best < model.n_iter_ == len(model.validation_score_) - 1
    assert model.validation_score_[-1] < model.validation_score_[best]
    as_many = HistGradientBoostingClassifier(early_stopping=True, max_iter=best, **given)
    assert as_many.fit(X, noisy).validation_score_[-1] == model.validation_score_[best]
    final = HistGradientBoostingClassifier(early_stopping=False, max_iter=best).fit(X, noisy)
    assert final.n_iter_ == best


def pycocotools_has_no_map_without_100_detections():
    """`torchmetrics` hands the thresholds to it, and reads the first value as its mAP."""
    coco = pytest.importorskip("pycocotools.coco").COCO()
    evaluator = pytest.importorskip("pycocotools.cocoeval").COCOeval
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 50, 50]}
    real = {**box, "id": 1, "area": 2500, "iscrowd": 0}
    coco.dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [real]}
    coco.dataset["info"] = {}
    coco.createIndex()
    evaluation = evaluator(coco, coco.loadRes([{**box, "score": 0.9}]), "bbox")
    evaluation.params.maxDets = [1, 10, 50]
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    assert evaluation.stats[:4].round(9).tolist() == [-1, 1, 1, -1]  # mAP, AP50, AP75, small ones


def rows_rank_labels_as_in_scikit_learn():
    """Also rows without labels, with all labels, with ties, and of weight 0."""
    rng = np.random.default_rng(0)
    for size in (2, 3, 10):
        labels, scores = rng.integers(0, 2, (20, size)), rng.integers(0, 4, (20, size))
        labels[0], labels[1] = 0, 1
        for weight in (None, rng.integers(0, 3, 20) + (np.arange(20) == 0)):
            theirs = sklearn.metrics.label_ranking_average_precision_score(
                labels, scores, sample_weight=weight
            )
            given = {"average": "samples", "sample_weight": weight, "zero_division": 1.0}
            assert ap.average_precision_score(labels, scores, **given) == pytest.approx(theirs)


def auc_takes_recall_first():
    precision, recall, _ = precision_recall_curve([0, 1, 0, 1], [4, 3, 2, 1])
    assert 0 < sklearn.metrics.auc(recall, precision) < 1
    with pytest.raises(ValueError, match="x is neither increasing nor decreasing"):
        sklearn.metrics.auc(precision, recall)


def interpolation_at_falling_recalls_gives_1():
    precision, recall, _ = precision_recall_curve([0, 1, 0, 1], [4, 3, 2, 1])
    assert set(np.interp([0.1, 0.5, 1], recall, precision)) == {1}
    assert np.interp(1, recall[::-1], precision[::-1]) == 0.5


def isotonic_calibration_ties_samples():
    scores = np.arange(4.0)
    calibrated = IsotonicRegression().fit(scores, [0, 1, 0, 1]).predict(scores)
    assert calibrated.tolist() == [0, 0.5, 0.5, 1]


def outliers_and_inliers_have_an_average_precision_each():
    y, s = np.array([1, 0, 0, 1, 0]), np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    assert ap.average_precision_score(y, s) == average_precision_score(y, s)
    of_inliers = pytest.approx(average_precision_score(1 - y, -s))
    assert ap.average_precision_score(y, -s, pos_label=0) == of_inliers
    assert ap.average_precision_score(y, s, pos_label=0) != of_inliers


def precision_at_n_is_r_precision():
    """As PyOD computes it without ties, and by hand: n is the number of outliers."""
    rng = np.random.default_rng(0)
    rankings = [(np.array(y), rng.permutation(len(y))) for y in ([1, 1], [0, 1], [1, 0, 0, 1])]
    rankings += [(rng.integers(0, 2, n), rng.permutation(n)) for n in range(20, 60)]
    for y, s in rankings:
        assert ap.r_precision_score(y, s) == pytest.approx(y[np.argsort(-s)[: y.sum()]].mean())
    theirs = pytest.importorskip("pyod.utils").precision_n_scores
    for y, s in rankings:
        assert theirs(y, s) == pytest.approx(ap.r_precision_score(y, s))
    with pytest.warns(UndefinedMetricWarning, match="no predicted samples"):
        assert theirs(np.array([0, 1]), np.array([4, 4])) == 0  # not 1/2


def the_precision_at_a_false_positive_rate_is_that_at_a_threshold_of_the_roc_curve():
    y, s = np.array([1, 0, 0, 1, 0]), np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    rates, _, thresholds = sklearn.metrics.roc_curve(y, s, drop_intermediate=False)
    threshold = thresholds[rates <= 1 / 3][-1]
    assert sklearn.metrics.precision_score(y, s >= threshold) == 1 / 2


def statsmodels_adjusts_by_holm():
    adjust = pytest.importorskip("statsmodels.stats.multitest").multipletests
    assert adjust([0.01, 0.02, 0.03], method="holm")[1].tolist() == [0.03, 0.04, 0.04]


def a_do_nothing_classifier_gets_more_than_half_by_straight_lines():
    for n_positives in (1, 10, 50):
        labels, scores = np.arange(100) < n_positives, np.zeros(100)
        linear = ap.compat.trapezoidal_average_precision_score(labels, scores)
        assert 0.5 < linear == pytest.approx((1 + n_positives / 100) / 2)
        assert ap.average_precision_score(labels, scores) == n_positives / 100


def steps_have_the_names_of_the_post():
    for name in ("step-interpolated", "step-wise", "step-interpolated average precision"):
        assert repr(ap.get_scorer(name)) == repr(ap.get_scorer("AP"))
        assert ap.metric(name) == ap.metric("AP")


def dispatch_needs_a_variable():
    """Before SciPy is imported, or scikit-learn refuses the option; 1.5 doesn't."""
    if Version("1.7") > VERSION:
        pytest.skip("older releases don't ask for it")
    setting = "import os; os.environ['SCIPY_ARRAY_API'] = '1'"
    dispatch = "import sklearn; sklearn.set_config(array_api_dispatch=True)"
    environment = {name: value for name, value in os.environ.items() if name != "SCIPY_ARRAY_API"}
    for code, is_refused in ((dispatch, True), (f"{setting}; {dispatch}", False)):
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
        assert (b"SCIPY_ARRAY_API" in done.stderr) == is_refused


def catboost_passes_raw_scores_of_several_classes_and_no_queries():
    catboost = pytest.importorskip("catboost")
    seen = []

    class Seen:
        def is_max_optimal(self):
            return True

        def evaluate(self, approxes, target, weight):
            seen.append((np.array(approxes), np.array(target)))
            return 0.0, 1.0

        def get_final_error(self, error, weight):
            return error

    flowers = load_iris(return_X_y=True)
    of_two = flowers[0][50:], np.where(flowers[1][50:] == 1, "fraud", "legit")
    for data, n_rows in ((of_two, 1), (flowers, 3)):
        seen.clear()
        model = catboost.CatBoostClassifier(
            iterations=20, eval_metric=Seen(), verbose=False, allow_writing_files=False
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of methods that numba can't compile
            model.fit(*data, eval_set=data)
        scores, labels = seen[-1]
        assert scores.shape[0] == n_rows
        if n_rows == 1:  # "fraud" is class 0, and scores are high for class 1
            np.testing.assert_array_equal(labels, data[1] == "legit")
            assert average_precision_score(labels, scores[0]) > 0.9
        else:
            assert not np.allclose(scores.sum(axis=0), 1)


def ranx_has_exponential_gains_under_another_name():
    ranx = pytest.importorskip("ranx")
    judged = {"q": {"a": 3, "b": 1, "c": 2}}
    run = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numba, when it compiles
        value = ranx.evaluate(ranx.Qrels(judged), ranx.Run(run), "ndcg_burges")
    table = ap.readers.read_runs(judged, run)
    assert ap.ndcg_score(data=table, gains="exponential") == pytest.approx(value)


def ultralytics_prints_precision_and_recall_at_the_best_f1():
    metrics = pytest.importorskip("ultralytics.utils.metrics")
    source = inspect.getsource(metrics.ap_per_class)
    assert "f1_curve.mean(0), 0.1).argmax()" in source


def torchmetrics_gives_average_recall_for_each_class():
    detection = pytest.importorskip("torchmetrics.detection.mean_ap")
    assert "_per_class" in inspect.getsource(detection.MeanAveragePrecision)


def torchmetrics_reads_crowds_and_areas_from_targets_and_keeps_100_per_class_and_image():
    torch = pytest.importorskip("torch")
    new = pytest.importorskip("torchmetrics.detection").MeanAveragePrecision
    box = torch.tensor([[0.0, 0, 50, 50]])

    def measure(n_wrong=0, wrong_label=0, **target):
        wrong = torch.tensor([[200.0, 200, 210, 210]]).repeat(n_wrong, 1)
        found = {"boxes": torch.cat([wrong, box]), "scores": torch.linspace(1, 0.5, n_wrong + 1)}
        found["labels"] = torch.tensor([wrong_label] * n_wrong + [0])
        metric = new()
        metric.warn_on_many_detections = False
        metric.update([found], [{"boxes": box, "labels": torch.tensor([0]), **target}])
        return metric.compute()

    assert measure()["map"] == measure()["map_medium"] == 1
    assert measure(area=torch.tensor([100.0]))["map_small"] == 1
    assert measure(iscrowd=torch.tensor([1]))["map"] == -1  # no objects
    assert measure(n_wrong=99)["map"] > 0 == measure(n_wrong=100)["map"]
    assert measure(n_wrong=100, wrong_label=1)["map"] == 1


def xgboost_trains_on_average_precision():
    xgboost = pytest.importorskip("xgboost")
    groups = np.arange(len(Y)) // 20
    model = xgboost.XGBRanker(objective="rank:map", n_estimators=5, n_jobs=1).fit(X, Y, qid=groups)
    random = ap.mean_average_precision_score(Y, np.zeros(len(Y)), groups=groups, ties="expected")
    assert ap.mean_average_precision_score(Y, model.predict(X), groups=groups) > random + 0.1


def explain_has_every_tool_only_with_k():
    payments = ap.datasets.load_payments(as_frame=False)
    columns = payments["fraud"], payments["model_b"]
    unknown = {"OpenPCDet", "PyOD"}  # whose values aren't known on these data, with ties
    unknown |= {"mapcalc", "RDKit"}  # which don't rank by scores, or take no count as k
    unknown |= {"H2O"}  # which ties close ones of so many scores
    unknown |= {"Evidently", "mlxtend"}  # which read the order of rows, or predicted labels
    tools = {peer.tool for peer in ap.compat.PEERS} - unknown
    for given, left_out in ({"k": 10}, set()), ({}, {"BEIR", "RecTools", "mteb"}):
        named = " ".join(row.reported_by for row in ap.compat.explain(*columns, **given).rows)
        missing = {tool for tool in tools if tool not in named}
        assert missing == left_out if given else missing >= left_out


def balanced_average_precision_does_not_depend_on_the_fraction_of_positives():
    payments = ap.datasets.load_payments(as_frame=False)
    balanced = []
    for n_copies in (1, 5):  # of each negative
        rows = np.repeat(np.arange(20_000), np.where(payments["fraud"] == 1, 1, n_copies))
        y, s = payments["fraud"][rows], payments["model_b"][rows]
        weight = np.where(y == 1, 1, y.sum() / (1 - y).sum())
        balanced.append(ap.average_precision_score(y, s, sample_weight=weight))
    assert balanced[0] == pytest.approx(balanced[1], rel=1e-9)


def without_the_last_detections_yolo_has_more_and_coco_less():
    y = np.isin(np.arange(23), [0, 1, 2, 3, 4, 5, 7, 9, 22]).astype(int)  # of 10 objects
    whole, cut = (
        ap.compat.explain(y[:n], -np.arange(n), n_positives=10).to_dict() for n in (23, 10)
    )
    for name, rises in (("101-point float", False), ("lines between 101 points, to (1, 0)", True)):
        assert (cut[name]["value"] > whole[name]["value"]) == rises
    name = "lines between 101 points"  # of newer releases
    assert cut[name]["value"] < whole[name]["value"]


def make_scorer_had_needs_proba():
    parameters = inspect.signature(make_scorer).parameters
    assert "response_method" in parameters
    assert {"needs_proba", "needs_threshold"}.isdisjoint(parameters) == (Version("1.6") <= VERSION)


def rounded_scores_are_equivalent_within_the_margin_of_the_page():
    payments = ap.datasets.load_payments(as_frame=False)
    payments["rounded"] = payments["model_b"].round(2)
    text = (ROOT / "docs" / "compare_models.md").read_text(encoding="utf-8")
    margin = float(re.search(r"margin=([\d.]+)", text)[1])
    found = ap.compare("fraud", "rounded", "model_b", data=payments, margin=margin)
    assert found.verdict == "equivalent"


def only_average_precision_tells_the_methods_of_screening_apart():
    text = (ROOT / "docs" / "screening.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    namespace = {}
    exec(blocks[0], namespace)
    options = {"baseline": "docking", "random_state": 0, "data": namespace["library"]}
    for metric, is_better in (("AP", True), ("AP@20", True), ("EF@1%", False), ("EF@5%", False)):
        found = ap.compare("active", ["docking", "model"], metric=metric, **options).pair
        assert (found.low > 0) == is_better, metric


def tasks_with_missing_labels_are_groups_of_what_is_known():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (200, 3)).astype(float)
    S = (rng.random((200, 3)) + 0.3 * Y).round(1)
    Y[rng.random(Y.shape) < 0.3] = np.nan
    known = ~np.isnan(Y)
    task = np.indices(Y.shape)[1][known]
    of_tasks = [average_precision_score(Y[rows, j], S[rows, j]) for j, rows in enumerate(known.T)]
    value = ap.mean_average_precision_score(Y[known], S[known], groups=task)
    assert value == pytest.approx(np.mean(of_tasks), abs=1e-12)


CLAIMS = [
    pytest.param("compare_models", 'here "equivalent"',
                 rounded_scores_are_equivalent_within_the_margin_of_the_page,
                 marks=pytest.mark.slow),
    pytest.param("screening", "significantly better by AP and AP@20, but not by the enrichment "
                 "factors", only_average_precision_tells_the_methods_of_screening_apart,
                 marks=pytest.mark.slow),
    ("troubleshooting", "If only the fraction of positives differs, the balanced value stays about "
     "the same",
     balanced_average_precision_does_not_depend_on_the_fraction_of_positives),
    ("detection", "so COCO's mAP falls. In YOLOv5 and older Ultralytics, mAP can rise",
     without_the_last_detections_yolo_has_more_and_coco_less),
    ("which_definition", "(before scikit-learn 1.4, `needs_proba` or `needs_threshold`)",
     make_scorer_had_needs_proba),
    ("getting_started", "the same arguments as scikit-learn's function and returns the same value",
     "test_peers_sklearn.py::test_binary"),
    ("getting_started", "they're paired by position, not by index, as in scikit-learn",
     "test_advice.py::test_rows_in_another_order_are_paired_by_position_with_a_warning"),
    ("in_scikit_learn", "gives nan, with a warning, if two classes are labeled with strings",
     two_strings_score_nan),
    ("in_scikit_learn", "gives nan for three or more classes labeled with names",
     three_classes_score_as_their_labels_allow),
    ("troubleshooting", "scikit-learn draws a precision of 1 there", the_curve_ends_at_0_1),
    ("troubleshooting", "`precision` and `recall` have one more element than the thresholds",
     the_curve_ends_at_0_1),
    ("troubleshooting", "Tools that join the points with straight lines return "
     "(1 + p) / 2",
     a_do_nothing_classifier_gets_more_than_half_by_straight_lines),
    ("groups", "| you need the value of `label_ranking_average_precision_score` | also set "
     "`zero_division=1.0`, because scikit-learn counts rows without labels as 1 |",
     rows_rank_labels_as_in_scikit_learn),
    ("troubleshooting", "Pass recall first: `auc(recall, precision)`", auc_takes_recall_first),
    ("troubleshooting", "it raises no error but returns 1 at every recall above 0",
     interpolation_at_falling_recalls_gives_1),
    ("troubleshooting", "isotonic calibration ties samples", isotonic_calibration_ties_samples),
    ("boosting", "own `map@10` or `ndcg@10` | pass `zero_division=1.0`, because both libraries "
     "count queries without relevant rows as 1",
     "test_peers_tools.py::test_without_positives"),
    ("detection", "mAP is also -1 if 100 isn't in `maxDets` or `max_detection_thresholds`",
     pycocotools_has_no_map_without_100_detections),
    ("in_scikit_learn", "uses the probabilities of the first scorer's class for both",
     a_dict_shares_the_scores_of_the_first_positive_class),
    ("in_scikit_learn", "the fit, and since scikit-learn 1.7 the score too",
     "test_peers_sklearn_scoring.py::test_weights_of_a_search_without_routing"),
    ("boosting", "XGBoost minimizes any metric whose name doesn't begin with",
     "test_peers_boosting.py::test_the_best_round_is_kept"),
    ("boosting", "`eval_metric=ap.average_precision_score`, XGBoost keeps the worst round",
     xgboost_minimizes_our_function),
    ("replace_names", "`eval_metric=average_precision_score`, which XGBoost minimizes",
     xgboost_minimizes_our_function),
    ("in_scikit_learn", "Our scorers give the same values in a dict as on their own",
     "test_laws_scorers.py::test_consumers_of_a_dict"),
    ("choose_metric", "| Gini coefficient | `2 * roc_auc_score(y, s) - 1` | | KS statistic | "
     "SciPy's `ks_2samp(s[y == 1], s[y == 0])` |", gini_and_ks_are_read_off_the_roc_curve),
    ("anomalies", "reproduce PyOD's precision at n (if no scores are tied)",
     precision_at_n_is_r_precision),
    ("confidence_intervals", "and the p of a t-test of $D/S$",
     "test_inference_means.py::test_it_is_the_paired_t_test"),
    ("groups", "| Spark, LightGBM, CatBoost, XGBoost |",
     "test_peers_tools.py::test_a_tool_is_named_beside_the_number_that_it_gives"),
    ("detection", "The values agree with pycocotools",
     "test_readers_detection.py::test_pycocotools_has_the_same_map"),
    ("detection", "as `useCats=0` in pycocotools does",
     "test_readers_detection.py::test_one_label_for_all_boxes_gives_the_micro_average"),
    ("detection", "fixed recall levels, which their programs store as floats",
     "test_readers_detection.py::test_recall_levels_that_pycocotools_misses"),
    ("retrieval", "All values agree with [trec_eval](#reproduce-trec_eval)",
     "test_readers.py::test_values_are_those_of_trec_eval"),
    ("retrieval", "version 9 reads scores as float32, and version 10 as double | the readers "
     "read float32",
     "test_readers.py::test_scores_are_read_in_the_precision_of_a_version"),
    ("retrieval", "Without `-c`, and in pytrec_eval, these queries are left out",
     "test_peers_tools.py::test_trec_eval_leaves_queries_without_rows_out_unless_told_to_count_them"),
    ("peers", "| ✓ | tested against the tool itself",
     "test_peers_tools.py::test_a_tool_is_named_beside_the_number_that_it_gives"),
    ("peers", "the call that computes this definition here",
     "test_peers_tools.py::test_the_page_has_a_call_that_gives_the_value"),
    ("peers", "Tools with a cutoff appear only if you pass `k`",
     explain_has_every_tool_only_with_k),
    ("detection", "| Ultralytics | [Straight lines](peers.md#ultralytics) join the interpolated "
     "precisions at 101 recalls",
     "test_compat_explain.py::test_lines_between_levels_as_ultralytics_draws_them"),
    ("differences", "Each row was run with the releases that it names",
     "test_peers_sklearn_releases.py::test_releases_of_differences"),
    ("differences", "returns the same value as scikit-learn's function for valid input",
     "test_compat_differences.py::test_ours"),
    ("which_definition", "`make_scorer` calls `predict` unless you pass",
     make_scorer_calls_predict),
    ("in_scikit_learn", "`TunedThresholdClassifierCV`, which passes predicted labels",
     tuned_thresholds_are_100_and_get_predicted_labels),
    ("troubleshooting", "`metric_at_thresholds` (new in 1.9), which computes the metric at each "
     "score", metric_at_thresholds_passes_labels),
    ("in_scikit_learn", "aren't recognized as classifiers | pass their two labels as `classes=`",
     "test_scorers.py::test_classes_find_the_column_of_any_estimator_that_knows_its_classes"),
    ("in_scikit_learn", '| `cross_validate(..., params={"sample_weight": w})` | the fit only',
     weights_of_cross_validate_reach_the_fit_only),
    ("in_scikit_learn", "every fit fails with an `UnsetMetadataPassedError`",
     "test_laws_scorers.py::test_a_missing_request_raises_what_a_dict_raises"),
    ("replace_names", "`pos_label=None` in `from_estimator`, which means the last class",
     the_display_takes_the_last_class),
    ("groups", "scikit-learn if you pass only the top k",
     the_first_k_rows_alone_are_divided_by_hits),
    ("weights", "compute the precision as `recall * p / (recall * p + fpr * (1 - p))`",
     weights_give_the_precision_at_another_fraction_of_positives),
    ("weights", "pass the same weights to `ap.operating_point(sample_weight=)`",
     weights_give_the_precision_at_another_fraction_of_positives),
    ("troubleshooting", "a curve with only three points", labels_give_three_points),
    ("groups", "as in `trec_eval -c`",
     "test_peers_tools.py::test_trec_eval_leaves_queries_without_rows_out_unless_told_to_count_them"),
    ("troubleshooting", "As in scikit-learn, the value is then 0.0, with a warning",
     without_positives_both_warn_and_give_0),
    ("differences", "Both messages begin with the same sentence",
     without_positives_both_warn_and_give_0),
    ("boosting", "training also stops when LightGBM's own metric no longer improves",
     lightgbm_stops_on_its_own_metric_too),
    ("boosting", "`LGBMClassifier` numbers string labels in sorted order",
     "test_peers_boosting.py::test_lightgbm_says_which_label_is_1"),
    ("boosting", "keeps the model from the last round, not the best one | fit again with "
     "`early_stopping=False` and `max_iter=np.argmax(model.validation_score_)`",
     boosting_of_scikit_learn_keeps_its_last_round),
    ("anomalies", "AUPR-in takes the inliers as positives, so the scores have to be negated",
     outliers_and_inliers_have_an_average_precision_each),
    ("which_definition", "True if the function always computes one definition of average precision",
     "test_compat_audit.py::test_letters_are_explained_and_other_metrics_are_no_average_precision"),
    ("which_definition", "gets more than 0.5 with straight lines",
     a_do_nothing_classifier_gets_more_than_half_by_straight_lines),
    ("glossary", "step-interpolated, step-wise or non-interpolated average precision",
     steps_have_the_names_of_the_post),
    ("glossary", "P@n of outlier detectors", precision_at_n_is_r_precision),
    ("cite", "the threshold from scikit-learn's `roc_curve`, and `precision_score` at "
     "this threshold",
     the_precision_at_a_false_positive_rate_is_that_at_a_threshold_of_the_roc_curve),
    ("cite", '`multipletests(p, method="holm")` of statsmodels',
     statsmodels_adjusts_by_holm),
    pytest.param("large_data", '`os.environ["SCIPY_ARRAY_API"] = "1"` before you import '
                 "scikit-learn, and then `sklearn.set_config(array_api_dispatch=True)`",
                 dispatch_needs_a_variable,
                 marks=pytest.mark.slow),
    ("boosting", "a mean over them, which isn't the value of all rows",
     "test_docs_processes.py::test_the_mean_of_batches_can_be_several_times_too_high_or_too_low"),
    pytest.param("boosting", "CatBoost numbers the classes in sorted order, and its scores are "
                 "high for class 1", catboost_passes_raw_scores_of_several_classes_and_no_queries,
                 marks=pytest.mark.slow),
    ("boosting", "because it passes only one query at a time to a metric",
     "test_peers_boosting.py::test_xgboost_ranker_refuses_several_queries"),
    pytest.param("retrieval", "as in XGBoost, LightGBM and `ndcg_burges` of ranx",
                 ranx_has_exponential_gains_under_another_name, marks=pytest.mark.slow),
    ("groups", "| trec_eval, ranx |",
     "test_peers_tools.py::test_a_tool_is_named_beside_the_number_that_it_gives"),
    ("large_data", "Keep batches in lists, as torchmetrics does",
     torchmetrics_keeps_batches_in_lists),
    ("large_data", "PyTorch's `DistributedSampler` repeats some rows",
     the_sampler_of_pytorch_repeats_rows),
    ("large_data", "Don't average the values of batches, because the mean can be several times too "
     "high or too low",
     "test_docs_processes.py::test_the_mean_of_batches_can_be_several_times_too_high_or_too_low"),
    ("large_data", "Spark's own `areaUnderPR` uses [straight lines]",
     "test_spark.py::test_their_number_is_linear"),
    ("speed", "NumPy's AVX-512 sort is several times slower",
     "test_docs_benchmarks.py::test_a_page_shows_the_results_that_were_saved"),
    ("alerts", "`FixedThresholdClassifier` flags scores of at least the threshold",
     "test_thresholds_promises.py::test_a_classifier_of_scikit_learn_has_the_threshold"),
    ("retrieval", "tied documents are ranked by name in descending order",
     "test_readers.py::test_values_are_those_of_trec_eval"),
    ("retrieval", "| ranx, ir_measures, BEIR, MTEB | Their MAP@10 or AP@10 is our `map_cut_10`",
     "test_peers_tools.py::test_a_tool_is_named_beside_the_number_that_it_gives"),
    ("detection", "Like COCO, `read_coco` keeps the 100 most confident boxes",
     "test_readers_detection.py::test_the_100_most_confident_detections_of_an_image_count_in_any_order"),
    ("detection", "at one confidence, where the smoothed mean F1 of the classes is highest",
     ultralytics_prints_precision_and_recall_at_the_best_f1),
    ("detection", "For AR of each class, use `mar_100_per_class` of torchmetrics",
     torchmetrics_gives_average_recall_for_each_class),
    ("detection", "Without `iscrowd` in the targets, crowds count as objects. Without `area`, "
     "an object has the area of its box",
     torchmetrics_reads_crowds_and_areas_from_targets_and_keeps_100_per_class_and_image),
    ("cite", '`XGBRanker(objective="rank:map")`', xgboost_trains_on_average_precision),
    ("glossary", "This AP misses some recall levels",
     "test_float_grid.py::test_eleven_points_are_those_of_py_faster_rcnn"),
    ("in_scikit_learn", "Like scikit-learn's average precision scorer, our scorers call "
     "`decision_function` if there is one",
     "test_peers_sklearn_scoring.py::test_tools_call_the_scorer_as_one_written_by_hand"),
    ("boosting", "it logs no metrics for the search's candidates",
     "test_docs_programs.py::test_mlflow_logs_the_results_of_a_search_by_names_that_it_takes"),
    ("anomalies", "scikit-learn's detectors give high scores to inliers, while PyOD's detectors "
     "give high scores to outliers",
     "test_peers_sklearn_scoring.py::test_detectors_score_inliers_higher"),
    ("large_data", "Give each thread a DuckDB cursor",
     "test_reading_tables.py::test_threads_on_one_connection"),
    ("detection", "Boxes are matched as in py-faster-rcnn",
     "test_readers_voc.py::test_matches_and_values_are_those_of_py_faster_rcnn"),
    ("detection", "`read_coco` matches as COCO does",
     "test_readers_detection.py::test_matches_are_those_of_pycocotools"),
    ("detection", "AP is the mean over ten overlaps (IoU thresholds) from 0.5 to 0.95",
     "test_readers_detection.py::test_pycocotools_has_the_same_map"),
    ("detection", "A value of -1 means that there are no objects to find",
     "test_readers_detection.py::test_pycocotools_has_the_same_map"),
    ("in_scikit_learn", "in scikit-learn 1.5 to 1.7, `LogisticRegressionCV` recodes the labels",
     "test_scoring_tools.py::test_a_tool_gives_the_values_of_our_own_folds"),
    ("in_scikit_learn", "`RidgeClassifierCV` with `cv=`",
     "test_scoring_tools.py::test_ridge_needs_cv"),
    ("in_scikit_learn", "`ScoringMonitor` of scikit-learn 1.9",
     "test_peers_sklearn_scoring.py::test_scoring_monitor"),
    ("which_definition", "here and in scikit-learn since 0.19",
     "test_peers_sklearn_releases.py::test_explain_names_releases_beside_what_they_gave"),
    ("glossary", "AP (scikit-learn since 0.19, 2017)",
     "test_peers_sklearn_releases.py::test_explain_names_releases_beside_what_they_gave"),
    ("retrieval", 'leave these documents out with `unjudged="drop"`, as `trec_eval -J` does',
     "test_readers.py::test_values_are_those_of_trec_eval"),
    ("retrieval", "The gain of a document is its grade, as in trec_eval, BEIR and MTEB",
     "test_metrics_ndcg.py::test_random_sets_have_the_values_of_trec_eval"),
    ("retrieval", 'For trec_eval 10, pass `precision="double"`',
     "test_readers.py::test_scores_are_read_in_the_precision_of_a_version"),
    ("retrieval", "| RecBole, implicit, sentence-transformers | Their MAP@10 is our MAP@10",
     "test_peers_tools.py::test_each_row_is_tested_or_says_how_it_is_known"),
    ("retrieval", 'context precision of ragas and DeepEval is AP@k with `denominator="hits"`',
     "test_peers_tools.py::test_each_row_is_tested_or_says_how_it_is_known"),
    ("large_data", "If `/` truncates integers, as in SQLite",
     sqlite_truncates_quotients),
    ("boosting", 'For nDCG, also pass `gains="exponential"`',
     "test_peers_tools.py::test_ndcg_of_boosting_has_exponential_gains"),
    ("troubleshooting", "Keep the cells that have a label",
     tasks_with_missing_labels_are_groups_of_what_is_known),
    ("speed", "scikit-learn",
     "test_docs_benchmarks.py::test_a_page_shows_the_results_that_were_saved"),
    ("../benchmarks/README", "Every value is compared before it is timed",
     "test_docs_benchmarks.py::test_every_value_is_compared_and_agrees"),
]  # fmt: skip

# Claims about tools that CI doesn't install, and what was run or read. Whoever changes a sentence
# looks again.
SEEN = [
    ("anomalies", "OpenOOD joins the points with [straight lines]",
     "read in openood/evaluators/metrics.py at 00611f1a"),
    ("anomalies", '[TSB-AD](https://github.com/TheDatumOrg/TSB-AD)\'s "PA-F1"',
     "read in TSB_AD/evaluation/metrics.py of TSB-AD 1.5"),
    ("anomalies", "`range_pr_vus_score` and `range_pr_auc_score`", "read in aeon 1.6.0"),
    ("boosting", "`LightGBMTuner`, which minimizes every metric except the few it knows",
     "read in _lightgbm_tuner/optimize.py of optuna-integration 5.0.0"),
    ("boosting", '`MetricFrame(metrics=ap.metric("AP"), y_true=y, y_pred=scores, '
     'sensitive_features=sex)`',
     "run with fairlearn 0.15.0"),
    ("boosting", '`report.metrics.add(ap.get_scorer("AP", pos_label=1))`', "run with skore 0.28.0"),
    ("boosting", "MLflow evaluates predicted labels instead of scores", "run with MLflow 3.17.2"),
    ("choose_threshold", "such as MAPIE's [`RiskMonitoring`]",
     "read in exchangeability_testing/risk_monitoring.py of MAPIE 1.6.0"),
    ("cite", "infAP, ERR, RBP or the diversity of search results | ir_measures |",
     "read in the providers of ir_measures 0.4.3; ranx 0.3.21 has only bpref and RBP"),
    ("cite", "| fuse rankings | ranx |", "read in ranx/meta/fuse.py of ranx 0.3.21"),
    ("detection", "use MONAI's `compute_froc_score`", "read in metrics/froc.py of MONAI 1.6.1"),
    ("in_scikit_learn", "FLAML's `AutoML` and AutoGluon's `TabularPredictor` aren't recognized",
     "run with FLAML 2.8.0, and read in predictor.py of AutoGluon 1.6.3"),
    ("retrieval", "Queries without results are left out, except in BEIR's MRR, R_cap and accuracy",
     "read in custom_metrics.py of BEIR 2.2.0, and in retrieval_metrics.py of MTEB 2.26.24"),
]  # fmt: skip


def is_on_page(page, words):
    text = ROOT.joinpath("docs", f"{page}.md").read_text(encoding="utf-8")
    return words in " ".join(text.split())


def test_claims_stand_on_their_pages():
    """Also those that were looked up, and those that take long to show."""
    claims = [getattr(claim, "values", claim) for claim in (*CLAIMS, *SEEN)]
    assert [claim for claim in claims if not is_on_page(*claim[:2])] == []


@pytest.mark.filterwarnings("ignore:Scoring failed:UserWarning")
@pytest.mark.parametrize(("page", "words", "shown_by"), CLAIMS)
def test_claim(page, words, shown_by):
    if callable(shown_by):
        shown_by()
    else:
        file, _, test = shown_by.partition("::")
        source = ROOT.joinpath("tests", file).read_text(encoding="utf-8")
        assert re.search(rf"^def {test}\(", source, re.M)
