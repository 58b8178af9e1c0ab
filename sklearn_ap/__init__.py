"""Average precision, in every definition that goes by that name, for scikit-learn."""

from .curves import hit_curve, interpolated_precision_recall_curve
from .metrics import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    mean_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
)

__all__ = [
    "average_precision_at_k_score",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "hit_curve",
    "interpolated_average_precision_score",
    "interpolated_precision_recall_curve",
    "mean_average_precision_score",
    "precision_at_k_score",
    "recall_at_k_score",
]
