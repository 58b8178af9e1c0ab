"""Each installed tool of `compat.PEERS` returns the value of its definition."""

import re
import sys
import warnings
from collections import defaultdict
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn import metrics

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap._inputs.records import Inputs
from sklearn_ap.compat import PEERS
from sklearn_ap.compat.audits import compare_log, make_audit
from sklearn_ap.compat.call_log import Call, CallLog, draw_ranking, find_aspect, list_small_rankings
from sklearn_ap.compat.data_sets import DataSet
from sklearn_ap.compat.mistakes import NO_MISTAKE
from sklearn_ap.compat.peers import (
    RULES_BY_DEFINITION,
    VALUES_WITHOUT_POSITIVES,
    _with_k,
    find_order,
    merge_versions,
)
from sklearn_ap.compat.readings import Reading, ThresholdBins
from sklearn_ap.compat.tie_orders import Order
from sklearn_ap.compat.variant_rules import RuleWithoutCutoff
from sklearn_ap.compat.variants import Variant
from sklearn_ap.core.cutoff import Cut

from . import oracle
from .detections import evaluated, of_pycocotools
from .documentation import script

# Warnings of other tools are not ours.
pytestmark = pytest.mark.filterwarnings("ignore")

TESTED = [peer for peer in PEERS if peer.package]
OF_K_BEST = RULES_BY_DEFINITION["step of the k best rows"]


# The tools: labels, scores and k in, a value out. Some also take queries, the positives that were
# missed in each, or weights.


def sklearn_ap(y, s, k, weights=None):
    return metrics.average_precision_score(y, s, sample_weight=weights)


def sklearn_of_both(y, s, k, weights=None, **options):
    labels, scores = np.column_stack([1 - y, y]), np.column_stack([1 - s, s])
    return metrics.average_precision_score(labels, scores, sample_weight=weights, **options)


def sklearn_auc(y, s, k, weights=None):
    precision, recall, _ = metrics.precision_recall_curve(y, s, sample_weight=weights)
    return metrics.auc(recall, precision)


def sklearn_roc(y, s, k, weights=None):
    if len(np.unique(y)) < 2:
        return np.nan  # and a warning; an error before 1.6
    return metrics.roc_auc_score(y, s, sample_weight=weights)


def sklearn_k_best(y, s, k, weights=None):
    top = np.argsort(-s, kind="stable")[:k]
    return sklearn_ap(y[top], s[top], k, None if weights is None else weights[top])


def coco(y, s, k, queries=None, missed=None, kinds=of_pycocotools):
    """Each sample is an image with a detection, and with the detected object if it is positive.

    A query is a category, and each missed object has its own image.
    """
    queries = np.zeros(len(y), dtype=int) if queries is None else queries
    box, missed = {"bbox": [0, 0, 10, 10]}, missed or {}
    objects = [(int(q), int(i)) for i, q in enumerate(queries) if y[i]]
    objects += [(q, len(y) + i) for q, n in missed.items() for i in range(n)]
    found = [
        {**box, "image_id": i + 1, "category_id": int(q) + 1, "score": float(s[i])}
        for i, q in enumerate(queries)
    ]
    box |= {"area": 100, "iscrowd": 0}
    truth = {
        "info": {},
        "images": [{"id": i + 1} for i in range(len(y) + max([0, *missed.values()]))],
        "categories": [{"id": q + 1} for q in {*queries.tolist(), *missed}],
        "annotations": [
            {**box, "id": i, "category_id": q + 1, "image_id": image + 1}
            for i, (q, image) in enumerate(objects, start=1)
        ],
    }
    evaluation = evaluated(truth, found, kinds, recThrs=np.linspace(0, 1, 101))
    precision = evaluation.eval["precision"][0, :, :, 0, -1]
    return precision[precision > -1].mean() if (precision > -1).any() else -1.0


def of_faster_coco_eval():
    library = pytest.importorskip("faster_coco_eval")
    return library.COCO, library.COCOeval_faster


def by_query(y, s, queries, missed):
    """Labels and scores by the ids of documents, which increase with the rows."""
    labels, scores = defaultdict(dict), defaultdict(dict)
    queries = np.zeros(len(y), dtype=int) if queries is None else queries
    for i, query in enumerate(map(str, queries)):
        labels[query][f"d{i:06}"] = int(y[i])
        scores[query][f"d{i:06}"] = float(s[i])
    for query, n in (missed or {}).items():
        labels[str(query)] |= {f"missed{i}": 1 for i in range(n)}
    return labels, scores


