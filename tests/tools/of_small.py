"""Tools with few requirements: PyCM, Cornac, river, trectools, PyOD"""

import contextlib
import io
from importlib.metadata import version

import numpy as np
import pandas as pd
import pycm
import river.metrics
from cornac.metrics import MAP
from pyod.utils.data import precision_n_scores
from trectools import TrecEval, TrecQrel, TrecRun

from . import Function, K

TOOLS = {
    "pycm": "pycm",
    "Cornac": "cornac",
    "river": "river",
    "trectools": "trectools",
    "PyOD": "pyod",
}
PACKAGES = ["pycm", "cornac", "river", "trectools", "pyod"]
VERSIONS = {tool: version(package) for tool, package in TOOLS.items()}


def of_pycm(labels, scores):
    both = np.column_stack([1 - scores, scores])
    with contextlib.redirect_stdout(io.StringIO()):
        return pycm.PRCurve(actual_vector=labels, probs=both, classes=[0, 1]).area()[1]


def of_cornac(labels, scores):
    items = np.arange(len(labels))
    return MAP().compute(item_indices=items, pd_scores=scores, gt_pos=items[labels == 1])


def of_river(labels, scores):
    metric = river.metrics.RollingPRAUC(window_size=len(labels))
    for label, score in zip(labels, scores, strict=True):
        metric.update(bool(label), float(score))
    return metric.get()


def of_trectools(queries):
    judged, found = [], []
    for number, (labels, scores, missed) in enumerate(queries):
        for row in range(len(labels) + missed):
            label = int(labels[row]) if row < len(labels) else 1
            judged.append((f"q{number}", "0", f"d{row:04}", label))
            if row < len(labels):
                found.append((f"q{number}", "Q0", f"d{row:04}", float(scores[row])))
    run, qrel = TrecRun(), TrecQrel()
    qrel.qrels_data = pd.DataFrame(judged, columns=["query", "q0", "docid", "rel"])
    run.run_data = pd.DataFrame(found, columns=["query", "q0", "docid", "score"])
    run.run_data = run.run_data.sort_values(["query", "score"], ascending=[True, False])
    run.run_data["rank"] = run.run_data.groupby("query").cumcount() + 1
    run.run_data["system"] = "run"
    return TrecEval(run, qrel).get_map(depth=K, trec_eval=True)


def of_pyod(labels, scores):
    return precision_n_scores(labels, scores)


FUNCTIONS = {
    "pycm": {"PRCurve.area": Function(of_pycm)},
    "Cornac": {"metrics.MAP": Function(of_cornac)},
    "river": {"metrics.RollingPRAUC": Function(of_river)},
    "trectools": {"TrecEval.get_map(depth=k)": Function(of_queries=of_trectools, missed=True)},
    "PyOD": {"evaluate_print, precision @ rank n": Function(of_pyod)},
}
