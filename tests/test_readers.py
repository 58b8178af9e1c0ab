"""Judgments and runs of TREC, objects and detections of COCO, the payments, and the recipe."""

import contextlib
import gzip
import io
import json
import os
import re
import sys
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.readers import read_coco, read_trec

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
    assert table.index.tolist() == [0, 1, 2, 3]
    assert (np.diff(table["score"][:3]) < 0).all()
    assert n_positives == {"a": {2: 2}, "b": {0: 1}}


def test_more_queries_than_documents():
    rows = [(f"q{n}", f"d{n % 2}", n) for n in range(9)]
    qrels = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows)
    run = "".join(f"{query} Q0 {document} 1 0.5 me\n" for query, document, _ in rows)
    table, _ = read_trec(StringIO(qrels), StringIO(run))
    assert table["grade"].tolist() == [*range(9)]


def test_paths_files_and_compression(tmp_path):
    wanted, n_positives = read_trec(StringIO(QRELS), StringIO(RUN))
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.gz"
    qrels.write_text(QRELS.replace(" ", "\t").replace("\n", "\r\n"), newline="")
    run.write_bytes(gzip.compress(RUN.encode()))
    with gzip.open(run) as file:
        for sources in ((qrels, run), (os.fspath(qrels), file), (qrels, BytesIO(RUN.encode()))):
            table, counts = read_trec(*sources)
            assert table.equals(wanted)
            assert counts == n_positives == {"a": {0: 1, 1: 1}}


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        (
            "run.txt",
            RUN.encode("utf-16"),
            "run must be a dict .*, or a file of text in UTF-8.*run.txt.*decode",
        ),
        (
            "run.gz",
            gzip.compress(RUN.encode() * 999, mtime=0)[:50],
            "gzip.*run.gz.* before the end",
        ),
        ("run.gz", b"<html>", "run.gz.* Not a gzipped file"),
        ("run.zip", b"PK", "run.zip.* not a zip file"),
        ("run.xz", b"xz", "run.xz.* not supported"),
    ],
)
def test_damaged_files_are_named(tmp_path, name, content, named):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=named):
        read_trec(StringIO(QRELS), tmp_path / name)


@pytest.mark.parametrize("run", [[1], None, 3, {"a": 1}])
def test_what_is_no_file_is_refused(run):
    with pytest.raises(ValueError, match=r"run must be a dict .*, or a file of text.* Got "):
        read_trec(StringIO(QRELS), run)


@pytest.mark.parametrize(
    ("qrels", "run", "named"),
    [
        (QRELS, RUN + "\na Q0 e 2 nan x\n", "Line 3 of the run .*'a Q0 e 2 nan x'"),
        (QRELS, RUN + "a Q0 e\n", "Line 2 of the run .*finite score.*'a Q0 e'"),
        (QRELS, "a Q0 d 1 high x\n", "Line 1 of the run"),
        (QRELS, "a Q0 d 1 1e400 x\n", "Line 1 of the run"),
        (QRELS, "a Q0 d 1 1e39 x\n", "Line 1 of the run"),
        (QRELS + "a 0 f 1.5\n", RUN, "Line 3 of the qrels .*whole grade.*'a 0 f 1.5'"),
        (QRELS + "a 0 f 1e30\n", RUN, "Line 3 of the qrels"),
        (QRELS, "a d 1\n", "Line 1 of the run must be query, Q0, document"),
        (QRELS, "a Q0 d x 1 0.9 me\n", "Line 1 of the run .*'a Q0 d x 1 0.9 me'"),
        (QRELS, RUN + "a Q0 e 2 1 my run of May\n", "line 2, saw 9"),
        (QRELS + "a 0 f 1 1\n", RUN, "Line 3 of the qrels .*'a 0 f 1 1'"),
        (QRELS, "\n", "run has no documents"),
        (QRELS + QRELS, RUN, "'d' is there twice for query 'a'"),
        (QRELS, RUN + RUN, "'d' is there twice for query 'a'"),
        (QRELS, "b Q0 d 1 2 x\n", "'b' is in the run, and 'a'"),
    ],
)
def test_damaged_lines_are_named(qrels, run, named):
    with pytest.raises(ValueError, match=named):
        read_trec(StringIO(qrels), StringIO(run))


@pytest.mark.parametrize(
    "damaged",
    [
        RUN.replace("d", "d\u00e9").encode("latin-1"),
        RUN.encode("utf-16"),
        RUN.encode("utf-16-le"),
        gzip.compress(RUN.encode()),
    ],
    ids=["Latin-1", "UTF-16", "UTF-16 without a mark", "compressed, but not by its name"],
)
def test_files_that_are_no_text_in_utf_8_are_refused(damaged):
    with pytest.raises(ValueError, match=r"can't decode byte|Line 1 of the run"):
        read_trec(StringIO(QRELS), BytesIO(damaged))


