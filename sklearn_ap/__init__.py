"""Every definition of average precision for scikit-learn, each under its own name.

The modules `boosting`, `compat`, `dask`, `inference`, `reports`, `spark` and `streaming` are
imported on first access.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from ._named import metric
from .curves import hit_curve, interpolated_precision_recall_curve
from .displays import AveragePrecisionDisplay, HitCurveDisplay
from .metrics import (
    average_precision_at_k_score,
    average_precision_bounds,
    average_precision_score,
    eleven_point_average_precision_score,
    enrichment_factor_score,
    interpolated_average_precision_score,
    mean_average_precision_score,
    precision_at_k_score,
    precision_at_recall_score,
    recall_at_k_score,
    recall_at_precision_score,
)
from .scorers import (
    get_scorer,
    get_scorer_names,
    make_ap_scorer,
    make_map_scorer,
    make_multi_scorer,
    make_outlier_ap_scorer,
)
from .thresholds import operating_point

__all__ = [
    "AveragePrecisionDisplay",
    "HitCurveDisplay",
    "average_precision_at_k_score",
    "average_precision_bounds",
    "average_precision_score",
    "compare",
    "confidence_interval",
    "eleven_point_average_precision_score",
    "enrichment_factor_score",
    "get_scorer",
    "get_scorer_names",
    "hit_curve",
    "influence",
    "interpolated_average_precision_score",
    "interpolated_precision_recall_curve",
    "make_ap_scorer",
    "make_map_scorer",
    "make_multi_scorer",
    "make_outlier_ap_scorer",
    "mean_average_precision_score",
    "metric",
    "operating_point",
    "precision_at_k_score",
    "precision_at_recall_score",
    "recall_at_k_score",
    "recall_at_precision_score",
    "report",
]

# Functions of modules that are imported on first access.
_LAZY = {
    "compare": "inference",
    "confidence_interval": "inference",
    "influence": "inference",
    "report": "reports",
}
_MODULES = (
    "boosting",
    "compat",
    "dask",
    "inference",
    "reports",
    "spark",
    "streaming",
    "thresholds",
)


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        return _import_module("importlib.metadata").version(__name__)
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    if name in _LAZY:
        return getattr(_import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]
