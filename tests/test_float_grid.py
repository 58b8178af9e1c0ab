"""The N-point average on the grid of floats, as the programs of VOC 2007 and COCO compute it."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import sklearn_ap as ap
from sklearn_ap.compat import check_metric, explain
from sklearn_ap.spark import MetricEvaluator

from . import oracle
from .oracle import near

ELEVEN = partial(ap.eleven_point_average_precision_score, grid="float")
COCO = partial(ap.interpolated_average_precision_score, n_points=101, grid="float")
Y, S = [1, 0, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]


def voc_ap(rec, prec, use_07_metric=False):
    """py-faster-rcnn, lib/datasets/voc_eval.py, the part for use_07_metric=True."""
    assert use_07_metric
    ap = 0.0
    for t in np.arange(0.0, 1.1, 0.1):
        if np.sum(rec >= t) == 0:  # noqa: SIM108
            p = 0
        else:
            p = np.max(prec[rec >= t])
        ap = ap + p / 11.0
    return ap


def voc_of(correct, npos):
    """py-faster-rcnn, lib/datasets/voc_eval.py, from the detections of a class on."""
    tp = np.cumsum(correct.astype(float))
    fp = np.cumsum(1.0 - correct)
    rec = tp / float(npos)
    prec = tp / np.maximum(tp + fp, np.finfo(np.float64).eps)
    return voc_ap(rec, prec, use_07_metric=True)


def coco_of(correct, npig):
    """pycocotools 2.0, COCOeval.accumulate, for one category, area and overlap."""
    rec_thrs = np.linspace(0.0, 1.00, int(np.round((1.00 - 0.0) / 0.01)) + 1, endpoint=True)
    tp = np.cumsum(correct).astype(dtype=float)
    fp = np.cumsum(np.logical_not(correct)).astype(dtype=float)
    nd = len(tp)
    rc = tp / npig
    pr = tp / (fp + tp + np.spacing(1))
    q = np.zeros((len(rec_thrs),))
    pr = pr.tolist()
    q = q.tolist()
    for i in range(nd - 1, 0, -1):
        if pr[i] > pr[i - 1]:
            pr[i - 1] = pr[i]
    inds = np.searchsorted(rc, rec_thrs, side="left")
    try:
        for ri, pi in enumerate(inds):
            q[ri] = pr[pi]
    except IndexError:
        pass
    return np.mean(q)


def detections(n):
    """Yield which detections are correct, from the best one down, and how many objects exist."""
    rng = np.random.default_rng(117)
    for _ in range(n):
        size = int(rng.integers(1, 150))
        correct = rng.random(size) < rng.random() * np.linspace(1, rng.random(), size)
        exist = int(correct.sum() + rng.choice([0, 1, rng.integers(1, 40)])) or 1
        yield correct, -(-exist // 10) * 10 if rng.random() < 0.5 else exist


def test_eleven_points_are_those_of_py_faster_rcnn():
    n_different = 0
    for correct, exist in detections(600):
        scores = np.arange(correct.size, 0, -1.0)
        expected = voc_of(correct, exist)
        assert ELEVEN(correct, scores, n_positives=exist) == pytest.approx(expected, abs=1e-15)
        exact = ap.eleven_point_average_precision_score(correct, scores, n_positives=exist)
        # It is 1/11 where only a level is reached, with precision 1, and no positive comes after.
        assert abs(exact - expected) <= 1 / 11 + 1e-15
        if abs(exact - expected) > 1e-9:
            assert exist % 5 == 0
            n_different += 1
    assert n_different > 60  # or the grid would not be tried


def test_101_points_are_those_of_pycocotools():
    n_different = 0
    for correct, exist in detections(600):
        scores = np.arange(correct.size, 0, -1.0)
        expected = coco_of(correct, exist)
        assert COCO(correct, scores, n_positives=exist) == pytest.approx(expected, abs=2e-15)
        exact = ap.interpolated_average_precision_score(
            correct, scores, n_points=101, n_positives=exist
        )
        assert abs(exact - expected) <= 1 / 101 + 2e-15
        if abs(exact - expected) > 1e-9:
            assert exist % 10 == 0
            n_different += 1
    assert n_different > 60


def test_the_accumulation_above_is_that_of_pycocotools():
    cocoeval = pytest.importorskip("pycocotools.cocoeval")
    for correct, exist in detections(50):
        size = correct.size
        evaluation = cocoeval.COCOeval(iouType="bbox")
        evaluation.params.imgIds, evaluation.params.catIds = [1], [1]
        evaluation.params.iouThrs, evaluation.params.maxDets = np.array([0.5]), [size]
        evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0, 1e10]], ["all"]
        evaluation._paramsEval = evaluation.params
        evaluation.evalImgs = [
            {
                "dtIds": [*range(size)],
                "dtScores": [*np.arange(size, 0, -1.0)],
                "dtMatches": correct[np.newaxis].astype(float),
                "dtIgnore": np.zeros((1, size), dtype=bool),
                "gtIds": [*range(exist)],
                "gtIgnore": np.zeros(exist),
            }
        ]
        evaluation.accumulate()
        assert evaluation.eval["precision"].mean() == pytest.approx(coco_of(correct, exist), abs=0)


@pytest.mark.sweep(10)
@pytest.mark.parametrize("n_points", [*range(2, 203), 1001])
def test_levels_of_the_oracle_are_those_of_numpy(n_points):
    step = 1 / (n_points - 1)
    levels = [level * step for level in range(n_points - 1)] + [1.0]
    assert levels == np.linspace(0, 1, n_points).tolist()


def test_levels_of_py_faster_rcnn_are_those_of_numpy():
    assert np.arange(0, 1.1, 0.1).tolist() == np.linspace(0, 1, 11).tolist()


def test_a_level_is_missed():
    """3 of 10 is below 0.30000000000000004, so this level has the precision of the next point."""
    labels, scores = [1, 1, 1, 0, 1], [5, 4, 3, 2, 1]
    assert ELEVEN(labels, scores, n_positives=10) == near((3 * 1 + 2 * 0.8) / 11)
    exact = ap.eleven_point_average_precision_score(labels, scores, n_positives=10)
    assert exact == near((4 * 1 + 0.8) / 11)


def test_groups_classes_and_rows_have_the_values_of_each():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (40, 10)), rng.integers(0, 30, (40, 10))
    of_column = [
        float(oracle.float_grid(y.tolist(), s.tolist(), n_points=11))
        for y, s in zip(labels.T, scores.T, strict=True)
    ]
    assert ELEVEN(labels, scores, average=None).tolist() == pytest.approx(of_column)
    assert ELEVEN(labels.T, scores.T, average="samples") == pytest.approx(np.mean(of_column))
    query = np.tile(np.arange(10), 40)
    mean = partial(ap.mean_average_precision_score, labels.ravel(), scores.ravel(), groups=query)
    assert mean(n_points=11, grid="float", average=None).tolist() == pytest.approx(of_column)
    exist = {group: int(labels[:, group].sum()) + group for group in range(10)}
    expected = [
        oracle.float_grid(
            labels[:, group].tolist(), scores[:, group].tolist(), n_points=101, n_positives=n
        )
        for group, n in exist.items()
    ]
    assert mean(n_points=101, grid="float", n_positives=exist) == near(sum(expected) / 10)
    assert mean(n_points=101, grid="exact") == mean(n_points=101)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("weight", [1, 3, 0.1, 1e-12, 7.3])
@pytest.mark.parametrize("n_points", [11, 101])
def test_equal_weights_count_and_weight_0_leaves_out(weight, n_points):
    score = partial(ap.interpolated_average_precision_score, n_points=n_points, grid="float")
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels, scores = rng.integers(0, 2, 60), rng.integers(0, 40, 60)
        counted = rng.random(60) < 0.8
        labels[counted.argmax()] = 1
        expected = score(labels[counted], scores[counted])
        assert score(labels, scores, sample_weight=counted * weight) == expected
        assert score(labels[counted], scores[counted], sample_weight=[weight] * counted.sum()) == (
            expected
        )
        query = rng.integers(0, 3, 60)
        by_query = partial(ap.mean_average_precision_score, n_points=n_points, grid="float")
        assert by_query(
            labels, scores, groups=query, sample_weight=counted * weight, zero_division=0.0
        ) == by_query(labels[counted], scores[counted], groups=query[counted], zero_division=0.0)


@pytest.mark.parametrize(
    "call",
    [
        ELEVEN,
        COCO,
        partial(ap.mean_average_precision_score, n_points=11, grid="float", groups=[1] * 6),
        ap.metric("VOC07"),
        partial(ap.confidence_interval, metric="101-point float"),
        partial(ap.AveragePrecisionDisplay.from_predictions, metric="11-point float"),
    ],
)
def test_other_weights_are_refused(call):
    with pytest.raises(ValueError, match=r"weights that aren't equal.* use grid='exact'"):
        call(Y, S, sample_weight=[1, 1, 1, 1, 1, 2])


def test_a_grid_needs_levels():
    for call in (
        partial(ap.interpolated_average_precision_score, Y, S),
        partial(ap.mean_average_precision_score, Y, S, groups=Y),
        partial(ap.metric, "interpolated_average_precision"),
        partial(ap.metric, "MAP@10"),
    ):
        with pytest.raises(ValueError, match="grid='float' is about recall levels"):
            call(grid="float")
    with pytest.raises(ValueError, match="n_points=11 and k=5 can't be combined"):
        ap.mean_average_precision_score(Y, S, groups=Y, n_points=11, k=5, grid="float")
    with pytest.raises(ValueError, match=r"'grid' parameter .* \{'exact', 'float'\}. Got 'double'"):
        ap.eleven_point_average_precision_score(Y, S, grid="double")
    with pytest.raises(TypeError, match="grid is already given in the name '11-point float'"):
        ap.metric("11-point float", grid="exact")


@pytest.mark.parametrize(
    ("name", "n_points"),
    [
        ("VOC07", 11),
        ("voc-07", 11),
        ("11-point float", 11),
        ("11-point, float grid", 11),
        ("101-point float", 101),
        ("101-point, float grid", 101),
        ("21-point float", 21),
        ("11_point_float_average_precision", 11),
    ],
)
def test_names_are_read_wherever_names_are(name, n_points):
    function = partial(ap.interpolated_average_precision_score, n_points=n_points, grid="float")
    metric = ap.metric(name)
    assert metric == ap.metric("interpolated_average_precision", n_points=n_points, grid="float")
    assert metric(Y, S) == function(Y, S)
    X = np.array(S).reshape(-1, 1)
    model = LogisticRegression().fit([[0], [1]], [0, 1])
    assert ap.get_scorer(name)(model, X, Y) == function(Y, S)


@pytest.mark.sweep(2)
@pytest.mark.usefixtures("few_rankings")
@pytest.mark.parametrize("name", ["VOC07", "11-point, float grid"])
def test_a_guard_expects_the_grid(name):
    check_metric(ELEVEN, name)
    with pytest.raises(AssertionError):
        check_metric(ap.eleven_point_average_precision_score, name)


def test_explain_has_the_same_names_and_values():
    rows = explain(Y, S).to_dict()
    assert rows["11-point float"]["value"] == near(ELEVEN(Y, S))
    assert rows["101-point float"]["value"] == near(COCO(Y, S))


def test_an_interval_of_one_ranking_contains_its_value():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    scores = rng.normal(labels)
    interval = ap.confidence_interval(labels, scores, metric="VOC07", random_state=0)
    assert interval.value == ELEVEN(labels, scores)
    assert 0 < interval.low < interval.value < interval.high < 1


def test_the_evaluator_of_spark_has_the_option():
    pytest.importorskip("pyspark")
    evaluator = MetricEvaluator("interpolated_average_precision", n_points=11, grid="float")
    score, options = evaluator._read()
    assert (score.__name__, options["grid"]) == ("interpolated_average_precision_score", "float")
