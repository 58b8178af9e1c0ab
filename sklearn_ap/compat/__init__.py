"""Find out which average precision a value is, and why two values differ."""

from .differences import DIFFERENCES, Difference
from .explanation import PEERS, Explanation, Peer, explain
from .identify import Identification, identify
from .trapezoidal import trapezoidal_average_precision_score

__all__ = [
    "DIFFERENCES",
    "PEERS",
    "Difference",
    "Explanation",
    "Identification",
    "Peer",
    "explain",
    "identify",
    "trapezoidal_average_precision_score",
]
