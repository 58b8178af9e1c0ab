"""XGBoost, whose booster without rounds returns the base margin"""

import numpy as np
import xgboost

from . import Function, K

PACKAGES = ["xgboost-cpu"]


def evaluate(metric, labels, scores, weight=None, group=None):
    data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels, weight=weight, base_margin=scores)
    objective = "reg:squarederror"
    if group is not None:
        data.set_group(group)
        objective = "rank:map"
    booster = xgboost.Booster(
        {"objective": objective, "eval_metric": metric, "verbosity": 0, "nthread": 1}, [data]
    )
    return float(booster.eval(data).rsplit(":", 1)[1])


def of_queries(metric):
    def compute(queries):
        labels, scores = (np.concatenate([each[place] for each in queries]) for place in (0, 1))
        return evaluate(metric, labels, scores, group=[len(each[0]) for each in queries])

    return compute


FUNCTIONS = {
    "XGBoost": {
        "aucpr": Function(lambda y, s, weight=None: evaluate("aucpr", y, s, weight), weights=True),
        "auc": Function(lambda y, s, weight=None: evaluate("auc", y, s, weight), weights=True),
        "map@k": Function(of_queries=of_queries(f"map@{K}")),
        "map@k-": Function(of_queries=of_queries(f"map@{K}-")),
    }
}