def trec(measure, y, s, k, queries=None, missed=None):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    name = measure.format(k=k)
    labels, scores = by_query(y, s, queries, missed)
    found = pytrec_eval.RelevanceEvaluator(labels, {name}).evaluate(scores)
    return np.mean([query[name] for query in found.values()])


def ir_measures(measure, y, s, k, queries=None, missed=None):
    library = pytest.importorskip("ir_measures")
    parsed = library.parse_measure(measure.format(k=k))
    return library.calc_aggregate([parsed], *by_query(y, s, queries, missed))[parsed]


def ranx(measure, y, s, k, queries=None, missed=None, **options):
    library = pytest.importorskip("ranx")
    labels, scores = map(dict, by_query(y, s, queries, missed))
    run = library.Run(scores)
    return library.evaluate(library.Qrels(labels), run, measure.format(k=k), **options)


def tensors(y, s):
    torch = pytest.importorskip("torch")
    return torch.tensor(s, dtype=torch.float64), torch.tensor(y)


def torch_binary(y, s, k, **options):
    torchmetrics = pytest.importorskip("torchmetrics")
    return torchmetrics.classification.BinaryAveragePrecision(**options)(*tensors(y, s)).item()


def torch_of_both(y, s, k, **options):
    torchmetrics = pytest.importorskip("torchmetrics")
    make = torchmetrics.classification.MulticlassAveragePrecision
    return make(num_classes=2, **options)(*tensors(y, np.column_stack([1 - s, s]))).item()


def keras_pr(y, s, k, weights=None):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERAS_BACKEND", "torch")
        pytest.importorskip("torch")
        keras = pytest.importorskip("keras")
    metric = keras.metrics.AUC(curve="PR")
    metric.update_state(y, s, sample_weight=weights)
    return float(metric.result())


def torch_retrieval(metric, y, s, k, queries=None, at_k=True):
    torchmetrics = pytest.importorskip("torchmetrics")
    scores, labels = tensors(y, s)
    indexes = labels * 0 if queries is None else tensors(y, queries)[0].long()
    make = getattr(torchmetrics.retrieval, metric)
    return make(**{"top_k": k} if at_k else {})(scores, labels, indexes=indexes).item()


torch_map = partial(torch_retrieval, "RetrievalMAP", at_k=False)


def torch_functional(y, s, k):
    functional = pytest.importorskip("torchmetrics.functional.retrieval")
    return functional.retrieval_average_precision(*tensors(y, s), top_k=k).item()


def sizes(y, queries):
    return [len(y)] if queries is None else np.unique(queries, return_counts=True)[1].tolist()


def lightgbm(objective, metric, y, s, k, queries=None, weights=None):
    """The scores are those that a model starts with, before its first tree."""
    lightgbm = pytest.importorskip("lightgbm")
    parameters = {"objective": objective, "metric": metric, "eval_at": [k], "verbose": -1}
    parameters |= {"boost_from_average": False, "min_data_in_leaf": 1, "num_threads": 1}
    group = sizes(y, queries) if objective == "lambdarank" else None
    rows = np.arange(len(y), dtype=float).reshape(-1, 1)
    given = {"weight": weights, "group": group, "init_score": s, "params": parameters}
    [result] = lightgbm.Booster(parameters, lightgbm.Dataset(rows, y, **given)).eval_train()
    return result[2]


def xgboost(metric, y, s, k, queries=None, weights=None, objective="rank:map"):
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(np.zeros((len(y), 1)), y, base_margin=s, weight=weights)
    if objective == "rank:map":
        data.set_group(sizes(y, queries))
    parameters = {"objective": objective, "eval_metric": metric.format(k=k), "nthread": 1}
    result = xgboost.Booster(parameters, [data]).eval_set([(data, "data")])
    return float(result.rpartition(":")[2])


def catboost(y, s, k):
    utils = pytest.importorskip("catboost.utils")
    return utils.eval_metric(y, s, "PRAUC")[0] if y.any() else np.nan  # an error


