"""Average precision in each of its definitions, as functions and scorers for scikit-learn."""

from typing import NoReturn

from . import boosting, compat, datasets, exceptions, readers
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

# scikit-learn's names, and what to use
_ELSEWHERE = {
    "PrecisionRecallDisplay": "Use AveragePrecisionDisplay.",
    "auc": "Use metric('AP') for steps, or metric('linear') for straight lines.",
    "bootstrap": "Use confidence_interval.",
    "cross_val_score": "Use scikit-learn's, with scoring=get_scorer('AP').",
    "label_ranking_average_precision_score": (
        "Use average_precision_score(..., average='samples', zero_division=1.0)."
    ),
    "make_scorer": "Use make_ap_scorer.",
    "spark": "First import sklearn_ap.spark, which needs PySpark.",
    "precision_recall_curve": "Use scikit-learn's, or interpolated_precision_recall_curve.",
}


def __getattr__(name: str) -> NoReturn:
    hint = "" if name.startswith("_") else suggest(name, __all__)
    if name in _ELSEWHERE:
        hint = f" {_ELSEWHERE[name]}"
    raise AttributeError(f"module 'sklearn_ap' has no attribute {name!r}.{hint}", name=name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
