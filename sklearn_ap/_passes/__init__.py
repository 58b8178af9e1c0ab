"""What public functions call to compute a value from chunks, in as few passes as possible.

A pass summarizes each chunk, and joins the summaries of several. The first pass finds the
prediction scores of the positives, at which average precision changes. The second pass counts the
samples at these scores and between them. The passes don't know what runs them: that is an engine.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from .._engine import Engine
from .._validation.parameters import check_group_average, check_one_value, check_several
from .._validation.seen import check_bounded
from .._validation.tables import check_reads_again
from ..core.bounds import Bounds
from ..core.rankings import BY_NAME
from ..core.rules import Rule
from .groups import count_groups, join_values, to_mean, to_mean_of_values, value_groups
from .ranking import count_ranking, to_bounds, to_score, two_passes


def score(
    engine: Engine,
    rule: Rule,
    *,
    pos_label: Any,
    zero_division: float | str,
    n_positives: Any = None,
    average: str | None = "macro",
) -> Any:
    """Compute the value of one ranking, or the mean over groups."""
    engine, n_positives = engine.asked(pos_label, n_positives)
    options = {"rule": rule, "pos_label": pos_label, "zero_division": zero_division}
    options["n_positives"] = n_positives
    if not engine.grouped:
        check_several(average != BY_NAME)
        return engine.give(partial(to_score, **options), count_ranking(engine, rule, pos_label))
    if average != BY_NAME:
        check_group_average(average)
    finish, groups = _mean_over_groups(engine, average=average, **options)
    return engine.give(finish, groups)


def _mean_over_groups(
    engine: Engine, rule: Rule, pos_label: Any, **options: Any
) -> tuple[Callable[..., Any], Any]:
    """Return a function that averages over groups, and what to call it with."""
    if engine.gathers:
        n_positives = options["n_positives"]
        values = partial(value_groups, rule=rule, pos_label=pos_label, n_positives=n_positives)
        groups = engine.over_whole_groups(values, partial(join_values, pos_label=pos_label))
        return partial(to_mean_of_values, rule=rule, **options), groups
    groups = count_groups(engine, rule, pos_label)
    return partial(to_mean, rule=rule, pos_label=pos_label, **options), groups


def bounds(
    engine: Engine,
    rule: Rule,
    n_bins: int,
    *,
    pos_label: Any,
    average: str = "macro",
    **options: Any,
) -> Any:
    """Compute bounds of the value of one ranking, or of the mean over groups, which is exact.

    Many groups of a few positives each would not need less memory if each of them had bins.
    """
    engine, options["n_positives"] = engine.asked(pos_label, options["n_positives"])
    if engine.grouped:
        check_one_value(average)
        finish, groups = _mean_over_groups(
            engine, rule, pos_label=pos_label, average=average, **options
        )
        return engine.give(partial(_to_exact_bounds, finish), groups)
    check_bounded(rule, weighted=engine.weighted)
    instead = ", or update a MetricAccumulator(n_bins=...) with its batches"
    check_reads_again(engine.reads_again, "Bounds need", instead)
    finish = partial(to_bounds, rule=rule, pos_label=pos_label, **options)
    return engine.give(finish, two_passes(engine, pos_label, n_bins))


def _to_exact_bounds(finish: Callable[..., float], groups: Any) -> Bounds:
    value = finish(groups)
    return Bounds(value, value, value, exact=True)
