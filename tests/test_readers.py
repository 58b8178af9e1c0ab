"""Judgments and runs of TREC, the payments, and the recipe for detections."""

import contextlib
import gzip
import io
import os
import re
import sys
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import sklearn_ap as ap
from sklearn_ap.readers import read_trec

QRELS, RUN = "a 0 d 1\na 0 e 0\n", "a Q0 d 1 2 x\n"


def write_files(qrels, run):
    judged = [f"{q} 0 {d} {grade}\n" for q, by in qrels.items() for d, grade in by.items()]
    found = [f"{q} Q0 {d} 1 {score} me\n" for q, by in run.items() for d, score in by.items()]
    return StringIO("".join(judged)), StringIO("".join(found))


@pytest.mark.parametrize("seed", range(10))
def test_values_of_trec_eval(seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng, qrels, run = np.random.default_rng(seed), {}, {}
    for query in map("q{}".format, range(6)):
        docs = [f"d{number}" for number in range(20)]
        qrels[query] = {doc: int(rng.integers(-1, 4)) for doc in docs[:12]}
        run[query] = {doc: float(round(rng.normal(), 1)) for doc in docs[3:]}
    del run["q5"]  # a query without documents counts as 0
    run["q9"] = {"d1": 1.0}  # and one without judgments is left out
    qrels["q6"], run["q6"] = {"d3": -1}, {"d3": 1.0}  # but not one whose judgments are below 0
    table, n_positives = read_trec(*write_files(qrels, run))
    by_query = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_5", "P_5"}).evaluate(run)
    data = {"groups": "query", "n_positives": n_positives, "data": table, "zero_division": 0}
    for measure, function, options in (
        ("map", ap.mean_average_precision_score, {"min_grade": 1}),
        ("ndcg_cut_5", ap.ndcg_score, {"k": 5}),
        ("P_5", ap.precision_at_k_score, {"min_grade": 1, "k": 5}),
    ):
        mean = sum(each[measure] for each in by_query.values()) / 7
        assert function("grade", "score", **options, **data) == pytest.approx(mean)


METRICS = {"MAP": "map", "P@10": "P_10", "R@100": "recall_100", "nDCG@10": "ndcg_cut_10"}


@pytest.fixture(scope="module")
def runs():
    """Judgments, and runs that found other documents, and nothing for some queries."""
    rng, names = np.random.default_rng(0), [f"d{number}" for number in range(40)]
    grades = [-1, 0, 1, 2]
    qrels = {f"q{n}": {d: int(rng.choice(grades)) for d in names[:30]} for n in range(30)}
    qrels["q3"] = {"d1": 0}  # nothing is relevant
    runs = {}
    for name, skill in {"old": 0.1, "new": 0.4, "other": 0.4}.items():
        found = {q: rng.choice(names, 20, replace=False) for q in qrels if rng.random() < 0.9}
        runs[name] = {
            q: {d: round(rng.normal(skill * qrels[q].get(d, 0)), 1) for d in found[q].tolist()}
            for q in found
        }
    files = {name: write_files(qrels, run)[1] for name, run in runs.items()}
    return qrels, runs, *read_trec(write_files(qrels, {})[0], files)


@pytest.mark.filterwarnings("ignore:No positive class")
@pytest.mark.parametrize("metric", METRICS)
def test_runs_are_compared_query_by_query(runs, metric):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, found, tables, counts = runs
    asked = {"groups": "query", "n_positives": counts, "metric": metric}
    asked |= {} if metric == "nDCG@10" else {"min_grade": 1}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {METRICS[metric]})
    values = {}
    for name, table in tables.items():
        by_query = evaluator.evaluate(found[name])
        expected = {q: by_query.get(q, {METRICS[metric]: 0})[METRICS[metric]] for q in qrels}
        values[name] = ap.values_by_group("grade", "score", data=table, **asked)
        assert [*values[name]] == sorted(qrels)
        assert values[name] == pytest.approx(expected, abs=1e-12)
    compared = ap.compare("grade", "score", data=tables, baseline="old", **asked)
    assert [row.model for row in compared] == [*tables]
    for row in (compared["new"], compared["other"]):
        d = [values[row.model][query] - values["old"][query] for query in qrels]
        test = stats.ttest_1samp(d, 0)
        ends = test.confidence_interval(1 - 0.05 / 2)
        assert row.pvalue == pytest.approx(min(2 * test.pvalue, 1))
        assert (row.difference, row.low, row.high) == pytest.approx((np.mean(d), *ends))


