"""Average precision in each of its definitions, as functions and scorers for scikit-learn.

What is the value?
    average_precision_score and the other functions that end in "_score" take labels and scores.
    metric("AP@10") is a metric with its options, also of a function of yours, and values_by_group
    names the values of groups. make_ap_scorer and get_scorer make scorers for `scoring=`.
Which average precision is it?
    compat.identify finds the definition of a value, compat.explain shows all values of some data,
    and compat.audit finds out what a function computes.
How sure is it, and which model is better?
    confidence_interval, compare for models, compare_folds for searches and cross-validations, and
    report for models, metrics and segments in one table.
Where do I cut?
    operating_point chooses a threshold, and measures it on new data.
What does it look like?
    AveragePrecisionDisplay and HitCurveDisplay draw curves; results of comparisons have plot().
Where is the data?
    All functions take the names of columns with `data=table`. readers.read_trec reads judgments and
    runs, boosting has metrics for LightGBM and XGBoost, and sklearn_ap.spark those for Spark.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import sklearn.metrics

from . import boosting, datasets, exceptions, readers
from ._core import Metric, metric, suggest
from .curves import hit_curve, interpolated_precision_recall_curve
from .displays import AveragePrecisionDisplay, HitCurveDisplay
from .inference import compare, compare_folds, confidence_interval
from .metrics import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    enrichment_factor_score,
    hit_rate_at_k_score,
    interpolated_average_precision_score,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    precision_at_recall_score,
    r_precision_score,
    recall_at_k_score,
    recall_at_precision_score,
    reciprocal_rank_score,
    values_by_group,
)
from .reports import report
from .scorers import get_scorer, get_scorer_names, make_ap_scorer
from .thresholds import OperatingPoint, operating_point

if TYPE_CHECKING:
    from . import compat

__version__ = "0.4.0.dev0"

__all__ = [
    "AveragePrecisionDisplay",
    "HitCurveDisplay",
    "Metric",
    "OperatingPoint",
    "average_precision_at_k_score",
    "average_precision_score",
    "boosting",
    "compare",
    "compare_folds",
    "compat",
    "confidence_interval",
    "datasets",
    "eleven_point_average_precision_score",
    "enrichment_factor_score",
    "exceptions",
    "get_scorer",
    "get_scorer_names",
    "hit_curve",
    "hit_rate_at_k_score",
    "interpolated_average_precision_score",
    "interpolated_precision_recall_curve",
    "make_ap_scorer",
    "mean_average_precision_score",
    "metric",
    "ndcg_score",
    "operating_point",
    "precision_at_k_score",
    "precision_at_recall_score",
    "r_precision_score",
    "readers",
    "recall_at_k_score",
    "recall_at_precision_score",
    "reciprocal_rank_score",
    "report",
    "values_by_group",
]


def __getattr__(name: str) -> ModuleType:
    # compat takes a third of the time of all imports, and spark needs PySpark.
    if name == "spark" or (name == "compat" and name in __all__):
        return import_module(f".{name}", __name__)
    raise AttributeError(
        f"module 'sklearn_ap' has no attribute {name!r}.{_suggest_replacement(name)}", name=name
    )


def _suggest_replacement(name: str) -> str:
    """Say what to use in place of a name that isn't here, if that is known."""
    if name.startswith("_"):
        return ""
    for each in __all__:
        module = globals()[each] if each in globals() else __getattr__(each)
        if name in getattr(module, "__all__", ()):
            return f" Use sklearn_ap.{each}.{name}."
    if name in sklearn.metrics.__all__ and name.endswith("_score"):
        return f" Use scikit-learn's, and metric({name}) for intervals and comparisons."
    place = " It's in sklearn.metrics." if name in sklearn.metrics.__all__ else ""
    return place + suggest(name, __all__, cutoff=0.7)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
