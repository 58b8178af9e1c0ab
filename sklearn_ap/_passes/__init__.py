"""What public functions call to compute a value from chunks, in as few passes as possible.

A pass summarizes each chunk, and joins the summaries of several. The first pass finds the
prediction scores of the positives, at which average precision changes. The second pass counts the
samples at these scores and between them. The passes don't know what runs them: that is an engine.
"""

from typing import Any

from .._inputs import Engine, Inputs
from .._validation.parameters import check_group_average, check_several
from .._validation.rankings import check_bounded
from .._validation.tables import check_reads_again
from ..core.rankings import BY_NAME
from ..core.rules import Rule
from ..core.tallies import Bounds
from .groups import count_groups, join_values, to_mean, to_mean_of_values, value_groups
from .ranking import Asked, asked_of, count_ranking, to_bounds, to_score, two_passes


def score(rule: Rule, inputs: Inputs, average: str | None) -> Any:
    """Compute the value of one ranking, or the mean over groups."""
    engine, asked = _asked(rule, inputs, average)
    if not engine.grouped:
        check_several(average != BY_NAME)
        counts = count_ranking(engine, rule, asked.pos_label)
        return to_score(counts, asked)
    if average != BY_NAME:
        check_group_average(average)
    return _mean_over_groups(engine, asked)


def _asked(rule: Rule, inputs: Inputs, average: str | None) -> tuple[Engine, Asked]:
    engine, pos_label, n_positives = asked_of(inputs)
    return engine, Asked(rule, pos_label, inputs.zero_division, n_positives, average)


def _mean_over_groups(engine: Engine, asked: Asked) -> Any:
    if whole := engine.by_group():
        return to_mean_of_values(whole.over_chunks(value_groups, join_values, asked), asked)
    return to_mean(count_groups(engine, asked.rule, asked.pos_label), asked)


def bounds(rule: Rule, inputs: Inputs, n_bins: int) -> Any:
    """Compute bounds of the value of one ranking, or of the mean over groups, which is exact.

    Many groups of a few positives each would not need less memory if each of them had bins.
    """
    engine, asked = _asked(rule, inputs, inputs.average)
    if engine.grouped:
        check_group_average(asked.average)
        if asked.average is None:
            raise ValueError(
                "average=None returns a value for each group, but bounds are those of a mean. Pass "
                "average='macro' or 'weighted'."
            )
        value = _mean_over_groups(engine, asked)
        return Bounds(value, value, value, exact=True)
    check_bounded(rule, weighted=engine.weighted)
    instead = ", or update a MetricAccumulator(n_bins=...) with its batches"
    check_reads_again(engine.reads_again, "Bounds need", instead)
    counts = two_passes(engine, asked.pos_label, n_bins)
    return to_bounds(counts, asked)
