"""Find out which definition of average precision produced a value, and why two values differ."""

# Words of these modules, in the order in which `audit` meets them:
#
# expected     what a function should compute, if that is known (expectations.py)
# call         a ranking that is tried, and what the function did with it (call_log.py)
# aspect       what a call is about: values, ties, weights, large samples (call_log.py)
# mistake      what a function may do instead, to a ranking or a value (mistakes.py)
# hypothesis   what a function may compute: a variant, with a mistake or none (recognition.py)
# recognition  the hypothesis that fits all calls, or why nothing was ranked (recognition.py)
# finding      what a function did in an aspect, and the smallest example (findings.py)
# conclusion   what the title of an audit says (findings.py)
#
# `identify` has one value of your data instead of a function, and meets these:
#
# data set     your rows, and what was computed from them before (data_sets.py)
# reading      how the scores are read, such as in float32 or rounded (data_sets.py)
# slip         what may have been ranked by mistake, such as negated scores (data_sets.py)
# order        how tied samples are ranked (tie_orders.py)
# variant      a rule with all else that changes its value: reading, slip, order (variants.py)
# candidate    how rarely a variant is reported, and by which tools (identification.py)
# match        a variant that has the reported value, as users see it (identification.py)
# peer         functions of another tool, and what they compute (peers.py, peers.toml)
# difference   where a value of scikit-learn is not ours, and why (differences.py)

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