def polars_ds(y, s, k):
    pl, pds = pytest.importorskip("polars"), pytest.importorskip("polars_ds")
    metrics = pds.query_binary_metrics("label", "score")
    found = pl.DataFrame({"label": y, "score": s}).select(metrics).to_series()[0]
    return found["avg_precision"] if y.any() else found  # nan without a struct


def sql(y, s, k):
    """The query of docs/large_data.md."""
    duckdb, pl = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    page = (Path(__file__).parents[1] / "docs" / "large_data.md").read_text(encoding="utf-8")
    query = re.search(r'QUERY = """\n(.*?)"""', page, re.S)[1]
    with duckdb.connect() as connection:
        connection.register("scores", pl.DataFrame({"label": y, "score": s}))
        [(value,)] = connection.sql(query.replace("'scores/*.parquet'", "scores")).fetchall()
    return value


def with_k(measure):
    return measure.replace("@k", "@{k}")


TREC = ("map", "map_cut", "11pt_avg", "P", "recall", "Rprec", "recip_rank", "success")
IR_MEASURES = ("AP", "AP@k", "P@k", "R@k", "Rprec", "RR", "Success@k")
RANX = ("map", "map@k", "precision@k", "recall@k", "r-precision", "mrr", "hit_rate@k")
AT_K = {each: f"{each}_{{k}}" for each in ("map_cut", "P", "recall", "success")}
TORCH = ("MAP", "Precision", "Recall", "HitRate")
TOOLS = {
    ("scikit-learn", "average_precision_score"): sklearn_ap,
    ("scikit-learn", "average_precision_score of both columns"): sklearn_of_both,
    **{
        ("scikit-learn", f"average_precision_score of both columns, average='{each}'"): partial(
            sklearn_of_both, average=each
        )
        for each in ("weighted", "micro")
    },
    ("scikit-learn", "auc(recall, precision)"): sklearn_auc,
    ("scikit-learn", "average_precision_score of the k best"): sklearn_k_best,
    ("scikit-learn", "roc_auc_score"): sklearn_roc,
    ("pycocotools", "COCOeval.accumulate"): coco,
    ("faster-coco-eval", "COCOeval_faster.accumulate"): partial(coco, kinds=of_faster_coco_eval),
    **{("trec_eval", each): partial(trec, AT_K.get(each, each)) for each in TREC},
    **{("ir_measures", each): partial(ir_measures, with_k(each)) for each in IR_MEASURES},
    **{("ranx", f"evaluate(metrics='{each}')"): partial(ranx, with_k(each)) for each in RANX},
    ("torchmetrics", "BinaryAveragePrecision"): torch_binary,
    **{
        ("torchmetrics", f"BinaryAveragePrecision(thresholds={n})"): partial(
            torch_binary, thresholds=n
        )
        for n in (50, 100, 200, 500)
    },
    ("torchmetrics", "MulticlassAveragePrecision(num_classes=2)"): torch_of_both,
    ("torchmetrics", "MulticlassAveragePrecision(num_classes=2, average='weighted')"): partial(
        torch_of_both, average="weighted"
    ),
    ("Keras", "AUC(curve='PR')"): keras_pr,
    ("torchmetrics", "RetrievalMAP"): torch_map,
    **{
        ("torchmetrics", f"Retrieval{each}(top_k=k)"): partial(torch_retrieval, f"Retrieval{each}")
        for each in TORCH
    },
    **{
        ("torchmetrics", each): partial(torch_retrieval, each, at_k=False)
        for each in ("RetrievalRPrecision", "RetrievalMRR")
    },
    ("torchmetrics", "retrieval_average_precision(top_k=k)"): torch_functional,
    ("CatBoost", "PRAUC"): catboost,
    ("polars_ds", "query_binary_metrics"): polars_ds,
    ("DuckDB", "SQL with window functions"): sql,
    ("LightGBM", "average_precision"): partial(lightgbm, "binary", "average_precision"),
    ("LightGBM", "map@k"): partial(lightgbm, "lambdarank", "map"),
    ("LightGBM", "auc"): partial(lightgbm, "binary", "auc"),
    ("XGBoost", "map@k"): partial(xgboost, "map@{k}"),
    ("XGBoost", "map@k-"): partial(xgboost, "map@{k}-"),
    ("XGBoost", "aucpr"): partial(xgboost, "aucpr", objective="binary:logitraw"),
    ("XGBoost", "auc"): partial(xgboost, "auc", objective="binary:logitraw"),
}


