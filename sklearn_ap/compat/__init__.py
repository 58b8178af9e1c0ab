"""Find out which definition of average precision produced a value, and why two values differ."""

# `audit` finds out what a function computes, and `identify` what gave a value on your data. Both
# ask what may be computed from a ranking. Modules import from those below (see pyproject.toml):
#
#   metric_checks                                    a test, and the command line
#   audits                                           one function, a scorer, or several
#   audit_sentences  expectations                    what is printed, and what to expect instead
#   findings         hypothesis_search               what differs by aspect, and what fits all calls
#   recognition, hypotheses
#   call_values                   identification     `audit` | `identify`
#   ------------------------------------------------------------------------------------------------
#   candidates                    explanation        both | `explain`
#   peers, variants, data_sets
#   mistakes         audited_scorers, feature_limits
#   readings, tie_orders          ranking_files
#   miscounted_rules, level_rules, variant_rules     call_log
#
# Words that both have:
#
# variant      a rule with all else that changes its value: mistake, reading, order (variants.py)
# mistake      what somebody ranks, counts or returns instead of a definition (mistakes.py, and with
#              what is counted miscounted_rules.py)
# reading      how the scores are read, such as in float32 or rounded (readings.py)
# order        how tied samples are ranked (tie_orders.py)
# peer         functions of another tool, and what they compute (peers.py, peers.toml)
# candidate    how rarely a variant is reported, and by which tools (candidates.py)
#
# of `audit`, in the order in which it meets them:
#
# call         a ranking that is tried, and what the function did with it (call_log.py)
# aspect       what a call is about: values, ties, weights, large samples (call_log.py)
# hypothesis   what a function may compute: a variant, with a mistake or none (hypotheses.py)
# recognition  the hypothesis that fits all calls, or why nothing was ranked (recognition.py)
# finding      what a function did in an aspect, and the smallest example (findings.py)
# conclusion   what the title of an audit says (findings.py)
#
# of `identify` and `explain`:
#
# data set     your rows, and what was computed from them before (data_sets.py)
# match        a variant that has the reported value, as users see it (identification.py)
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
