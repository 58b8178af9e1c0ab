"""Intervals of one model whose sampling units are rows, which stay where they are.

The closed form and the bootstrap of one ranking without weights need the counts at the scores of
positives and between them, and nothing else. The passes of metrics count these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._enter.entry import stays
from .._evaluate.in_chunks import Counts, two_passes
from .._read.rankings import Seen, check_counted, check_seen
from .._read.tables import column_name
from .._read.units import Sample, warn_of_few
from .._show.results import Later
from .._words.inputs import Inputs, Unread
from .._words.messages import warning_once
from .._words.names import written
from ..core.cutoff import Cut
from ..core.rules import OfGroup, Rule
from ..core.runs import Array
from ..core.tallies import Tally
from .comparing import interval_from
from .plans import CountPlan, vary_together
from .requests import IntervalRequest
from .results import Interval, Source

# What to do if the scores of positives are too many to send to every worker.
_INSTEAD = (
    "metric_bounds, which returns guaranteed lower and upper bounds, or compute the interval of a "
    "random sample of the rows, or from groups or clusters as the sampling units"
)


def are_counts_enough(rule: Rule, unread: Unread) -> bool:
    """Whether the counts at the scores of positives are all that an interval needs to know.

    With weights, it also needs the squares of the weights, and how much each positive weighs.
    """
    of_others = unread.groups, unread.clusters, unread.sample_weight, unread.prevalence
    is_one = all(each is None for each in (*of_others, unread.classes))
    is_one &= unread.average != "samples" and not isinstance(rule, OfGroup)
    return is_one and stays(unread)


def interval_of_counts(
    request: IntervalRequest, inputs: Inputs, level: float, read: Callable[[], Sample]
) -> Interval:
    """Compute the interval of one ranking. `read` reads its rows into memory, which only methods
    of the result need.
    """
    rule, request = request.rule, request.resolved(by_query=False)
    assert inputs.engine is not None
    engine = inputs.engine.for_request(inputs.positive, inputs.n_positives)
    counts = two_passes(engine, inputs.positive, instead=_INSTEAD)
    if inputs.n_positives is None:
        check_counted(counts.seen)
    exist = check_seen(counts.seen, counts.found, rule, inputs.n_positives)
    model = inputs.model or column_name(inputs.column_names.get("y_score"))
    _warn_of_dead(model, counts, rule.depth)
    plan = plan_of_counts(rule, counts.tally, counts.seen, exist)
    with warning_once():
        (found,) = vary_together(request, [plan])
    interval = interval_from(request, found, written(rule), level)
    return replace(interval, source=Source("rows", model, Later(lambda: (request, read()))))


def plan_of_counts(rule: Rule, counts: Tally, seen: Seen, exist: Array | None) -> CountPlan:
    """Plan how to vary the value of one ranking, of which `exist` positives exist."""
    points, first = counts.points(), counts.points(rule.depth)
    if exist is not None:
        points, first = points.out_of(exist), first.out_of(exist)
    return CountPlan.of(rule, points, rule.values(first), names=[seen.name])


def _warn_of_dead(model: Any, counts: Counts, cut: Cut | None) -> None:
    """Warn about a model that barely ranks the samples, as `warn_of_dead` does."""
    tally, seen = counts.tally, counts.seen

    def is_tied() -> bool:
        if cut is None or tally.low[-1] % 3 == 0:  # negatives of unknown scores are at the top
            return False
        k = cut.of(np.array([counts.size])).item()
        return bool(tally.positives[-1] + tally.negatives[-1] > 2 * k and counts.size > k)

    distinct = np.arange(3) if seen.scores is None else np.sort(np.array([*seen.scores]))
    are_positive = counts.found == counts.size
    warn_of_few(model, seen.n_samples, 1, are_positive, distinct, cut, is_tied)
