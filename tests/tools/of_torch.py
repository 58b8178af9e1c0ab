"""Tools that need PyTorch: torcheval, ignite, MONAI, PyTorch Metric Learning, PyTorch Geometric"""

from importlib.metadata import version

import monai.metrics
import numpy as np
import torch
import torcheval.metrics.functional
from ignite.metrics import MeanAveragePrecision
from ignite.metrics.average_precision import AveragePrecision
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from torch_geometric.metrics import LinkPredMAP

from . import Function, K

PACKAGES = [
    "torcheval", "torch==2.13.0", "pytorch-ignite", "monai", "pytorch-metric-learning",
    "torch-geometric", "scikit-learn", "torchvision",
]  # fmt: skip


def make_tensors(labels, scores):
    return torch.tensor(scores), torch.tensor(labels)


def of_torcheval(labels, scores):
    return torcheval.metrics.functional.binary_auprc(*make_tensors(labels, scores))


def of_monai(labels, scores):
    return monai.metrics.compute_average_precision(*make_tensors(labels, scores))


def of_ignite(metric):
    def compute(labels, scores):
        metric_ = metric()
        metric_.update(make_tensors(labels, scores))
        return metric_.compute()

    return Function(compute)


def of_metric_learning(name):
    """Query q is of class q + 1, like its relevant neighbors, which the caller has found."""
    calculator = AccuracyCalculator(include=(name,), knn_func=max)
    compute = getattr(calculator, f"calculate_{name}")

    def of_queries(queries):
        classes = torch.arange(1, len(queries) + 1)
        counts = torch.tensor([int(labels.sum()) + missed for labels, _, missed in queries])
        neighbors = torch.zeros(len(queries), 200, dtype=torch.long)
        for query, (labels, scores, _) in enumerate(queries):
            order = np.argsort(-scores, kind="stable")
            neighbors[query, : order.size] = torch.tensor(labels[order] * (query + 1))
        return compute(
            knn_labels=neighbors,
            query_labels=classes,
            not_lone_query_mask=counts > 0,
            ref_includes_query=False,
            label_counts=(classes, counts),
        )

    return Function(of_queries=of_queries, missed=True, ranks=False)


def of_geometric(queries):
    metric = LinkPredMAP(k=K)
    links = []
    n = max(len(labels) + missed for labels, _, missed in queries)
    top = torch.full((len(queries), K), n)
    for query, (labels, scores, missed) in enumerate(queries):
        order = np.argsort(-scores, kind="stable")[:K]
        top[query, : order.size] = torch.tensor(order.copy())
        relevant = [*np.flatnonzero(labels), *range(len(labels), len(labels) + missed)]
        links += [[query, int(row)] for row in relevant]
    metric.update(top, torch.tensor(links, dtype=torch.long).reshape(-1, 2).T)
    return metric.compute()


TOOLS = {
    "torcheval": "torcheval",
    "ignite": "pytorch-ignite",
    "MONAI": "monai",
    "pytorch-metric-learning": "pytorch-metric-learning",
    "PyTorch Geometric": "torch-geometric",
}
VERSIONS = {tool: version(package) for tool, package in TOOLS.items()}
FUNCTIONS = {
    "torcheval": {"binary_auprc": Function(of_torcheval)},
    "MONAI": {"AveragePrecisionMetric": Function(of_monai)},
    "ignite": {
        "AveragePrecision": of_ignite(AveragePrecision),
        "MeanAveragePrecision": of_ignite(MeanAveragePrecision),
    },
    "pytorch-metric-learning": {
        "AccuracyCalculator, mean_average_precision_at_r": of_metric_learning(
            "mean_average_precision_at_r"
        ),
        "AccuracyCalculator, r_precision": of_metric_learning("r_precision"),
    },
    "PyTorch Geometric": {
        "LinkPredMAP": Function(of_queries=of_geometric, missed=True, ranks=False)
    },
}
