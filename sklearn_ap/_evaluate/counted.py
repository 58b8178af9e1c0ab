"""One ranking without groups, which is evaluated from the counts at its prediction scores.

The first pass finds the prediction scores of the positives, at which average precision changes. The
second pass counts the samples at these scores and between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._read.sampling_units import Sample
from .._read.tables import column_name
from .._read.validation import Seen, check_counted, check_evaluated, check_seen
from .._words.engine import NeedsRowsError
from .._words.inputs import Inputs, NPositives, ZeroDivision
from .._words.messages import warn_of_no_rows, warn_of_one_hit
from .._words.names import written
from .._words.parameters import check_group_average, check_several
from ..core import tallies
from ..core.cutoff import Cut, needs_every_point
from ..core.evidence import CountedRows
from ..core.rankings import BY_NAME, Queries, Rankings
from ..core.rules import Rule
from ..core.tallies import Tally
from ..core.within import Array, sums
from .group_values import value_groups
from .jobs import count_among, distinct_scores, find_positives, join_bins, with_ends
from .passes import First, Job, Task, check_few_enough, run_models
from .value import finish, score

# At their peak, counts take about 300 bytes per score, and rows in memory 20 to 35 bytes each.
_ROWS_PER_SCORE = 10
_FEW_SCORES = 2**17  # which are counted in any case, as that takes little memory

# Advice if there are too many scores to send to workers.
_SOME_ROWS = "a random sample of the rows, or read Parquet files on one machine, as data=Path('x')"


class Counts(NamedTuple):
    """What is known of one ranking."""

    first: First  # of all samples, whether they are in the tally or not
    tally: Tally


def of_all(seen: Seen, counts: Tally) -> Counts:
    """Make the counts of a tally of all samples, added up from the highest score down, as those of
    its points are.
    """
    every = np.array([0, counts.size])
    found = sums(counts.positives[::-1], every).item()
    size = found + sums(counts.negatives[::-1], every).item()
    return Counts(First(seen, found, size), counts)


# --- tasks ----------------------------------------------------------------------------------------


def count_at_positives(
    inputs: Inputs, every: bool = False, for_value: bool = False
) -> Task[Counts]:
    """Count samples at each score of a positive, or of `every` sample, and between these.

    For a value, ask for the rows if these take less memory, which they don't for all intervals.
    """
    engine = inputs.chunks
    first, found = yield {"scores": Job(find_positives, distinct_scores, (every,))}
    check_few_enough(found["scores"].size, engine.most, _SOME_ROWS)
    most_counted = max(_FEW_SCORES, first.seen.n_samples / _ROWS_PER_SCORE)
    # Dask and Spark, which have a maximum, don't gather rows in one process.
    if for_value and engine.most is None and found["scores"].size > most_counted:
        raise NeedsRowsError
    first, counted = yield {"tally": Job(_tally_samples_among, tallies.merge, (found["scores"],))}
    return Counts(first, counted["tally"])


def _tally_samples_among(samples: Rankings, grid: Array) -> Tally:
    return tallies.tally_among(samples.labels, samples.scores, samples.weight, grid)


def _count_once(depth: Cut | None, inputs: Inputs) -> Task[Counts]:
    """Count samples at their scores, at least at those that the top k samples can have."""
    first, found = yield {"tally": Job(_tally_best, partial(_merge_best, depth), (depth,))}
    return Counts(first, found["tally"])


def _tally_best(samples: Rankings, depth: Cut | None) -> Tally:
    return tallies.tally_scores(samples.labels, samples.scores, samples.weight).best(depth)


def _merge_best(depth: Cut | None, parts: list[Tally]) -> Tally:
    return tallies.merge(parts).best(depth)


def count_curve(marks: Sequence[Any], inputs: Inputs) -> Task[Counts]:
    """Count samples at each score of a positive or among `marks`, and in the stretches of scores
    between them.

    The curve of a metric changes direction only there. A stretch is a bin from its lowest score to
    its highest one.
    """
    engine = inputs.chunks
    first, found = yield {"scores": Job(find_positives, distinct_scores)}
    check_counted(first.seen)
    check_few_enough(found["scores"].size, engine.most, _SOME_ROWS)
    grid = distinct_scores([found["scores"], np.array(marks)]) if marks else found["scores"]
    _, found = yield {"bins": Job(count_among, join_bins, (grid,))}
    return Counts(first, with_ends(*found["bins"]))


# --- values ---------------------------------------------------------------------------------------


def value_of_engine(rule: Rule, inputs: Inputs) -> Any:
    """Compute the value of one ranking, or the mean over groups."""
    engine, average, depth = inputs.chunks, inputs.average, rule.depth
    if engine.grouped:
        if average != BY_NAME:
            check_group_average(average)
        (groups,) = value_groups([rule], inputs, check_evaluated).models.values()
        if not groups.n_rows:
            warn_of_no_rows()
        return score(rule, groups, inputs.zero_division)
    check_several(average != BY_NAME)
    task = partial(_count_once, depth)
    if engine.reads_again and (depth is None or depth.is_share):
        every = needs_every_point(depth, engine.weighted)
        task = partial(count_at_positives, every=every, for_value=True)
    (counts,) = run_models(task, inputs).values()
    if rule.looks_for_first:
        warn_of_one_hit(written(rule), counts.first.size, counts.first.found)
    return to_score(rule, counts, inputs.n_positives, inputs.zero_division)


def to_score(
    rule: Rule, counts: Counts, n_positives: NPositives, zero_division: ZeroDivision
) -> float:
    seen, found, size, _ = counts.first
    exist = check_evaluated(seen, found, rule, n_positives)
    points = counts.tally.points(rule.depth).out_of(found if exist is None else exist)
    if rule.depth is not None and not rule.depth.is_share:
        points = points._replace(n_samples=np.array([size]))
    queries = Queries(names=[seen.name], sample_weight=seen.sample_weight)
    return float(finish(rule, points, queries, zero_division))


# --- intervals ------------------------------------------------------------------------------------


def samples_of_counts(rule: Rule, inputs: Inputs, read: Callable[[], Sample]) -> dict[Any, Sample]:
    """Count the rows of an engine. `read` reads them into memory, which only some results need."""
    found = run_models(count_at_positives, inputs)
    return {model: _sample_of(counts, rule, inputs, read) for model, counts in found.items()}


def _sample_of(counts: Counts, rule: Rule, inputs: Inputs, read: Callable[[], Sample]) -> Sample:
    seen, found, *_ = counts.first
    if inputs.n_positives is None:
        check_counted(seen)
    exist = check_seen(seen, found, rule, inputs.n_positives)
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
    if not tally.size or tally.low[-1] % 2 == 0:
        return 0
    return int(tally.positives[-1] + tally.negatives[-1])
