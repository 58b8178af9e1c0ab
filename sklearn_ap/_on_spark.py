"""Values of Spark's DataFrames, classic or of Spark Connect, which Spark's own operators count.

The executors read and check their rows as the driver does those of any table, and send it the
counts at the distinct scores of positives, or the values of groups. Rows that must be refused are
read into the driver's memory instead, as errors tell how many there are, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import compress
from pickle import dumps, loads
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from ._arrays.conversion import as_list
from ._arrays.host import to_host
from ._evaluate.metric_values import average_values
from ._inputs.metric_names import write_rule
from ._inputs.records import Inputs, Named, NPositives, PositiveClass
from ._package import load
from ._read.columns import check_found, check_mass, read_one_count, read_scores
from ._read.group_names import has_counts_by_grade, name_all_groups, read_names
from ._read.labels import check_at_most_two, name_positives, read_binary_labels, warn_of_only_label
from ._read.tables import Columns, list_distinct_names, list_role_columns, name_columns_in_errors
from ._read.validation import add_weight, find_two_scores, warn_if_predicted
from ._words.messages import (
    NO_WEIGHT,
    redirect_warnings,
    warn_of_equal_decimals,
    warn_of_one_hit,
    warn_of_own_groups,
)
from ._words.parameters import check_group_average, check_rule, check_weighted
from ._words.refusals import attribute_errors
from .core.cutoff import select_reached
from .core.keys import is_positive, pack, sort_with_order
from .core.numbering import Name, number_groups
from .core.operating_points import OperatingPoints, from_counts, from_groups, join
from .core.ragged import Array, is_first, split_into_blocks, sum_rankings
from .core.rankings import BY_NAME, Averaging, Names, Rankings
from .core.rules import Graded, Rule
from .core.tolerances import SUM_TOLERANCE

_MAX_DISTINCT_SCORES = 10_000_000  # of positives, each of which takes about 32 bytes
_MAX_SPARK_CUTOFF = 2**62
_MIN_KEY = -(2**63)  # of a score
_ROLES = ("y_true", "y_score", "sample_weight", "groups")
# Only all rows tell that different decimals became equal, which those of 15 digits never do.
_SCORE = r"\w*int|float|double|decimal\((?:\d|1[0-5]),\d+\)"
_TYPES = {
    "y_score": rf"{_SCORE}|vector|array<(?:{_SCORE})>",
    "groups": r"\w*int|decimal.*|string|binary|boolean|date|timestamp.*",  # -0.0 has its own hash
}
_COUNTS_SCHEMA = "key bigint, positives double, negatives double, summary binary"

Batches = Iterator[pa.RecordBatch]
Read = Callable[[Iterable[pa.RecordBatch]], Any]


class TargetSummary(NamedTuple):
    """Summary of the rows of a binary target, which is enough for the checks of all rows."""

    positive: PositiveClass
    labels: frozenset[Name] = frozenset()  # the distinct ones; empty for grades
    n_samples: int = 0
    n_found: int = 0  # positives, and below negatives, without those of weight 0
    n_others: int = 0
    weighted: bool = False
    mass: float = 0.0  # the sum of the weights; 0 without weights
    weights: tuple[float, ...] = ()  # the lowest and the highest, besides 0; 1 without weights
    merged: bool = False  # whether different decimals have become equal scores
    scores: frozenset[Name] | None = frozenset()  # the distinct ones; None if there are more than 2

    def with_samples(self, samples: Rankings) -> Self:
        """Add what is seen of the samples, which are the rows without those of weight 0."""
        n_found, weight = int(np.count_nonzero(samples.labels)), samples.weight
        return self._replace(
            n_found=n_found,
            n_others=samples.labels.size - n_found,
            mass=0.0 if weight is None else float(weight.sum()),
            weights=_find_extreme_weights(weight) if self.n_samples else (),
            scores=find_two_scores(samples.scores),
        )

    @property
    def sample_weight(self) -> Array | None:
        """Return what is known about the weights, which is the lightest and the heaviest."""
        return np.array(self.weights) if self.weighted else None

    @property
    def name(self) -> str:
        """The name of the positives for messages."""
        return name_positives([*self.labels], self.positive)


def read_part(inputs: Inputs) -> tuple[Rankings, TargetSummary]:
    """Check some rows of a binary target with their prediction scores.

    Rows of weight 0 are removed, which may leave none, and the groups are named in any order.
    """
    y_true, y_score, positive = to_host(inputs.y_true), to_host(inputs.y_score), inputs.positive
    labels, scores, are_merged = np.zeros(0, dtype=bool), np.zeros(0), False
    present: set[Name] = set()
    if len(y_true):
        labels, present = read_binary_labels(y_true, positive, y_score)
        scores, are_merged = read_scores(y_score, positive)
    rankings = Rankings(labels, scores, None, "binary")
    rankings = add_weight(rankings, inputs.sample_weight, may_vanish=True)
    seen = TargetSummary(positive, frozenset(present), len(labels), merged=are_merged)
    seen = seen.with_samples(rankings)._replace(weighted=inputs.sample_weight is not None)
    check_all_rows(seen)
    if inputs.groups is not None:
        column = read_names(inputs.groups, "groups", len(labels), sorts=False)
        names, group = column.keep(rankings.is_kept).number_unsorted()
        rankings = replace(rankings, group=group, names=names)
    return rankings, seen


def check_all_rows(seen: TargetSummary) -> None:
    """Check that labels are binary, and that weights have a finite sum."""
    if seen.weighted:
        check_mass(seen.mass)
    check_at_most_two(seen.labels, seen.positive)


def _find_extreme_weights(weight: Array | None) -> tuple[float, ...]:
    """Return the lowest and the highest weight, which are 1 without weights, or () of none."""
    if weight is None:
        return 1.0, 1.0
    return (weight.min().item(), weight.max().item()) if weight.size else ()


def check_before_evaluation(
    seen: TargetSummary, found: float, rule: Rule, n_positives: NPositives, by_group: bool = False
) -> Array | None:
    """Check that a rule can evaluate what was seen. Return n_positives as an array, or None.

    `found` are the positives, or their weight. With `by_group`, n_positives was already checked for
    each group.
    """
    if not seen.weights:
        with attribute_errors("sample_weight"):
            raise ValueError(NO_WEIGHT)
    if seen.merged:
        warn_of_equal_decimals()
    warn_of_only_label(check_at_most_two(seen.labels, seen.positive), seen.positive)
    if seen.weighted:
        check_weighted(rule)
    exist = None
    if n_positives is not None and not by_group:
        exist = read_one_count(n_positives, None, seen.weighted)
        check_found(exist, np.array([found]), seen.weighted)
    if seen.labels:
        warn_if_predicted(seen.scores, seen.labels, seen.n_found, seen.n_found + seen.n_others)
    return exist


def sort_all_groups(
    names: Names, n_positives: NPositives, weighted: bool
) -> tuple[list[Name], Array, Array, Array | None]:
    """Sort the names of all groups, of which `names` has those with rows, in any order.

    Return the sorted names, the order that sorts the groups if those that are only in n_positives
    come after the others, the places of these among the sorted names, and the positives of all
    groups, sorted, or None if n_positives doesn't say how many exist.
    """
    exist = None
    if n_positives is None:
        names, place = read_names(names).number_names()
    else:
        present = as_list(names) if isinstance(names, np.ndarray) else names
        names, place, exist = name_all_groups(present, n_positives, weighted)
    absent = np.flatnonzero(np.bincount(place, minlength=len(names)) == 0)
    return names, np.argsort(np.concatenate([place, absent])), absent, exist


def make_empty_points(n_rankings: int) -> OperatingPoints:
    nothing = np.zeros(0, dtype=np.int64)
    return from_counts(nothing, nothing, offsets=np.zeros(n_rankings + 1, dtype=np.int64))


def value_on_spark(rule: Rule, unread: Inputs) -> Any:
    """Return the value of a metric, or None if the rows have to be read."""
    data, inputs = unread.data, unread._replace(data=None)  # which no executor can get
    named = {role: name for role in _ROLES if (name := getattr(inputs, role)) is not None}
    if unread.besides or not _can_count(rule, inputs, named, data):
        return None
    rule = check_rule(rule)
    table, read = load("_read.from_spark").select_columns(data, named, inputs.positive)
    with name_columns_in_errors(named, data):
        if inputs.sample_weight is not None:
            check_weighted(rule)
        if inputs.groups is None:
            return _value_of_ranking(rule, inputs, table, read)
        keys = [
            str(list_distinct_names(named).index(name)) for name in list_role_columns(inputs.groups)
        ]
        return _value_of_groups(rule, inputs, table.repartition(*keys), read)


def _can_count(rule: Rule, inputs: Inputs, named: Named, data: DataFrame) -> bool:
    """Whether a rule needs counts only, of columns of usual types."""
    if isinstance(rule, Graded) or inputs.classes is not None:
        return False
    if has_counts_by_grade(inputs.n_positives):
        return False
    if inputs.average is BY_NAME and "groups" not in named:
        return False
    counts_rows = rule.takes_equal_weights or (rule.cut is not None and rule.cut.counts_rows)
    if counts_rows and "sample_weight" in named:
        return False  # because sums of weights don't tell how many rows there are
    types = {name: kind for name, kind in data.dtypes if data.columns.count(name) == 1}
    for role, name in named.items():
        for column in name if role == "groups" and isinstance(name, list) else [name]:
            kind = types.get(column, "") if isinstance(column, str) else ""
            if not re.fullmatch(_TYPES.get(role, ".+"), kind):
                return False
    return True


# --- one ranking ----------------------------------------------------------------------------------


class Counts(NamedTuple):
    """Positives and negatives, or their weights, from the highest score down: at each score of
    positives, and of the negatives in between.
    """

    positives: Array
    negatives: Array


def _value_of_ranking(rule: Rule, inputs: Inputs, table: DataFrame, read: Read) -> float | None:
    cut = rule.cut
    k = _MAX_SPARK_CUTOFF if cut is None or cut.is_share else min(cut.k, _MAX_SPARK_CUTOFF)
    seen, counts = _count_on_spark(inputs, table, read, k)
    if seen is None:
        return None
    if rule.looks_for_first:
        warn_of_one_hit(write_rule(rule), seen.n_samples, seen.n_found)
    every = np.array([0, counts.positives.size])
    found = sum_rankings(counts.positives, every).item()
    missed = sum_rankings(counts.negatives, every).item()
    exist = check_before_evaluation(seen, found, rule, inputs.n_positives)
    points = from_counts(*counts)
    # Zeros of points beyond the cutoff could change the last bit of a sum.
    if cut is not None and not seen.weighted:
        points = select_reached(points, cut)
    points = points.with_n_positives(found if exist is None else exist)
    if cut is not None and not cut.is_share:
        points = points._replace(n_samples=np.array([found + missed]))
    averaging = Averaging(names=[seen.name], sample_weight=seen.sample_weight, kind="classes")
    values, n_positives = rule.values(points), points.n_positives
    return float(average_values(rule, values, n_positives, averaging, inputs.zero_division))


def _count_on_spark(
    inputs: Inputs, table: DataFrame, read: Read, k: float
) -> tuple[TargetSummary | None, Counts]:
    """Count positives and negatives at each score of positives, and negatives in between, as far as
    the top k reach. What was seen is None if rows must be refused.
    """
    evaluate = partial(_count_batches, read, inputs._replace(groups=None), k)
    by_score = table.mapInArrow(evaluate, _COUNTS_SCHEMA).persist()  # as sorting reads them twice
    try:
        rows = by_score.select("summary").where("summary IS NOT NULL").collect()
        summaries = [loads(row["summary"]) for row in rows]
        seen = _join_summaries(summaries, inputs.positive)
        if seen is None:
            return None, Counts(np.zeros(0), np.zeros(0))
        scores = by_score.where("positives > 0").select("key").distinct()
        if (
            seen.n_found > _MAX_DISTINCT_SCORES
            and (n_scores := scores.count()) > _MAX_DISTINCT_SCORES
        ):
            raise MemoryError(
                f"The positives have {n_scores:,} distinct prediction scores, and at most "
                f"{_MAX_DISTINCT_SCORES:,} are counted. Pass a random sample of the rows, as in "
                "data=df.sample(0.1), or write them to Parquet, and pass the Path to read them."
            )
        falling = by_score["key"].desc()
        ordered = by_score.repartitionByRange(falling).sortWithinPartitions(falling)
        packed = ordered.mapInArrow(_pack_batches, "counts binary").collect()
    finally:
        by_score.unpersist()
    kind = np.int64 if all(are_whole for _, are_whole in summaries) else np.float64
    masses = zip(*[loads(row["counts"]) for row in packed], strict=True)
    return seen, Counts(*(np.concatenate(mass).astype(kind) for mass in masses))


def _join_summaries(summaries: list[Any], positive: PositiveClass) -> TargetSummary | None:
    """Join what the executors saw. Return None if there are no rows, or some must be refused."""
    seen = TargetSummary(positive)
    with suppress(TypeError, ValueError):  # a summary is None where rows were refused
        for summary in summaries:
            seen = _join_seen(seen, summary[0])
        check_all_rows(seen)
        return seen if seen.n_samples else None
    return None


def _join_seen(seen: TargetSummary, later: TargetSummary) -> TargetSummary:
    """Return what is known of all rows, after adding some that came later."""
    weights = sorted(seen.weights + later.weights)
    scores = None
    if seen.scores is not None and later.scores is not None:
        scores = seen.scores | later.scores
    return seen._replace(
        labels=seen.labels | later.labels,
        n_samples=seen.n_samples + later.n_samples,
        n_found=seen.n_found + later.n_found,
        n_others=seen.n_others + later.n_others,
        weighted=seen.weighted or later.weighted,
        mass=seen.mass + later.mass,
        weights=(weights[0], weights[-1]) if weights else (),
        merged=seen.merged or later.merged,
        scores=None if scores is None or len(scores) > 2 else scores,
    )


def _count_batches(read: Read, inputs: Inputs, k: float, batches: Batches) -> Batches:
    """Yield the counts of each batch, and a summary, which is None if any row is refused.

    What is beyond the top k of a batch, and so of all rows, gets the lowest key.
    """
    seen, are_whole, summary = TargetSummary(inputs.positive), True, None
    with suppress(Exception):  # which the driver raises when it reads all rows
        for batch in batches:
            samples, of_batch = read_part(_with_columns(inputs, read([batch])))
            seen = _join_seen(seen, of_batch)
            are_whole &= samples.weight is None or samples.weight.dtype.kind != "f"
            scores, positives, negatives = _count_at_scores(samples)
            mass = positives + negatives
            above = np.cumsum(mass[::-1])[::-1] - mass
            n_beyond = np.count_nonzero(above >= k * (1 + SUM_TOLERANCE))
            keys = _make_keys(scores)
            if n_beyond:
                start = np.append(0, np.arange(n_beyond, scores.size))
                keys = keys[start]
                keys[0] = _MIN_KEY
                positives = np.add.reduceat(positives, start)
                negatives = np.add.reduceat(negatives, start)
            yield _make_batch(keys, positives, negatives, pa.nulls(keys.size))
        summary = seen, are_whole
    yield _make_batch([_MIN_KEY], [0], [0], [dumps(summary)])


def _with_columns(inputs: Inputs, columns: Columns) -> Inputs:
    """Put columns in the place of their names, but for groups that aren't asked for."""
    roles = [role for role in columns if getattr(inputs, role) is not None]
    return inputs._replace(**{role: columns[role] for role in roles})


