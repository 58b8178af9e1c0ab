"""Each tool of `compat.PEERS` that can be installed gives the number that it is listed under."""

import re
import warnings

import numpy as np
import pytest

from sklearn_ap.compat.peers import PEERS

from . import oracle

# What other tools warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

TESTED = [peer for peer in PEERS if peer.package]
N_POSITIVES = 20  # recalls 7/20, 12/20, 14/20, 19/20: those that a grid of floats loses


def float_grid(labels, scores, n):
    curve = oracle.points(labels, scores)
    recall = np.array([float(T) for _, _, T, _ in curve]) / sum(map(bool, labels))
    precision = np.array([float(T / N) for _, _, T, N in curve])
    return np.mean([precision[recall >= t].max(initial=0) for t in np.linspace(0, 1, n)])


def at_k(denominator):
    return lambda y, s, k: oracle.at_k(y, s, k=k, denominator=denominator)


NUMBERS = {
    "step": lambda y, s, k: oracle.step(y, s),
    "envelope": lambda y, s, k: oracle.envelope(y, s),
    "11-point": lambda y, s, k: oracle.n_point(y, s, n_points=11),
    "101-point": lambda y, s, k: oracle.n_point(y, s, n_points=101),
    "linear": lambda y, s, k: oracle.linear(y, s),
    "11-point, float grid": lambda y, s, k: float_grid(y, s, 11),
    "101-point, float grid": lambda y, s, k: float_grid(y, s, 101),
    "AP@k / min": at_k("min"),
    "AP@k / relevant": at_k("relevant"),
    "AP@k / k": at_k("k"),
    "AP@k / hits": at_k("hits"),
    "mean of P@1 to P@k": lambda y, s, k: (
        sum(oracle.precision_at_k(y, s, k=i) for i in range(1, k + 1)) / k
    ),
}


# The tools: labels, scores and k in, a number out


def sklearn_ap(y, s, k):
    return pytest.importorskip("sklearn.metrics").average_precision_score(y, s)


def sklearn_auc(y, s, k):
    metrics = pytest.importorskip("sklearn.metrics")
    precision, recall, _ = metrics.precision_recall_curve(y, s)
    return metrics.auc(recall, precision)


def sklearn_k_best(y, s, k):
    top = np.argsort(-s, kind="stable")[:k]
    return sklearn_ap(y[top], s[top], k)