@pytest.mark.filterwarnings("ignore:No positive class")
def test_a_report_of_runs_has_metrics_with_and_without_min_grade(runs):
    _, _, tables, counts = runs
    asked = {"groups": "query", "n_positives": counts, "baseline": "old", "data": tables}
    report = ap.report("grade", "score", metrics=[*METRICS], min_grade=1, **asked)
    assert [row.model for row in report] == 4 * [*tables]
    for place, metric in enumerate(METRICS):
        least = {} if metric == "nDCG@10" else {"min_grade": 1}
        compared = ap.compare("grade", "score", metric=metric, **least, **asked)
        for row, other in zip(report.rows[3 * place :], compared, strict=False):
            assert (row.value, row.verdict) == (other.value, other.verdict)
    assert "random" not in str(report)  # which would be another number for each run
    with pytest.raises(ValueError, match="reads grades as they are"):
        ap.report("grade", "score", metrics="nDCG@10", min_grade=2, **asked)


@pytest.mark.filterwarnings("ignore:No positive class")
def test_runs_have_groups_of_several_columns(runs):
    _, _, tables, counts = runs
    several = {name: table.assign(of="a") for name, table in tables.items()}
    asked = {"min_grade": 1, "metric": "MAP"}
    one, both = (
        ap.compare("grade", "score", groups=groups, n_positives=n, data=data, **asked)
        for groups, n, data in (
            ("query", counts, tables),
            (["of", "query"], {("a", query): n for query, n in counts.items()}, several),
        )
    )
    assert [vars(row) for row in one] == [vars(row) for row in both]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"n_positives": None}, "pass n_positives"),
        ({"groups": None}, "columns of y_true, y_score and groups"),
        ({"groups": np.array(["q1"])}, "columns of y_true, y_score and groups"),
        ({"groups": ["query", "q1"]}, "no column 'q1'"),
        ({"by": "query"}, "by= isn't available"),
        ({"clusters": "query"}, "clusters= isn't available"),
    ],
)
def test_what_runs_need(runs, changed, named):
    asked = {"groups": "query", "n_positives": runs[3], "min_grade": 1, "data": runs[2]}
    with pytest.raises(ValueError, match=named):
        ap.report("grade", "score", metrics="MAP", **asked | changed)
    with pytest.raises(ValueError, match="Only compare and report"):
        ap.confidence_interval("grade", "score", metric="MAP", **asked)
    with pytest.raises(ValueError, match="Pass groups="):
        ap.values_by_group([0, 1], [1, 2])


def test_rows_are_ranked_as_by_trec_eval():
    run = (
        "b Q0 d1 1 0.5 x\na Q0 d2 9 1.5 x\na Q0 d3 2 1.50000001 x\na Q0 d10 1 -3 x\nc Q0 d 1 1 x\n"
    )
    table, n_positives = read_trec(
        StringIO("a 0 d3 2\na 0 d9 -1\na 0 d8 2\nb 0 d1 0\n"), StringIO(run)
    )
    # In single precision, 1.5 and 1.50000001 are tied, and the last name comes first.
    assert table["document"].tolist() == ["d3", "d2", "d10", "d1"]
    assert table["query"].tolist() == ["a", "a", "a", "b"]
    assert table["grade"].tolist() == [2, 0, 0, 0]
    assert table["judged"].tolist() == [True, False, False, True]
    assert (np.diff(table["score"][:3]) < 0).all()
    assert n_positives == {"a": {2: 2}, "b": {0: 1}}


def test_more_queries_than_documents_and_scores_beyond_single_precision():
    rows = [(f"q{n}", f"d{n % 2}", n) for n in range(9)]
    qrels = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows)
    run = "".join(f"{query} Q0 {document} 1 1e39 me\n" for query, document, _ in rows)
    table, _ = read_trec(StringIO(qrels), StringIO(run))
    assert table["grade"].tolist() == [*range(9)]
    assert np.isfinite(table["score"]).all()


