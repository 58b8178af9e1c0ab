"""Time MAP of runs and COCO's AP beside other libraries, from dicts and files to the value.

Runs are dicts of queries, as pytrec_eval and ranx take them, or files of TREC, which pytrec_eval
and ir_measures read. Detections are two JSON files, as pycocotools, faster-coco-eval and hotcoco
read them, which compute twelve values from them. Times are medians of CPU milliseconds, of calls in
turn. Libraries that aren't installed are left out.

Usage: python -m benchmarks.files
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import sklearn_ap as ap
from sklearn_ap.readers import read_coco, read_runs, read_trec

N_TURNS = 9
Sides = dict[str, Callable[[], float]]


def main() -> None:
    for n_queries, n_documents in ((1000, 100), (200, 1000)):
        print(f"MAP of {n_queries:,} queries of {n_documents:,} documents")
        show(of_runs(*runs(n_queries, n_documents)), tolerance=1e-12)
    with tempfile.TemporaryDirectory() as folder:
        print("MAP of files with 1,000 queries of 1,000 documents")
        show(of_trec(*written(Path(folder), *runs(1000, 1000))), tolerance=1e-12)
        files = detections(Path(folder), n_images=500)
        print("COCO's AP of 500 images, each with 7 objects and 30 detections")
        show(of_files(*files), tolerance=1e-3)  # pycocotools misses some recall levels


def show(sides: Sides, tolerance: float) -> None:
    """Check that all sides agree, and print their times."""
    values = {name: side() for name, side in sides.items()}
    ours = values["sklearn_ap"]
    assert all(abs(value - ours) <= tolerance for value in values.values()), values
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(N_TURNS):
        for name, side in sides.items():
            start = time.process_time()
            side()
            times[name].append(time.process_time() - start)
    for name, found in times.items():
        print(f"  {name:16} {1000 * statistics.median(found):8,.0f} ms")


def runs(n_queries: int, n_documents: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return judgments, a tenth of them relevant, and a run that retrieved all documents."""
    rng = np.random.default_rng(0)
    names = [f"d{i}" for i in range(n_documents)]
    judged, retrieved = {}, {}
    for query in range(n_queries):
        relevant = rng.random(n_documents) < 0.1
        scores = rng.permutation(n_documents) + (n_documents / 4 + 0.5) * relevant  # untied
        judged[f"q{query}"] = dict(zip(names, relevant.astype(int).tolist(), strict=True))
        retrieved[f"q{query}"] = dict(zip(names, scores.tolist(), strict=True))
    return judged, retrieved


def of_runs(judged: dict[str, Any], run: dict[str, Any]) -> Sides:
    def by_pytrec_eval() -> float:
        import pytrec_eval

        found = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(run)
        return statistics.fmean(values["map"] for values in found.values())

    def by_ranx() -> float:
        import ranx

        return float(ranx.evaluate(ranx.Qrels(judged), ranx.Run(run), "map"))

    def ours() -> float:
        return float(ap.mean_average_precision_score(data=read_runs(judged, run)))

    theirs = {"pytrec_eval": by_pytrec_eval, "ranx": by_ranx}
    return {"sklearn_ap": ours} | {name: side for name, side in theirs.items() if find_spec(name)}


