"""Displays in the style of scikit-learn. Matplotlib is only imported when a display is drawn."""

from .hit_curve import HitCurveDisplay
from .precision_recall import AveragePrecisionDisplay

__all__ = ["AveragePrecisionDisplay", "HitCurveDisplay"]
