"""Find out which average precision a value is, and why two values differ."""

from .differences import DIFFERENCES
from .explain import Explanation, explain
from .identify import Identification, identify
from .legacy import sklearn_average_precision_score
from .peers import PEERS, Peer
from .releases import Difference
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
    "sklearn_average_precision_score",
    "trapezoidal_average_precision_score",
]
