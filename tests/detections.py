"""Detected objects: files of COCO, and what pycocotools finds in such files."""

from contextlib import redirect_stdout
from copy import deepcopy
from io import StringIO

import numpy as np
import pytest

from sklearn_ap.readers import read_coco

CAT, DOG = {"image_id": 7, "category_id": 2}, {"image_id": 8, "category_id": 5}
FILES = (
    {
        "images": [{"id": 7}, {"id": 8}, {"id": 9}],
        "categories": [{"id": 2, "name": "cat"}, {"id": 5, "name": "dog"}, {"id": 6}],
        "annotations": [
            {**CAT, "bbox": [0, 0, 10, 10], "area": 100, "id": 1},
            {**CAT, "bbox": [50, 0, 10, 10], "area": 100, "id": 2, "iscrowd": 0},
            {**CAT, "bbox": [90, 0, 10, 10], "area": 100, "id": 3, "iscrowd": 1},
            {**DOG, "bbox": [0, 0, 40, 40], "area": 1600, "id": 4, "iscrowd": 0},
        ],
    },
    [
        {**CAT, "bbox": [30, 0, 10, 10], "score": 0.5},  # the first one of three
        {**CAT, "bbox": [0, 0, 10, 10], "score": 0.5},
        {**CAT, "bbox": [90, 0, 9, 9], "score": 0.5},  # in the crowd
        {**CAT, "bbox": [50, 0, 10, 9], "score": 0.25},
        {**DOG, "bbox": [0, 0, 40, 41], "score": 0.75},
        {**DOG, "bbox": [0, 0, 40, 40], "score": 0.5},  # found before
        {**DOG, "category_id": 6, "bbox": [0, 0, 1, 1], "score": 0.9},
    ],
)
# Two images of PASCAL VOC. The last two detections are of difficult objects.
DIFFICULT = (
    {
        7: {
            "boxes": [[1, 1, 10, 10], [21, 1, 30, 10], [41, 1, 50, 10], [61, 1, 70, 10]],
            "labels": ["cat", "dog", "cat", "dog"],
            "difficult": [0, 0, 1, 1],
        },
        8: {"boxes": [], "labels": []},
    },
    {
        7: {
            "boxes": [[1, 1, 10, 9], [21, 1, 30, 10], [41, 1, 50, 10], [61, 1, 70, 10]],
            "labels": ["cat", "dog", "cat", "dog"],
            "scores": [0.5, 0.75, 0.9, 0.25],
        }
    },
)


def random_files(seed):
    """Return annotations and detections with ties, crowds, and classes that lack one of both."""
    rng = np.random.default_rng(seed)
    n_images, n_classes = rng.integers(1, 8), rng.integers(1, 5)

    def places(n):
        found = zip(rng.integers(n_images, size=n), rng.integers(n_classes, size=n), strict=True)
        return [{"image_id": int(image), "category_id": int(label)} for image, label in found]

    objects = places(rng.integers(1, 40))
    for number, one in enumerate(objects, 1):
        box = [*rng.integers(0, 60, 2).tolist(), *rng.choice([8, 20, 40, 120], 2).tolist()]
        area = box[2] * box[3] * float(rng.choice([1, 0.7]))
        one |= {"id": number, "bbox": box, "area": area, "iscrowd": int(rng.random() < 0.1)}
    detections = []
    for place in places(rng.integers(0, 120)):
        near = objects[rng.integers(len(objects))]
        place |= {key: near[key] for key in place if rng.random() < 0.85}
        box = near["bbox"] + rng.normal(0, 3, 4) * (rng.random() < 0.7)
        box[2:] = np.maximum(box[2:], 1)
        score = round(rng.random(), int(rng.choice([1, 2, 6])))
        detections.append({**place, "bbox": box.tolist(), "score": score})
    names = [{"id": number, "name": f"class {number}"} for number in range(n_classes)]
    images = [{"id": number} for number in range(n_images)]
    return {"images": images, "categories": names, "annotations": objects}, detections


def of_pycocotools():
    pytest.importorskip("pycocotools")
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    return COCO, COCOeval


def evaluated(annotations, detections, kinds=of_pycocotools, of="bbox", **params):
    """Return what pycocotools has found, at recall levels that a recall of 7/20 reaches."""
    COCO, COCOeval = kinds()
    with redirect_stdout(StringIO()):
        truth, found = COCO(), COCO()
        truth.dataset = deepcopy(annotations)
        truth.createIndex()
        if detections:
            found = truth.loadRes(deepcopy(detections))
        evaluation = COCOeval(truth, found, of)
        vars(evaluation.params).update({"recThrs": np.arange(101) / 100} | params)
        evaluation.evaluate()
        evaluation.accumulate()
    return evaluation


def detected(annotations=FILES[0], detections=FILES[1]):
    """Return the table of these files."""
    return read_coco(annotations, detections)