def name(peer):
    return f"{peer.tool} {peer.function}"


BESIDE = {"precision@k", "recall@k", "R-precision", "reciprocal rank", "hit rate@k"}
BESIDE |= {"area under the ROC curve"}
SLOW_TO_START = "DuckDB", "ranx"
each_tested = pytest.mark.parametrize(
    "peer",
    [
        pytest.param(p, id=name(p), marks=[pytest.mark.slow] * (p.tool in SLOW_TO_START))
        for p in TESTED
    ],
)


def test_no_row_is_there_twice():
    assert len({(peer.tool, peer.version, peer.function) for peer in PEERS}) == len(PEERS)
    assert {(peer.tool, peer.function) for peer in TESTED} == set(TOOLS)


def test_each_row_is_tested_or_says_how_it_is_known():
    for peer in PEERS:
        assert bool(peer.package) != bool(peer.source), peer


@pytest.mark.sweep(4)
@each_tested
def test_without_positives(peer):
    if peer.ranks is not NO_MISTAKE:
        pytest.skip("the other class has positives")
    if peer.no_positives == "an error":
        utils = pytest.importorskip("catboost.utils")
        with pytest.raises(Exception, match="No element of a positive class"):
            utils.eval_metric([0, 0], [0.1, 0.2], "PRAUC")
        return
    value, warning = re.fullmatch(r"([-.\dan]+)( and a warning)?.*", peer.no_positives).groups()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        actual = TOOLS[peer.tool, peer.function](np.zeros(5, dtype=int), np.arange(1, 6) / 6, 3)
    np.testing.assert_array_equal([actual], [float(value)])
    if warning and "roc_auc" not in peer.function:
        assert "No positive" in "".join(str(w.message) for w in caught)


@pytest.mark.parametrize(
    "tool", [partial(lightgbm, "lambdarank", "ndcg"), partial(xgboost, "ndcg@{k}")]
)
def test_ndcg_of_boosting_has_exponential_gains(tool):
    """A query without relevant documents counts as 1. XGBoost prints six decimals."""
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(30), 12)
    grades, scores = rng.integers(0, 4, 360), rng.permutation(360) / 360
    grades[:24] = 0
    ours = ap.ndcg_score(
        grades, scores, k=5, groups=queries, gains="exponential", zero_division=1.0
    )
    assert tool(grades, scores, 5, queries) == pytest.approx(ours, abs=1e-5)
    if tool.func is xgboost:
        without = xgboost("ndcg@{k}-", grades, scores, 5, queries)
        assert without == pytest.approx(ours - 2 / 30, abs=1e-5)


