"""Find out which average precision a value is, and why two values differ."""

from .explanation import Explanation, explain
from .history import (
    DIFFERENCES,
    Difference,
    sklearn_average_precision_score,
    trapezoidal_average_precision_score,
)
from .identify import Identification, identify
from .peers import PEERS, Peer

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