def test_a_mark_of_the_byte_order_is_no_name():
    table, _ = read_trec(BytesIO(QRELS.encode("utf-8-sig")), BytesIO(RUN.encode("utf-8-sig")))
    assert table["query"].tolist() == ["a"]


@pytest.mark.parametrize(
    ("qrels", "run", "named"),
    [
        ({"a": {"d": 1.5}}, {"a": {"d": 1}}, "Item 1 of the qrels .*whole grade.*'a d 1.5'"),
        ({"a": {"d": 1}}, {"a": {"d": 1, "e": np.nan}}, "Item 2 of the run .*finite score"),
        ({"a": {"d": 1}}, {"a": {"d": "high"}}, "Item 1 of the run must be query, document, score"),
        ({2: {3: None}}, {2: {3: 1}}, "Item 1 of the qrels .*whole grade.*'2 3 None'"),
        ({}, {"a": {"d": 1}}, "qrels has no documents"),
        ({"a": 3}, {"a": {"d": 1}}, "qrels must be a dict {query: {document: .* Got {'a': 3}"),
        ({"a": ["d"]}, {"a": {"d": 1}}, r"qrels must be a dict .* Got {'a': \['d'\]}"),
        ({"a": {"d": 1, 2: 1}}, {"a": {"d": 1}}, "each document as text.* 'd' and 2"),
        ({"a": {"d": 1}}, {"a": {"d": 1}, 2: {"d": 1}}, "each query as text.* 'a' and 2"),
        ({"a": {"d": 1}}, {"a": {2: 1}}, "each document .* 'd' and 2"),
        ({2: {"d": 1}}, {"a": {"d": 1}}, "each query .* 'a' and 2"),
        ({"a": {"d": 1}}, {}, "run has no documents"),
        ({"a": {"d": 1}}, {"b": {"d": 1}}, "'b' is in the run, and 'a'"),
    ],
)
def test_dicts_that_are_refused(qrels, run, named):
    with pytest.raises(ValueError, match=named):
        read_trec(qrels, run)


def test_what_is_no_file():
    with pytest.raises(ValueError, match="Invalid file path or buffer"):
        read_trec(None, StringIO(RUN))
    with pytest.raises(ValueError, match="Invalid file path or buffer"):
        read_trec(StringIO(QRELS), {"bm25": 1})
    with pytest.raises(FileNotFoundError):
        read_trec("missing.txt", StringIO(RUN))


def test_payments():
    payments = ap.datasets.load_payments()
    assert payments.shape == (20_000, 8)
    value = ap.average_precision_score("fraud", "model_b", data=payments)
    assert value == pytest.approx(0.512143, abs=1e-6)