def made(seed):
    """Return labels, scores, k, and what else is passed to a tool and to `explain`."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 50))
    labels = (rng.random(n) < rng.choice([0.1, 0.3, 0.7])).astype(int)
    labels[rng.integers(n)] = 1
    scores = [
        lambda: rng.random(n),
        lambda: rng.integers(0, 6, n) / 8,
        lambda: (rng.random(n) + labels * 0.4).round(1),
        lambda: 0.5 + rng.permutation(n) * 1e-9,  # equal as float32
        lambda: rng.normal(size=n).round(1),
        lambda: rng.integers(-(2**26), 2**26, n) | 1,  # not all of them are float32
        lambda: 1.0 * rng.permutation(n),
    ][seed % 7]()
    k, tool, ours = int(rng.integers(1, 12)), {}, {}
    if seed % 3 == 1:
        queries = np.sort(rng.integers(0, 4, n))
        tool["queries"] = ours["groups"] = queries
    if seed % 5 == 2:
        held = tool.get("queries", np.zeros(n, dtype=int))
        tool["missed"] = {int(query): int(rng.integers(0, 4)) for query in np.unique(held)}
        exist = {q: m + int(labels[held == q].sum()) for q, m in tool["missed"].items()}
        ours["n_positives"] = exist if "groups" in ours else exist[0]
        if "groups" in ours and seed % 2:  # and a query without rows
            tool["missed"][9] = exist[9] = 2
    if not tool and seed % 2:
        tool["weights"] = ours["sample_weight"] = rng.integers(1, 4, n) / 2
    return labels, scores, k, tool, ours


@cache
def explained(seed):
    labels, scores, k, _, ours = made(seed)
    return compat.explain(labels, scores, k=k, **ours).rows


def really(peer, seed):
    """What the tool gives by how it may be called: with all that it knows of, and as it knows no
    queries once for all rows as one ranking and once for each query."""
    labels, scores, k, options, _ = made(seed)
    tool, queries = TOOLS[peer.tool, peer.function], options.get("queries")
    if 9 in options.get("missed", {}) and peer.tool == "ranx":
        return {}  # it refuses
    knows = {"queries": peer.queries, "missed": peer.missed, "weights": peer.weights}
    known = {name: value for name, value in options.items() if knows[name]}
    if queries is None or peer.queries:
        return {False: tool(labels, scores, k, **known)}
    each = [tool(labels[q], scores[q], k) for q in (queries == q for q in np.unique(queries))]
    return {True: tool(labels, scores, k), False: np.mean(each)}


def credited(peer, texts):
    call = re.escape(f"{peer.tool} {peer.function} ") + r"\(([^)]*)\)"
    found = ((row, re.search(call, row.reported_by)) for row in texts)
    versions = ((row, re.split(r", (?=\d)", match[1])) for row, match in found if match)
    return [
        row
        for row, named in versions
        if merge_versions([*named, peer.version]) == merge_versions(named)
    ]


def is_known(peer, seed):
    labels, scores, _, _, ours = made(seed)
    sample = DataSet.from_inputs(Inputs(labels, scores, **ours))
    is_read = peer.ranks in (NO_MISTAKE, *sample.mistakes) and sample.can_read(
        NO_MISTAKE, peer.reading
    )
    knows_all = peer.ranks is NO_MISTAKE or peer.weights or not sample.is_weighted
    return peer.is_known_on(sample) and is_read and knows_all


# 35 of them are enough for each pair of what `made` varies, 210 for all of it.
each_seeds = pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 210), marks=pytest.mark.slow)], ids=str
)


@pytest.mark.sweep(24)
@each_tested
@each_seeds
def test_a_tool_is_named_beside_the_number_that_it_gives(seeds, peer):
    """Or next to the range that contains its value, and nowhere else."""
    if peer.definition in BESIDE or peer.is_setting:
        pytest.skip("explain shows average precision, as tools compute it by default")
    n_named = 0
    for seed in seeds:
        actual = really(peer, seed)
        for row in credited(peer, explained(seed)):
            value = actual["all rows as one ranking" in row.definition]
            assert row.low - 1e-6 <= value <= row.high + 1e-6, (seed, row)
            if find_order(peer) not in (Order.OPEN, Order.BY_ID):
                assert row.low == row.high == row.value
            if find_order(peer) is Order.BY_ID:
                assert row.value == pytest.approx(value, abs=1e-6)  # the ids rise with the rows
            n_named += 1
    assert n_named > sum(is_known(peer, seed) for seed in seeds) / 2


@pytest.mark.sweep(24)
@each_tested
@each_seeds
def test_the_number_that_a_tool_gives_is_identified_as_its_own(seeds, peer):
    known = [seed for seed in seeds[:: 1 if peer.is_setting else 3] if is_known(peer, seed)]
    assert known
    for seed in known:
        labels, scores, k, _, ours = made(seed)
        for value in really(peer, seed).values():
            if not 0 <= value <= 1:
                continue
            found = compat.identify(float(value), labels, scores, k=k, decimals=6, **ours)
            assert credited(peer, found.matches), (seed, value)


ELEVEN = partial(trec, "11pt_avg")
ALTERNATE, MANY = [1, 0, 1, 0, 1], (np.repeat([1, 0], [10, 90]), np.linspace(0.004, 0.001, 100))
THIRDS = [1, 0, 0] * 20, np.arange(60, 0, -1) / 64
# What a tool returns, and below it in some cases, what it returns without the trap
TRAPS = [
    (torch_map, ALTERNATE, [3, 2, -1, -2, -3], 1),  # positives below 0 are lost
    (torch_map, ALTERNATE, [7, 6, 3, 2, 1], (1 + 2 / 3 + 3 / 5) / 3),
    (torch_functional, ALTERNATE, [0] * 5, 0),
    # small probabilities are between two thresholds
    (partial(torch_binary, thresholds=200), *MANY, 0.1),
    (torch_binary, *MANY, 1),
    (torch_binary, [1, 0, 0, 0], [50, 40, 30, 20], 0.5),  # through a sigmoid
    (torch_binary, [1, 0, 0, 0], [0.5, 0.4, 0.3, 0.2], 1),
    (ELEVEN, [1, 1, 0, 0, 0, 0, 1], range(7, 0, -1), 65 / 77),  # instead of 61 / 77
    (partial(trec, "map"), [1, 0], [1 + 1e-9, 1], 0.5),  # equal in single precision
    (partial(xgboost, "map"), *THIRDS, float(oracle.at_k(*THIRDS, k=32))),  # which is the most
    (partial(xgboost, "map@{k}-"), [0] * 5, range(5), 0),
]


@pytest.mark.parametrize(("tool", "labels", "scores", "value"), TRAPS)
def test_traps(tool, labels, scores, value):
    actual = tool(np.array(labels), np.array(scores, dtype=float), 5)
    assert actual == pytest.approx(value, abs=1e-7)


def without_rows():
    """Two queries of a run, and a third one that has positives but no rows."""
    labels, scores = np.array([0, 1, 0, 1, 1, 0, 1, 0, 0, 1]), np.arange(10, 0, -1) / 16
    groups, missed = np.repeat([0, 1], 5), {0: 1, 1: 0, 2: 3}
    return labels, scores, groups, missed, {"groups": groups, "n_positives": {0: 4, 1: 2, 2: 3}}


@pytest.mark.parametrize(("measure", "k"), [("map", None), ("map_cut", 3), ("11pt_avg", None)])
def test_trec_eval_leaves_queries_without_rows_out_unless_told_to_count_them(measure, k):
    labels, scores, groups, missed, ours = without_rows()
    out = trec(AT_K.get(measure, measure), labels, scores, k, groups, missed)
    counted = out * 2 / 3  # pytrec_eval has no -c: the third query counts 0
    rows = {
        name: row
        for row in compat.explain(labels, scores, k=k, **ours).rows
        for name in re.findall(r"trec_eval (\S+(?: with -c)?) \(9", row.reported_by)
    }
    assert rows[measure].value == pytest.approx(out, abs=1e-9)
    assert rows[f"{measure} with -c"].value == pytest.approx(counted, abs=1e-9)
    assert "1 of 3 groups has no rows, and is left out" in rows[measure].why
    assert "no rows" not in rows[f"{measure} with -c"].why
    for value, name in ((out, measure), (counted, f"{measure} with -c")):
        found = compat.identify(f"{value:.4f}", labels, scores, k=k, **ours)
        assert any(f"trec_eval {name} (9" in match.reported_by for match in found.matches)


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "k"), [("map", None), ("map@{k}", 3)])
def test_ranx_refuses_queries_without_rows_unless_told_to_count_them(measure, k):
    labels, scores, groups, missed, ours = without_rows()
    run = partial(ranx, measure, labels, scores, k, groups, missed)
    with pytest.raises(AssertionError, match="make_comparable=True"):
        run()
    call = f"ranx evaluate(metrics='{measure.format(k='k')}')"
    rows = compat.explain(labels, scores, k=k, **ours).rows
    assert not any(f"{call} (" in row.reported_by for row in rows)
    [row] = (row for row in rows if f"{call} with make_comparable=True (" in row.reported_by)
    assert row.value == pytest.approx(run(make_comparable=True), abs=1e-9)


ZEROS = [[0, 1, 1, 1, 1], [1, 0, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 0, 1, 0], [1, 0, 0, 2, 1]]


@pytest.mark.sweep(12)
@pytest.mark.parametrize("weights", ZEROS)
@pytest.mark.parametrize("scores", [[0.9, 0.8, 0.7, 0.6, 0.5], [0.9, 0.9, 0.7, 0.6, 0.6]])
@pytest.mark.parametrize(
    "peer", [peer for peer in TESTED if peer.weights and peer.tool != "torchmetrics"], ids=name
)
def test_rows_of_weight_0(peer, scores, weights):
    """No tool is listed next to a value that it doesn't return."""
    labels, scores, weights = np.array([0, 1, 0, 1, 0]), np.array(scores), np.array(weights, float)
    actual = TOOLS[peer.tool, peer.function](labels, scores, 3, weights=weights)
    rows = compat.explain(labels, scores, k=3, sample_weight=weights).rows
    found = credited(peer, rows)
    assert all(row.low - 1e-6 <= actual <= row.high + 1e-6 for row in found)
    if peer.function in ("average_precision_score", "auc(recall, precision)", "aucpr"):
        assert found


