"""Further tools that take boxes, each in an image of its own, as in of_coco"""

import contextlib
import io
from importlib.metadata import version

import globox
import numpy as np
import supervision
from mean_average_precision import MetricBuilder
from supervision.metrics import MeanAveragePrecision

from . import Function, list_images

PACKAGES = ["supervision", "globox", "mean-average-precision"]
CORNERS = [10.0, 10.0, 30.0, 30.0]
NO_BOX = np.empty((0, 4))


def of_supervision(queries):
    found, truth = [], []
    for category, has_object, score in list_images(queries):
        number = np.array([category])
        found.append(
            supervision.Detections.empty() if score is None else supervision.Detections(
                xyxy=np.array([CORNERS]), confidence=np.array([score]), class_id=number
            )
        )  # fmt: skip
        truth.append(
            supervision.Detections(xyxy=np.array([CORNERS]), class_id=number)
            if has_object else supervision.Detections.empty()
        )  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()):
        result = MeanAveragePrecision().update(found, truth).compute()
    return result.map50


def of_globox(queries):
    truth, found = globox.AnnotationSet(), globox.AnnotationSet()
    for image, (category, has_object, score) in enumerate(list_images(queries)):
        names = {"image_id": f"{image:04}", "image_size": (100, 100)}
        boxes = [globox.BoundingBox(label=str(category), xmin=10, ymin=10, xmax=30, ymax=30)]
        truth.add(globox.Annotation(**names, boxes=boxes * has_object))
        scored = []
        if score is not None:
            scored = [
                globox.BoundingBox(
                    label=str(category), xmin=10, ymin=10, xmax=30, ymax=30, confidence=score
                )
            ]
        found.add(globox.Annotation(**names, boxes=scored))
    evaluator = globox.COCOEvaluator(
        ground_truths=truth, predictions=found, labels=[str(each) for each in range(len(queries))]
    )
    return evaluator.ap_50()


def of_map_2d(**options):
    def compute(queries):
        with contextlib.redirect_stdout(io.StringIO()):
            metric = MetricBuilder.build_evaluation_metric("map_2d", num_classes=len(queries))
        for category, has_object, score in list_images(queries):
            found = np.empty((0, 6)) if score is None else np.array([[*CORNERS, category, score]])
            truth = np.array([[*CORNERS, category, 0, 0]]) if has_object else np.empty((0, 7))
            metric.add(found, truth)
        return metric.value(iou_thresholds=0.5, **options)["mAP"]

    return Function(of_queries=compute, missed=True)


TOOLS = {
    "supervision": "supervision",
    "globox": "globox",
    "mean_average_precision (bes-dev)": "mean-average-precision",
}
VERSIONS = {tool: version(package) for tool, package in TOOLS.items()}
FUNCTIONS = {
    "supervision": {
        "metrics.MeanAveragePrecision": Function(of_queries=of_supervision, missed=True)
    },
    "globox": {"COCOEvaluator": Function(of_queries=of_globox, missed=True)},
    "mean_average_precision (bes-dev)": {
        "MetricBuilder map_2d": of_map_2d(),
        "MetricBuilder map_2d, recall_thresholds=np.arange(0, 1.1, 0.1)": of_map_2d(
            recall_thresholds=np.arange(0, 1.1, 0.1)
        ),
        "MetricBuilder map_2d, recall_thresholds=np.arange(0, 1.01, 0.01)": of_map_2d(
            recall_thresholds=np.arange(0, 1.01, 0.01)
        ),
    },
}
