"""Values of Spark's DataFrames, classic or of Spark Connect, which Spark's own operators count.

The executors read and check their rows as the driver does those of any table, and send it the
counts at the distinct scores of positives, or the values of groups. Rows that must be refused are
read into the driver's memory instead, as errors tell how many there are, and where.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import compress
from pickle import dumps, loads
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from ._enter.prevalence import factor_of
from ._evaluate.in_groups import no_points
from ._evaluate.streams import Groups, arranged, find_groups, value_of_counts
from ._evaluate.value import average_values
from ._read.from_spark import select_columns
from ._read.group_names import counts_grades
from ._read.tables import names_in, naming_columns, unique
from ._read.validation import Seen, check_together, read_chunk
from ._words.inputs import Inputs, Named, PositiveClass, Unread
from ._words.messages import warn_of_one_hit
from ._words.names import written
from ._words.parameters import check_group_average, check_inputs, check_rule, check_weighted
from .core.cutoff import ENOUGH
from .core.rankings import BY_NAME, Queries
from .core.rules import Graded, Rule
from .core.tallies import NOTHING, Tally, tally_scores
from .core.within import Array, blocks, is_first

_MOST_COUNTS = 10_000_000  # distinct scores of positives, each of which takes about 32 bytes
_LARGEST, _LOWEST = 2**62, -(2**63)  # cutoff, and key of a score
_ROLES = ("y_true", "y_score", "sample_weight", "groups")
# Only all rows tell that different decimals became equal, which those of 15 digits never do.
_SCORE = r"\w*int|float|double|decimal\((?:\d|1[0-5]),\d+\)"
_TYPES = {
    "y_score": rf"{_SCORE}|vector|array<(?:{_SCORE})>",
    "groups": r"\w*int|decimal.*|string|binary|boolean|date|timestamp.*",  # -0.0 has its own hash
}
_OF_TALLIES = "key bigint, positives double, negatives double, summary binary"

Batches = Iterator[pa.RecordBatch]
Read = Callable[[Iterable[pa.RecordBatch]], Any]


def value_on_spark(rule: Rule, unread: Unread) -> Any:
    """Return the value of a metric, or None if the rows have to be read."""
    inputs, data = Inputs.of(unread), unread.data
    named = {role: name for role in _ROLES if (name := getattr(inputs, role)) is not None}
    if unread.besides or not _can_count(rule, inputs, named, data):
        return None
    check_inputs(inputs._replace(**dict.fromkeys(_ROLES)), unread.caller)  # type: ignore[arg-type]
    rule = check_rule(rule, inputs.are_relative)
    table, read = select_columns(data, named, inputs.positive)
    with naming_columns(named, data):
        if inputs.sample_weight is not None:
            check_weighted(rule)
        if inputs.groups is None:
            return _value_of_ranking(rule, inputs, table, read)
        keys = [str(unique(named).index(name)) for name in names_in(inputs.groups)]
        return _value_of_groups(rule, inputs, table.repartition(*keys), read)


def _can_count(rule: Rule, inputs: Inputs, named: Named, data: DataFrame) -> bool:
    """Whether a rule needs counts only, of columns of usual types."""
    if isinstance(rule, Graded) or inputs.classes is not None or counts_grades(inputs.n_positives):
        return False
    if inputs.average is BY_NAME and "groups" not in named:
        return False
    # Rows of different weights can't be told apart by the sums of these.
    may_differ = "sample_weight" in named or ("groups" in named and inputs.are_relative)
    if rule.depth is not None and rule.depth.by_rows and may_differ:
        return False
    types = {name: kind for name, kind in data.dtypes if data.columns.count(name) == 1}
    for role, name in named.items():
        for column in name if role == "groups" and isinstance(name, list) else [name]:
            kind = types.get(column, "") if isinstance(column, str) else ""
            if not re.fullmatch(_TYPES.get(role, ".+"), kind):
                return False
    return True


# --- one ranking ----------------------------------------------------------------------------------


def _value_of_ranking(rule: Rule, inputs: Inputs, table: DataFrame, read: Read) -> float | None:
    depth = rule.depth
    k = _LARGEST if depth is None or depth.is_share else min(depth.k, _LARGEST)
    seen, counts = _tally(inputs, table, read, k)
    if seen is None:
        return None
    if rule.looks_for_first:
        warn_of_one_hit(written(rule), seen.n_samples, seen.n_found)
    if inputs.prevalence is not None:
        counts = counts.with_negatives(_scaling(inputs, counts))
        seen = seen._replace(weighted=True)
    return value_of_counts(rule, counts, seen, inputs.n_positives, inputs.zero_division)


def _scaling(inputs: Inputs, counts: Tally) -> float:
    """Return what to multiply the weights of negatives by, so that positives have a prevalence."""
    masses = counts.positives.sum(), counts.negatives.sum()
    return factor_of(masses, inputs.prevalence, inputs.n_positives)


def _tally(inputs: Inputs, table: DataFrame, read: Read, k: float) -> tuple[Seen | None, Tally]:
    """Count positives and negatives at each score of positives, and negatives in between, as far as
    the top k reach. What was seen is None if rows must be refused.
    """
    tallies = table.mapInArrow(partial(_tallied, read, inputs.positive, k), _OF_TALLIES)
    tallies = tallies.persist()  # as sorting reads them twice
    try:
        rows = tallies.select("summary").where("summary IS NOT NULL").collect()
        summaries = [loads(row["summary"]) for row in rows]
        seen = _seen(summaries, inputs.positive)
        if seen is None:
            return None, NOTHING
        scores = tallies.where("positives > 0").select("key").distinct()
        if seen.n_found > _MOST_COUNTS and (n_scores := scores.count()) > _MOST_COUNTS:
            raise MemoryError(
                f"The positives have {n_scores:,} distinct prediction scores, and at most "
                f"{_MOST_COUNTS:,} are counted. Pass a random sample of the rows, as in "
                "data=df.sample(0.1), or write them to Parquet, and pass the Path to read them."
            )
        falling = tallies["key"].desc()
        ordered = tallies.repartitionByRange(falling).sortWithinPartitions(falling)
        packed = ordered.mapInArrow(_packed, "counts binary").collect()
    finally:
        tallies.unpersist()
    kind = np.int64 if all(are_whole for _, are_whole in summaries) else np.float64
    masses = zip(*[loads(row["counts"]) for row in packed], strict=True)
    positives, negatives = (np.concatenate(mass)[::-1].astype(kind) for mass in masses)
    places = np.arange(positives.size)
    # A tally with weights has numbers of rows, but no rule that needs them gets here.
    return seen, Tally(places, places, positives, negatives, places if seen.weighted else None)


def _seen(summaries: list[Any], positive: PositiveClass) -> Seen | None:
    """Join what the executors saw. Return None if there are no rows, or some must be refused."""
    seen = Seen(positive)
    with suppress(TypeError, ValueError):  # a summary is None where rows were refused
        for summary in summaries:
            seen = seen.join(summary[0])
        check_together(seen)
        return seen if seen.n_samples else None
    return None


def _tallied(read: Read, positive: PositiveClass, k: float, batches: Batches) -> Batches:
    """Yield the counts of each batch, and a summary, which is None if any row is refused.

    What is beyond the top k of a batch, and so of all rows, gets the lowest key.
    """
    seen, are_whole, summary = Seen(positive), True, None
    with suppress(Exception):  # which the driver raises when it reads all rows
        for batch in batches:
            samples, of_batch = read_chunk(*_parts(read([batch]), positive))
            seen = seen.join(of_batch)
            are_whole &= samples.weight is None or samples.weight.dtype.kind != "f"
            tally = tally_scores(samples.labels, samples.scores, samples.weight)
            mass = tally.positives + tally.negatives
            above = np.cumsum(mass[::-1])[::-1] - mass
            n_beyond = np.count_nonzero(above >= k * ENOUGH)
            if n_beyond:
                tally = tally.join(np.append(0, np.arange(n_beyond, tally.size)))
            keys = _keys(tally.low)
            keys[: min(n_beyond, 1)] = _LOWEST
            yield _batch(keys, tally.positives, tally.negatives, pa.nulls(tally.size))
        summary = seen, are_whole
    yield _batch([_LOWEST], [0], [0], [dumps(summary)])


def _parts(columns: Any, positive: PositiveClass) -> tuple[Any, Any, PositiveClass, Any]:
    return columns["y_true"], columns["y_score"], positive, columns.get("sample_weight")


def _keys(scores: Array) -> Array:
    """Return integers in the order of the scores, which are equal if these are."""
    if scores.dtype.kind == "i":
        return scores.astype(np.int64)
    bits = (scores.astype(np.float64) + 0).view(np.int64)  # -0.0 is 0.0
    return np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)


def _batch(*columns: Any) -> pa.RecordBatch:
    types = [pa.int64(), pa.float64(), pa.float64(), pa.binary()]
    arrays = [pa.array(column).cast(kind) for column, kind in zip(columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=["key", "positives", "negatives", "summary"])


def _packed(batches: Batches) -> Batches:
    """Add up and pack the counts at equal scores of a partition, and those of the negatives between
    two scores of positives. The scores come from the highest down.
    """
    tallies = [*batches]
    if not tallies:
        return
    keys, *masses = (column.to_numpy() for column in pa.Table.from_batches(tallies).columns[:3])
    start = np.flatnonzero(is_first(keys))
    masses = [np.add.reduceat(mass, start) for mass in masses]
    places = np.flatnonzero(masses[0])
    start = np.unique(np.concatenate([[0], places, places + 1]))
    start = start[start < masses[0].size]
    positives, negatives = (np.add.reduceat(mass, start) for mass in masses)
    for piece in blocks(start.size):
        yield pa.RecordBatch.from_pydict({"counts": [dumps((positives[piece], negatives[piece]))]})


# --- groups ---------------------------------------------------------------------------------------


def _value_of_groups(rule: Rule, inputs: Inputs, table: DataFrame, read: Read) -> Any:
    """Return the mean over groups, each of which is in one partition of the table."""
    if inputs.average is not BY_NAME:
        check_group_average(inputs.average)
    factor = None
    if inputs.prevalence is not None:
        _, counts = _tally(inputs, table, read, 0)
        factor = _scaling(inputs, counts)
    evaluate = partial(_values, read, rule, inputs, factor)
    parts = [loads(row["part"]) for row in table.mapInArrow(evaluate, "part binary").collect()]
    seen = _seen(parts, inputs.positive)
    if seen is None:
        return None
    present = [name for part in parts for name in part[1]]
    groups = Groups(seen, present, no_points(len(present)))
    points, names = arranged(groups, rule, rule.depth, inputs.n_positives)
    values, n_positives = rule.values(points), points.n_positives.astype(float)
    place_of = dict(zip(names, range(len(names)), strict=True))
    places = [place_of[name] for name in present]
    values[places] = np.concatenate([part[2] for part in parts])
    n_positives[places] = np.concatenate([part[3] for part in parts])
    queries = Queries(inputs.average, names, sample_weight=seen.sample_weight)
    return average_values(rule, values, n_positives, queries, inputs.zero_division)


def _values(read: Read, rule: Rule, inputs: Inputs, factor: float | None, rows: Batches) -> Batches:
    """Yield what was seen of whole groups, their names, values and positives; None if refused."""
    part, of_groups = None, [*rows]
    if not of_groups:
        return
    with suppress(Exception):  # which the driver raises when it reads all rows
        columns = read(of_groups)
        groups = find_groups(*_parts(columns, inputs.positive), groups=columns["groups"])
        if factor is not None:
            seen = groups.seen._replace(weighted=True)
            groups = Groups(seen, groups.names, groups.points.with_negatives(factor))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the driver warns of all groups
            points, names = arranged(groups, rule, rule.depth, inputs.n_positives)
        has_rows = points.n_samples > 0
        values, n_positives = rule.values(points)[has_rows], points.n_positives[has_rows]
        part = groups.seen, [*compress(names, has_rows)], values, n_positives
    yield pa.RecordBatch.from_pydict({"part": [dumps(part)]})