@pytest.mark.parametrize(("best", "is_known"), [(0, False), (1, True)])
def test_lightgbm_has_no_number_if_the_best_score_has_no_weight(best, is_known):
    data = np.array([0, 1, 0, 1, 0]), np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    weights = np.array([best, 1.0, 0.0, 1.0, 1.0])
    value = lightgbm("binary", "average_precision", *data, None, weights=weights)
    assert np.isnan(value) == (not is_known)
    for groups in (None, np.repeat([0, 1], [3, 2])):
        rows = compat.explain(*data, sample_weight=weights, groups=groups).rows
        assert not any("LightGBM" in row.reported_by for row in rows)


MOST = float(np.finfo(np.float32).max)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("labels", [[1, 0], [0, 1]])
@pytest.mark.parametrize(
    "scores",
    [
        [1e39, MOST],
        [MOST, 1e39],
        [-MOST, -1e39],
        [-1e39, -MOST],
        [1e39, 2e39],
        [-1e39, -2e39],
        [1e39, -1e39],
    ],
)
@pytest.mark.parametrize("call", [("trec_eval", "map"), ("XGBoost", "aucpr"), ("XGBoost", "auc")])
def test_infinities_of_single_precision_tie_with_each_other_alone(call, scores, labels):
    labels, scores = np.array(labels), np.array(scores, dtype=float)
    actual = TOOLS[call](labels, scores, None)
    [peer] = (peer for peer in TESTED if (peer.tool, peer.function) == call)
    if call == ("XGBoost", "auc"):
        assert credited(peer, compat.identify(actual, labels, scores, decimals=6).matches)
    else:
        [row] = credited(peer, compat.explain(labels, scores).rows)
        assert row.value == pytest.approx(actual, abs=1e-6)


