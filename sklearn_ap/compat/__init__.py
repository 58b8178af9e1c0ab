"""Find out which definition of average precision produced a value, and why two values differ."""

from typing import Any

from .audit import Audit, Finding, audit, check_metric
from .differences import Difference, Table, read_differences
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

DIFFERENCES: Table[Difference]
PEERS: Table[Peer]


def __getattr__(name: str) -> Any:
    """Read the tables of facts when they are asked for, because that takes longer than imports."""
    if name == "DIFFERENCES":
        return read_differences()
    if name == "PEERS":
        return read_peers()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
