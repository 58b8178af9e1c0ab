"""Pictures, after scikit-learn's displays. Matplotlib is imported when one is drawn, not before."""

from .average_precision import AveragePrecisionDisplay
from .hits import HitCurveDisplay

__all__ = ["AveragePrecisionDisplay", "HitCurveDisplay"]
