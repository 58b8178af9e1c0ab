"""Find out which definition of average precision produced a value, and why two values differ."""

from .audits import audit
from .differences import DIFFERENCES, Difference
from .explanation import Explanation, explain
from .findings import Audit, ScoringAudit
from .identification import Identification, identify
from .metric_checks import audit_cases, check_metric
from .peers import PEERS, Peer
from .ranking_files import rankings
from .trapezoidal import trapezoidal_average_precision_score

__all__ = [
    "DIFFERENCES",
    "PEERS",
    "Audit",
    "Difference",
    "Explanation",
    "Identification",
    "Peer",
    "ScoringAudit",
    "audit",
    "audit_cases",
    "check_metric",
    "explain",
    "identify",
    "rankings",
    "trapezoidal_average_precision_score",
]


def __dir__() -> list[str]:
    """Return the public names, without modules such as `peers` and `differences`."""
    return __all__
