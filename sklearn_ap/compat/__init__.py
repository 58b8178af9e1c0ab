"""Find out which definition of average precision produced a value, and why two values differ.

identify finds the definition behind a value that somebody reports, explain shows the values of all
definitions on your data, audit finds out what a function or a scorer computes, and check_metric
raises an error if that isn't what it should compute. PEERS lists what tools compute, and
DIFFERENCES the inputs for which scikit-learn returns something else.
"""

from ._audit import Audit, Finding, audit, check_metric
from .explain import Explanation, explain
from .facts import Difference, read_differences
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