def test_paths_files_and_compression(tmp_path):
    wanted, n_positives = read_trec(StringIO(QRELS), StringIO(RUN))
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.gz"
    qrels.write_text(QRELS.replace(" ", "\t").replace("\n", "\r\n"), newline="")
    run.write_bytes(gzip.compress(RUN.encode()))
    with run.open("rb") as file:
        for sources in ((qrels, run), (os.fspath(qrels), file), (qrels, BytesIO(RUN.encode()))):
            table, counts = read_trec(*sources)
            assert table.equals(wanted)
            assert counts == n_positives == {"a": {0: 1, 1: 1}}


@pytest.mark.parametrize(
    ("qrels", "run", "named"),
    [
        (QRELS, RUN + "\na Q0 e 2 nan x\n", "Line 3 of the run .*'a Q0 e 2 nan x'"),
        (QRELS, RUN + "a Q0 e\n", "Line 2 of the run .*finite score.*'a Q0 e'"),
        (QRELS, "a Q0 d 1 high x\n", "Line 1 of the run"),
        (QRELS, "a Q0 d 1 1e400 x\n", "Line 1 of the run"),
        (QRELS + "a 0 f 1.5\n", RUN, "Line 3 of the qrels .*whole grade.*'a 0 f 1.5'"),
        (QRELS + "a 0 f 1e30\n", RUN, "Line 3 of the qrels"),
        (QRELS, "a d 1\n", "lines of query, Q0, document"),
        (QRELS, "\n", "no lines"),
        (QRELS + QRELS, RUN, "'d' is there twice for query 'a'"),
        (QRELS, RUN + RUN, "'d' is there twice for query 'a'"),
        (QRELS, "b Q0 d 1 2 x\n", "'b' is in the run, and 'a'"),
    ],
)
def test_damaged_lines_are_named(qrels, run, named):
    with pytest.raises(ValueError, match=named):
        read_trec(StringIO(qrels), StringIO(run))


def test_dicts_are_read_as_files(runs):
    qrels, found, tables, counts = runs
    read, numbers = read_trec(qrels, found)
    assert [*read] == [*tables]
    assert numbers == counts
    for name, table in tables.items():
        assert read[name].equals(table)
        assert read_trec(qrels, found[name])[0].equals(table)


@pytest.mark.parametrize(
    ("qrels", "run", "named"),
    [
        ({"a": {"d": 1.5}}, {"a": {"d": 1}}, "qrels must have a whole grade"),
        ({"a": {"d": 1}}, {"a": {"d": np.nan}}, "run must have a finite score"),
        ({}, {"a": {"d": 1}}, "qrels has no documents"),
        ({"a": {"d": 1}}, {}, "run has no documents"),
        ({"a": {"d": 1}}, {"b": {"d": 1}}, "'b' is in the run, and 'a'"),
    ],
)
def test_dicts_that_are_refused(qrels, run, named):
    with pytest.raises(ValueError, match=named):
        read_trec(qrels, run)


def test_what_is_no_file():
    with pytest.raises(TypeError, match="path"):
        read_trec(None, StringIO(RUN))
    with pytest.raises(TypeError, match="path"):
        read_trec(StringIO(QRELS), {"bm25": 1})
    with pytest.raises(FileNotFoundError):
        read_trec("missing.txt", StringIO(RUN))


def test_payments():
    payments = ap.datasets.load_payments()
    assert payments.shape == (20_000, 8)
    value = ap.average_precision_score("fraud", "model_b", data=payments)
    assert value == pytest.approx(0.512143, abs=1e-6)


