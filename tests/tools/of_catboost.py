"""CatBoost's eval_metric"""

import numpy as np
from catboost.utils import eval_metric

from . import Function, K

PACKAGES = ["catboost"]


def pr_auc(labels, scores):
    return eval_metric(labels.tolist(), scores.tolist(), "PRAUC:use_weights=false")[0]


def of_queries(queries):
    labels, scores = (np.concatenate([each[place] for each in queries]) for place in (0, 1))
    group = np.repeat(np.arange(len(queries)), [len(each[0]) for each in queries])
    return eval_metric(labels.tolist(), scores.tolist(), f"MAP:top={K}", group_id=group.tolist())[0]


FUNCTIONS = {"CatBoost": {"PRAUC": Function(pr_auc), "MAP:top=k": Function(of_queries=of_queries)}}
