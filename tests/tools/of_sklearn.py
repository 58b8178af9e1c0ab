"""scikit-learn"""

import numpy as np
from sklearn import metrics

from . import Function, K

PACKAGES = ["scikit-learn"]


def average_precision(labels, scores, weight=None):
    return metrics.average_precision_score(labels, scores, sample_weight=weight)


def auc(labels, scores, weight=None):
    precision, recall, _ = metrics.precision_recall_curve(labels, scores, sample_weight=weight)
    return metrics.auc(recall, precision)


def roc_auc(labels, scores, weight=None):
    return metrics.roc_auc_score(labels, scores, sample_weight=weight)


def of_both_columns(average):
    def compute(labels, scores, weight=None):
        columns = np.column_stack([labels == 0, labels == 1]).astype(int)
        both = np.column_stack([1 - scores, scores])
        return metrics.average_precision_score(columns, both, average=average, sample_weight=weight)

    return compute


def of_the_best(labels, scores, weight=None):
    best = np.argsort(-scores, kind="stable")[:K]
    weight = None if weight is None else weight[best]
    return metrics.average_precision_score(labels[best], scores[best], sample_weight=weight)


FUNCTIONS = {
    "scikit-learn": {
        "average_precision_score": Function(average_precision, weights=True),
        "auc(recall, precision)": Function(auc, weights=True),
        "roc_auc_score": Function(roc_auc, weights=True),
        "average_precision_score of both columns": Function(of_both_columns("macro"), weights=True),
        "average_precision_score of both columns, average='weighted'": Function(
            of_both_columns("weighted"), weights=True
        ),
        "average_precision_score of both columns, average='micro'": Function(
            of_both_columns("micro"), weights=True
        ),
        "average_precision_score of the k best": Function(of_the_best, ranks=False),
    }
}
