"""Tools that take boxes. Each sample is a box in an image of its own, which has an object there if
the sample is positive.
"""

import contextlib
import io
from importlib.metadata import version

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from . import Function

PACKAGES = ["pycocotools", "faster-coco-eval", "hotcoco"]
BOX = [10.0, 10.0, 20.0, 20.0]


def list_objects(queries):
    """Return the objects and detections of COCO, a class for each query, an image for each row."""
    objects, found, image = [], [], 0
    for category, (labels, scores, missed) in enumerate(queries, start=1):
        for row in range(len(labels) + missed):
            image += 1
            if row >= len(labels) or labels[row]:
                objects.append(
                    {"id": len(objects) + 1, "image_id": image, "category_id": category,
                     "bbox": BOX, "area": 400.0, "iscrowd": 0}
                )  # fmt: skip
            if row < len(labels):
                found.append(
                    {"image_id": image, "category_id": category, "bbox": BOX,
                     "score": float(scores[row])}
                )  # fmt: skip
    categories = [{"id": each + 1, "name": str(each)} for each in range(len(queries))]
    images = [{"id": each + 1, "width": 100, "height": 100} for each in range(image)]
    return {"images": images, "annotations": objects, "categories": categories}, found


def of_pycocotools(queries):
    truth, found = list_objects(queries)
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = truth
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats[1]  # of an overlap of 0.5


def of_faster(queries):
    from faster_coco_eval import COCO, COCOeval_faster

    truth, found = list_objects(queries)
    coco = COCO(truth)
    evaluation = COCOeval_faster(coco, coco.loadRes(found), "bbox", print_function=lambda *_: None)
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    return evaluation.stats[1]


def of_hotcoco(queries):
    import hotcoco

    truth, found = list_objects(queries)
    coco = hotcoco.COCO(truth)
    evaluation = hotcoco.COCOeval(coco, coco.load_res(found), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    return evaluation.stats[1]


VERSIONS = {
    "pycocotools": version("pycocotools"),
    "faster-coco-eval": version("faster-coco-eval"),
    "hotcoco": version("hotcoco"),
}
FUNCTIONS = {
    "pycocotools": {"COCOeval.accumulate": Function(of_queries=of_pycocotools, missed=True)},
    "faster-coco-eval": {"COCOeval_faster.accumulate": Function(of_queries=of_faster, missed=True)},
    "hotcoco": {"COCOeval.accumulate": Function(of_queries=of_hotcoco, missed=True)},
}