# What `audit` says about the tools


def audited_in_full(peer):
    """Audit what can be called with single rankings of any size."""
    tool, k = TOOLS[peer.tool, peer.function], 10
    return compat.audit(lambda y, s: tool(y.astype(int), s.astype(float), k))


def audited_on_some(peer):
    """Audit on 60 rankings what trains a model, or writes files."""
    trials = CallLog(lambda y, s: TOOLS[peer.tool, peer.function](y, s, 10), 0)
    small = [ranking for ranking in list_small_rankings() if ranking[0].size <= 3]
    random = (draw_ranking(20, i % 2 == 1, trials.rng) for i in range(18))
    rankings = [trials.shuffle(*ranking) for ranking in (*small, *random)]
    trials.try_each(Call(find_aspect(*ranking), *ranking) for ranking in rankings)
    return make_audit(compare_log(trials, None, tolerance=1e-6))


def is_known_in_full(peer):
    """Whether the value is known for scores of all kinds, as audits have them."""
    scores = np.array([-1e6, -1.0, 0.5, 2.0**-40, 1e6, 1e6 + 0.1, 200.0])
    labels = np.arange(scores.size) % 2 == 0
    return peer.is_known_on(DataSet.from_inputs(Inputs(labels.astype(int), scores)))


SLOW = (
    "LightGBM",
    "XGBoost",
    "CatBoost",
    "pycocotools",
    "faster-coco-eval",
    "DuckDB",
    "ranx",
    "ir_measures",
)
of_one_ranking = [
    peer
    for peer in TESTED
    if peer.ranks is NO_MISTAKE and peer.rule != OF_K_BEST  # which ties rows in two ways
]
each_audited = pytest.mark.parametrize(
    ("peer", "audited"),
    [
        *(
            pytest.param(
                peer,
                audited_on_some,
                id=name(peer),
                marks=[pytest.mark.slow] * (peer.tool in SLOW_TO_START),
            )
            for peer in of_one_ranking
        ),
        *(
            pytest.param(peer, audited_in_full, id=f"{name(peer)}, full", marks=pytest.mark.slow)
            for peer in of_one_ranking
            if peer.tool not in SLOW
        ),
    ],
)


