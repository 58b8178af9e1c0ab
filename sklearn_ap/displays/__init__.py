"""Displays in the style of scikit-learn's. Matplotlib is only imported when one is drawn."""

from .average_precision import AveragePrecisionDisplay
from .hits import HitCurveDisplay

__all__ = ["AveragePrecisionDisplay", "HitCurveDisplay"]
