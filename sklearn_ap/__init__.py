"""Average precision for scikit-learn: the same values, faster, with confidence intervals.

All public names are imported on first access, so that one metric loads only what it needs.
"""

import sys as _sys
from importlib import import_module as _import_module
from threading import RLock as _RLock
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

# Editors find docstrings and definitions by these imports. Type checkers read __init__.pyi.
if _TYPE_CHECKING:
    from ._enter.metric import Metric
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
        metric,
        ndcg_score,
        precision_at_k_score,
        precision_at_recall_score,
        r_precision_score,
        recall_at_k_score,
        recall_at_precision_score,
        reciprocal_rank_score,
    )
    from .reports import report
    from .scorers import get_scorer, get_scorer_names, make_ap_scorer, make_multi_scorer
    from .thresholds import operating_point

# Other processes unpickle errors by the name of this module, which imports nothing else.
from . import exceptions as exceptions

# The public functions and classes of each module.
_NAMES = {
    "_enter.metric": ["Metric"],
    "curves": ["hit_curve", "interpolated_precision_recall_curve"],
    "displays": ["AveragePrecisionDisplay", "HitCurveDisplay"],
    "inference": ["compare", "compare_folds", "confidence_interval"],
    "metrics": [
        "average_precision_at_k_score",
        "average_precision_score",
        "eleven_point_average_precision_score",
        "enrichment_factor_score",
        "hit_rate_at_k_score",
        "interpolated_average_precision_score",
        "mean_average_precision_score",
        "metric",
        "ndcg_score",
        "precision_at_k_score",
        "precision_at_recall_score",
        "r_precision_score",
        "recall_at_k_score",
        "recall_at_precision_score",
        "reciprocal_rank_score",
    ],
    "reports": ["report"],
    "scorers": ["get_scorer", "get_scorer_names", "make_ap_scorer", "make_multi_scorer"],
    "thresholds": ["operating_point"],
}
_MODULES = (
    "boosting",
    "compat",
    "datasets",
    "exceptions",
    "inference",
    "readers",
    "reports",
    "spark",
    "thresholds",
)
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOME)

# Packages import their own modules, and these import the package. If two threads enter such a cycle
# at different modules, both see modules without their names, and NumPy can't be imported again.
_importing = _RLock()


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        metadata = _import_module("importlib.metadata")
        try:
            found = metadata.version(__name__)
        except metadata.PackageNotFoundError:  # as in a zip file of this folder alone
            found = "unknown"
    elif name in _MODULES:
        with _importing:
            found = _import_module(f"{__name__}.{name}")
    elif name in _HOME:
        with _importing:
            found = getattr(_import_module(f"{__name__}.{_HOME[name]}"), name)
    else:
        words = f"module {__name__!r} has no attribute {name!r}"
        meant = "" if name.startswith("_") else _suggest_public_name(name)
        # `from sklearn_ap import name` asks twice, first by a function of importlib, and shows only
        # what isn't an AttributeError.
        is_import = _sys._getframe(1).f_globals.get("__name__") == "importlib._bootstrap"
        if meant and is_import:
            raise ImportError(f"cannot import name {name!r} from {__name__!r}. {meant}")
        if meant:
            raise AttributeError(f"{words}. {meant}")
        # With the module, Python suggests the name that was probably meant.
        raise AttributeError(words, name=name, obj=_import_module(__name__))
    globals()[name] = found  # so that the next access doesn't come here
    return found


def _suggest_public_name(name: str) -> str:
    """Say what to use in place of a name that isn't here; empty if nothing is close."""
    if name in ("PrecisionRecallDisplay", "precision_recall_curve"):
        ours = (
            "AveragePrecisionDisplay" if name[0] == "P" else "interpolated_precision_recall_curve"
        )
        return f"It stays in sklearn.metrics; here is {ours!r}."
    if name in _import_module("sklearn.metrics").__all__:
        return "It stays in sklearn.metrics."
    if substitute := _import_module(f"{__name__}._words.refusals").find_substitute(name):
        return str(substitute)
    score = _import_module(f"{__name__}._inputs.metric_names").suggest_function(name)
    return f"Did you mean: {score!r}?" if score not in (None, "", name) else ""


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]