@pytest.mark.sweep(12)
@each_audited
def test_an_audit_names_the_tool(monkeypatch, peer, audited):
    clock = sys.modules[CallLog.__module__]  # a slow machine is no fault
    monkeypatch.setattr(clock, "perf_counter", lambda: 0.0)
    result = audited(peer)
    is_named = any(credited_in(tool, peer) for tool in result.tools)
    if peer.ties == "unstable sort":  # so nobody knows that it does the same
        assert not is_named
    elif is_known_in_full(peer) or audited is audited_on_some:
        assert is_named, (str(result), result.tools)
    else:
        assert not is_named
        assert peer.trap, "which says why it isn't known"


def credited_in(tool, peer):
    return tool.startswith(f"{peer.tool} {peer.function} (")


# The page of all tools

pages = script("pages")
K = 5


def four_queries(peer, is_tied):
    """Labels, scores and queries, the last of them without positives if its value is known."""
    rng = np.random.default_rng(0)
    labels, queries = rng.permutation(np.repeat([0, 1], [24, 16])), np.repeat(np.arange(4), 10)
    labels[[0, 10, 20, 30]], labels[[1, 11, 21, 31]] = 1, 0
    if peer.queries and peer.no_positives in VALUES_WITHOUT_POSITIVES:
        labels[30:] = 0
    scores = rng.permutation(np.arange(1, 41)) / 64
    if is_tied:
        scores = np.ceil(scores * 5) / 8
        if peer.reading is Reading.SINGLE:
            scores += 1e-10 * rng.permutation(40)  # more ties
        if isinstance(peer.reading, ThresholdBins):
            scores[:20] = np.tile([1, 1 - 1e-4], 10)  # at the last threshold, and below it
    return labels, scores, queries


def by_its_row(peer, labels, scores, queries):
    """The value by what the row says, with tied samples as the call on the page ranks them."""
    groups = queries if peer.queries else None
    sample = DataSet.from_inputs(Inputs(labels, scores, groups=groups))
    empty, order = VALUES_WITHOUT_POSITIVES.get(peer.no_positives, 0.0), find_order(peer)
    if order is not Order.WORST and not shows_all_orders(peer):
        order = Order.GROUPED
    found = Variant(peer.rule, peer.ranks, peer.reading, order, empty, peer.average)
    if isinstance(peer.rule, RuleWithoutCutoff):
        found = _with_k(found.simplify_on(sample), Cut(K), sample)
    return found.simplify_on(sample).value(sample).at


def shows_all_orders(peer):
    return pages.call_here(peer).startswith(("ap.compat.explain", "ap.compat.identify"))


def by_the_call(peer, labels, scores, queries, value):
    """The value of the call on the page, in the row that names the tool, or else the definition."""
    given = {"y": labels, "s": scores, "q": queries, "k": K, "value": value}
    result = eval(pages.call_here(peer), {"ap": ap, "np": np, "sklearn": sklearn, **given})
    if isinstance(result, compat.Explanation):
        of_definition = [row for row in result.rows if row.definition == peer.definition]
        [row] = credited(peer, result.rows) or of_definition
        return row.value
    if isinstance(result, compat.Identification):
        assert credited(peer, result.matches)
        return value
    return result


@pytest.mark.sweep(12)
@pytest.mark.parametrize("is_tied", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize("peer", PEERS, ids=name)
def test_the_page_has_a_call_that_gives_the_value(peer, is_tied):
    data = four_queries(peer, is_tied)
    if not peer.is_known_on(DataSet.from_inputs(Inputs(*data[:2]))) and (
        is_tied or not pages.call_here(peer)
    ):
        pytest.skip("its value isn't known on this data")
    if is_tied and peer.rule == OF_K_BEST:
        pytest.skip("the tool, or its caller, chooses among tied samples")
    value = by_its_row(peer, *data)
    assert by_the_call(peer, *data, value) == pytest.approx(value, abs=1e-12)


@each_tested
def test_the_call_on_the_page_gives_the_value_of_the_tool(peer):
    labels, scores, queries = four_queries(peer, is_tied=False)
    options = {"queries": queries} if peer.queries else {}
    value = TOOLS[peer.tool, peer.function](labels, scores, K, **options)
    assert by_the_call(peer, labels, scores, queries, value) == pytest.approx(value, abs=1e-6)