def _count_at_scores(samples: Rankings) -> tuple[Array, Array, Array]:
    """Return the distinct scores in ascending order, with the positives and negatives at each."""
    labels, scores, weight = samples.labels, samples.scores, samples.weight
    if weight is None:  # sort plain values, which is much faster than an argsort
        keys = pack(labels, scores)
        ranked = np.sort(keys.values)[::-1]
        start = np.flatnonzero(is_first(ranked >> 1))
        positives = np.add.reduceat(is_positive(ranked), start, dtype=np.int64)
        return keys.scores(ranked[start]), positives, np.diff(start, append=ranked.size) - positives
    order, scores = sort_with_order(scores, stable=True)
    labels, weight = labels[order], weight[order].astype(float)
    start = np.flatnonzero(is_first(scores))
    found, missed = np.where(labels, weight, 0), np.where(labels, 0, weight)
    return scores[start], np.add.reduceat(found, start), np.add.reduceat(missed, start)


def _make_keys(scores: Array) -> Array:
    """Return integers in the order of the scores, which are equal if these are."""
    if scores.dtype.kind == "i":
        return scores.astype(np.int64)
    bits = (scores.astype(np.float64) + 0).view(np.int64)  # -0.0 is 0.0
    return np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)


def _make_batch(*columns: Any) -> pa.RecordBatch:
    types = [pa.int64(), pa.float64(), pa.float64(), pa.binary()]
    arrays = [pa.array(column).cast(kind) for column, kind in zip(columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=["key", "positives", "negatives", "summary"])


def _pack_batches(batches: Batches) -> Batches:
    """Add up and pack the counts at equal scores of a partition, and those of the negatives between
    two scores of positives. The scores come from the highest down.
    """
    by_score = [*batches]
    if not by_score:
        return
    table = pa.Table.from_batches(by_score)
    start = np.flatnonzero(is_first(table.column("key").to_numpy()))
    positives = np.add.reduceat(table.column("positives").to_numpy(), start)
    negatives = np.add.reduceat(table.column("negatives").to_numpy(), start)
    places = np.flatnonzero(positives)
    start = np.unique(np.concatenate([[0], places, places + 1]))
    start = start[start < positives.size]
    positives, negatives = np.add.reduceat(positives, start), np.add.reduceat(negatives, start)
    for piece in split_into_blocks(start.size):
        yield pa.RecordBatch.from_pydict({"counts": [dumps((positives[piece], negatives[piece]))]})


# --- groups ---------------------------------------------------------------------------------------


class Groups(NamedTuple):
    """Operating points of groups, in the order of the names."""

    seen: TargetSummary
    names: Names
    points: OperatingPoints


class _Part(NamedTuple):
    """What the whole groups of a partition have."""

    seen: TargetSummary
    names: Names
    values: Array
    n_positives: Array


def _value_of_groups(rule: Rule, inputs: Inputs, table: DataFrame, read: Read) -> Any:
    """Return the mean over groups, each of which is in one partition of the table."""
    if inputs.average is not BY_NAME:
        check_group_average(inputs.average)
    evaluate = partial(_evaluate_batches, read, rule, inputs)
    parts = [loads(row["part"]) for row in table.mapInArrow(evaluate, "part binary").collect()]
    seen = _join_summaries(parts, inputs.positive)
    if seen is None:
        return None
    present = [name for part in parts for name in part.names]
    groups = Groups(seen, present, make_empty_points(len(present)))
    points, names = _arrange_groups(groups, rule, inputs.n_positives)
    values, n_positives = rule.values(points), points.n_positives.astype(float)
    place_of = dict(zip(names, range(len(names)), strict=True))
    places = [place_of[name] for name in present]
    values[places] = np.concatenate([part.values for part in parts])
    n_positives[places] = np.concatenate([part.n_positives for part in parts])
    averaging = Averaging(inputs.average, names, sample_weight=seen.sample_weight)
    return average_values(rule, values, n_positives, averaging, inputs.zero_division)


def _evaluate_batches(read: Read, rule: Rule, inputs: Inputs, rows: Batches) -> Batches:
    """Yield the part of whole groups; None if they are refused."""
    part, of_groups = None, [*rows]
    if not of_groups:
        return
    with suppress(Exception):  # which the driver raises when it reads all rows
        groups = _read_groups(_with_columns(inputs, read(of_groups)))
        with redirect_warnings(lambda *_: None):  # the driver warns of all groups
            points, names = _arrange_groups(groups, rule, inputs.n_positives)
        has_rows = points.n_samples > 0
        values, n_positives = rule.values(points)[has_rows], points.n_positives[has_rows]
        part = _Part(groups.seen, [*compress(names, has_rows)], values, n_positives)
    yield pa.RecordBatch.from_pydict({"part": [dumps(part)]})


def _read_groups(inputs: Inputs) -> Groups:
    """Find the groups of a partition that contains all of their samples."""
    samples, seen = read_part(inputs)
    names = np.asarray(samples.names)
    present, group = number_groups(np.asarray(samples.group))
    if not present.size:
        return Groups(seen, [], make_empty_points(0))
    columns = samples.labels, samples.scores, group, present.size, samples.weight
    return Groups(seen, as_list(names[present]), from_groups(*columns, every_point=False))


def _arrange_groups(
    groups: Groups, rule: Rule, n_positives: NPositives
) -> tuple[OperatingPoints, list[Name]]:
    """Return the points of all groups, including those that are only in n_positives, and their
    sorted names.
    """
    seen, names, points = groups
    check_before_evaluation(seen, 0, rule, n_positives, by_group=True)
    warn_of_own_groups(rule.cut, names, len(names), seen.n_samples)
    names, order, absent, exist = sort_all_groups(names, n_positives, seen.weighted)
    points = join([points, make_empty_points(absent.size)]).reorder(order)
    if exist is not None:
        exist = check_found(exist, points.n_positives, seen.weighted, names)
        points = points.with_n_positives(exist)
    return points, names
