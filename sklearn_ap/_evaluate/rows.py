"""Rows as sampling units of one model, which are counted where they are.

An interval of one ranking without weights needs the counts at the scores of positives and between
them, and nothing else. These are the counts from which a metric is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .._read.rankings import check_counted, check_seen
from .._read.tables import column_name
from .._read.units import Sample
from .._words.inputs import Inputs, Unread
from ..core.rankings import CountedRows
from ..core.rules import OfGroup, Rule
from .in_chunks import Counts, two_passes

# What to do if the scores of positives are too many to send to every worker.
_INSTEAD = (
    "metric_bounds, which returns guaranteed lower and upper bounds, or compute the interval of a "
    "random sample of the rows, or from groups or clusters as the sampling units"
)


def are_counts_enough(rules: Sequence[Rule], unread: Unread) -> bool:
    """Whether counts are all that the intervals of these metrics need to know.

    With weights, they also need the squares of the weights, and how much each positive weighs.
    """
    of_others = unread.groups, unread.clusters, unread.sample_weight, unread.prevalence
    if unread.besides or any(each is not None for each in (*of_others, unread.classes)):
        return False
    if isinstance(unread.y_score, Mapping) or unread.average == "samples":
        return False
    return all(rule.takes_weights and not isinstance(rule, OfGroup) for rule in rules)


def sample_of_counts(rule: Rule, inputs: Inputs, read: Callable[[], Sample]) -> Sample:
    """Count the rows of an engine. `read` reads them into memory, which only some results need."""
    assert inputs.engine is not None
    engine = inputs.engine.for_request(inputs.positive, inputs.n_positives)
    counts = two_passes(engine, inputs.positive, instead=_INSTEAD)
    seen = counts.seen
    if inputs.n_positives is None:
        check_counted(seen)
    exist = check_seen(seen, counts.found, rule, inputs.n_positives)
    rankings = CountedRows(
        np.zeros(0, dtype=bool),
        np.zeros(0),
        None,
        "binary",
        n_positives=exist,
        names=[seen.name],
        counted=counts.tally.points(),
        few_scores=np.arange(3) if seen.scores is None else np.sort(np.array([*seen.scores])),
        n_at_top=_count_at_top(counts),
        read=read,
    )
    return Sample(rankings, model=column_name(inputs.column_names.get("y_score")))


def _count_at_top(counts: Counts) -> int:
    """Count the samples with the highest score, or return 0 if only negatives have scores like it,
    which aren't known.
    """
    tally = counts.tally
    if not tally.size or tally.low[-1] % 3 == 0:
        return 0
    return int(tally.positives[-1] + tally.negatives[-1])
