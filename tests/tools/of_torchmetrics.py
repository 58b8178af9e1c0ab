"""torchmetrics"""

import numpy as np
import torch
from torchmetrics import classification, retrieval
from torchmetrics.detection import MeanAveragePrecision
from torchmetrics.functional.retrieval import retrieval_average_precision

from . import Function, K, list_images

PACKAGES = ["torchmetrics", "torch==2.13.0", "pycocotools", "torchvision"]


def make_tensors(labels, scores):
    return torch.tensor(scores, dtype=torch.float32), torch.tensor(labels)


def of_binary(**options):
    def compute(labels, scores):
        return classification.BinaryAveragePrecision(**options)(*make_tensors(labels, scores))

    return Function(compute)


def of_two_classes(**options):
    def compute(labels, scores):
        both = torch.tensor(np.column_stack([1 - scores, scores]), dtype=torch.float32)
        metric = classification.MulticlassAveragePrecision(num_classes=2, **options)
        return metric(both, torch.tensor(labels))

    return Function(compute)


def of_retrieval(metric, **options):
    def compute(queries):
        labels, scores = (np.concatenate([each[place] for each in queries]) for place in (0, 1))
        group = np.repeat(np.arange(len(queries)), [len(each[0]) for each in queries])
        return metric(**options)(*make_tensors(labels, scores), torch.tensor(group))

    return Function(of_queries=compute)


def of_detection(queries):
    box = torch.tensor([[10.0, 10.0, 30.0, 30.0]])
    found, truth = [], []
    for category, has_object, score in list_images(queries):
        n_found, number = int(score is not None), torch.tensor([category])
        found.append(
            {"boxes": box[:n_found], "scores": torch.tensor([score or 0.0])[:n_found],
             "labels": number[:n_found]}
        )  # fmt: skip
        n_objects = int(has_object)
        truth.append({"boxes": box[:n_objects], "labels": number[:n_objects]})
    return MeanAveragePrecision(iou_thresholds=[0.5])(found, truth)["map_50"]


FUNCTIONS = {
    "torchmetrics": {
        "detection.MeanAveragePrecision": Function(of_queries=of_detection, missed=True),
        "BinaryAveragePrecision": of_binary(),
        "BinaryAveragePrecision(thresholds=100)": of_binary(thresholds=100),
        "BinaryAveragePrecision(thresholds=200)": of_binary(thresholds=200),
        "MulticlassAveragePrecision(num_classes=2)": of_two_classes(),
        "MulticlassAveragePrecision(num_classes=2, average='weighted')": of_two_classes(
            average="weighted"
        ),
        "RetrievalMAP": of_retrieval(retrieval.RetrievalMAP),
        "RetrievalMAP(top_k=k)": of_retrieval(retrieval.RetrievalMAP, top_k=K),
        "retrieval_average_precision(top_k=k)": Function(
            lambda labels, scores: retrieval_average_precision(
                *make_tensors(labels, scores), top_k=K
            )
        ),
        "RetrievalPrecision(top_k=k)": of_retrieval(retrieval.RetrievalPrecision, top_k=K),
        "RetrievalRecall(top_k=k)": of_retrieval(retrieval.RetrievalRecall, top_k=K),
        "RetrievalMRR": of_retrieval(retrieval.RetrievalMRR),
        "RetrievalRPrecision": of_retrieval(retrieval.RetrievalRPrecision),
        "RetrievalHitRate(top_k=k)": of_retrieval(retrieval.RetrievalHitRate, top_k=K),
    }
}
