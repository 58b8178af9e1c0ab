"""Libraries for models: OGB, fastai, Ultralytics"""

from importlib.metadata import version

import numpy as np
import torch
from fastai.metrics import APScoreBinary
from ogb.graphproppred import Evaluator
from ultralytics.utils.metrics import ap_per_class

from . import Function, list_images

PACKAGES = ["ogb", "fastai", "ultralytics", "torch==2.13.0"]
TOOLS = {"OGB": "ogb", "fastai": "fastai", "Ultralytics": "ultralytics"}
VERSIONS = {tool: version(package) for tool, package in TOOLS.items()}


def of_ogb(queries):
    """Queries are tasks, of which the data set has 128. Rows without a label are nan."""
    size = max(len(labels) for labels, _, _ in queries)
    y_true, y_pred = np.full((size, 128), np.nan), np.zeros((size, 128))
    for task in range(128):
        labels, scores, _ = queries[task % len(queries)]
        y_true[: len(labels), task], y_pred[: len(labels), task] = labels, scores
    return Evaluator("ogbg-molpcba").eval({"y_true": y_true, "y_pred": y_pred})["ap"]


def of_fastai(labels, scores):
    return APScoreBinary()(torch.tensor(scores), torch.tensor(labels))


def of_ultralytics(queries):
    """Detections are of the class of their query, and correct at the first of ten overlaps."""
    images = [*list_images(queries)]
    found = [each for each in images if each[2] is not None]
    is_correct = np.array([[has_object] * 10 for _, has_object, _ in found])
    results = ap_per_class(
        is_correct,
        np.array([score for _, _, score in found]),
        np.array([category for category, _, _ in found]),
        np.array([category for category, has_object, _ in images if has_object]),
    )
    values = results[5][:, 0]  # of the classes that have objects
    return values.mean() if values.size else np.nan


FUNCTIONS = {
    "OGB": {"Evaluator('ogbg-molpcba')": Function(of_queries=of_ogb)},
    "fastai": {"APScoreBinary": Function(of_fastai)},
    "Ultralytics": {"ap_per_class": Function(of_queries=of_ultralytics, missed=True)},
}
