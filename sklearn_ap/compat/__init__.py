"""Find out which average precision a value is, and why two values differ."""

from .explanation import Explanation, Peer, explain, read_peers
from .history import (
    Difference,
    read_differences,
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

DIFFERENCES: tuple[Difference, ...]
PEERS: tuple[Peer, ...]


def __getattr__(name: str) -> object:
    """Read a table when it is needed."""
    if name in ("DIFFERENCES", "PEERS"):
        return read_differences() if name == "DIFFERENCES" else read_peers()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
