"""Other libraries that compute the same numbers.

Each function prepares a call: it turns the arrays into what the library takes, and what it returns
is timed. `None` stands for a library that is not installed.
"""

import warnings
from functools import wraps
from importlib import import_module

import numpy as np
from sklearn.metrics import average_precision_score

IN_SINGLE_PRECISION = ("torchmetrics", "torcheval")


def needs(package):
    """None if the package is not there, instead of a call."""

    def decorate(prepare):
        @wraps(prepare)
        def prepare_if_there(*args, **kwargs):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    import_module(package)
            except ImportError:
                return None
            return prepare(*args, **kwargs)

        return prepare_if_there

    return decorate


def scikit_learn(y_true, y_score, **options):
    return lambda: average_precision_score(y_true, y_score, **options)


def loop_over_scikit_learn(y_true, y_score, group):
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))[:-1]
    parts = list(zip(np.split(y_true[order], ends), np.split(y_score[order], ends), strict=True))
    return lambda: np.mean([average_precision_score(y, s) for y, s in parts])


@needs("torchmetrics")
def torchmetrics_binary(y_true, y_score):
    from torchmetrics.functional.classification import binary_average_precision

    scores, labels = _tensors(y_score, y_true)
    return lambda: binary_average_precision(scores, labels).item()


@needs("torchmetrics")
def torchmetrics_multilabel(y_true, y_score):
    from torchmetrics.functional.classification import multilabel_average_precision

    scores, labels = _tensors(y_score, y_true)
    n_labels = y_score.shape[1]
    return lambda: multilabel_average_precision(scores, labels, num_labels=n_labels).item()


@needs("torchmetrics")
def torchmetrics_multiclass(y_true, y_score):
    from torchmetrics.functional.classification import multiclass_average_precision

    scores, labels = _tensors(y_score, y_true)
    n_classes = y_score.shape[1]
    return lambda: multiclass_average_precision(scores, labels, num_classes=n_classes).item()


@needs("torchmetrics")
def torchmetrics_map(y_true, y_score, group):
    from torchmetrics.retrieval import RetrievalMAP

    scores, labels, indexes = _tensors(y_score, y_true, group)
    return lambda: RetrievalMAP()(scores, labels, indexes=indexes).item()


@needs("torcheval")
def torcheval_binary(y_true, y_score):
    from torcheval.metrics.functional import binary_auprc

    scores, labels = _tensors(y_score, y_true)
    return lambda: binary_auprc(scores, labels).item()


@needs("torcheval")
def torcheval_multilabel(y_true, y_score):
    from torcheval.metrics.functional import multilabel_auprc

    scores, labels = _tensors(y_score, y_true)
    return lambda: multilabel_auprc(scores, labels, num_labels=y_score.shape[1]).item()


@needs("torcheval")
def torcheval_multiclass(y_true, y_score):
    from torcheval.metrics.functional import multiclass_auprc

    scores, labels = _tensors(y_score, y_true)
    return lambda: multiclass_auprc(scores, labels, num_classes=y_score.shape[1]).item()


@needs("ranx")
def ranx_map(y_true, y_score, group):
    import ranx

    truth, found = (_dictionaries(values, group) for values in (y_true, y_score))
    labels, run = ranx.Qrels(truth), ranx.Run(found)
    return lambda: float(ranx.evaluate(labels, run, "map"))


@needs("pytrec_eval")
def pytrec_eval_map(y_true, y_score, group):
    import pytrec_eval

    truth, run = (_dictionaries(values, group) for values in (y_true, y_score))
    evaluator = pytrec_eval.RelevanceEvaluator(truth, {"map"})
    return lambda: np.mean([query["map"] for query in evaluator.evaluate(run).values()])


def _tensors(*arrays):
    import torch

    return [torch.from_numpy(array) for array in arrays]


def _dictionaries(values, group):
    """query -> document -> value, with the numbers of samples for names of documents."""
    queries = {}
    for document, (query, value) in enumerate(zip(group.tolist(), values.tolist(), strict=True)):
        queries.setdefault(f"q{query}", {})[f"d{document}"] = value
    return queries