@pytest.mark.parametrize("library", ["pandas", "matplotlib"])
def test_what_is_not_installed_is_named(library, monkeypatch):
    interval = ap.confidence_interval([1, 0, 1], [3, 2, 1])
    report = ap.report([1, 0, 1], [3, 2, 1])
    calls = {
        "pandas": [
            ap.datasets.load_payments,
            lambda: read_trec(StringIO(QRELS), StringIO(RUN)),
            interval.to_frame,
            ap.compat.PEERS.to_frame,
            ap.compat.identify("0.5", [1, 0, 1], [3, 2, 1]).to_frame,
        ],
        "matplotlib": [
            report.plot,
            lambda: ap.AveragePrecisionDisplay.from_predictions([1, 0, 1], [3, 2, 1]),
        ],
    }
    for name in [library, *(each for each in sys.modules if each.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    for call in calls[library]:
        with pytest.raises(ImportError, match=f"needs {library}: python -m pip install {library}"):
            call()


# --- the recipe for detections --------------------------------------------------------------------


@pytest.fixture(scope="module")
def match():
    """The function of the page on groups."""
    page = (Path(__file__).parents[1] / "docs" / "groups_and_top_k.md").read_text()
    block = re.search(r"```pycon\n(>>> def match.*?)```", page, re.DOTALL)[1]
    code = [line[4:] for line in block.splitlines() if line.startswith((">>>", "..."))]
    code = code[: next(n for n, line in enumerate(code) if line.startswith("objects ="))]
    assert len([line for line in code if line]) <= 15
    names = {"np": np}
    exec("\n".join(code), names)
    return names["match"]


def draw_boxes(seed):
    """Return objects and detections of images and classes: x1, y1, x2, y2."""
    rng, objects, detections = np.random.default_rng(seed), {}, {}
    for image in range(12):
        for kind in range(3):
            corner, size = rng.integers(0, 60, (4, 2)), rng.integers(8, 30, (4, 2))
            boxes = np.hstack([corner, corner + size]).astype(float)[: rng.integers(0, 5)]
            moved = np.vstack(
                [boxes + rng.normal(0, 3, boxes.shape), boxes + rng.normal(0, 9, boxes.shape)]
            )
            moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
            objects[image, kind] = boxes
            detections[image, kind] = moved, rng.random(len(moved))
    return objects, detections


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("min_overlap", [0.5, 0.75])
@pytest.mark.parametrize("decimals", [17, 1])  # with one decimal, most scores are tied
def test_recipe_has_the_values_of_coco(match, seed, min_overlap, decimals):
    coco = pytest.importorskip("pycocotools.coco")
    cocoeval = pytest.importorskip("pycocotools.cocoeval")
    objects, detections = draw_boxes(seed)
    truth, found, hits, scores, kinds = [], [], [], [], []
    for (image, kind), boxes in objects.items():
        for x1, y1, x2, y2 in boxes.tolist():
            box = {"bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1)}
            truth.append(
                box | {"id": len(truth) + 1, "image_id": image, "category_id": kind, "iscrowd": 0}
            )
        moved, score = detections[image, kind]
        score = score.round(decimals)
        for (x1, y1, x2, y2), each in zip(moved.tolist(), score.tolist(), strict=True):
            box = {"bbox": [x1, y1, x2 - x1, y2 - y1], "score": each}
            found.append(box | {"image_id": image, "category_id": kind})
        hits += match(moved, score, boxes, min_overlap).tolist()
        scores += score.tolist()
        kinds += [kind] * len(score)
    with contextlib.redirect_stdout(io.StringIO()):
        data = coco.COCO()
        data.dataset = {
            "info": {},
            "images": [{"id": image} for image in range(12)],
            "categories": [{"id": kind} for kind in range(3)],
            "annotations": truth,
        }
        data.createIndex()
        evaluation = cocoeval.COCOeval(data, data.loadRes(found), "bbox")
        evaluation.params.iouThrs = np.array([min_overlap])
        evaluation.evaluate()
        evaluation.accumulate()
    expected = evaluation.eval["precision"][0, :, :, 0, -1].mean(axis=0)
    n_positives = {kind: sum(box["category_id"] == kind for box in truth) for kind in range(3)}
    asked = {"groups": kinds, "n_positives": n_positives}
    values = ap.values_by_group(hits, scores, metric="COCO", **asked)
    assert [*values.values()] == pytest.approx(expected, abs=1e-12)
    options = {"n_points": 101, "grid": "float", "ties": "input"}
    mean = ap.mean_average_precision_score(hits, scores, **asked, **options)
    assert mean == pytest.approx(expected.mean(), abs=1e-12)
