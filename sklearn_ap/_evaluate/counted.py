"""One ranking without groups, which is evaluated from the counts at its prediction scores.

The first pass finds the prediction scores of the positives, at which average precision changes. The
second pass counts the samples at these scores and between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._read.rankings import Seen, check_bounded, check_counted, check_evaluated, check_seen
from .._read.tables import check_reads_again, column_name
from .._read.units import Sample
from .._words.engine import InMemory
from .._words.inputs import Inputs, NPositives, ZeroDivision
from .._words.messages import warn_of_no_rows
from .._words.parameters import check_group_average, check_several
from ..core import tallies
from ..core.cutoff import Cut, needs_every_point
from ..core.evidence import CountedRows
from ..core.rankings import BY_NAME, Queries, Rankings
from ..core.rules import Rule
from ..core.tallies import NOTHING, Bounds, Tally
from ..core.within import Array
from .group_values import value_groups
from .jobs import count_among, distinct, find_positives, join_bins, with_ends
from .passes import Job, Task, check_few_enough, run_models
from .value import finish, finish_bounds, score

_FINE = 16  # the number of quantiles to keep for each one that is needed

# Advice if there are too many scores to send to workers.
_BOUNDS = "metric_bounds, which returns guaranteed lower and upper bounds"
_INTERVALS = (
    f"{_BOUNDS}, or compute the interval of a random sample of the rows, or from groups or "
    "clusters as the sampling units"
)
_SOME_ROWS = "a random sample of the rows, or read Parquet files on one machine, as data=Path('x')"


class Counts(NamedTuple):
    """What is known of one ranking."""

    seen: Seen
    tally: Tally
    found: float  # all positives, whether they are in the tally or not
    size: float  # all samples


def of_all(seen: Seen, counts: Tally) -> Counts:
    found = counts.positives.sum()
    return Counts(seen, counts, found.item(), (found + counts.negatives.sum()).item())


# --- tasks ----------------------------------------------------------------------------------------


def count_at_positives(instead: str, every: bool, inputs: Inputs) -> Task[Counts]:
    """Count samples at each score of a positive, or of `every` sample, and between these."""
    engine = inputs.chunks
    _, found = yield {"scores": Job(find_positives, distinct, (every,))}
    check_few_enough(found["scores"].size, engine.most, instead)
    first, counted = yield {"tally": Job(_tally_among, tallies.merge, (found["scores"],))}
    return Counts(first.seen, counted["tally"], first.found, first.size)


def _tally_among(samples: Rankings, grid: Array) -> Tally:
    return tallies.tally_among(samples.labels, samples.scores, samples.weight, grid)


def _count_once(depth: Cut | None, inputs: Inputs) -> Task[Counts]:
    """Count samples at their scores, at least at those that the top k samples can have."""
    first, found = yield {"tally": Job(_tally_best, partial(_merge_best, depth), (depth,))}
    return Counts(first.seen, found["tally"], first.found, first.size)


def _tally_best(samples: Rankings, depth: Cut | None) -> Tally:
    return tallies.tally(samples.labels, samples.scores, samples.weight).best(depth)


def _merge_best(depth: Cut | None, parts: list[Tally]) -> Tally:
    return tallies.merge(parts).best(depth)


def count_in_bins(n_bins: int, inputs: Inputs) -> Task[Counts]:
    """Count samples at some quantiles of the positives, and between these.

    At most 1/n_bins of the positives are between two neighbors: half of that because of the masses
    of the quantiles, and 1/_FINE of it for each time that quantiles were joined.
    """
    fine = _FINE * n_bins
    _, found = yield {"quantiles": Job(_quantiles, partial(_join_quantiles, fine), (fine,))}
    grid = tallies.quantiles(found["quantiles"], 2 * n_bins).low
    first, counted = yield {"tally": Job(_tally_among, tallies.merge, (grid,))}
    return Counts(first.seen, tallies.mix_gaps(counted["tally"]), first.found, first.size)


def _quantiles(samples: Rankings, number: int) -> Tally:
    positives = samples.take(np.flatnonzero(samples.labels))
    if not positives.n_rows:
        return NOTHING
    counts = tallies.tally(positives.labels, positives.scores, positives.weight)
    return tallies.quantiles(counts, number)


def _join_quantiles(number: int, parts: list[Tally]) -> Tally:
    return tallies.quantiles(tallies.merge(parts), number)


def count_curve(marks: Sequence[Any], inputs: Inputs) -> Task[Counts]:
    """Count samples at each score of a positive or among `marks`, and in the stretches of scores
    between them.

    The curve of a metric changes direction only there. A stretch is a bin from its lowest score to
    its highest one.
    """
    engine = inputs.chunks
    first, found = yield {"scores": Job(find_positives, distinct)}
    check_counted(first.seen)
    check_few_enough(found["scores"].size, engine.most, _SOME_ROWS)
    grid = distinct([found["scores"], np.array(marks)]) if marks else found["scores"]
    _, found = yield {"bins": Job(count_among, join_bins, (grid,))}
    return Counts(first.seen, with_ends(*found["bins"]), first.found, first.size)


# --- values ---------------------------------------------------------------------------------------


def value_of_engine(rule: Rule, inputs: Inputs) -> Any:
    """Compute the value of one ranking, or the mean over groups."""
    engine, average, depth = inputs.chunks, inputs.average, rule.depth
    if engine.grouped:
        if average != BY_NAME:
            check_group_average(average)
        return _mean_over_groups(rule, inputs)
    check_several(average != BY_NAME)
    task = partial(_count_once, depth)
    if engine.reads_again and (depth is None or depth.is_share):
        task = partial(count_at_positives, _BOUNDS, needs_every_point(depth, engine.weighted))
    (counts,) = run_models(task, inputs).values()
    return to_score(rule, counts, inputs.n_positives, inputs.zero_division)


def _mean_over_groups(rule: Rule, inputs: Inputs) -> Any:
    (groups,) = value_groups([rule], inputs, check_evaluated).models.values()
    if not groups.n_rows:
        warn_of_no_rows()
    return score(rule, groups, inputs.zero_division)


def to_score(
    rule: Rule, counts: Counts, n_positives: NPositives, zero_division: ZeroDivision
) -> float:
    exist = check_evaluated(counts.seen, counts.found, rule, n_positives)
    points = counts.tally.points(rule.depth).out_of(counts.found if exist is None else exist)
    if rule.depth is not None and not rule.depth.is_share:
        points = points._replace(n_samples=np.array([counts.size]))
    return float(finish(rule, points, _one_query(counts.seen), zero_division))


def bounds(rule: Rule, inputs: Inputs, n_bins: int) -> Bounds:
    """Compute bounds of the value of one ranking, or of the mean over groups, which is exact.

    Many groups of a few positives each would not need less memory if each of them had bins.
    """
    columns = [inputs.y_true, inputs.y_score, inputs.sample_weight, inputs.groups]
    engine, zero_division = inputs.engine or InMemory(columns), inputs.zero_division
    inputs = inputs._replace(engine=engine)
    if engine.grouped:
        check_group_average(inputs.average)
        if inputs.average is None:
            raise ValueError(
                "average=None returns a value for each group, but bounds are those of a mean. Pass "
                "average='macro' or 'weighted'."
            )
        value = _mean_over_groups(rule, inputs)
        return Bounds(value, value, value, exact=True)
    check_bounded(rule, weighted=engine.weighted)
    instead = ", or update a MetricAccumulator(n_bins=...) with its batches"
    check_reads_again(engine.reads_again, "Bounds need", instead)
    (counts,) = run_models(partial(count_in_bins, n_bins), inputs).values()
    return bounds_of(rule, counts, inputs.n_positives, zero_division)


def bounds_of(
    rule: Rule, counts: Counts, n_positives: NPositives, zero_division: ZeroDivision
) -> Bounds:
    exist = check_evaluated(counts.seen, counts.found, rule, n_positives)
    return finish_bounds(rule, counts.tally, _one_query(counts.seen), zero_division, exist)


def _one_query(seen: Seen) -> Queries:
    return Queries(names=[seen.name], sample_weight=seen.sample_weight)


# --- intervals ------------------------------------------------------------------------------------


def samples_of_counts(rule: Rule, inputs: Inputs, read: Callable[[], Sample]) -> dict[Any, Sample]:
    """Count the rows of an engine. `read` reads them into memory, which only some results need."""
    found = run_models(partial(count_at_positives, _INTERVALS, False), inputs)
    return {model: _sample_of(counts, rule, inputs, read) for model, counts in found.items()}


def _sample_of(counts: Counts, rule: Rule, inputs: Inputs, read: Callable[[], Sample]) -> Sample:
    seen = counts.seen
    if inputs.n_positives is None:
        check_counted(seen)
    exist = check_seen(seen, counts.found, rule, inputs.n_positives)
    rows = CountedRows(
        name=seen.name,
        n_positives=exist,
        counted=counts.tally.points(),
        few_scores=np.arange(3) if seen.scores is None else np.sort(np.array([*seen.scores])),
        n_at_top=_count_at_top(counts),
    )
    return Sample(rows, model=column_name(inputs.column_names.get("y_score")), read=read)


def _count_at_top(counts: Counts) -> int:
    """Count the samples with the highest score, or return 0 if only negatives have scores like it,
    which aren't known.
    """
    tally = counts.tally
    if not tally.size or tally.low[-1] % 3 == 0:
        return 0
    return int(tally.positives[-1] + tally.negatives[-1])