@pytest.mark.parametrize("library", ["pandas", "matplotlib", "pycocotools"])
def test_what_is_not_installed_is_named(library, monkeypatch):
    calls = {
        "pandas": [
            ap.datasets.load_payments,
            lambda: read_trec(StringIO(QRELS), StringIO(RUN)),
        ],
        "pycocotools": [lambda: read_coco({}, [])],
        "matplotlib": [
            lambda: ap.AveragePrecisionDisplay.from_predictions([1, 0, 1], [3, 2, 1]),
            ap.AveragePrecisionDisplay([1, 1], [1, 0]).plot,
            lambda: ap.HitCurveDisplay.from_predictions([1, 0, 1], [3, 2, 1]),
        ],
    }
    if hasattr(ap, "report"):
        table = ap.report([1, 0, 1], [3, 2, 1])
        interval = ap.confidence_interval([1, 0, 1], [3, 2, 1])
        calls["pandas"] += [interval.to_frame, table.to_frame, table.pivot().to_frame]
        calls["matplotlib"] += [table.plot]
    if hasattr(ap, "compat"):
        identified = ap.compat.identify("0.5", [1, 0, 1], [3, 2, 1])
        tables = ap.compat.PEERS, ap.compat.DIFFERENCES, identified
        calls["pandas"] += [each.to_frame for each in tables]
    for name in [library, *(each for each in sys.modules if each.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    for call in calls[library]:
        with pytest.raises(ImportError, match=f"needs {library}: python -m pip install {library}"):
            call()


# --- detections -----------------------------------------------------------------------------------

OF_COCO = {"groups": ["class", "overlap"], "n_positives": "rows"}


def draw_coco(seed, n_images=20, n_detectors=1):
    """Return annotations and detections with crowds, large and small objects, ties, and classes and
    images without objects or without detections.
    """
    rng, objects, found = np.random.default_rng(seed), [], [[] for _ in range(n_detectors)]

    def draw_box():
        corner, size = rng.uniform(0, 300, 2), np.exp(rng.uniform(1.5, 5.5, 2))
        return np.concatenate([corner, size])

    def add(boxes, image, kind, box):
        at = {"image_id": image, "category_id": kind, "bbox": box.tolist()}
        score = float(rng.integers(0, 10)) / 10
        boxes.append(at | {"score": score})

    for image in range(1, n_images):
        for kind, n in enumerate(rng.integers(0, 4, 3), 1):
            for _ in range(n):
                box = draw_box()
                at = {"image_id": image, "category_id": kind, "bbox": box.tolist()}
                about = {"area": box[2] * box[3], "iscrowd": int(rng.random() < 0.15)}
                objects.append(at | about | {"id": len(objects) + 1})
                for boxes in found:
                    for _ in range(rng.integers(0, 3) if kind != 2 else 0):
                        moved = box + rng.normal(0, 0.1, 4) * np.tile(box[2:], 2)
                        add(boxes, image, kind, np.append(moved[:2], np.maximum(moved[2:], 1)))
        for boxes in found:
            for kind in rng.integers(1, 5, 4).tolist():
                if kind != 2:
                    add(boxes, image, kind, draw_box())
    annotations = {
        "images": [{"id": image} for image in range(n_images + 1)],
        "categories": [{"id": kind, "name": "abcd"[kind - 1]} for kind in range(1, 5)],
        "annotations": objects,
    }
    return annotations, found[0] if n_detectors == 1 else dict(zip("abc", found, strict=False))


def evaluate_by_coco(annotations, detections, iou_type="bbox", **params):
    """Return pycocotools' evaluation, whose objects keep the dicts that they get."""
    coco = pytest.importorskip("pycocotools.coco")
    cocoeval = pytest.importorskip("pycocotools.cocoeval")
    with contextlib.redirect_stdout(io.StringIO()):
        data = coco.COCO()
        data.dataset = {"info": {}} | json.loads(json.dumps(annotations))
        data.createIndex()
        found = data.loadRes(json.loads(json.dumps(detections)))
        evaluation = cocoeval.COCOeval(data, found, iou_type)
        vars(evaluation.params).update(params)
        evaluation.evaluate()
        evaluation.accumulate()
        if not params:
            evaluation.summarize()
    return evaluation


def evaluate_table(table, **options):
    return ap.metric("COCO mAP")("hit", "score", data=table, **OF_COCO | options)


@pytest.mark.parametrize("seed", range(8))
def test_values_of_pycocotools(seed):
    annotations, detections = draw_coco(seed)
    before = json.dumps([annotations, detections])
    evaluation = evaluate_by_coco(annotations, detections)
    table = read_coco(annotations, detections)
    assert json.dumps([annotations, detections]) == before
    values = [evaluate_table(table)]
    values += [evaluate_table(table[table["overlap"] == iou]) for iou in (0.5, 0.75)]
    for area in ("small", "medium", "large"):
        values.append(evaluate_table(read_coco(annotations, detections, area=area)))
    assert values == pytest.approx(evaluation.stats[:6], abs=1e-12)
    half = read_coco(annotations, detections, iou=0.5)
    assert evaluate_table(half, groups="class") == pytest.approx(values[1], abs=1e-15)
    by_class = ap.values_by_group("hit", "score", metric="COCO", data=table, **OF_COCO)
    of_coco = evaluation.eval["precision"][:, :, :, 0, 2].mean(axis=1)
    assert [*by_class.values()] == pytest.approx(of_coco[:, :3].T.ravel(), abs=1e-12)
    assert {kind for kind, _ in by_class} == {"a", "b", "c"}  # no object is in class d
    assert by_class["b", 0.5] == 0  # nor is anything found in class b


def test_no_more_detections_count_than_max_detections():
    annotations, detections = draw_coco(0)
    evaluation = evaluate_by_coco(annotations, detections, maxDets=[2])
    value = evaluate_table(read_coco(annotations, detections, max_detections=2))
    precision = evaluation.eval["precision"][:, :, :, 0, 0]
    assert value == pytest.approx(precision[precision > -1].mean(), abs=1e-12)
    assert value != pytest.approx(evaluate_table(read_coco(annotations, detections)))


def test_masks_have_the_values_of_pycocotools():
    mask = pytest.importorskip("pycocotools.mask")
    annotations, detections = draw_coco(1)
    images = [each | {"height": 600, "width": 600} for each in annotations["images"]]
    for each in [*annotations["annotations"], *detections]:
        x, y, width, height = each["bbox"]
        corners = [x, y, x + width, y, x + width, y + height]  # half of the box
        each["segmentation"] = [corners]
        if "score" in each:
            (each["segmentation"],) = mask.frPyObjects([corners], 600, 600)
            each["segmentation"]["counts"] = each["segmentation"]["counts"].decode()
            del each["bbox"]
    annotations |= {"images": images}
    evaluation = evaluate_by_coco(annotations, detections, "segm")
    value = evaluate_table(read_coco(annotations, detections, iou_type="segm"))
    assert value == pytest.approx(evaluation.stats[0], abs=1e-12)


def test_each_object_is_a_row_found_or_not():
    box = {"image_id": 7, "category_id": 1, "bbox": [0, 0, 10, 10]}
    objects = [
        box | {"id": 1, "area": 100},
        box | {"id": 2, "bbox": [50, 50, 10, 10], "area": 100},
        box | {"id": 3, "bbox": [80, 0, 20, 20], "area": 400, "iscrowd": 1},
        box | {"id": 4, "image_id": 8, "area": 100},
    ]
    found = [
        box | {"bbox": [0, 0, 10, 8], "score": 0.9},
        box | {"bbox": [0, 30, 10, 8], "score": 0.8},
        box | {"bbox": [80, 0, 10, 10], "score": 0.7},  # in the crowd
        box | {"category_id": 2, "score": 0.6},  # a class without objects
        box | {"category_id": 9, "score": 0.5},  # no class
    ]
    annotations = {
        "images": [{"id": 7}, {"id": 8}, {"id": 9}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": objects,
    }
    with pytest.warns(UserWarning, match=r"1 of 5 .* lack, .* first \[9\], for classes \[1, 2\]"):
        table = read_coco(annotations, found, iou=[0.5, 0.9])
    nan = np.nan
    expected = [
        (7, "cat", 0.5, True, 0.9),
        (7, "cat", 0.5, False, 0.8),
        (7, "cat", 0.9, False, 0.9),
        (7, "cat", 0.9, False, 0.8),
        (7, "cat", 0.5, True, nan),
        (8, "cat", 0.5, True, nan),
        (7, "cat", 0.9, True, nan),
        (7, "cat", 0.9, True, nan),
        (8, "cat", 0.9, True, nan),
    ]
    assert table.fillna({"score": -1}).values.tolist() == [
        [-1 if each is nan else each for each in row] for row in expected
    ]
    assert [*table] == ["image", "class", "overlap", "hit", "score"]
    nothing = read_coco(annotations, [], iou=0.5)
    assert nothing["score"].isna().all()
    assert evaluate_table(nothing) == 0


def test_sources_of_annotations_and_detections(tmp_path):
    coco = pytest.importorskip("pycocotools.coco")
    annotations, detections = draw_coco(2)
    wanted = read_coco(annotations, detections)
    paths = tmp_path / "annotations.json", tmp_path / "detections.json"
    for path, content in zip(paths, ({"info": {}} | annotations, detections), strict=True):
        path.write_text(json.dumps(content))
    with contextlib.redirect_stdout(io.StringIO()):
        objects = coco.COCO(paths[0])
        found = objects.loadRes(os.fspath(paths[1]))
    for source in (paths, map(os.fspath, paths), (objects, found)):
        assert read_coco(*source).equals(wanted)
    assert "iscrowd" in objects.dataset["annotations"][0]
    assert "_ignore" not in objects.dataset["annotations"][0]
    several = read_coco(annotations, {"old": detections, "new": paths[1]})
    assert [*several] == ["old", "new"]
    assert all(table.equals(wanted) for table in several.values())


def test_categories_may_have_no_names():
    annotations, detections = draw_coco(3)
    wanted = evaluate_table(read_coco(annotations, detections))
    annotations["categories"] = [{"id": kind} for kind in range(1, 5)]
    table = read_coco(annotations, detections)
    assert sorted(table["class"].unique()) == [1, 2, 3]
    assert evaluate_table(table) == pytest.approx(wanted, abs=1e-15)
    annotations["categories"] = [{"id": kind, "name": "a"} for kind in range(1, 5)]
    with pytest.raises(ValueError, match="categories must be unique"):
        read_coco(annotations, detections)


@pytest.mark.parametrize(
    ("changed", "asked", "named"),
    [
        ({"annotations": [1]}, {}, "annotations must be a dict with images, categories and anno"),
        (
            {"annotations": {"images": []}},
            {},
            "annotations: annotations must be a list of dicts. Got None",
        ),
        (
            {"annotations": {"annotations": []}},
            {},
            "annotations: categories must be a list of dicts. Got None",
        ),
        (
            {"annotations": {"annotations": [], "categories": [], "images": [1]}},
            {},
            r"annotations: images.0. must be a dict with 'id'. Got 1",
        ),
        ({"object": {"id": 0}}, {}, "annotations: annotations must have different ids from 1"),
        ({"object": {"id": 1}}, {}, "annotations: annotations must have different ids from 1"),
        ({"object": {"area": None}}, {}, r"annotations.3. must be a dict with 'area'"),
        ({}, {"iou_type": "segm"}, r"annotations.0. must be a dict with 'segmentation'"),
        ({"detections": {1}}, {}, "detections must be a list of dicts. Got {1}"),
        ({"detections": [[1, 2]]}, {}, r"detections.0. must be a dict with .* Got .1, 2."),
        ({"detections": {"old": [{}]}}, {}, r"'old'.0. must be a dict with 'image_id'"),
        ({"box": {"score": np.nan}}, {}, r"detections.3. must be a dict with 'score'.*nan"),
        ({"box": {"score": "high"}}, {}, r"detections.3. must be a dict with 'score'.*high"),
        ({"box": {"bbox": None}}, {}, r"detections.3. must be a dict with 'bbox'"),
        ({"box": {"bbox": [np.nan, 1, 2, 3]}}, {}, r"detections.3. must be a dict with 'bbox'"),
        ({}, {"area": "tiny"}, "area must be one of 'all', 'small', 'medium', 'large'. Got 'tiny'"),
        ({}, {"area": [1]}, "area must be one of .* Got .1."),
        ({}, {"iou_type": "keypoints"}, "iou_type must be one of 'bbox', 'segm'. Got 'keypoints'"),
        ({}, {"iou": b"y"}, "iou must be one or several numbers above 0 and at most 1. Got b'y'"),
        ({}, {"iou": [0.5, 50]}, "iou must be one or several numbers above 0 and at most 1. Got"),
        (
            {},
            {"max_detections": "macro"},
            "max_detections must be an int of at least 1. Got 'macro'",
        ),
        ({"iscrowd": 1}, {}, "no objects that count, with area='all'"),
    ],
)
def test_what_read_coco_refuses(changed, asked, named):
    pytest.importorskip("pycocotools")
    annotations, detections = draw_coco(4)
    annotations["annotations"][3].update(changed.get("object", {}))
    detections[3].update(changed.get("box", {}))
    for each in annotations["annotations"]:
        each["iscrowd"] = changed.get("iscrowd", each["iscrowd"])
    sources = changed.get("annotations", annotations), changed.get("detections", detections)
    with pytest.raises(ValueError, match=named):
        read_coco(*sources, **asked)


def test_files_that_are_damaged_are_named(tmp_path):
    pytest.importorskip("pycocotools")
    annotations, detections = draw_coco(4)
    path = tmp_path / "new.json"
    path.write_text(json.dumps(detections)[:-9])
    with pytest.raises(ValueError, match=r"new.json isn't JSON: Unterminated string"):
        read_coco(annotations, {"old": detections, "new": path})
    path.write_text(json.dumps([*detections, {"image_id": 1}]))
    with pytest.raises(ValueError, match=rf"new.json.{len(detections)}. must be a dict with"):
        read_coco(annotations, path)
    with pytest.raises(FileNotFoundError, match=r"none.json"):
        read_coco(annotations, "none.json")


# --- the recipe for detections --------------------------------------------------------------------


@pytest.fixture(scope="module")
def match():
    """The function of the page on object detection."""
    page = (Path(__file__).parents[1] / "docs" / "detection.md").read_text()
    block = re.search(r"(>>> def match.*?)```", page, re.DOTALL)[1]
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
    values = ap.metric("COCO")(hits, scores, average=None, **asked)
    assert values == pytest.approx(expected, abs=1e-12)
    options = {"n_points": 101, "grid": "float", "ties": "input"}
    mean = ap.interpolated_average_precision_score(hits, scores, **asked, **options)
    assert mean == pytest.approx(expected.mean(), abs=1e-12)


def test_detections_of_unknown_images_are_named():
    pytest.importorskip("pycocotools")
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}
    content = {"images": [{"id": 1}], "categories": [{"id": 1}]}
    content["annotations"] = [box | {"id": 1, "area": 81}]
    found = [box | {"score": 0.5}, box | {"score": 0.4, "image_id": "000001"}]
    with pytest.raises(ValueError, match=r"1 of 2 have .* first '000001', for images \[1\]"):
        read_coco(content, found)
