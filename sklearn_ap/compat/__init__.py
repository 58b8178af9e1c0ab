"""Find out which average precision a value is, and why two values differ."""

from .explanation import PEERS, Explanation, Peer, explain
from .history import (
    DIFFERENCES,
    Difference,
    sklearn_average_precision_score,
    trapezoidal_average_precision_score,
)
from .identify import Identification, identify

__all__ = [
    "DIFFERENCES",
    "PEERS",
    "Difference",
    "Explanation",
    "Identification",
    "Peer",
    "explain",
    "identify",
    "sklearn_average_precision_score",
    "trapezoidal_average_precision_score",
]
