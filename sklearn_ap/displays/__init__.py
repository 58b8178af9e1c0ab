"""Displays in the style of scikit-learn's. Matplotlib is only imported when one is drawn."""

from .hit_curve import HitCurveDisplay
from .precision_recall import AveragePrecisionDisplay

__all__ = ["AveragePrecisionDisplay", "HitCurveDisplay"]
