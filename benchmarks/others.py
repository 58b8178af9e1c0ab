"""Other libraries that compute the same values.

Each function prepares a call: it converts the arrays to what the library takes, and returns what is
timed.
"""

import numpy as np
from scipy.stats import bootstrap
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_validate


def with_weights(score):
    return lambda y_true, y_score, weight: score(y_true, y_score, sample_weight=weight)


class Given(ClassifierMixin, BaseEstimator):
    """A model that costs no time: its decision function is the first column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


def cross_validated(scoring):
    def prepare(y_true, y_score):
        X = y_score[:, np.newaxis]
        return lambda: cross_validate(Given(), X, y_true, scoring=scoring, cv=5)

    return prepare


def loop_of_resamples(y_true, y_score, n_resamples):
    """Compute the standard error with the loop that you would write around scikit-learn."""

    def call():
        rng, n_samples = np.random.default_rng(0), len(y_true)
        values = []
        for _ in range(n_resamples):
            rows = rng.integers(0, n_samples, n_samples)
            values.append(average_precision_score(y_true[rows], y_score[rows]))
        return np.std(values, ddof=1)

    return call


def scipy_bootstrap(y_true, y_score, n_resamples):
    """Compute the standard error with SciPy, which draws pairs of label and score."""

    def call():
        return bootstrap(
            (y_true, y_score),
            average_precision_score,
            paired=True,
            vectorized=False,
            method="percentile",
            n_resamples=n_resamples,
            rng=0,
        ).standard_error

    return call


def loop_over_scikit_learn(y_true, y_score, group):
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))[:-1]
    parts = list(zip(np.split(y_true[order], ends), np.split(y_score[order], ends), strict=True))
    return lambda: np.mean([average_precision_score(y, s) for y, s in parts])


def torchmetrics_binary(y_true, y_score):
    from torchmetrics.functional.classification import binary_average_precision

    scores, labels = _tensors(y_score, y_true)
    return lambda: binary_average_precision(scores, labels).item()


def torchmetrics_multilabel(y_true, y_score):
    from torchmetrics.functional.classification import multilabel_average_precision

    scores, labels = _tensors(y_score, y_true)
    n_labels = y_score.shape[1]
    return lambda: multilabel_average_precision(scores, labels, num_labels=n_labels).item()


def torchmetrics_multiclass(y_true, y_score):
    from torchmetrics.functional.classification import multiclass_average_precision

    scores, labels = _tensors(y_score, y_true)
    n_classes = y_score.shape[1]
    return lambda: multiclass_average_precision(scores, labels, num_classes=n_classes).item()


def torchmetrics_map(y_true, y_score, group):
    from torchmetrics.retrieval import RetrievalMAP

    scores, labels, indexes = _tensors(y_score, y_true, group)
    return lambda: RetrievalMAP()(scores, labels, indexes=indexes).item()


def torcheval_binary(y_true, y_score):
    from torcheval.metrics.functional import binary_auprc

    scores, labels = _tensors(y_score, y_true)
    return lambda: binary_auprc(scores, labels).item()


def torcheval_multilabel(y_true, y_score):
    from torcheval.metrics.functional import multilabel_auprc

    scores, labels = _tensors(y_score, y_true)
    return lambda: multilabel_auprc(scores, labels, num_labels=y_score.shape[1]).item()


def torcheval_multiclass(y_true, y_score):
    from torcheval.metrics.functional import multiclass_auprc

    scores, labels = _tensors(y_score, y_true)
    return lambda: multiclass_auprc(scores, labels, num_classes=y_score.shape[1]).item()


def ranx_map(y_true, y_score, group):
    import ranx

    truth, found = (_dictionaries(values, group) for values in (y_true, y_score))
    labels, run = ranx.Qrels(truth), ranx.Run(found)

    def call():
        run.sorted = False  # otherwise only the first call would sort
        return float(ranx.evaluate(labels, run, "map"))

    return call


def pytrec_eval_map(y_true, y_score, group):
    import pytrec_eval

    truth, run = (_dictionaries(values, group) for values in (y_true, y_score))
    evaluator = pytrec_eval.RelevanceEvaluator(truth, {"map"})
    return lambda: np.mean([query["map"] for query in evaluator.evaluate(run).values()])


def polars_ds_metrics(frame):
    """Compute it with a plugin of polars in Rust, which always returns ROC AUC and F too."""
    import polars_ds

    metrics = polars_ds.query_binary_metrics("label", "score")
    return lambda: frame.select(metrics).to_series()[0]["avg_precision"]


def sql_query(frame):
    """Compute it with the query in docs/large_data.md, on one thread."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    connection.register("frame", frame)
    return lambda: connection.sql(SQL).fetchall()[0][0]


SQL = """
WITH counts AS (
    SELECT score, sum(label) AS positives, count(*) AS total FROM frame GROUP BY score
), curve AS (
    SELECT positives,
           sum(positives) OVER (ORDER BY score DESC) AS found,
           sum(total) OVER (ORDER BY score DESC) AS seen
    FROM counts
)
SELECT sum(positives * found / seen) / sum(positives) FROM curve
"""


def threads():
    """Return how many threads the libraries that were called may use, where it can be set."""
    import sys

    counts = {"torch": "get_num_threads", "numba": "get_num_threads"}
    return {
        name: getattr(sys.modules[name], function)()
        for name, function in counts.items()
        if name in sys.modules
    }


def _tensors(*arrays):
    import torch

    torch.set_num_threads(1)  # like all others
    return [torch.from_numpy(array) for array in arrays]


def _dictionaries(values, group):
    """Return a dict of dicts, query -> document -> value, where documents are named by row."""
    queries = {}
    for document, (query, value) in enumerate(zip(group.tolist(), values.tolist(), strict=True)):
        queries.setdefault(f"q{query}", {})[f"d{document}"] = value
    return queries
