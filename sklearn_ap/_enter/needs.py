"""What each question needs to read: functions of the arguments alone.

Only data that say so at run time, such as clusters that cut groups, raise a `NeedsRowsError`.
Values need one pass, and what isn't named here needs all rows.
"""

from collections.abc import Sequence

from .._words.inputs import Unread
from .._words.reads import Reads
from ..core.cutoff import needs_every_point
from ..core.rules import Graded, Rule


def of_interval(rules: Sequence[Rule], unread: Unread, n_models: int = 1) -> Reads:
    """Intervals, comparisons and reports: the value of each group, or the counts of one ranking."""
    is_of_rows = unread.besides or unread.classes is not None
    if is_of_rows or any(isinstance(rule, Graded) for rule in rules):
        return Reads.ROWS
    if unread.groups is not None:
        # Counts may be those of clusters within groups.
        is_by_cluster = unread.clusters is not None and unread.n_positives is not None
        is_mean = unread.average in ("macro", "weighted")
        return Reads.AGAIN if is_mean and not is_by_cluster else Reads.ROWS
    # Weights would also need their squares, and how much each positive weighs.
    has_more_columns = any(
        option is not None for option in (unread.clusters, unread.sample_weight, unread.prevalence)
    )
    if n_models > 1 or unread.average == "samples" or has_more_columns:
        return Reads.ROWS
    return Reads.AGAIN if all(rule.takes_weights for rule in rules) else Reads.ROWS


def of_display(rules: Sequence[Rule], unread: Unread, has_band: bool) -> Reads:
    """Displays. A band needs all rows."""
    weighted = unread.sample_weight is not None or unread.prevalence is not None
    if has_band or any(needs_every_point(rule.depth, weighted) for rule in rules):
        return Reads.ROWS
    return Reads.AGAIN


def of_threshold(unread: Unread, promises_precision: bool) -> Reads:
    """Thresholds. Promises with clusters depend on which samples belong together, and a promised
    precision depends on the weight of every negative if these differ.
    """
    is_weighted = unread.sample_weight is not None
    needs_rows = unread.clusters is not None or (promises_precision and is_weighted)
    return Reads.ROWS if needs_rows else Reads.AGAIN


def of_check(unread: Unread) -> Reads:
    """Checks. Segments with n_positives need to know that each has all rows of its groups."""
    counts_in_segments = unread.besides.get("by") is not None and unread.n_positives is not None
    return Reads.ROWS if unread.clusters is not None or counts_in_segments else Reads.AGAIN