def coco(y, s, k):
    """An image a sample, with a detection, and where it is positive with the object detected."""
    pytest.importorskip("pycocotools")
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    images = range(1, len(y) + 1)
    box = {"category_id": 1, "bbox": [0, 0, 10, 10]}
    truth = COCO()
    truth.dataset = {
        "info": {},
        "images": [{"id": i} for i in images],
        "categories": [{"id": 1}],
        "annotations": [
            {**box, "id": int(i), "image_id": int(i), "area": 100, "iscrowd": 0}
            for i in np.flatnonzero(y) + 1
        ],
    }
    truth.createIndex()
    found = [{**box, "image_id": i, "score": float(x)} for i, x in zip(images, s, strict=True)]
    evaluation = COCOeval(truth, truth.loadRes(found), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    return evaluation.eval["precision"][0, :, 0, 0, -1].mean()


def trec(measure):
    def evaluate(y, s, k):
        pytrec_eval = pytest.importorskip("pytrec_eval")
        name = measure.format(k=k)
        labels = {"q": {f"d{i:03}": int(x) for i, x in enumerate(y)}}
        scores = {"q": {f"d{i:03}": float(x) for i, x in enumerate(s)}}
        return pytrec_eval.RelevanceEvaluator(labels, {name}).evaluate(scores)["q"][name]

    return evaluate


def ranx(measure):
    def evaluate(y, s, k):
        ranx = pytest.importorskip("ranx")
        labels = ranx.Qrels({"q": {f"d{i}": int(x) for i, x in enumerate(y)}})
        scores = ranx.Run({"q": {f"d{i}": float(x) for i, x in enumerate(s)}})
        return ranx.evaluate(labels, scores, measure.format(k=k))

    return evaluate


def tensors(y, s):
    torch = pytest.importorskip("torch")
    return torch.tensor(s, dtype=torch.float64), torch.tensor(y)


def torch_binary(y, s, k, **options):
    torchmetrics = pytest.importorskip("torchmetrics")
    return torchmetrics.classification.BinaryAveragePrecision(**options)(*tensors(y, s)).item()


def torch_map(y, s, k, **options):
    torchmetrics = pytest.importorskip("torchmetrics")
    scores, labels = tensors(y, s)
    indexes = labels * 0
    return torchmetrics.retrieval.RetrievalMAP(**options)(scores, labels, indexes=indexes).item()


def torch_functional(y, s, k):
    functional = pytest.importorskip("torchmetrics.functional.retrieval")
    return functional.retrieval_average_precision(*tensors(y, s), top_k=k).item()


def lightgbm(objective, metric):
    """The scores are those a model starts from, before its first tree."""

    def evaluate(y, s, k):
        lightgbm = pytest.importorskip("lightgbm")
        parameters = {"objective": objective, "metric": metric, "eval_at": [k], "verbose": -1}
        parameters |= {"boost_from_average": False, "min_data_in_leaf": 1, "num_threads": 1}
        column = np.arange(len(y), dtype=float).reshape(-1, 1)
        group = [len(y)] if objective == "lambdarank" else None
        data = lightgbm.Dataset(column, y, group=group, init_score=s, params=parameters)
        [result] = lightgbm.Booster(parameters, data).eval_train()
        return result[2]

    return evaluate


def xgboost(metric):
    def evaluate(y, s, k):
        xgboost = pytest.importorskip("xgboost")
        data = xgboost.DMatrix(np.zeros((len(y), 1)), y, base_margin=s)
        data.set_group([len(y)])
        name = metric.format(k=k)
        parameters = {"objective": "rank:map", "eval_metric": name, "nthread": 1}
        result = xgboost.Booster(parameters, [data]).eval_set([(data, "data")])
        return float(result.rpartition(":")[2])

    return evaluate


TOOLS = {
    ("scikit-learn", "average_precision_score"): sklearn_ap,
    ("scikit-learn", "auc(recall, precision)"): sklearn_auc,
    ("scikit-learn", "average_precision_score of the k best"): sklearn_k_best,
    ("pycocotools", "COCOeval.accumulate"): coco,
    ("trec_eval", "map"): trec("map"),
    ("trec_eval", "map_cut"): trec("map_cut_{k}"),
    ("trec_eval", "11pt_avg"): trec("11pt_avg"),
    ("ranx", "evaluate(metrics='map')"): ranx("map"),
    ("ranx", "evaluate(metrics='map@k')"): ranx("map@{k}"),
    ("torchmetrics", "BinaryAveragePrecision"): torch_binary,
    ("torchmetrics", "RetrievalMAP"): torch_map,
    ("torchmetrics", "RetrievalMAP(top_k=k)"): lambda y, s, k: torch_map(y, s, k, top_k=k),
    ("torchmetrics", "retrieval_average_precision(top_k=k)"): torch_functional,
    ("LightGBM", "average_precision"): lightgbm("binary", "average_precision"),
    ("LightGBM", "map@k"): lightgbm("lambdarank", "map"),
    ("XGBoost", "map@k"): xgboost("map@{k}"),
}


def data_sets():
    """Labels, scores without ties, between 0 and 1, and k: below and above the positives' number"""
    rng = np.random.default_rng(9)
    for k in [10, 30] * 4:
        labels = rng.permutation(np.repeat([1, 0], [N_POSITIVES, 40]))
        noise = rng.permutation(60) / 60
        scores = np.argsort(np.argsort(labels + 3 * noise))  # better than chance
        yield labels, (scores + 1) / 61, k


DATA_SETS = list(data_sets())


def values(number):
    return np.array([float(NUMBERS[number](*data)) for data in DATA_SETS])


def name(peer):
    return f"{peer.tool} {peer.function}"


each_tested = pytest.mark.parametrize("peer", TESTED, ids=name)


# The table


def test_every_row_has_a_number_of_the_list_and_no_row_is_there_twice():
    assert {peer.number for peer in PEERS} <= set(NUMBERS)
    rows = [(peer.tool, peer.version, peer.function) for peer in PEERS]
    assert len(set(rows)) == len(rows)
    assert {(peer.tool, peer.function) for peer in TESTED} == set(TOOLS)


def test_denominators():
    for peer in PEERS:
        expected = re.fullmatch("AP@k / (min|relevant|k|hits)", peer.number)
        assert peer.denominator == (expected[1] if expected else "")


# The tools


@pytest.mark.parametrize("number", sorted({peer.number for peer in TESTED}))
def test_the_data_tell_the_numbers_apart(number):
    for other in set(NUMBERS) - {number}:
        assert abs(values(number) - values(other)).max() > 1e-3, other


@each_tested
def test_the_number(peer):
    tool = TOOLS[peer.tool, peer.function]
    tolerance = 1e-6 if peer.tool == "torchmetrics" else 1e-9  # torchmetrics: in float32
    actual = [tool(*data) for data in DATA_SETS]
    np.testing.assert_allclose(actual, values(peer.number), rtol=0, atol=tolerance)


@each_tested
def test_without_positives(peer):
    value, _, warning = peer.no_positives.partition(" and ")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        actual = TOOLS[peer.tool, peer.function](np.zeros(5, dtype=int), np.arange(1, 6) / 6, 3)
    assert actual == float(value)
    if warning:
        assert "No positive" in "".join(str(w.message) for w in caught)


@each_tested
def test_ties(peer):
    tool = TOOLS[peer.tool, peer.function]
    first, last = (tool(np.array(labels), np.array([0.5, 0.5]), 2) for labels in ([1, 0], [0, 1]))
    if peer.ties == "grouped":
        assert first == last
    elif peer.ties in ("input order", "the caller's order") and peer.number != "AP@k / hits":
        assert first > last
    elif peer.ties == "document number, descending":
        assert first < last
    else:
        assert {first, last} <= {0.5, 1.0}


@each_tested
def test_grouped_ties(peer):
    if peer.ties != "grouped":
        pytest.skip("only where ties are grouped")
    rng = np.random.default_rng(3)
    tolerance = 1e-6 if peer.tool == "torchmetrics" else 1e-9
    for _ in range(10):
        labels, scores = np.append(1, rng.integers(0, 2, 30)), rng.integers(1, 7, 31) / 8
        actual = TOOLS[peer.tool, peer.function](labels, scores, 10)
        expected = float(NUMBERS[peer.number](labels, scores, 10))
        assert actual == pytest.approx(expected, abs=tolerance)


# The traps


def test_torchmetrics_forgets_positives_whose_score_is_not_positive():
    labels, scores = np.array([1, 0, 1, 0, 1]), np.array([3.0, 2.0, -1.0, -2.0, -3.0])
    expected = float(oracle.step(labels, scores))
    assert torch_map(labels, scores, None) == 1 != pytest.approx(expected)
    assert torch_map(labels, scores + 4, None) == pytest.approx(expected)
    assert torch_functional(labels, np.zeros(5), 5) == 0


def test_torchmetrics_loses_small_probabilities_between_its_thresholds():
    labels, scores = np.repeat([1, 0], [10, 90]), np.linspace(0.004, 0.001, 100)
    assert torch_binary(labels, scores, None) == 1
    assert torch_binary(labels, scores, None, thresholds=200) == pytest.approx(0.1)


def test_torchmetrics_takes_large_scores_through_a_sigmoid():
    labels, scores = np.array([1, 0, 0, 0]), np.array([50.0, 40.0, 30.0, 20.0])
    assert torch_binary(labels, scores / 100, None) == 1
    assert torch_binary(labels, scores, None) == 0.5


@pytest.mark.parametrize("found", [7, 14, 19])
def test_coco_loses_a_level(found):
    labels = np.repeat([1, 0, 1], [found, 20, N_POSITIVES - found])
    scores = np.linspace(0.9, 0.1, 40)
    exact = float(oracle.n_point(labels, scores, n_points=101))
    beyond = max(i / (i + 20) for i in range(found, N_POSITIVES + 1))
    assert 101 * (exact - coco(labels, scores, None)) == pytest.approx(1 - beyond)


@pytest.mark.parametrize(
    ("n", "lost"), [(11, [3, 6, 7]), (101, [35, 41, 47, 57, 69, 70, 82, 83, 94, 95])]
)
def test_the_levels_that_a_grid_of_floats_loses(n, lost):
    levels, recalls = np.linspace(0, 1, n), np.arange(n) / (n - 1)
    assert np.flatnonzero(levels > recalls).tolist() == lost


def test_trec_eval_rounds_recall_levels():
    labels, scores = np.array([1, 1, 0, 0, 0, 0, 1]), np.arange(7, 0, -1)
    actual = trec("11pt_avg")(labels, scores, None)
    assert actual == pytest.approx(65 / 77)
    assert actual > oracle.n_point(labels, scores, n_points=11)


def test_trec_eval_reads_scores_as_float32():
    labels, scores = np.array([1, 0]), np.array([1 + 1e-9, 1])
    assert trec("map")(labels, scores, None) == 0.5 != oracle.step(labels, scores)


def test_xgboost_stops_at_32_unless_told_otherwise():
    labels, scores, _ = DATA_SETS[0]
    actual = xgboost("map")(labels, scores, None)
    assert actual == pytest.approx(float(at_k("min")(labels, scores, 32)), abs=1e-12)
    assert actual < oracle.step(labels, scores) - 0.1


def test_xgboost_gives_0_without_positives_on_demand():
    assert xgboost("map@{k}-")(np.zeros(5, dtype=int), np.arange(5.0), 3) == 0
