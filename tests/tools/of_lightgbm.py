"""LightGBM, whose booster without trees returns its init_score"""

import lightgbm
import numpy as np

from . import Function, K

PACKAGES = ["lightgbm"]


def evaluate(metric, labels, scores, weight=None, group=None, **options):
    options |= {"metric": metric, "objective": "none", "verbosity": -1, "num_threads": 1}
    other = lightgbm.Dataset(np.arange(100.0)[:, None], np.arange(100) % 2, params=options)
    data = lightgbm.Dataset(
        np.zeros((len(labels), 1)), labels, weight=weight, group=group, init_score=scores,
        reference=other, params=options,
    )  # fmt: skip
    if group is not None:
        other.set_group([100])
    booster = lightgbm.Booster(options, other)
    booster.add_valid(data, "data")
    return booster.eval_valid()[0][2]


def of_queries(queries):
    labels, scores = (np.concatenate([each[place] for each in queries]) for place in (0, 1))
    group = [len(each[0]) for each in queries]
    return evaluate("map", labels, scores, group=group, eval_at=[K])


FUNCTIONS = {
    "LightGBM": {
        "average_precision": Function(
            lambda y, s, weight=None: evaluate("average_precision", y, s, weight), weights=True
        ),
        "auc": Function(lambda y, s, weight=None: evaluate("auc", y, s, weight), weights=True),
        "map@k": Function(of_queries=of_queries),
    }
}
