"""Find out which definition of average precision produced a value, and why two values differ."""

from .audit import Audit, Finding, audit, check_metric
from .differences import Difference, read_differences
from .explain import Explanation, explain
from .identify import Identification, identify
from .peers import Peer, read_peers

__all__ = [
    "DIFFERENCES",
    "PEERS",
    "Audit",
    "Difference",
    "Explanation",
    "Finding",
    "Identification",
    "Peer",
    "audit",
    "check_metric",
    "explain",
    "identify",
]

DIFFERENCES = read_differences()
PEERS = read_peers()


def __dir__() -> list[str]:
    return __all__