def written(folder: Path, judged: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
    """Write judgments and a run as files of TREC."""
    qrels, retrieved = folder / "qrels.txt", folder / "run.txt"
    with qrels.open("w", encoding="utf-8") as file:
        for query, grades in judged.items():
            file.writelines(f"{query} 0 {name} {grade}\n" for name, grade in grades.items())
    with retrieved.open("w", encoding="utf-8") as file:
        for query, scores in run.items():
            rows = enumerate(scores.items(), 1)
            file.writelines(
                f"{query} Q0 {name} {rank} {score} me\n" for rank, (name, score) in rows
            )
    return str(qrels), str(retrieved)


def of_trec(qrels: str, run: str) -> Sides:
    def by_pytrec_eval() -> float:
        import pytrec_eval

        with open(qrels, encoding="utf-8") as file:
            judged = pytrec_eval.parse_qrel(file)
        with open(run, encoding="utf-8") as file:
            found = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(
                pytrec_eval.parse_run(file)
            )
        return statistics.fmean(values["map"] for values in found.values())

    def by_ir_measures() -> float:
        import ir_measures

        read = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
        return float(ir_measures.calc_aggregate([ir_measures.AP], *read)[ir_measures.AP])

    def ours() -> float:
        return float(ap.mean_average_precision_score(data=read_trec(qrels, run)))

    theirs = {"pytrec_eval": by_pytrec_eval, "ir_measures": by_ir_measures}
    return {"sklearn_ap": ours} | {name: side for name, side in theirs.items() if find_spec(name)}


def detections(folder: Path, n_images: int) -> tuple[str, str]:
    """Write boxes of 80 classes and their detections, a fifth of which are near an object."""
    rng = np.random.default_rng(0)
    objects, found = [], []
    for image in range(n_images):
        boxes = np.hstack([rng.uniform(0, 500, (7, 2)), rng.uniform(20, 120, (7, 2))])
        classes = rng.integers(1, 81, 7)
        for box, label in zip(boxes, classes, strict=True):
            of_object = {"image_id": image, "category_id": int(label), "bbox": box.tolist()}
            area = float(box[2] * box[3])
            objects.append(of_object | {"id": len(objects) + 1, "iscrowd": 0, "area": area})
        near = boxes[:6] + rng.normal(0, 6, (6, 4))
        near[:, 2:] = np.maximum(near[:, 2:], 1)
        far = np.hstack([rng.uniform(0, 500, (24, 2)), rng.uniform(20, 120, (24, 2))])
        labels = np.r_[classes[:6], rng.integers(1, 81, 24)]
        scores = np.r_[rng.beta(4, 2, 6), rng.beta(2, 4, 24)]
        for box, label, score in zip(np.vstack([near, far]), labels, scores, strict=True):
            of_box = {"image_id": image, "category_id": int(label), "bbox": box.tolist()}
            found.append(of_box | {"score": float(score)})
    truth = {
        "images": [{"id": image} for image in range(n_images)],
        "categories": [{"id": label, "name": str(label)} for label in range(1, 81)],
        "annotations": objects,
    }
    annotated, detected = folder / "annotations.json", folder / "detections.json"
    annotated.write_text(json.dumps(truth), encoding="utf-8")
    detected.write_text(json.dumps(found), encoding="utf-8")
    return str(annotated), str(detected)


def of_files(annotated: str, detected: str) -> Sides:
    def evaluated(kind: Any, evaluation: Any) -> float:
        with redirect_stdout(StringIO()):
            truth = kind(annotated)
            made = evaluation(truth, truth.loadRes(detected), "bbox")
            made.evaluate()
            made.accumulate()
            made.summarize()
        return float(made.stats[0])

    def by_pycocotools() -> float:
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval

        return evaluated(COCO, COCOeval)

    def by_faster_coco_eval() -> float:
        from faster_coco_eval import COCO, COCOeval_faster

        return evaluated(COCO, COCOeval_faster)

    def by_hotcoco() -> float:
        from hotcoco import COCO, COCOeval

        return evaluated(COCO, COCOeval)

    def ours() -> float:
        table = read_coco(annotated, detected, overlap="0.50:0.95")
        return float(ap.mean_average_precision_score(data=table, n_points=101))

    theirs = {
        "pycocotools": by_pycocotools,
        "faster_coco_eval": by_faster_coco_eval,
        "hotcoco": by_hotcoco,
    }
    return {"sklearn_ap": ours} | {name: side for name, side in theirs.items() if find_spec(name)}


if __name__ == "__main__":
    main()
